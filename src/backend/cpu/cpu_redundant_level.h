// A level of a redundant bank on the CPU.
//
// Filters run along z into slices of the thread's scratch memory, then along y into rows with
// margins, then along x to the output, so that a level reads its input from memory once and writes
// its output once: the rows and slices that a filter reads are in a cache. Of inverses of volumes
// whose slices are too large for that, strips of rows pass all slices. Rows are visited in the
// order 0, s, 2s, ..., 1, 1 + s, ... with s the distance of taps, in which the filter along y moves
// by one row.
#ifndef WP_CPU_REDUNDANT_LEVEL_H
#define WP_CPU_REDUNDANT_LEVEL_H

#include "cpu_rows.h"
#include "operand.h"
#include "redundant.h"

// Samples that are contiguous along x.
struct wp_cpu_array {
    wp_real *data; // sample 0 of row 0 of slice 0
    ptrdiff_t row, slice;
};

// Where rows of a band are written: an array, or if its `data` is NULL an operand, for which they
// are converted and, if `weighted`, multiplied with wp_redundant_weight().
struct wp_cpu_sink {
    struct wp_cpu_array array;
    const struct wp_operand *operand; // a view of the band
    bool weighted;
    bool stream; // an array that is larger than the caches
};

// The taps of a bank from the smallest to the largest position of both filters; 0 where a filter
// has none.
struct wp_cpu_taps {
    int first, count;
    int begin[2], end[2]; // of each filter: other taps are 0
    wp_real tap[2][2 * WP_BANK_TAPS_MOST];
};

struct wp_cpu_redundant {
    const struct wp_cpu_rows *rows;
    struct wp_redundant bank;
    struct wp_cpu_taps taps;
    int size[WP_DIMS_MAX]; // of the arrays; slices without levels along z are independent
};

void wp_cpu_redundant_set(struct wp_cpu_redundant *redundant, const struct wp_description *d);

// Floats of scratch memory of a thread.
size_t wp_cpu_redundant_scratch(const struct wp_cpu_redundant *redundant);

// The taps of a level: along x the distance of each, and the largest to both sides; the step from a
// row to the next one.
struct wp_cpu_reach {
    int left, right, step;
    int tap[2 * WP_BANK_TAPS_MOST];
};

void wp_cpu_redundant_reach(const struct wp_cpu_redundant *redundant, int level,
                            struct wp_cpu_reach *reach);

// A level, from 1 on, by the rule of the bank. Arrays and sinks are numbered as enum wp_band.
struct wp_cpu_redundant_level {
    const struct wp_cpu_redundant *redundant;
    const struct wp_cpu_reach *reach;
    int level;
    // WP_LEVEL_JOIN: all bands. WP_LEVEL_MERGE: c - band in [0], the band in [axes]. Else only c.
    struct wp_cpu_array from[WP_OCTET_BANDS];
    struct wp_cpu_sink to[WP_OCTET_BANDS]; // JOIN and MERGE: only [0]
};

// The number of tasks that compute a level: any threads may share them. What a task writes past the
// caches is complete after finish_stream() of wp_cpu_rows.
int wp_cpu_redundant_tasks(const struct wp_cpu_redundant_level *level);
void wp_cpu_redundant_task(const struct wp_cpu_redundant_level *level, int task, wp_real *scratch);

// The row of a sink for results, which wp_cpu_sink_commit() then writes: in place, or `scratch`.
wp_real *wp_cpu_sink_row(const struct wp_cpu_sink *sink, int y, int z, wp_real *scratch);
void wp_cpu_sink_commit(const struct wp_cpu_redundant *redundant, const struct wp_cpu_sink *sink,
                        int y, int z, wp_real *row);

// Multiplies or divides a row by the weights of its samples, if the bank is weighted.
void wp_cpu_redundant_weight(const struct wp_cpu_redundant *redundant, int y, int z, bool divide,
                             wp_real *row);

#endif
