"""The lineups that a person has stored, by name. They are hidden from others, so only their owner may read the file."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from game_core.display import InputError
from search_core.whole_file import write_whole
from web_board.hosted_table import Message, text_of

ACTIONS = ("lineups", "keep-lineup", "drop-lineup")
MOST = 500
_FILE = "lineups.json"


class Lineups:
    """Stored lineups.

    Parameters
    ----------
    folder : Path
        Where their file is.
    """

    def __init__(self, folder: Path) -> None:
        self._file = folder / _FILE

    def obey(self, message: Mapping[str, Any]) -> Message:
        """Do one of ACTIONS; the answer has all lineups. Raises InputError, OSError."""
        kept = self._kept()
        if message["type"] != "lineups":
            name = text_of(message, "name").strip()
            if not name:
                raise InputError("a lineup needs a name")
            kept.pop(name, None)
            if message["type"] == "keep-lineup":
                if len(kept) >= MOST:
                    raise InputError(f"at most {MOST} lineups can be stored")
                kept[name] = text_of(message, "text")
            self._file.parent.mkdir(parents=True, exist_ok=True)
            self._file.touch(0o600)  # what replaces it keeps the permissions
            write_whole(self._file, json.dumps(kept, indent=0).encode("ascii"), replace=True)
        return {"type": "lineups", "lineups": dict(sorted(kept.items()))}

    def _kept(self) -> dict[str, str]:
        """What the file has; {}: there is none, or it is damaged."""
        try:
            kept = json.loads(self._file.read_bytes())
        except (FileNotFoundError, ValueError):
            return {}
        if not isinstance(kept, dict) or not all(isinstance(text, str) for text in kept.values()):
            return {}
        return kept
