// Measurements of what the canvas shows (wp_viewer.results). Each is repeated if its source
// has changed.
#ifndef WP_RESULTS_H
#define WP_RESULTS_H

#include "viewer_struct.h"

// Values that change in every frame are measured at intervals, others immediately.
bool wp_results_are_due(const struct wp_viewer *v);

void wp_results_measure(struct wp_viewer *v);           // A: bands, samples, round-trip error
void wp_results_measure_shown(struct wp_viewer *v);     // A - B of the canvas
void wp_results_measure_histogram(struct wp_viewer *v); // of the selected band or image

#endif
