"""`sanqi play`, driven through its terminal dialogue."""

from __future__ import annotations

import argparse
import os
import re
import select
import signal
import subprocess
import sys
import sysconfig
import tempfile
from functools import partial
from pathlib import Path

import pytest

from game_core.display import GameDisplay
from game_core.session import DRAW, SECOND_WINS, Session, Verdict
from game_core.table import Table
from game_core.table_files import TableFiles
from gomoku_protocol.points import CARO, RENJU
from gomoku_protocol.records import parse_record
from junqi_protocol.records.records import Replay
from junqi_protocol.rules.lineup import from_jql, to_jql
from junqi_protocol.rules.lineup import parse as parse_lineup
from junqi_protocol.rules.lineup import text as text_of
from sanqi.terminal_game import TerminalGame, TypedLines
from search_core.engine import Engine
from tests.helpers.in_process import run_here, sanqi
from tests.helpers.terminal import start_in_terminal
from ucci_engine.pgn import read_games
from ucci_engine.position import Position
from ucci_engine.session import XiangqiSession
from ucci_engine.xqf import parse as parse_xqf

SANQI = Path(sysconfig.get_path("scripts")) / "sanqi"


def play(*lines: str, options: tuple[str | Path, ...] = (), encoding: str = "utf-8", game: str = "xiangqi") -> str:
    """Everything printed in a game of these inputs; input ends after them."""
    with tempfile.TemporaryDirectory() as folder:  # the game is saved there
        typed = "".join(line + "\n" for line in lines).encode()
        words = ("play", game, "--movetime", "20", *options)
        finished = sanqi(*words, cwd=Path(folder), data=typed, encoding=encoding)
    assert (finished.returncode, finished.stderr) == (0, "")
    return finished.stdout


def test_moves_in_both_notations_and_the_answer() -> None:
    printed = play("h2e2", "马八进七", "quit")
    assert printed.count("Black plays ") == 2
    assert printed.count("    a   b   c") == 2 * 3  # one board a turn: at the beginning and after each answer
    assert any(f"[{piece}]" in printed for piece in "車馬象士將砲卒")


def test_a_person_may_play_black() -> None:
    printed = play("h9g7", "quit", options=("--side", "black"))
    assert printed.count("Red plays ") >= 1
    assert "Black to move" in printed


def test_wrong_input_is_named_and_changes_nothing() -> None:
    printed = play("h2e9", "frobnicate", "炮二平三十", "马二平三", "h2e2", "quit")
    assert "'h2e9' is not legal here" in printed
    assert "frobnicate" in printed
    assert "炮二平三十" in printed
    assert "马二平三" in printed
    assert printed.count("Black plays ") == 1


def test_undo_hint_and_help() -> None:
    printed = play("undo", "h2e2", "undo", "hint", "help", "quit")
    assert "there is no move of yours to take back" in printed
    assert "hint: " in printed
    assert "resign" in printed
    boards = [part for part in printed.split("\n\n") if "a   b   c" in part]
    assert boards


def test_the_score_is_shown_with_the_move() -> None:
    assert re.search(r"Black plays \w{4} \S+ \(score [+-]\d+\.\d\d for Black\)\n", play("h2e2", "quit"))
    mated = play("e9f9", "quit", options=("--side", "black", "--fen", "4k4/9/9/9/9/9/9/R8/1R7/3K5 b - - 0 1"))
    assert re.search(r"Red plays \w{4} \S+ \(Red wins in \d moves?\)\n", mated)
    for level in ("weights", "20"):
        assert "(score" not in gomoku("h8", "quit", options=("--level", level))


@pytest.mark.parametrize("game", ["xiangqi", "gomoku", "junqi"])
def test_commands_of_every_game(game: str, tmp_path: Path) -> None:
    typed = ("moves", "level", "level 99", "level 2", "rules", "board", "hint", "save a", "quit")
    options = ["--movetime", "20", *(["--variant", "duel"] if game == "junqi" else [])]
    run = subprocess.run(
        [SANQI, "play", game, "--level", "1", *options],
        input="".join(f"{line}\n" for line in typed), capture_output=True, encoding="utf-8", cwd=tmp_path, timeout=60,
        env=os.environ | {"PYTHONIOENCODING": "utf-8"},
    )  # a call, many words a line  # fmt: skip
    assert (run.returncode, run.stderr) == (0, "")
    opening, *answers = re.split(r"(?:Red to move|Black to move|ply 1, you are seat 0)> ", run.stdout)
    moves, level, wrong, changed, rules, board, hint, saved, _ = answers
    name, side = {"xiangqi": ("Xiangqi", "Red"), "gomoku": ("Gomoku", "Black"), "junqi": ("Junqi", "seat 0")}[game]
    assert opening.startswith(f"{name}, level 1: you have {side}") and "'help'" in opening.splitlines()[0]
    assert {"xiangqi": "炮 h2: c2 d2 e2 ", "gomoku": "225 free points", "junqi": "a6 b6 "}[game] in moves
    assert level == "the engine plays at level 1\n"
    assert wrong.startswith("level: expected 1 to 20, ") and wrong.endswith("got '99'\n")
    assert changed == "the engine plays at level 2\n"
    assert rules.startswith(f"{name}, ")
    assert len(board.splitlines()) > 10 and opening.endswith(board)
    assert re.match(r"hint: \w+", hint)
    assert "a" in [file.name for file in tmp_path.iterdir()], saved
    resumed = subprocess.run(
        [SANQI, "play", game, "--resume", "a"], input="quit\n", capture_output=True, text=True, cwd=tmp_path, timeout=60
    )
    assert ", level 2" in resumed.stdout.splitlines()[0]


