"""Games of `sanqi play` that are saved, left and resumed: who plays, by which rules, and which files are written."""

from __future__ import annotations

import re
import shlex
import subprocess
import sysconfig
from dataclasses import replace
from pathlib import Path

import pytest

from gomoku_protocol.records import parse_record, serialise_record
from tests.helpers.in_process import sanqi
from ucci_engine.pgn import read_games
from ucci_engine.xqf import parse as parse_xqf

SANQI = Path(sysconfig.get_path("scripts")) / "sanqi"


def play(folder: Path, words: str, *typed: str) -> str:
    """All that is printed in a game: `words` are those of the command line after `sanqi play`."""
    run = sanqi("play", *shlex.split(words), cwd=folder, data="".join(line + "\n" for line in typed).encode())
    assert (run.returncode, run.stderr) == (0, "")
    return run.stdout


def answers(printed: str) -> list[str]:
    """The engine's moves."""
    return re.findall(r"(?:\w+ plays \S+|^\d+\. seat [023]: .*)", printed, re.MULTILINE)


def command(printed: str) -> str:
    """The last command that goes on with a saved game, without `sanqi play`."""
    return str(re.findall(r"go on with: sanqi play (.*)", printed)[-1])


# fmt: off
GAMES = [
    *(("xiangqi", name, "--side black --level 3 --seed 7 --repetition-rule Asian --quiet-limit none",
       ("h9g7", "b9c7"), ("i9h9", "g6g5")) for name in ("a.pgn", "a.xqf", "a.txt", "a")),
    ("xiangqi", "a.pgn", "--level classic-1ply --seed 4 --script simplified", ("h2e2", "h0g2"), ("i0h0", "b0c2")),
    *(("gomoku", name, "--side white --level 2 --seed 5 --rule renju --size 13", ("c3", "c5"), ("d9", "k2"))
      for name in ("a.sgf", "a", "a.psq")),
    ("gomoku", "a.hex", "--side white --level 2 --seed 9 --rule caro", ("c3", "c5"), ("d9", "k2")),
    ("junqi", "a.jgr", "--variant duel --seat 1 --level 3 --seed 7", ("pass", "pass"), ("pass",)),
    ("junqi", "a.jgr", "--variant siguo --seat 1 --level 2 --partner 1 --enemies 3 --movetime 500 --seed 5",
     ("pass",), ("pass",)),
]  # a game, many words a line
# fmt: on


@pytest.mark.parametrize(("game", "name", "options", "before", "after"), GAMES)
def test_a_resumed_game_goes_on_as_without_a_break(
    game: str, name: str, options: str, before: tuple[str, ...], after: tuple[str, ...], tmp_path: Path
) -> None:
    """With the command that `save` prints: the same side, level, seed and rules, so the same answers."""
    whole = play(tmp_path, f"{game} {options}", *before, f"save {name}", *after)
    rest = whole.split("saved ", 1)[1]
    again = command(rest.partition("\n")[0])
    can_hold = name not in ("a.psq", "a.hex")
    assert ("cannot hold side, rule, level, seed" in whole) == (not can_hold)
    if can_hold:
        assert again == f"{game} --resume {name}"
    resumed = play(tmp_path, again, *after)
    said = resumed.splitlines()[0]
    for option, value in re.findall(r"--(\S+) (\S+)", options):
        if option not in ("size", "variant"):
            assert f"{option.replace('-', ' ')} {value}" in said
    expected = answers(rest)
    assert expected and answers(resumed)[-len(expected) :] == expected
    # It was saved at the end of the input with the same options, to the same file if that can be known as ours.
    if name != "a.hex":
        assert command(resumed) == again
        assert play(tmp_path, again).splitlines()[0].partition(": ")[2] == said.partition(": ")[2]


