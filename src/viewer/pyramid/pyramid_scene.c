// The scene of a pyramid: its tiles on textures, control panel, status line and overview map.
#include "json_value.h"
#include "memory.h"
#include "panels.h"
#include "pyramid_run.h"
#include "save.h"
#include "xmemory.h"

#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

// Textures of a cache slot, one per plane.
struct wp_pyramid_texture {
    struct wp_texture plane[WP_COLOURS];
    int planes; // number of planes of the tile
};

struct wp_pyramid_canvas {
    struct wp_pyramid_run *run;
    struct wp_pyramid_status status;
    struct wp_pyramid_cache cache;
    struct wp_pyramid_texture *texture; // by slot
    struct wp_pyramid_tile *requested;  // array of `slots` tiles
    enum wp_channel channel;            // of the cached tiles
    unsigned opened;                    // wp_pyramid_status.opened of the cached tiles
    struct wp_pyramid_view view;        // of the latest request
    int level;                          // shown on the canvas
    size_t missing;                     // number of requested tiles not in the cache
    float least, most;                  // range of the last level; NaN: unknown
    size_t bytes;                       // memory limit for textures and reading
    int colours;                        // the slots are made for
    unsigned long long reads, fails;    // number of tiles
    bool has_pixel;                     // the pointer is on the image
    int pixel[2], pixel_level;          // its column and row; level of pixel_value
    float pixel_value[WP_COLOURS];
    int pixel_planes;
};

// Default memory for tiles, unless a quarter of the machine's memory is less; and the maximum
// number of slots. The canvas must have a tile for each one shown.
enum { DEFAULT_BYTES = 512 << 20, SLOTS_MAX = 900, MEBIBYTE = 1 << 20 };
// One slot for the pixel under the pointer.
enum { PIXEL = 1, LEAST = WP_PYRAMID_LEAST + PIXEL };

static const struct wp_pyramid *pyramid_of(const struct wp_viewer *v)
{
    return &v->pyramid->status.info.pyramid;
}

static void release_textures(struct wp_viewer *v)
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

// Creates the slots for the current number of colors.
static void create_slots(struct wp_viewer *v)
{
    struct wp_pyramid_canvas *c = v->pyramid;
    const size_t slot_bytes = tile_bytes(c->status.info.colours);
    const double other = (double)c->status.memory;
    const double default_bytes =
        fmin(DEFAULT_BYTES, fmax(wp_memory_total() / 4, DEFAULT_BYTES / 8));
    const double budget = v->params->memory_named ? v->params->memory - other : default_bytes;
    const size_t slots =
        (size_t)fmin(fmax(floor(budget / (double)slot_bytes), LEAST), (double)SLOTS_MAX);
    release_textures(v);
    wp_pyramid_cache_free(&c->cache);
    free(c->texture);
    free(c->requested);
    c->cache = wp_pyramid_cache_create(slots);
    c->texture = wp_xcalloc(slots, sizeof *c->texture);
    c->requested = wp_xcalloc(slots, sizeof *c->requested);
    c->colours = c->status.info.colours;
    c->bytes = slots * slot_bytes + (size_t)other;
    wp_log(WP_LOG_VERBOSE, "%s: up to %.1f MiB, of which %zu tiles of %dx%d have %.1f",
           v->file[0].path, (double)c->bytes / MEBIBYTE, slots, WP_PYRAMID_TILE, WP_PYRAMID_TILE,
           (double)(slots * slot_bytes) / MEBIBYTE);
}

// Opens the file of the parameters and computes the number of tiles from the memory limit, or from
// a default limit. Called before the window exists. False after an error.
static bool open_pyramid(struct wp_viewer *v)
{
    struct wp_pyramid_canvas *c = v->pyramid = wp_xcalloc(1, sizeof *c);
    char needed[WP_NUMBER_SIZE], given[WP_NUMBER_SIZE];
    c->least = c->most = NAN;
    c->run = wp_pyramid_run_open(v->params);
    if (!c->run)
        return false;
    wp_pyramid_run_get_status(c->run, &c->status);
    create_slots(v);
    return !v->params->memory_named || (double)c->bytes <= v->params->memory ||
           wp_fail(WP_ERROR_TOO_LARGE, "%s needs at least %s, more than --memory (%s)",
                   v->file[0].path, wp_format_bytes(needed, (double)c->bytes),
                   wp_format_bytes(given, v->params->memory));
}

