// Files of volumes: written volumes are restored, files of other programs are read, and damaged
// ones are rejected. The files are made by hand and with libtiff, without the code under test.
// NIfTI files of other programs: test_nifti.c.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "image.h"
#include "image_io.h"
#include "pattern.h"
#include "slices.h"
#include "volume_files.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <tiffio.h>
#include <unistd.h>

static const struct wp_write_params picture = {0};

// The number of pread() calls before the file appears truncated.
enum { NEVER = 1 << 20 };
static int reads_left = NEVER;

ssize_t __real_pread(int file, void *to, size_t bytes, off_t at);
ssize_t __wrap_pread(int file, void *to, size_t bytes, off_t at);

ssize_t __wrap_pread(int file, void *to, size_t bytes, off_t at)
{
    if (reads_left == 0)
        return 0;
    reads_left--;
    return __real_pread(file, to, bytes, at);
}

// ---- Round trips --------------------------------------------------------------------------

static const int sizes[][3] = {{5, 3, 7}, {1, 1, 9}, {7, 1, 2}, {1, 6, 3}, {9, 5, 1}, {33, 31, 5}};
enum { SIZES = sizeof sizes / sizeof sizes[0] };

static void check_round_trip(const char *name, const int *size, int planes, bool alpha)
{
    struct wp_image *out = make_volume(size[0], size[1], size[2], planes, alpha);
    assert_true(wp_image_write(out, path_to(name), &coefficients));
    const bool npy = strstr(name, ".npy") != NULL;
    // An NPY whose last axis is short must be declared as a volume, not as an image with planes.
    struct wp_image *in = read_good(path_to(name), npy && planes == 1 && size[2] > 1
                                                       ? WP_VOLUME_YES
                                                       : WP_VOLUME_EITHER);
    assert_sides(in, size[0], size[1], size[2], planes, 32);
    assert_int_equal(in->alpha, npy ? false : alpha);
    for (int p = 0; p < planes; p++)
        assert_memory_equal(in->plane[p], out->plane[p], wp_image_samples(out) * sizeof(float));
    wp_image_destroy(&in);
    wp_image_destroy(&out);
    remove_all();
}

static void floats_survive(void **state)
{
    (void)state;
    static const char *const names[] = {"v.npy", "v.tiff", "v.nii", "v.NII.GZ", "v.tif"};
    for (int n = 0; n < 5; n++)
        for (int s = 0; s < SIZES; s++)
            for (int planes = 1; planes <= 4; planes++)
                if (planes == 1 || n < 2)
                    check_round_trip(names[n], sizes[s], planes, n == 1 && planes == 4);
}

static void y4m_keeps_frames_and_their_rate(void **state)
{
    (void)state;
    for (int s = 0; s < SIZES; s++) {
        struct wp_image *out = make_volume(sizes[s][0], sizes[s][1], sizes[s][2], 1, false);
        const size_t count = wp_image_samples(out);
        for (size_t i = 0; i < count; i++) // all values of a byte
            out->plane[0][i] = (float)((int)(i & 255) - 16) / 219.0F;
        out->geometry = (struct wp_geometry){.frames = true, .rate = {30000, 1001}};
        assert_true(wp_image_write(out, path_to("v.y4m"), &picture));
        struct wp_image *in = read_good(path_to("v.y4m"), WP_VOLUME_EITHER);
        assert_sides(in, sizes[s][0], sizes[s][1], sizes[s][2], 1, 8);
        assert_true(in->geometry.frames);
        assert_int_equal(in->geometry.rate[0], 30000);
        assert_int_equal(in->geometry.rate[1], 1001);
        for (size_t i = 0; i < count; i++)
            assert_near(in->plane[0][i], (double)out->plane[0][i], 1e-6);
        wp_image_destroy(&in);
        out->plane[0][0] = NAN;
        out->plane[0][count - 1] = 1000.0F;
        out->geometry.rate[0] = out->geometry.rate[1] = 0;
        assert_true(
            wp_image_write(out, path_to("v.y4m"), &(struct wp_write_params){.overwrite = true}));
        in = read_good(path_to("v.y4m"), WP_VOLUME_EITHER);
        assert_int_equal(in->geometry.rate[0], 0);
        if (count > 1)
            assert_near(in->plane[0][0], 0.0, 0.0);
        assert_near(in->plane[0][count - 1], 239.0 / 219.0, 1e-6);
        wp_image_destroy(&in);
        wp_image_destroy(&out);
        remove_all();
    }
}

static const struct wp_geometry somewhere = {
    .has_size = true,
    .size = {0.5, 1.25, 3.0},
    .qform_code = 1,
    .sform_code = 4,
    .qfac = -1.0F,
    .quaternion = {0.0F, 0.6F, -0.3F},
    .offset = {-90.0F, 126.5F, -72.0F},
    .sform = {{-0.5F, 0.01F, 0.0F, 90.0F},
              {0.0F, 1.25F, 0.0F, -126.0F},
              {0.02F, 0.0F, 3.0F, -72.0F}},
};

