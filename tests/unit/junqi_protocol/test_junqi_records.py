"""Records of Junqi games: verified line by line, shown, continued."""

from __future__ import annotations

import os
import random
import re
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree

import pytest

from junqi_protocol.records.records import RecordError, RecordWriter, Replay, record_text
from junqi_protocol.rules.arbiter import Arbiter, Refused
from junqi_protocol.rules.geometry import VARIANTS, move_of
from junqi_protocol.rules.lineup import random_lineup
from junqi_protocol.rules.messages import BestMove, Moved, Terms
from tests.helpers.in_process import run_here, sanqi

SANQI = (sys.executable, "-m", "sanqi")
EXAMPLES = Path(__file__).parents[3] / "examples"


def recorded(path: Path, variant: str, seed: int = 1, plies: int = 400) -> Arbiter:
    """Play and record a random game with everything in it: skips, illegal answers, departures."""
    chance = random.Random(seed)
    terms = Terms(VARIANTS[variant], quiet=70, skips=9, plies=plies, clock=100_000, inc=10, id="game1")
    arbiter = Arbiter(terms, [random_lineup(chance) for _ in range(terms.variant.seats)])
    writer = RecordWriter(path, arbiter)
    while arbiter.outcome is None:
        moves = arbiter.position.legal_moves()
        whim, used = chance.random(), chance.randrange(300)
        if whim < 0.02:
            happening = arbiter.skip(chance.choice(("pass", "time")), used)
        elif whim < 0.021:
            happening = arbiter.leave("exit", used)
        else:
            try:
                if whim < 0.03:
                    happening = arbiter.answer(BestMove("", move_of(0, 0), arbiter.next_ply), used)
                else:
                    happening = arbiter.answer(BestMove("", chance.choice(moves), arbiter.next_ply), used)
            except Refused as refusal:
                writer.write(str(refusal))
                continue
        writer.happened(happening)
    writer.finish()
    return arbiter


@pytest.mark.parametrize("variant", VARIANTS)
@pytest.mark.parametrize("seed", range(5))
def test_a_record_gives_the_game_again(tmp_path: Path, variant: str, seed: int) -> None:
    path = tmp_path / "game.jgr"
    arbiter = recorded(path, variant, seed)
    replay = Replay(path.read_bytes())
    assert replay.finished
    assert replay.arbiter.happenings == arbiter.happenings
    assert record_text(arbiter) == record_text(replay.arbiter) == path.read_text()
    assert [happening.spent for happening in replay.arbiter.happenings] == [
        happening.spent for happening in arbiter.happenings
    ]
    assert replay.arbiter.outcome == arbiter.outcome
    assert replay.arbiter.clocks == arbiter.clocks
    assert replay.arbiter.strikes == arbiter.strikes
    assert replay.arbiter.lineups == arbiter.lineups


def test_convert_checks_a_record_and_writes_it_again(tmp_path: Path) -> None:
    path = tmp_path / "game.jgr"
    recorded(path, "duel")
    head, _, rest = path.read_bytes().partition(b"\n")
    path.write_bytes(head + b"\n# a comment\n" + rest + b"moved 0")
    command = (*SANQI, "convert", "game.jgr", "copy.jgr")
    finished = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=60, check=False)
    assert (finished.returncode, finished.stdout, finished.stderr) == (0, "", "")
    assert (tmp_path / "copy.jgr").read_bytes() == head + b"\n" + rest


def test_a_game_can_continue_from_any_part_of_its_record(tmp_path: Path) -> None:
    path = tmp_path / "game.jgr"
    arbiter = recorded(path, "duel", plies=60)
    data = path.read_bytes()
    opening = data.index(b"\n", data.index(b"\nstart ") + 1) + 1
    for end in range(opening, len(data), 7):
        replay = Replay(data[:end])
        told = replay.arbiter.happenings
        assert told == arbiter.happenings[: len(told)]
        assert data[:end].count(b"\nmoved") + data[:end].count(b"\nskipped") + data[:end].count(b"\nleft") - len(
            told
        ) in (0, 1)


