#include "dual.h"

#include "log.h"
#include "memory.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static struct wp_filter transpose(const struct wp_filter *filter)
{
    struct wp_filter transposed = {.count = filter->count};
    for (int t = 0; t < filter->count; t++) {
        const struct wp_tap *tap = &filter->tap[filter->count - 1 - t];
        transposed.tap[t] = (struct wp_tap){.k = -tap->k, .c = -tap->c};
    }
    return transposed;
}

bool wp_wavelet_dual(const struct wp_wavelet *wavelet, struct wp_wavelet *dual)
{
    if (wavelet->pairs == WP_MAX_PAIRS)
        return wp_fail(WP_ERROR_USAGE, "the adjoint of '%s' has more than %d lifting steps",
                       wavelet->name, 2 * WP_MAX_PAIRS);
    *dual = (struct wp_wavelet){.pairs = wavelet->pairs + 1, .zeta = 2 / wavelet->zeta};
    snprintf(dual->name, sizeof dual->name, "dual");
    snprintf(dual->title, sizeof dual->title, "dual");
    for (int p = 0; p < wavelet->pairs; p++) {
        dual->pair[p].update = transpose(&wavelet->pair[p].predict);
        dual->pair[p + 1].predict = transpose(&wavelet->pair[p].update);
    }
    const char *reason = wp_wavelet_finish(dual);
    return !reason || wp_fail(WP_ERROR_USAGE,
                              "the adjoint of '%s' is not the inverse of a wavelet transform (%s), "
                              "which the exact solution requires",
                              wavelet->name, reason);
}

void wp_wavelet_list_steps(const struct wp_wavelet *wavelet, struct wp_wavelet_steps *list)
{
    *list = (struct wp_wavelet_steps){0};
    for (int s = 0; s < 2 * wavelet->pairs; s++) {
        const struct wp_pair *pair = &wavelet->pair[s / 2];
        const struct wp_filter *filter = s % 2 ? &pair->update : &pair->predict;
        if (filter->count == 0)
            continue;
        const int first = filter->tap[0].k, last = filter->tap[filter->count - 1].k;
        list->step[s] = (struct wp_step_data){first, last - first + 1, list->tap[s]};
        for (int t = 0; t < filter->count; t++)
            list->tap[s][filter->tap[t].k - first] = filter->tap[t].c;
    }
    list->data = (struct wp_wavelet_data){"dual", 2 * wavelet->pairs, list->step, wavelet->zeta};
}

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
