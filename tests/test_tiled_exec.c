// Tiled execution gives the results of the complete transform, bit for bit if the backend stores
// floats between levels, for all sizes, borders, layouts and filter lengths.
//
//     test_tiled_exec [BACKEND]    default: cpu and reference; 77 if BACKEND is not available
#include "registry.h"
#include "elements.h"
#include "every_wavelet.h"
#include "log.h"
#include "sample.h"
#include "plan.h"
#include "tiled_exec.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { MOST = 300 * 300, PLANES = 2 };

static float image[PLANES * MOST], coefficients[PLANES * MOST], restored[PLANES * MOST],
    got[PLANES * MOST];

static float random_value(unsigned *seed)
{
    *seed = *seed * 1664525u + 1013904223u;
    return (float)(*seed >> 8) / (float)(1 << 24);
}

static const char *backends[] = {"cpu", "reference", NULL};

// Adds store_rect() to a backend that only has store().
static struct prepared {
    const struct wp_exec *exec;
    struct wp_description description;
} prepared[256];
static int prepared_count;
static const struct wp_backend *wrapped;

static struct wp_exec *prepare(struct wp_device *device, const struct wp_description *d,
                               const struct wp_variant *variant)
{
    assert_true(prepared_count < 256);
    struct prepared *m = &prepared[prepared_count++];
    m->exec = wrapped->prepare(device, d, variant);
    m->description = *d;
    return (struct wp_exec *)m->exec;
}

static void copy_within(const struct wp_operand *from, const struct wp_operand *to,
                        const int first[2], const int end[2])
{
    for (int y = first[1]; y < end[1]; y++)
        for (int x = first[0]; x < end[0]; x++)
            ((float *)to->data)[y * to->stride[1] + x * to->stride[0]] =
                ((const float *)from->data)[y * from->stride[1] + x * from->stride[0]];
}

static bool store_rect(struct wp_exec *exec, const struct wp_operand *to,
                         const struct wp_sample_rect *within)
{
    int i = prepared_count - 1;
    while (prepared[i].exec != exec)
        i--;
    struct wp_description d = prepared[i].description;
    const size_t floats = wp_description_samples(&d) * (size_t)wp_description_planes(&d);
    float *all = malloc(floats * sizeof *all);
    assert_non_null(all);
    const struct wp_operand operand = wp_operand_dense(&d, all);
    const bool ok = wrapped->store(exec, &operand);
    const int bands = d.direction == WP_INVERSE ? 1 : wp_subband_count(&d);
    for (int b = 0; b < bands; b++) {
        struct wp_description first = d, end = d;
        enum wp_band band = WP_BAND_LL;
        const int level = d.direction == WP_INVERSE ? 0 : wp_subband_at(&d, b, &band);
        for (int a = 0; a < 2; a++) {
            first.size[a] = within->from[a];
            end.size[a] = within->to[a];
        }
        const struct wp_band_grid f = wp_description_band(&first, level, band);
        const struct wp_band_grid e = wp_description_band(&end, level, band);
        for (int p = 0; p < wp_description_planes(&d); p++) {
            const struct wp_operand ours = wp_operand_band(&d, &operand, level, band, p);
            const struct wp_operand theirs = wp_operand_band(&d, to, level, band, p);
            copy_within(&ours, &theirs, level ? f.size : within->from, level ? e.size : within->to);
        }
    }
    free(all);
    return ok;
}

static void transform_complete(const struct wp_backend *backend, struct wp_device *device,
                               const struct wp_description *d, const float *from, float *to)
{
    const struct wp_execute exec = {.backend = backend, .device = device};
    const size_t plane = wp_description_samples(d);
    struct wp_description one = *d;
    one.planes = 0;
    for (int p = 0; p < wp_description_planes(d); p++)
        assert_true(wp_execute(&exec, &one, 1, (const float *[]){from + (size_t)p * plane},
                            (float *[]){to + (size_t)p * plane}));
}

