"""`sanqi junqi-record explain`: the page with what a player believes."""

from __future__ import annotations

import math
import os
import random
import re
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple
from xml.etree import ElementTree

import pytest

from junqi_protocol.knowledge.belief import Belief
from junqi_protocol.knowledge.knowledge import MOVE, possible_types
from junqi_protocol.knowledge.player_view import PlayerView, view_of
from junqi_protocol.players.evaluation_weights import ZONES
from junqi_protocol.players.likely_line import endings
from junqi_protocol.players.searching import believed
from junqi_protocol.protocols.setting_up import parse_position
from junqi_protocol.records.records import write_record
from junqi_protocol.review import explanation
from junqi_protocol.review.explanation import TYPES, candidates, page
from junqi_protocol.review.terms import terms
from junqi_protocol.rules.arbiter import Arbiter
from junqi_protocol.rules.geometry import VARIANTS, move_text, parse_move
from junqi_protocol.rules.lineup import LineupError, check, random_lineup
from junqi_protocol.rules.messages import BestMove, Moved, Terms
from tests.helpers.in_process import run_here, sanqi

SANQI = (sys.executable, "-m", "sanqi")


def played(variant: str, lineups: list[str], plies: int, seed: int) -> Arbiter:
    """A game of random moves, many of them attacks."""
    chance = random.Random(seed)
    arbiter = Arbiter(Terms(VARIANTS[variant], quiet=70), lineups)
    while arbiter.outcome is None and len(arbiter.happenings) < plies:
        moves = arbiter.position.legal_moves()
        attacks = [move for move in moves if arbiter.position.piece_at(move & 255) is not None]
        move = chance.choice(attacks if attacks and chance.random() < 0.4 else moves)
        arbiter.answer(BestMove("", move, arbiter.next_ply))
    return arbiter


def game(variant: str = "duel", plies: int = 40, seed: int = 1) -> Arbiter:
    chance = random.Random(seed)
    return played(variant, [random_lineup(chance) for _ in range(VARIANTS[variant].seats)], plies, seed)


def up_to(arbiter: Arbiter, ply: int, lineups: list[str] | None = None) -> Arbiter:
    """The same game after fewer plies. Raises ValueError if it cannot be played with these lineups."""
    earlier = Arbiter(arbiter.terms, lineups or arbiter.lineups)
    for happening in arbiter.happenings[:ply]:
        earlier.repeat(happening)
    return earlier


