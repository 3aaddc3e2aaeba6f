// Tiles of volumes.
#include "extract.h"

#include <math.h>
#include <string.h>

// Slices through many groups with more tiles than this are drawn as one tile with one range.
enum { SLICE_TILES_MAX = 400 };

static const int axis_of_pane[WP_SLICE_PANES] = {
    [WP_PANE_Z] = WP_Z, [WP_PANE_Y] = WP_Y, [WP_PANE_X] = WP_X, [WP_PANE_FOURTH] = WP_Z,
};

int wp_slices_axis(const struct wp_viewer *v)
{
    return axis_of_pane[v->state.pane == WP_PANE_FOURTH ? v->slices.pane : v->state.pane];
}

void wp_slices_step(struct wp_viewer *v, int axis, int step)
{
    const int most = v->slices.size[axis] - 1, at = v->state.cross[axis];
    v->state.cross[axis] = step < -at ? 0 : step > most - at ? most : at + step;
}

static int mode_of_axis(const struct wp_viewer *v, int axis)
{
    const int shows = v->state.shows[axis] - 1;
    return shows >= 0 && wp_slices_have_mode(shows) ? shows : v->state.mode;
}

bool wp_slices_show(const struct wp_viewer *v, enum wp_view_mode mode)
{
    bool shown = v->state.mode == (int)mode;
    for (int a = 0; a < WP_DIMS_MAX; a++)
        shown = shown || mode_of_axis(v, a) == (int)mode;
    return shown;
}

int wp_slices_group(const struct wp_viewer *v)
{
    const struct wp_instance_volume *volume = v->instance[WP_A]->volume;
    int first;
    const struct wp_description d = wp_instance_volume_group(volume, 0, &first);
    return wp_instance_volume_groups(volume) > 1 ? wp_description_depth(&d) : 0;
}

// Adds a slice of the complete array at the crosshair.
static void add_array_slice(struct wp_viewer *v, const struct wp_pane *pane, int mode)
{
    const int axis = pane->orientation.axis;
    struct wp_extract c = {.size = {v->slices.size[0], v->slices.size[1], v->slices.size[2]}};
    c.first[axis] = c.origin[axis] = v->state.cross[axis];
    c.size[axis] = 1;
    wp_extract_add(v, pane, &pane->orientation, &c);
    struct wp_tile *tile = &v->tile[v->tiles - 1];
    const bool impulse = mode == WP_VIEW_RECONSTRUCTION && v->state.impulse;
    if (impulse || mode == WP_VIEW_MOSAIC) {
        const struct wp_measure *m = &v->results.band[1][WP_BAND_HL];
        tile->picture = false;
        tile->high = (float)wp_measure_spread(impulse ? &v->results.image : m, v->state.impulse);
    }
}

// Adds slices of bands of a redundant bank, which have the size of the volume: those of the
// selected level, arranged like decimated ones, with low-pass along the axis before high-pass; of a
// starlet all planes in rows. Their positions are not those of the volume, so the pane is not
// linked.
static void add_redundant_bands(struct wp_viewer *v, struct wp_pane *pane,
                                const struct wp_volume_group *g)
{
    const struct wp_orientation *f = &pane->orientation;
    const bool starlet = g->d.bank == WP_BANK_STARLET;
    const int count = wp_subband_count(&g->d);
    const float wide = v->slices.unit[f->across] * (float)g->d.size[f->across];
    const float tall = v->slices.unit[f->down] * (float)g->d.size[f->down];
    const float gap = 0.02F * fmaxf(wide, tall);
    const int columns = (int)ceilf(sqrtf((float)count * tall / wide));
    pane->extent[0] = pane->extent[1] = 0;
    pane->independent = true;
    for (int i = 0; i < count; i++) {
        enum wp_band band;
        const int level = wp_subband_at(&g->d, i, &band);
        const bool high = band >> f->axis & 1, below = wide > 1.15F * tall;
        int column = i % columns, row = i / columns;
        if (!starlet && level != v->state.level)
            continue;
        if (!starlet) {
            column = (int)(band >> f->across & 1) + (high && !below ? 2 : 0);
            row = (int)(band >> f->down & 1) + (high && below ? 2 : 0);
        }
        struct wp_extract c = wp_extract_of(g, level, band);
        const float x = (float)column * (wide + gap), y = (float)row * (tall + gap);
        c.first[f->axis] += wp_extract_at_cross(g, &c, f->axis);
        c.origin[f->axis] = v->state.cross[f->axis];
        c.size[f->axis] = 1;
        c.x = x / v->slices.unit[f->across];
        c.y = y / v->slices.unit[f->down];
        c.arranged = true;
        wp_extract_add(v, pane, f, &c);
        pane->extent[0] = fmaxf(pane->extent[0], x + wide);
        pane->extent[1] = fmaxf(pane->extent[1], y + tall);
    }
}

