"""Builds the extension modules (the only place with their Cython directives and C flags), man page and completions.

Environment: SANQI_ARCH is a -march value ("native") for a build that runs only on
this machine. SANQI_STRICT=1 fails the build on any Cython performance hint.
SANQI_DEBUG=1 checks the limits that callers must keep (search_core/check.h).
SANQI_SANITIZE is the value of -fsanitize= for gcc and clang ("address,undefined");
the sanitizer must be loaded before Python, as in .ci/sanitize.
"""

import contextlib
import io
import os
import re
import runpy
import subprocess
import sys
import sysconfig
from configparser import ConfigParser
from pathlib import Path

from Cython.Build import cythonize
from Cython.Build.Dependencies import create_dependency_tree
from setuptools import Distribution, Extension, setup

MODULES = [
    "gomoku_protocol.board",
    "gomoku_protocol.evaluation",
    "gomoku_protocol.evaluator",
    "gomoku_protocol.net",
    "gomoku_protocol.obscurity",
    "gomoku_protocol.patterns",
    "gomoku_protocol.position",
    "gomoku_protocol.threats",
    "junqi_protocol.players.belief_position",
    "junqi_protocol.players.full_strength",
    "junqi_protocol.rules.board",
    "junqi_protocol.players.evaluation",
    "junqi_protocol.knowledge.marginals",
    "junqi_protocol.players.likely_line",
    "junqi_protocol.players.net",
    "junqi_protocol.rules.position",
    "junqi_protocol.knowledge.sampler",
    "search_core.chance_search",
    "search_core.conformance",
    "search_core.conformance_chance",
    "search_core.conformance_walk",
    "search_core.evaluator",
    "search_core.game",
    "search_core.transposition_table",
    "search_core.perft",
    "search_core.signals",
    "search_core.learnt",
    "search_core.limited_search",
    "search_core.tree_search",
    "search_core.search",
    "search_core.weak_search",
    "ucci_engine.any_pieces",
    "ucci_engine.board",
    "ucci_engine.classic",
    "ucci_engine.cycles",
    "ucci_engine.evaluation",
    "ucci_engine.evaluator",
    "ucci_engine.extra_pieces",
    "ucci_engine.net",
    "ucci_engine.obscurity",
    "ucci_engine.position",
    "ucci_engine.prejudice",
    "ucci_engine.rules",
]

DIRECTIVES = {
    "language_level": 3,
    "boundscheck": False,
    "wraparound": False,
    "cdivision": True,
    "initializedcheck": False,
}

MSVC = sys.platform == "win32"

# Baseline instructions, unless SANQI_ARCH is set.
FLAGS = ["/O2"] if MSVC else ["-O3", "-g0"]
if os.environ.get("SANQI_ARCH") and not MSVC:
    FLAGS.append(f"-march={os.environ['SANQI_ARCH']}")

DEFINES: list[tuple[str, str | None]] = [("SANQI_DEBUG", None)] if os.environ.get("SANQI_DEBUG") == "1" else []
SANITIZERS = os.environ.get("SANQI_SANITIZE", "")
LINK_FLAGS = []
if SANITIZERS:
    LINK_FLAGS = [f"-fsanitize={SANITIZERS}"]
    FLAGS = ["-O1", "-g1", "-fno-omit-frame-pointer", "-fno-sanitize-recover=undefined", *LINK_FLAGS]

STRICT = os.environ.get("SANQI_STRICT") == "1"


def extension(module: str) -> Extension:
    return Extension(
        module,
        [module.replace(".", "/") + ".pyx"],
        extra_compile_args=FLAGS,
        extra_link_args=LINK_FLAGS,
        define_macros=DEFINES,
        include_dirs=["search_core", "gomoku_protocol", "ucci_engine"],
    )


CHECKOUT = Path(__file__).resolve().parent


def timestamp(path: str) -> float:
    """When `path` or this file was changed last, for Cython. 0 outside the checkout: pip unpacks a new Cython, with new
    dates, for every build, and Cython itself translates again what another version has translated.
    """
    if not Path(path).resolve().is_relative_to(CHECKOUT):
        return 0.0
    return max(os.path.getmtime(path), os.path.getmtime(__file__))


