#include "border.h"
#include "explain.h"
#include "lesson_internal.h"

#include <math.h>

void wp_lesson_add_position(struct wp_text *out, int dims, const int at[WP_DIMS_MAX])
{
    for (int a = 0; a < dims; a++)
        wp_text_add(out, "%s%d", a ? "," : "(", at[a]);
    wp_text_add(out, ")");
}

const char *wp_lesson_band_name(int dims, int band)
{
    return dims == 3 ? wp_octet_band_names[band] : wp_band_names[band];
}

const char *wp_lesson_band_of(enum wp_bank bank, int component)
{
    return bank == WP_BANK_STARLET ? wp_starlet_band_names[component != 0]
                                   : wp_band_names[component];
}

int wp_lesson_extend(const struct wp_description *d, int axis, int level, int sample,
                     struct wp_axis_entry entry[WP_LESSON_SOURCES])
{
    const struct wp_axis_entry *found;
    struct wp_axis_entry one;
    struct wp_axis_map map;
    int count = 0;
    if (!wp_axis_map_extend(&map, d->border, wp_description_size(d, axis, level - 1), sample, 1))
        return 0;
    const int entries = wp_axis_map_row(&map, 0, &found, &one);
    for (int e = 0; e < entries && count < WP_LESSON_SOURCES; e++)
        if (fabs(found[e].weight) > 0)
            entry[count++] = found[e];
    wp_axis_map_free(&map);
    return count;
}

// The samples, along an axis, of which component `c` of a quad or octet is the sum; of the inverse the
// positions of coefficients, low and high ones alternating.
struct sources {
    int count;
    struct wp_axis_entry entry[WP_LESSON_SOURCES];
};

// With a border of PyWavelets, the groups of the periodic transform of extended samples.
static void find_extended(const struct wp_description *d, int axis, int level, int position,
                          struct sources *sources)
{
    const struct wp_border_axis border = wp_border_axis(d, axis, level - 1);
    const int turns = position + 2 * border.first;
    const int within = (turns % border.size + border.size) % border.size;
    if (d->direction == WP_FORWARD)
        sources->count = wp_lesson_extend(d, axis, level, within + border.shift, sources->entry);
    else
        *sources = (struct sources){1, {{within, 1}}};
}

static struct sources find_sources(const struct wp_description *d,
                                   const struct wp_lesson_state *now, int axis, int c, int at)
{
    const int odd = c >> axis & 1;
    struct sources sources = {!odd, {{at, 1}}};
    if (!(now->axes >> axis & 1))
        return sources;
    if (wp_description_is_native(d)) {
        const int from = wp_extend(wp_description_lifting(d).extension, 2 * at + odd,
                                   now->size[axis]);
        return (struct sources){from >= 0, {{from, 1}}};
    }
    find_extended(d, axis, now->level, 2 * at + odd, &sources);
    return sources;
}

static void name_source(const struct wp_description *d, const struct wp_lesson_state *now, int c,
                        const int sample[WP_DIMS_MAX], struct wp_text *out)
{
    const bool forward = d->direction == WP_FORWARD;
    const int dims = d->size[WP_Z] ? 3 : 2;
    int half[WP_DIMS_MAX], band = 0;
    for (int a = 0; a < WP_DIMS_MAX; a++) {
        const bool halved = now->axes >> a & 1;
        half[a] = halved ? sample[a] / 2 : sample[a];
        band |= halved ? sample[a] % 2 << a : 0;
    }
    if (forward && now->level == 1) {
        wp_text_add(out, "%s", wp_explain_vocabulary(dims)->sample);
        wp_lesson_add_position(out, dims, sample);
    } else if (forward) {
        wp_text_add(out, "%s%d", wp_lesson_band_name(dims, 0), now->level - 1);
        wp_lesson_add_position(out, dims, sample);
    } else if (now->step != WP_LESSON_INPUT && c == 0) {
        wp_text_add(out, "sample");
        wp_lesson_add_position(out, dims, half);
        wp_text_add(out, " of level %d", now->level + 1);
    } else {
        wp_text_add(out, "%s%d", wp_lesson_band_name(dims, band), now->level);
        wp_lesson_add_position(out, dims, half);
    }
}

void wp_lesson_name_source(const struct wp_description *d, const struct wp_lesson_state *now, int c,
                           const int at[WP_DIMS_MAX], struct wp_text *out)
{
    struct sources axis[WP_DIMS_MAX];
    int count = 1;
    if (wp_description_is_redundant(d)) {
        const bool forward = d->direction == WP_FORWARD;
        wp_text_add(out, forward ? "pixel" : "%s%d", wp_lesson_band_of(d->bank, c), now->level);
        wp_lesson_add_position(out, WP_Z, at);
        return;
    }
    for (int a = 0; a < WP_DIMS_MAX; a++) {
        axis[a] = find_sources(d, now, a, c, at[a]);
        count *= axis[a].count;
    }
    if (count == 0)
        wp_text_add(out, "nothing (beyond the edge)");
    for (int i = 0; i < count; i++) {
        int sample[WP_DIMS_MAX], rest = i;
        double weight = 1;
        for (int a = 0; a < WP_DIMS_MAX; a++) {
            const struct wp_axis_entry *entry = &axis[a].entry[rest % axis[a].count];
            sample[a] = entry->from;
            weight *= entry->weight;
            rest /= axis[a].count;
        }
        wp_text_add(out, "%s", weight < 0 ? (i ? " - " : "-") : i ? " + " : "");
        if (fabs(weight) < 1 || fabs(weight) > 1) {
            wp_text_add_short(out, fabs(weight), 7);
            wp_text_add(out, " ");
        }
        name_source(d, now, c, sample, out);
    }
}
