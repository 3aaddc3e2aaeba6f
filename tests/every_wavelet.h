// Every wavelet that is built in: the table and the files of assets/wavelets.
#ifndef EVERY_WAVELET_H
#define EVERY_WAVELET_H

#include "wavelet.h"

enum { EVERY_WAVELET_MAX = 64 };

// Fills `list` and returns how many there are; of those beyond the table sample_has_name() chooses.
// Fails the test where a file cannot be read or where there is none beyond the table.
int every_wavelet(struct wp_wavelet list[EVERY_WAVELET_MAX]);

// One of the table by its name; fails the test where there is none.
const struct wp_wavelet *table_wavelet(const char *name);

#endif