@pytest.mark.parametrize("variant", VARIANTS)
def test_a_line_that_breaks_a_rule_is_found(tmp_path: Path, variant: str) -> None:
    """Change one thing in a record: verifying it stops at the line, or at a later one that no longer fits."""
    path = tmp_path / "game.jgr"
    recorded(path, variant, seed=3)
    lines = path.read_text().splitlines()
    chance = random.Random(5)
    changed = 0
    while changed < 40:
        at = chance.randrange(2 + VARIANTS[variant].seats + 1, len(lines))
        words = lines[at].split()
        place = chance.randrange(1, len(words))
        if words[0] == "illegal" or "time" in words[:place]:
            continue  # refused answers and times may change
        other = chance.choice(lines[at - 5 : at]).split()
        if place >= len(other) or other[place] == words[place] or words[place] in ("pass", "time"):
            continue
        changed += 1
        broken = [*lines[:at], " ".join([*words[:place], other[place], *words[place + 1 :]]), *lines[at + 1 :]]
        with pytest.raises(RecordError) as error:
            Replay(("\n".join(broken) + "\n").encode())
        assert int(str(error.value).split()[1].rstrip(":")) >= at + 1


@pytest.mark.parametrize(
    ("change", "complaint"),
    [
        (lambda lines: [], "line 1: the record ends before the start"),
        (lambda lines: ["record 2", *lines[1:]], "line 1: 'record 2': expected record 1"),
        (lambda lines: [lines[0], *lines[2:]], "line 2: .*: expected newgame"),
        (lambda lines: [*lines[:3], *lines[4:]], "line 4: .*: seat 1 has no lineup"),
        (lambda lines: [*lines[:3], *lines[2:]], "line 4: .*: seat 0 has a lineup already"),
        (lambda lines: [*lines[:2], "lineup 0 x", *lines[3:]], "line 3: .*'x' is no lineup"),
        (lambda lines: [*lines[:4], "start 1", *lines[5:]], "line 5: 'start 1': expected start 0"),
        (lambda lines: [*lines, "moved 1 0 a6a7 MOVE"], "comes after the end of the game"),
        (lambda lines: [*lines[:-1], "gameover draw quiet"], "by the rules: "),
        (lambda lines: [*lines[:5], "gameover draw quiet"], "line 6: .*by the rules: the game goes on"),
        (lambda lines: [*lines[:5], "hello", *lines[5:]], "line 6: 'hello': expected moved"),
        (lambda lines: [*lines[:5], "\xff", *lines[5:]], "line 6: "),
        (lambda lines: [*lines[:5], "illegal 1 1 a6a7 x"], "line 6: .*expected seat 0, ply 1"),
        (lambda lines: [*lines[:5], *["illegal 0 1 a6a7 x"] * 3], "line 8: .*puts it out"),
    ],
)
def test_broken_records_are_named_by_line(tmp_path: Path, change: object, complaint: str) -> None:
    path = tmp_path / "game.jgr"
    recorded(path, "duel", plies=40)
    assert callable(change)
    data = "".join(line + "\n" for line in change(path.read_text().splitlines())).encode("latin-1")
    with pytest.raises(RecordError, match=complaint):
        Replay(data)


