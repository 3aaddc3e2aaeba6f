#include "run.h"
#include "channel.h"
#include "coefficients.h"
#include "command.h"
#include "image.h"
#include "memory.h"
#include "output.h"
#include "tile_store.h"
#include "picture.h"
#include "pixels.h"
#include "transform.h"
#include "wavepass.h"
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

// State that the jobs of a call share.
struct shared {
    struct options options;
    enum wp_naming naming;
    struct wp_transform_cache cache;
};

// The state for one image. end_job() frees its members, except `transform`.
struct job {
    struct wp_batch_item item;
    const struct wp_call *call;
    struct options file_options; // the call's options with this image's output
    const struct options *options;
    enum wp_naming naming;
    struct wp_transform_cache *cache;
    struct wp_sidecar sidecar; // set after the transform, which another image may use then
    struct wp_image *image, *coefficients;
    struct wp_transform *transform; // owned by the cache or a pipeline
    enum wp_chosen_by chosen_by; // how its scheme and variant were selected
    enum wp_stored stored; // type of the image's integers, if the transform is reversible
    size_t nonfinite;
    double seconds;   // of all passes
    double max_error; // of the round trip; NaN if it was not checked
    const char *no_rows_reason; // why the image cannot be read row by row, or NULL
    struct wp_gop_pipeline clip; // used instead of the images if `clip.from` is set
    struct wp_row_pipeline strips; // used instead of the images if `strips.rows` is set
};

static bool is_stdout(const char *path)
{
    return path && strcmp(path, "-") == 0;
}

// Resolves --subbands. For pywt the border is periodic, PyWavelets' only mode with as many
// coefficients as samples, and the norm is orthonormal, unless the user sets them.
static enum wp_naming resolve_naming(struct options *o)
{
    if (!o->subbands || strcmp(o->subbands, wp_naming_names[WP_NAMING_PYWT]) != 0)
        return WP_NAMING_WAVEPASS;
    if (!o->transform.border)
        o->transform.border = wp_border_names[WP_BORDER_PERIODIC];
    if (!o->transform.norm)
        o->transform.norm = wp_norm_names[WP_NORM_ORTHONORMAL];
    return WP_NAMING_PYWT;
}

// Rejects options that support only a single image.
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

// Checks the outputs before the transform.
static bool check_outputs(const struct options *o, int planes, int depth)
{
    const struct wp_write_params write = picture_params(o);
    return (!o->output || wp_coefficients_write_check(o->output, planes, depth, o->force)) &&
           (!o->picture || wp_image_write_check(o->picture, planes, &write));
}

static const char *channel_of(const struct options *o)
{
    return o->gray ? wp_channel_words[WP_CHANNEL_LUMA] : o->channel;
}

// Selects the channel of --channel or --gray; without them, all planes. Clips that are read slice
// by slice have one plane.
static bool select_channel(struct job *j)
{
    const struct options *o = j->options;
    const char *word = channel_of(o);
    enum wp_channel channel = WP_CHANNEL_RGB;
    if (!word)
        return true;
    return wp_channel_find(word, &channel) &&
           (j->clip.from ? wp_channel_check(channel, 1, j->item.input)
                         : wp_image_select_channel(j->image, channel, j->item.input));
}

// NULL, or why the image cannot be processed in row strips.
static const char *unfit_for_strips(const struct job *j)
{
    const struct options *o = j->options;
    if (!j->item.single)
        return "several images are processed as a whole";
    if (o->picture)
        return "--picture needs the whole image";
    if (o->half)
        return "--half needs the whole image";
    if (!o->output || !wp_tile_store_can_write(o->output))
        return "only .npy and .tiff are written in row strips";
    return wp_row_pipeline_unfit(&o->transform);
}

