#include "kspace.h"
#include "command.h"
#include "image.h"
#include "json_value.h"
#include "output.h"
#include "run.h"
#include "threads.h"
#include "words.h"
#include "xmemory.h"

#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { COILS_MAX = 64 };

struct options {
    struct wp_volume_options volume;
    const char *output, *mask_output, *truth_output, *maps_output, *picture;
    const char *from_mask, *pad, *crop;
    double rate, noise;
    int kind, seed, coils;
    const char *slice;
    bool peak, centred, force;
};

#define OPTION(...) WP_OPTION(struct options, __VA_ARGS__)

static const struct wp_option options[] = {
    OPTION(TEXT, "output", "KSPACE", output,
           "k-space: .npy of complex64, or BART's .cfl with its .hdr; - writes NPY to stdout",
           .letter = 'o'),
    OPTION(TEXT, "mask-output", "MASK.npy", mask_output,
           "sampling mask: 0 and 1 as uint8, for volumes without x"),
    OPTION(TEXT, "truth-output", "FILE", truth_output,
           "the measured image, for 'reconstruct --truth'"),
    OPTION(TEXT, "picture", "FILE.png", picture,
           "mask, k-space (log) and zero-filled image, side by side"),
    OPTION(CHOICE, "mask", "KIND", kind,
           "sampling pattern (default density)", WP_WORDS(wp_mask_kind_names)),
    OPTION(NUMBER, "rate", "R", rate, "keep one of R samples (default 4)", .positive = true),
    OPTION(TEXT, "from-mask", "MASK.npy", from_mask,
           "sampling mask to use instead of --mask and --rate"),
    OPTION(INT, "seed", "N", seed,
           "random seed of the mask and of the noise (default 0)",
           .minimum = 0, .maximum = 2147483647),
    OPTION(NUMBER, "noise", "S", noise,
           "Gaussian noise in k-space: standard deviation of the real and imaginary parts "
           "(default 0)"),
    OPTION(TEXT, "slice", "Z", slice, "one slice of a volume, counted from 0"),
    OPTION(TEXT, "pad", "WxH[xD]", pad, "zero-pad the image to this size"),
    OPTION(TEXT, "crop-kspace", "WxH[xD]", crop,
           "reduce the resolution: use the magnitude of this much of the center of k-space"),
    OPTION(FLAG, "normalize", NULL, peak,
           "scale IMAGE, and the result of --crop-kspace, to a maximum of 1", .old = "peak"),
    OPTION(FLAG, "centred", NULL, centred,
           "DC, and the origin of the image, at n/2, as in BART, not at index 0",
           .old = "centered"),
    OPTION(INT, "coils", "N", coils,
           "simulate N receiver coils placed in a ring (default 1, with uniform sensitivity)",
           .minimum = 1, .maximum = COILS_MAX),
    OPTION(TEXT, "maps-output", "MAPS", maps_output,
           "sensitivity maps of --coils, for 'reconstruct --maps': .npy or .cfl"),
    WP_OPTIONS(struct options, volume, wp_options_volume),
    WP_OPTIONS(struct options, force, wp_options_force),
    {0},
};

// The state of one call. run() frees its members.
struct job {
    const struct wp_call *call;
    const struct options *options;
    struct wp_image *image;
    struct wp_complex_array *kspace, *maps;
    struct wp_mask *mask;
};

// Parses "WxH" or "WxHxD". NULL: all zero.
static bool parse_size(const char *option, const char *text, int size[3])
{
    size[0] = size[1] = size[2] = 0;
    return !text || wp_parse_size(text, WP_COMPLEX_MAX_SIDE, size) >= 2 ||
           wp_fail(WP_ERROR_USAGE, "--%s: '%s' is not a size"
                                   "\nhint: for example 224x192 or 64x64x64",
                   option, text);
}

static struct wp_write_params truth_params(const struct options *o)
{
    return (struct wp_write_params){.overwrite = o->force, .content = WP_CONTENT_COEFFICIENTS};
}

