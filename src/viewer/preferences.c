#include "preferences.h"

#include "log.h"
#include "output.h"
#include "view_state.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char *const names[] = {"left", "right", "fold_left", "fold_right"};
enum { NAMES = sizeof names / sizeof *names };

// Appends $XDG_STATE_HOME/wavepass/view.json, by default in ~/.local/state. Returns false if
// neither exists. Relative paths are ignored (XDG Base Directory Specification 0.8).
static bool add_path(struct wp_text *path)
{
    const char *given = getenv("XDG_STATE_HOME"), *home = getenv("HOME");
    const bool state = given && given[0] == '/';
    if (!state && !(home && home[0] == '/'))
        return false;
    wp_text_add(path, "%s%s/wavepass/view.json", state ? given : home,
                state ? "" : "/.local/state");
    return true;
}

void wp_preferences_read(struct wp_view_state *state)
{
    struct wp_text path = {0};
    wp_begin_attempt();
    if (add_path(&path) && access(wp_text_get(&path), F_OK) == 0)
        wp_view_state_read(wp_text_get(&path), state);
    wp_end_attempt();
    wp_text_free(&path);
}

static void make_folders(char *path)
{
    for (char *slash = strchr(path + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        mkdir(path, 0700); // required by the specification
        *slash = '/';
    }
}

// Appends the settings as JSON.
static void add_settings(const struct wp_view_state *state, struct wp_text *text)
{
    for (int i = 0; i < NAMES; i++) {
        wp_text_add(text, "%s\"%s\": ", i ? ",\n" : "{\n", names[i]);
        wp_view_state_get(state, names[i], text);
    }
    wp_text_add(text, "\n}\n");
}

static bool write_text(char *path, const struct wp_text *text)
{
    make_folders(path);
    struct wp_output *output = wp_output_open(path, true);
    if (!output)
        return false;
    fputs(wp_text_get(text), wp_output_stream(output));
    return wp_output_commit(&output);
}

void wp_preferences_write(const struct wp_view_state *state)
{
    struct wp_view_state before;
    struct wp_text path = {0}, old = {0}, now = {0};
    wp_view_state_reset(&before);
    wp_preferences_read(&before);
    add_settings(&before, &old);
    add_settings(state, &now);
    if (strcmp(wp_text_get(&old), wp_text_get(&now)) != 0 && add_path(&path)) {
        wp_begin_attempt();
        write_text(path.data, &now);
        wp_end_attempt();
    }
    wp_text_free(&path);
    wp_text_free(&old);
    wp_text_free(&now);
}
