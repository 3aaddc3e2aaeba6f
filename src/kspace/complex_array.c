#include "complex_array.h"

#include "centre.h"
#include "fft.h"
#include "log.h"
#include "xmemory.h"

#include <math.h>
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

static void for_each_coil(struct wp_complex_array *array,
                          void (*move)(void *items, size_t bytes, const int size[3]))
{
    for (int i = 0; i < array->coils; i++)
        move(array->value + (size_t)i * wp_complex_samples(array), sizeof *array->value,
             array->size);
}

// Fills phase[k] = exp(sign 2 pi i k c/n) with c = n/2: exactly 1, -1, 1, ... if n is even.
static void fill_phases(int n, int sign, float complex *phase)
{
    for (int k = 0; k < n; k++) {
        const double fraction = (double)((long long)k * (n / 2) % n) / n;
        const double angle = sign * 2 * acos(-1) * fraction;
        phase[k] = n % 2 ? (float complex)cexp(angle * I) : k % 2 ? -1 : 1;
    }
}

// Moves the origin of the image, by phases in k-space with DC at index 0.
static void shift_phases(struct wp_complex_array *array, int sign)
{
    const int *n = array->size;
    float complex *phase = wp_xcalloc((size_t)n[0] + (size_t)n[1] + (size_t)n[2], sizeof *phase);
    float complex *const phase_y = phase + n[0], *const phase_z = phase_y + n[1];
    for (int axis = 0, at = 0; axis < 3; at += n[axis++])
        fill_phases(n[axis], sign, phase + at);
    float complex *value = array->value;
    for (int coil = 0; coil < array->coils; coil++)
        for (int z = 0; z < n[2]; z++)
            for (int y = 0; y < n[1]; y++, value += n[0])
                for (int x = 0; x < n[0]; x++)
                    value[x] *= phase[x] * (phase_y[y] * phase_z[z]);
    free(phase);
}

void wp_complex_centre(struct wp_complex_array *kspace)
{
    shift_phases(kspace, 1);
    for_each_coil(kspace, wp_centre);
}

void wp_complex_uncentre(struct wp_complex_array *kspace)
{
    for_each_coil(kspace, wp_uncentre);
    shift_phases(kspace, -1);
}
