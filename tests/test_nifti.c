// NIfTI-1 and NIfTI-2, compressed or not: files of all types are read, wrong and damaged ones are
// rejected. The files are made by hand and with zlib, without the code under test.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "geometry.h"
#include "golden.h"
#include "image.h"
#include "image_io.h"
#include "text.h"
#include "volume_files.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

static void set_number(struct bytes *bytes, int at, int64_t value, int size, bool big)
{
    struct bytes *number = malloc(sizeof *number);
    assert_non_null(number);
    number->size = 0;
    add_number(number, (uint64_t)value, size, big);
    memcpy(bytes->data + at, number->data, (size_t)size);
    free(number);
}

static void set_float(struct bytes *bytes, int at, float value, bool big)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    set_number(bytes, at, bits, 4, big);
}

enum {
    U8 = 2,
    I16 = 4,
    I32 = 8,
    F32 = 16,
    F64 = 64,
    I8 = 256,
    U16 = 512,
    U32 = 768,
    I64 = 1024,
    U64 = 1280,
    HEADER = 352
};

static bool is_signed(int type)
{
    return type == I8 || type == I16 || type == I32 || type == I64;
}

static int bytes_of(int type)
{
    return type == U8 || type == I8 ? 1 : type == I16 || type == U16 ? 2
           : type == I64 || type == U64 || type == F64               ? 8
                                                                     : 4;
}

// A header of a 9x5x3 volume; samples follow.
static void make_header(struct bytes *bytes, int type, bool big)
{
    static const int extents[] = {3, WIDTH, HEIGHT, SLICES, 1, 1, 1, 1};
    memset(bytes->data, 0, HEADER);
    bytes->size = HEADER;
    set_number(bytes, 0, 348, 4, big);
    for (int i = 0; i < 8; i++)
        set_number(bytes, 40 + 2 * i, extents[i], 2, big);
    set_number(bytes, 70, type, 2, big);
    set_float(bytes, 108, HEADER, big);
    memcpy(bytes->data + 344, "n+1", 4);
}

static int voxel(int type, int i)
{
    return (int)sample(0, i) - (is_signed(type) ? 128 : 0);
}

static void add_voxels(struct bytes *bytes, int type, bool big)
{
    for (int i = 0; i < VOXELS; i++) {
        const int value = voxel(type, i);
        if (type == F32)
            add_float(bytes, (float)value, big);
        else if (type == F64)
            add_double(bytes, value, big);
        else
            add_number(bytes, (uint64_t)(int64_t)value, bytes_of(type), big);
    }
}

static void make_nifti(struct bytes *bytes, int type, bool big)
{
    make_header(bytes, type, big);
    add_voxels(bytes, type, big);
}

static void zip(struct bytes *to, const void *data, size_t size)
{
    z_stream z = {0};
    assert_int_equal(deflateInit2(&z, 6, Z_DEFLATED, 16 + MAX_WBITS, 8, Z_DEFAULT_STRATEGY), Z_OK);
    z.next_in = (Bytef *)(uintptr_t)data;
    z.avail_in = (uInt)size;
    z.next_out = to->data + to->size;
    z.avail_out = (uInt)(sizeof to->data - to->size);
    assert_int_equal(deflate(&z, Z_FINISH), Z_STREAM_END);
    to->size = sizeof to->data - z.avail_out;
    deflateEnd(&z);
}

static void zip_all(struct bytes *to, const struct bytes *from)
{
    to->size = 0;
    zip(to, from->data, from->size);
}

static void check_nifti(const struct bytes *bytes, int type, double slope, double intercept,
                        int bits)
{
    struct wp_image *image = parse_volume(bytes);
    assert_sides(image, WIDTH, HEIGHT, SLICES, 1, bits);
    for (int i = 0; i < VOXELS; i++)
        assert_near(image->plane[0][i], voxel(type, i) * slope + intercept, 1e-4 * fabs(slope));
    wp_image_destroy(&image);
}

