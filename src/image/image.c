#include "image.h"

#include "elements.h"
#include "log.h"
#include "memory.h"
#include "samples_hash.h"
#include "text.h"
#include "xmemory.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Rejects images of more than half of the memory before they are read, since their coefficients
// need as much again.
static bool fits_memory(int width, int height, int depth, int planes)
{
    const double bytes = (double)width * height * depth * planes * (double)sizeof(float);
    const double memory = wp_memory_total();
    if (memory <= 0.0 || 2 * bytes <= memory)
        return true;
    char slices[16] = "";
    if (depth > 1)
        snprintf(slices, sizeof slices, "x%d", depth);
    return wp_fail(WP_ERROR_TOO_LARGE,
                   "not enough memory for %s of %dx%d%s (needs 2 x %.1f GiB, the machine has %.1f)"
                   "%s",
                   depth > 1 ? "a volume" : "an image", width, height, slices, bytes / 0x1p30,
                   memory / 0x1p30,
                   depth > 1 ? "" : "\nhint: 'forward' transforms TIFF, PNG, PNM, PFM and NPY of "
                                    "any size to .tiff and .npy, in row strips");
}

struct wp_image *wp_image_create(int width, int height, int planes, bool alpha)
{
    return wp_image_create_volume(width, height, 1, planes, alpha);
}

// Creates an image without samples.
static struct wp_image *create_shape(int width, int height, int depth, int planes, bool alpha)
{
    assert(width > 0 && height > 0 && depth > 0);
    assert(planes > (alpha ? 1 : 0) && planes <= WP_IMAGE_MAX_PLANES);
    if (!fits_memory(width, height, depth, planes))
        return NULL;
    struct wp_image *image = wp_xcalloc(1, sizeof *image);
    image->width = width;
    image->height = height;
    image->depth = depth;
    image->planes = planes;
    image->alpha = alpha;
    image->origin = (struct wp_origin){.bits = 32, .peak = 1};
    return image;
}

struct wp_image *wp_image_create_pixels(int width, int height, int planes, bool alpha,
                                        enum wp_element type, float maximum)
{
    struct wp_image *image = create_shape(width, height, 1, planes, alpha);
    if (!image)
        return NULL;
    image->pixels = (struct wp_operand){
        .data = wp_allocate(wp_image_samples(image), (size_t)planes * wp_elements[type].bytes,
                            "an image"),
        .type = type,
        .maximum = maximum,
        .stride =
            {1, width,
             (ptrdiff_t)wp_image_samples(image), [WP_PLANE] = (ptrdiff_t)wp_image_samples(image)},
    };
    if (!image->pixels.data)
        wp_image_destroy(&image);
    return image;
}

void *wp_image_at(const struct wp_image *image, int plane, size_t at)
{
    const struct wp_operand *pixels = &image->pixels;
    return pixels->data
               ? wp_operand_at(pixels, (ptrdiff_t)at + plane * pixels->stride[WP_PLANE])
               : (void *)(image->plane[plane] + at);
}

const float *wp_image_row(const struct wp_image *image, int plane, size_t row, bool integers,
                          float *scratch)
{
    const struct wp_operand *pixels = &image->pixels;
    if (!pixels->data)
        return image->plane[plane] + row * (size_t)image->width;
    wp_operand_read(&wp_element_rows, scratch, pixels,
                   (ptrdiff_t)row * pixels->stride[1] + plane * pixels->stride[WP_PLANE], integers,
                   image->width);
    return scratch;
}

struct wp_image *wp_image_create_volume(int width, int height, int depth, int planes, bool alpha)
{
    struct wp_image *image = create_shape(width, height, depth, planes, alpha);
    if (!image)
        return NULL;
    const size_t count = wp_image_samples(image);
    image->plane[0] = wp_allocate(count, (size_t)planes * sizeof(float),
                                  depth > 1 ? "a volume" : "an image");
    if (!image->plane[0]) {
        wp_image_destroy(&image);
        return NULL;
    }
    for (int p = 1; p < planes; p++)
        image->plane[p] = image->plane[p - 1] + count;
    return image;
}

