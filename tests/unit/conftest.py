"""Extensions that tests need, compiled against the installed packages; engines that leave a process behind."""

import contextlib
import importlib.util
import os
import shutil
import signal
import subprocess
import sys
import sysconfig
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pytest

HELPERS = Path(__file__).parents[1] / "helpers"

SETUP = """
from setuptools import Extension, setup
from Cython.Build import cythonize
setup(
    name="extensions",
    py_modules=[],
    ext_modules=cythonize(
        [Extension(name, [name + ".pyx"]) for name in {names}],
        compiler_directives={{"language_level": 3, "boundscheck": False, "wraparound": False, "cdivision": True}},
    ),
)
"""

EXTENSIONS = {
    "toy_game": "toy_game",
    "heaps_game": "heaps_game",
    "dice_game": "dice_game",
    "probe": "position_probe",
    "xiangqi_evaluators": "xiangqi_evaluators",
    "table_probe": "table_probe",
    "gomoku_evaluators": "gomoku_evaluators",
    "gomoku_probe": "gomoku_probe",
}
"""The modules by their fixtures."""


def compiled(request: pytest.FixtureRequest, temporary: pytest.TempPathFactory) -> ModuleType:
    """The module of a fixture, built as a third party's extension would be, once for all processes of the run and with
    all others that its tests need. Where it is installed already, for a system without a compiler, that one."""
    assert request.fixturename is not None
    name = EXTENSIONS[request.fixturename]
    if importlib.util.find_spec(name) is not None:
        return importlib.import_module(name)
    import fcntl  # not on Windows, where the modules are installed

    base = temporary.getbasetemp()
    folder = (base.parent if "PYTEST_XDIST_WORKER" in os.environ else base) / "extensions"
    folder.mkdir(exist_ok=True)
    binary = folder / f"{name}{sysconfig.get_config_var('EXT_SUFFIX')}"
    with (folder / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not binary.exists():
            wanted = {fixture for item in request.session.items for fixture in getattr(item, "fixturenames", ())}
            build([module for fixture, module in EXTENSIONS.items() if fixture in wanted], folder)
    spec = importlib.util.spec_from_file_location(name, binary)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def build(names: list[str], folder: Path) -> None:
    """Compile these modules of the helpers in this folder."""
    for name in names:
        shutil.copy(HELPERS / f"{name}.pyx", folder)
    (folder / "setup.py").write_text(SETUP.format(names=names), encoding="utf-8")
    built = subprocess.run(
        [sys.executable, "setup.py", "-q", "build_ext", "--inplace"],
        cwd=folder,
        env={**os.environ, "CFLAGS": f"{os.environ.get('CFLAGS', '')} -O0 -g0"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert built.returncode == 0, built.stderr


@pytest.fixture(scope="session")
def toy_game(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> ModuleType:
    """The module with the Walk game."""
    return compiled(request, tmp_path_factory)


@pytest.fixture(scope="session")
def heaps_game(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> ModuleType:
    """The module with the Heaps game, which can be broken."""
    return compiled(request, tmp_path_factory)


@pytest.fixture(scope="session")
def dice_game(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> ModuleType:
    """The module with the Dice game, a walk with chance that can be broken."""
    return compiled(request, tmp_path_factory)


@pytest.fixture(scope="session")
def probe(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> ModuleType:
    """The native side of a Xiangqi position."""
    return compiled(request, tmp_path_factory)


@pytest.fixture(scope="session")
def xiangqi_evaluators(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> ModuleType:
    """Two evaluators of Xiangqi from outside."""
    return compiled(request, tmp_path_factory)


@pytest.fixture(scope="session")
def table_probe(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> ModuleType:
    """The native side of a transposition table."""
    return compiled(request, tmp_path_factory)


class LeftBehind:
    """What engines leave behind that begin with leaves_behind.py."""

    def __init__(self, folder: Path) -> None:
        self._pids = folder / "left behind"

    def by(self, how: str, command: str) -> str:
        """A command line of an engine that leaves a process behind and becomes `command`."""
        return f"{sys.executable} -P {HELPERS / 'leaves_behind.py'} {how} '{self._pids}' {command}"

    def running(self) -> list[int]:
        """The processes that run."""
        left = []
        for pid in map(int, self._pids.read_text(encoding="ascii").split()):
            with contextlib.suppress(OSError):
                if Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()[0] not in "ZX":
                    left.append(pid)
        return left


@pytest.fixture
def left_behind(tmp_path: Path) -> Iterator[LeftBehind]:
    """Engines that leave a process behind; in the end nothing is left."""
    if not Path("/proc/self/environ").exists():
        pytest.skip("what is left behind is found in /proc")
    found = LeftBehind(tmp_path)
    yield found
    for pid in found.running():
        os.kill(pid, signal.SIGKILL)


@pytest.fixture(scope="session")
def gomoku_evaluators(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> ModuleType:
    """An evaluator of Gomoku from outside."""
    return compiled(request, tmp_path_factory)


@pytest.fixture(scope="session")
def gomoku_probe(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> ModuleType:
    """The root solver of a Gomoku position."""
    return compiled(request, tmp_path_factory)
