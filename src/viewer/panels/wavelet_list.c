#include "wavelet_list.h"

#include "filters.h"
#include "viewer_struct.h"
#include "wavelet_growth.h"
#include "xmemory.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

static const struct {
    const char *prefix, *title;
} groups[WP_WAVELET_GROUPS] = {
    {"", "Built-in and files"},      {"db", "Daubechies, db"},
    {"sym", "Symlets, sym"},          {"coif", "Coiflets, coif"},
    {"bior", "Biorthogonal, bior"},   {"rbio", "Reverse biorthogonal, rbio"},
};

enum { CURVE_POINTS = 96 };

// A small drawing of scaling function and wavelet, computed once per name by the cascade algorithm
// from the synthesis filters.
struct wp_wavelet_curve {
    char name[WP_VIEW_WAVELET_SIZE];
    char title[96];
    bool known;    // the wavelet could be read
    bool periodic; // requires periodic borders
    double error;  // lower bound of the error of images in float32 (wavelet_growth.h)
    float value[2][CURVE_POINTS]; // phi and psi, each normalized to -1..1
};

enum { HIDDEN_CURVES = 16 }; // maximum number of curves per frame that is not displayed

// State of drawing the list in a frame.
struct lines {
    struct wp_viewer *v;
    int line;             // number of the next line
    int may_make;         // curves that may still be computed in this frame
    bool missing;         // a curve has not been computed
    int chosen_group;     // group of the selected line; -1: none
    char chosen[WP_VIEW_WAVELET_SIZE]; // a wavelet, or ""
    char pressed[WP_VIEW_WAVELET_SIZE];
};

static char *wavelet_of(struct wp_viewer *v)
{
    return v->state.view[v->list.ab].wavelet;
}

// The names among which those of a group are; may be NULL.
static const char *const *names_of(const struct wp_viewer *v, int group)
{
    return group ? wp_wavelet_family_names : (const char *const *)v->list.names;
}

static int group_of(const char *name)
{
    for (int i = 0; wp_wavelet_family_names[i]; i++)
        if (strcmp(name, wp_wavelet_family_names[i]) == 0)
            for (int g = 1; g < WP_WAVELET_GROUPS; g++)
                if (strncmp(name, groups[g].prefix, strlen(groups[g].prefix)) == 0)
                    return g;
    return 0;
}

bool wp_contains(const char *typed, const char *text)
{
    const size_t length = strlen(typed);
    while (strlen(text) >= length && strncasecmp(text, typed, length) != 0)
        text++;
    return strlen(text) >= length;
}

// Resamples the curve to CURVE_POINTS points over its support, normalized to a maximum of 1.
static void sample(const struct wp_cascade *from, float value[CURVE_POINTS])
{
    double largest = 0;
    for (int i = 0; i < from->count; i++)
        largest = fmax(largest, fabs(from->value[i]));
    for (int i = 0; i < CURVE_POINTS; i++) {
        const int at = (int)((double)i * (from->count - 1) / (CURVE_POINTS - 1) + 0.5);
        value[i] = largest > 0 ? (float)(from->value[at] / largest) : 0;
    }
}

static void make(const char *name, struct wp_wavelet_curve *curve)
{
    struct wp_wavelet wavelet;
    *curve = (struct wp_wavelet_curve){.known = wp_wavelet_find(name, &wavelet)};
    snprintf(curve->name, sizeof curve->name, "%s", name);
    if (!curve->known) {
        snprintf(curve->title, sizeof curve->title, "%.90s", wp_last_error_text());
        return;
    }
    snprintf(curve->title, sizeof curve->title, "%s", wavelet.title);
    curve->periodic = wavelet.symmetry == WP_SYMMETRY_NONE;
    curve->error = fmax(WP_WAVELET_EXACT, wp_wavelet_error(&wavelet, 2, false, WP_WAVELET_EXACT));
    struct wp_taps low = wp_filters_taps(&wavelet, WP_SYNTHESIS_LOW);
    struct wp_taps high = wp_filters_taps(&wavelet, WP_SYNTHESIS_HIGH);
    for (int i = 0; i < 2; i++) {
        struct wp_cascade function = wp_filters_cascade(&low, i ? &high : NULL);
        sample(&function, curve->value[i]);
        free(function.value);
    }
    free(low.tap);
    free(high.tap);
}

