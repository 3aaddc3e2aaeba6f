#include "bench_item.h"

#include "field_table.h"
#include "image.h"
#include "memory.h"
#include "pattern.h"
#include "reference.h"
#include "verify.h"
#include "xmemory.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const size_t max_bytes = (size_t)1 << 30;

// A transform of the noise. `inverse` is NULL until it is requested.
struct entry {
    struct wp_description params;
    char wavelet[sizeof((struct wp_wavelet *)0)->name];
    float *coefficients, *inverse;
};

struct wp_oracle_cache {
    struct wp_image *noise; // of the entries' size
    float *integers;        // the noise as 8-bit integers; NULL until it is needed
    int count;
    struct entry *entry;
    size_t bytes;
};

struct wp_oracle_cache *wp_oracle_cache_create(void)
{
    return wp_xcalloc(1, sizeof(struct wp_oracle_cache));
}

static void clear_entries(struct wp_oracle_cache *cache)
{
    for (int i = 0; i < cache->count; i++) {
        free(cache->entry[i].coefficients);
        free(cache->entry[i].inverse);
    }
    free(cache->integers);
    cache->integers = NULL;
    cache->count = 0;
    cache->bytes = 0;
}

void wp_oracle_cache_destroy(struct wp_oracle_cache **slot)
{
    struct wp_oracle_cache *cache = *slot;
    *slot = NULL;
    if (!cache)
        return;
    clear_entries(cache);
    wp_image_destroy(&cache->noise);
    free(cache->entry);
    free(cache);
}

struct wp_image *wp_oracle_noise(const int size[WP_DIMS_MAX])
{
    char pattern[64];
    const int depth = size[WP_Z] > 1 ? size[WP_Z] : 1;
    snprintf(pattern, sizeof pattern, "noise:%dx%dx%d", size[WP_X], size[WP_Y], depth);
    return wp_pattern_create_as(pattern, WP_VOLUME_EITHER);
}

static bool has_size(const struct wp_image *image, const struct wp_description *d)
{
    return image->width == d->size[WP_X] && image->height == d->size[WP_Y] &&
           image->depth == wp_description_depth(d);
}

static const float *get_noise(struct wp_oracle_cache *cache, const struct wp_description *params)
{
    if (cache->noise && !has_size(cache->noise, params)) {
        clear_entries(cache);
        wp_image_destroy(&cache->noise);
    }
    if (!cache->noise)
        cache->noise = wp_oracle_noise(params->size);
    return cache->noise ? cache->noise->plane[0] : NULL;
}

// Plain separable lifting in double precision.
static float *transform(const struct wp_description *params, const float *input)
{
    struct wp_description plain = *params;
    plain.kind = &wp_scheme_kinds[WP_SCHEME_SEP_LIFTING];
    plain.form = WP_FORM_PLAIN;
    plain.precision = WP_PRECISION_F32;
    plain.planes = 1;
    const bool forward = params->direction == WP_FORWARD;
    float *output = wp_allocate(forward ? wp_description_coefficients(params)
                                        : wp_description_samples(params),
                                sizeof *output, "the reference's result");
    char reason[256];
    struct wp_device *device = wp_backend_reference.open(-1, false, reason, sizeof reason);
    const bool ok = output && device && wp_verify_reference(device, &plain, input, output);
    if (device)
        wp_backend_reference.close(device);
    if (ok)
        return output;
    free(output);
    return NULL;
}

// The input of the forward transform: the noise, or integers if it is reversible.
static const float *get_input(struct wp_oracle_cache *cache, const struct wp_description *params)
{
    const size_t samples = wp_description_samples(params);
    if (!params->reversible)
        return cache->noise->plane[0];
    if (cache->integers)
        return cache->integers;
    cache->integers = wp_allocate(samples, sizeof *cache->integers, "integers to verify");
    for (size_t i = 0; i < samples && cache->integers; i++)
        cache->integers[i] = rintf(255 * cache->noise->plane[0][i]);
    return cache->integers;
}

static bool matches(const struct entry *entry, const struct wp_description *params)
{
    const struct wp_description *p = &entry->params;
    return strcmp(entry->wavelet, params->wavelet->name) == 0 && p->levels == params->levels &&
           p->levels_z == params->levels_z && p->reversible == params->reversible &&
           p->adjoint == params->adjoint &&
           wp_fields_equal(p, params, WP_FIELD_SET_COMPUTED);
}

static struct entry *get_entry(struct wp_oracle_cache *cache, const struct wp_description *params)
{
    for (int i = 0; i < cache->count; i++)
        if (matches(&cache->entry[i], params))
            return &cache->entry[i];
    const size_t bytes =
        (wp_description_samples(params) + wp_description_coefficients(params)) * sizeof(float);
    if (cache->bytes + bytes > max_bytes)
        clear_entries(cache);
    struct wp_description forward = *params;
    forward.direction = WP_FORWARD;
    const float *input = get_input(cache, params);
    float *coefficients = input ? transform(&forward, input) : NULL;
    if (!coefficients)
        return NULL;
    cache->entry = wp_xrealloc(cache->entry, (size_t)cache->count + 1, sizeof *cache->entry);
    struct entry *entry = &cache->entry[cache->count++];
    *entry = (struct entry){.params = *params, .coefficients = coefficients};
    snprintf(entry->wavelet, sizeof entry->wavelet, "%s", params->wavelet->name);
    cache->bytes += bytes;
    return entry;
}

bool wp_oracle_cache_get(struct wp_oracle_cache *cache, const struct wp_description *params,
                         struct wp_expectation *expectation)
{
    const float *noise = get_noise(cache, params);
    struct entry *entry = noise ? get_entry(cache, params) : NULL;
    if (!entry)
        return false;
    const bool forward = params->direction == WP_FORWARD;
    if (!forward && !entry->inverse)
        entry->inverse = transform(params, entry->coefficients);
    *expectation = (struct wp_expectation){
        .input = forward ? get_input(cache, params) : entry->coefficients,
        .output = forward ? entry->coefficients : entry->inverse,
        .scale = 1, // noise is in 0..1
    };
    return expectation->output != NULL && expectation->input != NULL;
}
