#include "mask.h"

#include "centre.h"
#include "log.h"
#include "mask_kinds.h"
#include "memory.h"
#include "npy.h"
#include "output.h"
#include "xmemory.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *const wp_mask_kind_names[] = {
    [WP_MASK_DENSITY] = "density",
    [WP_MASK_LINES] = "lines",
    [WP_MASK_RADIAL] = "radial",
    [WP_MASK_POISSON] = "poisson",
};

static size_t count_samples(const int size[3])
{
    return (size_t)size[0] * (size_t)size[1] * (size_t)size[2];
}

static struct wp_mask *create(const int size[3])
{
    struct wp_mask *mask = wp_xcalloc(1, sizeof *mask);
    memcpy(mask->size, size, sizeof mask->size);
    mask->kept = wp_allocate(count_samples(size), 1, "a mask");
    if (!mask->kept)
        wp_mask_destroy(&mask);
    return mask;
}

void wp_mask_destroy(struct wp_mask **slot)
{
    struct wp_mask *mask = *slot;
    *slot = NULL;
    if (!mask)
        return;
    free(mask->kept);
    free(mask);
}

// The axes of phase encodes: those of an image, y and z of a volume, and of lines y alone.
static void choose_axes(enum wp_mask_kind kind, const int size[3], int axes[2])
{
    axes[0] = kind == WP_MASK_LINES || size[2] > 1 ? 1 : 0;
    axes[1] = kind == WP_MASK_LINES ? -1 : axes[0] + 1;
}

static void spread(const struct wp_phase_encodes *encodes, const int axes[2], struct wp_mask *mask)
{
    const size_t width = (size_t)mask->size[0], height = (size_t)mask->size[1];
    for (size_t i = 0; i < count_samples(mask->size); i++) {
        const size_t at[3] = {i % width, i / width % height, i / width / height};
        const size_t line = axes[1] < 0 ? 0 : at[axes[1]];
        mask->kept[i] = encodes->kept[line * (size_t)encodes->size[0] + at[axes[0]]];
    }
}

struct wp_mask *wp_mask_create(enum wp_mask_kind kind, const int size[3], double rate,
                               unsigned long long seed)
{
    static bool (*const keep[])(struct wp_phase_encodes *, struct wp_random *) = {
        [WP_MASK_DENSITY] = wp_keep_by_density,
        [WP_MASK_LINES] = wp_keep_by_density,
        [WP_MASK_RADIAL] = wp_keep_spokes,
        [WP_MASK_POISSON] = wp_keep_discs,
    };
    int axes[2];
    choose_axes(kind, size, axes);
    struct wp_phase_encodes encodes = {
        .size = {size[axes[0]], axes[1] < 0 ? 1 : size[axes[1]]},
        .rate = rate,
    };
    const size_t places = (size_t)encodes.size[0] * (size_t)encodes.size[1];
    if (!(rate >= 1 && (double)places / rate >= 1)) {
        wp_fail(WP_ERROR_USAGE, "no mask of rate %g (1 to %zu, of %dx%d phase encodes)", rate,
                places, encodes.size[0], encodes.size[1]);
        return NULL;
    }
    encodes.wanted = (size_t)lround((double)places / rate);
    encodes.kept = wp_allocate(places, 1, "a mask");
    struct wp_random random = wp_random_of(seed);
    struct wp_mask *mask = encodes.kept ? create(size) : NULL;
    if (mask && keep[kind](&encodes, &random))
        spread(&encodes, axes, mask);
    else
        wp_mask_destroy(&mask);
    free(encodes.kept);
    return mask;
}

static void describe(const size_t *side, int axes, char text[96])
{
    int at = 0;
    text[0] = '\0';
    for (int i = axes - 1; i >= 0; i--)
        at += snprintf(text + at, 96 - (size_t)at, "%zu%s", side[i], i > 0 ? "x" : "");
}