static void nifti_keeps_the_geometry(void **state)
{
    (void)state;
    struct wp_geometry geometries[] = {somewhere, somewhere, {.qfac = 1.0F}};
    geometries[1].frames = true;
    geometries[1].rate[0] = 30000;
    geometries[1].rate[1] = 1001;
    for (int g = 0; g < 3; g++) {
        for (int zipped = 0; zipped <= 1; zipped++) {
            const char *path = path_to(zipped ? "v.nii.gz" : "v.nii");
            struct wp_image *out = make_volume(5, 3, 7, 1, false);
            out->geometry = geometries[g];
            assert_true(wp_image_write(out, path, &picture));
            struct wp_image *in = read_good(path, WP_VOLUME_EITHER);
            assert_sides(in, 5, 3, 7, 1, 32);
            if (g == 1) { // the frame time of 33366.7 microseconds is stored as 33367
                assert_near((float)in->geometry.rate[0] / (float)in->geometry.rate[1],
                            30000.0 / 1001.0, 1e-3);
                memcpy(in->geometry.rate, out->geometry.rate, sizeof in->geometry.rate);
            }
            assert_same_geometry(&in->geometry, &out->geometry);
            wp_image_destroy(&in);
            wp_image_destroy(&out);
        }
        remove_all();
    }
}

static void many_pages(void **state)
{
    (void)state;
    struct wp_image *out = wp_pattern_create("noise:9x7x700");
    assert_true(wp_image_write(out, path_to("v.tiff"), &coefficients));
    struct wp_image *in = read_good(path_to("v.tiff"), WP_VOLUME_YES);
    assert_sides(in, 9, 7, 700, 1, 32);
    assert_memory_equal(in->plane[0], out->plane[0], wp_image_samples(out) * sizeof(float));
    wp_image_destroy(&in);
    wp_image_destroy(&out);
}

static void impossible_outputs(void **state)
{
    (void)state;
    struct wp_image *volume = make_volume(5, 3, 7, 1, false);
    struct wp_image *colors = make_volume(5, 3, 7, 3, false);
    assert_false(wp_image_write(volume, path_to("v.png"), &picture));
    assert_error(WP_ERROR_FILE, "v.png cannot hold a volume (7 slices)\n"
                                "hint: use .npy, .nii, .nii.gz, .tiff or .y4m");
    assert_false(wp_image_write(volume, path_to("v.pfm"), &coefficients));
    assert_error(WP_ERROR_FILE, "v.pfm cannot hold a volume (7 slices)\n"
                                "hint: use .npy, .npz, .nii, .nii.gz or .tiff");
    assert_false(wp_image_write(volume, path_to("v.gz"), &picture));
    assert_error(WP_ERROR_FILE, "v.gz (unknown suffix)\nhint: use .npy, .nii, .nii.gz, .tiff or");
    assert_false(wp_image_write(volume, path_to("v.y4m"), &coefficients));
    assert_error(WP_ERROR_FILE, "v.y4m cannot hold coefficients (signed 32-bit float)");
    static const char *const single[] = {"v.nii", "v.nii.gz", "v.y4m"};
    for (int i = 0; i < 3; i++) {
        assert_false(wp_image_write_check_volume(path_to(single[i]), 3, 7, &picture));
        assert_error(WP_ERROR_FILE, "cannot hold 3 planes (");
        assert_false(wp_image_write(colors, path_to(single[i]), &picture));
        assert_error(WP_ERROR_FILE, i < 2 ? "(NIfTI has 1)\nhint: use .npy or .tiff"
                                          : "(Y4M has 1)\nhint: use .npy or .tiff");
    }
    assert_true(wp_image_write_check_volume(path_to("v.nii"), 1, 7, &coefficients));
    assert_true(wp_image_write_check(path_to("v.nii"), 1, &coefficients));
    wp_image_destroy(&volume);
    volume = make_volume(32768, 1, 2, 1, false);
    assert_false(wp_image_write(volume, path_to("v.nii"), &picture));
    assert_error(WP_ERROR_FILE, "v.nii cannot hold 32768x1x2 (NIfTI is limited to 32767 samples");
    wp_image_destroy(&volume);
    wp_image_destroy(&colors);
    assert_int_equal(count_files(), 0);
}

static void full_disks(void **state)
{
    (void)state;
    if (access("/dev/full", W_OK) != 0)
        skip();
    static const char *const names[] = {"f.npy", "f.nii", "f.nii.gz", "f.tiff", "f.y4m"};
    const struct wp_write_params overwrite = {.overwrite = true};
    struct wp_image *images[] = {wp_pattern_create("noise:4x4x3"),
                                 wp_pattern_create("noise:100x100x9")};
    for (int n = 0; n < 5; n++) {
        assert_int_equal(symlink("/dev/full", path_to(names[n])), 0);
        for (int i = 0; i < 2; i++) {
            assert_false(wp_image_write(images[i], path_to(names[n]), &overwrite));
            assert_error(WP_ERROR_FILE, "(No space left on device)");
        }
    }
    wp_image_destroy(&images[0]);
    wp_image_destroy(&images[1]);
}

