// Kernels compiled at run time, without a GPU: the kernels of all shipped wavelets and of families
// compile without register spills; kernel cache files; missing libraries.
#define _POSIX_C_SOURCE 200809L
#include "cuda_batch.h"
#include "cuda_jit.h"
#include "cuda_kernel.h"
#include "emit_tile.h"
#include "every_wavelet.h"
#include "redundant.h"
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
static char message[512]; // last message of level info or above

static void store_message(void *user, enum wp_log_level level, const char *text)
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
        fail_msg("the log does not contain '%s': %s", words, log);
    while (end > log && end[-1] == ' ')
        end--;
    while (end > log && end[-1] >= '0' && end[-1] <= '9')
        end--;
    return atoi(end);
}

// Prints the compiler's register count of a kernel; fails the test if registers spill to memory.
static void check_log(const char *log, const char *name, int capability)
{
    const int registers = number_before(log, " registers");
    const int stack = number_before(log, " bytes stack frame");
    const int spilled = number_before(log, " bytes spill stores");
    printf("%s sm_%d: %d registers, %d bytes spilled\n", name, capability, registers, spilled);
    if (stack || spilled)
        fail_msg("%s sm_%d: a stack of %d bytes, %d spilled", name, capability, stack, spilled);
}

static int compiled_kernels, rejected_kernels;

static void compile(const struct wp_cuda_level *level, bool wide,
                    const struct wp_cuda_geometry *geometry, int capability, struct wp_text *source,
                    struct wp_text *log, struct wp_cuda_cubin *cubin)
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
        printf("%-10s %s: rejected, %s\n", wavelet->name, wp_direction_names[direction], why);
        rejected_kernels++;
        return;
    }
    struct wp_cuda_geometry geometry = wp_cuda_jit_geometry(&level, wide);
    struct wp_text source = {0}, log = {0};
    struct wp_cuda_cubin cubin;
    compile(&level, wide, &geometry, capability, &source, &log, &cubin);
    if (number_before(wp_text_get(&log), " bytes spill stores") && wp_cuda_jit_relax(&geometry)) {
        printf("%s %s sm_%d: compiled again with all registers\n", wavelet->name,
               wp_direction_names[direction], capability);
        wp_cuda_cubin_free(&cubin);
        compile(&level, wide, &geometry, capability, &source, &log, &cubin);
    }
    char name[64];
    snprintf(name, sizeof name, "%-10s %s%s: %d rows", wavelet->name,
             wp_direction_names[direction], wide ? "" : " single", wp_cuda_ring_rows(&level));
    check_log(wp_text_get(&log), name, capability);
    compiled_kernels++;
    wp_cuda_cubin_free(&cubin);
    wp_text_free(&source);
    wp_text_free(&log);
}

// Both architectures and both kinds of band access; only one of each if `once`.
static void check_wavelet(const struct wp_wavelet *wavelet, bool once)
{
    for (int d = 0; d < WP_DIRECTION_COUNT; d++)
        for (int wide = once; wide < 2; wide++)
            for (int old = 0; old < 2 - once; old++)
                if (sample_has_costly_case() && wp_cuda_nvrtc_knows(old ? OLD : NEW))
                    check_kernel(wavelet, (enum wp_direction)d, wide, old ? OLD : NEW);
}

static void skip_without_nvrtc(void)
{
    if (!wp_cuda_nvrtc_why_not())
        return;
    printf("skipped: %s\n", wp_cuda_nvrtc_why_not());
    skip();
}

static void test_every_kernel(void **state)
{
    (void)state;
    skip_without_nvrtc();
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
    printf("%d kernels, %d rejected\n", compiled_kernels, rejected_kernels);
    assert_true(compiled_kernels > 0);
}

// Compiles and frees a source; fails the test if the kernel spills registers.
static void check_source(struct wp_text *source, const char *name)
{
    struct wp_text log = {0};
    struct wp_cuda_cubin cubin;
    if (!wp_cuda_nvrtc_compile(wp_text_get(source), NEW, &cubin, &log))
        fail_msg("%s: %s", name, wp_text_get(&log));
    check_log(wp_text_get(&log), name, NEW);
    compiled_kernels++;
    wp_cuda_cubin_free(&cubin);
    wp_text_free(source);
    wp_text_free(&log);
}

