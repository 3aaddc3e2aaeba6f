// `info --plan FILE`.
#ifndef WP_INFO_PLAN_H
#define WP_INFO_PLAN_H

#include "command.h"
#include "wavepass.h"

// Describes how `forward` and `inverse` would execute a transform of the file with these
// parameters.
enum wp_error wp_info_plan(const struct wp_call *call, const struct wp_volume_options *volume,
                           const struct wp_transform_params *params);

#endif
