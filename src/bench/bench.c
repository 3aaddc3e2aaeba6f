#include "bench.h"

#include "bench_item.h"
#include "results.h"
#include "clock.h"
#include "field_table.h"
#include "log.h"
#include "xmemory.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Configurations that fit into this much memory together are sampled interleaved.
static const double group_bytes = 8.0 * 1073741824;

// Limits of a batch, the consecutive samples of one item: it ends at either.
enum { BATCH_SAMPLES = 8 };
static const double batch_seconds = 0.02;

// Preemptions are not reported if the batches of an item took less time.
static const double min_batch_seconds = 0.2;

// Number of samples after which the noise is computed again.
enum { NOISE_INTERVAL = 10 };

enum { CEILINGS_MAX = 16, TRANSFERS_MAX = 4, MAPS_MAX = 2 };

struct bench {
    const struct wp_bench_set *set;
    const struct wp_bench_params *params;
    struct wp_results *results;
    struct wp_oracle_cache *oracle;
    unsigned random;
    float *noise;           // input planes of the size that is being measured
    const struct wp_backend_choice *pinned; // the backend for which `noise` is pinned, or NULL
    int started;            // number of configurations
    int compiled_count;     // keys of the programs that were compiled in this run
    char **compiled;
    bool cannot_map;        // mapping is not available, which was reported
    int transforms;         // number of transforms that have a row
    enum wp_error skip_error; // of the latest configuration that was skipped
    struct wp_cost *cost;   // of the rows of `results`
};

struct group {
    int count;
    struct wp_bench_item *item;
    struct wp_bench_map map; // for the items that measure mapping
};

static bool is_stopped(const struct bench *b)
{
    return b->params->stop && *b->params->stop;
}

static unsigned draw(struct bench *b, unsigned below)
{
    // Marsaglia, Xorshift RNGs, 2003, the triple (13, 17, 5).
    b->random ^= b->random << 13;
    b->random ^= b->random >> 17;
    b->random ^= b->random << 5;
    return b->random % below;
}

static void add_row(struct bench *b, const struct wp_row *row, const struct wp_cost *cost)
{
    wp_results_add(b->results, row);
    b->cost = wp_xrealloc(b->cost, (size_t)b->results->row_count, sizeof *b->cost);
    b->cost[b->results->row_count - 1] = *cost;
}

// True if the programs of a configuration were compiled before in this run; else adds their key.
static bool is_compiled(struct bench *b, const struct wp_bench_config *config)
{
    const struct wp_description *p = &config->params;
    struct wp_text key = {0};
    wp_text_add(&key, "%s %s %s %s %d %d %d %d", config->backend->backend->name,
                config->variant ? config->variant->name : "", p->wavelet->name, p->kind->name,
                (int)p->form, (int)p->direction + WP_DIRECTION_COUNT * p->adjoint, p->planes > 1,
                wp_description_depth(p) > 1);
    for (int f = 0; f < WP_FIELD_DYADIC; f++)
        if (f != WP_FIELD_LAYOUT)
            wp_text_add(&key, " %d", wp_field_get(p, (enum wp_field)f));
    for (int i = 0; i < b->compiled_count; i++) {
        if (strcmp(b->compiled[i], wp_text_get(&key)) == 0) {
            wp_text_free(&key);
            return true;
        }
    }
    b->compiled = wp_xrealloc(b->compiled, (size_t)b->compiled_count + 1, sizeof *b->compiled);
    b->compiled[b->compiled_count++] = key.data;
    return false;
}

// Captures errors of an attempt whose failure does not end the run.
static void begin_attempt(const struct bench *b, struct wp_text *errors)
{
    if (b->params->capture)
        b->params->capture(errors);
}

// Ends the attempt. True if it succeeded, or after a warning if it failed for a reason that
// concerns only this configuration. `name` names it in the warning. Frees `errors`.
static bool end_attempt(struct bench *b, struct wp_text *errors, bool ok, const char *name,
                    const struct wp_row *row)
{
    if (b->params->capture)
        b->params->capture(NULL);
    const enum wp_error error = ok ? WP_ERROR_NONE : wp_last_error();
    const bool recoverable = ok || error == WP_ERROR_TOO_LARGE || error == WP_ERROR_UNAVAILABLE;
    if (!ok)
        b->skip_error = error;
    char size[WP_KEY_SIZE_MOST];
    if (!ok && recoverable)
        wp_log(WP_LOG_WARNING, "skipped: %s, %s, %s (%.*s)", name,
               wp_row_key(row, WP_KEY_SIZE, size), row->backend,
               (int)strcspn(wp_text_get(errors), "\n"), wp_text_get(errors));
    else if (!ok)
        wp_fail(error, "%s", wp_text_get(errors));
    wp_text_free(errors);
    return recoverable;
}

