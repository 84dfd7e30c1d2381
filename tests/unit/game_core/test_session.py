"""The contract of a Session, kept by both board games."""

from __future__ import annotations

import json
import random
from collections.abc import Callable

import pytest

from game_core.session import DRAW, FIRST_WINS, SECOND_WINS, IllegalMove, Session, UnknownMove, Verdict
from gomoku_protocol.game_record import Stone
from gomoku_protocol.points import CARO, FREESTYLE, RENJU
from gomoku_protocol.records import parse_record
from gomoku_protocol.session import GomokuSession
from ucci_engine.pgn import read_games
from ucci_engine.points import move_text
from ucci_engine.session import XiangqiSession

ENDGAME = "3k5/4P4/9/9/9/9/9/9/5p3/R3K4 b - - 0 1"
SETUP = (Stone(0, 3, 3), Stone(1, 4, 4), Stone(0, 2, 2))
GAMES: dict[str, Callable[[], Session]] = {
    "xiangqi": XiangqiSession,
    "xiangqi-endgame": lambda: XiangqiSession(ENDGAME),
    "gomoku": GomokuSession,
    "gomoku-small": lambda: GomokuSession(6, 5, CARO),
    "gomoku-renju": lambda: GomokuSession(7, 7, RENJU),
    "gomoku-setup": lambda: GomokuSession(9, 9, FREESTYLE, SETUP, 1),
}
LONGEST = 60
each_game = pytest.mark.parametrize("begin", GAMES.values(), ids=GAMES)


def observed(session: Session) -> tuple[object, ...]:
    """All that can be seen of a session."""
    return session.view(), session.legal_moves(), session.verdict(), session.position().key, session.to_move


def played(begin: Callable[[], Session], seed: int, plies: int = LONGEST) -> tuple[Session, list[str]]:
    """A random game, and its moves."""
    session, lottery, moves = begin(), random.Random(seed), list[str]()
    while len(moves) < plies and session.verdict() is None:
        moves.append(lottery.choice(session.legal_moves()))
        session.play(moves[-1])
    return session, moves


@each_game
def test_play_and_undo_restore_everything(begin: Callable[[], Session]) -> None:
    for seed in range(3):
        session, moves = played(begin, seed)
        again, before = begin(), []
        for ply, move in enumerate(moves):
            assert (again.ply, again.verdict()) == (ply, None)
            assert again.to_move in range(len(again.sides))
            before.append(observed(again))
            again.play(move)
        assert observed(again) == observed(session)
        for expected in reversed(before):
            again.undo()
            assert observed(again) == expected
        with pytest.raises(ValueError, match="0 moves to take back"):
            again.undo()
        for move in moves:
            again.play(move)
        again.undo(len(moves))
        assert observed(again) == before[0]


@each_game
def test_legal_moves_are_what_play_accepts(begin: Callable[[], Session]) -> None:
    session, moves = played(begin, 1, 20)
    legal = session.legal_moves()
    assert len(set(legal)) == len(legal)
    everything = {text for ply in range(20) for text in played(begin, ply, 20)[1]} | set(moves) | set(legal)
    for move in sorted(everything):
        state = observed(session)
        if move in legal:
            session.play(move)
            assert session.ply == len(moves) + 1
            session.undo()
        else:
            with pytest.raises(IllegalMove, match=move):
                session.play(move)
        assert observed(session) == state


@each_game
@pytest.mark.parametrize("text", ["", "nonsense", "\x1b[31m", "9" * 5000, "z9z9", "99,99", "-1,3", "a0", "h8h8h8"])
def test_bad_moves_change_nothing(begin: Callable[[], Session], text: str) -> None:
    session, _ = played(begin, 1, 5)
    state = observed(session)
    for taken in (session.play, session.read_move):
        with pytest.raises(IllegalMove) as error:
            taken(text)
        assert len(str(error.value)) < 300
        assert str(error.value).isprintable()
    assert observed(session) == state
    if text == "nonsense":
        with pytest.raises(UnknownMove):
            session.read_move(text)


@each_game
def test_moves_are_read_in_all_their_notations(begin: Callable[[], Session]) -> None:
    session, moves = played(begin, 2)
    session.undo(len(moves))
    for move in moves:
        for legal in session.legal_moves():
            names = session.move_names(legal)
            assert legal in names.values()
            assert {session.read_move(name) for name in names.values()} == {legal}
        session.play(move)


@each_game
def test_nothing_is_played_after_the_end(begin: Callable[[], Session]) -> None:
    for seed in range(8):
        session, moves = played(begin, seed, 1000)
        assert session.verdict() is not None
        assert session.legal_moves() == []
        session.undo()
        other = next(move for move in session.legal_moves())
        session.play(moves[-1])
        for move in (moves[-1], other):
            with pytest.raises(IllegalMove):
                session.play(move)
            with pytest.raises(IllegalMove):
                session.read_move(move)


@each_game
def test_position_is_a_copy(begin: Callable[[], Session]) -> None:
    session, moves = played(begin, 3, 8)
    position, key = session.position(), session.position().key
    session.undo(2)
    assert position.key == key != session.position().key
    assert position.side == len(moves) % 2 ^ begin().to_move


