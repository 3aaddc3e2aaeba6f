#include "cpu_stream.h"
#include "elements.h"
#include "log.h"
#include "memory.h"
#include "operand.h"
#include "stream_bank.h"
#include "transform.h"
#include "wavepass_stream.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

struct plane {
    struct wp_stream *stream;
    int number;
    struct wp_cpu_stream *rows;
};

struct wp_stream {
    struct wp_wavelet wavelet;
    struct wp_description description;
    int planes;
    wp_stream_on_row on_row; // forward
    wp_stream_fill_row fill_row;       // inverse
    void *user;
    bool stopped;
    struct wp_stream_info info;
    struct wp_bank_stream *bank; // of redundant banks, instead of `plane`
    struct plane plane[];
};

// Rejects parameters that streams do not support.
static bool check_params(const struct wp_transform_params *params)
{
    const struct {
        const char *name, *given, *only;
    } names[] = {
        {"backend", params->backend, "cpu"},
        {"layout", params->layout, "mallat"},
        {"precision", params->precision, "f32"},
    };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (names[i].given && strcmp(names[i].given, names[i].only) != 0)
            return wp_fail(WP_ERROR_USAGE, "a stream supports only the %s '%s', not '%s'",
                           names[i].name, names[i].only, names[i].given);
    if (params->depth > 1)
        return wp_fail(WP_ERROR_USAGE, "a stream supports only images, not a volume of %d slices",
                       params->depth);
    for (int b = 0; b < WP_BATCH_DIMENSIONS; b++)
        if (params->batch[b] > 1)
            return wp_fail(WP_ERROR_USAGE, "a stream supports only planes, not a batch dimension "
                           "of %d entries", params->batch[b]);
    if (params->variant)
        return wp_fail(WP_ERROR_USAGE, "a stream has no variants, so no '%s'", params->variant);
    return (!params->device && !params->current_context) ||
           wp_fail(WP_ERROR_USAGE, "a stream has neither a device nor an OpenGL context");
}

static bool read_params(const struct wp_transform_params *given, bool inverse,
                        struct wp_wavelet *wavelet, struct wp_description *description,
                        int *planes)
{
    struct wp_transform_params params;
    if (!wp_transform_read_params(given, &params) || !check_params(&params) ||
        !wp_transform_resolve(&params, wavelet, description) ||
        (!wp_description_is_redundant(description) &&
         !wp_description_check_native(description, "a stream")))
        return false;
    description->direction = inverse ? WP_INVERSE : WP_FORWARD;
    *planes = params.planes > 1 ? params.planes : 1;
    return true;
}

static size_t bytes_of_header(int planes)
{
    return sizeof(struct wp_stream) + (size_t)planes * sizeof(struct plane);
}

static bool count_bytes(const struct wp_description *description, int planes, size_t *bytes)
{
    const size_t header = bytes_of_header(planes);
    if (wp_description_is_redundant(description)) {
        const double bank = wp_bank_stream_bytes(description, planes);
        *bytes = header + (size_t)bank;
        return bank < (double)(SIZE_MAX / 2) ||
               wp_fail(WP_ERROR_TOO_LARGE, "out of memory: %g bytes for a stream", bank);
    }
    const size_t plane = wp_cpu_stream_bytes(description);
    if (!plane)
        return false;
    if (plane > (SIZE_MAX - header) / (size_t)planes)
        return wp_fail(WP_ERROR_TOO_LARGE, "out of memory: %d planes of %zu bytes for a stream",
                       planes, plane);
    *bytes = header + (size_t)planes * plane;
    return true;
}

bool wp_stream_memory(const struct wp_transform_params *params, bool inverse, size_t *bytes)
{
    struct wp_wavelet wavelet;
    struct wp_description description;
    int planes;
    return read_params(params, inverse, &wavelet, &description, &planes) &&
           count_bytes(&description, planes, bytes);
}

static int band_number(const struct wp_description *d, int level, enum wp_band band)
{
    return band == WP_BAND_LL ? 0 : 3 * (d->levels - level) + (int)band;
}

