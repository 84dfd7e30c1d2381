"""Repetition and draws in Xiangqi, written slowly and plainly.

It is the test oracle for the fast implementation and shares nothing with it. The clauses named "Computer 1" to
"Computer 5" are those of `rule_judge`, `detect_chases` and `chased` in Pikafish at 97133eeb, in the order in which a
judge applies them:

- Computer 1: a position (board and side to move) that occurs for the third time is judged. The cycle is what was
  played since the second-last earlier occurrence, all without capture.
- Computer 2: a side checks always if each of its moves in the cycle gives check. One side only loses; both draw.
- Computer 3: otherwise a check by anybody in the cycle draws.
- Computer 4: a side chases a piece if each of its moves in the cycle attacks it newly. One side only loses.
- Computer 5: what "attacks" means; see `attacks_truly`.

"§" and "D" are sections and diagrams of the Asian rules (wxf.org/xq/rule/asia). Numbers such as "26.4" are of the
Chinese rules of 1999. A reading of our own is marked *own*.
"""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

RULE_SETS = ("Computer", "Asian", "Chinese", "Draw")
QUIET_LIMIT = 120  # plies
FREE_CHECKS_FROM = 11  # the eleventh check of a side and its later ones do not count for the quiet limit
CROSSERS = "rncp"  # the kinds that can cross the river

Square = tuple[int, int]  # file 0 ... 8 (a ... i), rank 0 ... 9 from Red's side


class Piece(NamedTuple):
    """A piece with its identity: `number` stays with it through all moves."""

    letter: str  # as in a FEN: upper case is Red
    number: int

    @property
    def red(self) -> bool:
        return self.letter.isupper()

    @property
    def kind(self) -> str:
        return self.letter.lower()


Board = dict[Square, Piece]


class Verdict(NamedTuple):
    """`result` is one of "ongoing", "draw", "red loses" and "black loses"; `reason` says why."""

    result: str
    reason: str = ""


class Ply(NamedTuple):
    """One move of a game and the position after it."""

    red: bool  # who moved
    before: Board
    after: Board
    captures: bool
    checks: bool


# ---------------------------------------------------------------- the board


def read_fen(fen: str) -> tuple[Board, bool, int]:
    """The board, whether Red is to move, and the plies without a capture so far."""
    fields = fen.split()
    board: Board = {}
    for index, row in enumerate(fields[0].split("/")):
        file = 0
        for letter in row:
            if letter.isdigit():
                file += int(letter)
            else:
                board[file, 9 - index] = Piece({"h": "n", "H": "N", "e": "b", "E": "B"}.get(letter, letter), len(board))
                file += 1
    quiet = int(fields[4]) if len(fields) > 4 else 0
    return board, len(fields) < 2 or fields[1] != "b", quiet


def read_move(text: str) -> tuple[Square, Square]:
    """A move such as "h2e2"; ranks count from 0."""
    return ("abcdefghi".index(text[0]), int(text[1])), ("abcdefghi".index(text[2]), int(text[3]))


def on_board(square: Square) -> bool:
    return 0 <= square[0] <= 8 and 0 <= square[1] <= 9


def in_palace(square: Square, red: bool) -> bool:
    return 3 <= square[0] <= 5 and (0 <= square[1] <= 2 if red else 7 <= square[1] <= 9)


def own_half(square: Square, red: bool) -> bool:
    return square[1] <= 4 if red else square[1] >= 5


