// Wavelets: lists of lifting pairs and a scaling, from a table, a text file or filter taps.
#ifndef WP_WAVELET_H
#define WP_WAVELET_H

#include <stdbool.h>

enum { WP_MAX_TAPS = 16, WP_MAX_PAIRS = 12, WP_MAX_REACH = 64 };

// A 1-D filter: sum of c * x[n + k] over the taps, sorted by k, with distinct k and nonzero c,
// k in -WP_MAX_REACH..WP_MAX_REACH.
struct wp_tap {
    int k;
    double c;
};

struct wp_filter {
    int count; // 0: the step does nothing
    struct wp_tap tap[WP_MAX_TAPS];
};

// odd[n] += sum predict_k even[n + k], then even[n] += sum update_k odd[n + k].
struct wp_pair {
    struct wp_filter predict, update;
};

// How a finite signal can be extended at its ends so that the transform remains invertible.
enum wp_symmetry {
    // Every predict is symmetric about 1/2 and every update about -1/2, so that the filters have
    // odd lengths and are symmetric about a sample: mirrored at the first and last sample.
    WP_SYMMETRY_WHOLE,
    // No step reads beyond its own pair of samples (Haar). With an odd length the last sample has
    // no partner and becomes a low coefficient (times the low gain).
    WP_SYMMETRY_LOCAL,
    // Neither: only periodic boundaries.
    WP_SYMMETRY_NONE
};

struct wp_wavelet {
    char name[32];         // "cdf97"; letters, digits and "._+-" only
    char title[96];        // one line
    char aliases[64];      // separated by single spaces, may be empty
    char source[160];      // a reference for the numbers
    int pairs;             // 1..WP_MAX_PAIRS
    struct wp_pair pair[WP_MAX_PAIRS];
    double zeta;           // low / zeta and high * zeta give a low-pass gain of 1 at DC; may be < 0
    enum wp_symmetry symmetry; // computed from the pairs
    // Computed from the pairs: the smallest even F for which the samples 2n - F/2 + 1 .. 2n + F/2
    // contain all taps of both filters (and then those of the synthesis filters) at n. PyWavelets
    // has filters of this length, padded with zeros (dec_len).
    int window;
};

// The table: haar, cdf53, cdf97, dd137; terminated by NULL.
extern const struct wp_wavelet *const wp_wavelet_table[];

// Names of wavelets that are computed from their definitions, terminated by NULL. Some are also
// aliases in the table or in files, which take precedence.
extern const char *const wp_wavelet_family_names[];

// Their families, one line each, terminated by a NULL name.
struct wp_wavelet_family {
    const char *name, *title;
};
extern const struct wp_wavelet_family wp_wavelet_families[];

// The files of assets/wavelets, embedded by the build; terminated by a NULL name.
struct wp_wavelet_file {
    const char *name; // "cdf93.wavelet"
    const char *text;
};
extern const struct wp_wavelet_file wp_wavelet_files[];

// Finds a wavelet. In this order: by name or alias in the table; by file name without ".wavelet",
// name or alias among the files in the directories of $WAVEPASS_WAVELETS (separated by ':'), then
// among the embedded files; in a family; as the path of a file. A text with a ';' is instead the
// taps of both filters, "LOW;HIGH", or for an orthogonal wavelet "LOW;". False after WP_ERROR_USAGE
// with a suggestion, WP_ERROR_FILE with file, line and reason, or WP_ERROR_TOO_LARGE if memory is
// exhausted.
bool wp_wavelet_find(const char *name, struct wp_wavelet *wavelet);

// Reads a wavelet file; the format is described in docs/wavelet-files.md. False after WP_ERROR_FILE
// "FILE:LINE: MESSAGE (REASON)".
bool wp_wavelet_read(const char *path, struct wp_wavelet *wavelet);

// Likewise from memory. `name` is used as the path in messages, and without directory and suffix as
// the wavelet's name if the text does not give one.
bool wp_wavelet_parse(const char *name, const char *text, struct wp_wavelet *wavelet);

// Evaluates an expression (docs/wavelet-files.md). NULL, or an error message.
const char *wp_wavelet_evaluate(const char *text, double *value);

// The path of the file in $WAVEPASS_WAVELETS that wp_wavelet_find() reads for a name, or NULL if it
// does not read one of these. The caller frees it.
char *wp_wavelet_path(const char *name);

// Checks the limits above and that the low-pass gain at DC is 1 and the high-pass gain 0 (to 1e-6),
// and sets `symmetry`. NULL, or an error message that is valid until the next call by this thread.
const char *wp_wavelet_finish(struct wp_wavelet *wavelet);

// The 1-D analysis filters, computed from the steps, in the normalization jpeg2000:
// low[n] = sum low_k x[2n + k], high[n] = sum high_k x[2n + 1 + k], with the tap at k at index
// WP_FILTER_CENTER + k. The wavelet must have passed wp_wavelet_finish().
enum {
    WP_FILTER_CENTER = 4 * WP_MAX_REACH * WP_MAX_PAIRS,
    WP_FILTER_SIZE = 2 * WP_FILTER_CENTER + 1
};
void wp_wavelet_filters(const struct wp_wavelet *wavelet, double low[WP_FILTER_SIZE],
                        double high[WP_FILTER_SIZE]);

// Names and aliases of the table, of files in $WAVEPASS_WAVELETS and of embedded files, without
// those of families, each once. Files that cannot be read are listed by file name. Terminated by
// NULL; free it with wp_wavelet_free_names(). NULL after WP_ERROR_TOO_LARGE.
char **wp_wavelet_names(void);
bool wp_wavelet_is_known(const char *name); // is it one of these, or of a family?
void wp_wavelet_free_names(char **names);

// Lifting step number `step`: predict steps are even, update steps odd.
static inline const struct wp_filter *wp_wavelet_step(const struct wp_wavelet *wavelet, int step)
{
    const struct wp_pair *pair = &wavelet->pair[step / 2];
    return step % 2 ? &pair->update : &pair->predict;
}

// True if both wavelets have the same steps and zeta.
bool wp_wavelet_same_steps(const struct wp_wavelet *a, const struct wp_wavelet *b);

#endif
