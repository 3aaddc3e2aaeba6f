#include "clock.h"
#include "command.h"
#include "open_coefficients.h"
#include "memory.h"
#include "mpi_job.h"
#include "mpi_world.h"
#include "rows_write.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

struct options {
    struct wp_transform_params transform;
    const char *output;
    bool changed, force;
};

static const struct wp_option options[] = {
    {.name = "output",
     .letter = 'o',
     .kind = WP_OPTION_TEXT,
     .value = "IMAGE",
     .help = "image file: .npy, .tiff or .pfm",
     .offset = offsetof(struct options, output)},
    {.name = "ignore-changes",
     .old = "changed",
     .kind = WP_OPTION_FLAG,
     .help = "accept coefficients that do not match COEFFS.json",
     .offset = offsetof(struct options, changed)},
    WP_OPTIONS(struct options, transform, wp_mpi_options_device),
    WP_OPTIONS(struct options, transform, wp_options_wavelet),
    WP_OPTIONS(struct options, transform, wp_options_reversible),
    WP_OPTIONS(struct options, transform, wp_options_levels),
    WP_OPTIONS(struct options, force, wp_options_force),
    {0},
};

struct work {
    const struct options *options;
    struct wp_mpi_job job;
    struct wp_coefficient_input from;
    struct wp_tile_store *store;
    float *samples; // of this process's rows, with alpha behind the planes
    struct wp_rows_output *to; // of process 0
    struct wp_rows_preallocated space;
};

static bool check_options(const struct options *o)
{
    if (!o->output)
        return wp_fail(WP_ERROR_USAGE, "no output\nhint: -o image.tiff");
    if (!wp_rows_can_write(o->output))
        return wp_fail(WP_ERROR_USAGE,
                       "%s: several processes can write only .npy, .tiff and .pfm",
                       o->output);
    const struct wp_write_params params = {.overwrite = o->force};
    return wp_world_rank() > 0 || wp_image_write_check(o->output, 1, &params);
}

static bool open_parts(struct work *w, const char *path)
{
    const char *why = NULL;
    if (!wp_open_coefficient_tiles(&w->from, path, &w->options->transform, w->options->changed,
                                 &w->store, &why))
        return false;
    const struct wp_sidecar *s = &w->from.sidecar;
    w->job.shape = (struct wp_image){.width = s->width, .height = s->height, .depth = 1,
                                     .planes = s->planes, .alpha = s->alpha,
                                     .origin = s->origin};
    return w->store || wp_mpi_job_refuse(path, why);
}

static bool open_output(struct work *w)
{
    const struct wp_image *shape = &w->job.shape;
    const struct wp_rows_info info = {.width = shape->width, .height = shape->height,
                                      .planes = shape->planes, .alpha = shape->alpha,
                                      .origin = shape->origin};
    const struct wp_write_params write = {.overwrite = w->options->force,
                                          .stored = w->from.sidecar.stored};
    const char *path = w->options->output;
    bool ok = true;
    if (wp_world_rank() == 0) {
        w->to = wp_rows_create(path, &info, &write);
        ok = w->to && wp_rows_reserve(w->to, &w->space);
    }
    if (!wp_world_agree(ok))
        return false;
    const char *names[WP_MPI_FILES] = {
        w->to ? wp_output_temporary(wp_rows_file(w->to)) : NULL};
    wp_world_share(&w->space, sizeof w->space);
    return wp_mpi_file_open(&w->job.file, path, names);
}

static bool read_band(struct work *w, int b)
{
    struct wp_mpi_band band;
    wp_mpi_get_band(w->job.mpi, b, &band);
    float *to = w->job.band[b];
    bool ok = true;
    for (int p = 0; p < wp_image_colour_planes(&w->job.shape); p++)
        for (int row = 0; row < band.rows && band.width > 0 && ok; row++, to += band.width)
            ok = wp_tile_store_read(w->store, b, p, band.first_row + row, to);
    return ok;
}

static float *alpha_of(const struct work *w)
{
    return w->samples + (size_t)wp_image_colour_planes(&w->job.shape) * (size_t)w->job.rows *
                            (size_t)w->job.shape.width;
}

static bool read_all(struct work *w)
{
    const struct wp_image *shape = &w->job.shape;
    const size_t width = (size_t)shape->width;
    bool ok = true;
    w->samples = wp_allocate(width * (size_t)w->job.rows * (size_t)shape->planes + 1,
                             sizeof *w->samples, "rows of a process");
    if (!w->samples)
        return false;
    for (int b = 0; b < wp_mpi_band_count(w->job.mpi) && ok; b++)
        ok = read_band(w, b);
    for (int y = 0; shape->alpha && y < w->job.rows && ok; y++)
        ok = wp_tile_store_read(w->store, WP_TILE_STORE_ALPHA, 0, w->job.first + y,
                           alpha_of(w) + (size_t)y * width);
    return ok;
}

// The hash of a file that was written as a whole is of its samples one after another: process 0
// reads them again.
static bool read_coefficients(struct work *w)
{
    const double start = wp_clock_seconds();
    wp_progress("reading %s", w->from.path);
    if (!wp_world_agree(read_all(w)))
        return false;
    const unsigned long long hash = wp_world_sum(wp_tile_store_read_hash(w->store));
    const bool changed = wp_world_rank() > 0 || w->options->changed;
    if (!wp_world_agree(wp_tile_store_check_hash(w->store, hash, changed)))
        return false;
    w->job.read = wp_mpi_job_since(start);
    return true;
}

