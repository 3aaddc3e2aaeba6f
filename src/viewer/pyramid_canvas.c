#include "pyramid_canvas.h"

#include "memory.h"
#include "notice.h"
#include "panes.h"
#include "tiles.h"
#include "viewer_struct.h"
#include "xmemory.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// What tiles may take where nobody has said it, or a quarter of the machine's memory; and the most
// places, of which the canvas has to have room for those that it shows.
enum { USUAL = 512 << 20, PLACES_MOST = 900, MEBIBYTE = 1 << 20 };
// One for what lies under the pointer.
enum { PIXEL = 1, LEAST = WP_PYRAMID_LEAST + PIXEL };

// Quads of four samples a texel.
static size_t bytes_of_place(int colours)
{
    const int planes = wp_pyramid_planes(colours, WP_CHANNEL_RGB);
    return (size_t)WP_PYRAMID_TILE * WP_PYRAMID_TILE * sizeof(float) * (size_t)planes;
}

// Room for tiles of as many colours as there are, in place of what there is.
static void make_places(struct wp_viewer *v)
{
    struct wp_pyramid_canvas *c = v->pyramid;
    const size_t place = bytes_of_place(c->news.info.colours);
    const double other = (double)c->news.memory;
    const double usual = fmin(USUAL, fmax(wp_memory_total() / 4, USUAL / 8));
    const double room = v->params->memory_named ? v->params->memory - other : usual;
    const size_t places =
        (size_t)fmin(fmax(floor(room / (double)place), LEAST), (double)PLACES_MOST);
    wp_pyramid_canvas_release(v);
    wp_pyramid_cache_free(&c->cache);
    free(c->texture);
    free(c->want);
    c->cache = wp_pyramid_cache_of(places);
    c->texture = wp_xcalloc(places, sizeof *c->texture);
    c->want = wp_xcalloc(places, sizeof *c->want);
    c->colours = c->news.info.colours;
    c->bytes = places * place + (size_t)other;
    wp_log(WP_LOG_VERBOSE, "%s: up to %.1f MiB, of which %zu tiles of %dx%d have %.1f",
           v->file[0].path, (double)c->bytes / MEBIBYTE, places, WP_PYRAMID_TILE, WP_PYRAMID_TILE,
           (double)(places * place) / MEBIBYTE);
}

bool wp_pyramid_canvas_open(struct wp_viewer *v)
{
    struct wp_pyramid_canvas *c = v->pyramid = wp_xcalloc(1, sizeof *c);
    const struct wp_pyramid_params params = {
        .path = v->file[0].path,
        .coefficients = v->params->pyramid == WP_PYRAMID_COEFFICIENTS,
        .read = v->params->read,
        .transform = v->params->transform,
    };
    char needed[WP_NUMBER_SIZE], given[WP_NUMBER_SIZE];
    c->least = c->most = NAN;
    c->run = wp_pyramid_run_open(&params);
    if (!c->run)
        return false;
    wp_pyramid_run_look(c->run, &c->news);
    make_places(v);
    return !v->params->memory_named || (double)c->bytes <= v->params->memory ||
           wp_fail(WP_ERROR_TOO_LARGE, "%s needs at least %s, more than --memory (%s)", params.path,
                   wp_format_bytes(needed, (double)c->bytes),
                   wp_format_bytes(given, v->params->memory));
}

void wp_pyramid_canvas_start(struct wp_viewer *v)
{
    // Without a display nothing happens between frames, so that a script has the same end always.
    if (v->windowed)
        wp_pyramid_run_start(v->pyramid->run);
}

void wp_pyramid_canvas_release(struct wp_viewer *v)
{
    struct wp_pyramid_canvas *c = v->pyramid;
    for (size_t i = 0; c && c->texture && i < c->cache.places; i++)
        for (int p = 0; p < WP_COLOURS; p++)
            wp_texture_destroy(&c->texture[i].plane[p]);
}

void wp_pyramid_canvas_close(struct wp_viewer *v)
{
    struct wp_pyramid_canvas *c = v->pyramid;
    if (!c)
        return;
    v->pyramid = NULL;
    wp_pyramid_run_close(&c->run);
    wp_pyramid_cache_free(&c->cache);
    free(c->texture);
    free(c->want);
    free(c);
}

size_t wp_pyramid_canvas_used(const struct wp_viewer *v)
{
    const struct wp_pyramid_canvas *c = v->pyramid;
    size_t planes = 0;
    for (size_t i = 0; i < c->cache.places; i++)
        for (int p = 0; p < WP_COLOURS; p++)
            planes += c->texture[i].plane[p].id != 0;
    return planes * bytes_of_place(1);
}

