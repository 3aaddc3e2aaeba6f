#include "cpu_stream.h"

#include "cpu_level.h"
#include "memory.h"
#include "min_max.h"

#include <stdint.h>
#include <stdlib.h>

// A sweep with buffers for its input rows and, unless they are another stage's input, its output
// rows. With periodic extension, rows of quads are counted beyond the last one.
struct stage {
    struct wp_cpu_sweep sweep;
    struct wp_cpu_row_sweep row_sweep;
    int level;                // 1 is the finest
    int first;                // first row of quads to write
    int steps;                // remaining
    int arrived[WP_BAND_COUNT]; // number of input rows, for components that arrive by rows
    int next_out[2];          // the next row of quads whose even or odd samples are output
    struct wp_cpu_row_ring in[WP_BAND_COUNT], out[WP_BAND_COUNT];
    float *ring;
};

struct wp_cpu_stream {
    struct wp_cpu_program program;
    const struct wp_cpu_rows *rows;
    bool forward, wraps;
    wp_cpu_band_row band;
    void *user;
    int width;
    int row;     // the next row of the image
    float *line; // a row, if there are no levels
    float *memory;
    size_t floats; // of `memory`
    int stages;
    struct stage stage[]; // from the image on; inverse, a stage reads the output of the next one
};

static int wrap(int row, int rows)
{
    return (row % rows + rows) % rows;
}

static int height_of(const struct stage *s)
{
    return s->sweep.size[WP_Y];
}

static int quads_of(const struct stage *s)
{
    return wp_cpu_extent(height_of(s), 0);
}

static int components_of(const struct wp_cpu_quads *quads)
{
    return quads->samples ? 1 : WP_BAND_COUNT;
}

// Rows of samples, or of component c.
static int rows_of(const struct stage *s, const struct wp_cpu_quads *quads, int c)
{
    return quads->samples ? height_of(s) : wp_cpu_extent(height_of(s), c >> 1);
}

// Chains along y may read odd samples one row of quads later than even ones.
static bool reads_below(const struct stage *s)
{
    const struct wp_cpu_sweep *sweep = &s->sweep;
    return sweep->chain.state && sweep->along[WP_Y] && sweep->chain.below;
}

// The first row of quads that the steps of a sweep read, and the one after the last.
static int reads_first(const struct stage *s)
{
    return s->first - s->sweep.low[WP_Y] - reads_below(s);
}

static int reads_end(const struct stage *s)
{
    return s->first + quads_of(s) + s->sweep.high[WP_Y];
}

// The stage that reads (inverse: writes) component c of a stage's output (input); NULL: the
// callback.
static struct stage *next_stage(struct wp_cpu_stream *t, struct stage *s, int c)
{
    const struct stage *const end = t->stage + t->stages;
    struct stage *next = s + 1;
    if (next == end)
        return NULL;
    return next->level == s->level || c == WP_BAND_LL ? next : NULL;
}

// Sets the first rows with periodic extension: forward so that no rows before the first row of the
// image are read first; inverse so that the first rows are output first, or after the row above.
static void set_first(struct wp_cpu_stream *t)
{
    int start = 0; // first row, of samples or of quads, of the previous stage
    for (struct stage *s = t->stage; t->wraps && s < t->stage + t->stages; s++) {
        const bool samples = t->forward ? s->sweep.from.samples : s->sweep.to.samples;
        if (t->forward) {
            const int quad = samples ? (start + reads_below(s) + 1) / 2 : start + reads_below(s);
            s->first = quad + s->sweep.low[WP_Y];
            start = s->first % quads_of(s);
        } else {
            s->first = samples ? start / 2 : start;
            start = wrap(reads_first(s), quads_of(s));
        }
    }
}

// Rows that may have been written beyond the requested one. Both samples of a pair are output in
// one step.
static int ahead_of(const struct stage *s)
{
    const int quads = s->sweep.chain.state ? WP_CPU_AHEAD : 0;
    return s->sweep.to.samples ? 2 * quads + 1 : quads;
}

static struct wp_cpu_row_ring make_row_ring(int rows, int first, int fixed, int ring)
{
    struct wp_cpu_row_ring w = {.rows = rows, .first = first};
    w.fixed = wp_min(wp_max(fixed, 0), rows);
    w.ring = wp_max(wp_min(rows - w.fixed, ring), 1);
    return w;
}

