#include "batch.h"
#include "channel.h"
#include "gop_pipeline.h"
#include "coefficients.h"
#include "command.h"
#include "image.h"
#include "transform_cache.h"
#include "memory.h"
#include "output_path.h"
#include "tile_store.h"
#include "picture.h"
#include "pixels.h"
#include "run.h"
#include "row_pipeline.h"
#include "subbands.h"
#include "transform.h"
#include "wavepass.h"
#include "integer_samples.h"
#include "xmemory.h"

#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

struct options {
    struct wp_transform_params transform;
    struct wp_volume_options volume;
    const char *output, *picture, *subbands, *suffix, *channel, *compression, *memory;
    int tile;
    bool gray, half, no_labels, no_check, force;
};

static const char *const compressions[] = {"none", "deflate"};

static const struct wp_option options[] = {
    {.name = "output",
     .letter = 'o',
     .kind = WP_OPTION_TEXT,
     .value = "COEFFS",
     .help = "coefficient file: .npy, .tiff, .nii, .pfm or .exr, with metadata in COEFFS.json; "
             ".npz with one array per subband; - writes NPY to stdout",
     .offset = offsetof(struct options, output)},
    {.name = "subbands",
     .kind = WP_OPTION_WORD,
     .value = "WORDS",
     .help = "names of the arrays in a .npz; pywt: also PyWavelets' signs, border periodic and "
             "norm orthonormal (default wavepass)",
     .offset = offsetof(struct options, subbands),
     .words = wp_naming_names,
     .word_count = WP_NAMING_COUNT},
    {.name = "tile",
     .kind = WP_OPTION_INT,
     .value = "N",
     .help = "write a .tiff in tiles of N columns, a multiple of 16: a BigTIFF with one page per "
             "subband",
     .offset = offsetof(struct options, tile),
     .minimum = 16,
     .maximum = WP_TILE_COLUMNS_MAX},
    {.name = "compression",
     .kind = WP_OPTION_WORD,
     .value = "WORD",
     .help = "compression of tiles (default none)",
     .offset = offsetof(struct options, compression),
     .words = compressions,
     .word_count = 2},
    {.name = "half",
     .kind = WP_OPTION_FLAG,
     .help = "write a .npy or .exr of 16-bit floats, half as large; the round-trip check uses the "
             "rounded coefficients",
     .offset = offsetof(struct options, half)},
    {.name = "picture",
     .kind = WP_OPTION_TEXT,
     .value = "FILE.png",
     .help = "preview image of the subbands, for volumes in slices; details are centered on mid "
             "gray and stretched per subband",
     .offset = offsetof(struct options, picture)},
    {.name = "no-labels",
     .kind = WP_OPTION_FLAG,
     .help = "no subband names and no caption in the preview image",
     .offset = offsetof(struct options, no_labels)},
    {.name = "no-check",
     .kind = WP_OPTION_FLAG,
     .help = "skip the round-trip check",
     .offset = offsetof(struct options, no_check)},
    {.name = "gray",
     .kind = WP_OPTION_FLAG,
     .help = "same as --channel luma",
     .offset = offsetof(struct options, gray)},
    WP_OPTIONS(struct options, channel, wp_options_channel),
    WP_OPTIONS(struct options, transform, wp_options_scheme),
    WP_OPTIONS(struct options, transform, wp_options_reversible),
    WP_OPTIONS(struct options, transform, wp_options_layout),
    WP_OPTIONS(struct options, transform, wp_options_slices),
    WP_OPTIONS(struct options, volume, wp_options_volume),
    WP_OPTIONS(struct options, memory, wp_options_memory),
    WP_OPTIONS(struct options, transform, wp_options_backend),
    WP_OPTIONS(struct options, transform, wp_options_precision),
    WP_OPTIONS(struct options, suffix, wp_options_suffix),
    WP_OPTIONS(struct options, force, wp_options_force),
    {0},
};

// What a call holds.
struct shared {
    struct options options;
    enum wp_naming naming;
    struct wp_transform_cache kept;
};

