#include "autotune.h"

#include "cache.h"
#include "json_value.h"
#include "log.h"
#include "output.h"
#include "reference.h"
#include "suggest.h"
#include "wavepass.h"
#include "xmemory.h"

#include <ctype.h>
#include <errno.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

// The version of the format. Files of other versions are replaced. Increase it also when a backend
// gets new variants, since older results do not include them; the seeds in
// tests/fuzz/corpus/autotune contain it.
enum { FORMAT = 3 };

// Longer files are rejected.
static const size_t max_bytes = 4 << 20;

static void add_fact(void *user, const char *key, const char *value)
{
    static const char *const keys[] = {"version", "cuda_driver", "cuda_runtime"};
    struct wp_text *text = user;
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        if (strcmp(key, keys[i]) == 0)
            wp_text_add(text, "%s%s", text->length ? ", " : "", value);
}

// Adds the driver, such as "4.6.0 NVIDIA 580.65.06"; nothing for devices that are not GPUs.
static void get_driver(const struct wp_backend_choice *on, struct wp_text *text)
{
    const struct wp_backend_bench *bench = on->backend->bench;
    if (bench && bench->facts)
        bench->facts(on->device, add_fact, text);
}

// Adds a file name of letters, digits and "._-", unique for the renderer and driver.
static void add_file_name(const struct wp_backend_choice *on, struct wp_text *text)
{
    enum { READABLE = 96 };
    struct wp_text name = {0};
    wp_text_add(&name, "%s, ", on->info.name);
    get_driver(on, &name);
    const char *c = wp_text_get(&name);
    bool gap = true; // suppresses '_' at the beginning
    for (int i = 0; c[i] && i < READABLE; i++) {
        const bool plain = isalnum((unsigned char)c[i]) || c[i] == '.' || c[i] == '-';
        if (plain || !gap)
            wp_text_add(text, "%c", plain ? c[i] : '_');
        gap = !plain;
    }
    wp_text_add(text, "%s%08llx.json", gap ? "" : "_", wp_hash(c) & 0xffffffffU);
    wp_text_free(&name);
}

char *wp_tuning_path(const struct wp_backend_choice *on)
{
    struct wp_text name = {0};
    add_file_name(on, &name);
    char *path = wp_cache_path(wp_text_get(&name));
    wp_text_free(&name);
    return path;
}

static json_t *reject_file(const char *path, const char *why)
{
    wp_log(WP_LOG_WARNING, "%s is not used (%s)", path, why);
    return NULL;
}

// Reads the file's text, which the caller frees. NULL if there is no file, or after a warning.
static char *read_text(const char *path, size_t *length)
{
    struct stat info = {0};
    if (stat(path, &info) == 0 && !S_ISREG(info.st_mode)) {
        reject_file(path, "it is not a file");
        return NULL;
    }
    FILE *file = fopen(path, "rb");
    if (!file) {
        if (errno == ENOMEM)
            wp_xmemory_end();
        if (errno != ENOENT && errno != ENOTDIR)
            reject_file(path, strerror(errno));
        return NULL;
    }
    // One byte more than the size, to detect a file that has grown.
    const size_t capacity =
        (unsigned long long)info.st_size < max_bytes ? (size_t)info.st_size + 1 : max_bytes;
    char *text = wp_xcalloc(capacity, 1);
    *length = fread(text, 1, capacity, file);
    const bool ok = !ferror(file) && *length < capacity;
    const int error = errno;
    fclose(file);
    if (ok)
        return text;
    reject_file(path, *length < capacity ? strerror(error) : "it is too long");
    free(text);
    return NULL;
}

static bool has_text(const json_t *object, const char *key, const char *expected)
{
    const char *text = json_string_value(json_object_get(object, key));
    return text && strcmp(text, expected) == 0;
}

