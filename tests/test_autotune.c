// Autotuning: measuring the fastest scheme and variant, and the tuning file, on a fake backend with
// simulated times and errors.
#include "autotune.h"
#include "log.h"
#include "output.h"
#include "reference.h"
#include "scratch.h"

#include <jansson.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

// Captured log messages.
static int warnings;
static char last[512];
static struct wp_text *captured;

static void handle(void *user, enum wp_log_level level, const char *message)
{
    (void)user;
    if (level == WP_LOG_ERROR && captured) {
        wp_text_add(captured, "%s", message);
        return;
    }
    warnings += level <= WP_LOG_WARNING;
    if (level <= WP_LOG_WARNING)
        snprintf(last, sizeof last, "%s", message);
}

static void capture(struct wp_text *text)
{
    captured = text;
}

// The reference backend with fake variants: "wrong" computes wrong results in no time, "broken"
// fails to prepare, "smearing" is faster than "fast", "tall" supports at most 1000 rows.
enum { SLOW, FAST, WRONG, BROKEN, SMEARING, TALL, ABSENT };

static bool supports_1000_rows(const struct wp_variant *variant,
                               const struct wp_description *description, char *why,
                               size_t why_size)
{
    (void)variant;
    snprintf(why, why_size, "more than 1000 rows");
    return description->size[WP_Y] <= 1000;
}

static bool runs_nowhere(const struct wp_variant *variant, const struct wp_device *device,
                         char *why, size_t why_size)
{
    (void)variant, (void)device;
    snprintf(why, why_size, "nowhere");
    return false;
}

// Counts of a variant that executes a level at once.
static struct wp_counts count(const struct wp_variant *variant, const struct wp_scheme *scheme)
{
    (void)variant;
    return (struct wp_counts){.operations = wp_scheme_operations(scheme)};
}

static const struct wp_variant variants[] = {
    [SLOW] = {.name = "slow", .summary = ""},
    [FAST] = {.name = "fast", .summary = "", .counts = count},
    [WRONG] = {.name = "wrong", .summary = ""},
    [BROKEN] = {.name = "broken", .summary = ""},
    [SMEARING] = {.name = "smearing", .summary = "", .spreads_nonfinite = true},
    [TALL] = {.name = "tall", .summary = "", .supports = supports_1000_rows},
    [ABSENT] = {.name = "absent", .summary = "", .runs_on = runs_nowhere},
    {0},
};

static double variant_seconds[] = {
    [SLOW] = 5e-3, [FAST] = 2e-3, [WRONG] = 1e-6, [SMEARING] = 1e-3, [TALL] = 1.5e-3};

// State of the current transform.
static struct {
    const struct wp_variant *variant;
    struct wp_description description;
    int prepared;
    int slow_runs; // the next runs take three times as long
} current;

static struct wp_exec *prepare(struct wp_device *device, const struct wp_description *description,
                               const struct wp_variant *variant)
{
    (void)device;
    current.prepared++;
    current.variant = variant;
    current.description = *description;
    if (variant == &variants[BROKEN]) {
        wp_fail(WP_ERROR_INTERNAL, "it is broken");
        return NULL;
    }
    // Large images are only timed, as the reference is slow for them.
    if (description->size[WP_X] >= wp_size_class_side[0])
        return (struct wp_exec *)&current;
    return wp_backend_reference.prepare(NULL, description, NULL);
}

static bool is_timed(const struct wp_exec *exec)
{
    return exec == (const struct wp_exec *)&current;
}

static bool load(struct wp_exec *exec, const struct wp_operand *from)
{
    return is_timed(exec) || wp_backend_reference.load(exec, from);
}

// Lifting takes half the time of other schemes.
static bool run(struct wp_exec *exec, double *seconds)
{
    if (seconds)
        *seconds = (is_timed(exec) && current.slow_runs-- > 0 ? 3 : 1) *
                   variant_seconds[current.variant - variants] *
                   (current.description.kind->grouping == WP_GROUP_STEP ? 1 : 2) *
                   (current.description.kind->fusion == WP_FUSE_NONE ? 1 : 1.1);
    return is_timed(exec) || wp_backend_reference.run(exec, NULL);
}

