// The registry of backends.
#ifndef WP_REGISTRY_H
#define WP_REGISTRY_H

#include "backend.h"

// All backends of this build, in the order in which `auto` tries them, terminated by NULL.
extern const struct wp_backend *const wp_backends[];

enum { WP_DEVICE_ANY = -1 };

// An open backend.
struct wp_backend_choice {
    const struct wp_backend *backend;
    struct wp_device *device;
    struct wp_device_info info;
    bool automatic;   // requested as "auto"
    bool past_software; // `auto`: OpenGL was skipped because it is software-rendered
    char reason[512]; // `auto`: why the backends before this one are not available; "" for the
                      // first one, and if OpenGL is software-rendered
};

// The backends that `auto` accepts if OpenGL is software-rendered.
enum wp_in_software {
    WP_IN_SOFTWARE_ANY,
    WP_IN_SOFTWARE_QUICK, // all but those whose programs take minutes to compile
    WP_IN_SOFTWARE_NONE,  // only backends without OpenGL: the CPU is faster, and more exact
};

// The policy of `auto`. `shaders`: the caller names a scheme, a variant or f16, which only shader
// backends support. For volumes it then accepts only those that compile quickly.
enum wp_in_software wp_backend_in_software(bool shaders, bool volumes);

// Finds a backend by name. NULL, without an error, if this build has none.
const struct wp_backend *wp_backend_named(const char *name);

// Finds a backend by name. NULL after WP_ERROR_USAGE with a suggestion.
const struct wp_backend *wp_backend_find(const char *name);

// Opens a backend by name, or for "auto" the first one of wp_backends that works and that
// `software` accepts. Does not fall back if a name or a device number is given: device numbers
// differ between backends, so that "auto" with a number is the first backend. False after
// WP_ERROR_USAGE (unknown name, with a suggestion) or WP_ERROR_UNAVAILABLE.
bool wp_backend_open(const char *name, int device, enum wp_in_software software,
                     struct wp_backend_choice *choice);
// Likewise for a description, NULL for any: "auto" skips backends that do not support its bank.
bool wp_backend_open_for(const struct wp_description *description, const char *name, int device,
                         enum wp_in_software software, struct wp_backend_choice *choice);
void wp_backend_close(struct wp_backend_choice *choice); // accepts {0}, resets to {0}

// False after WP_ERROR_USAGE if the backend does not support the precision.
bool wp_backend_check_precision(const struct wp_backend *backend, enum wp_precision precision);

// False after WP_ERROR_USAGE if the backend does not support reversible transforms.
bool wp_backend_check_reversible(const struct wp_backend *backend);

// False after WP_ERROR_USAGE if the backend does not support the bank; names those that do.
bool wp_backend_check_bank(const struct wp_backend *backend, enum wp_bank bank);

// Finds a variant of a backend by name; `*variant` is NULL for a NULL name. False after
// WP_ERROR_USAGE if it does not exist or does not support the description (may be NULL).
bool wp_backend_find_variant(const struct wp_backend *backend, const char *name,
                             const struct wp_description *description,
                             const struct wp_variant **variant);

#endif
