// Tiles of images, and samples of tiles.
#include "pass_bands.h"
#include "polyphase_state.h"
#include "viewer_struct.h"

#include <math.h>
#include <string.h>

bool wp_viewer_comparing(const struct wp_viewer *v)
{
    // A's device may be lost after B was updated.
    return (v->state.compare != WP_COMPARE_OFF || v->state.flipped) && v->ready[WP_A] &&
           v->ready[WP_B];
}

bool wp_viewer_compares_images(const struct wp_viewer *v)
{
    const int a = v->state.a.bank, b = v->state.b.bank;
    return a != b && (a == WP_BANK_STARLET || b == WP_BANK_STARLET ||
                      v->state.mode == WP_VIEW_MIXED || v->source[WP_A].depth > 1);
}

bool wp_viewer_shows_both(const struct wp_viewer *v)
{
    const int mode = v->state.mode;
    const bool image = mode == WP_VIEW_ORIGINAL || mode == WP_VIEW_RECONSTRUCTION;
    return wp_viewer_comparing(v) && mode != WP_VIEW_PASS &&
           (image || !wp_viewer_compares_images(v));
}

struct wp_tile *wp_tile_add(struct wp_viewer *v, float x, float y, const float unit[2], int width,
                            int height)
{
    if (width <= 0 || height <= 0 || v->tiles == WP_TILES_MAX)
        return NULL;
    struct wp_tile *tile = &v->tile[v->tiles++];
    *tile = (struct wp_tile){
        .x = x, .y = y, .unit = {unit[0], unit[1]}, .width = width, .height = height,
        .face = {.across = {1, 0}, .down = {0, 1}, .shade = 1},
        .planes = wp_viewer_planes(v, WP_A),
        .names = wp_instance_band_names(v->instance[WP_A]),
        .component = 4, .stride_log = -1, .picture = true, .low = 0, .high = wp_viewer_peak(v),
    };
    v->view_width = fmaxf(v->view_width, x + unit[0] * (float)width);
    v->view_height = fmaxf(v->view_height, y + unit[1] * (float)height);
    return tile;
}

static struct wp_tile *add(struct wp_viewer *v, float x, float y, float unit, int width, int height)
{
    return wp_tile_add(v, x, y, (const float[]){unit, unit}, width, height);
}

static double band_high(const struct wp_viewer *v, int level, int band)
{
    const struct wp_measure *m = &v->results.band[level][band];
    return wp_measure_spread(m, v->state.impulse);
}

void wp_tile_set_range(const struct wp_viewer *v, struct wp_tile *tile)
{
    tile->picture = tile->band == WP_BAND_LL;
    const struct wp_measure *m = &v->results.band[tile->level][tile->band];
    if (tile->picture) {
        const bool wide = m->most > m->least && v->state.range != WP_RANGE_FIXED;
        tile->low = wide ? (float)m->least : 0;
        tile->high = wide ? (float)m->most : wp_viewer_peak(v);
    } else if (v->state.range == WP_RANGE_BAND) {
        tile->high = (float)band_high(v, tile->level, tile->band);
    } else if (v->state.range == WP_RANGE_ALL) {
        const struct wp_description *d = &v->instance[WP_A]->description;
        double high = 0;
        for (int i = 1; i < wp_subband_count(d); i++) {
            enum wp_band band;
            const int level = wp_subband_at(d, i, &band);
            high = fmax(high, band_high(v, level, (int)band));
        }
        tile->high = (float)high;
    }
}

void wp_tile_set_picture_range(const struct wp_viewer *v, struct wp_tile *tile, bool wide)
{
    const struct wp_measure *m = &v->results.original;
    if (v->state.range == WP_RANGE_FIXED || !wide || !(m->most > m->least))
        return;
    tile->low = (float)m->least;
    tile->high = (float)m->most;
}

static bool is_redundant(const struct wp_instance *instance)
{
    return wp_description_is_redundant(&instance->description);
}

