#include "results.h"

#include "json_value.h"
#include "xmemory.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// Members of the environment that differ between any two runs.
static const char *const transient[] = {"argv", "date", "seed", "host.load",
                                      "gpu_state.clock_before", "gpu_state.clock_after",
                                      "gpu_state.memory_clock", "gpu_state.temperature"};

static bool is_transient(const char *key)
{
    for (size_t i = 0; i < sizeof transient / sizeof *transient; i++)
        if (strcmp(key, transient[i]) == 0)
            return true;
    return false;
}

static char *value_text(const json_t *value)
{
    if (!value)
        return wp_xstrdup("none");
    char *text = json_dumps(value, JSON_ENCODE_ANY | JSON_COMPACT | JSON_REAL_PRECISION(9));
    char *copy = wp_xstrdup(text ? text : "?");
    free(text);
    return copy;
}

static void compare_values(struct wp_comparison *c, const char *key, const json_t *base,
                           const json_t *new);

static void compare_member(struct wp_comparison *c, const char *outer, const char *name,
                           const json_t *base, const json_t *new)
{
    struct wp_text key = {0};
    wp_text_add(&key, "%s%s%s", outer, *outer ? "." : "", name);
    if (!is_transient(wp_text_get(&key)))
        compare_values(c, wp_text_get(&key), json_object_get(base, name),
                       json_object_get(new, name));
    wp_text_free(&key);
}

static void compare_values(struct wp_comparison *c, const char *key, const json_t *base,
                           const json_t *new)
{
    if (json_is_object(base) && json_is_object(new)) {
        const char *name;
        json_t *value;
        json_object_foreach((json_t *)base, name, value)
            compare_member(c, key, name, base, new);
        json_object_foreach((json_t *)new, name, value)
            if (!json_object_get(base, name))
                compare_member(c, key, name, base, new);
        return;
    }
    if (json_equal(base, new) || (!base && !new))
        return;
    c->difference = wp_xrealloc(c->difference, (size_t)c->difference_count + 1,
                                sizeof *c->difference);
    c->difference[c->difference_count++] =
        (struct wp_comparison_difference){wp_xstrdup(key), value_text(base), value_text(new)};
}

static struct wp_ratio compare_rows(const struct wp_row *base, const struct wp_row *new,
                                    const struct wp_comparison_params *params)
{
    if (base->sample_count > 0 && new->sample_count > 0 && base->sample_ns && new->sample_ns &&
        strcmp(base->timer, new->timer) == 0)
        return wp_ratio_of(base->sample_ns, base->sample_count, new->sample_ns,
                           new->sample_count, params->alpha, params->threshold);
    return (struct wp_ratio){new->median_ns / base->median_ns, 0.0, INFINITY,
                             WP_VERDICT_UNDECIDED};
}

static void add_row(const struct wp_row ***list, int *count, const struct wp_row *row)
{
    *list = wp_xrealloc(*list, (size_t)*count + 1, sizeof **list);
    (*list)[(*count)++] = row;
}

static void add_pair(struct wp_comparison *c, const struct wp_row *base, const struct wp_row *new)
{
    const struct wp_comparison_pair pair = {base, new, compare_rows(base, new, &c->params)};
    c->pair = wp_xrealloc(c->pair, (size_t)c->pair_count + 1, sizeof *c->pair);
    c->pair[c->pair_count++] = pair;
    c->verdicts[pair.ratio.verdict]++;
}

