#include "clock.h"
#include "command.h"
#include "run.h"
#include "memory.h"
#include "mpi_job.h"
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
    WP_OPTIONS(struct options, changed, wp_options_changed),
    WP_OPTIONS(struct options, transform, wp_mpi_options_device),
    WP_OPTIONS(struct options, transform, wp_options_wavelet),
    WP_OPTIONS(struct options, transform, wp_options_reversible),
    WP_OPTIONS(struct options, transform, wp_options_levels),
    WP_OPTIONS(struct options, force, wp_options_force),
    {0},
};

// The state of one call. run() frees its members.
struct command {
    const struct options *options;
    struct wp_mpi_job job;
    struct wp_coefficient_input from;
    struct wp_tile_store *store;
    float *samples; // this process's rows of all planes, alpha last
    struct wp_rows_output *to; // only in process 0
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

static bool open_store(struct command *c, const char *path)
{
    const char *why = NULL;
    if (!wp_open_coefficient_tiles(&c->from, path, &c->options->transform, c->options->changed,
                                 &c->store, &why))
        return false;
    c->job.shape = wp_sidecar_shape(&c->from.sidecar);
    return c->store || wp_mpi_job_reject(path, why);
}

static bool open_output(struct command *c)
{
    const struct wp_image *shape = &c->job.shape;
    const struct wp_rows_info info = {.width = shape->width, .height = shape->height,
                                      .planes = shape->planes, .alpha = shape->alpha,
                                      .origin = shape->origin};
    const struct wp_write_params write = {.overwrite = c->options->force,
                                          .stored = c->from.sidecar.stored};
    const char *path = c->options->output;
    bool ok = true;
    if (wp_world_rank() == 0) {
        c->to = wp_rows_create(path, &info, &write);
        ok = c->to && wp_rows_reserve(c->to, &c->space);
    }
    if (!wp_world_agree(ok))
        return false;
    const char *names[WP_MPI_FILES] = {
        c->to ? wp_output_temporary(wp_rows_file(c->to)) : NULL};
    wp_world_share(&c->space, sizeof c->space);
    return wp_mpi_file_open(&c->job.file, path, names);
}

static bool read_band(struct command *c, int b)
{
    struct wp_mpi_band band;
    wp_mpi_get_band(c->job.mpi, b, &band);
    float *to = c->job.band[b];
    bool ok = true;
    for (int p = 0; p < wp_image_colour_planes(&c->job.shape); p++)
        for (int row = 0; row < band.rows && band.width > 0 && ok; row++, to += band.width)
            ok = wp_tile_store_read(c->store, b, p, band.first_row + row, to);
    return ok;
}

static float *alpha_of(const struct command *c)
{
    return c->samples + (size_t)wp_image_colour_planes(&c->job.shape) * (size_t)c->job.rows *
                            (size_t)c->job.shape.width;
}

static bool read_all(struct command *c)
{
    const struct wp_image *shape = &c->job.shape;
    const size_t width = (size_t)shape->width;
    bool ok = true;
    c->samples = wp_allocate(width * (size_t)c->job.rows * (size_t)shape->planes + 1,
                             sizeof *c->samples, "rows of a process");
    if (!c->samples)
        return false;
    for (int b = 0; b < wp_mpi_band_count(c->job.mpi) && ok; b++)
        ok = read_band(c, b);
    for (int y = 0; shape->alpha && y < c->job.rows && ok; y++)
        ok = wp_tile_store_read(c->store, WP_TILE_STORE_ALPHA, 0, c->job.first + y,
                           alpha_of(c) + (size_t)y * width);
    return ok;
}

// Reads the coefficients and checks their hash. The hash of a file that 'wavepass' wrote depends on
// the order of its samples, so process 0 reads these again.
static bool read_coefficients(struct command *c)
{
    const double start = wp_clock_seconds();
    wp_progress("reading %s", c->from.path);
    if (!wp_world_agree(read_all(c)))
        return false;
    const unsigned long long hash = wp_world_sum(wp_tile_store_read_hash(c->store));
    const bool changed = wp_world_rank() > 0 || c->options->changed;
    if (!wp_world_agree(wp_tile_store_check_hash(c->store, hash, changed)))
        return false;
    c->job.read = wp_mpi_job_since(start);
    return true;
}

static bool check_integers(struct command *c)
{
    const struct wp_image *shape = &c->job.shape;
    struct wp_image all = {.width = shape->width, .height = c->job.rows * shape->planes, .depth = 1,
                           .planes = 1, .plane = {c->samples}};
    struct wp_text name = {0};
    wp_mpi_job_name(&c->job, c->options->output, &name);
    const bool ok = !c->from.params.reversible || c->job.rows == 0 ||
                    wp_image_check_integers(&all, wp_text_get(&name), c->from.sidecar.stored);
    wp_text_free(&name);
    return ok;
}

static bool transform(struct command *c)
{
    const double start = wp_clock_seconds();
    wp_progress("transforming");
    if (!wp_world_agree(wp_mpi_inverse(c->job.mpi, (const float *const *)c->job.band, c->samples)))
        return false;
    c->job.seconds = wp_mpi_job_since(start);
    return wp_world_agree(check_integers(c));
}

// Writes the rows of this process, in pieces of up to AT_ONCE bytes or one row.
static bool write_rows(struct command *c)
{
    enum { AT_ONCE = 1 << 20 };
    const struct wp_image *shape = &c->job.shape;
    const size_t width = (size_t)shape->width, planes = (size_t)shape->planes;
    float *row = wp_allocate(width * planes, sizeof *row, "a row");
    float *pixels = wp_allocate(width * planes, sizeof *pixels, "a row");
    const size_t row_bytes = (size_t)llabs(c->space.step);
    const int max_rows = c->space.step > 0 && row_bytes < AT_ONCE ? (int)(AT_ONCE / row_bytes) : 1;
    unsigned char *piece = wp_allocate((size_t)max_rows, row_bytes, "rows of an image");
    bool ok = row && pixels && piece;
    for (int y = 0; y < c->job.rows && ok;) {
        const int count = c->job.rows - y < max_rows ? c->job.rows - y : max_rows;
        const long long at = (long long)c->space.first + (c->job.first + y) * c->space.step;
        for (int i = 0; i < count; i++, y++) {
            for (size_t p = 0; p < planes; p++)
                memcpy(row + p * width,
                       c->samples + (p * (size_t)c->job.rows + (size_t)y) * width,
                       width * sizeof *row);
            wp_rows_pack(row, shape->width, shape->planes, c->space.stored, pixels);
            memcpy(piece + (size_t)i * row_bytes, pixels, row_bytes);
        }
        ok = wp_mpi_file_write(&c->job.file, (unsigned long long)at, piece,
                               (size_t)count * row_bytes);
    }
    free(piece);
    free(pixels);
    free(row);
    return ok;
}

static bool write_image(struct command *c)
{
    const double start = wp_clock_seconds();
    wp_progress("writing %s", c->options->output);
    if (!wp_world_agree(write_rows(c)) || !wp_mpi_file_agree(&c->job.file) ||
        !wp_world_agree(wp_world_rank() > 0 || wp_rows_commit(&c->to)))
        return false;
    c->job.write = wp_mpi_job_since(start);
    return true;
}

static void report(const struct command *c, const struct wp_call *call)
{
    wp_mpi_job_report(&c->job, call, 0,
                    json_pack("{s:o, s:o}", "image", wp_json_text(c->options->output), "sidecar",
                              wp_json_text(c->from.sidecar_path)));
}

static enum wp_error run(const struct wp_call *call)
{
    struct command c = {.options = call->options};
    wp_world_catch_signals();
    const bool ok = wp_world_agree(check_options(c.options)) &&
                    wp_world_agree(open_store(&c, call->argument[0])) &&
                    wp_mpi_job_begin(&c.job, &c.from.params, WP_INVERSE) && open_output(&c) &&
                    read_coefficients(&c) && transform(&c) && write_image(&c);
    if (ok && wp_world_rank() == 0)
        report(&c, call);
    wp_rows_discard(&c.to);
    wp_mpi_job_end(&c.job);
    wp_tile_store_close(&c.store);
    wp_close_coefficients(&c.from);
    free(c.samples);
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
