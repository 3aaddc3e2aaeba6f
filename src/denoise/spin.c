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
    return s->planes *
           (2 * (double)samples_of(s->size) + (s->by_rows ? 0 : (double)samples_of(s->extent)));
}

bool wp_spin_allocate(struct wp_spin *s)
{
    const size_t planes = (size_t)s->planes, samples = planes * samples_of(s->size);
    s->plane = wp_allocate_pages(samples, sizeof(float), "planes to be shifted");
    s->sum = s->plane ? wp_allocate_pages(samples, sizeof(float), "the mean of shifts") : NULL;
    s->image = s->sum && !s->by_rows ? wp_allocate_pages(planes * samples_of(s->extent),
                                                         sizeof(float), "shifted planes")
                                     : NULL;
    return s->sum && (s->image || s->by_rows);
}

void wp_spin_free(struct wp_spin *s)
{
    free(s->plane);
    free(s->sum);
    free(s->image);
    s->plane = s->sum = s->image = NULL;
}

// The index of a sample at a position outside of 0..n-1.
static int extended(int at, int n, bool wraps)
{
    const int period = wraps ? n : n > 1 ? 2 * (n - 1) : 1;
    at %= period;
    at += at < 0 ? period : 0;
    return at < n ? at : period - at;
}

void wp_spin_position(const struct wp_spin *s, int number, int first[WP_DIMS_MAX])
{
    wp_spin_shift(number, s->levels, first);
    // Levels may be more than those of the size: of borders of PyWavelets, also of odd sizes.
    for (int a = 0; a < WP_DIMS_MAX; a++)
        first[a] = s->wraps ? first[a] % s->size[a] : first[a] + s->margin[a];
}

static size_t line_of(const struct wp_spin *s, int plane, int y, int z)
{
    const size_t slice = (size_t)plane * (size_t)s->size[WP_Z] + (size_t)z;
    return (slice * (size_t)s->size[WP_Y] + (size_t)y) * (size_t)s->size[WP_X];
}

void wp_spin_shift_row(const struct wp_spin *s, const int first[WP_DIMS_MAX], int plane, int y,
                       int z, float *to)
{
    const int n = s->size[WP_X], shift = first[WP_X], extent = s->extent[WP_X];
    const int end = n + shift < extent ? n + shift : extent;
    const float *from =
        s->plane + line_of(s, plane, extended(y - first[WP_Y], s->size[WP_Y], s->wraps),
                           extended(z - first[WP_Z], s->size[WP_Z], s->wraps));
    for (int x = 0; x < shift; x++)
        to[x] = from[extended(x - shift, n, s->wraps)];
    memcpy(to + shift, from, (size_t)(end - shift) * sizeof *to);
    for (int x = end; x < extent; x++)
        to[x] = from[extended(x - shift, n, s->wraps)];
}

// The position of a row of `extent` in the planes, or -1 if it is in no plane.
static int position(const struct wp_spin *s, const int first[WP_DIMS_MAX], int axis, int at)
{
    const int n = s->size[axis], back = at - first[axis];
    return s->wraps ? extended(back, n, true) : back < n ? back : -1;
}

void wp_spin_add_row(const struct wp_spin *s, const int first[WP_DIMS_MAX], bool replaces, int plane,
                     int y, int z, const float *from)
{
    const int n = s->size[WP_X], shift = first[WP_X];
    const int run = s->wraps ? n - shift : n; // samples before the row wraps
    const float weight = 1 / (float)s->shifts;
    const int v = position(s, first, WP_Y, y), w = position(s, first, WP_Z, z);
    if (v < 0 || w < 0)
        return;
    float *to = s->sum + line_of(s, plane, v, w);
    if (replaces)
        memset(to, 0, (size_t)n * sizeof *to);
    for (int x = 0; x < run; x++)
        to[x] += weight * from[x + shift];
    for (int x = run; x < n; x++)
        to[x] += weight * from[x - run];
}

struct job {
    struct wp_spin *spin;
    int first[WP_DIMS_MAX];
    bool out, replaces;
};

// Rows of `image`.
static void do_rows(void *user, int i, int thread)
{
    const struct job *j = user;
    const struct wp_spin *s = j->spin;
    const int *extent = s->extent, rows = s->planes * extent[WP_Z] * extent[WP_Y];
    (void)thread;
    for (int r = i * ROWS_AT_ONCE; r < rows && r < (i + 1) * ROWS_AT_ONCE; r++) {
        const int y = r % extent[WP_Y], z = r / extent[WP_Y] % extent[WP_Z];
        const int plane = r / extent[WP_Y] / extent[WP_Z];
        float *row = s->image + (size_t)r * (size_t)extent[WP_X];
        if (j->out)
            wp_spin_shift_row(s, j->first, plane, y, z, row);
        else
            wp_spin_add_row(s, j->first, j->replaces, plane, y, z, row);
    }
}

static void share(struct wp_spin *s, int number, bool out)
{
    struct job j = {.spin = s, .out = out, .replaces = number == 0};
    const int rows = s->planes * s->extent[WP_Z] * s->extent[WP_Y];
    wp_spin_position(s, number, j.first);
    wp_threads_share(wp_threads_count(), (rows + ROWS_AT_ONCE - 1) / ROWS_AT_ONCE, do_rows, &j);
}

void wp_spin_shift_out(struct wp_spin *s, int number)
{
    share(s, number, true);
}

void wp_spin_add(struct wp_spin *s, int number)
{
    share(s, number, false);
}
