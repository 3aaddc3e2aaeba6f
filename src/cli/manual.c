// Generates help from the tables of commands and options: --help, `wavepass help`, and for the
// build the man page and the bash completion.
#include "command.h"
#include "min_max.h"
#include "viewer.h"
#include "wavepass.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

static const struct {
    int code;
    const char *meaning;
} exit_codes[] = {
    {WP_ERROR_NONE, "done; every promised file is complete"},
    {WP_ERROR_INTERNAL, "internal or OpenGL failure"},
    {WP_ERROR_USAGE, "invalid usage"},
    {WP_ERROR_FILE, "an input or output file"},
    {WP_ERROR_UNAVAILABLE, "the requested backend or device is not available"},
    {WP_ERROR_MISMATCH, "the check failed (verify, compare)"},
    {WP_ERROR_TOO_LARGE, "too large for the device or for memory"},
    {WP_ERROR_INTERRUPTED, "interrupted; the files written so far are valid"},
};

enum { EXIT_CODES = sizeof exit_codes / sizeof *exit_codes };

static const struct {
    const char *name, *meaning;
} environment[] = {
    {"WAVEPASS_WAVELETS", "directories with wavelet files, separated by colons"},
    {"WAVEPASS_FFMPEG", "the program that decodes videos, instead of ffmpeg"},
    {"WAVEPASS_PROBE", "never: do not probe for the fastest scheme and variant, and do not use "
                       "results of earlier probes; always: probe also on software renderers; auto: "
                       "the default"},
    {"XDG_STATE_HOME", "location of the directory wavepass with the widths of the viewer's panels; "
                       "default ~/.local/state"},
    {"XDG_CACHE_HOME", "location of the directory wavepass with the results of probes; default "
                       "~/.cache"},
    {"OMP_NUM_THREADS", "number of CPU threads; default one per processor that the program may "
                        "use"},
    {"NO_COLOR", "if not empty, no colors in messages"},
    {"LIBGL_ALWAYS_SOFTWARE", "1 makes Mesa render in software"},
};

enum { VARIABLES = sizeof environment / sizeof *environment };

static void add_commands(const struct wp_program *program, struct wp_text *text)
{
    const struct wp_command *const *commands = program->commands;
    int width = 0;
    for (int i = 0; commands[i]; i++)
        width = wp_max(width, (int)strlen(commands[i]->name));
    for (int i = 0; commands[i]; i++)
        wp_text_add(text, "  %-*s  %s%s%s%s\n", width, commands[i]->name, commands[i]->summary,
                    commands[i]->alias ? " (short: " : "",
                    commands[i]->alias ? commands[i]->alias : "",
                    commands[i]->alias ? ")" : "");
}

// Maximum length of a line of help, in characters.
enum { PAGE_WIDTH = 80 };

static void add_paragraphs(struct wp_text *text, const char *words)
{
    while (*words) {
        const int length = (int)strcspn(words, "\n");
        struct wp_text paragraph = {0};
        wp_text_add(&paragraph, "%.*s", length, words);
        wp_text_add_words(text, 0, 0, PAGE_WIDTH, wp_text_get(&paragraph));
        wp_text_free(&paragraph);
        for (words += length; *words == '\n'; words++)
            wp_text_add(text, "\n");
    }
    wp_text_add(text, "\n");
}

static void add_examples(struct wp_text *text, const char *lines)
{
    while (lines && *lines) {
        const int length = (int)strcspn(lines, "\n");
        wp_text_add(text, "  %.*s\n", length, lines);
        lines += length + (lines[length] == '\n');
    }
}

static void add_overview(const struct wp_program *program, struct wp_text *text)
{
    wp_text_add(text, "%s %s: %s\n\nusage: %s COMMAND [OPTIONS] [FILES]\n\n", program->name,
                WAVEPASS_VERSION, program->title, program->name);
    add_commands(program, text);
    wp_text_add(text, "\nexamples:\n");
    for (int i = 0; program->examples[i]; i++)
        wp_text_add(text, "  %s\n", program->examples[i]);
    wp_text_add(text, "\n'%s COMMAND --help' describes a command; --version prints the version.\n",
                program->name);
}

static void add_page(const struct wp_program *program, const struct wp_command *command,
                     struct wp_text *text)
{
    wp_text_add(text, "usage: %s %s [OPTIONS]%s%s\n\n", program->name, command->name,
                command->arguments[0] ? " " : "", command->arguments);
    add_paragraphs(text, command->description);
    struct wp_text command_options = {0};
    wp_options_help(command->options, NULL, &command_options);
    if (command_options.length)
        wp_text_add(text, "\noptions:\n%s", wp_text_get(&command_options));
    wp_text_free(&command_options);
    wp_text_add(text, "\noptions of every command:\n");
    wp_options_help(wp_options_common, command->options, text);
    if (command->examples) {
        wp_text_add(text, "\nexamples:\n");
        add_examples(text, command->examples);
    }
    wp_text_add(text, "\nexit codes: 0 done, 1 internal, 2 usage, 3 file, 4 not available,\n5 "
                      "check failed, 6 too large, 130 interrupted\n");
}

