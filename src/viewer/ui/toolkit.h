// Calls of the GUI library (ui_imgui.cpp) of which ui.c makes controls, texts and drawings, and
// ui_record.c the keyboard focus. Only for the files of this folder; others use ui.h.
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

// `style` as in wp_ui_text().
void wp_gui_text(unsigned style, const char *text);
// `text` is writable and has `size` bytes; it is not changed.
void wp_gui_read_only(const char *name, char *text, size_t size, float width, float height);
bool wp_gui_begin_list(const char *name, const char *shown); // true: open, requires the end
bool wp_gui_list_line(const char *text, bool selected, const char *reason); // true: pressed
void wp_gui_end_list(bool close);
bool wp_gui_wide_button(const char *name, const char *shown);
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
