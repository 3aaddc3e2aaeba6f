#include "blocks.h"

#include "edit_rules.h"
#include "log.h"
#include "memory.h"
#include "operand.h"
#include "threads.h"
#include "transform.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    LEAST_SAMPLES = 1 << 19, // of a plane; coefficients of smaller ones stay in caches anyway
    BLOCK_SAMPLES = 1 << 17, // at most, of small units
    UNIT_SAMPLES = 1 << 18,  // of 2^k samples, which determine k
    LAST_Y = 1, // bits of a shape: the last block along an axis has the samples that remain
    LAST_Z = 2,
    SHAPES = 4,
    REST = SHAPES, // the low-pass samples of all blocks
};

// A band of the plane in the coefficients of a shape, which may not have it.
struct piece {
    struct wp_band_grid grid;
    double unit;
};

// The blocks of one size.
struct shape {
    int size[WP_DIMS_MAX];
    size_t extent[WP_DIMS_MAX]; // of an array of coefficients
    struct piece *piece;
    struct wp_band_grid low; // of blocks
};

// A band of the plane.
struct band {
    int height, halvings[WP_DIMS_MAX];
    size_t rows, first; // first: of `energy`
    float *values;      // rows without gaps, if the noise is estimated in this band
    bool noisy;         // it is
};

struct worker {
    struct wp_transform *forward[SHAPES + 1], *inverse[SHAPES + 1];
    float *samples, *coefficients; // of a block
    bool failed;
};

struct wp_blocks {
    struct wp_transform_params params;
    struct wp_denoise_choice choice;
    struct wp_edit edit;
    bool per_level;
    struct wp_wavelet wavelet;
    struct wp_description description; // of a plane
    int count[WP_DIMS_MAX]; // of blocks
    int size[WP_DIMS_MAX];  // of all but the last
    struct shape shape[SHAPES + 1];
    size_t samples[2], coefficients[2]; // of the largest block, of the rest
    int levels;                         // k
    int rest_bands;                     // of the other levels; 1 if there are none
    struct worker rest;
    int bands;
    struct band *band;
    int *noisiest; // of each band, the one in which its noise is estimated
    size_t rows;   // of all bands
    double *energy;
    int threads;
    struct worker *worker;
    // A run.
    const struct wp_block_plane *plane;
    const struct wp_edit_limit *limit;
    int first[WP_DIMS_MAX];   // wp_spin_position()
    bool measures, estimates; // in the first pass
};

// Does the transform of a block equal that of the whole plane? Extensions at
// the end of an axis read at most the two samples before it, which are in the
// last block.
static bool is_local(const struct wp_description *d)
{
    struct wp_description part[WP_CHAIN_MAX];
    return d->bank == WP_BANK_DECIMATED && d->wavelet->window == 2 &&
           d->border != WP_BORDER_PYWT_PERIODIC && wp_description_chain(d, part) == 1;
}

bool wp_blocks_fit(const struct wp_description *d, const char *backend, const struct wp_edit *edit)
{
    return is_local(d) && strcmp(backend, "cpu") == 0 && edit->rule != WP_EDIT_SURE &&
           wp_description_samples(d) >= LEAST_SAMPLES;
}

// ---- create

// Does the extension at the end of an axis only read the last sample? Then the samples that remain
// after the last full block are a block of their own.
static bool reads_last(enum wp_border border)
{
    return border == WP_BORDER_PYWT_ZERO || border == WP_BORDER_PYWT_CONSTANT ||
           border == WP_BORDER_PYWT_SYMMETRIC || border == WP_BORDER_PYWT_ANTISYMMETRIC ||
           border == WP_BORDER_PYWT_PERIODIZATION;
}

