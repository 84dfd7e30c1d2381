"""The checks of `sanqi doctor` for the GUIs and referees of Xiangqi. They speak UCI and UCCI."""

from __future__ import annotations

import re

from engine_client.check import (
    LEAVE_S,
    MARGIN_S,
    Check,
    CheckedProtocol,
    CheckFailed,
    EngineUnderTest,
    NotSpoken,
    await_end,
    check_ascii,
    take_leave,
)
from engine_client.dialects import position_command
from engine_client.dialogue import quoted
from engine_client.process import EngineDied, EngineSilent
from ucci_engine.host_session import (
    CLOCK_S,
    UCCI,
    UCI,
    Answer,
    XiangqiSession,
    check_move,
    is_best,
    is_legal,
    xiangqi_session,
)
from ucci_engine.points import RANKS_FROM_0, RANKS_FROM_1, parse_move
from ucci_engine.position import Position
from ucci_engine.quiet_moves import QuietMoves

_PROBE_S = 1.0
"""TCHESS waits this long after `uci`, and again after `ucci`."""
_STOP_S = 0.2
"""The league's referee waits this long after `stop`."""
_STARTS = 2
_TRIES = 3
"""For tests of a fraction of a second; the machine may be busy once."""
_SECOND_ANSWER_S = 0.5
"""How long to wait for a second answer to one go."""
_LONG_S = 600
"""A clock so long that no engine moves before `stop`."""
_NO_MOVE_FEN = "3rkr3/9/9/9/9/9/9/9/4p4/3K5 w - - 0 1"
"""Red is mated."""
_ASCII_FIX = "print ASCII only: hosts use other character sets"
_TROUBLESOME_WORDS = ("name", "type", "default")


# TCHESS


def _answers_at_once(under_test: EngineUnderTest, protocol: CheckedProtocol) -> None:
    """TCHESS looks for the protocol: `uci`, one second, `ucci`, one second."""
    for _ in range(_STARTS):
        with under_test.start() as dialogue:
            for hello in ("uci", "ucci"):
                dialogue.send(hello)
                try:
                    dialogue.until(re.compile(rf"{hello}ok\s*$").match, _PROBE_S)
                    return
                except EngineSilent as silent:
                    heard = str(silent)
    raise EngineSilent(
        f"neither uciok nor ucciok within {_PROBE_S:g} s of uci and ucci, in {_STARTS} starts; heard {heard}"
    )


def _options_can_be_read(under_test: EngineUnderTest, protocol: CheckedProtocol) -> None:
    with xiangqi_session(under_test, protocol, ready=False) as session:
        for line in session.greeting:
            words = line.split()
            if words[:1] != ["option"]:
                continue
            if words[-1] == "default":
                raise CheckFailed(f"{quoted(line)} ends in the bare word 'default'")
            if "type" not in words:
                raise CheckFailed(f"{quoted(line)} has no type")
            head = words[2 if words[1] == "name" else 1 : len(words) - words[::-1].index("type") - 1]
            for word in _TROUBLESOME_WORDS:
                if word in map(str.lower, head):
                    raise CheckFailed(f"{quoted(line)} has the word {word!r} in the option's name", "rename the option")
        check_ascii(session.dialogue, _ASCII_FIX)


def _moves_and_lines_can_be_shown(under_test: EngineUnderTest, protocol: CheckedProtocol) -> None:
    with xiangqi_session(under_test, protocol) as session:
        position, moves, infos = Position(), list[str](), list[str]()
        for _ in range(3):
            # TCHESS sends `stop` before each search, even if none is running.
            session.dialogue.send("stop")
            for line in session.ready():
                if line.startswith("bestmove"):
                    raise CheckFailed(
                        f"'stop' without a search was answered by {quoted(line)}",
                        "do not answer it in UCI; answer nobestmove in UCCI",
                    )
            answer = session.search(position_command("startpos", moves))
            if not moves:
                _must_be_one_answer(session, answer)
            moves.append(check_move(answer, position))
            position.push(parse_move(moves[-1]))
            infos += answer.infos
        check_ascii(session.dialogue, _ASCII_FIX)
        _judge_lines(under_test, infos)


