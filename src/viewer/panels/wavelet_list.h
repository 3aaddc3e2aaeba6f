// The wavelet selection popup: a tree of families with a search field and drawings of phi and psi.
#ifndef WP_VIEWER_WAVELET_LIST_H
#define WP_VIEWER_WAVELET_LIST_H

#include <stdbool.h>

#include "view_state.h"

struct wp_viewer;

enum { WP_WAVELET_GROUPS = 6 }; // built-in wavelets and files, then the families

struct wp_wavelet_list {
    char **names;  // built-in wavelets and files when the list was opened
    int ab;        // A or B
    unsigned open; // bit mask of expanded groups
    int at;        // group of the selected line; -1: none
    struct wp_wavelet_curve *curve; // computed ones
    int curves;
};

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
