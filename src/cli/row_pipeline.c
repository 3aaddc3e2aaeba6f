#include "run.h"

#include "channel.h"
#include "clock.h"
#include "image.h"
#include "memory.h"
#include "rows_write.h"
#include "transform.h"
#include "wavepass.h"
#include "wavepass_stream.h"
#include "xmemory.h"

#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

// ---- integer samples ----

static size_t count_of(const struct wp_image *image, int planes)
{
    return wp_image_samples(image) * (size_t)planes;
}

static void find_limits(const struct wp_image *image, double limit[2])
{
    const size_t rows = (size_t)image->height * (size_t)image->depth;
    float *scratch = wp_xmalloc((size_t)image->width * sizeof *scratch);
    float least = INFINITY, greatest = -INFINITY;
    for (int p = 0; p < wp_image_colour_planes(image); p++) {
        for (size_t y = 0; y < rows; y++) {
            const float *row = wp_image_row(image, p, y, true, scratch);
            for (int x = 0; x < image->width; x++) {
                least = fminf(least, row[x]);
                greatest = fmaxf(greatest, row[x]);
            }
        }
    }
    free(scratch);
    limit[0] = (double)least;
    limit[1] = (double)greatest;
}

double wp_integer_samples_largest(const struct wp_image *image)
{
    double limit[2];
    find_limits(image, limit);
    return fmax(-limit[0], limit[1]);
}

bool wp_integer_samples_check_range(struct wp_transform *transform, const struct wp_image *image,
                                    const char *path)
{
    double limit[2];
    find_limits(image, limit);
    return wp_description_check_range(wp_transform_description(transform), path, limit[0],
                                      limit[1]);
}

void wp_integer_samples_unsign_zeros(struct wp_image *coefficients)
{
    const size_t count = count_of(coefficients, coefficients->planes);
    for (size_t i = 0; i < count; i++)
        coefficients->plane[0][i] += 0.0F; // -0 + 0 is 0
}

void wp_integer_samples_scale(struct wp_image *image, double factor, bool round_values)
{
    const size_t count = count_of(image, image->planes);
    for (size_t i = 0; i < count; i++) {
        const double value = (double)image->plane[0][i] * factor;
        image->plane[0][i] = (float)(round_values ? rint(value) : value);
    }
}

// ---- rows ----

enum { MEBIBYTE = 1 << 20 };

const char *wp_row_pipeline_unfit(const struct wp_transform_params *p)
{
    const char *mallat = wp_layout_names[WP_LAYOUT_MALLAT];
    if (p->backend && strcmp(p->backend, "cpu") != 0 && strcmp(p->backend, "auto") != 0)
        return "only the cpu backend supports row strips";
    if (p->scheme || p->variant || p->device)
        return "a scheme, variant or device was named";
    if (p->precision && strcmp(p->precision, "f32") != 0)
        return "the precision is not f32";
    if (p->layout && strcmp(p->layout, mallat) != 0)
        return "the layout is mixed";
    return p->gop > 0 ? "it has groups of slices" : NULL;
}

// The state of a run.
struct job {
    struct wp_row_pipeline *pipeline;
    struct wp_stream *stream;
    struct wp_tile_store_output *to; // forward
    struct wp_rows_output *image;    // inverse
    int strip;                       // rows per strip
    int planes;                      // planes that are transformed
    float *buffer;                   // a strip in the order of the file
    float *row;                      // a row of coefficients
    double in_calls;                 // seconds spent in callbacks
};

// The parameters of the stream, on the backend cpu with its default variant.
static struct wp_transform_params params_of(const struct wp_row_pipeline *s)
{
    struct wp_transform_params p = *s->options;
    p.struct_size = sizeof p;
    p.width = s->shape.width;
    p.height = s->shape.height;
    p.planes = wp_image_colour_planes(&s->shape);
    p.backend = "cpu";
    p.threads = 1; // a stream runs in the caller's thread
    p.depth = p.gop = 0;
    p.levels_z = 0;
    p.decomposition = NULL;
    return p;
}

// Rows per strip: about 128K samples, and at least one row.
static int rows_at_once(const struct wp_image *shape)
{
    enum { AT_ONCE = 1 << 17 };
    const int samples = shape->width * shape->planes;
    const int rows = samples < AT_ONCE ? AT_ONCE / samples : 1;
    return rows < shape->height ? rows : shape->height;
}