static void check(const struct wp_backend *backend, struct wp_device *device,
                  const struct wp_description *d, const int tile[2], const float *from,
                  const float *expected)
{
    const size_t samples = wp_description_samples(d) * (size_t)wp_description_planes(d);
    struct wp_tiled_exec *tiled = wp_tiled_exec_prepare(backend, device, d, NULL, tile);
    assert_non_null(tiled);
    assert_non_null(wp_tiled_exec_tile_exec(tiled));
    // reference has double precision between levels; compilers of compute shaders contract products
    // differently near borders; CUDA has other kernels for large levels, whose compiler contracts
    // too.
    const bool is_exact =
        strcmp(backend->name, "cpu") == 0 || strcmp(backend->name, "fragment") == 0;
    // Twice, then in place.
    for (int i = 0; i < 3; i++) {
        struct wp_exec_seconds seconds = {0};
        for (size_t k = 0; k < samples; k++)
            got[k] = i == 2 ? from[k] : -7;
        const struct wp_operand in = wp_operand_const(d, i == 2 ? got : from);
        const struct wp_operand out = wp_operand_dense(d, got);
        assert_true(wp_tiled_exec_transform(tiled, &in, &out, &seconds));
        assert_true(seconds.run >= 0);
        for (size_t k = 0; k < samples; k++)
            if (is_exact ? memcmp(&got[k], &expected[k], sizeof *got) != 0
                         : !(fabsf(got[k] - expected[k]) <= 2e-6f))
                fail_msg(
                    "%s %s %dx%d, %d levels, %s, tiles of %dx%d, %s, %s: %g instead of %g at %zu",
                    backend->name, d->wavelet->name, d->size[WP_X], d->size[WP_Y], d->levels,
                    wp_border_names[d->border], tile[0], tile[1],
                    d->direction ? "inverse" : "forward", i == 2 ? "in place" : "out of place",
                    (double)got[k], (double)expected[k], k);
    }
    wp_tiled_exec_release(&tiled);
    assert_null(tiled);
}

// 16-bit coefficients equal rounded floats.
static void check_halves(const struct wp_backend *backend, struct wp_device *device,
                         struct wp_description d, const int tile[2], const float *from)
{
    static uint16_t halves[PLANES * MOST];
    const size_t samples = wp_description_samples(&d) * (size_t)wp_description_planes(&d);
    const bool forward = d.direction == WP_FORWARD;
    const struct wp_operand in = wp_operand_const(&d, from), out = wp_operand_dense(&d, restored);
    struct wp_operand typed = in;
    typed.data = halves;
    typed.type = WP_ELEMENT_F16;
    if (!forward)
        wp_element_rows.write[WP_ELEMENT_F16](halves, 1, from, (struct wp_element_scale){0},
                                              (int)samples);
    wp_element_rows.read[WP_ELEMENT_F16](restored, halves, 1, (struct wp_element_scale){0},
                                         (int)samples);
    struct wp_tiled_exec *tiled = wp_tiled_exec_prepare(backend, device, &d, NULL, tile);
    assert_non_null(tiled);
    const struct wp_operand floats = wp_operand_dense(&d, got);
    assert_true(wp_tiled_exec_transform(tiled, forward ? &in : &out, &floats, NULL));
    wp_tiled_exec_release(&tiled);
    d.coefficients = WP_ELEMENT_F16;
    tiled = wp_tiled_exec_prepare(backend, device, &d, NULL, tile);
    assert_non_null(tiled);
    assert_true(
        wp_tiled_exec_transform(tiled, forward ? &in : &typed, forward ? &typed : &out, NULL));
    wp_tiled_exec_release(&tiled);
    if (!forward) {
        assert_memory_equal(restored, got, samples * sizeof *got);
        return;
    }
    static uint16_t expected[PLANES * MOST];
    wp_element_rows.write[WP_ELEMENT_F16](expected, 1, got, (struct wp_element_scale){0},
                                          (int)samples);
    assert_memory_equal(halves, expected, samples * sizeof *halves);
}

