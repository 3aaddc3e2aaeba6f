// Complex arrays and their files, and sampling masks.
#include "kspace.h"
#include "fft.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "image_files.h"

// ---- Arrays and files -----------------------------------------------------------------------

static float part_at(size_t i)
{
    return (float)((i * 37 + 11) % 101) / 8 - 5;
}

static struct wp_complex_array *make(int width, int height, int depth, int coils)
{
    const int size[3] = {width, height, depth};
    struct wp_complex_array *array = wp_complex_create(size, coils);
    assert_non_null(array);
    assert_int_equal((uintptr_t)array->value % WP_FFT_ALIGNMENT, 0);
    float *part = (float *)array->value;
    for (size_t i = 0; i < 2 * wp_complex_samples(array) * (size_t)coils; i++)
        part[i] = part_at(i);
    return array;
}

static void assert_array(const struct wp_complex_array *array, int width, int height, int depth,
                         int coils)
{
    assert_int_equal(array->size[0], width);
    assert_int_equal(array->size[1], height);
    assert_int_equal(array->size[2], depth);
    assert_int_equal(array->coils, coils);
    const float *part = (const float *)array->value;
    for (size_t i = 0; i < 2 * wp_complex_samples(array) * (size_t)coils; i++)
        assert_true(part[i] == part_at(i));
}

static void files_round_trip(void **state)
{
    static const int shapes[][4] = {{7, 5, 1, 1}, {1, 1, 1, 1}, {6, 4, 3, 1}, {5, 3, 2, 4},
                                    {5, 4, 1, 3}};
    static const char *const names[] = {"k.npy", "k.cfl", "k.hdr", "K.NPY"};
    (void)state;
    for (size_t s = 0; s < sizeof shapes / sizeof shapes[0]; s++) {
        for (size_t n = 0; n < sizeof names / sizeof names[0]; n++) {
            const int *shape = shapes[s];
            struct wp_complex_array *array = make(shape[0], shape[1], shape[2], shape[3]);
            assert_true(wp_complex_write(path_to(names[n]), array));
            wp_complex_destroy(&array);
            assert_null(array);
            array = wp_complex_read(path_to(names[n]));
            assert_non_null(array);
            assert_array(array, shape[0], shape[1], shape[2], shape[3]);
            wp_complex_destroy(&array);
        }
    }
    assert_int_equal(count_files(), 4);
}

// Adds 2x3 values (y, x) in the formats of numpy.
static void add_values(struct bytes *bytes, bool is_double, bool big, bool fortran)
{
    for (size_t k = 0; k < 6; k++) {
        const size_t i = fortran ? k % 2 * 3 + k / 2 : k;
        for (size_t part = 0; part < 2; part++) {
            if (is_double)
                add_double(bytes, (double)part_at(2 * i + part), big);
            else
                add_float(bytes, part_at(2 * i + part), big);
        }
    }
}

static void npy_of_every_type(void **state)
{
    static const char *const types[] = {"<c8", ">c8", "<c16", ">c16"};
    static struct bytes bytes;
    (void)state;
    for (size_t t = 0; t < 4; t++) {
        for (int fortran = 0; fortran <= 1; fortran++) {
            char header[160];
            snprintf(header, sizeof header,
                     "{'descr': '%s', 'fortran_order': %s, 'shape': (2, 3), }\n", types[t],
                     fortran ? "True" : "False");
            bytes.size = 0;
            add_npy_header(&bytes, 1, header);
            add_values(&bytes, t >= 2, t % 2, fortran);
            save(path_to("k.npy"), &bytes);
            struct wp_complex_array *array = wp_complex_read(path_to("k.npy"));
            assert_non_null(array);
            assert_array(array, 3, 2, 1, 1);
            wp_complex_destroy(&array);
        }
    }
}

