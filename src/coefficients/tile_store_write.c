#include "tile_store.h"

#include "log.h"
#include "memory.h"
#include "npy.h"
#include "output.h"
#include "sidecar_path.h"
#include "xmemory.h"

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// ---- writing by several processes ----

struct job {
    const struct wp_preallocated *space;
    const struct wp_sidecar *sidecar;
    const struct wp_tile_store_file *file;
    const struct wp_tiles_page *page;
    const struct wp_band_grid *grid;
    int number; // of the page
    bool alpha;
    int first, rows;
    const float *samples;
};

static const float *row_of(const struct job *job, int plane, int row)
{
    const size_t rows = (size_t)plane * (size_t)job->rows + (size_t)(row - job->first);
    return job->samples + rows * (size_t)job->page->width;
}

// Stores samples at a distance of `step`, as floats or integers.
static void store(const struct job *job, const float *from, size_t count, float *to, size_t step)
{
    for (size_t i = 0; i < count; i++) {
        const int32_t integer = job->sidecar->description.reversible ? (int32_t)from[i] : 0;
        memcpy(to + i * step,
               job->sidecar->description.reversible ? (const void *)&integer : &from[i],
               sizeof *to);
    }
}

// Writes rows to an array of interleaved planes. Alpha is merged with the pixels in the file.
static bool write_array_rows(const struct job *job)
{
    const struct wp_sidecar *s = job->sidecar;
    const size_t width = (size_t)job->page->width, planes = (size_t)s->planes;
    const size_t bytes = width * planes * sizeof(float);
    float *pixels = wp_allocate(width * planes, sizeof *pixels, "a row");
    bool ok = pixels;
    for (int row = job->first; row < job->first + job->rows && ok; row++) {
        const size_t y = (size_t)(job->grid->first[WP_Y] + row);
        const size_t x = (size_t)job->grid->first[WP_X];
        const unsigned long long at =
            job->space->first[0] +
            (y * (size_t)wp_tile_store_extent(s, WP_X) + x) * planes * sizeof(float);
        ok = !job->alpha || job->file->read(job->file->state, at, pixels, bytes);
        for (int p = 0; p < job->page->planes && ok; p++)
            store(job, row_of(job, p, row), width,
                  pixels + (job->alpha ? planes - 1 : (size_t)p), planes);
        ok = ok && job->file->write(job->file->state, at, pixels, bytes);
    }
    free(pixels);
    return ok;
}

// Fills rows top..end-1 of tile `column`. `samples` of the job begin at row `first`.
static void fill_tile(const struct job *job, int plane, int column, int top, int end, float *to)
{
    const int width = job->space->tile[WP_X], left = column * width;
    const int count = job->page->width - left < width ? job->page->width - left : width;
    for (int row = top; row < end; row++, to += width)
        store(job, row_of(job, plane, row) + left, (size_t)count, to, 1);
}

// Writes rows top..end-1 of a row of tiles: the complete tiles at once, or these rows of each.
static bool write_tile_row(const struct job *job, int plane, int top, int end, float *tiles)
{
    const int width = job->space->tile[WP_X], height = job->space->tile[WP_Y];
    const int columns = (job->page->width + width - 1) / width;
    const int tile_rows = (job->page->height + height - 1) / height;
    const size_t tile = (size_t)width * (size_t)height;
    const int row = top / height;
    const bool complete = top % height == 0 &&
                       (end - top == height || end == job->page->height);
    const unsigned long long first =
        job->space->first[job->number] +
        ((unsigned long long)plane * (unsigned)tile_rows + (unsigned)row) * (unsigned)columns *
            tile * sizeof(float);
    memset(tiles, 0, (size_t)columns * tile * sizeof *tiles);
    for (int c = 0; c < columns; c++)
        fill_tile(job, plane, c, top, end, tiles + (size_t)c * tile);
    if (complete)
        return job->file->write(job->file->state, first, tiles,
                                (size_t)columns * tile * sizeof *tiles);
    bool ok = true;
    for (int c = 0; c < columns && ok; c++)
        ok = job->file->write(job->file->state,
                              first + ((size_t)c * tile + (size_t)(top % height) * (size_t)width) *
                                          sizeof(float),
                              tiles + (size_t)c * tile,
                              (size_t)(end - top) * (size_t)width * sizeof *tiles);
    return ok;
}

