"""A compiled Junqi player that looks one ply ahead, and whole games of it against itself.

It needs a few microseconds a ply. So it can rate lineups and weights by thousands of games, and make games to fit an
evaluation to. A team is one mind and sees both its lineups; of the enemies it knows what facts.pyx concludes.
"""

from typing import NamedTuple

from libc.stdint cimport uint8_t, uint16_t, uint32_t, uint64_t
from libc.stdlib cimport calloc, free
from libc.string cimport memset

from junqi_protocol.rules cimport board as rules
from junqi_protocol.rules.board cimport (
    ARMY_SIZE, CAMP, EAT, ENGINEER, FLAG, GOES_ON, HEADQUARTERS, HOME, KILLED, MAX_MOVES, MINE, MOVE, POINTS, SEATS,
    TEAM_0_WON, TEAM_1_WON, UNKNOWN, WORTH, Board, Geometry, Line, seat_of, turns_on_rails,
)
from sanqi_training.facts cimport ROW, Army, Facts, begin_facts, dot, may_begin, note_move
from search_core.splitmix cimport splitmix

from junqi_protocol.rules.geometry import HEADQUARTERS as HEADQUARTERS_INDEXES, HOME_POINTS, VARIANTS
from junqi_protocol.rules.lineup import PIECES, check


cdef enum:
    GOALS = 2 * SEATS       # headquarters
    MAX_FIRSTS = 32        # of the shortest paths; more are left out
    MAX_PLIES = 8192       # of a recorded game: 100 clashes with fewer than 80 quiet plies between them

cdef float RAIL_STEP = 0.34     # moves a point by rail, roughly: a run passes several points


class Weights(NamedTuple):
    """What the player's moves are worth, in centipawns unless said otherwise.

    Attributes
    ----------
    flag : float
        An enemy flag.
    caution : float
        Factor of what a piece risks where it stands.
    nearer : float
        A move nearer to a point where an enemy flag may be.
    race : float
        The first move of a shortest path to such a point over empty points, if it is one move long; a path of n moves
        is worth the n-th part.
    haste : float
        Any attack when the limit of quiet plies is reached; before, in proportion.
    noise : float
        Largest random number that is added to a move's value.
    """

    flag: float = 6000
    caution: float = 0.6
    nearer: float = 8
    race: float = 700
    haste: float = 400
    noise: float = 20


WEIGHTS = Weights()


class FastGame(NamedTuple):
    """A game that self_play() has played.

    Attributes
    ----------
    winner : int or None
        The team, 0 or 1; None: a draw.
    plies, clashes : int
    moves : list of int
        Empty unless asked for.
    """

    winner: int | None
    plies: int
    clashes: int
    moves: list


cdef struct Values:
    float flag
    float caution
    float nearer
    float race
    float haste
    float noise

# Moves from each point to each headquarters, and to each point, on an empty board.
cdef struct Distances:
    float steps[GOALS][POINTS]

# A team's mind.
cdef struct Mind:
    Values values
    float gain[ROW][ROW]                # by the attacking and the attacked type: what the attacker gains
    float loss[ROW][ROW]                # the same, by the attacked and the attacking type
    float lure[SEATS][ARMY_SIZE][ROW]   # by class of own pieces and attacking type: the same, as the enemy expects it
    uint32_t version[SEATS]             # of the facts behind `lure`
    uint32_t goals                      # headquarters where an enemy flag may be, bit = number
    float goal_distance[POINTS]

cdef struct Table:
    Board board
    Facts facts
    Mind mind[2]
    const Distances* distances
    uint64_t random_state
    int clashes


_DISTANCES = {}


