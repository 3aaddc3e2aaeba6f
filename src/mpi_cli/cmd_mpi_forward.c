#include "channel.h"
#include "clock.h"
#include "coefficients.h"
#include "command.h"
#include "memory.h"
#include "mpi_job.h"
#include "mpi_world.h"
#include "preallocate.h"
#include "rows.h"
#include "transform.h"
#include "integer_samples.h"
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

struct work {
    const struct options *options;
    const char *input;
    struct wp_mpi_job job;
    struct wp_rows *rows;
    struct wp_file_facts facts; // of their file
    struct wp_image *slab;      // this process's rows; NULL where it has none
    enum wp_stored stored;      // of the image's integers
    struct wp_sidecar sidecar;
    struct wp_tile_store_output *to; // of process 0
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

static bool open_rows(struct work *w)
{
    const struct wp_read_params params = {.volume = WP_VOLUME_EITHER, .facts = &w->facts,
                                          .values = (enum wp_values)w->options->values,
                                          .raw = w->options->raw};
    const char *why = NULL;
    return wp_rows_open(w->input, &params, &w->rows, &why) &&
           (w->rows || wp_mpi_job_refuse(w->input, why));
}

static struct wp_sidecar describe(const struct work *w)
{
    const struct wp_image *shape = &w->job.shape;
    const struct wp_transform_info *info = wp_transform_get_info(w->job.transform);
    struct wp_sidecar s = wp_sidecar_of(wp_transform_description(w->job.transform),
                                        w->options->transform.wavelet, info->backend,
                                        info->variant);
    s.planes = shape->planes;
    s.alpha = shape->alpha;
    s.origin = shape->origin;
    s.stored = w->options->transform.reversible ? wp_image_stored(&w->facts) : WP_STORED_FLOAT;
    s.gop = 0;
    s.tile = w->options->tile;
    return s;
}

// Process 0 makes the file and what is in it beside samples; all open it.
static bool open_output(struct work *w)
{
    const char *names[WP_MPI_FILES] = {NULL};
    const char *path = w->options->output;
    w->sidecar = describe(w);
    if (wp_world_rank() == 0)
        w->to = wp_tile_store_create_preallocated(path, &w->sidecar, w->options->force, &w->space);
    if (!wp_world_agree(wp_world_rank() > 0 || w->to))
        return false;
    for (int i = 0; w->to && i < WP_MPI_FILES; i++)
        names[i] = wp_tile_store_temporary(w->to, i);
    wp_world_share(&w->space, sizeof w->space);
    return wp_mpi_file_open(&w->job.file, path, names);
}

static bool read_rows(struct work *w)
{
    const struct wp_rows_info *info = wp_rows_info(w->rows);
    const size_t width = (size_t)info->width, planes = (size_t)info->planes;
    w->slab = wp_image_create(info->width, w->job.rows, info->planes, info->alpha);
    float *row = wp_allocate(width * planes, sizeof *row, "a row");
    bool ok = w->slab && row && wp_rows_go_to(w->rows, w->job.first);
    for (int y = 0; y < w->job.rows && ok; y++) {
        ok = wp_rows_read(w->rows, row, 1);
        for (size_t p = 0; p < planes && ok; p++)
            memcpy(w->slab->plane[p] + (size_t)y * width, row + p * width, width * sizeof *row);
    }
    free(row);
    return ok && wp_rows_unchanged(w->rows);
}

// With the channel that is wanted, and integers where these are.
static bool take_rows(struct work *w)
{
    const struct options *o = w->options;
    enum wp_channel channel = WP_CHANNEL_RGB;
    if (w->job.rows == 0)
        return true;
    if (!read_rows(w))
        return false;
    w->nonfinite = wp_image_count_nonfinite(w->slab);
    if (o->channel && !(wp_channel_find(o->channel, &channel) &&
                        wp_image_select_channel(w->slab, channel, w->input)))
        return false;
    struct wp_text name = {0};
    wp_mpi_job_name(&w->job, w->input, &name);
    const bool ok =
        !o->transform.reversible ||
        (wp_image_read_integers(w->slab, &w->facts, wp_text_get(&name), &w->stored) &&
         wp_integer_samples_check_range(w->job.transform, w->slab, wp_text_get(&name)));
    wp_text_free(&name);
    return ok;
}

static bool read_slab(struct work *w)
{
    const double start = wp_clock_seconds();
    wp_progress("reading %s", w->input);
    if (!wp_world_agree(take_rows(w)))
        return false;
    w->job.read = wp_mpi_job_since(start);
    w->nonfinite = (size_t)wp_world_sum(w->nonfinite);
    if (w->nonfinite)
        wp_log(WP_LOG_WARNING, "%s: %zu value%s not finite (NaN or infinite); carried through",
               w->input, w->nonfinite, WP_PLURAL_IS(w->nonfinite));
    return true;
}

static bool transform(struct work *w)
{
    static const float none[1];
    const double start = wp_clock_seconds();
    wp_progress("transforming");
    if (!wp_world_agree(wp_mpi_forward(w->job.mpi, w->slab ? w->slab->plane[0] : none,
                                       w->job.band)))
        return false;
    w->job.seconds = wp_mpi_job_since(start);
    return true;
}

static bool write_band(struct work *w, int b, const struct wp_tile_store_file *file,
                       unsigned long long *hash)
{
    struct wp_mpi_band band;
    wp_mpi_get_band(w->job.mpi, b, &band);
    const size_t count = (size_t)band.rows * (size_t)band.width *
                         (size_t)wp_image_colour_planes(&w->job.shape);
    for (size_t i = 0; i < count && w->options->transform.reversible; i++)
        w->job.band[b][i] += 0.0F; // no -0
    return wp_preallocated_write(&w->space, &w->sidecar, b, band.first_row, band.rows, w->job.band[b],
                               file, hash);
}

static bool write_alpha(struct work *w, const struct wp_tile_store_file *file, unsigned long long *hash)
{
    return !w->slab || wp_preallocated_write(&w->space, &w->sidecar, WP_TILE_STORE_ALPHA, w->job.first,
                                           w->job.rows, w->slab->plane[w->slab->planes - 1], file,
                                           hash);
}

static bool write_slab(struct work *w)
{
    const struct wp_tile_store_file file = {&w->job.file, wp_mpi_file_write, wp_mpi_file_read};
    unsigned long long hash = 0;
    bool ok = true;
    for (int b = 0; b < wp_mpi_band_count(w->job.mpi) && ok; b++)
        ok = write_band(w, b, &file, &hash);
    if (!wp_world_agree(ok))
        return false;
    if (w->job.shape.alpha &&
        !(wp_mpi_file_agree(&w->job.file) && wp_world_agree(write_alpha(w, &file, &hash))))
        return false;
    hash = wp_world_sum(hash);
    if (w->to)
        wp_tile_store_set_hash(w->to, hash);
    return wp_mpi_file_agree(&w->job.file);
}

static bool write_coefficients(struct work *w)
{
    const double start = wp_clock_seconds();
    wp_progress("writing %s", w->options->output);
    if (!write_slab(w) ||
        !wp_world_agree(wp_world_rank() > 0 || wp_tile_store_commit(&w->to)))
        return false;
    w->job.write = wp_mpi_job_since(start);
    return true;
}

static void tell(const struct work *w, const struct wp_call *call)
{
    char *sidecar = wp_sidecar_path(w->options->output);
    wp_mpi_job_report(&w->job, call, w->nonfinite,
                    json_pack("{s:o, s:o}", "coefficients", wp_json_text(w->options->output),
                              "sidecar", wp_json_text(sidecar)));
    free(sidecar);
}

static enum wp_error run(const struct wp_call *call)
{
    struct work w = {.options = call->options, .input = call->argument[0]};
    wp_world_catch_signals();
    const bool ok = wp_world_agree(check_options(w.options)) && wp_world_agree(open_rows(&w)) &&
                    wp_world_agree(wp_channel_shape(w.options->channel, wp_rows_info(w.rows),
                                                    w.input, &w.job.shape)) &&
                    wp_mpi_job_begin(&w.job, &w.options->transform, WP_FORWARD) &&
                    open_output(&w) && read_slab(&w) && transform(&w) && write_coefficients(&w);
    if (ok && wp_world_rank() == 0)
        tell(&w, call);
    wp_tile_store_discard(&w.to);
    wp_mpi_job_end(&w.job);
    wp_rows_close(&w.rows);
    wp_image_destroy(&w.slab);
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
