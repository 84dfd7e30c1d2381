/* One position of a batch through Gomoku's net, whose output are scores of the points near stones.
 *
 * neurons of a point    a = max(0, biases + sum over its four lines of inputs[line]), or stones[whose] for a stone
 * of the second layer   b = max(0, around_biases + sum over the point and its eight neighbours of around[place] * a)
 * of the whole board    c = sum of b over the points near stones / 16
 * weights of the scores w = gate_biases + gates c
 * score of a point      w b; the chance that it is the best is the softmax of the scores.
 * The loss is the negative logarithm of the chance of the move that the search chose.
 */
#ifndef SANQI_GOMOKU_GRADIENTS_H
#define SANQI_GOMOKU_GRADIENTS_H

#include <math.h>
#include <stdint.h>
#include <string.h>

#define SANQI_WIDTH 16
#define SANQI_PAIRS 225   /* of line classes */
#define SANQI_STRIDE 24
#define SANQI_PLACES (SANQI_STRIDE * SANQI_STRIDE)
#define SANQI_OFF 255     /* lines[0] of a place beyond the edge */
#define SANQI_OWN_STONE 253
#define SANQI_OTHER_STONE 254

typedef struct {
    float inputs[SANQI_PAIRS][SANQI_WIDTH];
    float stones[2][SANQI_WIDTH];
    float biases[SANQI_WIDTH];
    float around[9][SANQI_WIDTH];
    float around_biases[SANQI_WIDTH];
    float gates[SANQI_WIDTH][SANQI_WIDTH];
    float gate_biases[SANQI_WIDTH];
} sanqi_order_net;

/* A place is (y + 1) * SANQI_STRIDE + x + 1. */
typedef struct {
    uint8_t lines[SANQI_PLACES][4];  /* 15 * own class + other's class of each line of a vacant point */
    uint16_t nearby[22 * 22];        /* the places near stones */
    int32_t nearby_count;
    int32_t best;                    /* in `nearby` */
} sanqi_order_position;

static const int sanqi_around[9] = {
    -SANQI_STRIDE - 1, -SANQI_STRIDE, -SANQI_STRIDE + 1, -1, 0, 1, SANQI_STRIDE - 1, SANQI_STRIDE, SANQI_STRIDE + 1,
};

#if defined(__GNUC__) && defined(__x86_64__)
#define SANQI_HAS_AVX2 1
#define SANQI_INLINE static inline __attribute__((always_inline))
#else
#define SANQI_INLINE static inline
#endif

typedef struct {
    float first[SANQI_PLACES][SANQI_WIDTH], first_slopes[SANQI_PLACES][SANQI_WIDTH];
    float second[22 * 22][SANQI_WIDTH];
    float chances[22 * 22];
} sanqi_order_room;

/* Adds the gradient to `slopes`, unless it is NULL; returns the loss. `is_best`: whether the best move has the highest
 * score. */