// ---- Images only --------------------------------------------------------------------------

static void volumes_are_not_images(void **state)
{
    (void)state;
    static const char *const names[] = {"v.npy", "v.nii", "v.nii.gz", "v.y4m"};
    struct wp_image *volume = make_volume(5, 3, 7, 1, false);
    volume->plane[0][1] = 0.25F;
    for (int n = 0; n < 4; n++) {
        assert_true(wp_image_write(volume, path_to(names[n]), &picture));
        assert_null(wp_image_read(path_to(names[n])));
        assert_error(WP_ERROR_FILE, "a volume of 5x3x7, not an image");
        size_t nonfinite;
        assert_null(wp_image_read_counted(path_to(names[n]), &nonfinite));
        assert_error(WP_ERROR_FILE, names[n]);
    }
    // Reading a TIFF as an image gives its first page.
    assert_true(wp_image_write(volume, path_to("v.tiff"), &picture));
    struct wp_image *image = wp_image_read(path_to("v.tiff"));
    assert_sides(image, 5, 3, 1, 1, 32);
    assert_memory_equal(image->plane[0], volume->plane[0], 15 * sizeof(float));
    wp_image_destroy(&image);
    wp_image_destroy(&volume);

    assert_null(wp_image_read("pattern:ball:5x3x7"));
    assert_error(WP_ERROR_USAGE, "pattern 'ball:5x3x7': a volume of 5x3x7, not an image");
    const struct wp_read_params raw = {.raw = "5x3x7:u8"};
    static struct bytes bytes;
    bytes.size = 0;
    for (int i = 0; i < 105; i++)
        add_number(&bytes, (unsigned)i, 1, false);
    save(path_to("v.raw"), &bytes);
    assert_null(wp_image_read_with(path_to("v.raw"), &raw, NULL));
    assert_error(WP_ERROR_FILE, "a volume of 5x3x7, not an image");

    // One slice is an image.
    volume = make_volume(9, 5, 1, 1, false);
    for (int n = 0; n < 4; n++) {
        assert_true(wp_image_write(volume, path_to(names[n]),
                                   &(struct wp_write_params){.overwrite = true}));
        image = wp_image_read(path_to(names[n]));
        assert_non_null(image);
        assert_sides(image, 9, 5, 1, 1, n == 3 ? 8 : 32);
        if (n < 3)
            assert_memory_equal(image->plane[0], volume->plane[0], 45 * sizeof(float));
        wp_image_destroy(&image);
    }
    wp_image_destroy(&volume);
}

static void images_where_both_are_accepted(void **state)
{
    (void)state;
    struct wp_image *out = make_floats(3, false);
    assert_true(wp_image_write(out, path_to("i.npy"), &coefficients));
    struct wp_image *in = read_good(path_to("i.npy"), WP_VOLUME_EITHER);
    assert_sides(in, WIDTH, HEIGHT, 1, 3, 32);
    wp_image_destroy(&in);
    in = read_good(path_to("i.npy"), WP_VOLUME_YES);
    assert_sides(in, 3, WIDTH, HEIGHT, 1, 32);
    assert_near(in->plane[0][1], (double)out->plane[1][0], 0.0);
    wp_image_destroy(&in);
    assert_true(wp_image_write(out, path_to("i.png"), &picture));
    in = read_good(path_to("i.png"), WP_VOLUME_YES);
    assert_sides(in, WIDTH, HEIGHT, 1, 3, 8);
    wp_image_destroy(&in);
    wp_image_destroy(&out);
    static struct bytes bytes;
    bytes.size = 0;
    add_text(&bytes, "This is text.\n");
    refuse(&bytes, "unknown format of image or volume\nhint: reads volumes from NPY, NIfTI");
}

// ---- NPY ----------------------------------------------------------------------------------

