#include "whole.h"

#include "transform.h"

#include <math.h>

static size_t count_of(const struct wp_image *image, int planes)
{
    return wp_image_samples(image) * (size_t)planes;
}

static void find_limits(const struct wp_image *image, double limit[2])
{
    const size_t count = count_of(image, wp_image_colour_planes(image));
    float least = image->plane[0][0], greatest = least;
    for (size_t i = 0; i < count; i++) {
        least = fminf(least, image->plane[0][i]);
        greatest = fmaxf(greatest, image->plane[0][i]);
    }
    limit[0] = (double)least;
    limit[1] = (double)greatest;
}

double wp_whole_largest(const struct wp_image *image)
{
    double limit[2];
    find_limits(image, limit);
    return fmax(-limit[0], limit[1]);
}

bool wp_whole_check_range(struct wp_transform *transform, const struct wp_image *image,
                          const char *path)
{
    double limit[2];
    find_limits(image, limit);
    return wp_description_check_range(wp_transform_description(transform), path, limit[0],
                                      limit[1]);
}

void wp_whole_unsign_zeros(struct wp_image *coefficients)
{
    const size_t count = count_of(coefficients, coefficients->planes);
    for (size_t i = 0; i < count; i++)
        coefficients->plane[0][i] += 0.0F; // -0 + 0 is 0
}

void wp_whole_scale(struct wp_image *image, double factor, bool whole)
{
    const size_t count = count_of(image, image->planes);
    for (size_t i = 0; i < count; i++) {
        const double value = (double)image->plane[0][i] * factor;
        image->plane[0][i] = (float)(whole ? rint(value) : value);
    }
}
