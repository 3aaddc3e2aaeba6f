// One walk over the quads of a level, from top to bottom, in a ring of rows: each quad is read
// once and written once, and in between everything happens in cache.
#ifndef WP_CPU_SWEEP_H
#define WP_CPU_SWEEP_H

#include "cpu_rows.h"
#include "plan.h"

// A lifting step along one axis: target[n] += the sum of c[t] * other[n + k[t]], where target is
// the odd samples or the even ones.
struct wp_cpu_step {
    bool odd;
    int count;
    int k[WP_MAX_TAPS];
    float c[WP_MAX_TAPS];
    int before, after; // quads beyond the domain, at either end, where the result is needed
    int lag;           // runs this many quads behind the newest
};

// The lifting steps of one axis, in the order in which they run; none: the axis is left alone.
struct wp_cpu_axis {
    int steps;
    struct wp_cpu_step step[2 * WP_MAX_PAIRS];
    struct wp_cpu_chain chain; // the same as a chain, where it can be one (pairs > 0)
};

// A term of a mask: c times component `from` of the quad at (x, y) from here.
struct wp_cpu_term {
    int from, x, y;
};

// What one component becomes.
struct wp_cpu_mask {
    int count;
    struct wp_cpu_term *term;
    float *c;
};

// Where quads lie: `data[0]` is a plane of samples, or there is a rectangle a component. Rows may
// be read up to WP_CPU_SLACK floats beyond either end, and written up to the pitch.
struct wp_cpu_quads {
    bool samples;
    float *data[WP_BAND_COUNT];
    int pitch; // in floats; for components a multiple of 16 that holds the low band's width
};

struct wp_cpu_sweep {
    int width, height; // in samples
    enum wp_extension extension;
    struct wp_cpu_quads from, to;
    float scale_in[WP_BAND_COUNT], scale_out[WP_BAND_COUNT]; // of components; samples have none
    // Lifting along x, then along y; or masks, which hold the scales already.
    struct wp_cpu_axis x, y;
    bool masked;
    struct wp_cpu_mask mask[WP_BAND_COUNT];

    // What wp_cpu_sweep_finish() makes of these.
    struct wp_cpu_chain chain;    // of every axis that has steps, or pairs = 0
    int left, right, top, bottom; // quads that are read beyond the domain
    int lag;                      // quad rows from the newest to the one that is written
    int rows;                     // quad rows in the ring
    int stride;                   // floats from one row of a component to the next in the ring
    int pad;                      // of them before quad 0
};

// The lifting steps of a wavelet.
void wp_cpu_axis_set(struct wp_cpu_axis *axis, const struct wp_wavelet *wavelet,
                     enum wp_direction direction);

void wp_cpu_sweep_finish(struct wp_cpu_sweep *sweep);

// Floats that a walk needs; at an address that is a multiple of 64.
size_t wp_cpu_sweep_ring(const struct wp_cpu_sweep *sweep);

// Walks down `count` rows of quads from row `first`. Stripes of rows are independent.
void wp_cpu_sweep_run(const struct wp_cpu_sweep *sweep, const struct wp_cpu_rows *rows, int first,
                      int count, float *ring);

#endif