// Values of 0 to 255, or -128 to 127 for signed types.
static void npy_types(void **state)
{
    (void)state;
    static const struct {
        const char *type;
        int bytes, bits;
        bool is_signed;
    } types[] = {
        {"|u1", 1, 32, false}, {"<u2", 2, 32, false}, {">u2", 2, 32, false}, {"|i1", 1, 32, true},
        {"<i2", 2, 32, true},  {">i2", 2, 32, true},  {"<i4", 4, 64, true},  {">i4", 4, 64, true},
        {"<u4", 4, 64, false}, {">u4", 4, 64, false}, {"<i8", 8, 64, true},  {">u8", 8, 64, false},
    };
    static struct bytes bytes;
    for (size_t t = 0; t < sizeof types / sizeof types[0]; t++) {
        for (int fortran = 0; fortran <= 1; fortran++) {
            for (int planes = 0; planes <= 2; planes += 2) {
                char header[160];
                snprintf(header, sizeof header,
                         "{'descr': '%s', 'fortran_order': %s, 'shape': (3, 5, 9%s), }\n",
                         types[t].type, fortran ? "True" : "False", planes ? ", 2" : "");
                bytes.size = 0;
                add_npy_header(&bytes, 1, header);
                const int count = planes ? planes : 1;
                for (int k = 0; k < VOXELS * count; k++) {
                    const int p = fortran ? k / VOXELS : k % count;
                    const int z = k % SLICES, y = k / SLICES % HEIGHT;
                    const int x = k / SLICES / HEIGHT % WIDTH;
                    const int i = fortran ? (z * HEIGHT + y) * WIDTH + x : k / count;
                    const int value = (int)sample(p, i) - (types[t].is_signed ? 128 : 0);
                    add_number(&bytes, (uint64_t)(int64_t)value, types[t].bytes,
                               types[t].type[0] == '>');
                }
                struct wp_image *image = parse_volume(&bytes);
                assert_sides(image, WIDTH, HEIGHT, SLICES, count, types[t].bits);
                for (int p = 0; p < count; p++)
                    for (int i = 0; i < VOXELS; i++)
                        assert_near(image->plane[p][i],
                                    (double)sample(p, i) - (types[t].is_signed ? 128 : 0), 1e-7);
                wp_image_destroy(&image);
            }
        }
    }
    bytes.size = 0;
    add_npy_header(&bytes, 1, "{'descr': '|b1', 'fortran_order': False, 'shape': (1, 3)}");
    add(&bytes, "\0\1\1", 3);
    struct wp_image *mask = parse_volume(&bytes);
    assert_sides(mask, 3, 1, 1, 1, 32);
    assert_near(mask->plane[0][0], 0.0, 0.0);
    assert_near(mask->plane[0][2], 1.0, 0.0);
    wp_image_destroy(&mask);
}

static void npy_shapes(void **state)
{
    (void)state;
    static const struct {
        const char *type, *shape, *text;
    } cases[] = {
        {"<f4", "(0, 5, 7)", "empty volume (7x5x0)"},
        {"<f4", "(3, 0, 7)", "empty volume (7x0x3)"},
        {"<f4", "(3, 5, 0)", "empty volume (0x5x3)"},
        {"<f4", "(3, 5, 7)", "truncated (needs "},
        {"<f4", "(100000, 100000, 100000)", "truncated (needs 4000000000000"},
        {"<f4", "(3000000, 5, 7)", "volume too large (7x5x3000000; the limit is 131072 per side)"},
        {"<f4", "(3, 5, 7, 5)", "not an image or volume (an NPY of 4 axes and an unsupported number"},
        {"<f4", "(3,)", "not an image or volume (an NPY of 1 axes)\nhint: the shape must be (d"},
        {"<c8", "(1, 1, 7)", "complex samples (NPY of type '<c8'), not an image or volume\nhint: save "},
        {"<f16", "(1, 1, 7)", "not supported (NPY of type '<f16')"},
    };
    static struct bytes bytes;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char header[160];
        snprintf(header, sizeof header, "{'descr': '%s', 'fortran_order': False, 'shape': %s, }",
                 cases[i].type, cases[i].shape);
        bytes.size = 0;
        add_npy_header(&bytes, 1, header);
        add_text(&bytes, "twelve bytes");
        refuse(&bytes, cases[i].text);
    }
}

// ---- TIFF ---------------------------------------------------------------------------------

// A page of a file whose pages may differ.
struct page {
    int width, height, bits, kind, orientation;
};

static void make_pages(struct bytes *bytes, const char *mode, const struct page *pages, int count)
{
    const char *path = path_to("made.tiff");
    TIFF *tiff = TIFFOpen(path, mode);
    assert_non_null(tiff);
    for (int n = 0; n < count; n++) {
        const struct page *page = &pages[n];
        TIFFSetField(tiff, TIFFTAG_IMAGEWIDTH, page->width);
        TIFFSetField(tiff, TIFFTAG_IMAGELENGTH, page->height);
        TIFFSetField(tiff, TIFFTAG_SAMPLESPERPIXEL, 1);
        TIFFSetField(tiff, TIFFTAG_BITSPERSAMPLE, page->bits);
        TIFFSetField(tiff, TIFFTAG_PHOTOMETRIC, n % 3 == 2 ? PHOTOMETRIC_MINISWHITE
                                                           : PHOTOMETRIC_MINISBLACK);
        TIFFSetField(tiff, TIFFTAG_COMPRESSION, n % 2 ? COMPRESSION_LZW : COMPRESSION_NONE);
        TIFFSetField(tiff, TIFFTAG_ROWSPERSTRIP, n + 1);
        TIFFSetField(tiff, TIFFTAG_ORIENTATION, page->orientation ? page->orientation : 1);
        if (page->kind)
            TIFFSetField(tiff, TIFFTAG_SUBFILETYPE, page->kind);
        for (int y = 0; y < page->height; y++) {
            uint16_t row[64];
            for (int x = 0; x < page->width; x++) {
                const unsigned value = sample(n, y * page->width + x);
                row[x] = (uint16_t)value;
                if (page->bits == 8)
                    ((uint8_t *)row)[x] = (uint8_t)value;
            }
            assert_int_equal(TIFFWriteScanline(tiff, row, (uint32_t)y, 0), 1);
        }
        assert_int_equal(TIFFWriteDirectory(tiff), 1);
    }
    TIFFClose(tiff);
    load(path, bytes);
}

