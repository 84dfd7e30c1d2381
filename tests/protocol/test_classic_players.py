"""The classic players of Xiangqi, as a host reaches them by the option of the level."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from ucci_engine.levels import CLASSIC_PLAYERS
from ucci_engine.points import parse_move
from ucci_engine.position import Position

if TYPE_CHECKING:
    from tests.protocol.conftest import HostMaker

MATE_IN_ONE = "3k5/9/R8/1R7/9/9/9/9/9/4K4 w - - 0 1"
GREETINGS = {"uci": ("uci", "uciok"), "ucci": ("ucci", "ucciok")}


@pytest.mark.parametrize("name", CLASSIC_PLAYERS)
@pytest.mark.parametrize("protocol", GREETINGS)
def test_a_player_is_chosen_by_the_level_and_left_again(start: HostMaker, protocol: str, name: str) -> None:
    greeting, greeted = GREETINGS[protocol]
    host = start()
    host.send(greeting)
    listed = [
        line for line in host.until(greeted) if line.lower().startswith("option") and " level type" in line.lower()
    ]
    assert any(f"var {name}" in line for line in listed)
    option = "setoption name Level value {}" if protocol == "uci" else "setoption level {}"
    host.send(option.format(name))
    depth = name.removeprefix("classic-").removesuffix("ply")
    answers = []
    for seed in (3, 3, 4, 5, 6, 7, 8):
        host.send(f"setoption name Seed value {seed}" if protocol == "uci" else f"setoption seed {seed}")
        host.send("position startpos", "go nodes 1")
        info, best = host.until("bestmove *")[-2:]
        assert info.startswith(f"info depth {depth} ")
        assert " pv " + best.split()[1] in info
        answers.append(best)
    assert answers[0] == answers[1]
    assert len(set(answers)) > 1
    host.send(option.format("full"), "position startpos moves h2e2", "go depth 6")
    assert any(line.startswith("info depth 6 ") for line in host.until("bestmove *"))


@pytest.mark.parametrize("name", CLASSIC_PLAYERS)
def test_a_mate_is_played_and_not_announced(start: HostMaker, name: str) -> None:
    lines = start().play(f"""
        > uci
        ~ uciok
        > setoption name Level value {name}
        > position fen {MATE_IN_ONE}
        > go movetime 50
        ~ info *
        ~ bestmove *
        > quit
        """)
    assert " score cp " in lines[-2]
    position = Position(MATE_IN_ONE)
    position.push(parse_move(lines[-1].split()[1]))
    assert position.result() in ("mate", "stalemate")


def test_a_player_answers_when_it_is_asked(start: HostMaker) -> None:
    host = start()
    host.play("""
        > uci
        ~ uciok
        > setoption name Level value classic-4ply
        > position startpos
        > go infinite
        ~ info depth 4 *
        > isready
        ~ readyok
        > stop
        ~ bestmove *
        > go ponder wtime 1000 btime 1000
        ~ info depth 4 *
        > ponderhit
        ~ bestmove *
        > position startpos
        > go searchmoves a0a1
        ~ info *
        > stop
        ~ bestmove a0a1*
        """)


def test_the_banned_move_of_ucci_is_not_played(start: HostMaker) -> None:
    start().play("""
        > ucci
        ~ ucciok
        > setoption level classic-1ply
        > position fen 3ak4/9/9/9/9/4p4/4P4/9/9/3K5 w - - 0 1
        > go depth 1
        ~ bestmove e3e4
        > banmoves e3e4
        > go depth 1
        ~ bestmove d0*
        > quit
        | bye
        """)


def test_an_unknown_player_changes_nothing(start: HostMaker) -> None:
    host = start()
    host.send("uci", "setoption name Level value classic-4ply", "setoption name Level value classic-9ply")
    host.until("uciok")
    assert "classic-9ply" in host.until("info string *")[-1]
    host.send("position startpos", "go depth 1")
    assert host.until("bestmove *")[-2].startswith("info depth 4 ")
