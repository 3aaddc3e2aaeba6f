// A row of the image as a signal: its samples and the subbands of a transform along x, below each
// other under the canvas, of A and, in a comparison, of B. The row can be moved by some samples, to
// show which subbands move with it.
#ifndef WP_VIEWER_SIGNAL_VIEW_H
#define WP_VIEWER_SIGNAL_VIEW_H

#include "canvas.h"

struct json_t;
struct wp_viewer;

enum { WP_SIGNAL_BANDS = WP_MAX_LEVELS + 1 };

// A subband of the row as it is [0], and moved [1].
struct wp_signal_band {
    char name[8];     // "L3", "H1", "C3", "W1"
    int count;
    const float *value[2];
    double energy[2]; // sum of squares
    double least, most; // of both
    // Coefficient i is at sample first + i * step.
    double first, step;
};

struct wp_signal {
    struct wp_signal_row {
        struct wp_signal_source { // what it was computed from
            char wavelet[WP_VIEW_WAVELET_SIZE];
            int bank, border, norm, levels, row, shift;
            unsigned version;
        } source;
        bool failed;
        int bands; // from the lowest one
        struct wp_signal_band band[WP_SIGNAL_BANDS];
        struct wp_signal_band samples;
        float *memory;
    } of[2]; // A, B
    struct wp_rect_f area; // on the screen; of height 0: not shown
};

// Takes the space of the view from the canvas, if the view is shown.
void wp_signal_lay_out(struct wp_viewer *v, struct wp_rect_f *canvas);

// Follows the pointer, computes the bands if the row or the transform have changed, and draws them.
void wp_signal_draw(struct wp_viewer *v);

// Facts for scripts: the row, and the names and energies of the bands.
struct json_t *wp_signal_facts(const struct wp_viewer *v);

void wp_signal_free(struct wp_signal *signal); // accepts {0}, resets to {0}

#endif
