#include "edit_rules.h"

#include "log.h"
#include "memory.h"
#include "min_max.h"
#include "suggest.h"
#include "text.h"
#include "threads.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int wp_edit_halvings(const struct wp_description *d, const struct wp_subband *subband, int axis)
{
    const int level = axis == WP_Z ? wp_min(subband->level_z, d->levels_z)
                                   : wp_min(subband->level, d->levels);
    int count = 0;
    while (count < level && wp_description_size(d, axis, count) > 1)
        count++;
    return count;
}

double wp_edit_unit(const struct wp_description *d, int index)
{
    if (d->bank == WP_BANK_STARLET)
        return 1 / wp_edit_starlet_noise(d, index);
    struct wp_description forward = *d;
    forward.direction = WP_FORWARD;
    const struct wp_lifting given = wp_description_lifting(&forward);
    forward.norm = WP_NORM_ORTHONORMAL;
    const struct wp_lifting orthonormal = wp_description_lifting(&forward);
    const double low = orthonormal.gain[0] / given.gain[0];
    const double high = fabs(orthonormal.gain[1] / given.gain[1]);
    // The undecimated bank's norm of this name is sqrt(2) smaller, so that it keeps the energy of all
    // its bands.
    const double tight =
        d->bank == WP_BANK_UNDECIMATED && d->norm == WP_NORM_ORTHONORMAL ? sqrt(2) : 1;
    const struct wp_subband subband = wp_subband_describe(d, index);
    double unit = 1;
    for (int a = 0; a < WP_DIMS_MAX; a++) {
        const int count = wp_edit_halvings(d, &subband, a);
        const int highs = d->bank == WP_BANK_PACKETS ? __builtin_popcount(subband.index[a])
                                                     : (int)(subband.band >> a & 1);
        unit *= pow(tight, count);
        unit *= pow(low, count - highs) * pow(high, highs);
    }
    return unit;
}

static struct wp_edit_piece piece_of(const struct wp_description *d, int index)
{
    return (struct wp_edit_piece){wp_subband_describe(d, index).grid, wp_edit_unit(d, index)};
}

// True if subbands have the same name, except for the level of axes along which both are low: a
// group with fewer levels has its low bands at another level.
static bool is_same_band(const struct wp_subband *a, const struct wp_subband *b)
{
    const unsigned across = 1U << WP_X | 1U << WP_Y, along = 1U << WP_Z;
    return a->band == b->band && strcmp(a->node, b->node) == 0 &&
           (!(a->band & across) || a->level == b->level) &&
           (!(a->band & along) || a->level_z == b->level_z);
}

// Likewise nodes of packets: a group of one slice is low along z.
static bool is_same_node(const struct wp_subband *a, const struct wp_subband *b)
{
    return a->level == b->level && memcmp(a->index, b->index, sizeof a->index) == 0;
}

static bool add_last_group(struct wp_edit_bands *b, int depth)
{
    const struct wp_description d = wp_description_group(b->target->description, depth);
    const bool packets = d.bank == WP_BANK_PACKETS;
    for (int i = 0; i < wp_subband_count(&d); i++) {
        const struct wp_subband subband = wp_subband_describe(&d, i);
        int k = 0;
        while (k < b->count &&
               !(packets ? is_same_node : is_same_band)(&b->band[k].subband, &subband))
            k++;
        if (k == b->count)
            return wp_fail(WP_ERROR_USAGE, "band %d of the last group of %d slice%s is in no other "
                                           "group", i, depth, WP_PLURAL(depth));
        b->band[k].last = piece_of(&d, i);
    }
    return true;
}

static size_t rows_of(const struct wp_edit_piece *piece)
{
    const int *size = piece->grid.size;
    return size[WP_X] > 0 ? (size_t)size[WP_Y] * (size_t)size[WP_Z] : 0;
}

