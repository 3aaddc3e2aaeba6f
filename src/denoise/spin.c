#include "spin.h"

#include "memory.h"
#include "threads.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

// Odd, so that products modulo 2^k are all different, and far from multiples of 4, 8 and 16, so
// that the first positions are not next to each other.
enum { FACTOR = 11 };

enum { ROWS_AT_ONCE = 64 };

int wp_spin_count(const int levels[WP_DIMS_MAX])
{
    int bits = 0;
    for (int a = 0; a < WP_DIMS_MAX; a++)
        bits += levels[a];
    return bits < 31 ? 1 << bits : INT_MAX;
}

void wp_spin_shift(int number, const int levels[WP_DIMS_MAX], int shift[WP_DIMS_MAX])
{
    for (int a = 0; a < WP_DIMS_MAX; a++)
        shift[a] = 0;
    for (int level = 0; number > 0; level++) {
        for (int a = 0; a < WP_DIMS_MAX; a++) {
            if (level >= levels[a])
                continue;
            shift[a] |= (number & 1) << level;
            number >>= 1;
        }
    }
    for (int a = 0; a < WP_DIMS_MAX; a++)
        shift[a] = (int)((unsigned)shift[a] * FACTOR & ((1U << levels[a]) - 1));
}

void wp_spin_extend(struct wp_spin *s)
{
    int shift[WP_DIMS_MAX];
    for (int a = 0; a < WP_DIMS_MAX; a++)
        s->extent[a] = s->size[a] + 2 * s->margin[a];
    for (int i = 0; i < s->shifts && !s->wraps; i++) {
        wp_spin_shift(i, s->levels, shift);
        for (int a = 0; a < WP_DIMS_MAX; a++)
            if (s->size[a] + 2 * s->margin[a] + shift[a] > s->extent[a])
                s->extent[a] = s->size[a] + 2 * s->margin[a] + shift[a];
    }
}

static size_t samples_of(const int size[WP_DIMS_MAX])
{
    return (size_t)size[WP_X] * (size_t)size[WP_Y] * (size_t)size[WP_Z];
}

size_t wp_spin_plane(const struct wp_spin *s)
{
    return samples_of(s->size);
}

double wp_spin_samples(const struct wp_spin *s)
{
    return s->planes * (2 * (double)samples_of(s->size) + (double)samples_of(s->extent));
}

bool wp_spin_allocate(struct wp_spin *s)
{
    const size_t planes = (size_t)s->planes, samples = planes * samples_of(s->size);
    s->plane = wp_allocate_pages(samples, sizeof(float), "planes to be shifted");
    s->sum = s->plane ? wp_allocate_pages(samples, sizeof(float), "the mean of shifts") : NULL;
    s->image = s->sum ? wp_allocate_pages(planes * samples_of(s->extent), sizeof(float),
                                          "shifted planes")
                      : NULL;
    return s->image;
}

void wp_spin_free(struct wp_spin *s)
{
    free(s->plane);
    free(s->sum);
    free(s->image);
}

struct job {
    struct wp_spin *spin;
    int shift[WP_DIMS_MAX];
    bool first;
};

// The index of a sample at a position outside of 0..n-1.
static int extended(int at, int n, bool wraps)
{
    const int period = wraps ? n : n > 1 ? 2 * (n - 1) : 1;
    at %= period;
    at += at < 0 ? period : 0;
    return at < n ? at : period - at;
}

static void shift_row(const struct job *j, float *to, const float *from)
{
    const struct wp_spin *s = j->spin;
    const int n = s->size[WP_X], shift = j->shift[WP_X], extent = s->extent[WP_X];
    const int end = n + shift < extent ? n + shift : extent;
    for (int x = 0; x < shift; x++)
        to[x] = from[extended(x - shift, n, s->wraps)];
    memcpy(to + shift, from, (size_t)(end - shift) * sizeof *to);
    for (int x = end; x < extent; x++)
        to[x] = from[extended(x - shift, n, s->wraps)];
}

static void add_row(const struct job *j, float *to, const float *from)
{
    const struct wp_spin *s = j->spin;
    const int n = s->size[WP_X], shift = j->shift[WP_X];
    const int run = s->wraps ? n - shift : n; // samples before the row wraps
    const float weight = 1 / (float)s->shifts;
    if (j->first)
        memset(to, 0, (size_t)n * sizeof *to);
    for (int x = 0; x < run; x++)
        to[x] += weight * from[x + shift];
    for (int x = run; x < n; x++)
        to[x] += weight * from[x - run];
}

// The rows of `image` or, of results, of `sum`.
static void do_rows(const struct job *j, int first, const int size[WP_DIMS_MAX], bool out)
{
    const struct wp_spin *s = j->spin;
    const int height = size[WP_Y], depth = size[WP_Z], rows = s->planes * depth * height;
    for (int i = first; i < rows && i < first + ROWS_AT_ONCE; i++) {
        const int plane = i / height / depth, y = i % height, z = i / height % depth;
        int at[WP_DIMS_MAX] = {0};
        for (int a = WP_Y; a < WP_DIMS_MAX; a++) {
            const int here = a == WP_Y ? y : z;
            const int n = out ? s->size[a] : s->extent[a];
            at[a] = extended(out ? here - j->shift[a] : here + j->shift[a], n, s->wraps);
        }
        const int *other = out ? s->size : s->extent;
        const size_t line =
            ((size_t)plane * (size_t)other[WP_Z] + (size_t)at[WP_Z]) * (size_t)other[WP_Y] +
            (size_t)at[WP_Y];
        if (out)
            shift_row(j, s->image + (size_t)i * (size_t)s->extent[WP_X],
                      s->plane + line * (size_t)s->size[WP_X]);
        else
            add_row(j, s->sum + (size_t)i * (size_t)s->size[WP_X],
                    s->image + line * (size_t)s->extent[WP_X]);
    }
}

static void shift_rows(void *user, int i, int thread)
{
    const struct job *j = user;
    (void)thread;
    do_rows(j, i * ROWS_AT_ONCE, j->spin->extent, true);
}

static void add_rows(void *user, int i, int thread)
{
    const struct job *j = user;
    (void)thread;
    do_rows(j, i * ROWS_AT_ONCE, j->spin->size, false);
}

static void share(struct wp_spin *s, int number, const int size[WP_DIMS_MAX],
                  void (*task)(void *, int, int))
{
    struct job j = {.spin = s, .first = number == 0};
    const int rows = s->planes * size[WP_Z] * size[WP_Y];
    wp_spin_shift(number, s->levels, j.shift);
    // Levels may be more than those of the size: of borders of PyWavelets, also of odd sizes.
    for (int a = 0; a < WP_DIMS_MAX; a++)
        j.shift[a] = s->wraps ? j.shift[a] % s->size[a] : j.shift[a] + s->margin[a];
    wp_threads_share(wp_threads_count(), (rows + ROWS_AT_ONCE - 1) / ROWS_AT_ONCE, task, &j);
}

void wp_spin_shift_out(struct wp_spin *s, int number)
{
    share(s, number, s->extent, shift_rows);
}

void wp_spin_add(struct wp_spin *s, int number)
{
    share(s, number, s->size, add_rows);
}
