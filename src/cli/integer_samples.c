#include "integer_samples.h"

#include "transform.h"
#include "xmemory.h"

#include <math.h>
#include <stdlib.h>

static size_t count_of(const struct wp_image *image, int planes)
{
    return wp_image_samples(image) * (size_t)planes;
}

static void find_limits(const struct wp_image *image, double limit[2])
{
    const size_t rows = (size_t)image->height * (size_t)image->depth;
    float *scratch = wp_xmalloc((size_t)image->width * sizeof *scratch);
    float least = INFINITY, greatest = -INFINITY;
    for (int p = 0; p < wp_image_colour_planes(image); p++) {
        for (size_t y = 0; y < rows; y++) {
            const float *row = wp_image_row(image, p, y, true, scratch);
            for (int x = 0; x < image->width; x++) {
                least = fminf(least, row[x]);
                greatest = fmaxf(greatest, row[x]);
            }
        }
    }
    free(scratch);
    limit[0] = (double)least;
    limit[1] = (double)greatest;
}

double wp_integer_samples_largest(const struct wp_image *image)
{
    double limit[2];
    find_limits(image, limit);
    return fmax(-limit[0], limit[1]);
}

bool wp_integer_samples_check_range(struct wp_transform *transform, const struct wp_image *image,
                                    const char *path)
{
    double limit[2];
    find_limits(image, limit);
    return wp_description_check_range(wp_transform_description(transform), path, limit[0],
                                      limit[1]);
}

void wp_integer_samples_unsign_zeros(struct wp_image *coefficients)
{
    const size_t count = count_of(coefficients, coefficients->planes);
    for (size_t i = 0; i < count; i++)
        coefficients->plane[0][i] += 0.0F; // -0 + 0 is 0
}

void wp_integer_samples_scale(struct wp_image *image, double factor, bool round_values)
{
    const size_t count = count_of(image, image->planes);
    for (size_t i = 0; i < count; i++) {
        const double value = (double)image->plane[0][i] * factor;
        image->plane[0][i] = (float)(round_values ? rint(value) : value);
    }
}
