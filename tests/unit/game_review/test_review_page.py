"""The page of a review: what stands in it, also without its script; it loads nothing, and foreign text is only text."""

from __future__ import annotations

import base64
import copy
import hashlib
import json
import re
from collections.abc import Iterable
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest

from game_review.json_parts import WrongPart, read_part, write_part
from game_review.review_document import BadRecord, Document, GameReport, ReviewSettings, read_game
from game_review.review_page import write_page
from game_review.review_summary import summary_of
from game_review.review_table import document_lines
from game_review.review_words import likelihood
from sanqi.registry import GAMES
from tests.helpers.browser import Browser

EMPTY = frozenset({"meta", "input", "br"})


class Page(HTMLParser):
    """All tags with attributes, the texts of the elements with an id or a class, and the text outside scripts."""

    def __init__(self, markup: str) -> None:
        super().__init__(convert_charrefs=True)
        self.markup = markup
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.texts: list[tuple[str, dict[str, str | None], list[str]]] = []
        self._open: list[int] = []
        self.feed(markup)
        self.close()
        assert not self._open

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        if tag not in EMPTY:
            self._open.append(len(self.texts))
            self.texts.append((tag, dict(attrs), []))

    def handle_endtag(self, tag: str) -> None:
        assert self.texts[self._open.pop()][0] == tag

    def handle_data(self, data: str) -> None:
        if self.texts[self._open[-1]][0] in ("script", "style") if self._open else False:
            return
        for number in self._open:
            self.texts[number][2].append(data)

    def all(self, tag: str, **wanted: str) -> list[str]:
        """The texts of these elements; an underscore stands for a hyphen, and a class is one of several."""
        found = []
        for each, attributes, parts in self.texts:
            if each == tag and all(
                value in (attributes.get(name.strip("_").replace("_", "-")) or "").split()
                for name, value in wanted.items()
            ):
                found.append(" ".join("".join(parts).split()))
        return found

    @property
    def text(self) -> str:
        return self.all("body")[0]

    def rows(self) -> list[list[str]]:
        """The cells of the list of moves."""
        cells: list[list[str]] = []
        for tag, attributes, parts in self.texts:
            if tag == "tr":
                listed = "ply" in (attributes.get("class") or "").split()
                if listed:
                    cells.append([])
            elif tag in ("td", "th") and listed:
                cells[-1].append(" ".join("".join(parts).split()))
        return cells


def ply(number: int, side: str, move: str, name: str, before: float, played: float, **more: Any) -> dict[str, Any]:
    return {
        "ply": number, "side": side, "move": move, "name": name,
        "before": value(before), "played": value(played), "loss": before - played, "mark": None, "names": {},
        "comment": "", "spentMs": None, "phase": "opening", "confirmed": None, "best": None, "isBest": None,
        "book": False, "forced": False, "counted": True, "turningPoint": False, "missedWin": None, "rule": None,
    } | more  # fmt: skip


def value(winrate: float, **more: Any) -> dict[str, Any]:
    return {"winrate": winrate, "wdl": [winrate, 0.0, 1 - winrate]} | more


def figures(moves: int, **more: Any) -> dict[str, Any]:
    return {"moves": moves, "counted": moves, "inaccuracies": 0, "mistakes": 0, "blunders": 0} | more