static bool store(struct wp_exec *exec, const struct wp_operand *to)
{
    const bool ok = wp_backend_reference.store(exec, to);
    if (current.variant == &variants[WRONG])
        ((float *)to->data)[7] += 1;
    return ok;
}

static void release(struct wp_exec *exec)
{
    if (exec && !is_timed(exec))
        wp_backend_reference.release(exec);
}

static const struct wp_backend backend = {
    .name = "pretended",
    .summary = "",
    .variants = variants,
    .prepare = prepare,
    .load = load,
    .run = run,
    .store = store,
    .release = release,
};

static struct wp_backend_choice on = {
    .backend = &backend, .device = (struct wp_device *)&current, .info = {.name = "a GPU/7 (x)"}};

static struct wp_wavelet cdf97;
static char directory[SCRATCH_SIZE];

static struct wp_probe_params probe_params(enum wp_size_class size)
{
    return (struct wp_probe_params){.on = &on, .wavelet = &cdf97, .size = size, .limit = 60,
                                    .capture = capture};
}

static bool has_timings(const struct wp_probe *probe, int variant, bool correct)
{
    int found = 0;
    for (int i = 0; i < probe->count; i++)
        found += probe->timing[i].variant == &variants[variant] &&
                 probe->timing[i].correct == correct;
    return found == WP_SCHEME_KINDS;
}

static void test_size_classes(void **state)
{
    (void)state;
    assert_int_equal(wp_size_class_of(1, 1), WP_SIZE_SMALL);
    assert_int_equal(wp_size_class_of(1024, 1024), WP_SIZE_SMALL);
    assert_int_equal(wp_size_class_of(1025, 1024), WP_SIZE_MEDIUM);
    assert_int_equal(wp_size_class_of(8, 200000), WP_SIZE_MEDIUM);
    assert_int_equal(wp_size_class_of(4096, 2048), WP_SIZE_MEDIUM);
    assert_int_equal(wp_size_class_of(4096, 2049), WP_SIZE_LARGE);
    for (int i = 0; i < WP_SIZE_CLASS_COUNT; i++)
        assert_int_equal(wp_size_class_of(wp_size_class_side[i], wp_size_class_side[i]), i);
}

static void test_probe_finds_the_fastest(void **state)
{
    (void)state;
    const struct wp_probe_params params = probe_params(WP_SIZE_SMALL);
    struct wp_probe probe;
    warnings = 0;
    assert_true(wp_probe_run(&params, &probe));
    assert_int_equal(probe.count, 6 * WP_SCHEME_KINDS);
    assert_int_equal(probe.skipped, 0);
    assert_ptr_equal(probe.timing[0].variant, &variants[SMEARING]);
    assert_ptr_equal(probe.timing[0].kind, &wp_scheme_kinds[WP_SCHEME_SEP_LIFTING]);
    assert_true(probe.timing[0].seconds == variant_seconds[SMEARING]);
    for (int i = 1; i < probe.count && probe.timing[i].correct; i++)
        assert_true(probe.timing[i - 1].seconds <= probe.timing[i].seconds);
    assert_true(has_timings(&probe, SLOW, true));
    assert_true(has_timings(&probe, TALL, true));
    assert_true(has_timings(&probe, WRONG, false));
    assert_true(has_timings(&probe, BROKEN, false));
    assert_string_equal(probe.failure, "it is broken");
    assert_int_equal(warnings, 0);
    assert_int_equal(wp_last_error(), WP_ERROR_NONE);
    wp_probe_free(&probe);
}

