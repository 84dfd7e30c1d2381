"""Extensions that tests need, compiled against the installed packages."""

import importlib.util
import subprocess
import sys
import sysconfig
from pathlib import Path
from types import ModuleType

import pytest

SETUP = """
from setuptools import Extension, setup
from Cython.Build import cythonize
setup(
    name="{name}",
    py_modules=[],
    ext_modules=cythonize(
        [Extension("{name}", ["{name}.pyx"])],
        compiler_directives={{"language_level": 3, "boundscheck": False, "wraparound": False, "cdivision": True}},
    ),
)
"""


def compiled(name: str, folder: Path) -> ModuleType:
    """The module of `name`.pyx in this folder, built as a third party's extension would be."""
    source = Path(__file__).with_name(f"{name}.pyx").read_text(encoding="utf-8")
    (folder / f"{name}.pyx").write_text(source, encoding="utf-8")
    (folder / "setup.py").write_text(SETUP.format(name=name), encoding="utf-8")
    built = subprocess.run(
        [sys.executable, "setup.py", "-q", "build_ext", "--inplace"],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
    )
    assert built.returncode == 0, built.stderr
    spec = importlib.util.spec_from_file_location(name, folder / f"{name}{sysconfig.get_config_var('EXT_SUFFIX')}")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="session")
def toy_game(tmp_path_factory: pytest.TempPathFactory) -> ModuleType:
    """The module with the Walk game."""
    return compiled("toy_game", tmp_path_factory.mktemp("toy_game"))


@pytest.fixture(scope="session")
def probe(tmp_path_factory: pytest.TempPathFactory) -> ModuleType:
    """The native side of a Xiangqi position."""
    return compiled("position_probe", tmp_path_factory.mktemp("position_probe"))