// Fortran order with all four axes.
static void npy_of_fortran(void **state)
{
    static struct bytes bytes;
    enum { X = 5, Y = 4, Z = 3, COILS = 2 };
    (void)state;
    bytes.size = 0;
    add_npy_header(&bytes, 2, "{'descr': '<c8', 'fortran_order': True, 'shape': (2, 3, 4, 5)}");
    for (size_t x = 0; x < X; x++)
        for (size_t y = 0; y < Y; y++)
            for (size_t z = 0; z < Z; z++)
                for (size_t c = 0; c < COILS; c++)
                    for (size_t part = 0; part < 2; part++)
                        add_float(&bytes, part_at(2 * (((c * Z + z) * Y + y) * X + x) + part),
                                  false);
    save(path_to("k.npy"), &bytes);
    struct wp_complex_array *array = wp_complex_read(path_to("k.npy"));
    assert_non_null(array);
    assert_array(array, X, Y, Z, COILS);
    wp_complex_destroy(&array);
}

static void expect_rejection(const char *name, const char *text)
{
    forget_errors();
    assert_null(wp_complex_read(path_to(name)));
    assert_error(WP_ERROR_FILE, text);
}

static void inconsistent_npy(void **state)
{
    static const struct {
        const char *type, *shape, *text;
    } cases[] = {
        {"<c8", "(2, 2)", "48 bytes of samples, but the header requires 32"},
        {"<c8", "(4, 3)", "48 bytes of samples, but the header requires 96"},
        {"<c8", "(0, 3)", "the array is empty (axis 0 has length 0)"},
        {"<c8", "(100000, 100000, 100000, 100000)", "the array is too large for the address space"},
        {"<c8", "(999999999999999999, 9)", "the array is too large for the address space"},
        {"<c8", "(100000, 100000, 100000)", "but the header requires 8000000000000000"},
        {"<c8", "(6,)", "an array of 1 axis\nhint: the shape must be (height, width), (d"},
        {"<c8", "(1, 1, 1, 2, 3)", "an array of 5 axes\nhint: the shape must be (height, width), (d"},
        {"<f4", "(4, 3)", "real numbers instead of complex ones\nhint: save it as complex64"},
        {"<m8", "(2, 3)", "not supported (NPY of type '<m8')"},
    };
    static struct bytes bytes;
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char header[160];
        snprintf(header, sizeof header, "{'descr': '%s', 'fortran_order': False, 'shape': %s, }",
                 cases[i].type, cases[i].shape);
        bytes.size = 0;
        add_npy_header(&bytes, 1, header);
        add_values(&bytes, false, false, false);
        save(path_to("k.npy"), &bytes);
        expect_rejection("k.npy", cases[i].text);
    }
    expect_rejection("none.npy", "none.npy: no such file");
    bytes.size = 0;
    add_text(&bytes, "\x89PNG and more");
    save(path_to("k.npy"), &bytes);
    expect_rejection("k.npy", "k.npy: not an NPY file");
}

// A valid sparse file whose samples are zeros.
static void width_too_large(void **state)
{
    static struct bytes bytes;
    char header[160];
    (void)state;
    const int width = WP_COMPLEX_MAX_SIDE + 1;
    snprintf(header, sizeof header, "{'descr': '<c8', 'fortran_order': False, 'shape': (%d, 1), }",
             width);
    bytes.size = 0;
    add_npy_header(&bytes, 1, header);
    save(path_to("k.npy"), &bytes);
    assert_int_equal(truncate(path_to("k.npy"), (off_t)bytes.size + 8 * width), 0);
    expect_rejection("k.npy", "k.npy: too large (a side of 131073; the limit is 131072)");
}

