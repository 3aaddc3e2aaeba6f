// How this program was built.
#ifndef WP_BUILD_H
#define WP_BUILD_H

#include "text.h"

// Parts that this build has or lacks.
struct wp_build_feature {
    const char *name;   // "cuda"
    const char *missing; // why it is not there, or NULL
};

extern const struct wp_build_feature wp_build_features[]; // ended by {0}

// Facts as pairs of a name and a value: "compiler", "GNU 12.2.0"; ended by NULL.
extern const char *const wp_build_facts[][2];

// Adds "PROGRAM 0.1.0\n", and with `details` facts and parts, a line each.
void wp_build_describe(const char *program, bool details, struct wp_text *text);

#endif
