#include "bench_row.h"

#include "clock.h"
#include "log.h"
#include "memory.h"
#include "redundant.h"
#include "results.h"
#include "verify.h"
#include "words.h"
#include "xmemory.h"

#include <math.h>
#include <sha2.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Configurations with more samples are verified at a smaller size, since the reference is slow.
// Also the number of samples of 256x256x256.
static const double verify_samples = 4096.0 * 4096;

// Memory limit for the images of one configuration.
static const double rotation_bytes = 4294967296.0;

// The size of the cache in bytes if the backend does not report it.
static const double default_cache = 64.0 * (1 << 20);

// Bytes of all planes.
static double planes_bytes(const struct wp_description *p)
{
    return (double)wp_description_planes(p) * (double)wp_description_samples(p) *
           (double)wp_precision_bytes(p->precision);
}

// Samples of one plane, or of a batch.
static double row_samples(const struct wp_row *row)
{
    return (double)row->width * (double)row->height * (double)row->depth *
           (row->batch > 1 ? row->batch : 1);
}

// Scaling by powers of two is exact, so results of a linear transform can be compared with those of
// one plane, and different planes reveal a confusion of planes. Scales repeat after a prime number
// of planes, so that those at regular distances differ, too.
static int exponent_of(int plane)
{
    return plane % 67;
}

float *wp_bench_stack(const float *plane, size_t samples, int planes)
{
    float *stack = wp_allocate_pages(samples, (size_t)planes * sizeof *stack, "planes");
    for (int p = 0; p < planes && stack; p++)
        for (size_t i = 0; i < samples; i++)
            stack[(size_t)p * samples + i] = ldexpf(plane[i], -exponent_of(p));
    return stack;
}

double wp_bench_bytes(const struct wp_bench_config *config)
{
    // Image, coefficients and intermediate results.
    const struct wp_description *p = &config->params;
    const struct wp_backend_bench *bench = config->backend->backend->bench;
    const double least = 3 * planes_bytes(p);
    if (!wp_description_is_native(p)) // also the extended samples and their coefficients
        return 2 * least;
    return bench && bench->bytes ? fmax(bench->bytes(p), least) : least;
}

// The number of images that the samples alternate between, so that the cache does not contain the
// input of the next sample. `image`: bytes of one image; `bytes`: of all buffers for it.
static int choose_images(const struct wp_backend_choice *backend, double bytes, double image)
{
    const double cache = backend->info.cache ? (double)backend->info.cache : default_cache;
    if (backend->info.software || image >= 4 * cache)
        return 1;
    const int fit = (int)fmin(rotation_bytes / bytes, WP_BENCH_IMAGES);
    return fit > 1 ? fit : 1;
}

static void reset(struct wp_bench_item *item, enum wp_bench_act act)
{
    memset(item, 0, sizeof *item);
    item->row = wp_row_unknown();
    item->row.throttled_samples = 0;
    item->act = act;
}

// The state of a tile for tiled execution, of the first level of a plan, else of the first image.
static const struct wp_exec *first_exec(const struct wp_bench_run_state *state)
{
    if (state->plan)
        return wp_plan_exec(state->plan);
    return state->tiled ? wp_tiled_exec_tile_exec(state->tiled) : state->exec[0];
}

static void count_operations(struct wp_bench_item *item)
{
    struct wp_row *row = &item->row;
    const struct wp_description *p = &item->owned.config->params;
    // Excludes levels with an axis of one sample, and volumes, whose octets are not counted.
    const bool redundant = wp_description_is_redundant(p);
    if (!row->scheme[0] ||
        (!redundant && (p->levels == 0 || wp_lifting_axes(p->size, 3) != WP_AXIS_BOTH)))
        return;
    // Those of redundant banks are for a sample.
    struct wp_scheme *scheme = redundant ? wp_redundant_scheme(p)
                                         : wp_description_scheme(p, WP_AXIS_BOTH);
    if (!scheme)
        return;
    const struct wp_backend_bench *bench = item->backend->bench;
    const struct wp_counts counts =
        bench && bench->counts && !redundant
            ? bench->counts(first_exec(&item->owned))
            : (struct wp_counts){wp_scheme_operations(scheme), wp_scheme_fetches(scheme)};
    row->steps = scheme->pass_count;
    row->operations = counts.operations;
    row->fetches = counts.fetches;
    wp_scheme_destroy(&scheme);
}