bool wp_edit_bands_make(const struct wp_edit_target *target, struct wp_edit_bands *b)
{
    const struct wp_description *d = target->description;
    const int depth = wp_description_depth(d), rest = target->depth % depth;
    *b = (struct wp_edit_bands){.target = target, .groups = target->depth / depth,
                                .count = wp_subband_count(d)};
    for (int a = 0; a < WP_DIMS_MAX; a++)
        b->extent[a] = (size_t)wp_description_extent(d, a);
    if (b->groups > 1 || rest)
        b->extent[WP_Z] = (size_t)target->depth;
    b->band = wp_allocate((size_t)b->count, sizeof *b->band, "a list of bands");
    if (!b->band)
        return false;
    for (int i = 0; i < b->count; i++) {
        b->band[i].subband = wp_subband_describe(d, i);
        b->band[i].full = piece_of(d, i);
        wp_subband_name(&b->band[i].subband, b->band[i].name);
    }
    if (rest && !add_last_group(b, rest)) {
        wp_edit_bands_free(b);
        return false;
    }
    for (int i = 0; i < b->count; i++)
        b->band[i].rows = (size_t)b->groups * rows_of(&b->band[i].full) +
                          rows_of(&b->band[i].last);
    return true;
}

void wp_edit_bands_free(struct wp_edit_bands *b)
{
    free(b->band);
    b->band = NULL;
}

struct wp_edit_row wp_edit_row(const struct wp_edit_bands *b, int band, int plane, size_t row)
{
    const struct wp_edit_band *of = &b->band[band];
    const struct wp_description *d = b->target->description;
    const size_t in_group = rows_of(&of->full);
    const size_t group = in_group ? row / in_group : 0;
    const bool is_last = group >= (size_t)b->groups || in_group == 0;
    const struct wp_edit_piece *piece = is_last ? &of->last : &of->full;
    const size_t first = is_last ? (size_t)b->groups : group;
    const size_t within = row - first * in_group;
    const struct wp_band_grid *g = &piece->grid;
    const size_t height = (size_t)g->size[WP_Y];
    const size_t z = first * (size_t)wp_description_depth(d) + (size_t)g->first[WP_Z] +
                     within / height * (size_t)g->every[WP_Z];
    const size_t y = (size_t)g->first[WP_Y] + within % height * (size_t)g->every[WP_Y];
    const size_t slice = (size_t)plane * b->extent[WP_Z] + z;
    const size_t line = slice * b->extent[WP_Y] + y;
    return (struct wp_edit_row){
        .at = b->target->coefficients + line * b->extent[WP_X] + g->first[WP_X],
        .count = g->size[WP_X],
        .step = g->every[WP_X],
        .unit = piece->unit,
    };
}

int wp_edit_bands_find(const struct wp_edit_bands *b, const char *name, size_t length)
{
    char word[2 * WP_BAND_NAME_SIZE];
    snprintf(word, sizeof word, "%.*s", (int)(length < sizeof word ? length : sizeof word), name);
    struct wp_lookup lookup = {.name = word};
    struct wp_text list = {0};
    int found = -1;
    for (int i = 0; i < b->count && found < 0; i++) {
        // Images of one row or column have no high bands along that axis.
        if (b->band[i].rows == 0)
            continue;
        wp_text_add(&list, "%s%s", list.length ? ", " : "there are ", b->band[i].name);
        if (wp_lookup_is(&lookup, b->band[i].name))
            found = i;
    }
    if (found < 0)
        wp_lookup_fail(&lookup, wp_text_get(&list), "unknown band '%s'", word);
    wp_text_free(&list);
    return found;
}

bool wp_edit_next_name(const char **list, const char **name, size_t *length)
{
    *name = *list;
    if (!*name)
        return false;
    *length = strcspn(*name, ",");
    *list = (*name)[*length] ? *name + *length + 1 : NULL;
    return true;
}

static bool parse_number(const char *text, size_t length, double *value)
{
    char number[WP_NUMBER_SIZE];
    if (length == 0 || length >= sizeof number)
        return false;
    memcpy(number, text, length);
    number[length] = '\0';
    return wp_parse_double(number, value);
}