@pytest.mark.parametrize("name", ["classic-1ply", "classic-4ply"])
def test_a_classic_player_as_opponent(name: str) -> None:
    printed = play("h2e2", "h0g2", "hint", "quit", options=("--level", name, "--seed", "1"))
    assert printed.count("Black plays ") == 2
    assert "hint: " in printed
    assert "(score" not in printed


@pytest.mark.parametrize("move", ["H2-E2", "C2.5", "炮二平五", "砲二平五", "包２平５", "Che2"])
def test_every_notation_is_read(move: str) -> None:
    assert "Black plays " in play(move, "quit")


SIMPLIFIED_ONLY = set("车马帅将进后")
TRADITIONAL_ONLY = set("俥傌車馬砲帥將進後")


def test_a_position_with_moves(tmp_path: Path) -> None:
    file = tmp_path / "game.txt"
    play("undo", f"save {file}", "quit", options=("--fen", "startpos moves h2e2 h9g7 h0g2 i9h9"))
    assert file.read_text(encoding="utf-8").splitlines()[-1].endswith(" w - - 0 1 moves h2e2 h9g7")
    saved = next(line for line in file.read_text(encoding="utf-8").splitlines() if line.startswith("position "))
    assert "Black plays" in play("c3c4", "quit", options=("--fen", saved))


def test_one_script_at_a_time() -> None:
    lines = ("前炮平五", "炮二动五", "上炮平五", "C2.5", "hint", "undo", "help", "quit")
    endgame = ("--fen", "5k3/9/9/2P1P4/2P1P4/9/9/9/9/4K4 w - - 0 1")
    for script, options in (("simplified", ("--script", "simplified")), ("traditional", ())):
        printed = play(*lines, options=options) + play("C2.5", "前兵进一", "quit", options=(*endgame, *options))
        own, other = SIMPLIFIED_ONLY, TRADITIONAL_ONLY
        if script == "traditional":
            own, other = other, own
        printed = printed.replace("前兵进一", "")  # as it was typed
        assert set(printed) & own and not set(printed) & other


def test_simplified_pieces_of_black_are_in_brackets() -> None:
    printed = play("h2e2", "quit", options=("--script", "simplified"))
    assert " 9 (车)(马)(象)(士)(将)(士)(象)(马)(车) 9\n" in printed
    assert " 0  车  马  相  仕  帅  仕  相  马  车  0\n" in printed
    assert re.search(r"\{[车马象士将炮卒]\}", printed)


def test_a_game_is_saved_as_xqf_and_resumed(tmp_path: Path) -> None:
    file = tmp_path / "game.XQF"
    saved = play("h2e2", f"save {file}", "quit")
    assert f"saved 2 moves to {file}" in saved
    game = parse_xqf(file.read_bytes())
    assert (game.tags["Black"], game.tags["Event"], len(game.moves)) == ("sanqi", "sanqi play", 2)
    assert "there is no move of yours" not in play("undo", "quit", options=("--resume", file))
    black = tmp_path / "black.xqf"
    start = ("--side", "black", "--fen", "4k4/9/9/9/9/9/9/9/4A4/4K4 b - - 0 1")
    play(f"save {black}", "quit", options=start)
    assert parse_xqf(black.read_bytes()).fen.split()[1] == "b"


def test_a_game_is_saved_as_pgn_and_resumed(tmp_path: Path) -> None:
    file = tmp_path / "game.pgn"
    saved = play("h2e2", "炮八进二", f"save {file}", "quit")
    assert f"saved 4 moves to {file}" in saved
    [game] = read_games(file.read_text(encoding="utf-8"))
    assert (game.tags["Red"], game.tags["Black"], game.result, len(game.moves)) == ("?", "sanqi", "*", 4)
    resumed = play("undo", "undo", "undo", "quit", options=("--resume", file))
    assert saved.split("Black plays")[1].split("to move> ")[-1] in resumed
    assert resumed.count("there is no move of yours to take back") == 1
    won = tmp_path / "won.pgn"
    play("b0b9", f"save {won}", "quit", options=("--fen", "4k4/R8/9/9/9/9/9/9/9/1R1K5 w - - 0 1"))
    [game] = read_games(won.read_text(encoding="utf-8"))
    assert (game.result, game.fen) == ("1-0", "4k4/R8/9/9/9/9/9/9/9/1R1K5 w - - 0 1")
    position = Position(game.fen)
    for move in game.moves:
        position.push(move)
    assert position.result() == "mate"


