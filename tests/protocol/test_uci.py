"""UCI as it goes over the wire, the Cyclone dialect and the extras included."""

from __future__ import annotations

import itertools
import re
from typing import TYPE_CHECKING

import pytest

from game_core.win_probability import per_mille
from search_core.uci_words import score_text
from ucci_engine.points import START_FEN, move_text, parse_move
from ucci_engine.position import Position
from ucci_engine.uci import UciProtocol
from ucci_engine.win_probability import chances

if TYPE_CHECKING:
    from search_core.engine import Engine
    from tests.protocol.conftest import CappedMaker, HostMaker, ProcessHost, ProgramHost

MATED = "3k5/3R5/3R5/9/9/9/9/9/9/4K4 b - - 0 1"
MATE_IN_ONE = "3k5/9/R8/1R7/9/9/9/9/9/4K4 w - - 0 1"
MATING_MOVES = ("a7d7", "b6d6")
LOST = "4k4/9/9/9/9/9/9/9/R8/3K5 b - - 0 1"


@pytest.fixture
def inside(capped: CappedMaker, monkeypatch: pytest.MonkeyPatch) -> ProcessHost:
    """The adapter in this process, past its handshake; every search ends after 50 nodes and begins at once."""
    monkeypatch.setattr("ucci_engine.move_finder.now_s", lambda: 0.0)
    host = capped(UciProtocol)
    host.send("uci")
    host.until("uciok")
    return host


def fields(line: str) -> dict[str, str]:
    """An info line as its words, each with the one after it."""
    words = line.split()
    return dict(itertools.pairwise(words))


# The handshake


def test_handshake(start: HostMaker) -> None:
    lines = start().play("""
        > uci
        < id name sanqi *
        < id author *
        < option name Hash type spin default 64 min 1 max 262144
        < option name Threads type spin default 1 min 1 max 1024
        < option name Clear Hash type button
        < option name MultiPV type spin default 1 min 1 max 128
        < option name Ponder type check default false
        < option name Move Overhead type spin default 10 min 0 max 10000
        < option name UCI_Variant type combo default xiangqi var xiangqi
        < option name Ranks type combo default 0-9 var 0-9 var 1-10
        < option name UCI_ShowWDL type check default false
        < option name Style type combo default normal var solid var normal var risky
        < option name EvalFile type string default net
        < option name Level type combo default full var full * var 2 var 1
        < option name Skill Level type spin default 20 min 0 max 20
        < option name UCI_LimitStrength type check default false
        < option name UCI_Elo type spin default #* min #* max #*
        < option name Randomness type combo default none var none var tiny var small var medium var large var huge
        < option name Seed type spin default 0 min 0 max 2147483647
        < option name Repetition Rule type combo default Computer var Computer var Asian var Chinese var Draw
        < option name Quiet Limit type combo default 120 var 120 var 100 var none
        < option name OwnBook type check default false
        < option name BookFiles type string default <empty>
        < option name BookDepth type spin default 40 min 0 max 999
        < option name BestBookMove type check default false
        < option name Debug Log File type string default <empty>
        < option name SyzygyPath type string default <empty>
        < uciok
        > isready
        < readyok
    """)
    for line in lines:
        if line.startswith("option name "):
            name = line[len("option name ") : line.index(" type ")]
            assert not {"name", "type", "default"} & set(name.lower().split())
            assert not line.endswith("default")


def test_every_command_works_without_a_handshake(start: HostMaker) -> None:
    host = start("uci")
    host.play("""
        > isready
        < readyok
        > position startpos
        > go depth 2
        ~ bestmove *
        > quit
    """)
    host.over()


def test_info_lines_have_all_that_guis_need(uci: ProgramHost) -> None:
    uci.play("""
        > position startpos moves h2e2
        > go depth 4
        ~ info depth 4 seldepth * multipv 1 score cp * nodes * nps * hashfull * time * pv *
        ~ bestmove *
    """)
    best = uci.transcript[-1].split()[1:]
    assert len(best[1]) == 4
    assert best[2:3] in ([], ["ponder"])
    pv = [line for line in uci.transcript if " pv " in line][-1].split(" pv ")[1].split()
    assert best[1] == pv[0]


# Rules


def test_the_rules_of_the_games_end(uci: ProgramHost) -> None:
    def result() -> str:
        uci.send("d")
        return uci.until("result *")[-1]

    check = "position fen 4k4/9/9/9/9/9/9/9/5R3/3K5 w moves f1e1 e9f9 e1f1 f9e9 f1e1 e9f9 e1f1 f9e9"
    uci.send(check)
    assert result() == "result perpetual-loss"
    uci.send("setoption name Repetition Rule value draw")
    assert result() == "result repetition"
    uci.send("setoption name repetition value AsianRule")
    assert result() == "result perpetual-loss"
    uci.send("position fen 4k4/9/9/9/9/9/9/9/5R3/3K5 w - - 119 90 moves f1f2")
    assert result() == "result no-capture"
    uci.send("setoption name Quiet Limit value none")
    assert result() == "result ongoing"
    uci.send("setoption name drawmoves value 50")
    assert result() == "result no-capture"
    uci.send("position fen 4kab2/9/9/9/9/9/9/9/9/3K1A3 w")
    assert result() == "result material"


