"""The words of the Gomocup protocol and of Yixin: which begin a block, which wait for a search, which end a game.

Imported before the first answer is given: it must stay light.
"""

from __future__ import annotations

from gomoku_protocol.points import MAX_SIZE

NEW_GAME = frozenset(("start", "rectstart", "restart"))
"""These end a game, and what is thought about it."""
# Of the database of Yixin and Rapfi, which is not kept here.
DATABASE_BLOCKS = frozenset(
    (
        "yxquerydatabaseall",
        "yxquerydatabaseone",
        "yxquerydatabasetext",
        "yxquerydatabaseallt",
        "yxedittvddatabase",
        "yxedittextdatabase",
        "yxeditlabeldatabase",
        "yxdeletedatabaseone",
        "yxdeletedatabaseall",
        "yxsetbestmovedatabase",
        "yxclearbestmovedatabase",
    )
)
NO_DATABASE = "there is no database"
# The name of a file follows, in Yixin-Board on the next line.
FILE_WORDS = dict.fromkeys(
    ("yxsetdatabase", "yxdbtopos", "yxdbtotxt", "yxdbtotxtall", "yxtxttodb", "yxlibtodb", "yxdbtolib"), NO_DATABASE
) | dict.fromkeys(("yxhashdump", "yxhashload"), "the hash table is not kept in files")
# Lines up to DONE belong to these.
STEP_BLOCKS = frozenset(f"yxsoosorvstep{step}" for step in range(2, 7))
BLOCKS = frozenset(("board", "yxboard", "swap2board", "yxblock", "yxblockundo")) | STEP_BLOCKS | DATABASE_BLOCKS
STEPS = frozenset(("yxswap2step1", "yxswap2step2", "yxswap2step3", "yxsoosorvstep1"))  # of one line
ANALYSES = frozenset(("yxnbest", "yxsearchdefend", "yxbalanceone", "yxbalancetwo"))
WAITING = (
    (BLOCKS - DATABASE_BLOCKS)
    | STEPS
    | ANALYSES
    | {"begin", "turn", "takeback", "play", "yxblockreset", "yxshowforbid", "yxhashclear"}
)
WANT_A_MOVE = frozenset(("begin", "turn", "board", "swap2board"))
"""These run the clock of a turn."""
OWED_A_MOVE = ANALYSES | {"begin", "turn", "done"}


class Block:
    """A command of several lines, until its DONE."""

    def __init__(self, word: str, rest: str) -> None:
        self.word = word
        self.rest = rest
        """What follows the word on its line."""
        self.lines: list[str] = []
        self.fault = ""
        """What is wrong with a line that was dropped."""

    def add(self, line: str) -> None:
        """One more line; more of them than a board has points are wrong anyway and not kept."""
        if len(self.lines) <= MAX_SIZE * MAX_SIZE:
            self.lines.append(line)
