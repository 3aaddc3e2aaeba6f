#include "cpu_axis.h"

#include "border.h"
#include "memory.h"

#include <stdlib.h>

static bool allocate(struct wp_cpu_sums *sums, int count, int entries)
{
    sums->to = wp_allocate((size_t)count + 1, sizeof *sums->to, "the ends of an axis");
    sums->begin = wp_allocate((size_t)count + 1, sizeof *sums->begin, "the ends of an axis");
    sums->entry = wp_allocate((size_t)entries + 1, sizeof *sums->entry, "the ends of an axis");
    return sums->to && sums->begin && sums->entry;
}

static void add(struct wp_cpu_sums *sums, int to, const struct wp_axis_entry *entry, int entries,
                int origin)
{
    const int begin = sums->begin[sums->count];
    sums->to[sums->count] = to;
    for (int e = 0; e < entries; e++)
        sums->entry[begin + e] =
            (struct wp_axis_entry){entry[e].from + origin, entry[e].weight};
    sums->begin[++sums->count] = begin + entries;
}

// The samples or coefficients that are read, of a level as a transform of `size` samples, of which
// the first one is at position `start`. `map`: forward, to these; NULL: the extension of the steps.
struct source {
    const struct wp_axis_map *map;
    enum wp_extension extension;
    bool forward;
    int size, start;
};

// Adds a position that is read, and is neither sample nor coefficient itself.
static void add_beyond(struct wp_cpu_axis *axis, const struct source *s, int position)
{
    const int begin = wp_cpu_axis_begin(axis, s->forward);
    const int end = begin + wp_cpu_axis_count(axis, s->forward);
    const int at = wp_extend(s->extension, position - s->start, s->size);
    struct wp_axis_entry one = {at + s->start, 1};
    const struct wp_axis_entry *entry = &one;
    int entries = at >= 0 && one.from >= begin && one.from < end, origin = 0;
    if (s->map) {
        entries = wp_axis_map_row(s->map, at, &entry, &one);
        origin = axis->origin;
    }
    add(&axis->beyond, position, entry, entries, origin);
}

static bool set_beyond(struct wp_cpu_axis *axis, const struct source *source)
{
    enum { ENTRIES_MOST = 3 }; // of a row of an extension
    const int first = -2 * axis->before, end = 2 * (axis->quads + axis->after);
    const int begin = wp_cpu_axis_begin(axis, source->forward);
    const int after = begin + wp_cpu_axis_count(axis, source->forward);
    const int count = begin - first + end - after;
    if (!allocate(&axis->beyond, count, ENTRIES_MOST * count))
        return false;
    for (int position = first; position < begin; position++)
        add_beyond(axis, source, position);
    for (int position = after; position < end; position++)
        add_beyond(axis, source, position);
    return true;
}

// `map`: of positions to samples.
static bool set_folded(struct wp_cpu_axis *axis, const struct wp_axis_map *map)
{
    const int sums = map->to - map->count;
    if (!allocate(&axis->folded, sums, map->begin[sums]))
        return false;
    for (int i = 0; i < sums; i++)
        add(&axis->folded, axis->origin + (i < map->run ? i : i + map->count),
            map->entry + map->begin[i], map->begin[i + 1] - map->begin[i], 0);
    axis->run[0] = axis->origin + map->run;
    axis->run[1] = axis->run[0] + map->count;
    return true;
}

// A level with a border that is not native. Forward only the quads whose coefficients are taken are
// needed; what is read before and after them is periodic, as in a transform of all.
static bool set_border(struct wp_cpu_axis *axis, const struct wp_description *d, int level,
                       int number)
{
    const struct wp_border_axis border = wp_border_axis(d, number, level);
    const bool forward = d->direction == WP_FORWARD;
    struct wp_axis_map map = {0};
    bool ok = wp_border_map(&map, d, number, level);
    const int skipped = forward ? 2 * border.first : 0;
    axis->origin = -border.shift - skipped;
    axis->coefficients[0] = axis->coefficients[1] = wp_description_size(d, number, level + 1);
    axis->first = forward ? 0 : border.first;
    axis->quads = forward ? axis->coefficients[0] : border.size / 2;
    ok = ok && set_beyond(axis, &(struct source){forward ? &map : NULL, WP_EXTEND_WRAP, forward,
                                                 border.size, -skipped});
    ok = ok && (forward || set_folded(axis, &map));
    wp_axis_map_free(&map);
    return ok;
}

bool wp_cpu_axis_set(struct wp_cpu_axis *axis, const struct wp_description *d, int level,
                     int number, enum wp_extension extension)
{
    const bool is_native = wp_description_taps(d) == 0, forward = d->direction == WP_FORWARD;
    axis->size = wp_description_size(d, number, level);
    if (!is_native && wp_border_is_split(d, number, level))
        return set_border(axis, d, level, number);
    axis->coefficients[0] = axis->quads = axis->size / 2 + axis->size % 2;
    axis->coefficients[1] = axis->size / 2;
    axis->run[1] = axis->size;
    return axis->size == 1 ||
           set_beyond(axis, &(struct source){NULL, extension, forward, axis->size, 0});
}

static void free_sums(struct wp_cpu_sums *sums)
{
    free(sums->to);
    free(sums->begin);
    free(sums->entry);
}

void wp_cpu_axis_free(struct wp_cpu_axis *axis)
{
    free_sums(&axis->beyond);
    free_sums(&axis->folded);
}