@pytest.mark.parametrize("end", ["quit", ""])
@pytest.mark.parametrize(("game", "move"), [("xiangqi", "h9g7"), ("gomoku", "c3"), ("junqi", "pass")])
def test_who_leaves_loses_nothing(game: str, move: str, end: str, tmp_path: Path) -> None:
    side = "--variant duel --seat 1" if game == "junqi" else f"--side {'black' if game == 'xiangqi' else 'white'}"
    printed = play(tmp_path, f"{game} {side} --level 1", move, *([end] if end else []))
    [file] = tmp_path.iterdir()
    assert file.name == f"sanqi-{game}-1.{ {'xiangqi': 'pgn', 'gomoku': 'sgf', 'junqi': 'jgr'}[game] }"
    assert command(printed) == f"{game} --resume {file.name}"
    before = file.read_bytes()
    resumed = play(tmp_path, command(printed), "quit")  # nothing to save
    assert f"{file.name} has the game; go on with: sanqi play {game} --resume {file.name}\n" in resumed
    assert [each.read_bytes() for each in tmp_path.iterdir()] == [before]
    play(tmp_path, command(printed), move, "quit")
    assert list(tmp_path.iterdir()) == [file]


def test_a_game_whose_terminal_goes_is_saved(tmp_path: Path) -> None:
    process = subprocess.Popen(
        [SANQI, "play", "gomoku", "--level", "1"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        cwd=tmp_path,
    )
    assert process.stdin is not None and process.stdout is not None
    process.stdin.write("h8\n")
    process.stdin.flush()
    while " plays " not in process.stdout.readline():
        pass
    process.stdout.close()
    process.stdin.write("help\nhelp\n")
    process.stdin.close()
    process.wait(timeout=60)
    assert len(parse_record((tmp_path / "sanqi-gomoku-1.sgf").read_bytes(), "sgf").moves) == 2


def test_a_game_without_a_move_leaves_no_file(tmp_path: Path) -> None:
    for game in ("xiangqi", "gomoku", "junqi"):
        play(tmp_path, game, "quit")
        play(tmp_path, game)
    assert list(tmp_path.iterdir()) == []


def test_a_saved_game_is_saved_again_by_its_name_alone(tmp_path: Path) -> None:
    """What the person has named stays as it is until it is named again."""
    printed = play(tmp_path, "gomoku --level 1", "h8", "save a.sgf", "a1", "save a.sgf", "c3", "quit")
    assert "saved 2 moves to a.sgf;" in printed and "saved 4 moves to a.sgf;" in printed
    assert "saved 6 moves to sanqi-gomoku-1.sgf;" in printed
    assert len(parse_record((tmp_path / "a.sgf").read_bytes(), "sgf").moves) == 4
    printed = play(tmp_path, "gomoku --level 1", "h8", "save a.sgf", "new", "a1", "save a.sgf", "save a.sgf")
    assert "saved 2 moves to a-2.sgf (a.sgf exists already and is not of this game); go on with" in printed
    assert "saved 2 moves to a-3.sgf (" in printed
    assert len(parse_record((tmp_path / "a.sgf").read_bytes(), "sgf").moves) == 4


def changed_pgn(folder: Path, change: tuple[str, str]) -> bytes:
    """A game of two moves in `a.pgn`, changed by another program."""
    play(folder, "xiangqi --level 1 --seed 3", "h2e2", "save a.pgn")
    file = folder / "a.pgn"
    text = file.read_text(encoding="utf-8")
    assert change[0] in text
    file.write_bytes(text.replace(*change, 1).encode())
    return file.read_bytes()


CHANGES = (
    ("1. H2-E2", "1. H2-E2 (1. B2-E2)"),
    ('[Format "ICCS"]', '[Format "ICCS"]\n[Annotator "me"]'),
    (" *\n", " *\n\nwritten by somebody\n"),
)
MORE_CHANGES = (
    ("\n\n1. H2-E2", "\n\n{mine} 1. H2-E2"),
    ("1. H2-E2", "1. H2-E2 {mine}"),
    ("1. H2-E2", "1. H2-E2 $1"),
    ('[Event "sanqi play"]', '[Event "Open of Xi\'an"]'),
    (" *\n", ' *\n\n[Game "Chinese Chess"]\n\n1. C3-C4 *\n'),
)


@pytest.mark.parametrize(
    "change", [*CHANGES, *(pytest.param(change, marks=pytest.mark.long) for change in MORE_CHANGES)]
)
def test_a_resumed_file_with_anything_else_is_never_written(change: tuple[str, str], tmp_path: Path) -> None:
    content = changed_pgn(tmp_path, change)
    printed = play(tmp_path, "xiangqi --resume a.pgn", "c3c4", "save a.pgn", "quit")
    assert "saved 4 moves to a-2.pgn (a.pgn exists already and has more in it than 'save' would write)" in printed
    assert (tmp_path / "a.pgn").read_bytes() == content
    play(tmp_path, "xiangqi --resume a.pgn", "quit")  # no move, no file
    assert len(list(tmp_path.iterdir())) == 2
    printed = play(tmp_path, "xiangqi --resume a.pgn", "c3c4", "quit")
    assert "saved 4 moves to sanqi-xiangqi-1.pgn; go on with: " in printed
    assert (tmp_path / "a.pgn").read_bytes() == content


def test_other_files_are_never_written(tmp_path: Path) -> None:
    game, tree = tmp_path / "a.sgf", "(;FF[4]GM[4]SZ[15]PB[sanqi];B[hh];W[hi](;B[gg])(;B[ff]))"
    game.write_text(tree)
    printed = play(tmp_path, "gomoku --resume a.sgf --side white --level 1", "a1", "save a.sgf")
    assert "saved 5 moves to a-2.sgf (a.sgf exists already" in printed
    assert game.read_text() == tree
    play(tmp_path, "gomoku --level 1", "h8", "save b.sgf", "quit")
    game = tmp_path / "b.sgf"
    commented = serialise_record(replace(parse_record(game.read_bytes(), "sgf"), comment="my note"), "sgf")
    game.write_bytes(commented)
    printed = play(tmp_path, "gomoku --resume b.sgf", "a1", "save b.sgf")
    assert "saved 4 moves to b-2.sgf (b.sgf exists already and has more in it" in printed
    assert game.read_bytes() == commented
    play(tmp_path, "junqi --variant duel --level random --seed 3", "pass", "save a.jgr")
    record = tmp_path / "a.jgr"
    record.write_bytes(record.read_bytes() + b"# a fine game\n")
    before = record.read_bytes()
    assert "saved 4 plies to a-2.jgr (a.jgr exists" in play(tmp_path, "junqi --resume a.jgr", "pass", "save a.jgr")
    assert record.read_bytes() == before


def test_a_file_that_somebody_changes_during_the_game_is_not_written(tmp_path: Path) -> None:
    process = subprocess.Popen(
        [SANQI, "play", "gomoku", "--level", "1"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        cwd=tmp_path,
    )
    assert process.stdin is not None and process.stdout is not None
    process.stdin.write("h8\nsave a.sgf\n")
    process.stdin.flush()
    while "saved 2 moves to a.sgf" not in process.stdout.readline():
        pass
    (tmp_path / "a.sgf").write_text("mine")
    printed = process.communicate("save a.sgf\nquit\n", timeout=60)[0]
    assert "saved 2 moves to a-2.sgf (a.sgf was changed by another program); go on with: " in printed
    assert (tmp_path / "a.sgf").read_text() == "mine"


def test_the_command_line_wins_and_that_is_said(tmp_path: Path) -> None:
    play(tmp_path, "xiangqi --level 2 --seed 3", "h2e2", "save a.pgn")
    said = play(tmp_path, "xiangqi --resume a.pgn --level 4 --side red --quiet-limit 100", "quit").splitlines()[0]
    assert "level 4" in said and "quiet limit 100" in said and "seed 3" in said
    assert said.endswith("(--level 4 replaces 2 of the file; --quiet-limit 100 replaces 120 of the file)")
    assert "side red, script traditional, level 4" in play(tmp_path, "xiangqi --resume a.pgn")  # it was saved
    printed = play(tmp_path, "xiangqi --resume a.pgn --side black")
    assert "(--side black replaces red of the file)" in printed and "Black to move> " in printed


def test_files_of_older_versions_are_resumed_as_before(tmp_path: Path) -> None:
    """They have no options; one line says so."""
    (tmp_path / "a.pgn").write_text(
        '[Game "Chinese Chess"]\n[Event "sanqi play"]\n[Date "2026.01.01"]\n[Red "?"]\n[Black "sanqi"]\n'
        '[Result "*"]\n[Format "ICCS"]\n\n1. H2-E2 H9-G7 *\n\n'
    )
    (tmp_path / "a.sgf").write_text("(;FF[4]CA[UTF-8]GM[4]PW[sanqi]RU[caro]SZ[15];B[hh];W[gg])\n")
    assert play(tmp_path, "xiangqi --resume a.pgn", "quit").startswith(
        "a.pgn does not say how it was played; going on after 2 moves with side red, script traditional, level full, "
    )
    said = play(tmp_path, "gomoku --resume a.sgf --level 1", "a1", "save a.sgf")
    assert "a.sgf does not say how it was played; going on after 2 moves with side black, rule caro, level 1" in said
    assert "saved 4 moves to a.sgf;" in said  # it is the program's own file
    play(tmp_path, "junqi --variant duel --seat 1 --level random --seed 3", "pass", "save a.jgr")
    record = tmp_path / "a.jgr"
    *lines, _ = record.read_text().splitlines()
    record.write_text("\n".join([*lines, "# you are seat 1", ""]))
    said = play(tmp_path, "junqi --resume a.jgr --level random")
    assert "a.jgr does not say how it was played; going on after 3 plies with seat 1, level random" in said


def test_options_in_a_file_that_cannot_be_used_are_named(tmp_path: Path) -> None:
    changed_pgn(tmp_path, ("--level 1 ", "--level 99 --resume b.pgn --frob "))
    said = play(tmp_path, "xiangqi --resume a.pgn", "quit").splitlines()[0]
    assert said.startswith("a.pgn: its options cannot be used (")
    assert "expected 1 to 20" in said and "going on after 2 moves with side red" in said


def test_the_names_of_players_stay(tmp_path: Path) -> None:
    changed_pgn(tmp_path, ('[Red "?"]', '[Red "Anna Karenina of Moscow"]'))
    play(tmp_path, "xiangqi --resume a.pgn", "c3c4", "save a.pgn", "save b.xqf")
    [game] = read_games((tmp_path / "a.pgn").read_text(encoding="utf-8"))
    assert (game.tags["Red"], game.tags["Black"], len(game.moves)) == ("Anna Karenina of Moscow", "sanqi", 4)
    assert parse_xqf((tmp_path / "b.xqf").read_bytes()).tags["Red"] == "Anna Karenina o"  # all that XQF has room for
    play(tmp_path, "xiangqi --resume a.pgn --side black", "save c.pgn")
    [game] = read_games((tmp_path / "c.pgn").read_text(encoding="utf-8"))
    assert (game.tags["Red"], game.tags["Black"]) == ("sanqi", "Anna Karenina of Moscow")


def test_a_game_that_was_given_up_is_over_when_it_is_resumed(tmp_path: Path) -> None:
    for game, name, move in (("xiangqi", "a.pgn", "h2e2"), ("gomoku", "a.sgf", "h8")):
        saved = play(tmp_path, f"{game} --level 1", move, "resign", f"save {name}", "quit")
        assert f"saved 2 moves to {name}; review it with: sanqi review {name}\n" in saved
        resumed = play(tmp_path, f"{game} --resume {name}", move, "undo", "quit")
        assert resumed.count(" resigned. You lose.") == 2
        assert "the game is over; expected undo" in resumed and " to move> " in resumed


def test_names_that_cannot_be_written(tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    typed = ("save none/a.pgn", "save folder", "save a.cbr", "save a\0b", "save a.pgn", "quit")
    printed = play(tmp_path, "xiangqi --level 1", "h2e2", *typed)
    assert "'none/a.pgn' cannot be written: there is no folder 'none'" in printed
    assert "'folder' is a folder; expected the name of a file" in printed
    assert "a game cannot be saved as cbr; a name in .pgn, .xqf or .txt can be written" in printed
    assert "embedded null" in printed
    assert sorted(file.name for file in tmp_path.iterdir()) == ["a.pgn", "folder"]


def test_a_name_with_blanks_or_a_hyphen_can_be_pasted(tmp_path: Path) -> None:
    for name in ("my game.pgn", "-a.pgn"):
        printed = play(tmp_path, "xiangqi --level 1", "h2e2", f"save {name}", "quit")
        assert "going on with " in play(tmp_path, command(printed), "quit")