static void nifti_of_every_type(void **state)
{
    (void)state;
    static struct bytes bytes, zipped;
    static const struct {
        int type, bits;
    } types[] = {{U8, 32},  {I8, 32},  {I16, 32}, {U16, 32}, {I32, 64},
                 {U32, 64}, {I64, 64}, {U64, 64}, {F32, 32}, {F64, 64}};
    for (size_t t = 0; t < sizeof types / sizeof types[0]; t++) {
        for (int big = 0; big <= 1; big++) {
            make_nifti(&bytes, types[t].type, big);
            zip_all(&zipped, &bytes);
            check_nifti(&bytes, types[t].type, 1.0, 0.0, types[t].bits);
            check_nifti(&zipped, types[t].type, 1.0, 0.0, types[t].bits);
            set_float(&bytes, 112, 1.0F, big); // same as no slope
            check_nifti(&bytes, types[t].type, 1.0, 0.0, types[t].bits);
            set_float(&bytes, 112, 0.5F, big);
            set_float(&bytes, 116, -1000.0F, big);
            zip_all(&zipped, &bytes);
            check_nifti(&bytes, types[t].type, 0.5, -1000.0, types[t].bits);
            check_nifti(&zipped, types[t].type, 0.5, -1000.0, types[t].bits);
            set_float(&bytes, 112, big ? NAN : 0.0F, big); // no slope, no intercept
            set_float(&bytes, 116, big ? NAN : -1000.0F, big);
            check_nifti(&bytes, types[t].type, 1.0, 0.0, types[t].bits);
        }
    }
    // A double's digits survive an intercept that cancels most of its value.
    make_header(&bytes, F64, false);
    set_float(&bytes, 112, 1.0F, false);
    set_float(&bytes, 116, -16777216.0F, false);
    for (int i = 0; i < VOXELS; i++)
        add_double(&bytes, 16777216.0 + i / 8.0, false);
    struct wp_image *image = parse_volume(&bytes);
    assert_near(image->plane[0][3], 0.375, 0.0);
    wp_image_destroy(&image);
}

static void nifti_extensions_and_members(void **state)
{
    (void)state;
    static struct bytes bytes, zipped;
    // An extension of 32 bytes, and unknown bytes after it.
    make_header(&bytes, I16, false);
    bytes.data[348] = 1;
    set_float(&bytes, 108, HEADER + 48, false);
    add_number(&bytes, 32, 4, false);
    add_number(&bytes, 6, 4, false);
    add_text(&bytes, "a comment of 24 letters.");
    add_text(&bytes, "sixteen letters.");
    add_voxels(&bytes, I16, false);
    check_nifti(&bytes, I16, 1.0, 0.0, 32);
    zip_all(&zipped, &bytes);
    check_nifti(&zipped, I16, 1.0, 0.0, 32);
    // Several gzip members, as written by tools that need random access.
    zipped.size = 0;
    for (size_t at = 0; at < bytes.size; at += 100)
        zip(&zipped, bytes.data + at, bytes.size - at < 100 ? bytes.size - at : 100);
    zip(&zipped, "", 0);
    check_nifti(&zipped, I16, 1.0, 0.0, 32);
    zipped.size -= 20; // the last member, which is empty
    check_nifti(&zipped, I16, 1.0, 0.0, 32);
    // Padding with zeros, longer than a read buffer.
    for (int i = 0; i < 300; i++)
        add(&zipped, (unsigned char[200]){0}, i < 50 ? 1 : 200);
    check_nifti(&zipped, I16, 1.0, 0.0, 32);
    add_text(&zipped, "!");
    refuse(&zipped, "damaged gzip (unexpected data at byte ");
    zipped.size -= 1;
    zip(&zipped, "", 0);
    refuse(&zipped, "damaged gzip (unexpected data at byte ");
    zip_all(&zipped, &bytes);
    add_text(&zipped, "!");
    refuse(&zipped, "damaged gzip (unexpected data at byte ");
}

