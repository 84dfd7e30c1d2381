"""What the installed distribution says about itself (`pip show sanqi`)."""

from __future__ import annotations

import re
from importlib.metadata import metadata

from search_core.version import __version__

METADATA = metadata("sanqi")


def test_pip_show_names_the_program_its_authors_and_its_licence() -> None:
    assert METADATA["Name"] == "sanqi"
    assert METADATA["Version"] == __version__
    assert METADATA["Summary"]
    assert METADATA["Author"] == "sanqi developers"
    assert METADATA["License-Expression"] == "GPL-3.0-or-later"


def test_an_index_finds_it_by_game_protocol_and_python() -> None:
    keywords = set(METADATA["Keywords"].split(","))
    assert {"xiangqi", "gomoku", "junqi", "ucci", "uci", "gomocup"} <= {keyword.strip() for keyword in keywords}
    classifiers = METADATA.get_all("Classifier") or []
    assert "Topic :: Games/Entertainment :: Board Games" in classifiers
    assert {f"Programming Language :: Python :: 3.{minor}" for minor in range(10, 15)} <= set(classifiers)
    assert {"Operating System :: Microsoft :: Windows", "Operating System :: MacOS"} <= set(classifiers)
    assert METADATA["Requires-Python"] == ">=3.10"


def test_the_index_links_to_the_project() -> None:
    urls = dict(line.split(", ") for line in METADATA.get_all("Project-URL") or [])
    assert {"Homepage", "Documentation", "Changelog", "Download", "Issues"} <= set(urls)
    assert all(url.startswith(urls["Homepage"]) for url in urls.values())
    description = METADATA["Description"]
    links = re.findall(r"\]\(([^)]+)\)", description)
    assert f"{urls['Homepage']}/blob/v{__version__}/docs/hosts.md" in links
    assert all(link.startswith("https://") for link in links)
    downloads = [link for link in links if "/releases/" in link]
    assert downloads
    assert all(link.startswith(f"{urls['Homepage']}/releases/latest/download/sanqi-") for link in downloads)
