// Readers of images. Test files are built in this file, by libpng and libtiff, or by
// stb_image_write, and not by the code under test.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "image.h"
#include "image_files.h"
#include "image_io.h"

#include <math.h>
#include <png.h>
#include <stb/stb_image_write.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tiffio.h>

#include <jpeglib.h> // requires stdio.h

static void add_samples(struct bytes *bytes, int planes, int size, bool big_endian)
{
    for (int i = 0; i < PIXELS; i++)
        for (int p = 0; p < planes; p++)
            add_number(bytes, sample(p, i), size, big_endian);
}

static void pnm(void **state)
{
    (void)state;
    static struct bytes bytes;
    for (int planes = 1; planes <= 3; planes += 2) {
        bytes.size = 0;
        add_text(&bytes, planes == 1 ? "P5\n# comment\n9 5\n255\n" : "P6 9 #c\n 5 255 ");
        add_samples(&bytes, planes, 1, true);
        parse_and_compare(&bytes, planes, false, 8, 255.0, 1e-7);

        bytes.size = 0;
        add_text(&bytes, planes == 1 ? "P5 9 5 1023\n" : "P6 9 5 1023\n");
        add_samples(&bytes, planes, 2, true);
        parse_and_compare(&bytes, planes, false, 16, 1023.0, 1e-7);

        bytes.size = 0;
        add_text(&bytes, planes == 1 ? "P2 9 5 300\n" : "P3\n9 5\n# comment\n300\n");
        for (int i = 0; i < PIXELS * planes; i++) {
            char word[16];
            snprintf(word, sizeof word, "%u%s", sample(i % planes, i / planes), i % 8 ? " " : "\n");
            add_text(&bytes, word);
        }
        parse_and_compare(&bytes, planes, false, 16, 300.0, 1e-7);
    }
    bytes.size = 0;
    add(&bytes, "P5 2 1 100\n\x64\x32", 13);
    struct wp_image *image = parse_good(&bytes);
    assert_near(image->plane[0][0], 1.0, 0.0);
    assert_near(image->plane[0][1], 0.5, 0.0);
    wp_image_destroy(&image);
}

static void npy_types(void **state)
{
    (void)state;
    static const struct {
        const char *type;
        int bytes, bits;
    } types[] = {{"|u1", 1, 32}, {"<u2", 2, 32}, {">u2", 2, 32}, {"<u4", 4, 64},
                 {">u4", 4, 64}, {"<i8", 8, 64}, {">i8", 8, 64}, {"<u8", 8, 64},
                 {"<f4", 4, 32}, {">f4", 4, 32}, {"<f8", 8, 64}, {">f8", 8, 64}};
    enum { TYPES = sizeof types / sizeof types[0] };
    static struct bytes bytes;
    for (int planes = 0; planes <= 4; planes++) { // 0: no axis for planes
        for (int t = 0; t < TYPES; t++) {
            for (int fortran = 0; fortran <= 1; fortran++) {
                char shape[32], header[160];
                snprintf(shape, sizeof shape, planes ? "(5, 9, %d)" : "(5,9)", planes);
                snprintf(header, sizeof header,
                         "{'descr': '%s', 'fortran_order': %s, 'shape': %s, }   \n", types[t].type,
                         fortran ? "True" : "False", shape);
                bytes.size = 0;
                add_npy_header(&bytes, 1 + (planes + t) % 3, header);
                const int count = planes ? planes : 1;
                const bool big = types[t].type[0] == '>';
                for (int k = 0; k < PIXELS * count; k++) {
                    // Fortran: rows vary fastest, then columns, then planes.
                    const int p = fortran ? k / PIXELS : k % count;
                    const int i = fortran ? k % HEIGHT * WIDTH + k / HEIGHT % WIDTH : k / count;
                    if (strcmp(types[t].type + 1, "f8") == 0)
                        add_double(&bytes, sample(p, i), big);
                    else if (strcmp(types[t].type + 1, "f4") == 0)
                        add_float(&bytes, (float)sample(p, i), big);
                    else
                        add_number(&bytes, sample(p, i), types[t].bytes, big);
                }
                parse_and_compare(&bytes, count, false, types[t].bits, 1.0, 1e-7);
            }
        }
    }
    bytes.size = 0;
    add_npy_header(&bytes, 1, "{\"shape\":(1,3),'descr':'>f8','fortran_order':False}");
    add_double(&bytes, -7.25, true);
    add_double(&bytes, 1000.0, true);
    add_double(&bytes, NAN, true);
    struct wp_image *image = parse_good(&bytes);
    assert_near(image->plane[0][0], -7.25, 0.0);
    assert_near(image->plane[0][1], 1000.0, 0.0);
    assert_int_equal(wp_image_count_nonfinite(image), 1);
    wp_image_destroy(&image);
}

static void pfm_of_both_byte_orders(void **state)
{
    (void)state;
    static struct bytes bytes;
    for (int big = 0; big <= 1; big++) {
        for (int planes = 1; planes <= 3; planes += 2) {
            bytes.size = 0;
            add_text(&bytes, planes == 1 ? "Pf\n9 5\n" : "PF\n9 5\n");
            add_text(&bytes, big ? "1.0\n" : "-2.5\n");
            for (int y = HEIGHT - 1; y >= 0; y--)
                for (int x = 0; x < WIDTH; x++)
                    for (int p = 0; p < planes; p++)
                        add_float(&bytes, (float)sample(p, y * WIDTH + x), big);
            parse_and_compare(&bytes, planes, false, 32, 1.0, 0.0);
        }
    }
    bytes.size = 0;
    add_text(&bytes, "Pf 1 2 1\n");
    add_float(&bytes, -7.25F, true);
    add_float(&bytes, 1000.0F, true);
    struct wp_image *image = parse_good(&bytes);
    assert_near(image->plane[0][0], 1000.0, 0.0);
    assert_near(image->plane[0][1], -7.25, 0.0);
    wp_image_destroy(&image);
}

