#include "tile_store.h"

#include "memory.h"
#include "operand.h"
#include "rows.h"
#include "samples_hash.h"
#include "text.h"
#include "xmemory.h"

#include <stdio.h>
#include <stdlib.h>
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
        char name[WP_BAND_NAME_SIZE];
        wp_subband_name(&band, name);
        snprintf(page->name, sizeof page->name, "%.*s", (int)sizeof page->name - 1, name);
        list.grid[list.count] = band.grid;
        list.number[i] = list.count++;
    }
    if (s->alpha) {
        list.page[list.count] = (struct wp_tiles_page){"alpha", s->description.size[WP_X],
                                                       s->description.size[WP_Y], 1};
        list.grid[list.count++] = (struct wp_band_grid){
            .size = {s->description.size[WP_X], s->description.size[WP_Y], 1}, .every = {1, 1, 1}};
    }
    return list;
}

int wp_tile_store_extent(const struct wp_sidecar *s, int axis)
{
    return wp_description_extent(&s->description, axis);
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

// ---- reading ----

// A cached row of tiles of a plane; one row for arrays.
struct cache {
    int first; // number of its first row; -1: empty
    float *data;
};

struct wp_tile_store {
    char *path;
    struct wp_sidecar sidecar;
    struct wp_tile_store_list list;
    struct wp_tiles *tiles;
    struct wp_rows *array; // instead of `tiles`
    struct cache cache[WP_TILES_PAGES][WP_IMAGE_MAX_PLANES];
    unsigned long long hash; // of the rows read so far
    struct wp_file_facts facts; // of the array
};

static bool fits(const struct wp_tile_store *store)
{
    const struct wp_tile_store_list *list = &store->list;
    if (wp_tiles_pages(store->tiles) != list->count)
        return wp_fail(WP_ERROR_FILE, "%s has %d pages, but its metadata has %d subband%s",
                       store->path, wp_tiles_pages(store->tiles), list->count,
                       WP_PLURAL(list->count));
    for (int i = 0; i < list->count; i++) {
        const struct wp_tiles_page *page = wp_tiles_page(store->tiles, i);
        const struct wp_tiles_page *expected = &list->page[i];
        if (strcmp(page->name, expected->name) != 0 || page->width != expected->width ||
            page->height != expected->height || page->planes != expected->planes)
            return wp_fail(WP_ERROR_FILE,
                           "%s: page %d is %s, %dx%d of %d plane%s, but its metadata has %s, %dx%d "
                           "of %d",
                           store->path, i + 1, page->name, page->width, page->height, page->planes,
                           WP_PLURAL(page->planes), expected->name, expected->width,
                           expected->height, expected->planes);
    }
    return true;
}

static bool open_array(struct wp_tile_store *store, const char **why)
{
    const struct wp_sidecar *s = &store->sidecar;
    const struct wp_read_params params = {.volume = s->origin.slice_axis ? WP_VOLUME_YES
                                                                         : WP_VOLUME_NO,
                                          .values = WP_VALUES_RAW,
                                          .facts = &store->facts};
    if (!wp_rows_open(store->path, &params, &store->array, why))
        return false;
    if (!store->array)
        return true;
    const struct wp_rows_info *info = wp_rows_info(store->array);
    if (!wp_rows_have_rectangles(store->array)) {
        *why = "its samples are compressed or in TIFF strips";
        return true;
    }
    const int width = wp_tile_store_extent(s, WP_X), height = wp_tile_store_extent(s, WP_Y);
    return (info->width == width && info->height == height && info->planes == s->planes) ||
           wp_fail(WP_ERROR_FILE,
                   "%s.json describes %dx%d of %d plane%s, but the coefficients have %dx%d of %d",
                   store->path, width, height, s->planes, WP_PLURAL(s->planes), info->width, info->height, info->planes);
}

bool wp_tile_store_open(const char *path, const struct wp_sidecar *sidecar,
                        struct wp_tile_store **slot, const char **why)
{
    struct wp_tile_store *store = wp_xcalloc(1, sizeof *store);
    *slot = NULL;
    *why = NULL;
    store->path = wp_xstrdup(path);
    store->sidecar = *sidecar;
    bool ok = true;
    if (wp_description_is_expansive(&sidecar->description) &&
        !wp_description_is_redundant(&sidecar->description)) {
        *why = "it has more coefficients than samples";
    } else if (sidecar->description.bank == WP_BANK_PACKETS) {
        *why = "it has wavelet packets";
    } else if (sidecar->description.size[WP_Z] > 1 ||
               sidecar->description.layout != WP_LAYOUT_MALLAT) {
        *why = sidecar->description.size[WP_Z] > 1 ? "it is a volume" : "its layout is mixed";
    } else {
        store->list = wp_tile_store_list(sidecar);
        for (int i = 0; i < store->list.count; i++)
            for (int p = 0; p < WP_IMAGE_MAX_PLANES; p++)
                store->cache[i][p].first = -1;
        if (sidecar->tile > 0)
            ok = (store->tiles = wp_tiles_open(path)) && fits(store);
        else
            ok = open_array(store, why);
    }
    if (ok && !*why)
        *slot = store;
    else
        wp_tile_store_close(&store);
    return ok;
}

void wp_tile_store_close(struct wp_tile_store **slot)
{
    struct wp_tile_store *store = *slot;
    *slot = NULL;
    if (!store)
        return;
    wp_tiles_close(&store->tiles);
    wp_rows_close(&store->array);
    for (int i = 0; i < store->list.count; i++)
        for (int p = 0; p < WP_IMAGE_MAX_PLANES; p++)
            free(store->cache[i][p].data);
    free(store->path);
    free(store);
}

// The number of rows in the cache.
static int rows_of(const struct wp_tile_store *store, int page)
{
    const int rows = store->tiles ? wp_tiles_height(store->tiles, page) : 1;
    return rows < store->list.page[page].height ? rows : store->list.page[page].height;
}

size_t wp_tile_store_read_memory(const struct wp_tile_store *store)
{
    size_t floats = 0;
    for (int i = 0; i < store->list.count; i++)
        floats += (size_t)rows_of(store, i) * (size_t)store->list.page[i].width *
                  (size_t)store->list.page[i].planes;
    return floats * sizeof(float) + (store->array ? wp_rows_memory(store->array) : 0);
}

static bool read_part(struct wp_tile_store *store, int page, int plane, int x, int y, int width,
                      int height, float *to, size_t step)
{
    if (store->tiles)
        return wp_tiles_read(store->tiles, page, plane, x, y, width, height, to, step);
    const struct wp_band_grid *grid = &store->list.grid[page];
    const bool alpha = store->sidecar.alpha && page + 1 == store->list.count;
    return wp_rows_read_rectangle(store->array, alpha ? store->sidecar.planes - 1 : plane,
                             grid->first[WP_X] + x, grid->first[WP_Y] + y, width, height, to, step);
}

bool wp_tile_store_read_rectangle(struct wp_tile_store *store, int band, int plane, int x, int y,
                                  int width, int height, float *to, size_t step)
{
    const int page = wp_tile_store_page(&store->list, band);
    return width <= 0 || height <= 0 ||
           read_part(store, page, plane, x, y, width, height, to, step);
}

static bool read_row(struct wp_tile_store *store, int page, int plane, int row, float *samples)
{
    const int rows = rows_of(store, page);
    const struct wp_tiles_page *info = &store->list.page[page];
    const size_t width = (size_t)info->width;
    struct cache *cache = &store->cache[page][plane];
    const int first = row - row % rows;
    if (!cache->data)
        cache->data = wp_allocate((size_t)rows * width, sizeof *cache->data, "a row of tiles");
    if (!cache->data)
        return false;
    if (cache->first != first) {
        cache->first = -1;
        if (!read_part(store, page, plane, 0, first, info->width,
                       info->height - first < rows ? info->height - first : rows, cache->data,
                       width))
            return false;
        cache->first = first;
    }
    memcpy(samples, cache->data + (size_t)(row - first) * width, width * sizeof *samples);
    store->hash += wp_tile_store_row_hash(&store->list, page, plane, row, samples);
    return true;
}

bool wp_tile_store_read(struct wp_tile_store *store, int band, int plane, int row, float *samples)
{
    return read_row(store, wp_tile_store_page(&store->list, band), plane, row, samples);
}

bool wp_tile_store_read_line(struct wp_tile_store *store, int y, float *samples)
{
    const struct wp_tile_store_list *list = &store->list;
    const size_t width = (size_t)wp_tile_store_extent(&store->sidecar, WP_X);
    bool ok = true;
    for (int page = 0; page < list->count && ok; page++) {
        const struct wp_band_grid *grid = &list->grid[page];
        const int row = y - grid->first[WP_Y];
        const bool alpha = store->sidecar.alpha && page + 1 == list->count;
        for (int p = 0; p < list->page[page].planes && ok; p++)
            ok = row < 0 || row >= grid->size[WP_Y] ||
                 read_row(store, page, p, row,
                          samples + (size_t)(alpha ? store->sidecar.planes - 1 : p) * width +
                              (size_t)grid->first[WP_X]);
    }
    return ok;
}

bool wp_tile_store_unchanged(const struct wp_tile_store *store)
{
    return store->tiles ? wp_tiles_unchanged(store->tiles) : wp_rows_unchanged(store->array);
}

void wp_tile_store_get_facts(const struct wp_tile_store *store, struct wp_file_facts *facts)
{
    *facts = store->facts;
    if (store->tiles)
        *facts = (struct wp_file_facts){.format = "TIFF of tiles", .type = "f32"};
    if (store->tiles && store->sidecar.description.reversible)
        strcpy(facts->type, "i32");
}

struct wp_tile_store_counts wp_tile_store_counts(const struct wp_tile_store *store)
{
    if (!store->tiles)
        return (struct wp_tile_store_counts){0};
    const struct wp_tiles_counts counts = wp_tiles_counts(store->tiles);
    return (struct wp_tile_store_counts){counts.tiles, counts.bytes};
}

// wp_image_hash() of an array, which is computed plane by plane.
static bool hash_array(const struct wp_tile_store *store, unsigned long long *hash)
{
    const struct wp_sidecar *s = &store->sidecar;
    struct wp_samples_hash *sum = wp_samples_hash_create();
    const int width = wp_tile_store_extent(s, WP_X);
    float *row = wp_allocate((size_t)width, sizeof *row, "a row");
    bool ok = row;
    for (int p = 0; p < s->planes && ok; p++) {
        for (int y = 0; y < wp_tile_store_extent(s, WP_Y) && ok; y++) {
            ok =
                wp_rows_read_rectangle(store->array, p, 0, y, width, 1, row, 0);
            if (ok)
                wp_samples_hash_add(sum, row, (size_t)width);
        }
    }
    *hash = wp_samples_hash_get(sum);
    wp_samples_hash_destroy(&sum);
    free(row);
    return ok;
}

unsigned long long wp_tile_store_read_hash(const struct wp_tile_store *store)
{
    return store->hash;
}

bool wp_tile_store_check(struct wp_tile_store *store, bool changed)
{
    return wp_tile_store_check_hash(store, store->hash, changed);
}

bool wp_tile_store_check_hash(struct wp_tile_store *store, unsigned long long sum, bool changed)
{
    const struct wp_sidecar *s = &store->sidecar;
    unsigned long long hash = sum;
    if (!changed && !s->has_rows_hash && s->has_hash && store->array && !hash_array(store, &hash))
        return false;
    const bool same = changed || (s->has_rows_hash ? s->rows_hash == hash
                                                   : !s->has_hash || !store->array ||
                                                         s->hash == hash);
    return (same || wp_sidecar_mismatch(store->path)) && wp_tile_store_unchanged(store);
}

static bool read_pages(struct wp_tile_store *store, const struct wp_image *image)
{
    const struct wp_tile_store_list *list = &store->list;
    const size_t step = (size_t)image->width;
    bool ok = true;
    for (int page = 0; page < list->count && ok; page++) {
        const struct wp_band_grid *grid = &list->grid[page];
        const bool alpha = image->alpha && page + 1 == list->count;
        for (int p = 0; p < list->page[page].planes && ok; p++)
            ok = read_part(store, page, p, 0, 0, grid->size[WP_X], grid->size[WP_Y],
                           image->plane[alpha ? image->planes - 1 : p] +
                               (size_t)grid->first[WP_Y] * step + (size_t)grid->first[WP_X],
                           step);
    }
    return ok;
}

struct wp_image *wp_tile_store_read_image(const char *path, const struct wp_sidecar *s,
                                          struct wp_file_facts *facts)
{
    struct wp_tile_store *store;
    const char *why;
    if (!wp_tile_store_open(path, s, &store, &why))
        return NULL;
    if (why) {
        wp_fail(WP_ERROR_FILE, "%s.json contradicts itself: \"tile\" is %d, but %s", path, s->tile,
                why);
        return NULL;
    }
    struct wp_image *image =
        wp_image_create(wp_tile_store_extent(s, WP_X), wp_tile_store_extent(s, WP_Y), s->planes,
                        s->alpha);
    if (image && !read_pages(store, image))
        wp_image_destroy(&image);
    if (image)
        image->origin = s->origin;
    if (image && facts)
        wp_tile_store_get_facts(store, facts);
    wp_tile_store_close(&store);
    return image;
}
