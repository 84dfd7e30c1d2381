"""A stop ends every search whose command came before it, also one that has not started yet."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from ucci_engine.points import START_FEN, move_text
from ucci_engine.position import Position

if TYPE_CHECKING:
    from tests.protocol.conftest import Host, HostMaker, ProgramHost

JUNQI_POSITION = "position variant duel turn 0 seats 0 pieces 0:b1=F 0:c6=9 1:d12=?{F} 1:c7=?{1-3B}*"
POSITION = "position startpos moves h2e2"
GOMOCUP = ("gomocup", "START 15", "INFO timeout_turn 600000")


def replies(host: Host, count: int, *beginnings: str) -> list[str]:
    """The next `count` lines with one of these beginnings."""
    found: list[str] = []
    while len(found) < count:
        line = host.line()
        assert line is not None, host.told()
        if line.startswith(beginnings):
            found.append(line)
    return found


def legal(*moves: str) -> set[str]:
    position = Position(START_FEN)
    for text in moves:
        position.push(next(move for move in position.legal_moves() if move_text(move) == text))
    return {move_text(move) for move in position.legal_moves()}


def gomocup(start: HostMaker) -> ProgramHost:
    program, *lines = GOMOCUP
    host = start(program)
    host.send(*lines)
    host.until("OK")
    return host


def test_uci(uci: ProgramHost) -> None:
    uci.send(
        "position startpos",
        "go depth 60",
        POSITION,
        "go depth 60",
        "position startpos",
        "stop",
        "stop",
        "stop",
        "isready",
    )
    answers = replies(uci, 3, "bestmove ", "readyok")
    assert "readyok" in answers
    first, second = (line.split()[1] for line in answers if line != "readyok")
    assert first in legal() and second in legal("h2e2")
    assert uci.said("ponderhit") == []


@pytest.mark.parametrize("search", ["go infinite", "go ponder depth 60", "go ponder wtime 600000 btime 600000", "go"])
def test_uci_many_searches_in_one_write(uci: ProgramHost, search: str) -> None:
    uci.send(*["position startpos", search] * 5, "position startpos", "stop", "isready")
    answers = replies(uci, 6, "bestmove ", "readyok")
    assert answers.count("readyok") == 1
    assert {line.split()[1] for line in answers if line != "readyok"} <= legal()
    assert uci.said("stop") == []


def test_uci_a_search_after_the_stop_goes_on(uci: ProgramHost) -> None:
    uci.send("go depth 60", POSITION, "go depth 60", "position startpos", "stop", "go depth 3 searchmoves i0i1")
    answers = replies(uci, 3, "bestmove ")
    assert answers[2].startswith("bestmove i0i1")
    assert any(line.startswith("< info depth 3 ") and " pv i0i1" in line for line in uci.transcript)


def test_uci_ponderhit_for_a_search_that_does_not_ponder(uci: ProgramHost) -> None:
    uci.send("go infinite", "ponderhit", "position startpos", "isready")
    answers = replies(uci, 2, "bestmove ", "readyok")
    assert "readyok" in answers


@pytest.mark.parametrize("search", ["go ponder", "go ponder infinite"])
def test_uci_ponderhit_gives_no_limit_to_a_search_without_one(uci: ProgramHost, search: str) -> None:
    uci.send("position startpos", search)
    uci.until("info depth 1 *")
    uci.send("ponderhit", "position startpos", "isready")
    answers = replies(uci, 2, "bestmove ", "readyok")
    assert "readyok" in answers


def test_uci_an_infinite_search_withholds_its_answer_after_ponderhit(uci: ProgramHost) -> None:
    uci.play("""
        > position startpos
        > go ponder infinite depth 1
        ~ info depth 1 *
        > ponderhit
        > isready
        < readyok
        > isready
        < readyok
        > stop
        < bestmove *
    """)


def test_uci_isready_is_answered_before_waiting_commands(uci: ProgramHost) -> None:
    uci.send("position startpos", "go depth 60", POSITION, "setoption name Hash value 2", "isready")
    assert replies(uci, 1, "bestmove ", "readyok") == ["readyok"]
    uci.send("stop")
    replies(uci, 1, "bestmove ")
    uci.send("go depth 1 searchmoves a9a8")
    assert replies(uci, 1, "bestmove ")[0].startswith("bestmove a9a8")


def test_uci_jobs_end_as_well(uci: ProgramHost) -> None:
    uci.send("go depth 60", "perft 12", "bench 99", "position startpos", "stop", "isready")
    answers = replies(uci, 4, "bestmove ", "readyok", "info string perft stopped", "info string bench stopped")
    assert [line.split()[-1] for line in answers if "bench" in line] == ["stopped"]


def test_ucci(ucci: ProgramHost) -> None:
    ucci.send(
        "position startpos",
        "go depth 60",
        POSITION,
        "go depth 60",
        "position startpos",
        "stop",
        "stop",
        "stop",
        "isready",
    )
    answers = replies(ucci, 2, "bestmove ", "readyok")
    assert "readyok" in answers
    ucci.send("isready")
    ucci.until("readyok")
    assert sum(line.startswith("< bestmove ") for line in ucci.transcript) == 1


def test_ucci_commands_work_in_order_after_a_stop(ucci: ProgramHost) -> None:
    ucci.send(
        "go infinite", "stop", POSITION, "go depth 60", "position startpos", "stop", "go infinite", "stop", "isready"
    )
    answers = replies(ucci, 4, "bestmove ", "readyok")
    assert answers.count("readyok") == 1
    moves = [line.split()[1] for line in answers if line != "readyok"]
    assert moves[1] in legal("h2e2") and {moves[0], moves[2]} <= legal()
    assert ucci.said("stop") == ["nobestmove"]


def test_ucci_two_stops_have_one_answer(ucci: ProgramHost) -> None:
    """A second answer would be taken for that of the next search."""
    ucci.send("go infinite", "stop", "stop", "go depth 3", "isready")
    answers = replies(ucci, 3, "bestmove ", "nobestmove", "readyok")
    assert answers.count("readyok") == 1 and "nobestmove" not in answers


def test_ucci_ponderhit_for_a_search_that_does_not_ponder(ucci: ProgramHost) -> None:
    ucci.send("setoption batch true", "go infinite", "ponderhit", "position startpos", "isready", "stop", "isready")
    answers = replies(ucci, 2, "bestmove ", "readyok")
    assert "readyok" in answers


def test_gomocup(start: HostMaker) -> None:
    host = gomocup(start)
    host.send("BEGIN", "TURN 0,0", "TURN 0,14", "YXSTOP", "YXSTOP", "YXSTOP", "TAKEBACK 0,14")
    host.play("< #,#\n< #,#\n< #,#\n< OK")


def test_gomocup_commands_of_several_lines(start: HostMaker) -> None:
    host = gomocup(start)
    host.send(
        "BEGIN",
        "BOARD",
        "7,7,2",
        "DONE",
        "SWAP2BOARD",
        "DONE",
        "SWAP2BOARD",
        "DONE",
        "BOARD",
        "8,8,2",
        "DONE",
        "YXSTOP",
        "BOARD",
        "9,9,2",
        "DONE",
        "YXSHOWFORBID",
    )
    host.play("< #,#\n< #,#\n< #,# #,# #,#\n< #,# #,# #,#\n< #,#")
    host.send("YXSTOP")  # the first one does not stop the commands after it
    host.play("< #,#\n< FORBID .")


@pytest.mark.parametrize("word", ["START 15", "RECTSTART 15,15", "RESTART"])
def test_gomocup_a_new_game_drops_waiting_moves_without_an_answer(start: HostMaker, word: str) -> None:
    host = gomocup(start)
    host.send("BEGIN", "TURN 0,0", "TURN 0,14", "BOARD", "7,7,2", "DONE", word, "ABOUT")
    host.play("< OK\n< name=*")
    host.send("INFO timeout_turn 50", "BEGIN")
    host.play("< #,#")


def test_gomocup_end_after_waiting_moves(start: HostMaker) -> None:
    host = gomocup(start)
    host.send("BEGIN", "TURN 0,0", "TURN 0,14", "END")
    host.over()


def test_jlp(start: HostMaker) -> None:
    host = start("junqi", "--level", "path")
    host.send("junqi 1")
    host.until("junqiok 1")
    host.send(
        JUNQI_POSITION,
        "go 0 1 depth 60",
        JUNQI_POSITION,
        "go 0 2 depth 60",
        JUNQI_POSITION,
        "stop",
        "stop",
        "stop",
        "isready",
    )
    host.play("< bestmove * ply 1\n< bestmove * ply 2\n< readyok")
    host.send("go 0 3 infinite", "ponderhit", JUNQI_POSITION, "isready", "stop", "stop", JUNQI_POSITION, "isready")
    host.play("""
        < error 'ponderhit' is no command; nothing changed
        < error position while thinking; nothing changed
        < readyok
        < bestmove * ply 3
        < readyok
    """)


def test_contest(start: HostMaker) -> None:
    host = start("contest", "--level", "path")
    host.send("INFO 1.0", "START 0 1800 31", "GO 0000", "stop", "stop", "GO 0000", "stop", "isready")
    host.play("""
        < NAME *
        < ARRAY *
        < BESTMOVE *
        < ERROR 'stop' is no command*
        < ERROR 'stop' is no command*
        ~ BESTMOVE *
        < ERROR 'stop' is no command*
        < ERROR 'isready' is no command*
    """)
