// Statistics of samples on textures, computed on the GPU. All functions require the viewer's
// context to be current.
#ifndef WP_MEASURE_H
#define WP_MEASURE_H

#include "instance.h"

struct wp_measure {
    double least, most;    // 0 without samples
    double total, squares; // sums of the samples and of their squares
    long long samples, nonzero;
};

// Along an axis sample x of a band belongs to sample floor(x scale + shift) of another one, clamped
// to its `size` samples.
struct wp_sample_map {
    float scale, shift;
    int size;
};

int wp_sample_map(const struct wp_sample_map *map, int x);

// A band or the difference of two bands.
struct wp_measure_request {
    struct wp_quads a, b; // measures a - b, or a if b.texture is NULL
    int width, height;    // samples
    int component;        // 0..3; 4: all four, interleaved
    struct wp_sample_map to_b[2]; // along x and y; {0} in both: bands of the same size
};

enum { WP_MEASURES_MAX = WP_COLOURS * (4 * WP_MAX_LEVELS + 4) };

struct wp_meter {
    struct wp_gl *gl;
    struct wp_texture parts, totals;
};

// Measures up to WP_MEASURES_MAX requests, without `nonzero`. False after an error.
bool wp_meter_read(struct wp_meter *meter, const struct wp_measure_request *request, int count,
                   struct wp_measure *measure);

// The number of nonzero samples of all requests; -1 after an error.
long long wp_meter_count_nonzero(struct wp_meter *meter,
                                 const struct wp_measure_request *request, int count);

// Adds more samples.
void wp_measure_add(struct wp_measure *sum, struct wp_measure more);

// Mean and standard deviation; 0 without samples.
double wp_measure_mean(const struct wp_measure *measure);
double wp_measure_deviation(const struct wp_measure *measure);

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
