"""The games that the page offers: their options, levels and clocks, and how to open one."""

from __future__ import annotations

import argparse
import base64
import random
import re
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any, NamedTuple

from board_pages.page_board import PageBoard
from game_core.display import ENGINE_NAME, GameDisplay, InputError
from game_core.game_clocks import TimeControl, read_time_control
from game_core.given_options import GivenOptions
from game_core.session import Session
from search_core.failures import becoming
from search_core.levels import FULL
from search_core.line_protocol import excerpt, legible, shown_path
from search_core.parts import load_part
from search_core.text_file import unmarked

if TYPE_CHECKING:
    from engine_client.specification import EngineSpecification
    from game_core.description import GameDescription
    from game_core.record_formats import RecordFormat

PERSON, GUEST = "person", "guest"
"""Who plays a seat, as the page says it: a person at the owner's page, or one who has the link of the seat."""
_DEFAULT_LEVEL = "5"
_OPTION = re.compile(r"^(?:argument )?--([\w-]+)")
"""How a sentence about an option of the command line begins."""


class SeatChoice:
    """Who plays a seat, as the page says it: `engine` is the name of another engine, or ''. Raises InputError."""

    def __init__(self, choice: object, levels: Sequence[str], engines: Container[object] = ()) -> None:
        if not isinstance(choice, Mapping):
            raise InputError("a seat needs a player")
        player = choice.get("player")
        self.engine = player if isinstance(player, str) and player in engines else ""
        self.is_guest = not self.engine and player == GUEST
        self.is_person = self.is_guest or (not self.engine and player == PERSON)
        self.level = "" if self.engine or not levels else str(choice.get("level") or levels[-1])
        if not self.is_person and not self.engine:
            if choice.get("player") != ENGINE_NAME:
                raise InputError(f"there is no player {choice.get('player')}")
            if levels and self.level not in levels:
                raise InputError(f"there is no level {self.level}")


class PageGame:
    """A game that can be played on the page. `engines`: other engines that can play it, by name."""

    def __init__(self, description: GameDescription, engines: Mapping[str, EngineSpecification] | None = None) -> None:
        self.engines = dict(engines or {})
        self.name = description.name
        self.title = description.title.partition(" (")[0]
        self.description = description
        self.page_board: type[PageBoard] = load_part(description.page_board)

    def display(self) -> GameDisplay:
        """A new one: it keeps what belongs to one game."""
        game = self.description
        display: GameDisplay = load_part(game.display)(game.name, game.title, lambda: load_part(game.session)())
        return display

    @cached_property
    def seat_names(self) -> list[str]:
        """What its sides are called, of the game with the most seats."""
        _, sides = self.page_board.sides_by
        return list(self.display().sides) or max(map(list, sides.values()), key=len, default=[])

    @cached_property
    def summary(self) -> dict[str, Any]:
        """The game as `hello` has it."""
        display = self.display()
        option, sides = self.page_board.sides_by
        first: Sequence[str] = next(iter(sides.values()), [])
        levels = levels_of(display)
        engine = {
            "name": ENGINE_NAME,
            "levels": levels,
            "level": _DEFAULT_LEVEL if _DEFAULT_LEVEL in levels else FULL if levels else "",
            "levelSteps": list(self.page_board.level_steps),
        }
        return {
            "name": self.name,
            "title": self.title,
            "sides": list(display.sides or first),
            **({"sidesBy": {"option": option, "sides": sides}} if option else {}),
            "options": [
                {**_summary(action), "more": action.dest in self.page_board.rare_options}
                for action in self._actions(display)
            ],
            "engines": [engine, *map(_without_levels, self.engines)],
            "setUp": self.page_board.set_up_title,
            "clocks": list(self.page_board.clocks),
        }

    def seats(self, opened: Opened, choices: object) -> list[SeatChoice]:
        """Who plays each seat; None: people, or one person where a seat does not see all. Raises InputError."""
        sides, levels = opened.session.sides, levels_of(opened.display)
        if choices is None:
            person, engine = {"player": PERSON}, {"player": ENGINE_NAME}
            others = engine if self.page_board.hides_pieces else person
            choices = [person, *(others for _ in sides[1:])]
        if not isinstance(choices, list) or len(choices) != len(sides):
            raise InputError(f"the game has {len(sides)} seats")
        seats = [SeatChoice(choice, levels, self.engines) for choice in choices]
        if self.page_board.hides_pieces and sum(seat.is_person and not seat.is_guest for seat in seats) > 1:
            raise InputError("one person can play at a page where pieces are hidden")
        return seats

    def time_control(self, text: str) -> TimeControl | None:
        """Of clocks, as the page says it; '': there are none. Raises InputError."""
        if not text:
            return None
        if not self.page_board.clocks:
            raise InputError("this game has no clocks")
        with becoming(ValueError, InputError):
            return read_time_control(text)

    def suffixes(self) -> set[str]:
        """Of the files that it can read, without the dot."""
        suffixes = {suffix.removeprefix(".") for form in self._records for suffix in form.suffixes}
        return suffixes | {self.display().saved_as} - {""}

    @property
    def _records(self) -> Sequence[RecordFormat]:
        return load_part(self.description.records) if self.description.records else ()

    @property
    def record_format(self) -> RecordFormat:
        """The one in which the page saves a game unless the person chooses another."""
        suffix = f".{self.page_board.formats[0]}"
        return next(form for form in self._records if suffix in form.suffixes)

    def file_of(self, data: bytes) -> str:
        """The name of a file with this content, by how it begins; '': no record of the game begins so."""
        return next((f"text{form.suffixes[0]}" for form in self._forms_of(data)), "")

    def can_be_in(self, suffix: str, data: bytes) -> bool:
        """Whether a file with this suffix and content, by how it begins, can be a record of the game."""
        return any(suffix in form.suffixes for form in self._forms_of(data))

    def _forms_of(self, data: bytes) -> Iterator[RecordFormat]:
        beginning = unmarked(data)
        return (form for form in self._records if form.begins.match(beginning))

    def _actions(self, display: GameDisplay) -> list[argparse.Action]:
        parser = GivenOptions(display.add_arguments)
        actions = {action.dest: action for action in parser.actions}
        return [actions[name] for name in self.page_board.options]

    def arguments(self, display: GameDisplay, options: Mapping[str, str], seed: int) -> argparse.Namespace:
        """The arguments of `sanqi play` for a new game. Raises InputError."""
        unknown = options.keys() - set(self.page_board.options)
        if unknown:
            raise InputError(f"the game has no option {min(unknown)}")
        words = [f"--{name.replace('_', '-')}={value}" for name, value in options.items() if value]
        try:
            args = GivenOptions(display.add_arguments).parse_args(words)
        except ValueError as error:
            raise InputError(_without_dashes(str(error))) from None
        args.saved, args.seed, args.given_words = None, seed, words
        return args