def test_a_game_that_goes_on_after_the_quiet_limit_is_searched_without_it(uci: ProgramHost) -> None:
    fen = "3k5/9/9/9/9/9/9/R8/1R7/4K4 w - - 120 90"
    uci.send(f"position fen {fen}", "go depth 6")
    lines = uci.until("bestmove *")
    assert "info string 120 plies without a capture draw; searching on without the limit" in lines
    assert any(" score mate " in line for line in lines)
    uci.send(f"position fen {fen} moves a2a3 d9d8", "go depth 6")
    lines = uci.until("bestmove *")
    assert not any("without a capture" in line for line in lines)
    assert any(" score mate " in line for line in lines)


@pytest.mark.parametrize("end", ["120 100", "112 100 moves a1b1 e8f7 b1a1 f7e8 a1b1 e8f7 b1a1 f7e8"])
def test_a_win_that_is_not_near_is_seen_past_the_quiet_limit(uci: ProgramHost, end: str) -> None:
    """With the limit, each move would be a draw. In the second game the position is also there for the third time."""
    uci.send(f"position fen 2bak4/4a4/4b4/4p4/9/P8/9/2N6/R3A4/2BAK4 w - - {end}", "go depth 8")
    lines = uci.until("bestmove *")
    assert "info string 120 plies without a capture draw; searching on without the limit" in lines
    (score,) = re.findall(r" score cp (-?\d+) ", next(line for line in reversed(lines) if " score " in line))
    assert int(score) > 600


def test_a_mate_that_runs_past_the_quiet_limit_is_played_and_told_of_once(uci: ProgramHost) -> None:
    uci.send("setoption name EvalFile value hand-made")  # the figures below are of its tree

    def searched(clock: int, *moves: str) -> tuple[list[str], str]:
        """What is said of the limit, and the last line of the search."""
        played = f" moves {' '.join(moves)}" if moves else ""
        uci.send(f"position fen 4k4/4a4/3a5/9/9/9/9/N8/9/3K4R w - - {clock} 90{played}", "go nodes 400000")
        lines = uci.until("bestmove *")
        said = [line for line in lines if "quiet-move limit" in line]
        return said, next(line for line in reversed(lines) if " score " in line)

    said, last = searched(100)  # the mate takes nine plies
    assert not said and " score mate 5 " in last
    uci.send("ucinewgame")  # the table knows nothing of the quiet plies
    said, last = searched(118)
    assert len(said) == 1 and re.fullmatch(
        r"info string the win in \d+ plies exceeds the quiet-move limit; playing it anyway", said[0]
    )
    assert " score mate " in last
    said, last = searched(118, *last.split(" pv ")[1].split()[:2])
    assert not said and " score mate " in last
    uci.send("ucinewgame")
    said, last = searched(118)
    assert len(said) == 1
    uci.send("go nodes 1")
    uci.until("bestmove *")
    uci.send("setoption name Quiet Limit value none")
    said, last = searched(118)
    assert not said and " score mate " in last


def test_an_unknown_rule_changes_nothing(uci: ProgramHost) -> None:
    uci.play("""
        > setoption name Repetition Rule value SkyRule
        < info string Repetition Rule: expected one of Computer, Asian, Chinese, Draw, got 'SkyRule'; nothing changed
        > setoption name Repetition Rule value chineserule
        < info string Repetition Rule Chinese: mate threats count only at the root; below it as by Computer
        > isready
        < readyok
    """)


def test_pikafish_s_names_of_the_quiet_limit(uci: ProgramHost) -> None:
    """`Sixty Move Rule` and `Rule60MaxPly` set what `Quiet Limit` sets; whichever comes last counts."""
    at = {
        clock: f"position fen 4k4/9/9/9/9/9/9/9/5R3/3K5 w - - {clock - 1} 90 moves f1f2"
        for clock in (99, 100, 119, 120, 200)
    }

    def limit(setting: str = "") -> int | None:
        if setting:
            assert uci.said(f"setoption name {setting}") == []
        for clock, position in at.items():
            uci.send(position, "d")
            if uci.until("result *")[-1] == "result no-capture":
                return clock
        return None

    assert limit() == 120
    assert limit("Sixty Move Rule value false") is None
    assert limit("sixty  move rule value TRUE") == 120
    assert limit("Rule60MaxPly value 100") == 100
    assert limit("Sixty Move Rule value true") == 120
    assert limit("rule60maxply value 100") == 100
    for value in ("90", "150", "0", "60", "none", ""):
        refused = f"info string Rule60MaxPly: expected one of 120, 100, got '{value}'; nothing changed"
        assert uci.said(f"setoption name Rule60MaxPly value {value}") == [refused]
    assert uci.said("setoption name Sixty Move Rule value 60") == [
        "info string Sixty Move Rule: expected true or false, got '60'; nothing changed"
    ]
    assert limit() == 100
    assert limit("Rule60MaxPly value 120") == 120


