// Files of volumes: what is written comes back, what others write is read, and what is damaged is
// told. Files are made by hand, by libtiff and by zlib themselves, and not by the code under test.
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
#include <sys/wait.h>
#include <tiffio.h>
#include <unistd.h>
#include <zlib.h>

static const struct wp_write_params picture = {0};

static struct wp_image *read_as(const char *path, enum wp_volume volume)
{
    return wp_image_read_with(path, &(struct wp_read_params){.volume = volume}, NULL);
}

static struct wp_image *read_good(const char *path, enum wp_volume volume)
{
    struct wp_image *image = read_as(path, volume);
    if (!image)
        fail_msg("%s", error_message);
    return image;
}

static struct wp_image *parse_volume(const struct bytes *bytes)
{
    struct wp_image *image = parse_as(bytes, WP_VOLUME_EITHER);
    if (!image)
        fail_msg("%s", error_message);
    return image;
}

static void assert_sides(const struct wp_image *image, int width, int height, int depth, int planes,
                         int bits)
{
    assert_int_equal(image->width, width);
    assert_int_equal(image->height, height);
    assert_int_equal(image->depth, depth);
    assert_int_equal(image->planes, planes);
    assert_int_equal(image->source_bits, bits);
}

static void refuse_as(const struct bytes *bytes, enum wp_volume volume, const char *text)
{
    const char *path = path_to("bad");
    save(path, bytes);
    assert_null(read_as(path, volume));
    assert_non_null(strstr(error_message, path));
    assert_error(WP_ERROR_FILE, text);
}

static void refuse(const struct bytes *bytes, const char *text)
{
    refuse_as(bytes, WP_VOLUME_EITHER, text);
}

static struct wp_image *make_volume(int width, int height, int depth, int planes, bool alpha)
{
    struct wp_image *image = wp_image_create_volume(width, height, depth, planes, alpha);
    assert_non_null(image);
    const size_t count = wp_image_samples(image);
    assert_int_equal(count, width * height * depth);
    for (int p = 0; p < planes; p++)
        for (size_t i = 0; i < count; i++)
            image->plane[p][i] = (float)sample(p, (int)i) * 0.37F - 20.0F;
    image->plane[0][0] = NAN;
    image->plane[0][count / 2] = -7.25F;
    image->plane[planes - 1][count - 1] = 1000.0F;
    return image;
}

// ---- What is written comes back -----------------------------------------------------------

static const int sizes[][3] = {{5, 3, 7}, {1, 1, 9}, {7, 1, 2}, {1, 6, 3}, {9, 5, 1}, {33, 31, 5}};
enum { SIZES = sizeof sizes / sizeof sizes[0] };

