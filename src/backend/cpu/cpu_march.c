#include "cpu_march.h"

#include <string.h>

enum {
    UNIT = 32,              // floats: two halves of whole vectors and cache lines
    STRIP_BYTES = 384 << 10 // a part of the second cache that leaves room for what passes through
};

static int larger(int a, int b)
{
    return a > b ? a : b;
}

static int smaller(int a, int b)
{
    return a < b ? a : b;
}

static const struct wp_lifting *lifting_of(const struct wp_cpu_level *level)
{
    return &level->sweep[0].program->lifting;
}

static bool is_forward(const struct wp_cpu_level *level)
{
    return lifting_of(level)->direction == WP_FORWARD;
}

bool wp_cpu_level_marches(const struct wp_cpu_level *level)
{
    return level->sweeps == 1 && level->along_z && level->z[0].program->chain.pairs > 0 &&
           lifting_of(level)->extension != WP_EXTEND_WRAP;
}

// Floats from row to row of a component in a strip.
static size_t pitch_of(const struct wp_cpu_level *level)
{
    const int width = wp_cpu_extent(level->sweep[0].size[WP_X], 0);
    return (size_t)(width + UNIT - 1) / UNIT * UNIT;
}

// Rows that an inverse sweep reads beyond a strip, at both ends together.
static int halo_of(const struct wp_cpu_level *level)
{
    return is_forward(level) ? 0 : level->sweep[0].low[WP_Y] + level->sweep[0].high[WP_Y];
}

// Of each row: four components of two slices, and the states of their chains.
static size_t row_floats(const struct wp_cpu_level *level)
{
    const size_t pairs = (size_t)level->z[0].program->chain.pairs;
    return WP_BAND_COUNT * pitch_of(level) * (2 + 2 * pairs);
}

// Rows of a component that go along z together, and room for the two of them that are on their way
// between the strip and a caller's memory.
enum { BATCH = 8, LOOSE_ROWS = 2 * BATCH + 1 };

int wp_cpu_march_rows(const struct wp_cpu_level *level, int threads)
{
    const int height = wp_cpu_extent(level->sweep[0].size[WP_Y], 0);
    const int fit = (int)(STRIP_BYTES / (row_floats(level) * sizeof(float))) - halo_of(level);
    const int share = (height + threads - 1) / threads;
    const int most = smaller(share, larger(fit, 8));
    const int strips = (height + most - 1) / most;
    return (height + strips - 1) / strips;
}

size_t wp_cpu_march_floats(const struct wp_cpu_level *level, int rows)
{
    return (size_t)(rows + halo_of(level)) * row_floats(level) + LOOSE_ROWS * pitch_of(level);
}

// A strip on its way through the slices.
struct march {
    const struct wp_cpu_level *level;
    const struct wp_cpu_rows *rows;
    const struct wp_cpu_quads *samples, *bands;
    int first, count;       // rows of quads of the strip
    int top, height;        // rows in the buffer, with what an inverse sweep reads beyond
    int depth;              // slices
    size_t pitch;
    float *slice[2];        // an even and an odd one: four components of `height` rows
    float *state, *loose, *ring;
};

static float *row_in(const struct march *m, int parity, int c, int row)
{
    return m->slice[parity] + ((size_t)c * (size_t)m->height + (size_t)(row - m->top)) * m->pitch;
}

// The components of a slice in the buffer, as a sweep takes them.
static struct wp_cpu_quads quads_in(const struct march *m, int parity)
{
    struct wp_cpu_quads quads = {0};
    for (int c = 0; c < WP_BAND_COUNT; c++) {
        quads.data[c] = row_in(m, parity, c, m->top) - (ptrdiff_t)m->top * (ptrdiff_t)m->pitch;
        quads.pitch[c] = (ptrdiff_t)m->pitch;
    }
    return quads;
}

