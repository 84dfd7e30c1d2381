"""The protocols of the doctor's hosts: the greeting of each, and what an engine that speaks it answers."""

from __future__ import annotations

import re

UCI, UCCI, GOMOCUP, JUNQI = "UCI", "UCCI", "Gomocup", "Junqi"

GREETINGS = {UCI: "uci", UCCI: "ucci", GOMOCUP: "START 15\nABOUT", JUNQI: "junqi 1"}
"""In the order in which the doctor tries them."""
RECOGNISED = {
    UCI: re.compile(r"uciok\b|id name |option name "),
    UCCI: re.compile(r"ucciok\b|id name |option (?!name )\S+ type "),
    GOMOCUP: re.compile(r"[Oo][Kk]\b|.*\bname *= *\""),
    JUNQI: re.compile(r"junqiok\b|id name |option name "),
}
"""Lines that show that an engine speaks the protocol, even if its answer to the greeting is not complete."""