static void stb_add(void *bytes, void *data, int size)
{
    add(bytes, data, (size_t)size);
}

enum kind { KIND_JPEG, KIND_BMP, KIND_TGA, KIND_TGA_RLE, KIND_HDR };

static void make_with_stb(struct bytes *bytes, enum kind kind, int planes)
{
    unsigned char samples[PIXELS * 4];
    float floats[PIXELS * 4];
    for (int i = 0; i < PIXELS * planes; i++) {
        samples[i] = (unsigned char)sample(i % planes, i / planes);
        floats[i] = (float)sample(i % planes, i / planes);
    }
    bytes->size = 0;
    stbi_write_tga_with_rle = kind == KIND_TGA_RLE;
    int ok = 0;
    if (kind == KIND_JPEG)
        ok = stbi_write_jpg_to_func(stb_add, bytes, WIDTH, HEIGHT, planes, samples, 100);
    else if (kind == KIND_BMP)
        ok = stbi_write_bmp_to_func(stb_add, bytes, WIDTH, HEIGHT, planes, samples);
    else if (kind == KIND_HDR)
        ok = stbi_write_hdr_to_func(stb_add, bytes, WIDTH, HEIGHT, planes, floats);
    else
        ok = stbi_write_tga_to_func(stb_add, bytes, WIDTH, HEIGHT, planes, samples);
    assert_int_equal(ok, 1);
}

static void jpeg_bmp_tga_hdr(void **state)
{
    (void)state;
    static struct bytes bytes;
    make_with_stb(&bytes, KIND_BMP, 3);
    parse_and_compare(&bytes, 3, false, 8, 255.0, 1e-7);
    for (int planes = 1; planes <= 4; planes++) {
        make_with_stb(&bytes, KIND_TGA, planes);
        parse_and_compare(&bytes, planes, planes % 2 == 0, 8, 255.0, 1e-7);
        make_with_stb(&bytes, KIND_TGA_RLE, planes);
        parse_and_compare(&bytes, planes, planes % 2 == 0, 8, 255.0, 1e-7);
    }
    // Lossy: three 8-bit mantissas share an exponent.
    make_with_stb(&bytes, KIND_HDR, 3);
    parse_and_compare(&bytes, 3, false, 32, 1.0, 1.0);
    // These samples are noisy, which JPEG does not preserve; a smooth image is preserved well.
    make_with_stb(&bytes, KIND_JPEG, 3);
    parse_and_compare(&bytes, 3, false, 8, 255.0, 0.35);
    unsigned char ramp[PIXELS];
    for (int i = 0; i < PIXELS; i++)
        ramp[i] = (unsigned char)(20 + 10 * (i % WIDTH) + 20 * (i / WIDTH));
    bytes.size = 0;
    assert_int_equal(stbi_write_jpg_to_func(stb_add, &bytes, WIDTH, HEIGHT, 1, ramp, 100), 1);
    struct wp_image *image = parse_good(&bytes);
    for (int i = 0; i < PIXELS; i++)
        assert_near(image->plane[0][i], ramp[i] / 255.0, 0.02);
    wp_image_destroy(&image);
}

// CMYK, plain or, with Adobe's marker, inverted. Each block has one color, which JPEG preserves.
static void inks_of_jpeg(void **state)
{
    (void)state;
    enum { BLOCK = 8, BLOCKS = 3, INKS = 4, SIDE = BLOCK * BLOCKS, COLORS = 3 };
    static const unsigned char ink[BLOCKS][INKS] = {
        {0, 64, 255, 0}, {200, 100, 50, 128}, {30, 20, 10, 240}};
    for (int adobe = 0; adobe < 2; adobe++) {
        struct jpeg_compress_struct jpeg;
        struct jpeg_error_mgr errors;
        unsigned char *data = NULL;
        unsigned long size = 0;
        jpeg.err = jpeg_std_error(&errors);
        jpeg_create_compress(&jpeg);
        jpeg_mem_dest(&jpeg, &data, &size);
        jpeg.image_width = SIDE;
        jpeg.image_height = BLOCK;
        jpeg.input_components = INKS;
        jpeg.in_color_space = JCS_CMYK;
        jpeg_set_defaults(&jpeg);
        jpeg_set_quality(&jpeg, 100, true);
        jpeg.write_Adobe_marker = adobe;
        jpeg_start_compress(&jpeg, true);
        unsigned char row[SIDE * INKS], *rows[] = {row};
        for (int i = 0; i < SIDE * INKS; i++)
            row[i] = ink[i / INKS / BLOCK][i % INKS];
        for (int y = 0; y < BLOCK; y++)
            jpeg_write_scanlines(&jpeg, rows, 1);
        jpeg_finish_compress(&jpeg);
        jpeg_destroy_compress(&jpeg);
        static struct bytes bytes;
        bytes.size = 0;
        add(&bytes, data, size);
        free(data);
        struct wp_image *image = parse_good(&bytes);
        assert_shape(image, SIDE, BLOCK, COLORS, false, 8);
        for (int i = 0; i < SIDE * BLOCK; i++) {
            const unsigned char *inks = ink[i % SIDE / BLOCK];
            for (int p = 0; p < COLORS; p++) {
                const double reflected = adobe ? inks[p] : 255 - inks[p];
                const double black = adobe ? inks[COLORS] : 255 - inks[COLORS];
                assert_near(image->plane[p][i], reflected * black / (255.0 * 255), 1.6 / 255);
            }
        }
        wp_image_destroy(&image);
    }
}