// Opens the image row by row if possible, and sets `*strips` if it is to be processed in row
// strips. False after an error.
static bool choose_strips(struct job *j, const struct wp_read_params *given, bool *strips)
{
    const struct options *o = j->options;
    struct wp_row_pipeline *s = &j->strips;
    struct wp_read_params params = *given;
    const char *why = NULL;
    *strips = false;
    params.facts = &s->facts;
    if (!wp_memory_limit(o->memory, &s->limit) ||
        !wp_rows_open(j->item.input, &params, &s->rows, &why))
        return false;
    if (!s->rows) {
        j->no_rows_reason = why;
        return true;
    }
    const struct wp_rows_info *info = wp_rows_info(s->rows);
    return wp_memory_choose(&s->limit, wp_memory_of_image(info->width, info->height, info->planes),
                            j->item.input, unfit_for_strips(j), strips);
}

// True if the opened rows can be read as an image of integers, without conversion. False if a
// channel is selected, since luma is not an integer.
static bool has_pixel_rows(const struct job *j)
{
    const struct options *o = j->options;
    return j->strips.rows && !channel_of(o) && o->transform.gop == 0 &&
           wp_image_has_pixels(&j->strips.facts);
}

// Reads that image. False after an error.
static bool read_pixels(struct job *j)
{
    j->image = wp_image_read_pixels(j->strips.rows, &j->strips.facts);
    wp_rows_close(&j->strips.rows);
    if (!j->image)
        return false;
    wp_image_fill_facts(j->image, j->item.input, &j->nonfinite);
    if (j->options->transform.reversible)
        j->stored = wp_image_stored(&j->strips.facts);
    return check_outputs(j->options, j->image->planes, 1);
}

// Checks the memory limit for an image that could not be opened row by row, whose size is known
// only after reading it.
static bool fits_limit(const struct job *j)
{
    const struct wp_image *image = j->image;
    bool strips;
    return !j->no_rows_reason ||
           wp_memory_choose(&j->strips.limit,
                            image->depth * wp_memory_of_image(image->width, image->height,
                                                           image->planes),
                            j->item.input, j->no_rows_reason, &strips);
}

// Reads the image, or opens it for one of the pipelines.
static bool read_image(struct job *j)
{
    const struct options *o = j->options;
    struct wp_read_params params = wp_run_read_params(&o->volume);
    struct wp_file_facts facts = {0};
    bool strips;
    params.facts = &facts;
    wp_progress("reading %s", j->item.input);
    if (!choose_strips(j, &params, &strips))
        return false;
    if (strips)
        return true;
    if (has_pixel_rows(j))
        return read_pixels(j);
    if (o->transform.gop > 0 && !o->picture && !o->half &&
        wp_slices_can_write(o->output, WP_CONTENT_COEFFICIENTS)) {
        wp_rows_close(&j->strips.rows);
        if (!wp_slices_open(j->item.input, &params, &j->clip.from, &j->image,
                            &j->nonfinite))
            return false;
    } else if (j->strips.rows) {
        facts = j->strips.facts;
        j->image = wp_rows_read_image(j->strips.rows);
        wp_rows_close(&j->strips.rows);
        if (j->image)
            wp_image_fill_facts(j->image, j->item.input, &j->nonfinite);
    } else {
        j->image = wp_image_read_with(j->item.input, &params, &j->nonfinite);
    }
    if ((j->clip.from || j->image) && !select_channel(j))
        return false;
    if (j->clip.from)
        return true;
    if (j->image && o->transform.reversible &&
        !wp_image_read_integers(j->image, &facts, j->item.input, &j->stored))
        return false;
    if (j->image && o->tile && j->image->depth > 1)
        return wp_fail(WP_ERROR_USAGE, "--tile is for images, and %s is a volume", j->item.input);
    return j->image && fits_limit(j) &&
           check_outputs(j->options, j->image->planes, j->image->depth);
}

// Transforms the samples of the image, which are floats or integers.
static bool transform_samples(const struct job *j)
{
    const struct wp_image *in = j->image;
    const struct wp_operand to = {.data = j->coefficients->plane[0]};
    struct wp_operand pixels = in->pixels;
    if (!pixels.data)
        return wp_transform_forward(j->transform, WP_ARRAY(in->plane[0]), WP_ARRAY(to.data));
    if (j->options->transform.reversible)
        pixels.maximum = 0;
    return wp_transform_forward(j->transform, &pixels, &to);
}

