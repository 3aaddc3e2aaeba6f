// Small drawings of scaling functions and wavelets, computed once per name by the cascade algorithm
// from the synthesis filters.
#ifndef WP_VIEWER_WAVELET_CURVES_H
#define WP_VIEWER_WAVELET_CURVES_H

#include "view_state.h"

#include <stdbool.h>

enum { WP_CURVE_POINTS = 96 };

struct wp_wavelet_curve {
    char name[WP_VIEW_WAVELET_SIZE];
    char title[96];
    bool known;    // the wavelet could be read
    bool periodic; // requires periodic borders
    double error;  // lower bound of the error of images in float32 (wavelet_growth.h)
    float value[2][WP_CURVE_POINTS]; // phi and psi, each normalized to -1..1
};

struct wp_wavelet_curves {
    struct wp_wavelet_curve *curve;
    int count;
};

// The curve of a wavelet. If it has not been computed, computes it with `may_make`, else returns
// NULL. Valid until the next call.
const struct wp_wavelet_curve *wp_wavelet_curves_get(struct wp_wavelet_curves *curves,
                                                     const char *name, bool may_make);
void wp_wavelet_curves_free(struct wp_wavelet_curves *curves);

#endif