// Sets the buffer of a stage's input. `first` is the first row, and `ahead` rows may arrive early.
// At a mirrored border, the range between the first row to be read again and the last one read is
// twice the support; elsewhere it is that of a step and of the one before, which a chain reads
// again. With periodic extension the first rows are read again at the end.
static void set_in(const struct wp_cpu_stream *t, struct stage *s, int c, int first, int ahead)
{
    const struct wp_cpu_sweep *sweep = &s->sweep;
    const int rows = rows_of(s, &sweep->from, c);
    const int reach = wp_max(sweep->low[WP_Y], sweep->high[WP_Y]);
    const int span = wp_max(t->wraps ? 0 : 2 * reach + 2, 4);
    int fixed, ring;
    if (sweep->from.samples) {
        fixed = 2 * reads_end(s) - first - rows;
        ring = span + ahead;
    } else {
        const int begin = reads_first(s), more = t->wraps ? wrap(begin - first, quads_of(s)) : 0;
        fixed = reads_end(s) - begin + more - quads_of(s);
        ring = span / 2 + more + ahead;
    }
    s->in[c] = make_row_ring(rows, first, t->wraps ? fixed : 0, ring);
}

// Allocation in a block of memory; base NULL: only counts the floats.
struct arena {
    float *base;
    size_t used;
};

static float *arena_allocate(struct arena *arena, size_t floats)
{
    float *const at = arena->base ? arena->base + arena->used : NULL;
    arena->used += wp_cpu_round_up(floats);
    return at;
}

static void allocate_rows(struct arena *arena, const struct stage *s, struct wp_cpu_quads *quads,
                          int c, const struct wp_cpu_row_ring *rows)
{
    const int width = s->sweep.size[WP_X];
    const size_t floats = (size_t)(quads->samples ? width : wp_cpu_extent(width, c & 1));
    quads->pitch[c] = (ptrdiff_t)(wp_cpu_round_up(floats) + WP_CPU_LINE);
    quads->rows_ring[c] = rows;
    quads->data[c] =
        arena_allocate(arena, ((size_t)rows->fixed + (size_t)rows->ring) * (size_t)quads->pitch[c]);
}

static void share_rows(struct wp_cpu_quads *to, int c, const struct wp_cpu_quads *of, int k)
{
    to->data[c] = of->data[k];
    to->pitch[c] = of->pitch[k];
    to->rows_ring[c] = of->rows_ring[k];
}

// The first row that a stage writes.
static int writes_first(const struct stage *s)
{
    return s->sweep.to.samples ? 2 * s->first % height_of(s) : s->first % quads_of(s);
}

static void lay_out_in(struct wp_cpu_stream *t, struct arena *arena, struct stage *s,
                       const struct stage *before)
{
    for (int c = 0; c < components_of(&s->sweep.from); c++) {
        const struct stage *writer = t->forward ? before : next_stage(t, s, c);
        const int begin = t->forward ? 0 : wrap(reads_first(s), quads_of(s));
        // Components without rows are not read.
        set_in(t, s, c, writer ? writes_first(writer) : t->wraps ? begin : 0,
               writer ? ahead_of(writer) : 0);
        allocate_rows(arena, s, &s->sweep.from, c, &s->in[c]);
    }
}

static void allocate_out(struct arena *arena, struct stage *s, int c)
{
    s->out[c] = make_row_ring(rows_of(s, &s->sweep.to, c), writes_first(s), 0, 1 + ahead_of(s));
    allocate_rows(arena, s, &s->sweep.to, c, &s->out[c]);
}

static void lay_out(struct wp_cpu_stream *t, struct arena *arena)
{
    for (int i = 0; i < t->stages; i++)
        lay_out_in(t, arena, &t->stage[i], i ? &t->stage[i - 1] : NULL);
    for (int i = 0; i < t->stages; i++) {
        struct stage *s = &t->stage[i];
        for (int c = 0; c < components_of(&s->sweep.to); c++) {
            struct stage *reader = t->forward ? next_stage(t, s, c) : i ? s - 1 : NULL;
            if (reader)
                share_rows(&s->sweep.to, c, &reader->sweep.from, c);
            else
                allocate_out(arena, s, c);
        }
        s->ring = arena_allocate(arena, wp_cpu_sweep_ring(&s->sweep));
    }
    t->line = arena_allocate(arena, t->stages ? 0 : (size_t)t->width);
}