static void close_pyramid(struct wp_viewer *v)
{
    struct wp_pyramid_canvas *c = v->pyramid;
    if (!c)
        return;
    v->pyramid = NULL;
    wp_pyramid_run_close(&c->run);
    wp_pyramid_cache_free(&c->cache);
    free(c->texture);
    free(c->requested);
    free(c);
}

static size_t used_bytes(const struct wp_viewer *v)
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
            create_slots(v);
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

static int ready(const struct wp_pyramid_canvas *c, struct wp_pyramid_tile tile)
{
    const int slot = wp_pyramid_cache_find(&c->cache, tile);
    return slot >= 0 && !c->cache.slot[slot].failed ? slot : -1;
}

static void add_tile(struct wp_viewer *v, int slot)
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
        slot = ready(c, t);
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
        const int slot = ready(c, c->requested[i]) < 0 ? stand_in(c, c->requested[i]) : -1;
        if (slot >= 0)
            stands[slot] = true;
    }
    // Finer tiles cover coarser ones.
    for (int level = p->levels; level > c->level; level--)
        for (size_t i = 0; i < slots; i++)
            if (stands[i] && c->cache.slot[i].tile.level == level)
                add_tile(v, (int)i);
    for (size_t i = 0; i < count; i++) {
        const int slot = ready(c, c->requested[i]);
        if (slot >= 0)
            add_tile(v, slot);
    }
    free(stands);
}

// Once per frame: uploads tiles that were read, requests missing ones, and creates the tiles of the
// canvas.
static void update_canvas(struct wp_viewer *v)
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

// True if results are waiting for the next update.
static bool has_updates(struct wp_viewer *v)
{
    return wp_pyramid_run_has_updates(v->pyramid->run, &v->pyramid->status);
}

// True if all requested tiles are available or have failed.
static bool is_steady(const struct wp_viewer *v)
{
    const struct wp_pyramid_canvas *c = v->pyramid;
    return !c->status.making && (c->missing == 0 || !c->opened);
}

