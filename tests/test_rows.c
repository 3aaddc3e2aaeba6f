// Images read row by row: larger ones than in test_image_read.c, whose files are all read this way
// too (image_files.c), and files that change while they are read.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "image_files.h"
#include "output.h"
#include "rows.h"
#include "rows_write.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tiffio.h>
#include <unistd.h>

static struct wp_rows *open_rows(const char *path, const char *reason)
{
    struct wp_rows *rows;
    const char *why;
    assert_true(wp_rows_open(path, &(struct wp_read_params){0}, &rows, &why));
    assert_int_equal(!rows, reason != NULL);
    if (reason)
        assert_string_equal(why, reason);
    return rows;
}

// Reads some rows and skips those between; the first row that is read is not row 0.
static void compare_some(const char *path, const struct wp_image *image, int every)
{
    struct wp_rows *rows = open_rows(path, NULL);
    const size_t width = (size_t)image->width, planes = (size_t)image->planes;
    float *row = malloc(planes * width * sizeof *row);
    assert_non_null(row);
    for (int y = every - 1; y < image->height; y += y % 2 ? 1 : every) {
        assert_true(wp_rows_go_to(rows, y));
        assert_true(wp_rows_read(rows, row, 1));
        for (size_t p = 0; p < planes; p++)
            assert_memory_equal(row + p * width, image->plane[p] + (size_t)y * width,
                                width * sizeof *row);
    }
    free(row);
    wp_rows_close(&rows);
}

// Reads blocks with varying numbers of rows.
static void compare(const char *path, size_t most)
{
    struct wp_rows *rows = open_rows(path, NULL);
    struct wp_image *image = wp_image_read(path);
    assert_non_null(image);
    const size_t width = (size_t)image->width, planes = (size_t)image->planes;
    const struct wp_rows_info *info = wp_rows_info(rows);
    assert_int_equal(info->width, image->width);
    assert_int_equal(info->height, image->height);
    assert_int_equal(info->planes, image->planes);
    assert_int_equal(info->alpha, image->alpha);
    assert_int_equal(info->origin.bits, image->origin.bits);
    assert_string_equal(wp_rows_name(rows), path);
    if (wp_rows_memory(rows) > most)
        fail_msg("%s uses %zu bytes of memory", path, wp_rows_memory(rows));
    float *part = malloc(7 * planes * width * sizeof *part);
    assert_non_null(part);
    for (int y = 0, count; y < info->height; y += count) {
        count = y % 7 + 1 < info->height - y ? y % 7 + 1 : info->height - y;
        assert_true(wp_rows_read(rows, part, count));
        for (size_t i = 0; i < (size_t)count * planes; i++)
            assert_memory_equal(part + i * width,
                                image->plane[i % planes] + ((size_t)y + i / planes) * width,
                                width * sizeof *part);
    }
    free(part);
    wp_rows_close(&rows);
    for (int every = 2; every < image->height; every *= 9)
        compare_some(path, image, every);
    compare_pixels(path, WP_VOLUME_NO, image);
    wp_image_destroy(&image);
}

enum { WIDE = 1203, HIGH = 1001 };

static unsigned char value_at(size_t i)
{
    return (unsigned char)(i * 2654435761U >> 13);
}

// Writes a TIFF with tiles, or with strips of `strip` rows.
static const char *make_tiff(int planes, bool separate, int tile, int strip, int compression)
{
    const char *path = path_to("large.tiff");
    TIFF *tiff = TIFFOpen(path, "w8");
    assert_non_null(tiff);
    TIFFSetField(tiff, TIFFTAG_IMAGEWIDTH, WIDE);
    TIFFSetField(tiff, TIFFTAG_IMAGELENGTH, HIGH);
    TIFFSetField(tiff, TIFFTAG_SAMPLESPERPIXEL, planes);
    TIFFSetField(tiff, TIFFTAG_BITSPERSAMPLE, 8);
    TIFFSetField(tiff, TIFFTAG_PHOTOMETRIC, planes == 3 ? PHOTOMETRIC_RGB : PHOTOMETRIC_MINISWHITE);
    TIFFSetField(tiff, TIFFTAG_COMPRESSION, compression);
    TIFFSetField(tiff, TIFFTAG_PLANARCONFIG,
                 separate ? PLANARCONFIG_SEPARATE : PLANARCONFIG_CONTIG);
    if (tile) {
        TIFFSetField(tiff, TIFFTAG_TILEWIDTH, tile);
        TIFFSetField(tiff, TIFFTAG_TILELENGTH, 2 * tile);
    } else {
        TIFFSetField(tiff, TIFFTAG_ROWSPERSTRIP, strip);
    }
    const tmsize_t size = tile ? TIFFTileSize(tiff) : TIFFStripSize(tiff);
    unsigned char *block = malloc((size_t)size);
    assert_non_null(block);
    const uint32_t blocks = tile ? TIFFNumberOfTiles(tiff) : TIFFNumberOfStrips(tiff);
    for (uint32_t b = 0; b < blocks; b++) {
        for (size_t i = 0; i < (size_t)size; i++)
            block[i] = value_at(b * 1000003U + i);
        const tmsize_t bytes = tile ? size
                                    : TIFFVStripSize(tiff, b + 1 < blocks || HIGH % strip == 0
                                                               ? (uint32_t)strip
                                                               : (uint32_t)(HIGH % strip));
        assert_true((tile ? TIFFWriteEncodedTile : TIFFWriteEncodedStrip)(tiff, b, block, bytes) ==
                    bytes);
    }
    free(block);
    TIFFClose(tiff);
    return path;
}