def reached(board: Board, origin: Square) -> Iterator[Square]:
    """Where the piece on `origin` can go or capture, whoever stands there, without regard to the safety of its king."""
    piece = board[origin]
    x, y = origin
    if piece.kind in "rc":
        for dx, dy in ((1, 0), (-1, 0), (0, 1), (0, -1)):
            jumped = False
            square = (x + dx, y + dy)
            while on_board(square):
                if not jumped:
                    if square not in board:
                        yield square
                    elif piece.kind == "r":
                        yield square
                        break
                    else:
                        jumped = True
                elif square in board:
                    yield square
                    break
                square = (square[0] + dx, square[1] + dy)
    elif piece.kind == "n":
        for dx, dy in ((1, 2), (2, 1), (2, -1), (1, -2), (-1, -2), (-2, -1), (-2, 1), (-1, 2)):
            if leg(origin, (x + dx, y + dy)) not in board and on_board((x + dx, y + dy)):
                yield x + dx, y + dy
    elif piece.kind == "b":
        for dx, dy in ((2, 2), (2, -2), (-2, 2), (-2, -2)):
            square = (x + dx, y + dy)
            if on_board(square) and own_half(square, piece.red) and (x + dx // 2, y + dy // 2) not in board:
                yield square
    elif piece.kind == "a":
        for dx, dy in ((1, 1), (1, -1), (-1, 1), (-1, -1)):
            if in_palace((x + dx, y + dy), piece.red):
                yield x + dx, y + dy
    elif piece.kind == "k":
        for dx, dy in ((1, 0), (-1, 0), (0, 1), (0, -1)):
            if in_palace((x + dx, y + dy), piece.red):
                yield x + dx, y + dy
    else:
        steps = [(0, 1 if piece.red else -1)]
        if not own_half(origin, piece.red):
            steps += [(1, 0), (-1, 0)]
        for dx, dy in steps:
            if on_board((x + dx, y + dy)):
                yield x + dx, y + dy


def leg(origin: Square, target: Square) -> Square:
    """The point beside a horse on `origin` that must be empty for its move to `target`."""
    dx, dy = target[0] - origin[0], target[1] - origin[1]
    if abs(dx) == 2:
        return origin[0] + dx // 2, origin[1]
    return origin[0], origin[1] + dy // 2


def king_square(board: Board, red: bool) -> Square:
    return next(square for square, piece in board.items() if piece.kind == "k" and piece.red == red)


def kings_face(board: Board) -> bool:
    """Whether nothing stands between the kings on one file."""
    (x, low), (file, high) = king_square(board, True), king_square(board, False)
    return x == file and not any((x, y) in board for y in range(low + 1, high))


def checkers(board: Board, red: bool) -> list[Square]:
    """The enemy pieces that attack this side's king; the enemy's king where the kings face each other."""
    target = king_square(board, red)
    found = [
        square
        for square, piece in board.items()
        if piece.red != red and piece.kind != "k" and target in reached(board, square)
    ]
    return [*found, king_square(board, not red)] if kings_face(board) else found


def played(board: Board, origin: Square, target: Square) -> Board:
    """The board after a move."""
    after = dict(board)
    after[target] = after.pop(origin)
    return after


def is_legal(board: Board, origin: Square, target: Square) -> bool:
    """Whether the piece on `origin` may go to `target`: no own piece and no king is there, and its own king is safe."""
    piece = board[origin]
    if target not in reached(board, origin):
        return False
    if target in board and board[target].red == piece.red:
        return False
    if target in board and board[target].kind == "k":
        return False
    return not checkers(played(board, origin, target), piece.red)


def legal_moves(board: Board, red: bool) -> Iterator[tuple[Square, Square]]:
    for origin, piece in board.items():
        if piece.red == red:
            for target in reached(board, origin):
                if is_legal(board, origin, target):
                    yield origin, target


# ---------------------------------------------------------------- attacks


def pinners(board: Board, origin: Square) -> list[Square]:
    """The pieces that would give check if the piece on `origin` were taken off: what it shields its own king from."""
    red = board[origin].red
    without = {square: piece for square, piece in board.items() if square != origin}
    now = checkers(board, red)
    return [square for square in checkers(without, red) if square not in now]


def attacks_truly(board: Board, origin: Square, target: Square, rule_set: str) -> bool:
    """Computer 5, for an attacker of any kind: whether the piece on `origin` attacks the enemy piece on `target`.

    The capture leaves the own king safe (facing kings count); a piece that shields its own king attacks only what pins
    it; the target is no king and no pawn on its own half; and one of
    (a) horse or cannon attacks a rook (Asian §15, D18-D25; Chinese *own*, 24.3);
    (b) advisor or elephant attacks a rook, horse or cannon. Not in the Asian set, where it is disputed: *own*, after
    the wording of 3.6, which names horse and cannon only;
    (c) after the capture no legal recapture exists, and for equal kinds the target could not legally take the attacker.
    """
    attacker, victim = board[origin], board[target]
    if victim.red == attacker.red or victim.kind == "k":
        return False
    if victim.kind == "p" and own_half(target, victim.red):
        return False
    if not is_legal(board, origin, target):
        return False
    pinned_by = pinners(board, origin)
    if pinned_by and target not in pinned_by:
        return False
    if attacker.kind in "nc" and victim.kind == "r":
        return True
    if attacker.kind in "ab" and victim.kind in "rnc" and rule_set != "Asian":
        return True
    if can_recapture(played(board, origin, target), target, victim.red):
        return False
    return attacker.kind != victim.kind or not is_legal(board, target, origin)


def can_recapture(board: Board, target: Square, red: bool) -> bool:
    """Whether this side can legally take the piece that has just captured on `target` (D83-D85; Chinese 28.16)."""
    return any(piece.red == red and is_legal(board, origin, target) for origin, piece in board.items())


def attacked(board: Board, red: bool, rule_set: str, pawns_chase: bool = False) -> set[int]:
    """The numbers of the enemy pieces that this side attacks. Kings never chase, pawns only where 27.2 applies."""
    silent = "k" if pawns_chase else "kp"
    return {
        board[target].number
        for origin, piece in board.items()
        if piece.red == red and piece.kind not in silent
        for target in reached(board, origin)
        if target in board and attacks_truly(board, origin, target, rule_set)
    }


def newly_attacked(ply: Ply, rule_set: str, pawns_chase: bool = False) -> set[int]:
    """Computer 4: what is attacked after the move and was not attacked by the same side before it."""
    return attacked(ply.after, ply.red, rule_set, pawns_chase) - attacked(ply.before, ply.red, rule_set, pawns_chase)


def rooks_pinned_by_horses(board: Board, red: bool) -> set[int]:
    """The numbers of this side's rooks that stand on the leg of an enemy horse and so shield their king."""
    return {
        piece.number
        for square, piece in board.items()
        if piece.red == red and piece.kind == "r" and any(board[by].kind == "n" for by in pinners(board, square))
    }


def threatens_mate(board: Board, red: bool, depth: int) -> bool:
    """Whether this side, to move, can mate by checks in `depth` moves (Chinese, 28.2)."""
    for origin, target in legal_moves(board, red):
        after = played(board, origin, target)
        if checkers(after, not red):
            replies = [played(after, *reply) for reply in legal_moves(after, not red)]
            if not replies or (depth > 1 and all(threatens_mate(reply, red, depth - 1) for reply in replies)):
                return True
    return False


# ---------------------------------------------------------------- cycles


def always_check(cycle: Sequence[Ply]) -> set[bool]:
    """Computer 2: the sides (True is Red) each of whose moves in the cycle gives check."""
    return {red for red in (True, False) if all(ply.checks for ply in cycle if ply.red == red)}


def chased_by(cycle: Sequence[Ply], red: bool, rule_set: str) -> set[int]:
    """Computer 4: the pieces that each move of this side attacks newly."""
    return set.intersection(*(newly_attacked(ply, rule_set) for ply in cycle if ply.red == red))


def loser(losers: set[bool], reason: str) -> Verdict:
    """One side only: it loses. Both or neither: draw."""
    if len(losers) != 1:
        return Verdict("draw", "repetition")
    return Verdict("red loses" if True in losers else "black loses", reason)


def judge_computer(cycle: Sequence[Ply]) -> Verdict:
    """Computer 2 to 4."""
    checking = always_check(cycle)
    if checking:
        return loser(checking, "perpetual check")
    if any(ply.checks for ply in cycle):
        return Verdict("draw", "repetition")
    return loser({red for red in (True, False) if chased_by(cycle, red, "Computer")}, "perpetual chase")


def judge_asian(cycle: Sequence[Ply]) -> Verdict:
    """As Computer, with two differences.

    A side that checks in the cycle does not chase (§12, D13), but its opponent may still (§18, D37 and D38: the rook
    that chases a cannon loses though the cannon checks every other time). Where both chase, a side whose victim is a
    rook pinned by a horse loses (D39-D41); both of them draw.
    """
    checking = always_check(cycle)
    if checking:
        return loser(checking, "perpetual check")
    chasing: set[bool] = set()
    chasing_pinned: set[bool] = set()
    for red in (True, False):
        own = [ply for ply in cycle if ply.red == red]
        if any(ply.checks for ply in own):
            continue
        victims = chased_by(cycle, red, "Asian")
        if victims:
            chasing.add(red)
        if victims.intersection(*(rooks_pinned_by_horses(ply.after, not red) for ply in own)):
            chasing_pinned.add(red)
    if len(chasing) == 2:
        return loser(chasing_pinned, "perpetual chase of a pinned rook")
    return loser(chasing, "perpetual chase")


def judge_chinese(cycle: Sequence[Ply], threat_depth: int) -> Verdict:
    """Perpetual check first (24.1, 26.1). Then a side that attacks with every move loses against one that does not.

    A move attacks (打, 28.4) if it gives check, threatens mate or chases a piece or several (28.12); mixtures are
    forbidden as well (25.2). Attacks of kings and pawns are idle (27.1, 27.2), but if the opponent attacks with every
    move, those of pawns count (27.2, the mutual attack). Both attack always: draw (26.3).
    """
    checking = always_check(cycle)
    if checking:
        return loser(checking, "perpetual check")
    attacking = {red for red in (True, False) if attacks_always(cycle, red, threat_depth, pawns_chase=False)}
    if len(attacking) == 1:
        other = not next(iter(attacking))
        if attacks_always(cycle, other, threat_depth, pawns_chase=True):
            attacking.add(other)
    return loser(attacking, "perpetual attack")


def attacks_always(cycle: Sequence[Ply], red: bool, threat_depth: int, pawns_chase: bool) -> bool:
    """Whether each move of this side in the cycle is a check, a mate threat or a chase (25.2, 28.14)."""
    return all(
        ply.checks or threatens_mate(ply.after, red, threat_depth) or bool(newly_attacked(ply, "Chinese", pawns_chase))
        for ply in cycle
        if ply.red == red
    )


# ---------------------------------------------------------------- draws without repetition


def quiet_plies(plies: Sequence[Ply], start: int) -> int:
    """The counter of the quiet limit after these moves; `start` is the FEN's.

    It begins again with a capture. Each side's eleventh check after the last capture and its later ones do not count,
    nor do the replies to them.
    """
    count = start
    checks = {True: 0, False: 0}
    reply_is_free = False
    for ply in plies:
        if ply.captures:
            count, checks, reply_is_free = 0, {True: 0, False: 0}, False
            continue
        if ply.checks:
            checks[ply.red] += 1
        check_is_free = ply.checks and checks[ply.red] >= FREE_CHECKS_FROM
        if not (check_is_free or reply_is_free):
            count += 1
        reply_is_free = check_is_free
    return count


def is_material_draw(board: Board, red: bool, rule_set: str) -> bool:
    """No piece is left that can cross the river; in Computer also some endings with a cannon, or a cannon each.

    Those are the ones at the end of Pikafish's `rule_judge`, where it asks for a mate in one only in some of them.
    """
    letters = "".join(piece.letter for piece in board.values())
    crossers = sorted(letter for letter in letters if letter.lower() in CROSSERS)
    if not crossers:
        return True
    if rule_set != "Computer" or set(crossers) - {"C", "c"}:
        return False
    if len(crossers) == 1:
        cannon_red = crossers[0] == "C"
        own_advisors, own_elephants = ("A", "B") if cannon_red else ("a", "b")
        their_advisors = letters.count("a" if cannon_red else "A")
        has_elephants = own_elephants in letters
        if own_advisors in letters:
            return False
        if their_advisors == 0 or (their_advisors == 1 and not has_elephants):
            return True
        return (their_advisors == 1 or not has_elephants) and not mates_in_one(board, red)
    if crossers == ["C", "c"] and "A" not in letters and "a" not in letters:
        return "b" not in letters.lower() or not mates_in_one(board, red)
    return False


def mates_in_one(board: Board, red: bool) -> bool:
    """Whether a move leaves the opponent without a legal move."""
    return any(not any(legal_moves(played(board, *move), not red)) for move in legal_moves(board, red))


# ---------------------------------------------------------------- the judge


def play(fen: str, moves: Sequence[str]) -> tuple[list[Board], bool, int, list[Ply]]:
    """The positions, whether Red moved first, the FEN's counter, and the plies.

    Raises ValueError on an illegal move.
    """
    board, red, quiet = read_fen(fen)
    first = red
    boards, plies = [board], list[Ply]()
    for text in moves:
        origin, target = read_move(text)
        if origin not in board or board[origin].red != red or not is_legal(board, origin, target):
            raise ValueError(f"illegal move {text} after {len(plies)} plies of {fen}")
        after = played(board, origin, target)
        plies.append(Ply(red, board, after, target in board, bool(checkers(after, not red))))
        board, red = after, not red
        boards.append(board)
    return boards, first, quiet, plies


def letters_of(board: Board) -> dict[Square, str]:
    """The board without identities: like pieces may change places in a repetition."""
    return {square: piece.letter for square, piece in board.items()}


def find_cycle(boards: Sequence[Board], plies: Sequence[Ply]) -> list[Ply]:
    """Computer 1: the cycle, or nothing if the last position does not occur for the third time."""
    last = letters_of(boards[-1])
    earlier = 0
    for back in range(2, len(plies) + 1, 2):
        if plies[-back].captures or plies[1 - back].captures:
            break
        if letters_of(boards[-1 - back]) == last:
            earlier += 1
            if earlier == 2:
                return list(plies[-back:])
    return []


def judge(
    fen: str,
    moves: Sequence[str],
    rule_set: str,
    quiet_limit: int | None = QUIET_LIMIT,
    threat_depth: int = 1,
) -> Verdict:
    """The verdict on the position after the moves, each such as "h2e2".

    `quiet_limit` is in plies, None means none. `threat_depth` is that of mate threats in the Chinese set. The order is:
    mate and stalemate, repetition, quiet limit, material. Raises ValueError for an unknown rule set or an illegal move.
    """
    if rule_set not in RULE_SETS:
        raise ValueError(f"unknown rule set {rule_set}")
    boards, first, quiet, plies = play(fen, moves)
    board = boards[-1]
    red = first == (len(plies) % 2 == 0)
    if not any(legal_moves(board, red)):
        return Verdict("red loses" if red else "black loses", "mate" if checkers(board, red) else "stalemate")
    cycle = find_cycle(boards, plies)
    if cycle:
        if rule_set == "Computer":
            return judge_computer(cycle)
        if rule_set == "Asian":
            return judge_asian(cycle)
        if rule_set == "Chinese":
            return judge_chinese(cycle, threat_depth)
        return Verdict("draw", "repetition")
    if quiet_limit is not None and quiet_plies(plies, quiet) >= quiet_limit:
        return Verdict("draw", "quiet limit")
    if is_material_draw(board, red, rule_set):
        return Verdict("draw", "material")
    return Verdict("ongoing")
