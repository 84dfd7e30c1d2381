"""What our HTML pages share: each is one file that loads no other file, and its content security policy allows only our
script. Text from outside is shown as text.

`data/page.html` is the frame of a page, `data/page.css` has the common styles, `data/board.js` and
`data/still_board.js` draw and play.
"""

from __future__ import annotations

import base64
import hashlib
import json
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from search_core.machine import now
from search_core.version import __version__

_DATA = Path(__file__).parent / "data"
BOARD_SCRIPTS = (_DATA / "board.js", _DATA / "still_board.js")
"""Draw and play the games of a page."""


def render(template: Path, scripts: Sequence[Path], contents: dict[str, Any]) -> str:
    """The page of a template with these variables. The template may extend page.html. The scripts run as one, in their
    order, if the variable `data` is not empty."""
    environment = Environment(
        loader=FileSystemLoader([template.parent, _DATA]),
        autoescape=True,
        undefined=StrictUndefined,
        finalize=shown,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    script = "\n".join(path.read_text(encoding="utf-8") for path in scripts)
    common = {
        "script": Markup(script),
        "script_hash": base64.b64encode(hashlib.sha256(script.encode()).digest()).decode("ascii"),
        "version": __version__,
        "written": now(),
    }
    return environment.get_template(template.name).render(common | contents)


def shown(value: object) -> object:
    """A value for the page. Names and details come from outside and may contain any character."""
    if not isinstance(value, str) or isinstance(value, Markup):
        return value
    return "".join(one if one.isprintable() else " " if one.isspace() else "\ufffd" for one in value)


def json_data(value: object) -> Markup:
    """A value for the script, also of dataclasses, as JSON that cannot close its HTML element."""
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"), default=asdict)
    return Markup(text.replace("&", "\\u0026").replace("<", "\\u003c").replace(">", "\\u003e"))