// Files of all lengths except the correct one.
static void truncated_files(void **state)
{
    static struct bytes file;
    (void)state;
    struct wp_complex_array *array = make(3, 2, 1, 1);
    assert_true(wp_complex_write(path_to("k.npy"), array));
    assert_true(wp_complex_write(path_to("c.cfl"), array));
    wp_complex_destroy(&array);
    static const char *const names[] = {"k.npy", "c.cfl"};
    for (int n = 0; n < 2; n++) {
        load(path_to(names[n]), &file);
        const size_t size = file.size;
        file.data[size] = 0;
        for (file.size = 0; file.size <= size + 1; file.size++) {
            if (file.size == size)
                continue;
            save(path_to(names[n]), &file);
            expect_rejection(names[n], names[n]);
        }
    }
}

static void cfl_headers(void **state)
{
    static const struct {
        const char *text, *error;
    } cases[] = {
        {"", "c.hdr: not a header of BART (no '# Dimensions')"},
        {"# Dimensions", "c.hdr: not a header of BART"},
        {"3 2 1\n", "c.hdr: not a header of BART"},
        {"# Dimensions\nthree 2\n", "c.hdr: damaged dimensions"},
        {"# Dimensions\n3 -2\n", "c.hdr: damaged dimensions"},
        {"# Dimensions\n3 0\n", "c.hdr: damaged dimensions"},
        {"# Dimensions\n3 2 999999999\n", "c.hdr: damaged dimensions"},
        {"# Dimensions\n3 1 1 1 2\n", "c.hdr: dimension 4 has length 2\nhint: only x, y, z and coils"},
        {"# Dimensions\n3 1\n", "c.cfl: 48 bytes, but the header requires 24"},
        {"# Dimensions\n131072 131072 131072 131072\n", "48 bytes, but the header requires 8796"},
        {"# Dimensions\n3 2 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1\n", "c.hdr: damaged dimensions"},
    };
    static struct bytes bytes;
    (void)state;
    struct wp_complex_array *array = make(3, 2, 1, 1);
    assert_true(wp_complex_write(path_to("c.cfl"), array));
    wp_complex_destroy(&array);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        bytes.size = 0;
        add_text(&bytes, cases[i].text);
        save(path_to("c.hdr"), &bytes);
        expect_rejection("c.cfl", cases[i].error);
    }
    // A header of BART with additional lines.
    bytes.size = 0;
    add_text(&bytes, "# Dimensions\n3 2 1 1 1 1 1 1 1 1 1 1 1 1 1 1 \n# Command\nfft 3 a c\n");
    save(path_to("c.hdr"), &bytes);
    array = wp_complex_read(path_to("c.hdr"));
    assert_non_null(array);
    assert_array(array, 3, 2, 1, 1);
    wp_complex_destroy(&array);
    assert_int_equal(remove(path_to("c.cfl")), 0);
    expect_rejection("c.hdr", "c.cfl: no such file");
}

static void values_that_are_not_finite(void **state)
{
    (void)state;
    struct wp_complex_array *array = make(3, 2, 1, 1);
    ((float *)array->value)[5] = NAN;
    assert_true(wp_complex_write(path_to("k.npy"), array));
    expect_rejection("k.npy", "k.npy: 1 part of a value is not finite (NaN or infinite)");
    ((float *)array->value)[0] = INFINITY;
    assert_true(wp_complex_write(path_to("k.cfl"), array));
    expect_rejection("k.cfl", "2 parts of values are not finite");
    wp_complex_destroy(&array);
}

static void invalid_outputs(void **state)
{
    (void)state;
    struct wp_complex_array *array = make(3, 2, 1, 1);
    forget_errors();
    assert_false(wp_complex_write(path_to("k.png"), array));
    assert_error(WP_ERROR_FILE, "k.png (unknown suffix)\nhint: use .npy or .cfl");
    assert_false(wp_complex_write(path_to("none/k.npy"), array));
    assert_error(WP_ERROR_FILE, "cannot write");
    assert_false(wp_complex_write(path_to("none/k.cfl"), array));
    assert_error(WP_ERROR_FILE, "cannot write");
    if (access("/dev/full", W_OK) == 0) {
        assert_int_equal(symlink("/dev/full", path_to("full.npy")), 0);
        assert_false(wp_complex_write(path_to("full.npy"), array));
        assert_error(WP_ERROR_FILE, "full.npy (No space left on device)");
        assert_int_equal(symlink("/dev/full", path_to("full.cfl")), 0);
        assert_false(wp_complex_write(path_to("full.cfl"), array));
        assert_error(WP_ERROR_FILE, "full.cfl (No space left on device)");
    }
    wp_complex_destroy(&array);
    assert_int_equal(count_files(), 2);
}