static void tiffs_of_pages(void **state)
{
    (void)state;
    static struct bytes bytes;
    static const char *const modes[] = {"wl", "wb", "w8"};
    struct page pages[5];
    for (int m = 0; m < 3; m++) {
        for (int bits = 8; bits <= 16; bits += 8) {
            for (int n = 0; n < 5; n++)
                pages[n] = (struct page){7, 5, bits, 0, 0};
            make_pages(&bytes, modes[m], pages, 5);
            struct wp_image *image = parse_volume(&bytes);
            assert_sides(image, 7, 5, 5, 1, bits);
            const double maximum = bits == 8 ? 255.0 : 65535.0;
            for (int i = 0; i < 5 * 35; i++) {
                const double value = sample(i / 35, i % 35) / maximum;
                assert_near(image->plane[0][i], i / 35 == 2 ? 1.0 - value : value, 1e-6);
            }
            wp_image_destroy(&image);
        }
    }
    // Pages with an orientation; reduced images and masks are not pages.
    for (int n = 0; n < 5; n++)
        pages[n] = (struct page){7, 5, 8, 0, 6};
    pages[1] = (struct page){3, 2, 8, FILETYPE_REDUCEDIMAGE, 6};
    pages[4] = (struct page){7, 5, 8, FILETYPE_MASK, 6};
    make_pages(&bytes, "w", pages, 5);
    struct wp_image *image = parse_volume(&bytes);
    assert_sides(image, 5, 7, 3, 1, 8);
    for (int x = 0; x < 5; x++) // the last row is the first column
        assert_near(image->plane[0][2 * 35 + x], sample(3, (4 - x) * 7) / 255.0, 1e-6);
    wp_image_destroy(&image);
    // One page and its reduced image are an image.
    make_pages(&bytes, "w", pages, 2);
    image = parse_volume(&bytes);
    assert_sides(image, 5, 7, 1, 1, 8);
    assert_near(image->plane[0][4], sample(0, 0) / 255.0, 1e-6);
    wp_image_destroy(&image);
}

static void tiffs_of_unlike_pages(void **state)
{
    (void)state;
    static struct bytes bytes;
    struct page pages[4];
    for (int n = 0; n < 4; n++)
        pages[n] = (struct page){7, 5, 8, 0, 0};
    pages[2].width = 6;
    make_pages(&bytes, "w", pages, 4);
    refuse(&bytes, "page 3 has another format than page 1 (6x5, 1 planes of 8 bits; not 7x5, 1 of");
    struct wp_image *image = parse_good(&bytes); // as an image, the first page is read
    assert_sides(image, 7, 5, 1, 1, 8);
    wp_image_destroy(&image);
    pages[2] = pages[0];
    pages[3].bits = 16;
    make_pages(&bytes, "w", pages, 4);
    refuse(&bytes, "page 4 has another format than page 1 (7x5, 1 planes of 16 bits; not");
    pages[3] = pages[0];
    pages[1].orientation = 6;
    make_pages(&bytes, "w", pages, 4);
    refuse(&bytes, "page 2 has another format than page 1");
    // A cycle of directories: the offset in the last one is that of the first.
    pages[1] = pages[0];
    make_pages(&bytes, "wl", pages, 2);
    TIFF *tiff = TIFFOpen(path_to("made.tiff"), "r");
    TIFFSetDirectory(tiff, 1);
    const uint64_t last = TIFFCurrentDirOffset(tiff);
    TIFFClose(tiff);
    const size_t entries = bytes.data[last] | (size_t)bytes.data[last + 1] << 8;
    memcpy(bytes.data + last + 2 + 12 * entries, bytes.data + 4, 4);
    refuse(&bytes, "damaged TIFF (");
}

// For every read that fails, also those after returning to the first page, opening gives slices or
// exactly one error.
static void tiffs_truncated_while_opening(void **state)
{
    (void)state;
    static struct bytes bytes;
    static const struct page pages[] = {{7, 5, 8, 0, 0}, {7, 5, 8, 0, 0}, {7, 5, 8, 0, 0}};
    const struct wp_read_params params = {.volume = WP_VOLUME_EITHER};
    int rejected = 0, left = 0;
    make_pages(&bytes, "w", pages, 3);
    for (int reads = 0; left == 0 && reads < 999; reads++) {
        struct wp_slices *slices;
        struct wp_image *image;
        forget_errors();
        reads_left = reads;
        const bool opened = wp_slices_open(path_to("made.tiff"), &params, &slices, &image, NULL);
        left = reads_left;
        reads_left = NEVER;
        if (opened != (slices || image) || error_count != !opened)
            fail_msg("after %d reads: %sopened, %d errors, %s", reads, opened ? "" : "not ",
                     error_count, error_message);
        rejected += !opened;
        wp_slices_close(&slices);
        wp_image_destroy(&image);
    }
    assert_in_range(rejected, 4, 999); // a directory is read in parts
}