// ---- What was read.

static bool upload(struct wp_viewer *v, const float *from, struct wp_pyramid_part part,
                   struct wp_texture *texture)
{
    enum { SIDE = WP_PYRAMID_TILE / 2 };
    if (!texture->id && !wp_texture_create(v->gl, SIDE, SIDE, texture))
        return false;
    const int width = (part.width + 1) / 2, height = (part.height + 1) / 2;
    float *quads = wp_allocate((size_t)width * (size_t)height, 4 * sizeof *quads, "a tile");
    if (!quads)
        return false;
    for (int y = 0; y < part.height; y++)
        for (int x = 0; x < part.width; x++)
            quads[4 * ((size_t)(y / 2) * (size_t)width + (size_t)(x / 2)) +
                  (size_t)(x % 2 + 2 * (y % 2))] =
                from[(size_t)y * (size_t)part.width + (size_t)x];
    const bool ok = wp_texture_write(texture, 0, 0, width, height, quads);
    free(quads);
    return ok;
}

static void find_range(struct wp_pyramid_canvas *c, const float *samples, size_t count)
{
    c->least = INFINITY;
    c->most = -INFINITY;
    for (size_t i = 0; i < count; i++) {
        c->least = isfinite(samples[i]) ? fminf(c->least, samples[i]) : c->least;
        c->most = isfinite(samples[i]) ? fmaxf(c->most, samples[i]) : c->most;
    }
}

static void put(struct wp_viewer *v, const struct wp_pyramid_got *got)
{
    struct wp_pyramid_canvas *c = v->pyramid;
    const struct wp_pyramid_part part = wp_pyramid_part(&c->news.info.pyramid, got->tile);
    const size_t plane = (size_t)part.width * (size_t)part.height;
    const int place = wp_pyramid_cache_put(&c->cache, got->tile);
    c->reads++;
    if (place < 0)
        return;
    bool ok = got->samples;
    for (int p = 0; p < got->planes && ok; p++)
        ok = upload(v, got->samples + (size_t)p * plane, part, &c->texture[place].plane[p]);
    c->cache.slot[place].failed = !ok;
    c->fails += !ok;
    c->texture[place].planes = got->planes;
    if (ok && got->tile.level == c->news.info.pyramid.levels)
        find_range(c, got->samples, plane * (size_t)got->planes);
}

static void take_news(struct wp_viewer *v)
{
    struct wp_pyramid_canvas *c = v->pyramid;
    struct wp_pyramid_got got;
    wp_pyramid_run_look(c->run, &c->news);
    if (c->news.error[0])
        wp_viewer_notice(v, WP_LOG_ERROR, "%s", c->news.error);
    if (c->news.opened != c->opened) {
        if (c->news.info.colours != c->colours)
            make_places(v);
        wp_pyramid_cache_clear(&c->cache);
        c->opened = c->news.opened;
        v->source[WP_A].colours = c->news.info.colours;
    }
    while (wp_pyramid_run_result(c->run, &got)) {
        put(v, &got);
        free(got.samples);
    }
}

// ---- What is wanted.

static void take_channel(struct wp_viewer *v)
{
    struct wp_pyramid_canvas *c = v->pyramid;
    const int colours = c->news.info.colours;
    enum wp_channel channel = wp_channel_or_first((enum wp_channel)v->state.channel, colours);
    if (!wp_channel_check(channel, colours, v->file[0].path))
        v->state.channel = (int)(channel = wp_channel_or_first(WP_CHANNEL_RGB, colours));
    if (channel != c->channel)
        wp_pyramid_cache_clear(&c->cache);
    c->channel = channel;
}

// Of the latest frame's canvas; before there is one all of the image.
static struct wp_pyramid_view find_view(const struct wp_viewer *v)
{
    const struct wp_pyramid *p = &v->pyramid->news.info.pyramid;
    const struct wp_view_state *s = &v->state;
    const double width = v->screen.width, height = v->screen.height;
    if (v->frames_drawn > 0 || !s->fit)
        return (struct wp_pyramid_view){s->x, s->y, s->zoom, (double)v->canvas.width,
                                        (double)v->canvas.height};
    return (struct wp_pyramid_view){0.5 * p->width, 0.5 * p->height,
                                    fmin(width / p->width, height / p->height), width, height};
}

