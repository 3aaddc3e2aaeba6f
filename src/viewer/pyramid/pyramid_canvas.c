#include "pyramid_canvas.h"

#include "memory.h"
#include "viewer_struct.h"
#include "xmemory.h"

#include <math.h>
#include <stdlib.h>

// Default memory for tiles, unless a quarter of the machine's memory is less; and the maximum
// number of slots. The canvas must have a tile for each one shown.
enum { DEFAULT_BYTES = 512 << 20, SLOTS_MAX = 900 };
// One slot for the pixel under the pointer.
enum { PIXEL = 1, LEAST = WP_PYRAMID_LEAST + PIXEL };

void wp_pyramid_release(struct wp_viewer *v)
{
    struct wp_pyramid_canvas *c = v->pyramid;
    for (size_t i = 0; c && c->texture && i < c->cache.slots; i++)
        for (int p = 0; p < WP_COLOURS; p++)
            wp_texture_destroy(&c->texture[i].plane[p]);
}

// Bytes of a tile as quads of four samples.
static size_t tile_bytes(int colours)
{
    const int planes = wp_pyramid_planes(colours, WP_CHANNEL_RGB);
    return (size_t)WP_PYRAMID_TILE * WP_PYRAMID_TILE * sizeof(float) * (size_t)planes;
}

void wp_pyramid_create_slots(struct wp_viewer *v)
{
    struct wp_pyramid_canvas *c = v->pyramid;
    const size_t slot_bytes = tile_bytes(c->status.info.colours);
    const double other = (double)c->status.memory;
    const double default_bytes =
        fmin(DEFAULT_BYTES, fmax(wp_memory_total() / 4, DEFAULT_BYTES / 8));
    const double budget = v->params->memory_named ? v->params->memory - other : default_bytes;
    const size_t slots =
        (size_t)fmin(fmax(floor(budget / (double)slot_bytes), LEAST), (double)SLOTS_MAX);
    wp_pyramid_release(v);
    wp_pyramid_cache_free(&c->cache);
    free(c->texture);
    free(c->requested);
    c->cache = wp_pyramid_cache_create(slots);
    c->texture = wp_xcalloc(slots, sizeof *c->texture);
    c->requested = wp_xcalloc(slots, sizeof *c->requested);
    c->colours = c->status.info.colours;
    c->bytes = slots * slot_bytes + (size_t)other;
    wp_log(WP_LOG_VERBOSE, "%s: up to %.1f MiB, of which %zu tiles of %dx%d have %.1f",
           v->file[0].path, (double)c->bytes / WP_MEBIBYTE, slots, WP_PYRAMID_TILE, WP_PYRAMID_TILE,
           (double)(slots * slot_bytes) / WP_MEBIBYTE);
}

size_t wp_pyramid_used(const struct wp_viewer *v)
{
    const struct wp_pyramid_canvas *c = v->pyramid;
    size_t planes = 0;
    for (size_t i = 0; i < c->cache.slots; i++)
        for (int p = 0; p < WP_COLOURS; p++)
            planes += c->texture[i].plane[p].id != 0;
    return planes * tile_bytes(1);
}

// ---- Results of the reader.

static void put(struct wp_viewer *v, const struct wp_pyramid_result *result)
{
    enum { TEXELS = WP_PYRAMID_TILE / 2 };
    struct wp_pyramid_canvas *c = v->pyramid;
    const struct wp_pyramid_part part = wp_pyramid_part(&c->status.info.pyramid, result->tile);
    const size_t plane = (size_t)part.width * (size_t)part.height;
    const int slot = wp_pyramid_cache_put(&c->cache, result->tile);
    c->reads++;
    if (slot < 0)
        return;
    bool ok = result->samples;
    for (int p = 0; p < result->planes && ok; p++) {
        struct wp_texture *texture = &c->texture[slot].plane[p];
        ok = (texture->id || wp_texture_create(v->gl, TEXELS, TEXELS, texture)) &&
             wp_quads_upload(result->samples + (size_t)p * plane, part.width, part.height, texture);
    }
    c->cache.slot[slot].failed = !ok;
    c->fails += !ok;
    c->texture[slot].planes = result->planes;
    if (!ok || result->tile.level != c->status.info.pyramid.levels)
        return;
    c->least = INFINITY;
    c->most = -INFINITY;
    for (size_t i = 0; i < plane * (size_t)result->planes; i++) {
        const float value = result->samples[i];
        c->least = isfinite(value) ? fminf(c->least, value) : c->least;
        c->most = isfinite(value) ? fmaxf(c->most, value) : c->most;
    }
}

