"""The HTML report of a match: it has the score's numbers, loads nothing, and shows names and details safely."""

from __future__ import annotations

import base64
import hashlib
import json
import random
import re
import xml.etree.ElementTree as ET
from collections.abc import Iterator
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest

from engine_client.specification import EngineSpecification
from engine_client.time_control import ThinkingLimit
from game_core.session import DRAW, FIRST_WINS, SECOND_WINS
from gomoku_protocol.match_game import Gomoku
from junqi_protocol.referee.match_game import Junqi
from match_runner.game import Adjudication, MatchConditions, MatchGame, MoveStats, PlayedGame
from match_runner.match import MatchConfig, MatchPlan, MatchState
from match_runner.match_history import MAX_FAULTY, MAX_GAMES, MAX_POINTS, Curve, MatchHistory
from match_runner.openings import Opening
from match_runner.plots import MAX_OPENINGS
from match_runner.report import write_report
from match_runner.run_info import RunInfo
from match_runner.schedule import GAUNTLET, ROUND_ROBIN, Schedule
from match_runner.score import MatchScore
from match_runner.statistics import H1, Sprt, elo_of
from search_core.version import __version__
from ucci_engine.match_game import Xiangqi

XIANGQI = Xiangqi()
FREESTYLE = Gomoku(15, 15, 0)
FIRST_MOVES = ("h2e2", "b2e2", "c3c4", "g3g4", "b0c2", "h0g2")
RUN_INFO = RunInfo("2026-01-02 03:04+00:00", "Linux, 4 cores", openings="openings.txt")
CONDITIONS = MatchConditions(ThinkingLimit(movetime_ms=100, margin_ms=200))
RESULTS = (FIRST_WINS, DRAW, SECOND_WINS)


class Page(HTMLParser):
    """What is in a page: `tables` by the heading above them, as rows of texts; `text`; all tags with attributes."""

    _EMPTY = frozenset({"meta", "link", "br", "img", "input"})

    def __init__(self, markup: str) -> None:
        super().__init__(convert_charrefs=True)
        self.markup = markup
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.tables: dict[str, list[list[str]]] = {}
        self.text = ""
        self._open: list[str] = []
        self._heading = ""
        self.feed(markup)
        self.close()
        assert not self._open

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        if tag in self._EMPTY:
            return
        self._open.append(tag)
        if tag in ("h1", "h2", "h3"):
            self._heading = ""
        elif tag == "table":
            self.tables[self._heading] = []
        elif tag == "tr":
            self.tables[self._heading].append([])
        elif tag in ("td", "th"):
            self.tables[self._heading][-1].append("")

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        assert self._open.pop() == tag

    def handle_data(self, data: str) -> None:
        if "style" in self._open or "script" in self._open:
            return
        self.text += data
        if self._open and self._open[-1] in ("h1", "h2", "h3"):
            self._heading += data
        elif "td" in self._open or "th" in self._open:
            self.tables[self._heading][-1][-1] += data

    def row(self, table: str, name: str) -> dict[str, str]:
        """The row with this name, by column heading."""
        head, *rows = self.tables[table]
        [found] = [row for row in rows if name in row[:2]]
        return dict(zip(head, found))

    def viewer_data(self) -> Any:
        """The data for the viewer of the games."""
        [data] = re.findall(r'<script type="application/json" id="games">(.*?)</script>', self.markup, re.DOTALL)
        return json.loads(data)

    @property
    def plots(self) -> dict[str, ET.Element]:
        """The plots by their titles."""
        figures = re.findall(r"<figure>\n<h3>(.*?)</h3>.*?(<svg.*?</svg>)", self.markup, re.DOTALL)
        return {title: ET.fromstring(svg) for title, svg in figures}


def plan_of(
    games: int,
    *names: str,
    game: MatchGame = XIANGQI,
    openings: list[Opening] | None = None,
    sprt: Sprt | None = None,
    tournament: str = ROUND_ROBIN,
    conditions: MatchConditions = CONDITIONS,
) -> MatchPlan:
    engines = tuple(EngineSpecification(name, ("engine", "--name", name)) for name in names)
    if openings is None:
        openings = [Opening((move,), line) for line, move in enumerate(FIRST_MOVES, 1)] * games
    return MatchPlan(MatchConfig(game, engines, conditions), Schedule(len(names), games, openings, tournament), sprt)