// The tile of the image itself that the pointer is on; false where it is elsewhere.
static bool tile_of_pixel(const struct wp_pyramid_canvas *c, struct wp_pyramid_tile *tile)
{
    *tile = (struct wp_pyramid_tile){0, c->pixel[0] / WP_PYRAMID_TILE,
                                     c->pixel[1] / WP_PYRAMID_TILE};
    return c->has_pixel;
}

// Asks for what is not there.
static void want(struct wp_viewer *v)
{
    struct wp_pyramid_canvas *c = v->pyramid;
    c->view = find_view(v);
    size_t count = wp_pyramid_request(&c->news.info.pyramid, &c->view, c->want,
                                   c->cache.places - PIXEL, &c->level);
    count += tile_of_pixel(c, &c->want[count]);
    wp_pyramid_cache_request(&c->cache, c->want, count);
    c->missing = 0;
    for (size_t i = 0; i < count; i++)
        if (wp_pyramid_cache_find(&c->cache, c->want[i]) < 0)
            c->want[c->missing++] = c->want[i];
    wp_pyramid_run_request(c->run, c->channel, c->want, c->missing);
}

// Without a thread, which a script would not have the same end with: all of it at once, but
// coefficients are made a few rows a frame where a script looks on.
static void read_at_once(struct wp_viewer *v)
{
    struct wp_pyramid_canvas *c = v->pyramid;
    const bool scripted = v->params->events;
    bool more = true;
    while (more) {
        more = wp_pyramid_run_step(c->run);
        take_news(v);
        if (c->opened) {
            take_channel(v);
            want(v);
        }
        more = (more || c->missing > 0) && !(scripted && c->news.making);
    }
}

// ---- The canvas.

static int ready(const struct wp_pyramid_canvas *c, struct wp_pyramid_tile tile)
{
    const int place = wp_pyramid_cache_find(&c->cache, tile);
    return place >= 0 && !c->cache.slot[place].failed ? place : -1;
}

static void add_tile(struct wp_viewer *v, int place)
{
    struct wp_pyramid_canvas *c = v->pyramid;
    const struct wp_pyramid *p = &c->news.info.pyramid;
    const struct wp_pyramid_tile t = c->cache.slot[place].tile;
    const struct wp_pyramid_part part = wp_pyramid_part(p, t);
    const double unit = ldexp(1, t.level), origin = wp_pyramid_origin(p, t.level);
    struct wp_tile *tile = wp_tile_add(v, (float)(origin + part.x * unit),
                                       (float)(origin + part.y * unit),
                                       (const float[]){(float)unit, (float)unit}, part.width,
                                       part.height);
    if (!tile)
        return;
    tile->planes = c->texture[place].planes;
    for (int i = 0; i < tile->planes; i++)
        tile->quads[WP_A][i].texture = &c->texture[place].plane[i];
    wp_tile_set_picture_range(v, tile, v->results.original.most > v->results.original.least);
}

// The coarser tile that is there in place of one that is not; -1: none.
static int stand_in(const struct wp_pyramid_canvas *c, struct wp_pyramid_tile t)
{
    int place = -1;
    while (place < 0 && t.level < c->news.info.pyramid.levels) {
        t = (struct wp_pyramid_tile){t.level + 1, t.column / 2, t.row / 2};
        place = ready(c, t);
    }
    return place;
}

// From 0 to 1 where the file says so, or it is about that: low bands reach beyond.
static void take_range(struct wp_viewer *v)
{
    static const float BEYOND = 0.1F;
    const struct wp_pyramid_canvas *c = v->pyramid;
    const bool usual = c->news.info.of_file ||
                       !(c->least < -BEYOND || c->most > 1 + BEYOND);
    v->results.original.least = usual ? 0 : (double)c->least;
    v->results.original.most = usual ? 0 : (double)c->most;
}

static void make_tiles(struct wp_viewer *v)
{
    struct wp_pyramid_canvas *c = v->pyramid;
    const struct wp_pyramid *p = &c->news.info.pyramid;
    const size_t places = c->cache.places;
    const size_t count = wp_pyramid_meet(p, &c->view, c->level, c->want, places);
    bool *stands = wp_xcalloc(places, sizeof *stands);
    take_range(v);
    for (size_t i = 0; i < count; i++) {
        const int place = ready(c, c->want[i]) < 0 ? stand_in(c, c->want[i]) : -1;
        if (place >= 0)
            stands[place] = true;
    }
    // The finer ones cover the coarser ones.
    for (int level = p->levels; level > c->level; level--)
        for (size_t i = 0; i < places; i++)
            if (stands[i] && c->cache.slot[i].tile.level == level)
                add_tile(v, (int)i);
    for (size_t i = 0; i < count; i++) {
        const int place = ready(c, c->want[i]);
        if (place >= 0)
            add_tile(v, place);
    }
    free(stands);
}