// What the work on an image holds. Everything in it is released by end().
struct work {
    struct wp_batch_item item;
    const struct wp_call *call;
    struct options own; // with this image's output
    const struct options *options;
    enum wp_naming naming;
    struct wp_transform_cache *kept;
    struct wp_sidecar sidecar; // once it is transformed: another image may have the transform then
    struct wp_image *image, *coefficients;
    struct wp_transform *transform; // the keeper's, or the clip's
    enum wp_chosen_by chosen_by; // its scheme and variant
    enum wp_stored stored; // of the image's integers, where the transform is reversible
    size_t nonfinite;
    double seconds;   // of all passes
    double max_error; // of the round trip; NaN where it cannot be told
    const char *whole_because; // NULL, or why no rows of the image could be had
    struct wp_gop_pipeline clip; // what goes group after group, in place of the images; else no slices
    struct wp_row_pipeline strips; // what goes in strips of rows, likewise; else no rows
};

static bool is_stdout(const char *path)
{
    return path && strcmp(path, "-") == 0;
}

// PyWavelets keeps as many coefficients as there are samples in one way alone.
static enum wp_naming settle_naming(struct options *o)
{
    if (!o->subbands || strcmp(o->subbands, wp_naming_names[WP_NAMING_PYWT]) != 0)
        return WP_NAMING_WAVEPASS;
    if (!o->transform.border)
        o->transform.border = wp_border_names[WP_BORDER_PERIODIC];
    if (!o->transform.norm)
        o->transform.norm = wp_norm_names[WP_NORM_ORTHONORMAL];
    return WP_NAMING_PYWT;
}

// What is for a single image alone.
static bool check_many(const struct options *o)
{
    if (o->picture)
        return wp_fail(WP_ERROR_USAGE, "--picture is for one image, not for a folder");
    return o->transform.gop == 0 ||
           wp_fail(WP_ERROR_USAGE, "--gop is for one clip, not for a folder");
}

static bool check_tile(const struct options *o, const char *kind)
{
    const char *layout = o->transform.layout;
    if (!kind || !wp_tile_store_is_tiff(kind))
        return wp_fail(WP_ERROR_USAGE, "--tile is for a .tiff\nhint: -o c.tiff");
    if (layout && strcmp(layout, wp_layout_names[WP_LAYOUT_MALLAT]) != 0)
        return wp_fail(WP_ERROR_USAGE, "--tile writes one page per subband, and --layout %s has "
                                       "all subbands in one", layout);
    return o->tile % 16 == 0 ||
           wp_fail(WP_ERROR_USAGE, "--tile %d is not a multiple of 16, which TIFF requires"
                                   "\nhint: %d",
                   o->tile, (o->tile + 8) / 16 * 16);
}

static bool check_half(const struct options *o, const char *kind)
{
    const size_t length = kind ? strlen(kind) : 0;
    const char *suffix = length >= 4 ? kind + length - 4 : "";
    if (strcmp(suffix, ".npy") != 0 && strcmp(suffix, ".exr") != 0 && !is_stdout(kind))
        return wp_fail(WP_ERROR_USAGE, "--half is for a .npy or .exr\nhint: -o c.npy");
    return !o->transform.reversible ||
           wp_fail(WP_ERROR_USAGE, "--half has too few digits for the integers of --reversible");
}

static bool check_options(const struct wp_call *call, const struct options *o)
{
    const bool many = wp_batch_is_many(call, o->output);
    if (many && !check_many(o))
        return false;
    if (o->suffix && !many)
        return wp_fail(WP_ERROR_USAGE, "--suffix is for a folder\nhint: -o DIR/");
    if (!o->output && !o->picture)
        return wp_fail(WP_ERROR_USAGE, "no output"
                                       "\nhint: -o c.npy writes the coefficients, --picture "
                                       "bands.png a preview image of them");
    if (o->no_labels && !o->picture)
        return wp_fail(WP_ERROR_USAGE, "--no-labels needs --picture");
    if (is_stdout(o->output) && call->common.json)
        return wp_fail(WP_ERROR_USAGE, "--json and -o - both write to stdout\nhint: -o FILE");
    if (o->gray && o->channel)
        return wp_fail(WP_ERROR_USAGE, "--gray is --channel luma and contradicts --channel %s",
                       o->channel);
    const bool luma = o->channel && strcmp(o->channel, wp_channel_words[WP_CHANNEL_LUMA]) == 0;
    if ((o->gray || luma) && o->transform.reversible)
        return wp_fail(WP_ERROR_USAGE, "%s makes fractions of integers, which --reversible does "
                                       "not support", o->gray ? "--gray" : "--channel luma");
    const char *kind = many ? o->suffix : o->output;
    if (o->subbands && !(kind && wp_sidecar_is_inside(kind)))
        return wp_fail(WP_ERROR_USAGE, "--subbands is for a .npz\nhint: -o c.npz");
    if (o->compression && !o->tile)
        return wp_fail(WP_ERROR_USAGE, "--compression is for tiles\nhint: --tile %d",
                       WP_TILE_COLUMNS);
    if (o->tile && !check_tile(o, kind))
        return false;
    if (o->half && !check_half(o, kind))
        return false;
    if (is_stdout(o->picture))
        return wp_fail(WP_ERROR_USAGE, "--picture needs the name of a file, not -");
    return wp_output_check_apart(
        (const struct wp_output_named[]){{"-o", o->output}, {"--picture", o->picture}}, 2);
}

