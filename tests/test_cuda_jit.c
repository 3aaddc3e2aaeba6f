// Kernels that are made at run time, without a GPU: every shipped wavelet's and those of families
// compile and keep all they have in registers; the files they are kept in; what is missing.
#define _POSIX_C_SOURCE 200809L
#include "cuda_jit.h"
#include "cuda_kernel_cache.h"
#include "cuda_kernel.h"
#include "cuda_jit_method.h"
#include "cuda_program.h"
#include "cuda_typed_kernel.h"
#include "emit_tile.h"
#include "every_wavelet.h"
#include "sample.h"
#include "scratch.h"

#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

enum { NEW = 90, OLD = 75, SKIPPED = 77 };

static char folder[SCRATCH_SIZE];
static char message[512]; // the latest of level info

static void note(void *user, enum wp_log_level level, const char *text)
{
    (void)user;
    if (level <= WP_LOG_INFO)
        snprintf(message, sizeof message, "%s", text);
}

static struct wp_cuda_level level_of(const struct wp_wavelet *wavelet, enum wp_direction direction)
{
    const bool symmetric = wavelet->symmetry != WP_SYMMETRY_NONE;
    struct wp_cuda_level level = {.width = 8192, .height = 8192};
    const struct wp_lifting lifting =
        wp_lifting_make(wavelet, direction, WP_NORM_JPEG2000,
                        symmetric ? WP_BORDER_SYMMETRIC : WP_BORDER_PERIODIC);
    wp_cuda_set_steps(&level, &lifting);
    return level;
}

static int number_before(const char *log, const char *words)
{
    const char *end = strstr(log, words);
    if (!end)
        fail_msg("the log does not tell '%s': %s", words, log);
    while (end > log && end[-1] == ' ')
        end--;
    while (end > log && end[-1] >= '0' && end[-1] <= '9')
        end--;
    return atoi(end);
}

// Prints what the compiler tells of a kernel; all it has must be in registers.
static void check_log(const char *log, const char *name, int capability)
{
    const int registers = number_before(log, " registers");
    const int stack = number_before(log, " bytes stack frame");
    const int spilled = number_before(log, " bytes spill stores");
    printf("%s sm_%d: %d registers, %d bytes spilled\n", name, capability, registers, spilled);
    if (stack || spilled)
        fail_msg("%s sm_%d: a stack of %d bytes, %d spilled", name, capability, stack, spilled);
}

static int made, refused;

static void compile(const struct wp_cuda_level *level, bool wide, const struct wp_cuda_geometry *geometry,
                    int capability, struct wp_text *source, struct wp_text *log,
                    struct wp_cuda_cubin *cubin)
{
    wp_text_free(source);
    wp_text_free(log);
    wp_cuda_add_program(level, wide, geometry, source);
    if (!wp_cuda_nvrtc_compile(wp_text_get(source), capability, cubin, log))
        fail_msg("sm_%d: %s", capability, wp_text_get(log));
}

static void check_kernel(const struct wp_wavelet *wavelet, enum wp_direction direction, bool wide,
                         int capability)
{
    const struct wp_cuda_level level = level_of(wavelet, direction);
    char why[256];
    if (!wp_cuda_jit_covers(&level, wavelet->name, why, sizeof why)) {
        printf("%-10s %s: refused, %s\n", wavelet->name, wp_direction_names[direction], why);
        refused++;
        return;
    }
    struct wp_cuda_geometry geometry = wp_cuda_jit_geometry(&level, wide);
    struct wp_text source = {0}, log = {0};
    struct wp_cuda_cubin cubin;
    compile(&level, wide, &geometry, capability, &source, &log, &cubin);
    if (number_before(wp_text_get(&log), " bytes spill stores") && wp_cuda_jit_relax(&geometry)) {
        printf("%s %s sm_%d: again with all registers\n", wavelet->name,
               wp_direction_names[direction], capability);
        wp_cuda_cubin_free(&cubin);
        compile(&level, wide, &geometry, capability, &source, &log, &cubin);
    }
    char name[64];
    snprintf(name, sizeof name, "%-10s %s%s: %d rows", wavelet->name,
             wp_direction_names[direction], wide ? "" : " single", wp_cuda_ring_rows(&level));
    check_log(wp_text_get(&log), name, capability);
    made++;
    wp_cuda_cubin_free(&cubin);
    wp_text_free(&source);
    wp_text_free(&log);
}

