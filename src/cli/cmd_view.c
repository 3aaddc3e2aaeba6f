#include "command.h"
#include "run.h"
#include "viewer.h"
#include "wavepass.h"
#include "words.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct options {
    struct wp_transform_params transform;
    struct wp_volume_options volume;
    struct wp_reconstruction_options reconstruct;
    const char *kspace;
    const char *screenshot, *window, *state, *events, *shaders, *channel, *memory;
    int frames;
    double ui_scale;
    bool no_ui, force;
};

#define OPTION(...) WP_OPTION(struct options, __VA_ARGS__)

static const struct wp_option options[] = {
    OPTION(TEXT, "screenshot", "FILE.png", screenshot,
           "render without a display, write the last frame and exit"),
    OPTION(TEXT, "window", "WxH", window,
           "size of the window or screenshot in pixels (default 1280x800)"),
    OPTION(FLAG, "no-ui", NULL, no_ui, "show only the canvas, without menu and panels"),
    OPTION(NUMBER, "ui-scale", "FACTOR", ui_scale,
           "scale of the interface (default: that of the display, or 1)", .positive = true),
    OPTION(TEXT, "state", "FILE", state,
           "initial settings from a .json or a screenshot; other options override them"),
    OPTION(TEXT, "events", "FILE", events, "play user events, one per line; - is stdin"),
    OPTION(INT, "frames", "N", frames,
           "draw at least this many frames before the screenshot",
           .minimum = 1, .maximum = 1000000),
    OPTION(TEXT, "shaders", "DIR", shaders,
           "read the viewer's shaders from DIR, and again when they change"),
    OPTION(TEXT, "memory", "SIZE", memory,
           "memory limit for an image, for example 256M; larger ones are shown in tiles within "
           "this limit (default a quarter of the computer's memory, 512M for tiles), and volumes "
           "and redundant banks that need more are rejected"),
    OPTION(TEXT, "reconstruct", "KSPACE", kspace,
           "show the reconstruction of this k-space instead of images; -w, -l and -b are as in "
           "'reconstruct'"),
    WP_OPTIONS(struct options, reconstruct, wp_options_reconstruct),
    WP_OPTIONS(struct options, channel, wp_options_channel),
    WP_OPTIONS(struct options, transform, wp_options_scheme),
    WP_OPTIONS(struct options, transform, wp_options_reversible),
    WP_OPTIONS(struct options, transform, wp_options_adjoint),
    WP_OPTIONS(struct options, transform, wp_options_layout),
    WP_OPTIONS(struct options, transform, wp_options_slices),
    WP_OPTIONS(struct options, volume, wp_options_volume),
    WP_OPTIONS(struct options, transform, wp_options_backend),
    WP_OPTIONS(struct options, transform, wp_options_precision),
    WP_OPTIONS(struct options, force, wp_options_force),
    {0},
};

static bool parse_window(const char *text, struct wp_viewer_params *params)
{
    enum { SIDE_MAX = 16384 };
    int size[3];
    if (wp_parse_size(text, SIDE_MAX, size) != 2)
        return wp_fail(WP_ERROR_USAGE, "--window: '%s' is not a size"
                                       "\nhint: for example 1280x800", text);
    params->width = size[0];
    params->height = size[1];
    return true;
}

// Rejects options for images with --reconstruct, and options for reconstructions without it.
static bool check_kind(const struct wp_call *call)
{
    static const char *const none[] = {NULL};
    static const char *const for_both[] = {"screenshot", "window", "no-ui", "ui-scale", "state",
                                           "events", "frames", "shaders", "reconstruct", "wavelet",
                                           "taps", "levels", "backend", "device", "force", NULL};
    const struct options *o = call->options;
    struct options rest = *o;
    const struct wp_option *given;
    if (!o->kspace) {
        given = wp_options_given(wp_options_reconstruct, &o->reconstruct, none);
        return !given || wp_fail(WP_ERROR_USAGE, "--%s is for --reconstruct KSPACE", given->name);
    }
    rest.reconstruct = (struct wp_reconstruction_options){0};
    given = wp_options_given(options, &rest, for_both);
    if (given)
        return wp_fail(WP_ERROR_USAGE, "--%s cannot be combined with --reconstruct", given->name);
    if (call->argument_count > 0)
        return wp_fail(WP_ERROR_USAGE, "'%s' cannot be combined with --reconstruct, which shows "
                                       "only the reconstruction of %s",
                                       call->argument[0], o->kspace);
    return o->transform.levels <= 12 ||
           wp_fail(WP_ERROR_USAGE, "%d levels are out of range (1 to 12)",
                   o->transform.levels);
}

// With --reconstruct, copies the options that both modes have to the reconstruction.
static void set_kind(const struct options *o, struct wp_viewer_params *params)
{
    if (!o->kspace)
        return;
    params->kspace = o->kspace;
    params->reconstruct = o->reconstruct;
    params->reconstruct.wavelet = o->transform.wavelet;
    params->reconstruct.levels = o->transform.levels;
    params->reconstruct.backend = o->transform.backend;
    params->transform = (struct wp_transform_params){.device = o->transform.device};
}