XIANGQI: dict[str, Any] = {
    "source": "club.pgn", "number": 3, "game": "xiangqi", "opening": "", "names": ["Zhang", "Müller"],
    "headers": {"Red": "Zhang", "Black": "Müller", "Event": "Club"},
    "start": {"fen": "rnbakabnr/9/1c5c1/p1p1p1p1p/9/9/P1P1P1P1P/1C5C1/9/RNBAKABNR w - - 0 1"},
    "players": ["red", "black"],
    "plies": [
        ply(1, "red", "h2e2", "C2.5", 0.55, 0.55, isBest=True, book=True),
        ply(
            2, "black", "a9a8", "R1+1", 0.45, 0.15, mark="blunder", confirmed=True, turningPoint=True,
            best={"move": "h9g7", "name": "H8+7", "pv": ["h9g7", "h0g2"], "pvNames": ["H8+7", "H2+3"]},
        ) | {"played": value(0.15, pv=["e2e6", "d9e8"], pvNames=["C5+4", "A4+5"])},
        ply(
            3, "red", "e2e6", "C5+4", 0.85, 0.7, mark="mistake", comment="Too soon?",
            best={"move": "h0g2", "name": "H2+3", "pv": ["h0g2"], "pvNames": ["H2+3"]},
            missedWin={"mate": 5, "pv": ["b2b9", "a9b9"], "pvNames": ["C8+7", "R1.2"]},
        ) | {"before": value(0.85, mate=5)},
        ply(
            4, "black", "d9e8", "A4+5", 0.3, 0.24, mark="inaccuracy", forced=False, confirmed=False,
            best={"move": "f9e8", "name": "A6+5", "pv": ["f9e8"], "pvNames": ["A6+5"]},
            rule={"kind": "perpetual check", "side": "red", "text": "Red must change."},
        ),
        ply(5, "red", "e6e5", "C5-1", 0.76, 1.0, forced=True) | {"played": value(1.0, mate=3), "loss": 0},
    ],
    "result": {"result": "1-0", "reason": "mate"},
    "sides": {
        "red": figures(moves=3, accuracy=93.12, averageLoss=0.013, mistakes=1),
        "black": figures(moves=2, accuracy=61.0, averageLoss=0.18, inaccuracies=1, blunders=1),
    },
    "complete": True,
}  # fmt: skip
GOMOKU: dict[str, Any] = {
    "source": "a.psq", "number": 1, "game": "gomoku", "headers": {}, "names": ["", "Bot"],
    "opening": "direct", "start": {"size": 15, "blocked": ["0,0"]},
    "players": ["black", "white"],
    "plies": [
        ply(1, "black", "7,7", "h8", 0.6, 0.6),
        ply(2, "white", "6,6", "g9", 0.4, 0.1, mark="blunder",
            best={"move": "8,6", "name": "i9", "pv": ["8,6", "6,8", "8,8"], "pvNames": ["i9", "g7", "i7"]}),
        ply(3, "black", "8,8", "i7", 0.9, 0.9),
    ],
    "result": {"result": "1-0", "reason": "five"}, "sides": {}, "complete": True,
}  # fmt: skip
JUNQI: dict[str, Any] = {
    "source": "j.jgr", "number": 1, "game": "junqi", "opening": "", "headers": {}, "names": [""] * 4, "start": {},
    "players": ["0", "1", "2", "3"], "complete": False, "result": {"result": "*", "reason": ""}, "sides": {},
    "plies": [
        ply(1, "0", "g6g9", "工兵 g6g9", 0.5, 0.4, mark="mistake",
            best={"move": "a1a2", "name": "司令 a1a2", "pv": ["a1a2"], "pvNames": ["司令 a1a2"]}),
        ply(2, "1", "c1c2", "c1c2", 0.6, 0.6),
    ],
}  # fmt: skip

HIDDEN: dict[str, Any] = {
    "source": "d.jgr", "number": 1, "game": "junqi", "opening": "", "headers": {"Variant": "duel"}, "names": ["", ""],
    "players": ["0", "1"], "complete": True, "result": {"result": "*", "reason": ""}, "sides": {},
    "start": {
        "variant": "duel", "first": 0, "see": "own",
        "lineups": ["58671/1.2.5/41.39/2.4.3/M72B3/MB6FM", "69153/7.7.B/21.62/4.8.4/2M5M3/1FMB3"],
    },
    "plies": [
        ply(1, "0", "a6a7", "团长 a6a7", 0.6, 0.5, mark="mistake") | {
            "best": {"move": "c6c7", "pv": ["c6c7"], "pvNames": ["旅长 c6c7"], "pvOutcomes": ["takes"]},
            "expected": {"pv": ["a6a7"], "pvNames": ["团长 a6a7"], "pvOutcomes": ["both die"]},
            "outcome": {"result": "KILLED flag 0 d1", "text": "dies", "chance": 0.4},
            "revealed": [{"to": "1", "point": "d1", "seat": "0", "type": "F"}],
            "pieces": [{
                "point": "a7", "seat": "1", "role": "attacked", "truth": "6", "possible": ["6"], "types": {"6": 1.0},
                "texts": {"piece": "a7, seat 1", "knew": "has not moved", "believed": "旅长 9 %", "truth": "旅长"},
            }],
        },
        ply(2, "1", "pass", "pass", 0.5, 0.5, outcome={"result": "pass out 1 skips", "text": "", "chance": None},
            expected=None, revealed=[], pieces=[]),
    ],
}  # fmt: skip


