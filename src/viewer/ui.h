// The user interface toolkit behind C: Dear ImGui, in one file of C++ (ui_imgui.cpp). What is
// here is what the viewer uses and no more. One interface exists at a time; every function
// but the input needs to be called between wp_ui_begin_frame() and wp_ui_end_frame(), with the
// GL context of wp_ui_create() current.
//
// Coordinates are pixels from the top left corner of the window.
#ifndef WP_UI_H
#define WP_UI_H

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
    WP_UI_BACK,   // of the canvas
    WP_UI_PANEL,
    WP_UI_LINE,
    WP_UI_BLACK,  // half transparent, behind captions
    WP_UI_WHITE,  // on such
    WP_UI_A, WP_UI_B, // the two sides of a comparison
    WP_UI_RED, WP_UI_GREEN, WP_UI_BLUE, // planes of a colour image, on the canvas's back
    WP_UI_COLOURS
};

// Keys are the ASCII character on them (letters upper case), or one of these.
enum wp_key {
    WP_KEY_NONE = 0,
    WP_KEY_ESCAPE = 256, WP_KEY_ENTER, WP_KEY_TAB, WP_KEY_BACKSPACE, WP_KEY_DELETE,
    WP_KEY_LEFT, WP_KEY_RIGHT, WP_KEY_UP, WP_KEY_DOWN, WP_KEY_PAGE_UP, WP_KEY_PAGE_DOWN,
    WP_KEY_HOME, WP_KEY_END, WP_KEY_SHIFT, WP_KEY_CTRL,
    WP_KEY_F1, WP_KEY_F2, WP_KEY_F3, WP_KEY_F4, WP_KEY_F5, WP_KEY_F6, WP_KEY_F7, WP_KEY_F8,
    WP_KEY_F9, WP_KEY_F10, WP_KEY_F11, WP_KEY_F12,
    WP_KEY_COUNT
};

// False where the GL part does not start. Fonts are TrueType files in memory that stay.
bool wp_ui_create(const unsigned char *font, int font_size, const unsigned char *mono,
                  int mono_size);
void wp_ui_destroy(void);

// Input, before the frame that it is for.
void wp_ui_mouse_move(float x, float y);
void wp_ui_mouse_button(int button, bool down); // 0 left, 1 right, 2 middle
void wp_ui_mouse_wheel(float notches);
void wp_ui_key(int key, bool down);
void wp_ui_character(unsigned character);
bool wp_ui_captures_mouse(void); // as of the latest frame: the pointer is over a panel
bool wp_ui_captures_text(void);  // a field has the keyboard

// The keyboard in the panels: the next panel with controls (step 1) or the one before (-1) takes
// it, and there arrows, Tab, Space and Enter move and press. Esc, a click beside the panels or
// wp_ui_leave() give it back.
void wp_ui_enter(int step);
void wp_ui_leave(void);
bool wp_ui_close_list(void);           // or the menu that is open, in the next frame; false: none
bool wp_ui_captures_key(int key);         // it means something there; ask after wp_ui_key()
const char *wp_ui_focused(void);       // "panel/label" as of the latest frame, "" for none
bool wp_ui_needs_frame(void);          // what began needs one more
bool wp_ui_changed(void);              // the latest frame is another picture than the one before

// What fields copy to and paste from. get's text stays until the next call.
void wp_ui_set_clipboard(void (*set)(void *user, const char *text),
                         const char *(*get)(void *user), void *user);

// Fonts and sizes follow `scale`, which takes effect here.
void wp_ui_begin_frame(int width, int height, float seconds, enum wp_theme theme, float scale);
void wp_ui_end_frame(void); // draws on the current framebuffer
float wp_ui_em(void); // height of a line of text
void wp_ui_get_colour(enum wp_ui_colour colour, float rgb[3]);

// Controls that were there in the latest frame, by label ("Wavelet", or "panel/Wavelet" with
// the panel's name), for scripts. False where there is none of that name.
bool wp_ui_find_control(const char *label, float *x, float *y);
const char *wp_ui_control(int number); // "panel/label", NULL behind the last

