"""The parameters of the search: one table of their names, defaults and ranges.

``parameters.pxd`` declares the same names as the fields of a struct, which
every game holds and may change in its ``__cinit__``. With SANQI_TUNE=1 they
are options of the engine (``options.tuning_options``).

Depths are plies, margins and scores centipawns; history values lie within
±16,384, sums of them within ±49,152.
"""

from __future__ import annotations

PARAMETERS: tuple[tuple[str, int, int, int], ...] = (
    # name, default, minimum, maximum
    # Aspiration window: half its width; from this depth on; its growth after a failure, in percent; above which half
    # width it is opened fully; by how many plies, at most, the depth is reduced after it failed high.
    ("aspiration_delta", 18, 4, 1000),
    ("aspiration_depth", 5, 1, 127),
    ("aspiration_growth", 50, 25, 400),
    ("aspiration_limit", 700, 4, 32000),
    ("aspiration_reduction", 3, 0, 10),
    # Razoring: up to this depth, a margin for each ply.
    ("razor_depth", 3, 0, 127),
    ("razor_margin", 240, 0, 5000),
    # Reverse futility pruning: the same.
    ("rfp_depth", 6, 0, 127),
    ("rfp_margin", 120, 0, 5000),
    # Null move: from this depth on, if the static evaluation is not more than nmp_margin - nmp_depth_margin * depth
    # below beta; the reduction is nmp_base + depth / nmp_depth_divisor + (evaluation - beta) / nmp_eval_divisor, the
    # last part at most nmp_eval_max. From nmp_verification_depth on a cut-off is searched again without passes.
    ("nmp_depth", 2, 1, 127),
    ("nmp_base", 3, 1, 10),
    ("nmp_depth_divisor", 3, 1, 20),
    ("nmp_eval_divisor", 180, 1, 5000),
    ("nmp_eval_max", 3, 0, 10),
    ("nmp_margin", 100, -1000, 1000),
    ("nmp_depth_margin", 20, 0, 500),
    ("nmp_verification_depth", 13, 1, 127),
    # ProbCut: from this depth on; by how much a capture must beat beta; how many plies shallower that search is.
    ("probcut_depth", 5, 3, 127),
    ("probcut_margin", 170, 0, 2000),
    ("probcut_reduction", 4, 1, 4),
    # Internal iterative reduction: from this depth on.
    ("iir_depth", 4, 2, 127),
    # Late-move pruning: a node of depth d looks at lmp_base + d ** (lmp_power / 100) quiet moves, half as many when
    # the evaluation does not improve, and lmp_minimum more in either case.
    ("lmp_base", 3, 0, 100),
    ("lmp_power", 200, 0, 400),
    ("lmp_minimum", 3, 0, 100),
    # In check, a node of depth d looks at (evasions_base + evasions_per_ply * d) / 100 evasions once one does not lose
    # (evasions_base 0: at all of them).
    ("evasions_base", 0, 0, 1000),
    ("evasions_per_ply", 0, 0, 1000),
    # History pruning: up to this depth, quiet moves whose history sum is below -margin * depth.
    ("history_pruning_depth", 4, 0, 127),
    ("history_pruning_margin", 3500, 0, 50000),
    # Futility pruning of quiet moves, up to this depth after reduction (-1: never): base + margin * depth +
    # history / divisor. Up to skip_quiets_depth, a node that is skip_quiets_margin farther below alpha generates none.
    ("futility_depth", 7, -1, 127),
    ("futility_base", 90, -1000, 2000),
    ("futility_margin", 95, 0, 2000),
    ("futility_history_divisor", 120, 1, 50000),
    ("skip_quiets_depth", 4, 0, 127),
    ("skip_quiets_margin", 100, 0, 2000),
    # Pruning by static exchange: a quiet move may lose margin * depth ** 2 (the depth after reduction), a noisy one
    # margin * depth. see_quiet_depth -1: never a quiet one.
    ("see_quiet_depth", 8, -1, 127),
    ("see_quiet_margin", 25, 0, 1000),
    ("see_noisy_depth", 7, 0, 127),
    ("see_noisy_margin", 110, 0, 1000),
    # Singular extension: from this depth on, if the table's entry is at most singular_tt_depth plies shallower; the
    # other moves must fail margin * depth below its score; for two plies, singular_double_margin more.
    ("singular_depth", 7, 3, 127),
    ("singular_tt_depth", 3, 0, 127),
    ("singular_margin", 2, 0, 100),
    ("singular_double_margin", 20, 0, 1000),
    # Moves that give check are extended, up to this depth or in the principal variation, and else reduced less
    # (0: no, they are like any other; 1: yes).
    ("check_extension", 1, 0, 1),
    ("check_extension_depth", 6, 0, 127),
    # The only answer to a threat (see Game.one_reply()) is extended by this number of plies.
    ("forced_reply_extension", 0, 0, 3),
    # Late-move reductions, from this depth on: (lmr_base + 100 * log(depth) * log(number) * 100 / lmr_divisor) / 100
    # plies, and one less for each lmr_history_divisor of history, lmr_history_max at most.
    ("lmr_min_depth", 3, 1, 127),
    ("lmr_base", 50, -300, 500),
    ("lmr_divisor", 225, 1, 2000),
    ("lmr_history_divisor", 6000, 1, 50000),
    ("lmr_history_max", 2, 0, 10),
    # Where a policy scores the quiet moves: policy_reduction thousandths of a ply more for each 1,000 that a move's
    # score is below the best, and policy_credit hundredths of a ply less for all. A node looks at policy_late_moves
    # more moves, but leaves out those more than policy_pruning_base + policy_pruning_margin * depth below the best.
    ("policy_reduction", 0, 0, 2000),
    ("policy_credit", 0, -500, 500),
    ("policy_late_moves", 0, 0, 100),
    ("policy_pruning_base", 1_000_000, 0, 1_000_000),
    ("policy_pruning_margin", 0, 0, 10_000),
    # 1: every move from the second on. 0: only moves that are quiet or lose material, from the second on (in the
    # principal variation, from the third on).
    ("lmr_from_second_move", 0, 0, 1),
    # One ply more after this number of cut-offs at the next ply since this node was entered (0: never).
    ("lmr_cutoffs", 3, 0, 100),
    # Hindsight: the move before was reduced by this number of plies or more, but its
    # mover stands no worse after it: a ply more
    # (0: never).
    ("hindsight_reduction", 3, 0, 127),
    # In hundredths of a ply: more in an expected cut node and where the evaluation does not improve; less in the
    # principal variation, for killers and the counter move, and for evasions.
    ("lmr_cut_node", 100, -300, 500),
    ("lmr_not_improving", 100, -300, 500),
    ("lmr_pv_node", 100, -300, 500),
    ("lmr_killer", 100, -300, 500),
    ("lmr_evasion", 100, -300, 500),
    # The same, more for each of Game.idleness().
    ("lmr_idle", 0, -100, 300),
    # At the root: hundredths of a ply less; from this depth on; how many first moves are not reduced; whether moves
    # that give check are reduced too (0: no, 1: yes).
    ("lmr_root", 100, -300, 500),
    ("lmr_root_depth", 3, 1, 127),
    ("lmr_root_moves", 3, 1, 100),
    ("lmr_checks_at_root", 0, 0, 1),
    # What history adds to the order of quiet moves and evasions, in 64ths: the move's own, that as an answer to the
    # last move, and that as one that follows the own move before it.
    ("order_history", 128, 0, 1000),
    ("order_answer", 64, 0, 1000),
    ("order_follow_up", 64, 0, 1000),
    # Histories: a cut-off is worth bonus * depth - offset, a cut-off by the table's move tt_bonus * depth.
    ("history_bonus", 150, 0, 2000),
    ("history_bonus_offset", 50, 0, 2000),
    ("history_bonus_max", 1600, 0, 16384),
    ("history_tt_bonus", 120, 0, 2000),
    ("history_tt_bonus_max", 1200, 0, 16384),
    # What a cut-off by an evasion changes: all that another one does (1), or only how well it answers the move before
    # (0). Whether a node forgets the killers of the plies two below (0: no, 1: yes).
    ("evasion_history", 1, 0, 1),
    ("clear_killers", 0, 0, 1),
    # The quiet move before a node that fails low gains fail_low_bonus * depth. The one before any node gains or loses
    # eval_weight for each centipawn that its mover's static evaluation has risen or fallen.
    ("history_fail_low_bonus", 100, 0, 2000),
    ("history_fail_low_max", 1600, 0, 16384),
    ("history_eval_weight", 4, 0, 100),
    ("history_eval_max", 1200, 0, 16384),
    # By how many centipawns, at most, the static evaluation is corrected by what was learnt of its errors.
    ("correction_weight", 64, 0, 1000),
    # How many moves a game's own solver may play in the tree: at a leaf; elsewhere twice as many, and depth_budget more
    # for each ply of depth.
    ("solver_leaf_budget", 48, 1, 10000),
    ("solver_depth_budget", 32, 0, 10000),
    # Quiescence: how near to alpha a capture must come; after how many evasions only captures are tried.
    ("qs_futility_margin", 160, 0, 5000),
    ("qs_evasions", 3, 1, 100),
    # Quiet moves that give check are searched where other quiet moves are pruned by their number or by futility (1),
    # and at the first ply of quiescence, too (2). The game must know the stage CHECKS.
    ("quiet_checks", 0, 0, 2),
)
"""(name, default, minimum, maximum) of each."""