// Checks both directions if tiles of this size are supported. Returns the number of cases.
static int check_both_directions(const struct wp_backend *backend, struct wp_device *device,
                                 struct wp_description d, const int tile[2])
{
    static int call;
    struct wp_backend copying = *backend;
    copying.transform = NULL; // as for a backend with device memory
    wrapped = backend;
    if (!backend->store_rect && call++ % 2) {
        copying.prepare = prepare;
        copying.store_rect = store_rect;
    }
    prepared_count = 0;
    d.direction = WP_FORWARD;
    if (!sample_has_case() || !wp_tiled_exec_supports(&copying, &d, tile))
        return 0;
    assert_false(backend->transform && wp_tiled_exec_supports(backend, &d, tile));
    transform_complete(backend, device, &d, image, coefficients);
    check(&copying, device, &d, tile, image, coefficients);
    prepared_count = 0;
    check_halves(&copying, device, d, tile, image);
    prepared_count = 0;
    d.direction = WP_INVERSE;
    transform_complete(backend, device, &d, coefficients, restored);
    check(&copying, device, &d, tile, coefficients, restored);
    check_halves(&copying, device, d, tile, coefficients);
    return 1;
}

// Pinned memory is transferred differently.
static void pin_all(const struct wp_backend_choice *on, bool pin)
{
    float *const memory[] = {image, coefficients, restored, got};
    for (size_t i = 0; i < sizeof memory / sizeof *memory; i++)
        if (pin)
            assert_true(on->backend->pin(on->device, memory[i], sizeof image));
        else
            on->backend->unpin(on->device, memory[i]);
}

static int every_size(const struct wp_backend_choice *on, const struct wp_wavelet *wavelet)
{
    static const int sizes[][2] = {{64, 64},   {65, 64},  {64, 97},   {101, 99},
                                   {256, 40},  {33, 300}, {300, 5},   {1, 290},
                                   {128, 192}, {130, 34}, {2128, 24}, {17, 2301}};
    static const int tiles[][2] = {{24, 24}, {31, 32},  {32, 32},     {48, 40},
                                   {64, 64}, {100, 24}, {1024, 1024}};
    int done = 0;
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++)
        for (size_t k = 0; k < sizeof tiles / sizeof *tiles; k++)
            for (int border = 0; border < WP_BORDER_NATIVE; border++) {
                struct wp_description d = {
                    .wavelet = wavelet,
                    .kind = &wp_scheme_kinds[WP_SCHEME_SEP_LIFTING],
                    .form = WP_FORM_PLAIN,
                    .border = (enum wp_border)border,
                    .layout = (s + k) % 2 ? WP_LAYOUT_MIXED : WP_LAYOUT_MALLAT,
                    .size = {sizes[s][0], sizes[s][1]},
                };
                const int most = wp_levels_most(d.size, d.border);
                d.levels = most < 5 ? most : 1 + (int)(s + k) % 5;
                if (d.levels > 0 && (d.border != WP_BORDER_SYMMETRIC ||
                                     wavelet->symmetry != WP_SYMMETRY_NONE))
                    done += check_both_directions(on->backend, on->device, d, tiles[k]);
            }
    return done;
}

static void test_sizes(void **state)
{
    (void)state;
    static struct wp_wavelet list[EVERY_WAVELET_MAX];
    const int count = every_wavelet(list);
    unsigned seed = 5;
    int done = 0;
    for (int i = 0; i < PLANES * MOST; i++)
        image[i] = random_value(&seed);
    for (int b = 0; backends[b]; b++) {
        struct wp_backend_choice on;
        assert_true(wp_backend_open(backends[b], WP_DEVICE_ANY, WP_IN_SOFTWARE_ANY, &on));
        for (int pinned = 0; pinned <= (on.backend->pin != NULL); pinned++) {
            if (pinned)
                pin_all(&on, true);
            for (int i = 0; i < count; i++)
                done += every_size(&on, &list[i]);
            if (pinned)
                pin_all(&on, false);
        }
        wp_backend_close(&on);
    }
    print_message("%d cases in tiles\n", done);
    sample_print();
    assert_true(done > 0);
}