def test_pikafish_s_names_of_the_rules_on_repetition(uci: ProgramHost) -> None:
    uci.send("position fen 4k4/9/9/9/9/9/9/9/5R3/3K5 w moves f1e1 e9f9 e1f1 f9e9 f1e1 e9f9 e1f1 f9e9")

    def judged() -> str:
        uci.send("d")
        return uci.until("result *")[-1].split()[1]

    assert uci.said("setoption name Repetition Rule value Draw") == []
    assert judged() == "repetition"
    for value in ("AsianRule", "asian rule", "ComputerRule", "COMPUTERRULE"):
        assert uci.said(f"setoption name Repetition Rule value {value}") == []
        assert judged() == "perpetual-loss"
        uci.send("setoption name Repetition Rule value Draw")
    for value in ("SkyRule", "YitianRule", "AllowChase", "NoJudgement", "skyrule", "No Judgement", "Allow Chase Rule"):
        assert uci.said(f"setoption name Repetition Rule value {value}") == [
            "info string Repetition Rule: expected one of Computer, Asian, Chinese, Draw,"
            f" got '{value}'; nothing changed"
        ]
        assert judged() == "repetition"


# Searching


def test_limits(inside: ProcessHost) -> None:
    inside.play("""
        > position startpos
        > go movetime 1000
        ~ bestmove *
        > go nodes 20
        ~ bestmove *
        > go depth 3
        ~ bestmove *
        > go mate 2 depth 5
        ~ bestmove *
        > go wtime 60000 btime 1000 winc 500 binc 0 movestogo 10
        ~ bestmove *
        > position startpos moves h2e2
        > go wtime 60000 btime 1000 winc 500 binc 0 movestogo 10
        ~ bestmove *
    """)
    movetime, nodes, depth, mate, red, black = inside.engine.asked
    assert movetime.hard_ms == 990
    assert nodes.nodes == 20
    assert depth.depth == 3
    assert (mate.mate, mate.depth) == (2, 5)
    assert black.hard_ms < 1000 < red.hard_ms


def test_searchmoves(uci: ProgramHost) -> None:
    uci.play("""
        > position startpos
        > go depth 3 searchmoves a0a1 i0i1
        ~ bestmove ?0?1*
        > go searchmoves a3a4 depth 2
        ~ bestmove a3a4*
        > go searchmoves a0a9 xyz a3a4 depth 2
        < info string go: *
        ~ bestmove a3a4*
        > go searchmoves a0a9 depth 2
        < info string go: searchmoves: a move is not legal here, ignored; no legal move listed; searching all
        ~ bestmove *
    """)


def test_multipv(uci: ProgramHost) -> None:
    uci.play("""
        > setoption name MultiPV value 3
        > position startpos
        > go depth 3
        ~ bestmove *
    """)
    last = [fields(line) for line in uci.transcript if line.startswith("< info depth 3 ")][-3:]
    assert [line["multipv"] for line in last] == ["1", "2", "3"]
    assert len({line["pv"] for line in last}) == 3
    scores = [int(line["cp"]) for line in last]
    assert scores == sorted(scores, reverse=True)


def test_a_host_that_keeps_the_first_line_of_each_depth_shows_whole_lines(uci: ProgramHost) -> None:
    """As xiangqilab does. A line that ends where a window failed has one or two moves."""
    uci.play("""
        > setoption name MultiPV value 3
        > position startpos moves h2e2 h9g7 h0g2
        > go nodes 40000
        ~ bestmove *
    """)
    assert not any("bound" in line for line in uci.transcript)
    kept: dict[tuple[str, str], str] = {}
    for line in uci.transcript:
        if " pv " in line:
            kept.setdefault((fields(line)["depth"], fields(line)["multipv"]), line)
    deepest = max(int(depth) for depth, line in kept if line == "3")
    assert deepest > 5
    assert all(len(kept[str(deepest), line].split(" pv ")[1].split()) > 2 for line in "123")


def test_mates_are_counted_in_moves(uci: ProgramHost) -> None:
    matched = uci.play(f"""
        > position fen {MATE_IN_ONE}
        > go mate 1
        ~ info depth * score mate 1 *
        ~ bestmove *
        > position fen {MATED}
        > go depth 3
        ~ bestmove (none)
    """)
    assert matched[1].split()[1] in MATING_MOVES


def test_infinite_and_ponder_withhold_the_answer(uci: ProgramHost) -> None:
    uci.play(f"""
        > position fen {MATE_IN_ONE}
        > go infinite
        ~ info depth * score mate 1 *
        > isready
        ~ readyok
        > isready
        ~ readyok
        > stop
        ~ bestmove *
        > go ponder wtime 1000 btime 1000
        ~ info depth * score mate 1 *
        > isready
        ~ readyok
        > ponderhit
        ~ bestmove *
        > position fen {MATED}
        > go infinite
        > isready
        < readyok
        > stop
        < bestmove (none)
    """)


def test_stray_stop_and_ponderhit_are_silent(uci: ProgramHost) -> None:
    uci.play("""
        > stop
        > ponderhit
        > position startpos
        > stop
        > isready
        < readyok
        > go depth 1
        ~ bestmove *
        > stop
        > isready
        < readyok
    """)


def test_commands_wait_for_a_search_that_ends_by_itself(uci: ProgramHost) -> None:
    uci.send("position startpos", "go depth 4", f"position fen {MATE_IN_ONE}", "go depth 2", "isready")
    first, second = uci.until("bestmove *"), uci.until("bestmove *")
    assert "readyok" in first
    assert any(line.startswith("info depth 4 ") for line in first)
    assert second[-1].split()[1] in MATING_MOVES


