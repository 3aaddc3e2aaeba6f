// Arrays of up to eight axes of which one to three are transformed: shapes, lists of axes, and the
// operands and parameters of their transforms.
#ifndef WP_ARRAY_SHAPE_H
#define WP_ARRAY_SHAPE_H

#include "description.h"
#include "image.h"
#include "npy.h"
#include "text.h"
#include "wavepass.h"

#include <stdbool.h>

enum { WP_ARRAY_AXES = 3 }; // the most that are transformed

struct wp_array_shape {
    int rank; // number of axes; 0: not an array, but an image or a volume
    size_t extent[WP_NPY_AXES]; // slowest axis first, as in NumPy
    int axes;                   // number of transformed axes
    int axis[WP_ARRAY_AXES];    // x, y, z: the last one of them first
};

struct json_t;

// Sets the shape of an array, and its transformed axes from a list such as "1,2" or "-1", as NumPy
// counts them. `name` is that of the file, for messages. False after WP_ERROR_USAGE or
// WP_ERROR_FILE.
bool wp_array_shape_set(struct wp_array_shape *shape, const struct wp_npy_info *info,
                        const char *axes, const char *name);

bool wp_array_shape_equals(const struct wp_array_shape *a, const struct wp_array_shape *b);
size_t wp_array_shape_samples(const struct wp_array_shape *shape);

// "axes 1, 2 of 8x64x64".
void wp_array_shape_add(const struct wp_array_shape *shape, struct wp_text *text);

// Sets width, height and depth to the extents of the transformed axes, and planes and the batch to
// the others.
void wp_array_shape_size(const struct wp_array_shape *shape, struct wp_transform_params *params);

// These sizes as an image of floats without samples.
struct wp_image wp_array_shape_image(const struct wp_array_shape *shape);

// The shape of the coefficients of a transform of these samples, which are more with borders of
// PyWavelets.
struct wp_array_shape wp_array_shape_of_coefficients(const struct wp_array_shape *samples,
                                                     const struct wp_description *description);

// The array of f32 or f64 at an address, without gaps in the order of its axes, as an operand of
// that transform.
struct wp_operand wp_array_shape_operand(const struct wp_array_shape *shape, enum wp_element type,
                                         void *data);

// Adds "shape" and "axes" to a JSON object. Reads them from one: false after WP_ERROR_FILE.
void wp_array_shape_pack(const struct wp_array_shape *shape, struct json_t *object);
bool wp_array_shape_unpack(const struct json_t *object, const char *path,
                           struct wp_array_shape *shape);

#endif
