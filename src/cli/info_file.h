// What `info FILE` tells of a file.
#ifndef WP_INFO_FILE_H
#define WP_INFO_FILE_H

#include "command.h"

// Of an image, a volume or coefficients: kind, size, samples, their range, where they lie in the
// world, and how coefficients were made. `memory` is --memory or NULL.
enum wp_error wp_info_file(const struct wp_call *call, const struct wp_volume_options *volume,
                           const char *memory);

#endif
