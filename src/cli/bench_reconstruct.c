#include "bench_parts.h"

#include "kspace.h"
#include "clock.h"
#include "command.h"
#include "image.h"
#include "metrics.h"
#include "output.h"
#include "results.h"
#include "threads.h"
#include "wavepass_reconstruct.h"
#include "words.h"
#include "xmemory.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// The MRI volume of Debian's mricron-data. It is scaled to peak 1; images use its middle slice.
#define HEAD "/usr/share/mricron/templates/ch2.nii.gz"
enum { SEED = 7, OUTER = 16, INNER = 32, RATES_MOST = 16 };

// A reconstruction method: weights of the regularization terms and the kind of wavelet transform.
struct method {
    char name[WP_ROW_TEXT];
    double tv, wav; // both 0: zero-filled
    bool cycle_spinning, exact;
};

struct wp_bench_reconstruction {
    int config; // index in the set
    struct method method;
    int rate, outer, inner;
    char image[WP_ROW_TEXT];
};

// "tv", "0.1wav".
static bool read_term(const char *term, struct method *method)
{
    char *name;
    const double weight = strtod(term, &name);
    double *const target = strcmp(name, "tv") == 0    ? &method->tv
                           : strcmp(name, "wav") == 0 ? &method->wav
                                                      : NULL;
    const double value = name == term ? 1 : weight;
    if (!target || *target > 0 || !(value > 0) || !isfinite(value))
        return false;
    *target = value;
    return true;
}

static bool read_method(const char *text, struct method *method)
{
    *method = (struct method){0};
    const int length = snprintf(method->name, sizeof method->name, "%s", text);
    char *copy = wp_xstrdup(text);
    char *flag = strchr(copy, ':');
    bool ok = length < (int)sizeof method->name;
    if (flag)
        *flag++ = '\0';
    if (flag) {
        method->cycle_spinning = strcmp(flag, "spin") == 0;
        method->exact = strcmp(flag, "exact") == 0;
        ok = ok && (method->cycle_spinning || method->exact);
    }
    const bool zero_filled = strcmp(text, "zero-filled") == 0;
    for (char *term = copy, *next; ok && !zero_filled && term; term = next) {
        next = strchr(term, '+');
        if (next)
            *next++ = '\0';
        ok = read_term(term, method);
    }
    ok = ok && (!flag || method->wav > 0);
    free(copy);
    return ok || wp_fail(WP_ERROR_USAGE, "--reconstruct: invalid method '%s'"
                                         "\nhint: for example zero-filled, tv, tv+0.1wav, wav:spin "
                                         "or tv+0.3wav:exact", text);
}

static bool read_loops(const char *text, int loops[2])
{
    char end;
    loops[0] = OUTER;
    loops[1] = INNER;
    return !text ||
           (sscanf(text, "%dx%d%c", &loops[0], &loops[1], &end) == 2 && loops[0] > 0 &&
            loops[1] > 0 && loops[0] <= 100000 && loops[1] <= 100000) ||
           wp_fail(WP_ERROR_USAGE, "--loops: '%s' is not OUTERxINNER\nhint: for example 16x32",
                   text);
}

static bool read_rates(const char *text, int rate[RATES_MOST], int *count)
{
    char *copy = wp_xstrdup(text ? text : "4"), *rest = NULL;
    bool ok = true;
    *count = 0;
    for (char *word = strtok_r(copy, ",", &rest); ok && word; word = strtok_r(NULL, ",", &rest))
        ok = *count < RATES_MOST && wp_parse_int(word, &rate[*count]) && rate[(*count)++] >= 1;
    free(copy);
    return (ok && *count > 0) ||
           wp_fail(WP_ERROR_USAGE, "--rate: '%s' is not a list of integers\nhint: for example 4,8",
                   text);
}

static bool is_zero_filled(const struct method *method)
{
    return method->tv == 0 && method->wav == 0;
}

// True if both items measure the same, considering only the parameters that their method uses.
static bool is_same(const struct wp_bench_reconstruction *a,
                    const struct wp_bench_reconstruction *b, const struct wp_bench_set *set)
{
    const struct wp_bench_config *c = &set->config[a->config], *d = &set->config[b->config];
    const bool iterative = !is_zero_filled(&a->method), wavelet = a->method.wav > 0;
    return strcmp(a->method.name, b->method.name) == 0 && a->rate == b->rate &&
           strcmp(a->image, b->image) == 0 && wp_bench_same_size(c, d) &&
           (!iterative || (c->backend == d->backend && c->threads == d->threads &&
                           a->outer == b->outer && a->inner == b->inner)) &&
           (!wavelet || (strcmp(c->params.wavelet->name, d->params.wavelet->name) == 0 &&
                         c->params.levels == d->params.levels));
}

