// Coefficient files and their metadata files.
#include "coefficients.h"
#include "tile_store.h"

#include <fcntl.h>
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
    const struct wp_description description = {
        .wavelet = &wavelet,
        .kind = &wp_scheme_kinds[0],
        .border = WP_BORDER_PERIODIC,
        .layout = WP_LAYOUT_MIXED,
        .levels = 1,
        .size = {WIDTH + 1, HEIGHT + 1},
    };
    return wp_sidecar_of(&description, NULL, "reference", NULL);
}

// Gray and alpha, of a 16-bit image.
static struct wp_image *make(void)
{
    struct wp_image *image = wp_image_create(WIDTH + 1, HEIGHT + 1, 2, true);
    image->origin.bits = 16;
    for (size_t i = 0; i < (WIDTH + 1) * (HEIGHT + 1); i++)
        image->plane[0][i] = (float)i - 7.25F;
    return image;
}

static void test_round_trip(void **state)
{
    (void)state;
    const struct wp_sidecar written = describe();
    struct wp_image *image = make(), *result;
    struct wp_sidecar read;
    bool described;
    size_t nonfinite;
    const char *path = path_to("c.npy");
    assert_true(wp_coefficients_write_check(path, 2, 1, false));
    assert_true(wp_coefficients_write(image, &written, path, false));
    assert_int_equal(count_files(), 2);
    result = wp_coefficients_read(path, &images, &read, &described, &nonfinite);
    assert_non_null(result);
    assert_true(described);
    assert_shape(result, WIDTH + 1, HEIGHT + 1, 2, true, 16);
    assert_memory_equal(result->plane[0], image->plane[0],
                        (WIDTH + 1) * (HEIGHT + 1) * sizeof(float));
    assert_string_equal(read.wavelet_name, "cdf97");
    assert_true(read.has_steps && wp_wavelet_same_steps(&read.wavelet, &written.wavelet));
    assert_int_equal(read.description.border, WP_BORDER_PERIODIC);
    assert_int_equal(read.description.layout, WP_LAYOUT_MIXED);
    assert_int_equal(read.description.levels, 1);
    wp_image_destroy(&result);
    wp_image_destroy(&image);
}

static void test_without_a_description(void **state)
{
    (void)state;
    const struct wp_sidecar sidecar = describe();
    struct wp_image *image = make(), *result;
    struct wp_sidecar read;
    bool described = true;
    size_t nonfinite;
    assert_true(wp_coefficients_write(image, &sidecar, path_to("c.npy"), false));
    assert_int_equal(unlink(path_to("c.npy.json")), 0);
    result = wp_coefficients_read(path_to("c.npy"), &images, &read, &described, &nonfinite);
    assert_false(described);
    assert_shape(result, WIDTH + 1, HEIGHT + 1, 2, false, 32); // NPY does not mark planes as alpha
    wp_image_destroy(&result);
    wp_image_destroy(&image);
}

static void test_description_of_another_file(void **state)
{
    (void)state;
    struct wp_sidecar sidecar = describe(), read;
    struct wp_image *image = make();
    bool described;
    size_t nonfinite;
    sidecar.description.size[WP_X]--;
    sidecar.description.border = WP_BORDER_SYMMETRIC; // supports odd sizes
    assert_true(wp_coefficients_write(image, &sidecar, path_to("c.npy"), false));
    assert_null(wp_coefficients_read(path_to("c.npy"), &images, &read, &described, &nonfinite));
    assert_error(WP_ERROR_FILE, "describes 9x6, but the coefficients have 10x6");
    wp_image_destroy(&image);
}

// Rejected by the check and by the write, which leaves no files.
static void expect_rejection(const struct wp_image *image, const char *name, const char *error)
{
    const struct wp_sidecar sidecar = describe();
    const int files = count_files();
    assert_false(wp_coefficients_write_check(path_to(name), image->planes, 1, false));
    assert_error(WP_ERROR_FILE, error);
    assert_false(wp_coefficients_write(image, &sidecar, path_to(name), false));
    assert_error(WP_ERROR_FILE, error);
    assert_int_equal(count_files(), files);
}

static void test_no_partial_output(void **state)
{
    (void)state;
    struct wp_image *image = make();
    const struct bytes empty = {.size = 0};
    expect_rejection(image, "c.png", "c.png cannot hold coefficients");
    expect_rejection(image, "no/c.npy", "(No such file or directory)");
    save(path_to("a.npy.json"), &empty);
    expect_rejection(image, "a.npy", "a.npy.json exists");
    save(path_to("b.npy"), &empty);
    expect_rejection(image, "b.npy", "b.npy exists");
    wp_image_destroy(&image);
}

static bool write_bytes(void *file_number, unsigned long long at, const void *bytes, size_t count)
{
    return pwrite(*(int *)file_number, bytes, count, (off_t)at) == (ssize_t)count;
}

static bool read_bytes(void *file_number, unsigned long long at, void *bytes, size_t count)
{
    return pread(*(int *)file_number, bytes, count, (off_t)at) == (ssize_t)count;
}