@each_game
def test_view_is_json(begin: Callable[[], Session]) -> None:
    session, moves = played(begin, 4)
    for seat in (None, 0, 1):
        view = session.view(seat)
        assert json.loads(json.dumps(view)) == view
        assert (view["ply"], view["moves"], view["sides"]) == (len(moves), moves, list(session.sides))
        assert len(view["pieces"]) > 0
    before = session.position().key
    session.view()["moves"].clear()
    assert (session.position().key, session.view()["moves"]) == (before, moves)


@each_game
def test_unknown_formats_are_named(begin: Callable[[], Session]) -> None:
    with pytest.raises(ValueError, match="rec"):
        begin().save("rec")


@pytest.mark.parametrize("fen", [None, ENDGAME])
def test_saved_xiangqi_is_read_again(fen: str | None) -> None:
    session, moves = played(lambda: XiangqiSession() if fen is None else XiangqiSession(fen), 5)
    [game] = read_games(session.save("pgn", ("me", "")).decode())
    assert ([move_text(move) for move in game.moves], game.tags["Red"]) == (moves, "me")
    again = XiangqiSession(game.fen)
    for move in moves:
        again.play(move)
    assert observed(again) == observed(session)
    verdict = session.verdict()
    assert game.result == ("*" if verdict is None else verdict.result)
    assert session.save("txt").decode().splitlines()[-1].endswith(" ".join(["moves", *moves]))


@pytest.mark.parametrize("format", ["psq", "sgf", "hex"])
def test_saved_gomoku_is_read_again(format: str) -> None:
    session, moves = played(lambda: GomokuSession(12, 12), 6)
    record = parse_record(session.save(format, ("", "me")), format)
    assert [f"{stone.x},{stone.y}" for stone in record.moves] == moves


def test_gomoku_set_up_and_times_are_saved() -> None:
    session = GomokuSession(9, 9, FREESTYLE, SETUP, 1)
    session.play("0,0", 1500)
    session.play("8,8")
    record = parse_record(session.save("sgf", ("me", "")), "sgf")
    assert set(record.setup) == set(SETUP)
    assert [(stone.side, stone.x, stone.y) for stone in record.moves] == [(1, 0, 0), (0, 8, 8)]
    assert record.names == ("me", None)


@pytest.mark.parametrize(
    ("fen", "moves", "verdict"),
    [
        ("4k4/R8/9/9/9/9/9/9/9/1R1K5 w - - 0 1", "b0b9", Verdict(FIRST_WINS, "mate")),
        ("3rkr3/9/9/9/9/9/9/9/4p4/3K5 w - - 0 1", "", Verdict(SECOND_WINS, "mate")),
        ("3k5/9/9/9/9/9/9/9/9/R3K4 w - - 119 60", "a0a1", Verdict(DRAW, "no-capture")),
        (None, "h2h3 h7h6 h3h2 h6h7 h2h3 h7h6 h3h2 h6h7", Verdict(DRAW, "repetition")),
    ],
)
def test_xiangqi_verdicts(fen: str | None, moves: str, verdict: Verdict) -> None:
    session = XiangqiSession() if fen is None else XiangqiSession(fen)
    for move in moves.split():
        assert session.verdict() is None
        session.play(move)
    assert session.verdict() == verdict
    session.undo(len(moves.split()))
    assert (session.verdict() is None) == bool(moves)


def test_xiangqi_is_judged_by_the_rules_that_were_asked_for() -> None:
    checks = ["f1e1", "e9f9", "e1f1", "f9e9", "f1e1", "e9f9", "e1f1", "f9e9"]
    fen = "4k4/9/9/9/9/9/9/9/5R3/3K5 w - - 100 60"
    for rules, verdict in {
        ("Computer", 120): Verdict(SECOND_WINS, "perpetual-loss"),
        ("Draw", None): Verdict(DRAW, "repetition"),
        ("Draw", 104): Verdict(DRAW, "no-capture"),
    }.items():
        session = XiangqiSession(fen, repetition_rule=rules[0], quiet_limit=rules[1])
        while session.verdict() is None:
            session.play(checks[session.ply])
        assert session.verdict() == verdict
        assert (session.position().result(), session.ply) == (verdict.reason, 4 if rules[1] == 104 else 8)
    with pytest.raises(ValueError, match="no such rule set: Sky"):
        XiangqiSession(repetition_rule="Sky")


def test_black_without_a_point_in_renju_draws() -> None:
    filled = {(x, y): int((x + 2 * y) % 4 < 2) for y in range(5) for x in range(7)}
    filled |= {(x, 2): 0 for x in range(7)}
    del filled[3, 2]  # seven in a row
    last = Stone(filled.pop((0, 0)), 0, 0)
    setup = tuple(Stone(side, x, y) for (x, y), side in filled.items())
    session = GomokuSession(7, 5, RENJU, setup, last.side)
    assert session.verdict() is None
    session.play("0,0")
    assert (session.to_move, session.verdict()) == (0, Verdict(DRAW, "no-point"))
    assert session.legal_moves() == []
