// The command line: one word per line, the command first.
#include "fuzz.h"

#include "command.h"
#include "text.h"
#include "xmemory.h"

#include <stdlib.h>
#include <string.h>

enum { WORDS_MAX = 64 };

struct parsed {
    bool ok;
    void *values;
    struct wp_arguments arguments;
};

static struct parsed parse(const struct wp_option *table, size_t size, int count,
                           const char *const word[], bool leading_only)
{
    struct parsed parsed = {.values = wp_xcalloc(size, 1)};
    parsed.ok = wp_options_parse(table, count, word, leading_only, parsed.values,
                                 &parsed.arguments);
    fuzz_check_result(parsed.ok);
    FUZZ_CHECK(parsed.arguments.count <= count);
    for (int i = 0; parsed.ok && i < parsed.arguments.count; i++)
        FUZZ_CHECK(strlen(parsed.arguments.argument[i]) < 1 << 20);
    return parsed;
}

static void clear(struct parsed *parsed)
{
    wp_options_free(&parsed->arguments);
    free(parsed->values);
}

// Parsing "--" and the arguments gives the same arguments and no options.
static void check_arguments(const struct wp_option *table, size_t size, const struct parsed *parsed)
{
    const char *word[WORDS_MAX + 2] = {"--"};
    const int count = parsed->arguments.count;
    for (int i = 0; i < count; i++)
        word[i + 1] = parsed->arguments.argument[i];
    struct parsed again = parse(table, size, count + 1, word, false);
    FUZZ_CHECK(again.ok && again.arguments.count == count);
    for (int i = 0; i < count; i++)
        FUZZ_CHECK(strcmp(again.arguments.argument[i], word[i + 1]) == 0);
    FUZZ_CHECK(!wp_options_given(table, again.values, (const char *const[]){NULL}));
    clear(&again);
}

static void parse_command(const struct wp_command *command, int count, const char *const word[])
{
    const size_t align = _Alignof(max_align_t);
    const size_t common_at = (command->options_size + align - 1) / align * align;
    const size_t size = common_at + sizeof(struct wp_common);
    const struct wp_option table[] = {
        {.kind = WP_OPTION_TABLE, .table = command->options},
        {.kind = WP_OPTION_TABLE, .table = wp_options_common, .offset = common_at},
        {0},
    };
    struct parsed parsed = parse(table, size, count, word, false);
    if (parsed.ok)
        check_arguments(table, size, &parsed);
    clear(&parsed);
}

static void describe_option(void *user, const struct wp_option *option, size_t offset)
{
    (void)offset;
    wp_option_usage(option, user);
    if (!option->list)
        wp_option_values(option, user);
}

// The texts of --help and of the completion for a command.
static void describe(const struct wp_command *command)
{
    struct wp_text text = {0};
    wp_options_traverse(command->options, 0, describe_option, &text);
    wp_options_help(command->options, wp_options_common, &text);
    FUZZ_CHECK(!text.failed);
    wp_text_free(&text);
}

void fuzz(const uint8_t *data, size_t size)
{
    char *text = fuzz_text(data, size), *rest = text;
    const char *word[WORDS_MAX], *line;
    int count = 0;
    while (count < WORDS_MAX && (line = fuzz_next_line(&rest)))
        word[count++] = line;
    const struct wp_command *command = wp_command_find(&wp_program, word[0]);
    if (command) {
        parse_command(command, count - 1, word + 1);
        if (count == 1)
            describe(command);
    } else {
        struct parsed parsed =
            parse(wp_options_common, sizeof(struct wp_common), count, word, true);
        clear(&parsed);
        fuzz_check_result(wp_command_unknown(&wp_program, word[0]));
    }
    free(text);
}
