// Measures of difference, compared with values computed by hand and, for SSIM, with scikit-image
// 0.26 (structural_similarity, gaussian_weights, sigma 1.5, use_sample_covariance False).
#include "log.h"
#include "metrics.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static struct wp_image *make(int width, int height, int planes)
{
    struct wp_image *image = wp_image_create(width, height, planes, false);
    assert_non_null(image);
    return image;
}

static void assert_close(double actual, double expected, double tolerance)
{
    if (!(fabs(actual - expected) <= tolerance))
        fail_msg("%.17g, not %.17g", actual, expected);
}

static struct wp_metrics compare(const struct wp_image *a, const struct wp_image *b)
{
    struct wp_metrics metrics;
    assert_true(wp_metrics_compare(a, b, &metrics));
    return metrics;
}

// Values in 0..1.
static void fill_noise(struct wp_image *image, uint32_t seed, float scale)
{
    for (int i = 0; i < image->width * image->height; i++) {
        seed = seed * 1664525u + 1013904223u;
        image->plane[0][i] = (float)(seed >> 8) / (float)(1 << 24) * scale;
    }
}

static void test_by_hand(void **state)
{
    (void)state;
    struct wp_image *a = make(4, 1, 2), *b = make(4, 1, 2);
    a->plane[0][1] = -7.25F;
    a->plane[1][2] = 1000;
    b->plane[1][2] = 996;
    b->plane[1][3] = 0.25F;
    const struct wp_metrics m = compare(a, b);
    assert_close(m.value[WP_METRIC_MAX], 7.25, 0);
    assert_close(m.value[WP_METRIC_MAE], (7.25 + 4 + 0.25) / 8, 1e-15);
    assert_close(m.value[WP_METRIC_MSE], (52.5625 + 16 + 0.0625) / 8, 1e-15);
    assert_close(m.value[WP_METRIC_PSNR], -10 * log10(68.625 / 8), 1e-12);
    assert_true(isnan(m.value[WP_METRIC_SSIM])); // fewer than 11 samples per side
    assert_int_equal(m.plane, 0);
    assert_int_equal(m.x, 1);
    assert_int_equal(m.y, 0);
    assert_int_equal(m.nonfinite, 0);
    wp_image_destroy(&a);
    wp_image_destroy(&b);
}

static void test_equal_images(void **state)
{
    (void)state;
    struct wp_image *a = make(13, 12, 1);
    fill_noise(a, 3, 1);
    const struct wp_metrics m = compare(a, a);
    assert_close(m.value[WP_METRIC_MAX], 0, 0);
    assert_true(isinf(m.value[WP_METRIC_PSNR]) && m.value[WP_METRIC_PSNR] > 0);
    assert_close(m.value[WP_METRIC_SSIM], 1, 1e-12);
    wp_image_destroy(&a);
}

static void test_position_of_the_maximum(void **state)
{
    (void)state;
    struct wp_image *a = make(20, 15, 3), *b = make(20, 15, 3);
    b->plane[2][7 * 20 + 19] = -0.5F;
    b->plane[2][8 * 20] = 0.5F; // not larger
    const struct wp_metrics m = compare(a, b);
    assert_int_equal(m.plane, 2);
    assert_int_equal(m.x, 19);
    assert_int_equal(m.y, 7);
    wp_image_destroy(&a);
    wp_image_destroy(&b);
}

static void test_ssim_against_scikit_image(void **state)
{
    (void)state;
    enum { WIDTH = 24, HEIGHT = 17 };
    struct wp_image *a = make(WIDTH, HEIGHT, 1), *b = make(WIDTH, HEIGHT, 1);
    fill_noise(b, 7, 1);
    for (int y = 0; y < HEIGHT; y++) {
        for (int x = 0; x < WIDTH; x++) {
            const int i = y * WIDTH + x;
            a->plane[0][i] = (float)((x + y) / 40.0);
            b->plane[0][i] = a->plane[0][i] + 0.25F * (b->plane[0][i] - 0.5F);
        }
    }
    struct wp_metrics m = compare(a, b);
    assert_close(m.value[WP_METRIC_SSIM], 0.5495257080373851, 1e-9);
    assert_close(m.value[WP_METRIC_MSE], 0.005235573930845916, 1e-12);
    assert_close(m.value[WP_METRIC_MAE], 0.0625769820283441, 1e-12);
    fill_noise(a, 1, 1);
    fill_noise(b, 2, 1);
    m = compare(a, b);
    assert_close(m.value[WP_METRIC_SSIM], -0.03496706266264713, 1e-9);
    wp_image_destroy(&a);
    wp_image_destroy(&b);
}

