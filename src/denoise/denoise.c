#include "denoise.h"

#include "blocks.h"
#include "choose.h"
#include "elements.h"
#include "log.h"
#include "memory.h"
#include "noise.h"
#include "operand.h"
#include "spin.h"
#include "suggest.h"
#include "threads.h"
#include "transform.h"
#include "wavepass_packets.h"
#include "ycbcr.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    SHIFTS = 16,             // the default
    CHUNK_SAMPLES = 1 << 22, // of planes that are denoised together if they are shifted
    COLORS = WP_YCBCR_PLANES,
};
static const char default_rule[] = "soft";

const char *const wp_denoise_methods[WP_DENOISE_METHODS] = {"bayes", "sure", "visu"};
const enum wp_edit_rule wp_denoise_rules[WP_DENOISE_METHODS] = {WP_EDIT_BAYES, WP_EDIT_SURE,
                                                                WP_EDIT_UNIVERSAL};
const char *const wp_denoise_colors[WP_DENOISE_COLORS] = {"planes", "ycbcr"};

struct wp_denoiser {
    struct wp_denoise_params params;      // its words are read, and `transform` is below
    struct wp_transform_params transform; // of the caller's arrays
    struct wp_edit edit;
    bool ycbcr;
    struct wp_denoise_choice choice;
    int size[WP_DIMENSIONS]; // of the caller's arrays
    int entries;             // their planes, of all entries of the batch
    // Transforms of the caller's arrays, which work on them directly.
    struct wp_transform *forward, *inverse;
    // With shifts or colors: transforms of `spin`, planes of a chunk.
    bool spins;
    struct wp_spin spin;
    struct wp_transform *spin_forward, *spin_inverse;
    struct wp_transform *noise; // wp_noise_params(); NULL if sigma is given or estimated in bands
    double noise_gain;
    // Packets: the transforms have the best tree of the latest chunk.
    bool searches;
    struct wp_transform_params spin_params;
    char tree[WP_TREE_SIZE];
    struct wp_blocks *blocks;   // NULL: planes are transformed as a whole
    int planes;          // of a chunk
    int together;        // of `coefficients`: as many of a chunk as are transformed at once
    float *coefficients; // without gaps; like the arrays of `spin` from the first run on
    struct wp_edit_limit *limit; // of each subband of the planes of a chunk
    double *gain;                // wp_edit_noise_gains()
    double *sigma;               // of each subband, of the parameters; 0: estimated
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
                 {"slices in groups", p->gop > 0}, {"textures", p->current_context},
                 {"start levels", p->start_level != 0}};
    for (size_t i = 0; i < sizeof unfit / sizeof *unfit; i++)
        if (unfit[i].given)
            return wp_fail(WP_ERROR_USAGE, "denoising does not support %s", unfit[i].name);
    return true;
}

