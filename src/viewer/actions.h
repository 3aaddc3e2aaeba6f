// What can be done with a key: one table that keys, menus, help, palette and manual share.
#ifndef WP_ACTIONS_H
#define WP_ACTIONS_H

#include "scene.h"

#include <stdbool.h>
#include <stddef.h>

struct wp_viewer;

// What actions are for: a set of scenes, and 0 is transforms.
enum wp_action_of {
    WP_OF_TRANSFORMS = 1 << WP_SCENE_TRANSFORMS,
    WP_OF_SOLVER = 1 << WP_SCENE_SOLVER,
    WP_OF_PYRAMID = 1 << WP_SCENE_PYRAMID,
    WP_OF_BOTH = WP_OF_TRANSFORMS | WP_OF_SOLVER,
    WP_OF_IMAGES = WP_OF_TRANSFORMS | WP_OF_PYRAMID,
    WP_OF_ALL = WP_OF_BOTH | WP_OF_PYRAMID,
};

enum { WP_MOD_SHIFT = 0x1000, WP_MOD_CTRL = 0x2000 }; // or'ed to a key (ui.h)

struct wp_action {
    const char *name;  // for scripts: "next-wavelet"
    const char *menu;  // "View"; NULL: in no menu
    const char *label; // "Next wavelet"
    const char *keys;  // "W", "?|F1"; NULL: none
    // One of these:
    void (*run)(struct wp_viewer *v, int argument);
    size_t toggles;    // offset of a bool in the state, + 1
    int argument;
    bool repeats;      // while the key is held
    enum wp_action_of of;
};

extern const struct wp_action wp_actions[]; // ended by {0}

const struct wp_action *wp_action_find(const char *name); // NULL where there is none

// False for what is not for the scene.
bool wp_action_here(const struct wp_viewer *v, const struct wp_action *action);

// The action of a key with modifiers, or NULL.
const struct wp_action *wp_action_of_key(const struct wp_viewer *v, int chord);

void wp_action_run(struct wp_viewer *v, const struct wp_action *action);
bool wp_action_ticked(const struct wp_viewer *v, const struct wp_action *action);

// "Ctrl+Shift+P" to a key with modifiers; `length` characters. 0 where there is no such key.
int wp_chord_parse(const char *text, size_t length);

#endif
