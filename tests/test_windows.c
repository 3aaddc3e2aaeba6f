// Levels that go through a backend in windows: what the whole gives, bit for bit where that is kept in
// floats between levels, whatever the sizes, borders, layouts and reaches.
#include "cpu_backend.h"
#include "every_wavelet.h"
#include "log.h"
#include "reference.h"
#include "sample.h"
#include "windows.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { MOST = 300 * 300, PLANES = 2 };

static float image[PLANES * MOST], whole[PLANES * MOST], back[PLANES * MOST], got[PLANES * MOST];

static float random_value(unsigned *seed)
{
    *seed = *seed * 1664525u + 1013904223u;
    return (float)(*seed >> 8) / (float)(1 << 24);
}

static struct wp_device *open_device(const struct wp_backend *backend)
{
    char reason[256];
    struct wp_device *device = backend->open(-1, false, reason, sizeof reason);
    assert_non_null(device);
    return device;
}

static void transform_whole(const struct wp_backend *backend, struct wp_device *device,
                            const struct wp_description *d, const float *from, float *to)
{
    const struct wp_once once = {.backend = backend, .device = device};
    const size_t plane = wp_description_samples(d);
    struct wp_description one = *d;
    one.planes = 0;
    for (int p = 0; p < wp_description_planes(d); p++)
        assert_true(wp_once(&once, &one, 1, (const float *[]){from + (size_t)p * plane},
                            (float *[]){to + (size_t)p * plane}));
}

static void check(const struct wp_backend *backend, struct wp_device *device,
                  const struct wp_description *d, int side, const float *from,
                  const float *expected)
{
    const size_t samples = wp_description_samples(d) * (size_t)wp_description_planes(d);
    struct wp_windows *w = wp_windows_prepare(backend, device, d, NULL, side);
    assert_non_null(w);
    assert_non_null(wp_windows_exec(w));
    // The reference has what is between levels in double precision.
    const bool is_exact = strcmp(backend->name, "reference") != 0;
    // Twice, then in place.
    for (int i = 0; i < 3; i++) {
        struct wp_exec_seconds seconds = {0};
        for (size_t k = 0; k < samples; k++)
            got[k] = i == 2 ? from[k] : -7;
        const struct wp_place in = wp_place_const(d, i == 2 ? got : from);
        const struct wp_place out = wp_place_dense(d, got);
        assert_true(wp_windows_transform(w, &in, &out, &seconds));
        assert_true(seconds.run >= 0);
        for (size_t k = 0; k < samples; k++)
            if (is_exact ? memcmp(&got[k], &expected[k], sizeof *got) != 0
                         : !(fabsf(got[k] - expected[k]) <= 2e-6f))
                fail_msg("%s %s %dx%d, %d levels, %s, windows of %d, %s, %s: %g instead of %g at %zu",
                         backend->name, d->wavelet->name, d->size[WP_X], d->size[WP_Y], d->levels,
                         wp_border_names[d->border], side, d->direction ? "inverse" : "forward",
                         i == 2 ? "in place" : "elsewhere", (double)got[k], (double)expected[k], k);
    }
    wp_windows_release(&w);
    assert_null(w);
}

// Both directions, of as many windows as that side makes.
static int both_ways(const struct wp_backend *backend, struct wp_device *device,
                     struct wp_description d, int side)
{
    struct wp_backend of_its_own = *backend;
    of_its_own.transform = NULL; // as those that have memory of their own
    d.direction = WP_FORWARD;
    if (!sample_takes() || !wp_windows_can(&of_its_own, &d, side))
        return 0;
    assert_false(backend->transform && wp_windows_can(backend, &d, side));
    transform_whole(backend, device, &d, image, whole);
    check(&of_its_own, device, &d, side, image, whole);
    d.direction = WP_INVERSE;
    transform_whole(backend, device, &d, whole, back);
    check(&of_its_own, device, &d, side, whole, back);
    return 1;
}

static void test_sizes(void **state)
{
    (void)state;
    static const int sizes[][2] = {{64, 64}, {65, 64}, {64, 97}, {101, 99}, {256, 40}, {33, 300},
                                   {300, 5}, {1, 290}, {128, 192}, {130, 34}};
    static const int sides[] = {24, 31, 32, 48, 64, 100};
    static struct wp_wavelet list[EVERY_WAVELET_MAX];
    const struct wp_backend *backends[] = {&wp_backend_cpu, &wp_backend_reference};
    const int count = every_wavelet(list);
    unsigned seed = 5;
    int done = 0;
    for (int i = 0; i < PLANES * MOST; i++)
        image[i] = random_value(&seed);
    for (size_t b = 0; b < sizeof backends / sizeof *backends; b++) {
        struct wp_device *device = open_device(backends[b]);
        for (int i = 0; i < count; i++)
            for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++)
                for (size_t k = 0; k < sizeof sides / sizeof *sides; k++)
                    for (int border = 0; border < WP_BORDER_COUNT; border++) {
                        struct wp_description d = {
                            .wavelet = &list[i],
                            .kind = &wp_scheme_kinds[WP_SCHEME_SEP_LIFTING],
                            .form = WP_FORM_PLAIN,
                            .border = (enum wp_border)border,
                            .layout = (s + k) % 2 ? WP_LAYOUT_MIXED : WP_LAYOUT_MALLAT,
                            .size = {sizes[s][0], sizes[s][1]},
                        };
                        const int most = wp_levels_most(d.size, d.border);
                        d.levels = most < 3 ? most : 1 + (int)(s + k) % 3;
                        if (d.levels == 0 || (d.border == WP_BORDER_SYMMETRIC &&
                                              list[i].symmetry == WP_SYMMETRY_NONE))
                            continue;
                        done += both_ways(backends[b], device, d, sides[k]);
                    }
        backends[b]->close(device);
    }
    print_message("%d cases in windows\n", done);
    sample_print();
    assert_true(done > 0);
}

// Where nothing is to be cut, or nothing can be.
static void test_can(void **state)
{
    (void)state;
    struct wp_backend backend = wp_backend_reference;
    struct wp_description d = {.wavelet = table_wavelet("cdf97"), .levels = 2, .size = {64, 48}};
    backend.transform = NULL;
    assert_true(wp_windows_can(&backend, &d, 32));
    assert_true(wp_windows_can(&backend, &d, 63));
    assert_false(wp_windows_can(&backend, &d, 64));
    assert_false(wp_windows_can(&backend, &d, 24)); // two windows' borders
    d.levels = 0;
    assert_false(wp_windows_can(&backend, &d, 32));
    d.levels = 2;
    d.size[WP_Z] = 3;
    assert_false(wp_windows_can(&backend, &d, 32));
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_sizes), cmocka_unit_test(test_can)};
    return cmocka_run_group_tests_name("windows", tests, NULL, NULL);
}
