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

static void values_of_patterns(void **state)
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

    // At the border of a zone plate neighbors alternate.
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

static const float *voxel(const struct wp_image *image, int x, int y, int z)
{
    return &image->plane[0][((size_t)z * (size_t)image->height + (size_t)y) * (size_t)image->width +
                            (size_t)x];
}

static void patterns_of_volumes(void **state)
{
    (void)state;
    static const char *const names[] = {"ball", "shepp-logan", "moving-zone-plate", "noise",
                                        "impulse"};
    static const int sizes[][3] = {{1, 1, 9}, {7, 1, 2}, {5, 3, 7}, {33, 31, 29}};
    for (int n = 0; n < 5; n++) {
        for (int s = 0; s < 4; s++) {
            char text[64];
            snprintf(text, sizeof text, "pattern:%s:%dx%dx%d", names[n], sizes[s][0], sizes[s][1],
                     sizes[s][2]);
            struct wp_image *image =
                wp_image_read_with(text, &(struct wp_read_params){.volume = WP_VOLUME_YES}, NULL);
            assert_non_null(image);
            assert_shape(image, sizes[s][0], sizes[s][1], 1, false, 32);
            assert_int_equal(image->depth, sizes[s][2]);
            float least = INFINITY, most = -INFINITY;
            for (size_t i = 0; i < wp_image_samples(image); i++) {
                least = fminf(least, image->plane[0][i]);
                most = fmaxf(most, image->plane[0][i]);
            }
            assert_true(least >= 0.0F && most <= 1.0F);
            if (s == 3)
                assert_true(most - least > 0.9F);
            wp_image_destroy(&image);
        }
    }
}

static void values_of_volumes(void **state)
{
    (void)state;
    // The number of voxels is a ball's volume, and all axes are equal.
    struct wp_image *image = wp_pattern_create("ball:40x40x40");
    double sum = 0.0;
    for (size_t i = 0; i < wp_image_samples(image); i++)
        sum += (double)image->plane[0][i];
    const double radius = 0.42 * 40.0;
    assert_true(fabs(sum / (4.0 / 3.0 * 3.14159265358979 * radius * radius * radius) - 1.0) < 0.01);
    for (int i = 0; i < 40; i++) {
        assert_near(*voxel(image, i, 20, 20), (double)*voxel(image, 20, i, 20), 1e-6);
        assert_near(*voxel(image, i, 20, 20), (double)*voxel(image, 20, 20, i), 1e-6);
    }
    wp_image_destroy(&image);

    // Skull, brain, ventricles and spots, with the summed densities of the table.
    image = wp_pattern_create("shepp-logan:101x101x101");
    assert_near(*voxel(image, 0, 0, 50), 0.0, 0.0);
    assert_near(*voxel(image, 50, 5, 50), 1.0, 0.0);        // y 0.9
    assert_near(*voxel(image, 50, 50, 50), 0.2, 1e-6);      // the middle
    assert_near(*voxel(image, 61, 50, 50), 0.0, 1e-6);      // x 0.22
    assert_near(*voxel(image, 39, 50, 50), 0.0, 1e-6);      // x -0.22
    assert_near(*voxel(image, 50, 33, 43), 0.3, 1e-6);      // y 0.35 z -0.14
    assert_near(*voxel(image, 50, 45, 63), 0.3, 1e-6);      // y 0.1 z 0.26
    assert_near(*voxel(image, 50, 45, 50), 0.2, 1e-6);      // not at z 0
    assert_near(*voxel(image, 50, 50, 90), 1.0, 0.0);       // z 0.79
    assert_near(*voxel(image, 50, 50, 92), 0.0, 0.0);       // z 0.83
    // Rotated clockwise: the upper end of the right ventricle is further right.
    assert_near(*voxel(image, 65, 38, 50), 0.0, 1e-6);
    assert_true(*voxel(image, 57, 38, 50) > 0.1F);
    wp_image_destroy(&image);

    // The middle frame equals the image of that name; the corners alternate from frame to frame.
    image = wp_pattern_create("moving-zone-plate:33x31x64");
    assert_true(image->geometry.frames);
    struct wp_image *still = wp_pattern_create("zone-plate:33x31");
    for (int i = 0; i < 33 * 31; i++)
        assert_near(*(voxel(image, 0, 0, 32) + i), (double)still->plane[0][i], 1e-6);
    assert_true(fabsf(*voxel(image, 16, 15, 0) - *voxel(image, 16, 15, 1)) > 0.9F);
    wp_image_destroy(&still);
    wp_image_destroy(&image);

    image = wp_pattern_create("impulse:5x3x7");
    assert_near(*voxel(image, 2, 1, 3), 1.0, 0.0);
    wp_image_destroy(&image);

    // The first slice of noise equals the image of that seed.
    image = wp_pattern_create("noise:9x5x3:7");
    still = wp_pattern_create("noise:9x5:7");
    assert_memory_equal(image->plane[0], still->plane[0], PIXELS * sizeof(float));
    assert_memory_not_equal(image->plane[0], image->plane[0] + PIXELS, PIXELS * sizeof(float));
    wp_image_destroy(&still);
    wp_image_destroy(&image);

    static const struct {
        const char *text, *error;
    } cases[] = {
        {"ball:5x5x0", "bad size (WIDTHxHEIGHT or WIDTHxHEIGHTxDEPTH, each 1 to 65536)"},
        {"ball:5x5x5x5", "bad size"},
        {"ball:5x5x", "bad size"},
        {"edges:5x5x5", "bad size (WIDTHxHEIGHT, each 1 to 65536)"},
        {"ball:5x5x5:1", "takes no seed"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        assert_null(wp_pattern_create(cases[i].text));
        assert_error(WP_ERROR_USAGE, cases[i].error);
    }
    assert_null(wp_pattern_create("noise:65536x65536x65536"));
    assert_error(WP_ERROR_TOO_LARGE, "not enough memory for a volume of 65536x65536x65536 (needs ");
}

static void invalid_patterns(void **state)
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
        IMAGE_TEST(values_of_patterns),
        IMAGE_TEST(patterns_of_volumes),
        IMAGE_TEST(values_of_volumes),
        IMAGE_TEST(invalid_patterns),
    };
    return cmocka_run_group_tests(tests, set_up_directory, remove_directory);
}
