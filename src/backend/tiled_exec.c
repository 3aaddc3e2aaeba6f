#include "tiled_exec.h"

#include "clock.h"
#include "execute.h"
#include "elements.h"
#include "log.h"
#include "memory.h"
#include "min_max.h"
#include "threads.h"

#include <stdlib.h>
#include <string.h>

enum {
    EXECS = 2, // used alternately if the backend can load, run and store concurrently
    AXES = 2,
    MARGIN_SHARE = 32, // several levels per group if margins are at most 1/32 of a tile
};

// A tile along an axis: samples first..end-1. Samples from..to-1 are exact and are stored. With
// periodic extension it may begin before sample 0 and end after the last sample.
struct span {
    int first, end, from, to;
};

// Tiles of an axis: `count` tiles of `tile_size` samples; the last one ends at `size`.
struct tiling {
    int size, count, tile_size;
    int before, after; // margins: samples of a tile that its artificial borders affect
};

// Consecutive levels that are computed at once, after the first `level` levels.
struct group {
    int level, levels;
    struct tiling tiling[AXES];
    // Execs for tiles with the length of the last tile along axis a if bit a is set, else of the
    // first. NULL if these lengths are equal.
    struct {
        struct wp_description description;
        struct wp_exec *exec[EXECS];
    } size[1 << AXES];
};

// Tiles on the host, for operands that the device cannot copy directly.
struct staging {
    float *data[EXECS];
    bool pinned[EXECS];
};

struct wp_tiled_exec {
    const struct wp_backend *backend;
    struct wp_device *device;
    struct wp_description description;
    const struct wp_variant *variant;
    int tile_size[AXES], planes;
    int before, after; // pairs that a level reads before and after a pair
    bool wraps;
    int groups, execs;
    struct group group[WP_MAX_LEVELS];
    float *low[2]; // LL after group g is in low[g % 2]
    bool pinned_low[2];
    struct staging in, out;
    struct wp_operand coefficients; // converted to floats; no data if the caller's are floats
};

static int extent(const struct wp_tiled_exec *w, int level, int axis)
{
    return wp_level_size(w->description.size[axis], level);
}

// Samples next to an artificial border that become inexact in `levels` levels that read `pairs`
// pairs beyond a quad; inexact output of a level is input of the next. A multiple of 2^levels.
static int inexact(int pairs, int levels)
{
    int inexact = 0;
    for (int l = 0; l < levels; l++)
        inexact = (inexact + 1) / 2 + pairs;
    return inexact << levels;
}

// Divides an axis of a group into the minimum number of tiles, of minimum length. False if margins
// are too large for that.
static bool tile_axis(const struct wp_tiled_exec *w, int axis, int size, int levels,
                      struct tiling *tiling)
{
    const int unit = 1 << levels, tile_size = w->tile_size[axis] / unit * unit;
    *tiling = (struct tiling){.size = size, .count = 1, .tile_size = size};
    if (size <= w->tile_size[axis])
        return true;
    tiling->before = inexact(w->before, levels);
    tiling->after = inexact(w->after, levels);
    const int margins = tiling->before + tiling->after, max_core = tile_size - margins;
    // Periodic extension needs margins at both ends of the image as well.
    const int exact = w->wraps ? size : size - margins;
    if (max_core <= margins)
        return false;
    tiling->count = wp_divide_up(exact, max_core);
    tiling->tile_size = margins + wp_round_up(wp_divide_up(exact, tiling->count), unit);
    return true;
}

static bool tile_group(const struct wp_tiled_exec *w, int level, int levels, struct group *group)
{
    *group = (struct group){.level = level, .levels = levels};
    for (int a = 0; a < AXES; a++)
        if (!tile_axis(w, a, extent(w, level, a), levels, &group->tiling[a]))
            return false;
    return true;
}