// For both architectures and ways to access bands, or `once`.
static void check_wavelet(const struct wp_wavelet *wavelet, bool once)
{
    for (int d = 0; d < WP_DIRECTION_COUNT; d++)
        for (int wide = once; wide < 2; wide++)
            for (int old = 0; old < 2 - once; old++)
                if (sample_has_costly_case() && wp_cuda_nvrtc_knows(old ? OLD : NEW))
                    check_kernel(wavelet, (enum wp_direction)d, wide, old ? OLD : NEW);
}

static void need_nvrtc(void)
{
    if (!wp_cuda_nvrtc_why_not())
        return;
    printf("skipped: %s\n", wp_cuda_nvrtc_why_not());
    skip();
}

static void test_every_kernel(void **state)
{
    (void)state;
    need_nvrtc();
    static struct wp_wavelet every[EVERY_WAVELET_MAX];
    const int count = every_wavelet(every);
    for (int i = 0; i < count; i++)
        check_wavelet(&every[i], false);
    for (int i = 0; wp_wavelet_family_names[i]; i++) {
        struct wp_wavelet wavelet;
        assert_true(wp_wavelet_find(wp_wavelet_family_names[i], &wavelet));
        check_wavelet(&wavelet, true);
    }
    sample_print();
    printf("%d kernels, %d refused\n", made, refused);
    assert_true(made > 0);
}

// Compiles a source, which it frees; the kernel must keep all it has in registers.
static void check_source(struct wp_text *source, const char *name)
{
    struct wp_text log = {0};
    struct wp_cuda_cubin cubin;
    if (!wp_cuda_nvrtc_compile(wp_text_get(source), NEW, &cubin, &log))
        fail_msg("%s: %s", name, wp_text_get(&log));
    check_log(wp_text_get(&log), name, NEW);
    made++;
    wp_cuda_cubin_free(&cubin);
    wp_text_free(source);
    wp_text_free(&log);
}

// For samples of other types than float, all shapes and both directions.
static void test_every_type(void **state)
{
    (void)state;
    need_nvrtc();
    static const enum wp_element types[] = {WP_ELEMENT_U8, WP_ELEMENT_U16, WP_ELEMENT_F16};
    made = 0;
    for (int i = 0; wp_wavelet_table[i]; i++)
        for (size_t t = 0; t < sizeof types / sizeof *types; t++)
            for (int d = 0; d < 2 * WP_DIRECTION_COUNT; d++) {
                struct wp_cuda_level level = level_of(wp_wavelet_table[i], (enum wp_direction)(d / 2));
                struct wp_text source = {0};
                char name[64];
                for (int b = 0; b < WP_BAND_COUNT; b++)
                    level.band[b] = (struct wp_cuda_band){NULL, 1, 4096, 0};
                level.reversible = d % 2;
                if (!wp_cuda_typed_add_program(types[t], &level, &source) || !sample_has_case()) {
                    wp_text_free(&source);
                    continue;
                }
                snprintf(name, sizeof name, "%s %s %s%s", wp_wavelet_table[i]->name,
                         wp_elements[types[t]].name, wp_direction_names[d / 2],
                         level.reversible ? " reversible" : "");
                check_source(&source, name);
            }
    sample_print();
    assert_true(made > 0);
}