static float complex value_at(int i)
{
    return part_at(2 * (size_t)i) + part_at(2 * (size_t)i + 1) * I;
}

static void center_is_half_of_each_size(void **state)
{
    static const int shapes[][3] = {{6, 4, 1}, {7, 5, 3}, {1, 9, 2}, {8, 1, 1}};
    (void)state;
    for (size_t s = 0; s < sizeof shapes / sizeof shapes[0]; s++) {
        const int *n = shapes[s];
        struct wp_complex_array *array = make(n[0], n[1], n[2], 2);
        wp_complex_centre(array);
        for (int i = 0; i < n[0] * n[1] * n[2] * 2; i++) {
            const int x = i % n[0], y = i / n[0] % n[1], z = i / n[0] / n[1] % n[2];
            const int coil = i / n[0] / n[1] / n[2];
            const int to = ((coil * n[2] + (z + n[2] / 2) % n[2]) * n[1] + (y + n[1] / 2) % n[1]) *
                               n[0] + (x + n[0] / 2) % n[0];
            // By definition: the image's origin at n/2 multiplies by the phase of a shift by n/2.
            const double cycles = (double)x * (n[0] / 2) / n[0] + (double)y * (n[1] / 2) / n[1] +
                                 (double)z * (n[2] / 2) / n[2];
            const double complex phase = cexp(2 * acos(-1) * cycles * I);
            const double complex expected = (double complex)value_at(i) * phase;
            assert_true(cabs((double complex)array->value[to] - expected) <= 1e-6 * cabs(expected));
        }
        wp_complex_uncentre(array);
        for (int i = 0; i < n[0] * n[1] * n[2] * 2; i++)
            assert_true(cabsf(array->value[i] - value_at(i)) <= 1e-6F * cabsf(value_at(i)));
        wp_complex_destroy(&array);
    }
}

// ---- Masks ----------------------------------------------------------------------------------

static const int plane[3] = {192, 224, 1}, volume[3] = {64, 128, 96};

static struct wp_mask *make_mask(enum wp_mask_kind kind, const int size[3], double rate, int seed)
{
    struct wp_mask *mask = wp_mask_create(kind, size, rate, (unsigned long long)seed);
    assert_non_null(mask);
    return mask;
}

static size_t samples_of(const struct wp_mask *mask)
{
    return (size_t)mask->size[0] * (size_t)mask->size[1] * (size_t)mask->size[2];
}

static bool are_equal(const struct wp_mask *a, const struct wp_mask *b)
{
    return memcmp(a->size, b->size, sizeof a->size) == 0 &&
           memcmp(a->sampled, b->sampled, samples_of(a)) == 0;
}

static void rates_are_reached(void **state)
{
    static const double rates[] = {1, 1.5, 2, 4, 5.3, 8, 12};
    (void)state;
    for (int kind = 0; kind < WP_MASK_KIND_COUNT; kind++) {
        for (size_t i = 0; i < sizeof rates / sizeof rates[0]; i++) {
            for (int three = 0; three <= 1; three++) {
                struct wp_mask *mask =
                    make_mask((enum wp_mask_kind)kind, three ? volume : plane, rates[i], 3);
                // Masks of lines have complete lines: tolerate half a line.
                const double tolerance = kind == WP_MASK_LINES ? 0.01 + 0.5 * rates[i] / 128 : 0.01;
                if (!(fabs(wp_mask_rate(mask) / rates[i] - 1) <= tolerance))
                    fail_msg("%s, rate %g: %g", wp_mask_kind_names[kind], rates[i],
                             wp_mask_rate(mask));
                assert_int_equal(mask->sampled[0], 1);
                wp_mask_destroy(&mask);
            }
        }
    }
}