def played(plan: MatchPlan, games: int | None = None, faults: bool = False) -> Iterator[tuple[int, PlayedGame]]:
    """Games of a plan with random results, the same ones every time; the first engine is stronger."""
    for task in list(plan.schedule)[:games]:
        chance = random.Random(task.number)
        one, other = task.players
        result = chance.choices(RESULTS, (3, 2, 1) if one < other else (1, 2, 3))[0]
        names = plan.engines[one].name, plan.engines[other].name
        reason, detail = ("repetition", "") if result == DRAW else ("mate", "")
        if faults and result != DRAW:
            loser = names[result == FIRST_WINS]
            reason, detail = "crash", f"{loser} ended with status {task.number}"
        plies = chance.randrange(20, 60)
        move_stats = tuple(
            MoveStats(ply % 2, chance.uniform(5, 150), 10 + task.players[ply % 2], 20_000, 100, 30)
            for ply in range(plies)
        )
        moves = task.opening.moves + ("a0a1",) * (plies + task.number)
        yield task.number + 1, PlayedGame(names, task.opening, moves, result, reason, detail, move_stats)


def report_of(
    folder: Path,
    plan: MatchPlan,
    games: list[tuple[int, PlayedGame]] | None = None,
    run_info: RunInfo = RUN_INFO,
) -> tuple[Page, MatchScore]:
    """The report of a plan's games, and their score."""
    if games is None:
        games = list(played(plan))
    tasks = {task.number: task for task in plan.schedule}
    state = MatchState(plan, lambda *_: None)
    for number, record in games:
        state.remember(tasks[number - 1], record)
    score = state.score
    path = folder / "report.html"
    write_report(path, plan, score, iter(games), run_info)
    return Page(path.read_text(encoding="utf-8")), score


