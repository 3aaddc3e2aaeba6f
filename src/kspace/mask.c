#include "kspace.h"

#include "log.h"
#include "memory.h"
#include "npy.h"
#include "output.h"
#include "random.h"
#include "xmemory.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// size[0]*size[1] positions, the first axis fastest, DC at index 0.
struct wp_phase_encodes {
    int size[2];
    double rate;
    size_t requested;       // number of positions to sample
    unsigned char *sampled; // 0 or 1; initially zeros
};

// ---- kinds of masks ----

// Samples with a smaller radius are always measured.
static const double core = 0.06;

static size_t count_positions(const struct wp_phase_encodes *encodes)
{
    return (size_t)encodes->size[0] * (size_t)encodes->size[1];
}

// The frequency of an index, relative to the Nyquist frequency.
static double frequency(int i, int n)
{
    return (i <= n / 2 ? i : n - i) / (n / 2.0);
}

// 0 at DC, 1 at the farthest corner.
static double radius_at(const struct wp_phase_encodes *encodes, size_t position)
{
    const int width = encodes->size[0], height = encodes->size[1];
    const double a = frequency((int)(position % (size_t)width), width);
    const double b = frequency((int)(position / (size_t)width), height);
    return sqrt((a * a + b * b) / ((width > 1) + (height > 1)));
}

// The density decreases with the radius, faster at higher rates: (1 - r)^2 at 4, (1 - r)^3 at 8.
static double density_at(const struct wp_phase_encodes *encodes, double radius)
{
    return pow(1 - radius, log2(encodes->rate));
}

