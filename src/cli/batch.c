#include "flow.h"

#include "clock.h"
#include "threads.h"
#include "xmemory.h"

#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

// SLOTS: files in the pipeline at once. WRITERS: threads that write, which mostly wait for the
// disk.
enum { SLOTS = 6, WRITERS = 3 };

enum { READ, COMPUTE, WRITE, REPORT = WRITE + WRITERS, STAGES };

struct many {
    const struct wp_call *call;
    const struct wp_flow_command *command;
    const struct wp_flow_options *options;
    struct wp_transform_cache cache;
    char **name; // paths of the outputs, one per input
    char *slots; // SLOTS flows of command->size bytes
    int done, failed, large; // files; `failed` includes `large`, those that exceed the memory
};

static bool ends_in_slash(const char *path)
{
    return path && path[0] && path[strlen(path) - 1] == '/';
}

bool wp_batch_is_many(const struct wp_call *call, const char *output)
{
    return call->argument_count > 1 || ends_in_slash(output);
}

bool wp_batch_check(const struct wp_call *call, const char *hint, bool other)
{
    const struct wp_flow_options *o = call->options;
    if (o->suffix && !wp_batch_is_many(call, o->output))
        return wp_fail(WP_ERROR_USAGE, "--suffix is for a folder\nhint: -o DIR/");
    if (!o->output && !other)
        return wp_fail(WP_ERROR_USAGE, "no output\nhint: %s", hint);
    return !wp_is_stdio(o->output) || !call->common.json ||
           wp_fail(WP_ERROR_USAGE, "--json and -o - both write to stdout\nhint: -o FILE");
}

static bool check_folder(const struct wp_call *call, const char *path, const char *suffix)
{
    struct stat info;
    if (!path)
        return wp_fail(WP_ERROR_USAGE, "no output\nhint: -o DIR/ writes the results of %d files",
                       call->argument_count);
    if (suffix && (suffix[0] != '.' || !suffix[1] || strchr(suffix, '/')))
        return wp_fail(WP_ERROR_USAGE, "--suffix: '%s' is not a valid suffix"
                                       "\nhint: for example .npy", suffix);
    if (stat(path, &info) == 0 && S_ISDIR(info.st_mode))
        return true;
    if (ends_in_slash(path))
        return wp_fail(WP_ERROR_FILE, "folder %s does not exist\nhint: mkdir -p %s", path, path);
    return wp_fail(WP_ERROR_USAGE, "%s is not a folder, and there are %d inputs"
                                   "\nhint: -o DIR/", path,
                   call->argument_count);
}

// The length of a file name without its suffix.
static size_t stem_length(const char *name)
{
    static const char zipped[] = ".nii.gz";
    const size_t length = strlen(name), zipped_length = sizeof zipped - 1;
    if (length > zipped_length && strcasecmp(name + length - zipped_length, zipped) == 0)
        return length - zipped_length;
    const char *dot = strrchr(name, '.');
    return dot && dot != name ? (size_t)(dot - name) : length;
}

static char *name_output(const char *input, const char *folder, const char *suffix)
{
    const char *slash = strrchr(input, '/');
    const char *name = slash ? slash + 1 : input;
    const size_t stem = stem_length(name);
    struct wp_text text = {0};
    wp_text_add(&text, "%s%s%.*s%s", folder, ends_in_slash(folder) ? "" : "/",
                (int)stem, name, suffix ? suffix : name + stem);
    char *path = wp_xstrdup(wp_text_get(&text));
    wp_text_free(&text);
    return path;
}

struct named {
    const char *output, *input;
};

static int compare_names(const void *a, const void *b)
{
    return strcmp(((const struct named *)a)->output, ((const struct named *)b)->output);
}