// Kernels of volumes, of the shape of CDF 5/3 and of that of DD 13/7.
static void test_volumes(void **state)
{
    (void)state;
    need_nvrtc();
    static const char *const shapes[] = {"wp_shape<1, 0, 1, -1, 0, false>", "wp_shape<1, -1, 2, -2, 1, true>"};
    static const struct {
        const char *header, *arguments, *function;
    } kernels[] = {
        {"cuda_stream_z.cuh", "wp_stream_z_args<%s>", "wp_stream_z<%s, WP_STREAM_Z_INTERLEAVED, 3, true>"},
        {"cuda_stream_z.cuh", "wp_stream_z_args<%s>", "wp_stream_z<%s, WP_STREAM_Z_SINGLE, 2, false>"},
        {"cuda_temporal.cuh", "wp_line_args<%s>", "wp_lift_lines<%s, 8, false>"},
        {"cuda_temporal.cuh", "wp_line_args<%s>", "wp_lift_lines<%s, 8, true>"},
    };
    for (size_t s = 0; s < sizeof shapes / sizeof *shapes; s++)
        for (size_t k = 0; k < sizeof kernels / sizeof *kernels; k++) {
            char arguments[96], function[128];
            snprintf(arguments, sizeof arguments, kernels[k].arguments, shapes[s]);
            snprintf(function, sizeof function, kernels[k].function, shapes[s]);
            if (!sample_has_name(function))
                continue;
            const struct wp_cuda_jit_params params = {
                .header = kernels[k].header,
                .arguments = arguments,
                .function = function,
                .threads = 256,
            };
            struct wp_text source = {0}, log = {0};
            struct wp_cuda_cubin cubin;
            wp_cuda_jit_add_program(&params, &source);
            if (!wp_cuda_nvrtc_compile(wp_text_get(&source), NEW, &cubin, &log))
                fail_msg("%s: %s", function, wp_text_get(&log));
            assert_true(number_before(wp_text_get(&log), " registers") > 0);
            wp_cuda_cubin_free(&cubin);
            wp_text_free(&source);
            wp_text_free(&log);
        }
}

static void check_block(const struct wp_wavelet *wavelet, const struct wp_scheme_kind *kind,
                        enum wp_direction direction)
{
    struct wp_scheme *scheme = wp_scheme_create(&(struct wp_scheme_params){
        .wavelet = wavelet,
        .kind = kind,
        .form = WP_FORM_BLOCK,
        .direction = direction,
        .norm = WP_NORM_NONE,
    });
    assert_non_null(scheme);
    const struct wp_tile tile = wp_tile_of_block(scheme);
    const struct wp_emit_target target = {.dialect = &wp_cuda_c};
    struct wp_text source = {0};
    char name[128];
    const struct wp_tile_counts counts = wp_emit_tile(scheme, &tile, &target, &source);
    snprintf(name, sizeof name, "%-40s %s %dx%d, %5d operations", scheme->name,
             wp_direction_names[direction], tile.lanes, tile.rows, counts.operations);
    check_source(&source, name);
    wp_scheme_destroy(&scheme);
}

// Those of the schemes, as blocks run them.
static void test_every_block(void **state)
{
    (void)state;
    need_nvrtc();
    static struct wp_wavelet every[EVERY_WAVELET_MAX];
    const int count = every_wavelet(every);
    made = 0;
    for (int i = 0; i < count; i++)
        for (int k = 0; k < WP_SCHEME_KINDS; k++)
            for (int d = 0; d < WP_DIRECTION_COUNT; d++)
                if (sample_has_case())
                    check_block(&every[i], &wp_scheme_kinds[k], (enum wp_direction)d);
    sample_print();
    assert_true(made > 0);
}

// A wavelet of 64 taps: two pairs of the most taps that steps have, far apart.
static void test_too_long(void **state)
{
    (void)state;
    struct wp_wavelet wavelet = *table_wavelet("haar");
    wavelet.pairs = 2;
    for (int p = 0; p < wavelet.pairs; p++)
        for (int t = 0; t < WP_MAX_TAPS; t++) {
            wavelet.pair[p].predict.count = wavelet.pair[p].update.count = WP_MAX_TAPS;
            wavelet.pair[p].predict.tap[t] = (struct wp_tap){t - 7, 0.01};
            wavelet.pair[p].update.tap[t] = (struct wp_tap){t - 8, 0.01};
        }
    for (int d = 0; d < WP_DIRECTION_COUNT; d++) {
        const struct wp_cuda_level level = level_of(&wavelet, (enum wp_direction)d);
        char why[256] = "";
        assert_false(wp_cuda_jit_covers(&level, "long", why, sizeof why));
        assert_non_null(strstr(why, "long needs "));
        assert_non_null(strstr(why, "the limit is 255"));
    }
    // Without any step, and with one that reaches too far.
    for (int p = 0; p < wavelet.pairs; p++)
        wavelet.pair[p] = (struct wp_pair){0};
    struct wp_cuda_level level = level_of(&wavelet, WP_FORWARD);
    char why[256] = "";
    assert_false(wp_cuda_jit_covers(&level, "lazy", why, sizeof why));
    assert_string_equal(why, "lazy has no lifting steps");
    wavelet.pair[0].predict = (struct wp_filter){1, {{-40, 0.5}}};
    wavelet.pair[0].update = (struct wp_filter){1, {{40, 0.5}}};
    level = level_of(&wavelet, WP_FORWARD);
    assert_false(wp_cuda_jit_covers(&level, "far", why, sizeof why));
}

