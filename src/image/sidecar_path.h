// Removal of the metadata file (sidecar) of coefficients. The sidecar's reader is in a higher layer
// (sidecar.h).
#ifndef WP_SIDECAR_PATH_H
#define WP_SIDECAR_PATH_H

#include <stdbool.h>

// Removes NAME.json if it is metadata that wavepass wrote, since NAME is about to be replaced.
// Other files are not removed. False, with errno set, if the removal failed.
bool wp_sidecar_path_remove(const char *name);

#endif
