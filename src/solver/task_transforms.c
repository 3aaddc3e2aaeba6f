#include "task_transforms.h"

#include "dual.h"
#include "memory.h"

#include <stdlib.h>

// NULL after an error.
static struct wp_wavelet_steps *list_dual(const struct wp_wavelet *wavelet)
{
    struct wp_wavelet dual;
    struct wp_wavelet_steps *steps = wp_allocate(1, sizeof *steps, "a wavelet");
    if (!steps || !wp_wavelet_dual(wavelet, &dual)) {
        free(steps);
        return NULL;
    }
    wp_wavelet_list_steps(&dual, steps);
    return steps;
}

bool wp_task_make_transforms(const struct wp_task *task, const int padded[3], const char *backend,
                             bool current_context, struct wp_transform **forward,
                             struct wp_transform **back)
{
    const bool exact = task->form == WP_FORM_EXACT;
    struct wp_wavelet_steps *dual = exact ? list_dual(&task->wavelet) : NULL;
    if (exact && !dual)
        return false;
    struct wp_transform_params params = WP_TRANSFORM_PARAMS(
        .width = padded[0], .height = padded[1], .depth = padded[2], .planes = 2,
        .wavelet = task->wavelet_name, .border = "periodic", .norm = "orthonormal",
        .backend = backend, .current_context = current_context, .levels = task->levels,
        .levels_z = padded[2] > 1 ? task->levels : 0);
    *forward = wp_transform_create(&params);
    if (dual) {
        params.wavelet = NULL;
        params.wavelet_data = &dual->data;
    }
    *back = *forward ? wp_transform_create(&params) : NULL;
    free(dual);
    return *back != NULL;
}
