"""Writes the licences of all parts of a bundle, a list of the parts, and a README.

A part is an installed distribution, Python itself, PyInstaller (its bootloader is the executable) or a system library.
Licences come from the installed files; `build/licenses/` holds those that are not installed. The build fails if a part
has no licence or the origin of a file is unknown.
"""

import platform
import re
import shutil
import subprocess
import sys
import sysconfig
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from importlib.metadata import Distribution, distribution, distributions
from pathlib import Path

OWN_TEXTS = Path(__file__).parent / "licenses"
TEXTS_BY_HAND = {"sgfmill": ["sgfmill.txt"]}
"""Distributions installed without their licence: its text is from the source distribution."""
PYTHON_TEXTS = ["python-incorporated-software.txt"]
"""Licences of libraries compiled into Python, from "History and License" of its documentation."""

IS_LICENSE = re.compile(r"(?i)(licen[cs]e|copying|notice|authors)")
SEE_TEXT = "see the text"


class LicenseError(Exception):
    """The licence of a file in the bundle is unknown."""


@dataclass
class Part:
    """A part of the bundle: its origin and its content."""

    name: str
    version: str
    license: str
    texts: list[Path]
    holds: set[str] = field(default_factory=set)
    """Names in the bundle: top-level modules, and files and folders at the top of its library folder."""


def write_licenses(
    folder: Path, readme: Path, modules: Iterable[tuple[str, str, str]], files: Iterable[tuple[str, str, str]]
) -> None:
    """Write `licenses/` and README.txt for PyInstaller's lists of modules and files (name, source, kind) into `folder`.

    Raises LicenseError.
    """
    parts = Parts()
    for name, source, _ in modules:
        if source not in ("", "-"):  # a namespace package has no file
            parts.add(name.split(".")[0], Path(source), is_module=True)
    links = []
    for name, source, kind in files:
        if kind == "SYMLINK":
            links.append((Path(name), Path(name).parent / source))
        else:
            parts.add(Path(name).parts[0], Path(source))
    for link, target in links:
        parts.add_link(link.parts[0], target.parts[0])
    write(folder, readme, [parts.bootloader(), *parts.found.values()])


def write(folder: Path, readme: Path, parts: list[Part]) -> None:
    target = folder / "licenses"
    if target.exists():
        shutil.rmtree(target)
    listed = ["; What is in this bundle, and the licence of each part. The texts are in the folders of these names."]
    for part in sorted(parts, key=lambda part: part.name.lower()):
        if not part.texts:
            raise LicenseError(
                f"{part.name} has no licence file. An old pip without wheel drops it: install both again; else put one "
                f"into {OWN_TEXTS} and name it in licenses.py"
            )
        (target / part.name).mkdir(parents=True)
        for text in part.texts:
            shutil.copyfile(text, target / part.name / text.name)
        listed += [
            "",
            f"[{part.name}]",
            f"version = {part.version}",
            f"license = {part.license}",
            f"texts = {' '.join(sorted(text.name for text in part.texts))}",
            f"holds = {' '.join(sorted(part.holds))}",
        ]
    (target / "CONTENTS.txt").write_text("\n".join([*listed, ""]), encoding="utf-8")
    # The old Notepad of Windows needs a byte order mark for UTF-8, and CR LF.
    encoding = "utf-8-sig" if sys.platform == "win32" else "utf-8"
    (folder / "README.txt").write_text(readme.read_text(encoding="utf-8"), encoding=encoding)