// A device that is slow for a while affects only some of the trials.
static void test_probe_outlasts_slow_clocks(void **state)
{
    (void)state;
    const struct wp_probe_params params = probe_params(WP_SIZE_SMALL);
    struct wp_probe even, uneven;
    assert_true(wp_probe_run(&params, &even));
    current.slow_runs = 20;
    assert_true(wp_probe_run(&params, &uneven));
    assert_true(current.slow_runs <= 0);
    current.slow_runs = 0;
    for (int i = 0; i < even.count && even.timing[i].correct; i++) {
        assert_ptr_equal(uneven.timing[i].variant, even.timing[i].variant);
        assert_true(uneven.timing[i].seconds == even.timing[i].seconds);
    }
    wp_probe_free(&even);
    wp_probe_free(&uneven);
}

static const struct wp_variant *fastest(double smearing, double tall)
{
    const struct wp_probe_params params = probe_params(WP_SIZE_SMALL);
    const double saved[] = {variant_seconds[SMEARING], variant_seconds[TALL]};
    variant_seconds[SMEARING] = smearing;
    variant_seconds[TALL] = tall;
    struct wp_probe probe;
    assert_true(wp_probe_run(&params, &probe));
    const struct wp_variant *first = probe.timing[0].variant;
    for (int i = 2; i < probe.count && probe.timing[i].correct; i++)
        assert_true(probe.timing[i - 1].seconds <= probe.timing[i].seconds);
    wp_probe_free(&probe);
    variant_seconds[SMEARING] = saved[0];
    variant_seconds[TALL] = saved[1];
    return first;
}

static void test_noise_does_not_choose(void **state)
{
    (void)state;
    assert_ptr_equal(fastest(1.02e-3, 1e-3), &variants[SMEARING]); // tried first
    assert_ptr_equal(fastest(1.05e-3, 1e-3), &variants[TALL]);
    assert_ptr_equal(fastest(1e-3, 1.02e-3), &variants[SMEARING]);
}

// Variants that execute a level at once are tried with lifting first; the others are not.
static void test_probe_tries_the_likely_first(void **state)
{
    (void)state;
    struct wp_probe_params params = probe_params(WP_SIZE_SMALL);
    struct wp_probe probe;
    assert_true(wp_probe_run(&params, &probe));
    for (int i = 0; i < probe.count; i++) {
        const struct wp_timing *t = &probe.timing[i];
        if (t->order < 6)
            assert_ptr_equal(t->variant, &variants[t->order]);
        if (t->order < 6)
            assert_ptr_equal(t->kind, &wp_scheme_kinds[t->order == FAST
                                                           ? WP_SCHEME_SEP_LIFTING
                                                           : WP_SCHEME_SEP_CONVOLUTION]);
    }
    wp_probe_free(&probe);
    params = probe_params(WP_SIZE_LARGE);
    params.limit = 0;
    assert_true(wp_probe_run(&params, &probe));
    assert_int_equal(probe.count, 1);
    assert_int_equal(probe.skipped, 5 * WP_SCHEME_KINDS - 1); // without "tall" and "absent"
    assert_ptr_equal(probe.timing[0].variant, &variants[SLOW]);
    assert_ptr_equal(probe.timing[0].kind, &wp_scheme_kinds[WP_SCHEME_SEP_CONVOLUTION]);
    wp_probe_free(&probe);
}

static volatile sig_atomic_t stop;
static int trials_left;

static void stop_later(const struct wp_timing *next)
{
    (void)next;
    stop = --trials_left <= 0;
}

// Stops between two trials, in the first or the second round.
static void test_probe_is_stopped(void **state)
{
    (void)state;
    struct wp_probe_params params = probe_params(WP_SIZE_SMALL);
    params.stop = &stop;
    params.progress = stop_later;
    const int all = 6 * WP_SCHEME_KINDS;
    for (int trials = 3; trials <= all + 3; trials += all) {
        struct wp_probe probe;
        stop = 0;
        trials_left = trials;
        assert_false(wp_probe_run(&params, &probe));
        assert_int_equal(trials_left, 0);
        assert_int_equal(probe.count, trials < all ? trials : all);
        wp_probe_free(&probe);
    }
    stop = 0;
}

