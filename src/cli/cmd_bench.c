#include "bench_options.h"

#include "field_table.h"
#include "messages.h"
#include "output.h"
#include "wavepass.h"
#include "words.h"
#include "xmemory.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// The files to write, in this order.
enum output { JSON, CSV, MARKDOWN, SVG, OUTPUTS };
static const char *const output_names[OUTPUTS] = {"--json", "--csv", "--markdown", "--svg"};

// The state of one call. run() frees its members.
struct job {
    const struct wp_call *call;
    const struct wp_bench_options *options;
    const struct wp_paper *paper;
    struct wp_output *output[OUTPUTS]; // opened before measuring, to find errors early
    struct wp_bench_params params;
    struct wp_bench_set set;
    struct wp_bench_reconstructions reconstructions; // measured instead of the set if not empty
    struct wp_gpu_state *gpu;
    json_t *user;
    struct wp_results results, baseline;
    bool failed; // the comparison with the baseline
};

static const char *output_path(const struct job *j, int output)
{
    return *(const char *const *)wp_option_member(wp_bench_options, output_names[output] + 2,
                                                   j->options);
}

static void write_markdown(const struct job *j, struct wp_page *page, struct wp_text *text)
{
    wp_results_markdown(&j->results, page, text);
    if (j->paper) {
        wp_text_add(text, "\n");
        wp_paper_compare(j->paper, &j->results, page, text);
    }
    if (j->options->baseline) {
        bool failed;
        wp_text_add(text, "\n");
        wp_compare_bench_add(&j->options->compare, &j->baseline, j->options->baseline,
                             &j->results, "this run", page, text, &failed);
    }
}

static void print_tables(const struct job *j)
{
    struct wp_text text = {0};
    struct wp_page page = wp_compare_bench_page(&j->options->compare);
    write_markdown(j, &page, &text);
    wp_page_finish(&page, &text);
    wp_print_text(&text);
}

static bool open_outputs(struct job *j)
{
    struct wp_output_named named[OUTPUTS];
    int streams = 0;
    for (int i = 0; i < OUTPUTS; i++) {
        named[i] = (struct wp_output_named){output_names[i], output_path(j, i)};
        streams += wp_is_stdio(named[i].path);
    }
    if (streams > 1)
        return wp_fail(WP_ERROR_USAGE, "only one of the outputs can be written to stdout");
    bool ok = wp_output_check_apart(named, OUTPUTS);
    for (int i = 0; i < OUTPUTS && ok; i++) {
        if (named[i].path)
            j->output[i] = wp_output_open(named[i].path, j->options->force);
        ok = j->output[i] || !named[i].path;
    }
    return ok;
}

static void write_output(const struct job *j, enum output output, struct wp_text *text)
{
    switch (output) {
    case JSON: wp_results_json(&j->results, !j->options->no_samples, text); break;
    case CSV: wp_results_csv(&j->results, text); break;
    case MARKDOWN: write_markdown(j, NULL, text); break;
    default: wp_results_plot(&j->results, text); break;
    }
}

static bool write_outputs(struct job *j)
{
    bool ok = true, table = true;
    for (int i = 0; i < OUTPUTS; i++) {
        struct wp_text text = {0};
        if (!j->output[i])
            continue;
        table = table && !wp_is_stdio(output_path(j, i));
        write_output(j, (enum output)i, &text);
        fputs(wp_text_get(&text), wp_output_stream(j->output[i]));
        ok = wp_output_commit(&j->output[i]) && ok;
        wp_text_free(&text);
    }
    if (table)
        print_tables(j);
    return ok;
}

static bool add_axes(struct job *j, const struct wp_bench_options *o, bool optional)
{
    struct wp_bench_axes axes = o->axes;
    axes.device = o->device - 1;
    if (o->plain && axes.form)
        return wp_fail(WP_ERROR_USAGE, "--no-optimize and --form exclude each other");
    if (o->plain)
        axes.form = wp_form_names[WP_FORM_PLAIN];
    if (o->tune && !axes.direction)
        axes.direction = "all";
    // The border is ignored: a probe uses one that the wavelet supports.
    if (o->tune)
        axes.field[WP_FIELD_BORDER] = "all";
    if (!o->reconstruct.methods)
        return wp_bench_set_add(&j->set, &axes, optional);
    // One scheme per backend is enough, since a reconstruction does not use it.
    axes.scheme = wp_scheme_kinds[0].name;
    axes.backend = axes.backend ? axes.backend : "cpu";
    const int first = j->set.count;
    return wp_bench_set_add(&j->set, &axes, optional) &&
           wp_bench_reconstruct_add(&j->reconstructions, &o->reconstruct, &j->set, first);
}

