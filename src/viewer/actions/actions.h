// The table of actions, shared by keys, menus, help, palette and manual.
#ifndef WP_ACTIONS_H
#define WP_ACTIONS_H

#include "viewer_struct.h"

// The scenes in which an action is available; 0: WP_OF_TRANSFORMS.
enum wp_action_of {
    WP_OF_TRANSFORMS = 1 << WP_SCENE_TRANSFORMS,
    WP_OF_SOLVER = 1 << WP_SCENE_SOLVER,
    WP_OF_PYRAMID = 1 << WP_SCENE_PYRAMID,
    WP_OF_BOTH = WP_OF_TRANSFORMS | WP_OF_SOLVER,
    WP_OF_IMAGES = WP_OF_TRANSFORMS | WP_OF_PYRAMID,
    WP_OF_ALL = WP_OF_BOTH | WP_OF_PYRAMID,
};

enum { WP_MOD_SHIFT = 0x1000, WP_MOD_CTRL = 0x2000 }; // combined with a key (ui.h) by |

struct wp_action {
    const char *name;  // in scripts: "next-wavelet"
    const char *menu;  // "View"; NULL: not in a menu
    const char *label; // "Next wavelet"
    const char *keys;  // "W", "?|F1"; NULL: no key
    // One of these four is set:
    void (*run)(struct wp_viewer *v, int argument);
    void (*act)(struct wp_viewer *v);
    size_t toggles;    // 1 + offset of a bool in struct wp_view_state
    size_t cycles;     // 1 + offset of an int there, which gets the values 0..count-1 in steps of
    int count;         // `argument`
    int argument;
    bool repeats;      // while the key is held down
    enum wp_action_of of;
};

extern const struct wp_action wp_actions[]; // terminated by {0}

const struct wp_action *wp_action_find(const char *name); // NULL if not found

// True if the action is available in the current scene.
bool wp_action_is_available(const struct wp_viewer *v, const struct wp_action *action);

// The action of a key with modifiers, or NULL.
const struct wp_action *wp_action_find_key(const struct wp_viewer *v, int chord);

void wp_action_run(struct wp_viewer *v, const struct wp_action *action);
bool wp_action_ticked(const struct wp_viewer *v, const struct wp_action *action);

// Converts "Ctrl+Shift+P" (`length` characters) to a key with modifiers. Returns 0 if it is
// invalid.
int wp_chord_parse(const char *text, size_t length);

enum { WP_LEFT, WP_RIGHT };
#define WP_STRIP 2.0F // width of a collapsed panel, in lines of text

// Sets v->folded for a window `width` lines of text wide. If there is not enough space, the right
// panel is collapsed first, then the left one.
void wp_panel_layout_choose(struct wp_viewer *v, float width);

// Collapses or expands a panel. Collapses the other one if both do not fit.
void wp_panel_layout_fold(struct wp_viewer *v, int panel);

#endif