void wp_comparison_create(const struct wp_results *base, const struct wp_results *new,
                          const struct wp_comparison_params *params,
                          struct wp_comparison *comparison)
{
    struct wp_comparison *c = comparison;
    *c = (struct wp_comparison){.params = *params, .base = base, .new = new};
    compare_values(c, "", base->environment, new->environment);
    // Several rows of one configuration, for example of several devices, are paired in their order.
    bool *matched = wp_xcalloc((size_t)base->row_count + 1, sizeof *matched);
    for (int n = 0; n < new->row_count; n++) {
        int b = 0;
        while (b < base->row_count &&
               (matched[b] || !wp_row_keys_equal(&base->row[b], &new->row[n], WP_KEYS_ALL)))
            b++;
        if (b < base->row_count) {
            matched[b] = true;
            add_pair(c, &base->row[b], &new->row[n]);
        } else {
            add_row(&c->only_new, &c->only_new_count, &new->row[n]);
        }
    }
    for (int b = 0; b < base->row_count; b++)
        if (!matched[b])
            add_row(&c->only_base, &c->only_base_count, &base->row[b]);
    free(matched);
}

void wp_comparison_free(struct wp_comparison *comparison)
{
    for (int i = 0; i < comparison->difference_count; i++) {
        free(comparison->difference[i].key);
        free(comparison->difference[i].base);
        free(comparison->difference[i].new);
    }
    free(comparison->difference);
    free(comparison->pair);
    free(comparison->only_base);
    free(comparison->only_new);
    *comparison = (struct wp_comparison){0};
}

int wp_comparison_pairs(const struct wp_comparison *comparison)
{
    int count = 0;
    for (int i = 0; i < comparison->pair_count; i++) {
        const struct wp_comparison_pair *pair = &comparison->pair[i];
        count += pair->new->kind != WP_ROW_CEILING && pair->base->sample_ns && pair->new->sample_ns;
    }
    return count;
}

int wp_comparison_slower(const struct wp_comparison *comparison, double part)
{
    int count = 0;
    for (int i = 0; i < comparison->pair_count; i++)
        count += comparison->pair[i].new->kind != WP_ROW_CEILING &&
                 comparison->pair[i].ratio.low > 1.0 + part;
    return count;
}

static bool has_doubt(const struct wp_comparison_pair *pair, const char *doubt)
{
    return strcmp(wp_row_doubt(pair->base), doubt) == 0 ||
           strcmp(wp_row_doubt(pair->new), doubt) == 0;
}

// Adds the reasons to doubt a pair, if there are any.
static void add_marks(const struct wp_comparison_pair *pair, struct wp_text *marks)
{
    const struct {
        bool applies;
        const char *mark;
    } mark[] = {
        {pair->base->software == 1 || pair->new->software == 1, "SOFTWARE"},
        {has_doubt(pair, "WRONG"), "WRONG"},
        {has_doubt(pair, "UNVERIFIED"), "UNVERIFIED"},
        {pair->base->throttled_samples > 0 || pair->new->throttled_samples > 0, "THROTTLED"},
        {wp_row_is_busy(pair->base) || wp_row_is_busy(pair->new), "BUSY"},
        {strcmp(pair->base->timer, pair->new->timer) != 0, "different timers"},
        {*pair->base->shader_sha256 && *pair->new->shader_sha256 &&
             strcmp(pair->base->shader_sha256, pair->new->shader_sha256) != 0,
         "other shaders"},
        {!pair->base->sample_ns || !pair->new->sample_ns, "no samples"},
    };
    for (size_t i = 0; i < sizeof mark / sizeof *mark; i++)
        if (mark[i].applies)
            wp_text_add(marks, "%s%s", marks->length ? ", " : "", mark[i].mark);
}

static void add_differences(const struct wp_comparison *c, const struct wp_page *page,
                            struct wp_text *text)
{
    wp_text_add(text, c->difference_count ? "The environment differs:\n"
                                          : "The environment is the same.\n");
    for (int i = 0; i < c->difference_count; i++)
        wp_page_words(page, text, "- %s: %s -> %s", c->difference[i].key, c->difference[i].base,
                      c->difference[i].new);
}