// Rejects options of the caller that the sweep sets to another value.
static bool check_swept(const struct job *j, const struct wp_bench_options *swept)
{
    static const char *const axes[] = {"levels", "levels-z", "variant", "layout", "direction",
                                       "include", "threads"};
    for (size_t i = 0; i < sizeof axes / sizeof *axes; i++) {
        const char *const *given = wp_option_member(wp_bench_options, axes[i], j->options);
        const char *const *value = wp_option_member(wp_bench_options, axes[i], swept);
        if (*given && *value != *given)
            return wp_fail(WP_ERROR_USAGE, "--%s cannot be combined with --paper %s"
                                           "\nhint: its sweep is %s '%s'",
                           axes[i], j->paper->name, axes[i], *value);
    }
    return true;
}

// Adds the configurations of a sweep, which is a command line. The caller's options are used for
// options that it does not set. The caller's sizes replace those of the sweep, which would take
// hours in software.
static bool add_sweep(struct job *j, const char *sweep)
{
    enum { WORDS_MAX = 64 };
    char *text = wp_xstrdup(sweep);
    const char *word[WORDS_MAX];
    int count = 0;
    for (char *at = text; *at && count < WORDS_MAX;) {
        word[count++] = at;
        at += strcspn(at, " ");
        if (*at)
            *at++ = '\0';
    }
    struct wp_bench_options swept = *j->options;
    struct wp_arguments arguments;
    bool ok = wp_options_parse(wp_bench_options, count, word, false, &swept, &arguments) &&
              check_swept(j, &swept);
    if (j->options->axes.size)
        swept.axes.size = j->options->axes.size;
    ok = ok && add_axes(j, &swept, true);
    wp_options_free(&arguments);
    free(text);
    return ok;
}

static bool add_sweeps(struct job *j)
{
    for (int i = 0; j->paper->sweep[i]; i++)
        if (!add_sweep(j, j->paper->sweep[i]))
            return false;
    if (j->set.count > 0)
        return true;
    const struct wp_bench_options *o = j->options;
    if (!o->json && !o->csv && !o->markdown && !o->svg) {
        // Print the paper's values, and why there are no measured values.
        struct wp_text text = {0};
        struct wp_page page = wp_compare_bench_page(&o->compare);
        wp_paper_compare(j->paper, &j->results, &page, &text);
        wp_page_finish(&page, &text);
        wp_print_text(&text);
        fflush(stdout);
    }
    return wp_fail(WP_ERROR_UNAVAILABLE, "no configuration of %s can be measured on this machine "
                                         "(%s)", j->paper->name,
                   j->set.skipped ? j->set.skipped_why : "none of its backends is available");
}

// True if schemes have no effect on any configuration of the backend.
static bool is_schemeless(const struct job *j, const struct wp_backend *backend)
{
    bool all = true;
    for (int i = 0; i < j->set.count; i++)
        all = all && (j->set.config[i].backend->backend != backend ||
                      wp_backend_is_schemeless(backend, &j->set.config[i].params));
    return all;
}

// Reports backends that ignore the schemes and forms that were given.
static void note_schemeless(const struct job *j)
{
    const struct wp_bench_options *o = j->options;
    for (int i = 0; i < j->set.backend_count; i++) {
        const struct wp_backend *backend = j->set.backend[i]->backend;
        if (is_schemeless(j, backend) && (o->axes.scheme || o->axes.form || o->plain))
            wp_log(WP_LOG_INFO, "note: backend '%s' has no schemes and forms: one row is measured "
                                "for all of them", backend->name);
    }
}

static bool create_set(struct job *j)
{
    if (j->options->paper) {
        j->paper = wp_paper_find(j->options->paper);
        if (!j->paper || !add_sweeps(j))
            return false;
    } else if (!add_axes(j, j->options, false)) {
        return false;
    }
    if (j->set.skipped)
        wp_log(WP_LOG_INFO, "%d combination%s skipped (the first: %s)", j->set.skipped,
               WP_PLURAL(j->set.skipped), j->set.skipped_why);
    note_schemeless(j);
    for (int i = 0; i < j->set.count; i++)
        j->set.config[i].wall = j->options->timer == WP_BENCH_TIMER_WALL;
    return true;
}