static void nifti_geometry(void **state)
{
    (void)state;
    static struct bytes bytes;
    static const struct {
        int units;
        double millimetres, seconds;
    } units[] = {{0, 1.0, 1.0},     {2, 1.0, 1.0},   {1, 1e3, 1.0},
                 {3, 1e-3, 1.0}, {2 + 16, 1.0, 1e-3}, {2 + 24, 1.0, 1e-6}};
    for (size_t u = 0; u < sizeof units / sizeof units[0]; u++) {
        for (int big = 0; big <= 1; big++) {
            make_nifti(&bytes, U8, big);
            set_number(&bytes, 40, 4, 2, big); // nz 1, nt 3: frames
            set_number(&bytes, 46, 1, 2, big);
            set_number(&bytes, 48, SLICES, 2, big);
            static const float lengths[] = {-1.0F, 2.0F, 3.0F, 4.0F, 250000.0F};
            for (int i = 0; i < 5; i++)
                set_float(&bytes, 76 + 4 * i, lengths[i], big);
            bytes.data[123] = (unsigned char)units[u].units;
            set_number(&bytes, 252, 2, 2, big);
            set_number(&bytes, 254, 3, 2, big);
            for (int i = 0; i < 18; i++)
                set_float(&bytes, 256 + 4 * i, (float)(i + 1) / 32.0F, big);
            struct wp_image *image = parse_volume(&bytes);
            assert_sides(image, WIDTH, HEIGHT, SLICES, 1, 32);
            const struct wp_geometry *g = &image->geometry;
            const double mm = units[u].millimetres;
            assert_true(g->has_size && g->frames && g->qfac < 0.0F);
            for (int i = 0; i < 3; i++) {
                assert_near((float)g->size[i], (i + 2) * mm, 1e-6 * mm);
                assert_near(g->quaternion[i], (i + 1) / 32.0, 0.0);
                assert_near(g->offset[i], (i + 4) / 32.0 * mm, 1e-6 * mm);
                for (int k = 0; k < 4; k++)
                    assert_near(g->sform[i][k], (4 * i + k + 7) / 32.0 * mm, 1e-6 * mm);
            }
            assert_int_equal(g->qform_code, 2);
            assert_int_equal(g->sform_code, 3);
            // 250000 seconds are too long for a rate in integer microseconds.
            const double each = 250000.0 * units[u].seconds;
            assert_int_equal(g->rate[0], each < 1.0 ? 4 : each < 2147.0 ? 1 : 0);
            assert_int_equal(g->rate[1], each < 1.0 ? 1 : each < 2147.0 ? 250 : 0);
            wp_image_destroy(&image);
        }
    }
    make_nifti(&bytes, U8, false); // no known or finite geometry
    set_number(&bytes, 252, 1, 2, false);
    set_float(&bytes, 256, NAN, false);
    set_number(&bytes, 254, 1, 2, false);
    set_float(&bytes, 300, INFINITY, false);
    struct wp_image *image = parse_volume(&bytes);
    assert_same_geometry(&image->geometry, &(struct wp_geometry){.qfac = 1.0F});
    wp_image_destroy(&image);
}

