// The wavelet transforms of engines on devices, which take the whole image at once.
#ifndef WP_TASK_TRANSFORMS_H
#define WP_TASK_TRANSFORMS_H

#include "engine.h"
#include "wavepass.h"

// Of both planes of an image that was padded to this size: W, and its inverse, or where W'W is not
// 1 and stays, its adjoint. One for each direction, since one that turns round makes its memory
// anew. False after an error; what is there by then, the caller destroys as well.
bool wp_task_make_transforms(const struct wp_task *task, const int padded[3], const char *backend,
                             bool current_context, struct wp_transform **forward,
                             struct wp_transform **back);

#endif