static struct wp_write_params picture_params(const struct options *o)
{
    return (struct wp_write_params){.overwrite = o->force, .content = WP_CONTENT_PICTURE};
}

// Refuses whatever can be refused before the work begins.
static bool check_outputs(const struct options *o, int planes, int depth)
{
    const struct wp_write_params seen = picture_params(o);
    return (!o->output || wp_coefficients_write_check(o->output, planes, depth, o->force)) &&
           (!o->picture || wp_image_write_check(o->picture, planes, &seen));
}

static const char *channel_of(const struct options *o)
{
    return o->gray ? wp_channel_words[WP_CHANNEL_LUMA] : o->channel;
}

// All planes where none was asked for. Clips that come slice after slice have one.
static bool take_channel(struct work *w)
{
    const struct options *o = w->options;
    const char *word = channel_of(o);
    enum wp_channel channel = WP_CHANNEL_RGB;
    if (!word)
        return true;
    return wp_channel_find(word, &channel) &&
           (w->clip.from ? wp_channel_check(channel, 1, w->item.input)
                         : wp_image_select_channel(w->image, channel, w->item.input));
}

// NULL, or why an image cannot go in strips.
static const char *unfit_for_strips(const struct work *w)
{
    const struct options *o = w->options;
    if (!w->item.alone)
        return "several images are processed as a whole";
    if (o->picture)
        return "--picture needs the whole image";
    if (o->half)
        return "--half needs the whole image";
    if (!o->output || !wp_tile_store_can_write(o->output))
        return "only .npy and .tiff are written in row strips";
    return wp_row_pipeline_unfit(&o->transform);
}

// Opens the image as rows where it has any, and says whether it is to go in strips of them. False
// after an error.
static bool choose_strips(struct work *w, const struct wp_read_params *given, bool *strips)
{
    const struct options *o = w->options;
    struct wp_row_pipeline *s = &w->strips;
    struct wp_read_params params = *given;
    const char *why = NULL;
    *strips = false;
    params.facts = &s->facts;
    if (!wp_memory_limit(o->memory, &s->limit) ||
        !wp_rows_open(w->item.input, &params, &s->rows, &why))
        return false;
    if (!s->rows) {
        w->whole_because = why;
        return true;
    }
    const struct wp_rows_info *info = wp_rows_info(s->rows);
    return wp_memory_choose(&s->limit, wp_memory_of_image(info->width, info->height, info->planes),
                            w->item.input, unfit_for_strips(w), strips);
}

// Whether the rows that were opened become an image of integers as they are: a channel may be a
// fraction of several.
static bool takes_pixels(const struct work *w)
{
    const struct options *o = w->options;
    return w->strips.rows && !channel_of(o) && o->transform.gop == 0 &&
           wp_image_has_pixels(&w->strips.facts);
}

// That image. False after an error.
static bool read_pixels(struct work *w)
{
    w->image = wp_image_read_pixels(w->strips.rows, &w->strips.facts);
    wp_rows_close(&w->strips.rows);
    if (!w->image)
        return false;
    wp_image_fill_facts(w->image, w->item.input, &w->nonfinite);
    if (w->options->transform.reversible)
        w->stored = wp_image_stored(&w->strips.facts);
    return check_outputs(w->options, w->image->planes, 1);
}

// Of what was read as a whole, for a reason that only then has a size.
static bool fits_limit(const struct work *w)
{
    const struct wp_image *image = w->image;
    bool strips;
    return !w->whole_because ||
           wp_memory_choose(&w->strips.limit,
                            image->depth * wp_memory_of_image(image->width, image->height,
                                                           image->planes),
                            w->item.input, w->whole_because, &strips);
}