// Checks the pixels of an image with an orientation of TIFF 6.0, which specifies the edges of the
// displayed image where the stored rows and columns start.
static void assert_oriented(const struct wp_image *image, const struct wp_image *stored,
                            int orientation)
{
    static const struct {
        bool rows_across, from_bottom, from_right; // of the displayed image
    } mapping[] = {{0},       {0, 0, 0}, {0, 0, 1}, {0, 1, 1}, {0, 1, 0},
                   {1, 0, 0}, {1, 0, 1}, {1, 1, 1}, {1, 1, 0}};
    const bool across = mapping[orientation].rows_across;
    assert_shape(image, across ? stored->height : stored->width,
                 across ? stored->width : stored->height, stored->planes, stored->alpha,
                 stored->origin.bits);
    for (int p = 0; p < stored->planes; p++) {
        for (int row = 0; row < stored->height; row++) {
            for (int column = 0; column < stored->width; column++) {
                int x = across ? row : column, y = across ? column : row;
                x = mapping[orientation].from_right ? image->width - 1 - x : x;
                y = mapping[orientation].from_bottom ? image->height - 1 - y : y;
                assert_near(image->plane[p][y * image->width + x],
                            stored->plane[p][row * stored->width + column], 0.0);
            }
        }
    }
}

enum { ORIENTATION = 274, WIDTH_TAG = 256, LAST = 8 };

// A TIFF header and a directory with one tag: 26 bytes.
static void add_directory(struct bytes *bytes, unsigned tag, unsigned value, bool big)
{
    enum { SHORT = 3, VERSION = 42, DIRECTORY = 8 };
    add_text(bytes, big ? "MM" : "II");
    add_number(bytes, VERSION, 2, big);
    add_number(bytes, DIRECTORY, 4, big);
    add_number(bytes, 1, 2, big);
    add_number(bytes, tag, 2, big);
    add_number(bytes, SHORT, 2, big);
    add_number(bytes, 1, 4, big);
    add_number(bytes, value, 2, big);
    add_number(bytes, 0, 2, big);
    add_number(bytes, 0, 4, big);
}

// A JPEG with an EXIF segment.
static void add_exif(struct bytes *bytes, const struct bytes *jpeg, unsigned tag, unsigned value,
                     bool big)
{
    enum { SIZE = 2 + 6 + 8 + 2 + 12 + 4, START = 2 };
    bytes->size = 0;
    add(bytes, jpeg->data, START);
    add_number(bytes, 0xffe1, 2, true);
    add_number(bytes, SIZE, 2, true);
    add(bytes, "Exif\0", 6);
    add_directory(bytes, tag, value, big);
    add(bytes, jpeg->data + START, jpeg->size - START);
}

static void orientations_of_jpeg(void **state)
{
    (void)state;
    static struct bytes plain, bytes;
    for (int planes = 1; planes <= 3; planes += 2) {
        make_with_stb(&plain, KIND_JPEG, planes);
        struct wp_image *stored = parse_good(&plain);
        for (unsigned value = 0; value <= LAST + 2; value++) {
            const int expected = value >= 1 && value <= LAST ? (int)value : 1;
            add_exif(&bytes, &plain, ORIENTATION, value, (value + (unsigned)planes) % 2);
            struct wp_image *image = parse_good(&bytes);
            assert_oriented(image, stored, expected);
            wp_image_destroy(&image);
        }
        add_exif(&bytes, &plain, WIDTH_TAG, LAST, false);
        struct wp_image *image = parse_good(&bytes);
        assert_oriented(image, stored, 1);
        wp_image_destroy(&image);
        // EXIF segments with wrong magic numbers and directories beyond the end are ignored.
        enum { MAGIC = 6, OFFSET = 16 };
        for (int i = 0; i < 2; i++) {
            add_exif(&bytes, &plain, ORIENTATION, LAST, true);
            bytes.data[i == 0 ? MAGIC : OFFSET] ^= 0x7f;
            image = parse_good(&bytes);
            assert_oriented(image, stored, 1);
            wp_image_destroy(&image);
        }
        wp_image_destroy(&stored);
    }
}

// Writes a file with libtiff. `mode` is that of TIFFOpen().
static void make_tiff(struct bytes *bytes, const char *mode, int planes, int bits, int photometric,
                      bool separate, bool tiled, int compression)
{
    const char *path = path_to("made.tiff");
    TIFF *tiff = TIFFOpen(path, mode);
    assert_non_null(tiff);
    TIFFSetField(tiff, TIFFTAG_IMAGEWIDTH, WIDTH);
    TIFFSetField(tiff, TIFFTAG_IMAGELENGTH, HEIGHT);
    TIFFSetField(tiff, TIFFTAG_SAMPLESPERPIXEL, planes);
    TIFFSetField(tiff, TIFFTAG_BITSPERSAMPLE, bits);
    TIFFSetField(tiff, TIFFTAG_SAMPLEFORMAT, bits > 16 ? SAMPLEFORMAT_IEEEFP : SAMPLEFORMAT_UINT);
    TIFFSetField(tiff, TIFFTAG_PHOTOMETRIC, photometric);
    TIFFSetField(tiff, TIFFTAG_COMPRESSION, compression);
    TIFFSetField(tiff, TIFFTAG_PLANARCONFIG,
                 separate ? PLANARCONFIG_SEPARATE : PLANARCONFIG_CONTIG);
    if (planes % 2 == 0)
        TIFFSetField(tiff, TIFFTAG_EXTRASAMPLES, 1, &(uint16_t){EXTRASAMPLE_UNASSALPHA});
    enum { TILE = 16, STRIP = 2 };
    if (tiled) {
        TIFFSetField(tiff, TIFFTAG_TILEWIDTH, TILE);
        TIFFSetField(tiff, TIFFTAG_TILELENGTH, TILE);
    } else {
        TIFFSetField(tiff, TIFFTAG_ROWSPERSTRIP, STRIP);
    }
    const int interleaved = separate ? 1 : planes;
    const int width = tiled ? TILE : WIDTH, rows = tiled ? TILE : STRIP;
    for (int first = 0; first < (separate ? planes : 1); first++) {
        for (int top = 0; top < HEIGHT; top += rows) {
            static double block[TILE * TILE * 4]; // aligned for every type
            memset(block, 0, sizeof block);
            const int height = top + rows < HEIGHT ? rows : HEIGHT - top;
            for (int k = 0; k < width * height * interleaved; k++) {
                const int x = k / interleaved % width, y = top + k / interleaved / width;
                if (x >= WIDTH)
                    continue;
                const unsigned value = sample(first + k % interleaved, y * WIDTH + x);
                if (bits == 8)
                    ((uint8_t *)block)[k] = (uint8_t)value;
                else if (bits == 16)
                    ((uint16_t *)block)[k] = (uint16_t)value;
                else if (bits == 32)
                    ((float *)block)[k] = (float)value;
                else
                    block[k] = value;
            }
            const tmsize_t size =
                (tmsize_t)(width * (tiled ? TILE : height) * interleaved * bits / 8);
            const uint32_t index =
                tiled ? TIFFComputeTile(tiff, 0, (uint32_t)top, 0, (uint16_t)first)
                      : TIFFComputeStrip(tiff, (uint32_t)top, (uint16_t)first);
            assert_true((tiled ? TIFFWriteEncodedTile(tiff, index, block, size)
                               : TIFFWriteEncodedStrip(tiff, index, block, size)) == size);
        }
    }
    TIFFClose(tiff);
    load(path, bytes);
}

