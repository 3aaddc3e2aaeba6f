#include "forward_parts.h"

#include "channel.h"
#include "coefficients.h"
#include "command.h"
#include "pixels.h"
#include "suggest.h"
#include "tile_store.h"

#include <string.h>

bool wp_forward_has_packets(const struct wp_forward_options *o)
{
    const char *bank = o->flow.transform.bank;
    return bank && strcmp(bank, wp_bank_names[WP_BANK_PACKETS]) == 0;
}

const char *wp_forward_channel(const struct wp_forward_options *o)
{
    return o->gray ? wp_channel_words[WP_CHANNEL_LUMA] : o->channel;
}

struct wp_write_params wp_forward_picture_params(const struct wp_forward_options *o)
{
    return (struct wp_write_params){.overwrite = o->flow.force, .content = WP_CONTENT_PICTURE};
}

// Checks the outputs before the transform.
static bool check_outputs(const struct wp_flow *f, int planes, int depth)
{
    const struct wp_forward_options *o = f->options;
    const struct wp_write_params write = wp_forward_picture_params(o);
    return (!f->output || wp_coefficients_write_check(f->output, planes, depth, o->flow.force)) &&
           (!o->picture || wp_image_write_check(o->picture, planes, &write));
}

// Selects the channel of --channel or --gray; without them, all planes. Clips that are read slice
// by slice have one plane.
static bool select_channel(struct wp_flow *f)
{
    const char *word = wp_forward_channel(f->options);
    enum wp_channel channel = WP_CHANNEL_RGB;
    return !word || (wp_channel_find(word, &channel) &&
                     (f->image ? wp_image_select_channel(f->image, channel, f->input)
                               : wp_channel_check(channel, 1, f->input)));
}

// NULL, or why the image cannot be processed in row strips.
static const char *unfit_for_strips(const struct wp_flow *f)
{
    const struct wp_forward_options *o = f->options;
    if (!f->single)
        return "several images are processed as a whole";
    if (o->picture)
        return "--picture needs the whole image";
    if (o->half)
        return "--half needs the whole image";
    if (o->check)
        return "--check needs the whole image";
    if (!f->output || !wp_tile_store_can_write(f->output))
        return "only .npy and .tiff are written in row strips";
    return wp_row_pipeline_unfit(&o->flow.transform);
}

// Opens the image row by row if possible, and decides whether it is processed in row strips. False
// after an error.
static bool choose_strips(struct wp_flow *f, struct wp_read_params params)
{
    const struct wp_forward_options *o = f->options;
    struct wp_flow_strips *s = &f->strips;
    bool strips = false;
    params.facts = &s->facts;
    if (!wp_memory_limit(o->flow.memory, &f->limit) ||
        !wp_rows_open(f->input, &params, &s->rows, &s->unfit))
        return false;
    if (!s->rows)
        return true;
    const struct wp_image shape = wp_rows_shape(wp_rows_info(s->rows));
    s->unfit = NULL;
    if (!wp_memory_choose(&f->limit, wp_run_memory(f->params, &shape), f->input, unfit_for_strips(f),
                          &strips))
        return false;
    f->kind = strips ? WP_FLOW_STRIPS : WP_FLOW_IMAGE;
    return true;
}

// Reads the image to memory, or opens a clip by slices. False after an error.
static bool read_samples(struct wp_flow *f, struct wp_read_params params)
{
    const struct wp_forward_options *o = f->options;
    struct wp_flow_strips *s = &f->strips;
    const bool sliced = f->params->gop > 0 && !o->picture && !o->half &&
                        wp_slices_can_write(f->output, WP_CONTENT_COEFFICIENTS);
    params.facts = &s->facts;
    if (s->rows && !sliced) {
        // Integers without conversion, unless a channel is selected: luma is not an integer.
        const bool pixels =
            !wp_forward_channel(o) && f->params->gop == 0 && wp_image_has_pixels(&s->facts);
        f->image = pixels ? wp_image_read_pixels(s->rows, &s->facts) : wp_rows_read_image(s->rows);
        wp_rows_close(&s->rows);
        if (f->image)
            wp_image_fill_facts(f->image, f->input, &f->values.nonfinite);
        return f->image;
    }
    wp_rows_close(&s->rows);
    s->facts = (struct wp_file_facts){0};
    if (sliced)
        return wp_slices_open(f->input, &params, &f->groups.from, &f->image,
                              &f->values.nonfinite);
    f->image = wp_image_read_with(f->input, &params, &f->values.nonfinite);
    return f->image;
}

// Gets the type of the integers of a reversible transform, and reads them unless they are pixels.
static bool read_integers(struct wp_flow *f)
{
    if (f->image->pixels.data)
        f->stored = wp_image_stored(&f->strips.facts);
    return f->image->pixels.data ||
           wp_image_read_integers(f->image, &f->strips.facts, f->input, &f->stored);
}

// Checks the memory limit for an image that could not be opened row by row, whose size is known
// only after reading it.
static bool fits_limit(const struct wp_flow *f)
{
    bool strips;
    return !f->strips.unfit || wp_memory_choose(&f->limit, wp_run_memory(f->params, f->image), f->input,
                                                f->strips.unfit, &strips);
}

// Subbands of a volume with a border of PyWavelets have no common slices.
static bool check_picture(const struct wp_flow *f)
{
    const struct wp_forward_options *o = f->options;
    const char *border = f->params->border;
    const int number = border ? wp_name_index(border, wp_border_names, WP_BORDER_COUNT) : 0;
    return !o->picture || f->image->depth == 1 || number < WP_BORDER_NATIVE ||
           wp_fail(WP_ERROR_USAGE, "--picture does not support border '%s' for volumes, and %s is "
                   "one\nhint: border '%s' or '%s'", border, f->input,
                   wp_border_names[WP_BORDER_SYMMETRIC], wp_border_names[WP_BORDER_PERIODIC]);
}

bool wp_forward_read(struct wp_flow *f)
{
    const struct wp_forward_options *o = f->options;
    const struct wp_read_params params = wp_run_read_params(&o->flow.volume);
    if (o->axes || o->wide)
        return wp_array_pipeline_read(f, o->axes, o->wide);
    if (!check_outputs(f, 1, 1))
        return false;
    wp_progress("reading %s", f->input);
    if (!choose_strips(f, params))
        return false;
    if (f->kind == WP_FLOW_STRIPS)
        return true;
    if (!read_samples(f, params) || !select_channel(f))
        return false;
    if (f->groups.from) {
        f->kind = WP_FLOW_GROUPS;
        return true;
    }
    if (f->params->reversible && !read_integers(f))
        return false;
    if (o->picture && f->image->depth > 1 && wp_forward_has_packets(o))
        return wp_fail(WP_ERROR_USAGE, "--picture does not support volumes of bank '%s'",
                       wp_bank_names[WP_BANK_PACKETS]);
    if (o->tile && f->image->depth > 1)
        return wp_fail(WP_ERROR_USAGE, "--tile is for images, and %s is a volume", f->input);
    return check_picture(f) && fits_limit(f) && check_outputs(f, f->image->planes, f->image->depth);
}
