"""Finds the moves that a host of UCCI or UCI asks for: in a book, by the engine, or by a classic player.

Imported before the first answer is given: it must stay light. The native modules are imported when first needed.
"""

from __future__ import annotations

import contextlib

from search_core.clock import now_s
from search_core.failures import reason_of
from search_core.line_protocol import printable
from ucci_engine.evaluators import HAND_MADE, NET, default_evaluator
from ucci_engine.own_book import BookChoice, OwnBook

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Protocol

    from search_core.go_command import GoRequest
    from search_core.search_driver import SearchDriver
    from search_core.thinker import Info, Limits, Result
    from ucci_engine.classic_player import ClassicPlayer
    from ucci_engine.evaluator import XiangqiEvaluator
    from ucci_engine.host_game import HostGame
    from ucci_engine.position import Position
    from ucci_engine.settings import XiangqiSettings

    class Wording(Protocol):
        """How a protocol words the answers."""

        withholds_infinite: bool
        """As of GoRequest.limits()."""

        def notify(self, text: str) -> None:
            """Tell the user what was wrong."""

        def show_info(self, info: Info) -> None:
            """Print one line of a search that goes on, of the `multipv` best."""

        def show_result(self, best: int | None, ponder: int | None, result: Result) -> None:
            """Print the answer to a `go`. `best` None: there is no move that may be played."""

        def show_book_move(self, move: int) -> None:
            """Print the answer to a `go` that a book gave."""


