/* Limits that callers must keep, looked at in a debug build (SANQI_DEBUG=1 in setup.py) alone: in any other build a
   check is nothing. A broken one ends the process with a line that names the limit. */
#ifndef SANQI_CHECK_H
#define SANQI_CHECK_H

#if defined(SANQI_DEBUG)
#include <stdio.h>
#include <stdlib.h>

#define sanqi_check(held, limit) ((held) ? (void)0 : sanqi_fail((limit), __FILE__, __LINE__))

static void sanqi_fail(const char *limit, const char *file, int line)
{
    fprintf(stderr, "sanqi: broken limit: %s (%s:%d)\n", limit, file, line);
    abort();
}
#else
#define sanqi_check(held, limit) ((void)0)
#endif

#endif
