// Image formats that test_image_read.c does not test: headers and samples. Test files are built in
// this file.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "image_files.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct bytes bytes;

static void begin(const char *text)
{
    bytes.size = 0;
    add_text(&bytes, text);
}

// A bit, 1 for black.
static unsigned bit(int i)
{
    return sample(0, i) >> 3 & 1;
}

static void add_bits(void)
{
    for (int y = 0; y < HEIGHT; y++) {
        unsigned char row[2] = {0, 0x7f}; // padding bits are ignored
        for (int x = 0; x < WIDTH; x++) {
            const unsigned char mask = (unsigned char)(0x80 >> x % 8);
            row[x / 8] = (unsigned char)((row[x / 8] & ~mask) | (bit(y * WIDTH + x) ? mask : 0));
        }
        add(&bytes, row, sizeof row);
    }
}

static void compare_bits(void)
{
    struct wp_image *image = parse_good(&bytes);
    assert_shape(image, WIDTH, HEIGHT, 1, false, 8);
    for (int i = 0; i < PIXELS; i++)
        assert_near(image->plane[0][i], bit(i) ? 0.0 : 1.0, 0.0);
    wp_image_destroy(&image);
}

static void bitmaps(void **state)
{
    (void)state;
    begin("P4\n# comment\n9 5\n");
    add_bits();
    compare_bits();
    damage(&bytes, WP_VOLUME_NO, SIZE_MAX, 0, "PBM");
    begin("P4 9 5#comment\n");
    add_bits();
    compare_bits();
    for (int spaces = 0; spaces <= 1; spaces++) {
        begin("P1\n# comment\n9 5\n");
        for (int i = 0; i < PIXELS; i++) {
            char digit[16];
            snprintf(digit, sizeof digit, "%u%s", bit(i),
                     i == 20 ? "#0 1\n" : spaces ? " " : i % 4 == 0 ? "\n" : "");
            add_text(&bytes, digit);
        }
        compare_bits();
    }
    damage(&bytes, WP_VOLUME_NO, SIZE_MAX, 2, "plain PBM");
    expect_bad_text("P1 0 5\n", "empty image (0x5)");
    expect_bad_text("P1 5\n", "damaged PNM (needs width, height)");
    expect_bad_text("P1 3 1 1 0 2", "sample 3 is missing or not 0 or 1");
    expect_bad_text("P1 3 1 10    ", "sample 3 is missing or not 0 or 1");
    expect_bad_text("P1 100000 100000 1", "truncated (needs 10000000017 bytes, has 18)");
    expect_bad_text("P4 9 5 123456789", "truncated (needs 17 bytes, has 16)");
}

static void comments_at_the_maximum(void **state)
{
    (void)state;
    static const char *const headers[] = {"P5 9 5 255#comment\n", "P5 9 5 255# by\r",
                                          "P5 9#w\n5#h\n255\n"};
    for (size_t i = 0; i < sizeof headers / sizeof headers[0]; i++) {
        begin(headers[i]);
        for (int k = 0; k < PIXELS; k++)
            add_number(&bytes, sample(0, k), 1, true);
        parse_and_compare(&bytes, 1, false, 8, 255.0, 1e-7);
    }
    expect_bad_text("P5 1 1 255#comment", "damaged PNM");
    // A '#' after white space is not a comment but the first sample.
    begin("P5 3 1 255 #\n*");
    struct wp_image *image = parse_good(&bytes);
    assert_near(image->plane[0][0], '#' / 255.0, 1e-7);
    wp_image_destroy(&image);
}

static void headers_with_cr_lf(void **state)
{
    (void)state;
    for (int extra = 0; extra <= 1; extra++) {
        for (int text = 0; text <= 2; text++) {
            begin(text == 2 ? "P5\r\n2 1\n255\n" : "P5\r\n2 1\r\n255\r");
            add_text(&bytes, text == 1 ? "xyz" : "\nyz");
            bytes.size -= extra ? 0 : 1;
            save(path_to("a.pgm"), &bytes);
            forget_message();
            struct wp_image *image = wp_image_read(path_to("a.pgm"));
            assert_non_null(image);
            expect_message(extra && text == 0 ? "a.pgm: the header ends in CR LF" : NULL);
            assert_near(image->plane[0][0], bytes.data[bytes.size - (extra ? 3 : 2)] / 255.0, 1e-7);
            wp_image_destroy(&image);
        }
    }
    begin("P5\r\n2 1\r\n255\r\nyz");
    struct wp_image *image = parse_good(&bytes);
    expect_message("one byte too long");
    wp_image_destroy(&image);
    for (int planes = 1; planes <= 3; planes += 2) {
        for (int ends = 0; ends <= 2; ends++) {
            begin(planes == 1 ? "Pf" : "PF");
            add_text(&bytes, ends == 0   ? "\r\n9 5\r\n-1.0\r\n"
                             : ends == 1 ? "\r9 5\r-1.0\r"
                                         : "\n9 5\n-1.0\n");
            for (int y = HEIGHT - 1; y >= 0; y--)
                for (int x = 0; x < WIDTH; x++)
                    for (int p = 0; p < planes; p++)
                        add_float(&bytes, (float)sample(p, y * WIDTH + x), false);
            parse_and_compare(&bytes, planes, false, 32, 1.0, 0.0);
        }
    }
    expect_message(NULL);
}

