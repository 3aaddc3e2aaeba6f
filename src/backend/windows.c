#include "windows.h"

#include "clock.h"
#include "elements.h"
#include "log.h"
#include "memory.h"
#include "pipeline.h"

#include <stdlib.h>
#include <string.h>

enum {
    EXECS = 2,     // that take turns, where a backend can load, run and store at once
    SIZES = 4 * 8, // of windows: at most two lengths along an axis, and lengths of small levels
};

// What windows of one size go through.
struct size {
    struct wp_description description; // of one level
    struct wp_exec *exec[EXECS];
};

// Along an axis: the samples of a window, and those of them that come out right and are wanted. One
// that wraps around begins before the first sample or ends behind the last.
struct span {
    int first, end, from, to;
};

struct wp_windows {
    const struct wp_backend *backend;
    struct wp_device *device;
    struct wp_description whole;
    const struct wp_variant *variant;
    int side, planes;
    int before, after; // samples of a window that an artificial border spoils
    bool wraps;
    int levels; // that go in windows
    struct size size[SIZES];
    int sizes, execs;
    struct wp_exec *rest; // the levels behind them; NULL: there are none
    struct wp_description rest_of;
    float *low[2];    // LL of level k in low[(k - 1) % 2]
    float *in, *out;  // of a window
    bool pinned_in, pinned_out;
};

static int smaller(int a, int b)
{
    return a < b ? a : b;
}

static int extent(const struct wp_windows *w, int level, int axis)
{
    return wp_level_size(w->whole.size[axis], level);
}

static bool is_small(const struct wp_description *d, int level, int side)
{
    return wp_level_size(d->size[WP_X], level) <= side &&
           wp_level_size(d->size[WP_Y], level) <= side;
}

static void set_reach(struct wp_windows *w)
{
    const struct wp_lifting lifting = wp_description_lifting(&w->whole);
    // And a pair, so that none stands alone.
    w->before = 2 * (lifting.before + 1);
    w->after = 2 * (lifting.after + 1);
    w->wraps = lifting.extension == WP_EXTEND_WRAP;
}

static void set(struct wp_windows *w, const struct wp_backend *backend,
                const struct wp_description *d, int side)
{
    w->backend = backend;
    w->whole = *d;
    w->planes = wp_description_planes(d);
    w->side = side & ~1;
    set_reach(w);
    while (w->levels < d->levels && !is_small(d, w->levels, w->side))
        w->levels++;
}

bool wp_windows_can(const struct wp_backend *backend, const struct wp_description *d, int side)
{
    struct wp_windows w = {0};
    if (backend->transform || wp_description_depth(d) > 1)
        return false;
    set(&w, backend, d, side);
    return w.levels > 0 && w.side > 2 * (w.before + w.after);
}

// The spans of an axis that has `size` samples: so many that each sample is wanted once.
static int spans_of(const struct wp_windows *w, int size)
{
    const int core = w->side - w->before - w->after;
    int count = 1;
    if (size <= w->side)
        return 1;
    if (w->wraps)
        return (size + core - 1) / core;
    while ((count - 1) * core + w->side - size % 2 < size)
        count++;
    return count;
}

static struct span span_of(const struct wp_windows *w, int size, int i)
{
    const int core = w->side - w->before - w->after, count = spans_of(w, size);
    struct span s = {i * core, i * core + w->side, i * core + w->before,
                     i * core + w->side - w->after};
    if (size <= w->side)
        return (struct span){0, size, 0, size};
    if (w->wraps) {
        s = (struct span){i * core - w->before, 0, i * core, smaller((i + 1) * core, size)};
        s.end = s.first + w->side;
        return s;
    }
    if (i == 0)
        s.from = 0;
    if (i + 1 == count) {
        // As long as the others, but for a sample where the last one has no partner.
        s.end = s.to = size;
        s.first = size - (w->side - size % 2);
    }
    return s;
}

static int length_of(struct span s)
{
    return s.end - s.first;
}

