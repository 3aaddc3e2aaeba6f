#include "command.h"

#include "suggest.h"

#include <string.h>

bool wp_is_stdio(const char *path)
{
    return path && strcmp(path, "-") == 0;
}

const struct wp_command *wp_command_find(const struct wp_program *program, const char *name)
{
    const struct wp_command *const *commands = program->commands;
    for (int i = 0; commands[i]; i++)
        if (strcmp(name, commands[i]->name) == 0 ||
            (commands[i]->alias && strcmp(name, commands[i]->alias) == 0))
            return commands[i];
    return NULL;
}

bool wp_command_unknown(const struct wp_program *program, const char *name)
{
    const struct wp_command *const *commands = program->commands;
    struct wp_lookup lookup = {.name = name};
    for (int i = 0; commands[i]; i++) {
        wp_lookup_is(&lookup, commands[i]->name);
        if (commands[i]->alias)
            wp_lookup_is(&lookup, commands[i]->alias);
    }
    struct wp_text hint = {0};
    wp_text_add(&hint, "'%s' lists all", program->name);
    const bool failed =
        wp_lookup_fail(&lookup, wp_text_get(&hint), "unknown command '%s'", name);
    wp_text_free(&hint);
    return failed;
}
