"""`sanqi review` with games of Junqi: the real program on recorded games, and its page in a browser's model."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from game_core.command_parser import columns
from game_review.json_parts import read_part
from game_review.review_document import Document
from game_review.review_page import write_page
from junqi_protocol.knowledge.player_view import view_of
from junqi_protocol.records.display import place
from junqi_protocol.records.records import Replay
from junqi_protocol.rules.arbiter import Arbiter
from junqi_protocol.rules.lineup import PIECES as LETTERS
from sanqi.registry import GAMES
from tests.helpers.browser import Browser
from tests.helpers.in_process import run_here
from tests.protocol.test_review import document, review
from tests.unit.game_review.test_review_page import Page

DATA = Path(__file__).parents[1] / "data"
QUICK = ("--nodes", "300")
BLUNDER = "moved 89 0 c1b1 MOVE"
"""It leaves the flag to the enemy's piece beside it."""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """With a game of four seats, and one of two with a planted blunder, both reviewed."""
    made = tmp_path_factory.mktemp("junqi")
    lines = (DATA / "duel.jgr").read_text(encoding="ascii").splitlines()
    at = next(number for number, line in enumerate(lines) if line.startswith("moved 89 "))
    shutil.copy(DATA / "siguo.jgr", made)
    with (made / "blunder.jgr").open("w", encoding="ascii", newline="\n") as file:
        file.write("".join(f"{line}\n" for line in [*lines[:at], BLUNDER]))
    review("blunder.jgr", *QUICK, "--json", "blunder.json", "--html", "blunder.html", folder=made)
    review("siguo.jgr", *QUICK, "--json", "siguo.json", "--html", "siguo.html", folder=made)
    return made


def game(folder: Path, name: str = "blunder") -> dict[str, Any]:
    (found,) = document(folder / f"{name}.json")["games"]
    assert isinstance(found, dict)
    return found


def test_the_table(folder: Path) -> None:
    said, errors = review("blunder.jgr", *QUICK, folder=folder)
    assert errors == ""
    lines = said.splitlines()
    assert lines[0] == "'blunder.jgr', game 1: seat 0 - seat 1"
    assert all(columns(line) <= 100 for line in lines)
    row = next(line for line in lines if line.startswith("  89 "))
    assert row.split()[:5] == ["89", "seat", "0", "旅长", "c1b1"] and "?? blunder" in row
    assert "What they knew, what they believed, and what was true:" in lines
    at = next(number for number, line in enumerate(lines) if line.startswith("  89. 旅长 c1b1 (seat 0); better "))
    labels = [line.split()[0] for line in lines[at + 1 :] if line.startswith("         ")]
    assert labels and set(labels) == {"knew", "believed", "true"}
    assert "Scores and losses are by what the side on turn knew before its move." in lines


def test_the_table_of_four_seats_in_english(folder: Path) -> None:
    said, _ = review("siguo.jgr", *QUICK, "--notation", "english", folder=folder)
    lines = said.splitlines()
    assert lines[0] == "'siguo.jgr', game 1: seats 1 and 3 - seats 0 and 2, win 0,2, flag"
    assert "seats 1 and 3 %" in lines[2]
    assert [line for line in lines if line.startswith("   2  seat 0  general g6f7 takes")]
    assert [line.split("  ")[0] for line in lines if line.startswith("seat") and "%" not in line] == [
        "seat 3", "seat 0", "seat 1", "seat 2", "seats 1 and 3", "seats 0 and 2",
    ]  # fmt: skip
    assert "  53. bomb e11k11 (seat 3): Seat 2's flag is on h17." in lines


def test_the_document(folder: Path) -> None:
    found = game(folder)
    ply = found["plies"][88]
    assert list(ply) == [
        "ply", "side", "move", "names", "name", "comment", "spentMs", "phase", "before", "played", "loss", "mark",
        "confirmed", "best", "isBest", "book", "forced", "counted", "turningPoint", "missedWin", "rule",
        "expected", "outcome", "revealed", "pieces", "why",
    ]  # fmt: skip
    assert (ply["mark"], ply["confirmed"], ply["outcome"]) == (
        "blunder", True, {"result": "MOVE", "text": "", "chance": None},
    )  # fmt: skip
    assert ply["names"] == {"chinese": "旅长 c1b1", "english": "brigade c1b1", "squares": "c1b1"}
    assert list(ply["pieces"][0]) == ["point", "seat", "role", "possible", "types", "truth", "texts"]
    assert list(found["start"]) == ["variant", "first", "see", "lineups"]
    assert list(game(folder, "siguo")["sides"]) == ["3", "0", "1", "2", "1,3", "0,2"]


