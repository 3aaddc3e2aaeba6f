#include "whole.h"

#include "log.h"
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
    const struct wp_description *d = wp_transform_description(transform);
    double limit[2];
    find_limits(image, limit);
    const double room = wp_description_room(d, limit[0], limit[1]);
    if (room < 0)
        return false;
    return room >= 1 ||
           wp_fail(WP_ERROR_FILE,
                   "%s: samples from %.0f to %.0f are too large for %d reversible level%s of %s, "
                   "whose sums are exact in floats up to %.0f to %.0f%s",
                   path, limit[0], limit[1], d->levels, d->levels == 1 ? "" : "s",
                   d->wavelet->name, -floor(-limit[0] * room), floor(limit[1] * room),
                   d->levels > 1 ? "\nhint: fewer levels (-l) leave more room" : "");
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