static bool write_tile_rows(const struct job *job)
{
    const int width = job->space->tile[WP_X], height = job->space->tile[WP_Y];
    const int last = job->first + job->rows;
    const size_t columns = ((size_t)job->page->width + (size_t)width - 1) / (size_t)width;
    float *tiles = wp_allocate(columns * (size_t)width * (size_t)height, sizeof *tiles,
                               "a row of tiles");
    bool ok = tiles;
    for (int p = 0; p < job->page->planes; p++)
        for (int top = job->first, end; top < last && ok; top = end) {
            end = top - top % height + height < last ? top - top % height + height : last;
            ok = write_tile_row(job, p, top, end, tiles);
        }
    free(tiles);
    return ok;
}

bool wp_preallocated_write(const struct wp_preallocated *space, const struct wp_sidecar *sidecar,
                           int band, int first, int rows, const float *samples,
                           const struct wp_tile_store_file *file, unsigned long long *hash)
{
    const struct wp_tile_store_list list = wp_tile_store_list(sidecar);
    const int number = wp_tile_store_page(&list, band);
    if (number < 0 || rows == 0)
        return true;
    const struct job job = {
        .space = space,
        .sidecar = sidecar,
        .file = file,
        .page = &list.page[number],
        .grid = &list.grid[number],
        .number = number,
        .alpha = band == WP_TILE_STORE_ALPHA,
        .first = first,
        .rows = rows,
        .samples = samples,
    };
    for (int p = 0; p < job.page->planes; p++)
        for (int row = first; row < first + rows; row++)
            *hash += wp_tile_store_row_hash(&list, number, p, row, row_of(&job, p, row));
    return space->tile[WP_X] ? write_tile_rows(&job) : write_array_rows(&job);
}

// ---- writing ----

struct kind {
    bool (*begin)(struct wp_tile_store_output *output, bool overwrite);
    bool (*write)(struct wp_tile_store_output *output, int page, int plane, int row,
                  const float *samples);
    bool (*commit)(struct wp_tile_store_output *output, struct wp_output **first);
    struct wp_output *(*file)(const struct wp_tile_store_output *output);
    // Gets the location of rows that others write.
    void (*get_space)(const struct wp_tile_store_output *output, struct wp_preallocated *space);
};

struct wp_tile_store_output {
    const struct kind *kind;
    char *path;
    struct wp_sidecar sidecar;
    struct wp_tile_store_list list;
    bool reserved;            // other processes write the rows
    bool unnamed;             // without metadata
    struct wp_output *metadata; // metadata; opened first, so that its errors are reported first
    struct wp_tiles_output *tiles;
    struct wp_output *array;  // instead of `tiles`
    unsigned long long offset; // of the array's first sample, in bytes
    float *row;               // interleaved pixels of an array
};

static struct wp_tiles_params tiles_params(const struct wp_sidecar *s,
                                           const struct wp_tile_store_list *list, bool reserved,
                                           bool overwrite)
{
    const int tile = s->tile ? s->tile : WP_TILE_COLUMNS;
    return (struct wp_tiles_params){
        .page = list->page,
        .pages = list->count,
        .width = tile,
        .height = tile < WP_TILE_ROWS ? tile : WP_TILE_ROWS,
        .deflate = s->deflate,
        .integers = s->description.reversible,
        .rotated = s->description.border == WP_BORDER_PERIODIC,
        .overwrite = overwrite,
        .reserved = reserved,
    };
}

static bool begin_tiles(struct wp_tile_store_output *o, bool overwrite)
{
    struct wp_tiles_params tiles = tiles_params(&o->sidecar, &o->list, o->reserved, overwrite);
    tiles.unnamed = o->unnamed;
    o->sidecar.tile = tiles.width;
    o->tiles = wp_tiles_create(o->path, &tiles);
    return o->tiles;
}

