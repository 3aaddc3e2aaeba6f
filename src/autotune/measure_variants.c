#include "autotune.h"

#include "clock.h"
#include "log.h"
#include "memory.h"
#include "plan.h"
#include "bench_item.h"
#include "results.h"
#include "verify.h"
#include "xmemory.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const int wp_size_class_side[WP_SIZE_CLASS_COUNT] = {512, 2048, 4096};

// The image for the comparison with the reference. It has several tiles of any variant; for
// symmetric borders its sides are 1 less, so that they are odd. Two levels, because the second may
// use different programs.
enum { CHECK_WIDTH = 264, CHECK_HEIGHT = 196, CHECK_LEVELS = 2 };

// Samples per measurement. Sampling ends after samples_seconds, but not before SAMPLES_MIN.
enum { SAMPLES_MIN = 2, SAMPLES_MAX = 7 };
static const double samples_seconds = 0.03;

// Medians up to this ratio to the smallest are ties: smaller differences are noise.
static const double tie_ratio = 1.03;

// Warm-up time before the first sample, since an idle GPU lowers its clocks.
static const double warm_up_seconds = 0.03;

enum wp_size_class wp_size_class_of(int width, int height)
{
    const double pixels = (double)width * (double)height;
    int size = 0;
    while (size + 1 < WP_SIZE_CLASS_COUNT &&
           pixels > (double)wp_size_class_side[size] * (double)wp_size_class_side[size + 1])
        size++;
    return (enum wp_size_class)size;
}

static struct wp_description describe(const struct wp_probe_params *params,
                                      const struct wp_timing *timing, int width, int height)
{
    const bool symmetric = params->wavelet->symmetry != WP_SYMMETRY_NONE;
    return (struct wp_description){
        .wavelet = params->wavelet,
        .kind = timing->kind ? timing->kind : wp_scheme_kinds,
        .form = WP_FORM_SHADER,
        .direction = params->direction,
        .border = symmetric ? WP_BORDER_SYMMETRIC : WP_BORDER_PERIODIC,
        .levels = 1,
        .size = {width, height},
    };
}

// A candidate and its rank in the order of measurements.
struct ranked {
    struct wp_timing timing;
    double cost; // estimated
    int rank;    // by cost among the schemes of its variant; 0 is the cheapest
    int variant; // index
};

// The estimated cost of a scheme, in an arbitrary unit. If the variant computes a level in one
// operation, its arithmetic operations; else passes or fetches, whichever cost more: every pass
// writes all texels, and a write takes as long as about six fetches (H200; docs/lab/tiles.md).
static double guess_cost(const struct wp_variant *variant, const struct wp_description *params)
{
    const double fetches_per_write = 6;
    const bool at_once = variant && variant->counts;
    struct wp_description tried = *params;
    if (at_once)
        tried.form = WP_FORM_BLOCK;
    struct wp_scheme *scheme = wp_description_scheme(&tried, WP_AXIS_BOTH);
    const double cost = at_once ? variant->counts(variant, scheme).operations
                                : fmax(scheme->pass_count,
                                       wp_scheme_fetches(scheme) / fetches_per_write);
    wp_scheme_destroy(&scheme);
    return cost;
}

bool wp_probe_can_run(const struct wp_backend_choice *on, const struct wp_variant *variant,
                      const struct wp_description *params)
{
    char why[256];
    if (!variant)
        return true;
    if (variant->runs_on && !variant->runs_on(variant, on->device, why, sizeof why))
        return false;
    return !variant->supports || variant->supports(variant, params, why, sizeof why);
}

static int compare_ranks(const void *a, const void *b)
{
    const struct ranked *p = a, *q = b;
    return p->rank != q->rank ? p->rank - q->rank : p->variant - q->variant;
}

