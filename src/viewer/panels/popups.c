// Popups: help, the palette of actions and settings, and prompts.
#include "actions.h"
#include "panels.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static void add_keys(const struct wp_action *a, char *text, size_t size)
{
    size_t used = 0;
    for (const char *k = a->keys ? a->keys : ""; *k && used + 4 < size; k++)
        used += (size_t)snprintf(text + used, size - used, *k == '|' ? ", " : "%c", *k);
    text[used] = '\0';
}

static void show_help(struct wp_viewer *v)
{
    const float em = wp_ui_em();
    const char *menu = "";
    wp_ui_text(WP_UI_ACCENT, "Keys");
    wp_ui_begin_child("keys", 0, -1.6F * em, 0);
    for (const struct wp_action *a = wp_actions; a->name; a++) {
        if (!wp_action_is_available(v, a))
            continue;
        if (a->menu && strcmp(a->menu, menu) != 0) {
            menu = a->menu;
            wp_ui_separator();
            wp_ui_text(WP_UI_ACCENT, "%s", menu);
        }
        char keys[64];
        add_keys(a, keys, sizeof keys);
        wp_ui_label(keys, "%s", a->label);
    }
    wp_ui_separator();
    wp_ui_label("Wheel", "zoom about the pointer");
    wp_ui_label("Drag", "move the image, or the line of the wipe");
    wp_ui_label("Right drag", "gain and offset");
    wp_ui_label("Click", "pin a pixel and select its subband; double click: show only this "
                         "subband");
    wp_ui_label("Hold Shift", "show B of a comparison");
    wp_ui_label("Drop", "images, wavelet files; states and screenshots, to restore their view");
    wp_ui_label("In panels", "after F6: arrow keys move, Space and Enter activate, Esc leaves");
    wp_ui_end_child();
    wp_ui_text(WP_UI_DIM, "Esc closes. Keys are named as on a US keyboard.");
}

// True if `text` contains the letters of `typed` in order, ignoring case.
static bool fits(const char *typed, const char *text)
{
    for (; *typed; typed++) {
        if (*typed == ' ')
            continue;
        while (*text && tolower((unsigned char)*text) != tolower((unsigned char)*typed))
            text++;
        if (!*text++)
            return false;
    }
    return true;
}

// Handles "gain 2": sets a field.
static bool try_set(struct wp_viewer *v)
{
    const size_t length = strcspn(v->typed, " ");
    const char *name;
    for (int i = 0; v->typed[length] && (name = wp_view_field(i, NULL)); i++) {
        if (strlen(name) == length && strncmp(name, v->typed, length) == 0) {
            wp_viewer_catch(v);
            wp_view_state_set(&v->state, name, v->typed + length + 1);
            wp_viewer_caught(v);
            return true;
        }
    }
    return false;
}

static const struct wp_action *list_actions(struct wp_viewer *v, const struct wp_action **best)
{
    const struct wp_action *pressed = NULL;
    int line = 0;
    *best = NULL;
    // Lists matches of the exact words first.
    for (int round = 0; round < 2; round++) {
        for (const struct wp_action *a = wp_actions; a->name; a++) {
            if (!wp_action_is_available(v, a))
                continue;
            const bool plain = wp_contains(v->typed, a->name) || wp_contains(v->typed, a->label);
            if (round == 0 ? !plain : plain || !fits(v->typed, a->label))
                continue;
            char keys[64], label[160];
            add_keys(a, keys, sizeof keys);
            if (line <= v->choice)
                *best = a;
            snprintf(label, sizeof label, "%s###%s", a->label, a->name);
            if (wp_ui_select(label, line == v->choice, 0))
                pressed = a;
            if (line == v->choice && v->choice > 0)
                wp_ui_scroll_here();
            wp_ui_same_line();
            wp_ui_text(WP_UI_DIM, "%s", keys);
            line++;
        }
    }
    if (v->choice >= line)
        v->choice = line > 0 ? line - 1 : 0;
    return pressed;
}

