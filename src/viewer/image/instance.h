// One transform of one plane. Results of images stay on the GPU, where they are displayed; volumes
// stay in host memory (instance_volume.c). All functions require the viewer's context to be current
// and leave it current.
#ifndef WP_INSTANCE_H
#define WP_INSTANCE_H

#include "channel.h"
#include "devices.h"
#include "plan.h"
#include "registry.h"
#include "schedule.h"
#include "text.h"
#include "texture.h"
#include "transform.h"
#include "view_state.h"

struct wp_instance_packets;
struct wp_measure;
struct wp_quick_inverse;

enum wp_view_ab { WP_A, WP_B };

// Selects a backend with its default variant, and f32 if it does not support f16.
void wp_instance_set_backend(struct wp_instance_view *view, const struct wp_backend *backend);

// A plane to be transformed.
struct wp_plane {
    int width, height, depth;    // depth 1: an image
    const float *samples;        // row 0 at the top
    const struct wp_texture *quads; // for images
    float unit;                  // value in the file of a sample of 1
    unsigned version;            // changes with the samples
};

// Quads on a texture.
struct wp_quads {
    const struct wp_texture *texture;
    int x, y; // texel of quad (0, 0)
};

// Edits of the coefficients, of each band by its level and enum wp_band.
struct wp_view_edit {
    bool any;      // false: no change
    bool zeroed[WP_MAX_LEVELS + 1][WP_OCTET_BANDS]; // bands set to 0
    double gain[WP_MAX_LEVELS + 1][WP_OCTET_BANDS]; // factors of others, after the threshold
    enum wp_threshold threshold;
    double limit[WP_MAX_LEVELS + 1][WP_OCTET_BANDS]; // thresholds, in the orthonormal norm
    bool impulse;
    int level, band, x, y, z; // of the impulse; `band` is the number of a leaf of packets
    // Of packets, by the number of a leaf; a gain of 0 is a zeroed leaf.
    double leaf_gain[WP_LEAVES_MAX], leaf_limit[WP_LEAVES_MAX];
};

struct wp_instance_params {
    struct wp_instance_view view;
    int levels, border, norm;
    bool adjoint;
    int levels_z, gop; // for volumes; levels_z -1: as `levels`, or as many as fit
    struct wp_basis_view packets; // for bank packets, else {0}
};

struct wp_instance {
    struct wp_instance_params params;
    struct wp_plane plane;
    struct wp_wavelet wavelet;
    const struct wp_backend *backend;
    const struct wp_device_info *device;
    struct wp_gl *gl;
    struct wp_devices *devices;
    int levels;               // along x and y
    struct wp_description description; // forward; for volumes that of one group of slices
    struct wp_exec *exec[2];  // by direction; for images
    struct wp_plan *plan[2];  // instead, unless backends compute the description
    struct wp_wavelet *of_plans; // a copy of `wavelet`, to which plans refer
    const struct wp_backend_gl *textures; // the texture interface of the backend, or NULL
    const struct wp_surfaces *surfaces[2]; // by direction; NULL if results are copied to textures
    const struct wp_schedule *schedule[2]; // of the surfaces
    bool exchanges;   // copies between textures and the backend's memory, else via host memory
    bool reads_image; // the backend reads the image's texture; others need a copy with extended
                      // boundaries
    struct wp_instance_volume *volume; // for volumes
    struct wp_instance_packets *packets; // for images with bank packets and levels
    double seconds[2];        // of the latest run
    char name[96];            // canonical: "cdf97/nonsep-lifting/optimized"
    int steps;                // passes per level
    bool at_once;             // the variant executes them as one operation
    double operations, fetches; // per level and quad, as executed

    struct wp_quads level[WP_MAX_LEVELS + 1];  // coefficients, from level 1
    struct wp_quads edited[WP_MAX_LEVELS + 1]; // the same if no edit is active
    struct wp_quads image;                     // result of the inverse
    struct wp_texture copy[WP_MAX_LEVELS + 1]; // copies, for backends without textures
    struct wp_texture changed[WP_MAX_LEVELS + 1];
    struct wp_view_edit applied; // what `changed` has, if `is_applied`, of the latest forward run
    bool is_applied;
    struct wp_texture image_copy;
    struct wp_quick_inverse *quick;            // created on first use
    bool stale[WP_MAX_LEVELS + 1];             // levels of `edited` that it has not read yet
    bool no_quick;                             // it failed, or would exceed the memory limit
    float *coefficients;                       // for backends that use host memory; or samples
};

// Creates instances with these parameters for `count` planes and destroys the remaining ones
// (sources.h). On failure all instances are unchanged.
bool wp_instance_set(struct wp_instance instance[WP_COLOURS], struct wp_devices *devices,
                     const struct wp_plane plane[], int count,
                     const struct wp_instance_params *params);
void wp_instance_destroy(struct wp_instance *instance); // accepts {0}, resets to {0}

bool wp_instance_params_equal(const struct wp_instance_params *a,
                              const struct wp_instance_params *b);

// The most levels of an image, or of the slices of a volume: those that fit, also for the borders
// of PyWavelets, redundant banks, whose levels of a volume are also along z, and packets, whose
// tree the viewer shows up to WP_NODE_LEVELS.
int wp_instance_levels_most(const struct wp_wavelet *wavelet, int bank, int border,
                            const int size[WP_DIMS_MAX]);

// False after WP_ERROR_USAGE if the viewer does not support the bank for volumes.
bool wp_instance_check_volume(int bank);

// False after WP_ERROR_TOO_LARGE if `planes` transforms with a total of `bytes` exceed the limit
// (0: none).
bool wp_instance_check_memory(const struct wp_description *description, int planes, double bytes,
                              double limit);

