#include "forward_parts.h"

#include "channel.h"
#include "coefficients.h"
#include "command.h"
#include "output.h"
#include "tile_store.h"
#include "picture.h"
#include "transform.h"
#include "wavepass.h"

#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char *const compressions[] = {"none", "deflate"};

static const struct wp_option options[] = {
    {.name = "output",
     .letter = 'o',
     .kind = WP_OPTION_TEXT,
     .value = "COEFFS",
     .help = "coefficient file: .npy, .tiff, .nii, .pfm or .exr, with metadata in COEFFS.json; "
             ".npz with one array per subband; - writes NPY to stdout",
     .offset = offsetof(struct wp_forward_options, flow.output)},
    {.name = "subbands",
     .kind = WP_OPTION_WORD,
     .value = "WORDS",
     .help = "names of the arrays in a .npz; pywt: also PyWavelets' signs, border periodic and "
             "norm orthonormal (default wavepass)",
     .offset = offsetof(struct wp_forward_options, subbands),
     .words = wp_naming_names,
     .word_count = WP_NAMING_COUNT},
    {.name = "tile",
     .kind = WP_OPTION_INT,
     .value = "N",
     .help = "write a .tiff in tiles of N columns, a multiple of 16: a BigTIFF with one page per "
             "subband",
     .offset = offsetof(struct wp_forward_options, tile),
     .minimum = 16,
     .maximum = WP_TILE_COLUMNS_MAX},
    {.name = "compression",
     .kind = WP_OPTION_WORD,
     .value = "WORD",
     .help = "compression of tiles (default none)",
     .offset = offsetof(struct wp_forward_options, compression),
     .words = compressions,
     .word_count = 2},
    {.name = "half",
     .kind = WP_OPTION_FLAG,
     .help = "write a .npy or .exr of 16-bit floats, half as large; --check uses the rounded "
             "coefficients",
     .offset = offsetof(struct wp_forward_options, half)},
    {.name = "double",
     .kind = WP_OPTION_FLAG,
     .help = "compute in doubles: read an NPY, TIFF or FITS of 64-bit floats without rounding, and "
             "write a .npy; on the CPU unless -b is given",
     .offset = offsetof(struct wp_forward_options, wide)},
    {.name = "picture",
     .kind = WP_OPTION_TEXT,
     .value = "FILE.png",
     .help = "preview image of the subbands, for volumes in slices; details are centered on mid "
             "gray and stretched per subband",
     .offset = offsetof(struct wp_forward_options, picture)},
    {.name = "no-labels",
     .kind = WP_OPTION_FLAG,
     .help = "no subband names and no caption in the preview image",
     .offset = offsetof(struct wp_forward_options, no_labels)},
    {.name = "check",
     .kind = WP_OPTION_FLAG,
     .help = "invert the result before it is written, and report the round-trip error",
     .offset = offsetof(struct wp_forward_options, check)},
    WP_OPTIONS(struct wp_forward_options, axes, wp_options_axes),
    {.name = "gray",
     .kind = WP_OPTION_FLAG,
     .help = "same as --channel luma",
     .offset = offsetof(struct wp_forward_options, gray)},
    WP_OPTIONS(struct wp_forward_options, channel, wp_options_channel),
    WP_OPTIONS(struct wp_forward_options, flow, wp_options_flow),
    WP_OPTIONS(struct wp_forward_options, cost, wp_options_cost),
    {0},
};

// The state for one file.
struct job {
    struct wp_flow f; // the first member
    struct wp_transform_params params; // with the tree
    char tree[WP_TREE_SIZE];
};

static enum wp_naming naming_of(const struct wp_forward_options *o)
{
    return o->subbands && strcmp(o->subbands, wp_naming_names[WP_NAMING_PYWT]) == 0
               ? WP_NAMING_PYWT
               : WP_NAMING_WAVEPASS;
}

// Rejects options that support only a single image.
static bool check_many(const struct wp_forward_options *o)
{
    if (o->picture)
        return wp_fail(WP_ERROR_USAGE, "--picture is for one image, not for a folder");
    return o->flow.transform.gop == 0 ||
           wp_fail(WP_ERROR_USAGE, "--gop is for one clip, not for a folder");
}

