"""A game that begins with Swap2: who acts, what can be chosen, who has which colour, and the engine's part."""

from __future__ import annotations

import argparse
import random
from collections.abc import Generator
from pathlib import Path
from queue import SimpleQueue

import pytest

from game_core.chooser import Choice
from game_core.session import FIRST_WINS, SECOND_WINS, IllegalMove, Verdict
from game_core.table import Table
from gomoku_protocol.description import GOMOKU
from gomoku_protocol.display import GomokuDisplay
from gomoku_protocol.points import move_at, point_text
from gomoku_protocol.records import parse_record
from gomoku_protocol.swap2 import Swap2Session, opening_stones
from gomoku_protocol.swap2_store import draw_opening
from search_core.engine import Engine
from search_core.time_budget import Clock

THREE = ["7,7", "8,7", "9,9"]
FIVE = [*THREE, "two", "3,3", "4,4"]


def played(*moves: str) -> Swap2Session:
    session = Swap2Session()
    for move in moves:
        session.play(move)
    return session


@pytest.mark.parametrize(
    ("moves", "to_move", "sides", "choices"),
    [
        ([], 0, ("first player", "second player"), []),
        (THREE[:2], 0, ("first player", "second player"), []),
        (THREE, 1, ("first player", "second player"), ["black", "white", "two"]),
        ([*THREE, "white"], 1, ("black", "white"), []),
        ([*THREE, "black"], 0, ("white", "black"), []),
        ([*THREE, "two"], 1, ("first player", "second player"), []),
        (FIVE, 0, ("first player", "second player"), ["black", "white"]),
        ([*FIVE, "white"], 0, ("white", "black"), []),
        ([*FIVE, "black"], 1, ("black", "white"), []),
        ([*FIVE, "black", "5,5"], 0, ("black", "white"), []),
        ([*THREE, "5,5"], 0, ("black", "white"), []),  # without a word: White's stone takes White
        ([*FIVE, "5,5"], 1, ("white", "black"), []),
    ],
)
def test_who_acts(moves: list[str], to_move: int, sides: tuple[str, str], choices: list[str]) -> None:
    session = played(*moves)
    view = session.view()
    assert (session.to_move, session.sides, view["choices"]) == (to_move, sides, choices)
    assert view["moves"] == moves and len(view["movers"]) == session.ply == len(moves)
    if choices:
        assert session.legal_moves() == choices
        with pytest.raises(IllegalMove, match="choose first"):
            session.read_move("h1")
    else:
        assert len(session.legal_moves()) == 225 - len(view["pieces"])
        for choice in ("black", "white", "two"):
            with pytest.raises(IllegalMove, match="cannot be chosen now"):
                session.play(choice)


def test_each_ply_can_be_taken_back() -> None:
    """At random, against sessions that were played afresh."""
    chance = random.Random(1)
    for _ in range(60):
        moves: list[str] = []
        session = Swap2Session()
        for _ in range(25):
            if moves and chance.random() < 0.4:
                plies = chance.randint(1, len(moves))
                session.undo(plies)
                del moves[len(moves) - plies :]
            else:
                moves.append(chance.choice(session.legal_moves()))
                session.play(moves[-1])
            assert session.view() == played(*moves).view()
            if session.verdict():
                break


def test_the_winner_is_a_seat() -> None:
    """Black's five wins for the seat that has Black."""
    rest = ["1,1", "7,8", "1,3", "7,9", "1,5", "7,10", "3,1", "7,11"]
    assert played(*THREE, "white", *rest).verdict() == Verdict(FIRST_WINS, "five")
    swapped = played(*THREE, "black", *rest)
    assert swapped.verdict() == Verdict(SECOND_WINS, "five")
    record = parse_record(swapped.save("sgf", ["first", "second"]), "sgf")
    assert (record.outcome, record.names, record.opening) == ("black", ("second", "first"), "swap2 black")


