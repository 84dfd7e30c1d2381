"""Checks each sentence of why of Junqi on what a review's document says. Shares no code with what makes the sentences:
the rules are those of junqi_reference.py. A sentence of an unknown form is an error."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from tests.helpers.junqi_reference import Reference, clash_result

LETTERS = {
    "commander": "9",
    "general": "8",
    "division": "7",
    "brigade": "6",
    "regiment": "5",
    "battalion": "4",
    "company": "3",
    "platoon": "2",
    "engineer": "1",
    "bomb": "B",
    "mine": "M",
    "flag": "F",
}
ENDS = {"it takes": "EAT", "dies": "KILLED", "both die": "BOMB"}
_AT = r"(?P<at>[a-q]\d+)"
FORMS = {
    "better": rf"Better: the (?P<own>\w+) attacks {_AT}: (?P<ends>.+)",
    "attacks": rf"The (?P<own>\w+) attacks {_AT}: (?P<ends>.+)",
    "answers": rf"The piece on {_AT} can attack the (?P<own>\w+) then: (?P<ends>.+)",
    "takes": rf"In the line the piece on {_AT} takes the (?P<own>\w+) on (?P<on>[a-q]\d+)(?: with (?P<chance>.+ %))?",
}


def faults(game: Reference, ply: dict[str, Any]) -> list[str]:
    """The sentences that are not true, each with what is wrong. `game`: before the ply."""
    found = []
    for sentence in re.split(r"(?<=\.) ", ply["why"]):
        body = sentence.removesuffix(".")
        name, match = next(
            ((name, match) for name, form in FORMS.items() if (match := re.fullmatch(form, body))), ("", None)
        )
        if match is None:
            found.append(f"{sentence} [no known form]")
        elif not _CHECKS[name](game, ply, match.groupdict()):
            found.append(f"{sentence} [{name}]")
    return found


def _attacks(game: Reference, ply: dict[str, Any], words: dict[str, str], move: str = "") -> bool:
    origin, target = _split(move or ply["move"])
    (seat, own), (other, _) = game.board[origin], game.board[target]
    is_right = target == words["at"] and own == LETTERS[words["own"]] and not game.same_team(seat, other)
    return is_right and _are_odds(
        words["ends"], {kind: clash_result(own, kind) for kind in LETTERS.values()}, ply, target
    )


def _better(game: Reference, ply: dict[str, Any], words: dict[str, str]) -> bool:
    return _attacks(game, ply, words, ply["best"]["move"])


def _answers(game: Reference, ply: dict[str, Any], words: dict[str, str]) -> bool:
    origin, target = _split(ply["move"])
    seat, own = game.board[origin]
    other, _ = game.board[words["at"]]
    ends = {kind: clash_result(kind, own) for kind in LETTERS.values() if kind not in "MF"}
    is_right = own == LETTERS[words["own"]] and not game.same_team(seat, other)
    return is_right and _reaches(game, origin, target, words["at"]) and _are_odds(words["ends"], ends, ply, words["at"])


def _reaches(game: Reference, origin: str, target: str, attacker: str) -> bool:
    """Whether a piece can attack the one that has moved, as an engineer or another one."""
    board = dict(game.board)
    try:
        game.board[target] = game.board.pop(origin)
        for kind in "12":
            game.board[attacker] = (game.board[attacker][0], kind)
            if target in game.targets(attacker):
                return True
        return False
    finally:
        game.board = board


def _are_odds(text: str, ends: dict[str, str], ply: dict[str, Any], point: str) -> bool:
    """Whether the odds of an attack are those of the types that the piece on a point can have."""
    [types] = [piece["types"] for piece in ply["pieces"] if piece["point"] == point]
    said = dict(re.findall(r"(it takes|dies|both die|it is the flag) with ([^,]+)", text))
    flag = types.get("F", 0.0) if "it is the flag" in said else 0.0
    wanted = {"it is the flag": flag}
    for words, end in ENDS.items():
        wanted[words] = sum(chance for kind, chance in types.items() if ends.get(kind) == end)
    return all(_is_chance(said.get(words, "under 1 %"), chance) for words, chance in wanted.items())


def _is_chance(text: str, chance: float) -> bool:
    if text == "under 1 %":
        return chance < 0.006
    return chance > 0.994 if text == "over 99 %" else abs(int(text.removesuffix(" %")) / 100 - chance) < 0.0061


def _takes(game: Reference, ply: dict[str, Any], words: dict[str, str]) -> bool:
    """By the squares and the ends of the moves of the expected line alone."""
    seat, _ = game.board[_split(ply["move"])[0]]
    for captor, taken, on, end in _takings(ply):
        if (captor, on) != (words["at"], words["on"]):
            continue
        (other, _), (owner, letter) = game.board[captor], game.board[taken]
        is_flag = words["own"] == "flag"
        if game.same_team(seat, owner) and not game.same_team(seat, other) and letter == LETTERS[words["own"]]:
            return end == "takes" or is_flag
    return False


def _takings(ply: dict[str, Any]) -> Iterator[tuple[str, str, str, str]]:
    """Of each attack of the line: where its piece and the attacked one stood before the line, where it is, its end."""
    stood: dict[str, str] = {}
    line = ply["expected"]
    for move, end in zip(line["pv"], line["pvOutcomes"]):
        origin, target = _split(move)
        start = stood.pop(origin, origin)
        if end:
            yield start, stood.get(target, target), target, end
        if end in ("", "takes"):
            stood[target] = start


def _split(move: str) -> tuple[str, str]:
    origin, target = re.findall(r"[a-q]\d+", move)
    return origin, target


_CHECKS = {"better": _better, "attacks": _attacks, "answers": _answers, "takes": _takes}
