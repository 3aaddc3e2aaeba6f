// Thresholds of all bands but the lowest.
#include "edit_rules.h"
#include "log.h"
#include "memory.h"
#include "threads.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// A band of a plane; threads shrink its rows.
struct band {
    const struct wp_edit_bands *bands;
    int band, plane;
    enum wp_shrink shrink;
    double threshold;
};

enum { ROWS_AT_ONCE = 64 };

static void shrink_rows(void *user, int i, int thread)
{
    const struct band *b = user;
    const size_t rows = b->bands->band[b->band].rows, first = (size_t)i * ROWS_AT_ONCE;
    (void)thread;
    for (size_t k = first; k < rows && k < first + ROWS_AT_ONCE; k++) {
        const struct wp_edit_row row = wp_edit_row(b->bands, b->band, b->plane, k);
        wp_shrink_row(b->shrink, row.at, row.step, row.count, (float)(b->threshold / row.unit));
    }
}

static void shrink_band(struct band b)
{
    const size_t rows = b.bands->band[b.band].rows;
    wp_threads_share(wp_threads_count(), (int)((rows + ROWS_AT_ONCE - 1) / ROWS_AT_ONCE),
                     shrink_rows, &b);
}

double wp_edit_plane_samples(const struct wp_edit_target *t)
{
    const struct wp_description *d = t->description;
    return (double)d->size[WP_X] * d->size[WP_Y] * t->depth;
}

struct job {
    const struct wp_edit *edit;
    const struct wp_edit_noise *noise;
    const struct wp_edit_bands *bands;
    struct wp_edit_limit *limit; // of each band of each plane
    bool *failed;                // planes for which memory was exhausted
    const double *each;          // WP_EDIT_EACH: the threshold of each band; -1: none
    int *noisiest;               // of each band, the one in which its noise is estimated
    bool find_only;
};

static bool has_threshold(const struct job *j, int band)
{
    return j->bands->band[band].rows > 0 && !(j->each && j->each[band] < 0);
}

static double gain_of(const struct job *j, int band)
{
    return j->noise->gain ? j->noise->gain[band] : 1;
}

static bool find_sigma(const struct job *j, int band, int plane, double *sigma)
{
    struct wp_edit_limit *limit = j->limit + (size_t)plane * (size_t)j->bands->count;
    if (j->noise->sigma > 0 || limit[band].sigma > 0 || j->edit->rule < WP_EDIT_UNIVERSAL) {
        *sigma = j->noise->sigma > 0 ? j->noise->sigma : limit[band].sigma;
        return true;
    }
    const int from = j->noisiest[band];
    if (limit[from].sigma == 0) {
        if (!wp_edit_estimate(j->bands, from, plane, &limit[from].sigma))
            return false;
        limit[from].sigma /= gain_of(j, from);
    }
    *sigma = limit[from].sigma;
    return true;
}

static bool find_threshold(const struct job *j, int band, int plane, double sigma,
                           double *threshold)
{
    switch (j->edit->rule) {
    case WP_EDIT_UNIVERSAL:
        *threshold = wp_edit_universal(wp_edit_plane_samples(j->bands->target), sigma);
        return true;
    case WP_EDIT_SURE: return wp_edit_sure(j->bands, band, plane, sigma, threshold);
    case WP_EDIT_BAYES: *threshold = wp_edit_bayes(j->bands, band, plane, sigma); return true;
    case WP_EDIT_EACH: *threshold = j->each[band]; return true;
    case WP_EDIT_LIMIT:
    case WP_EDIT_RULES: break;
    }
    *threshold = j->edit->number;
    return true;
}

// A threshold that is just as good as an infinite one.
static bool find_largest(const struct wp_edit_bands *b, int band, int plane, double *threshold)
{
    const struct wp_edit_pool pool = wp_edit_pool_of(b, band, plane);
    uint32_t bits;
    float magnitude;
    if (!wp_edit_select(&pool, wp_edit_count(&pool, 0) - 1, &bits))
        return false;
    memcpy(&magnitude, &bits, sizeof magnitude);
    *threshold = (double)magnitude;
    return true;
}

// All sigmas are estimated before the first band changes.
static bool find_limits(const struct job *j, int plane)
{
    struct wp_edit_limit *limit = j->limit + (size_t)plane * (size_t)j->bands->count;
    for (int i = 1; i < j->bands->count; i++) {
        double *threshold = &limit[i].threshold;
        if (has_threshold(j, i) &&
            (!find_sigma(j, i, plane, &limit[i].sigma) ||
             !find_threshold(j, i, plane, limit[i].sigma * gain_of(j, i), threshold) ||
             (j->find_only && isinf(*threshold) && !find_largest(j->bands, i, plane, threshold))))
            return false;
    }
    return true;
}