static void receive_results(struct wp_viewer *v)
{
    struct wp_pyramid_canvas *c = v->pyramid;
    struct wp_pyramid_result result;
    wp_pyramid_run_get_status(c->run, &c->status);
    if (c->status.error[0])
        wp_viewer_notice(v, WP_LOG_ERROR, "%s", c->status.error);
    if (c->status.opened != c->opened) {
        if (c->status.info.colours != c->colours)
            wp_pyramid_create_slots(v);
        wp_pyramid_cache_clear(&c->cache);
        c->opened = c->status.opened;
        v->source[WP_A].colours = c->status.info.colours;
    }
    while (wp_pyramid_run_pop_result(c->run, &result)) {
        put(v, &result);
        free(result.samples);
    }
}

// ---- Requests.

static void set_channel(struct wp_viewer *v)
{
    struct wp_pyramid_canvas *c = v->pyramid;
    const int colours = c->status.info.colours;
    enum wp_channel channel = wp_channel_or_first((enum wp_channel)v->state.channel, colours);
    if (!wp_channel_check(channel, colours, v->file[0].path))
        v->state.channel = (int)(channel = wp_channel_or_first(WP_CHANNEL_RGB, colours));
    if (channel != c->channel)
        wp_pyramid_cache_clear(&c->cache);
    c->channel = channel;
}

// The view of the latest frame, or of the complete image before the first frame.
static struct wp_pyramid_view find_view(const struct wp_viewer *v)
{
    const struct wp_pyramid *p = &v->pyramid->status.info.pyramid;
    const struct wp_view_state *s = &v->state;
    const double width = v->screen.width, height = v->screen.height;
    if (v->frames_drawn > 0 || !s->fit)
        return (struct wp_pyramid_view){s->x, s->y, s->zoom, (double)v->canvas.width,
                                        (double)v->canvas.height};
    return (struct wp_pyramid_view){0.5 * p->width, 0.5 * p->height,
                                    fmin(width / p->width, height / p->height), width, height};
}

// Requests missing tiles.
static void request_tiles(struct wp_viewer *v)
{
    struct wp_pyramid_canvas *c = v->pyramid;
    c->view = find_view(v);
    size_t count = wp_pyramid_request(&c->status.info.pyramid, &c->view, c->requested,
                                      c->cache.slots - PIXEL, &c->level);
    if (c->has_pixel)
        c->requested[count++] = (struct wp_pyramid_tile){0, c->pixel[0] / WP_PYRAMID_TILE,
                                                         c->pixel[1] / WP_PYRAMID_TILE};
    wp_pyramid_cache_request(&c->cache, c->requested, count);
    c->missing = 0;
    for (size_t i = 0; i < count; i++)
        if (wp_pyramid_cache_find(&c->cache, c->requested[i]) < 0)
            c->requested[c->missing++] = c->requested[i];
    wp_pyramid_run_request(c->run, c->channel, c->requested, c->missing);
}

// Reads everything synchronously, without a thread. With a script, coefficients are computed some
// rows per frame.
static void read_at_once(struct wp_viewer *v)
{
    struct wp_pyramid_canvas *c = v->pyramid;
    const bool scripted = v->params->events;
    bool more = true;
    while (more) {
        more = wp_pyramid_run_step(c->run);
        receive_results(v);
        if (c->opened) {
            set_channel(v);
            request_tiles(v);
        }
        more = (more || c->missing > 0) && !(scripted && c->status.making);
    }
}

// ---- Canvas.

int wp_pyramid_slot(const struct wp_pyramid_canvas *c, struct wp_pyramid_tile tile)
{
    const int slot = wp_pyramid_cache_find(&c->cache, tile);
    return slot >= 0 && !c->cache.slot[slot].failed ? slot : -1;
}

void wp_pyramid_add_tile(struct wp_viewer *v, int slot)
{
    struct wp_pyramid_canvas *c = v->pyramid;
    const struct wp_pyramid *p = &c->status.info.pyramid;
    const struct wp_pyramid_tile t = c->cache.slot[slot].tile;
    const struct wp_pyramid_part part = wp_pyramid_part(p, t);
    const double unit = ldexp(1, t.level), origin = wp_pyramid_origin(p, t.level);
    struct wp_tile *tile = wp_tile_add(v, (float)(origin + part.x * unit),
                                       (float)(origin + part.y * unit),
                                       (const float[]){(float)unit, (float)unit}, part.width,
                                       part.height);
    if (!tile)
        return;
    tile->planes = c->texture[slot].planes;
    for (int i = 0; i < tile->planes; i++)
        tile->quads[WP_A][i].texture = &c->texture[slot].plane[i];
    wp_tile_set_picture_range(v, tile, v->results.original.most > v->results.original.least);
}

