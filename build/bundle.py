"""Builds the bundle of the installed sanqi: dist/sanqi/ (one folder), with --zip also dist/sanqi-windows.zip
(or -linux, -macos, -macos-intel), with --onefile dist/onefile/sanqi, with --gomocup the package for the Gomocup
tournament, dist/pbrain-sanqi64.zip.

Needs `pip install '.[dev]'`. Ship the one-folder form: it starts several times faster, and it is a single process, so
a host can kill or suspend the whole program.
"""

import argparse
import importlib.util
import os
import platform
import shutil
import subprocess
import sys
from pathlib import Path

CHECKOUT = Path(__file__).resolve().parent.parent
BOARD_SCRIPT = "sanqi-board.cmd"
SYSTEM = {"win32": "windows", "darwin": "macos"}.get(sys.platform, sys.platform)
if sys.platform == "darwin" and platform.machine() == "x86_64":
    SYSTEM = "macos-intel"


def installed_package() -> Path | None:
    """The folder of the installed sanqi package; None if only the checkout's sources are found."""
    found = importlib.util.find_spec("sanqi")
    if found is None or found.origin is None:
        return None
    folder = Path(found.origin).resolve().parent
    return None if folder == CHECKOUT / "sanqi" else folder


def main() -> int:
    """Build. Returns the exit status: PyInstaller's, or 2 if sanqi is not installed."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    forms = parser.add_mutually_exclusive_group()
    forms.add_argument("--zip", action="store_true", help="also zip the folder, to give it to others")
    forms.add_argument("--onefile", action="store_true", help="one executable that unpacks itself at every start")
    forms.add_argument("--gomocup", action="store_true", help="a zip of Gomoku alone, with the executable at its top")
    arguments = parser.parse_args()
    if installed_package() is None:
        print("bundle.py: sanqi is not installed for this Python; run: pip install '.[dev]'", file=sys.stderr)
        return 2
    if arguments.gomocup:
        return build_for_gomocup()
    form = "onefile" if arguments.onefile else "onedir"
    output = CHECKOUT / "dist" / ("onefile" if arguments.onefile else "")
    status = build("sanqi.spec", form, output / "sanqi")
    if status == 0 and form == "onedir":
        # Gomoku managers require this name; under it the program speaks the Gomocup protocol.
        suffix = ".exe" if sys.platform == "win32" else ""
        shutil.copy2(output / "sanqi" / f"sanqi{suffix}", output / "sanqi" / f"pbrain-sanqi64{suffix}")
        if sys.platform == "win32":
            # For a double click. cmd.exe wants lines that end in CR LF.
            script = (CHECKOUT / "build" / BOARD_SCRIPT).read_text("ascii")
            (output / "sanqi" / BOARD_SCRIPT).write_text(script, "ascii", newline="\r\n")
        if arguments.zip:
            pack(output / f"sanqi-{SYSTEM}", output, "sanqi")
    return status


def build(recipe: str, form: str, target: Path) -> int:
    """Run a recipe, which makes `target`. Returns PyInstaller's exit status."""
    if target.is_dir():
        shutil.rmtree(target)
    # Run in a folder of its own: PyInstaller prefers modules of the working directory to installed packages.
    work = CHECKOUT / ".build" / form
    work.mkdir(parents=True, exist_ok=True)
    status = subprocess.run(
        [
            sys.executable,
            "-m",
            "PyInstaller",
            "--noconfirm",
            "--clean",
            "--log-level",
            "WARN",
            "--distpath",
            target.parent,
            "--workpath",
            work,
            CHECKOUT / "build" / recipe,
        ],
        cwd=work,
        # A cache of its own, since --clean empties it: bundles may be built side by side.
        env={**os.environ, "SANQI_BUNDLE": form, "PYINSTALLER_CONFIG_DIR": str(work / "cache")},
    ).returncode
    if status == 0:
        print(f"built {target}")
    return status


def build_for_gomocup() -> int:
    """Build the tournament's folder and zip it. Returns PyInstaller's exit status."""
    folder = CHECKOUT / "dist" / "gomocup" / "pbrain-sanqi64"
    status = build("gomocup.spec", "gomocup", folder)
    if status == 0:
        # The tournament requires the executable at the top of the zip.
        pack(CHECKOUT / "dist" / "pbrain-sanqi64", folder, ".")
    return status


def pack(archive: Path, folder: Path, content: str) -> None:
    """Make the zip `archive` (without its suffix) of `content` in `folder`."""
    made = Path(shutil.make_archive(str(archive), "zip", folder, content))
    print(f"built {made}, {made.stat().st_size / 1e6:.1f} MB")


if __name__ == "__main__":
    sys.exit(main())
