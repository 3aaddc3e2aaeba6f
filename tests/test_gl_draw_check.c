// Operation counts of OpenGL runs: numbers of fragments or invocations, as counted by the device,
// against those of the schedule; and the output of ceilings.
#include <GL/glew.h>

#include "backend_gl.h"
#include "compute.h"
#include "fragment.h"
#include "gl_device.h"
#include "surfaces.h"
#include "texture.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { WIDTH = 192, HEIGHT = 128, QUADS = WIDTH / 2 * HEIGHT / 2 };

static struct wp_gl *gl;
static struct wp_device *device; // shared by both backends

static int open_context(void **state)
{
    (void)state;
    char reason[512];
    gl = wp_gl_create(WP_GL_ANY, reason, sizeof reason);
    if (gl)
        device = wp_backend_fragment.gl->borrow(gl, reason, sizeof reason);
    if (!device)
        fprintf(stderr, "%s\n", reason);
    return device ? 0 : -1;
}

static int close_context(void **state)
{
    (void)state;
    wp_backend_fragment.close(device);
    wp_gl_destroy(&gl);
    return 0;
}

static bool counts_invocations(void)
{
    return wp_gl_get_info(gl)->max_invocations > 0 && GLEW_ARB_pipeline_statistics_query;
}

static GLuint begin_counter(GLenum event)
{
    GLuint query;
    glGenQueries(1, &query);
    glBeginQuery(event, query);
    return query;
}

static double end_counter(GLenum event, GLuint query)
{
    GLuint64 result = 0;
    glEndQuery(event);
    glGetQueryObjectui64v(query, GL_QUERY_RESULT, &result);
    glDeleteQueries(1, &query);
    return (double)result;
}

static struct wp_exec *prepare(const struct wp_backend *backend, const struct wp_wavelet *wavelet,
                               int scheme, enum wp_direction direction,
                               int levels, const char *variant)
{
    const struct wp_description d = {
        .wavelet = wavelet,
        .kind = &wp_scheme_kinds[scheme],
        .direction = direction,
        .levels = levels,
        .size = {WIDTH, HEIGHT, 1},
    };
    const struct wp_variant *v = backend->variants;
    while (variant && v->name && strcmp(v->name, variant) != 0)
        v++;
    struct wp_exec *exec = backend->prepare(device, &d, variant ? v : NULL);
    assert_non_null(exec);
    static float image[WIDTH * HEIGHT];
    const struct wp_operand from = wp_operand_const(&d, image);
    assert_true(backend->load(exec, &from));
    return exec;
}

// Counts events of a number of runs that are submitted together.
static double count_runs(const struct wp_backend *backend, struct wp_exec *exec, GLenum event,
                         int runs)
{
    struct wp_exec *const all[] = {exec, exec};
    const GLuint query = begin_counter(event);
    assert_true(backend->bench->run_all(all, runs, &(double){0}));
    return end_counter(event, query);
}

// Each pass writes the quads of its level and the margin that later passes read, once. So the
// number of fragments equals the cost of the schedule. Each scheme needs at least 3/4 of the quads
// of each level and the quads of the image.
static void passes_draw_the_planned_fragments(void **state)
{
    (void)state;
    static const char *const names[] = {"haar", "cdf53"};
    for (size_t w = 0; w < sizeof names / sizeof *names; w++)
        for (int scheme = 0; scheme < WP_SCHEME_KINDS; scheme++)
            for (int k = 0; k < 4; k++) {
                struct wp_wavelet wavelet;
                assert_true(wp_wavelet_find(names[w], &wavelet));
                const struct wp_backend *backend = &wp_backend_fragment;
                const int levels = 1 + k / 2;
                struct wp_exec *exec = prepare(backend, &wavelet, scheme,
                                               (enum wp_direction)(k % 2), levels, "passes");
                const struct wp_schedule *schedule;
                assert_non_null(backend->gl->surfaces(exec, &schedule));
                const double drawn = count_runs(backend, exec, GL_SAMPLES_PASSED, 1);
                const double expected = backend->bench->cost(exec).fill;
                if (drawn != expected)
                    fail_msg("%s %s: %g fragments instead of %g", names[w],
                             wp_scheme_kinds[scheme].name, drawn, expected);
                assert_true(count_runs(backend, exec, GL_SAMPLES_PASSED, 2) == 2 * expected);
                // The margin is a few quads wide.
                const double minimum = QUADS * (levels == 1 ? 1 : 1.25) *
                                     schedule->scheme[WP_AXIS_BOTH]->pass_count;
                assert_true(expected >= minimum && expected <= 2.5 * minimum + 2 * QUADS);
                backend->release(exec);
            }
}