// The samples of B's band next to those of A's. A decimated band has every 2^level-th coefficient
// of the undecimated one; with symmetric borders those of high bands are at odd multiples of
// 2^(level - 1), with periodic ones redundant.h shifts the undecimated band.
static void set_map(const struct wp_viewer *v, struct wp_tile *tile)
{
    const struct wp_instance *a = v->instance[WP_A], *b = v->instance[WP_B];
    const enum wp_band band = (enum wp_band)tile->band;
    if (is_redundant(a) == is_redundant(b))
        return;
    const struct wp_band_grid grid = wp_instance_band(b, tile->level, band);
    for (int axis = WP_X; axis <= WP_Y; axis++) {
        const bool high = band >> axis & 1 && v->state.border == WP_BORDER_SYMMETRIC;
        const float step = (float)(1 << tile->level), first = high ? 0.5F * step : 0;
        tile->to_b[axis] = is_redundant(b)
                               ? (struct wp_sample_map){step, first, grid.size[axis]}
                               : (struct wp_sample_map){1 / step, -first / step, grid.size[axis]};
    }
}

// Sets the coefficients of a level of A and B.
static void set_level(struct wp_viewer *v, struct wp_tile *tile, int level)
{
    const bool both = wp_viewer_shows_both(v) &&
                      wp_instance_has_band(v->instance[WP_B], level, (enum wp_band)tile->band);
    for (int ab = WP_A; ab <= (both ? WP_B : WP_A); ab++)
        for (int p = 0; p < tile->planes; p++)
            tile->quads[ab][p] = v->instance[ab][p].edited[level];
    if (both)
        set_map(v, tile);
}

static void add_band(struct wp_viewer *v, float x, float y, float unit, int level, int band)
{
    const struct wp_instance *a = v->instance[WP_A];
    const struct wp_band_grid grid = wp_instance_band(a, level, (enum wp_band)band);
    struct wp_tile *tile = add(v, x, y, unit, grid.size[WP_X], grid.size[WP_Y]);
    if (!tile)
        return;
    tile->level = level;
    tile->band = band;
    tile->component = band;
    set_level(v, tile, level);
    wp_tile_set_range(v, tile);
}

static void add_image(struct wp_viewer *v, bool reconstruction)
{
    const struct wp_plane *plane = &v->instance[WP_A]->plane;
    struct wp_tile *tile = add(v, 0, 0, 1, plane->width, plane->height);
    for (int ab = WP_A; tile && ab <= (wp_viewer_comparing(v) ? WP_B : WP_A); ab++)
        for (int p = 0; p < tile->planes; p++) {
            const struct wp_instance *instance = &v->instance[ab][p];
            tile->quads[ab][p] = reconstruction ? instance->image
                                                : (struct wp_quads){instance->plane.quads, 0, 0};
        }
    // Images within 0..peak keep that range; the inverse of an impulse is signed.
    if (tile && reconstruction && v->state.impulse) {
        tile->picture = false;
        tile->high = (float)wp_measure_spread(&v->results.image, true);
    } else if (tile) {
        const struct wp_measure *m = &v->results.original;
        wp_tile_set_picture_range(v, tile, m->least < 0 || m->most > (double)wp_viewer_peak(v));
    }
}

// The bands of the selected level at the positions of a decimated mosaic; LL of a level before the
// last one only if it was computed on textures. Of a starlet all planes in rows.
static void add_redundant_mosaic(struct wp_viewer *v)
{
    const struct wp_instance *a = v->instance[WP_A];
    const int width = a->plane.width, height = a->plane.height;
    const float gap = ceilf(0.02F * (float)(width > height ? width : height));
    const bool starlet = a->description.bank == WP_BANK_STARLET;
    const int count = starlet ? wp_subband_count(&a->description) : WP_BAND_COUNT;
    const int columns = starlet ? (int)ceil(sqrt((double)(count * height) / (double)width)) : 2;
    for (int i = 0; i < count; i++) {
        enum wp_band band = (enum wp_band)i;
        const int level = starlet ? wp_subband_at(&a->description, i, &band)
                                  : (v->state.level < a->levels ? v->state.level : a->levels);
        if (wp_instance_has_band(a, level, band))
            add_band(v, (float)(i % columns) * ((float)width + gap),
                     (float)(i / columns) * ((float)height + gap), 1, level, (int)band);
    }
}

