"""Games of a match in the formats that other programs read: what the formats share."""

from __future__ import annotations

from abc import ABC, abstractmethod
from pathlib import Path

from match_runner.game import PlayedGame


class FolderWriter(ABC):
    """A folder with a file for each game. Raises OSError."""

    suffix: str

    def __init__(self, path: Path, resumed: bool) -> None:
        path.mkdir(exist_ok=resumed)
        self._folder = path

    def add(self, number: int, record: PlayedGame) -> None:
        self._folder.joinpath(f"game{number:05}{self.suffix}").write_bytes(self._text(record))

    def close(self) -> None:  # noqa: B027 - for those who keep a file open
        """Nothing is open between games."""

    @abstractmethod
    def _text(self, record: PlayedGame) -> bytes:
        """What is in the file of a game."""
