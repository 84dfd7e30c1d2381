"""Losses and gradients of a net of sparse inputs; gradients.h has the formulas."""

from libc.stdint cimport uint8_t, uint64_t
from libc.stdlib cimport free, malloc

from concurrent.futures import ThreadPoolExecutor

import numpy as np

cdef enum:
    CHUNK = 512  # samples that a thread decodes at once


cdef class Gradients:
    """What a batch of samples says of the weights of a net. A subclass knows what a sample is.

    Parameters
    ----------
    inputs, width : int
        Shape of the net; `width` is a multiple of 64, 1024 at most. Raises ValueError for another.
    threads : int
    """

    def __init__(self, int inputs, int width, int threads):
        if width % SANQI_LANES or not 0 < width <= SANQI_MAX_WIDTH:
            raise ValueError(f"a width of {width}: not a multiple of {SANQI_LANES} up to {SANQI_MAX_WIDTH}")
        self.shape.inputs = inputs
        self.shape.width = width
        self.threads = threads
        self.pool = ThreadPoolExecutor(threads)
        self.parts = [np.zeros(sanqi_parameters(self.shape), np.float32) for _ in range(threads)]

    cdef void decode(self, const uint8_t* raw, long count, sanqi_sample* samples, uint64_t seed) noexcept nogil:
        """Read samples; `seed` decides which of them are mirrored, 0: none."""
        pass

    def of_batch(self, const float[::1] weights, const uint8_t[::1] batch, seed: int) -> tuple:
        """(mean loss, its gradient by the weights, as a numpy array of float32) of samples, some of them mirrored.

        The weights: rows of the inputs, biases, outputs of the side to move and of the other, the output's bias.
        """
        loss = self.pass_all(weights, batch, True, seed)
        total = self.parts[0] / (len(batch) // self.sample_bytes)
        for part in self.parts[1:]:
            total += part / (len(batch) // self.sample_bytes)
        return loss, total

    def loss(self, const float[::1] weights, const uint8_t[::1] batch) -> float:
        """The mean loss of samples."""
        return self.pass_all(weights, batch, False, 0)

    def outputs(self, const float[::1] weights, const uint8_t[::1] batch):
        """The net's outputs for samples, as a numpy array of float32."""
        cdef long number, count = len(batch) // self.sample_bytes
        cdef float[::1] outputs = np.zeros(count, np.float32)
        cdef sanqi_sample sample
        for number in range(count):
            self.decode(&batch[number * self.sample_bytes], 1, &sample, 0)
            sanqi_train_pass(&weights[0], NULL, self.shape, &sample, 1, &outputs[number])
        return np.asarray(outputs)

    def decoded(self, const uint8_t[::1] batch, seed: int) -> tuple:
        """(active inputs, targets) of samples, some of them mirrored as of_batch() mirrors them.

        Arrays of int32, [sample, side to move or other, place], and of float32. Places that are left over have the
        number of inputs.
        """
        cdef long number, first, count = len(batch) // self.sample_bytes
        cdef int side, place
        active = np.full((count, 2, SANQI_MAX_ACTIVE), self.shape.inputs, np.int32)
        targets = np.empty(count, np.float32)
        cdef int[:, :, ::1] active_of = active
        cdef float[::1] target_of = targets
        cdef uint64_t seed_of = seed
        samples = np.empty(CHUNK * sizeof(sanqi_sample), np.uint8)
        cdef uint8_t[::1] room = samples
        cdef sanqi_sample* decoded = <sanqi_sample*> &room[0]
        for first in range(0, count, CHUNK):
            self.decode(
                &batch[first * self.sample_bytes], min(<long> CHUNK, count - first), decoded,
                seed_of + first if seed_of else 0,
            )
            for number in range(first, min(first + CHUNK, count)):
                target_of[number] = decoded[number - first].target
                for side in range(2):
                    for place in range(decoded[number - first].count[side]):
                        active_of[number, side, place] = decoded[number - first].active[side][place]
        return active, targets

    def pass_all(self, const float[::1] weights, const uint8_t[::1] batch, learn: bool, seed: int) -> float:
        count = len(batch) // self.sample_bytes
        # Whole chunks, so that which samples are mirrored does not depend on the number of threads.
        bounds = [count * part // (self.threads * CHUNK) * CHUNK for part in range(self.threads)] + [count]
        return sum(self.pool.map(
            lambda part: self.pass_part(weights, batch, bounds[part], bounds[part + 1], self.parts[part], learn, seed),
            range(self.threads),
        )) / count

    def pass_part(
        self, const float[::1] weights, const uint8_t[::1] batch, long first, long end, float[::1] gradients,
        bint learn, uint64_t seed,
    ) -> float:
        cdef sanqi_sample* samples = <sanqi_sample*> malloc(CHUNK * sizeof(sanqi_sample))
        cdef double loss = 0
        cdef long count
        if samples == NULL:
            raise MemoryError("no memory for samples")
        with nogil:
            if learn:
                gradients[:] = 0
            while first < end:
                count = min(<long> CHUNK, end - first)
                self.decode(&batch[first * self.sample_bytes], count, samples, seed + first if seed else 0)
                loss += sanqi_train_pass(
                    &weights[0], &gradients[0] if learn else NULL, self.shape, samples, count, NULL
                )
                first += count
        free(samples)
        return loss
