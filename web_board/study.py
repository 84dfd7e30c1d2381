"""What people do beside the game: look at its positions, try moves from there, and let a position be analysed."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from game_core.display import InputError
from game_core.session import IllegalMove, Session, SideLine
from search_core.line_protocol import legible
from web_board.tried_moves import MAX_COMMENT, MAX_MOVES, At, TriedMove, TriedMoves

if TYPE_CHECKING:
    from board_pages.page_board import PageBoard
    from game_core.session import SideLines
    from game_core.table import Table
    from web_board.analysis import PageAnalysis

Message = dict[str, Any]
ACTIONS = ("look", "add", "comment", "remove", "analyse")
OFF: Message = {"type": "lines", "at": None, "wanted": 0, "running": False, "lines": []}


class Study:
    """The study of a table's game.

    Parameters
    ----------
    table, board : Table, PageBoard
    open_start : callable
        Opens the session of the game at its start.
    send : callable
        Gets each message for all pages.
    keep : callable
        Gets each entry for the log.
    has_secrets : callable
        Whether the analysis would tell somebody too much before the end.

    Attributes
    ----------
    on_ready : callable
        Called on any thread when wait() has something to do.
    """

    def __init__(
        self,
        table: Table,
        board: PageBoard,
        open_start: Callable[[], Session],
        send: Callable[[Message], None],
        keep: Callable[[Message], None],
        has_secrets: Callable[[], bool],
    ) -> None:
        self.on_ready: Callable[[], None] = lambda: None
        self._table = table
        self._board = board
        self._open_start = open_start
        self._send = send
        self._keep = keep
        self._has_secrets = has_secrets
        self._lines = TriedMoves()
        self._scores: dict[int, float] = {}
        """What the first side can expect after each number of moves that was analysed."""
        self._analysis: PageAnalysis | None = None
        self._analysed: object = None
        """The position, the moves and the number of lines of the running analysis."""
        self._last_found: Message | None = None
        """What it has found last."""

    def close(self) -> None:
        """End the analyst's thread."""
        if self._analysis is not None:
            self._analysis.close()

    # Messages

    def messages(self) -> list[Message]:
        """What a page gets when it joins, after the state, if there is any of it."""
        return [*([self._tree()] if self._lines.nodes() else []), *([self._curve()] if self._scores else [])]

    def _tree(self) -> Message:
        return {"type": "tree", "nodes": self._lines.nodes()}

    def _curve(self) -> Message:
        return {"type": "curve", "scores": sorted(self._scores.items())}

    @property
    def is_analysing(self) -> bool:
        return self._analysis is not None and self._analysis.wanted > 0

    @property
    def why_no_analysis(self) -> str:
        """Why nothing can be analysed now; '': it can be."""
        is_help = self._table.verdict is None and self._has_secrets()
        return "the analysis begins when the game is over" if is_help else ""

    def act(self, message: Mapping[str, Any]) -> list[Message]:
        """Do one of ACTIONS. Returns what the page that asked gets alone. Raises InputError."""
        match message["type"]:
            case "analyse":
                self._analyse(message)
            case _ if self._board.hides_pieces:
                raise InputError("moves cannot be tried where pieces are hidden")
            case "look":
                return [self._position(self._at(message, "at"))]
            case "add":
                return [self._try(message)]
            case "comment":
                move = self._tried(message)
                text = message.get("text")
                if not isinstance(text, str) or len(text) > MAX_COMMENT:
                    raise InputError(f"a comment is a text of at most {MAX_COMMENT:,} characters")
                self._change({"comment": [move.id, text]})
            case "remove":
                self._change({"remove": self._tried(message).id})
        return []

    def wait(self) -> None:
        """Tell the pages what the analysis has found since."""
        answer = None if self._analysis is None else self._analysis.take()
        if answer is not None and "noResults" not in answer:
            self._last_found = self._found(answer)
            self._send(self._last_found)

    def follow(self) -> None:
        """The game has changed: moves were made or taken back, or it has ended or begun again."""
        ply = self._table.session.ply
        if any(isinstance(move.after, int) and move.after > ply for move in self._lines):
            self._lines.cut(ply)
            self._send(self._tree())
        if any(scored > ply for scored in self._scores):
            self._scores = {scored: score for scored, score in self._scores.items() if scored <= ply}
            self._send(self._curve())
        if self._analysis is not None and self._analysis.wanted:
            at = self._analysis.at
            is_gone = at is None or (at > ply if isinstance(at, int) else at not in {move.id for move in self._lines})
            if self.why_no_analysis or is_gone:
                self.end()

    # The tree

    def load(self, lines: SideLines) -> None:
        """Take over the side lines of a record, as many as a tree may have, before anything was tried. A move that the
        rules forbid is left out, with what follows it: a reader need not know the rules."""
        session = self._open_start()
        moves: list[str] = self._table.session.view()["moves"]
        for ply in range(len(moves) + 1):
            waiting: list[tuple[At, int, SideLine]] = [(ply, 0, line) for line in reversed(lines.get(ply, ()))]
            while waiting and len(self._lines) < MAX_MOVES:
                after, depth, line = waiting.pop()
                session.undo(session.ply - ply - depth)
                try:
                    tried = self._tried_now(session, after, line.move)
                except IllegalMove:
                    continue
                self.restore({"tried": {**tried, "comment": line.comment[:MAX_COMMENT]}})
                waiting += [(tried["id"], depth + 1, each) for each in reversed(line.next)]
            session.undo(session.ply - ply)
            if ply < len(moves):
                session.play(moves[ply])

    def side_lines(self) -> SideLines:
        """The tree, for a record."""
        places: dict[At, list[SideLine]] = {}
        for move in self._lines:
            line = SideLine(move.text, move.comment, places.setdefault(move.id, []))
            places.setdefault(move.after, []).append(line)
        return {at: lines for at, lines in places.items() if isinstance(at, int)}

    def restore(self, entry: Mapping[str, Any]) -> None:
        """Repeat what an entry of the log says. Raises KeyError, TypeError, ValueError if it cannot be."""
        if "tried" in entry:
            self._lines.put(TriedMove(**entry["tried"]))
        elif "comment" in entry:
            self._lines.comment(*entry["comment"])
        elif "remove" in entry:
            self._lines.remove(entry["remove"])
        elif "plies" in entry:
            self._lines.cut(entry["plies"])

    def _change(self, entry: Message) -> None:
        """Change the tree, now and in the log."""
        self.restore(entry)
        self._keep(entry)
        self._send(self._tree())

    def _at(self, message: Mapping[str, Any], field: str) -> At:
        return self._lines.read(message.get(field), self._table.session.ply)

    def _tried(self, message: Mapping[str, Any]) -> TriedMove:
        at = self._at(message, "at")
        if isinstance(at, int):
            raise InputError("a move of the game is none that was tried")
        return self._lines.path(at)[1][-1]

    def _moves(self, at: At) -> list[str]:
        """The moves that lead to a position."""
        ply, tried = self._lines.path(at)
        moves: list[str] = self._table.session.view()["moves"]
        return [*moves[:ply], *(move.text for move in tried)]

    def _session(self, at: At) -> Session:
        session = self._open_start()
        for move in self._moves(at):
            session.play(move)
        return session

    def _position(self, at: At) -> Message:
        """What can be done in a position."""
        session, board = self._session(at), self._board
        view = session.view()
        return {
            "type": "position",
            "at": at,
            "toMove": session.to_move,
            "legal": session.legal_moves(),
            "forbidden": forbidden_reasons(session, board, view),
            "danger": board.danger(view),
            "row": board.row(view),
            "fen": board.text(view),
        }

    def _try(self, message: Mapping[str, Any]) -> Message:
        """Try a move. Returns where it leads to, or why it is not legal."""
        after, text = self._at(message, "after"), message.get("text")
        if not isinstance(text, str) or len(text) > 100:
            raise InputError("text must be a text of at most 100 characters")
        session = self._session(after)
        try:
            move = session.read_move(text)
        except IllegalMove as error:
            return {"type": "refused", "reason": str(error)}
        if isinstance(after, int) and self._table.session.view()["moves"][after : after + 1] == [move]:
            return {"type": "added", "at": after + 1}
        known = self._lines.find(after, move)
        if known is None:
            self._change({"tried": self._tried_now(session, after, move)})
            known = self._lines.find(after, move)
            assert known is not None
        return {"type": "added", "at": known.id}

    def _tried_now(self, session: Session, after: At, move: str) -> dict[str, Any]:
        """Play a legal move in the position after which it is tried. Returns it for the log. Raises InputError."""
        seat, names = session.to_move, session.move_names(move)
        session.play(move)
        code = self._board.codes(session.view())[-1]
        return self._lines.new(after, move, seat, names, code)

    # The analysis

    def _analyse(self, message: Mapping[str, Any]) -> None:
        """Analyse a position, or end the analysis. Raises InputError."""
        from web_board.analysis import PageAnalysis, read_lines

        lines = read_lines(message.get("lines"))
        if not lines:
            self.end()
            return
        if self.why_no_analysis:
            raise InputError(self.why_no_analysis)
        at = self._at(message, "at")
        moves = self._moves(at)
        if self._analysed == (at, moves, lines):
            if self._last_found is not None:
                self._send(self._last_found)
            return
        if self._analysis is None:
            self._analysis = PageAnalysis(lambda: self.on_ready())
        self._analysed = (at, moves, lines)
        self._last_found = None
        self._analysis.begin(at, self._board.subject(self._open_start, moves), lines, tuple(self._board.notations))

    def end(self) -> None:
        """Switch the analysis off."""
        if self._analysis is not None:
            self._analysis.end()
        self._analysed = self._last_found = None
        self._send(OFF)

    def _found(self, answer: Mapping[str, Any]) -> Message:
        """An answer of the analyst (docs/analysis.md) for the pages. All scores are of the first side, or its team."""
        assert self._analysis is not None
        at, root = self._analysis.at, answer.get("rootInfo", {})
        is_turned = self._seat(answer.get("toMove", 0)) % 2 == 1
        winrate = _turned(root.get("winrate"), 1, is_turned)
        if isinstance(at, int) and winrate is not None:
            self._scores[at] = winrate
        lines = [
            {
                "points": self._board.points_of(info["move"]),
                "names": info["pvNames"],
                # In games of chance a score is no number of pieces.
                "cp": None if self._board.hides_pieces else _turned(info.get("scoreCp"), 0, is_turned),
                "mate": _turned(info.get("mate"), 0, is_turned),
                "winrate": _turned(info.get("winrate"), 1, is_turned),
            }
            for info in answer.get("moveInfos", ())
        ]
        return {
            "type": "lines",
            "at": at,
            "wanted": self._analysis.wanted,
            "running": bool(answer.get("isDuringSearch")),
            "fault": legible(answer["error"]) if "error" in answer else "",
            "winrate": winrate,
            "depth": root.get("depth"),
            "lines": lines,
        }

    def _seat(self, side: str | int) -> int:
        """The number of a side that an answer names."""
        return side if isinstance(side, int) else self._board.sides(self._table.session).index(side)


def _turned(value: float | None, whole: int, is_turned: bool) -> float | None:
    """A score for the first side. `whole`: what the scores of both sides add up to."""
    return value if value is None or not is_turned else whole - value


def forbidden_reasons(session: Session, board: PageBoard, view: Mapping[str, Any]) -> dict[str, str]:
    """Why points that look free are forbidden to the side to move."""
    reasons = {}
    for point in board.barred(view):
        try:
            session.read_move(point)
        except IllegalMove as error:
            reasons[point] = str(error)
    return reasons