def _must_be_one_answer(session: XiangqiSession, answer: Answer) -> None:
    """Raises CheckFailed if a second answer comes."""
    try:
        second, _ = session.dialogue.until(re.compile(r"\s*bestmove\b").match, _SECOND_ANSWER_S)
    except EngineSilent:
        return
    raise CheckFailed(
        f"{quoted(second.text)} came after {quoted(answer.line)}: two answers to one go", "answer a go once"
    )


def _judge_lines(under_test: EngineUnderTest, infos: list[str]) -> None:
    """Raises CheckFailed for a line with a variation that TCHESS would not show."""
    shown = 0
    for line in infos:
        words = line.split()
        if "pv" not in words or "string" in words or "message" in words:
            continue
        shown += 1
        if "nps" not in words:
            raise CheckFailed(
                f"{quoted(line)} has no nps: such a line is not shown", "print nps in every line with a pv"
            )
        for word in words[words.index("pv") + 1 :]:
            if not re.fullmatch(r"[a-i]\d+[a-i]\d+", word):
                raise CheckFailed(
                    f"{quoted(line)}: {word!r} stands after pv", "print pv and its moves last in the line"
                )
    if not shown:
        under_test.remark("no info line has a pv: the host shows nothing of the search")


def _can_be_stopped(under_test: EngineUnderTest, protocol: CheckedProtocol) -> None:
    with xiangqi_session(under_test, protocol) as session:
        answer = session.stop("position startpos", "go infinite")
        if answer is None:
            under_test.remark("'go infinite' was answered before 'stop'")
        else:
            _must_be_one_answer(session, answer)


def _exits_on_request(under_test: EngineUnderTest, protocol: CheckedProtocol) -> None:
    """`quit` and the end of the input, both during a search; no process may be left."""
    for word in ("quit", ""):
        with xiangqi_session(under_test, protocol) as session:
            session.dialogue.send("position startpos", "go infinite")
            session.ready(MARGIN_S)
            take_leave(session.dialogue, word, LEAVE_S)


# XQWizard


def _ignores_unknown_options(under_test: EngineUnderTest, protocol: CheckedProtocol) -> None:
    settings = ("usemillisec true", "newgame", "noSuchOption 17", "bookfiles /no/such/book")
    with xiangqi_session(under_test, protocol, *map("setoption {}".format, settings)) as session:
        if any(map(is_best, session.greeted)):
            raise CheckFailed(f"setoption was answered by {quoted(session.greeted[-1])}")
        check_move(session.ask("position startpos", "go depth 1"), Position())


def _counts_milliseconds(under_test: EngineUnderTest, protocol: CheckedProtocol) -> None:
    with xiangqi_session(under_test, protocol, "setoption usemillisec true") as session:
        try:
            check_move(session.ask_in(0.5, "position startpos", "go time 500 movestogo 1"), Position())
        except EngineSilent as silent:
            raise CheckFailed(f"after 'setoption usemillisec true' {silent}") from None


# The referee of the UCCI league


def _plays_a_league_game(under_test: EngineUnderTest, protocol: CheckedProtocol) -> None:
    settings = ("promotion false", "ponder false", "newgame")
    with xiangqi_session(under_test, protocol, *map("setoption {}".format, settings)) as session:
        if session.second == 1:
            under_test.remark("offers no option usemillisec, so it gets its times in seconds")
        position, moves, quiet_moves = Position(), list[str](), QuietMoves()
        for draw in ("", "", "draw ", "", "", ""):
            left = CLOCK_S * session.second
            clocks = f"time {left} increment 0 opptime {left} oppincrement 0"
            # The referee sends the position after the last capture, and the quiet moves since then.
            fen, quiet = quiet_moves.split(moves)
            line = position_command(f"fen {fen.rsplit(' ', 4)[0]} - - 0 1", quiet)
            moves.append(check_move(session.ask_in(CLOCK_S, line, f"go {draw}{clocks}"), position))
            position.push(parse_move(moves[-1]))
        check_ascii(session.dialogue, _ASCII_FIX)


