/* Gomoku's net, for each kind of processor. Every kernel gives the same numbers. docs/nets.md describes the net. */
#ifndef SANQI_GOMOKU_NET_KERNEL_H
#define SANQI_GOMOKU_NET_KERNEL_H

#include <stdint.h>
#include <string.h>

#define SANQI_WIDTH 16
/* board.pxd has the same figures. */
#define SANQI_STRIDE 32
#define SANQI_POINTS (32 * 32)
#define SANQI_VACANT 2
#define SANQI_WALL 3
#define SANQI_SCORE_ONE 4200
#define SANQI_BEST_SCORE 24000

typedef struct {
    int16_t inputs[256][SANQI_WIDTH];      /* [own class << 4 | other's class of a line]; 1.0 is 4096 */
    int16_t stones[2][SANQI_WIDTH];        /* the neurons of a point with a stone, own and the other's */
    int16_t biases[SANQI_WIDTH];
    int16_t around[9][SANQI_WIDTH];        /* of the points around and the point itself, row by row; 8192 */
    int16_t around_biases[SANQI_WIDTH];    /* 512, as the neurons of the second layer */
    int16_t gates[SANQI_WIDTH][SANQI_WIDTH]; /* 4096 */
    int32_t gate_biases[SANQI_WIDTH];      /* 2 ** 22 */
} sanqi_net;

/* The first layer as a side sees the board, and the board that it is of. */
typedef struct {
    int16_t neurons[SANQI_POINTS][SANQI_WIDTH];
    uint16_t own[SANQI_POINTS], other[SANQI_POINTS];
    uint8_t content[SANQI_POINTS];
} sanqi_view;

typedef struct {
    const char *name;
    void (*follow)(
        const sanqi_net *net, sanqi_view *view, const uint16_t *own, const uint16_t *other, const uint8_t *content,
        int side, int first_row, int rows
    );
    void (*neighbours)(
        const sanqi_net *net, const sanqi_view *view, const uint64_t *nearby, int first_row, int rows,
        int16_t (*neurons)[SANQI_WIDTH], int32_t *sums
    );
    void (*scores)(
        const sanqi_net *net, const int16_t (*neurons)[SANQI_WIDTH], const int32_t *sums, const uint32_t *moves,
        int count, int32_t *scores
    );
} sanqi_net_kernel;

static inline int16_t sanqi_int16(int32_t x) {
    return (int16_t)(x < INT16_MIN ? INT16_MIN : x > INT16_MAX ? INT16_MAX : x);
}

/* ---------------------------------------------------------------- portable C */

typedef struct { int16_t lane[SANQI_WIDTH]; } sanqi_vector_c;
typedef struct { int32_t lane[SANQI_WIDTH]; } sanqi_wide_c;

static inline sanqi_vector_c load_c(const int16_t *from) {
    sanqi_vector_c x;
    memcpy(x.lane, from, sizeof(x.lane));
    return x;
}
static inline void store_c(int16_t *to, sanqi_vector_c x) { memcpy(to, x.lane, sizeof(x.lane)); }
static inline sanqi_vector_c add_c(sanqi_vector_c x, sanqi_vector_c y) {
    int i;
    for (i = 0; i < SANQI_WIDTH; i++) x.lane[i] = (int16_t)(x.lane[i] + y.lane[i]);
    return x;
}
static inline sanqi_vector_c scaled_c(const int16_t *a, const int16_t *b) {
    sanqi_vector_c x;
    int i;
    for (i = 0; i < SANQI_WIDTH; i++) x.lane[i] = (int16_t)((int32_t)a[i] * b[i] >> 16);
    return x;
}
static inline sanqi_vector_c positive_c(sanqi_vector_c x) {
    int i;
    for (i = 0; i < SANQI_WIDTH; i++) x.lane[i] = x.lane[i] < 0 ? 0 : x.lane[i];
    return x;
}
static inline int32_t dot_c(sanqi_vector_c x, const int16_t *b) {
    int32_t total = 0;
    int i;
    for (i = 0; i < SANQI_WIDTH; i++) total += (int32_t)x.lane[i] * b[i];
    return total;
}
static inline sanqi_wide_c zero_c(void) {
    sanqi_wide_c x = {{0}};
    return x;
}
static inline sanqi_wide_c widened_c(sanqi_wide_c total, sanqi_vector_c x) {
    int i;
    for (i = 0; i < SANQI_WIDTH; i++) total.lane[i] += x.lane[i];
    return total;
}
static inline void store_wide_c(int32_t *to, sanqi_wide_c x) { memcpy(to, x.lane, sizeof(x.lane)); }