// Blocks of all of x, of multiples of 2^levels along the other axes.
static void choose_size(struct wp_blocks *b)
{
    const struct wp_description *d = &b->description;
    const int n[WP_DIMS_MAX] = {d->size[WP_X], d->size[WP_Y], wp_description_depth(d)};
    int unit[WP_DIMS_MAX] = {n[WP_X]};
    for (b->levels = wp_description_levels(d);; b->levels--) {
        for (int a = WP_Y; a < WP_DIMS_MAX; a++) {
            const int all = a == WP_Z ? d->levels_z : d->levels;
            const int levels = all < b->levels ? all : b->levels;
            const int multiple = levels < 1 ? 2 : levels < 30 ? 1 << levels : n[a]; // not one sample
            unit[a] = multiple < n[a] ? multiple : n[a];
        }
        if (b->levels <= 1 || (double)unit[WP_X] * unit[WP_Y] * unit[WP_Z] <= UNIT_SAMPLES)
            break;
    }
    memcpy(b->size, unit, sizeof unit);
    for (int a = WP_Y; a < WP_DIMS_MAX; a++) {
        while ((double)b->size[WP_X] * b->size[WP_Y] * b->size[WP_Z] * 2 <= BLOCK_SAMPLES &&
               b->size[a] <= n[a] / 2)
            b->size[a] *= 2;
    }
    for (int a = 0; a < WP_DIMS_MAX; a++)
        b->count[a] = n[a] / b->size[a] +
                      (reads_last(d->border) && n[a] % b->size[a] > 1); // not one sample
}

static int last_size(const struct wp_blocks *b, int axis)
{
    const struct wp_description *d = &b->description;
    const int n = axis == WP_Z ? wp_description_depth(d) : d->size[axis];
    return n - (b->count[axis] - 1) * b->size[axis];
}

// The levels of blocks along an axis, or those after them.
static int levels_of(const struct wp_blocks *b, int shape, int axis)
{
    const int all = axis == WP_Z ? b->description.levels_z : b->description.levels;
    const int first = all < b->levels ? all : b->levels;
    return shape == REST ? all - first : first;
}

static struct wp_transform_params params_of(const struct wp_blocks *b, int shape)
{
    struct wp_transform_params p = b->params;
    struct wp_denoise_choice choice = b->choice;
    for (int a = 0; a < WP_DIMS_MAX; a++)
        choice.levels[a] = levels_of(b, shape, a);
    p.width = b->shape[shape].size[WP_X];
    p.height = b->shape[shape].size[WP_Y];
    p.depth = p.depth > 1 ? b->shape[shape].size[WP_Z] : p.depth;
    p.levels = choice.levels[WP_X] > 0 ? choice.levels[WP_X] : WP_LEVELS_NONE;
    p.levels_z = p.depth <= 1 ? 0 : choice.levels[WP_Z] > 0 ? choice.levels[WP_Z] : WP_LEVELS_NONE;
    p.threads = shape == REST ? p.threads : 1;
    wp_denoise_avoid_border(&choice, &p); // inner blocks have even sizes
    return p;
}

// True if there are blocks of this shape.
static bool is_used(const struct wp_blocks *b, int shape)
{
    if (shape == REST)
        return b->rest_bands > 1;
    return (shape & LAST_Y || b->count[WP_Y] > 1) && (shape & LAST_Z || b->count[WP_Z] > 1);
}

static bool make_shape(struct wp_blocks *b, int number)
{
    struct shape *s = &b->shape[number];
    struct wp_wavelet wavelet;
    struct wp_description d;
    for (int a = 0; a < WP_DIMS_MAX; a++)
        s->size[a] = number == REST ? wp_description_size(&b->description, a, b->levels)
                     : a == WP_X || number & (a == WP_Y ? LAST_Y : LAST_Z) ? last_size(b, a)
                                                                           : b->size[a];
    const struct wp_transform_params p = params_of(b, number);
    if (!wp_transform_resolve(&p, &wavelet, &d))
        return false;
    d.wavelet = &wavelet;
    s->piece = wp_allocate((size_t)b->bands, sizeof *s->piece, "bands of a block");
    if (!s->piece)
        return false;
    for (int a = 0; a < WP_DIMS_MAX; a++)
        s->extent[a] = (size_t)wp_description_extent(&d, a);
    // The bands of the first levels are the last ones.
    const int before = number == REST ? 0 : b->rest_bands - 1;
    for (int i = 1; i < wp_subband_count(&d); i++)
        s->piece[before + i] = (struct piece){wp_subband_describe(&d, i).grid, wp_edit_unit(&d, i)};
    s->low = wp_subband_describe(&d, 0).grid;
    const size_t samples = wp_description_samples(&d), c = wp_description_coefficients(&d);
    const int rest = number == REST;
    b->samples[rest] = samples > b->samples[rest] ? samples : b->samples[rest];
    b->coefficients[rest] = c > b->coefficients[rest] ? c : b->coefficients[rest];
    return true;
}