static void release_state(struct wp_bench_run_state *state, const struct wp_backend *backend)
{
    wp_tiled_exec_release(&state->tiled);
    wp_plan_destroy(&state->plan);
    for (int i = 0; i < state->images; i++) {
        if (state->exec[i])
            backend->release(state->exec[i]);
        else if (state->ceiling[i])
            backend->bench->ceiling_release(state->ceiling[i]);
    }
    if (state->pinned)
        backend->unpin(state->config->backend->device, state->out);
    free(state->in);
    free(state->out);
    *state = (struct wp_bench_run_state){0};
}

static bool prepare_tiles(struct wp_bench_run_state *state)
{
    const struct wp_backend_choice *on = state->config->backend;
    const double begin = wp_clock_seconds();
    state->tiled = wp_tiled_exec_prepare_any(on->backend, on->device, &state->config->params,
                                           state->config->variant);
    state->compile_seconds = wp_clock_seconds() - begin;
    state->images = 1;
    return state->tiled;
}

// Elements of a plane of the input or of the output.
static size_t elements(const struct wp_description *p, bool input)
{
    return input == (p->direction == WP_FORWARD) ? wp_description_samples(p)
                                                 : wp_description_coefficients(p);
}

static struct wp_operand operand(const struct wp_description *p, bool input, const float *data)
{
    return (input == (p->direction == WP_FORWARD) ? wp_operand_dense
                                                  : wp_operand_coefficients)(p, (float *)data);
}

static bool prepare_plan(struct wp_bench_run_state *state)
{
    const struct wp_bench_config *config = state->config;
    const struct wp_planner planner = {config->backend->backend, config->backend->device,
                                       config->variant, false};
    const struct wp_problem problem = wp_problem_of(&config->params);
    const double begin = wp_clock_seconds();
    state->plan = wp_plan_create(&planner, &problem);
    state->compile_seconds = wp_clock_seconds() - begin;
    state->images = 1;
    return state->plan;
}

// Prepares buffers and programs for each image. False after an error; state->images is then the
// number of images that were prepared.
static bool prepare(struct wp_bench_run_state *state, const struct wp_bench_config *config,
                    int images)
{
    const struct wp_backend_choice *on = config->backend;
    state->config = config;
    wp_bench_choose_threads(on, config->threads);
    bool ok = wp_bench_is_plan(config)    ? prepare_plan(state)
              : wp_bench_is_tiled(config) ? prepare_tiles(state)
                                 : true;
    while (ok && state->images < images) {
        const double begin = wp_clock_seconds();
        struct wp_exec *exec = on->backend->prepare(on->device, &config->params, config->variant);
        if (state->images == 0)
            state->compile_seconds = wp_clock_seconds() - begin;
        ok = exec;
        if (ok)
            state->exec[state->images++] = exec;
    }
    wp_bench_choose_threads(on, 0);
    return ok;
}

// Reduces the size to one that is verified, with the same remainders modulo 2^levels, so that every
// level has the same borders as at full size.
static void choose_verify_size(struct wp_description *p)
{
    const int log_max_size = wp_description_depth(p) > 1 ? 8 : 12, max_size = 1 << log_max_size;
    if ((double)wp_description_samples(p) <= verify_samples)
        return;
    for (int a = 0; a < WP_DIMS_MAX; a++) {
        const int levels = a == WP_Z ? p->levels_z : p->levels;
        const int unit = 1 << (levels < log_max_size ? levels : log_max_size);
        if (p->size[a] > max_size)
            p->size[a] = max_size - unit + p->size[a] % unit;
    }
}