def flags_file() -> str:
    """A file with the flags of this build, changed only when they do: every module depends on it."""
    path = Path(".build", "flags")
    flags = f"{FLAGS} {LINK_FLAGS} {DEFINES}\n"
    if not path.exists() or path.read_text(encoding="utf-8") != flags:
        path.parent.mkdir(exist_ok=True)
        path.write_text(flags, encoding="utf-8")
    return str(path)


def translated() -> list[Extension]:
    """Write the extensions' C to .build/ and return them.

    Cython has no option that makes a performance hint an error, so its messages are searched.
    """
    create_dependency_tree(quiet=True).timestamp = timestamp
    messages = io.StringIO()
    try:
        with contextlib.redirect_stderr(messages):
            extensions = cythonize(
                [extension(module) for module in MODULES],
                build_dir=".build",
                compiler_directives=DIRECTIVES,
                # An up-to-date C file would hide the hints of its source.
                force=True if STRICT else None,
            )
    finally:
        sys.stderr.write(messages.getvalue())
    if STRICT and "performance hint:" in messages.getvalue():
        sys.exit("setup.py: Cython gave performance hints (above), and SANQI_STRICT=1 allows none")
    return extensions


# The files that build/command_docs.py writes, and where they are installed. Windows has no place for them.
COMMAND_DOCS = (
    {}
    if sysconfig.get_platform().startswith("win")
    else {
        "sanqi.1": "share/man/man1",
        "sanqi": "share/bash-completion/completions",
        "_sanqi": "share/zsh/site-functions",
        "sanqi.csh": "share/tcsh-completion",
    }
)


class BuildModules(Distribution().get_command_class("build_ext")):
    """Translates the modules to C only when they are compiled, not at every query about the package."""

    def run(self) -> None:
        flags = flags_file()
        for module, made in zip(self.extensions, translated()):
            module.sources, module.depends = made.sources, [*made.depends, flags]
        super().run()


class BuildPackages(Distribution().get_command_class("build_py")):
    """Copies the packages. Drops what an earlier build has copied: a deleted file would be installed again."""

    def run(self) -> None:
        modules = {module.replace(".", os.sep) for module in MODULES}
        for package in {package.partition(".")[0] for package in self.packages}:
            for path in Path(self.build_lib, package).rglob("*"):
                native = path.name.endswith((".so", ".pyd"))
                if path.is_file() and not (native and str(path.relative_to(self.build_lib)).split(".")[0] in modules):
                    path.unlink()
        super().run()


class InstallCommandDocs(Distribution().get_command_class("install_data")):
    """Installs the man page and the shells' completions, made from the command line that was just built."""

    def run(self) -> None:
        built = os.path.abspath(self.get_finalized_command("build").build_lib)
        made = os.path.join(".build", "command_docs")
        path = os.pathsep.join(filter(None, (built, os.environ.get("PYTHONPATH"))))
        subprocess.run(
            [sys.executable, os.path.join("build", "command_docs.py"), made],
            env={**os.environ, "PYTHONPATH": path},
            check=True,
        )
        self.data_files = [(folder, [os.path.join(made, name)]) for name, folder in COMMAND_DOCS.items()]
        super().run()


def readme_of_the_index() -> str:
    """README.md for the package index, which resolves no relative links: they lead to this version's tag."""
    config = ConfigParser()
    config.read("setup.cfg", encoding="utf-8")
    urls = config["metadata"]["project_urls"].split()
    home = urls[urls.index("Homepage") + 2]
    tag = "v" + runpy.run_path("search_core/version.py")["__version__"]
    text = Path("README.md").read_text(encoding="utf-8")
    text = re.sub(r"(!\[[^]]*\]\()(?!https?:)", rf"\1{home}/raw/{tag}/", text)
    return re.sub(r"(\]\()(?!https?:|#)", rf"\1{home}/blob/{tag}/", text)


# The folders without files make setuptools run the command, which adds the files. A build with sanitizers does not
# run without them loaded, so it gets no man page and completions.
setup(
    long_description=readme_of_the_index(),
    long_description_content_type="text/markdown",
    ext_modules=[extension(module) for module in MODULES],
    data_files=[] if SANITIZERS else [(folder, []) for folder in COMMAND_DOCS.values()],
    cmdclass={"build_py": BuildPackages, "build_ext": BuildModules, "install_data": InstallCommandDocs},
    options={"build_ext": {"parallel": os.cpu_count()}},
)
