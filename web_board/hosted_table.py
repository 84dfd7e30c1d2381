"""A table on the page: what was played there as messages, and what the page asks for as actions of the table."""

from __future__ import annotations

import base64
import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict
from functools import partial
from typing import TYPE_CHECKING, Any

from game_core.display import ENGINE_NAME, InputError
from game_core.record_formats import remarks_of
from game_core.session import DRAW, PUBLIC, SeatedSession, Verdict
from game_core.table import (
    HAS_LOST,
    Changed,
    Ended,
    Event,
    Failed,
    Hinted,
    Moved,
    Refused,
    Said,
    Table,
    Thinking,
)
from search_core.engine import Engine
from search_core.failures import reason_of
from search_core.parts import load_part
from web_board.draw_offers import AGREEMENT, DrawOffers
from web_board.games import PERSON, levels_of
from web_board.hosted_review import HostedReview, open_at_start
from web_board.roles import OWNER, ForRole, Role
from web_board.study import Study, forbidden_reasons

if TYPE_CHECKING:
    from board_pages.page_board import PageBoard
    from game_core.analysis import Subject
    from game_core.chooser import Chooser
    from game_core.game_clocks import TimeControl
    from game_core.session import Session
    from web_board.games import Opened, PageGame, SeatChoice
    from web_board.table_log import TableLog

Message = dict[str, Any]

EVENT = "sanqi board"
_SHOWN_NAME = 60
"""Characters of a player's name in a file."""