@pytest.mark.parametrize("sources", [["blunder"], pytest.param(["blunder", "siguo"], marks=pytest.mark.long)])
def test_the_same_nodes_give_the_same_review(sources: list[str], folder: Path, tmp_path: Path) -> None:
    for threads in ("1", "3"):
        out = tmp_path / f"{threads}.json"
        records = [f"{source}.jgr" for source in sources]
        review(*records, *QUICK, "--json", out, "--threads", threads, folder=folder)
    assert (tmp_path / "1.json").read_bytes() == (tmp_path / "3.json").read_bytes()
    assert document(tmp_path / "1.json")["games"] == [game(folder, source) for source in sources]


def test_what_a_team_is_shown(folder: Path) -> None:
    said, _ = review("siguo.jgr", *QUICK, "--see", "team", "--json", "-", folder=folder)
    (found,) = json.loads(said)["games"]
    assert found["start"]["see"] == "team"
    assert all(int(one["to"]) % 2 != int(one["seat"]) % 2 for ply in found["plies"] for one in ply["revealed"])
    assert [ply["loss"] for ply in found["plies"]] != [ply["loss"] for ply in game(folder, "siguo")["plies"]]


def test_a_folder_with_broken_records(folder: Path, tmp_path: Path) -> None:
    text = (DATA / "siguo.jgr").read_text(encoding="ascii")
    broken = {
        "seat.jgr": (text.replace("moved 2 0", "moved 2 1"), "line 9: 'moved 2 1 g6f7 EAT time 0': expected ply 2"),
        "lineup.jgr": (text.replace("lineup 3", "# "), "line 7: 'start 3': seat 3 has no lineup"),
        "end.jgr": (text.replace("win 0,2", "win 1,3"), "by the rules: win 0,2 flag"),
        "empty.jgr": ("", "line 1: the record ends before the start of the game"),
        "binary.jgr": ("\0\xff\n", "line 1: "),
    }
    for name, (content, _) in broken.items():
        (tmp_path / name).write_text(content, encoding="latin-1", newline="\n")
    shutil.copy(folder / "blunder.jgr", tmp_path)
    _, errors = review(".", *QUICK, folder=tmp_path, status=1)
    lines = errors.splitlines()
    assert len(lines) == len(broken)
    for name, (_, reason) in broken.items():
        (line,) = (line for line in lines if f"{name}'" in line)
        assert line.startswith("sanqi review: '") and reason in line


def test_a_folder_has_a_summary_and_resumes(folder: Path, tmp_path: Path) -> None:
    for name in ("blunder.jgr", "siguo.jgr"):
        shutil.copy(folder / name, tmp_path)
    command = (".", *QUICK, "--json", "out.json")
    said, _ = review(*command, folder=tmp_path)
    assert "games: 2, moves: 182" in said and "Worst moves:\n  " in said and "89. 旅长 c1b1 (seat 0) loses" in said
    whole = (tmp_path / "out.json").read_bytes()
    changed = json.loads(whole)
    changed["games"][0].update(complete=False, searches={"values": {"500": {}}})
    (tmp_path / "out.json").write_text(json.dumps(changed))
    review(*command, "--resume", folder=tmp_path)
    assert (tmp_path / "out.json").read_bytes() == whole


@pytest.mark.parametrize(
    "damage",
    [
        lambda value: {"values": {"0": {"before": {**value, "pvOutcomes": [5]}, "played": value}}},
        *(
            pytest.param(damage, marks=pytest.mark.long)
            for damage in (
                lambda value: {"values": {"0": value}},
                lambda value: {"values": {"0": {"before": value, "played": value}}},
                lambda value: {"seconds": 5},
            )
        ),
    ],
)
def test_damaged_searches_of_a_file_are_made_again(
    damage: Callable[[dict[str, Any]], dict[str, Any]], folder: Path, tmp_path: Path
) -> None:
    whole = document(folder / "blunder.json")
    move = whole["games"][0]["plies"][0]["move"]
    value = {"winrate": 0.5, "wdl": [0.5, 0, 0.5], "scoreCp": 0, "pv": [move], "pvNames": ["x"]}
    whole["games"][0].update(complete=False, searches=damage(value))
    (tmp_path / "out.json").write_text(json.dumps(whole))
    review("blunder.jgr", *QUICK, "--json", tmp_path / "out.json", "--resume", folder=folder)
    assert (tmp_path / "out.json").read_bytes() == (folder / "blunder.json").read_bytes()


