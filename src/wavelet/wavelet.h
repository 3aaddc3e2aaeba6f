// Wavelets: lists of lifting pairs and a scaling. From the table, or from a text file.
#ifndef WP_WAVELET_H
#define WP_WAVELET_H

#include <stdbool.h>

enum { WP_MAX_TAPS = 16, WP_MAX_PAIRS = 12, WP_MAX_REACH = 64 };

// A 1-D filter: sum of c * x[n + k] over the taps, sorted by k, no k twice, no c zero,
// k in -WP_MAX_REACH..WP_MAX_REACH.
struct wp_tap {
    int k;
    double c;
};

struct wp_filter {
    int count; // may be 0: the step does nothing
    struct wp_tap tap[WP_MAX_TAPS];
};

// odd[n] += sum predict_k even[n + k], then even[n] += sum update_k odd[n + k].
struct wp_pair {
    struct wp_filter predict, update;
};

// How a finite signal can be continued at its ends so that the transform stays invertible.
enum wp_symmetry {
    // Every predict is symmetric about 1/2 and every update about -1/2, so the filters are
    // of odd length and symmetric about a sample: mirror about the first and last sample.
    WP_SYMMETRY_WHOLE,
    // No step reaches beyond its own pair of samples (Haar). The last sample of an odd
    // length has no partner and passes into the low band by itself (times the low gain).
    WP_SYMMETRY_LOCAL,
    // Neither: periodic borders only.
    WP_SYMMETRY_NONE
};

struct wp_wavelet {
    char name[32];         // "cdf97"; letters, digits and "._+-" only
    char title[96];        // one line for people
    char aliases[64];      // separated by single spaces, may be empty
    char source[160];      // where the numbers come from
    int pairs;             // 1..WP_MAX_PAIRS
    struct wp_pair pair[WP_MAX_PAIRS];
    double zeta;           // low / zeta and high * zeta give a low-pass gain of 1 at DC; may be < 0
    enum wp_symmetry symmetry; // computed from the pairs
};

// The table: haar, cdf53, cdf97, dd137, ended by NULL.
extern const struct wp_wavelet *const wp_wavelet_table[];

// Wavelets that are made from their definitions when they are asked for by name, ended by NULL.
// Some are in the table or in files, too, as aliases, and then those are found.
extern const char *const wp_wavelet_family_names[];

// The same for people, a line a family, ended by a name NULL.
struct wp_wavelet_family {
    const char *name, *title;
};
extern const struct wp_wavelet_family wp_wavelet_families[];

// The wavelet files that are built in, those of assets/wavelets, ended by a name NULL.
struct wp_wavelet_file {
    const char *name; // "cdf93.wavelet"
    const char *text;
};
extern const struct wp_wavelet_file wp_wavelet_files[];

// By name or alias in the table, else by file name without ".wavelet", by name or by alias among
// the files in the directories of $WAVEPASS_WAVELETS (separated by ':'), then among those that are
// built in, else in a family, else as the path of a file.
// A text with a ';' is no name but the taps of both filters, "LOW;HIGH", or of an orthogonal one,
// "LOW;".
// False after WP_ERROR_USAGE with a suggestion, WP_ERROR_FILE with file, line and reason, or
// WP_ERROR_TOO_LARGE where memory is short.
bool wp_wavelet_find(const char *name, struct wp_wavelet *wavelet);

// Reads a wavelet file; the format is described in docs/wavelet-files.md.
// False after WP_ERROR_FILE "FILE:LINE: WHAT (WHY)".
bool wp_wavelet_read(const char *path, struct wp_wavelet *wavelet);

// The same from memory; `name` stands for the path in messages, and its stem names the
// wavelet where the text has no name of its own.
bool wp_wavelet_parse(const char *name, const char *text, struct wp_wavelet *wavelet);

// The value of an expression, as docs/wavelet-files.md tells. NULL, or what is wrong with the text.
const char *wp_wavelet_evaluate(const char *text, double *value);

// The path of the file in the directories of $WAVEPASS_WAVELETS that wp_wavelet_find() reads for
// this name, or NULL where it reads none of them. The caller frees it.
char *wp_wavelet_path(const char *name);

// Checks the invariants above, that the low-pass gain at DC is 1 and the high-pass gain 0
// (both to 1e-6), and computes `symmetry`. NULL, or the reason where it fails, which is valid
// until this thread's next call.
const char *wp_wavelet_finish(struct wp_wavelet *wavelet);

// The 1-D analysis filters, multiplied out, in the norm jpeg2000:
// low[n] = sum low_k x[2n + k], high[n] = sum high_k x[2n + 1 + k], where the filter's value
// at k stands at index WP_FILTER_CENTER + k. The wavelet must satisfy wp_wavelet_finish().
enum {
    WP_FILTER_CENTER = 4 * WP_MAX_REACH * WP_MAX_PAIRS,
    WP_FILTER_SIZE = 2 * WP_FILTER_CENTER + 1
};
void wp_wavelet_filters(const struct wp_wavelet *wavelet, double low[WP_FILTER_SIZE],
                        double high[WP_FILTER_SIZE]);

// Names for messages and lists, no name twice: of the table, of files in $WAVEPASS_WAVELETS, of
// files that are built in, without those of families; aliases are among them. A file that cannot be
// read stands there by its file name. Ended by NULL; free with wp_wavelet_free_names(). NULL after
// WP_ERROR_TOO_LARGE.
char **wp_wavelet_names(void);
bool wp_wavelet_is_known(const char *name); // whether it is one of them, or of a family
void wp_wavelet_free_names(char **names);

#endif
