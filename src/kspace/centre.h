// The position of DC in arrays of k-space. Internal to this layer.
#ifndef WP_CENTRE_H
#define WP_CENTRE_H

#include <stddef.h>

// Move DC from index 0 to n/2 along every axis, or back, in place. Items have `bytes` bytes, x
// fastest.
void wp_centre(void *items, size_t bytes, const int size[3]);
void wp_uncentre(void *items, size_t bytes, const int size[3]);

#endif
