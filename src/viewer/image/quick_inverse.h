// The inverse transform of an image's textures by the backend that is fastest for it, while a
// slider is dragged: `compute` on a GPU, `cpu` if OpenGL is rendered in software. All functions
// require the viewer's context to be current and leave it current.
#ifndef WP_QUICK_INVERSE_H
#define WP_QUICK_INVERSE_H

#include "instance.h"

struct wp_quick_inverse;

// The backend for a context, or NULL if there is none.
const char *wp_quick_inverse_backend(struct wp_devices *devices);

// For a description of one plane of floats that backends compute. NULL after an error.
struct wp_quick_inverse *wp_quick_inverse_create(struct wp_devices *devices,
                                                 const struct wp_description *description);
void wp_quick_inverse_destroy(struct wp_quick_inverse **quick); // accepts NULL, clears the pointer

// Reads the levels l with `stale[l]` (all the first time), which it clears, from `level[l]`, and
// writes the quads of the image to `image`, from texel (0, 0) on. Adds the time of the transform to
// `seconds`.
bool wp_quick_inverse_run(struct wp_quick_inverse *quick, const struct wp_quads level[],
                          bool stale[], const struct wp_texture *image, double *seconds);

#endif