// Sets the largest error of the planes, each verified like a single plane.
static void judge(struct wp_bench_item *item, const struct wp_description *params,
                  const struct wp_expectation *expected, float *got)
{
    const size_t samples = elements(params, false);
    struct wp_description judged = *params;
    if (wp_backend_is_schemeless(item->backend, params))
        judged.kind = NULL;
    struct wp_verify_row worst = {.status = WP_VERIFY_PASSED};
    for (int p = 0; p < wp_description_planes(params); p++) {
        struct wp_verify_row found = {0};
        float *plane = got + (size_t)p * samples;
        for (size_t i = 0; i < samples && p > 0; i++)
            plane[i] = ldexpf(plane[i], exponent_of(p));
        wp_verify_judge(&judged, expected->scale, plane, expected->output, &found);
        if (p == 0 || found.status != WP_VERIFY_PASSED || !(found.error <= worst.error))
            worst = found;
        if (worst.status != WP_VERIFY_PASSED)
            break;
    }
    item->row.max_abs_err = worst.error;
    item->row.verified = worst.status == WP_VERIFY_PASSED;
    wp_size_text(item->row.verified_at, params->size);
    if (!item->row.verified) {
        item->done = true;
        wp_row_warn(&item->row, "error %.1e is above the tolerance %.1e: not timed", worst.error,
                    worst.tolerance);
    }
}

static bool run_plan(const struct wp_plan *plan, const struct wp_operand *from,
                     const struct wp_operand *to)
{
    return plan->kind->apply(plan, from, to, &(struct wp_execution){0});
}

static bool compare(struct wp_bench_item *item, const struct wp_description *params,
                    const struct wp_bench_run_state *state, const struct wp_expectation *expected)
{
    const struct wp_backend *backend = item->backend;
    const int planes = wp_description_planes(params);
    float *in = wp_bench_stack(expected->input, elements(params, true), planes);
    float *got = wp_allocate(elements(params, false), (size_t)planes * sizeof *got,
                             "a result to verify");
    const struct wp_operand from = operand(params, true, in), to = operand(params, false, got);
    struct wp_exec *exec = state->exec[0];
    // Does not use wp_exec_transform(), because the functions below are the timed ones.
    const bool ok = in && got &&
                    (state->plan    ? run_plan(state->plan, &from, &to)
                     : state->tiled ? wp_tiled_exec_transform(state->tiled, &from, &to, NULL)
                     : wp_bench_is_call(state->config)
                         ? backend->transform(exec, &from, &to, NULL)
                         : backend->load(exec, &from) && backend->run(exec, NULL) &&
                               backend->store(exec, &to));
    if (ok)
        judge(item, params, expected, got);
    free(in);
    free(got);
    return ok;
}

static bool verify(struct wp_bench_item *item, struct wp_oracle_cache *oracle)
{
    struct wp_bench_config config = *item->owned.config;
    choose_verify_size(&config.params);
    struct wp_expectation expected;
    if (!wp_oracle_cache_get(oracle, &config.params, &expected))
        return false;
    if (wp_bench_same_size(&config, item->owned.config))
        return compare(item, &config.params, &item->owned, &expected);
    struct wp_bench_run_state small = {0};
    const bool ok = prepare(&small, &config, 1) &&
                    compare(item, &config.params, &small, &expected);
    release_state(&small, config.backend->backend);
    return ok;
}

// Loads the input; that of plans only if it is longer than `input`, as coefficients may be: then it
// repeats that.
static bool load_images(struct wp_bench_item *item)
{
    const struct wp_description *d = &item->owned.config->params;
    const size_t samples = wp_description_samples(d), count = elements(d, true);
    const size_t planes = (size_t)wp_description_planes(d);
    float *in = count == samples ? NULL : wp_allocate_pages(count, planes * sizeof *in, "planes");
    if (!in && count != samples)
        return false;
    for (size_t i = 0; i < count * planes && in; i++)
        in[i] = item->input[i % samples];
    if (item->owned.plan) {
        item->owned.in = in;
        return true;
    }
    const struct wp_operand from = wp_operand_const(d, in ? in : item->input);
    bool ok = true;
    for (int i = 0; i < item->owned.images && !item->owned.tiled && ok; i++)
        ok = item->backend->load(item->owned.exec[i], &from);
    free(in);
    return ok;
}

static void add_shader(void *user, const char *text)
{
    SHA256Update(user, (const uint8_t *)text, strlen(text) + 1);
}