// Adds the bands that a slice of the array intersects.
static void add_mosaic(struct wp_viewer *v, const struct wp_pane *pane,
                       const struct wp_volume_group *g)
{
    const struct wp_orientation *f = &pane->orientation;
    for (int i = 0; i < wp_subband_count(&g->d); i++) {
        enum wp_band band;
        const int level = wp_subband_at(&g->d, i, &band);
        struct wp_extract c = wp_extract_of(g, level, band);
        const int at = v->state.cross[f->axis];
        if (at < c.first[f->axis] || at >= c.first[f->axis] + c.size[f->axis])
            continue;
        c.first[f->axis] = at;
        c.size[f->axis] = 1;
        memcpy(c.origin, c.first, sizeof c.origin);
        c.x = (float)c.first[f->across];
        c.y = (float)c.first[f->down];
        c.arranged = true;
        wp_extract_add(v, pane, &pane->orientation, &c);
    }
}

// Adds the selected band, scaled to the size of the volume.
static void add_band(struct wp_viewer *v, const struct wp_pane *pane,
                     const struct wp_volume_group *g)
{
    const struct wp_orientation *f = &pane->orientation;
    const enum wp_band band = (enum wp_band)v->state.band;
    const bool low = band == WP_BAND_LL;
    const int level = low ? wp_description_levels(&g->d) : v->state.level;
    if (!low && ((unsigned)band & ~wp_description_axes(&g->d, level)))
        return;
    struct wp_extract c = wp_extract_of(g, level, band);
    for (int a = 0; a < WP_DIMS_MAX; a++) {
        c.shift[a] = wp_slices_shift(&g->d, a, level);
        c.origin[a] = wp_volume_origin(&g->d, a, level);
    }
    const int at = wp_extract_at_cross(g, &c, f->axis);
    c.origin[WP_Z] += g->first;
    c.origin[f->axis] += at << c.shift[f->axis];
    c.first[f->axis] += at;
    c.size[f->axis] = c.size[f->axis] > 0;
    c.level = low ? wp_description_levels(&v->instance[WP_A]->description) : level;
    c.x = f->across == WP_Z ? (float)g->first : 0;
    c.y = f->down == WP_Z ? (float)g->first : 0;
    wp_extract_add(v, pane, &pane->orientation, &c);
}

// Samples along an axis that a pane has room for: those of the volume, or of the array of
// coefficients, or of the selected band, if that are more.
static int shown_size(const struct wp_viewer *v, int mode, int axis)
{
    const struct wp_instance *a = v->instance[WP_A];
    const int level = v->state.band == WP_BAND_LL ? wp_description_levels(&a->description)
                                                  : v->state.level;
    const int size = v->slices.size[axis], shift = wp_slices_shift(&a->description, axis, level);
    const int band = wp_description_size(&a->description, axis, level) << shift;
    if (!wp_description_expands(&a->description, axis))
        return size;
    return mode == WP_VIEW_MOSAIC                ? a->volume->extent[axis]
           : mode == WP_VIEW_BAND && band > size ? band
                                                 : size;
}

static void add_slice(struct wp_viewer *v, struct wp_pane *pane)
{
    const struct wp_orientation *f = &pane->orientation;
    const int groups = wp_instance_volume_groups(v->instance[WP_A]->volume);
    const struct wp_description *d = &v->instance[WP_A]->description;
    const bool many = f->axis != WP_Z && groups > SLICE_TILES_MAX / wp_subband_count(d);
    const bool image = pane->mode == WP_VIEW_ORIGINAL || pane->mode == WP_VIEW_RECONSTRUCTION;
    for (int i = 0; i < 2; i++) {
        const int axis = i ? f->down : f->across, size = shown_size(v, pane->mode, axis);
        pane->extent[i] = v->slices.unit[axis] * (float)size;
    }
    if (!image && many)
        pane->mode = WP_VIEW_MOSAIC;
    if (!image && wp_description_levels(d) == 0)
        pane->mode = WP_VIEW_ORIGINAL;
    if (image || many || wp_description_levels(d) == 0) {
        add_array_slice(v, pane, pane->mode);
        return;
    }
    for (int i = 0; i < groups; i++) {
        const struct wp_volume_group g = wp_volume_group(v, i, f->axis);
        if (g.met && pane->mode == WP_VIEW_BAND)
            add_band(v, pane, &g);
        else if (wp_description_is_redundant(d))
            add_redundant_bands(v, pane, &g);
        else if (g.met)
            add_mosaic(v, pane, &g);
    }
}

