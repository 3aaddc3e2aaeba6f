// Statistics of times, computed by hand and with simulated samples with realistic noise.
#include "results.h"
#include "text.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static void assert_close(double actual, double expected, double tolerance)
{
    if (!(fabs(actual - expected) <= tolerance))
        fail_msg("%.17g, not %.17g", actual, expected);
}

static void test_by_hand(void **state)
{
    (void)state;
    const double sample[] = {4, 1, 3, 2, 10, 5};
    struct wp_statistics s = wp_statistics(sample, 6);
    assert_int_equal(s.count, 6);
    assert_close(s.median, 3.5, 0);
    assert_close(s.mean, 25.0 / 6.0, 1e-15);
    assert_close(s.min, 1, 0);
    assert_close(s.max, 10, 0);
    assert_close(s.stdev, sqrt((155.0 - 625.0 / 6.0) / 5.0), 1e-12);
    assert_close(s.p05, 1.25, 1e-12);
    assert_close(s.p95, 8.75, 1e-12);
    // The interval of all six samples: 1 - 2/64 is above 95 %.
    assert_close(s.noise, 4.5 / 3.5, 1e-12);
    s = wp_statistics(sample, 5);
    assert_true(isnan(s.noise)); // no interval
    s = wp_statistics(sample, 1);
    assert_true(isnan(s.noise));
    assert_close(s.median, 4, 0);
    assert_close(s.p95, 4, 0);
    assert_close(s.stdev, 0, 0);
    assert_int_equal(s.outliers, 0);
    assert_close(s.drift, 0, 0);
}

// The ranks of David and Nagaraja's tables (and of all tables of the sign test).
static void test_interval(void **state)
{
    (void)state;
    double sample[1001], low, high;
    // An order without a trend: i times 389 modulo 1001.
    for (int i = 0; i < 1001; i++)
        sample[i] = 1 + i * 389 % 1001;
    const struct {
        int count, rank;
        double alpha;
    } known[] = {{1001, 470, 0.05}, {1001, 460, 0.01}};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        assert_true(wp_median_interval(sample, known[i].count, known[i].alpha, &low, &high));
        assert_close(low, known[i].rank, 0);
        assert_close(high, 1002 - known[i].rank, 0);
    }
    const double few[] = {3, 8, 1, 6, 10, 2, 7, 4, 9, 5};
    assert_true(wp_median_interval(few, 10, 0.05, &low, &high));
    assert_close(low, 2, 0);
    assert_close(high, 9, 0);
    assert_true(wp_median_interval(few, 10, 0.01, &low, &high));
    assert_close(low, 1, 0);
    assert_close(high, 10, 0);
    assert_false(wp_median_interval(few, 7, 0.01, &low, &high));
    assert_true(low == 0 && isinf(high));
    // Ten copies of each sample: a wider interval than that of a hundred independent samples
    // (4..7).
    double repeated[100];
    for (int i = 0; i < 100; i++)
        repeated[i] = few[i / 10];
    assert_true(wp_median_interval(repeated, 100, 0.05, &low, &high));
    assert_true(low <= 3 && high >= 8);
    // Equal samples, as from a coarse timer.
    for (int i = 0; i < 100; i++)
        repeated[i] = 7;
    assert_true(wp_median_interval(repeated, 100, 0.05, &low, &high));
    assert_true(low == 7 && high == 7);
}

// Adds the warnings of a row with these samples, one per line.
static void add_warnings(double *sample, int count, struct wp_text *text)
{
    struct wp_row row = wp_row_unknown();
    row.sample_ns = row.wall_sample_ns = sample;
    row.sample_count = count;
    wp_row_summarize(&row);
    for (int i = 0; i < row.warning_count; i++)
        wp_text_add(text, "%s\n", row.warning[i]);
    row.sample_ns = row.wall_sample_ns = NULL;
    wp_row_free(&row);
}

static void test_words(void **state)
{
    (void)state;
    double sample[100];
    for (int i = 0; i < 100; i++)
        sample[i] = 100 + i * 37 % 100 * 0.01;
    struct wp_statistics s;
    struct wp_text text = {0};
    add_warnings(sample, 100, &text);
    assert_string_equal(wp_text_get(&text), "");

    sample[0] = 250;
    s = wp_statistics(sample, 100);
    assert_int_equal(s.outliers, 1);
    add_warnings(sample, 100, &text);
    assert_string_equal(wp_text_get(&text),
                        "the first sample took 2.49 times the median: a longer --warmup may help\n");
    wp_text_clear(&text);

    sample[50] = 400;
    add_warnings(sample, 100, &text);
    assert_non_null(strstr(wp_text_get(&text), "outliers: 2 of 100 samples, up to 3.98 times"));
    wp_text_clear(&text);

    // One tick of a coarse timer is not an outlier.
    for (int i = 0; i < 100; i++)
        sample[i] = i == 30 ? 101 : 100;
    s = wp_statistics(sample, 100);
    assert_int_equal(s.outliers, 0);

    // It slows down half way through; the samples of each half are independent.
    for (int i = 0; i < 100; i++)
        sample[i] = (i < 50 ? 100 : 110) + i * 37 % 100 * 0.01;
    add_warnings(sample, 100, &text);
    assert_non_null(strstr(wp_text_get(&text), "second half of the samples took 1.1 times"));
    wp_text_free(&text);
}

