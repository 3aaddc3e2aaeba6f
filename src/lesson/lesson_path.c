#include "border.h"
#include "explain.h"
#include "lesson_internal.h"
#include "log.h"
#include "subbands.h"

#include <math.h>
#include <string.h>

// Not / 2, which rounds negative numbers up.
static int half(int i)
{
    return (i - (i & 1)) / 2;
}

// Sets the group and the component of a sample of the level.
static void enter_level(const struct wp_description *d, int level, struct wp_lesson_path *path)
{
    path->component[level] = 0;
    for (int a = 0; a < WP_DIMS_MAX; a++) {
        const int above = path->at[level - 1][a];
        const bool split = wp_border_is_split(d, a, level - 1);
        const int sample = split ? above - wp_lesson_origin(d, a, level) : above;
        path->component[level] |= split ? (sample & 1) << a : 0;
        path->at[level][a] = split ? half(sample) : sample;
    }
}

// The sample of the largest weight in an extended one; for zeros the nearest.
static int find_source(const struct wp_description *d, int axis, int level, int sample)
{
    struct wp_axis_entry entry[WP_LESSON_SOURCES];
    const int n = wp_description_size(d, axis, level - 1);
    const int entries = wp_lesson_extend(d, axis, level, sample, entry);
    int source = sample < 0 ? 0 : sample < n ? sample : n - 1;
    double most = 0;
    for (int e = 0; e < entries; e++) {
        if (fabs(entry[e].weight) > most) {
            most = fabs(entry[e].weight);
            source = entry[e].from;
        }
    }
    return source;
}

// The coefficient at a position of the array.
static bool find_coefficient(const struct wp_description *d, const int position[WP_DIMS_MAX],
                             struct wp_lesson_path *path)
{
    for (int i = 0; i < wp_subband_count(d); i++) {
        const struct wp_subband band = wp_subband_describe(d, i);
        bool inside = true;
        for (int a = 0; a < WP_DIMS_MAX; a++) {
            const int n = position[a] - band.grid.first[a];
            inside = inside && n >= 0 && n < band.grid.size[a];
            path->at[band.level][a] = n;
        }
        path->levels = band.level;
        path->component[band.level] = (int)band.band;
        if (inside)
            return true;
    }
    return d->size[WP_Z] ? wp_fail(WP_ERROR_USAGE, "position %d,%d,%d of the array belongs to no "
                                   "subband", position[WP_X], position[WP_Y], position[WP_Z])
                         : wp_fail(WP_ERROR_USAGE, "position %d,%d of the array belongs to no "
                                   "subband", position[WP_X], position[WP_Y]);
}

// The way back from a coefficient to the samples of level 1, through low bands.
static void leave_levels(const struct wp_description *d, struct wp_lesson_path *path)
{
    for (int level = path->levels; level > 1; level--) {
        path->component[level - 1] = 0;
        for (int a = 0; a < WP_DIMS_MAX; a++) {
            int sample = path->at[level][a];
            if (wp_border_is_split(d, a, level - 1))
                sample = 2 * sample + (path->component[level] >> a & 1) +
                         wp_lesson_origin(d, a, level);
            path->at[level - 1][a] = find_source(d, a, level, sample);
        }
    }
}

// Redundant banks: the same sample at all levels, of one level a component, of the others the low
// band.
static void set_place(const int at[WP_DIMS_MAX], int level, int component,
                      struct wp_lesson_path *path)
{
    const int place[WP_DIMS_MAX] = {at[WP_X], at[WP_Y], at[WP_Z]};
    for (int l = 0; l <= WP_MAX_LEVELS; l++) {
        path->component[l] = l == level ? component : 0;
        memcpy(path->at[l], place, sizeof path->at[l]);
    }
}

static bool check_position(const struct wp_description *d, const int position[WP_DIMS_MAX],
                           bool coefficient)
{
    const int dims = d->size[WP_Z] ? WP_DIMS_MAX : WP_Z;
    int size[WP_DIMS_MAX];
    bool inside = true;
    for (int a = 0; a < dims; a++) {
        size[a] = coefficient ? wp_description_extent(d, a) : wp_description_size(d, a, 0);
        inside = inside && position[a] >= 0 && position[a] < size[a];
    }
    if (inside)
        return true;
    const char *what = coefficient ? "position" : dims == WP_Z ? "pixel" : "voxel";
    const char *where = coefficient ? "array of coefficients" : dims == WP_Z ? "image" : "volume";
    return dims == WP_Z ? wp_fail(WP_ERROR_USAGE, "%s %d,%d is outside the %s (%dx%d)", what,
                                  position[WP_X], position[WP_Y], where, size[WP_X], size[WP_Y])
                        : wp_fail(WP_ERROR_USAGE, "%s %d,%d,%d is outside the %s (%dx%dx%d)", what,
                                  position[WP_X], position[WP_Y], position[WP_Z], where,
                                  size[WP_X], size[WP_Y], size[WP_Z]);
}

bool wp_lesson_path_find(const struct wp_description *d, const int position[WP_DIMS_MAX],
                         struct wp_lesson_path *path)
{
    const bool forward = d->direction == WP_FORWARD;
    const bool redundant = wp_description_is_redundant(d);
    const bool in_array = forward && (redundant || !wp_description_is_native(d));
    const int levels = wp_description_levels(d);
    *path = (struct wp_lesson_path){.levels = levels};
    if (!check_position(d, position, in_array))
        return false;
    memcpy(path->at[0], position, sizeof path->at[0]);
    if (redundant) {
        const bool found = !forward || find_coefficient(d, position, path);
        set_place(path->at[forward ? path->levels : 0], path->levels,
                  path->component[path->levels], path);
        return found;
    }
    if (in_array) {
        const bool found = find_coefficient(d, position, path);
        leave_levels(d, path);
        return found;
    }
    for (int level = 1; level <= levels; level++)
        enter_level(d, level, path);
    for (int level = levels; level > 0 && forward; level--)
        path->levels = path->component[level] ? level : path->levels;
    return true;
}

bool wp_lesson_path_of(const struct wp_description *d, int level, const int at[WP_DIMS_MAX],
                       int component, struct wp_lesson_path *path)
{
    const bool forward = d->direction == WP_FORWARD;
    const int dims = d->size[WP_Z] ? WP_DIMS_MAX : WP_Z, levels = wp_description_levels(d);
    *path = (struct wp_lesson_path){.levels = forward ? level : levels};
    if (wp_description_is_redundant(d)) {
        set_place(at, level, component, path);
        return check_position(d, at, false);
    }
    for (int a = 0; a < dims; a++) {
        const bool split = wp_border_is_split(d, a, level - 1);
        const bool counts = forward && !wp_description_is_native(d);
        const int sample = split ? 2 * at[a] + (component >> a & 1) + wp_lesson_origin(d, a, level)
                                 : at[a];
        const int place = counts ? at[a] : sample;
        if (place < 0 || place >= wp_description_size(d, a, counts ? level : level - 1))
            return wp_fail(WP_ERROR_USAGE, "%s of %s (%d,%d) is beyond the edge, where the %s is "
                           "extended", wp_explain_component(component, dims),
                           wp_explain_vocabulary(dims)->group, at[WP_X], at[WP_Y],
                           dims == WP_Z ? "image" : "volume");
        path->at[level - 1][a] = sample;
        path->at[level][a] = at[a];
    }
    path->component[level] = component;
    if (forward)
        leave_levels(d, path);
    for (int l = level; l <= levels && !forward; l++)
        enter_level(d, l, path);
    return true;
}
