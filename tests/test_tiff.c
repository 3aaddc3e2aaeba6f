// TIFF files written with libtiff: all sample types, colors that libtiff converts, white as zero,
// and ImageJ stacks after one directory.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "image.h"
#include "image_files.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tiffio.h>

struct kind {
    int bits, format, planes, photometric, compression;
    const char *mode, *description;
};

// Writes the rows, each of `bytes` bytes.
static void make(struct bytes *file, const struct kind *kind, const unsigned char *rows,
                 size_t bytes, const uint16_t *palette)
{
    const char *path = path_to("made.tiff");
    unsigned char row[1024];
    TIFF *tiff = TIFFOpen(path, kind->mode ? kind->mode : "w");
    assert_non_null(tiff);
    assert_true(bytes <= sizeof row);
    TIFFSetField(tiff, TIFFTAG_IMAGEWIDTH, WIDTH);
    TIFFSetField(tiff, TIFFTAG_IMAGELENGTH, HEIGHT);
    TIFFSetField(tiff, TIFFTAG_BITSPERSAMPLE, kind->bits);
    TIFFSetField(tiff, TIFFTAG_SAMPLEFORMAT, kind->format);
    TIFFSetField(tiff, TIFFTAG_SAMPLESPERPIXEL, kind->planes);
    TIFFSetField(tiff, TIFFTAG_PLANARCONFIG, PLANARCONFIG_CONTIG);
    TIFFSetField(tiff, TIFFTAG_PHOTOMETRIC, kind->photometric);
    TIFFSetField(tiff, TIFFTAG_COMPRESSION, kind->compression ? kind->compression : 1);
    TIFFSetField(tiff, TIFFTAG_ROWSPERSTRIP, 2);
    if (kind->description)
        TIFFSetField(tiff, TIFFTAG_IMAGEDESCRIPTION, kind->description);
    if (palette)
        TIFFSetField(tiff, TIFFTAG_COLORMAP, palette, palette + 256, palette + 512);
    for (uint32_t y = 0; y < HEIGHT; y++) {
        memcpy(row, rows + y * bytes, bytes); // libtiff may swap its bytes
        assert_int_equal(TIFFWriteScanline(tiff, row, y, 0), 1);
    }
    TIFFClose(tiff);
    load(path, file);
}

// The stored number of pixel `i`, with the extremes of its type at both ends.
static int64_t number_at(int bits, bool is_signed, int i)
{
    const int64_t most = (int64_t)(UINT64_MAX >> (64 - bits + (is_signed || bits == 64)));
    const int64_t least = is_signed ? -most - 1 : 0;
    return i == 0 ? least : i == PIXELS - 1 ? most : least + i * 37 % 199;
}

static void every_integer(void **state)
{
    (void)state;
    static struct bytes file;
    static const int bits[] = {8, 16, 32, 64};
    for (int b = 0; b < 4; b++) {
        for (int s = 0; s <= 1; s++) {
            for (int photometric = PHOTOMETRIC_MINISWHITE; photometric <= PHOTOMETRIC_MINISBLACK;
                 photometric++) {
                const size_t size = (size_t)bits[b] / 8;
                unsigned char rows[PIXELS * 8];
                for (int i = 0; i < PIXELS; i++) {
                    const int64_t value = number_at(bits[b], s, i);
                    for (size_t k = 0; k < size; k++) // the tests run on little-endian hosts
                        rows[(size_t)i * size + k] = (unsigned char)((uint64_t)value >> (8 * k));
                }
                make(&file,
                     &(struct kind){.bits = bits[b],
                                    .format = s ? SAMPLEFORMAT_INT : SAMPLEFORMAT_UINT,
                                    .planes = 1,
                                    .photometric = photometric,
                                    .mode = b % 2 ? "wb" : "wl"},
                     rows, WIDTH * size, NULL);
                struct wp_image *image = parse_good(&file);
                const bool unit = !s && bits[b] <= 16;
                assert_shape(image, WIDTH, HEIGHT, 1, false,
                             unit           ? bits[b]
                             : bits[b] < 32 ? 32
                                            : 64);
                const bool black = photometric == PHOTOMETRIC_MINISBLACK;
                const double largest = ldexp(1, bits[b] - s) - 1, sum = s ? -1 : largest;
                for (int i = 0; i < PIXELS; i++) {
                    const double value = (double)number_at(bits[b], s, i);
                    const double expected = black ? value : sum - value;
                    assert_near(image->plane[0][i], unit ? expected / largest : expected,
                                unit ? 1e-7 : fabs(expected) * 0x1p-23);
                }
                wp_image_destroy(&image);
            }
        }
    }
}

