// One transform of one plane, with everything left on the GPU where it can be looked at; or of a
// volume, which stays on the host (instance_volume.h). All functions need the viewer's context to be
// current and leave it so.
#ifndef WP_INSTANCE_H
#define WP_INSTANCE_H

#include "registry.h"
#include "channel.h"
#include "context.h"
#include "plan.h"
#include "texture.h"
#include "view_state.h"

enum wp_view_ab { WP_A, WP_B };

// The viewer's context, and the devices of the backends, each opened when it is first needed.
struct wp_devices {
    struct wp_gl *gl;
    struct {
        struct wp_device *device;
        struct wp_device_info info;
    } open[16]; // by the number of the backend among wp_backends
};

// Quietly: false where the backend cannot be had here, with the reason.
bool wp_devices_probe(struct wp_devices *devices, const char *backend, char *reason,
                      size_t reason_size);
void wp_devices_close(struct wp_devices *devices);

// Has another backend compute a side: in the variant that it chooses, and in 32 bits where it has
// no others.
void wp_instance_set_backend(struct wp_instance_view *view, const struct wp_backend *backend);

// The plane that is transformed.
struct wp_plane {
    int width, height, depth;    // depth 1: an image
    const float *samples;        // row 0 at the top
    const struct wp_texture *quads; // of an image
    float unit;                  // what a sample of 1 is in the file
    unsigned version;            // another one for other samples
};

// Quads on a texture.
struct wp_quads {
    const struct wp_texture *texture;
    int x, y; // texel of quad (0, 0)
};

// Changes between forward and inverse. All zero changes nothing.
struct wp_view_edit {
    bool cut[WP_MAX_LEVELS + 1][WP_OCTET_BANDS]; // bands that are left out
    enum wp_threshold threshold;
    double limit;  // in the orthonormal norm
    bool impulse;
    int level, band, x, y, z; // of the impulse
};

struct wp_instance_params {
    struct wp_instance_view view;
    int levels, border, norm;
    int levels_z, gop; // of a volume; levels_z -1: as `levels`, or as many as fit
};

struct wp_instance {
    struct wp_instance_params params;
    struct wp_plane plane;
    struct wp_wavelet wavelet;
    const struct wp_backend *backend;
    const struct wp_device_info *device;
    struct wp_gl *gl;
    int levels;               // of x and y
    struct wp_description description; // forward; of a volume that of a group of slices
    struct wp_exec *exec[2];  // by direction; of an image
    struct wp_instance_volume *volume; // of a volume
    double seconds[2];        // of the latest run
    char name[96];            // canonical: "cdf97/nonsep-lifting/optimized"
    int steps;                // passes of a level
    bool at_once;             // which one operation executes
    double operations, fetches; // of a level and quad, as they are executed

    struct wp_quads level[WP_MAX_LEVELS + 1];  // coefficients, from 1 on
    struct wp_quads edited[WP_MAX_LEVELS + 1]; // the same where nothing is changed
    struct wp_quads image;                     // what the inverse made
    struct wp_texture own[WP_MAX_LEVELS + 1];  // of a backend without textures
    struct wp_texture changed[WP_MAX_LEVELS + 1];
    struct wp_texture own_image;
    float *coefficients;                       // of one that goes through the host
};

// Makes sides of these parameters ready, one for each of `count` planes, and destroys those behind
// them (channels.h). Where that fails all stay as they were, after the error.
bool wp_instance_set(struct wp_instance *const instance[WP_COLOURS], struct wp_devices *devices,
                 const struct wp_plane plane[], int count, const struct wp_instance_params *params);
void wp_instance_destroy(struct wp_instance *instance); // accepts {0}, leaves {0}

// The name of the variant that computes, or NULL where the backend has one way only.
const char *wp_instance_variant(const struct wp_instance *instance);

// What the latest run took to hand textures over to another interface and back; false where
// nothing is handed over.
bool wp_instance_handover(const struct wp_instance *instance, double *map, double *unmap);

// "LL", "HL", … of an image, "LLL", "HLL", … of a volume.
const char *const *wp_instance_band_names(const struct wp_instance *instance);

// Lets go of the plane's texture, which is about to be destroyed. The next forward() takes the one
// that the plane then has.
void wp_instance_unbind(struct wp_instance *instance);

// The GL name of the texture that forward() reads, or 0 where it reads the host's samples.
unsigned wp_instance_image_texture(const struct wp_instance *instance);

// Runs the transform on the plane; its coefficients are in `level` and `edited`.
bool wp_instance_forward(struct wp_instance *instance);
// True where `edited` has this band. LL of a level before the last is what the next one was made
// of: it lies on the surfaces between passes alone.
bool wp_instance_has_band(const struct wp_instance *instance, int level, enum wp_band band);
// Fills `edited`.
bool wp_instance_edit(struct wp_instance *instance, const struct wp_view_edit *edit);
// Runs the inverse on `edited`; the result is in `image`.
bool wp_instance_inverse(struct wp_instance *instance);

// The plan whose operations a timeline can step through, or NULL where the backend has none.
const struct wp_plan *wp_instance_plan(struct wp_instance *instance, enum wp_direction direction);

// Why it has none, in words.
void wp_instance_explain(const struct wp_instance *instance, struct wp_text *text);

// Runs the first `count` operations of that plan on its input, and no more: forward() has to
// run before `level` can be used again. `seconds` gets one time each.
bool wp_instance_step(struct wp_instance *instance, enum wp_direction direction, int count, double *seconds);

// The texture of a surface of that plan.
const struct wp_texture *wp_instance_surface(struct wp_instance *instance, enum wp_direction direction,
                                         int surface);

// Copies the coefficients `edited` to a plane in the Mallat layout.
bool wp_instance_read_coefficients(struct wp_instance *instance, float *plane);

#endif