static bool prepare(struct job *j, size_t files)
{
    struct wp_row_pipeline *s = j->pipeline;
    const struct wp_transform_params params = params_of(s);
    char needed[WP_NUMBER_SIZE], given[WP_NUMBER_SIZE];
    size_t stream;
    if (!wp_stream_memory(&params, s->store != NULL, &stream))
        return false;
    // The file may have more planes than the selected channel.
    const int planes = s->rows ? wp_rows_info(s->rows)->planes : s->shape.planes;
    const size_t row = (size_t)s->shape.width * (size_t)planes * sizeof(float);
    j->strip = rows_at_once(&s->shape);
    j->planes = params.planes;
    // Two copies of a strip, in the order of the file and by planes, and the row of coefficients.
    const double rest = s->limit.bytes - (double)(files + stream + row);
    if (s->limit.given && rest < 2.0 * j->strip * (double)row)
        j->strip = rest < 4.0 * (double)row ? 1 : (int)(rest / (2.0 * (double)row));
    s->memory = files + stream + (2 * (size_t)j->strip + 1) * row;
    if (s->limit.given && (double)s->memory > s->limit.bytes)
        return wp_fail(WP_ERROR_TOO_LARGE, "in row strips it needs %s, more than --memory (%s)%s",
                       wp_format_bytes(needed, (double)s->memory),
                       wp_format_bytes(given, s->limit.bytes),
                       files > stream ? "\nhint: write .npy, which needs less; narrower tiles do "
                                        "not help" : "");
    wp_log(WP_LOG_VERBOSE, "in strips of %d rows: %.1f MiB; the transform has %.1f",
           j->strip, (double)s->memory / MEBIBYTE, (double)stream / MEBIBYTE);
    j->buffer = wp_allocate((size_t)j->strip, row, "a strip of rows");
    j->row = wp_allocate((size_t)s->shape.width, sizeof *j->row, "a row");
    return j->buffer && j->row;
}

static void show_progress(const struct job *j, int rows, double start)
{
    const struct wp_row_pipeline *s = j->pipeline;
    const double seconds = wp_clock_seconds() - start;
    wp_progress("%d of %d rows, %.0f Mpixel/s", rows, s->shape.height,
                (double)rows * s->shape.width / 1e6 / (seconds > 0 ? seconds : 1));
}

// Callback of the forward stream.
static bool write_band_row(void *user, int band, int plane, int row, const float *samples)
{
    struct job *j = user;
    const double start = wp_clock_seconds();
    bool ok;
    if (j->pipeline->options->reversible) {
        const int width = wp_tile_store_width(j->to, band);
        for (int x = 0; x < width; x++)
            j->row[x] = samples[x] + 0.0F; // no -0
        ok = wp_tile_store_write(j->to, band, plane, row, j->row);
    } else {
        ok = wp_tile_store_write(j->to, band, plane, row, samples);
    }
    j->in_calls += wp_clock_seconds() - start;
    return ok;
}

// Callback of the inverse stream.
static bool read_band_row(void *user, int band, int plane, int row, float *samples)
{
    struct job *j = user;
    const double start = wp_clock_seconds();
    const bool ok = wp_tile_store_read(j->pipeline->store, band, plane, row, samples);
    j->in_calls += wp_clock_seconds() - start;
    return ok;
}

// Reads the next rows as an image: with the selected channel, and with integers if the transform is
// reversible. The caller destroys it. NULL after an error.
static struct wp_image *read_strip(struct job *j, int first, int rows)
{
    struct wp_row_pipeline *s = j->pipeline;
    const struct wp_rows_info *info = wp_rows_info(s->rows);
    const size_t width = (size_t)info->width, planes = (size_t)info->planes;
    struct wp_image *strip = wp_image_create(info->width, rows, info->planes, info->alpha);
    enum wp_channel channel = WP_CHANNEL_RGB;
    const double start = wp_clock_seconds();
    bool ok = strip && wp_rows_read(s->rows, j->buffer, rows);
    s->read += wp_clock_seconds() - start;
    for (size_t i = 0; ok && i < (size_t)rows * planes; i++)
        memcpy(strip->plane[i % planes] + i / planes * width, j->buffer + i * width,
               width * sizeof(float));
    if (ok)
        wp_count_values(&s->value_counts, &info->origin, strip->plane[0],
                        (size_t)rows * planes * width);
    if (ok && s->channel)
        ok = wp_channel_find(s->channel, &channel) &&
             wp_image_select_channel(strip, channel, wp_rows_name(s->rows));
    if (ok && s->options->reversible) {
        struct wp_text name = {0};
        wp_text_add(&name, first ? "%s, from row %d on" : "%s", wp_rows_name(s->rows), first);
        ok = wp_image_read_integers(strip, &s->facts, wp_text_get(&name), &s->stored) &&
             wp_integer_samples_check_range(s->transform, strip, wp_text_get(&name));
        wp_text_free(&name);
    }
    if (!ok)
        wp_image_destroy(&strip);
    return strip;
}