static void add_pam(const char *type, int planes, unsigned maximum)
{
    char text[256];
    snprintf(text, sizeof text,
             "P7\n# comment\nHEIGHT 5\nWIDTH 9\n\nMAXVAL %u\nDEPTH %d\n%s%s\nENDHDR\n", maximum,
             planes, type ? "TUPLTYPE " : "# no type", type ? type : "");
    begin(text);
    for (int i = 0; i < PIXELS; i++)
        for (int p = 0; p < planes; p++)
            add_number(&bytes, maximum == 1 ? sample(p, i) & 1 : sample(p, i),
                       maximum > 255 ? 2 : 1, true);
}

static void pams(void **state)
{
    (void)state;
    static const struct {
        const char *type;
        int planes;
        bool alpha;
    } types[] = {{"GRAYSCALE", 1, false}, {"GRAYSCALE_ALPHA", 2, true}, {"RGB", 3, false},
                 {"RGB_ALPHA", 4, true},  {NULL, 1, false},             {NULL, 2, true},
                 {NULL, 3, false},        {NULL, 4, true},              {"of mine", 3, false}};
    const int before = parsed_rows;
    for (size_t i = 0; i < sizeof types / sizeof types[0]; i++) {
        for (unsigned maximum = 255; maximum <= 65535; maximum += 65535 - 255) {
            add_pam(types[i].type, types[i].planes, maximum);
            parse_and_compare(&bytes, types[i].planes, types[i].alpha, maximum > 255 ? 16 : 8,
                              maximum, 1e-7);
        }
    }
    assert_int_equal(parsed_rows - before, 18); // also row by row
    for (int planes = 1; planes <= 2; planes++) {
        add_pam(planes == 1 ? "BLACKANDWHITE" : "BLACKANDWHITE_ALPHA", planes, 1);
        struct wp_image *image = parse_good(&bytes);
        assert_shape(image, WIDTH, HEIGHT, planes, planes == 2, 8);
        for (int i = 0; i < PIXELS; i++)
            assert_near(image->plane[planes - 1][i], sample(planes - 1, i) & 1, 0.0);
        wp_image_destroy(&image);
    }
    add_pam("RGB_ALPHA", 4, 255);
    damage(&bytes, WP_VOLUME_NO, SIZE_MAX, 0, "PAM");
    add_pam("RGB", 4, 255);
    expect_bad(&bytes, "damaged PAM (TUPLTYPE RGB has 3 samples, DEPTH is 4)");
    add_pam("CMYK", 4, 255);
    expect_bad(&bytes, "not supported (PAM of TUPLTYPE CMYK)");
    add_pam(NULL, 5, 255);
    expect_bad(&bytes, "not supported (PAM of 5 samples per pixel)");
    add_pam("GRAYSCALE", 1, 100);
    expect_bad(&bytes, "damaged PAM (a sample of row ");
    expect_bad_text("P7\nWIDTH 9\nHEIGHT 5\nDEPTH 1\nENDHDR\n", "damaged PAM (needs lines WIDTH");
    expect_bad_text("P7\nWIDTH 9\nHEIGHT 5\nDEPTH 1\nMAXVAL 255\n", "damaged PAM");
    expect_bad_text("P7\nWIDTH -9\nHEIGHT 5\nDEPTH 1\nMAXVAL 255\nENDHDR\n", "damaged PAM");
    expect_bad_text("P7\nWIDTH 0\nHEIGHT 5\nDEPTH 1\nMAXVAL 255\nENDHDR\n", "empty image (0x5)");
    expect_bad_text("P7\nWIDTH 100000\nHEIGHT 100000\nDEPTH 3\nMAXVAL 255\nENDHDR\n",
                    "truncated (needs 30000000056 bytes, has 56)");
}