// Writes rows `first` to `end` of a band, one plane after the other.
static void write_piece(const struct wp_preallocated *space, const struct wp_sidecar *sidecar,
                        const struct wp_image *image, const struct wp_tile_store_list *list,
                        int band, int first, int end, int file, unsigned long long *hash)
{
    const int page = wp_tile_store_page(list, band);
    const struct wp_band_grid *grid = &list->grid[page];
    const size_t width = (size_t)grid->size[WP_X], rows = (size_t)(end - first);
    const int planes = list->page[page].planes;
    float *samples = malloc((size_t)planes * rows * width * sizeof *samples);
    assert_non_null(samples);
    for (int p = 0; p < planes; p++)
        for (size_t y = 0; y < rows; y++)
            memcpy(samples + ((size_t)p * rows + y) * width,
                   image->plane[band == WP_TILE_STORE_ALPHA ? image->planes - 1 : p] +
                       ((size_t)(grid->first[WP_Y] + first) + y) * (size_t)image->width +
                       (size_t)grid->first[WP_X],
                   width * sizeof *samples);
    const struct wp_tile_store_file to = {&file, write_bytes, read_bytes};
    assert_true(
        wp_preallocated_write(space, sidecar, band, first, end - first, samples, &to, hash));
    free(samples);
}

// Pieces of subbands can be written in any order: the file is read correctly, and without tiles or
// with one plane it equals a file that was written at once.
static void check_preallocated(const char *path, const char *reference, int planes, bool alpha,
                               bool reversible, int tile)
{
    struct wp_sidecar sidecar = describe();
    sidecar.description.layout = WP_LAYOUT_MALLAT;
    sidecar.description.levels = 3;
    sidecar.description.size[WP_X] = 45;
    sidecar.description.size[WP_Y] = 203;
    sidecar.description.size[WP_Z] = 1;
    sidecar.planes = planes;
    sidecar.alpha = alpha;
    sidecar.description.reversible = reversible;
    sidecar.tile = tile;
    sidecar.description.border = WP_BORDER_SYMMETRIC;
    struct wp_image *image = wp_image_create(45, 203, planes, alpha), *result;
    image->origin.bits = sidecar.origin.bits = 8;
    for (size_t i = 0; i < wp_image_samples(image) * (size_t)planes; i++)
        image->plane[0][i] = (float)(int)(i * 2654435761U % 2001) - 1000;
    struct wp_preallocated space;
    struct wp_tile_store_output *o =
        wp_tile_store_create_preallocated(path, &sidecar, true, &space);
    assert_non_null(o);
    const int file = open(wp_tile_store_temporary(o, 0), O_RDWR);
    assert_true(file >= 0);
    assert_int_equal(access(wp_tile_store_temporary(o, 1), F_OK), 0);
    const struct wp_tile_store_list list = wp_tile_store_list(&sidecar);
    unsigned long long hash = 0;
    for (int band = list.bands - 1; band >= (alpha ? WP_TILE_STORE_ALPHA : 0); band--) {
        const int height = list.page[wp_tile_store_page(&list, band)].height;
        // Pieces that end within tiles and at tile boundaries.
        const int bounds[] = {0, height / 5, height * 2 / 3 / 16 * 16, height};
        for (int i = 2; i >= 0; i--)
            if (bounds[i] < bounds[i + 1])
                write_piece(&space, &sidecar, image, &list, band, bounds[i], bounds[i + 1], file,
                            &hash);
    }
    assert_int_equal(close(file), 0);
    wp_tile_store_set_hash(o, hash);
    assert_true(wp_tile_store_commit(&o));
    assert_true(wp_tile_store_write_image(image, &sidecar, reference, true));
    struct wp_sidecar read;
    bool found;
    char *sidecar_path = wp_sidecar_path(path);
    assert_true(wp_sidecar_read(sidecar_path, &read, &found) && found);
    free(sidecar_path);
    assert_true(read.has_rows_hash && read.rows_hash == wp_tile_store_hash(image, &sidecar));
    result = wp_tile_store_read_image(path, &read, NULL);
    assert_non_null(result);
    for (int p = 0; p < planes; p++)
        assert_memory_equal(result->plane[p], image->plane[p],
                            wp_image_samples(image) * sizeof(float));
    wp_image_destroy(&result);
    // With one plane, the order of the tiles does not depend on the writer.
    if (tile == 0 || planes == 1) {
        static unsigned char a[1 << 19], b[1 << 19];
        FILE *streams[] = {fopen(path, "rb"), fopen(reference, "rb")};
        const size_t sizes[] = {fread(a, 1, sizeof a, streams[0]),
                                fread(b, 1, sizeof b, streams[1])};
        assert_true(fclose(streams[0]) == 0 && fclose(streams[1]) == 0);
        assert_int_equal(sizes[0], sizes[1]);
        assert_true(sizes[0] < sizeof a);
        assert_memory_equal(a, b, sizes[0]);
    }
    wp_image_destroy(&image);
}

static void test_preallocated_pieces(void **state)
{
    (void)state;
    for (int planes = 1; planes <= 4; planes++)
        for (int reversible = 0; reversible < 2; reversible++) {
            const bool alpha = planes % 2 == 0;
            check_preallocated(path_to("c.npy"), path_to("w.npy"), planes, alpha, reversible, 0);
            check_preallocated(path_to("c.tiff"), path_to("w.tiff"), planes, alpha, reversible, 32);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        IMAGE_TEST(test_round_trip),
        IMAGE_TEST(test_without_a_description),
        IMAGE_TEST(test_description_of_another_file),
        IMAGE_TEST(test_no_partial_output),
        IMAGE_TEST(test_preallocated_pieces),
    };
    return cmocka_run_group_tests(tests, set_up_directory, remove_directory);
}
