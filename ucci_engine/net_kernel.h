/* The two loops of an evaluation net, for each kind of processor: the sums of the first layer follow a move, and the
 * output is made of them. Every kernel gives the same numbers.
 *
 * The widths are multiples of 32, and no address needs to be aligned.
 */
#ifndef SANQI_NET_KERNEL_H
#define SANQI_NET_KERNEL_H

#include <stdint.h>
#include <string.h>

#define SANQI_NET_ONE 255 /* 1.0 of the first layer */

typedef struct {
    const char *name;
    /* to = from + added - removed - captured; `captured` may be NULL. */
    void (*update)(
        int16_t *to, const int16_t *from, const int16_t *added, const int16_t *removed, const int16_t *captured,
        int width
    );
    /* Sum of weights[i] * clamp(sums[i], 0, 255) squared; |weights[i]| <= 127. */
    int32_t (*output)(const int16_t *sums, const int16_t *weights, int width);
} sanqi_net_kernel;

/* ---------------------------------------------------------------- portable C */

static void sanqi_net_update_c(
    int16_t *to, const int16_t *from, const int16_t *added, const int16_t *removed, const int16_t *captured, int width
) {
    int i;
    if (captured) {
        for (i = 0; i < width; i++) to[i] = (int16_t)(from[i] + added[i] - removed[i] - captured[i]);
    } else {
        for (i = 0; i < width; i++) to[i] = (int16_t)(from[i] + added[i] - removed[i]);
    }
}

static int32_t sanqi_net_output_c(const int16_t *sums, const int16_t *weights, int width) {
    int32_t total = 0;
    int i;
    for (i = 0; i < width; i++) {
        int32_t x = sums[i];
        x = x < 0 ? 0 : x;
        x = x > SANQI_NET_ONE ? SANQI_NET_ONE : x;
        total += x * (x * weights[i]);
    }
    return total;
}

/* ---------------------------------------------------------------- x86: SSE2 is part of every 64-bit processor */

#if defined(__x86_64__) || defined(_M_X64)
#define SANQI_NET_X86 1
#include <emmintrin.h>
/* Microsoft's compiler has no functions for a target: there, SSE2 serves. */
#if !defined(_MSC_VER)
#define SANQI_NET_AVX2 1
#include <immintrin.h>
#define SANQI_AVX2 __attribute__((target("avx2")))
#endif

static void sanqi_net_update_sse2(
    int16_t *to, const int16_t *from, const int16_t *added, const int16_t *removed, const int16_t *captured, int width
) {
    int i;
    for (i = 0; i < width; i += 8) {
        __m128i x = _mm_loadu_si128((const __m128i *)(from + i));
        x = _mm_add_epi16(x, _mm_loadu_si128((const __m128i *)(added + i)));
        x = _mm_sub_epi16(x, _mm_loadu_si128((const __m128i *)(removed + i)));
        if (captured) x = _mm_sub_epi16(x, _mm_loadu_si128((const __m128i *)(captured + i)));
        _mm_storeu_si128((__m128i *)(to + i), x);
    }
}

static int32_t sanqi_net_output_sse2(const int16_t *sums, const int16_t *weights, int width) {
    const __m128i zero = _mm_setzero_si128(), one = _mm_set1_epi16(SANQI_NET_ONE);
    __m128i total = zero;
    int i;
    for (i = 0; i < width; i += 8) {
        __m128i x = _mm_loadu_si128((const __m128i *)(sums + i));
        x = _mm_min_epi16(_mm_max_epi16(x, zero), one);
        total = _mm_add_epi32(
            total, _mm_madd_epi16(x, _mm_mullo_epi16(x, _mm_loadu_si128((const __m128i *)(weights + i))))
        );
    }
    total = _mm_add_epi32(total, _mm_shuffle_epi32(total, 0x4E));
    total = _mm_add_epi32(total, _mm_shuffle_epi32(total, 0xB1));
    return _mm_cvtsi128_si32(total);
}

