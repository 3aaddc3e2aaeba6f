#include "channel.h"
#include "clock.h"
#include "coefficients.h"
#include "command.h"
#include "memory.h"
#include "mpi_job.h"
#include "tile_store.h"
#include "rows.h"
#include "transform.h"
#include "run.h"
#include "xmemory.h"

#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

struct options {
    struct wp_transform_params transform;
    const char *output, *channel, *raw;
    int tile, values;
    bool force;
};

static const struct wp_option options[] = {
    {.name = "output",
     .letter = 'o',
     .kind = WP_OPTION_TEXT,
     .value = "COEFFS",
     .help = "coefficient file: .npy or tiled .tiff, with metadata in COEFFS.json",
     .offset = offsetof(struct options, output)},
    {.name = "tile",
     .kind = WP_OPTION_INT,
     .value = "N",
     .help = "columns of a .tiff's tiles, a multiple of 16 (default 256)",
     .offset = offsetof(struct options, tile),
     .minimum = 16,
     .maximum = WP_TILE_COLUMNS_MAX},
    {.name = "raw",
     .kind = WP_OPTION_TEXT,
     .value = "WxH:TYPE",
     .help = "read a file without a header: u8, i8, u16le, i16le, f32le, f64le, or be for "
             "big-endian; :BYTES to skip",
     .offset = offsetof(struct options, raw)},
    WP_OPTIONS(struct options, values, wp_options_values),
    WP_OPTIONS(struct options, channel, wp_options_channel),
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
    const char *input;
    struct wp_mpi_job job;
    struct wp_rows *rows;
    struct wp_file_facts facts; // of the file
    struct wp_image *slab;      // this process's rows; NULL if it has none
    enum wp_stored stored;      // type of the image's integers
    struct wp_sidecar sidecar;
    struct wp_tile_store_output *to; // only in process 0
    struct wp_preallocated space;
    size_t nonfinite;           // in all processes
};

static bool check_options(const struct options *o)
{
    if (!o->output)
        return wp_fail(WP_ERROR_USAGE, "no output\nhint: -o c.tiff");
    if (!wp_tile_store_can_write(o->output))
        return wp_fail(WP_ERROR_USAGE, "%s: several processes can write only .npy and .tiff",
                       o->output);
    if (o->tile && !wp_tile_store_is_tiff(o->output))
        return wp_fail(WP_ERROR_USAGE, "--tile is for a .tiff\nhint: -o c.tiff");
    if (o->tile % 16 != 0)
        return wp_fail(WP_ERROR_USAGE, "--tile %d is not a multiple of 16, which TIFF requires"
                                       "\nhint: %d",
                       o->tile, (o->tile + 8) / 16 * 16);
    const bool luma = o->channel && strcmp(o->channel, wp_channel_words[WP_CHANNEL_LUMA]) == 0;
    if (luma && o->transform.reversible)
        return wp_fail(WP_ERROR_USAGE, "--channel luma makes fractions of integers, which "
                                       "--reversible does not support");
    return wp_world_rank() > 0 || wp_coefficients_write_check(o->output, 1, 1, o->force);
}

static bool open_rows(struct command *c)
{
    const struct wp_read_params params = {.volume = WP_VOLUME_EITHER, .facts = &c->facts,
                                          .values = (enum wp_values)c->options->values,
                                          .raw = c->options->raw};
    const char *why = NULL;
    return wp_rows_open(c->input, &params, &c->rows, &why) &&
           (c->rows || wp_mpi_job_reject(c->input, why));
}

static struct wp_sidecar describe(const struct command *c)
{
    const struct wp_image *shape = &c->job.shape;
    const struct wp_transform_info *info = wp_transform_get_info(c->job.transform);
    struct wp_sidecar s = wp_sidecar_of(wp_transform_description(c->job.transform),
                                        c->options->transform.wavelet, info->backend,
                                        info->variant);
    s.planes = shape->planes;
    s.alpha = shape->alpha;
    s.origin = shape->origin;
    s.stored = c->options->transform.reversible ? wp_image_stored(&c->facts) : WP_STORED_FLOAT;
    s.gop = 0;
    s.tile = c->options->tile;
    return s;
}

