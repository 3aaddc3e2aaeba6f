// The part of `info` on selected schemes and variants.
#ifndef WP_INFO_CHOICE_H
#define WP_INFO_CHOICE_H

#include "registry.h"

struct json_t;

// Returns {"file", "reason": why the device is not probed automatically, or null, "found": [entries
// of the file]}; null for the reference. The caller releases the reference.
// `files` is an object that is empty at first. It caches files for other backends of the same
// device, so that each file's warnings are printed once.
struct json_t *wp_info_choice(const struct wp_backend_choice *on, struct json_t *files);

// Prints the same as text, with lines that begin with `indent`.
void wp_info_choice_print(const struct json_t *choice, const char *indent);

#endif
