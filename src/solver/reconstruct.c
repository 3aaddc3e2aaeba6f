// The split Bregman loop around an engine.
#include "wavepass_reconstruct.h"

#include "clock.h"
#include "engine.h"
#include "log.h"
#include "memory.h"
#include "threads.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { LEVELS = 4, MAX_LEVELS = 12, OUTER = 16, INNER = 32 };
static const double penalty = 100;

struct wp_reconstruct {
    const struct wp_engine_kind *kind;
    struct wp_engine *engine;
    struct wp_task task;
    int outer, inner;
    int at_once; // iterations per call of the engine
    double sigma;
    struct wp_reconstruct_info info;
};

static const char *const form_names[] = {"none", "coefficients", "image", "exact"};

static double or_default(double given, double default_)
{
    return given > 0 ? given : default_;
}

static bool check_weight(const char *name, double value)
{
    return (isfinite(value) && value >= 0) ||
           wp_fail(WP_ERROR_USAGE, "%s of %g is out of range (0 or more)", name, value);
}

static bool check_weights(const struct wp_reconstruct_params *p)
{
    return check_weight("a weight tv", p->tv) && check_weight("a weight wav", p->wav) &&
           check_weight("a penalty mu", p->mu) && check_weight("a penalty lambda", p->lambda) &&
           check_weight("a penalty gamma", p->gamma) && check_weight("a sigma", p->sigma) &&
           (p->tv > 0 || p->wav > 0 ||
            wp_fail(WP_ERROR_USAGE,
                    "the weights of total variation and of the wavelet are both 0"));
}

static bool check_counts(const struct wp_reconstruct_params *p)
{
    if (p->width < 1 || p->height < 1 || p->depth < 0)
        return wp_fail(WP_ERROR_USAGE, "invalid image size %dx%dx%d", p->width,
                       p->height, p->depth);
    if (p->levels < 0 || p->levels > MAX_LEVELS)
        return wp_fail(WP_ERROR_USAGE, "%d levels are out of range (1 to %d)",
                       p->levels, (int)MAX_LEVELS);
    if (p->outer < 0 || p->inner < 0 || p->threads < 0 || p->report < 0)
        return wp_fail(WP_ERROR_USAGE, "invalid number of loops or threads (%d outer, %d inner, %d "
                                       "threads)",
                       p->outer, p->inner, p->threads);
    if (p->exact && p->spin)
        return wp_fail(WP_ERROR_USAGE, "'exact' and 'spin' exclude each other: random shifts have "
                                       "no single minimizer");
    return true;
}

static const struct wp_engine_kind *const kinds[] = {&wp_engine_cpu, &wp_engine_cuda,
                                                    &wp_engine_compute};

static const struct wp_engine_kind *find_kind(const char *name)
{
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (strcmp(name ? name : kinds[0]->name, kinds[i]->name) == 0)
            return kinds[i];
    wp_fail(WP_ERROR_UNAVAILABLE,
            "backend '%s' does not support reconstruction (supported: cpu, cuda, compute)", name);
    return NULL;
}

static bool choose_form(const struct wp_reconstruct_params *p, const struct wp_wavelet *wavelet,
                        enum wp_wavelet_form *form)
{
    bool orthonormal;
    if (!wp_wavelet_check_orthonormal(wavelet, &orthonormal))
        return false;
    if (p->wav == 0)
        *form = WP_FORM_NO_WAVELET;
    else if (orthonormal && !p->spin)
        *form = WP_FORM_COEFFICIENTS;
    else
        *form = p->exact ? WP_FORM_EXACT : WP_FORM_IMAGE; // exact and spin exclude each other
    return true;
}