static void add_item(struct wp_bench_reconstructions *list,
                     const struct wp_bench_reconstruction *item, const struct wp_bench_set *set)
{
    for (int i = 0; i < list->count; i++)
        if (is_same(&list->item[i], item, set))
            return;
    list->item = wp_xrealloc(list->item, (size_t)list->count + 1, sizeof *list->item);
    list->item[list->count++] = *item;
}

// Falls back to the phantom with a warning if the head is not installed.
static const char *choose_image(const char *name)
{
    if (!name || strcmp(name, "head") != 0)
        return name ? name : "shepp-logan";
    if (access(HEAD, R_OK) == 0)
        return name;
    wp_log(WP_LOG_WARNING, "no head is installed; using a phantom"
                           "\nhint: Debian's mricron-data has " HEAD);
    return "shepp-logan";
}

bool wp_bench_reconstruct_add(struct wp_bench_reconstructions *list,
                              const struct wp_bench_reconstruct_axes *axes,
                              const struct wp_bench_set *set, int first)
{
    int rate[RATES_MOST], rates, loops[2];
    if (!read_rates(axes->rates, rate, &rates) || !read_loops(axes->loops, loops))
        return false;
    struct wp_bench_reconstruction item = {.outer = loops[0], .inner = loops[1]};
    snprintf(item.image, sizeof item.image, "%s", choose_image(axes->image));
    char *copy = wp_xstrdup(axes->methods), *rest = NULL;
    bool ok = true;
    for (item.config = first; ok && item.config < set->count; item.config++)
        for (int r = 0; ok && r < rates; r++) {
            item.rate = rate[r];
            strcpy(copy, axes->methods);
            for (char *word = strtok_r(copy, ",", &rest); ok && word;
                 word = strtok_r(NULL, ",", &rest)) {
                ok = read_method(word, &item.method);
                if (ok)
                    add_item(list, &item, set);
            }
        }
    free(copy);
    return ok;
}

void wp_bench_reconstruct_free(struct wp_bench_reconstructions *list)
{
    free(list->item);
    *list = (struct wp_bench_reconstructions){0};
}

void wp_bench_reconstruct_describe(const struct wp_bench_reconstructions *list,
                                   const struct wp_bench_set *set, struct wp_text *text)
{
    for (int i = 0; i < list->count; i++) {
        const struct wp_bench_reconstruction *item = &list->item[i];
        const struct wp_bench_config *config = &set->config[item->config];
        const struct wp_description *p = &config->params;
        char size[WP_KEY_SIZE_MOST];
        wp_text_add(text, "%s %s %s, %d levels, %s of %s, x%d, %dx%d\n",
                    config->backend->backend->name, item->method.name, p->wavelet->name, p->levels,
                    wp_size_text(size, p->size), item->image, item->rate, item->outer, item->inner);
    }
}

// The undersampled k-space of an image for one size and rate.
struct problem {
    const struct wp_bench_reconstruction *item; // the item that it was prepared for
    int size[3];
    struct wp_image *truth;
    struct wp_complex_array *kspace, *image;
    struct wp_mask *mask;
    struct wp_cartesian *model;
};

static void end_problem(struct problem *p)
{
    wp_cartesian_destroy(&p->model);
    wp_mask_destroy(&p->mask);
    wp_complex_destroy(&p->kspace);
    wp_complex_destroy(&p->image);
    wp_image_destroy(&p->truth);
    *p = (struct problem){0};
}

static struct wp_image *read_input(const char *name, const int size[3])
{
    char pattern[96];
    const bool phantom = strcmp(name, "shepp-logan") == 0;
    snprintf(pattern, sizeof pattern, "pattern:shepp-logan:%dx%dx%d", size[0], size[1], size[2]);
    size_t nonfinite = 0;
    const struct wp_read_params params = {.volume = WP_VOLUME_EITHER};
    const char *path = phantom ? pattern : strcmp(name, "head") == 0 ? HEAD : name;
    struct wp_image *image = wp_image_read_with(path, &params, &nonfinite);
    if (image && nonfinite) {
        wp_image_destroy(&image);
        wp_fail(WP_ERROR_FILE, "%s: image contains NaN or infinite values", path);
    }
    return image;
}

