// Command line options. One table of options generates the parser, --help, the man page and the
// shell completion.
#ifndef WP_OPTIONS_H
#define WP_OPTIONS_H

#include "text.h"

#include <stdbool.h>
#include <stddef.h>

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

// Tables to include with a row WP_OPTIONS(struct my_options, member, wp_options_...); the comments
// name the type of `member`.
#define WP_OPTIONS(type, member, rows) \
    {.kind = WP_OPTION_TABLE, .table = (rows), .offset = offsetof(type, member)}

extern const struct wp_option wp_options_reversible[]; // of the same struct: --reversible
extern const struct wp_option wp_options_wavelet[]; // struct wp_transform_params: -w --taps
extern const struct wp_option wp_options_scheme[];  // these and -s --no-optimize
extern const struct wp_option wp_options_levels[]; // struct wp_transform_params: -l --border --norm
extern const struct wp_option wp_options_layout[];  // these and --layout
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

#endif
