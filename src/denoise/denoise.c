#include "denoise.h"

#include "elements.h"
#include "log.h"
#include "memory.h"
#include "operand.h"
#include "spin.h"
#include "suggest.h"
#include "threads.h"
#include "transform.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    SHIFTS = 16,             // the default
    LEVELS_LEFT = 3,         // of those that fit, which are too coarse for noise
    CHUNK_SAMPLES = 1 << 22, // of planes that are denoised together if they are shifted
    COLORS = 3,
};
static const char default_wavelet[] = "haar", default_rule[] = "soft";

const char *const wp_denoise_methods[WP_DENOISE_METHODS] = {"bayes", "sure", "visu"};
const enum wp_edit_rule wp_denoise_rules[WP_DENOISE_METHODS] = {WP_EDIT_BAYES, WP_EDIT_SURE,
                                                                WP_EDIT_UNIVERSAL};
const char *const wp_denoise_colors[WP_DENOISE_COLORS] = {"planes", "ycbcr"};

struct wp_denoiser {
    struct wp_denoise_params params;      // its words are read, and `transform` is below
    struct wp_transform_params transform; // of the caller's arrays
    struct wp_edit edit;
    bool ycbcr;
    bool haar;               // with a border of PyWavelets
    int levels[WP_DIMS_MAX]; // that axes have if they are long enough
    int size[WP_DIMENSIONS]; // of the caller's arrays
    int entries;             // their planes, of all entries of the batch
    // Transforms of the caller's arrays, which work on them directly.
    struct wp_transform *forward, *inverse;
    // With shifts or colors: transforms of `spin`, planes of a chunk.
    bool spins;
    struct wp_spin spin;
    struct wp_transform *spin_forward, *spin_inverse;
    int planes;          // of `coefficients`
    float *coefficients; // without gaps; like the arrays of `spin` from the first run on
    struct wp_edit_limit *limit; // of each subband of these planes
    double *gain;                // wp_edit_noise_gains()
};

// ---- create

static int find_word(const char *kind, const char *word, const char *standard,
                     const char *const words[], int count)
{
    return wp_name_find(kind, word ? word : standard, words, count, "there are ");
}

static bool read_words(struct wp_denoiser *d)
{
    const struct wp_denoise_params *p = &d->params;
    const int method = find_word("method", p->method, wp_denoise_methods[0], wp_denoise_methods,
                                 WP_DENOISE_METHODS);
    const int rule = method < 0 ? -1
                                : find_word("rule", p->rule, default_rule, wp_shrink_names,
                                            WP_SHRINK_COUNT);
    const int color = rule < 0 ? -1
                               : find_word("color", p->color, wp_denoise_colors[0],
                                           wp_denoise_colors, WP_DENOISE_COLORS);
    if (color < 0)
        return false;
    d->edit = (struct wp_edit){.kind = WP_EDIT_THRESHOLD, .rule = wp_denoise_rules[method],
                               .shrink = (enum wp_shrink)rule};
    d->ycbcr = color == WP_DENOISE_YCBCR;
    return true;
}

static bool check_transform(const struct wp_transform_params *p)
{
    const struct {
        const char *name;
        bool given;
    } unfit[] = {{"reversible transforms", p->reversible}, {"adjoints", p->adjoint},
                 {"slices in groups", p->gop > 0}, {"textures", p->current_context}};
    for (size_t i = 0; i < sizeof unfit / sizeof *unfit; i++)
        if (unfit[i].given)
            return wp_fail(WP_ERROR_USAGE, "denoising does not support %s", unfit[i].name);
    return true;
}

