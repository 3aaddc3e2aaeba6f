// Opens a path as an image, a volume or slices: a single file, or an image sequence.
#include "frames.h"
#include "image_io.h"
#include "slices_io.h"
#include "xmemory.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct frames {
    char *path;
    int first, count, width, height;
};

// Reads the luma of a frame. NULL after an error.
static struct wp_image *read_frame(const struct frames *frames, int number)
{
    char *name = wp_frames_name(frames->path, frames->first + number);
    struct wp_image *image = wp_read_file(name, &(struct wp_read_params){0}, NULL);
    if (image)
        wp_image_to_gray(image);
    if (image && frames->width &&
        (image->width != frames->width || image->height != frames->height)) {
        wp_fail(WP_ERROR_FILE, "%s is %dx%d, but the frames before it are %dx%d", name,
                image->width, image->height, frames->width, frames->height);
        wp_image_destroy(&image);
    }
    free(name);
    return image;
}

static bool read_next(void *state, int number, float *to, bool *end)
{
    const struct frames *frames = state;
    *end = number == frames->count;
    struct wp_image *image = *end ? NULL : read_frame(frames, number);
    if (image)
        memcpy(to, image->plane[0], wp_image_samples(image) * sizeof *to);
    const bool ok = image || *end;
    wp_image_destroy(&image);
    return ok;
}

static void close_frames(void *state)
{
    struct frames *frames = state;
    free(frames->path);
    free(frames);
}

static bool frame_exists(const struct frames *frames, int number)
{
    char *name = wp_frames_name(frames->path, frames->first + number);
    const bool exists = access(name, F_OK) == 0;
    free(name);
    return exists;
}

static struct wp_slices *open_frames(const char *path)
{
    static const struct wp_slices_reader reader = {read_next, close_frames, NULL};
    struct frames *frames = wp_xcalloc(1, sizeof *frames);
    frames->path = wp_xstrdup(path);
    frames->first = wp_frames_first(path);
    while (frames->count < INT_MAX - 1 && frame_exists(frames, frames->count))
        frames->count++;
    struct wp_image *image = read_frame(frames, 0);
    if (!image) {
        close_frames(frames);
        return NULL;
    }
    frames->width = image->width;
    frames->height = image->height;
    const struct wp_slices_info info = {
        .width = image->width,
        .height = image->height,
        .depth = frames->count,
        .origin = image->origin,
        .geometry = {.frames = true},
    };
    wp_image_destroy(&image);
    return wp_slices_create_reader(path, &info, &reader, frames);
}

void wp_image_fill_facts(const struct wp_image *image, const char *path, size_t *nonfinite)
{
    char slices[16] = "";
    if (image->depth > 1)
        snprintf(slices, sizeof slices, "x%d", image->depth);
    wp_log(WP_LOG_VERBOSE, "read: %dx%d%s, %d plane%s", image->width, image->height, slices,
           image->planes, image->planes == 1 ? "" : "s");
    struct wp_value_counts counts = {0};
    if (!image->pixels.data)
        wp_count_values(&counts, &image->origin, image->plane[0],
                        wp_image_samples(image) * (size_t)image->planes);
    wp_warn_of_values(&counts, path);
    *nonfinite = counts.nonfinite;
}

// True for a path with "%d" if volumes are requested and no file has exactly that name.
static bool is_numbered(const char *path, const struct wp_read_params *params)
{
    return params->volume != WP_VOLUME_NO && !params->raw && wp_frames_is_sequence(path) &&
           access(path, F_OK) != 0 && wp_frames_first(path) >= 0;
}

static struct wp_image *read_frames(const char *path, const struct wp_read_params *params,
                                    struct wp_slices **streamed)
{
    struct wp_slices *slices = open_frames(path);
    struct wp_image *image = NULL;
    if (slices && params->facts)
        *params->facts = (struct wp_file_facts){.format = "numbered frames"};
    if (slices && streamed && wp_slices_info(slices)->depth > 1) {
        *streamed = slices;
        return NULL;
    }
    if (slices)
        image = wp_slices_read_image(slices);
    wp_slices_close(&slices);
    return image;
}

static struct wp_image *open_any(const char *path, const struct wp_read_params *params,
                                 struct wp_slices **slices, size_t *nonfinite)
{
    struct wp_image *image = is_numbered(path, params) ? read_frames(path, params, slices)
                                                       : wp_read_file(path, params, slices);
    if (image && nonfinite)
        wp_image_fill_facts(image, path, nonfinite);
    return image;
}

bool wp_slices_open(const char *path, const struct wp_read_params *params,
                    struct wp_slices **slices, struct wp_image **image, size_t *nonfinite)
{
    *slices = NULL;
    *image = open_any(path, params, slices, nonfinite);
    return *image || *slices;
}

struct wp_image *wp_image_read_with(const char *path, const struct wp_read_params *params,
                                    size_t *nonfinite)
{
    return open_any(path, params, NULL, nonfinite);
}

struct wp_image *wp_image_read(const char *path)
{
    return wp_image_read_with(path, &(struct wp_read_params){0}, NULL);
}

struct wp_image *wp_image_read_counted(const char *path, size_t *nonfinite)
{
    return wp_image_read_with(path, &(struct wp_read_params){0}, nonfinite);
}
