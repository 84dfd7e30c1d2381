"""The licences in a bundle match its contents: every part has one, and there are no others."""

from __future__ import annotations

import configparser
import importlib.util
import shutil
import sys
import zipfile
from pathlib import Path
from types import ModuleType

import pytest
from PyInstaller.archive.readers import CArchiveReader  # type: ignore[import-untyped]

CHECKOUT = Path(__file__).resolve().parent.parent.parent
SUFFIX = ".exe" if sys.platform == "win32" else ""
FOLDER = CHECKOUT / "dist" / "sanqi"
PACKAGE = CHECKOUT / "dist" / "pbrain-sanqi64.zip"


@pytest.fixture(scope="module", params=["folder", "gomocup"])
def executable(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    if request.param == "folder":
        if not FOLDER.exists():
            pytest.skip("dist/sanqi is not built; run: python build/bundle.py")
        return FOLDER / f"sanqi{SUFFIX}"
    if not PACKAGE.exists():
        pytest.skip(f"{PACKAGE.name} is not built; run: python build/bundle.py --gomocup")
    folder = tmp_path_factory.mktemp("gomocup")
    shutil.unpack_archive(PACKAGE, folder)
    return folder / f"pbrain-sanqi64{SUFFIX}"


@pytest.fixture(scope="module")
def contents(executable: Path) -> configparser.ConfigParser:
    parser = configparser.ConfigParser(interpolation=None)
    parser.read(executable.parent / "licenses" / "CONTENTS.txt", encoding="utf-8")
    return parser


def inside(executable: Path) -> set[str]:
    """What the bundle holds: the top-level modules in its archive that are not Python's own, and its library files."""
    modules = {
        name.split(".")[0]
        for archive in CArchiveReader(str(executable)).toc
        if archive.endswith(".pyz")
        for name in CArchiveReader(str(executable)).open_embedded_archive(archive).toc
    }
    assert modules
    return modules - set(sys.stdlib_module_names) | {path.name for path in (executable.parent / "_internal").iterdir()}


def test_every_part_is_listed_once_and_nothing_else(executable: Path, contents: configparser.ConfigParser) -> None:
    listed = [name for part in contents.sections() if part != "pyinstaller" for name in contents[part]["holds"].split()]
    assert sorted(listed) == sorted(inside(executable))


def test_every_part_has_its_texts_and_no_text_is_without_a_part(
    executable: Path, contents: configparser.ConfigParser
) -> None:
    folder = executable.parent / "licenses"
    named = {f"{part}/{text}" for part in contents.sections() for text in contents[part]["texts"].split()}
    files = {path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()}
    assert files == named | {"CONTENTS.txt"}
    assert all((folder / name).stat().st_size > 200 for name in named)
    assert all(contents[part]["version"] and contents[part]["license"] for part in contents.sections())
    assert {"sanqi", "Python", "pyinstaller"} <= set(contents.sections())
    license_text = (folder / "sanqi" / "LICENSE").read_text(encoding="utf-8")
    assert "GNU GENERAL PUBLIC LICENSE" in license_text and "Version 3" in license_text


def test_the_readme_names_the_program_and_the_licences(executable: Path) -> None:
    readme = (executable.parent / "README.txt").read_text(encoding="utf-8")
    assert executable.stem in readme
    assert "GNU General Public License" in readme
    assert "licenses/CONTENTS.txt" in readme
    assert max(map(len, readme.splitlines())) <= 80


def test_the_tournament_s_zip_has_one_program_at_its_top() -> None:
    if not PACKAGE.exists():
        pytest.skip(f"{PACKAGE.name} is not built; run: python build/bundle.py --gomocup")
    with zipfile.ZipFile(PACKAGE) as package:
        top = {name.split("/")[0] for name in package.namelist()}
    assert top == {f"pbrain-sanqi64{SUFFIX}", "_internal", "licenses", "README.txt"}


@pytest.fixture(scope="module")
def licenses() -> ModuleType:
    """The builder's own module."""
    spec = importlib.util.spec_from_file_location("bundle_licenses", CHECKOUT / "build" / "licenses.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


@pytest.mark.long
def test_a_file_of_unknown_origin_fails_the_build(licenses: ModuleType, tmp_path: Path) -> None:
    library = tmp_path / "libunknown.so.1"
    library.touch()
    with pytest.raises(licenses.LicenseError, match=r"libunknown\.so\.1 belongs to no installed"):
        licenses.write_licenses(tmp_path, CHECKOUT / "build/README-sanqi.txt", [], [(library.name, library, "BINARY")])


@pytest.mark.long
def test_a_part_without_a_licence_fails_the_build(
    licenses: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(licenses, "IS_LICENSE", licenses.re.compile("no such name"))
    with pytest.raises(licenses.LicenseError, match="pyinstaller has no licence file"):
        licenses.write_licenses(tmp_path, CHECKOUT / "build/README-sanqi.txt", [], [])
