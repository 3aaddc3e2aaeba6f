// Batches of the CPU backend: the same bits as its planes one after the other, and nothing written
// beside them, for all wavelets, sizes, element types and arrangements in memory. With WP_CPU_F64
// mostly with arithmetic in doubles.
#include "cpu_backend.h"
#include "cpu_batch.h"
#include "every_wavelet.h"
#include "log.h"
#include "plan.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { PLANES_MAX = 19, SIDE = 70, GAP = 5, BANDS_MAX = 3 * WP_MAX_LEVELS + 1 };

static unsigned seed;

static int random_below(int n)
{
    seed = seed * 1664525U + 1013904223U;
    return (int)((seed >> 8) % (unsigned)n);
}

// Arrangements of planes in memory.
enum arrangement {
    DENSE,
    PADDED,      // gaps after rows and planes
    INTERLEAVED, // planes are neighbors
    TRANSPOSED,  // rows are neighbors
    BANDS,       // an array per band, with gaps
    ARRANGEMENTS
};

struct place {
    struct wp_operand operand;
    struct wp_operand band[BANDS_MAX];
    size_t bytes;
    unsigned char *memory;
};

// Sets the strides of an array of planes of a size; returns the samples that it spans.
static size_t arrange(struct wp_operand *array, enum arrangement arrangement, int width, int height,
                      int planes)
{
    const ptrdiff_t gap = arrangement == PADDED || arrangement == BANDS ? GAP : 0;
    const ptrdiff_t row = width + gap, plane = row * height + 3 * gap;
    const bool interleaved = arrangement == INTERLEAVED, transposed = arrangement == TRANSPOSED;
    array->stride[WP_X] = interleaved ? planes : transposed ? height : 1;
    array->stride[WP_Y] = interleaved ? (ptrdiff_t)planes * width : transposed ? 1 : row;
    array->stride[WP_Z] = 0;
    array->stride[WP_PLANE] = interleaved ? 1 : plane;
    return (size_t)(plane * planes);
}

static void create_place(struct place *place, const struct wp_description *d,
                         enum arrangement arrangement, enum wp_element type)
{
    const int planes = wp_description_planes(d), count = wp_subband_count(d);
    size_t at[BANDS_MAX] = {0}, samples = 0;
    *place = (struct place){.operand = {.type = type}};
    assert_true(count <= BANDS_MAX);
    samples = arrange(&place->operand, arrangement, d->size[WP_X], d->size[WP_Y], planes);
    for (int b = 0; arrangement == BANDS && b < count; b++) {
        const struct wp_band_grid grid = wp_subband_describe(d, b).grid;
        place->band[b].type = type;
        at[b] = b ? samples : 0;
        samples = at[b] + arrange(&place->band[b], arrangement, grid.size[WP_X], grid.size[WP_Y],
                                  planes);
    }
    place->bytes = samples * wp_elements[type].bytes;
    place->memory = malloc(place->bytes + 1);
    assert_non_null(place->memory);
    place->operand.data = place->memory;
    for (int b = 0; arrangement == BANDS && b < count; b++) {
        place->band[b].data = place->memory + at[b] * wp_elements[type].bytes;
        place->operand.band = place->band;
        place->operand.bands = count;
    }
    memset(place->memory, 0x2a, place->bytes);
}

static void fill_place(struct place *place)
{
    const struct wp_operand all = {.data = place->memory, .type = place->operand.type,
                                   .stride = {1}};
    const size_t samples = place->bytes / wp_elements[all.type].bytes;
    for (size_t i = 0; i < samples; i++) {
        const bool infinite = all.type == WP_CPU_ELEMENT && random_below(5000) == 0;
        const wp_real value = infinite ? INFINITY : (wp_real)random_below(1 << 16) / (1 << 16);
        wp_operand_write(&wp_element_rows, &all, (ptrdiff_t)i, &value, false, 1);
    }
}

struct cpu {
    struct wp_device *device;
    const struct wp_variant *variant;
};

