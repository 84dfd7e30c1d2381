"""Yixin-Board's dialogues about an opening, Swap2 and Soosorv-8, as its source (main.c) sends and reads them."""

from __future__ import annotations

import random
import re
from typing import TYPE_CHECKING, TypeVar

import pytest

from gomoku_protocol import soosorv
from gomoku_protocol.gomocup import GomocupProtocol
from gomoku_protocol.opening import Questions
from gomoku_protocol.points import RENJU
from gomoku_protocol.position import Position
from search_core.engine import Engine, Limits

if TYPE_CHECKING:
    from tests.protocol.conftest import CappedMaker, Host, ProcessHost

A = TypeVar("A")
Point = tuple[int, int]
OPENING = [(7, 7), (7, 6), (8, 5)]
FOUR = [*OPENING, (6, 8)]


@pytest.fixture
def yixin(capped: CappedMaker) -> ProcessHost:
    """The adapter as Yixin-Board starts it, under renju; every search ends after 50 nodes."""
    host = capped(GomocupProtocol)
    host.send("yxshowinfo", "INFO timeout_turn 500", "INFO rule 2", "INFO seed 5", "start 15 15")
    while (line := host.line()) != "OK":
        assert line is not None and line.startswith("MESSAGE "), host.told()
    return host


def said(host: Host, *lines: str) -> list[str]:
    """The MESSAGE lines that are the whole answer, without that word."""
    host.send(*lines, "yxshowforbid")  # is answered after a search
    messages = []
    while not (line := host.line() or "").startswith("FORBID "):
        assert line.startswith("MESSAGE "), host.told()
        messages.append(line.removeprefix("MESSAGE "))
    return messages


def listed(word: str, stones: list[Point]) -> list[str]:
    return [word, *(f"{x},{y}" for x, y in stones), "done"]


def board(word: str, stones: list[Point]) -> list[str]:
    """As Yixin-Board describes stones: 1 is the side to move."""
    fields = [f"{x},{y},{1 if index % 2 == len(stones) % 2 else 2}" for index, (x, y) in enumerate(stones)]
    return ["start 15 15", word, *fields, "done"]


def set_up(host: Host, stones: list[Point]) -> None:
    host.send(*board("yxboard", stones))
    assert host.line() == "OK", host.told()


def moved(message: str, pattern: str) -> Point:
    """The point that a message names, which must fit the pattern."""
    found = re.fullmatch(rf"{pattern} (\d+) (\d+)", message)
    assert found, message
    return int(found[1]), int(found[2])


# Swap2


def test_the_engine_puts_three_stones_of_swap2(yixin: ProcessHost) -> None:
    messages = said(yixin, "yxswap2step1")
    stones = [moved(message, f"SWAP2 MOVE{number}") for number, message in enumerate(messages, 1)]
    assert len(set(stones)) == 3
    # The person takes Black: Yixin-Board tells the engine, which is White, to move.
    yixin.send(*board("board", stones))
    yixin.play("< OK\n< #,#")


def test_a_new_game_s_first_step_forgets_the_old_stones(yixin: ProcessHost) -> None:
    yixin.send("turn 7,7")
    yixin.play("< #,#")
    assert len(said(yixin, "yxswap2step1")) == 3


def test_the_engine_answers_three_stones_of_swap2(yixin: ProcessHost) -> None:
    set_up(yixin, OPENING)
    messages = said(yixin, "yxswap2step2")
    if len(messages) == 1:
        assert messages[0] in ("SWAP2 SWAP1 YES", "SWAP2 SWAP1 NO")
    else:
        added = [moved(messages[0], "SWAP2 MOVE4"), moved(messages[1], "SWAP2 MOVE5")]
        assert len({*OPENING, *added}) == 5


@pytest.mark.parametrize(
    ("stones", "answer"),
    [
        ([(7, 7), (0, 0), (8, 8)], "SWAP2 SWAP1 YES"),  # Black is ahead
        ([(0, 0), (7, 7), (14, 14)], "SWAP2 SWAP1 NO"),  # White is
    ],
)
def test_three_stones_that_favour_a_side(yixin: ProcessHost, stones: list[Point], answer: str) -> None:
    yixin.send("INFO rule 0")
    set_up(yixin, stones)
    assert said(yixin, "yxswap2step2") == [answer]


@pytest.mark.parametrize(
    ("stones", "answer"),
    [
        ([(7, 7), (0, 0), (7, 8), (0, 14), (7, 9)], "SWAP2 SWAP2 YES"),  # Black has an open three
        ([(0, 0), (7, 7), (14, 14), (8, 8), (0, 14)], "SWAP2 SWAP2 NO"),
    ],
)
def test_the_engine_chooses_its_colour_of_five_stones(yixin: ProcessHost, stones: list[Point], answer: str) -> None:
    yixin.send("INFO rule 0")
    set_up(yixin, stones)
    assert said(yixin, "yxswap2step3") == [answer]


