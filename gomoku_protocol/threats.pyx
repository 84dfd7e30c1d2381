"""Forced wins: by fours alone (VCF), and by fours and threes (VCT).

All results count plies to the five. An odd number is a win for the side to
move; 0 means that none was found within the limit and the budget. A win that
is found beats every defence. Finding none proves nothing.
"""

from libc.stdint cimport int16_t, uint8_t, uint16_t, uint32_t, uint64_t
from libc.stdlib cimport calloc, free
from libc.string cimport memset

from gomoku_protocol.board cimport (
    BLACK, FIRST_POINT, MAX_BOARD, POINTS, STEP, TURN_KEY, VACANT, WHITE, Board,
    collect, find_rank, forbidden, forbidden_by_fours, defences, key_after, place_unvalued, stops, take_back,
)
from gomoku_protocol.patterns cimport (
    CARO_FIVE, DOUBLE_THREE, FIVE, FOUR, FOUR_THREE, LINE_FIVE, LINE_FOUR, LINE_NONE, LINE_OPEN_FOUR, LINE_OPEN_THREE,
    LINE_OPEN_THREE_NARROW, LINE_OPEN_TWO_NARROW, MAYBE_FORBIDDEN, OPEN_OR_DOUBLE_FOUR, OPEN_THREE, REACH,
)
from search_core.check cimport sanqi_check
from search_core.game cimport Poller

cdef extern from "platform.h" nogil:
    void sanqi_prefetch(const void* address)

cdef enum:
    TABLE_BITS = 16
    TABLE_SIZE = 1 << TABLE_BITS
    MAX_TRIED = 96          # attacking or defending moves tried at a node
    FOURS_IN_THREATS = 12    # plies by which a win by fours may exceed the limit of a VCT search
    POLL_INTERVAL = 512      # stones between two calls of the poller: under a millisecond
    MARKED = 1               # by depends(): a stone there could stop the win
    REPLY = 2                # the same, and the win forces the defender to place it


# Keep the results of brief searches, and of searches for the shortest win, apart in the table.
cdef uint64_t BRIEF_KEY = 0x5BD1E9955BD1E995
cdef uint64_t MIN_KEY = 0x9AE16A3B2F90404F
cdef uint64_t MIN_FOURS_KEY = 0xC949D7C7509E6557


cdef int static_result(Board* board) noexcept nogil:
    """Plies to a five that needs no search: positive for the side to move, negative for the other, 0 unknown."""
    cdef int side = board.side, other = side ^ 1
    cdef uint32_t points[MAX_TRIED]
    if board.sums.ranks[side][FIVE]:
        return 1
    if board.sums.ranks[other][FIVE]:
        return 0 if stops(board, other, points) else -2
    if board.sums.ranks[side][OPEN_OR_DOUBLE_FOUR]:
        return 3
    if (
        board.sums.ranks[other][OPEN_OR_DOUBLE_FOUR] and not board.sums.ranks[side][FOUR]
        and not board.sums.ranks[side][FOUR_THREE] and not board.sums.ranks[side][MAYBE_FORBIDDEN]
        and not defences(board, other, points)
    ):
        return -4
    return 0


cdef int win_by_threes(Board* board, uint64_t* nodes, uint32_t* point) noexcept nogil:
    """5 if a stone of the side to move makes two open threes that nothing stops, 0: none is found.

    The other side has no four, so it has one move in place of a four of its own; static_result() says whether that
    can stop all winning fours. Adds the stones that it places to `nodes`, and writes the winning one to `point`.
    """
    cdef int side = board.side, other = side ^ 1, count, i
    cdef bint won
    cdef const int16_t* threats = board.sums.ranks[other]
    cdef uint32_t points[MAX_TRIED]
    count = board.sums.ranks[side][DOUBLE_THREE]
    if (
        count == 0 or count > MAX_TRIED
        or threats[FOUR] or threats[FOUR_THREE] or threats[OPEN_OR_DOUBLE_FOUR] or threats[MAYBE_FORBIDDEN]
    ):
        return 0
    collect(board, side, DOUBLE_THREE, points)
    for i in range(count):
        place_unvalued(board, points[i])
        nodes[0] += 1
        won = static_result(board) == -4
        take_back(board)
        if won:
            point[0] = points[i]
            return 5
    return 0