bool wp_edit_next_number(const char **list, const struct wp_edit_bands *b, const char *what,
                         const char *hint, int *band, double *number)
{
    const char *item;
    size_t length;
    *band = -1;
    if (!wp_edit_next_name(list, &item, &length))
        return true;
    const size_t name = strcspn(item, "=,");
    if (name >= length || !parse_number(item + name + 1, length - name - 1, number))
        return wp_fail(WP_ERROR_USAGE, "invalid %s '%.*s'\nhint: use %s", what, (int)length, item,
                       hint);
    *band = wp_edit_bands_find(b, item, name);
    return *band >= 0;
}

// The number of coefficients of a band in one plane.
static double edit_band_samples(const struct wp_edit_bands *b, int band)
{
    const struct wp_edit_band *of = &b->band[band];
    return (double)b->groups * (double)rows_of(&of->full) * of->full.grid.size[WP_X] +
           (double)rows_of(&of->last) * of->last.grid.size[WP_X];
}

double wp_edit_plane_coefficients(const struct wp_edit_bands *b)
{
    double count = 0;
    for (int band = 0; band < b->count; band++)
        count += edit_band_samples(b, band);
    return count;
}

uint32_t wp_edit_magnitude(float coefficient, double unit)
{
    const float magnitude = fabsf(coefficient) * (float)unit;
    uint32_t bits;
    memcpy(&bits, &magnitude, sizeof bits);
    return bits & 0x7fffffff;
}

static float magnitude_of(uint32_t bits)
{
    float magnitude;
    memcpy(&magnitude, &bits, sizeof magnitude);
    return magnitude;
}

struct wp_edit_pool wp_edit_pool_of(const struct wp_edit_bands *b, int band, int plane)
{
    return (struct wp_edit_pool){.bands = b, .first_band = band, .last_band = band,
                                 .first_plane = plane, .last_plane = plane};
}

// Calls `visit` for each row of the pool.
static void each_row(const struct wp_edit_pool *p,
                     void (*visit)(void *user, const struct wp_edit_row *row), void *user)
{
    for (size_t i = 0; p->values && i < p->rows; i++) {
        // Visits of pools only read.
        float *at = (float *)(uintptr_t)(p->values + i * (size_t)p->width);
        visit(user, &(struct wp_edit_row){at, p->width, 1, 1});
    }
    for (int plane = p->first_plane; !p->values && plane <= p->last_plane; plane++) {
        for (int band = p->first_band; band <= p->last_band; band++) {
            for (size_t i = 0; i < p->bands->band[band].rows; i++) {
                const struct wp_edit_row row = wp_edit_row(p->bands, band, plane, i);
                visit(user, &row);
            }
        }
    }
}

struct counting {
    uint32_t least;
    size_t count;
};

static void count_row(void *user, const struct wp_edit_row *row)
{
    struct counting *c = user;
    for (int x = 0; x < row->count; x++)
        c->count += wp_edit_magnitude(row->at[x * row->step], row->unit) >= c->least;
}

double wp_edit_count(const struct wp_edit_pool *pool, uint32_t least)
{
    struct counting c = {.least = least};
    each_row(pool, count_row, &c);
    return (double)c.count;
}

// A histogram of the upper half of the magnitudes' bits or, with `lower`, of the lower half of
// those whose upper half is `upper`.
enum { HALF = 16, BINS = 1 << HALF };
struct bins {
    bool lower, nonzero;
    uint32_t upper;
    size_t count[BINS];
};

static void sort_row(void *user, const struct wp_edit_row *row)
{
    struct bins *b = user;
    for (int x = 0; x < row->count; x++) {
        const uint32_t m = wp_edit_magnitude(row->at[x * row->step], row->unit);
        if ((b->nonzero && m == 0) || (b->lower && m >> HALF != b->upper))
            continue;
        b->count[b->lower ? m & (BINS - 1) : m >> HALF]++;
    }
}

// Finds the bin of the rank `*below`, which becomes the rank within that bin.
static uint32_t find_bin(const struct bins *b, double *below)
{
    uint32_t bin = 0;
    for (; bin < BINS - 1 && *below >= (double)b->count[bin]; bin++)
        *below -= (double)b->count[bin];
    return bin;
}