static void test_tuning_file(void **state)
{
    (void)state;
    const struct wp_tuning_key key = {&on, &cdf97, WP_INVERSE, WP_SIZE_MEDIUM};
    struct wp_timing timing[] = {
        {.kind = &wp_scheme_kinds[3], .variant = &variants[FAST], .correct = true, .seconds = 1e-3},
        {.kind = &wp_scheme_kinds[1], .variant = &variants[SLOW], .correct = true,
         .seconds = 2.5e-3},
        {.kind = &wp_scheme_kinds[1], .variant = &variants[WRONG], .error = 2},
    };
    const struct wp_probe probe = {.count = 3, .timing = timing, .seconds = 0.25};
    char *path = wp_tuning_path(&on);
    assert_non_null(strstr(path, "/wavepass/a_GPU_7_x_"));
    assert_int_equal(strncmp(path, directory, strlen(directory)), 0);
    json_t *file = wp_tuning_put(NULL, &key, "a test", &probe);
    struct wp_output *output = wp_tuning_open(path);
    assert_non_null(output);
    assert_true(wp_tuning_write(file, &output));
    json_decref(file);

    file = wp_tuning_read(path, &on);
    assert_non_null(file);
    struct wp_probe got;
    warnings = 0;
    assert_true(wp_tuning_get(file, path, &key, &got));
    assert_int_equal(got.count, 2);
    assert_ptr_equal(got.timing[0].variant, &variants[FAST]);
    assert_ptr_equal(got.timing[0].kind, &wp_scheme_kinds[3]);
    assert_ptr_equal(got.timing[1].variant, &variants[SLOW]);
    assert_true(got.timing[1].seconds == 2.5e-3);
    wp_probe_free(&got);

    // Another key; the same name with other steps; another driver.
    struct wp_tuning_key other = key;
    other.direction = WP_FORWARD;
    assert_false(wp_tuning_get(file, path, &other, &got));
    struct wp_wavelet changed = cdf97;
    changed.pair[1].update.tap[0].c += 1e-15;
    other = key;
    other.wavelet = &changed;
    assert_false(wp_tuning_get(file, path, &other, &got));
    assert_int_equal(warnings, 0);
    struct wp_backend_choice renamed = on;
    renamed.info.name[0] = 'b';
    assert_null(wp_tuning_read(path, &renamed));

    // Replaces the existing entry.
    file = wp_tuning_put(file, &key, "a test", &probe);
    assert_int_equal(json_array_size(json_object_get(file, "choices")), 1);
    json_decref(file);
    assert_int_equal(unlink(path), 0);
    free(path);
}

// The selection that forward and inverse transforms make.
static enum wp_chosen_by choose(const struct wp_transform_params *given, int height,
                                bool nonfinite, const char *variant)
{
    struct wp_autotune autotune = {
        .given = given, .nonfinite = nonfinite, .limit = 60, .capture = capture};
    struct wp_description params = {
        .wavelet = &cdf97,
        .kind = &wp_scheme_kinds[WP_SCHEME_NONSEP_POLYCONVOLUTION],
        .levels = 2,
        .size = {300, height},
    };
    const struct wp_variant *got = NULL;
    warnings = 0;
    current.prepared = 0;
    wp_autotune_choose(&autotune, &on, &params, &got);
    if (!variant) {
        assert_null(got);
        assert_ptr_equal(params.kind, &wp_scheme_kinds[WP_SCHEME_NONSEP_POLYCONVOLUTION]);
    } else {
        assert_non_null(got);
        assert_string_equal(got->name, variant);
        assert_ptr_equal(params.kind, &wp_scheme_kinds[WP_SCHEME_SEP_LIFTING]);
    }
    return autotune.by;
}

