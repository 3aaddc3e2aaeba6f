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
    mask->sampled = wp_allocate(count_samples(size), 1, "a mask");
    if (!mask->sampled)
        wp_mask_destroy(&mask);
    return mask;
}

void wp_mask_destroy(struct wp_mask **slot)
{
    struct wp_mask *mask = *slot;
    *slot = NULL;
    if (!mask)
        return;
    free(mask->sampled);
    free(mask);
}

// Selects the axes of phase encodes: x and y of an image, y and z of a volume, only y for lines.
static void select_axes(enum wp_mask_kind kind, const int size[3], int axes[2])
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
        mask->sampled[i] = encodes->sampled[line * (size_t)encodes->size[0] + at[axes[0]]];
    }
}

struct wp_mask *wp_mask_create(enum wp_mask_kind kind, const int size[3], double rate,
                               unsigned long long seed)
{
    static bool (*const sample[])(struct wp_phase_encodes *, struct wp_random *) = {
        [WP_MASK_DENSITY] = wp_sample_density,
        [WP_MASK_LINES] = wp_sample_density,
        [WP_MASK_RADIAL] = wp_sample_spokes,
        [WP_MASK_POISSON] = wp_sample_discs,
    };
    int axes[2];
    select_axes(kind, size, axes);
    struct wp_phase_encodes encodes = {
        .size = {size[axes[0]], axes[1] < 0 ? 1 : size[axes[1]]},
        .rate = rate,
    };
    const size_t count = (size_t)encodes.size[0] * (size_t)encodes.size[1];
    if (!(rate >= 1 && (double)count / rate >= 1)) {
        wp_fail(WP_ERROR_USAGE, "no mask of rate %g (1 to %zu, of %dx%d phase encodes)", rate,
                count, encodes.size[0], encodes.size[1]);
        return NULL;
    }
    encodes.requested = (size_t)lround((double)count / rate);
    encodes.sampled = wp_allocate(count, 1, "a mask");
    struct wp_random random = wp_random_of(seed);
    struct wp_mask *mask = encodes.sampled ? create(size) : NULL;
    if (mask && sample[kind](&encodes, &random))
        spread(&encodes, axes, mask);
    else
        wp_mask_destroy(&mask);
    free(encodes.sampled);
    return mask;
}

static void describe(const size_t *side, int axes, char text[96])
{
    int at = 0;
    text[0] = '\0';
    for (int i = axes - 1; i >= 0; i--)
        at += snprintf(text + at, 96 - (size_t)at, "%zu%s", side[i], i > 0 ? "x" : "");
}

// Checks that the array has the size of the k-space, with or without the axis x.
static bool fits(const char *path, const struct wp_npy_info *info, const int size[3],
                 bool *without_x)
{
    const size_t side[3] = {(size_t)size[2], (size_t)size[1], (size_t)size[0]};
    const size_t *expected = size[2] > 1 ? side : side + 1;
    const size_t *found = info->shape;
    int axes = info->axes;
    const int dims = size[2] > 1 ? 3 : 2;
    char found_text[96], expected_text[96];
    for (; axes > dims && found[0] == 1; axes--)
        found++;
    *without_x = axes == dims - 1;
    if ((axes == dims || *without_x) && memcmp(found, expected, (size_t)axes * sizeof *found) == 0)
        return true;
    describe(info->shape, info->axes, found_text);
    describe(expected, dims, expected_text);
    return wp_fail(WP_ERROR_FILE, "%s: a mask of %s, but the k-space has %s\n"
                   "hint: a mask has all axes, or all but x", path, found_text, expected_text);
}

static bool convert_values(const char *path, const float *value, bool without_x,
                           struct wp_mask *mask)
{
    const size_t step = without_x ? (size_t)mask->size[0] : 1;
    for (size_t i = 0; i < count_samples(mask->size); i++) {
        const float one = value[i / step];
        if (!(one == 0.0F || one == 1.0F))
            return wp_fail(WP_ERROR_FILE, "%s: a mask has only 0 and 1, not %g", path,
                           (double)one);
        mask->sampled[i] = one > 0.0F;
    }
    return wp_mask_count(mask) > 0 ||
           wp_fail(WP_ERROR_FILE, "%s: all values of the mask are 0", path);
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
        if (!convert_values(path, value, without_x, mask))
            wp_mask_destroy(&mask);
        else if (centred)
            wp_uncentre(mask->sampled, 1, size);
    }
    free(value);
    wp_npy_destroy(&npy);
    return mask;
}

static bool is_constant_along_x(const struct wp_mask *mask)
{
    const size_t width = (size_t)mask->size[0];
    for (size_t i = 0; i < count_samples(mask->size); i++)
        if (mask->sampled[i] != mask->sampled[i / width * width])
            return false;
    return true;
}

bool wp_mask_write(const char *path, const struct wp_mask *mask, bool centred)
{
    const size_t shape[3] = {(size_t)mask->size[2], (size_t)mask->size[1], (size_t)mask->size[0]};
    const bool volume = mask->size[2] > 1, without_x = volume && is_constant_along_x(mask);
    const size_t step = without_x ? (size_t)mask->size[0] : 1;
    struct wp_mask *copy = create(mask->size);
    struct wp_output *output = copy ? wp_output_open(path, true) : NULL;
    if (output) {
        memcpy(copy->sampled, mask->sampled, count_samples(mask->size));
        if (centred)
            wp_centre(copy->sampled, 1, copy->size);
        FILE *stream = wp_output_stream(output);
        wp_npy_write_header(stream, "u1", volume && !without_x ? 3 : 2, shape + !volume);
        for (size_t i = 0; i < count_samples(mask->size); i += step)
            fputc(copy->sampled[i], stream);
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
            mask->sampled[i % samples] = 1;
    return mask;
}

size_t wp_mask_count(const struct wp_mask *mask)
{
    size_t count = 0;
    for (size_t i = 0; i < count_samples(mask->size); i++)
        count += mask->sampled[i];
    return count;
}

double wp_mask_rate(const struct wp_mask *mask)
{
    return (double)count_samples(mask->size) / (double)wp_mask_count(mask);
}