// The strip of a slice along x and y, into the buffer or out of it.
static void sweep_slice(const struct march *m, int parity, int slice)
{
    struct wp_cpu_sweep sweep = m->level->sweep[0];
    struct wp_cpu_quads samples = *m->samples;
    samples.samples = true;
    samples.data[0] += slice * samples.slice[0];
    sweep.from = is_forward(m->level) ? samples : quads_in(m, parity);
    sweep.to = is_forward(m->level) ? quads_in(m, parity) : samples;
    wp_cpu_sweep_run(&sweep, m->rows, m->first, m->count, m->ring);
}

// Rows of a component in the strip that there are.
static int rows_of(const struct march *m, int c)
{
    return smaller(m->height, wp_cpu_extent(m->level->sweep[0].size[WP_Y], c >> WP_Y) - m->top);
}

static float *band_row(const struct march *m, int band, int row, int slice)
{
    const struct wp_cpu_quads *bands = m->bands;
    return bands->data[band] + row * bands->pitch[band] + slice * bands->slice[band];
}

// Rows of a component that lie one behind the other in the strip, as one.
struct batch {
    int c, first, count;
    size_t width; // floats of a row that there are
};

// The next ones behind `batch`, which starts with a count of 0. False behind the last.
static bool next_batch(const struct march *m, struct batch *batch)
{
    const int end = m->top + rows_of(m, batch->c);
    batch->width = (size_t)wp_cpu_extent(m->level->sweep[0].size[WP_X], batch->c & 1);
    batch->first += batch->count;
    batch->count = smaller(BATCH, end - batch->first);
    return batch->count > 0 && batch->width > 0;
}

// One step of the chain. An even and an odd part go in and come out.
static void step_batch(const struct march *m, const struct batch *batch, const float *const in[2],
                       float *const out[2])
{
    const struct wp_cpu_sweep *z = &m->level->z[batch->c & 1];
    const struct wp_cpu_chain *chain = &z->program->chain;
    const size_t half = (size_t)batch->count * m->pitch / 2;
    const size_t at = (size_t)batch->c * (size_t)m->height + (size_t)(batch->first - m->top);
    struct wp_cpu_chain_rows r = {
        .y = true,
        .quads = (int)half,
        .end = (int)half,
        .state = m->state + at * 2 * (size_t)chain->pairs * m->pitch,
    };
    for (int i = 0; i < WP_BAND_COUNT; i++) {
        const int cx = i & 1, cy = i >> 1;
        r.piece[1].in[cy][cx] = in[cy] + (cx ? half : 0);
        r.out[cy][cx] = out[cy] + (cx ? half : 0);
        r.scale_in[cy][cx] = z->scale_in[i];
        r.scale_out[cy][cx] = z->scale_out[i];
    }
    m->rows->chain(&r, chain);
}

static float *loose(const struct march *m, int cz, int row)
{
    return m->loose + (size_t)(cz * BATCH + row) * m->pitch;
}

// Slices in the buffer to a pair of coefficients; a number below 0 is one that nobody wants.
static void step_forward(const struct march *m, int low, int high)
{
    const int wanted[2] = {low, high};
    float *const out[2] = {loose(m, 0, 0), loose(m, 1, 0)};
    for (int c = 0; c < WP_BAND_COUNT; c++) {
        for (struct batch b = {.c = c, .first = m->top}; next_batch(m, &b);) {
            const float *const in[2] = {row_in(m, 0, c, b.first), row_in(m, 1, c, b.first)};
            step_batch(m, &b, in, out);
            for (int cz = 0; cz < 2; cz++)
                for (int i = 0; i < b.count && wanted[cz] >= 0; i++)
                    memcpy(band_row(m, c + WP_BAND_COUNT * cz, b.first + i, wanted[cz]),
                           loose(m, cz, i), b.width * sizeof(float));
        }
    }
}