static const unsigned char rgbe[4][4] = {
    {128, 64, 32, 129}, {200, 100, 50, 130}, {0, 128, 255, 120}, {255, 129, 3, 128}};

// A sample of pixel `i` of rgbe: mantissa / 256 times a power of 2.
static double light(int i, int p)
{
    return rgbe[i][p] * pow(2.0, rgbe[i][3] - (128 + 8));
}

// Positions of the file's pixels 0, 1 (a row) and 2, 3 in the image, from the top left, for each
// axis order of Radiance files. "-Y 2 +X 2" is the default.
static void axis_orders_of_radiance(void **state)
{
    (void)state;
    static const struct {
        const char *size;
        int source[4];
    } orders[] = {{"-Y 2 +X 2", {0, 1, 2, 3}}, {"-Y 2 -X 2", {1, 0, 3, 2}},
                  {"+Y 2 +X 2", {2, 3, 0, 1}}, {"+Y 2 -X 2", {3, 2, 1, 0}},
                  {"+X 2 -Y 2", {0, 2, 1, 3}}, {"+X 2 +Y 2", {1, 3, 0, 2}},
                  {"-X 2 -Y 2", {2, 0, 3, 1}}, {"-X 2 +Y 2", {3, 1, 2, 0}}};
    for (size_t s = 0; s < sizeof orders / sizeof orders[0]; s++) {
        begin(s % 2 ? "#?RADIANCE\n\n" : "#?RGBE\r\nFORMAT=32-bit_rle_rgbe\r\n\r\n");
        add_text(&bytes, orders[s].size);
        add_text(&bytes, "\n");
        add(&bytes, rgbe, sizeof rgbe);
        struct wp_image *image = parse_good(&bytes);
        assert_shape(image, 2, 2, 3, false, 32);
        for (int i = 0; i < 4; i++)
            for (int p = 0; p < 3; p++)
                assert_near(image->plane[p][i], light(orders[s].source[i], p), 0.0);
        wp_image_destroy(&image);
    }
    // Three rows of one pixel become columns.
    begin("#?RADIANCE\n\n+X 3 -Y 1\n");
    add(&bytes, rgbe, 12);
    struct wp_image *image = parse_good(&bytes);
    assert_shape(image, 3, 1, 3, false, 32);
    assert_near(image->plane[1][2], light(2, 1), 0.0);
    wp_image_destroy(&image);
    expect_bad_text("#?RADIANCE\n\n-Y 1 +Y 1\n1234", "damaged HDR (needs a size such as");
    expect_bad_text("#?RADIANCE\n\n-Y 1 X 1\n1234", "damaged HDR (needs a size such as");
    expect_bad_text("#?RADIANCE\n\n*Y 1 +X 1\n1234", "damaged HDR (needs a size such as");
    expect_bad_text("#?RADIANCE\nFORMAT=32-bit_rle_xyze\n\n-Y 1 +X 1\n1234",
                    "not supported (HDR of FORMAT=32-bit_rle_xyze)");
}

static void old_runs_of_radiance(void **state)
{
    (void)state;
    enum { LONG = 2 + 3 + 256 * 2 };
    char header[64];
    snprintf(header, sizeof header, "#?RADIANCE\n\n-Y 2 +X %d\n", LONG);
    begin(header);
    for (int row = 0; row < 2; row++) {
        add(&bytes, rgbe[row], 4);
        add(&bytes, rgbe[row + 1], 4);
        add(&bytes, "\1\1\1\3\1\1\1\2", 8);
    }
    struct wp_image *image = parse_good(&bytes);
    assert_shape(image, LONG, 2, 3, false, 32);
    for (int i = 0; i < 2 * LONG; i++)
        for (int p = 0; p < 3; p++)
            assert_near(image->plane[p][i], light(i / LONG + (i % LONG ? 1 : 0), p), 0.0);
    wp_image_destroy(&image);
    damage(&bytes, WP_VOLUME_NO, SIZE_MAX, 0, "HDR of old runs");
    begin("#?RADIANCE\n\n-Y 1 +X 3\nabcd\1\1\1\3");
    expect_bad(&bytes, "damaged HDR (bad run at byte ");
    begin("#?RADIANCE\n\n-Y 1 +X 3\n\1\1\1\3abcd");
    expect_bad(&bytes, "damaged HDR (bad run at byte 22)");
}