static bool is_packets(const struct wp_transform_params *p)
{
    return p->bank && strcmp(p->bank, wp_bank_names[WP_BANK_PACKETS]) == 0;
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
    if (p->level_sigmas > 0 && !p->level_sigma)
        return wp_fail(WP_ERROR_USAGE, "sigma of %d levels is NULL", p->level_sigmas);
    if (p->level_sigma && (p->sigma > 0 || p->per_level))
        return wp_fail(WP_ERROR_USAGE, "sigma of each level is given, and %s",
                       p->per_level ? "is also to be estimated" : "also one of all levels");
    if ((p->level_sigma || p->per_level) && p->transform && is_packets(p->transform))
        return wp_fail(WP_ERROR_USAGE, "bank '%s' has one sigma: nodes of a level have all "
                       "frequencies\nhint: sigma of all levels, or bank '%s'",
                       wp_bank_names[WP_BANK_PACKETS], wp_bank_names[WP_BANK_DECIMATED]);
    if (p->shifts < WP_SHIFTS_ALL)
        return wp_fail(WP_ERROR_USAGE, "%d shifts cannot be averaged", p->shifts);
    return wp_transform_read_params(p->transform, &d->transform) && check_transform(&d->transform);
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

// The levels of each axis, as far as it has more than one sample and different results of shifts.
static void read_levels(const struct wp_description *d, int levels[WP_DIMS_MAX])
{
    for (int a = 0; a < WP_DIMS_MAX; a++) {
        const int all = wp_description_is_redundant(d) ? 0 : a == WP_Z ? d->levels_z : d->levels;
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
    memcpy(s->margin, d->choice.margin, sizeof s->margin);
    s->wraps = d->choice.wraps;
    read_levels(whole, s->levels);
    const int most = wp_spin_count(s->levels);
    s->shifts = d->params.shifts == 0 ? SHIFTS : d->params.shifts;
    s->shifts = s->shifts < 0 || s->shifts > most ? most : s->shifts;
    const bool redundant = wp_description_is_redundant(whole);
    const bool extends = s->margin[WP_X] > 0 || s->margin[WP_Y] > 0 || s->margin[WP_Z] > 0;
    const bool packets = whole->bank == WP_BANK_PACKETS;
    const bool estimates = (whole->bank == WP_BANK_STARLET || packets) && d->params.sigma == 0 &&
                           !d->params.per_level && !d->params.level_sigma;
    d->spins = s->shifts > 1 || d->ycbcr || extends || (redundant && d->entries > 1) || estimates ||
               packets;
    d->searches = packets && !d->transform.tree;
    d->planes = d->together = d->entries;
    if (!d->spins)
        return true;
    wp_spin_extend(s);
    const double fit = CHUNK_SAMPLES / ((double)s->size[WP_X] * s->size[WP_Y] * s->size[WP_Z]);
    d->planes = fit < unit ? unit : fit < d->entries ? (int)fit / unit * unit : d->entries;
    d->planes = d->searches ? unit : d->planes; // each has its own tree
    d->together = d->planes;
    if (redundant) { // Their coefficients have many times the size of the planes.
        const double few = fit / wp_subband_count(whole);
        d->together = few < 1 ? 1 : few < d->planes ? (int)few : d->planes;
    }
    s->planes = (d->planes + d->together - 1) / d->together * d->together;
    p.width = s->extent[WP_X];
    p.height = s->extent[WP_Y];
    p.depth = p.depth > 1 ? s->extent[WP_Z] : p.depth;
    p.planes = d->together;
    memset(p.batch, 0, sizeof p.batch);
    p.levels = whole->levels > 0 ? whole->levels : WP_LEVELS_NONE;
    p.levels_z = p.depth <= 1 ? 0 : whole->levels_z > 0 ? whole->levels_z : WP_LEVELS_NONE;
    wp_denoise_avoid_border(&d->choice, &p);
    d->spin_forward = derive(d, &p);
    d->spin_inverse = d->spin_forward ? derive(d, &p) : NULL;
    const struct wp_transform_params noise = wp_noise_params(&d->transform, d->choice.levels[WP_Z] > 0);
    d->noise = d->spin_inverse && estimates ? derive(d, &noise) : NULL;
    d->spin_params = p;
    return d->spin_inverse &&
           (!estimates || (d->noise && wp_noise_gain(d->noise, &d->noise_gain)));
}

// The description of the transform that computes the coefficients.
static const struct wp_description *description_of(const struct wp_denoiser *d)
{
    return wp_transform_description(d->spins ? d->spin_forward : d->forward);
}

static bool create_blocks(struct wp_denoiser *d)
{
    const struct wp_description *whole = description_of(d);
    struct wp_transform_params p = d->transform;
    if (!wp_blocks_fit(whole, p.backend, &d->edit))
        return true;
    p.width = whole->size[WP_X];
    p.height = whole->size[WP_Y];
    p.depth = p.depth > 1 ? wp_description_depth(whole) : p.depth;
    p.planes = 1;
    memset(p.batch, 0, sizeof p.batch);
    p.levels = whole->levels > 0 ? whole->levels : WP_LEVELS_NONE;
    p.levels_z = p.depth <= 1 ? 0 : whole->levels_z > 0 ? whole->levels_z : WP_LEVELS_NONE;
    d->spin.by_rows = true;
    d->blocks = wp_blocks_create(&p, &d->choice, &d->edit, d->params.per_level);
    return d->blocks;
}

static bool read_sigmas(struct wp_denoiser *d)
{
    const struct wp_denoise_params *p = &d->params;
    const struct wp_description *description = description_of(d);
    const int levels = wp_description_levels(description);
    if (p->level_sigma && p->level_sigmas != levels)
        return wp_fail(WP_ERROR_USAGE, "sigma is given for %d level%s, and the transform has %d"
                       "\nhint: one sigma for each level, or other levels", p->level_sigmas,
                       WP_PLURAL(p->level_sigmas), levels);
    for (int i = 0; i < levels && p->level_sigma; i++)
        if (!(p->level_sigma[i] > 0 && p->level_sigma[i] <= DBL_MAX))
            return wp_fail(WP_ERROR_USAGE, "sigma of level %d cannot be %g (more than 0)", i + 1,
                           p->level_sigma[i]);
    for (int i = 0; i < wp_subband_count(description); i++) {
        const struct wp_subband band = wp_subband_describe(description, i);
        const int level = band.level > band.level_z ? band.level : band.level_z;
        d->sigma[i] = p->level_sigma && level > 0 ? p->level_sigma[level - 1] : p->sigma;
    }
    return true;
}

static bool create(struct wp_denoiser *d, const struct wp_denoise_params *params)
{
    if (!read_params(d, params) || !read_words(d) ||
        !wp_denoise_choose(&d->transform, d->params.shifts, &d->choice))
        return false;
    read_sizes(d);
    if (d->ycbcr && d->size[WP_PLANE] != COLORS)
        return wp_fail(WP_ERROR_USAGE, "color 'ycbcr' converts red, green and blue, but there %s "
                       "%d plane%s\nhint: color 'planes'", d->size[WP_PLANE] == 1 ? "is" : "are",
                       d->size[WP_PLANE], WP_PLURAL(d->size[WP_PLANE]));
    struct wp_transform_params p = d->transform;
    wp_denoise_avoid_border(&d->choice, &p);
    d->forward = wp_transform_create(&p);
    d->inverse = d->forward ? derive(d, &p) : NULL;
    if (!d->inverse || !create_spin(d) || !create_blocks(d))
        return false;
    const size_t bands = (size_t)wp_subband_count(description_of(d));
    d->gain = wp_allocate(bands, sizeof *d->gain, "gains of noise");
    d->sigma = d->gain ? wp_allocate(bands, sizeof *d->sigma, "the noise of subbands") : NULL;
    return d->sigma && read_sigmas(d) && wp_edit_noise_gains(description_of(d), d->gain);
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
    wp_blocks_destroy(&d->blocks);
    wp_transform_destroy(&d->noise);
    wp_transform_destroy(&d->spin_inverse);
    wp_transform_destroy(&d->spin_forward);
    wp_transform_destroy(&d->inverse);
    wp_transform_destroy(&d->forward);
    wp_spin_free(&d->spin);
    free(d->coefficients);
    free(d->limit);
    free(d->gain);
    free(d->sigma);
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

double wp_denoise_bytes(const struct wp_denoiser *d)
{
    const double search = d->searches ? (double)wp_description_coefficients(description_of(d)) : 0;
    const double spin = d->spins ? wp_spin_samples(&d->spin) * (double)sizeof(float) : 0;
    return spin + search * (double)sizeof(float) +
           (d->blocks ? wp_blocks_bytes(d->blocks)
                             : (double)wp_description_coefficients(description_of(d)) *
                                   d->together * (double)sizeof(float));
}

// ---- run

// `whole`: with the coefficients of all planes of a chunk.
static bool allocate(struct wp_denoiser *d, bool whole)
{
    const struct wp_description *description = description_of(d);
    const size_t bands = (size_t)wp_subband_count(description);
    if (!d->limit) {
        d->limit = wp_allocate((size_t)d->planes * bands, sizeof *d->limit, "thresholds");
        if (d->limit && d->spins && !wp_spin_allocate(&d->spin)) {
            // The next run allocates again.
            wp_spin_free(&d->spin);
            free(d->limit);
            d->limit = NULL;
        }
    }
    if (d->limit && whole && !d->coefficients)
        d->coefficients = wp_allocate_pages((size_t)d->together *
                                                wp_description_coefficients(description),
                                            sizeof *d->coefficients, "coefficients");
    return d->limit && (d->coefficients || !whole);
}

// Shrinks the details of the first `planes` planes of the coefficients, those of the chunk from
// `first` on.
static bool shrink(const struct wp_denoiser *d, int first, int planes)
{
    const struct wp_edit_target target = {description_of(d), d->spins ? d->spin.extent[WP_Z]
                                                                      : d->size[WP_Z],
                                          planes, d->coefficients};
    const struct wp_edit_noise noise = {.per_level = d->params.per_level, .gain = d->gain,
                                        .limit = d->limit +
                                                 first * wp_subband_count(description_of(d))};
    return wp_edit_apply(&d->edit, &noise, &target, NULL);
}

// Sets sigma in each subband of a plane: `estimate`, or if that is 0 sigma of the caller times
// `factor`, or 0, to be estimated.
static void begin_limits(const struct wp_denoiser *d, int plane, double factor, double estimate)
{
    const int bands = wp_subband_count(description_of(d));
    for (int i = 0; i < bands; i++)
        d->limit[plane * bands + i] =
            (struct wp_edit_limit){.sigma = estimate > 0 ? estimate : d->sigma[i] * factor};
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
            // An estimate of 0 is kept as DBL_MIN.
            const double sigma = limit->sigma > DBL_MIN ? limit->sigma : 0;
            if (info.width > 0 && info.height > 0 && info.depth > 0)
                d->params.on_band(d->params.user, first + p, &info, sigma, limit->threshold);
        }
    }
}

static bool run_whole(struct wp_denoiser *d, const struct wp_operand *noisy,
                      const struct wp_operand *clean)
{
    for (int p = 0; p < d->entries; p++)
        begin_limits(d, p, 1, 0);
    if (!wp_transform_forward(d->forward, noisy, WP_ARRAY(d->coefficients)) ||
        !shrink(d, 0, d->entries) ||
        !wp_transform_inverse(d->inverse, WP_ARRAY(d->coefficients), clean))
        return false;
    report(d, 0, d->entries);
    return true;
}

// Denoises the planes one by one.
static bool run_blocks(struct wp_denoiser *d, const struct wp_operand *noisy,
                       const struct wp_operand *clean)
{
    const int bands = wp_subband_count(description_of(d));
    bool ok = true;
    for (int p = 0; p < d->entries && ok; p++) {
        struct wp_operand from = *noisy, to = *clean;
        for (int a = WP_PLANE, entry = p; a < WP_DIMENSIONS; entry /= d->size[a++]) {
            from = wp_operand_advance(&from, a, entry % d->size[a], NULL);
            to = wp_operand_advance(&to, a, entry % d->size[a], NULL);
        }
        begin_limits(d, p, 1, 0);
        ok = wp_blocks_run(d->blocks, &(struct wp_block_plane){.from = &from, .to = &to}, d->gain,
                           d->limit + p * bands);
    }
    if (ok)
        report(d, 0, d->entries);
    return ok;
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
        (c->back ? wp_ycbcr_to_rgb : wp_ycbcr_from_rgb)(row[0], row[1], row[2], size[WP_X]);
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
    const int *extent = d->spin.extent;
    const size_t samples = (size_t)extent[WP_X] * (size_t)extent[WP_Y] * (size_t)extent[WP_Z];
    const int bands = wp_subband_count(description_of(d));
    bool ok = true;
    for (int p = 0; p < planes && d->blocks && ok; p++)
        ok = wp_blocks_run(d->blocks, &(struct wp_block_plane){.spin = &d->spin, .plane = p,
                                                               .number = shift},
                           d->gain, d->limit + p * bands);
    if (d->blocks)
        return ok;
    wp_spin_shift_out(&d->spin, shift);
    for (int p = 0; p < planes; p += d->together) {
        const int rest = planes - p, count = rest < d->together ? rest : d->together;
        float *image = d->spin.image + (size_t)p * samples;
        if (!wp_transform_forward(d->spin_forward, WP_ARRAY(image), WP_ARRAY(d->coefficients)) ||
            !shrink(d, p, count) ||
            !wp_transform_inverse(d->spin_inverse, WP_ARRAY(d->coefficients), WP_ARRAY(image)))
            return false;
    }
    wp_spin_add(&d->spin, shift);
    return true;
}

// Splits the low-pass node of each level, which has no threshold.
static void split_low(char tree[WP_TREE_SIZE], int levels, int children)
{
    for (int l = 0; l < levels; l++) {
        const size_t digits = l + 1 < levels ? (size_t)children : 0;
        if (tree[l] == '1')
            continue;
        memmove(tree + l + 1 + digits, tree + l + 1, strlen(tree + l + 1) + 1);
        tree[l] = '1';
        memset(tree + l + 1, '0', digits);
    }
}

// Finds the best tree of the first plane of a chunk, and makes transforms with it: for colors that
// of Y, which the other planes share.
static bool find_tree(struct wp_denoiser *d, double sigma)
{
    // Hard thresholds of about 3 sigma, in the orthonormal norm, have the error of this cost: D. L.
    // Donoho and I. M. Johnstone, Ideal denoising in an orthonormal basis chosen from a library of
    // bases, C. R. Acad. Sci. Paris I 319, 1994.
    const struct wp_packet_cost cost = {.name = "error", .parameter = fmax(3 * sigma, DBL_MIN)};
    struct wp_transform_params p = d->spin_params;
    p.planes = 1;
    wp_spin_shift_out(&d->spin, 0);
    if (!wp_packets_best(&p, WP_ARRAY(d->spin.image), &cost, d->tree))
        return false;
    const struct wp_description *full = wp_transform_description(d->spin_forward);
    split_low(d->tree, wp_description_levels(full), wp_packet_children(full));
    p.planes = d->spin_params.planes;
    p.tree = d->tree;
    struct wp_transform *forward = derive(d, &p), *inverse = forward ? derive(d, &p) : NULL;
    if (!inverse) {
        wp_transform_destroy(&forward);
        return false;
    }
    wp_transform_destroy(&d->spin_inverse);
    wp_transform_destroy(&d->spin_forward);
    d->spin_forward = forward;
    d->spin_inverse = inverse;
    return wp_edit_noise_gains(description_of(d), d->gain);
}

// Denoises `planes` entries from `first` on, of up to d->planes.
static bool run_chunk(struct wp_denoiser *d, const struct wp_operand *noisy,
                      const struct wp_operand *clean, int first, int planes)
{
    copy_planes(d, noisy, first, planes, false);
    for (int p = 0; p < planes; p++) {
        const size_t plane = wp_spin_plane(&d->spin);
        const double first_sigma = d->params.sigma * (d->ycbcr ? wp_ycbcr_noise(0) : 1);
        double sigma = 0;
        if (d->noise && !wp_noise_estimate(d->noise, d->spin.plane + (size_t)p * plane,
                                           d->coefficients, d->noise_gain, &sigma))
            return false;
        if (d->searches && p == 0 && !find_tree(d, d->noise ? sigma : first_sigma))
            return false;
        begin_limits(d, p, d->ycbcr ? wp_ycbcr_noise(p % COLORS) : 1,
                     d->noise ? fmax(sigma, DBL_MIN) : 0);
    }
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

// Are blocks written before others are read, or at the same place?
static bool can_overwrite(const struct wp_denoiser *d, const struct wp_operand *from,
                          const struct wp_operand *to)
{
    const bool same = from->data == to->data && from->type == to->type &&
                      memcmp(from->stride, to->stride, sizeof to->stride) == 0;
    return same || wp_operands_are_apart(from, d->size, to, d->size);
}

bool wp_denoise_run(struct wp_denoiser *d, const struct wp_operand *noisy,
                    const struct wp_operand *clean)
{
    struct wp_operand from, to;
    if (!d)
        return wp_fail(WP_ERROR_USAGE, "the denoiser is NULL");
    if (!wp_transform_check_image(d->forward, noisy, false, &from) ||
        !wp_transform_check_image(d->forward, clean, true, &to))
        return false;
    const bool blocks = d->blocks && (d->spins || can_overwrite(d, &from, &to));
    return allocate(d, !blocks) && (d->spins  ? run_chunks(d, &from, &to)
                                    : blocks ? run_blocks(d, &from, &to)
                                             : run_whole(d, &from, &to));
}

bool wp_denoise(const struct wp_denoise_params *params, const struct wp_operand *noisy,
                const struct wp_operand *clean)
{
    struct wp_denoiser *d = wp_denoise_create(params);
    const bool ok = d && wp_denoise_run(d, noisy, clean);
    wp_denoise_destroy(&d);
    return ok;
}
