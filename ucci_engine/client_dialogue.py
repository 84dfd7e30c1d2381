"""What a client needs for UCCI and UCI engines alike: read their lines and send them commands."""

from __future__ import annotations

import abc
import dataclasses
import re
from collections import deque
from collections.abc import Iterable
from typing import ClassVar, NamedTuple

import chess
import chess.engine
from chess.engine import LOGGER, EngineError, Info, InfoDict, Limit, Option

from engine_client.dialects import Dialect
from engine_client.engine_options import OptionList
from search_core.line_protocol import legible
from ucci_engine.points import RANKS_FROM_0, RANKS_FROM_1, move_text, parse_move
from ucci_engine.xiangqi_board import XiangqiBoard, XiangqiMove

_MANAGED = frozenset((*chess.engine.MANAGED_OPTIONS, "uci_analysemode", "usemillisec", "ranks"))
"""Options, in lower case, that only the client sets."""

_OPTION_TYPES = frozenset(("check", "spin", "combo", "button", "string"))
_NO_MOVE = frozenset(("", "(none)", "none", "null", "0000", "resign", "draw"))
_COUNTS = frozenset(("depth", "seldepth", "nodes", "nps", "hashfull", "tbhits", "cpuload", "currmovenumber", "multipv"))
_MAX_LINES = 128
"""No Xiangqi position has more moves, so a larger line number is a fault."""

_MATE_SCORE = 10000  # UCCI has no word for a mate: as in ElephantEye, its score is this minus the plies to it
_MIN_MATE_SCORE = 9900  # from here down, ElephantEye's scores mean wins by perpetual check


class Best(NamedTuple):
    """What a `bestmove` or `nobestmove` says."""

    move: XiangqiMove | None
    ponder: XiangqiMove | None
    draw: bool
    resigned: bool