static void add_mosaic(struct wp_viewer *v)
{
    const struct wp_description *d = &v->instance[WP_A]->description;
    if (is_redundant(v->instance[WP_A])) {
        add_redundant_mosaic(v);
        return;
    }
    for (int i = 0; i < wp_subband_count(d); i++) {
        enum wp_band band;
        const int level = wp_subband_at(d, i, &band);
        const struct wp_band_grid grid = wp_description_band(d, level, band);
        add_band(v, (float)grid.first[WP_X], (float)grid.first[WP_Y], 1, level, (int)band);
    }
}

// One row per level, one column per band; all tiles have the size of the finest level.
static void add_tree(struct wp_viewer *v)
{
    const struct wp_instance *a = v->instance[WP_A];
    const struct wp_description *d = &a->description;
    const float width = (float)wp_description_size(d, WP_X, 1);
    const float height = (float)wp_description_size(d, WP_Y, 1);
    const float gap = 0.04F * fmaxf(width, height);
    if (d->bank == WP_BANK_STARLET) {
        add_redundant_mosaic(v);
        return;
    }
    for (int l = 1; l <= a->levels; l++) {
        const float y = (float)(l - 1) * (height + gap);
        // Bands of PyWavelets' borders have more than half of the coefficients of the level before.
        const float unit = wp_description_taps(d) == 0 && !is_redundant(a)
                               ? (float)(1 << (l - 1))
                               : fminf(width / (float)wp_description_size(d, WP_X, l),
                                       height / (float)wp_description_size(d, WP_Y, l));
        for (int band = WP_BAND_HL; band < WP_BAND_COUNT; band++)
            add_band(v, (float)(band - 1) * (width + gap), y, unit, l, band);
        if (l == a->levels)
            add_band(v, 3 * (width + gap), y, unit, l, WP_BAND_LL);
    }
}

static void add_stride(struct wp_viewer *v, int level, bool low_only)
{
    const struct wp_instance *a = v->instance[WP_A];
    struct wp_tile *tile = add(v, 0, 0, 1, wp_level_size(a->plane.width, level - 1),
                               wp_level_size(a->plane.height, level - 1));
    if (!tile)
        return;
    tile->level = level;
    tile->band = low_only ? WP_BAND_LL : WP_BAND_HL;
    tile->stride_log = level - 1;
    tile->low_only = low_only;
    set_level(v, tile, level);
    wp_tile_set_range(v, tile);
}

static void add_mixed(struct wp_viewer *v)
{
    const struct wp_instance *a = v->instance[WP_A];
    for (int l = 1; l <= a->levels; l++)
        add_stride(v, l, false);
    add_stride(v, a->levels, true);
    v->view_width = (float)a->plane.width;
    v->view_height = (float)a->plane.height;
}

// Measures the four components of a tile's quads over all planes. Zeros after an error.
static void measure_components(struct wp_viewer *v, const struct wp_tile *tile,
                               struct wp_measure m[WP_COMPONENTS])
{
    struct wp_measure_request request[WP_COLOURS * WP_COMPONENTS] = {{.width = 0}};
    struct wp_measure result[WP_COLOURS * WP_COMPONENTS];
    int count = 0;
    memset(m, 0, WP_COMPONENTS * sizeof *m);
    for (int p = 0; p < tile->planes; p++)
        for (int c = 0; c < WP_COMPONENTS; c++)
            request[count++] = (struct wp_measure_request){.a = tile->quads[WP_A][p],
                                                           .width = tile->width / 2,
                                                           .height = tile->height / 2,
                                                           .component = c};
    if (!wp_meter_read(&v->meter, request, count, result))
        return;
    for (int i = 0; i < count; i++)
        wp_measure_add(&m[i % WP_COMPONENTS], result[i]);
}