static bool pass_row(void *user, int level, enum wp_band band, int row, float *samples)
{
    const struct plane *plane = user;
    const struct wp_stream *s = plane->stream;
    const int number = band_number(&s->description, level, band);
    return s->on_row ? s->on_row(s->user, number, plane->number, row, samples)
                   : s->fill_row(s->user, number, plane->number, row, samples);
}

static bool pass_bank_row(void *user, int band, int plane, int row, float *samples)
{
    const struct wp_stream *s = user;
    return s->on_row ? s->on_row(s->user, band, plane, row, samples)
                     : s->fill_row(s->user, band, plane, row, samples);
}

static bool make_planes(struct wp_stream *s, const struct wp_transform_params *params)
{
    if (wp_description_is_redundant(&s->description)) {
        s->bank = wp_bank_stream_create(&s->description, params, s->planes, pass_bank_row, s);
        return s->bank;
    }
    for (int p = 0; p < s->planes; p++) {
        s->plane[p] = (struct plane){.stream = s, .number = p};
        s->plane[p].rows = wp_cpu_stream_create(&s->description, pass_row, &s->plane[p]);
        if (!s->plane[p].rows)
            return false;
    }
    return true;
}

static bool set_info(struct wp_stream *s)
{
    const struct wp_description *d = &s->description;
    const double headroom = d->reversible ? wp_description_headroom(d, -1, 1) : 0;
    s->info.levels = d->levels;
    s->info.largest = floor(headroom);
    return headroom >= 0 && count_bytes(d, s->planes, &s->info.memory);
}

static struct wp_stream *create(const struct wp_transform_params *params, wp_stream_on_row on_row,
                                wp_stream_fill_row fill_row, void *user)
{
    struct wp_wavelet wavelet;
    struct wp_description description;
    int planes;
    if (!on_row && !fill_row) {
        wp_fail(WP_ERROR_USAGE, "a stream needs a function for the rows of bands");
        return NULL;
    }
    if (!read_params(params, fill_row != NULL, &wavelet, &description, &planes))
        return NULL;
    struct wp_stream *s = wp_allocate(1, bytes_of_header(planes), "a stream");
    if (!s)
        return NULL;
    s->wavelet = wavelet;
    s->description = description;
    s->description.wavelet = &s->wavelet;
    s->planes = planes;
    s->on_row = on_row;
    s->fill_row = fill_row;
    s->user = user;
    if (!set_info(s) || !make_planes(s, params))
        wp_stream_destroy(&s);
    return s;
}

struct wp_stream *wp_stream_create_forward(const struct wp_transform_params *params,
                                           wp_stream_on_row on_row, void *user)
{
    return create(params, on_row, NULL, user);
}

struct wp_stream *wp_stream_create_inverse(const struct wp_transform_params *params,
                                           wp_stream_fill_row fill_row, void *user)
{
    return create(params, NULL, fill_row, user);
}

void wp_stream_destroy(struct wp_stream **slot)
{
    struct wp_stream *s = *slot;
    *slot = NULL;
    for (int p = 0; s && p < s->planes; p++)
        wp_cpu_stream_destroy(s->plane[p].rows);
    if (s)
        wp_bank_stream_destroy(s->bank);
    free(s);
}

const struct wp_stream_info *wp_stream_get_info(struct wp_stream *s)
{
    return &s->info;
}

int wp_stream_band_count(const struct wp_stream *s)
{
    return wp_subband_count(&s->description);
}

bool wp_stream_get_band(const struct wp_stream *s, int index, struct wp_band_info *info)
{
    return wp_transform_band_of(&s->description, index, info);
}

void wp_stream_rewind(struct wp_stream *s)
{
    for (int p = 0; p < s->planes && !s->bank; p++)
        wp_cpu_stream_begin(s->plane[p].rows);
    if (s->bank)
        wp_bank_stream_begin(s->bank);
    s->info.rows = 0;
    s->stopped = false;
}

