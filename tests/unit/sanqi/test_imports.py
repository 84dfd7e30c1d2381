"""The direction of imports, and what the engine process may load."""

from __future__ import annotations

import ast
import graphlib
import re
import subprocess
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path

import pytest

CHECKOUT = Path(__file__).resolve().parents[3]

FLOORS = (
    ("search_core",),
    ("game_core",),
    ("board_pages",),
    ("engine_client",),
    ("match_runner",),
    ("ucci_engine", "gomoku_protocol", "junqi_protocol"),
    ("game_review",),
    ("engine_doctor",),
    ("web_board",),
    ("sanqi",),
)
"""The packages from the ground up."""
MAY_IMPORT = {
    package: {below for lower in FLOORS[:floor] for below in lower}
    for floor, packages in enumerate(FLOORS)
    for package in packages
}
"""For each package the other packages that it may import: those of the floors below."""
JUNQI_FLOORS = ("rules", "knowledge", "players", "protocols", "records", "review", "referee")
"""The parts of junqi_protocol from the ground up."""

STATEMENT = re.compile(r"^\s*(?:from\s+(\S+)\s+c?import\b|c?import\s+(.+))")


def python_imports(source: str) -> Iterator[str]:
    """Modules that Python source imports: anywhere in it, under whatever condition, also by import_module("name")."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"a relative import, line {node.lineno}: write the package's name"
            assert node.module is not None
            yield node.module
            yield from (f"{node.module}.{alias.name}" for alias in node.names)  # it may be a module of a package
        elif (
            isinstance(node, ast.Call)
            and isinstance(node.func, ast.Name | ast.Attribute)
            and (node.func.id if isinstance(node.func, ast.Name) else node.func.attr) in {"import_module", "__import__"}
            and isinstance(node.args[0], ast.Constant)
        ):
            yield str(node.args[0].value)


def cython_imports(source: str) -> Iterator[str]:
    """Modules that Cython source imports or cimports."""
    for line in source.splitlines():
        statement = STATEMENT.match(line)
        if statement:
            for name in (statement[1] or statement[2]).split(","):
                yield name.split()[0]


def module_of(file: Path) -> str:
    """The name by which other modules import the file."""
    parts = file.relative_to(CHECKOUT).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def imports(file: Path) -> set[str]:
    read = python_imports if file.suffix in {".py", ".pyi"} else cython_imports
    return set(read(file.read_text(encoding="utf-8")))


def forbidden_imports(package: str, forbidden: Iterable[str]) -> list[str]:
    """The imports in a package that lead into packages that it may not import."""
    files = [file for file in (CHECKOUT / package).rglob("*") if file.suffix in {".py", ".pyi", ".pyx", ".pxd"}]
    assert files
    return [
        f"{file.relative_to(CHECKOUT)} imports {name}"
        for file in files
        for name in sorted(imports(file))
        if any(f"{name}.".startswith(f"{each}.") for each in forbidden)
    ]


@pytest.mark.parametrize("package", MAY_IMPORT)
def test_packages_import_one_way(package: str) -> None:
    wrong = forbidden_imports(package, set(MAY_IMPORT) - MAY_IMPORT[package] - {package})
    assert not wrong, "\n".join(wrong)


@pytest.mark.parametrize("floor", range(len(JUNQI_FLOORS)), ids=JUNQI_FLOORS)
def test_the_parts_of_junqi_import_one_way(floor: int) -> None:
    above = [f"junqi_protocol.{part}" for part in JUNQI_FLOORS[floor + 1 :]]
    wrong = forbidden_imports(f"junqi_protocol/{JUNQI_FLOORS[floor]}", above)
    assert not wrong, "\n".join(wrong)


def test_every_package_has_its_floor() -> None:
    packages = {file.parent.name for file in CHECKOUT.glob("*/__init__.py")}
    assert packages == set(MAY_IMPORT)
    parts = {file.parent.name for file in (CHECKOUT / "junqi_protocol").glob("*/__init__.py")}
    assert parts == set(JUNQI_FLOORS)


def test_no_module_imports_itself_by_a_detour() -> None:
    """Imports for type checkers count, too: whoever reads the modules has to read a cycle at once."""
    graph: dict[str, set[str]] = {}
    for package in MAY_IMPORT:
        for file in (CHECKOUT / package).rglob("*"):
            if file.suffix in {".py", ".pyi", ".pyx", ".pxd"}:
                graph.setdefault(module_of(file), set()).update(imports(file))
    modules = {name: (imported & graph.keys()) - {name} for name, imported in graph.items()}
    graphlib.TopologicalSorter(modules).prepare()  # raises CycleError, which names the modules


MAX_MODULE = 700


def test_modules_are_short_enough_to_read() -> None:
    longer = set()
    for folder in (*MAY_IMPORT, "benchmarks", "build"):
        for file in (CHECKOUT / folder).rglob("*"):
            if file.suffix in {".py", ".pyi", ".pyx", ".pxd"}:
                with file.open(encoding="utf-8") as lines:
                    if sum(1 for _ in lines) > MAX_MODULE:
                        longer.add(file.relative_to(CHECKOUT).as_posix())
    assert not longer


def test_every_kind_of_import_is_seen() -> None:
    python = "import a.b\ndef f():\n    from c import d\n    importlib.import_module('e.f')\n"
    assert set(python_imports(python)) == {"a.b", "c", "c.d", "e.f"}
    cython = "from a.b cimport C\n    cimport d, e\nfrom f import g\nimport h as i\ncdef extern from 'x.h':\n    pass\n"
    assert set(cython_imports(cython)) == {"a.b", "d", "e", "f", "h"}


LOADED = """
import os, sys
before = set(sys.modules)  # what the tests' environment loads at every start is not the engine's doing
from sanqi.__main__ import main
end = os._exit
def tell(status):
    print(*sorted(set(sys.modules) - before), file=sys.stderr, flush=True)
    end(status)
