#include "coefficients.h"

#include "elements.h"
#include "log.h"
#include "npy.h"
#include "npz.h"
#include "operand.h"
#include "output.h"
#include "samples_hash.h"
#include "text.h"
#include "xmemory.h"

#include <stdlib.h>

static struct wp_write_params write_params(bool overwrite)
{
    return (struct wp_write_params){.overwrite = overwrite, .content = WP_CONTENT_COEFFICIENTS};
}

bool wp_coefficients_write_check(const char *path, int planes, int depth, bool overwrite)
{
    if (wp_sidecar_is_inside(path))
        return wp_output_check(path, overwrite);
    const struct wp_write_params params = write_params(overwrite);
    char *metadata_path = wp_sidecar_path(path);
    const bool ok = wp_image_write_check_volume(path, planes, depth, &params) &&
                    (!metadata_path || wp_output_check(metadata_path, overwrite));
    free(metadata_path);
    return ok;
}

// The group size to store: 0 if one group has all slices.
static int gop_of(const struct wp_sidecar *sidecar, int depth)
{
    return sidecar->gop < depth ? sidecar->gop : 0;
}

static struct wp_sidecar complete_of(const struct wp_image *coefficients,
                                     const struct wp_sidecar *sidecar)
{
    struct wp_sidecar complete = *sidecar;
    complete.planes = coefficients->planes;
    complete.alpha = coefficients->alpha;
    complete.origin = coefficients->origin;
    if (!wp_description_is_expansive(&complete.description))
        complete.description.size[WP_Z] = coefficients->depth;
    complete.geometry = coefficients->geometry;
    complete.gop = gop_of(sidecar, complete.description.size[WP_Z]);
    complete.has_hash = true;
    complete.hash = wp_image_hash(coefficients);
    complete.has_rows_hash = false;
    complete.tile = 0;
    return complete;
}

// Writes the metadata. NULL after an error.
static struct wp_output *write_metadata(const struct wp_sidecar *sidecar, const char *metadata_path,
                                        bool overwrite)
{
    struct wp_output *output = wp_output_open(metadata_path, overwrite);
    if (output && !wp_sidecar_write(sidecar, metadata_path, output))
        wp_output_discard(&output);
    return output;
}

bool wp_coefficients_write(const struct wp_image *coefficients, const struct wp_sidecar *sidecar,
                           const char *path, bool overwrite)
{
    struct wp_write_params params = write_params(overwrite);
    if (wp_sidecar_is_inside(path)) {
        const struct wp_sidecar complete = complete_of(coefficients, sidecar);
        return wp_subbands_write(coefficients, &complete, path, overwrite);
    }
    if (sidecar->tile > 0 && wp_tile_store_is_tiff(path))
        return wp_tile_store_write_image(coefficients, sidecar, path, overwrite);
    params.stored = sidecar->description.reversible ? WP_STORED_I32
                    : sidecar->half     ? WP_STORED_F16
                                        : WP_STORED_FLOAT;
    char *metadata_path = wp_sidecar_path(path);
    if (!metadata_path) {
        wp_log(WP_LOG_VERBOSE, "no metadata file: coefficients on stdout have no file name");
        return wp_image_write(coefficients, path, &params);
    }
    const struct wp_sidecar complete = complete_of(coefficients, sidecar);
    struct wp_output *metadata = write_metadata(&complete, metadata_path, overwrite);
    params.first = &metadata;
    const bool ok = metadata && wp_image_write(coefficients, path, &params);
    wp_output_discard(&metadata);
    free(metadata_path);
    return ok;
}

struct wp_slices_output *wp_coefficients_create(const char *path,
                                                const struct wp_slices_info *info, bool overwrite)
{
    const struct wp_write_params params = write_params(overwrite);
    return wp_slices_create(path, info, &params);
}

