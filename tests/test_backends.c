// Backends of this build as golden texts: abilities, supported variants, counts, costs, memory,
// shaders and ceilings; and the parts of the backend interface that transforms do not use.
#include "registry.h"
#include "failing_heap.h"
#include "golden.h"
#include "memory.h"
#include "text.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define COUNT(array) ((int)(sizeof(array) / sizeof(array)[0]))

static const struct config {
    const char *wavelet, *kind;
    int size[WP_DIMS_MAX], levels, levels_z, planes;
    enum wp_border border;
    enum wp_precision precision;
    bool reversible;
} configs[] = {
    {"cdf53", "sep-lifting", {40, 26, 1}, 2, 0, 1, WP_BORDER_SYMMETRIC, WP_PRECISION_F32, false},
    {"cdf53", "nonsep-convolution", {300, 17, 1}, 3, 0, 2, WP_BORDER_SYMMETRIC, WP_PRECISION_F32,
     false},
    {"db2", "planar-lifting", {32, 48, 1}, 1, 0, 1, WP_BORDER_PERIODIC, WP_PRECISION_F32, false},
    {"cdf97", "sep-lifting", {24, 32, 1}, 2, 0, 1, WP_BORDER_SYMMETRIC, WP_PRECISION_F16, false},
    {"cdf53", "sep-lifting", {40, 26, 1}, 2, 0, 1, WP_BORDER_SYMMETRIC, WP_PRECISION_F32, true},
    {"haar", "nonsep-lifting", {1, 9, 1}, 2, 0, 1, WP_BORDER_SYMMETRIC, WP_PRECISION_F32, false},
    {"haar", "sep-lifting", {33, 1, 1}, 2, 0, 1, WP_BORDER_SYMMETRIC, WP_PRECISION_F32, false},
    {"haar", "sep-lifting", {700, 520, 1}, 7, 0, 1, WP_BORDER_SYMMETRIC, WP_PRECISION_F32, false},
    {"haar", "nonsep-lifting", {5, 3, 1}, 0, 0, 1, WP_BORDER_SYMMETRIC, WP_PRECISION_F32, false},
    {"cdf53", "planar-lifting", {20, 13, 10}, 2, 1, 1, WP_BORDER_SYMMETRIC, WP_PRECISION_F32,
     false},
    {"haar", "nonsep-lifting", {9, 10, 17}, 1, 2, 1, WP_BORDER_SYMMETRIC, WP_PRECISION_F32, false},
};

static struct wp_description describe(const struct config *config, enum wp_direction direction,
                                      struct wp_wavelet *wavelet)
{
    assert_true(wp_wavelet_find(config->wavelet, wavelet));
    return (struct wp_description){
        .wavelet = wavelet,
        .kind = wp_scheme_kind_named(config->kind),
        .direction = direction,
        .border = config->border,
        .size = {config->size[WP_X], config->size[WP_Y], config->size[WP_Z]},
        .levels = config->levels,
        .levels_z = config->levels_z,
        .planes = config->planes,
        .precision = config->precision,
        .reversible = config->reversible,
    };
}

static void add_fact(void *user, const char *key, const char *value)
{
    assert_true(value[0] != '\0');
    wp_text_add(user, " %s", key);
}

static void add_flag(struct wp_text *text, const char *name, bool flag)
{
    if (flag)
        wp_text_add(text, " %s", name);
}

static void add_counts(struct wp_text *text, const char *name, struct wp_counts counts)
{
    wp_text_add(text, ", %s %g operations and %g fetches", name, counts.operations, counts.fetches);
}

