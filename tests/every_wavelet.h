// Enumerates the built-in wavelets: the table and the files of assets/wavelets.
#ifndef EVERY_WAVELET_H
#define EVERY_WAVELET_H

#include "wavelet.h"

enum { EVERY_WAVELET_MAX = 64 };

// Fills `list` and returns the count. sample_has_name() selects among the wavelet files. Fails the
// test if a file cannot be read or there are no files.
int every_wavelet(struct wp_wavelet list[EVERY_WAVELET_MAX]);

// The wavelet of the table with this name; fails the test if there is none.
const struct wp_wavelet *table_wavelet(const char *name);

#endif