// Process 0 creates the file with everything except samples; then all processes open it.
static bool open_output(struct command *c)
{
    const char *names[WP_MPI_FILES] = {NULL};
    const char *path = c->options->output;
    c->sidecar = describe(c);
    if (wp_world_rank() == 0)
        c->to = wp_tile_store_create_preallocated(path, &c->sidecar, c->options->force, &c->space);
    if (!wp_world_agree(wp_world_rank() > 0 || c->to))
        return false;
    for (int i = 0; c->to && i < WP_MPI_FILES; i++)
        names[i] = wp_tile_store_temporary(c->to, i);
    wp_world_share(&c->space, sizeof c->space);
    return wp_mpi_file_open(&c->job.file, path, names);
}

static bool read_rows(struct command *c)
{
    const struct wp_rows_info *info = wp_rows_info(c->rows);
    const size_t width = (size_t)info->width, planes = (size_t)info->planes;
    c->slab = wp_image_create(info->width, c->job.rows, info->planes, info->alpha);
    float *row = wp_allocate(width * planes, sizeof *row, "a row");
    bool ok = c->slab && row && wp_rows_go_to(c->rows, c->job.first);
    for (int y = 0; y < c->job.rows && ok; y++) {
        ok = wp_rows_read(c->rows, row, 1);
        for (size_t p = 0; p < planes && ok; p++)
            memcpy(c->slab->plane[p] + (size_t)y * width, row + p * width, width * sizeof *row);
    }
    free(row);
    return ok && wp_rows_unchanged(c->rows);
}

// Reads the rows of this process, with the selected channel, and with integers if the transform is
// reversible.
static bool prepare_rows(struct command *c)
{
    const struct options *o = c->options;
    enum wp_channel channel = WP_CHANNEL_RGB;
    if (c->job.rows == 0)
        return true;
    if (!read_rows(c))
        return false;
    c->nonfinite = wp_image_count_nonfinite(c->slab);
    if (o->channel && !(wp_channel_find(o->channel, &channel) &&
                        wp_image_select_channel(c->slab, channel, c->input)))
        return false;
    struct wp_text name = {0};
    wp_mpi_job_name(&c->job, c->input, &name);
    const bool ok =
        !o->transform.reversible ||
        (wp_image_read_integers(c->slab, &c->facts, wp_text_get(&name), &c->stored) &&
         wp_integer_samples_check_range(c->job.transform, c->slab, wp_text_get(&name)));
    wp_text_free(&name);
    return ok;
}

static bool read_slab(struct command *c)
{
    const double start = wp_clock_seconds();
    wp_progress("reading %s", c->input);
    if (!wp_world_agree(prepare_rows(c)))
        return false;
    c->job.read = wp_mpi_job_since(start);
    c->nonfinite = (size_t)wp_world_sum(c->nonfinite);
    if (c->nonfinite)
        wp_log(WP_LOG_WARNING, "%s: %zu value%s not finite (NaN or infinite); carried through",
               c->input, c->nonfinite, WP_PLURAL_IS(c->nonfinite));
    return true;
}

static bool transform(struct command *c)
{
    static const float none[1];
    const double start = wp_clock_seconds();
    wp_progress("transforming");
    if (!wp_world_agree(wp_mpi_forward(c->job.mpi, c->slab ? c->slab->plane[0] : none,
                                       c->job.band)))
        return false;
    c->job.seconds = wp_mpi_job_since(start);
    return true;
}

static bool write_band(struct command *c, int b, const struct wp_tile_store_file *file,
                       unsigned long long *hash)
{
    struct wp_mpi_band band;
    wp_mpi_get_band(c->job.mpi, b, &band);
    const size_t count = (size_t)band.rows * (size_t)band.width *
                         (size_t)wp_image_colour_planes(&c->job.shape);
    for (size_t i = 0; i < count && c->options->transform.reversible; i++)
        c->job.band[b][i] += 0.0F; // no -0
    return wp_preallocated_write(&c->space, &c->sidecar, b, band.first_row, band.rows,
                                 c->job.band[b], file, hash);
}

