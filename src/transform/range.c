// How far integers may go in a reversible transform: a float has 24 bits, and the sum that a step
// rounds needs some of them for its fractions.
//
// What a value can be at most follows from the taps of both axes that it is made of, over all levels
// and steps before it, as if none of them rounded, and from the least and the greatest sample. By how
// much rounding moves a value is added to that.
#include "description.h"
#include "log.h"
#include "memory.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double exact = 1 << 24; // the smallest float above which some integers are none

// What the even or the odd values along an axis are made of.
struct response {
    int first, count;
    double *tap;
};

// The sums of its positive and of its negative taps.
struct weight {
    double more, less;
};

static struct weight weigh(const struct response *response)
{
    struct weight weight = {0, 0};
    for (int i = 0; i < response->count; i++)
        *(response->tap[i] > 0 ? &weight.more : &weight.less) += fabs(response->tap[i]);
    return weight;
}

// The size that something has at most that is made of these taps along the axes, of samples within
// such limits.
static double size_of(struct weight y, struct weight x, const double limit[2])
{
    const double more = y.more * x.more + y.less * x.less;
    const double less = y.more * x.less + y.less * x.more;
    return fmax(more * limit[1] - less * limit[0], less * limit[1] - more * limit[0]);
}

// to += c * other, `shift` samples further on. False where memory is short.
static bool add_response(struct response *to, const struct response *other, double c, int shift)
{
    const int low = other->first + shift, high = low + other->count;
    const int first = to->first < low ? to->first : low;
    const int end = to->first + to->count > high ? to->first + to->count : high;
    double *tap = wp_allocate((size_t)(end - first), sizeof *tap, "a filter");
    if (!tap)
        return false;
    memcpy(tap + (to->first - first), to->tap, (size_t)to->count * sizeof *tap);
    for (int i = 0; i < other->count; i++)
        tap[low - first + i] += c * other->tap[i];
    free(to->tap);
    *to = (struct response){first, end - first, tap};
    return true;
}

// What one step makes of values of these sizes, at most, before it rounds.
static double grow(const struct wp_lifting_step *step, const double size[2])
{
    double sum = size[step->odd];
    for (int t = 0; t < step->filter.count; t++)
        sum += fabs(step->filter.tap[t].c) * size[!step->odd];
    return sum;
}

// By how much the rounding of one level moves what comes out of it, both axes taken together.
static double moved_by_level(const struct wp_lifting *lifting)
{
    double moved[2] = {0, 0};
    for (int axis = 0; axis < 2; axis++) {
        moved[0] = moved[1] = fmax(moved[0], moved[1]);
        for (int s = 0; s < lifting->steps; s++)
            moved[lifting->step[s].odd] = grow(&lifting->step[s], moved) + 1;
    }
    return fmax(moved[0], moved[1]);
}

// Even and odd values along an axis: what they are made of, and what that weighed before each step of
// a level and behind the last one.
struct axis {
    struct response part[2];
    struct weight known[WP_STEPS_MAX + 1][2];
};

static bool run_steps(const struct wp_lifting *lifting, int level, struct axis *axis)
{
    for (int s = 0; s <= lifting->steps; s++) {
        for (int odd = 0; odd < 2; odd++)
            axis->known[s][odd] = weigh(&axis->part[odd]);
        const struct wp_lifting_step *step = &lifting->step[s];
        for (int t = 0; s < lifting->steps && t < step->filter.count; t++)
            if (!add_response(&axis->part[step->odd], &axis->part[!step->odd],
                              step->filter.tap[t].c, step->filter.tap[t].k * (2 << level)))
                return false;
    }
    return true;
}

// The factor by which samples within these limits may be multiplied for a step along one axis, where
// the other one has become what is weighed in `beside`.
static double step_room(const struct wp_lifting_step *step, const struct weight known[2],
                        struct weight beside, const double limit[2], double moved)
{
    const double size[] = {size_of(beside, known[0], limit), size_of(beside, known[1], limit)};
    const double moves[] = {moved, moved};
    const int bits = wp_lifting_bits(&step->filter);
    return (ldexp(exact, bits > 0 ? -bits : -1) - grow(step, moves)) / grow(step, size);
}

// The low part of a level is what the next one is made of.
static bool run_levels(const struct wp_lifting *lifting, int levels, struct axis *axis,
                       const double limit[2], double *room)
{
    const double by_level = moved_by_level(lifting);
    double before = 0; // by how much the levels before have moved what goes in
    for (int level = 0; level < levels; level++) {
        const struct weight in = weigh(&axis->part[0]);
        axis->part[1].count = 0;
        axis->part[1].first = axis->part[0].first;
        if (!add_response(&axis->part[1], &axis->part[0], 1, 1 << level) ||
            !run_steps(lifting, level, axis))
            return false;
        const struct weight *out = axis->known[lifting->steps];
        double gain = 1; // of what has moved, along an axis
        for (int s = 0; s < lifting->steps; s++)
            gain *= grow(&lifting->step[s], (const double[]){1, 1});
        const double moved = before * gain + by_level;
        for (int s = 0; s < lifting->steps; s++) {
            const struct weight beside[] = {in, out[0], out[1]};
            for (int b = 0; b < 3; b++)
                *room = fmin(*room, step_room(&lifting->step[s], axis->known[s], beside[b], limit,
                                              moved));
        }
        before += (in.more + in.less) * (in.more + in.less) * by_level;
    }
    return true;
}

double wp_description_headroom(const struct wp_description *d, double least, double greatest)
{
    struct wp_description forward = *d;
    forward.direction = WP_FORWARD;
    const struct wp_lifting lifting = wp_description_lifting(&forward);
    const double limit[] = {fmin(least, 0), fmax(greatest, 0)};
    struct axis *axis = wp_allocate(1, sizeof *axis, "filters");
    double room = exact / fmax(1, fmax(-least, greatest));
    bool ok = axis != NULL;
    for (int odd = 0; ok && odd < 2; odd++) {
        axis->part[odd] = (struct response){0, 1, wp_allocate(1, sizeof(double), "a filter")};
        ok = axis->part[odd].tap != NULL;
        if (ok)
            axis->part[odd].tap[0] = 1;
    }
    ok = ok && run_levels(&lifting, d->levels, axis, limit, &room);
    for (int odd = 0; axis && odd < 2; odd++)
        free(axis->part[odd].tap);
    free(axis);
    return !ok ? -1 : fmax(room, 0);
}

bool wp_description_check_range(const struct wp_description *d, const char *what, double least,
                                double greatest)
{
    const double room = wp_description_headroom(d, least, greatest);
    if (room < 0)
        return false;
    return room >= 1 ||
           wp_fail(WP_ERROR_FILE,
                   "%s: samples from %.0f to %.0f are too large for %d reversible level%s of %s, "
                   "whose sums are exact in floats up to %.0f to %.0f%s",
                   what, least, greatest, d->levels, d->levels == 1 ? "" : "s", d->wavelet->name,
                   -floor(-least * room), floor(greatest * room),
                   d->levels > 1 ? "\nhint: use fewer levels" : "");
}
