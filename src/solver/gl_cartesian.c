#include "gl_cartesian.h"

#include "memory.h"

#include <math.h>
#include <stdlib.h>

static bool upload_mask(const struct wp_cartesian_data *data, size_t samples,
                        struct wp_buffer *mask)
{
    float *values = wp_allocate(samples, sizeof *values, "a mask");
    for (size_t i = 0; values && i < samples; i++)
        values[i] = data->mask[i] ? 1 : 0;
    const bool ok = values && wp_buffer_create(samples, mask);
    if (ok)
        wp_buffer_write(mask, 0, samples, values);
    free(values);
    return ok;
}

bool wp_gl_cartesian_create(struct wp_gl_vectors *vectors, const struct wp_gl_fft *fft,
                            const struct wp_cartesian_data *data, struct wp_gl_cartesian *c)
{
    const size_t samples =
        (size_t)data->size[0] * (size_t)data->size[1] * (size_t)data->size[2];
    *c = (struct wp_gl_cartesian){
        .vectors = vectors,
        .fft = fft,
        .samples = samples,
        .coils = data->coils,
        .unitary = 1 / sqrt((double)samples),
        .has_maps = data->maps != NULL,
    };
    const size_t maps = data->maps ? 2 * samples * (size_t)data->coils : 0;
    if (!upload_mask(data, samples, &c->mask) || !wp_buffer_create(2 * samples, &c->coil) ||
        (maps && !wp_buffer_create(maps, &c->maps)))
        return false;
    if (maps)
        wp_buffer_write(&c->maps, 0, maps, data->maps);
    return true;
}

void wp_gl_cartesian_destroy(struct wp_gl_cartesian *c)
{
    wp_buffer_destroy(&c->mask);
    wp_buffer_destroy(&c->maps);
    wp_buffer_destroy(&c->coil);
    *c = (struct wp_gl_cartesian){0};
}

bool wp_gl_cartesian_forward(const struct wp_gl_cartesian *c, const struct wp_buffer *image,
                             const struct wp_buffer *data)
{
    bool ok = true;
    for (int i = 0; ok && i < c->coils; i++) {
        const size_t at = c->samples * (size_t)i;
        if (c->has_maps)
            ok = wp_vectors_multiply(c->vectors, &c->coil, image, &c->maps, at, false, false,
                                     c->samples);
        wp_gl_fft_run(c->fft, false, c->has_maps ? &c->coil : image, &c->coil);
        ok = ok && wp_vectors_apply_mask(c->vectors, data, at, &c->coil, 0, &c->mask, c->unitary,
                                   c->samples);
    }
    return ok;
}

bool wp_gl_cartesian_adjoint(const struct wp_gl_cartesian *c, const struct wp_buffer *data,
                             const struct wp_buffer *image)
{
    bool ok = true;
    for (int i = 0; ok && i < c->coils; i++) {
        const size_t at = c->samples * (size_t)i;
        ok = wp_vectors_apply_mask(c->vectors, &c->coil, 0, data, at, &c->mask, c->unitary,
                                   c->samples);
        wp_gl_fft_run(c->fft, true, &c->coil, c->has_maps ? &c->coil : image);
        if (c->has_maps)
            ok = ok && wp_vectors_multiply(c->vectors, image, &c->coil, &c->maps, at, true, i > 0,
                                           c->samples);
    }
    return ok;
}
