// Frames, panels, controls, texts and drawings of ui.h, made of the calls of toolkit.h.
#include "ui.h"

#include "text.h"
#include "theme.h"
#include "ui_record.h"
#include "xmemory.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Texts of numbers.
enum { NUMBER_SIZE = 128 };

// Formats for the report.
static const char *value_of(char text[NUMBER_SIZE], double value, double least, double most)
{
    text[0] = '\0';
    if (wp_record_reports())
        snprintf(text, NUMBER_SIZE, "%g of %g to %g", value, least, most);
    return text;
}

static const char *drawn_with(char text[NUMBER_SIZE], enum wp_ui_colour colour, float thickness)
{
    text[0] = '\0';
    if (wp_record_reports())
        snprintf(text, NUMBER_SIZE, "%s, %g wide", wp_ui_colour_names[colour], (double)thickness);
    return text;
}

static const char *switched(bool on)
{
    return on ? "on" : "off";
}

// ---- Frames.

void wp_ui_destroy(void)
{
    wp_gui_destroy();
    wp_record_clear();
}

void wp_ui_mouse_button(int button, bool down)
{
    if (down && !wp_ui_captures_mouse())
        wp_ui_leave();
    wp_gui_mouse_button(button, down);
}

void wp_ui_begin_frame(int width, int height, float seconds, enum wp_theme theme, float scale)
{
    wp_record_begin();
    wp_gui_begin_frame(width, height, seconds, theme, scale);
    wp_record_continue_entering();
}

void wp_ui_end_frame(void)
{
    wp_record_end();
    wp_record_hash_begin();
    wp_gui_end_frame(wp_record_hash_add);
}

// ---- Panels and menus.

bool wp_ui_begin_panel(const char *name, float x, float y, float width, float height,
                       unsigned flags)
{
    wp_record_open(name);
    wp_record_line("panel", x, y, width, height, "");
    return wp_gui_begin_panel(name, x, y, width, height, flags);
}

void wp_ui_end_panel(void)
{
    wp_record_close();
    wp_gui_end_panel();
}

bool wp_ui_begin_menu_bar(float *height)
{
    struct wp_gui_item bar;
    if (!wp_gui_begin_menu_bar(&bar))
        return false;
    *height = bar.bottom - bar.top;
    wp_record_open("menu");
    wp_record_line("panel", bar.left, bar.top, bar.right - bar.left, *height, "");
    return true;
}

void wp_ui_end_menu_bar(void)
{
    wp_record_close();
    wp_gui_end_menu_bar();
}

bool wp_ui_begin_menu(const char *label)
{
    const bool open = wp_gui_begin_menu(label);
    if (!open)
        wp_record_control(label, "");
    return open;
}

void wp_ui_end_menu(void)
{
    wp_gui_end_menu(wp_record_closes_lists());
}

bool wp_ui_menu_item(const char *label, const char *keys, bool ticked)
{
    char value[NUMBER_SIZE];
    const bool pressed = wp_gui_menu_item(label, keys, ticked);
    snprintf(value, sizeof value, "%s%s", keys ? keys : "", ticked ? " on" : "");
    wp_record_control(label, value);
    return pressed;
}

bool wp_ui_section(const char *label, bool open_at_first)
{
    const bool open = wp_gui_section(label, open_at_first);
    wp_record_control(label, switched(open));
    return open;
}

void wp_ui_tabs(const char *name, const char *const *labels, int count, int select,
                void (*show)(void *user, int tab), void *user)
{
    if (!wp_gui_begin_tabs(name))
        return;
    for (int i = 0; i < count; i++) {
        const bool open = wp_gui_tab(labels[i], i == select);
        wp_record_control(labels[i], switched(open));
        if (!open)
            continue;
        show(user, i);
        wp_gui_end_tab();
    }
    wp_gui_end_tabs();
}

// ---- Texts.

static void show_text(unsigned style, const char *text)
{
    wp_gui_text(style, text);
    wp_record_item(wp_ui_colour_names[style & ~(unsigned)(WP_UI_WRAPPED | WP_UI_MONO)], text);
}

void wp_ui_text(unsigned style, const char *format, ...)
{
    struct wp_text text = {0};
    va_list args;
    va_start(args, format);
    wp_text_add_list(&text, format, args);
    va_end(args);
    show_text(style, wp_text_get(&text));
    wp_text_free(&text);
}

void wp_ui_label(const char *label, const char *format, ...)
{
    struct wp_text text = {0};
    va_list args;
    va_start(args, format);
    wp_text_add_list(&text, format, args);
    va_end(args);
    show_text(WP_UI_DIM, label);
    wp_gui_indent();
    show_text(WP_UI_TEXT, wp_text_get(&text));
    wp_text_free(&text);
}