static void nifti_headers(void **state)
{
    (void)state;
    static struct bytes bytes, zipped;
    enum { SHORT = 2, INT = 4, FLOAT = 5 };
    static const struct {
        int at, size;
        double value;
        const char *text;
    } cases[] = {
        {0, INT, 540, "damaged NIfTI-2 (its magic is not 'n+2')"},
        {0, INT, 347, "damaged NIfTI (a header of 347 bytes, not 348)"},
        {40, SHORT, 0, "damaged NIfTI (0 axes)"},
        {40, SHORT, 8, "damaged NIfTI (8 axes)"},
        {40, SHORT, -3, "damaged NIfTI (-3 axes)"},
        {42, SHORT, -9, "damaged NIfTI (-9 samples along axis 1)"},
        {46, SHORT, -1, "damaged NIfTI (-1 samples along axis 3)"},
        {42, SHORT, 0, "empty volume (0x5x3)"},
        {70, SHORT, 0, "damaged NIfTI (samples of unknown type 0)"},
        {70, SHORT, 32, "not supported (NIfTI with complex64 samples)\nhint: save it as integers"},
        {70, SHORT, 1792, "not supported (NIfTI with complex128 samples)"},
        {108, FLOAT, 348.0, "damaged NIfTI (samples begin at byte 348)"},
        {108, FLOAT, -352.0, "damaged NIfTI (samples begin at byte -352)"},
        {108, FLOAT, 352.5, "damaged NIfTI (samples begin at byte 352.5)"},
        {108, FLOAT, NAN, "damaged NIfTI (samples begin at byte "},
        {108, FLOAT, 1e30, "damaged NIfTI (samples begin at byte 1e+30)"},
        {108, FLOAT, 353.0, "truncated (needs 623 bytes"},
        {46, SHORT, 4, "truncated (needs 712 bytes"},
        {46, SHORT, 2, "too long (the header requires 532 bytes"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        for (int big = 0; big <= 1; big++) {
            make_nifti(&bytes, I16, big);
            if (cases[i].size == FLOAT)
                set_float(&bytes, cases[i].at, (float)cases[i].value, big);
            else
                set_number(&bytes, cases[i].at, (int64_t)cases[i].value, cases[i].size, big);
            refuse(&bytes, cases[i].text);
            zip_all(&zipped, &bytes);
            if (cases[i].value != 347) // in a gzip this is found earlier
                refuse(&zipped, cases[i].text);
        }
    }
    make_nifti(&bytes, I16, false);
    set_float(&bytes, 112, 1.0F, false);
    set_float(&bytes, 116, -INFINITY, false);
    refuse(&bytes, "damaged NIfTI (slope 1, intercept -inf)");

    make_nifti(&bytes, I16, false);
    memcpy(bytes.data + 344, "ni1", 4);
    refuse(&bytes, "the header of a NIfTI pair; the names of the two files must end in .hdr and "
                   ".img");
    memset(bytes.data + 344, 0, 4);
    refuse(&bytes, "damaged NIfTI, or Analyze 7.5 (its magic is not 'n+1')");
    bytes.size = 200;
    refuse(&bytes, "truncated (needs 348 bytes, has 200)");

    // Excessive sizes are rejected before memory is allocated.
    make_nifti(&bytes, F64, false);
    for (int i = 0; i < 3; i++)
        set_number(&bytes, 42 + 2 * i, 32767, 2, false);
    refuse(&bytes, "truncated (needs 281449207693656 bytes, has 1432)");
    zip_all(&zipped, &bytes);
    refuse(&zipped, "truncated (needs 272722100478 bytes, has ");

    // Series of volumes, and more axes.
    make_nifti(&bytes, I16, true);
    set_number(&bytes, 40, 4, 2, true);
    set_number(&bytes, 48, 20, 2, true);
    refuse(&bytes, "a series of 20 volumes of 9x5x3; one of them must be selected");
    refuse_as(&bytes, WP_VOLUME_NO, "a series of 20 volumes of 9x5x3");
    set_number(&bytes, 40, 5, 2, true);
    set_number(&bytes, 48, 1, 2, true);
    set_number(&bytes, 50, 3, 2, true);
    refuse(&bytes, "not supported (NIfTI with 3 samples along axis 5)");
    set_number(&bytes, 50, -3, 2, true);
    refuse(&bytes, "damaged NIfTI (-3 samples along axis 5)");
    set_number(&bytes, 50, 0, 2, true); // treated as 1
    check_nifti(&bytes, I16, 1.0, 0.0, 32);
}

// A header of a NIfTI-2 file with `volumes` volumes.
static void make_header_2(struct bytes *bytes, int type, int volumes, bool big)
{
    enum { BYTES = 544 };
    const int extents[] = {volumes > 1 ? 4 : 3, WIDTH, HEIGHT, SLICES, volumes, 1, 1, 1};
    memset(bytes->data, 0, BYTES);
    bytes->size = BYTES;
    set_number(bytes, 0, 540, 4, big);
    memcpy(bytes->data + 4, "n+2\0\r\n\032\n", 8);
    set_number(bytes, 12, type, 2, big);
    for (int i = 0; i < 8; i++)
        set_number(bytes, 16 + 8 * i, extents[i], 8, big);
    set_number(bytes, 168, BYTES, 8, big);
    set_number(bytes, 344, 0, 4, big);
}

static void set_double(struct bytes *bytes, int at, double value, bool big)
{
    int64_t bits;
    memcpy(&bits, &value, sizeof bits);
    set_number(bytes, at, bits, 8, big);
}

static void nifti_2(void **state)
{
    (void)state;
    static struct bytes bytes, zipped;
    for (int big = 0; big <= 1; big++) {
        make_header_2(&bytes, I64, 1, big);
        add_voxels(&bytes, I64, big);
        check_nifti(&bytes, I64, 1.0, 0.0, 64);
        set_double(&bytes, 176, 0.25, big);
        set_double(&bytes, 184, 3.0, big);
        for (int i = 1; i <= 3; i++)
            set_double(&bytes, 104 + 8 * i, 0.5 * i, big);
        set_number(&bytes, 500, 2, 4, big);
        zip_all(&zipped, &bytes);
        check_nifti(&zipped, I64, 0.25, 3.0, 64);
        struct wp_image *image = parse_volume(&bytes);
        assert_true(image->geometry.has_size);
        assert_near((float)image->geometry.size[2], 1.5, 0);
        wp_image_destroy(&image);
        set_number(&bytes, 16 + 8, (int64_t)1 << 40, 8, big);
        refuse(&bytes, "volume too large (1099511627776x5x3; the limit is 131072 per side)");
    }
}

static struct wp_image *read_volume(const char *path, int number)
{
    const struct wp_read_params params = {.volume = WP_VOLUME_YES, .volume_number = number};
    return wp_image_read_with(path, &params, NULL);
}

static void selected_volumes(void **state)
{
    (void)state;
    static struct bytes bytes;
    const char *path = path_to("series.nii");
    make_header_2(&bytes, I16, 3, false);
    for (int n = 0; n < 3; n++)
        for (int i = 0; i < VOXELS; i++)
            add_number(&bytes, (uint64_t)(100 * n + i), 2, false);
    save(path, &bytes);
    for (int n = 0; n < 3; n++) {
        struct wp_image *image = read_volume(path, n + 1);
        assert_non_null(image);
        assert_sides(image, WIDTH, HEIGHT, SLICES, 1, 32);
        assert_near(image->plane[0][0], 100 * n, 0);
        assert_near(image->plane[0][VOXELS - 1], 100 * n + VOXELS - 1, 0);
        wp_image_destroy(&image);
    }
    assert_null(read_volume(path, 4));
    assert_error(WP_ERROR_FILE, "there is no volume 3 (volumes are numbered 0 to 2)");
}

// The samples of a pair are in a second file; both names work.
static void pairs(void **state)
{
    (void)state;
    static struct bytes header, image_bytes;
    make_header(&header, I16, false);
    header.size = 348;
    memcpy(header.data + 344, "ni1", 4);
    set_float(&header, 108, 0, false);
    image_bytes.size = 0;
    add_voxels(&image_bytes, I16, false);
    save(path_to("pair.hdr"), &header);
    save(path_to("pair.img"), &image_bytes);
    static const char *const names[] = {"pair.hdr", "pair.img"};
    for (int i = 0; i < 2; i++) {
        struct wp_image *image = read_volume(path_to(names[i]), 0);
        assert_non_null(image);
        for (int k = 0; k < VOXELS; k++)
            assert_near(image->plane[0][k], voxel(I16, k), 0);
        wp_image_destroy(&image);
    }
    image_bytes.size--;
    save(path_to("pair.img"), &image_bytes);
    assert_null(read_volume(path_to("pair.hdr"), 0));
    assert_error(WP_ERROR_FILE, "pair.img: truncated (needs 270 bytes, has 269)");
}

// The facts of an image, or the error message without the file name.
static void add_outcome(struct wp_text *text, const struct bytes *bytes)
{
    forget_errors();
    struct wp_image *image = parse_as(bytes, WP_VOLUME_EITHER);
    if (!image) {
        const char *message = strstr(error_message, ": ");
        wp_text_add(text, " %.*s\n", message ? (int)strcspn(message + 2, "\n") : 0,
                    message ? message + 2 : "");
        return;
    }
    const struct wp_geometry *g = &image->geometry;
    char letters[WP_ORIENTATION_SIZE], number[WP_NUMBER_SIZE];
    wp_text_add(text, " %dx%dx%d, %d bits,", image->width, image->height, image->depth,
                image->origin.bits);
    for (int i = 0; i < 2; i++)
        wp_text_add(text, " %s", wp_format_number(number, (double)image->plane[0][i], 5));
    for (int i = 0; i < 3 && g->has_size; i++)
        wp_text_add(text, "%s%s", i ? " " : ", size ", wp_format_number(number, g->size[i], 5));
    wp_text_add(text, ", codes %d %d, %s %s", g->qform_code, g->sform_code,
                g->qfac < 0 ? "-" : "+", wp_geometry_orientation(g, letters));
    for (int i = 0; i < 3; i++)
        wp_text_add(text, " %s", wp_format_number(number, (double)g->quaternion[i], 5));
    for (int i = 0; i < 3; i++)
        wp_text_add(text, " %s", wp_format_number(number, (double)g->offset[i], 5));
    for (int i = 0; i < 12; i++)
        wp_text_add(text, " %s", wp_format_number(number, (double)g->sform[i / 4][i % 4], 5));
    if (g->frames)
        wp_text_add(text, ", %d/%d frames", g->rate[0], g->rate[1]);
    wp_text_add(text, "\n");
    wp_image_destroy(&image);
}

// Flips bits of each byte of a valid header, and records the results that differ.
static void nifti_headers_as_texts(void **state)
{
    (void)state;
    static struct bytes bytes;
    struct wp_text text = {0}, intact = {0}, other = {0};
    for (int frames = 0; frames <= 1; frames++) {
        make_nifti(&bytes, U16, frames);
        for (int i = 0; i < 8; i++)
            set_float(&bytes, 76 + 4 * i, i == 0 ? -1 : i == 4 ? 40 : 1.5F + (float)i, frames);
        set_float(&bytes, 112, 2, frames);
        set_float(&bytes, 116, -3, frames);
        bytes.data[123] = frames ? 1 + 16 : 3 + 24;
        set_number(&bytes, 252, 1, 2, frames);
        set_number(&bytes, 254, 2, 2, frames);
        for (int i = 0; i < 3; i++) {
            set_float(&bytes, 256 + 4 * i, 0.25F * (float)(i + 1), frames);
            set_float(&bytes, 268 + 4 * i, (float)(10 * i - 7), frames);
            for (int k = 0; k < 4; k++)
                set_float(&bytes, 280 + 16 * i + 4 * k, i == k ? 2 : (float)(k - i) / 8, frames);
        }
        if (frames) {
            set_number(&bytes, 40, 4, 2, true);
            set_number(&bytes, 46, 1, 2, true);
            set_number(&bytes, 48, SLICES, 2, true);
            set_number(&bytes, 254, 0, 2, true);
        }
        wp_text_clear(&intact);
        add_outcome(&intact, &bytes);
        wp_text_add(&text, "whole:%s", wp_text_get(&intact));
        // The floats from byte 256 on: every third byte, which reaches each float.
        for (int i = 0; i < HEADER; i += i < 256 ? 1 : 3)
            for (int v = 0; v < 2; v++) {
                const unsigned char flip = v ? 0xff : 0x01;
                wp_text_clear(&other);
                bytes.data[i] ^= flip;
                add_outcome(&other, &bytes);
                bytes.data[i] ^= flip;
                if (strcmp(wp_text_get(&other), wp_text_get(&intact)) != 0)
                    wp_text_add(&text, "%d ^ %d:%s", i, flip, wp_text_get(&other));
            }
    }
    // The frame duration; a duration that is too short or too long gives no rate.
    static const float times[] = {0.5F, 1, 33333, 2147483520.0F, 2147483648.0F, -1};
    bytes.data[123] = 24;
    for (size_t i = 0; i < sizeof times / sizeof *times; i++) {
        set_float(&bytes, 92, times[i], true);
        wp_text_add(&text, "%.1f us:", (double)times[i]);
        add_outcome(&text, &bytes);
    }
    // The shortest files that are still detected as NIfTI.
    for (bytes.size = 5; bytes.size >= 3; bytes.size--) {
        wp_text_add(&text, "%d bytes:", (int)bytes.size);
        add_outcome(&text, &bytes);
    }
    assert_golden("nifti_headers.txt", wp_text_get(&text));
    wp_text_free(&text);
    wp_text_free(&intact);
    wp_text_free(&other);
}

static void gzips(void **state)
{
    (void)state;
    static struct bytes bytes, zipped, bad;
    make_nifti(&bytes, I16, false);
    zip_all(&zipped, &bytes);
    bad = zipped;
    bad.size -= 1; // in the length field
    refuse(&bad, "truncated (the gzip is incomplete)");
    bad.size -= 7; // all samples are present
    refuse(&bad, "truncated (");
    bad.size = zipped.size / 2;
    refuse(&bad, "truncated (needs 622 bytes decompressed, has ");
    bad = zipped;
    bad.data[bad.size - 6] ^= 1;
    refuse(&bad, "damaged gzip (incorrect data check)");
    bad = zipped;
    bad.data[bad.size - 2] ^= 1;
    refuse(&bad, "damaged gzip (incorrect length check)");
    add_text(&bytes, "more");
    zip_all(&zipped, &bytes);
    refuse(&zipped, "too long (the header requires 622 bytes, and more follow after "
                    "decompression)");
    refuse(&bytes, "too long (the header requires 622 bytes, the file has 626)");
    zipped.size = 0;
    zip(&zipped, "This is text.\n", 14);
    refuse(&zipped, "the gzip file does not contain NIfTI\nhint: decompress it first");
    zipped.size = 0;
    zip(&zipped, "ab", 2);
    refuse(&zipped, "truncated (needs 348 bytes decompressed, has 2)");
    zipped.size = 0;
    add(&zipped, "\x1f\x8b\x08", 3);
    refuse(&zipped, "truncated (");
    add(&zipped, "\xff and nonsense behind it", 25);
    refuse(&zipped, "damaged gzip (");
}

static void every_truncation_and_damaged_byte(void **state)
{
    (void)state;
    static struct bytes bytes, zipped;
    for (int big = 0; big <= 1; big++) {
        make_nifti(&bytes, big ? I16 : F32, big);
        damage(&bytes, WP_VOLUME_EITHER, HEADER, 0, "NIfTI");
        zip_all(&zipped, &bytes);
        damage(&zipped, WP_VOLUME_EITHER, SIZE_MAX, 0, "packed NIfTI");
        // Damaged headers inside a gzip.
        for (size_t i = 0; i < HEADER; i++) {
            for (int v = 0; v < 3; v++) {
                static const unsigned char flips[] = {0x01, 0x80, 0xff};
                bytes.data[i] ^= flips[v];
                zip_all(&zipped, &bytes);
                expect_one_result(&zipped, WP_VOLUME_EITHER, true, "packed damaged NIfTI");
                bytes.data[i] ^= flips[v];
            }
        }
    }
}

static void heads_of_mricron(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        int width, height, depth, bits;
        double least, most; // of the stored values
    } files[] = {
        {"ch2.nii.gz", 181, 217, 181, 8, 0.0, 254.0},
        {"ch2better.nii.gz", 301, 370, 316, 8, 0.0, 130.0},
        {"inia19-t1-brain.nii.gz", 168, 206, 128, 32, 0.0, 383.2},
        {"inia19-NeuroMaps.nii.gz", 168, 206, 128, 32, 0.0, 1605.0},
    };
    int found = 0;
    for (size_t f = 0; f < sizeof files / sizeof files[0]; f++) {
        char path[256];
        snprintf(path, sizeof path, "/usr/share/mricron/templates/%s", files[f].name);
        if (access(path, R_OK) != 0)
            continue;
        found++;
        struct wp_image *image = read_good(path, WP_VOLUME_EITHER);
        assert_sides(image, files[f].width, files[f].height, files[f].depth, 1, files[f].bits);
        assert_true(image->geometry.has_size);
        const double scale = files[f].bits == 8 ? 255.0 : 1.0;
        float least = INFINITY, most = -INFINITY;
        for (size_t i = 0; i < wp_image_samples(image); i++) {
            least = fminf(least, image->plane[0][i]);
            most = fmaxf(most, image->plane[0][i]);
        }
        assert_near(least, files[f].least / scale, 1e-6);
        assert_near(most, files[f].most / scale, 0.05 / scale);
        wp_image_destroy(&image);
    }
    if (found == 0) {
        print_message("no volumes in /usr/share/mricron/templates (Debian's mricron-data)\n");
        skip();
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        IMAGE_TEST(nifti_of_every_type),
        IMAGE_TEST(nifti_extensions_and_members),
        IMAGE_TEST(nifti_geometry),
        IMAGE_TEST(nifti_headers),
        IMAGE_TEST(nifti_2),
        IMAGE_TEST(selected_volumes),
        IMAGE_TEST(pairs),
        IMAGE_TEST(nifti_headers_as_texts),
        IMAGE_TEST(gzips),
        IMAGE_TEST(every_truncation_and_damaged_byte),
        IMAGE_TEST(heads_of_mricron),
    };
    return cmocka_run_group_tests(tests, set_up_directory, remove_directory);
}