static bool names_differ(const struct many *m)
{
    const size_t count = (size_t)m->call->argument_count;
    struct named *named = wp_xcalloc(count, sizeof *named);
    bool ok = true;
    for (size_t i = 0; i < count; i++)
        named[i] = (struct named){m->name[i], m->call->argument[i]};
    qsort(named, count, sizeof *named, compare_names);
    for (size_t i = 1; i < count && ok; i++)
        ok = compare_names(&named[i - 1], &named[i]) != 0 ||
             wp_fail(WP_ERROR_USAGE, "%s and %s would both become %s\nhint: one folder for each",
                     named[i - 1].input, named[i].input, named[i].output);
    free(named);
    return ok;
}

// Sets m->name. False after an error if the folder does not exist or two outputs have one name.
static bool name_outputs(struct many *m)
{
    const struct wp_call *call = m->call;
    if (!check_folder(call, m->options->output, m->options->suffix))
        return false;
    for (int i = 0; i < call->argument_count; i++) {
        if (strcmp(call->argument[i], "-") == 0)
            return wp_fail(WP_ERROR_USAGE, "input from stdin has no file name in a folder"
                                           "\nhint: -o FILE");
        m->name[i] = name_output(call->argument[i], m->options->output, m->options->suffix);
    }
    return names_differ(m);
}

static struct wp_flow *flow_at(const struct many *m, int number)
{
    return (struct wp_flow *)(void *)(m->slots +
                                            (size_t)(number % SLOTS) * m->command->size);
}

// Calls `step` unless an earlier step of this file failed, and stores its error. Messages in the
// meantime are prefixed with the input's path.
static void do_step(struct wp_flow *flow, bool (*step)(struct wp_flow *flow))
{
    if (flow->error != WP_ERROR_NONE)
        return;
    wp_messages_about(flow->input);
    wp_clear_error();
    if (!step(flow)) {
        flow->error = wp_last_error();
        flow->why = wp_xstrdup(wp_last_error_text());
    }
    wp_messages_about(NULL);
}

static void begin_flow(struct many *m, struct wp_flow *flow, int number)
{
    memset(flow, 0, m->command->size);
    flow->command = m->command;
    flow->call = m->call;
    flow->options = m->options;
    flow->params = &m->options->transform;
    flow->cache = &m->cache;
    flow->input = m->call->argument[number];
    flow->output = m->name ? m->name[number] : m->options->output;
    flow->single = !m->name;
    flow->max_error = NAN;
}

static bool read_step(void *user, int number, bool *end)
{
    struct many *m = user;
    *end = number == m->call->argument_count;
    if (*end)
        return true;
    struct wp_flow *flow = flow_at(m, number);
    begin_flow(m, flow, number);
    do_step(flow, m->command->read);
    return true;
}

static bool compute_step(void *user, int number, bool *end)
{
    struct many *m = user;
    (void)end;
    do_step(flow_at(m, number), wp_flow_compute);
    return true;
}

// The error of a file, with the keys of the program's own JSON errors.
static json_t *error_of(const struct wp_flow *flow)
{
    static const char mark[] = "\nhint: ";
    char *hint = strstr(flow->why, mark);
    if (hint)
        *hint = '\0';
    return json_pack("{s:o, s:o, s:i}", "error", wp_json_text(flow->why), "hint",
                     wp_json_text(hint ? hint + sizeof mark - 1 : NULL), "exit", (int)flow->error);
}

static void print_line(struct wp_flow *flow)
{
    json_t *line = flow->error == WP_ERROR_NONE ? flow->result : error_of(flow);
    if (flow->error == WP_ERROR_NONE)
        flow->result = NULL;
    json_object_set_new(line, "input", wp_json_text(flow->input));
    wp_print_json(line);
}

static void end_flow(struct wp_flow *flow)
{
    wp_flow_end(flow);
    free(flow->why);
    flow->input = NULL;
}

static bool write_step(void *user, int number, bool *end)
{
    struct many *m = user;
    (void)end;
    do_step(flow_at(m, number), wp_flow_write);
    return true;
}