// Threads count the rows of large pools of values.
enum { COUNTERS = 8, COUNTED_ALONE = 1 << 18 };
struct counters {
    const struct wp_edit_pool *pool;
    struct bins *bins[COUNTERS];
    int count;
};

static void count_part(void *user, int i, int thread)
{
    const struct counters *c = user;
    const size_t first = c->pool->rows * (size_t)i / (size_t)c->count;
    struct wp_edit_pool part = *c->pool;
    (void)thread;
    part.rows = c->pool->rows * (size_t)(i + 1) / (size_t)c->count - first;
    part.values += first * (size_t)part.width;
    each_row(&part, sort_row, c->bins[i]);
}

// Counts the magnitudes of the pool in `b`, of which the counts are 0.
static void count_bins(const struct wp_edit_pool *pool, struct bins *b)
{
    const int threads = wp_threads_count(), most = threads < COUNTERS ? threads : COUNTERS;
    struct counters c = {pool, {b}, 1};
    if (pool->values && pool->rows * (size_t)pool->width > COUNTED_ALONE)
        for (; c.count < most && (c.bins[c.count] = wp_try_allocate(1, sizeof *b)); c.count++) {
            c.bins[c.count]->lower = b->lower;
            c.bins[c.count]->nonzero = b->nonzero;
            c.bins[c.count]->upper = b->upper;
        }
    if (c.count == 1) {
        each_row(pool, sort_row, b);
        return;
    }
    wp_threads_share(c.count, c.count, count_part, &c);
    for (int t = 1; t < c.count; t++) {
        for (int i = 0; i < BINS; i++)
            b->count[i] += c.bins[t]->count[i];
        free(c.bins[t]);
    }
}

// Counts the magnitudes of the pool by their upper halves.
static struct bins *make_bins(const struct wp_edit_pool *pool)
{
    struct bins *b = wp_try_allocate(1, sizeof *b);
    if (!b)
        return NULL;
    b->nonzero = pool->nonzero;
    count_bins(pool, b);
    return b;
}

// Finds the magnitude of rank `below` after make_bins(). `*next`, which may be NULL, is set to that
// of the next rank if it has the same upper half, or else to 0.
static uint32_t select_in(const struct wp_edit_pool *pool, struct bins *b, double below,
                          uint32_t *next)
{
    b->upper = find_bin(b, &below);
    b->lower = true;
    memset(b->count, 0, sizeof b->count);
    count_bins(pool, b);
    double after = below + 1;
    const uint32_t bin = find_bin(b, &below), next_bin = find_bin(b, &after);
    if (next)
        *next = after < (double)b->count[next_bin] ? b->upper << HALF | next_bin : 0;
    return b->upper << HALF | bin;
}

bool wp_edit_select(const struct wp_edit_pool *pool, double below, uint32_t *magnitude)
{
    struct bins *b = make_bins(pool);
    if (!b)
        return false;
    *magnitude = select_in(pool, b, below, NULL);
    free(b);
    return true;
}

// The number of axes of more than one sample along which a band is high; of packets the sum of
// frequencies along the axes, from 0 to 1.
static double height_of(const struct wp_description *d, const struct wp_subband *band)
{
    double sum = 0;
    for (int a = 0; a < WP_DIMS_MAX; a++)
        sum += band->band >> a & 1 && wp_edit_halvings(d, band, a) > 0;
    if (!band->node[0])
        return sum;
    sum = 0;
    for (int a = 0; a < WP_DIMS_MAX; a++)
        sum += ldexp(wp_packet_frequency(band->index[a]) + 0.5, -band->level);
    return sum;
}

// Has band i more noise than image content compared with `best`, which may be -1?
static bool is_noisier(const struct wp_edit_bands *b, int i, int best)
{
    const struct wp_subband *p = &b->band[i].subband;
    if (b->band[i].rows == 0 || best < 0)
        return b->band[i].rows > 0;
    const struct wp_subband *q = &b->band[best].subband;
    const struct wp_description *d = b->target->description;
    const double height = height_of(d, p), highest = height_of(d, q);
    return height > highest ||
           (height == highest && p->level + p->level_z < q->level + q->level_z);
}

