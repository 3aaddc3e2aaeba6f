// Subcommands. To add one: a file with a `const struct wp_command`, its declaration and its
// line in the registry (commands.c).
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
    int verbose; // how often -v was given
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
    int given_count; // everything that stands behind the command's name
    const char *const *given;
    struct wp_common common;
};

enum { WP_ARGUMENTS_ANY = 1 << 30 }; // files: no limit

struct wp_command {
    const char *name, *alias; // alias may be NULL
    const char *summary;      // one line, without a full stop
    const char *arguments;    // "IN -o COEFFS": what stands behind the name in the usage line
    const char *description;  // for --help and the man page: paragraphs, "\n\n" between them
    const char *examples;     // one command a line; NULL for none
    int arguments_min, arguments_max;
    const struct wp_option *options; // without the common ones; NULL for none
    size_t options_size;             // of the struct that the table fills
    // Results go to stdout, everything else through wp_log() and wp_progress(). Returns the
    // exit code; after a failure that is wp_last_error().
    enum wp_error (*run)(const struct wp_call *call);
};

// Commands that are called by one name.
struct wp_program {
    const char *name, *title;
    const struct wp_command *const *commands; // ended by NULL
    const char *opens; // the command for files that are given without one; NULL: there is none
    const char *const *examples; // ended by NULL
    // NULL, or what each of several processes asks with its own exit code for that of all.
    enum wp_error (*agree)(enum wp_error code);
};

// wavepass, with the registry. A command finds it in its call: the registry knows the command.
extern const struct wp_program wp_program;

// All that main() does. Returns the exit code.
int wp_program_run(const struct wp_program *program, int argc, char *argv[]);

// By name or alias; NULL where there is none.
const struct wp_command *wp_command_find(const struct wp_program *program, const char *name);

// Says that there is no such command, with a suggestion. Always false: WP_ERROR_USAGE.
bool wp_command_unknown(const struct wp_program *program, const char *name);

// On stdout: the page of `wavepass COMMAND --help`, or for NULL that of `wavepass --help`.
void wp_command_help(const struct wp_program *program, const struct wp_command *command);

// Writes a JSON object to stdout and drops the reference. For the one result of --json. main
// looks for write errors of stdout.
void wp_print_json(struct json_t *object);

// One line on stderr that each call replaces, only where stderr is a terminal and neither -q
// nor -v was given. Messages erase it; wp_progress_clear() does too.
void wp_progress(const char *format, ...) WP_PRINTF(1, 2);
void wp_progress_clear(void);

// Characters in a line of stdout: the terminal's, or 80 where it is none.
int wp_screen_columns(void);

// From here on the call is about many files: objects are printed on one line each, errors are among
// them, and wp_progress_files() shows a bar in place of what wp_progress() is told by any thread.
void wp_messages_many(void);
void wp_progress_files(int done, int count, const char *name);

// From here on nothing but errors is said: another process says the rest.
void wp_messages_mute(void);

// What this thread says from here on is about that file, whose name stands before it where it is not
// in it; NULL ends that.
void wp_messages_about(const char *file);

// From here on this thread's errors are added to `text` (a line each) and not shown, for probing; NULL ends
// that.
void wp_messages_capture(struct wp_text *text);

// Seconds since the program was started.
double wp_seconds_since_start(void);

#endif