static bool read_params(struct wp_denoiser *d, const struct wp_denoise_params *given)
{
    if (!given || given->struct_size < offsetof(struct wp_denoise_params, user) ||
        given->struct_size > sizeof d->params)
        return wp_fail(WP_ERROR_USAGE, "the parameters of denoising are %s"
                       "\nhint: begin with WP_DENOISE_PARAMS()",
                       given ? "of no known version (struct_size)" : "NULL");
    memcpy(&d->params, given, given->struct_size);
    const struct wp_denoise_params *p = &d->params;
    if (!(p->sigma >= 0 && p->sigma <= DBL_MAX))
        return wp_fail(WP_ERROR_USAGE, "sigma cannot be %g (0, to estimate it, or more)", p->sigma);
    if (p->sigma > 0 && p->per_level)
        return wp_fail(WP_ERROR_USAGE, "sigma is %g, and is also to be estimated in each level",
                       p->sigma);
    if (p->shifts < WP_SHIFTS_ALL)
        return wp_fail(WP_ERROR_USAGE, "%d shifts cannot be averaged", p->shifts);
    return wp_transform_read_params(p->transform, &d->transform) && check_transform(&d->transform);
}

// Finds the wavelet of the parameters. False after an error.
static bool find_wavelet(const struct wp_transform_params *p, struct wp_wavelet *wavelet)
{
    struct wp_description description;
    const struct wp_transform_params probe = WP_TRANSFORM_PARAMS(
        .width = 2, .height = 1, .levels = 1, .wavelet = p->wavelet,
        .wavelet_data = p->wavelet_data, .border = wp_border_names[WP_BORDER_PERIODIC]);
    return wp_transform_resolve(&probe, wavelet, &description);
}

// The levels that pywt.dwtn_max_level() finds, without the coarsest ones.
static int default_levels(const struct wp_transform_params *p, const struct wp_wavelet *wavelet)
{
    const int size[WP_DIMS_MAX] = {p->width, p->height, p->depth};
    int levels = WP_MAX_LEVELS;
    for (int a = 0; a < WP_DIMS_MAX; a++) {
        int fit = 0;
        while (size[a] >> (fit + 1) >= wavelet->window - 1)
            fit++;
        levels = size[a] > 1 && fit < levels ? fit : levels;
    }
    return levels > LEVELS_LEFT ? levels - LEVELS_LEFT : 1;
}

static bool choose_transform(struct wp_denoiser *d)
{
    struct wp_transform_params *p = &d->transform;
    struct wp_wavelet wavelet;
    struct wp_description description;
    p->wavelet = p->wavelet || p->wavelet_data ? p->wavelet : default_wavelet;
    if (!find_wavelet(p, &wavelet))
        return false;
    if (!p->border)
        p->border = wp_border_names[wavelet.symmetry == WP_SYMMETRY_NONE ? WP_BORDER_PYWT_SYMMETRIC
                                                                         : WP_BORDER_SYMMETRIC];
    p->norm = wp_norm_names[WP_NORM_ORTHONORMAL];
    p->layout = NULL;
    p->backend = p->backend ? p->backend : "cpu";
    if (p->levels == 0 && p->levels_z <= 0) {
        struct wp_transform_params most = *p;
        most.levels = p->levels_z == 0 ? WP_LEVELS_MOST : 0;
        const int levels = default_levels(p, &wavelet);
        if (!wp_transform_resolve(&most, &wavelet, &description))
            return false;
        // Periodic borders have fewer levels than fit.
        p->levels = levels < description.levels || description.levels == 0 ? levels
                                                                           : description.levels;
    }
    if (!wp_transform_resolve(p, &wavelet, &description))
        return false;
    d->spin.wraps = description.border == WP_BORDER_PERIODIC ||
                    description.border == WP_BORDER_PYWT_PERIODIC ||
                    description.border == WP_BORDER_PYWT_PERIODIZATION;
    d->haar = wavelet.window == 2 && description.border >= WP_BORDER_NATIVE;
    for (int a = 0; a < WP_DIMS_MAX; a++)
        d->levels[a] = a == WP_Z ? description.levels_z : description.levels;
    return true;
}

