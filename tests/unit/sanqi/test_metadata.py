"""What the installed distribution says about itself (`pip show sanqi`)."""

from __future__ import annotations

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
    assert "Programming Language :: Python :: 3.10" in classifiers
    assert METADATA["Requires-Python"] == ">=3.10"