static int compare(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

// Samples a position with probability min(1, s * density): draws a random number for each position,
// and chooses s so that the requested number of positions is sampled.
static bool sample_density(struct wp_phase_encodes *encodes, struct wp_random *random)
{
    const size_t count = count_positions(encodes);
    double *scale_needed = wp_allocate(count, 2 * sizeof *scale_needed, "a mask");
    if (!scale_needed)
        return false;
    double *sorted = scale_needed + count;
    for (size_t i = 0; i < count; i++) {
        const double radius = radius_at(encodes, i), random_value = wp_random_uniform(random);
        scale_needed[i] = radius < core ? -1 : random_value / density_at(encodes, radius);
    }
    memcpy(sorted, scale_needed, count * sizeof *scale_needed);
    qsort(sorted, count, sizeof *sorted, compare);
    for (size_t i = 0; i < count; i++)
        encodes->sampled[i] = scale_needed[i] <= sorted[encodes->requested - 1];
    free(scale_needed);
    return true;
}

static size_t wrap(long i, int n)
{
    return (size_t)((i % n + n) % n);
}

// Samples a position. False if there are enough.
static bool add_position(struct wp_phase_encodes *encodes, size_t position, size_t *count)
{
    *count += !encodes->sampled[position];
    encodes->sampled[position] = 1;
    return *count < encodes->requested;
}

// Samples a spoke from DC to the border in both directions, in steps of half a position. False if
// there are enough positions.
static bool add_spoke(struct wp_phase_encodes *encodes, double angle, size_t *count)
{
    const int width = encodes->size[0], height = encodes->size[1];
    const int steps = width > height ? width : height;
    const double longer = fmax(fabs(cos(angle)), fabs(sin(angle)));
    const double x = cos(angle) / longer * width / 2, y = sin(angle) / longer * height / 2;
    for (int i = 0; i <= steps; i++) {
        for (int sign = -1; sign <= 1; sign += 2) {
            const double part = sign * (double)i / steps;
            const size_t at = wrap(lround(part * y), height) * (size_t)width +
                              wrap(lround(part * x), width);
            if (!add_position(encodes, at, count))
                return false;
        }
    }
    return true;
}

// Rotates spokes by the golden angle, which distributes any number of them evenly. The last one
// ends when there are enough positions.
static bool sample_spokes(struct wp_phase_encodes *encodes, struct wp_random *random)
{
    const double pi = acos(-1), golden = pi * (sqrt(5) - 1) / 2;
    const int max_count = 16 * (encodes->size[0] + encodes->size[1]);
    double angle = pi * wp_random_uniform(random);
    size_t count = 0;
    for (int i = 0; i < max_count && add_spoke(encodes, angle, &count); i++)
        angle = fmod(angle + golden, pi);
    return true;
}

struct discs {
    struct wp_phase_encodes *encodes;
    size_t *order;   // in which positions are tried
    double *density; // at each position; 0: always sampled
    double max_distance; // maximum distance between samples
};

// Wraps indices from -n + 1 to 2n - 1.
static size_t wrap_near(int i, int n)
{
    return (size_t)(i < 0 ? i + n : i >= n ? i - n : i);
}

static bool is_free(const struct wp_phase_encodes *encodes, size_t position, double distance)
{
    const int width = encodes->size[0], height = encodes->size[1];
    const int x = (int)(position % (size_t)width), y = (int)(position / (size_t)width);
    const int reach_x = (int)fmin(distance, width - 1), reach_y = (int)fmin(distance, height - 1);
    for (int dy = -reach_y; dy <= reach_y; dy++) {
        const unsigned char *row = encodes->sampled + wrap_near(y + dy, height) * (size_t)width;
        for (int dx = -reach_x; dx <= reach_x; dx++)
            if (dx * dx + dy * dy < distance * distance && row[wrap_near(x + dx, width)])
                return false;
    }
    return true;
}

// Samples positions that are at least scale / sqrt(density) away from all previous ones, until
// there are `max_count`. Returns their number.
static size_t fill_discs(const struct discs *discs, double scale, size_t max_count)
{
    struct wp_phase_encodes *encodes = discs->encodes;
    const size_t positions = count_positions(encodes);
    size_t count = 0;
    for (size_t i = 0; i < positions; i++)
        count += encodes->sampled[i] = discs->density[i] <= 0;
    for (size_t i = 0; i < positions && count < max_count; i++) {
        const size_t position = discs->order[i];
        const double distance = scale / sqrt(discs->density[position]);
        if (!encodes->sampled[position] &&
            is_free(encodes, position, fmin(distance, discs->max_distance)))
            count += encodes->sampled[position] = 1;
    }
    return count;
}

static bool sample_discs(struct wp_phase_encodes *encodes, struct wp_random *random)
{
    const size_t positions = count_positions(encodes);
    struct discs discs = {
        .encodes = encodes,
        .order = wp_allocate(positions, sizeof *discs.order, "a mask"),
        .density = wp_allocate(positions, sizeof *discs.density, "a mask"),
        .max_distance = 3 * sqrt(encodes->rate),
    };
    const bool ok = discs.order && discs.density;
    for (size_t i = 0; ok && i < positions; i++) {
        const size_t swapped = wp_random_below(random, i + 1);
        const double radius = radius_at(encodes, i);
        // Varies the distances, since the distances of the grid (1, 1.4, 2, ...) would be visible
        // as rings.
        const double jitter = 0.7 + 0.6 * wp_random_uniform(random);
        discs.order[i] = discs.order[swapped];
        discs.order[swapped] = i;
        discs.density[i] =
            radius < core ? 0 : fmax(density_at(encodes, radius), 1e-9) * jitter * jitter;
    }
    double few = discs.max_distance, many = 0; // scales that give too few and enough samples
    for (int i = 0; ok && i < 16; i++) {
        const double scale = (few + many) / 2;
        if (fill_discs(&discs, scale, positions) < encodes->requested)
            few = scale;
        else
            many = scale;
    }
    if (ok)
        fill_discs(&discs, many, encodes->requested);
    free(discs.order);
    free(discs.density);
    return ok;
}

// ---- masks ----

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
        [WP_MASK_DENSITY] = sample_density,
        [WP_MASK_LINES] = sample_density,
        [WP_MASK_RADIAL] = sample_spokes,
        [WP_MASK_POISSON] = sample_discs,
    };
    int axes[2];
    select_axes(kind, size, axes);
    struct wp_phase_encodes encodes = {
        .size = {size[axes[0]], axes[1] < 0 ? 1 : size[axes[1]]},
        .rate = rate,
    };
    const size_t count = (size_t)encodes.size[0] * (size_t)encodes.size[1];
    if (!(rate >= 1 && (double)count / rate >= 1)) {
        wp_fail(WP_ERROR_USAGE, "invalid rate %g (1 to %zu, for %dx%d phase encodes)", rate,
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

enum { TEXT = 24 * WP_NPY_AXES }; // of a shape

static void describe(const size_t *side, int axes, char text[TEXT])
{
    int at = 0;
    text[0] = '\0';
    for (int i = axes - 1; i >= 0; i--)
        at += snprintf(text + at, TEXT - (size_t)at, "%zu%s", side[i], i > 0 ? "x" : "");
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
    char found_text[TEXT], expected_text[TEXT];
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