static void large_tiffs(void **state)
{
    (void)state;
    static const int compressions[] = {COMPRESSION_NONE, COMPRESSION_ADOBE_DEFLATE,
                                       COMPRESSION_LZW};
    for (int i = 0; i < 3; i++) {
        const int compression = compressions[i];
        for (int planes = 1; planes <= 3; planes += 2) {
            const size_t row = (size_t)WIDE * (size_t)planes;
            // One strip: the reader needs a row of bytes, or five of the strips of 8 KiB into which
            // libtiff splits it if uncompressed.
            compare(make_tiff(planes, false, 0, HIGH, compression),
                    compression == COMPRESSION_NONE ? 5 * 8192 : row);
            compare(make_tiff(planes, false, 0, 13, compression), 13 * row * 5);
            compare(make_tiff(planes, planes == 3, 0, 13, compression), 13 * row * 5);
            compare(make_tiff(planes, planes == 3, 48, 0, compression), 96 * row * 5);
            compare(make_tiff(planes, false, 16, 0, compression), 32 * row * 5);
        }
    }
}

static void write_pfm(const char *path, int width, int height)
{
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    fprintf(file, "Pf\n%d %d\n-1\n", width, height);
    for (int i = 0; i < width * height; i++)
        assert_int_equal(fwrite(&(float){(float)i * 0.25F}, sizeof(float), 1, file), 1);
    assert_int_equal(fclose(file), 0);
}

// Stored bottom to top, longer than a read buffer.
static void rows_from_below(void **state)
{
    (void)state;
    const char *path = path_to("a.pfm");
    for (int width = 300; width <= 70000; width += 69700) {
        write_pfm(path, width, width == 300 ? 1000 : 3);
        compare(path, width == 300 ? 1 << 16 : 70000 * sizeof(float));
    }
}

static void pgm_rows(void **state)
{
    (void)state;
    const char *path = path_to("a.pgm");
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    fprintf(file, "P5 1000 500 65535\n");
    for (size_t i = 0; i < 1000000; i++)
        fputc(value_at(i), file);
    assert_int_equal(fclose(file), 0);
    compare(path, 1 << 16);
}

static void files_that_change(void **state)
{
    (void)state;
    static float row[300];
    const char *path = path_to("a.pfm");
    for (int change = 0; change < 3; change++) {
        write_pfm(path, 300, 1000);
        struct wp_rows *rows = open_rows(path, NULL);
        assert_true(wp_rows_read(rows, row, 1));
        FILE *file = fopen(path, change == 2 ? "wb" : "r+b");
        assert_non_null(file);
        if (change == 0) // longer
            fseek(file, 0, SEEK_END);
        fputc('x', file);
        assert_int_equal(fclose(file), 0);
        forget_errors();
        bool ok = true;
        for (int y = 1; y < 1000 && ok; y++)
            ok = wp_rows_read(rows, row, 1);
        assert_false(ok);
        assert_error(WP_ERROR_FILE,
                     change == 2 ? "truncated while it was read" : "was changed while");
        wp_rows_close(&rows);
    }
}

static void not_read_in_rows(void **state)
{
    (void)state;
    static struct bytes bytes;
    add_text(&bytes, "P2 2 1 9 4 5");
    save(path_to("a.pgm"), &bytes);
    open_rows(path_to("a.pgm"), "this file format is read as a whole");
    open_rows("pattern:gradient", "a built-in image is generated as a whole");
    open_rows(path_to("none.png"), "it is not a regular file");
    open_rows("/dev/null", "it is not a regular file");
}