// Whether the array is as large as the k-space, or lacks its axis x.
static bool fits(const char *path, const struct wp_npy_info *info, const int size[3],
                 bool *without_x)
{
    const size_t side[3] = {(size_t)size[2], (size_t)size[1], (size_t)size[0]};
    const size_t *wanted = size[2] > 1 ? side : side + 1;
    const size_t *found = info->shape;
    int axes = info->axes;
    const int all = size[2] > 1 ? 3 : 2;
    char own[96], other[96];
    for (; axes > all && found[0] == 1; axes--)
        found++;
    *without_x = axes == all - 1;
    if ((axes == all || *without_x) && memcmp(found, wanted, (size_t)axes * sizeof *found) == 0)
        return true;
    describe(info->shape, info->axes, own);
    describe(wanted, all, other);
    return wp_fail(WP_ERROR_FILE, "%s: a mask of %s, and the k-space has %s\n"
                   "hint: a mask has all axes, or all but x", path, own, other);
}

static bool take_values(const char *path, const float *value, bool without_x, struct wp_mask *mask)
{
    const size_t step = without_x ? (size_t)mask->size[0] : 1;
    for (size_t i = 0; i < count_samples(mask->size); i++) {
        const float one = value[i / step];
        if (!(one == 0.0F || one == 1.0F))
            return wp_fail(WP_ERROR_FILE, "%s: a mask has 0 and 1, not %g", path, (double)one);
        mask->kept[i] = one > 0.0F;
    }
    return wp_mask_count(mask) > 0 ||
           wp_fail(WP_ERROR_FILE, "%s: the mask is 0 everywhere", path);
}

struct wp_mask *wp_mask_read(const char *path, const int size[3], bool centred)
{
    struct wp_npy_info info;
    struct wp_mask *mask = NULL;
    float *value = NULL;
    bool without_x = false;
    struct wp_npy *npy = wp_npy_read(path, &info);
    bool ok = npy && (!info.is_complex || wp_fail(WP_ERROR_FILE, "%s: a mask cannot have complex "
                                                                 "numbers",
                                               path)) &&
              fits(path, &info, size, &without_x);
    if (ok) {
        value = wp_allocate(count_samples(size), sizeof *value, "a mask");
        mask = value ? create(size) : NULL;
    }
    if (mask) {
        wp_npy_get(npy, value);
        if (!take_values(path, value, without_x, mask))
            wp_mask_destroy(&mask);
        else if (centred)
            wp_uncentre(mask->kept, 1, size);
    }
    free(value);
    wp_npy_destroy(&npy);
    return mask;
}

static bool holds_for_each_x(const struct wp_mask *mask)
{
    const size_t width = (size_t)mask->size[0];
    for (size_t i = 0; i < count_samples(mask->size); i++)
        if (mask->kept[i] != mask->kept[i / width * width])
            return false;
    return true;
}

bool wp_mask_write(const char *path, const struct wp_mask *mask, bool centred)
{
    const size_t shape[3] = {(size_t)mask->size[2], (size_t)mask->size[1], (size_t)mask->size[0]};
    const bool volume = mask->size[2] > 1, without_x = volume && holds_for_each_x(mask);
    const size_t step = without_x ? (size_t)mask->size[0] : 1;
    struct wp_mask *copy = create(mask->size);
    struct wp_output *output = copy ? wp_output_open(path, true) : NULL;
    if (output) {
        memcpy(copy->kept, mask->kept, count_samples(mask->size));
        if (centred)
            wp_centre(copy->kept, 1, copy->size);
        FILE *stream = wp_output_stream(output);
        wp_npy_write_header(stream, "u1", volume && !without_x ? 3 : 2, shape + !volume);
        for (size_t i = 0; i < count_samples(mask->size); i += step)
            fputc(copy->kept[i], stream);
    }
    wp_mask_destroy(&copy);
    return output && wp_output_commit(&output);
}

struct wp_mask *wp_mask_of(const struct wp_complex_array *kspace)
{
    struct wp_mask *mask = create(kspace->size);
    const size_t samples = wp_complex_samples(kspace);
    for (size_t i = 0; mask && i < samples * (size_t)kspace->coils; i++)
        if (crealf(kspace->value[i]) != 0.0F || cimagf(kspace->value[i]) != 0.0F)
            mask->kept[i % samples] = 1;
    return mask;
}

size_t wp_mask_count(const struct wp_mask *mask)
{
    size_t count = 0;
    for (size_t i = 0; i < count_samples(mask->size); i++)
        count += mask->kept[i];
    return count;
}

double wp_mask_rate(const struct wp_mask *mask)
{
    return (double)count_samples(mask->size) / (double)wp_mask_count(mask);
}
