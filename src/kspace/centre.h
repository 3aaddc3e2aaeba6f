// Where zero frequency lies. Internal to this layer.
#ifndef WP_CENTRE_H
#define WP_CENTRE_H

#include <stddef.h>

// Moves items of `bytes` bytes along every axis, x fastest, in place: from index 0 to n/2, and
// back.
void wp_centre(void *items, size_t bytes, const int size[3]);
void wp_uncentre(void *items, size_t bytes, const int size[3]);

#endif