static struct wp_plan *make_plan(const struct cpu *cpu, const struct wp_description *d)
{
    const struct wp_planner planner = {&wp_backend_cpu, cpu->device, cpu->variant, false};
    const struct wp_problem problem = wp_problem_of(d);
    struct wp_plan *plan = wp_plan_create(&planner, &problem);
    assert_non_null(plan);
    return plan;
}

static void run_batch(const struct cpu *cpu, const struct wp_description *d,
                      const struct wp_operand *from, const struct wp_operand *to)
{
    struct wp_plan *plan = make_plan(cpu, d);
    const bool batches = !cpu->variant || cpu->variant->batches;
    assert_int_equal(wp_plan_planes(plan), batches ? wp_description_planes(d) : 1);
    assert_true(plan->kind->apply(plan, from, to, &(struct wp_execution){0}));
    wp_plan_destroy(&plan);
}

static void run_planes(const struct cpu *cpu, const struct wp_description *d,
                       const struct wp_operand *from, const struct wp_operand *to)
{
    struct wp_description one = *d;
    one.planes = 1;
    struct wp_plan *plan = make_plan(cpu, &one);
    for (int p = 0; p < wp_description_planes(d); p++) {
        struct wp_operand bands[2][BANDS_MAX];
        const struct wp_operand in = wp_operand_advance(from, WP_PLANE, p, bands[0]);
        const struct wp_operand out = wp_operand_advance(to, WP_PLANE, p, bands[1]);
        assert_true(plan->kind->apply(plan, &in, &out, &(struct wp_execution){0}));
    }
    wp_plan_destroy(&plan);
}

static void compare(const struct wp_description *d, const struct place *got,
                    const struct place *expected)
{
    for (size_t i = 0; i < got->bytes; i++)
        if (got->memory[i] != expected->memory[i])
            fail_msg("%s %s, %s, %s, %dx%d, %d levels, %d planes: byte %zu of %zu differs",
                     d->wavelet->name, wp_direction_names[d->direction],
                     wp_border_names[d->border], wp_layout_names[d->layout], d->size[WP_X],
                     d->size[WP_Y], d->levels, d->planes, i, got->bytes);
}

static void check(const struct cpu *cpu, const struct wp_description *d,
                  enum arrangement arrangement, bool in_place)
{
    struct place from, to, expected;
    const bool forward = d->direction == WP_FORWARD;
    const enum arrangement plain = arrangement == BANDS ? DENSE : arrangement;
    create_place(&from, d, forward ? plain : arrangement, forward ? d->samples : d->coefficients);
    create_place(&to, d, forward ? arrangement : plain, forward ? d->coefficients : d->samples);
    create_place(&expected, d, forward ? arrangement : plain,
                 forward ? d->coefficients : d->samples);
    fill_place(&from);
    if (in_place) {
        memcpy(to.memory, from.memory, to.bytes);
        memcpy(expected.memory, from.memory, to.bytes);
    }
    run_planes(cpu, d, in_place ? &expected.operand : &from.operand, &expected.operand);
    run_batch(cpu, d, in_place ? &to.operand : &from.operand, &to.operand);
    compare(d, &to, &expected);
    free(from.memory);
    free(to.memory);
    free(expected.memory);
}

static const enum wp_element types[] = {WP_CPU_ELEMENT, WP_CPU_ELEMENT, WP_CPU_ELEMENT,
                                        WP_ELEMENT_F32, WP_ELEMENT_F16, WP_ELEMENT_BF16,
                                        WP_ELEMENT_U8,  WP_ELEMENT_U16};

// False if the wavelet has no such transform.
static bool random_description(struct wp_description *d, const struct wp_wavelet *wavelet,
                               int width, int height, int planes)
{
    const int size[2] = {width, height};
    *d = (struct wp_description){
        .wavelet = wavelet,
        .direction = random_below(2) ? WP_INVERSE : WP_FORWARD,
        .border = random_below(2) ? WP_BORDER_PERIODIC : WP_BORDER_SYMMETRIC,
        .norm = (enum wp_norm)random_below(WP_NORM_COUNT),
        .layout = (enum wp_layout)random_below(WP_LAYOUT_COUNT),
        .size = {width, height, 1},
        .planes = planes,
        .samples = types[random_below(8)],
        .coefficients = types[random_below(6)],
    };
    const int most = wp_levels_most(size, d->border);
    d->levels = most > 0 ? 1 + random_below(most) : 0;
    wp_begin_attempt();
    const bool ok = d->levels > 0 && wp_description_check(d);
    wp_end_attempt();
    return ok;
}