static bool check_tile(const struct wp_forward_options *o, const char *kind)
{
    const char *layout = o->flow.transform.layout;
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

// Coefficients that are more than the samples.
static bool check_expansive(const struct wp_forward_options *o, const char *what)
{
    const struct {
        const char *option;
        bool given;
    } unfit[] = {{"--tile", o->tile > 0}, {"--gop", o->flow.transform.gop > 0}};
    for (size_t i = 0; i < sizeof unfit / sizeof *unfit; i++)
        if (unfit[i].given)
            return wp_fail(WP_ERROR_USAGE, "%s does not support %s, which has more coefficients than "
                           "samples\nhint: border '%s' or '%s', bank '%s'", unfit[i].option, what,
                           wp_border_names[WP_BORDER_SYMMETRIC],
                           wp_border_names[WP_BORDER_PERIODIC],
                           wp_bank_names[WP_BANK_DECIMATED]);
    return true;
}

static bool check_packets(const struct wp_forward_options *o)
{
    return o->tile == 0 || !wp_forward_has_packets(o) ||
           wp_fail(WP_ERROR_USAGE, "--tile does not support bank '%s', whose nodes may be smaller "
                   "than a tile\nhint: -o c.npy", o->flow.transform.bank);
}

static bool check_half(const struct wp_forward_options *o, const char *kind)
{
    const size_t length = kind ? strlen(kind) : 0;
    const char *suffix = length >= 4 ? kind + length - 4 : "";
    if (strcmp(suffix, ".npy") != 0 && strcmp(suffix, ".exr") != 0 && !wp_is_stdio(kind))
        return wp_fail(WP_ERROR_USAGE, "--half is for a .npy or .exr\nhint: -o c.npy");
    return !o->flow.transform.reversible ||
           wp_fail(WP_ERROR_USAGE, "--half has too few digits for the integers of --reversible");
}

static bool check_options(const struct wp_call *call, const struct wp_forward_options *o)
{
    const bool many = wp_batch_is_many(call, o->flow.output);
    if (many && !check_many(o))
        return false;
    if (!wp_batch_check(call, "-o c.npy writes the coefficients, --picture bands.png a preview "
                              "image of them", o->picture))
        return false;
    if (o->no_labels && !o->picture)
        return wp_fail(WP_ERROR_USAGE, "--no-labels needs --picture");
    if (o->gray && o->channel)
        return wp_fail(WP_ERROR_USAGE, "--gray is --channel luma and contradicts --channel %s",
                       o->channel);
    const bool luma = o->channel && strcmp(o->channel, wp_channel_words[WP_CHANNEL_LUMA]) == 0;
    if ((o->gray || luma) && o->flow.transform.reversible)
        return wp_fail(WP_ERROR_USAGE, "%s makes fractions of integers, which --reversible does "
                                       "not support", o->gray ? "--gray" : "--channel luma");
    const char *kind = many ? o->flow.suffix : o->flow.output;
    if (o->subbands && !(kind && wp_sidecar_is_inside(kind)))
        return wp_fail(WP_ERROR_USAGE, "--subbands is for a .npz\nhint: -o c.npz");
    if (o->compression && !o->tile)
        return wp_fail(WP_ERROR_USAGE, "--compression is for tiles\nhint: --tile %d",
                       WP_TILE_COLUMNS);
    if (o->tile && !check_tile(o, kind))
        return false;
    if (o->half && !check_half(o, kind))
        return false;
    char what[64];
    if (wp_run_is_expansive(&o->flow.transform, what) && !check_expansive(o, what))
        return false;
    if (!wp_best_tree_check(&o->flow.transform, o->cost) || !check_packets(o))
        return false;
    if (wp_is_stdio(o->picture))
        return wp_fail(WP_ERROR_USAGE, "--picture needs the name of a file, not -");
    return wp_output_check_apart(
        (const struct wp_output_named[]){{"-o", o->flow.output}, {"--picture", o->picture}}, 2);
}

// Transforms the samples of the image, which are floats or integers.
static bool transform_samples(const struct wp_flow *f)
{
    const struct wp_image *in = f->image;
    const struct wp_operand to = {.data = f->coefficients->plane[0]};
    struct wp_operand pixels = in->pixels;
    if (!pixels.data)
        return wp_transform_forward(f->transform, WP_ARRAY(in->plane[0]), WP_ARRAY(to.data));
    if (f->params->reversible)
        pixels.maximum = 0;
    return wp_transform_forward(f->transform, &pixels, &to);
}

static void copy_alpha(const struct wp_flow *f)
{
    const struct wp_image *in = f->image;
    const size_t width = (size_t)in->width, rows = wp_image_samples(in) / width;
    for (size_t y = 0; y < rows; y++) {
        float *to = f->coefficients->plane[in->planes - 1] + y * (size_t)f->coefficients->width;
        const float *row =
            wp_image_row(in, in->planes - 1, y, f->params->reversible, to);
        if (row != to)
            memcpy(to, row, width * sizeof *to);
    }
}

// Rounds the coefficients as the file stores them, so that --check uses these. Rejects
// coefficients that 16-bit floats cannot represent: larger than 65504, or all of them within a few
// steps of 2^-24.
static bool round_halves(const struct wp_flow *f)
{
    const double largest = wp_integer_samples_largest(f->coefficients), least = 10 * 0x1p-24;
    if (largest > 0 && largest < least)
        return wp_fail(WP_ERROR_FILE, "%s: the coefficients are too small for 16-bit floats (%.2g "
                                      "at most)"
                                      "\nhint: omit --half, or scale the image", f->input,
                       largest);
    const size_t lost = wp_image_round_halves(f->coefficients);
    return lost == 0 ||
           wp_fail(WP_ERROR_FILE, "%s: %zu coefficient%s too large for 16-bit floats (65504)"
                                  "\nhint: omit --half, or scale the image", f->input, lost,
                   lost == 1 ? " is" : "s are");
}

static bool transform_planes(struct wp_flow *f)
{
    const struct wp_forward_options *o = f->options;
    const struct wp_image *in = f->image;
    const struct wp_description *d = wp_transform_description(f->transform);
    const int depth = wp_description_is_expansive(d) ? wp_description_extent(d, WP_Z) : in->depth;
    f->coefficients =
        wp_image_create_volume(wp_description_extent(d, WP_X), wp_description_extent(d, WP_Y),
                               depth, in->planes, in->alpha);
    if (!f->coefficients)
        return false;
    f->coefficients->origin = in->origin;
    f->coefficients->geometry = in->geometry;
    const int planes = wp_image_colour_planes(in);
    wp_progress("transforming %d plane%s", planes, WP_PLURAL(planes));
    if (!transform_samples(f))
        return false;
    f->seconds.transform = wp_run_done(f->transform);
    if (f->params->reversible)
        wp_integer_samples_unsign_zeros(f->coefficients);
    if (in->alpha)
        copy_alpha(f);
    return !o->half || round_halves(f);
}

// Finds the best tree for samples of the file, if that is requested.
static bool find_tree(struct wp_flow *f, const struct wp_transform_params *sized,
                      const struct wp_operand *samples)
{
    struct job *j = (struct job *)f;
    const struct wp_forward_options *o = f->options;
    struct wp_transform_params params = *sized;
    if (!wp_best_tree_find(&params, o->cost, samples, j->tree))
        return false;
    j->params = *f->params;
    j->params.tree = params.tree;
    f->params = &j->params;
    return true;
}

static bool find_tree_of_image(struct wp_flow *f)
{
    const struct wp_image *in = f->image;
    const struct wp_transform_params sized = wp_run_sized(f->params, in);
    const struct wp_operand samples =
        in->pixels.data ? in->pixels : (struct wp_operand){.data = in->plane[0]};
    return find_tree(f, &sized, &samples);
}

// The metadata of the coefficients.
static struct wp_sidecar describe(const struct wp_flow *f)
{
    const struct wp_forward_options *o = f->options;
    const struct wp_transform_info *info = wp_transform_get_info(f->transform);
    struct wp_sidecar sidecar = wp_sidecar_of(wp_transform_description(f->transform),
                                              f->params->wavelet, info->backend, info->variant);
    sidecar.description.size[WP_Z] = f->shape.depth;
    sidecar.planes = f->shape.planes;
    sidecar.alpha = f->shape.alpha;
    sidecar.origin = f->shape.origin;
    sidecar.scheme_named = f->params->scheme != NULL;
    sidecar.stored = f->stored;
    sidecar.naming = naming_of(o);
    sidecar.half = o->half;
    sidecar.tile = o->tile;
    sidecar.deflate = o->compression && strcmp(o->compression, "deflate") == 0;
    return sidecar;
}

static bool write_coefficients(struct wp_flow *f)
{
    const struct wp_flow_options *o = f->options;
    const char *name = wp_subbands_pywt_name(&f->sidecar.wavelet);
    wp_progress("writing %s", f->output);
    if (!wp_coefficients_write(f->coefficients, &f->sidecar, f->output, o->force))
        return false;
    wp_log(WP_LOG_VERBOSE, "coefficients written");
    const enum wp_border border = f->sidecar.description.border;
    if (f->sidecar.naming == WP_NAMING_PYWT)
        wp_log(WP_LOG_INFO, "pywt.waverec2() reads %s with wavelet '%.*s', mode '%s'", f->output,
               (int)strcspn(name, " "), name,
               border < WP_BORDER_NATIVE ? "periodization"
                                         : wp_border_names[border] + strlen("pywt-"));
    return true;
}

static bool write_picture(struct wp_flow *f)
{
    const struct wp_forward_options *o = f->options;
    const struct wp_description *d = wp_transform_description(f->transform);
    const struct wp_transform_info *info = wp_transform_get_info(f->transform);
    struct wp_text caption = {0};
    const int slices = wp_description_depth(d);
    const int depth = wp_description_is_expansive(d) ? slices : f->coefficients->depth;
    wp_text_add(&caption, "%s, %d level%s, ", info->name, info->levels, WP_PLURAL(info->levels));
    if (d->bank == WP_BANK_PACKETS)
        wp_text_add(&caption, "%d nodes, ", wp_packet_leaves(d));
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
        .labels = !o->no_labels,
        .caption = o->no_labels ? NULL : wp_text_get(&caption),
    };
    const struct wp_write_params write = wp_forward_picture_params(o);
    // Free the transform's buffers, so that image, coefficients and picture fit the memory limit.
    wp_transform_rest(f->transform);
    wp_progress("drawing %s", o->picture);
    // Pictures expect samples up to 1.
    const double largest = fmax(wp_integer_samples_largest(f->image), 1);
    if (d->reversible)
        wp_integer_samples_scale(f->coefficients, 1 / largest, false);
    struct wp_image *picture =
        wp_description_is_expansive(d) ? wp_picture_create_bands(f->coefficients, d, &params)
        : d->bank == WP_BANK_PACKETS   ? wp_picture_create_packets(f->coefficients, d, &params)
        : depth > 1                    ? wp_picture_create_volume(f->coefficients, d, &params)
                                       : wp_picture_create(f->coefficients, &params);
    wp_text_free(&caption);
    const bool ok = picture && wp_image_write(picture, o->picture, &write);
    wp_image_destroy(&picture);
    if (d->reversible)
        wp_integer_samples_scale(f->coefficients, largest, true);
    if (ok)
        wp_log(WP_LOG_VERBOSE, "preview image written");
    return ok;
}