int wp_pyramid_canvas_add_all(struct wp_viewer *v)
{
    const struct wp_pyramid_canvas *c = v->pyramid;
    const int place = c->opened ? ready(c, (struct wp_pyramid_tile){c->news.info.pyramid.levels,
                                                                    0, 0})
                                : -1;
    const int before = v->tiles;
    if (place >= 0)
        add_tile(v, place);
    return v->tiles > before ? before : -1;
}

void wp_pyramid_canvas_update(struct wp_viewer *v)
{
    struct wp_pyramid_canvas *c = v->pyramid;
    wp_viewer_catch(v);
    take_news(v);
    if (c->opened) {
        take_channel(v);
        want(v);
    }
    if (!v->windowed)
        read_at_once(v);
    else if (wp_pyramid_run_step(c->run))
        v->dirty = true;
    v->tiles = 0;
    v->pinned = false;
    if (c->opened)
        make_tiles(v);
    v->view_width = (float)c->news.info.pyramid.width;
    v->view_height = (float)c->news.info.pyramid.height;
    v->awaits = c->news.busy;
    wp_viewer_caught(v);
}

bool wp_pyramid_canvas_has_news(struct wp_viewer *v)
{
    return wp_pyramid_run_has_news(v->pyramid->run, &v->pyramid->news);
}

bool wp_pyramid_canvas_is_steady(const struct wp_viewer *v)
{
    const struct wp_pyramid_canvas *c = v->pyramid;
    return !c->news.making && (c->missing == 0 || !c->opened);
}

static float value_at(const struct wp_pyramid_canvas *c, int place, int x, int y, int plane)
{
    float quad[4];
    wp_texture_read(&c->texture[place].plane[plane], x / 2, y / 2, 1, 1, quad);
    return quad[x % 2 + 2 * (y % 2)];
}

void wp_pyramid_canvas_find_pixel(struct wp_viewer *v)
{
    struct wp_pyramid_canvas *c = v->pyramid;
    const struct wp_pyramid *p = &c->news.info.pyramid;
    const struct wp_rect_f *r = &v->canvas;
    const float px = v->hover_x, py = v->hover_y;
    double x, y;
    wp_pane_to_view(&v->pane[0], px, py, &x, &y);
    const bool had = c->has_pixel;
    const int old[2] = {c->pixel[0], c->pixel[1]};
    c->has_pixel = c->opened && v->has_hover && px >= r->x && py >= r->y &&
                   px < r->x + r->width && py < r->y + r->height && x >= 0 && y >= 0 &&
                   x < p->width && y < p->height;
    if (!c->has_pixel)
        return;
    c->pixel[0] = (int)x;
    c->pixel[1] = (int)y;
    struct wp_pyramid_tile tile;
    tile_of_pixel(c, &tile);
    // Another one is asked for by the next frame.
    v->dirty = v->dirty || !had || old[0] != c->pixel[0] || old[1] != c->pixel[1];
    int place = ready(c, tile), sample[2] = {c->pixel[0], c->pixel[1]};
    c->pixel_planes = 0;
    for (; place < 0 && tile.level < p->levels; place = ready(c, tile)) {
        tile.level++;
        const double unit = ldexp(1, tile.level), origin = wp_pyramid_origin(p, tile.level);
        const int size[2] = {p->width, p->height};
        const double at[2] = {x, y};
        for (int a = 0; a < 2; a++)
            sample[a] = (int)fmin(fmax(floor((at[a] - origin) / unit), 0),
                                  wp_pyramid_side(size[a], tile.level) - 1);
        tile.column = sample[0] / WP_PYRAMID_TILE;
        tile.row = sample[1] / WP_PYRAMID_TILE;
    }
    if (place < 0)
        return;
    c->pixel_level = tile.level;
    c->pixel_planes = c->texture[place].planes;
    for (int i = 0; i < c->pixel_planes; i++)
        c->pixel_value[i] = value_at(c, place, sample[0] % WP_PYRAMID_TILE,
                                     sample[1] % WP_PYRAMID_TILE, i);
}
