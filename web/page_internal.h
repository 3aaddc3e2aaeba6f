// Declarations shared by the files of the page.
#ifndef WP_PAGE_INTERNAL_H
#define WP_PAGE_INTERNAL_H

#include "backend.h"
#include "description.h"
#include "image.h"
#include "plan.h"
#include "schedule.h"
#include "text.h"

// The text, or NULL after an error if memory was exhausted. `purpose` names it in the message.
static inline const char *page_get_text(struct wp_text *text, const char *purpose)
{
    return wp_text_is_complete(text, purpose) ? wp_text_get(text) : NULL;
}

// ---- the wavelet (page_wavelets.c) ----

// The selected wavelet, with and without changes of its coefficients.
const struct wp_wavelet *page_changed_wavelet(void);
const struct wp_wavelet *page_selected_wavelet(void);

// ---- device, image and transforms (page_transforms.c) ----

struct page_machine {
    const struct wp_backend *backend;
    struct wp_gl *gl; // NULL on the CPU
    struct wp_device *device;
};

const struct page_machine *page_machine(void);

// The image to be transformed, 1 or 3 planes one after the other; NULL before the first image.
const struct wp_image *page_image(void);

// Sets the image, whose samples must exist until the next call. Releases the views, or if size and
// number of planes do not change only invalidates their results.
void page_set_image(const struct wp_image *image);

// Number of samples of a plane.
size_t page_plane_samples(void);

// A transform of a view in one direction.
struct page_transform {
    struct wp_description description;
    struct wp_exec *exec; // of what backends compute, else
    struct wp_plan *plan; // of borders of PyWavelets, and of packets
    struct wp_schedule *schedule; // schedule of passes, for any backend; see page_schedule()
    float *result;        // planes one after the other; NULL before the first run
    bool is_current;      // the result is of the current image
    struct wp_exec_seconds seconds;
};

// A transform of view 0 or 1. NULL after an error.
struct page_transform *page_find_transform(int number, int inverse);

// Is it executed by a plan?
bool page_is_planned(const struct page_transform *transform);

// The transform whose passes are shown: the transform itself, of packets the first level, which is one
// of the decimated bank. Every level of packets does the same with each node.
struct wp_description page_passes_of(const struct page_transform *transform);

// The input of these passes. NULL after an error.
const float *page_passes_input(int number, int inverse);

// The schedule of these passes, created on first use; for borders of PyWavelets that of a level. NULL
// after an error.
const struct wp_schedule *page_schedule(struct page_transform *transform);

// Prepares exec or plan. An exec transforms all planes at once if the backend can.
bool page_prepare(struct page_transform *transform);

// Elements of a plane of the input or the result.
size_t page_elements(const struct page_transform *transform, bool result);

// The input of a transform, and the coefficients of a view, computed if necessary. NULL after an
// error.
const float *page_input(int number, int inverse);
const float *page_coefficients(int number);

// ---- passes (page_steps.c) ----

// The quads of the latest page_step(), of all planes, row by row, and their rectangle; NULL if
// there are none.
const float *page_step_quads(struct wp_rect *domain);

// The level of a step; 0 if there is no such step.
int page_step_level(int number, int inverse, int step);

#endif
