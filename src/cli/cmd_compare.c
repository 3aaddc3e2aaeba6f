#include "coefficients.h"
#include "command.h"
#include "bench_parts.h"
#include "image.h"
#include "memory.h"
#include "run.h"
#include "metrics.h"
#include "suggest.h"
#include "words.h"
#include "xmemory.h"

#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct options {
    const char *metric, *tolerance, *output, *memory;
    struct wp_volume_options volume;
    bool slices, force;
    struct wp_compare_bench_options bench;
};

#define OPTION(...) WP_OPTION(struct options, __VA_ARGS__)

static const struct wp_option options[] = {
    OPTION(WORD, "metric", "NAME", metric,
           "print only this metric (default all, and max for --tol)", WP_WORDS(wp_metric_names)),
    OPTION(TEXT, "tol", "X", tolerance,
           "exit code 5 if max, mae or mse is above X, or psnr or ssim below X"),
    OPTION(TEXT, "output", "FILE", output,
           "|A-B| as an image; in a .png the largest difference is white", .letter = 'o'),
    OPTION(FLAG, "slices", NULL, slices, "volumes: also print one line per slice or frame"),
    OPTION(FLAG, "volume", NULL, volume.volume,
           "read an NPY of three axes as a volume, not as an image with channels"),
    OPTION(TEXT, "raw", "WxHxD:TYPE", volume.raw,
           "A is a file without a header: u8, i16le, f32le …, as in 'forward'"),
    WP_OPTIONS(struct options, volume.values, wp_options_values),
    WP_OPTIONS(struct options, volume.volume_number, wp_options_volume_index),
    WP_OPTIONS(struct options, memory, wp_options_memory),
    WP_OPTIONS(struct options, force, wp_options_force),
    WP_OPTIONS(struct options, bench, wp_compare_bench_table),
    {0},
};

// The state of one call. run() frees its members.
struct job {
    const struct wp_call *call;
    const struct options *options;
    // Of A and B:
    const char *const *path;
    struct wp_volume_options volume[2]; // B has no --raw and --volume-index
    struct wp_lines *lines[2]; // row readers, if the images exceed the memory limit
    struct wp_image *image[2]; // without samples if there are row readers
    struct wp_metrics metrics, *slice; // `slice`: one per slice with --slices, else NULL
    enum wp_metric metric; // for --tol
    bool has_tolerance, within;
    double tolerance;
};

static bool read_options(struct job *j)
{
    const struct options *o = j->options;
    if (o->metric)
        j->metric = (enum wp_metric)wp_name_index(o->metric, wp_metric_names, WP_METRIC_COUNT);
    j->has_tolerance = o->tolerance;
    if (o->tolerance && !wp_parse_double(o->tolerance, &j->tolerance))
        return wp_fail(WP_ERROR_USAGE, "--tol: '%s' is not a number", o->tolerance);
    if (wp_is_stdio(j->path[0]) && wp_is_stdio(j->path[1]))
        return wp_fail(WP_ERROR_USAGE, "only one of the two can be read from stdin");
    if (wp_is_stdio(o->output))
        return wp_fail(WP_ERROR_USAGE, "-o needs the name of a file, not -");
    const struct wp_write_params write = {.overwrite = o->force};
    return !o->output || wp_image_write_check(o->output, 1, &write);
}

static bool is_volume(const struct job *j)
{
    return j->image[0]->depth > 1;
}

static const char *planes_of(const struct wp_image *image)
{
    static const char *const words[] = {"gray", "gray with alpha", "in color",
                                        "color with alpha"};
    return words[image->planes - 1];
}

static bool same_kind(const struct job *j)
{
    const struct wp_image *a = j->image[0], *b = j->image[1];
    const int a_size[] = {a->width, a->height, a->depth};
    const int b_size[] = {b->width, b->height, b->depth};
    char a_text[WP_SIZE_TEXT], b_text[WP_SIZE_TEXT];
    if (memcmp(a_size, b_size, sizeof a_size) != 0)
        return wp_fail(WP_ERROR_MISMATCH, "%s is %s, %s is %s (only files of equal size can be "
                                          "compared)",
                       j->path[0], wp_size_text(a_text, a_size), j->path[1],
                       wp_size_text(b_text, b_size));
    return a->planes == b->planes ||
           wp_fail(WP_ERROR_MISMATCH, "%s is %s, %s is %s", j->path[0], planes_of(a),
                   j->path[1], planes_of(b));
}

static bool is_described(const char *path)
{
    return wp_sidecar_is_inside(path) || wp_coefficients_in_tiles(path);
}

