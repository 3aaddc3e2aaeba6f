#include "edit_bands.h"

#include "memory.h"
#include "suggest.h"
#include "text.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int smaller(int a, int b)
{
    return a < b ? a : b;
}

// The number of decompositions of an axis down to `level`; an axis of one sample is not decomposed.
static int halvings(const struct wp_description *d, int axis, int level)
{
    int count = 0;
    while (count < level && wp_description_size(d, axis, count) > 1)
        count++;
    return count;
}

double wp_edit_unit(const struct wp_description *d, int index)
{
    const struct wp_lifting given =
        wp_lifting_make(d->wavelet, WP_FORWARD, d->norm, d->border);
    const struct wp_lifting orthonormal =
        wp_lifting_make(d->wavelet, WP_FORWARD, WP_NORM_ORTHONORMAL, d->border);
    const double low = orthonormal.gain[0] / given.gain[0];
    const double high = orthonormal.gain[1] / given.gain[1];
    const struct wp_subband subband = wp_subband_describe(d, index);
    double unit = 1;
    for (int a = 0; a < WP_DIMS_MAX; a++) {
        const int level = a == WP_Z ? smaller(subband.level_z, d->levels_z)
                                    : smaller(subband.level, d->levels);
        const int count = halvings(d, a, level);
        if (subband.band >> a & 1)
            unit *= pow(low, count - 1) * high;
        else
            unit *= pow(low, count);
    }
    return unit;
}

static struct wp_edit_piece piece_of(const struct wp_description *d, int index)
{
    return (struct wp_edit_piece){wp_subband_describe(d, index).grid, wp_edit_unit(d, index)};
}

// True if subbands have the same name, except for the level of axes along which both are low: a
// group with fewer levels has its low bands at another level.
static bool is_same_band(const struct wp_subband *a, const struct wp_subband *b)
{
    const unsigned across = 1U << WP_X | 1U << WP_Y, along = 1U << WP_Z;
    return a->band == b->band && (!(a->band & across) || a->level == b->level) &&
           (!(a->band & along) || a->level_z == b->level_z);
}

static void add_last_group(struct wp_edit_bands *b, int depth)
{
    const struct wp_description d = wp_description_group(b->target->description, depth);
    for (int i = 0; i < wp_subband_count(&d); i++) {
        const struct wp_subband subband = wp_subband_describe(&d, i);
        int k = 0;
        while (!is_same_band(&b->band[k].subband, &subband))
            k++;
        b->band[k].last = piece_of(&d, i);
    }
}

static size_t rows_of(const struct wp_edit_piece *piece)
{
    const int *size = piece->grid.size;
    return size[WP_X] > 0 ? (size_t)size[WP_Y] * (size_t)size[WP_Z] : 0;
}

bool wp_edit_bands_make(const struct wp_edit_target *target, struct wp_edit_bands *b)
{
    const struct wp_description *d = target->description;
    const int depth = wp_description_depth(d), rest = target->depth % depth;
    *b = (struct wp_edit_bands){.target = target, .groups = target->depth / depth,
                                .count = wp_subband_count(d)};
    b->band = wp_allocate((size_t)b->count, sizeof *b->band, "a list of bands");
    if (!b->band)
        return false;
    for (int i = 0; i < b->count; i++) {
        b->band[i].subband = wp_subband_describe(d, i);
        b->band[i].full = piece_of(d, i);
        wp_subband_name(&b->band[i].subband, b->band[i].name);
    }
    if (rest)
        add_last_group(b, rest);
    for (int i = 0; i < b->count; i++)
        b->band[i].rows = (size_t)b->groups * rows_of(&b->band[i].full) +
                          rows_of(&b->band[i].last);
    return true;
}

void wp_edit_bands_free(struct wp_edit_bands *b)
{
    free(b->band);
    b->band = NULL;
}

struct wp_edit_row wp_edit_row(const struct wp_edit_bands *b, int band, int plane, size_t row)
{
    const struct wp_edit_band *of = &b->band[band];
    const struct wp_description *d = b->target->description;
    const size_t in_group = rows_of(&of->full);
    const size_t group = in_group ? row / in_group : 0;
    const bool is_last = group >= (size_t)b->groups || in_group == 0;
    const struct wp_edit_piece *piece = is_last ? &of->last : &of->full;
    const size_t first = is_last ? (size_t)b->groups : group;
    const size_t within = row - first * in_group;
    const struct wp_band_grid *g = &piece->grid;
    const size_t height = (size_t)g->size[WP_Y];
    const size_t z = first * (size_t)wp_description_depth(d) + (size_t)g->first[WP_Z] +
                     within / height * (size_t)g->every[WP_Z];
    const size_t y = (size_t)g->first[WP_Y] + within % height * (size_t)g->every[WP_Y];
    const size_t slice = (size_t)plane * (size_t)b->target->depth + z;
    const size_t line = slice * (size_t)d->size[WP_Y] + y;
    return (struct wp_edit_row){
        .at = b->target->coefficients + line * (size_t)d->size[WP_X] + g->first[WP_X],
        .count = g->size[WP_X],
        .step = g->every[WP_X],
        .unit = piece->unit,
    };
}

int wp_edit_bands_find(const struct wp_edit_bands *b, const char *name, size_t length)
{
    char word[2 * WP_BAND_NAME_SIZE];
    snprintf(word, sizeof word, "%.*s", (int)(length < sizeof word ? length : sizeof word), name);
    struct wp_lookup lookup = {.name = word};
    struct wp_text list = {0};
    int found = -1;
    for (int i = 0; i < b->count && found < 0; i++) {
        // Images of one row or column have no high bands along that axis.
        if (b->band[i].rows == 0)
            continue;
        wp_text_add(&list, "%s%s", list.length ? ", " : "there are ", b->band[i].name);
        if (wp_lookup_is(&lookup, b->band[i].name))
            found = i;
    }
    if (found < 0)
        wp_lookup_fail(&lookup, wp_text_get(&list), "unknown band '%s'", word);
    wp_text_free(&list);
    return found;
}

double wp_edit_band_samples(const struct wp_edit_bands *b, int band)
{
    const struct wp_edit_band *of = &b->band[band];
    return (double)b->groups * (double)rows_of(&of->full) * of->full.grid.size[WP_X] +
           (double)rows_of(&of->last) * of->last.grid.size[WP_X];
}
