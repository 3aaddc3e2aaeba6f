#include "pyramid_run.h"

#include "memory.h"
#include "tile_store.h"
#include "rows.h"
#include "viewer.h"
#include "xmemory.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

// Maximum image size: OpenGL implementations support textures of 16384 texels, quads of 2x2
// samples.
enum { WIDEST = 2 * 16384 };

struct wp_pyramid_file {
    struct wp_sidecar sidecar; // alpha removed
    struct wp_wavelet_steps lost; // wavelet data from the sidecar
    struct wp_transform_params params;
    struct wp_tile_store *store;
    struct wp_pyramid_info info;
    double gain, unit; // gain: of a low band per level; unit: stored value of a sample of 1
};

static bool is_large(double width, double height, double planes, double limit)
{
    const double bytes = 2 * width * height * planes * (double)sizeof(float);
    return (limit > 0 && bytes > limit) || width > WIDEST || height > WIDEST;
}

static bool accepts_coefficients(const char *path, double limit)
{
    struct wp_sidecar s;
    bool found = false;
    char *sidecar_path = wp_sidecar_path(path);
    const bool ok = sidecar_path && wp_sidecar_read(sidecar_path, &s, &found) && found;
    free(sidecar_path);
    if (!ok && wp_last_error() == WP_ERROR_TOO_LARGE) // else the file would be opened as an image
        wp_xmemory_end();
    return ok && s.description.size[WP_Z] == 1 && !wp_description_is_expansive(&s.description) &&
           s.description.bank != WP_BANK_PACKETS &&
           (s.tile > 0 ||
            is_large(s.description.size[WP_X], s.description.size[WP_Y], s.planes, limit));
}

static bool accepts_image(const char *path, const struct wp_read_params *read, double limit)
{
    struct wp_read_params params = *read;
    params.volume = WP_VOLUME_NO;
    struct wp_rows *rows = NULL;
    const char *reason;
    const bool ok = wp_rows_open(path, &params, &rows, &reason) && rows;
    const struct wp_rows_info *info = ok ? wp_rows_info(rows) : NULL;
    const bool accepts = ok && is_large(info->width, info->height, info->planes, limit);
    wp_rows_close(&rows);
    return accepts;
}

enum wp_pyramid_source wp_viewer_pyramid_source(const char *path, const struct wp_read_params *read,
                                                double limit)
{
    enum wp_pyramid_source source = WP_PYRAMID_NONE;
    struct stat s;
    if (stat(path, &s) != 0 || !S_ISREG(s.st_mode))
        return source;
    wp_begin_attempt();
    if (!read->raw && accepts_coefficients(path, limit))
        source = WP_PYRAMID_COEFFICIENTS;
    else if (accepts_image(path, read, limit))
        source = WP_PYRAMID_IMAGE;
    wp_end_attempt();
    wp_clear_error();
    return source;
}

// ---- Opening.

static bool set_params(struct wp_pyramid_file *f, const char *sidecar_path)
{
    const struct wp_sidecar *s = &f->sidecar;
    struct wp_wavelet wavelet;
    f->params = (struct wp_transform_params)WP_TRANSFORM_PARAMS(
        .wavelet = s->wavelet_name, .border = wp_border_names[s->description.border],
        .norm = wp_norm_names[s->description.norm], .backend = "cpu", .levels = 1, .planes = 1,
        .threads = 1, .reversible = s->description.reversible,
        .adjoint = s->description.adjoint);
    if (!wp_sidecar_lost_wavelet(s, &f->lost))
        return wp_sidecar_find_wavelet(s, sidecar_path, &wavelet);
    f->params.wavelet = NULL;
    f->params.wavelet_data = &f->lost.data;
    return true;
}