// Samples that do not fill bytes, in one and in three planes.
static void packed_bits(void **state)
{
    (void)state;
    static struct bytes file;
    for (int bits = 1; bits < 16; bits++) {
        for (int planes = 1; planes <= 3; planes += 2) {
            if (bits == 8)
                continue;
            const size_t row = ((size_t)(WIDTH * planes * bits) + 7) / 8;
            unsigned char rows[HEIGHT * 64] = {0};
            for (int y = 0; y < HEIGHT; y++)
                for (int k = 0; k < WIDTH * planes; k++) {
                    const unsigned value = sample(k % planes, y * WIDTH + k / planes) * 257 &
                                           ((1U << bits) - 1);
                    for (int b = 0; b < bits; b++) {
                        const int at = k * bits + b;
                        if (value >> (bits - 1 - b) & 1)
                            rows[(size_t)y * row + (size_t)at / 8] |=
                                (unsigned char)(0x80 >> at % 8);
                    }
                }
            make(&file,
                 &(struct kind){.bits = bits,
                                .format = SAMPLEFORMAT_UINT,
                                .planes = planes,
                                .photometric =
                                    planes == 3 ? PHOTOMETRIC_RGB : PHOTOMETRIC_MINISBLACK,
                                .compression = bits % 2 ? COMPRESSION_NONE : COMPRESSION_LZW},
                 rows, row, NULL);
            struct wp_image *image = parse_good(&file);
            assert_shape(image, WIDTH, HEIGHT, planes, false, 16);
            for (int p = 0; p < planes; p++)
                for (int i = 0; i < PIXELS; i++)
                    assert_near(image->plane[p][i],
                                (sample(p, i) * 257 & ((1U << bits) - 1)) / (ldexp(1, bits) - 1),
                                1e-7);
            wp_image_destroy(&image);
        }
    }
    // CCITT fax compression.
    unsigned char rows[HEIGHT * 2] = {0xf0, 0, 0x0f, 0x80, 0, 0, 0xff, 0x80, 0x55, 0};
    make(&file, &(struct kind){.bits = 1, .format = SAMPLEFORMAT_UINT, .planes = 1,
                               .photometric = PHOTOMETRIC_MINISWHITE,
                               .compression = COMPRESSION_CCITTFAX4}, rows, 2, NULL);
    struct wp_image *image = parse_good(&file);
    for (int y = 0; y < HEIGHT; y++)
        for (int x = 0; x < WIDTH; x++)
            assert_near(image->plane[0][y * WIDTH + x],
                        rows[2 * y + x / 8] >> (7 - x % 8) & 1 ? 0 : 1, 0);
    wp_image_destroy(&image);
}

// Half floats keep their values, also if white is zero.
static void floats_of_16_bits(void **state)
{
    (void)state;
    static struct bytes file;
    static const uint16_t halves[] = {0x0000, 0x3c00, 0xc000, 0x7bff, 0x0001, 0x3555, 0xfc00};
    static const double values[] = {0, 1, -2, 65504, 0x1p-24, 0.333251953125, -INFINITY};
    uint16_t rows[PIXELS];
    for (int i = 0; i < PIXELS; i++)
        rows[i] = halves[i % 7];
    make(&file, &(struct kind){.bits = 16, .format = SAMPLEFORMAT_IEEEFP, .planes = 1,
                               .photometric = PHOTOMETRIC_MINISWHITE},
         (const unsigned char *)rows, WIDTH * 2, NULL);
    struct wp_image *image = parse_good(&file);
    for (int i = 0; i < PIXELS; i++)
        assert_true((double)image->plane[0][i] == values[i % 7]);
    wp_image_destroy(&image);
}

static void converted_colors(void **state)
{
    (void)state;
    static struct bytes file;
    static uint16_t palette[768];
    unsigned char rows[PIXELS * 4];
    for (int i = 0; i < PIXELS; i++)
        rows[i] = (unsigned char)sample(0, i);
    for (int i = 0; i < 256; i++)
        for (int p = 0; p < 3; p++)
            palette[256 * p + i] = (uint16_t)(257 * (p == 0 ? i : p == 1 ? 255 - i : i ^ 85));
    struct kind kind = {.bits = 8, .format = SAMPLEFORMAT_UINT, .planes = 1,
                        .photometric = PHOTOMETRIC_PALETTE};
    make(&file, &kind, rows, WIDTH, palette);
    struct wp_image *image = parse_good(&file);
    assert_shape(image, WIDTH, HEIGHT, 3, false, 8);
    for (int i = 0; i < PIXELS; i++) {
        assert_near(image->plane[0][i], sample(0, i) / 255.0, 1e-7);
        assert_near(image->plane[1][i], (255 - sample(0, i)) / 255.0, 1e-7);
        assert_near(image->plane[2][i], (sample(0, i) ^ 85) / 255.0, 1e-7);
    }
    wp_image_destroy(&image);

    for (int i = 0; i < 256; i++)
        for (int p = 0; p < 3; p++)
            palette[256 * p + i] = (uint16_t)(257 * (255 - i));
    make(&file, &kind, rows, WIDTH, palette); // a gray palette gives one plane
    image = parse_good(&file);
    assert_shape(image, WIDTH, HEIGHT, 1, false, 8);
    assert_near(image->plane[0][7], (255 - sample(0, 7)) / 255.0, 1e-7);
    wp_image_destroy(&image);

    // Inks without black: color is the light that they do not absorb.
    for (int i = 0; i < PIXELS; i++)
        for (int p = 0; p < 4; p++)
            rows[4 * i + p] = (unsigned char)(p < 3 ? sample(p, i) : 0);
    kind.planes = 4;
    kind.photometric = PHOTOMETRIC_SEPARATED;
    make(&file, &kind, rows, WIDTH * 4, NULL);
    image = parse_good(&file);
    assert_shape(image, WIDTH, HEIGHT, 3, false, 8);
    for (int p = 0; p < 3; p++)
        for (int i = 0; i < PIXELS; i++)
            assert_near(image->plane[p][i], 1 - sample(p, i) / 255.0, 1e-7);
    wp_image_destroy(&image);

    kind.photometric = 9; // ICC L*a*b*
    make(&file, &kind, rows, WIDTH * 4, NULL);
    forget_errors();
    assert_null(parse(&file));
    assert_error(WP_ERROR_FILE, "not supported (TIFF of photometric interpretation 9");
}