// The filters of Haar do not reach beyond the ends of even sizes: every border has the same
// coefficients then, and those of PyWavelets take longer.
static void avoid_border(const struct wp_denoiser *d, struct wp_transform_params *p)
{
    const int size[WP_DIMS_MAX] = {p->width, p->height, p->depth};
    bool even = d->haar;
    for (int a = 0; a < WP_DIMS_MAX; a++)
        even = even && (size[a] > 1 ? size[a] % (1LL << d->levels[a]) == 0 : a >= p->rank);
    if (even)
        p->border = wp_border_names[WP_BORDER_SYMMETRIC];
}

static void read_sizes(struct wp_denoiser *d)
{
    const struct wp_transform_params *p = &d->transform;
    const int size[WP_BATCH] = {p->width, p->height, p->depth, p->planes};
    d->entries = 1;
    for (int a = 0; a < WP_DIMENSIONS; a++) {
        const int extent = a < WP_BATCH ? size[a] : p->batch[a - WP_BATCH];
        d->size[a] = extent > 1 ? extent : 1;
        d->entries *= a >= WP_PLANE ? d->size[a] : 1;
    }
}

static void choose_nothing(void *user, const struct wp_backend_choice *on,
                           struct wp_description *description, const struct wp_variant **variant)
{
    (void)user, (void)on, (void)description, (void)variant;
}

// A transform on the device of d->forward.
static struct wp_transform *derive(const struct wp_denoiser *d,
                                   const struct wp_transform_params *params)
{
    return wp_transform_create_chosen(params, &(struct wp_transform_chooser){
                                                  .choose = choose_nothing, .shared = d->forward});
}

// The levels of each axis, as far as it has more than one sample.
static void read_levels(const struct wp_description *d, int levels[WP_DIMS_MAX])
{
    for (int a = 0; a < WP_DIMS_MAX; a++) {
        const int all = a == WP_Z ? d->levels_z : d->levels;
        levels[a] = 0;
        while (levels[a] < all && wp_description_size(d, a, levels[a]) > 1)
            levels[a]++;
    }
}

static bool create_spin(struct wp_denoiser *d)
{
    const struct wp_description *whole = wp_transform_description(d->forward);
    struct wp_spin *s = &d->spin;
    struct wp_transform_params p = d->transform;
    const int unit = d->ycbcr ? COLORS : 1;
    memcpy(s->size, d->size, sizeof s->size);
    read_levels(whole, s->levels);
    const int most = wp_spin_count(s->levels);
    s->shifts = d->params.shifts == 0 ? SHIFTS : d->params.shifts;
    s->shifts = s->shifts < 0 || s->shifts > most ? most : s->shifts;
    d->spins = s->shifts > 1 || d->ycbcr;
    d->planes = d->entries;
    if (!d->spins)
        return true;
    wp_spin_extend(s);
    const double fit = CHUNK_SAMPLES / ((double)s->size[WP_X] * s->size[WP_Y] * s->size[WP_Z]);
    d->planes = fit < unit ? unit : fit < d->entries ? (int)fit / unit * unit : d->entries;
    s->planes = d->planes;
    p.width = s->extent[WP_X];
    p.height = s->extent[WP_Y];
    p.depth = p.depth > 1 ? s->extent[WP_Z] : p.depth;
    p.planes = d->planes;
    memset(p.batch, 0, sizeof p.batch);
    p.levels = whole->levels > 0 ? whole->levels : WP_LEVELS_NONE;
    p.levels_z = p.depth <= 1 ? 0 : whole->levels_z > 0 ? whole->levels_z : WP_LEVELS_NONE;
    avoid_border(d, &p);
    d->spin_forward = derive(d, &p);
    d->spin_inverse = d->spin_forward ? derive(d, &p) : NULL;
    return d->spin_inverse;
}

// The description of the transform that computes the coefficients.
static const struct wp_description *description_of(const struct wp_denoiser *d)
{
    return wp_transform_description(d->spins ? d->spin_forward : d->forward);
}

