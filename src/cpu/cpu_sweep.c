#include "cpu_sweep.h"

#include <string.h>

enum {
    LINE = 16,  // floats in a cache line
    CHUNK = 512 // columns that go through all steps while they are in the first cache
};

static int larger(int a, int b)
{
    return a > b ? a : b;
}

static int smaller(int a, int b)
{
    return a < b ? a : b;
}

static int lowest(const struct wp_cpu_step *step)
{
    return step->count ? step->k[0] : 0;
}

static int highest(const struct wp_cpu_step *step)
{
    return step->count ? step->k[step->count - 1] : 0;
}

static void set_step(struct wp_cpu_step *step, const struct wp_filter *filter, bool odd,
                     double sign)
{
    *step = (struct wp_cpu_step){.odd = odd, .count = filter->count};
    for (int t = 0; t < filter->count; t++) {
        step->k[t] = filter->tap[t].k;
        step->c[t] = (float)(sign * filter->tap[t].c);
    }
}

// Where a step's result is needed follows from the steps after it.
static void set_extents(struct wp_cpu_axis *axis)
{
    int before[2] = {0, 0}, after[2] = {0, 0}; // of even and odd samples
    for (int s = axis->steps - 1; s >= 0; s--) {
        struct wp_cpu_step *step = &axis->step[s];
        step->before = before[step->odd];
        step->after = after[step->odd];
        before[!step->odd] = larger(before[!step->odd], step->before - lowest(step));
        after[!step->odd] = larger(after[!step->odd], step->after + highest(step));
    }
}

// A step may run at n once the step before it has made everything that it reads, and has read
// what this step overwrites.
static void set_lags(struct wp_cpu_axis *axis)
{
    int lag = 0, lowest_before = 0;
    for (int s = 0; s < axis->steps; s++) {
        struct wp_cpu_step *step = &axis->step[s];
        lag += larger(0, larger(highest(step), -lowest_before));
        lowest_before = lowest(step);
        step->lag = lag;
    }
}

// Two taps at k0 and k0 + 1, of which the filter may have one or none. False for any other.
static bool as_pair(const struct wp_cpu_step *step, int k0, float c[2])
{
    c[0] = c[1] = 0;
    for (int t = 0; t < step->count; t++) {
        if (step->k[t] != k0 && step->k[t] != k0 + 1)
            return false;
        c[step->k[t] - k0] = step->c[t];
    }
    return true;
}

static void set_chain(struct wp_cpu_axis *axis)
{
    struct wp_cpu_chain chain = {.pairs = axis->steps / 2};
    axis->chain.pairs = 0;
    if (chain.pairs > WP_CPU_CHAIN_PAIRS)
        return;
    // A step on odd samples reads even ones at 0 and 1; one on even samples odd ones at -1, 0.
    for (int s = 0; s < axis->steps; s++)
        if (!as_pair(&axis->step[s], axis->step[s].odd ? 0 : -1, &chain.c[s / 2][s % 2 * 2]))
            return;
    axis->chain = chain;
    axis->mirrored = !axis->step[0].odd;
}

void wp_cpu_axis_set(struct wp_cpu_axis *axis, const struct wp_wavelet *wavelet,
                     enum wp_direction direction)
{
    *axis = (struct wp_cpu_axis){0};
    for (int p = 0; p < wavelet->pairs; p++) {
        struct wp_cpu_step *step = &axis->step[axis->steps];
        axis->steps += 2;
        if (direction == WP_FORWARD) {
            set_step(&step[0], &wavelet->pair[p].predict, true, 1);
            set_step(&step[1], &wavelet->pair[p].update, false, 1);
        } else {
            const struct wp_pair *pair = &wavelet->pair[wavelet->pairs - 1 - p];
            set_step(&step[0], &pair->update, false, -1);
            set_step(&step[1], &pair->predict, true, -1);
        }
    }
    set_extents(axis);
    set_lags(axis);
    set_chain(axis);
}

// What the steps of an axis read beyond the domain.
static void axis_reach(const struct wp_cpu_axis *axis, int *before, int *after)
{
    *before = *after = 0;
    for (int s = 0; s < axis->steps; s++) {
        const struct wp_cpu_step *step = &axis->step[s];
        *before = larger(*before, larger(step->before, step->before - lowest(step)));
        *after = larger(*after, larger(step->after, step->after + highest(step)));
    }
}