json_t *wp_tuning_read(const char *path, const struct wp_backend_choice *on)
{
    size_t length;
    char *text = read_text(path, &length);
    if (!text)
        return NULL;
    json_error_t error;
    json_t *file = json_loadb(text, length, JSON_REJECT_DUPLICATES, &error);
    free(text);
    if (!file)
        return reject_file(path, error.text);
    struct wp_text driver = {0};
    get_driver(on, &driver);
    const bool current = json_integer_value(json_object_get(file, "format")) == FORMAT &&
                         has_text(file, "wavepass", WAVEPASS_VERSION) &&
                         has_text(file, "renderer", on->info.name) &&
                         has_text(file, "driver", wp_text_get(&driver));
    wp_text_free(&driver);
    const bool has_choices = json_is_array(json_object_get(file, "choices"));
    if (current && has_choices)
        return file;
    json_decref(file);
    if (current)
        return reject_file(path, "it has no \"choices\"");
    wp_log(WP_LOG_VERBOSE, "%s is from another version or driver and is recreated", path);
    return NULL;
}

// Gets a hash of the lifting steps: wavelets of the same name may differ, since they can be files.
static void get_steps(const struct wp_wavelet *wavelet, char hash[17])
{
    enum { EXACT_DIGITS = 17 };
    struct wp_text text = {0};
    char number[WP_NUMBER_SIZE];
    for (int i = 0; i < 2 * wavelet->pairs; i++) {
        const struct wp_filter *filter = wp_wavelet_step(wavelet, i);
        for (int t = 0; t < filter->count; t++)
            wp_text_add(&text, "%d:%s ", filter->tap[t].k,
                        wp_format_number(number, filter->tap[t].c, EXACT_DIGITS));
        wp_text_add(&text, "/ ");
    }
    wp_text_add(&text, "%s", wp_format_number(number, wavelet->zeta, EXACT_DIGITS));
    snprintf(hash, 17, "%016llx", wp_hash(wp_text_get(&text)));
    wp_text_free(&text);
}

static bool matches_key(const json_t *entry, const struct wp_tuning_key *key)
{
    char steps[17];
    get_steps(key->wavelet, steps);
    return has_text(entry, "backend", key->on->backend->name) &&
           has_text(entry, "wavelet", key->wavelet->name) && has_text(entry, "steps", steps) &&
           has_text(entry, "direction", wp_direction_names[key->direction]) &&
           json_integer_value(json_object_get(entry, "side")) == wp_size_class_side[key->size];
}

// Reads a timing; "scheme" or "variant" is null for backends that have none. False if it is
// invalid; `*unknown` is then the scheme or variant that does not exist, or unchanged.
static bool read_timing(const json_t *timed, const struct wp_backend *backend,
                        struct wp_timing *timing, const char **unknown)
{
    const char *scheme = json_string_value(json_object_get(timed, "scheme"));
    const char *variant = json_string_value(json_object_get(timed, "variant"));
    const double seconds = json_number_value(json_object_get(timed, "seconds"));
    *timing = (struct wp_timing){
        .correct = true,
        .error = json_number_value(json_object_get(timed, "max_error")),
        .seconds = seconds,
    };
    if (scheme)
        timing->kind = wp_scheme_kind_named(scheme);
    for (const struct wp_variant *v = backend->variants; variant && v && v->name; v++)
        if (strcmp(v->name, variant) == 0)
            timing->variant = v;
    if (!timing->kind != backend->schemeless)
        *unknown = scheme ? scheme : "null";
    else if (!timing->variant != !backend->variants)
        *unknown = variant ? variant : "null";
    else
        return seconds > 0;
    return false;
}

static const char *text_of(const json_t *object, const char *key)
{
    const char *text = json_string_value(json_object_get(object, key));
    return text ? text : "?";
}