class HostedTable:
    """A game on the page, from its beginning or from its log on.

    Parameters
    ----------
    game, opened : PageGame, Opened
        The game as it begins.
    seats : sequence of SeatChoice
    identity : str
        Tells this table from others.
    log : TableLog or None
        Gets all that happens from now on; None: nothing is kept.
    send : callable
        Gets each message for the owner's pages.
    show : callable
        Gets what makes the message for each role, for all pages.
    time_control : TimeControl, optional
        Of the clocks; default: there are none.
    """

    def __init__(
        self,
        game: PageGame,
        opened: Opened,
        seats: Sequence[SeatChoice],
        identity: str,
        log: TableLog | None,
        send: Callable[[Message], None],
        show: Callable[[ForRole], None],
        time_control: TimeControl | None = None,
    ) -> None:
        session, display, args = opened
        self._opened = opened
        self._engine_names = {seat: choice.engine for seat, choice in enumerate(seats) if choice.engine}
        persons = [seat for seat, choice in enumerate(seats) if choice.is_person]
        self.guests = [seat for seat, choice in enumerate(seats) if choice.is_guest]
        """The seats that people play over links."""
        self._local = [seat for seat in persons if seat not in self.guests]
        """Those that people play at the owner's page."""
        self.identity = identity
        self.page_board = game.page_board(session)
        self.display = display
        self._game = game
        self._draw_offers = DrawOffers(persons)
        self._send = send
        self._show = show
        self._answers: list[Message] = []
        """What the page that asks for something gets alone."""
        self._log = log
        self.table = Table(
            session,
            persons,
            [choice.level for choice in seats],
            partial(display.chooser, args, Engine()),
            args.seed,
            {seat: self._other_engine(choice.engine) for seat, choice in enumerate(seats) if choice.engine},
        )
        self.table.time_control = time_control
        self._turn_ms = 0
        """For how long the seat to move has been thinking, by the log."""
        open_start = partial(open_at_start, opened)
        self.study = Study(self.table, self.page_board, open_start, send, self._keep, lambda: self._has_secrets)
        self._players: list[str] = [""] * len(session.sides)
        """Who played a record that was loaded, '' if not known."""
        if args.saved is not None:
            self.study.load(self.page_board.side_lines(args.saved.game))
            self._players[:2] = self.page_board.players(args.saved.game) or self._players[:2]
        self._names = _names_of(session, open_start, self.page_board)
        """Of each move, in each notation."""
        self._remarks = [*remarks_of(session)]
        self._is_kept = True
        """Whether the log has all that has happened."""
        self.review = HostedReview(game, opened, self.table, self.page_board, self._local, send, self._keep)

    @property
    def game_name(self) -> str:
        return self._game.name

    @property
    def side_names(self) -> Sequence[str]:
        return self.table.session.sides

    def _other_engine(self, name: str) -> Chooser:
        from web_board.named_engines import NamedEngineChooser
        from web_board.table_review import record_of

        game, args = self._game, self._opened.args
        if game.description.table_engines:
            chooser: Chooser = load_part(game.description.table_engines)(game.engines[name], args.movetime)
            return chooser
        open_analyst = load_part(game.description.analysts)

        def subject_of(session: Session) -> Subject:
            return record_of(game, session, args).reviewed.subject

        return NamedEngineChooser(game.engines[name], open_analyst, subject_of, args.movetime)

    # What a role may do and see

    @property
    def _has_secrets(self) -> bool:
        """Whether the analysis would tell a person too much before the end: those that play over links, and others."""
        return bool(self.guests or (self.table.persons and (self.table.choosers or self.page_board.hides_pieces)))

    def _seats_of(self, role: Role) -> list[int]:
        """The seats that a page plays."""
        if role == OWNER:
            return self._local
        return [seat for seat in self.guests if seat == role.seat]

    def _view_of(self, role: Role) -> int | None:
        """Whose view a page has; None: all is shown. The owner sees all if no person plays."""
        if not self.page_board.hides_pieces or self.table.verdict is not None:
            return None
        everything = None if role == OWNER and not self.table.persons else PUBLIC
        return next(iter(self._seats_of(role)), everything)

    def _is_turn_of(self, role: Role) -> bool:
        return self.table.is_persons_turn and self.table.session.to_move in self._seats_of(role)

    def _tell_state(self) -> None:
        self._show(self.state)

    @property
    def is_searching(self) -> bool:
        """Whether a search is under way: of an engine, for a hint, a review or an analysis."""
        return self.table.is_thinking or self.review.is_running or self.study.is_analysing

    @property
    def has_clocks(self) -> bool:
        return self.table.time_control is not None

    @property
    def ply(self) -> int:
        return self.table.session.ply

    def start(self, on_ready: Callable[[], None]) -> None:
        """Begin, or go on. `on_ready` is called on any thread when wait() has something to do."""
        self.table.on_ready = self.study.on_ready = on_ready
        self.table.on_event = self._take
        self.review.on_ready = on_ready
        self.table.start(self._turn_ms)

    def tick(self) -> None:
        """Look at the clocks, and keep what has passed: called each second if there are clocks."""
        if self.table.verdict is None and not self.table.look_at_clocks():
            self._keep({"thought": self.table.turn_ms})

    def wait(self) -> None:
        """Take over what engines have found, without waiting for it."""
        while self.table.wait(0):
            pass
        self.study.wait()
        if self.review.take_over():
            self._tell_state()

    def close(self) -> None:
        """End the threads. The log stays."""
        self._stop()
        self.table.close()

    def leave(self) -> threading.Thread:
        """As close(), but without waiting for engines to end: the thread that is returned does that."""
        self._stop()
        ending = threading.Thread(target=self.table.close, name="end of a table")
        ending.start()
        return ending

    def _stop(self) -> None:
        """End the searches. Nothing is sent or kept any more."""
        self.review.stop()
        self.study.close()
        self.table.stop()
        if self._log is not None:
            self._log.close()

    def restore(self, entries: Sequence[Mapping[str, Any]]) -> None:
        """Play what the log says, before start(). Raises KeyError, TypeError or ValueError if it cannot be."""
        session = self.table.session
        for entry in entries:
            if "thought" in entry:
                self._turn_ms = entry["thought"]
            elif "move" in entry or "plies" in entry:
                self._turn_ms = 0
                self.review.forget()
            if "move" in entry:
                names = session.move_names(entry["move"])
                session.play(entry["move"], entry["ms"])
                self._names.append(self.page_board.last_move_names(session, names))
                self.table.times.append(entry["ms"])
            elif "plies" in entry:
                session.undo(session.ply - entry["plies"])
                del self._names[entry["plies"] :], self.table.times[entry["plies"] :]
                self.table.resigned = self.table.out_of_time = None
            elif "draw" in entry and isinstance(session, SeatedSession):
                session.offer_draw()
            elif "resigned" in entry:
                self.table.resigned = Verdict(*entry["resigned"])
                self.table.out_of_time = entry.get("outOfTime")
            elif "level" in entry:
                self.table.set_level(entry["level"])
            elif "review" in entry:
                self.review.restore(entry)
            self.study.restore(entry)

    # Messages

    def messages(self, role: Role) -> list[Message]:
        """All that a page gets when it joins."""
        own = [*self.study.messages(), *self.review.messages()] if role == OWNER else []
        return [self.geometry(role), self.state(role), *own]

    def geometry(self, role: Role = OWNER) -> Message:
        """The board, and what does not change in a game."""
        session, board = self.table.session, self.page_board
        drawn = asdict(board.drawing.board)
        drawn["sides"] = board.sides(session)
        return {
            "type": "geometry",
            "table": self.identity,
            "game": self._game.name,
            "title": self._game.title,
            "board": drawn,
            "pointNames": board.point_names(),
            "labels": board.labels(),
            "pieceNames": board.piece_names,
            "levels": levels_of(self.display),
            "notations": board.notations,
            "typed": self.display.typed_moves,
            "formats": board.formats,
            "putsStones": board.puts_stones,
            "canTry": role == OWNER and not board.hides_pieces,
            "turns": board.turns(len(session.sides)),
        }

    def state(self, role: Role = OWNER) -> Message:
        """All that changes."""
        table, session, board = self.table, self.table.session, self.page_board
        seen_from, is_turn = self._view_of(role), self._is_turn_of(role)
        view = table.view(seen_from)
        movers = table.movers()
        choices = board.choices(view) if is_turn else {}
        moves = [
            {"seat": seat, "text": text, "names": names, "code": code, "ms": ms}
            for seat, text, names, code, ms in zip(movers, view["moves"], self._names, board.codes(view), table.times)
        ]
        return {
            "type": "state",
            "seat": self._seats_of(role),
            "toMove": session.to_move,
            "start": board.start(seen_from),
            "fen": board.text(view),
            "moves": moves,
            "seats": [self._seat_summary(seat, role) for seat in range(len(session.sides))],
            "running": session.to_move if table.time_control is not None and table.verdict is None else None,
            "hasClocks": self.has_clocks,
            "verdict": self._verdict(role),
            "thinking": table.is_thinking or (table.verdict is None and session.to_move in table.choosers),
            "can": self._possible(movers, role),
            "hasDraws": isinstance(session, SeatedSession) or self._can_agree,
            "task": self._offer_in_words() or (board.task(view) if is_turn else ""),
            "choices": choices,
            "legal": [move for move in session.legal_moves() if move not in choices] if is_turn else [],
            "forbidden": forbidden_reasons(session, board, view) if is_turn else {},
            "danger": board.danger(view),
            "row": board.row(view),
            "remarks": self._remarks,
            "whyNoAnalysis": self._why_no_analysis(role),
        }

    @property
    def _can_agree(self) -> bool:
        """Whether people play each other in a game whose own rules know no offer of a draw."""
        return not self.table.choosers and not isinstance(self.table.session, SeatedSession)

    def _offer_in_words(self) -> str:
        """Who offers a draw that all must agree on; '': nobody."""
        seats = self._draw_offers.at(self.ply) if self.table.verdict is None else []
        return " ".join(f"{self.side_names[seat].capitalize()} offers a draw." for seat in seats)

    def _why_no_analysis(self, role: Role) -> str:
        if role != OWNER:
            return "only the owner of the board can do that"
        return "a review is running" if self.review.is_running else self.study.why_no_analysis

    def _seat_summary(self, seat: int, role: Role) -> Message:
        session, is_person = self.table.session, seat in self.table.persons
        own = self._seats_of(role)
        return {
            "who": self._who(seat, role),
            "side": session.sides[seat],
            "partner": self.page_board.partner(seat) if seat in own or not own else "",
            "level": "" if is_person else self.table.levels[seat],
            "isOut": isinstance(session, SeatedSession) and session.is_out(seat),
            "isPerson": is_person,
            "clockMs": None if self.table.time_control is None else max(self.table.left_ms(seat), 0),
        }

    def _who(self, seat: int, role: Role) -> str:
        if seat not in self.table.persons:
            return self._engine_names.get(seat, ENGINE_NAME)
        return "You" if self._seats_of(role) == [seat] else self._players[seat][:_SHOWN_NAME] or PERSON

    def _verdict(self, role: Role) -> Message | None:
        verdict, own = self.table.verdict, self._seats_of(role)
        if verdict is None:
            return None
        if role != OWNER:  # what an engine printed at its end is for the owner
            name, lost, _ = verdict.reason.partition(f" {HAS_LOST}: ")
            verdict = verdict._replace(reason=f"{name} {HAS_LOST}" if lost else name)
        seat = own[0] if len(own) == 1 else None
        won = None if seat is None or verdict.winner is None else seat % 2 == verdict.winner
        return {"text": self.display.ending(self.table.session, verdict, seat), "won": won}

    def _possible(self, movers: Sequence[int], role: Role) -> list[str]:
        table, own, is_turn = self.table, self._seats_of(role), self._is_turn_of(role)
        is_seated = isinstance(table.session, SeatedSession)
        can_undo = table.out_of_time is None and (table.resigned is not None or not {*own}.isdisjoint(movers))
        possible = ["undo"] if can_undo and not self.guests else []
        if table.verdict is None and own and (not is_seated or is_turn):
            possible.append("resign")
        if is_turn and not self.guests and not self.review.is_running:
            possible.append("hint")
        if is_turn and is_seated:
            possible += ["draw", "pass"]
        if table.verdict is None and own and self._can_agree:
            possible.append("draw")
        if role == OWNER and self.review.is_possible:
            possible.append("review")
        return possible

    def _take(self, event: Event) -> None:
        """Log an event, and tell the pages."""
        match event:
            case Refused(reason):
                self._refuse(reason)
                return
            case Said(text):
                self._keep({"draw": True}, is_switch=True)
                self._answers.append({"type": "said", "text": text})
                return
            case Hinted(move, names):
                self._send(
                    {"type": "hint", "text": move, "names": names, "points": self.page_board.points_of(move or "")}
                )
            case Failed(reason):
                self._send({"type": "error", "reason": reason})
            case Moved():
                self._names.append(self.page_board.last_move_names(self.table.session, event.names))
                self._keep({"move": event.move, "ms": event.ms})
                self.review.drop()
            case Changed() if self.table.resigned is not None:
                self._keep({"resigned": list(self.table.resigned), "outOfTime": self.table.out_of_time})
            case Changed():
                del self._names[self.ply :]
                self._keep({"plies": self.ply})
                self.review.drop()
            case Thinking() | Ended():
                return  # the state before it has said so
        self._tell_state()
        self.study.follow()

    def _refuse(self, reason: str) -> None:
        self._answers.append({"type": "refused", "reason": reason})

    def _keep(self, entry: Message, *, is_switch: bool = False) -> None:
        """Let the log write an entry. Once that has failed none is added any more: it would not follow."""
        if self._is_kept and self._log is not None:
            try:
                self._log.write(entry, is_switch=is_switch)
            except OSError as error:
                self._is_kept = False
                self._send({"type": "error", "reason": f"the game is kept no longer: {reason_of(error)}"})

    # What the page asks for

    def act(self, message: Mapping[str, Any], role: Role = OWNER) -> list[Message]:
        """Do what a message of a page says, which its role may ask for. Returns what that page gets alone. Raises
        InputError if it says nothing that is known."""
        self._answers = []
        self._act(message, role)
        return self._answers

    def _act(self, message: Mapping[str, Any], role: Role) -> None:
        action, table, own = message["type"], self.table, self._seats_of(role)
        if message.get("ply") != self.ply and action in ("move", "undo", "hint", "resign", "draw", "pass", "review"):
            self._refuse("the game has gone on")
            return
        is_turn = self._is_turn_of(role)
        match action:
            case "draw" if own and not isinstance(table.session, SeatedSession):
                self._agree(own)
            case "move" | "pass" | "draw" if table.is_persons_turn and not is_turn:
                self._refuse("it is not your turn")
            case "undo" | "hint" if self.guests:
                self._refuse("there are no hints, and no move is taken back, while somebody plays over a link")
            case "move":
                table.move(text_of(message, "text"))
            case "pass" if isinstance(table.session, SeatedSession):
                table.move("pass")
            case "undo":
                table.undo(self._last_person())
            case "hint" | "review" if self.review.is_running:
                self._refuse("a review is running")
            case "review" if self.study.is_analysing:
                self._refuse("end the analysis first")
            case "review":
                self.review.begin()
                self._tell_state()
            case "stop-review":
                self.review.drop()
                self._tell_state()
            case "hint":
                table.hint()
                self._tell_state()
            case "resign" if own:
                table.resign(table.session.to_move if is_turn else own[0])
            case "draw":
                table.draw()
            case "level":
                level = self.display.read_level(text_of(message, "level"))
                table.set_level(level)
                self._keep({"level": level})
                self._tell_state()
            case "pass" | "resign":
                self._refuse("that cannot be done in this game")
            case _:
                raise InputError(f"there is no action {action}")

    def _agree(self, own: Sequence[int]) -> None:
        """The people at a page offer a draw, or no longer do; if all agree the game has ended."""
        if self.table.verdict is not None:
            self._refuse("the game is over")
        elif not self._can_agree:
            self._refuse("an engine agrees to no draw")
        elif self._draw_offers.toggle(own, self.ply):
            self.table.end(Verdict(DRAW, AGREEMENT))
        else:
            self._tell_state()

    def file(self, format: str) -> Message:
        """The game as a file. Raises InputError."""
        table = self.table
        if self._view_of(OWNER) is not None:
            raise InputError("the game can be saved when it is over: the file shows all pieces")
        if format not in self.page_board.formats:
            raise InputError(f"there is no format {format}")
        players = [
            name if seat in table.persons else self._engine_names.get(seat, ENGINE_NAME)
            for seat, name in enumerate(self._players)
        ]
        try:
            data = self.page_board.save(table.session, format, players, EVENT, table.resigned, self.study.side_lines())
        except ValueError as error:
            raise InputError(str(error)) from None
        return {"type": "file", "name": f"{self._game.name}.{format}", "data": base64.b64encode(data).decode("ascii")}

    def _last_person(self) -> int:
        """The person who has moved last."""
        persons = self.table.persons
        return next((seat for seat in reversed(self.table.movers()) if seat in persons), next(iter(persons), 0))


def _names_of(session: Session, open_start: Callable[[], Session], board: PageBoard) -> list[Mapping[str, str]]:
    """The names of the moves of a game that a file or a FEN has begun."""
    moves = session.view()["moves"]
    if not moves:
        return []
    again = open_start()
    names = []
    for move in moves:
        before = again.move_names(move)
        again.play(move)
        names.append(board.last_move_names(again, before))
    return names


def text_of(message: Mapping[str, Any], field: str) -> str:
    """A text of a message, of a length that a move or a name can have. Raises InputError."""
    text = message.get(field)
    if not isinstance(text, str) or len(text) > 100:
        raise InputError(f"{field} must be a text of at most 100 characters")
    return text