static void copy_alpha(const struct job *j)
{
    const struct wp_image *in = j->image;
    const size_t width = (size_t)in->width, rows = wp_image_samples(in) / width;
    for (size_t y = 0; y < rows; y++) {
        float *to = j->coefficients->plane[in->planes - 1] + y * width;
        const float *row =
            wp_image_row(in, in->planes - 1, y, j->options->transform.reversible, to);
        if (row != to)
            memcpy(to, row, width * sizeof *to);
    }
}

// Rounds the coefficients as the file stores them, so that the round-trip check uses these. Rejects
// coefficients that 16-bit floats cannot represent: larger than 65504, or all of them within a few
// steps of 2^-24.
static bool round_halves(const struct job *j)
{
    const double largest = wp_integer_samples_largest(j->coefficients), least = 10 * 0x1p-24;
    if (largest > 0 && largest < least)
        return wp_fail(WP_ERROR_FILE, "%s: the coefficients are too small for 16-bit floats (%.2g "
                                      "at most)"
                                      "\nhint: omit --half, or scale the image", j->item.input,
                       largest);
    const size_t lost = wp_image_round_halves(j->coefficients);
    return lost == 0 ||
           wp_fail(WP_ERROR_FILE, "%s: %zu coefficient%s too large for 16-bit floats (65504)"
                                  "\nhint: omit --half, or scale the image", j->item.input, lost,
                   lost == 1 ? " is" : "s are");
}

static bool transform_planes(struct job *j)
{
    const struct wp_image *in = j->image;
    j->coefficients =
        wp_image_create_volume(in->width, in->height, in->depth, in->planes, in->alpha);
    if (!j->coefficients)
        return false;
    j->coefficients->origin = in->origin;
    j->coefficients->geometry = in->geometry;
    const int planes = wp_image_colour_planes(in);
    wp_progress("transforming %d plane%s", planes, WP_PLURAL(planes));
    if (!transform_samples(j))
        return false;
    j->seconds = wp_run_done(j->transform);
    if (j->options->transform.reversible)
        wp_integer_samples_unsign_zeros(j->coefficients);
    if (in->alpha)
        copy_alpha(j);
    return !j->options->half || round_halves(j);
}

static struct wp_sidecar describe(const struct job *j)
{
    const struct options *o = j->options;
    const struct wp_transform_info *info = wp_transform_get_info(j->transform);
    struct wp_sidecar sidecar = wp_sidecar_of(wp_transform_description(j->transform),
                                              o->transform.wavelet, info->backend, info->variant);
    sidecar.scheme_named = o->transform.scheme != NULL;
    sidecar.stored = j->stored;
    sidecar.naming = j->naming;
    sidecar.half = o->half;
    sidecar.tile = o->tile;
    sidecar.deflate = o->compression && strcmp(o->compression, "deflate") == 0;
    return sidecar;
}

// Checks before the transform that the coefficients can be written as subbands.
static bool check_subbands(const struct job *j)
{
    if (!j->options->output || !wp_sidecar_is_inside(j->options->output))
        return true;
    struct wp_sidecar sidecar = describe(j);
    sidecar.description.size[WP_Z] = j->image->depth;
    return wp_subbands_check(&sidecar);
}

static void log_pywt(const struct job *j)
{
    const char *name = wp_subbands_pywt_name(&j->sidecar.wavelet);
    if (j->naming == WP_NAMING_PYWT)
        wp_log(WP_LOG_INFO, "pywt.waverec2() reads %s with wavelet '%.*s', mode 'periodization'",
               j->options->output, (int)strcspn(name, " "), name);
}

static bool write_coefficients(struct job *j)
{
    const struct options *o = j->options;
    wp_progress("writing %s", o->output);
    if (!wp_coefficients_write(j->coefficients, &j->sidecar, o->output, o->force))
        return false;
    wp_log(WP_LOG_VERBOSE, "coefficients written");
    log_pywt(j);
    return true;
}

