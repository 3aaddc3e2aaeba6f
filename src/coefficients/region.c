#include "region.h"

#include "log.h"
#include "memory.h"
#include "place.h"
#include "transform.h"

#include <stdlib.h>
#include <string.h>

// From `from` up to `to` along an axis of `size` samples. With periodic borders it may begin before
// the first one and end behind the last.
struct span {
    int from, to, size;
};

static int length_of(struct span s)
{
    return s.to - s.from;
}

struct work {
    struct wp_parts *parts;
    const struct wp_sidecar *sidecar;
    struct wp_transform_params params;
    struct wp_description bands;
    struct wp_lifting lifting; // of the inverse
    int planes;
};

bool wp_region_check(const struct wp_sidecar *s, const struct wp_region *region)
{
    const int width = wp_level_size(s->width, region->level);
    const int height = wp_level_size(s->height, region->level);
    if (region->level > s->levels)
        return wp_fail(WP_ERROR_USAGE, "--level %d: there are %d level%s", region->level, s->levels,
                       s->levels == 1 ? "" : "s");
    return (region->x >= 0 && region->y >= 0 && region->width > 0 && region->height > 0 &&
            region->x <= width - region->width && region->y <= height - region->height) ||
           wp_fail(WP_ERROR_USAGE, "region %d,%d,%d,%d is not within the %dx%d of level %d",
                   region->x, region->y, region->width, region->height, width, height,
                   region->level);
}

static int floor_half(int i)
{
    return (i - (i < 0 ? 1 : 0)) / 2;
}

// The samples of the low band that these need: pairs of samples, as far as the steps reach, and one
// more, so that none stands alone. What is cut off there is wrong as far as the steps reach, and no
// farther.
static struct span reach_of(const struct work *w, struct span s)
{
    const int size = (s.size + 1) / 2;
    struct span low = {floor_half(s.from) - w->lifting.before - 1,
                       floor_half(s.to - 1) + 1 + w->lifting.after + 1, size};
    if (w->lifting.extension == WP_EXTEND_WRAP && s.size > 1)
        return low;
    low.from = low.from > 0 ? low.from : 0;
    low.to = low.to < size ? low.to : size;
    return low;
}

// Samples that the pairs of `low` are of.
static struct span pairs_of(struct span low, struct span s)
{
    const int end = 2 * low.to;
    return (struct span){2 * low.from, low.to == low.size && s.size % 2 ? end - 1 : end, s.size};
}

// High samples of these pairs.
static struct span high_of(struct span low, struct span s)
{
    return (struct span){low.from, low.from + length_of(pairs_of(low, s)) / 2, s.size / 2};
}

static int wrap(int i, int size)
{
    return ((i % size) + size) % size;
}

// A part of a band, around its borders where it goes beyond them.
static bool read_band(const struct work *w, int level, enum wp_band band, int plane, struct span x,
                      struct span y, float *to, size_t step)
{
    const int number = wp_place_band_number(&w->bands, level, band);
    for (int row = y.from, rows; row < y.to; row += rows) {
        const int first = wrap(row, y.size);
        rows = y.size - first < y.to - row ? y.size - first : y.to - row;
        for (int column = x.from, columns; column < x.to; column += columns) {
            const int left = wrap(column, x.size);
            columns = x.size - left < x.to - column ? x.size - left : x.to - column;
            if (!wp_parts_read_part(w->parts, number, plane, left, first, columns, rows,
                                    to + (size_t)(row - y.from) * step + (size_t)(column - x.from),
                                    step))
                return false;
        }
    }
    return true;
}

// An array of all planes, one behind the other. NULL after an error.
static float *make_planes(const struct work *w, struct span x, struct span y)
{
    return wp_allocate((size_t)length_of(x) * (size_t)length_of(y) * (size_t)w->planes,
                       sizeof(float), "a region");
}

static void copy(const struct work *w, const float *from, struct span from_x, struct span from_y,
                 float *to, size_t to_step, size_t to_plane, struct span x, struct span y)
{
    const size_t step = (size_t)length_of(from_x), plane = step * (size_t)length_of(from_y);
    for (int p = 0; p < w->planes; p++)
        for (int row = y.from; row < y.to; row++)
            memcpy(to + (size_t)p * to_plane + (size_t)(row - y.from) * to_step,
                   from + (size_t)p * plane + (size_t)(row - from_y.from) * step +
                       (size_t)(x.from - from_x.from),
                   (size_t)length_of(x) * sizeof *to);
}

