// Planes and batch dimensions of a call. The backends know planes, of one stride: dimensions whose
// strides nest are fused, and the longest one becomes the planes of the plan. Others are loops.
#include "transform_struct.h"

#include <limits.h>
#include <string.h>

enum {
    DIMENSIONS = 1 + WP_BATCH_DIMENSIONS, // planes and the batch
    // The shortest dimension of neighbors that is preferred: it fills vectors, or half of one if
    // planes have so many samples that the overhead of a call does not matter.
    NEIGHBORS = 8,
    PLANE_SAMPLES = 64
};

bool wp_transform_has_batch(const struct wp_transform *t)
{
    bool has = false;
    for (int b = 0; b < WP_BATCH_DIMENSIONS; b++)
        has = has || t->batch[b] > 1;
    return has;
}

void wp_transform_band_sizes(const struct wp_transform *t, int index, struct wp_band_info *info,
                             int size[WP_DIMENSIONS])
{
    wp_transform_get_band(t, index, info);
    wp_transform_sizes(t, true, size);
    size[WP_X] = info->width;
    size[WP_Y] = info->height;
    size[WP_Z] = info->depth;
}

// ---- fusion

// The dimensions of both operands while they are fused. Dimension d of a view has the stride of
// WP_PLANE + d.
struct fusion {
    struct wp_operand *operand[2];
    struct wp_operand *bands; // of one of them, or NULL
    int number, count[DIMENSIONS];
};

static int views_of(const struct fusion *f)
{
    const struct wp_operand *separate = f->operand[f->operand[1]->band != NULL];
    return 2 + (f->bands ? separate->bands : 0);
}

// The strides of a view, from planes on. NULL for a view without samples.
static ptrdiff_t *strides_of(const struct fusion *f, int view)
{
    struct wp_operand *array = view < 2 ? f->operand[view] : &f->bands[view - 2];
    return array->band || !array->strided ? NULL : &array->stride[WP_PLANE];
}

static void remove_dimension(struct fusion *f, int removed)
{
    f->number--;
    for (int d = removed; d < f->number; d++)
        f->count[d] = f->count[d + 1];
    for (int v = 0; v < views_of(f); v++) {
        ptrdiff_t *stride = strides_of(f, v);
        for (int d = removed; stride && d < f->number; d++)
            stride[d] = stride[d + 1];
    }
}

static void swap_dimensions(struct fusion *f, int a, int b)
{
    const int count = f->count[a];
    f->count[a] = f->count[b];
    f->count[b] = count;
    for (int v = 0; v < views_of(f); v++) {
        ptrdiff_t *stride = strides_of(f, v);
        const ptrdiff_t first = stride ? stride[a] : 0;
        if (stride) {
            stride[a] = stride[b];
            stride[b] = first;
        }
    }
}

// Reverses dimensions that no view has in increasing order; entries have no order.
static void reverse_dimension(struct fusion *f, int d)
{
    for (int v = 0; v < views_of(f); v++) {
        const ptrdiff_t *stride = strides_of(f, v);
        if (stride && stride[d] > 0)
            return;
    }
    for (int v = 0; v < views_of(f); v++) {
        ptrdiff_t *stride = strides_of(f, v);
        struct wp_operand *array = v < 2 ? f->operand[v] : &f->bands[v - 2];
        if (stride && array->data)
            array->data = wp_operand_at(array, (f->count[d] - 1) * stride[d]);
        if (stride)
            stride[d] = -stride[d];
    }
}

// Does dimension `outer` continue `inner` in all views?
static bool nests(const struct fusion *f, int inner, int outer)
{
    if (f->count[inner] > INT_MAX / f->count[outer])
        return false;
    for (int v = 0; v < views_of(f); v++) {
        const ptrdiff_t *stride = strides_of(f, v);
        if (stride && stride[outer] != stride[inner] * f->count[inner])
            return false;
    }
    return true;
}

// Fuses a pair of dimensions. False if there is none.
static bool fuse_pair(struct fusion *f)
{
    for (int inner = 0; inner < f->number; inner++) {
        for (int outer = 0; outer < f->number; outer++) {
            if (inner == outer || !nests(f, inner, outer))
                continue;
            f->count[inner] *= f->count[outer];
            remove_dimension(f, outer);
            return true;
        }
    }
    return false;
}

// Are the entries of a dimension neighbors, and the samples of rows not?
static bool has_neighbors(const struct wp_operand *array, int d)
{
    const ptrdiff_t stride = array->stride[WP_PLANE + d];
    return !array->band && array->stride[WP_X] != 1 && (stride == 1 || stride == -1);
}