static bool write_picture(struct job *j)
{
    const struct wp_description *d = wp_transform_description(j->transform);
    const struct wp_transform_info *info = wp_transform_get_info(j->transform);
    struct wp_text caption = {0};
    const int depth = j->coefficients->depth, slices = wp_description_depth(d);
    wp_text_add(&caption, "%s, %d level%s, ", info->name, info->levels, WP_PLURAL(info->levels));
    if (depth > 1)
        wp_text_add(&caption, "%d along z, %s, ", info->levels_z,
                    wp_decomposition_names[d->decomposition]);
    wp_text_add(&caption, "%s, norm %s, %dx%d", wp_border_names[d->border],
                wp_norm_names[d->norm], d->size[WP_X], d->size[WP_Y]);
    if (depth > 1)
        wp_text_add(&caption, "x%d", depth);
    if (slices < depth)
        wp_text_add(&caption, ", the first %d slices", slices);
    const struct wp_picture_params params = {
        .levels = info->levels,
        .layout = d->layout,
        .labels = !j->options->no_labels,
        .caption = j->options->no_labels ? NULL : wp_text_get(&caption),
    };
    const struct wp_write_params write = picture_params(j->options);
    // Free the transform's buffers, so that image, coefficients and picture fit the memory limit.
    wp_transform_rest(j->transform);
    wp_progress("drawing %s", j->options->picture);
    // Pictures expect samples up to 1.
    const double largest = fmax(wp_integer_samples_largest(j->image), 1);
    if (d->reversible)
        wp_integer_samples_scale(j->coefficients, 1 / largest, false);
    struct wp_image *picture = depth > 1
                                   ? wp_picture_create_volume(j->coefficients, d, &params)
                                   : wp_picture_create(j->coefficients, &params);
    wp_text_free(&caption);
    const bool ok = picture && wp_image_write(picture, j->options->picture, &write);
    wp_image_destroy(&picture);
    if (d->reversible)
        wp_integer_samples_scale(j->coefficients, largest, true);
    if (ok)
        wp_log(WP_LOG_VERBOSE, "preview image written");
    return ok;
}

static void warn_of_infinity(const struct job *j)
{
    if (isinf(j->max_error))
        wp_log(WP_LOG_WARNING, "the image's values are too large for %d-bit samples: some are not "
                               "finite after the round trip"
                               "\nhint: scale the image",
               wp_transform_description(j->transform)->precision == WP_PRECISION_F16 ? 16 : 32);
}

// The largest difference between the image and the reconstruction. `scratch`: one row.
static double difference(const struct job *j, const float *restored, float *scratch)
{
    const struct wp_image *image = j->image;
    const size_t width = (size_t)image->width, rows = wp_image_samples(image) / width;
    double all = 0;
    for (int p = 0; p < wp_image_colour_planes(image); p++)
        for (size_t y = 0; y < rows; y++, restored += width)
            all = fmax(all, wp_run_difference(restored,
                                              wp_image_row(image, p, y,
                                                           j->options->transform.reversible,
                                                           scratch),
                                              width));
    return all;
}

// Rejects a round-trip error above 5 % of the largest sample. Rounding errors are much smaller; a
// driver that is out of memory may skip a draw without reporting an error.
static bool check_restored(const struct job *j, float *scratch)
{
    const struct wp_image *image = j->image;
    const size_t width = (size_t)image->width, rows = wp_image_samples(image) / width;
    const double least = isfinite(j->max_error) ? j->max_error / 0.05 : 0;
    for (int p = 0; p < wp_image_colour_planes(image); p++) {
        for (size_t y = 0; y < rows; y++) {
            const float *row =
                wp_image_row(image, p, y, j->options->transform.reversible, scratch);
            for (size_t x = 0; x < width; x++)
                if (fabs((double)row[x]) >= least)
                    return true;
        }
    }
    const bool halves = j->options->half || wp_transform_description(j->transform)->precision ==
                                                WP_PRECISION_F16;
    return wp_fail(WP_ERROR_MISMATCH,
                   "the coefficients do not reconstruct the image (max|err| %.2g)"
                   "\nhint: %s", j->max_error,
                   halves && j->max_error < 0x1p-14
                       ? "its values are too small for 16-bit floats: scale it, or use 32 bits"
                       : "'wavepass verify' checks the backends of this machine");
}