// The curve of a wavelet, valid until the next call. If it has not been computed, computes it with
// `may_make`, else returns NULL.
static const struct wp_wavelet_curve *find_curve(struct wp_wavelet_list *list, const char *name,
                                                 bool may_make)
{
    for (int i = 0; i < list->curves; i++)
        if (strcmp(list->curve[i].name, name) == 0)
            return &list->curve[i];
    if (!may_make)
        return NULL;
    list->curve = wp_xrealloc(list->curve, (size_t)list->curves + 1, sizeof *list->curve);
    make(name, &list->curve[list->curves]);
    return &list->curve[list->curves++];
}

static void draw_curve(const float value[CURVE_POINTS], float x, float y, float width,
                       float height, enum wp_ui_colour colour)
{
    const float middle = y + 0.5F * height, half = 0.45F * height;
    wp_ui_draw_line(x, middle, x + width, middle, WP_UI_LINE, 1);
    for (int i = 1; i < CURVE_POINTS; i++) {
        const float step = width / (CURVE_POINTS - 1);
        wp_ui_draw_line(x + (float)(i - 1) * step, middle - half * value[i - 1],
                        x + (float)i * step, middle - half * value[i], colour, 1.2F);
    }
}

static bool begin_line(struct lines *lines, const char *label, float width)
{
    const bool chosen = lines->line == lines->v->choice;
    const bool pressed = wp_ui_select(label, chosen, width);
    if (chosen)
        wp_ui_scroll_here();
    lines->line++;
    return pressed;
}

static void show_name(struct lines *lines, const char *name, int group)
{
    const float em = wp_ui_em();
    struct wp_viewer *v = lines->v;
    if (lines->line == v->choice) {
        lines->chosen_group = group;
        snprintf(lines->chosen, sizeof lines->chosen, "%s", name);
    }
    if (begin_line(lines, name, 8 * em))
        snprintf(lines->pressed, sizeof lines->pressed, "%s", name);
    const int before = v->list.curves;
    const struct wp_wavelet_curve *curve = find_curve(&v->list, name, lines->may_make > 0);
    lines->may_make -= v->list.curves - before;
    lines->missing = lines->missing || !curve;
    wp_ui_same_line();
    // phi and psi side by side
    float x, y;
    const float width = 9 * em, height = 1.4F * em;
    wp_ui_space(NULL, width, height, &x, &y);
    for (int i = 0; i < 2 && curve && curve->known; i++)
        draw_curve(curve->value[i], x + 0.52F * width * (float)i, y, 0.48F * width, height,
                   i ? WP_UI_B : WP_UI_A);
}

// Shows the matching names of a group if `show` is set. Returns their number.
static int show_names(struct lines *lines, int group, bool show)
{
    const char *const *const names = names_of(lines->v, group);
    int count = 0;
    for (int i = 0; names && names[i]; i++) {
        if (group_of(names[i]) != group || !wp_contains(lines->v->typed, names[i]))
            continue;
        count++;
        if (show)
            show_name(lines, names[i], group);
    }
    return count;
}

// Shows a group. A search expands all groups; headings are then not selectable lines.
static void show_group(struct lines *lines, int group)
{
    struct wp_viewer *v = lines->v;
    const int count = show_names(lines, group, false);
    const bool searching = v->typed[0];
    if (count == 0)
        return;
    const bool open = searching || v->list.open >> group & 1;
    if (searching) {
        wp_ui_text(WP_UI_DIM, "%s", groups[group].title);
    } else {
        char label[96];
        snprintf(label, sizeof label, "%s %s (%d)###%s", open ? "-" : "+", groups[group].title,
                 count, groups[group].title);
        if (lines->line == v->choice)
            lines->chosen_group = group;
        if (begin_line(lines, label, 0))
            v->list.open ^= 1U << group;
    }
    if (open)
        show_names(lines, group, true);
}

static void show_chosen(struct wp_viewer *v, const struct lines *lines)
{
    const float em = wp_ui_em();
    const char *name = lines->chosen[0] ? lines->chosen : wavelet_of(v);
    const struct wp_wavelet_curve *curve = find_curve(&v->list, name, false);
    wp_ui_text(WP_UI_ACCENT, "%s", name);
    if (!curve)
        return;
    wp_ui_text(WP_UI_TEXT | WP_UI_WRAPPED, "%s", curve->title);
    if (!curve->known)
        return;
    wp_ui_text(WP_UI_DIM | WP_UI_WRAPPED, "%s borders; float32 error %.1e",
               curve->periodic ? "periodic" : "symmetric and periodic", curve->error);
    const float width = wp_ui_width_left();
    for (int i = 0; i < 2; i++) {
        float x, y;
        wp_ui_text(i ? WP_UI_B : WP_UI_A, "%s", i ? "wavelet (psi)" : "scaling function (phi)");
        wp_ui_space(NULL, width, 6 * em, &x, &y);
        draw_curve(curve->value[i], x, y, width, 6 * em, i ? WP_UI_B : WP_UI_A);
    }
}

