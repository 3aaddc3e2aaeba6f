// Writers of images, tested with the readers; failing outputs; and image functions.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "image.h"
#include "image_files.h"
#include "image_io.h"
#include "pattern.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static void floats_survive(void **state)
{
    (void)state;
    static const char *const names[] = {"c.npy", "c.pfm", "c.tiff", "c.TIF"};
    for (int n = 0; n < 4; n++) {
        for (int planes = 1; planes <= 4; planes++) {
            for (int alpha = 0; alpha < (planes % 2 ? 1 : 2); alpha++) {
                if (n == 1 && planes % 2 == 0)
                    continue;
                struct wp_image *out = make_floats(planes, alpha);
                out->plane[0][0] = NAN;
                out->plane[0][1] = -INFINITY;
                assert_true(wp_image_write(out, path_to(names[n]), &coefficients));
                struct wp_image *in = wp_image_read(path_to(names[n]));
                assert_non_null(in);
                // NPY does not mark planes as alpha; TIFF does.
                assert_shape(in, WIDTH, HEIGHT, planes, n == 0 ? false : alpha, 32);
                for (int p = 0; p < planes; p++)
                    assert_memory_equal(in->plane[p], out->plane[p], PIXELS * sizeof(float));
                assert_near(in->plane[0][3], -7.25, 0.0);
                assert_near(in->plane[planes - 1][PIXELS - 2], 1000.0, 0.0);
                assert_int_equal(wp_image_count_nonfinite(in), 2);
                wp_image_destroy(&in);
                wp_image_destroy(&out);
                remove_all();
            }
        }
    }
}

static void pngs_round_and_clamp(void **state)
{
    (void)state;
    for (int planes = 1; planes <= 4; planes++) {
        for (int depth = 0; depth <= 16; depth += 8) {
            const double maximum = depth == 16 ? 65535.0 : 255.0;
            struct wp_image *out = wp_image_create(WIDTH, HEIGHT, planes, planes % 2 == 0);
            for (int p = 0; p < planes; p++)
                for (int i = 0; i < PIXELS; i++)
                    out->plane[p][i] = (float)((sample(p, i) + (i % 2 ? 0.3 : -0.3)) / maximum);
            out->plane[0][0] = -7.25F;
            out->plane[0][1] = 1000.0F;
            out->plane[0][2] = NAN;
            const struct wp_write_params params = {.depth = depth};
            assert_true(wp_image_write(out, path_to("p.png"), &params));
            struct wp_image *in = wp_image_read(path_to("p.png"));
            assert_non_null(in);
            assert_shape(in, WIDTH, HEIGHT, planes, planes % 2 == 0, depth == 16 ? 16 : 8);
            assert_near(in->plane[0][0], 0.0, 0.0);
            assert_near(in->plane[0][1], 1.0, 0.0);
            assert_near(in->plane[0][2], 0.0, 0.0);
            for (int p = 0; p < planes; p++)
                for (int i = 3; i < PIXELS; i++)
                    assert_near(in->plane[p][i], sample(p, i) / maximum, 1e-7);
            wp_image_destroy(&in);
            wp_image_destroy(&out);
            remove_all();
        }
    }
}

static void an_npy_file_byte_by_byte(void **state)
{
    (void)state;
    struct wp_image *image = make_floats(3, false);
    assert_true(wp_image_write(image, path_to("c.npy"), &coefficients));
    static struct bytes bytes;
    load(path_to("c.npy"), &bytes);
    assert_memory_equal(bytes.data, "\x93NUMPY\1\0", 8);
    const size_t start = 10 + bytes.data[8] + 256U * bytes.data[9];
    assert_int_equal(start % 64, 0);
    assert_int_equal(bytes.data[start - 1], '\n');
    static const char header[] = "{'descr': '<f4', 'fortran_order': False, 'shape': (5, 9, 3), } ";
    assert_memory_equal(bytes.data + 10, header, sizeof header - 1);
    assert_int_equal(bytes.size, start + PIXELS * 3 * 4);
    static const unsigned char minus_7_25[] = {0, 0, 0xe8, 0xc0};
    assert_memory_equal(bytes.data + start + 3 * 3 * 4, minus_7_25, 4);
    wp_image_destroy(&image);
}

static void invalid_outputs(void **state)
{
    (void)state;
    struct wp_image *image = make_floats(2, false);
    static const struct wp_write_params picture = {0};

    assert_false(wp_image_write(image, path_to("c.png"), &coefficients));
    assert_error(WP_ERROR_FILE,
                 "c.png cannot hold coefficients (signed 32-bit float)\n"
                 "hint: use .npy, .npz, .tiff, .pfm or .exr");
    assert_false(wp_image_write(image, path_to("c.jpg"), &picture));
    assert_error(WP_ERROR_FILE,
                 "c.jpg (unknown suffix)\nhint: use .png, .npy, .pfm, .tiff or .exr");
    assert_false(wp_image_write(image, path_to("npy"), &coefficients));
    assert_error(WP_ERROR_FILE, "npy (unknown suffix)\nhint: use .npy, .npz, .tiff, .pfm or .exr");
    assert_false(wp_image_write(image, path_to("c.pfm"), &coefficients));
    assert_error(WP_ERROR_FILE, "c.pfm cannot hold 2 planes (PFM has 1 or 3)\nhint: use .npy");
    assert_false(wp_image_write(image, path_to("c.png"), &(struct wp_write_params){.depth = 12}));
    assert_error(WP_ERROR_USAGE, "invalid depth 12");
    assert_false(wp_image_write(image, path_to("none/c.npy"), &coefficients));
    assert_error(WP_ERROR_FILE, "No such file or directory");
    assert_int_equal(count_files(), 0);
    wp_image_destroy(&image);
}

