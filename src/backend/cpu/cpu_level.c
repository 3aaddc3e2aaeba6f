#include "cpu_level.h"

#include "memory.h"
#include "min_max.h"

#include <stdlib.h>
#include <string.h>

// Sets a mask to row `row` of a pass's matrix.
static bool set_mask(struct wp_cpu_mask *mask, const struct wp_scheme *scheme, int pass, int row)
{
    const struct wp_poly *entry = scheme->pass[pass].core.at[row];
    const bool first = pass == 0, last = pass == scheme->pass_count - 1;
    int count = 0;
    for (int j = 0; j < WP_COMPONENTS; j++)
        count += entry[j].count;
    mask->term = wp_allocate((size_t)count, sizeof *mask->term, "a mask");
    mask->c = mask->term ? wp_allocate((size_t)count, sizeof *mask->c, "a mask") : NULL;
    if (!mask->c)
        return false;
    for (int j = 0; j < WP_COMPONENTS; j++) {
        for (int t = 0; t < entry[j].count; t++) {
            const struct wp_term *term = &entry[j].term[t];
            mask->term[mask->count] = (struct wp_cpu_term){j, {term->at[WP_X], term->at[WP_Y]}};
            mask->c[mask->count++] = (wp_real)(term->c * (first ? scheme->scale_in[j] : 1.0) *
                                               (last ? scheme->scale_out[row] : 1.0));
        }
    }
    return true;
}

// Uses the plain form, in which passes consist only of their matrices.
static bool set_masks(struct wp_cpu_level *level, const struct wp_description *description,
                      unsigned axes, bool separable)
{
    struct wp_description plain = *description;
    plain.kind = &wp_scheme_kinds[separable ? WP_SCHEME_SEP_CONVOLUTION
                                            : WP_SCHEME_NONSEP_CONVOLUTION];
    plain.form = WP_FORM_PLAIN;
    struct wp_scheme *scheme = wp_description_scheme(&plain, axes);
    if (!scheme)
        return false;
    bool ok = true;
    level->sweeps = scheme->pass_count;
    for (int s = 0; s < level->sweeps; s++) {
        level->sweep[s].masked = true;
        for (int b = 0; b < WP_BAND_COUNT; b++)
            ok = ok && set_mask(&level->sweep[s].mask[b], scheme, s, b);
    }
    wp_scheme_destroy(&scheme);
    return ok;
}

static void set_lifting(struct wp_cpu_level *level, const struct wp_lifting *lifting,
                        unsigned axes, bool rows)
{
    level->sweeps = rows && axes == WP_AXIS_BOTH ? 2 : 1;
    struct wp_cpu_sweep *first = &level->sweep[0], *last = &level->sweep[level->sweeps - 1];
    const bool y_first = wp_lifting_y_first(lifting);
    (y_first ? last : first)->along[WP_X] = axes & WP_AXIS_H;
    (y_first ? first : last)->along[WP_Y] = axes & WP_AXIS_V;
    for (unsigned b = 0; b < WP_BAND_COUNT; b++) {
        const wp_real gain = (wp_real)wp_lifting_gain(lifting, axes, b);
        *(lifting->direction == WP_FORWARD ? &last->scale_out[b] : &first->scale_in[b]) = gain;
    }
}

static void set_scales(struct wp_cpu_sweep *sweep)
{
    for (int b = 0; b < WP_BAND_COUNT; b++)
        sweep->scale_in[b] = sweep->scale_out[b] = 1;
}

static void finish(struct wp_cpu_sweep *sweep, int width, int height,
                   const struct wp_cpu_program *program)
{
    sweep->size[WP_X] = width;
    sweep->size[WP_Y] = height;
    sweep->program = program;
    wp_cpu_sweep_finish(sweep);
}

static bool set_slices(struct wp_cpu_level *level, const struct wp_description *d, int l,
                       const struct wp_cpu_method *method, const struct wp_cpu_program *program)
{
    const int size[] = {wp_description_size(d, WP_X, l), wp_description_size(d, WP_Y, l)};
    const unsigned axes = wp_lifting_axes(size, 2);
    for (int s = 0; s < 2; s++)
        set_scales(&level->sweep[s]);
    if (!method->masks || !axes)
        set_lifting(level, &program->lifting, axes,
                    method->rows ||
                        (wp_lifting_y_first(&program->lifting) && !program->chain.pairs));
    else if (!set_masks(level, d, axes, method->rows))
        return false;
    level->sweep[0].from.samples = d->direction == WP_FORWARD;
    level->sweep[level->sweeps - 1].to.samples = d->direction == WP_INVERSE;
    const bool image = wp_description_depth(d) == 1, forward = d->direction == WP_FORWARD;
    const int last = level->sweeps - 1;
    if (image && l == 0 && d->samples != WP_CPU_ELEMENT)
        level->sweep[forward ? 0 : last].typed = true;
    if (image && d->coefficients != WP_CPU_ELEMENT)
        level->sweep[forward ? last : 0].typed = true;
    for (int s = 0; s < level->sweeps; s++)
        finish(&level->sweep[s], size[WP_X], size[WP_Y], program);
    return true;
}