static bool push_strip(struct job *j, const struct wp_image *strip, int first)
{
    const size_t width = (size_t)strip->width;
    const double start = wp_clock_seconds(), before = j->in_calls;
    const struct wp_operand rows = {
        .data = strip->plane[0],
        .stride = {1, (ptrdiff_t)width, [WP_PLANE] = (ptrdiff_t)wp_image_samples(strip)}};
    bool ok = wp_stream_push(j->stream, &rows, strip->height);
    j->pipeline->seconds += wp_clock_seconds() - start - (j->in_calls - before);
    const double alpha = wp_clock_seconds();
    for (int y = 0; ok && strip->alpha && y < strip->height; y++)
        ok = wp_tile_store_write(j->to, WP_TILE_STORE_ALPHA, 0, first + y,
                            strip->plane[strip->planes - 1] + (size_t)y * width);
    j->in_calls += wp_clock_seconds() - alpha;
    return ok;
}

static bool push_all(struct job *j)
{
    struct wp_row_pipeline *s = j->pipeline;
    const double start = wp_clock_seconds();
    bool ok = true;
    for (int y = 0; y < s->shape.height && ok; y += j->strip) {
        const int rows = s->shape.height - y < j->strip ? s->shape.height - y : j->strip;
        struct wp_image *strip = read_strip(j, y, rows);
        ok = strip && push_strip(j, strip, y);
        wp_image_destroy(&strip);
        show_progress(j, y + rows, start);
    }
    return ok;
}

static struct wp_sidecar describe(const struct wp_row_pipeline *s)
{
    const struct wp_transform_info *info = wp_transform_get_info(s->transform);
    struct wp_sidecar sidecar = wp_sidecar_of(wp_transform_description(s->transform),
                                              s->options->wavelet, info->backend, info->variant);
    sidecar.planes = s->shape.planes;
    sidecar.alpha = s->shape.alpha;
    sidecar.origin = s->shape.origin;
    sidecar.stored = s->stored;
    sidecar.gop = 0;
    sidecar.tile = s->tile;
    sidecar.deflate = s->deflate;
    return sidecar;
}

static bool run_forward(struct job *j)
{
    struct wp_row_pipeline *s = j->pipeline;
    if (!wp_channel_shape(s->channel, wp_rows_info(s->rows), wp_rows_name(s->rows), &s->shape))
        return false;
    const struct wp_transform_params params = params_of(s);
    s->transform = wp_run_create_by_rule(&params, &s->shape, WP_FORWARD);
    if (!s->transform)
        return false;
    if (s->options->reversible)
        s->stored = wp_image_stored(&s->facts);
    const struct wp_sidecar sidecar = describe(s);
    if (!prepare(j, wp_rows_memory(s->rows) + wp_tile_store_memory(&sidecar, s->output)))
        return false;
    j->to = wp_tile_store_create(s->output, &sidecar, s->overwrite);
    j->stream = j->to ? wp_stream_create_forward(&params, write_band_row, j) : NULL;
    if (!j->stream || !push_all(j))
        return false;
    wp_warn_of_values(&s->value_counts, wp_rows_name(s->rows));
    const double start = wp_clock_seconds();
    const bool ok = wp_tile_store_commit(&j->to);
    s->write = j->in_calls + wp_clock_seconds() - start;
    return ok;
}

static bool pull_strip(struct job *j, float *planes, int first, int rows)
{
    struct wp_row_pipeline *s = j->pipeline;
    const size_t width = (size_t)s->shape.width, all = (size_t)s->shape.planes;
    const double start = wp_clock_seconds(), before = j->in_calls;
    // The planes of each row are adjacent, with space for alpha.
    const struct wp_operand view = {.data = planes, .stride = {1, (ptrdiff_t)(all * width)}};
    bool ok = wp_stream_pull(j->stream, &view, rows);
    s->seconds += wp_clock_seconds() - start - (j->in_calls - before);
    for (int y = 0; ok && s->shape.alpha && y < rows; y++)
        ok = wp_tile_store_read(s->store, WP_TILE_STORE_ALPHA, 0, first + y,
                           planes + ((size_t)y * all + all - 1) * width);
    return ok;
}