// Each fragment of a tile computes a block of 2 x 2 quads.
static void tiles_draw_a_level_once(void **state)
{
    (void)state;
    struct wp_wavelet wavelet;
    assert_true(wp_wavelet_find("cdf53", &wavelet));
    const struct wp_backend *backend = &wp_backend_fragment;
    for (int k = 0; k < 2; k++) {
        struct wp_exec *exec = prepare(backend, &wavelet, WP_SCHEME_SEP_LIFTING,
                                       (enum wp_direction)k, 1, "tile-2x2");
        const double drawn = count_runs(backend, exec, GL_SAMPLES_PASSED, 1);
        if (drawn != QUADS / 4)
            fail_msg("%g fragments instead of %d", drawn, QUADS / 4);
        backend->release(exec);
    }
}

// The transfers to an external texture draw only rectangles that contain samples, and not pixels
// that the shader would discard.
static void a_texture_is_drawn_on_once(void **state)
{
    (void)state;
    if (!GLEW_ARB_pipeline_statistics_query) {
        print_message("skipped: this context does not count invocations\n");
        return;
    }
    static const char *const variants[] = {"passes", "tile-2x2"};
    struct wp_texture texture;
    assert_true(wp_texture_create(gl, WIDTH, HEIGHT, &texture));
    for (int i = 0; i < 4; i++) {
        const struct wp_backend *backend = &wp_backend_fragment;
        const enum wp_direction direction = (enum wp_direction)(i % 2);
        struct wp_exec *exec = prepare(backend, wp_wavelet_table[1], WP_SCHEME_SEP_LIFTING,
                                       direction, 2, variants[i / 2]);
        assert_true(backend->run(exec, NULL));
        const GLuint query = begin_counter(GL_FRAGMENT_SHADER_INVOCATIONS_ARB);
        assert_true(backend->gl->store_texture(exec, &texture, 0));
        const double drawn = end_counter(GL_FRAGMENT_SHADER_INVOCATIONS_ARB, query);
        // The rectangle of three bands of passes includes the low band, and the four layers of
        // pixels of a tile overlap. Devices run complete blocks of fragments.
        static const double times[] = {1.25, 1, 1, 4};
        const double limit = 1.2 * WIDTH * HEIGHT * times[i];
        if (drawn < WIDTH * HEIGHT || drawn > limit)
            fail_msg("%s: %g fragments, and not %d to %g", variants[i / 2], drawn, WIDTH * HEIGHT,
                     limit);
        backend->release(exec);
    }
    wp_texture_destroy(&texture);
}

// Single-stepping gives the same result as a run of all operations.
static void steps_equal_a_run(void **state)
{
    (void)state;
    enum { SAMPLES = 21 * 14 };
    static const char *const variants[] = {"passes", "tile-2x2"};
    float image[SAMPLES], complete[SAMPLES], stepped[SAMPLES];
    for (int i = 0; i < SAMPLES; i++)
        image[i] = (float)((i * 37) % 101) - 7.25f;
    for (int i = 0; i < 4; i++) {
        const struct wp_backend *backend = &wp_backend_fragment;
        const struct wp_variant *variant = backend->variants;
        while (strcmp(variant->name, variants[i / 2]) != 0)
            variant++;
        const struct wp_description d = {.wavelet = wp_wavelet_table[1],
                                         .direction = (enum wp_direction)(i % 2),
                                         .levels = 2,
                                         .size = {21, 14}};
        const struct wp_operand from = wp_operand_const(&d, image);
        const struct wp_operand to[] = {wp_operand_dense(&d, complete),
                                        wp_operand_dense(&d, stepped)};
        struct wp_exec *exec = backend->prepare(device, &d, variant);
        assert_non_null(exec);
        assert_true(backend->load(exec, &from));
        assert_true(backend->run(exec, NULL));
        assert_true(backend->store(exec, &to[0]));
        // Only the schedule of passes is available; tiles have one operation per level.
        const struct wp_schedule *schedule = NULL;
        const bool has_schedule = backend->gl->surfaces(exec, &schedule) != NULL;
        assert_int_equal(has_schedule, i / 2 == 0);
        assert_true(backend->load(exec, &from));
        for (int op = 0; op < (has_schedule ? schedule->op_count : d.levels); op++) {
            double seconds = -1;
            assert_true(backend->gl->step(exec, op, &seconds));
            assert_true(seconds >= 0);
        }
        assert_true(backend->store(exec, &to[1]));
        assert_memory_equal(complete, stepped, sizeof complete);
        backend->release(exec);
    }
}