// The other way; a number below 0 stands for zeros.
static void step_inverse(const struct march *m, int low, int high)
{
    const int given[2] = {low, high};
    const float *const in[2] = {loose(m, 0, 0), loose(m, 1, 0)};
    for (int c = 0; c < WP_BAND_COUNT; c++) {
        for (struct batch b = {.c = c, .first = m->top}; next_batch(m, &b);) {
            float *const out[2] = {row_in(m, 0, c, b.first), row_in(m, 1, c, b.first)};
            for (int i = 0; i < 2 * b.count; i++) {
                const int cz = i & 1, row = i >> 1;
                if (given[cz] < 0)
                    memset(loose(m, cz, row), 0, b.width * sizeof(float));
                else
                    memcpy(loose(m, cz, row),
                           band_row(m, c + WP_BAND_COUNT * cz, b.first + row, given[cz]),
                           b.width * sizeof(float));
            }
            step_batch(m, &b, in, out);
        }
    }
}

// Slice or coefficient number `i` of a parity, where there is one among `pairs`; else -1.
static int wanted(const struct march *m, int i, int parity)
{
    return i >= 0 && i < wp_cpu_extent(m->depth, parity) ? i : -1;
}

static int extended(const struct march *m, int i)
{
    return wp_extend(lifting_of(m->level)->extension, i, m->depth);
}

// Along z a chain takes the odd slice of the pair below with the even one.
static void march_forward(const struct march *m)
{
    const int lag = m->level->z[0].program->chain.pairs, pairs = wp_cpu_extent(m->depth, 0);
    for (int newest = -lag; newest < pairs + lag; newest++) {
        sweep_slice(m, 0, extended(m, 2 * newest));
        sweep_slice(m, 1, extended(m, 2 * newest - 1));
        step_forward(m, wanted(m, newest - lag, 0), wanted(m, newest - lag, 1));
    }
}

static void march_inverse(const struct march *m)
{
    const int lag = m->level->z[0].program->chain.pairs, pairs = wp_cpu_extent(m->depth, 0);
    for (int newest = -lag; newest < pairs + lag; newest++) {
        const int low = extended(m, 2 * newest), high = extended(m, 2 * newest + 1);
        const int even = wanted(m, newest - lag + 1, 0), odd = wanted(m, newest - lag, 1);
        step_inverse(m, low < 0 ? -1 : low / 2, high < 0 ? -1 : high / 2);
        if (even >= 0)
            sweep_slice(m, 0, 2 * even);
        if (odd >= 0)
            sweep_slice(m, 1, 2 * odd + 1);
    }
}

void wp_cpu_march_run(const struct wp_cpu_level *level, const struct wp_cpu_rows *rows,
                      const struct wp_cpu_quads *samples, const struct wp_cpu_quads *bands,
                      int first, int count, float *memory, float *ring)
{
    const struct wp_cpu_sweep *sweep = &level->sweep[0];
    const bool forward = is_forward(level);
    const int height = wp_cpu_extent(sweep->size[WP_Y], 0);
    const int top = forward ? first : larger(0, first - sweep->low[WP_Y]);
    const int end = forward ? first + count : smaller(height, first + count + sweep->high[WP_Y]);
    struct march m = {
        .level = level,
        .rows = rows,
        .samples = samples,
        .bands = bands,
        .first = first,
        .count = count,
        .top = top,
        .height = end - top,
        .depth = level->z[0].size[WP_Y],
        .pitch = pitch_of(level),
        .ring = ring,
    };
    const size_t slice = WP_BAND_COUNT * (size_t)m.height * m.pitch;
    m.slice[0] = memory;
    m.slice[1] = memory + slice;
    m.state = memory + 2 * slice;
    m.loose = m.state + 2 * (size_t)level->z[0].program->chain.pairs * slice;
    memset(memory, 0, wp_cpu_march_floats(level, count) * sizeof *memory);
    (forward ? march_forward : march_inverse)(&m);
}