static void add_summary(const struct wp_flow *f, struct wp_text *text)
{
    const struct wp_forward_options *o = f->options;
    char number[WP_NUMBER_SIZE];
    if (f->transform)
        wp_best_tree_add_summary(wp_transform_description(f->transform), text);
    if (!o->check)
        return;
    if (f->values.nonfinite)
        wp_text_add(text, ", round trip not checked: %zu value%s not finite", f->values.nonfinite,
                    WP_PLURAL_IS(f->values.nonfinite));
    else
        wp_text_add(text, ", round trip max|err| %s",
                    wp_format_number(number, f->max_error, 2));
}

static void add_json(const struct wp_flow *f, json_t *result)
{
    const struct wp_forward_options *o = f->options;
    if (f->transform)
        wp_best_tree_add_json(wp_transform_description(f->transform), result);
    if (o->check)
        json_object_set_new(result, "round_trip_max_error", wp_json_number(f->max_error));
    char *sidecar = f->output ? wp_sidecar_path(f->output) : NULL;
    json_object_set_new(result, "files",
                        json_pack("{s:o, s:o, s:o}", "coefficients", wp_json_text(f->output),
                                  "sidecar", wp_json_text(sidecar), "picture",
                                  wp_json_text(o->picture)));
    free(sidecar);
}

