// The tables of maps along axes, and the arguments of their kernel.
#include "cuda_axis_map.h"

#include "axis_map.h"

// Rows that are sums, and their entries.
static size_t sums_of(const struct wp_axis_map *map)
{
    return (size_t)(map->to - map->count);
}

static size_t entries_of(const struct wp_axis_map *map)
{
    return sums_of(map) > 0 ? (size_t)map->begin[sums_of(map)] : 0;
}

// The tables of all axes are in one allocation: the entries, then the members `begin`.
struct tables {
    struct wp_cuda_axis_entry *entry;
    int *begin;
};

// Where the members `begin` are in the allocation, and its size, in bytes.
struct sizes {
    size_t begin, all;
};

static struct sizes sizes_of(const struct wp_axis_maps *maps)
{
    size_t entries = 0, begins = 0;
    for (int a = 0; a < WP_DIMS_MAX; a++) {
        const struct wp_axis_map *map = &maps->axis[a];
        entries += entries_of(map);
        begins += sums_of(map) > 0 ? sums_of(map) + 1 : 0;
    }
    const size_t first = entries * sizeof(struct wp_cuda_axis_entry);
    return (struct sizes){first, first + begins * sizeof(int)};
}

static struct tables tables_at(const struct wp_axis_maps *maps, void *memory)
{
    return (struct tables){memory, (int *)(void *)((char *)memory + sizes_of(maps).begin)};
}

// Advances to the tables of the next axis.
static void next_tables(struct tables *tables, const struct wp_axis_map *map)
{
    tables->entry += entries_of(map);
    tables->begin += sums_of(map) > 0 ? sums_of(map) + 1 : 0;
}

size_t wp_cuda_map_bytes(const struct wp_axis_maps *maps)
{
    return sizes_of(maps).all;
}

void wp_cuda_map_write(const struct wp_axis_maps *maps, void *memory)
{
    struct tables t = tables_at(maps, memory);
    for (int a = 0; a < WP_DIMS_MAX; a++) {
        const struct wp_axis_map *map = &maps->axis[a];
        for (size_t e = 0; e < entries_of(map); e++)
            t.entry[e] =
                (struct wp_cuda_axis_entry){map->entry[e].from, map->entry[e].weight};
        for (size_t i = 0; sums_of(map) > 0 && i <= sums_of(map); i++)
            t.begin[i] = map->begin[i];
        next_tables(&t, map);
    }
}

// Sorts the axes other than x by length, the longest first, so that the rows of a block are along
// that one: planes for signals.
static void sort_axes(struct wp_cuda_axis axis[WP_CUDA_MAP_AXES])
{
    for (int a = 2; a < WP_CUDA_MAP_AXES; a++)
        for (int b = a; b > 1 && axis[b].to > axis[b - 1].to; b--) {
            const struct wp_cuda_axis shorter = axis[b - 1];
            axis[b - 1] = axis[b];
            axis[b] = shorter;
        }
}

struct wp_cuda_map wp_cuda_map_make(const struct wp_axis_maps *maps, const struct wp_operand *from,
                                    const struct wp_operand *to)
{
    const struct wp_operand *integers = wp_elements[from->type].largest > 0 ? from : to;
    struct tables t = {0}; // without sums there are none
    if (maps->on_device)
        t = tables_at(maps, maps->on_device);
    struct wp_cuda_map map = {
        .from = from->data,
        .to = to->data,
        .from_type = from->type,
        .to_type = to->type,
        .scale = wp_operand_scale(integers, false),
    };
    for (int a = 0; a < WP_DIMS_MAX; a++) {
        const struct wp_axis_map *axis = &maps->axis[a];
        map.axis[a] = (struct wp_cuda_axis){
            axis->to, axis->run, axis->count,     axis->source,
            t.begin,  t.entry,   from->stride[a], to->stride[a],
        };
        if (maps->on_device)
            next_tables(&t, axis);
    }
    map.axis[WP_PLANE] = (struct wp_cuda_axis){
        maps->planes, 0, maps->planes, 0, NULL, NULL, from->stride[WP_PLANE], to->stride[WP_PLANE],
    };
    sort_axes(map.axis);
    return map;
}
