#include "slices.h"

#include "image_io.h"
#include "samples_hash.h"
#include "slices_io.h"
#include "xmemory.h"

#include <limits.h>
#include <stdlib.h>

struct wp_slices {
    struct wp_slices_info info;
    char *name;
    const struct wp_slices_reader *reader;
    void *reader_state;
    int next; // number of the next slice
    struct wp_samples_hash *hash; // NULL: not requested
};

struct wp_slices *wp_slices_create_reader(const char *name, const struct wp_slices_info *info,
                                          const struct wp_slices_reader *reader, void *reader_state)
{
    struct wp_slices *slices = wp_xcalloc(1, sizeof *slices);
    slices->name = wp_xstrdup(name);
    slices->info = *info;
    slices->reader = reader;
    slices->reader_state = reader_state;
    return slices;
}

void wp_slices_close(struct wp_slices **slot)
{
    struct wp_slices *slices = *slot;
    *slot = NULL;
    if (!slices)
        return;
    slices->reader->close(slices->reader_state);
    wp_samples_hash_destroy(&slices->hash);
    free(slices->name);
    free(slices);
}

const struct wp_slices_info *wp_slices_info(const struct wp_slices *slices)
{
    return &slices->info;
}

const char *wp_slices_name(const struct wp_slices *slices)
{
    return slices->name;
}

void wp_slices_keep_hash(struct wp_slices *slices)
{
    slices->hash = wp_samples_hash_create();
}

unsigned long long wp_slices_hash(const struct wp_slices *slices)
{
    return wp_samples_hash_get(slices->hash);
}

bool wp_slices_read(struct wp_slices *slices, float *to, int count, int *got)
{
    const size_t samples = (size_t)slices->info.width * (size_t)slices->info.height;
    bool end = false;
    for (*got = 0; *got < count; ++*got, slices->next++, to += samples) {
        if (slices->next == INT_MAX)
            return wp_fail(WP_ERROR_FILE, "%s: more than %d slices", slices->name, INT_MAX);
        if (!slices->reader->read(slices->reader_state, slices->next, to, &end))
            return false;
        if (end)
            break;
        if (slices->hash)
            wp_samples_hash_add(slices->hash, to, samples);
    }
    return true;
}

struct wp_image *wp_slices_read_image(struct wp_slices *slices)
{
    const struct wp_slices_info *info = &slices->info;
    struct wp_image *image =
        wp_image_create_volume(info->width, info->height, info->depth, 1, false);
    bool end;
    int got;
    if (!image)
        return NULL;
    image->origin = info->origin;
    image->geometry = info->geometry;
    const bool ok =
        slices->reader->all
            ? slices->reader->all(slices->reader_state, image)
            : wp_slices_read(slices, image->plane[0], info->depth, &got) &&
                  slices->reader->read(slices->reader_state, slices->next, NULL, &end);
    if (!ok)
        wp_image_destroy(&image);
    return image;
}