static bool check_options(const struct wp_call *call, const struct options *o)
{
    if (!o->output)
        return wp_fail(WP_ERROR_USAGE, "no output\nhint: -o k.npy writes the k-space");
    if (wp_is_stdio(o->output) && call->common.json)
        return wp_fail(WP_ERROR_USAGE, "--json and -o - both write to stdout\nhint: -o FILE");
    if (wp_is_stdio(o->mask_output) || wp_is_stdio(o->truth_output) ||
        wp_is_stdio(o->maps_output) || wp_is_stdio(o->picture))
        return wp_fail(WP_ERROR_USAGE, "only -o supports - (one file is written to stdout)");
    if (o->from_mask && (o->rate > 0 || o->kind != WP_MASK_DENSITY))
        return wp_fail(WP_ERROR_USAGE, "--from-mask excludes --mask and --rate");
    if (o->maps_output && o->coils < 2)
        return wp_fail(WP_ERROR_USAGE, "--maps-output needs --coils of 2 or more");
    return true;
}

// Checks both files of .cfl and .hdr, since both are written.
static bool check_output(const char *path, bool overwrite)
{
    static const char *const suffixes[] = {".cfl", ".hdr"};
    const size_t length = strlen(path);
    bool ok = wp_complex_can_write(path) && wp_output_check(path, overwrite);
    for (int i = 0; ok && i < 2 && length > 4; i++) {
        if (strcmp(path + length - 4, suffixes[i]) != 0)
            continue;
        char *other = wp_xstrdup(path);
        memcpy(other + length - 4, suffixes[!i], 4);
        ok = wp_output_check(other, overwrite);
        free(other);
    }
    return ok;
}

// Checks all outputs before reading the image.
static bool check_outputs(const struct options *o)
{
    const struct wp_output_named outputs[] = {{"-o", o->output},
                                              {"--mask-output", o->mask_output},
                                              {"--truth-output", o->truth_output},
                                              {"--maps-output", o->maps_output},
                                              {"--picture", o->picture}};
    const struct wp_write_params truth = truth_params(o), picture = {.overwrite = o->force};
    return wp_output_check_apart(outputs, sizeof outputs / sizeof *outputs) &&
           check_output(o->output, o->force) &&
           (!o->maps_output || check_output(o->maps_output, o->force)) &&
           (!o->mask_output || wp_output_check(o->mask_output, o->force)) &&
           (!o->truth_output || wp_image_write_check(o->truth_output, 1, &truth)) &&
           (!o->picture || wp_image_write_check(o->picture, 1, &picture));
}

static bool extract_slice(struct job *j)
{
    int z;
    struct wp_image *volume = j->image;
    if (!wp_parse_int(j->options->slice, &z) || z < 0 || z >= volume->depth)
        return wp_fail(WP_ERROR_USAGE, "--slice: '%s' is not a slice of the image (0 to %d)",
                       j->options->slice, volume->depth - 1);
    const struct wp_image slice = wp_image_slice(volume, z);
    j->image = wp_image_create(slice.width, slice.height, 1, false);
    if (j->image)
        memcpy(j->image->plane[0], slice.plane[0], wp_image_samples(&slice) * sizeof(float));
    wp_image_destroy(&volume);
    return j->image != NULL;
}

static bool read_image(struct job *j)
{
    size_t nonfinite = 0;
    j->image = wp_run_read_volume(j->call->argument[0], &j->options->volume, &nonfinite);
    if (j->image && nonfinite)
        return wp_fail(WP_ERROR_FILE, "%s: image contains NaN or infinite values",
                       j->call->argument[0]);
    if (!j->image)
        return false;
    wp_image_to_gray(j->image);
    if (j->options->peak)
        wp_scale_to_peak(j->image);
    return !j->options->slice || extract_slice(j);
}

static bool check_size(const char *option, const int size[3], const int than[3], int sign)
{
    for (int i = 0; i < 3; i++)
        if (sign * (size[i] - than[i]) < 0)
            return wp_fail(WP_ERROR_USAGE, "--%s: %dx%dx%d is %s than %dx%dx%d along %c", option,
                           size[0], size[1], size[2], sign > 0 ? "less" : "more", than[0], than[1],
                           than[2], 'x' + i);
    return true;
}