// Reports the result of a file, in the order of the command line, and frees its job.
static bool report_step(void *user, int number, bool *end)
{
    struct many *m = user;
    struct wp_flow *flow = flow_at(m, number);
    (void)end;
    m->done++;
    m->failed += flow->error != WP_ERROR_NONE ? 1 : 0;
    m->large += flow->error == WP_ERROR_TOO_LARGE ? 1 : 0;
    if (m->call->common.json)
        print_line(flow);
    else if (flow->error == WP_ERROR_NONE)
        wp_log(WP_LOG_VERBOSE, "%s: %s", flow->output, wp_text_get(&flow->summary));
    wp_progress_files(m->done, m->call->argument_count, flow->input);
    end_flow(flow);
    return true;
}

static bool run_pipeline(struct many *m)
{
    struct wp_pipeline_stage stage[STAGES] = {
        [READ] = {.step = read_step, .until = REPORT},
        [COMPUTE] = {.step = compute_step},
        [REPORT] = {.step = report_step},
    };
    for (int w = 0; w < WRITERS; w++)
        stage[WRITE + w] = (struct wp_pipeline_stage){write_step, .phase = w, .period = WRITERS};
    for (int s = 0; s < STAGES; s++)
        stage[s].slots = SLOTS;
    const double start = wp_clock_seconds();
    const bool ok = wp_pipeline_run(stage, STAGES, COMPUTE, m);
    const double seconds = wp_clock_seconds() - start;
    // Jobs that were not reported because a stage ended early.
    for (int i = 0; i < SLOTS; i++)
        if (flow_at(m, i)->input)
            end_flow(flow_at(m, i));
    double writing = 0;
    for (int w = 0; w < WRITERS; w++)
        writing += stage[WRITE + w].seconds;
    wp_log(WP_LOG_VERBOSE, "read %.2f s, computed %.2f s, written %.2f s", stage[READ].seconds,
           stage[COMPUTE].seconds, writing);
    if (ok)
        wp_log(WP_LOG_INFO, "%d of %d files to %s in %.2f s, %.0f per second", m->done - m->failed,
               m->call->argument_count, m->options->output, seconds, m->done / seconds);
    return ok;
}

static enum wp_error run_many(struct many *m)
{
    const size_t count = (size_t)m->call->argument_count;
    m->name = wp_xcalloc(count, sizeof *m->name);
    m->slots = wp_xcalloc(SLOTS, m->command->size);
    bool ok = name_outputs(m);
    if (ok) {
        wp_messages_many();
        ok = run_pipeline(m);
    }
    for (size_t i = 0; i < count; i++)
        free(m->name[i]);
    free(m->name);
    free(m->slots);
    if (!ok)
        return wp_last_error();
    return m->failed == 0          ? WP_ERROR_NONE
           : m->failed == m->large ? WP_ERROR_TOO_LARGE
                                   : WP_ERROR_FILE;
}

static enum wp_error run_one(struct many *m)
{
    struct wp_flow *flow = wp_xmalloc(m->command->size);
    begin_flow(m, flow, 0);
    const bool ok = m->command->read(flow) && wp_flow_compute(flow) && wp_flow_write(flow);
    if (ok) {
        wp_log(WP_LOG_INFO, "%s", wp_text_get(&flow->summary));
        if (m->call->common.json)
            wp_print_json(json_incref(flow->result));
    }
    end_flow(flow);
    free(flow);
    return ok ? WP_ERROR_NONE : wp_last_error();
}

enum wp_error wp_batch_run(const struct wp_call *call, const struct wp_flow_command *command,
                           const void *options)
{
    struct many m = {.call = call, .command = command, .options = options};
    const enum wp_error code =
        wp_batch_is_many(call, m.options->output) ? run_many(&m) : run_one(&m);
    wp_transform_cache_end(&m.cache);
    return code;
}
