// The scaling function and the wavelet of filters, small enough to stand beside a name. Each is
// made once: from a name to its steps and from these by the cascade of its own synthesis filters.
#ifndef WP_VIEWER_WAVELET_CURVES_H
#define WP_VIEWER_WAVELET_CURVES_H

#include "view_state.h"

#include <stdbool.h>

enum { WP_CURVE_POINTS = 96 };

struct wp_wavelet_curve {
    char name[WP_VIEW_WAVELET_SIZE];
    char title[96];
    bool known;    // it could be read
    bool periodic; // takes periodic borders alone
    double error;  // of images in float32, at least (wavelet_growth.h)
    float value[2][WP_CURVE_POINTS]; // phi and psi, each within -1..1 by its largest
};

struct wp_wavelet_curves {
    struct wp_wavelet_curve *curve;
    int count;
};

// Of a name: made where it is asked for the first time and `may_make`, else NULL. Valid until the
// next call.
const struct wp_wavelet_curve *wp_wavelet_curves_get(struct wp_wavelet_curves *curves,
                                                     const char *name, bool may_make);
void wp_wavelet_curves_free(struct wp_wavelet_curves *curves);

#endif
