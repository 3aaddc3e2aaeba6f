// What the program itself sees of a transform beyond wavepass.h.
#ifndef WP_TRANSFORM_H
#define WP_TRANSFORM_H

#include "registry.h"
#include "text.h"
#include "wavepass.h"

// False after WP_ERROR_USAGE, which names wavelets that are, where this one is not reversible.
bool wp_transform_check_reversible(const struct wp_wavelet *wavelet);

// Parameters of this version or an earlier one, whose struct was shorter: the rest takes its defaults.
// False after WP_ERROR_USAGE.
bool wp_transform_read_params(const struct wp_transform_params *given,
                              struct wp_transform_params *params);

// wp_transform_get_band() of a description.
bool wp_transform_band_of(const struct wp_description *description, int index,
                          struct wp_band_info *info);

// The options with names resolved and the number of levels chosen.
const struct wp_description *wp_transform_description(const struct wp_transform *transform);

// wp_description_group() of its description.
struct wp_description wp_transform_group(const struct wp_transform *transform, int depth);

// The same of a transform that is not created, without a device: for what reads its coefficients. The
// wavelet is kept in `wavelet`. False after an error.
bool wp_transform_describe(const struct wp_transform_params *params, struct wp_wavelet *wavelet,
                           struct wp_description *description);

// What it runs on.
const struct wp_backend_choice *wp_transform_choice(const struct wp_transform *transform);

// Groups of slices on their way at once, in steps: for a backend whose calls overlap (backend.h),
// and a description that is one of its own. begin() makes memory ready for as many as it returns,
// two or at least one; 0 after an error. Then each group, item 0, 1, 2, …, is loaded, run and
// stored, in threads as the backend allows it: an item is loaded when the one that had its memory
// before has been run, and run when that has been stored.
int wp_transform_begin_items(struct wp_transform *transform, enum wp_direction direction);
bool wp_transform_load_item(struct wp_transform *transform, int item, const float *from);
bool wp_transform_run_item(struct wp_transform *transform, int item);
bool wp_transform_store_item(struct wp_transform *transform, int item, float *to);

// Chooses what the options leave open, once the device is open: `description` and `variant` (NULL: the
// backend's own choice) hold what they name or the fixed rule says. May change scheme, form and
// variant to such as the device can execute.
typedef void (*wp_transform_choose)(void *user, const struct wp_backend_choice *on,
                                    struct wp_description *description,
                                    const struct wp_variant **variant);

struct wp_transform_chooser {
    wp_transform_choose choose;
    void *user; // of `choose`, which is called before the creation ends
    // Errors go to `text` until it is called with NULL.
    void (*capture)(struct wp_text *text);
    // NULL, or a transform of the same backend on whose device this one is to be. That ends later.
    const struct wp_transform *beside;
};

// As wp_transform_create(), which leaves all to the fixed rule, as NULL or no `choose` does. Where a choice cannot
// be made ready when it is to run, the fixed rule's is taken after a warning.
struct wp_transform *wp_transform_create_chosen(const struct wp_transform_params *params,
                                                const struct wp_transform_chooser *chooser);

// True where that was so in the first run, so that the information is about the fixed rule's.
bool wp_transform_fell_back(const struct wp_transform *transform);

#endif
