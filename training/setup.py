"""Builds the extension modules against the headers and .pxd files of the installed sanqi."""

import sys
from pathlib import Path

from Cython.Build import cythonize
from setuptools import Extension, setup

import search_core

MODULES = (
    "facts",
    "nets.gradients",
    "nets.gomoku_gradients",
    "nets.gomoku_samples",
    "nets.xiangqi_gradients",
    "nets.xiangqi_samples",
    "one_ply",
    "selfplay.gomoku",
    "selfplay.player",
    "selfplay.xiangqi",
    "weight_counter",
)
DIRECTIVES = {
    "language_level": 3,
    "boundscheck": False,
    "wraparound": False,
    "cdivision": True,
    "initializedcheck": False,
}
FLAGS = ["/O2"] if sys.platform == "win32" else ["-O3", "-g0"]

setup(
    ext_modules=cythonize(
        [
            Extension(
                f"sanqi_training.{module}",
                [f"sanqi_training/{module.replace('.', '/')}.pyx"],
                include_dirs=[str(Path(search_core.__file__).parent), "sanqi_training/nets"],
                extra_compile_args=FLAGS,
            )
            for module in MODULES
        ],
        build_dir=".build",
        compiler_directives=DIRECTIVES,
    )
)
