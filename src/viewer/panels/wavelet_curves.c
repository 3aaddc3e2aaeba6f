// Drawings of wavelets. A file of its own, because the structures of filters.h and of
// reconstruction.h for curves have the same name.
#include "wavelet_list.h"

#include "filters.h"
#include "wavelet_growth.h"
#include "xmemory.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Resamples the curve to WP_CURVE_POINTS points over its support, normalized to a maximum of 1.
static void sample(const struct wp_curve *from, float value[WP_CURVE_POINTS])
{
    double largest = 0;
    for (int i = 0; i < from->count; i++)
        largest = fmax(largest, fabs(from->value[i]));
    for (int i = 0; i < WP_CURVE_POINTS; i++) {
        const int at = (int)((double)i * (from->count - 1) / (WP_CURVE_POINTS - 1) + 0.5);
        value[i] = largest > 0 ? (float)(from->value[at] / largest) : 0;
    }
}

static void draw(const struct wp_wavelet *wavelet, struct wp_wavelet_curve *curve)
{
    struct wp_taps low = wp_filters_taps(wavelet, WP_SYNTHESIS_LOW);
    struct wp_taps high = wp_filters_taps(wavelet, WP_SYNTHESIS_HIGH);
    for (int i = 0; i < 2; i++) {
        struct wp_curve function = wp_filters_cascade(&low, i ? &high : NULL);
        sample(&function, curve->value[i]);
        free(function.value);
    }
    free(low.tap);
    free(high.tap);
}

static void make(const char *name, struct wp_wavelet_curve *curve)
{
    struct wp_wavelet wavelet;
    *curve = (struct wp_wavelet_curve){.known = wp_wavelet_find(name, &wavelet)};
    snprintf(curve->name, sizeof curve->name, "%s", name);
    if (!curve->known) {
        snprintf(curve->title, sizeof curve->title, "%.90s", wp_last_error_text());
        return;
    }
    snprintf(curve->title, sizeof curve->title, "%s", wavelet.title);
    curve->periodic = wavelet.symmetry == WP_SYMMETRY_NONE;
    curve->error = fmax(WP_WAVELET_EXACT, wp_wavelet_error(&wavelet, 2, false, WP_WAVELET_EXACT));
    draw(&wavelet, curve);
}

const struct wp_wavelet_curve *wp_wavelet_curve(struct wp_wavelet_list *list, const char *name,
                                                bool may_make)
{
    for (int i = 0; i < list->curves; i++)
        if (strcmp(list->curve[i].name, name) == 0)
            return &list->curve[i];
    if (!may_make)
        return NULL;
    list->curve = wp_xrealloc(list->curve, (size_t)list->curves + 1, sizeof *list->curve);
    make(name, &list->curve[list->curves]);
    return &list->curve[list->curves++];
}