@pytest.mark.parametrize("search", ["go infinite", "go ponder wtime 1000 btime 1000", "go"])
def test_commands_end_a_search_that_only_stop_would_end(uci: ProgramHost, search: str) -> None:
    uci.play(f"> position startpos\n> {search}\n~ info depth *")
    uci.send(f"position fen {MATE_IN_ONE}", "go depth 2")
    matched = uci.play("~ bestmove *\n~ bestmove *")
    assert matched[1].split()[1] in MATING_MOVES


def test_stop_is_obeyed_before_waiting_commands(uci: ProgramHost) -> None:
    uci.play("> position startpos\n> go depth 99 \n~ info depth *")
    uci.send("setoption name Clear Hash", "go depth 99", "stop")
    uci.play("~ bestmove *\n~ bestmove *\n> isready\n< readyok")


def test_quit_is_obeyed_before_waiting_commands(uci: ProgramHost) -> None:
    uci.play("> position startpos\n> go depth 99 \n~ info depth *")
    uci.send("setoption name Clear Hash", "go depth 99", "quit")
    uci.until("bestmove *")
    uci.over()


def test_end_of_input_while_thinking(uci: ProgramHost) -> None:
    uci.play("> position startpos\n> go infinite\n~ info depth *")
    uci.end_input()
    uci.until("bestmove *")
    uci.over()


def test_a_pipe_that_ends_in_quit_shows_a_real_move(start: HostMaker) -> None:
    host = start()
    host.send("uci", "position startpos", "go movetime 1000", "quit")
    host.until("info depth *")
    host.until("bestmove *")
    host.over()


# Squares


def test_ranks_from_1(uci: ProgramHost) -> None:
    uci.play("""
        > setoption name Ranks value 1-10
        > position startpos moves h3e3 h10g8
        > go depth 2 searchmoves i1i2
        ~ info * pv i1i2*
        ~ bestmove i1i2*
        > position startpos
        > go perft 1
        < a1a2: 1
        ~ h3h10: 1
        ~ Nodes searched: 44
    """)


def test_a_host_that_counts_ranks_from_1_gets_answers_that_do_too(uci: ProgramHost) -> None:
    legal = Position(START_FEN)
    legal.push(parse_move("h2e2"))
    legal.push(parse_move("h9g7"))
    matched = uci.play("""
        > position startpos moves h3e3 h10g8
        > go depth 2
        ~ bestmove *
        > position startpos moves h2e2 h9g7
        > go depth 2
        ~ bestmove *
    """)
    assert matched[0].split()[1] in {move_text(move, "1-10") for move in legal.legal_moves()}
    assert matched[1].split()[1] in {move_text(move) for move in legal.legal_moves()}


@pytest.mark.parametrize(
    ("option", "moves", "fault"),
    [
        # Only rank 0 or rank 10 shows how a host counts.
        ("0-9", "h3e3", "move 1: 'h3e3' is not legal there with ranks 0-9"),
        ("1-10", "h2e2", "move 1: 'h2e2' is not legal there with ranks 1-10"),
        ("0-9", "h2e2 h9g7 h3e3", "move 3: 'h3e3' is not legal there with ranks 0-9"),
        # The whole game is read as the first such move counts.
        ("0-9", "h2e2 h10g8", "move 1: 'h2e2' is not legal there with ranks 1-10, as in move 2"),
        ("1-10", "h3e3 h7e7 h0g2", "move 1: 'h3e3' is not legal there with ranks 0-9, as in move 3"),
        ("1-10", "h0g2 h9g7 h2h2", "move 3: 'h2h2' is not a move; expected files a-i and ranks 0-9, such as h2e2"),
        ("0-9", "h0g2 h10g8", "move 2: 'h10g8' is not a move; expected files a-i and ranks 0-9, such as h2e2"),
        ("0-9", "h3e3 h10g8 i1i4", "move 3: 'i1i4' is not legal there with ranks 1-10, as in move 2"),
        ("0-9", "h3e3 h10g9", "move 2: 'h10g9' is not legal there with ranks 1-10"),
        ("0-9", "a0a10", "move 1: 'a0a10' is not a move; expected files a-i and ranks 0-9, such as h2e2"),
    ],
)
def test_an_illegal_move_is_not_read_with_other_ranks(inside: ProcessHost, option: str, moves: str, fault: str) -> None:
    inside.send(f"setoption name Ranks value {option}")
    assert inside.said(f"position startpos moves {moves}") == [
        f"info string position: {fault}; there is no position now"
    ]


def test_the_option_decides_where_the_moves_do_not_show_the_ranks(uci: ProgramHost) -> None:
    # a3a4 is a pawn's step with both countings, from another point.
    fen = "3k5/9/9/9/9/9/P8/9/9/4K4 w"
    uci.play(f"""
        > position fen {fen} moves a3a4 d9d8
        > go depth 1 searchmoves a4a5
        ~ bestmove a4a5*
        > setoption name Ranks value 1-10
        > position fen {fen} moves a4a5
        > go depth 1
        ~ bestmove d10*
        > position fen {fen} moves a3a4 d9d8
        < info string position: move 1: 'a3a4' is not legal there with ranks 1-10; there is no position now
    """)


# Hosts of Fairy-Stockfish's convention: UCI_Variant is set, and ranks count from 1

LIKE_LIGROUND = "> setoption name UCI_Variant value xiangqi\n> setoption name UCI_Chess960 value false\n~ info string *"