def document_of(*games: dict[str, Any], errors: Iterable[BadRecord] = ()) -> Document:
    settings = ReviewSettings(100, None, notation="wxf")
    read = [read_game(copy.deepcopy(game)) for game in games]
    bad = list(errors)
    return Document(1, "sanqi 9.9", settings, read, bad, summary_of(read, len(bad)) if len(read) > 1 else None)


def page_of(folder: Path, *games: dict[str, Any], errors: Iterable[BadRecord] = ()) -> Page:
    path = folder / "review.html"
    write_page(document_of(*games, errors=errors), path, GAMES)
    return Page(path.read_text(encoding="utf-8"))


class TestWithoutTheScript:
    def test_moves(self, tmp_path: Path) -> None:
        assert page_of(tmp_path, XIANGQI).rows() == [
            ["1", "Red", "C2.5", "book", "55 %", ""],
            ["2", "Black", "R1+1", "??", "85 %", "30.0"],
            ["3", "Red", "C5+4", "?", "70 %", "15.0"],
            ["4", "Black", "A4+5", "?!", "76 %", "6.0"],
            ["5", "Red", "C5-1", "forced", "Red in 3", ""],
        ]

    def test_what_is_said_of_the_moves(self, tmp_path: Path) -> None:
        assert page_of(tmp_path, XIANGQI).all("tr", class_="detail") == [
            "Blunder: the expected score of Black falls from 45 % to 15 %. Turning point. Better: H8+7 H2+3"
            " What follows: C5+4 A4+5",
            "Mistake: the expected score of Red falls from 85 % to 70 %. Missed win: Red could"
            " force a win in 5. Better: H2+3 The win: C8+7 R1.2 Too soon?",
            "Inaccuracy: the expected score of Black falls from 30 % to 24 %. No second search confirmed it."
            " Rule: perpetual check by Red. Red must change. Better: A6+5",
        ]

    def test_moments_link_to_the_moves(self, tmp_path: Path) -> None:
        page = page_of(tmp_path, XIANGQI)
        assert page.all("ul", class_="moments") == [
            "2. Black R1+1 ?? from 45 % to 15 %",
            "3. Red C5+4 Red could force a win in 5.",
            "4. Black A4+5 perpetual check by Red. Red must change.",
        ]
        ids = {attributes["id"] for _, attributes in page.tags if "id" in attributes}
        links = [attributes["href"] for tag, attributes in page.tags if tag == "a"]
        assert links == ["#g1p2", "#g1p3", "#g1p4"]
        assert {(link or "")[1:] for link in links} <= ids

    def test_sides_headers_and_settings(self, tmp_path: Path) -> None:
        page = page_of(tmp_path, XIANGQI)
        rows = [text for text in page.all("tr") if text.startswith(("Red Zhang", "Black Müller"))]
        assert rows == ["Red Zhang93.1 %1.30103", "Black Müller61.0 %18.01012"]
        assert page.all("dl") == ["RedZhang BlackMüller EventClub"]
        assert page.all("h1") == ["Review: Red Zhang – Black Müller"]
        assert "Xiangqi, 1-0, mate, club.pgn, game 3" in page.text
        assert "Searched with 100 ms a move. ?! inaccuracy: loses at least 5; ? mistake: loses at least 10" in page.text
        assert "Written by sanqi 9.9" in page.text

    def test_curve(self, tmp_path: Path) -> None:
        page = page_of(tmp_path, XIANGQI)
        [run] = [attributes["points"] for tag, attributes in page.tags if tag == "polyline"]
        assert run == "0,45 1,45 2,15 3,30 4,24 5,0"
        shapes = [attributes["class"] for tag, attributes in page.tags if tag == "svg" and "x" in attributes]
        assert shapes == ["point blunder", "point mistake", "point inaccuracy"]
        [label] = [attributes["aria-label"] for _, attributes in page.tags if attributes.get("class") == "plot"]
        assert label == (
            "Expected score of Red: 55 % at first, 100 % at the end, highest 100 % after move 5, "
            "lowest 55 % at the start."
        )
        assert page.all("ul", class_="legend") == ["?! inaccuracy ? mistake ?? blunder turning point"]

    def test_several_games_and_their_summary(self, tmp_path: Path) -> None:
        errors = [BadRecord("b.pgn", 2, "no moves"), BadRecord("c.pgn", None, "empty")]
        page = page_of(tmp_path, XIANGQI, GOMOKU, JUNQI, errors=errors)
        assert page.all("ul", class_="moments")[:2] == [
            "2. Black R1+1 ?? loses 30.0 points (Red Zhang – Black Müller)"
            " 2. White g9 ?? loses 30.0 points (Black – White Bot)"
            " 3. Red C5+4 ? loses 15.0 points (Red Zhang – Black Müller)"
            " 4. Black A4+5 ?! loses 6.0 points (Red Zhang – Black Müller)",
            "b.pgn, game 2: no moves c.pgn: empty",
        ]
        assert page.all("h1") == ["Review of 3 games"]
        assert page.all("a", href="#g2") == ["Black – White Bot"]
        assert page.all("h2") == [
            "Games", "Summary", "Worst moves", "Not reviewed",
            "Red Zhang – Black Müller", "Black – White Bot", "Seats 0 and 2 – Seats 1 and 3 (j.jgr)",
        ]  # fmt: skip
        assert {"By phase", "By opening", "By player"} <= set(page.all("h3")) and "By time" not in page.all("h3")
        rows = [text for text in page.all("tr") if text.startswith(("322", "opening", "direct", "Bot"))]
        assert rows == ["3228872.910.1112", "opening28872.910.1112", "direct13374.910.0001", "Bot11124.730.0001"]

    def test_the_loss_of_a_move_that_does_not_count_is_not_shown(self, tmp_path: Path) -> None:
        plies = [XIANGQI["plies"][0], {**XIANGQI["plies"][1], "mark": None, "counted": False}]
        rows = page_of(tmp_path, {**XIANGQI, "plies": plies}).rows()
        assert "30.0" in page_of(tmp_path, XIANGQI).rows()[1] and "30.0" not in rows[1]

    def test_unknown_players_have_no_name(self, tmp_path: Path) -> None:
        headers = {"Red": "?", "Black": "??"}
        page = page_of(tmp_path, {**XIANGQI, "headers": headers, "names": ["", ""]})
        assert page.all("h1") == ["Review: Red – Black (club.pgn)"]

    def test_stones_have_the_colour_of_their_side(self, tmp_path: Path) -> None:
        moves = [ply(1, "white", "7,7", "h8", 0.6, 0.6), ply(2, "black", "8,8", "i7", 0.4, 0.4)]
        page = page_of(tmp_path, GOMOKU | {"players": ["white", "black"], "plies": moves})
        codes = [attributes["data-code"] for _, attributes in page.tags if "data-code" in attributes]
        assert [(code or "")[-1] for code in codes] == ["1", "0"]

    def test_junqi_without_a_start_has_no_board(self, tmp_path: Path) -> None:
        page = page_of(tmp_path, JUNQI)
        assert "There is no board for this game." in page.text
        assert [row[1:3] for row in page.rows()] == [["Seat 0", "工兵 g6g9"], ["Seat 1", "c1c2"]]
        assert page.rows()[1][4] == "40 %"  # of seats 0 and 2
        assert "Expected score of Seats 0 and 2 after each move" in page.text
        assert "This review is not complete" in page.text
        assert not [attributes for _, attributes in page.tags if "data-board" in attributes]

    def test_what_a_side_knew(self, tmp_path: Path) -> None:
        page = page_of(tmp_path, HIDDEN)
        assert page.rows()[0][1:4] == ["Seat 0", "团长 a6a7 dies", "?"]
        assert page.all("table", class_="pieces") == [
            "pieceSeat 0 knewSeat 0 believedtruth a7, seat 1has not moved旅长 9 %旅长"
        ]
        assert page.all("tr", class_="detail")[0].startswith(
            "Mistake: the expected score of Seat 0 falls from 60 % to 50 %. It dies, as Seat 0 expected with 40 %."
        )
        assert page.all("p", class_="better-line") == ["Better: 旅长 c6c7 takes", "Expected: 团长 a6a7 both die"]
        [codes] = [attributes for _, attributes in page.tags if attributes.get("data-ply") == "1"]
        assert (codes["data-code"], codes["data-viewer"], codes["data-reveals"]) == ("k000y", "0", "1t0sb")
        [skipped] = [attributes["data-code"] for _, attributes in page.tags if attributes.get("data-ply") == "2"]
        assert skipped == "s1o1"

    @pytest.mark.parametrize(
        ("game", "change"),
        [
            (XIANGQI, {"start": {"fen": "rnbakabnr/x/9"}}),
            (XIANGQI, {"start": {"fen": "9/9/9/9/9/9/9/9/9/9/9/9/9/9/9/9/k"}}),
            (XIANGQI, {"plies": [ply(1, "red", "swap", "swap", 0.5, 0.5)]}),
            (GOMOKU, {"start": {"size": 99}}),
            (GOMOKU, {"start": {"size": {}}}),
            (GOMOKU, {"start": {"size": 15, "blocked": ["15,0"]}}),
            (GOMOKU, {"plies": [ply(1, "black", "15,3", "p12", 0.5, 0.5)]}),
            (GOMOKU, {"game": "nim"}),
        ],
    )
    def test_a_game_that_cannot_be_drawn(self, game: dict[str, Any], change: dict[str, Any], tmp_path: Path) -> None:
        assert "There is no board for this game." in page_of(tmp_path, game | change).text