class Terminal:
    """A pseudo-terminal of 60 columns with `sanqi play` in it."""

    def __init__(self, folder: Path, *options: str) -> None:
        self.process, self.master = start_in_terminal([SANQI, "play", *options], 40, 60, folder)
        self.printed = ""

    def send(self, text: str, encoding: str = "utf-8") -> None:
        os.write(self.master, text.encode(encoding))

    def expect(self, text: str) -> None:
        """Read until the text appears after the text expected before."""
        while text not in self.printed:
            assert select.select([self.master], [], [], 60)[0], f"{text!r} is not in {self.printed!r}"
            self.printed += os.read(self.master, 4096).decode(errors="replace")
        self.printed = self.printed[self.printed.index(text) + len(text) :]

    def interrupt(self) -> str:
        """Press Ctrl-C; returns what is printed until the end."""
        try:
            while True:
                # A signal between readline's prompt and its wait takes effect only with the next one.
                self.process.send_signal(signal.SIGINT)
                while select.select([self.master], [], [], 3)[0]:
                    if not (data := os.read(self.master, 4096)):
                        raise OSError
                    self.printed += data.decode(errors="replace")
        except OSError:  # Linux: no process holds the terminal any more
            pass
        os.close(self.master)
        assert self.process.wait(timeout=60) == 130
        return self.printed


@pytest.mark.skipif(sys.platform == "win32", reason="needs a pseudo-terminal")
def test_a_line_that_is_no_text_does_not_end_the_game(tmp_path: Path) -> None:
    terminal = Terminal(tmp_path, "xiangqi", "--movetime", "20")
    terminal.expect("Red to move> ")
    terminal.send("h2\xffe2\n", "latin-1")
    terminal.expect("'help' lists")
    terminal.expect("Red to move> ")
    terminal.send("h2e2\n")
    terminal.expect("Black plays")
    terminal.expect("Red to move> ")
    assert "saved 2 moves" in terminal.interrupt()


@pytest.mark.skipif(sys.platform == "win32", reason="needs a pseudo-terminal")
def test_ctrl_c_saves_the_game(tmp_path: Path) -> None:
    options = ("--movetime", "20", "--level", "2", "--seed", "7", "--repetition-rule", "draw")
    terminal = Terminal(tmp_path, "xiangqi", *options)
    terminal.expect("Red to move> ")
    terminal.send("h2e2\n")
    terminal.expect("Black plays")
    terminal.expect("Red to move> ")
    printed = " ".join(terminal.interrupt().split())
    again = "sanqi play xiangqi --resume sanqi-xiangqi-1.pgn"
    assert f"saved 2 moves to sanqi-xiangqi-1.pgn; go on with: {again}" in printed
    [game] = read_games((tmp_path / "sanqi-xiangqi-1.pgn").read_text(encoding="utf-8"))
    assert len(game.moves) == 2


@pytest.mark.skipif(sys.platform == "win32", reason="needs a pseudo-terminal")
def test_ctrl_c_while_the_engine_thinks(tmp_path: Path) -> None:
    """It says that the engine thinks, and saves to a new file, not over an older game."""
    older = tmp_path / "sanqi-gomoku-1.sgf"
    older.write_text("older")
    terminal = Terminal(tmp_path, "gomoku", "--movetime", "600000", "--rule", "renju")
    terminal.expect("Black to move> ")
    terminal.send("h8\n")
    terminal.expect("thinking")
    assert "saved 1 move to sanqi-gomoku-2.sgf" in terminal.interrupt()
    assert older.read_text() == "older"
    record = parse_record((tmp_path / "sanqi-gomoku-2.sgf").read_bytes(), "sgf")
    assert (record.rule, len(record.moves)) == (RENJU, 1)


@pytest.mark.skipif(sys.platform == "win32", reason="needs a pseudo-terminal")
def test_messages_wrap_at_words(tmp_path: Path) -> None:
    terminal = Terminal(tmp_path, "gomoku")
    terminal.expect("Black to move> ")
    terminal.send("help\n")
    terminal.expect("at the prompt: ")
    terminal.expect("Black to move> ")
    terminal.send("nonsense\n")
    terminal.expect("expected a move as h8 or 7,7, got 'nonsense' ('help' lists")
    terminal.expect("\r\nthe commands)")
    terminal.expect("Black to move> ")
    assert "saved" not in terminal.interrupt()  # no move has been played
    assert list(tmp_path.iterdir()) == []


def test_save_writes_a_position_line(tmp_path: Path) -> None:
    file = tmp_path / "my game.txt"
    printed = play("save", "h2e2", f"save {file}", f"save {file}", "save /nowhere/x", "quit")
    assert "expected: save FILE" in printed
    assert printed.count(f"saved 2 moves to {file}; go on with: sanqi play xiangqi --resume ") == 2
    assert "'/nowhere/x' cannot be written: there is no folder " in printed
    options, comment, position = file.read_text(encoding="utf-8").splitlines()
    assert options.startswith("# sanqi play xiangqi --side red ")
    assert comment.startswith("# 炮二平五 ")
    assert position.startswith("position fen rnbakabnr/")
    assert " moves h2e2 " in position


def test_a_seed_repeats_a_game_against_a_classic_player() -> None:
    """It takes a horse first, and draws lots after that."""

    def printed(seed: str) -> str:
        return play("h2e2", "a0b0", options=("--level", "classic-1ply", "--seed", seed))

    games = [printed(seed) for seed in "123"]
    assert games == [printed(seed) for seed in "123"]
    assert len(set(games)) > 1


def test_resign_and_end_of_input() -> None:
    assert "Black wins: Red resigned. You lose.\nThe game is over; undo, new, save FILE or quit> " in play("resign")
    mates = ("--fen", "3k5/1R7/9/9/9/9/9/9/9/R3K4 w")
    assert "resigned" not in play("a0a9", "resign", "quit", options=mates)
    assert "Red to move" in play()


