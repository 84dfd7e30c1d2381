"""Gomoku on the page of `sanqi board`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from board_pages.page_board import PageBoard, Texts
from game_core.display import SavedGame
from game_core.session import SideLine
from gomoku_protocol.game_record import BLACK, RULE_NAMES, WHITE, GameRecord, Stone
from gomoku_protocol.playback import draw
from gomoku_protocol.points import parse_point
from gomoku_protocol.position_string import is_position_string
from gomoku_protocol.records import parse_record, serialise_record
from gomoku_protocol.renju_openings import CHOICES, SWAP2
from gomoku_protocol.session import COLOURS, GomokuSession
from gomoku_protocol.swap2 import NAMES, SEATS

if TYPE_CHECKING:
    import argparse

    from game_core.session import Session, SideLines, Verdict
    from game_core.win_probability import Chances


class GomokuPageBoard(PageBoard):
    """A session of Gomoku as the page draws it."""

    options = ("rule", "opening", "size", "movetime")
    sides_by = ("opening", {name: SEATS if name == SWAP2 else COLOURS for name in CHOICES})
    level_steps = (1, 3, 6, 9, 12, 16)
    rare_options = ("movetime",)
    puts_stones = True
    set_up_title = "Set up a position"
    notations = ("letters", "gomocup")
    formats = ("sgf", "psq", "hex")

    def __init__(self, session: Session) -> None:
        assert isinstance(session, GomokuSession)
        view = session.view()
        self._session = session
        played = set(view["moves"])
        start: dict[str, Any] = {"size": [view["width"], view["height"]], "black": [], "white": []}
        for point, side in view["pieces"].items():
            if point not in played:
                start[side].append(point)
        self._start = start
        self.drawing = draw(start, "letters")

    def save(
        self,
        session: Session,
        format: str,
        players: Sequence[str],
        event: str,
        ended: Verdict | None,
        side_lines: SideLines,
    ) -> bytes:
        assert isinstance(session, GomokuSession)
        counts, lines = self._stone_counts(), dict[int, list[SideLine]]()
        for ply, each in side_lines.items():
            lines.setdefault(counts[ply], []).extend(_stones_of(each))
        return session.save(format, players, event, ended, side_lines=lines)

    def side_lines(self, record: Any) -> SideLines:
        plies = {count: ply for ply, count in enumerate(self._stone_counts())}  # after a choice
        return {plies[count]: lines for count, lines in record.side_lines.items() if count in plies}

    def _stone_counts(self) -> list[int]:
        """How many stones were put before each ply of the session, and after the last one: choices put none."""
        counts = [0]
        for move in self._session.view()["moves"]:
            counts.append(counts[-1] + (move not in NAMES))
        return counts

    @classmethod
    def options_of(cls, terms: Mapping[str, Any]) -> dict[str, str]:
        width, _, height = str(terms["size"]).partition("x")
        if width != height:
            raise ValueError("only square boards are shown")
        return {**super().options_of(terms), "size": width}

    def players(self, record: Any) -> Sequence[str]:
        names = [name or "" for name in record.names]
        return names if self._session.seat_of(0) == 0 else names[::-1]

    def sides(self, session: Session) -> list[str]:
        return list(COLOURS)

    def side_to_move(self, session: Session) -> str:
        assert isinstance(session, GomokuSession)
        return COLOURS[session.colour]

    def text(self, view: Mapping[str, Any]) -> str:
        stones = [Stone(COLOURS.index(side), *parse_point(point)) for point, side in view["pieces"].items()]
        return self._sgf(stones, COLOURS.index(view["colour"]))

    def text_of(self, pieces: Sequence[tuple[int, int]], to_move: int, seat: int | None) -> str:
        width = int(self.drawing.board.width) + 1
        stones = [Stone((BLACK, WHITE)[kind], point % width, point // width) for point, kind in pieces]
        return self._sgf(stones, to_move)

    def _sgf(self, stones: Sequence[Stone], to_move: int) -> str:
        """A position as a set-up of SGF."""
        view = self._session.view()
        [rule] = [number for number, name in RULE_NAMES.items() if name == view["rule"]]
        record = GameRecord(view["width"], view["height"], (), tuple(stones), (BLACK, WHITE)[to_move], rule)
        return serialise_record(record, "sgf").decode().strip()

    @classmethod
    def is_start(cls, text: str) -> bool:
        return text.lstrip().startswith("(") or is_position_string(text)

    @classmethod
    def begin_from(cls, text: str, args: argparse.Namespace, seat: int | None) -> None:
        record = parse_record(text.encode("utf-8", "replace"), "pos" if is_position_string(text) else "sgf")
        record.require_turns()
        args.saved, args.resume, args.size, args.opening = SavedGame(record), "", None, None

    def labels(self) -> dict[str, Texts]:
        return {"letters": self.drawing.board.texts, "numbers": draw(self._start, "gomocup").board.texts}

    def point_names(self) -> list[str]:
        return [self._session.move_names(name)["letters"] for name in super().point_names()]

    def turns(self, seats: int) -> list[int]:
        return [0] * seats

    def codes(self, view: Mapping[str, Any]) -> list[str]:
        codes, colour = [], self._session.first
        for move in view["moves"]:
            codes.append(self.drawing.ply_code(move, COLOURS[colour], ""))
            colour = colour if move in NAMES else 1 - colour
        return codes

    def task(self, view: Mapping[str, Any]) -> str:
        task: str = view["task"]
        return task

    def choices(self, view: Mapping[str, Any]) -> dict[str, str]:
        return {choice: NAMES[choice] for choice in view["choices"]}

    def is_choice(self, move: str) -> bool:
        return move in NAMES

    def row(self, view: Mapping[str, Any]) -> list[str]:
        points: list[str] = view["five"]
        return points

    def barred(self, view: Mapping[str, Any]) -> list[str]:
        points: list[str] = view["forbidden"]
        return points

    def chances(self, score: int, position: Any) -> Chances:
        from gomoku_protocol.win_probability import chances

        return chances(score, position)


def _stones_of(lines: Sequence[SideLine]) -> list[SideLine]:
    """Tried moves without the choices among them, which are no moves of a record."""
    found: list[SideLine] = []
    waiting = [(found, lines)]
    while waiting:
        place, each = waiting.pop()
        for line in each:
            after = place if line.move in NAMES else []
            if after is not place:
                place.append(line._replace(next=after))
            waiting.append((after, line.next))
    return found