class TestTwoEngines:
    def test_tables_are_the_score(self, tmp_path: Path) -> None:
        page, score = report_of(tmp_path, plan_of(12, "new", "old"))
        first = score.first
        row = page.row("Result", "new")
        assert [int(row[key]) for key in ("games", "+", "=", "−")] == [12, first.wins, first.draws, first.losses]
        assert float(row["%"]) == pytest.approx(first.percent, abs=0.05)
        elo = first.elo()
        assert elo is not None
        assert row["Elo"] == str(elo)
        assert row["nElo"] == elo.normalised_text()
        assert row["LOS"] == elo.superiority_text()
        assert float(row["draws, %"]) == pytest.approx(100 * first.draws / 12, abs=0.05)
        pairs = page.row("Pairs of games by points of the first engine", "new – old")
        assert [int(pairs[key]) for key in ("0", "½", "1", "1½", "2")] == first.pairs.counts
        assert {row[0]: int(row[1]) for row in page.tables["How the games ended"][1:]} == score.reasons

    def test_statistics_of_each_engine(self, tmp_path: Path) -> None:
        page, score = report_of(tmp_path, plan_of(4, "new", "old"))
        for number, name in enumerate(("new", "old")):
            engine_stats = score.engines[number].engine_stats
            row = page.row("How the engines did", name)
            assert int(row["moves"]) == engine_stats.moves
            assert float(row["ms a move"]) == pytest.approx(engine_stats.time_ms / engine_stats.moves, abs=0.05)
            assert float(row["longest, ms"]) == pytest.approx(engine_stats.longest_ms, abs=0.05)
            assert row["depth"] == f"{10 + number:.1f}"
            assert row["nodes/s"] == "200,000"

    def test_no_speed_from_too_few_milliseconds(self, tmp_path: Path) -> None:
        plan = plan_of(4, "new", "old")
        games = list(played(plan))
        for _, record in games:
            record.move_stats = tuple(stats._replace(nodes_ms=9 * stats.side) for stats in record.move_stats)
        page, _ = report_of(tmp_path, plan, games)
        assert [page.row("How the engines did", name)["nodes/s"] for name in ("new", "old")] == ["", ""]

    def test_games_in_their_order(self, tmp_path: Path) -> None:
        plan = plan_of(6, "new", "old")
        games = list(played(plan))
        page, _ = report_of(tmp_path, plan, games[::-1])
        rows = page.tables["Games"][1:]
        assert [[row[0].split()[0], *row[1:6]] for row in rows] == [
            [str(number), *record.names, record.result, record.reason, str(len(record.moves))]
            for number, record in games
        ]
        assert [row[6:8] for row in rows[:3]] == [["1", "h2e2"], ["1", "h2e2"], ["2", "b2e2"]]

    def test_duplicates_are_marked(self, tmp_path: Path) -> None:
        plan = plan_of(6, "new", "old")
        games = list(played(plan))
        games[1][1].moves = games[0][1].moves
        page, score = report_of(tmp_path, plan, games)
        assert score.duplicates == 1
        assert "1 duplicate\ngame" in page.text
        assert [row[0].split()[0] for row in page.tables["Games"] if row[-1] == "duplicate"] == ["2"]

    def test_score_by_opening(self, tmp_path: Path) -> None:
        plan = plan_of(8, "new", "old")
        page, _ = report_of(tmp_path, plan)
        points = dict.fromkeys((1, 2, 3, 4), 0.0)
        for number, record in played(plan):
            one = {FIRST_WINS: 1, DRAW: 0.5, SECOND_WINS: 0}[record.result]
            points[(number + 1) // 2] += one if record.names[0] == "new" else 1 - one
        hints = [str(node.text) for node in page.plots["Score by opening"].iter("{http://www.w3.org/2000/svg}title")]
        assert {int(opening): float(score) for opening, score in (hint.split(": ") for hint in hints)} == points

    def test_many_openings_are_counted(self, tmp_path: Path) -> None:
        page, score = report_of(tmp_path, plan_of(2 * MAX_OPENINGS + 2, "new", "old"))
        hints = [node.text for node in page.plots["Score by opening"].iter("{http://www.w3.org/2000/svg}title")]
        counts = score.first.pairs.counts
        assert hints == [f"{points}: {count}" for points, count in zip(("0", "½", "1", "1½", "2"), counts)]

    def test_sprt(self, tmp_path: Path) -> None:
        sprt = Sprt(0, 100)
        page, score = report_of(tmp_path, plan_of(200, "new", "old", sprt=sprt))
        assert score.verdict == H1
        assert "SPRT: H1 accepted: new is stronger by more than 0 Elo" in page.text
        assert f"LLR {sprt.llr(score.first.pairs):+.2f} [-2.94, 2.94]" in page.text
        assert "LLR over the games" in page.plots

    def test_conditions(self, tmp_path: Path) -> None:
        conditions = MatchConditions(
            ThinkingLimit(match_ms=60_000, increment_ms=500, margin_ms=70), 300, Adjudication(900, 3, 12, 7, 80)
        )
        page, _ = report_of(tmp_path, plan_of(5, "new", "old", conditions=conditions))
        rows = dict(page.tables["Conditions"])
        assert rows["game"] == "xiangqi"
        assert rows["limit"] == str(conditions.limit)
        assert rows["margin"].startswith("70 ms")
        assert rows["openings"].startswith("3 of openings.txt,")
        assert rows["begun"] == RUN_INFO.begun
        assert rows["host"] == RUN_INFO.host
        assert rows["version"] == f"sanqi {__version__}"
        assert rows["longest game"].startswith("300 plies")
        assert {"900", "3"} <= set(rows["adjudicated win"].split())
        assert {"80,", "12", "7"} <= set(rows["adjudicated draw"].split())
        assert page.row("Engines", "new")["command"] == "engine --name new"

    def test_each_engine_with_its_name_limit_and_sides(self, tmp_path: Path) -> None:
        plan = plan_of(6, "new", "old")
        own = replace(plan.engines[1], limit=ThinkingLimit(nodes=500), options=(("Hash", "1"),))
        plan = replace(plan, config=replace(plan.config, engines=(plan.engines[0], own)))
        told = replace(RUN_INFO, reported_names=("New 2.0", "Old <b>1.0"))
        page, score = report_of(tmp_path, plan, run_info=told)
        assert page.row("Engines", "new")["calls itself"] == "New 2.0"
        row = page.row("Engines", "old")
        assert (row["calls itself"], row["thinks"], row["settings"]) == ("Old <b>1.0", "500 nodes a move", "Hash = 1")
        assert dict(page.tables["Conditions"])["limit"] == "new 100 ms a move, old 500 nodes a move"
        for number, name in enumerate(("new", "old")):
            red, black = score.engines[number].sides
            assert red.games == black.games == 3
            row = page.row("Score by side", name)
            assert row["as red"] == f"+{red.wins} ={red.draws} −{red.losses}"
            assert row["as black"] == f"+{black.wins} ={black.draws} −{black.losses}"
            assert red.points + black.points == score.engines[number].points


class TestWhatIsLong:
    def test_faulty_games_are_listed_up_to_a_number(self, tmp_path: Path) -> None:
        plan = plan_of(120, "new", "old")
        page, score = report_of(tmp_path, plan, list(played(plan, faults=True)))
        crashes = [engine.faults["crash"] for engine in score.engines]
        assert sum(crashes) > MAX_FAULTY
        assert [int(page.row("How the engines did", name)["crashes"]) for name in ("new", "old")] == crashes
        rows = page.tables["Games lost by a fault"][1:]
        assert len(rows) == MAX_FAULTY
        assert all(f"status {int(row[0]) - 1}" in row[5] for row in rows)
        assert f"and {sum(crashes) - MAX_FAULTY} more" in page.text

    def test_games_are_listed_up_to_a_number(self, tmp_path: Path) -> None:
        plan = plan_of(MAX_GAMES + 2, "new", "old")
        thoughtless = [
            (number, PlayedGame(record.names, record.opening, record.moves, record.result, record.reason))
            for number, record in played(plan)
        ]
        page, _ = report_of(tmp_path, plan, thoughtless)
        assert [int(row[0].split()[0]) for row in page.tables["Games"][1:]] == list(range(1, MAX_GAMES + 1))
        assert f"Games up to number {MAX_GAMES}" in page.text

    @pytest.mark.parametrize("points", [1, MAX_POINTS, MAX_POINTS + 1, 50 * MAX_POINTS + 3])
    def test_curve_is_thinned_and_keeps_its_ends(self, points: int) -> None:
        curve = Curve()
        for number in range(1, points + 1):
            curve.add(number, -number)
        kept = curve.points()
        assert (kept[0], kept[-1]) == ((1, -1), (points, -points))
        assert len(kept) == points if points <= MAX_POINTS else MAX_POINTS / 2 < len(kept) <= MAX_POINTS + 1
        assert kept == sorted(set(kept))

    def test_times_by_move(self) -> None:
        plan = plan_of(2, "new", "old")
        history = MatchHistory(plan)
        move_stats = tuple(MoveStats(ply % 2, 10.0 * (ply // 2 + 1)) for ply in range(8))
        for number, names in ((1, ("new", "old")), (2, ("old", "new"))):
            history.add(
                number, PlayedGame(names, Opening((), 1), ("a0a1",) * 8, DRAW, "repetition", move_stats=move_stats)
            )
        for times in history.times:
            assert [total / count for total, count in zip(times.sums, times.counts)] == [10, 20, 30, 40]
            assert times.counts == [2, 2, 2, 2]
            assert times.classes.total() == 8


class TestOtherMatches:
    @pytest.mark.parametrize("game", [XIANGQI, FREESTYLE, Junqi("siguo", 1)], ids=["xiangqi", "gomoku", "junqi"])
    def test_no_game_was_played(self, game: MatchGame, tmp_path: Path) -> None:
        page, _ = report_of(tmp_path, plan_of(100, "new", "old", game=game, sprt=Sprt(0, 5)), [])
        assert "no game was played" in page.text
        assert "0 of 100 games" in page.text
        assert "undecided" in page.text
        assert not page.plots

    @pytest.mark.parametrize("games", [1, 2, 3])
    def test_just_begun(self, games: int, tmp_path: Path) -> None:
        plan = plan_of(100, "new", "old", sprt=Sprt(0, 5))
        page, _ = report_of(tmp_path, plan, list(played(plan, games)))
        assert page.row("Result", "new")["games"] == str(games)
        assert "Length of the games" in page.plots
        assert ("Score over the games" in page.plots) == (games > 1)

    def test_all_drawn(self, tmp_path: Path) -> None:
        plan = plan_of(8, "new", "old")
        games = list(played(plan))
        for _, record in games:
            record.result = DRAW
        page, _ = report_of(tmp_path, plan, games)
        assert page.row("Result", "new")["Elo"] == page.row("Result", "old")["Elo"] == "+0.0 ± ?"  # no spread
        assert "Score over the games" in page.plots

    def test_all_won(self, tmp_path: Path) -> None:
        plan = plan_of(8, "new", "old")
        games = list(played(plan))
        for _, record in games:
            record.result = FIRST_WINS if record.names[0] == "new" else SECOND_WINS
        page, _ = report_of(tmp_path, plan, games)
        # At the bound, four won pairs in a row have a probability of one in twenty.
        bound = elo_of(0.05**0.25)
        assert page.row("Result", "new")["Elo"] == f"> {bound:+.0f} (95 %)"
        assert page.row("Result", "old")["Elo"] == f"< {-bound:+.0f} (95 %)"
        assert "Score over the games" in page.plots

    @pytest.mark.parametrize("tournament", [ROUND_ROBIN, GAUNTLET])
    def test_three_engines(self, tournament: str, tmp_path: Path) -> None:
        names = ("one", "two", "three")
        page, score = report_of(tmp_path, plan_of(8, *names, tournament=tournament))
        percents = [float(row[7]) for row in page.tables["Result"][1:]]
        assert percents == sorted(percents, reverse=True)
        for (one, other), tally in score.pairings.items():
            cell = page.row("Each against each", names[one])[names[other]]
            assert cell == f"+{tally.wins} ={tally.draws} -{tally.losses}, Elo {tally.elo()}"
            back = page.row("Each against each", names[other])[names[one]]
            assert back == f"+{tally.losses} ={tally.draws} -{tally.wins}, Elo {tally.reversed().elo()}"
        if tournament == GAUNTLET:
            assert page.row("Each against each", "two")["three"] == "–"
        assert len(page.plots["Score over the games"].findall(".//*[@class='line reactive nofill']")) == 3

    def test_junqi_has_only_times(self, tmp_path: Path) -> None:
        plan = plan_of(6, "path", "events", game=Junqi("duel", 3), openings=Junqi.deals(6))
        games = list(played(plan))
        for _, record in games:
            record.move_stats = tuple(MoveStats(stats.side, stats.time_ms) for stats in record.move_stats)
        page, _ = report_of(tmp_path, plan, games)
        assert dict(page.tables["Conditions"])["variant"] == "duel"
        row = page.row("How the engines did", "path")
        assert (row["depth"], row["nodes/s"]) == ("", "")
        assert row["ms a move"]
        assert page.tables["Games"][0][1:3] == ["even", "odd"]
        assert "Time by move" in page.plots


SCRIPTS: list[dict[str, str | None]] = [{"type": "application/json", "id": "games"}, {}]
HOSTILE = ("</script><script>alert(1)</script>", "\"new\" & 'improved' {{ 7 * 7 }}")


class TestForeignText:
    def test_names_and_details_are_shown_and_nothing_more(self, tmp_path: Path) -> None:
        plan = plan_of(20, *HOSTILE, sprt=Sprt(0, 5))
        page, _ = report_of(tmp_path, plan, list(played(plan, faults=True)))
        assert {row[1] for row in page.tables["Result"][1:]} == set(HOSTILE)
        assert [attributes for tag, attributes in page.tags if tag == "script"] == SCRIPTS
        data = page.viewer_data()
        assert {name for game in data["games"] for name in game["names"]} == set(HOSTILE)
        assert any(row[5].startswith(HOSTILE[0]) for row in page.tables["Games lost by a fault"][1:])

    def test_chinese(self, tmp_path: Path) -> None:
        page, _ = report_of(tmp_path, plan_of(4, "新版", "旧版"))
        assert page.row("Result", "新版")["games"] == "4"
        assert "Points of 新版" in page.text

    def test_characters_that_cannot_be_printed(self, tmp_path: Path) -> None:
        plan = plan_of(4, "a\x00b\udce4\u202ec\nd", "old")
        page, _ = report_of(tmp_path, plan, list(played(plan, faults=True)))
        assert page.row("Result", "a\ufffdb\ufffd\ufffdc d")["games"] == "4"
        assert page.viewer_data()["games"][0]["names"] == ["a\ufffdb\ufffd\ufffdc d", "old"]

    def test_a_game_with_a_bad_record_has_no_moves(self, tmp_path: Path) -> None:
        plan = plan_of(2, "a", "b", game=Junqi("siguo", 1), openings=Junqi.deals(2))
        games = list(played(plan))
        games[0][1].notation = "record 1\nnonsense\n"
        page, _ = report_of(tmp_path, plan, games)
        assert [game["plies"] for game in page.viewer_data()["games"]] == [None, None]

    @pytest.mark.parametrize("names", [("new", "old"), ("a", "b", "c"), ("http://example.com/a.js", "//example.com/b")])
    def test_loads_nothing_and_runs_nothing(self, names: tuple[str, ...], tmp_path: Path) -> None:
        sprt = Sprt(0, 5) if len(names) == 2 else None
        page, _ = report_of(tmp_path, plan_of(20, *names, sprt=sprt))
        assert len(page.plots) >= 5
        for tag, attributes in page.tags:
            assert tag not in {"link", "img", "iframe", "object", "embed", "base", "image", "use", "a"}
            for name, value in attributes.items():
                assert not name.startswith("on")
                assert name not in {"src", "href", "xlink:href", "srcset"}
                assert not re.search(r"//|url\(", value or "") or name.startswith("xmlns") or tag == "meta"
        # Injected code would not run: the page's own policy allows one script and no address.
        [policy] = [attributes["content"] for _, attributes in page.tags if "http-equiv" in attributes]
        [script] = re.findall(r"<script>(.*?)</script>", page.markup, re.DOTALL)
        digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode("ascii")
        assert policy == (
            f"default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-{digest}'; base-uri 'none'; "
            "form-action 'none'"
        )
        assert [attributes for tag, attributes in page.tags if tag == "script"] == SCRIPTS
        assert not re.search(r"innerHTML|insertAdjacent|document\.write|eval|fetch|XMLHttp|import|\bFunction\b", script)
        [style] = re.findall(r"<style.*?</style>", page.markup, re.DOTALL)
        assert not re.search(r"@import|url\(|//", style)


class TestFile:
    def test_head_names_sanqi(self, tmp_path: Path) -> None:
        report_of(tmp_path, plan_of(2, "x" * 2000, "old"))
        assert b"sanqi match" in (tmp_path / "report.html").read_bytes()[:1000]

    def test_replaces_an_older_one_and_leaves_nothing_else(self, tmp_path: Path) -> None:
        report_of(tmp_path, plan_of(2, "older", "old"))
        page, _ = report_of(tmp_path, plan_of(2, "newer", "old"))
        assert "newer" in page.text
        assert "older" not in page.text
        assert [path.name for path in tmp_path.iterdir()] == ["report.html"]

    def test_an_interrupted_write_keeps_the_older_one(self, tmp_path: Path) -> None:
        plan = plan_of(2, "older", "old")
        report_of(tmp_path, plan)
        before = (tmp_path / "report.html").read_bytes()

        def broken() -> Iterator[tuple[int, PlayedGame]]:
            yield from played(plan)
            raise KeyboardInterrupt

        with pytest.raises(KeyboardInterrupt):
            write_report(tmp_path / "report.html", plan, MatchScore(2), broken(), RUN_INFO)
        assert (tmp_path / "report.html").read_bytes() == before

    def test_place_that_cannot_be_written(self, tmp_path: Path) -> None:
        with pytest.raises(FileNotFoundError):
            write_report(tmp_path / "missing" / "report.html", plan_of(2, "a", "b"), MatchScore(2), [], RUN_INFO)
        (tmp_path / "folder").mkdir()
        with pytest.raises(OSError, match="folder"):
            write_report(tmp_path / "folder", plan_of(2, "a", "b"), MatchScore(2), [], RUN_INFO)
        assert [path.name for path in tmp_path.iterdir()] == ["folder"]
