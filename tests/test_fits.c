// FITS. Test files are built in this file.
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
#include <zlib.h>

static struct bytes bytes;
enum { BLOCK = 2880, CARD = 80, SLICES = 3 };

static void card(const char *text)
{
    char line[CARD + 1];
    snprintf(line, sizeof line, "%-80s", text);
    add(&bytes, line, CARD);
}

static void number(const char *key, double value)
{
    char line[CARD + 1];
    snprintf(line, sizeof line, "%-8s= %20.17g", key, value);
    card(line);
}

static void fill(int byte)
{
    while (bytes.size % BLOCK)
        add(&bytes, &(unsigned char){(unsigned char)byte}, 1);
}

// Adds a header. `more`: additional cards separated by newlines, or NULL.
static void add_header(bool extension, int bits, int axes, const int *sides, const char *more)
{
    char text[400];
    card(extension ? "XTENSION= 'IMAGE   '" : "SIMPLE  =                    T");
    number("BITPIX", bits);
    number("NAXIS", axes);
    for (int i = 0; i < axes; i++) {
        char key[16];
        snprintf(key, sizeof key, "NAXIS%d", i + 1);
        number(key, sides[i]);
    }
    if (extension) {
        number("PCOUNT", 0);
        number("GCOUNT", 1);
    }
    snprintf(text, sizeof text, "%s", more ? more : "");
    for (char *line = strtok(text, "\n"); line; line = strtok(NULL, "\n"))
        card(line);
    card("END");
    fill(' ');
}

static void add_value(int bits, double value)
{
    if (bits == -32)
        add_float(&bytes, (float)value, true);
    else if (bits == -64)
        add_double(&bytes, value, true);
    else
        add_number(&bytes, (uint64_t)(int64_t)value, bits / 8, true);
}

// The stored value of pixel `i` in file order, in which the bottom row is first.
static double stored(int bits, int i)
{
    return bits == 8 ? sample(0, i) : bits < 0 ? sample(0, i) * 0.25 - 7 : (int)sample(0, i) - 128;
}

static int upside_down(int i)
{
    return (HEIGHT - 1 - i / WIDTH) * WIDTH + i % WIDTH;
}

static void add_image(bool extension, int bits, const char *more)
{
    static const int sides[] = {WIDTH, HEIGHT};
    add_header(extension, bits, 2, sides, more);
    for (int i = 0; i < PIXELS; i++)
        add_value(bits, stored(bits, i));
    fill(0);
}

static void begin(bool extension, int bits, const char *more)
{
    bytes.size = 0;
    if (extension)
        add_header(false, 8, 0, NULL, "EXTEND  =                    T");
    add_image(extension, bits, more);
}

static struct wp_image *parse_with_facts(struct wp_file_facts *facts)
{
    *facts = (struct wp_file_facts){0};
    struct wp_image *image = wp_image_parse(&(struct wp_source){
        .name = "test", .data = bytes.data, .size = bytes.size, .facts = facts});
    if (!image)
        fail_msg("%s", error_message);
    return image;
}

static void compare(int bits, double slope, double zero, const char *type)
{
    struct wp_file_facts facts;
    struct wp_image *image = parse_good(&bytes), *with_facts = parse_with_facts(&facts);
    assert_int_equal(image->width, WIDTH);
    assert_int_equal(image->height, HEIGHT);
    assert_int_equal(image->planes, 1);
    assert_true(image->origin.bits == 32 || image->origin.bits == 64);
    for (int i = 0; i < PIXELS; i++)
        assert_near(image->plane[0][i],
                    (double)(float)(stored(bits, upside_down(i)) * slope + zero), 0.0);
    assert_string_equal(facts.type, type);
    assert_near((float)facts.maximum, 0.0, 0.0);
    assert_memory_equal(image->plane[0], with_facts->plane[0], PIXELS * sizeof(float));
    wp_image_destroy(&image);
    wp_image_destroy(&with_facts);
}

