// Subcommands. To add one, write a file with a `const struct wp_command`, and add its declaration
// and its line in commands.c.
#ifndef WP_COMMAND_H
#define WP_COMMAND_H

#include "json_value.h"
#include "log.h"
#include "options.h"

#include <stdbool.h>
#include <stddef.h>

struct json_t;
struct wp_command;
struct wp_program;

// Options of every command.
struct wp_common {
    bool json, quiet, help, version;
    int verbose; // number of -v
    int color;   // 0 auto, 1 always, 2 never
};

extern const struct wp_option wp_options_common[]; // struct wp_common: -q -v --json …
extern const struct wp_option wp_options_force[];  // bool: -f

// One call of a command.
struct wp_call {
    const struct wp_command *command;
    const struct wp_program *program;
    const void *options; // the command's struct, filled from its table
    int argument_count;  // within the command's limits
    const char *const *argument;
    int given_count; // all arguments and options after the command's name
    const char *const *given;
    struct wp_common common;
};

enum { WP_ARGUMENTS_ANY = 1 << 30 }; // no limit

struct wp_command {
    const char *name, *alias; // alias may be NULL
    const char *summary;      // one line, without a full stop
    const char *arguments;    // for the usage line: "IN -o COEFFS"
    const char *description;  // for --help and the man page: paragraphs separated by "\n\n"
    const char *examples;     // one command per line, or NULL
    int arguments_min, arguments_max;
    const struct wp_option *options; // without the common ones; may be NULL
    size_t options_size;             // size of the struct that they fill
    // Results are written to stdout, everything else with wp_log() and wp_progress(). Returns the
    // exit code; after a failure that is wp_last_error().
    enum wp_error (*run)(const struct wp_call *call);
};

// A program with subcommands.
struct wp_program {
    const char *name, *title;
    const struct wp_command *const *commands; // ended by NULL
    const char *opens; // the command for files that are given without a command, or NULL
    const char *const *examples; // ended by NULL
    // NULL, or combines the exit codes of several processes: each passes its code and gets the
    // common one.
    enum wp_error (*agree)(enum wp_error code);
};

// The program wavepass. Commands use wp_call.program instead, since commands.c depends on them.
extern const struct wp_program wp_program;

// The body of main(). Returns the exit code.
int wp_program_run(const struct wp_program *program, int argc, char *argv[]);

// Finds a command by name or alias. NULL if there is none.
const struct wp_command *wp_command_find(const struct wp_program *program, const char *name);

// Reports an unknown command, with a suggestion. Always false: WP_ERROR_USAGE.
bool wp_command_unknown(const struct wp_program *program, const char *name);

// Prints the page of `wavepass COMMAND --help` to stdout; for NULL that of `wavepass --help`.
void wp_command_help(const struct wp_program *program, const struct wp_command *command);

// Prints a JSON object, the result of --json, to stdout and consumes the reference.
// wp_program_run() checks stdout for write errors.
void wp_print_json(struct json_t *object);

// Shows a line of progress on stderr, which replaces the previous one. Only if stderr is a terminal
// and neither -q nor -v was given. Messages and wp_progress_clear() erase it.
void wp_progress(const char *format, ...) WP_PRINTF(1, 2);
void wp_progress_clear(void);

// The width of stdout in characters; 80 if it is not a terminal.
int wp_screen_columns(void);

// Sets the mode for many files: JSON objects are printed on one line each, including errors, and
// wp_progress() shows nothing; wp_progress_files() shows a progress bar.
void wp_messages_many(void);
void wp_progress_files(int done, int count, const char *name);

// Suppresses all messages except errors, in a process that is not the first of several.
void wp_messages_mute(void);

// Prefixes this thread's messages with the name of a file, unless they contain it. NULL ends that.
void wp_messages_about(const char *file);

// Adds this thread's errors to `text`, one per line, instead of printing them. NULL ends that.
void wp_messages_capture(struct wp_text *text);

// Seconds since the start of the program.
double wp_seconds_since_start(void);

#endif
