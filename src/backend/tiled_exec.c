#include "tiled_exec.h"

#include "clock.h"
#include "convert.h"
#include "elements.h"
#include "log.h"
#include "memory.h"
#include "pipeline.h"
#include "threads.h"

#include <stdlib.h>
#include <string.h>

enum {
    EXECS = 2,  // that take turns, where a backend can load, run and store at once
    AXES = 2,
    MARGIN = 32, // several levels go at once where margins are at most such a part of a window
};

// Along an axis: the samples of a window, and those of them that come out right and are wanted. One
// that wraps around begins before the first sample or ends behind the last.
struct span {
    int first, end, from, to;
};

// How an axis is cut: `count` windows of `side` samples, the last one up to the end.
struct cut {
    int size, count, side;
    int before, after; // samples of a window that an artificial border spoils
};

// Levels that go through together, the first of them after `level` others.
struct group {
    int level, levels;
    struct cut cut[AXES];
    // Of windows that have the last one's length along axis a where bit a is set. Where that is
    // every one's there is nothing.
    struct {
        struct wp_description description;
        struct wp_exec *exec[EXECS];
    } size[1 << AXES];
};

// A window's memory on the host, for what cannot go between the caller's and the device.
struct staging {
    float *data[EXECS];
    bool pinned[EXECS];
};

struct wp_tiled_exec {
    const struct wp_backend *backend;
    struct wp_device *device;
    struct wp_description whole;
    const struct wp_variant *variant;
    int side[AXES], planes;
    int before, after; // pairs that a level reads
    bool wraps;
    int groups, execs;
    struct group group[WP_MAX_LEVELS];
    float *low[2]; // LL behind group g in low[g % 2]
    bool pinned_low[2];
    struct staging in, out;
    float *coefficients; // as floats, where a caller's are none; else NULL
};

static int smaller(int a, int b)
{
    return a < b ? a : b;
}

static int extent(const struct wp_tiled_exec *w, int level, int axis)
{
    return wp_level_size(w->whole.size[axis], level);
}

static int round_up(int i, int unit)
{
    return (i + unit - 1) / unit * unit;
}

// Samples next to a border that so many levels spoil which read `pairs` pairs beyond a quad: what
// is spoiled of a level is read by the next one. A multiple of 2^levels.
static int spoiled(int pairs, int levels)
{
    int spoiled = 0;
    for (int l = 0; l < levels; l++)
        spoiled = (spoiled + 1) / 2 + pairs;
    return spoiled << levels;
}

// An axis of a group, in as few windows as are no longer than its side, and those no longer than
// they must be. False where it cannot be cut so.
static bool cut_axis(const struct wp_tiled_exec *w, int axis, int size, int levels, struct cut *cut)
{
    const int unit = 1 << levels, side = w->side[axis] / unit * unit;
    *cut = (struct cut){.size = size, .count = 1, .side = size};
    if (size <= w->side[axis])
        return true;
    cut->before = spoiled(w->before, levels);
    cut->after = spoiled(w->after, levels);
    const int margins = cut->before + cut->after, most = side - margins;
    // Borders that wrap have margins at both ends of the whole as well.
    const int within = w->wraps ? size : size - margins;
    if (most <= margins)
        return false;
    cut->count = (within + most - 1) / most;
    cut->side = margins + round_up((within + cut->count - 1) / cut->count, unit);
    return true;
}

static bool cut_group(const struct wp_tiled_exec *w, int level, int levels, struct group *group)
{
    *group = (struct group){.level = level, .levels = levels};
    for (int a = 0; a < AXES; a++)
        if (!cut_axis(w, a, extent(w, level, a), levels, &group->cut[a]))
            return false;
    return true;
}

static bool is_narrow(const struct wp_tiled_exec *w, const struct group *group)
{
    for (int a = 0; a < AXES; a++) {
        const struct cut *cut = &group->cut[a];
        const int margins = cut->before + cut->after, unit = 1 << group->levels;
        if (cut->count > 1 && MARGIN * (margins > unit ? margins : unit) > w->side[a])
            return false;
    }
    return true;
}