static void dispatches_compute_a_level_once(void **state)
{
    (void)state;
    if (!counts_invocations()) {
        print_message("skipped: this context does not count invocations\n");
        return;
    }
    const struct wp_backend *backend = &wp_backend_compute;
    struct wp_wavelet wavelet;
    assert_true(wp_wavelet_find("cdf53", &wavelet));
    for (int k = 0; k < 4; k++) {
        const int levels = 1 + k / 2;
        struct wp_exec *exec = prepare(backend, &wavelet, WP_SCHEME_SEP_LIFTING,
                                       (enum wp_direction)(k % 2), levels, NULL);
        const GLenum event = GL_COMPUTE_SHADER_INVOCATIONS_ARB;
        const double single = count_runs(backend, exec, event, 1);
        // An invocation computes several quads.
        const double quads = QUADS * (levels == 1 ? 1 : 1.25);
        if (single < quads / 64 || single > quads)
            fail_msg("%g invocations for %g quads", single, quads);
        assert_true(count_runs(backend, exec, event, 2) == 2 * single);
        backend->release(exec);
    }
}

static float *read_all(const struct wp_texture *texture)
{
    float *texels = calloc((size_t)texture->width * (size_t)texture->height, 4 * sizeof *texels);
    assert_non_null(texels);
    wp_texture_read(texture, 0, 0, texture->width, texture->height, texels);
    return texels;
}

// The sum of side x side source texels for a target texel.
static double sum_of(const float *source, int width, int x, int y, int side, int step, int c)
{
    const int first = side > 1 ? 2 - (side - 1) / 2 : 0;
    double sum = 0;
    for (int i = 0; i < side * side; i++)
        sum += (double)source[4 * ((y * step + first + i / side) * width + x * step + first +
                                   i % side) + c];
    return sum;
}

// Checks the output of a ceiling run on a cleared target, and its number of fragments or
// invocations.
static void check_ceiling(const struct wp_backend *backend, const struct wp_ceiling *ceiling,
                          int width, int height)
{
    const struct wp_backend_bench *bench = backend->bench;
    struct wp_ceiling_run_state *run_state = bench->ceiling_prepare(device, ceiling, width, height);
    assert_non_null(run_state);
    const struct wp_texture *source, *target;
    wp_gl_ceiling_textures(run_state, &source, &target);
    const int across = (width + 1) / 2, down = (height + 1) / 2;
    const int step = ceiling->fill > 0 && ceiling->fill < 1 ? 2 : 1;
    assert_int_equal(target->width, (across + step - 1) / step);
    assert_int_equal(target->height, (down + step - 1) / step);
    const size_t count = (size_t)target->width * (size_t)target->height;
    float *cleared = calloc(count, 4 * sizeof *cleared);
    for (size_t i = 0; cleared && i < 4 * count; i++)
        cleared[i] = -1;
    assert_true(wp_texture_write(target, 0, 0, target->width, target->height, cleared));
    const bool draws = ceiling->fill > 0;
    const GLenum event = draws ? GL_SAMPLES_PASSED : GL_COMPUTE_SHADER_INVOCATIONS_ARB;
    const GLuint query = draws || counts_invocations() ? begin_counter(event) : 0;
    double seconds = -1;
    assert_true(bench->ceiling_run(&run_state, 1, &seconds));
    assert_true(seconds >= 0);
    const double executed = query ? end_counter(event, query) : 0;
    if (draws && executed != (double)count)
        fail_msg("%s draws %g texels of %zu", ceiling->name, executed, count);
    // Workgroups have 32 x 8 texels.
    const double groups = (target->width + 31) / 32 * ((target->height + 7) / 8);
    if (!draws && query && executed != groups * 32 * 8)
        fail_msg("%s computes %g texels of %zu", ceiling->name, executed, count);
    float *from = read_all(source), *to = read_all(target);
    const int side = (int)lround(sqrt(ceiling->fetches) * step);
    const double tolerance = ceiling->precision == WP_PRECISION_F16 ? 2e-3 : 1e-5;
    for (int y = 0; y < target->height; y++)
        for (int x = 0; x < target->width; x++)
            for (int c = 0; c < 4; c++) {
                const double got = (double)to[4 * (y * target->width + x) + c];
                // Ceilings that only fill write the values of the source.
                const double expected =
                    sum_of(from, source->width, x, y, side > 0 ? side : 1, step, c);
                if (!(fabs(got - expected) <= tolerance * fabs(expected)))
                    fail_msg("%s at %d, %d: %g instead of %g", ceiling->name, x, y, got, expected);
            }
    free(cleared);
    free(from);
    free(to);
    bench->ceiling_release(run_state);
}

