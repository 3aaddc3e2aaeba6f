// The registry of backends.
#ifndef WP_REGISTRY_H
#define WP_REGISTRY_H

#include "backend.h"

// All backends of this build, in the order in which `auto` tries them; ended by NULL.
extern const struct wp_backend *const wp_backends[];

enum { WP_DEVICE_ANY = -1 };

// A backend that was opened.
struct wp_backend_choice {
    const struct wp_backend *backend;
    struct wp_device *device;
    struct wp_device_info info;
    bool automatic;   // as "auto"
    bool past_software; // `auto`: OpenGL was there, in software
    char reason[512]; // `auto`: why those before it do not work; empty for the first, and past
                      // software, which is reason enough
};

// What `auto` takes where OpenGL has no GPU behind it.
enum wp_in_software {
    WP_IN_SOFTWARE_ANY,
    WP_IN_SOFTWARE_QUICK, // no backend whose programs take minutes to compile there
    WP_IN_SOFTWARE_NONE,  // the CPU is several times as fast, and more exact
};

// The rule of "auto": a named scheme or variant, or 16 bits, require shaders, for volumes only shaders
// that compile quickly.
enum wp_in_software wp_backend_in_software(bool shaders, bool volumes);

// NULL after WP_ERROR_USAGE with a suggestion.
const struct wp_backend *wp_backend_find(const char *name);

// Opens a backend by name, or with "auto" the first of wp_backends that works and that `software`
// does not rule out. What was asked for by name or
// number never falls back: a device number with "auto" is the first backend's, since the others do
// not number theirs alike. False after WP_ERROR_USAGE (no such name, with a suggestion) or
// WP_ERROR_UNAVAILABLE.
bool wp_backend_open(const char *name, int device, enum wp_in_software software,
                     struct wp_backend_choice *choice);
void wp_backend_close(struct wp_backend_choice *choice); // accepts {0}, leaves {0}

// False after WP_ERROR_USAGE where the backend does not keep samples in that many bits.
bool wp_backend_check_precision(const struct wp_backend *backend, enum wp_precision precision);

// The same where it does not take reversible transforms.
bool wp_backend_check_reversible(const struct wp_backend *backend);

// A backend's variant by name; NULL for a NULL name. False after WP_ERROR_USAGE where there is
// no such variant, or a description is given and the variant cannot compute it.
bool wp_backend_find_variant(const struct wp_backend *backend, const char *name,
                             const struct wp_description *description,
                             const struct wp_variant **variant);

#endif
