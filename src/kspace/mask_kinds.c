#include "mask_kinds.h"

#include "memory.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// All of what is nearer to zero frequency is kept.
static const double core = 0.06;

static size_t count_places(const struct wp_phase_encodes *encodes)
{
    return (size_t)encodes->size[0] * (size_t)encodes->size[1];
}

// Of Nyquist's frequency.
static double frequency(int i, int n)
{
    return (i <= n / 2 ? i : n - i) / (n / 2.0);
}

// 0 at zero frequency, 1 at the farthest corner.
static double radius_at(const struct wp_phase_encodes *encodes, size_t place)
{
    const int width = encodes->size[0], height = encodes->size[1];
    const double a = frequency((int)(place % (size_t)width), width);
    const double b = frequency((int)(place / (size_t)width), height);
    return sqrt((a * a + b * b) / ((width > 1) + (height > 1)));
}

// Falls with the radius, faster at higher rates: its square at 4, its cube at 8.
static double density_at(const struct wp_phase_encodes *encodes, double radius)
{
    return pow(1 - radius, log2(encodes->rate));
}

static int compare(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

// A place is kept with probability min(1, s * density). Its number below 1 is drawn first, and s
// then is what keeps as many as are wanted: the largest of their quotients.
bool wp_keep_by_density(struct wp_phase_encodes *encodes, struct wp_random *random)
{
    const size_t count = count_places(encodes);
    double *needed = wp_allocate(count, 2 * sizeof *needed, "a mask");
    if (!needed)
        return false;
    double *sorted = needed + count;
    for (size_t i = 0; i < count; i++) {
        const double radius = radius_at(encodes, i), drawn = wp_random_uniform(random);
        needed[i] = radius < core ? -1 : drawn / density_at(encodes, radius);
    }
    memcpy(sorted, needed, count * sizeof *needed);
    qsort(sorted, count, sizeof *sorted, compare);
    for (size_t i = 0; i < count; i++)
        encodes->kept[i] = needed[i] <= sorted[encodes->wanted - 1];
    free(needed);
    return true;
}

static size_t wrap(long i, int n)
{
    return (size_t)((i % n + n) % n);
}

// Keeps one place more; false where there are enough.
static bool keep(struct wp_phase_encodes *encodes, size_t place, size_t *count)
{
    *count += !encodes->kept[place];
    encodes->kept[place] = 1;
    return *count < encodes->wanted;
}

// From zero frequency both ways to the border, in steps of half a place. False where there are
// enough places.
static bool keep_spoke(struct wp_phase_encodes *encodes, double angle, size_t *count)
{
    const int width = encodes->size[0], height = encodes->size[1];
    const int steps = width > height ? width : height;
    const double longer = fmax(fabs(cos(angle)), fabs(sin(angle)));
    const double x = cos(angle) / longer * width / 2, y = sin(angle) / longer * height / 2;
    for (int i = 0; i <= steps; i++) {
        for (int side = -1; side <= 1; side += 2) {
            const double part = side * (double)i / steps;
            const size_t at = wrap(lround(part * y), height) * (size_t)width +
                              wrap(lround(part * x), width);
            if (!keep(encodes, at, count))
                return false;
        }
    }
    return true;
}

// Spokes turned by the golden angle each, which are spread evenly however many there are; the last
// one ends where there are enough.
bool wp_keep_spokes(struct wp_phase_encodes *encodes, struct wp_random *random)
{
    const double pi = acos(-1), golden = pi * (sqrt(5) - 1) / 2;
    const int most = 16 * (encodes->size[0] + encodes->size[1]);
    double angle = pi * wp_random_uniform(random);
    size_t count = 0;
    for (int i = 0; i < most && keep_spoke(encodes, angle, &count); i++)
        angle = fmod(angle + golden, pi);
    return true;
}

struct discs {
    struct wp_phase_encodes *encodes;
    size_t *order;   // in which places are tried
    double *density; // at each, or 0 where it is kept in any case
    double farthest; // that two places keep from each other
};

// Of indices that are less than n away from 0 .. n - 1.
static size_t wrap_near(int i, int n)
{
    return (size_t)(i < 0 ? i + n : i >= n ? i - n : i);
}

static bool is_free(const struct wp_phase_encodes *encodes, size_t place, double distance)
{
    const int width = encodes->size[0], height = encodes->size[1];
    const int x = (int)(place % (size_t)width), y = (int)(place / (size_t)width);
    const int reach_x = (int)fmin(distance, width - 1), reach_y = (int)fmin(distance, height - 1);
    for (int dy = -reach_y; dy <= reach_y; dy++) {
        const unsigned char *row = encodes->kept + wrap_near(y + dy, height) * (size_t)width;
        for (int dx = -reach_x; dx <= reach_x; dx++)
            if (dx * dx + dy * dy < distance * distance && row[wrap_near(x + dx, width)])
                return false;
    }
    return true;
}

// Keeps what is at least scale / sqrt(density) away from all that was kept before, until there are
// `most`. How many there are.
static size_t fill_discs(const struct discs *discs, double scale, size_t most)
{
    struct wp_phase_encodes *encodes = discs->encodes;
    const size_t places = count_places(encodes);
    size_t count = 0;
    for (size_t i = 0; i < places; i++)
        count += encodes->kept[i] = discs->density[i] <= 0;
    for (size_t i = 0; i < places && count < most; i++) {
        const size_t place = discs->order[i];
        const double distance = scale / sqrt(discs->density[place]);
        if (!encodes->kept[place] && is_free(encodes, place, fmin(distance, discs->farthest)))
            count += encodes->kept[place] = 1;
    }
    return count;
}

bool wp_keep_discs(struct wp_phase_encodes *encodes, struct wp_random *random)
{
    const size_t places = count_places(encodes);
    struct discs discs = {
        .encodes = encodes,
        .order = wp_allocate(places, sizeof *discs.order, "a mask"),
        .density = wp_allocate(places, sizeof *discs.density, "a mask"),
        .farthest = 3 * sqrt(encodes->rate),
    };
    const bool ok = discs.order && discs.density;
    for (size_t i = 0; ok && i < places; i++) {
        const size_t other = wp_random_below(random, i + 1);
        const double radius = radius_at(encodes, i);
        // Distances on the grid are 1, 1.4, 2 and so on, which would show as rings.
        const double looser = 0.7 + 0.6 * wp_random_uniform(random);
        discs.order[i] = discs.order[other];
        discs.order[other] = i;
        discs.density[i] =
            radius < core ? 0 : fmax(density_at(encodes, radius), 1e-9) * looser * looser;
    }
    double few = discs.farthest, many = 0; // scales that give so
    for (int i = 0; ok && i < 16; i++) {
        const double scale = (few + many) / 2;
        if (fill_discs(&discs, scale, places) < encodes->wanted)
            few = scale;
        else
            many = scale;
    }
    if (ok)
        fill_discs(&discs, many, encodes->wanted);
    free(discs.order);
    free(discs.density);
    return ok;
}
