#include "edit.h"

#include "edit_rules.h"
#include "log.h"
#include "memory.h"
#include "suggest.h"
#include "text.h"
#include "threads.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// A change of a band of a plane; threads process its rows.
struct change {
    const struct wp_edit_bands *bands;
    int band, plane;
    void (*row)(const struct change *change, const struct wp_edit_row *row);
    double number; // a factor
};

enum { ROWS_AT_ONCE = 64 };

static void change_rows(void *user, int i, int thread)
{
    (void)thread;
    const struct change *c = user;
    const size_t rows = c->bands->band[c->band].rows, first = (size_t)i * ROWS_AT_ONCE;
    for (size_t k = first; k < rows && k < first + ROWS_AT_ONCE; k++) {
        const struct wp_edit_row row = wp_edit_row(c->bands, c->band, c->plane, k);
        c->row(c, &row);
    }
}

static void run_change(struct change *c)
{
    const size_t rows = c->bands->band[c->band].rows;
    wp_threads_share(wp_threads_count(), (int)((rows + ROWS_AT_ONCE - 1) / ROWS_AT_ONCE),
                     change_rows, c);
}

static void scale_row(const struct change *c, const struct wp_edit_row *row)
{
    const float factor = (float)c->number;
    for (int x = 0; x < row->count; x++)
        row->at[x * row->step] *= factor;
}

// Sets all values to 0, also NaN and infinity, for which a factor of 0 would not.
static void zero_row(const struct change *c, const struct wp_edit_row *row)
{
    (void)c;
    for (int x = 0; x < row->count; x++)
        row->at[x * row->step] = 0;
}

static void change_band(const struct wp_edit_bands *b, int band,
                        void (*row)(const struct change *, const struct wp_edit_row *),
                        double number)
{
    for (int plane = 0; plane < b->target->planes; plane++)
        run_change(&(struct change){b, band, plane, row, number});
}

// Runs in one thread, so that among equal magnitudes those in coarse bands are kept.
static void zero_below(const struct wp_edit_bands *b, uint32_t least, double equal)
{
    for (int plane = 0; plane < b->target->planes; plane++) {
        for (int band = 0; band < b->count; band++) {
            for (size_t i = 0; i < b->band[band].rows; i++) {
                const struct wp_edit_row row = wp_edit_row(b, band, plane, i);
                for (int x = 0; x < row.count; x++) {
                    float *at = &row.at[x * row.step];
                    const uint32_t magnitude = wp_edit_magnitude(*at, row.unit);
                    if (magnitude == least && equal > 0)
                        equal--;
                    else if (magnitude <= least)
                        *at = 0;
                }
            }
        }
    }
}

static bool apply_keep(const struct wp_edit *edit, const struct wp_edit_bands *b)
{
    const struct wp_edit_pool all = {
        .bands = b, .last_band = b->count - 1, .last_plane = b->target->planes - 1};
    const double count = wp_edit_plane_coefficients(b) * b->target->planes;
    const double remaining = round(count * edit->number / 100);
    uint32_t least;
    if (remaining >= count)
        return true;
    if (!wp_edit_select(&all, count - remaining - 1, &least))
        return wp_fail(WP_ERROR_TOO_LARGE, "not enough memory to rank coefficients");
    zero_below(b, least, remaining - wp_edit_count(&all, least + 1));
    return true;
}

// Marks the bands of a list. False after an error.
static bool find_bands(const struct wp_edit *edit, const struct wp_edit_bands *b, bool *named)
{
    const char *list = edit->bands, *name;
    size_t length;
    while (wp_edit_next_name(&list, &name, &length)) {
        const int band = wp_edit_bands_find(b, name, length);
        if (band < 0)
            return false;
        named[band] = true;
    }
    return true;
}

// Zeroes the bands of a list (zero) or all others (only). With `dry`, only checks the names.
static bool apply_list(const struct wp_edit *edit, const struct wp_edit_bands *b, bool dry)
{
    bool *named = wp_allocate((size_t)b->count, sizeof *named, "a list of bands");
    const bool ok = named && find_bands(edit, b, named);
    for (int band = 0; ok && !dry && band < b->count; band++)
        if (named[band] == (edit->kind == WP_EDIT_ZERO))
            change_band(b, band, zero_row, 0);
    free(named);
    return ok;
}