// Adds a row for shader compilation if --include compile was given.
static void add_compile_row(struct bench *b, const struct wp_bench_item *item)
{
    if (isnan(item->row.compile_ns) || !(b->set->requested & WP_INCLUDE_COMPILE))
        return;
    struct wp_row row = wp_row_unknown();
    const struct wp_row *source = &item->row;
    row = *source;
    row.kind = WP_ROW_TRANSFER;
    row.images = row.steps = row.verified = -1;
    row.operations = row.fetches = row.max_abs_err = NAN;
    row.verified_at[0] = row.includes[0] = '\0';
    row.warning = NULL;
    row.warning_count = 0;
    snprintf(row.work, sizeof row.work, "compile");
    snprintf(row.timer, sizeof row.timer, "monotonic clock");
    row.sample_count = 1;
    row.sample_ns = wp_xcalloc(1, sizeof *row.sample_ns);
    row.sample_ns[0] = row.median_ns = row.mean_ns = row.min_ns = row.max_ns = row.wall_ns =
        source->compile_ns;
    add_row(b, &row, &(struct wp_cost){0});
}

// Adds the item of a configuration, unless it is skipped. False after an error that ends the run.
static bool add_transform(struct bench *b, struct group *group,
                           const struct wp_bench_config *config)
{
    struct wp_bench_item *item = &group->item[group->count];
    struct wp_text errors = {0};
    const bool compiled = wp_backend_is_schemeless(config->backend->backend, &config->params) ||
                          is_compiled(b, config);
    begin_attempt(b, &errors);
    const bool ok = wp_bench_item_transform(item, config, b->params->no_verify ? NULL : b->oracle,
                                            b->noise, compiled);
    if (ok) {
        group->count++;
        add_compile_row(b, item);
    } else {
        wp_bench_item_release(item);
    }
    const bool recoverable = end_attempt(b, &errors, ok, config->params.wavelet->name, &item->row);
    if (!ok)
        wp_row_free(&item->row);
    return recoverable;
}

static bool add_ceilings(struct bench *b, struct group *group,
                          const struct wp_bench_config *config)
{
    const struct wp_backend_bench *bench = config->backend->backend->bench;
    const struct wp_ceiling *c = bench ? bench->ceilings : NULL;
    for (int i = 0; c && c->name && i < CEILINGS_MAX; i++, c++) {
        if (c->precision != config->params.precision)
            continue;
        struct wp_bench_item *item = &group->item[group->count];
        struct wp_text errors = {0};
        begin_attempt(b, &errors);
        const bool ok = wp_bench_item_ceiling(item, config, c);
        if (ok)
            group->count++;
        else
            wp_bench_item_release(item);
        if (!end_attempt(b, &errors, ok, c->name, &item->row))
            return false;
    }
    return true;
}

static void add_transfers(struct group *group, struct wp_bench_item *transform)
{
    static const enum wp_bench_act acts[TRANSFERS_MAX] = {WP_ACT_UPLOAD, WP_ACT_DOWNLOAD,
                                                          WP_ACT_PACK, WP_ACT_LAYOUT};
    const struct wp_backend_bench *bench = transform->backend->bench;
    const bool packs = bench && bench->pack && !transform->owned.tiled;
    for (int i = 0; i < (packs ? TRANSFERS_MAX : 2); i++)
        wp_bench_item_transfer(&group->item[group->count++], transform, acts[i]);
}

static void add_maps(struct bench *b, struct group *group, const struct wp_description *params)
{
    char reason[256] = "";
    struct wp_text errors = {0};
    begin_attempt(b, &errors);
    struct wp_description single_precision = *params;
    single_precision.precision = WP_PRECISION_F32; // CUDA supports no other textures
    const bool ok = wp_bench_map_create(&single_precision, &group->map, reason, sizeof reason);
    if (b->params->capture)
        b->params->capture(NULL);
    wp_text_free(&errors);
    if (ok) {
        wp_bench_item_map(&group->item[group->count++], &group->map, WP_ACT_MAP);
        wp_bench_item_map(&group->item[group->count++], &group->map, WP_ACT_UNMAP);
    } else if (!b->cannot_map) {
        b->cannot_map = true;
        wp_log(WP_LOG_WARNING, "skipped: map, unmap (%s)", reason);
    }
}