def _without_dashes(sentence: str) -> str:
    """A sentence about an option, which gets the name that it has on the page."""
    return _OPTION.sub(lambda found: found[1].replace("-", " "), sentence)


def _without_levels(name: str) -> dict[str, Any]:
    """Another engine as `hello` has it."""
    return {"name": name, "levels": [], "level": "", "levelSteps": []}


def levels_of(display: GameDisplay) -> list[str]:
    """The levels that the engine can play at, the numbers first."""
    names = [name for name in display.level_names if display.read_level(name) == name]
    return [*reversed([name for name in names if name.isdecimal()]), *(name for name in names if not name.isdecimal())]


def _summary(action: argparse.Action) -> dict[str, Any]:
    """An option of a command line as a field of a form."""
    choices = [str(choice) for choice in action.choices or ()]
    return {
        "name": action.dest,
        "title": action.dest.replace("_", " "),
        "kind": "choice" if choices else "text",
        "choices": choices,
        "value": str(action.default) if action.default is not None else choices[0] if choices else "",
        "help": "" if action.help in (None, argparse.SUPPRESS) else action.help,
    }


class Opened(NamedTuple):
    """A game that was made."""

    session: Session
    display: GameDisplay
    args: argparse.Namespace


def open_new(game: PageGame, options: Mapping[str, str], seed: int, start: str = "", seat: int | None = None) -> Opened:
    """A new game with these options. `start`: how it begins, as the page board reads it; '': as usual. `seat`: that
    of the person at the owner's page, if any. Raises InputError."""
    display = game.display()
    args = game.arguments(display, options, seed)
    if start:
        with becoming(ValueError, InputError):
            game.page_board.begin_from(start, args, seat)
    try:
        return _open(display, args)
    except InputError as error:
        raise InputError(_without_dashes(str(error))) from None


def open_file(game: PageGame, name: str, data: bytes, seed: int) -> Opened:
    """The game of a file. Raises InputError."""
    display = game.display()
    args = game.arguments(display, {}, seed)
    with TemporaryDirectory() as folder:
        path = Path(folder) / f"game{Path(name).suffix}"
        path.write_bytes(data)
        args.resume = name
        try:
            args.saved = display.load(str(path))
            return _open(display, args)
        except InputError as error:
            text = str(error).removeprefix("--resume ")
            for quoted in (excerpt, legible, shown_path, str):  # the person knows the file by its own name
                text = text.replace(quoted(str(path)), quoted(name))
            raise InputError(text) from None


def reopen(game: PageGame, beginning: Mapping[str, Any]) -> Opened:
    """The game of a table as its log's beginning says it. Raises InputError; KeyError, TypeError or ValueError if it
    says nothing of the kind."""
    if "file" not in beginning:
        seat = persons_seat(beginning["seats"])
        return open_new(game, beginning["options"], beginning["seed"], beginning.get("start", ""), seat)
    return open_file(game, beginning["file"], base64.b64decode(beginning["data"]), beginning["seed"])


def persons_seat(choices: object) -> int | None:
    """The first seat that a person plays at the owner's page, by what the page says of each seat."""
    seats = choices if isinstance(choices, list) else []
    return next(
        (seat for seat, each in enumerate(seats) if isinstance(each, dict) and each.get("player") == PERSON), None
    )


def _open(display: GameDisplay, args: argparse.Namespace) -> Opened:
    display.settle(args)
    display.ask(args, lambda: None)
    return Opened(display.open_session(args), display, args)


def new_seed() -> int:
    """A number for a game that nobody can guess."""
    return random.SystemRandom().getrandbits(32) or 1


def by_suffix(games: Iterable[PageGame], name: str) -> Sequence[PageGame]:
    """The games that may be in a file of this name."""
    suffix = Path(name).suffix.lower().removeprefix(".")
    return [game for game in games if suffix in game.suffixes()]


def game_of_file(games: Iterable[PageGame], name: str, data: bytes) -> PageGame:
    """The game of a file: by its suffix, and where several games have that by how it begins. Raises InputError."""
    found = by_suffix(games, name)
    if len(found) > 1:
        found = [game for game in found if game.can_be_in(Path(name).suffix.lower(), data)]
    if not found:
        raise InputError(f"{name}: no game has such files")
    return found[0]
