"""The rules of Junqi (军棋), written slowly and plainly from docs/junqi-rules.md and docs/junqi-line-protocol.md (JLP).

It is the test oracle for the fast implementation and shares nothing with it. Variants: ``siguo`` (four seats, 129
points) and ``duel`` (two seats, 60 points). Squares, letters, lineups and tails of lines are JLP's.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

SEATS = {"siguo": 4, "duel": 2}
ROWS = 6  # of a home, 0 front ... 5 back
COLUMNS = 5  # of a home, 0 ... 4 from left to right as its owner looks at the centre
RANKED = "123456789"  # 1 工兵 (engineer) ... 9 司令
PIECE_COUNTS = {
    "9": 1,
    "8": 1,
    "7": 2,
    "6": 2,
    "5": 2,
    "4": 2,
    "3": 3,
    "2": 3,
    "1": 3,
    "B": 2,
    "M": 3,
    "F": 1,
}
ORTHOGONAL = ((1, 0), (-1, 0), (0, 1), (0, -1))
DIAGONAL = ((1, 1), (1, -1), (-1, 1), (-1, -1))
LEAVE_REASONS = ("resign", "illegal", "exit", "time")


class Point(NamedTuple):
    """One point of the board. ``x`` counts the files from 0 (file a), ``y`` is the rank (from 1).

    ``seat`` is the owner of the home it lies in, ``row`` and ``column`` are as in docs/junqi-rules.md, "Board"
    (r and f there). A centre point has seat, row and column -1.
    """

    x: int
    y: int
    seat: int
    row: int
    column: int

    @property
    def name(self) -> str:
        """JLP 2: the file's letter and the rank's number."""
        return "abcdefghijklmnopq"[self.x] + str(self.y)

    @property
    def is_centre(self) -> bool:
        return self.seat == -1

    @property
    def is_camp(self) -> bool:
        """docs/junqi-rules.md, "Board": camps are i = 6, 8, 12, 16, 18 of each home."""
        return (self.row, self.column) in ((1, 1), (1, 3), (2, 2), (3, 1), (3, 3))

    @property
    def is_headquarters(self) -> bool:
        """docs/junqi-rules.md, "Board": headquarters are i = 26, 28 of each home."""
        return (self.row, self.column) in ((5, 1), (5, 3))

    @property
    def is_rail(self) -> bool:
        """docs/junqi-rules.md, "Board": r = 0 or 4; f = 0 or 4 for r <= 4; the centre. Row 5 is off the rails."""
        if self.is_centre:
            return True
        return self.row in (0, 4) or (self.column in (0, 4) and self.row <= 4)


def names(points: Iterable[Point]) -> list[str]:
    """Their names, in the same order."""
    return [point.name for point in points]


def home_point(variant: str, seat: int, row: int, column: int) -> Point:
    """Where a home's row and column lie. JLP 2 gives each home's files and ranks, and the front's side.

    Row 0 is the front, and column 0 is at the owner's left hand as it looks at the centre (docs/junqi-rules.md).
    """
    if variant == "duel":
        if seat == 0:
            return Point(column, 6 - row, seat, row, column)  # files a-e, ranks 1-6, front rank 6
        return Point(4 - column, 7 + row, seat, row, column)  # ranks 7-12, front rank 7, column 0 is file e
    if seat == 0:
        return Point(6 + column, 6 - row, seat, row, column)  # bottom: files g-k, front rank 6
    if seat == 1:
        return Point(11 + row, 7 + column, seat, row, column)  # right: ranks 7-11, front file l
    if seat == 2:
        return Point(10 - column, 12 + row, seat, row, column)  # top: files g-k, front rank 12
    return Point(5 - row, 11 - column, seat, row, column)  # left: ranks 7-11, front file f


def all_points(variant: str) -> list[Point]:
    """Every home point, and in ``siguo`` the nine centre points {g,i,k} x {7,9,11}."""
    points = [
        home_point(variant, seat, row, column)
        for seat in range(SEATS[variant])
        for row in range(ROWS)
        for column in range(COLUMNS)
    ]
    if variant == "siguo":
        points += [Point(x, y, -1, -1, -1) for x in (6, 8, 10) for y in (7, 9, 11)]
    return points


def curve_lines(variant: str) -> list[list[Point]]:
    """docs/junqi-rules.md, "Moves" 2: column f = 4 of seat s and column f = 0 of seat s + 1 are one line.

    They are joined front to front. The duel has no curves.
    """
    if variant == "duel":
        return []
    return [
        [home_point(variant, seat, row, 4) for row in (4, 3, 2, 1, 0)]
        + [home_point(variant, (seat + 1) % 4, row, 0) for row in (0, 1, 2, 3, 4)]
        for seat in range(4)
    ]


def lineup_is_legal(text: str) -> bool:
    """docs/junqi-rules.md, "Set-up", in JLP 2's notation.

    Pieces on the 25 points that are not camps, in the right numbers; the flag in a headquarters, mines in the two back
    rows, bombs not in the front row.
    """
    rows = text.split("/")
    if len(rows) != ROWS or any(len(row) != COLUMNS for row in rows):
        return False
    for r, row in enumerate(rows):
        for f, letter in enumerate(row):
            point = Point(0, 0, 0, r, f)  # only its place in the home matters here
            if (letter == ".") != point.is_camp:
                return False
            if letter == "F" and not point.is_headquarters:
                return False
            if letter == "M" and r not in (4, 5):
                return False
            if letter == "B" and r == 0:
                return False
    letters = text.replace("/", "").replace(".", "")
    return set(letters) <= set(PIECE_COUNTS) and all(letters.count(p) == n for p, n in PIECE_COUNTS.items())


def clash_result(attacker: str, defender: str) -> str:
    """docs/junqi-rules.md, "Clash": what happens when one piece attacks another."""
    if "B" in (attacker, defender):
        return "BOMB"  # also bomb on mine, and bomb on flag
    if defender == "F":
        return "EAT"
    if defender == "M":
        return "EAT" if attacker == "1" else "KILLED"
    if RANKED.index(attacker) == RANKED.index(defender):
        return "BOMB"
    return "EAT" if RANKED.index(attacker) > RANKED.index(defender) else "KILLED"


class Reference:
    """A game of Junqi from its lineups to its end."""

    def __init__(
        self,
        variant: str,
        lineups: Sequence[str],
        *,
        first: int = 0,
        quiet: int = 0,
        quietend: str = "draw",
        skips: int = 0,
        plies: int = 0,
    ) -> None:
        """JLP 4, ``newgame``: 0 means that there is no such rule."""
        if variant not in SEATS:
            raise ValueError(f"no such variant: {variant}")
        if quietend not in ("draw", "loss"):
            raise ValueError(f"no such quietend: {quietend}")
        self.variant = variant
        self.seats = SEATS[variant]
        if len(lineups) != self.seats:
            raise ValueError(f"{variant} needs {self.seats} lineups")
        if first not in range(self.seats):
            raise ValueError(f"no such seat: {first}")
        self.quiet_limit = quiet
        self.quietend = quietend
        self.skips_limit = skips
        self.plies_limit = plies

        self.points: dict[str, Point] = {point.name: point for point in all_points(variant)}
        self.by_coordinates: dict[tuple[int, int], Point] = {(p.x, p.y): p for p in self.points.values()}
        self.curves: list[list[Point]] = curve_lines(variant)
        # The board's shape does not change, so it is computed once per game. Keys are squares' names.
        self.camps = {square for square, point in self.points.items() if point.is_camp}
        self.headquarters = {square for square, point in self.points.items() if point.is_headquarters}
        self.steps_from = {square: names(self.steps(point)) for square, point in self.points.items()}
        rails = {square: point for square, point in self.points.items() if point.is_rail}
        self.lines_from = {square: list(map(names, self.plain_lines(point))) for square, point in rails.items()}
        self.rails_from = {square: names(self.rail_neighbours(point)) for square, point in rails.items()}
        self.board: dict[str, tuple[int, str]] = {}
        for seat, lineup in enumerate(lineups):
            if not lineup_is_legal(lineup):
                raise ValueError(f"not a legal lineup: {lineup}")
            for row, letters in enumerate(lineup.split("/")):
                for column, letter in enumerate(letters):
                    if letter != ".":
                        self.board[home_point(variant, seat, row, column).name] = (seat, letter)

        self.turn = first
        self.ply = 0
        self.quiet_count = 0
        self.skips_of = [0] * self.seats
        self.dead: set[int] = set()
        self.fallen: list[tuple[int, str]] = []  # (seat, reason), in the order in which the seats fell
        self.over: str | None = None

    # ---- the board's geometry -------------------------------------------------------------------------------------

    def point_at(self, x: int, y: int) -> Point | None:
        """The point with these coordinates, if there is one."""
        return self.by_coordinates.get((x, y))

    def joined(self, a: Point, b: Point) -> bool:
        """Whether two orthogonal neighbours are joined. Only the duel's mountains are not (b6-b7, d6-d7).

        docs/junqi-rules.md, "Two-player game": the homes are joined at columns f = 0, 2, 4 only.
        """
        if self.variant == "duel" and a.seat != b.seat:
            return a.column in (0, 2, 4)
        return True

    def steps(self, point: Point) -> Iterator[Point]:
        """docs/junqi-rules.md, "Moves" 1: the points one step away.

        Any orthogonal neighbour; a diagonal one only when one of the two points is a camp.
        """
        for dx, dy in ORTHOGONAL:
            other = self.point_at(point.x + dx, point.y + dy)
            if other is not None and self.joined(point, other):
                yield other
        for dx, dy in DIAGONAL:
            other = self.point_at(point.x + dx, point.y + dy)
            if other is not None and (point.is_camp or other.is_camp):
                yield other

    def next_on_rail(self, point: Point, dx: int, dy: int) -> Point | None:
        """docs/junqi-rules.md, "Moves" 2: the railway point next to a railway point, straight on in one direction.

        Orthogonal neighbours which are both railway, and centre points two apart.
        """
        other = self.point_at(point.x + dx, point.y + dy)
        if other is not None:
            return other if other.is_rail and self.joined(point, other) else None
        other = self.point_at(point.x + 2 * dx, point.y + 2 * dy)
        if other is not None and point.is_centre and other.is_centre:
            return other
        return None

    def straight_line(self, point: Point, dx: int, dy: int) -> list[Point]:
        """The railway points passed when running straight on from ``point``, nearest first."""
        line: list[Point] = []
        here = self.next_on_rail(point, dx, dy)
        while here is not None:
            line.append(here)
            here = self.next_on_rail(here, dx, dy)
        return line

    def plain_lines(self, point: Point) -> list[list[Point]]:
        """Every line that a plain piece can run along from this railway point, nearest points first."""
        lines = [self.straight_line(point, dx, dy) for dx, dy in ORTHOGONAL]
        for curve in self.curves:
            if point in curve:
                at = curve.index(point)
                lines.append(curve[at + 1 :])
                lines.append(curve[:at][::-1])
        return lines

    def rail_neighbours(self, point: Point) -> list[Point]:
        """The railway points next to this railway point, in any direction and round the corners of the curves."""
        return [line[0] for line in self.plain_lines(point) if line]

    # ---- moves ----------------------------------------------------------------------------------------------------

    def same_team(self, seat: int, other: int) -> bool:
        """JLP 2: {0,2} v {1,3}; in the duel each seat is a team."""
        return seat % 2 == other % 2

    def may_end_on(self, seat: int, square: str) -> bool:
        """docs/junqi-rules.md: on an empty point, or on an enemy that is not in a camp."""
        if square not in self.board:
            return True
        return not self.same_team(seat, self.board[square][0]) and square not in self.camps

    def targets(self, source: str) -> set[str]:
        """The squares to which the piece on ``source`` can move (docs/junqi-rules.md, "Moves")."""
        seat, letter = self.board[source]
        if letter in "MF":  # flag and mines never move
            return set()
        if source in self.headquarters:  # nothing that stands in a headquarters ever moves again
            return set()
        found = {square for square in self.steps_from[source] if self.may_end_on(seat, square)}
        if source in self.lines_from:
            found |= self.engineer_rail_targets(source) if letter == "1" else self.plain_rail_targets(source)
        return found

    def plain_rail_targets(self, source: str) -> set[str]:
        """Along one line over empty points, ending on an empty point or on an enemy."""
        seat = self.board[source][0]
        found: set[str] = set()
        for line in self.lines_from[source]:
            for square in line:
                if self.may_end_on(seat, square):
                    found.add(square)
                if square in self.board:  # no jumping
                    break
        return found

    def engineer_rail_targets(self, source: str) -> set[str]:
        """Any railway point reachable over empty railway points, turning anywhere; enemies only as the last point."""
        seat = self.board[source][0]
        found: set[str] = set()
        seen = {source}
        waiting = [source]
        while waiting:
            for square in self.rails_from[waiting.pop(0)]:
                if square in seen:
                    continue
                seen.add(square)
                if self.may_end_on(seat, square):
                    found.add(square)
                if square not in self.board:
                    waiting.append(square)
        return found

    def moves_of(self, seat: int) -> set[str]:
        """Every legal move of one seat, whoever is on turn."""
        return {
            source + target
            for source, (owner, _) in self.board.items()
            if owner == seat
            for target in self.targets(source)
        }

    def can_move(self, seat: int) -> bool:
        """Whether a seat has a legal move."""
        return any(owner == seat and self.targets(source) for source, (owner, _) in self.board.items())

    def legal_moves(self) -> set[str]:
        """Every legal move of the seat on turn; none when the game is over."""
        return set() if self.over is not None else self.moves_of(self.turn)

    # ---- plies ----------------------------------------------------------------------------------------------------

    def move(self, mv: str) -> str:
        """Play a legal move; the tail of JLP 4's ``moved`` line after MV."""
        match = re.fullmatch(r"([a-q][0-9]+)([a-q][0-9]+)", mv)
        source, target = match.groups() if match is not None else ("", "")
        if (
            self.over is not None
            or self.board.get(source, (None, ""))[0] != self.turn
            or target not in self.targets(source)
        ):
            raise ValueError(f"not a legal move: {mv}")
        mover, attacker = self.board[source]
        outs_before = len(self.fallen)
        shown_flags: list[tuple[int, str]] = []
        flag_seat: int | None = None  # the seat whose flag falls in this ply

        if target not in self.board:
            result = "MOVE"
            self.board[target] = self.board.pop(source)
        else:
            owner, defender = self.board[target]
            result = clash_result(attacker, defender)
            if attacker == "9" and result in ("KILLED", "BOMB"):
                shown_flags.append((mover, self.flag_square(mover)))
            if defender == "9" and result in ("EAT", "BOMB"):
                shown_flags.append((owner, self.flag_square(owner)))
            if defender == "F":
                flag_seat = owner
            piece = self.board.pop(source)
            if result == "EAT":
                self.board[target] = piece
            elif result == "BOMB":
                del self.board[target]

        self.ply += 1
        self.quiet_count = self.quiet_count + 1 if result == "MOVE" else 0
        if flag_seat is not None:
            self.kill(flag_seat, "flag")
        # JLP 4: "After every ply in which no team's last seat fell by flag, the living seats are tested".
        if flag_seat is None or self.team_lives(flag_seat):
            self.kill_seats_without_moves(mover)
        self.finish_ply(mover, moved=True)

        tail = result
        for seat, square in sorted(shown_flags):
            tail += f" flag {seat} {square}"
        for seat, reason in self.fallen[outs_before:]:
            tail += f" out {seat} {reason}"
        return tail

    def skip(self, kind: str) -> str:
        """The seat on turn does not move (``pass`` or ``time``); the tail of JLP 4's ``skipped`` line after SEAT."""
        if self.over is not None:
            raise ValueError("the game is over")
        if kind not in ("pass", "time"):
            raise ValueError(f"no such skip: {kind}")
        seat = self.turn
        self.ply += 1
        self.skips_of[seat] += 1
        tail = f"{self.skips_of[seat]} {kind}"
        if self.skips_limit and self.skips_of[seat] >= self.skips_limit:
            self.kill(seat, "skips")
            tail += f" out {seat} skips"
        self.finish_ply(seat, moved=False)
        return tail

    def leave(self, seat: int, reason: str) -> None:
        """JLP 4, ``left``: the seat on turn is out."""
        if self.over is not None:
            raise ValueError("the game is over")
        if seat != self.turn:
            raise ValueError(f"seat {seat} is not on turn")
        if reason not in LEAVE_REASONS:
            raise ValueError(f"no such reason: {reason}")
        self.ply += 1
        self.kill(seat, reason)
        self.finish_ply(seat, moved=False)

    # ---- deaths and the end ---------------------------------------------------------------------------------------

    def flag_square(self, seat: int) -> str:
        """Where a living seat's flag stands."""
        (square,) = (square for square, piece in self.board.items() if piece == (seat, "F"))
        return square

    def kill(self, seat: int, reason: str) -> None:
        """docs/junqi-rules.md, "End": the seat is dead, all its pieces vanish at once."""
        self.dead.add(seat)
        self.fallen.append((seat, reason))
        self.board = {square: piece for square, piece in self.board.items() if piece[0] != seat}

    def turn_order_from(self, seat: int) -> list[int]:
        """All seats in the order of play, beginning with ``seat``."""
        return [(seat + i) % self.seats for i in range(self.seats)]

    def kill_seats_without_moves(self, mover: int) -> None:
        """JLP 4, ``moved``: the living seats are tested one at a time, the mover first, then in turn order.

        The pieces of a seat without a legal move are gone before the next seat is tested.
        """
        for seat in self.turn_order_from(mover):
            if seat not in self.dead and not self.can_move(seat):
                self.kill(seat, "nomove")

    def team_seats(self, seat: int) -> list[int]:
        """The seats of this seat's team, dead ones included."""
        return [other for other in range(self.seats) if self.same_team(seat, other)]

    def team_lives(self, seat: int) -> bool:
        """Whether anyone of this seat's team is alive."""
        return any(other not in self.dead for other in self.team_seats(seat))

    def win_for_team_of(self, seat: int, reason: str) -> str:
        """JLP 4, ``gameover win S[,S] REASON``."""
        return f"win {','.join(str(other) for other in self.team_seats(seat))} {reason}"

    def finish_ply(self, seat: int, *, moved: bool) -> None:
        """Judge the end after a ply of ``seat``, and pass the turn on.

        JLP 4, ``gameover``: deaths are judged before ``quiet``, ``quiet`` before ``plies``. Only a moved ply can be
        the N-th quiet one. When the game is over the turn stays where it was.
        """
        first_lives = self.team_lives(0)
        second_lives = self.team_lives(1)
        if not first_lives and not second_lives:
            self.over = "draw nomove"
        elif not first_lives or not second_lives:
            loser, winner = (1, 0) if first_lives else (0, 1)
            reasons = [reason for fallen, reason in self.fallen if self.same_team(fallen, loser)]
            self.over = self.win_for_team_of(winner, reasons[-1])
        elif moved and self.quiet_limit and self.quiet_count >= self.quiet_limit:
            # `quietend loss`: the team that made the N-th quiet ply loses.
            self.over = "draw quiet" if self.quietend == "draw" else self.win_for_team_of(seat + 1, "quiet")
        elif self.plies_limit and self.ply >= self.plies_limit:
            self.over = "draw plies"
        else:
            after = [*self.turn_order_from(seat)[1:], seat]
            self.turn = next(other for other in after if other not in self.dead)