static void set_z(struct wp_cpu_level *level, const struct wp_description *d, int l,
                  const struct wp_cpu_program *program)
{
    const int width = wp_description_size(d, WP_X, l), depth = wp_description_size(d, WP_Z, l);
    level->along_z = true;
    for (int odd = 0; odd < 2; odd++) {
        struct wp_cpu_sweep *sweep = &level->z[odd];
        set_scales(sweep);
        for (unsigned b = 0; b < WP_BAND_COUNT; b++)
            *(d->direction == WP_FORWARD ? &sweep->scale_out[b] : &sweep->scale_in[b]) =
                (wp_real)program->lifting.gain[b >> WP_Y];
        sweep->along[WP_Y] = true;
        finish(sweep, level->sweeps ? wp_cpu_extent(width, odd) : width, depth, program);
    }
}

bool wp_cpu_level_set(struct wp_cpu_level *level, const struct wp_description *d, int l,
                      const struct wp_cpu_method *method, const struct wp_cpu_program *program)
{
    const unsigned axes = wp_description_axes(d, l + 1);
    *level = (struct wp_cpu_level){0};
    if ((axes & WP_AXIS_BOTH) && !set_slices(level, d, l, method, program))
        return false;
    if (axes >> WP_Z & 1 && wp_description_size(d, WP_Z, l) > 1)
        set_z(level, d, l, program);
    return true;
}

void wp_cpu_level_bind(struct wp_cpu_level *level, const struct wp_cpu_quads *from,
                       const struct wp_cpu_quads *to, const struct wp_cpu_quads *between)
{
    level->sweep[0].from = *from;
    level->sweep[level->sweeps - 1].to = *to;
    if (level->sweeps > 1)
        level->sweep[0].to = level->sweep[1].from = *between;
}

static void advance_quads(struct wp_cpu_quads *quads, int slice)
{
    for (int b = 0; slice > 0 && b < (quads->samples ? 1 : WP_BAND_COUNT); b++)
        quads->data[b] += slice * quads->slice[b];
}

struct wp_cpu_sweep wp_cpu_sweep_slice(const struct wp_cpu_sweep *sweep, int slice)
{
    struct wp_cpu_sweep moved = *sweep;
    advance_quads(&moved.from, slice);
    advance_quads(&moved.to, slice);
    return moved;
}

struct wp_cpu_sweep wp_cpu_level_row(const struct wp_cpu_level *level,
                                     const struct wp_cpu_quads *slices,
                                     const struct wp_cpu_quads *bands, int c, int row)
{
    struct wp_cpu_sweep sweep = level->z[c & 1];
    const bool forward = sweep.program->lifting.direction == WP_FORWARD;
    struct wp_cpu_quads *slices_z = forward ? &sweep.from : &sweep.to;
    struct wp_cpu_quads *bands_z = forward ? &sweep.to : &sweep.from;
    const int half = wp_cpu_extent(sweep.size[WP_X], 0);
    for (int i = 0; i < WP_BAND_COUNT; i++) {
        const int cx = i & 1, cz = i >> 1, band = c + WP_BAND_COUNT * cz;
        slices_z->data[i] = slices->data[c] + row * slices->pitch[c] + cx * half +
                         cz * slices->slice[c];
        slices_z->pitch[i] = 2 * slices->slice[c];
        bands_z->data[i] = bands->data[band] + row * bands->pitch[band] + cx * half;
        bands_z->pitch[i] = bands->slice[band];
    }
    return sweep;
}

void wp_cpu_level_free(struct wp_cpu_level *level)
{
    for (int s = 0; s < level->sweeps; s++) {
        for (int b = 0; b < WP_BAND_COUNT; b++) {
            free(level->sweep[s].mask[b].term);
            free(level->sweep[s].mask[b].c);
        }
    }
    *level = (struct wp_cpu_level){0};
}

// ---- streaming along z ----

// A level of a volume in one sweep: two row sweeps step down a pair of slices row by row, and the
// second one transforms the output of both along z. Memory is read and written once if the state
// along z of a strip stays in the second-level cache.