static bool read_details(const struct work *w, int level, struct span low_x, struct span high_x,
                         struct span low_y, struct span high_y, float *to)
{
    const size_t step = (size_t)(length_of(low_x) + length_of(high_x));
    const size_t plane = step * (size_t)(length_of(low_y) + length_of(high_y));
    bool ok = true;
    for (int b = WP_BAND_HL; b < WP_BAND_COUNT && ok; b++) {
        const struct span x = b & 1 ? high_x : low_x, y = b & 2 ? high_y : low_y;
        const size_t at = (b & 1 ? (size_t)length_of(low_x) : 0) +
                          (b & 2 ? (size_t)length_of(low_y) * step : 0);
        for (int p = 0; p < w->planes && ok; p++)
            ok = length_of(x) == 0 || length_of(y) == 0 ||
                 read_band(w, level, (enum wp_band)b, p, x, y, to + (size_t)p * plane + at, step);
    }
    return ok;
}

static bool invert(const struct work *w, int width, int height, const float *from, float *to)
{
    struct wp_transform_params params = w->params;
    params.width = width;
    params.height = height;
    struct wp_transform *transform = wp_transform_create(&params);
    const bool ok = transform && wp_transform_inverse(transform, from, to);
    wp_transform_destroy(&transform);
    return ok;
}

// What is low at that level, from the levels above it. NULL after an error.
static float *read_low(const struct work *w, int level, struct span x, struct span y)
{
    float *result = make_planes(w, x, y);
    bool ok = result;
    if (level == w->sidecar->levels) {
        const size_t step = (size_t)length_of(x), plane = step * (size_t)length_of(y);
        for (int p = 0; p < w->planes && ok; p++)
            ok = read_band(w, level, WP_BAND_LL, p, x, y, result + (size_t)p * plane, step);
    } else {
        const struct span low_x = reach_of(w, x), low_y = reach_of(w, y);
        const struct span all_x = pairs_of(low_x, x), all_y = pairs_of(low_y, y);
        const struct span high_x = high_of(low_x, x), high_y = high_of(low_y, y);
        const size_t step = (size_t)length_of(all_x), plane = step * (size_t)length_of(all_y);
        float *low = ok ? read_low(w, level + 1, low_x, low_y) : NULL;
        float *bands = low ? make_planes(w, all_x, all_y) : NULL;
        ok = bands;
        if (ok)
            copy(w, low, low_x, low_y, bands, step, plane, low_x, low_y);
        free(low);
        ok = ok && read_details(w, level + 1, low_x, high_x, low_y, high_y, bands) &&
             invert(w, length_of(all_x), length_of(all_y), bands, bands);
        if (ok)
            copy(w, bands, all_x, all_y, result, (size_t)length_of(x),
                 (size_t)length_of(x) * (size_t)length_of(y), x, y);
        free(bands);
    }
    if (!ok)
        free(result);
    return ok ? result : NULL;
}

static struct wp_transform_params params_of(const struct wp_transform_params *given, int planes)
{
    struct wp_transform_params params = *given;
    params.struct_size = sizeof params;
    params.planes = planes;
    params.levels = 1;
    params.backend = "cpu";
    params.layout = params.decomposition = NULL;
    params.depth = params.gop = params.levels_z = 0;
    return params;
}

// Any transform of the kind tells what lifting it is.
static bool find_lifting(struct work *w)
{
    enum { SMALL = 16 };
    struct wp_transform_params params = w->params;
    params.width = params.height = SMALL;
    struct wp_transform *transform = wp_transform_create(&params);
    if (!transform)
        return false;
    struct wp_description d = *wp_transform_description(transform);
    d.direction = WP_INVERSE;
    w->lifting = wp_description_lifting(&d);
    wp_transform_destroy(&transform);
    return true;
}

struct wp_image *wp_region_read(struct wp_parts *parts, const struct wp_sidecar *s,
                                const struct wp_transform_params *params,
                                const struct wp_region *region)
{
    const bool alpha = s->alpha && region->level == 0;
    const struct span x = {region->x, region->x + region->width,
                           wp_level_size(s->width, region->level)};
    const struct span y = {region->y, region->y + region->height,
                           wp_level_size(s->height, region->level)};
    struct work w = {.parts = parts, .sidecar = s, .bands = wp_sidecar_shape(s),
                     .planes = s->planes - s->alpha};
    w.params = params_of(params, w.planes);
    float *low = find_lifting(&w) ? read_low(&w, region->level, x, y) : NULL;
    struct wp_image *image = low ? wp_image_create(region->width, region->height,
                                                   w.planes + alpha, alpha)
                                 : NULL;
    if (image) {
        image->source_bits = s->source_bits;
        memcpy(image->plane[0], low,
               wp_image_samples(image) * (size_t)w.planes * sizeof *low);
    }
    free(low);
    if (image && alpha &&
        !wp_parts_read_part(parts, WP_PARTS_ALPHA, 0, region->x, region->y, region->width,
                            region->height, image->plane[w.planes], (size_t)region->width))
        wp_image_destroy(&image);
    return image;
}
