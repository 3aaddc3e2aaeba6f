// `info FILE`.
#ifndef WP_INFO_FILE_H
#define WP_INFO_FILE_H

#include "command.h"

// Describes an image, a volume or coefficients: kind, size, type and range of samples, geometry,
// and the transform parameters of coefficients. `memory` is --memory or NULL.
enum wp_error wp_info_file(const struct wp_call *call, const struct wp_volume_options *volume,
                           const char *memory);

#endif