static void test_sampling(void **state)
{
    (void)state;
    const struct wp_sampling rule = {.min_samples = 10,
                                     .min_time = 0.5,
                                     .max_noise = 0.005,
                                     .max_samples = 1000,
                                     .timeout = 15};
    const struct {
        int count;
        double noise, measured, wall;
        enum wp_sampling_state state;
    } row[] = {
        {10, 0.004, 0.5, 1, WP_SAMPLING_DONE},       {9, 0.004, 0.5, 1, WP_SAMPLING_CONTINUES},
        {10, 0.006, 0.5, 1, WP_SAMPLING_CONTINUES},    {10, 0.004, 0.4, 1, WP_SAMPLING_CONTINUES},
        {10, 1.0, 0.5, 1, WP_SAMPLING_CONTINUES},      {1, 0.1, 16, 16, WP_SAMPLING_TIMEOUT},
        {10, 0.004, 16, 16, WP_SAMPLING_DONE},       {1000, 0.004, 0.1, 1, WP_SAMPLING_DONE},
        {1000, 0.006, 0.1, 1, WP_SAMPLING_FULL},     {10, NAN, 0.5, 1, WP_SAMPLING_CONTINUES},
        {10, NAN, 16, 16, WP_SAMPLING_TIMEOUT},      {1000, NAN, 0.1, 1, WP_SAMPLING_FULL},
    };
    for (size_t i = 0; i < sizeof row / sizeof *row; i++)
        assert_int_equal(wp_sampling_judge(&rule, row[i].count, row[i].noise, row[i].measured,
                                           row[i].wall),
                         row[i].state);
    const struct wp_sampling exactly = {.runs = 3, .min_samples = 10, .timeout = 1};
    assert_int_equal(wp_sampling_judge(&exactly, 2, 0.1, 9, 9), WP_SAMPLING_CONTINUES);
    assert_int_equal(wp_sampling_judge(&exactly, 3, 0.1, 0, 0), WP_SAMPLING_DONE);
}

// SplitMix64 (Steele, Lea and Flood 2014), in 0..1.
static double uniform(uint64_t *seed)
{
    uint64_t z = *seed += 0x9e3779b97f4a7c15u;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return ((double)((z ^ z >> 31) >> 11) + 0.5) / 9007199254740992.0;
}

static double normal(uint64_t *seed)
{
    const double radius = sqrt(-2.0 * log(uniform(seed)));
    return radius * cos(6.283185307179586 * uniform(seed));
}

struct noise {
    double body;   // of the skewed everyday noise
    double wander; // correlation of consecutive samples
    double run;    // common to all samples of a run
    double spikes; // share of samples that were interrupted
    double tick;   // of the timer
};

// Times about `level`: log-normal, with a slow random wander and Pareto-distributed interruptions.
static void simulate(double *sample, int count, double level, const struct noise *noise,
                     uint64_t *seed)
{
    const double run = noise->run * normal(seed);
    double wander = 0.0;
    for (int i = 0; i < count; i++) {
        wander = 0.8 * wander + noise->wander * normal(seed);
        sample[i] = level * (1.0 + run + wander) * exp(noise->body * normal(seed));
        if (uniform(seed) < noise->spikes)
            sample[i] *= pow(uniform(seed), -1.0 / 1.5);
        if (noise->tick > 0.0)
            sample[i] = noise->tick * round(sample[i] / noise->tick);
    }
}

static const struct noise kinds[] = {
    {.body = 0.003, .spikes = 0.01, .run = 0.002},                  // a quiet GPU
    {.body = 0.03, .spikes = 0.10, .run = 0.005},                   // a busy desktop
    {.body = 0.01, .wander = 0.01, .spikes = 0.03, .run = 0.005},   // changing clocks
    {.body = 0.003, .spikes = 0.02, .run = 0.002, .tick = 1.024},   // a coarse timer
};
static const int counts[] = {10, 40, 200};

// Called for each kind of noise and number of samples; `hits` of 1000 tries.
enum { TRIES = 1000, MOST = 200 };

static void assert_share(int hits, int kind, int count, double least)
{
    if (hits < least * TRIES)
        fail_msg("%d of %d tries, noise of kind %d, %d samples", hits, TRIES, kind, count);
}