// Sets the display style of each component of a surface: as an image until a prediction was
// subtracted from it, then as signed details.
static void set_styles(struct wp_viewer *v, const struct wp_schedule *schedule,
                       struct wp_tile *tile)
{
    struct wp_measure m[WP_COMPONENTS];
    float most = 0;
    measure_components(v, tile, m);
    tile->per_component = true;
    for (int c = 0; c < WP_COMPONENTS; c++) {
        struct wp_tile_style *style = &tile->style[c];
        const bool fixed = v->state.range == WP_RANGE_FIXED || !(m[c].most > m[c].least);
        *style = (struct wp_tile_style){
            .picture = !wp_polyphase_state_after(schedule, (enum wp_direction)v->state.direction,
                                                 wp_pass_shown(&v->state), c).details,
            .low = tile->low, .high = tile->high};
        if (style->picture && !fixed && !tile->picture) {
            style->low = (float)m[c].least;
            style->high = (float)m[c].most;
        } else if (!style->picture && !fixed) {
            style->high = (float)wp_measure_spread(&m[c], v->state.impulse);
        }
        most = style->picture ? most : fmaxf(most, style->high);
    }
    for (int c = 0; c < WP_COMPONENTS && v->state.range == WP_RANGE_ALL; c++)
        tile->style[c].high = tile->style[c].picture ? tile->style[c].high : most;
}

// Adds the four components of the latest tile's quads: to its right, below it if it is wide, or
// instead of it.
static void add_planes(struct wp_viewer *v)
{
    const struct wp_tile interleaved = v->tile[v->tiles - 1];
    const int width = interleaved.width / 2, height = interleaved.height / 2;
    const float gap = ceilf(0.02F * (float)(width > height ? width : height));
    const bool both = v->state.quads == WP_QUADS_BOTH, below = both && 5 * width > 6 * height;
    const float left = both && !below ? (float)interleaved.width + 2 * gap : 0;
    const float top = below ? (float)interleaved.height + 2 * gap : 0;
    v->tiles -= !both;
    for (int c = 0; c < WP_COMPONENTS; c++) {
        struct wp_tile *tile = add(v, left + (float)(c % 2) * ((float)width + gap),
                                   top + (float)(c / 2) * ((float)height + gap), 1, width, height);
        if (!tile)
            return;
        memcpy(tile->quads, interleaved.quads, sizeof tile->quads);
        tile->component = c;
        tile->picture = interleaved.style[c].picture;
        tile->low = interleaved.style[c].low;
        tile->high = interleaved.style[c].high;
    }
}

// Measures a component of samples over all planes, and sets the displayed range.
static void set_element_range(struct wp_viewer *v, struct wp_tile *tile)
{
    struct wp_measure_request request[WP_COLOURS];
    struct wp_measure result[WP_COLOURS], m = {0};
    int count = 0;
    wp_tile_request(tile, false, request, &count);
    if (v->state.range == WP_RANGE_FIXED || !wp_meter_read(&v->meter, request, count, result))
        return;
    for (int i = 0; i < count; i++)
        wp_measure_add(&m, result[i]);
    tile->low = tile->picture && m.most > m.least ? (float)m.least : 0;
    tile->high = tile->picture ? (m.most > m.least ? (float)m.most : tile->high)
                               : (float)wp_measure_spread(&m, v->state.impulse);
}

