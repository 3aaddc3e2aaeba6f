// Volumes in double precision: the lifting program along one axis after the other, by its
// definition.
#ifndef WP_REFERENCE_VOLUME_H
#define WP_REFERENCE_VOLUME_H

#include "operand.h"

// Samples, or coefficients in the Mallat layout, of a description.
struct wp_reference_volume {
    struct wp_description description; // its wavelet may be gone
    struct wp_lifting lifting;
    double *value;
    double *line; // of the longest axis, with what lies beyond its ends
};

// False after WP_ERROR_TOO_LARGE, with {0} left.
bool wp_reference_volume_create(const struct wp_description *description,
                                struct wp_reference_volume *volume);
void wp_reference_volume_destroy(struct wp_reference_volume *volume); // accepts {0}

void wp_reference_volume_load(struct wp_reference_volume *volume, const struct wp_operand *from);
void wp_reference_volume_run(struct wp_reference_volume *volume);
void wp_reference_volume_store(const struct wp_reference_volume *volume,
                               const struct wp_operand *to);

#endif
