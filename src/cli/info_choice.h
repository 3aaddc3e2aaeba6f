// What `info` tells of the choice of scheme and variant.
#ifndef WP_INFO_CHOICE_H
#define WP_INFO_CHOICE_H

#include "registry.h"

struct json_t;

// {"file", "reason": why nothing is probed by itself or null, "found": [an entry of the file
// each]}; null for a backend with nothing to choose. The caller drops the reference.
// `files`, an object of the caller's that begins empty, keeps what was read for the next backend of
// the same device, so that a warning of it comes once.
struct json_t *wp_info_choice(const struct wp_backend_choice *on, struct json_t *files);

// The same for people, each line indented by `indent`.
void wp_info_choice_print(const struct json_t *choice, const char *indent);

#endif
