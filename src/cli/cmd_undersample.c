#include "acquire.h"
#include "command.h"
#include "image.h"
#include "json_value.h"
#include "kspace_picture.h"
#include "mask.h"
#include "output.h"
#include "output_path.h"
#include "run.h"
#include "threads.h"
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

static const struct wp_option options[] = {
    {.name = "output",
     .letter = 'o',
     .kind = WP_OPTION_TEXT,
     .value = "KSPACE",
     .help = "k-space: .npy of complex64, or BART's .cfl with its .hdr; - writes NPY to stdout",
     .offset = offsetof(struct options, output)},
    {.name = "mask-output",
     .kind = WP_OPTION_TEXT,
     .value = "MASK.npy",
     .help = "sampling mask: 0 and 1 as uint8, for volumes without x",
     .offset = offsetof(struct options, mask_output)},
    {.name = "truth-output",
     .kind = WP_OPTION_TEXT,
     .value = "FILE",
     .help = "the measured image, for 'reconstruct --truth'",
     .offset = offsetof(struct options, truth_output)},
    {.name = "picture",
     .kind = WP_OPTION_TEXT,
     .value = "FILE.png",
     .help = "mask, k-space (log) and zero-filled image, side by side",
     .offset = offsetof(struct options, picture)},
    {.name = "mask",
     .kind = WP_OPTION_CHOICE,
     .value = "KIND",
     .help = "sampling pattern (default density)",
     .offset = offsetof(struct options, kind),
     .words = wp_mask_kind_names,
     .word_count = WP_MASK_KIND_COUNT},
    {.name = "rate",
     .kind = WP_OPTION_NUMBER,
     .value = "R",
     .help = "keep one of R samples (default 4)",
     .positive = true,
     .offset = offsetof(struct options, rate)},
    {.name = "from-mask",
     .kind = WP_OPTION_TEXT,
     .value = "MASK.npy",
     .help = "sampling mask to use instead of --mask and --rate",
     .offset = offsetof(struct options, from_mask)},
    {.name = "seed",
     .kind = WP_OPTION_INT,
     .value = "N",
     .help = "random seed of the mask and of the noise (default 0)",
     .offset = offsetof(struct options, seed),
     .minimum = 0,
     .maximum = 2147483647},
    {.name = "noise",
     .kind = WP_OPTION_NUMBER,
     .value = "S",
     .help = "Gaussian noise in k-space: standard deviation of the real and imaginary parts "
             "(default 0)",
     .offset = offsetof(struct options, noise)},
    {.name = "slice",
     .kind = WP_OPTION_TEXT,
     .value = "Z",
     .help = "one slice of a volume, counted from 0",
     .offset = offsetof(struct options, slice)},
    {.name = "pad",
     .kind = WP_OPTION_TEXT,
     .value = "WxH[xD]",
     .help = "zero-pad the image to this size",
     .offset = offsetof(struct options, pad)},
    {.name = "crop-kspace",
     .kind = WP_OPTION_TEXT,
     .value = "WxH[xD]",
     .help = "reduce the resolution: use the magnitude of this much of the center of k-space",
     .offset = offsetof(struct options, crop)},
    {.name = "normalize",
     .old = "peak",
     .kind = WP_OPTION_FLAG,
     .help = "scale IMAGE, and the result of --crop-kspace, to a maximum of 1",
     .offset = offsetof(struct options, peak)},
    {.name = "centred",
     .old = "centered",
     .kind = WP_OPTION_FLAG,
     .help = "DC, and the origin of the image, at n/2, as in BART, not at index 0",
     .offset = offsetof(struct options, centred)},
    {.name = "coils",
     .kind = WP_OPTION_INT,
     .value = "N",
     .help = "simulate N receiver coils placed in a ring (default 1, with uniform sensitivity)",
     .offset = offsetof(struct options, coils),
     .minimum = 1,
     .maximum = COILS_MAX},
    {.name = "maps-output",
     .kind = WP_OPTION_TEXT,
     .value = "MAPS",
     .help = "sensitivity maps of --coils, for 'reconstruct --maps': .npy or .cfl",
     .offset = offsetof(struct options, maps_output)},
    WP_OPTIONS(struct options, volume, wp_options_volume),
    WP_OPTIONS(struct options, force, wp_options_force),
    {0},
};

// What one call holds.
struct job {
    const struct wp_call *call;
    const struct options *options;
    struct wp_image *image;
    struct wp_complex_array *kspace, *maps;
    struct wp_mask *mask;
};