// A level, and those behind it whose margins cost little.
static bool make_group(const struct wp_tiled_exec *w, int level, struct group *group)
{
    struct group more;
    if (!cut_group(w, level, 1, group))
        return false;
    for (int levels = 2; levels <= w->whole.levels - level; levels++) {
        if (!cut_group(w, level, levels, &more) || !is_narrow(w, &more))
            break;
        *group = more;
    }
    return true;
}

static bool is_cut(const struct group *group)
{
    return group->cut[WP_X].count > 1 || group->cut[WP_Y].count > 1;
}

static bool set(struct wp_tiled_exec *w, const struct wp_backend *backend,
                const struct wp_description *d, const int side[AXES])
{
    const struct wp_lifting lifting = wp_description_lifting(d);
    w->backend = backend;
    w->whole = *d;
    w->whole.coefficients = WP_ELEMENT_F32;
    w->planes = wp_description_planes(d);
    memcpy(w->side, side, sizeof w->side);
    w->before = lifting.before;
    w->after = lifting.after;
    w->wraps = lifting.extension == WP_EXTEND_WRAP;
    for (int level = 0; level < d->levels; level += w->group[w->groups++].levels)
        if (!make_group(w, level, &w->group[w->groups]))
            return false;
    return w->groups > 0 && is_cut(&w->group[0]);
}

bool wp_tiled_exec_supports(const struct wp_backend *backend, const struct wp_description *d,
                    const int side[2])
{
    struct wp_tiled_exec w = {0};
    return !backend->transform && wp_description_depth(d) == 1 && set(&w, backend, d, side);
}

// Begins at a multiple of 2^levels, so that its levels have the whole's parities. The last one is as
// long as the others, but for as little as that costs.
static struct span span_of(const struct wp_tiled_exec *w, const struct group *group, int axis, int i)
{
    const struct cut *cut = &group->cut[axis];
    const int core = cut->side - cut->before - cut->after, end = i * core + cut->side;
    if (cut->count == 1)
        return (struct span){0, cut->size, 0, cut->size};
    if (w->wraps)
        return (struct span){i * core - cut->before, end - cut->before, i * core,
                             smaller((i + 1) * core, cut->size)};
    if (i + 1 == cut->count)
        return (struct span){round_up(cut->size - cut->side, 1 << group->levels), cut->size,
                             i * core + cut->before, cut->size};
    return (struct span){i * core, end, i ? i * core + cut->before : 0, end - cut->after};
}

static int length_of(struct span s)
{
    return s.end - s.first;
}

// Of the first window and the last one: the lengths that there are.
static int length_at(const struct wp_tiled_exec *w, const struct group *group, int axis, bool last)
{
    return length_of(span_of(w, group, axis, last ? group->cut[axis].count - 1 : 0));
}

static unsigned size_of(const struct wp_tiled_exec *w, const struct group *group,
                        const struct span span[AXES])
{
    unsigned size = 0;
    for (int a = 0; a < AXES; a++)
        size |= (unsigned)(length_of(span[a]) != length_at(w, group, a, false)) << a;
    return size;
}

static bool prepare_size(struct wp_tiled_exec *w, struct group *group, unsigned size)
{
    struct wp_description *d = &group->size[size].description;
    *d = w->whole;
    for (int a = 0; a < AXES; a++) {
        d->size[a] = length_at(w, group, a, size >> a & 1);
        if (size >> a & 1 && d->size[a] == length_at(w, group, a, false))
            return true;
    }
    d->levels = group->levels;
    d->layout = WP_LAYOUT_MALLAT;
    d->samples = WP_ELEMENT_F32;
    // A single window has no other to take turns with.
    for (int i = 0; i < (is_cut(group) ? w->execs : 1); i++) {
        group->size[size].exec[i] = w->backend->prepare(w->device, d, w->variant);
        if (!group->size[size].exec[i])
            return false;
    }
    return true;
}

static bool prepare_sizes(struct wp_tiled_exec *w)
{
    for (int g = 0; g < w->groups; g++)
        for (unsigned size = 0; size < 1 << AXES; size++)
            if (!prepare_size(w, &w->group[g], size))
                return false;
    return true;
}

