#include "run.h"

#include "field_table.h"
#include "sidecar.h"
#include "suggest.h"
#include "transform.h"
#include "xmemory.h"

#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { DEFAULT_LEVELS = 3 };

struct wp_read_params wp_run_read_params(const struct wp_volume_options *options)
{
    return (struct wp_read_params){
        .volume = options->volume ? WP_VOLUME_YES : WP_VOLUME_EITHER,
        .values = (enum wp_values)options->values,
        .volume_number = options->volume_number,
        .raw = options->raw,
    };
}

struct wp_image *wp_run_read_volume(const char *path, const struct wp_volume_options *options,
                                    size_t *nonfinite)
{
    const struct wp_read_params params = wp_run_read_params(options);
    wp_progress("reading %s", path);
    return wp_image_read_with(path, &params, nonfinite);
}

struct wp_transform_params wp_run_sized(const struct wp_transform_params *given,
                                        const struct wp_image *image)
{
    struct wp_transform_params params = *given;
    params.width = image->width;
    params.height = image->height;
    params.depth = image->depth;
    params.planes = wp_image_colour_planes(image);
    return params;
}

static void show_probe(const struct wp_timing *next)
{
    wp_progress("probing for the fastest scheme: %s %s", next->kind ? next->kind->name : "",
                next->variant ? next->variant->name : "");
}

// Reports whether `auto` avoided software rendering (with -v), or a scheme, variant or precision
// prevented that.
static void print_note(struct wp_transform *transform, const struct wp_transform_params *given)
{
    const struct wp_transform_info *info = wp_transform_get_info(transform);
    const struct wp_backend_choice *choice = wp_transform_choice(transform);
    if (choice->past_software && choice->backend->schemeless)
        wp_log(WP_LOG_VERBOSE, "%s; -b fragment runs shaders", info->note);
    else if (info->note)
        wp_log(WP_LOG_INFO, "note: %s", info->note);
    if (choice->automatic && info->software)
        wp_log(WP_LOG_INFO, "note: OpenGL is software-rendered on this machine; %s runs in "
                            "shaders, which are slower here than -b cpu",
               given->scheme    ? "a named scheme"
               : given->variant ? "a named variant"
                                : "16-bit precision");
}

// Reports the number of levels if it is less than the default, and notes on the backend.
static struct wp_transform *report_levels(struct wp_transform *transform,
                                        const struct wp_transform_params *given,
                                        const struct wp_image *image, enum wp_direction direction,
                                        bool shared)
{
    const struct wp_transform_info *info = wp_transform_get_info(transform);
    const enum wp_border border = wp_transform_description(transform)->border;
    if (direction == WP_FORWARD && given->levels == 0 && info->levels < DEFAULT_LEVELS)
        wp_log(WP_LOG_INFO, "%d level%s, the most for %dx%d with %s borders",
               info->levels, WP_PLURAL(info->levels), image->width, image->height,
               wp_border_names[border]);
    if (!shared)
        print_note(transform, given);
    return transform;
}

// Like wp_run_create(), on the device of the transform `shared`, which must outlive the new one.
// Its notes are not repeated. If `shared` is NULL, opens a new device.
static struct wp_transform *run_create_shared(const struct wp_transform *shared,
                                              const struct wp_transform_params *given,
                                              const struct wp_image *image,
                                              enum wp_direction direction, size_t nonfinite,
                                              enum wp_chosen_by *by)
{
    wp_progress("opening the device");
    const struct wp_transform_params params = wp_run_sized(given, image);
    struct wp_autotune autotune = {
        .given = given,
        .direction = direction,
        .nonfinite = nonfinite > 0,
        .capture = wp_messages_capture,
        .progress = show_probe,
    };
    struct wp_transform *transform = wp_transform_create_chosen(
        &params,
        &(struct wp_transform_chooser){wp_autotune_choose, &autotune, wp_messages_capture, shared});
    *by = autotune.by;
    if (!transform)
        return NULL;
    const struct wp_transform_info *info = wp_transform_get_info(transform);
    wp_log(WP_LOG_VERBOSE, "device ready: %s on %s", info->backend, info->device);
    if (info->reason[0] && !shared)
        wp_log(WP_LOG_WARNING, "%s; using %s", info->reason, info->backend);
    return report_levels(transform, given, image, direction, shared != NULL);
}

struct wp_transform *wp_run_create(const struct wp_transform_params *given,
                                   const struct wp_image *image, enum wp_direction direction,
                                   size_t nonfinite, enum wp_chosen_by *by)
{
    return run_create_shared(NULL, given, image, direction, nonfinite, by);
}

struct wp_transform *wp_run_create_by_rule(const struct wp_transform_params *params,
                                       const struct wp_image *image, enum wp_direction direction)
{
    struct wp_transform *transform = wp_transform_create(params);
    return transform ? report_levels(transform, params, image, direction, false) : NULL;
}