static void identify_shaders(struct wp_bench_item *item)
{
    SHA2_CTX sha;
    const struct wp_backend_bench *bench = item->backend->bench;
    if (!bench || !bench->shaders)
        return;
    SHA256Init(&sha);
    bench->shaders(first_exec(&item->owned), add_shader, &sha);
    SHA256End(&sha, item->row.shader_sha256);
}

static void set_cost(struct wp_bench_item *item)
{
    const struct wp_description *p = &item->owned.config->params;
    struct wp_cost *cost = &item->cost;
    const struct wp_backend_bench *bench = item->backend->bench;
    const bool has_cost = bench && bench->cost && item->owned.exec[0];
    if (has_cost)
        *cost = bench->cost(item->owned.exec[0]);
    for (int l = 0; l < wp_description_levels(p) && !has_cost; l++)
        cost->bytes += 2.0 * wp_description_size(p, WP_X, l) * wp_description_size(p, WP_Y, l) *
                       wp_description_size(p, WP_Z, l) * (double)wp_precision_bytes(p->precision);
    const double planes = wp_description_planes(p);
    *cost = (struct wp_cost){cost->bytes * planes, cost->fetches * planes, cost->fill * planes};
}

bool wp_bench_item_transform(struct wp_bench_item *item, const struct wp_bench_config *config,
                             struct wp_oracle_cache *oracle, const float *input, bool compiled)
{
    reset(item, WP_ACT_RUN);
    item->state = &item->owned;
    item->input = input;
    wp_bench_row_transform(item, config);
    const bool one =
        wp_bench_is_plan(config) || wp_bench_is_tiled(config) || wp_bench_is_call(config);
    const int images = one                         ? 1
                       : wp_bench_overlaps(config) ? WP_BENCH_FLOW_EXECS
                                                   : choose_images(config->backend,
                                                                   wp_bench_bytes(config),
                                                                   planes_bytes(&config->params));
    if (!prepare(&item->owned, config, images))
        return false;
    const struct wp_variant *variant =
        item->backend->variant ? item->backend->variant(first_exec(&item->owned)) : NULL;
    if (variant)
        snprintf(item->row.variant, sizeof item->row.variant, "%s", variant->name);
    item->row.images = images;
    if (!compiled)
        item->row.compile_ns = 1e9 * item->owned.compile_seconds;
    count_operations(item);
    set_cost(item);
    identify_shaders(item);
    if (oracle && !verify(item, oracle))
        return false;
    if (!oracle)
        wp_row_warn(&item->row, "UNVERIFIED: not compared with the reference");
    return load_images(item);
}

// The longer side of an image that shows a volume's slices in `columns` columns.
static double longer_side(const struct wp_description *p, int columns)
{
    return fmax((double)p->size[WP_X] * columns,
                (double)p->size[WP_Y] * (wp_description_depth(p) / columns));
}

// Ceilings are measured on images. For a volume it is an image with the same number of samples: the
// slices in this number of columns, as near to a square as their number permits.
static int columns_of_ceiling(const struct wp_description *p)
{
    int best = 1;
    for (int columns = 2; columns <= wp_description_depth(p); columns++)
        if (wp_description_depth(p) % columns == 0 &&
            longer_side(p, columns) < longer_side(p, best))
            best = columns;
    return best;
}

bool wp_bench_item_ceiling(struct wp_bench_item *item, const struct wp_bench_config *config,
                           const struct wp_ceiling *ceiling)
{
    const struct wp_backend_choice *on = config->backend;
    const struct wp_description *p = &config->params;
    const int columns = columns_of_ceiling(p);
    const int width = p->size[WP_X] * columns;
    const int height = p->size[WP_Y] * (wp_description_depth(p) / columns);
    reset(item, WP_ACT_RUN);
    item->state = &item->owned;
    item->row.kind = WP_ROW_CEILING;
    wp_bench_row_backend(item, config);
    snprintf(item->row.work, sizeof item->row.work, "%s", ceiling->name);
    snprintf(item->row.precision, sizeof item->row.precision, "%s",
             wp_precision_names[ceiling->precision]);
    wp_bench_row_size(&item->row, config);
    item->row.planes = 1;
    // Planes have the ceilings of one of them.
    if (wp_description_planes(p) > 1)
        item->row.batch = -1;
    const double pixels = row_samples(&item->row);
    item->cost = (struct wp_cost){.bytes = pixels * ceiling->bytes,
                                  .fetches = pixels / 4 * ceiling->fetches,
                                  .fill = pixels / 4 * ceiling->fill};
    const double image = pixels * (double)wp_precision_bytes(ceiling->precision);
    const int images = choose_images(on, 2 * image, image);
    wp_bench_choose_threads(on, config->threads);
    while (item->owned.images < images) {
        struct wp_ceiling_run_state *state =
            on->backend->bench->ceiling_prepare(on->device, ceiling, width, height);
        if (!state)
            break;
        item->owned.ceiling[item->owned.images++] = state;
    }
    wp_bench_choose_threads(on, 0);
    item->row.images = images;
    return item->owned.images == images;
}