// SSIM of constant images depends only on their means; planes are averaged.
static void test_ssim_of_constants(void **state)
{
    (void)state;
    struct wp_image *a = make(11, 11, 2), *b = make(11, 11, 2);
    for (int i = 0; i < 11 * 11; i++) {
        a->plane[0][i] = 0.25F;
        b->plane[0][i] = 0.5F;
        a->plane[1][i] = b->plane[1][i] = 1000;
    }
    const double first = (2 * 0.125 + 1e-4) / (0.0625 + 0.25 + 1e-4);
    assert_close(compare(a, b).value[WP_METRIC_SSIM], (first + 1) / 2, 1e-9);
    wp_image_destroy(&a);
    wp_image_destroy(&b);
}

static void test_values_that_are_not_finite(void **state)
{
    (void)state;
    struct wp_image *a = make(12, 12, 1), *b = make(12, 12, 1);
    a->plane[0][5] = NAN;
    b->plane[0][5] = NAN;
    a->plane[0][6] = INFINITY;
    b->plane[0][6] = INFINITY;
    struct wp_metrics m = compare(a, b);
    assert_int_equal(m.nonfinite, 2);
    assert_int_equal(m.nonfinite_unequal, 0);
    assert_close(m.value[WP_METRIC_MAX], 0, 0);
    assert_true(isnan(m.value[WP_METRIC_SSIM]));

    b->plane[0][6] = -INFINITY;
    a->plane[0][30] = NAN;
    m = compare(a, b);
    assert_int_equal(m.nonfinite, 3);
    assert_int_equal(m.nonfinite_unequal, 2);
    assert_true(isinf(m.value[WP_METRIC_MAX]) && isinf(m.value[WP_METRIC_MSE]));
    assert_true(isinf(m.value[WP_METRIC_PSNR]) && m.value[WP_METRIC_PSNR] < 0);
    assert_int_equal(m.x, 6);
    wp_image_destroy(&a);
    wp_image_destroy(&b);
}

static void test_volumes(void **state)
{
    (void)state;
    // SSIM is computed for each of the two slices and averaged.
    struct wp_image *a = wp_image_create_volume(13, 12, 2, 1, false);
    struct wp_image *b = wp_image_create_volume(13, 12, 2, 1, false);
    struct wp_image *slice[2][2];
    const size_t size = 13 * 12;
    double ssim = 0;
    for (uint32_t z = 0; z < 2; z++) {
        for (uint32_t i = 0; i < 2; i++) {
            slice[z][i] = make(13, 12, 1);
            fill_noise(slice[z][i], 7 * z + i + 1, 0.5F);
            memcpy((i == 0 ? a : b)->plane[0] + z * size, slice[z][i]->plane[0],
                   size * sizeof(float));
        }
        ssim += compare(slice[z][0], slice[z][1]).value[WP_METRIC_SSIM] / 2;
    }
    assert_close(compare(a, b).value[WP_METRIC_SSIM], ssim, 1e-12);
    a->plane[0][size + 2 * 13 + 5] = 3;
    const struct wp_metrics m = compare(a, b);
    assert_int_equal(m.x, 5);
    assert_int_equal(m.y, 2);
    assert_int_equal(m.z, 1);
    a->geometry.has_size = true;
    struct wp_image *difference = wp_metrics_difference(a, b, 2);
    assert_int_equal(difference->depth, 2);
    assert_true(difference->geometry.has_size);
    assert_close((double)difference->plane[0][size + 2 * 13 + 5], m.value[WP_METRIC_MAX] / 2, 1e-6);
    for (int z = 0; z < 2; z++)
        for (int i = 0; i < 2; i++)
            wp_image_destroy(&slice[z][i]);
    wp_image_destroy(&difference);
    wp_image_destroy(&a);
    wp_image_destroy(&b);
}

static void test_likeness(void **state)
{
    (void)state;
    assert_true(wp_metric_is_likeness(WP_METRIC_PSNR) && wp_metric_is_likeness(WP_METRIC_SSIM));
    assert_false(wp_metric_is_likeness(WP_METRIC_MAX) || wp_metric_is_likeness(WP_METRIC_MSE));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_by_hand),
        cmocka_unit_test(test_equal_images),
        cmocka_unit_test(test_position_of_the_maximum),
        cmocka_unit_test(test_ssim_against_scikit_image),
        cmocka_unit_test(test_ssim_of_constants),
        cmocka_unit_test(test_values_that_are_not_finite),
        cmocka_unit_test(test_volumes),
        cmocka_unit_test(test_likeness),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