static void check_round_trip(const char *name, const int *size, int planes, bool alpha)
{
    struct wp_image *out = make_volume(size[0], size[1], size[2], planes, alpha);
    assert_true(wp_image_write(out, path_to(name), &coefficients));
    const bool npy = strstr(name, ".npy") != NULL;
    // Where an NPY's last axis is short, it has to be said that this is no image with planes.
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
        for (size_t i = 0; i < count; i++) // every value of a byte
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

static void assert_same_geometry(const struct wp_geometry *a, const struct wp_geometry *b)
{
    assert_int_equal(a->has_size, b->has_size);
    for (int i = 0; i < 3; i++)
        assert_true(a->size[i] == b->size[i]);
    assert_int_equal(a->frames, b->frames);
    assert_memory_equal(a->rate, b->rate, sizeof a->rate);
    assert_int_equal(a->qform_code, b->qform_code);
    assert_int_equal(a->sform_code, b->sform_code);
    assert_true(a->qfac == b->qfac);
    assert_memory_equal(a->quaternion, b->quaternion, sizeof a->quaternion);
    assert_memory_equal(a->offset, b->offset, sizeof a->offset);
    assert_memory_equal(a->sform, b->sform, sizeof a->sform);
}

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
            if (g == 1) { // a frame takes 33366.7 microseconds, of which there are 33367
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

static void outputs_that_cannot_be(void **state)
{
    (void)state;
    struct wp_image *volume = make_volume(5, 3, 7, 1, false);
    struct wp_image *colours = make_volume(5, 3, 7, 3, false);
    assert_false(wp_image_write(volume, path_to("v.png"), &picture));
    assert_error(WP_ERROR_FILE, "v.png cannot hold a volume (7 slices)\n"
                                "hint: use .npy, .nii, .nii.gz, .tiff or .y4m");
    assert_false(wp_image_write(volume, path_to("v.pfm"), &coefficients));
    assert_error(WP_ERROR_FILE, "v.pfm cannot hold a volume (7 slices)\n"
                                "hint: use .npy, .nii, .nii.gz or .tiff");
    assert_false(wp_image_write(volume, path_to("v.gz"), &picture));
    assert_error(WP_ERROR_FILE, "v.gz (unknown suffix)\nhint: use .npy, .nii, .nii.gz, .tiff or");
    assert_false(wp_image_write(volume, path_to("v.y4m"), &coefficients));
    assert_error(WP_ERROR_FILE, "v.y4m cannot hold coefficients (signed 32-bit float)");
    static const char *const single[] = {"v.nii", "v.nii.gz", "v.y4m"};
    for (int i = 0; i < 3; i++) {
        assert_false(wp_image_write_check_volume(path_to(single[i]), 3, 7, &picture));
        assert_error(WP_ERROR_FILE, "cannot hold 3 planes (");
        assert_false(wp_image_write(colours, path_to(single[i]), &picture));
        assert_error(WP_ERROR_FILE, i < 2 ? "(NIfTI takes 1)\nhint: use .npy or .tiff"
                                          : "(Y4M takes 1)\nhint: use .npy or .tiff");
    }
    assert_true(wp_image_write_check_volume(path_to("v.nii"), 1, 7, &coefficients));
    assert_true(wp_image_write_check(path_to("v.nii"), 1, &coefficients));
    wp_image_destroy(&volume);
    volume = make_volume(32768, 1, 2, 1, false);
    assert_false(wp_image_write(volume, path_to("v.nii"), &picture));
    assert_error(WP_ERROR_FILE, "v.nii cannot hold 32768x1x2 (a side of NIfTI has 32767 samples");
    wp_image_destroy(&volume);
    wp_image_destroy(&colours);
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

static void images_are_asked_for(void **state)
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
    // Of a TIFF the first page is taken.
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

static void images_where_both_are_taken(void **state)
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
    refuse(&bytes, "not an image or volume of a known kind\nhint: reads volumes of NPY, NIfTI");
}

// ---- NPY ----------------------------------------------------------------------------------

enum { SLICES = 3, VOXELS = PIXELS * SLICES };

// Of 0 … 255, or -128 … 127 for signed ones, and how they come back.
static void npy_types(void **state)
{
    (void)state;
    static const struct {
        const char *type;
        int bytes, bits;
        bool is_signed;
        double maximum;
    } types[] = {
        {"|u1", 1, 8, false, 255.0}, {"<u2", 2, 16, false, 65535.0}, {">u2", 2, 16, false, 65535.0},
        {"|i1", 1, 32, true, 1.0},   {"<i2", 2, 32, true, 1.0},      {">i2", 2, 32, true, 1.0},
        {"<i4", 4, 64, true, 1.0},   {">i4", 4, 64, true, 1.0},
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
                                    ((double)sample(p, i) - (types[t].is_signed ? 128 : 0)) /
                                        types[t].maximum,
                                    1e-7);
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
    refuse_as(&bytes, WP_VOLUME_NO, "not supported (NPY of type '|b1')");
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
        {"<f4", "(3000000, 5, 7)", "volume too large (7x5x3000000, a side may be 131072 at most)"},
        {"<f4", "(3, 5, 7, 5)", "not an image or volume (an NPY of 4 axes and an unfit number"},
        {"<f4", "(3,)", "not an image or volume (an NPY of 1 axes)\nhint: the shape must be (d"},
        {"<c8", "(1, 1, 7)", "complex samples (NPY of type '<c8') are not read yet\nhint: save "},
        {"<i8", "(1, 1, 7)", "not supported (NPY of type '<i8')"},
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

// ---- NIfTI --------------------------------------------------------------------------------

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

enum { U8 = 2, I16 = 4, I32 = 8, F32 = 16, F64 = 64, I8 = 256, U16 = 512, HEADER = 352 };

// A header of a 9x5x3 volume; samples follow.
static void make_header(struct bytes *bytes, int type, bool big)
{
    static const int sides[] = {3, WIDTH, HEIGHT, SLICES, 1, 1, 1, 1};
    memset(bytes->data, 0, HEADER);
    bytes->size = HEADER;
    set_number(bytes, 0, 348, 4, big);
    for (int i = 0; i < 8; i++)
        set_number(bytes, 40 + 2 * i, sides[i], 2, big);
    set_number(bytes, 70, type, 2, big);
    set_float(bytes, 108, HEADER, big);
    memcpy(bytes->data + 344, "n+1", 4);
}

static int voxel(int type, int i)
{
    return (int)sample(0, i) - (type == I8 || type == I16 || type == I32 ? 128 : 0);
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
            add_number(bytes, (uint64_t)(int64_t)value,
                       type == U8 || type == I8 ? 1 : type == I32 ? 4 : 2, big);
    }
}

static void make_nifti(struct bytes *bytes, int type, bool big)
{
    make_header(bytes, type, big);
    add_voxels(bytes, type, big);
}

// By zlib.
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
        double maximum;
    } types[] = {{U8, 8, 255.0}, {I8, 32, 1.0},   {I16, 32, 1.0}, {U16, 16, 65535.0},
                 {I32, 64, 1.0}, {F32, 32, 1.0}, {F64, 64, 1.0}};
    for (size_t t = 0; t < sizeof types / sizeof types[0]; t++) {
        for (int big = 0; big <= 1; big++) {
            make_nifti(&bytes, types[t].type, big);
            zip_all(&zipped, &bytes);
            check_nifti(&bytes, types[t].type, 1.0 / types[t].maximum, 0.0, types[t].bits);
            check_nifti(&zipped, types[t].type, 1.0 / types[t].maximum, 0.0, types[t].bits);
            set_float(&bytes, 112, 1.0F, big); // the same as none
            check_nifti(&bytes, types[t].type, 1.0 / types[t].maximum, 0.0, types[t].bits);
            set_float(&bytes, 112, 0.5F, big);
            set_float(&bytes, 116, -1000.0F, big);
            zip_all(&zipped, &bytes);
            const int bits = types[t].bits < 32 ? 32 : types[t].bits;
            check_nifti(&bytes, types[t].type, 0.5, -1000.0, bits);
            check_nifti(&zipped, types[t].type, 0.5, -1000.0, bits);
            set_float(&bytes, 112, 0.0F, big); // no slope, no intercept
            set_float(&bytes, 116, big ? NAN : -1000.0F, big);
            check_nifti(&bytes, types[t].type, 1.0 / types[t].maximum, 0.0, types[t].bits);
        }
    }
    // A double's digits survive an intercept that takes the large part away.
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
    // 32 bytes of an extension, and others that nobody explains.
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
    // In pieces, as some tools write them so as to find their way.
    zipped.size = 0;
    for (size_t at = 0; at < bytes.size; at += 100)
        zip(&zipped, bytes.data + at, bytes.size - at < 100 ? bytes.size - at : 100);
    zip(&zipped, "", 0);
    check_nifti(&zipped, I16, 1.0, 0.0, 32);
    zipped.size -= 20; // the last one, of nothing
    check_nifti(&zipped, I16, 1.0, 0.0, 32);
    add_text(&zipped, "!");
    refuse(&zipped, "damaged gzip (something else from byte ");
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
            assert_sides(image, WIDTH, HEIGHT, SLICES, 1, 8);
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
            // 250000 seconds are too long for a rate in whole microseconds.
            const double each = 250000.0 * units[u].seconds;
            assert_int_equal(g->rate[0], each < 1.0 ? 4 : each < 2147.0 ? 1 : 0);
            assert_int_equal(g->rate[1], each < 1.0 ? 1 : each < 2147.0 ? 250 : 0);
            wp_image_destroy(&image);
        }
    }
    make_nifti(&bytes, U8, false); // nothing is known, or not finite
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
        {0, INT, 540, "not supported (NIfTI-2)\nhint: save it as NIfTI-1"},
        {0, INT, 347, "damaged NIfTI (a header of 347 bytes, not 348)"},
        {40, SHORT, 0, "damaged NIfTI (0 axes)"},
        {40, SHORT, 8, "damaged NIfTI (8 axes)"},
        {40, SHORT, -3, "damaged NIfTI (-3 axes)"},
        {42, SHORT, -9, "damaged NIfTI (-9 samples along axis 1)"},
        {46, SHORT, -1, "damaged NIfTI (-1 samples along axis 3)"},
        {44, SHORT, 0, "empty volume (9x0x3)"},
        {46, SHORT, 0, "empty volume (9x5x0)"},
        {70, SHORT, 0, "not supported (NIfTI of type 0)"},
        {70, SHORT, 32, "not supported (NIfTI of type 32)\nhint: save it as 8 or 16-bit"},
        {70, SHORT, 1792, "not supported (NIfTI of type 1792)"},
        {108, FLOAT, 0.0, "damaged NIfTI (samples begin at byte 0)"},
        {108, FLOAT, 348.0, "damaged NIfTI (samples begin at byte 348)"},
        {108, FLOAT, -352.0, "damaged NIfTI (samples begin at byte -352)"},
        {108, FLOAT, 352.5, "damaged NIfTI (samples begin at byte 352.5)"},
        {108, FLOAT, NAN, "damaged NIfTI (samples begin at byte "},
        {108, FLOAT, 1e30, "damaged NIfTI (samples begin at byte 1e+30)"},
        {108, FLOAT, 353.0, "truncated (needs 623 bytes"},
        {112, FLOAT, NAN, "damaged NIfTI (slope nan, intercept 0)"},
        {112, FLOAT, INFINITY, "damaged NIfTI (slope inf, intercept 0)"},
        {46, SHORT, 4, "truncated (needs 712 bytes"},
        {46, SHORT, 2, "too long (its header says 532 bytes"},
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
            if (cases[i].value != 347) // of a gzip it is told earlier
                refuse(&zipped, cases[i].text);
        }
    }
    make_nifti(&bytes, I16, false);
    set_float(&bytes, 112, 1.0F, false);
    set_float(&bytes, 116, -INFINITY, false);
    refuse(&bytes, "damaged NIfTI (slope 1, intercept -inf)");

    make_nifti(&bytes, I16, false);
    memcpy(bytes.data + 344, "ni1", 4);
    refuse(&bytes, "the header of a pair of NIfTI files\nhint: save both as one .nii");
    memset(bytes.data + 344, 0, 4);
    refuse(&bytes, "damaged NIfTI, or Analyze 7.5 (its magic is not 'n+1')");
    bytes.size = 200;
    refuse(&bytes, "truncated (needs 348 bytes, has 200)");

    // Lies are found before there is memory for them.
    make_nifti(&bytes, F64, false);
    for (int i = 0; i < 3; i++)
        set_number(&bytes, 42 + 2 * i, 32767, 2, false);
    refuse(&bytes, "truncated (needs 281449207693656 bytes, has 1432)");
    zip_all(&zipped, &bytes);
    refuse(&zipped, "truncated (needs 272722100478 bytes, has ");

    // Series of volumes, and what has still more axes.
    make_nifti(&bytes, I16, true);
    set_number(&bytes, 40, 4, 2, true);
    set_number(&bytes, 48, 20, 2, true);
    refuse(&bytes, "a series of 20 volumes of 9x5x3, and there is no option yet to choose one");
    refuse_as(&bytes, WP_VOLUME_NO, "a series of 20 volumes of 9x5x3");
    set_number(&bytes, 40, 5, 2, true);
    set_number(&bytes, 48, 1, 2, true);
    set_number(&bytes, 50, 3, 2, true);
    refuse(&bytes, "not supported (NIfTI with 3 samples along axis 5)");
    set_number(&bytes, 50, 0, 2, true);
    refuse(&bytes, "damaged NIfTI (0 samples along axis 5)");
}