def test_a_resigned_game_can_be_saved_or_taken_up_again(tmp_path: Path) -> None:
    file = tmp_path / "lost.pgn"
    printed = play("h2e2", "resign", "h0g2", "resign", f"save {file}", "undo", "h0g2", "quit")
    assert printed.count("the game is over; expected undo, new, save FILE or quit") == 2
    assert printed.count("Red resigned. You lose.") == 4
    assert '[Result "0-1"]' in file.read_text(encoding="utf-8")
    assert printed.count("Black plays ") == 2
    sgf = tmp_path / "lost.sgf"
    gomoku("h8", "resign", f"save {sgf}", "new", "h8", "quit")
    assert "RE[W" in sgf.read_text(encoding="utf-8")


def test_mate_ends_the_game() -> None:
    one_move = "4k4/R8/9/9/9/9/9/9/9/1R1K5 w - - 0 1"
    printed = play("b0b9", "h2e2", "undo", "quit", options=("--fen", one_move))
    assert "Red wins: checkmate. You win.\n" in printed
    assert "the game is over; expected undo" in printed
    assert printed.rstrip().endswith("Red to move>")
    mated = play("quit", options=("--fen", "3rkr3/9/9/9/9/9/9/9/4p4/3K5 w - - 0 1"))
    assert re.search(r"Black wins: .*\. You lose\.\n", mated)


def test_letters_where_chinese_cannot_be_printed() -> None:
    printed = play("h2e2", "quit", encoding="ascii")
    assert " C " in printed
    assert printed.isascii()


def test_new_begins_again_from_the_same_position() -> None:
    one_move = "4k4/R8/9/9/9/9/9/9/9/1R1K5 w - - 0 1"
    printed = play("b0b9", "new", "b0b9", "quit", options=("--fen", one_move))
    assert printed.count("Red wins: checkmate.") == 2


def gomoku(*lines: str, options: tuple[str | Path, ...] = (), encoding: str = "utf-8") -> str:
    return play(*lines, options=options, encoding=encoding, game="gomoku")


def test_gomoku_moves_in_both_notations() -> None:
    printed = gomoku("h8", "undo", "7,7", "quit", encoding="ascii")
    assert printed.count("White plays ") == 2
    assert len(re.findall(r"^ 8 .{21} X ", printed, re.MULTILINE)) == 2
    assert printed.count("    a  b  c") == 2 * 4  # the empty board is shown again after undo
    assert "[O]" in printed


def test_a_wrong_line_costs_no_game() -> None:
    printed = gomoku("h8", "moves h8", "moves zz", "moves h9", "save ~nobody-here/x.sgf", "quit")
    for said in ("'h8' is not empty", "'zz'", " is free", "x.sgf' cannot be written: "):
        assert printed.count(said) == 1, printed
    assert "saved 2 moves to sanqi-gomoku-1.sgf" in printed


def test_gomoku_on_other_boards_and_sides() -> None:
    printed = gomoku("quit", options=("--size", "22", "--side", "white", "--rule", "standard"))
    assert "22  ." in printed
    assert " u  v \n" in printed
    assert "Black plays k" in printed or "Black plays l" in printed
    assert "White to move" in printed


def test_gomoku_wrong_input_is_named_and_changes_nothing() -> None:
    printed = gomoku("p8", "h16", "h0", "15,3", "1,2,3", "frobnicate", "h8", "7,7", "quit")
    for message in (
        "'p8' is not on the board of 15x15",
        "'h16' is not on the board",
        "'h0' is not on the board",
        "'15,3' is not on the board",
        "expected a move as h8 or 7,7, got '1,2,3'",
        "expected a move as h8 or 7,7, got 'frobnicate'",
        "'7,7' is not empty",
    ):
        assert message in printed
    assert printed.count("White plays ") == 1


def test_gomoku_hint_help_new_and_resign() -> None:
    printed = gomoku("hint", "help", "h8", "new", "undo", "resign")
    assert "hint: " in printed
    assert "save FILE      write the game" in printed
    assert "there is no move of yours to take back" in printed
    assert "White wins: Black resigned." in printed


@pytest.mark.parametrize("name", ["game.psq", "game.sgf", "game.hex", "game.txt"])
def test_gomoku_saved_games_are_resumed(name: str, tmp_path: Path) -> None:
    file = tmp_path / name
    saved = gomoku("h8", f"save {file}", f"save {file}", "save game.rec", "save", "quit")
    assert saved.count(f"saved 2 moves to {file}") == 2
    assert "'.rec' does not name a record" in saved
    assert "expected: save FILE" in saved
    last_board = saved.split("White plays")[0].split("to move> ")[-1]
    resumed = gomoku("undo", "quit", options=("--resume", file))
    assert last_board in resumed
    assert "to take back" not in resumed
    assert ("cannot hold" in saved) == (name != "game.sgf")


def test_gomoku_saves_rule_names_and_result(tmp_path: Path) -> None:
    won, saved = tmp_path / "won.sgf", tmp_path / "saved.sgf"
    won.write_text("(;SZ[9]RU[caro]AB[aa][ba][ca][da]AW[ai][bi][ci];W[ei])")
    printed = gomoku("e9", f"save {saved}", "h1", "quit", options=("--resume", won))
    assert "Black wins. You win.\n" in printed
    assert "'h1': the game is over" in printed
    record = parse_record(saved.read_bytes(), "sgf")
    assert (record.rule, record.names, record.outcome) == (CARO, (None, "sanqi"), "black")
    assert [(stone.x, stone.y) for stone in record.moves] == [(4, 8), (4, 0)]
    assert len(record.setup) == 7