int wp_edit_noisiest(const struct wp_edit_bands *b)
{
    int best = -1;
    for (int i = 1; i < b->count; i++)
        best = is_noisier(b, i, best) ? i : best;
    return best;
}

void wp_edit_noisiest_of_levels(const struct wp_edit_bands *b, int *noisiest)
{
    enum { LEVELS = WP_MAX_LEVELS + 1 };
    int best[LEVELS][LEVELS];
    memset(best, -1, sizeof best);
    for (int i = 1; i < b->count; i++) {
        int *of = &best[b->band[i].subband.level][b->band[i].subband.level_z];
        *of = is_noisier(b, i, *of) ? i : *of;
    }
    noisiest[0] = -1;
    for (int i = 1; i < b->count; i++)
        noisiest[i] = best[b->band[i].subband.level][b->band[i].subband.level_z];
}

// The median of the nonzero magnitudes over that of a normal distribution: D. L. Donoho and I. M.
// Johnstone, Ideal spatial adaptation by wavelet shrinkage, Biometrika 81(3), 1994. Zeros are
// excluded, since masks and margins that are exactly 0 have no noise.
bool wp_edit_estimate_pool(const struct wp_edit_pool *pool, double *sigma)
{
    const double quartile = 0.6744897501960817; // of the standard normal distribution
    struct bins *b = make_bins(pool);
    size_t count = 0;
    uint32_t below, above;
    *sigma = 0;
    for (int i = 0; b && i < BINS; i++)
        count += b->count[i];
    bool ok = b;
    if (count > 0) {
        below = select_in(pool, b, (double)((count - 1) / 2), &above);
        if (count % 2 == 1)
            above = below;
        else if (above == 0)
            ok = wp_edit_select(pool, (double)(count / 2), &above);
        *sigma = ((double)magnitude_of(below) + (double)magnitude_of(above)) / 2 / quartile;
    }
    free(b);
    return ok;
}

bool wp_edit_estimate(const struct wp_edit_bands *bands, int band, int plane, double *sigma)
{
    struct wp_edit_pool pool = wp_edit_pool_of(bands, band, plane);
    pool.nonzero = true;
    return wp_edit_estimate_pool(&pool, sigma);
}

// VisuShrink of the same paper: n samples of noise exceed this threshold with small probability.
double wp_edit_universal(double samples, double sigma)
{
    return samples > 1 ? sigma * sqrt(2 * log(samples)) : 0;
}

struct copying {
    float *to;
    double scale;
};

static void copy_row(void *user, const struct wp_edit_row *row)
{
    struct copying *g = user;
    for (int x = 0; x < row->count; x++)
        *g->to++ = fabsf(row->at[x * row->step]) * (float)(row->unit * g->scale);
}

// Sorts magnitudes, NaN last, by the bits of each digit from the lowest to the highest one; `spare`
// has space for as many.
static void sort_magnitudes(float *x, float *spare, size_t count)
{
    enum { DIGITS = 4, BITS = 8, VALUES = 1 << BITS };
    size_t at[DIGITS][VALUES] = {{0}};
    for (size_t i = 0; i < count; i++) {
        const uint32_t m = wp_edit_magnitude(x[i], 1);
        for (int d = 0; d < DIGITS; d++)
            at[d][m >> d * BITS & (VALUES - 1)]++;
    }
    for (int d = 0; d < DIGITS; d++) {
        size_t before = 0;
        for (int v = 0; v < VALUES; v++) {
            const size_t here = at[d][v];
            at[d][v] = before;
            before += here;
        }
        for (size_t i = 0; i < count; i++)
            spare[at[d][wp_edit_magnitude(x[i], 1) >> d * BITS & (VALUES - 1)]++] = x[i];
        float *sorted = spare; // of an even number of digits x at the end
        spare = x;
        x = sorted;
    }
}