#define VECTOR sanqi_vector_c
#define WIDE sanqi_wide_c
#define OP(name) name##_c
#define LAYER(name) sanqi_net_##name##_c
#include "gomoku_net_layers.h"

/* ---------------------------------------------------------------- x86: SSE2 is part of every 64-bit processor */

#if defined(__x86_64__) || defined(_M_X64)
#define SANQI_NET_X86 1
#include <emmintrin.h>

typedef struct { __m128i low, high; } sanqi_vector_sse2;
typedef struct { __m128i part[4]; } sanqi_wide_sse2;

static inline sanqi_vector_sse2 load_sse2(const int16_t *from) {
    sanqi_vector_sse2 x;
    x.low = _mm_loadu_si128((const __m128i *)from);
    x.high = _mm_loadu_si128((const __m128i *)(from + 8));
    return x;
}
static inline void store_sse2(int16_t *to, sanqi_vector_sse2 x) {
    _mm_storeu_si128((__m128i *)to, x.low);
    _mm_storeu_si128((__m128i *)(to + 8), x.high);
}
static inline sanqi_vector_sse2 add_sse2(sanqi_vector_sse2 x, sanqi_vector_sse2 y) {
    x.low = _mm_add_epi16(x.low, y.low);
    x.high = _mm_add_epi16(x.high, y.high);
    return x;
}
static inline sanqi_vector_sse2 scaled_sse2(const int16_t *a, const int16_t *b) {
    sanqi_vector_sse2 x = load_sse2(a), y = load_sse2(b);
    x.low = _mm_mulhi_epi16(x.low, y.low);
    x.high = _mm_mulhi_epi16(x.high, y.high);
    return x;
}
static inline sanqi_vector_sse2 positive_sse2(sanqi_vector_sse2 x) {
    const __m128i zero = _mm_setzero_si128();
    x.low = _mm_max_epi16(x.low, zero);
    x.high = _mm_max_epi16(x.high, zero);
    return x;
}
static inline int32_t dot_sse2(sanqi_vector_sse2 x, const int16_t *b) {
    sanqi_vector_sse2 y = load_sse2(b);
    __m128i total = _mm_add_epi32(_mm_madd_epi16(x.low, y.low), _mm_madd_epi16(x.high, y.high));
    total = _mm_add_epi32(total, _mm_shuffle_epi32(total, 0x4E));
    total = _mm_add_epi32(total, _mm_shuffle_epi32(total, 0xB1));
    return _mm_cvtsi128_si32(total);
}
static inline sanqi_wide_sse2 zero_sse2(void) {
    sanqi_wide_sse2 x;
    x.part[0] = x.part[1] = x.part[2] = x.part[3] = _mm_setzero_si128();
    return x;
}
static inline sanqi_wide_sse2 widened_sse2(sanqi_wide_sse2 total, sanqi_vector_sse2 x) { /* no lane is negative */
    const __m128i zero = _mm_setzero_si128();
    total.part[0] = _mm_add_epi32(total.part[0], _mm_unpacklo_epi16(x.low, zero));
    total.part[1] = _mm_add_epi32(total.part[1], _mm_unpackhi_epi16(x.low, zero));
    total.part[2] = _mm_add_epi32(total.part[2], _mm_unpacklo_epi16(x.high, zero));
    total.part[3] = _mm_add_epi32(total.part[3], _mm_unpackhi_epi16(x.high, zero));
    return total;
}
static inline void store_wide_sse2(int32_t *to, sanqi_wide_sse2 x) {
    int i;
    for (i = 0; i < 4; i++) _mm_storeu_si128((__m128i *)(to + 4 * i), x.part[i]);
}

#define VECTOR sanqi_vector_sse2
#define WIDE sanqi_wide_sse2
#define OP(name) name##_sse2
#define LAYER(name) sanqi_net_##name##_sse2
#include "gomoku_net_layers.h"
#endif

/* The kernel of this name, or the best of this processor if it is empty; NULL: the processor has no such. */
static const sanqi_net_kernel *sanqi_net_kernel_of(const char *name) {
    static const sanqi_net_kernel kernels[] = {
#ifdef SANQI_NET_X86
        {"sse2", sanqi_net_follow_sse2, sanqi_net_neighbours_sse2, sanqi_net_scores_sse2},
#endif
        {"c", sanqi_net_follow_c, sanqi_net_neighbours_c, sanqi_net_scores_c},
    };
    size_t i;
    for (i = 0; i < sizeof(kernels) / sizeof(kernels[0]); i++)
        if (name[0] == 0 || strcmp(name, kernels[i].name) == 0) return &kernels[i];
    return NULL;
}
#endif