static void test_same(void **state)
{
    (void)state;
    uint64_t seed = 1;
    for (int k = 0; k < 4; k++)
        for (int c = 0; c < 3; c++) {
            int agree = 0;
            for (int try = 0; try < TRIES; try++) {
                double a[MOST], b[MOST];
                simulate(a, counts[c], 100, &kinds[k], &seed);
                simulate(b, counts[c], 100, &kinds[k], &seed);
                const struct wp_ratio r =
                    wp_ratio_of(a, counts[c], b, counts[c], 0.01, 0.02);
                agree += r.verdict == WP_VERDICT_SAME || r.verdict == WP_VERDICT_UNDECIDED;
            }
            assert_share(agree, k, counts[c], 0.99);
        }
}

// The interval contains the true ratio as often as specified, and the medians of two runs differ by
// no more than their noise.
static void test_coverage(void **state)
{
    (void)state;
    uint64_t seed = 2;
    for (int k = 0; k < 4; k++)
        for (int c = 0; c < 3; c++) {
            struct noise noise = kinds[k];
            noise.run = 0.0;
            int covered = 0, near = 0;
            for (int try = 0; try < TRIES; try++) {
                double a[MOST], b[MOST];
                simulate(a, counts[c], 100, &noise, &seed);
                simulate(b, counts[c], 103, &noise, &seed);
                const struct wp_ratio r =
                    wp_ratio_of(a, counts[c], b, counts[c], 0.01, 0.02);
                // A coarse timer cannot resolve less than its tick.
                const double slack = noise.tick / 100.0;
                covered += r.low <= 1.03 + slack && r.high >= 1.03 - slack;
                const struct wp_statistics a_statistics = wp_statistics(a, counts[c]);
                const struct wp_statistics b_statistics = wp_statistics(b, counts[c]);
                const double bound = a_statistics.noise + b_statistics.noise + slack;
                near += !(fabs(b_statistics.median / a_statistics.median / 1.03 - 1.0) > bound);
            }
            // Few samples do not show the length of their correlation, here about nine.
            const bool few = noise.wander > 0.0 && counts[c] <= 40;
            assert_share(covered, k, counts[c], few ? 0.9 : 0.98);
            assert_share(near, k, counts[c], few ? 0.8 : 0.95);
        }
}

static void test_slower(void **state)
{
    (void)state;
    uint64_t seed = 3;
    for (int k = 0; k < 4; k++) {
        int slower = 0, faster = 0, same = 0;
        for (int try = 0; try < TRIES; try++) {
            double a[MOST], b[MOST];
            simulate(a, MOST, 100, &kinds[k], &seed);
            simulate(b, MOST, 105, &kinds[k], &seed);
            slower += wp_ratio_of(a, MOST, b, MOST, 0.01, 0.02).verdict == WP_VERDICT_SLOWER;
            faster += wp_ratio_of(b, MOST, a, MOST, 0.01, 0.02).verdict == WP_VERDICT_FASTER;
            same += wp_ratio_of(a, MOST, b, MOST, 0.01, 0.02).verdict == WP_VERDICT_SAME;
        }
        // If clocks wander as much as the difference, undecided is the right verdict.
        const double least = kinds[k].wander > 0.0 ? 0.1 : kinds[k].body > 0.01 ? 0.9 : 0.95;
        assert_share(slower, k, MOST, least);
        assert_share(faster, k, MOST, least);
        assert_int_equal(same, 0);
    }
    // Ten samples of a quiet GPU are enough.
    int slower = 0;
    for (int try = 0; try < TRIES; try++) {
        double a[10], b[10];
        simulate(a, 10, 100, &(struct noise){.body = 0.003}, &seed);
        simulate(b, 10, 105, &(struct noise){.body = 0.003}, &seed);
        slower += wp_ratio_of(a, 10, b, 10, 0.01, 0.02).verdict == WP_VERDICT_SLOWER;
    }
    assert_share(slower, -1, 10, 0.95);
}

// A ratio at the limit counts as same; with too few samples the verdict is undecided.
static void test_limits_of_verdicts(void **state)
{
    (void)state;
    static const struct {
        double new;
        enum wp_verdict verdict;
    } rows[] = {{1.25, WP_VERDICT_SAME}, {1.26, WP_VERDICT_SLOWER},
                {0.75, WP_VERDICT_SAME}, {0.74, WP_VERDICT_FASTER}};
    double a[MOST], b[MOST];
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        for (int k = 0; k < MOST; k++) {
            a[k] = 1;
            b[k] = rows[i].new;
        }
        assert_int_equal(wp_ratio_of(a, MOST, b, MOST, 0.01, 0.25).verdict, rows[i].verdict);
        for (int few = 0; few < 2; few++) {
            const struct wp_ratio r =
                wp_ratio_of(a, few ? 1 : MOST, b, few ? MOST : 1, 0.01, 0.25);
            assert_int_equal(r.verdict, WP_VERDICT_UNDECIDED);
            assert_true(r.low == 0 && isinf(r.high));
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_by_hand),  cmocka_unit_test(test_interval),
        cmocka_unit_test(test_words),    cmocka_unit_test(test_sampling),
        cmocka_unit_test(test_same),     cmocka_unit_test(test_coverage),
        cmocka_unit_test(test_slower),   cmocka_unit_test(test_limits_of_verdicts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