static bool create(struct wp_denoiser *d, const struct wp_denoise_params *params)
{
    if (!read_params(d, params) || !read_words(d) || !choose_transform(d))
        return false;
    read_sizes(d);
    if (d->ycbcr && d->size[WP_PLANE] != COLORS)
        return wp_fail(WP_ERROR_USAGE, "color 'ycbcr' converts red, green and blue, but there %s "
                       "%d plane%s\nhint: color 'planes'", d->size[WP_PLANE] == 1 ? "is" : "are",
                       d->size[WP_PLANE], WP_PLURAL(d->size[WP_PLANE]));
    struct wp_transform_params p = d->transform;
    avoid_border(d, &p);
    d->forward = wp_transform_create(&p);
    d->inverse = d->forward ? derive(d, &p) : NULL;
    if (!d->inverse || !create_spin(d))
        return false;
    const size_t bands = (size_t)wp_subband_count(description_of(d));
    d->gain = wp_allocate(bands, sizeof *d->gain, "gains of noise");
    return d->gain && wp_edit_noise_gains(description_of(d), d->gain);
}

struct wp_denoiser *wp_denoise_create(const struct wp_denoise_params *params)
{
    struct wp_denoiser *d = wp_allocate(1, sizeof *d, "a denoiser");
    if (d && !create(d, params))
        wp_denoise_destroy(&d);
    return d;
}

void wp_denoise_destroy(struct wp_denoiser **denoiser)
{
    struct wp_denoiser *d = *denoiser;
    if (!d)
        return;
    wp_transform_destroy(&d->spin_inverse);
    wp_transform_destroy(&d->spin_forward);
    wp_transform_destroy(&d->inverse);
    wp_transform_destroy(&d->forward);
    wp_spin_free(&d->spin);
    free(d->coefficients);
    free(d->limit);
    free(d->gain);
    free(d);
    *denoiser = NULL;
}

struct wp_transform *wp_denoise_transform(const struct wp_denoiser *d)
{
    return d->forward;
}

void wp_denoise_report_to(struct wp_denoiser *d,
                          void (*on_band)(void *user, int plane, const struct wp_band_info *band,
                                          double sigma, double threshold),
                          void *user)
{
    d->params.on_band = on_band;
    d->params.user = user;
}

int wp_denoise_shifts(const struct wp_denoiser *d)
{
    return d->spin.shifts;
}

// ---- run

static bool allocate(struct wp_denoiser *d)
{
    const struct wp_description *description = description_of(d);
    const size_t planes = (size_t)d->planes;
    if (d->coefficients)
        return true;
    d->coefficients = wp_allocate_pages(planes * wp_description_coefficients(description),
                                        sizeof *d->coefficients, "coefficients");
    d->limit = d->coefficients ? wp_allocate(planes * (size_t)wp_subband_count(description),
                                             sizeof *d->limit, "thresholds")
                               : NULL;
    if (d->limit && (!d->spins || wp_spin_allocate(&d->spin)))
        return true;
    // The next run allocates again.
    free(d->coefficients);
    free(d->limit);
    wp_spin_free(&d->spin);
    d->coefficients = d->spin.image = d->spin.plane = d->spin.sum = NULL;
    d->limit = NULL;
    return false;
}

// Shrinks the details of the first `planes` planes of the coefficients.
static bool shrink(const struct wp_denoiser *d, int planes)
{
    const struct wp_edit_target target = {description_of(d), d->spins ? d->spin.extent[WP_Z]
                                                                      : d->size[WP_Z],
                                          planes, d->coefficients};
    const struct wp_edit_noise noise = {.per_level = d->params.per_level, .gain = d->gain,
                                        .limit = d->limit};
    return wp_edit_apply(&d->edit, &noise, &target, NULL);
}

