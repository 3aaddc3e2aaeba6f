// The model of Cartesian k-space in buffers of an OpenGL context.
#ifndef WP_GL_CARTESIAN_H
#define WP_GL_CARTESIAN_H

#include "cartesian.h"
#include "gl_fft.h"
#include "gl_vectors.h"

struct wp_gl_cartesian {
    struct wp_gl_vectors *vectors;
    const struct wp_gl_fft *fft;
    size_t samples;
    int coils;
    double unitary;
    bool has_maps;
    struct wp_buffer mask, maps, coil;
};

// `vectors` and `fft` must outlive the object. False after an error; call destroy() in any case.
bool wp_gl_cartesian_create(struct wp_gl_vectors *vectors, const struct wp_gl_fft *fft,
                            const struct wp_cartesian_data *data, struct wp_gl_cartesian *c);
void wp_gl_cartesian_destroy(struct wp_gl_cartesian *c); // accepts and leaves {0}

// The functions of wp_reconstruct_model.
bool wp_gl_cartesian_forward(const struct wp_gl_cartesian *c, const struct wp_buffer *image,
                             const struct wp_buffer *data);
bool wp_gl_cartesian_adjoint(const struct wp_gl_cartesian *c, const struct wp_buffer *data,
                             const struct wp_buffer *image);

#endif
