#include "region_run.h"

#include "clock.h"

#include <jansson.h>
#include <stdio.h>
#include <string.h>

// Parses an integer of at most nine digits, which fits an int, and advances `*at`.
static bool parse_number(const char **at, int *number)
{
    int length = 0;
    const int found = sscanf(*at, "%9d%n", number, &length);
    const bool plain = found == 1 && **at >= '0' && **at <= '9';
    *at += plain ? length : 0;
    return plain;
}

bool wp_region_parse(const char *text, struct wp_region *region)
{
    int *const part[] = {&region->x, &region->y, &region->width, &region->height};
    const char *at = text;
    bool ok = true;
    for (int i = 0; i < 4 && ok; i++)
        ok = (i == 0 || *at++ == ',') && parse_number(&at, part[i]);
    return (ok && !*at && region->width > 0 && region->height > 0) ||
           wp_fail(WP_ERROR_USAGE, "--region: '%s' is not X,Y,W,H (integers)", text);
}

static bool read_region(struct wp_region_run *run, const struct wp_coefficient_input *from,
                        struct wp_tile_store *store, const char *text, struct wp_image **image)
{
    const struct wp_sidecar *s = &from->sidecar;
    struct wp_region *r = &run->region;
    if (!text) {
        r->width = wp_level_size(s->description.size[WP_X], r->level);
        r->height = wp_level_size(s->description.size[WP_Y], r->level);
    }
    if (!wp_region_check(s, r))
        return false;
    if (s->alpha && r->level > 0)
        wp_log(WP_LOG_INFO, "alpha has no levels and is omitted");
    const double start = wp_clock_seconds();
    *image = wp_region_read(store, s, &from->params, r);
    run->seconds = wp_clock_seconds() - start;
    run->counts = wp_tile_store_counts(store);
    return *image;
}

bool wp_region_run(struct wp_region_run *run, struct wp_coefficient_input *from, const char *path,
                   const struct wp_transform_params *options, const char *text, int level,
                   struct wp_image **image)
{
    struct wp_tile_store *store;
    const char *why;
    *run = (struct wp_region_run){.region = {.level = level}};
    if (text && !wp_region_parse(text, &run->region))
        return false;
    wp_progress("reading a region of %s", path);
    bool ok = wp_open_coefficient_tiles(from, path, options, false, &store, &why);
    if (ok && !store)
        ok = wp_fail(WP_ERROR_USAGE, "%s does not support regions (%s)"
                                     "\nhint: 'forward --tile %d -o c.tiff' writes a file that "
                                     "does",
                     path, why, WP_TILE_COLUMNS);
    ok = ok && read_region(run, from, store, text, image);
    wp_tile_store_close(&store);
    return ok;
}

void wp_region_run_summary(const struct wp_region_run *run, const struct wp_coefficient_input *from,
                           struct wp_text *text)
{
    const struct wp_region *r = &run->region;
    wp_text_add(text, "region %d,%d,%d,%d of level %d of %dx%d, cpu, %.2f ms", r->x, r->y, r->width,
                r->height, r->level, from->sidecar.description.size[WP_X],
                from->sidecar.description.size[WP_Y], run->seconds * 1e3);
    if (run->counts.tiles)
        wp_text_add(text, ", %llu tile%s, %.1f MB read", run->counts.tiles,
                    run->counts.tiles == 1 ? "" : "s", (double)run->counts.bytes / 1e6);
}

json_t *wp_region_run_json(const struct wp_region_run *run, const struct wp_coefficient_input *from,
                           const struct wp_call *call, const char *backend)
{
    const struct wp_sidecar *s = &from->sidecar;
    const struct wp_region *r = &run->region;
    const bool alpha = s->alpha && r->level == 0;
    const bool tiles = run->counts.tiles > 0;
    return json_pack(
        "{s:s, s:o, s:s, s:s, s:i, s:i, s:i, s:i, s:b, s:{s:s, s:s}, s:{s:i, s:i, s:i, s:i, s:i},"
        " s:o, s:o, s:o, s:o}",                                                    //
        "command", call->command->name,                                            //
        "wavelet", wp_json_text(s->wavelet_name),                                  //
        "border", wp_border_names[s->description.border],                                      //
        "norm", wp_norm_names[s->description.norm],                                            //
        "levels", s->description.levels,                                                       //
        "width", s->description.size[WP_X],                                                         //
        "height", s->description.size[WP_Y],                                                       //
        "planes", s->planes - (s->alpha && !alpha),                                //
        "alpha", alpha,                                                            //
        "backend", "requested", backend ? backend : "auto", "used", "cpu",         //
        "region", "level", r->level, "x", r->x, "y", r->y, "width", r->width,      //
        "height", r->height,                                                       //
        "tiles", tiles ? json_integer((json_int_t)run->counts.tiles) : json_null(), //
        "bytes", tiles ? json_integer((json_int_t)run->counts.bytes) : json_null(), //
        "seconds", wp_json_number(run->seconds),                                   //
        "total_seconds", wp_json_number(wp_seconds_since_start()));
}
