// The engine in OpenGL compute shaders. All arrays stay on the device; only the sums of residuals
// are read back.
#include "gl_engine.h"

#include "log.h"
#include "memory.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { AXES = 3, BUFFERS = 32, ALL_AT_ONCE = 1 << 20 };

// A buffer with its size. list_buffers() lists all buffers of an engine.
struct buffer_entry {
    struct wp_buffer *buffer;
    size_t floats;
    const char *purpose;
    bool state; // part of the saved state
};

static bool has_wavelet(const struct wp_engine *e)
{
    return e->task.form != WP_FORM_NO_WAVELET;
}

static int list_buffers(struct wp_engine *e, struct buffer_entry entry[BUFFERS])
{
    const size_t image = 2 * e->shape.samples, descent = e->shape.descent ? image : 0;
    const size_t data = e->task.model->diagonalises ? 0 : 2 * e->task.model->values;
    const size_t c = e->task.form == WP_FORM_IMAGE ? image : 2 * e->coefficients;
    const int groups = e->fft ? wp_gl_fft_groups(e->fft) : 0;
    const size_t sums = 2 * (size_t)(groups > WP_VECTOR_SUMS ? groups : WP_VECTOR_SUMS);
    const size_t descent_sums = e->shape.descent ? sums : 0;
    int count = 0;
    const struct buffer_entry fixed[] = {
        {&e->u, image, "the image", true},
        {&e->h, image, "the data", true},
        {&e->c, has_wavelet(e) ? c : 0, "the wavelet's Bregman variable", true},
        {&e->v, descent, "the image's part of the data", true},
        {&e->data, data, "the image's data", true},
        {&e->r, image, "its right-hand side", false},
        {&e->h0, image, "the mask", false},
        {&e->frequency, e->shape.samples + (size_t)wp_gl_laplacian_size(e), "frequencies", false},
        {&e->planes, has_wavelet(e) ? 2 * e->layout.plane : 0, "the wavelet's image", false},
        {&e->sums, sums, "sums", false},
        {&e->z, descent, "a step", false},
        {&e->step, e->shape.descent ? 2 : 0, "a step's length", false},
        {&e->rest, descent_sums, "sums", false},
        {&e->power, descent_sums, "sums", false},
        {&e->data_sums, descent_sums, "sums", false},
        {&e->data_z, data, "a step's data", false},
        {&e->measured, data, "the mask", false},
    };
    for (size_t i = 0; i < sizeof fixed / sizeof *fixed; i++)
        entry[count++] = fixed[i];
    for (int a = 0; a < AXES; a++) {
        const size_t b = e->task.tv > 0 && e->task.size[a] > 1 ? image : 0;
        static const char purpose[] = "the gradient's Bregman variable";
        entry[count++] = (struct buffer_entry){&e->b[a], b, purpose, true};
        entry[count++] = (struct buffer_entry){&e->b_after[a], b, purpose, false};
    }
    return count;
}

static void destroy_buffers(struct wp_engine *e)
{
    struct buffer_entry entry[BUFFERS];
    const int count = list_buffers(e, entry);
    for (int i = 0; i < count; i++)
        wp_buffer_destroy(entry[i].buffer);
}

static void close_engine(struct wp_engine *e)
{
    if (!e)
        return;
    const struct wp_gl_current previous = wp_gl_get_current();
    if (e->gl && wp_gl_make_current(e->gl)) {
        destroy_buffers(e);
        wp_transform_destroy(&e->forward);
        wp_transform_destroy(&e->inverse);
        wp_gl_cartesian_destroy(&e->model);
        wp_gl_fft_destroy(&e->fft);
    }
    wp_gl_destroy(&e->gl);
    wp_gl_set_current(&previous);
    free(e->bands);
    free(e);
}