def holes(value: Any) -> Iterable[tuple[Any, Any]]:
    """All places in a document: container and key."""
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, each in list(items):
        yield value, key
        yield from holes(each)


class TestReading:
    def test_what_is_read_is_what_was_written(self) -> None:
        for game in (XIANGQI, GOMOKU, JUNQI, HIDDEN):
            read = read_game(game)
            assert read_game(json.loads(json.dumps(write_part(read)))) == read
        assert write_part(read_game(HIDDEN)) == HIDDEN | {"notation": "", "leftOut": None}

    @pytest.mark.parametrize(
        "wrong",
        [
            "absent",
            10**400,
            *(pytest.param(wrong, marks=pytest.mark.long) for wrong in (None, "text", -1.5, [None], float("nan"))),
        ],
    )
    def test_a_wrong_field_is_refused_or_harmless(self, wrong: Any, tmp_path: Path) -> None:
        """Whatever can be read gives a table and a page."""
        refused, read = 0, []
        for whole in (XIANGQI, GOMOKU, HIDDEN):
            for number in range(sum(1 for _ in holes(whole))):
                changed = copy.deepcopy(whole)
                container, key = list(holes(changed))[number]
                if wrong == "absent" and isinstance(container, dict):
                    del container[key]
                else:
                    container[key] = wrong
                try:
                    read_game(changed)
                except WrongPart:
                    refused += 1
                else:
                    read.append(changed)
        assert refused > 100 and read
        assert len(page_of(tmp_path, *read).all("section", class_="game")) == len(read)
        for game in read:
            assert list(document_lines(document_of(game)))

    @pytest.mark.parametrize(
        "change", [{"ply": 2}, {"ply": True}, {"side": "green"}, {"mark": "slip"}, {"loss": None}, {"before": None}]
    )
    def test_a_ply_is_checked(self, change: dict[str, Any]) -> None:
        game = GOMOKU | {"plies": [GOMOKU["plies"][0] | change]}
        with pytest.raises(WrongPart):
            read_game(game)

    def test_old_documents(self) -> None:
        """They lack what came later, and may have what nobody knows."""
        game = read_part(GameReport, XIANGQI | {"comment": "new"})
        assert (game.notation, game.left_out, game.searches) == ("", None, None)


