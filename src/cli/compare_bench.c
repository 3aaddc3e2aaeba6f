#include "bench_parts.h"

#include "results.h"

#include <jansson.h>
#include <stdio.h>
#include <string.h>

#define OPTION(...) WP_OPTION(struct wp_compare_bench_options, __VA_ARGS__)

const struct wp_option wp_compare_bench_table[] = {
    OPTION(TEXT, "min-difference", "PART", threshold,
           "benchmarks: relative difference considered negligible (default 2%)",
           .old = "threshold"),
    OPTION(TEXT, "alpha", "PART", alpha,
           "benchmarks: significance level, 1 - confidence (default 0.01: 99 % intervals)"),
    OPTION(TEXT, "fail-if-slower", "PART", slower,
           "benchmarks: exit code 5 if one is slower by more than this (5%), or if no "
           "configuration is in both"),
    OPTION(FLAG, "fail-if-missing", NULL, missing,
           "benchmarks: exit code 5 if a configuration is in only one of them"),
    OPTION(FLAG, "wide", NULL, wide,
           "benchmarks: print every column, in lines of any length (default: as many as the "
           "screen has room for, 80 characters elsewhere)"),
    {0},
};

static bool read_part(const char *name, const char *text, double most, double *part)
{
    if (!text)
        return true;
    if (wp_parse_fraction(text, part) && *part < most)
        return true;
    return wp_fail(WP_ERROR_USAGE, "--%s: '%s' is not a fraction such as 2%% or 0.02", name, text);
}

// Rejects "5", which would be 500 % and probably means 5 %.
static bool check_percent(const char *name, const char *text, double part)
{
    const double percent = 100 * part;
    return !text || part <= 1 || strchr(text, '%') ||
           wp_fail(WP_ERROR_USAGE, "--%s: '%s' is %g %%\nhint: use %s%%, or %g%%", name, text,
                   percent, text, percent);
}

static bool read_options(const struct wp_compare_bench_options *options,
                         struct wp_comparison_params *params, double *allowed)
{
    *params = (struct wp_comparison_params){.alpha = 0.01, .threshold = 0.02};
    *allowed = 0.0;
    return read_part("min-difference", options->threshold, 1.0, &params->threshold) &&
           read_part("alpha", options->alpha, 1.0, &params->alpha) &&
           read_part("fail-if-slower", options->slower, 1e6, allowed) &&
           check_percent("fail-if-slower", options->slower, *allowed);
}

static const char *word_of(bool failed)
{
    return failed ? "fail" : "pass";
}

// True if --fail-if-slower or --fail-if-missing fails. Adds the verdicts to `text`, which may be
// NULL.
static bool judge(const struct wp_compare_bench_options *options,
                  const struct wp_comparison *comparison, int slower, struct wp_text *text)
{
    const int missing = comparison->only_base_count + comparison->only_new_count;
    const bool compared = wp_comparison_pairs(comparison) > 0;
    const bool is_slower = options->slower && (slower || !compared);
    const bool is_missing = options->missing && missing;
    if (text && options->slower && compared)
        wp_text_add(text, "%s: %d slower by more than %s\n", word_of(is_slower), slower,
                    options->slower);
    else if (text && !compared)
        wp_text_add(text, "%snothing was compared: no transform or transfer has samples in both\n",
                    options->slower ? "fail: " : "");
    if (text && options->missing)
        wp_text_add(text, "%s: %d in only one of them\n", word_of(is_missing), missing);
    return is_slower || is_missing;
}

struct wp_page wp_compare_bench_page(const struct wp_compare_bench_options *options)
{
    return (struct wp_page){.width = options->wide ? 0 : wp_screen_columns()};
}

bool wp_compare_bench_add(const struct wp_compare_bench_options *options,
                          const struct wp_results *base, const char *base_name,
                          const struct wp_results *new, const char *new_name,
                          struct wp_page *page, struct wp_text *text, bool *failed)
{
    struct wp_comparison_params params;
    double allowed;
    *failed = false;
    if (!read_options(options, &params, &allowed))
        return false;
    if (!base)
        return true;
    struct wp_comparison comparison;
    wp_comparison_create(base, new, &params, &comparison);
    if (text)
        wp_comparison_markdown(&comparison, base_name, new_name, page, text);
    *failed = judge(options, &comparison, wp_comparison_slower(&comparison, allowed), text);
    wp_comparison_free(&comparison);
    return true;
}

static bool print_json(const struct wp_compare_bench_options *options,
                       const struct wp_results *base, const struct wp_results *new, bool *failed)
{
    struct wp_comparison_params params;
    double allowed;
    if (!read_options(options, &params, &allowed))
        return false;
    struct wp_comparison comparison;
    wp_comparison_create(base, new, &params, &comparison);
    const int slower = wp_comparison_slower(&comparison, allowed);
    *failed = judge(options, &comparison, slower, NULL);
    json_t *result = wp_comparison_json(&comparison);
    json_object_set_new(result, "command", json_string("compare"));
    json_object_set_new(result, "slower_than_allowed", json_integer(options->slower ? slower : 0));
    json_object_set_new(result, "failed", json_boolean(*failed));
    wp_print_json(result);
    wp_comparison_free(&comparison);
    return true;
}

static bool print(const struct wp_call *call, const struct wp_compare_bench_options *options,
                  const struct wp_results *base, const struct wp_results *new, bool *failed)
{
    if (call->common.json)
        return print_json(options, base, new, failed);
    struct wp_text text = {0};
    struct wp_page page = wp_compare_bench_page(options);
    const bool ok = wp_compare_bench_add(options, base, call->argument[0], new,
                                         call->argument[1], &page, &text, failed);
    wp_page_finish(&page, &text);
    wp_print_text(&text);
    return ok;
}

enum wp_error wp_compare_bench(const struct wp_call *call,
                               const struct wp_compare_bench_options *options)
{
    bool failed;
    if (!wp_compare_bench_add(options, NULL, NULL, NULL, NULL, NULL, NULL, &failed))
        return wp_last_error();
    const char *const *file = call->argument;
    if (strcmp(file[0], "-") == 0 && strcmp(file[1], "-") == 0) {
        wp_fail(WP_ERROR_USAGE, "only one of the two can be read from stdin");
        return wp_last_error();
    }
    struct wp_results base = {0}, new = {0};
    enum wp_error code = WP_ERROR_NONE;
    if (!wp_results_read(file[0], &base) || !wp_results_read(file[1], &new) ||
        !print(call, options, &base, &new, &failed))
        code = wp_last_error();
    else if (failed)
        code = WP_ERROR_MISMATCH;
    wp_results_free(&base);
    wp_results_free(&new);
    return code;
}
