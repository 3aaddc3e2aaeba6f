#include "rows_write.h"

#include "sidecar_path.h"
#include "image_io.h"
#include "memory.h"
#include "output.h"
#include "tiff_rows.h"
#include "xmemory.h"

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

struct kind {
    const char *suffix;
    bool (*begin)(struct wp_rows_output *output);
    // Writes row `y`, whose interleaved pixels are in `row`.
    bool (*write)(struct wp_rows_output *output, int y);
    bool (*reserve)(struct wp_rows_output *output, struct wp_rows_preallocated *space);
};

struct wp_rows_output {
    const struct kind *kind;
    char *path;
    struct wp_output *file;
    struct wp_image shape; // without samples
    enum wp_stored stored;
    int next;              // number of the next row
    off_t first;           // byte offset of a PFM's samples
    struct wp_tiff_rows *tiff;
    float *row;            // interleaved
};

static size_t row_samples(const struct wp_rows_output *o)
{
    return (size_t)o->shape.width * (size_t)o->shape.planes;
}

static bool cannot_write(const struct wp_rows_output *o)
{
    return wp_fail(wp_error_of_errno(), "cannot write %s (%s)", o->path,
                   errno ? strerror(errno) : "write error");
}

static bool put_row(struct wp_rows_output *o, enum wp_stored stored)
{
    const size_t bytes = wp_stored_pack(o->row, row_samples(o), stored);
    errno = 0;
    return fwrite(o->row, bytes, row_samples(o), wp_output_stream(o->file)) == row_samples(o) ||
           cannot_write(o);
}

static bool begin_npy(struct wp_rows_output *o)
{
    wp_write_npy_header(wp_output_stream(o->file), &o->shape, o->stored);
    return true;
}

static bool write_npy(struct wp_rows_output *o, int y)
{
    (void)y;
    return put_row(o, o->stored);
}

static bool begin_pfm(struct wp_rows_output *o)
{
    FILE *stream = wp_output_stream(o->file);
    wp_write_pfm_header(stream, o->shape.width, o->shape.height, o->shape.planes);
    o->first = ftello(stream);
    return o->first >= 0 || cannot_write(o);
}

static bool reserve_npy(struct wp_rows_output *o, struct wp_rows_preallocated *space)
{
    FILE *stream = wp_output_stream(o->file);
    const off_t at = fflush(stream) == 0 ? ftello(stream) : -1;
    space->first = (unsigned long long)at;
    return at >= 0 || cannot_write(o);
}

// PFM stores the bottom row first.
static bool write_pfm(struct wp_rows_output *o, int y)
{
    const off_t above = o->shape.height - 1 - y;
    const off_t bytes = (off_t)(row_samples(o) * sizeof(float));
    return fseeko(wp_output_stream(o->file), o->first + above * bytes, SEEK_SET) == 0
               ? put_row(o, WP_STORED_FLOAT)
               : cannot_write(o);
}

static bool reserve_pfm(struct wp_rows_output *o, struct wp_rows_preallocated *space)
{
    const size_t bytes = row_samples(o) * sizeof(float);
    const bool ok = reserve_npy(o, space);
    space->first += (unsigned long long)(o->shape.height - 1) * bytes;
    space->step = -(long long)bytes;
    space->stored = WP_STORED_FLOAT;
    return ok;
}

static bool begin_tiff(struct wp_rows_output *o)
{
    o->tiff = wp_tiff_rows_create(&o->shape, o->path, wp_output_stream(o->file), o->stored);
    return o->tiff;
}

static bool write_tiff(struct wp_rows_output *o, int y)
{
    return wp_tiff_rows_write(o->tiff, o->row, y);
}

static bool reserve_tiff(struct wp_rows_output *o, struct wp_rows_preallocated *space)
{
    return wp_tiff_rows_reserve(o->tiff, &space->first);
}

static const struct kind kinds[] = {
    {".npy", begin_npy, write_npy, reserve_npy},
    {".pfm", begin_pfm, write_pfm, reserve_pfm},
    {".tiff", begin_tiff, write_tiff, reserve_tiff},
    {".tif", begin_tiff, write_tiff, reserve_tiff},
};

static const struct kind *find_kind(const char *path)
{
    const size_t length = strlen(path);
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        const size_t suffix_length = strlen(kinds[i].suffix);
        if (length > suffix_length &&
            strcasecmp(path + length - suffix_length, kinds[i].suffix) == 0)
            return &kinds[i];
    }
    return NULL;
}

bool wp_rows_can_write(const char *path)
{
    struct stat info;
    return find_kind(path) && (stat(path, &info) != 0 || S_ISREG(info.st_mode));
}

struct wp_rows_output *wp_rows_create(const char *path, const struct wp_rows_info *info,
                                      const struct wp_write_params *params)
{
    if (!wp_image_write_check(path, info->planes, params))
        return NULL;
    struct wp_rows_output *o = wp_xcalloc(1, sizeof *o);
    o->kind = find_kind(path);
    o->path = wp_xstrdup(path);
    o->stored = params->stored;
    o->shape = (struct wp_image){.width = info->width, .height = info->height, .depth = 1,
                                 .planes = info->planes, .alpha = info->alpha,
                                 .origin = info->origin};
    o->row = wp_allocate(row_samples(o), sizeof *o->row, "a row");
    o->file = o->row ? wp_output_open(path, params->overwrite) : NULL;
    if (o->file)
        wp_output_on_replace(o->file, wp_sidecar_path_remove);
    if (!o->file || !o->kind->begin(o))
        wp_rows_discard(&o);
    return o;
}

// Interleaves the planes of a row, which are consecutive.
static void interleave(const float *row, int width, int planes, float *to)
{
    for (int p = 0; p < planes; p++)
        for (int x = 0; x < width; x++)
            to[(size_t)x * (size_t)planes + (size_t)p] = *row++;
}

size_t wp_rows_pack(const float *row, int width, int planes, enum wp_stored stored, float *to)
{
    const size_t samples = (size_t)width * (size_t)planes;
    interleave(row, width, planes, to);
    return samples * wp_stored_pack(to, samples, stored);
}

bool wp_rows_reserve(struct wp_rows_output *o, struct wp_rows_preallocated *space)
{
    const size_t sample = wp_stored_pack(o->row, 0, o->stored);
    *space = (struct wp_rows_preallocated){.step = (long long)(row_samples(o) * sample),
                                  .stored = o->stored};
    return o->kind->reserve(o, space);
}

struct wp_output *wp_rows_file(const struct wp_rows_output *o)
{
    return o->file;
}

bool wp_rows_write(struct wp_rows_output *o, const float *from, int count)
{
    const size_t samples = row_samples(o);
    bool ok = true;
    for (int i = 0; i < count && ok; i++, from += samples) {
        interleave(from, o->shape.width, o->shape.planes, o->row);
        ok = o->kind->write(o, o->next++);
    }
    return ok;
}

bool wp_rows_commit(struct wp_rows_output **slot)
{
    struct wp_rows_output *o = *slot;
    const bool ok = (!o->tiff || wp_tiff_rows_end(&o->tiff)) && wp_output_commit(&o->file);
    wp_rows_discard(slot);
    return ok;
}

void wp_rows_discard(struct wp_rows_output **slot)
{
    struct wp_rows_output *o = *slot;
    *slot = NULL;
    if (!o)
        return;
    wp_tiff_rows_discard(&o->tiff);
    wp_output_discard(&o->file);
    free(o->row);
    free(o->path);
    free(o);
}