// "WxH" or "WxHxD"; all zero of NULL.
static bool parse_size(const char *option, const char *text, int size[3])
{
    char *copy = wp_xstrdup(text ? text : ""), *rest = copy;
    int count = 0, separators = 0;
    bool ok = true;
    for (const char *at = copy; *at; at++)
        separators += *at == 'x';
    size[0] = size[1] = 0;
    size[2] = text ? 1 : 0;
    for (char *word = strtok_r(copy, "x", &rest); text && ok && word;
         word = strtok_r(NULL, "x", &rest), count++)
        ok = count < 3 && wp_parse_int(word, &size[count]) && size[count] >= 1 &&
             size[count] <= WP_COMPLEX_MAX_SIDE;
    free(copy);
    return !text || (ok && count >= 2 && separators == count - 1) ||
           wp_fail(WP_ERROR_USAGE, "--%s: '%s' is not a size"
                                   "\nhint: for example 224x192 or 64x64x64",
                   option, text);
}

static bool is_stdout(const char *path)
{
    return path && strcmp(path, "-") == 0;
}

static struct wp_write_params truth_params(const struct options *o)
{
    return (struct wp_write_params){.overwrite = o->force, .content = WP_CONTENT_COEFFICIENTS};
}

static bool check_options(const struct wp_call *call, const struct options *o)
{
    if (!o->output)
        return wp_fail(WP_ERROR_USAGE, "no output\nhint: -o k.npy writes the k-space");
    if (is_stdout(o->output) && call->common.json)
        return wp_fail(WP_ERROR_USAGE, "--json and -o - both write to stdout\nhint: -o FILE");
    if (is_stdout(o->mask_output) || is_stdout(o->truth_output) || is_stdout(o->maps_output) ||
        is_stdout(o->picture))
        return wp_fail(WP_ERROR_USAGE, "only -o supports - (one file is written to stdout)");
    if (o->from_mask && (o->rate > 0 || o->kind != WP_MASK_DENSITY))
        return wp_fail(WP_ERROR_USAGE, "--from-mask excludes --mask and --rate");
    if (o->maps_output && o->coils < 2)
        return wp_fail(WP_ERROR_USAGE, "--maps-output needs --coils of 2 or more");
    return true;
}

// Of .cfl and .hdr both names, since both are written.
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

// Refuses whatever can be refused before the work begins.
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

static bool take_slice(struct job *w)
{
    int z;
    struct wp_image *volume = w->image;
    if (!wp_parse_int(w->options->slice, &z) || z < 0 || z >= volume->depth)
        return wp_fail(WP_ERROR_USAGE, "no slice '%s' (there are 0 to %d)", w->options->slice,
                       volume->depth - 1);
    const struct wp_image slice = wp_image_slice(volume, z);
    w->image = wp_image_create(slice.width, slice.height, 1, false);
    if (w->image)
        memcpy(w->image->plane[0], slice.plane[0], wp_image_samples(&slice) * sizeof(float));
    wp_image_destroy(&volume);
    return w->image != NULL;
}