static void shrink_plane(void *user, int plane, int thread)
{
    const struct job *j = user;
    const struct wp_edit_limit *limit = j->limit + (size_t)plane * (size_t)j->bands->count;
    (void)thread;
    j->failed[plane] = !find_limits(j, plane);
    for (int i = 1; i < j->bands->count && !j->failed[plane] && !j->find_only; i++)
        if (has_threshold(j, i))
            shrink_band((struct band){j->bands, i, plane, j->edit->shrink, limit[i].threshold});
}

static bool shrink_planes(struct job *j, struct wp_edit_found *found)
{
    const int planes = j->bands->target->planes;
    wp_threads_share(wp_threads_count(), planes, shrink_plane, j);
    for (int plane = 0; plane < planes; plane++) {
        if (j->failed[plane])
            return wp_fail(WP_ERROR_TOO_LARGE, "not enough memory for the thresholds of a plane");
        for (int i = 1; i < j->bands->count; i++) {
            const struct wp_edit_limit *l = &j->limit[plane * j->bands->count + i];
            if (!has_threshold(j, i))
                continue;
            found->least_sigma = fmin(found->least_sigma, l->sigma);
            found->most_sigma = fmax(found->most_sigma, l->sigma);
            found->least = fmin(found->least, l->threshold);
            found->most = fmax(found->most, l->threshold);
        }
    }
    return true;
}

// Reads the thresholds of WP_EDIT_EACH. False after an error.
static bool read_each(const struct wp_edit *edit, const struct wp_edit_bands *b, double *each)
{
    const char *list = edit->bands;
    for (int i = 0; i < b->count; i++)
        each[i] = -1;
    for (int band = 0; band >= 0;) {
        double threshold;
        if (!wp_edit_next_number(&list, b, "threshold", WP_EDIT_EACH_HINT, &band, &threshold))
            return false;
        if (band >= 0 && threshold < 0)
            return wp_fail(WP_ERROR_USAGE, "the threshold of %s is %g\nhint: use 0 or more",
                           b->band[band].name, threshold);
        if (band == 0)
            return wp_fail(WP_ERROR_USAGE, "%s is the low band, which has no threshold",
                           b->band[band].name);
        if (band > 0)
            each[band] = threshold;
    }
    return true;
}

bool wp_edit_check_threshold(const struct wp_edit *edit, const struct wp_edit_bands *b)
{
    if (edit->rule != WP_EDIT_EACH)
        return true;
    double *each = wp_allocate((size_t)b->count, sizeof *each, "thresholds");
    const bool ok = each && read_each(edit, b, each);
    free(each);
    return ok;
}

static void find_noisiest(const struct job *j)
{
    const int noisiest = wp_edit_noisiest(j->bands);
    for (int i = 0; i < j->bands->count; i++)
        j->noisiest[i] = noisiest;
    if (j->noise->per_level)
        wp_edit_noisiest_of_levels(j->bands, j->noisiest);
}

static bool run(struct job *j, struct wp_edit_found *found)
{
    const struct wp_edit_bands *b = j->bands;
    const size_t planes = (size_t)b->target->planes, bands = (size_t)b->count;
    if (j->edit->rule >= WP_EDIT_UNIVERSAL && j->noise->sigma == 0 && wp_edit_noisiest(b) < 0)
        return wp_fail(WP_ERROR_USAGE, "there are no details to estimate the noise from"
                                       "\nhint: give its standard deviation, sigma");
    const bool has_each = j->edit->rule == WP_EDIT_EACH;
    double *each = has_each ? wp_allocate(bands, sizeof *each, "thresholds") : NULL;
    struct wp_edit_limit *own =
        j->noise->limit ? NULL : wp_allocate(planes * bands, sizeof *own, "thresholds");
    j->limit = j->noise->limit ? j->noise->limit : own;
    j->each = each;
    j->failed = j->limit ? wp_allocate(planes, sizeof *j->failed, "a list of planes") : NULL;
    j->noisiest = j->failed ? wp_allocate(bands, sizeof *j->noisiest, "a list of bands") : NULL;
    if (j->noisiest)
        find_noisiest(j);
    const bool ok = j->noisiest && (!has_each || (each && read_each(j->edit, b, each))) &&
                    shrink_planes(j, found);
    free(j->noisiest);
    free(j->failed);
    free(own);
    free(each);
    return ok;
}

bool wp_edit_apply_threshold(const struct wp_edit *edit, const struct wp_edit_noise *noise,
                             const struct wp_edit_bands *b, struct wp_edit_found *found)
{
    return run(&(struct job){.edit = edit, .noise = noise, .bands = b}, found);
}

bool wp_edit_find_thresholds(const struct wp_edit *edit, const struct wp_edit_noise *noise,
                             const struct wp_edit_target *target)
{
    struct wp_edit_bands b;
    struct wp_edit_found found = {0};
    struct job j = {.edit = edit, .noise = noise, .bands = &b, .find_only = true};
    const bool ok = wp_edit_bands_make(target, &b) && run(&j, &found);
    wp_edit_bands_free(&b);
    return ok;
}
