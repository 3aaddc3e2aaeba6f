// BART's files: samples of complex64, x fastest, in NAME.cfl, and dimensions as text in NAME.hdr.
// Internal to this layer.
#ifndef WP_CFL_H
#define WP_CFL_H

#include "complex_array.h"

bool wp_cfl_matches(const char *path); // true for the name of either file
bool wp_cfl_names(const char *path);   // or for NAME, if no file has exactly that name

struct wp_complex_array *wp_cfl_read(const char *path);
bool wp_cfl_write(const char *path, const struct wp_complex_array *array);

#endif