// Fits an image to `size`: centered with zero padding if it is smaller, else downsampled after
// padding to a multiple of size/4, which preserves the aspect ratio.
static struct wp_image *fit(const struct wp_image *image, const int size[3])
{
    const int extent[3] = {image->width, image->height, image->depth};
    double ratio = 1;
    for (int a = 0; a < 3; a++)
        ratio = fmax(ratio, ceil(4.0 * extent[a] / size[a]) / 4);
    int padded[3];
    for (int a = 0; a < 3; a++)
        padded[a] = size[a] > 1 ? (int)ceil(ratio * size[a]) : 1;
    struct wp_complex_array *array = wp_complex_pad(image, padded);
    struct wp_image *fitted = NULL;
    if (array)
        fitted = ratio > 1 ? wp_coarser_image(array, size) : wp_complex_magnitude(array, 0);
    if (fitted && ratio > 1)
        wp_scale_to_peak(fitted);
    wp_complex_destroy(&array);
    return fitted;
}

static bool read_truth(struct problem *p)
{
    struct wp_image *input = read_input(p->item->image, p->size);
    if (!input)
        return false;
    wp_image_to_gray(input);
    wp_scale_to_peak(input);
    if (p->size[2] > 1) {
        p->truth = fit(input, p->size);
    } else {
        const struct wp_image slice = wp_image_slice(input, input->depth / 2);
        p->truth = fit(&slice, p->size);
    }
    wp_image_destroy(&input);
    return p->truth != NULL;
}

static bool measure(struct problem *p, int threads)
{
    p->kspace = wp_complex_pad(p->truth, p->size);
    p->image = wp_complex_create(p->size, 1);
    p->mask = wp_mask_create(WP_MASK_DENSITY, p->size, p->item->rate, SEED);
    if (!p->kspace || !p->image || !p->mask || !wp_complex_transform(p->kspace, true, threads))
        return false;
    wp_complex_mask(p->kspace, p->mask);
    p->model = wp_cartesian_create(p->size, p->mask->sampled, NULL, 1, threads);
    return p->model != NULL;
}

// Prepares the problem of an item, unless it is that of the item before.
static bool prepare_problem(struct problem *p, const struct wp_bench_reconstruction *item,
                         const struct wp_bench_config *config)
{
    const struct wp_description *d = &config->params;
    const int size[3] = {d->size[WP_X], d->size[WP_Y], wp_description_depth(d)};
    if (p->item && p->item->rate == item->rate && strcmp(p->item->image, item->image) == 0 &&
        memcmp(p->size, size, sizeof size) == 0)
        return true;
    end_problem(p);
    p->item = item;
    memcpy(p->size, size, sizeof size);
    wp_progress("measuring %s", item->image);
    return read_truth(p) && measure(p, config->threads ? config->threads : wp_threads_count());
}

// The state of a running reconstruction, for after_loop().
struct run {
    struct wp_row row;
    const volatile sig_atomic_t *stop;
    int iterations;
    double seconds; // of `iterations`
    int inner;
};

// Adds a sample: the mean time of an iteration of this outer loop, by the solver's clock.
static bool after_loop(void *user, struct wp_reconstruct *reconstruct)
{
    struct run *run = user;
    struct wp_row *row = &run->row;
    const struct wp_reconstruct_info *info = wp_reconstruct_get_info(reconstruct);
    const size_t count = (size_t)row->sample_count + 1;
    const double seconds = (info->seconds - run->seconds) / (info->iterations - run->iterations);
    row->sample_ns = wp_xrealloc(row->sample_ns, count, sizeof *row->sample_ns);
    row->wall_sample_ns = wp_xrealloc(row->wall_sample_ns, count, sizeof *row->wall_sample_ns);
    row->sample_ns[count - 1] = row->wall_sample_ns[count - 1] = round(1e10 * seconds) / 10;
    row->sample_count = (int)count;
    row->iterations = run->iterations = info->iterations;
    run->seconds = info->seconds;
    wp_progress("%s %s: %d of %d iterations", row->backend, row->work, info->iterations,
                info->most);
    return !*run->stop;
}

static double psnr_of(const struct problem *p)
{
    struct wp_image *magnitude = wp_complex_magnitude(p->image, 0);
    const double psnr = magnitude ? wp_metrics_psnr(magnitude, p->truth) : NAN;
    wp_image_destroy(&magnitude);
    return psnr;
}

static void set_text(char to[WP_ROW_TEXT], const char *from)
{
    snprintf(to, WP_ROW_TEXT, "%s", from);
}

