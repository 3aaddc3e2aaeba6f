// From the state to textures and figures.
#ifndef WP_VIEWER_UPDATE_H
#define WP_VIEWER_UPDATE_H

#include <stdbool.h>
#include <stddef.h>

struct wp_viewer;

// Brings sources, sides and results up to date with the state.
void wp_viewer_update(struct wp_viewer *v);

// False, with the reason, where a backend cannot be had here or does not take what A shows.
bool wp_viewer_can(struct wp_viewer *v, const char *backend, char *reason, size_t reason_size);

void wp_viewer_release(struct wp_viewer *v); // all that it has made

#endif