// Reports a load average of the last minute above half the number of processors.
static void report_load(void)
{
    double load = 0;
    const long processors = sysconf(_SC_NPROCESSORS_ONLN);
    FILE *file = fopen("/proc/loadavg", "r");
    const bool known = file && fscanf(file, "%lf", &load) == 1;
    if (file)
        fclose(file);
    if (known && load > 0.5 * (double)processors)
        wp_log(WP_LOG_INFO, "the computer is busy: load %.1f on %ld processor%s", load, processors,
               WP_PLURAL(processors));
}

static bool check_devices(const struct job *j)
{
    report_load();
    for (int i = 0; i < j->set.backend_count; i++) {
        const struct wp_backend_choice *on = j->set.backend[i];
        if (j->options->timer == WP_BENCH_TIMER_GPU && on->info.wall)
            return wp_fail(WP_ERROR_UNAVAILABLE, "backend '%s' on %s has no device timer",
                           on->backend->name, on->info.name);
        if (on->past_software)
            wp_log(WP_LOG_INFO, "note: OpenGL is software-rendered on this machine, so '%s' is "
                                "measured; -b fragment measures shaders", on->backend->name);
        if (on->info.software && !j->options->allow_software)
            wp_log(WP_LOG_WARNING, "%s: rendering in SOFTWARE (%s); these times are not those of a "
                                   "GPU", on->backend->name, on->info.name);
    }
    return true;
}

static void describe_config(const struct wp_bench_config *config, struct wp_text *text)
{
    const struct wp_description *p = &config->params;
    const struct wp_backend *backend = config->backend->backend;
    wp_text_add(text, "%s%s%s %s", backend->name, config->variant ? "/" : "",
                config->variant ? config->variant->name : "", p->wavelet->name);
    char size[WP_KEY_SIZE_MOST];
    if (p->reversible)
        wp_text_add(text, "/reversible");
    else if (!wp_backend_is_schemeless(backend, p))
        wp_text_add(text, "/%s/%s", p->kind->name, wp_form_names[p->form]);
    wp_text_add(text, " %s%s %s, %d level%s", wp_direction_names[p->direction],
                p->adjoint ? " adjoint" : "",
                wp_size_text(size, (const int[]){p->size[WP_X], p->size[WP_Y],
                                                 config->batch ? 1 : p->size[WP_Z]}),
                p->levels, WP_PLURAL(p->levels));
    if (p->size[WP_Z] > 1 && !config->batch)
        wp_text_add(text, ", %d along z", p->levels_z);
    for (int f = 0; f < WP_FIELD_DYADIC; f++)
        if ((f != WP_FIELD_PRECISION || p->precision != WP_PRECISION_F32) &&
            (f != WP_FIELD_BANK || wp_description_is_redundant(p)))
            wp_text_add(text, ", %s", wp_field_word(p, (enum wp_field)f));
    if (config->batch)
        wp_text_add(text, ", %d in a batch", config->batch);
    else if (p->planes > 1)
        wp_text_add(text, ", %d planes", p->planes);
    if (config->threads)
        wp_text_add(text, ", %d thread%s", config->threads, WP_PLURAL(config->threads));
    wp_text_add(text, "\n");
}

static void print_dry_run(const struct job *j)
{
    struct wp_text text = {0};
    wp_bench_reconstruct_describe(&j->reconstructions, &j->set, &text);
    for (int i = 0; i < j->set.count && j->reconstructions.count == 0; i++)
        describe_config(&j->set.config[i], &text);
    wp_print_text(&text);
    if (j->reconstructions.count) {
        printf("%d reconstruction%s\n", j->reconstructions.count,
               WP_PLURAL(j->reconstructions.count));
        return;
    }
    printf("%d configuration%s, %.3g s at least, plus compiling, checking, ceilings and "
           "transfers\n", j->set.count, WP_PLURAL(j->set.count),
           wp_bench_estimate(&j->set, &j->params));
}