// Slice after slice where groups of them go in and come out one after another.
static bool read_image(struct work *w)
{
    const struct options *o = w->options;
    struct wp_read_params params = wp_run_read_params(&o->volume);
    struct wp_file_facts facts = {0};
    bool strips;
    params.facts = &facts;
    wp_progress("reading %s", w->item.input);
    if (!choose_strips(w, &params, &strips))
        return false;
    if (strips)
        return true;
    if (takes_pixels(w))
        return read_pixels(w);
    wp_rows_close(&w->strips.rows);
    if (o->transform.gop > 0 && !o->picture && !o->half &&
        wp_slices_can_write(o->output, WP_CONTENT_COEFFICIENTS)) {
        if (!wp_slices_open(w->item.input, &params, &w->clip.from, &w->image,
                            &w->nonfinite))
            return false;
    } else {
        w->image = wp_image_read_with(w->item.input, &params, &w->nonfinite);
    }
    if ((w->clip.from || w->image) && !take_channel(w))
        return false;
    if (w->clip.from)
        return true;
    if (w->image && o->transform.reversible &&
        !wp_image_read_integers(w->image, &facts, w->item.input, &w->stored))
        return false;
    if (w->image && o->tile && w->image->depth > 1)
        return wp_fail(WP_ERROR_USAGE, "--tile is for images, and %s is a volume", w->item.input);
    return w->image && fits_limit(w) && check_outputs(w->options, w->image->planes, w->image->depth);
}

// Samples of the image, wherever they are.
static bool transform_samples(const struct work *w)
{
    const struct wp_image *in = w->image;
    const struct wp_memory to = {.array.data = w->coefficients->plane[0]};
    struct wp_pixels pixels = in->pixels;
    if (!pixels.data)
        return wp_transform_forward(w->transform, in->plane[0], to.array.data);
    if (w->options->transform.reversible)
        pixels.maximum = 0;
    return wp_transform_forward_pixels(w->transform, &pixels, &to);
}

static void copy_alpha(const struct work *w)
{
    const struct wp_image *in = w->image;
    const size_t width = (size_t)in->width, rows = wp_image_samples(in) / width;
    for (size_t y = 0; y < rows; y++) {
        float *to = w->coefficients->plane[in->planes - 1] + y * width;
        const float *row =
            wp_image_row(in, in->planes - 1, y, w->options->transform.reversible, to);
        if (row != to)
            memcpy(to, row, width * sizeof *to);
    }
}

// Rounds the coefficients as the file stores them, so that the round-trip check uses these. Rejects
// coefficients that 16-bit floats cannot represent: larger than 65504, or all of them within a few
// steps of 2^-24.
static bool round_halves(const struct work *w)
{
    const double largest = wp_integer_samples_largest(w->coefficients), least = 10 * 0x1p-24;
    if (largest > 0 && largest < least)
        return wp_fail(WP_ERROR_FILE, "%s: the coefficients are too small for 16-bit floats (%.2g "
                                      "at most)"
                                      "\nhint: omit --half, or scale the image", w->item.input,
                       largest);
    const size_t lost = wp_image_round_halves(w->coefficients);
    return lost == 0 ||
           wp_fail(WP_ERROR_FILE, "%s: %zu coefficient%s too large for 16-bit floats (65504)"
                                  "\nhint: omit --half, or scale the image", w->item.input, lost,
                   lost == 1 ? " is" : "s are");
}

static bool transform_planes(struct work *w)
{
    const struct wp_image *in = w->image;
    w->coefficients =
        wp_image_create_volume(in->width, in->height, in->depth, in->planes, in->alpha);
    if (!w->coefficients)
        return false;
    w->coefficients->origin = in->origin;
    w->coefficients->geometry = in->geometry;
    const int planes = wp_image_colour_planes(in);
    wp_progress("transforming %d plane%s", planes, WP_PLURAL(planes));
    if (!transform_samples(w))
        return false;
    w->seconds = wp_run_done(w->transform);
    if (w->options->transform.reversible)
        wp_integer_samples_unsign_zeros(w->coefficients);
    if (in->alpha)
        copy_alpha(w);
    return !w->options->half || round_halves(w);
}

static struct wp_sidecar describe(const struct work *w)
{
    const struct options *o = w->options;
    const struct wp_transform_info *info = wp_transform_get_info(w->transform);
    struct wp_sidecar sidecar = wp_sidecar_of(wp_transform_description(w->transform),
                                              o->transform.wavelet, info->backend, info->variant);
    sidecar.scheme_named = o->transform.scheme != NULL;
    sidecar.stored = w->stored;
    sidecar.naming = w->naming;
    sidecar.half = o->half;
    sidecar.tile = o->tile;
    sidecar.deflate = o->compression && strcmp(o->compression, "deflate") == 0;
    return sidecar;
}

