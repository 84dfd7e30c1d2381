"""The levels in every protocol and in the terminal: the same scale, and wrong values refused."""

from __future__ import annotations

import io
import sysconfig
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from gomoku_protocol.gomocup import GomocupProtocol
from gomoku_protocol.levels import LEVELS as GOMOKU_LEVELS
from search_core.line_protocol import LineChannel
from tests.helpers import in_process
from ucci_engine.levels import LEVELS as XIANGQI_LEVELS
from ucci_engine.ucci import UcciProtocol
from ucci_engine.uci import UciProtocol

if TYPE_CHECKING:
    from tests.protocol.conftest import CappedMaker, HostMaker, ProcessHost

SANQI = Path(sysconfig.get_path("scripts")) / "sanqi"


def level_asked(host: ProcessHost, *options: str) -> int | None:
    """The number of the level of a search after these options; None: full strength."""
    host.send(*options, "position startpos", "go nodes 50")
    host.until("bestmove *")
    level = host.engine.asked[-1].level
    return None if level is None else level.number


@pytest.fixture
def uci(capped: CappedMaker) -> ProcessHost:
    host = capped(UciProtocol)
    host.send("uci")
    host.until("uciok")
    return host


# UCI


def test_uci_names_a_level_in_three_ways(uci: ProcessHost) -> None:
    assert level_asked(uci) is None
    assert level_asked(uci, "setoption name Level value 7") == 7
    assert level_asked(uci, "setoption name Skill Level value 0") == 7  # `Level` has the last word
    assert level_asked(uci, "setoption name Level value full") == 1
    assert level_asked(uci, "setoption name Skill Level value 19") == 20
    elo = XIANGQI_LEVELS[4].elo
    assert level_asked(uci, f"setoption name UCI_Elo value {elo}") == 20
    assert level_asked(uci, "setoption name UCI_LimitStrength value true") == 5
    assert level_asked(uci, "setoption name UCI_LimitStrength value false") == 20
    assert level_asked(uci, "setoption name Skill Level value 20") is None


def test_uci_refuses_a_wrong_level(uci: ProcessHost) -> None:
    uci.play("""
        > setoption name Level value 21
        < info string Level: expected one of full, *, got '21'; nothing changed
        > setoption name Skill Level value low
        < info string Skill Level: expected a number from 0 to 20, got 'low'; nothing changed
        > setoption name Skill Level value 21
        < info string Skill Level: '21' is above 20, using 20
        > setoption name UCI_LimitStrength value perhaps
        < info string UCI_LimitStrength: expected true or false, got 'perhaps'; nothing changed
    """)
    assert level_asked(uci) is None


def test_a_level_switches_randomness_off_and_shows_one_line(uci: ProcessHost) -> None:
    uci.send("setoption name Randomness value huge", "setoption name MultiPV value 1")
    assert level_asked(uci) is None
    assert uci.engine.asked[-1].multipv > 1
    assert level_asked(uci, "setoption name Level value 12") == 12
    assert uci.engine.asked[-1].multipv == 1


def test_every_game_has_a_seed_of_its_own_unless_one_is_set(uci: ProcessHost) -> None:
    seeds = []
    for option in ("ucinewgame", "ucinewgame", "ucinewgame", "setoption name Seed value 9"):
        level_asked(uci, option, "setoption name Level value 3")
        seeds.append(uci.engine.asked[-1].seed)
    assert len(set(seeds)) == 4
    assert seeds[-1] == 9
    level_asked(uci, "ucinewgame")
    assert uci.engine.asked[-1].seed == 9


@pytest.mark.parametrize("skill", [0, 5, 12])
def test_the_program_plays_a_level_over_uci(start: HostMaker, skill: int) -> None:
    start("uci").play(f"""
        > uci
        ~ uciok
        > setoption name Skill Level value {skill}
        > setoption name Seed value 4
        > ucinewgame
        > position startpos moves h2e2
        > go movetime 5000
        ~ info depth * score cp * pv *
        < bestmove *
        > go infinite
        > stop
        ~ bestmove *
        > go mate 3
        ~ bestmove *
        > go ponder wtime 1000 btime 1000
        > ponderhit
        ~ bestmove *
        > quit
    """)


# UCCI


def test_ucci_takes_a_level(capped: CappedMaker) -> None:
    host = capped(UcciProtocol)
    host.send("ucci")
    host.until("ucciok")
    assert level_asked(host) is None
    assert level_asked(host, "setoption level 9") == 9
    host.play("""
        > setoption level best
        < info message level: expected one of full, *, got 'best'; nothing changed
    """)
    assert level_asked(host) == 9
    assert level_asked(host, "setoption level FULL") is None


def test_the_program_plays_a_level_over_ucci(start: HostMaker) -> None:
    start("ucci").play("""
        > ucci
        ~ ucciok
        > setoption level 2
        > position startpos
        > go time 100000
        ~ info depth 1 * score * pv *
        < bestmove *
        > go infinite
        ~ info depth 1 *
        > isready
        < readyok
        > stop
        < bestmove *
        > quit
        | bye
    """)


# Gomocup


