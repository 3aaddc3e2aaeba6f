// What samples of a time say: their middle, how well it is known, when there are enough of
// them, and whether two sets of them differ. No assumption is made about their distribution,
// which has a long tail where times are concerned.
#ifndef WP_STATISTICS_H
#define WP_STATISTICS_H

#include <stdbool.h>

// Of samples in the order in which they were taken; every time in the samples' unit.
struct wp_statistics {
    int count;
    double median, mean, min, max;
    double stdev;    // with count - 1; 0 for one sample
    double p05, p95; // linear between order statistics (Hyndman and Fan 1996, type 7)
    // Half the width of the median's 95 % confidence interval over the median: 0.01 where it is
    // known to 1 %. More samples make it smaller. NAN where they are too few for an
    // interval, which takes 6 independent ones.
    double noise;
    int outliers;    // beyond three times the width of the middle half from it (Tukey 1977: far
                     // out), and 5 % from the median
    double farthest; // the outlier farthest from the median, over the median; 0 where none
    double first;    // the first sample over the median where that one is a slow outlier, else 0
    // The second half's median over the first half's, where their interval says at 99 % that it
    // differs by more than 2 %; else 0.
    double drift;
};

// Of count >= 1 finite samples; their order is kept.
struct wp_statistics wp_statistics(const double *samples, int count);

// Calls `warn` with a sentence each for outliers, a slow first sample and a drift.
void wp_statistics_warn(const struct wp_statistics *statistics,
                        void (*warn)(void *user, const char *sentence), void *user);

// The confidence interval 1 - alpha of the median, from order statistics: it holds for every
// distribution, because each sample lies below the median with probability one half (David and
// Nagaraja, Order Statistics, 3rd ed. 2003, section 7.1; for benchmarks: Hoefler and Belli,
// Scientific Benchmarking of Parallel Computing Systems, SC 2015, section 3.1.3).
// Samples that resemble those before them count as fewer: as count / (1 + 2 sum of r_k), r_k
// the autocorrelation at lag k of the signs about the median, over the first lags where it
// exceeds 2/sqrt(count) (Bartlett's bound), as in Bayley and Hammersley 1946, "The effective
// number of independent observations in an autocorrelated time series".
// False where the samples are too few; then the interval is 0 to infinity.
bool wp_median_interval(const double *sample, int count, double alpha, double *low, double *high);

// When to stop. Zero is no limit, but for `runs`.
struct wp_sampling {
    int runs;         // not 0: exactly this many
    int min_samples;  // at least so many,
    double min_time;  // together at least so many seconds,
    double max_noise; // and the median known so well;
    int max_samples;  // but no more than these,
    double timeout;   // nor more seconds of wall time, of their own
};

enum wp_sampling_state {
    WP_SAMPLING_CONTINUES,
    WP_SAMPLING_DONE,
    WP_SAMPLING_FULL,    // max_samples, and still noisier than max_noise
    WP_SAMPLING_TIMEOUT, // before the others were content
};

// `measured`: the sum of the samples in seconds; `wall`: seconds that taking them took, without
// what ran between them; `noise`: wp_statistics()'s. It need not be of this moment: sorting anew
// after each of many short samples would cost more than they do.
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
    double ratio;     // of the medians, new over base: 1.05 took 5 % longer
    double low, high; // its confidence interval; 0 and infinity where there is none
    enum wp_verdict verdict;
};

// Compares two sets of times, of at least one each. The interval has at least the confidence
// 1 - alpha: both medians lie in their intervals of confidence sqrt(1 - alpha), the sets being
// independent, so their ratio lies between the quotients of the ends. SAME where the interval
// is within 1 ± threshold, FASTER or SLOWER where all of it is beyond, else UNDECIDED.
struct wp_ratio wp_ratio_of(const double *base, int base_count, const double *new, int new_count,
                            double alpha, double threshold);

#endif