enum { STRIP_BYTES = 768 << 10 }; // of the second-level cache; the rest is for streamed data

static const struct wp_lifting *lifting_of(const struct wp_cpu_level *level)
{
    return &level->sweep[0].program->lifting;
}

bool wp_cpu_level_streams_z(const struct wp_cpu_level *level)
{
    const struct wp_cpu_sweep *sweep = &level->sweep[0];
    return WP_CPU_CHAIN_VOLUMES && level->sweeps == 1 && level->along_z && sweep->chain.state > 0 &&
           sweep->along[WP_X] &&
           sweep->along[WP_Y];
}

// Floats between two joined sweeps.
static size_t between_floats(const struct wp_cpu_level *level)
{
    return wp_cpu_round_up(wp_cpu_row_sweep_state(&level->sweep[0], 1));
}

int wp_cpu_stream_z_rows(const struct wp_cpu_level *level, int threads)
{
    const struct wp_cpu_sweep *sweep = &level->sweep[0];
    const int height = wp_cpu_extent(sweep->size[WP_Y], 0);
    const size_t row = wp_cpu_row_sweep_state(sweep, 1) - wp_cpu_row_sweep_state(sweep, 0);
    const int fit = (int)(STRIP_BYTES / (row * sizeof(wp_real)));
    const int share = (height + threads - 1) / threads;
    const int max_rows = wp_min(share, wp_max(fit, 8));
    const int strips = (height + max_rows - 1) / max_rows;
    return (height + strips - 1) / strips;
}

size_t wp_cpu_stream_z_floats(const struct wp_cpu_level *level, int rows)
{
    const struct wp_cpu_sweep *sweep = &level->sweep[0];
    return wp_cpu_round_up(wp_cpu_row_sweep_state(sweep, rows)) + between_floats(level) +
           wp_cpu_round_up(wp_cpu_sweep_ring(sweep));
}

// A strip that is processed slice by slice.
struct strip {
    const struct wp_cpu_level *level;
    const struct wp_cpu_rows *rows;
    const struct wp_cpu_quads *samples, *bands;
    int first, count; // rows of quads of the strip
    int depth;        // slices
    wp_real *state, *between, *ring[2];
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
                          (const wp_real[]){z->scale_out[0], z->scale_out[2]}, m->between,
                          m->state);
    for (int steps = wp_cpu_row_sweep_steps(&row_sweep[0]); steps > 0; steps--)
        for (int i = 0; i < 2; i++)
            wp_cpu_row_sweep_step(&row_sweep[i]);
}

static void set_forward(const struct strip *m, int newest, struct wp_cpu_sweep sweep[2])
{
    const struct wp_cpu_chain *chain = &m->level->sweep[0].chain;
    const int n = newest - chain->lag;
    set_half(&sweep[0].from, 0, m->samples, 0, extended(m, 2 * newest));
    set_half(&sweep[1].from, 0, m->samples, 0, extended(m, 2 * (newest - chain->below) + 1));
    for (int cz = 0; cz < 2; cz++)
        set_half(&sweep[1].to, cz, m->bands, cz, n < wp_cpu_extent(m->depth, cz) ? n : -1);
    for (int c = 0; c < WP_BAND_COUNT; c++)
        sweep[0].scale_out[c] = 1;
}

static void set_inverse(const struct strip *m, int newest, struct wp_cpu_sweep sweep[2])
{
    const struct wp_cpu_chain *chain = &m->level->sweep[0].chain;
    const int n = newest - chain->lag;
    const int even = 2 * (n + chain->above), odd = 2 * n + 1;
    for (int cz = 0; cz < 2; cz++) {
        const int i = extended(m, cz ? 2 * (newest - chain->below) + 1 : 2 * newest);
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
                         int first, int count, wp_real *memory, wp_real *ring)
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
    const size_t state = wp_cpu_round_up(wp_cpu_row_sweep_state(&level->sweep[0], count));
    m.between = m.state + state;
    m.ring[1] = m.between + between_floats(level);
    memset(memory, 0, state * sizeof *memory);
    const struct wp_cpu_chain *chain = &level->sweep[0].chain;
    const int pairs = wp_cpu_extent(m.depth, 0);
    for (int newest = -chain->before; newest < pairs + chain->lag; newest++) {
        struct wp_cpu_sweep sweep[2] = {level->sweep[0], level->sweep[0]};
        if (lifting_of(level)->direction == WP_FORWARD)
            set_forward(&m, newest, sweep);
        else
            set_inverse(&m, newest, sweep);
        step(&m, sweep);
    }
}
