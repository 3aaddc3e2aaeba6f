#include "bench_item.h"

#include "bench_flow.h"
#include "clock.h"
#include "log.h"
#include "memory.h"
#include "row_key.h"
#include "verify.h"
#include "xmemory.h"

#include <math.h>
#include <sha2.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// What has more samples than this is checked at a smaller size: the reference is slow. As many are
// in 256x256x256.
static const double verify_samples = 4096.0 * 4096;

// Memory that the images of one configuration may take together.
static const double rotation_bytes = 4294967296.0;

// Of a cache whose size the backend does not tell.
static const double usual_cache = 64.0 * (1 << 20);

// Of all planes.
static double planes_bytes(const struct wp_description *p)
{
    return (double)wp_description_planes(p) * (double)wp_description_samples(p) *
           (double)wp_precision_bytes(p->precision);
}

// Of one plane.
static double row_samples(const struct wp_row *row)
{
    return (double)row->width * (double)row->height * (double)row->depth;
}

// A linear transform of powers of two is exact, and planes that differ show which is which.
float *wp_bench_stack(const float *plane, size_t samples, int planes)
{
    float *stack = wp_allocate_pages(samples, (size_t)planes * sizeof *stack, "planes");
    for (int p = 0; p < planes && stack; p++)
        for (size_t i = 0; i < samples; i++)
            stack[(size_t)p * samples + i] = ldexpf(plane[i], -p);
    return stack;
}

double wp_bench_bytes(const struct wp_bench_config *config)
{
    // Image, coefficients and what is between them.
    const struct wp_description *p = &config->params;
    const struct wp_backend_bench *bench = config->backend->backend->bench;
    const double least = 3 * planes_bytes(p);
    return bench && bench->bytes ? fmax(bench->bytes(p), least) : least;
}