def test_gomoku_times_are_saved_and_kept(tmp_path: Path) -> None:
    file, again = tmp_path / "a.psq", tmp_path / "b.psq"
    file.write_text("Piskvorky 15x15, 0:0, 0\n8,8,4321\n7,7,98765\n")
    gomoku("a1", f"save {again}", "quit", options=("--resume", file))
    record = parse_record(again.read_bytes(), "psq")
    assert [stone.ms for stone in record.moves[:2]] == [4321, 98765]
    assert len(record.moves) == 4


def test_gomoku_renju_marks_and_refuses_forbidden_points(tmp_path: Path) -> None:
    file = tmp_path / "double-three.sgf"
    file.write_text("(;RU[renju]AB[hg][hf][gh][fh]AW[aa][oo][ao][oa])")
    printed = gomoku("h8", "quit", options=("--resume", file))
    assert "'h8' is forbidden to Black" in printed
    assert printed.count(" ! ") == 1
    assert "White plays " in gomoku("h8", "quit", options=("--resume", file, "--rule", "freestyle"))


def test_gomoku_against_the_weights() -> None:
    printed = gomoku("h8", "hint", "quit", options=("--level", "weights"))
    assert "White plays " in printed
    assert "hint: " in printed


@pytest.mark.parametrize(
    ("record", "options", "message"),
    [
        ("(;SZ[9];B[aa];B[bb])", [], "move 2: Black plays out of turn"),
        ("(;SZ[9];B[aa];W[zz])", [], "move 2: W[zz] is not on the board of 9x9"),
        ("(;SZ[9];B[aa])", ["--size", "9"], "--size 9 does not go with --resume"),
        ("(;AB[aa][ba][ca][da];B[ea];W[hh])", [], "move 2: "),
    ],
)
def test_gomoku_records_that_cannot_be_resumed(record: str, options: list[str], message: str, tmp_path: Path) -> None:
    file = tmp_path / "record.sgf"
    file.write_text(record)
    assert_refused(["gomoku", "--resume", str(file), *options], message)


def assert_refused(arguments: list[str], message: str) -> None:
    finished = run_here("play", *arguments, cwd=Path.cwd())
    assert finished.returncode == 2
    assert finished.stderr.startswith("sanqi play")
    assert message in finished.stderr
    assert finished.stderr.count("\n") == 1
    assert finished.stdout == ""


@pytest.mark.parametrize(("variant", "others"), [("siguo", 75), ("duel", 25)])
def test_junqi_hides_the_other_armies_and_reports_their_moves(variant: str, others: int, tmp_path: Path) -> None:
    run = subprocess.run(
        [SANQI, "play", "junqi", "--variant", variant, "--level", "random"],
        input="help\npass\nresign\n",
        capture_output=True,
        text=True,
        cwd=tmp_path,
        timeout=60,
    )
    assert (run.returncode, run.stderr) == (0, "")
    first = run.stdout.split("ply 1, you are seat 0> ")[0]
    assert first.count("?") == others
    assert "mark SQUARE 9" in run.stdout
    assert "1. seat 0: does not move (pass, 1)" in run.stdout
    assert "\n2. seat 1: " in run.stdout
    if variant == "duel":
        assert "Seat 1 wins: you have resigned." in run.stdout
    else:  # the partner plays on until the input ends
        assert ". seat 0: is out (resign)" in run.stdout


def test_who_is_out_can_still_leave_or_take_it_back(tmp_path: Path) -> None:
    """Engines would think for ten minutes a move."""
    run = subprocess.run(
        [SANQI, "play", "junqi", "--movetime", "600000"],
        input="resign\nboard\nundo\nresign\nquit\n", capture_output=True, text=True, cwd=tmp_path, timeout=60,
    )  # fmt: skip
    assert (run.returncode, run.stderr) == (0, "")
    assert run.stdout.count("1. seat 0: is out (resign)\nYour seat is out") == 2
    assert run.stdout.count("you are seat 0> ") == 2 and run.stdout.count("> seat 3\n") == 3
    assert "saved 1 ply to sanqi-junqi-1.jgr" in run.stdout


@pytest.mark.skipif(sys.platform == "win32", reason="needs a pseudo-terminal")
def test_undo_while_the_engine_thinks(tmp_path: Path) -> None:
    terminal = Terminal(tmp_path, "gomoku", "--movetime", "600000")
    for line in ("h8", "h9"):
        terminal.expect("Black to move> ")
        terminal.send(f"{line}\n")
        terminal.expect("thinking")
        terminal.send("a1\n")  # it waits for the turn
        terminal.send("undo\n")
        terminal.expect("Black to move> a1")
        terminal.expect("thinking")
        terminal.send("undo\n")
    terminal.expect("Black to move> ")
    assert "saved" not in terminal.interrupt()


