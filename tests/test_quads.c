// Textures of quads: reading from and writing to them is equivalent to load and store on the
// compute backend.
#include "backend_gl.h"
#include "registry.h"
#include "compute.h"
#include "gl_device.h"
#include "texture.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

// An odd size, so that quads at the edges have samples outside it.
enum { WIDTH = 45, HEIGHT = 21, LEVELS = 3, SIZE = WIDTH * HEIGHT, MARGIN = 2 };

static const struct wp_backend *const backend = &wp_backend_compute;

static int quads_of(int samples)
{
    return (samples + 1) / 2;
}

// The view of component c of a level's quads; level 0 is the pixels.
static struct wp_band_view view_of(int level, int c)
{
    if (level > 0)
        return wp_band_view(WIDTH, HEIGHT, level, (enum wp_band)c, WP_LAYOUT_MALLAT);
    return (struct wp_band_view){(WIDTH + 1 - c % 2) / 2, (HEIGHT + 1 - c / 2) / 2,
                                 c % 2 + c / 2 * WIDTH, 2, 2 * WIDTH};
}

// A texture of the quads of a level, with `margin` other texels on the left and above.
static struct wp_texture make_texture(struct wp_gl *gl, int level, int margin, const float *plane)
{
    const int width = quads_of(wp_level_size(WIDTH, level ? level - 1 : 0)) + margin;
    const int height = quads_of(wp_level_size(HEIGHT, level ? level - 1 : 0)) + margin;
    struct wp_texture texture;
    assert_true(wp_texture_create(gl, width, height, &texture));
    float *texels = calloc((size_t)(width * height), 4 * sizeof *texels);
    assert_non_null(texels);
    for (int i = 0; i < 4 * width * height; i++)
        texels[i] = 1000;
    for (int c = 0; plane && c < WP_BAND_COUNT; c++) {
        const struct wp_band_view view = view_of(level, c);
        for (int i = 0; i < view.width * view.height; i++) {
            const int x = i % view.width, y = i / view.width;
            texels[4 * ((y + margin) * width + x + margin) + c] =
                plane[view.offset + x * view.step_x + y * view.step_y];
        }
    }
    wp_texture_write(&texture, 0, 0, width, height, texels);
    free(texels);
    return texture;
}

// Compares the components of the plane; components outside it must be zero.
static void check_texture(const struct wp_texture *texture, int level, const float *plane)
{
    const int width = texture->width, height = texture->height;
    float *texels = calloc((size_t)(width * height), 4 * sizeof *texels);
    assert_non_null(texels);
    wp_texture_read(texture, 0, 0, width, height, texels);
    for (int c = level > 0 && level < LEVELS ? WP_BAND_HL : WP_BAND_LL; c < WP_BAND_COUNT; c++) {
        const struct wp_band_view view = view_of(level, c);
        for (int i = 0; i < width * height; i++) {
            const int x = i % width, y = i / width;
            const bool inside = x < view.width && y < view.height;
            const float expected =
                inside ? plane[view.offset + x * view.step_x + y * view.step_y] : 0;
            if (texels[4 * i + c] != expected)
                fail_msg("level %d, component %d, quad (%d, %d): %g instead of %g", level, c, x, y,
                         (double)texels[4 * i + c], (double)expected);
        }
    }
    free(texels);
}

static struct wp_description describe(enum wp_direction direction)
{
    return (struct wp_description){
        .wavelet = wp_wavelet_table[0],
        .kind = &wp_scheme_kinds[WP_SCHEME_SEP_LIFTING],
        .form = WP_FORM_BLOCK,
        .direction = direction,
        .norm = WP_NORM_JPEG2000,
        .border = WP_BORDER_SYMMETRIC,
        .layout = WP_LAYOUT_MALLAT,
        .levels = LEVELS,
        .size = {WIDTH, HEIGHT},
    };
}

static struct wp_exec *prepare(struct wp_device *device, const struct wp_description *d)
{
    struct wp_exec *exec = backend->prepare(device, d, NULL);
    assert_non_null(exec);
    return exec;
}

static bool run_and_store(struct wp_exec *exec, const struct wp_description *d, float out[SIZE])
{
    const struct wp_operand to = wp_operand_dense(d, out);
    return backend->run(exec, NULL) && backend->store(exec, &to);
}

static void fill(float in[SIZE], int step)
{
    for (int i = 0; i < SIZE; i++)
        in[i] = (float)(i * step % 101) / 100;
}

// Checks that `out` is bit-identical to the transform of `in` with load and store. Releases the
// exec.
static void check_and_end(struct wp_exec *exec, const struct wp_description *d,
                          const float in[SIZE], const float out[SIZE])
{
    float expected[SIZE];
    const struct wp_operand from = wp_operand_const(d, in);
    assert_true(backend->load(exec, &from) && run_and_store(exec, d, expected));
    assert_memory_equal(out, expected, sizeof expected);
    backend->release(exec);
}

