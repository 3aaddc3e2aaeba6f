// C interface of the user interface toolkit, Dear ImGui (ui_imgui.cpp). There is one interface at a
// time. All functions except input require the GL context of wp_ui_create() to be current and must
// be called between wp_ui_begin_frame() and wp_ui_end_frame().
//
// Coordinates are pixels from the top left corner of the window.
#ifndef WP_UI_H
#define WP_UI_H

#include "wavepass_log.h"

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

enum wp_theme { WP_THEME_DARK, WP_THEME_LIGHT, WP_THEME_CONTRAST, WP_THEME_COUNT };

extern const char *const wp_theme_names[WP_THEME_COUNT]; // "dark", "light", "contrast"

enum wp_ui_colour {
    WP_UI_TEXT,
    WP_UI_DIM,
    WP_UI_ACCENT,
    WP_UI_WARNING,
    WP_UI_BACKGROUND,   // canvas background
    WP_UI_PANEL,
    WP_UI_LINE,
    WP_UI_BLACK,  // half transparent, background of captions
    WP_UI_WHITE,  // text of captions
    WP_UI_A, WP_UI_B, // the two instances of a comparison
    WP_UI_RED, WP_UI_GREEN, WP_UI_BLUE, // planes of a color image, on the canvas
    WP_UI_COLOURS
};

// Keys are ASCII characters (letters in upper case) or one of these, with the numbers of GLFW.
enum wp_key {
    WP_KEY_NONE = 0,
    WP_KEY_ESCAPE = 256, WP_KEY_ENTER, WP_KEY_TAB, WP_KEY_BACKSPACE, WP_KEY_INSERT, WP_KEY_DELETE,
    WP_KEY_RIGHT, WP_KEY_LEFT, WP_KEY_DOWN, WP_KEY_UP, WP_KEY_PAGE_UP, WP_KEY_PAGE_DOWN,
    WP_KEY_HOME, WP_KEY_END,
    WP_KEY_F1 = 290, WP_KEY_F2, WP_KEY_F3, WP_KEY_F4, WP_KEY_F5, WP_KEY_F6, WP_KEY_F7, WP_KEY_F8,
    WP_KEY_F9, WP_KEY_F10, WP_KEY_F11, WP_KEY_F12,
    WP_KEY_SHIFT = 340, WP_KEY_CTRL,
    WP_KEY_COUNT
};

// Returns false if the GL renderer fails to start. The fonts are TrueType files in memory that must
// outlive the interface.
bool wp_ui_create(const unsigned char *font, int font_size, const unsigned char *mono,
                  int mono_size);
void wp_ui_destroy(void);

// Input for the next frame.
void wp_ui_mouse_move(float x, float y);
void wp_ui_mouse_button(int button, bool down); // 0 left, 1 right, 2 middle
void wp_ui_mouse_wheel(float notches);
void wp_ui_key(int key, bool down);
void wp_ui_character(unsigned character);
bool wp_ui_captures_mouse(void); // the pointer was over a panel in the latest frame
bool wp_ui_captures_text(void);  // a text field has the focus

// Keyboard navigation in panels: moves the focus to the next (step 1) or previous (-1) panel with
// controls. Then arrows, Tab, Space and Enter move and press. Esc, a click outside the panels or
// wp_ui_leave() ends it.
void wp_ui_enter(int step);
void wp_ui_leave(void);
bool wp_ui_close_list(void);           // closes the open list or menu; false: none was open
bool wp_ui_captures_key(int key);      // the focused control uses it; call after wp_ui_key()
const char *wp_ui_focused(void);       // "panel/label" in the latest frame, "" without focus
bool wp_ui_needs_frame(void);          // an animation or layout needs another frame
bool wp_ui_changed(void);              // the latest frame differs from the previous one

// Clipboard callbacks. The text returned by `get` must stay valid until the next call.
void wp_ui_set_clipboard(void (*set)(void *user, const char *text),
                         const char *(*get)(void *user), void *user);

// Begins a frame. Font and control sizes are multiplied by `scale`.
void wp_ui_begin_frame(int width, int height, float seconds, enum wp_theme theme, float scale);
void wp_ui_end_frame(void); // draws to the current framebuffer
float wp_ui_em(void); // line height
void wp_ui_get_colour(enum wp_ui_colour colour, float rgb[3]);

// Finds a control of the latest frame by label ("Wavelet" or "panel/Wavelet"), for scripts. Returns
// false if there is no such control.
bool wp_ui_find_control(const char *label, float *x, float *y);
const char *wp_ui_control(int number); // "panel/label"; NULL after the last

// Enables text reports of frames, for scripts: the toolkit's version, and for each drawn item a
// line with panel, kind or color, "@x,y,width,height" in pixels, and text. Includes controls that
// are scrolled out of view and all tooltips.
void wp_ui_report(void);
const char *wp_ui_reported(void); // of the latest frame, valid until the next one