HOSTILE = "</script><script>alert(1)</script><img src=x onerror=alert(1)>'\"{{ 7 * 7 }}\u2028\u202e`${1}-->"
SHOWN = HOSTILE.replace("\u2028", " ").replace("\u202e", "\ufffd")


def spoilt(value: Any, text: str) -> Any:
    """A document with this text in place of every text that a player or a file could have brought."""
    if isinstance(value, dict):
        kept = ("game", "move", "pv", "side", "mark", "players", "start", "phase")
        return {key: each if key in kept else spoilt(each, text) for key, each in value.items()}
    return (
        [spoilt(each, text) for each in value] if isinstance(value, list) else text if isinstance(value, str) else value
    )


class TestForeignText:
    def test_it_is_shown_and_nothing_more(self, tmp_path: Path) -> None:
        page = page_of(
            tmp_path, spoilt(XIANGQI, HOSTILE), spoilt(GOMOKU, HOSTILE), errors=[BadRecord(HOSTILE, 1, HOSTILE)]
        )
        assert set(page.all("p", class_="comment")) == {" ".join(SHOWN.split())}
        assert page.rows()[0][2] == " ".join(SHOWN.split())
        assert [attributes for tag, attributes in page.tags if tag == "script"] == [
            {"type": "application/json", "id": "boards"}, {},
        ]  # fmt: skip
        assert not [tag for tag, _ in page.tags if tag == "img"]
        assert "\u2028" not in page.markup

    def test_names_in_titles_are_cut(self, tmp_path: Path) -> None:
        page = page_of(tmp_path, XIANGQI | {"headers": {"Red": "x" * 5000}, "names": ["x" * 5000, ""]})
        assert len(page.all("h1")[0]) < 200
        assert "x" * 5000 in page.all("dl")[0]

    def test_loads_nothing_and_runs_nothing(self, tmp_path: Path) -> None:
        page = page_of(tmp_path, XIANGQI, spoilt(GOMOKU, "http://example.com/a.js"), JUNQI)
        for tag, attributes in page.tags:
            assert tag not in {"link", "img", "iframe", "object", "embed", "base", "image", "use"}
            for name, value in attributes.items():
                assert not name.startswith("on")
                assert name not in {"src", "xlink:href", "srcset", "style"}
                assert name != "href" or re.fullmatch(r"#g\d+(p\d+)?", value or "")
                assert not re.search(r"//|url\(", value or "") or tag == "meta"
        [policy] = [attributes["content"] for _, attributes in page.tags if "http-equiv" in attributes]
        [script] = re.findall(r"<script>(.*?)</script>", page.markup, re.DOTALL)
        digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode("ascii")
        assert f"script-src 'sha256-{digest}'" in str(policy)
        assert str(policy).startswith("default-src 'none';")
        assert not re.search(r"innerHTML|insertAdjacent|document\.write|eval|fetch|XMLHttp|import|\bFunction\b", script)
        [style] = re.findall(r"<style.*?</style>", page.markup, re.DOTALL)
        assert not re.search(r"@import|url\(|//|transition|animation|scroll-behavior", style)
        [data] = re.findall(r'<script type="application/json" id="boards">(.*?)</script>', page.markup, re.DOTALL)
        assert len(json.loads(data)) == 2

    def test_ids_are_unique_and_labels_lead_somewhere(self, tmp_path: Path) -> None:
        page = page_of(tmp_path, XIANGQI, GOMOKU, JUNQI)
        ids = [attributes["id"] for _, attributes in page.tags if "id" in attributes]
        assert len(ids) == len(set(ids))
        for _, attributes in page.tags:
            for name in ("aria-labelledby", "aria-describedby"):
                assert name not in attributes or attributes[name] in ids