static bool make_bands(struct wp_blocks *b)
{
    const struct wp_edit_target target = {&b->description, wp_description_depth(&b->description), 1,
                                          NULL};
    struct wp_edit_bands bands;
    if (!wp_edit_bands_make(&target, &bands))
        return false;
    b->bands = bands.count;
    b->band = wp_allocate((size_t)b->bands, sizeof *b->band, "a list of bands");
    b->noisiest =
        b->band ? wp_allocate((size_t)b->bands, sizeof *b->noisiest, "a list of bands") : NULL;
    for (int i = 0; i < b->bands && b->noisiest; i++) {
        struct band *band = &b->band[i];
        band->height = bands.band[i].subband.grid.size[WP_Y];
        band->rows = i > 0 ? bands.band[i].rows : 0;
        band->first = b->rows;
        b->rows += band->rows;
        for (int a = 0; a < WP_DIMS_MAX; a++)
            band->halvings[a] = wp_edit_halvings(&b->description, &bands.band[i].subband, a);
        b->noisiest[i] = wp_edit_noisiest(&bands);
    }
    if (b->noisiest && b->per_level)
        wp_edit_noisiest_of_levels(&bands, b->noisiest);
    for (int i = 1; i < b->bands && b->noisiest; i++)
        if (b->band[i].rows > 0)
            b->band[b->noisiest[i]].noisy = true;
    wp_edit_bands_free(&bands);
    return b->noisiest;
}

static bool create(struct wp_blocks *b)
{
    if (!wp_transform_resolve(&b->params, &b->wavelet, &b->description))
        return false;
    b->description.wavelet = &b->wavelet;
    choose_size(b);
    if (!make_bands(b))
        return false;
    b->rest_bands = 1;
    for (int i = 1; i < b->bands; i++)
        b->rest_bands += wp_subband_describe(&b->description, i).level > b->levels;
    for (int s = 0; s <= SHAPES; s++)
        if (is_used(b, s) && !make_shape(b, s))
            return false;
    const int blocks = b->count[WP_Y] * b->count[WP_Z];
    b->threads = b->params.threads > 0 ? b->params.threads : wp_threads_count();
    b->threads = b->threads < blocks ? b->threads : blocks;
    b->worker = wp_allocate((size_t)b->threads, sizeof *b->worker, "threads");
    return b->worker;
}

struct wp_blocks *wp_blocks_create(const struct wp_transform_params *params,
                                   const struct wp_denoise_choice *choice,
                                   const struct wp_edit *edit, bool per_level)
{
    struct wp_blocks *b = wp_allocate(1, sizeof *b, "blocks");
    if (!b)
        return NULL;
    b->params = *params;
    b->choice = *choice;
    b->edit = *edit;
    b->per_level = per_level;
    if (!create(b))
        wp_blocks_destroy(&b);
    return b;
}

static void free_worker(struct worker *w)
{
    for (int s = 0; s <= SHAPES; s++) {
        wp_transform_destroy(&w->forward[s]);
        wp_transform_destroy(&w->inverse[s]);
    }
    free(w->samples);
    free(w->coefficients);
}

void wp_blocks_destroy(struct wp_blocks **blocks)
{
    struct wp_blocks *b = *blocks;
    if (!b)
        return;
    for (int t = 0; t < b->threads && b->worker; t++)
        free_worker(&b->worker[t]);
    free_worker(&b->rest);
    for (int s = 0; s <= SHAPES; s++)
        free(b->shape[s].piece);
    for (int i = 0; i < b->bands && b->band; i++)
        free(b->band[i].values);
    free(b->band);
    free(b->noisiest);
    free(b->energy);
    free(b->worker);
    free(b);
    *blocks = NULL;
}

static size_t width_of(const struct wp_blocks *b, int band)
{
    return (size_t)wp_subband_describe(&b->description, band).grid.size[WP_X];
}