#ifdef SANQI_NET_AVX2
SANQI_AVX2 static void sanqi_net_update_avx2(
    int16_t *to, const int16_t *from, const int16_t *added, const int16_t *removed, const int16_t *captured, int width
) {
    int i;
    for (i = 0; i < width; i += 16) {
        __m256i x = _mm256_loadu_si256((const __m256i *)(from + i));
        x = _mm256_add_epi16(x, _mm256_loadu_si256((const __m256i *)(added + i)));
        x = _mm256_sub_epi16(x, _mm256_loadu_si256((const __m256i *)(removed + i)));
        if (captured) x = _mm256_sub_epi16(x, _mm256_loadu_si256((const __m256i *)(captured + i)));
        _mm256_storeu_si256((__m256i *)(to + i), x);
    }
}

SANQI_AVX2 static int32_t sanqi_net_output_avx2(const int16_t *sums, const int16_t *weights, int width) {
    const __m256i zero = _mm256_setzero_si256(), one = _mm256_set1_epi16(SANQI_NET_ONE);
    __m256i total = zero;
    __m128i half;
    int i;
    for (i = 0; i < width; i += 16) {
        __m256i x = _mm256_loadu_si256((const __m256i *)(sums + i));
        x = _mm256_min_epi16(_mm256_max_epi16(x, zero), one);
        total = _mm256_add_epi32(
            total, _mm256_madd_epi16(x, _mm256_mullo_epi16(x, _mm256_loadu_si256((const __m256i *)(weights + i))))
        );
    }
    half = _mm_add_epi32(_mm256_castsi256_si128(total), _mm256_extracti128_si256(total, 1));
    half = _mm_add_epi32(half, _mm_shuffle_epi32(half, 0x4E));
    half = _mm_add_epi32(half, _mm_shuffle_epi32(half, 0xB1));
    return _mm_cvtsi128_si32(half);
}

static int sanqi_net_has_avx2(void) {
    return __builtin_cpu_supports("avx2"); /* asks cpuid and xgetbv */
}
#endif
#endif

/* ---------------------------------------------------------------- ARM */

#if defined(__aarch64__) || defined(_M_ARM64)
#define SANQI_NET_ARM 1
#include <arm_neon.h>

static void sanqi_net_update_neon(
    int16_t *to, const int16_t *from, const int16_t *added, const int16_t *removed, const int16_t *captured, int width
) {
    int i;
    for (i = 0; i < width; i += 8) {
        int16x8_t x = vsubq_s16(vaddq_s16(vld1q_s16(from + i), vld1q_s16(added + i)), vld1q_s16(removed + i));
        if (captured) x = vsubq_s16(x, vld1q_s16(captured + i));
        vst1q_s16(to + i, x);
    }
}

static int32_t sanqi_net_output_neon(const int16_t *sums, const int16_t *weights, int width) {
    const int16x8_t zero = vdupq_n_s16(0), one = vdupq_n_s16(SANQI_NET_ONE);
    int32x4_t total = vdupq_n_s32(0);
    int i;
    for (i = 0; i < width; i += 8) {
        int16x8_t x = vminq_s16(vmaxq_s16(vld1q_s16(sums + i), zero), one);
        int16x8_t product = vmulq_s16(x, vld1q_s16(weights + i));
        total = vmlal_s16(total, vget_low_s16(x), vget_low_s16(product));
        total = vmlal_s16(total, vget_high_s16(x), vget_high_s16(product));
    }
    return vaddvq_s32(total);
}
#endif

/* The kernel of this name, or the best of this processor if it is empty; NULL: the processor has no such. */
static const sanqi_net_kernel *sanqi_net_kernel_of(const char *name) {
    static const sanqi_net_kernel kernels[] = {
#ifdef SANQI_NET_AVX2
        {"avx2", sanqi_net_update_avx2, sanqi_net_output_avx2},
#endif
#ifdef SANQI_NET_X86
        {"sse2", sanqi_net_update_sse2, sanqi_net_output_sse2},
#endif
#ifdef SANQI_NET_ARM
        {"neon", sanqi_net_update_neon, sanqi_net_output_neon},
#endif
        {"c", sanqi_net_update_c, sanqi_net_output_c},
    };
    size_t i;
    for (i = 0; i < sizeof(kernels) / sizeof(kernels[0]); i++) {
#ifdef SANQI_NET_AVX2
        if (i == 0 && !sanqi_net_has_avx2()) continue;
#endif
        if (name[0] == 0 || strcmp(name, kernels[i].name) == 0) return &kernels[i];
    }
    return NULL;
}
#endif
