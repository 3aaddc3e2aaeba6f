#include "tile_store_io.h"

#include "operand.h"
#include "samples_hash.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

static bool has_suffix(const char *path, const char *suffix)
{
    const size_t length = strlen(path), suffix_length = strlen(suffix);
    return length >= suffix_length && strcasecmp(path + length - suffix_length, suffix) == 0;
}

bool wp_tile_store_is_tiff(const char *path)
{
    return has_suffix(path, ".tiff") || has_suffix(path, ".tif");
}

bool wp_tile_store_can_write(const char *path)
{
    struct stat info;
    return (wp_tile_store_is_tiff(path) || has_suffix(path, ".npy")) &&
           (stat(path, &info) != 0 || S_ISREG(info.st_mode));
}

struct wp_tile_store_list wp_tile_store_list(const struct wp_sidecar *s)
{
    const struct wp_description d = s->description;
    struct wp_tile_store_list list = {.bands = wp_subband_count(&d)};
    for (int i = 0; i < list.bands; i++) {
        const struct wp_subband band = wp_subband_describe(&d, i);
        struct wp_tiles_page *page = &list.page[list.count];
        list.number[i] = -1;
        if (band.grid.size[WP_X] == 0 || band.grid.size[WP_Y] == 0)
            continue;
        page->width = band.grid.size[WP_X];
        page->height = band.grid.size[WP_Y];
        page->planes = s->planes - s->alpha;
        wp_subband_name(&band, page->name);
        list.grid[list.count] = band.grid;
        list.number[i] = list.count++;
    }
    if (s->alpha) {
        list.page[list.count] = (struct wp_tiles_page){"alpha", s->description.size[WP_X], s->description.size[WP_Y], 1};
        list.grid[list.count++] = (struct wp_band_grid){
            .size = {s->description.size[WP_X], s->description.size[WP_Y], 1}, .every = {1, 1, 1}};
    }
    return list;
}

int wp_tile_store_page(const struct wp_tile_store_list *list, int band)
{
    return band == WP_TILE_STORE_ALPHA ? list->count - 1 : list->number[band];
}

unsigned long long wp_tile_store_row_hash(const struct wp_tile_store_list *list, int page,
                                          int plane, int row, const float *samples)
{
    const unsigned long long number =
        (unsigned long long)(page * WP_IMAGE_MAX_PLANES + plane) << 32 | (unsigned)row;
    return wp_samples_hash_row(samples, (size_t)list->page[page].width, number);
}