static void check_random(const struct cpu *cpu, const struct wp_wavelet *wavelet, int width,
                         int height)
{
    struct wp_description d;
    if (!random_description(&d, wavelet, width, height, 2 + random_below(PLANES_MAX - 1)))
        return;
    const enum arrangement arrangement =
        (enum arrangement)random_below(d.layout == WP_LAYOUT_MALLAT ? ARRANGEMENTS : BANDS);
    check(cpu, &d, arrangement, false);
    d.samples = d.coefficients = WP_CPU_ELEMENT;
    check(cpu, &d, arrangement == BANDS ? DENSE : arrangement, true);
}

static void check_wavelet(const struct cpu cpu[2], const struct wp_wavelet *wavelet)
{
    for (int i = 0; i < 100; i++)
        check_random(&cpu[i % 2], wavelet, 1 + random_below(SIDE), 1 + random_below(SIDE));
    for (int i = 0; i < 10; i++) {
        check_random(&cpu[i % 2], wavelet, 1, 1 + random_below(SIDE));
        check_random(&cpu[i % 2], wavelet, 1 + random_below(2 * SIDE), 1);
        check_random(&cpu[i % 2], wavelet, 2048 + random_below(2048), 1);
    }
}

// With one thread and with three, which have a part of the batch each.
static void test_planes(void **state)
{
    (void)state;
    static struct wp_wavelet list[EVERY_WAVELET_MAX];
    static const char *const family[] = {"db2", "db4", "sym8", "bior4.4"};
    struct cpu cpu[2] = {{0}, {0}};
    char reason[256];
    for (int i = 0; i < 2; i++) {
        cpu[i].device = wp_backend_cpu.open(-1, false, reason, sizeof reason);
        assert_non_null(cpu[i].device);
        wp_backend_cpu.set_threads(cpu[i].device, i ? 3 : 1);
    }
    const int count = every_wavelet(list);
    for (int w = 0; w < count; w++)
        check_wavelet(cpu, &list[w]);
    for (int w = 0; w < 4; w++) {
        struct wp_wavelet wavelet;
        assert_true(wp_wavelet_find(family[w], &wavelet));
        check_wavelet(cpu, &wavelet);
    }
    for (int v = 0; wp_backend_cpu.variants[v].name; v++) {
        cpu[0].variant = cpu[1].variant = &wp_backend_cpu.variants[v];
        check_wavelet(cpu, table_wavelet("cdf97"));
        check_wavelet(cpu, table_wavelet("haar"));
    }
    for (int i = 0; i < 2; i++)
        wp_backend_cpu.close(cpu[i].device);
}

// Signals whose blocks threads share, images of which a group exceeds the second-level cache, and
// signals that are written past the caches together, but not alone.
static void test_large(void **state)
{
    (void)state;
    static const int sizes[][3] = {{70001, 1, 1}, {131072, 1, 3}, {256, 256, 24}, {200, 150, 5},
                                 {1003, 1, 1100}};
    enum { SIZES = sizeof sizes / sizeof *sizes, STREAMED = SIZES - 1 };
    char reason[256];
    struct cpu cpu = {wp_backend_cpu.open(-1, false, reason, sizeof reason), NULL};
    assert_non_null(cpu.device);
    wp_backend_cpu.set_threads(cpu.device, 3);
    for (int i = 0; i < 6 * SIZES; i++) {
        const int *size = sizes[i % SIZES];
        struct wp_wavelet wavelet;
        struct wp_description d;
        assert_true(wp_wavelet_find(i % 3 ? "cdf97" : "cdf62", &wavelet));
        if (!random_description(&d, &wavelet, size[0], size[1], size[2]))
            continue;
        const bool streamed = i % SIZES == STREAMED;
        if (streamed) {
            d.direction = i / SIZES % 2 ? WP_INVERSE : WP_FORWARD;
            d.layout = WP_LAYOUT_MALLAT;
            d.samples = d.coefficients = WP_CPU_ELEMENT;
        }
        check(&cpu, &d, DENSE, i % 2 && !streamed && d.samples == d.coefficients);
    }
    wp_backend_cpu.close(cpu.device);
}