static void set_lifting_ring(struct wp_cpu_sweep *sweep)
{
    axis_reach(&sweep->x, &sweep->left, &sweep->right);
    axis_reach(&sweep->y, &sweep->top, &sweep->bottom);
    sweep->lag = sweep->y.steps ? sweep->y.step[sweep->y.steps - 1].lag : 0;
    sweep->rows = sweep->lag + 1;
    for (int s = 0; s < sweep->y.steps; s++) {
        const struct wp_cpu_step *step = &sweep->y.step[s];
        sweep->rows = larger(sweep->rows, step->lag - lowest(step) + 1);
    }
    // A chain wants its own reach, which filters with fewer taps may not have.
    const int x = sweep->x.chain.pairs, y = sweep->y.chain.pairs;
    if (x)
        sweep->left = sweep->right = x;
    if (y) {
        sweep->top = sweep->bottom = sweep->lag = y;
        sweep->rows = 2;
    }
}

static void set_mask_ring(struct wp_cpu_sweep *sweep)
{
    sweep->left = sweep->right = sweep->top = sweep->bottom = 0;
    for (int b = 0; b < WP_BAND_COUNT; b++) {
        for (int t = 0; t < sweep->mask[b].count; t++) {
            const struct wp_cpu_term *term = &sweep->mask[b].term[t];
            sweep->left = larger(sweep->left, -term->x);
            sweep->right = larger(sweep->right, term->x);
            sweep->top = larger(sweep->top, -term->y);
            sweep->bottom = larger(sweep->bottom, term->y);
        }
    }
    sweep->lag = sweep->bottom;
    sweep->rows = sweep->top + sweep->bottom + 1;
}

static int round_up(int n)
{
    return (n + LINE - 1) / LINE * LINE;
}

void wp_cpu_sweep_finish(struct wp_cpu_sweep *sweep)
{
    if (sweep->masked)
        set_mask_ring(sweep);
    else
        set_lifting_ring(sweep);
    const int quads = sweep->width / 2 + sweep->width % 2;
    sweep->pad = round_up(sweep->left) + LINE;
    sweep->stride = sweep->pad + round_up(quads + sweep->right) + LINE;
}

// Behind the ring lie, for a chain along y, its states and a row for what nobody wants; for
// masks, the rows that a mask reads.
enum { CHAIN_ROWS = 2 * WP_CPU_CHAIN_ROWS + 1 };

static size_t ring_floats(const struct wp_cpu_sweep *sweep)
{
    return WP_CPU_SLACK + (size_t)sweep->rows * WP_BAND_COUNT * (size_t)sweep->stride;
}

size_t wp_cpu_sweep_ring(const struct wp_cpu_sweep *sweep)
{
    size_t behind = WP_CPU_SLACK;
    if (sweep->y.chain.pairs)
        behind += CHAIN_ROWS * (size_t)sweep->stride;
    for (int b = 0; sweep->masked && b < WP_BAND_COUNT; b++) {
        const size_t rows = (size_t)sweep->mask[b].count * sizeof(float *) / sizeof(float);
        behind = rows > behind ? rows : behind;
    }
    return ring_floats(sweep) + behind;
}

struct walk {
    const struct wp_cpu_sweep *sweep;
    const struct wp_cpu_rows *rows;
    int quads;       // in a row
    int first, last; // rows of quads to write
    int origin;      // the first row that is read
    float *ring;
    float *behind; // the ring
};

// Quad 0 of a row of a component: cx is 1 for odd columns, cy for odd rows.
static float *at(const struct walk *w, int row, int cx, int cy)
{
    const int slot = (row - w->origin) % w->sweep->rows;
    return w->ring + (size_t)(slot * WP_BAND_COUNT + cx + 2 * cy) * (size_t)w->sweep->stride +
           w->sweep->pad;
}

// A row of samples where it comes from.
struct source {
    bool samples;
    const float *in[2]; // by the parity of x; for samples the first alone
    float scale[2];
};

static float sample(const struct source *source, int x)
{
    if (x < 0)
        return 0;
    return source->samples ? source->in[0][x] : source->scale[x & 1] * source->in[x & 1][x >> 1];
}

static struct source source_of(const struct wp_cpu_sweep *sweep, int y)
{
    const struct wp_cpu_quads *from = &sweep->from;
    if (from->samples)
        return (struct source){.samples = true,
                               .in = {from->data[0] + (ptrdiff_t)y * from->pitch}};
    struct source source = {0};
    for (int cx = 0; cx < 2; cx++) {
        const int component = cx + 2 * (y & 1);
        source.in[cx] = from->data[component] + (ptrdiff_t)(y >> 1) * from->pitch;
        source.scale[cx] = sweep->scale_in[component];
    }
    return source;
}

