// Lists of numbers, sizes and names, as options of `bench` have them.
#ifndef WP_AXIS_LISTS_H
#define WP_AXIS_LISTS_H

#include "lifting.h"

#include <stdbool.h>

enum { WP_AXIS_LEVELS_MOST = -1 }; // "max"

// Numbers or sizes; images have one slice. A number n is the size of a square
// image.
struct wp_axis_numbers {
    int count;
    int (*value)[WP_DIMS_MAX]; // the owner frees it
};

void wp_axis_add(struct wp_axis_numbers *numbers, int number);

// Reads the list of an option: "size", "levels", "levels-z", "threads",
// "planes" or "batch". WP_ERROR_USAGE, for a size also the errors of reading an
// image.
bool wp_axis_read(const char *option, const char *list,
                  struct wp_axis_numbers *numbers);

// Adds the bits of a list of names; "all" has all bits. WP_ERROR_USAGE.
bool wp_axis_read_names(const char *option, const char *list, const char *const names[], int count,
                        unsigned *bits);

#endif
