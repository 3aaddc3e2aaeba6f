// What the program itself sees of a transform beyond wavepass.h.
#ifndef WP_TRANSFORM_H
#define WP_TRANSFORM_H

#include "plan.h"
#include "wavepass.h"

// The options with names resolved and the number of levels chosen.
const struct wp_plan_params *wp_transform_plan_params(const struct wp_transform *transform);

#endif