// SureShrink: D. L. Donoho and I. M. Johnstone, Adapting to unknown smoothness via wavelet
// shrinkage, J. Amer. Statist. Assoc. 90(432), 1995. Stein's unbiased risk estimate of soft
// thresholding n samples of standard deviation 1 has its minimum at one of the magnitudes:
// n - 2 #{|x| <= t} + the sum of min(|x|, t)^2. For sparse bands, where the estimate is unreliable,
// the universal threshold of n samples is used (their hybrid scheme).
static double least_risk(const float *x, size_t count)
{
    const double n = (double)count, universal = wp_edit_universal(n, 1);
    double energy = 0;
    for (size_t i = 0; i < count; i++)
        energy += (double)x[i] * (double)x[i];
    if (energy / n - 1 <= pow(log2(n), 1.5) / sqrt(n))
        return universal;
    double least = n, best = 0, below = 0;
    for (size_t i = 0; i < count && (double)x[i] <= universal; i++) {
        const double t = (double)x[i], k = (double)(i + 1);
        below += t * t;
        const double risk = n - 2 * k + below + (n - k) * t * t;
        if (risk < least) {
            least = risk;
            best = t;
        }
    }
    return best;
}

bool wp_edit_sure(const struct wp_edit_bands *b, int band, int plane, double sigma,
                  double *threshold)
{
    const size_t count = (size_t)edit_band_samples(b, band);
    *threshold = 0;
    if (sigma == 0 || count == 0)
        return true;
    float *x = wp_try_allocate(count, 2 * sizeof *x);
    if (!x)
        return false;
    const struct wp_edit_pool pool = wp_edit_pool_of(b, band, plane);
    each_row(&pool, copy_row, &(struct copying){x, 1 / sigma});
    sort_magnitudes(x, x + count, count);
    *threshold = sigma * least_risk(x, count);
    free(x);
    return true;
}

// The energy of a band of a plane in parts of rows, whose sums do not depend on the threads.
enum { PARTS = 64 };
struct energy {
    const struct wp_edit_bands *bands;
    int band, plane;
    double part[PARTS];
};

static size_t part_begin(size_t rows, int part)
{
    return rows * (size_t)part / PARTS;
}

double wp_edit_row_energy(const struct wp_edit_row *row)
{
    return wp_shrink_energy(row->at, row->step, row->count) * row->unit * row->unit;
}

static void add_energy(void *user, int part, int thread)
{
    struct energy *e = user;
    const size_t rows = e->bands->band[e->band].rows, end = part_begin(rows, part + 1);
    (void)thread;
    for (size_t i = part_begin(rows, part); i < end; i++) {
        const struct wp_edit_row row = wp_edit_row(e->bands, e->band, e->plane, i);
        e->part[part] += wp_edit_row_energy(&row);
    }
}

double wp_edit_sum_rows(const double *energy, size_t rows)
{
    double sum = 0;
    for (int p = 0; p < PARTS; p++) {
        double part = 0;
        for (size_t i = part_begin(rows, p); i < part_begin(rows, p + 1); i++)
            part += energy[i];
        sum += part;
    }
    return sum;
}

// BayesShrink: S. G. Chang, B. Yu and M. Vetterli, Adaptive wavelet thresholding for image
// denoising and compression, IEEE Trans. Image Process. 9(9), 2000. The threshold sigma^2 / sigma_x
// is close to the best one for coefficients with a generalized Gaussian distribution of variance
// sigma_x^2, which is that of the band without that of the noise.
double wp_edit_bayes_of(double energy, double count, double sigma)
{
    if (sigma == 0 || count == 0)
        return 0;
    const double variance = energy / count - sigma * sigma;
    return variance > 0 ? sigma * sigma / sqrt(variance) : INFINITY;
}

double wp_edit_bayes(const struct wp_edit_bands *b, int band, int plane, double sigma)
{
    struct energy e = {b, band, plane, {0}};
    const double count = edit_band_samples(b, band);
    double energy = 0;
    if (sigma > 0 && count > 0)
        wp_threads_share(wp_threads_count(), PARTS, add_energy, &e);
    for (int i = 0; i < PARTS; i++)
        energy += e.part[i];
    return wp_edit_bayes_of(energy, count, sigma);
}