static bool write_alpha(struct command *c, const struct wp_tile_store_file *file,
                        unsigned long long *hash)
{
    return !c->slab || wp_preallocated_write(&c->space, &c->sidecar, WP_TILE_STORE_ALPHA,
                                             c->job.first, c->job.rows,
                                             c->slab->plane[c->slab->planes - 1], file, hash);
}

static bool write_slab(struct command *c)
{
    const struct wp_tile_store_file file = {&c->job.file, wp_mpi_file_write, wp_mpi_file_read};
    unsigned long long hash = 0;
    bool ok = true;
    for (int b = 0; b < wp_mpi_band_count(c->job.mpi) && ok; b++)
        ok = write_band(c, b, &file, &hash);
    if (!wp_world_agree(ok))
        return false;
    if (c->job.shape.alpha &&
        !(wp_mpi_file_agree(&c->job.file) && wp_world_agree(write_alpha(c, &file, &hash))))
        return false;
    hash = wp_world_sum(hash);
    if (c->to)
        wp_tile_store_set_hash(c->to, hash);
    return wp_mpi_file_agree(&c->job.file);
}

static bool write_coefficients(struct command *c)
{
    const double start = wp_clock_seconds();
    wp_progress("writing %s", c->options->output);
    if (!write_slab(c) ||
        !wp_world_agree(wp_world_rank() > 0 || wp_tile_store_commit(&c->to)))
        return false;
    c->job.write = wp_mpi_job_since(start);
    return true;
}

static void report(const struct command *c, const struct wp_call *call)
{
    char *sidecar = wp_sidecar_path(c->options->output);
    wp_mpi_job_report(&c->job, call, c->nonfinite,
                    json_pack("{s:o, s:o}", "coefficients", wp_json_text(c->options->output),
                              "sidecar", wp_json_text(sidecar)));
    free(sidecar);
}

static enum wp_error run(const struct wp_call *call)
{
    struct command c = {.options = call->options, .input = call->argument[0]};
    wp_world_catch_signals();
    const bool ok = wp_world_agree(check_options(c.options)) && wp_world_agree(open_rows(&c)) &&
                    wp_world_agree(wp_channel_shape(c.options->channel, wp_rows_info(c.rows),
                                                    c.input, &c.job.shape)) &&
                    wp_mpi_job_begin(&c.job, &c.options->transform, WP_FORWARD) &&
                    open_output(&c) && read_slab(&c) && transform(&c) && write_coefficients(&c);
    if (ok && wp_world_rank() == 0)
        report(&c, call);
    wp_tile_store_discard(&c.to);
    wp_mpi_job_end(&c.job);
    wp_rows_close(&c.rows);
    wp_image_destroy(&c.slab);
    return ok ? WP_ERROR_NONE : wp_last_error();
}

const struct wp_command wp_command_mpi_forward = {
    .name = "forward",
    .alias = "fwd",
    .summary = "image to wavelet coefficients",
    .arguments = "IN -o COEFFS",
    .description =
        "Transforms the channels of an image whose rows are distributed over the processes: each "
        "process reads its rows of IN, exchanges a few rows per level with its neighbors, and "
        "writes its part of the file COEFFS. Coefficients and COEFFS.json are identical to those "
        "of 'wavepass forward' for an image larger than memory, for any number of processes, and "
        "'wavepass' reads them.\n\n"
        "IN is a PGM, PPM, PAM, PFM or NPY file, a TIFF of one page, upright, in strips or tiles, a "
        "PNG, which each process decodes from the top, or with --raw a file without a header. All "
        "processes must be able to access it and the folder of COEFFS.\n\n"
        "A .tiff is a BigTIFF with one page per subband in uncompressed tiles, which suits "
        "parallel file systems; .npy is one array, in which each process writes its rows of each "
        "subband.",
    .examples = "mpiexec -n 4 wavepass-mpi forward mosaic.tif -o c.tiff -l 5\n"
                "srun wavepass-mpi forward scan.npy -w cdf53 -l 6 -o c.npy -f",
    .arguments_min = 1,
    .arguments_max = 1,
    .options = options,
    .options_size = sizeof(struct options),
    .run = run,
};