SANQI_INLINE double sanqi_order_pass_inline(
    const sanqi_order_net *net, sanqi_order_net *slopes, const sanqi_order_position *position, sanqi_order_room *room,
    int *is_best
) {
    float whole[SANQI_WIDTH] = {0}, weights[SANQI_WIDTH], of_whole[SANQI_WIDTH] = {0}, of_weights[SANQI_WIDTH] = {0};
    float top = -1e30f, total = 0, chosen;
    int nearby = position->nearby_count, place, i, j, k;
    for (place = 0; place < SANQI_PLACES; place++) {
        const uint8_t *lines = position->lines[place];
        float *neurons = room->first[place];
        if (lines[0] == SANQI_OFF) {
            for (k = 0; k < SANQI_WIDTH; k++) neurons[k] = 0;
        } else if (lines[0] >= SANQI_OWN_STONE) {
            for (k = 0; k < SANQI_WIDTH; k++) neurons[k] = net->stones[lines[0] - SANQI_OWN_STONE][k];
        } else {
            const float *a = net->inputs[lines[0]], *b = net->inputs[lines[1]];
            const float *c = net->inputs[lines[2]], *d = net->inputs[lines[3]];
            for (k = 0; k < SANQI_WIDTH; k++) {
                float x = net->biases[k] + a[k] + b[k] + c[k] + d[k];
                neurons[k] = x > 0 ? x : 0;
            }
        }
    }
    for (i = 0; i < nearby; i++) {
        float sums[SANQI_WIDTH];
        for (k = 0; k < SANQI_WIDTH; k++) sums[k] = net->around_biases[k];
        for (j = 0; j < 9; j++) {
            const float *neurons = room->first[position->nearby[i] + sanqi_around[j]];
            for (k = 0; k < SANQI_WIDTH; k++) sums[k] += net->around[j][k] * neurons[k];
        }
        for (k = 0; k < SANQI_WIDTH; k++) {
            room->second[i][k] = sums[k] > 0 ? sums[k] : 0;
            whole[k] += room->second[i][k] / 16;
        }
    }
    for (i = 0; i < SANQI_WIDTH; i++) {
        weights[i] = net->gate_biases[i];
        for (k = 0; k < SANQI_WIDTH; k++) weights[i] += net->gates[i][k] * whole[k];
    }
    for (i = 0; i < nearby; i++) {
        float score = 0;
        for (k = 0; k < SANQI_WIDTH; k++) score += weights[k] * room->second[i][k];
        room->chances[i] = score;
        top = score > top ? score : top;
    }
    *is_best = room->chances[position->best] == top;
    for (i = 0; i < nearby; i++) {
        room->chances[i] = expf(room->chances[i] - top);
        total += room->chances[i];
    }
    for (i = 0; i < nearby; i++) room->chances[i] /= total;
    chosen = room->chances[position->best];
    if (!slopes) return -log(chosen + 1e-30);

    room->chances[position->best] -= 1; /* now the slopes of the scores */
    for (i = 0; i < nearby; i++)
        for (k = 0; k < SANQI_WIDTH; k++) of_weights[k] += room->chances[i] * room->second[i][k];
    for (i = 0; i < SANQI_WIDTH; i++) {
        slopes->gate_biases[i] += of_weights[i];
        for (k = 0; k < SANQI_WIDTH; k++) {
            slopes->gates[i][k] += of_weights[i] * whole[k];
            of_whole[k] += of_weights[i] * net->gates[i][k] / 16;
        }
    }
    memset(room->first_slopes, 0, sizeof(room->first_slopes));
    for (i = 0; i < nearby; i++) {
        float deltas[SANQI_WIDTH];
        for (k = 0; k < SANQI_WIDTH; k++) {
            deltas[k] = room->second[i][k] > 0 ? room->chances[i] * weights[k] + of_whole[k] : 0;
            slopes->around_biases[k] += deltas[k];
        }
        for (j = 0; j < 9; j++) {
            place = position->nearby[i] + sanqi_around[j];
            for (k = 0; k < SANQI_WIDTH; k++) {
                slopes->around[j][k] += deltas[k] * room->first[place][k];
                room->first_slopes[place][k] += deltas[k] * net->around[j][k];
            }
        }
    }
    for (place = 0; place < SANQI_PLACES; place++) {
        const uint8_t *lines = position->lines[place];
        float deltas[SANQI_WIDTH];
        if (lines[0] == SANQI_OFF) continue;
        if (lines[0] >= SANQI_OWN_STONE) {
            for (k = 0; k < SANQI_WIDTH; k++)
                slopes->stones[lines[0] - SANQI_OWN_STONE][k] += room->first_slopes[place][k];
            continue;
        }
        for (k = 0; k < SANQI_WIDTH; k++) {
            deltas[k] = room->first[place][k] > 0 ? room->first_slopes[place][k] : 0;
            slopes->biases[k] += deltas[k];
        }
        for (j = 0; j < 4; j++)
            for (k = 0; k < SANQI_WIDTH; k++) slopes->inputs[lines[j]][k] += deltas[k];
    }
    return -log(chosen + 1e-30);
}

static double sanqi_order_pass_plain(
    const sanqi_order_net *net, sanqi_order_net *slopes, const sanqi_order_position *position, sanqi_order_room *room,
    int *is_best
) {
    return sanqi_order_pass_inline(net, slopes, position, room, is_best);
}

#ifdef SANQI_HAS_AVX2
__attribute__((target("avx2,fma"))) static double sanqi_order_pass_avx2(
    const sanqi_order_net *net, sanqi_order_net *slopes, const sanqi_order_position *position, sanqi_order_room *room,
    int *is_best
) {
    return sanqi_order_pass_inline(net, slopes, position, room, is_best);
}
#endif

static double sanqi_order_pass(
    const sanqi_order_net *net, sanqi_order_net *slopes, const sanqi_order_position *position, sanqi_order_room *room,
    int *is_best
) {
#ifdef SANQI_HAS_AVX2
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
        return sanqi_order_pass_avx2(net, slopes, position, room, is_best);
#endif
    return sanqi_order_pass_plain(net, slopes, position, room, is_best);
}
#endif