def _avoids_banned_moves(under_test: EngineUnderTest, protocol: CheckedProtocol) -> None:
    with xiangqi_session(under_test, protocol) as session:
        wished = check_move(session.search("position startpos"), Position())
        answer = session.search("position startpos", f"banmoves {wished}")
        if check_move(answer, Position()) == wished:
            raise CheckFailed(f"{quoted(answer.line)} right after 'banmoves {wished}'")


def _prints_nobestmove_when_mated(under_test: EngineUnderTest, protocol: CheckedProtocol) -> None:
    with xiangqi_session(under_test, protocol) as session:
        answer = session.ask(f"position fen {_NO_MOVE_FEN}", "go depth 3")
        if answer.line != "nobestmove":
            raise CheckFailed(f"{quoted(answer.line)} where it is mated; expected nobestmove")


def _stops_at_once(under_test: EngineUnderTest, protocol: CheckedProtocol) -> None:
    with xiangqi_session(under_test, protocol) as session:
        fastest = float("inf")
        for _ in range(_TRIES):
            answer = session.stop("position startpos", f"go time {_LONG_S * session.second} increment 0")
            if answer is None:
                under_test.remark("moves at once: 'stop' came too late to be tried")
                return
            fastest = min(fastest, answer.elapsed_s)
            if fastest <= _STOP_S:
                return
            session.ready()  # if the move came just before `stop`, the engine may answer `stop` as well
        raise CheckFailed(
            f"needs {fastest * 1000:.0f} ms from stop to bestmove; the game is lost after {_STOP_S * 1000:.0f}"
        )


def _leaves_the_league(under_test: EngineUnderTest, protocol: CheckedProtocol) -> None:
    with xiangqi_session(under_test, protocol, "quit", ready=False) as session:
        try:
            session.dialogue.until(lambda line: line.strip() == "bye", LEAVE_S, "'bye'", "of 'quit'")
        except EngineDied:
            under_test.remark("ends at quit without 'bye'")
        await_end(session.dialogue, "quit", LEAVE_S)


# UCI-Cyclone


def _takes_positions_without_the_word(under_test: EngineUnderTest, protocol: CheckedProtocol) -> None:
    with xiangqi_session(under_test, protocol) as session:
        after = Position()
        after.push(parse_move("h2e2"))
        for line, position in (("startpos moves h2e2", after), (f"fen {after.fen()} moves h9g7", after.copy())):
            if "h9g7" in line:
                position.push(parse_move("h9g7"))
            # An engine that ignores the next line searches this position.
            session.dialogue.send("position startpos")
            answer = session.search(line)
            try:
                check_move(answer, position)
            except CheckFailed:
                word = answer.line.split()[1:2]
                if word and any(is_legal(word[0], Position(), ranks) for ranks in (RANKS_FROM_0, RANKS_FROM_1)):
                    raise NotSpoken(
                        f"takes no notice of '{line[:20]}...' without the word 'position': {quoted(answer.line)}"
                    ) from None
                raise


# cchess