bool wp_run_is_expansive(const struct wp_transform_params *p, char what[64])
{
    const int border =
        p->border ? wp_name_index(p->border, wp_border_names, WP_BORDER_COUNT) : 0;
    const int bank = p->bank ? wp_name_index(p->bank, wp_bank_names, WP_BANK_COUNT) : 0;
    what[0] = '\0';
    if (border >= WP_BORDER_NATIVE)
        snprintf(what, 64, "border '%s'", wp_border_names[border]);
    if (bank >= 0 && wp_bank_is_redundant((enum wp_bank)bank))
        snprintf(what, 64, "bank '%s'", wp_bank_names[bank]);
    return what[0];
}

double wp_run_memory(const struct wp_transform_params *given, const struct wp_image *shape)
{
    const struct wp_transform_params params = wp_run_sized(given, shape);
    struct wp_description d;
    struct wp_wavelet wavelet;
    char what[64];
    if (!wp_run_is_expansive(given, what))
        return wp_memory_of_image(shape);
    wp_begin_attempt();
    const bool ok = wp_transform_resolve(&params, &wavelet, &d);
    wp_end_attempt();
    wp_clear_error();
    return !ok ? wp_memory_of_image(shape)
               : ((double)wp_description_samples(&d) + (double)wp_description_coefficients(&d)) *
                     shape->planes * (double)sizeof(float);
}

bool wp_run_by_cpu(const struct wp_transform_params *p, const char *name)
{
    static const char *const defaults[] = {"cpu", "auto", "f32"};
    const struct {
        const char *option, *word;
    } given[] = {
        {"--backend", p->backend && strcmp(p->backend, defaults[0]) != 0 &&
                              strcmp(p->backend, defaults[1]) != 0 ? p->backend : NULL},
        {"--scheme", p->scheme},
        {"--variant", p->variant},
        {"--device", p->device ? "N" : NULL},
        {"--precision",
         p->precision && strcmp(p->precision, defaults[2]) != 0 ? p->precision : NULL},
    };
    for (size_t i = 0; i < sizeof given / sizeof *given; i++)
        if (given[i].word)
            return wp_fail(WP_ERROR_USAGE, "%s %s: %s supports only the cpu backend without options"
                                           "\nhint: omit the option",
                           given[i].option, given[i].word, name);
    return true;
}

double wp_run_done(struct wp_transform *transform)
{
    const struct wp_transform_info *info = wp_transform_get_info(transform);
    wp_log(WP_LOG_VERBOSE, "planes, %d at once: uploaded, transformed (%.2f ms) and downloaded",
           info->planes_at_once, info->seconds * 1e3);
    return info->seconds;
}

// In lanes, so that compilers vectorize the loop.
double wp_run_difference(const float *a, const float *b, size_t count)
{
    enum { LANES = 16 };
    float worst[LANES] = {0}, unknown[LANES] = {0};
    for (size_t i = 0; i < count; i += LANES) {
        const size_t lanes = count - i < LANES ? count - i : LANES;
        for (size_t k = 0; k < lanes; k++) {
            const float difference = fabsf(a[i + k] - b[i + k]);
            worst[k] = difference > worst[k] ? difference : worst[k];
            unknown[k] += difference - difference; // 0, or NaN where that is not finite
        }
    }
    float all = 0;
    for (size_t k = 0; k < LANES; k++)
        all = unknown[k] != 0 ? INFINITY : fmaxf(all, worst[k]);
    return (double)all;
}

void wp_run_summary(struct wp_transform *transform, const struct wp_image *image, double seconds,
                    struct wp_text *text)
{
    const struct wp_transform_info *info = wp_transform_get_info(transform);
    const int planes = wp_image_colour_planes(image);
    wp_text_add(text, "%s, %d level%s", info->name, info->levels, WP_PLURAL(info->levels));
    if (image->depth > 1)
        wp_text_add(text, ", %d along z%s, %dx%dx%d", info->levels_z,
                    wp_transform_description(transform)->decomposition == WP_DECOMPOSITION_DYADIC
                        ? "" : " separately",
                    image->width, image->height, image->depth);
    else
        wp_text_add(text, ", %dx%d", image->width, image->height);
    wp_text_add(text, ", %d plane%s%s, %s%s%s on %s%s, %.2f ms", planes, WP_PLURAL(planes),
                image->alpha ? " and alpha" : "", info->backend, info->variant ? "/" : "",
                info->variant ? info->variant : "",
                info->device, info->software ? " SOFTWARE" : "", seconds * 1e3);
}

