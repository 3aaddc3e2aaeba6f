#include "ui_record.h"

#include "text.h"
#include "theme.h"
#include "xmemory.h"

#include <stdlib.h>
#include <string.h>

struct control {
    char *name; // "panel/label"
    float x, y;
};

struct controls {
    struct control *control;
    int count, room;
};

// Of this frame and of the latest one.
static struct controls controls, latest;

enum { NESTED_MAX = 4 }; // panels in panels; two are in use
static char *panels[NESTED_MAX];
static int panel_count;

// The panel with the keyboard focus, NULL: none, and frames left until its first control gets it.
enum { ENTER_FOCUS = 4, ENTER_PRESS = 3, ENTER_RELEASE = 2 };
static char *entered;
static int entering;
static struct wp_text focused, latest_focused;
static bool closing;

// Hashes of the latest two frames.
static unsigned long long drawn, drawn_before;

// Reports of this frame and the latest one, if enabled.
static bool reporting;
static struct wp_text report_text, latest_report;

static void clear(struct controls *list)
{
    for (int i = 0; i < list->count; i++)
        free(list->control[i].name);
    list->count = 0;
}

static void swap_texts(struct wp_text *a, struct wp_text *b)
{
    const struct wp_text text = *a;
    *a = *b;
    *b = text;
}

void wp_record_begin(void)
{
    clear(&controls);
    wp_text_clear(&focused);
    wp_text_clear(&report_text);
    if (reporting)
        wp_text_add(&report_text, "%s\n", wp_gui_name());
}

void wp_record_end(void)
{
    const struct controls list = latest;
    latest = controls;
    controls = list;
    swap_texts(&latest_report, &report_text);
    swap_texts(&latest_focused, &focused);
    closing = false;
}

void wp_record_clear(void)
{
    struct controls *lists[] = {&controls, &latest};
    for (int i = 0; i < 2; i++) {
        clear(lists[i]);
        free(lists[i]->control);
        *lists[i] = (struct controls){0};
    }
    while (panel_count > 0)
        wp_record_close();
    free(entered);
    entered = NULL;
    entering = 0;
    closing = reporting = false;
    wp_text_free(&focused);
    wp_text_free(&latest_focused);
    wp_text_free(&report_text);
    wp_text_free(&latest_report);
}

void wp_record_open(const char *panel)
{
    panels[panel_count++] = wp_xstrdup(panel);
}

void wp_record_close(void)
{
    free(panels[--panel_count]);
}

static const char *panel_name(void)
{
    return panel_count > 0 ? panels[panel_count - 1] : "window";
}

bool wp_record_reports(void)
{
    return reporting;
}

void wp_record_line(const char *kind, float x, float y, float width, float height,
                    const char *text)
{
    if (!reporting)
        return;
    wp_text_add(&report_text, "%s %s @%.0f,%.0f,%.0f,%.0f ", panel_name(), kind, (double)x,
                (double)y, (double)width, (double)height);
    for (int length; (length = (int)strcspn(text, "\n")), text[length]; text += length + 1)
        wp_text_add(&report_text, "%.*s\\n", length, text);
    wp_text_add(&report_text, "%s\n", text);
}

void wp_record_item(const char *kind, const char *text)
{
    const struct wp_gui_item item = wp_gui_item();
    wp_record_line(kind, item.left, item.top, item.right - item.left, item.bottom - item.top,
                   text);
}

void wp_record_control(const char *label, const char *value)
{
    const char *id = strstr(label, "###");
    label = id ? id + 3 : label;
    const struct wp_gui_item item = wp_gui_item();
    if (controls.count == controls.room) {
        controls.room = 2 * controls.room + 64;
        controls.control = wp_xrealloc(controls.control, (size_t)controls.room,
                                       sizeof *controls.control);
    }
    struct wp_text name = {0};
    wp_text_add(&name, "%s/%s", panel_name(), label);
    controls.control[controls.count++] = (struct control){
        .name = name.data, .x = 0.5F * (item.left + item.right),
        .y = 0.5F * (item.top + item.bottom)};
    if (reporting) {
        struct wp_text line = {0};
        wp_text_add(&line, "%s%s%s", label, *value ? ": " : "", value);
        wp_record_item("control", wp_text_get(&line));
        wp_text_free(&line);
    }
    if (!entered || !item.focused)
        return;
    wp_text_clear(&focused);
    wp_text_add(&focused, "%s", name.data);
    wp_gui_outline(&item); // some controls do not show the focus
}

void wp_record_move_control(float x, float y)
{
    controls.control[controls.count - 1].x = x;
    controls.control[controls.count - 1].y = y;
}

