"""Random and mutated lines: no internal error, no hang, and exactly one answer to each command that has one."""

from __future__ import annotations

import os
import re
from functools import partial
from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from gomoku_protocol.gomocup import GomocupProtocol
from junqi_protocol.protocols.jlp import JlpProtocol
from search_core.line_protocol import MAX_LINE, decode_line
from ucci_engine.ucci import UcciProtocol
from ucci_engine.uci import UciProtocol

from .conftest import EXAMPLES, PROGRAM_EXAMPLES

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.protocol.conftest import CappedMaker, Host, HostMaker

pytestmark = pytest.mark.fuzz

SHARED = (
    "isready",
    "stop",
    "ponderhit",
    "position startpos",
    "position startpos moves h2e2 h9g7 h0g2 i9h9",
    "position startpos moves h3e3 h10g8",
    "position fen rnbakabnr/9/1c5c1/p1p1p1p1p/9/9/P1P1P1P1P/1C5C1/9/RNBAKABNR w - - 0 1 moves b0c2",
    "position fen 3k5/9/R8/1R7/9/9/9/9/9/4K4 w - - 0 1",
    "position fen 3k5/9/3P5/9/9/9/9/9/9/4K4 b",
    "position fen 3k5/9/9/9/9/4p4/9/9/9/3AK4 r moves e0e1 d9d8 e1e0 d8d9 e0e1 d9d8 e1e0 d8d9",
    "go",
    "go depth 3",
    "go depth 0",
    "go depth -1",
    "go infinite",
    "go nodes 1000",
    "go ponder time 1000 increment 0",
    "go ponder depth 2",
    "go movetime 50",
    "go time 100",
    "go time -1 opptime 5 increment 99999999999999999999",
    "go depth abc",
    "setoption name Hash value 1",
    "setoption hashsize 99999999",
    "setoption Threads 2",
    "setoption ponder 1",
    "setoption style risky",
    "setoption name Style value solid",
    "setoption randomness huge",
    "setoption name Seed value 7",
    "setoption debug log file fuzz.log",
    "setoption name BookFiles value no-book.obk;.",
    "setoption usebook true",
    "setoption bookdepth 5",
    "setoption",
    "# a comment",
    "",
)
UCCI = (
    *SHARED,
    "ucci",
    "go draw depth 2",
    "ponderhit draw",
    "banmoves h2e2 b2e2",
    "probe startpos",
    "probe fen 3k5/9/R8/1R7/9/9/9/9/9/4K4 w",
    "setoption usemillisec false",
    "setoption newgame",
    "setoption resign true",
    "setoption draw true",
)
UCI = (
    *SHARED,
    "uci",
    "ucinewgame",
    "startpos moves h2e2",
    "fen 3k5/9/R8/1R7/9/9/9/9/9/4K4 w",
    "go wtime 1000 btime 1000 winc 10 binc 10 movestogo 5",
    "go searchmoves h2e2 b0c2 depth 2",
    "go mate 2",
    "go perft 2",
    "perft 2",
    "bench x",
    "d",
    "eval",
    "compiler",
    "debug on",
    "setoption name MultiPV value 4",
    "setoption name UCI_ShowWDL value true",
    "setoption name Ranks value 1-10",
    "setoption name UCI_Variant value xiangqi",
    "position fen rnbakabnr/9/1c5c1/p1p1p1p1p/9/9/P1P1P1P1P/1C2C4/9/RNBAKABNR b moves h2e2",
    "setoption name Clear Hash",
)

