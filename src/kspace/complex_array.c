#include "complex_array.h"

#include "centre.h"
#include "fft.h"
#include "log.h"
#include "xmemory.h"

#include <stdlib.h>
#include <string.h>

struct wp_complex_array *wp_complex_create(const int size[3], int coils)
{
    struct wp_complex_array *array = wp_xcalloc(1, sizeof *array);
    memcpy(array->size, size, sizeof array->size);
    array->coils = coils;
    const size_t count = wp_complex_samples(array) * (size_t)coils;
    const size_t bytes = (count * sizeof *array->value + WP_FFT_ALIGNMENT - 1) /
                         WP_FFT_ALIGNMENT * WP_FFT_ALIGNMENT;
    array->value = aligned_alloc(WP_FFT_ALIGNMENT, bytes);
    if (array->value) {
        memset(array->value, 0, bytes);
    } else {
        wp_fail(WP_ERROR_TOO_LARGE, "not enough memory for %zu complex samples (%.1f MiB)", count,
                (double)bytes / 1048576);
        wp_complex_destroy(&array);
    }
    return array;
}

void wp_complex_destroy(struct wp_complex_array **slot)
{
    struct wp_complex_array *array = *slot;
    *slot = NULL;
    if (!array)
        return;
    free(array->value);
    free(array);
}

size_t wp_complex_samples(const struct wp_complex_array *array)
{
    return (size_t)array->size[0] * (size_t)array->size[1] * (size_t)array->size[2];
}

static void each_coil(struct wp_complex_array *array,
                      void (*move)(void *items, size_t bytes, const int size[3]))
{
    for (int i = 0; i < array->coils; i++)
        move(array->value + (size_t)i * wp_complex_samples(array), sizeof *array->value,
             array->size);
}

void wp_complex_centre(struct wp_complex_array *array)
{
    each_coil(array, wp_centre);
}

void wp_complex_uncentre(struct wp_complex_array *array)
{
    each_coil(array, wp_uncentre);
}
