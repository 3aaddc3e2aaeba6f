// Writes volumes slice by slice: NPY, NIfTI, Y4M, and image sequences.
#include "slices.h"

#include "sidecar_path.h"
#include "frames.h"
#include "image_io.h"
#include "output.h"
#include "samples_hash.h"
#include "xmemory.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct kind {
    enum wp_format format; // WP_FORMAT_NONE: an image sequence
    bool (*begin)(struct wp_slices_output *output);
    bool (*write)(struct wp_slices_output *output, const float *from, int count);
    bool (*end)(struct wp_slices_output *output);
    bool (*write_header)(const struct wp_slices_output *output, int depth);
};

struct wp_slices_output {
    const struct kind *kind;
    struct wp_slices_info info; // depth: slices so far
    int depth;                  // expected number of slices, or 0
    struct wp_write_params params;
    char *path;
    struct wp_output *file;
    struct wp_frames_output *frames; // instead of `file`
    struct wp_samples_hash *hash;    // for coefficients, else NULL
    struct wp_output **first;        // argument of wp_slices_commit()
};

static bool cannot_write(const struct wp_slices_output *output)
{
    return wp_fail(wp_error_of_errno(), "cannot write %s (%s)", output->path,
                   errno ? strerror(errno) : "write error");
}

static bool open_file(struct wp_slices_output *output)
{
    output->file = wp_output_open(output->path, output->params.overwrite);
    if (output->file)
        wp_output_on_replace(output->file, wp_sidecar_path_remove);
    return output->file;
}

// Writes to the disk now, in parallel to computing the next slices. Errors must be reported here,
// since they are not reported again at the end.
static bool flush(struct wp_slices_output *output)
{
    FILE *stream = wp_output_stream(output->file);
    const bool ok = fflush(stream) == 0 && (fdatasync(fileno(stream)) == 0 || errno == EINVAL ||
                                            errno == EROFS);
    return (ok && !ferror(stream)) || cannot_write(output);
}

static bool end_file(struct wp_slices_output *output)
{
    return wp_output_commit_pair(&output->file, output->first);
}

static struct wp_image shape_of(const struct wp_slices_output *output, int depth)
{
    const struct wp_slices_info *info = &output->info;
    return (struct wp_image){.width = info->width, .height = info->height, .depth = depth,
                             .planes = 1, .geometry = info->geometry};
}

// The headers of NPY and NIfTI, whose size does not depend on the depth.
static bool write_npy_header(const struct wp_slices_output *output, int depth)
{
    const struct wp_image shape = shape_of(output, depth);
    wp_write_npy_header(wp_output_stream(output->file), &shape, WP_STORED_FLOAT);
    return true;
}

static bool write_nifti_header(const struct wp_slices_output *output, int depth)
{
    const struct wp_image shape = shape_of(output, depth);
    return wp_write_nifti_header(&shape, output->path, wp_output_stream(output->file));
}

static bool begin_volume(struct wp_slices_output *output)
{
    return open_file(output) && output->kind->write_header(output, output->depth);
}

static bool write_floats(struct wp_slices_output *output, const float *from, int count)
{
    const size_t samples = (size_t)output->info.width * (size_t)output->info.height;
    fwrite(from, sizeof *from, samples * (size_t)count, wp_output_stream(output->file));
    return flush(output);
}

// Writes the header again, with the number of slices.
static bool end_volume(struct wp_slices_output *output)
{
    if (fseek(wp_output_stream(output->file), 0, SEEK_SET) != 0)
        return cannot_write(output);
    return output->kind->write_header(output, output->info.depth) && end_file(output);
}

static bool begin_y4m(struct wp_slices_output *output)
{
    const struct wp_slices_info *info = &output->info;
    if (!open_file(output))
        return false;
    wp_write_y4m_header(wp_output_stream(output->file), info->width, info->height,
                        info->geometry.rate);
    return true;
}

