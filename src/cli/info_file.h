// `info FILE`.
#ifndef WP_INFO_FILE_H
#define WP_INFO_FILE_H

#include "command.h"
#include "registry.h"
#include "wavepass.h"

struct json_t;

// Describes an image, a volume or coefficients: kind, size, type and range of samples, geometry,
// and the transform parameters of coefficients. `memory` is --memory or NULL.
enum wp_error wp_info_file(const struct wp_call *call, const struct wp_volume_options *volume,
                           const char *memory);

// Returns {"file", "reason": why the device is not probed automatically, or null, "found": [entries
// of the file]}; null for the reference. The caller releases the reference.
// `files` is an object that is empty at first. It caches files for other backends of the same
// device, so that each file's warnings are printed once.
struct json_t *wp_info_choice(const struct wp_backend_choice *on, struct json_t *files);

// Prints the same as text, with lines that begin with `indent`.
void wp_info_choice_print(const struct json_t *choice, const char *indent);

// Describes how `forward` and `inverse` would execute a transform of the file with these
// parameters.
enum wp_error wp_info_plan(const struct wp_call *call, const struct wp_volume_options *volume,
                           const struct wp_transform_params *params);

// Likewise, of axes of an array (--axes).
enum wp_error wp_info_array_plan(const struct wp_call *call, const char *axes,
                                 const struct wp_transform_params *params);

#endif