// Reads a file. Coefficients in one array or page per subband are assembled into one array, as for
// 'inverse'.
static struct wp_image *read_one(const char *path, const struct wp_volume_options *volume,
                                 size_t *nonfinite)
{
    if (!is_described(path))
        return wp_run_read_volume(path, volume, nonfinite);
    struct wp_sidecar sidecar;
    bool described;
    wp_progress("reading %s", path);
    const struct wp_coefficients_params params = {.read = wp_run_read_params(volume),
                                                  .changed = true};
    return wp_coefficients_read(path, &params, &sidecar, &described, nonfinite);
}

// Opens both files row by row if one image exceeds the memory limit. False after an error.
static bool choose_rows(struct job *j)
{
    const struct options *o = j->options;
    struct wp_memory_limit limit;
    const char *why[2], *unfit = NULL;
    bool rows = false;
    bool ok = wp_memory_limit(o->memory, &limit);
    for (int i = 0; i < 2 && ok; i++) {
        const struct wp_read_params params = wp_run_read_params(&j->volume[i]);
        ok = wp_lines_open(j->path[i], &params, is_described(j->path[i]), &j->lines[i], &why[i]);
    }
    const int known = j->lines[0] ? 0 : 1;
    if (ok && j->lines[known]) {
        const struct wp_image shape = wp_rows_shape(wp_lines_info(j->lines[known]));
        unfit = known == 1     ? why[0]
                : !j->lines[1] ? why[1]
                : o->output    ? "-o needs the whole image"
                : o->slices    ? "--slices is for volumes"
                               : NULL;
        ok = wp_memory_choose(&limit, wp_memory_of_image(&shape), j->path[known], unfit, &rows);
    }
    for (int i = 0; i < 2 && !(ok && rows); i++)
        wp_lines_close(&j->lines[i]);
    return ok;
}

static bool compare_rows(struct job *j)
{
    const struct options *o = j->options;
    // SSIM takes most of the time, so it is computed only if it is printed.
    const bool structure = !o->metric || j->metric == WP_METRIC_SSIM || j->call->common.json;
    for (int i = 0; i < 2; i++) {
        j->image[i] = wp_xcalloc(1, sizeof *j->image[i]);
        *j->image[i] = wp_rows_shape(wp_lines_info(j->lines[i]));
    }
    if (!same_kind(j))
        return false;
    const struct wp_image *a = j->image[0];
    const size_t width = (size_t)a->width, planes = (size_t)a->planes;
    wp_log(WP_LOG_VERBOSE, "in rows: %.1f MiB",
           ((double)(wp_lines_memory(j->lines[0]) + wp_lines_memory(j->lines[1])) +
            (double)wp_metrics_memory(a->width, a->planes, structure)) / 1048576.0);
    float *row = wp_allocate(2 * width * planes, sizeof *row, "two rows");
    struct wp_metrics_sum *sum = row ? wp_metrics_begin(a, j->image[1], structure) : NULL;
    bool ok = sum;
    for (int y = 0; y < a->height && ok; y++) {
        ok = wp_lines_read(j->lines[0], true, row) &&
             wp_lines_read(j->lines[1], true, row + width * planes);
        for (size_t p = 0; ok && p < planes; p++)
            wp_metrics_add(sum, (int)p, row + p * width, row + (planes + p) * width);
        wp_progress("comparing: %d of %d rows", y + 1, a->height);
    }
    if (ok)
        wp_metrics_end(&sum, &j->metrics);
    wp_metrics_discard(&sum);
    free(row);
    return ok;
}

static bool read_images(struct job *j)
{
    size_t nonfinite; // unused: wp_metrics_compare() counts pairs
    for (int i = 0; i < 2; i++) {
        j->image[i] = read_one(j->path[i], &j->volume[i], &nonfinite);
        if (!j->image[i])
            return false;
    }
    if (j->options->slices && !is_volume(j))
        return wp_fail(WP_ERROR_USAGE, "--slices is for volumes, and %s is an image", j->path[0]);
    if (!same_kind(j))
        return false;
    const struct wp_write_params write = {.overwrite = j->options->force};
    return !j->options->output ||
           wp_image_write_check_volume(j->options->output, j->image[0]->planes,
                                       j->image[0]->depth, &write);
}

static bool compare_slices(struct job *j)
{
    j->slice = wp_xcalloc((size_t)j->image[0]->depth, sizeof *j->slice);
    bool ok = true;
    for (int z = 0; z < j->image[0]->depth && ok; z++) {
        const struct wp_image a = wp_image_slice(j->image[0], z);
        const struct wp_image b = wp_image_slice(j->image[1], z);
        ok = wp_metrics_compare(&a, &b, &j->slice[z]);
    }
    return ok;
}