def _reads_carriage_returns(under_test: EngineUnderTest, protocol: CheckedProtocol) -> None:
    setting = f"setoption name {'hashsize' if protocol == UCCI else 'Hash'} value 16"
    with xiangqi_session(under_test, protocol, setting, line_end="\r\n") as session:
        position = Position()
        infos: list[str] = []
        for _ in range(3):
            # cchess sends only the position, with two fields of a FEN.
            fen = " ".join(position.fen().split()[:2])
            answer = session.ask(f"position fen {fen}", "go depth 3")
            infos += answer.infos
            position.push(parse_move(check_move(answer, position)))
        score = r"info .*\bdepth \d+ .*\bscore (cp |mate )?-?\d+\b.* pv [a-i]\d"
        if not any(re.match(score, line) for line in infos):
            said = f"; the last line was {quoted(infos[-1])}" if infos else ""
            raise CheckFailed(f"no line 'info depth D ... score S ... pv MOVES' in a search to depth 3{said}")
        check_ascii(session.dialogue, _ASCII_FIX)


# pikafish-terminal


def _searches_the_fen_that_moves_led_to(under_test: EngineUnderTest, protocol: CheckedProtocol) -> None:
    """The host sends the current position as the FEN, and behind it all moves of the game, which led there."""
    with xiangqi_session(under_test, protocol) as session:
        position, moves = Position(), list[str]()
        for move in ("h2e2", "h9g7", "h0g2"):
            position.push(parse_move(move))
            moves.append(move)
            fen = " ".join(position.fen().split()[:2])
            answer = session.search(f"position fen {fen} moves {' '.join(moves)}")
            try:
                check_move(answer, position)
            except CheckFailed as fault:
                raise CheckFailed(f"{fault}; the moves behind the FEN are those that led to it") from None


CHECKS = (
    Check("tchess", "one-second probe", (UCI, UCCI), _answers_at_once,
          "print the handshake before importing, loading or allocating anything; flush it; ship no one-file bundle"),
    Check("tchess", "options", (UCI, UCCI), _options_can_be_read,
          "print 'option name NAME type KIND default VALUE' (UCCI: without 'name'), with '<empty>' for an empty text"),
    Check("tchess", "search", (UCI, UCCI), _moves_and_lines_can_be_shown,
          "answer every go with one bestmove and a legal move, in the time given"),
    Check("tchess", "analysis", (UCI, UCCI), _can_be_stopped,
          "read the input while searching: answer isready at once, and stop with bestmove"),
    Check("tchess", "leaving", (UCI, UCCI), _exits_on_request,
          "read the input while searching, and end at quit and at the end of the input"),
    Check("xqwizard", "unknown options", (UCCI,), _ignores_unknown_options,
          "ignore unknown options: the host does not read the list of options"),
    Check("xqwizard", "milliseconds", (UCCI,), _counts_milliseconds,
          "count in milliseconds once usemillisec is set, and by default"),
    Check("league", "game", (UCCI,), _plays_a_league_game,
          "accept 'position fen F moves ...' and 'go [draw] time T increment I opptime T oppincrement I'"),
    Check("league", "banmoves", (UCCI,), _avoids_banned_moves,
          "do not play the moves of banmoves at the root, until the next position"),
    Check("league", "mated", (UCCI,), _prints_nobestmove_when_mated, "print 'nobestmove' where there is no legal move"),
    Check("league", "stop", (UCCI,), _stops_at_once, "look for stop more often in the search"),
    Check("league", "leaving", (UCCI,), _leaves_the_league, "answer quit with 'bye' and end"),
    Check("cyclone", "positions", (UCI,), _takes_positions_without_the_word,
          "accept 'fen F moves ...' and 'startpos moves ...' without the word position"),
    Check("cchess", "UCI", (UCI,), _reads_carriage_returns,
          "accept lines that end in CR LF and a FEN of two fields; print depth, score and pv in one line"),
    Check("cchess", "UCCI", (UCCI,), _reads_carriage_returns,
          "accept lines that end in CR LF and 'setoption name X value Y'; print depth, score and pv in one line"),
    Check("pikafish-terminal", "current FEN", (UCI,), _searches_the_fen_that_moves_led_to,
          "if moves cannot be played from a FEN, but lead to it from the start of the game, search the FEN's position"),
)  # a table, one row a line  # fmt: skip
