"""Builds the bundle of the installed sanqi: dist/sanqi/ (one folder), or with --onefile dist/onefile/sanqi.

Needs `pip install '.[dev]'`. The one-folder form is the one to ship: it starts several times faster, and it is
one process, so a host that kills or suspends it has all of it.
"""

import argparse
import importlib.util
import os
import shutil
import subprocess
import sys
from pathlib import Path

CHECKOUT = Path(__file__).resolve().parent.parent


def installed_package() -> Path | None:
    """The folder of the installed sanqi package, or None where none but the checkout's sources is found."""
    found = importlib.util.find_spec("sanqi")
    if found is None or found.origin is None:
        return None
    folder = Path(found.origin).resolve().parent
    return None if folder == CHECKOUT / "sanqi" else folder


def main() -> int:
    """Returns the exit status: PyInstaller's, or 2 where there is nothing to bundle."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--onefile", action="store_true", help="one executable that unpacks itself at every start")
    arguments = parser.parse_args()
    if installed_package() is None:
        print("bundle.py: sanqi is not installed for this Python; run: pip install '.[dev]'", file=sys.stderr)
        return 2
    form = "onefile" if arguments.onefile else "onedir"
    output = CHECKOUT / "dist" / ("onefile" if arguments.onefile else "")
    target = output / "sanqi"
    if target.is_dir():
        shutil.rmtree(target)
    # From a folder of its own: PyInstaller puts the working directory before the installed packages.
    work = CHECKOUT / ".build" / form
    work.mkdir(parents=True, exist_ok=True)
    status = subprocess.run(
        [
            sys.executable, "-m", "PyInstaller", "--noconfirm", "--clean", "--log-level", "WARN",
            "--distpath", output, "--workpath", work, CHECKOUT / "build" / "sanqi.spec",
        ],
        cwd=work,
        env={**os.environ, "SANQI_BUNDLE": form},
    ).returncode
    if status == 0:
        print(f"built {target}")
    return status


if __name__ == "__main__":
    sys.exit(main())
