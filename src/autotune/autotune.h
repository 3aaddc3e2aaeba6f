// Selects the scheme and variant if the user names neither: the fastest that a probe measured on
// this device, stored in a file (tuning_file.h); else the library's default.
#ifndef WP_AUTOTUNE_H
#define WP_AUTOTUNE_H

#include "tuning_file.h"
#include "transform.h"

enum wp_chosen_by {
    WP_CHOSEN_BY_RULE,
    WP_CHOSEN_BY_OPTIONS,
    WP_CHOSEN_BY_FILE,
    WP_CHOSEN_BY_PROBE,
    WP_CHOSEN_BY_COUNT
};

extern const char *const wp_chosen_by_names[WP_CHOSEN_BY_COUNT]; // "fixed rule", …

struct wp_autotune {
    const struct wp_transform_params *given; // the user's parameters
    enum wp_direction direction;
    bool nonfinite; // the image has values that are not finite
    double limit;   // as in struct wp_probe_params; 0: 0.4 s
    void (*capture)(struct wp_text *text);          // as in struct wp_probe_params
    void (*progress)(const struct wp_timing *next); // as in struct wp_probe_params
    enum wp_chosen_by by; // output: how scheme and variant were selected
};

// A wp_transform_choose; `user` is a struct wp_autotune. Devices with a timer are probed once if
// the file has no entry; software renderers and CPUs are not. $WAVEPASS_PROBE: "always" probes
// these too, "never" always uses the default, "auto" is the default. Failures are warnings, and the
// library's default is used then, as it is for volumes.
void wp_autotune_choose(void *user, const struct wp_backend_choice *on,
                        struct wp_description *params, const struct wp_variant **variant);

// Why the device is not probed automatically; NULL if it is.
const char *wp_autotune_why_not(const struct wp_backend_choice *on);

// Adds "sep-lifting, variant tile-2x2, 0.12 ms".
void wp_autotune_describe(const struct wp_timing *timing, struct wp_text *text);

#endif
