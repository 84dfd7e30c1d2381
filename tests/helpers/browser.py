"""Pages in a browser's model, node's jsdom: one process for all pages of a run, since its start takes longest."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

HELPER = Path(__file__).with_name("page_in_dom.js")
DEBIAN_MODULES = "/usr/share/nodejs"


class Browser:
    """Starts with the first page."""

    def __init__(self) -> None:
        self._process: subprocess.Popen[str] | None = None

    def run(self, page: Path, script: str, fragment: str = "") -> Any:
        """What a function's body returns that is run in a page, with press(KEY...) and text(SELECTOR)."""
        if self._process is None:
            self._process = self._started()
        assert self._process.stdin is not None and self._process.stdout is not None
        task = {"page": str(page), "fragment": fragment, "script": script}
        self._process.stdin.write(json.dumps(task) + "\n")
        self._process.stdin.flush()
        answer = json.loads(self._process.stdout.readline() or '{"error": "it has ended"}')
        assert "error" not in answer, answer["error"]
        return answer["result"]

    def close(self) -> None:
        if self._process is not None:
            self._process.communicate(timeout=60)

    @staticmethod
    def _started() -> subprocess.Popen[str]:
        node = shutil.which("node")
        if node is None or not (Path(DEBIAN_MODULES) / "jsdom").exists():
            pytest.skip("needs node and jsdom (Debian: nodejs, node-jsdom)")
        return subprocess.Popen(
            [node, HELPER], stdin=subprocess.PIPE, stdout=subprocess.PIPE, encoding="utf-8",
            env={**os.environ, "NODE_PATH": DEBIAN_MODULES},
        )  # fmt: skip