// Counts of schemes, before anything is prepared.
static void add_scheme(struct wp_text *text, const struct wp_backend *b, const char *name,
                       const char *kind)
{
    struct wp_wavelet wavelet;
    assert_true(wp_wavelet_find(name, &wavelet));
    const struct wp_description d = {.wavelet = &wavelet, .kind = wp_scheme_kind_named(kind)};
    struct wp_scheme *scheme = wp_description_scheme(&d, WP_AXIS_BOTH);
    assert_non_null(scheme);
    wp_text_add(text, "a quad of %s", scheme->name);
    for (const struct wp_variant *v = b->variants; v && v->name; v++)
        if (v->counts)
            add_counts(text, v->name, v->counts(v, scheme));
    wp_text_add(text, "\n");
    wp_scheme_destroy(&scheme);
}

static void add_backend(struct wp_text *text, const struct wp_backend_choice *on)
{
    const struct wp_backend *b = on->backend;
    wp_text_add(text, "%s: %s\nis:", b->name, b->summary);
    add_flag(text, "slow in software", b->slow_in_software);
    add_flag(text, "schemeless", b->schemeless);
    add_flag(text, "schemeless for volumes", b->schemeless_volumes);
    add_flag(text, "half", b->half);
    add_flag(text, "reversible", b->reversible);
    add_flag(text, "overlaps", b->overlaps);
    wp_text_add(text, "\ntimer: %s%s\n", on->info.timer, on->info.wall ? " (wall)" : "");
    const struct wp_backend_bench *bench = b->bench;
    if (bench && bench->facts) {
        wp_text_add(text, "facts:");
        bench->facts(on->device, add_fact, text);
        wp_text_add(text, "\n");
    }
    for (const struct wp_variant *v = b->variants; v && v->name; v++)
        wp_text_add(text, "variant %s%s: %s\n", v->name,
                    v->spreads_nonfinite ? " (spreads nonfinite)" : "", v->summary);
    for (const struct wp_ceiling *c = bench ? bench->ceilings : NULL; c && c->name; c++)
        wp_text_add(text, "ceiling %s: %g bytes a sample, %g fetches, %g fill, %s; %s\n", c->name,
                    c->bytes, c->fetches, c->fill, wp_precision_names[c->precision], c->summary);
    if (b->variants && b->variants[1].counts) {
        add_scheme(text, b, "haar", "nonsep-lifting");
        add_scheme(text, b, "cdf53", "sep-lifting");
        add_scheme(text, b, "cdf97", "nonsep-convolution");
        add_scheme(text, b, "dd137", "nonsep-polyconvolution");
    }
}

struct shaders {
    int count;
    struct wp_text text;
};

static void add_shader(void *user, const char *text)
{
    struct shaders *shaders = user;
    shaders->count++;
    wp_text_add(&shaders->text, "%s", text);
}

// Adds nothing for a backend without a bench interface.
static void add_exec(struct wp_text *text, const struct wp_backend *b, const struct wp_exec *exec)
{
    const struct wp_backend_bench *bench = b->bench;
    if (bench && bench->counts) {
        const struct wp_counts counts = bench->counts(exec);
        wp_text_add(text, ", %g operations, %g fetches", counts.operations, counts.fetches);
    }
    if (bench && bench->cost) {
        const struct wp_cost cost = bench->cost(exec);
        wp_text_add(text, ", moves %.0f bytes, %.0f fetches, %.0f fill", cost.bytes, cost.fetches,
                    cost.fill);
    }
    if (bench && bench->shaders) {
        struct shaders shaders = {0};
        bench->shaders(exec, add_shader, &shaders);
        wp_text_add(text, ", %d shaders %016llx", shaders.count,
                    wp_hash(wp_text_get(&shaders.text)));
        wp_text_free(&shaders.text);
    }
}

// One of the variants, or NULL for a backend without variants.
static void add_variant(struct wp_text *text, const struct wp_backend_choice *on,
                        const struct wp_description *d, const struct wp_variant *variant)
{
    char why[256] = "";
    wp_text_add(text, "    %s", variant ? variant->name : "so");
    if (variant && variant->runs_on && !variant->runs_on(variant, on->device, why, sizeof why)) {
        wp_text_add(text, ", not here"); // depends on the device
    } else if (variant && variant->supports && !variant->supports(variant, d, why, sizeof why)) {
        wp_text_add(text, ", no: %s", why);
    } else {
        struct wp_exec *exec = on->backend->prepare(on->device, d, variant);
        assert_non_null(exec);
        if (variant)
            assert_ptr_equal(on->backend->variant(exec), variant);
        add_exec(text, on->backend, exec);
        on->backend->release(exec);
    }
    wp_text_add(text, "\n");
}