static void ceilings_move_the_stated_bytes(void **state)
{
    (void)state;
    const struct wp_backend *const backends[] = {&wp_backend_fragment, &wp_backend_compute};
    for (int b = 0; b < 2; b++) {
        if (b == 1 && wp_gl_get_info(gl)->max_invocations == 0) {
            print_message("skipped: this context has no compute shaders\n");
            continue;
        }
        for (const struct wp_ceiling *c = backends[b]->bench->ceilings; c->name; c++) {
            const double sample = c->precision == WP_PRECISION_F16 ? 2 : 4;
            const double written = c->fill > 0 ? c->fill : 1;
            assert_true(c->bytes == sample * (written + (c->fetches > 0)));
            check_ceiling(backends[b], c, 127, 45);
        }
    }
}

static struct wp_schedule *schedule_split(const struct wp_description *d)
{
    return wp_schedule_tiled(d, true);
}

// Each surface of a schedule has a texture, for volumes one for even and one for odd slices. The
// planes of an image are stored below each other. The memory of passes is the size that the backend
// reports.
static void surfaces_have_the_reported_memory(void **state)
{
    (void)state;
    static const struct {
        struct wp_schedule *(*make)(const struct wp_description *d);
        int depth, planes;
        enum wp_precision precision;
    } cases[] = {
        {wp_schedule_passes, 1, 1, WP_PRECISION_F32}, {wp_schedule_passes, 1, 3, WP_PRECISION_F16},
        {schedule_split, 1, 2, WP_PRECISION_F32},     {wp_schedule_passes, 7, 1, WP_PRECISION_F32},
        {schedule_split, 2, 1, WP_PRECISION_F16},
    };
    for (int i = 0; i < 5; i++) {
        const bool volume = cases[i].depth > 1, half = cases[i].precision == WP_PRECISION_F16;
        const struct wp_description d = {.wavelet = wp_wavelet_table[1],
                                         .size = {21, 10, cases[i].depth},
                                         .levels = 2,
                                         .levels_z = volume,
                                         .planes = cases[i].planes,
                                         .precision = cases[i].precision};
        struct wp_schedule *schedule = cases[i].make(&d);
        assert_non_null(schedule);
        struct wp_surfaces surfaces;
        assert_true(wp_surfaces_create(gl, schedule, &surfaces));
        assert_int_equal(surfaces.count, schedule->surface_count * (volume ? 2 : 1));
        double bytes = 0;
        for (int t = 0; t < surfaces.count; t++) {
            const int number = volume ? t / 2 : t;
            const struct wp_surface *s = &schedule->surface[number];
            const struct wp_texture *texture = &surfaces.texture[t];
            const int deep = s->layers ? s->layers : 1; // layers per slice
            assert_int_equal(texture->width, s->width);
            assert_int_equal(texture->height, s->height * cases[i].planes);
            assert_int_equal(texture->layers, volume ? s->depth * deep : s->layers);
            assert_int_equal(texture->deep, volume);
            assert_int_equal(texture->format, half ? GL_RGBA16F : GL_RGBA32F);
            bytes += 4.0 * (half ? 2 : 4) * texture->width * texture->height *
                     (texture->layers ? texture->layers : 1);
            for (int z = 0; volume && z < s->depth; z++) {
                const struct wp_layer slice = wp_surfaces_slice(&surfaces, number, 2 * z + t % 2);
                assert_ptr_equal(slice.texture, texture);
                assert_int_equal(slice.layer, z * deep);
                assert_int_equal(wp_surfaces_step(&surfaces, number), deep);
            }
        }
        if (cases[i].make == wp_schedule_passes)
            assert_true(bytes == wp_backend_fragment.bench->bytes(&d));
        wp_surfaces_destroy(&surfaces);
        wp_schedule_destroy(&schedule);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(surfaces_have_the_reported_memory),
        cmocka_unit_test(passes_draw_the_planned_fragments),
        cmocka_unit_test(tiles_draw_a_level_once),
        cmocka_unit_test(a_texture_is_drawn_on_once),
        cmocka_unit_test(steps_equal_a_run),
        cmocka_unit_test(dispatches_compute_a_level_once),
        cmocka_unit_test(ceilings_move_the_stated_bytes),
    };
    return cmocka_run_group_tests(tests, open_context, close_context);
}
