#include "preallocate.h"

#include "memory.h"
#include "tile_store_io.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

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
static bool write_array(const struct job *job)
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
            (y * (size_t)s->description.size[WP_X] + x) * planes * sizeof(float);
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

static bool write_tiles(const struct job *job)
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
    return space->tile[WP_X] ? write_tiles(&job) : write_array(&job);
}
