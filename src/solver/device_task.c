#include "device_task.h"

#include "dual.h"
#include "memory.h"

#include <math.h>
#include <stdlib.h>

struct wp_task_shape wp_task_shape(const struct wp_task *task)
{
    const int unit = 1 << task->levels;
    const bool wavelet = task->form != WP_FORM_NO_WAVELET;
    struct wp_task_shape shape = {.samples = 1, .padded_samples = 1};
    for (int a = 0; a < 3; a++) {
        const int n = task->size[a];
        shape.padded[a] = n > 1 && wavelet ? (n + unit - 1) / unit * unit : n;
        shape.samples *= (size_t)n;
        shape.padded_samples *= (size_t)shape.padded[a];
        shape.gradient_axes += n > 1;
    }
    shape.unitary = 1 / sqrt((double)shape.samples);
    shape.descent = task->form == WP_FORM_EXACT || !task->model->diagonalises;
    return shape;
}

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

bool wp_task_make_transforms(const struct wp_task *task, const char *backend, bool current_context,
                             struct wp_transform **forward, struct wp_transform **inverse)
{
    const struct wp_task_shape shape = wp_task_shape(task);
    const int *padded = shape.padded;
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
    *inverse = *forward ? wp_transform_create(&params) : NULL;
    free(dual);
    return *inverse != NULL;
}
