// The range of integers in reversible transforms. A float has 24 bits, and the sum that a step
// rounds needs some of them for fractions.
//
// The maximum absolute value is derived from the taps along both axes, over all previous levels and
// steps without rounding, and from the smallest and the largest sample. The maximum rounding error
// is added.
#include "description.h"
#include "log.h"
#include "memory.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double exact = 1 << 24; // all integers up to this are exact in floats

// The impulse response of even or odd values along an axis, in samples.
struct response {
    int first, count;
    double *tap;
};

// The sums of the positive taps and of the absolute values of the negative taps.
struct weight {
    double positive, negative;
};

static struct weight weigh(const struct response *response)
{
    struct weight weight = {0, 0};
    for (int i = 0; i < response->count; i++)
        *(response->tap[i] > 0 ? &weight.positive : &weight.negative) += fabs(response->tap[i]);
    return weight;
}

// The maximum absolute value of a 2-D response, for samples between limit[0] and limit[1].
static double size_of(struct weight y, struct weight x, const double limit[2])
{
    const double positive = y.positive * x.positive + y.negative * x.negative;
    const double negative = y.positive * x.negative + y.negative * x.positive;
    return fmax(positive * limit[1] - negative * limit[0],
                negative * limit[1] - positive * limit[0]);
}

// to += c * other, shifted by `shift` samples. False if memory is exhausted.
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

// The maximum absolute value after one step, before rounding, for values of these sizes.
static double grow(const struct wp_lifting_step *step, const double size[2])
{
    double sum = size[step->odd];
    for (int t = 0; t < step->filter.count; t++)
        sum += fabs(step->filter.tap[t].c) * size[!step->odd];
    return sum;
}

// The maximum rounding error that one level adds, along both axes.
static double level_error(const struct wp_lifting *lifting)
{
    double error[2] = {0, 0};
    for (int axis = 0; axis < 2; axis++) {
        error[0] = error[1] = fmax(error[0], error[1]);
        for (int s = 0; s < lifting->steps; s++)
            error[lifting->step[s].odd] = grow(&lifting->step[s], error) + 1;
    }
    return fmax(error[0], error[1]);
}

// Even and odd values along an axis: their responses, and the weights of these before each step of
// a level and after the last one.
struct axis {
    struct response part[2];
    struct weight weight[WP_STEPS_MAX + 1][2];
};

static bool run_steps(const struct wp_lifting *lifting, int level, struct axis *axis)
{
    for (int s = 0; s <= lifting->steps; s++) {
        for (int odd = 0; odd < 2; odd++)
            axis->weight[s][odd] = weigh(&axis->part[odd]);
        const struct wp_lifting_step *step = &lifting->step[s];
        for (int t = 0; s < lifting->steps && t < step->filter.count; t++)
            if (!add_response(&axis->part[step->odd], &axis->part[!step->odd],
                              step->filter.tap[t].c, step->filter.tap[t].k * (2 << level)))
                return false;
    }
    return true;
}

// The factor by which samples within these limits may be multiplied for a step along one axis, if
// the response along the other axis has the weight `other`.
static double step_headroom(const struct wp_lifting_step *step, const struct weight weight[2],
                            struct weight other, const double limit[2], double error)
{
    const double size[] = {size_of(other, weight[0], limit), size_of(other, weight[1], limit)};
    const double errors[] = {error, error};
    const int bits = wp_lifting_bits(&step->filter);
    return (ldexp(exact, bits > 0 ? -bits : -1) - grow(step, errors)) / grow(step, size);
}

// The input of a level is the low band of the previous one.
static bool run_levels(const struct wp_lifting *lifting, int levels, struct axis *axis,
                       const double limit[2], double *headroom)
{
    const double added_error = level_error(lifting);
    double before = 0; // error of the input from previous levels
    for (int level = 0; level < levels; level++) {
        const struct weight in = weigh(&axis->part[0]);
        axis->part[1].count = 0;
        axis->part[1].first = axis->part[0].first;
        if (!add_response(&axis->part[1], &axis->part[0], 1, 1 << level) ||
            !run_steps(lifting, level, axis))
            return false;
        const struct weight *out = axis->weight[lifting->steps];
        double gain = 1; // of that error, along one axis
        for (int s = 0; s < lifting->steps; s++)
            gain *= grow(&lifting->step[s], (const double[]){1, 1});
        const double error = before * gain + added_error;
        for (int s = 0; s < lifting->steps; s++) {
            const struct weight other[] = {in, out[0], out[1]};
            for (int b = 0; b < 3; b++)
                *headroom = fmin(*headroom, step_headroom(&lifting->step[s], axis->weight[s],
                                                          other[b], limit, error));
        }
        before += (in.positive + in.negative) * (in.positive + in.negative) * added_error;
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
    double headroom = exact / fmax(1, fmax(-least, greatest));
    bool ok = axis != NULL;
    for (int odd = 0; ok && odd < 2; odd++) {
        axis->part[odd] = (struct response){0, 1, wp_allocate(1, sizeof(double), "a filter")};
        ok = axis->part[odd].tap != NULL;
        if (ok)
            axis->part[odd].tap[0] = 1;
    }
    ok = ok && run_levels(&lifting, d->levels, axis, limit, &headroom);
    for (int odd = 0; axis && odd < 2; odd++)
        free(axis->part[odd].tap);
    free(axis);
    return !ok ? -1 : fmax(headroom, 0);
}

bool wp_description_check_range(const struct wp_description *d, const char *label, double least,
                                double greatest)
{
    const double headroom = wp_description_headroom(d, least, greatest);
    if (headroom < 0)
        return false;
    return headroom >= 1 ||
           wp_fail(WP_ERROR_FILE,
                   "%s: samples from %.0f to %.0f are too large for %d reversible level%s of %s, "
                   "which are exact in floats from %.0f to %.0f%s",
                   label, least, greatest, d->levels, d->levels == 1 ? "" : "s", d->wavelet->name,
                   -floor(-least * headroom), floor(greatest * headroom),
                   d->levels > 1 ? "\nhint: use fewer levels" : "");
}