// The nearest coarser tile available instead of a missing one; -1 if there is none.
static int stand_in(const struct wp_pyramid_canvas *c, struct wp_pyramid_tile t)
{
    int slot = -1;
    while (slot < 0 && t.level < c->status.info.pyramid.levels) {
        t = (struct wp_pyramid_tile){t.level + 1, t.column / 2, t.row / 2};
        slot = wp_pyramid_slot(c, t);
    }
    return slot;
}

// The displayed range is 0..1 for integer files and for samples that exceed it slightly, as low
// bands do.
static void set_range(struct wp_viewer *v)
{
    static const float BEYOND = 0.1F;
    const struct wp_pyramid_canvas *c = v->pyramid;
    const bool unit_range = c->status.info.of_file || !(c->least < -BEYOND || c->most > 1 + BEYOND);
    v->results.original.least = unit_range ? 0 : (double)c->least;
    v->results.original.most = unit_range ? 0 : (double)c->most;
}

static void make_tiles(struct wp_viewer *v)
{
    struct wp_pyramid_canvas *c = v->pyramid;
    const struct wp_pyramid *p = &c->status.info.pyramid;
    const size_t slots = c->cache.slots;
    const size_t count = wp_pyramid_find_visible(p, &c->view, c->level, c->requested, slots);
    bool *stands = wp_xcalloc(slots, sizeof *stands);
    set_range(v);
    for (size_t i = 0; i < count; i++) {
        const struct wp_pyramid_tile tile = c->requested[i];
        const int slot = wp_pyramid_slot(c, tile) < 0 ? stand_in(c, tile) : -1;
        if (slot >= 0)
            stands[slot] = true;
    }
    // Finer tiles cover coarser ones.
    for (int level = p->levels; level > c->level; level--)
        for (size_t i = 0; i < slots; i++)
            if (stands[i] && c->cache.slot[i].tile.level == level)
                wp_pyramid_add_tile(v, (int)i);
    for (size_t i = 0; i < count; i++) {
        const int slot = wp_pyramid_slot(c, c->requested[i]);
        if (slot >= 0)
            wp_pyramid_add_tile(v, slot);
    }
    free(stands);
}

void wp_pyramid_update(struct wp_viewer *v)
{
    struct wp_pyramid_canvas *c = v->pyramid;
    wp_viewer_catch(v);
    receive_results(v);
    if (c->opened) {
        set_channel(v);
        request_tiles(v);
    }
    if (!v->windowed)
        read_at_once(v);
    else if (wp_pyramid_run_step(c->run))
        v->dirty = true;
    v->tiles = 0;
    v->pinned = false;
    if (c->opened)
        make_tiles(v);
    v->view_width = (float)c->status.info.pyramid.width;
    v->view_height = (float)c->status.info.pyramid.height;
    v->expects_result = c->status.busy;
    wp_viewer_caught(v);
}

void wp_pyramid_find_pixel(struct wp_viewer *v)
{
    struct wp_pyramid_canvas *c = v->pyramid;
    const struct wp_pyramid *p = &c->status.info.pyramid;
    const float px = v->mouse_x, py = v->mouse_y;
    double x, y;
    wp_pane_to_view(&v->pane[0], px, py, &x, &y);
    const bool had = c->has_pixel;
    const int old[2] = {c->pixel[0], c->pixel[1]};
    c->has_pixel = c->opened && v->has_hover && wp_rect_has(&v->canvas, px, py) && x >= 0 &&
                   y >= 0 && x < p->width && y < p->height;
    if (!c->has_pixel)
        return;
    c->pixel[0] = (int)x;
    c->pixel[1] = (int)y;
    // The next frame requests the tile of the new pixel.
    v->dirty = v->dirty || !had || old[0] != c->pixel[0] || old[1] != c->pixel[1];
    int slot = -1, level = -1, sample[2] = {0};
    c->pixel_planes = 0;
    while (slot < 0 && level < p->levels) {
        level++;
        sample[0] = wp_pyramid_sample(p, level, p->width, x);
        sample[1] = wp_pyramid_sample(p, level, p->height, y);
        slot = wp_pyramid_slot(c, (struct wp_pyramid_tile){level, sample[0] / WP_PYRAMID_TILE,
                                                 sample[1] / WP_PYRAMID_TILE});
    }
    if (slot < 0)
        return;
    c->pixel_level = level;
    c->pixel_planes = c->texture[slot].planes;
    const int sx = sample[0] % WP_PYRAMID_TILE, sy = sample[1] % WP_PYRAMID_TILE;
    for (int i = 0; i < c->pixel_planes; i++) {
        float quad[4];
        wp_texture_read(&c->texture[slot].plane[i], sx / 2, sy / 2, 1, 1, quad);
        c->pixel_value[i] = quad[sx % 2 + 2 * (sy % 2)];
    }
}
