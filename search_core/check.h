/* Limits that callers must keep. Only a debug build (SANQI_DEBUG=1, see setup.py) checks them: in other builds a check
   costs nothing. A broken limit ends the process with a line that names it. */
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