static void test_forward(void **state)
{
    struct wp_device *device = *state;
    const struct wp_description d = describe(WP_FORWARD);
    struct wp_exec *exec = prepare(device, &d);
    float in[SIZE], out[SIZE];
    fill(in, 37);
    struct wp_texture pixels = make_texture(device->gl, 0, MARGIN, in);
    assert_true(backend->gl->read_quads(exec, 0, &pixels, MARGIN, MARGIN));
    assert_true(run_and_store(exec, &d, out));
    wp_texture_destroy(&pixels);
    for (int l = 1; l <= LEVELS; l++) {
        struct wp_texture level = make_texture(device->gl, l, 0, NULL);
        assert_true(backend->gl->write_quads(exec, l, &level));
        check_texture(&level, l, out);
        wp_texture_destroy(&level);
    }
    check_and_end(exec, &d, in, out);
}

static void test_inverse(void **state)
{
    struct wp_device *device = *state;
    const struct wp_description d = describe(WP_INVERSE);
    struct wp_exec *exec = prepare(device, &d);
    float in[SIZE], out[SIZE];
    fill(in, 53);
    for (int l = 1; l <= LEVELS; l++) {
        struct wp_texture level = make_texture(device->gl, l, MARGIN, in);
        assert_true(backend->gl->read_quads(exec, l, &level, MARGIN, MARGIN));
        wp_texture_destroy(&level);
    }
    assert_true(run_and_store(exec, &d, out));
    struct wp_texture pixels = make_texture(device->gl, 0, 0, NULL);
    assert_true(backend->gl->write_quads(exec, 0, &pixels));
    check_texture(&pixels, 0, out);
    wp_texture_destroy(&pixels);
    check_and_end(exec, &d, in, out);
}

// ---- Redundant banks: a texel has the bands of a sample.

enum { MOST = 1 << 14 }; // coefficients

static void check_elements(const struct wp_texture *texture, const struct wp_description *d,
                           int level, const float *coefficients)
{
    float texels[4 * SIZE];
    const ptrdiff_t row = wp_operand_coefficients(d, (float *)coefficients).stride[WP_Y];
    wp_texture_read(texture, 0, 0, WIDTH, HEIGHT, texels);
    for (int i = 0; i < wp_subband_count(d); i++) {
        enum wp_band band;
        if (wp_subband_at(d, i, &band) != level)
            continue;
        const struct wp_band_grid grid = wp_description_band(d, level, band);
        for (int p = 0; p < SIZE; p++)
            assert_true(texels[4 * p + (int)band] ==
                        coefficients[grid.first[WP_X] + p % WIDTH +
                                     (grid.first[WP_Y] + p / WIDTH) * row]);
    }
}

static void check_bank(struct wp_device *device, enum wp_bank bank)
{
    struct wp_description d = describe(WP_FORWARD);
    d.bank = bank;
    d.border = WP_BORDER_PERIODIC;
    d.kind = &wp_scheme_kinds[WP_SCHEME_SEP_CONVOLUTION];
    float in[SIZE], out[SIZE], expected[SIZE], coefficients[MOST];
    assert_true(wp_description_coefficients(&d) <= MOST);
    const struct wp_operand samples = wp_operand_const(&d, in);
    const struct wp_operand bands = wp_operand_coefficients(&d, coefficients);
    fill(in, 37);
    struct wp_exec *forward = prepare(device, &d);
    assert_true(backend->load(forward, &samples) && backend->run(forward, NULL) &&
                backend->store(forward, &bands));
    d.direction = WP_INVERSE;
    struct wp_exec *inverse = prepare(device, &d);
    assert_true(backend->load(inverse, &bands) && run_and_store(inverse, &d, expected));
    memset(out, 0, sizeof out);
    const struct wp_operand zeros = wp_operand_const(&d, out);
    assert_true(backend->load(forward, &zeros) && backend->run(forward, NULL));
    struct wp_texture pixels = make_texture(device->gl, 0, MARGIN, in), image;
    assert_true(backend->gl->read_quads(forward, 0, &pixels, MARGIN, MARGIN) &&
                backend->run(forward, NULL));
    for (int l = 1; l <= LEVELS; l++) {
        struct wp_texture level;
        assert_true(wp_texture_create(device->gl, WIDTH, HEIGHT, &level));
        assert_true(backend->gl->write_quads(forward, l, &level));
        check_elements(&level, &d, l, coefficients);
        assert_true(backend->gl->read_quads(inverse, l, &level, 0, 0));
        wp_texture_destroy(&level);
    }
    assert_true(backend->run(inverse, NULL));
    image = make_texture(device->gl, 0, 0, NULL);
    assert_true(backend->gl->write_quads(inverse, 0, &image));
    check_texture(&image, 0, expected);
    wp_texture_destroy(&image);
    wp_texture_destroy(&pixels);
    backend->release(forward);
    backend->release(inverse);
}

static void test_banks(void **state)
{
    check_bank(*state, WP_BANK_UNDECIMATED);
    check_bank(*state, WP_BANK_STARLET);
}

static int open_device(void **state)
{
    char reason[384];
    *state = backend->open(WP_DEVICE_ANY, true, reason, sizeof reason);
    if (*state)
        return 0;
    printf("no compute shaders: %s\n", reason);
    return 1;
}

static int close_device(void **state)
{
    backend->close(*state);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_forward),
        cmocka_unit_test(test_inverse),
        cmocka_unit_test(test_banks),
    };
    return cmocka_run_group_tests(tests, open_device, close_device);
}
