#include "stream_bank.h"

#include "memory.h"
#include "operand.h"
#include "redundant.h"
#include "transform.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// Rows are numbered in the order in which they are read: `position` 0 is the first row that is
// read, and with periodic borders the first 2 reach rows follow once more after the last one, so
// that results at positions reach..rows - reach - 1 are those of all rows. Windows of equal height
// move down the positions. Only the first and the last one have results at an end of the positions,
// where the border of the window is that of the image.
struct layout {
    int width, height; // of the image
    int bands;
    int window;   // rows
    int reach;    // rows on both sides that a result depends on
    int repeated; // positions at the end that have the rows of the first ones
    int offset;   // the row at position 0
};

struct wp_bank_stream {
    struct layout layout;
    bool inverse;
    int planes;
    wp_bank_stream_row row;
    void *user;
    struct wp_transform *transform; // of a window of one plane
    ptrdiff_t *band;     // offset of each band in the coefficients of a window
    size_t all;          // coefficients of a window
    float *samples;      // a window of each plane
    float *coefficients; // of one plane; inverse: of each
    float *saved;        // repeated rows of each plane and, inverse, band
    int first;           // position of the window
    int filled;          // rows of the window that have been read
    int done;            // positions whose results were passed on; inverse: pulled
    int ready;           // inverse: positions whose results are in `samples`
};

enum { ROWS_LEAST = 64 };

static struct layout make_layout(const struct wp_description *d)
{
    const int levels = wp_description_levels(d);
    struct layout l = {.width = d->size[WP_X], .height = d->size[WP_Y],
                       .bands = wp_subband_count(d), .window = d->size[WP_Y]};
    struct wp_redundant bank = {0};
    if (levels == 0 || !(wp_description_axes(d, 1) >> WP_Y & 1) || !wp_redundant_make(d, &bank))
        return l;
    int taps = 0;
    for (int f = 0; f < 2 && bank.rule != WP_LEVEL_SUM && bank.rule != WP_LEVEL_REPEAT; f++) {
        const int last = bank.filter[f].first + bank.filter[f].count - 1;
        taps = bank.filter[f].count > 0 && -bank.filter[f].first > taps ? -bank.filter[f].first
                                                                        : taps;
        taps = bank.filter[f].count > 0 && last > taps ? last : taps;
    }
    // The rows at the ends of a window have weights.
    const double end = ldexp(1, bank.start + levels);
    const double reach = (end - ldexp(1, bank.start)) * taps + bank.weighted;
    const double window = fmax(fmax(4 * reach, ROWS_LEAST), end);
    if (window >= l.height)
        return l;
    l.window = (int)window;
    l.reach = (int)reach;
    if (bank.extension == WP_EXTEND_WRAP) {
        l.repeated = 2 * l.reach;
        l.offset = d->direction == WP_INVERSE && l.reach ? l.height - l.reach : 0;
    }
    return l;
}

static int positions(const struct layout *l)
{
    return l->height + l->repeated;
}

static size_t saved_of(const struct layout *l, int planes, bool inverse)
{
    return (size_t)planes * (size_t)(inverse ? l->bands : 1) * (size_t)l->repeated *
           (size_t)l->width;
}

double wp_bank_stream_bytes(const struct wp_description *d, int planes)
{
    enum { LOW = 2 }; // low bands that the backend has between levels
    const struct layout l = make_layout(d);
    const bool inverse = d->direction == WP_INVERSE;
    const double window = (double)l.width * l.window;
    return (double)sizeof(float) * (window * (planes + (inverse ? planes : 1) * l.bands + LOW) +
                                    (double)saved_of(&l, planes, inverse));
}

static bool allocate(struct wp_bank_stream *s)
{
    const struct layout *l = &s->layout;
    const size_t window = (size_t)l->width * (size_t)l->window, planes = (size_t)s->planes;
    const size_t saved = saved_of(l, s->planes, s->inverse);
    s->all = window * (size_t)l->bands;
    s->band = wp_allocate((size_t)l->bands, sizeof *s->band, "a list of bands");
    s->samples = s->band ? wp_allocate_pages(planes * window, sizeof(float), "a window of rows")
                         : NULL;
    s->coefficients = s->samples ? wp_allocate_pages((s->inverse ? planes : 1) * s->all,
                                                     sizeof(float), "the bands of a window")
                                 : NULL;
    s->saved = s->coefficients ? wp_allocate_pages(saved ? saved : 1, sizeof(float), "the first rows")
                               : NULL;
    for (int i = 0; s->saved && i < l->bands; i++) {
        struct wp_band_info info;
        if (!wp_transform_get_band(s->transform, i, &info))
            return false;
        s->band[i] = info.offset;
    }
    return s->saved;
}

struct wp_bank_stream *wp_bank_stream_create(const struct wp_description *d,
                                             const struct wp_transform_params *params, int planes,
                                             wp_bank_stream_row row, void *user)
{
    struct wp_bank_stream *s = wp_allocate(1, sizeof *s, "a stream");
    struct wp_transform_params p;
    if (!s || !wp_transform_read_params(params, &p)) {
        free(s);
        return NULL;
    }
    s->layout = make_layout(d);
    s->inverse = d->direction == WP_INVERSE;
    s->planes = planes;
    s->row = row;
    s->user = user;
    p.struct_size = sizeof p;
    p.height = s->layout.window;
    p.planes = 1;
    p.levels = d->levels;
    p.backend = "cpu";
    p.threads = 1;
    s->transform = wp_transform_create(&p);
    if (!s->transform || !allocate(s)) {
        wp_bank_stream_destroy(s);
        return NULL;
    }
    wp_bank_stream_begin(s);
    return s;
}