// Measures the low band's gain with a constant, and its phase with a ramp.
static bool find_low(struct wp_pyramid_file *f, double *phase)
{
    enum { WIDTH = 512, HEIGHT = 16, MIDDLE = WIDTH / 4, STEP = 16 };
    struct wp_transform_params params = f->params;
    params.width = WIDTH;
    params.height = HEIGHT;
    struct wp_transform *transform = wp_transform_create(&params);
    float *flat = wp_allocate(2 * (size_t)WIDTH * HEIGHT, sizeof *flat, "a low band");
    float *ramp = flat ? flat + (size_t)WIDTH * HEIGHT : NULL;
    for (int i = 0; i < WIDTH * HEIGHT && flat; i++) {
        flat[i] = STEP;
        ramp[i] = (float)(STEP * (i % WIDTH));
    }
    const bool ok = transform && flat &&
                    wp_transform_forward(transform, WP_ARRAY(flat), WP_ARRAY(flat)) &&
                    wp_transform_forward(transform, WP_ARRAY(ramp), WP_ARRAY(ramp));
    if (ok) {
        const size_t at = (size_t)HEIGHT / 4 * WIDTH + MIDDLE;
        f->gain = (double)flat[at] / STEP;
        *phase = (double)ramp[at] / (STEP * f->gain) - 2 * MIDDLE;
    }
    free(flat);
    wp_transform_destroy(&transform);
    return ok && ((isfinite(f->gain) && f->gain != 0 && isfinite(*phase)) ||
                  wp_fail(WP_ERROR_USAGE, "the low band of '%s' has a gain of 0 and cannot be "
                                          "shown", f->sidecar.wavelet_name));
}

static double unit_of(const struct wp_sidecar *s)
{
    if (!s->description.reversible || (s->stored != WP_STORED_U8 && s->stored != WP_STORED_U16))
        return 1;
    const int bits = s->origin.bits >= 1 && s->origin.bits <= 16 ? s->origin.bits
                     : s->stored == WP_STORED_U8                 ? 8
                                                                 : 16;
    return ldexp(1, bits) - 1;
}

// Memory of a region: each level needs its low band and its inputs, half the size plus a margin,
// and copies.
size_t wp_pyramid_file_memory(int colours)
{
    enum { WIDER = 128, COPIES = 6 };
    const size_t size = WP_PYRAMID_TILE + WIDER;
    return COPIES * size * size * sizeof(float) * (size_t)colours;
}

static bool open_file(struct wp_pyramid_file *f, const char *path, const char *sidecar_path,
                      const struct wp_sidecar *sidecar)
{
    struct wp_sidecar *s = &f->sidecar;
    const char *reason;
    bool found = sidecar;
    double phase = 0;
    if (sidecar)
        *s = *sidecar;
    else if (!wp_sidecar_read(sidecar_path, s, &found))
        return false;
    if (!found)
        return wp_fail(WP_ERROR_FILE, "%s: the coefficients have no metadata", sidecar_path);
    if (!wp_tile_store_open(path, s, &f->store, &reason))
        return false;
    if (!f->store)
        return wp_fail(WP_ERROR_USAGE, "%s: cannot be read by regions (%s)", path, reason);
    s->planes -= s->alpha;
    s->alpha = false;
    if (!set_params(f, sidecar_path) || !find_low(f, &phase))
        return false;
    f->unit = unit_of(s);
    f->info = (struct wp_pyramid_info){
        .pyramid = wp_pyramid_source(s->description.size[WP_X], s->description.size[WP_Y],
                                     s->description.levels, phase),
        .colours = s->planes,
        .of_file = s->origin.bits >= 1 && s->origin.bits <= 16 &&
                   (!s->description.reversible || f->unit > 1),
    };
    const char *slash = strrchr(s->wavelet_name, '/');
    snprintf(f->info.wavelet, sizeof f->info.wavelet, "%s%s",
             slash ? slash + 1 : s->wavelet_name, s->description.reversible ? ", reversible" : "");
    return true;
}

struct wp_pyramid_file *wp_pyramid_file_open(const char *path, const struct wp_sidecar *sidecar)
{
    struct wp_pyramid_file *f = wp_xcalloc(1, sizeof *f);
    char *sidecar_path = wp_sidecar_path(path);
    const bool ok = sidecar_path ? open_file(f, path, sidecar_path, sidecar)
                           : wp_fail(WP_ERROR_USAGE, "%s: cannot be read by regions", path);
    free(sidecar_path);
    if (!ok)
        wp_pyramid_file_close(&f);
    return f;
}