bool wp_ui_find_control(const char *label, float *x, float *y)
{
    const bool qualified = strchr(label, '/') != NULL;
    for (int i = 0; i < latest.count; i++) {
        const char *name = latest.control[i].name;
        const char *id = strchr(name, '/') + 1;
        if (strcmp(qualified ? name : id, label) == 0) {
            *x = latest.control[i].x;
            *y = latest.control[i].y;
            return true;
        }
    }
    return false;
}

const char *wp_ui_control(int number)
{
    return number < latest.count ? latest.control[number].name : NULL;
}

void wp_ui_report(void)
{
    reporting = true;
}

const char *wp_ui_reported(void)
{
    return wp_text_get(&latest_report);
}

// ---- Changes.

static unsigned long long mix(unsigned long long hash, unsigned long long word)
{
    hash = (hash ^ word) * 1099511628211ULL;
    return hash ^ hash >> 29;
}

void wp_record_hash_begin(void)
{
    drawn_before = drawn;
    drawn = 14695981039346656037ULL;
}

// Hashes four words at a time: a panel may have hundreds of kilobytes of vertices per frame.
void wp_record_hash_add(const void *data, size_t size)
{
    enum { CHAINS = 4 };
    const unsigned char *bytes = data;
    unsigned long long chain[CHAINS] = {drawn, 1, 2, 3}, word[CHAINS];
    for (; size >= sizeof word; size -= sizeof word, bytes += sizeof word) {
        memcpy(word, bytes, sizeof word);
        for (int i = 0; i < CHAINS; i++)
            chain[i] = mix(chain[i], word[i]);
    }
    memset(word, 0, sizeof word);
    if (size > 0)
        memcpy(word, bytes, size);
    for (int i = 0; i < CHAINS; i++)
        drawn = mix(drawn, mix(chain[i], word[i]));
    drawn = mix(drawn, size);
}

bool wp_ui_changed(void)
{
    return drawn != drawn_before;
}

// ---- Keyboard focus.

// Adds the panel of a control to the list, unless it is in it. The items of the menu all have keys.
static void add_panel(const char *control, char **list, int *count)
{
    const size_t length = strcspn(control, "/");
    char *name = wp_xstrdup(control);
    name[length] = '\0';
    bool known = strcmp(name, "menu") == 0 || strcmp(name, "window") == 0;
    for (int i = 0; i < *count; i++)
        known = known || strcmp(name, list[i]) == 0;
    if (known)
        free(name);
    else
        list[(*count)++] = name;
}

void wp_ui_enter(int step)
{
    char **list = wp_xcalloc((size_t)latest.count + 1, sizeof *list);
    int count = 0, now = step > 0 ? -1 : 0;
    for (int i = 0; i < latest.count; i++)
        add_panel(latest.control[i].name, list, &count);
    for (int i = 0; i < count; i++)
        if (entered && strcmp(list[i], entered) == 0)
            now = i;
    if (count > 0) {
        free(entered);
        entered = wp_xstrdup(list[(now + step + count) % count]);
        entering = ENTER_FOCUS;
        wp_gui_navigate(true);
    }
    for (int i = 0; i < count; i++)
        free(list[i]);
    free(list);
}

bool wp_ui_close_list(void)
{
    closing = wp_gui_has_list();
    return closing;
}

bool wp_record_closes_lists(void)
{
    return closing;
}

void wp_ui_leave(void)
{
    if (!entered)
        return;
    // Release keys that are still pressed.
    static const int keys[] = {WP_KEY_UP, WP_KEY_DOWN, ' '};
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        wp_ui_key(keys[i], false);
    free(entered);
    entered = NULL;
    entering = 0;
    wp_gui_navigate(false);
}

void wp_ui_key(int key, bool down)
{
    // Open popups and active items handle Esc.
    if (key == WP_KEY_ESCAPE && down && !wp_gui_has_active() && !wp_gui_has_list())
        wp_ui_leave();
    // Tab and Enter behave differently between versions of the toolkit: they act only on text
    // fields, or turn sliders into text fields.
    if (key == WP_KEY_TAB && entered)
        key = wp_gui_shift() ? WP_KEY_UP : WP_KEY_DOWN;
    if (key == WP_KEY_ENTER && entered && !wp_ui_captures_text())
        key = ' ';
    wp_gui_key(key, down);
}

bool wp_ui_captures_key(int key)
{
    return entered && (key == ' ' || (key >= WP_KEY_ESCAPE && key <= WP_KEY_END));
}

const char *wp_ui_focused(void)
{
    return wp_text_get(&latest_focused);
}

bool wp_ui_needs_frame(void)
{
    return entering > 0;
}

// Focuses the panel, then presses an arrow key to focus its first control.
void wp_record_continue_entering(void)
{
    if (entering == ENTER_FOCUS)
        wp_gui_focus_panel(entered);
    else if (entering == ENTER_PRESS || entering == ENTER_RELEASE)
        wp_ui_key(WP_KEY_DOWN, entering == ENTER_PRESS);
    entering -= entering > 0;
}
