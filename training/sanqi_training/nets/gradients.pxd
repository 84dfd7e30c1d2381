from libc.stdint cimport int32_t, uint8_t, uint16_t, uint64_t

cdef extern from "gradients.h" nogil:
    enum: SANQI_MAX_WIDTH
    enum: SANQI_MAX_ACTIVE
    enum: SANQI_LANES
    ctypedef struct sanqi_shape:
        int32_t inputs
        int32_t width
    ctypedef struct sanqi_sample:
        int32_t count[2]
        uint16_t active[2][SANQI_MAX_ACTIVE]
        float target
    size_t sanqi_parameters(sanqi_shape shape)
    double sanqi_train_pass(
        const float* weights, float* gradients, sanqi_shape shape, const sanqi_sample* samples, long count,
        float* outputs,
    )

cdef class Gradients:
    cdef sanqi_shape shape
    cdef readonly int sample_bytes
    cdef object pool
    cdef int threads
    cdef object parts  # gradients of each thread

    cdef void decode(self, const uint8_t* raw, long count, sanqi_sample* samples, uint64_t seed) noexcept nogil
