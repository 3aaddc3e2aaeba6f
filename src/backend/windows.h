// Images that a device cannot take as a whole: each level goes through it in windows that overlap by
// as much as the lifting steps reach, from and to the host's memory, until the rest fits.
#ifndef WP_WINDOWS_H
#define WP_WINDOWS_H

#include "once.h"

struct wp_windows;

// Whether a description can go so, in windows of at most `side` samples each way: an image with
// levels, larger than that, on a backend with memory of its own, and steps that reach less far.
bool wp_windows_can(const struct wp_backend *backend, const struct wp_description *description,
                    int side);

// What wp_windows_can() takes, made ready. Of the host's memory it has the low bands, at most
// five sixteenths of the image, and two windows. NULL as where the backend's prepare() fails.
struct wp_windows *wp_windows_prepare(const struct wp_backend *backend, struct wp_device *device,
                                      const struct wp_description *description,
                                      const struct wp_variant *variant, int side);
void wp_windows_release(struct wp_windows **windows); // accepts NULL, clears the pointer

// A window's, for what a backend tells of one.
const struct wp_exec *wp_windows_exec(const struct wp_windows *windows);

// As wp_exec_transform(), the samples being those of the whole. Where the two sides share memory,
// what is read is copied first.
bool wp_windows_transform(struct wp_windows *windows, const struct wp_place *from,
                          const struct wp_place *to, struct wp_exec_seconds *seconds);

#endif
