#!/usr/bin/env python3
"""Checks that a tag, the version, the changelog and the project's address agree; with --notes, prints what the
changelog says of this version, for the page of the release.

Environment, as in .github/workflows/release.yml: GITHUB_REF is checked if it is a tag, ADDRESS if it is set.
"""

from __future__ import annotations

import os
import re
import runpy
import sys
from collections.abc import Iterator
from pathlib import Path

CHECKOUT = Path(__file__).resolve().parent.parent
VERSION = runpy.run_path(str(CHECKOUT / "search_core" / "version.py"))["__version__"]


def notes() -> str | None:
    """The section of this version in CHANGELOG.md, or None."""
    text = (CHECKOUT / "CHANGELOG.md").read_text(encoding="utf-8")
    section = re.search(
        rf"^## {re.escape(VERSION)} - \d{{4}}-\d\d-\d\d\n(.+?)(?=^## |\Z)", text, re.MULTILINE | re.DOTALL
    )
    return section[1].strip() if section else None


def faults() -> Iterator[str]:
    """What does not agree, one line each."""
    if notes() is None:
        yield f"CHANGELOG.md has no section `## {VERSION} - YYYY-MM-DD`"
    tag = os.environ.get("GITHUB_REF", "").partition("refs/tags/")[2]
    if tag and tag != f"v{VERSION}":
        yield f"the tag is {tag}, search_core/version.py says {VERSION}"
    address = os.environ.get("ADDRESS")
    config = (CHECKOUT / "setup.cfg").read_text(encoding="utf-8")
    home = re.search(r"Homepage = (\S+)", config)
    if home is None:
        yield "setup.cfg has no Homepage"
    elif address and address != home[1]:
        yield f"this is {address}, but setup.cfg, the READMEs and docs/windows.md name {home[1]}"


def main() -> int:
    found = list(faults())
    for fault in found:
        print(f"release_check.py: {fault}", file=sys.stderr)
    if not found and "--notes" in sys.argv[1:]:
        print(notes())
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
