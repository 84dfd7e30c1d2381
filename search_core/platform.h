/* What the search needs and portable C11 does not have. */
#ifndef SANQI_PLATFORM_H
#define SANQI_PLATFORM_H

#include <stdint.h>
#include <stdlib.h>

#if defined(_WIN32)
#define WIN32_LEAN_AND_MEAN
#include <windows.h>
#else
#include <time.h>
#if defined(__linux__)
#include <sys/mman.h>
#endif
#endif

#if defined(_MSC_VER)
#include <intrin.h>
#define sanqi_load(p) (*(volatile long *)(p))
#define sanqi_store(p, v) ((void)_InterlockedExchange((volatile long *)(p), (v)))
#define sanqi_load_acquire(p) _InterlockedOr((volatile long *)(p), 0)
#define sanqi_store_release(p, v) ((void)_InterlockedExchange((volatile long *)(p), (v)))
#define sanqi_load_i64(p) InterlockedCompareExchange64((volatile LONG64 *)(p), 0, 0)
#define sanqi_store_i64(p, v) ((void)InterlockedExchange64((volatile LONG64 *)(p), (v)))
#define sanqi_prefetch(p) _mm_prefetch((const char *)(p), _MM_HINT_T0)
#else
#define sanqi_load(p) __atomic_load_n((p), __ATOMIC_RELAXED)
#define sanqi_store(p, v) __atomic_store_n((p), (v), __ATOMIC_RELAXED)
#define sanqi_load_acquire(p) __atomic_load_n((p), __ATOMIC_ACQUIRE)
#define sanqi_store_release(p, v) __atomic_store_n((p), (v), __ATOMIC_RELEASE)
#define sanqi_load_i64(p) __atomic_load_n((p), __ATOMIC_RELAXED)
#define sanqi_store_i64(p, v) __atomic_store_n((p), (v), __ATOMIC_RELAXED)
#define sanqi_prefetch(p) __builtin_prefetch(p)
#endif

/* Numbers of 8, 16, 32 and 64 bits that one thread writes while others read or write, in no order. Where the machine has no such
   access, a word may be torn: the table's check finds that, and a node count is off for a moment. */
#if defined(_MSC_VER)
#define sanqi_load8(p) (*(const volatile uint8_t *)(p))
#define sanqi_store8(p, v) (*(volatile uint8_t *)(p) = (v))
#define sanqi_load16(p) (*(const volatile int16_t *)(p))
#define sanqi_store16(p, v) (*(volatile int16_t *)(p) = (v))
#define sanqi_load32(p) (*(const volatile uint32_t *)(p))
#define sanqi_store32(p, v) (*(volatile uint32_t *)(p) = (v))
#else
#define sanqi_load8(p) __atomic_load_n((p), __ATOMIC_RELAXED)
#define sanqi_store8(p, v) __atomic_store_n((p), (v), __ATOMIC_RELAXED)
#define sanqi_load16(p) __atomic_load_n((p), __ATOMIC_RELAXED)
#define sanqi_store16(p, v) __atomic_store_n((p), (v), __ATOMIC_RELAXED)
#define sanqi_load32(p) __atomic_load_n((p), __ATOMIC_RELAXED)
#define sanqi_store32(p, v) __atomic_store_n((p), (v), __ATOMIC_RELAXED)
#endif
#if !defined(_MSC_VER) && defined(__GCC_ATOMIC_LLONG_LOCK_FREE) && __GCC_ATOMIC_LLONG_LOCK_FREE == 2
#define sanqi_load64(p) __atomic_load_n((p), __ATOMIC_RELAXED)
#define sanqi_store64(p, v) __atomic_store_n((p), (v), __ATOMIC_RELAXED)
#else
#define sanqi_load64(p) (*(const volatile uint64_t *)(p))
#define sanqi_store64(p, v) (*(volatile uint64_t *)(p) = (v))
#endif

/* The index of the lowest bit that is set; `bits` is not 0. */
static inline int sanqi_lowest_bit(uint32_t bits)
{
#if defined(_MSC_VER)
    unsigned long index;
    _BitScanForward(&index, bits);
    return (int)index;
#elif defined(__GNUC__)
    return __builtin_ctz(bits);
#else
    int index = 0;
    for (; !(bits & 1); bits >>= 1)
        ++index;
    return index;
#endif
}

/* Monotonic wall clock in nanoseconds. */
static int64_t sanqi_clock_ns(void)
{
#if defined(_WIN32)
    LARGE_INTEGER frequency, count;
    QueryPerformanceFrequency(&frequency);
    QueryPerformanceCounter(&count);
    return (count.QuadPart / frequency.QuadPart) * 1000000000LL +
           (count.QuadPart % frequency.QuadPart) * 1000000000LL / frequency.QuadPart;
#else
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000000LL + now.tv_nsec;
#endif
}

/* Zeroed memory aligned to a cache line, or NULL. On Linux it comes in huge
   pages where the system grants them, and pages are touched only on use. */
static void *sanqi_allocate(size_t bytes)
{
#if defined(__linux__)
    void *block = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (block == MAP_FAILED)
        return NULL;
    madvise(block, bytes, MADV_HUGEPAGE);
    return block;
#elif defined(_WIN32)
    return VirtualAlloc(NULL, bytes, MEM_RESERVE | MEM_COMMIT, PAGE_READWRITE);
#else
    return calloc(1, bytes);
#endif
}

/* Free physical memory in bytes; 0 except on Windows. */
static uint64_t sanqi_free_memory(void)
{
#if defined(_WIN32)
    MEMORYSTATUSEX status;
    status.dwLength = sizeof status;
    return GlobalMemoryStatusEx(&status) ? status.ullAvailPhys : 0;
#else
    return 0;
#endif
}

static void sanqi_release(void *block, size_t bytes)
{
#if defined(__linux__)
    munmap(block, bytes);
#elif defined(_WIN32)
    (void)bytes;
    VirtualFree(block, 0, MEM_RELEASE);
#else
    (void)bytes;
    free(block);
#endif
}

#endif