static void add_interval(struct wp_table *table, const struct wp_ratio *ratio)
{
    char low[WP_NUMBER_SIZE], high[WP_NUMBER_SIZE];
    if (isfinite(ratio->high))
        wp_table_cell(table, "%s..%s", wp_number_text(low, ratio->low, 4),
                      wp_number_text(high, ratio->high, 4));
    else
        wp_table_cell(table, "too few samples");
}

static void add_pairs(const struct wp_comparison *c, struct wp_page *page, struct wp_text *text)
{
    const unsigned always = WP_KEY_BIT(WP_KEY_TRANSFORM) | WP_KEY_BIT(WP_KEY_WAVELET) |
                            WP_KEY_BIT(WP_KEY_SCHEME) | WP_KEY_BIT(WP_KEY_SIZE);
    char number[WP_NUMBER_SIZE];
    struct wp_text interval = {0};
    wp_text_add(&interval, "%s %% interval", wp_number_text(number, 100.0 * (1.0 - c->params.alpha),
                                                         2));
    const struct wp_heading headings[] = {
        {"configuration", false, 0}, {"base", true, 2},
        {"new", true, 1},            {"new/base", true, 0},
        {wp_text_get(&interval), true, 3}, {"verdict", false, 0},
        {"marks", false, 0}};
    struct wp_table table = {.page = page};
    wp_table_columns(&table, headings, sizeof headings / sizeof *headings);
    for (int i = 0; i < c->pair_count; i++) {
        const struct wp_comparison_pair *pair = &c->pair[i];
        struct wp_text words = {0};
        if (pair->new->kind != WP_ROW_TRANSFORM)
            wp_text_add(&words, "%s ", wp_row_kind_names[pair->new->kind]);
        wp_row_describe(pair->new, always | wp_row_keys_varying(c->new, pair->new->kind), &words);
        wp_table_cell(&table, "%s", wp_text_get(&words));
        wp_text_clear(&words);
        wp_table_time(&table, pair->base->median_ns);
        wp_table_time(&table, pair->new->median_ns);
        wp_table_number(&table, pair->ratio.ratio, 4);
        add_interval(&table, &pair->ratio);
        wp_table_cell(&table, "%s", wp_verdict_names[pair->ratio.verdict]);
        add_marks(pair, &words);
        wp_table_cell(&table, "%s", wp_text_get(&words));
        wp_text_free(&words);
    }
    wp_table_finish(&table, text);
    wp_text_free(&interval);
}

// The number of ceilings that differ. Ceilings do not depend on the version of wavepass, so a
// difference is one of the machine.
static int count_ceilings(const struct wp_comparison *c)
{
    int count = 0;
    for (int i = 0; i < c->pair_count; i++)
        count += c->pair[i].new->kind == WP_ROW_CEILING &&
                 (c->pair[i].ratio.verdict == WP_VERDICT_FASTER ||
                  c->pair[i].ratio.verdict == WP_VERDICT_SLOWER);
    return count;
}

static void add_only(const struct wp_row *const *row, int count, const char *name,
                     const struct wp_page *page, struct wp_text *text)
{
    for (int i = 0; i < count; i++) {
        struct wp_text words = {0};
        wp_row_describe(row[i], WP_KEYS_ALL, &words);
        wp_page_words(page, text, "only in %s: %s %s", name, wp_row_kind_names[row[i]->kind],
                      wp_text_get(&words));
        wp_text_free(&words);
    }
}