class MoveFinder:
    """Answers `go` for the game of a host.

    Attributes
    ----------
    book : OwnBook
    multipv : int
        How many best lines are shown.
    analyses : bool
        Whether the host analyses: then no book is used.
    """

    def __init__(
        self,
        wording: Wording,
        driver: SearchDriver,
        settings: XiangqiSettings,
        game: HostGame,
        *,
        uses_books: bool = False,
    ) -> None:
        self.book = OwnBook(wording.notify, uses_books)
        self.multipv = 1
        self.analyses = False
        self._wording = wording
        self._driver = driver
        self._settings = settings
        self._game = game
        self._told_of_limit = False
        self._style_message = ""
        """The last one, which is not repeated."""
        self._drawn_for: int | None = None
        """The side to which draws in the table are worth `draw_score`, if they were worth something to any."""
        self._classic_player: ClassicPlayer | None = None

    def new_game(self, value: None = None) -> None:
        """Another game begins."""
        self.clear()
        self._settings.new_game()
        self._game.new_game()

    def clear(self) -> None:
        """Clear what was learnt; the game goes on."""
        self._driver.new_game()
        self._told_of_limit = False

    def close(self) -> None:
        """Free threads and files."""
        if self._classic_player is not None:
            self._classic_player.close()
        self.book.close()

    def start(self, request: GoRequest) -> None:
        """Begin the search that a `go` asked for. `show_result` always follows, at once if a stop follows."""
        began = now_s()
        settings, game = self._settings, self._game
        if not game.is_given:
            self._wording.notify("go: no position was given, searching the start position")
        position = game.position
        position.use_evaluator(self._evaluator_in_style(position.side))
        if settings.draw_score and position.side != self._drawn_for:
            self._drawn_for = position.side
            self._driver.new_game()  # what a draw is worth in the table is worth it to the other side
        if position.is_past_quiet_limit and position.legal_moves():
            # The host goes on, so it does not count them; with the limit every move would be a draw.
            position.set_rules(settings.repetition_rule, None)
            if not self._told_of_limit:
                self.clear()  # the table's scores are those with the limit
                self._wording.notify(
                    f"{settings.quiet_limit} plies without a capture draw; searching on without the limit"
                )
                self._told_of_limit = True
        self._keep_legal(request, position)
        choice = self._book_choice(request, position)
        if choice is None:
            request.complete(position.side)
        if request.fault:
            self._wording.notify(request.fault)
        if choice is not None:
            self._wording.notify(self._book_text(choice))
            self._wording.show_book_move(choice.move)
            return
        thinker = self._named_player() or self._driver.ready_engine()
        self._driver.start(
            position,
            self._limits(request, position, int((now_s() - began) * 1000)),
            self._answer,
            self._show,
            thinker=thinker,
            endless=request.endless(position.side),
        )

    def prepare(self) -> None:
        """Read the net that is set. One that cannot be used is reported, and no longer set."""
        with contextlib.suppress(ImportError, MemoryError):  # the search that needs it reports the error
            self._evaluator()

    def static_score(self) -> int:
        """The position's static score in centipawns for the side to move, by the evaluator that is set."""
        position = self._game.position
        position.use_evaluator(self._evaluator_in_style(position.side))
        return position.evaluate_cp()

    def _evaluator(self) -> XiangqiEvaluator:
        """A new one, of the kind that is set."""
        name = self._settings.evaluator
        try:
            return default_evaluator(name)
        except (ValueError, OSError) as error:  # NetError is not imported before it is needed
            self._wording.notify(f"{printable(name)}: {reason_of(error)}; playing with the built-in net")
            self._settings.change("evaluator", NET)
            return default_evaluator()

    def _evaluator_in_style(self, side: int) -> XiangqiEvaluator:
        """What is set; or the hand-made evaluation, if that alone has the style."""
        evaluator, style = self._evaluator(), self._settings.style
        if not evaluator.set_style(style, side) and style != "normal":
            name = printable(self._settings.evaluator)
            message = f"the evaluator {name} has no style {style}, playing with {HAND_MADE}"
            if self._settings.evaluator != NET and message != self._style_message:
                self._style_message = message
                self._wording.notify(message)
            evaluator = default_evaluator(HAND_MADE)
            evaluator.set_style(style, side)
        return evaluator

    @staticmethod
    def _keep_legal(request: GoRequest, position: Position) -> None:
        """Drop the moves of ``searchmoves`` that are not legal."""
        root_moves = [move for move in request.moves if position.is_legal(move)]
        for _ in request.moves[len(root_moves) :]:
            request.note("searchmoves: a move is not legal here, ignored")
        if request.moves and not root_moves:
            request.note("no legal move listed; searching all")
        request.moves = root_moves

    def _book_choice(self, request: GoRequest, position: Position) -> BookChoice | None:
        """A move from a book; none if the host wants to know what a search thinks."""
        asks_search = request.ponder or request.endless(position.side)
        if asks_search or request.moves or self.multipv > 1 or self.analyses:
            return None
        return self.book.choose(position, self._game.banned, str(self._settings.seed))

    def _book_text(self, choice: BookChoice) -> str:
        text = f"book {choice.book}: {self._game.move_text(choice.move)}"
        return f"{text}, weight {choice.weight} of {choice.weights}" if choice.weight > 0 else text

    def _limits(self, request: GoRequest, position: Position, spent_ms: int) -> Limits:
        from dataclasses import replace

        settings = self._settings
        # A level or a classic player has its move long before it would find a mate.
        is_weaker = settings.level is not None or settings.classic_player is not None
        withholds = self._wording.withholds_infinite or (request.infinite and is_weaker)
        limits = request.limits(
            position.side, position.move_number - 1, settings, spent_ms=spent_ms, withholds_infinite=withholds
        )
        return replace(
            limits,
            multipv=max(self.multipv, settings.random_lines),
            excluded_moves=self._game.banned,
            draw_score=settings.draw_score,
            level=settings.level,
            seed=settings.level_seed,
        )

    def _named_player(self) -> ClassicPlayer | None:
        """The classic player that the host has named; None: the engine plays."""
        name = self._settings.classic_player
        if name is None:
            return None
        from ucci_engine.classic_player import ClassicPlayer

        if self._classic_player is None:
            self._classic_player = ClassicPlayer()
        self._classic_player.name, self._classic_player.seed = name, self._settings.level_seed
        return self._classic_player

    def _show(self, info: Info) -> None:
        if info.multipv <= self.multipv:
            self._wording.show_info(info)

    def _answer(self, result: Result) -> None:
        best, ponder = self._choose(result)
        self._wording.show_result(best, ponder, result)

    def _choose(self, result: Result) -> tuple[int | None, int | None]:
        from search_core.engine import mate_in_plies

        best, ponder = result.best, result.ponder
        margin = self._settings.random_margin
        if not margin or best is None or mate_in_plies(result.score) is not None:
            return best, ponder
        pool = [line.pv for line in result.lines if line.pv and line.score >= result.score - margin]
        if len(pool) < 2:
            return best, ponder
        import random

        # The choice depends only on seed and position, so that a game can be
        # replayed from its seed whatever was searched in between.
        chance = random.Random(f"{self._settings.seed} {self._game.position.key}")
        pv = chance.choice(pool)
        return pv[0], pv[1] if len(pv) > 1 else None

    def obey_at_end(self, word: str, position_words: frozenset[str]) -> bool:
        """Obey a command that needs the current position, if the king can be taken in it; return whether it is so.

        The answer to `go` is the move that takes the king. All other commands get a message.
        """
        end = self._game.over
        if end is None or word not in position_words - {"ponderhit"}:
            return False
        if word == "go":
            self._take_king(end.move)
        else:
            self._wording.notify(f"{word}: {end}")
        return True

    def _take_king(self, move: int) -> None:
        from search_core.game import MATE
        from search_core.thinker import Info, Result

        line = Info(1, 1, 1, MATE - 1, "exact", 1, 0, 0, 0, (move,))
        self._wording.show_info(line)
        self._wording.show_result(move, None, Result(move, None, line.score, line.depth, line.nodes, 0, (line,)))
