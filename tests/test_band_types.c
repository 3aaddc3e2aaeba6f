// One array per subband, in every type of coefficients: forward they have the
// bits of the parts of one array of that type, and inverse they give the same
// samples. Bands have gaps between rows, or also between columns, and rows in
// the reverse order.
//
// Usage: test_band_types [BACKEND]
#include "log.h"
#include "wavepass.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

static const char *backend = "cpu";

static const struct wp_transform_params cases[] = {
    WP_TRANSFORM_PARAMS(.width = 37, .height = 22, .planes = 2, .levels = 2),
    WP_TRANSFORM_PARAMS(.width = 16, .height = 16, .planes = 40, .levels = 3, .wavelet = "db2",
                        .border = "periodic"),
    WP_TRANSFORM_PARAMS(.width = 300, .height = 1, .planes = 3, .levels = 2, .wavelet = "haar"),
    WP_TRANSFORM_PARAMS(.width = 24, .height = 20, .depth = 10, .levels = 2, .levels_z = 1),
    WP_TRANSFORM_PARAMS(.width = 21, .height = 18, .planes = 2, .levels = 2, .wavelet = "db3",
                        .border = "pywt-symmetric"),
    WP_TRANSFORM_PARAMS(.width = 12, .height = 9, .planes = 2, .batch = {3, 2}, .levels = 1),
};
enum { CASES = sizeof cases / sizeof *cases, BANDS_MAX = 32, DOUBLES = 1 << 16 };

static const struct {
    enum wp_element type;
    size_t bytes;
} types[] = {{WP_ELEMENT_F32, 4}, {WP_ELEMENT_F16, 2}, {WP_ELEMENT_BF16, 2}, {WP_ELEMENT_F64, 8}};

// How bands are stored: the distance of columns, further elements between rows,
// rows reversed.
static const struct {
    int column, gap;
    bool reversed;
} views[] = {{1, 0, false}, {1, 3, false}, {2, 1, false}, {1, 2, true}};

// Extents of planes and batch dimensions, at least 1, and their product.
static int extents_of(const struct wp_transform_params *params, int count[WP_DIMENSIONS - WP_PLANE])
{
    int total = 1;
    for (int i = 0; i < WP_DIMENSIONS - WP_PLANE; i++) {
        const int extent = i ? params->batch[i - 1] : params->planes;
        count[i] = extent > 1 ? extent : 1;
        total *= count[i];
    }
    return total;
}

// A band in memory from `at` on, in elements, which is advanced behind it.
static struct wp_operand make_view(const struct wp_transform_params *params,
                                   const struct wp_band_info *info, int v, int t, char *memory,
                                   ptrdiff_t *at)
{
    int count[WP_DIMENSIONS - WP_PLANE];
    struct wp_operand view = {.type = types[t].type};
    extents_of(params, count);
    const ptrdiff_t row = (ptrdiff_t)info->width * views[v].column + views[v].gap;
    view.stride[0] = views[v].column;
    view.stride[1] = views[v].reversed ? -row : row;
    view.stride[2] = row * info->height;
    view.data = memory + (*at + (views[v].reversed ? row * (info->height - 1) : 0)) *
                             (ptrdiff_t)types[t].bytes;
    ptrdiff_t size = view.stride[2] * info->depth;
    for (int i = 0; i < WP_DIMENSIONS - WP_PLANE; i++) {
        view.stride[WP_PLANE + i] = size;
        size *= count[i];
    }
    *at += size;
    return view;
}

// Compares the bits of a band with those of the part of the array of all
// coefficients, whose planes are `plane` elements apart.
static void compare_band(const struct wp_transform_params *params, const struct wp_band_info *info,
                         const struct wp_operand *view, int t, const char *all, ptrdiff_t plane)
{
    int count[WP_DIMENSIONS - WP_PLANE];
    const int total = extents_of(params, count);
    for (int p = 0; p < total; p++)
        for (int i = 0; i < info->width * info->height * info->depth; i++) {
            const int x = i % info->width, y = i / info->width % info->height,
                      z = i / info->width / info->height;
            const ptrdiff_t from = info->offset + x * info->stride[0] + y * info->stride[1] +
                                   z * info->stride[2] + p * plane;
            // Planes and batch dimensions have no gaps between them.
            const ptrdiff_t to = x * view->stride[0] + y * view->stride[1] + z * view->stride[2] +
                                 p * view->stride[WP_PLANE];
            assert_memory_equal((const char *)view->data + to * (ptrdiff_t)types[t].bytes,
                                all + from * (ptrdiff_t)types[t].bytes, types[t].bytes);
        }
}

// The elements of a plane of coefficients: those of the bands, or the image
// without more of them.
static ptrdiff_t plane_of(const struct wp_transform *t, const struct wp_transform_params *params)
{
    ptrdiff_t end =
        (ptrdiff_t)params->width * params->height * (params->depth > 1 ? params->depth : 1);
    for (int b = 0; b < wp_transform_band_count(t); b++) {
        struct wp_band_info info;
        wp_transform_get_band(t, b, &info);
        if (!info.width || !info.height || !info.depth)
            continue;
        // The last band ends the array.
        const ptrdiff_t last = info.offset + (info.width - 1) * info.stride[0] +
                               (info.height - 1) * info.stride[1] +
                               (info.depth - 1) * info.stride[2] + 1;
        end = last > end ? last : end;
    }
    return end;
}

