// FFTs axis by axis, in blocks of lines. Blocks along y and z are copied to scratch memory, which
// stays in cache: the library then computes short problems, for which a plan is found quickly, in
// parallel. Scaling, and the order of an inverse's samples, are part of the copy back.
#include "fft.h"

#include "log.h"
#include "memory.h"
#include "threads.h"

#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { X, Y, Z };

struct wp_fft {
    int size[3];
    int threads;
    int longest;
    float unitary; // scale factor
    struct wp_fft_lines *rows[2];    // along x, by direction
    struct wp_fft_lines *columns[3]; // along y and z, forward
    float complex *scratch;          // per thread: a block and a line
};

// The arguments of wp_fft_run().
struct run {
    const struct wp_fft *fft;
    enum wp_fft_direction direction;
    float complex *samples;
};

static size_t scratch_samples(const struct wp_fft *fft)
{
    const size_t samples = (size_t)fft->longest * (WP_FFT_LINES + 1);
    const size_t aligned = WP_FFT_ALIGNMENT / sizeof(float complex);
    return (samples + aligned - 1) / aligned * aligned;
}

static float complex *block_of(const struct wp_fft *fft, int thread)
{
    return fft->scratch + (size_t)thread * scratch_samples(fft);
}

static float complex *line_of(const struct wp_fft *fft, int thread)
{
    return block_of(fft, thread) + (size_t)fft->longest * WP_FFT_LINES;
}

static struct wp_fft *create(const int size[3], int threads)
{
    struct wp_fft *fft = wp_allocate(1, sizeof *fft, "an FFT");
    double samples = 1;
    if (!fft)
        return NULL;
    for (int axis = X; axis <= Z; axis++) {
        fft->size[axis] = size[axis];
        samples *= size[axis];
        if (size[axis] > fft->longest)
            fft->longest = size[axis];
    }
    fft->threads = threads;
    fft->unitary = (float)(1 / sqrt(samples));
    const size_t bytes = (size_t)threads * scratch_samples(fft) * sizeof *fft->scratch;
    fft->scratch = aligned_alloc(WP_FFT_ALIGNMENT, bytes);
    if (fft->scratch)
        memset(fft->scratch, 0, bytes);
    else
        wp_fail(WP_ERROR_TOO_LARGE, "not enough memory for an FFT (%.1f MiB)",
                (double)bytes / 1048576);
    return fft;
}

struct wp_fft *wp_fft_create(const int size[3], int threads, enum wp_fft_effort effort)
{
    struct wp_fft *fft = create(size, threads);
    bool ok = fft && fft->scratch;
    for (int i = WP_FFT_FORWARD; ok && size[X] > 1 && i <= WP_FFT_INVERSE; i++) {
        fft->rows[i] =
            wp_fft_lines_create(size[X], WP_FFT_ROWS, (enum wp_fft_direction)i, effort);
        ok = fft->rows[i] != NULL;
    }
    for (int axis = Y; ok && axis <= Z; axis++) {
        if (size[axis] == 1)
            continue;
        fft->columns[axis] =
            wp_fft_lines_create(size[axis], WP_FFT_COLUMNS, WP_FFT_FORWARD, effort);
        ok = fft->columns[axis] != NULL;
    }
    if (!ok)
        wp_fft_destroy(&fft);
    return fft;
}

void wp_fft_destroy(struct wp_fft **slot)
{
    struct wp_fft *fft = *slot;
    *slot = NULL;
    if (!fft)
        return;
    for (int i = WP_FFT_FORWARD; i <= WP_FFT_INVERSE; i++)
        wp_fft_lines_destroy(&fft->rows[i]);
    for (int axis = Y; axis <= Z; axis++)
        wp_fft_lines_destroy(&fft->columns[axis]);
    free(fft->scratch);
    free(fft);
}

static bool is_aligned(const float complex *samples)
{
    return (uintptr_t)samples % WP_FFT_ALIGNMENT == 0;
}

static int blocks_of(size_t lines)
{
    return (int)((lines + WP_FFT_LINES - 1) / WP_FFT_LINES);
}

