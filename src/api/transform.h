// Functions of a transform for the other layers of the program, in addition to wavepass.h.
#ifndef WP_TRANSFORM_H
#define WP_TRANSFORM_H

#include "registry.h"
#include "text.h"
#include "wavepass.h"

// False after WP_ERROR_USAGE if a wavelet has no reversible form; the message lists some that have.
bool wp_transform_check_reversible(const struct wp_wavelet *wavelet);

// A wavelet in the form of the library's interface. `data` points to the other members.
struct wp_wavelet_steps {
    struct wp_wavelet_data data;
    struct wp_step_data step[2 * WP_MAX_PAIRS];
    double tap[2 * WP_MAX_PAIRS][2 * WP_MAX_REACH + 1];
};
// Inline, since libwavepass-reconstruct does not contain this layer.
static inline void wp_wavelet_list_steps(const struct wp_wavelet *wavelet, const char *name,
                                         struct wp_wavelet_steps *list)
{
    *list = (struct wp_wavelet_steps){0};
    for (int s = 0; s < 2 * wavelet->pairs; s++) {
        const struct wp_filter *filter = wp_wavelet_step(wavelet, s);
        if (filter->count == 0)
            continue;
        const int first = filter->tap[0].k, last = filter->tap[filter->count - 1].k;
        list->step[s] = (struct wp_step_data){first, last - first + 1, list->tap[s]};
        for (int t = 0; t < filter->count; t++)
            list->tap[s][filter->tap[t].k - first] = filter->tap[t].c;
    }
    list->data = (struct wp_wavelet_data){name, 2 * wavelet->pairs, list->step, wavelet->zeta};
}

// Copies parameters of this version or an earlier one, whose struct was shorter: members that it
// did not have get their defaults. False after WP_ERROR_USAGE.
bool wp_transform_read_params(const struct wp_transform_params *given,
                              struct wp_transform_params *params);

// wp_transform_get_band() for a description.
bool wp_transform_band_of(const struct wp_description *description, int index,
                          struct wp_band_info *info);

// The description that the parameters resolve to, with the number of levels.
const struct wp_description *wp_transform_description(const struct wp_transform *transform);

// wp_description_group() for its description.
struct wp_description wp_transform_group(const struct wp_transform *transform, int depth);

// wp_transform_description() without a transform or a device. `description` points to `wavelet`.
// False after an error.
bool wp_transform_resolve(const struct wp_transform_params *params, struct wp_wavelet *wavelet,
                           struct wp_description *description);

// The backend and the device of a transform.
const struct wp_backend_choice *wp_transform_choice(const struct wp_transform *transform);

// Checks an image in the host's memory, that is read or written, and sets `image` to it with all
// strides filled in. False after WP_ERROR_USAGE.
bool wp_transform_check_image(struct wp_transform *transform, const struct wp_operand *given,
                              bool written, struct wp_operand *image);

// Pipelined execution of groups of slices, for a backend whose load, run and store overlap
// (backend.h) and a dyadic description. begin() allocates memory for one or two groups in flight
// and returns their number, 0 after an error. Then each group (item 0, 1, 2, ...) is loaded, run
// and stored, each step in a thread of the caller's. With n items in flight, item i may be loaded
// after item i - n has run, and run after item i - n has been stored.
int wp_transform_begin_items(struct wp_transform *transform, enum wp_direction direction);
bool wp_transform_load_item(struct wp_transform *transform, int item, const float *from);
bool wp_transform_run_item(struct wp_transform *transform, int item);
bool wp_transform_store_item(struct wp_transform *transform, int item, float *to);

// Called after the device was opened: may change scheme, form and variant to others that the device
// supports. `description` and `variant` (NULL: the backend's default) have the given values or the
// library's defaults.
typedef void (*wp_transform_choose)(void *user, const struct wp_backend_choice *on,
                                    struct wp_description *description,
                                    const struct wp_variant **variant);

struct wp_transform_chooser {
    wp_transform_choose choose; // only called before wp_transform_create_chosen() returns
    void *user;                 // for `choose`
    // Redirects errors to `text` until it is called with NULL.
    void (*capture)(struct wp_text *text);
    // NULL, or a transform of the same backend with which the new one shares its device. It must
    // outlive the new one.
    const struct wp_transform *shared;
};

// wp_transform_create() with a chooser, which may be NULL. If the chosen variant cannot be prepared
// in the first run, the transform falls back to the defaults after a warning.
struct wp_transform *wp_transform_create_chosen(const struct wp_transform_params *params,
                                                const struct wp_transform_chooser *chooser);

// True if the first run fell back to the defaults.
bool wp_transform_fell_back(const struct wp_transform *transform);

#endif