static unsigned long long hash(const struct wp_mask *mask)
{
    unsigned long long value = 0xcbf29ce484222325U;
    for (size_t i = 0; i < samples_of(mask); i++)
        value = (value ^ mask->sampled[i]) * 0x100000001b3U;
    return value;
}

// Reference hashes of the first machine, so that masks are the same on all machines.
static void seeds_decide(void **state)
{
    static const unsigned long long expected[WP_MASK_KIND_COUNT] = {
        [WP_MASK_DENSITY] = 0xcc6f710c287c1e61U,
        [WP_MASK_LINES] = 0x9d3b32490992d25U,
        [WP_MASK_RADIAL] = 0x618690c4a6347541U,
        [WP_MASK_POISSON] = 0x895bbe66a3cf1637U,
    };
    bool same = true;
    (void)state;
    for (int kind = 0; kind < WP_MASK_KIND_COUNT; kind++) {
        struct wp_mask *a = make_mask((enum wp_mask_kind)kind, plane, 4, 7);
        struct wp_mask *b = make_mask((enum wp_mask_kind)kind, plane, 4, 7);
        struct wp_mask *c = make_mask((enum wp_mask_kind)kind, plane, 4, 8);
        assert_true(are_equal(a, b));
        assert_false(are_equal(a, c));
        if (hash(a) != expected[kind])
            print_error("%s: 0x%llx\n", wp_mask_kind_names[kind], hash(a));
        same = same && hash(a) == expected[kind];
        wp_mask_destroy(&a);
        wp_mask_destroy(&b);
        wp_mask_destroy(&c);
    }
    assert_true(same);
}

static void readouts_are_complete(void **state)
{
    (void)state;
    for (int kind = 0; kind < WP_MASK_KIND_COUNT; kind++) {
        struct wp_mask *mask = make_mask((enum wp_mask_kind)kind, volume, 6, 1);
        const size_t width = (size_t)volume[0];
        for (size_t i = 0; i < samples_of(mask); i++)
            assert_int_equal(mask->sampled[i], mask->sampled[i / width * width]);
        wp_mask_destroy(&mask);
    }
    struct wp_mask *mask = make_mask(WP_MASK_LINES, plane, 6, 1);
    for (size_t i = 0; i < samples_of(mask); i++)
        assert_int_equal(mask->sampled[i], mask->sampled[i / 192 * 192]);
    wp_mask_destroy(&mask);
}

static double radius_at(const int size[3], size_t i)
{
    const int x = (int)(i % (size_t)size[0]), y = (int)(i / (size_t)size[0]);
    const double kx = fmin(x, size[0] - x) / (size[0] / 2.0);
    const double ky = fmin(y, size[1] - y) / (size[1] / 2.0);
    return sqrt(kx * kx + ky * ky) / sqrt(2);
}

