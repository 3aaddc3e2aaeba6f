// Built-in images.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "image.h"
#include "image_files.h"
#include "pattern.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static void patterns_of_every_size(void **state)
{
    (void)state;
    static const char *const sizes[] = {"", ":1x1", ":1x7", ":37x5", ":64x64"};
    static const int expected[][2] = {{512, 512}, {1, 1}, {1, 7}, {37, 5}, {64, 64}};
    assert_true(wp_pattern_count() >= 7);
    for (int n = 0; n < wp_pattern_count(); n++) {
        assert_true(strlen(wp_pattern_get(n)->description) > 0);
        for (int s = 0; s < 5; s++) {
            char text[64];
            snprintf(text, sizeof text, "pattern:%s%s", wp_pattern_get(n)->name, sizes[s]);
            struct wp_image *image = wp_image_read(text);
            assert_non_null(image);
            const bool color = strcmp(wp_pattern_get(n)->name, "color") == 0;
            assert_shape(image, expected[s][0], expected[s][1], color ? 3 : 1, false, 32);
            float least = INFINITY, most = -INFINITY;
            for (int p = 0; p < image->planes; p++) {
                for (int i = 0; i < image->width * image->height; i++) {
                    least = fminf(least, image->plane[p][i]);
                    most = fmaxf(most, image->plane[p][i]);
                }
            }
            assert_true(least >= 0.0F && most <= 1.0F);
            if (s == 0)
                assert_true(most - least > 0.5F);
            wp_image_destroy(&image);
        }
    }
    assert_null(wp_pattern_get(wp_pattern_count()));
}

static void what_patterns_show(void **state)
{
    (void)state;
    struct wp_image *image = wp_pattern_create("impulse:9x4");
    float sum = 0.0F;
    for (int i = 0; i < 36; i++)
        sum += image->plane[0][i];
    assert_near(sum, 1.0, 0.0);
    assert_near(image->plane[0][2 * 9 + 4], 1.0, 0.0);
    wp_image_destroy(&image);

    image = wp_pattern_create("gradient:3x2");
    assert_near(image->plane[0][0], 0.0, 0.0);
    assert_near(image->plane[0][1], 0.25, 1e-7);
    assert_near(image->plane[0][5], 1.0, 0.0);
    wp_image_destroy(&image);

    // At the border of a zone plate neighbours alternate.
    image = wp_pattern_create("zone-plate:256x256");
    const float *row = image->plane[0] + 128 * 256;
    assert_true(fabsf(row[0] - row[1]) > 0.9F);
    assert_near(row[128], 1.0, 0.0);
    assert_near(row[129], 1.0, 1e-3);
    wp_image_destroy(&image);

    struct wp_image *noise[3] = {wp_pattern_create("noise:64x64"),
                                 wp_pattern_create("noise:64x64:0"),
                                 wp_pattern_create("noise:64x64:1")};
    const size_t bytes = 64 * 64 * sizeof(float);
    assert_memory_equal(noise[0]->plane[0], noise[1]->plane[0], bytes);
    int equal = 0;
    double mean = 0.0;
    for (int i = 0; i < 64 * 64; i++) {
        equal += memcmp(&noise[0]->plane[0][i], &noise[2]->plane[0][i], sizeof(float)) == 0;
        mean += noise[2]->plane[0][i] / 4096.0;
    }
    assert_int_equal(equal, 0);
    assert_true(fabs(mean - 0.5) < 0.02);
    for (int i = 0; i < 3; i++)
        wp_image_destroy(&noise[i]);
}

static void patterns_that_are_none(void **state)
{
    (void)state;
    static const struct {
        const char *text, *error;
    } cases[] = {
        {"pattern:zone-palte", "unknown pattern 'zone-palte'\nhint: did you mean 'zone-plate'?"},
        {"pattern:mandelbrot", "unknown pattern 'mandelbrot'\nhint: there are zone-plate, edges"},
        {"pattern:", "unknown pattern ''"},
        {"pattern:edges:", "bad size (WIDTHxHEIGHT, each 1 to 65536)"},
        {"pattern:edges:64", "bad size"},
        {"pattern:edges:0x64", "bad size"},
        {"pattern:edges:64x-1", "bad size"},
        {"pattern:edges:65537x1", "bad size"},
        {"pattern:edges:64x64px", "bad size"},
        {"pattern:edges:99999999999x1", "bad size"},
        {"pattern:edges:64x64:1", "takes no seed"},
        {"pattern:noise:64x64:x", "bad seed (a whole number)"},
        {"pattern:noise:64x64:1:2", "bad seed (a whole number)"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        assert_null(wp_image_read(cases[i].text));
        assert_error(WP_ERROR_USAGE, cases[i].error);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        IMAGE_TEST(patterns_of_every_size),
        IMAGE_TEST(what_patterns_show),
        IMAGE_TEST(patterns_that_are_none),
    };
    return cmocka_run_group_tests(tests, set_up_directory, remove_directory);
}