static void print_list(void)
{
    char **wavelets = wp_wavelet_names();
    printf("wavelets (-w):");
    for (int i = 0; wavelets[i]; i++)
        printf(" %s", wavelets[i]);
    wp_wavelet_free_names(wavelets);
    printf("\nschemes (-s), the planar ones for volumes:");
    for (int i = 0; i < WP_SCHEME_VOLUME_KINDS; i++)
        printf(" %s", wp_scheme_kinds[i].name);
    printf("\nforms (--form):");
    for (int i = 0; i < WP_FORM_COUNT; i++)
        printf(" %s", wp_form_names[i]);
    printf("\n\nbackends (-b), variants (--variant), ceilings:\n");
    for (int i = 0; wp_backends[i]; i++) {
        printf("  %s:", wp_backends[i]->name);
        for (const struct wp_variant *v = wp_backends[i]->variants; v && v->name; v++)
            printf(" %s", v->name);
        if (!wp_backends[i]->variants)
            printf(" no variants");
        const struct wp_backend_bench *bench = wp_backends[i]->bench;
        for (const struct wp_ceiling *c = bench ? bench->ceilings : NULL; c && c->name; c++)
            printf("%s%s", c == bench->ceilings ? "; " : " ", c->name);
        printf("\n");
    }
    printf("\npapers (--paper):\n");
    for (const struct wp_paper *p = wp_papers; p->name; p++)
        printf("  %-20s %s\n", p->name, p->title);
}

static void show_progress(int done, int count, const struct wp_row *row)
{
    char size[WP_KEY_SIZE_MOST];
    wp_progress("%d/%d: %s%s%s %s %s", done, count, row->backend, row->wavelet[0] ? " " : "",
                row->wavelet, row->scheme, wp_row_key(row, WP_KEY_SIZE, size));
}

// Build information; "dirty" is true if the version of git ends in "-dirty".
static json_t *describe_tool(void)
{
    json_t *tool = json_pack("{s:s}", "version", WAVEPASS_VERSION);
    for (int i = 0; wp_build_facts[i][0]; i++) {
        const char *key = wp_build_facts[i][0], *value = wp_build_facts[i][1];
        const bool source = strcmp(key, "source") == 0;
        json_object_set_new(tool, source ? "git" : key, wp_json_text(value[0] ? value : NULL));
        if (source)
            json_object_set_new(tool, "dirty",
                                value[0] ? json_boolean(strstr(value, "-dirty") != NULL)
                                         : json_null());
    }
    return tool;
}

static void set_environment(struct job *j)
{
    json_t *tool = describe_tool();
    j->results.environment = wp_environment(&(struct wp_environment_params){
        .tool = tool,
        .user = j->user,
        .argc = j->call->given_count,
        .argv = j->call->given,
        .no_host = j->options->no_host,
        .seed = j->params.seed,
        .backend_count = j->set.backend_count,
        .backend = j->set.backend,
        .gpu = j->gpu,
    });
    json_decref(tool);
}

static void open_gpu(struct job *j)
{
    enum { DEVICES_MAX = 16 };
    const char *devices[DEVICES_MAX];
    int count = 0;
    for (int i = 0; i < j->set.backend_count && count < DEVICES_MAX; i++)
        if (!j->set.backend[i]->info.software)
            devices[count++] = j->set.backend[i]->info.name;
    j->gpu = wp_gpu_state_open(devices, count);
    j->params.gpu = j->gpu;
}

static bool read_baseline(struct job *j)
{
    const struct wp_bench_options *o = j->options;
    bool failed;
    if (!wp_compare_bench_add(&o->compare, NULL, NULL, NULL, NULL, NULL, NULL, &failed))
        return false;
    if (o->baseline)
        return wp_results_read(o->baseline, &j->baseline);
    return (!o->compare.threshold && !o->compare.alpha && !o->compare.slower &&
            !o->compare.missing) ||
           wp_fail(WP_ERROR_USAGE, "--min-difference, --alpha, --fail-if-slower and "
                                   "--fail-if-missing need --baseline");
}

static void compare_with_baseline(struct job *j)
{
    if (j->options->baseline)
        wp_compare_bench_add(&j->options->compare, &j->baseline, j->options->baseline,
                             &j->results, "this run", NULL, NULL, &j->failed);
}

