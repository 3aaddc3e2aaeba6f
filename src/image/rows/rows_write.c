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
#include <sys/stat.h>

struct kind {
    enum wp_format format;
    bool bottom_up; // the bottom row is first
    bool (*begin)(struct wp_rows_output *output);
};

struct wp_rows_output {
    const struct kind *kind;
    const char *path;
    FILE *stream;
    struct wp_image shape; // without samples
    enum wp_stored stored;
    struct wp_tiff_rows *tiff; // NULL: rows are written to the stream
    float *row;                // interleaved
    // The rest is for rows that arrive in parts.
    char *own_path;
    struct wp_output *file;
    int next;    // number of the next row
    off_t first; // byte offset of the samples
};

static size_t row_samples(const struct wp_rows_output *o)
{
    return (size_t)o->shape.width * (size_t)o->shape.planes;
}

// Reports an error of the stream. TIFF has reported others.
static bool cannot_write(const struct wp_rows_output *o)
{
    return o->tiff && !ferror(o->stream)
               ? false
               : wp_fail(wp_error_of_errno(), "cannot write %s (%s)", o->path,
                         errno ? strerror(errno) : "write error");
}

// Writes `o->row`, which is row `row` or, of files with the bottom row first, the next in the file.
// False after an error, which cannot_write() reports.
static bool put_row(struct wp_rows_output *o, size_t row)
{
    const size_t count = row_samples(o);
    errno = 0;
    return o->tiff ? wp_tiff_rows_write(o->tiff, o->row, row)
                   : fwrite(o->row, wp_stored_pack(o->row, count, o->stored), count, o->stream) ==
                         count;
}

static bool begin_npy(struct wp_rows_output *o)
{
    wp_write_npy_header(o->stream, &o->shape, o->stored);
    return true;
}

static bool begin_pfm(struct wp_rows_output *o)
{
    o->stored = WP_STORED_FLOAT;
    fprintf(o->stream, "P%c\n%d %d\n%s\n", o->shape.planes == 3 ? 'F' : 'f', o->shape.width,
            o->shape.height, wp_host_big_endian() ? "1.0" : "-1.0");
    return true;
}

static bool begin_tiff(struct wp_rows_output *o)
{
    o->tiff = wp_tiff_rows_create(&o->shape, o->path, o->stream, o->stored);
    return o->tiff;
}

static const struct kind kinds[] = {
    {WP_FORMAT_NPY, false, begin_npy},
    {WP_FORMAT_PFM, true, begin_pfm},
    {WP_FORMAT_TIFF, false, begin_tiff},
};

static const struct kind *find_kind(const char *path)
{
    const enum wp_format format = wp_format_of(path);
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (kinds[i].format == format)
            return &kinds[i];
    return NULL;
}

// Allocates the row and writes what is before the samples. False after an error.
static bool begin(struct wp_rows_output *o)
{
    o->row = wp_allocate(row_samples(o), sizeof *o->row, "a row of an image");
    return o->row && o->kind->begin(o);
}

bool wp_write_rows(const struct wp_image *image, const char *path, FILE *stream,
                   enum wp_stored stored)
{
    const struct kind *kind = find_kind(path);
    struct wp_rows_output o = {.kind = kind ? kind : kinds, .path = path, .stream = stream,
                               .shape = *image, .stored = stored};
    const size_t rows = (size_t)image->height * (size_t)image->depth;
    const bool begun = begin(&o);
    bool ok = begun;
    for (size_t i = 0; i < rows && ok && !ferror(stream); i++) {
        wp_image_interleave_row(image, o.kind->bottom_up ? rows - 1 - i : i, o.row);
        ok = put_row(&o, i);
    }
    ok = begun && (ok || ferror(stream)) && (!o.tiff || wp_tiff_rows_end(&o.tiff));
    wp_tiff_rows_discard(&o.tiff);
    free(o.row);
    return ok;
}

bool wp_rows_can_write(const char *path)
{
    struct stat info;
    return find_kind(path) && (stat(path, &info) != 0 || S_ISREG(info.st_mode));
}

struct wp_rows_output *wp_rows_create(const char *path, const struct wp_rows_info *info,
                                      const struct wp_write_params *params)
{
    if (!wp_write_file_check(path, info->planes, 1, params))
        return NULL;
    struct wp_rows_output *o = wp_xcalloc(1, sizeof *o);
    o->kind = find_kind(path);
    o->path = o->own_path = wp_xstrdup(path);
    o->stored = params->stored;
    o->shape = wp_rows_shape(info);
    o->file = wp_output_open(path, params->overwrite);
    if (o->file) {
        wp_output_on_replace(o->file, wp_sidecar_path_remove);
        o->stream = wp_output_stream(o->file);
    }
    if (!o->file || !begin(o))
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
    const size_t bytes = row_samples(o) * wp_stored_pack(o->row, 0, o->stored);
    *space = (struct wp_rows_preallocated){.step = (long long)bytes, .stored = o->stored};
    if (o->tiff)
        return wp_tiff_rows_reserve(o->tiff, &space->first) || cannot_write(o);
    const off_t at = fflush(o->stream) == 0 ? ftello(o->stream) : -1;
    if (at < 0)
        return cannot_write(o);
    space->first = (unsigned long long)at;
    if (o->kind->bottom_up) {
        space->first += (unsigned long long)(o->shape.height - 1) * bytes;
        space->step = -space->step;
    }
    return true;
}

struct wp_output *wp_rows_file(const struct wp_rows_output *o)
{
    return o->file;
}

// Goes to the place of the next row in a file with the bottom row first.
static bool seek_row(struct wp_rows_output *o)
{
    const off_t above = o->shape.height - 1 - o->next;
    const off_t bytes = (off_t)(row_samples(o) * sizeof(float));
    if (o->next == 0)
        o->first = ftello(o->stream);
    return o->first >= 0 && fseeko(o->stream, o->first + above * bytes, SEEK_SET) == 0;
}

bool wp_rows_write(struct wp_rows_output *o, const float *from, int count)
{
    const size_t samples = row_samples(o);
    bool ok = true;
    for (int i = 0; i < count && ok; i++, o->next++, from += samples) {
        interleave(from, o->shape.width, o->shape.planes, o->row);
        ok = ((!o->kind->bottom_up || seek_row(o)) && put_row(o, (size_t)o->next)) ||
             cannot_write(o);
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
    free(o->own_path);
    free(o);
}