// Number of a size; `sizes` where there is none.
static int find_size(const struct wp_windows *w, int width, int height)
{
    int i = 0;
    while (i < w->sizes && (w->size[i].description.size[WP_X] != width ||
                            w->size[i].description.size[WP_Y] != height))
        i++;
    return i;
}

static bool add_size(struct wp_windows *w, int width, int height)
{
    if (find_size(w, width, height) < w->sizes)
        return true;
    if (w->sizes == SIZES)
        return wp_fail(WP_ERROR_INTERNAL, "windows of too many sizes");
    struct size *size = &w->size[w->sizes++];
    size->description = w->whole;
    size->description.size[WP_X] = width;
    size->description.size[WP_Y] = height;
    size->description.levels = 1;
    size->description.layout = WP_LAYOUT_MALLAT;
    size->description.samples = WP_ELEMENT_F32;
    for (int i = 0; i < w->execs; i++) {
        size->exec[i] = w->backend->prepare(w->device, &size->description, w->variant);
        if (!size->exec[i])
            return false;
    }
    return true;
}

// The first span and the last one have all lengths that there are.
static bool add_sizes(struct wp_windows *w)
{
    bool ok = true;
    for (int l = 0; l < w->levels && ok; l++) {
        const int width = extent(w, l, WP_X), height = extent(w, l, WP_Y);
        for (int i = 0; i < 4 && ok; i++)
            ok = add_size(w, length_of(span_of(w, width, i & 1 ? spans_of(w, width) - 1 : 0)),
                          length_of(span_of(w, height, i & 2 ? spans_of(w, height) - 1 : 0)));
    }
    return ok;
}

static bool add_rest(struct wp_windows *w)
{
    if (w->levels == w->whole.levels)
        return true;
    w->rest_of = w->whole;
    w->rest_of.size[WP_X] = extent(w, w->levels, WP_X);
    w->rest_of.size[WP_Y] = extent(w, w->levels, WP_Y);
    w->rest_of.levels -= w->levels;
    w->rest_of.samples = WP_ELEMENT_F32;
    w->rest = w->backend->prepare(w->device, &w->rest_of, w->variant);
    return w->rest;
}

static size_t low_samples(const struct wp_windows *w, int level)
{
    return (size_t)extent(w, level, WP_X) * (size_t)extent(w, level, WP_Y) * (size_t)w->planes;
}

static bool allocate(struct wp_windows *w)
{
    const size_t window = (size_t)smaller(w->side, w->whole.size[WP_X]) *
                          (size_t)smaller(w->side, w->whole.size[WP_Y]) * (size_t)w->planes;
    bool ok = true;
    for (int k = 1; k <= w->levels && k <= 2 && ok; k++) {
        w->low[k - 1] = wp_allocate_pages(low_samples(w, k), sizeof(float), "low bands");
        ok = w->low[k - 1];
    }
    w->in = ok ? wp_allocate_pages(window, sizeof(float), "a window") : NULL;
    w->out = w->in ? wp_allocate_pages(window, sizeof(float), "a window") : NULL;
    ok = w->out;
    if (ok && w->backend->pin) {
        w->pinned_in = w->backend->pin(w->device, w->in, window * sizeof(float));
        w->pinned_out = w->backend->pin(w->device, w->out, window * sizeof(float));
    }
    return ok;
}

struct wp_windows *wp_windows_prepare(const struct wp_backend *backend, struct wp_device *device,
                                      const struct wp_description *d,
                                      const struct wp_variant *variant, int side)
{
    struct wp_windows *w = wp_allocate(1, sizeof *w, "windows");
    if (!w)
        return NULL;
    set(w, backend, d, side);
    w->device = device;
    w->variant = variant;
    w->execs = backend->overlaps ? EXECS : 1;
    if (!add_sizes(w) || !add_rest(w) || !allocate(w))
        wp_windows_release(&w);
    return w;
}

