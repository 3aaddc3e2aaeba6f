// The transform of a volume in host memory, computed by the library, which supports groups of
// slices. The viewer displays slices of it (volume_tiles.h).
#ifndef WP_INSTANCE_VOLUME_H
#define WP_INSTANCE_VOLUME_H

#include "instance.h"
#include "measure.h"
#include "text.h"
#include "transform.h"

// All arrays have the volume's size. Coefficients have the Mallat layout, per group in its slices.
struct wp_instance_volume {
    struct wp_transform *transform;
    int depth;           // number of slices
    float *coefficients;
    float *changed;      // edited coefficients; NULL before the first edit
    const float *edited; // `coefficients` or `changed`
    float *image;        // result of the inverse; NULL before the first one
};

// Returns NULL after the error of wp_transform_create() or WP_ERROR_TOO_LARGE.
struct wp_instance_volume *wp_instance_volume_create(const struct wp_transform_params *params);
// Accepts NULL, sets the pointer to NULL.
void wp_instance_volume_destroy(struct wp_instance_volume **volume);

bool wp_instance_volume_forward(struct wp_instance_volume *volume, const float *samples,
                                double *seconds);
bool wp_instance_volume_edit(struct wp_instance_volume *volume, const struct wp_view_edit *edit);
bool wp_instance_volume_inverse(struct wp_instance_volume *volume, double *seconds);

// The number of groups, and the description of one group, which starts at slice `*first`.
int wp_instance_volume_groups(const struct wp_instance_volume *volume);
struct wp_description wp_instance_volume_group(const struct wp_instance_volume *volume, int group,
                                               int *first);

// Statistics of a band of the edited coefficients over all groups, or of the difference to the same
// band of `other` (coefficients, may be NULL). Adds the number of nonzero values to `nonzero` (may
// be NULL).
struct wp_measure wp_instance_volume_measure(const struct wp_instance_volume *volume, int level,
                                             enum wp_band band, const float *other,
                                             long long *nonzero);
// Statistics of an array of the volume's size, or of a - b if b is not NULL.
struct wp_measure wp_instance_volume_measure_all(const struct wp_instance_volume *volume,
                                                 const float *a, const float *b);

enum { WP_VIEW_EDITS_MAX = 3 };

// Options in order: name[i] with value text[i].
struct wp_view_edits {
    int count;
    const char *name[WP_VIEW_EDITS_MAX];
    struct wp_text text[WP_VIEW_EDITS_MAX];
};

// Converts edits of coefficients with the given description. Free with wp_view_edits_free().
void wp_view_edits_make(const struct wp_view_edit *edit, const struct wp_description *description,
                        struct wp_view_edits *edits);
void wp_view_edits_free(struct wp_view_edits *edits);

#endif
