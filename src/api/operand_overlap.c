// Operands that share memory: the output must not overwrite input that is read later.
#include "elements.h"
#include "log.h"
#include "transform_struct.h"

#include <limits.h>
#include <string.h>

enum { ENTRIES_COMPARED = 1 << 16 }; // differences of entries of which each is checked

// A view of an operand: the array, or that of a band.
struct view {
    struct wp_operand array;
    int size[WP_DIMENSIONS];
};

static int views_of(const struct wp_operand *operand)
{
    return operand->band ? operand->bands : 1;
}

// False if the view has no samples.
static bool view_at(const struct wp_transform *t, const struct wp_operand *operand,
                    bool coefficients, int index, struct view *view)
{
    struct wp_band_info info;
    wp_transform_sizes(t, coefficients, view->size);
    if (operand->band)
        wp_transform_band_sizes(t, index, &info, view->size);
    view->array = operand->band ? operand->band[index] : *operand;
    return view->size[WP_X] > 0 && view->size[WP_Y] > 0 && view->size[WP_Z] > 0;
}

// Reduces a view to one plane of one entry.
static void select_entry(struct view *view, const int entry[WP_DIMENSIONS])
{
    ptrdiff_t at = 0;
    for (int a = WP_PLANE; a < WP_DIMENSIONS; a++) {
        at += entry[a] * view->array.stride[a];
        view->size[a] = 1;
    }
    view->array.data = wp_operand_at(&view->array, at);
}

// Do all samples of two operands (`from_entry` NULL), or those of two entries, share memory?
static bool shares(const struct wp_transform *t, const struct wp_operand *from,
                   const int *from_entry, const struct wp_operand *to, const int *to_entry)
{
    const bool forward = t->description.direction == WP_FORWARD;
    for (int i = 0; i < views_of(from); i++) {
        for (int k = 0; k < views_of(to); k++) {
            struct view a, b;
            if (!view_at(t, from, !forward, i, &a) || !view_at(t, to, forward, k, &b))
                continue;
            if (from_entry) {
                select_entry(&a, from_entry);
                select_entry(&b, to_entry);
            }
            if (!wp_operands_are_apart(&a.array, a.size, &b.array, b.size))
                return true;
        }
    }
    return false;
}

// Are both the same array? Its samples are then only shared with themselves.
static bool are_same(const int size[WP_DIMENSIONS], const struct wp_operand *from,
                     const struct wp_operand *to)
{
    bool same = !from->band && !to->band && from->data == to->data && from->type == to->type;
    for (int a = 0; a < WP_DIMENSIONS; a++)
        same = same && (size[a] < 2 || from->stride[a] == to->stride[a]);
    return same;
}

// Do all views have the strides of the first one, along planes and the batch?
static bool are_parallel(const struct wp_transform *t, const struct wp_operand *from,
                         const struct wp_operand *to)
{
    const struct wp_operand *const both[] = {from, to};
    struct view first = {.size = {0}}, view;
    bool any = false;
    const bool forward = t->description.direction == WP_FORWARD;
    for (int o = 0; o < 2; o++) {
        for (int i = 0; i < views_of(both[o]); i++) {
            if (!view_at(t, both[o], o == forward, i, &view))
                continue;
            first = any ? first : view;
            any = true;
            for (int a = WP_PLANE; a < WP_DIMENSIONS; a++)
                if (view.size[a] > 1 && view.array.stride[a] != first.array.stride[a])
                    return false;
        }
    }
    return true;
}

// ---- planes

// Planes are transformed in order: the output of one must not overwrite the input of a later one.
static bool check_planes(const struct wp_transform *t, const struct wp_operand *from,
                         const struct wp_operand *to)
{
    // If strides are equal, only the difference of two planes matters.
    const int firsts = are_parallel(t, from, to) ? 1 : t->planes - 1;
    for (int p = 0; p < firsts; p++) {
        for (int later = p + 1; later < t->planes; later++) {
            const int in[WP_DIMENSIONS] = {[WP_PLANE] = later};
            const int out[WP_DIMENSIONS] = {[WP_PLANE] = p};
            if (shares(t, from, in, to, out))
                return wp_fail(WP_ERROR_USAGE, "the output of plane %d would overwrite the input "
                               "of plane %d, which is read later", p + 1, later + 1);
        }
    }
    return true;
}

// ---- batches, whose entries are transformed in any order

