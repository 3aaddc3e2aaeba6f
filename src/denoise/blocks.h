// Denoising by blocks, for decimated transforms by filters of two taps (Haar): the first k levels of
// a block of the axes y and z, of a multiple of 2^k samples, depend on no other block. The
// coefficients of a block stay in caches and are computed twice: first for the noise and the energy
// of subbands, from which thresholds follow, and then to be shrunk and inverted. The low-pass samples
// of all blocks are an array, to which the other levels apply. Results of finite floats have the bits
// of the transform of the whole plane; samples that are not finite spread less far. Internal to this
// layer.
#ifndef WP_BLOCKS_H
#define WP_BLOCKS_H

#include "choose.h"
#include "edit.h"
#include "spin.h"
#include "wavepass.h"

struct wp_blocks;

// True if planes of a forward transform can be denoised by blocks with the
// thresholds of an edit, and this takes less time.
bool wp_blocks_fit(const struct wp_description *description, const char *backend,
                   const struct wp_edit *edit);

// `params` are those of the transform of a plane, with a number of levels. NULL
// after WP_ERROR_TOO_LARGE.
struct wp_blocks *wp_blocks_create(const struct wp_transform_params *params,
                                   const struct wp_denoise_choice *choice,
                                   const struct wp_edit *edit, bool per_level);
void wp_blocks_destroy(struct wp_blocks **blocks);

// Bytes that the first wp_blocks_run() allocates, without those of the backend.
double wp_blocks_bytes(const struct wp_blocks *blocks);

// A plane of two operands with all strides, which are the same or share no
// byte; or of one position of a spin, with `plane` and `sum`.
struct wp_block_plane {
    const struct wp_operand *from, *to;
    struct wp_spin *spin; // NULL: the operands
    int plane, number;    // of the spin
};

// Denoises a plane. `gain` and `limit` are as in struct wp_edit_noise, of the
// bands of this plane. False after WP_ERROR_TOO_LARGE.
bool wp_blocks_run(struct wp_blocks *blocks, const struct wp_block_plane *plane, const double *gain,
                   struct wp_edit_limit *limit);

#endif