@pytest.mark.parametrize("typed", ["quit\n", ""])
def test_who_leaves_a_game_of_four_does_not_wait_for_its_end(typed: str, tmp_path: Path) -> None:
    """Three engines would think for a second a move."""
    run = subprocess.run(
        [SANQI, "play", "junqi"], input=typed, capture_output=True, text=True, cwd=tmp_path, timeout=60
    )
    assert (run.returncode, run.stderr) == (0, "")
    assert "ply 1, you are seat 0> " in run.stdout and "\n1. " not in run.stdout
    assert list(tmp_path.iterdir()) == []


def test_a_level_of_junqi_goes_on_with_a_saved_game_as_without_a_break(tmp_path: Path) -> None:
    options = ("--level", "5", "--seed", "7")

    def moves(typed: str, *more: str) -> list[str]:
        return re.findall(r"^\d+\. seat 1: .*", junqi(typed, tmp_path, *options, *more), re.MULTILINE)

    whole = moves("pass\nsave game.jgr\npass\npass\nresign\n")
    assert len(whole) == 3
    resumed = subprocess.run(
        [SANQI, "play", "junqi", "--resume", "game.jgr", *options],
        input="pass\npass\nresign\n", capture_output=True, text=True, cwd=tmp_path, timeout=60,
    )  # fmt: skip
    assert re.findall(r"^\d+\. seat 1: .*", resumed.stdout, re.MULTILINE)[-2:] == whole[1:]


def test_help_and_quit_while_a_lineup_is_chosen(tmp_path: Path) -> None:
    said = junqi("help\nsave\nload\nquit\n", tmp_path, "--lineup", "choose", "--level", "random")
    assert said.count("choose your lineup: ") == 2
    assert "save which file?" in said and "load which file?" in said
    assert "is no lineup" not in said and "ply 1" not in said


def test_junqi_game_is_saved_and_continued(tmp_path: Path) -> None:
    options = ("--seat", "1", "--lineup", LINEUP, "--level", "random")
    before = junqi("pass\nsave\nsave game.jgr\nsave game.jgr\nmark a6 9\nresign\n", tmp_path, *options)
    assert "save where? expected: save FILE" in before
    assert before.count("saved 3 plies to game.jgr; go on with: sanqi play junqi --resume game.jgr\n") == 2
    assert "saved 4 plies to sanqi-junqi-1.jgr; review it with: sanqi review sanqi-junqi-1.jgr\n" in before
    resumed = subprocess.run(
        [SANQI, "play", "junqi", "--resume", "game.jgr", "--level", "random"],
        input="resign\n", capture_output=True, encoding="utf-8", cwd=tmp_path, timeout=60,
        env=os.environ | {"PYTHONIOENCODING": "utf-8"},
    )  # a call, many words a line  # fmt: skip
    assert (resumed.returncode, resumed.stderr) == (0, "")
    saved = (tmp_path / "game.jgr").read_text()
    assert f"lineup 1 {LINEUP}\n" in saved
    boards = [printed.split("ply 4, you are seat 1> ")[0].split("\n\n")[-1] for printed in (before, resumed.stdout)]
    assert boards[0] == boards[1]
    assert "Seat 0 wins: you have resigned." in resumed.stdout
    for arguments, message in (
        (["--lineup", LINEUP], "--resume: the game has its variant and its lineups already"),
        (["--seat", "2"], "--seat 2 must be from 0 to 1"),
    ):
        assert_refused(["junqi", "--resume", str(tmp_path / "game.jgr"), *arguments], message)


@pytest.mark.skipif(sys.platform == "win32", reason="needs a pseudo-terminal")
def test_ctrl_c_saves_a_game_of_junqi(tmp_path: Path) -> None:
    terminal = Terminal(tmp_path, "junqi", "--variant", "duel", "--level", "random")
    terminal.expect("ply 1, you are seat 0> ")
    terminal.send("pass\n")
    terminal.expect("ply 3, you are seat 0> ")
    again = "sanqi play junqi --resume sanqi-junqi-1.jgr"
    assert f"saved 2 plies to sanqi-junqi-1.jgr; go on with: {again}" in " ".join(terminal.interrupt().split())
    assert len(Replay((tmp_path / "sanqi-junqi-1.jgr").read_bytes()).arbiter.happenings) == 2


LINEUP = "96317/5.3.5/81.37/B.2.4/6M2MB/4FM21"


def junqi(typed: str, cwd: Path, *options: str, encoding: str = "utf-8") -> str:
    """What a game of Junqi prints."""
    words = ("play", "junqi", "--variant", "duel", *options)
    run = sanqi(*words, cwd=cwd, data=typed.encode(), encoding=encoding)
    assert (run.returncode, run.stderr) == (0, "")
    return run.stdout


def own_pieces(printed: str) -> str:
    """The letters of seat 0's pieces on the first board of the game of two, row by row from the front."""
    letters = str.maketrans("司军师旅团营连排兵炸雷旗", "987654321BMF")
    board = printed.translate(letters).split("ply 1, you are seat 0")[0].splitlines()
    rows = [line for line in board if re.match(r" ?[1-6] ", line)][-6:]
    return "/".join(re.sub(r"[^1-9BMF]", "", row[3:]) for row in rows)


@pytest.mark.parametrize("suffix", ["jql", "txt"])
def test_junqi_lineup_from_a_file_or_the_command_line(suffix: str, tmp_path: Path) -> None:
    file = tmp_path / f"mine.{suffix}"
    file.write_bytes(to_jql(parse_lineup(LINEUP)) if suffix == "jql" else f"# mine\n{LINEUP}\n".encode())
    expected = LINEUP.replace(".", "")
    assert own_pieces(junqi("resign\n", tmp_path, "--lineup", file.name)) == expected
    assert own_pieces(junqi("resign\n", tmp_path, "--lineup", LINEUP)) == expected


