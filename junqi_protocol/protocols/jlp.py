"""The engine's side of the Junqi line protocol, docs/junqi-line-protocol.md."""

from __future__ import annotations

from junqi_protocol.players.levels import CHOICES, HASH_MB, LEVELS, SPELLINGS
from junqi_protocol.players.thinking_time import LONGEST_THINK_TIME_MS, THINK_TIME_MS, limits
from junqi_protocol.protocols.adapter import JunqiAdapter
from search_core.clock import now_s
from search_core.line_protocol import OverlongLine, excerpt
from search_core.options import COMBO, LARGEST_HASH_MB, SPIN, Option, OptionTable
from search_core.time_budget import Clock
from search_core.version import __version__

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from junqi_protocol.knowledge.player_view import PlayerView
    from junqi_protocol.rules.messages import Go, Happening, NewGame
    from search_core.line_protocol import LineChannel
    from search_core.thinker import Info, Limits, Result

_LARGEST_SEED = (1 << 31) - 1
_RETRY_MS = 100  # the time for another answer to a question without an end
_BOOT, _IDLE, _GAME = "boot", "idle", "game"
# These start a search, or draw from the player's random source: they wait until it has finished.
_WAITING_WORDS = ("go", "illegal", "deploy", "position")
_IN_GAME = ("deploy", "start", "moved", "skipped", "left", "go", "illegal", "gameover")