static char *source_of(const char *name)
{
    struct wp_wavelet wavelet;
    assert_true(wp_wavelet_find(name, &wavelet));
    const struct wp_cuda_level level = level_of(&wavelet, WP_FORWARD);
    const struct wp_cuda_geometry geometry = wp_cuda_jit_geometry(&level, true);
    struct wp_text source = {0};
    wp_cuda_add_program(&level, true, &geometry, &source);
    return source.data;
}

// Gets it, and tells whether it was compiled.
static bool get(const char *source, struct wp_cuda_cubin *cubin)
{
    struct wp_text log = {0};
    bool compiled = false;
    message[0] = '\0';
    if (!wp_cuda_get_cubin(source, NEW, NULL, cubin, &compiled, &log))
        fail_msg("%s", wp_text_get(&log));
    wp_text_free(&log);
    assert_true(cubin->size > 4);
    assert_memory_equal(cubin->data, "\177ELF", 4);
    return compiled;
}

static void expect(const char *source, bool compiled, const struct wp_cuda_cubin *as)
{
    struct wp_cuda_cubin cubin;
    assert_int_equal(get(source, &cubin), compiled);
    assert_int_equal(cubin.size, as->size);
    assert_memory_equal(cubin.data, as->data, as->size);
    wp_cuda_cubin_free(&cubin);
}

static void rewrite(const char *path, const void *data, size_t size)
{
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(data, 1, size, file), size);
    assert_int_equal(fclose(file), 0);
}

static void test_kept(void **state)
{
    (void)state;
    need_nvrtc();
    char *source = source_of("haar"), *other = source_of("cdf53");
    char *path = wp_cuda_kernel_cache_path(source, NEW);
    assert_non_null(path);
    assert_non_null(strstr(path, "/wavepass/kernels/"));
    struct wp_cuda_cubin cubin, foreign;
    assert_true(get(source, &cubin));
    expect(source, false, &cubin);
    assert_true(get(other, &foreign)); // another key
    // Empty, cut off, longer, with one bit changed, anything, another kernel's.
    struct stat info;
    assert_int_equal(stat(path, &info), 0);
    const size_t size = (size_t)info.st_size;
    char *whole = malloc(size + 1);
    FILE *file = fopen(path, "rb");
    assert_int_equal(fread(whole, 1, size, file), size);
    fclose(file);
    rewrite(path, "", 0);
    expect(source, true, &cubin);
    expect(source, false, &cubin);
    rewrite(path, whole, size - 1);
    expect(source, true, &cubin);
    whole[size] = 0;
    rewrite(path, whole, size + 1);
    expect(source, true, &cubin);
    for (size_t at = 0; at < size; at += size / 7) {
        whole[at] ^= 4;
        rewrite(path, whole, size);
        expect(source, true, &cubin);
        whole[at] ^= 4;
    }
    rewrite(path, whole, size);
    expect(source, false, &cubin);
    rewrite(path, "no kernel\n", 10);
    expect(source, true, &cubin);
    char *otherwise = wp_cuda_kernel_cache_path(other, NEW);
    assert_string_not_equal(otherwise, path);
    assert_int_equal(rename(otherwise, path), 0);
    expect(source, true, &cubin);
    // A folder of that name.
    assert_int_equal(remove(path), 0);
    assert_int_equal(mkdir(path, 0700), 0);
    expect(source, true, &cubin);
    assert_int_equal(rmdir(path), 0);
    free(whole);
    free(otherwise);
    free(path);
    free(source);
    free(other);
    wp_cuda_cubin_free(&cubin);
    wp_cuda_cubin_free(&foreign);
}

// What only a process by itself can see; its exit status is a number of a line that failed, or 0.
#define CHECK(condition) \
    do { \
        if (!(condition)) \
            _exit(1 + __LINE__ % 250); \
    } while (0)

static void alone(void (*task)(const char *argument), const char *argument)
{
    fflush(NULL);
    const pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        task(argument);
        _exit(0);
    }
    int status = 0;
    assert_int_equal(waitpid(child, &status, 0), child);
    if (!WIFEXITED(status) || WEXITSTATUS(status) != 0)
        fail_msg("'%s': status %d, the check at a line of 250 n + %d", argument, status,
                 WEXITSTATUS(status) - 1);
}