// Before minutes of work.
static bool check_subbands(const struct work *w)
{
    if (!w->options->output || !wp_sidecar_is_inside(w->options->output))
        return true;
    struct wp_sidecar sidecar = describe(w);
    sidecar.depth = w->image->depth;
    return wp_subbands_check(&sidecar);
}

static void tell_pywt(const struct work *w)
{
    const char *name = wp_subbands_pywt_name(&w->sidecar.wavelet);
    if (w->naming == WP_NAMING_PYWT)
        wp_log(WP_LOG_INFO, "pywt.waverec2() reads %s with wavelet '%.*s', mode 'periodization'",
               w->options->output, (int)strcspn(name, " "), name);
}

static bool write_coefficients(struct work *w)
{
    const struct options *o = w->options;
    wp_progress("writing %s", o->output);
    if (!wp_coefficients_write(w->coefficients, &w->sidecar, o->output, o->force))
        return false;
    wp_log(WP_LOG_VERBOSE, "coefficients written");
    tell_pywt(w);
    return true;
}

static bool write_picture(struct work *w)
{
    const struct wp_description *plan = wp_transform_description(w->transform);
    const struct wp_transform_info *info = wp_transform_get_info(w->transform);
    struct wp_text caption = {0};
    const int depth = w->coefficients->depth, slices = wp_description_depth(plan);
    wp_text_add(&caption, "%s, %d level%s, ", info->name, info->levels, WP_PLURAL(info->levels));
    if (depth > 1)
        wp_text_add(&caption, "%d along z, %s, ", info->levels_z,
                    wp_decomposition_names[plan->decomposition]);
    wp_text_add(&caption, "%s, norm %s, %dx%d", wp_border_names[plan->border],
                wp_norm_names[plan->norm], plan->size[WP_X], plan->size[WP_Y]);
    if (depth > 1)
        wp_text_add(&caption, "x%d", depth);
    if (slices < depth)
        wp_text_add(&caption, ", the first %d slices", slices);
    const struct wp_picture_params params = {
        .levels = info->levels,
        .layout = plan->layout,
        .labels = !w->options->no_labels,
        .caption = w->options->no_labels ? NULL : wp_text_get(&caption),
    };
    const struct wp_write_params write = picture_params(w->options);
    // Beside the transform's memory, image, coefficients and picture would be more than the
    // program may take.
    wp_transform_rest(w->transform);
    wp_progress("drawing %s", w->options->picture);
    // Pictures are of samples up to 1.
    const double largest = fmax(wp_integer_samples_largest(w->image), 1);
    if (plan->reversible)
        wp_integer_samples_scale(w->coefficients, 1 / largest, false);
    struct wp_image *picture = depth > 1
                                   ? wp_picture_create_volume(w->coefficients, plan, &params)
                                   : wp_picture_create(w->coefficients, &params);
    wp_text_free(&caption);
    const bool ok = picture && wp_image_write(picture, w->options->picture, &write);
    wp_image_destroy(&picture);
    if (plan->reversible)
        wp_integer_samples_scale(w->coefficients, largest, true);
    if (ok)
        wp_log(WP_LOG_VERBOSE, "preview image written");
    return ok;
}

static void warn_of_infinity(const struct work *w)
{
    if (isinf(w->max_error))
        wp_log(WP_LOG_WARNING, "the image's values are too large for %d-bit samples: some are not "
                               "finite after the round trip"
                               "\nhint: scale the image",
               wp_transform_description(w->transform)->precision == WP_PRECISION_F16 ? 16 : 32);
}

// The largest difference of the image from what came back.
static double difference(const struct work *w, const float *back, float *room)
{
    const struct wp_image *image = w->image;
    const size_t width = (size_t)image->width, rows = wp_image_samples(image) / width;
    double all = 0;
    for (int p = 0; p < wp_image_colour_planes(image); p++)
        for (size_t y = 0; y < rows; y++, back += width)
            all = fmax(all, wp_run_difference(
                                back,
                                wp_image_row(image, p, y, w->options->transform.reversible, room),
                                width));
    return all;
}