// True if entries certainly do not share memory, since the samples of one, input and output, are
// between those of its neighbors. `from` and `to` are parallel.
static bool entries_are_apart(const struct wp_transform *t, const struct wp_operand *from,
                              const struct wp_operand *to)
{
    const struct wp_operand *const both[] = {from, to};
    static const int none[WP_DIMENSIONS];
    const bool forward = t->description.direction == WP_FORWARD;
    struct wp_operand_extent all = {UINTPTR_MAX, 0};
    struct view view;
    for (int o = 0; o < 2; o++) {
        for (int i = 0; i < views_of(both[o]); i++) {
            struct wp_operand_extent extent;
            if (!view_at(t, both[o], o == forward, i, &view))
                continue;
            select_entry(&view, none);
            if (!wp_operand_extent(&view.array, view.size, &extent))
                return false;
            all.first = extent.first < all.first ? extent.first : all.first;
            all.end = extent.end > all.end ? extent.end : all.end;
        }
    }
    const uintptr_t samples = (all.end - all.first) / wp_elements[from->type].bytes;
    if (samples > INT_MAX || !view_at(t, to, forward, 0, &view))
        return false;
    view.array.stride[WP_X] = 1;
    view.size[WP_X] = (int)samples;
    view.size[WP_Y] = view.size[WP_Z] = 1;
    return wp_operand_is_sound(&view.array, view.size);
}

// Differences of two entries, of -extent + 1 to extent - 1 along each dimension; 0: too many.
static int count_differences(const int size[WP_DIMENSIONS])
{
    long long count = 1;
    for (int a = WP_PLANE; a < WP_DIMENSIONS; a++)
        count = count > ENTRIES_COMPARED ? count : count * (2LL * size[a] - 1);
    return count > ENTRIES_COMPARED ? 0 : (int)count;
}

// Entries of input and output that differ by difference number `i`.
static void entries_at(const int size[WP_DIMENSIONS], int i, int in[WP_DIMENSIONS],
                       int out[WP_DIMENSIONS])
{
    for (int a = WP_PLANE; a < WP_DIMENSIONS; a++) {
        const int values = 2 * size[a] - 1, difference = i % values - (size[a] - 1);
        in[a] = difference > 0 ? difference : 0;
        out[a] = difference < 0 ? -difference : 0;
        i /= values;
    }
}

static bool check_batch(const struct wp_transform *t, const int size[WP_DIMENSIONS],
                        const struct wp_operand *from, const struct wp_operand *to)
{
    const char *why = "their strides along planes or the batch differ";
    if (are_parallel(t, from, to)) {
        const int differences = count_differences(size);
        if (entries_are_apart(t, from, to))
            return true;
        bool apart = differences > 0;
        for (int i = 0; i < differences && apart; i++) {
            int in[WP_DIMENSIONS] = {0}, out[WP_DIMENSIONS] = {0};
            entries_at(size, i, in, out);
            apart = memcmp(in, out, sizeof in) == 0 || !shares(t, from, in, to, out);
        }
        if (apart)
            return true;
        why = differences > 0 ? "the output of one entry would overwrite the input of another"
                              : "their entries cannot be told apart";
    }
    return wp_fail(WP_ERROR_USAGE, "the input and the output of a batch share memory: %s", why);
}

bool wp_transform_check_overlap(const struct wp_transform *t, const struct wp_operand *from,
                                const struct wp_operand *to)
{
    const enum wp_element type = from->type == WP_ELEMENT_F32 ? to->type : from->type;
    const bool batch = wp_transform_has_batch(t);
    // Operands of one type, f32 or, in the host's memory, f64, may overlap.
    const bool same = from->type == to->type &&
                      (type == WP_ELEMENT_F32 ||
                       (type == WP_ELEMENT_F64 && from->location == WP_LOCATION_HOST));
    int size[WP_DIMENSIONS];
    wp_transform_sizes(t, false, size);
    if ((t->planes == 1 && !batch && same) || !shares(t, from, NULL, to, NULL))
        return true;
    if (!same)
        return wp_fail(WP_ERROR_USAGE, "samples of type %s and the other operand share memory",
                       wp_elements[type].name);
    int others[WP_DIMENSIONS];
    wp_transform_sizes(t, true, others);
    return (memcmp(size, others, sizeof size) == 0 && are_same(size, from, to)) ||
           (batch ? check_batch(t, size, from, to) : check_planes(t, from, to));
}