cdef const Distances* distances_of(variant):
    """The table of a geometry.Variant. It lives as long as the program."""
    cdef Distances* made
    cdef size_t address
    if variant.name in _DISTANCES:
        address = _DISTANCES[variant.name]
        return <const Distances*> address
    made = <Distances*> calloc(1, sizeof(Distances))
    if made == NULL:
        raise MemoryError()
    for goal in range(2 * variant.seats):
        found = _distances(variant, goal // 2 * HOME_POINTS + HEADQUARTERS_INDEXES[goal % 2])
        for point in range(variant.size):
            made.steps[goal][point] = found[point]
    _DISTANCES[variant.name] = <size_t> made
    return made


def _distances(variant, goal):
    """From each point, the shortest way to a goal, in moves; one point by rail counts RAIL_STEP."""
    found = [99.0] * variant.size
    found[goal] = 0.0
    waiting = [goal]
    while waiting:
        here = waiting.pop(0)
        for others, step in ((variant.roads[here], 1.0), (variant.rails[here], RAIL_STEP)):
            for other in others:
                if found[here] + step < found[other] - 1e-6:
                    found[other] = found[here] + step
                    # No way leads on through a headquarters.
                    if other not in variant.headquarters:
                        waiting.append(other)
    return found


# ------------------------------------------------------------------ choosing

cdef float EATS[ROW][ROW]    # by the attacking and the attacked type: 1 if it eats that


cdef void fill_tables():
    cdef int one, other
    for one in range(<int> ENGINEER, <int> MINE):
        for other in range(<int> ENGINEER, <int> UNKNOWN):
            EATS[one][other] = rules.resolve_combat(one, other) == EAT


fill_tables()


cdef inline const float* chances_of(const Facts* facts, int piece) noexcept nogil:
    cdef const Army* army = &facts.army[seat_of(piece)]
    return army.chance[army.class_of[(piece - 1) & 31]]


cdef inline int types_of(const Facts* facts, int piece) noexcept nogil:
    return facts.army[seat_of(piece)].types[(piece - 1) & 31]


cdef void set_mind(Mind* mind, weights) except *:
    """Prepare a team's mind for a new game."""
    cdef int one, other, result
    cdef float worth[ROW]
    memset(mind, 0, sizeof(Mind))
    (
        mind.values.flag, mind.values.caution, mind.values.nearer, mind.values.race, mind.values.haste,
        mind.values.noise,
    ) = weights
    for one in range(<int> UNKNOWN):
        worth[one] = WORTH[one]
    worth[<int> FLAG] = mind.values.flag
    for one in range(<int> ENGINEER, <int> UNKNOWN):
        for other in range(<int> ENGINEER, <int> MINE):
            result = rules.resolve_combat(other, one)
            mind.loss[one][other] = (worth[one] if result != KILLED else 0) - (worth[other] if result != EAT else 0)
            mind.gain[other][one] = mind.loss[one][other]


cdef void forget(Mind* mind) noexcept nogil:
    """Forget the last game."""
    cdef int seat
    for seat in range(SEATS):
        mind.version[seat] = 0
    mind.goals = 0


cdef void nearest(const Distances* distances, uint32_t goals, int size, float* found) noexcept nogil:
    """From each point, the distance to the nearest of these headquarters."""
    cdef int goal, point
    for point in range(size):
        found[point] = 99
    for goal in range(GOALS):
        if (goals >> goal) & 1:
            for point in range(size):
                found[point] = min(found[point], distances.steps[goal][point])


cdef uint32_t flag_goals(const Table* table, int seat) noexcept nogil:
    """The headquarters in which a living seat's flag may be."""
    cdef uint32_t goals = 0
    cdef int i, piece
    if (table.board.state.living >> seat) & 1:
        for i in range(2):
            piece = table.board.piece_at[seat * HOME + 26 + 2 * i]
            if piece and seat_of(piece) == seat:
                if types_of(&table.facts, piece) & (1 << FLAG):
                    goals |= 1 << (2 * seat + i)
    return goals


cdef void refresh(Table* table, Mind* mind, int seat) noexcept nogil:
    """Bring the mind of the seat on turn up to date with the facts."""
    cdef int other, i, k, kind
    cdef const Army* army = &table.facts.army[seat]
    cdef float lure[ROW]
    cdef float chance
    cdef uint32_t goals = 0
    if mind.version[seat] != army.version:
        mind.version[seat] = army.version
        for i in range(army.classes):
            for k in range(ROW):
                lure[k] = 0
            for kind in range(<int> ENGINEER, <int> UNKNOWN):
                chance = army.chance[i][kind]
                if chance > 0:
                    for k in range(ROW):
                        lure[k] += chance * mind.loss[kind][k]
            for k in range(ROW):
                mind.lure[seat][i][k] = lure[k]
    for other in range(table.board.geometry.seats):
        if (other ^ seat) & 1:
            goals |= flag_goals(table, other)
    if goals != mind.goals:
        mind.goals = goals
        nearest(table.distances, goals, table.board.geometry.size, mind.goal_distance)


cdef inline float loss_to(const Table* table, int attacker, int seat, const float* losses) noexcept nogil:
    """What a piece of a seat loses if this piece of another, whose choice it is, may attack it; 0 if it cannot."""
    if not (seat_of(attacker) ^ seat) & 1 or not types_of(&table.facts, attacker) & ((1 << MINE) - 1):
        return 0
    return dot(chances_of(&table.facts, attacker), losses)


cdef float risk(const Table* table, int seat, int origin, int point, const float* losses) noexcept nogil:
    """The most that a piece coming from `origin` can lose on a point by one attack; `losses`: by the attacker's type.

    An engineer's turns on the rails are left out.
    """
    cdef const Geometry* geometry = table.board.geometry
    cdef const Line* line
    cdef int i, k, near, piece
    cdef float worst = 0
    if geometry.kind[point] & CAMP:
        return 0
    for i in range(geometry.road_count[point]):
        near = geometry.road[point][i]
        piece = table.board.piece_at[near]
        if piece and not geometry.kind[near] & HEADQUARTERS:
            worst = max(worst, loss_to(table, piece, seat, losses))
    for i in range(geometry.line_count[point]):
        line = &geometry.line[point][i]
        for k in range(line.length):
            near = line.point[k]
            piece = table.board.piece_at[near]
            if piece and near != origin:
                if k >= line.named:
                    worst = max(worst, loss_to(table, piece, seat, losses))
                break
    return worst


cdef inline bint look_from(
    const Board* board, int seat, int here, int there, int* found, uint16_t* firsts, uint8_t* seen, uint8_t* queue,
    int* tail
) noexcept nogil:
    """Go back one move on a path; True if the point is occupied."""
    cdef int piece = board.piece_at[there]
    if piece:
        if seat_of(piece) == seat and found[0] < MAX_FIRSTS:
            firsts[found[0]] = there << 8 | here
            found[0] += 1
        return True
    if not seen[there]:
        seen[there] = 1
        queue[tail[0]] = there
        tail[0] += 1
    return False


cdef int find_paths(const Board* board, int seat, uint32_t goals, uint16_t* firsts, int* count) noexcept nogil:
    """The length of the shortest paths to these headquarters over empty points, in moves; writes their first moves.

    Engineers move like the others here. Paths are followed backwards from the goals. `count`: how many moves are found;
    some of them may be of pieces that never move.
    """
    cdef const Geometry* geometry = board.geometry
    cdef const Line* line
    cdef uint8_t seen[POINTS]
    cdef uint8_t queue[POINTS]
    cdef int head = 0, tail = 0, level_end, length = 0, goal, here, i, k
    memset(seen, 0, sizeof(seen))
    count[0] = 0
    for goal in range(GOALS):
        here = goal // 2 * HOME + 26 + goal % 2 * 2
        if here < geometry.size:
            seen[here] = 1
            if (goals >> goal) & 1:
                queue[tail] = here
                tail += 1
    while head < tail and count[0] == 0:
        length += 1
        level_end = tail
        while head < level_end:
            here = queue[head]
            head += 1
            for i in range(geometry.road_count[here]):
                look_from(board, seat, here, geometry.road[here][i], count, firsts, seen, queue, &tail)
            for i in range(geometry.line_count[here]):
                line = &geometry.line[here][i]
                for k in range(line.length):
                    if look_from(board, seat, here, line.point[k], count, firsts, seen, queue, &tail):
                        break
    return length


cdef int choose(Table* table, Mind* mind) noexcept nogil:
    """The best move of the seat on turn, which has one."""
    cdef uint32_t moves[MAX_MOVES]
    cdef float losses[ROW]
    cdef uint16_t firsts[MAX_FIRSTS]
    cdef int length, paths, k
    cdef const Board* board = &table.board
    cdef const Geometry* geometry = board.geometry
    cdef const Values* values = &mind.values
    cdef const float* lure
    cdef const float* chance
    cdef int seat = board.state.turn, count, i, kind, best_move = 0, origin, target, last = -1, mine = 0, there
    cdef int piece = 0
    cdef float best = -1e9, value, relief = 0, survives, haste, from_goal = 0
    refresh(table, mind, seat)
    count = rules.list_moves(board, seat, True, True, moves)
    length = find_paths(board, seat, mind.goals, firsts, &paths)
    haste = values.haste * board.state.quiet / max(1, board.quiet_limit)
    for i in range(count):
        origin = moves[i] >> 8
        target = moves[i] & 255
        if origin != last:
            last = origin
            piece = board.piece_at[origin]
            mine = board.type[piece]
            # The enemy attacks if it expects to gain by what it knows; what comes of it depends on the true type.
            lure = mind.lure[seat][table.facts.army[seat].class_of[(piece - 1) & 31]]
            for kind in range(ROW):
                losses[kind] = values.caution * mind.loss[mine][kind] if lure[kind] > 0 else 0
            relief = risk(table, seat, origin, origin, losses)
            from_goal = mind.goal_distance[origin]
        value = relief + values.nearer * (from_goal - mind.goal_distance[target])
        value += values.noise * <float> (splitmix(&table.random_state) >> 40) * <float> (1.0 / (1 << 24))
        for k in range(paths):
            if firsts[k] == moves[i]:
                value += values.race / length
                break
        there = board.piece_at[target]
        survives = 1
        if there:
            if types_of(&table.facts, there) == 1 << FLAG:
                return moves[i]
            chance = chances_of(&table.facts, there)
            value += dot(mind.gain[mine], chance) + haste
            survives = dot(EATS[mine], chance)
        if geometry.kind[target] & HEADQUARTERS:
            value -= survives * WORTH[mine]
        elif value > best:
            value -= survives * risk(table, seat, origin, target, losses)
        if value > best:
            best = value
            best_move = moves[i]
    return best_move


# -------------------------------------------------------------- whole games

cdef void set_up(Table* table, const uint8_t* lineups) noexcept nogil:
    """Begin a game: by home point, the types of all seats."""
    cdef int seat, index, number, seats = table.board.geometry.seats
    rules.clear(&table.board)
    for seat in range(seats):
        number = 0
        for index in range(HOME):
            if lineups[seat * HOME + index]:
                rules.put(&table.board, seat, number, lineups[seat * HOME + index], seat * HOME + index)
                number += 1
    begin_facts(&table.facts, &table.board)
    forget(&table.mind[0])
    forget(&table.mind[1])
    table.clashes = 0


cdef void play(Table* table, int move) noexcept nogil:
    """Play a legal move. It cannot be taken back."""
    cdef bint turned = (
        table.board.type[table.board.piece_at[move >> 8]] == ENGINEER and turns_on_rails(&table.board, move)
    )
    table.board.undo_count = 0
    rules.play(&table.board, move)
    table.board.undo_count = 0
    table.clashes += table.board.state.result != MOVE
    note_move(&table.facts, &table.board, turned)


cdef int play_out(Table* table, uint16_t* moves) noexcept nogil:
    """Play a game to its end and write its moves, at most MAX_PLIES; returns the plies."""
    cdef int move, plies = 0
    while table.board.state.verdict == GOES_ON and plies < MAX_PLIES:
        move = choose(table, &table.mind[table.board.state.turn & 1])
        moves[plies] = move
        plies += 1
        play(table, move)
    return plies


cdef int winner_of(const Table* table) noexcept nogil:
    """The team that won; -1: nobody, or not yet."""
    if table.board.state.verdict == TEAM_0_WON:
        return 0
    return 1 if table.board.state.verdict == TEAM_1_WON else -1


_TYPES = {ord(letter): kind for kind, letter in enumerate(PIECES)}


cdef bytes _packed(variant, lineups):
    """The types of all seats by home point. Raises ValueError for a wrong number of lineups, and LineupError."""
    if len(lineups) != variant.seats:
        raise ValueError(f"{len(lineups)} lineups, {variant.name} has {variant.seats} seats")
    cdef const uint8_t* types
    packed = "".join(lineups).translate(_TYPES).encode("latin-1", "replace")
    types = packed
    for lineup in lineups:
        if len(lineup) != HOME_POINTS or not may_begin(types):
            check(lineup)
        types += HOME
    return packed


cdef Table* _new_table(variant, int quiet, seed) except NULL:
    cdef Table* table
    cdef const Distances* distances = distances_of(variant)
    if quiet < 1 or quiet >= 80:
        raise ValueError(f"a limit of {quiet} quiet plies, expected 1 to 79")
    table = <Table*> calloc(1, sizeof(Table))
    if table == NULL:
        raise MemoryError()
    table.board.geometry = rules.geometry_of(variant)
    table.board.quiet_limit = quiet
    table.distances = distances
    table.random_state = seed & 0xFFFFFFFFFFFFFFFF
    return table


def _variant(name):
    if name not in VARIANTS:
        raise ValueError(f"{name!a} is no variant, expected siguo or duel")
    return VARIANTS[name]


def self_play(variant, games, *, weights=(WEIGHTS, WEIGHTS), seed=0, quiet=70, moves=False):
    """Play games without Python, and without the interpreter's lock: several threads can play at once.

    Parameters
    ----------
    variant : str
        "siguo" or "duel".
    games : sequence of sequence of str
        The lineups of each game, one a seat. Seat 0 begins.
    weights : (Weights, Weights)
        Of the two teams.
    seed : int
        Of the noise; the same seed makes the same games.
    quiet : int
        After this many plies in a row without a clash the game is drawn; 1 to 79.
    moves : bool
        Whether to return the moves.

    Returns a list of FastGame. Raises ValueError for lineups that are not legal or too few.
    """
    cdef uint16_t played[MAX_PLIES]
    cdef const uint8_t* lineups
    cdef int plies
    board = _variant(variant)
    packed = [_packed(board, lineups_of_game) for lineups_of_game in games]
    cdef Table* table = _new_table(board, quiet, seed)
    found = []
    try:
        set_mind(&table.mind[0], weights[0])
        set_mind(&table.mind[1], weights[1])
        for game in packed:
            lineups = game
            with nogil:
                set_up(table, lineups)
                plies = play_out(table, played)
            winner = winner_of(table)
            found.append(
                FastGame(
                    winner if winner >= 0 else None, plies, table.clashes,
                    [played[i] for i in range(plies)] if moves else [],
                )
            )
    finally:
        free(table)
    return found


cdef class OnePlyGame:
    """A game whose moves the one-ply player can choose, for any seat.

    Parameters
    ----------
    variant, lineups, quiet, seed
        As in self_play().
    """

    cdef Table* table
    cdef object chosen_by
    cdef readonly object variant

    def __cinit__(self, variant, lineups, *, int quiet=70, seed=0):
        self.variant = _variant(variant)
        packed = _packed(self.variant, lineups)
        self.table = _new_table(self.variant, quiet, seed)
        self.chosen_by = [None, None]
        set_up(self.table, packed)

    def __dealloc__(self):
        free(self.table)

    @property
    def turn(self) -> int:
        """The seat on turn."""
        return self.table.board.state.turn

    @property
    def over(self) -> bool:
        """Whether the game has ended."""
        return self.table.board.state.verdict != GOES_ON

    @property
    def winner(self):
        """The team that won, 0 or 1; None: nobody, or not yet."""
        winner = winner_of(self.table)
        return winner if winner >= 0 else None

    def choose(self, weights=WEIGHTS) -> int:
        """The player's move for the seat on turn. Raises ValueError if the game is over."""
        team = self.table.board.state.turn & 1
        if self.over:
            raise ValueError("the game is over")
        if self.chosen_by[team] != weights:
            self.chosen_by[team] = weights
            set_mind(&self.table.mind[team], weights)
        return choose(self.table, &self.table.mind[team])

    def play(self, int move) -> None:
        """Play a move of the seat on turn. Raises ValueError if it is not legal."""
        cdef uint32_t moves[MAX_MOVES]
        cdef int i, count = rules.list_moves(&self.table.board, self.table.board.state.turn, True, True, moves)
        if self.over or move not in [moves[i] for i in range(count)]:
            raise ValueError(f"{move} is not legal")
        play(self.table, move)

    def types(self, int seat):
        """By point, the types that each living piece of a seat may have, as the other team knows. Bit = type."""
        return {point: self.table.facts.army[seat].types[number] for point, number in self._living(seat)}

    def chances(self, int seat):
        """By point, the chance of each type of lineup.PIECES for each living piece of a seat, roughly."""
        cdef const Army* army = &self.table.facts.army[seat]
        return {
            point: [army.chance[army.class_of[number]][kind] for kind in range(<int> UNKNOWN)]
            for point, number in self._living(seat)
        }

    def _living(self, int seat):
        if not 0 <= seat < self.variant.seats:
            raise ValueError(f"seat {seat} does not play {self.variant.name}")
        return [
            (self.table.board.place[1 + seat * 32 + number], number)
            for number in range(ARMY_SIZE) if (self.table.board.state.alive[seat] >> number) & 1
        ]