@pytest.mark.parametrize(
    "moves", [THREE[:2], THREE, [*THREE, "two", "3,3"], [*FIVE, "white"], [*THREE, "black", "5,5", "6,6"]]
)
def test_a_record_keeps_the_choices(moves: list[str], tmp_path: Path) -> None:
    file = tmp_path / "game.sgf"
    file.write_bytes(played(*moves).save("sgf"))
    args = argparse.Namespace(saved=None, rule=None, opening=None, size=None, resume=str(file))
    args.saved = display().load(str(file))
    opened = display()
    opened.settle(args)
    again = opened.open_session(args)
    assert isinstance(again, Swap2Session)
    assert again.view() == played(*moves).view()


def display() -> GomokuDisplay:
    return GomokuDisplay(GOMOKU.name, GOMOKU.title, Swap2Session)


def engine_table(*moves: str, seat: int, seed: int = 1, movetime: int = 200) -> Table:
    """A table at which the engine has a seat, after these moves."""
    args = argparse.Namespace(saved=None, opening="swap2", movetime=movetime)
    engine = Engine()
    table = Table(
        played(*moves), [1 - seat], ["full", "full"], lambda level: display().chooser(args, engine, level), seed
    )
    table.start()
    return table


def answered(table: Table) -> list[str]:
    """What the engine does until it is the person's turn."""
    before = table.session.ply
    while table.is_thinking:
        assert table.wait(20)
    moves: list[str] = table.session.view()["moves"][before:]
    table.close()
    return moves


def test_the_engine_puts_a_stored_opening() -> None:
    table = engine_table(seat=0, seed=5)
    stored = draw_opening(0, 15, 15, random.Random(5))
    assert stored is not None
    assert answered(table) == [point_text(move) for move in stored]


def test_the_engine_goes_on_with_an_opening_that_it_has_begun() -> None:
    """After the program was ended in between, too."""
    stored = [point_text(move) for move in draw_opening(0, 15, 15, random.Random(5)) or ()]
    assert answered(engine_table(*stored[:2], seat=0, seed=5)) == stored[2:]


def test_the_engine_takes_the_better_colour() -> None:
    """Three in a row win for Black; stones at the edges do not."""
    assert answered(engine_table("7,7", "0,0", "8,8", seat=1)) == ["black"]
    white, stone = answered(engine_table("0,0", "7,7", "14,0", seat=1))
    assert white == "white" and "," in stone
    assert answered(engine_table("7,7", "0,0", "8,8", "two", "14,14", "9,9", seat=0)) == ["black"]


def test_the_engine_puts_two_more_stones(monkeypatch: pytest.MonkeyPatch) -> None:
    """Those that it has found before it said so."""

    def fair_pair(*_: object) -> Generator[None, None, list[int]]:
        yield from ()
        return [move_at(1, 2), move_at(3, 4)]

    monkeypatch.setattr("gomoku_protocol.swap2_player.answer", fair_pair)
    assert answered(engine_table(*THREE, seat=1)) == ["two", "1,2", "3,4"]


def test_a_stop_ends_its_search_at_once() -> None:
    table = engine_table(*THREE, seat=1, movetime=60_000)
    assert table.is_thinking
    table.undo(0)
    assert not table.is_thinking and table.session.ply == 2
    table.close()


def test_a_level_answers_soon_although_its_clock_has_time() -> None:
    args = argparse.Namespace(saved=None, opening="swap2", movetime=None)
    chooser, choices = display().chooser(args, Engine(), "5"), SimpleQueue[Choice]()
    session = played(*[point_text(move) for move in draw_opening(0, 15, 15, random.Random(2)) or ()])
    chooser.go(session, 1, choices.put, Clock(left_ms=3_600_000))
    assert choices.get(timeout=20).move in session.choices
    chooser.close()


def test_the_hint_names_a_choice() -> None:
    table = engine_table("7,7", "0,0", "8,8", seat=0)
    hints: SimpleQueue[Choice] = SimpleQueue()
    table.choosers[0].go(table.session, 1, hints.put)
    assert hints.get(timeout=20).move == "black"
    table.close()


@pytest.mark.parametrize(
    ("opening", "stones"),
    [("swap2", 3), ("swap2 black", 3), ("swap2 two white", 5), ("swap2 5,5", 0), ("swap2 two two", 0), ("", 0)],
)
def test_the_stones_of_the_opening_of_a_record(opening: str, stones: int) -> None:
    assert opening_stones(opening) == stones
