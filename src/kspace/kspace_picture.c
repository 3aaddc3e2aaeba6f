#include "kspace_picture.h"

#include "acquire.h"
#include "threads.h"

#include <math.h>
#include <string.h>

enum { GAP = 4 };

// A plane through an array: its horizontal and vertical axes, and its position on the third.
struct section {
    int right, down, through, at;
};

static struct section phase_encodes(const int size[3])
{
    return size[2] > 1 ? (struct section){1, 2, 0, 0} : (struct section){0, 1, 2, 0};
}

static struct section slice_at(const int size[3], int z)
{
    return (struct section){0, 1, 2, (z + size[2]) % size[2]};
}

static size_t sample_at(const int size[3], const struct section *section, int right, int down)
{
    const int width = size[section->right], height = size[section->down];
    int at[3];
    at[section->right] = (right + width) % width;
    at[section->down] = (down + height) % height;
    at[section->through] = section->at;
    return ((size_t)at[2] * (size_t)size[1] + (size_t)at[1]) * (size_t)size[0] + (size_t)at[0];
}

static float *pixel(struct wp_image *image, int x, int y)
{
    return &image->plane[0][(size_t)y * (size_t)image->width + (size_t)x];
}

static void draw_mask(const struct wp_mask *mask, const struct section *section,
                      struct wp_image *image, int left)
{
    const int width = mask->size[section->right], height = mask->size[section->down];
    for (int y = 0; y < height; y++)
        for (int x = 0; x < width; x++)
            *pixel(image, left + x, y) =
                mask->sampled[sample_at(mask->size, section, x - width / 2, y - height / 2)];
}

static float largest_of(const struct wp_complex_array *kspace)
{
    float largest = 0;
    for (size_t i = 0; i < wp_complex_samples(kspace); i++)
        largest = fmaxf(largest, cabsf(kspace->value[i]));
    return largest;
}

static void draw_kspace(const struct wp_complex_array *kspace, float largest,
                        const struct section *section, struct wp_image *image, int left)
{
    const int width = kspace->size[section->right], height = kspace->size[section->down];
    for (int y = 0; y < height; y++)
        for (int x = 0; x < width; x++) {
            const size_t at = sample_at(kspace->size, section, x - width / 2, y - height / 2);
            const float decades = log10f(cabsf(kspace->value[at]) / largest);
            *pixel(image, left + x, y) = largest > 0 ? fmaxf(0, 1 + decades / 4) : 0;
        }
}

// Draws the magnitude of the middle slice; of several coils the root of the sum of squares.
static void draw_magnitude(const struct wp_complex_array *images, struct wp_image *image, int left)
{
    const struct section section = slice_at(images->size, images->size[2] / 2);
    const size_t samples = wp_complex_samples(images);
    float largest = 0;
    for (int y = 0; y < images->size[1]; y++)
        for (int x = 0; x < images->size[0]; x++) {
            const size_t at = sample_at(images->size, &section, x, y);
            float sum = 0;
            for (int coil = 0; coil < images->coils; coil++) {
                const float one = cabsf(images->value[(size_t)coil * samples + at]);
                sum += one * one;
            }
            *pixel(image, left + x, y) = sqrtf(sum);
            largest = fmaxf(largest, sqrtf(sum));
        }
    for (int y = 0; largest > 0 && y < images->size[1]; y++)
        for (int x = 0; x < images->size[0]; x++)
            *pixel(image, left + x, y) /= largest;
}

static struct wp_image *draw(const struct wp_mask *mask, const struct wp_complex_array *kspace,
                             const struct wp_complex_array *images)
{
    const int *size = kspace->size;
    const struct section section = phase_encodes(size);
    const int wide = size[section.right] + GAP, high = size[section.down];
    struct wp_image *image = wp_image_create(2 * wide + size[0], high > size[1] ? high : size[1], 1,
                                             false);
    if (!image)
        return NULL;
    for (size_t i = 0; i < wp_image_samples(image); i++)
        image->plane[0][i] = 0.5F;
    draw_mask(mask, &section, image, 0);
    draw_kspace(kspace, largest_of(kspace), &section, image, wide);
    draw_magnitude(images, image, 2 * wide);
    return image;
}

struct wp_image *wp_kspace_picture(const struct wp_complex_array *kspace,
                                   const struct wp_mask *mask)
{
    struct wp_complex_array *images = wp_complex_create(kspace->size, kspace->coils);
    struct wp_image *image = NULL;
    if (!images)
        return NULL;
    memcpy(images->value, kspace->value,
           wp_complex_samples(kspace) * (size_t)kspace->coils * sizeof *images->value);
    if (wp_complex_transform(images, false, wp_threads_count()))
        image = draw(mask, kspace, images);
    wp_complex_destroy(&images);
    return image;
}

static struct wp_image *create_image(const int size[3])
{
    return wp_image_create_volume(size[0], size[1], size[2], 1, false);
}

struct wp_image *wp_mask_picture(const struct wp_mask *mask)
{
    const int *size = mask->size;
    struct wp_image *image = create_image(size);
    for (int z = 0; image && z < size[2]; z++) {
        struct wp_image slice = wp_image_slice(image, z);
        const struct section section = slice_at(size, z - size[2] / 2);
        draw_mask(mask, &section, &slice, 0);
    }
    return image;
}

struct wp_image *wp_kspace_logarithm(const struct wp_complex_array *kspace)
{
    const int *size = kspace->size;
    const float largest = largest_of(kspace);
    struct wp_image *image = create_image(size);
    for (int z = 0; image && z < size[2]; z++) {
        struct wp_image slice = wp_image_slice(image, z);
        const struct section section = slice_at(size, z - size[2] / 2);
        draw_kspace(kspace, largest, &section, &slice, 0);
    }
    return image;
}