// Adds the schemes of a variant.
static void add_variant(const struct wp_probe_params *params, int index,
                        const struct wp_variant *variant, struct ranked *all, int *count)
{
    const struct wp_backend *backend = params->on->backend;
    const int length = wp_size_class_side[params->size], first = *count;
    for (int k = 0; k < (backend->schemeless ? 1 : WP_SCHEME_KINDS); k++) {
        const struct wp_scheme_kind *kind = &wp_scheme_kinds[k];
        // With one lifting pair, polyconvolution is convolution.
        if (!backend->schemeless && params->wavelet->pairs == 1 && kind->grouping == WP_GROUP_PAIR)
            continue;
        struct ranked next = {.timing = {.kind = backend->schemeless ? NULL : kind,
                                         .variant = variant},
                              .variant = index};
        const struct wp_description d = describe(params, &next.timing, length, length);
        if (!wp_probe_can_run(params->on, variant, &d))
            continue;
        next.cost = guess_cost(variant, &d);
        for (int i = first; i < *count; i++) {
            all[i].rank += all[i].cost > next.cost;
            next.rank += all[i].cost <= next.cost;
        }
        all[(*count)++] = next;
    }
}

// Lists the cheapest scheme of every variant, in the backend's order, then the second of each, and
// so on. The caller frees the array.
static struct ranked *list_candidates(const struct wp_probe_params *params, int *count)
{
    const struct wp_variant *variants = params->on->backend->variants;
    int variant_count = 0;
    while (variants && variants[variant_count].name)
        variant_count++;
    struct ranked *all =
        wp_xcalloc((size_t)(variant_count ? variant_count : 1), WP_SCHEME_KINDS * sizeof *all);
    *count = 0;
    if (!variants)
        add_variant(params, 0, NULL, all, count);
    for (int v = 0; v < variant_count; v++)
        add_variant(params, v, &variants[v], all, count);
    qsort(all, (size_t)*count, sizeof *all, compare_ranks);
    return all;
}

// State that the measurements of one probe share.
struct trials {
    const struct wp_probe_params *params;
    struct wp_oracle_cache *oracle;
    float *plane; // input of timed runs, or NULL; see prepare_plane()
    bool warm;
};

static bool check(struct trials *trials, struct wp_timing *timing)
{
    const struct wp_backend_choice *on = trials->params->on;
    struct wp_description params =
        describe(trials->params, timing, CHECK_WIDTH, CHECK_HEIGHT);
    params.levels = CHECK_LEVELS;
    if (params.border == WP_BORDER_SYMMETRIC) {
        params.size[WP_X]--;
        params.size[WP_Y]--;
    }
    struct wp_expectation expected;
    if (!wp_oracle_cache_get(trials->oracle, &params, &expected))
        return false;
    float *got = wp_allocate(wp_description_samples(&params), sizeof *got,
                             "a result to compare");
    const struct wp_execute execute = {on->backend, on->device, timing->variant};
    const bool ran = got && wp_execute(&execute, &params, 1, (const float *[]){expected.input},
                                    (float *[]){got});
    if (ran) {
        struct wp_verify_row row = {0};
        wp_verify_judge(&params, expected.scale, got, expected.output, &row);
        timing->error = row.error;
        timing->correct = row.status == WP_VERIFY_PASSED;
    }
    free(got);
    return ran;
}

// Gets the median time of a run, after one run that is not measured.
static bool sample(struct trials *trials, struct wp_exec *exec, double *median)
{
    const struct wp_backend *backend = trials->params->on->backend;
    double seconds[SAMPLES_MAX], begin = wp_clock_seconds();
    int count = 0;
    bool ok = backend->run(exec, NULL);
    while (ok && !trials->warm) {
        ok = backend->run(exec, NULL);
        trials->warm = wp_clock_seconds() - begin > warm_up_seconds;
    }
    begin = wp_clock_seconds();
    while (ok && count < SAMPLES_MAX &&
           (count < SAMPLES_MIN || wp_clock_seconds() - begin < samples_seconds))
        ok = backend->run(exec, &seconds[count++]);
    if (ok)
        *median = wp_statistics(seconds, count).median;
    return ok;
}

// Creates the input of timed runs on CPUs, where an untouched buffer would be one page of zeros
// that stays in the cache. The times of a GPU do not depend on the values, and an upload takes
// longer than a run.
static bool prepare_plane(struct trials *trials)
{
    const size_t length = (size_t)wp_size_class_side[trials->params->size];
    if (trials->plane || !trials->params->on->info.wall)
        return true;
    trials->plane = wp_allocate(length * length, sizeof *trials->plane, "a plane to time with");
    for (size_t i = 0; trials->plane && i < length * length; i++)
        trials->plane[i] = 0.5F;
    return trials->plane != NULL;
}