class Parts:
    """Finds the parts that the files of a bundle belong to."""

    def __init__(self) -> None:
        self.found: dict[str, Part] = {}
        self._distributions: dict[Path, Distribution] = {}
        for known in distributions():
            for file in known.files or ():
                self._distributions.setdefault(Path(str(known.locate_file(file))).resolve(), known)

    def add(self, name: str, source: Path, is_module: bool = False) -> None:
        """Note that the bundle has a file or module made from `source`."""
        known = self._distributions.get(source.resolve())
        if known is not None:
            part = self._part(known.name, lambda: of_distribution(known))
        elif is_of_python(source):
            part = self._part("Python", of_python)
            if is_module:
                return  # the standard library's modules need no list
        else:
            package = debian_package(source)
            part = self._part(package, lambda: of_debian(package))
        part.holds.add(name)

    def add_link(self, name: str, target: str) -> None:
        """Note that `name` in the bundle is a link to `target` in it."""
        for part in self.found.values():
            if target in part.holds:
                part.holds.add(name)

    def bootloader(self) -> Part:
        part = of_distribution(distribution("pyinstaller"))
        part.holds = {"the executable's loader"}
        return part

    def _part(self, name: str, make: Callable[[], Part]) -> Part:
        if name not in self.found:
            self.found[name] = make()
        return self.found[name]


def of_distribution(known: Distribution) -> Part:
    texts = [OWN_TEXTS / name for name in TEXTS_BY_HAND.get(known.name, [])]
    for file in known.files or ():
        # License files are in *.dist-info/ or *.dist-info/licenses/. Old metadata does not list them as License-File.
        if file.parts[0].endswith(".dist-info") and IS_LICENSE.match(file.name):
            texts.append(Path(str(known.locate_file(file))))
    fields = known.metadata
    [name, *_] = fields.get_all("License-Expression") or fields.get_all("License") or [""]
    if not name or "\n" in name:
        classifiers = fields.get_all("Classifier") or []
        name = ", ".join(text.split(" :: ")[-1] for text in classifiers if text.startswith("License ::")) or SEE_TEXT
    return Part(known.name, known.version, name, texts)


def is_of_python(source: Path) -> bool:
    """Whether the file came with the Python that runs this."""
    if source.name == "base_library.zip":  # PyInstaller makes it from the standard library
        return True
    folders = [sysconfig.get_path("stdlib"), sysconfig.get_path("platstdlib")]
    if sys.base_prefix not in ("/usr", "/usr/local"):  # the system's own libraries are there as well
        folders.append(sys.base_prefix)
    resolved = source.resolve()
    if "site-packages" in resolved.parts:
        return False
    inside = any(resolved.is_relative_to(Path(folder).resolve()) for folder in folders)
    return inside or re.match(r"(libpython|python)3", source.name) is not None


def of_python() -> Part:
    places = [Path(sysconfig.get_path("stdlib")) / "LICENSE.txt", Path(sys.base_prefix) / "LICENSE.txt"]
    texts = [place for place in places if place.exists()][:1]
    if not texts:
        raise LicenseError(f"Python's licence is not at {' or '.join(map(str, places))}")
    return Part("Python", platform.python_version(), "PSF-2.0", [*texts, *(OWN_TEXTS / name for name in PYTHON_TEXTS)])


def debian_package(library: Path) -> str:
    """The Debian package of a shared library. Raises LicenseError."""
    # dpkg knows a file by the path of its installation, which may date from before /lib became a link to /usr/lib.
    paths = {library, library.resolve()}
    paths |= {Path("/", *path.parts[2:]) for path in paths if path.parts[1:2] == ("usr",)}
    for path in sorted(paths):
        try:
            answer = subprocess.run(["dpkg-query", "--search", path], capture_output=True, text=True)
        except FileNotFoundError:
            break
        if answer.returncode == 0:
            return answer.stdout.split(":")[0]
    raise LicenseError(f"{library} belongs to no installed distribution or package: which licence is it under?")


def of_debian(package: str) -> Part:
    version = subprocess.run(
        ["dpkg-query", "--show", "--showformat=${Version}\n", package], capture_output=True, text=True, check=True
    ).stdout.split()[0]
    text = Path("/usr/share/doc") / package / "copyright"
    # Debian's copyright files only name the long licences.
    named = set(re.findall(r"/usr/share/common-licenses/([\w.-]*\w)", text.read_text(encoding="utf-8")))
    common = [Path("/usr/share/common-licenses") / name for name in named]
    return Part(package, version, SEE_TEXT, [text, *(path for path in common if path.exists())])
