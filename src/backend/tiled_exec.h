// Images that a device cannot take as a whole, or that are better spread over time: they go through it
// in windows that overlap by as much as the levels that go at once reach, from and to the host's memory.
#ifndef WP_TILED_EXEC_H
#define WP_TILED_EXEC_H

#include "execute.h"

struct wp_tiled_exec;

// Whether a description can go so, in windows of at most side[a] samples along axis a: an image with
// levels, larger than that, on a backend with memory of its own, and steps that reach less far.
bool wp_tiled_exec_supports(const struct wp_backend *backend, const struct wp_description *description,
                    const int side[2]);
bool wp_tiled_exec_supports_any(const struct wp_backend *backend, const struct wp_description *description);

// What wp_tiled_exec_supports() takes, made ready. Of the host's memory it has the low bands between levels
// that do not go at once, at most five sixteenths of the image, and where windows cannot go between
// the device and the caller's memory by themselves two of them each way. NULL as where the backend's
// prepare() fails.
struct wp_tiled_exec *wp_tiled_exec_prepare(const struct wp_backend *backend, struct wp_device *device,
                                      const struct wp_description *description,
                                      const struct wp_variant *variant,
                                      const int side[2]);
// The same in windows that copy fast and that the device takes.
struct wp_tiled_exec *wp_tiled_exec_prepare_any(const struct wp_backend *backend,
                                          struct wp_device *device,
                                          const struct wp_description *description,
                                          const struct wp_variant *variant);
void wp_tiled_exec_size(const struct wp_tiled_exec *tiled, int size[2]); // of the largest
void wp_tiled_exec_release(struct wp_tiled_exec **tiled); // accepts NULL, clears the pointer

// A window's, for what a backend tells of one.
const struct wp_exec *wp_tiled_exec_tile_exec(const struct wp_tiled_exec *tiled);

// As wp_exec_transform(), the samples being those of the whole. Where the two sides share memory,
// what is read is copied first. Windows go by themselves between the device and rows of floats that it
// reaches (backend.h), and are copied on the host by several threads where that cannot be.
bool wp_tiled_exec_transform(struct wp_tiled_exec *tiled, const struct wp_operand *from,
                          const struct wp_operand *to, struct wp_exec_seconds *seconds);

// All windows to the device, or back from it, in the same way and with nothing between: what
// wp_tiled_exec_transform() can at best take. For benchmarks; what comes back is anything.
bool wp_tiled_exec_copy(struct wp_tiled_exec *tiled, const struct wp_operand *operand, bool in);

#endif