def run(*arguments: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    return sanqi("junqi-record", "explain", *arguments, cwd=cwd)


class Row(NamedTuple):
    chances: list[float]
    texts: list[str]
    marked: list[int]
    """The columns with the mark of the true type."""


def heat(text: str) -> dict[str, dict[str, Row]]:
    """The heat tables of a page, by seat and by the name of the point."""
    tables = {}
    for table in ElementTree.fromstring(text).iter("table"):
        if table.get("class") == "heat":
            rows = {}
            for row in table.iterfind("tbody/tr"):
                cells = row.findall("td")
                assert len(cells) == 12
                rows[row.get("id", "")] = Row(
                    [float(cell.get("data-p", "")) for cell in cells],
                    [cell.text or "" for cell in cells],
                    [column for column, cell in enumerate(cells) if "true" in cell.get("class", "").split()],
                )
            tables[table.get("data-seat", "")] = rows
    return tables


def without_marks(text: str) -> str:
    """A page without anything that may follow from the true types of hidden pieces."""
    text = re.sub(r'<td class="(dark)? ?(true)?"', "<td", text).replace(' title="the true type"', "")
    return re.sub(r"The true types have \d+ % on average", "", text)


def score_of(logit: float) -> float:
    """As evaluate() of belief_position.pyx, far from a draw by quiet plies."""
    return 18000 * math.tanh(logit / 2) + 1900 * logit / (4 + abs(logit))


@pytest.mark.parametrize(("variant", "seat"), [("duel", 0), ("duel", 1), ("siguo", 3)])
def test_the_terms_add_up_to_the_evaluation(variant: str, seat: int) -> None:
    view = view_of(game(variant, 50, seed=4), seat, "own")
    view.quiet_limit = 0
    position = believed(view)
    mover = 1 if position.side == seat & 1 else -1
    found = terms(view, position)
    assert score_of(sum(one.points for one in found) / 100) == pytest.approx(mover * position.evaluate_cp(), abs=2)
    pieces = {one.name: one.more for one in found}
    assert pieces["军旗 (flag)"] == pytest.approx(0, abs=1e-4)


@pytest.mark.parametrize(
    ("point", "zone"),
    [
        ("a1", "own back row"), ("b1", "own headquarters"), ("a2", "own last rail"), ("b3", "own camps"),
        ("a4", "own middle rows"), ("a6", "own front row"), ("a7", "enemy's front row"), ("a9", "enemy's middle rows"),
        ("b10", "enemy's camps"), ("a11", "enemy's last rail"), ("a12", "enemy's back row"),
    ],
)  # fmt: skip
def test_a_zone_has_its_name(point: str, zone: str) -> None:
    """Of two positions that differ by one piece."""
    without = "variant duel turn 0 pieces 0:d1=F 0:e5=2 1:d12=F 1:e8=2"
    counts = [
        {one.name: one.more or 0 for one in terms(view, believed(view))}
        for view in (parse_position(text.split())[1] for text in (without, f"{without} 0:{point}=5"))
    ]
    assert {name for name in ZONES if counts[1][name] - counts[0][name] > 0.5} == {zone}


def test_the_page_names_the_terms(tmp_path: Path) -> None:
    write_record(tmp_path / "a.jgr", game("duel", 60))
    assert run("a.jgr", "--ply", "40", cwd=tmp_path).returncode == 0
    tree = ElementTree.fromstring(next(tmp_path.glob("a-*.html")).read_text(encoding="utf-8"))
    [table] = [table for table in tree.iter("table") if table.get("class") == "terms"]
    rows = [[cell.text or "" for cell in row] for row in table.iterfind("tbody/tr")]
    view = view_of(game("duel", 40), 0, "own")
    known = {one.name for one in terms(view, believed(view))}
    assert len(rows) > 5 and {name for name, _, _ in rows} <= known
    points = [abs(int(points)) for _, _, points in rows]
    assert points == sorted(points, reverse=True)


def moves_of(text: str) -> list[str]:
    """The moves that a page lists, the best first."""
    rows = [
        ["".join(cell.itertext()) for cell in row]
        for table in ElementTree.fromstring(text).iter("table")
        if table.get("class") == "moves"
        for row in table.iterfind("tbody/tr")
    ]
    return [row[1] for row in sorted(rows, key=lambda row: int(row[0]))]


@pytest.mark.parametrize(
    ("variant", "see", "tables"),
    [
        ("duel", "own", ["0"]),
        ("siguo", "own", ["0", "2", "3"]),
        pytest.param("siguo", "team", ["0", "2"], marks=pytest.mark.long),
    ],
)
def test_the_page_shows_the_belief_of_the_seat_on_turn(
    tmp_path: Path, variant: str, see: str, tables: list[str]
) -> None:
    whole = game(variant, 60 if variant == "duel" else 160)
    ply = max(happening.ply - 1 for happening in whole.happenings if happening.seat == 1)
    arbiter = up_to(whole, ply)
    write_record(tmp_path / "a&b.jgr", whole)
    written = run("a&b.jgr", "--ply", str(ply), "--see", see, cwd=tmp_path)
    assert (written.returncode, written.stdout, written.stderr) == (0, f"written: a&b-ply{ply}-seat1.html\n", "")
    text = (tmp_path / f"a&b-ply{ply}-seat1.html").read_text(encoding="utf-8")
    assert ElementTree.fromstring(text).findtext("body/header/h1") == f"a&b, after ply {ply}: what seat 1 believes"

    view = view_of(arbiter, 1, see)
    belief = Belief(view.knowledge, view.behaviour.weights(view.knowledge), seed=view.position.key)
    found = heat(text)
    assert sorted(found) == tables
    known = 0
    for seat, rows in found.items():
        truth = dict(arbiter.position.pieces(int(seat)))
        expected = belief.probabilities(int(seat))
        assert {arbiter.variant.numbers[point] for point in rows} == set(truth) == set(expected)
        for name, row in rows.items():
            point = arbiter.variant.numbers[name]
            types = view.knowledge.living[int(seat)][point]
            assert sum(row.chances) == pytest.approx(1, abs=1e-5)
            assert row.chances == pytest.approx([expected[point][kind] for kind in TYPES], abs=1e-6)
            assert row.marked == [TYPES.index(truth[point])]
            # The facts are true: no type that a piece has is ruled out.
            assert [text != "" for text in row.texts] == [bool(types >> kind & 1) for kind in TYPES]
            if not types & (types - 1):
                known += 1
                assert row.texts[TYPES.index(truth[point])] == "100"
    assert known > 0

    following = whole.happenings[ply]
    assert isinstance(following, Moved)
    names = [move_text(arbiter.variant, one.move) for one in candidates(view, believed(view), following.move)]
    assert moves_of(text) == names
    marked = [row for row in ElementTree.fromstring(text).iter("tr") if row.get("class") == "played"]
    assert [row.findtext("td/code") for row in marked] == [move_text(arbiter.variant, following.move)]


def test_the_page_is_one_file_with_a_drawing(tmp_path: Path) -> None:
    write_record(tmp_path / "game.jgr", game())
    printed = run("game.jgr", "--ply", "30", "--output", "-", cwd=tmp_path)
    assert (printed.returncode, printed.stderr) == (0, "")
    assert [path.name for path in tmp_path.iterdir()] == ["game.jgr"]
    named = run("game.jgr", "--ply", "30", "--output", "page.html", cwd=tmp_path)
    assert named.stdout == "written: page.html\n"
    assert (tmp_path / "page.html").read_text(encoding="utf-8") == printed.stdout
    root = ElementTree.fromstring(printed.stdout)
    assert len(root.findall(".//{http://www.w3.org/2000/svg}svg")) == 1
    targets = {node.get("href", "") for node in root.iter() if node.get("href")}
    assert targets == {"#" + (node.get("id") or "") for node in root.iter("tr") if node.get("id")}
    assert not re.search(r"\bsrc=|url\(|@import|<script|<link", printed.stdout)


def test_the_true_types_of_hidden_pieces_change_only_the_marks() -> None:
    arbiter = game("siguo", 30, seed=5)
    shown = page(arbiter, 0, "own", "game")
    chance = random.Random(1)
    others: list[str] = []
    while len(others) < 3:
        seat, i, j = chance.choice((1, 2, 3)), chance.randrange(30), chance.randrange(30)
        changed = list(arbiter.lineups[seat])
        changed[i], changed[j] = changed[j], changed[i]
        if changed[i] == changed[j]:
            continue
        lineups = [*arbiter.lineups]
        lineups[seat] = "".join(changed)
        try:
            check(lineups[seat])
            other = up_to(arbiter, 30, lineups)
        except (LineupError, ValueError):
            continue  # the game would have gone another way
        if [dict(other.position.pieces(one)) for one in range(4)] != [
            dict(arbiter.position.pieces(one)) for one in range(4)
        ]:
            others.append(page(other, 0, "own", "game"))
    for other_page in others:
        before, after = heat(shown), heat(other_page)
        assert {seat: {point: row[:2] for point, row in rows.items()} for seat, rows in before.items()} == {
            seat: {point: row[:2] for point, row in rows.items()} for seat, rows in after.items()
        }
        marks = [
            (seat, point) for seat in before for point in before[seat] if before[seat][point] != after[seat][point]
        ]
        assert 0 < len(marks) <= 2
        assert without_marks(other_page) == without_marks(shown)


@pytest.mark.parametrize(("variant", "plies"), [("duel", 50), ("siguo", 120)])
def test_the_candidates_have_win_probabilities_and_variations(
    monkeypatch: pytest.MonkeyPatch, variant: str, plies: int
) -> None:
    monkeypatch.setattr(explanation, "NODES", 3000)
    whole = game(variant, plies, seed=3)
    for ply in range(0, plies - 1, 11):
        arbiter = up_to(whole, ply)
        view = view_of(arbiter, arbiter.turn, "own")
        legal = view.position.legal_moves()
        played = legal[-1]
        found = candidates(view, believed(view), played)
        assert found == candidates(view, believed(view), played)
        moves = [one.move for one in found]
        assert played in moves
        assert len(set(moves)) == len(moves) >= min(10, len(legal))
        assert set(moves) <= set(legal)
        assert [one.win for one in found] == sorted((one.win for one in found), reverse=True)
        for one in found:
            assert 0 <= one.win <= 100
            assert one.line[0] == one.ends[0]
            assert {end.move for end in one.ends} == {one.move}
            clash = arbiter.position.piece_at(one.move & 255) is not None
            assert all((end.result != MOVE) == clash for end in one.ends)


def test_a_flag_that_can_be_taken_comes_first(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(explanation, "NODES", 100)
    # The game then goes on. A known 军长 can be taken instead.
    pieces = "0:h1=F 0:a9=4 0:g4=9 1:q8=F 1:h4=8 2:h17=F 2:j16=4 3:a8=F 3:b8=4"
    view = parse_position(f"variant siguo turn 0 pieces {pieces}".split())[1]
    take = parse_move(view.position.variant, "a9a8")
    found = candidates(view, believed(view))
    assert found[0].move == take
    assert found[0].ends[0].flag_falls


def test_the_moves_are_shown_with_the_ends_of_their_clashes() -> None:
    arbiter = game("duel", 40, seed=3)
    position = believed(view_of(arbiter, arbiter.turn, "own"))
    attack = next(move for move in position.legal_moves() if len(endings(position, move)) > 1)
    root = ElementTree.fromstring(page(arbiter, arbiter.turn, "own", "game", attack))
    (table,) = (one for one in root.iter("table") if one.get("class") == "moves")
    clashes = 0
    for row in table.iterfind("tbody/tr"):
        _rank, move, _piece, win, clash, line = ("".join(cell.itertext()) for cell in row)
        assert 0 <= float(win) <= 100
        assert line.split(", ")[0].split()[0] == move
        ends = clash.removesuffix("played").partition(", a flag")[0]
        shares = [int(share) for share in re.findall(r"(\d+) %", ends)]
        assert not shares or 97 <= sum(shares) <= 103
        clashes += bool(shares)
        assert bool(ends) == bool(re.match(rf"{move} (takes|dies|both die)", line))
    assert clashes > 0
    assert f"{explanation.NODES:,} nodes" in "".join(root.itertext())


def test_a_seat_that_is_not_on_turn_has_no_moves(tmp_path: Path) -> None:
    whole = game()
    write_record(tmp_path / "game.jgr", whole)
    other = 1 - up_to(whole, 30).turn
    text = run("game.jgr", "--ply", "30", "--seat", str(other), "--output", "-", cwd=tmp_path).stdout
    assert f"Seat {other} is not on turn." in text
    assert moves_of(text) == []
    assert list(heat(text)) == [str(1 - other)]


def test_remarks_are_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    arbiter = game(plies=10)

    def contradicted(arbiter: Arbiter, seat: int, see: str) -> PlayerView:
        view = view_of(arbiter, seat, see)
        view.knowledge.remarks.append("<a> does not fit what was known, and is ignored")
        army = view.knowledge.living[1 - seat]
        for point in list(army)[:2]:
            army[point] = 1 << 9
        assert possible_types(tuple(view.knowledge.army(1 - seat))) is None
        return view

    monkeypatch.setattr(explanation, "view_of", contradicted)
    text = page(arbiter, arbiter.turn, "own", "game")
    remarks = [node.text for node in ElementTree.fromstring(text).iter("li")]
    assert remarks == [
        "<a> does not fit what was known, and is ignored",
        f"what is known of a piece of seat {1 - arbiter.turn} does not fit its army, and is ignored",
    ]
    for rows in heat(text).values():
        for row in rows.values():
            assert sum(row.chances) == pytest.approx(1, abs=1e-5)


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (["game.jgr", "--ply", "41"], "game.jgr: --ply 41: the game has 40 plies"),
        (["game.jgr", "--ply", "3", "--seat", "2"], "game.jgr: '2': a seat must be a number from 0 to 1"),
        (["none.jgr", "--ply", "3"], "none.jgr: No such file or directory"),
        (["bad.jgr", "--ply", "3"], "bad.jgr: line 1: 'x': expected record 1"),
        (["begun.jgr", "--ply", "0"], "begun.jgr: line 2: the record ends before the start of the game"),
        (["over.jgr", "--ply", "1"], "over.jgr: --ply 1: the game is over, name a seat with --seat"),
        (["game.jgr", "--ply", "3", "--output", os.path.join("none", "x.html")], None),
    ],
)
def test_the_command_refuses_in_one_line(tmp_path: Path, arguments: list[str], complaint: str | None) -> None:
    write_record(tmp_path / "game.jgr", game())
    over = game(plies=0)
    over.leave("resign")
    write_record(tmp_path / "over.jgr", over)
    (tmp_path / "bad.jgr").write_bytes(b"x\n")
    (tmp_path / "begun.jgr").write_bytes(b"record 1\n")
    before = sorted(tmp_path.iterdir())
    refused = run_here("junqi-record", "explain", *arguments, cwd=tmp_path)
    if complaint is None:
        complaint = f"{arguments[-1]}: No such file or directory"
    assert (refused.returncode, refused.stdout, refused.stderr) == (2, "", f"sanqi junqi-record explain: {complaint}\n")
    assert sorted(tmp_path.iterdir()) == before


def test_the_end_of_a_game_is_shown_to_a_seat_that_is_named(tmp_path: Path) -> None:
    over = game(plies=0)
    over.leave("resign")
    write_record(tmp_path / "over.jgr", over)
    text = run("over.jgr", "--ply", "1", "--seat", "1", "--output", "-", cwd=tmp_path).stdout
    assert "gameover win 1 resign" in text
    assert "Seat 0 is out." in text
    assert heat(text) == {}