def test_liground_plays(uci: ProgramHost) -> None:
    """It sends FENs without moves, and reads moves, ponder moves and variations from 1."""
    uci.play(LIKE_LIGROUND)
    position = Position()
    for _ in range(12):
        uci.play(f"> position fen {position.fen()}\n> go nodes 400")
        lines = uci.until("bestmove *")
        texts = lines[-1].split()
        after = position.copy()
        for text in [line.split(" pv ")[1] for line in lines if " pv " in line][-1].split():
            after.push(parse_move(text, "1-10"))
        position.push(parse_move(texts[1], "1-10"))
        if texts[2:]:
            assert position.is_legal(parse_move(texts[3], "1-10"))


def test_liground_analyses(uci: ProgramHost) -> None:
    uci.play(LIKE_LIGROUND)
    uci.play(f"""
        > setoption name MultiPV value 5
        > position fen {START_FEN}
        > go infinite
        ~ info depth 3 * multipv 5 *
        > stop
        ~ bestmove *
    """)
    legal = {move_text(move, "1-10") for move in Position().legal_moves()}
    for line in uci.transcript:
        if " pv " in line:
            assert line.split(" pv ")[1].split()[0] in legal


def test_a_game_of_pychess_is_in_one_count(uci: ProgramHost) -> None:
    """Its site sends UCI_Variant and all moves of the game, which need not touch rank 10."""
    uci.play("""
        > setoption name UCI_Variant value xiangqi
        > position startpos moves b3e3
        > go depth 1 searchmoves h10g8
        ~ info depth 1 * pv h10g8*
        ~ bestmove h10g8*
        > position startpos moves b3e3 h10g8 b1c3
        > go ponder depth 3 searchmoves i10h10
        > ponderhit
        ~ bestmove i10h10*
        > position startpos moves b3e3
        > perft 1
        < a7a6: 1
        ~ Nodes searched: *
        > position fen 4k4/9/9/9/9/9/9/9/9/4K4 w
        > go depth 1
        < info depth 1 * pv e1e10
        < bestmove e1e10
        > position startpos moves b3e3 b2e2
        < info string position: move 2: 'b2e2' is not legal there with ranks 1-10; there is no position now
    """)


@pytest.mark.parametrize(
    ("settings", "moves", "searched"),
    [
        # The convention of UCI_Variant, for a FEN alone and for moves that are legal with both countings.
        (["name UCI_Variant value xiangqi"], "", "a4a5"),
        (["UCI_Variant XIANGQI"], "", "a4a5"),
        (["name UCI_Variant value chess"], "", "a3a4"),
        (["name UCI_Variant value xiangqi"], "e1e2 d10d9", "a4a5"),
        # It gives way to moves that are legal only from 0, and to an option that was set, before or after.
        (["name UCI_Variant value xiangqi"], "e0e1 d9d8", "a3a4"),
        (["name UCI_Variant value xiangqi"], "a3a4 d8d9", "a4a5"),
        (["name UCI_Variant value xiangqi", "name Ranks value 0-9"], "", "a3a4"),
        (["name Ranks value 0-9", "name UCI_Variant value xiangqi"], "", "a3a4"),
        (["name Ranks value 1-10", "name UCI_Variant value xiangqi"], "", "a4a5"),
        (["name UCI_Variant value xiangqi", "name Ranks value 1-10"], "", "a4a5"),
        (["name UCI_Variant value xiangqi", "name Ranks value 2-11"], "", "a4a5"),
        ([], "", "a3a4"),
    ],
)
def test_how_the_ranks_are_counted(inside: ProcessHost, settings: list[str], moves: str, searched: str) -> None:
    fen = "3k5/9/9/9/9/9/P8/9/9/4K4 w"
    if moves == "a3a4 d8d9":
        fen = "9/3k5/9/9/9/9/P8/9/9/4K4 w"
    inside.send(*(f"setoption {setting}" for setting in settings))
    inside.send(f"position fen {fen} moves {moves}", f"go depth 1 searchmoves {searched}")
    assert "bestmove " + searched in inside.until("bestmove *")[-1]


def test_moves_that_are_legal_with_both_countings_are_read_from_1(uci: ProgramHost) -> None:
    uci.play("""
        > position fen 3k5/9/9/9/9/9/R8/R8/9/4K4 w moves a3b3
        > d
        ~ fen    3k5/9/9/9/9/9/1R7/R8/9/4K4 b *
        ~ result *
        > setoption name UCI_Variant value xiangqi
        > position fen 3k5/9/9/9/9/9/R8/R8/9/4K4 w moves a3b3
        > d
        ~ fen    3k5/9/9/9/9/9/R8/1R7/9/4K4 b *
        ~ result *
        > go depth 1 searchmoves d10d9
        ~ bestmove d10d9*
    """)


# Hosts that send the current position and the moves that led to it


def test_pikafish_terminal_plays(uci: ProgramHost) -> None:
    """A whole dialogue: the FEN has two fields, and the moves are those of the game. The host is told once."""
    position, moves, told = Position(), list[str](), 0
    for _ in range(14):
        behind = f" moves {' '.join(moves)}" if moves else ""
        fen = " ".join(position.fen().split()[:2])
        uci.send(f"position fen {fen}{behind}", "go perft 1")
        lines = uci.until("Nodes searched: *")
        legal = {line.split(":")[0] for line in lines if line.endswith(": 1")}
        assert legal == {move_text(move) for move in position.legal_moves()}
        told += "info string position: the moves lead to the FEN and do not begin there; searching the FEN" in lines
        uci.send(f"position fen {fen}{behind}", "go nodes 200")
        best = uci.until("bestmove *")[-1].split()[1]
        position.push(parse_move(best))
        moves.append(best)
    assert told == 1
    uci.send("d")
    assert f"fen    {fen}" in " ".join(uci.until("result *"))