static void tiffs_of_every_layout(void **state)
{
    (void)state;
    static struct bytes bytes;
    static const char *const modes[] = {"wl", "wb", "w8"}; // both byte orders, and BigTIFF
    for (int planes = 1; planes <= 4; planes++) {
        for (int bits = 8; bits <= 64; bits *= 2) {
            for (int k = 0; k < 8; k++) {
                make_tiff(&bytes, modes[(planes + k) % 3], planes, bits,
                          planes >= 3 ? PHOTOMETRIC_RGB : PHOTOMETRIC_MINISBLACK, k & 1, k & 2,
                          k & 4 ? COMPRESSION_LZW : COMPRESSION_NONE);
                const double maximum = bits == 8 ? 255.0 : bits == 16 ? 65535.0 : 1.0;
                parse_and_compare(&bytes, planes, planes % 2 == 0, bits, maximum, 1e-7);
            }
        }
    }
    make_tiff(&bytes, "w", 1, 8, PHOTOMETRIC_MINISWHITE, false, false, COMPRESSION_NONE);
    struct wp_image *image = parse_good(&bytes);
    for (int i = 0; i < PIXELS; i++)
        assert_near(image->plane[0][i], 1.0 - sample(0, i) / 255.0, 1e-6);
    wp_image_destroy(&image);
}

static void orientations_of_tiff(void **state)
{
    (void)state;
    static struct bytes bytes;
    make_tiff(&bytes, "w", 4, 16, PHOTOMETRIC_RGB, false, false, COMPRESSION_LZW);
    struct wp_image *stored = parse_good(&bytes);
    for (int value = 1; value <= LAST; value++) {
        TIFF *tiff = TIFFOpen(path_to("made.tiff"), "r+");
        assert_non_null(tiff);
        TIFFSetField(tiff, TIFFTAG_ORIENTATION, value);
        assert_int_equal(TIFFRewriteDirectory(tiff), 1);
        TIFFClose(tiff);
        load(path_to("made.tiff"), &bytes);
        struct wp_image *image = parse_good(&bytes);
        assert_oriented(image, stored, value);
        wp_image_destroy(&image);
    }
    wp_image_destroy(&stored);
}

// Writes a file with libpng.
static void make_png(struct bytes *bytes, int type, int bits, int interlace, int planes)
{
    const char *path = path_to("made.png");
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    png_structp png = png_create_write_struct(PNG_LIBPNG_VER_STRING, NULL, NULL, NULL);
    png_infop info = png_create_info_struct(png);
    png_init_io(png, file);
    png_set_IHDR(png, info, WIDTH, HEIGHT, bits, type, interlace, PNG_COMPRESSION_TYPE_DEFAULT,
                 PNG_FILTER_TYPE_DEFAULT);
    if (type == PNG_COLOR_TYPE_PALETTE) {
        png_color palette[256];
        for (int i = 0; i < 256; i++)
            palette[i] = (png_color){(png_byte)i, (png_byte)(255 - i), (png_byte)(i ^ 85)};
        png_set_PLTE(png, info, palette, 256);
    }
    png_write_info(png, info);
    static unsigned char pixels[HEIGHT][WIDTH * 4 * 2];
    unsigned char *rows[HEIGHT];
    for (int y = 0; y < HEIGHT; y++) {
        rows[y] = pixels[y];
        for (int k = 0; k < WIDTH * planes; k++) {
            const unsigned value = sample(k % planes, y * WIDTH + k / planes);
            if (bits == 16) {
                pixels[y][2 * k] = (unsigned char)value;
                pixels[y][2 * k + 1] = (unsigned char)value;
            } else {
                pixels[y][k] = (unsigned char)value;
            }
        }
    }
    png_write_image(png, rows);
    png_write_end(png, NULL);
    png_destroy_write_struct(&png, &info);
    assert_int_equal(fclose(file), 0);
    load(path, bytes);
}

// CRC-32 as in the PNG specification, annex D.
static uint32_t png_sum(const unsigned char *data, size_t size)
{
    uint32_t sum = 0xffffffff;
    for (size_t i = 0; i < size; i++) {
        sum ^= data[i];
        for (int bit = 0; bit < 8; bit++)
            sum = sum & 1 ? 0xedb88320 ^ sum >> 1 : sum >> 1;
    }
    return sum ^ 0xffffffff;
}