static bool write_tiles(struct wp_tile_store_output *o, int page, int plane, int row,
                        const float *samples)
{
    return wp_tiles_write(o->tiles, page, plane, row, samples);
}

static bool commit_tiles(struct wp_tile_store_output *o, struct wp_output **first)
{
    return wp_tiles_commit(&o->tiles, first);
}

static struct wp_output *file_of_tiles(const struct wp_tile_store_output *o)
{
    return wp_tiles_file(o->tiles);
}

static void get_tiles_space(const struct wp_tile_store_output *o, struct wp_preallocated *space)
{
    const struct wp_tiles_params tiles =
        tiles_params(&o->sidecar, &o->list, o->reserved, false);
    space->tile[WP_X] = tiles.width;
    space->tile[WP_Y] = tiles.height;
    for (int i = 0; i < o->list.count; i++)
        space->first[i] = wp_tiles_first(o->tiles, i);
}

static size_t pixel_bytes(const struct wp_tile_store_output *o)
{
    return (size_t)o->sidecar.planes * sizeof(float);
}

static bool cannot_write(const struct wp_tile_store_output *o)
{
    return wp_fail(wp_error_of_errno(), "cannot write %s (%s)", o->path,
                   errno ? strerror(errno) : "write error");
}

static bool begin_array(struct wp_tile_store_output *o, bool overwrite)
{
    const struct wp_sidecar *s = &o->sidecar;
    const size_t shape[] = {(size_t)wp_tile_store_extent(s, WP_Y),
                            (size_t)wp_tile_store_extent(s, WP_X), (size_t)s->planes};
    o->sidecar.tile = 0;
    if (!wp_image_write_check_size(o->path, wp_tile_store_extent(s, WP_X),
                                   wp_tile_store_extent(s, WP_Y), 1))
        return false;
    o->array = wp_output_open(o->path, overwrite);
    if (!o->array)
        return false;
    wp_output_on_replace(o->array, wp_sidecar_path_remove);
    FILE *stream = wp_output_stream(o->array);
    wp_npy_write_header(stream, s->description.reversible ? "i4" : "f4", s->planes > 1 ? 3 : 2,
                        shape);
    const off_t at = ftello(stream);
    if (at < 0 || fflush(stream) != 0)
        return cannot_write(o);
    o->offset = (unsigned long long)at;
    o->row = wp_xcalloc((size_t)wp_tile_store_extent(s, WP_X), pixel_bytes(o));
    return true;
}

// Transfers `bytes` bytes between `row` and an offset of the file. Reads zeros beyond its end.
static bool read_or_write(const struct wp_tile_store_output *o, bool to_file, unsigned long long at,
                          size_t bytes)
{
    const int file = fileno(wp_output_stream(o->array));
    char *memory = (char *)o->row;
    for (size_t have = 0; have < bytes;) {
        errno = 0;
        const ssize_t got = to_file ? pwrite(file, memory + have, bytes - have, (off_t)(at + have))
                                    : pread(file, memory + have, bytes - have, (off_t)(at + have));
        if (got < 0 && errno != EINTR)
            return cannot_write(o);
        if (got == 0 && !to_file) { // not written yet
            memset(memory + have, 0, bytes - have);
            return true;
        }
        have += got > 0 ? (size_t)got : 0;
    }
    return true;
}