void wp_bank_stream_destroy(struct wp_bank_stream *s)
{
    if (!s)
        return;
    wp_transform_destroy(&s->transform);
    free(s->band);
    free(s->samples);
    free(s->coefficients);
    free(s->saved);
    free(s);
}

void wp_bank_stream_begin(struct wp_bank_stream *s)
{
    s->first = s->filled = 0;
    s->done = s->ready = s->layout.repeated ? s->layout.reach : 0;
}

// ---- windows

static int row_at(const struct wp_bank_stream *s, int position)
{
    return (position + s->layout.offset) % s->layout.height;
}

// The position after the results of a full window.
static int results_end(const struct wp_bank_stream *s)
{
    const int end = s->first + s->layout.window, all = positions(&s->layout);
    return end < all || s->layout.repeated ? end - s->layout.reach : end;
}

// The next window begins with the rows that its first result depends on, and ends at the last one.
static int next_window(const struct wp_bank_stream *s)
{
    const int next = s->ready - s->layout.reach, last = positions(&s->layout) - s->layout.window;
    return next < last ? next : last;
}

static void drop_rows(const struct wp_bank_stream *s, float *window, int rows)
{
    const size_t width = (size_t)s->layout.width;
    memmove(window, window + (size_t)rows * width,
            (size_t)(s->layout.window - rows) * width * sizeof *window);
}

// Moves a full window down, with the rows that it has in common with the next one.
static void advance(struct wp_bank_stream *s)
{
    const int rows = next_window(s) - s->first;
    for (int p = 0; p < s->planes; p++) {
        if (!s->inverse)
            drop_rows(s, wp_bank_stream_operand(s, p) - (size_t)s->filled * (size_t)s->layout.width,
                      rows);
        for (int b = 0; s->inverse && b < s->layout.bands; b++)
            drop_rows(s, s->coefficients + (size_t)p * s->all + s->band[b], rows);
    }
    s->first += rows;
    s->filled -= rows;
}

// Saves a row that is repeated, or gets it. `list`: planes, inverse also bands.
static void save_row(struct wp_bank_stream *s, int list, float *row)
{
    const struct layout *l = &s->layout;
    const int position = s->first + s->filled;
    const size_t width = (size_t)l->width;
    const bool again = position >= l->height;
    if (!again && position >= l->repeated)
        return;
    float *saved = s->saved + ((size_t)list * (size_t)l->repeated +
                               (size_t)(again ? position - l->height : position)) * width;
    memcpy(again ? row : saved, again ? saved : row, width * sizeof *row);
}

// ---- forward

float *wp_bank_stream_operand(const struct wp_bank_stream *s, int plane)
{
    return s->samples + ((size_t)plane * (size_t)s->layout.window + (size_t)s->filled) *
                            (size_t)s->layout.width;
}

static bool pass_results(struct wp_bank_stream *s, int plane, int end)
{
    const size_t width = (size_t)s->layout.width;
    bool ok = true;
    for (int y = s->done; y < end; y++)
        for (int b = 0; ok && b < s->layout.bands; b++)
            ok = s->row(s->user, b, plane, row_at(s, y),
                        s->coefficients + s->band[b] + (size_t)(y - s->first) * width);
    return ok;
}

static bool add_row(struct wp_bank_stream *s)
{
    for (int p = 0; p < s->planes; p++)
        save_row(s, p, wp_bank_stream_operand(s, p));
    if (++s->filled < s->layout.window)
        return true;
    const int end = results_end(s);
    const size_t window = (size_t)s->layout.width * (size_t)s->layout.window;
    for (int p = 0; p < s->planes; p++)
        if (!wp_transform_forward(s->transform, WP_ARRAY(s->samples + (size_t)p * window),
                                  WP_ARRAY(s->coefficients)) ||
            !pass_results(s, p, end))
            return false;
    s->done = s->ready = end;
    if (s->first + s->filled < positions(&s->layout))
        advance(s);
    return true;
}

bool wp_bank_stream_push(struct wp_bank_stream *s)
{
    bool ok = add_row(s);
    if (s->first + s->filled == s->layout.height)
        for (int i = 0; ok && i < s->layout.repeated; i++)
            ok = add_row(s);
    return ok;
}

// ---- inverse

static bool fill_row(struct wp_bank_stream *s)
{
    const struct layout *l = &s->layout;
    bool ok = true;
    for (int p = 0; p < s->planes; p++) {
        for (int b = 0; ok && b < l->bands; b++) {
            float *row = s->coefficients + (size_t)p * s->all + s->band[b] +
                         (size_t)s->filled * (size_t)l->width;
            if (s->first + s->filled < l->height)
                ok = s->row(s->user, b, p, row_at(s, s->first + s->filled), row);
            save_row(s, p * l->bands + b, row);
        }
    }
    s->filled++;
    return ok;
}

bool wp_bank_stream_pull(struct wp_bank_stream *s)
{
    const size_t window = (size_t)s->layout.width * (size_t)s->layout.window;
    if (s->done < s->ready) {
        s->done++;
        return true;
    }
    if (s->filled == s->layout.window)
        advance(s);
    while (s->filled < s->layout.window)
        if (!fill_row(s))
            return false;
    for (int p = 0; p < s->planes; p++)
        if (!wp_transform_inverse(s->transform,
                                  WP_ARRAY(s->coefficients + (size_t)p * s->all),
                                  WP_ARRAY(s->samples + (size_t)p * window)))
            return false;
    s->ready = results_end(s);
    s->done++;
    return true;
}

const float *wp_bank_stream_result(const struct wp_bank_stream *s, int plane)
{
    return s->samples + ((size_t)plane * (size_t)s->layout.window +
                         (size_t)(s->done - 1 - s->first)) * (size_t)s->layout.width;
}