// The core is fully sampled. Outside of it the density is s (1 - r)^p, where p is 2 at rate 4 and 3
// at rate 8; checked in rings over many seeds, with s estimated from all samples.
static void density_falls_as_it_should(void **state)
{
    enum { RINGS = 10, SEEDS = 20 };
    (void)state;
    for (int power = 2; power <= 3; power++) {
        double expected[RINGS] = {0}, sampled[RINGS] = {0}, all[RINGS] = {0};
        double sum = 0, weights = 0;
        for (int seed = 0; seed < SEEDS; seed++) {
            struct wp_mask *mask = make_mask(WP_MASK_DENSITY, plane, power == 2 ? 4 : 8, seed);
            for (size_t i = 0; i < samples_of(mask); i++) {
                const double r = radius_at(plane, i), density = pow(1 - r, power);
                if (r < 0.06) {
                    assert_int_equal(mask->sampled[i], 1);
                    continue;
                }
                const int ring = (int)fmin(r * RINGS, RINGS - 1); // the corner has r = 1
                expected[ring] += density;
                sampled[ring] += mask->sampled[i];
                all[ring]++;
                // The probability is certainly below 1 there.
                if (r > 0.4) {
                    sum += mask->sampled[i];
                    weights += density;
                }
            }
            wp_mask_destroy(&mask);
        }
        const double s = sum / weights;
        for (int ring = 4; ring < RINGS; ring++) {
            const double mean = s * expected[ring];
            assert_true(fabs(sampled[ring] - mean) < 5 * sqrt(mean) + 1);
        }
        assert_true(sampled[0] / all[0] > sampled[1] / all[1]);
        assert_true(sampled[1] / all[1] > sampled[4] / all[4]);
    }
}

// Adjacent samples do not occur at low densities, in contrast to random masks.
static void discs_do_not_touch(void **state)
{
    (void)state;
    int touching[2] = {0};
    for (int i = 0; i < 2; i++) {
        struct wp_mask *mask = make_mask(i ? WP_MASK_DENSITY : WP_MASK_POISSON, plane, 8, 5);
        for (size_t at = 0; at + 1 < samples_of(mask); at++)
            if (radius_at(plane, at) > 0.5)
                touching[i] += mask->sampled[at] & mask->sampled[at + 1];
        wp_mask_destroy(&mask);
    }
    assert_int_equal(touching[0], 0);
    assert_true(touching[1] > 20);
}

static void invalid_rates(void **state)
{
    static const double rates[] = {0.5, 0, -3, NAN, INFINITY, 225};
    (void)state;
    for (size_t i = 0; i < sizeof rates / sizeof rates[0]; i++) {
        forget_errors();
        assert_null(wp_mask_create(WP_MASK_LINES, plane, rates[i], 0));
        assert_error(WP_ERROR_USAGE, "(1 to 224, for 224x1 phase encodes)");
    }
}

static void mask_files_round_trip(void **state)
{
    (void)state;
    static const int odd[3] = {5, 7, 3};
    for (int centered = 0; centered <= 1; centered++) {
        struct wp_mask *a = make_mask(WP_MASK_RADIAL, odd, 2, 1);
        assert_true(wp_mask_write(path_to("m.npy"), a, centered));
        struct wp_mask *b = wp_mask_read(path_to("m.npy"), odd, centered);
        assert_non_null(b);
        assert_true(are_equal(a, b));
        wp_mask_destroy(&b);
        // Without the axis x: 21 bytes after the header.
        static struct bytes bytes;
        load(path_to("m.npy"), &bytes);
        assert_int_equal(bytes.size, 128 + 21);
        assert_int_equal(bytes.data[128 + (centered ? 10 : 0)], 1);
        // The file has axis x, since the mask depends on x.
        a->sampled[4] ^= 1;
        assert_true(wp_mask_write(path_to("m.npy"), a, centered));
        b = wp_mask_read(path_to("m.npy"), odd, centered);
        assert_non_null(b);
        assert_true(are_equal(a, b));
        wp_mask_destroy(&a);
        wp_mask_destroy(&b);
    }
}