// Adds the components of a surface of a redundant bank.
static void add_elements(struct wp_viewer *v, const struct wp_pass_point *point, int surface)
{
    const struct wp_plane *plane = &v->instance[WP_A]->plane;
    const int width = plane->width, height = plane->height;
    const float gap = ceilf(0.02F * (float)(width > height ? width : height));
    const unsigned shown = wp_pass_bands(point);
    int count = 0;
    for (int c = 0; c < WP_COMPONENTS; c++) {
        if (!(shown >> c & 1))
            continue;
        struct wp_tile *tile = add(v, (float)(count % 2) * ((float)width + gap),
                                   (float)(count / 2) * ((float)height + gap), 1, width, height);
        count++;
        if (!tile)
            return;
        tile->element = true;
        tile->component = c;
        tile->picture = c == WP_BAND_LL;
        for (int p = 0; p < tile->planes; p++)
            tile->quads[WP_A][p] = (struct wp_quads){
                wp_instance_surface(&v->instance[WP_A][p], point->direction, surface), 0, 0};
        set_element_range(v, tile);
    }
}

bool wp_viewer_pass_point(struct wp_viewer *v, struct wp_pass_point *point)
{
    const struct wp_schedule *schedule =
        v->state.mode == WP_VIEW_PASS && !v->volume ? wp_viewer_schedule(v) : NULL;
    if (!schedule || !wp_schedule_is_redundant(&schedule->description))
        return false;
    *point = (struct wp_pass_point){schedule, (enum wp_direction)v->state.direction, v->state.op,
                                    v->state.before && v->state.op > 0};
    return true;
}

// Adds the surface that the last executed operation has written or read.
static void add_pass(struct wp_viewer *v)
{
    struct wp_pass_point point;
    const enum wp_direction direction = (enum wp_direction)v->state.direction;
    const struct wp_schedule *schedule = wp_instance_schedule(v->instance[WP_A], direction);
    const int number = v->state.op;
    int surface = schedule->load[0].surface, x = schedule->load[0].x, y = schedule->load[0].y;
    struct wp_rect domain = schedule->load[0].domain;
    if (number > 0) {
        const struct wp_op *op = &schedule->op[number - 1];
        const bool before = v->state.before && op->source >= 0;
        surface = before ? op->source : op->destination;
        x = before ? op->source_x : op->destination_x;
        y = before ? op->source_y : op->destination_y;
        domain = op->domain;
    }
    if (wp_viewer_pass_point(v, &point)) {
        add_elements(v, &point, surface);
        return;
    }
    const struct wp_texture *texture = wp_instance_surface(v->instance[WP_A], direction, surface);
    // Clip to the texture.
    x += domain.x;
    y += domain.y;
    const int left = x > 0 ? x : 0, top = y > 0 ? y : 0;
    const int right = x + domain.width < texture->width ? x + domain.width : texture->width;
    const int bottom = y + domain.height < texture->height ? y + domain.height : texture->height;
    struct wp_tile *tile = add(v, 0, 0, 1, 2 * (right - left), 2 * (bottom - top));
    if (!tile)
        return;
    for (int p = 0; p < tile->planes; p++)
        tile->quads[WP_A][p] = (struct wp_quads){
            wp_instance_surface(&v->instance[WP_A][p], direction, surface), left, top};
    tile->picture = number == 0 && direction == WP_FORWARD;
    set_styles(v, schedule, tile);
    if (v->state.quads != WP_QUADS_INTERLEAVED)
        add_planes(v);
}

const char *wp_viewer_lacks_mode(const struct wp_viewer *v, int mode)
{
    if (v->volume)
        return wp_slices_have_mode(mode) ? NULL : "for images only";
    return mode == WP_VIEW_MIXED && v->state.a.bank != WP_BANK_DECIMATED
               ? "for the bank 'decimated' only" : NULL;
}

void wp_viewer_make_tiles(struct wp_viewer *v)
{
    v->tiles = 0;
    v->view_width = v->view_height = 0;
    if (!v->ready[WP_A])
        return;
    const bool flat = v->instance[WP_A]->levels == 0;
    switch ((enum wp_view_mode)v->state.mode) {
    case WP_VIEW_MOSAIC: flat ? add_image(v, false) : add_mosaic(v); break;
    case WP_VIEW_TREE: flat ? add_image(v, false) : add_tree(v); break;
    case WP_VIEW_BAND:
        flat ? add_image(v, false) : add_band(v, 0, 0, 1, v->state.level, v->state.band);
        break;
    case WP_VIEW_MIXED: flat ? add_image(v, false) : add_mixed(v); break;
    case WP_VIEW_RECONSTRUCTION: add_image(v, true); break;
    case WP_VIEW_PASS: add_pass(v); break;
    case WP_VIEW_ORIGINAL:
    case WP_VIEW_MODES: add_image(v, false); break;
    }
}

