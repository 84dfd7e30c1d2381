"""Merge opening books, or convert one: entry by entry if all have the same keys, else by following their moves."""

from __future__ import annotations

import heapq
import itertools
from collections.abc import Iterator, Mapping, Sequence
from operator import itemgetter
from typing import NamedTuple, TypeVar

from search_core.failures import named
from ucci_engine.book_dat import DatBook, Record, dat_move
from ucci_engine.book_files import DatWriter, SqliteWriter, new_book, scaled
from ucci_engine.books import BookError, BookMove, KeyedBook, mirrored, mirrored_move, move_of_wide, pieces_of
from ucci_engine.extra_pieces import open_position
from ucci_engine.points import START_FEN
from ucci_engine.position import Position
from ucci_engine.sqlite_book import Row, SqliteBook, obk_move

Entry = TypeVar("Entry")


class Merged(NamedTuple):
    """What was written."""

    moves: int
    positions: int
    """0 if the books were copied entry by entry: then it is not known."""


def merge(books: Sequence[KeyedBook], target: str, most_plies: int, add_weights: bool = False) -> Merged:
    """Write what several books have into the new file `target`, in the format of its suffix. Raises BookError.

    A move that several books have gets the weight of the first of these books, or the sum of its weights. If the books
    have keys of another kind than the new file, or it is text, only positions are written that the books' moves reach
    from the start of a game in `most_plies`: the books have only keys. Only so many plies from the start, too, is it
    known that one book has the mirror image of another's position.
    """
    with new_book(target) as writer:
        dat_books = [book for book in books if isinstance(book, DatBook)]
        sqlite_books = [book for book in books if isinstance(book, SqliteBook)]
        if isinstance(writer, DatWriter) and len(dat_books) == len(books):
            instead: dict[int, Mapping[int, int]] = {}
            for found, own, other in _joined(books, most_plies, add_weights):
                instead[own], instead[other] = {dat_move(move.move): move.weight for move in found}, {}
            merged = Merged(writer.write_records(_united_records(dat_books, add_weights, instead)), 0)
        elif isinstance(writer, SqliteWriter) and len(sqlite_books) == len(books):
            for book in sqlite_books:
                writer.add_rows(_named(book, book.rows()), add_weights)
            for _, own, other in _joined(books, most_plies, add_weights):
                writer.remove_rows((own, other))
                for book in sqlite_books:
                    writer.add_rows(_named(book, _rows_of_both(book, own, other)), add_weights)
            merged = Merged(writer.count(), 0)
        else:
            moves = positions = 0
            for position, found in reached(books, most_plies, add_weights):
                writer.add(position, found)
                positions += 1
                moves += len(found)
            merged = Merged(moves, positions)
        if not merged.moves:
            raise BookError("no move was found; nothing was written")
    return merged


def united(books: Sequence[KeyedBook], position: Position, add_weights: bool = False) -> list[BookMove]:
    """What several books have in a position, the largest weight first. Raises BookError, which names the book.

    Weights as in merge(); the note is the first one.
    """
    moves: dict[int, BookMove] = {}
    for book in books:
        with named(book.name, BookError):
            entries = book.moves(position)
        for move in entries:
            known = moves.setdefault(move.move, move)
            if known is not move:
                weight = known.weight + move.weight if add_weights else known.weight
                moves[move.move] = BookMove(move.move, weight, known.note or move.note)
    return sorted(moves.values(), key=lambda move: (-move.weight, move.move))


def reached(
    books: Sequence[KeyedBook], most_plies: int, add_weights: bool = False
) -> Iterator[tuple[Position, list[BookMove]]]:
    """The positions with a move that the books' moves reach from the start of a game, and these moves. Of a position
    and its mirror image only one comes. Raises BookError."""
    level = [START_FEN]
    seen = {_key(Position(START_FEN))}
    for _ in range(most_plies):
        following = []
        for fen in level:
            position = open_position(fen)
            moves = united(books, position, add_weights)
            if not moves:
                continue
            yield position, moves
            for move in moves:
                position.push(move.move)
                key = _key(position)
                if key not in seen:
                    seen.add(key)
                    following.append(position.fen())
                position.pop()
        level = following


def _joined(
    books: Sequence[KeyedBook], most_plies: int, add_weights: bool
) -> Iterator[tuple[list[BookMove], int, int]]:
    """For each position of which a book has the mirror image of what another has: all its moves, its own key and that
    of the mirror image. Only a position can tell its mirror image's key, so these are those that are reached."""
    for position, moves in reached(books, most_plies, add_weights) if len(books) > 1 else ():
        pieces, black = pieces_of(position), position.side == 1
        own, other = books[0].key(pieces, black), books[0].key(mirrored(pieces), black)
        if own != other and all(any(book.entries(key) for book in books) for key in (own, other)):
            yield moves, own, other


def _rows_of_both(book: SqliteBook, own: int, other: int) -> Iterator[Row]:
    """A book's rows of a position and of its mirror image, as rows of the position; a move comes once as in moves()."""
    rows: dict[int, Row] = {}
    for row in book.rows_of(own):
        rows.setdefault(row[1], row)
    for _, wide, score, won, drawn, lost, memo in book.rows_of(other):
        move = move_of_wide(wide >> 8, wide & 255)
        if move is not None:
            wide = obk_move(mirrored_move(move))
            rows.setdefault(wide, (own, wide, score, won, drawn, lost, memo))
    yield from rows.values()


def _united_records(
    books: Sequence[DatBook], add_weights: bool, joined: Mapping[int, Mapping[int, int]]
) -> Iterator[Record]:
    """The records of all books, those of a lock and a move as one. `joined`: what stands for some locks instead, the
    weights by the moves."""
    streams = [_named(book, book.records()) for book in books]
    by_lock = itemgetter(0)
    for lock, records in itertools.groupby(heapq.merge(*streams, key=by_lock), key=by_lock):
        weights: dict[int, int] = {}
        for _, move, weight in records:  # the first book's come first
            if move not in weights:
                weights[move] = weight
            elif add_weights:
                weights[move] += weight
        found = joined.get(lock, weights)
        yield from ((lock, move, weight) for move, weight in zip(found, scaled(list(found.values()))))


def _named(book: KeyedBook, entries: Iterator[Entry]) -> Iterator[Entry]:
    """The entries; an error names the book."""
    with named(book.name, BookError):
        yield from entries


def _key(position: Position) -> int:
    """A number that a position shares with its mirror image alone."""
    pieces, black = pieces_of(position), position.side == 1
    return min(SqliteBook.key(pieces, black), SqliteBook.key(mirrored(pieces), black))