GOMOCUP_BLOCKS = (
    ("BOARD", "7,7,1", "8,8,2", "DONE"),
    ("BOARD", "7,7,2", "DONE"),
    ("BOARD", "0,0,1", "1,1,2", "4,4,3", "DONE"),
    ("BOARD", "7,7,1", "x", "DONE"),
    ("BOARD", "DONE"),
    ("BOARD", "7,7,1", "INFO rule 4", "8,8,2"),
    ("BOARD", *(f"{x},7,1" for x in range(4)), *(f"{x},9,2" for x in range(4)), "DONE"),
    ("YXBOARD", "7,7,1", "8,8,2", "9,9,1", "DONE"),
    ("YXBLOCK", "7,8", "8,8", "DONE"),
    ("YXBLOCKUNDO", "7,8", "DONE"),
    ("YXQUERYDATABASEALL", "7,7", "8,8", "DONE"),
    ("SWAP2BOARD", "DONE"),
    ("SWAP2BOARD", "7,7", "8,8", "6,8", "DONE"),
    ("SWAP2BOARD", "7,7", "8,8", "6,8", "9,9", "5,5", "DONE"),
    ("SWAP2BOARD", "7,7", "8,8", "DONE"),
)
GOMOCUP = (
    "START 15",
    "START 5",
    "START 20",
    "START 99",
    "RECTSTART 15,7",
    "RESTART",
    "BEGIN",
    "TURN 7,7",
    "TURN 0,0",
    "TURN 8,7",
    "TURN 9,7",
    "TURN 19,19",
    "TAKEBACK 7,7",
    "PLAY 6,6",
    "ABOUT",
    "DONE",
    "INFO timeout_turn 20",
    "INFO timeout_turn 0",
    "INFO timeout_turn 99999999999999999999",
    "INFO timeout_match 1000",
    "INFO time_left -5",
    "INFO time_left 2147483647",
    "INFO max_memory 350000000",
    "INFO max_memory 83886080",
    "INFO rule 0",
    "INFO rule 1",
    "INFO rule 4",
    "INFO rule 9",
    "INFO game_type 1",
    "INFO folder fuzz",
    "INFO evaluate 3,3",
    "INFO style aggressive",
    "INFO thread_num 2",
    "INFO max_depth 3",
    "INFO max_node 1000",
    "INFO hash_size 1024",
    "INFO show_detail 1",
    "YXSTOP",
    "STOP",
    "YXNBEST 3",
    "YXSEARCHDEFEND",
    "YXBALANCEONE 30",
    "YXBALANCETWO",
    "YXBLOCKRESET",
    "INFO seed 5",
    "YXSHOWFORBID",
    "YXSHOWINFO",
    "YXHASHCLEAR",
    "# a comment",
    "",
)
JLP = (
    "junqi 1",
    "junqi 2",
    "isready",
    "setoption name Level value events",
    "setoption name Level value random",
    "setoption name Seed value 7",
    "newgame variant duel seats 0 see own quiet 31 quietend loss",
    "newgame variant duel seats 1 clock 1000 inc 10",
    "newgame variant siguo seats 0,2 see team first 1 quiet 70 skips 5 plies 900 id game1",
    "newgame variant siguo seats 3",
    "deploy 0",
    "deploy 3",
    "lineup 0 96317/5.3.5/81.37/B.2.4/6M2MB/4FM21",
    "lineup 1 96317/5.3.5/81.37/B.2.4/6M2MB/4FM21",
    "lineup 2 96317/5.3.5/81.37/B.2.4/6M2MB/4FM21",
    "start 0",
    "start 1",
    "go 0 1",
    "go 0 1 movetime 100",
    "go 1 2 clock 1000 inc 5 depth 3 nodes 100",
    "go 0 1 infinite",
    "go 1 1",
    "stop",
    "moved 1 0 a6a7 KILLED flag 0 b1",
    "moved 1 0 c6c7 EAT",
    "moved 1 0 b6b5 MOVE",
    "moved 2 1 c7c6 BOMB out 0 flag",
    "moved 2 1 e7e6 EAT flag 0 b1 out 0 nomove",
    "moved 1 0 g6g9 MOVE",
    "moved 1 1 l11g11 MOVE",
    "skipped 1 0 1 time",
    "skipped 2 1 1 pass out 1 skips",
    "left 1 0 resign",
    "left 2 1 exit",
    "illegal 0 1 a6a7 is not legal",
    "gameover win 1 flag",
    "gameover draw quiet",
    "gameover win 0,2 nomove",
    "position variant duel turn 0 seats 0 pieces 0:b1=F 0:c6=9 1:d12=?{F} 1:c7=?{1-3B}*",
    "position variant siguo turn 1 dead 0 dead 2 quietnow 3 pieces 1:q8=F 1:l7=1 3:a10=?!0 3:f7=?{5-9B}",
    "position variant duel turn 0 flag 1:d12 skipsof 0:1 pieces 0:b1=F 0:c6=9 1:d12=? 1:c7=B",
    "# a comment",
    "",
)
# The commands without an answer.
GOMOCUP_UNANSWERED = frozenset(("info", "stop", "yxstop", "yxblockreset", "yxhashclear", "yxshowinfo"))
DROPPED = "dropped"
BARRIER = "TAKEBACK barrier"  # runs after the answer that is due, and is refused