// Measures a candidate; timing->seconds becomes the smaller of this and an earlier time.
static bool measure(struct trials *trials, struct wp_timing *timing)
{
    const struct wp_backend_choice *on = trials->params->on;
    const int length = wp_size_class_side[trials->params->size];
    if (!prepare_plane(trials))
        return false;
    const struct wp_description params = describe(trials->params, timing, length, length);
    struct wp_exec *exec = on->backend->prepare(on->device, &params, timing->variant);
    const struct wp_operand plane = wp_operand_const(&params, trials->plane);
    double seconds;
    const bool ok = exec && (!trials->plane || on->backend->load(exec, &plane)) &&
                    sample(trials, exec, &seconds);
    if (ok && (timing->seconds <= 0 || seconds < timing->seconds))
        timing->seconds = seconds;
    on->backend->release(exec);
    return ok;
}

// Compares a candidate with the reference, unless that was done, and measures it if it is correct.
// The first error message is stored in `failure`.
static void measure_candidate(struct trials *trials, struct wp_timing *timing, char *failure,
                              size_t size)
{
    void (*const capture)(struct wp_text *) = trials->params->capture;
    struct wp_text error = {0};
    if (capture)
        capture(&error);
    if (trials->params->progress)
        trials->params->progress(timing);
    if (!(timing->correct || check(trials, timing)) ||
        (timing->correct && !measure(trials, timing))) {
        timing->correct = false;
        timing->error = INFINITY;
        if (!failure[0])
            snprintf(failure, size, "%.*s", (int)strcspn(wp_text_get(&error), "\n"),
                     wp_text_get(&error));
        wp_clear_error();
    }
    if (capture)
        capture(NULL);
    wp_text_free(&error);
    wp_log(WP_LOG_VERBOSE, "measured %s %s", timing->kind ? timing->kind->name : "",
           timing->variant ? timing->variant->name : "");
}

static int compare_timings(const void *a, const void *b)
{
    const struct wp_timing *p = a, *q = b;
    if (p->correct != q->correct)
        return p->correct ? -1 : 1;
    return p->seconds < q->seconds ? -1 : p->seconds > q->seconds;
}

static void sort(struct wp_probe *probe)
{
    struct wp_timing *t = probe->timing;
    qsort(t, (size_t)probe->count, sizeof *t, compare_timings);
    int first = 0;
    for (int i = 1;
         i < probe->count && t[i].correct && t[i].seconds <= tie_ratio * t[0].seconds; i++)
        if (t[i].order < t[first].order)
            first = i;
    const struct wp_timing best = t[first];
    memmove(t + 1, t, (size_t)first * sizeof *t);
    t[0] = best;
}

static bool is_stopped(const struct wp_probe_params *params)
{
    return params->stop && *params->stop;
}

bool wp_probe_run(const struct wp_probe_params *params, struct wp_probe *probe)
{
    const double begin = wp_clock_seconds();
    struct trials trials = {.params = params, .oracle = wp_oracle_cache_create()};
    int count;
    struct ranked *candidates = list_candidates(params, &count);
    *probe = (struct wp_probe){0};
    probe->timing = wp_xcalloc((size_t)count + 1, sizeof *probe->timing);
    for (int i = 0; i < count && !is_stopped(params); i++) {
        if (i > 0 && wp_clock_seconds() - begin > params->limit) {
            probe->skipped = count - i;
            break;
        }
        probe->timing[i] = candidates[i].timing;
        probe->timing[i].order = i;
        measure_candidate(&trials, &probe->timing[i], probe->failure, sizeof probe->failure);
        probe->count++;
    }
    // The second round. Programs are compiled, so it is short unless rendering is slow.
    for (int i = probe->count - 1; i >= 0 && wp_clock_seconds() - begin < 2 * params->limit; i--)
        if (probe->timing[i].correct && !is_stopped(params))
            measure_candidate(&trials, &probe->timing[i], probe->failure, sizeof probe->failure);
    sort(probe);
    wp_oracle_cache_destroy(&trials.oracle);
    free(trials.plane);
    free(candidates);
    probe->seconds = wp_clock_seconds() - begin;
    return probe->count > 0 && probe->timing[0].correct && !is_stopped(params);
}

void wp_probe_free(struct wp_probe *probe)
{
    free(probe->timing);
    *probe = (struct wp_probe){0};
}
