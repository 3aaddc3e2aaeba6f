// Subcommands. To add one, write a file with a `const struct wp_command`, and add its declaration
// and its line in commands.c.
#ifndef WP_COMMAND_H
#define WP_COMMAND_H

#include "json_value.h"
#include "log.h"
#include "text.h"

#include <stdbool.h>
#include <stddef.h>

struct json_t;
struct wp_command;
struct wp_program;

// ---- options (options.c) ----

// Command line options. One table of options generates the parser, --help, the man page and the
// shell completion.

// Types of option values, and the C type of the member that stores them. Members of options that
// were not given stay zero.
enum wp_option_kind {
    WP_OPTION_END,    // {0} ends a table
    WP_OPTION_TABLE,  // includes the rows of `table`, at `offset` in the struct
    WP_OPTION_FLAG,   // bool: true
    WP_OPTION_COUNT,  // int: number of times it was given
    WP_OPTION_TEXT,   // const char *: any text that is not empty
    WP_OPTION_WORD,   // const char *: one of `words`
    WP_OPTION_CHOICE, // int: index into `words`
    WP_OPTION_INT,    // int: minimum..maximum
    WP_OPTION_NUMBER, // double: finite, not negative
    WP_OPTION_NUMBERS, // struct wp_option_numbers: likewise, one or several: "3,2,1.5"
    WP_OPTION_LEVELS, // int: as in wp_transform_params: 1 and more, or WP_LEVELS_MOST for "max"
    WP_OPTION_DEVICE, // int: as in wp_transform_params: 1 + the number given
    WP_OPTION_LIST,   // struct wp_option_list, which several rows may share; can be repeated
};

// Values of a LIST, in the order of the command line.
enum { WP_OPTION_LIST_MAX = 64 };
struct wp_option_list {
    int count;
    struct {
        const char *option, *text;
    } item[WP_OPTION_LIST_MAX];
};

enum { WP_OPTION_NUMBERS_MAX = 32 };
struct wp_option_numbers {
    int count;
    double number[WP_OPTION_NUMBERS_MAX];
};

struct wp_option {
    const char *name; // long name, without "--"
    char letter;      // short name, or 0
    enum wp_option_kind kind;
    const char *value; // placeholder in --help: "FILE"; NULL: no value
    const char *help;  // one line, with the default
    size_t offset;     // of the member, in the struct of the command
    const char *const *words; // WORD, CHOICE
    int word_count;
    const char *noun;         // for a word in errors; NULL: the name of the option
    int minimum, maximum;          // INT
    bool plus_one;                 // INT: stored + 1, because 0 means not given
    bool positive;                 // NUMBER: 0 is rejected, because it means not given
    int none;                      // LEVELS: stored for 0; 0: 0 is rejected
    void (*list)(struct wp_text *); // TEXT, LIST: adds known values for the completion, "a b c"
    const struct wp_option *table; // TABLE
    bool hidden;                   // not in --help, the man page and the completion
    const char *old;               // previous name, accepted for one version and not documented
};