// Panels have fixed positions. wp_ui_end_panel() is required even if begin returns false.
enum { WP_UI_POPUP = 1 /* topmost */, WP_UI_SCROLL_X = 2, WP_UI_BAR = 4,
       WP_UI_TIGHT = 8 /* small margins */ };
bool wp_ui_begin_panel(const char *name, float x, float y, float width, float height,
                       unsigned flags);
void wp_ui_end_panel(void);
bool wp_ui_begin_child(const char *name, float width, float height, unsigned flags);
void wp_ui_end_child(void);

bool wp_ui_begin_menu_bar(float *height); // at the top of the window
void wp_ui_end_menu_bar(void);
bool wp_ui_begin_menu(const char *label);
void wp_ui_end_menu(void);
bool wp_ui_menu_item(const char *label, const char *keys, bool ticked);
void wp_ui_separator(void);

// A collapsible section of a panel.
bool wp_ui_section(const char *label, bool open_at_first);
// A bar of tabs; selects tab number `select` if it is not negative. show() draws the open tab.
void wp_ui_tabs(const char *name, const char *const *labels, int count, int select,
                void (*show)(void *user, int tab), void *user);

// Formatted text in the panel's font size; `style` is an enum wp_ui_colour, | the flags.
enum { WP_UI_WRAPPED = 0x100, WP_UI_MONO = 0x200 };
void wp_ui_text(unsigned style, const char *format, ...) WP_PRINTF(2, 3);
// A row with name and value.
void wp_ui_label(const char *label, const char *format, ...) WP_PRINTF(2, 3);
// Monospace text in a panel that scrolls in both directions, with selection and copying.
void wp_ui_listing(const char *name, const char *text);
float wp_ui_text_width(const char *text);

// Controls. Return true if the value changed or the control was pressed.
bool wp_ui_combo(const char *label, int *index, const char *const *names, int count);
// Lines with a reason are disabled and show it as a tooltip.
bool wp_ui_combo_of(const char *label, int *index, const char *const *names,
                    const char *const *reasons, int count);
// A row that shows a value selected elsewhere; returns true if pressed, to open that list.
bool wp_ui_opener(const char *label, const char *shown);
bool wp_ui_check(const char *label, bool *value);
bool wp_ui_slide_int(const char *label, int *value, int least, int most);
bool wp_ui_slide(const char *label, float *value, float least, float most, bool logarithmic,
                 const char *format);
// A table: a name, and sliders of `width` without a label. A double click resets a slider.
void wp_ui_cell_text(enum wp_ui_colour colour, const char *text);
enum wp_ui_slid { WP_UI_SAME, WP_UI_CHANGED, WP_UI_RESET };
enum wp_ui_slid wp_ui_slide_cell(const char *name, float width, float *value, float least,
                                 float most, bool logarithmic, const char *format);
// A slider without a label; the format has a %d. wp_ui_marks() draws lines on it, at 0 (left) to 1.
bool wp_ui_slide_bar(const char *name, float width, int *value, int least, int most,
                     const char *format);
void wp_ui_marks(const float *at, int count);
bool wp_ui_button(const char *label);
bool wp_ui_select(const char *label, bool selected, float width);
bool wp_ui_toggle(const char *label, bool on); // a button that stays pressed
// Returns true if Enter was pressed. `focus` gives it the keyboard focus.
bool wp_ui_input(const char *label, char *text, int size, bool focus);
void wp_ui_same_line(void);
void wp_ui_at(float x); // continues the line at `x` from the panel's contents
void wp_ui_tooltip(const char *text); // of the previous control
void wp_ui_scroll_here(void);

// Reserves space for a drawing in a panel and returns its position. If `name` is not NULL, the
// space is an invisible button, and the function returns true while it is pressed.
bool wp_ui_space(const char *name, float width, float height, float *x, float *y);
float wp_ui_width_left(void);
// A narrow panel that can be dragged: true during the drag, with the pointer's position.
bool wp_ui_edge(const char *name, float x, float y, float width, float height, float *pointer);

// Drawing into the current panel, or below all panels if there is none.
void wp_ui_clip(float x, float y, float width, float height);
void wp_ui_unclip(void);
void wp_ui_draw_rect(float x, float y, float width, float height, enum wp_ui_colour colour,
                     float alpha);
void wp_ui_draw_frame(float x, float y, float width, float height, enum wp_ui_colour colour,
                      float thickness);
void wp_ui_draw_line(float x0, float y0, float x1, float y1, enum wp_ui_colour colour,
                     float thickness);
void wp_ui_draw_circle(float x, float y, float radius, enum wp_ui_colour colour, bool filled);
// `x` is the left edge of the text, or with `align` 0.5 its middle, or with 1 its right edge.
void wp_ui_draw_text(float x, float y, float align, enum wp_ui_colour colour, float size,
                     const char *format, ...) WP_PRINTF(6, 7);

#ifdef __cplusplus
}
#endif

#endif
