#include "reference_volume.h"

#include "memory.h"

#include <stdlib.h>

// The distance of samples along each axis.
static void find_steps(const struct wp_description *d, ptrdiff_t step[WP_DIMS_MAX])
{
    step[WP_X] = 1;
    step[WP_Y] = d->size[WP_X];
    step[WP_Z] = (ptrdiff_t)d->size[WP_X] * d->size[WP_Y];
}

static int larger(int a, int b)
{
    return a > b ? a : b;
}

// Number of pairs of the longest axis, with its extension.
static size_t pairs_of_line(const struct wp_reference_volume *v)
{
    const struct wp_description *d = &v->description;
    const int longest = larger(larger(d->size[WP_X], d->size[WP_Y]), wp_description_depth(d));
    return (size_t)(longest / 2 + 1 + v->lifting.before + v->lifting.after);
}

bool wp_reference_volume_create(const struct wp_description *d, struct wp_reference_volume *v)
{
    *v = (struct wp_reference_volume){.description = *d, .lifting = wp_description_lifting(d)};
    v->value = wp_allocate(wp_description_samples(d), sizeof *v->value, "a volume");
    v->line = wp_allocate(pairs_of_line(v), 2 * sizeof *v->line, "a line of a volume");
    if (v->value && v->line)
        return true;
    wp_reference_volume_destroy(v);
    return false;
}

void wp_reference_volume_destroy(struct wp_reference_volume *v)
{
    free(v->value);
    free(v->line);
    *v = (struct wp_reference_volume){0};
}

// Copies a band of a level, or the samples, between the operand and the array.
static void exchange_band(const struct wp_reference_volume *v, const struct wp_operand *operand,
                          int level, int band, bool load)
{
    struct wp_description mallat = v->description;
    mallat.layout = WP_LAYOUT_MALLAT;
    const struct wp_operand view =
        wp_operand_band(&v->description, operand, level, (enum wp_band)band, 0);
    const struct wp_band_grid grid = wp_description_band(&mallat, level, (enum wp_band)band);
    ptrdiff_t step[WP_DIMS_MAX];
    find_steps(&v->description, step);
    for (int z = 0; z < grid.size[WP_Z]; z++) {
        for (int y = 0; y < grid.size[WP_Y]; y++) {
            float *samples =
                wp_operand_at(&view, z * view.stride[WP_Z] + y * view.stride[WP_Y]);
            double *values = v->value + (grid.first[WP_Z] + z) * step[WP_Z] +
                           (grid.first[WP_Y] + y) * step[WP_Y] + grid.first[WP_X];
            for (int x = 0; x < grid.size[WP_X]; x++) {
                if (load)
                    values[x] = (double)samples[x * view.stride[WP_X]];
                else
                    samples[x * view.stride[WP_X]] = (float)values[x];
            }
        }
    }
}

static void exchange(const struct wp_reference_volume *v, const struct wp_operand *operand,
                     bool load)
{
    const struct wp_description *d = &v->description;
    const int levels = wp_description_levels(d);
    if (levels == 0 || load == (d->direction == WP_FORWARD)) {
        exchange_band(v, operand, 0, WP_BAND_LL, load);
        return;
    }
    for (int i = 0; i < wp_subband_count(d); i++) {
        enum wp_band band;
        const int level = wp_subband_at(d, i, &band);
        exchange_band(v, operand, level, (int)band, load);
    }
}

void wp_reference_volume_load(struct wp_reference_volume *v, const struct wp_operand *from)
{
    exchange(v, from, true);
}

void wp_reference_volume_store(const struct wp_reference_volume *v, const struct wp_operand *to)
{
    exchange(v, to, false);
}

// Position of sample i along an axis: in order, or split into even samples and then odd ones.
static ptrdiff_t position_of(int i, int n, bool split)
{
    return !split ? i : i % 2 ? n - n / 2 + i / 2 : i / 2;
}

// One level of a line of n samples.
static void lift_line(const struct wp_reference_volume *v, double *data, ptrdiff_t step, int n)
{
    const struct wp_lifting *lifting = &v->lifting;
    const bool forward = lifting->direction == WP_FORWARD;
    const int pairs = n / 2 + n % 2;
    double *line = v->line + 2 * (ptrdiff_t)lifting->before;
    for (int i = -2 * lifting->before; i < 2 * (pairs + lifting->after); i++) {
        const int index = wp_extend(lifting->extension, i, n);
        line[i] = index < 0 ? 0 : data[position_of(index, n, !forward) * step];
        line[i] *= forward ? 1 : lifting->gain[i & 1];
    }
    for (int s = 0; s < lifting->steps; s++) {
        const struct wp_lifting_step *rule = &lifting->step[s];
        for (int q = -rule->before; q < pairs + rule->after; q++)
            for (int t = 0; t < rule->filter.count; t++)
                line[2 * q + rule->odd] +=
                    rule->filter.tap[t].c * line[2 * (q + rule->filter.tap[t].k) + !rule->odd];
    }
    for (int i = 0; i < n; i++)
        data[position_of(i, n, forward) * step] = line[i] * (forward ? lifting->gain[i & 1] : 1);
}

// Lifts all lines along an axis of the low band that is the input of level l (from 0).
static void lift_axis(const struct wp_reference_volume *v, int l, int axis)
{
    const struct wp_description *d = &v->description;
    const int n = wp_description_size(d, axis, l);
    const int a = (axis + 1) % WP_DIMS_MAX, b = (axis + 2) % WP_DIMS_MAX;
    ptrdiff_t step[WP_DIMS_MAX];
    find_steps(d, step);
    for (int i = 0; n > 1 && i < wp_description_size(d, a, l); i++)
        for (int k = 0; k < wp_description_size(d, b, l); k++)
            lift_line(v, v->value + i * step[a] + k * step[b], step[axis], n);
}

void wp_reference_volume_run(struct wp_reference_volume *v)
{
    const struct wp_description *d = &v->description;
    const int levels = wp_description_levels(d);
    const bool forward = d->direction == WP_FORWARD;
    for (int i = 0; i < levels; i++) {
        const int l = forward ? i : levels - 1 - i;
        for (int k = 0; k < WP_DIMS_MAX; k++) {
            const int axis = forward ? k : WP_DIMS_MAX - 1 - k;
            if (wp_description_axes(d, l + 1) >> axis & 1)
                lift_axis(v, l, axis);
        }
    }
}
