#include "report_run.h"

#include "channel.h"
#include "log.h"
#include "suggest.h"
#include "plan.h"
#include "reference.h"
#include "wavepass.h"

#include <string.h>

static enum wp_border find_border(const struct wp_wavelet *wavelet, const char *name)
{
    const int found = wp_name_index(name, wp_border_names, WP_BORDER_COUNT);
    if (found >= 0)
        return (enum wp_border)found;
    return wavelet->symmetry == WP_SYMMETRY_NONE ? WP_BORDER_PERIODIC : WP_BORDER_SYMMETRIC;
}

// At least 1, so that an image without levels is rejected with a message by the check of the
// description.
static int max_levels(const struct wp_image *image, enum wp_border border)
{
    const int limit = wp_levels_most((const int[]){image->width, image->height}, border);
    return limit > 0 ? limit : 1;
}

static int minimum(int a, int b)
{
    return a < b ? a : b;
}

static struct wp_description describe(const struct wp_report_params *params,
                                      const struct wp_image *image, enum wp_direction direction)
{
    const struct wp_explain_params *explain = &params->explain;
    const enum wp_border border = find_border(explain->wavelet, params->input.border);
    const int requested = params->input.levels;
    const int levels = requested == 0                ? 1
                       : requested == WP_LEVELS_MOST ? max_levels(image, border)
                                                     : requested;
    return (struct wp_description){
        .wavelet = explain->wavelet,
        .kind = wp_explain_kind(explain),
        .form = explain->form,
        .direction = direction,
        .norm = explain->norm,
        .border = border,
        .levels = levels,
        .levels_z = image->depth > 1 ? minimum(levels, wp_levels_z_most(image->depth, border)) : 0,
        // A volume of one slice has size 1 along z, an image 0.
        .size = {image->width, image->height, wp_explain_dims(explain) == 3 ? image->depth : 0},
    };
}

struct wp_description wp_report_describe(const struct wp_report_params *params,
                                         const struct wp_image *image)
{
    return describe(params, image, params->explain.direction);
}

// Sets the number of dimensions according to the file.
static bool resolve_axes(struct wp_report_params *params, const struct wp_image *image)
{
    struct wp_explain_params *explain = &params->explain;
    const bool planar = explain->kind && explain->kind->fusion == WP_FUSE_PLANE;
    if (image->depth == 1 && planar && !params->input.volume)
        return wp_fail(WP_ERROR_USAGE, "scheme '%s' is for volumes, but %s is an image",
                       explain->kind->name,
                       params->input.image);
    if (image->depth > 1)
        explain->dims = 3;
    return true;
}

// Copies the three planes, without alpha.
static struct wp_image *copy_colour(const struct wp_image *image)
{
    struct wp_image *copy =
        wp_image_create_volume(image->width, image->height, image->depth, WP_COLOURS, false);
    for (int p = 0; p < WP_COLOURS && copy; p++)
        memcpy(copy->plane[p], image->plane[p], wp_image_samples(image) * sizeof(float));
    if (copy)
        copy->origin = image->origin;
    return copy;
}

// Reduces the image to the plane to transform, and copies all three planes to `colour` if it is not
// NULL and pictures are in color.
static bool select_channel(const struct wp_report_input *input, struct wp_image *image,
                           struct wp_image **colour)
{
    const bool in_colour = wp_image_colour_planes(image) == WP_COLOURS;
    enum wp_channel channel = WP_CHANNEL_RGB;
    if (input->channel && !wp_channel_find(input->channel, &channel))
        return false;
    if (channel != WP_CHANNEL_RGB)
        return wp_image_select_channel(image, channel, input->image);
    if (input->channel && !wp_channel_check(channel, wp_image_colour_planes(image), input->image))
        return false;
    if (input->channel && !colour)
        return wp_fail(WP_ERROR_USAGE, "the arithmetic needs one channel, not rgb"
                                       "\nhint: channel 'luma'");
    if (in_colour && colour && !(*colour = copy_colour(image)))
        return false;
    wp_image_to_gray(image);
    return true;
}

// Replaces an image by its coefficients.
static bool make_coefficients(const struct wp_report_params *params, struct wp_image *image)
{
    const struct wp_description forward = describe(params, image, WP_FORWARD);
    const struct wp_execute execute = {.backend = &wp_backend_reference};
    return wp_description_check(&forward) &&
           wp_execute(&execute, &forward, image->planes == WP_COLOURS ? WP_COLOURS : 1,
                      (const float *const *)image->plane, image->plane);
}

struct wp_image *wp_report_read(struct wp_report_params *params, struct wp_image **colour)
{
    struct wp_read_params read = params->input.read;
    read.volume = wp_explain_dims(&params->explain) == 3 ? WP_VOLUME_YES : WP_VOLUME_EITHER;
    size_t nonfinite;
    struct wp_image *planes = NULL;
    struct wp_image *image = wp_image_read_with(params->input.image, &read, &nonfinite);
    bool ok = image && resolve_axes(params, image) &&
              select_channel(&params->input, image, colour ? &planes : NULL);
    if (ok && params->explain.direction == WP_INVERSE)
        ok = make_coefficients(params, image) && (!planes || make_coefficients(params, planes));
    if (!ok) {
        wp_image_destroy(&image);
        wp_image_destroy(&planes);
    }
    if (colour)
        *colour = planes;
    return image;
}