// A PNG with an eXIf chunk before or after its pixels.
static void add_png_exif(struct bytes *bytes, const struct bytes *png, unsigned value, bool late,
                         bool big)
{
    enum { HEADER_END = 33, END = 12, DIRECTORY = 26 };
    const size_t at = late ? png->size - END : HEADER_END;
    bytes->size = 0;
    add(bytes, png->data, at);
    add_number(bytes, DIRECTORY, 4, true);
    add_text(bytes, "eXIf");
    add_directory(bytes, ORIENTATION, value, big);
    add_number(bytes, png_sum(bytes->data + at + 4, DIRECTORY + 4), 4, true);
    add(bytes, png->data + at, png->size - at);
}

static void orientations_of_png(void **state)
{
    (void)state;
    static struct bytes plain, bytes;
    for (int interlace = 0; interlace <= 1; interlace++) {
        make_png(&plain, PNG_COLOR_TYPE_RGB_ALPHA, 16, interlace, 4);
        struct wp_image *stored = parse_good(&plain);
        for (unsigned value = 0; value <= LAST + 2; value++) {
            for (int late = 0; late <= 1; late++) {
                add_png_exif(&bytes, &plain, value, late, (value + (unsigned)interlace) % 2);
                parsed_rows = 0;
                struct wp_image *image = parse_good(&bytes);
                const bool turned = value >= 2 && value <= LAST;
                assert_oriented(image, stored, turned ? (int)value : 1);
                assert_int_equal(parsed_rows, !turned && !interlace);
                wp_image_destroy(&image);
            }
        }
        // A chunk with a wrong checksum is ignored.
        add_png_exif(&bytes, &plain, LAST, false, true);
        bytes.data[33 + 8 + 26] ^= 1;
        struct wp_image *image = parse_good(&bytes);
        assert_oriented(image, stored, 1);
        wp_image_destroy(&image);
        wp_image_destroy(&stored);
    }
    add_png_exif(&bytes, &plain, LAST, true, true);
    damage(&bytes, WP_VOLUME_NO, SIZE_MAX, 0, "PNG with EXIF");
}

static void pngs_of_other_programs(void **state)
{
    (void)state;
    static struct bytes bytes;
    for (int interlace = 0; interlace <= 1; interlace++) {
        make_png(&bytes, PNG_COLOR_TYPE_RGB_ALPHA, 16, interlace, 4);
        parse_and_compare(&bytes, 4, true, 16, 255.0, 1e-7); // 257 v / 65535 = v / 255
        make_png(&bytes, PNG_COLOR_TYPE_GRAY, 8, interlace, 1);
        parse_and_compare(&bytes, 1, false, 8, 255.0, 1e-7);
        make_png(&bytes, PNG_COLOR_TYPE_PALETTE, 8, interlace, 1);
        struct wp_image *image = parse_good(&bytes);
        assert_shape(image, WIDTH, HEIGHT, 3, false, 8);
        for (int i = 0; i < PIXELS; i++) {
            assert_near(image->plane[0][i], sample(0, i) / 255.0, 1e-7);
            assert_near(image->plane[1][i], (255 - sample(0, i)) / 255.0, 1e-7);
            assert_near(image->plane[2][i], (sample(0, i) ^ 85) / 255.0, 1e-7);
        }
        wp_image_destroy(&image);
    }
}

static void files_that_are_not_images(void **state)
{
    (void)state;
    assert_null(wp_image_read(path_to("missing.png")));
    assert_error(WP_ERROR_FILE, "missing.png: no such file");
    assert_null(wp_image_read(test_directory));
    assert_error(WP_ERROR_FILE, "is a directory");
    assert_null(wp_image_read("/dev/zero")); // endless, and not an image
    assert_error(WP_ERROR_FILE, "/dev/zero: unknown image format\nhint: reads PNG, JPEG");
    expect_bad_text("", "bad: empty file");
    expect_bad_text("This is text.\n", "bad: unknown image format\nhint: reads PNG, JPEG");
    expect_bad_text("P", "unknown image format");
    expect_bad_text("PNG stands for portable network graphics", "unknown image format");
    expect_bad_text("BMW, a maker of cars and motorcycles in Munich", "unknown image format");
}

static void text_headers(void **state)
{
    (void)state;
    expect_bad_text("P5 0 5 255\n", "empty image (0x5)");
    expect_bad_text("P5 5 5\n", "needs width, height, and a maximum of 1 to 65535");
    expect_bad_text("P5 5 5 0\n12345", "a maximum of 1 to 65535");
    expect_bad_text("P5 5 5 70000\n12345", "a maximum of 1 to 65535");
    expect_bad_text("P5 2000000000 2000000000 255\n123", "image too large (2000000000x2000000000");
    expect_bad_text("P5 99999999999999999999 1 255\n123", "damaged PNM");
    expect_bad_text("P6 100000 100000 255\n12345678901234567890",
                    "truncated (needs 30000000021 bytes, has 41)");
    expect_bad_text("P5 5 5 255\n1234567890", "truncated (needs 36 bytes, has 21)");
    expect_bad_text("P5 2 1 99\nzz", "a sample of row 1 exceeds 99");
    expect_bad_text("P2 100000 100000 255\n1 2 3", "truncated (needs 20000000020 bytes, has 26)");
    expect_bad_text("P2 3 1 9\n1 2 10", "sample 3 is missing or not a number up to 9");
    expect_bad_text("P2 3 1 9\n1 2    ", "sample 3 is missing");
    expect_bad_text("P2 3 1 9\n1 2 -3", "sample 3 is missing or not a number");

    expect_bad_text("Pf 0 3 -1\n", "empty image (0x3)");
    expect_bad_text("Pf 3 3 0\n", "a scale other than 0");
    expect_bad_text("Pf 3 3 nan\n", "damaged PFM");
    expect_bad_text("Pf 3 3 -1", "damaged PFM");
    expect_bad_text("PF 2000000000 2000000000 -1.0\n12345", "image too large");
    expect_bad_text("PF 100000 100000 -1.0\n12345", "truncated (needs 120000000022 bytes, has 27)");

    expect_bad_text("#?RGBE\nFORMAT=32-bit_rle_rgbe\n\n-Y 0 +X 1\n1234", "empty image (1x0)");
    expect_bad_text("#?RGBE\nFORMAT=32-bit_rle_rgbe\n\n-Y 2 +X 2\n12345678", "truncated (needs 57");
    expect_bad_text("#?RGBE\nFORMAT=32-bit_rle_rgbe\n\n-Y 100000 +X 100000\n1", "truncated");
    static struct bytes bytes;
    bytes.size = 0;
    add_text(&bytes, "#?RGBE\nFORMAT=32-bit_rle_rgbe\n\n-Y 1 +X 9\n\2\2");
    add(&bytes, "\0\x9\0\0\0\0", 6); // a run of length 0 would not end
    expect_bad(&bytes, "damaged HDR (bad run");
}