const char *const *wp_tile_names(const struct wp_tile *tile)
{
    return tile->level > 0 || tile->element ? tile->names : wp_polyphase_columns;
}

int wp_tile_component(const struct wp_tile *tile, int x, int y)
{
    return tile->component < WP_COMPONENTS ? tile->component : x % 2 + 2 * (y % 2);
}

bool wp_tile_locate(const struct wp_tile *tile, int ab, int x, int y, int quad[2], int *component)
{
    const int step = tile->component < WP_COMPONENTS ? 1 : 2;
    const bool maps = ab == WP_B && tile->to_b[WP_X].scale != 0;
    quad[0] = maps ? wp_sample_map(&tile->to_b[WP_X], x) : x / step;
    quad[1] = maps ? wp_sample_map(&tile->to_b[WP_Y], y) : y / step;
    *component = wp_tile_component(tile, x, y);
    return tile->stride_log < 0 || (*component == 0) == tile->low_only;
}

void wp_tile_read(const struct wp_tile *tile, int ab, int plane, int x, int y, int width,
                  int height, float *quads)
{
    const struct wp_quads *q = &tile->quads[ab][plane];
    wp_texture_read(q->texture, q->x + x, q->y + y, width, height, quads);
}

void wp_tile_name_sample(const struct wp_tile *t, int x, int y, const char *gap,
                         struct wp_text *text)
{
    const bool mixed = t->stride_log >= 0;
    const int component = wp_tile_component(t, x, y);
    int at[WP_DIMS_MAX];
    if (t->single) {
        wp_slices_locate(t, x, y, at);
        if (t->level > 0)
            wp_text_add(text, "%s%d  ", t->names[t->band], t->level);
        wp_text_add(text, "(%d, %d, %d)", at[WP_X], at[WP_Y], at[WP_Z]);
    } else if (t->level > 0)
        wp_text_add(text, "%s%d%s(%d, %d)", t->names[mixed ? component : t->band], t->level,
                    gap, mixed ? x / 2 : x, mixed ? y / 2 : y);
    else if (t->element)
        wp_text_add(text, "%s (%d, %d)", t->names[component], x, y);
    else if (t->component < WP_COMPONENTS)
        wp_text_add(text, "%s (%d, %d)", wp_polyphase_names[component], x, y);
    else
        wp_text_add(text, "x %d  y %d", x, y);
}

void wp_tile_request(const struct wp_tile *tile, bool difference,
                     struct wp_measure_request *request, int *count)
{
    const struct wp_quads none = {NULL, 0, 0};
    const bool mixed = tile->stride_log >= 0;
    const int first = mixed && !tile->low_only ? WP_BAND_HL : 0;
    const int end = mixed && !tile->low_only ? WP_BAND_COUNT : 1;
    for (int i = 0; i < tile->planes * (end - first); i++) {
        const int p = i / (end - first), c = first + i % (end - first);
        const int odd_x = mixed ? 1 - c % 2 : 0, odd_y = mixed ? 1 - c / 2 : 0;
        request[(*count)++] = (struct wp_measure_request){
            .a = tile->quads[WP_A][p], .b = difference ? tile->quads[WP_B][p] : none,
            .width = mixed ? (tile->width + odd_x) / 2 : tile->width,
            .height = mixed ? (tile->height + odd_y) / 2 : tile->height,
            .component = mixed ? c : tile->single ? p : tile->component,
            .to_b = {tile->to_b[WP_X], tile->to_b[WP_Y]},
        };
    }
}