static void begin_stage(const struct wp_cpu_stream *t, struct stage *s)
{
    wp_cpu_row_sweep_start(&s->row_sweep, &s->sweep, t->rows, s->first, quads_of(s), s->ring);
    s->steps = wp_cpu_row_sweep_steps(&s->row_sweep);
    s->next_out[0] = s->next_out[1] = s->first;
    for (int c = 0; c < WP_BAND_COUNT; c++)
        s->arrived[c] = 0;
}

void wp_cpu_stream_begin(struct wp_cpu_stream *t)
{
    for (int i = 0; i < t->stages; i++)
        begin_stage(t, &t->stage[i]);
    t->row = 0;
}

// Uses the default variant. Levels without masks own no memory.
static bool set_level(struct wp_cpu_level *level, const struct wp_description *d, int l,
                      const struct wp_cpu_program *program)
{
    static const struct wp_cpu_method fused = {.rows = false};
    return wp_cpu_level_set(level, d, l, &fused, program);
}

// Creates the stages and sets the sizes of their buffers, without allocating these.
static struct wp_cpu_stream *create_stages(const struct wp_description *d)
{
    enum { SWEEPS = 2 };
    const int levels = wp_description_levels(d);
    struct wp_cpu_stream *t =
        wp_allocate(1, sizeof *t + (size_t)(SWEEPS * levels) * sizeof *t->stage, "a stream");
    if (!t)
        return NULL;
    const struct wp_lifting lifting = wp_description_lifting(d);
    wp_cpu_program_set(&t->program, &lifting);
    t->rows = wp_cpu_rows_get(0);
    t->width = d->size[WP_X];
    t->forward = d->direction == WP_FORWARD;
    t->wraps = lifting.extension == WP_EXTEND_WRAP;
    for (int l = 0; l < levels; l++) {
        struct wp_cpu_level level;
        if (!set_level(&level, d, l, &t->program)) {
            free(t);
            return NULL;
        }
        for (int i = 0; i < level.sweeps; i++)
            t->stage[t->stages++] = (struct stage){
                .sweep = level.sweep[t->forward ? i : level.sweeps - 1 - i],
                .level = l + 1,
            };
    }
    set_first(t);
    struct arena arena = {0};
    lay_out(t, &arena);
    t->floats = arena.used + WP_CPU_LINE;
    return t;
}

static size_t bytes_of(const struct wp_cpu_stream *t, const struct wp_description *d)
{
    return sizeof *t + (size_t)(2 * wp_description_levels(d)) * sizeof *t->stage +
           t->floats * sizeof *t->memory;
}

size_t wp_cpu_stream_bytes(const struct wp_description *d)
{
    struct wp_cpu_stream *t = create_stages(d);
    const size_t bytes = t ? bytes_of(t, d) : 0;
    free(t);
    return bytes;
}

struct wp_cpu_stream *wp_cpu_stream_create(const struct wp_description *d, wp_cpu_band_row band,
                                           void *user)
{
    struct wp_cpu_stream *t = create_stages(d);
    if (!t)
        return NULL;
    t->band = band;
    t->user = user;
    t->memory = wp_allocate(t->floats, sizeof *t->memory, "the rows of a stream");
    if (!t->memory) {
        free(t);
        return NULL;
    }
    const size_t line = WP_CPU_LINE * sizeof *t->memory;
    const size_t gap = (line - (uintptr_t)t->memory % line) % line;
    struct arena arena = {.base = t->memory + gap / sizeof *t->memory};
    lay_out(t, &arena);
    wp_cpu_stream_begin(t);
    return t;
}

void wp_cpu_stream_destroy(struct wp_cpu_stream *t)
{
    if (t)
        free(t->memory);
    free(t);
}

// Bands without samples have no rows.
static bool has_row(const struct stage *s, int c, int row)
{
    return wp_cpu_extent(s->sweep.size[WP_X], c & 1) > 0 &&
           row < wp_cpu_extent(height_of(s), c >> 1);
}

static bool pass_band(const struct wp_cpu_stream *t, const struct stage *s,
                      const struct wp_cpu_quads *quads, int c, int row)
{
    return !has_row(s, c, row) || t->band(t->user, s->level, (enum wp_band)c, row,
                                          wp_cpu_quads_row(quads, c, row));
}

static void step(struct stage *s)
{
    wp_cpu_row_sweep_step(&s->row_sweep);
    s->steps--;
}