static bool forward_groups(struct wp_flow *f)
{
    const struct wp_forward_options *o = f->options;
    struct wp_flow_groups *g = &f->groups;
    g->check = o->check;
    g->to = wp_coefficients_create(f->output, wp_slices_info(g->from), o->flow.force);
    if (!g->to || !wp_gop_pipeline_run(f))
        return false;
    const struct wp_sidecar sidecar = describe(f);
    if (!wp_coefficients_commit(&g->to, wp_slices_info(g->from), &sidecar, f->output,
                                o->flow.force))
        return false;
    wp_gop_pipeline_log(f);
    wp_forward_warn_of_infinity(f);
    return true;
}

static bool forward_image(struct wp_flow *f)
{
    struct wp_sidecar *sidecar = &f->sidecar;
    if (!find_tree_of_image(f) || !wp_flow_create(f))
        return false;
    *sidecar = describe(f);
    if ((f->output && wp_sidecar_is_inside(f->output) && !wp_subbands_check(sidecar)) ||
        (f->params->reversible &&
         !wp_integer_samples_check_range(f->transform, f->image, f->input)) ||
        !transform_planes(f))
        return false;
    *sidecar = describe(f); // a run may change the backend
    const bool ok = wp_forward_check(f);
    if (!f->single)
        wp_image_destroy(&f->image);
    return ok;
}