void wp_windows_release(struct wp_windows **slot)
{
    struct wp_windows *w = *slot;
    *slot = NULL;
    if (!w)
        return;
    for (int i = 0; i < w->sizes; i++)
        for (int k = 0; k < w->execs; k++)
            w->backend->release(w->size[i].exec[k]);
    w->backend->release(w->rest);
    if (w->pinned_in)
        w->backend->unpin(w->device, w->in);
    if (w->pinned_out)
        w->backend->unpin(w->device, w->out);
    for (int k = 0; k < 2; k++)
        free(w->low[k]);
    free(w->in);
    free(w->out);
    free(w);
}

const struct wp_exec *wp_windows_exec(const struct wp_windows *w)
{
    return w->size[0].exec[0];
}

// Samples, or a band, of a plane of the whole.
struct plane {
    struct wp_view floats;
    struct wp_pixels pixels; // in their place, where there is data
    bool reversible;
};

static void copy_row(const struct wp_view *from, ptrdiff_t from_at, const struct wp_view *to,
                     ptrdiff_t to_at, int count)
{
    const float *read = from->data + from_at;
    float *write = to->data + to_at;
    if (from->step[WP_X] == 1 && to->step[WP_X] == 1)
        memcpy(write, read, (size_t)count * sizeof *read);
    else
        for (int x = 0; x < count; x++)
            write[x * to->step[WP_X]] = read[x * from->step[WP_X]];
}

static ptrdiff_t place_of(const struct plane *plane, int x, int y)
{
    const ptrdiff_t *step = plane->pixels.data ? plane->pixels.step : plane->floats.step;
    return y * step[WP_Y] + x * step[WP_X];
}

static void read_row(const struct plane *from, int x, int y, float *to, int count)
{
    const ptrdiff_t at = place_of(from, x, y);
    if (from->pixels.data)
        wp_pixels_read(&wp_element_rows, to, &from->pixels, at, from->reversible, count);
    else
        copy_row(&from->floats, at, &(struct wp_view){.data = to, .step = {1}}, 0, count);
}

static void write_row(const struct plane *to, int x, int y, float *from, int count)
{
    const ptrdiff_t at = place_of(to, x, y);
    if (to->pixels.data)
        wp_pixels_write(&wp_element_rows, &to->pixels, at, from, to->reversible, count);
    else
        copy_row(&(struct wp_view){.data = from, .step = {1}}, 0, &to->floats, at, count);
}

static int wrap(int i, int size)
{
    return (i % size + size) % size;
}

// The samples of two spans, of a plane that has `size` of them, to a view's first ones; around the
// borders where the spans go beyond.
static void gather(const struct plane *from, const int size[2], struct span x, struct span y,
                   const struct wp_view *to)
{
    for (int row = y.first; row < y.end; row++) {
        float *line = to->data + (row - y.first) * to->step[WP_Y];
        for (int column = x.first, count; column < x.end; column += count) {
            const int first = wrap(column, size[WP_X]);
            count = smaller(size[WP_X] - first, x.end - column);
            read_row(from, first, wrap(row, size[WP_Y]), line + (column - x.first), count);
        }
    }
}

// Those of them that are wanted, back to where they belong.
static void scatter(const struct wp_view *from, struct span x, struct span y,
                    const struct plane *to)
{
    for (int row = y.from; row < y.to; row++)
        write_row(to, x.from, row,
                  from->data + (row - y.first) * from->step[WP_Y] + (x.from - x.first),
                  x.to - x.from);
}

// A level that goes through in windows.
struct work {
    struct wp_windows *windows;
    int level;                          // its bands' number
    const struct wp_place *from, *to;   // of the whole
    int columns, rows;                  // of windows
    struct wp_exec_seconds *seconds;
};

struct window {
    struct span x, y;
    struct size *size;
};

static struct window window_of(const struct work *work, int item)
{
    struct wp_windows *w = work->windows;
    struct window window = {
        .x = span_of(w, extent(w, work->level - 1, WP_X), item % work->columns),
        .y = span_of(w, extent(w, work->level - 1, WP_Y), item / work->columns),
    };
    window.size = &w->size[find_size(w, length_of(window.x), length_of(window.y))];
    return window;
}