static bool restore(struct job *j, struct wp_transform *transform, float *restored)
{
    if (!wp_transform_inverse(transform, WP_ARRAY(j->coefficients->plane[0]), WP_ARRAY(restored)))
        return false;
    float *scratch = wp_xmalloc((size_t)j->image->width * sizeof *scratch);
    j->max_error = difference(j, restored, scratch);
    wp_log(WP_LOG_VERBOSE, "round trip checked");
    warn_of_infinity(j);
    const bool ok = check_restored(j, scratch);
    free(scratch);
    return ok;
}

// Inverts the transform and sets max_error. With a single image, the coefficients have been written
// and are overwritten here: another buffer would be a sixth of the memory that the program may use.
// With many, they are still needed, and the inverse has its own transform, since a transform that
// changes direction reallocates its buffers.
static bool check_round_trip(struct job *j)
{
    const int planes = wp_image_colour_planes(j->image);
    j->max_error = NAN;
    if (j->nonfinite || j->options->no_check)
        return true;
    wp_progress("checking %d plane%s", planes, WP_PLURAL(planes));
    if (j->item.single)
        return restore(j, j->transform, j->coefficients->plane[0]);
    enum wp_chosen_by by;
    struct wp_transform *transform =
        wp_transform_cache_get(j->cache, &j->options->transform, j->image, WP_INVERSE, 0, &by);
    float *restored = transform ? wp_allocate_pages(wp_image_samples(j->image) * (size_t)planes,
                                                sizeof *restored, "the reconstructed image")
                            : NULL;
    const bool ok = restored && restore(j, transform, restored);
    free(restored);
    return ok;
}

static struct wp_image shape_of(const struct job *j)
{
    return j->strips.done ? j->strips.shape
           : j->image     ? *j->image
                          : wp_gop_pipeline_shape(&j->clip);
}

static void add_summary(const struct job *j, struct wp_text *text)
{
    const struct wp_image shape = shape_of(j);
    wp_run_summary(j->transform, &shape, j->seconds, text);
    if (j->clip.slices)
        wp_gop_pipeline_add_rate(&j->clip, text);
    if (j->strips.done)
        wp_row_pipeline_add_summary(&j->strips, text);
    char number[WP_NUMBER_SIZE];
    if (j->options->no_check || j->strips.done)
        wp_text_add(text, ", round trip not checked");
    else if (j->nonfinite)
        wp_text_add(text, ", round trip not checked: %zu value%s not finite", j->nonfinite,
                    WP_PLURAL_IS(j->nonfinite));
    else
        wp_text_add(text, ", round trip max|err| %s",
                    wp_format_number(number, j->max_error, 2));
}

static json_t *result_of(const struct job *j)
{
    const struct wp_image shape = shape_of(j);
    json_t *result = wp_run_json(j->call, j->transform, &shape, j->options->transform.backend,
                                 j->chosen_by, j->seconds);
    if (j->clip.slices)
        wp_gop_pipeline_add_json(&j->clip, result);
    if (j->strips.done)
        wp_row_pipeline_add_json(&j->strips, result);
    json_object_set_new(result, "nonfinite", json_integer((json_int_t)j->nonfinite));
    json_object_set_new(result, "round_trip_max_error", wp_json_number(j->max_error));
    char *sidecar = j->options->output ? wp_sidecar_path(j->options->output) : NULL;
    json_object_set_new(result, "files",
                        json_pack("{s:o, s:o, s:o}", "coefficients",
                                  wp_json_text(j->options->output), "sidecar",
                                  wp_json_text(sidecar), "picture",
                                  wp_json_text(j->options->picture)));
    free(sidecar);
    return result;
}

static void set_result(struct job *j)
{
    add_summary(j, &j->item.summary);
    if (j->call->common.json)
        j->item.result = result_of(j);
}