static void be_without_room(const char *cache)
{
    setenv("XDG_CACHE_HOME", cache, 1);
    struct rlimit limit = {4096, 4096};
    signal(SIGXFSZ, SIG_IGN);
    setrlimit(RLIMIT_FSIZE, &limit);
    char *source = source_of("cdf53");
    struct wp_text log = {0};
    struct wp_cuda_cubin cubin;
    bool compiled = false;
    char *other = source_of("haar");
    // Each is compiled once, and remembered until many others have been.
    const struct {
        const char *source;
        bool compiled;
    } asked[] = {{source, true}, {source, false}, {other, true}, {source, false}, {other, false}};
    for (size_t i = 0; i < sizeof asked / sizeof *asked; i++) {
        message[0] = '\0';
        CHECK(wp_cuda_get_cubin(asked[i].source, NEW, NULL, &cubin, &compiled, &log));
        CHECK(compiled == asked[i].compiled && cubin.size > 4);
        CHECK(memcmp(cubin.data, "\177ELF", 4) == 0);
        CHECK(wp_last_error() == WP_ERROR_NONE);
        CHECK(!strstr(message, "cannot be cached") == (i > 0)); // told once
    }
}

static void test_no_room(void **state)
{
    (void)state;
    need_nvrtc();
    char path[SCRATCH_SIZE + 16];
    snprintf(path, sizeof path, "%s/full", folder);
    alone(be_without_room, path);        // no room
    alone(be_without_room, "/dev/null"); // no folder
    alone(be_without_room, "relative");  // does not count, and there is no other
}

static void be_with(const char *pair)
{
    // The library, '|', and words of the reason.
    const char *words = strchr(pair, '|') + 1;
    char library[512];
    snprintf(library, sizeof library, "%.*s", (int)(words - 1 - pair), pair);
    setenv("WAVEPASS_NVRTC", library, 1);
    const char *why = wp_cuda_nvrtc_why_not();
    struct wp_text log = {0};
    struct wp_cuda_cubin cubin;
    CHECK(!wp_cuda_nvrtc_knows(NEW));
    if (!words[0]) { // a good one, but for what it knows
        CHECK(!why);
        CHECK(wp_cuda_nvrtc_version() == 99020);
        CHECK(wp_cuda_nvrtc_knows(990));
        return;
    }
    CHECK(why && strstr(why, words));
    CHECK(wp_cuda_nvrtc_version() == 0);
    CHECK(!wp_cuda_nvrtc_compile("", NEW, &cubin, &log) && !cubin.data);
    CHECK(strstr(wp_text_get(&log), words));
    char reason[256];
    const struct wp_device device = {.properties = {.major = 9}};
    CHECK(!wp_cuda_kernels_run_on(&device, reason, sizeof reason) && strstr(reason, words));
}

// In this process nothing has asked for NVRTC yet.
static void test_missing(void **state)
{
    (void)state;
    alone(be_with, "/no/such/libnvrtc.so|no NVRTC: /no/such/libnvrtc.so");
    alone(be_with, "libm.so.6|NVRTC has no nvrtcVersion");
    alone(be_with, WP_TEST_NVRTC_OLD "|NVRTC 9.2 is older than 11.8");
    alone(be_with, WP_TEST_NVRTC_NEW "|");
}

// test_cuda_jit [PATTERN]: only the tests whose names match.
int main(int argc, char **argv)
{
    if (argc > 1)
        cmocka_set_test_filter(argv[1]);
    wp_log_set_handler(note, NULL);
    unsetenv("HOME");
    if (!make_scratch(folder) || setenv("XDG_CACHE_HOME", folder, 1) != 0)
        return 1;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_missing), cmocka_unit_test(test_too_long),
        cmocka_unit_test(test_no_room), cmocka_unit_test(test_kept),
        cmocka_unit_test(test_every_kernel), cmocka_unit_test(test_every_type), cmocka_unit_test(test_volumes),
        cmocka_unit_test(test_every_block),
    };
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    char command[SCRATCH_SIZE + 16];
    snprintf(command, sizeof command, "rm -r '%s'", folder);
    return system(command) != 0 || failed != 0;
}