// Where a cache may hold what the next sample reads, four images take turns. `image`: bytes of one,
// of `bytes` in all.
static int choose_images(const struct wp_backend_choice *backend, double bytes, double image)
{
    const double cache = backend->info.cache ? (double)backend->info.cache : usual_cache;
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

static bool overlaps(const struct wp_bench_config *config)
{
    return config && config->includes & WP_INCLUDE_OVERLAPPED;
}

static bool is_tiled(const struct wp_bench_config *config)
{
    return config && config->includes & WP_INCLUDE_TILED;
}

// From here on and until it is called with 0.
static void choose_threads(const struct wp_backend_choice *on, int threads)
{
    if (on->backend->set_threads)
        on->backend->set_threads(on->device, threads);
}

static void describe_backend(struct wp_bench_item *item, const struct wp_bench_config *config)
{
    struct wp_row *row = &item->row;
    const struct wp_backend_choice *on = config->backend;
    struct wp_device_info info;
    choose_threads(on, config->threads);
    on->backend->describe(on->device, &info);
    choose_threads(on, 0);
    item->backend = on->backend;
    item->wall = info.wall;
    snprintf(row->backend, sizeof row->backend, "%s", on->backend->name);
    snprintf(row->device, sizeof row->device, "%s", info.name);
    snprintf(row->timer, sizeof row->timer, "%s", info.timer);
    row->software = info.software;
    row->threads = config->threads ? config->threads : -1;
}

static void time_by_wall(struct wp_bench_item *item)
{
    item->wall = true;
    snprintf(item->row.timer, sizeof item->row.timer, "monotonic clock");
}

// The words of a description in a row (fields.h).
#define SET_WORD(member, NAME, word, help) \
    snprintf(row->member, sizeof row->member, "%s", wp_##member##_names[p->member]);

static void describe_shape(struct wp_row *row, const struct wp_description *p)
{
    snprintf(row->direction, sizeof row->direction, "%s",
             wp_direction_names[p->direction]);
    WP_FIELDS_ARRAY(SET_WORD)
    WP_FIELDS_DEVICE(SET_WORD)
    row->width = p->size[WP_X];
    row->height = p->size[WP_Y];
    row->depth = wp_description_depth(p);
    row->levels = p->levels;
    row->levels_z = p->levels_z;
    row->planes = wp_description_planes(p);
}

static void describe_transform(struct wp_bench_item *item, const struct wp_bench_config *config)
{
    const struct wp_description *p = &config->params;
    struct wp_row *row = &item->row;
    row->kind = WP_ROW_TRANSFORM;
    describe_backend(item, config);
    snprintf(row->wavelet, sizeof row->wavelet, "%s", p->wavelet->name);
    describe_shape(row, p);
    WP_FIELDS_LEVELS(SET_WORD)
    const bool up = config->includes & WP_INCLUDE_UPLOAD;
    if (overlaps(config) || is_tiled(config))
        snprintf(row->includes, sizeof row->includes, "%s",
                 is_tiled(config) ? "windows" : "overlapped");
    else
        snprintf(row->includes, sizeof row->includes, "%s%s%s", up ? "upload" : "",
                 config->includes == WP_INCLUDE_BOTH ? "," : "",
                 config->includes & WP_INCLUDE_DOWNLOAD ? "download" : "");
    if (config->includes || config->wall)
        time_by_wall(item);
    if (p->reversible)
        snprintf(row->form, sizeof row->form, "reversible");
    if (wp_backend_is_schemeless(config->backend->backend, p))
        return;
    snprintf(row->scheme, sizeof row->scheme, "%s", p->kind->name);
    if (!p->reversible)
        snprintf(row->form, sizeof row->form, "%s", wp_form_names[p->form]);
}

// A window's, where there are such.
static const struct wp_exec *first_exec(const struct wp_bench_run_state *work)
{
    return work->tiled ? wp_tiled_exec_tile_exec(work->tiled) : work->exec[0];
}

static void count_operations(struct wp_bench_item *item)
{
    struct wp_row *row = &item->row;
    const struct wp_description *p = &item->own.config->params;
    // Levels with an axis of one sample are not what is compared; nor are octets counted yet.
    if (!row->scheme[0] || p->levels == 0 || wp_lifting_axes(p->size, 3) != WP_AXIS_BOTH)
        return;
    struct wp_scheme *scheme = wp_description_scheme(p, WP_AXIS_BOTH);
    const struct wp_backend_bench *bench = item->backend->bench;
    const struct wp_counts counts =
        bench && bench->counts
            ? bench->counts(first_exec(&item->own))
            : (struct wp_counts){wp_scheme_operations(scheme), wp_scheme_fetches(scheme)};
    row->steps = scheme->pass_count;
    row->operations = counts.operations;
    row->fetches = counts.fetches;
    wp_scheme_destroy(&scheme);
}

static void release_work(struct wp_bench_run_state *work, const struct wp_backend *backend)
{
    wp_tiled_exec_release(&work->tiled);
    for (int i = 0; i < work->images; i++) {
        if (work->exec[i])
            backend->release(work->exec[i]);
        else if (work->ceiling[i])
            backend->bench->ceiling_release(work->ceiling[i]);
    }
    if (work->pinned)
        backend->unpin(work->config->backend->device, work->out);
    free(work->out);
    *work = (struct wp_bench_run_state){0};
}

static bool prepare_windows(struct wp_bench_run_state *work)
{
    const struct wp_backend_choice *on = work->config->backend;
    const double begin = wp_clock_seconds();
    work->tiled = wp_tiled_exec_prepare_any(on->backend, on->device, &work->config->params,
                                           work->config->variant);
    work->compile_seconds = wp_clock_seconds() - begin;
    work->images = 1;
    return work->tiled;
}

// Memory and programs for every image. Fewer images than asked for where memory ends.
static bool prepare(struct wp_bench_run_state *work, const struct wp_bench_config *config, int images)
{
    const struct wp_backend_choice *on = config->backend;
    work->config = config;
    choose_threads(on, config->threads);
    bool ok = !is_tiled(config) || prepare_windows(work);
    while (ok && work->images < images) {
        const double begin = wp_clock_seconds();
        struct wp_exec *exec = on->backend->prepare(on->device, &config->params, config->variant);
        if (work->images == 0)
            work->compile_seconds = wp_clock_seconds() - begin;
        ok = exec;
        if (ok)
            work->exec[work->images++] = exec;
    }
    choose_threads(on, 0);
    return ok;
}

// The largest size that is checked, of the same remainders by 2^levels, so that every level has
// the borders that it has at full size.
static void choose_verify_size(struct wp_description *p)
{
    const int log_most = wp_description_depth(p) > 1 ? 8 : 12, most = 1 << log_most;
    if ((double)wp_description_samples(p) <= verify_samples)
        return;
    for (int a = 0; a < WP_DIMS_MAX; a++) {
        const int levels = a == WP_Z ? p->levels_z : p->levels;
        const int unit = 1 << (levels < log_most ? levels : log_most);
        if (p->size[a] > most)
            p->size[a] = most - unit + p->size[a] % unit;
    }
}

// The largest error among the planes, judged as one of them is.
static void judge(struct wp_bench_item *item, const struct wp_description *params,
                  const struct wp_expectation *expected, float *got)
{
    const size_t samples = wp_description_samples(params);
    struct wp_description judged = *params;
    if (wp_backend_is_schemeless(item->backend, params))
        judged.kind = NULL;
    struct wp_verify_row worst = {.status = WP_VERIFY_PASSED};
    for (int p = 0; p < wp_description_planes(params); p++) {
        struct wp_verify_row found = {0};
        float *plane = got + (size_t)p * samples;
        for (size_t i = 0; i < samples && p > 0; i++)
            plane[i] = ldexpf(plane[i], p);
        wp_verify_judge(&judged, expected->scale, plane, expected->output, &found);
        if (p == 0 || found.status != WP_VERIFY_PASSED || !(found.error <= worst.error))
            worst = found;
        if (worst.status != WP_VERIFY_PASSED)
            break;
    }
    item->row.max_abs_err = worst.error;
    item->row.verified = worst.status == WP_VERIFY_PASSED;
    wp_size_text(item->row.verified_at, params->size[WP_X], params->size[WP_Y],
                 params->size[WP_Z]);
    if (!item->row.verified) {
        item->done = true;
        wp_row_warn(&item->row, "wrong by %.1e where %.1e is allowed: not timed", worst.error,
                    worst.tolerance);
    }
}

static bool compare(struct wp_bench_item *item, const struct wp_description *params,
                    const struct wp_bench_run_state *work, const struct wp_expectation *expected)
{
    const struct wp_backend *backend = item->backend;
    const size_t samples = wp_description_samples(params);
    const int planes = wp_description_planes(params);
    float *in = wp_bench_stack(expected->input, samples, planes);
    float *got = wp_allocate(samples, (size_t)planes * sizeof *got, "a result to verify");
    const struct wp_operand from = wp_operand_const(params, in), to = wp_operand_dense(params, got);
    struct wp_exec *exec = work->exec[0];
    // Its parts, and not wp_exec_transform(): they are what is timed.
    const bool ok = in && got &&
                    (work->tiled ? wp_tiled_exec_transform(work->tiled, &from, &to, NULL)
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
    struct wp_bench_config config = *item->own.config;
    choose_verify_size(&config.params);
    struct wp_expectation expected;
    if (!wp_oracle_cache_get(oracle, &config.params, &expected))
        return false;
    if (wp_bench_same_size(&config, item->own.config))
        return compare(item, &config.params, &item->own, &expected);
    struct wp_bench_run_state small = {0};
    const bool ok = prepare(&small, &config, 1) &&
                    compare(item, &config.params, &small, &expected);
    release_work(&small, config.backend->backend);
    return ok;
}

static bool load_images(struct wp_bench_item *item)
{
    const struct wp_operand from = wp_operand_const(&item->own.config->params, item->input);
    bool ok = true;
    for (int i = 0; i < item->own.images && !item->own.tiled && ok; i++)
        ok = item->backend->load(item->own.exec[i], &from);
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
    bench->shaders(first_exec(&item->own), add_shader, &sha);
    SHA256End(&sha, item->row.shader_sha256);
}

static void set_cost(struct wp_bench_item *item)
{
    const struct wp_description *p = &item->own.config->params;
    struct wp_cost *cost = &item->cost;
    const struct wp_backend_bench *bench = item->backend->bench;
    const bool told = bench && bench->cost && !item->own.tiled;
    if (told)
        *cost = bench->cost(item->own.exec[0]);
    for (int l = 0; l < wp_description_levels(p) && !told; l++)
        cost->bytes += 2.0 * wp_description_size(p, WP_X, l) * wp_description_size(p, WP_Y, l) *
                       wp_description_size(p, WP_Z, l) * (double)wp_precision_bytes(p->precision);
    const double planes = item->row.planes;
    *cost = (struct wp_cost){cost->bytes * planes, cost->fetches * planes, cost->fill * planes};
}

bool wp_bench_item_transform(struct wp_bench_item *item, const struct wp_bench_config *config,
                             struct wp_oracle_cache *oracle, const float *input, bool compiled)
{
    reset(item, WP_ACT_RUN);
    item->bench_run = &item->own;
    item->input = input;
    describe_transform(item, config);
    const int images = is_tiled(config) ? 1
                       : overlaps(config) ? WP_BENCH_FLOW_EXECS
                                            : choose_images(config->backend, wp_bench_bytes(config),
                                                          planes_bytes(&config->params));
    if (!prepare(&item->own, config, images))
        return false;
    const struct wp_variant *variant =
        item->backend->variant ? item->backend->variant(first_exec(&item->own)) : NULL;
    if (variant)
        snprintf(item->row.variant, sizeof item->row.variant, "%s", variant->name);
    item->row.images = images;
    if (!compiled)
        item->row.compile_ns = 1e9 * item->own.compile_seconds;
    count_operations(item);
    set_cost(item);
    identify_shaders(item);
    if (oracle && !verify(item, oracle))
        return false;
    if (!oracle)
        wp_row_warn(&item->row, "UNVERIFIED: not compared with the reference");
    return load_images(item);
}

// The longer side of a volume's slices, laid out as an image in so many columns.
static double longer_side(const struct wp_description *p, int columns)
{
    return fmax((double)p->size[WP_X] * columns,
                (double)p->size[WP_Y] * (wp_description_depth(p) / columns));
}

// Ceilings are of images. A volume's is one of as many samples: its slices, side by side and one
// below the other, as near to a square as their number allows.
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
    item->bench_run = &item->own;
    item->row.kind = WP_ROW_CEILING;
    describe_backend(item, config);
    snprintf(item->row.work, sizeof item->row.work, "%s", ceiling->name);
    snprintf(item->row.precision, sizeof item->row.precision, "%s",
             wp_precision_names[ceiling->precision]);
    item->row.width = p->size[WP_X];
    item->row.height = p->size[WP_Y];
    item->row.depth = wp_description_depth(p);
    item->row.planes = 1;
    const double pixels = row_samples(&item->row);
    item->cost = (struct wp_cost){.bytes = pixels * ceiling->bytes,
                                  .fetches = pixels / 4 * ceiling->fetches,
                                  .fill = pixels / 4 * ceiling->fill};
    const double image = pixels * (double)wp_precision_bytes(ceiling->precision);
    const int images = choose_images(on, 2 * image, image);
    choose_threads(on, config->threads);
    while (item->own.images < images) {
        struct wp_ceiling_run_state *work =
            on->backend->bench->ceiling_prepare(on->device, ceiling, width, height);
        if (!work)
            break;
        item->own.ceiling[item->own.images++] = work;
    }
    choose_threads(on, 0);
    item->row.images = images;
    return item->own.images == images;
}

// What rows of transfers have in common, beside a transform of these parameters.
static void describe_transfer(struct wp_bench_item *item, const struct wp_description *p,
                              enum wp_bench_act act)
{
    static const char *const names[] = {
        [WP_ACT_UPLOAD] = "upload", [WP_ACT_DOWNLOAD] = "download", [WP_ACT_PACK] = "pack",
        [WP_ACT_LAYOUT] = "layout", [WP_ACT_MAP] = "map",           [WP_ACT_UNMAP] = "unmap",
    };
    struct wp_row *row = &item->row;
    time_by_wall(item);
    row->kind = WP_ROW_TRANSFER;
    snprintf(row->work, sizeof row->work, "%s", names[act]);
    describe_shape(row, p);
    // One of the transform's images: these are long against what a cache could hold of them.
    row->images = 1;
}

void wp_bench_item_transfer(struct wp_bench_item *item, struct wp_bench_item *transform,
                            enum wp_bench_act act)
{
    reset(item, act);
    describe_backend(item, transform->own.config);
    describe_transfer(item, &transform->own.config->params, act);
    snprintf(item->row.variant, sizeof item->row.variant, "%s", transform->row.variant);
    item->bench_run = &transform->own;
    item->input = transform->input;
    // The host's samples are floats, whatever the device makes of them.
    item->cost.bytes = item->row.planes * row_samples(&item->row) * sizeof(float);
}

void wp_bench_item_map(struct wp_bench_item *item, struct wp_bench_map *map,
                       enum wp_bench_act act)
{
    reset(item, act);
    snprintf(item->row.backend, sizeof item->row.backend, "cuda-gl");
    snprintf(item->row.device, sizeof item->row.device, "%s", map->info.name);
    item->row.software = false;
    describe_transfer(item, &map->description, act);
    item->bench_run = &item->own;
    item->map = map;
}

// Planes for what comes back.
static float *get_out(const struct wp_bench_item *item)
{
    struct wp_bench_run_state *work = item->bench_run;
    const struct wp_description *d = &work->config->params;
    const size_t bytes = (size_t)wp_description_planes(d) * sizeof *work->out;
    if (work->out)
        return work->out;
    work->out = wp_allocate_pages(wp_description_samples(d), bytes, "planes");
    work->pinned = work->out && item->backend->pin &&
                   item->backend->pin(work->config->backend->device, work->out,
                                      wp_description_samples(d) * bytes);
    return work->out;
}

static bool run_windows(const struct wp_bench_item *item, const struct wp_operand *from,
                        const struct wp_operand *to)
{
    struct wp_tiled_exec *tiled = item->bench_run->tiled;
    if (item->act == WP_ACT_RUN)
        return wp_tiled_exec_transform(tiled, from, to, NULL);
    return wp_tiled_exec_copy(tiled, item->act == WP_ACT_UPLOAD ? from : to,
                           item->act == WP_ACT_UPLOAD);
}

// All images; `seconds` gets what the device's timer says, where it is asked.
static bool run_images(const struct wp_bench_item *item, double *seconds)
{
    const struct wp_backend *backend = item->backend;
    const struct wp_bench_run_state *work = item->bench_run;
    // Ways to the device and back are timed by themselves, too.
    const unsigned includes =
        work->config && item->act == WP_ACT_RUN ? work->config->includes : 0;
    *seconds = 0;
    if (item->map) {
        double other;
        const bool maps = item->act == WP_ACT_MAP;
        return wp_bench_map_run(item->map, maps ? seconds : &other, maps ? &other : seconds);
    }
    if (work->images && work->ceiling[0])
        return backend->bench->ceiling_run(work->ceiling, work->images, seconds);
    if (item->act == WP_ACT_RUN && !includes && backend->bench && backend->bench->run_all)
        return backend->bench->run_all(work->exec, work->images, seconds);
    const struct wp_description *d = &work->config->params;
    const bool flows = includes & WP_INCLUDE_OVERLAPPED;
    const bool back = flows || includes & (WP_INCLUDE_DOWNLOAD | WP_INCLUDE_TILED) ||
                      item->act == WP_ACT_DOWNLOAD || item->act == WP_ACT_LAYOUT;
    const struct wp_operand from = wp_operand_const(d, item->input);
    const struct wp_operand to = wp_operand_dense(d, back ? get_out(item) : NULL);
    bool ok = !back || to.array.data;
    if (ok && work->tiled)
        return run_windows(item, &from, &to);
    if (ok && flows)
        return wp_bench_flow_run(backend, work->exec, &from, &to, seconds);
    for (int i = 0; i < item->row.images && ok; i++) {
        double one = 0;
        if (item->act == WP_ACT_UPLOAD || includes & WP_INCLUDE_UPLOAD)
            ok = backend->load(work->exec[i], &from);
        if (item->act == WP_ACT_RUN)
            ok = ok && backend->run(work->exec[i], &one);
        if (item->act == WP_ACT_DOWNLOAD || includes & WP_INCLUDE_DOWNLOAD)
            ok = ok && backend->store(work->exec[i], &to);
        if (item->act == WP_ACT_PACK)
            ok = backend->bench->pack(work->exec[i], &from);
        if (item->act == WP_ACT_LAYOUT)
            ok = backend->bench->unpack(work->exec[i], &to);
        *seconds += one;
    }
    return ok;
}

static void keep_sample(struct wp_bench_item *item, double timer, double wall)
{
    struct wp_row *row = &item->row;
    if (row->sample_count == item->capacity) {
        item->capacity = item->capacity ? 2 * item->capacity : 16;
        const size_t capacity = (size_t)item->capacity;
        row->sample_ns = wp_xrealloc(row->sample_ns, capacity, sizeof *row->sample_ns);
        row->wall_sample_ns =
            wp_xrealloc(row->wall_sample_ns, capacity, sizeof *row->wall_sample_ns);
    }
    // Tenths: more digits than clocks have, and fewer than doubles.
    row->sample_ns[row->sample_count] = round(1e10 * timer) / 10;
    row->wall_sample_ns[row->sample_count++] = round(1e10 * wall) / 10;
    item->measured += timer;
}

bool wp_bench_item_sample(struct wp_bench_item *item, bool keep)
{
    const double begin = wp_clock_seconds();
    double seconds;
    if (!run_images(item, &seconds))
        return false;
    const double spent = wp_clock_seconds() - begin;
    const struct wp_bench_config *config = item->bench_run->config;
    const bool flows = item->act == WP_ACT_RUN && overlaps(config);
    seconds /= flows ? 1 : item->row.images;
    const double wall = item->map || flows ? seconds : spent / item->row.images;
    // A backend whose timer is that clock knows better when its work began.
    const bool around = item->act != WP_ACT_RUN || (config && (config->includes || config->wall));
    if (keep) {
        keep_sample(item, around ? wall : seconds, wall);
        item->spent += spent;
    }
    return true;
}

void wp_bench_item_finish(struct wp_bench_item *item)
{
    struct wp_row *row = &item->row;
    if (row->sample_count == 0)
        return;
    wp_row_summarise(row);
    const double median = row->median_ns;
    if (!item->wall)
        row->gpu_ns = median;
    if (!item->map) { // which moves nothing
        row->mpel_s = 1e3 * row_samples(row) * row->planes / median;
        row->traffic_gbps = item->cost.bytes / median;
    }
    if (row->kind == WP_ROW_TRANSFORM)
        row->payload_gbps = 2 * planes_bytes(&item->own.config->params) / median;
}

void wp_bench_item_release(struct wp_bench_item *item)
{
    if (item->act == WP_ACT_RUN)
        release_work(&item->own, item->backend);
}