// Writes a row of a subband. Planes are interleaved: samples of other planes are read and kept.
static bool write_array(struct wp_tile_store_output *o, int page, int plane, int row,
                        const float *samples)
{
    const struct wp_band_grid *grid = &o->list.grid[page];
    const size_t width = (size_t)grid->size[WP_X], planes = (size_t)o->sidecar.planes;
    const size_t y = (size_t)(grid->first[WP_Y] + row), x = (size_t)grid->first[WP_X];
    const size_t index = o->sidecar.alpha && page + 1 == o->list.count ? planes - 1 : (size_t)plane;
    const unsigned long long at =
        o->offset + (y * (size_t)wp_tile_store_extent(&o->sidecar, WP_X) + x) * pixel_bytes(o);
    if (planes > 1 && !read_or_write(o, false, at, width * pixel_bytes(o)))
        return false;
    for (size_t i = 0; i < width; i++) {
        const int32_t integer = o->sidecar.description.reversible ? (int32_t)samples[i] : 0;
        memcpy(&o->row[i * planes + index],
               o->sidecar.description.reversible ? (const void *)&integer : &samples[i],
               sizeof *o->row);
    }
    return read_or_write(o, true, at, width * pixel_bytes(o));
}

static bool commit_array(struct wp_tile_store_output *o, struct wp_output **first)
{
    return wp_output_commit_pair(&o->array, first);
}

static struct wp_output *file_of_array(const struct wp_tile_store_output *o)
{
    return o->array;
}

static void get_array_space(const struct wp_tile_store_output *o, struct wp_preallocated *space)
{
    space->first[0] = o->offset;
}

static const struct kind in_tiles = {begin_tiles, write_tiles, commit_tiles, file_of_tiles,
                                     get_tiles_space};
static const struct kind in_array = {begin_array, write_array, commit_array, file_of_array,
                                     get_array_space};

size_t wp_tile_store_memory(const struct wp_sidecar *s, const char *path)
{
    const struct wp_tile_store_list list = wp_tile_store_list(s);
    const struct wp_tiles_params tiles = tiles_params(s, &list, false, false);
    return wp_tile_store_is_tiff(path)
               ? wp_tiles_memory(&tiles)
               : (size_t)wp_tile_store_extent(s, WP_X) * (size_t)s->planes * sizeof(float);
}

static struct wp_tile_store_output *allocate(const char *path, const struct wp_sidecar *sidecar,
                                             bool tiles)
{
    struct wp_tile_store_output *o = wp_xcalloc(1, sizeof *o);
    o->kind = tiles ? &in_tiles : &in_array;
    o->path = wp_xstrdup(path);
    o->sidecar = *sidecar;
    o->sidecar.has_hash = false;
    o->sidecar.has_rows_hash = true;
    o->sidecar.rows_hash = 0;
    o->list = wp_tile_store_list(sidecar);
    return o;
}

static struct wp_tile_store_output *create(const char *path, const struct wp_sidecar *sidecar,
                                           bool reserved, bool overwrite)
{
    struct wp_tile_store_output *o = allocate(path, sidecar, wp_tile_store_is_tiff(path));
    char *metadata_path = wp_sidecar_path(path);
    o->reserved = reserved;
    o->metadata = wp_output_open(metadata_path, overwrite);
    free(metadata_path);
    if (!o->metadata || !o->kind->begin(o, overwrite))
        wp_tile_store_discard(&o);
    return o;
}

struct wp_tile_store_output *wp_tile_store_create(const char *path,
                                                  const struct wp_sidecar *sidecar, bool overwrite)
{
    return create(path, sidecar, false, overwrite);
}

struct wp_tile_store_output *wp_tile_store_create_unnamed(const char *directory,
                                                          const struct wp_sidecar *sidecar)
{
    struct wp_tile_store_output *o = allocate(directory, sidecar, true);
    o->unnamed = true;
    if (!o->kind->begin(o, false))
        wp_tile_store_discard(&o);
    return o;
}

int wp_tile_store_descriptor(const struct wp_tile_store_output *o)
{
    return fileno(wp_output_stream(o->kind->file(o)));
}

struct wp_tile_store_output *wp_tile_store_create_preallocated(const char *path,
                                                               const struct wp_sidecar *sidecar,
                                                               bool overwrite,
                                                               struct wp_preallocated *space)
{
    struct wp_tile_store_output *o = create(path, sidecar, true, overwrite);
    *space = (struct wp_preallocated){0};
    if (o)
        o->kind->get_space(o, space);
    return o;
}

