"""The games of examples/, installed as distributions of their own."""

import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).parents[3] / "examples"


@pytest.fixture(scope="session")
def install_example(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Path]:
    """Installs a game, built against the installed headers; returns the folder of the installation."""

    def install(name: str) -> Path:
        source, target = tmp_path_factory.mktemp(name) / "source", tmp_path_factory.mktemp("installed")
        shutil.copytree(EXAMPLES / name, source)
        words = "install --quiet --no-index --no-build-isolation --no-deps --target"
        built = subprocess.run(
            [sys.executable, "-m", "pip", *words.split(), target, source],
            env={**os.environ, "CFLAGS": f"{os.environ.get('CFLAGS', '')} -O0 -g0"},
            capture_output=True,
            text=True,
            timeout=250,
        )
        assert built.returncode == 0, built.stderr
        return target

    return install