// Replaces the image by one of lower resolution, from the center of its k-space.
static bool crop(struct job *j, const int size[3])
{
    struct wp_complex_array *array = j->kspace;
    j->kspace = NULL;
    wp_image_destroy(&j->image);
    if (check_size("crop-kspace", size, array->size, -1))
        j->image = wp_coarser_image(array, size);
    wp_complex_destroy(&array);
    if (j->image && j->options->peak)
        wp_scale_to_peak(j->image);
    j->kspace = j->image ? wp_complex_pad(j->image, size) : NULL;
    return j->kspace != NULL;
}

// Pads and crops the image; `kspace` becomes the image to be measured.
static bool prepare(struct job *j, const int pad[3], const int cropped[3])
{
    const int extent[3] = {j->image->width, j->image->height, j->image->depth};
    const int *size = pad[0] ? pad : extent;
    if (!check_size("pad", size, extent, 1))
        return false;
    j->kspace = wp_complex_pad(j->image, size);
    return j->kspace && (!cropped[0] || crop(j, cropped));
}

static bool write_truth(struct job *j)
{
    const struct wp_write_params params = truth_params(j->options);
    struct wp_image *truth = wp_complex_magnitude(j->kspace, 0);
    // The real part instead of the magnitude, which preserves negative values.
    for (size_t i = 0; truth && i < wp_image_samples(truth); i++)
        truth->plane[0][i] = crealf(j->kspace->value[i]);
    const bool ok = truth && wp_image_write(truth, j->options->truth_output, &params);
    wp_image_destroy(&truth);
    return ok;
}

static bool simulate_coils(struct job *j)
{
    struct wp_complex_array *image = j->kspace;
    j->maps = wp_coil_maps(image->size, j->options->coils);
    j->kspace = j->maps ? wp_coil_images(image, j->maps) : NULL;
    wp_complex_destroy(&image);
    return j->kspace && (!j->options->maps_output ||
                         wp_complex_write(j->options->maps_output, j->maps));
}

static bool choose_mask(struct job *j)
{
    const struct options *o = j->options;
    j->mask = o->from_mask ? wp_mask_read(o->from_mask, j->kspace->size, o->centred)
                           : wp_mask_create((enum wp_mask_kind)o->kind, j->kspace->size,
                                            o->rate > 0 ? o->rate : 4,
                                            (unsigned long long)o->seed);
    return j->mask != NULL;
}

static bool write_picture(struct job *j)
{
    const struct wp_write_params params = {.overwrite = j->options->force};
    struct wp_image *picture = wp_kspace_picture(j->kspace, j->mask);
    const bool ok = picture && wp_image_write(picture, j->options->picture, &params);
    wp_image_destroy(&picture);
    return ok;
}

static bool measure(struct job *j)
{
    const struct options *o = j->options;
    wp_progress("measuring");
    if (!wp_complex_transform(j->kspace, true, wp_threads_count()))
        return false;
    if (o->noise > 0)
        wp_complex_add_noise(j->kspace, o->noise, (unsigned long long)o->seed);
    wp_complex_mask(j->kspace, j->mask);
    if (o->picture && !write_picture(j))
        return false;
    if (o->centred)
        wp_complex_centre(j->kspace);
    return wp_complex_write(o->output, j->kspace) &&
           (!o->mask_output || wp_mask_write(o->mask_output, j->mask, o->centred));
}

// The expected L2 norm of the noise on the sampled positions.
static double noise_length(const struct job *j)
{
    return j->options->noise *
           sqrt(2.0 * (double)wp_mask_count(j->mask) * (double)j->kspace->coils);
}