void wp_command_help(const struct wp_program *program, const struct wp_command *command)
{
    struct wp_text text = {0};
    if (command)
        add_page(program, command, &text);
    else
        add_overview(program, &text);
    wp_print_text(&text);
}

// Adds text with roff's special characters escaped: hyphens, backslashes, and dots and quotes at
// the start of a line.
static void roff(struct wp_text *out, const char *text)
{
    bool line_start = true;
    for (const char *c = text; *c; c++) {
        if (line_start && (*c == '.' || *c == '\''))
            wp_text_add(out, "\\&");
        if (*c == '\n' && c[1] == '\n') {
            wp_text_add(out, "\n.PP");
        } else if (*c == '\\') {
            wp_text_add(out, "\\e");
        } else {
            wp_text_add(out, "%s%c", *c == '-' ? "\\" : "", *c);
        }
        line_start = *c == '\n';
    }
}

static void roff_option(void *user, const struct wp_option *option, size_t offset)
{
    (void)offset;
    struct wp_text *out = user, line = {0};
    if (option->hidden)
        return;
    wp_option_usage(option, &line);
    wp_text_add(out, ".TP\n.B ");
    roff(out, wp_text_get(&line));
    wp_text_add(out, "\n");
    roff(out, option->help);
    wp_text_clear(&line);
    if (option->word_count || option->list) {
        wp_option_values(option, &line);
        wp_text_add(out, ".\nOne of: ");
        roff(out, wp_text_get(&line));
    }
    wp_text_add(out, ".\n");
    wp_text_free(&line);
}

static void roff_command(const struct wp_command *command, struct wp_text *out)
{
    wp_text_add(out, ".SS ");
    roff(out, command->name);
    wp_text_add(out, " [OPTIONS] ");
    roff(out, command->arguments);
    wp_text_add(out, "\n");
    roff(out, command->description);
    if (command->alias)
        wp_text_add(out, "\n.PP\nShort name: %s.", command->alias);
    wp_text_add(out, "\n");
    wp_options_traverse(command->options, 0, roff_option, out);
}

// The keys of the viewer's table of actions.
static void roff_keys(bool reconstructs, struct wp_text *out)
{
    const char *keys, *label;
    for (int i = 0; wp_viewer_key(reconstructs, i, &keys, &label); i++) {
        wp_text_add(out, ".TP\n.B ");
        for (const char *key = keys; *key;) {
            const size_t length = strcspn(key, "|");
            char one[32];
            snprintf(one, sizeof one, "%.*s", (int)length, key);
            wp_text_add(out, "%s", key == keys ? "" : " , ");
            roff(out, one);
            key += length + (key[length] == '|');
        }
        wp_text_add(out, "\n");
        roff(out, label);
        wp_text_add(out, ".\n");
    }
}

static void add_keys(struct wp_text *out)
{
    wp_text_add(out, ".SH KEYS OF THE VIEWER\nNamed as on a US keyboard. The palette has every "
                     "action, too.\n");
    roff_keys(false, out);
    wp_text_add(out, ".SH KEYS OF VIEW --RECONSTRUCT\n");
    roff_keys(true, out);
}

static void add_man_page(const struct wp_program *program, struct wp_text *out)
{
    const struct wp_command *const *commands = program->commands;
    wp_text_add(out, ".TH ");
    for (const char *c = program->name; *c; c++)
        wp_text_add(out, "%c", toupper((unsigned char)*c));
    wp_text_add(out, " 1 \"\" \"wavepass %s\" \"User Commands\"\n.nh\n.SH NAME\n",
                WAVEPASS_VERSION);
    roff(out, program->name);
    wp_text_add(out, " \\- %s\n.SH SYNOPSIS\n.B ", program->title);
    roff(out, program->name);
    wp_text_add(out, "\n.I COMMAND\n[OPTIONS] [FILES]\n.SH COMMANDS\n");
    for (int i = 0; commands[i]; i++)
        roff_command(commands[i], out);
    wp_text_add(out, ".SH OPTIONS OF EVERY COMMAND\n");
    wp_options_traverse(wp_options_common, 0, roff_option, out);
    if (!wp_viewer_missing && program->opens)
        add_keys(out);
    wp_text_add(out, ".SH EXIT STATUS\n");
    for (int i = 0; i < EXIT_CODES; i++)
        wp_text_add(out, ".TP\n.B %d\n%s.\n", exit_codes[i].code, exit_codes[i].meaning);
    wp_text_add(out, ".SH ENVIRONMENT\n");
    for (int i = 0; i < VARIABLES; i++)
        wp_text_add(out, ".TP\n.B %s\n%s.\n", environment[i].name, environment[i].meaning);
    wp_text_add(out, ".SH FILES\n.TP\n.I COEFFS.json\nMetadata file of each coefficient file: the "
                     "transform parameters, for\n.BR \"wavepass inverse\" .\n");
    wp_text_add(out, ".SH EXAMPLES\n.nf\n");
    for (int i = 0; program->examples[i]; i++) {
        roff(out, program->examples[i]);
        wp_text_add(out, "\n");
    }
    for (int i = 0; commands[i]; i++) {
        if (commands[i]->examples) {
            roff(out, commands[i]->examples);
            wp_text_add(out, "\n");
        }
    }
    wp_text_add(out, ".fi\n");
}