static void every_type(void **state)
{
    (void)state;
    static const struct {
        int bits;
        double zero;
        const char *type, *cards;
    } types[] = {
        {8, 0, "u8", NULL},
        {8, -0x1p7, "i8", "BZERO   =                 -128"},
        {16, 0, "i16 big-endian", NULL},
        {16, 0x1p15, "u16 big-endian", "BZERO   =                32768\nBSCALE  = 1"},
        {32, 0, "i32 big-endian", NULL},
        {32, 0x1p31, "u32 big-endian", "BZERO   =           2147483648"},
        {64, 0, "i64 big-endian", NULL},
        {64, 0x1p63, "u64 big-endian", "BZERO   =  9223372036854775808"},
        {-32, 0, "f32 big-endian", NULL},
        {-64, 0, "f64 big-endian", NULL},
    };
    for (size_t i = 0; i < sizeof types / sizeof types[0]; i++) {
        for (int extension = 0; extension <= 1; extension++) {
            begin(extension, types[i].bits, types[i].cards);
            compare(types[i].bits, 1.0, types[i].zero, types[i].type);
        }
        begin(false, types[i].bits, "BSCALE  = 0.5\nBZERO   = 10.");
        if (types[i].zero == 0)
            compare(types[i].bits, 0.5, 10.0, types[i].type);
    }
}

static void undefined_values(void **state)
{
    (void)state;
    struct wp_file_facts facts;
    for (int bits = 8; bits <= 64; bits *= 2) {
        const double blank = stored(bits, 7);
        char cards[64];
        snprintf(cards, sizeof cards, "BLANK   = %.0f\nBSCALE  = 2.", blank);
        begin(false, bits, cards);
        struct wp_image *image = parse_with_facts(&facts);
        assert_near((float)facts.slope, 2.0, 0.0);
        int blanks = 0;
        for (int i = 0; i < PIXELS; i++) {
            const double value = stored(bits, upside_down(i));
            blanks += value == blank;
            if (value == blank)
                assert_true(isnan(image->plane[0][i]));
            else
                assert_near(image->plane[0][i], 2 * value, 0.0);
        }
        wp_image_destroy(&image);
        assert_true(blanks > 0);
    }
    static const int sides[] = {4, 1};
    for (int bits = -32; bits >= -64; bits *= 2) {
        bytes.size = 0;
        add_header(false, bits, 2, sides, NULL);
        add_value(bits, INFINITY);
        add_value(bits, NAN);
        add_value(bits, -INFINITY);
        add_value(bits, bits == -64 ? 1e300 : 1e-42);
        fill(0);
        struct wp_image *image = parse_good(&bytes);
        assert_true(isinf(image->plane[0][0]) && image->plane[0][0] > 0);
        assert_true(isnan(image->plane[0][1]));
        assert_true(isinf(image->plane[0][2]) && image->plane[0][2] < 0);
        if (bits == -64)
            assert_true(isinf(image->plane[0][3]));
        else
            assert_near(image->plane[0][3], (double)1e-42F, 0.0);
        wp_image_destroy(&image);
    }
}

static void volumes(void **state)
{
    (void)state;
    static const int sides[] = {WIDTH, HEIGHT, 1, SLICES, 1};
    bytes.size = 0;
    add_header(false, 16, 5, sides, NULL);
    for (int i = 0; i < PIXELS * SLICES; i++)
        add_value(16, i);
    fill(0);
    for (int volume = WP_VOLUME_EITHER; volume <= WP_VOLUME_YES; volume++) {
        struct wp_image *image = parse_as(&bytes, (enum wp_volume)volume);
        assert_non_null(image);
        assert_int_equal(image->depth, SLICES);
        for (int i = 0; i < PIXELS * SLICES; i++) // in file order
            assert_near(image->plane[0][i], i, 0.0);
        wp_image_destroy(&image);
    }
    assert_null(parse(&bytes));
    assert_error(WP_ERROR_FILE, "a volume of 9x5x3, not an image");
    begin(false, 16, NULL);
    struct wp_image *image = parse_as(&bytes, WP_VOLUME_YES);
    assert_non_null(image);
    assert_near(image->plane[0][0], stored(16, upside_down(0)), 0.0);
    wp_image_destroy(&image);
}

