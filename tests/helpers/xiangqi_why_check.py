"""Checks each sentence of why of Xiangqi on the lines it is about. Shares no code with what makes the sentences: the
rules are pyffish's, attacks are worked out here, slowly. A sentence of an unknown form is an error."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from copy import copy
from typing import NamedTuple

import pyffish

KINDS = {"rook": "r", "horse": "n", "elephant": "b", "advisor": "a", "king": "k", "cannon": "c", "pawn": "p"}
NUMBERS = {"a": 1, "an": 1, "two": 2, "three": 3, "four": 4, "five": 5}
_MOVE = r"(?P<kind>\w+) (?P<move>[a-i]\d-[a-i]\d)"
_ONE = r"the (?P<kind1>\w+) on (?P<square1>[a-i]\d)"
_TWO = r"the (?P<kind2>\w+) on (?P<square2>[a-i]\d)"
_THREE = r"the (?P<kind3>\w+) on (?P<square3>[a-i]\d)"
FORMS = {
    "mates": rf"(?P<side>\w+) mates in (?P<number>\d+), from {_MOVE}",
    "forced": rf"(?P<side>\w+) has a forced win in (?P<number>\d+), from {_MOVE}",
    "takes": rf"{_MOVE} takes the (?P<taken>\w+)",
    "unguards": rf"The move leaves {_ONE} without its guard",
    "leaves": rf"The move leaves {_ONE} attacked",
    "puts": r"The move puts the (?P<taken>\w+) where it can be taken",
    "opens": r"The move opens the line to it",
    "screens": r"The move gives the cannon a screen",
    "frees": r"The move frees the way of the (?P<taken>\w+)",
    "pins": rf"{_ONE} cannot take back on (?P<at>[a-i]\d), since its king would be in check",
    "pins_to": rf"{_ONE} pins {_TWO} to {_THREE}",
    "skewers": rf"{_MOVE} attacks {_ONE} and, behind it, {_TWO}",
    "forks": rf"{_MOVE} attacks (?P<all>the .+) at once",
    "traps": rf"{_MOVE} attacks {_ONE}, which has no safe move",
    "drives": rf"{_MOVE} attacks {_ONE}, the guard of {_TWO}",
    "attacks": rf"{_MOVE} attacks {_ONE}",
    "uncovers": rf"{_MOVE} opens the attack of {_ONE} on {_TWO}",
    "discovers": rf"{_MOVE} gives a discovered check by {_ONE}",
    "double": rf"{_MOVE} gives a double check",
    "threatens": rf"{_MOVE} threatens mate",
    "wins": r"(?P<side>\w+) wins (?P<won>.+?)(?: for (?P<paid>.+))? within (?P<plies>\w+) pl(?:y|ies)",
    "nothing": r"No side comes out a piece ahead",
}
_TIMED = r"(?:(?P<kind>\w+) (?P<move>[a-i]\d-[a-i]\d), )?(?P<when>then|later) (?P<rest>.+)"
_AFTER = rf"after {_MOVE} (?P<rest>the .+)"
_WITH = rf"with {_MOVE} (?P<rest>\w+ wins .+)"
VALUES = {"r": 9, "c": 4.5, "n": 4, "a": 2, "b": 2, "p": 1}


class Marked(NamedTuple):
    """A marked move, as the document of a review has it."""

    fen: str
    move: str
    reply: Sequence[str]
    better: Sequence[str]
    mate: int | None
    mate_after: int | None


class Board:
    """A position by pyffish."""

    def __init__(self, fen: str, moves: Sequence[str]) -> None:
        self.fen = pyffish.get_fen("xiangqi", fen, [fairy_move(move) for move in moves]) if moves else fen
        self.men: dict[tuple[int, int], str] = {}
        for row, text in enumerate(self.fen.split()[0].split("/")):
            file = 0
            for one in text:
                if one.isdigit():
                    file += int(one)
                else:
                    self.men[file, 9 - row] = one
                    file += 1

    def turned(self) -> Board:
        """The same with the other side to move."""
        placement, side, *rest = self.fen.split()
        return Board(" ".join((placement, "b" if side == "w" else "w", *rest)), ())

    def without(self, square: str) -> Board:
        """The same with one piece less, to ask what then is seen."""
        other = copy(self)
        other.men = {point: man for point, man in self.men.items() if point != _at(square)}
        return other

    def moves(self) -> list[str]:
        return [_ours(move) for move in pyffish.legal_moves("xiangqi", self.fen, [])]

    def after(self, move: str) -> Board:
        return Board(self.fen, [move])

    def is_mated(self) -> bool:
        return not self.moves() and pyffish.gives_check("xiangqi", self.fen, [])

    def kind(self, square: str) -> str:
        return self.men.get(_at(square), "").lower()

    def sees(self, one: str, other: str) -> bool:
        """Whether the piece on one point attacks or guards another, the king's safety aside."""
        (file, rank), (to_file, to_rank) = _at(one), _at(other)
        piece = self.men.get((file, rank))
        if piece is None or one == other:
            return False
        across, up = to_file - file, to_rank - rank
        ahead = 1 if piece.isupper() else -1
        home = to_rank < 5 if piece.isupper() else to_rank > 4
        in_palace = 3 <= to_file <= 5 and (to_rank < 3 if piece.isupper() else to_rank > 6)
        kind = piece.lower()
        if kind in "rc":
            return 0 in (across, up) and len(self.between(one, other)) == (kind == "c")
        if kind == "n":
            leg = (file + int(across / 2), rank + int(up / 2))
            return sorted((abs(across), abs(up))) == [1, 2] and leg not in self.men
        if kind == "b":
            eye = (file + across // 2, rank + up // 2)
            return abs(across) == abs(up) == 2 and home and eye not in self.men
        if kind == "a":
            return abs(across) == abs(up) == 1 and in_palace
        if kind == "k":
            return abs(across) + abs(up) == 1 and in_palace
        beyond = rank > 4 if piece.isupper() else rank < 5
        return (across, up) == (0, ahead) or (beyond and abs(across) == 1 and up == 0)

    def between(self, one: str, other: str) -> list[str]:
        """The occupied points between two of a line."""
        (file, rank), (to_file, to_rank) = _at(one), _at(other)
        if file != to_file and rank != to_rank:
            return []
        steps = max(abs(to_file - file), abs(to_rank - rank))
        step = ((to_file - file) // steps, (to_rank - rank) // steps) if steps else (0, 0)
        points = [(file + step[0] * n, rank + step[1] * n) for n in range(1, steps)]
        return ["abcdefghi"[x] + str(y) for x, y in points if (x, y) in self.men]

    def checkers(self) -> list[str]:
        """Which pieces give check to the side on turn."""
        is_red = self.fen.split()[1] == "w"
        king = next(point for point, piece in self.men.items() if piece == ("K" if is_red else "k"))
        squares = ["abcdefghi"[x] + str(y) for (x, y), piece in self.men.items() if piece.islower() == is_red]
        return [square for square in squares if self.sees(square, "abcdefghi"[king[0]] + str(king[1]))]


def faults(marked: Marked, text: str) -> list[str]:
    """The sentences that are not true, each with what is wrong."""
    found = []
    reader = _Reader(marked)
    for sentence in re.split(r"(?<=\.) ", text):
        fault = reader.fault(sentence.removesuffix("."))
        if fault:
            found.append(f"{sentence} [{fault}]")
    return found


class _Reader:
    """Reads the sentences of a mark one after the other, as a person does: which move is each about?

    A line begins with the reply, or with the better move. The first sentence of a line is about that move, unless it
    says `X, then Y` (the same side's next move) or `X, later Y`. Each further one is about the move that was named
    last, or it begins with `then` or `later`.
    """

    def __init__(self, marked: Marked) -> None:
        self._marked = marked
        self._is_better = False
        self._named: int | None = None
        """The index of the move that was named last in this line."""

    def fault(self, body: str) -> str:
        """What is wrong with a sentence; '': nothing."""
        if body.startswith("Better: "):
            if self._is_better:
                return "a second better line"
            self._is_better, self._named, body = True, None, body.removeprefix("Better: ")
        line = _Claim(self._marked, self._is_better, {}, -1)
        start = before = line.actor
        if self._named is not None:
            before = self._named
        indices: Sequence[int] = [before]
        timed = re.fullmatch(_TIMED, body, re.IGNORECASE)
        if timed:
            if (self._named is None) != (timed["move"] is not None):
                return "first move"
            if timed["move"] is not None and not line.is_move(start, timed["kind"], timed["move"]):
                return "not the first move"
            is_next = timed["when"].lower() == "then"
            indices = [before + 2] if is_next else range(before + 4, len(line.line), 2)
            body = timed["rest"]
        after, given = (re.fullmatch(form, body, re.IGNORECASE) for form in (_AFTER, _WITH))
        leading = after or given
        body = leading["rest"] if leading else body
        name, words = _form_of(body)
        if not name:
            return "no known form"
        is_of_position = name in ("pins", "pins_to")
        if bool(given) != (name == "wins" and self._is_better and self._named is None and not timed):
            return "with which move"
        if bool(after) != (is_of_position and (bool(timed) or self._named is None)):
            return "after which move"
        if leading:
            words |= {"kind": leading["kind"], "move": leading["move"]}
        if "move" not in words and not is_of_position:
            return name if timed or not self._is_true(name, words, -1) else ""
        for index in indices:
            if ("move" not in words or line.is_move(index, words["kind"], words["move"])) and self._is_true(
                name, words, index
            ):
                if name != "wins":
                    self._named = index
                return ""
        return name

    def _is_true(self, name: str, words: dict[str, str], index: int) -> bool:
        try:
            return _Claim(self._marked, self._is_better, words, index).holds(name)
        except (KeyError, IndexError, StopIteration, ValueError):
            return False


def _form_of(body: str) -> tuple[str, dict[str, str]]:
    """The form of a sentence and its words; '': none is known."""
    for name, form in FORMS.items():
        match = re.fullmatch(form, body, re.IGNORECASE)
        if match:
            return name, {key: word for key, word in match.groupdict().items() if word is not None}
    return "", {}


class _Claim:
    """What one sentence says of the move of an index, or of the line that it is about (-1)."""

    def __init__(self, marked: Marked, is_better: bool, words: dict[str, str], index: int) -> None:
        self.marked, self.is_better = marked, is_better
        self.words, self.index = words, index
        self.line = list(marked.better) if is_better else [marked.move, *marked.reply]
        self.boards = [Board(marked.fen, self.line[:ply]) for ply in range(len(self.line) + 1)]
        self.actor = 0 if is_better else 1
        """The index of the line's first move; its parity is that of the moves of the side that gains."""

    def is_move(self, index: int, kind: str, move: str) -> bool:
        """Whether the line's move of an index is this one, by a piece of this kind."""
        is_in_line = self.actor <= index < len(self.line) and self.line[index] == move.replace("-", "")
        return is_in_line and self.boards[index].kind(move[:2]) == KINDS.get(kind.lower())

    def holds(self, name: str) -> bool:
        for number in "12":
            if f"square{number}" in self.words and name not in ("unguards", "leaves", "pins", "pins_to"):
                after = self.boards[self.index + 1]
                if after.kind(self.words[f"square{number}"]) != KINDS[self.words[f"kind{number}"]]:
                    return False
        return bool(getattr(self, f"_{name}")())

    @property
    def to(self) -> str:
        return self.words["move"][3:]

    def _side(self, of: int) -> str:
        is_red = (self.marked.fen.split()[1] == "w") == (of == 0)
        return "Red" if is_red else "Black"

    def _is_lost(self, square: str, start: int) -> bool:
        """Whether the piece that stands there after the move of index `start` is taken later in the line."""
        for move in self.line[start + 1 :]:
            if move[2:] == square:
                return True
            if move[:2] == square:
                square = move[2:]
        return False

    def _mates(self) -> bool:
        moves = len(self.line) - self.index
        is_right = moves == 2 * int(self.words["number"]) - 1 and self.index == self.actor
        return is_right and self.words["side"] == self._side(self.actor) and self.boards[-1].is_mated()

    def _forced(self) -> bool:
        mate = self.marked.mate if self.is_better else -(self.marked.mate_after or 0)
        return mate == int(self.words["number"]) and self.words["side"] == self._side(self.actor)

    def _takes(self) -> bool:
        return self.boards[self.index].kind(self.to) == KINDS[self.words["taken"]]

    def _unguards(self) -> bool:
        before, after = self.boards[:2]
        square, move = self.words["square1"], self.line[0]
        is_piece = after.kind(square) == KINDS[self.words["kind1"]]
        is_own = is_piece and after.men[_at(square)].isupper() == after.men[_at(move[2:])].isupper()
        return (
            is_own and before.sees(move[:2], square) and not after.sees(move[2:], square) and self._is_lost(square, 0)
        )

    def _leaves(self) -> bool:
        before, after = self.boards[:2]
        square, captor = self.words["square1"], self.line[1][:2]
        is_piece = after.kind(square) == before.kind(square) == KINDS[self.words["kind1"]]
        return is_piece and self.line[1][2:] == square and before.sees(captor, square) and after.sees(captor, square)

    def _puts(self) -> bool:
        return (
            self.line[1][2:] == self.line[0][2:] and self.boards[1].kind(self.line[0][2:]) == KINDS[self.words["taken"]]
        )

    def _opened(self) -> bool:
        captor, target = self.line[1][:2], self.line[1][2:]
        return self.boards[1].sees(captor, target) and not self.boards[0].sees(captor, target)

    def _opens(self) -> bool:
        return self._opened() and self.line[0][:2] in self.boards[0].between(self.line[1][:2], self.line[1][2:])

    def _screens(self) -> bool:
        captor, target = self.line[1][:2], self.line[1][2:]
        is_cannon = self.boards[1].kind(captor) == "c"
        return is_cannon and self._opened() and self.boards[1].between(captor, target) == [self.line[0][2:]]

    def _frees(self) -> bool:
        return self._opened() and self.boards[1].kind(self.line[1][:2]) == KINDS[self.words["taken"]]

    def _pins(self) -> bool:
        square, at = self.words["square1"], self.words["at"]
        after = self.boards[self.index + 1]
        is_capture = self.line[self.index][2:] == at and self.boards[self.index].kind(at) != ""
        is_piece = after.kind(square) == KINDS[self.words["kind1"].lower()]
        return is_capture and is_piece and after.sees(square, at) and f"{square}{at}" not in after.moves()

    def _pins_to(self) -> bool:
        """The pinned piece is taken later."""
        squares = [self.words[f"square{number}"] for number in "123"]
        kinds = [KINDS[self.words[f"kind{number}"].lower()] for number in "123"]
        after = self.boards[self.index + 1]
        if [after.kind(square) for square in squares] != kinds or not self._is_lost(squares[1], self.index):
            return False
        pinner, pinned, behind = (after.men[_at(square)] for square in squares)
        left = after.without(squares[1])
        is_opened = left.sees(squares[0], squares[2]) and not after.sees(squares[0], squares[2])
        is_between = squares[1] in after.between(squares[0], squares[2])
        is_worth = behind.lower() == "k" or VALUES[behind.lower()] > VALUES[pinned.lower()]
        is_enemy = pinner.isupper() != pinned.isupper() == behind.isupper()
        return is_opened and is_between and is_worth and is_enemy

    def _attacked(self) -> bool:
        return self.boards[self.index + 1].sees(self.to, self.words["square1"])

    def _attacks(self) -> bool:
        return self._attacked() and self._is_lost(self.words["square1"], self.index)

    def _traps(self) -> bool:
        after, square = self.boards[self.index + 1], self.words["square1"]
        ways = [move for move in after.moves() if move[:2] == square]
        is_trapped = all(any(reply[2:] == move[2:] for reply in after.after(move).moves()) for move in ways)
        return is_trapped and self._attacks()

    def _drives(self) -> bool:
        is_guard = self.boards[self.index + 1].sees(self.words["square1"], self.words["square2"])
        leaves, takes = self.line[self.index + 1 : self.index + 3]
        return (
            self._attacked() and is_guard and (leaves[:2], takes[2:]) == (self.words["square1"], self.words["square2"])
        )

    def _forks(self) -> bool:
        after = self.boards[self.index + 1]
        pieces = re.findall(r"the (\w+) on ([a-i]\d)", self.words["all"])
        is_fork = all(after.kind(square) == KINDS[kind] and after.sees(self.to, square) for kind, square in pieces)
        return len(pieces) > 1 and is_fork and any(self._is_lost(square, self.index) for _, square in pieces)

    def _skewers(self) -> bool:
        after, front, rear = self.boards[self.index + 1], self.words["square1"], self.words["square2"]
        return self._attacked() and front in after.between(self.to, rear) and self._is_lost(rear, self.index)

    def _uncovers(self) -> bool:
        one, other = self.words["square1"], self.words["square2"]
        before, after = self.boards[self.index : self.index + 2]
        return after.sees(one, other) and not before.sees(one, other) and self._is_lost(other, self.index)

    def _discovers(self) -> bool:
        """The piece sees the king without the one that moved, and did not see it before."""
        square, before, after = self.words["square1"], *self.boards[self.index : self.index + 2]
        if square == self.to or square not in after.checkers():
            return False
        mover = before.men[_at(self.line[self.index][:2])]
        king = next(point for point, piece in before.men.items() if piece == ("k" if mover.isupper() else "K"))
        there = "abcdefghi"[king[0]] + str(king[1])
        return before.without(self.line[self.index][:2]).sees(square, there) and not before.sees(square, there)

    def _double(self) -> bool:
        return len(self.boards[self.index + 1].checkers()) > 1

    def _threatens(self) -> bool:
        turned = self.boards[self.index + 1].turned()
        return any(turned.after(move).is_mated() for move in turned.moves())

    def _balance(self, plies: int) -> tuple[Counter[str], Counter[str]]:
        """What each side has taken: first the one that gains."""
        taken: tuple[Counter[str], Counter[str]] = Counter(), Counter()
        for index, move in enumerate(self.line[:plies]):
            kind = self.boards[index].kind(move[2:])
            if kind:
                taken[index % 2 != self.actor][kind] += 1
        return taken[0] - taken[1], taken[1] - taken[0]

    def _wins(self) -> bool:
        plies = 1 if self.words["plies"] == "one" else int(self.words["plies"])
        plies += not self.is_better
        is_retaken = plies < len(self.line) and self.line[plies][2:] == self.line[plies - 1][2:]
        wanted = _counted(self.words["won"]), _counted(self.words.get("paid", ""))
        return not is_retaken and self.words["side"] == self._side(self.actor) and self._balance(plies) == wanted

    def _nothing(self) -> bool:
        better = _Claim(self.marked, True, {}, -1)
        return all(abs(claim._worth(len(claim.line))) < 2 for claim in (self, better))

    def _worth(self, plies: int) -> float:
        won, paid = self._balance(plies)
        return sum(VALUES[kind] * n for kind, n in won.items()) - sum(VALUES[kind] * n for kind, n in paid.items())


def _counted(text: str) -> Counter[str]:
    parts = re.findall(r"(\w+) (\w+?)s?(?=,| and |$)", text)
    return Counter({KINDS[kind]: NUMBERS[number] for number, kind in parts})


def _at(square: str) -> tuple[int, int]:
    return ord(square[0]) - ord("a"), int(square[1])


def fairy_move(move: str) -> str:
    return f"{move[0]}{int(move[1]) + 1}{move[2]}{int(move[3]) + 1}"


def _ours(move: str) -> str:
    match = re.fullmatch(r"([a-i])(\d+)([a-i])(\d+)", move)
    assert match is not None
    return f"{match[1]}{int(match[2]) - 1}{match[3]}{int(match[4]) - 1}"