double wp_blocks_bytes(const struct wp_blocks *b)
{
    const double floats = (double)b->threads * (double)(b->samples[0] + b->coefficients[0]) +
                          (double)(b->samples[1] + b->coefficients[1]);
    double bytes = floats * sizeof(float) + (double)b->rows * sizeof(double);
    for (int i = 0; i < b->bands; i++)
        bytes +=
            b->band[i].noisy ? (double)b->band[i].rows * (double)width_of(b, i) * sizeof(float) : 0;
    return bytes;
}

// ---- run

// Allocates the buffers and creates the transforms of a worker for the shapes `first` to `last`.
// False after an error.
static bool allocate_worker(struct wp_blocks *b, struct worker *w, int first, int last)
{
    const bool rest = first == REST;
    if (!w->samples)
        w->samples = wp_allocate_pages(b->samples[rest], sizeof *w->samples, "a block");
    if (w->samples && !w->coefficients)
        w->coefficients = wp_allocate_pages(b->coefficients[rest], sizeof *w->coefficients,
                                            "coefficients of a block");
    bool ok = w->coefficients;
    for (int s = first; s <= last && ok; s++) {
        const struct wp_transform_params p = params_of(b, s);
        if (!is_used(b, s))
            continue;
        if (!w->forward[s])
            w->forward[s] = wp_transform_create(&p);
        if (w->forward[s] && !w->inverse[s])
            w->inverse[s] = wp_transform_create(&p);
        ok = w->inverse[s];
    }
    return ok;
}

static bool allocate(struct wp_blocks *b)
{
    bool ok = true;
    for (int t = 0; t < b->threads && ok; t++)
        ok = allocate_worker(b, &b->worker[t], 0, SHAPES - 1);
    ok = ok && (!is_used(b, REST) || allocate_worker(b, &b->rest, REST, REST));
    if (ok && b->measures && !b->energy) {
        b->energy = wp_allocate_pages(b->rows, sizeof *b->energy, "energies of rows");
        ok = b->energy;
    }
    for (int i = 1; i < b->bands && b->estimates && ok; i++) {
        struct band *band = &b->band[i];
        if (band->noisy && !band->values)
            band->values = wp_allocate_pages(band->rows * width_of(b, i), sizeof *band->values,
                                             "coefficients of noise");
        ok = !band->noisy || band->values;
    }
    return ok;
}

// A block: its shape and its first sample.
struct place {
    int shape, y, z;
};

static struct place place_of(const struct wp_blocks *b, int number)
{
    const int y = number % b->count[WP_Y], z = number / b->count[WP_Y];
    return (struct place){(y == b->count[WP_Y] - 1 ? LAST_Y : 0) |
                              (z == b->count[WP_Z] - 1 ? LAST_Z : 0),
                          y * b->size[WP_Y], z * b->size[WP_Z]};
}

static struct wp_operand view_of(const struct wp_operand *plane, const struct place *at)
{
    const struct wp_operand row = wp_operand_advance(plane, WP_Y, at->y, NULL);
    return wp_operand_advance(&row, WP_Z, at->z, NULL);
}

// Calls shift_row or add_row for the rows of a block.
static void do_rows(const struct wp_blocks *b, const struct place *at, float *samples, bool add)
{
    const struct wp_block_plane *p = b->plane;
    const int *size = b->shape[at->shape].size;
    for (int i = 0; i < size[WP_Y] * size[WP_Z]; i++) {
        float *row = samples + (size_t)i * (size_t)size[WP_X];
        const int y = at->y + i % size[WP_Y], z = at->z + i / size[WP_Y];
        if (add)
            wp_spin_add_row(p->spin, b->first, p->number == 0, p->plane, y, z, row);
        else
            wp_spin_shift_row(p->spin, b->first, p->plane, y, z, row);
    }
}

static bool forward(const struct wp_blocks *b, struct worker *w, const struct place *at)
{
    if (b->plane->spin) {
        do_rows(b, at, w->samples, false);
        return wp_transform_forward(w->forward[at->shape], WP_ARRAY(w->samples),
                                    WP_ARRAY(w->coefficients));
    }
    const struct wp_operand from = view_of(b->plane->from, at);
    return wp_transform_forward(w->forward[at->shape], &from, WP_ARRAY(w->coefficients));
}