// Adds slices of all bands of the selected level at the crosshair: on one side lowpass along the
// axis, with the coarser levels inside, on the other side highpass.
static void add_bands(struct wp_viewer *v, struct wp_pane *pane)
{
    const struct wp_orientation *f = &pane->orientation;
    const int depth = wp_description_depth(&v->instance[WP_A]->description);
    const struct wp_volume_group g = wp_volume_group(v, v->state.cross[WP_Z] / depth, f->axis);
    if (wp_description_is_redundant(&g.d)) {
        add_redundant_bands(v, pane, &g);
        return;
    }
    const int deepest = wp_description_levels(&g.d); // a shorter last group may have fewer levels
    const int level = v->state.level < deepest ? v->state.level : deepest;
    int size[2];
    float extent[2];
    for (int i = 0; i < 2; i++) {
        const int axis = i ? f->down : f->across;
        size[i] = wp_volume_size(&g.d, axis, level - 1);
        extent[i] = v->slices.unit[axis] * (float)size[i];
    }
    const float gap = ceilf(0.04F * (float)(size[0] > size[1] ? size[0] : size[1]));
    const bool below = extent[0] > 1.15F * extent[1];
    const bool both = wp_description_axes(&g.d, level) >> f->axis & 1;
    pane->independent = true;
    for (int i = 0; i < wp_subband_count(&g.d); i++) {
        enum wp_band band;
        struct wp_extract c;
        const int of = wp_subband_at(&g.d, i, &band);
        const bool high = band >> f->axis & 1;
        if (of < level || (of > level && high))
            continue;
        c = wp_extract_of(&g, of, band);
        if (c.size[f->axis] == 0)
            continue;
        c.x = (float)(c.first[f->across] - (f->across == WP_Z ? g.first : 0));
        c.y = (float)(c.first[f->down] - (f->down == WP_Z ? g.first : 0));
        c.x += high && !below ? (float)size[0] + gap : 0;
        c.y += high && below ? (float)size[1] + gap : 0;
        c.arranged = true;
        wp_extract_take_slice(&g, &c, f->axis);
        wp_extract_add(v, pane, &pane->orientation, &c);
    }
    pane->extent[0] =
        extent[0] + (both && !below ? extent[0] + gap * v->slices.unit[f->across] : 0);
    pane->extent[1] = extent[1] + (both && below ? extent[1] + gap * v->slices.unit[f->down] : 0);
}

// The array of a plane that a mode shows, and its version. Sets its size, and the descriptions of
// its bands.
static const float *array_of(const struct wp_viewer *v, int ab, int plane, int mode,
                             struct wp_slice_array *array, unsigned *version)
{
    const struct wp_instance *instance = &v->instance[ab][plane];
    const bool coefficients = mode != WP_VIEW_ORIGINAL && mode != WP_VIEW_RECONSTRUCTION;
    array->size = coefficients ? instance->volume->extent : instance->volume->size;
    if (coefficients && ab == WP_B) {
        array->tiles = &v->instance[WP_A]->description;
        array->bands = &instance->description;
    }
    *version = v->computed[ab];
    if (mode == WP_VIEW_RECONSTRUCTION)
        return instance->volume->image;
    if (mode != WP_VIEW_ORIGINAL)
        return instance->volume->edited;
    *version = instance->plane.version;
    return instance->plane.samples;
}

// The slab has the requested number of slices also near the ends of the volume.
void wp_slices_slab(const struct wp_viewer *v, int axis, int *first, int *end)
{
    const int size = v->slices.size[axis], requested = v->state.slab;
    const int count = requested > 0 && requested < size ? requested : size;
    *first = v->state.cross[axis] - (count - 1) / 2;
    if (*first > size - count)
        *first = size - count;
    if (*first < 0)
        *first = 0;
    *end = *first + count;
}

// Updates the texture of a pane's tiles. False after an error, or if the array does not exist.
static bool fill(struct wp_viewer *v, const struct wp_pane *pane, int ab)
{
    struct wp_slice_texture *texture = &v->slices.of[pane->number][ab];
    const unsigned long long before = texture->contents;
    struct wp_slice_array array[WP_COLOURS] = {{0}};
    unsigned version = 0;
    for (int p = 0; p < wp_viewer_planes(v, WP_A); p++) {
        array[p].samples = array_of(v, ab, p, pane->mode, &array[p], &version);
        if (pane->number == WP_PANE_FOURTH && v->state.fourth == WP_FOURTH_MIP)
            wp_slices_slab(v, pane->orientation.axis, &array[p].slab[0], &array[p].slab[1]);
    }
    const bool ok = pane->tiles == 0 ||
                    (array->samples && wp_slices_fill(v, pane, ab, texture, array, version));
    v->slices.version += texture->contents != before;
    return ok;
}