// Sets item->done if the item has enough samples or has reached a limit.
static void judge(const struct wp_sampling *rule, struct wp_bench_item *item)
{
    const int count = item->row.sample_count;
    if (count <= BATCH_SAMPLES || count % NOISE_INTERVAL == 0 || count == rule->max_samples)
        item->noise = wp_statistics(item->row.sample_ns, count).noise;
    const enum wp_sampling_state state =
        wp_sampling_judge(rule, count, item->noise, item->measured, item->spent);
    item->done = state != WP_SAMPLING_CONTINUES;
    if (state == WP_SAMPLING_TIMEOUT)
        wp_row_warn(&item->row, "stopped after %.3g s, before it had all its samples", item->spent);
    else if (state == WP_SAMPLING_FULL)
        wp_row_warn(&item->row, "still noisier than %.3g %% after %d samples",
                    100 * rule->max_noise, count);
}

static bool sample_batch(const struct bench *b, struct wp_bench_item *item)
{
    const double begin = wp_clock_seconds();
    const long preemptions = wp_clock_preemptions();
    const int before = item->row.sample_count;
    for (int i = 0; i < BATCH_SAMPLES && !item->done && !is_stopped(b); i++) {
        if (!wp_bench_item_sample(item, true))
            return false;
        judge(&b->params->sampling, item);
        if (wp_clock_seconds() - begin > batch_seconds)
            break;
    }
    item->batch_seconds += wp_clock_seconds() - begin;
    item->preemptions += wp_clock_preemptions() - preemptions;
    if (wp_gpu_state_throttled(b->params->gpu))
        item->row.throttled_samples += item->row.sample_count - before;
    return true;
}

// Runs every item once, and then all of them for `seconds`, since idle GPUs lower their clocks.
static bool warm_up(const struct bench *b, const struct group *group, double seconds)
{
    double begin = 0;
    for (bool busy = true, first = true; busy; first = false) {
        busy = false;
        for (int i = 0; i < group->count; i++) {
            if (group->item[i].done)
                continue;
            if (is_stopped(b) || (!first && wp_clock_seconds() - begin >= seconds))
                return true;
            if (!wp_bench_item_sample(&group->item[i], false))
                return false;
            busy = true;
        }
        if (first)
            begin = wp_clock_seconds();
    }
    return true;
}

static bool sample_interleaved(struct bench *b, const struct group *group)
{
    int *order = wp_xcalloc((size_t)group->count + 1, sizeof *order);
    bool ok = true, busy = true;
    for (int i = 0; i < group->count; i++)
        order[i] = i;
    while (ok && busy && !is_stopped(b)) {
        busy = false;
        for (int i = group->count - 1; i > 0; i--) {
            const int j = (int)draw(b, (unsigned)i + 1), k = order[i];
            order[i] = order[j];
            order[j] = k;
        }
        for (int i = 0; i < group->count && ok && !is_stopped(b); i++) {
            struct wp_bench_item *item = &group->item[order[i]];
            if (item->done)
                continue;
            ok = sample_batch(b, item);
            busy = true;
        }
    }
    free(order);
    return ok;
}

static bool sample_in_order(struct bench *b, const struct group *group)
{
    for (int i = 0; i < group->count; i++)
        while (!group->item[i].done && !is_stopped(b))
            if (!sample_batch(b, &group->item[i]))
                return false;
    return true;
}

static bool sample_group(struct bench *b, const struct group *group, double warm_up_seconds)
{
    return warm_up(b, group, warm_up_seconds) &&
           (b->params->given_order ? sample_in_order : sample_interleaved)(b, group);
}

static void report(const struct bench *b, const struct wp_row *row)
{
    if (b->params->progress)
        b->params->progress(b->started, b->set->count, row);
}

// Adds the rows of items that have samples or failed verification.
static void add_rows(struct bench *b, struct group *group)
{
    for (int i = 0; i < group->count; i++) {
        struct wp_bench_item *item = &group->item[i];
        wp_bench_item_finish(item);
        if (item->batch_seconds >= min_batch_seconds)
            item->row.preemptions_s = (double)item->preemptions / item->batch_seconds;
        if (wp_row_is_busy(&item->row))
            wp_row_warn(&item->row, "busy: other programs preempted this one %.0f times per second",
                        item->row.preemptions_s);
        if (!b->params->gpu)
            item->row.throttled_samples = -1;
        if (item->row.sample_count > 0 || item->row.verified == 0) {
            b->transforms += item->row.kind == WP_ROW_TRANSFORM;
            add_row(b, &item->row, &item->cost);
        } else {
            wp_row_free(&item->row);
        }
    }
}

