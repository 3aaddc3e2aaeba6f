// The description beside a file of coefficients, as far as it is told without its reader: one layer
// above knows what it says (sidecar.h).
#ifndef WP_SIDECAR_PATH_H
#define WP_SIDECAR_PATH_H

#include <stdbool.h>

// Removes NAME.json, where it is a description that wavepass wrote, because NAME is about to become
// something else. Other files of that name stay. False where errno says why it could not be.
bool wp_sidecar_path_remove(const char *name);

#endif
