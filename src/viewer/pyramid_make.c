#include "pyramid_make.h"

#include "log.h"
#include "memory.h"
#include "tile_store.h"
#include "pyramid.h"
#include "rows.h"
#include "transform.h"
#include "wavepass_stream.h"
#include "xmemory.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// Number of samples per strip, for efficient disk access.
enum { AT_ONCE = 1 << 17 };

struct wp_pyramid_make {
    struct wp_pyramid_make_info info;
    int file;      // descriptor of the coefficients; -1: not created
    char path[32]; // path for opening the descriptor again
    struct wp_rows *rows;
    struct wp_transform_params params;
    struct wp_sidecar sidecar;
    struct wp_tile_store_output *to;
    struct wp_stream *stream;
    int strip; // rows per step
    float *samples;
};

static bool write_row(void *user, int band, int plane, int row, const float *samples)
{
    struct wp_pyramid_make *m = user;
    return wp_tile_store_write(m->to, band, plane, row, samples);
}

static bool describe(struct wp_pyramid_make *m)
{
    const struct wp_rows_info *info = wp_rows_info(m->rows);
    struct wp_wavelet wavelet;
    struct wp_description d;
    if (!wp_transform_resolve(&m->params, &wavelet, &d))
        return false;
    m->sidecar = wp_sidecar_of(&d, m->params.wavelet, "cpu", NULL);
    m->sidecar.planes = m->params.planes;
    m->sidecar.origin = info->origin;
    m->sidecar.gop = 0;
    m->sidecar.tile = WP_TILE_COLUMNS;
    m->sidecar.has_steps = true;
    m->info.sidecar = &m->sidecar;
    return true;
}

static bool open_rows(struct wp_pyramid_make *m, const char *path,
                      const struct wp_read_params *read, const struct wp_transform_params *options)
{
    struct wp_read_params read_params = *read;
    read_params.volume = WP_VOLUME_NO;
    const char *reason = NULL;
    if (!wp_rows_open(path, &read_params, &m->rows, &reason))
        return false;
    if (!m->rows)
        return wp_fail(WP_ERROR_USAGE, "%s: cannot be read row by row (%s)", path, reason);
    const struct wp_rows_info *info = wp_rows_info(m->rows);
    const struct wp_pyramid down = wp_pyramid_source(info->width, info->height, 0, 0);
    m->params = (struct wp_transform_params)WP_TRANSFORM_PARAMS(
        .width = info->width, .height = info->height, .planes = info->planes - info->alpha,
        .wavelet = options->wavelet, .border = options->border, .norm = options->norm,
        .levels = options->levels ? options->levels : down.levels, .backend = "cpu");
    m->info.rows = info->height;
    m->info.colours = m->params.planes;
    const size_t row = (size_t)info->width * (size_t)info->planes;
    m->strip = row < AT_ONCE ? (int)(AT_ONCE / row) : 1;
    size_t stream;
    if (!describe(m) || !wp_stream_memory(&m->params, false, &stream))
        return false;
    m->info.memory = stream + wp_rows_memory(m->rows) +
                     wp_tile_store_memory(&m->sidecar, "c.tiff") +
                     (size_t)m->strip * row * sizeof *m->samples;
    m->info.file = (double)info->width * info->height * m->params.planes * sizeof(float);
    return true;
}

struct wp_pyramid_make *wp_pyramid_make_open(const char *path, const struct wp_read_params *read,
                                             const struct wp_transform_params *options)
{
    struct wp_pyramid_make *m = wp_xcalloc(1, sizeof *m);
    m->file = -1;
    if (!open_rows(m, path, read, options))
        wp_pyramid_make_close(&m);
    return m;
}

static bool begin(struct wp_pyramid_make *m)
{
    const struct wp_rows_info *info = wp_rows_info(m->rows);
    m->samples = wp_allocate((size_t)m->strip * (size_t)info->width * (size_t)info->planes,
                             sizeof *m->samples, "rows");
    const char *directory = getenv("TMPDIR");
    directory = directory && directory[0] ? directory : "/var/tmp";
    m->to = m->samples ? wp_tile_store_create_unnamed(directory, &m->sidecar) : NULL;
    if (!m->to)
        return false;
    m->file = dup(wp_tile_store_descriptor(m->to));
    if (m->file < 0)
        return wp_fail(wp_error_of_errno(), "%s: %s", directory, strerror(errno));
    snprintf(m->path, sizeof m->path, "/proc/self/fd/%d", m->file);
    m->stream = wp_stream_create_forward(&m->params, write_row, m);
    return m->stream;
}

bool wp_pyramid_make_rows(struct wp_pyramid_make *m)
{
    const struct wp_rows_info *info = wp_rows_info(m->rows);
    const int left = m->info.rows - m->info.row, count = left < m->strip ? left : m->strip;
    if (!m->stream && !begin(m))
        return false;
    // A row has its planes one after the other, alpha last.
    const struct wp_operand rows = {
        .data = m->samples,
        .stride = {1, (ptrdiff_t)info->width * info->planes, 0, [WP_PLANE] = info->width}};
    if (!wp_rows_read(m->rows, m->samples, count) || !wp_stream_push(m->stream, &rows, count))
        return false;
    m->info.row += count;
    if (m->info.row < m->info.rows)
        return true;
    wp_stream_destroy(&m->stream);
    if (!wp_tile_store_commit(&m->to))
        return false;
    m->info.path = m->path;
    return true;
}

const struct wp_pyramid_make_info *wp_pyramid_make_info(const struct wp_pyramid_make *m)
{
    return &m->info;
}

void wp_pyramid_make_close(struct wp_pyramid_make **slot)
{
    struct wp_pyramid_make *m = *slot;
    *slot = NULL;
    if (!m)
        return;
    wp_stream_destroy(&m->stream);
    wp_tile_store_discard(&m->to);
    if (m->file >= 0)
        close(m->file);
    wp_rows_close(&m->rows);
    free(m->samples);
    free(m);
}