void wp_image_destroy(struct wp_image **slot)
{
    struct wp_image *image = *slot;
    *slot = NULL;
    if (!image)
        return;
    free(image->plane[0]);
    free(image->pixels.data);
    free(image);
}

struct wp_image wp_image_slice(const struct wp_image *volume, int z)
{
    struct wp_image slice = *volume;
    slice.depth = 1;
    for (int p = 0; p < volume->planes; p++)
        slice.plane[p] += (size_t)z * wp_image_samples(&slice);
    return slice;
}

size_t wp_image_samples(const struct wp_image *image)
{
    return (size_t)image->width * (size_t)image->height * (size_t)image->depth;
}

void wp_image_shrink(struct wp_image *image, int planes)
{
    const size_t count = wp_image_samples(image);
    float *smaller = realloc(image->plane[0], count * (size_t)planes * sizeof *smaller);
    image->plane[0] = smaller ? smaller : image->plane[0];
    image->planes = planes;
    for (int p = 1; p < WP_IMAGE_MAX_PLANES; p++)
        image->plane[p] = p < planes ? image->plane[p - 1] + count : NULL;
}

float *wp_image_move_planes(struct wp_image **slot)
{
    struct wp_image *image = *slot;
    wp_image_shrink(image, wp_image_colour_planes(image));
    float *samples = image->plane[0];
    image->plane[0] = NULL;
    wp_image_destroy(slot);
    return samples;
}

int wp_image_colour_planes(const struct wp_image *image)
{
    return image->planes - (image->alpha ? 1 : 0);
}

void wp_image_to_gray(struct wp_image *image)
{
    if (wp_image_colour_planes(image) != 3)
        return;
    float *red = image->plane[0];
    const float *green = image->plane[1], *blue = image->plane[2];
    const size_t count = wp_image_samples(image);
    for (size_t i = 0; i < count; i++)
        red[i] = 0.299f * red[i] + 0.587f * green[i] + 0.114f * blue[i];
    if (image->alpha)
        memcpy(image->plane[1], image->plane[3], count * sizeof(float));
    wp_image_shrink(image, image->planes - 2);
}

void wp_count_values(struct wp_value_counts *counts, const struct wp_origin *origin,
                     const float *samples, size_t count)
{
    size_t nonfinite = 0, rounded = 0;
    for (size_t i = 0; i < count; i++)
        nonfinite += isfinite(samples[i]) ? 0 : 1;
    for (size_t i = 0; origin->wide && i < count; i++)
        rounded += fabsf(samples[i]) >= 0x1p24F;
    counts->doubles = origin->bits == 64 && !origin->wide;
    counts->nonfinite += nonfinite;
    counts->rounded += rounded;
}

void wp_warn_of_values(const struct wp_value_counts *counts, const char *path)
{
    if (counts->nonfinite)
        wp_log(WP_LOG_WARNING, "%s: %zu value%s not finite%s; carried through", path,
               counts->nonfinite, WP_PLURAL_IS(counts->nonfinite),
               counts->doubles ? " as float32 (NaN, infinite, or larger than 3.4e38)"
                               : " (NaN or infinite)");
    if (counts->rounded)
        wp_log(WP_LOG_WARNING, "%s: %zu integer%s 16777216 (2^24) or more, which float32 may round",
               path, counts->rounded, WP_PLURAL_IS(counts->rounded));
}

size_t wp_image_count_nonfinite(const struct wp_image *image)
{
    struct wp_value_counts counts = {0};
    for (int p = 0; p < image->planes && !image->pixels.data; p++)
        wp_count_values(&counts, &(struct wp_origin){0}, image->plane[p], wp_image_samples(image));
    return counts.nonfinite;
}

unsigned long long wp_image_hash(const struct wp_image *image)
{
    struct wp_samples_hash *hash = wp_samples_hash_create();
    for (int p = 0; p < image->planes; p++)
        wp_samples_hash_add(hash, image->plane[p], wp_image_samples(image));
    const unsigned long long value = wp_samples_hash_get(hash);
    wp_samples_hash_destroy(&hash);
    return value;
}