static void add_config(struct wp_text *text, const struct wp_backend_choice *on,
                       const struct config *config)
{
    const struct wp_backend *b = on->backend;
    for (int i = 0; i < WP_DIRECTION_COUNT; i++) {
        struct wp_wavelet wavelet;
        const struct wp_description d = describe(config, (enum wp_direction)i, &wavelet);
        if ((d.precision == WP_PRECISION_F16 && !b->half) || (d.reversible && !b->reversible) ||
            (d.planes > 1 && !b->planes_max))
            continue;
        wp_text_add(text, "%s %s %s %dx%dx%d, levels %d and %d, %d planes%s%s", config->wavelet,
                    config->kind, wp_direction_names[i], d.size[WP_X], d.size[WP_Y], d.size[WP_Z],
                    d.levels, d.levels_z, d.planes, d.precision == WP_PRECISION_F16 ? ", f16" : "",
                    d.reversible ? ", reversible" : "");
        if (b->planes_max)
            wp_text_add(text, ", at most %d", b->planes_max(on->device, &d));
        if (b->bench && b->bench->bytes)
            wp_text_add(text, ", about %.0f bytes", b->bench->bytes(&d));
        wp_text_add(text, "\n");
        if (!b->variants)
            add_variant(text, on, &d, NULL);
        for (const struct wp_variant *v = b->variants; v && v->name; v++)
            add_variant(text, on, &d, v);
    }
}

static size_t bytes_before; // allocated by the program; leaks of drivers are not counted

// Opens a backend. Returns false if it is not available, or if `as_golden` and OpenGL does not run
// in software, as the golden text depends on it.
static bool open_backend(const char *name, bool as_golden, struct wp_backend_choice *on)
{
    bytes_before = failing_heap_bytes();
    if (!wp_backend_open(name, WP_DEVICE_ANY, WP_IN_SOFTWARE_ANY, on)) {
        print_message("skipped: %s: %s\n", name, wp_last_error_text());
        return false;
    }
    if (as_golden && on->backend->gl && !on->info.software) {
        print_message("skipped: %s: the golden text is that of OpenGL in software\n", name);
        wp_backend_close(on);
        return false;
    }
    return true;
}

static void close_backend(struct wp_backend_choice *on)
{
    wp_backend_close(on);
    assert_int_equal(failing_heap_bytes(), bytes_before);
}

static const char *const names[] = {"reference", "cpu", "fragment", "compute"};

static void descriptions_equal_golden_texts(void **state)
{
    (void)state;
    for (int i = 0; i < COUNT(names); i++) {
        struct wp_backend_choice on;
        if (!open_backend(names[i], true, &on))
            continue;
        struct wp_text text = {0};
        add_backend(&text, &on);
        for (int w = 0; w < COUNT(configs); w++)
            add_config(&text, &on, &configs[w]);
        char file[64];
        snprintf(file, sizeof file, "backend_%s.txt", names[i]);
        assert_golden(file, wp_text_get(&text));
        wp_text_free(&text);
        close_backend(&on);
    }
}

static void silence(void *user, enum wp_log_level level, const char *message)
{
    (void)user, (void)level, (void)message;
}

