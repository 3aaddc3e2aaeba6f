// Wavelets: lists of lifting pairs and a scaling. From the table, or from a text file.
#ifndef WP_WAVELET_H
#define WP_WAVELET_H

#include <stdbool.h>

enum { WP_MAX_TAPS = 16, WP_MAX_PAIRS = 8 };

// A 1-D filter: sum of c * x[n + k] over the taps, sorted by k, no k twice, no c zero.
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
    char name[32];         // "cdf97"; for a file its stem
    char title[96];        // one line for people
    char aliases[64];      // separated by spaces, may be empty
    char source[160];      // where the numbers come from
    int pairs;             // 1..WP_MAX_PAIRS
    struct wp_pair pair[WP_MAX_PAIRS];
    double zeta;           // low / zeta and high * zeta give a low-pass gain of 1 at DC
    enum wp_symmetry symmetry; // computed from the pairs
};

// The table: haar, cdf53, cdf97, dd137, ended by NULL.
extern const struct wp_wavelet *const wp_wavelet_table[];

// By name or alias, else as the path of a wavelet file (anything with a '/' or a '.', or that
// exists), else as a file "NAME.wavelet" among the installed ones (wp_wavelet_directories).
// False after WP_ERROR_USAGE with a suggestion, or WP_ERROR_FILE with file, line and reason.
bool wp_wavelet_find(const char *name, struct wp_wavelet *wavelet);

// Reads a wavelet file; the format is described in docs/wavelet-files.md.
// False after WP_ERROR_FILE "FILE:LINE: WHAT (WHY)".
bool wp_wavelet_read(const char *path, struct wp_wavelet *wavelet);

// The same from memory; `name` stands for the path in messages and names the wavelet.
bool wp_wavelet_parse(const char *name, const char *text, struct wp_wavelet *wavelet);

// Where "NAME.wavelet" is looked for, separated by ':': $WAVEPASS_WAVELETS, then the
// directory relative to the program (a moved install still finds its files), then the
// configured install directory, then the source tree's assets while building.
const char *wp_wavelet_directories(void);

// Checks the table's invariants and computes `symmetry`. The reason where it fails, or NULL.
const char *wp_wavelet_finish(struct wp_wavelet *wavelet);

// Names for messages and lists: table names, aliases and installed files. Ended by NULL; free
// with wp_wavelet_free_names().
char **wp_wavelet_names(void);
void wp_wavelet_free_names(char **names);

#endif