static bool measure(struct job *j)
{
    open_gpu(j);
    j->params.progress = show_progress;
    wp_interrupt_catch();
    const bool ok = j->reconstructions.count
                        ? wp_bench_reconstruct_run(&j->reconstructions, &j->set, &wp_interrupted,
                                                   &j->results)
                        : wp_bench_run(&j->set, &j->params, &j->results);
    const enum wp_error error = ok ? WP_ERROR_NONE : wp_last_error();
    wp_progress_clear();
    if (!ok && j->results.row_count == 0)
        return false;
    set_environment(j);
    compare_with_baseline(j);
    if (!write_outputs(j))
        return false;
    return ok || wp_fail_silently(error);
}

static bool bench(struct job *j)
{
    if (!wp_bench_options_params(j->options, &j->params) ||
        !wp_bench_options_context(j->options, &j->user) || !read_baseline(j) || !create_set(j) ||
        !check_devices(j))
        return false;
    if (j->options->tune) {
        wp_interrupt_catch();
        return wp_bench_tune(&j->set, j->params.sampling.timeout, &wp_interrupted);
    }
    if (j->options->dry_run) {
        print_dry_run(j);
        return true;
    }
    if (j->options->profile) {
        wp_interrupt_catch();
        return wp_bench_profile(&j->set, &j->params);
    }
    return open_outputs(j) && measure(j);
}

static enum wp_error judge(const struct job *j)
{
    if (wp_interrupted)
        return WP_ERROR_INTERRUPTED;
    for (int i = 0; i < j->results.row_count; i++)
        if (j->results.row[i].verified == 0)
            return WP_ERROR_MISMATCH;
    return j->failed ? WP_ERROR_MISMATCH : WP_ERROR_NONE;
}

static enum wp_error run(const struct wp_call *call)
{
    struct job j = {.call = call, .options = call->options};
    if (!wp_bench_options_check(j.options))
        return wp_last_error();
    if (j.options->list) {
        print_list();
        return WP_ERROR_NONE;
    }
    const bool ok = bench(&j);
    const enum wp_error code = ok ? judge(&j) : wp_last_error();
    for (int i = 0; i < OUTPUTS; i++)
        wp_output_discard(&j.output[i]);
    wp_results_free(&j.results);
    wp_results_free(&j.baseline);
    wp_bench_reconstruct_free(&j.reconstructions);
    wp_bench_set_free(&j.set);
    wp_gpu_state_close(&j.gpu);
    json_decref(j.user);
    return code;
}

const struct wp_command wp_command_bench = {
    .name = "bench",
    .summary = "time schemes and backends offscreen, and compare them with the limits of the "
               "device",
    .arguments = "",
    .description =
        "Measures every combination of the lists: each is first verified against the reference in "
        "double precision, then warmed up, then sampled, interleaved with the others, until its "
        "noise is low or its time limit is reached. The same run measures the ceilings of the "
        "device (fill, copy, fetches) and the transfers, and reports the percentage of its "
        "ceiling that each transform reaches. GB/s counts the image read once and written once, "
        "in bytes of the storage format. Sizes of three numbers are volumes.\n\n"
        "With --reconstruct it measures 'reconstruct' instead: the time of an iteration, and the "
        "PSNR after all iterations.\n\n"
        "Needs no display. Prints a table; --json writes every sample and the environment. After "
        "Ctrl+C the results so far are written, with \"complete\": false. docs/benchmarking.md "
        "describes the method.\n\n"
        "With --tune it only probes each wavelet, direction (both by default) and size on each "
        "backend: every scheme in every variant, also on software renderers. The fastest correct "
        "one is stored in the user's cache directory ('wavepass info' shows it), and 'forward' "
        "and 'inverse' use it unless a scheme or variant is named.",
    .examples = "wavepass bench\n"
                "wavepass bench -w cdf53,cdf97 -s all --size 256..4096:x2 --svg schemes.svg\n"
                "wavepass bench -b all --variant all -l 1,5 --json results.json\n"
                "wavepass bench -b cpu --threads 1 --size 256x256x256 -l 3 --levels-z 0,3\n"
                "wavepass bench --paper barina2017-fig8\n"
                "wavepass bench --reconstruct tv,tv+0.1wav -w haar -l 4 --size 128x128x128\n"
                "wavepass bench --tune -w cdf53,cdf97 --size 512,4096",
    .options = wp_bench_options,
    .options_size = sizeof(struct wp_bench_options),
    .run = run,
};
