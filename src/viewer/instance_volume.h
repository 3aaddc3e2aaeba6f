// The transform of a volume: through the computer's memory, by the library, which knows groups of
// slices. What is looked at of it are slices (volume_tiles.h).
#ifndef WP_INSTANCE_VOLUME_H
#define WP_INSTANCE_VOLUME_H

#include "measure.h"
#include "instance.h"
#include "transform.h"

// All arrays have the volume's size; coefficients lie in the layout mallat, those of each group in
// its slices.
struct wp_instance_volume {
    struct wp_transform *transform;
    int depth;           // slices
    float *coefficients;
    float *changed;      // by hand; NULL before the first time
    const float *edited; // one of the two
    float *image;        // what the inverse made, NULL before the first time
};

// NULL after the error of wp_transform_create() or WP_ERROR_TOO_LARGE.
struct wp_instance_volume *wp_instance_volume_create(const struct wp_transform_params *params);
void wp_instance_volume_destroy(struct wp_instance_volume **volume); // accepts NULL, clears the pointer

bool wp_instance_volume_forward(struct wp_instance_volume *volume, const float *samples, double *seconds);
bool wp_instance_volume_edit(struct wp_instance_volume *volume, const struct wp_view_edit *edit);
bool wp_instance_volume_inverse(struct wp_instance_volume *volume, double *seconds);

// Groups, and the description of one, whose first slice is `*first`.
int wp_instance_volume_groups(const struct wp_instance_volume *volume);
struct wp_description wp_instance_volume_group(const struct wp_instance_volume *volume, int group,
                                           int *first);

// Statistics of a band of what was edited, over all groups; or of that less the same band of
// `other`, an array of coefficients, where that is not NULL. How many are not zero is added to
// `nonzero` where that is not NULL.
struct wp_measure wp_instance_volume_measure(const struct wp_instance_volume *volume, int level,
                                         enum wp_band band, const float *other,
                                         long long *nonzero);
// Of an array of its size, or of a - b where b is not NULL.
struct wp_measure wp_instance_volume_measure_all(const struct wp_instance_volume *volume, const float *a,
                                             const float *b);

#endif