static void expect_bad_npy(const char *header, const char *text)
{
    static struct bytes bytes;
    bytes.size = 0;
    add_npy_header(&bytes, 1, header);
    add_text(&bytes, "twelve bytes");
    expect_bad(&bytes, text);
}

static void npy_headers(void **state)
{
    (void)state;
    static const struct {
        const char *type, *order, *shape, *text;
    } cases[] = {
        {"<f4", "False", "(0, 5)", "empty image (5x0)"},
        {"<f4", "False", "(2000000000, 2000000000)", "image too large (2000000000x2000000000"},
        {"<f4", "False", "(100000, 100000)", "truncated (needs 400000"},
        {"<f4", "False", "(99999999999999999999999, 1)", "damaged NPY"},
        {"<f8", "False", "(2, 2)", "truncated (needs 101 bytes, has 81)"},
        {"<f4", "False", "(3,)", "an NPY of 1 axes"},
        {"<f4", "False", "()", "an NPY of 0 axes"},
        {"<f4", "False", "(1, 1, 1, 1)", "an NPY of 4 axes"},
        {"<f4", "False", "(3, 1, 5)", "a volume of 5x1x3, not an image\nhint: the shape must be"},
        {"<f4", "False", "(1, 1, 0)", "an unsupported number of planes"},
        {"<f4", "False", "(1, 3", "damaged NPY"},
        {"<f4", "False", "(1 3)", "damaged NPY"},
        {"<f4", "False", "(-1, 3)", "damaged NPY"},
        {"<f4", "Maybe", "(1, 3)", "damaged NPY"},
        {"<c8", "False", "(1, 1)", "NPY of type '<c8'"},
        {"<m8", "False", "(1, 1)", "NPY of type '<m8'"},
        {"|O", "False", "(1, 1)", "hint: save it as bool, an integer of 8 to 64 bits, float16"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char header[160];
        snprintf(header, sizeof header, "{'descr': '%s', 'fortran_order': %s, 'shape': %s, }",
                 cases[i].type, cases[i].order, cases[i].shape);
        expect_bad_npy(header, cases[i].text);
    }
    expect_bad_npy("{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': (1, 3)}",
                   "damaged NPY, or not a plain array");
    expect_bad_npy("{'descr': '<f4', 'shape': (1, 3)}", "damaged NPY");
    expect_bad_npy("", "damaged NPY");
    expect_bad_npy("{", "damaged NPY");
    expect_bad_npy("{'descr", "damaged NPY");
    static struct bytes bytes;
    bytes.size = 0;
    add(&bytes, "\x93NUMPY\4\0\1\0\0\0", 12);
    expect_bad(&bytes, "not supported (NPY version 4)");
    bytes.data[6] = 2;
    memcpy(bytes.data + 8, "\xff\xff\xff\xff", 4);
    expect_bad(&bytes, "truncated (needs 4294967307 bytes, has 12)");
}

// A PNG header with a valid checksum, and a few more bytes.
static void expect_bad_png(uint32_t width, uint32_t height, const char *text)
{
    static struct bytes bytes;
    bytes.size = 0;
    add(&bytes, "\x89PNG\r\n\x1a\n\0\0\0\rIHDR", 16);
    add_number(&bytes, width, 4, true);
    add_number(&bytes, height, 4, true);
    add(&bytes, "\x8\2\0\0\0", 5); // 8-bit RGB
    add_number(&bytes, png_sum(bytes.data + 12, bytes.size - 12), 4, true);
    add(&bytes, "\0\0\0\x14IDAT", 8);
    add_text(&bytes, "12345678901234567890");
    expect_bad(&bytes, text);
}

static void png_headers(void **state)
{
    (void)state;
    expect_bad_png(0, 5, "empty image (0x5)");
    expect_bad_png(2000000000, 2000000000, "image too large (2000000000x2000000000");
    expect_bad_png(100000, 100000, "truncated (needs 29069767 bytes, has 61)");
    expect_bad_png(8, 8, "bad: ");
    static struct bytes bytes;
    make_png(&bytes, PNG_COLOR_TYPE_RGB, 8, 0, 3);
    bytes.size = bytes.size / 2;
    expect_bad(&bytes, "truncated (needs ");
    bytes.size = 20;
    expect_bad(&bytes, "truncated (needs 24 bytes, has 20)");
    make_png(&bytes, PNG_COLOR_TYPE_RGB, 8, 0, 3);
    bytes.data[bytes.size / 2] ^= 1;
    expect_bad(&bytes, "damaged PNG (");
}

// A gray little-endian TIFF with one strip at byte 8, followed by its directory.
static void make_small_tiff(struct bytes *bytes, uint32_t width, uint32_t height, uint32_t bits,
                            uint32_t compression)
{
    const uint32_t entries[][2] = {
        {256, width}, {257, height}, {258, bits}, {259, compression}, {262, 1},
        {273, 8},     {277, 1},      {278, height ? height : 1}, {279, 20},
    };
    enum { COUNT = sizeof entries / sizeof entries[0] };
    bytes->size = 0;
    add(bytes, "II*\0\x1c\0\0\0", 8);
    add_text(bytes, "12345678901234567890");
    add_number(bytes, COUNT, 2, false);
    for (int i = 0; i < COUNT; i++) {
        const bool is_short = entries[i][0] == 258 || entries[i][0] == 259 ||
                              entries[i][0] == 262 || entries[i][0] == 277;
        add_number(bytes, entries[i][0], 2, false);
        add_number(bytes, is_short ? 3 : 4, 2, false);
        add_number(bytes, 1, 4, false);
        add_number(bytes, entries[i][1], 4, false);
    }
    add_number(bytes, 0, 4, false);
}

static void tiff_headers(void **state)
{
    (void)state;
    static struct bytes bytes;
    make_small_tiff(&bytes, 5, 4, 8, 1);
    struct wp_image *image = parse_good(&bytes);
    assert_shape(image, 5, 4, 1, false, 8);
    assert_near(image->plane[0][19], '0' / 255.0, 1e-7);
    wp_image_destroy(&image);

    make_small_tiff(&bytes, 0, 4, 8, 1);
    expect_bad(&bytes, "empty image (0x4)");
    make_small_tiff(&bytes, 5, 0, 8, 1);
    expect_bad(&bytes, "empty image (5x0)");
    make_small_tiff(&bytes, 2000000000, 2000000000, 8, 1);
    expect_bad(&bytes, "image too large (2000000000x2000000000");
    make_small_tiff(&bytes, 100000, 100000, 8, 1);
    expect_bad(&bytes, "truncated (needs 10000000000 bytes, has 142)");
    make_small_tiff(&bytes, 100000, 100000, 8, COMPRESSION_LZW);
    expect_bad(&bytes, "truncated (needs 152587 bytes, has 142)");
    make_small_tiff(&bytes, 5, 4, 24, 1);
    expect_bad(&bytes, "TIFF of 24-bit samples");
    make_small_tiff(&bytes, 5, 4, 8, 50002);
    expect_bad(&bytes, "not supported (TIFF with compression 50002, JPEG XL, which this libtiff");
    make_small_tiff(&bytes, 5, 4, 8, COMPRESSION_LZW);
    expect_bad(&bytes, "damaged TIFF (");
    make_small_tiff(&bytes, 5, 4, 8, 1);
    bytes.size = 60;
    expect_bad(&bytes, "truncated (needs 138 bytes, has 60)");
    bytes.size = 8;
    expect_bad(&bytes, "truncated (needs 30 bytes, has 8)");
}

static void other_binary_headers(void **state)
{
    (void)state;
    static struct bytes bytes;
    make_with_stb(&bytes, KIND_JPEG, 3);
    bytes.size -= 2;
    expect_bad(&bytes, "truncated (no end of the JPEG in its ");
    make_with_stb(&bytes, KIND_JPEG, 3);
    for (size_t i = 0; i + 9 < bytes.size; i++)
        if (bytes.data[i] == 0xff && bytes.data[i + 1] == 0xc0)
            memcpy(bytes.data + i + 5, "\xff\x00\xff\x00", 4);
    expect_bad(&bytes, "truncated (needs 8323200 bytes, has ");
    make_with_stb(&bytes, KIND_JPEG, 3);
    for (size_t i = 0; i + 19 < bytes.size; i++)
        if (bytes.data[i] == 0xff && bytes.data[i + 1] == 0xc4)
            memset(bytes.data + i + 5, 0xff, 16);
    expect_bad(&bytes, "damaged JPEG (Bogus Huffman table definition)");
    // Other sample sizes and other processes: extended with 12 bits, lossless.
    static const struct {
        unsigned char marker, bits;
        const char *text;
    } others[] = {{0xc1, 12, "not supported (JPEG: Unsupported JPEG data precision 12)"},
                  {0xc3, 8, "not supported (JPEG: "},
                  {0xc7, 8, "not supported (JPEG: "}};
    for (size_t k = 0; k < sizeof others / sizeof others[0]; k++) {
        make_with_stb(&bytes, KIND_JPEG, 3);
        for (size_t i = 0; i + 9 < bytes.size; i++)
            if (bytes.data[i] == 0xff && bytes.data[i + 1] == 0xc0) {
                bytes.data[i + 1] = others[k].marker;
                bytes.data[i + 4] = others[k].bits;
            }
        expect_bad(&bytes, others[k].text);
    }
    // A TGA whose width has two bytes.
    const unsigned char row[300] = {0};
    bytes.size = 0;
    stbi_write_tga_with_rle = 0;
    assert_int_equal(stbi_write_tga_to_func(stb_add, &bytes, sizeof row, 1, 1, row), 1);
    bytes.size -= 1;
    expect_bad(&bytes, "truncated (needs 318 bytes, has 317)");
    make_with_stb(&bytes, KIND_BMP, 3);
    bytes.size -= 1;
    expect_bad(&bytes, "truncated (needs 194 bytes, has 193)");
    memset(bytes.data + 18, 0, 4);
    expect_bad(&bytes, "empty image (0x5)");
    make_with_stb(&bytes, KIND_TGA, 3);
    bytes.size -= 1;
    expect_bad(&bytes, "truncated (needs 153 bytes, has 152)");
    make_with_stb(&bytes, KIND_TGA_RLE, 3);
    bytes.size -= 1;
    expect_bad(&bytes, "truncated (needs ");
    memset(bytes.data + 12, 0, 2);
    expect_bad(&bytes, "empty image (0x5)");
}

static void every_truncation_and_damaged_byte(void **state)
{
    (void)state;
    static struct bytes bytes;
    make_with_stb(&bytes, KIND_JPEG, 3);
    damage(&bytes, WP_VOLUME_NO, SIZE_MAX, 0, "JPEG");
    static struct bytes turned;
    add_exif(&turned, &bytes, ORIENTATION, LAST, false);
    damage(&turned, WP_VOLUME_NO, SIZE_MAX, 0, "JPEG with EXIF");
    make_with_stb(&bytes, KIND_BMP, 3);
    damage(&bytes, WP_VOLUME_NO, SIZE_MAX, 0, "BMP");
    make_with_stb(&bytes, KIND_TGA, 4);
    damage(&bytes, WP_VOLUME_NO, SIZE_MAX, 0, "TGA");
    make_with_stb(&bytes, KIND_TGA_RLE, 3);
    damage(&bytes, WP_VOLUME_NO, SIZE_MAX, 0, "packed TGA");
    make_with_stb(&bytes, KIND_HDR, 3);
    damage(&bytes, WP_VOLUME_NO, SIZE_MAX, 0, "HDR");
    make_png(&bytes, PNG_COLOR_TYPE_RGB, 8, 1, 3);
    damage(&bytes, WP_VOLUME_NO, SIZE_MAX, 0, "PNG");
    make_tiff(&bytes, "w", 3, 8, PHOTOMETRIC_RGB, false, false, COMPRESSION_NONE);
    damage(&bytes, WP_VOLUME_NO, SIZE_MAX, 0, "TIFF");
    make_tiff(&bytes, "w", 1, 16, PHOTOMETRIC_MINISBLACK, false, true, COMPRESSION_LZW);
    damage(&bytes, WP_VOLUME_NO, SIZE_MAX, 4, "tiled TIFF"); // link to the next directory
    struct wp_image *image = make_floats(1, false);
    assert_true(wp_image_write(image, path_to("c.npy"), &coefficients));
    assert_true(wp_image_write(image, path_to("c.pfm"), &coefficients));
    wp_image_destroy(&image);
    load(path_to("c.npy"), &bytes);
    damage(&bytes, WP_VOLUME_NO, SIZE_MAX, 0, "NPY");
    load(path_to("c.pfm"), &bytes);
    damage(&bytes, WP_VOLUME_NO, SIZE_MAX, 0, "PFM");
    bytes.size = 0;
    add_text(&bytes, "P2 3 2 9 1 2 3 4 5 6");
    damage(&bytes, WP_VOLUME_NO, SIZE_MAX, 0, "plain PGM");
    bytes.size = 0;
    add_text(&bytes, "P5 3 2 255\nabcdef");
    damage(&bytes, WP_VOLUME_NO, SIZE_MAX, 0, "PGM");
}

// All formats that rows.h supports are also read row by row.
static void rows_of_every_kind(void **state)
{
    (void)state;
    static struct bytes bytes;
    parsed_rows = 0;
    make_png(&bytes, PNG_COLOR_TYPE_RGB, 8, 0, 3);
    parse_and_compare(&bytes, 3, false, 8, 255.0, 1e-7);
    make_png(&bytes, PNG_COLOR_TYPE_RGB, 8, 1, 3);
    parse_and_compare(&bytes, 3, false, 8, 255.0, 1e-7);
    assert_int_equal(parsed_rows, 1); // interlaced files are not supported
    for (int tiled = 0; tiled <= 1; tiled++) {
        make_tiff(&bytes, "w8", 3, 16, PHOTOMETRIC_RGB, tiled, tiled, COMPRESSION_LZW);
        parse_and_compare(&bytes, 3, false, 16, 65535.0, 1e-7);
    }
    assert_int_equal(parsed_rows, 3);
    struct wp_image *image = make_floats(1, false);
    static const char *const names[] = {"c.npy", "c.pfm", "c.tiff"};
    for (int i = 0; i < 3; i++) {
        assert_true(wp_image_write(image, path_to(names[i]), &coefficients));
        load(path_to(names[i]), &bytes);
        struct wp_image *result = parse_good(&bytes);
        wp_image_destroy(&result);
        assert_int_equal(parsed_rows, 4 + i);
    }
    wp_image_destroy(&image);
    bytes.size = 0;
    add_text(&bytes, "P5 3 2 255\nabcdef");
    image = parse_good(&bytes);
    wp_image_destroy(&image);
    assert_int_equal(parsed_rows, 7);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        IMAGE_TEST(pnm),
        IMAGE_TEST(npy_types),
        IMAGE_TEST(pfm_of_both_byte_orders),
        IMAGE_TEST(jpeg_bmp_tga_hdr),
        IMAGE_TEST(inks_of_jpeg),
        IMAGE_TEST(orientations_of_jpeg),
        IMAGE_TEST(orientations_of_tiff),
        IMAGE_TEST(orientations_of_png),
        IMAGE_TEST(tiffs_of_every_layout),
        IMAGE_TEST(pngs_of_other_programs),
        IMAGE_TEST(files_that_are_not_images),
        IMAGE_TEST(text_headers),
        IMAGE_TEST(npy_headers),
        IMAGE_TEST(png_headers),
        IMAGE_TEST(tiff_headers),
        IMAGE_TEST(other_binary_headers),
        IMAGE_TEST(every_truncation_and_damaged_byte),
        IMAGE_TEST(rows_of_every_kind),
    };
    return cmocka_run_group_tests(tests, set_up_directory, remove_directory);
}