// A row for a member of the struct `type`. The type of the member must be that of the kind. The
// help may be followed by other members of struct wp_option.
#define WP_OPTION(type, kind_, name_, placeholder, member, ...) \
    {.name = name_, \
     .kind = WP_OPTION_##kind_, \
     .value = placeholder, \
     .offset = offsetof(type, member) + \
               0 * sizeof((WP_OPTION_TYPE_##kind_ *)0 == &((type *)0)->member), \
     .help = __VA_ARGS__}

#define WP_OPTION_TYPE_FLAG bool
#define WP_OPTION_TYPE_COUNT int
#define WP_OPTION_TYPE_TEXT const char *
#define WP_OPTION_TYPE_WORD const char *
#define WP_OPTION_TYPE_CHOICE int
#define WP_OPTION_TYPE_INT int
#define WP_OPTION_TYPE_NUMBER double
#define WP_OPTION_TYPE_NUMBERS struct wp_option_numbers
#define WP_OPTION_TYPE_LEVELS int
#define WP_OPTION_TYPE_DEVICE int
#define WP_OPTION_TYPE_LIST struct wp_option_list

// The words of a row, which are an array.
#define WP_WORDS(names) .words = (names), .word_count = (int)(sizeof(names) / sizeof *(names))

// Tables to include with a row WP_OPTIONS(struct my_options, member, wp_options_...); the comments
// name the type of `member`.
#define WP_OPTIONS(type, member, rows) \
    {.kind = WP_OPTION_TABLE, .table = (rows), .offset = offsetof(type, member)}

extern const struct wp_option wp_options_reversible[]; // of the same struct: --reversible
extern const struct wp_option wp_options_adjoint[];    // of the same struct: --adjoint
void wp_options_list_wavelets(struct wp_text *text); // the values of -w
extern const struct wp_option wp_options_wavelet[]; // struct wp_transform_params: -w --taps
extern const struct wp_option wp_options_scheme[];  // these and -s --no-optimize
extern const struct wp_option wp_options_levels[]; // struct wp_transform_params: -l --border --norm
extern const struct wp_option wp_options_layout[];  // these and --layout
extern const struct wp_option wp_options_tree[];    // --tree
extern const struct wp_option wp_options_backend[]; // struct wp_transform_params: -b -d
extern const struct wp_option wp_options_precision[]; // struct wp_transform_params: --precision
extern const struct wp_option wp_options_slices[]; // struct wp_transform_params: --levels-z
                                                   //     --decomposition --gop
extern const struct wp_option wp_options_values[]; // int, of enum wp_values: --values
extern const struct wp_option wp_options_volume_index[]; // int, 1 + the number: --volume-index
extern const struct wp_option
    wp_options_volume[]; // struct wp_volume_options: these, --volume --raw

extern const struct wp_option wp_options_channel[]; // const char *: --channel, of wp_channel_words

extern const struct wp_option wp_options_suffix[]; // const char *: --suffix, of files in a folder

extern const struct wp_option wp_options_changed[]; // bool: --ignore-changes

extern const struct wp_option wp_options_reconstruct[]; // struct wp_reconstruction_options, but
extern const struct wp_option wp_options_reconstruct_wavelet[]; // -w -l -b

// Parameters for reading a file of samples.
struct wp_volume_options {
    bool volume; // an NPY with three axes is a volume, not an image with channels
    const char *raw;
    int values;        // enum wp_values
    int volume_number; // in a file with several volumes, from 1 on; 0: not given
};

// Calls `visit` for each option of a table and of the tables that it includes, with its offset in
// the outer struct.
void wp_options_traverse(const struct wp_option *table, size_t offset,
                     void (*visit)(void *user, const struct wp_option *option, size_t offset),
                     void *user);

// True if a table or a table that it includes has the option.
bool wp_options_have(const struct wp_option *table, const char *name);

// The address of an option's member in the struct `values`. NULL if the table does not have the
// option.
const void *wp_option_member(const struct wp_option *table, const char *name, const void *values);

// True if an option was given: its value is not zero.
bool wp_option_is_given(const struct wp_option *table, const char *name, const void *values);

// The first option of a table whose value is not zero, except those in `but` (ended by NULL), or
// NULL.
const struct wp_option *wp_options_given(const struct wp_option *table, const void *values,
                                         const char *const *but);

// A parsed command line. Strings live until wp_options_free().
struct wp_arguments {
    int count;
    const char **argument; // arguments that are not options, ended by NULL
    void *context;
    char **text; // the values of options
    int text_count;
};

// Parses argv[0..argc-1] (argv[0] is not skipped) into the struct `values`. If several options have
// the same name, the first in the table is used. With `leading_only`, stops at the first argument
// that is not an option. False after WP_ERROR_USAGE. Call wp_options_free() in any case.
bool wp_options_parse(const struct wp_option *table, int argc, const char *const argv[],
                      bool leading_only, void *values, struct wp_arguments *arguments);
void wp_options_free(struct wp_arguments *arguments);

// Adds the usage of an option: "-w, --wavelet NAME".
void wp_option_usage(const struct wp_option *option, struct wp_text *text);

// Adds the known values of an option, separated by spaces.
void wp_option_values(const struct wp_option *option, struct wp_text *text);

// Adds the lines of a table for --help, without options that `hiding` also has.
void wp_options_help(const struct wp_option *table, const struct wp_option *hiding,
                     struct wp_text *text);

// ---- commands ----

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

// True for "-", which is stdin or stdout; false for NULL.
bool wp_is_stdio(const char *path);

// Prints text to stdout and frees it.
void wp_print_text(struct wp_text *text);

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

// Formats a bar with a part of it done: "[####....]". Returns `bar`.
enum { WP_BAR = 24 };
const char *wp_progress_bar(char bar[WP_BAR + 3], int done, int count);

// Suppresses all messages except errors, in a process that is not the first of several.
void wp_messages_mute(void);

// Prefixes this thread's messages with the name of a file, unless they contain it. NULL ends that.
void wp_messages_about(const char *file);

// Adds this thread's errors to `text`, one per line, instead of printing them. NULL ends that.
void wp_messages_capture(struct wp_text *text);

// Seconds since the start of the program.
double wp_seconds_since_start(void);

// ---- the build (build.c) ----

// An optional feature.
struct wp_build_feature {
    const char *name;    // "CUDA"
    const char *missing; // why this build does not have it; NULL: it does
};

extern const struct wp_build_feature wp_build_features[]; // ended by {0}

// Pairs of a name and a value, such as {"compiler", "GNU 12.2.0"}; ended by {NULL}.
extern const char *const wp_build_facts[][2];

// Adds "PROGRAM 0.1.0\n", and with `details` one line per fact and feature.
void wp_build_describe(const char *program, bool details, struct wp_text *text);

#endif