// Selects a wavelet. Most families are not symmetric and require periodic borders.
static void select_wavelet(struct wp_viewer *v, const char *name)
{
    const struct wp_wavelet_curve *curve = find_curve(&v->list, name, true);
    if (curve->known && curve->periodic && v->state.border == WP_BORDER_SYMMETRIC) {
        v->state.border = WP_BORDER_PERIODIC;
        wp_viewer_notice(v, WP_LOG_INFO, "%s is not symmetric, so the border is set to periodic",
                         name);
    }
    snprintf(wavelet_of(v), sizeof v->state.a.wavelet, "%s", name);
    v->popup = WP_POPUP_NONE;
}

void wp_wavelet_list_open(struct wp_viewer *v, int ab)
{
    const bool open = v->popup == WP_POPUP_WAVELETS;
    v->popup = open ? WP_POPUP_NONE : WP_POPUP_WAVELETS;
    v->popup_opened = !open;
    v->typed[0] = '\0';
    wp_wavelet_free_names(v->list.names);
    v->list.names = open ? NULL : wp_wavelet_names();
    v->list.ab = ab;
    v->list.open = 1U | 1U << group_of(wavelet_of(v));
    v->choice = -1; // select the current wavelet
}

// Selects the line of the current wavelet.
static void choose_present(struct wp_viewer *v)
{
    struct lines count = {.v = v};
    v->choice = 0;
    for (int g = 0; g < WP_WAVELET_GROUPS; g++) {
        const char *const *const names = names_of(v, g);
        count.line++;
        for (int i = 0; v->list.open >> g & 1 && names && names[i]; i++) {
            if (group_of(names[i]) != g)
                continue;
            if (strcmp(names[i], wavelet_of(v)) == 0)
                v->choice = count.line;
            count.line++;
        }
    }
}

void wp_wavelet_list_show(struct wp_viewer *v)
{
    const float em = wp_ui_em();
    char before[sizeof v->typed];
    snprintf(before, sizeof before, "%s", v->typed);
    if (v->choice < 0)
        choose_present(v);
    const bool entered = wp_ui_input("Search", v->typed, sizeof v->typed, v->popup_opened);
    if (strcmp(before, v->typed) != 0)
        v->choice = 0;
    struct lines lines = {.v = v, .may_make = v->windowed ? 1 : HIDDEN_CURVES, .chosen_group = -1};
    const float width = wp_ui_width_left(), right = width > 32 * em ? width - 21 * em : 0;
    wp_ui_begin_child("tree", width - right - (right > 0 ? em : 0), 0, 0);
    for (int g = 0; g < WP_WAVELET_GROUPS; g++)
        show_group(&lines, g);
    if (lines.line == 0)
        wp_ui_text(WP_UI_DIM | WP_UI_WRAPPED,
                           "No wavelet has this name. Use 'Open' (Ctrl+O) for the path of a file.");
    wp_ui_end_child();
    if (right > 0) {
        wp_ui_same_line();
        wp_ui_begin_child("chosen", 0, 0, 0);
        show_chosen(v, &lines);
        wp_ui_end_child();
    }
    v->choice = lines.line > 0 && v->choice >= lines.line ? lines.line - 1 : v->choice;
    v->dirty = v->dirty || lines.missing;
    v->list.at = lines.chosen_group;
    if (lines.pressed[0])
        select_wavelet(v, lines.pressed);
    else if (entered && lines.chosen[0])
        select_wavelet(v, lines.chosen);
    else if (entered && lines.chosen_group >= 0) {
        v->list.open ^= 1U << lines.chosen_group;
        v->popup_opened = true;
    }
}

bool wp_wavelet_list_key(struct wp_viewer *v, int key)
{
    const unsigned bit = v->list.at >= 0 ? 1U << v->list.at : 0;
    switch (key) {
    case WP_KEY_UP: v->choice = v->choice > 0 ? v->choice - 1 : 0; return true;
    case WP_KEY_DOWN: v->choice++; return true;
    // In a search the keys move the text cursor.
    case WP_KEY_LEFT: v->list.open &= v->typed[0] ? ~0U : ~bit; return !v->typed[0];
    case WP_KEY_RIGHT: v->list.open |= v->typed[0] ? 0 : bit; return !v->typed[0];
    default: return false;
    }
}

void wp_wavelet_list_free(struct wp_wavelet_list *list)
{
    wp_wavelet_free_names(list->names);
    free(list->curve);
    *list = (struct wp_wavelet_list){0};
}
