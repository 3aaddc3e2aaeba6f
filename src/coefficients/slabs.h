// Transforms of images that need not fit into memory: slabs of rows of each level, with the rows
// around them that the lifting steps reach, go through ordinary transforms of one level. What comes
// out is that of the backend "cpu" for the whole, bit for bit. Symmetric borders alone.
#ifndef WP_SLABS_H
#define WP_SLABS_H

#include "wavepass.h"

// Row `row` of a plane of a band, by its number (place.h). Each comes, or is asked for, once; those
// of one plane and band from the first to the last. False, after an error, ends the call.
typedef bool (*wp_slabs_take)(void *user, int band, int plane, int row, const float *samples);
typedef bool (*wp_slabs_give)(void *user, int band, int plane, int row, float *samples);

struct wp_slabs;

// Of `params` the size, planes, wavelet, border, norm, levels and whether it is reversible count.
// NULL after an error.
struct wp_slabs *wp_slabs_create_forward(const struct wp_transform_params *params,
                                         wp_slabs_take take, void *user);
struct wp_slabs *wp_slabs_create_inverse(const struct wp_transform_params *params,
                                         wp_slabs_give give, void *user);
void wp_slabs_destroy(struct wp_slabs **slabs); // accepts NULL, clears the pointer

// Bytes that such a one takes; 0 after an error.
size_t wp_slabs_memory(const struct wp_transform_params *params);

// The next row of the image: plane p from row[p * plane] on. After the last one all bands are
// there. False after an error.
bool wp_slabs_push(struct wp_slabs *slabs, const float *row, size_t plane);
bool wp_slabs_pull(struct wp_slabs *slabs, float *row, size_t plane);

#endif