// Reads the timings of an entry. False after a warning.
static bool read_entry(const json_t *entry, const char *path, const struct wp_backend *backend,
                       struct wp_probe *probe)
{
    const json_t *timed = json_object_get(entry, "timed");
    const size_t count = json_array_size(timed);
    const char *unknown = NULL;
    bool ok = count > 0;
    *probe = (struct wp_probe){.timing = wp_xcalloc(count + 1, sizeof *probe->timing)};
    for (size_t i = 0; i < count && ok; i++)
        ok = read_timing(json_array_get(timed, i), backend, &probe->timing[probe->count++],
                         &unknown);
    if (ok)
        return true;
    wp_log(WP_LOG_WARNING, "%s: its entry for %s %s is not used (%s%s%s)", path,
           text_of(entry, "wavelet"), text_of(entry, "direction"),
           unknown ? "unknown scheme or variant '" : "it is damaged", unknown ? unknown : "",
           unknown ? "'" : "");
    wp_probe_free(probe);
    return false;
}

json_t *wp_tuning_list(const json_t *file, const char *path, const struct wp_backend *backend)
{
    json_t *list = json_array(), *entry;
    size_t i;
    json_array_foreach (json_object_get(file, "choices"), i, entry) {
        struct wp_probe probe;
        if (has_text(entry, "backend", backend->name) &&
            read_entry(entry, path, backend, &probe)) {
            json_array_append(list, entry);
            wp_probe_free(&probe);
        }
    }
    return list;
}

bool wp_tuning_get(const json_t *file, const char *path, const struct wp_tuning_key *key,
                   struct wp_probe *probe)
{
    *probe = (struct wp_probe){0};
    const json_t *list = json_object_get(file, "choices");
    const json_t *entry = NULL;
    for (size_t i = 0; i < json_array_size(list) && !entry; i++)
        if (matches_key(json_array_get(list, i), key))
            entry = json_array_get(list, i);
    return entry && read_entry(entry, path, key->on->backend, probe);
}

static json_t *pack_entry(const struct wp_tuning_key *key, const char *by,
                          const struct wp_probe *probe)
{
    char date[32], steps[17];
    const time_t now = time(NULL);
    strftime(date, sizeof date, "%Y-%m-%dT%H:%M:%SZ", gmtime(&now));
    get_steps(key->wavelet, steps);
    json_t *timed = json_array();
    for (int i = 0; i < probe->count && probe->timing[i].correct; i++) {
        const struct wp_timing *t = &probe->timing[i];
        json_array_append_new(
            timed, json_pack("{s:o, s:o, s:f, s:f}",                               //
                             "scheme", wp_json_text(t->kind ? t->kind->name : NULL), //
                             "variant", wp_json_text(t->variant ? t->variant->name : NULL),
                             "seconds", t->seconds, //
                             "max_error", t->error));
    }
    return json_pack("{s:s, s:o, s:s, s:s, s:i, s:s, s:s, s:f, s:i, s:o}", //
                     "backend", key->on->backend->name,                   //
                     "wavelet", wp_json_text(key->wavelet->name),         //
                     "steps", steps,                                      //
                     "direction", wp_direction_names[key->direction],     //
                     "side", wp_size_class_side[key->size],               //
                     "found", date,                                       //
                     "by", by,                                            //
                     "seconds", probe->seconds,                           //
                     "left_out", probe->skipped,                         //
                     "timed", timed);
}

json_t *wp_tuning_put(json_t *file, const struct wp_tuning_key *key, const char *by,
                      const struct wp_probe *probe)
{
    if (!file) {
        struct wp_text driver = {0};
        get_driver(key->on, &driver);
        file = json_pack("{s:i, s:s, s:o, s:o, s:[]}",                //
                         "format", FORMAT,                            //
                         "wavepass", WAVEPASS_VERSION,                //
                         "renderer", wp_json_text(key->on->info.name), //
                         "driver", wp_json_text(wp_text_get(&driver)), //
                         "choices");
        wp_text_free(&driver);
    }
    json_t *list = json_object_get(file, "choices");
    for (size_t i = json_array_size(list); i-- > 0;)
        if (matches_key(json_array_get(list, i), key))
            json_array_remove(list, i);
    json_array_append_new(list, pack_entry(key, by, probe));
    return file;
}