class TestFile:
    def test_replaces_an_older_one(self, tmp_path: Path) -> None:
        page_of(tmp_path, XIANGQI)
        assert "Müller" not in page_of(tmp_path, GOMOKU).text
        assert [path.name for path in tmp_path.iterdir()] == ["review.html"]

    def test_place_that_cannot_be_written(self, tmp_path: Path) -> None:
        with pytest.raises(FileNotFoundError):
            write_page(document_of(XIANGQI), tmp_path / "missing" / "review.html", GAMES)


def run_in_page(browser: Browser, folder: Path, script: str, *games: dict[str, Any], fragment: str = "") -> Any:
    """What a function's body returns that is run in the page, with press(KEY...) and text(SELECTOR)."""
    page_of(folder, *games)
    return browser.run(folder / "review.html", script, fragment)


STATUS = "const status = () => text('[role=status]');\n"
PIECES = """
const pieces = () => [...document.querySelectorAll('.man')].map((man) => {
  const shape = man.querySelector('circle');
  return [shape.getAttribute('cx'), shape.getAttribute('cy'), man.textContent].join(' ');
});
"""


class TestScript:
    def test_keys_step_through_the_game(self, browser: Browser, tmp_path: Path) -> None:
        script = (
            STATUS
            + """
            const seen = [status()];
            document.querySelector('[data-part=frame]').focus();
            for (const key of ['ArrowRight', 'n', 'n', 'p', 'End', 'ArrowRight', 'p', 'Home', 'ArrowLeft', 'p']) {
              press(key);
              seen.push(status());
            }
            return seen;
        """
        )
        blunder = "2. Black R1+1 ?? blunder, loses 30.0 points. Red: 85 %"
        end = "5. Red C5-1, forced. Forced win: Red in 3. End."
        start = "Start of the game. 5 moves."
        assert run_in_page(browser, tmp_path, script, XIANGQI) == [
            start,
            "1. Red C2.5, book. Red: 55 %",
            blunder,
            "3. Red C5+4 ? mistake, loses 15.0 points. Red: 70 %",
            blunder,
            end, end,
            "4. Black A4+5 ?! inaccuracy, loses 6.0 points. Red: 76 %",
            start, start, start,
        ]  # fmt: skip

    def test_board_follows_the_moves_and_the_better_line(self, browser: Browser, tmp_path: Path) -> None:
        script = (
            STATUS
            + PIECES
            + """
            const has = (place) => pieces().some((text) => text.startsWith(place + ' '));
            const seen = [pieces().length, has('7 7')];
            press('n');
            seen.push(has('4 7'), has('0 1'), document.querySelectorAll('.touched').length,
              document.querySelectorAll('.better .under').length);
            document.querySelector('[data-part=detail] button.line').click();
            seen.push(status(), has('0 0'), has('6 2'), document.querySelectorAll('.better').length);
            seen.push(document.activeElement.dataset.part, text('[data-part=steps]'));
            press('ArrowRight');
            seen.push(status(), has('6 7'));
            press('ArrowRight', 'Home');
            seen.push(status());
            press('ArrowLeft');
            seen.push(status());
            press('n', 'b');
            seen.push(status());
            press('Escape');
            seen.push(status());
            document.querySelectorAll('[data-part=detail] button.line')[1].click();
            seen.push(status(), has('4 3'), has('0 1'));
            press('ArrowLeft', 'ArrowLeft');
            seen.push(status());
            return seen;
        """
        )
        assert run_in_page(browser, tmp_path, script, XIANGQI) == [
            32, True,
            True, True, 2, 2,
            "Better line at move 2: step 1 of 2, H8+7", True, True, 0,
            "frame", "H8+7H2+3",
            "Better line at move 2: step 2 of 2, H2+3", True,
            "Better line at move 2: the position before it",
            "1. Red C2.5, book. Red: 55 %",
            "Better line at move 2: step 1 of 2, H8+7",
            "2. Black R1+1 ?? blunder, loses 30.0 points. Red: 85 %",
            "After move 2: step 1 of 2, C5+4", True, True,
            "2. Black R1+1 ?? blunder, loses 30.0 points. Red: 85 %",
        ]  # fmt: skip

    def test_gomoku_stones_numbers_and_ring(self, browser: Browser, tmp_path: Path) -> None:
        script = (
            STATUS
            + PIECES
            + """
            press('n');
            const seen = [pieces(), document.querySelectorAll('.better circle.under').length];
            const numbers = document.querySelector('[data-part=numbers] input');
            numbers.click();
            seen.push(pieces());
            press('b', 'End');
            seen.push(pieces(), status());
            return seen;
        """
        )
        assert run_in_page(browser, tmp_path, script, GOMOKU) == [
            ["0 0 ✕", "7 7 ", "6 6 "], 1,
            ["0 0 ✕", "7 7 1", "6 6 2"],
            ["0 0 ✕", "7 7 ", "8 6 1", "6 8 2", "8 8 3"],
            "Better line at move 2: step 3 of 3, i7",
        ]  # fmt: skip

    def test_list_curve_and_focus(self, browser: Browser, tmp_path: Path) -> None:
        script = (
            STATUS
            + """
            const buttons = [...document.querySelectorAll('.name button')];
            buttons[2].click();
            const seen = [status(), document.querySelector('.ply.chosen').id, buttons.map((each) => each.tabIndex)];
            buttons[2].focus();
            press('ArrowRight');
            seen.push(document.activeElement.textContent, document.querySelector('.cursor').getAttribute('x1'));
            document.querySelector('.moments a').click();
            seen.push(status(), document.querySelectorAll('[aria-current]').length);
            seen.push(document.querySelector('[data-step=previousMark]').getAttribute('aria-disabled'));
            return seen;
        """
        )
        assert run_in_page(browser, tmp_path, script, XIANGQI) == [
            "3. Red C5+4 ? mistake, loses 15.0 points. Red: 70 %", "g1p3", [-1, -1, 0, -1, -1],
            "A4+5", "80%",
            "2. Black R1+1 ?? blunder, loses 30.0 points. Red: 85 %", 1, "true",
        ]  # fmt: skip

    def test_home_and_end_scroll_the_page_while_nothing_has_the_focus(self, browser: Browser, tmp_path: Path) -> None:
        assert run_in_page(browser, tmp_path, "press('End'); return text('[role=status]');", XIANGQI).startswith(
            "Start"
        )

    def test_turned_board_and_letters(self, browser: Browser, tmp_path: Path) -> None:
        script = (
            PIECES
            + """
            document.querySelector('[data-step=turn]').click();
            const kings = pieces().filter((text) => /[帥將]/.test(text));
            const select = document.querySelector('[data-part=faces] select');
            select.value = 'letter';
            select.dispatchEvent(new window.Event('change'));
            return [kings, pieces().filter((text) => text.startsWith('4 '))];
        """
        )
        assert run_in_page(browser, tmp_path, script, XIANGQI) == [
            ["4 9 將K", "4 0 帥K"],
            ["4 9 K", "4 6 P", "4 3 P", "4 0 K"],
        ]  # fmt: skip

    def test_choice_of_a_game(self, browser: Browser, tmp_path: Path) -> None:
        script = (
            STATUS
            + """
            const sections = [...document.querySelectorAll('section.game')];
            const open = () => sections.filter((each) => !each.hidden).map((each) => each.id);
            const seen = [open(), status()];
            document.querySelector('[data-go="1"]').click();
            press('ArrowRight');
            seen.push(open(), status(), document.querySelector('[data-part=frame]').hidden);
            document.querySelector('[data-go="-1"]').focus();
            document.activeElement.click();
            press('ArrowRight');
            seen.push(status());
            document.querySelector('[data-go="1"]').click();
            const select = document.querySelector('select[data-part=game]');
            seen.push(select.value);
            const choose = (value) => {
              select.focus();
              select.value = value;
              select.dispatchEvent(new window.Event('change'));
            };
            choose('1');
            seen.push(open(), document.activeElement === select);
            select.dispatchEvent(new window.Event('pointerdown', {bubbles: true}));
            choose('2');
            press('End');
            seen.push(open(), status());
            document.querySelector('a[href="#g2"]').click();
            seen.push(open());
            return seen;
        """
        )
        games = (XIANGQI, GOMOKU, JUNQI)
        assert run_in_page(browser, tmp_path, script, *games, fragment="#g2p1") == [
            ["g2"], "1. Black h8. Black: 60 %",
            ["g3"], "1. Seat 0 工兵 g6g9 ? mistake, loses 10.0 points. Seats 0 and 2: 40 %", True,
            "1. Black h8. Black: 60 %",
            "3", ["g1"], True, ["g2"], "3. Black i7. Black: 90 %. End.",
            ["g2"],
        ]  # fmt: skip

    def test_hostile_text_breaks_nothing(self, browser: Browser, tmp_path: Path) -> None:
        script = "press('n', 'b', 'ArrowRight', 'Escape'); return [text('[role=status]'), window.broken === undefined];"
        status, safe = run_in_page(browser, tmp_path, script, spoilt(XIANGQI, HOSTILE))
        assert " ".join(SHOWN.split()) in " ".join(status.split())
        assert safe

    def test_a_game_without_moves(self, browser: Browser, tmp_path: Path) -> None:
        script = "press('ArrowRight', 'n', 'p', 'b', 'Escape'); return text('[role=status]');"
        assert run_in_page(browser, tmp_path, script, XIANGQI | {"plies": []}) == "The game has no moves."


@pytest.mark.parametrize(
    ("chance", "text"),
    [(0.0, "under 1 %"), (0.004, "under 1 %"), (0.61, "61 %"), (0.996, "over 99 %"), (1.0, "100 %")],
)
def test_what_has_happened_was_possible(chance: float, text: str) -> None:
    assert likelihood(chance) == text
