// An external program that uses an installed libwavepass. Two threads transform a region of a
// larger array into four separate band buffers and back, without a copy: one uses wavelet data, the
// other a wavelet file that is built into the library.
#include <wavepass.h>

#include <math.h>
#include <pthread.h>
#include <stdio.h>

enum { ALL = 300, WIDTH = 201, HEIGHT = 142, BANDS = 4, SAMPLES = ALL * ALL, FIRST = 5 * ALL + 17 };

// CDF 5/3: odd[n] -= (even[n] + even[n + 1]) / 2, even[n] += (odd[n - 1] + odd[n]) / 4.
static const double predict[] = {-0.5, -0.5}, update[] = {0.25, 0.25};
static const struct wp_step_data steps[] = {{0, 2, predict}, {-1, 2, update}};
static const struct wp_wavelet_data wavelet = {.name = "mine", .steps = 2, .step = steps};

struct job {
    const char *wavelet; // name; NULL: the wavelet above
    float array[SAMPLES], result[SAMPLES], band[BANDS][WIDTH * HEIGHT / 2];
};

// Returns NULL on success.
static void *run(void *user)
{
    struct job *w = user;
    const struct wp_transform_params params = WP_TRANSFORM_PARAMS(
        .width = WIDTH, .height = HEIGHT, .levels = 1, .wavelet = w->wavelet,
        .wavelet_data = w->wavelet ? NULL : &wavelet, .backend = "cpu");
    struct wp_transform *t = wp_transform_create(&params);
    const struct wp_operand band[BANDS] = {{.data = w->band[0]}, {.data = w->band[1]},
                                        {.data = w->band[2]}, {.data = w->band[3]}};
    const struct wp_operand from = {.data = w->array + FIRST, .stride = {1, ALL}};
    const struct wp_operand bands = {.band = band, .bands = BANDS};
    const struct wp_operand to = {.data = w->result + FIRST, .stride = {1, ALL}};
    for (int i = 0; i < SAMPLES; i++) {
        w->array[i] = (float)(i * 37 % 101) / 100;
        w->result[i] = -7.25F;
    }
    double error = t && wp_transform_forward(t, &from, &bands) &&
                   wp_transform_inverse(t, &bands, &to) ? 0 : INFINITY;
    // The round trip restores the samples, and samples outside the region are unchanged.
    for (int i = 0; i < SAMPLES; i++) {
        const int x = (i - FIRST) % ALL, y = (i - FIRST) / ALL;
        const int inside = i >= FIRST && x < WIDTH && y < HEIGHT;
        error = fmax(error, fabs(w->result[i] - (inside ? w->array[i] : -7.25)));
    }
    printf("%s: round trip %.1e %s\n", t ? wp_transform_get_info(t)->name : "none", error,
           wp_last_error_text());
    wp_transform_destroy(&t);
    return error < 1e-5 ? NULL : w;
}

int main(void)
{
    static struct job job[2] = {{.wavelet = "cdf75"}};
    pthread_t thread;
    void *failed = NULL;
    // WebAssembly builds without threads cannot create one: run one after the other.
    const int threaded = !pthread_create(&thread, NULL, run, &job[0]);
    void *const failed_here = run(&job[1]), *const failed_serial = threaded ? NULL : run(&job[0]);
    return (threaded && pthread_join(thread, &failed)) || failed || failed_here || failed_serial;
}
