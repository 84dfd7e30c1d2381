"""Games of Gomoku at `sanqi board` that begin with Swap2 or an opening of renju."""

from __future__ import annotations

from typing import Any

import pytest

pytest.importorskip("websockets", reason="needs websockets")

from tests.helpers.board_client import BoardClient
from tests.protocol.conftest import BoardMaker

THREE = ["7,7", "8,7", "9,9"]
TWO_MORE = [*THREE, "two", "3,3", "4,4"]
FIRST, SECOND = "first player", "second player"


def sides(page: BoardClient) -> list[str]:
    return [seat["side"] for seat in page.state["seats"]]


def is_persons_turn(state: dict[str, Any]) -> bool:
    return state["verdict"] is not None or bool(state["legal"] or state["choices"])


def test_two_people_open_with_swap2(page: BoardClient) -> None:
    state = page.new("gomoku", "pp", opening="swap2")
    assert state["task"] == "Place stone 1 of 3: black." and sides(page) == [FIRST, SECOND]
    state = page.play(*THREE)
    assert state["toMove"] == 1 and state["task"] == "Choose your colour, or place two more stones."
    assert state["choices"] == {"black": "Take Black", "white": "Take White", "two": "Place two more"}
    assert state["legal"] == []
    page.act("move", text="a1")
    assert page.wait("refused")["reason"] == "choose first: black, white, two"
    assert page.play("Place two more", "3,3")["task"] == "Place stone 5 of 5: black."
    state = page.play("4,4")
    assert (
        state["toMove"] == 0 and state["task"] == "Choose your colour." and list(state["choices"]) == ["black", "white"]
    )
    state = page.play("white")
    assert sides(page) == ["white", "black"] and state["toMove"] == 0 and state["task"] == ""
    assert [move["seat"] for move in state["moves"]] == [0, 0, 0, 1, 1, 1, 0]
    assert [move["code"][0] for move in state["moves"]] == ["p", "p", "p", "s", "p", "p", "s"]
    page.act("undo")
    page.until_ply(6)
    page.play("black")
    assert sides(page) == ["black", "white"] and page.state["toMove"] == 1


@pytest.mark.long
def test_each_stage_lasts_after_kill_9(start_board: BoardMaker) -> None:
    board = start_board()
    board.page().new("gomoku", "pp", opening="swap2")
    for move in [*TWO_MORE, "white", "0,0"]:
        state = board.join().play(move)
        board.kill()
        board.start()
        again = board.join().state
        names = ("moves", "toMove", "task", "choices", "legal", "can")
        assert {name: again[name] for name in names} == {name: state[name] for name in names}
        assert [seat["side"] for seat in again["seats"]] == [seat["side"] for seat in state["seats"]]


@pytest.mark.parametrize("players", ["ep", "pe"])
def test_a_person_and_the_engine_open_with_swap2(page: BoardClient, players: str) -> None:
    """The person chooses as the hint says, and loses."""
    page.new("gomoku", players, level="5", opening="swap2")
    person = players.index("p")
    assert page.until(is_persons_turn)["toMove"] == person
    chosen = 0
    while page.until(is_persons_turn)["verdict"] is None:
        state = page.state
        if state["choices"]:
            page.act("hint")
            text = page.wait("hint")["text"]
            assert text in state["choices"]
            chosen += 1
        else:
            text = state["legal"][0]
        page.play(text)
    engine = page.state["seats"][1 - person]["side"]
    assert page.state["verdict"] == {"text": f"{engine.capitalize()} wins. You lose.", "won": False}
    choices = [move for move in page.state["moves"] if move["text"] in ("black", "white", "two")]
    assert choices and sum(move["seat"] == person for move in choices) == chosen