// Palettes of old and new headers, for 1, 4 and 8 bits.
static void make_bmp(bool old, int bits, bool gray)
{
    const unsigned row = (unsigned)(WIDTH * bits + 31) / 32 * 4, colors = 1U << bits;
    const unsigned header = (old ? 26 : 54),
                   offset = header + colors * (old ? 3 : 4) + (old ? 12 : 0);
    begin("BM");
    add_number(&bytes, offset + row * HEIGHT, 4, false);
    add_number(&bytes, 0, 4, false);
    add_number(&bytes, offset, 4, false);
    add_number(&bytes, old ? 12 : 40, 4, false);
    add_number(&bytes, WIDTH, old ? 2 : 4, false);
    add_number(&bytes, HEIGHT, old ? 2 : 4, false);
    add_number(&bytes, 1, 2, false);
    add_number(&bytes, (unsigned)bits, 2, false);
    for (int i = 0; i < 6 && !old; i++) // number of used colors: all
        add_number(&bytes, i == 4 ? colors : 0, 4, false);
    for (unsigned i = 0; i < colors; i++) {
        add_number(&bytes, 255 - i, 1, false);
        add_number(&bytes, 255 - i, 1, false);
        add_number(&bytes, gray || i > 0 ? 255 - i : 7, 1, false);
        add(&bytes, "", old ? 0 : 1);
    }
    add(&bytes, (unsigned char[12]){0}, old ? 12 : 0); // decoders assume four colors fewer
    for (int y = HEIGHT - 1; y >= 0; y--) {
        unsigned char packed[64] = {0};
        for (int x = 0; x < WIDTH; x++)
            packed[x * bits / 8] |= (unsigned char)((sample(0, y * WIDTH + x) & (colors - 1))
                                                    << (8 - bits - x * bits % 8));
        add(&bytes, packed, row);
    }
}

static void gray_palettes(void **state)
{
    (void)state;
    for (int old = 0; old <= 1; old++) {
        for (int bits = 1; bits <= 8; bits *= bits == 1 ? 4 : 2) {
            for (int gray = 0; gray <= 1; gray++) {
                make_bmp(old, bits, gray);
                struct wp_image *image = parse_good(&bytes);
                assert_shape(image, WIDTH, HEIGHT, gray ? 1 : 3, false, 8);
                for (int i = 0; i < PIXELS; i++) {
                    const unsigned index = sample(0, i) & ((1U << bits) - 1);
                    const unsigned red = gray || index > 0 ? 255 - index : 7;
                    assert_near(image->plane[0][i], red / 255.0, 1e-7);
                    assert_near(image->plane[gray ? 0 : 2][i], (255 - index) / 255.0, 1e-7);
                }
                wp_image_destroy(&image);
            }
        }
    }
    make_bmp(false, 8, true);
    damage(&bytes, WP_VOLUME_NO, 200, 0, "BMP with a palette");
}

// Only in builds without OpenEXR; test_exr.c tests the others.
static void exr_without_its_library(void **state)
{
    (void)state;
    if (!WP_TEST_EXR_MISSING[0]) {
        print_message("this build has OpenEXR\n");
        skip();
    }
    begin("\x76\x2f\x31\x01");
    expect_bad(&bytes, "this build cannot read EXR (" WP_TEST_EXR_MISSING ")\nhint: install "
                       "OpenEXR's C headers (Debian: libopenexr-dev) and rebuild");
    struct wp_image *image = make_floats(1, false);
    assert_false(wp_image_write(image, path_to("a.exr"), &coefficients));
    assert_error(WP_ERROR_FILE, "a.exr: this build has no EXR (" WP_TEST_EXR_MISSING ")");
    assert_int_equal(count_files(), 1); // bad
    wp_image_destroy(&image);
}

static void fits_without_its_library(void **state)
{
    (void)state;
    if (!WP_TEST_FITS_MISSING[0]) {
        print_message("this build has CFITSIO\n");
        skip();
    }
    begin("SIMPLE  =                    T");
    expect_bad(&bytes,
               "this build cannot read FITS (" WP_TEST_FITS_MISSING ")\nhint: install "
               "CFITSIO's headers (Debian: libcfitsio-dev) and rebuild");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        IMAGE_TEST(bitmaps),
        IMAGE_TEST(comments_at_the_maximum),
        IMAGE_TEST(headers_with_cr_lf),
        IMAGE_TEST(pams),
        IMAGE_TEST(axis_orders_of_radiance),
        IMAGE_TEST(old_runs_of_radiance),
        IMAGE_TEST(gray_palettes),
        IMAGE_TEST(exr_without_its_library),
        IMAGE_TEST(fits_without_its_library),
    };
    return cmocka_run_group_tests(tests, set_up_directory, remove_directory);
}