bool wp_coefficients_commit(struct wp_slices_output **coefficients,
                            const struct wp_slices_info *info, const struct wp_sidecar *sidecar,
                            const char *path, bool overwrite)
{
    char *metadata_path = wp_sidecar_path(path);
    struct wp_sidecar complete = *sidecar;
    complete.planes = 1;
    complete.origin = info->origin;
    complete.geometry = info->geometry;
    complete.gop = gop_of(sidecar, complete.description.size[WP_Z]);
    complete.has_hash = true;
    complete.hash = wp_slices_written(*coefficients);
    struct wp_output *metadata = write_metadata(&complete, metadata_path, overwrite);
    const bool ok = metadata && wp_slices_commit(coefficients, &metadata);
    wp_output_discard(&metadata);
    free(metadata_path);
    return ok;
}

bool wp_coefficients_write_array(const void *coefficients, const struct wp_sidecar *sidecar,
                                 const char *path, bool overwrite)
{
    char *metadata_path = wp_sidecar_path(path);
    const struct wp_description d = wp_sidecar_description(sidecar);
    const struct wp_array_shape shape = wp_array_shape_of_coefficients(&sidecar->array, &d);
    const size_t samples = wp_array_shape_samples(&shape);
    const enum wp_element type = sidecar->wide ? WP_ELEMENT_F64 : WP_ELEMENT_F32;
    struct wp_sidecar complete = *sidecar;
    complete.planes = 1;
    complete.gop = 0;
    complete.has_hash = true;
    complete.hash = wp_coefficients_hash_array(coefficients, type, samples);
    struct wp_output *metadata =
        metadata_path ? write_metadata(&complete, metadata_path, overwrite) : NULL;
    const bool ok = (metadata || !metadata_path) &&
                    wp_npy_write(path, overwrite, shape.rank, shape.extent, type, coefficients,
                                 &metadata);
    wp_output_discard(&metadata);
    free(metadata_path);
    return ok;
}

unsigned long long wp_coefficients_hash_array(const void *samples, enum wp_element type,
                                              size_t count)
{
    struct wp_samples_hash *hash = wp_samples_hash_create();
    wp_samples_hash_add(hash, samples, count * (wp_elements[type].bytes / sizeof(float)));
    const unsigned long long value = wp_samples_hash_get(hash);
    wp_samples_hash_destroy(&hash);
    return value;
}

static bool fits(const struct wp_sidecar *s, const char *path, int width, int height, int depth,
                 int planes)
{
    const struct wp_description d = wp_sidecar_description(s);
    int size[WP_DIMENSIONS];
    wp_operand_extents(&d, true, size);
    if (size[WP_X] != width || size[WP_Y] != height)
        return wp_fail(WP_ERROR_FILE, "%s describes %dx%d, but the coefficients have %dx%d", path,
                       size[WP_X], size[WP_Y], width, height);
    if (size[WP_Z] != depth)
        return wp_fail(WP_ERROR_FILE, "%s describes %d slice%s, but the coefficients have %d", path,
                       size[WP_Z], WP_PLURAL(size[WP_Z]), depth);
    if (s->planes != planes)
        return wp_fail(WP_ERROR_FILE, "%s describes %d plane%s, but the coefficients have %d", path,
                       s->planes, s->planes == 1 ? "" : "s", planes);
    return true;
}

// Compares the coefficients with the hashes of the metadata; former versions stored none.
static bool check_hash(const struct wp_sidecar *s, const char *path, const struct wp_image *image,
                       bool changed)
{
    bool same = true;
    if (s->has_hash && !changed)
        same = s->hash == wp_image_hash(image);
    if (s->has_rows_hash && !changed && same)
        same = s->rows_hash == wp_tile_store_hash(image, s);
    return same || wp_sidecar_mismatch(path);
}

bool wp_coefficients_check_slices(const char *path, const struct wp_coefficients_params *params,
                                  const struct wp_sidecar *sidecar, const struct wp_slices *slices)
{
    return !sidecar->has_hash || params->changed || sidecar->hash == wp_slices_hash(slices) ||
           wp_sidecar_mismatch(path);
}

// Checks the coefficients against the metadata and sets their alpha, origin and geometry.
// `metadata_path` names the metadata in messages.
static bool apply_metadata(const struct wp_sidecar *s, const char *path, const char *metadata_path,
                           bool changed, struct wp_image *image)
{
    image->alpha = s->alpha;
    image->origin = s->origin;
    image->geometry = s->geometry;
    return fits(s, metadata_path, image->width, image->height, image->depth, image->planes) &&
           check_hash(s, path, image, changed);
}

