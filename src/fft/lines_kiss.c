#include "fft.h"

#include "log.h"
#include "memory.h"

#include <kiss_fft.h>
#include <stdlib.h>
#include <string.h>

struct wp_fft_lines {
    int n;
    enum wp_fft_order order;
    kiss_fft_cfg plan;
};

_Static_assert(sizeof(kiss_fft_cpx) == sizeof(float complex), "kissfft must use float");

struct wp_fft_lines *wp_fft_lines_create(int n, enum wp_fft_order order,
                                         enum wp_fft_direction direction,
                                         enum wp_fft_effort effort)
{
    (void)effort; // there is only one algorithm
    struct wp_fft_lines *lines = wp_allocate(1, sizeof *lines, "an FFT");
    if (!lines)
        return NULL;
    lines->n = n;
    lines->order = order;
    lines->plan = kiss_fft_alloc(n, direction == WP_FFT_INVERSE, NULL, NULL);
    if (!lines->plan) {
        wp_fail(WP_ERROR_TOO_LARGE, "not enough memory for an FFT of %d samples", n);
        wp_fft_lines_destroy(&lines);
    }
    return lines;
}

void wp_fft_lines_destroy(struct wp_fft_lines **slot)
{
    struct wp_fft_lines *lines = *slot;
    *slot = NULL;
    if (!lines)
        return;
    kiss_fft_free(lines->plan);
    free(lines);
}

void wp_fft_lines_run(const struct wp_fft_lines *lines, float complex *block, float complex *line)
{
    const size_t n = (size_t)lines->n;
    kiss_fft_cpx *result = (kiss_fft_cpx *)line;
    for (size_t j = 0; j < WP_FFT_LINES; j++) {
        if (lines->order == WP_FFT_ROWS) {
            kiss_fft(lines->plan, (kiss_fft_cpx *)(block + j * n), result);
            memcpy(block + j * n, line, n * sizeof *line);
        } else {
            kiss_fft_stride(lines->plan, (kiss_fft_cpx *)(block + j), result, WP_FFT_LINES);
            for (size_t i = 0; i < n; i++)
                block[i * WP_FFT_LINES + j] = line[i];
        }
    }
}

const char *wp_fft_library(void)
{
    return "kissfft";
}

const char *wp_fft_licence(void)
{
    return "BSD, 3 clauses";
}