void wp_bench_item_transfer(struct wp_bench_item *item, struct wp_bench_item *transform,
                            enum wp_bench_act act)
{
    reset(item, act);
    wp_bench_row_backend(item, transform->owned.config);
    wp_bench_row_transfer(item, transform->owned.config, act);
    snprintf(item->row.variant, sizeof item->row.variant, "%s", transform->row.variant);
    item->state = &transform->owned;
    item->input = transform->input;
    // Samples in host memory are floats, independent of the storage on the device.
    item->cost.bytes = item->row.planes * row_samples(&item->row) * sizeof(float);
}

void wp_bench_item_map(struct wp_bench_item *item, struct wp_bench_map *map,
                       enum wp_bench_act act)
{
    reset(item, act);
    snprintf(item->row.backend, sizeof item->row.backend, "cuda-gl");
    snprintf(item->row.device, sizeof item->row.device, "%s", map->info.name);
    item->row.software = false;
    wp_bench_row_transfer(item, &(struct wp_bench_config){.params = map->description}, act);
    item->state = &item->owned;
    item->map = map;
}

// The buffer for downloads, allocated on first use. NULL after WP_ERROR_TOO_LARGE.
static float *get_out(const struct wp_bench_item *item)
{
    struct wp_bench_run_state *state = item->state;
    const struct wp_description *d = &state->config->params;
    const size_t bytes = (size_t)wp_description_planes(d) * sizeof *state->out;
    if (state->out)
        return state->out;
    state->out = wp_allocate_pages(elements(d, false), bytes, "planes");
    state->pinned = state->out && item->backend->pin &&
                   item->backend->pin(state->config->backend->device, state->out,
                                      elements(d, false) * bytes);
    return state->out;
}

static bool run_tiled(const struct wp_bench_item *item, const struct wp_operand *from,
                        const struct wp_operand *to)
{
    struct wp_tiled_exec *tiled = item->state->tiled;
    if (item->act == WP_ACT_RUN)
        return wp_tiled_exec_transform(tiled, from, to, NULL);
    return wp_tiled_exec_copy(tiled, item->act == WP_ACT_UPLOAD ? from : to,
                           item->act == WP_ACT_UPLOAD);
}