static bool write_difference(const struct job *j)
{
    const struct options *o = j->options;
    // Only in a .png the differences are scaled.
    const double largest = j->metrics.value[WP_METRIC_MAX];
    const bool png = wp_ends_with(o->output, ".png");
    const double white = png && largest > 0 && isfinite(largest) ? largest : 1;
    const struct wp_write_params write = {.overwrite = o->force};
    struct wp_image *difference = wp_metrics_difference(j->image[0], j->image[1], white);
    const bool ok = difference && wp_image_write(difference, o->output, &write);
    wp_image_destroy(&difference);
    char number[WP_NUMBER_SIZE];
    if (ok && png)
        wp_log(WP_LOG_INFO, "%s: white is a difference of %s", o->output,
               wp_format_number(number, white, 3));
    return ok;
}

static void judge(struct job *j)
{
    const double value = j->metrics.value[j->metric];
    // False if the value is NaN.
    j->within = wp_metric_is_likeness(j->metric) ? value >= j->tolerance : value <= j->tolerance;
}

static void print_verdict(const struct job *j)
{
    const char *name = wp_metric_names[j->metric];
    const double value = j->metrics.value[j->metric];
    if (isnan(value)) {
        printf("fail: %s is not defined\n", name);
        return;
    }
    const char *relation =
        wp_metric_is_likeness(j->metric) ? (j->within ? ">=" : "<") : (j->within ? "<=" : ">");
    char number[WP_NUMBER_SIZE];
    printf("%s: %s %s %s ", j->within ? "pass" : "fail", name,
           wp_format_number(number, value, 7), relation);
    printf("%s\n", wp_format_number(number, j->tolerance, 7));
}

static void print_position(const struct job *j)
{
    const struct wp_metrics *m = &j->metrics;
    if (is_volume(j))
        printf(" at (%d,%d,%d) of plane %d", m->x, m->y, m->z, m->plane + 1);
    else
        printf(" at (%d,%d) of plane %d", m->x, m->y, m->plane + 1);
}

static bool is_shown(const struct job *j, int metric)
{
    return !j->options->metric || metric == (int)j->metric;
}

static void print_slices(const struct job *j)
{
    printf("\nslice");
    for (int m = 0; m < WP_METRIC_COUNT; m++)
        if (is_shown(j, m))
            printf("  %12s", wp_metric_names[m]);
    printf("\n");
    for (int z = 0; z < j->image[0]->depth; z++) {
        char number[WP_NUMBER_SIZE];
        printf("%5d", z);
        for (int m = 0; m < WP_METRIC_COUNT; m++)
            if (is_shown(j, m))
                printf("  %12s", wp_format_number(number, j->slice[z].value[m], 7));
        printf("\n");
    }
}

static void print_text(const struct job *j)
{
    const struct wp_metrics *metrics = &j->metrics;
    char number[WP_NUMBER_SIZE];
    for (int m = 0; m < WP_METRIC_COUNT; m++) {
        const double value = metrics->value[m];
        if (!is_shown(j, m))
            continue;
        printf("%-4s  ", wp_metric_names[m]);
        if (isnan(value))
            printf("not defined (%s)", metrics->nonfinite ? "values that are not finite"
                                                          : "a side of less than 11 pixels");
        else
            printf("%s", wp_format_number(number, value, 7));
        if (m == WP_METRIC_PSNR)
            printf(" dB");
        if (m == WP_METRIC_MAX && value > 0)
            print_position(j);
        printf("\n");
    }
    if (metrics->nonfinite)
        printf("%zu sample%s not finite, %zu of them unequal\n", metrics->nonfinite,
               WP_PLURAL_IS(metrics->nonfinite), metrics->nonfinite_unequal);
    if (j->slice)
        print_slices(j);
    if (j->has_tolerance)
        print_verdict(j);
}

static void add_json_values(json_t *to, const struct wp_metrics *metrics)
{
    for (int m = 0; m < WP_METRIC_COUNT; m++)
        json_object_set_new(to, wp_metric_names[m], wp_json_number(metrics->value[m]));
}

static void add_json_volume(const struct job *j, json_t *result)
{
    json_object_set_new(result, "depth", json_integer(j->image[0]->depth));
    json_object_set_new(result, "max_at_slice", json_integer(j->metrics.z));
    if (!j->slice)
        return;
    json_t *slices = json_array();
    for (int z = 0; z < j->image[0]->depth; z++) {
        json_t *slice = json_object();
        add_json_values(slice, &j->slice[z]);
        json_array_append_new(slices, slice);
    }
    json_object_set_new(result, "slices", slices);
}

