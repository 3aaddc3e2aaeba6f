#include "border.h"

bool wp_border_is_split(const struct wp_description *d, int axis, int level)
{
    return wp_description_transformed(d) >> axis & 1 &&
           wp_description_axes(d, level + 1) >> axis & 1;
}

bool wp_border_has_weights(const struct wp_description *d)
{
    return d->border == WP_BORDER_SYMMETRIC && d->wavelet->symmetry == WP_SYMMETRY_WHOLE;
}

// Has the transform the size of the extended samples? Else that of the coefficients.
static bool is_extended(const struct wp_description *d)
{
    return (d->direction == WP_FORWARD) != d->adjoint;
}

struct wp_border_axis wp_border_axis(const struct wp_description *d, int axis, int level)
{
    const int n = wp_description_size(d, axis, level), b = wp_description_size(d, axis, level + 1);
    if (!wp_border_is_split(d, axis, level) || wp_border_has_weights(d))
        return (struct wp_border_axis){n, 0, 0};
    if (wp_description_taps(d) == 0 || d->border == WP_BORDER_PYWT_PERIODIZATION)
        return (struct wp_border_axis){2 * b, 0, 0};
    const int taps = wp_description_taps(d), first = taps / 4;
    if (!is_extended(d))
        return (struct wp_border_axis){2 * b, 0, 1 - taps / 2};
    const int end = 2 * (first + b - 1) + taps / 2 + 1;
    return (struct wp_border_axis){end + end % 2, first, 1 - taps / 2 - 2 * first};
}

struct wp_description wp_border_level(const struct wp_description *d, int level)
{
    struct wp_description one = *d;
    one.border = wp_border_has_weights(d) ? WP_BORDER_SYMMETRIC : WP_BORDER_PERIODIC;
    one.axes = 0;
    one.levels = d->levels > level;
    one.levels_z = d->levels_z > level;
    for (int a = 0; a < WP_DIMS_MAX; a++)
        one.size[a] = wp_border_axis(d, a, level).size;
    return one;
}

// A map that a call has made, transposed.
static bool transpose(struct wp_axis_map *map, bool made)
{
    struct wp_axis_map given = *map;
    const bool ok = made && wp_axis_map_transpose(map, &given);
    wp_axis_map_free(&given);
    return ok;
}

bool wp_border_map(struct wp_axis_map *map, const struct wp_description *d, int axis, int level)
{
    const bool is_forward = d->direction == WP_FORWARD;
    const struct wp_border_axis x = wp_border_axis(d, axis, level);
    const int n = wp_description_size(d, axis, level);
    if (is_extended(d)) {
        const enum wp_border border =
            wp_description_taps(d) == 0 ? WP_BORDER_PYWT_CONSTANT : d->border;
        const bool made = wp_axis_map_extend(map, border, n, x.shift, x.size);
        return is_forward ? made : transpose(map, made);
    }
    return is_forward ? wp_axis_map_shift(map, n, x.shift, x.size)
                      : wp_axis_map_shift(map, x.size, -x.shift, n);
}