static struct wp_view low_of(const struct wp_windows *w, int level, int plane)
{
    const ptrdiff_t width = extent(w, level, WP_X), size = width * extent(w, level, WP_Y);
    return (struct wp_view){.data = w->low[(level - 1) % 2] + plane * size,
                            .step = {1, width},
                            .plane = size};
}

// LL of a level that others follow, and level 0, are no bands of a place.
static struct plane plane_of(const struct work *work, const struct wp_place *place, int level,
                             enum wp_band band, int number)
{
    const struct wp_windows *w = work->windows;
    struct plane plane = {.reversible = w->whole.reversible};
    if (level > 0 && band == WP_BAND_LL && level < w->whole.levels) {
        plane.floats = low_of(w, level, number);
    } else if (level == 0 && place->pixels.data) {
        plane.pixels = place->pixels;
        plane.pixels.data = wp_pixels_at(&place->pixels, number * place->pixels.plane);
    } else {
        plane.floats = wp_place_band(&w->whole, place, level, band, number);
    }
    return plane;
}

// Of a band: low ones are at even samples. Before the first sample spans begin at even ones.
static int half(int sample, bool high)
{
    return sample < 0 ? sample / 2 : (sample + !high) / 2;
}

static struct span half_span(struct span s, bool high)
{
    return (struct span){half(s.first, high), half(s.end, high), half(s.from, high),
                         half(s.to, high)};
}

// Brings what a window reads: samples, or the four bands of them; or takes what it has made.
static void move(const struct work *work, const struct window *window, bool in)
{
    const struct wp_windows *w = work->windows;
    const struct wp_description *d = &window->size->description;
    const struct wp_place place = wp_place_dense(d, in ? w->in : w->out);
    const bool bands = in == (d->direction == WP_INVERSE);
    const int level = bands ? work->level : work->level - 1;
    for (int b = 0; b < (bands ? WP_BAND_COUNT : 1); b++) {
        const enum wp_band band = (enum wp_band)b;
        const bool high_x = b & 1, high_y = b & 2;
        const struct span x = bands ? half_span(window->x, high_x) : window->x;
        const struct span y = bands ? half_span(window->y, high_y) : window->y;
        const int all[] = {extent(w, work->level - 1, WP_X), extent(w, work->level - 1, WP_Y)};
        const int size[] = {bands ? half(all[WP_X], high_x) : all[WP_X],
                            bands ? half(all[WP_Y], high_y) : all[WP_Y]};
        for (int p = 0; p < w->planes; p++) {
            const struct wp_view own = wp_place_band(d, &place, bands, band, p);
            const struct plane whole = plane_of(work, in ? work->from : work->to, level, band, p);
            if (in)
                gather(&whole, size, x, y, &own);
            else
                scatter(&own, x, y, &whole);
        }
    }
}

static struct wp_exec *exec_of(const struct work *work, const struct window *window, int item)
{
    return window->size->exec[item % work->windows->execs];
}

static bool load(void *user, int item, bool *end)
{
    struct work *work = user;
    const struct wp_windows *w = work->windows;
    *end = item == work->columns * work->rows;
    if (*end)
        return true;
    const struct window window = window_of(work, item);
    const struct wp_place place = wp_place_dense(&window.size->description, w->in);
    const double start = wp_clock_seconds();
    move(work, &window, true);
    const bool ok = w->backend->load(exec_of(work, &window, item), &place);
    work->seconds->load += wp_clock_seconds() - start;
    return ok;
}

static bool run(void *user, int item, bool *end)
{
    struct work *work = user;
    const struct window window = window_of(work, item);
    double seconds = 0;
    (void)end;
    const bool ok = work->windows->backend->run(exec_of(work, &window, item), &seconds);
    work->seconds->run += seconds;
    return ok;
}

static bool store(void *user, int item, bool *end)
{
    struct work *work = user;
    const struct wp_windows *w = work->windows;
    const struct window window = window_of(work, item);
    const struct wp_place place = wp_place_dense(&window.size->description, w->out);
    const double start = wp_clock_seconds();
    (void)end;
    const bool ok = w->backend->store(exec_of(work, &window, item), &place);
    if (ok)
        move(work, &window, false);
    work->seconds->store += wp_clock_seconds() - start;
    return ok;
}