cdef inline bint plain(uint32_t lines) noexcept nogil:
    """Whether a four makes nothing else that could help the attack: no open two and no three in another line."""
    cdef int d, helpful = 0
    for d in range(4):
        helpful += (lines >> 4 * d) & 15 >= LINE_OPEN_TWO_NARROW
    return helpful < 2


cdef inline bint block_may_be_forbidden(const Board* board, int point) noexcept nogil:
    """Whether a four of White leaves Black, in renju, a block that may be forbidden to him."""
    cdef int d, k
    if not board.renju or board.side != WHITE or not board.sums.ranks[BLACK][MAYBE_FORBIDDEN]:
        return False
    for d in range(4):
        if (board.lines[WHITE][point] >> 4 * d) & 15 == LINE_FOUR:
            for k in range(-4, 5):
                if board.rank[BLACK][point + k * STEP[d]] == MAYBE_FORBIDDEN:
                    return True
    return False


cdef void mark_lines(const Board* board, int colour, int point, int least, uint8_t* mark) noexcept nogil:
    """Mark the vacant points within REACH of a vacant point on its lines, those of a colour's line class `least` or
    higher."""
    cdef int d, k
    for d in range(4):
        if (board.lines[colour][point] >> 4 * d) & 15 >= least:
            for k in range(-REACH, REACH + 1):
                if board.content[point + k * STEP[d]] == VACANT and not mark[point + k * STEP[d]]:
                    mark[point + k * STEP[d]] = MARKED


cdef bint mark_forbidden(Board* board, int point, uint8_t* mark) noexcept nogil:
    """Mark the points where a black stone can change that renju forbids Black a point; False: it could be anywhere.

    A three counts if the point that makes it a straight four is not forbidden itself: that point's lines count, too.
    """
    cdef int d, k, q, side = board.side
    cdef uint16_t lines = board.lines[BLACK][point]
    cdef bint complete = True
    mark_lines(board, BLACK, point, LINE_NONE, mark)
    if forbidden_by_fours(board, point):
        return True
    board.side = BLACK
    place_unvalued(board, point)
    for d in range(4):
        if (lines >> 4 * d) & 15 == LINE_OPEN_THREE or (lines >> 4 * d) & 15 == LINE_OPEN_THREE_NARROW:
            for k in range(-3, 4):
                q = point + k * STEP[d]
                if board.content[q] != VACANT:
                    continue
                if (board.lines[BLACK][q] >> 4 * d) & 15 == LINE_OPEN_FOUR:
                    mark_lines(board, BLACK, q, LINE_NONE, mark)
                    complete = complete and board.rank[BLACK][q] != MAYBE_FORBIDDEN
    take_back(board)
    board.side = side
    return complete


cdef inline void turn_over(Board* board) noexcept nogil:
    """Pass the turn to the other side."""
    board.side ^= 1
    board.key ^= TURN_KEY