static struct wp_row describe(const struct wp_bench_reconstruction *item,
                              const struct wp_bench_config *config)
{
    const struct wp_description *p = &config->params;
    struct wp_row row = wp_row_unknown();
    row.kind = WP_ROW_RECONSTRUCTION;
    set_text(row.work, item->method.name);
    set_text(row.image, item->image);
    set_text(row.precision, "f32");
    row.rate = item->rate;
    row.width = p->size[WP_X];
    row.height = p->size[WP_Y];
    row.depth = wp_description_depth(p);
    if (is_zero_filled(&item->method))
        return row;
    set_text(row.backend, config->backend->backend->name);
    snprintf(row.device, sizeof row.device, "%s", config->backend->info.name);
    set_text(row.timer, "monotonic clock");
    row.software = config->backend->info.software;
    row.threads = config->threads ? config->threads : -1;
    if (item->method.wav > 0) {
        set_text(row.wavelet, p->wavelet->name);
        row.levels = p->levels;
        row.levels_z = row.depth > 1 ? p->levels : 0;
    }
    return row;
}

static bool fill_with_zeros(struct problem *p, struct wp_row *row)
{
    const struct wp_reconstruct_model *model = wp_cartesian_model(p->model);
    if (!model->adjoint(model->user, (const float *)p->kspace->value, (float *)p->image->value))
        return false;
    row->psnr = psnr_of(p);
    return true;
}

// Skips a row with a warning if the backend is not available or memory is short. Returns false
// after any other error.
static bool skip_unavailable(const struct wp_row *row)
{
    char reason[512];
    const enum wp_error error = wp_last_error();
    snprintf(reason, sizeof reason, "%s", wp_last_error_text());
    if (error != WP_ERROR_UNAVAILABLE && error != WP_ERROR_TOO_LARGE)
        return wp_fail(error, "%s", reason);
    wp_log(WP_LOG_WARNING, "%s %s is skipped: %s", row->backend, row->work, reason);
    return true;
}

// Runs an item. The row has no samples if the item was skipped.
static bool iterate(struct problem *p, const struct wp_bench_reconstruction *item,
                    const struct wp_bench_config *config, struct run *run)
{
    const struct method *method = &item->method;
    const struct wp_reconstruct_params params = WP_RECONSTRUCT_PARAMS(
        .width = p->size[0], .height = p->size[1], .depth = p->size[2], .tv = method->tv,
        .wav = method->wav, .wavelet = config->params.wavelet->name,
        .levels = config->params.levels, .outer = item->outer, .inner = item->inner,
        .spin = method->cycle_spinning, .exact = method->exact, .threads = config->threads,
        .backend = config->backend->backend->name, .report = item->inner);
    const double begin = wp_clock_seconds();
    wp_begin_attempt();
    struct wp_reconstruct *r = wp_reconstruct_create(&params, wp_cartesian_model(p->model),
                                                     (const float *)p->kspace->value);
    wp_end_attempt();
    if (!r)
        return skip_unavailable(&run->row);
    run->row.compile_ns = 1e9 * (wp_clock_seconds() - begin);
    set_text(run->row.form, wp_reconstruct_get_info(r)->form);
    const bool ok = wp_reconstruct_run(r, after_loop, run) &&
                    wp_reconstruct_image(r, (float *)p->image->value);
    wp_reconstruct_destroy(&r);
    if (!ok)
        return false;
    run->row.psnr = psnr_of(p);
    wp_row_summarize(&run->row);
    run->row.mpel_s = 1e3 * p->size[0] * p->size[1] * p->size[2] / run->row.median_ns;
    return true;
}

static bool run_item(struct problem *p, const struct wp_bench_reconstruction *item,
                     const struct wp_bench_config *config, const volatile sig_atomic_t *stop,
                     struct wp_results *results)
{
    struct run run = {.row = describe(item, config), .stop = stop};
    if (!prepare_problem(p, item, config))
        return false;
    const bool zero_filled = is_zero_filled(&item->method);
    const bool ok = zero_filled ? fill_with_zeros(p, &run.row) : iterate(p, item, config, &run);
    if (ok && (zero_filled || run.row.sample_count))
        wp_results_add(results, &run.row);
    else
        wp_row_free(&run.row);
    return ok;
}

bool wp_bench_reconstruct_run(const struct wp_bench_reconstructions *list,
                              const struct wp_bench_set *set, const volatile sig_atomic_t *stop,
                              struct wp_results *results)
{
    struct problem problem = {0};
    bool ok = true;
    for (int i = 0; ok && i < list->count && !*stop; i++) {
        const struct wp_bench_reconstruction *item = &list->item[i];
        ok = run_item(&problem, item, &set->config[item->config], stop, results);
    }
    end_problem(&problem);
    results->complete = ok && !*stop;
    if (ok && !*stop && results->row_count == 0)
        ok = wp_fail(WP_ERROR_UNAVAILABLE, "no backend of the list can reconstruct on this "
                                           "machine");
    return ok;
}
