"""The READMEs and the docs: options as the engine lists them, links with targets, both languages the same."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]
README = (ROOT / "README.md").read_text(encoding="utf-8")
CHINESE = (ROOT / "README.zh-CN.md").read_text(encoding="utf-8")
OPTIONS = (ROOT / "docs/ucci-and-uci.md").read_text(encoding="utf-8")
PAGES = (ROOT / "README.md", ROOT / "README.zh-CN.md", ROOT / "CONTRIBUTING.md", *(ROOT / "docs").glob("*.md"))

COLUMNS = {"ucci": 1, "uci": 2}
SAID_IN_TEXT = {"UCI_Variant", "SyzygyPath"}
WORDS = {"true": "on", "false": "off", "<empty>": "", None: ""}


def listed(protocol: str, folder: Path) -> dict[str, str]:
    """The options that the engine lists, with their defaults in the words of the table."""
    handshake = subprocess.run(
        [sys.executable, "-m", "sanqi", protocol],
        input=f"{protocol}\nquit\n",
        capture_output=True,
        text=True,
        cwd=folder,
        timeout=60,
        check=True,
    ).stdout
    options = {}
    for line in handshake.splitlines():
        option = re.fullmatch(r"option (?:name )?(.+?) type \w+(?:.*? default (\S+))?.*", line)
        if option:
            options[option[1]] = WORDS.get(option[2], option[2])
    assert options
    return options


def documented(protocol: str) -> dict[str, str]:
    """The options in the table of docs/ucci-and-uci.md, with their defaults."""
    table = OPTIONS.partition("\n## Options\n")[2].partition("\n## ")[0]
    rows = [[cell.strip() for cell in row.split("|")] for row in re.findall(r"^\|.*\|$", table, re.MULTILINE)[2:]]
    return {row[COLUMNS[protocol]].strip("`"): row[3] for row in rows if row[COLUMNS[protocol]]}


@pytest.mark.parametrize("protocol", COLUMNS)
def test_options_are_documented(protocol: str, tmp_path: Path) -> None:
    options = {name: default for name, default in listed(protocol, tmp_path).items() if name not in SAID_IN_TEXT}
    assert documented(protocol) == options


def test_options_said_in_text() -> None:
    for name in SAID_IN_TEXT:
        assert f"`{name}`" in OPTIONS


def code(text: str) -> list[str]:
    """The blocks of code and the code in lines, in their order."""
    blocks = re.findall(r"^```sh\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)
    return blocks + re.findall(r"`([^`\n]+)`", re.sub(r"^```.*?^```$", "", text, flags=re.MULTILINE | re.DOTALL))


def links(text: str) -> list[str]:
    return re.findall(r"\]\(([^)]+)\)", text)


def test_the_chinese_readme_names_the_same_commands_and_pages() -> None:
    assert code(CHINESE) == code(README)
    assert [link for link in links(CHINESE) if link != "README.md"] == [
        link for link in links(README) if link != "README.zh-CN.md"
    ]


def test_the_chinese_readme_has_the_same_figures() -> None:
    figures = re.compile(r"\| ([\d,]+ ms) \| (\d+) \| ([\d.]+ %) \|")
    assert figures.findall(README)
    assert figures.findall(CHINESE) == figures.findall(README)


def test_figures_of_strength_are_those_of_the_measurements() -> None:
    measured = (ROOT / "docs/measurements.md").read_text(encoding="utf-8")
    for score in re.findall(r"\| ([\d.]+ %) \|$", README, re.MULTILINE):
        assert score in measured


def test_downloads_are_those_of_the_project_s_releases() -> None:
    home = re.search(r"^\s+Homepage = (\S+)$", (ROOT / "setup.cfg").read_text(encoding="utf-8"), re.MULTILINE)
    assert home
    downloads = [
        link
        for page in PAGES
        for link in links(page.read_text(encoding="utf-8"))
        if "/releases/latest/download/" in link
    ]
    assert len(downloads) > 8
    made = (ROOT / ".github/workflows/release.yml").read_text(encoding="utf-8")
    for link in downloads:
        folder, _, file = link.rpartition("/")
        assert folder == f"{home[1]}/releases/latest/download"
        assert file.removesuffix(".zip") in made


def test_the_readme_is_short() -> None:
    assert len(README.split()) <= 900


def test_the_apt_lines_name_all_that_the_checks_install() -> None:
    lines = re.findall(r"^sudo apt install (.+)$", README, re.MULTILINE)
    assert "".join(f"sudo apt install {line}\n" for line in lines) in (ROOT / "CONTRIBUTING.md").read_text(
        encoding="utf-8"
    )
    checked = re.search(r"--no-install-recommends \\\n(.+?) >/dev/null", (ROOT / ".ci/run").read_text(), re.DOTALL)
    assert checked
    assert sorted(" ".join(lines).split()) == sorted(checked[1].replace("\\", "").split())


def test_links_have_targets() -> None:
    for page in PAGES:
        for target in re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", page.read_text(encoding="utf-8")):
            assert (page.parent / target).exists(), f"{page.name} links to {target}"


def test_the_architecture_names_each_module_of_the_page() -> None:
    """By its file, or by a class or function of it."""
    page = (ROOT / "docs/architecture.md").read_text(encoding="utf-8")
    section = page.partition("\n## Life of a game at the table\n")[2].partition("\n## ")[0]
    named = set(re.findall(r"`([\w/.]+)(?:\(\))?`", section))
    modules = [path for path in (ROOT / "web_board").glob("*.py") if path.name != "__init__.py"]
    assert modules
    for module in modules:
        parts = ast.parse(module.read_text(encoding="utf-8")).body
        names = {part.name for part in parts if isinstance(part, ast.ClassDef | ast.FunctionDef)}
        assert named & {module.name, f"web_board/{module.name}", *names}, f"{module.name} is not named"