static void unknown_device_numbers_are_reported(void **state)
{
    (void)state;
    wp_log_set_handler(silence, NULL);
    for (int i = 0; i < COUNT(names); i++) {
        const struct wp_backend *b = wp_backend_find(names[i]);
        if (!b)
            continue; // not in this build
        for (int quiet = 0; quiet < 2; quiet++) {
            char reason[512] = "";
            wp_fail(WP_ERROR_INTERNAL, "none yet");
            assert_null(b->open(1000, quiet, reason, sizeof reason));
            assert_true(reason[0] != '\0');
            assert_int_equal(wp_last_error(), quiet ? WP_ERROR_INTERNAL : WP_ERROR_UNAVAILABLE);
            assert_true(quiet || strstr(wp_last_error_text(), "1000"));
        }
    }
    wp_log_set_handler(NULL, NULL);
}

static void store_threads(void *user, const char *key, const char *value)
{
    if (strcmp(key, "threads") == 0)
        snprintf(user, 16, "%s", value);
}

static void thread_counts_are_set(void **state)
{
    (void)state;
    struct wp_backend_choice on;
    if (!open_backend("cpu", false, &on))
        fail_msg("the CPU is always there");
    for (int i = 0; i < 4; i++) {
        on.backend->set_threads(on.device, i);
        struct wp_device_info info;
        on.backend->describe(on.device, &info);
        const int expected = i ? i : info.threads;
        char threads[16] = "", name[16];
        on.backend->bench->facts(on.device, store_threads, threads);
        assert_int_equal(atoi(threads), expected);
        snprintf(name, sizeof name, " %d thread%s,", expected, expected == 1 ? "" : "s");
        assert_non_null(strstr(info.name, name));
    }
    close_backend(&on);
}

// A copied image or volume equals the input.
static void check_copy(const struct wp_backend_choice *on, const struct wp_description *d)
{
    const struct wp_backend *b = on->backend;
    const size_t count = wp_description_samples(d), bytes = count * sizeof(float);
    struct wp_exec *exec = b->prepare(on->device, d, NULL);
    assert_non_null(exec);
    float *image = calloc(count, sizeof *image), *result = calloc(count, sizeof *result);
    for (size_t k = 0; k < count; k++)
        image[k] = k % 5 ? 1000.0f + (float)(k % 1009) : -7.25f;
    const struct wp_operand from = wp_operand_const(d, image), to = wp_operand_dense(d, result);
    if (b->bench && b->bench->pack && wp_description_depth(d) == 1) {
        assert_true(b->bench->pack(exec, &from));
        assert_true(b->bench->unpack(exec, &to));
        assert_memory_equal(image, result, bytes);
        memset(result, 0, bytes);
    }
    assert_true(b->load(exec, &from));
    double seconds = -1;
    if (b->bench && b->bench->run_all)
        assert_true(b->bench->run_all(&exec, 1, &seconds));
    else
        assert_true(b->run(exec, &seconds));
    assert_true(seconds >= 0);
    assert_true(b->run(exec, NULL));
    assert_true(b->store(exec, &to));
    assert_memory_equal(image, result, bytes);
    free(image);
    free(result);
    b->release(exec);
}

// The last two sizes have rows longer than one transfer; textures do not support them.
static void copies_equal_inputs(void **state)
{
    (void)state;
    enum { LONG = 1100003 };
    static const int sizes[][WP_DIMS_MAX] = {{13, 7}, {13, 7, 5}, {LONG, 2}, {LONG, 2, 2}};
    for (int i = 0; i < COUNT(names); i++) {
        struct wp_backend_choice on;
        if (!open_backend(names[i], false, &on))
            continue;
        for (int s = 0; s < (strcmp(names[i], "fragment") == 0 ? 2 : COUNT(sizes)); s++)
            check_copy(&on, &(struct wp_description){
                                .wavelet = wp_wavelet_table[0],
                                .size = {sizes[s][WP_X], sizes[s][WP_Y], sizes[s][WP_Z]}});
        close_backend(&on);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(descriptions_equal_golden_texts),
        cmocka_unit_test(unknown_device_numbers_are_reported),
        cmocka_unit_test(thread_counts_are_set),
        cmocka_unit_test(copies_equal_inputs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
