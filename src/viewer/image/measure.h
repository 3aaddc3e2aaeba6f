// Statistics of samples on textures, computed on the GPU. All functions require the viewer's
// context to be current.
#ifndef WP_MEASURE_H
#define WP_MEASURE_H

#include "instance.h"

struct wp_measure {
    double least, most, mean, deviation; // 0 without samples
    double square;                       // mean of the squares
    long long samples;
};

// A band or the difference of two bands of the same size.
struct wp_measure_request {
    struct wp_quads a, b; // measures a - b, or a if b.texture is NULL
    int width, height;    // samples
    int component;        // 0..3; 4: all four, interleaved
};

enum { WP_MEASURES_MAX = WP_COLOURS * (4 * WP_MAX_LEVELS + 4) };

struct wp_meter {
    struct wp_gl *gl;
    struct wp_texture parts, totals;
};

// Measures up to WP_MEASURES_MAX requests. False after an error.
bool wp_meter_read(struct wp_meter *meter, const struct wp_measure_request *request, int count,
                   struct wp_measure *measure);

// The number of nonzero samples of all requests; -1 after an error.
long long wp_meter_count_nonzero(struct wp_meter *meter,
                                 const struct wp_measure_request *request, int count);

// The statistics of samples with these sums.
struct wp_measure wp_measure_of(double least, double most, double total, double squares,
                                long long samples);

// The statistics of the union of two sets of samples.
struct wp_measure wp_measure_both(const struct wp_measure *a, const struct wp_measure *b);

// The largest magnitude.
double wp_measure_largest(const struct wp_measure *measure);

// The magnitude of full brightness for details: four standard deviations, or with `single`
// (isolated nonzero samples) the largest magnitude. At least WP_RANGE_LEAST.
double wp_measure_spread(const struct wp_measure *measure, bool single);

// PSNR in dB; infinite if the images are equal.
double wp_measure_psnr(const struct wp_measure *difference, float peak);

enum { WP_HISTOGRAM_BINS = 128 };

// Details below this limit are within the error of transforms.
#define WP_RANGE_LEAST 1e-5

struct wp_histogram {
    float low, high;
    int bin[WP_HISTOGRAM_BINS]; // samples outside low..high count in the first or last bin
    int most;                   // largest bin
};

// Reads every step-th row of quads back and counts its samples in bins of equal width.
bool wp_meter_histogram(const struct wp_measure_request *request, float low, float high, int step,
                        struct wp_histogram *histogram);

#endif