static bool apply_scale(const struct wp_edit *edit, const struct wp_edit_bands *b, bool dry)
{
    const char *list = edit->bands;
    int band = 0;
    double factor;
    while (band >= 0) {
        if (!wp_edit_next_number(&list, b, "scale", "BAND=FACTOR, for example HL1=2 or HH1=0.5",
                                 &band, &factor))
            return false;
        if (band >= 0 && !dry)
            change_band(b, band, scale_row, factor);
    }
    return true;
}

// Parses `dims` nonnegative integers, separated by commas.
static bool parse_position(const char *text, int at[WP_DIMS_MAX], int dims)
{
    const char *number;
    size_t length;
    int count = 0;
    while (wp_edit_next_name(&text, &number, &length)) {
        char digits[WP_NUMBER_SIZE] = "";
        if (count == dims || length >= sizeof digits)
            return false;
        memcpy(digits, number, length);
        if (!wp_parse_int(digits, &at[count]) || at[count++] < 0)
            return false;
    }
    return count == dims;
}

// Sets a coefficient of the first group of slices to 1 and all others to 0.
static bool apply_impulse(const struct wp_edit *edit, const struct wp_edit_bands *b, bool dry)
{
    const char *colon = strchr(edit->bands, ':');
    const bool volume = b->target->depth > 1;
    int at[WP_DIMS_MAX] = {0};
    if (!colon || !parse_position(colon + 1, at, volume ? 3 : 2))
        return wp_fail(WP_ERROR_USAGE, "invalid position '%s' of an impulse\nhint: for example %s",
                       edit->bands, volume ? "HLL2:5,7,1" : "HL2:5,7");
    const int band = wp_edit_bands_find(b, edit->bands, (size_t)(colon - edit->bands));
    if (band < 0)
        return false;
    const struct wp_band_grid *g = &b->band[band].full.grid;
    if (at[WP_X] >= g->size[WP_X] || at[WP_Y] >= g->size[WP_Y] || at[WP_Z] >= g->size[WP_Z]) {
        char depth[16] = "";
        if (volume)
            snprintf(depth, sizeof depth, "x%d", g->size[WP_Z]);
        return wp_fail(WP_ERROR_USAGE, "the impulse '%s' is outside its band (%dx%d%s)",
                       edit->bands, g->size[WP_X], g->size[WP_Y], depth);
    }
    for (int i = 0; !dry && i < b->count; i++)
        change_band(b, i, zero_row, 0);
    const size_t row = (size_t)at[WP_Z] * (size_t)g->size[WP_Y] + (size_t)at[WP_Y];
    for (int plane = 0; !dry && plane < b->target->planes; plane++) {
        const struct wp_edit_row r = wp_edit_row(b, band, plane, row);
        r.at[at[WP_X] * r.step] = 1;
    }
    return true;
}

static bool apply(const struct wp_edit *edit, const struct wp_edit_noise *noise,
                  const struct wp_edit_bands *b, struct wp_edit_found *found, bool dry)
{
    switch (edit->kind) {
    case WP_EDIT_THRESHOLD:
        return dry ? wp_edit_check_threshold(edit, b)
                   : wp_edit_apply_threshold(edit, noise, b, found);
    case WP_EDIT_KEEP: return dry || apply_keep(edit, b);
    case WP_EDIT_ZERO:
    case WP_EDIT_ONLY: return apply_list(edit, b, dry);
    case WP_EDIT_SCALE: return apply_scale(edit, b, dry);
    case WP_EDIT_IMPULSE: return apply_impulse(edit, b, dry);
    case WP_EDIT_KINDS: break;
    }
    return wp_fail(WP_ERROR_INTERNAL, "there is no edit %d", (int)edit->kind);
}

bool wp_edit_check(const struct wp_edit *edit, const struct wp_edit_target *target)
{
    struct wp_edit_bands bands;
    const bool ok = wp_edit_bands_make(target, &bands) && apply(edit, NULL, &bands, NULL, true);
    wp_edit_bands_free(&bands);
    return ok;
}