// From here on each frame is told as text: the toolkit's version, and a line for each thing that is
// drawn: its panel, kind or colour, "@x,y,width,height" in pixels, words. Controls that are scrolled
// away are told as well, and tooltips that the pointer is not on. For scripts.
void wp_ui_report(void);
const char *wp_ui_reported(void); // of the latest frame; until the next one

// Panels stay where they are put. end is needed even where begin returns false.
enum { WP_UI_POPUP = 1 /* above everything */, WP_UI_SCROLL_X = 2, WP_UI_BAR = 4,
       WP_UI_TIGHT = 8 /* next to no margin */ };
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

// A part of a panel that can be folded away.
bool wp_ui_section(const char *label, bool open_at_first);
bool wp_ui_begin_tabs(const char *name);
void wp_ui_end_tabs(void);
bool wp_ui_begin_tab(const char *label, bool select); // end_tab only where true
void wp_ui_end_tab(void);

// Text. Colours name what it is, size is that of the panel.
void wp_ui_text(enum wp_ui_colour colour, const char *text);
void wp_ui_text_wrapped(enum wp_ui_colour colour, const char *text);
void wp_ui_mono(enum wp_ui_colour colour, const char *text);
// The same in a panel that scrolls both ways: it can be selected, by letters, lines or all, and
// copied.
void wp_ui_listing(const char *name, const char *text);
void wp_ui_label(const char *label, const char *text); // a row: name and value
float wp_ui_text_width(const char *text);

// Controls. True where the value was changed, or the thing pressed.
bool wp_ui_combo(const char *label, int *index, const char *const *names, int count);
// The same with lines that cannot be chosen: those with a reason, which they tell.
bool wp_ui_combo_of(const char *label, int *index, const char *const *names,
                    const char *const *reasons, int count);
// A row that shows what is chosen somewhere else, and opens that where it is pressed.
bool wp_ui_opener(const char *label, const char *shown);
bool wp_ui_check(const char *label, bool *value);
bool wp_ui_slide_int(const char *label, int *value, int least, int most);
bool wp_ui_slide(const char *label, float *value, float least, float most, bool logarithmic,
                 const char *format);
// Without a name beside it; the format has a %d. And lines on it, from 0 at its left end to 1.
bool wp_ui_slide_bar(const char *name, float width, int *value, int least, int most,
                     const char *format);
void wp_ui_marks(const float *at, int count);
bool wp_ui_button(const char *label);
bool wp_ui_select(const char *label, bool selected, float width);
bool wp_ui_toggle(const char *label, bool on); // a button that stays down
// Enter was pressed. `focus`: gets the keyboard.
bool wp_ui_input(const char *label, char *text, int size, bool focus);
void wp_ui_same_line(void);
void wp_ui_tooltip(const char *text); // of the control before
void wp_ui_scroll_here(void);

// Room for a drawing in a panel: where it is. An invisible button where named: true while it is
// pressed; NULL for none.
bool wp_ui_space(const char *name, float width, float height, float *x, float *y);
float wp_ui_width_left(void);
// A narrow panel that is dragged: true while it is, with where the pointer is.
bool wp_ui_edge(const char *name, float x, float y, float width, float height, float *pointer);

// Drawing: into the current panel, or where there is none behind all panels.
void wp_ui_clip(float x, float y, float width, float height);
void wp_ui_unclip(void);
void wp_ui_draw_rect(float x, float y, float width, float height, enum wp_ui_colour colour,
                     float alpha);
void wp_ui_draw_frame(float x, float y, float width, float height, enum wp_ui_colour colour,
                      float thickness);
void wp_ui_draw_line(float x0, float y0, float x1, float y1, enum wp_ui_colour colour,
                     float thickness);
void wp_ui_draw_circle(float x, float y, float radius, enum wp_ui_colour colour, bool filled);
void wp_ui_draw_text(float x, float y, enum wp_ui_colour colour, float size, const char *text);

#ifdef __cplusplus
}
#endif

#endif
