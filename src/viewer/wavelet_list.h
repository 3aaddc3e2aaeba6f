// The choice among all wavelets: a tree of families with a field to search it, and phi and psi
// beside every name.
#ifndef WP_VIEWER_WAVELET_LIST_H
#define WP_VIEWER_WAVELET_LIST_H

#include "wavelet_curves.h"

struct wp_viewer;

enum { WP_WAVELET_GROUPS = 6 }; // the table and files, then the families

struct wp_wavelet_list {
    char **names;  // of the table and files as the list was opened
    int side;      // whose wavelet is chosen
    unsigned open; // groups, bit by bit
    int at;        // group of the chosen line, -1: none
    struct wp_wavelet_curves curves;
};

// Opens it for A or B, or closes it.
void wp_wavelet_list_open(struct wp_viewer *v, int side);
void wp_wavelet_list_show(struct wp_viewer *v);

// Arrows: up and down go from line to line, left and right fold and unfold the group of the line.
// False of another key.
bool wp_wavelet_list_key(struct wp_viewer *v, int key);

void wp_wavelet_list_free(struct wp_wavelet_list *list);

#endif
