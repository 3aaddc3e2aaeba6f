// The metadata of a coefficient file: a JSON file COEFFS.json, or an array in a .npz (subbands.c).
//
// It has everything that the inverse transform needs. In addition to the name of the wavelet it has
// its lifting steps, as lines of a wavelet file, so that readers in other languages need no table
// of wavelets, and `inverse` detects a wavelet of the same name with other steps.
#ifndef WP_SIDECAR_H
#define WP_SIDECAR_H

#include "array_shape.h"
#include "bands.h"
#include "description.h"
#include "image.h"
#include "output.h"
#include "packets.h"
#include "transform.h"

#include <stdbool.h>

// Names of arrays if each subband has its own array.
enum wp_naming {
    WP_NAMING_WAVEPASS, // "HL1"
    WP_NAMING_PYWT,     // names and signs of PyWavelets: "cV1"
    WP_NAMING_COUNT
};

extern const char *const wp_naming_names[WP_NAMING_COUNT]; // "wavepass", "pywt"

// Versions of the file. A file has the version in which the newest of its members was added, so that
// programs that do not know the member reject the file.
enum wp_sidecar_schema {
    WP_SIDECAR_SCHEMA = 1,
    WP_SIDECAR_SCHEMA_VOLUME = 2,
    WP_SIDECAR_SCHEMA_REVERSIBLE = 3,
    WP_SIDECAR_SCHEMA_ARRAY = 4,
    WP_SIDECAR_SCHEMA_ADJOINT = 5, // of images, volumes and arrays
    WP_SIDECAR_SCHEMA_F64 = 6      // arrays of doubles, perhaps of an adjoint
};

struct wp_sidecar {
    char wavelet_name[4096]; // a name or path for wp_wavelet_find()
    bool has_steps;          // `wavelet` has the pairs and zeta
    struct wp_wavelet wavelet;
    struct wp_description
        description; // its size has all slices; without wavelet, tree, scheme and planes
    char tree[WP_PACKET_TREE_MOST + 1]; // of packets (packets.h); "": the full tree
    int planes; // alpha included
    int gop;    // slices per group; 0: one group
    bool alpha;
    struct wp_array_shape array; // of coefficients of `--axes`; the size is that of these axes
    struct wp_origin origin;
    struct wp_geometry geometry;
    // For information only, because they do not change the result; NULL: unknown, or the backend
    // has only one. Scheme and form are only read if the user had selected them (`scheme_named`).
    const char *scheme, *form, *backend, *variant, *precision;
    bool scheme_named;
    enum wp_stored stored; // of a reversible transform: type of the image's samples in its file
    // Properties of the arrays in the file, not of the metadata.
    enum wp_naming naming;
    bool half; // a .npy of binary16
    bool wide; // an array of doubles, also in the metadata
    // wp_image_hash() of the coefficients. Metadata of earlier versions has none.
    bool has_hash;
    unsigned long long hash;
    // The hash of rows in any order (tile_store.h).
    bool has_rows_hash;
    unsigned long long rows_hash;
    int tile;     // columns per tile, if each subband is a page of tiles; else 0
    bool deflate; // tiles are compressed
};

// Whether the metadata is in the coefficient file itself: a .npz.
bool wp_sidecar_is_inside(const char *coefficients);

// "c.npy" -> "c.npy.json"; the caller frees it. NULL for "-" and .npz, which have no metadata file.
char *wp_sidecar_path(const char *coefficients);

// Writes to the output's stream and flushes it. False after WP_ERROR_FILE.
bool wp_sidecar_write(const struct wp_sidecar *sidecar, const char *path,
                      struct wp_output *output);

// Adds the words of a set of fields (fields.h) to a JSON object.
struct json_t;
void wp_sidecar_add_fields(struct json_t *object, const struct wp_description *description,
                           unsigned set);

// The JSON text; the caller frees it.
char *wp_sidecar_text(const struct wp_sidecar *sidecar);

// Parses and checks a JSON text; `path` is for messages. False after WP_ERROR_FILE.
bool wp_sidecar_parse(const char *path, const char *text, size_t length,
                      struct wp_sidecar *sidecar);

// Reads and checks a file. If it does not exist, sets `*found` to false and returns true. False
// after WP_ERROR_FILE.
bool wp_sidecar_read(const char *path, struct wp_sidecar *sidecar, bool *found);

// The metadata of a description, whose slices are one group. The caller sets planes, depth, alpha,
// origin and geometry. `given` is the name or path by which the wavelet was found; NULL: its own
// name. The strings `backend` and `variant` are not copied.
struct wp_sidecar wp_sidecar_of(const struct wp_description *description, const char *given,
                                const char *backend, const char *variant);

// Sets `wavelet` if the wavelet is not known here by its name, but its steps are in the metadata.
bool wp_sidecar_lost_wavelet(const struct wp_sidecar *sidecar, struct wp_wavelet_steps *wavelet);

// The description with the wavelet and the tree of the metadata; `sidecar` must outlive it.
struct wp_description wp_sidecar_description(const struct wp_sidecar *sidecar);

// The image, without samples.
struct wp_image wp_sidecar_shape(const struct wp_sidecar *sidecar);

// Finds the wavelet by its name and compares it with the steps in the metadata. False after
// WP_ERROR_FILE.
bool wp_sidecar_find_wavelet(const struct wp_sidecar *sidecar, const char *path,
                             struct wp_wavelet *wavelet);

// False after WP_ERROR_FILE if these are coefficients of axes of an array, which only `inverse` and
// `info` read.
bool wp_sidecar_check_image(const struct wp_sidecar *sidecar, const char *coefficients);

// Reports that the metadata does not match the coefficients. Always false: WP_ERROR_FILE.
bool wp_sidecar_mismatch(const char *coefficients);

#endif