// Sets sigma in each subband of a plane: that of the caller, or 0, to be estimated.
static void begin_limits(const struct wp_denoiser *d, int plane, double sigma)
{
    const int bands = wp_subband_count(description_of(d));
    for (int i = 0; i < bands; i++)
        d->limit[plane * bands + i] = (struct wp_edit_limit){.sigma = sigma};
}

// Keeps the estimates for the next shifts. 0 would be estimated again.
static void keep_limits(const struct wp_denoiser *d, int planes)
{
    const int count = planes * wp_subband_count(description_of(d));
    for (int i = 0; i < count; i++)
        d->limit[i].sigma = fmax(d->limit[i].sigma, DBL_MIN);
}

static void report(const struct wp_denoiser *d, int first, int planes)
{
    struct wp_transform *transform = d->spins ? d->spin_forward : d->forward;
    const int bands = wp_transform_band_count(transform);
    for (int p = 0; p < planes && d->params.on_band; p++) {
        for (int i = 1; i < bands; i++) {
            struct wp_band_info info;
            wp_transform_get_band(transform, i, &info);
            const struct wp_edit_limit *limit = &d->limit[p * bands + i];
            if (info.width > 0 && info.height > 0 && info.depth > 0)
                d->params.on_band(d->params.user, first + p, &info, limit->sigma, limit->threshold);
        }
    }
}

static bool run_whole(struct wp_denoiser *d, const struct wp_operand *noisy,
                      const struct wp_operand *clean)
{
    for (int p = 0; p < d->entries; p++)
        begin_limits(d, p, d->params.sigma);
    if (!wp_transform_forward(d->forward, noisy, WP_ARRAY(d->coefficients)) ||
        !shrink(d, d->entries) ||
        !wp_transform_inverse(d->inverse, WP_ARRAY(d->coefficients), clean))
        return false;
    report(d, 0, d->entries);
    return true;
}

// ITU-R BT.601: Y, (B - Y) / 1.772 and (R - Y) / 1.402.
static const float red = 0.299F, green = 0.587F, blue = 0.114F, to_blue = 1.772F, to_red = 1.402F;

static void to_ycbcr(float *r, float *g, float *b, int n)
{
    for (int i = 0; i < n; i++) {
        const float y = red * r[i] + green * g[i] + blue * b[i];
        const float cb = (b[i] - y) / to_blue, cr = (r[i] - y) / to_red;
        r[i] = y;
        g[i] = cb;
        b[i] = cr;
    }
}

static void from_ycbcr(float *y, float *cb, float *cr, int n)
{
    for (int i = 0; i < n; i++) {
        const float r = y[i] + to_red * cr[i], b = y[i] + to_blue * cb[i];
        const float g = (y[i] - red * r - blue * b) / green;
        y[i] = r;
        cb[i] = g;
        cr[i] = b;
    }
}

// The standard deviation of Y, Cb or Cr for independent noise of 1 in red, green and blue.
static double color_gain(int plane)
{
    float v[COLORS], squares = 0;
    for (int c = 0; c < COLORS; c++) {
        memset(v, 0, sizeof v);
        v[c] = 1;
        to_ycbcr(&v[0], &v[1], &v[2], 1);
        squares += v[plane] * v[plane];
    }
    return sqrt((double)squares);
}

// Copies of rows between planes and the caller's array.
struct copy {
    const struct wp_denoiser *d;
    const struct wp_operand *array;
    int first; // entry
    bool back; // to the array
};