// Have all input rows of the next step arrived?
static bool is_ready(const struct stage *s)
{
    const struct wp_cpu_quads *from = &s->sweep.from;
    for (int cy = 0; cy < 2; cy++) {
        const int y = wp_cpu_row_sweep_reads(&s->row_sweep, cy);
        const int c = from->samples ? 0 : 2 * (y & 1), row = from->samples ? y : y >> 1;
        for (int cx = 0; cx < (from->samples ? 1 : 2) && y >= 0; cx++)
            if (wp_cpu_row_ring_index(&s->in[c + cx], row) >= s->arrived[c + cx])
                return false;
    }
    return true;
}

// Passes output rows to the next stage or to the callback.
static bool pass_on(struct wp_cpu_stream *t, struct stage *s)
{
    for (int cy = 0; cy < 2; cy++) {
        const int wrote = wp_min(wp_cpu_row_sweep_wrote(&s->row_sweep, cy), s->row_sweep.last);
        for (; s->next_out[cy] <= wrote; s->next_out[cy]++) {
            const int row = s->next_out[cy] % quads_of(s);
            for (int c = 2 * cy; c < 2 * cy + 2; c++) {
                struct stage *next = next_stage(t, s, c);
                if (next && row < wp_cpu_extent(height_of(s), cy))
                    next->arrived[c]++;
                else if (!next && !pass_band(t, s, &s->sweep.to, c, row))
                    return false;
            }
        }
    }
    return true;
}

// Runs all steps that are possible with the rows that have arrived.
static bool advance(struct wp_cpu_stream *t, int i)
{
    struct stage *s = &t->stage[i];
    while (s->steps > 0 && is_ready(s)) {
        step(s);
        if (!pass_on(t, s) || (i + 1 < t->stages && !advance(t, i + 1)))
            return false;
    }
    return true;
}

static bool pass_line(struct wp_cpu_stream *t)
{
    return t->band(t->user, 0, WP_BAND_LL, t->row++, t->line);
}

float *wp_cpu_stream_operand(const struct wp_cpu_stream *t)
{
    if (!t->stages)
        return t->line;
    return wp_cpu_quads_row(&t->stage[0].sweep.from, 0, t->row);
}

bool wp_cpu_stream_push(struct wp_cpu_stream *t)
{
    if (!t->stages)
        return pass_line(t);
    t->row++;
    t->stage[0].arrived[0]++;
    return advance(t, 0);
}

// Number of rows of component c that a stage has completed. For an output of samples, the number of
// consecutive rows from the first one on that are complete.
static int rows_out(const struct stage *s, int c)
{
    const int even = wp_cpu_row_sweep_wrote(&s->row_sweep, 0) - s->first + 1;
    const int odd = wp_cpu_row_sweep_wrote(&s->row_sweep, 1) - s->first + 1;
    if (!s->sweep.to.samples)
        return c >> 1 ? odd : even;
    return even > odd ? 2 * odd + 1 : 2 * even;
}

static bool fetch(struct wp_cpu_stream *t, int i, int cy);

// Runs stage i until `count` rows of a component, or of samples, are complete.
static bool complete(struct wp_cpu_stream *t, int i, int c, int count)
{
    struct stage *s = &t->stage[i];
    while (s->steps > 0 && rows_out(s, c) < count) {
        if (!fetch(t, i, 0) || !fetch(t, i, 1))
            return false;
        step(s);
    }
    return true;
}

// Requests the input of the next step.
static bool fetch(struct wp_cpu_stream *t, int i, int cy)
{
    struct stage *s = &t->stage[i];
    const int y = wp_cpu_row_sweep_reads(&s->row_sweep, cy);
    for (int c = 2 * (y & 1); y >= 0 && c < 2 * (y & 1) + 2; c++) {
        const int before = wp_cpu_row_ring_index(&s->in[c], y >> 1);
        if (next_stage(t, s, c)) {
            if (!complete(t, i + 1, c, before + 1))
                return false;
            continue;
        }
        for (; s->arrived[c] <= before; s->arrived[c]++)
            if (!pass_band(t, s, &s->sweep.from, c,
                           (s->in[c].first + s->arrived[c]) % s->in[c].rows))
                return false;
    }
    return true;
}

const float *wp_cpu_stream_pull(struct wp_cpu_stream *t)
{
    if (!t->stages)
        return pass_line(t) ? t->line : NULL;
    if (!complete(t, 0, 0, t->row + 1))
        return NULL;
    return wp_cpu_quads_row(&t->stage[0].sweep.to, 0, t->row++);
}