void wp_ui_cell_text(enum wp_ui_colour colour, const char *text)
{
    wp_gui_align();
    show_text(colour, text);
}

void wp_ui_listing(const char *name, const char *text)
{
    float widest = 0;
    int lines = 1;
    wp_gui_mono(true);
    const struct wp_gui_metrics m = wp_gui_metrics();
    for (const char *line = text; *line;) {
        const char *end = line + strcspn(line, "\n");
        widest = fmaxf(widest, wp_gui_width(line, end));
        lines += *end == '\n';
        line = *end ? end + 1 : end;
    }
    const float width = widest + 2 * m.padding + wp_ui_em();
    const float height = (float)(lines + 1) * m.line;
    char *copy = wp_xstrdup(text);
    wp_gui_read_only(name, copy, strlen(text) + 1, fmaxf(width, m.width_left),
                     fmaxf(height, m.height_left));
    free(copy);
    wp_record_control(name, text);
    // The center may be scrolled out of view.
    const struct wp_gui_item item = wp_gui_item();
    wp_record_move_control(item.left + wp_ui_em(), item.top + wp_ui_em());
    wp_gui_mono(false);
}

float wp_ui_text_width(const char *text)
{
    return wp_gui_width(text, NULL);
}

void wp_ui_tooltip(const char *text)
{
    wp_record_item("tooltip", text);
    wp_gui_tooltip(text);
}

// ---- Buttons, fields and lists.

bool wp_ui_check(const char *label, bool *value)
{
    const bool changed = wp_gui_check(label, value);
    wp_record_control(label, switched(*value));
    return changed;
}

bool wp_ui_button(const char *label)
{
    const bool pressed = wp_gui_button(label, false);
    wp_record_control(label, "");
    return pressed;
}

bool wp_ui_toggle(const char *label, bool on)
{
    const bool pressed = wp_gui_button(label, on);
    wp_record_control(label, switched(on));
    return pressed;
}

bool wp_ui_select(const char *label, bool selected, float width)
{
    const bool pressed = wp_gui_select(label, selected, width);
    wp_record_control(label, switched(selected));
    return pressed;
}

bool wp_ui_input(const char *label, char *text, int size, bool focus)
{
    wp_gui_row(label);
    const bool entered = wp_gui_input(label, text, size, focus);
    wp_record_control(label, text);
    return entered;
}

bool wp_ui_space(const char *name, float width, float height, float *x, float *y)
{
    wp_gui_cursor(x, y);
    const bool pressed = wp_gui_space(name, width, height);
    if (name)
        wp_record_control(name, "");
    return pressed;
}

bool wp_ui_combo(const char *label, int *index, const char *const *names, int count)
{
    return wp_ui_combo_of(label, index, names, NULL, count);
}

bool wp_ui_combo_of(const char *label, int *index, const char *const *names,
                    const char *const *reasons, int count)
{
    const char *shown = *index >= 0 && *index < count ? names[*index] : "";
    wp_gui_row(label);
    bool changed = false;
    if (!wp_gui_begin_list(label, shown)) {
        wp_record_control(label, shown);
        return false;
    }
    for (int i = 0; i < count; i++) {
        const char *reason = reasons ? reasons[i] : NULL;
        if (wp_gui_list_line(names[i], i == *index, reason)) {
            *index = i;
            changed = true;
        }
        wp_record_control(names[i], reason ? reason : "");
    }
    wp_gui_end_list(wp_record_closes_lists());
    return changed;
}

bool wp_ui_opener(const char *label, const char *shown)
{
    wp_gui_row(label);
    const bool pressed = wp_gui_wide_button(label, shown);
    wp_record_control(label, shown);
    return pressed;
}

// ---- Sliders, with the value at the right, where the knob does not cover it.

static float gap(void)
{
    return 0.4F * wp_ui_em();
}

// The width of a slider of `width` with a value, the widest of which is `widest`.
static float slider_width(float width, const char *widest)
{
    return width - gap() - wp_ui_text_width(widest);
}

static void show_value(const char *text)
{
    const struct wp_gui_item item = wp_gui_item();
    const float x = item.right + gap();
    const float y = floorf(0.5F * (item.top + item.bottom - wp_ui_em()));
    wp_gui_draw_text(x, y, WP_UI_TEXT, wp_ui_em(), text);
    wp_record_line("number", x, y, wp_ui_text_width(text), wp_ui_em(), text);
}

static bool slide_int(const char *name, float width, int *value, int least, int most,
                      const char *format, int widest)
{
    char text[NUMBER_SIZE];
    snprintf(text, sizeof text, format, widest);
    const bool changed = wp_gui_slide_int(name, slider_width(width, text), value, least, most,
                                          format);
    snprintf(text, sizeof text, format, *value);
    show_value(text);
    wp_record_control(name, value_of(text, *value, least, most));
    return changed;
}

