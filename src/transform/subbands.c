#include "subbands.h"

#include "min_max.h"

#include <stdio.h>
#include <string.h>

// A spatial-temporal description as one for the plane and one for the z axis; its bands are pairs
// of their bands.
struct parts {
    struct wp_description plane, time;
};

static struct parts parts_of(const struct wp_description *d)
{
    struct parts parts = {*d, *d};
    parts.plane.decomposition = parts.time.decomposition = WP_DECOMPOSITION_DYADIC;
    parts.plane.levels_z = 0;
    parts.time.levels = 0;
    return parts;
}

static bool is_temporal(const struct wp_description *d)
{
    return d->decomposition == WP_DECOMPOSITION_SPATIAL_TEMPORAL && wp_description_depth(d) > 1;
}

// The bands of a level, numbered from 1 on: the nonempty subsets of its axes, in the order of enum
// wp_band, or for the starlet only all axes. 0 is the low band.
static enum wp_band band_at(const struct wp_description *d, int level, int rank)
{
    const unsigned axes = wp_description_axes(d, level);
    unsigned band = 0;
    if (d->bank == WP_BANK_STARLET)
        return rank > 0 ? (enum wp_band)axes : WP_BAND_LL;
    for (int a = 0; a < WP_DIMS_MAX; a++) {
        if (!(axes >> a & 1))
            continue;
        band |= (unsigned)(rank & 1) << a;
        rank >>= 1;
    }
    return (enum wp_band)band;
}

static int rank_of(const struct wp_description *d, int level, enum wp_band band)
{
    int rank = 0;
    while (band_at(d, level, rank) != band && rank < WP_OCTET_BANDS)
        rank++;
    return rank;
}

int wp_subband_count(const struct wp_description *d)
{
    if (d->bank == WP_BANK_PACKETS)
        return wp_packet_leaves(d);
    if (is_temporal(d)) {
        const struct parts parts = parts_of(d);
        return wp_subband_count(&parts.plane) * wp_subband_count(&parts.time);
    }
    int count = 1;
    for (int l = wp_description_levels(d); l > 0; l--)
        count += wp_description_bands(d, l);
    return count;
}

int wp_subband_number(const struct wp_description *d, int level, enum wp_band band)
{
    int before = 0;
    for (int l = wp_description_levels(d); l > level && band != WP_BAND_LL; l--)
        before += wp_description_bands(d, l);
    return before + rank_of(d, level, band);
}

int wp_subband_at(const struct wp_description *d, int index, enum wp_band *band)
{
    int level = wp_description_levels(d);
    *band = WP_BAND_LL;
    if (index == 0)
        return level;
    for (; index > wp_description_bands(d, level); level--)
        index -= wp_description_bands(d, level);
    *band = band_at(d, level, index);
    return level;
}

struct wp_band_grid wp_description_band(const struct wp_description *d, int level,
                                        enum wp_band band)
{
    const int size[] = {d->size[WP_X], d->size[WP_Y], wp_description_depth(d)};
    const int levels[] = {wp_min(level, d->levels), wp_min(level, d->levels),
                          wp_min(level, d->levels_z)};
    const int samples[WP_DIMS_MAX] = {0};
    if (wp_description_is_redundant(d) && level > 0) {
        struct wp_band_grid whole = wp_band_grid(size, samples, 0, WP_LAYOUT_MALLAT);
        const int stack = wp_description_stack(d);
        whole.first[stack] = wp_subband_number(d, level, band) * size[stack];
        return whole;
    }
    struct wp_band_grid grid = wp_band_grid(size, levels, band, d->layout);
    for (int a = 0; a < WP_DIMS_MAX; a++) {
        if (!wp_description_expands(d, a) || levels[a] == 0)
            continue;
        grid.size[a] = wp_description_size(d, a, levels[a]);
        grid.first[a] = band >> a & 1 ? wp_description_first(d, a, levels[a]) : 0;
    }
    return grid;
}

// A tree that is only the root has the samples, "".
static struct wp_subband describe_packet(const struct wp_description *d, int index)
{
    const struct wp_packet leaf = wp_packet_leaf(d, index);
    struct wp_subband band = {.letters = "", .level = leaf.level, .level_z = leaf.level,
                              .grid = leaf.grid};
    unsigned high = 0;
    for (int a = 0; a < WP_DIMS_MAX; a++)
        high |= leaf.index[a] ? 1U << a : 0U;
    band.band = (enum wp_band)high;
    memcpy(band.index, leaf.index, sizeof band.index);
    wp_packet_name(d, &leaf, band.node);
    return band;
}

struct wp_subband wp_subband_describe(const struct wp_description *d, int index)
{
    enum wp_band band, along_z;
    if (d->bank == WP_BANK_PACKETS)
        return describe_packet(d, index);
    if (!is_temporal(d)) {
        const int level = wp_subband_at(d, index, &band);
        const bool volume = wp_description_depth(d) > 1 || d->levels_z > 0;
        const char *letters = d->bank == WP_BANK_STARLET ? wp_starlet_band_names[band != WP_BAND_LL]
                              : volume                   ? wp_octet_band_names[band]
                                                         : wp_band_names[band];
        return (struct wp_subband){letters, band, level, level,
                                   wp_description_band(d, level, band), "", {0}};
    }
    const struct parts parts = parts_of(d);
    const int count = wp_subband_count(&parts.plane);
    const int level = wp_subband_at(&parts.plane, index % count, &band);
    const int level_z = wp_subband_at(&parts.time, index / count, &along_z);
    struct wp_band_grid grid = wp_description_band(&parts.plane, level, band);
    const struct wp_band_grid time = wp_description_band(&parts.time, level_z, along_z);
    grid.size[WP_Z] = time.size[WP_Z];
    grid.first[WP_Z] = time.first[WP_Z];
    grid.every[WP_Z] = time.every[WP_Z];
    return (struct wp_subband){wp_temporal_band_names[band | along_z], band | along_z, level,
                                  level_z, grid, "", {0}};
}

void wp_subband_name(const struct wp_subband *band, char name[WP_BAND_NAME_SIZE])
{
    const char *along_z = strchr(band->letters, '.');
    if (band->node[0])
        snprintf(name, WP_BAND_NAME_SIZE, "%s", band->node);
    else if (along_z)
        snprintf(name, WP_BAND_NAME_SIZE, "%.2s%d%s%d", band->letters, band->level, along_z,
                 band->level_z);
    else
        snprintf(name, WP_BAND_NAME_SIZE, "%s%d", band->letters, band->level);
}