static void gzips(void **state)
{
    (void)state;
    static struct bytes bytes, zipped, bad;
    make_nifti(&bytes, I16, false);
    zip_all(&zipped, &bytes);
    bad = zipped;
    bad.size -= 1; // in its length
    refuse(&bad, "truncated (its gzip has no end)");
    bad.size -= 7; // all the samples are there
    refuse(&bad, "truncated (");
    bad.size = zipped.size / 2;
    refuse(&bad, "truncated (needs 622 bytes unpacked, has ");
    bad = zipped;
    bad.data[bad.size - 6] ^= 1;
    refuse(&bad, "damaged gzip (incorrect data check)");
    bad = zipped;
    bad.data[bad.size - 2] ^= 1;
    refuse(&bad, "damaged gzip (incorrect length check)");
    add_text(&bytes, "more");
    zip_all(&zipped, &bytes);
    refuse(&zipped, "too long (its header says 622 bytes unpacked, it has more)");
    refuse(&bytes, "too long (its header says 622 bytes, it has 626)");
    zipped.size = 0;
    zip(&zipped, "This is text.\n", 14);
    refuse(&zipped, "a gzip of something else than NIfTI\nhint: unpack it");
    zipped.size = 0;
    zip(&zipped, "ab", 2);
    refuse(&zipped, "truncated (needs 348 bytes unpacked, has 2)");
    zipped.size = 0;
    add(&zipped, "\x1f\x8b\x08", 3);
    refuse(&zipped, "truncated (");
    add(&zipped, "\xff and nonsense behind it", 25);
    refuse(&zipped, "damaged gzip (");
}

