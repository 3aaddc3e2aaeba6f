#include "mask_kinds.h"

#include "memory.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

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
bool wp_sample_density(struct wp_phase_encodes *encodes, struct wp_random *random)
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
bool wp_sample_spokes(struct wp_phase_encodes *encodes, struct wp_random *random)
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

bool wp_sample_discs(struct wp_phase_encodes *encodes, struct wp_random *random)
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
