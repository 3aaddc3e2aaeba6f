// Temporary directories of tests, in $TMPDIR or /tmp.
#ifndef SCRATCH_H
#define SCRATCH_H

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

enum { SCRATCH_SIZE = 256 };

// Creates a new directory and writes its path. Returns false and sets errno on failure.
static inline bool make_scratch(char path[SCRATCH_SIZE])
{
    const char *parent = getenv("TMPDIR");
    const int length = snprintf(path, SCRATCH_SIZE, "%s/wavepass-test-XXXXXX",
                                parent && parent[0] ? parent : "/tmp");
    return length < SCRATCH_SIZE && mkdtemp(path);
}

#endif
