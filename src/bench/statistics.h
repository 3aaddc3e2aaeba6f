// Statistics of measured times: the median and its confidence interval, a stopping rule for
// sampling, and the comparison of two sets of samples. The methods are nonparametric, since the
// distributions of times have long tails.
#ifndef WP_STATISTICS_H
#define WP_STATISTICS_H

#include <stdbool.h>

// Statistics of samples in chronological order. Times are in the unit of the samples.
struct wp_statistics {
    int count;
    double median, mean, min, max;
    double stdev;    // with count - 1; 0 for one sample
    double p05, p95; // quantiles, linear between order statistics (Hyndman and Fan 1996, type 7)
    // Half the width of the 95 % confidence interval of the median, divided by the median: 0.01 if
    // it is known to 1 %. NAN if there are too few samples, fewer than 6 independent ones.
    double noise;
    int outliers;    // samples that are more than three interquartile ranges beyond the quartiles
                     // (Tukey 1977: far out), and more than 5 % from the median
    double farthest; // the outlier farthest from the median, over the median; 0 without outliers
    double first;    // the first sample over the median, if it is a slow outlier, else 0
    // The median of the second half over that of the first half, if they differ by more than 2 %
    // with 99 % confidence; else 0.
    double drift;
};

// Computes the statistics of count >= 1 finite samples, which are not changed.
struct wp_statistics wp_statistics(const double *samples, int count);

// Calls `warn` with one sentence each for outliers, a slow first sample and a drift.
void wp_statistics_warn(const struct wp_statistics *statistics,
                        void (*warn)(void *user, const char *sentence), void *user);

// Gets the confidence interval 1 - alpha of the median, from order statistics. It is valid for
// every distribution, because each sample is below the median with probability one half (David and
// Nagaraja, Order Statistics, 3rd ed. 2003, section 7.1; for benchmarks: Hoefler and Belli,
// Scientific Benchmarking of Parallel Computing Systems, SC 2015, section 3.1.3). Autocorrelated
// samples count as count / (1 + 2 sum of r_k), where r_k is the autocorrelation at lag k of the
// signs about the median, over the first lags where it exceeds 2/sqrt(count) (Bartlett's bound), as
// in Bayley and Hammersley 1946, "The effective number of independent observations in an
// autocorrelated time series". False if there are too few samples; the interval is then 0 to
// infinity.
bool wp_median_interval(const double *sample, int count, double alpha, double *low, double *high);

// The stopping rule of sampling: the minimums and max_noise are reached, or one of the maximums.
// 0 is no limit.
struct wp_sampling {
    int runs;         // exact number of samples, which replaces the rule; 0: none
    int min_samples;
    double min_time;  // minimum sum of the samples, in seconds
    double max_noise; // maximum wp_statistics.noise
    int max_samples;
    double timeout;   // maximum wall time of the samples, in seconds
};

enum wp_sampling_state {
    WP_SAMPLING_CONTINUES,
    WP_SAMPLING_DONE,
    WP_SAMPLING_FULL,    // max_samples reached, and noise above max_noise
    WP_SAMPLING_TIMEOUT, // timeout reached before
};

// Applies the rule. `measured`: the sum of the samples in seconds; `wall`: the wall time of the
// samples in seconds, without other items between them; `noise`: wp_statistics.noise, which may be
// that of an earlier number of samples, since sorting after each short sample would be slow.
enum wp_sampling_state wp_sampling_judge(const struct wp_sampling *rule, int count, double noise,
                                         double measured, double wall);

enum wp_verdict {
    WP_VERDICT_SAME,
    WP_VERDICT_FASTER,
    WP_VERDICT_SLOWER,
    WP_VERDICT_UNDECIDED,
    WP_VERDICT_COUNT
};

extern const char *const wp_verdict_names[WP_VERDICT_COUNT]; // "SAME" …

struct wp_ratio {
    double ratio;     // of the medians, new over base: 1.05 is 5 % slower
    double low, high; // its confidence interval; 0 and infinity if there is none
    enum wp_verdict verdict;
};

// Compares two sets of at least one time each. The interval has at least the confidence 1 - alpha:
// as the sets are independent, both medians are in their intervals of confidence sqrt(1 - alpha),
// and the ratio is between the quotients of their ends. SAME if the interval is within 1 ±
// threshold, FASTER or SLOWER if all of it is beyond, else UNDECIDED.
struct wp_ratio wp_ratio_of(const double *base, int base_count, const double *new, int new_count,
                            double alpha, double threshold);

#endif