// The size of a band of an image's level.
struct wp_band_grid wp_instance_band(const struct wp_instance *instance, int level,
                                     enum wp_band band);

// The name of the active variant, or NULL if the backend has no variants.
const char *wp_instance_variant(const struct wp_instance *instance);

// Seconds that the latest run spent mapping and unmapping shared textures. Returns false if no
// textures are shared between APIs.
bool wp_instance_handover(const struct wp_instance *instance, double *map, double *unmap);

// By enum wp_band: "LL", "HL", … for images; "LLL", "HLL", … for volumes; "C" and "W" for the
// starlet.
const char *const *wp_instance_band_names(const struct wp_instance *instance);

// Releases the plane's texture before it is destroyed. The next forward transform binds the plane's
// new texture.
void wp_instance_unbind(struct wp_instance *instance);

// The GL name of the texture read by the forward transform, or 0 if it reads host memory.
unsigned wp_instance_image_texture(const struct wp_instance *instance);

// Runs the forward transform of the plane. Sets `level` and `edited`.
bool wp_instance_forward(struct wp_instance *instance);
// Does a level have the band? The starlet has LL (C) and that of all transformed axes (W).
bool wp_instance_is_band(const struct wp_instance *instance, int level, enum wp_band band);
// True if `edited` contains the band. LL bands of levels before the last exist only on the surfaces
// between passes.
bool wp_instance_has_band(const struct wp_instance *instance, int level, enum wp_band band);
// The number of low bands of levels before the last that are shown: of redundant banks on textures,
// without edits.
int wp_instance_lows(const struct wp_instance *instance);
// Applies edits, or none if it is NULL, to `level`. Sets `edited`.
bool wp_instance_edit(struct wp_instance *instance, const struct wp_view_edit *edit);
// Runs the inverse transform of `edited`. Sets `image`.
bool wp_instance_inverse(struct wp_instance *instance);

// The same by the backend that is fastest for textures (quick_inverse.h), which gives slightly
// other values, if has_quick(): of images of floats with levels, unless the backend itself is as
// fast.
bool wp_instance_has_quick(const struct wp_instance *instance);
bool wp_instance_inverse_quick(struct wp_instance *instance);

// The schedule of passes for stepping, or NULL if the backend does not support it.
const struct wp_schedule *wp_instance_schedule(struct wp_instance *instance,
                                               enum wp_direction direction);

// Appends the reason why wp_instance_schedule() returns NULL.
void wp_instance_explain(const struct wp_instance *instance, struct wp_text *text);

// Runs the first `count` operations of the schedule on its input. `seconds` gets one time per
// operation, or is NULL. This invalidates `level` until the next wp_instance_forward().
bool wp_instance_step(struct wp_instance *instance, enum wp_direction direction, int count,
                      double *seconds);

// The texture of a surface of the schedule.
const struct wp_texture *wp_instance_surface(struct wp_instance *instance,
                                             enum wp_direction direction, int surface);

// Elements of the array of coefficients of a plane; of a volume of all groups.
size_t wp_instance_coefficients(const struct wp_instance *instance);

// Copies the edited coefficients to `plane` in the Mallat layout (wp_instance_coefficients());
// elements of no band are 0.
bool wp_instance_read_coefficients(struct wp_instance *instance, float *plane);

// ---- The transform of a volume in host memory, computed by the library, which supports groups of
// slices. The viewer displays slices of it (volume_tiles.c).

// Coefficients have the Mallat layout, per group in its slices; those of redundant banks their
// bands one after the other.
struct wp_instance_volume {
    struct wp_transform *transform;
    int depth;           // number of slices
    int size[WP_DIMS_MAX], extent[WP_DIMS_MAX]; // of the arrays of samples and of coefficients
    float *coefficients;
    float *changed;      // edited coefficients; NULL before the first edit
    struct wp_view_edit applied; // what `changed` has, if `is_applied`, of the latest forward run
    bool is_applied;
    const float *edited; // `coefficients` or `changed`
    float *image;        // result of the inverse; NULL before the first one
};

// Creates `instance->volume`, with the backend, plane, wavelet and levels of the instance, one of
// `planes` that together may have `limit` bytes of host memory, including the samples and edited
// coefficients; sets the description and what is shown of it. False after the error of
// wp_transform_create() or WP_ERROR_TOO_LARGE.
bool wp_instance_make_volume(struct wp_instance *instance, double limit, int planes);
// Accepts NULL, sets the pointer to NULL.
void wp_instance_volume_destroy(struct wp_instance_volume **volume);

// Transforms the samples to `coefficients`, or `edited` to `image`.
bool wp_instance_volume_run(struct wp_instance_volume *volume, enum wp_direction direction,
                            const float *samples, double *seconds);
bool wp_instance_volume_edit(struct wp_instance_volume *volume, const struct wp_view_edit *edit);

// The number of groups, and the description of one group, which starts at slice `*first`.
int wp_instance_volume_groups(const struct wp_instance_volume *volume);
struct wp_description wp_instance_volume_group(const struct wp_instance_volume *volume, int group,
                                               int *first);

// Statistics of a band of the edited coefficients over all groups, or of the difference to the same
// band of `other` (may be NULL), as far as both have it.
struct wp_measure wp_instance_volume_measure(const struct wp_instance_volume *volume, int level,
                                             enum wp_band band,
                                             const struct wp_instance_volume *other);
// Statistics of samples, or of a - b if b is not NULL.
struct wp_measure wp_instance_volume_measure_all(const struct wp_instance_volume *volume,
                                                 const float *a, const float *b);

// Calls use() with the edits of coefficients with this description, as options of `edit` in order.
// Returns false if use() does.
bool wp_view_edit_each(const struct wp_view_edit *edit, const struct wp_description *description,
                       bool (*use)(void *user, const char *name, const char *text), void *user);

#endif
