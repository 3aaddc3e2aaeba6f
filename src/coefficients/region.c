#include "tile_store.h"

#include "log.h"
#include "memory.h"
#include "operand.h"
#include "transform.h"

#include <stdlib.h>
#include <string.h>

// Samples from..to-1 of an axis of `size` samples. With periodic borders the span may extend beyond
// both ends.
struct span {
    int from, to, size;
};

static int length_of(struct span s)
{
    return s.to - s.from;
}

struct job {
    struct wp_tile_store *store;
    const struct wp_sidecar *sidecar;
    struct wp_transform_params params;
    struct wp_description bands;
    struct wp_lifting lifting; // of the inverse
    int planes;
};

bool wp_region_check(const struct wp_sidecar *s, const struct wp_region *region)
{
    const int width = wp_level_size(s->description.size[WP_X], region->level);
    const int height = wp_level_size(s->description.size[WP_Y], region->level);
    if (region->level > s->description.levels)
        return wp_fail(WP_ERROR_USAGE, "there is no level %d (the coefficients have %d level%s)",
                       region->level, s->description.levels,
                       s->description.levels == 1 ? "" : "s");
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

// The low-pass samples needed for a span: those of its pairs, extended by the support of the steps
// and one more, so that no sample is without its pair. The error of the truncation extends as far
// as the support, so that the span is exact.
static struct span needed_low(const struct job *w, struct span s)
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

// The samples of the pairs of `low`.
static struct span pairs_of(struct span low, struct span s)
{
    const int end = 2 * low.to;
    return (struct span){2 * low.from, low.to == low.size && s.size % 2 ? end - 1 : end, s.size};
}

// The high-pass samples of these pairs.
static struct span high_of(struct span low, struct span s)
{
    return (struct span){low.from, low.from + length_of(pairs_of(low, s)) / 2, s.size / 2};
}

static int wrap(int i, int size)
{
    return ((i % size) + size) % size;
}

// Reads a rectangle of a band, which wraps around at its borders.
static bool read_band(const struct job *w, int level, enum wp_band band, int plane, struct span x,
                      struct span y, float *to, size_t step)
{
    const int number = wp_subband_number(&w->bands, level, band);
    for (int row = y.from, rows; row < y.to; row += rows) {
        const int first = wrap(row, y.size);
        rows = y.size - first < y.to - row ? y.size - first : y.to - row;
        for (int column = x.from, columns; column < x.to; column += columns) {
            const int left = wrap(column, x.size);
            columns = x.size - left < x.to - column ? x.size - left : x.to - column;
            if (!wp_tile_store_read_rectangle(w->store, number, plane, left, first, columns, rows,
                                              to + (size_t)(row - y.from) * step +
                                                  (size_t)(column - x.from),
                                              step))
                return false;
        }
    }
    return true;
}

enum { SINGLE_THREAD_SAMPLES = 1 << 21 }; // smaller regions are computed by one thread

// The destination of samples or coefficients of all planes.
struct target {
    float *data;
    size_t step, plane; // distances of rows and of planes
};

static bool read_details(const struct job *w, int level, struct span low_x, struct span high_x,
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

// Inverts one level plane by plane and copies the spans x and y of the result.
static bool invert(const struct job *w, const struct target *from, struct span all_x,
                   struct span all_y, struct span x, struct span y, const struct target *to)
{
    struct wp_transform_params params = w->params;
    params.width = length_of(all_x);
    params.height = length_of(all_y);
    // Synchronization of threads takes longer if the processors are busy.
    params.threads = from->plane < SINGLE_THREAD_SAMPLES ? 1 : 0;
    struct wp_transform *transform = wp_transform_create(&params);
    float *samples = wp_allocate_pages(from->plane, sizeof *samples, "a region");
    bool ok = transform && samples;
    for (int p = 0; p < w->planes && ok; p++) {
        ok = wp_transform_inverse(transform, WP_ARRAY(from->data + (size_t)p * from->plane),
                                  WP_ARRAY(samples));
        for (int row = y.from; row < y.to && ok; row++)
            memcpy(to->data + (size_t)p * to->plane + (size_t)(row - y.from) * to->step,
                   samples + (size_t)(row - all_y.from) * from->step +
                       (size_t)(x.from - all_x.from),
                   (size_t)length_of(x) * sizeof *samples);
    }
    free(samples);
    wp_transform_destroy(&transform);
    return ok;
}

// Computes the low-pass image at a level from the levels above. False after an error.
static bool read_low(const struct job *w, int level, struct span x, struct span y,
                     const struct target *to)
{
    bool ok = true;
    if (level == w->sidecar->description.levels) {
        for (int p = 0; p < w->planes && ok; p++)
            ok = read_band(w, level, WP_BAND_LL, p, x, y, to->data + (size_t)p * to->plane,
                           to->step);
        return ok;
    }
    const struct span low_x = needed_low(w, x), low_y = needed_low(w, y);
    const struct span all_x = pairs_of(low_x, x), all_y = pairs_of(low_y, y);
    const struct span high_x = high_of(low_x, x), high_y = high_of(low_y, y);
    struct target bands = {.step = (size_t)length_of(all_x)};
    bands.plane = bands.step * (size_t)length_of(all_y);
    bands.data = wp_allocate_pages(bands.plane * (size_t)w->planes, sizeof(float), "a region");
    ok = bands.data && read_low(w, level + 1, low_x, low_y, &bands) &&
         read_details(w, level + 1, low_x, high_x, low_y, high_y, bands.data) &&
         invert(w, &bands, all_x, all_y, x, y, to);
    free(bands.data);
    return ok;
}

// Parameters for one level of one plane.
static struct wp_transform_params params_of(const struct wp_transform_params *given)
{
    struct wp_transform_params params = *given;
    params.struct_size = sizeof params;
    params.planes = 1;
    params.levels = 1;
    params.backend = "cpu";
    params.layout = params.decomposition = NULL;
    params.depth = params.gop = params.levels_z = 0;
    return params;
}

// Gets the lifting steps from a small transform with the same parameters.
static bool find_lifting(struct job *w)
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
    d.size[WP_X] = w->bands.size[WP_X];
    d.size[WP_Y] = w->bands.size[WP_Y];
    d.levels = w->bands.levels;
    const bool ok = wp_description_check_native(&d, "a region");
    wp_transform_destroy(&transform);
    return ok;
}

struct wp_image *wp_region_read(struct wp_tile_store *store, const struct wp_sidecar *s,
                                const struct wp_transform_params *params,
                                const struct wp_region *region)
{
    const bool alpha = s->alpha && region->level == 0;
    const struct span x = {region->x, region->x + region->width,
                           wp_level_size(s->description.size[WP_X], region->level)};
    const struct span y = {region->y, region->y + region->height,
                           wp_level_size(s->description.size[WP_Y], region->level)};
    struct job w = {.store = store, .sidecar = s, .bands = s->description,
                    .planes = s->planes - s->alpha};
    w.params = params_of(params);
    struct wp_image *image =
        wp_image_create(region->width, region->height, w.planes + alpha, alpha);
    bool ok = image && find_lifting(&w);
    if (ok) {
        image->origin = s->origin;
        ok = read_low(&w, region->level, x, y,
                      &(struct target){image->plane[0], (size_t)region->width,
                                       wp_image_samples(image)});
    }
    if (ok && alpha)
        ok = wp_tile_store_read_rectangle(store, WP_TILE_STORE_ALPHA, 0, region->x, region->y,
                                          region->width, region->height, image->plane[w.planes],
                                          (size_t)region->width);
    if (!ok)
        wp_image_destroy(&image);
    return image;
}