static bool set_task(struct wp_task *task, const struct wp_reconstruct_params *p,
                     const struct wp_reconstruct_model *model, const float *data)
{
    *task = (struct wp_task){
        .size = {p->width, p->height, p->depth > 1 ? p->depth : 1},
        .tv = p->tv,
        .wav = p->wav,
        .mu = or_default(p->mu, penalty),
        .lambda = p->tv > 0 ? or_default(p->lambda, penalty) : 0,
        .gamma = p->wav > 0 ? or_default(p->gamma, penalty * p->wav) : 0,
        .wavelet_name = p->wavelet ? p->wavelet : "haar",
        .levels = p->levels > 0 ? p->levels : LEVELS,
        .spin = p->spin && p->wav > 0,
        .seed = p->seed,
        .threads = p->threads > 0 ? p->threads : wp_threads_count(),
        .model = model,
        .data = data,
    };
    return wp_wavelet_find(task->wavelet_name, &task->wavelet) &&
           choose_form(p, &task->wavelet, &task->form);
}

// |f|.
static double norm_of(const struct wp_task *task)
{
    double sum = 0;
    for (size_t i = 0; i < 2 * task->model->values; i++)
        sum += (double)task->data[i] * task->data[i];
    return sqrt(sum);
}

static bool open_engine(struct wp_reconstruct *r)
{
    const double norm = norm_of(&r->task);
    if (!isfinite(norm))
        return wp_fail(WP_ERROR_USAGE, "not all data are finite numbers");
    r->engine = r->kind->open(&r->task);
    if (!r->engine)
        return false;
    const struct wp_engine_facts facts = r->kind->facts(r->engine);
    if (r->at_once == 0)
        r->at_once = facts.at_once;
    r->info = (struct wp_reconstruct_info){
        .most = r->outer * r->inner,
        .residual = norm,
        .bytes = facts.bytes,
        .transforms = facts.transforms,
        .backend = r->kind->name,
        .form = form_names[r->task.form],
    };
    memcpy(r->info.padded, facts.padded, sizeof r->info.padded);
    return true;
}

struct wp_reconstruct *wp_reconstruct_create(const struct wp_reconstruct_params *p,
                                             const struct wp_reconstruct_model *model,
                                             const float *data)
{
    if (!p || p->struct_size != sizeof *p || !model || !data) {
        wp_fail(WP_ERROR_USAGE, "params, model or data are NULL, or params->struct_size is wrong"
                                "\nhint: initialize params with WP_RECONSTRUCT_PARAMS()");
        return NULL;
    }
    if (!check_weights(p) || !check_counts(p))
        return NULL;
    const struct wp_engine_kind *kind = find_kind(p->backend);
    if (!kind)
        return NULL;
    struct wp_reconstruct *r = wp_allocate(1, sizeof *r, "a reconstruction");
    if (!r)
        return NULL;
    r->kind = kind;
    r->at_once = p->report;
    r->outer = p->outer ? p->outer : OUTER;
    r->inner = p->inner ? p->inner : INNER;
    r->sigma = p->sigma;
    if (!set_task(&r->task, p, model, data) || !open_engine(r))
        wp_reconstruct_destroy(&r);
    return r;
}

void wp_reconstruct_destroy(struct wp_reconstruct **slot)
{
    struct wp_reconstruct *r = *slot;
    *slot = NULL;
    if (!r)
        return;
    if (r->engine)
        r->kind->close(r->engine);
    free(r);
}

bool wp_reconstruct_start(struct wp_reconstruct *r, const float *image)
{
    if (r->info.iterations > 0)
        return wp_fail(WP_ERROR_USAGE, "a reconstruction after %d iterations cannot start from "
                                       "another image", r->info.iterations);
    unsigned char *state = wp_allocate(1, r->kind->state_size(r->engine), "a state");
    if (!state)
        return false;
    const int *size = r->task.size;
    r->kind->save(r->engine, state);
    memcpy(state, image,
           2 * (size_t)size[0] * (size_t)size[1] * (size_t)size[2] * sizeof *image);
    r->kind->resume(r->engine, state);
    free(state);
    return true;
}