// Creates a zeroed buffer; nothing for 0 floats.
static bool create_zeroed(const struct wp_engine *e, const struct buffer_entry *entry)
{
    const size_t limit = (size_t)wp_gl_get_info(e->gl)->max_storage, chunk = 1 << 20;
    const size_t bytes = entry->floats * sizeof(float);
    if (bytes > limit)
        return wp_fail(WP_ERROR_TOO_LARGE,
                       "%zu bytes of %s exceed the limit of %zu bytes for compute shaders on "
                       "this device"
                       "\nhint: backends 'cpu' and 'cuda' have no such limit",
                       bytes, entry->purpose, limit);
    if (bytes == 0)
        return true;
    float *zeros = wp_allocate(entry->floats < chunk ? entry->floats : chunk,
                               sizeof *zeros, "zeros");
    const bool ok = zeros && wp_buffer_create(entry->floats, entry->buffer);
    for (size_t i = 0; ok && i < entry->floats; i += chunk)
        wp_buffer_write(entry->buffer, i,
                        entry->floats - i < chunk ? entry->floats - i : chunk, zeros);
    free(zeros);
    return ok;
}

static bool create_buffers(struct wp_engine *e)
{
    struct buffer_entry entry[BUFFERS];
    const int count = list_buffers(e, entry);
    bool ok = true;
    for (int i = 0; ok && i < count; i++)
        ok = create_zeroed(e, &entry[i]);
    return ok;
}

static bool set_frequencies(struct wp_engine *e)
{
    const int *n = e->task.size;
    const size_t laplacian_size = (size_t)wp_gl_laplacian_size(e);
    float *laplacian = wp_allocate(laplacian_size, sizeof *laplacian, "frequencies");
    float *at = laplacian;
    if (!laplacian)
        return false;
    for (int a = 0; a < AXES; a++)
        for (int i = 0; i < n[a]; i++)
            *at++ = (float)(2 - 2 * cos(2 * 3.14159265358979323846 * i / n[a]));
    wp_buffer_write(&e->frequency, 0, laplacian_size, laplacian);
    wp_buffer_write(&e->frequency, laplacian_size, e->shape.samples, e->task.model->diagonal);
    free(laplacian);
    return true;
}

// Sets h and h0 to K'f, or to its unitary Fourier transform if K'K is diagonal in k-space.
static bool set_data(struct wp_engine *e)
{
    const struct wp_reconstruct_model *model = e->task.model;
    const size_t floats = 2 * e->shape.samples;
    float *image = wp_allocate(floats, sizeof *image, "the data's image");
    bool ok = image && model->adjoint(model->user, e->task.data, image);
    if (ok)
        wp_buffer_write(&e->h0, 0, floats, image);
    free(image);
    if (ok && model->diagonalises) {
        wp_gl_fft_run(e->fft, false, &e->h0, &e->h0);
        ok = wp_vectors_scale(&e->vectors, &e->h0, &e->h0, e->shape.unitary, e->shape.samples);
    } else if (ok) {
        wp_buffer_write(&e->measured, 0, 2 * model->values, e->task.data);
    }
    return ok && wp_vectors_scale(&e->vectors, &e->h, &e->h0, 1, e->shape.samples);
}

static bool create_model(struct wp_engine *e)
{
    struct wp_cartesian_data data;
    if (e->task.model->diagonalises)
        return true;
    return wp_cartesian_find_data(e->task.model, &data) &&
           wp_gl_cartesian_create(&e->vectors, e->fft, &data, &e->model);
}

static bool create_transforms(struct wp_engine *e)
{
    return wp_task_make_transforms(&e->task, "compute", true, &e->forward, &e->inverse);
}

static struct wp_vectors_band band_at(const struct wp_engine *e, const struct wp_band_info *info)
{
    return (struct wp_vectors_band){
        .size = {info->width, info->height, info->depth},
        .location = {(int)info->offset, (int)info->stride[1], (int)info->stride[2],
                     (int)e->layout.plane},
    };
}

