/* One pass of a batch through a net of sparse inputs: inputs -> width, for both sides, -> 1.
 *
 * A sample lists the active inputs of the side to move, then those of the other side. The output is
 *     bias + sum over j of own[j] * f(a[j]) + other[j] * f(b[j]),   f(x) = clamp(x, 0, 1) squared (SCReLU),
 * where a and b are the sums of the rows of the active inputs, and the row of biases.
 * The loss is the square of sigmoid(output) - target.
 */
#ifndef SANQI_GRADIENTS_H
#define SANQI_GRADIENTS_H

#include <math.h>
#include <stdint.h>
#include <string.h>

#define SANQI_MAX_WIDTH 1024
#define SANQI_MAX_ACTIVE 32
#define SANQI_LANES 64 /* floats of a row that are summed in registers */

#if defined(__GNUC__) && defined(__x86_64__)
#define SANQI_HAS_AVX2 1
#define SANQI_INLINE static inline __attribute__((always_inline))
#else
#define SANQI_INLINE static inline
#endif

typedef struct {
    int32_t inputs;
    int32_t width;
} sanqi_shape;

typedef struct {
    int32_t count[2];                       /* active inputs, of the side to move and of the other */
    uint16_t active[2][SANQI_MAX_ACTIVE];
    float target;
} sanqi_sample;

/* In one array: rows of the inputs, the row of biases, own, other, the bias of the output. */
SANQI_INLINE size_t sanqi_parameters(sanqi_shape shape) {
    return (size_t)(shape.inputs + 3) * shape.width + 1;
}

SANQI_INLINE void sanqi_sum_rows(
    const float *weights, sanqi_shape shape, const uint16_t *active, int count, float *sums
) {
    const float *biases = weights + (size_t)shape.inputs * shape.width;
    int start, i, j;
    for (start = 0; start < shape.width; start += SANQI_LANES) {
        float lanes[SANQI_LANES];
        for (j = 0; j < SANQI_LANES; j++) lanes[j] = biases[start + j];
        for (i = 0; i < count; i++) {
            const float *row = weights + (size_t)active[i] * shape.width + start;
            for (j = 0; j < SANQI_LANES; j++) lanes[j] += row[j];
        }
        for (j = 0; j < SANQI_LANES; j++) sums[start + j] = lanes[j];
    }
}

SANQI_INLINE float sanqi_output(const float *weights, sanqi_shape shape, const float *sums) {
    const float *out = weights + (size_t)(shape.inputs + 1) * shape.width;
    float lanes[16] = {0}, total = 0;
    int i, j;
    for (i = 0; i < 2 * shape.width; i += 16)
        for (j = 0; j < 16; j++) {
            float x = sums[i + j];
            x = x < 0 ? 0 : x;
            x = x > 1 ? 1 : x;
            lanes[j] += x * x * out[i + j];
        }
    for (j = 0; j < 16; j++) total += lanes[j];
    return total + out[2 * shape.width];
}

/* Adds the gradients of a part of a batch, and writes the outputs, unless those are NULL; returns the sum of its
 * losses. */
SANQI_INLINE double sanqi_pass(
    const float *weights, float *gradients, sanqi_shape shape, const sanqi_sample *samples, long count,
    float *outputs
) {
    const float *out = weights + (size_t)(shape.inputs + 1) * shape.width;
    float *out_gradient = gradients ? gradients + (size_t)(shape.inputs + 1) * shape.width : 0;
    float *bias_gradient = gradients ? gradients + (size_t)shape.inputs * shape.width : 0;
    float sums[2 * SANQI_MAX_WIDTH], deltas[SANQI_MAX_WIDTH];
    double loss = 0;
    long n;
    int side, i, j, start;
    for (n = 0; n < count; n++) {
        const sanqi_sample *sample = &samples[n];
        float output, guess, error, slope;
        for (side = 0; side < 2; side++)
            sanqi_sum_rows(weights, shape, sample->active[side], sample->count[side], sums + side * shape.width);
        output = sanqi_output(weights, shape, sums);
        if (outputs) outputs[n] = output;
        guess = 1.0f / (1.0f + expf(-output));
        error = guess - sample->target;
        loss += (double)error * error;
        if (!gradients) continue;
        slope = 2 * error * guess * (1 - guess);
        out_gradient[2 * shape.width] += slope;
        for (side = 0; side < 2; side++) {
            const float *x = sums + side * shape.width, *w = out + side * shape.width;
            float *g = out_gradient + side * shape.width;
            for (j = 0; j < shape.width; j++) {
                float c = x[j] < 0 ? 0 : x[j];
                c = c > 1 ? 1 : c;
                g[j] += slope * c * c;
                deltas[j] = x[j] > 0 && x[j] < 1 ? 2 * slope * c * w[j] : 0;
                bias_gradient[j] += deltas[j];
            }
            for (start = 0; start < shape.width; start += SANQI_LANES)
                for (i = 0; i < sample->count[side]; i++) {
                    float *row = gradients + (size_t)sample->active[side][i] * shape.width + start;
                    for (j = 0; j < SANQI_LANES; j++) row[j] += deltas[start + j];
                }
        }
    }
    return loss;
}

static double sanqi_pass_plain(
    const float *weights, float *gradients, sanqi_shape shape, const sanqi_sample *samples, long count,
    float *outputs
) {
    return sanqi_pass(weights, gradients, shape, samples, count, outputs);
}

#ifdef SANQI_HAS_AVX2
__attribute__((target("avx2,fma"))) static double sanqi_pass_avx2(
    const float *weights, float *gradients, sanqi_shape shape, const sanqi_sample *samples, long count,
    float *outputs
) {
    return sanqi_pass(weights, gradients, shape, samples, count, outputs);
}
#endif

static int sanqi_has_avx2(void) {
#ifdef SANQI_HAS_AVX2
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
#else
    return 0;
#endif
}

static double sanqi_train_pass(
    const float *weights, float *gradients, sanqi_shape shape, const sanqi_sample *samples, long count,
    float *outputs
) {
#ifdef SANQI_HAS_AVX2
    if (sanqi_has_avx2()) return sanqi_pass_avx2(weights, gradients, shape, samples, count, outputs);
#endif
    return sanqi_pass_plain(weights, gradients, shape, samples, count, outputs);
}
#endif