bool wp_slices_compare(const struct wp_viewer *v, const struct wp_pane *pane)
{
    const bool image = pane->mode == WP_VIEW_ORIGINAL || pane->mode == WP_VIEW_RECONSTRUCTION;
    return wp_viewer_comparing(v) && (image || v->state.a.bank == v->state.b.bank);
}

static void make_pane(struct wp_viewer *v, int number)
{
    const struct wp_view_state *s = &v->state;
    const bool fourth = number == WP_PANE_FOURTH, mip = fourth && s->fourth == WP_FOURTH_MIP;
    const bool cube = fourth && s->fourth == WP_FOURTH_CUBE;
    const int axis = !fourth || cube ? axis_of_pane[number] : mip ? s->mip : wp_slices_axis(v);
    struct wp_pane *pane = &v->pane[v->panes++];
    *pane = (struct wp_pane){
        .number = number, .first = v->tiles,
        .orientation =
            wp_orientation_of(&wp_viewer_source(v, WP_A)->geometry, axis, s->radiological),
        .mode = mode_of_axis(v, axis),
    };
    const int levels = wp_description_levels(&v->instance[WP_A]->description);
    if (mip)
        pane->mode = s->mode == WP_VIEW_RECONSTRUCTION ? s->mode : WP_VIEW_ORIGINAL;
    else if (fourth)
        pane->mode = WP_VIEW_MOSAIC;
    if (cube && levels > 0)
        wp_cube_add(v, pane);
    else if (fourth && !mip && levels > 0)
        add_bands(v, pane);
    else
        add_slice(v, pane);
    pane->tiles = v->tiles - pane->first;
    bool ok = fill(v, pane, WP_A);
    if (wp_slices_compare(v, pane))
        ok = fill(v, pane, WP_B) && ok;
    if (!ok) {
        v->tiles = pane->first;
        pane->tiles = 0;
    }
}

void wp_slices_make(struct wp_viewer *v)
{
    const struct wp_view_state *s = &v->state;
    if (s->pane != WP_PANE_FOURTH)
        v->slices.pane = s->pane;
    // Limit the crosshair to the volume.
    const struct wp_plane *plane = &v->instance[WP_A]->plane;
    const int size[WP_DIMS_MAX] = {plane->width, plane->height, plane->depth};
    for (int a = 0; a < WP_DIMS_MAX; a++) {
        int *at = &v->state.cross[a];
        *at = *at < 0 ? size[a] / 2 : *at < size[a] ? *at : size[a] - 1;
        v->slices.size[a] = size[a];
    }
    wp_orientation_units(&wp_viewer_source(v, WP_A)->geometry, v->slices.unit);
    v->panes = v->tiles = 0;
    const bool side_by_side = wp_viewer_comparing(v) && s->compare == WP_COMPARE_SIDE;
    if (side_by_side || s->single) {
        make_pane(v, s->pane);
        if (side_by_side) {
            v->pane[1] = v->pane[0];
            v->pane[v->panes++].b = true;
        }
        return;
    }
    for (int number = 0; number < WP_SLICE_PANES; number++)
        make_pane(v, number);
}

void wp_slices_free(struct wp_viewer *v)
{
    for (int p = 0; p < WP_SLICE_PANES; p++)
        for (int ab = WP_A; ab <= WP_B; ab++)
            wp_texture_destroy(&v->slices.of[p][ab].texture);
    memset(&v->slices, 0, sizeof v->slices);
}

bool wp_slices_cross(const struct wp_viewer *v, const struct wp_pane *pane, float *x, float *y)
{
    const struct wp_orientation *f = &pane->orientation;
    for (int i = pane->first; i < pane->first + pane->tiles && !pane->independent; i++) {
        const struct wp_tile *t = &v->tile[i];
        int px = (v->state.cross[f->across] - t->origin[f->across]) >> t->shift[f->across];
        int py = (v->state.cross[f->down] - t->origin[f->down]) >> t->shift[f->down];
        if (px < 0 || py < 0 || px > t->width || py > t->height)
            continue;
        // High bands of odd sizes are one sample shorter.
        const bool inside = t->shift[f->across] || t->shift[f->down];
        if (!inside && (px == t->width || py == t->height))
            continue;
        px = px < t->width ? px : t->width - 1;
        py = py < t->height ? py : t->height - 1;
        *x = t->x + ((float)(f->flip[0] ? t->width - 1 - px : px) + 0.5F) * t->unit[0];
        *y = t->y + ((float)(f->flip[1] ? t->height - 1 - py : py) + 0.5F) * t->unit[1];
        return true;
    }
    return false;
}
