// Out-of-core execution: transforms images in tiles that overlap by the support of the levels that
// are computed at once. For images that exceed the device's limits, and to overlap transfers with
// computation.
#ifndef WP_TILED_EXEC_H
#define WP_TILED_EXEC_H

#include "execute.h"

struct wp_tiled_exec;

// Is tiled execution with tiles of at most tile_size[a] samples along axis a possible? It requires
// an image with at least one level, larger than a tile, a backend that copies to a device, and
// lifting steps with a support that fits into a tile.
bool wp_tiled_exec_supports(const struct wp_backend *backend,
                            const struct wp_description *description, const int tile_size[2]);
bool wp_tiled_exec_supports_any(const struct wp_backend *backend,
                                const struct wp_description *description);

// Prepares a description that wp_tiled_exec_supports() accepts. On the host it allocates low bands
// between groups of levels, at most 5/16 of the image, and, if tiles cannot be copied directly
// between the device and the caller's memory, two staging tiles per direction. NULL under the same
// conditions as the backend's prepare().
struct wp_tiled_exec *wp_tiled_exec_prepare(const struct wp_backend *backend,
                                            struct wp_device *device,
                                            const struct wp_description *description,
                                            const struct wp_variant *variant,
                                            const int tile_size[2]);
// Likewise, with a tile size that the device supports and copies fast.
struct wp_tiled_exec *wp_tiled_exec_prepare_any(const struct wp_backend *backend,
                                                struct wp_device *device,
                                                const struct wp_description *description,
                                                const struct wp_variant *variant);
void wp_tiled_exec_size(const struct wp_tiled_exec *tiled, int size[2]); // of the largest tile
void wp_tiled_exec_release(struct wp_tiled_exec **tiled); // accepts NULL, clears the pointer

// The exec of a tile, for queries.
const struct wp_exec *wp_tiled_exec_tile_exec(const struct wp_tiled_exec *tiled);

// Like wp_exec_transform() for the full image. If the operands share memory, the input is copied
// first. Tiles are copied directly between the device and rows of floats that it can access
// (backend.h), otherwise on the host by several threads.
bool wp_tiled_exec_transform(struct wp_tiled_exec *tiled, const struct wp_operand *from,
                             const struct wp_operand *to, struct wp_exec_seconds *seconds);

// Copies all tiles to the device or back, without computation: the lower bound of
// wp_tiled_exec_transform(). For benchmarks; output samples are undefined.
bool wp_tiled_exec_copy(struct wp_tiled_exec *tiled, const struct wp_operand *operand, bool in);

#endif
