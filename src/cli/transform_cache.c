#include "transform_cache.h"

#include "field_table.h"
#include "xmemory.h"

#include <stdlib.h>
#include <string.h>

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
    wp_text_add(&key, "%s\n%s\n", word(p->wavelet), word(p->scheme));
    struct wp_transform_params params = *p;
    for (int f = 0; f < WP_FIELD_COUNT; f++)
        wp_text_add(&key, "%s\n", word(*wp_field_param(&params, (enum wp_field)f)));
    wp_text_add(&key, "%d %d %d %d %d", p->plain, p->levels, p->levels_z, p->gop, p->reversible);
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
        wp_run_create_shared(first && first->volume == volume ? first->transform : NULL, params,
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