// A driver that runs out of memory may leave out a draw without a word; rounding is far from this.
static bool came_back(const struct work *w, float *room)
{
    const struct wp_image *image = w->image;
    const size_t width = (size_t)image->width, rows = wp_image_samples(image) / width;
    const double least = isfinite(w->max_error) ? w->max_error / 0.05 : 0;
    for (int p = 0; p < wp_image_colour_planes(image); p++) {
        for (size_t y = 0; y < rows; y++) {
            const float *row =
                wp_image_row(image, p, y, w->options->transform.reversible, room);
            for (size_t x = 0; x < width; x++)
                if (fabs((double)row[x]) >= least)
                    return true;
        }
    }
    const bool halves = w->options->half || wp_transform_description(w->transform)->precision ==
                                                WP_PRECISION_F16;
    return wp_fail(WP_ERROR_MISMATCH,
                   "the coefficients do not reconstruct the image (max|err| %.2g)"
                   "\nhint: %s", w->max_error,
                   halves && w->max_error < 0x1p-14
                       ? "its values are too small for 16-bit floats: scale it, or use 32 bits"
                       : "'wavepass verify' checks the backends of this machine");
}

static bool turn_back(struct work *w, struct wp_transform *transform, float *back)
{
    if (!wp_transform_inverse(transform, w->coefficients->plane[0], back))
        return false;
    float *room = wp_xmalloc((size_t)w->image->width * sizeof *room);
    w->max_error = difference(w, back, room);
    wp_log(WP_LOG_VERBOSE, "round trip checked");
    warn_of_infinity(w);
    const bool ok = came_back(w, room);
    free(room);
    return ok;
}

// A single image's coefficients are written by now, and are turned back in their own memory: a plane
// more would be a sixth of all that the program may take. Those of many are still wanted; and a
// transform that goes to and fro makes its memory anew each time.
static bool check_round_trip(struct work *w)
{
    const int planes = wp_image_colour_planes(w->image);
    w->max_error = NAN;
    if (w->nonfinite || w->options->no_check)
        return true;
    wp_progress("checking %d plane%s", planes, WP_PLURAL(planes));
    if (w->item.alone)
        return turn_back(w, w->transform, w->coefficients->plane[0]);
    enum wp_chosen_by by;
    struct wp_transform *transform =
        wp_transform_cache_get(w->kept, &w->options->transform, w->image, WP_INVERSE, 0, &by);
    float *back = transform ? wp_allocate_pages(wp_image_samples(w->image) * (size_t)planes,
                                                sizeof *back, "the reconstructed image")
                            : NULL;
    const bool ok = back && turn_back(w, transform, back);
    free(back);
    return ok;
}

static struct wp_image shape_of(const struct work *w)
{
    return w->strips.done ? w->strips.shape : w->image ? *w->image : wp_gop_pipeline_shape(&w->clip);
}

static void add_summary(const struct work *w, struct wp_text *text)
{
    const struct wp_image shape = shape_of(w);
    wp_run_summary(w->transform, &shape, w->seconds, text);
    if (w->clip.slices)
        wp_gop_pipeline_add_rate(&w->clip, text);
    if (w->strips.done)
        wp_row_pipeline_add_summary(&w->strips, text);
    char number[WP_NUMBER_SIZE];
    if (w->options->no_check || w->strips.done)
        wp_text_add(text, ", round trip not checked");
    else if (w->nonfinite)
        wp_text_add(text, ", round trip not checked: %zu value%s not finite", w->nonfinite,
                    WP_PLURAL_IS(w->nonfinite));
    else
        wp_text_add(text, ", round trip max|err| %s",
                    wp_format_number(number, w->max_error, 2));
}

static json_t *result_of(const struct work *w)
{
    const struct wp_image shape = shape_of(w);
    json_t *result = wp_run_json(w->call, w->transform, &shape, w->options->transform.backend,
                                 w->chosen_by, w->seconds);
    if (w->clip.slices)
        wp_gop_pipeline_add_json(&w->clip, result);
    if (w->strips.done)
        wp_row_pipeline_add_json(&w->strips, result);
    json_object_set_new(result, "nonfinite", json_integer((json_int_t)w->nonfinite));
    json_object_set_new(result, "round_trip_max_error", wp_json_number(w->max_error));
    char *sidecar = w->options->output ? wp_sidecar_path(w->options->output) : NULL;
    json_object_set_new(result, "files",
                        json_pack("{s:o, s:o, s:o}", "coefficients",
                                  wp_json_text(w->options->output), "sidecar",
                                  wp_json_text(sidecar), "picture",
                                  wp_json_text(w->options->picture)));
    free(sidecar);
    return result;
}

static void tell(struct work *w)
{
    add_summary(w, &w->item.summary);
    if (w->call->common.json)
        w->item.result = result_of(w);
}