# The beginnings of answers.
GO_ANSWERS = ("bestmove ", "nobestmove", "Nodes searched: ", "info string perft")
JOB_ANSWERS = {"perft": ("Nodes searched: ", "info string perft"), "bench": ("signature ", "info string bench")}


@st.composite
def mutated(draw: st.DrawFn, corpus: tuple[str, ...]) -> bytes:
    """A line of the corpus with pieces removed, doubled, swapped for others, or overwritten."""
    words = draw(st.sampled_from(corpus)).split(" ")
    for _ in range(draw(st.integers(1, 3))):
        place = draw(st.integers(0, len(words) - 1))
        change = draw(st.integers(0, 4))
        if change == 0 and len(words) > 1:
            del words[place]
        elif change == 1:
            words.insert(place, words[place])
        elif change == 2:
            words[place] = draw(st.sampled_from(draw(st.sampled_from(corpus)).split(" ")))
        elif change == 3:
            cut = draw(st.integers(0, len(words[place])))
            words[place] = words[place][:cut] + draw(st.text(max_size=3)) + words[place][cut + 1 :]
        else:
            words[place] = str(draw(st.integers()))
    return " ".join(words).encode("utf-8", "surrogatepass")


def lengthened(corpus: tuple[str, ...]) -> st.SearchStrategy[bytes]:
    """A line of the corpus with its last word repeated, to about the length limit of a line or beyond."""

    def lengthen(line: str, blank: str, length: int) -> bytes:
        words = line.split()
        piece = blank + (words[-1] if words else "x")
        return (line + piece * max((length - len(line)) // len(piece), 0)).encode()

    lengths = st.sampled_from([1000, MAX_LINE - 10, MAX_LINE + 10, 3 * MAX_LINE])
    return st.builds(lengthen, st.sampled_from(corpus), st.sampled_from([" ", ",", ""]), lengths)


def long_lines(corpus: tuple[str, ...]) -> st.SearchStrategy[list[bytes]]:
    """A few lines, long ones among them."""
    return st.lists(st.one_of(lengthened(corpus), st.sampled_from(corpus).map(str.encode)), max_size=8)


def lines(corpus: tuple[str, ...], count: int) -> st.SearchStrategy[list[bytes]]:
    """`count` lines: good ones, mutated ones and noise."""
    line = st.one_of(
        st.sampled_from(corpus).map(str.encode),
        mutated(corpus),
        mutated(corpus),
        st.text(max_size=40).map(lambda text: text.encode("utf-8", "surrogatepass")),
        st.binary(max_size=40),
    ).map(lambda raw: raw.replace(b"\n", b" "))
    return st.lists(line, min_size=count, max_size=count)


def obeyed_words(raw: bytes) -> list[str]:
    """The words of a line in lower case. A line that is too long has none, unless it is `info` or a comment."""
    words = decode_line(raw).lower().split()
    dropped = len(raw) > MAX_LINE and words[:1] != ["info"] and not words[0].startswith("#")
    return [] if dropped else words


def must_end_well(host: Host) -> None:
    """The engine exits with status 0 and has reported no internal error."""
    while host.line() is not None:
        pass
    assert host.exit_status() == 0
    assert not [line for line in host.transcript if "internal error" in line or "Traceback" in line], host.told()


def converse(host: Host, raw_lines: list[bytes], *, jobs: bool, stop_always: bool) -> None:
    """Send every line and check the answers.

    `jobs`: perft and bench are commands. `stop_always`: stop each
    search instead of waiting for its end. UCCI answers a `stop` that comes too late.
    """
    for raw in raw_lines:
        word, *rest = obeyed_words(raw) or [""]
        host.transcript.append(f"> {raw!r}")
        host.write(raw + b"\n")
        if word == "quit":
            break
        host.send("isready")
        said = host.until("readyok")
        if word == "isready":  # its own answer; the one to our question is still to come
            said += host.until("readyok")
        if word == "go":
            answers = starting(said, GO_ANSWERS)
            stopped = not answers and (stop_always or "ponder" in rest)
            if stopped:
                host.send("stop")
            while not answers:
                answers = starting([host.line() or ""], GO_ANSWERS)
            host.send("isready")
            answers += starting(host.until("readyok"), GO_ANSWERS)
            if stopped and answers[1:] == ["nobestmove"]:
                del answers[1]
            assert len(answers) == 1, host.told()
        elif jobs and word in JOB_ANSWERS and not starting(said, JOB_ANSWERS[word]):
            host.send("stop")
            while not starting([host.line() or ""], JOB_ANSWERS[word]):
                pass
    else:
        host.end_input()
    must_end_well(host)


def converse_in_jlp(host: Host, raw_lines: list[bytes]) -> None:
    """Send every line; each gets at most one error, a `go` at most one answer, and the next command works.

    What comes while the engine thinks may be handled after the answer to a later `isready`.
    """
    asked = answered = errors = 0
    for number, raw in enumerate(raw_lines, 1):
        word = (obeyed_words(raw) or [""])[0]
        host.transcript.append(f"> {raw!r}")
        host.write(raw + b"\n")
        if word == "quit":
            break
        host.send("isready")
        said = host.until("readyok")
        if word == "isready":
            said += host.until("readyok")
        errors += len(starting(said, ("error ",)))
        assert errors <= number, host.told()
        asked += word in ("go", "stop", "illegal")
        answered += len(starting(said, ("bestmove ",)))
        assert answered <= asked, host.told()
        assert all(len(line) < 4096 for line in said), host.told()
    else:
        host.end_input()
    must_end_well(host)


@st.composite
def mutated_block(draw: st.DrawFn) -> list[bytes]:
    """A command of several lines, whole or with one of its lines spoilt, doubled or lost."""
    block: list[bytes] = [line.encode() for line in draw(st.sampled_from(GOMOCUP_BLOCKS))]
    place = draw(st.integers(0, len(block) - 1))
    change = draw(st.integers(0, 3))
    if change == 1:
        block[place] = draw(mutated((block[place].decode(),)))
    elif change == 2:
        block.insert(place, block[place])
    elif change == 3:
        del block[place]
    return [line.replace(b"\n", b" ") for line in block]


def gomocup_commands(count: int) -> st.SearchStrategy[list[list[bytes]]]:
    """`count` commands, of one line or several."""
    line = lines(GOMOCUP, 1)
    return st.lists(st.one_of(line, line, line, mutated_block()), min_size=count, max_size=count)


def converse_in_gomocup(host: Host, commands: list[list[bytes]]) -> None:
    """Send every command and check that it gets its one answer. Every search is stopped."""
    for raw_lines in commands:
        words = [(obeyed_words(raw) or [DROPPED if len(raw) > MAX_LINE else "#"])[0] for raw in raw_lines]
        host.transcript += [f"> {raw!r}" for raw in raw_lines]
        host.write(b"".join(raw + b"\n" for raw in raw_lines))
        if "end" in words:
            break
        host.send("YXSTOP", BARRIER)
        said = host.until("ERROR TAKEBACK: expected x,y, got 'barrier'*")[:-1]
        assert all(len(line) < 4000 for line in said), host.told()
        answers = [line for line in said if not line.startswith("MESSAGE ")]
        if len(words) == 1:
            silence = words[0].startswith("#") or words[0] in GOMOCUP_UNANSWERED
            # Our own line ends an open block, with one ERROR.
            assert len(answers) == (0 if silence else 1), host.told()
        else:
            assert len(answers) <= len(words), host.told()
    else:
        host.end_input()
    must_end_well(host)


def starting(lines: list[str], beginnings: tuple[str, ...]) -> list[str]:
    return [line for line in lines if line.startswith(beginnings)]


@pytest.fixture(autouse=True, scope="module")
def elsewhere(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Work in another folder, for logs with random names."""
    before = os.getcwd()
    os.chdir(tmp_path_factory.mktemp("fuzz"))
    yield
    os.chdir(before)


in_process = settings(max_examples=EXAMPLES, deadline=None, suppress_health_check=list(HealthCheck))
in_program = settings(max_examples=PROGRAM_EXAMPLES, deadline=None, suppress_health_check=list(HealthCheck))
in_process_with_long_lines = settings(in_process, max_examples=min(EXAMPLES, 30))
no_failing_thread = pytest.mark.filterwarnings("error::pytest.PytestUnhandledThreadExceptionWarning")


@no_failing_thread
@in_process
@given(raw_lines=lines((*UCCI, "setoption batch true"), 40))
def test_ucci_adapter(capped: CappedMaker, raw_lines: list[bytes]) -> None:
    host = capped(UcciProtocol)
    host.send("ucci")
    host.until("ucciok")
    converse(host, raw_lines, jobs=False, stop_always=False)


@no_failing_thread
@in_process
@given(raw_lines=lines(UCI, 40))
def test_uci_adapter(capped: CappedMaker, raw_lines: list[bytes]) -> None:
    host = capped(UciProtocol)
    host.send("uci")
    host.until("uciok")
    converse(host, raw_lines, jobs=True, stop_always=True)


def modest(raw_lines: list[bytes], digits: int = 4) -> list[bytes]:
    """The lines without table sizes of that many digits: a real program would allocate them."""
    large = re.compile(rb"(?i)hash.*\d{%d}" % digits, re.DOTALL)
    return [raw for raw in raw_lines if not large.search(raw)]


@in_program
@given(raw_lines=lines(UCCI, 50).map(modest))
def test_ucci_program(start: HostMaker, raw_lines: list[bytes]) -> None:
    host = start()
    host.send("ucci")
    host.until("ucciok")
    converse(host, raw_lines, jobs=False, stop_always=True)


@in_program
@given(raw_lines=lines(UCI, 50).map(modest))
def test_uci_program(start: HostMaker, raw_lines: list[bytes]) -> None:
    host = start()
    host.send("uci")
    host.until("uciok")
    converse(host, raw_lines, jobs=True, stop_always=True)


@no_failing_thread
@in_process
@given(commands=gomocup_commands(40))
def test_gomocup_adapter(capped: CappedMaker, commands: list[list[bytes]]) -> None:
    host = capped(GomocupProtocol)
    host.play("> START 15\n< OK")
    converse_in_gomocup(host, commands)


@in_program
@given(commands=gomocup_commands(50))
def test_gomocup_program(start: HostMaker, commands: list[list[bytes]]) -> None:
    host = start()
    host.play("> START 15\n< OK")
    converse_in_gomocup(host, [modest(raw_lines, digits=7) for raw_lines in commands])


@no_failing_thread
@in_process
@given(raw_lines=lines(JLP, 40))
def test_jlp_adapter(capped: CappedMaker, raw_lines: list[bytes]) -> None:
    host = capped(partial(JlpProtocol, level="path"))
    host.send("junqi 1")
    host.until("junqiok 1")
    converse_in_jlp(host, raw_lines)


@in_program
@given(raw_lines=lines(JLP, 50))
def test_jlp_program(start: HostMaker, raw_lines: list[bytes]) -> None:
    host = start()
    host.send("junqi 1")
    host.until("junqiok 1")
    converse_in_jlp(host, raw_lines)


@no_failing_thread
@in_process_with_long_lines
@given(raw_lines=long_lines(UCCI))
def test_long_lines_to_the_ucci_adapter(capped: CappedMaker, raw_lines: list[bytes]) -> None:
    host = capped(UcciProtocol)
    host.send("ucci")
    host.until("ucciok")
    converse(host, raw_lines, jobs=False, stop_always=False)


@no_failing_thread
@in_process_with_long_lines
@given(raw_lines=long_lines(UCI))
def test_long_lines_to_the_uci_adapter(capped: CappedMaker, raw_lines: list[bytes]) -> None:
    host = capped(UciProtocol)
    host.send("uci")
    host.until("uciok")
    converse(host, raw_lines, jobs=True, stop_always=True)


@no_failing_thread
@in_process_with_long_lines
@given(raw_lines=long_lines(GOMOCUP))
def test_long_lines_to_the_gomocup_adapter(capped: CappedMaker, raw_lines: list[bytes]) -> None:
    host = capped(GomocupProtocol)
    host.play("> START 15\n< OK")
    converse_in_gomocup(host, [[raw] for raw in raw_lines])


@no_failing_thread
@in_process_with_long_lines
@given(raw_lines=long_lines(JLP))
def test_long_lines_to_the_jlp_adapter(capped: CappedMaker, raw_lines: list[bytes]) -> None:
    host = capped(partial(JlpProtocol, level="path"))
    host.send("junqi 1")
    host.until("junqiok 1")
    converse_in_jlp(host, raw_lines)
