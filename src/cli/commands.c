// The registry of subcommands. To add one, write its file and add its two lines here.
#include "command.h"

#include "names.h"

#include <string.h>

extern const struct wp_command wp_command_forward, wp_command_inverse, wp_command_verify,
    wp_command_bench, wp_command_compare, wp_command_explain, wp_command_view, wp_command_info,
    wp_command_manual;

const struct wp_command *const wp_commands[] = {
    &wp_command_forward,
    &wp_command_inverse,
    &wp_command_verify,
    &wp_command_bench,
    &wp_command_compare,
    &wp_command_explain,
    &wp_command_view,
    &wp_command_info,
    &wp_command_manual,
    NULL,
};

const struct wp_command *wp_command_find(const char *name)
{
    for (int i = 0; wp_commands[i]; i++)
        if (strcmp(name, wp_commands[i]->name) == 0 ||
            (wp_commands[i]->alias && strcmp(name, wp_commands[i]->alias) == 0))
            return wp_commands[i];
    return NULL;
}

bool wp_command_unknown(const char *name)
{
    struct wp_lookup lookup = {.name = name};
    for (int i = 0; wp_commands[i]; i++) {
        wp_lookup_is(&lookup, wp_commands[i]->name);
        if (wp_commands[i]->alias)
            wp_lookup_is(&lookup, wp_commands[i]->alias);
    }
    return wp_lookup_fail(&lookup, "'wavepass' lists all", "unknown command '%s'", name);
}