static void unsupported_files(void **state)
{
    (void)state;
    static const int four[] = {2, 2, 2, 2}, one[] = {5}, none[] = {0, 5}, huge[] = {200000, 5},
                     large[] = {100000, 100000};
    bytes.size = 0;
    add_header(false, 8, 0, NULL, NULL);
    expect_bad(&bytes, "not supported (FITS without an image)");
    bytes.size = 0;
    add_header(false, 8, 1, one, NULL);
    fill(0);
    expect_bad(&bytes, "not supported (FITS with 1 axis)");
    bytes.size = 0;
    add_header(false, 8, 4, four, NULL);
    add(&bytes, (unsigned char[BLOCK]){0}, BLOCK);
    expect_bad(&bytes, "not supported (FITS with 4 axes longer than 1)");
    bytes.size = 0;
    add_header(false, 8, 2, none, NULL);
    expect_bad(&bytes, "empty image (0x5)");
    bytes.size = 0;
    add_header(false, 8, 2, huge, NULL);
    expect_bad(&bytes, "image too large (200000x5");
    bytes.size = 0;
    add_header(false, -64, 2, large, NULL);
    expect_bad(&bytes, "truncated (needs 80000002880 bytes, has 2880)");
    begin(false, 16, NULL);
    bytes.size = BLOCK + PIXELS * 2 - 1;
    expect_bad(&bytes, "truncated (needs 2970 bytes, has 2969)");
    begin(false, 17, NULL);
    expect_bad(&bytes, "damaged FITS (");
    bytes.size = 100;
    expect_bad(&bytes, "damaged FITS (");
}

static void several_images(void **state)
{
    (void)state;
    begin(true, 16, NULL);
    add_image(true, -32, NULL);
    compare(16, 1.0, 0.0, "i16 big-endian");
    expect_message("a FITS with 2 images; only the first (HDU 2) is read");
    bytes.size -= BLOCK; // cuts the second image
    compare(16, 1.0, 0.0, "i16 big-endian");
}

static void zip(const struct bytes *plain, struct bytes *zipped)
{
    enum { GZIP = 16 };
    z_stream z = {0};
    assert_int_equal(deflateInit2(&z, 9, Z_DEFLATED, GZIP + MAX_WBITS, 8, Z_DEFAULT_STRATEGY),
                     Z_OK);
    z.next_in = (Bytef *)(uintptr_t)plain->data;
    z.avail_in = (uInt)plain->size;
    z.next_out = zipped->data;
    z.avail_out = sizeof zipped->data;
    assert_int_equal(deflate(&z, Z_FINISH), Z_STREAM_END);
    zipped->size = sizeof zipped->data - z.avail_out;
    deflateEnd(&z);
}

static void gzips(void **state)
{
    (void)state;
    static struct bytes zipped;
    begin(true, 16, NULL);
    zip(&bytes, &zipped);
    bytes = zipped;
    compare(16, 1.0, 0.0, "i16 big-endian");
    struct wp_file_facts facts;
    struct wp_image *image = parse_with_facts(&facts);
    assert_true(facts.zipped);
    assert_string_equal(facts.format, "FITS");
    wp_image_destroy(&image);
    save(path_to("a.fits.gz"), &bytes);
    image = wp_image_read_with(path_to("a.fits.gz"),
                               &(struct wp_read_params){.volume = WP_VOLUME_EITHER}, NULL);
    assert_non_null(image);
    wp_image_destroy(&image);
    bytes.size -= 9;
    expect_bad(&bytes, "truncated (the gzip is incomplete)");
    bytes = zipped;
    bytes.data[bytes.size - 6] ^= 1;
    expect_bad(&bytes, "damaged gzip (");
    bytes = zipped;
    damage(&bytes, WP_VOLUME_NO, SIZE_MAX, 0, "FITS in a gzip");
}

static void bad_headers(void **state)
{
    (void)state;
    begin(true, 16, "ZIMAGE  =                    T");
    expect_bad(&bytes, "not supported (FITS with compressed tiles)\n"
               "hint: decompress it with 'funpack FILE'");
    begin(false, 16, "BZERO   = 12345678901234567890123456");
    expect_bad(&bytes, "damaged FITS (a bad header card at byte 400)");
    begin(false, 16, "BZERO   = 123456789012345678901234\nOBJECT  = 'a name of more letters'");
    struct wp_image *image = parse_good(&bytes);
    wp_image_destroy(&image);
    begin(false, 16, "COMMENT a\tb");
    expect_bad(&bytes, "damaged FITS (a bad header card at byte 400)");
}

static void truncations_and_damage(void **state)
{
    (void)state;
    begin(false, 16, NULL);
    damage(&bytes, WP_VOLUME_NO, 500, BLOCK - PIXELS * 2, "FITS");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        IMAGE_TEST(every_type),
        IMAGE_TEST(undefined_values),
        IMAGE_TEST(volumes),
        IMAGE_TEST(unsupported_files),
        IMAGE_TEST(several_images),
        IMAGE_TEST(gzips),
        IMAGE_TEST(bad_headers),
        IMAGE_TEST(truncations_and_damage),
    };
    return cmocka_run_group_tests(tests, set_up_directory, remove_directory);
}