// Window after window: loaded, run and stored at once where the backend can.
static bool transform_level(struct work *work)
{
    const struct wp_windows *w = work->windows;
    work->columns = spans_of(w, extent(w, work->level - 1, WP_X));
    work->rows = spans_of(w, extent(w, work->level - 1, WP_Y));
    struct wp_pipeline_stage stage[] = {
        {.step = load, .slots = EXECS}, {.step = run, .slots = EXECS}, {.step = store}};
    if (w->execs > 1)
        return wp_pipeline_run(stage, 3, 1, work);
    bool ok = true, end = false;
    for (int i = 0; ok; i++) {
        ok = load(work, i, &end);
        if (end)
            break;
        ok = ok && run(work, i, &end) && store(work, i, &end);
    }
    return ok;
}

static bool transform_rest(const struct work *work)
{
    const struct wp_windows *w = work->windows;
    const struct wp_description *d = &w->rest_of;
    const bool forward = d->direction == WP_FORWARD;
    struct wp_view band[3 * WP_MAX_LEVELS + 1];
    if (!w->rest)
        return true;
    for (int i = 0; i < wp_place_bands(d); i++) {
        enum wp_band b;
        const int level = w->levels + wp_place_band_at(d, i, &b);
        band[i] = wp_place_band(&w->whole, forward ? work->to : work->from, level, b, 0);
    }
    const struct wp_place samples = {.array = low_of(w, w->levels, 0)}, bands = {.band = band};
    return wp_exec_transform(w->backend, w->rest, forward ? &samples : &bands,
                             forward ? &bands : &samples, work->seconds);
}

static bool transform(struct work *work)
{
    const int levels = work->windows->levels;
    const bool forward = work->windows->whole.direction == WP_FORWARD;
    bool ok = forward || transform_rest(work);
    for (int i = 1; i <= levels && ok; i++) {
        work->level = forward ? i : levels + 1 - i;
        ok = transform_level(work);
    }
    return ok && (!forward || transform_rest(work));
}

// A copy of a side, in an array of its own. NULL after an error.
static float *keep(const struct wp_windows *w, const struct wp_place *from, struct wp_place *kept)
{
    const struct wp_description *d = &w->whole;
    float *array = wp_allocate_pages(wp_description_samples(d) * (size_t)w->planes, sizeof *array,
                                     "a copy of what is transformed in place");
    const int bands = d->direction == WP_INVERSE ? wp_place_bands(d) : 1;
    *kept = wp_place_dense(d, array);
    for (int i = 0; array && i < bands; i++) {
        enum wp_band band = WP_BAND_LL;
        const int level = d->direction == WP_INVERSE ? wp_place_band_at(d, i, &band) : 0;
        const struct wp_band_grid grid = wp_description_band(d, level, band);
        for (int p = 0; p < w->planes; p++) {
            const struct wp_view in = wp_place_band(d, from, level, band, p);
            const struct wp_view out = wp_place_band(d, kept, level, band, p);
            for (int y = 0; y < grid.size[WP_Y]; y++)
                copy_row(&in, y * in.step[WP_Y], &out, y * out.step[WP_Y], grid.size[WP_X]);
        }
    }
    return array;
}

bool wp_windows_transform(struct wp_windows *w, const struct wp_place *from,
                          const struct wp_place *to, struct wp_exec_seconds *seconds)
{
    struct wp_exec_seconds unused = {0};
    struct work work = {
        .windows = w, .from = from, .to = to, .seconds = seconds ? seconds : &unused};
    struct wp_place kept;
    float *copy = NULL;
    if (wp_place_overlaps(&w->whole, from, to)) {
        copy = keep(w, from, &kept);
        if (!copy)
            return false;
        work.from = &kept;
    }
    const bool ok = transform(&work);
    free(copy);
    return ok;
}