@pytest.mark.long
def test_engines_play_swap2_to_the_end_and_the_review_has_its_plies(page: BoardClient) -> None:
    page.new("gomoku", "ee", level="3", opening="swap2")
    state = page.until_over()
    page.act("review")
    while (review := page.wait("review", "refused", "error")).get("status") == "running":
        pass
    assert review["status"] == "done" and len(review["scores"]) == len(state["moves"])
    for each in review["plies"]:
        assert state["moves"][each["ply"] - 1]["text"] == each["played"]["text"]
    (first, second) = sides(page)
    assert {entry["seat"] for entry in review["sides"]} == {0, 1} and {first, second} == {"black", "white"}
    page.send("practise", table=None)
    assert all(each["game"] == "gomoku" for each in page.wait("practice")["exercises"])


def test_the_review_of_a_game_that_ends_with_the_choice_knows_the_colours(page: BoardClient) -> None:
    page.new("gomoku", "pp", opening="swap2")
    state = page.play("7,7", "0,0", "8,7", "black")
    page.act("resign")
    assert page.until_over()["moves"] == state["moves"]
    page.act("review")
    while (review := page.wait("review", "refused", "error")).get("status") == "running":
        pass
    assert sides(page) == ["white", "black"]
    assert [entry["seat"] for entry in review["sides"]] == [1, 0]  # Black's, White's


@pytest.mark.long
def test_a_mistake_of_a_game_with_swap2_is_practised(page: BoardClient) -> None:
    """Black does not stop a four: the exercise shows the position before it, after the choice."""
    page.new("gomoku", "pp", opening="swap2")
    moves = ["7,7", "0,0", "8,7", "black", "0,1", "9,7", "0,2", "14,14", "0,3", "14,0", "0,4"]
    assert page.play(*moves)["verdict"]["text"] == "White wins."
    page.act("review")
    while (review := page.wait("review", "refused", "error")).get("status") == "running":
        pass
    marked = {each["ply"]: each["played"]["text"] for each in review["plies"] if each["mark"]}
    assert min(marked) > 4  # stones that were put for both sides are no mistakes
    assert 10 in marked and all(moves[ply - 1] == text for ply, text in marked.items())
    page.send("practise", table=page.geometry["table"])
    exercises = page.wait("practice")["exercises"]
    assert exercises
    page.send("exercise", table=exercises[-1]["table"], ply=exercises[-1]["ply"])
    exercise = page.wait("exercise", "error")
    assert [move["text"] for move in exercise["state"]["moves"]] == moves[: exercises[-1]["ply"] - 1]


@pytest.mark.parametrize("options", [{"opening": "swap2"}, {"opening": "D4 花月 Kagetsu", "rule": "renju"}])
def test_a_record_is_loaded_again(page: BoardClient, options: dict[str, str]) -> None:
    page.new("gomoku", "pp", **options)
    state = page.play(*([*TWO_MORE, "white", "1,1", "2,2"] if options["opening"] == "swap2" else ["1,1", "2,2"]))
    page.send("save", format="sgf")
    page.send("load", name="game.sgf", data=page.wait("file")["data"])
    assert page.wait("geometry", "error")["type"] == "geometry"
    again = page.wait("state")
    assert [move["text"] for move in again["moves"]] == [move["text"] for move in state["moves"]]
    assert [move["code"] for move in again["moves"]] == [move["code"] for move in state["moves"]]
    assert (again["start"], again["toMove"]) == (state["start"], state["toMove"])
    assert [seat["side"] for seat in again["seats"]] == [seat["side"] for seat in state["seats"]]


@pytest.mark.long
def test_an_analysis_counts_for_black(page: BoardClient) -> None:
    """Its scores are Black's also where the seats have changed their colours."""
    page.new("gomoku", "pp", opening="swap2")
    page.play("7,7", "0,0", "8,7", "black", "0,14", "9,7")
    for at in (3, 4, 6):
        page.send("analyse", at=at, lines=1)
        while (found := page.wait("lines", "error"))["at"] != at or not found["lines"]:
            pass
        assert found["winrate"] > 0.9
