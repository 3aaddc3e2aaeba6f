// Edits of A's coefficients: sliders for gains and thresholds of subbands, denoising, and the edit
// that the settings describe.
#ifndef WP_VIEWER_EDITS_H
#define WP_VIEWER_EDITS_H

#include <stdbool.h>

struct wp_viewer;
struct wp_view_edit;

// The edit that the state describes, for A or B, whose bands may have different names. The result
// can be compared by memcmp().
void wp_viewer_find_edit(const struct wp_viewer *v, int ab, struct wp_view_edit *edit);

// A slider for a subband or for all details of a level. The value of a level is the mean of its
// subbands; setting it scales them. Reset sets the gain 1, or the threshold `limit` of the state.
enum wp_slider { WP_SLIDER_GAIN, WP_SLIDER_LIMIT };
enum { WP_SLIDER_LEVEL = -1 }; // in place of a band
double wp_slider_get(const struct wp_viewer *v, enum wp_slider slider, int level, int band);
void wp_slider_set(struct wp_viewer *v, enum wp_slider slider, int level, int band, double value);
void wp_slider_reset(struct wp_viewer *v, enum wp_slider slider, int level, int band);
// The largest value: 4 for gains; for thresholds one that hides most images.
double wp_slider_most(const struct wp_viewer *v, enum wp_slider slider);

// If v->denoises, which an action sets, sets the thresholds of all subbands by the method of the
// state. Requires coefficients without edits in `level` of the instances.
void wp_viewer_denoise(struct wp_viewer *v);

#endif