struct wp_output *wp_tuning_open(const char *path)
{
    return wp_cache_open(path);
}

bool wp_tuning_write(const json_t *file, struct wp_output **output)
{
    enum { DIGITS = 6 };
    FILE *stream = wp_output_stream(*output);
    json_dumpf(file, stream, JSON_INDENT(1) | JSON_REAL_PRECISION(DIGITS));
    fputc('\n', stream);
    return wp_output_commit(output);
}

// ---- the choice ----

// Seconds after which an automatic probe starts no further candidate. Users did not request it.
static const double default_limit = 0.4;

const char *const wp_chosen_by_names[WP_CHOSEN_BY_COUNT] = {
    [WP_CHOSEN_BY_RULE] = "fixed rule",
    [WP_CHOSEN_BY_OPTIONS] = "options",
    [WP_CHOSEN_BY_FILE] = "cache",
    [WP_CHOSEN_BY_PROBE] = "probe",
};

enum probe_mode { PROBE_AUTO, PROBE_NEVER, PROBE_ALWAYS };

// The value of $WAVEPASS_PROBE. Warns once if it is invalid.
static enum probe_mode probe_mode(void)
{
    static const char *const words[] = {"auto", "never", "always"};
    static bool warned;
    const char *given = getenv("WAVEPASS_PROBE");
    if (!given || !*given)
        return PROBE_AUTO;
    const int mode = wp_name_index(given, words, (int)(sizeof words / sizeof *words));
    if (mode >= 0)
        return (enum probe_mode)mode;
    if (!warned)
        wp_log(WP_LOG_WARNING, "WAVEPASS_PROBE=%s is ignored: it must be auto, never or always",
               given);
    warned = true;
    return PROBE_AUTO;
}

const char *wp_autotune_why_not(const struct wp_backend_choice *on)
{
    if (on->backend == &wp_backend_reference)
        return "it is the reference for the others";
    if (probe_mode() == PROBE_NEVER)
        return "WAVEPASS_PROBE=never";
    if (probe_mode() == PROBE_ALWAYS)
        return NULL;
    if (on->info.software)
        return "it renders in software";
    if (on->info.wall)
        return "it has no device clock";
    return NULL;
}

void wp_autotune_describe(const struct wp_timing *timing, struct wp_text *text)
{
    if (timing->kind)
        wp_text_add(text, "%s, ", timing->kind->name);
    if (timing->variant)
        wp_text_add(text, "variant %s, ", timing->variant->name);
    wp_text_add(text, "%.3g ms", 1e3 * timing->seconds);
}

// Sets the fastest measured scheme and variant that can execute this transform. False if there is
// none.
static bool select_variant(const struct wp_autotune *autotune, const struct wp_backend_choice *on,
                           const struct wp_probe *probe, struct wp_description *params,
                           const struct wp_variant **variant)
{
    for (int i = 0; i < probe->count && probe->timing[i].correct; i++) {
        const struct wp_timing *t = &probe->timing[i];
        struct wp_description chosen = *params;
        chosen.direction = autotune->direction;
        chosen.kind = t->kind ? t->kind : params->kind;
        if ((autotune->nonfinite && t->variant && t->variant->spreads_nonfinite) ||
            !wp_probe_can_run(on, t->variant, &chosen))
            continue;
        params->kind = chosen.kind;
        *variant = t->variant;
        return true;
    }
    return false;
}