static void finish_group(struct bench *b, struct group *group, struct group *transfers)
{
    add_rows(b, group);
    add_rows(b, transfers);
    for (int i = 0; i < group->count; i++)
        wp_bench_item_release(&group->item[i]);
    wp_bench_map_destroy(&transfers->map);
    free(group->item);
    free(transfers->item);
}

// The end of the group that begins at `first`: as many configurations of one size as fit in memory.
static int end_of_group(const struct bench *b, int first, int last)
{
    double bytes = 0;
    int end = first;
    while (end < last) {
        bytes += WP_BENCH_IMAGES * wp_bench_bytes(&b->set->config[end]);
        if (end > first && bytes > group_bytes)
            break;
        end++;
    }
    return end;
}

// True for the first configuration of a size with its backend, precision and number of threads, and
// if `native` for the first one without a plan.
static bool is_first_of_backend(const struct bench *b, int first, int index, bool native)
{
    const struct wp_bench_config *config = b->set->config;
    if (native && !wp_description_is_native(&config[index].params))
        return false;
    for (int i = first; i < index; i++)
        if ((!native || wp_description_is_native(&config[i].params)) &&
            config[i].backend == config[index].backend &&
            config[i].params.precision == config[index].params.precision &&
            config[i].threads == config[index].threads)
            return false;
    return true;
}

static bool run_group(struct bench *b, int size_begin, int begin, int end)
{
    size_t firsts = 0;
    for (int i = begin; i < end; i++)
        firsts += is_first_of_backend(b, size_begin, i, false);
    struct group group = {.item = wp_xcalloc((size_t)(end - begin) + firsts * CEILINGS_MAX,
                                             sizeof *group.item)};
    // Transfers keep the computer busy and the device idle, so they are measured last.
    struct group transfers = {.item = wp_xcalloc(firsts * TRANSFERS_MAX + MAPS_MAX,
                                                 sizeof *transfers.item)};
    bool ok = true;
    for (int i = begin; i < end && ok && !is_stopped(b); i++) {
        const struct wp_bench_config *config = &b->set->config[i];
        const int before = group.count;
        b->started++;
        ok = add_transform(b, &group, config);
        if (ok && group.count > before) {
            report(b, &group.item[before].row);
            if (!b->params->no_transfers && is_first_of_backend(b, size_begin, i, true) &&
                !group.item[before].done)
                add_transfers(&transfers, &group.item[before]);
        }
        if (ok && !b->params->no_ceilings && is_first_of_backend(b, size_begin, i, false))
            ok = add_ceilings(b, &group, config);
    }
    if (ok && begin == size_begin && b->set->requested & WP_INCLUDE_MAP && !is_stopped(b) &&
        wp_description_is_native(&b->set->config[begin].params))
        add_maps(b, &transfers, &b->set->config[begin].params);
    ok = ok && sample_group(b, &group, b->params->warm_up) &&
         sample_group(b, &transfers, 0);
    finish_group(b, &group, &transfers);
    return ok;
}

// Sets the ceilings of rows `first` and later, which are of one size.
static void set_shares(struct bench *b, int first)
{
    for (int i = first; i < b->results->row_count; i++) {
        struct wp_row *row = &b->results->row[i];
        struct wp_ceiling_time ceiling[CEILINGS_MAX];
        int count = 0;
        if (row->kind != WP_ROW_TRANSFORM || row->includes[0])
            continue;
        for (int j = first; j < b->results->row_count && count < CEILINGS_MAX; j++) {
            const struct wp_row *other = &b->results->row[j];
            if (other->kind == WP_ROW_CEILING && strcmp(other->backend, row->backend) == 0 &&
                strcmp(other->precision, row->precision) == 0 && other->threads == row->threads)
                ceiling[count++] = (struct wp_ceiling_time){other->work, b->cost[j],
                                                            other->median_ns};
        }
        const bool half = strcmp(row->precision, wp_precision_names[WP_PRECISION_F16]) == 0;
        wp_ceiling_share(row, &b->cost[i], half ? WP_PRECISION_F16 : WP_PRECISION_F32, ceiling,
                         count);
    }
}

static void free_noise(struct bench *b)
{
    if (b->pinned)
        b->pinned->backend->unpin(b->pinned->device, b->noise);
    b->pinned = NULL;
    free(b->noise);
    b->noise = NULL;
}