static bool is_narrow(const struct wp_tiled_exec *w, const struct group *group)
{
    for (int a = 0; a < AXES; a++) {
        const struct tiling *tiling = &group->tiling[a];
        const int margins = tiling->before + tiling->after, unit = 1 << group->levels;
        if (tiling->count > 1 && MARGIN_SHARE * (margins > unit ? margins : unit) > w->tile_size[a])
            return false;
    }
    return true;
}

// Groups a level with the following ones, as long as margins are small.
static bool plan_group(const struct wp_tiled_exec *w, int level, struct group *group)
{
    struct group more;
    if (!tile_group(w, level, 1, group))
        return false;
    for (int levels = 2; levels <= w->description.levels - level; levels++) {
        if (!tile_group(w, level, levels, &more) || !is_narrow(w, &more))
            break;
        *group = more;
    }
    return true;
}

static bool is_tiled(const struct group *group)
{
    return group->tiling[WP_X].count > 1 || group->tiling[WP_Y].count > 1;
}

static bool plan_tiles(struct wp_tiled_exec *w, const struct wp_backend *backend,
                       const struct wp_description *d, const int tile_size[AXES])
{
    const struct wp_lifting lifting = wp_description_lifting(d);
    w->backend = backend;
    w->description = *d;
    w->description.coefficients = WP_ELEMENT_F32;
    w->planes = wp_description_planes(d);
    memcpy(w->tile_size, tile_size, sizeof w->tile_size);
    w->before = lifting.before;
    w->after = lifting.after;
    w->wraps = lifting.extension == WP_EXTEND_WRAP;
    for (int level = 0; level < d->levels; level += w->group[w->groups++].levels)
        if (!plan_group(w, level, &w->group[w->groups]))
            return false;
    return w->groups > 0 && is_tiled(&w->group[0]);
}

bool wp_tiled_exec_supports(const struct wp_backend *backend, const struct wp_description *d,
                            const int tile_size[2])
{
    struct wp_tiled_exec w = {0};
    return !backend->transform && wp_description_depth(d) == 1 && d->bank == WP_BANK_DECIMATED &&
           plan_tiles(&w, backend, d, tile_size);
}

// Tile number `i`. It begins at a multiple of 2^levels, so that the parities of its samples are
// those of the image. The last tile may be shorter than the others by less than 2^levels.
static struct span span_of(const struct wp_tiled_exec *w, const struct group *group, int axis,
                           int i)
{
    const struct tiling *tiling = &group->tiling[axis];
    const int core = tiling->tile_size - tiling->before - tiling->after;
    const int end = i * core + tiling->tile_size;
    if (tiling->count == 1)
        return (struct span){0, tiling->size, 0, tiling->size};
    if (w->wraps)
        return (struct span){i * core - tiling->before, end - tiling->before, i * core,
                             wp_min((i + 1) * core, tiling->size)};
    if (i + 1 == tiling->count)
        return (struct span){wp_round_up(tiling->size - tiling->tile_size, 1 << group->levels),
                             tiling->size, i * core + tiling->before, tiling->size};
    return (struct span){i * core, end, i ? i * core + tiling->before : 0, end - tiling->after};
}

static int length_of(struct span s)
{
    return s.end - s.first;
}

