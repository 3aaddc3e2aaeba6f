#include "integer_samples_view.h"

#include "log.h"

#include <math.h>

static size_t count_of(const struct wp_plane *plane)
{
    return (size_t)plane->width * (size_t)plane->height * (size_t)plane->depth;
}

bool wp_integer_view_check(const struct wp_plane *plane, const struct wp_description *description)
{
    const size_t width = (size_t)plane->width, count = count_of(plane);
    // Rounding error of the division and multiplication in floats is below this.
    const float off = plane->unit > 1 ? 0.01F : 0;
    float least = 0, greatest = 0;
    for (size_t i = 0; i < count; i++) {
        const float value = plane->samples[i] * plane->unit;
        if (!(fabsf(value - rintf(value)) <= off))
            return wp_fail(WP_ERROR_USAGE, "the sample in column %zu, row %zu is %.9g, and a "
                                           "reversible transform requires integers"
                                           "\nhint: single channels of a color image have integers",
                           i % width, i / width, (double)value);
        least = fminf(least, value);
        greatest = fmaxf(greatest, value);
    }
    return wp_description_check_range(description, "the image", rint((double)least),
                                      rint((double)greatest));
}

void wp_integer_view_enter(const struct wp_plane *plane, const float *from, float *to)
{
    const size_t count = count_of(plane);
    for (size_t i = 0; i < count; i++)
        to[i] = rintf(from[i] * plane->unit);
}

void wp_integer_view_leave(const struct wp_plane *plane, float *samples)
{
    const size_t count = count_of(plane);
    for (size_t i = 0; i < count; i++)
        samples[i] /= plane->unit;
}