// ---- Y4M and raw --------------------------------------------------------------------------

static void y4m_files(void **state)
{
    (void)state;
    static struct bytes bytes;
    bytes.size = 0;
    add_text(&bytes, "YUV4MPEG2 W3 H2 F25:1 Ip C420jpeg\n");
    for (int frame = 0; frame < 3; frame++) {
        add_text(&bytes, frame == 1 ? "FRAME Ixyz\n" : "FRAME\n");
        for (int i = 0; i < 6; i++)
            add_number(&bytes, (unsigned)(16 + 73 * frame + i), 1, false);
        add_text(&bytes, "UUVV");
    }
    struct wp_image *image = parse_volume(&bytes);
    assert_sides(image, 3, 2, 3, 1, 8);
    assert_true(image->geometry.frames);
    assert_int_equal(image->geometry.rate[0], 25);
    assert_int_equal(image->geometry.rate[1], 1);
    for (int i = 0; i < 18; i++)
        assert_near(image->plane[0][i], (73.0 * (i / 6) + i % 6) / 219.0, 1e-6);
    wp_image_destroy(&image);
    refuse_as(&bytes, WP_VOLUME_NO, "a volume of 3x2x3, not an image");
    save(path_to("clip"), &bytes);
    char path[1100];
    snprintf(path, sizeof path, "y4m:%s", path_to("clip"));
    image = wp_image_read_with(path, &(struct wp_read_params){.volume = WP_VOLUME_EITHER}, NULL);
    assert_non_null(image);
    assert_sides(image, 3, 2, 3, 1, 8);
    wp_image_destroy(&image);
    FILE *other = fopen(path_to("clip"), "wb");
    assert_non_null(other);
    fputs("P5 1 1 255 x", other);
    assert_int_equal(fclose(other), 0);
    assert_null(
        wp_image_read_with(path, &(struct wp_read_params){.volume = WP_VOLUME_EITHER}, NULL));
    assert_error(WP_ERROR_FILE, "clip: not a YUV4MPEG2 stream");

    const size_t complete_size = bytes.size;
    bytes.size = complete_size - 1;
    refuse(&bytes, "frame 3 is truncated");
    bytes.size = complete_size - 12;
    refuse(&bytes, "missing FRAME header");
    bytes.size = complete_size;
    add_text(&bytes, "end");
    refuse(&bytes, "missing FRAME header");
    bytes.size = 0;
    add_text(&bytes, "YUV4MPEG2 W3 H2\n");
    refuse(&bytes, "empty volume (3x2x0)");
    bytes.size = 0;
    add_text(&bytes, "YUV4MPEG2 W131072 H131072 C444alpha\nFRAME\nabc");
    refuse(&bytes, "frame 1 is truncated");
    static const char *const rates[] = {"F0:0", "F-25:1", "F25", "F25:0", "F:", "Fx:y"};
    for (int i = 0; i < 6; i++) {
        char text[64];
        snprintf(text, sizeof text, "YUV4MPEG2 W1 H1 %s Cmono\nFRAME\naFRAME\nb", rates[i]);
        bytes.size = 0;
        add_text(&bytes, text);
        image = parse_volume(&bytes);
        assert_sides(image, 1, 1, 2, 1, 8);
        assert_int_equal(image->geometry.rate[0], 0);
        assert_int_equal(image->geometry.rate[1], 0);
        wp_image_destroy(&image);
    }
}