BLACK_FIRST = (
    "b7e7 b0c2 b9c7 h0g2 a9b9 a0b0 g6g5 c3c4 b9b3 g0e2 b3c3 g2e1 h9g7 h2h3 g7f5 g3g4 f5g3 g4g5 h7g7 h3h6 c6c5 g5g6"
    " i9h9 i0h0 g7g8 h0h3 e6e5 g6g7 e7e3 c2e3 c3e3 e1c2 e3c3 g7g8 c3c2 h3g3 h9h6 g8f8 h6f6 g3g7 c7e6 f8f9 f6f9 g7d7"
    " e6f8 d7d6 c5c4 b2b9 c2c3 b0b7 e9e8"
)
"""The moves of the game of Pikafish's issue 65, which Black began."""


def test_the_moves_that_led_to_a_fen_are_its_history(uci: ProgramHost) -> None:
    def shown(position: str) -> tuple[str, str]:
        uci.send(f"position {position}", "d")
        fen, result = (uci.until(f"{word} *")[-1].split(maxsplit=1)[1] for word in ("fen   ", "result"))
        return fen, result

    fen = "1Cba1rb2/4kn3/1R7/p2R4p/4p4/2p6/P1r5P/4B4/9/2BAKA3"
    assert shown(f"fen {fen} w moves {BLACK_FIRST}") == (f"{fen} w - - 4 27", "ongoing")
    # Repetitions count, and so do quiet plies; the FEN's own counters may say nothing of them.
    again = "h0g2 h9g7 g2h0 g7h9"
    assert shown(f"fen {START_FEN} moves {again} {again}")[1] == "repetition"
    horse = "rnbakabnr/9/1c5c1/p1p1p1p1p/9/9/P1P1P1P1P/1C4NC1/9/RNBAKAB1R b"
    moves = f"{again} {again} h0g2"
    assert shown(f"fen {horse} - - 0 1 moves {moves}") == (f"{horse} - - 9 5", "repetition")
    # A game that began elsewhere: the host has sent its first position.
    first = "4k4/9/9/9/9/9/9/9/5R3/3K5 w"
    then = "4k4/9/9/9/9/9/9/9/4R4/3K5 b"
    refused = "position: move 1: 'f1e1' is not legal there with ranks 0-9; there is no position now"
    assert uci.said(f"position fen {then} moves f1e1") == [f"info string {refused}"]
    shown(f"fen {first}")
    checks = "f1e1 e9f9 e1f1 f9e9"
    assert shown(f"fen {then} moves {checks} {checks} f1e1")[1] == "perpetual-win"
    # With ranks from 1 as well.
    uci.send("setoption name UCI_Variant value xiangqi")
    assert shown(f"fen {horse} moves h1g3") == (f"{horse} - - 1 1", "ongoing")


@pytest.mark.parametrize(
    ("position", "fault"),
    [
        # They lead to another board, to the same board with the other side to move, past the FEN, or are illegal.
        ("fen rnbakabnr/9/1c5c1/p1p1p1p1p/9/9/P1P1P1P1P/1C2C4/9/RNBAKABNR b moves b2e2", "move 1: 'b2e2' is not legal"),
        ("fen rnbakabnr/9/1c5c1/p1p1p1p1p/9/9/P1P1P1P1P/1C2C4/9/RNBAKABNR w moves h2e2", "move 1: 'h2e2' is not legal"),
        (
            "fen rnbakabnr/9/1c5c1/p1p1p1p1p/9/9/P1P1P1P1P/1C2C4/9/RNBAKABNR b moves h2e2 h9g7",
            "move 1: 'h2e2' is not legal",
        ),
        ("fen rnbakabnr/9/1c5c1/p1p1p1p1p/9/9/P1P1P1P1P/1C2C4/9/RNBAKABNR b moves h2e2 x", "move 1: 'h2e2' is not"),
        ("startpos moves h2e2 h2e2", "move 2: 'h2e2' is not legal"),
    ],
)
def test_other_illegal_moves_are_refused(inside: ProcessHost, position: str, fault: str) -> None:
    (line,) = inside.said(f"position {position}")
    assert line.startswith(f"info string position: {fault}")
    inside.play("> go depth 1\n< info string go: the last position was refused\n< bestmove (none)")


# Cyclone


def test_cyclone(uci: ProgramHost) -> None:
    matched = uci.play(f"""
        > startpos moves h2e2 h9g7
        > go depth 1 searchmoves i0i1
        ~ bestmove i0i1*
        > fen {MATE_IN_ONE} moves
        > go depth 2
        ~ bestmove *
    """)
    assert matched[1].split()[1] in MATING_MOVES


# Options


def test_wdl(uci: ProgramHost) -> None:
    uci.play(f"""
        > setoption name UCI_ShowWDL value true
        > position startpos
        > go depth 2
        ~ info depth 2 * score cp * wdl * * * nodes *
        ~ bestmove *
        > position fen {MATE_IN_ONE}
        > go depth 2
        ~ info depth * score mate 1 wdl 1000 0 0 nodes *
        ~ bestmove *
    """)


