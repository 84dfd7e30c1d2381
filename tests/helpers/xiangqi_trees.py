"""Games of Xiangqi with variations, for tests of the formats that hold them."""

from __future__ import annotations

import random

from ucci_engine.game_record import RESULTS, GameRecord, TreeBuilder
from ucci_engine.points import move_text


def outline(game: GameRecord) -> list[tuple[int, str, str]]:
    """The whole tree: ply, move and comment of each node."""
    return [(0, "", game.root.comment), *((ply, move_text(node.move), node.comment) for ply, node in game.walk())]


def random_tree(lottery: random.Random, fen: str, nodes: int) -> GameRecord:
    """A game with variations and comments at random, `nodes` moves at most."""
    tree = TreeBuilder(fen)
    for number in range(nodes):
        tree.back_to(lottery.choice([tree.ply, tree.ply, lottery.randrange(tree.ply + 1)]))
        known = [node.move for node in tree.path[-1].next]
        legal = [move for move in tree.position.legal_moves() if move not in known]
        if legal:
            tree.add(lottery.choice(legal)).comment = lottery.choice(["", "", f"第 {number} (?!)\n[x] $1;"])
    tree.path[0].comment = lottery.choice(["", "开始"])
    return GameRecord({"Red": "甲"}, fen, tree.path[0], lottery.choice(RESULTS))
