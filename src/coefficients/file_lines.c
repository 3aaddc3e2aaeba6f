#include "file_lines.h"

#include "xmemory.h"

#include <stdlib.h>

struct wp_lines {
    struct wp_rows_info info;
    struct wp_rows *rows;
    struct wp_tile_store *store; // instead of `rows`
    struct wp_sidecar sidecar;
    int next;
};

static bool open_store(struct wp_lines *lines, const char *path,
                       const struct wp_read_params *params, const char **why)
{
    const struct wp_sidecar *s = &lines->sidecar;
    if (!wp_tile_store_open(path, s, &lines->store, why))
        return false;
    lines->info = (struct wp_rows_info){.width = s->description.size[WP_X],
                                        .height = s->description.size[WP_Y],
                                        .planes = s->planes,
                                        .alpha = s->alpha,
                                        .origin = s->origin};
    if (params->facts && lines->store)
        wp_tile_store_get_facts(lines->store, params->facts);
    return true;
}

bool wp_lines_open(const char *path, const struct wp_read_params *params, bool has_metadata,
                   struct wp_lines **slot, const char **why)
{
    struct wp_lines *lines = wp_xcalloc(1, sizeof *lines);
    char *metadata_path = wp_sidecar_path(path);
    bool found = false;
    *slot = NULL;
    *why = NULL;
    bool ok = true;
    if (wp_sidecar_is_inside(path))
        *why = ".npz files are read as a whole";
    else if (has_metadata && metadata_path)
        ok = wp_sidecar_read(metadata_path, &lines->sidecar, &found);
    if (ok && found)
        ok = open_store(lines, path, params, why);
    else if (ok && !*why)
        ok = wp_rows_open(path, params, &lines->rows, why);
    if (lines->rows)
        lines->info = *wp_rows_info(lines->rows);
    free(metadata_path);
    if (ok && !*why)
        *slot = lines;
    else
        wp_lines_close(&lines);
    return ok;
}

void wp_lines_close(struct wp_lines **slot)
{
    struct wp_lines *lines = *slot;
    *slot = NULL;
    if (!lines)
        return;
    wp_rows_close(&lines->rows);
    wp_tile_store_close(&lines->store);
    free(lines);
}

const struct wp_rows_info *wp_lines_info(const struct wp_lines *lines)
{
    return &lines->info;
}

const struct wp_sidecar *wp_lines_sidecar(const struct wp_lines *lines)
{
    return lines->store ? &lines->sidecar : NULL;
}

size_t wp_lines_memory(const struct wp_lines *lines)
{
    return lines->store ? wp_tile_store_read_memory(lines->store) : wp_rows_memory(lines->rows);
}

bool wp_lines_read(struct wp_lines *lines, bool changed, float *to)
{
    const int y = lines->next++;
    if (lines->rows)
        return wp_rows_read(lines->rows, to, 1);
    return wp_tile_store_read_line(lines->store, y, to) &&
           (lines->next < lines->info.height || wp_tile_store_check(lines->store, changed));
}