static bool inverse(const struct wp_blocks *b, struct worker *w, const struct place *at)
{
    if (b->plane->spin) {
        const bool ok = wp_transform_inverse(w->inverse[at->shape], WP_ARRAY(w->coefficients),
                                             WP_ARRAY(w->samples));
        if (ok)
            do_rows(b, at, w->samples, true);
        return ok;
    }
    const struct wp_operand to = view_of(b->plane->to, at);
    return wp_transform_inverse(w->inverse[at->shape], WP_ARRAY(w->coefficients), &to);
}

// A row of a band of a block, and its number in the band of the plane.
static struct wp_edit_row row_of(const struct wp_blocks *b, const struct worker *w,
                                 const struct place *at, int band, int row, size_t *number)
{
    const struct shape *s = &b->shape[at->shape];
    const struct wp_band_grid *g = &s->piece[band].grid;
    const struct band *of = &b->band[band];
    const int y = row % g->size[WP_Y], z = row / g->size[WP_Y];
    const size_t slice = (size_t)(g->first[WP_Z] + z) * s->extent[WP_Y];
    const size_t line = slice + (size_t)(g->first[WP_Y] + y);
    *number = (size_t)((at->z >> of->halvings[WP_Z]) + z) * (size_t)of->height +
              (size_t)((at->y >> of->halvings[WP_Y]) + y);
    return (struct wp_edit_row){w->coefficients + line * s->extent[WP_X] + g->first[WP_X],
                                g->size[WP_X], 1, s->piece[band].unit};
}

static int rows_of(const struct wp_blocks *b, const struct place *at, int band)
{
    const int *size = b->shape[at->shape].piece[band].grid.size;
    return size[WP_X] > 0 ? size[WP_Y] * size[WP_Z] : 0;
}

// Gathers the energies of rows, and coefficients of noise.
static void measure(struct wp_blocks *b, const struct worker *w, const struct place *at)
{
    for (int i = 1; i < b->bands; i++) {
        const bool keeps = b->estimates && b->band[i].noisy;
        for (int r = 0; r < rows_of(b, at, i) && (keeps || b->measures); r++) {
            size_t to;
            const struct wp_edit_row row = row_of(b, w, at, i, r, &to);
            if (b->measures)
                b->energy[b->band[i].first + to] = wp_edit_row_energy(&row);
            if (keeps)
                memcpy(b->band[i].values + to * (size_t)row.count, row.at,
                       (size_t)row.count * sizeof *row.at);
        }
    }
}

static void shrink(const struct wp_blocks *b, const struct worker *w, const struct place *at)
{
    for (int i = 1; i < b->bands; i++) {
        for (int r = 0; r < rows_of(b, at, i); r++) {
            size_t to;
            const struct wp_edit_row row = row_of(b, w, at, i, r, &to);
            wp_shrink_row(b->edit.shrink, row.at, row.step, row.count,
                          (float)(b->limit[i].threshold / row.unit));
        }
    }
}

// Copies the low-pass samples of a block to those of the plane, or back.
static void copy_low(const struct wp_blocks *b, const struct worker *w, const struct place *at,
                     bool back)
{
    const struct shape *s = &b->shape[at->shape];
    const struct wp_band_grid *g = &s->low;
    const int *rest = b->shape[REST].size;
    const int y0 = at->y >> levels_of(b, at->shape, WP_Y), z0 = at->z >> levels_of(b, at->shape, WP_Z);
    for (int i = 0; i < g->size[WP_Y] * g->size[WP_Z]; i++) {
        const int y = i % g->size[WP_Y], z = i / g->size[WP_Y];
        float *row = w->coefficients + ((size_t)z * s->extent[WP_Y] + (size_t)y) * s->extent[WP_X];
        float *low = b->rest.samples +
                     ((size_t)(z0 + z) * (size_t)rest[WP_Y] + (size_t)(y0 + y)) * (size_t)rest[WP_X];
        memcpy(back ? row : low, back ? low : row, (size_t)g->size[WP_X] * sizeof *row);
    }
}

static void measure_block(void *user, int number, int thread)
{
    struct wp_blocks *b = user;
    struct worker *w = &b->worker[thread];
    const struct place at = place_of(b, number);
    w->failed = w->failed || !forward(b, w, &at);
    if (w->failed)
        return;
    measure(b, w, &at);
    if (is_used(b, REST))
        copy_low(b, w, &at, false);
}