class XiangqiDialogue(chess.engine.UciProtocol):
    """The dialogue that UCCI and UCI have in common; the subclasses word it."""

    dialect: ClassVar[Dialect]
    no_move: ClassVar[str]
    """What the engine must say if it has no move."""
    bare_scores: ClassVar[bool]
    """Whether a score is a number without `cp` or `mate` before it."""
    named_options: ClassVar[bool]
    """Whether the word `name` stands before the name of an option."""

    ranks = RANKS_FROM_0
    """How the engine counts the ranks."""

    def __init__(self) -> None:
        super().__init__()
        self.board: chess.Board = XiangqiBoard()
        self.stopped = False
        """A `stop` was sent since the last `readyok`. It may have crossed a best move: its answer may still come."""
        self._noted: set[str] = set()

    @abc.abstractmethod
    def settle(self) -> None:
        """After the handshake: set the options of the whole session."""

    @abc.abstractmethod
    def give(self, board: XiangqiBoard) -> None:
        """Send the position to search."""

    @abc.abstractmethod
    def search(
        self, limit: Limit | None, *, root_moves: list[chess.Move] | None, ponder: bool = False, draw: bool = False
    ) -> None:
        """Send `go`; without a limit, until `stop`. `draw`: the opponent offers one."""

    @abc.abstractmethod
    def hit(self, *, draw: bool) -> None:
        """Send `ponderhit`: the opponent has played the expected move."""

    def offer(self, text: str) -> None:
        """Record an option that the engine lists; `text` is what follows the word `option`."""
        if (first_word(text)[0] == "name") != self.named_options:
            self.note("option is not worded as in the protocol", text)
        offered = OptionList("ucci").read(" ".join(["option", *text.split()]))
        if offered is None or offered.kind not in _OPTION_TYPES:
            self.note("unreadable option", text)
            return
        bounds = (offered.minimum, offered.maximum)
        if offered.kind == "spin" and len(re.findall(r" (?:min|max) ", text)) > 2 - bounds.count(None):
            self.note("unreadable bound of an option", text)
        option = Option(offered.name, offered.kind, None, offered.minimum, offered.maximum, [*offered.choices])
        option = dataclasses.replace(option, default=self._default(option, offered.default, text))
        self.options[option.name] = option
        if option.default is not None:
            self.config[option.name] = option.default
            if option.name.lower() not in _MANAGED:
                self.target_config[option.name] = option.default

    def manage(self, name: str, value: chess.engine.ConfigValue) -> None:
        """Set an option if the engine has it, unless the user has set it."""
        if name in self.options and name not in self.target_config:
            self._setoption(name, value)

    def note(self, fault: str, line: str) -> None:
        """Log what the engine got wrong, each fault once: it may be in every line."""
        if fault not in self._noted:
            self._noted.add(fault)
            LOGGER.warning("%s: %s: %r", self, fault, line)

    def read_move(self, text: str) -> XiangqiMove:
        """The move that the engine writes. Raises MoveTextError."""
        return XiangqiMove.from_code(parse_move(text, self.ranks))

    def write_moves(self, moves: Iterable[chess.Move]) -> list[str]:
        """The moves as the engine reads them."""
        return [spelt(move, self.ranks) for move in moves]

    def read_best(self, line: str) -> Best:
        """The answer to a search. Raises EngineError for a move that is not legal."""
        words = line.lower().split()
        word = words[1] if words[0] == "bestmove" and len(words) > 1 else ""
        draw, resigned = "draw" in words[1:], "resign" in words[1:]
        if word in _NO_MOVE:
            if line.strip() != self.no_move:
                self.note(f"expected {self.no_move} where there is no move", line)
            return Best(None, None, draw, resigned)
        board = self.board.copy(stack=False)
        try:
            move = self.read_move(word)
            board.push(move)
        except ValueError as error:
            raise EngineError(f"{legible(line)}: {error}{self._miscounted(word)}") from None
        ponder = None
        if "ponder" in words[2:-1]:
            text = words[words.index("ponder") + 1]
            try:
                ponder = self.read_move(text) if text not in _NO_MOVE else None
                if ponder is not None and not board.is_legal(ponder):
                    raise chess.IllegalMoveError(text)
            except ValueError:
                ponder = None
                self.note("ponder move is not legal", line)
        return Best(move, ponder, draw, resigned)

    def read_info(self, line: str, wanted: Info) -> InfoDict:
        """What an `info` line says; what cannot be read is left out and noted."""
        info: InfoDict = {}
        words = deque(line.split()[1:])
        while wanted and words:
            word = words.popleft()
            if word in ("string", "message"):
                info["string"] = " ".join(words)
                break
            try:
                if word in _COUNTS:
                    info[word] = int(words.popleft())  # type: ignore[literal-required]
                elif word == "time":
                    info["time"] = int(words.popleft()) / 1000
                elif word == "score":
                    score = self._read_score(words, line)
                    if wanted & chess.engine.INFO_SCORE:
                        info["score"] = chess.engine.PovScore(score, self.board.turn)
                elif word in ("lowerbound", "upperbound"):
                    info[word] = True  # type: ignore[literal-required]  # python-chess leaves the bounds untyped
                elif word == "wdl":
                    chances = chess.engine.Wdl(int(words.popleft()), int(words.popleft()), int(words.popleft()))
                    info["wdl"] = chess.engine.PovWdl(chances, self.board.turn)
                elif word == "currmove":
                    info["currmove"] = self.read_move(words.popleft())
                elif word == "pv" and wanted & chess.engine.INFO_PV and (moves := self._read_variation(words, line)):
                    info["pv"] = moves
            except (ValueError, IndexError, OverflowError):
                self.note(f"unreadable {word} in info", line)
        if not 1 <= info.get("multipv", 1) <= _MAX_LINES:
            self.note("impossible multipv in info", line)
            return {}
        return info

    def _read_score(self, words: deque[str], line: str) -> chess.engine.Score:
        kind = words.popleft()
        bare = kind not in ("cp", "mate")
        number = int(kind if bare else words.popleft())
        if bare != self.bare_scores:
            self.note("score is not worded as in the protocol", line)
        if kind == "mate":
            return chess.engine.Mate(number)
        if bare and _MIN_MATE_SCORE < abs(number) <= _MATE_SCORE:
            moves = (_MATE_SCORE - abs(number) + 1) // 2
            return chess.engine.Mate(max(moves, 1) if number > 0 else -moves)
        return chess.engine.Cp(number)

    def _read_variation(self, words: deque[str], line: str) -> list[chess.Move]:
        """Take moves from the front of `words`; return those before the first that is not legal."""
        board = self.board.copy(stack=False)
        moves: list[chess.Move] = []
        while words:
            try:
                move = self.read_move(words[0])
            except ValueError:
                break
            words.popleft()
            if not board.is_legal(move):
                self.note("pv holds a move that is not legal", line)
                break
            board.push(move)
            moves.append(move)
        return moves

    def _miscounted(self, word: str) -> str:
        """The end of an error message, if the move is legal with the ranks counted the other way."""
        other = RANKS_FROM_0 if self.ranks == RANKS_FROM_1 else RANKS_FROM_1
        try:
            legal = self.board.is_legal(XiangqiMove.from_code(parse_move(word, other)))
        except ValueError:
            legal = False
        return f"; with ranks {other} it would be legal" if legal else ""

    def _configure(self, options: chess.engine.ConfigMapping) -> None:
        for name in options:
            if name.lower() in _MANAGED - {"uci_analysemode"}:
                raise EngineError(f"cannot set {name}: the client manages it")
        # For python-chess, another spelling of a name is another option: it would set the old value after the new.
        super()._configure(chess.engine.UciOptionMap(options.items()))

    def _default(self, option: Option, value: str, text: str) -> chess.engine.ConfigValue:
        """The default value; None if there is none or the option cannot have it."""
        if option.type == "check":
            return value.lower() in ("true", "on", "1")
        if option.type != "string" and not value:
            return None
        try:
            return option.parse(value)
        except EngineError:
            self.note("impossible default of an option", text)
            return None


def spelt(move: chess.Move, ranks: str) -> str:
    return move_text(move.from_square | move.to_square << 7, ranks)


def first_word(line: str) -> tuple[str, str]:
    """The first word of a line, and the rest of it without blanks around."""
    words = line.split(maxsplit=1)
    return words[0] if words else "", words[1].strip() if len(words) > 1 else ""
