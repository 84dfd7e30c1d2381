"""The opening books that a host has set, or the shipped one, and the choice of a move from them.

Imported before the first answer is given: it must stay light. The books are opened, and what reads them is imported,
when a host has named them and wants them used.
"""

from __future__ import annotations

import os

from search_core.clock import now_s
from search_core.fields import Fields
from search_core.line_protocol import excerpt
from search_core.options import Option, setter

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Collection

    from ucci_engine.books import BookMove, KeyedBook
    from ucci_engine.position import Position

SEPARATOR = ";"
"""Between the files of the option."""
DEFAULT_DEPTH = 40
MAX_DEPTH = 999
MAX_FILES = 16
SHIPPED = os.path.join(os.path.dirname(__file__), "data", "book.dat")
"""The book made by the engine's own searches."""


class BookChoice(Fields):
    """A move from a book."""

    book: str
    """The name of the file, for a message."""
    move: int
    weight: int
    weights: int
    """The sum of the weights above 0 in the position."""


class OwnBook:
    """Opens the books, and chooses moves. No method raises an error for a book that cannot be used.

    Parameters
    ----------
    notify : callable
        Called with a line for the user, once for each thing that is wrong with a book.
    enabled : bool
        Whether books are used from the start.
    """

    def __init__(self, notify: Callable[[str], None], enabled: bool) -> None:
        self.enabled = enabled
        self.depth = DEFAULT_DEPTH
        """The last move of a game that may come from a book, as the FEN counts moves."""
        self.best_only = False
        """Whether always a move of the largest weight is chosen."""
        self._notify = notify
        self._named: list[str] = []
        self._wanted = False
        self._books: dict[str, KeyedBook | None] = {}
        """The opened files; None for one that cannot be used."""
        self._told: set[tuple[str, str]] = set()

    # Options

    def options(self, use: str, files: str, depth: str, best_only: str) -> list[Option]:
        """The options of the books, under these names and under those of the other protocol."""
        return [
            Option(use, self.set_enabled, self.enabled, aliases=("usebook", "ownbook")),
            Option(files, self.set_files, aliases=("bookfiles", "bookfile", "book file")),
            Option(depth, setter(self, "depth"), DEFAULT_DEPTH, minimum=0, maximum=MAX_DEPTH),
            Option(best_only, setter(self, "best_only"), self.best_only, aliases=("best book move",)),
        ]

    @property
    def _paths(self) -> list[str]:
        """The files that the host has named; if there are none, and it wants books, the shipped one."""
        return self._named or ([SHIPPED] if self._wanted else [])

    def set_enabled(self, enabled: bool) -> None:
        """Whether the host wants books."""
        self.enabled = self._wanted = enabled
        self._open_all()

    def set_files(self, text: str) -> None:
        """The files, the first one asked first. They are opened anew even if they are the same."""
        self.close()
        paths = dict.fromkeys(path.strip().strip('"') for path in text.split(SEPARATOR))
        self._named = [path for path in paths if path]
        if len(self._named) > MAX_FILES:
            self._notify(f"book: only the first {MAX_FILES} files are used")
            del self._named[MAX_FILES:]
        self._open_all()

    def close(self) -> None:
        """Close the files."""
        for book in self._books.values():
            if book is not None:
                book.close()
        self._books.clear()
        self._told.clear()

    # Moves

    def choose(self, position: Position, excluded: Collection[int], seed: str) -> BookChoice | None:
        """A move from the first book that has one which is not excluded; None if there is none.

        In a position that was on the board before, no book is asked: its move would lead to the same game again. The
        choice depends only on position and seed.
        """
        if not self.enabled or not self._paths or position.move_number > self.depth or _occurred_before(position):
            return None
        from ucci_engine.books import PROBE_MS

        end = now_s() + PROBE_MS / 1000  # the books share the time
        for path in self._paths:
            entries = [entry for entry in self._moves(path, position, end) if entry.move not in excluded]
            if entries:
                chosen = self._pick(entries, f"{seed} {position.key}")
                weights = sum(max(entry.weight, 0) for entry in entries)
                return BookChoice(_name(path), chosen.move, chosen.weight, weights)
        return None

    def _pick(self, entries: list[BookMove], seed: str) -> BookMove:
        import random

        chance = random.Random(seed)
        top = max(entry.weight for entry in entries)
        if self.best_only or top <= 0:
            return chance.choice([entry for entry in entries if entry.weight == top])
        return chance.choices(entries, [max(entry.weight, 0) for entry in entries])[0]

    # Files

    def _open_all(self) -> None:
        if self.enabled:
            for path in self._paths:
                self._book(path)

    def _book(self, path: str) -> KeyedBook | None:
        if path not in self._books:
            self._books[path] = self._opened(path)
        return self._books[path]

    def _opened(self, path: str) -> KeyedBook | None:
        try:
            from ucci_engine.book_files import open_book

            return open_book(path)
        except (ImportError, ValueError) as error:  # BookError is one
            self._tell(path, f"{error}; it is not used")
            return None

    def _moves(self, path: str, position: Position, end: float) -> list[BookMove]:
        """What a book has, until the time `end`; nothing if it cannot be used."""
        from ucci_engine.books import BookChanged, BookError, BookTooSlow

        for _ in range(2):
            book = self._book(path)
            if book is None:
                return []
            book.limit_ms = max((end - now_s()) * 1000, 1)
            try:
                return book.moves(position)
            except BookChanged as error:
                self._tell(path, f"{error}; it is opened again")
                book.close()
                del self._books[path]
            except BookTooSlow as error:
                self._tell(path, f"{error}; it is used where it is faster")
                return []
            except BookError as error:
                self._tell(path, f"{error}; it is no longer used")
                book.close()
                self._books[path] = None
        return []

    def _tell(self, path: str, text: str) -> None:
        if (path, text) not in self._told:
            self._told.add((path, text))
            self._notify(f"book {_name(path)}: {text}")


def _name(path: str) -> str:
    """The name of a file without its folder, for a message: messages are short, and paths are long."""
    return excerpt(os.path.basename(path))


def _occurred_before(position: Position) -> bool:
    """Whether the position was on the board before in this game."""
    earlier = position.copy()
    while earlier.plies:
        earlier.pop()
        if earlier.key == position.key:
            return True
    return False