static void shrink_block(void *user, int number, int thread)
{
    struct wp_blocks *b = user;
    struct worker *w = &b->worker[thread];
    const struct place at = place_of(b, number);
    w->failed = w->failed || !forward(b, w, &at);
    if (w->failed)
        return;
    if (is_used(b, REST))
        copy_low(b, w, &at, true);
    shrink(b, w, &at);
    w->failed = !inverse(b, w, &at);
}

static const struct place rest_place = {.shape = REST};

static bool measure_rest(struct wp_blocks *b)
{
    struct worker *w = &b->rest;
    if (!wp_transform_forward(w->forward[REST], WP_ARRAY(w->samples), WP_ARRAY(w->coefficients)))
        return false;
    measure(b, w, &rest_place);
    return true;
}

static bool shrink_rest(struct wp_blocks *b)
{
    struct worker *w = &b->rest;
    shrink(b, w, &rest_place);
    return wp_transform_inverse(w->inverse[REST], WP_ARRAY(w->coefficients), WP_ARRAY(w->samples));
}

static bool share(struct wp_blocks *b, void (*task)(void *user, int number, int thread))
{
    bool failed = false;
    for (int t = 0; t < b->threads; t++)
        b->worker[t].failed = false;
    wp_begin_attempt();
    wp_threads_share(b->threads, b->count[WP_Y] * b->count[WP_Z], task, b);
    wp_end_attempt();
    for (int t = 0; t < b->threads; t++)
        failed = failed || b->worker[t].failed;
    return !failed || wp_fail(WP_ERROR_TOO_LARGE, "not enough memory to transform blocks");
}

static bool find_sigma(const struct wp_blocks *b, int band, const double *gain,
                       struct wp_edit_limit *limit)
{
    const int from = b->noisiest[band];
    if (limit[from].sigma == 0) {
        const struct wp_edit_pool pool = {.nonzero = true,
                                          .values = b->band[from].values,
                                          .rows = b->band[from].rows,
                                          .width = (int)width_of(b, from)};
        if (!wp_edit_estimate_pool(&pool, &limit[from].sigma))
            return wp_fail(WP_ERROR_TOO_LARGE, "not enough memory for the thresholds of a plane");
        limit[from].sigma /= gain[from];
    }
    limit[band].sigma = limit[from].sigma;
    return true;
}

// As wp_edit_find_thresholds() with the coefficients.
static bool find_limits(const struct wp_blocks *b, const double *gain, struct wp_edit_limit *limit)
{
    const struct wp_description *d = &b->description;
    const double samples = (double)d->size[WP_X] * d->size[WP_Y] * wp_description_depth(d);
    for (int i = 1; i < b->bands; i++) {
        const struct band *band = &b->band[i];
        if (band->rows == 0)
            continue;
        if (limit[i].sigma == 0 && !find_sigma(b, i, gain, limit))
            return false;
        const double sigma = limit[i].sigma * gain[i];
        const double count = (double)band->rows * (double)width_of(b, i);
        limit[i].threshold =
            b->measures ? wp_edit_bayes_of(wp_edit_sum_rows(b->energy + band->first, band->rows),
                                           count, sigma)
                        : wp_edit_universal(samples, sigma);
    }
    return true;
}

static bool has_unknown(const struct wp_blocks *b, const struct wp_edit_limit *limit)
{
    bool unknown = false;
    for (int i = 1; i < b->bands; i++)
        unknown = unknown || (b->band[i].rows > 0 && limit[i].sigma == 0);
    return unknown;
}

bool wp_blocks_run(struct wp_blocks *b, const struct wp_block_plane *plane, const double *gain,
                   struct wp_edit_limit *limit)
{
    b->plane = plane;
    b->limit = limit;
    b->measures = b->edit.rule == WP_EDIT_BAYES;
    b->estimates = has_unknown(b, limit);
    if (!allocate(b))
        return false;
    if (plane->spin)
        wp_spin_position(plane->spin, plane->number, b->first);
    const bool rest = is_used(b, REST);
    if ((b->measures || b->estimates || rest) && !share(b, measure_block))
        return false;
    return (!rest || measure_rest(b)) && find_limits(b, gain, limit) && (!rest || shrink_rest(b)) &&
           share(b, shrink_block);
}
