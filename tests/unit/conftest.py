"""The toy game, compiled against the installed search core."""

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
    name="toy_game",
    py_modules=[],
    ext_modules=cythonize(
        [Extension("toy_game", ["toy_game.pyx"])],
        compiler_directives={"language_level": 3, "boundscheck": False, "wraparound": False, "cdivision": True},
    ),
)
"""


@pytest.fixture(scope="session")
def toy_game(tmp_path_factory: pytest.TempPathFactory) -> ModuleType:
    """The module with the Walk game, built as a third party's extension of the search core would be."""
    folder = tmp_path_factory.mktemp("toy_game")
    source = Path(__file__).with_name("toy_game.pyx")
    (folder / "toy_game.pyx").write_text(source.read_text(encoding="utf-8"), encoding="utf-8")
    (folder / "setup.py").write_text(SETUP, encoding="utf-8")
    built = subprocess.run(
        [sys.executable, "setup.py", "-q", "build_ext", "--inplace"], cwd=folder, capture_output=True, text=True, check=False,
    )
    assert built.returncode == 0, built.stderr
    library = folder / f"toy_game{sysconfig.get_config_var('EXT_SUFFIX')}"
    spec = importlib.util.spec_from_file_location("toy_game", library)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module
