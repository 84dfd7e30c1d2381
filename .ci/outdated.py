"""Compare the installed sanqi with the sources. Prints what differs; exits with 1 if anything does.

Python files, stubs, headers and data are compared by content. An extension module must be newer than its source and
setup.py. Run it as `python -I .ci/outdated.py`: then the installed packages are found, not those of the checkout.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from configparser import ConfigParser
from importlib.util import find_spec
from pathlib import Path

CHECKOUT = Path(__file__).resolve().parent.parent
COPIED = {".py", ".pyi", ".pxd", ".h"}
REMEDY = "run `.ci/check --build`, or install the sources with pip"


def packages() -> list[str]:
    """The packages that setup.cfg lists."""
    config = ConfigParser()
    config.read(CHECKOUT / "setup.cfg", encoding="utf-8")
    return config["options"]["packages"].split()


def outdated() -> Iterator[str]:
    """What must be installed again, one line each."""
    for package in packages():
        spec = find_spec(package)
        if spec is None or spec.origin is None:
            yield f"{package} is not installed"
            continue
        source, installed = CHECKOUT / package.replace(".", "/"), Path(spec.origin).parent
        if source == installed:
            yield f"{package} is imported from the checkout, not installed"
            continue
        for name in sorted(copied(source) | copied(installed)):
            if not (installed / name).exists():
                yield f"{package}/{name} is not installed"
            elif not (source / name).exists():
                yield f"{package}/{name} is installed, and not in the sources"
            elif (source / name).read_bytes() != (installed / name).read_bytes():
                yield f"{package}/{name} differs from what is installed"
        yield from older_modules(source, installed)


def copied(folder: Path) -> set[str]:
    """The files of a package that are installed as they are."""
    files = [path for path in folder.rglob("*") if path.is_file() and "__pycache__" not in path.parts]
    names = {path.relative_to(folder) for path in files}
    return {str(name) for name in names if name.suffix in COPIED or name.parts[0] == "data"}


def older_modules(source: Path, installed: Path) -> Iterator[str]:
    """Extension modules that were built before their source or setup.py was changed."""
    recipe = (CHECKOUT / "setup.py").stat().st_mtime
    for module in sorted(source.glob("*.pyx")):
        built = [path for path in installed.glob(f"{module.stem}.*") if path.suffix in {".so", ".pyd"}]
        if not built:
            yield f"{source.name}/{module.name} is not compiled"
            continue
        built_at = max(path.stat().st_mtime for path in built)
        if built_at < module.stat().st_mtime:
            yield f"{source.name}/{module.name} is newer than what is installed"
        elif built_at < recipe:
            yield f"{source.name}/{module.name} was compiled before setup.py changed"


def main() -> int:
    lines = list(outdated())
    for line in lines[:10]:
        print(line)
    if len(lines) > 10:
        print(f"and {len(lines) - 10} more")
    if lines:
        print(f"the installed sanqi does not match the sources: {REMEDY}")
    return 1 if lines else 0


if __name__ == "__main__":
    sys.exit(main())
