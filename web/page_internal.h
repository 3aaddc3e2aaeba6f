// What the files of the page share.
#ifndef WP_PAGE_INTERNAL_H
#define WP_PAGE_INTERNAL_H

#include "backend.h"
#include "description.h"
#include "image.h"
#include "execute.h"
#include "plan.h"
#include "text.h"

// The text, NULL after an error where memory was short; `what` it is.
const char *page_give(struct wp_text *text, const char *what);

// ---- what it runs on (page.c) ----

struct page_machine {
    const struct wp_backend *backend;
    struct wp_gl *gl; // NULL on the CPU
    struct wp_device *device;
};

const struct page_machine *page_machine(void);

// ---- the image (page_image.c) ----

// What is transformed, of 1 or 3 planes one behind the other; NULL before there is one.
const struct wp_image *page_image(void);

// Samples of a plane, and of all.
size_t page_plane_samples(void);
size_t page_all_samples(void);

// ---- the wavelet (page_wavelets.c, page_taps.c) ----

// By name: one of a file, else as wp_wavelet_find() does.
bool page_find_wavelet(const char *name, struct wp_wavelet *wavelet);

// The wavelet that was taken, with and without changes of its coefficients.
const struct wp_wavelet *page_changed_wavelet(void);
const struct wp_wavelet *page_custom_wavelet(void);

// ---- transforms (page_transforms.c) ----

// A transform of the image, in one direction.
struct page_variant {
    struct wp_description description;
    struct wp_exec *exec;
    struct wp_plan *plan; // of passes, whatever the backend does
    float *result;        // planes one behind the other; NULL before the first run
    bool is_there;        // the result of this image
    struct wp_exec_seconds seconds;
};

// Of side 0 or 1. NULL after an error.
struct page_variant *page_find_variant(int number, int inverse);

// NULL after an error.
const struct wp_plan *page_plan(struct page_variant *variant);

// Makes exec ready to work. Planes go through together where they can.
bool page_prepare(struct page_variant *variant);

// What goes into a way, and the coefficients of a side: computed where they are not there. NULL
// after an error.
const float *page_input(int number, int inverse);
const float *page_coefficients(int number);

// Lets go of what was made ready; where it does for an image that has come, of results alone.
void page_forget_views(void);
void page_renew_views(bool fit);

// ---- passes (page_steps.c) ----

// The quads that page_step() has read last, of all planes, row by row, and where they lie; NULL
// where there are none.
const float *page_step_quads(struct wp_rect *domain);

#endif