// Finds the pixel under the pointer. Call after wp_panes_lay_out().
static void find_pixel(struct wp_viewer *v)
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
        slot = ready(c, (struct wp_pyramid_tile){level, sample[0] / WP_PYRAMID_TILE,
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

// ---- Start and files.

// Without a window everything is synchronous, so that scripts are deterministic: the first frame is
// complete, and its errors are errors of the command; with a script the transform of an image runs
// over several frames.
static bool start(struct wp_viewer *v)
{
    if (v->windowed) {
        wp_pyramid_run_start(v->pyramid->run);
        return true;
    }
    update_canvas(v);
    // Errors may come from reading a tile or from its upload.
    const enum wp_error reading = v->pyramid->status.kind;
    return (v->pyramid->fails == 0 && (v->tiles > 0 || v->pyramid->status.making)) ||
           wp_fail(reading ? reading : wp_last_error(), "%s", wp_text_get(&v->notice));
}

static void watch(struct wp_viewer *v)
{
    wp_pyramid_run_ask(v->pyramid->run, WP_PYRAMID_CHECK);
}

static bool cancel(struct wp_viewer *v)
{
    const bool making = v->pyramid->status.making;
    if (making)
        wp_pyramid_run_ask(v->pyramid->run, WP_PYRAMID_HALT);
    return making;
}

static void reload(struct wp_viewer *v)
{
    wp_pyramid_run_ask(v->pyramid->run, WP_PYRAMID_REOPEN);
}

// ---- Control panel and status line.

// "1/4"; the text is valid until the next call.
static const char *level_text(int level)
{
    static char text[24];
    snprintf(text, sizeof text, level > 0 ? "1/%lld" : "full size", 1LL << level);
    return text;
}

static void controls_display(struct wp_viewer *v)
{
    static const char *const ranges[] = {"of the image", "0 to 1"};
    struct wp_view_state *s = &v->state;
    if (v->source[WP_A].colours > 1)
        wp_panel_channel(v);
    if (v->tiles > 0 && v->tile[0].planes > 1)
        wp_ui_label("Color map", "red, green, blue");
    else
        wp_ui_combo("Color map", &s->map, wp_view_map_names, WP_MAPS);
    int fixed = s->range == WP_RANGE_FIXED;
    if (wp_ui_combo("Range", &fixed, ranges, 2))
        s->range = fixed ? WP_RANGE_FIXED : WP_RANGE_BAND;
    wp_panel_display(s);
}

static void show_controls(struct wp_viewer *v, struct wp_rect_f r)
{
    const struct wp_pyramid_canvas *c = v->pyramid;
    const struct wp_pyramid_info *info = &c->status.info;
    wp_ui_begin_panel("controls", r.x, r.y, r.width, r.height, 0);
    if (wp_ui_section("Image", true)) {
        wp_ui_label("File", "%s", wp_base_name(v->file[0].path));
        if (c->opened) {
            wp_ui_label("Size", "%dx%d", info->pyramid.width, info->pyramid.height);
            wp_ui_label("Planes", "%d", info->colours);
            wp_ui_label("Wavelet", "%s", info->wavelet);
            wp_ui_label("Levels", "%d", info->pyramid.stored);
        }
    }
    if (c->opened && wp_ui_section("Pyramid", true)) {
        wp_ui_label("Shown", "%s", level_text(c->level));
        wp_ui_tooltip("The finest level whose samples are at most a pixel wide, if it fits into "
                      "memory.");
        wp_ui_label("Pending", "%zu", c->missing);
        wp_ui_label("Memory", "%.0f of %.0f MiB", (double)used_bytes(v) / MEBIBYTE,
                    (double)c->bytes / MEBIBYTE);
        wp_ui_tooltip("Memory used by tiles, and the limit for tiles and reading (--memory).");
    }
    if (wp_ui_section("Display", true))
        controls_display(v);
    wp_ui_end_panel();
}

static void add_pixel(const struct wp_viewer *v, struct wp_text *text)
{
    const struct wp_pyramid_canvas *c = v->pyramid;
    if (!c->has_pixel)
        return;
    wp_text_add(text, "x %d  y %d", c->pixel[0], c->pixel[1]);
    for (int p = 0; p < c->pixel_planes; p++)
        wp_text_add(text, "%s%.6g", p ? ", " : " = ", (double)c->pixel_value[p]);
    if (c->pixel_planes > 0 && c->pixel_level > 0)
        wp_text_add(text, " at 1/%lld", 1LL << c->pixel_level);
    wp_text_add(text, "   ");
}

static void show_status(struct wp_viewer *v, struct wp_rect_f r)
{
    const struct wp_pyramid_canvas *c = v->pyramid;
    struct wp_text text = {0};
    if (c->opened) {
        add_pixel(v, &text);
        wp_text_add(&text, "%dx%d   zoom %.3gx   shown at %s", pyramid_of(v)->width,
                    pyramid_of(v)->height, v->state.zoom, level_text(c->level));
        if (c->missing > 0)
            wp_text_add(&text, ", %zu tile%s pending", c->missing, WP_PLURAL(c->missing));
    }
    wp_panel_status_line(r, wp_text_get(&text));
    wp_text_free(&text);
}

// ---- Overlay.

static void draw_progress(const struct wp_viewer *v)
{
    const struct wp_pyramid_status *n = &v->pyramid->status;
    const struct wp_rect_f *c = &v->canvas;
    const float em = wp_ui_em(), width = fminf(30 * em, c->width - 2 * em);
    const float x = c->x + 0.5F * (c->width - width), y = c->y + 0.5F * c->height - 2 * em;
    if (n->halted && !v->pyramid->opened)
        wp_canvas_label(x, y, WP_UI_WHITE, "stopped; Ctrl+R restarts");
    if (!n->making || width < 8 * em)
        return;
    const float part = n->rows > 0 ? (float)n->row / (float)n->rows : 0;
    wp_canvas_label(x, y, WP_UI_WHITE, "coefficients of all levels: %.0f %%", 100 * (double)part);
    wp_ui_draw_rect(x, y + 1.6F * em, width, 0.5F * em, WP_UI_BLACK, 0.62F);
    wp_ui_draw_rect(x, y + 1.6F * em, width * part, 0.5F * em, WP_UI_ACCENT, 1);
    wp_canvas_label(x, y + 2.4F * em, WP_UI_WHITE, "%.1f GB in a temporary file; Esc stops",
                    n->file / 1e9);
}

// Overview map in a corner, with the visible rectangle.
static void add_map(struct wp_viewer *v)
{
    const float em = wp_ui_em(), most = 11 * em;
    const struct wp_rect_f *c = &v->canvas;
    const float wide = (float)pyramid_of(v)->width, tall = (float)pyramid_of(v)->height;
    const float scale = most / fmaxf(wide, tall);
    double from[2], to[2];
    wp_pane_range(&v->pane[0], 0, from, to);
    const bool all = from[0] <= 0 && from[1] <= 0 && to[0] >= (double)wide && to[1] >= (double)tall;
    if (v->params->bare || all || c->width < 3 * most || c->height < 3 * most)
        return;
    // A tile of the last level has the complete image.
    const int tile = v->tiles, slot = ready(v->pyramid, (struct wp_pyramid_tile){
                                                            pyramid_of(v)->levels, 0, 0});
    if (slot >= 0)
        add_tile(v, slot);
    if (v->tiles == tile)
        return;
    struct wp_pane *pane = &v->pane[1], *main = &v->pane[0];
    *pane = *main;
    pane->r.width = floorf(fmaxf(wide * scale, em));
    pane->r.height = floorf(fmaxf(tall * scale, em));
    pane->r.x = floorf(c->x + c->width - pane->r.width - em);
    pane->r.y = floorf(c->y + c->height - pane->r.height - em);
    pane->first = tile;
    pane->tiles = 1;
    pane->independent = true;
    pane->x = 0.5 * (double)wide;
    pane->y = 0.5 * (double)tall;
    pane->zoom = (double)scale;
    v->panes = 2;
    float left, top, right, bottom;
    wp_pane_to_screen(pane, fmax(from[0], 0), fmax(from[1], 0), &left, &top);
    wp_pane_to_screen(pane, fmin(to[0], (double)wide), fmin(to[1], (double)tall), &right, &bottom);
    wp_ui_draw_frame(pane->r.x - 1, pane->r.y - 1, pane->r.width + 2, pane->r.height + 2,
                     WP_UI_LINE, 1);
    if (right > left && bottom > top)
        wp_ui_draw_frame(left - 1, top - 1, fmaxf(right - left, 2) + 2,
                         fmaxf(bottom - top, 2) + 2, WP_UI_WARNING, 2);
}

// Dragging on the map centers the view on the pointer.
static bool drag_map(struct wp_viewer *v)
{
    const struct wp_pane *map = &v->pane[1];
    double x, y;
    if (v->panes < 2 || !wp_rect_has(&map->r, v->press_x, v->press_y))
        return false;
    wp_pane_to_view(map, v->mouse_x, v->mouse_y, &x, &y);
    v->state.x = fmin(fmax(x, 0), pyramid_of(v)->width);
    v->state.y = fmin(fmax(y, 0), pyramid_of(v)->height);
    v->state.fit = false;
    return true;
}

static void overlay(struct wp_viewer *v)
{
    wp_canvas_overlay(v);
    draw_progress(v);
    if (!v->pyramid->opened)
        return;
    find_pixel(v);
    add_map(v);
}

// ---- Commands and facts.

// The command that transforms the image with the same parameters.
static void add_forward(const struct wp_viewer *v, struct wp_text *text)
{
    const struct wp_transform_params *t = &v->params->transform;
    wp_text_add(text, "wavepass forward");
    wp_viewer_add_input(text, v->file[0].path);
    wp_viewer_add_read_options(v, text);
    wp_viewer_add_option(text, "-w", t->wavelet);
    wp_viewer_add_option(text, "--border", t->border);
    wp_viewer_add_option(text, "--norm", t->norm);
    wp_text_add(text, " -l %d --tile %d -o c.tiff && ", pyramid_of(v)->stored, WP_PYRAMID_TILE);
}

static bool command(const struct wp_viewer *v, struct wp_text *text)
{
    const struct wp_pyramid_canvas *c = v->pyramid;
    const struct wp_pyramid *p = pyramid_of(v);
    double from[2], to[2];
    if (!c->opened || c->level > p->stored)
        return wp_fail(WP_ERROR_USAGE, "no command to copy (the coefficients go down to 1/%lld)",
                       1LL << p->stored);
    wp_pane_range(&v->pane[0], 0.5F, from, to);
    const int x = wp_pyramid_sample(p, c->level, p->width, from[0]);
    const int y = wp_pyramid_sample(p, c->level, p->height, from[1]);
    const bool transformed = v->params->pyramid == WP_PYRAMID_IMAGE;
    if (transformed)
        add_forward(v, text);
    wp_text_add(text, "wavepass inverse");
    wp_viewer_add_input(text, transformed ? "c.tiff" : v->file[0].path);
    wp_text_add(text, " --region %d,%d,%d,%d --level %d -o part.npy", x, y,
                wp_pyramid_sample(p, c->level, p->width, to[0]) - x + 1,
                wp_pyramid_sample(p, c->level, p->height, to[1]) - y + 1, c->level);
    return true;
}

static bool save(struct wp_viewer *v, const char *path, bool overwrite)
{
    (void)v, (void)path, (void)overwrite;
    return wp_fail(WP_ERROR_USAGE, "an image in tiles cannot be saved; K copies the command for "
                                   "the visible part");
}

static json_t *pixel_facts(const struct wp_pyramid_canvas *c)
{
    if (!c->has_pixel)
        return json_null();
    json_t *values = json_array();
    for (int i = 0; i < c->pixel_planes; i++)
        json_array_append_new(values, wp_json_number((double)c->pixel_value[i]));
    return json_pack("{s:i, s:i, s:i, s:o}", "x", c->pixel[0], "y", c->pixel[1], "level",
                     c->pixel_level, "values", values);
}

static json_t *facts(const struct wp_viewer *v)
{
    const struct wp_pyramid_canvas *c = v->pyramid;
    const struct wp_pyramid *p = pyramid_of(v);
    return json_pack("{s:[i,i], s:i, s:i, s:i, s:I, s:I, s:I, s:I, s:I, s:b, s:i, s:i, s:o}",
                     "size", p->width, p->height, "levels", p->levels, "stored", p->stored, "level",
                     c->level, "missing", (json_int_t)c->missing, "reads", (json_int_t)c->reads,
                     "fails", (json_int_t)c->fails, "used",
                     (json_int_t)used_bytes(v), "bytes", (json_int_t)c->bytes, "making",
                     (int)c->status.making, "row", c->status.row, "opened", (int)c->opened, "pixel",
                     pixel_facts(c));
}

const struct wp_scene wp_scene_pyramid = {
    .kind = WP_SCENE_PYRAMID, .open = open_pyramid, .start = start, .release = release_textures,
    .close = close_pyramid, .watch = watch, .has_updates = has_updates, .is_steady = is_steady,
    .cancel = cancel, .reload = reload, .update = update_canvas, .left = show_controls,
    .status = show_status, .drag = drag_map, .overlay = overlay, .command = command, .save = save,
    .facts = facts,
};