@pytest.mark.parametrize("fen", [START_FEN, "4k4/9/9/9/9/9/9/9/4A4/R3K4 w - - 0 1"])
def test_wdl_is_of_the_score_and_the_position(uci: ProgramHost, fen: str) -> None:
    uci.play(f"""
        > setoption name UCI_ShowWDL value true
        > position fen {fen}
        > go depth 3
        ~ bestmove *
    """)
    shown = [re.search(r" score cp (-?\d+)(?: \w+bound)? wdl (\d+) (\d+) (\d+) ", line) for line in uci.transcript]
    found = [tuple(map(int, match.groups())) for match in shown if match]
    assert found
    for score, *wdl in found:
        assert tuple(wdl) == per_mille(chances(score, Position(fen)))


@pytest.mark.parametrize(
    ("score", "text"),
    [
        (0, "cp 0"),
        (-35, "cp -35"),
        (31999, "mate 1"),
        (31997, "mate 2"),
        (-31998, "mate -1"),
        (-31996, "mate -2"),
        (-32000, "mate 0"),
        (27990, "cp 27990"),
    ],
)
def test_score_text(score: int, text: str) -> None:
    assert score_text(score) == text


@pytest.mark.parametrize(
    ("setting", "remark"),
    [
        ("name Hash value 16", None),
        ("name hash value 16", None),
        ("name HASH VALUE 16", None),
        ("Hash 16", None),
        ("hashsize 16", None),
        ("name Move Overhead value 100", None),
        ("name Clear Hash", None),
        ("name SyzygyPath value /somewhere/with blanks/表", None),
        ("name SyzygyPath value <empty>", None),
        ("name UCI_Variant value xiangqi", None),
        ("name Ponder value true", None),
        ("name UCI_AnalyseMode value true", None),
        ("name UCI_Variant value chess", "UCI_Variant: expected one of xiangqi, got 'chess'; nothing changed"),
        ("name Ranks value 2-11", "Ranks: expected one of 0-9, 1-10, got '2-11'; nothing changed"),
        ("name Hash value 99999999", "Hash: '99999999' is above 262144, using 262144"),
        ("name Hash value -1", "Hash: '-1' is below 1, using 1"),
        ("name Hash", "Hash: expected a number from 1 to 262144, got ''; nothing changed"),
        ("name Threads value two", "Threads: expected a number from 1 to 1024, got 'two'; nothing changed"),
        ("name No Such Thing value 3", "unknown option 'No Such Thing', ignored"),
        ("name", "unknown option '', ignored"),
        ("", "unknown option '', ignored"),
    ],
)
def test_setting_options(inside: ProcessHost, setting: str, remark: str | None) -> None:
    assert inside.said(f"setoption {setting}") == ([] if remark is None else [f"info string {remark}"])


# Extras


def test_board(uci: ProgramHost) -> None:
    lines = uci.said("d")
    assert "9  r n b a k a b n r" in lines
    assert "   a b c d e f g h i" in lines
    assert f"fen    {START_FEN}" in lines


def test_evaluation_is_traced(uci: ProgramHost) -> None:
    lines = uci.said("eval")
    assert "Red" in lines[0] and "Black" in lines[0]
    assert len(lines) > 4
    assert lines[-1].startswith("total ")
    assert f"net   {Position(START_FEN).evaluate_cp():+}, at full strength" in lines


def test_the_trace_names_the_net_whatever_plays(uci: ProgramHost) -> None:
    uci.send("setoption name EvalFile value hand-made", "position startpos moves h2e2", "go depth 1")
    uci.until("bestmove *")
    after = Position(START_FEN)
    after.push("h2e2")
    assert f"net   {after.evaluate_cp():+}, at full strength" in uci.said("eval")


@pytest.mark.parametrize("command", ["perft 2", "go perft 2"])
def test_perft(uci: ProgramHost, command: str) -> None:
    uci.send("position startpos", command)
    lines = uci.until("Nodes searched: 1920")
    counts = [line.split(": ") for line in lines if ": " in line][:-1]
    assert len(counts) == 44
    assert sum(int(count) for _, count in counts) == 1920


def test_perft_can_be_stopped(uci: ProgramHost) -> None:
    uci.play("""
        > position startpos
        > perft 12
        > isready
        ~ readyok
        > stop
        ~ info string perft stopped after * leaves
        > go depth 1
        ~ bestmove *
        > perft 12
        > quit
        ~ info string perft stopped after * leaves
    """)
    uci.over()


def test_perft_needs_a_number(uci: ProgramHost) -> None:
    for word, got in (("", "nothing"), (" x", "'x'"), (" 0", "'0'"), (" 99", "'99'")):
        assert uci.said(f"perft{word}") == [
            f"info string perft: expected a depth from 1 to 20, got {got}; nothing counted"
        ]


def test_bench(uci: ProgramHost) -> None:
    uci.play("""
        > bench 3
        ~ depth     3
        < time      * ms
        < nodes     *
        < nodes/s   *
        < signature *
        > bench 99
        > stop
        ~ info string bench stopped
        > bench deep
        < info string bench: expected depth, threads and hash in MB, got 'deep'; nothing searched
    """)