MORE_CHANGES: tuple[dict[str, Any], ...] = (
    {"outcome": {"text": "takes", "chance": 10**400}},
    {"ply": 5000},
    {"ply": 10**400},
    {"outcome": []},
    {"pieces": 5, "mark": "blunder"},
    {"played": {"winrate": 10**400}},
)


@pytest.mark.parametrize(
    "changes",
    [
        {"loss": 10**400, "counted": True},
        {"expected": None},
        *(pytest.param(changes, marks=pytest.mark.long) for changes in MORE_CHANGES),
    ],
)
def test_a_finished_game_that_was_edited_is_reviewed_again(
    changes: dict[str, Any], folder: Path, tmp_path: Path
) -> None:
    """Values of wrong types, numbers that are too large, and fields that are not there."""
    whole = document(folder / "blunder.json")
    for ply in whole["games"][0]["plies"]:
        ply.update(changes)
        if changes == {"expected": None}:
            del ply["expected"]
    (tmp_path / "out.json").write_text(json.dumps(whole))
    review("blunder.jgr", *QUICK, "--json", tmp_path / "out.json", "--resume", folder=folder)
    assert document(tmp_path / "out.json") == document(folder / "blunder.json")


def test_wrong_options(folder: Path) -> None:
    for arguments, reason in (
        (("siguo.jgr", "--see", "all"), "'all' is not one of own, team"),
        (("siguo.jgr", "--seat", "0"), "unknown option '--seat'"),
        (("siguo.jgr", "--notation", "wxf"), "--notation wxf: junqi has chinese, english, squares"),
    ):
        done = run_here("review", *arguments, cwd=folder)
        assert (done.returncode, done.stdout, done.stderr.count("\n")) == (2, "", 1)
        assert reason in done.stderr


def test_the_page_without_its_script(folder: Path) -> None:
    page = Page((folder / "blunder.html").read_text(encoding="utf-8"))
    ply = game(folder)["plies"][88]
    assert page.rows()[88][:4] == ["89", "Seat 0", "旅长 c1b1", "??"]
    for piece in ply["pieces"]:
        texts = piece["texts"]
        assert " ".join((texts["piece"] + texts["knew"] + texts["believed"] + texts["truth"]).split()) in page.all("tr")
    assert "never by the truth" in page.text and "as Seat 0 saw it" in page.text
    names = [line for line in page.all("p", class_="better-line") if line.startswith(("Better:", "Expected:"))]
    assert len(names) == 2 * sum(each["mark"] is not None for each in game(folder)["plies"])


def test_the_curves_in_words(folder: Path) -> None:
    """Each team's estimates are its own."""
    page = Page((folder / "siguo.html").read_text(encoding="utf-8"))
    (label,) = (attributes["aria-label"] for tag, attributes in page.tags if attributes.get("class") == "plot")
    plies = game(folder, "siguo")["plies"]
    own = [100 * ply["played"]["winrate"] for ply in plies if ply["side"] in "13"]
    theirs = [100 - 100 * ply["played"]["winrate"] for ply in plies if ply["side"] in "02"]
    assert label is not None
    assert label.startswith(f"Expected score of Seats 1 and 3: {own[0]:.0f} % at first, {own[-1]:.0f} % at the end, ")
    assert f"highest {max(own):.0f} % after move " in label and f"lowest {min(own):.0f} % after move " in label
    assert label.endswith(f" As Seats 0 and 2 saw it: {theirs[0]:.0f} % at first, {theirs[-1]:.0f} % at the end.")


PIECES = """
const pieces = () => Object.fromEntries([...document.querySelectorAll('.man')].map((man) => {
  const shape = man.querySelector('rect, circle'), x = Number(shape.getAttribute('x') || shape.getAttribute('cx')),
    y = Number(shape.getAttribute('y') || shape.getAttribute('cy')), half = shape.tagName === 'rect' ? 0.43 : 0;
  return [`${Math.round(x + half)} ${Math.round(y + half)}`,
    man.querySelector('text').textContent];
}));
"""