static bool forward_strips(struct wp_flow *f)
{
    return wp_row_pipeline_forward(f, wp_forward_channel(f->options), describe);
}

static bool forward_array(struct wp_flow *f)
{
    const struct wp_forward_options *o = f->options;
    const struct wp_operand samples =
        wp_array_shape_operand(&f->array.shape, f->array.type, f->array.from);
    if (!find_tree(f, f->params, &samples) || !wp_array_pipeline_run(f) ||
        (o->check && !f->values.nonfinite && !wp_array_pipeline_check(f)))
        return false;
    f->sidecar = describe(f);
    f->sidecar.array = f->array.shape;
    f->sidecar.wide = f->array.type == WP_ELEMENT_F64;
    return true;
}

static bool write_array(struct wp_flow *f)
{
    const struct wp_forward_options *o = f->options;
    wp_progress("writing %s", f->output);
    return wp_coefficients_write_array(f->array.to, &f->sidecar, f->output, o->flow.force);
}

static bool write_image(struct wp_flow *f)
{
    const struct wp_forward_options *o = f->options;
    return (!f->output || write_coefficients(f)) && (!o->picture || write_picture(f));
}

static const struct wp_flow_command command = {
    .size = sizeof(struct job),
    .direction = WP_FORWARD,
    .read = wp_forward_read,
    .steps = {[WP_FLOW_IMAGE] = {forward_image, write_image},
              [WP_FLOW_GROUPS] = {.compute = forward_groups},
              [WP_FLOW_STRIPS] = {.compute = forward_strips},
              [WP_FLOW_ARRAY] = {forward_array, write_array}},
    .add_summary = add_summary,
    .add_json = add_json,
};

static enum wp_error run(const struct wp_call *call)
{
    struct wp_forward_options o = *(const struct wp_forward_options *)call->options;
    struct wp_transform_params *transform = &o.flow.transform;
    // PyWavelets has only this border with as many coefficients as samples.
    if (naming_of(&o) == WP_NAMING_PYWT && !transform->border)
        transform->border = wp_border_names[WP_BORDER_PERIODIC];
    if (naming_of(&o) == WP_NAMING_PYWT && !transform->norm)
        transform->norm = wp_norm_names[WP_NORM_ORTHONORMAL];
    if (!o.flow.suffix && wp_batch_is_many(call, o.flow.output))
        o.flow.suffix = o.subbands ? ".npz" : ".npy";
    return check_options(call, &o) ? wp_batch_run(call, &command, &o) : wp_last_error();
}

