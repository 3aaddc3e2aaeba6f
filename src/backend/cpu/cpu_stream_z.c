#include "cpu_stream_z.h"

#include <string.h>

enum {
    LINE = 16,              // floats in a cache line
    STRIP_BYTES = 768 << 10 // of the second-level cache; the rest is for streamed data
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

bool wp_cpu_level_streams_z(const struct wp_cpu_level *level)
{
    const struct wp_cpu_sweep *sweep = &level->sweep[0];
    return level->sweeps == 1 && level->along_z && sweep->chain.pairs > 0 && sweep->along[WP_X] &&
           sweep->along[WP_Y];
}

static size_t round_up(size_t n)
{
    return (n + LINE - 1) / LINE * LINE;
}

// Floats between two joined sweeps.
static size_t between_floats(const struct wp_cpu_level *level)
{
    return round_up(wp_cpu_row_sweep_state(&level->sweep[0], 1));
}

int wp_cpu_stream_z_rows(const struct wp_cpu_level *level, int threads)
{
    const struct wp_cpu_sweep *sweep = &level->sweep[0];
    const int height = wp_cpu_extent(sweep->size[WP_Y], 0);
    const size_t row = wp_cpu_row_sweep_state(sweep, 1) - wp_cpu_row_sweep_state(sweep, 0);
    const int fit = (int)(STRIP_BYTES / (row * sizeof(float)));
    const int share = (height + threads - 1) / threads;
    const int max_rows = smaller(share, larger(fit, 8));
    const int strips = (height + max_rows - 1) / max_rows;
    return (height + strips - 1) / strips;
}

size_t wp_cpu_stream_z_floats(const struct wp_cpu_level *level, int rows)
{
    const struct wp_cpu_sweep *sweep = &level->sweep[0];
    return round_up(wp_cpu_row_sweep_state(sweep, rows)) + between_floats(level) +
           round_up(wp_cpu_sweep_ring(sweep));
}

// A strip that is processed slice by slice.
struct strip {
    const struct wp_cpu_level *level;
    const struct wp_cpu_rows *rows;
    const struct wp_cpu_quads *samples, *bands;
    int first, count; // rows of quads of the strip
    int depth;        // slices
    float *state, *between, *ring[2];
};

static int extended(const struct strip *m, int i)
{
    return wp_extend(lifting_of(m->level)->extension, i, m->depth);
}

// Sets half `half` of `quads` to a slice of samples, or of half `from_half` of the bands. A
// negative slice: no data.
static void set_half(struct wp_cpu_quads *quads, int half, const struct wp_cpu_quads *from,
                     int from_half, int slice)
{
    for (int c = 0; c < (from->samples ? 1 : WP_BAND_COUNT); c++) {
        const int to = c + WP_BAND_COUNT * half, b = c + WP_BAND_COUNT * from_half;
        quads->data[to] = slice < 0 ? NULL : from->data[b] + slice * from->slice[b];
        quads->pitch[to] = from->pitch[b];
    }
    quads->samples = from->samples;
}

// Reads a pair of slices, or of coefficients, and writes the pair that is then complete.
static void step(const struct strip *m, const struct wp_cpu_sweep sweep[2])
{
    const struct wp_cpu_sweep *z = &m->level->z[0];
    struct wp_cpu_row_sweep row_sweep[2];
    for (int i = 0; i < 2; i++)
        wp_cpu_row_sweep_start(&row_sweep[i], &sweep[i], m->rows, m->first, m->count, m->ring[i]);
    wp_cpu_row_sweep_join(&row_sweep[0], &row_sweep[1],
                          (const float[]){z->scale_out[0], z->scale_out[2]}, m->between, m->state);
    for (int steps = wp_cpu_row_sweep_steps(&row_sweep[0]); steps > 0; steps--)
        for (int i = 0; i < 2; i++)
            wp_cpu_row_sweep_step(&row_sweep[i]);
}

// Along z a chain processes an even slice with the odd slice before it.
static void set_forward(const struct strip *m, int newest, struct wp_cpu_sweep sweep[2])
{
    const int n = newest - m->level->sweep[0].chain.pairs;
    set_half(&sweep[0].from, 0, m->samples, 0, extended(m, 2 * newest));
    set_half(&sweep[1].from, 0, m->samples, 0, extended(m, 2 * newest - 1));
    for (int cz = 0; cz < 2; cz++)
        set_half(&sweep[1].to, cz, m->bands, cz, n < wp_cpu_extent(m->depth, cz) ? n : -1);
    for (int c = 0; c < WP_BAND_COUNT; c++)
        sweep[0].scale_out[c] = 1;
}

static void set_inverse(const struct strip *m, int newest, struct wp_cpu_sweep sweep[2])
{
    const int n = newest - m->level->sweep[0].chain.pairs;
    const int even = 2 * (n + 1), odd = 2 * n + 1;
    for (int cz = 0; cz < 2; cz++) {
        const int i = extended(m, 2 * newest + cz);
        set_half(&sweep[cz].from, 0, m->bands, cz, i < 0 ? -1 : i / 2);
        for (int c = 0; c < WP_BAND_COUNT; c++)
            sweep[cz].scale_in[c] *= m->level->z[0].scale_in[2 * cz];
    }
    set_half(&sweep[1].to, 0, m->samples, 0, even < m->depth ? even : -1);
    set_half(&sweep[1].to, 1, m->samples, 0, odd < m->depth ? odd : -1);
    sweep[0].to.samples = false;
}

void wp_cpu_stream_z_run(const struct wp_cpu_level *level, const struct wp_cpu_rows *rows,
                         const struct wp_cpu_quads *samples, const struct wp_cpu_quads *bands,
                         int first, int count, float *memory, float *ring)
{
    struct wp_cpu_quads plane = *samples;
    plane.samples = true;
    struct strip m = {
        .level = level,
        .rows = rows,
        .samples = &plane,
        .bands = bands,
        .first = first,
        .count = count,
        .depth = level->z[0].size[WP_Y],
        .state = memory,
        .ring = {ring},
    };
    const size_t state = round_up(wp_cpu_row_sweep_state(&level->sweep[0], count));
    m.between = m.state + state;
    m.ring[1] = m.between + between_floats(level);
    memset(memory, 0, state * sizeof *memory);
    const int lag = level->sweep[0].chain.pairs, pairs = wp_cpu_extent(m.depth, 0);
    for (int newest = -lag; newest < pairs + lag; newest++) {
        struct wp_cpu_sweep sweep[2] = {level->sweep[0], level->sweep[0]};
        if (lifting_of(level)->direction == WP_FORWARD)
            set_forward(&m, newest, sweep);
        else
            set_inverse(&m, newest, sweep);
        step(&m, sweep);
    }
}