// Runs all images; `seconds` gets the sum of the times of the device's timer, 0 if it is not used.
static bool run_images(const struct wp_bench_item *item, double *seconds)
{
    const struct wp_backend *backend = item->backend;
    const struct wp_bench_run_state *state = item->state;
    // Transfer items do not include other transfers.
    const unsigned includes =
        state->config && item->act == WP_ACT_RUN ? state->config->includes : 0;
    *seconds = 0;
    if (item->map) {
        double other;
        const bool maps = item->act == WP_ACT_MAP;
        return wp_bench_map_run(item->map, maps ? seconds : &other, maps ? &other : seconds);
    }
    if (state->images && state->ceiling[0])
        return backend->bench->ceiling_run(state->ceiling, state->images, seconds);
    if (item->act == WP_ACT_RUN && !includes && backend->bench && backend->bench->run_all)
        return backend->bench->run_all(state->exec, state->images, seconds);
    const struct wp_description *d = &state->config->params;
    const bool overlapped = includes & WP_INCLUDE_OVERLAPPED;
    const bool call = item->act == WP_ACT_RUN && wp_bench_is_call(state->config);
    const bool downloads = overlapped || call || state->plan ||
                      includes & (WP_INCLUDE_DOWNLOAD | WP_INCLUDE_TILED) ||
                      item->act == WP_ACT_DOWNLOAD || item->act == WP_ACT_LAYOUT;
    const struct wp_operand from = operand(d, true, state->in ? state->in : item->input);
    const struct wp_operand to = operand(d, false, downloads ? get_out(item) : NULL);
    bool ok = !downloads || to.data;
    if (ok && state->plan)
        return run_plan(state->plan, &from, &to);
    if (ok && state->tiled)
        return run_tiled(item, &from, &to);
    if (ok && call)
        return backend->transform(state->exec[0], &from, &to, seconds);
    if (ok && overlapped)
        return wp_bench_flow_run(backend, state->exec, &from, &to, seconds);
    for (int i = 0; i < item->row.images && ok; i++) {
        double one = 0;
        if (item->act == WP_ACT_UPLOAD || includes & WP_INCLUDE_UPLOAD)
            ok = backend->load(state->exec[i], &from);
        if (item->act == WP_ACT_RUN)
            ok = ok && backend->run(state->exec[i], &one);
        if (item->act == WP_ACT_DOWNLOAD || includes & WP_INCLUDE_DOWNLOAD)
            ok = ok && backend->store(state->exec[i], &to);
        if (item->act == WP_ACT_PACK)
            ok = backend->bench->pack(state->exec[i], &from);
        if (item->act == WP_ACT_LAYOUT)
            ok = backend->bench->unpack(state->exec[i], &to);
        *seconds += one;
    }
    return ok;
}

static void store_sample(struct wp_bench_item *item, double timer, double wall)
{
    struct wp_row *row = &item->row;
    if (row->sample_count == item->capacity) {
        item->capacity = item->capacity ? 2 * item->capacity : 16;
        const size_t capacity = (size_t)item->capacity;
        row->sample_ns = wp_xrealloc(row->sample_ns, capacity, sizeof *row->sample_ns);
        row->wall_sample_ns =
            wp_xrealloc(row->wall_sample_ns, capacity, sizeof *row->wall_sample_ns);
    }
    // Rounded to tenths of ns, more digits than clocks have.
    row->sample_ns[row->sample_count] = round(1e10 * timer) / 10;
    row->wall_sample_ns[row->sample_count++] = round(1e10 * wall) / 10;
    item->measured += timer;
}

bool wp_bench_item_sample(struct wp_bench_item *item, bool record)
{
    const double begin = wp_clock_seconds();
    double seconds;
    if (!run_images(item, &seconds))
        return false;
    const double spent = wp_clock_seconds() - begin;
    const struct wp_bench_config *config = item->state->config;
    const bool overlapped = item->act == WP_ACT_RUN && wp_bench_overlaps(config);
    seconds /= overlapped ? 1 : item->row.images;
    const double wall = item->map || overlapped ? seconds : spent / item->row.images;
    // Else the time of the backend's timer, also if that is the computer's clock, since the backend
    // knows more precisely when the run began.
    const bool use_wall = item->act != WP_ACT_RUN || wp_bench_is_by_wall(config);
    if (record) {
        store_sample(item, use_wall ? wall : seconds, wall);
        item->spent += spent;
    }
    return true;
}

void wp_bench_item_finish(struct wp_bench_item *item)
{
    struct wp_row *row = &item->row;
    if (row->sample_count == 0)
        return;
    wp_row_summarize(row);
    const double median = row->median_ns;
    if (!item->wall)
        row->gpu_ns = median;
    if (!item->map) { // mapping moves no data
        row->mpel_s = 1e3 * row_samples(row) * row->planes / median;
        row->traffic_gbps = item->cost.bytes / median;
    }
    if (row->kind == WP_ROW_TRANSFORM)
        row->payload_gbps = 2 * planes_bytes(&item->owned.config->params) / median;
}

void wp_bench_item_release(struct wp_bench_item *item)
{
    if (item->act == WP_ACT_RUN)
        release_state(&item->owned, item->backend);
}