static void log_result(const struct job *j)
{
    const struct options *o = j->options;
    char size[WP_SIZE_TEXT];
    struct wp_text text = {0};
    wp_text_add(&text, "%s", wp_size_text(size, j->kspace->size));
    if (j->kspace->coils > 1)
        wp_text_add(&text, ", %d coils", j->kspace->coils);
    wp_text_add(&text, ", %s: %zu samples, 1 of %.4g",
                o->from_mask ? o->from_mask : wp_mask_kind_names[o->kind], wp_mask_count(j->mask),
                wp_mask_rate(j->mask));
    if (o->noise > 0)
        wp_text_add(&text, ", noise of L2 norm %.4g (for --sigma)", noise_length(j));
    wp_log(WP_LOG_INFO, "%s", wp_text_get(&text));
    wp_text_free(&text);
}

static void print_json(const struct job *j)
{
    const struct options *o = j->options;
    const int *size = j->kspace->size;
    wp_print_json(json_pack(
        "{s:s, s:i, s:i, s:i, s:i, s:o, s:I, s:f, s:f, s:i, s:f, s:f, s:b}",          //
        "command", "undersample", "width", size[0], "height", size[1], "depth", size[2], //
        "coils", j->kspace->coils,                                                    //
        "mask", wp_json_text(o->from_mask ? NULL : wp_mask_kind_names[o->kind]),      //
        "samples", (json_int_t)wp_mask_count(j->mask),                                //
        "part", 1 / wp_mask_rate(j->mask), "rate", wp_mask_rate(j->mask),             //
        "seed", o->seed, "noise", o->noise, "noise_length", noise_length(j),          //
        "centred", (int)o->centred));
}

static bool undersample(struct job *j)
{
    const struct options *o = j->options;
    int pad[3], cropped[3];
    if (!check_options(j->call, o) || !parse_size("pad", o->pad, pad) ||
        !parse_size("crop-kspace", o->crop, cropped) || !check_outputs(o) || !read_image(j) ||
        !prepare(j, pad, cropped) || !choose_mask(j))
        return false;
    if ((o->truth_output && !write_truth(j)) || (o->coils > 1 && !simulate_coils(j)) || !measure(j))
        return false;
    log_result(j);
    if (j->call->common.json)
        print_json(j);
    return true;
}

static enum wp_error run(const struct wp_call *call)
{
    struct job j = {.call = call, .options = call->options};
    const bool ok = undersample(&j);
    wp_image_destroy(&j.image);
    wp_complex_destroy(&j.kspace);
    wp_complex_destroy(&j.maps);
    wp_mask_destroy(&j.mask);
    return ok ? WP_ERROR_NONE : wp_last_error();
}

const struct wp_command wp_command_undersample = {
    .name = "undersample",
    .alias = "sample",
    .summary = "simulate undersampled MRI k-space of an image or volume",
    .arguments = "IMAGE -o KSPACE",
    .description =
        "Simulates undersampled MRI k-space of an image or volume as input for 'reconstruct': the "
        "unitary Fourier transform, noise, and zeros outside a sampling mask. Color is converted "
        "to gray.\n\n"
        "Masks: density keeps random positions with a density that decreases with the distance "
        "from DC, over both axes of an image, and over y and z of a volume (x is fully sampled); "
        "lines keeps whole lines along x (planes for volumes) with the same density; radial keeps "
        "spokes rotated by the golden angle; poisson keeps random positions with a minimal "
        "distance. A seed gives the same mask on every machine.\n\n"
        "Order of the steps: --normalize, --slice, --pad, --crop-kspace, --coils, transform, "
        "--noise, mask.",
    .examples = "wavepass undersample pattern:shepp-logan -o k.npy --mask-output m.npy\n"
                "wavepass undersample head.nii.gz --normalize --slice 90 --pad 192x224 -o k.npy "
                "--mask-output m.npy --rate 8 --seed 7\n"
                "wavepass undersample head.nii.gz --pad 224x224x224 --crop-kspace 128x128x128 "
                "--normalize -o k.npy --mask-output m.npy\n"
                "wavepass undersample photo.jpg --mask radial --noise 0.01 --centred -o k.cfl\n"
                "wavepass undersample photo.jpg --coils 8 --maps-output maps.npy -o k.npy",
    .arguments_min = 1,
    .arguments_max = 1,
    .options = options,
    .options_size = sizeof(struct options),
    .run = run,
};