class JlpProtocol(JunqiAdapter):
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
        super().__init__(channel, level, think_time_ms)
        self._secret = secret
        self._state = _BOOT
        self.invited = False
        """Whether there has been a game."""
        self._new_game: NewGame | None = None
        self._lineups: dict[int, str] = {}
        self._views: dict[int, PlayerView] = {}
        """What each of our seats knows; none before the start. Both seats of a team have the same view if the game
        shows them each other's lineup."""
        self._lost = False
        """Whether track of the game is lost: the referee must send it again."""
        self._refused: set[int] = set()
        self._asked: Go | None = None
        """The last `go`, until the next ply."""
        self._options = OptionTable(
            [
                Option("Level", COMBO, self._set_level, LEVELS[0], choices=CHOICES, spellings=SPELLINGS),
                Option("Hash", SPIN, self._set_hash, HASH_MB, minimum=1, maximum=LARGEST_HASH_MB),
                Option("Seed", SPIN, self.set_seed, 0, minimum=0, maximum=_LARGEST_SEED),
                Option("Strength", SPIN, self._set_strength, 100, minimum=0, maximum=100),
                Option(
                    "Think Time",
                    SPIN,
                    self._set_think_time,
                    THINK_TIME_MS,
                    minimum=1,
                    maximum=LONGEST_THINK_TIME_MS,
                ),
            ],
            unknown="{} is no option; nothing changed",
        )

    # Lines

    def can_handle(self, line: str | None) -> bool:
        if not self.busy or line is None or isinstance(line, OverlongLine):
            return True
        word = line.split()[0].lower()
        if self.driver.stopping:  # the answer is due at once and must come first
            return word not in (*_WAITING_WORDS, "isready")
        return word not in _WAITING_WORDS or self.driver.answer_on_request

    def handle_out_of_order(self, line: str | None) -> bool:
        word = line.split()[0].lower() if line else "quit"
        if word in ("stop", "quit"):
            self.driver.stop()
            self.lines.stop_waiting()
            return word == "stop"
        if word == "isready" and not self.driver.stopping:
            self.lines.send("readyok")
            return True
        return False

    def command(self, line: str) -> None:
        from junqi_protocol.rules.messages import MessageError

        words = line.split()
        keyword = words[0].lower()
        try:
            if keyword == "junqi":
                self._introduce(words[1:])
            elif keyword == "quit":
                self.lines.leave()
            elif self._state == _BOOT:
                raise MessageError(f"{excerpt(line)} before the handshake, expected 'junqi 1'")
            elif keyword == "isready":
                self.lines.send("readyok")
            elif keyword == "stop":
                self.driver.stop()
            elif keyword == "setoption":
                self._set_option(line.split(None, 1)[1] if len(words) > 1 else "")
            elif keyword == "newgame":
                self._begin(words[1:])
            elif keyword == "lineup":
                self._learn_lineup(words[1:])
            elif keyword == "position":
                self._set_position(words[1:])
            elif keyword == "go":
                self._go(words[1:])
            elif keyword in _IN_GAME:
                if self._state != _GAME:
                    raise MessageError(f"{excerpt(line)} without a game")
                self._play(keyword, words[1:])
            else:
                raise MessageError(f"{excerpt(words[0])} is no command; nothing changed")
        except MessageError as error:
            self.notify(str(error))

    def notify(self, text: str) -> None:
        self.lines.send(f"error {text}")

    def tell(self, remark: str) -> None:
        self.lines.send(f"info string {remark}")

    def answer_failure(self, line: str) -> None:
        if line.split()[0].lower() == "go" and self._asked is not None:
            self._say("pass")

    # Handshake and options

    def _introduce(self, words: Sequence[str]) -> None:
        from junqi_protocol.rules.messages import VERSION, MessageError

        if list(words) != [VERSION]:
            raise MessageError(f"junqi {excerpt(' '.join(words))}: expected version {VERSION}; nothing changed")
        if self._secret:
            self.lines.send(f"secret {self._secret}")
        self.lines.send(f"id name sanqi {__version__}")
        self.lines.send("id author the sanqi authors")
        for option in self._options.listed():
            self.lines.send(self._option_line(option))
        self.lines.send(f"junqiok {VERSION}")
        if self._state == _BOOT:
            self._state = _IDLE

    @staticmethod
    def _option_line(option: Option) -> str:
        if option.kind == COMBO:
            choices = "".join(f" var {choice}" for choice in option.choices)
            return f"option name {option.name} type combo default {option.default}{choices}"
        return f"option name {option.name} type spin default {option.default} min {option.minimum} max {option.maximum}"

    def _set_option(self, text: str) -> None:
        remark = self._options.set(text)
        if remark:
            self.notify(remark)

    def _set_level(self, level: str) -> None:
        self._level = level

    def _set_hash(self, megabytes: int) -> None:
        self._hash_mb = megabytes

    def _set_strength(self, percent: int) -> None:
        self._strength = percent / 100

    def _set_think_time(self, think_time_ms: int) -> None:
        self._think_time_ms = think_time_ms

    # A game

    def _begin(self, words: Sequence[str]) -> None:
        from junqi_protocol.rules.messages import MessageError, NewGame

        new_game = NewGame.parse(words)
        if not new_game.seats:
            raise MessageError("seats is missing")
        self._forget()
        self.forget_game()
        self._new_game = new_game
        self._state = _GAME
        self.invited = True
        self.load_player()

    def _forget(self) -> None:
        """Drop the game and the open question."""
        self._lineups = {}
        self._views = {}
        self._lost = False
        self._no_question()

    def _no_question(self) -> None:
        self.driver.abandon()
        self._asked = None
        self._refused = set()

    def _learn_lineup(self, words: Sequence[str]) -> None:
        from junqi_protocol.rules import lineup
        from junqi_protocol.rules.messages import MessageError, fields, seat_number

        if self._new_game is None:
            raise MessageError("lineup without a game")
        fields(words, "the seat", "the lineup")
        seat = seat_number(words[0], self._new_game.terms.variant)
        try:
            placed = lineup.parse(words[1])
        except lineup.LineupError as error:
            raise MessageError(str(error)) from None
        if self._state == _IDLE:
            return  # the disclosure after the game
        if self._views:
            raise MessageError("lineup after the start; nothing changed")
        self._lineups[seat] = placed

    def _play(self, keyword: str, words: Sequence[str]) -> None:
        """Handle a line that is valid only in a game."""
        from junqi_protocol.rules.lineup import rated_lineup, text
        from junqi_protocol.rules.messages import HAPPENINGS, MessageError, fields, game_over, seat_number

        assert self._new_game is not None
        variant = self._new_game.terms.variant
        if keyword == "gameover":
            game_over(" ".join(words), variant)
            self._forget()
            self._state = _IDLE
        elif keyword == "deploy":
            fields(words, "the seat")
            seat = seat_number(words[0], variant)
            if seat not in self._new_game.seats or self._views:
                raise MessageError(f"deploy {seat}: not the time, or not our seat")
            self.lines.send(f"lineup {seat} {text(rated_lineup(self.chance_of(seat)))}")
        elif keyword == "start":
            self._start(words)
        elif keyword == "illegal":
            self._think_again(words)
        elif self._lost:
            raise MessageError("track of the game is lost; send it again from newgame on")
        elif not self._views:
            raise MessageError("before the start")
        else:
            try:
                happening = HAPPENINGS[keyword](words, variant)
                for view in self._different_views():
                    self._follow(view, happening)
            except ValueError as error:
                self._lost = True
                self._no_question()
                raise MessageError(f"{error}; track of the game is lost") from None
            self._no_question()

    def _start(self, words: Sequence[str]) -> None:
        from junqi_protocol.knowledge.player_view import PlayerView
        from junqi_protocol.rules.messages import MessageError, fields, seat_number

        assert self._new_game is not None
        terms = self._new_game.terms
        fields(words, "the seat")
        if self._views:
            raise MessageError("the game has started already")
        if seat_number(words[0], terms.variant) != terms.first:
            raise MessageError(f"start {words[0]}: newgame said first {terms.first}")
        missing = [seat for seat in self._new_game.seats if seat not in self._lineups]
        if missing:
            raise MessageError(f"start before the lineup of seat {missing[0]}")
        minds, lineups = [self._new_game.seats], self._lineups
        if self._new_game.see == "own":  # then no seat may use what only another one sees
            minds = [(seat,) for seat in self._new_game.seats]
        for seats in minds:
            if self._new_game.see == "own":
                lineups = {seat: self._lineups[seat] for seat in seats}
            view = PlayerView(terms.variant.name, seats, lineups, first=terms.first)
            view.quiet_limit, view.quiet_loses = terms.quiet, terms.quiet_loses
            self._views.update(dict.fromkeys(seats, view))

    def _different_views(self) -> list[PlayerView]:
        return list(dict.fromkeys(self._views.values()))

    @staticmethod
    def _follow(view: PlayerView, happening: Happening) -> None:
        """Update the board. Raises ValueError, changing nothing, if it cannot have happened."""
        from junqi_protocol.rules.messages import MessageError

        if happening.ply != view.position.ply + 1:
            raise MessageError(f"ply {happening.ply}: expected {view.position.ply + 1}")
        view.follow(happening)

    # Thinking

    def _go(self, words: Sequence[str]) -> None:
        from junqi_protocol.rules.geometry import SIGUO
        from junqi_protocol.rules.messages import Go, MessageError

        variant = self._new_game.terms.variant if self._new_game is not None else SIGUO
        go = Go.parse(words, variant)
        if self.driver.occupied:
            raise MessageError("go while thinking; nothing changed")
        if self._lost:
            self._asked = go
            self._say("pass")
            return
        if not self._views:
            raise MessageError("go before a game has started or a position is set")
        view = self._views.get(go.seat) or self._different_views()[0]
        if go.seat != view.position.turn or go.seat not in view.seats:
            raise MessageError(f"go {go.seat}: seat {view.position.turn} is on turn; nothing changed")
        if self._state == _GAME and go.ply != view.position.ply + 1:
            raise MessageError(f"go {go.seat} {go.ply}: ply {view.position.ply + 1} is next; nothing changed")
        self._asked = go
        self._refused = set()
        self._think(view, go)

    def _think(self, view: PlayerView, go: Go) -> None:
        self.start(view, self._limits(go), self._answer, self._show, endless=go.infinite)

    @property
    def minds(self) -> int:
        return len(self._different_views())

    def _show(self, info: Info) -> None:
        from junqi_protocol.players.win_probability import chances
        from junqi_protocol.rules.geometry import move_text

        assert self._asked is not None
        position = self._views[self._asked.seat].position
        line = " ".join(move_text(position.variant, move) for move in info.pv)
        points = chances(info.score, position).expected_score
        self.lines.send(
            f"info depth {info.depth} nodes {info.nodes} nps {info.nps} time {info.time_ms}"
            f" win {round(1000 * points)} pv {line}"
        )

    def _limits(self, go: Go) -> Limits:
        from search_core.thinker import Limits

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

    def _answer(self, result: Result) -> None:
        from junqi_protocol.rules.geometry import move_text

        assert self._asked is not None
        view = self._views[self._asked.seat]
        move = "pass" if result.best is None else move_text(view.position.variant, result.best)
        self._say(move, draw=self._asked.draw and view.is_behind)

    def _say(self, move: str, draw: bool = False) -> None:
        assert self._asked is not None
        self.lines.send(f"bestmove {move} ply {self._asked.ply}" + (" draw 1" if draw else ""))

    def _think_again(self, words: Sequence[str]) -> None:
        """Answer again without the refused move: the referee knows better which moves are legal."""
        from junqi_protocol.rules.messages import MessageError, fields

        fields(words, "the seat", "the ply", "the move")
        asked = self._asked
        if asked is None or not self._views or self.driver.occupied or words[:2] != [str(asked.seat), str(asked.ply)]:
            raise MessageError(f"illegal {excerpt(' '.join(words[:3]))}: no such answer was given")
        view = self._views[asked.seat]
        self._refused.update(self._refusal(view, words[2]))
        self._asked = self._asked_again(asked)
        self._think(view, self._asked)

    def _asked_again(self, go: Go) -> Go:
        """A question with the time that its first answer has left, which ends by itself."""
        from dataclasses import replace

        passed = int((now_s() - self.driver.busy_since) * 1000)
        movetime = go.movetime if go.movetime is None else max(go.movetime - passed, 1)
        return replace(
            go,
            movetime=_RETRY_MS if go.infinite else movetime,
            clock=go.clock if go.clock is None else max(go.clock - passed, 0),
            infinite=False,
        )

    @staticmethod
    def _refusal(view: PlayerView, word: str) -> list[int]:
        from junqi_protocol.rules.geometry import parse_move

        try:
            return [parse_move(view.position.variant, word)]
        except ValueError:
            return []

    # Analysis

    def _set_position(self, words: Sequence[str]) -> None:
        from junqi_protocol.protocols.setting_up import parse_position
        from junqi_protocol.rules.messages import MessageError

        if self._state != _IDLE:
            raise MessageError("position during a game; nothing changed")
        if self.driver.occupied:
            raise MessageError("position while thinking; nothing changed")
        new_game, view = parse_position(words)
        self._forget()
        self.forget_game()
        view.quiet_limit, view.quiet_loses = new_game.terms.quiet, new_game.terms.quiet_loses
        self._new_game, self._views = new_game, dict.fromkeys(view.seats, view)