def test_a_seed_repeats_a_game_of_junqi(tmp_path: Path) -> None:
    def printed(seed: str) -> str:
        said, saved = junqi("pass\nresign\n", tmp_path, "--level", "3", "--seed", seed).split("saved 3 plies to ")
        assert saved.startswith("sanqi-junqi-")
        return said

    games = [printed(seed) for seed in "12"]
    assert games == [printed(seed) for seed in "12"]
    assert games[0] != games[1]


def test_a_terminal_without_chinese_shows_english_names_of_junqi(tmp_path: Path) -> None:
    printed = junqi("\nresign\n", tmp_path, "--lineup", "choose", encoding="ascii")
    assert "9 commander   8 general   7 division" in printed
    assert "\\u" not in printed


@pytest.mark.parametrize("word", ["load", "save"])
def test_a_file_name_that_no_system_has_ends_no_dialogue(word: str, tmp_path: Path) -> None:
    assert "embedded null" in junqi(f"{word} a\0b\n\nresign\n", tmp_path, "--lineup", "choose")
    assert "embedded null" in junqi("save a\0b\nresign\n", tmp_path)


def test_junqi_lineup_is_chosen_in_a_dialogue(tmp_path: Path) -> None:
    typed = f"{LINEUP}\nswap A1 b1\nswap c1 B6\nswap z9 a1\nload none.jql\ndraw it\nsave mine.jql\n"
    printed = junqi(f"{typed}{LINEUP}\nload mine.jql\n\nresign\n", tmp_path, "--lineup", "choose")
    assert "9 司令  6 旅长  3 连长" in printed
    assert "the flag stands at row 1, point 3, not in a headquarters" in printed
    assert "'z9' is no point, expected A1 to E6" in printed
    assert "No such file or directory" in printed
    assert (tmp_path / "mine.jql").read_bytes() != to_jql(parse_lineup(LINEUP))
    saved = from_jql((tmp_path / "mine.jql").read_bytes())
    assert own_pieces(printed) == text_of(saved).replace(".", "")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["junqi", "--variant", "duel", "--partner", "path"], "--partner: with two seats you have no partner"),
        (["junqi", "--lineup", "none.jql"], "--lineup 'none.jql': No such file or directory"),
        (["junqi", "--lineup", "1/2"], "--lineup: '1/2' is no lineup"),
        (["junqi", "--resume", "none.jgr"], "--resume 'none.jgr' cannot be read"),
        (["xiangqi", "--fen", "9/9 w"], "--fen: "),
        (["xiangqi", "--resume", "missing.pgn"], "--resume 'missing.pgn' cannot be read"),
        (["xiangqi", "--movetime", "0"], "--movetime: expected a number from 1 to 1000000000, got '0'"),
        (["gomoku", "--movetime", "-5"], "--movetime: expected a number from 1 to 1000000000, got '-5'"),
        (["junqi", "--variant", "duel", "--seat", "2"], "--seat 2 must be from 0 to 1"),
        (["gomoku", "--size", "23"], "--size: expected a number from 5 to 22, got '23'"),
        (["gomoku", "--resume", "missing.psq"], "'missing.psq' cannot be read"),
        (["xiangqi", "--fen", "3k5/9/9/9/9/9/9/9/9/4K4 w - - 0 1 moves e0e3"], "--fen: move 1: 'e0e3' is not legal"),
        (["xiangqi", "--fen", "startpos moves h2e2 and"], "--fen: move 2: 'and' is not a move"),
        (["xiangqi", "--movetime", "9" * 5000], "--movetime: expected a number from 1 to 1000000000, got '9999"),
        (["gomoku", "--size", "9" * 5000], "--size: expected a number from 5 to 22, got '9999"),
        (["junqi", "--seat", "9" * 5000], "--seat: expected a number from 0 to 3, got '9999"),
        (["gomoku", "--resume", "game.doc"], "'.doc' does not name a record"),
    ],
)
def test_wrong_arguments(arguments: list[str], message: str) -> None:
    assert_refused(arguments, message)


@pytest.mark.parametrize(
    ("name", "message"),
    [("empty.jgr", "the record ends before the start of the game"), ("empty.pgn", "there is no game in it")],
)
def test_an_empty_record(name: str, message: str, tmp_path: Path) -> None:
    (tmp_path / name).touch()
    assert_refused(["junqi" if name.endswith("jgr") else "xiangqi", "--resume", str(tmp_path / name)], message)


def plain_game(display: GameDisplay, session: Session, seat: int, *typed: str) -> TerminalGame:
    """A game of a person who types these lines, at 10 ms a move."""
    lines = iter(typed)
    chooser = partial(display.chooser, argparse.Namespace(movetime=10), Engine())
    table = Table(session, (seat,), ["", ""], chooser)
    return TerminalGame(table, display, TableFiles(table, display, {}), TypedLines(lambda: next(lines, None)))


