// Command line options: one typed table drives the parser, --help, the man page and the
// completion, so that they cannot disagree.
#ifndef WP_OPTIONS_H
#define WP_OPTIONS_H

#include "text.h"

#include <stdbool.h>
#include <stddef.h>

// What an option's value is, and what it is stored as. What was not given stays zero.
enum wp_option_kind {
    WP_OPTION_END,    // {0} ends a table
    WP_OPTION_TABLE,  // no option: the rows of `table`, their offsets moved by `offset`
    WP_OPTION_FLAG,   // bool: true
    WP_OPTION_COUNT,  // int: how often it was given
    WP_OPTION_TEXT,   // const char *: any text but the empty one
    WP_OPTION_WORD,   // const char *: one of `words`
    WP_OPTION_CHOICE, // int: index into `words`
    WP_OPTION_INT,    // int: minimum..maximum
    WP_OPTION_NUMBER, // double: finite, not negative
    WP_OPTION_LEVELS, // int: as in wp_transform_params: 1 and more, or WP_LEVELS_MOST for "max"
    WP_OPTION_DEVICE, // int: as in wp_transform_params: 1 + the number given
    WP_OPTION_LIST,   // struct wp_option_list, which rows may share: may be given again and again
};

// What was given, in its order.
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
    const char *value; // what --help calls the value: "FILE"; NULL where there is none
    const char *help;  // one line; names the default
    size_t offset;     // of the member that takes the value, in the command's struct
    const char *const *words; // WORD, CHOICE
    int word_count;
    const char *noun;         // of a word in errors, where it is not the option's name
    int minimum, maximum;          // INT
    bool plus_one;                 // INT: 1 is added, so that 0 is none given
    bool positive;                 // NUMBER: 0, which stands for none given, is none to give
    int none;                      // LEVELS: what 0 stands for; 0: there is no such number
    void (*list)(struct wp_text *); // TEXT, LIST: adds known values for the completion, "a b c"
    const struct wp_option *table; // TABLE
    bool hidden;                   // not in --help, the man page and the completion
    const char *old;               // its previous name: accepted for one version, shown nowhere
};

// Tables to be included with a row WP_OPTIONS(struct my_options, member, wp_options_…) where
// `member` is of the type named here.
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
extern const struct wp_option wp_options_volume[]; // struct wp_volume_options: these, --volume --raw

extern const struct wp_option wp_options_channel[]; // const char *: --channel, of wp_channel_words

extern const struct wp_option wp_options_suffix[]; // const char *: --suffix, of files in a folder

extern const struct wp_option wp_options_reconstruct[]; // struct wp_reconstruction_options, but
extern const struct wp_option wp_options_reconstruct_wavelet[]; // -w -l -b

// How a file of samples is to be read.
struct wp_volume_options {
    bool volume; // an NPY of three axes is a volume, however short the last one is
    const char *raw;
    int values;        // enum wp_values
    int volume_number; // of a file with several, from 1 on; 0: none was selected
};

// Calls `visit` for every option of a table and of the tables in it; `offset` is the whole one.
void wp_options_traverse(const struct wp_option *table, size_t offset,
                     void (*visit)(void *user, const struct wp_option *option, size_t offset),
                     void *user);

// True where a table or one in it has the option.
bool wp_options_have(const struct wp_option *table, const char *name);

// The first option of a table that was given a value other than zero, or NULL; those named in
// `but`, which NULL ends, don't count.
const struct wp_option *wp_options_given(const struct wp_option *table, const void *values,
                                         const char *const *but);

// A command line that was parsed. Strings live until wp_options_free().
struct wp_arguments {
    int count;
    const char **argument; // what is not an option, ended by NULL
    void *context;
    char **text; // the values of options
    int text_count;
};

// Of options of one name the first in the table counts.
// Parses argv[0..argc-1] (argv[0] is not skipped) into the struct `values`. With
// `leading_only` it stops at the first argument that is not an option. False after
// WP_ERROR_USAGE; wp_options_free() is needed in both cases.
bool wp_options_parse(const struct wp_option *table, int argc, const char *const argv[],
                      bool leading_only, void *values, struct wp_arguments *arguments);
void wp_options_free(struct wp_arguments *arguments);

// "-w, --wavelet NAME": how an option is written.
void wp_option_usage(const struct wp_option *option, struct wp_text *text);

// The values that an option is known to take, separated by spaces; nothing for others.
void wp_option_values(const struct wp_option *option, struct wp_text *text);

// Adds the lines of a table for --help, but those of options that `hiding` has, too.
void wp_options_help(const struct wp_option *table, const struct wp_option *hiding,
                     struct wp_text *text);

#endif
