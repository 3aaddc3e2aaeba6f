#include "place.h"

#include <stdint.h>

struct wp_place wp_place_dense(const struct wp_description *d, float *data)
{
    return (struct wp_place){
        .array = {
            .data = data,
            .step = {1, d->size[WP_X]},
            .plane = (ptrdiff_t)wp_description_samples(d),
        },
    };
}

struct wp_place wp_place_const(const struct wp_description *d, const float *data)
{
    return wp_place_dense(d, (float *)data);
}

int wp_place_bands(const struct wp_description *d)
{
    return 1 + (WP_BAND_COUNT - 1) * d->levels;
}

int wp_place_band_number(const struct wp_description *d, int level, enum wp_band band)
{
    return band == WP_BAND_LL ? 0 : (WP_BAND_COUNT - 1) * (d->levels - level) + (int)band;
}

struct wp_view wp_place_band(const struct wp_description *d, const struct wp_place *place,
                             int level, enum wp_band band, int plane)
{
    if (place->band && level > 0) {
        struct wp_view view = place->band[wp_place_band_number(d, level, band)];
        view.data += plane * view.plane;
        return view;
    }
    const struct wp_band_grid grid =
        wp_band_grid(d->size[WP_X], d->size[WP_Y], level, band, d->layout);
    struct wp_view view = place->array;
    view.data += plane * view.plane;
    for (int a = WP_X; a <= WP_Y; a++) {
        view.data += grid.first[a] * view.step[a];
        view.step[a] *= grid.every;
    }
    return view;
}

// The first byte and the one behind the last.
struct extent {
    uintptr_t first, end;
};

static struct extent extent_of(const struct wp_view *view, const int size[2], int planes)
{
    const ptrdiff_t last = (size[WP_X] - 1) * view->step[WP_X] +
                           (size[WP_Y] - 1) * view->step[WP_Y] + (planes - 1) * view->plane;
    return (struct extent){(uintptr_t)view->data, (uintptr_t)(view->data + last + 1)};
}

static struct extent extent_of_band(const struct wp_description *d, const struct wp_place *place,
                                    int i)
{
    const int level = i == 0 ? d->levels : d->levels - (i - 1) / (WP_BAND_COUNT - 1);
    const enum wp_band band = i == 0 ? WP_BAND_LL : (enum wp_band)(1 + (i - 1) % 3);
    const struct wp_band_grid grid =
        wp_band_grid(d->size[WP_X], d->size[WP_Y], level, band, d->layout);
    return grid.size[WP_X] && grid.size[WP_Y]
               ? extent_of(&place->band[i], grid.size, wp_description_planes(d))
               : (struct extent){0};
}

static int extents(const struct wp_place *place, const struct wp_description *d)
{
    return place->band ? wp_place_bands(d) : 1;
}

static struct extent extent_at(const struct wp_description *d, const struct wp_place *place, int i)
{
    return place->band ? extent_of_band(d, place, i)
                       : extent_of(&place->array, d->size, wp_description_planes(d));
}

bool wp_place_overlaps(const struct wp_description *d, const struct wp_place *from,
                       const struct wp_place *to)
{
    for (int i = 0; i < extents(from, d); i++) {
        for (int k = 0; k < extents(to, d); k++) {
            const struct extent a = extent_at(d, from, i), b = extent_at(d, to, k);
            if (a.first < b.end && b.first < a.end)
                return true;
        }
    }
    return false;
}