static void check(const struct wp_transform_params *given, int v, int t)
{
    static double in[DOUBLES], all[DOUBLES], back[2][DOUBLES], memory[3 * DOUBLES];
    struct wp_transform_params params = *given;
    struct wp_operand view[BANDS_MAX] = {{.data = NULL}};
    uint32_t random = 7;
    params.backend = backend;
    struct wp_transform *transform = wp_transform_create(&params);
    assert_non_null(transform);
    const int bands = wp_transform_band_count(transform);
    assert_true(bands <= BANDS_MAX);
    for (int i = 0; i < DOUBLES; i++)
        ((float *)in)[i] = (float)((random = random * 1664525 + 1013904223) >> 8) / (1 << 24);
    memset(all, 0, sizeof all);
    memset(memory, 0x5a, sizeof memory);
    memset(back, 0, sizeof back);
    ptrdiff_t at = 0;
    for (int b = 0; b < bands; b++) {
        struct wp_band_info info;
        wp_transform_get_band(transform, b, &info);
        if (info.width && info.height && info.depth)
            view[b] = make_view(&params, &info, v, t, (char *)memory, &at);
    }
    assert_true((size_t)at * types[t].bytes <= sizeof memory);
    const struct wp_operand image = {.data = in}, whole = {.data = all, .type = types[t].type},
                            separate = {.band = view, .bands = bands};
    assert_true(wp_transform_forward(transform, &image, &whole));
    assert_true(wp_transform_forward(transform, &image, &separate));
    for (int b = 0; b < bands; b++) {
        struct wp_band_info info;
        wp_transform_get_band(transform, b, &info);
        compare_band(&params, &info, &view[b], t, (const char *)all, plane_of(transform, &params));
    }
    assert_true(wp_transform_inverse(transform, &whole, WP_ARRAY(back[0])));
    assert_true(wp_transform_inverse(transform, &separate, WP_ARRAY(back[1])));
    assert_memory_equal(back[0], back[1], sizeof back[0]);
    assert_true(((float *)back[0])[1] != 0);
    wp_transform_destroy(&transform);
}

static void test_bands(void **state)
{
    (void)state;
    for (int c = 0; c < CASES; c++)
        for (int v = 0; v < (int)(sizeof views / sizeof *views); v++)
            for (int t = 0; t < (int)(sizeof types / sizeof *types); t++)
                check(&cases[c], v, t);
}

// Bands have one type, which coefficients may have.
static void test_rejected(void **state)
{
    (void)state;
    static const struct {
        enum wp_element low, others;
        bool reversible;
        const char *text;
    } wrong[] = {
        {WP_ELEMENT_F16, WP_ELEMENT_BF16, false, "of the types f16 and bf16"},
        {WP_ELEMENT_U8, WP_ELEMENT_U8, false, "not floats"},
        {WP_ELEMENT_F16, WP_ELEMENT_F16, true, "reversible"},
    };
    static double in[64], memory[4][64];
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        const struct wp_transform_params params =
            WP_TRANSFORM_PARAMS(.width = 8, .height = 8, .levels = 1, .backend = backend,
                                .wavelet = "cdf53", .reversible = wrong[i].reversible);
        struct wp_transform *t = wp_transform_create(&params);
        struct wp_operand view[4];
        assert_non_null(t);
        for (int b = 0; b < 4; b++)
            view[b] =
                (struct wp_operand){.data = memory[b], .type = b ? wrong[i].others : wrong[i].low};
        wp_begin_attempt();
        assert_false(
            wp_transform_forward(t, WP_ARRAY(in), &(struct wp_operand){.band = view, .bands = 4}));
        if (!strstr(wp_last_error_text(), wrong[i].text))
            fail_msg("'%s' does not contain '%s'", wp_last_error_text(), wrong[i].text);
        wp_end_attempt();
        wp_transform_destroy(&t);
    }
}

static void ignore_message(void *user, enum wp_log_level level, const char *message)
{
    (void)user, (void)level, (void)message;
}

int main(int argc, char **argv)
{
    backend = argc > 1 ? argv[1] : backend;
    wp_log_set_handler(ignore_message, NULL);
    struct wp_transform *t = wp_transform_create(
        &(const struct wp_transform_params)WP_TRANSFORM_PARAMS(.width = 2, .height = 2,
                                                               .backend = backend));
    if (!t) {
        printf("%s\n", wp_last_error_text());
        return wp_last_error() != WP_ERROR_UNAVAILABLE;
    }
    wp_transform_destroy(&t);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_bands),
        cmocka_unit_test(test_rejected),
    };
    return cmocka_run_group_tests_name(backend, tests, NULL, NULL);
}
