#include "fft.h"

#include "log.h"
#include "memory.h"

#include <fftw3.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct wp_fft_lines {
    fftwf_plan plan;
};

// FFTW executes plans in any thread, but its planner is not thread-safe.
static pthread_mutex_t planner = PTHREAD_MUTEX_INITIALIZER;

// Measured plans take 0.6 to 0.9 of the time of estimated ones. Estimated plans have no time limit:
// with one, the plan would depend on the load of the machine.
static fftwf_plan create_plan(int n, enum wp_fft_order order, enum wp_fft_direction direction,
                              enum wp_fft_effort effort, fftwf_complex *block)
{
    const bool measured = effort == WP_FFT_MEASURED;
    const int step = order == WP_FFT_ROWS ? 1 : WP_FFT_LINES;
    const int next = order == WP_FFT_ROWS ? n : 1;
    const int sign = direction == WP_FFT_FORWARD ? FFTW_FORWARD : FFTW_BACKWARD;
    pthread_mutex_lock(&planner);
    fftwf_set_timelimit(measured ? 0.25 : FFTW_NO_TIMELIMIT);
    fftwf_plan plan = fftwf_plan_many_dft(1, &n, WP_FFT_LINES, block, NULL, step, next, block,
                                          NULL, step, next, sign,
                                          measured ? FFTW_MEASURE : FFTW_ESTIMATE);
    pthread_mutex_unlock(&planner);
    return plan;
}

struct wp_fft_lines *wp_fft_lines_create(int n, enum wp_fft_order order,
                                         enum wp_fft_direction direction,
                                         enum wp_fft_effort effort)
{
    const size_t bytes = (size_t)n * WP_FFT_LINES * sizeof(fftwf_complex);
    struct wp_fft_lines *lines = wp_allocate(1, sizeof *lines, "an FFT");
    fftwf_complex *block = aligned_alloc(WP_FFT_ALIGNMENT, bytes);
    if (lines && block) {
        memset(block, 0, bytes);
        lines->plan = create_plan(n, order, direction, effort, block);
    }
    if (lines && !lines->plan) {
        if (block)
            wp_fail(WP_ERROR_TOO_LARGE, "no FFT of %d samples (FFTW has no plan for it)", n);
        else
            wp_fail(WP_ERROR_TOO_LARGE, "not enough memory for an FFT of %d samples", n);
        wp_fft_lines_destroy(&lines);
    }
    free(block);
    return lines;
}

void wp_fft_lines_destroy(struct wp_fft_lines **slot)
{
    struct wp_fft_lines *lines = *slot;
    *slot = NULL;
    if (!lines)
        return;
    pthread_mutex_lock(&planner);
    if (lines->plan)
        fftwf_destroy_plan(lines->plan);
    pthread_mutex_unlock(&planner);
    free(lines);
}

void wp_fft_lines_run(const struct wp_fft_lines *lines, float complex *block, float complex *line)
{
    (void)line;
    fftwf_execute_dft(lines->plan, block, block);
}

const char *wp_fft_library(void)
{
    // Its format is "fftw-3.3.10-sse2-avx".
    static char text[32];
    const char *version = strncmp(fftwf_version, "fftw-", 5) == 0 ? fftwf_version + 5 : "";
    snprintf(text, sizeof text, "FFTW %.*s", (int)strcspn(version, "-"), version);
    return text;
}

const char *wp_fft_licence(void)
{
    return "GPL 2 or later: this program may be redistributed only under its terms";
}
