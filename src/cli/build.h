// Information about the build of this program.
#ifndef WP_BUILD_H
#define WP_BUILD_H

#include "text.h"

// An optional feature.
struct wp_build_feature {
    const char *name;    // "CUDA"
    const char *missing; // why this build does not have it; NULL: it does
};

extern const struct wp_build_feature wp_build_features[]; // ended by {0}

// Pairs of a name and a value, such as {"compiler", "GNU 12.2.0"}; ended by {NULL}.
extern const char *const wp_build_facts[][2];

// Adds "PROGRAM 0.1.0\n", and with `details` one line per fact and feature.
void wp_build_describe(const char *program, bool details, struct wp_text *text);

#endif