# Soosorv-8


def test_the_engine_puts_a_standard_opening(yixin: ProcessHost) -> None:
    openings = set()
    for _ in range(3):
        messages = said(yixin, "yxsoosorvstep1")
        stones = [moved(message, f"SOOSORV MOVE{number}") for number, message in enumerate(messages, 1)]
        first, second, third = stones
        assert first == (7, 7) and len(set(stones)) == 3
        assert max(abs(second[0] - 7), abs(second[1] - 7)) == 1
        assert max(abs(third[0] - 7), abs(third[1] - 7)) <= 2
        openings.add(tuple(stones))
    assert len(openings) > 1


def test_the_engine_as_white_of_a_person_s_opening(yixin: ProcessHost) -> None:
    """From the question of step 2 to the sixth move."""
    assert said(yixin, *listed("yxsoosorvstep2", OPENING)) in (["SOOSORV SWAP1 YES"], ["SOOSORV SWAP1 NO"])
    [message] = said(yixin, *listed("yxsoosorvstep3", OPENING))
    found = re.fullmatch(r"(SOOSORV MOVE4 \d+ \d+) (\d)", message)
    assert found and 1 <= int(found[2]) <= 8
    four = [*OPENING, moved(found[1], "SOOSORV MOVE4")]
    assert len(set(four)) == 4
    offered = [point for point in ((9, 9), (5, 5), (9, 6)) if point not in four]
    [message] = said(yixin, *listed("yxsoosorvstep6", [*four, *offered]))
    chosen = moved(message, "SOOSORV MOVE5C")
    assert chosen in offered
    yixin.send(*board("board", [*four, chosen]))
    yixin.play("< OK\n< #,#")


@pytest.mark.parametrize("number", [1, 3, 8])
def test_the_engine_as_black_offers_fifth_moves(yixin: ProcessHost, number: int) -> None:
    assert said(yixin, *listed(f"yxsoosorvstep4 {number}", FOUR)) in (["SOOSORV SWAP2 YES"], ["SOOSORV SWAP2 NO"])
    first, *offers, last = said(yixin, *listed(f"yxsoosorvstep5 {number}", FOUR))
    assert (first, last) == ("SOOSORV MOVE5 REFRESH", "SOOSORV MOVE5 DONE")
    points = [moved(offer, "SOOSORV MOVE5") for offer in offers]
    assert len(set(points)) == number and not set(points) & set(FOUR)


def test_no_two_offers_are_alike(yixin: ProcessHost) -> None:
    """These four stones are symmetric about the line x = 7."""
    symmetric = [(7, 7), (7, 6), (7, 8), (7, 5)]
    _, *offers, _ = said(yixin, *listed("yxsoosorvstep5 8", symmetric))
    points = [moved(offer, "SOOSORV MOVE5") for offer in offers]
    assert len(points) == 8
    assert not {(14 - x, y) for x, y in points if x != 7} & set(points)


def test_the_best_of_the_offers_is_kept(yixin: ProcessHost) -> None:
    """White has an open three to make if Black's fifth stone is far away."""
    [message] = said(yixin, *listed("yxsoosorvstep6", [*FOUR, (7, 5), (0, 14)]))
    assert moved(message, "SOOSORV MOVE5C") == (0, 14)


@pytest.mark.parametrize(
    ("lines", "fault"),
    [
        (["yxswap2step2"], "expected 3 stones, got 0"),
        (["yxswap2step3"], "expected 5 stones, got 0"),
        (listed("yxsoosorvstep2", FOUR), "expected 3 stones"),
        (listed("yxsoosorvstep3", OPENING[:2]), "expected 3 stones, got 2"),
        (listed("yxsoosorvstep4", FOUR), "expected the number of fifth moves, 1 to 8, got ''"),
        (listed("yxsoosorvstep5 9", FOUR), "got '9'"),
        (listed("yxsoosorvstep5 -1", FOUR), "got '-1'"),
        (listed("yxsoosorvstep6", FOUR), "expected four stones and the fifth moves"),
        (listed("yxsoosorvstep6", [*FOUR, (7, 7)]), "7,7 is taken"),
        (listed("yxsoosorvstep6", [*FOUR, (15, 0)]), "15,0 is not on the 15x15 board"),
        (["yxsoosorvstep2", "7,7", "7,7", "8,8", "done"], "line 2: 7,7 is taken"),
    ],
)
def test_a_step_that_does_not_fit_changes_nothing(yixin: ProcessHost, lines: list[str], fault: str) -> None:
    yixin.send("play 3,3")
    yixin.play("< 3,3")
    yixin.send("yxboard", "done", *lines)
    answer = yixin.line()
    assert answer is not None and answer.startswith("ERROR YX") and fault in answer, yixin.told()
    assert answer.endswith("nothing has changed")
    yixin.send("play 3,3")
    yixin.play("< 3,3")


