// All topics of `explain`: schemes (explain.h), the results of their passes on an image, costs that
// backends count, benchmark results, and pages with all of them.
#ifndef WP_REPORT_H
#define WP_REPORT_H

#include "explain.h"
#include "image.h"

// The image or volume that passes process.
struct wp_report_input {
    const char *image;  // path or pattern for wp_image_read_with(); NULL: none
    struct wp_read_params read; // `volume` and `facts` are ignored
    bool volume;        // requested as a volume; an image is a volume of one slice
    const char *channel; // one of wp_channel_words; NULL: luma of color images, and all three
                         // channels in pictures
    const char *border; // NULL: symmetric if the wavelet supports it, else periodic
    int levels;         // 0: 1; WP_LEVELS_MOST: as many as fit; along z of a volume at most as many
                        // as fit
};

enum { WP_REPORT_NO_Z = -0x40000000 };

struct wp_report_params {
    struct wp_explain_params explain;
    const struct wp_scheme_kind *other; // glsl, pixel: a second scheme to compare with, or NULL
    enum wp_form other_form;
    struct wp_report_input input; // required for passes and pixel, optional for report and all
    const int *pixel;             // x, y, and z or WP_REPORT_NO_Z; required for pixel; report, all:
                                  // NULL for no calculation
    bool worksheet;               // report: with blanks, followed by the answers
    int seed;                     // of the worksheet's questions; 0: 1
    const char *page;             // report: address of the web page for links, or NULL
    const char *results;          // report, all: a file of benchmark results, or NULL
    const char *directory;        // passes, all: created if missing
    bool overwrite;               // existing files in it
    int size[WP_DIMS_MAX];        // of the image, set by wp_report_read(); of an image z is 1
};

// Whether a topic writes files in several formats instead of text.
bool wp_report_is_files(enum wp_explain_topic topic);

// Adds the text to `out`, or writes the files. False after an error.
bool wp_report(const struct wp_report_params *params, struct wp_text *out);

#endif
