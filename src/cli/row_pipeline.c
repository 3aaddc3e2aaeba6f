#include "flow.h"

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
    const size_t count = wp_image_samples(coefficients) * (size_t)coefficients->planes;
    for (size_t i = 0; i < count; i++)
        coefficients->plane[0][i] += 0.0F; // -0 + 0 is 0
}

void wp_integer_samples_scale(struct wp_image *image, double factor, bool round_values)
{
    const size_t count = wp_image_samples(image) * (size_t)image->planes;
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
    char what[64];
    if (wp_run_is_expansive(&(struct wp_transform_params){.border = p->border}, what))
        return "it has more coefficients than samples";
    if (p->bank && strcmp(p->bank, wp_bank_names[WP_BANK_PACKETS]) == 0)
        return "wavelet packets are transformed as a whole";
    return p->gop > 0 ? "it has groups of slices" : NULL;
}

// The state of a run.
struct job {
    struct wp_flow *flow;
    struct wp_stream *stream;
    struct wp_tile_store_output *to; // forward
    struct wp_rows_output *image;    // inverse
    int strip;                       // rows per strip
    int planes;                      // planes that are transformed
    float *buffer;                   // a strip in the order of the file
    float *row;                      // a row of coefficients
    double in_calls;                 // seconds spent in callbacks
    const char *channel;             // forward
    struct wp_sidecar (*describe)(const struct wp_flow *flow); // forward
};

// The parameters of the stream, on the backend cpu with its default variant.
static struct wp_transform_params params_of(const struct wp_flow *f)
{
    struct wp_transform_params p = wp_run_sized(f->params, &f->shape);
    p.struct_size = sizeof p;
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
    struct wp_flow *f = j->flow;
    const struct wp_transform_params params = params_of(f);
    char needed[WP_NUMBER_SIZE], given[WP_NUMBER_SIZE];
    size_t stream;
    if (!wp_stream_memory(&params, f->strips.store != NULL, &stream))
        return false;
    // The file may have more planes than the selected channel.
    const int planes = f->strips.rows ? wp_rows_info(f->strips.rows)->planes : f->shape.planes;
    const size_t row = (size_t)f->shape.width * (size_t)planes * sizeof(float);
    j->strip = rows_at_once(&f->shape);
    j->planes = params.planes;
    // Two copies of a strip, in the order of the file and by planes, and the row of coefficients.
    const double rest = f->limit.bytes - (double)(files + stream + row);
    if (f->limit.given && rest < 2.0 * j->strip * (double)row)
        j->strip = rest < 4.0 * (double)row ? 1 : (int)(rest / (2.0 * (double)row));
    f->strips.memory = files + stream + (2 * (size_t)j->strip + 1) * row;
    if (f->limit.given && (double)f->strips.memory > f->limit.bytes)
        return wp_fail(WP_ERROR_TOO_LARGE, "in row strips it needs %s, more than --memory (%s)%s",
                       wp_format_bytes(needed, (double)f->strips.memory),
                       wp_format_bytes(given, f->limit.bytes),
                       files > stream ? "\nhint: write .npy, which needs less; narrower tiles do "
                                        "not help" : "");
    wp_log(WP_LOG_VERBOSE, "in strips of %d rows: %.1f MiB; the transform has %.1f",
           j->strip, (double)f->strips.memory / MEBIBYTE, (double)stream / MEBIBYTE);
    j->buffer = wp_allocate((size_t)j->strip, row, "a strip of rows");
    j->row = wp_allocate((size_t)f->shape.width, sizeof *j->row, "a row");
    return j->buffer && j->row;
}

static void show_progress(const struct job *j, int rows, double start)
{
    const struct wp_flow *f = j->flow;
    const double seconds = wp_clock_seconds() - start;
    wp_progress("%d of %d rows, %.0f Mpixel/s", rows, f->shape.height,
                (double)rows * f->shape.width / 1e6 / (seconds > 0 ? seconds : 1));
}