static void test_choice_is_probed_once(void **state)
{
    (void)state;
    const struct wp_transform_params none = {0}, scheme = {.scheme = "sep-lifting"},
                                     variant = {.variant = "slow"}, plain = {.plain = true};
    char *path = wp_tuning_path(&on);
    assert_int_equal(choose(&scheme, 200, false, NULL), WP_CHOSEN_BY_OPTIONS);
    assert_int_equal(choose(&variant, 200, false, NULL), WP_CHOSEN_BY_OPTIONS);
    assert_int_equal(choose(&plain, 200, false, NULL), WP_CHOSEN_BY_OPTIONS);
    on.info.software = true;
    assert_int_equal(choose(&none, 200, false, NULL), WP_CHOSEN_BY_RULE);
    on.info.software = false;
    on.info.wall = true;
    assert_int_equal(choose(&none, 200, false, NULL), WP_CHOSEN_BY_RULE);
    on.info.wall = false;
    assert_int_equal(access(path, F_OK), -1);

    assert_int_equal(choose(&none, 200, false, "smearing"), WP_CHOSEN_BY_PROBE);
    assert_true(current.prepared > 0);
    assert_int_equal(access(path, R_OK), 0);
    assert_int_equal(choose(&none, 200, false, "smearing"), WP_CHOSEN_BY_FILE);
    assert_int_equal(current.prepared, 0);
    // The next fastest: if values are not finite, and if the fastest variant does not support the
    // size.
    assert_int_equal(choose(&none, 200, true, "tall"), WP_CHOSEN_BY_FILE);
    assert_int_equal(choose(&none, 1001, true, "fast"), WP_CHOSEN_BY_FILE);
    setenv("WAVEPASS_PROBE", "never", 1);
    assert_int_equal(choose(&none, 200, false, NULL), WP_CHOSEN_BY_RULE);
    unsetenv("WAVEPASS_PROBE");
    assert_int_equal(warnings, 0);
    unlink(path);
    free(path);
}

static void write_file(const char *path, const char *text)
{
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs(text, file);
    fclose(file);
}

static void test_bad_files_are_replaced(void **state)
{
    (void)state;
    static const struct {
        const char *text, *warning; // NULL: no warning
    } files[] = {
        {"", "is not used ("},
        {"{\"format\": 3", "is not used ("},
        {"[1]", NULL},
        {"{\"format\": 0}", NULL},
        {"{\"format\": 3, \"wavepass\": \"" WAVEPASS_VERSION "\", \"renderer\": \"a GPU/7 (x)\","
         " \"driver\": \"\", \"choices\": {}}", "it has no \"choices\""},
    };
    const struct wp_transform_params none = {0};
    char *path = wp_tuning_path(&on);
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        write_file(path, files[i].text);
        assert_int_equal(choose(&none, 200, false, "smearing"), WP_CHOSEN_BY_PROBE);
        assert_int_equal(warnings, files[i].warning ? 1 : 0);
        if (files[i].warning)
            assert_non_null(strstr(last, files[i].warning));
        assert_int_equal(choose(&none, 200, false, "smearing"), WP_CHOSEN_BY_FILE);
        assert_int_equal(warnings, 0);
    }
    unlink(path);
    free(path);
}

// A valid file with one word changed.
static void test_changed_words_are_probed_again(void **state)
{
    (void)state;
    // The second half of the words are from another version, format or driver.
    static const char *const words[][2] = {
        {"\"slow\"", "\"sloe\""},
        {"\"sep-lifting\"", "\"sep-gifting\""},
        {"\"smearing\"", "null"},
        {"\"timed\"", "\"times\""},
        {"\"wavepass\": \"" WAVEPASS_VERSION "\"", "\"wavepass\": \"0.0.9\""},
        {"\"format\": 3", "\"format\": 2"},
        {"\"driver\": \"\"", "\"driver\": \"1.0\""},
        {"\"renderer\": \"a", "\"renderer\": \"b"},
    };
    const size_t count = sizeof words / sizeof *words;
    const struct wp_transform_params none = {0};
    char *path = wp_tuning_path(&on);
    for (size_t i = 0; i < count; i++) {
        unlink(path);
        choose(&none, 200, false, "smearing");
        char text[32768];
        FILE *file = fopen(path, "r");
        assert_non_null(file);
        text[fread(text, 1, sizeof text - 1, file)] = '\0';
        fclose(file);
        char *at = strstr(text, words[i][0]);
        assert_non_null(at);
        struct wp_text changed = {0};
        wp_text_add(&changed, "%.*s%s%s", (int)(at - text), text, words[i][1],
                    at + strlen(words[i][0]));
        write_file(path, wp_text_get(&changed));
        wp_text_free(&changed);
        assert_int_equal(choose(&none, 200, false, "smearing"), WP_CHOSEN_BY_PROBE);
        assert_int_equal(warnings, i < count / 2 ? 1 : 0);
        if (i < count / 2)
            assert_non_null(strstr(last, "its entry for cdf97 forward is not used ("));
        assert_int_equal(choose(&none, 200, false, "smearing"), WP_CHOSEN_BY_FILE);
    }
    unlink(path);
    free(path);
}