static bool iterate(struct wp_reconstruct *r)
{
    struct wp_reconstruct_info *info = &r->info;
    const int inner = info->iterations % r->inner, left = r->inner - inner;
    const int count = r->at_once < left ? r->at_once : left;
    const bool last = count == left;
    const double begin = wp_clock_seconds();
    if (!r->kind->iterate(r->engine, info->iterations, count, inner == 0, last, &info->residual))
        return false;
    info->seconds += wp_clock_seconds() - begin;
    info->transform_seconds = r->kind->facts(r->engine).transform_seconds;
    info->iterations += count;
    info->reached_sigma = last && info->residual < r->sigma;
    info->finished = info->reached_sigma || info->iterations == info->most;
    return true;
}

bool wp_reconstruct_run(struct wp_reconstruct *r, wp_reconstruct_callback callback, void *user)
{
    while (!r->info.finished) {
        if (!iterate(r))
            return false;
        if (callback && !callback(user, r))
            break;
    }
    return true;
}

const struct wp_reconstruct_info *wp_reconstruct_get_info(struct wp_reconstruct *r)
{
    return &r->info;
}

bool wp_reconstruct_image(struct wp_reconstruct *r, float *image)
{
    return r->kind->image(r->engine, image);
}

// The header of a saved state, which identifies the reconstruction.
struct state_header {
    uint64_t magic, parameters;
    int64_t iterations, reached_sigma, finished;
    double residual, seconds;
};

static const uint64_t magic = 0x3165746174737077; // "wpstate1"

// FNV-1a, 64 bits.
static uint64_t update_hash(uint64_t hash, const void *bytes, size_t count)
{
    for (size_t i = 0; i < count; i++)
        hash = (hash ^ ((const unsigned char *)bytes)[i]) * 0x100000001b3ULL;
    return hash;
}

// Hashes all parameters that the result depends on, except for the number of outer iterations,
// which may be increased.
static uint64_t hash_parameters(const struct wp_reconstruct *r)
{
    const struct wp_task *t = &r->task;
    const double weight[] = {t->tv, t->wav, t->mu, t->lambda, t->gamma, norm_of(t)};
    const int64_t count[] = {t->size[0], t->size[1], t->size[2], t->levels, t->form, t->spin,
                             (int64_t)t->seed, r->inner, (int64_t)t->model->values};
    uint64_t hash = update_hash(0xcbf29ce484222325ULL, weight, sizeof weight);
    hash = update_hash(hash, count, sizeof count);
    return update_hash(hash, t->wavelet_name, strlen(t->wavelet_name));
}

size_t wp_reconstruct_state_size(const struct wp_reconstruct *r)
{
    return sizeof(struct state_header) + r->kind->state_size(r->engine);
}

void wp_reconstruct_save(const struct wp_reconstruct *r, void *state)
{
    const struct wp_reconstruct_info *info = &r->info;
    const struct state_header header = {magic, hash_parameters(r), info->iterations,
                                        info->reached_sigma, info->finished, info->residual,
                                        info->seconds};
    memcpy(state, &header, sizeof header);
    r->kind->save(r->engine, (unsigned char *)state + sizeof header);
}

bool wp_reconstruct_resume(struct wp_reconstruct *r, const void *state, size_t size)
{
    struct state_header header = {0};
    if (size >= sizeof header)
        memcpy(&header, state, sizeof header);
    if (header.magic != magic)
        return wp_fail(WP_ERROR_USAGE, "the file is not a state of a reconstruction");
    if (size != wp_reconstruct_state_size(r) || header.parameters != hash_parameters(r))
        return wp_fail(WP_ERROR_USAGE, "the state belongs to other data or parameters");
    r->kind->resume(r->engine, (const unsigned char *)state + sizeof header);
    r->info.iterations = (int)header.iterations;
    r->info.residual = header.residual;
    r->info.seconds = header.seconds;
    r->info.reached_sigma = header.reached_sigma && header.residual < r->sigma;
    r->info.finished = r->info.reached_sigma || r->info.iterations >= r->info.most;
    return true;
}
