// Exhausted memory in a reconstruction: whichever allocation of libwavepass-reconstruct fails, the
// call fails with a message and leaks nothing.
#include "failing_heap.h"
#include "wavepass_reconstruct.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

// Three axes; two of them are padded for the wavelet.
enum { WIDTH = 12, HEIGHT = 10, DEPTH = 4, COILS = 2, SAMPLES = WIDTH * HEIGHT * DEPTH };

struct config {
    const char *name, *wavelet;
    double tv, wav;
    bool spin, exact;
    int coils;
};

static float data[2 * SAMPLES * COILS], maps[2 * SAMPLES * COILS];
static unsigned char mask[SAMPLES];

static void make_data(void)
{
    for (int i = 0; i < 2 * SAMPLES * COILS; i++) {
        data[i] = (float)(i * 7919 % 1000) / 999 - 0.5F;
        maps[i] = i % 2 ? 0.1F : 0.7F;
    }
    for (int i = 0; i < SAMPLES; i++)
        mask[i] = i % 3 != 1;
}

// A run that fails for lack of memory can be continued when memory is available.
static bool run(struct wp_reconstruct *r)
{
    if (wp_reconstruct_run(r, NULL, NULL))
        return true;
    failing_heap_expect_short();
    failing_heap_from(0, false);
    return wp_reconstruct_run(r, NULL, NULL);
}

static bool reconstruct(const void *user, void *image)
{
    const struct config *config = user;
    static const int size[3] = {WIDTH, HEIGHT, DEPTH};
    failing_heap_start();
    struct wp_cartesian *model =
        wp_cartesian_create(size, mask, config->coils > 1 ? maps : NULL, config->coils, 1);
    if (!model)
        return false;
    const struct wp_reconstruct_params params = WP_RECONSTRUCT_PARAMS(
        .width = WIDTH, .height = HEIGHT, .depth = DEPTH, .tv = config->tv, .wav = config->wav,
        .wavelet = config->wavelet, .levels = 2, .outer = 2, .inner = 2, .spin = config->spin,
        .exact = config->exact, .threads = 1);
    struct wp_reconstruct *r = wp_reconstruct_create(&params, wp_cartesian_model(model), data);
    const bool created = r != NULL;
    if (created)
        assert_true(run(r) && wp_reconstruct_image(r, image));
    wp_reconstruct_destroy(&r);
    wp_cartesian_destroy(&model);
    return created;
}

static void test_every_allocation(void **state)
{
    (void)state;
    static const struct config configs[] = {
        {"total variation", "haar", .tv = 1, .coils = 1},
        {"with Haar", "haar", .tv = 1, .wav = 0.1, .coils = 1},
        {"Haar, cycle spinning", "haar", .wav = 1, .spin = true, .coils = 1},
        {"9/7 as an image", "cdf97", .tv = 1, .wav = 0.3, .coils = 1},
        {"9/7, exact", "cdf97", .tv = 1, .wav = 0.3, .exact = true, .coils = 1},
        {"two coils", "haar", .tv = 1, .wav = 0.1, .coils = COILS},
    };
    make_data();
    for (size_t i = 0; i < sizeof configs / sizeof *configs; i++) {
        const struct failing_heap_operation operation = {configs[i].name, reconstruct, &configs[i],
                                                         2 * SAMPLES * sizeof(float)};
        failing_heap_try(&operation, false, 3);
        failing_heap_try(&operation, true, 3);
    }
}

int main(void)
{
    wp_log_set_handler(failing_heap_message, NULL);
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_every_allocation)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
