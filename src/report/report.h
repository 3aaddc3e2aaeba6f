// Everything that `explain` shows: a scheme by itself (explain.h), what its passes make of an
// image, what backends count and benchmarks have measured, and pages of all that.
#ifndef WP_REPORT_H
#define WP_REPORT_H

#include "explain.h"
#include "image.h"

// The image or volume that passes run on.
struct wp_report_input {
    const char *image;  // as wp_image_read_with() takes it; NULL: none
    struct wp_read_params read; // `volume` and `facts` do not count
    bool volume;        // is asked for: an image is a volume of one slice
    const char *channel; // one of wp_channel_words; NULL: of colour luma, and in pictures all three
    const char *border; // NULL: symmetric where the wavelet allows it
    int levels;         // 0 means 1; WP_LEVELS_MOST; of a volume's third axis as many as fit
};

enum { WP_REPORT_NO_Z = -0x40000000 };

struct wp_report_params {
    struct wp_explain_params explain;
    const struct wp_scheme_kind *other; // glsl, pixel: NULL, or a second scheme to compare with
    enum wp_form other_form;
    struct wp_report_input input; // passes and pixel need one; report and all go without
    const int *pixel;             // x, y, and z or WP_REPORT_NO_Z: pixel needs one; report, all:
                                  // NULL for no arithmetic
    bool worksheet;               // report: blanks, and all that they hide behind them
    int seed;                     // of the worksheet's questions; 0 means 1
    const char *page;             // report: NULL, or where the page for browsers is, for links
    const char *results;          // report, all: a file of benchmark results, or NULL
    const char *directory;        // passes, all: made where it is missing
    bool overwrite;               // what lies there
};

// True for what is written to files, in several formats, and adds no text.
bool wp_report_is_files(enum wp_explain_topic what);

// Adds what is asked for to `out`, or writes it to the directory. False after one error.
bool wp_report(const struct wp_report_params *params, struct wp_text *out);

#endif
