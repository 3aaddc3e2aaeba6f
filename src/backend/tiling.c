#include "tiling.h"

#include "min_max.h"

// Several levels per group if margins are at most 1/32 of a tile.
enum { MARGIN_SHARE = 32 };

// What a plan depends on.
struct problem {
    const struct wp_description *description;
    const int *tile_size;
    int before, after; // pairs that a level reads before and after a pair
    bool wraps;
};

// Samples next to an artificial border that become inexact in `levels` levels that read `pairs`
// pairs beyond a quad; inexact output of a level is input of the next. A multiple of 2^levels.
static int inexact(int pairs, int levels)
{
    int inexact = 0;
    for (int l = 0; l < levels; l++)
        inexact = (inexact + 1) / 2 + pairs;
    return inexact << levels;
}

// Divides an axis of a group into the minimum number of tiles, of minimum length. False if margins
// are too large for that.
static bool tile_axis(const struct problem *p, int axis, int size, int levels,
                      struct wp_tiling *tiling)
{
    const int unit = 1 << levels, tile_size = p->tile_size[axis] / unit * unit;
    *tiling = (struct wp_tiling){
        .size = size, .count = 1, .tile_size = size, .unit = unit, .wraps = p->wraps};
    if (size <= p->tile_size[axis])
        return true;
    tiling->before = inexact(p->before, levels);
    tiling->after = inexact(p->after, levels);
    const int margins = tiling->before + tiling->after, max_core = tile_size - margins;
    // Periodic extension needs margins at both ends of the image as well.
    const int exact = p->wraps ? size : size - margins;
    if (max_core <= margins)
        return false;
    tiling->count = wp_divide_up(exact, max_core);
    tiling->tile_size = margins + wp_round_up(wp_divide_up(exact, tiling->count), unit);
    return true;
}

static bool tile_group(const struct problem *p, int level, int levels, struct wp_tile_group *group)
{
    *group = (struct wp_tile_group){.level = level, .levels = levels};
    for (int a = 0; a < WP_TILING_AXES; a++)
        if (!tile_axis(p, a, wp_level_size(p->description->size[a], level), levels,
                       &group->tiling[a]))
            return false;
    return true;
}

static bool is_narrow(const struct problem *p, const struct wp_tile_group *group)
{
    for (int a = 0; a < WP_TILING_AXES; a++) {
        const struct wp_tiling *tiling = &group->tiling[a];
        const int margins = tiling->before + tiling->after;
        if (tiling->count > 1 && MARGIN_SHARE * wp_max(margins, tiling->unit) > p->tile_size[a])
            return false;
    }
    return true;
}

// Groups a level with the following ones, as long as margins are small.
static bool plan_group(const struct problem *p, int level, struct wp_tile_group *group)
{
    struct wp_tile_group more;
    if (!tile_group(p, level, 1, group))
        return false;
    for (int levels = 2; levels <= p->description->levels - level; levels++) {
        if (!tile_group(p, level, levels, &more) || !is_narrow(p, &more))
            break;
        *group = more;
    }
    return true;
}

bool wp_tiling_is_tiled(const struct wp_tile_group *group)
{
    return group->tiling[WP_X].count > 1 || group->tiling[WP_Y].count > 1;
}

int wp_tiling_plan(const struct wp_description *d, const int tile_size[WP_TILING_AXES],
                   struct wp_tile_group group[WP_MAX_LEVELS])
{
    const struct wp_lifting lifting = wp_description_lifting(d);
    const struct problem problem = {.description = d,
                                    .tile_size = tile_size,
                                    .before = lifting.before,
                                    .after = lifting.after,
                                    .wraps = lifting.extension == WP_EXTEND_WRAP};
    int groups = 0;
    for (int level = 0; level < d->levels; level += group[groups++].levels)
        if (!plan_group(&problem, level, &group[groups]))
            return 0;
    return groups > 0 && wp_tiling_is_tiled(&group[0]) ? groups : 0;
}

struct wp_span wp_tiling_span(const struct wp_tiling *t, int i)
{
    const int core = t->tile_size - t->before - t->after;
    const int end = i * core + t->tile_size;
    if (t->count == 1)
        return (struct wp_span){0, t->size, 0, t->size};
    if (t->wraps)
        return (struct wp_span){i * core - t->before, end - t->before, i * core,
                                wp_min((i + 1) * core, t->size)};
    if (i + 1 == t->count)
        return (struct wp_span){wp_round_up(t->size - t->tile_size, t->unit), t->size,
                                i * core + t->before, t->size};
    return (struct wp_span){i * core, end, i ? i * core + t->before : 0, end - t->after};
}

int wp_span_length(struct wp_span s)
{
    return s.end - s.first;
}

int wp_tiling_length(const struct wp_tiling *tiling, bool last)
{
    return wp_span_length(wp_tiling_span(tiling, last ? tiling->count - 1 : 0));
}