// Sizes that need no tiles, and tiles that are too small.
static void test_supports(void **state)
{
    (void)state;
    struct wp_backend backend = *wp_backend_find("reference");
    struct wp_description d = {.wavelet = table_wavelet("cdf97"), .levels = 2, .size = {64, 48}};
    backend.transform = NULL;
    assert_true(wp_tiled_exec_supports(&backend, &d, (int[]){32, 32}));
    assert_true(wp_tiled_exec_supports(&backend, &d, (int[]){63, 63}));
    assert_false(wp_tiled_exec_supports(&backend, &d, (int[]){64, 48}));
    assert_false(wp_tiled_exec_supports(&backend, &d, (int[]){16, 48})); // the borders of two tiles
    d.levels = 0;
    assert_false(wp_tiled_exec_supports(&backend, &d, (int[]){32, 32}));
    d.levels = 2;
    d.size[WP_Z] = 3;
    assert_false(wp_tiled_exec_supports(&backend, &d, (int[]){32, 32}));
}

// The number of calls before one fails; several threads decrement it.
static atomic_int calls_left;

static bool can_call(void)
{
    return calls_left-- != 0;
}

static bool load_or_fail(struct wp_exec *exec, const struct wp_operand *from)
{
    return can_call() && wrapped->load(exec, from);
}

static bool run_or_fail(struct wp_exec *exec, double *seconds)
{
    return can_call() && wrapped->run(exec, seconds);
}

static bool store_or_fail(struct wp_exec *exec, const struct wp_operand *to)
{
    return can_call() && wrapped->store(exec, to);
}

// Lets each call for each tile fail, sequentially and overlapped.
static void test_failures(void **state)
{
    (void)state;
    struct wp_description d = {.wavelet = table_wavelet("cdf53"), .levels = 1, .size = {64, 48}};
    wrapped = wp_backend_find("reference");
    for (int overlaps = 0; overlaps < 2; overlaps++) {
        struct wp_backend failing = *wrapped;
        failing.transform = NULL;
        failing.load = load_or_fail;
        failing.run = run_or_fail;
        failing.store = store_or_fail;
        failing.overlaps = overlaps;
        const struct wp_operand in = wp_operand_const(&d, image), out = wp_operand_dense(&d, got);
        int calls = 1;
        for (int last = -1; last < calls; last++) {
            struct wp_exec_seconds seconds = {0};
            struct wp_tiled_exec *tiled =
                wp_tiled_exec_prepare(&failing, NULL, &d, NULL, (int[]){32, 32});
            assert_non_null(tiled);
            calls_left = last;
            assert_int_equal(wp_tiled_exec_transform(tiled, &in, &out, &seconds), last < 0);
            if (last < 0)
                calls = -1 - calls_left;
            wp_tiled_exec_release(&tiled);
        }
        print_message("each of %d calls failed once\n", calls);
        assert_true(calls >= 12); // at least four tiles
    }
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_sizes),
                                       cmocka_unit_test(test_supports),
                                       cmocka_unit_test(test_failures)};
    if (argc > 1) {
        struct wp_backend_choice on;
        backends[0] = argv[1];
        backends[1] = NULL;
        if (!wp_backend_open(argv[1], WP_DEVICE_ANY, WP_IN_SOFTWARE_ANY, &on)) {
            printf("skipped: %s\n", wp_last_error_text());
            return 77;
        }
        printf("%s\n", on.info.name);
        wp_backend_close(&on);
    }
    return cmocka_run_group_tests_name("tiled_exec", tests, NULL, NULL);
}
