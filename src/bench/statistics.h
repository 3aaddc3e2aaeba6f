// What samples of one quantity say.
#ifndef WP_STATISTICS_H
#define WP_STATISTICS_H

struct wp_statistics {
    double median, mean, min, max;
    double stdev;    // of the samples, n - 1; 0 for one
    double p05, p95; // percentiles
    // Half the width of the 95 % confidence interval of the median, over the median. From order
    // statistics, so nothing is assumed of the distribution; of fewer than 6 samples, of which
    // no such interval exists, half their range.
    double noise;
};

// Of count >= 1 finite samples; their order is kept.
struct wp_statistics wp_statistics(const double *samples, int count);

#endif
