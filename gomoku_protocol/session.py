"""A game of Gomoku in progress. Moves are the Gomocup protocol's text: ``7,7``."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from game_core.session import DRAW, FIRST_WINS, SECOND_WINS, BoardSession, IllegalMove, SideLines, UnknownMove, Verdict
from gomoku_protocol.game_record import BLACK, RULE_NAMES, SIDE_NAMES, WHITE, GameRecord, Outcome, Stone
from gomoku_protocol.points import COLUMNS, FREESTYLE, RENJU, PointError, move_at, parse_point, point_of, point_text
from gomoku_protocol.position import Position
from search_core.failures import becoming
from search_core.line_protocol import excerpt

COLOURS = ("black", "white")
_LETTER_MOVE = re.compile(r"([a-z])([0-9]{1,2})")
_FORBIDDEN = {"overline": "six or more", "double four": "4-4", "double three": "3-3"}
_OUTCOMES: tuple[Outcome, Outcome] = ("black", "white")


class GomokuSession(BoardSession):
    """A game under a rule of `points.RULES`. It starts on an empty board or from a `setup`; the side `first` begins.

    Verdicts: 'five' as the rule counts it; draws by 'full-board' and 'no-point' (renju forbids Black all vacant
    points).
    """

    sides = COLOURS
    opening = ""
    """How the game was opened, for its record."""

    _position: Position

    def __init__(
        self,
        width: int = 15,
        height: int = 15,
        rule: int = FREESTYLE,
        setup: tuple[Stone, ...] = (),
        first: int = BLACK,
    ) -> None:
        self.remarks: tuple[str, ...] = ()
        """What a person should know of the file that the game is from."""
        super().__init__(Position(width, height, rule))
        self._setup = setup
        self.first = first
        """Who plays the first move."""
        if setup or first != BLACK:
            black, white = (
                [move_at(stone.x, stone.y) for stone in setup if stone.side == side] for side in (BLACK, WHITE)
            )
            self._position.set_up(black, white, side=first)

    @classmethod
    def of_points(
        cls,
        board: tuple[int, int, int],
        black: Sequence[int],
        white: Sequence[int],
        blocked: Sequence[int],
        first: int = BLACK,
    ) -> GomokuSession:
        """A game on a `board` (width, height, rule) with stones and blocked points, given as moves. A record of it has
        no blocked points. Raises ValueError if a point is off the board or named twice."""
        stones = (Stone(side, *point_of(move)) for side, moves in ((BLACK, black), (WHITE, white)) for move in moves)
        session = cls(*board, tuple(stones), first)
        session._position.set_up(black, white, blocked, first)
        return session

    @property
    def colour(self) -> int:
        """Of the next stone."""
        side: int = self._position.side
        return side

    def seat_of(self, colour: int) -> int:
        """Who plays a colour."""
        return colour

    def play(self, move: str, ms: int | None = None) -> None:
        with becoming(PointError, UnknownMove):
            x, y = parse_point(move)
        if not self._is_on_board(x, y):
            raise IllegalMove(f"{excerpt(move)} is off a board of {self._size()}")
        self._push(move_at(x, y), ms)

    def verdict(self) -> Verdict | None:
        winner = self._position.winner
        if winner is not None:
            return Verdict((FIRST_WINS, SECOND_WINS)[self.seat_of(winner)], "five")
        if self._position.full:
            return Verdict(DRAW, "full-board")
        if self._position.rule == RENJU and self.colour == BLACK and not self._has_point():
            return Verdict(DRAW, "no-point")
        return None

    def view(self, seat: int | None = None) -> dict[str, Any]:
        """Besides what every game has: `pieces`, the colour of each stone; `width`, `height` and `rule`; `forbidden`,
        the points that renju forbids Black, while Black is to move; `five`, the stones that have won; `colour`, that of
        the next stone; `task`, what the opening demands of the side to move, in words, and `choices`, the words that it
        has to choose from. Both sides see all of it."""
        points = [(x, y) for y in range(self._position.height) for x in range(self._position.width)]
        stones = {(x, y): self._position.stone_at(x, y) for x, y in points}
        binds = self._position.rule == RENJU and self.colour == BLACK
        forbidden = [point for point in points if binds and self._position.is_forbidden(move_at(*point))]
        return {
            **super().view(),
            "pieces": {f"{x},{y}": COLOURS[side] for (x, y), side in stones.items() if side in (BLACK, WHITE)},
            "width": self._position.width,
            "height": self._position.height,
            "rule": RULE_NAMES[self._position.rule],
            "forbidden": [f"{x},{y}" for x, y in forbidden],
            "five": [f"{x},{y}" for x, y in self._five(stones)],
            "colour": COLOURS[self.colour],
            "task": "",
            "choices": [],
        }

    def _five(self, stones: Mapping[tuple[int, int], int]) -> list[tuple[int, int]]:
        """The row of five, or of more if that has won; []: nobody has won by a move."""
        winner = self._position.winner
        if winner is None or not self._moves:
            return []
        x, y = point_of(self._moves[-1])
        rows = []
        for dx, dy in ((1, 0), (0, 1), (1, 1), (1, -1)):
            row = [(x, y)]
            for sign in (-1, 1):
                step = 1
                while stones.get((x + sign * step * dx, y + sign * step * dy)) == winner:
                    row.append((x + sign * step * dx, y + sign * step * dy))
                    step += 1
            rows.append(row)
        return min((row for row in rows if len(row) >= 5), key=len, default=[])

    def position(self) -> Position:
        return self._position.without_moves()

    def move_text(self, move: int) -> str:
        return point_text(move)

    def read_move(self, text: str) -> str:
        named = _LETTER_MOVE.fullmatch(text.lower())
        if named:
            x, y = ord(named[1]) - ord("a"), self._position.height - int(named[2])
        else:
            try:
                x, y = parse_point(text)
            except PointError:
                raise UnknownMove(f"expected a move as h8 or 7,7, got {excerpt(text)}") from None
        if not self._is_on_board(x, y):
            raise IllegalMove(f"{excerpt(text)} is not on the board of {self._size()}")
        if self._position.stone_at(x, y) >= 0:
            raise IllegalMove(f"{excerpt(text)} is not empty")
        if not self._position.is_legal(move_at(x, y)):
            reason = self._position.forbidden_reason(move_at(x, y))
            why = f"is forbidden to {SIDE_NAMES[self.colour]}: {reason} ({_FORBIDDEN.get(reason)})"
            raise IllegalMove(f"{excerpt(text)} {'comes after the end of the game' if self.verdict() else why}")
        return f"{x},{y}"

    def move_names(self, move: str) -> dict[str, str]:
        x, y = parse_point(move)
        return {"letters": f"{COLUMNS[x]}{self._position.height - y}", "gomocup": move}

    def save(
        self,
        format: str,
        players: Sequence[str] = (),
        event: str = "",
        ended: Verdict | None = None,
        options: str | None = None,
        side_lines: SideLines | None = None,
    ) -> bytes:
        """The formats are those of gomoku_protocol.records; SGF has a place for `side_lines`. Raises RecordError."""
        from gomoku_protocol.records import format_of, serialise_record

        record = replace(self._record(players, ended, options), side_lines=side_lines or {})
        return serialise_record(record, format_of(f"game.{format}"))

    def _record(self, players: Sequence[str], ended: Verdict | None, options: str | None) -> GameRecord:
        moves = tuple(
            Stone((self.first + number) % 2, *point_of(move), ms)
            for number, (move, ms) in enumerate(zip(self._moves, self._times))
        )
        verdict = ended or self.verdict()
        black, white = ((players or ("", ""))[self.seat_of(colour)] or None for colour in (BLACK, WHITE))
        return GameRecord(
            self._position.width,
            self._position.height,
            moves,
            setup=self._setup,
            first=self.first,
            rule=self._position.rule,
            names=(black, white),
            outcome=None if verdict is None else self._outcome(verdict),
            opening=self.opening,
            options=options,
        )

    def _outcome(self, verdict: Verdict) -> Outcome:
        return "draw" if verdict.winner is None else _OUTCOMES[verdict.winner == self.seat_of(WHITE)]

    def _size(self) -> str:
        return f"{self._position.width}x{self._position.height}"

    def _is_on_board(self, x: int, y: int) -> bool:
        return 0 <= x < self._position.width and 0 <= y < self._position.height

    def _has_point(self) -> bool:
        """Whether the side to move has a legal point."""
        return any(
            self._position.is_legal(move_at(x, y))
            for y in range(self._position.height)
            for x in range(self._position.width)
        )