// Callback of the forward stream.
static bool write_band_row(void *user, int band, int plane, int row, const float *samples)
{
    struct job *j = user;
    const double start = wp_clock_seconds();
    bool ok;
    if (j->flow->params->reversible) {
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
    const bool ok = wp_tile_store_read(j->flow->strips.store, band, plane, row, samples);
    j->in_calls += wp_clock_seconds() - start;
    return ok;
}

// The name of a strip for messages; the caller frees it.
static struct wp_text strip_name(const char *path, int first)
{
    struct wp_text name = {0};
    wp_text_add(&name, first ? "%s, from row %d on" : "%s", path, first);
    return name;
}

// Reads the next rows as an image: with the selected channel, and with integers if the transform is
// reversible. The caller destroys it. NULL after an error.
static struct wp_image *read_strip(struct job *j, int first, int rows)
{
    struct wp_flow *f = j->flow;
    const struct wp_rows_info *info = wp_rows_info(f->strips.rows);
    const size_t width = (size_t)info->width, planes = (size_t)info->planes;
    struct wp_image *strip = wp_image_create(info->width, rows, info->planes, info->alpha);
    enum wp_channel channel = WP_CHANNEL_RGB;
    const double start = wp_clock_seconds();
    bool ok = strip && wp_rows_read(f->strips.rows, j->buffer, rows);
    f->seconds.read += wp_clock_seconds() - start;
    for (size_t i = 0; ok && i < (size_t)rows * planes; i++)
        memcpy(strip->plane[i % planes] + i / planes * width, j->buffer + i * width,
               width * sizeof(float));
    if (ok)
        wp_count_values(&f->values, &info->origin, strip->plane[0],
                        (size_t)rows * planes * width);
    if (ok && j->channel)
        ok = wp_channel_find(j->channel, &channel) &&
             wp_image_select_channel(strip, channel, wp_rows_name(f->strips.rows));
    if (ok && f->params->reversible) {
        struct wp_text name = strip_name(wp_rows_name(f->strips.rows), first);
        ok = wp_image_read_integers(strip, &f->strips.facts, wp_text_get(&name), &f->stored) &&
             wp_integer_samples_check_range(f->transform, strip, wp_text_get(&name));
        wp_text_free(&name);
    }
    if (!ok)
        wp_image_destroy(&strip);
    return strip;
}

static bool push_strip(struct job *j, int first, int count)
{
    struct wp_image *strip = read_strip(j, first, count);
    if (!strip)
        return false;
    const size_t width = (size_t)strip->width;
    const double start = wp_clock_seconds(), before = j->in_calls;
    const struct wp_operand rows = {
        .data = strip->plane[0],
        .stride = {1, (ptrdiff_t)width, [WP_PLANE] = (ptrdiff_t)wp_image_samples(strip)}};
    bool ok = wp_stream_push(j->stream, &rows, strip->height);
    j->flow->seconds.transform += wp_clock_seconds() - start - (j->in_calls - before);
    const double alpha = wp_clock_seconds();
    for (int y = 0; ok && strip->alpha && y < strip->height; y++)
        ok = wp_tile_store_write(j->to, WP_TILE_STORE_ALPHA, 0, first + y,
                            strip->plane[strip->planes - 1] + (size_t)y * width);
    j->in_calls += wp_clock_seconds() - alpha;
    wp_image_destroy(&strip);
    return ok;
}

// Calls `step` for each strip, from row `first` on. False after an error.
static bool for_strips(struct job *j, bool (*step)(struct job *j, int first, int rows))
{
    const int height = j->flow->shape.height;
    const double start = wp_clock_seconds();
    bool ok = true;
    for (int y = 0; y < height && ok; y += j->strip) {
        const int rows = height - y < j->strip ? height - y : j->strip;
        ok = step(j, y, rows);
        show_progress(j, y + rows, start);
    }
    return ok;
}

static bool run_forward(struct job *j)
{
    struct wp_flow *f = j->flow;
    const struct wp_flow_options *o = f->options;
    struct wp_rows *rows = f->strips.rows;
    if (!wp_channel_shape(j->channel, wp_rows_info(rows), wp_rows_name(rows), &f->shape))
        return false;
    const struct wp_transform_params params = params_of(f);
    f->transform = wp_run_create_by_rule(&params, &f->shape, WP_FORWARD);
    if (!f->transform)
        return false;
    if (f->params->reversible)
        f->stored = wp_image_stored(&f->strips.facts);
    struct wp_sidecar sidecar = j->describe(f);
    sidecar.gop = 0;
    if (!prepare(j, wp_rows_memory(rows) + wp_tile_store_memory(&sidecar, f->output)))
        return false;
    j->to = wp_tile_store_create(f->output, &sidecar, o->force);
    j->stream = j->to ? wp_stream_create_forward(&params, write_band_row, j) : NULL;
    if (!j->stream || !for_strips(j, push_strip))
        return false;
    wp_warn_of_values(&f->values, wp_rows_name(rows));
    const double start = wp_clock_seconds();
    const bool ok = wp_tile_store_commit(&j->to);
    f->seconds.write = j->in_calls + wp_clock_seconds() - start;
    return ok;
}

static bool check_integers(const struct wp_flow *f, float *samples, int first, int rows)
{
    struct wp_image strip = {.width = f->shape.width, .height = rows * f->shape.planes, .depth = 1,
                             .planes = 1, .plane = {samples}};
    struct wp_text name = strip_name(f->output, first);
    const bool ok = wp_image_check_integers(&strip, wp_text_get(&name), f->stored);
    wp_text_free(&name);
    return ok;
}

static bool pull_strip(struct job *j, int first, int rows)
{
    struct wp_flow *f = j->flow;
    const size_t width = (size_t)f->shape.width, all = (size_t)f->shape.planes;
    const double start = wp_clock_seconds(), before = j->in_calls;
    // The planes of each row are adjacent, with space for alpha.
    const struct wp_operand view = {.data = j->buffer, .stride = {1, (ptrdiff_t)(all * width)}};
    bool ok = wp_stream_pull(j->stream, &view, rows);
    f->seconds.transform += wp_clock_seconds() - start - (j->in_calls - before);
    for (int y = 0; ok && f->shape.alpha && y < rows; y++)
        ok = wp_tile_store_read(f->strips.store, WP_TILE_STORE_ALPHA, 0, first + y,
                           j->buffer + ((size_t)y * all + all - 1) * width);
    ok = ok && (!f->params->reversible || check_integers(f, j->buffer, first, rows));
    const double begin = wp_clock_seconds();
    ok = ok && wp_rows_write(j->image, j->buffer, rows);
    f->seconds.write += wp_clock_seconds() - begin;
    return ok;
}

static bool run_inverse(struct job *j)
{
    struct wp_flow *f = j->flow;
    const struct wp_flow_options *o = f->options;
    const struct wp_sidecar *sidecar = &f->from.sidecar;
    f->shape = wp_sidecar_shape(sidecar);
    f->stored = sidecar->stored;
    const struct wp_transform_params params = params_of(f);
    f->transform = wp_run_create_by_rule(&params, &f->shape, WP_INVERSE);
    if (!f->transform || !prepare(j, wp_tile_store_read_memory(f->strips.store)))
        return false;
    const struct wp_rows_info info = {.width = f->shape.width, .height = f->shape.height,
                                      .planes = f->shape.planes, .alpha = f->shape.alpha,
                                      .origin = f->shape.origin};
    const struct wp_write_params write = {.overwrite = o->force, .stored = f->stored};
    j->image = wp_rows_create(f->output, &info, &write);
    j->stream = j->image ? wp_stream_create_inverse(&params, read_band_row, j) : NULL;
    if (!j->stream || !for_strips(j, pull_strip) ||
        !wp_tile_store_check(f->strips.store, f->from.read.changed))
        return false;
    f->seconds.read = j->in_calls;
    const double start = wp_clock_seconds();
    const bool ok = wp_rows_commit(&j->image);
    f->seconds.write += wp_clock_seconds() - start;
    return ok;
}

static bool run(struct job *j, bool (*run_direction)(struct job *j))
{
    const double start = wp_clock_seconds();
    const bool ok = run_direction(j);
    j->flow->seconds.wall = wp_clock_seconds() - start;
    wp_stream_destroy(&j->stream);
    wp_tile_store_discard(&j->to);
    wp_rows_discard(&j->image);
    free(j->buffer);
    free(j->row);
    return ok;
}

bool wp_row_pipeline_forward(struct wp_flow *f, const char *channel,
                             struct wp_sidecar (*describe)(const struct wp_flow *flow))
{
    return run(&(struct job){.flow = f, .channel = channel, .describe = describe}, run_forward);
}

bool wp_row_pipeline_inverse(struct wp_flow *f)
{
    return run(&(struct job){.flow = f}, run_inverse);
}

void wp_row_pipeline_add_summary(const struct wp_flow *f, struct wp_text *text)
{
    wp_text_add(text, ", in strips, %.1f MiB, %.2f s", (double)f->strips.memory / MEBIBYTE,
                f->seconds.wall);
}

void wp_row_pipeline_add_json(const struct wp_flow *f, json_t *object)
{
    json_object_set_new(object, "strips",
                        json_pack("{s:I, s:o, s:o, s:o}", "memory", (json_int_t)f->strips.memory,
                                  "read_seconds", wp_json_number(f->seconds.read), "write_seconds",
                                  wp_json_number(f->seconds.write), "wall_seconds",
                                  wp_json_number(f->seconds.wall)));
}
