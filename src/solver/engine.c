#define _DEFAULT_SOURCE // madvise()
// Functions that engines share.
#include "engine.h"

#include "log.h"
#include "memory.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>

enum { LINE = 64, HUGE_PAGE = 2 << 20 };

bool wp_floats_acquire(struct wp_floats *floats, size_t count, const char *purpose)
{
    const size_t bytes = count * sizeof(float), unit = bytes >= HUGE_PAGE ? HUGE_PAGE : LINE;
    floats->memory = wp_allocate(count + unit / sizeof(float), sizeof(float), purpose);
    if (!floats->memory)
        return false;
    const size_t skip = (unit - (uintptr_t)floats->memory % unit) % unit;
    floats->data = (float *)floats->memory + skip / sizeof(float);
    floats->count = count;
#ifdef MADV_HUGEPAGE
    // Only advice, so errors are ignored.
    if (unit == HUGE_PAGE)
        (void)madvise(floats->data, bytes, MADV_HUGEPAGE);
#endif
    return true;
}

void wp_floats_free(struct wp_floats *floats)
{
    free(floats->memory);
    *floats = (struct wp_floats){0};
}

// ---- shifts ----

// The mixing function of SplitMix64 (Steele, Lea and Flood 2014).
static unsigned long long scramble(unsigned long long x)
{
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ULL;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebULL;
    return x ^ (x >> 31);
}

void wp_shift_at(unsigned long long seed, int number, const int size[3], int shift[3])
{
    for (int a = 0; a < 3; a++) {
        const unsigned long long step = 3 * (unsigned long long)number + (unsigned long long)a + 1;
        shift[a] = (int)(scramble(seed + step * 0x9e3779b97f4a7c15ULL) %
                         (unsigned long long)size[a]);
    }
}

// ---- orthonormal wavelets ----

// The dot product of two filters, with `a` shifted by a number of samples.
static double product(const double *a, const double *b, int size, int shift)
{
    double sum = 0;
    for (int k = 0; k + shift < size; k++)
        sum += a[k + shift] * b[k];
    return sum;
}

bool wp_wavelet_check_orthonormal(const struct wp_wavelet *wavelet, bool *orthonormal)
{
    double *low = wp_allocate(2 * (size_t)WP_FILTER_SIZE, sizeof *low, "a wavelet's filters");
    double *const high = low ? low + WP_FILTER_SIZE : NULL;
    bool is_orthonormal = true;
    if (!low)
        return false;
    wp_wavelet_filters(wavelet, low, high);
    // Skip the zeros at both ends.
    int first = 0, end = WP_FILTER_SIZE;
    while (low[first] == 0 && high[first] == 0)
        first++;
    while (low[end - 1] == 0 && high[end - 1] == 0)
        end--;
    const double *const l = low + first, *const h = high + first;
    const int size = end - first;
    // The normalization has gains 2^(1/2) and 2^(-1/2). A high-pass sample is one sample after the
    // low-pass sample of its pair, so that pairs of both have odd shifts.
    for (int shift = 0; is_orthonormal && shift < size; shift += 2) {
        const double expected = shift == 0 ? 1 : 0;
        is_orthonormal = fabs(2 * product(l, l, size, shift) - expected) < 1e-6 &&
             fabs(product(h, h, size, shift) / 2 - expected) < 1e-6 &&
             fabs(product(l, h, size, shift + 1)) < 1e-6 &&
             fabs(product(h, l, size, shift + 1)) < 1e-6;
    }
    free(low);
    *orthonormal = is_orthonormal;
    return true;
}

// ---- tasks ----

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

bool wp_task_make_transforms(const struct wp_task *task, const int size[3],
                             struct wp_transform_params params, struct wp_transform **forward,
                             struct wp_transform **inverse)
{
    params.width = size[0];
    params.height = size[1];
    params.depth = size[2];
    params.planes = 2;
    params.wavelet = task->wavelet_name;
    params.norm = "orthonormal";
    params.levels = task->levels;
    params.levels_z = size[2] > 1 ? task->levels : 0;
    *forward = wp_transform_create(&params);
    params.adjoint = task->form == WP_FORM_EXACT;
    *inverse = *forward ? wp_transform_create(&params) : NULL;
    return *inverse != NULL;
}

void wp_task_laplacian(const struct wp_task *task, float *laplacian)
{
    for (int a = 0; a < 3; a++)
        for (int i = 0; i < task->size[a]; i++)
            *laplacian++ =
                (float)(2 - 2 * cos(2 * 3.14159265358979323846 * i / task->size[a]));
}