// Selects the pyramid viewer for a file above the memory limit. It rejects options of transforms:
// all of them for coefficients, those of backends for images.
static bool choose_pyramid(const struct wp_call *call, struct wp_viewer_params *params)
{
    static const char *const for_all[] = {"screenshot", "window", "no-ui", "ui-scale", "state",
                                          "events", "frames", "shaders", "channel", "memory",
                                          "device", "force", NULL};
    static const char *const for_images[] = {"screenshot", "window", "no-ui", "ui-scale", "state",
                                             "events", "frames", "shaders", "channel", "memory",
                                             "device", "force", "wavelet", "taps", "levels",
                                             "border", "norm", "raw", NULL};
    const struct options *o = call->options;
    struct wp_memory_limit limit;
    if (!wp_memory_limit(o->memory, &limit))
        return false;
    const struct wp_read_params read = wp_run_read_params(&o->volume);
    params->memory = limit.bytes;
    params->memory_named = limit.given;
    for (int i = 0; i < call->argument_count && !o->kspace && !o->volume.volume; i++) {
        const char *path = call->argument[i];
        const enum wp_pyramid_source of = wp_viewer_pyramid_source(path, &read, limit.bytes);
        if (of == WP_PYRAMID_NONE)
            continue;
        if (call->argument_count > 1)
            return wp_fail(WP_ERROR_USAGE, "%s is shown in tiles, which excludes other files",
                           path);
        const struct wp_option *given = wp_options_given(
            options, o, of == WP_PYRAMID_COEFFICIENTS ? for_all : for_images);
        if (given)
            return wp_fail(WP_ERROR_USAGE, "--%s cannot be combined with %s, which is shown in "
                                           "tiles",
                           given->name, path);
        params->pyramid = of;
    }
    return true;
}

static enum wp_error run(const struct wp_call *call)
{
    const struct options *o = call->options;
    struct wp_viewer_params params = {
        .file = call->argument,
        .file_count = call->argument_count,
        .transform = o->transform,
        .read = wp_run_read_params(&o->volume),
        .state = o->state,
        .events = o->events,
        .screenshot = o->screenshot,
        .frames = o->frames,
        .ui_scale = o->ui_scale,
        .bare = o->no_ui,
        .overwrite = o->force,
        .shaders = o->shaders,
        .channel = o->channel,
        .capture = wp_messages_capture,
    };
    set_kind(o, &params);
    bool ok = check_kind(call) && choose_pyramid(call, &params);
    ok = ok && (!o->window || parse_window(o->window, &params));
    if (ok && o->ui_scale != 0 && (o->ui_scale < 0.5 || o->ui_scale > 4))
        ok = wp_fail(WP_ERROR_USAGE, "--ui-scale: %g is out of range (0.5 to 4)", o->ui_scale);
    if (ok && o->transform.levels == WP_LEVELS_NONE)
        ok = wp_fail(WP_ERROR_USAGE, "0 levels leave an image as it is\nhint: 1, 2, 3, … or max");
    if (ok && o->kspace && o->transform.levels == WP_LEVELS_MOST)
        ok = wp_fail(WP_ERROR_USAGE, "-l max is for images; the wavelet of a reconstruction has "
                                     "1 to 12 levels");
    if (ok && o->screenshot && call->argument_count == 0 && !o->kspace)
        ok = wp_fail(WP_ERROR_USAGE, "an argument is missing\nhint: wavepass view IN --screenshot "
                                     "FILE.png");
    return ok ? wp_viewer_run(&params) : wp_last_error();
}

const struct wp_command wp_command_view = {
    .name = "view",
    .summary = "interactive viewer: subbands, passes, two transforms side by side",
    .arguments = "[IN ... | --reconstruct KSPACE -m MASK]",
    .description =
        "Shows an image or a volume and its wavelet transform in a window: the subbands in "
        "several arrangements, each shader pass, the reconstruction, and two transforms side by "
        "side. '?' in the window lists the keys, as does the man page. With --screenshot it "
        "renders the same without a display, on the device of -d; for a window, the window system "
        "selects the device. 'wavepass IMAGE' means 'wavepass view IMAGE'.\n\n"
        "--no-optimize, --reversible, backend, variant and precision apply to A, the first of the "
        "two transforms; the panel sets B's.\n\n"
        "Details of color images are shown in red, green and blue about mid gray, with one range "
        "for all channels, so neutral details stay gray. With --channel luma (Rec. 601) or one "
        "channel, color maps are available; H selects the next one.\n\n"
        "PgUp and PgDn select one of several images, and Space plays them; likewise the frames of "
        "FILE.y4m, and of y4m:- on the standard input, whose luma is shown.\n\n"
        "Volumes (NPY, NIfTI, TIFF of several pages, --raw, and with --volume Y4M, too) are shown "
        "in slices along each axis, linked by a crosshair, next to one subband, all subbands as a "
        "cube, or the maximum projection. A click moves the crosshair, the wheel steps through "
        "slices, the right button changes window and level.\n\n"
        "Coefficients in tiles ('forward --tile'), and images and coefficients larger than "
        "--memory, are shown as a pyramid: only the visible tiles are read, at the resolution "
        "that is shown, so images of any size can be explored. For such an image the coefficients "
        "are computed first, in a temporary file; Esc stops that.\n\n"
        "With --reconstruct it shows 'reconstruct' at work: k-space, mask, the zero-filled image, "
        "the current image and its error side by side, curves of PSNR and residual, and sliders "
        "for the weights, which restart or continue the solver. Space runs or pauses it, '.' does "
        "one iteration, K copies the equivalent command. With --screenshot all iterations are "
        "done first, or with --events those of the events ('iterate 20').",
    .examples = "wavepass view photo.jpg -w cdf53 -l 5\n"
                "wavepass view photo.jpg --screenshot view.png --window 1920x1080\n"
                "wavepass view head.nii.gz\n"
                "wavepass view mosaic.tiff --memory 256M\n"
                "wavepass view --reconstruct k.npy -m m.npy --truth t.npy\n"
                "ffmpeg -i film.mp4 -f yuv4mpegpipe - | wavepass view y4m:-",
    .arguments_max = 256,
    .options = options,
    .options_size = sizeof(struct options),
    .run = run,
};