// Reads an archive of subbands, which is always read at once, also if it has groups of slices.
static bool open_subbands(const char *path, const struct wp_coefficients_params *given,
                          struct wp_sidecar *sidecar, bool *has_metadata, struct wp_image **image,
                          size_t *nonfinite)
{
    *image = wp_subbands_read(path, given->wavelet, sidecar, has_metadata);
    if (!*image || (*has_metadata && !apply_metadata(sidecar, path, path, given->changed, *image)))
        return false;
    if (given->read.facts)
        *given->read.facts = (struct wp_file_facts){.format = "NPZ"};
    if (nonfinite)
        wp_image_fill_facts(*image, path, nonfinite);
    return true;
}

// `metadata_path` is NULL if there can be no metadata file.
static bool open_file(const char *path, const char *metadata_path,
                      const struct wp_coefficients_params *given, struct wp_sidecar *sidecar,
                      bool *has_metadata, struct wp_slices **slices, struct wp_image **image,
                      size_t *nonfinite)
{
    struct wp_read_params params = given->read;
    if (metadata_path && (!wp_sidecar_read(metadata_path, sidecar, has_metadata) ||
                          !wp_sidecar_check_image(sidecar, path)))
        return false;
    if (*has_metadata) {
        params.volume = sidecar->description.size[WP_Z] > 1 || sidecar->origin.slice_axis
                            ? WP_VOLUME_YES
                            : WP_VOLUME_NO;
        params.values = WP_VALUES_RAW;
    }
    if (*has_metadata && sidecar->tile > 0) {
        *image = wp_tile_store_read_image(path, sidecar, given->read.facts);
        if (*image && nonfinite)
            wp_image_fill_facts(*image, path, nonfinite);
    } else if (slices && (*has_metadata ? sidecar->gop : given->gop) > 0) {
        if (!wp_slices_open(path, &params, slices, image, nonfinite))
            return false;
    } else {
        *image = wp_image_read_with(path, &params, nonfinite);
    }
    if (*image && *has_metadata &&
        !apply_metadata(sidecar, path, metadata_path, given->changed, *image))
        return false;
    if (!slices || !*slices)
        return *image;
    wp_slices_keep_hash(*slices);
    const struct wp_slices_info *info = wp_slices_info(*slices);
    return !*has_metadata ||
           fits(sidecar, metadata_path, info->width, info->height, info->depth, 1);
}

bool wp_coefficients_open(const char *path, const struct wp_coefficients_params *params,
                          struct wp_sidecar *sidecar, bool *has_metadata, struct wp_slices **slices,
                          struct wp_image **image, size_t *nonfinite)
{
    char *metadata_path = wp_sidecar_path(path);
    *has_metadata = false;
    *image = NULL;
    if (slices)
        *slices = NULL;
    const bool ok = wp_sidecar_is_inside(path) && !wp_npz_has_one_array(path)
                        ? open_subbands(path, params, sidecar, has_metadata, image, nonfinite)
                        : open_file(path, metadata_path, params, sidecar, has_metadata, slices,
                                    image, nonfinite);
    if (!ok) {
        wp_image_destroy(image);
        if (slices)
            wp_slices_close(slices);
    }
    free(metadata_path);
    return ok;
}

bool wp_coefficients_in_tiles(const char *path)
{
    char *metadata_path = wp_sidecar_path(path);
    struct wp_sidecar sidecar = {0};
    bool found = false;
    wp_begin_attempt();
    const bool ok = metadata_path && wp_sidecar_read(metadata_path, &sidecar, &found);
    wp_end_attempt();
    free(metadata_path);
    return ok && found && sidecar.tile > 0;
}

struct wp_image *wp_coefficients_read(const char *path, const struct wp_coefficients_params *params,
                                      struct wp_sidecar *sidecar, bool *has_metadata,
                                      size_t *nonfinite)
{
    struct wp_image *image;
    wp_coefficients_open(path, params, sidecar, has_metadata, NULL, &image, nonfinite);
    return image;
}

// ---- rows in order ----

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
        ok = wp_sidecar_read(metadata_path, &lines->sidecar, &found) &&
             wp_sidecar_check_image(&lines->sidecar, path);
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