static void print_json(const struct job *j)
{
    const struct wp_metrics *metrics = &j->metrics;
    const struct wp_image *a = j->image[0];
    json_t *result = json_pack(
        "{s:s, s:o, s:o, s:i, s:i, s:i, s:[i, i, i], s:I, s:I}", "command", "compare", "a",
        wp_json_text(j->path[0]), "b", wp_json_text(j->path[1]), "width",
        a->width, "height", a->height, "planes", a->planes, "max_at", metrics->x, metrics->y,
        metrics->plane, "nonfinite", (json_int_t)metrics->nonfinite,
        "nonfinite_unequal", (json_int_t)metrics->nonfinite_unequal);
    add_json_values(result, metrics);
    if (is_volume(j))
        add_json_volume(j, result);
    if (j->has_tolerance)
        json_object_set_new(result, "tolerance",
                            json_pack("{s:s, s:f, s:b}", "metric", wp_metric_names[j->metric],
                                      "value", j->tolerance, "pass", j->within));
    wp_print_json(result);
}

static bool compare_images(struct job *j)
{
    if (!read_images(j))
        return false;
    wp_progress("comparing");
    return wp_metrics_compare(j->image[0], j->image[1], &j->metrics) &&
           (!j->options->slices || compare_slices(j));
}

static bool compare(struct job *j)
{
    if (!read_options(j) || !choose_rows(j))
        return false;
    if (!(j->lines[0] ? compare_rows : compare_images)(j))
        return false;
    judge(j);
    if (j->options->output && !write_difference(j))
        return false;
    wp_progress_clear();
    if (j->call->common.json)
        print_json(j);
    else
        print_text(j);
    return true;
}

static enum wp_error run(const struct wp_call *call)
{
    const struct options *o = call->options;
    struct job j = {.call = call, .options = o, .path = call->argument,
                    .volume = {o->volume, o->volume}};
    j.volume[1].raw = NULL;
    j.volume[1].volume_number = 0;
    if (wp_ends_with(call->argument[0], ".json") || wp_ends_with(call->argument[1], ".json")) {
        if (o->metric || o->tolerance || o->output || o->slices || o->volume.volume ||
            o->volume.raw || o->memory) {
            wp_fail(WP_ERROR_USAGE, "--metric, --tol, --slices, --volume, --raw, --memory and -o "
                                    "are for images, not for the results of benchmarks");
            return wp_last_error();
        }
        return wp_compare_bench(call, &o->bench);
    }
    if (o->bench.threshold || o->bench.alpha || o->bench.slower || o->bench.missing) {
        wp_fail(WP_ERROR_USAGE,
                "--min-difference, --alpha, --fail-if-slower and --fail-if-missing are for the "
                "results of benchmarks (two files named .json)");
        return wp_last_error();
    }
    const bool ok = compare(&j);
    for (int i = 0; i < 2; i++) {
        wp_lines_close(&j.lines[i]);
        wp_image_destroy(&j.image[i]);
    }
    free(j.slice);
    if (!ok)
        return wp_last_error();
    return j.has_tolerance && !j.within ? WP_ERROR_MISMATCH : WP_ERROR_NONE;
}

const struct wp_command wp_command_compare = {
    .name = "compare",
    .summary = "differences of two images, volumes, coefficient files or benchmarks",
    .arguments = "A B",
    .description =
        "Prints the largest difference and its position, the mean absolute and mean squared "
        "difference, PSNR and SSIM (windows of 11x11) of two files of equal size, over all channels "
        "and slices. Pictures of 8 and 16-bit integers are scaled to 0..1, and other samples keep "
        "their values (--values). The peak is 1, or the largest integer of the type for unsigned "
        "integers of 8 and 16 bits that keep their values. The SSIM of a volume is the mean over "
        "its slices. With --tol the exit code is 0 if the files are close "
        "enough, else 5. Images larger than --memory (default: a quarter of RAM) are compared row "
        "by row, with the same result.\n\n"
        "For two .json files that 'bench' wrote, prints the differences of the machines, then for "
        "each configuration the ratio of the medians (above 1: the second is slower), its "
        "confidence interval, and SAME, FASTER, SLOWER or UNDECIDED: SAME if the interval is "
        "within --min-difference, FASTER or SLOWER if all of it is beyond.",
    .examples = "wavepass compare photo.png back.png\n"
                "wavepass compare c1.npy c2.npy --metric max --tol 1e-5\n"
                "wavepass compare photo.png back.png -o difference.png\n"
                "wavepass compare clip.y4m back.y4m --metric psnr --slices\n"
                "wavepass compare base.json new.json --fail-if-slower 5%",
    .arguments_min = 2,
    .arguments_max = 2,
    .options = options,
    .options_size = sizeof(struct options),
    .run = run,
};
