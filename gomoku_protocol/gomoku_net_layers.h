/* The layers of Gomoku's net, written once for all kinds of processors. gomoku_net_kernel.h includes this file for each kind,
 * after it has defined VECTOR, WIDE, what can be done with them (OP), and names of functions (LAYER). */

/* Bring the neurons of a view up to date: those of the points that differ from what it has seen. */
static void LAYER(follow)(
    const sanqi_net *net, sanqi_view *view, const uint16_t *own, const uint16_t *other, const uint8_t *content,
    int side, int first_row, int rows
) {
    int row, word, i;
    for (row = first_row; row < first_row + rows; row++) {
        int begin = row * SANQI_STRIDE;
        if (!memcmp(own + begin, view->own + begin, SANQI_STRIDE * sizeof(uint16_t))
            && !memcmp(other + begin, view->other + begin, SANQI_STRIDE * sizeof(uint16_t))
            && !memcmp(content + begin, view->content + begin, SANQI_STRIDE)) continue;
        for (word = begin; word < begin + SANQI_STRIDE; word += 4) {
            uint64_t a, b, c, d;
            uint32_t e, f;
            memcpy(&a, own + word, 8); memcpy(&b, view->own + word, 8);
            memcpy(&c, other + word, 8); memcpy(&d, view->other + word, 8);
            memcpy(&e, content + word, 4); memcpy(&f, view->content + word, 4);
            if (!((a ^ b) | (c ^ d) | (e ^ f))) continue;
            memcpy(view->own + word, &a, 8);
            memcpy(view->other + word, &c, 8);
            memcpy(view->content + word, &e, 4);
            for (i = word; i < word + 4; i++) {
                if (content[i] == SANQI_WALL) {
                    memset(view->neurons[i], 0, sizeof(view->neurons[i]));
                } else if (content[i] != SANQI_VACANT) {
                    memcpy(view->neurons[i], net->stones[content[i] ^ side], sizeof(view->neurons[i]));
                } else {
                    unsigned x = own[i], y = other[i];
                    VECTOR sum = OP(load)(net->biases);
                    sum = OP(add)(sum, OP(load)(net->inputs[(x & 15) << 4 | (y & 15)]));
                    sum = OP(add)(sum, OP(load)(net->inputs[(x >> 4 & 15) << 4 | (y >> 4 & 15)]));
                    sum = OP(add)(sum, OP(load)(net->inputs[(x >> 8 & 15) << 4 | (y >> 8 & 15)]));
                    sum = OP(add)(sum, OP(load)(net->inputs[(x >> 12) << 4 | (y >> 12)]));
                    OP(store)(view->neurons[i], OP(positive)(sum));
                }
            }
        }
    }
}

/* The second layer: neurons of the points in the bits of `nearby`, and their sums. */
static void LAYER(neighbours)(
    const sanqi_net *net, const sanqi_view *view, const uint64_t *nearby, int first_row, int rows,
    int16_t (*neurons)[SANQI_WIDTH], int32_t *sums
) {
    const int step = SANQI_STRIDE * SANQI_WIDTH;
    WIDE total = OP(zero)();
    int row;
    for (row = first_row; row < first_row + rows; row++) {
        uint64_t bits = nearby[row];
        int point = row * SANQI_STRIDE;
        for (; bits; bits >>= 1, point++) {
            const int16_t *middle = view->neurons[point];
            VECTOR x, y;
            if (!(bits & 1)) continue;
            x = OP(add)(OP(load)(net->around_biases), OP(scaled)(net->around[0], middle - step - SANQI_WIDTH));
            y = OP(scaled)(net->around[1], middle - step);
            x = OP(add)(x, OP(scaled)(net->around[2], middle - step + SANQI_WIDTH));
            y = OP(add)(y, OP(scaled)(net->around[3], middle - SANQI_WIDTH));
            x = OP(add)(x, OP(scaled)(net->around[4], middle));
            y = OP(add)(y, OP(scaled)(net->around[5], middle + SANQI_WIDTH));
            x = OP(add)(x, OP(scaled)(net->around[6], middle + step - SANQI_WIDTH));
            y = OP(add)(y, OP(scaled)(net->around[7], middle + step));
            x = OP(add)(x, OP(scaled)(net->around[8], middle + step + SANQI_WIDTH));
            x = OP(positive)(OP(add)(x, y));
            OP(store)(neurons[point], x);
            total = OP(widened)(total, x);
        }
    }
    OP(store_wide)(sums, total);
}

/* Scores of moves, in SANQI_SCORE_ONE of the natural logarithm of a chance; the best has SANQI_BEST_SCORE. */
static void LAYER(scores)(
    const sanqi_net *net, const int16_t (*neurons)[SANQI_WIDTH], const int32_t *sums, const uint32_t *moves, int count,
    int32_t *scores
) {
    int16_t whole[SANQI_WIDTH], weights[SANQI_WIDTH];
    int32_t best = INT32_MIN;
    VECTOR x;
    int i;
    for (i = 0; i < SANQI_WIDTH; i++) whole[i] = sanqi_int16(sums[i] >> 3);
    x = OP(load)(whole);
    for (i = 0; i < SANQI_WIDTH; i++)
        weights[i] = sanqi_int16((net->gate_biases[i] + OP(dot)(x, net->gates[i])) >> 10);
    x = OP(load)(weights);
    for (i = 0; i < count; i++) {
        scores[i] = (int32_t)((int64_t)OP(dot)(x, neurons[moves[i]]) * SANQI_SCORE_ONE >> 21);
        best = scores[i] > best ? scores[i] : best;
    }
    for (i = 0; i < count; i++) scores[i] += SANQI_BEST_SCORE - best;
}

#undef VECTOR
#undef WIDE
#undef OP
#undef LAYER