static bool check_rows(const struct wp_stream *s, const struct wp_operand *rows, int count,
                       bool inverse)
{
    const int height = s->description.size[WP_Y];
    if (inverse != (s->fill_row != NULL))
        return wp_fail(WP_ERROR_USAGE, "rows of an image are %s %s stream",
                       inverse ? "pushed into a" : "pulled from an",
                       inverse ? "forward" : "inverse");
    if (s->stopped)
        return wp_fail(WP_ERROR_USAGE,
                       "the stream has stopped at row %d\nhint: wp_stream_rewind() begins again",
                       s->info.rows);
    if (count < 0 || count > height - s->info.rows)
        return wp_fail(WP_ERROR_USAGE, "there are not %d rows left (%d of %d)", count,
                       height - s->info.rows, height);
    if (count > 0 && (!rows || !rows->data))
        return wp_fail(WP_ERROR_USAGE, "the rows have no memory (NULL)");
    return count == 0 || (rows->location == WP_LOCATION_HOST && !rows->band && rows->type >= 0 &&
                          rows->type < WP_ELEMENT_COUNT) ||
           wp_fail(WP_ERROR_USAGE, "the rows of a stream are one array in the host's memory");
}

static struct wp_operand view_of(const struct wp_stream *s, const struct wp_operand *rows)
{
    const ptrdiff_t width = s->description.size[WP_X];
    struct wp_operand view = *rows;
    view.stride[WP_X] = view.stride[WP_X] ? view.stride[WP_X] : 1;
    view.stride[WP_Y] = view.stride[WP_Y] ? view.stride[WP_Y] : s->planes * width;
    view.stride[WP_PLANE] = view.stride[WP_PLANE] ? view.stride[WP_PLANE] : width;
    return view;
}

static void read_row(const struct wp_stream *s, float *to, const struct wp_operand *view,
                     ptrdiff_t at)
{
    wp_operand_read(&wp_element_rows, to, view, at, s->description.reversible,
                    s->description.size[WP_X]);
}

static void write_row(const struct wp_stream *s, const float *from, const struct wp_operand *view,
                      ptrdiff_t at)
{
    wp_operand_write(&wp_element_rows, view, at, from, s->description.reversible,
                     s->description.size[WP_X]);
}

static ptrdiff_t row_of(const struct wp_operand *view, int y, int plane)
{
    return y * view->stride[WP_Y] + plane * view->stride[WP_PLANE];
}

// Row `y` of the view, in all planes.
static bool move_row(const struct wp_stream *s, const struct wp_operand *view, int y, bool inverse)
{
    for (int p = 0; p < s->planes; p++) {
        struct wp_cpu_stream *rows = s->plane[p].rows;
        const float *pulled = inverse ? wp_cpu_stream_pull(rows) : NULL;
        if (pulled)
            write_row(s, pulled, view, row_of(view, y, p));
        if (!inverse)
            read_row(s, wp_cpu_stream_operand(rows), view, row_of(view, y, p));
        if (inverse ? !pulled : !wp_cpu_stream_push(rows))
            return false;
    }
    return true;
}

static bool move_bank_row(const struct wp_stream *s, const struct wp_operand *view, int y,
                          bool inverse)
{
    const bool ok = !inverse || wp_bank_stream_pull(s->bank);
    for (int p = 0; ok && p < s->planes; p++) {
        if (inverse)
            write_row(s, wp_bank_stream_result(s->bank, p), view, row_of(view, y, p));
        else
            read_row(s, wp_bank_stream_operand(s->bank, p), view, row_of(view, y, p));
    }
    return ok && (inverse || wp_bank_stream_push(s->bank));
}

static bool move_rows(struct wp_stream *s, const struct wp_operand *rows, int count, bool inverse)
{
    if (!check_rows(s, rows, count, inverse))
        return false;
    for (int y = 0; y < count; y++, s->info.rows++) {
        const struct wp_operand view = view_of(s, rows);
        if ((s->bank ? move_bank_row : move_row)(s, &view, y, inverse))
            continue;
        s->stopped = true;
        return false;
    }
    return true;
}

bool wp_stream_push(struct wp_stream *s, const struct wp_operand *rows, int count)
{
    return move_rows(s, rows, count, false);
}

bool wp_stream_pull(struct wp_stream *s, const struct wp_operand *rows, int count)
{
    return move_rows(s, rows, count, true);
}
