#include "kspace.h"

#include "fft.h"
#include "random.h"
#include "threads.h"

#include <math.h>
#include <string.h>

static size_t index_of(const int size[3], int x, int y, int z)
{
    return ((size_t)z * (size_t)size[1] + (size_t)y) * (size_t)size[0] + (size_t)x;
}

struct wp_complex_array *wp_complex_pad(const struct wp_image *image, const int size[3])
{
    const int image_size[3] = {image->width, image->height, image->depth};
    const int first[3] = {(size[0] - image_size[0]) / 2, (size[1] - image_size[1]) / 2,
                          (size[2] - image_size[2]) / 2};
    struct wp_complex_array *array = wp_complex_create(size, 1);
    for (int z = 0; array && z < image_size[2]; z++)
        for (int y = 0; y < image_size[1]; y++)
            for (int x = 0; x < image_size[0]; x++)
                array->value[index_of(size, first[0] + x, first[1] + y, first[2] + z)] =
                    image->plane[0][index_of(image_size, x, y, z)];
    return array;
}

// Converts a frequency's index of n to an index of `full`.
static int same_frequency(int i, int n, int full)
{
    return i < (n + 1) / 2 ? i : i - n + full;
}

// Crops k-space to the lowest frequencies: the k-space of an image of `size` samples with the same
// brightness. `size` must not exceed the size of `kspace` on any axis. NULL after
// WP_ERROR_TOO_LARGE.
static struct wp_complex_array *complex_crop(const struct wp_complex_array *kspace,
                                             const int size[3])
{
    const int *full = kspace->size;
    struct wp_complex_array *array = wp_complex_create(size, 1);
    if (!array)
        return NULL;
    const float factor =
        (float)sqrt((double)wp_complex_samples(array) / (double)wp_complex_samples(kspace));
    for (int z = 0; z < size[2]; z++)
        for (int y = 0; y < size[1]; y++)
            for (int x = 0; x < size[0]; x++)
                array->value[index_of(size, x, y, z)] =
                    factor * kspace->value[index_of(full, same_frequency(x, size[0], full[0]),
                                                    same_frequency(y, size[1], full[1]),
                                                    same_frequency(z, size[2], full[2]))];
    return array;
}

struct wp_image *wp_complex_magnitude(const struct wp_complex_array *array, int coil)
{
    const size_t samples = wp_complex_samples(array);
    struct wp_image *image =
        wp_image_create_volume(array->size[0], array->size[1], array->size[2], 1, false);
    for (size_t i = 0; image && i < samples; i++)
        image->plane[0][i] = cabsf(array->value[(size_t)coil * samples + i]);
    return image;
}

bool wp_complex_transform(struct wp_complex_array *array, bool forward, int threads)
{
    struct wp_fft *fft = wp_fft_create(array->size, threads, WP_FFT_ESTIMATED);
    const size_t samples = wp_complex_samples(array);
    // Copied, since coils after the first one may not be aligned.
    struct wp_complex_array *one = fft ? wp_complex_create(array->size, 1) : NULL;
    for (int i = 0; one && i < array->coils; i++) {
        float complex *coil = array->value + (size_t)i * samples;
        memcpy(one->value, coil, samples * sizeof *coil);
        wp_fft_run(fft, forward ? WP_FFT_FORWARD : WP_FFT_INVERSE, one->value);
        memcpy(coil, one->value, samples * sizeof *coil);
    }
    const bool ok = one != NULL;
    wp_complex_destroy(&one);
    wp_fft_destroy(&fft);
    return ok;
}

struct wp_image *wp_coarser_image(struct wp_complex_array *array, const int size[3])
{
    const int threads = wp_threads_count();
    struct wp_complex_array *coarse =
        wp_complex_transform(array, true, threads) ? complex_crop(array, size) : NULL;
    const bool ok = coarse && wp_complex_transform(coarse, false, threads);
    struct wp_image *image = ok ? wp_complex_magnitude(coarse, 0) : NULL;
    wp_complex_destroy(&coarse);
    return image;
}

void wp_scale_to_peak(struct wp_image *image)
{
    float largest = 0;
    for (size_t i = 0; i < wp_image_samples(image); i++)
        largest = fmaxf(largest, fabsf(image->plane[0][i]));
    for (size_t i = 0; largest > 0 && i < wp_image_samples(image); i++)
        image->plane[0][i] /= largest;
}

