"""The engine's side of the Junqi line protocol, docs/junqi-line-protocol.md."""

from __future__ import annotations

import contextlib
from dataclasses import replace
from functools import partial

from junqi_protocol.players.levels import CHOICES, HASH_MB, LEVELS, SPELLINGS
from junqi_protocol.players.thinking_time import MAX_THINK_TIME_MS, THINK_TIME_MS, limits
from junqi_protocol.protocols.move_finder import MoveFinder
from junqi_protocol.rules.geometry import SIGUO, move_text, parse_move
from junqi_protocol.rules.lineup import rated_lineup, text
from junqi_protocol.rules.messages import VERSION, Go, MessageError, NewGame, fields, game_over
from search_core.clock import now_s
from search_core.line_protocol import OverlongLine, excerpt, first_word
from search_core.options import MAX_HASH_MB, Option, OptionTable, setter
from search_core.search_driver import SearchProtocol
from search_core.thinker import Limits
from search_core.time_budget import Clock
from search_core.uci_words import option_line
from search_core.version import __version__

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from junqi_protocol.knowledge.player_view import PlayerView
    from junqi_protocol.protocols.jlp_game import JlpGame
    from search_core.line_protocol import LineChannel
    from search_core.thinker import Info, Result

_MAX_SEED = (1 << 31) - 1
_RETRY_MS = 100  # the time for another answer to a question without an end
# These start a search, or draw from the player's random source: they wait until it has finished.
_WAITING_WORDS = ("go", "illegal", "deploy", "position")
_IN_GAME = ("deploy", "start", "moved", "skipped", "left", "illegal", "gameover")