static bool get_layouts(struct wp_engine *e, struct wp_band_info *bands)
{
    struct wp_buffer_layout inverse;
    if (!wp_transform_get_buffer_layout(e->forward, false, &e->layout, bands) ||
        !wp_transform_get_buffer_layout(e->inverse, true, &inverse, NULL))
        return false;
    // Wavelets with long steps use two operations per level and memory between them.
    if (inverse.plane > e->layout.plane)
        e->layout.plane = inverse.plane;
    return (inverse.end == e->layout.end && inverse.coefficients == e->layout.coefficients) ||
           wp_fail(WP_ERROR_INTERNAL,
                   "the forward and inverse transforms have different buffer layouts");
}

// Gets the locations of samples and coefficients in the buffer of both transforms.
static bool lay_out(struct wp_engine *e)
{
    const size_t count = (size_t)wp_transform_band_count(e->forward);
    struct wp_band_info *bands = wp_allocate(count, sizeof *bands, "bands");
    e->band_count = (int)count;
    e->bands = wp_allocate(count, sizeof *e->bands, "bands");
    const bool ok = e->bands && bands && get_layouts(e, bands);
    for (int i = 0; ok && i < e->band_count; i++)
        e->bands[i] = band_at(e, &bands[i]);
    free(bands);
    e->coefficients = e->layout.end - e->layout.coefficients;
    return ok;
}

static bool check_task(const struct wp_task *task)
{
    struct wp_cartesian_data data;
    return task->model->diagonalises || wp_cartesian_find_data(task->model, &data) ||
           wp_fail(WP_ERROR_UNAVAILABLE, "compute shaders support only models of Cartesian k-space "
                                         "and those that are diagonal there"
                                         "\nhint: backend 'cpu' supports all");
}

static bool open_context(struct wp_engine *e)
{
    char reason[384] = "";
    e->gl = wp_gl_create(WP_GL_ANY, reason, sizeof reason);
    e->vectors.gl = e->gl;
    if (!e->gl && !reason[0])
        return false; // out of memory
    return (e->gl && wp_gl_get_info(e->gl)->max_invocations > 0) ||
           wp_fail(WP_ERROR_UNAVAILABLE, "backend 'compute' is not available (%s)"
                                         "\nhint: backend 'cpu' needs no GPU",
                   e->gl ? "no compute shaders: OpenGL is older than 4.3" : reason);
}

static bool fill(struct wp_engine *e)
{
    return (e->fft = wp_gl_fft_create(e->gl, e->task.size)) &&
           (!has_wavelet(e) || (create_transforms(e) && lay_out(e))) && create_buffers(e) &&
           set_frequencies(e) && create_model(e) && set_data(e) && wp_gl_prepare_regularisers(e) &&
           wp_gl_prepare_frequencies(e) && wp_gl_finish(e->gl);
}

static struct wp_engine *open_engine(const struct wp_task *task)
{
    if (!check_task(task))
        return NULL;
    struct wp_engine *e = wp_allocate(1, sizeof *e, "a reconstruction");
    if (!e)
        return NULL;
    const struct wp_gl_current previous = wp_gl_get_current();
    e->task = *task;
    e->shape = wp_task_shape(task);
    const bool ok = open_context(e) && fill(e);
    wp_gl_set_current(&previous);
    if (!ok) {
        close_engine(e);
        return NULL;
    }
    return e;
}

static bool read_residual(struct wp_engine *e, double *residual)
{
    const size_t floats = 2 * (size_t)e->sum_count;
    float *sums = wp_allocate(floats, sizeof *sums, "sums");
    if (!sums)
        return false;
    const bool read = wp_buffer_read(&e->sums, 0, floats, sums);
    double sum = 0;
    for (size_t i = 0; i < floats; i += 2)
        sum += (double)sums[i];
    free(sums);
    *residual = sqrt(sum);
    return read && wp_gl_finish(e->gl);
}

static bool iterate_in_context(struct wp_engine *e, int number, int count, bool first, bool last,
                               double *residual)
{
    for (int i = 0; i < count; i++) {
        const bool is_last = last && i == count - 1;
        if ((e->shape.descent && first && i == 0 && !wp_gl_begin_descent(e)) ||
            !wp_gl_regularise(e, number + i) ||
            !(e->shape.descent ? wp_gl_descend(e, is_last) : wp_gl_divide(e, is_last)))
            return false;
    }
    return read_residual(e, residual);
}