static void list_fields(struct wp_viewer *v)
{
    const char *name, *help;
    for (int i = 0; (name = wp_view_field(i, &help)); i++) {
        const size_t length = strcspn(v->typed, " ");
        char typed[64];
        snprintf(typed, sizeof typed, "%.*s", (int)length, v->typed);
        if (!fits(typed, name))
            continue;
        struct wp_text line = {0}, value = {0};
        wp_view_state_get(&v->state, name, &value);
        wp_text_add(&line, "%s = %s", name, wp_text_get(&value));
        if (wp_ui_select(wp_text_get(&line), false, 0))
            snprintf(v->typed, sizeof v->typed, "%s %s", name, wp_text_get(&value));
        wp_ui_tooltip(help);
        wp_text_free(&line);
        wp_text_free(&value);
    }
}

static void show_palette(struct wp_viewer *v)
{
    const bool entered = wp_ui_input("Action or setting",
                                     v->typed, sizeof v->typed, v->popup_opened);
    const struct wp_action *best, *pressed;
    wp_ui_begin_child("list", 0, 0, 0);
    pressed = list_actions(v, &best);
    wp_ui_separator();
    list_fields(v);
    wp_ui_end_child();
    if (entered && try_set(v))
        v->popup = WP_POPUP_NONE;
    else if (entered)
        pressed = best;
    if (pressed) {
        v->popup = WP_POPUP_NONE;
        wp_action_run(v, pressed);
    }
}

// Handles "x y zoom", a setting, or the path of an image, state or wavelet.
static void handle_prompt(struct wp_viewer *v)
{
    double number[3];
    char words[3][64];
    const int count = sscanf(v->typed, "%63s %63s %63s", words[0], words[1], words[2]);
    int numbers = 0;
    while (numbers < count && wp_parse_double(words[numbers], &number[numbers]))
        numbers++;
    v->popup = WP_POPUP_NONE;
    if (count >= 2 && numbers == count) {
        v->state.fit = false;
        v->state.x = number[0];
        v->state.y = number[1];
        v->state.zoom = count == 3 ? number[2] : v->state.zoom;
    } else if (v->typed[0] && !try_set(v)) {
        wp_viewer_drop(v, v->typed);
    }
}

void wp_panel_popups(struct wp_viewer *v)
{
    static const struct {
        const char *name;
        float columns, rows;
        const char *prompt, *hint;
        void (*show)(struct wp_viewer *v); // if it is not a prompt
    } popups[] = {
        [WP_POPUP_HELP] = {"help", 40, 42, .show = show_help},
        [WP_POPUP_PALETTE] = {"palette", 40, 30, .show = show_palette},
        [WP_POPUP_PROMPT] = {"prompt", 40, 6, "Open", "The path of an image, a wavelet file or a "
                             "state; or x y zoom; or a setting and its value.", NULL},
        [WP_POPUP_GO_TO] = {"go-to", 40, 6, "Go to", "x y, or x y zoom: the center of the view, in "
                            "samples from the left and the top, and screen pixels per sample.",
                            NULL},
        [WP_POPUP_WAVELETS] = {"wavelets", 44, 32, .show = wp_wavelet_list_show},
    };
    if (v->popup == WP_POPUP_NONE)
        return;
    const float em = wp_ui_em(), w = (float)v->screen.width, h = (float)v->screen.height;
    const float width = fminf(popups[v->popup].columns * em, w - em);
    const float height = fminf(popups[v->popup].rows * em, h - em);
    const char *hint = popups[v->popup].hint;
    wp_ui_begin_panel(popups[v->popup].name, 0.5F * (w - width), 0.5F * (h - height), width, height,
                      WP_UI_POPUP);
    if (!hint)
        popups[v->popup].show(v);
    else if (wp_ui_input(popups[v->popup].prompt, v->typed, sizeof v->typed, v->popup_opened))
        handle_prompt(v);
    if (hint)
        wp_ui_text(WP_UI_DIM | WP_UI_WRAPPED, "%s", hint);
    wp_ui_end_panel();
}