static void mask_files_of_others(void **state)
{
    static const int size[3] = {3, 2, 1}, deep[3] = {3, 2, 2};
    static const struct {
        const char *type, *shape, *bytes;
        int count;
        bool deep;
        const char *error; // NULL: valid
    } cases[] = {
        {"|b1", "(2, 3)", "\0\1\1\0\0\0", 6, false, NULL},
        {"|u1", "(1, 2, 3)", "\0\1\1\0\0\0", 6, false, NULL},
        {"|u1", "(2,)", "\1\0", 2, false, NULL},
        {"|u1", "(2, 2)", "\1\0\0\0", 4, true, NULL},
        {"<f4", "(2, 1)", "\0\0\x80\x3f\0\0\0\0", 8, false,
         "m.npy: a mask of 1x2, but the k-space has 3x2"},
        {"<f4", "(2,)", "\0\0\x80\x3f\0\0\0\0", 8, false, NULL},
        {"|u1", "(3, 2)", "\0\1\1\0\0\0", 6, false, "a mask of 2x3, but the k-space has 3x2"},
        {"|u1", "(2, 3)", "\0\1\1\0\0\0", 6, true, "a mask of 3x2, but the k-space has 3x2x2"},
        {"|u1", "(2, 3)", "\0\377\1\0\0\0", 6, false, "m.npy: a mask has only 0 and 1, not 255"},
        {"<f4", "(2,)", "\0\0\xc0\x7f\0\0\0\0", 8, false, "m.npy: a mask has only 0 and 1, not nan"},
        {"|u1", "(2, 3)", "\0\0\0\0\0\0", 6, false, "m.npy: all values of the mask are 0"},
        {"<c8", "(1,)", "\0\0\0\0\0\0\0\0", 8, false, "m.npy: a mask cannot have complex numbers"},
        {"|u1", "(2, 3)", "\0\1\1\0\0\0\0", 7, false, "7 bytes of samples"},
        {"|u1", "()", "\1", 1, false, "a mask of , but"},
    };
    static struct bytes bytes;
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char header[160];
        snprintf(header, sizeof header, "{'descr': '%s', 'fortran_order': False, 'shape': %s, }",
                 cases[i].type, cases[i].shape);
        bytes.size = 0;
        add_npy_header(&bytes, 1, header);
        add(&bytes, cases[i].bytes, (size_t)cases[i].count);
        save(path_to("m.npy"), &bytes);
        forget_errors();
        struct wp_mask *mask = wp_mask_read(path_to("m.npy"), cases[i].deep ? deep : size, false);
        if (cases[i].error) {
            assert_null(mask);
            assert_error(WP_ERROR_FILE, cases[i].error);
        } else {
            assert_non_null(mask);
            wp_mask_destroy(&mask);
        }
    }
}

static void masks_from_zeros(void **state)
{
    (void)state;
    struct wp_complex_array *array = make(4, 3, 2, 2);
    memset(array->value, 0, 48 * sizeof *array->value);
    array->value[5] = 1;
    array->value[24 + 7] = I;
    struct wp_mask *mask = wp_mask_of(array);
    assert_int_equal(wp_mask_count(mask), 2);
    assert_true(mask->sampled[5] && mask->sampled[7]);
    assert_near((float)wp_mask_rate(mask), 12, 1e-6);
    wp_mask_destroy(&mask);
    wp_complex_destroy(&array);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        IMAGE_TEST(files_round_trip),
        IMAGE_TEST(npy_of_every_type),
        IMAGE_TEST(npy_of_fortran),
        IMAGE_TEST(inconsistent_npy),
        IMAGE_TEST(width_too_large),
        IMAGE_TEST(truncated_files),
        IMAGE_TEST(cfl_headers),
        IMAGE_TEST(values_that_are_not_finite),
        IMAGE_TEST(invalid_outputs),
        cmocka_unit_test(center_is_half_of_each_size),
        cmocka_unit_test(rates_are_reached),
        cmocka_unit_test(seeds_decide),
        cmocka_unit_test(readouts_are_complete),
        cmocka_unit_test(density_falls_as_it_should),
        cmocka_unit_test(discs_do_not_touch),
        IMAGE_TEST(invalid_rates),
        IMAGE_TEST(mask_files_round_trip),
        IMAGE_TEST(mask_files_of_others),
        IMAGE_TEST(masks_from_zeros),
    };
    return cmocka_run_group_tests(tests, set_up_directory, remove_directory);
}