// ---- TIFF ---------------------------------------------------------------------------------

// Where a file's pages are not all alike.
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
    // Turned, page by page; smaller copies and masks are not pages.
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
    // One page and its copy are an image.
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
    refuse(&bytes, "page 3 is of another kind than page 1 (6x5 of 1 planes of 8 bits, not 7x5 of");
    struct wp_image *image = parse_good(&bytes); // of images the first page is read
    assert_sides(image, 7, 5, 1, 1, 8);
    wp_image_destroy(&image);
    pages[2] = pages[0];
    pages[3].bits = 16;
    make_pages(&bytes, "w", pages, 4);
    refuse(&bytes, "page 4 is of another kind than page 1 (7x5 of 1 planes of 16 bits, not");
    pages[3] = pages[0];
    pages[1].orientation = 6;
    make_pages(&bytes, "w", pages, 4);
    refuse(&bytes, "page 2 is of another kind than page 1");
    // A circle of directories: the last one's offset is that of the first.
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

    const size_t whole = bytes.size;
    bytes.size = whole - 1;
    refuse(&bytes, "frame 3 is truncated");
    bytes.size = whole - 12;
    refuse(&bytes, "no frame where one should begin");
    bytes.size = whole;
    add_text(&bytes, "end");
    refuse(&bytes, "no frame where one should begin");
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
        double maximum;
    } types[] = {
        {"u8", 1, 8, false, false, 255.0},        {"i8", 1, 32, true, false, 1.0},
        {"u16le", 2, 16, false, false, 65535.0},  {"u16be", 2, 16, false, true, 65535.0},
        {"i16le", 2, 32, true, false, 1.0},       {"i16be", 2, 32, true, true, 1.0},
        {"f32le", 4, 32, true, false, 1.0},       {"f32be", 4, 32, true, true, 1.0},
        {"f64le", 8, 64, true, false, 1.0},       {"f64be", 8, 64, true, true, 1.0},
    };
    static struct bytes bytes;
    for (size_t t = 0; t < sizeof types / sizeof types[0]; t++) {
        for (int offset = 0; offset <= 13; offset += 13) {
            bytes.size = 0;
            add(&bytes, "thirteen byte", (size_t)offset);
            for (int i = 0; i < VOXELS; i++) {
                const int value = (int)sample(0, i) - (types[t].is_signed ? 128 : 0);
                if (types[t].bytes == 8)
                    add_double(&bytes, value, types[t].big);
                else if (types[t].bytes == 4)
                    add_float(&bytes, (float)value, types[t].big);
                else
                    add_number(&bytes, (uint64_t)(int64_t)value, types[t].bytes, types[t].big);
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
                            ((double)sample(0, i) - (types[t].is_signed ? 128 : 0)) /
                                types[t].maximum,
                            1e-7);
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
    assert_error(WP_ERROR_FILE, "v.raw: has 12 bytes, and raw '2x2x4:u8' takes 16");
    assert_null(read_raw(path, "2x2x2:u8"));
    assert_error(WP_ERROR_FILE, "v.raw: has 12 bytes, and raw '2x2x2:u8' takes 8");
    assert_null(read_raw(path, "131072x131072x131072:f64le"));
    assert_error(WP_ERROR_FILE, "has 12 bytes, and raw '131072x131072x131072:f64le' takes "
                                "18014398509481984");
    assert_null(read_raw("/dev/zero", "2x2x4:u8"));
    assert_error(WP_ERROR_FILE, "/dev/zero: has more than the 16 bytes that raw '2x2x4:u8' takes");
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
    assert_sides(image, 3, 2, 2, 1, 8);
    assert_near(image->plane[0][11], 'l' / 255.0, 1e-7);
    wp_image_destroy(&image);
}

// ---- Damage -------------------------------------------------------------------------------

// There is a volume, or there is one error; and where there is one, its samples are all there.
static void expect_one_answer(const struct bytes *bytes, bool may_succeed, const char *what)
{
    struct wp_image *image = parse_as(bytes, WP_VOLUME_EITHER);
    if ((image && !may_succeed) || error_count != (image ? 0 : 1))
        fail_msg("%s of %zu bytes: %s, %d errors, %s", what, bytes->size,
                 image ? "read" : "not read", error_count, error_message);
    if (image)
        (void)wp_image_count_nonfinite(image);
    wp_image_destroy(&image);
    forget_errors();
}

// Truncations, and bytes of the first `header` that are others.
static void damage(const struct bytes *good, size_t header, const char *what)
{
    static struct bytes bytes;
    struct wp_image *image = parse_volume(good);
    wp_image_destroy(&image);
    for (size_t size = 0; size < good->size; size++) {
        memcpy(bytes.data, good->data, size);
        bytes.size = size;
        expect_one_answer(&bytes, false, what);
    }
    bytes = *good;
    for (size_t i = 0; i < good->size && i < header; i++) {
        static const unsigned char values[] = {0x00, 0x01, 0x7f, 0x80, 0xff};
        for (size_t v = 0; v < sizeof values; v++) {
            bytes.data[i] = values[v];
            expect_one_answer(&bytes, true, what);
            bytes.data[i] = good->data[i] ^ values[v];
            expect_one_answer(&bytes, true, what);
        }
        bytes.data[i] = good->data[i];
    }
}

static void every_truncation_and_damaged_byte(void **state)
{
    (void)state;
    static struct bytes bytes, zipped;
    for (int big = 0; big <= 1; big++) {
        make_nifti(&bytes, big ? I16 : F32, big);
        damage(&bytes, HEADER, "NIfTI");
        zip_all(&zipped, &bytes);
        damage(&zipped, SIZE_MAX, "packed NIfTI");
        // The header in the gzip.
        for (size_t i = 0; i < HEADER; i++) {
            for (int v = 0; v < 3; v++) {
                static const unsigned char flips[] = {0x01, 0x80, 0xff};
                bytes.data[i] ^= flips[v];
                zip_all(&zipped, &bytes);
                expect_one_answer(&zipped, true, "packed damaged NIfTI");
                bytes.data[i] ^= flips[v];
            }
        }
    }
    struct page pages[3];
    for (int n = 0; n < 3; n++)
        pages[n] = (struct page){7, 5, 16, 0, 0};
    make_pages(&bytes, "wl", pages, 3);
    damage(&bytes, SIZE_MAX, "TIFF");
    make_pages(&bytes, "w8", pages, 3);
    damage(&bytes, SIZE_MAX, "BigTIFF");
    // One whose directories end with the offset of the next one.
    struct wp_image *image = make_volume(7, 5, 3, 1, false);
    assert_true(wp_image_write(image, path_to("v.tiff"), &coefficients));
    wp_image_destroy(&image);
    load(path_to("v.tiff"), &bytes);
    damage(&bytes, SIZE_MAX, "TIFF of single strips");
    bytes.size = 0;
    add_text(&bytes, "YUV4MPEG2 W3 H2 F25:1 Cmono\n");
    for (int frame = 0; frame < 2; frame++)
        add_text(&bytes, "FRAME\nabcdef");
    // What ends between two frames is a shorter sequence.
    struct bytes *cut = malloc(sizeof *cut);
    assert_non_null(cut);
    for (size_t size = 0; size < bytes.size; size++) {
        memcpy(cut->data, bytes.data, size);
        cut->size = size;
        expect_one_answer(cut, size + 12 == bytes.size, "Y4M");
    }
    free(cut);
}

// ---- Files of others ----------------------------------------------------------------------

static void heads_of_mricron(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        int width, height, depth, bits;
        double least, most; // of stored values
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
        IMAGE_TEST(floats_survive),
        IMAGE_TEST(y4m_keeps_frames_and_their_rate),
        IMAGE_TEST(nifti_keeps_the_geometry),
        IMAGE_TEST(many_pages),
        IMAGE_TEST(outputs_that_cannot_be),
        IMAGE_TEST(full_disks),
        IMAGE_TEST(images_are_asked_for),
        IMAGE_TEST(images_where_both_are_taken),
        IMAGE_TEST(npy_types),
        IMAGE_TEST(npy_shapes),
        IMAGE_TEST(nifti_of_every_type),
        IMAGE_TEST(nifti_extensions_and_members),
        IMAGE_TEST(nifti_geometry),
        IMAGE_TEST(nifti_headers),
        IMAGE_TEST(gzips),
        IMAGE_TEST(tiffs_of_pages),
        IMAGE_TEST(tiffs_of_unlike_pages),
        IMAGE_TEST(y4m_files),
        IMAGE_TEST(raw_types),
        IMAGE_TEST(raw_that_does_not_fit),
        IMAGE_TEST(raw_from_a_pipe),
        IMAGE_TEST(every_truncation_and_damaged_byte),
        IMAGE_TEST(heads_of_mricron),
    };
    return cmocka_run_group_tests(tests, set_up_directory, remove_directory);
}