static void check_set(const struct wp_cpu_rows *set, const struct wp_wavelet *wavelet,
                      enum wp_direction direction, int width, int height)
{
    enum { IMAGES = 11 };
    static wp_real in[IMAGES][SIDE * SIDE], got[IMAGES][SIDE * SIDE], expected[SIDE * SIDE];
    static const struct wp_cpu_method fused = {.rows = false};
    struct wp_description d = {.wavelet = wavelet, .direction = direction, .levels = 1,
                               .size = {width, height, IMAGES}, .border = WP_BORDER_PERIODIC};
    struct wp_cpu_program program;
    struct wp_cpu_level level;
    const struct wp_lifting lifting = wp_description_lifting(&d);
    wp_cpu_program_set(&program, &lifting);
    assert_true(wp_cpu_level_set(&level, &d, 0, &fused, &program));
    assert_true(wp_cpu_batch_fits(&d, &level, &program, set, 1));
    struct wp_cpu_batch *batch = wp_cpu_batch_create(&d, &level, &program, set, 1);
    wp_real *ring =
        aligned_alloc(64, (wp_cpu_sweep_ring(&level.sweep[0]) * sizeof(wp_real) + 63) / 64 * 64);
    assert_non_null(batch);
    assert_non_null(ring);
    for (int i = 0; i < IMAGES; i++)
        for (int k = 0; k < SIDE * SIDE; k++)
            in[i][k] = (wp_real)random_below(1 << 16) / (1 << 16);
    const struct wp_operand from = {
        .data = in, .type = WP_CPU_ELEMENT, .stride = {1, width, SIDE * SIDE}};
    const struct wp_operand to = {
        .data = got, .type = WP_CPU_ELEMENT, .stride = {1, width, SIDE * SIDE}};
    wp_cpu_batch_run(batch, &from, &to, false);
    for (int i = 0; i < IMAGES; i++) {
        struct wp_cpu_quads samples = {.samples = true, .pitch = {width}}, bands = {0};
        const bool forward = direction == WP_FORWARD;
        samples.data[0] = forward ? in[i] : expected;
        for (int b = 0; b < WP_BAND_COUNT; b++) {
            bands.data[b] = (forward ? expected : in[i]) + (b & 1) * (width / 2) +
                            (b >> 1) * (height / 2) * width;
            bands.pitch[b] = width;
        }
        wp_cpu_level_bind(&level, forward ? &samples : &bands, forward ? &bands : &samples, NULL);
        wp_cpu_sweep_run(&level.sweep[0], set, 0, height / 2, ring);
        assert_memory_equal(got[i], expected, (size_t)(width * height) * sizeof(wp_real));
    }
    free(ring);
    wp_cpu_batch_destroy(batch);
    wp_cpu_level_free(&level);
}

// All sets of row functions.
static void test_sets(void **state)
{
    (void)state;
    const struct wp_cpu_rows *set;
    static const char *const names[] = {"haar", "cdf53", "cdf97", "db2", "db4", "sym8"};
    for (int g = 0; (set = wp_cpu_rows_get(g)) != NULL; g++) {
        for (int w = 0; w < 6; w++) {
            struct wp_wavelet wavelet;
            assert_true(wp_wavelet_find(names[w], &wavelet));
            for (int i = 0; i < 20; i++)
                check_set(set, &wavelet, i % 2 ? WP_INVERSE : WP_FORWARD,
                          2 + 2 * random_below(SIDE / 2), 2 + 2 * random_below(SIDE / 2));
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_planes),
        cmocka_unit_test(test_large),
        cmocka_unit_test(test_sets),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