// Pins the input for the first device of configurations [begin, end) that supports it.
static void pin_noise(struct bench *b, int begin, int end, size_t bytes)
{
    for (int i = begin; i < end && !b->pinned; i++) {
        const struct wp_backend_choice *on = b->set->config[i].backend;
        if (on->backend->pin && on->backend->pin(on->device, b->noise, bytes))
            b->pinned = on;
    }
}

// Creates the input for configurations [begin, end), which are of one size.
static bool create_noise(struct bench *b, int begin, int end)
{
    const struct wp_description *params = &b->set->config[begin].params;
    int planes = 1;
    for (int i = begin; i < end; i++)
        if (b->set->config[i].params.planes > planes)
            planes = b->set->config[i].params.planes;
    free_noise(b);
    struct wp_image *image = wp_oracle_noise(params->size);
    b->noise = image ? wp_bench_stack(image->plane[0], wp_image_samples(image), planes) : NULL;
    wp_image_destroy(&image);
    if (b->noise)
        pin_noise(b, begin, end,
                  wp_description_samples(params) * (size_t)planes * sizeof *b->noise);
    return b->noise != NULL;
}

static int end_of_size(const struct wp_bench_set *set, int begin)
{
    int end = begin;
    while (end < set->count && wp_bench_same_size(&set->config[begin], &set->config[end]))
        end++;
    return end;
}

bool wp_bench_run(const struct wp_bench_set *set, const struct wp_bench_params *params,
                  struct wp_results *results)
{
    struct bench b = {
        .set = set,
        .params = params,
        .results = results,
        .oracle = wp_oracle_cache_create(),
        .random = params->seed ? params->seed : 1,
        .cost = wp_xcalloc((size_t)results->row_count + 1, sizeof *b.cost),
    };
    bool ok = true;
    for (int begin = 0; begin < set->count && ok && !is_stopped(&b);) {
        const int size_end = end_of_size(set, begin);
        const int first_row = results->row_count;
        ok = create_noise(&b, begin, size_end);
        for (int i = begin; i < size_end && ok && !is_stopped(&b);) {
            const int end = end_of_group(&b, i, size_end);
            ok = run_group(&b, begin, i, end);
            i = end;
        }
        set_shares(&b, first_row);
        begin = size_end;
    }
    if (ok && b.transforms == 0 && !is_stopped(&b))
        ok = wp_fail(b.skip_error, "nothing was measured: all configurations were skipped");
    results->complete = ok && !is_stopped(&b);
    wp_oracle_cache_destroy(&b.oracle);
    free_noise(&b);
    for (int i = 0; i < b.compiled_count; i++)
        free(b.compiled[i]);
    free(b.compiled);
    free(b.cost);
    return ok;
}

bool wp_bench_profile(const struct wp_bench_set *set, const struct wp_bench_params *params)
{
    struct bench b = {.set = set, .params = params};
    bool ok = true;
    for (int i = 0; i < set->count && ok && !(params->stop && *params->stop); i++) {
        struct wp_bench_item item;
        if (i == 0 || !wp_bench_same_size(&set->config[i - 1], &set->config[i]))
            ok = create_noise(&b, i, end_of_size(set, i));
        if (!ok)
            break;
        ok = wp_bench_item_transform(&item, &set->config[i], NULL, b.noise, true);
        if (ok && params->progress)
            params->progress(i + 1, set->count, &item.row);
        ok = ok && (!item.owned.exec[0] ? wp_bench_item_sample(&item, false)
                                        : item.backend->run(item.owned.exec[0], NULL));
        wp_bench_item_release(&item);
        wp_row_free(&item.row);
    }
    free_noise(&b);
    return ok;
}

double wp_bench_estimate(const struct wp_bench_set *set, const struct wp_bench_params *params)
{
    // A lower bound for one run: one pass over the image at the memory bandwidth of a slow device.
    const double bytes_per_second = 2e10;
    const struct wp_sampling *rule = &params->sampling;
    double seconds = 0;
    for (int i = 0; i < set->count; i++) {
        const struct wp_description *p = &set->config[i].params;
        const double run = 8.0 * wp_description_planes(p) * (double)wp_description_samples(p) /
                           bytes_per_second;
        seconds += rule->runs ? rule->runs * run
                              : fmin(fmax(rule->min_time, rule->min_samples * run), rule->timeout);
        if (i == 0 || !wp_bench_same_size(&set->config[i - 1], &set->config[i]))
            seconds += params->warm_up;
    }
    return seconds;
}