// Quads first..end-1 of a row that lie beyond its samples, or all of them.
static void extend_row(const struct walk *w, const struct source *source, float *even, float *odd,
                       int first, int end)
{
    const struct wp_cpu_sweep *sweep = w->sweep;
    for (int q = first; q < end; q++) {
        even[q] = sample(source, wp_extend(sweep->extension, 2 * q, sweep->width));
        odd[q] = sample(source, wp_extend(sweep->extension, 2 * q + 1, sweep->width));
    }
}

// Half a row of quads: the samples of one y, extended in x.
static void fill_row(const struct walk *w, const struct source *source, float *even, float *odd)
{
    const int whole = w->sweep->width / 2;
    if (source->samples) {
        w->rows->split(even, odd, source->in[0], whole);
    } else {
        w->rows->scale(even, source->in[0], source->scale[0], whole);
        w->rows->scale(odd, source->in[1], source->scale[1], whole);
    }
    extend_row(w, source, even, odd, -w->sweep->left, 0);
    extend_row(w, source, even, odd, whole, w->quads + w->sweep->right);
}

static void lift_in_x(const struct walk *w, float *even, float *odd)
{
    const struct wp_cpu_axis *axis = &w->sweep->x;
    for (int s = 0; s < axis->steps; s++) {
        const struct wp_cpu_step *step = &axis->step[s];
        const float *in[WP_MAX_TAPS];
        for (int t = 0; t < step->count; t++)
            in[t] = (step->odd ? even : odd) + step->k[t] - step->before;
        w->rows->lift((step->odd ? odd : even) - step->before, in, step->c, step->count,
                      w->quads + step->before + step->after);
    }
}

// The chain along x for quads x..x+count-1 of a row, as if the row had no ends.
static void chain_middle(const struct walk *w, const struct source *source, float *even, float *odd,
                         int x, int count)
{
    const struct wp_cpu_chain *chain = &w->sweep->x.chain;
    if (source->samples)
        w->rows->chain_split(even + x, odd + x, source->in[0] + 2 * x, count, chain);
    else
        w->rows->chain_x(odd + x - 1, even + x, source->in[1] + x - 1, source->in[0] + x,
                         source->scale[1], source->scale[0], count + 1, chain);
}

// The same for LINE quads from quad `first` on, with what they depend on beyond the row's ends.
static void chain_end(const struct walk *w, const struct source *source, float *even, float *odd,
                      int first)
{
    enum { MARGIN = WP_CPU_SLACK / 2, ROOM = MARGIN + LINE + MARGIN };
    float line[2][2 * ROOM] = {{0}};
    const struct wp_cpu_chain *chain = &w->sweep->x.chain;
    const struct wp_cpu_sweep *sweep = w->sweep;
    if (source->samples) {
        float *in = line[0] + 2 * MARGIN;
        const int begin = 2 * (first - chain->pairs), end = 2 * (first + LINE + chain->pairs);
        const int inside = larger(begin, 0), outside = smaller(end, sweep->width);
        for (int x = begin; x < inside; x++)
            in[x - 2 * first] = sample(source, wp_extend(sweep->extension, x, sweep->width));
        memcpy(in + inside - 2 * first, source->in[0] + inside,
               (size_t)(outside - inside) * sizeof *in);
        for (int x = outside; x < end; x++)
            in[x - 2 * first] = sample(source, wp_extend(sweep->extension, x, sweep->width));
        w->rows->chain_split(even + first, odd + first, in, LINE, chain);
    } else {
        float *a = line[0] + MARGIN, *b = line[1] + MARGIN;
        for (int i = -chain->pairs; i < LINE + chain->pairs; i++) {
            const int x = 2 * (first + i);
            a[i] = sample(source, wp_extend(sweep->extension, x - 1, sweep->width));
            b[i] = sample(source, wp_extend(sweep->extension, x, sweep->width));
        }
        w->rows->chain_x(odd + first - 1, even + first, a, b, 1, 1, LINE, chain);
    }
}

static void chain_in_x(const struct walk *w, const struct source *source, float *even, float *odd,
                       int x, int count)
{
    const int end = w->quads + w->sweep->x.mirrored;
    chain_middle(w, source, even, odd, x, count);
    if (x == 0)
        chain_end(w, source, even, odd, 0);
    if (x + count == w->quads)
        chain_end(w, source, even, odd, larger(0, end - LINE));
}

