// Volumes in double precision: the lifting program along one axis after another, as defined.
#ifndef WP_REFERENCE_VOLUME_H
#define WP_REFERENCE_VOLUME_H

#include "operand.h"

// Samples or coefficients, in the layout "mallat".
struct wp_reference_volume {
    struct wp_description description; // its wavelet may no longer exist
    struct wp_lifting lifting;
    double *value;
    double *line; // of the longest axis, with its extension at both ends
};

// False after WP_ERROR_TOO_LARGE; the struct is then {0}.
bool wp_reference_volume_create(const struct wp_description *description,
                                struct wp_reference_volume *volume);
void wp_reference_volume_destroy(struct wp_reference_volume *volume); // accepts {0}

void wp_reference_volume_load(struct wp_reference_volume *volume, const struct wp_operand *from);
void wp_reference_volume_run(struct wp_reference_volume *volume);
void wp_reference_volume_store(const struct wp_reference_volume *volume,
                               const struct wp_operand *to);

#endif