void wp_complex_add_noise(struct wp_complex_array *array, double sigma,
                          unsigned long long seed)
{
    // The sequence differs from the sequence of a mask with this seed.
    struct wp_random random = wp_random_of(~seed);
    for (size_t i = 0; i < wp_complex_samples(array) * (size_t)array->coils; i++) {
        double value[2];
        wp_random_normal(&random, value);
        float *part = (float *)&array->value[i];
        part[0] += (float)(sigma * value[0]);
        part[1] += (float)(sigma * value[1]);
    }
}

void wp_complex_mask(struct wp_complex_array *kspace, const struct wp_mask *mask)
{
    const size_t samples = wp_complex_samples(kspace);
    for (size_t i = 0; i < samples * (size_t)kspace->coils; i++)
        if (!mask->sampled[i % samples])
            kspace->value[i] = 0;
}

// The position of a sample's center, from -1 to 1 across the image.
static double coordinate(int i, int n)
{
    return (2 * i + 1 - n) / (double)n;
}

// The sensitivity at a position: decreases with the distance from the coil, which is on a ring
// around the center, alternately above and below it; the phase varies linearly across the image.
static double complex sensitivity(double x, double y, double z, int coil, int coils)
{
    const double angle = 2 * acos(-1) * coil / coils;
    const double dx = x - 1.2 * cos(angle), dy = y - 1.2 * sin(angle);
    const double dz = z - (coil % 2 ? 0.5 : -0.5);
    const double phase = angle + 0.8 * (x * sin(angle) - y * cos(angle)) + 0.3 * z;
    return exp(-0.6 * (dx * dx + dy * dy + dz * dz)) * cexp(phase * I);
}

struct wp_complex_array *wp_coil_maps(const int size[3], int coils)
{
    struct wp_complex_array *maps = wp_complex_create(size, coils);
    const size_t samples = maps ? wp_complex_samples(maps) : 0;
    for (size_t i = 0; i < samples; i++) {
        const int at[3] = {(int)(i % (size_t)size[0]),
                           (int)(i / (size_t)size[0] % (size_t)size[1]),
                           (int)(i / (size_t)size[0] / (size_t)size[1])};
        const double x = coordinate(at[0], size[0]), y = coordinate(at[1], size[1]);
        const double z = coordinate(at[2], size[2]);
        double sum = 0;
        for (int coil = 0; coil < coils; coil++) {
            const double complex value = sensitivity(x, y, z, coil, coils);
            sum += creal(value) * creal(value) + cimag(value) * cimag(value);
        }
        for (int coil = 0; coil < coils; coil++)
            maps->value[(size_t)coil * samples + i] =
                (float complex)(sensitivity(x, y, z, coil, coils) / sqrt(sum));
    }
    return maps;
}

struct wp_complex_array *wp_coil_images(const struct wp_complex_array *image,
                                        const struct wp_complex_array *maps)
{
    const size_t samples = wp_complex_samples(image);
    struct wp_complex_array *images = wp_complex_create(image->size, maps->coils);
    for (size_t i = 0; images && i < samples * (size_t)maps->coils; i++)
        images->value[i] = maps->value[i] * image->value[i % samples];
    return images;
}

// ---- pictures ----

enum { GAP = 4 };

// A plane through an array: its horizontal and vertical axes, and its position on the third.
struct section {
    int right, down, through, at;
};

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
    return index_of(size, at[0], at[1], at[2]);
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
    const struct section section =
        size[2] > 1 ? (struct section){1, 2, 0, 0} : (struct section){0, 1, 2, 0};
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

// Draws each slice with DC in the center: of the mask or, if that is NULL, the logarithm of
// k-space. NULL after WP_ERROR_TOO_LARGE.
static struct wp_image *draw_slices(const int size[3], const struct wp_mask *mask,
                                    const struct wp_complex_array *kspace)
{
    const float largest = mask ? 1 : largest_of(kspace);
    struct wp_image *image = wp_image_create_volume(size[0], size[1], size[2], 1, false);
    for (int z = 0; image && z < size[2]; z++) {
        struct wp_image slice = wp_image_slice(image, z);
        const struct section section = slice_at(size, z - size[2] / 2);
        if (mask)
            draw_mask(mask, &section, &slice, 0);
        else
            draw_kspace(kspace, largest, &section, &slice, 0);
    }
    return image;
}

struct wp_image *wp_mask_picture(const struct wp_mask *mask)
{
    return draw_slices(mask->size, mask, NULL);
}

struct wp_image *wp_kspace_logarithm(const struct wp_complex_array *kspace)
{
    return draw_slices(kspace->size, NULL, kspace);
}