// Reads quads x..x+count-1 of a row, or where there is no chain along x all of it at once.
static void read_row(const struct walk *w, int row, int x, int count)
{
    const struct wp_cpu_sweep *sweep = w->sweep;
    for (int cy = 0; cy < 2; cy++) {
        float *even = at(w, row, 0, cy), *odd = at(w, row, 1, cy);
        const int y = wp_extend(sweep->extension, 2 * row + cy, sweep->height);
        if (y < 0) {
            const size_t size = (size_t)(sweep->left + count + sweep->right) * sizeof *even;
            memset(even + x - sweep->left, 0, size);
            memset(odd + x - sweep->left, 0, size);
            continue;
        }
        const struct source source = source_of(sweep, y);
        if (sweep->x.chain.pairs) {
            chain_in_x(w, &source, even, odd, x, count);
        } else {
            fill_row(w, &source, even, odd);
            lift_in_x(w, even, odd);
        }
    }
}

// All steps along y that the newest row makes possible, for columns x... of one parity.
static void lift_in_y(const struct walk *w, int newest, int cx, int x, int count)
{
    const struct wp_cpu_axis *axis = &w->sweep->y;
    for (int s = 0; s < axis->steps; s++) {
        const struct wp_cpu_step *step = &axis->step[s];
        const int row = newest - step->lag;
        if (row < w->first - step->before || row > w->last + step->after)
            continue;
        const float *in[WP_MAX_TAPS];
        for (int t = 0; t < step->count; t++)
            in[t] = at(w, row + step->k[t], cx, !step->odd) + x;
        w->rows->lift(at(w, row, cx, step->odd) + x, in, step->c, step->count, count);
    }
}

// Samples in a component, along an axis of n.
static int extent(int n, int parity)
{
    return parity ? n / 2 : n / 2 + n % 2;
}

static float *destination(const struct wp_cpu_quads *to, int component, int row, int x)
{
    return to->data[component] + (ptrdiff_t)row * to->pitch + x;
}

// Columns x... of a row of quads, which `in` has by component, to where they belong.
static void write_components(const struct walk *w, int row, int x, int count,
                             const float *const in[WP_BAND_COUNT])
{
    const struct wp_cpu_sweep *sweep = w->sweep;
    for (int c = 0; c < WP_BAND_COUNT; c++) {
        const int width = smaller(count, extent(sweep->width, c & 1) - x);
        if (row < extent(sweep->height, c >> 1))
            w->rows->scale(destination(&sweep->to, c, row, x), in[c], sweep->scale_out[c], width);
    }
}

// Columns x... of a row of samples, from its even and its odd ones.
static void write_samples(const struct walk *w, int y, int x, int count, const float *even,
                          const float *odd)
{
    const int whole = smaller(count, w->sweep->width / 2 - x);
    if (y >= w->sweep->height)
        return;
    float *out = destination(&w->sweep->to, 0, y, 2 * x);
    w->rows->merge(out, even, odd, whole);
    if (whole < count)
        out[2 * whole] = even[whole];
}

static void write_row(const struct walk *w, int row, int x, int count,
                      const float *const in[WP_BAND_COUNT])
{
    if (!w->sweep->to.samples) {
        write_components(w, row, x, count, in);
        return;
    }
    write_samples(w, 2 * row, x, count, in[0], in[1]);
    write_samples(w, 2 * row + 1, x, count, in[2], in[3]);
}

// Each of the functions below does what the newest row makes possible, for columns x...

static void lift_chunk(const struct walk *w, int newest, int x, int count)
{
    const int row = newest - w->sweep->lag;
    const float *in[WP_BAND_COUNT];
    for (int cx = 0; cx < 2; cx++)
        lift_in_y(w, newest, cx, x, count);
    if (row < w->first)
        return;
    for (int c = 0; c < WP_BAND_COUNT; c++)
        in[c] = at(w, row, c & 1, c >> 1) + x;
    write_row(w, row, x, count, in);
}

// Where a row that comes out of a chain goes: to its place, or where nobody looks.
static float *chain_destination(const struct walk *w, int component, int row, int x)
{
    const struct wp_cpu_sweep *sweep = w->sweep;
    if (row < w->first || row > w->last || row >= extent(sweep->height, component >> 1))
        return w->behind + (CHAIN_ROWS - 1) * (size_t)sweep->stride + x;
    return destination(&sweep->to, component, row, x);
}

