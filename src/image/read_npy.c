// Reads images and volumes from NPY files.
#include "npy_header.h"
#include "rows_io.h"
#include "slices_io.h"

#include <string.h>

static bool find_samples(const struct wp_source *source, const char *name,
                         struct wp_samples *samples)
{
    struct wp_npy_type type;
    const bool known = wp_npy_find_type(name, &type);
    if (known && !type.complex) {
        *samples = wp_samples_of(source, type.type, type.big_endian, false, 0);
        return true;
    }
    if (known)
        return wp_source_fail(source,
                              "complex samples (NPY of type '%s'), not an image or volume\n"
                              "hint: save their magnitude, or both parts, as float32",
                              name);
    return wp_source_fail(source,
                          "not supported (NPY of type '%s')\n"
                          "hint: save it as bool, an integer of 8 to 64 bits, float16, float32 or "
                          "float64",
                          name);
}

// The meaning of an array's axes.
struct shape {
    unsigned long long width, height, depth, planes;
    bool slice_axis, plane_axis; // of length 1
};

static bool find_shape(const struct wp_source *source, const struct wp_npy_header *header,
                       struct shape *shape)
{
    const unsigned long long *sides = header->shape;
    const int axes = header->axes;
    const bool volumes = source->volume != WP_VOLUME_NO;
    const unsigned long long last = axes > 0 ? sides[axes - 1] : 0;
    const bool planes = last >= 1 && last <= WP_IMAGE_MAX_PLANES;
    *shape = (struct shape){.depth = 1, .planes = 1};
    if (axes == 2 || (axes == 3 && planes && source->volume != WP_VOLUME_YES)) {
        shape->height = sides[0];
        shape->width = sides[1];
        shape->planes = axes == 3 ? last : 1;
        shape->plane_axis = axes == 3 && last == 1;
        return wp_source_check_size(source, shape->width, shape->height);
    }
    if (volumes && (axes == 3 || (axes == 4 && planes))) {
        shape->depth = sides[0];
        shape->height = sides[1];
        shape->width = sides[2];
        shape->planes = axes == 4 ? last : 1;
        shape->slice_axis = sides[0] == 1;
        shape->plane_axis = axes == 4 && last == 1;
        return wp_source_check_volume(source, shape->width, shape->height, shape->depth);
    }
    if (axes == 3 && last > WP_IMAGE_MAX_PLANES)
        return wp_source_fail(source,
                              "a volume of %llux%llux%llu, not an image\n"
                              "hint: the shape must be (height, width) or (height, width, 1..%d)",
                              sides[2], sides[1], sides[0], WP_IMAGE_MAX_PLANES);
    return wp_source_fail(source,
                          "not an image%s (an NPY of %d axes%s)\n"
                          "hint: the shape must be %s(height, width) or (height, width, 1..%d)",
                          volumes ? " or volume" : "", axes,
                          axes == 3 || (volumes && axes == 4)
                              ? " and an unsupported number of planes"
                              : "",
                          volumes ? "(depth, height, width), " : "", WP_IMAGE_MAX_PLANES);
}

bool wp_npy_layout(const struct wp_source *head, struct wp_slices_layout *layout)
{
    struct wp_npy_header header = {0};
    struct shape shape;
    size_t at = 0;
    *layout = (struct wp_slices_layout){0};
    if (!wp_npy_parse_header(head, &header, &at) ||
        !find_samples(head, header.type, &layout->samples) || !find_shape(head, &header, &shape))
        return false;
    layout->width = shape.width;
    layout->height = shape.height;
    layout->depth = shape.planes == 1 && !header.fortran ? shape.depth : 0;
    layout->offset = at;
    return true;
}

// The layout of an image in C order.
static struct wp_raster_layout rows_of(const struct shape *shape, const struct wp_samples *samples,
                                       size_t at)
{
    return (struct wp_raster_layout){.width = shape->width,
                                   .height = shape->height,
                                   .offset = at,
                                   .planes = (int)shape->planes,
                                   .samples = *samples,
                                   .slice_axis = shape->slice_axis,
                                   .plane_axis = shape->plane_axis};
}

bool wp_npy_raster_layout(const struct wp_source *head, struct wp_raster_layout *layout)
{
    struct wp_npy_header header = {0};
    struct wp_samples samples;
    struct shape shape;
    size_t at = 0;
    *layout = (struct wp_raster_layout){0};
    if (!wp_npy_parse_header(head, &header, &at) || !find_samples(head, header.type, &samples) ||
        !find_shape(head, &header, &shape))
        return false;
    if (shape.depth == 1 && !header.fortran)
        *layout = rows_of(&shape, &samples, at);
    return true;
}

struct wp_image *wp_read_npy(const struct wp_source *source)
{
    struct wp_npy_header header = {0};
    size_t at = 0;
    struct wp_samples samples;
    struct shape shape;
    if (!wp_npy_parse_header(source, &header, &at) ||
        !find_samples(source, header.type, &samples) || !find_shape(source, &header, &shape))
        return NULL;
    const size_t bytes = wp_samples_bytes(samples.type);
    if (!wp_source_needs(source, at + shape.width * shape.height * shape.depth * shape.planes *
                                          bytes))
        return NULL;
    if (shape.depth == 1 && !header.fortran) {
        const struct wp_raster_layout layout = rows_of(&shape, &samples, at);
        return wp_read_layout(source, &layout);
    }
    // NPY does not describe its planes; no plane is alpha, since coefficients have none.
    struct wp_image *image = wp_image_create_volume((int)shape.width, (int)shape.height,
                                                    (int)shape.depth, (int)shape.planes, false);
    if (!image)
        return NULL;
    wp_image_set_samples(image, source, &samples);
    image->origin.slice_axis = shape.slice_axis;
    image->origin.plane_axis = shape.plane_axis;
    const unsigned char *data = source->data + at;
    const size_t w = (size_t)shape.width, h = (size_t)shape.height, d = (size_t)shape.depth;
    const size_t planes = (size_t)shape.planes;
    for (size_t row = 0; !header.fortran && row < d * h; row++)
        wp_samples_convert_row(&samples, data + row * w * planes * bytes, image, row);
    // In Fortran order slices vary fastest, then rows, columns, planes.
    for (size_t p = 0; header.fortran && p < planes; p++)
        for (size_t row = 0; row < d * h; row++)
            wp_samples_convert(&samples, data + (p * w * h * d + row % h * d + row / h) * bytes,
                               h * d * bytes, image->plane[p] + row * w, w);
    return image;
}
