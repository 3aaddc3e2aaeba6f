// Coefficient files and the description beside them.
#include "coefficients.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "image_files.h"

static const struct wp_coefficients_params images = {.read = {.volume = WP_VOLUME_NO}};

static struct wp_sidecar describe(void)
{
    struct wp_wavelet wavelet;
    assert_true(wp_wavelet_find("cdf97", &wavelet));
    const struct wp_description plan = {
        .wavelet = &wavelet,
        .kind = &wp_scheme_kinds[0],
        .border = WP_BORDER_PERIODIC,
        .layout = WP_LAYOUT_MIXED,
        .levels = 1,
        .size = {WIDTH + 1, HEIGHT + 1},
    };
    return wp_sidecar_of(&plan, NULL, "reference", NULL);
}

// Gray and alpha, of an image of 16 bits.
static struct wp_image *make(void)
{
    struct wp_image *image = wp_image_create(WIDTH + 1, HEIGHT + 1, 2, true);
    image->source_bits = 16;
    for (size_t i = 0; i < (WIDTH + 1) * (HEIGHT + 1); i++)
        image->plane[0][i] = (float)i - 7.25F;
    return image;
}

static void test_what_is_written_is_read(void **state)
{
    (void)state;
    const struct wp_sidecar written = describe();
    struct wp_image *image = make(), *back;
    struct wp_sidecar read;
    bool described;
    size_t nonfinite;
    const char *path = path_to("c.npy");
    assert_true(wp_coefficients_write_check(path, 2, 1, false));
    assert_true(wp_coefficients_write(image, &written, path, false));
    assert_int_equal(count_files(), 2);
    back = wp_coefficients_read(path, &images, &read, &described, &nonfinite);
    assert_non_null(back);
    assert_true(described);
    assert_shape(back, WIDTH + 1, HEIGHT + 1, 2, true, 16);
    assert_memory_equal(back->plane[0], image->plane[0],
                        (WIDTH + 1) * (HEIGHT + 1) * sizeof(float));
    assert_string_equal(read.wavelet_name, "cdf97");
    assert_true(read.has_steps && wp_sidecar_same_steps(&read.wavelet, &written.wavelet));
    assert_int_equal(read.border, WP_BORDER_PERIODIC);
    assert_int_equal(read.layout, WP_LAYOUT_MIXED);
    assert_int_equal(read.levels, 1);
    wp_image_destroy(&back);
    wp_image_destroy(&image);
}

static void test_without_a_description(void **state)
{
    (void)state;
    const struct wp_sidecar sidecar = describe();
    struct wp_image *image = make(), *back;
    struct wp_sidecar read;
    bool described = true;
    size_t nonfinite;
    assert_true(wp_coefficients_write(image, &sidecar, path_to("c.npy"), false));
    assert_int_equal(unlink(path_to("c.npy.json")), 0);
    back = wp_coefficients_read(path_to("c.npy"), &images, &read, &described, &nonfinite);
    assert_false(described);
    assert_shape(back, WIDTH + 1, HEIGHT + 1, 2, false, 32); // the planes of NPY are all data
    wp_image_destroy(&back);
    wp_image_destroy(&image);
}

static void test_description_of_another_file(void **state)
{
    (void)state;
    struct wp_sidecar sidecar = describe(), read;
    struct wp_image *image = make();
    bool described;
    size_t nonfinite;
    sidecar.width--;
    sidecar.border = WP_BORDER_SYMMETRIC; // takes odd sides
    assert_true(wp_coefficients_write(image, &sidecar, path_to("c.npy"), false));
    assert_null(wp_coefficients_read(path_to("c.npy"), &images, &read, &described, &nonfinite));
    assert_error(WP_ERROR_FILE, "describes 9x6, but the coefficients have 10x6");
    wp_image_destroy(&image);
}

// Refused beforehand and then, and nothing is left of either file.
static void refuse(const struct wp_image *image, const char *name, const char *error)
{
    const struct wp_sidecar sidecar = describe();
    const int files = count_files();
    assert_false(wp_coefficients_write_check(path_to(name), image->planes, 1, false));
    assert_error(WP_ERROR_FILE, error);
    assert_false(wp_coefficients_write(image, &sidecar, path_to(name), false));
    assert_error(WP_ERROR_FILE, error);
    assert_int_equal(count_files(), files);
}

static void test_both_or_none(void **state)
{
    (void)state;
    struct wp_image *image = make();
    const struct bytes mine = {.size = 0};
    refuse(image, "c.png", "c.png cannot hold coefficients");
    refuse(image, "no/c.npy", "(No such file or directory)");
    save(path_to("a.npy.json"), &mine);
    refuse(image, "a.npy", "a.npy.json exists");
    save(path_to("b.npy"), &mine);
    refuse(image, "b.npy", "b.npy exists");
    wp_image_destroy(&image);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        IMAGE_TEST(test_what_is_written_is_read),
        IMAGE_TEST(test_without_a_description),
        IMAGE_TEST(test_description_of_another_file),
        IMAGE_TEST(test_both_or_none),
    };
    return cmocka_run_group_tests(tests, set_up_directory, remove_directory);
}