os._exit = tell
main()
"""


XIANGQI = "{}\nisready\nposition startpos moves h2e2\ngo depth 2\nquit\n"
JUNQI = "junqi 1\nnewgame variant duel seats 0\nlineup 0 96317/5.3.5/81.37/B.2.4/6M2MB/4FM21\nstart 0\ngo 0 1\nquit\n"
GOMOKU = "START 15\nINFO timeout_turn 0\nTURN 7,7\n"  # END would leave without the move


@pytest.mark.parametrize(
    ("game", "said", "package"),
    [
        (XIANGQI.format("ucci"), "ucciok", "ucci_engine"),
        (XIANGQI.format("uci"), "uciok", "ucci_engine"),
        (GOMOKU, "OK\n", "gomoku_protocol"),
        (JUNQI, "bestmove ", "junqi_protocol"),
    ],
)
def test_engine_process_loads_the_standard_library_and_our_own_alone(
    game: str, said: str, package: str, tmp_path: Path
) -> None:
    run = subprocess.run(
        [sys.executable, "-c", LOADED], input=game, capture_output=True, text=True, cwd=tmp_path, timeout=60
    )
    assert run.returncode == 0, run.stderr
    assert said in run.stdout
    modules = {name for name in run.stderr.split() if not name.startswith(("_cython", "cython_runtime"))}
    assert f"{package}.rules.position" in modules or f"{package}.position" in modules
    described = {f"{game}.description" for game in ("ucci_engine", "gomoku_protocol", "junqi_protocol")}
    assert described <= modules
    # Of the other games nothing but their descriptions, and the packages that these are in.
    others = modules - described - {name.partition(".")[0] for name in described}
    loaded = {name.partition(".")[0] for name in others}
    assert loaded - set(sys.stdlib_module_names) == {"sanqi", "game_core", "search_core", package}


def test_a_game_is_played_without_loading_the_others(tmp_path: Path) -> None:
    run = subprocess.run(
        [sys.executable, "-c", f"{LOADED}\ntell(0)", "play", "xiangqi", "--movetime", "10"],
        input="h2e2\nquit\n", capture_output=True, text=True, cwd=tmp_path, timeout=60,
    )  # fmt: skip
    assert "Black plays " in run.stdout, run.stderr
    modules = run.stderr.split()
    assert "ucci_engine.position" in modules
    others = {name for name in modules if name.startswith(("gomoku_protocol.", "junqi_protocol."))}
    assert others == {"gomoku_protocol.description", "junqi_protocol.description"}


def test_the_whole_command_line_needs_no_other_distribution(tmp_path: Path) -> None:
    """The build makes the man page of it, where none of the dependencies is installed."""
    code = (
        "import sys\nbefore = set(sys.modules)\nfrom sanqi.cli import COMMAND_NAMES, command_line\n"
        "command_line(COMMAND_NAMES)\nprint(*set(sys.modules) - before)"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=tmp_path, timeout=60)
    loaded = {name.partition(".")[0] for name in run.stdout.split()}
    assert "gomoku_protocol" in loaded, run.stderr
    assert not loaded & {"chess", "jinja2", "pygal", "rich", "sgfmill"}
