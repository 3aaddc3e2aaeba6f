#include "tiled_exec.h"

#include "clock.h"
#include "execute.h"
#include "elements.h"
#include "log.h"
#include "memory.h"
#include "min_max.h"
#include "threads.h"
#include "tiling.h"

#include <stdlib.h>
#include <string.h>

enum {
    EXECS = 2, // used alternately if the backend can load, run and store concurrently
    AXES = WP_TILING_AXES,
};

struct group {
    struct wp_tile_group tiles;
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
    int planes, groups, execs;
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

bool wp_tiled_exec_supports(const struct wp_backend *backend, const struct wp_description *d,
                            const int tile_size[2])
{
    struct wp_tile_group group[WP_MAX_LEVELS];
    return !backend->transform && wp_description_depth(d) == 1 && d->bank == WP_BANK_DECIMATED &&
           wp_tiling_plan(d, tile_size, group) > 0;
}

static unsigned size_of(const struct wp_tile_group *tiles, const struct wp_span span[AXES])
{
    unsigned size = 0;
    for (int a = 0; a < AXES; a++)
        size |= (unsigned)(wp_span_length(span[a]) != wp_tiling_length(&tiles->tiling[a], false))
                << a;
    return size;
}

static bool prepare_size(struct wp_tiled_exec *w, struct group *group, unsigned size)
{
    struct wp_description *d = &group->size[size].description;
    *d = w->description;
    for (int a = 0; a < AXES; a++) {
        const struct wp_tiling *tiling = &group->tiles.tiling[a];
        d->size[a] = wp_tiling_length(tiling, size >> a & 1);
        if (size >> a & 1 && d->size[a] == wp_tiling_length(tiling, false))
            return true;
    }
    d->levels = group->tiles.levels;
    d->layout = WP_LAYOUT_MALLAT;
    d->samples = WP_ELEMENT_F32;
    // A single tile needs only one exec.
    for (int i = 0; i < (wp_tiling_is_tiled(&group->tiles) ? w->execs : 1); i++) {
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
        const int level = w->group[g + 1].tiles.level;
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
        size[a] = w->group[0].tiles.tiling[a].tile_size;
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
    struct wp_tile_group tiles[WP_MAX_LEVELS];
    w->groups = wp_tiling_plan(d, tile_size, tiles);
    for (int g = 0; g < w->groups; g++)
        w->group[g].tiles = tiles[g];
    w->backend = backend;
    w->device = device;
    w->description = *d;
    w->description.coefficients = WP_ELEMENT_F32;
    w->variant = variant;
    w->planes = wp_description_planes(d);
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
    struct wp_span span[AXES];
    const struct wp_description *description;
    struct wp_exec *exec;
    int slot;
};

static struct tile tile_of(const struct job *job, int item)
{
    const struct wp_tiled_exec *w = job->tiled;
    const struct group *group = job->group;
    const struct wp_tiling *tiling = group->tiles.tiling;
    const int columns = tiling[WP_X].count;
    struct tile tile = {
        .span = {wp_tiling_span(&tiling[WP_X], item % columns),
                 wp_tiling_span(&tiling[WP_Y], item / columns)},
        .slot = item % w->execs,
    };
    const unsigned size = size_of(&group->tiles, tile.span);
    tile.description = &group->size[size].description;
    tile.exec = group->size[size].exec[tile.slot];
    return tile;
}

// The LL band that is the input of a level, the first of a group.
static struct wp_operand low_of(const struct wp_tiled_exec *w, int level, int plane)
{
    int g = 0;
    while (w->group[g + 1].tiles.level != level)
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

static struct wp_span span_in_piece(const struct piece *piece, int axis, struct wp_span s)
{
    return (struct wp_span){in_piece(piece, axis, s.first), in_piece(piece, axis, s.end),
                         in_piece(piece, axis, s.from), in_piece(piece, axis, s.to)};
}

static bool has_bands(const struct job *job, bool in)
{
    return in == (job->tiled->description.direction == WP_INVERSE);
}

static int pieces_of(const struct job *job, bool in)
{
    return has_bands(job, in) ? 3 * job->group->tiles.levels + 1 : 1;
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
        piece.size[a] = in_piece(&piece, a, group->tiles.tiling[a].size);
    piece.image =
        plane_of(w, in ? job->from : job->to, group->tiles.level + piece.level, piece.band);
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
                 tile->span[a].end <= job->group->tiles.tiling[a].size;
    return direct;
}

// A copy of rows between a piece of a tile and of the image.
struct transfer {
    struct plane image;
    struct wp_operand tile;
    int size[AXES];
    struct wp_span x, y;
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
    for (int row = i * SHARED_ROWS; row < last_of(i, wp_span_length(t->y)); row++) {
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
        const int rows = in ? wp_span_length(t.y) : t.y.to - t.y.from;
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
    const struct wp_tiling *tiling = job->group->tiles.tiling;
    *end = item == tiling[WP_X].count * tiling[WP_Y].count;
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
    const struct wp_span *x = &tile.span[WP_X], *y = &tile.span[WP_Y];
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
        const struct wp_tiling *tiling = w->group[g].tiles.tiling;
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
    const bool tiled = wp_tiling_is_tiled(&job->group->tiles);
    const bool wraps = tiled && job->group->tiles.tiling[WP_X].wraps;
    if ((wraps || !job->direct_in) && !allocate_staging(w, &w->in))
        return false;
    if ((wraps || !job->direct_out) && !allocate_staging(w, &w->out))
        return false;
    struct wp_pipeline_stage steps[STAGES] = {{.step = gather, .slots = EXECS},
                                              {.step = load, .slots = EXECS},
                                              {.step = run, .slots = EXECS},
                                              {.step = store, .slots = EXECS},
                                              {.step = scatter}};
    const bool ok = w->execs > 1 && tiled ? wp_pipeline_run(steps, STAGES, 2, job)
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