// The length of the first or the last tile; every tile has one of these two lengths.
static int length_at(const struct wp_tiled_exec *w, const struct group *group, int axis, bool last)
{
    return length_of(span_of(w, group, axis, last ? group->tiling[axis].count - 1 : 0));
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
    *d = w->description;
    for (int a = 0; a < AXES; a++) {
        d->size[a] = length_at(w, group, a, size >> a & 1);
        if (size >> a & 1 && d->size[a] == length_at(w, group, a, false))
            return true;
    }
    d->levels = group->levels;
    d->layout = WP_LAYOUT_MALLAT;
    d->samples = WP_ELEMENT_F32;
    // A single tile needs only one exec.
    for (int i = 0; i < (is_tiled(group) ? w->execs : 1); i++) {
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

// The first group has the largest low band, those of later groups fit in the same two buffers.
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

// In the order in which they are tried. Long rows are copied fastest, and many tiles reduce the
// time before the first one is loaded; devices that do not support long rows get squares.
static const int tile_sizes[][AXES] = {{65536, 1024}, {8192, 8192}, {4096, 4096}, {2048, 2048},
                                  {1024, 1024},  {512, 512},   {256, 256},   {128, 128},
                                  {64, 64}};

enum { TILE_SIZES = sizeof tile_sizes / sizeof *tile_sizes };

bool wp_tiled_exec_supports_any(const struct wp_backend *backend, const struct wp_description *d)
{
    return wp_tiled_exec_supports(backend, d, tile_sizes[TILE_SIZES - 1]);
}

struct wp_tiled_exec *wp_tiled_exec_prepare_any(const struct wp_backend *backend,
                                                struct wp_device *device,
                                                const struct wp_description *d,
                                                const struct wp_variant *variant)
{
    struct wp_tiled_exec *w = NULL;
    for (int i = 0; i < TILE_SIZES && !w; i++)
        if (wp_tiled_exec_supports(backend, d, tile_sizes[i]))
            w = wp_tiled_exec_prepare(backend, device, d, variant, tile_sizes[i]);
    return w;
}

void wp_tiled_exec_size(const struct wp_tiled_exec *w, int size[2])
{
    for (int a = 0; a < AXES; a++)
        size[a] = w->group[0].tiling[a].tile_size;
}

static bool allocate_converted(struct wp_tiled_exec *w)
{
    w->coefficients =
        wp_convert_scratch(&w->description, true, WP_ELEMENT_F32, "the coefficients as floats");
    return w->coefficients.data;
}

struct wp_tiled_exec *wp_tiled_exec_prepare(const struct wp_backend *backend,
                                            struct wp_device *device,
                                            const struct wp_description *d,
                                            const struct wp_variant *variant,
                                            const int tile_size[2])
{
    struct wp_tiled_exec *w = wp_allocate(1, sizeof *w, "tiled execution");
    if (!w)
        return NULL;
    plan_tiles(w, backend, d, tile_size);
    w->device = device;
    w->variant = variant;
    w->execs = backend->overlaps ? EXECS : 1;
    const bool typed = d->coefficients != WP_ELEMENT_F32;
    if (!prepare_sizes(w) || !allocate_low(w) ||
        (typed && !allocate_converted(w)))
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
    free(w->coefficients.data);
    free(w);
}

const struct wp_exec *wp_tiled_exec_tile_exec(const struct wp_tiled_exec *w)
{
    return w->group[0].size[0].exec[0];
}

// Samples or a band of a plane of the image.
struct plane {
    struct wp_operand array;
    bool reversible;
};

static ptrdiff_t offset_of(const struct plane *plane, int x, int y)
{
    return y * plane->array.stride[WP_Y] + x * plane->array.stride[WP_X];
}

static void read_row(const struct plane *from, int x, int y, float *to, int count)
{
    wp_operand_read(&wp_element_rows, to, &from->array, offset_of(from, x, y), from->reversible,
                    count);
}

static void write_row(const struct plane *to, int x, int y, const float *from, int count)
{
    wp_operand_write(&wp_element_rows, &to->array, offset_of(to, x, y), from, to->reversible,
                     count);
}

static int wrap(int i, int size)
{
    return (i % size + size) % size;
}

// Execution of the tiles of a group.
struct job {
    struct wp_tiled_exec *tiled;
    const struct group *group;
    const struct wp_operand *from, *to; // of the full image
    bool direct_in, direct_out; // tiles inside the image are copied directly
    bool only_in, only_out;     // only load, or only store
    struct wp_exec_seconds *seconds;
};

struct tile {
    struct span span[AXES];
    const struct wp_description *description;
    struct wp_exec *exec;
    int slot;
};

static struct tile tile_of(const struct job *job, int item)
{
    const struct wp_tiled_exec *w = job->tiled;
    const struct group *group = job->group;
    const int columns = group->tiling[WP_X].count;
    struct tile tile = {
        .span = {span_of(w, group, WP_X, item % columns), span_of(w, group, WP_Y, item / columns)},
        .slot = item % w->execs,
    };
    const unsigned size = size_of(w, group, tile.span);
    tile.description = &group->size[size].description;
    tile.exec = group->size[size].exec[tile.slot];
    return tile;
}

// The LL band that is the input of a level, the first of a group.
static struct wp_operand low_of(const struct wp_tiled_exec *w, int level, int plane)
{
    int g = 0;
    while (w->group[g + 1].level != level)
        g++;
    const ptrdiff_t width = extent(w, level, WP_X), size = width * extent(w, level, WP_Y);
    return (struct wp_operand){
        .data = w->low[g % 2] + plane * size, .stride = {1, width, [WP_PLANE] = size}};
}

// Input or output of a group: the samples, or one band, in the order of wp_subband_number().
struct piece {
    int level;         // within the group; 0: samples
    enum wp_band band;
    int size[AXES];    // of the image's piece
    struct plane image; // plane 0
};

static int half(int sample, bool high)
{
    // Spans that begin before sample 0 begin at an even one.
    return sample < 0 ? sample / 2 : (sample + !high) / 2;
}

// The index in a piece of a sample, or of the end of a range: low bands have the even samples.
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

static bool has_bands(const struct job *job, bool in)
{
    return in == (job->tiled->description.direction == WP_INVERSE);
}

static int pieces_of(const struct job *job, bool in)
{
    return has_bands(job, in) ? 3 * job->group->levels + 1 : 1;
}

// LL before the last level, and level 0, are not bands of an operand.
static struct plane plane_of(const struct wp_tiled_exec *w, const struct wp_operand *operand,
                             int level, enum wp_band band)
{
    struct plane plane = {.reversible = w->description.reversible};
    if (level > 0 && band == WP_BAND_LL && level < w->description.levels)
        plane.array = low_of(w, level, 0);
    else
        plane.array = wp_operand_band(&w->description, operand, level, band, 0);
    return plane;
}

static struct piece piece_of(const struct job *job, bool in, int i)
{
    const struct wp_tiled_exec *w = job->tiled;
    const struct group *group = job->group;
    struct piece piece = {.level = 0};
    if (has_bands(job, in))
        piece.level = wp_subband_at(&group->size[0].description, i, &piece.band);
    for (int a = 0; a < AXES; a++)
        piece.size[a] = in_piece(&piece, a, group->tiling[a].size);
    piece.image = plane_of(w, in ? job->from : job->to, group->level + piece.level, piece.band);
    return piece;
}

// Can tiles inside the image be copied directly between an operand and the device? This requires
// rows of floats and, if the backend has can_access(), memory that the device can access.
static bool is_direct(const struct job *job, bool in)
{
    const struct wp_backend *backend = job->tiled->backend;
    bool direct = in || backend->store_rect;
    for (int i = 0; i < pieces_of(job, in) && direct; i++) {
        const struct piece piece = piece_of(job, in, i);
        const struct wp_operand *view = &piece.image.array;
        if (piece.size[WP_X] == 0 || piece.size[WP_Y] == 0)
            continue;
        direct = view->type == WP_ELEMENT_F32 && view->stride[WP_X] == 1 &&
                 (!backend->can_access || backend->can_access(job->tiled->device, view->data));
    }
    return direct;
}

static bool is_tile_direct(const struct job *job, const struct tile *tile, bool in)
{
    bool direct = in ? job->direct_in : job->direct_out;
    for (int a = 0; a < AXES; a++)
        direct = direct && tile->span[a].first >= 0 &&
                 tile->span[a].end <= job->group->tiling[a].size;
    return direct;
}

// A copy of rows between a piece of a tile and of the image.
struct transfer {
    struct plane image;
    struct wp_operand tile;
    int size[AXES];
    struct span x, y;
};

enum { SHARED_ROWS = 64 };

static int last_of(int i, int end)
{
    return wp_min((i + 1) * SHARED_ROWS, end);
}

// Image to tile, wrapping around the borders.
static void gather_rows(void *user, int i, int thread)
{
    const struct transfer *t = user;
    (void)thread;
    for (int row = i * SHARED_ROWS; row < last_of(i, length_of(t->y)); row++) {
        float *line = wp_operand_at(&t->tile, row * t->tile.stride[WP_Y]);
        const int y = wrap(t->y.first + row, t->size[WP_Y]);
        for (int column = t->x.first, count; column < t->x.end; column += count) {
            const int first = wrap(column, t->size[WP_X]);
            count = wp_min(t->size[WP_X] - first, t->x.end - column);
            read_row(&t->image, first, y, line + (column - t->x.first), count);
        }
    }
}

// Exact samples of a tile to the image.
static void scatter_rows(void *user, int i, int thread)
{
    const struct transfer *t = user;
    (void)thread;
    const int first = t->y.from + i * SHARED_ROWS, end = last_of(i, t->y.to - t->y.from);
    for (int row = first; row < t->y.from + end; row++)
        write_row(&t->image, t->x.from, row,
                  wp_operand_at(&t->tile, (row - t->y.first) * t->tile.stride[WP_Y] + t->x.from -
                                              t->x.first),
                  t->x.to - t->x.from);
}

static void select_plane(struct plane *plane, int number)
{
    plane->array = wp_operand_advance(&plane->array, WP_PLANE, number, NULL);
}

// Copies between a staging tile and the image; does nothing for tiles that are copied directly.
static void copy_tile(const struct job *job, int item, bool in)
{
    const struct wp_tiled_exec *w = job->tiled;
    const struct tile tile = tile_of(job, item);
    if (is_tile_direct(job, &tile, in))
        return;
    const struct wp_description *d = tile.description;
    const struct wp_operand operand = wp_operand_dense(d, (in ? &w->in : &w->out)->data[tile.slot]);
    for (int i = 0; i < pieces_of(job, in); i++) {
        const struct piece piece = piece_of(job, in, i);
        struct transfer t = {
            .size = {piece.size[WP_X], piece.size[WP_Y]},
            .x = span_in_piece(&piece, WP_X, tile.span[WP_X]),
            .y = span_in_piece(&piece, WP_Y, tile.span[WP_Y]),
        };
        const int rows = in ? length_of(t.y) : t.y.to - t.y.from;
        for (int p = 0; p < w->planes && t.size[WP_X] > 0; p++) {
            t.image = piece.image;
            select_plane(&t.image, p);
            t.tile = wp_operand_band(d, &operand, piece.level, piece.band, p);
            wp_threads_share(wp_threads_count(), wp_divide_up(rows, SHARED_ROWS),
                             in ? gather_rows : scatter_rows, &t);
        }
    }
}

// A tile as an operand in the caller's memory.
struct tile_operand {
    struct wp_operand view[3 * WP_MAX_LEVELS + 1];
    struct wp_operand operand;
};

static void locate_tile(const struct job *job, const struct tile *tile, bool in,
                        struct tile_operand *tile_operand)
{
    for (int i = 0; i < pieces_of(job, in); i++) {
        const struct piece piece = piece_of(job, in, i);
        struct wp_operand view = piece.image.array;
        for (int a = 0; a < AXES && piece.size[WP_X] > 0 && piece.size[WP_Y] > 0; a++)
            view = wp_operand_advance(&view, a, in_piece(&piece, a, tile->span[a].first), NULL);
        tile_operand->view[i] = view;
    }
    tile_operand->operand =
        has_bands(job, in)
            ? (struct wp_operand){.band = tile_operand->view, .bands = pieces_of(job, in)}
            : tile_operand->view[0];
}

static bool gather(void *user, int item, bool *end)
{
    const struct job *job = user;
    *end = item == job->group->tiling[WP_X].count * job->group->tiling[WP_Y].count;
    if (!*end && !job->only_out)
        copy_tile(job, item, true);
    return true;
}

static bool load(void *user, int item, bool *end)
{
    const struct job *job = user;
    const struct wp_tiled_exec *w = job->tiled;
    const struct tile tile = tile_of(job, item);
    struct tile_operand tile_operand;
    (void)end;
    if (job->only_out)
        return true;
    if (is_tile_direct(job, &tile, true))
        locate_tile(job, &tile, true, &tile_operand);
    else
        tile_operand.operand = wp_operand_dense(tile.description, w->in.data[tile.slot]);
    return w->backend->load(tile.exec, &tile_operand.operand);
}

static bool run(void *user, int item, bool *end)
{
    const struct job *job = user;
    double seconds = 0;
    (void)end;
    if (job->only_in || job->only_out)
        return true;
    const bool ok = job->tiled->backend->run(tile_of(job, item).exec, &seconds);
    job->seconds->run += seconds;
    return ok;
}

static bool store(void *user, int item, bool *end)
{
    const struct job *job = user;
    const struct wp_tiled_exec *w = job->tiled;
    const struct tile tile = tile_of(job, item);
    const struct span *x = &tile.span[WP_X], *y = &tile.span[WP_Y];
    (void)end;
    if (job->only_in)
        return true;
    if (is_tile_direct(job, &tile, false)) {
        const struct wp_sample_rect rect = {
            .from = {x->from - x->first, y->from - y->first},
            .to = {x->to - x->first, y->to - y->first},
        };
        struct tile_operand tile_operand;
        locate_tile(job, &tile, false, &tile_operand);
        return w->backend->store_rect(tile.exec, &tile_operand.operand, &rect);
    }
    const struct wp_operand operand = wp_operand_dense(tile.description, w->out.data[tile.slot]);
    return w->backend->store(tile.exec, &operand);
}

static bool scatter(void *user, int item, bool *end)
{
    const struct job *job = user;
    (void)end;
    if (!job->only_in)
        copy_tile(job, item, false);
    return true;
}

// Allocates staging tiles on the first call.
static bool allocate_staging(const struct wp_tiled_exec *w, struct staging *staging)
{
    size_t floats = 0;
    for (int g = 0; g < w->groups; g++) {
        const struct tiling *tiling = w->group[g].tiling;
        const size_t tile = (size_t)tiling[WP_X].tile_size * (size_t)tiling[WP_Y].tile_size;
        floats = tile > floats ? tile : floats;
    }
    floats *= (size_t)w->planes;
    for (int k = 0; k < w->execs && !staging->data[k]; k++) {
        staging->data[k] = wp_allocate_pages(floats, sizeof(float), "a tile");
        if (!staging->data[k])
            return false;
        staging->pinned[k] = pin(w, staging->data[k], floats);
    }
    return true;
}

enum { STAGES = 5 };

// Processes one tile after another.
static bool run_sequentially(struct wp_pipeline_stage steps[STAGES], void *user)
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

// Processes all tiles of a group, concurrently if the backend supports it.
static bool transform_group(struct job *job)
{
    struct wp_tiled_exec *w = job->tiled;
    job->direct_in = job->only_out || is_direct(job, true);
    job->direct_out = job->only_in || is_direct(job, false);
    const bool wraps = w->wraps && is_tiled(job->group);
    if ((wraps || !job->direct_in) && !allocate_staging(w, &w->in))
        return false;
    if ((wraps || !job->direct_out) && !allocate_staging(w, &w->out))
        return false;
    struct wp_pipeline_stage steps[STAGES] = {{.step = gather, .slots = EXECS},
                                              {.step = load, .slots = EXECS},
                                              {.step = run, .slots = EXECS},
                                              {.step = store, .slots = EXECS},
                                              {.step = scatter}};
    const bool ok = w->execs > 1 && is_tiled(job->group) ? wp_pipeline_run(steps, STAGES, 2, job)
                                                        : run_sequentially(steps, job);
    job->seconds->load += steps[0].seconds + steps[1].seconds;
    job->seconds->store += steps[3].seconds + steps[4].seconds;
    return ok;
}

static bool transform(struct job *job)
{
    const struct wp_tiled_exec *w = job->tiled;
    const bool forward = w->description.direction == WP_FORWARD;
    bool ok = true;
    for (int g = 0; g < w->groups && ok; g++) {
        job->group = &w->group[forward ? g : w->groups - 1 - g];
        ok = transform_group(job);
    }
    return ok;
}

// Copies an operand to an array that the caller frees. NULL after an error.
static float *copy_operand(const struct wp_tiled_exec *w, const struct wp_operand *from,
                           struct wp_operand *copied)
{
    const struct wp_description *d = &w->description;
    float *array = wp_allocate_pages(wp_description_samples(d) * (size_t)w->planes, sizeof *array,
                                     "a copy for the transform in place");
    const int bands = from->band ? wp_subband_count(d) : 1; // else the array as it is
    *copied = wp_operand_dense(d, array);
    for (int i = 0; array && i < bands; i++) {
        enum wp_band band = WP_BAND_LL;
        const int level = from->band ? wp_subband_at(d, i, &band) : 0;
        const struct wp_band_grid grid = wp_description_band(d, level, band);
        for (int p = 0; p < w->planes; p++) {
            const struct wp_operand in = wp_operand_band(d, from, level, band, p);
            const struct wp_operand out = wp_operand_band(d, copied, level, band, p);
            for (int y = 0; y < grid.size[WP_Y]; y++)
                wp_operand_read(&wp_element_rows, wp_operand_at(&out, y * out.stride[WP_Y]), &in,
                                y * in.stride[WP_Y], d->reversible, grid.size[WP_X]);
        }
    }
    return array;
}

static bool transform_floats(struct wp_tiled_exec *w, const struct wp_operand *from,
                             const struct wp_operand *to, struct wp_exec_seconds *seconds)
{
    struct job job = {.tiled = w, .from = from, .to = to, .seconds = seconds};
    struct wp_operand copied;
    float *copy = NULL;
    if (wp_operand_overlaps(&w->description, from, to)) {
        copy = copy_operand(w, from, &copied);
        if (!copy)
            return false;
        job.from = &copied;
    }
    const bool ok = transform(&job);
    free(copy);
    return ok;
}

bool wp_tiled_exec_transform(struct wp_tiled_exec *w, const struct wp_operand *from,
                             const struct wp_operand *to, struct wp_exec_seconds *seconds)
{
    struct wp_exec_seconds unused = {0};
    struct wp_exec_seconds *total = seconds ? seconds : &unused;
    const struct wp_operand *floats = &w->coefficients;
    if (!floats->data)
        return transform_floats(w, from, to, total);
    const bool forward = w->description.direction == WP_FORWARD;
    if (!forward)
        total->load += wp_convert_read(&w->description, true, from, floats);
    const bool ok = transform_floats(w, forward ? from : floats, forward ? floats : to, total);
    if (forward && ok)
        total->store += wp_convert_write(&w->description, true, floats, to);
    return ok;
}

bool wp_tiled_exec_copy(struct wp_tiled_exec *w, const struct wp_operand *operand, bool in)
{
    struct wp_exec_seconds unused = {0};
    struct job job = {.tiled = w, .from = operand, .to = operand, .seconds = &unused,
                        .only_in = in, .only_out = !in};
    return transform(&job);
}