class JlpProtocol(SearchProtocol):
    """An engine under a referee that speaks the line protocol.

    Parameters
    ----------
    channel : LineChannel
    level : str
        One of LEVELS, until the option changes it.
    secret : str
        The secret for a referee's TCP port; "" over stdin and stdout.
    think_time_ms : int
        Milliseconds for a move, if there is no clock, until the option changes it.
    """

    def __init__(
        self, channel: LineChannel, level: str = LEVELS[0], secret: str = "", think_time_ms: int = THINK_TIME_MS
    ) -> None:
        super().__init__(channel)
        self.finder = MoveFinder(self.driver, self.lines, self._remark, level)
        self.game: JlpGame | None = None
        """The game, or the position for analysis, that the referee has sent last."""
        self.invited = False
        """Whether there has been a game."""
        self._secret = secret
        self._think_time_ms = think_time_ms
        self._greeted = False
        self._refused: set[int] = set()
        self._asked: Go | None = None
        """The last `go`, until the next ply."""
        set_time = setter(self, "_think_time_ms")
        self._options = OptionTable(
            [
                Option("Level", setter(self.finder, "level"), LEVELS[0], choices=CHOICES, spellings=SPELLINGS),
                Option("Hash", setter(self.finder, "hash_mb"), HASH_MB, minimum=1, maximum=MAX_HASH_MB),
                Option("Seed", self.finder.set_seed, 0, minimum=0, maximum=_MAX_SEED),
                Option("Strength", self._set_strength, 100, minimum=0, maximum=100),
                Option("Think Time", set_time, THINK_TIME_MS, minimum=1, maximum=MAX_THINK_TIME_MS),
            ],
            unknown="{} is no option; nothing changed",
        )

    # Lines

    def can_handle(self, line: str | None) -> bool:
        if not self.busy or line is None or isinstance(line, OverlongLine):
            return True
        word = first_word(line)
        if self.driver.stopping:  # the answer is due at once and must come first
            return word not in (*_WAITING_WORDS, "isready")
        return word not in _WAITING_WORDS or self.driver.answer_on_request

    def handle_out_of_order(self, line: str | None) -> bool:
        word = first_word(line) or "quit"
        if word in ("stop", "quit"):
            self.driver.stop()
            self.lines.stop_waiting()
            return word == "stop"
        if word == "isready" and not self.driver.stopping:
            self.lines.send("readyok")
            return True
        return False

    def command(self, line: str) -> None:
        words = line.split()
        keyword = words[0].lower()
        try:
            if keyword == "junqi":
                self._introduce(words[1:])
            elif keyword == "quit":
                self.lines.leave()
            elif not self._greeted:
                raise MessageError(f"{excerpt(line)} before the handshake, expected 'junqi 1'")
            elif keyword == "isready":
                self.lines.send("readyok")
            elif keyword == "stop":
                self.driver.stop()
            elif keyword == "setoption":
                if remark := self._options.set(line.partition(words[0])[2].strip()):
                    self.notify(remark)
            elif keyword == "newgame":
                self._begin(words[1:])
            elif keyword == "lineup":
                if self.game is None:
                    raise MessageError("lineup without a game")
                self.game.learn_lineup(words[1:])
            elif keyword == "position":
                self._set_position(words[1:])
            elif keyword == "go":
                self._go(words[1:])
            elif keyword in _IN_GAME:
                if self.game is None or not self.game.playing:
                    raise MessageError(f"{excerpt(line)} without a game")
                self._play(self.game, keyword, words[1:])
            else:
                raise MessageError(f"{excerpt(words[0])} is no command; nothing changed")
        except MessageError as error:
            self.notify(str(error))

    def notify(self, text: str) -> None:
        self.lines.send(f"error {text}")

    def _remark(self, remark: str) -> None:
        self.lines.send(f"info string {remark}")

    def answer_failure(self, line: str) -> None:
        if first_word(line) == "go" and self._asked is not None:
            self._say("pass")

    # Handshake and options

    def _introduce(self, words: Sequence[str]) -> None:
        if list(words) != [VERSION]:
            raise MessageError(f"junqi {excerpt(' '.join(words))}: expected version {VERSION}; nothing changed")
        if self._secret:
            self.lines.send(f"secret {self._secret}")
        self.lines.send(f"id name sanqi {__version__}")
        self.lines.send("id author the sanqi authors")
        for option in self._options.listed():
            self.lines.send(option_line(option))
        self.lines.send(f"junqiok {VERSION}")
        self._greeted = True

    def _set_strength(self, percent: int) -> None:
        self.finder.strength = percent / 100

    # A game

    def _begin(self, words: Sequence[str]) -> None:
        from junqi_protocol.protocols.jlp_game import JlpGame

        new_game = NewGame.parse(words)
        if not new_game.seats:
            raise MessageError("seats is missing")
        self._set_game(JlpGame(new_game))
        self.invited = True
        self.finder.load()

    def _set_game(self, game: JlpGame) -> None:
        self._no_question()
        self.finder.new_game()
        self.game = game

    def _no_question(self) -> None:
        self.driver.abandon()
        self._asked = None
        self._refused = set()

    def _play(self, game: JlpGame, keyword: str, words: Sequence[str]) -> None:
        """Handle a line that is valid only in a game."""
        if keyword == "gameover":
            game_over(" ".join(words), game.variant)
            game.end()
            self._no_question()
        elif keyword == "deploy":
            seat = game.deployed_seat(words)
            lineup = rated_lineup(game.variant.name, self.finder.chance_of(seat))
            self.lines.send(f"lineup {seat} {text(lineup)}")
        elif keyword == "start":
            game.start(words)
        elif keyword == "illegal":
            self._think_again(game, words)
        elif game.lost:
            raise MessageError("track of the game is lost; send it again from newgame on")
        elif not game.views:
            raise MessageError("before the start")
        else:
            try:
                game.follow(keyword, words)
            finally:
                self._no_question()

    # Thinking

    def _go(self, words: Sequence[str]) -> None:
        game = self.game
        go = Go.parse(words, game.variant if game is not None else SIGUO)
        if self.driver.occupied:
            raise MessageError("go while thinking; nothing changed")
        if game is not None and game.lost:
            self._asked = go
            self._say("pass")
            return
        if game is None or not game.views:
            self.notify("go before a game has started or a position is set")
            if game is not None and game.playing:  # a line before it was refused, and the referee waits
                self._asked = go
                self._say("pass")
            return
        view = game.asked_view(go)
        self._asked = go
        self._refused = set()
        self._think(view, go)

    def _think(self, view: PlayerView, go: Go) -> None:
        assert self.game is not None
        minds = len(self.game.different_views)
        answer, show = partial(self._answer, view), partial(self._show, view)
        self.finder.start(view, self._limits(go), answer, show, minds=minds, endless=go.infinite)

    def _show(self, view: PlayerView, info: Info) -> None:
        from junqi_protocol.players.win_probability import chances

        position = view.position
        line = " ".join(move_text(position.variant, move) for move in info.pv)
        points = chances(info.score, position).expected_score
        self.lines.send(
            f"info depth {info.depth} nodes {info.nodes} nps {info.nps} time {info.time_ms}"
            f" win {round(1000 * points)} pv {line}"
        )

    def _limits(self, go: Go) -> Limits:
        soft_ms, hard_ms = limits(Clock(go.clock, go.inc or 0, move_ms=go.movetime), self._think_time_ms)
        if go.infinite or (go.clock is None and go.movetime is None and (go.nodes or go.depth)):
            soft_ms = hard_ms = 0
        return Limits(
            depth=go.depth or 0,
            nodes=go.nodes or 0,
            soft_ms=soft_ms,
            hard_ms=hard_ms,
            infinite=go.infinite,
            excluded_moves=tuple(self._refused),
        )

    def _answer(self, view: PlayerView, result: Result) -> None:
        assert self._asked is not None
        move = "pass" if result.best is None else move_text(view.position.variant, result.best)
        self._say(move, draw=self._asked.draw and view.is_behind)

    def _say(self, move: str, draw: bool = False) -> None:
        assert self._asked is not None
        self.lines.send(f"bestmove {move} ply {self._asked.ply}" + (" draw 1" if draw else ""))

    def _think_again(self, game: JlpGame, words: Sequence[str]) -> None:
        """Answer again without the refused move: the referee knows better which moves are legal."""
        fields(words, "the seat", "the ply", "the move")
        asked = self._asked
        if asked is None or not game.views or self.driver.occupied or words[:2] != [str(asked.seat), str(asked.ply)]:
            raise MessageError(f"illegal {excerpt(' '.join(words[:3]))}: no such answer was given")
        view = game.views[asked.seat]
        with contextlib.suppress(ValueError):
            self._refused.add(parse_move(game.variant, words[2]))
        self._asked = self._asked_again(asked)
        self._think(view, self._asked)

    def _asked_again(self, go: Go) -> Go:
        """A question with the time that its first answer has left, which ends by itself."""
        passed = int((now_s() - self.driver.busy_since) * 1000)
        movetime = go.movetime if go.movetime is None else max(go.movetime - passed, 1)
        return replace(
            go,
            movetime=_RETRY_MS if go.infinite else movetime,
            clock=go.clock if go.clock is None else max(go.clock - passed, 0),
            infinite=False,
        )

    # Analysis

    def _set_position(self, words: Sequence[str]) -> None:
        from junqi_protocol.protocols.jlp_game import JlpGame
        from junqi_protocol.protocols.setting_up import parse_position

        if self.game is not None and self.game.playing:
            raise MessageError("position during a game; nothing changed")
        if self.driver.occupied:
            raise MessageError("position while thinking; nothing changed")
        self._set_game(JlpGame(*parse_position(words)))

    def close(self) -> None:
        self.finder.close()