def test_compiler(uci: ProgramHost) -> None:
    uci.play("> compiler\n< info string sanqi * Python *")


# Wrong input


@pytest.mark.parametrize(
    ("command", "answer"),
    [
        ("hello", "unknown command 'hello', ignored; expected a command of UCI"),
        ("ucci", "unknown command 'ucci', ignored; expected a command of UCI"),
        ("banmoves a0a1", "unknown command 'banmoves', ignored; expected a command of UCI"),
        ("炮二平五", "unknown command '\\u70ae\\u4e8c\\u5e73\\u4e94', ignored; expected a command of UCI"),
        ("position", "position: expected 'fen' or 'startpos', got nothing; there is no position now"),
        ("position foo", "position: expected 'fen' or 'startpos', got 'foo'; there is no position now"),
        ("position startpos h2e2", "position: expected 'moves' after startpos, got 'h2e2'; there is no position now"),
        (
            "position startpos moves h2e2 xyz",
            "position: move 2: 'xyz' is not a move; expected files a-i and ranks 0-9, such as h2e2; "
            "there is no position now",
        ),
        (
            "position startpos moves h2e2 h2e2",
            "position: move 2: 'h2e2' is not legal there with ranks 0-9; there is no position now",
        ),
    ],
)
def test_each_fault_gets_one_line(inside: ProcessHost, command: str, answer: str) -> None:
    assert inside.said(command) == [f"info string {answer}"]


def test_commands_find_nothing_after_a_refused_position(uci: ProgramHost) -> None:
    uci.play("""
        > position startpos
        > position startpos moves h2e2 h2e2
        < info string position: move 2: *; there is no position now
        > go depth 2
        < info string go: the last position was refused
        < bestmove (none)
        > go infinite
        < info string go: the last position was refused
        < bestmove (none)
        > stop
        > go ponder wtime 1000 btime 1000
        < info string go: the last position was refused
        < bestmove (none)
        > ponderhit
        < info string ponderhit: the last position was refused
        < bestmove (none)
        > eval
        < info string eval: the last position was refused
        > d
        < info string d: the last position was refused
        > perft 1
        < info string perft: the last position was refused
        > ucinewgame
        > go perft 1
        < info string go: the last position was refused
        < bestmove (none)
        > fen 4k4/9/9/9/9/9/9/9/R8/3K5 b
        > go depth 1
        ~ bestmove *
    """)


def test_a_king_is_taken_at_once(uci: ProgramHost) -> None:
    uci.play("""
        > position fen 4k4/9/9/9/9/9/9/9/9/4K4 w
        > go infinite
        < info depth 1 seldepth 1 multipv 1 score mate 1 nodes 1 nps 0 hashfull 0 time 0 pv e0e9
        < bestmove e0e9
        > stop
        > eval
        < info string eval: the game is over: e0e9 takes the king
        > d
        < info string d: the game is over: e0e9 takes the king
        > setoption name Ranks value 1-10
        > setoption name UCI_ShowWDL value true
        > go movetime 100
        < info depth 1 seldepth 1 multipv 1 score mate 1 wdl 1000 0 0 nodes 1 nps 0 hashfull 0 time 0 pv e1e10
        < bestmove e1e10
        > startpos
        > go depth 1
        ~ bestmove *
    """)


def test_a_bad_position_ends_the_pondering_before_it(uci: ProgramHost) -> None:
    uci.play("""
        > position startpos
        > go ponder wtime 60000 btime 60000
        > position startpos moves a0a9
        ~ bestmove ????*
        < info string position: move 1: *
        > ponderhit
        < info string ponderhit: the last position was refused
        < bestmove (none)
        > isready
        < readyok
    """)


@pytest.mark.parametrize(
    ("command", "remark"),
    [
        ("go depth", "go: depth: expected a number, got nothing, ignored; no readable limit, searching 1000 ms"),
        ("go depth x", "go: depth: expected a number, got 'x', ignored; no readable limit, searching 1000 ms"),
        ("go wtime -5 btime -5", "go: wtime: '-5' is below 0, using 0; btime: '-5' is below 0, using 0"),
        ("go btime 60000", "go: no readable limit, searching 1000 ms"),
        ("go depth 2 fast", "go: 'fast' is unknown, ignored"),
    ],
)
def test_a_bad_go_is_reported_and_still_answered(inside: ProcessHost, command: str, remark: str) -> None:
    inside.play(f"""
        > position startpos
        > {command}
        < info string {remark}
        ~ bestmove *
        > isready
        < readyok
    """)


def test_go_without_a_position_plays_from_the_start(inside: ProcessHost) -> None:
    inside.play("""
        > go depth 1
        < info string go: no position was given, searching the start position
        ~ bestmove *
    """)


def test_a_command_still_gets_its_answer_after_an_internal_error(inside: ProcessHost) -> None:
    def no_engine() -> Engine:
        raise MemoryError("no engine")

    driver = inside.adapter.driver  # type: ignore[attr-defined]
    working, driver.make_engine = driver.make_engine, no_engine
    inside.send("position startpos")
    answer = ["info string internal error at 'go depth 1': MemoryError: 'no engine'", "bestmove (none)"]
    assert inside.said("go depth 1") == answer
    driver.make_engine = working
    inside.send("go depth 1")
    inside.until("bestmove *")