// Luma before chroma in all layouts: the second frame begins where the first one ends.
static void chroma_layouts(void **state)
{
    (void)state;
    enum { W = 5, H = 3 };
    static const struct {
        const char *space;
        int samples, bits; // of chroma and alpha
    } layouts[] = {
        {"mono", 0, 8},          {"mono9", 0, 9},      {"mono16", 0, 16},   {"410", 2 * 2, 8},
        {"411", 2 * 2 * 3, 8},   {"420", 12, 8},       {"420jpeg", 12, 8},  {"420mpeg2", 12, 8},
        {"420paldv", 12, 8},     {"420p9", 12, 9},     {"420p10", 12, 10},  {"420p12", 12, 12},
        {"420p14", 12, 14},      {"420p16", 12, 16},   {"422", 18, 8},      {"422p10", 18, 10},
        {"440", 2 * W * 2, 8},   {"444", 30, 8},       {"444p12", 30, 12},  {"444alpha", 45, 8},
    };
    static struct bytes bytes;
    for (size_t i = 0; i < sizeof layouts / sizeof layouts[0]; i++) {
        char header[64];
        const int bits = layouts[i].bits, size = bits > 8 ? 2 : 1;
        snprintf(header, sizeof header, "YUV4MPEG2 W%d H%d F25:1 C%s\n", W, H, layouts[i].space);
        bytes.size = 0;
        add_text(&bytes, header);
        for (int z = 0; z < 2; z++) {
            add_text(&bytes, "FRAME\n");
            for (int k = 0; k < W * H + layouts[i].samples; k++)
                add_number(&bytes, k < W * H ? (unsigned)(16 + z * 50 + k) << (bits - 8) : 77, size,
                           false);
        }
        struct wp_image *image = parse_volume(&bytes);
        assert_sides(image, W, H, 2, 1, bits > 8 ? 16 : 8);
        for (int k = 0; k < 2 * W * H; k++)
            assert_near(image->plane[0][k], (k / (W * H) * 50 + k % (W * H)) / 219.0, 1e-6);
        wp_image_destroy(&image);
    }
    bytes.size = 0;
    add_text(&bytes, "YUV4MPEG2 W1 H1 C423\nFRAME\nabc");
    refuse(&bytes, "unknown color space '423'");
}

static struct wp_image *read_raw(const char *path, const char *raw)
{
    const struct wp_read_params params = {.volume = WP_VOLUME_EITHER, .raw = raw};
    return wp_image_read_with(path, &params, NULL);
}

static void raw_types(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        int bytes, bits;
        bool is_signed, big;
    } types[] = {
        {"u8", 1, 32, false, false},    {"i8", 1, 32, true, false},
        {"u16le", 2, 32, false, false}, {"u16be", 2, 32, false, true},
        {"i16le", 2, 32, true, false},  {"i16be", 2, 32, true, true},
        {"u32le", 4, 64, false, false}, {"i32be", 4, 64, true, true},
        {"u64be", 8, 64, false, true},  {"i64le", 8, 64, true, false},
        {"f32le", 4, 32, true, false},  {"f32be", 4, 32, true, true},
        {"f64le", 8, 64, true, false},  {"f64be", 8, 64, true, true},
    };
    static struct bytes bytes;
    for (size_t t = 0; t < sizeof types / sizeof types[0]; t++) {
        for (int offset = 0; offset <= 13; offset += 13) {
            bytes.size = 0;
            add(&bytes, "thirteen byte", (size_t)offset);
            for (int i = 0; i < VOXELS; i++) {
                const int value = (int)sample(0, i) - (types[t].is_signed ? 128 : 0);
                if (types[t].name[0] != 'f')
                    add_number(&bytes, (uint64_t)(int64_t)value, types[t].bytes, types[t].big);
                else if (types[t].bytes == 8)
                    add_double(&bytes, value, types[t].big);
                else
                    add_float(&bytes, (float)value, types[t].big);
            }
            save(path_to("v.raw"), &bytes);
            char raw[64];
            snprintf(raw, sizeof raw, "9x5x3:%s%s", types[t].name, offset ? ":13" : "");
            struct wp_image *image = read_raw(path_to("v.raw"), raw);
            if (!image)
                fail_msg("%s", error_message);
            assert_sides(image, WIDTH, HEIGHT, SLICES, 1, types[t].bits);
            for (int i = 0; i < VOXELS; i++)
                assert_near(image->plane[0][i],
                            (double)sample(0, i) - (types[t].is_signed ? 128 : 0), 1e-7);
            wp_image_destroy(&image);
        }
    }
    struct wp_image *image = read_raw(path_to("v.raw"), "27x5:f64be:13");
    assert_sides(image, 27, 5, 1, 1, 64);
    wp_image_destroy(&image);
}