def test_a_game_that_is_over_offers_what_the_game_has(capsys: pytest.CaptureFixture[str]) -> None:
    """A game of the plain display cannot be saved."""
    session = XiangqiSession("4k4/R8/9/9/9/9/9/9/9/1R1K5 w - - 0 1")
    plain_game(GameDisplay("plain", "Plain", XiangqiSession), session, 0, "b0b9", "h2e2", "quit").play()
    printed = capsys.readouterr().out
    assert printed.count("The game is over; undo, new or quit> ") == 2
    assert "'h2e2': the game is over; expected undo, new or quit\n" in printed
    xiangqi = play("b0b9", "h2e2", "quit", options=("--fen", "4k4/R8/9/9/9/9/9/9/9/1R1K5 w - - 0 1"))
    assert xiangqi.count("undo, new, save FILE or quit") == 3


def test_a_game_needs_no_display_of_its_own(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    display = GameDisplay("plain", "Plain", XiangqiSession)

    def played(*lines: str, seat: int = 0) -> str:
        """What is printed when a person types these lines."""
        game = plain_game(display, XiangqiSession(), seat, *lines)
        game.play()
        assert game.keep()
        game.table.close()
        return capsys.readouterr().out

    monkeypatch.chdir(tmp_path)
    printed = played("h2e2", "undo", "h2e9", "hint", "help", "save game.rec", "new", "h2e2", "resign", "quit")
    assert "Red plays " in played("quit", seat=1)
    assert "Red to move> " in printed
    assert re.search(r"Black plays \S+ \(\w{4}\) \(score ", printed)
    assert re.search(r"hint: \S+ \(\w{4}\)\n", printed)
    assert '"e2": "C"' in printed and '"h2": "C"' in printed
    assert "'h2e9' is not legal here" in printed
    assert "at the prompt: a move, or one of\n  undo" in printed
    assert "save FILE" not in printed
    assert "a game of Plain cannot be saved" in printed
    assert "Black wins: Red resigned." in printed
    assert not list(tmp_path.iterdir())
    assert display.example == "example:\n  sanqi play plain\n"
    assert display.ending(XiangqiSession(), Verdict(DRAW, "sleep")) == "Draw: sleep."
    assert display.ending(XiangqiSession(), Verdict(SECOND_WINS, "sleep")) == "Black wins: sleep."


def test_input_that_cannot_be_typed_is_named_and_changes_nothing() -> None:
    finished = subprocess.run(
        [SANQI, "play", "xiangqi", "--movetime", "20"],
        input=b"x" * 20_000_000 + b"\n\xff\xfe\x1b[31m\n" + b"h" * 60_000 + b"\nquit\n",
        capture_output=True,
        timeout=60,
        check=False,
    )
    assert (finished.returncode, finished.stderr) == (0, b"")
    told = [line for line in finished.stdout.decode(errors="replace").splitlines() if "Red to move>" in line]
    assert "a line of 20000000 bytes, longer than the limit of 65536, was dropped" in told[0]
    assert len(told) == 4 and all(len(line) < 300 and line.isprintable() for line in told)


def test_a_person_under_the_referee_may_type_anything() -> None:
    finished = subprocess.run(
        [SANQI, "play", "junqi", "--variant", "duel"],
        input=b"x" * 20_000_000 + b"\n\xff\xfe[red]\x1b[31m\nquit\n",
        capture_output=True,
        timeout=60,
        check=False,
    )
    assert (finished.returncode, finished.stderr) == (0, b"")
    assert b"longer than the limit of 65536" in b" ".join(finished.stdout.split())
    assert b"\x1b" not in finished.stdout


def test_swap2_in_the_terminal(tmp_path: Path) -> None:
    """The person proposes a winning shape for Black, which the engine takes; undo, save and resume know the choice."""
    swap2 = ("--opening", "swap2", "--level", "1")
    file = tmp_path / "game.sgf"
    printed = play("h8", "a15", "g7", "undo", "g7", "h1", f"save {file}", "quit", options=swap2, game="gomoku")
    assert "you put the first three stones, the engine chooses" in printed
    assert "Place stone 2 of 3: white> " in printed
    assert printed.count("The engine takes Black: you have White.") == 2
    assert "White to move> " in printed and "Black plays " in printed
    record = parse_record(file.read_bytes(), "sgf")
    assert record.opening == "swap2 black" and len(record.moves) == 5
    again = play("quit", options=("--resume", file), game="gomoku")
    assert "you have White, the engine Black" in again


def test_the_person_chooses_in_swap2() -> None:
    swap2 = ("--opening", "swap2", "--side", "white", "--level", "1", "--seed", "2")
    printed = play("h1", "moves", "two", "a1", "o15", "quit", options=swap2, game="gomoku")
    assert printed.count("First player plays ") == 3
    assert (
        "Choose your colour, or place two more stones (black, white, two)> choose first: black, white, two" in printed
    )
    assert "choose: black, white, two" in printed
    assert "Place stone 5 of 5: black> " in printed
    assert re.search("The engine takes (Black: you have White|White: you have Black)", printed)


def test_an_opening_of_renju_in_the_terminal(tmp_path: Path) -> None:
    file = tmp_path / "game.sgf"
    printed = play("new", f"save {file}", "quit", options=("--opening", "kagetsu"), game="gomoku")
    assert "White plays " in printed
    record = parse_record(file.read_bytes(), "sgf")
    assert (record.opening, record.rule, len(record.setup), record.first) == ("D4 花月 Kagetsu", RENJU, 3, 1)