// Logs the result of a probe.
static void report(const struct wp_probe *probe, const struct wp_tuning_key *key, bool ok)
{
    struct wp_text text = {0};
    if (ok) {
        wp_autotune_describe(&probe->timing[0], &text);
        wp_log(WP_LOG_INFO, "timed %d implementations of %s in %.2f s%s: %s for %dx%d",
               probe->count, key->wavelet->name, probe->seconds,
               probe->skipped ? ", the likely ones" : "",
               wp_text_get(&text), wp_size_class_side[key->size], wp_size_class_side[key->size]);
    } else {
        wp_log(WP_LOG_WARNING, "the probe for the fastest scheme failed (%s); using the default",
               probe->failure[0] ? probe->failure : "none computed the right result");
    }
    wp_text_free(&text);
}

// Runs a probe and writes the tuning file. The file is opened first, since a probe whose result
// cannot be stored would run every time. False after a warning.
static bool measure_and_store(const struct wp_autotune *autotune, const struct wp_tuning_key *key,
                              const char *path, json_t **file, struct wp_probe *probe)
{
    struct wp_text error = {0};
    autotune->capture(&error);
    struct wp_output *output = path ? wp_tuning_open(path) : NULL;
    autotune->capture(NULL);
    bool ok = output != NULL;
    if (ok) {
        const struct wp_probe_params params = {
            .on = key->on,
            .wavelet = key->wavelet,
            .direction = key->direction,
            .size = key->size,
            .limit = autotune->limit > 0 ? autotune->limit : default_limit,
            .capture = autotune->capture,
            .progress = autotune->progress,
        };
        wp_probe_free(probe);
        ok = wp_probe_run(&params, probe);
        report(probe, key, ok);
        if (ok) {
            *file = wp_tuning_put(*file, key, "probe", probe);
            autotune->capture(&error);
            if (!wp_tuning_write(*file, &output))
                wp_log(WP_LOG_WARNING, "the result of the probe cannot be stored (%s)",
                       wp_text_get(&error));
            autotune->capture(NULL);
        }
        wp_output_discard(&output);
    } else {
        wp_log(WP_LOG_WARNING, "no probe for the fastest scheme, because it cannot be stored (%s)",
               path ? wp_text_get(&error) : "neither XDG_CACHE_HOME nor HOME is set");
    }
    wp_text_free(&error);
    wp_clear_error();
    return ok;
}

void wp_autotune_choose(void *user, const struct wp_backend_choice *on,
                        struct wp_description *params, const struct wp_variant **variant)
{
    struct wp_autotune *autotune = user;
    const struct wp_transform_params *given = autotune->given;
    const bool named = given->variant || (!on->backend->schemeless && (given->scheme ||
                                                                       given->plain));
    autotune->by = named ? WP_CHOSEN_BY_OPTIONS : WP_CHOSEN_BY_RULE;
    // Probes measure only images without integer rounding.
    if (named || params->reversible || params->levels == 0 || wp_description_depth(params) > 1 ||
        on->backend == &wp_backend_reference || probe_mode() == PROBE_NEVER)
        return;
    struct wp_wavelet dual;
    const struct wp_tuning_key key = {
        .on = on,
        .wavelet = wp_description_wavelet(params, &dual),
        .direction = autotune->direction,
        .size = wp_size_class_of(params->size[WP_X], params->size[WP_Y]),
    };
    struct wp_probe probe = {0};
    char *path = wp_tuning_path(on);
    json_t *file = path ? wp_tuning_read(path, on) : NULL;
    const char *why_not = wp_autotune_why_not(on);
    if (wp_tuning_get(file, path, &key, &probe) &&
        select_variant(autotune, on, &probe, params, variant))
        autotune->by = WP_CHOSEN_BY_FILE;
    else if (why_not)
        wp_log(WP_LOG_VERBOSE, "%s: the default scheme, not the fastest (%s)", on->info.name,
               why_not);
    else if (measure_and_store(autotune, &key, path, &file, &probe) &&
             select_variant(autotune, on, &probe, params, variant))
        autotune->by = WP_CHOSEN_BY_PROBE;
    wp_probe_free(&probe);
    json_decref(file);
    free(path);
}
