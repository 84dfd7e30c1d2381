"""A game of Xiangqi in progress. Moves are UCCI's text: ``h2e2``."""

from __future__ import annotations

import datetime
import re
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from game_core.session import DRAW, FIRST_WINS, SECOND_WINS, BoardSession, IllegalMove, UnknownMove, Verdict
from search_core.failures import becoming
from search_core.line_protocol import excerpt
from ucci_engine.extra_pieces import open_position, remark_on
from ucci_engine.points import START_FEN, MoveTextError, move_text, parse_move, square_text
from ucci_engine.rule_sets import COMPUTER, QUIET_LIMIT

if TYPE_CHECKING:
    from game_core.session import SideLines
    from ucci_engine.game_record import GameRecord
    from ucci_engine.position import Position

_POINTS = re.compile("[a-z][0-9]+", re.IGNORECASE)
_POINT = re.compile("[a-i][0-9]", re.IGNORECASE)
_LOST = {"mate", "stalemate", "perpetual-loss"}
_WON = {"perpetual-win"}


class XiangqiSession(BoardSession):
    """A game from a position. The reasons of its verdicts are the words of Position.result()."""

    sides = ("red", "black")

    _position: Position

    def __init__(
        self,
        fen: str = START_FEN,
        *,
        traditional: bool = False,
        repetition_rule: str = COMPUTER,
        quiet_limit: int | None = QUIET_LIMIT,
        date: str = "",
    ) -> None:
        """`traditional`: moves are named in traditional characters. `date`: when the game began, as in PGN; '': today.
        The others are those of Position.set_rules(). Raises FenError if the FEN is not valid."""
        self.traditional = traditional
        self._chinese = "traditional" if traditional else "chinese"
        """The notation for people."""
        self._date = date or datetime.date.today().strftime("%Y.%m.%d")
        super().__init__(open_position(fen))
        self._position.set_rules(repetition_rule, quiet_limit)
        self._start = self._position.fen()
        self.remarks = tuple(filter(None, (remark_on(self._position),)))
        """What a person should know of the game's start and of the file that it is from."""
        self._verdict: Verdict | None = None
        self._judged_ply = -1
        """The ply at which `_verdict` was found."""

    def play(self, move: str, ms: int | None = None) -> None:
        played = _parsed(move)
        self._require_ongoing(move)
        self._push(played, ms)

    def undo(self, plies: int = 1) -> None:
        super().undo(plies)
        self._judged_ply = -1

    def verdict(self) -> Verdict | None:
        if self._judged_ply != len(self._moves):
            self._verdict = verdict_of(self._position)
            self._judged_ply = len(self._moves)
        return self._verdict

    def view(self, seat: int | None = None) -> dict[str, Any]:
        """Besides what every game has: `pieces` in FEN's letters, `start` and `fen`, `check`, and `mated`, the point of
        a king that is mated. Both sides see all of it."""
        verdict = self.verdict()
        standing = {square_text(square): self._position.piece_at(square) for square in range(90)}
        return {
            **super().view(),
            "pieces": {square: piece for square, piece in standing.items() if piece},
            "start": self._start,
            "fen": self._position.fen(),
            "check": self._position.checked,
            "mated": _king_square(standing, self.to_move) if verdict is not None and verdict.reason == "mate" else None,
        }

    def position(self) -> Position:
        return self._position.copy()

    def move_text(self, move: int) -> str:
        return move_text(move)

    def read_move(self, text: str) -> str:
        from ucci_engine.notation import NoSuchMove, NotationError, read_move

        try:
            move = move_text(read_move(self._position, text, traditional=self.traditional))
        except NoSuchMove as error:
            fault = self._fault(error.meant)
            raise IllegalMove(f"{error}: {fault}" if fault else str(error)) from None
        except NotationError as error:
            point = next((point for point in _POINTS.findall(text) if not _POINT.fullmatch(point)), "")
            fault = f"{text}: there is no point {point}; files are a to i, ranks 0 to 9"
            raise UnknownMove(fault if point else str(error)) from None
        self._require_ongoing(move)
        return move

    def _fault(self, meant: Sequence[int]) -> str:
        """Why none of these moves is legal: of those with the shape of a move, if there are any; '': not known."""
        from ucci_engine.move_fault import WAYS, move_fault

        faults = [move_fault(self._position, move) for move in meant if self.verdict() is None]
        return min(faults, key=lambda fault: fault in WAYS.values(), default="")

    def move_names(self, move: str) -> dict[str, str]:
        from ucci_engine.notation import name_move

        return {"chinese": name_move(self._position, _parsed(move), self._chinese), "ucci": move}

    def save(
        self,
        format: str,
        players: Sequence[str] = (),
        event: str = "",
        ended: Verdict | None = None,
        options: str | None = None,
        side_lines: SideLines | None = None,
    ) -> bytes:
        """``pgn``, ``xqf``, or ``txt``: a `position` line for engines below the moves in Chinese notation, without
        `side_lines`."""
        if format == "pgn":
            from ucci_engine.pgn import game_text

            return game_text(self._record(players, event, ended, options, side_lines)).encode()
        if format == "xqf":
            from ucci_engine import xqf

            return xqf.serialise(self._record(players, event, ended, options, side_lines), shorten=True)
        if format == "txt":
            from ucci_engine import position_file

            return position_file.serialise(self._record(players, event, ended, options, None), self._chinese)
        raise ValueError(f"'{format}' is no format of a Xiangqi game; expected pgn, xqf or txt")

    def _record(
        self,
        players: Sequence[str],
        event: str,
        ended: Verdict | None,
        options: str | None,
        side_lines: SideLines | None,
    ) -> GameRecord:
        from ucci_engine.game_record import PLAY_TAG, GameRecord

        verdict = ended or self.verdict()
        red, black = (player or "?" for player in players or ("", ""))
        tags = {"Event": event or "?", "Date": self._date, "Red": red, "Black": black}
        if options is not None:
            tags[PLAY_TAG] = options
        result = "*" if verdict is None else verdict.result
        record = GameRecord.of_line(tags, self._start, self._moves, result=result)
        record.add_side_lines(side_lines or {})
        return record

    def _require_ongoing(self, move: str) -> None:
        if (verdict := self.verdict()) is not None:
            raise IllegalMove(f"{excerpt(move)} comes after the end of the game ({verdict.reason})")


def verdict_of(position: Position) -> Verdict | None:
    """How the rules end the game in a position; None: it goes on."""
    reason = position.result()
    if reason == "ongoing":
        return None
    if reason in _LOST:
        return Verdict((SECOND_WINS, FIRST_WINS)[position.side], reason)
    if reason in _WON:
        return Verdict((FIRST_WINS, SECOND_WINS)[position.side], reason)
    return Verdict(DRAW, reason)


def _king_square(standing: Mapping[str, str], side: int) -> str:
    return next(square for square, piece in standing.items() if piece == "Kk"[side])


def _parsed(move: str) -> int:
    with becoming(MoveTextError, UnknownMove):
        return parse_move(move)
