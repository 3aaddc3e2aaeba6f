// The registry of backends.
#ifndef WP_BACKENDS_H
#define WP_BACKENDS_H

#include "backend.h"

// Fragment shaders through OpenGL. Its devices are the places of context.h; -1 is any.
extern const struct wp_backend wp_backend_fragment;

// Compute shaders that run a level at a time, through OpenGL 4.3. Its devices are the same.
extern const struct wp_backend wp_backend_compute;

// CUDA kernels in device memory (cuda/), or a stub that says why there are none. Its devices
// are CUDA's; -1 is number 0.
extern const struct wp_backend wp_backend_cuda;

// Lifting on the CPU's vectors and threads (src/cpu/). One device, number 0.
extern const struct wp_backend wp_backend_cpu;

// All backends of this build, in the order in which `auto` tries them; ended by NULL.
extern const struct wp_backend *const wp_backends[];

enum { WP_DEVICE_ANY = -1 };

// A backend that was opened.
struct wp_backend_choice {
    const struct wp_backend *backend;
    struct wp_device *device;
    struct wp_device_info info;
    bool automatic;   // as "auto"
    char reason[512]; // `auto`: why those before it were passed over; empty for the first
};

// Opens a backend by name, or with "auto" the first of wp_backends that works. What was asked for
// by name or number never falls back: a device number with "auto" is the first backend's, since
// the others do not number theirs alike. False after WP_ERROR_USAGE (no such name, with a
// suggestion) or WP_ERROR_UNAVAILABLE.
bool wp_backend_open(const char *name, int device, struct wp_backend_choice *choice);
void wp_backend_close(struct wp_backend_choice *choice); // accepts {0}, leaves {0}

// False after WP_ERROR_USAGE where the backend does not keep samples in that many bits.
bool wp_backend_check_precision(const struct wp_backend *backend, enum wp_precision precision);

// A backend's variant by name; NULL for a NULL name. False after WP_ERROR_USAGE where there is
// no such variant, or `plan` is given and the variant cannot execute it.
bool wp_backend_find_variant(const struct wp_backend *backend, const char *name,
                             const struct wp_plan *plan, const struct wp_variant **variant);

#endif