static void test_no_probe_without_a_file(void **state)
{
    (void)state;
    const struct wp_transform_params none = {0};
    setenv("XDG_CACHE_HOME", "/dev/null", 1);
    assert_int_equal(choose(&none, 200, false, NULL), WP_CHOSEN_BY_RULE);
    assert_int_equal(warnings, 1);
    assert_non_null(strstr(last, "cannot be stored (cannot write /dev/null/wavepass/"));
    assert_int_equal(current.prepared, 0);
    assert_int_equal(wp_last_error(), WP_ERROR_NONE);
    unsetenv("XDG_CACHE_HOME");
    unsetenv("HOME");
    assert_int_equal(choose(&none, 200, false, NULL), WP_CHOSEN_BY_RULE);
    assert_int_equal(warnings, 1);
    assert_non_null(strstr(last, "neither XDG_CACHE_HOME nor HOME"));
    // Relative directories are ignored; ~/.cache is used.
    setenv("XDG_CACHE_HOME", "cache", 1);
    setenv("HOME", directory, 1);
    char *path = wp_tuning_path(&on);
    assert_int_equal(strncmp(path, directory, strlen(directory)), 0);
    assert_non_null(strstr(path, "/.cache/wavepass/"));
    free(path);
    setenv("XDG_CACHE_HOME", directory, 1);
}

// A failed probe does not fail the transform.
static void test_a_probe_that_fails(void **state)
{
    (void)state;
    static const struct wp_variant broken[] = {{.name = "of no use", .runs_on = runs_nowhere}, {0}};
    const struct wp_transform_params none = {0};
    struct wp_backend useless = backend;
    useless.variants = broken;
    on.backend = &useless;
    assert_int_equal(choose(&none, 200, false, NULL), WP_CHOSEN_BY_RULE);
    on.backend = &backend;
    assert_int_equal(warnings, 1);
    assert_non_null(strstr(last, "failed (none computed the right result); using the default"));
    char *path = wp_tuning_path(&on);
    assert_int_equal(access(path, F_OK), -1);
    free(path);
}

static int set_up(void **state)
{
    (void)state;
    wp_log_set_handler(handle, NULL);
    unsetenv("WAVEPASS_PROBE");
    return wp_wavelet_find("cdf97", &cdf97) && make_scratch(directory) &&
                   setenv("XDG_CACHE_HOME", directory, 1) == 0
               ? 0
               : -1;
}

static int tear_down(void **state)
{
    (void)state;
    char path[SCRATCH_SIZE + 16];
    snprintf(path, sizeof path, "%s/wavepass", directory);
    rmdir(path);
    return rmdir(directory);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_size_classes),
        cmocka_unit_test(test_probe_finds_the_fastest),
        cmocka_unit_test(test_probe_outlasts_slow_clocks),
        cmocka_unit_test(test_noise_does_not_choose),
        cmocka_unit_test(test_probe_is_stopped),
        cmocka_unit_test(test_probe_tries_the_likely_first),
        cmocka_unit_test(test_tuning_file),
        cmocka_unit_test(test_choice_is_probed_once),
        cmocka_unit_test(test_bad_files_are_replaced),
        cmocka_unit_test(test_changed_words_are_probed_again),
        cmocka_unit_test(test_no_probe_without_a_file),
        cmocka_unit_test(test_a_probe_that_fails),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
