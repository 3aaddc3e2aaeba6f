// Finding one of the commands.
#include "command.h"

#include <string.h>

const struct wp_command *wp_command_find(const struct wp_command *const *commands,
                                         const char *name)
{
    for (int i = 0; commands[i]; i++)
        if (strcmp(name, commands[i]->name) == 0 ||
            (commands[i]->alias && strcmp(name, commands[i]->alias) == 0))
            return commands[i];
    return NULL;
}

bool wp_command_unknown(const struct wp_command *const *commands, const char *name)
{
    enum { NAMES_MAX = 32 };
    const char *names[NAMES_MAX];
    int count = 0;
    for (int i = 0; commands[i] && count + 2 <= NAMES_MAX; i++) {
        names[count++] = commands[i]->name;
        if (commands[i]->alias)
            names[count++] = commands[i]->alias;
    }
    const char *near = wp_nearest(name, names, count);
    return wp_fail(WP_ERROR_USAGE, "unknown command '%s'\nhint: %s%s%s'wavepass' lists all", name,
                   near ? "did you mean '" : "", near ? near : "", near ? "'?  " : "");
}