json_t *wp_run_json(const struct wp_call *call, struct wp_transform *transform,
                    const struct wp_image *image, const char *backend, enum wp_chosen_by by,
                    double seconds)
{
    const struct wp_transform_info *info = wp_transform_get_info(transform);
    const struct wp_description *d = wp_transform_description(transform);
    json_t *result = json_pack("{s:s, s:s, s:o}", "command", call->command->name, "name",
                               info->name, "wavelet",
                               wp_json_text(wp_description_wavelet_name(d)));
    wp_sidecar_add_fields(result, d, WP_FIELD_SET_IMAGE);
    json_object_update_new(result, json_pack(
        "{s:i, s:i, s:i, s:i, s:b, s:{s:s, s:s, s:o}, s:o, s:o, s:b, s:s, s:i, s:i, s:o, s:o, s:o,"
        " s:o}",                                                               //
        "levels", info->levels,                                                //
        "width", image->width,                                                 //
        "height", image->height,                                               //
        "planes", image->planes,                                               //
        "alpha", image->alpha,                                                 //
        "backend",                                                             //
        "requested", backend ? backend : "auto",                               //
        "used", info->backend,                                                 //
        "reason", wp_json_text(info->reason[0] ? info->reason : NULL),         //
        "variant", wp_json_text(info->variant),                                //
        "device", wp_json_text(info->device),                                  //
        "software", info->software,                                            //
        "chosen_by",                                                           //
        wp_chosen_by_names[wp_transform_fell_back(transform) ? WP_CHOSEN_BY_RULE : by], //
        "steps", info->steps,                                                  //
        "planes_at_once", info->planes_at_once,                                //
        "operations", wp_json_amount(info->operations),                        //
        "fetches", wp_json_amount(info->fetches),                              //
        "seconds", wp_json_number(seconds),                                    //
        "total_seconds", wp_json_number(wp_seconds_since_start())));
    if (d->reversible)
        json_object_set_new(result, "reversible", json_true());
    if (d->adjoint)
        json_object_set_new(result, "adjoint", json_true());
    if (image->depth > 1) {
        json_object_set_new(result, "depth", json_integer(image->depth));
        json_object_set_new(result, "levels_z", json_integer(info->levels_z));
        wp_sidecar_add_fields(result, d, WP_FIELD_SET_VOLUME);
        json_object_set_new(result, "gop", json_integer(wp_description_depth(d)));
    }
    return result;
}

// ---- transforms of earlier files ----

static const char *word(const char *text)
{
    return text ? text : "";
}

// A text of all that the transform depends on; the caller frees it. NULL if the wavelet has no
// name.
static char *key_of(const struct wp_transform_params *p, const struct wp_image *image,
                    enum wp_direction direction)
{
    if (p->wavelet_data)
        return NULL;
    struct wp_text key = {0};
    wp_text_add(&key, "%d %dx%dx%d %d\n", direction, image->width, image->height, image->depth,
                wp_image_colour_planes(image));
    wp_text_add(&key, "%s\n%s\n%s\n", word(p->wavelet), word(p->scheme), word(p->tree));
    struct wp_transform_params params = *p;
    for (int f = 0; f < WP_FIELD_COUNT; f++)
        wp_text_add(&key, "%s\n", word(*wp_field_param(&params, (enum wp_field)f)));
    wp_text_add(&key, "%d %d %d %d %d %d", p->plain, p->levels, p->levels_z, p->gop, p->reversible,
                p->adjoint);
    for (int b = 0; b < WP_BATCH_DIMENSIONS; b++)
        wp_text_add(&key, " %d", p->batch[b]);
    char *text = wp_xstrdup(wp_text_get(&key));
    wp_text_free(&key);
    return text;
}

static void end(struct wp_transform_cache_entry *t)
{
    free(t->key);
    wp_transform_destroy(&t->transform);
}

// Returns a free slot; if there is none, evicts the least recently used entry except the first.
static struct wp_transform_cache_entry *acquire_slot(struct wp_transform_cache *cache)
{
    if (cache->count < WP_TRANSFORM_CACHE_MAX)
        return &cache->transform[cache->count++];
    struct wp_transform_cache_entry *oldest = &cache->transform[1];
    for (int i = 2; i < WP_TRANSFORM_CACHE_MAX; i++)
        if (cache->transform[i].used < oldest->used)
            oldest = &cache->transform[i];
    end(oldest);
    return oldest;
}

struct wp_transform *wp_transform_cache_get(struct wp_transform_cache *cache,
                                            const struct wp_transform_params *params,
                                            const struct wp_image *image,
                                            enum wp_direction direction, size_t nonfinite,
                                            enum wp_chosen_by *by)
{
    char *key = key_of(params, image, direction);
    cache->clock++;
    for (int i = 0; i < cache->count && key; i++) {
        struct wp_transform_cache_entry *t = &cache->transform[i];
        if (t->key && strcmp(t->key, key) == 0) {
            free(key);
            t->used = cache->clock;
            *by = t->by;
            return t->transform;
        }
    }
    // Images and volumes may use different backends.
    const bool volume = image->depth > 1;
    const struct wp_transform_cache_entry *first = cache->count > 0 ? &cache->transform[0] : NULL;
    struct wp_transform_cache_entry entry = {.key = key, .volume = volume, .used = cache->clock};
    entry.transform =
        run_create_shared(first && first->volume == volume ? first->transform : NULL, params,
                          image, direction, nonfinite, &entry.by);
    if (!entry.transform) {
        free(key);
        return NULL;
    }
    *by = entry.by;
    *acquire_slot(cache) = entry;
    return entry.transform;
}

void wp_transform_cache_end(struct wp_transform_cache *cache)
{
    while (cache->count > 0)
        end(&cache->transform[--cache->count]);
}