static bool pin(const struct wp_tiled_exec *w, float *memory, size_t floats)
{
    return w->backend->pin && w->backend->pin(w->device, memory, floats * sizeof *memory);
}

// Later groups' low bands are smaller.
static bool allocate_low(struct wp_tiled_exec *w)
{
    for (int g = 0; g + 1 < w->groups && g < 2; g++) {
        const int level = w->group[g + 1].level;
        const size_t floats = (size_t)extent(w, level, WP_X) * (size_t)extent(w, level, WP_Y) *
                              (size_t)w->planes;
        w->low[g] = wp_allocate_pages(floats, sizeof(float), "low bands");
        if (!w->low[g])
            return false;
        w->pinned_low[g] = pin(w, w->low[g], floats);
    }
    return true;
}

// In the order in which they are tried. Long rows are copied fastest, and many windows leave little
// time in which the first is on its way alone; devices that take no such rows get squares.
static const int sides[][AXES] = {{65536, 1024}, {8192, 8192}, {4096, 4096}, {2048, 2048},
                                  {1024, 1024},  {512, 512},   {256, 256},   {128, 128},
                                  {64, 64}};

enum { SIDES = sizeof sides / sizeof *sides };

bool wp_tiled_exec_supports_any(const struct wp_backend *backend, const struct wp_description *d)
{
    return wp_tiled_exec_supports(backend, d, sides[SIDES - 1]);
}

struct wp_tiled_exec *wp_tiled_exec_prepare_any(const struct wp_backend *backend,
                                          struct wp_device *device,
                                          const struct wp_description *d,
                                          const struct wp_variant *variant)
{
    struct wp_tiled_exec *w = NULL;
    for (int i = 0; i < SIDES && !w; i++)
        if (wp_tiled_exec_supports(backend, d, sides[i]))
            w = wp_tiled_exec_prepare(backend, device, d, variant, sides[i]);
    return w;
}

void wp_tiled_exec_size(const struct wp_tiled_exec *w, int size[2])
{
    for (int a = 0; a < AXES; a++)
        size[a] = w->group[0].cut[a].side;
}

struct wp_tiled_exec *wp_tiled_exec_prepare(const struct wp_backend *backend, struct wp_device *device,
                                      const struct wp_description *d,
                                      const struct wp_variant *variant, const int side[2])
{
    struct wp_tiled_exec *w = wp_allocate(1, sizeof *w, "windows");
    if (!w)
        return NULL;
    set(w, backend, d, side);
    w->device = device;
    w->variant = variant;
    w->execs = backend->overlaps ? EXECS : 1;
    const bool typed = d->coefficients != WP_ELEMENT_F32;
    if (!prepare_sizes(w) || !allocate_low(w) ||
        (typed && !(w->coefficients = wp_convert_scratch(d, "the coefficients as floats"))))
        wp_tiled_exec_release(&w);
    return w;
}

static void release_memory(const struct wp_tiled_exec *w, float *memory, bool pinned)
{
    if (pinned)
        w->backend->unpin(w->device, memory);
    free(memory);
}

void wp_tiled_exec_release(struct wp_tiled_exec **slot)
{
    struct wp_tiled_exec *w = *slot;
    *slot = NULL;
    if (!w)
        return;
    for (int g = 0; g < w->groups; g++)
        for (int size = 0; size < 1 << AXES; size++)
            for (int k = 0; k < w->execs; k++)
                w->backend->release(w->group[g].size[size].exec[k]);
    for (int k = 0; k < 2; k++)
        release_memory(w, w->low[k], w->pinned_low[k]);
    for (int k = 0; k < EXECS; k++) {
        release_memory(w, w->in.data[k], w->in.pinned[k]);
        release_memory(w, w->out.data[k], w->out.pinned[k]);
    }
    free(w->coefficients);
    free(w);
}

