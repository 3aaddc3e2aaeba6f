// Updates textures and measurements from the state.
#ifndef WP_VIEWER_UPDATE_H
#define WP_VIEWER_UPDATE_H

#include <stdbool.h>
#include <stddef.h>

struct wp_viewer;

// Updates sources, instances and results.
void wp_viewer_update(struct wp_viewer *v);

// Returns false with a reason if a backend is not available.
bool wp_viewer_can(struct wp_viewer *v, const char *backend, char *reason, size_t reason_size);

void wp_viewer_release(struct wp_viewer *v); // destroys everything created by updates

#endif