def run(*arguments: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    return sanqi(*arguments, cwd=cwd)


def test_verify_command(tmp_path: Path) -> None:
    arbiter = recorded(tmp_path / "good.jgr", "siguo")
    (tmp_path / "bad.jgr").write_bytes(b"record 1\nnewgame variant siguo\nlineup 0 x\n")
    (tmp_path / "part.jgr").write_bytes((tmp_path / "good.jgr").read_bytes()[:-5])
    good = run("junqi-record", "verify", "good.jgr", "part.jgr", cwd=tmp_path)
    plies = len(arbiter.happenings)
    assert good.returncode == 0
    assert good.stdout == (
        f"good.jgr: in order, {plies} plies, gameover {arbiter.outcome}\n"
        f"part.jgr: in order, {plies} plies, not finished\n"
    )
    bad = run("junqi-record", "verify", "bad.jgr", cwd=tmp_path)
    assert bad.returncode == 1
    assert bad.stdout.startswith("bad.jgr: line 3: 'lineup 0 x': ")
    none = run("junqi-record", "verify", "none.jgr", cwd=tmp_path)
    assert (none.returncode, none.stdout) == (2, "")
    assert "none.jgr: No such file" in none.stderr


@pytest.mark.parametrize(("name", "plies", "end"), [("duel", 15, "win 0 flag"), ("siguo", 14, "win 0,2 resign")])
def test_the_worked_examples_of_the_rules(name: str, plies: int, end: str) -> None:
    replay = Replay((EXAMPLES / f"{name}.jgr").read_bytes())
    assert (len(replay.arbiter.happenings), str(replay.arbiter.outcome)) == (plies, end)


def test_show_command_draws_what_a_seat_may_see(tmp_path: Path) -> None:
    recorded(tmp_path / "game.jgr", "duel", plies=60)
    everything = run("junqi-record", "show", "game.jgr", "--ply", "0", cwd=tmp_path).stdout
    assert "?" not in everything
    assert everything.count("F") == 2
    own = run("junqi-record", "show", "game.jgr", "--ply", "0", "--seat", "1", cwd=tmp_path).stdout
    assert own.count("?") == 25
    assert own.splitlines()[-1] == "duel, after ply 0: seat 0 on turn"
    assert own.splitlines()[0] == everything.splitlines()[0]


def owners(drawn: str, variant: str) -> dict[str, int]:
    """The owner of the piece on each square of a board in plain text: four characters a point, the arrow first."""
    width, height = (17, 17) if variant == "siguo" else (5, 12)
    seats = {"^": 0, "<": 1, "v": 2, ">": 3} if variant == "siguo" else {"^": 0, "v": 1}
    found = {}
    for rank, line in zip(range(height, 0, -1), drawn.splitlines()):
        assert int(line[:2]) == rank
        for column in range(width):
            seat = seats.get(line[4 + 4 * column : 5 + 4 * column].strip())
            if seat is not None:
                found[f"{chr(ord('a') + column)}{rank}"] = seat
    return found


@pytest.mark.parametrize("variant", VARIANTS)
@pytest.mark.parametrize("environment", [{}, {"NO_COLOR": "1"}, {"TERM": "dumb"}, {"PYTHONIOENCODING": "ascii"}])
def test_the_owner_of_a_piece_can_be_seen_without_colours(
    tmp_path: Path, variant: str, environment: dict[str, str]
) -> None:
    arbiter = recorded(tmp_path / "game.jgr", variant, plies=60)
    drawn = subprocess.run(
        [*SANQI, "junqi-record", "show", "game.jgr"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
        env={**os.environ, **environment},
    ).stdout
    assert drawn.isascii()
    squares = arbiter.variant.squares
    assert owners(drawn, variant) == {squares[point]: seat for point, (seat, _) in arbiter.view(None).items()}
    legend, last, _ = drawn.splitlines()[-3:]
    seats = "^ seat 0   < seat 1   v seat 2   > seat 3" if variant == "siguo" else "^ seat 0   v seat 1"
    assert legend.strip() == seats
    assert last.startswith(f"60. seat {arbiter.happenings[-1].seat}: ")


def test_show_command_writes_a_drawing(tmp_path: Path) -> None:
    arbiter = recorded(tmp_path / "game.jgr", "siguo", plies=200)
    moved = next(happening for happening in arbiter.happenings if isinstance(happening, Moved))
    drawn = run("junqi-record", "show", "game.jgr", "--ply", str(moved.ply), "--svg", "position.svg", cwd=tmp_path)
    assert (drawn.returncode, drawn.stdout) == (0, "")
    root = ElementTree.fromstring((tmp_path / "position.svg").read_text(encoding="utf-8"))
    names = [text.text for text in root.iter("{http://www.w3.org/2000/svg}text")]
    assert names.count("军旗") == 4
    assert names.count("地雷") <= 12
    # The owner of a piece can be seen without colours: by its title, and by the direction of its tip.
    tips: dict[str | None, set[tuple[int, int]]] = {}
    for title, outline, name in root.iter("{http://www.w3.org/2000/svg}g"):
        x, y = int(name.get("x", "")), int(name.get("y", "")) - 5
        corners = [tuple(map(int, corner.split(","))) for corner in outline.get("points", "").split()]
        [tip] = [(right - x, down - y) for right, down in corners if right == x or down == y]
        tips.setdefault(title.text, set()).add(tip)
    assert tips == {"seat 0": {(0, -18)}, "seat 1": {(-20, 0)}, "seat 2": {(0, 18)}, "seat 3": {(20, 0)}}
    assert "q" in names


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (["none.jgr"], "none.jgr: No such file"),
        (["game.jgr", "--ply", "9999"], "--ply 9999: the game has"),
        (["game.jgr", "--ply", "-1"], "--ply: expected a number from 0"),
        (["game.jgr", "--seat", "5"], "a seat must be a number from 0 to 1"),
        (["game.jgr", "--svg", "none/x.svg"], f"none{os.sep}x.svg: No such file"),
    ],
)
def test_show_command_refuses_in_one_line(tmp_path: Path, arguments: list[str], complaint: str) -> None:
    recorded(tmp_path / "game.jgr", "duel", plies=40)
    shown = run("junqi-record", "show", *arguments, cwd=tmp_path)
    assert shown.returncode == 2
    assert complaint in shown.stderr
    assert shown.stderr.count("\n") == 1