const struct wp_command wp_command_forward = {
    .name = "forward",
    .alias = "fwd",
    .summary = "image to wavelet coefficients, and a preview image of them",
    .arguments = "IN... -o COEFFS",
    .description =
        "Transforms each channel of an image. Alpha is copied unchanged. Color images are "
        "transformed in red, green and blue, or with --channel in luma or one of these; --picture "
        "shows three channels in color, with details centered on mid gray. Pictures of 8 and "
        "16-bit integers are scaled to 0..1, and other samples keep their values (--values). With "
        "--reversible all integers keep their values, and coefficients are 32-bit integers.\n\n"
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
        "the same coefficients.\n\n"
        "With several inputs, or if -o ends in '/', COEFFS is an existing folder: each input "
        "becomes a file of the same name with --suffix .npy (default), .npz, .tiff, .pfm or .exr. "
        "Setup is reused for equal sizes, and reading overlaps writing. Files that fail are reported; "
        "the rest continue, and the exit code is 3. --json prints one line per file.\n\n"
        "--tile writes a BigTIFF with one named page per subband, LL of the last level first and "
        "alpha last, in tiles of N columns and up to 64 rows, as 32-bit floats; 'inverse "
        "--region' then reads only the tiles it needs.\n\n"
        "With --axes LIST one to three axes of an NPY of up to eight are transformed, numbered as in "
        "NumPy (-1 is the last one), and the others are a batch: --axes -2,-1 transforms each "
        "image of a (32, 64, 64, 64) array of images. -l is the number of levels of these axes, "
        "with three of them --levels-z that of the first one. COEFFS is a .npy of the same shape, "
        "of 32-bit floats. A .npy of more than three axes requires --axes, except a volume with "
        "channels.\n\n"
        "With --half a .npy or .exr has 16-bit floats, which NumPy reads as float16 and 'inverse' "
        "like any other array. 8-bit photos are reconstructed exactly.\n\n"
        "--check inverts the result and reports the largest error of a sample. Without --gop it "
        "needs memory for another image, and an error above 5 % of the largest sample is a "
        "failure: the exit code is 5, and nothing is written.\n\n"
        "With --bank packets each level splits all bands (wavelet packets), or only those that "
        "--tree selects; --tree best splits a band if that reduces the --cost. COEFFS.json has the "
        "tree.\n\n"
        "--adjoint computes the transposed matrix of the inverse transform, (W^-1)^T for the "
        "transform W of the other options, and 'inverse' then its inverse, W^T. With orthonormal "
        "wavelets and norm, and periodic borders, this is W itself.\n\n"
        "COEFFS has the image's size; with a redundant --bank or a border of PyWavelets it is larger. "
        "The metadata file COEFFS.json holds the parameters that "
        "'inverse' needs, and a hash of the coefficients. A .npz contains its metadata, in the "
        "array 'wavepass', and one array per subband (LL3, HL3, …; for color images, channels are "
        "the first axis). With --subbands pywt these are cA3, cH3, cV3, cD3, cH2, …, which "
        "pywt.waverec2() reads with mode 'periodization'; sides must then be even at every level.",
    .examples = "wavepass forward photo.jpg -o c.npy --picture bands.png\n"
                "wavepass forward photo.jpg -w cdf53 -s sep-lifting -l max -o c.npy\n"
                "wavepass forward pattern:zone-plate:512x512 --picture bands.png\n"
                "wavepass forward photo.png --reversible -l max -o c.npy\n"
                "wavepass forward photo.png --adjoint -o c.npy\n"
                "wavepass forward photo.png --bank packets --tree best -l 4 -o c.npy\n"
                "wavepass forward photo.png --subbands pywt -w db4 -o c.npz\n"
                "wavepass forward photos/*.jpg -w cdf53 -o coefficients/\n"
                "wavepass forward scan.tiff -o c.tiff --tile 256 --compression deflate -l 5\n"
                "wavepass forward mosaic.tif -o c.tiff -l 5 --memory 64M\n"
                "wavepass forward head.nii.gz -o c.npy --levels-z 2\n"
                "wavepass forward batch.npy --axes -2,-1 -w haar -o c.npy\n"
                "wavepass forward clip.mp4 -o c.npy --gop 16\n"
                "wavepass forward clip.y4m -o c.npy --gop 8 --decomposition spatial-temporal",
    .arguments_min = 1,
    .arguments_max = WP_ARGUMENTS_ANY,
    .options = options,
    .options_size = sizeof(struct wp_forward_options),
    .run = run,
};
