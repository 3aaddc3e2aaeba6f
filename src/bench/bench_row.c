#include "bench_row.h"

#include "words.h"

#include <stdio.h>

void wp_bench_row_backend(struct wp_bench_item *item, const struct wp_bench_config *config)
{
    struct wp_row *row = &item->row;
    const struct wp_backend_choice *on = config->backend;
    struct wp_device_info info;
    wp_bench_choose_threads(on, config->threads);
    on->backend->describe(on->device, &info);
    wp_bench_choose_threads(on, 0);
    item->backend = on->backend;
    item->wall = info.wall;
    snprintf(row->backend, sizeof row->backend, "%s", on->backend->name);
    snprintf(row->device, sizeof row->device, "%s", info.name);
    snprintf(row->timer, sizeof row->timer, "%s", info.timer);
    row->software = info.software;
    row->threads = config->threads ? config->threads : -1;
}

static void time_by_wall(struct wp_bench_item *item)
{
    item->wall = true;
    snprintf(item->row.timer, sizeof item->row.timer, "monotonic clock");
}

// The words of a description in a row (fields.h).
#define SET_WORD(member, NAME, word, help) \
    snprintf(row->member, sizeof row->member, "%s", wp_##member##_names[p->member]);

void wp_bench_row_size(struct wp_row *row, const struct wp_bench_config *config)
{
    const struct wp_description *p = &config->params;
    row->width = p->size[WP_X];
    row->height = p->size[WP_Y];
    row->depth = config->batch ? 1 : wp_description_depth(p);
    row->planes = config->batch ? 1 : wp_description_planes(p);
    row->batch = config->batch ? config->batch : -1;
}

static void describe_shape(struct wp_row *row, const struct wp_bench_config *config)
{
    const struct wp_description *p = &config->params;
    snprintf(row->direction, sizeof row->direction, "%s%s", wp_direction_names[p->direction],
             p->adjoint ? " adjoint" : "");
    WP_FIELDS_ARRAY(SET_WORD)
    WP_FIELDS_DEVICE(SET_WORD)
    if (p->bank == WP_BANK_DECIMATED)
        row->bank[0] = '\0'; // as in results of versions without banks
    wp_bench_row_size(row, config);
    row->levels = p->levels;
    row->levels_z = p->levels_z;
}

void wp_bench_row_transform(struct wp_bench_item *item, const struct wp_bench_config *config)
{
    const struct wp_description *p = &config->params;
    struct wp_row *row = &item->row;
    row->kind = WP_ROW_TRANSFORM;
    wp_bench_row_backend(item, config);
    snprintf(row->wavelet, sizeof row->wavelet, "%s", p->wavelet->name);
    describe_shape(row, config);
    WP_FIELDS_LEVELS(SET_WORD)
    const bool up = config->includes & WP_INCLUDE_UPLOAD;
    if (wp_bench_overlaps(config) || wp_bench_is_tiled(config))
        snprintf(row->includes, sizeof row->includes, "%s",
                 wp_bench_is_tiled(config) ? "windows" : "overlapped");
    else
        snprintf(row->includes, sizeof row->includes, "%s%s%s", up ? "upload" : "",
                 config->includes == WP_INCLUDE_BOTH ? "," : "",
                 config->includes & WP_INCLUDE_DOWNLOAD ? "download" : "");
    if (wp_bench_is_by_wall(config))
        time_by_wall(item);
    if (p->reversible)
        snprintf(row->form, sizeof row->form, "reversible");
    if (wp_backend_is_schemeless(config->backend->backend, p))
        return;
    snprintf(row->scheme, sizeof row->scheme, "%s", p->kind->name);
    if (!p->reversible)
        snprintf(row->form, sizeof row->form, "%s", wp_form_names[p->form]);
}

void wp_bench_row_transfer(struct wp_bench_item *item, const struct wp_bench_config *config,
                           enum wp_bench_act act)
{
    static const char *const names[] = {
        [WP_ACT_UPLOAD] = "upload", [WP_ACT_DOWNLOAD] = "download", [WP_ACT_PACK] = "pack",
        [WP_ACT_LAYOUT] = "layout", [WP_ACT_MAP] = "map",           [WP_ACT_UNMAP] = "unmap",
    };
    struct wp_row *row = &item->row;
    time_by_wall(item);
    row->kind = WP_ROW_TRANSFER;
    snprintf(row->work, sizeof row->work, "%s", names[act]);
    describe_shape(row, config);
    // One of the transform's images: the cache does not matter for transfers.
    row->images = 1;
}
