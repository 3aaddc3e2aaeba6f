#include "results.h"

#include "xmemory.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

const char *const wp_verdict_names[WP_VERDICT_COUNT] = {
    [WP_VERDICT_SAME] = "SAME",
    [WP_VERDICT_FASTER] = "FASTER",
    [WP_VERDICT_SLOWER] = "SLOWER",
    [WP_VERDICT_UNDECIDED] = "UNDECIDED",
};

static int by_value(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

// Returns a sorted copy; the caller frees it.
static double *sorted(const double *sample, int count)
{
    double *copy = wp_xcalloc((size_t)count, sizeof *copy);
    memcpy(copy, sample, (size_t)count * sizeof *copy);
    qsort(copy, (size_t)count, sizeof *copy, by_value);
    return copy;
}

static double quantile(const double *ordered, int count, double fraction)
{
    const double at = fraction * (count - 1);
    const int below = (int)floor(at);
    if (below + 1 >= count)
        return ordered[count - 1];
    return ordered[below] + (at - below) * (ordered[below + 1] - ordered[below]);
}

// The effective number of independent samples; see wp_median_interval().
static int effective_count(const double *sample, int count, double median)
{
    double *sign = wp_xcalloc((size_t)count, sizeof *sign);
    double mean = 0.0, variance = 0.0, weight = 1.0;
    for (int i = 0; i < count; i++) {
        sign[i] = (sample[i] > median) - (sample[i] < median);
        mean += sign[i] / count;
    }
    for (int i = 0; i < count; i++) {
        sign[i] -= mean; // not zero if many samples equal the median, as with coarse timers
        variance += sign[i] * sign[i];
    }
    for (int lag = 1; lag < count && variance > 0.0; lag++) {
        double product = 0.0;
        for (int i = lag; i < count; i++)
            product += sign[i] * sign[i - lag];
        if (product / variance <= 2.0 / sqrt(count))
            break;
        weight += 2.0 * product / variance;
    }
    free(sign);
    return (int)fmax(1.0, floor(count / weight));
}

// The largest rank k, counted from 1, for which fewer than k of `count` samples are below the
// median with probability at most alpha/2; 0 if there is none.
static int interval_rank(int count, double alpha)
{
    const double log_all = lgamma(count + 1.0) - count * log(2.0);
    double below = 0.0;
    int rank = 0;
    while (rank < count / 2) {
        below += exp(log_all - lgamma(rank + 1.0) - lgamma(count - rank + 1.0));
        if (below > alpha / 2.0)
            break;
        rank++;
    }
    return rank;
}

static bool interval_of(const double *sample, const double *ordered, int count, double alpha,
                        double *low, double *high)
{
    *low = 0.0;
    *high = INFINITY;
    const int effective = effective_count(sample, count, quantile(ordered, count, 0.5));
    const int rank = interval_rank(effective, alpha);
    if (rank == 0)
        return false;
    // The corresponding rank among all samples.
    const int k = (int)((double)rank * (count + 1) / (effective + 1));
    *low = ordered[k - 1];
    *high = ordered[count - k];
    return true;
}

bool wp_median_interval(const double *sample, int count, double alpha, double *low, double *high)
{
    double *ordered = sorted(sample, count);
    const bool known = interval_of(sample, ordered, count, alpha, low, high);
    free(ordered);
    return known;
}

static double noise_of(const double *sample, const double *ordered, int count)
{
    double low, high;
    if (!interval_of(sample, ordered, count, 0.05, &low, &high))
        return NAN;
    const double median = quantile(ordered, count, 0.5);
    return median > 0.0 ? (high - low) / 2.0 / median : 0.0;
}

static void find_outliers(const double *sample, const double *ordered, struct wp_statistics *s)
{
    const double q1 = quantile(ordered, s->count, 0.25), q3 = quantile(ordered, s->count, 0.75);
    // Without the 5 %, one tick of a coarse timer could be an outlier among equal samples.
    const double low = fmin(q1 - 3.0 * (q3 - q1), 0.95 * s->median);
    const double high = fmax(q3 + 3.0 * (q3 - q1), 1.05 * s->median);
    double distance = 0.0;
    for (int i = 0; i < s->count; i++) {
        if (sample[i] >= low && sample[i] <= high)
            continue;
        s->outliers++;
        if (fabs(sample[i] - s->median) > distance) {
            distance = fabs(sample[i] - s->median);
            s->farthest = sample[i] / s->median;
        }
    }
    if (sample[0] > high)
        s->first = sample[0] / s->median;
}

static double drift_of(const double *sample, int count)
{
    const int half = count / 2;
    if (half == 0)
        return 0.0;
    const struct wp_ratio ratio =
        wp_ratio_of(sample, half, sample + count - half, half, 0.01, 0.02);
    return ratio.verdict == WP_VERDICT_FASTER || ratio.verdict == WP_VERDICT_SLOWER ? ratio.ratio
                                                                                    : 0.0;
}

struct wp_statistics wp_statistics(const double *samples, int count)
{
    double *ordered = sorted(samples, count);
    double sum = 0.0, squares = 0.0;
    for (int i = 0; i < count; i++)
        sum += ordered[i];
    const double mean = sum / count;
    for (int i = 0; i < count; i++)
        squares += (ordered[i] - mean) * (ordered[i] - mean);
    struct wp_statistics result = {
        .count = count,
        .median = quantile(ordered, count, 0.5),
        .mean = mean,
        .min = ordered[0],
        .max = ordered[count - 1],
        .stdev = count > 1 ? sqrt(squares / (count - 1)) : 0.0,
        .p05 = quantile(ordered, count, 0.05),
        .p95 = quantile(ordered, count, 0.95),
        .noise = noise_of(samples, ordered, count),
        .drift = drift_of(samples, count),
    };
    find_outliers(samples, ordered, &result);
    free(ordered);
    return result;
}

enum wp_sampling_state wp_sampling_judge(const struct wp_sampling *rule, int count, double noise,
                                         double measured, double wall)
{
    if (rule->runs > 0)
        return count >= rule->runs ? WP_SAMPLING_DONE : WP_SAMPLING_CONTINUES;
    const bool quiet = rule->max_noise <= 0.0 || noise <= rule->max_noise;
    if (count >= rule->min_samples && measured >= rule->min_time && quiet)
        return WP_SAMPLING_DONE;
    if (rule->max_samples > 0 && count >= rule->max_samples)
        return quiet ? WP_SAMPLING_DONE : WP_SAMPLING_FULL;
    if (rule->timeout > 0.0 && wall >= rule->timeout)
        return WP_SAMPLING_TIMEOUT;
    return WP_SAMPLING_CONTINUES;
}

static enum wp_verdict verdict_of(const struct wp_ratio *ratio, double threshold)
{
    if (ratio->low > 1.0 + threshold)
        return WP_VERDICT_SLOWER;
    if (ratio->high < 1.0 - threshold)
        return WP_VERDICT_FASTER;
    if (ratio->low >= 1.0 - threshold && ratio->high <= 1.0 + threshold)
        return WP_VERDICT_SAME;
    return WP_VERDICT_UNDECIDED;
}

struct wp_ratio wp_ratio_of(const double *base, int base_count, const double *new, int new_count,
                            double alpha, double threshold)
{
    double *b = sorted(base, base_count), *n = sorted(new, new_count);
    struct wp_ratio ratio = {
        .ratio = quantile(n, new_count, 0.5) / quantile(b, base_count, 0.5), .high = INFINITY};
    const double each = 1.0 - sqrt(1.0 - alpha);
    double base_low, base_high, new_low, new_high;
    const bool base_known = interval_of(base, b, base_count, each, &base_low, &base_high);
    const bool new_known = interval_of(new, n, new_count, each, &new_low, &new_high);
    if (base_known && new_known && base_low > 0.0) {
        ratio.low = new_low / base_high;
        ratio.high = new_high / base_low;
    }
    ratio.verdict = verdict_of(&ratio, threshold);
    free(b);
    free(n);
    return ratio;
}
