// The program's choice where the user names neither scheme nor variant: the fastest that a probe
// found on this device, kept in a file (tuning_file.h); else the library's fixed rule.
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
    const struct wp_transform_params *given; // what the user named
    enum wp_direction direction;
    bool nonfinite; // the image has values that are not finite
    double limit;   // as in struct wp_probe_params; 0: 0.4 s
    void (*capture)(struct wp_text *text);          // as in struct wp_probe_params
    void (*progress)(const struct wp_timing *next); // likewise
    enum wp_chosen_by by; // the answer
};

// A wp_transform_choose; `user` is a struct wp_autotune. On devices with a clock of their own it
// probes what the file does not have, once; never in software and on CPUs. $WAVEPASS_PROBE:
// "always" probes there too, "never" leaves all to the fixed rule, "auto" is as if unset. Whatever
// goes wrong is a warning, and the fixed rule's; so are volumes.
void wp_autotune_choose(void *user, const struct wp_backend_choice *on, struct wp_description *params,
               const struct wp_variant **variant);

// Why the device is not probed by itself, or NULL where it is.
const char *wp_autotune_why_not(const struct wp_backend_choice *on);

// Adds "sep-lifting, variant tile-2x2, 0.12 ms".
void wp_autotune_describe(const struct wp_timing *timing, struct wp_text *text);

#endif