// Makes the engine's context current, and the previous one before it returns: the caller may be
// drawing, or call from another thread next time.
static bool iterate(struct wp_engine *e, int number, int count, bool first, bool last,
                    double *residual)
{
    const struct wp_gl_current previous = wp_gl_get_current();
    const bool ok = wp_gl_make_current(e->gl) &&
                    iterate_in_context(e, number, count, first, last, residual);
    wp_gl_set_current(&previous);
    return ok;
}

static bool read_image(const struct wp_engine *e, float *destination)
{
    return wp_buffer_read(&e->u, 0, 2 * e->shape.samples, destination) && wp_gl_finish(e->gl);
}

static bool image(const struct wp_engine *e, float *destination)
{
    const struct wp_gl_current previous = wp_gl_get_current();
    const bool ok = wp_gl_make_current(e->gl) && read_image(e, destination);
    wp_gl_set_current(&previous);
    return ok;
}

static size_t state_size(const struct wp_engine *e)
{
    struct buffer_entry entry[BUFFERS];
    const int count = list_buffers((struct wp_engine *)e, entry);
    size_t floats = 0;
    for (int i = 0; i < count; i++)
        floats += entry[i].state ? entry[i].floats : 0;
    return floats * sizeof(float);
}

static void copy_buffers(const struct wp_engine *e, float *destination, const float *source)
{
    struct buffer_entry entry[BUFFERS];
    const int count = list_buffers((struct wp_engine *)e, entry);
    size_t at = 0;
    for (int i = 0; i < count; i++) {
        const size_t floats = entry[i].state ? entry[i].floats : 0;
        if (floats && source)
            wp_buffer_write(entry[i].buffer, 0, floats, source + at);
        else if (floats)
            wp_buffer_read(entry[i].buffer, 0, floats, destination + at);
        at += floats;
    }
}

// Saves the state if `source` is NULL, else restores it.
static void copy_state(const struct wp_engine *e, float *destination, const float *source)
{
    const struct wp_gl_current previous = wp_gl_get_current();
    if (wp_gl_make_current(e->gl))
        copy_buffers(e, destination, source);
    wp_gl_set_current(&previous);
}

static void save(const struct wp_engine *e, unsigned char *state)
{
    copy_state(e, (float *)(void *)state, NULL);
}

static void resume(struct wp_engine *e, const unsigned char *state)
{
    copy_state(e, NULL, (const float *)(const void *)state);
}

// Estimated traffic. The division reads h, h0 and the diagonal during a Fourier transform. Descent
// reads h, v, the diagonal and the step, adds to u and v, and reads v, h0 and the diagonal. Total
// variation: u, b read and written, r. Wavelet: u, input and output of each level of both
// transforms, coefficients and c read and written, r.
static struct wp_engine_facts facts(const struct wp_engine *e)
{
    const double sample = 2 * sizeof(float), image = sample * (double)e->shape.samples;
    const double planes = sample * (double)e->shape.padded_samples;
    const double shrunk = sample * (double)e->coefficients;
    struct wp_engine_facts f = {
        .transforms = 2,
        .bytes = (e->shape.descent ? 12 : 2.5) * image,
        .at_once = wp_gl_get_info(e->gl)->software ? 1 : ALL_AT_ONCE,
    };
    memcpy(f.padded, e->shape.padded, sizeof f.padded);
    if (e->task.tv > 0)
        f.bytes += (2 + 2 * e->shape.gradient_axes + (has_wavelet(e) ? 1 : 0)) * image;
    if (has_wavelet(e))
        f.bytes += 3 * image + 2 * planes + 6 * shrunk +
                   2 * (e->task.form == WP_FORM_IMAGE ? image : shrunk);
    return f;
}

const struct wp_engine_kind wp_engine_compute = {
    .name = "compute",
    .open = open_engine,
    .close = close_engine,
    .facts = facts,
    .iterate = iterate,
    .image = image,
    .state_size = state_size,
    .save = save,
    .resume = resume,
};