def gomocup_level(host: ProcessHost, *info: str) -> int | None:
    host.send(*info, "RESTART", "BEGIN")
    assert host.line() == "OK"
    line = host.line()
    assert line is not None
    assert "," in line, host.told()
    level = host.engine.asked[-1].level
    return None if level is None else level.number


def test_gomocup_takes_a_level_and_a_strength(capped: CappedMaker) -> None:
    host = capped(GomocupProtocol)
    host.send("START 15")
    assert host.line() == "OK"
    assert gomocup_level(host) is None
    assert gomocup_level(host, "INFO level 7") == 7
    assert gomocup_level(host, "INFO STRENGTH 0") == 1
    assert gomocup_level(host, "INFO strength 50") == 11
    assert gomocup_level(host, "INFO strength 99") == 20
    assert gomocup_level(host, "INFO STRENGTH 100") is None
    assert gomocup_level(host, "INFO level 20") == 20
    assert gomocup_level(host, "INFO seed 5") == 20
    assert host.engine.asked[-1].seed == 5
    assert host.engine.asked[-1].level is GOMOKU_LEVELS[19]
    assert gomocup_level(host, "INFO level full") is None


def test_gomocup_refuses_a_wrong_level(start: HostMaker) -> None:
    start("gomocup").play("""
        > START 15
        < OK
        > INFO level 3
        > INFO level 0
        > INFO STRENGTH much
        > BEGIN
        < MESSAGE level: expected one of full, weights, *, got '0'; nothing changed
        < MESSAGE strength: expected a number from 0 to 100, got 'much'; nothing changed
        < 7,7
        > TURN 8,8
        < *,*
        > INFO level 1
        > TURN 0,0
        < *,*
        > END
    """)


def test_an_analysis_of_several_lines_is_at_full_strength(capped: CappedMaker) -> None:
    host = capped(GomocupProtocol)
    for number, level in enumerate(("1", "weights"), 1):
        host.send("START 15", f"INFO level {level}", "YXNBEST 2")
        host.until("#*,#*")
        assert len(host.engine.asked) == number and host.engine.asked[-1].level is None


# The command line


def sanqi(*arguments: str, typed: str = "") -> tuple[int, str, str]:
    with tempfile.TemporaryDirectory() as folder:  # a game is saved there
        done = in_process.sanqi(*arguments, cwd=Path(folder), data=typed.encode())
    return done.returncode, done.stdout, done.stderr


@pytest.mark.parametrize(("game", "move"), [("xiangqi", "h2e2"), ("gomoku", "h8")])
@pytest.mark.parametrize("level", ["1", "6", "11", "full", "FULL"])
def test_a_person_plays_a_level(game: str, move: str, level: str) -> None:
    options = ("--movetime", "50") if level.lower() == "full" else ()
    status, printed, errors = sanqi(
        "play", game, "--level", level, *options, typed=f"{move}\nundo\nnew\n{move}\nquit\n"
    )
    assert (status, errors) == (0, "")
    assert printed.count(" plays ") == 2


@pytest.mark.parametrize(
    ("command", "expected"),
    [
        (("play", "xiangqi"), "expected 1 to 20, full, classic-4ply or classic-1ply, got '21'"),
        (("play", "gomoku"), "expected 1 to 20, full, weights or search, got '21'"),
        (("gomocup",), "expected 1 to 20, full or weights, got '21'"),
    ],
)
def test_the_command_line_names_a_wrong_level(command: tuple[str, ...], expected: str) -> None:
    status, _, errors = sanqi(*command, "--level", "21")
    assert status == 2
    assert expected in errors


@pytest.mark.parametrize(
    ("game", "moves"), [("xiangqi", "h2e2\nh0g2\n"), pytest.param("gomoku", "h8\ni9\n", marks=pytest.mark.long)]
)
def test_a_seed_repeats_a_game_in_the_terminal(game: str, moves: str) -> None:
    def answers(*options: str) -> str:
        status, printed, errors = sanqi("play", game, "--level", "2", *options, typed=f"{moves}quit\n")
        assert (status, errors) == (0, "")
        return printed

    assert answers("--seed", "7") == answers("--seed", "7")
    assert len({answers("--seed", str(seed)) for seed in range(1, 5)}) > 1
    assert len({answers() for _ in range(4)}) > 1


def test_a_hint_is_at_full_strength() -> None:
    printed = sanqi("play", "xiangqi", "--level", "1", "--movetime", "300", typed="hint\nquit\n")[1]
    assert "hint: " in printed


@pytest.mark.parametrize(
    ("kind", "first", "line"),
    [
        (UciProtocol, "uci", "setoption name UCI_Style value solid"),
        (UcciProtocol, "ucci", "setoption style solid"),
        (UcciProtocol, "ucci", "setoption quietlimit 100"),
    ],
)
def test_an_option_keeps_the_seed_of_the_game(kind: type[Any], first: str, line: str) -> None:
    made = kind(LineChannel(io.BytesIO(), io.BytesIO()))
    made.command(first)
    seed = made.settings.level_seed
    made.command(line)
    assert made.settings.level_seed == seed
    made.command({"uci": "ucinewgame", "ucci": "setoption newgame"}[first])
    assert made.settings.level_seed != seed
    made.close()