// For element types other than float, all shapes and both directions.
static void test_every_type(void **state)
{
    (void)state;
    skip_without_nvrtc();
    static const enum wp_element types[] = {WP_ELEMENT_U8, WP_ELEMENT_U16, WP_ELEMENT_F16};
    compiled_kernels = 0;
    for (int i = 0; wp_wavelet_table[i]; i++)
        for (size_t t = 0; t < sizeof types / sizeof *types; t++)
            for (int d = 0; d < 2 * WP_DIRECTION_COUNT; d++) {
                struct wp_cuda_level level =
                    level_of(wp_wavelet_table[i], (enum wp_direction)(d / 2));
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
    assert_true(compiled_kernels > 0);
}

// Kernels for volumes, for the shapes of CDF 5/3 and DD 13/7.
static void test_volumes(void **state)
{
    (void)state;
    skip_without_nvrtc();
    static const char *const shapes[] = {"wp_shape<1, 0, 1, -1, 0, false>",
                                         "wp_shape<1, -1, 2, -2, 1, true>"};
    static const struct {
        const char *header, *arguments, *function;
    } kernels[] = {
        {"cuda_stream_z.cuh", "wp_stream_z_args<%s>",
         "wp_stream_z<%s, WP_STREAM_Z_INTERLEAVED, 3, true>"},
        {"cuda_stream_z.cuh", "wp_stream_z_args<%s>",
         "wp_stream_z<%s, WP_STREAM_Z_SINGLE, 2, false>"},
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

// Kernels of the schemes, as blocks.
static void test_every_block(void **state)
{
    (void)state;
    skip_without_nvrtc();
    static struct wp_wavelet every[EVERY_WAVELET_MAX];
    const int count = every_wavelet(every);
    compiled_kernels = 0;
    for (int i = 0; i < count; i++)
        for (int k = 0; k < WP_SCHEME_KINDS; k++)
            for (int d = 0; d < WP_DIRECTION_COUNT; d++)
                if (sample_has_case())
                    check_block(&every[i], &wp_scheme_kinds[k], (enum wp_direction)d);
    sample_print();
    assert_true(compiled_kernels > 0);
}

// A wavelet of 64 taps: two pairs of steps with the maximum number of taps.
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
    // Without lifting steps, and with a step that reaches too far.
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

// Compiles the kernel of `batch` for images of a size, or of tiles if `planes` is 0.
static void check_batch(const struct wp_batch_types *types, const char *name,
                        enum wp_direction direction, int width, int height, int levels, int planes,
                        int dense)
{
    enum { BLOCK_MOST = 2047 }; // samples of a signal in a block
    struct wp_wavelet wavelet;
    struct wp_cuda_level level[6];
    if (!sample_has_costly_case())
        return;
    assert_true(wp_wavelet_find(name, &wavelet));
    for (int l = 0; l < levels; l++, width = (width + 1) / 2, height = (height + 1) / 2) {
        level[l] = level_of(&wavelet, direction);
        level[l].width = width;
        level[l].height = height;
    }
    const struct wp_exec exec = {
        .levels = levels,
        .level = level,
        .description = {.wavelet = &wavelet, .direction = direction},
    };
    struct wp_text source = {0}, log = {0};
    struct wp_cuda_cubin cubin;
    char label[96];
    if (planes && height == 1 && level->width > BLOCK_MOST)
        wp_cuda_batch_add_part_program(&exec, types, levels, &source);
    else if (planes)
        wp_cuda_batch_add_program(&exec, types, 0, planes, dense, &source);
    else
        wp_cuda_batch_add_tile_program(&exec, types, &source);
    if (!wp_cuda_nvrtc_compile(wp_text_get(&source), NEW, &cubin, &log))
        fail_msg("%s: %s", name, wp_text_get(&log));
    snprintf(label, sizeof label, "batch %s %s %dx%d, %d planes", name,
             wp_direction_names[direction], level->width, level->height, planes);
    check_log(wp_text_get(&log), label, NEW);
    wp_cuda_cubin_free(&cubin);
    wp_text_free(&source);
    wp_text_free(&log);
}

// Compiles the kernels of a full tree of packets.
static void check_packets(const struct wp_batch_types *types, const char *name,
                          enum wp_border border, enum wp_direction direction, int width,
                          int height, int levels, int launches)
{
    struct wp_wavelet wavelet;
    struct wp_cuda_level level = {.width = width, .height = height};
    assert_true(wp_wavelet_find(name, &wavelet));
    const struct wp_exec exec = {
        .levels = levels,
        .level = &level,
        .description = {.wavelet = &wavelet, .direction = direction, .border = border,
                        .bank = WP_BANK_PACKETS, .size = {width, height, 1}, .levels = levels,
                        .samples = types->samples, .coefficients = types->high},
    };
    const struct wp_lifting lifting = wp_description_lifting(&exec.description);
    wp_cuda_set_steps(&level, &lifting);
    for (int i = 0; i < launches; i++) {
        struct wp_text source = {0};
        char label[96];
        if (!sample_has_costly_case())
            continue;
        wp_cuda_packets_add_program(&exec, types, i, true, &source);
        snprintf(label, sizeof label, "packets of %s %s %dx%d, launch %d", name,
                 wp_direction_names[direction], width, height, i);
        check_source(&source, label);
    }
}

static void test_packets(void **state)
{
    (void)state;
    static const struct wp_batch_types f32 = {WP_ELEMENT_F32, WP_ELEMENT_F32, WP_ELEMENT_F32},
                                       f64 = {WP_ELEMENT_F64, WP_ELEMENT_F64, WP_ELEMENT_F64},
                                       mixed = {WP_ELEMENT_F16, WP_ELEMENT_BF16, WP_ELEMENT_BF16},
                                       wider = {WP_ELEMENT_F32, WP_ELEMENT_F64, WP_ELEMENT_F64},
                                       narrower = {WP_ELEMENT_F64, WP_ELEMENT_F32, WP_ELEMENT_F32};
    skip_without_nvrtc();
    for (int d = 0; d < WP_DIRECTION_COUNT; d++) {
        const enum wp_direction direction = (enum wp_direction)d;
        check_packets(&f32, "cdf97", WP_BORDER_SYMMETRIC, direction, 128, 128, 3, 1);
        check_packets(&f32, "db4", WP_BORDER_PERIODIC, direction, 128, 128, 3, 1);
        check_packets(&f32, "haar", WP_BORDER_SYMMETRIC, direction, 8192, 8192, 3, 2);
        check_packets(&f32, "cdf97", WP_BORDER_SYMMETRIC, direction, 8192, 8192, 3, 2);
        check_packets(&f32, "db4", WP_BORDER_PERIODIC, direction, 8192, 8192, 3, 2);
        check_packets(&f64, "cdf97", WP_BORDER_SYMMETRIC, direction, 192, 64, 2, 2);
        check_packets(&wider, "cdf97", WP_BORDER_SYMMETRIC, direction, 192, 64, 2, 2);
        check_packets(&narrower, "cdf97", WP_BORDER_SYMMETRIC, direction, 192, 64, 2, 2);
        check_packets(&mixed, "db2", WP_BORDER_PERIODIC, direction, 16, 32, 4, 1);
        check_packets(&mixed, "cdf97", WP_BORDER_SYMMETRIC, direction, 4096, 1, 4, 2);
    }
    sample_print();
}

// Compiles the kernel of `batch` for images with a border of PyWavelets.
static void check_border(const struct wp_batch_types *types, const char *name,
                         enum wp_border border, enum wp_direction direction, bool adjoint,
                         int width, int height, int levels)
{
    struct wp_wavelet wavelet;
    struct wp_cuda_level level = {0};
    struct wp_batch_border block;
    if (!sample_has_costly_case())
        return;
    assert_true(wp_wavelet_find(name, &wavelet));
    const struct wp_exec exec = {
        .levels = levels,
        .level = &level,
        .description = {.wavelet = &wavelet, .border = border, .direction = direction,
                        .adjoint = adjoint, .size = {width, height, 1}, .levels = levels,
                        .samples = types->samples, .coefficients = types->high},
    };
    const struct wp_lifting lifting = wp_description_lifting(&exec.description);
    struct wp_text source = {0}, log = {0};
    struct wp_cuda_cubin cubin;
    char label[96];
    wp_cuda_set_steps(&level, &lifting);
    assert_true(wp_cuda_batch_find_border(&level, &exec.description, &block));
    wp_cuda_batch_add_border_program(&exec, types, &block, 3, &source);
    if (!wp_cuda_nvrtc_compile(wp_text_get(&source), NEW, &cubin, &log))
        fail_msg("%s: %s", name, wp_text_get(&log));
    snprintf(label, sizeof label, "batch %s %s %s%s %dx%d", name, wp_border_names[border],
             adjoint ? "adjoint " : "", wp_direction_names[direction], width, height);
    check_log(wp_text_get(&log), label, NEW);
    wp_cuda_cubin_free(&cubin);
    wp_text_free(&source);
    wp_text_free(&log);
}

static void test_borders(void **state)
{
    (void)state;
    static const struct wp_batch_types f32 = {0}, f64 = {WP_ELEMENT_F64, WP_ELEMENT_F64,
                                                         WP_ELEMENT_F64};
    skip_without_nvrtc();
    for (int d = 0; d < WP_DIRECTION_COUNT; d++)
        for (int adjoint = 0; adjoint < 2; adjoint++) {
            const enum wp_direction direction = (enum wp_direction)d;
            check_border(&f32, "db4", WP_BORDER_PYWT_SYMMETRIC, direction, adjoint, 128, 128, 3);
            check_border(&f32, "cdf97", WP_BORDER_PYWT_SMOOTH, direction, adjoint, 100, 1, 4);
            check_border(&f64, "db2", WP_BORDER_PYWT_ANTIREFLECT, direction, adjoint, 33, 20, 2);
        }
    sample_print();
}

static void test_batches(void **state)
{
    (void)state;
    enum { GAPS = 0, DENSE = 3 };
    static const struct wp_batch_types f32 = {0}, f64 = {WP_ELEMENT_F64, WP_ELEMENT_F64,
                                                         WP_ELEMENT_F64},
                                       bf16 = {WP_ELEMENT_BF16, WP_ELEMENT_BF16, WP_ELEMENT_BF16},
                                       first = {WP_ELEMENT_F16, WP_ELEMENT_F32, WP_ELEMENT_F16},
                                       mixed = {WP_ELEMENT_F16, WP_ELEMENT_F64, WP_ELEMENT_F64},
                                       integer = {WP_ELEMENT_U8, WP_ELEMENT_F64, WP_ELEMENT_F64};
    skip_without_nvrtc();
    for (int d = 0; d < WP_DIRECTION_COUNT; d++) {
        const enum wp_direction direction = (enum wp_direction)d;
        check_batch(&f32, "haar", direction, 64, 64, 1, 2, DENSE);
        check_batch(&f32, "cdf97", direction, 64, 64, 3, 2, DENSE);
        check_batch(&f32, "haar", direction, 17, 5, 3, 7, GAPS);
        check_batch(&f32, "db4", direction, 128, 1, 3, 64, DENSE);
        check_batch(&f32, "cdf97", direction, 512, 512, 1, 0, DENSE);
        check_batch(&f32, "cdf97", direction, 65536, 1, 3, 1, DENSE);
        check_batch(&f32, "haar", direction, 65536, 1, 4, 1, DENSE);
        check_batch(&f64, "db4", direction, 65536, 1, 4, 1, DENSE);
        check_batch(&bf16, "sym8", direction, 65536, 1, 2, 1, DENSE);
        check_batch(&f64, "cdf97", direction, 64, 64, 3, 1, DENSE);
        check_batch(&f64, "haar", direction, 512, 512, 1, 0, DENSE);
        check_batch(&bf16, "cdf97", direction, 64, 64, 3, 2, DENSE);
        check_batch(&bf16, "db4", direction, 33, 31, 2, 2, GAPS);
        check_batch(&first, "cdf97", direction, 512, 512, 1, 0, DENSE);
        check_batch(&mixed, "db2", direction, 20, 7, 2, 5, GAPS);
        if (direction == WP_FORWARD) { // integers are only read
            check_batch(&integer, "db2", direction, 20, 8, 2, 5, GAPS);
            check_batch(&integer, "cdf97", direction, 512, 512, 1, 0, DENSE);
            check_batch(&integer, "db2", direction, 65536, 1, 3, 1, DENSE);
        }
    }
    sample_print();
}

// Compiles a kernel of `redundant` with all types the same.
static void check_bank(const struct wp_description *d, enum wp_bank_kind kind, unsigned axes,
                       enum wp_element type, int dilation)
{
    const enum wp_element types[] = {type, type, type, type, type};
    struct wp_redundant bank;
    struct wp_text source = {0}, log = {0};
    struct wp_cuda_cubin cubin;
    if (!sample_has_costly_case())
        return;
    assert_true(wp_redundant_make(d, &bank));
    struct wp_bank_shape shape =
        wp_cuda_bank_shape(&bank, kind, axes, dilation, type == WP_ELEMENT_F64);
    shape.centered = kind == WP_BANK_DIFFERENCE;
    shape.difference = kind == WP_BANK_MERGE;
    if (kind == WP_BANK_SUM)
        shape = (struct wp_bank_shape){.threads = 128};
    wp_cuda_bank_add_program(&bank, kind, axes, &shape, types, &source);
    if (!wp_cuda_nvrtc_compile(wp_text_get(&source), NEW, &cubin, &log))
        fail_msg("%s", wp_text_get(&log));
    printf("bank %d, axes %u, %s, %s, taps %d apart: %d registers\n", (int)kind, axes,
           d->wavelet->name, wp_elements[type].name, dilation, number_before(wp_text_get(&log), " registers"));
    wp_cuda_cubin_free(&cubin);
    wp_text_free(&source);
    wp_text_free(&log);
}

static void test_banks(void **state)
{
    (void)state;
    static const char *const name[] = {"haar", "cdf97", "db4"};
    static const enum wp_element type[] = {WP_ELEMENT_F32, WP_ELEMENT_BF16, WP_ELEMENT_F64};
    skip_without_nvrtc();
    for (size_t w = 0; w < sizeof name / sizeof *name; w++) {
        struct wp_wavelet wavelet;
        assert_true(wp_wavelet_find(name[w], &wavelet));
        struct wp_description d = {.wavelet = &wavelet, .border = WP_BORDER_PERIODIC,
                                   .size = {100, 80, 1}, .levels = 2,
                                   .bank = WP_BANK_UNDECIMATED};
        for (unsigned axes = 1; axes < 4; axes++) {
            check_bank(&d, WP_BANK_SPLIT, axes, type[w], 1 << w);
            d.direction = WP_INVERSE;
            check_bank(&d, WP_BANK_JOIN, axes, type[w], 1 << w);
            d.adjoint = true;
            d.border = w == 1 ? WP_BORDER_SYMMETRIC : WP_BORDER_PERIODIC;
            d.bank = WP_BANK_STARLET;
            check_bank(&d, WP_BANK_MERGE, axes, type[w], 1 << w);
            d.adjoint = false;
            d.direction = WP_FORWARD;
            check_bank(&d, WP_BANK_DIFFERENCE, axes, type[w], 1 << w);
            check_bank(&d, WP_BANK_SUM, 0, type[w], 1 << w);
            d.bank = WP_BANK_UNDECIMATED;
        }
    }
    sample_print();
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

// Gets a cubin; returns true if it was compiled.
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

static void expect(const char *source, bool compiled, const struct wp_cuda_cubin *expected)
{
    struct wp_cuda_cubin cubin;
    assert_int_equal(get(source, &cubin), compiled);
    assert_int_equal(cubin.size, expected->size);
    assert_memory_equal(cubin.data, expected->data, expected->size);
    wp_cuda_cubin_free(&cubin);
}

static void rewrite(const char *path, const void *data, size_t size)
{
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(data, 1, size, file), size);
    assert_int_equal(fclose(file), 0);
}

static void test_kernel_cache(void **state)
{
    (void)state;
    skip_without_nvrtc();
    char *source = source_of("haar"), *other = source_of("cdf53");
    char *path = wp_cuda_kernel_cache_path(source, NEW);
    assert_non_null(path);
    assert_non_null(strstr(path, "/wavepass/kernels/"));
    struct wp_cuda_cubin cubin, foreign;
    assert_true(get(source, &cubin));
    expect(source, false, &cubin);
    assert_true(get(other, &foreign)); // another key
    // Empty, truncated, longer, with one bit changed, with other content, of another kernel.
    struct stat info;
    assert_int_equal(stat(path, &info), 0);
    const size_t size = (size_t)info.st_size;
    char *content = malloc(size + 1);
    FILE *file = fopen(path, "rb");
    assert_int_equal(fread(content, 1, size, file), size);
    fclose(file);
    rewrite(path, "", 0);
    expect(source, true, &cubin);
    expect(source, false, &cubin);
    rewrite(path, content, size - 1);
    expect(source, true, &cubin);
    content[size] = 0;
    rewrite(path, content, size + 1);
    expect(source, true, &cubin);
    for (size_t at = 0; at < size; at += size / 7) {
        content[at] ^= 4;
        rewrite(path, content, size);
        expect(source, true, &cubin);
        content[at] ^= 4;
    }
    rewrite(path, content, size);
    expect(source, false, &cubin);
    rewrite(path, "no kernel\n", 10);
    expect(source, true, &cubin);
    char *other_path = wp_cuda_kernel_cache_path(other, NEW);
    assert_string_not_equal(other_path, path);
    assert_int_equal(rename(other_path, path), 0);
    expect(source, true, &cubin);
    // A folder of that name.
    assert_int_equal(remove(path), 0);
    assert_int_equal(mkdir(path, 0700), 0);
    expect(source, true, &cubin);
    assert_int_equal(rmdir(path), 0);
    free(content);
    free(other_path);
    free(path);
    free(source);
    free(other);
    wp_cuda_cubin_free(&cubin);
    wp_cuda_cubin_free(&foreign);
}

// For child processes: exits with a status that encodes the line of the failed check.
#define CHECK(condition) \
    do { \
        if (!(condition)) \
            _exit(1 + __LINE__ % 250); \
    } while (0)

static void run_in_child(void (*task)(const char *argument), const char *argument)
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

static void check_without_cache(const char *cache)
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
    // Each source is compiled once, and remains in memory until many others have been compiled.
    const struct {
        const char *source;
        bool compiled;
    } requests[] = {
        {source, true}, {source, false}, {other, true}, {source, false}, {other, false}};
    for (size_t i = 0; i < sizeof requests / sizeof *requests; i++) {
        message[0] = '\0';
        CHECK(wp_cuda_get_cubin(requests[i].source, NEW, NULL, &cubin, &compiled, &log));
        CHECK(compiled == requests[i].compiled && cubin.size > 4);
        CHECK(memcmp(cubin.data, "\177ELF", 4) == 0);
        CHECK(wp_last_error() == WP_ERROR_NONE);
        CHECK(!strstr(message, "cannot be cached") == (i > 0)); // reported once
    }
}

static void test_without_cache(void **state)
{
    (void)state;
    skip_without_nvrtc();
    char path[SCRATCH_SIZE + 16];
    snprintf(path, sizeof path, "%s/full", folder);
    run_in_child(check_without_cache, path);        // file size limit
    run_in_child(check_without_cache, "/dev/null"); // not a folder
    run_in_child(check_without_cache, "relative");  // ignored, and HOME is not set
}

static void check_library(const char *pair)
{
    // `pair` is the library, '|', and part of the reason.
    const char *words = strchr(pair, '|') + 1;
    char library[512];
    snprintf(library, sizeof library, "%.*s", (int)(words - 1 - pair), pair);
    setenv("WAVEPASS_NVRTC", library, 1);
    const char *why = wp_cuda_nvrtc_why_not();
    struct wp_text log = {0};
    struct wp_cuda_cubin cubin;
    CHECK(!wp_cuda_nvrtc_knows(NEW));
    if (!words[0]) { // a valid library, for unknown architectures
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

// Runs first, as NVRTC is loaded once per process.
static void test_missing(void **state)
{
    (void)state;
    run_in_child(check_library, "/no/such/libnvrtc.so|no NVRTC: /no/such/libnvrtc.so");
    run_in_child(check_library, "libm.so.6|NVRTC has no nvrtcVersion");
    run_in_child(check_library, WP_TEST_NVRTC_OLD "|NVRTC 9.2 is older than 11.8");
    run_in_child(check_library, WP_TEST_NVRTC_NEW "|");
}

// test_cuda_jit [PATTERN]: runs only the tests whose names match.
int main(int argc, char **argv)
{
    if (argc > 1)
        cmocka_set_test_filter(argv[1]);
    wp_log_set_handler(store_message, NULL);
    unsetenv("HOME");
    if (!make_scratch(folder) || setenv("XDG_CACHE_HOME", folder, 1) != 0)
        return 1;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_missing),       cmocka_unit_test(test_too_long),
        cmocka_unit_test(test_without_cache), cmocka_unit_test(test_kernel_cache),
        cmocka_unit_test(test_every_kernel),  cmocka_unit_test(test_every_type),
        cmocka_unit_test(test_volumes),       cmocka_unit_test(test_every_block),
        cmocka_unit_test(test_batches),       cmocka_unit_test(test_banks),
        cmocka_unit_test(test_packets),       cmocka_unit_test(test_borders),
    };
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    char command[SCRATCH_SIZE + 16];
    snprintf(command, sizeof command, "rm -r '%s'", folder);
    return system(command) != 0 || failed != 0;
}