cdef class ThreatSearch:
    """A search for forced wins, with its own table. For one thread."""

    def __dealloc__(self):
        free(self.table)

    cdef bint reserve(self) noexcept nogil:
        """Allocate the table if needed; False if there is no memory."""
        if self.table == NULL:
            self.table = <Proof*> calloc(TABLE_SIZE, sizeof(Proof))
        return self.table != NULL

    cdef void poll(self, Poller poller) noexcept nogil:
        """Set the poller that can stop the search; None: no poller."""
        self.poller = <void*> poller if poller is not None else NULL

    cdef void allow(self, uint64_t budget) noexcept nogil:
        """Start a budget: how many stones may be placed."""
        self.exhausted = False
        self.last_node = self.nodes + budget
        self.next_look = self.nodes if self.poller != NULL else self.last_node

    cdef bint spent(self) noexcept nogil:
        """Whether the budget is spent or the poller stops the search. Called when `nodes` reaches `next_look`."""
        if self.nodes < self.last_node and not (self.poller != NULL and (<Poller> self.poller).must_stop()):
            self.next_look = min(self.last_node, self.nodes + POLL_INTERVAL)
            return False
        self.last_node = self.next_look = self.nodes
        self.exhausted = True
        return True

    cdef Proof* probe(self, uint64_t key) noexcept nogil:
        cdef Proof* proof = &self.table[key & (TABLE_SIZE - 1)]
        return proof if proof.key == key else NULL

    cdef void store(self, uint64_t key, int point, int plies, int limit) noexcept nogil:
        cdef Proof* proof = &self.table[key & (TABLE_SIZE - 1)]
        if self.shortening:
            # The shortest win known, and the largest limit within which there is none.
            if proof.key != key:
                proof.key = key
                proof.plies = proof.limit = 0
            if not plies:
                proof.limit = max(proof.limit, limit)
            elif not proof.plies or plies < proof.plies:
                proof.plies = plies
                proof.point = point
            return
        if proof.key == key and proof.plies and not plies:
            return
        proof.key = key
        proof.point = point
        proof.plies = plies
        proof.limit = limit

    cdef int find_vcf(self, Board* board, int limit, uint64_t budget, bint brief) noexcept nogil:
        """A win by fours within `limit` plies, placing `budget` stones at most.

        A brief search leaves out plain fours: it misses few wins, and costs a third of the stones.
        """
        cdef int plies
        if not self.reserve():
            return 0
        self.allow(budget)
        self.brief = brief
        plies = self.vcf(board, limit)
        self.brief = False
        return plies

    cdef int find_vct(self, Board* board, int limit, uint64_t budget) noexcept nogil:
        """A win by fours and threes within `limit` plies, the shortest first, placing `budget` stones at most."""
        cdef int plies, depth
        if not self.reserve():
            return 0
        self.allow(budget)
        for depth in range(5, limit + 1, 2):
            plies = self.vct_attack(board, depth)
            if plies or self.exhausted:
                return plies
        return 0

    cdef int find_shorter(self, Board* board, int limit, uint64_t budget) noexcept nogil:
        """The shortest win by fours and threes within `limit` plies; 0: none, or none yet if `exhausted`.

        Deepens step by step, first with fours alone: that is quick and limits the rest.
        """
        cdef int depth, plies = 0, shorter
        if not self.reserve():
            return 0
        self.shortening = True
        self.allow(budget // 4)
        for depth in range(1, limit + 1, 2):
            plies = self.vcf(board, depth)
            if plies or self.exhausted:
                break
        self.allow(budget)
        for depth in range(5, plies - 1 if plies else limit + 1, 2):
            shorter = self.vct_attack(board, depth)
            if shorter:
                plies = shorter
            if shorter or self.exhausted:
                break
        self.shortening = False
        return plies

    cdef int winning_line(self, Board* board, uint32_t* points, int room) noexcept nogil:
        """Write the moves of a win just found, as far as the table remembers them; return how many."""
        cdef int start = board.steps, side = board.side, point
        while board.steps - start < room:
            point = self.best_attack(board) if board.side == side else self.best_defence(board)
            if not point:
                break
            points[board.steps - start] = point
            place_unvalued(board, point)
            if board.won == side:
                break
        point = board.steps - start
        while board.steps > start:
            take_back(board)
        return point

    cdef int best_attack(self, Board* board) noexcept nogil:
        cdef int side = board.side
        cdef Proof* proof
        if board.sums.ranks[side][FIVE]:
            return find_rank(board, side, FIVE, FIRST_POINT)
        if board.sums.ranks[side][OPEN_OR_DOUBLE_FOUR] and not board.sums.ranks[side ^ 1][FIVE]:
            return find_rank(board, side, OPEN_OR_DOUBLE_FOUR, FIRST_POINT)
        proof = self.known_win(board)
        return proof.point if proof != NULL else 0

    cdef Proof* known_win(self, Board* board) noexcept nogil:
        """The shortest win of the side to move that the table remembers, or NULL."""
        cdef Proof* shortest = NULL
        cdef Proof* proof
        cdef int i
        cdef uint64_t keys[4]
        keys[0] = board.key
        keys[1] = board.key ^ MIN_KEY
        keys[2] = board.key ^ MIN_FOURS_KEY
        keys[3] = board.key ^ BRIEF_KEY
        for i in range(4):
            proof = self.probe(keys[i])
            if proof != NULL and proof.plies and (shortest == NULL or proof.plies < shortest.plies):
                shortest = proof
        return shortest

    cdef int best_defence(self, Board* board) noexcept nogil:
        """The defence that loses latest, as far as the table knows."""
        cdef int attacker = board.side ^ 1, count, i, best, longest = 0
        cdef uint32_t points[MAX_TRIED]
        cdef Proof* proof
        if board.sums.ranks[attacker][FIVE]:
            best = find_rank(board, attacker, FIVE, FIRST_POINT)
            return 0 if board.side == BLACK and forbidden(board, best) else best
        if not board.sums.ranks[attacker][OPEN_OR_DOUBLE_FOUR] or board.sums.ranks[attacker][OPEN_OR_DOUBLE_FOUR] > 8:
            return 0
        count = defences(board, attacker, points)
        best = points[0] if count else 0
        for i in range(count):
            place_unvalued(board, points[i])
            proof = self.known_win(board)
            if proof != NULL and proof.plies > longest:
                longest = proof.plies
                best = points[i]
            take_back(board)
        return 0 if board.side == BLACK and forbidden(board, best) else best

    cdef int vcf(self, Board* board, int limit) noexcept nogil:
        cdef int side = board.side, other = side ^ 1, count = 0, i, k, plies, answer, best = 0, best_point = 0
        cdef uint32_t points[MAX_TRIED]
        cdef uint32_t replies[MAX_TRIED]
        cdef uint64_t key, kind
        cdef Proof* known
        if board.sums.ranks[side][FIVE]:
            return 1
        if limit < 3:
            return 0
        if board.sums.ranks[other][FIVE]:
            # The five must be stopped, and only a four keeps the attack going.
            for i in range(stops(board, other, replies)):
                if FOUR <= board.rank[side][replies[i]] < FIVE:
                    points[count] = replies[i]
                    count += 1
            if count == 0:
                return 0
        else:
            if board.sums.ranks[side][OPEN_OR_DOUBLE_FOUR]:
                return 3
            if limit < 5 or board.sums.ranks[side][FOUR] + board.sums.ranks[side][FOUR_THREE] == 0:
                return 0
            if board.sums.ranks[side][FOUR] + board.sums.ranks[side][FOUR_THREE] > MAX_TRIED:
                return 0
            count = collect(board, side, FOUR_THREE, points)
            count += collect(board, side, FOUR, points + count)
        kind = (BRIEF_KEY if self.brief else 0) ^ (MIN_FOURS_KEY if self.shortening else 0)
        key = board.key ^ kind
        known = self.probe(key)
        if known != NULL:
            if known.plies and (known.plies <= limit or not self.shortening):
                return known.plies if known.plies <= limit else 0
            if known.limit >= limit:
                return 0
        for i in range(count):
            if self.nodes >= self.next_look and self.spent():
                break
            if (
                self.brief and board.rank[side][points[i]] == FOUR and plain(board.lines[side][points[i]])
                and not block_may_be_forbidden(board, points[i])
            ):
                continue
            place_unvalued(board, points[i])
            self.nodes += 1
            plies = 3
            for k in range(stops(board, side, replies)):
                sanqi_prefetch(&self.table[(key_after(board, replies[k]) ^ kind) & (TABLE_SIZE - 1)])
                place_unvalued(board, replies[k])
                self.nodes += 1
                answer = self.vcf(board, limit - 2)
                take_back(board)
                if not answer:
                    plies = 0
                    break
                plies = max(plies, answer + 2)
            take_back(board)
            if plies:
                best = plies
                best_point = points[i]
                break
        if best or not self.exhausted:
            self.store(key, best_point, best, limit)
        return best

    cdef bint knows_opponent_vcf(self, const Board* board) noexcept nogil:
        """Whether opponent_has_vcf() found one for this position, the last that it was asked for."""
        return self.opponent_vcf_known and self.opponent_vcf_key == board.key and self.opponent_vcf

    cdef bint opponent_has_vcf(self, Board* board, uint64_t budget, bint brief) noexcept nogil:
        """Whether the other side would win by fours if the side to move passed, as far as the budget shows."""
        if brief and self.opponent_vcf_known and self.opponent_vcf_key == board.key:
            return self.opponent_vcf
        if not self.reserve():
            return False
        turn_over(board)
        self.opponent_vcf = self.find_vcf(board, 41, budget, brief) > 0
        turn_over(board)
        self.opponent_vcf_key = board.key
        self.opponent_vcf_known = True
        return self.opponent_vcf

    cdef int answers(self, Board* board, uint32_t* points) noexcept nogil:
        """Write the vacant points that can stop the win found by opponent_has_vcf(), without own fours; return how
        many, or 0 if unknown.

        To stop the win, a stone must be on a point that depends() marks, or turn one of the win's forced replies into a
        four.
        """
        cdef int defender = board.side, count = 0, point, d, k, _j, q, friends
        cdef bint complete, open_window
        cdef uint8_t mark[POINTS]
        memset(mark, 0, sizeof(mark))
        turn_over(board)
        complete = self.depends(board, mark)
        turn_over(board)
        if not complete:
            return 0
        for point in range(FIRST_POINT, POINTS):
            if mark[point] != REPLY:
                continue
            for d in range(4):
                for k in range(5):
                    q = point - k * STEP[d]
                    friends = 0
                    open_window = True
                    for _j in range(5):
                        if board.content[q] == defender or mark[q] == REPLY:
                            friends += 1
                        elif board.content[q] != VACANT:
                            open_window = False
                            break
                        q += STEP[d]
                    if open_window and friends >= 3:
                        for _j in range(5):
                            q -= STEP[d]
                            if board.content[q] == VACANT and not mark[q]:
                                mark[q] = MARKED
        for point in range(FIRST_POINT, POINTS):
            if mark[point]:
                points[count] = point
                count += 1
        return count

    cdef bint depends(self, Board* board, uint8_t* mark) noexcept nogil:
        """Mark the vacant points on which a win by fours of the side to move depends, and its forced replies as REPLY.

        False: the table has not kept all of the win, or a stone anywhere could count.
        """
        cdef int side = board.side, point, count, i
        cdef bint complete = True
        cdef uint32_t replies[MAX_TRIED]
        cdef Proof* proof
        if board.sums.ranks[side][FIVE]:
            point = find_rank(board, side, FIVE, FIRST_POINT)
            if board.five[side] >= CARO_FIVE:
                mark_lines(board, side, point, LINE_FIVE, mark)
            mark[point] = REPLY
            return True
        if board.sums.ranks[side][OPEN_OR_DOUBLE_FOUR] and not board.sums.ranks[side ^ 1][FIVE]:
            point = find_rank(board, side, OPEN_OR_DOUBLE_FOUR, FIRST_POINT)
        else:
            proof = self.probe(board.key ^ BRIEF_KEY)
            if proof == NULL or not proof.plies:
                proof = self.probe(board.key)
            # The table has wins by threes, too.
            if proof == NULL or not proof.plies or not FOUR <= board.rank[side][proof.point] <= OPEN_OR_DOUBLE_FOUR:
                return False
            point = proof.point
        # In caro a stone beyond the end of a five can spoil it.
        if board.five[side] >= CARO_FIVE:
            mark_lines(board, side, point, LINE_FOUR, mark)
        if not mark[point]:
            mark[point] = MARKED
        place_unvalued(board, point)
        sanqi_check(board.sums.ranks[side][FIVE] <= MAX_TRIED, b"there are MAX_TRIED winning points at most")
        count = collect(board, side, FIVE, replies)
        for i in range(count):
            mark[replies[i]] = REPLY
        if count == 1 and board.renju and side == WHITE and forbidden(board, replies[0]):
            complete = mark_forbidden(board, replies[0], mark)
        else:
            count = stops(board, side, replies)
            for i in range(count):
                mark[replies[i]] = REPLY
                place_unvalued(board, replies[i])
                complete = self.depends(board, mark)
                take_back(board)
                if not complete:
                    break
        take_back(board)
        return complete

    cdef int vct_attack(self, Board* board, int limit) noexcept nogil:
        """Plies to a win of the side to move within `limit`, or 0."""
        cdef int side = board.side, other = side ^ 1, count = 0, i, plies, best = 0, best_point = 0
        cdef uint32_t points[MAX_TRIED]
        cdef uint32_t replies[MAX_TRIED]
        cdef uint64_t key = board.key ^ (MIN_KEY if self.shortening else 0)
        cdef int beyond = 0 if self.shortening else FOURS_IN_THREATS
        cdef Proof* known
        if board.sums.ranks[side][FIVE]:
            return 1
        if limit < 3:
            return 0
        if not board.sums.ranks[other][FIVE] and board.sums.ranks[side][OPEN_OR_DOUBLE_FOUR]:
            return 3
        known = self.probe(key)
        if known != NULL:
            if known.plies and (known.plies <= limit + beyond or not self.shortening):
                return known.plies if known.plies <= limit + beyond else 0
            if known.limit >= 1000 + limit:
                return 0
        plies = self.vcf(board, limit + beyond)
        if plies or self.exhausted:
            return plies
        if board.sums.ranks[other][FIVE]:
            for i in range(stops(board, other, replies)):
                if OPEN_THREE <= board.rank[side][replies[i]] < FIVE:
                    points[count] = replies[i]
                    count += 1
        elif limit < 5:
            return 0
        else:
            if (
                board.sums.ranks[side][FOUR_THREE] + board.sums.ranks[side][FOUR]
                + board.sums.ranks[side][DOUBLE_THREE] + board.sums.ranks[side][OPEN_THREE] > MAX_TRIED
            ):
                return 0
            count = collect(board, side, FOUR_THREE, points)
            count += collect(board, side, DOUBLE_THREE, points + count)
            count += collect(board, side, FOUR, points + count)
            if board.sums.ranks[other][OPEN_OR_DOUBLE_FOUR] == 0:
                count += collect(board, side, OPEN_THREE, points + count)
        for i in range(count):
            if self.nodes >= self.next_look and self.spent():
                break
            place_unvalued(board, points[i])
            self.nodes += 1
            plies = self.vct_defend(board, limit - 1)
            take_back(board)
            if plies:
                best = plies + 1
                best_point = points[i]
                break
        if best or not self.exhausted:
            # 1000 more: it is the limit of a VCT search, not of a VCF search.
            self.store(key, best_point, best, 1000 + limit)
        return best

    cdef int vct_defend(self, Board* board, int limit) noexcept nogil:
        """Plies to the five of the side not to move, against every defence; 0: a defence was found, or no proof."""
        cdef int side = board.side, other = side ^ 1, count = 0, i, plies, longest = 0
        cdef uint32_t points[MAX_BOARD * 2]
        if board.sums.ranks[side][FIVE]:
            return 0
        if board.sums.ranks[other][FIVE]:
            count = stops(board, other, points)
            if count == 0:
                return 2
        elif board.sums.ranks[other][OPEN_OR_DOUBLE_FOUR]:
            if board.sums.ranks[side][OPEN_OR_DOUBLE_FOUR] or limit < 4:
                return 0
            if board.sums.ranks[other][OPEN_OR_DOUBLE_FOUR] > MAX_TRIED:
                return 0
            # Every four of the defender may gain time to break the threat.
            count = collect(board, side, FOUR_THREE, points)
            count += collect(board, side, FOUR, points + count)
            count += collect(board, side, MAYBE_FORBIDDEN, points + count)
            count += defences(board, other, points + count)
            longest = 4
        else:
            return 0
        for i in range(count):
            if self.nodes >= self.next_look and self.spent():
                return 0
            if side == BLACK and board.renju and forbidden(board, points[i]):
                continue
            place_unvalued(board, points[i])
            self.nodes += 1
            plies = self.vct_attack(board, limit - 1)
            take_back(board)
            if plies == 0:
                return 0
            longest = max(longest, plies + 1)
        return longest
