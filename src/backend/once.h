// A transform from end to end, for those who want its result and nothing between.
#ifndef WP_ONCE_H
#define WP_ONCE_H

#include "backend.h"

// What was made ready, on planes of a caller's memory, which may be the same on both sides.
// `seconds` (may be NULL) is of the run alone.
bool wp_exec_transform(const struct wp_backend *backend, struct wp_exec *exec,
                       const struct wp_description *description, const struct wp_place *from,
                       const struct wp_place *to, double *seconds);

// The same on planes without gaps, one behind the other.
bool wp_exec_planes(const struct wp_backend *backend, struct wp_exec *exec,
                    const struct wp_description *description, const float *from, float *to);

struct wp_once {
    const struct wp_backend *backend;
    struct wp_device *device;         // NULL: any, opened and closed again
    const struct wp_variant *variant; // NULL: the backend's choice
};

// Open, prepare, and for each of `count` images load, run and store; release and close.
bool wp_once(const struct wp_once *once, const struct wp_description *description, int count,
             const float *const from[], float *const to[]);

#endif