static bool read_image(struct job *w)
{
    size_t nonfinite = 0;
    w->image = wp_run_read_volume(w->call->argument[0], &w->options->volume, &nonfinite);
    if (w->image && nonfinite)
        return wp_fail(WP_ERROR_FILE, "%s: image contains NaN or infinite values",
                       w->call->argument[0]);
    if (!w->image)
        return false;
    wp_image_to_gray(w->image);
    if (w->options->peak)
        wp_scale_to_peak(w->image);
    return !w->options->slice || take_slice(w);
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

// Leaves the coarser image in the place of the one that was read.
static bool crop(struct job *w, const int size[3])
{
    struct wp_complex_array *array = w->kspace;
    w->kspace = NULL;
    wp_image_destroy(&w->image);
    if (check_size("crop-kspace", size, array->size, -1))
        w->image = wp_coarser_image(array, size);
    wp_complex_destroy(&array);
    if (w->image && w->options->peak)
        wp_scale_to_peak(w->image);
    w->kspace = w->image ? wp_complex_pad(w->image, size) : NULL;
    return w->kspace != NULL;
}

// The image that is measured, in `kspace`.
static bool prepare(struct job *w, const int pad[3], const int cropped[3])
{
    const int own[3] = {w->image->width, w->image->height, w->image->depth};
    const int *size = pad[0] ? pad : own;
    if (!check_size("pad", size, own, 1))
        return false;
    w->kspace = wp_complex_pad(w->image, size);
    return w->kspace && (!cropped[0] || crop(w, cropped));
}

static bool write_truth(struct job *w)
{
    const struct wp_write_params params = truth_params(w->options);
    struct wp_image *truth = wp_complex_magnitude(w->kspace, 0);
    // Values below zero stay so.
    for (size_t i = 0; truth && i < wp_image_samples(truth); i++)
        truth->plane[0][i] = crealf(w->kspace->value[i]);
    const bool ok = truth && wp_image_write(truth, w->options->truth_output, &params);
    wp_image_destroy(&truth);
    return ok;
}

static bool see_by_coils(struct job *w)
{
    struct wp_complex_array *image = w->kspace;
    w->maps = wp_coil_maps(image->size, w->options->coils);
    w->kspace = w->maps ? wp_coil_images(image, w->maps) : NULL;
    wp_complex_destroy(&image);
    return w->kspace && (!w->options->maps_output ||
                         wp_complex_write(w->options->maps_output, w->maps));
}

static bool choose_mask(struct job *w)
{
    const struct options *o = w->options;
    w->mask = o->from_mask ? wp_mask_read(o->from_mask, w->kspace->size, o->centred)
                           : wp_mask_create((enum wp_mask_kind)o->kind, w->kspace->size,
                                            o->rate > 0 ? o->rate : 4,
                                            (unsigned long long)o->seed);
    return w->mask != NULL;
}

static bool write_picture(struct job *w)
{
    const struct wp_write_params params = {.overwrite = w->options->force};
    struct wp_image *picture = wp_kspace_picture(w->kspace, w->mask);
    const bool ok = picture && wp_image_write(picture, w->options->picture, &params);
    wp_image_destroy(&picture);
    return ok;
}

static bool measure(struct job *w)
{
    const struct options *o = w->options;
    wp_progress("measuring");
    if (!wp_complex_transform(w->kspace, true, wp_threads_count()))
        return false;
    if (o->noise > 0)
        wp_complex_add_noise(w->kspace, o->noise, (unsigned long long)o->seed);
    wp_complex_mask(w->kspace, w->mask);
    if (o->picture && !write_picture(w))
        return false;
    if (o->centred)
        wp_complex_centre(w->kspace);
    return wp_complex_write(o->output, w->kspace) &&
           (!o->mask_output || wp_mask_write(o->mask_output, w->mask, o->centred));
}

// The length that noise of this deviation has on the samples that were kept.
static double noise_length(const struct job *w)
{
    return w->options->noise *
           sqrt(2.0 * (double)wp_mask_count(w->mask) * (double)w->kspace->coils);
}

static void tell(const struct job *w)
{
    const struct options *o = w->options;
    const int *size = w->kspace->size;
    struct wp_text text = {0};
    wp_text_add(&text, "%dx%d", size[0], size[1]);
    if (size[2] > 1)
        wp_text_add(&text, "x%d", size[2]);
    if (w->kspace->coils > 1)
        wp_text_add(&text, ", %d coils", w->kspace->coils);
    wp_text_add(&text, ", %s: %zu samples, 1 of %.4g",
                o->from_mask ? o->from_mask : wp_mask_kind_names[o->kind], wp_mask_count(w->mask),
                wp_mask_rate(w->mask));
    if (o->noise > 0)
        wp_text_add(&text, ", noise of L2 norm %.4g (for --sigma)", noise_length(w));
    wp_log(WP_LOG_INFO, "%s", wp_text_get(&text));
    wp_text_free(&text);
}

static void print_json(const struct job *w)
{
    const struct options *o = w->options;
    const int *size = w->kspace->size;
    wp_print_json(json_pack(
        "{s:s, s:i, s:i, s:i, s:i, s:o, s:I, s:f, s:f, s:i, s:f, s:f, s:b}",         //
        "command", "undersample", "width", size[0], "height", size[1], "depth", size[2], //
        "coils", w->kspace->coils,                                                    //
        "mask", wp_json_text(o->from_mask ? NULL : wp_mask_kind_names[o->kind]),      //
        "samples", (json_int_t)wp_mask_count(w->mask),                                //
        "part", 1 / wp_mask_rate(w->mask), "rate", wp_mask_rate(w->mask),             //
        "seed", o->seed, "noise", o->noise, "noise_length", noise_length(w),          //
        "centred", (int)o->centred));
}

static bool undersample(struct job *w)
{
    const struct options *o = w->options;
    int pad[3], cropped[3];
    if (!check_options(w->call, o) || !parse_size("pad", o->pad, pad) ||
        !parse_size("crop-kspace", o->crop, cropped) || !check_outputs(o) || !read_image(w) ||
        !prepare(w, pad, cropped) || !choose_mask(w))
        return false;
    if ((o->truth_output && !write_truth(w)) || (o->coils > 1 && !see_by_coils(w)) || !measure(w))
        return false;
    tell(w);
    if (w->call->common.json)
        print_json(w);
    return true;
}

static enum wp_error run(const struct wp_call *call)
{
    struct job w = {.call = call, .options = call->options};
    const bool ok = undersample(&w);
    wp_image_destroy(&w.image);
    wp_complex_destroy(&w.kspace);
    wp_complex_destroy(&w.maps);
    wp_mask_destroy(&w.mask);
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
