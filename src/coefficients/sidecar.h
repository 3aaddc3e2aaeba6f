// The description that lies beside a coefficient file, COEFFS.json, or in it (subbands.h).
//
// It names everything that the inverse transform needs. Beside the wavelet's name it holds its
// lifting steps, as lines of a wavelet file: a reader in another language needs no table, and
// `inverse` notices a wavelet of this name that was changed in between.
#ifndef WP_SIDECAR_H
#define WP_SIDECAR_H

#include "bands.h"
#include "description.h"
#include "image.h"
#include "output.h"
#include "wavepass.h"

#include <stdbool.h>

// What the arrays of subbands are called where each has one of its own.
enum wp_naming {
    WP_NAMING_WAVEPASS,  // "HL1"
    WP_NAMING_PYWT, // PyWavelets' words and signs: "cV1"
    WP_NAMING_COUNT
};

extern const char *const wp_naming_names[WP_NAMING_COUNT]; // "wavepass", "pywt"

struct wp_sidecar {
    char wavelet_name[4096];   // as wp_wavelet_find() takes it: a name or a path
    bool has_steps;            // `wavelet` holds its pairs and zeta, nothing else
    struct wp_wavelet wavelet;
    enum wp_border border;
    enum wp_norm norm;
    enum wp_layout layout;
    int levels, width, height, planes;
    struct wp_origin origin;
    int depth, levels_z, gop; // of a volume; 1, 0 and 0 of an image. gop 0: all slices together
    enum wp_decomposition decomposition;
    struct wp_geometry geometry;
    bool alpha;
    // Everything computes the same, and these are for people; NULL: the backend has one way, or it
    // is not known. Scheme and form are read where somebody had named them.
    const char *scheme, *form, *backend, *variant;
    bool scheme_named;
    const char *precision; // this too: what the coefficients were kept in
    // Every step rounds: samples and coefficients are integers. What those of the image were stored
    // as, for who writes it back.
    bool reversible;
    enum wp_stored stored;
    // Told by the file's arrays, not by the description: their names, and whether those of a .npy
    // are binary16, to which the coefficients were rounded before.
    enum wp_naming naming;
    bool half;
    // wp_image_hash() of the coefficients. Descriptions of former versions have none.
    bool has_hash;
    unsigned long long hash;
    // Of coefficients that were written in parts: the same of their rows, in whatever order they come
    // (tile_store.h).
    bool has_rows_hash;
    unsigned long long rows_hash;
    // Columns of a tile, where each subband is a page of tiles, which may be compressed; else 0.
    int tile;
    bool deflate;
};

// Whether a file of that name has its description in itself: a .npz.
bool wp_sidecar_is_inside(const char *coefficients);

// "c.npy" -> "c.npy.json"; the caller frees it. NULL where nothing lies beside: of "-" and .npz.
char *wp_sidecar_path(const char *coefficients);

// Writes to the output's stream and flushes it. False after WP_ERROR_FILE.
bool wp_sidecar_write(const struct wp_sidecar *sidecar, const char *path,
                      struct wp_output *output);

// The same as a text; the caller frees it.
char *wp_sidecar_text(const struct wp_sidecar *sidecar);

// Checks such a text; `path` is for messages. False after WP_ERROR_FILE.
bool wp_sidecar_parse(const char *path, const char *text, size_t length,
                      struct wp_sidecar *sidecar);

// Reads and checks. `found` tells whether there is such a file at all; where there is none it
// returns true. False after WP_ERROR_FILE, which names the file and what is wrong in it.
bool wp_sidecar_read(const char *path, struct wp_sidecar *sidecar, bool *found);

// What a description says of its coefficients; `gop` is the number of slices that it tells of. Planes,
// depth, alpha, origin and geometry are left to the image.
// wp_wavelet_find() found the wavelet by `given` (NULL: by its own name): its name is that of the
// wavelet, or the path where it is a file that is not found by name. Names are kept as they lie.
struct wp_sidecar wp_sidecar_of(const struct wp_description *description, const char *given,
                                const char *backend, const char *variant);

// The steps that the sidecar holds, as the library takes a wavelet (`data` points into the rest).
struct wp_sidecar_wavelet {
    struct wp_wavelet_data data;
    struct wp_step_data step[2 * WP_MAX_PAIRS];
    double tap[2 * WP_MAX_PAIRS][2 * WP_MAX_REACH + 1];
};

// False where the sidecar's wavelet is found by its name, or the sidecar holds no steps.
bool wp_sidecar_lost_wavelet(const struct wp_sidecar *sidecar, struct wp_sidecar_wavelet *wavelet);

// As much of a description as subbands are told by.
struct wp_description wp_sidecar_shape(const struct wp_sidecar *sidecar);

// Finds the wavelet and compares it with the steps that the sidecar holds. False after
// WP_ERROR_FILE.
bool wp_sidecar_find_wavelet(const struct wp_sidecar *sidecar, const char *path,
                             struct wp_wavelet *wavelet);

// Says that the file's description is of others. Always false: WP_ERROR_FILE.
bool wp_sidecar_of_others(const char *coefficients);

// True where both wavelets compute the same.
bool wp_sidecar_same_steps(const struct wp_wavelet *a, const struct wp_wavelet *b);

#endif
