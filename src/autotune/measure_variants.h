// Which scheme and variant of a backend is the fastest on a device, by trying them.
#ifndef WP_MEASURE_VARIANTS_H
#define WP_MEASURE_VARIANTS_H

#include "registry.h"
#include "text.h"

#include <signal.h>

// Images are sorted by size; one square stands for each class.
enum wp_size_class { WP_SIZE_SMALL, WP_SIZE_MEDIUM, WP_SIZE_LARGE, WP_SIZE_CLASS_COUNT };

extern const int wp_size_class_side[WP_SIZE_CLASS_COUNT]; // pixels of the square's side

// The class whose square has the nearest number of pixels, by ratio.
enum wp_size_class wp_size_class_of(int width, int height);

struct wp_timing {
    const struct wp_scheme_kind *kind; // NULL: the backend is schemeless
    const struct wp_variant *variant;  // NULL: the backend has none
    bool right;     // compared with the reference, within its tolerance
    double error;   // the largest; infinite where it could not be run
    double seconds; // the smaller median of two rounds, where `right`
    int order;      // from 0: its place among the trials
};

struct wp_probe {
    int count;
    struct wp_timing *timing; // those that are right first, the fastest of them first; but of
                              // those near to the fastest the one that was tried first
    int left_out;             // for which no time was left
    double seconds;           // that the probe took
    char trouble[256];        // why the first that could not be run could not; or empty
};

struct wp_probe_params {
    const struct wp_backend_choice *on;
    const struct wp_wavelet *wavelet;
    enum wp_direction direction;
    enum wp_size_class size;
    double limit; // seconds after which no other is begun, nor after twice that any again
    // Errors go to `text` until it is called with NULL; may be NULL.
    void (*capture)(struct wp_text *text);
    // What is tried next; may be NULL.
    void (*progress)(const struct wp_timing *next);
    // Not 0: nothing else is begun; may be NULL.
    const volatile sig_atomic_t *stop;
};

// Whether the device and the variant (NULL: the backend has none) can execute such a plan.
bool wp_probe_can_run(const struct wp_backend_choice *on, const struct wp_variant *variant,
                      const struct wp_description *params);

// Tries every scheme in every variant that supports the transform and runs on the device,
// optimised, the likely ones first: compares each with the reference on two levels of a small
// image, then times one level, and all of them once more in reverse, so that what slows a device
// for a while decides nothing. Where time is short those that seem slow are left out. False where
// none came out right, and where it was stopped. The result is to be freed in both cases.
bool wp_probe_run(const struct wp_probe_params *params, struct wp_probe *probe);
void wp_probe_free(struct wp_probe *probe); // accepts {0}, leaves {0}

#endif
