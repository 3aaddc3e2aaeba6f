// Runs PROGRAM COMMAND [OPTIONS] [FILES]: finds the command and parses its options.
#include "command.h"
#include "messages.h"
#include "json_value.h"
#include "memory.h"
#include "output.h"
#include "pattern.h"
#include "shader_cache.h"
#include "xmemory.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void interrupted(int number)
{
    if (!wp_output_discard_all_on_signal(number))
        return;
    wp_messages_clear_on_signal();
    _exit(number == SIGINT ? WP_ERROR_INTERRUPTED : 128 + number);
}

// Opens /dev/null for closed standard streams; otherwise the next file would get their number, and
// messages would be written to that file. Read-only, so that writing fails as for a closed stream.
static void fill_standard_streams(void)
{
    int file;
    do
        file = open("/dev/null", O_RDONLY);
    while (file >= 0 && file <= STDERR_FILENO);
    if (file >= 0)
        close(file);
}

static void set_signals(void)
{
    wp_interrupt_crashes();
    // A closed pipe or a file size limit then fails the write, which is reported.
    signal(SIGPIPE, SIG_IGN);
    signal(SIGXFSZ, SIG_IGN);
    wp_interrupt_handle(interrupted);
}

// True if the first argument is a file or pattern, which the command `opens` shows.
static bool is_image(const char *name)
{
    return wp_pattern_of_path(name) || access(name, F_OK) == 0;
}

static bool fail_no_command(const struct wp_program *program, const char *name)
{
    if (program->opens && strpbrk(name, "./"))
        return wp_fail(WP_ERROR_FILE, "%s: no such file", name);
    return wp_command_unknown(program, name);
}

static bool check_argument_count(const struct wp_program *program,
                                 const struct wp_command *command,
                                 const struct wp_arguments *arguments)
{
    if (arguments->count < command->arguments_min)
        return wp_fail(WP_ERROR_USAGE, "an argument is missing\nhint: %s %s %s",
                       program->name, command->name, command->arguments);
    if (arguments->count > command->arguments_max)
        return wp_fail(WP_ERROR_USAGE, "'%s' is one argument too many\nhint: %s %s %s",
                       arguments->argument[command->arguments_max], program->name, command->name,
                       command->arguments);
    return true;
}

static enum wp_error print_version(const struct wp_program *program,
                                   const struct wp_common *common)
{
    struct wp_text text = {0};
    wp_build_describe(program->name, common->verbose > 0, &text);
    wp_print_text(&text);
    return WP_ERROR_NONE;
}

// argv[0] is the first argument after the command's name. The command's struct and the common
// options are stored one after the other, so that one table and one parse fill both.
static enum wp_error run_command(const struct wp_program *program,
                                 const struct wp_command *command, struct wp_common *common,
                                 int argc, const char *const argv[])
{
    const size_t align = _Alignof(max_align_t); // fits every member
    const size_t common_at = (command->options_size + align - 1) / align * align;
    char *values = wp_xcalloc(common_at + sizeof *common, 1);
    // A command may have another option of that name.
    if (wp_options_have(command->options, "json"))
        common->json = false;
    wp_messages_set_up(program->name, command, common);
    memcpy(values + common_at, common, sizeof *common);
    const struct wp_option table[] = {
        {.kind = WP_OPTION_TABLE, .table = command->options},
        {.kind = WP_OPTION_TABLE, .table = wp_options_common, .offset = common_at},
        {0},
    };
    struct wp_arguments arguments;
    bool ok = wp_options_parse(table, argc, argv, false, values, &arguments);
    enum wp_error code = WP_ERROR_NONE;
    if (ok) {
        memcpy(common, values + common_at, sizeof *common);
        wp_messages_set_up(program->name, command, common);
        if (common->help) {
            wp_command_help(program, command);
        } else if (common->version) {
            code = print_version(program, common);
        } else if (check_argument_count(program, command, &arguments)) {
            const struct wp_call call = {
                .command = command,
                .program = program,
                .options = values,
                .argument_count = arguments.count,
                .argument = arguments.argument,
                .given_count = argc,
                .given = argv,
                .common = *common,
            };
            code = command->run(&call);
        } else {
            ok = false;
        }
    }
    if (!ok)
        code = wp_last_error();
    wp_options_free(&arguments);
    free(values);
    return code;
}

static enum wp_error run(const struct wp_program *program, struct wp_common *common, int argc,
                         const char *const argv[])
{
    // Only common options may precede the command.
    struct wp_arguments arguments;
    enum wp_error code = WP_ERROR_NONE;
    if (!wp_options_parse(wp_options_common, argc, argv, true, common, &arguments)) {
        code = wp_last_error();
    } else if (arguments.count == 0 || common->help) {
        if (common->version)
            code = print_version(program, common);
        else
            wp_command_help(program, NULL);
    } else {
        const struct wp_command *command = wp_command_find(program, arguments.argument[0]);
        if (command)
            code = run_command(program, command, common, arguments.count - 1,
                               arguments.argument + 1);
        else if (program->opens && is_image(arguments.argument[0]))
            code = run_command(program, wp_command_find(program, program->opens), common,
                               arguments.count, arguments.argument);
        else if (!fail_no_command(program, arguments.argument[0]))
            code = wp_last_error();
    }
    wp_options_free(&arguments);
    return code;
}

static bool has_json_option(int argc, char *argv[])
{
    for (int i = 1; i < argc && strcmp(argv[i], "--") != 0; i++)
        if (strcmp(argv[i], "--json") == 0)
            return true;
    return false;
}

int wp_program_run(const struct wp_program *program, int argc, char *argv[])
{
    wp_messages_begin((const char *const *)argv + (argc > 0));
    fill_standard_streams();
    wp_gl_check_shader_cache();
    set_signals();
    wp_memory_limit_process();
    wp_xmemory_set_up(wp_messages_out_of_memory);
    wp_json_use_xmemory();
    // Errors of option parsing are printed as JSON, too.
    struct wp_common common = {.json = has_json_option(argc, argv)};
    wp_messages_set_up(program->name, NULL, &common);
    enum wp_error code = run(program, &common, argc - 1, (const char *const *)argv + 1);
    // Detects write errors such as a full disk or a closed pipe.
    errno = 0;
    if ((fflush(stdout) != 0 || ferror(stdout)) && code == WP_ERROR_NONE) {
        // The reason of an earlier failure is lost; another write fails for the same reason.
        if (errno == 0 && write(STDOUT_FILENO, "\n", 1) > 0)
            errno = 0;
        // A closed pipe, for example after `| head`, is not reported.
        if (errno != EPIPE)
            wp_fail(WP_ERROR_FILE, "cannot write the standard output (%s)",
                    errno ? strerror(errno) : "write error");
        code = WP_ERROR_FILE;
    }
    if (program->agree)
        code = program->agree(code);
    wp_messages_finish(code);
    return (int)code;
}