static void complete_option(void *user, const struct wp_option *option, size_t offset)
{
    (void)offset;
    if (option->letter && !option->hidden)
        wp_text_add(user, " -%c", option->letter);
    if (!option->hidden)
        wp_text_add(user, " --%s", option->name);
}

// A case branch for the values of an option, which completes the word after it.
static void complete_value(void *user, const struct wp_option *option, size_t offset)
{
    (void)offset;
    struct wp_text *out = user, values = {0};
    wp_option_values(option, &values);
    if (option->value && values.length) {
        wp_text_add(out, "                ");
        if (option->letter)
            wp_text_add(out, "-%c|", option->letter);
        wp_text_add(out, "--%s) words='%s';;\n", option->name, wp_text_get(&values));
    }
    wp_text_free(&values);
}

static void complete_command(const struct wp_command *command, struct wp_text *out)
{
    wp_text_add(out, "        %s%s%s)\n            options='", command->name,
                command->alias ? "|" : "", command->alias ? command->alias : "");
    wp_options_traverse(command->options, 0, complete_option, out);
    wp_text_add(out, "'\n            case $previous in\n");
    wp_options_traverse(command->options, 0, complete_value, out);
    wp_text_add(out, "            esac;;\n");
}

// If the script gives no completions, readline completes file names.
static void add_completion(const struct wp_program *program, struct wp_text *out)
{
    const struct wp_command *const *commands = program->commands;
    wp_text_add(out, "# bash completion of %s %s, made by '%s help --completion'\n"
                     "_%s()\n{\n"
                     "    local current=${COMP_WORDS[COMP_CWORD]}\n"
                     "    local previous=${COMP_WORDS[COMP_CWORD - 1]}\n"
                     "    local command= options= words= word\n"
                     "    for word in \"${COMP_WORDS[@]:1:COMP_CWORD - 1}\"; do\n"
                     "        [[ $word == -* ]] || { command=$word; break; }\n"
                     "    done\n"
                     "    case $command in\n"
                     "        ''|help) words='", program->name, WAVEPASS_VERSION, program->name,
                program->name);
    for (int i = 0; commands[i]; i++)
        wp_text_add(out, "%s%s", i ? " " : "", commands[i]->name);
    wp_text_add(out, "';;\n");
    for (int i = 0; commands[i]; i++)
        if (strcmp(commands[i]->name, "help") != 0)
            complete_command(commands[i], out);
    wp_text_add(out, "    esac\n    case $previous in\n");
    wp_options_traverse(wp_options_common, 0, complete_value, out);
    wp_text_add(out, "    esac\n    [[ $current != -* ]] || words=\"$options");
    wp_options_traverse(wp_options_common, 0, complete_option, out);
    wp_text_add(out, "\"\n    COMPREPLY=($(compgen -W \"$words\" -- \"$current\"))\n}\n"
                     "complete -o default -F _%s %s\n", program->name, program->name);
}

struct options {
    bool man, completion;
};

#define OPTION(...) WP_OPTION(struct options, __VA_ARGS__)

static const struct wp_option options[] = {
    OPTION(FLAG, "man", NULL, man, "the man page, in roff", .hidden = true),
    OPTION(FLAG, "completion", NULL, completion, "a completion script for bash", .hidden = true),
    {0},
};

static enum wp_error run(const struct wp_call *call)
{
    const struct options *o = call->options;
    struct wp_text text = {0};
    if (o->man) {
        add_man_page(call->program, &text);
    } else if (o->completion) {
        add_completion(call->program, &text);
    } else {
        const char *name = call->argument_count ? call->argument[0] : NULL;
        const struct wp_command *command = name ? wp_command_find(call->program, name) : NULL;
        if (name && !command) {
            wp_command_unknown(call->program, name);
            return wp_last_error();
        }
        wp_command_help(call->program, command);
    }
    wp_print_text(&text);
    return WP_ERROR_NONE;
}

const struct wp_command wp_command_manual = {
    .name = "help",
    .summary = "help on a command",
    .arguments = "[COMMAND]",
    .description = "Describes a command with its options and examples; without a command, lists "
                   "the commands.",
    .arguments_max = 1,
    .options = options,
    .options_size = sizeof(struct options),
    .run = run,
};