static void an_existing_file_stays(void **state)
{
    (void)state;
    struct wp_image *image = make_floats(1, false);
    static struct bytes bytes;
    bytes.size = 0;
    add_text(&bytes, "precious");
    save(path_to("c.npy"), &bytes);
    assert_false(wp_image_write_check(path_to("c.npy"), 1, &coefficients));
    assert_error(WP_ERROR_FILE, "c.npy exists");
    assert_false(wp_image_write(image, path_to("c.npy"), &coefficients));
    assert_error(WP_ERROR_FILE, "c.npy exists");
    load(path_to("c.npy"), &bytes);
    assert_int_equal(bytes.size, 8);
    assert_memory_equal(bytes.data, "precious", 8);

    const struct wp_write_params overwrite = {.overwrite = true};
    assert_true(wp_image_write_check(path_to("c.npy"), 1, &overwrite));
    assert_true(wp_image_write(image, path_to("c.npy"), &overwrite));
    load(path_to("c.npy"), &bytes);
    assert_memory_equal(bytes.data, "\x93NUMPY", 6);
    assert_int_equal(count_files(), 1);
    wp_image_destroy(&image);
}

static void full_disks(void **state)
{
    (void)state;
    if (access("/dev/full", W_OK) != 0) {
        print_message("skipped: no /dev/full\n");
        skip();
    }
    static const char *const names[] = {"full.npy", "full.pfm", "full.tiff", "full.png"};
    const struct wp_write_params overwrite = {.overwrite = true};
    for (int n = 0; n < 4; n++) {
        assert_int_equal(symlink("/dev/full", path_to(names[n])), 0);
        // An image that fits in the stream's buffer, and a larger one.
        for (int side = 4; side <= 400; side *= 100) {
            char text[64];
            snprintf(text, sizeof text, "noise:%dx%d", side, side);
            struct wp_image *image = wp_pattern_create(text);
            assert_non_null(image);
            assert_false(wp_image_write(image, path_to(names[n]), &overwrite));
            assert_error(WP_ERROR_FILE, "(No space left on device)");
            wp_image_destroy(&image);
        }
    }
    assert_int_equal(count_files(), 4);
}

static void a_directory_that_may_not_be_written(void **state)
{
    (void)state;
    if (geteuid() == 0) {
        print_message("skipped: root can write to any directory\n");
        skip();
    }
    struct wp_image *image = make_floats(1, false);
    assert_int_equal(chmod(test_directory, 0500), 0);
    const bool written = wp_image_write(image, path_to("c.npy"), &coefficients);
    assert_int_equal(chmod(test_directory, 0700), 0);
    assert_false(written);
    assert_error(WP_ERROR_FILE, "Permission denied");
    wp_image_destroy(&image);
}

// A pipe has no size, and its buffer is smaller than the image.
static void standard_input_and_output(void **state)
{
    (void)state;
    struct wp_image *out = wp_pattern_create("noise:300x200:7");
    out->plane[0][5] = -7.25F;
    int ends[2];
    assert_int_equal(pipe(ends), 0);
    fflush(NULL);
    const pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        dup2(ends[1], STDOUT_FILENO);
        close(ends[0]);
        close(ends[1]);
        _exit(wp_image_write(out, "-", &coefficients) ? 0 : 1);
    }
    const int saved = dup(STDIN_FILENO);
    dup2(ends[0], STDIN_FILENO);
    close(ends[0]);
    close(ends[1]);
    struct wp_image *in = wp_image_read("-");
    if (saved >= 0) {
        dup2(saved, STDIN_FILENO);
        close(saved);
    }
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    assert_non_null(in);
    assert_shape(in, 300, 200, 1, false, 32);
    assert_memory_equal(in->plane[0], out->plane[0], 300 * 200 * sizeof(float));
    wp_image_destroy(&in);
    wp_image_destroy(&out);
}

static void gray_is_luma(void **state)
{
    (void)state;
    struct wp_image *image = wp_image_create(1, 1, 4, true);
    image->plane[0][0] = -7.25F;
    image->plane[1][0] = 1000.0F;
    image->plane[2][0] = 0.5F;
    image->plane[3][0] = 0.25F;
    assert_int_equal(wp_image_colour_planes(image), 3);
    wp_image_to_gray(image);
    assert_shape(image, 1, 1, 2, true, 32);
    assert_int_equal(wp_image_colour_planes(image), 1);
    assert_near(image->plane[0][0], 0.299 * -7.25 + 587.0 + 0.114 * 0.5, 1e-4);
    assert_near(image->plane[1][0], 0.25, 0.0);
    wp_image_destroy(&image);
    assert_null(image);
    wp_image_destroy(&image);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        IMAGE_TEST(floats_survive),
        IMAGE_TEST(pngs_round_and_clamp),
        IMAGE_TEST(an_npy_file_byte_by_byte),
        IMAGE_TEST(invalid_outputs),
        IMAGE_TEST(an_existing_file_stays),
        IMAGE_TEST(full_disks),
        IMAGE_TEST(a_directory_that_may_not_be_written),
        IMAGE_TEST(standard_input_and_output),
        IMAGE_TEST(gray_is_luma),
    };
    return cmocka_run_group_tests(tests, set_up_directory, remove_directory);
}