static void copy_row(void *user, int i, int thread)
{
    const struct copy *c = user;
    const struct wp_denoiser *d = c->d;
    const int *size = d->size, colors = d->ycbcr ? COLORS : 1;
    const int height = size[WP_Y], depth = size[WP_Z], y = i % height, z = i / height % depth;
    const size_t samples = (size_t)size[WP_X] * (size_t)height * (size_t)depth;
    float *row[COLORS] = {NULL};
    ptrdiff_t at[COLORS] = {0};
    (void)thread;
    for (int k = 0; k < colors; k++) {
        const int plane = i / height / depth * colors + k;
        row[k] = (c->back ? d->spin.sum : d->spin.plane) + (size_t)plane * samples +
                 ((size_t)z * (size_t)height + (size_t)y) * (size_t)size[WP_X];
        at[k] = y * c->array->stride[WP_Y] + z * c->array->stride[WP_Z];
        for (int a = WP_PLANE, entry = c->first + plane; a < WP_DIMENSIONS; entry /= size[a++])
            at[k] += entry % size[a] * c->array->stride[a];
        if (!c->back)
            wp_operand_read(&wp_element_rows, row[k], c->array, at[k], false, size[WP_X]);
    }
    if (d->ycbcr)
        (c->back ? from_ycbcr : to_ycbcr)(row[0], row[1], row[2], size[WP_X]);
    for (int k = 0; k < colors && c->back; k++)
        wp_operand_write(&wp_element_rows, c->array, at[k], row[k], false, size[WP_X]);
}

static void copy_planes(const struct wp_denoiser *d, const struct wp_operand *array, int first,
                        int planes, bool back)
{
    struct copy c = {d, array, first, back};
    const int rows = planes / (d->ycbcr ? COLORS : 1) * d->size[WP_Y] * d->size[WP_Z];
    wp_threads_share(wp_threads_count(), rows, copy_row, &c);
}

static bool run_shift(struct wp_denoiser *d, int shift, int planes)
{
    wp_spin_shift_out(&d->spin, shift);
    if (!wp_transform_forward(d->spin_forward, WP_ARRAY(d->spin.image),
                              WP_ARRAY(d->coefficients)) ||
        !shrink(d, planes) ||
        !wp_transform_inverse(d->spin_inverse, WP_ARRAY(d->coefficients),
                              WP_ARRAY(d->spin.image)))
        return false;
    wp_spin_add(&d->spin, shift);
    return true;
}

// Denoises `planes` entries from `first` on, of up to d->planes.
static bool run_chunk(struct wp_denoiser *d, const struct wp_operand *noisy,
                      const struct wp_operand *clean, int first, int planes)
{
    copy_planes(d, noisy, first, planes, false);
    for (int p = 0; p < planes; p++)
        begin_limits(d, p, d->params.sigma * (d->ycbcr ? color_gain(p % COLORS) : 1));
    for (int i = 0; i < d->spin.shifts; i++) {
        if (!run_shift(d, i, planes))
            return false;
        if (i > 0)
            continue;
        report(d, first, planes);
        keep_limits(d, planes);
    }
    copy_planes(d, clean, first, planes, true);
    return true;
}

static bool run_chunks(struct wp_denoiser *d, const struct wp_operand *noisy,
                       const struct wp_operand *clean)
{
    for (int first = 0; first < d->entries; first += d->planes) {
        const int rest = d->entries - first, planes = rest < d->planes ? rest : d->planes;
        if (!run_chunk(d, noisy, clean, first, planes))
            return false;
    }
    return true;
}

bool wp_denoise_run(struct wp_denoiser *d, const struct wp_operand *noisy,
                    const struct wp_operand *clean)
{
    struct wp_operand from, to;
    if (!d)
        return wp_fail(WP_ERROR_USAGE, "the denoiser is NULL");
    return wp_transform_check_image(d->forward, noisy, false, &from) &&
           wp_transform_check_image(d->forward, clean, true, &to) && allocate(d) &&
           (d->spins ? run_chunks : run_whole)(d, &from, &to);
}

bool wp_denoise(const struct wp_denoise_params *params, const struct wp_operand *noisy,
                const struct wp_operand *clean)
{
    struct wp_denoiser *d = wp_denoise_create(params);
    const bool ok = d && wp_denoise_run(d, noisy, clean);
    wp_denoise_destroy(&d);
    return ok;
}