// Group after group.
static bool forward_clip(struct work *w)
{
    struct wp_gop_pipeline *clip = &w->clip;
    const struct options *o = w->options;
    clip->options = &o->transform;
    clip->gop = o->transform.gop;
    clip->direction = WP_FORWARD;
    clip->check = !o->no_check;
    clip->to = wp_coefficients_create(o->output, wp_slices_info(clip->from), o->force);
    if (!clip->to || !wp_gop_pipeline_run(clip))
        return false;
    const struct wp_transform_info *info = wp_transform_get_info(clip->transform);
    struct wp_sidecar sidecar = wp_sidecar_of(wp_transform_description(clip->transform),
                                              o->transform.wavelet, info->backend, info->variant);
    sidecar.depth = clip->slices;
    sidecar.scheme_named = o->transform.scheme != NULL;
    if (!wp_coefficients_commit(&clip->to, wp_slices_info(clip->from), &sidecar, o->output,
                                o->force))
        return false;
    wp_gop_pipeline_log(clip);
    w->transform = clip->transform;
    w->nonfinite = clip->value_counts.nonfinite;
    w->max_error = clip->max_error;
    w->seconds = clip->seconds.transform;
    w->chosen_by = clip->chosen_by;
    warn_of_infinity(w);
    return true;
}

// Row after row; what that writes is not read again.
static bool forward_strips(struct work *w)
{
    struct wp_row_pipeline *s = &w->strips;
    const struct options *o = w->options;
    s->options = &o->transform;
    s->output = o->output;
    s->overwrite = o->force;
    s->channel = channel_of(o);
    s->tile = o->tile;
    s->deflate = o->compression && strcmp(o->compression, "deflate") == 0;
    if (!wp_row_pipeline_forward(s))
        return false;
    w->transform = s->transform;
    w->nonfinite = s->value_counts.nonfinite;
    w->max_error = NAN;
    w->seconds = s->seconds;
    w->chosen_by = WP_CHOSEN_BY_RULE;
    return true;
}

static bool read_work(void *work)
{
    struct work *w = work;
    return check_outputs(w->options, 1, 1) && read_image(w);
}

static bool compute_work(void *work)
{
    struct work *w = work;
    const struct options *o = w->options;
    if (w->clip.from)
        return forward_clip(w);
    if (w->strips.rows)
        return forward_strips(w);
    w->transform = wp_transform_cache_get(w->kept, &o->transform, w->image, WP_FORWARD, w->nonfinite,
                               &w->chosen_by);
    if (!w->transform || !check_subbands(w) ||
        (o->transform.reversible &&
         !wp_integer_samples_check_range(w->transform, w->image, w->item.input)) ||
        !transform_planes(w))
        return false;
    w->sidecar = describe(w);
    if (w->item.alone)
        return true;
    const bool ok = check_round_trip(w);
    if (ok)
        tell(w);
    wp_image_destroy(&w->image);
    return ok;
}

static bool write_work(void *work)
{
    struct work *w = work;
    const bool written = w->clip.from || w->strips.done;
    if (!written && w->options->output && !write_coefficients(w))
        return false;
    if (!w->item.alone)
        return true;
    if (!written && w->options->picture && !write_picture(w))
        return false;
    // Last, because it uses up the coefficients.
    if (!written && !check_round_trip(w))
        return false;
    tell(w);
    return true;
}

static void begin_work(void *work, const struct wp_call *call, void *user)
{
    struct work *w = work;
    struct shared *shared = user;
    w->call = call;
    w->own = shared->options;
    w->own.output = w->item.output;
    w->options = &w->own;
    w->naming = shared->naming;
    w->kept = &shared->kept;
}

static void end_work(void *work)
{
    struct work *w = work;
    wp_gop_pipeline_end(&w->clip);
    wp_row_pipeline_end(&w->strips);
    wp_image_destroy(&w->image);
    wp_image_destroy(&w->coefficients);
}

static enum wp_error run(const struct wp_call *call)
{
    struct shared shared = {.options = *(const struct options *)call->options};
    struct options *o = &shared.options;
    shared.naming = settle_naming(o);
    if (!o->suffix && wp_batch_is_many(call, o->output))
        o->suffix = o->subbands ? ".npz" : ".npy";
    if (!check_options(call, o))
        return wp_last_error();
    const struct wp_batch batch = {sizeof(struct work), o->output, o->suffix, begin_work, read_work,
                                   compute_work, write_work, end_work};
    const enum wp_error code = wp_batch_run(call, &batch, &shared);
    wp_transform_cache_end(&shared.kept);
    return code;
}