bool wp_edit_apply(const struct wp_edit *edit, const struct wp_edit_noise *noise,
                   const struct wp_edit_target *target, struct wp_edit_found *found)
{
    struct wp_edit_bands bands;
    struct wp_edit_found result = {INFINITY, 0, INFINITY, 0};
    const bool ok =
        wp_edit_bands_make(target, &bands) &&
        apply(edit, noise ? noise : &(struct wp_edit_noise){0}, &bands, &result, false);
    wp_edit_bands_free(&bands);
    if (found)
        *found = result;
    return ok;
}

bool wp_edit_measure(const struct wp_edit_target *target, struct wp_edit_amount *amount)
{
    struct wp_edit_bands b;
    *amount = (struct wp_edit_amount){0};
    const bool ok = wp_edit_bands_make(target, &b);
    for (int plane = 0; ok && plane < target->planes; plane++) {
        for (int band = 0; band < b.count; band++) {
            for (size_t i = 0; i < b.band[band].rows; i++) {
                const struct wp_edit_row row = wp_edit_row(&b, band, plane, i);
                double squares = 0;
                for (int x = 0; x < row.count; x++) {
                    const double c = (double)row.at[x * row.step];
                    squares += c * c;
                    amount->nonzero += c != 0;
                }
                amount->samples += row.count;
                amount->energy += squares * row.unit * row.unit;
            }
        }
    }
    wp_edit_bands_free(&b);
    return ok;
}

const char *const wp_edit_names[WP_EDIT_KINDS] = {
    [WP_EDIT_THRESHOLD] = "threshold", [WP_EDIT_KEEP] = "keep",   [WP_EDIT_ZERO] = "zero",
    [WP_EDIT_ONLY] = "only",           [WP_EDIT_SCALE] = "scale", [WP_EDIT_IMPULSE] = "impulse",
};

const char *const wp_edit_rule_names[WP_EDIT_RULES] = {
    [WP_EDIT_UNIVERSAL] = "universal", [WP_EDIT_SURE] = "sure", [WP_EDIT_BAYES] = "bayes"};

static bool fail_threshold(const char *text)
{
    return wp_fail(WP_ERROR_USAGE,
                   "invalid threshold '%s'"
                   "\nhint: use hard:T, soft:T or garrote:T, where T is a number, 'universal', "
                   "'sure' or 'bayes' (for example soft:0.1), or " WP_EDIT_EACH_HINT,
                   text);
}

static bool parse_rule(const char *text, struct wp_edit *edit)
{
    for (int r = WP_EDIT_UNIVERSAL; r < WP_EDIT_RULES; r++) {
        if (strcmp(text, wp_edit_rule_names[r]) == 0) {
            edit->rule = (enum wp_edit_rule)r;
            return true;
        }
    }
    if (strchr(text, '=')) { // checked when the coefficients are known
        edit->rule = WP_EDIT_EACH;
        edit->bands = text;
        return true;
    }
    return wp_parse_double(text, &edit->number) && edit->number >= 0;
}

static bool parse_threshold(const char *text, struct wp_edit *edit)
{
    for (int s = 0; s < WP_SHRINK_COUNT; s++) {
        const size_t length = strlen(wp_shrink_names[s]);
        edit->shrink = (enum wp_shrink)s;
        if (strncmp(text, wp_shrink_names[s], length) == 0 && text[length] == ':')
            return parse_rule(text + length + 1, edit) || fail_threshold(text);
    }
    return fail_threshold(text);
}

static bool parse_keep(const char *text, struct wp_edit *edit)
{
    char number[WP_NUMBER_SIZE];
    const size_t length = strlen(text), sign = length > 0 && text[length - 1] == '%' ? 1 : 0;
    snprintf(number, sizeof number, "%.*s", (int)(length - sign), text);
    return (wp_parse_double(number, &edit->number) && edit->number >= 0 && edit->number <= 100) ||
           wp_fail(WP_ERROR_USAGE, "'%s' is not a percentage from 0 to 100", text);
}

bool wp_edit_parse(const char *name, const char *text, struct wp_edit *edit)
{
    const int kind = wp_name_find("edit", name, wp_edit_names, WP_EDIT_KINDS, "there are ");
    if (kind < 0)
        return false;
    *edit = (struct wp_edit){.kind = (enum wp_edit_kind)kind, .bands = text};
    switch (edit->kind) {
    case WP_EDIT_THRESHOLD: return parse_threshold(text, edit);
    case WP_EDIT_KEEP: return parse_keep(text, edit);
    default: return true; // bands are checked when the coefficients are known
    }
}
