// The wavelet selection popup: a tree of families with a search field and drawings of phi and psi.
#ifndef WP_VIEWER_WAVELET_LIST_H
#define WP_VIEWER_WAVELET_LIST_H

#include <stdbool.h>

#include "view_state.h"

struct wp_viewer;

enum { WP_CURVE_POINTS = 96 };

// A small drawing of scaling function and wavelet, computed once per name by the cascade algorithm
// from the synthesis filters.
struct wp_wavelet_curve {
    char name[WP_VIEW_WAVELET_SIZE];
    char title[96];
    bool known;    // the wavelet could be read
    bool periodic; // requires periodic borders
    double error;  // lower bound of the error of images in float32 (wavelet_growth.h)
    float value[2][WP_CURVE_POINTS]; // phi and psi, each normalized to -1..1
};

enum { WP_WAVELET_GROUPS = 6 }; // built-in wavelets and files, then the families

struct wp_wavelet_list {
    char **names;  // built-in wavelets and files when the list was opened
    int ab;        // A or B
    unsigned open; // bit mask of expanded groups
    int at;        // group of the selected line; -1: none
    struct wp_wavelet_curve *curve; // computed ones
    int curves;
};

// The curve of a wavelet. If it has not been computed, computes it with `may_make`, else returns
// NULL. Valid until the next call.
const struct wp_wavelet_curve *wp_wavelet_curve(struct wp_wavelet_list *list, const char *name,
                                                bool may_make);

// Opens the list for A or B, or closes it.
void wp_wavelet_list_open(struct wp_viewer *v, int ab);
void wp_wavelet_list_show(struct wp_viewer *v);

// Handles arrow keys: up and down select a line, left and right collapse and expand its group.
// Returns false for other keys.
bool wp_wavelet_list_key(struct wp_viewer *v, int key);

void wp_wavelet_list_free(struct wp_wavelet_list *list);

// True if `text` contains `typed`, ignoring case.
bool wp_contains(const char *typed, const char *text);

#endif