void wp_pyramid_file_close(struct wp_pyramid_file **slot)
{
    struct wp_pyramid_file *f = *slot;
    *slot = NULL;
    if (!f)
        return;
    wp_tile_store_close(&f->store);
    free(f);
}

const struct wp_pyramid_info *wp_pyramid_file_info(const struct wp_pyramid_file *f)
{
    return &f->info;
}

int wp_pyramid_planes(int colours, enum wp_channel channel)
{
    return wp_channel_or_first(channel, colours) == WP_CHANNEL_RGB ? WP_COLOURS : 1;
}

// ---- Tiles.

static float *read_stored(struct wp_pyramid_file *f, enum wp_channel channel,
                          struct wp_pyramid_tile tile)
{
    const struct wp_pyramid_part part = wp_pyramid_part(&f->info.pyramid, tile);
    const struct wp_region region = {tile.level, part.x, part.y, part.width, part.height};
    struct wp_image *image = wp_region_read(f->store, &f->sidecar, &f->params, &region);
    if (!image || !wp_image_select_channel(image, wp_channel_or_first(channel, f->info.colours),
                                           "the image")) {
        wp_image_destroy(&image);
        return NULL;
    }
    const size_t count = wp_image_samples(image) * (size_t)image->planes;
    const float scale = (float)(1 / (f->unit * pow(f->gain, tile.level)));
    float *samples = wp_image_move_planes(&image);
    for (size_t i = 0; i < count && scale != 1; i++)
        samples[i] *= scale;
    return samples;
}

// Writes the means of 2x2 samples of a finer tile to quarter (x, y) of a tile.
static void add_quarter(const float *from, struct wp_pyramid_part of, float *to,
                        struct wp_pyramid_part part, int x, int y, int planes)
{
    const int half = WP_PYRAMID_TILE / 2;
    for (int p = 0; p < planes; p++)
        for (int row = 0; row < (of.height + 1) / 2; row++)
            for (int column = 0; column < (of.width + 1) / 2; column++) {
                float sum = 0;
                int count = 0;
                for (int j = 2 * row; j < 2 * row + 2 && j < of.height; j++)
                    for (int i = 2 * column; i < 2 * column + 2 && i < of.width; i++, count++)
                        sum += from[((size_t)p * (size_t)of.height + (size_t)j) *
                                        (size_t)of.width + (size_t)i];
                to[((size_t)p * (size_t)part.height + (size_t)(y * half + row)) *
                       (size_t)part.width + (size_t)(x * half + column)] = sum / (float)count;
            }
}

static float *read_tile(struct wp_pyramid_file *f, enum wp_channel channel,
                        struct wp_pyramid_tile tile, const atomic_bool *stop)
{
    const struct wp_pyramid *p = &f->info.pyramid;
    if (atomic_load(stop)) {
        wp_fail_silently(WP_ERROR_INTERNAL);
        return NULL;
    }
    if (tile.level <= p->stored)
        return read_stored(f, channel, tile);
    const struct wp_pyramid_part part = wp_pyramid_part(p, tile);
    const int planes = wp_pyramid_planes(f->info.colours, channel);
    float *samples = wp_allocate((size_t)part.width * (size_t)part.height * (size_t)planes,
                                 sizeof *samples, "a tile");
    for (int i = 0; i < 4 && samples; i++) {
        const struct wp_pyramid_tile finer = {tile.level - 1, 2 * tile.column + i % 2,
                                              2 * tile.row + i / 2};
        if (finer.column >= wp_pyramid_tiles(p->width, finer.level) ||
            finer.row >= wp_pyramid_tiles(p->height, finer.level))
            continue;
        float *quarter = read_tile(f, channel, finer, stop);
        if (quarter)
            add_quarter(quarter, wp_pyramid_part(p, finer), samples, part, i % 2, i / 2, planes);
        else
            free(samples);
        samples = quarter ? samples : NULL;
        free(quarter);
    }
    return samples;
}

float *wp_pyramid_file_read(struct wp_pyramid_file *f, enum wp_channel channel,
                            struct wp_pyramid_tile tile, const atomic_bool *stop)
{
    float *samples = read_tile(f, channel, tile, stop);
    if (samples && !wp_tile_store_unchanged(f->store)) {
        free(samples);
        samples = NULL;
    }
    return samples;
}