static void png_rows(void **state)
{
    (void)state;
    const char *path = path_to("a.png");
    struct wp_image *image = wp_image_create(40, 90, 3, false);
    for (size_t i = 0; i < wp_image_samples(image) * 3; i++)
        image->plane[0][i] = (float)value_at(i) / 255;
    assert_true(wp_image_write(image, path, &(struct wp_write_params){0}));
    wp_image_destroy(&image);
    compare(path, 1 << 17);
}

// Rows that others write in any order result in the same file as writing the image at once.
static void write_preallocated(const struct wp_image *image, const char *suffix,
                               enum wp_stored stored)
{
    char name[32];
    snprintf(name, sizeof name, "preallocated%s", suffix);
    const char *path = path_to(name);
    snprintf(name, sizeof name, "complete%s", suffix);
    const char *complete = path_to(name);
    const struct wp_write_params params = {.stored = stored, .overwrite = true};
    const struct wp_rows_info info = {.width = image->width, .height = image->height,
                                      .planes = image->planes, .alpha = image->alpha,
                                      .origin = image->origin};
    const size_t width = (size_t)image->width, planes = (size_t)image->planes;
    float *row = malloc(2 * width * planes * sizeof *row), *pixels = row + width * planes;
    assert_non_null(row);
    struct wp_rows_output *o = wp_rows_create(path, &info, &params);
    assert_non_null(o);
    struct wp_rows_preallocated space;
    assert_true(wp_rows_reserve(o, &space));
    const int file = open(wp_output_temporary(wp_rows_file(o)), O_RDWR);
    assert_true(file >= 0);
    for (int i = 0, y = 0; i < image->height; i++, y = (y + 7) % image->height) {
        for (size_t p = 0; p < planes; p++)
            memcpy(row + p * width, image->plane[p] + (size_t)y * width, width * sizeof *row);
        const size_t bytes = wp_rows_pack(row, image->width, image->planes, space.stored, pixels);
        assert_int_equal(bytes, llabs(space.step));
        const long long at = (long long)space.first + y * space.step;
        assert_int_equal(pwrite(file, pixels, bytes, (off_t)at), bytes);
    }
    assert_int_equal(close(file), 0);
    assert_true(wp_rows_commit(&o));
    assert_true(wp_image_write(image, complete, &params));
    free(row);
    static struct bytes a, b;
    load(path, &a);
    load(complete, &b);
    assert_int_equal(a.size, b.size);
    assert_memory_equal(a.data, b.data, a.size);
}

static void rows_by_other_writers(void **state)
{
    (void)state;
    for (int planes = 1; planes <= 3; planes += 2) {
        struct wp_image *image = wp_image_create(29, 60, planes, false);
        for (size_t i = 0; i < wp_image_samples(image) * (size_t)planes; i++)
            image->plane[0][i] = (float)value_at(i);
        for (enum wp_stored stored = WP_STORED_FLOAT; stored < WP_STORED_I8; stored++) {
            write_preallocated(image, ".npy", stored);
            write_preallocated(image, ".tiff", stored);
        }
        write_preallocated(image, ".pfm", WP_STORED_U8);
        wp_image_destroy(&image);
    }
}

// A preallocated file that is not committed is removed.
static void unused_preallocation(void **state)
{
    (void)state;
    const struct wp_rows_info info = {.width = 5, .height = 4, .planes = 1};
    struct wp_rows_preallocated space;
    struct wp_rows_output *o =
        wp_rows_create(path_to("a.tiff"), &info, &(struct wp_write_params){0});
    assert_true(wp_rows_reserve(o, &space));
    char *name = strdup(wp_output_temporary(wp_rows_file(o)));
    struct wp_output *of_other = wp_output_adopt(name);
    assert_int_equal(count_files(), 1);
    wp_output_discard(&of_other);
    assert_int_equal(count_files(), 0);
    wp_rows_discard(&o);
    free(name);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        IMAGE_TEST(large_tiffs),
        IMAGE_TEST(rows_from_below),
        IMAGE_TEST(pgm_rows),
        IMAGE_TEST(files_that_change),
        IMAGE_TEST(png_rows),
        IMAGE_TEST(not_read_in_rows),
        IMAGE_TEST(rows_by_other_writers),
        IMAGE_TEST(unused_preallocation),
    };
    return cmocka_run_group_tests(tests, set_up_directory, remove_directory);
}
