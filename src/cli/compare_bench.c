#include "compare_bench.h"

#include "bench_compare.h"

#include <jansson.h>
#include <stdio.h>
#include <string.h>

const struct wp_option wp_compare_bench_table[] = {
    {.name = "threshold",
     .kind = WP_OPTION_TEXT,
     .value = "PART",
     .help = "benchmarks: what is too little to matter (default 2%)",
     .offset = offsetof(struct wp_compare_bench_options, threshold)},
    {.name = "alpha",
     .kind = WP_OPTION_TEXT,
     .value = "PART",
     .help = "benchmarks: how often an interval may miss the truth (default 0.01)",
     .offset = offsetof(struct wp_compare_bench_options, alpha)},
    {.name = "fail-if-slower",
     .kind = WP_OPTION_TEXT,
     .value = "PART",
     .help = "benchmarks: exit 5 where one takes longer by more than this",
     .offset = offsetof(struct wp_compare_bench_options, slower)},
    {0},
};

static bool read_part(const char *name, const char *text, double most, double *part)
{
    if (!text)
        return true;
    if (wp_parse_part(text, part) && *part < most)
        return true;
    return wp_fail(WP_ERROR_USAGE, "--%s takes a part such as 2%% or 0.02, not '%s'", name, text);
}

static bool print(const struct wp_call *call, const struct wp_comparison *comparison,
                  const struct wp_compare_bench_options *options, double allowed)
{
    const int slower = options->slower ? wp_comparison_slower(comparison, allowed) : 0;
    if (call->common.json) {
        json_t *result = wp_comparison_json(comparison);
        json_object_set_new(result, "command", json_string("compare"));
        json_object_set_new(result, "slower_than_allowed", json_integer(slower));
        wp_print_json(result);
        return slower == 0;
    }
    struct wp_text text = {0};
    wp_comparison_markdown(comparison, call->argument[0], call->argument[1], &text);
    fputs(wp_text_get(&text), stdout);
    wp_text_free(&text);
    if (options->slower)
        printf("%s: %d slower by more than %s\n", slower ? "fail" : "pass", slower,
               options->slower);
    return slower == 0;
}

enum wp_error wp_compare_bench(const struct wp_call *call,
                               const struct wp_compare_bench_options *options)
{
    struct wp_comparison_params params = {.alpha = 0.01, .threshold = 0.02};
    double allowed = 0.0;
    if (!read_part("threshold", options->threshold, 1.0, &params.threshold) ||
        !read_part("alpha", options->alpha, 1.0, &params.alpha) ||
        !read_part("fail-if-slower", options->slower, 1e6, &allowed))
        return wp_last_error();
    const char *const *file = call->argument;
    if (strcmp(file[0], "-") == 0 && strcmp(file[1], "-") == 0) {
        wp_fail(WP_ERROR_USAGE, "only one of the two can come from stdin");
        return wp_last_error();
    }
    struct wp_results base = {0}, new = {0};
    enum wp_error code = WP_ERROR_NONE;
    if (wp_results_read(file[0], &base) && wp_results_read(file[1], &new)) {
        struct wp_comparison comparison;
        wp_comparison_create(&base, &new, &params, &comparison);
        if (!print(call, &comparison, options, allowed))
            code = WP_ERROR_MISMATCH;
        wp_comparison_free(&comparison);
    } else {
        code = wp_last_error();
    }
    wp_results_free(&base);
    wp_results_free(&new);
    return code;
}
