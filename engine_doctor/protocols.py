"""The protocols that the doctor's hosts speak: how an engine is greeted in each, and what a speaker answers."""

from __future__ import annotations

import re

UCI, UCCI, GOMOCUP, JUNQI = "UCI", "UCCI", "Gomocup", "Junqi"

GREETINGS = {UCI: "uci", UCCI: "ucci", GOMOCUP: "START 15\nABOUT", JUNQI: "junqi 1"}
"""In the order in which an engine is asked."""
RECOGNISED = {
    UCI: re.compile(r"uciok\b|id name |option name "),
    UCCI: re.compile(r"ucciok\b|id name |option (?!name )\S+ type "),
    GOMOCUP: re.compile(r"[Oo][Kk]\b|.*\bname *= *\""),
    JUNQI: re.compile(r"junqiok\b|id name |option name "),
}
"""What an engine that speaks the protocol says to the greeting, if perhaps not all of it."""