const struct wp_exec *wp_tiled_exec_tile_exec(const struct wp_tiled_exec *w)
{
    return w->group[0].size[0].exec[0];
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

// A group whose windows go through.
struct work {
    struct wp_tiled_exec *tiled;
    const struct group *group;
    const struct wp_operand *from, *to; // of the whole
    bool direct_in, direct_out;       // windows within the whole go by themselves
    bool only_in, only_out;           // nothing but the way there, or back, is gone
    struct wp_exec_seconds *seconds;
};

struct window {
    struct span span[AXES];
    const struct wp_description *description;
    struct wp_exec *exec;
    int turn;
};

static struct window window_of(const struct work *work, int item)
{
    const struct wp_tiled_exec *w = work->tiled;
    const struct group *group = work->group;
    const int columns = group->cut[WP_X].count;
    struct window window = {
        .span = {span_of(w, group, WP_X, item % columns), span_of(w, group, WP_Y, item / columns)},
        .turn = item % w->execs,
    };
    const unsigned size = size_of(w, group, window.span);
    window.description = &group->size[size].description;
    window.exec = group->size[size].exec[window.turn];
    return window;
}

// The LL bands that are input of a level, of a group's first one.
static struct wp_view low_of(const struct wp_tiled_exec *w, int level, int plane)
{
    int g = 0;
    while (w->group[g + 1].level != level)
        g++;
    const ptrdiff_t width = extent(w, level, WP_X), size = width * extent(w, level, WP_Y);
    return (struct wp_view){
        .data = w->low[g % 2] + plane * size, .step = {1, width}, .plane = size};
}

// What a group reads or makes: samples, or its bands, in the order of a place.
struct piece {
    int level;         // of a window's; 0: samples
    enum wp_band band;
    int size[AXES];    // of the whole's
    struct plane whole; // the first plane
};

static int half(int sample, bool high)
{
    // Before the first sample spans begin at even ones.
    return sample < 0 ? sample / 2 : (sample + !high) / 2;
}

// Where a sample, or the end of some, is in a piece: low bands are at even samples.
static int in_piece(const struct piece *piece, int axis, int sample)
{
    for (int l = 1; l <= piece->level; l++)
        sample = half(sample, l == piece->level && piece->band >> axis & 1);
    return sample;
}

static struct span span_in_piece(const struct piece *piece, int axis, struct span s)
{
    return (struct span){in_piece(piece, axis, s.first), in_piece(piece, axis, s.end),
                         in_piece(piece, axis, s.from), in_piece(piece, axis, s.to)};
}

static bool has_bands(const struct work *work, bool in)
{
    return in == (work->tiled->whole.direction == WP_INVERSE);
}

static int pieces_of(const struct work *work, bool in)
{
    return has_bands(work, in) ? 3 * work->group->levels + 1 : 1;
}

// LL that other levels follow, and level 0, are no bands of a place.
static struct plane plane_of(const struct wp_tiled_exec *w, const struct wp_operand *operand, int level,
                             enum wp_band band)
{
    struct plane plane = {.reversible = w->whole.reversible};
    if (level > 0 && band == WP_BAND_LL && level < w->whole.levels)
        plane.floats = low_of(w, level, 0);
    else if (level == 0 && operand->pixels.data)
        plane.pixels = operand->pixels;
    else
        plane.floats = wp_operand_band(&w->whole, operand, level, band, 0);
    return plane;
}

static struct piece piece_of(const struct work *work, bool in, int i)
{
    const struct wp_tiled_exec *w = work->tiled;
    const struct group *group = work->group;
    struct piece piece = {.level = 0};
    if (has_bands(work, in))
        piece.level = wp_subband_at(&group->size[0].description, i, &piece.band);
    for (int a = 0; a < AXES; a++)
        piece.size[a] = in_piece(&piece, a, group->cut[a].size);
    piece.whole = plane_of(w, in ? work->from : work->to, group->level + piece.level, piece.band);
    return piece;
}

// Whether windows that do not wrap around can go between a side and the device: rows of floats,
// where the device reaches them by itself if that is what is fast.
static bool is_direct(const struct work *work, bool in)
{
    const struct wp_backend *backend = work->tiled->backend;
    bool direct = in || backend->store_within;
    for (int i = 0; i < pieces_of(work, in) && direct; i++) {
        const struct piece piece = piece_of(work, in, i);
        const struct wp_view *view = &piece.whole.floats;
        if (piece.size[WP_X] == 0 || piece.size[WP_Y] == 0)
            continue;
        direct = !piece.whole.pixels.data && view->step[WP_X] == 1 &&
                 (!backend->reaches || backend->reaches(work->tiled->device, view->data));
    }
    return direct;
}

static bool goes_direct(const struct work *work, const struct window *window, bool in)
{
    bool direct = in ? work->direct_in : work->direct_out;
    for (int a = 0; a < AXES; a++)
        direct = direct && window->span[a].first >= 0 &&
                 window->span[a].end <= work->group->cut[a].size;
    return direct;
}

// Rows of a piece of a window and of the whole's.
struct transfer {
    struct plane whole;
    struct wp_view own;
    int size[AXES];
    struct span x, y;
};

enum { SHARED_ROWS = 64 };

static int last_of(int i, int end)
{
    return smaller((i + 1) * SHARED_ROWS, end);
}

// Around the borders where spans go beyond.
static void gather_rows(void *user, int i, int thread)
{
    const struct transfer *t = user;
    (void)thread;
    for (int row = i * SHARED_ROWS; row < last_of(i, length_of(t->y)); row++) {
        float *line = t->own.data + row * t->own.step[WP_Y];
        const int y = wrap(t->y.first + row, t->size[WP_Y]);
        for (int column = t->x.first, count; column < t->x.end; column += count) {
            const int first = wrap(column, t->size[WP_X]);
            count = smaller(t->size[WP_X] - first, t->x.end - column);
            read_row(&t->whole, first, y, line + (column - t->x.first), count);
        }
    }
}

// Those that are wanted, back to where they belong.
static void scatter_rows(void *user, int i, int thread)
{
    const struct transfer *t = user;
    (void)thread;
    const int first = t->y.from + i * SHARED_ROWS, end = last_of(i, t->y.to - t->y.from);
    for (int row = first; row < t->y.from + end; row++)
        write_row(&t->whole, t->x.from, row,
                  t->own.data + (row - t->y.first) * t->own.step[WP_Y] + (t->x.from - t->x.first),
                  t->x.to - t->x.from);
}

static void move_plane(struct plane *plane, int number)
{
    if (plane->pixels.data)
        plane->pixels.data = wp_pixels_at(&plane->pixels, number * plane->pixels.plane);
    else
        plane->floats.data += number * plane->floats.plane;
}

// Between a window's memory on the host and the whole, where it does not go by itself.
static void move(const struct work *work, int item, bool in)
{
    const struct wp_tiled_exec *w = work->tiled;
    const struct window window = window_of(work, item);
    if (goes_direct(work, &window, in))
        return;
    const struct wp_description *d = window.description;
    const struct wp_operand operand = wp_operand_dense(d, (in ? &w->in : &w->out)->data[window.turn]);
    for (int i = 0; i < pieces_of(work, in); i++) {
        const struct piece piece = piece_of(work, in, i);
        struct transfer t = {
            .size = {piece.size[WP_X], piece.size[WP_Y]},
            .x = span_in_piece(&piece, WP_X, window.span[WP_X]),
            .y = span_in_piece(&piece, WP_Y, window.span[WP_Y]),
        };
        const int rows = in ? length_of(t.y) : t.y.to - t.y.from;
        for (int p = 0; p < w->planes && t.size[WP_X] > 0; p++) {
            t.whole = piece.whole;
            move_plane(&t.whole, p);
            t.own = wp_operand_band(d, &operand, piece.level, piece.band, p);
            wp_threads_share(wp_threads_count(), (rows + SHARED_ROWS - 1) / SHARED_ROWS,
                             in ? gather_rows : scatter_rows, &t);
        }
    }
}

// Where a window lies in the whole.
struct lying {
    struct wp_view view[3 * WP_MAX_LEVELS + 1];
    struct wp_operand operand;
};

static void lie_in_whole(const struct work *work, const struct window *window, bool in,
                         struct lying *lying)
{
    for (int i = 0; i < pieces_of(work, in); i++) {
        const struct piece piece = piece_of(work, in, i);
        struct wp_view view = piece.whole.floats;
        for (int a = 0; a < AXES && piece.size[WP_X] > 0 && piece.size[WP_Y] > 0; a++)
            view.data += in_piece(&piece, a, window->span[a].first) * view.step[a];
        lying->view[i] = view;
    }
    lying->operand = has_bands(work, in) ? (struct wp_operand){.band = lying->view}
                                       : (struct wp_operand){.array = lying->view[0]};
}

static bool gather(void *user, int item, bool *end)
{
    const struct work *work = user;
    *end = item == work->group->cut[WP_X].count * work->group->cut[WP_Y].count;
    if (!*end && !work->only_out)
        move(work, item, true);
    return true;
}

static bool load(void *user, int item, bool *end)
{
    const struct work *work = user;
    const struct wp_tiled_exec *w = work->tiled;
    const struct window window = window_of(work, item);
    struct lying lying;
    (void)end;
    if (work->only_out)
        return true;
    if (goes_direct(work, &window, true))
        lie_in_whole(work, &window, true, &lying);
    else
        lying.operand = wp_operand_dense(window.description, w->in.data[window.turn]);
    return w->backend->load(window.exec, &lying.operand);
}

static bool run(void *user, int item, bool *end)
{
    const struct work *work = user;
    double seconds = 0;
    (void)end;
    if (work->only_in || work->only_out)
        return true;
    const bool ok = work->tiled->backend->run(window_of(work, item).exec, &seconds);
    work->seconds->run += seconds;
    return ok;
}

static bool store(void *user, int item, bool *end)
{
    const struct work *work = user;
    const struct wp_tiled_exec *w = work->tiled;
    const struct window window = window_of(work, item);
    const struct span *x = &window.span[WP_X], *y = &window.span[WP_Y];
    (void)end;
    if (work->only_in)
        return true;
    if (goes_direct(work, &window, false)) {
        const struct wp_within within = {
            .from = {x->from - x->first, y->from - y->first},
            .to = {x->to - x->first, y->to - y->first},
        };
        struct lying lying;
        lie_in_whole(work, &window, false, &lying);
        return w->backend->store_within(window.exec, &lying.operand, &within);
    }
    const struct wp_operand operand = wp_operand_dense(window.description, w->out.data[window.turn]);
    return w->backend->store(window.exec, &operand);
}

static bool scatter(void *user, int item, bool *end)
{
    const struct work *work = user;
    (void)end;
    if (!work->only_in)
        move(work, item, false);
    return true;
}

// Memory for a window on its way, once.
static bool stage(const struct wp_tiled_exec *w, struct staging *staging)
{
    size_t floats = 0;
    for (int g = 0; g < w->groups; g++) {
        const struct cut *cut = w->group[g].cut;
        const size_t window = (size_t)cut[WP_X].side * (size_t)cut[WP_Y].side;
        floats = window > floats ? window : floats;
    }
    floats *= (size_t)w->planes;
    for (int k = 0; k < w->execs && !staging->data[k]; k++) {
        staging->data[k] = wp_allocate_pages(floats, sizeof(float), "a window");
        if (!staging->data[k])
            return false;
        staging->pinned[k] = pin(w, staging->data[k], floats);
    }
    return true;
}

enum { STAGES = 5 };

// One window after another.
static bool run_in_turn(struct wp_pipeline_stage steps[STAGES], void *user)
{
    bool ok = true, end = false;
    for (int item = 0; ok; item++)
        for (int s = 0; s < STAGES && ok; s++) {
            const double start = wp_clock_seconds();
            ok = steps[s].step(user, item, &end);
            steps[s].seconds += wp_clock_seconds() - start;
            if (end)
                return true;
        }
    return false;
}

// Windows one after the other: loaded, run and stored at once where the backend can.
static bool transform_group(struct work *work)
{
    struct wp_tiled_exec *w = work->tiled;
    work->direct_in = work->only_out || is_direct(work, true);
    work->direct_out = work->only_in || is_direct(work, false);
    const bool around = w->wraps && is_cut(work->group);
    if ((around || !work->direct_in) && !stage(w, &w->in))
        return false;
    if ((around || !work->direct_out) && !stage(w, &w->out))
        return false;
    struct wp_pipeline_stage steps[STAGES] = {{.step = gather, .slots = EXECS},
                                              {.step = load, .slots = EXECS},
                                              {.step = run, .slots = EXECS},
                                              {.step = store, .slots = EXECS},
                                              {.step = scatter}};
    const bool ok = w->execs > 1 && is_cut(work->group) ? wp_pipeline_run(steps, STAGES, 2, work)
                                                        : run_in_turn(steps, work);
    work->seconds->load += steps[0].seconds + steps[1].seconds;
    work->seconds->store += steps[3].seconds + steps[4].seconds;
    return ok;
}

static bool transform(struct work *work)
{
    const struct wp_tiled_exec *w = work->tiled;
    const bool forward = w->whole.direction == WP_FORWARD;
    bool ok = true;
    for (int g = 0; g < w->groups && ok; g++) {
        work->group = &w->group[forward ? g : w->groups - 1 - g];
        ok = transform_group(work);
    }
    return ok;
}

// A copy of a side, in an array of its own. NULL after an error.
static float *keep(const struct wp_tiled_exec *w, const struct wp_operand *from, struct wp_operand *kept)
{
    const struct wp_description *d = &w->whole;
    float *array = wp_allocate_pages(wp_description_samples(d) * (size_t)w->planes, sizeof *array,
                                     "a copy for the transform in place");
    const int bands = d->direction == WP_INVERSE ? wp_subband_count(d) : 1;
    *kept = wp_operand_dense(d, array);
    for (int i = 0; array && i < bands; i++) {
        enum wp_band band = WP_BAND_LL;
        const int level = d->direction == WP_INVERSE ? wp_subband_at(d, i, &band) : 0;
        const struct wp_band_grid grid = wp_description_band(d, level, band);
        for (int p = 0; p < w->planes; p++) {
            const struct wp_view in = wp_operand_band(d, from, level, band, p);
            const struct wp_view out = wp_operand_band(d, kept, level, band, p);
            for (int y = 0; y < grid.size[WP_Y]; y++)
                copy_row(&in, y * in.step[WP_Y], &out, y * out.step[WP_Y], grid.size[WP_X]);
        }
    }
    return array;
}

static bool transform_floats(struct wp_tiled_exec *w, const struct wp_operand *from,
                             const struct wp_operand *to, struct wp_exec_seconds *seconds)
{
    struct work work = {.tiled = w, .from = from, .to = to, .seconds = seconds};
    struct wp_operand kept;
    float *copy = NULL;
    if (wp_operand_overlaps(&w->whole, from, to)) {
        copy = keep(w, from, &kept);
        if (!copy)
            return false;
        work.from = &kept;
    }
    const bool ok = transform(&work);
    free(copy);
    return ok;
}

bool wp_tiled_exec_transform(struct wp_tiled_exec *w, const struct wp_operand *from,
                          const struct wp_operand *to, struct wp_exec_seconds *seconds)
{
    struct wp_exec_seconds unused = {0};
    struct wp_exec_seconds *taken = seconds ? seconds : &unused;
    if (!w->coefficients)
        return transform_floats(w, from, to, taken);
    const bool forward = w->whole.direction == WP_FORWARD;
    const struct wp_operand floats = wp_operand_dense(&w->whole, w->coefficients);
    if (!forward)
        taken->load += wp_convert_read(&w->whole, &from->pixels, w->coefficients);
    const bool ok = transform_floats(w, forward ? from : &floats, forward ? &floats : to, taken);
    if (forward && ok)
        taken->store += wp_convert_write(&w->whole, w->coefficients, &to->pixels);
    return ok;
}

bool wp_tiled_exec_copy(struct wp_tiled_exec *w, const struct wp_operand *operand, bool in)
{
    struct wp_exec_seconds unused = {0};
    struct work work = {.tiled = w, .from = operand, .to = operand, .seconds = &unused,
                        .only_in = in, .only_out = !in};
    return transform(&work);
}