static bool write_y4m(struct wp_slices_output *output, const float *from, int count)
{
    return wp_write_y4m_frames(wp_output_stream(output->file), from, output->info.width,
                               output->info.height, count,
                               output->info.origin.peak > 0 ? output->info.origin.peak : 1) &&
           flush(output);
}

static bool begin_frames(struct wp_slices_output *output)
{
    output->frames = wp_frames_create(output->path, 1, output->depth, &output->params);
    return output->frames;
}

static bool write_frames(struct wp_slices_output *output, const float *from, int count)
{
    struct wp_image all = {.width = output->info.width,
                           .height = output->info.height,
                           .depth = count,
                           .planes = 1,
                           .origin = output->info.origin,
                           .plane = {(float *)(uintptr_t)from}};
    bool ok = true;
    for (int z = 0; z < count && ok; z++) {
        const struct wp_image slice = wp_image_slice(&all, z);
        ok = wp_frames_write(output->frames, &slice);
    }
    return ok;
}

static bool end_frames(struct wp_slices_output *output)
{
    return wp_frames_commit(&output->frames, output->first);
}

static const struct kind kinds[] = {
    {WP_FORMAT_NONE, begin_frames, write_frames, end_frames, NULL},
    {WP_FORMAT_NPY, begin_volume, write_floats, end_volume, write_npy_header},
    {WP_FORMAT_NIFTI, begin_volume, write_floats, end_volume, write_nifti_header},
    {WP_FORMAT_Y4M, begin_y4m, write_y4m, end_file, NULL},
};

static const struct kind *find_kind(const char *path, enum wp_content content)
{
    const bool frames = wp_frames_is_sequence(path);
    const enum wp_format format = frames ? WP_FORMAT_NONE : wp_format_of(path);
    if ((!frames && format == WP_FORMAT_NONE) ||
        (format == WP_FORMAT_Y4M && content != WP_CONTENT_PICTURE))
        return NULL;
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (kinds[i].format == format)
            return &kinds[i];
    return NULL;
}

bool wp_slices_can_write(const char *path, enum wp_content content)
{
    struct stat info;
    return find_kind(path, content) && (stat(path, &info) != 0 || S_ISREG(info.st_mode));
}

struct wp_slices_output *wp_slices_create(const char *path, const struct wp_slices_info *info,
                                          const struct wp_write_params *params)
{
    if (!wp_image_write_check_volume(path, 1, info->depth > 1 ? info->depth : 2, params))
        return NULL;
    struct wp_slices_output *output = wp_xcalloc(1, sizeof *output);
    output->kind = find_kind(path, params->content);
    output->info = *info;
    output->info.depth = 0;
    output->depth = info->depth;
    output->params = *params;
    if (params->content == WP_CONTENT_COEFFICIENTS)
        output->hash = wp_samples_hash_create();
    output->path = wp_xstrdup(path);
    if (!output->kind->begin(output))
        wp_slices_discard(&output);
    return output;
}

bool wp_slices_write(struct wp_slices_output *output, const float *from, int count)
{
    const size_t samples = (size_t)output->info.width * (size_t)output->info.height;
    output->info.depth += count;
    if (output->hash)
        wp_samples_hash_add(output->hash, from, samples * (size_t)count);
    return output->kind->write(output, from, count);
}

unsigned long long wp_slices_written(const struct wp_slices_output *output)
{
    return wp_samples_hash_get(output->hash);
}

bool wp_slices_commit(struct wp_slices_output **slot, struct wp_output **first)
{
    (*slot)->first = first;
    const bool ok = (*slot)->kind->end(*slot);
    wp_slices_discard(slot);
    return ok;
}

void wp_slices_discard(struct wp_slices_output **slot)
{
    struct wp_slices_output *output = *slot;
    *slot = NULL;
    if (!output)
        return;
    wp_output_discard(&output->file);
    wp_frames_discard(&output->frames);
    wp_samples_hash_destroy(&output->hash);
    free(output->path);
    free(output);
}