def test_a_step_before_the_first_game(capped: CappedMaker) -> None:
    host = capped(GomocupProtocol)
    for line in ("yxswap2step1", "yxsoosorvstep1"):
        host.send(line)
        host.play("< ERROR * there is no board yet, expected START first*")


@pytest.mark.parametrize("seed", range(3))
def test_two_engines_agree_on_an_opening(seed: int) -> None:
    """Both sides by searches of 300 nodes: the fifth moves offered and kept are legal, and the game goes on."""
    chance = random.Random(seed)
    position = Position(15, 15, RENJU)
    with Engine() as engine:

        def ask(questions: Questions[A]) -> A:
            result = None
            while True:
                try:
                    question = next(questions) if result is None else questions.send(result)
                except StopIteration as end:
                    return end.value  # type: ignore[no-any-return]
                result = engine.search(question.position, Limits(nodes=300, multipv=question.lines))

        def push(move: int) -> None:
            position.push(move)

        for move in ask(soosorv.opening_stones(position, lambda: 1000, chance)):
            push(move)
        fourth, number = ask(soosorv.fourth_move(position, lambda: 1000))
        push(fourth)
        offered = ask(soosorv.fifth_moves(position, number, lambda: 1000))
        assert len(offered) == number and all(map(position.is_legal, offered))
        push(ask(soosorv.chosen_fifth(position, offered, lambda: 1000)))
        assert position.winner is None and len(position.moves) == 5


# The other words


def test_there_is_no_database(yixin: ProcessHost) -> None:
    none = "there is no database"
    query = listed("yxquerydatabaseall", OPENING)
    assert said(yixin, *query) == [none, "DATABASE REFRESH", "DATABASE DONE"]
    assert said(yixin, *query) == ["DATABASE REFRESH", "DATABASE DONE"]  # it is asked after each move
    for word in (
        "yxquerydatabaseone",
        "yxdeletedatabaseall wl",
        "yxedittvddatabase 1 88 0 0",
        "yxeditlabeldatabase a b",
    ):
        assert said(yixin, *listed(word, OPENING)) == [none], word
    for word in ("yxsetbestmovedatabase", "yxclearbestmovedatabase"):
        assert said(yixin, *listed(word, OPENING)) == [none], word
    for lines in (
        ["yxdbcheck"],
        ["yxdbfix"],
        ["yxsetdatabase", "C:\\games\\a.db"],
        ["yxdbtotxt", "7,7"],
        ["yxdbtopos"],
    ):
        assert said(yixin, *lines) == [none], lines
    assert said(yixin, "yxhashdump", "a file") == ["the hash table is not kept in files"]
    yixin.send("yxsetdatabase", "play 3,3")  # no name: the command counts
    yixin.play("< MESSAGE *\n< 3,3")


def test_draw_resignation_and_hash_usage(yixin: ProcessHost) -> None:
    assert said(yixin, "yxshowhashusage") == ["hash usage 0.0 % of 64 MiB"]
    assert said(yixin, "yxdraw") == ["draw declined"]  # nothing has been searched
    yixin.send("INFO rule 0", *board("board", [(7, 7), (0, 0), (7, 8), (0, 14), (7, 9), (14, 0)]))
    yixin.play("< OK\n< #,#")
    assert said(yixin, "yxdraw") == ["draw declined"]  # the engine wins
    yixin.send(*board("board", [(7, 7), (0, 0), (7, 8), (0, 14), (7, 9)]))
    yixin.play("< OK\n< #,#")
    assert said(yixin, "yxdraw") == ["draw accepted"]
    assert re.fullmatch(r"hash usage \d+\.\d % of 64 MiB", said(yixin, "yxshowhashusage")[0])
    assert said(yixin, "yxresign") == ["the game is over: you have resigned"]


def test_a_move_is_not_sent_after_a_resignation(yixin: ProcessHost) -> None:
    yixin.send("INFO max_node 0", "INFO timeout_turn 600000", "turn 7,7", "yxresign", "ABOUT")
    yixin.play('< MESSAGE the game is over: you have resigned\n< name="sanqi"*')
