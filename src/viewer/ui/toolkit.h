// Calls of the GUI library (ui_imgui.cpp) of which ui.c makes panels, controls, texts and drawings,
// and ui_record.c the keyboard focus. Only for the files of this folder; others use ui.h.
#ifndef WP_TOOLKIT_H
#define WP_TOOLKIT_H

#include "ui.h"

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

struct wp_gui_item {
    float left, top, right, bottom; // edges on the screen
    bool focused, active;
    bool pressed_twice; // in this frame, by a double click
};

struct wp_gui_item wp_gui_item(void); // the latest one
void wp_gui_outline(const struct wp_gui_item *item); // shows the keyboard focus

const char *wp_gui_name(void); // of the library, with its version
void wp_gui_destroy(void);     // also without wp_ui_create()
void wp_gui_mouse_button(int button, bool down);
void wp_gui_begin_frame(int width, int height, float seconds, enum wp_theme theme, float scale);
// Calls add() with all data that are drawn.
void wp_gui_end_frame(void (*add)(const void *data, size_t size));

// Keyboard. A key that the library does not know is ignored.
void wp_gui_key(int key, bool down);
bool wp_gui_shift(void);        // held down
bool wp_gui_has_active(void);   // an item is active
bool wp_gui_has_list(void);     // a list or menu is open
void wp_gui_navigate(bool on);  // the library's navigation by keys
void wp_gui_focus_panel(const char *name);

struct wp_gui_metrics {
    float width_left, height_left; // in the panel
    float padding;                 // inside of a control, at its left and right edge
    float grab;                    // width of a slider's grab
    float line;                    // height of a line of text
};

struct wp_gui_metrics wp_gui_metrics(void);

// Layout. Names need not be unique between panels.
unsigned wp_gui_id(const char *name); // of a control in the current panel
void wp_gui_align(void);        // texts of the line are aligned to controls
void wp_gui_indent(void);       // continues the line where controls begin
void wp_gui_row(const char *label); // a label; the control after it fills the line
float wp_gui_width(const char *begin, const char *end); // of a text, to `end` or, if NULL, '\0'
void wp_gui_mono(bool on);      // the monospace font, until off
void wp_gui_cursor(float *x, float *y); // position of the next item

// Panels, menus and tabs as with ui.h. The end of a tab is required if it is open, the end of a
// menu bar, a menu and tabs if begin returned true.
bool wp_gui_begin_panel(const char *name, float x, float y, float width, float height,
                        unsigned flags);
void wp_gui_end_panel(void);
bool wp_gui_begin_menu_bar(struct wp_gui_item *bar);
void wp_gui_end_menu_bar(void);
bool wp_gui_begin_menu(const char *label);
void wp_gui_end_menu(bool close);
bool wp_gui_menu_item(const char *label, const char *keys, bool ticked);
bool wp_gui_section(const char *label, bool open_at_first);
bool wp_gui_begin_tabs(const char *name);
bool wp_gui_tab(const char *label, bool select); // true: open
void wp_gui_end_tab(void);
void wp_gui_end_tabs(void);

// Controls and texts. They return true if pressed or changed.

// `style` as in wp_ui_text().
void wp_gui_text(unsigned style, const char *text);
// `text` is writable and has `size` bytes; it is not changed.
void wp_gui_read_only(const char *name, char *text, size_t size, float width, float height);
bool wp_gui_begin_list(const char *name, const char *shown); // true: open, requires the end
bool wp_gui_list_line(const char *text, bool selected, const char *reason); // true: pressed
void wp_gui_end_list(bool close);
bool wp_gui_check(const char *label, bool *value);
bool wp_gui_button(const char *label, bool on);
bool wp_gui_wide_button(const char *name, const char *shown);
bool wp_gui_select(const char *label, bool selected, float width);
bool wp_gui_input(const char *name, char *text, int size, bool focus); // true: Enter
bool wp_gui_space(const char *name, float width, float height);
void wp_gui_tooltip(const char *text); // of the latest item
bool wp_gui_slide_int(const char *name, float width, int *value, int least, int most,
                      const char *format);
bool wp_gui_slide_float(const char *name, float width, float *value, float least, float most,
                        bool logarithmic, const char *format);

// Drawing as with ui.h.
void wp_gui_clip(float x, float y, float width, float height);
void wp_gui_rect(float x, float y, float width, float height, enum wp_ui_colour colour,
                 float alpha);
void wp_gui_frame(float x, float y, float width, float height, enum wp_ui_colour colour,
                  float thickness);
void wp_gui_line(float x0, float y0, float x1, float y1, enum wp_ui_colour colour,
                 float thickness);
void wp_gui_circle(float x, float y, float radius, enum wp_ui_colour colour, bool filled);
void wp_gui_draw_text(float x, float y, enum wp_ui_colour colour, float size, const char *text);

#ifdef __cplusplus
}
#endif

#endif