static void chain_chunk(const struct walk *w, int newest, int x, int count)
{
    const struct wp_cpu_sweep *sweep = w->sweep;
    const struct wp_cpu_axis *axis = &sweep->y;
    // Which parity a and b are, and the rows that come out.
    const int a = axis->mirrored, b = !a, pairs = axis->chain.pairs;
    const int row[2] = {newest - pairs + a, newest - pairs};
    float result[WP_BAND_COUNT][CHUNK + 2 * LINE];
    if (newest == w->origin)
        return;
    for (int cx = 0; cx < 2; cx++) {
        struct wp_cpu_chain_y y = {
            .a_old = at(w, newest - 1, cx, a) + x,
            .b_old = at(w, newest - b, cx, b) + x,
            .a_new = at(w, newest, cx, a) + x,
            .a_out = result[cx + 2 * a],
            .b_out = result[cx + 2 * b],
            .a_scale = 1,
            .b_scale = 1,
        };
        for (int s = 0; s < WP_CPU_CHAIN_ROWS; s++)
            y.state[s] = w->behind + (size_t)(WP_CPU_CHAIN_ROWS * cx + s) *
                                         (size_t)sweep->stride + x;
        if (!sweep->to.samples) {
            y.a_out = chain_destination(w, cx + 2 * a, row[a], x);
            y.b_out = chain_destination(w, cx + 2 * b, row[b], x);
            y.a_scale = sweep->scale_out[cx + 2 * a];
            y.b_scale = sweep->scale_out[cx + 2 * b];
        }
        w->rows->chain_y(&y, count, &axis->chain);
    }
    for (int cy = 0; sweep->to.samples && cy < 2; cy++)
        if (row[cy] >= w->first && row[cy] <= w->last)
            write_samples(w, 2 * row[cy] + cy, x, count, result[2 * cy], result[2 * cy + 1]);
}

static void mask_chunk(const struct walk *w, int newest, int x, int count)
{
    const struct wp_cpu_sweep *sweep = w->sweep;
    const int row = newest - sweep->lag;
    float result[WP_BAND_COUNT][CHUNK + LINE];
    // Made of floats nowhere else, so that the memory may hold pointers.
    const float **in = (const float **)(void *)w->behind;
    if (row < w->first)
        return;
    for (int c = 0; c < WP_BAND_COUNT; c++) {
        const struct wp_cpu_mask *mask = &sweep->mask[c];
        const int width = sweep->to.samples ? count
                                            : smaller(count, extent(sweep->width, c & 1) - x);
        for (int t = 0; t < mask->count; t++) {
            const struct wp_cpu_term *term = &mask->term[t];
            in[t] = at(w, row + term->y, term->from & 1, term->from >> 1) + x + term->x;
        }
        if (sweep->to.samples)
            w->rows->sum(result[c], in, mask->c, mask->count, width);
        else if (row < extent(sweep->height, c >> 1))
            w->rows->sum(destination(&sweep->to, c, row, x), in, mask->c, mask->count, width);
    }
    for (int cy = 0; sweep->to.samples && cy < 2; cy++)
        write_samples(w, 2 * row + cy, x, count, result[2 * cy], result[2 * cy + 1]);
}

void wp_cpu_sweep_run(const struct wp_cpu_sweep *sweep, const struct wp_cpu_rows *rows, int first,
                      int count, float *ring)
{
    const struct walk walk = {
        .sweep = sweep,
        .rows = rows,
        .quads = extent(sweep->width, 0),
        .first = first,
        .last = first + count - 1,
        .origin = first - sweep->top,
        .ring = ring,
        .behind = ring + ring_floats(sweep),
    };
    void (*const chunk)(const struct walk *, int, int, int) =
        sweep->masked ? mask_chunk : sweep->y.chain.pairs ? chain_chunk : lift_chunk;
    if (sweep->y.chain.pairs)
        memset(walk.behind, 0, CHAIN_ROWS * (size_t)sweep->stride * sizeof *ring);
    for (int newest = walk.origin; newest <= walk.last + sweep->lag; newest++) {
        const bool there_is = newest <= walk.last + sweep->bottom;
        const bool in_chunks = sweep->x.chain.pairs > 0;
        if (there_is && !in_chunks)
            read_row(&walk, newest, 0, walk.quads);
        for (int x = 0, columns; x < walk.quads; x += columns) {
            // A chain's end is LINE quads, all of them in the last chunk.
            columns = walk.quads - x < CHUNK + LINE ? walk.quads - x : CHUNK;
            if (there_is && in_chunks)
                read_row(&walk, newest, x, columns);
            chunk(&walk, newest, x, columns);
        }
    }
}