static bool check_integers(struct work *w)
{
    const struct wp_image *shape = &w->job.shape;
    struct wp_image all = {.width = shape->width, .height = w->job.rows * shape->planes, .depth = 1,
                           .planes = 1, .plane = {w->samples}};
    struct wp_text name = {0};
    wp_mpi_job_name(&w->job, w->options->output, &name);
    const bool ok = !w->from.params.reversible || w->job.rows == 0 ||
                    wp_image_check_integers(&all, wp_text_get(&name), w->from.sidecar.stored);
    wp_text_free(&name);
    return ok;
}

static bool transform(struct work *w)
{
    const double start = wp_clock_seconds();
    wp_progress("transforming");
    if (!wp_world_agree(wp_mpi_inverse(w->job.mpi, (const float *const *)w->job.band, w->samples)))
        return false;
    w->job.seconds = wp_mpi_job_since(start);
    return wp_world_agree(check_integers(w));
}

// As many rows at once as make a piece of some size.
static bool write_rows(struct work *w)
{
    enum { AT_ONCE = 1 << 20 };
    const struct wp_image *shape = &w->job.shape;
    const size_t width = (size_t)shape->width, planes = (size_t)shape->planes;
    float *row = wp_allocate(width * planes, sizeof *row, "a row");
    float *pixels = wp_allocate(width * planes, sizeof *pixels, "a row");
    const size_t row_bytes = (size_t)llabs(w->space.step);
    const int most = w->space.step > 0 && row_bytes < AT_ONCE ? (int)(AT_ONCE / row_bytes) : 1;
    unsigned char *piece = wp_allocate((size_t)most, row_bytes, "rows of an image");
    bool ok = row && pixels && piece;
    for (int y = 0; y < w->job.rows && ok;) {
        const int count = w->job.rows - y < most ? w->job.rows - y : most;
        const long long at = (long long)w->space.first + (w->job.first + y) * w->space.step;
        for (int i = 0; i < count; i++, y++) {
            for (size_t p = 0; p < planes; p++)
                memcpy(row + p * width,
                       w->samples + (p * (size_t)w->job.rows + (size_t)y) * width,
                       width * sizeof *row);
            wp_rows_pack(row, shape->width, shape->planes, w->space.stored, pixels);
            memcpy(piece + (size_t)i * row_bytes, pixels, row_bytes);
        }
        ok = wp_mpi_file_write(&w->job.file, (unsigned long long)at, piece,
                               (size_t)count * row_bytes);
    }
    free(piece);
    free(pixels);
    free(row);
    return ok;
}

static bool write_image(struct work *w)
{
    const double start = wp_clock_seconds();
    wp_progress("writing %s", w->options->output);
    if (!wp_world_agree(write_rows(w)) || !wp_mpi_file_agree(&w->job.file) ||
        !wp_world_agree(wp_world_rank() > 0 || wp_rows_commit(&w->to)))
        return false;
    w->job.write = wp_mpi_job_since(start);
    return true;
}

static void tell(const struct work *w, const struct wp_call *call)
{
    wp_mpi_job_report(&w->job, call, w->from.nonfinite,
                    json_pack("{s:o, s:o}", "image", wp_json_text(w->options->output), "sidecar",
                              wp_json_text(w->from.sidecar_path)));
}

static enum wp_error run(const struct wp_call *call)
{
    struct work w = {.options = call->options};
    wp_world_catch_signals();
    const bool ok = wp_world_agree(check_options(w.options)) &&
                    wp_world_agree(open_parts(&w, call->argument[0])) &&
                    wp_mpi_job_begin(&w.job, &w.from.params, WP_INVERSE) && open_output(&w) &&
                    read_coefficients(&w) && transform(&w) && write_image(&w);
    if (ok && wp_world_rank() == 0)
        tell(&w, call);
    wp_rows_discard(&w.to);
    wp_mpi_job_end(&w.job);
    wp_tile_store_close(&w.store);
    wp_close_coefficients(&w.from);
    free(w.samples);
    return ok ? WP_ERROR_NONE : wp_last_error();
}

const struct wp_command wp_command_mpi_inverse = {
    .name = "inverse",
    .alias = "inv",
    .summary = "wavelet coefficients to an image",
    .arguments = "COEFFS -o IMAGE",
    .description =
        "Reconstructs an image whose rows are distributed over the processes. COEFFS is a tiled "
        ".tiff or a .npy that 'wavepass-mpi forward' or 'wavepass forward' wrote, with its "
        "metadata file COEFFS.json. Contradictory options are errors, and so are coefficients that "
        "no longer match the metadata, unless --ignore-changes is given. IMAGE is byte for byte "
        "the result of 'wavepass inverse' on the cpu backend.",
    .examples = "mpiexec -n 4 wavepass-mpi inverse c.tiff -o mosaic.tiff\n"
                "srun wavepass-mpi inverse c.npy -o scan.npy -f",
    .arguments_min = 1,
    .arguments_max = 1,
    .options = options,
    .options_size = sizeof(struct options),
    .run = run,
};