static bool check_integers(const struct wp_row_pipeline *s, float *samples, int first, int rows)
{
    struct wp_image strip = {.width = s->shape.width, .height = rows * s->shape.planes, .depth = 1,
                             .planes = 1, .plane = {samples}};
    struct wp_text name = {0};
    wp_text_add(&name, first ? "%s, from row %d on" : "%s", s->output, first);
    const bool ok = wp_image_check_integers(&strip, wp_text_get(&name), s->stored);
    wp_text_free(&name);
    return ok;
}

static bool pull_all(struct job *j)
{
    struct wp_row_pipeline *s = j->pipeline;
    const double start = wp_clock_seconds();
    bool ok = true;
    for (int y = 0; y < s->shape.height && ok; y += j->strip) {
        const int rows = s->shape.height - y < j->strip ? s->shape.height - y : j->strip;
        ok = pull_strip(j, j->buffer, y, rows) &&
             (!s->options->reversible || check_integers(s, j->buffer, y, rows));
        const double begin = wp_clock_seconds();
        ok = ok && wp_rows_write(j->image, j->buffer, rows);
        s->write += wp_clock_seconds() - begin;
        show_progress(j, y + rows, start);
    }
    return ok;
}

static bool run_inverse(struct job *j)
{
    struct wp_row_pipeline *s = j->pipeline;
    const struct wp_sidecar *sidecar = &s->from->sidecar;
    s->shape = (struct wp_image){.width = sidecar->description.size[WP_X],
                                 .height = sidecar->description.size[WP_Y],
                                 .depth = 1,
                                 .planes = sidecar->planes,
                                 .alpha = sidecar->alpha,
                                 .origin = sidecar->origin};
    s->stored = sidecar->stored;
    const struct wp_transform_params params = params_of(s);
    s->transform = wp_run_create_by_rule(&params, &s->shape, WP_INVERSE);
    if (!s->transform || !prepare(j, wp_tile_store_read_memory(s->store)))
        return false;
    const struct wp_rows_info info = {.width = s->shape.width, .height = s->shape.height,
                                      .planes = s->shape.planes, .alpha = s->shape.alpha,
                                      .origin = s->shape.origin};
    const struct wp_write_params write = {.overwrite = s->overwrite, .stored = s->stored};
    j->image = wp_rows_create(s->output, &info, &write);
    j->stream = j->image ? wp_stream_create_inverse(&params, read_band_row, j) : NULL;
    if (!j->stream || !pull_all(j) || !wp_tile_store_check(s->store, s->from->read.changed))
        return false;
    s->read = j->in_calls;
    s->counts = wp_tile_store_counts(s->store);
    const double start = wp_clock_seconds();
    const bool ok = wp_rows_commit(&j->image);
    s->write += wp_clock_seconds() - start;
    return ok;
}

static bool run(struct wp_row_pipeline *s, bool (*run_direction)(struct job *j))
{
    struct job j = {.pipeline = s};
    const double start = wp_clock_seconds();
    s->done = run_direction(&j);
    s->wall = wp_clock_seconds() - start;
    wp_stream_destroy(&j.stream);
    wp_tile_store_discard(&j.to);
    wp_rows_discard(&j.image);
    free(j.buffer);
    free(j.row);
    return s->done;
}

bool wp_row_pipeline_forward(struct wp_row_pipeline *s)
{
    return run(s, run_forward);
}

bool wp_row_pipeline_inverse(struct wp_row_pipeline *s)
{
    return run(s, run_inverse);
}

void wp_row_pipeline_end(struct wp_row_pipeline *s)
{
    wp_rows_close(&s->rows);
    wp_tile_store_close(&s->store);
    wp_transform_destroy(&s->transform);
}

void wp_row_pipeline_add_summary(const struct wp_row_pipeline *s, struct wp_text *text)
{
    wp_text_add(text, ", in strips, %.1f MiB, %.2f s", (double)s->memory / MEBIBYTE, s->wall);
}

void wp_row_pipeline_add_json(const struct wp_row_pipeline *s, json_t *object)
{
    json_object_set_new(object, "strips",
                        json_pack("{s:I, s:o, s:o, s:o}", "memory", (json_int_t)s->memory,
                                  "read_seconds", wp_json_number(s->read), "write_seconds",
                                  wp_json_number(s->write), "wall_seconds",
                                  wp_json_number(s->wall)));
}