static const char description[] = "ImageJ=1.53t\nimages=6\nslices=6\n";
enum { IMAGES = 6, STACK_AT = 256 };

// One directory, followed by six slices of floats, each in one strip.
static void make_stack(struct bytes *file, bool big, int images)
{
    const uint32_t entries[][2] = {
        {256, WIDTH}, {257, HEIGHT},   {258, 32}, {259, 1},      {262, 1},
        {270, 200},   {273, STACK_AT}, {277, 1},  {278, HEIGHT}, {279, PIXELS * 4},
        {339, 3},
    };
    enum { COUNT = sizeof entries / sizeof entries[0] };
    file->size = 0;
    add(file, big ? "MM\0*\0\0\0\10" : "II*\0\10\0\0\0", 8);
    add_number(file, COUNT, 2, big);
    for (int i = 0; i < COUNT; i++) {
        const uint32_t tag = entries[i][0];
        const bool is_text = tag == 270;
        const bool is_short =
            tag == 258 || tag == 259 || tag == 262 || tag == 277 || tag == 339;
        add_number(file, tag, 2, big);
        add_number(file, is_text ? 2 : is_short ? 3 : 4, 2, big);
        add_number(file, is_text ? sizeof description : 1, 4, big);
        add_number(file, entries[i][1], is_short ? 2 : 4, big);
        if (is_short)
            add_number(file, 0, 2, big);
    }
    add_number(file, 0, 4, big);
    while (file->size < 200)
        add(file, "", 1);
    add(file, description, sizeof description);
    while (file->size < STACK_AT)
        add(file, "", 1);
    for (int i = 0; i < PIXELS * images; i++)
        add_float(file, (float)(1000 * (i / PIXELS)) + (float)sample(0, i % PIXELS), big);
}

static void stacks_of_imagej(void **state)
{
    (void)state;
    static struct bytes file;
    for (int big = 0; big <= 1; big++) {
        make_stack(&file, big, IMAGES);
        struct wp_image *image = parse_as(&file, WP_VOLUME_EITHER);
        assert_non_null(image);
        assert_int_equal(image->depth, IMAGES);
        for (int i = 0; i < PIXELS * IMAGES; i++)
            assert_near(image->plane[0][i], 1000 * (i / PIXELS) + (int)sample(0, i % PIXELS), 0);
        wp_image_destroy(&image);
        image = parse_good(&file); // an image is its first slice
        assert_int_equal(image->depth, 1);
        assert_near(image->plane[0][3], sample(0, 3), 0);
        wp_image_destroy(&image);
        make_stack(&file, big, IMAGES - 1);
        forget_errors();
        assert_null(parse_as(&file, WP_VOLUME_EITHER));
        assert_error(WP_ERROR_FILE, "truncated (needs 1336 bytes, has 1156)");
    }
}

// Fewer directories than the description states.
static void stack_without_its_pages(void **state)
{
    (void)state;
    static struct bytes file;
    unsigned char rows[PIXELS] = {0};
    make(&file, &(struct kind){.bits = 8, .format = SAMPLEFORMAT_UINT, .planes = 1,
                               .photometric = PHOTOMETRIC_MINISBLACK,
                               .compression = COMPRESSION_LZW, .description = description},
         rows, WIDTH, NULL);
    forget_message();
    struct wp_image *image = parse_as(&file, WP_VOLUME_EITHER);
    assert_non_null(image);
    assert_int_equal(image->depth, 1);
    wp_image_destroy(&image);
    expect_message("ImageJ's description names 6 images, but the file has 1");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        IMAGE_TEST(every_integer),     IMAGE_TEST(packed_bits),
        IMAGE_TEST(floats_of_16_bits), IMAGE_TEST(converted_colors),
        IMAGE_TEST(stacks_of_imagej),  IMAGE_TEST(stack_without_its_pages),
    };
    return cmocka_run_group_tests(tests, set_up_directory, remove_directory);
}
