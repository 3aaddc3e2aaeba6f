#include "results.h"

#include "json_value.h"
#include "log.h"
#include "suggest.h"
#include "words.h"
#include "xmemory.h"

#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WP_RESULTS_SCHEMA = 1 };

#define WORD(NAME, member) \
    [WP_KEY_##NAME] = {#member, #member, "", offsetof(struct wp_row, member), false}
#define NUMBER(NAME, name, unit, member) \
    [WP_KEY_##NAME] = {name, #member, unit, offsetof(struct wp_row, member), true}
#define FIELD_WORD(member, NAME, word, help) WORD(NAME, member),

const struct wp_key wp_row_keys[WP_KEY_COUNT] = {
    WORD(BACKEND, backend), WORD(VARIANT, variant), WORD(TRANSFORM, work), WORD(IMAGE, image),
    WORD(WAVELET, wavelet), WORD(SCHEME, scheme), WORD(FORM, form), WORD(DIRECTION, direction),
    WP_FIELDS_DYADIC(FIELD_WORD)
    WORD(INCLUDES, includes),
    NUMBER(RATE, "rate", "", rate), NUMBER(PLANES, "planes", " plane", planes),
    NUMBER(BATCH, "batch", "", batch),
    NUMBER(THREADS, "threads", " thread", threads), NUMBER(LEVELS, "L", " level", levels),
    NUMBER(LEVELS_Z, "Lz", "", levels_z),
    [WP_KEY_SIZE] = {"size", "size", "", 0, false},
};

const char *wp_row_key(const struct wp_row *row, enum wp_row_key key,
                       char buffer[WP_KEY_SIZE_MOST])
{
    const void *member = (const char *)row + wp_row_keys[key].offset;
    buffer[0] = '\0';
    if (key == WP_KEY_SIZE) {
        if (row->width > 0)
            wp_size_text(buffer, (const int[]){row->width, row->height, row->depth});
        return buffer;
    }
    if (!wp_row_keys[key].counts)
        return member;
    const int count = key == WP_KEY_LEVELS_Z && row->depth <= 1 ? -1 : *(const int *)member;
    if (count >= 0)
        snprintf(buffer, WP_KEY_SIZE_MOST, "%d", count);
    return buffer;
}

static bool equal(const struct wp_row *a, const struct wp_row *b, enum wp_row_key key)
{
    char of_a[WP_KEY_SIZE_MOST], of_b[WP_KEY_SIZE_MOST];
    return strcmp(wp_row_key(a, key, of_a), wp_row_key(b, key, of_b)) == 0;
}

unsigned wp_row_keys_varying(const struct wp_results *results, enum wp_row_kind kind)
{
    const struct wp_row *first = NULL;
    unsigned keys = 0;
    for (int i = 0; i < results->row_count; i++) {
        const struct wp_row *row = &results->row[i];
        if (row->kind != kind)
            continue;
        if (!first)
            first = row;
        for (int k = 0; k < WP_KEY_COUNT; k++)
            if (!equal(first, row, (enum wp_row_key)k))
                keys |= WP_KEY_BIT(k);
    }
    return keys;
}

bool wp_row_keys_equal(const struct wp_row *a, const struct wp_row *b, unsigned keys)
{
    if (a->kind != b->kind)
        return false;
    for (int k = 0; k < WP_KEY_COUNT; k++)
        if (keys & WP_KEY_BIT(k) && !equal(a, b, (enum wp_row_key)k))
            return false;
    return true;
}

static void add_signature(const struct wp_row *row, unsigned keys, struct wp_text *text)
{
    char buffer[WP_KEY_SIZE_MOST];
    for (int k = 0; k < WP_KEY_COUNT; k++)
        if (keys & WP_KEY_BIT(k))
            wp_text_add(text, "%s\t", wp_row_key(row, (enum wp_row_key)k, buffer));
}

static int compare_signatures(const void *a, const void *b)
{
    return strcmp(wp_text_get(a), wp_text_get(b));
}

// Whether rows that agree in `less` also agree in `keys`. Rows are sorted, so that neighbors
// differ.
static bool distinguishes(const struct wp_results *results, enum wp_row_kind kind, unsigned keys,
                        unsigned less)
{
    struct wp_text *signature = wp_xcalloc((size_t)results->row_count, sizeof *signature);
    size_t count = 0;
    for (int i = 0; i < results->row_count; i++) {
        if (results->row[i].kind != kind)
            continue;
        add_signature(&results->row[i], less, &signature[count]);
        wp_text_add(&signature[count], "\n");
        add_signature(&results->row[i], keys, &signature[count++]);
    }
    qsort(signature, count, sizeof *signature, compare_signatures);
    bool apart = true;
    for (size_t i = 1; i < count; i++) {
        const char *a = wp_text_get(&signature[i - 1]), *b = wp_text_get(&signature[i]);
        const size_t length = strcspn(a, "\n") + 1;
        apart = apart && (strncmp(a, b, length) != 0 || strcmp(a, b) == 0);
    }
    for (size_t i = 0; i < count; i++)
        wp_text_free(&signature[i]);
    free(signature);
    return apart;
}

unsigned wp_row_keys_spare(const struct wp_results *results, enum wp_row_kind kind, unsigned keys)
{
    // Important keys are removed last; rows without a scheme only have a backend.
    static const enum wp_row_key order[] = {
        WP_KEY_INCLUDES, WP_KEY_FORM,      WP_KEY_BORDER,  WP_KEY_NORM,    WP_KEY_LAYOUT,
        WP_KEY_BANK,
        WP_KEY_PRECISION, WP_KEY_LEVELS_Z, WP_KEY_PLANES,  WP_KEY_THREADS, WP_KEY_DIRECTION,
        WP_KEY_BATCH,
        WP_KEY_LEVELS,   WP_KEY_VARIANT,   WP_KEY_SIZE,
    };
    unsigned spare = 0;
    for (size_t k = 0; k < sizeof order / sizeof *order; k++) {
        const unsigned more = spare | (keys & WP_KEY_BIT(order[k]));
        if (more != spare && (keys & ~more) && distinguishes(results, kind, keys, keys & ~more))
            spare = more;
    }
    return spare;
}

void wp_row_describe(const struct wp_row *row, unsigned keys, struct wp_text *text)
{
    char buffer[WP_KEY_SIZE_MOST];
    const size_t start = text->length;
    for (int k = 0; k < WP_KEY_COUNT; k++) {
        const char *word = wp_row_key(row, (enum wp_row_key)k, buffer);
        if (!(keys & WP_KEY_BIT(k)) || !*word)
            continue;
        const char *unit = wp_row_keys[k].unit;
        wp_text_add(text, "%s%s%s%s%s%s", text->length > start ? " " : "",
                    k == WP_KEY_RATE ? "x" : "", word, unit,
                    *unit && strcmp(word, "1") != 0 ? "s" : "",
                    k == WP_KEY_LEVELS_Z ? " along z" : k == WP_KEY_BATCH ? " in a batch" : "");
    }
}

// ---- rows and files ----

const char *const wp_row_kind_names[WP_ROW_KIND_COUNT] = {
    [WP_ROW_TRANSFORM] = "transform",
    [WP_ROW_CEILING] = "ceiling",
    [WP_ROW_TRANSFER] = "transfer",
    [WP_ROW_RECONSTRUCTION] = "reconstruction",
};

#define MEMBER(member) offsetof(struct wp_row, member), sizeof((struct wp_row *)0)->member
#define TEXT(member) {#member, WP_COLUMN_TEXT, MEMBER(member)}
#define COUNT(member) {#member, WP_COLUMN_COUNT, MEMBER(member)}
#define FIGURE(member) {#member, WP_COLUMN_FIGURE, MEMBER(member)}
#define AMOUNT(member) {#member, WP_COLUMN_AMOUNT, MEMBER(member)}
#define FIELD(member, NAME, word, help) TEXT(member),
#define TRUTH(member) {#member, WP_COLUMN_TRUTH, MEMBER(member)}

const struct wp_column wp_row_columns[] = {
    TEXT(backend), TEXT(variant), TEXT(device), TRUTH(software), TEXT(work), TEXT(includes),
    TEXT(wavelet), TEXT(scheme), TEXT(form), TEXT(direction),
    WP_FIELDS_DYADIC(FIELD)
    COUNT(width), COUNT(height), COUNT(depth), COUNT(levels), COUNT(levels_z), COUNT(planes),
    COUNT(batch),
    COUNT(threads), COUNT(images), TEXT(image), COUNT(rate), COUNT(iterations),
    COUNT(steps), AMOUNT(operations), AMOUNT(fetches), TEXT(shader_sha256),
    TEXT(timer),
    FIGURE(median_ns), FIGURE(mean_ns), FIGURE(min_ns), FIGURE(max_ns), FIGURE(stdev_ns),
    FIGURE(p05_ns), FIGURE(p95_ns), FIGURE(noise),
    FIGURE(gpu_ns), FIGURE(wall_ns), FIGURE(compile_ns),
    FIGURE(payload_gbps), FIGURE(traffic_gbps), FIGURE(mpel_s), FIGURE(psnr),
    FIGURE(max_abs_err), TRUTH(verified), TEXT(verified_at), COUNT(throttled_samples),
    FIGURE(preemptions_s),
    {"ceiling.name", WP_COLUMN_TEXT, MEMBER(ceiling_name)},
    {"ceiling.share", WP_COLUMN_FIGURE, MEMBER(ceiling_share)},
    {"ceiling.binds", WP_COLUMN_TEXT, MEMBER(ceiling_binds)},
    {0},
};

struct wp_row wp_row_unknown(void)
{
    struct wp_row row;
    memset(&row, 0, sizeof row);
    for (const struct wp_column *c = wp_row_columns; c->name; c++) {
        void *at = (char *)&row + c->offset;
        if (c->kind == WP_COLUMN_FIGURE || c->kind == WP_COLUMN_AMOUNT)
            *(double *)at = NAN;
        else if (c->kind != WP_COLUMN_TEXT)
            *(int *)at = -1;
    }
    return row;
}

void wp_row_warn(struct wp_row *row, const char *format, ...)
{
    char message[512];
    va_list args;
    va_start(args, format);
    vsnprintf(message, sizeof message, format, args);
    va_end(args);
    row->warning = wp_xrealloc(row->warning, (size_t)row->warning_count + 1,
                               sizeof *row->warning);
    row->warning[row->warning_count++] = wp_xstrdup(message);
}

// Adds a warning each for outliers, a slow first sample and a drift.
static void add_warnings(struct wp_row *row, const struct wp_statistics *s)
{
    char number[WP_NUMBER_SIZE];
    if (s->first > 0.0)
        wp_row_warn(row, "the first sample took %s times the median: a longer --warmup may help",
                    wp_format_number(number, s->first, 3));
    if (s->outliers > (s->first > 0.0))
        wp_row_warn(row, "outliers: %d of %d samples, up to %s times the median; something else "
                         "may have run",
                    s->outliers, s->count, wp_format_number(number, s->farthest, 3));
    if (s->drift > 0.0)
        wp_row_warn(row, "the second half of the samples took %s times the first: the clock may "
                         "have changed",
                    wp_format_number(number, s->drift, 3));
}

void wp_row_summarize(struct wp_row *row)
{
    const struct wp_statistics s = wp_statistics(row->sample_ns, row->sample_count);
    row->median_ns = s.median;
    row->mean_ns = s.mean;
    row->min_ns = s.min;
    row->max_ns = s.max;
    row->stdev_ns = s.stdev;
    row->p05_ns = s.p05;
    row->p95_ns = s.p95;
    row->noise = s.noise;
    row->wall_ns = wp_statistics(row->wall_sample_ns, row->sample_count).median;
    add_warnings(row, &s);
}

const char *wp_row_doubt(const struct wp_row *row)
{
    if (row->kind != WP_ROW_TRANSFORM || row->verified == 1)
        return "";
    return row->verified == 0 ? "WRONG" : "UNVERIFIED";
}

// Preemptions per second. An idle computer has few, with another program running there are more
// than a hundred. Software renderers have more threads than processors and preempt themselves.
enum { PREEMPTIONS_MOST = 50 };

bool wp_row_is_busy(const struct wp_row *row)
{
    return row->preemptions_s > PREEMPTIONS_MOST && row->software != 1;
}

void wp_row_free(struct wp_row *row)
{
    free(row->sample_ns);
    free(row->wall_sample_ns);
    for (int i = 0; i < row->warning_count; i++)
        free(row->warning[i]);
    free(row->warning);
    *row = wp_row_unknown();
}

void wp_results_add(struct wp_results *results, const struct wp_row *row)
{
    results->row = wp_xrealloc(results->row, (size_t)results->row_count + 1,
                               sizeof *results->row);
    results->row[results->row_count++] = *row;
}

void wp_results_free(struct wp_results *results)
{
    for (int i = 0; i < results->row_count; i++)
        wp_row_free(&results->row[i]);
    free(results->row);
    json_decref(results->environment);
    *results = (struct wp_results){0};
}

static json_t *column_to_json(const struct wp_row *row, const struct wp_column *column)
{
    const void *at = (const char *)row + column->offset;
    if (column->kind == WP_COLUMN_TEXT)
        return wp_json_text(*(const char *)at ? at : NULL);
    if (column->kind == WP_COLUMN_FIGURE)
        return wp_json_number(*(const double *)at);
    if (column->kind == WP_COLUMN_AMOUNT)
        return wp_json_amount(*(const double *)at);
    const int value = *(const int *)at;
    if (value < 0)
        return json_null();
    return column->kind == WP_COLUMN_TRUTH ? json_boolean(value) : json_integer(value);
}

static json_t *samples_to_json(const double *samples, int count, bool include)
{
    if (!include || !samples)
        return json_null();
    json_t *array = json_array();
    for (int i = 0; i < count; i++)
        json_array_append_new(array, wp_json_number(samples[i]));
    return array;
}

static json_t *row_to_json(const struct wp_row *row, bool samples)
{
    json_t *object = json_object();
    json_object_set_new(object, "kind", json_string(wp_row_kind_names[row->kind]));
    for (const struct wp_column *c = wp_row_columns; c->name; c++) {
        json_t *value = column_to_json(row, c);
        const char *dot = strchr(c->name, '.');
        if (!dot) {
            json_object_set_new(object, c->name, value);
            continue;
        }
        char outer[32];
        snprintf(outer, sizeof outer, "%.*s", (int)(dot - c->name), c->name);
        if (!json_object_get(object, outer))
            json_object_set_new(object, outer, json_object());
        json_object_set_new(json_object_get(object, outer), dot + 1, value);
    }
    json_object_set_new(object, "samples_ns",
                        samples_to_json(row->sample_ns, row->sample_count, samples));
    json_object_set_new(object, "wall_samples_ns",
                        samples_to_json(row->wall_sample_ns, row->sample_count, samples));
    json_t *warnings = json_array();
    for (int i = 0; i < row->warning_count; i++)
        json_array_append_new(warnings, wp_json_text(row->warning[i]));
    json_object_set_new(object, "warnings", warnings);
    return object;
}

json_t *wp_results_to_json(const struct wp_results *results, bool samples)
{
    json_t *rows = json_array();
    for (int i = 0; i < results->row_count; i++)
        json_array_append_new(rows, row_to_json(&results->row[i], samples));
    return json_pack("{s:i, s:b, s:O?, s:o}", "schema_version", WP_RESULTS_SCHEMA, "complete",
                     results->complete, "environment", results->environment, "rows", rows);
}

static void column_from_json(struct wp_row *row, const struct wp_column *column,
                             const json_t *object)
{
    void *at = (char *)row + column->offset;
    const char *name = column->name, *dot = strchr(name, '.');
    if (dot) {
        char outer[32];
        snprintf(outer, sizeof outer, "%.*s", (int)(dot - name), name);
        object = json_object_get(object, outer);
        name = dot + 1;
    }
    const json_t *value = json_object_get(object, name);
    if (column->kind == WP_COLUMN_TEXT && json_is_string(value))
        snprintf(at, column->size, "%s", json_string_value(value));
    else if ((column->kind == WP_COLUMN_FIGURE || column->kind == WP_COLUMN_AMOUNT) &&
             json_is_number(value))
        *(double *)at = json_number_value(value);
    else if (column->kind == WP_COLUMN_TRUTH && json_is_boolean(value))
        *(int *)at = json_is_true(value);
    else if (column->kind == WP_COLUMN_COUNT && json_integer_value(value) >= 0 &&
             json_integer_value(value) <= INT_MAX && json_is_integer(value))
        *(int *)at = (int)json_integer_value(value);
}

static double *samples_from_json(const json_t *array)
{
    const size_t count = json_array_size(array);
    double *samples = count ? wp_xcalloc(count, sizeof *samples) : NULL;
    for (size_t i = 0; i < count; i++) {
        const json_t *value = json_array_get(array, i);
        samples[i] = json_is_number(value) ? json_number_value(value) : NAN;
    }
    return samples;
}

// Reads a row. Returns NULL, or a description of the error.
static const char *row_from_json(struct wp_row *row, const json_t *object)
{
    const int kind = wp_name_index(json_string_value(json_object_get(object, "kind")),
                                   wp_row_kind_names, WP_ROW_KIND_COUNT);
    if (kind < 0)
        return "has an unknown kind";
    row->kind = (enum wp_row_kind)kind;
    for (const struct wp_column *c = wp_row_columns; c->name; c++)
        column_from_json(row, c, object);
    // Files without a precision are from when only f32 existed.
    if (!row->precision[0])
        snprintf(row->precision, sizeof row->precision, "f32");
    const json_t *samples = json_object_get(object, "samples_ns");
    const json_t *wall = json_object_get(object, "wall_samples_ns");
    row->sample_count = (int)json_array_size(samples);
    row->sample_ns = samples_from_json(samples);
    if (json_array_size(wall) == json_array_size(samples))
        row->wall_sample_ns = samples_from_json(wall);
    for (int i = 0; i < row->sample_count; i++)
        if (!(row->sample_ns[i] >= 0) || (row->wall_sample_ns && !(row->wall_sample_ns[i] >= 0)))
            return "has a sample that is not a time";
    const json_t *warnings = json_object_get(object, "warnings");
    for (size_t i = 0; i < json_array_size(warnings); i++)
        if (json_is_string(json_array_get(warnings, i)))
            wp_row_warn(row, "%s", json_string_value(json_array_get(warnings, i)));
    return NULL;
}

static bool from_json(const char *path, json_t *json, struct wp_results *results)
{
    const json_t *schema = json_object_get(json, "schema_version");
    const json_t *rows = json_object_get(json, "rows");
    if (!json_is_integer(schema) || !json_is_array(rows))
        return wp_fail(WP_ERROR_FILE, "%s: not the results of a benchmark (no schema_version and "
                                      "rows)", path);
    if (json_integer_value(schema) != WP_RESULTS_SCHEMA)
        return wp_fail(WP_ERROR_FILE, "%s: schema_version %d (this program supports %d)", path,
                       (int)json_integer_value(schema), (int)WP_RESULTS_SCHEMA);
    results->complete = json_is_true(json_object_get(json, "complete"));
    results->environment = json_incref(json_object_get(json, "environment"));
    for (size_t i = 0; i < json_array_size(rows); i++) {
        struct wp_row row = wp_row_unknown();
        const char *wrong = row_from_json(&row, json_array_get(rows, i));
        wp_results_add(results, &row);
        if (wrong)
            return wp_fail(WP_ERROR_FILE, "%s: row %zu %s", path, i + 1, wrong);
    }
    return true;
}

bool wp_results_read(const char *path, struct wp_results *results)
{
    *results = (struct wp_results){0};
    FILE *file = strcmp(path, "-") == 0 ? stdin : fopen(path, "rb");
    if (!file)
        return wp_fail(wp_error_of_errno(), "cannot read %s (%s)", path, strerror(errno));
    json_error_t error;
    json_t *json = json_loadf(file, 0, &error);
    if (file != stdin)
        fclose(file);
    if (!json)
        return wp_fail(WP_ERROR_FILE, "%s:%d: not JSON (%s)", path, error.line, error.text);
    const bool ok = from_json(path, json, results);
    json_decref(json);
    if (!ok)
        wp_results_free(results);
    return ok;
}

// ---- shares of ceilings ----

// From special to general: of bounds within tie_ratio the first is named. For example, a copy by
// render passes is limited by its fill rate, which also limits its bytes per second.
static const struct {
    const char *name;
    size_t offset;
} bounds[] = {
    {"fill", offsetof(struct wp_cost, fill)},
    {"fetches", offsetof(struct wp_cost, fetches)},
    {"bytes", offsetof(struct wp_cost, bytes)},
};

static const double tie_ratio = 1.05;

static double amount(const struct wp_cost *cost, int bound)
{
    return *(const double *)(const void *)((const char *)cost + bounds[bound].offset);
}

// True if a ceiling may be limited by `bound`. It does not show the rate of bytes if it fetches
// more than it moves, since fetches may limit it, if it only writes, or if it takes no longer than
// only filling. `quad`: bytes of a quad.
static bool is_bound_by(const struct wp_ceiling_time *ceiling, int bound, double quad,
                     double fill_rate)
{
    const struct wp_cost *cost = &ceiling->cost;
    if (bounds[bound].offset != offsetof(struct wp_cost, bytes))
        return true;
    if ((cost->fetches + cost->fill) * quad > cost->bytes * tie_ratio)
        return false;
    return cost->fill <= 0 ||
           (cost->fetches > 0 && ceiling->ns * fill_rate > cost->fill * tie_ratio);
}

// The best rate of a bound among the ceilings, per ns; 0 if there is none.
static double best_rate(const struct wp_ceiling_time *ceiling, int count, int bound, double quad,
                        double fill_rate, const struct wp_ceiling_time **best)
{
    double rate = 0;
    for (int i = 0; i < count; i++) {
        const double rate_i = amount(&ceiling[i].cost, bound) / ceiling[i].ns;
        if (is_bound_by(&ceiling[i], bound, quad, fill_rate) && rate_i > rate) {
            rate = rate_i;
            *best = &ceiling[i];
        }
    }
    return rate;
}

void wp_ceiling_share(struct wp_row *row, const struct wp_cost *cost, enum wp_precision precision,
                      const struct wp_ceiling_time *ceiling, int count)
{
    const double quad = 4 * (double)wp_precision_bytes(precision);
    double longest = 0, fill_rate = 0;
    for (int b = 0; b < (int)(sizeof bounds / sizeof *bounds); b++) {
        const struct wp_ceiling_time *best = NULL;
        const double rate = best_rate(ceiling, count, b, quad, fill_rate, &best);
        if (b == 0)
            fill_rate = rate;
        const double ns = best ? amount(cost, b) / rate : 0;
        if (!best || isnan(row->median_ns) || ns <= longest * tie_ratio)
            continue;
        longest = ns;
        row->ceiling_share = ns / row->median_ns;
        snprintf(row->ceiling_name, sizeof row->ceiling_name, "%s", best->name);
        snprintf(row->ceiling_binds, sizeof row->ceiling_binds, "%s", bounds[b].name);
    }
}
