"""A search as an iterator: each line when it is found."""

from __future__ import annotations

from collections.abc import Iterator
from queue import SimpleQueue
from typing import TYPE_CHECKING

from search_core.engine import Engine
from search_core.line_protocol import taken
from search_core.readable import readable_info
from search_core.thinker import Info, Limits, Result

if TYPE_CHECKING:
    from search_core.game import Game


def iterations(game: Game, limits: Limits, threads: int, hash_mb: int) -> Iterator[Info]:
    """Search a copy of `game` in the background. Leaving the loop ends the search.

    `hash_mb`: MiB of the hash table, which lives as long as the search.
    """
    found: SimpleQueue[Info | Result] = SimpleQueue()
    with Engine() as engine:
        engine.threads = threads
        engine.hash_mb = hash_mb
        engine.go(game, limits, found.put, found.put)
        while not isinstance(item := taken(found), Result):
            yield readable_info(game, item)