void wp_comparison_markdown(const struct wp_comparison *comparison, const char *base_name,
                            const char *new_name, struct wp_page *page, struct wp_text *text)
{
    const struct wp_comparison *c = comparison;
    wp_text_add(text, "base: %s%s\nnew: %s%s\n", base_name,
                c->base->complete ? "" : " (INCOMPLETE)", new_name,
                c->new->complete ? "" : " (INCOMPLETE)");
    add_differences(c, page, text);
    wp_text_add(text, "\n");
    if (c->pair_count > 0) {
        add_pairs(c, page, text);
        wp_text_add(text, "\n");
    }
    const int ceilings = count_ceilings(c);
    if (ceilings > 0)
        wp_text_add(text, "%d ceiling%s too: the machine did not run at the same speed.\n",
                    ceilings, ceilings == 1 ? " differs" : "s differ");
    add_only(c->only_base, c->only_base_count, base_name, page, text);
    add_only(c->only_new, c->only_new_count, new_name, page, text);
    for (int v = 0; v < WP_VERDICT_COUNT; v++)
        wp_text_add(text, "%s%d %s", v ? ", " : "", c->verdicts[v], wp_verdict_names[v]);
    char number[WP_NUMBER_SIZE];
    wp_text_add(text, " (threshold %s %%)\n", wp_number_text(number, 100.0 * c->params.threshold,
                                                            2));
}

static json_t *keys_json(const struct wp_row *row)
{
    char buffer[WP_KEY_SIZE_MOST];
    json_t *object = json_pack("{s:s}", "kind", wp_row_kind_names[row->kind]);
    for (int k = 0; k < WP_KEY_COUNT; k++) {
        const char *word = wp_row_key(row, (enum wp_row_key)k, buffer);
        const char *name = wp_row_keys[k].json;
        if (*word && wp_row_keys[k].counts)
            json_object_set_new(object, name, json_integer(atoi(word)));
        else
            json_object_set_new(object, name, wp_json_text(*word ? word : NULL));
    }
    return object;
}

static json_t *rows_json(const struct wp_row *const *row, int count)
{
    json_t *rows = json_array();
    for (int i = 0; i < count; i++)
        json_array_append_new(rows, keys_json(row[i]));
    return rows;
}

static json_t *pair_json(const struct wp_comparison_pair *pair)
{
    struct wp_text marks = {0};
    add_marks(pair, &marks);
    json_t *object = keys_json(pair->new);
    const bool known = isfinite(pair->ratio.high);
    json_object_set_new(object, "base_ns", wp_json_number(pair->base->median_ns));
    json_object_set_new(object, "new_ns", wp_json_number(pair->new->median_ns));
    json_object_set_new(object, "ratio", wp_json_number(pair->ratio.ratio));
    json_object_set_new(object, "low", wp_json_number(known ? pair->ratio.low : NAN));
    json_object_set_new(object, "high", wp_json_number(pair->ratio.high));
    json_object_set_new(object, "verdict", json_string(wp_verdict_names[pair->ratio.verdict]));
    json_object_set_new(object, "marks", json_string(wp_text_get(&marks)));
    wp_text_free(&marks);
    return object;
}

json_t *wp_comparison_json(const struct wp_comparison *comparison)
{
    const struct wp_comparison *c = comparison;
    json_t *environment = json_array(), *rows = json_array(), *verdicts = json_object();
    for (int i = 0; i < c->difference_count; i++)
        json_array_append_new(environment,
                              json_pack("{s:s, s:o, s:o}", "key", c->difference[i].key, "base",
                                        wp_json_text(c->difference[i].base), "new",
                                        wp_json_text(c->difference[i].new)));
    for (int i = 0; i < c->pair_count; i++)
        json_array_append_new(rows, pair_json(&c->pair[i]));
    for (int v = 0; v < WP_VERDICT_COUNT; v++)
        json_object_set_new(verdicts, wp_verdict_names[v], json_integer(c->verdicts[v]));
    return json_pack("{s:f, s:f, s:i, s:b, s:b, s:o, s:o, s:o, s:o, s:o}", "threshold",
                     c->params.threshold, "alpha", c->params.alpha, "ceilings_differ",
                     count_ceilings(c), "base_complete",
                     c->base->complete, "new_complete", c->new->complete, "environment",
                     environment, "rows", rows, "only_base",
                     rows_json(c->only_base, c->only_base_count), "only_new",
                     rows_json(c->only_new, c->only_new_count), "verdicts", verdicts);
}
