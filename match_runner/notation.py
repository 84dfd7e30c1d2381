"""Writing games of a match in formats of other programs: what the formats share."""

from __future__ import annotations

from abc import ABC, abstractmethod
from pathlib import Path

from match_runner.game import PlayedGame
from search_core.whole_file import write_whole


class FolderWriter(ABC):
    """Writes each game to a file of its own in a folder. Raises OSError."""

    suffix: str

    def __init__(self, path: Path, resumed: bool) -> None:
        path.mkdir(exist_ok=resumed)
        self._folder = path

    def add(self, number: int, record: PlayedGame) -> None:
        write_whole(self._folder / f"game{number:05}{self.suffix}", self._text(record), replace=True)

    def close(self) -> None:  # noqa: B027 - other writers keep a file open
        """Nothing is open between games."""

    @abstractmethod
    def _text(self, record: PlayedGame) -> bytes:
        """The content of a game's file."""
