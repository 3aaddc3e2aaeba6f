// Statistics of what lies on textures, summed on the GPU. All functions need the viewer's
// context to be current.
#ifndef WP_MEASURE_H
#define WP_MEASURE_H

#include "instance.h"

struct wp_measure {
    double least, most, mean, deviation; // 0 where there are no samples
    double square;                       // mean of the squares
    long long samples;
};

// One band, or the difference of two of the same size.
struct wp_measure_request {
    struct wp_quads a, b; // b.texture NULL: a alone
    int width, height;    // samples
    int component;        // 0..3, or 4 for all four as in the image
};

enum { WP_MEASURES_MAX = WP_COLOURS * (4 * WP_MAX_LEVELS + 4) };

struct wp_meter {
    struct wp_gl *gl;
    struct wp_texture parts, sums;
};

void wp_meter_destroy(struct wp_meter *meter); // accepts {0}, leaves {0}

// `count` of at most WP_MEASURES_MAX.
bool wp_meter_read(struct wp_meter *meter, const struct wp_measure_request *request, int count,
                   struct wp_measure *measure);

// How many samples are not zero, of all requests together. -1 after an error.
long long wp_meter_count_nonzero(struct wp_meter *meter,
                                 const struct wp_measure_request *request, int count);

// Of the samples of two together.
struct wp_measure wp_measure_both(const struct wp_measure *a, const struct wp_measure *b);

// The largest magnitude.
double wp_measure_largest(const struct wp_measure *measure);

// Where details are as bright as can be: four standard deviations, or where single ones among zeros
// are looked at the largest magnitude. Not less than WP_RANGE_LEAST.
double wp_measure_spread(const struct wp_measure *measure, bool single);

// In dB; infinite for equal images.
double wp_measure_psnr(const struct wp_measure *difference, float peak);

enum { WP_HISTOGRAM_BINS = 128 };

// Details below this, the error that transforms may have, are none: no range is narrower.
#define WP_RANGE_LEAST 1e-5

struct wp_histogram {
    float low, high;
    int bin[WP_HISTOGRAM_BINS]; // samples outside count in the first and last
    int most;
};

// Reads the samples of every step-th row of quads back. Bins of equal width from low to high.
bool wp_meter_histogram(const struct wp_measure_request *request, float low, float high, int step,
                        struct wp_histogram *histogram);

#endif