const struct wp_command wp_command_forward = {
    .name = "forward",
    .alias = "fwd",
    .summary = "image to wavelet coefficients, and a preview image of them",
    .arguments = "IN... -o COEFFS",
    .description =
        "Transforms each channel of an image, then inverts the result and reports the round-trip "
        "error. Alpha is copied unchanged. Color images are transformed in red, green and blue, "
        "or with --channel in luma or one of these; --picture shows three channels in color, with "
        "details centered on mid gray. Pictures of 8 and 16-bit integers are scaled to 0..1, and "
        "other samples keep their values (--values); with --reversible all integers do, and "
        "coefficients are 32-bit integers.\n\n"
        "IN is a PNG, JPEG, BMP, TGA, PBM, PGM, PPM, PAM, HDR, PFM, TIFF, NPY, EXR or FITS file, "
        "- for stdin, or a built-in pattern:NAME[:WxH]. Images are rotated according to their EXIF "
        "orientation. For "
        "volumes (NPY, NIfTI, TIFF of several pages, Y4M, FITS, or --raw) all three axes are "
        "transformed (single channel). --levels-z, --decomposition and --gop apply to the z axis "
        "and require a backend that supports volumes (see 'wavepass info').\n\n"
        "A video (such as MP4, WebM, AVI, or video:FILE) is decoded by ffmpeg, which must be "
        "installed. With --gop N, groups of N frames are read, transformed and written "
        "concurrently, in memory that does not grow with the clip, from videos, Y4M, NPY, NIfTI, "
        "TIFF, --raw and numbered images (frame-%04d.png) to .npy and .nii.\n\n"
        "Images larger than --memory (default: a quarter of RAM) are processed in row strips on "
        "the cpu backend, from TIFF, PNG, PNM, PFM, NPY or --raw to .npy or a tiled .tiff, with "
        "the same coefficients; the round-trip check is then skipped.\n\n"
        "With several inputs, or if -o ends in '/', COEFFS is an existing folder: each input "
        "becomes a file of the same name with --suffix .npy (default), .npz, .tiff, .pfm or .exr. "
        "Setup is reused for equal sizes, and reading overlaps writing. Files that fail are reported; "
        "the rest continue, and the exit code is 3. --json prints one line per file.\n\n"
        "--tile writes a BigTIFF with one named page per subband, LL of the last level first and "
        "alpha last, in tiles of N columns and up to 64 rows, as 32-bit floats; 'inverse "
        "--region' then reads only the tiles it needs.\n\n"
        "With --half a .npy or .exr has 16-bit floats, which NumPy reads as float16 and 'inverse' "
        "like any other array. 8-bit photos are reconstructed exactly; the round-trip check reports "
        "the error.\n\n"
        "COEFFS has the image's size. The metadata file COEFFS.json holds the parameters that "
        "'inverse' needs, and a hash of the coefficients. A .npz contains its metadata, in the "
        "array 'wavepass', and one array per subband (LL3, HL3, …; for color images, channels are "
        "the first axis). With --subbands pywt these are cA3, cH3, cV3, cD3, cH2, …, which "
        "pywt.waverec2() reads with mode 'periodization'; sides must then be even at every level.",
    .examples = "wavepass forward photo.jpg -o c.npy --picture bands.png\n"
                "wavepass forward photo.jpg -w cdf53 -s sep-lifting -l max -o c.npy\n"
                "wavepass forward pattern:zone-plate:512x512 --picture bands.png\n"
                "wavepass forward photo.png --reversible -l max -o c.npy\n"
                "wavepass forward photo.png --subbands pywt -w db4 -o c.npz\n"
                "wavepass forward photos/*.jpg -w cdf53 -o coefficients/\n"
                "wavepass forward scan.tiff -o c.tiff --tile 256 --compression deflate -l 5\n"
                "wavepass forward mosaic.tif -o c.tiff -l 5 --memory 64M\n"
                "wavepass forward head.nii.gz -o c.npy --levels-z 2\n"
                "wavepass forward clip.mp4 -o c.npy --gop 16\n"
                "wavepass forward clip.y4m -o c.npy --gop 8 --decomposition spatial-temporal",
    .arguments_min = 1,
    .arguments_max = WP_ARGUMENTS_ANY,
    .options = options,
    .options_size = sizeof(struct options),
    .run = run,
};