bool wp_ui_slide_int(const char *label, int *value, int least, int most)
{
    wp_gui_row(label);
    return slide_int(label, wp_ui_width_left(), value, least, most, "%d", most < 100 ? 100 : most);
}

bool wp_ui_slide_bar(const char *name, float width, int *value, int least, int most,
                     const char *format)
{
    return slide_int(name, width, value, least, most, format, most);
}

static bool slide_float(const char *name, float width, float *value, float least, float most,
                        bool logarithmic, const char *format, const char *widest)
{
    char text[NUMBER_SIZE];
    const bool changed = wp_gui_slide_float(name, slider_width(width, widest), value, least, most,
                                            logarithmic, format);
    snprintf(text, sizeof text, format, (double)*value);
    show_value(text);
    return changed;
}

bool wp_ui_slide(const char *label, float *value, float least, float most, bool logarithmic,
                 const char *format)
{
    char text[NUMBER_SIZE];
    wp_gui_row(label);
    const bool changed = slide_float(label, wp_ui_width_left(), value, least, most, logarithmic,
                                     format, "0.0000");
    wp_record_control(label, value_of(text, (double)*value, (double)least, (double)most));
    return changed;
}

enum wp_ui_slid wp_ui_slide_cell(const char *name, float width, float *value, float least,
                                 float most, bool logarithmic, const char *format)
{
    static unsigned reset; // the slider that is held after a double click
    char text[NUMBER_SIZE];
    const float before = *value;
    const bool changed = slide_float(name, width, value, least, most, logarithmic, format,
                                     logarithmic ? "0.00000" : "0.00");
    const struct wp_gui_item item = wp_gui_item();
    const bool twice = item.pressed_twice;
    const unsigned self = wp_gui_id(name);
    reset = twice ? self : item.active || reset != self ? reset : 0;
    wp_record_control(name, value_of(text, (double)*value, (double)least, (double)most));
    if (reset != self)
        return changed ? WP_UI_CHANGED : WP_UI_SAME;
    *value = before;
    return twice ? WP_UI_RESET : WP_UI_SAME;
}

void wp_ui_marks(const float *at, int count)
{
    // The slider's grab stops half its width before the ends.
    const struct wp_gui_item a = wp_gui_item();
    const float margin = 2.0F + 0.5F * wp_gui_metrics().grab;
    for (int i = 0; i < count; i++) {
        const float x = floorf(a.left + margin + at[i] * (a.right - a.left - 2.0F * margin)) +
                        0.5F;
        wp_record_line("mark", x, a.top, 0, a.bottom - a.top, "");
        wp_gui_line(x, a.bottom - 0.35F * (a.bottom - a.top), x, a.bottom, WP_UI_WARNING, 1);
    }
}

// ---- Drawing.

void wp_ui_clip(float x, float y, float width, float height)
{
    wp_record_line("clip", x, y, width, height, "");
    wp_gui_clip(x, y, width, height);
}

void wp_ui_draw_rect(float x, float y, float width, float height, enum wp_ui_colour colour,
                     float alpha)
{
    wp_record_line("rectangle", x, y, width, height, wp_ui_colour_names[colour]);
    wp_gui_rect(x, y, width, height, colour, alpha);
}

void wp_ui_draw_frame(float x, float y, float width, float height, enum wp_ui_colour colour,
                      float thickness)
{
    char text[NUMBER_SIZE];
    wp_record_line("frame", x, y, width, height, drawn_with(text, colour, thickness));
    wp_gui_frame(x, y, width, height, colour, thickness);
}

void wp_ui_draw_line(float x0, float y0, float x1, float y1, enum wp_ui_colour colour,
                     float thickness)
{
    char text[NUMBER_SIZE];
    wp_record_line("line", x0, y0, x1 - x0, y1 - y0, drawn_with(text, colour, thickness));
    wp_gui_line(x0, y0, x1, y1, colour, thickness);
}

void wp_ui_draw_circle(float x, float y, float radius, enum wp_ui_colour colour, bool filled)
{
    wp_record_line(filled ? "disc" : "circle", x, y, radius, radius, wp_ui_colour_names[colour]);
    wp_gui_circle(x, y, radius, colour, filled);
}

void wp_ui_draw_text(float x, float y, float align, enum wp_ui_colour colour, float size,
                     const char *format, ...)
{
    struct wp_text list = {0};
    va_list args;
    va_start(args, format);
    wp_text_add_list(&list, format, args);
    va_end(args);
    const char *text = wp_text_get(&list);
    const float width = align > 0 ? wp_ui_text_width(text) : 0;
    x -= align * width * size / wp_ui_em();
    wp_record_line(wp_ui_colour_names[colour], x, y, 0, size, text);
    wp_gui_draw_text(x, y, colour, size, text);
    wp_text_free(&list);
}