def test_replay_steps_through_a_record(tmp_path: Path) -> None:
    arbiter = recorded(tmp_path / "game.jgr", "duel", plies=40)
    clash = next(one.ply for one in arbiter.happenings if isinstance(one, Moved) and one.result)
    dialogue = {
        "": ", after ply 2: ",
        " ": ", after ply 3: ",
        "back": ", after ply 2: ",
        "30": ", after ply 30: ",
        "start": ", after ply 0: ",
        "Back": "this is the start",
        "clash": f", after ply {clash}: ",
        "seat 1": f", after ply {clash}: ",
        "seat 9": "a seat must be a number from 0 to 1",
        "end": ", after ply 40: ",
        "  ": "there is no ply 41; the game has 40",
        "999": "there is no ply 999; the game has 40",
        "x": "'x' is no command",
        "legend": "9 司令",
        "help": "back        one ply back",
        "quit": "",
    }
    run = subprocess.run(
        [*SANQI, "junqi-record", "replay", "game.jgr", "--ply", "1"],
        input="".join(line + "\n" for line in dialogue),
        capture_output=True,
        encoding="utf-8",
        env=os.environ | {"PYTHONIOENCODING": "utf-8"},
        cwd=tmp_path,
        timeout=60,
    )
    assert (run.returncode, run.stderr) == (0, "")
    first, *answers = re.split(r"ply \d+ of 40> ", run.stdout)
    assert ", after ply 1: " in first
    for answer, expected in zip(answers, dialogue.values(), strict=True):
        assert expected in answer
    assert "?" not in answers[6]
    assert answers[7].count("?") > 10


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (["game.jgr", "--ply", "41"], "game.jgr: --ply 41: the game has 40 plies"),
        (["game.jgr", "--seat", "5"], "game.jgr: '5': a seat must be a number from 0 to 1"),
        (["none.jgr"], "none.jgr: No such file or directory"),
        (["bad.jgr"], "bad.jgr: line 1: 'x': expected record 1"),
    ],
)
def test_a_record_that_cannot_be_replayed_is_one_line(tmp_path: Path, arguments: list[str], complaint: str) -> None:
    recorded(tmp_path / "game.jgr", "duel", plies=40)
    (tmp_path / "bad.jgr").write_bytes(b"x\n")
    refused = run_here("junqi-record", "replay", *arguments, cwd=tmp_path)
    assert (refused.returncode, refused.stdout) == (2, "")
    assert refused.stderr == f"sanqi junqi-record replay: {complaint}\n"