STEP = 23
"""Plies from one board that is looked at to the next."""


def boards() -> Iterator[tuple[str, dict[str, str], dict[str, str]]]:
    """After each STEP-th ply: who moved, the true board, and what it knew before the move; by column and row."""
    whole = Replay((DATA / "siguo.jgr").read_bytes()).arbiter
    arbiter = Arbiter(whole.terms, whole.lineups)
    faces = dict(zip("987654321BMF?", "司军师旅团营连排工炸雷旗?"))

    def at(point: int) -> str:
        return " ".join(map(str, place(arbiter.variant, point)))

    for ply, happening in enumerate(whole.happenings):
        if ply % STEP:
            arbiter.repeat(happening)
            continue
        view = view_of(arbiter, happening.seat, "own")
        knows = {
            view.knowledge.homes[point]: LETTERS[types.bit_length() - 1] if not types & (types - 1) else "?"
            for army in view.knowledge.living
            for point, types in army.items()
        }
        homes = dict(view.knowledge.homes)
        arbiter.repeat(happening)
        view.follow(happening)
        after = {point: view.knowledge.homes[point] for army in view.knowledge.living for point in army}
        assert set(after.values()) <= set(homes.values())
        truth = {
            at(point): faces[LETTERS[kind]]
            for seat in range(arbiter.variant.seats)
            for point, kind in arbiter.position.pieces(seat)
        }
        yield str(happening.seat), truth, {at(point): faces[knows[home]] for point, home in after.items()}


def test_the_board_shows_the_truth_and_what_the_side_knew(browser: Browser, folder: Path) -> None:
    script = (
        PIECES
        + """
        const seen = [], moves = document.querySelectorAll('.name button');
        for (let ply = 1; ply <= 93; ply += STEP) {
          moves[ply - 1].click();
          const truth = pieces();
          press('v');
          seen.push([truth, pieces(), text('[role=status]')]);
          press('v');
        }
        return seen;
    """
    )
    seen = browser.run(folder / "siguo.html", f"const STEP = {STEP};{script}")
    wanted = list(boards())
    for (seat, truth, known), (shown_truth, shown_known, status) in zip(wanted, seen, strict=True):
        assert shown_truth == truth
        assert shown_known == known
        assert status.endswith(f"Pieces as Seat {seat} knew them before the move.")


def test_marks_lines_and_faces_on_the_page(browser: Browser, folder: Path) -> None:
    script = (
        PIECES
        + """
        document.querySelector('[data-part=frame]').focus();
        const button = document.querySelector('[data-step=eyes]'), seen = [button.hidden];
        press('End');
        seen.push(document.querySelectorAll('[data-part=detail] .pieces tbody tr').length,
          document.querySelectorAll('.better .under').length, Object.keys(pieces()).length);
        button.click();
        seen.push(button.getAttribute('aria-pressed'), Object.values(pieces()).includes('?'));
        press('b');
        seen.push(text('[role=status]').startsWith('Better line at move 89: step 1 of'));
        press('Escape', 'v');
        seen.push(Object.values(pieces()).includes('?'));
        const select = document.querySelector('[data-part=faces] select');
        seen.push([...select.options].map((option) => option.textContent));
        select.value = 'letter';
        select.dispatchEvent(new window.Event('change'));
        seen.push(Object.values(pieces()).every((face) => '987654321BMF'.includes(face)));
        return seen;
    """
    )
    hidden, rows, arrow, men, pressed, unknown, better, known, faces, letters = browser.run(
        folder / "blunder.html", script
    )
    assert (hidden, rows) == (False, len(game(folder)["plies"][88]["pieces"]))
    assert (arrow, pressed, unknown, better, known) == (2, "true", True, True, False)
    assert men > 20 and faces == ["司 + 9", "司", "9"] and letters


@pytest.mark.parametrize(
    "damage",
    [
        {"start": {"variant": "siguo", "lineups": []}},
        {"start": {"variant": "nine", "lineups": []}},
        {"start": {}},
    ],
)
def test_a_damaged_document_has_no_board(damage: dict[str, Any], folder: Path, tmp_path: Path) -> None:
    whole = document(folder / "blunder.json")
    whole["games"][0].update(damage)
    write_page(read_part(Document, whole), tmp_path / "out.html", GAMES)
    page = Page((tmp_path / "out.html").read_text(encoding="utf-8"))
    assert "There is no board for this game." in page.text