// Transforms a block of `lines` consecutive rows.
static void run_rows(const struct run *run, float complex *first, size_t lines, int thread)
{
    const struct wp_fft *fft = run->fft;
    const size_t samples = lines * (size_t)fft->size[X];
    const bool in_place = lines == WP_FFT_LINES && is_aligned(first);
    float complex *block = in_place ? first : block_of(fft, thread);
    if (!in_place)
        memcpy(block, first, samples * sizeof *block);
    wp_fft_lines_run(fft->rows[run->direction], block, line_of(fft, thread));
    if (!in_place)
        memcpy(first, block, samples * sizeof *block);
}

// Transforms a block of `lines` adjacent columns, whose samples are `step` apart. The inverse is a
// forward transform whose results are stored in the order 0, n - 1, n - 2, ..., 1.
static void run_columns(const struct run *run, int axis, float complex *first, size_t step,
                        size_t lines, float factor, int thread)
{
    const struct wp_fft *fft = run->fft;
    const size_t n = (size_t)fft->size[axis];
    const bool inverse = run->direction == WP_FFT_INVERSE;
    float complex *block = block_of(fft, thread);
    for (size_t i = 0; i < n; i++)
        memcpy(block + i * WP_FFT_LINES, first + i * step, lines * sizeof *block);
    wp_fft_lines_run(fft->columns[axis], block, line_of(fft, thread));
    for (size_t i = 0; i < n; i++) {
        const float complex *from = block + i * WP_FFT_LINES;
        float complex *to = first + (inverse && i > 0 ? n - i : i) * step;
        for (size_t j = 0; j < lines; j++)
            to[j] = factor * from[j];
    }
}

static size_t lines_in(size_t all, int block)
{
    const size_t left = all - (size_t)block * WP_FFT_LINES;
    return left < WP_FFT_LINES ? left : WP_FFT_LINES;
}

static void rows_task(void *user, int i, int thread)
{
    const struct run *run = user;
    const int *size = run->fft->size;
    run_rows(run, run->samples + (size_t)i * WP_FFT_LINES * (size_t)size[X],
             lines_in((size_t)size[Y] * (size_t)size[Z], i), thread);
}

static void columns_y(const struct run *run, float complex *slice, int i, float factor, int thread)
{
    const size_t width = (size_t)run->fft->size[X];
    run_columns(run, Y, slice + (size_t)i * WP_FFT_LINES, width, lines_in(width, i), factor,
                thread);
}

static void columns_y_task(void *user, int i, int thread)
{
    const struct run *run = user;
    columns_y(run, run->samples, i, run->fft->unitary, thread);
}

static void columns_z_task(void *user, int i, int thread)
{
    const struct run *run = user;
    const int *size = run->fft->size;
    const size_t slice = (size_t)size[X] * (size_t)size[Y];
    run_columns(run, Z, run->samples + (size_t)i * WP_FFT_LINES, slice, lines_in(slice, i),
                run->fft->unitary, thread);
}

// Transforms x and y of a slice while it is in cache.
static void slice_task(void *user, int z, int thread)
{
    const struct run *run = user;
    const size_t width = (size_t)run->fft->size[X], height = (size_t)run->fft->size[Y];
    float complex *slice = run->samples + (size_t)z * width * height;
    for (int i = 0; width > 1 && i < blocks_of(height); i++)
        run_rows(run, slice + (size_t)i * WP_FFT_LINES * width, lines_in(height, i), thread);
    for (int i = 0; height > 1 && i < blocks_of(width); i++)
        columns_y(run, slice, i, 1, thread);
}

void wp_fft_run(struct wp_fft *fft, enum wp_fft_direction direction, float complex *samples)
{
    struct run run = {fft, direction, samples};
    const size_t width = (size_t)fft->size[X], height = (size_t)fft->size[Y];
    if (fft->size[Z] > 1) {
        wp_threads_share(fft->threads, fft->size[Z], slice_task, &run);
        wp_threads_share(fft->threads, blocks_of(width * height), columns_z_task, &run);
        return;
    }
    if (width > 1)
        wp_threads_share(fft->threads, blocks_of(height), rows_task, &run);
    if (height > 1)
        wp_threads_share(fft->threads, blocks_of(width), columns_y_task, &run);
    else
        for (size_t i = 0; i < width; i++)
            samples[i] *= fft->unitary;
}