static void raw_that_does_not_fit(void **state)
{
    (void)state;
    static struct bytes bytes;
    bytes.size = 0;
    add_text(&bytes, "twelve bytes");
    const char *path = path_to("v.raw");
    save(path, &bytes);
    static const char *const bad[] = {"",         "2x2x3",        "2x2x3:",      "x2x3:u8",
                                      "2x0x6:u8", "-2x2x3:u8",    "2x2x3x1:u8",  "2 x2x3:u8",
                                      "12:u8",    "2x200000x3:u8", "2x2x:u8",    "u8"};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        assert_null(read_raw(path, bad[i]));
        assert_error(WP_ERROR_USAGE, i == 2 ? "unknown type of raw samples ''"
                                            : "bad size (WIDTHxHEIGHTxDEPTH:TYPE, each side 1 to");
    }
    assert_null(read_raw(path, "2x2x3:f16"));
    assert_error(WP_ERROR_USAGE, "unknown type of raw samples 'f16'\nhint: ");
    assert_null(read_raw(path, "2x2x3:averylongnameofatypethatisnotthereatall"));
    assert_error(WP_ERROR_USAGE, "unknown type of raw samples 'averylong");
    static const char *const offsets[] = {"2x2x3:u8:", "2x2x3:u8:-1", "2x2x3:u8:1x",
                                          "2x2x3:u8:99999999999999999999", "2x2x3:u8:1:1"};
    for (size_t i = 0; i < sizeof offsets / sizeof offsets[0]; i++) {
        assert_null(read_raw(path, offsets[i]));
        assert_error(WP_ERROR_USAGE, "bad offset (a number of bytes)");
    }
    assert_null(read_raw(path, "2x2x4:u8"));
    assert_error(WP_ERROR_FILE, "v.raw: has 12 bytes, but raw '2x2x4:u8' requires 16");
    assert_null(read_raw(path, "2x2x2:u8"));
    assert_error(WP_ERROR_FILE, "v.raw: has 12 bytes, but raw '2x2x2:u8' requires 8");
    assert_null(read_raw(path, "131072x131072x131072:f64le"));
    assert_error(WP_ERROR_FILE, "has 12 bytes, but raw '131072x131072x131072:f64le' requires "
                                "18014398509481984");
    assert_null(read_raw("/dev/zero", "2x2x4:u8"));
    assert_error(WP_ERROR_FILE, "/dev/zero: has more than the 16 bytes that raw '2x2x4:u8' requires");
    assert_null(read_raw(path_to("none"), "2x2x4:u8"));
    assert_error(WP_ERROR_FILE, "none: no such file");
}

static void raw_from_a_pipe(void **state)
{
    (void)state;
    int ends[2];
    assert_int_equal(pipe(ends), 0);
    assert_int_equal(write(ends[1], "abcdefghijkl", 12), 12);
    close(ends[1]);
    const int saved = dup(STDIN_FILENO);
    dup2(ends[0], STDIN_FILENO);
    close(ends[0]);
    struct wp_image *image = read_raw("-", "3x2x2:u8");
    if (saved >= 0) {
        dup2(saved, STDIN_FILENO);
        close(saved);
    }
    assert_non_null(image);
    assert_sides(image, 3, 2, 2, 1, 32);
    assert_near(image->plane[0][11], 'l', 1e-7);
    wp_image_destroy(&image);
}

// ---- Damage -------------------------------------------------------------------------------

static void every_truncation_and_damaged_byte(void **state)
{
    (void)state;
    static struct bytes bytes;
    struct page pages[3];
    for (int n = 0; n < 3; n++)
        pages[n] = (struct page){7, 5, 16, 0, 0};
    make_pages(&bytes, "wl", pages, 3);
    damage(&bytes, WP_VOLUME_EITHER, SIZE_MAX, 0, "TIFF");
    make_pages(&bytes, "w8", pages, 3);
    damage(&bytes, WP_VOLUME_EITHER, SIZE_MAX, 0, "BigTIFF");
    // A file whose directories end with the offset of the next one.
    struct wp_image *image = make_volume(7, 5, 3, 1, false);
    assert_true(wp_image_write(image, path_to("v.tiff"), &coefficients));
    wp_image_destroy(&image);
    load(path_to("v.tiff"), &bytes);
    damage(&bytes, WP_VOLUME_EITHER, SIZE_MAX, 0, "TIFF of single strips");
    bytes.size = 0;
    add_text(&bytes, "YUV4MPEG2 W3 H2 F25:1 Cmono\n");
    for (int frame = 0; frame < 2; frame++)
        add_text(&bytes, "FRAME\nabcdef");
    // A file that ends between two frames is a shorter sequence.
    struct bytes *truncated = malloc(sizeof *truncated);
    assert_non_null(truncated);
    for (size_t size = 0; size < bytes.size; size++) {
        memcpy(truncated->data, bytes.data, size);
        truncated->size = size;
        expect_one_result(truncated, WP_VOLUME_EITHER, size + 12 == bytes.size, "Y4M");
    }
    free(truncated);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        IMAGE_TEST(floats_survive),
        IMAGE_TEST(y4m_keeps_frames_and_their_rate),
        IMAGE_TEST(nifti_keeps_the_geometry),
        IMAGE_TEST(many_pages),
        IMAGE_TEST(impossible_outputs),
        IMAGE_TEST(full_disks),
        IMAGE_TEST(volumes_are_not_images),
        IMAGE_TEST(images_where_both_are_accepted),
        IMAGE_TEST(npy_types),
        IMAGE_TEST(npy_shapes),
        IMAGE_TEST(tiffs_of_pages),
        IMAGE_TEST(tiffs_of_unlike_pages),
        IMAGE_TEST(tiffs_truncated_while_opening),
        IMAGE_TEST(y4m_files),
        IMAGE_TEST(chroma_layouts),
        IMAGE_TEST(raw_types),
        IMAGE_TEST(raw_that_does_not_fit),
        IMAGE_TEST(raw_from_a_pipe),
        IMAGE_TEST(every_truncation_and_damaged_byte),
    };
    return cmocka_run_group_tests(tests, set_up_directory, remove_directory);
}