// Runs the GOP pipeline.
static bool forward_clip(struct job *j)
{
    struct wp_gop_pipeline *clip = &j->clip;
    const struct options *o = j->options;
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
    sidecar.description.size[WP_Z] = clip->slices;
    sidecar.scheme_named = o->transform.scheme != NULL;
    if (!wp_coefficients_commit(&clip->to, wp_slices_info(clip->from), &sidecar, o->output,
                                o->force))
        return false;
    wp_gop_pipeline_log(clip);
    j->transform = clip->transform;
    j->nonfinite = clip->value_counts.nonfinite;
    j->max_error = clip->max_error;
    j->seconds = clip->seconds.transform;
    j->chosen_by = clip->chosen_by;
    warn_of_infinity(j);
    return true;
}

// Runs the row pipeline, without a round-trip check.
static bool forward_strips(struct job *j)
{
    struct wp_row_pipeline *s = &j->strips;
    const struct options *o = j->options;
    s->options = &o->transform;
    s->output = o->output;
    s->overwrite = o->force;
    s->channel = channel_of(o);
    s->tile = o->tile;
    s->deflate = o->compression && strcmp(o->compression, "deflate") == 0;
    if (!wp_row_pipeline_forward(s))
        return false;
    j->transform = s->transform;
    j->nonfinite = s->value_counts.nonfinite;
    j->max_error = NAN;
    j->seconds = s->seconds;
    j->chosen_by = WP_CHOSEN_BY_RULE;
    return true;
}

static bool read_job(void *job)
{
    struct job *j = job;
    return check_outputs(j->options, 1, 1) && read_image(j);
}

static bool compute_job(void *job)
{
    struct job *j = job;
    const struct options *o = j->options;
    if (j->clip.from)
        return forward_clip(j);
    if (j->strips.rows)
        return forward_strips(j);
    j->transform = wp_transform_cache_get(j->cache, &o->transform, j->image, WP_FORWARD,
                                          j->nonfinite, &j->chosen_by);
    if (!j->transform || !check_subbands(j) ||
        (o->transform.reversible &&
         !wp_integer_samples_check_range(j->transform, j->image, j->item.input)) ||
        !transform_planes(j))
        return false;
    j->sidecar = describe(j);
    if (j->item.single)
        return true;
    const bool ok = check_round_trip(j);
    if (ok)
        set_result(j);
    wp_image_destroy(&j->image);
    return ok;
}

static bool write_job(void *job)
{
    struct job *j = job;
    const bool written = j->clip.from || j->strips.done;
    if (!written && j->options->output && !write_coefficients(j))
        return false;
    if (!j->item.single)
        return true;
    if (!written && j->options->picture && !write_picture(j))
        return false;
    // Last, because it overwrites the coefficients.
    if (!written && !check_round_trip(j))
        return false;
    set_result(j);
    return true;
}

static void begin_job(void *job, const struct wp_call *call, void *user)
{
    struct job *j = job;
    struct shared *shared = user;
    j->call = call;
    j->file_options = shared->options;
    j->file_options.output = j->item.output;
    j->options = &j->file_options;
    j->naming = shared->naming;
    j->cache = &shared->cache;
}

static void end_job(void *job)
{
    struct job *j = job;
    wp_gop_pipeline_end(&j->clip);
    wp_row_pipeline_end(&j->strips);
    wp_image_destroy(&j->image);
    wp_image_destroy(&j->coefficients);
}

static enum wp_error run(const struct wp_call *call)
{
    struct shared shared = {.options = *(const struct options *)call->options};
    struct options *o = &shared.options;
    shared.naming = resolve_naming(o);
    if (!o->suffix && wp_batch_is_many(call, o->output))
        o->suffix = o->subbands ? ".npz" : ".npy";
    if (!check_options(call, o))
        return wp_last_error();
    const struct wp_batch batch = {sizeof(struct job), o->output, o->suffix, begin_job, read_job,
                                   compute_job, write_job, end_job};
    const enum wp_error code = wp_batch_run(call, &batch, &shared);
    wp_transform_cache_end(&shared.cache);
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