// The dimension that becomes the planes, each of which has so many samples. `direct`: the backend
// accesses the caller's memory, so that neighbors are better than many planes.
static int planes_of(const struct fusion *f, size_t samples, bool direct)
{
    const int least = samples >= PLANE_SAMPLES ? NEIGHBORS / 2 : NEIGHBORS;
    int longest = 0;
    for (int d = 0; d < f->number; d++) {
        if (direct && f->count[d] >= least &&
            (has_neighbors(f->operand[0], d) || has_neighbors(f->operand[1], d)))
            return d;
        longest = f->count[d] > f->count[longest] ? d : longest;
    }
    return longest;
}

static ptrdiff_t distance(ptrdiff_t stride)
{
    return stride < 0 ? -stride : stride;
}

// The loops over the longest distances in the output are the outer ones.
static void sort_loops(struct fusion *f)
{
    int output = 1;
    while (!strides_of(f, output))
        output++;
    for (int a = 1; a < f->number; a++)
        for (int b = a + 1; b < f->number; b++)
            if (distance(strides_of(f, output)[b]) > distance(strides_of(f, output)[a]))
                swap_dimensions(f, a, b);
}

struct wp_batch_dims wp_batch_dims_fuse(const struct wp_transform *t, struct wp_operand *from,
                                        struct wp_operand *to)
{
    struct wp_batch_dims dims = {.planes = t->planes};
    struct fusion f = {.operand = {from, to},
                       .bands = from->band || to->band ? t->bands : NULL,
                       .number = DIMENSIONS,
                       .count = {t->planes}};
    if (!wp_transform_has_batch(t))
        return dims;
    for (int b = 0; b < WP_BATCH_DIMENSIONS; b++)
        f.count[1 + b] = t->batch[b];
    for (int d = DIMENSIONS - 1; d >= 0; d--) {
        if (f.count[d] == 1)
            remove_dimension(&f, d);
        else
            reverse_dimension(&f, d);
    }
    while (fuse_pair(&f))
        continue;
    swap_dimensions(&f, 0, planes_of(&f, wp_description_samples(&t->description),
                                     t->choice.backend->transform != NULL));
    sort_loops(&f);
    dims.planes = f.count[0];
    dims.loops = f.number - 1;
    for (int i = 0; i < dims.loops; i++)
        dims.count[i] = f.count[1 + i];
    return dims;
}

// ---- execution

// The operand of an entry of the loops.
static struct wp_operand entry_of(const struct wp_batch_dims *dims, const int entry[],
                                  const struct wp_operand *operand, struct wp_operand *bands)
{
    struct wp_operand at = *operand;
    for (int i = 0; i < dims->loops; i++)
        at = wp_operand_advance(&at, WP_BATCH + i, entry[i], bands);
    return at;
}

// The next entry of the loops. False after the last one.
static bool advance(const struct wp_batch_dims *dims, int entry[])
{
    for (int i = dims->loops - 1; i >= 0; i--) {
        if (++entry[i] < dims->count[i])
            return true;
        entry[i] = 0;
    }
    return false;
}

bool wp_batch_dims_run(const struct wp_batch_dims *dims, const struct wp_transform *t,
                       const struct wp_operand *from, const struct wp_operand *to,
                       struct wp_execution *execution)
{
    const int bands = from->band ? from->bands : to->band ? to->bands : 0;
    struct wp_operand *entry_bands = bands ? t->bands + bands : NULL;
    int entry[WP_BATCH_DIMENSIONS] = {0};
    bool ok = true;
    do {
        const struct wp_operand in = entry_of(dims, entry, from, entry_bands);
        const struct wp_operand out = entry_of(dims, entry, to, entry_bands);
        ok = t->plan->kind->apply(t->plan, &in, &out, execution);
    } while (ok && advance(dims, entry));
    return ok;
}

void wp_batch_dims_print(const struct wp_batch_dims *dims, const struct wp_plan *plan,
                         struct wp_text *text)
{
    if (dims->loops == 0) {
        wp_plan_print(plan, 0, text);
        return;
    }
    wp_text_add(text, "(loop over the batch: %d", dims->count[0]);
    for (int i = 1; i < dims->loops; i++)
        wp_text_add(text, " x %d", dims->count[i]);
    wp_text_add(text, "\n");
    wp_plan_print(plan, 2, text);
    wp_text_add(text, ")");
}
