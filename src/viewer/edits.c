#include "edits.h"

#include "edit.h"

static struct wp_text *add(struct wp_view_edits *edits, enum wp_edit_kind kind)
{
    edits->name[edits->count] = wp_edit_names[kind];
    return &edits->text[edits->count++];
}

static void add_impulse(const struct wp_view_edit *e, const struct wp_description *d,
                        struct wp_view_edits *edits)
{
    const int number = wp_subband_number(d, e->level, (enum wp_band)e->band);
    const struct wp_subband subband = wp_subband_describe(d, number);
    const int *size = subband.grid.size;
    char name[WP_BAND_NAME_SIZE];
    // LL of a level before the last is not a subband.
    if (subband.level != e->level || e->x >= size[WP_X] || e->y >= size[WP_Y] ||
        e->z >= size[WP_Z]) {
        wp_text_add(add(edits, WP_EDIT_KEEP), "0");
        return;
    }
    struct wp_text *text = add(edits, WP_EDIT_IMPULSE);
    wp_subband_name(&subband, name);
    wp_text_add(text, "%s:%d,%d", name, e->x, e->y);
    if (wp_description_depth(d) > 1)
        wp_text_add(text, ",%d", e->z);
}

static void add_zeroed(const struct wp_view_edit *e, const struct wp_description *d,
                       struct wp_view_edits *edits)
{
    struct wp_text *text = NULL;
    for (int i = 0; i < wp_subband_count(d); i++) {
        const struct wp_subband subband = wp_subband_describe(d, i);
        char name[WP_BAND_NAME_SIZE];
        if (!e->zeroed[subband.level][subband.band])
            continue;
        wp_subband_name(&subband, name);
        const char *between = text ? "," : "";
        text = text ? text : add(edits, WP_EDIT_ZERO);
        wp_text_add(text, "%s%s", between, name);
    }
}

// The shortest decimal that parses to the same number.
static void add_limit(struct wp_text *text, double limit)
{
    char number[WP_NUMBER_SIZE];
    double same;
    for (int digits = 6; digits <= 17; digits++)
        if (wp_parse_double(wp_format_number(number, limit, digits), &same) && same == limit)
            break;
    wp_text_add(text, "%s", number);
}

void wp_view_edits_make(const struct wp_view_edit *e, const struct wp_description *d,
                        struct wp_view_edits *edits)
{
    *edits = (struct wp_view_edits){0};
    if (e->impulse)
        add_impulse(e, d, edits);
    add_zeroed(e, d, edits);
    if (e->threshold == WP_THRESHOLD_NONE)
        return;
    struct wp_text *text = add(edits, WP_EDIT_THRESHOLD);
    wp_text_add(text, "%s:", wp_threshold_names[e->threshold]);
    add_limit(text, e->limit);
}

void wp_view_edits_free(struct wp_view_edits *edits)
{
    for (int i = 0; i < edits->count; i++)
        wp_text_free(&edits->text[i]);
    edits->count = 0;
}
