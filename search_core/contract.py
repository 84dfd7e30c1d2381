"""The contract of Game with the search in words. conformance.pyx checks it."""

from __future__ import annotations

CLAUSES = {
    "facts": "max_moves and history_slots are at least 1, and side is 0 or 1",
    "stages": "NOISY and QUIET share no move, no list has a move twice, and every move is from 1 to 2**20 - 1",
    "room": "generate() stays within max_moves, QUIET behind NOISY too, and order() and policy() within their moves",
    "order": "order() writes each move's history_slot(), and a score that leaves room for the histories",
    "policy": "policy() scores the moves in the range of order(), or says that it does not and leaves the scores",
    "slots": "history_slot() is at least 0 and below history_slots",
    "noisy": "noisy() is true of the moves of NOISY and of no move of QUIET",
    "pseudo_legal": "pseudo_legal() accepts every generated move, and no other that cannot be made and taken back",
    "make": "make() says the same whenever it is asked, and changes nothing when it refuses",
    "unmake": "unmake() restores everything",
    "chances": "a move has 1 to 16 outcomes, with chances above 0 that sum to 1, and it is said who knows them",
    "certain": "a certain move has the chance 1, and without has_chance every move is certain",
    "make_outcome": "make_outcome() plays all outcomes or none, the first as make() does; unmake() restores everything",
    "questions": "questions change nothing, and may come in any order",
    "gives_check": "gives_check() says what in_check() says after the move",
    "evasion": "a legal move that is not in EVASION loses, or one in it wins at once",
    "null": "unmake_null() restores everything, and a pass changes the key",
    "key": "key stands for the whole position, however it came about; a move changes it; its upper bits are well mixed",
    "evaluate": "evaluate() is between -20000 and 20000",
    "see_ge": "see_ge() is false above a threshold for which it is false",
    "outcome": "outcome() agrees with the result for Python",
    "legal_moves": "the legal moves for Python are those that make() plays",
    "count_legal": "count_legal() is -1 or the number of generated moves that make() plays",
    "copy": "a copy is equal, has the moves played, and is independent",
    "threads": "two threads on two copies do not disturb each other",
    "solver": "a solver restores the position, adds to the nodes, and names moves that can be played",
}
"""What check_game() checks: each clause's name, and the clause."""


class ContractBroken(AssertionError):
    """A game breaks a clause of its contract with the search.

    Attributes
    ----------
    clause : str
        The clause's name in CLAUSES.
    detail : str
        What was found.
    position : str
        The position, as far as the game can show it.
    moves : list of int
        The moves that led to it, from `start`; 2**20 is added for each outcome before the one that was played.
    start : str
        The position in which the random game began.
    """

    def __init__(self, clause: str, detail: str, position: str, moves: list[int], start: str) -> None:
        self.clause = clause
        self.detail = detail
        self.position = position
        self.moves = moves
        self.start = start
        super().__init__(
            f"{clause}: {detail}\nthe contract: {CLAUSES[clause]}\nposition: {position}\n"
            f"after the moves {' '.join(map(str, moves)) or '(none)'}\nfrom: {start}"
        )