const char *wp_tile_store_temporary(const struct wp_tile_store_output *o, int file)
{
    return wp_output_temporary(file ? o->metadata : o->kind->file(o));
}

void wp_tile_store_set_hash(struct wp_tile_store_output *o, unsigned long long hash)
{
    o->sidecar.rows_hash = hash;
}

bool wp_tile_store_write(struct wp_tile_store_output *o, int band, int plane, int row,
                         const float *samples)
{
    const int page = wp_tile_store_page(&o->list, band);
    o->sidecar.rows_hash += wp_tile_store_row_hash(&o->list, page, plane, row, samples);
    return o->kind->write(o, page, plane, row, samples);
}

int wp_tile_store_width(const struct wp_tile_store_output *o, int band)
{
    return o->list.page[wp_tile_store_page(&o->list, band)].width;
}

bool wp_tile_store_commit(struct wp_tile_store_output **slot)
{
    struct wp_tile_store_output *o = *slot;
    char *metadata_path = o->unnamed ? NULL : wp_sidecar_path(o->path);
    const bool ok = (!metadata_path || wp_sidecar_write(&o->sidecar, metadata_path, o->metadata)) &&
                    o->kind->commit(o, &o->metadata);
    free(metadata_path);
    wp_tile_store_discard(slot);
    return ok;
}

void wp_tile_store_discard(struct wp_tile_store_output **slot)
{
    struct wp_tile_store_output *o = *slot;
    *slot = NULL;
    if (!o)
        return;
    wp_output_discard(&o->metadata);
    wp_tiles_discard(&o->tiles);
    wp_output_discard(&o->array);
    free(o->row);
    free(o->path);
    free(o);
}

// Calls `visit` for each row of each page of an image until it returns false.
static bool for_each_row(
    const struct wp_image *image, const struct wp_tile_store_list *list,
    bool (*visit)(void *user, int page, int plane, int row, const float *samples), void *user)
{
    bool ok = true;
    for (int page = 0; page < list->count && ok; page++) {
        const struct wp_band_grid *grid = &list->grid[page];
        const bool alpha = image->alpha && page + 1 == list->count;
        for (int y = 0; y < grid->size[WP_Y] && ok; y++) {
            const size_t at = (size_t)(grid->first[WP_Y] + y) * (size_t)image->width +
                              (size_t)grid->first[WP_X];
            for (int p = 0; p < list->page[page].planes && ok; p++)
                ok = visit(user, page, p, y, image->plane[alpha ? image->planes - 1 : p] + at);
        }
    }
    return ok;
}

static bool write_row(void *user, int page, int plane, int row, const float *samples)
{
    struct wp_tile_store_output *o = user;
    o->sidecar.rows_hash += wp_tile_store_row_hash(&o->list, page, plane, row, samples);
    return o->kind->write(o, page, plane, row, samples);
}

bool wp_tile_store_write_image(const struct wp_image *image, const struct wp_sidecar *sidecar,
                               const char *path, bool overwrite)
{
    struct wp_sidecar complete = *sidecar;
    complete.planes = image->planes;
    complete.alpha = image->alpha;
    complete.origin = image->origin;
    complete.gop = 0;
    struct wp_tile_store_output *o = wp_tile_store_create(path, &complete, overwrite);
    const bool ok = o && for_each_row(image, &o->list, write_row, o);
    if (ok)
        return wp_tile_store_commit(&o);
    wp_tile_store_discard(&o);
    return false;
}

struct sum {
    struct wp_tile_store_list list;
    unsigned long long hash;
};

static bool add_row(void *user, int page, int plane, int row, const float *samples)
{
    struct sum *sum = user;
    sum->hash += wp_tile_store_row_hash(&sum->list, page, plane, row, samples);
    return true;
}

unsigned long long wp_tile_store_hash(const struct wp_image *image,
                                      const struct wp_sidecar *sidecar)
{
    struct sum sum = {.list = wp_tile_store_list(sidecar)};
    for_each_row(image, &sum.list, add_row, &sum);
    return sum.hash;
}
