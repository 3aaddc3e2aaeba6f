// The k-space part of an iteration in compute shaders: the division, or a descent step as in
// cpu_engine.c, whose length stays on the device.
#include "gl_engine.h"

#include "log.h"
#include "memory.h"
#include "text.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// ---- descent steps ----

// The k-space part of an iteration in compute shaders: the division, or a descent step as in
// cpu_engine.c, whose length stays on the device.

extern const unsigned char wp_shader_solver_frequencies[]; // embedded, shaders/

static int gl_laplacian_size(const struct wp_engine *e)
{
    return e->task.size[0] + e->task.size[1] + e->task.size[2];
}

static bool in_k_space(const struct wp_engine *e)
{
    return e->task.model->diagonalises;
}

static bool gl_prepare_frequencies(struct wp_engine *e)
{
    struct wp_text source = {0};
    wp_text_add(&source, "%s%s",
                !e->shape.descent     ? "#define DIVISION\n"
                : in_k_space(e) ? "#define IN_K_SPACE\n"
                                : "",
                (const char *)wp_shader_solver_frequencies);
    e->frequencies = wp_text_is_complete(&source, "a shader")
                         ? wp_gl_fft_program(e->fft, wp_text_get(&source))
                         : NULL;
    wp_text_free(&source);
    return e->frequencies != NULL;
}

static void set(struct wp_program *program, const char *uniform, double value)
{
    wp_program_set_floats(program, uniform, 1, (const float[]){(float)value});
}

static void set_division(struct wp_engine *e, bool last)
{
    struct wp_program *p = e->frequencies;
    wp_program_set3(p, "size", e->task.size);
    set(p, "mu", e->task.mu);
    set(p, "lambda", e->task.lambda);
    set(p, "gamma", e->task.gamma);
    set(p, "normal_gamma", e->task.form == WP_FORM_EXACT ? 0 : e->task.gamma);
    set(p, "scale", e->shape.unitary);
    wp_program_set(p, "update", last);
}

// Computes u by one division, and sums of |K u - f|^2 in `sums`.
static bool gl_divide(struct wp_engine *e, bool last)
{
    const struct wp_buffer *const more[] = {&e->h, &e->h0, &e->frequency, &e->sums};
    set_division(e, last);
    wp_gl_fft_run_between(e->fft, e->frequencies, &e->r, &e->u, more, 4);
    e->sum_count = wp_gl_fft_groups(e->fft);
    return true;
}

static bool add(struct wp_engine *e, const struct wp_buffer *a, const struct wp_buffer *b,
                double factor, const struct wp_buffer *step, size_t count)
{
    return wp_vectors_add(&e->vectors, a, b, factor, step, count);
}

static bool gl_begin_descent(struct wp_engine *e)
{
    if (!in_k_space(e))
        return wp_gl_cartesian_forward(&e->model, &e->u, &e->data) &&
               wp_gl_cartesian_adjoint(&e->model, &e->data, &e->v);
    wp_gl_fft_run(e->fft, false, &e->u, &e->v);
    return wp_vectors_scale(&e->vectors, &e->v, &e->v, e->shape.unitary, e->shape.samples);
}

// Computes z, the residual divided by M, and in k-space also its transform in r. Sums are in
// `rest`.
static bool precondition(struct wp_engine *e)
{
    const struct wp_buffer *const more[] = {&e->h, &e->v, &e->frequency, &e->rest, &e->r};
    if (!in_k_space(e) && !(add(e, &e->r, &e->h, e->task.mu, NULL, e->shape.samples) &&
                            add(e, &e->r, &e->v, -e->task.mu, NULL, e->shape.samples)))
        return false;
    set_division(e, false);
    wp_gl_fft_run_between(e->fft, e->frequencies, &e->r, &e->z, more, 5);
    return true;
}

// Computes K z, and K'K z in r.
static bool apply_model(struct wp_engine *e)
{
    return wp_gl_cartesian_forward(&e->model, &e->z, &e->data_z) &&
           wp_gl_cartesian_adjoint(&e->model, &e->data_z, &e->r) &&
           wp_vectors_distance(&e->vectors, &e->data_z, NULL, &e->data_sums,
                               e->task.model->values);
}

// Computes the length of the step in `step`.
static bool compute_length(struct wp_engine *e)
{
    const bool exact = e->task.form == WP_FORM_EXACT;
    const struct wp_vectors_step step = {
        .rest = &e->rest,
        .rest_count = wp_gl_fft_groups(e->fft),
        .power = &e->power,
        .power_count = exact ? wp_vectors_partial_sums(e->shape.padded_samples) : 0,
        .data = &e->data_sums,
        .data_count = in_k_space(e) ? 0 : wp_vectors_partial_sums(e->task.model->values),
        .step = &e->step,
        .gamma = e->task.gamma,
        .mu = e->task.mu,
    };
    return (!exact || wp_gl_wavelet_power(e)) && (in_k_space(e) || apply_model(e)) &&
           wp_vectors_step(&e->vectors, &step);
}

// Computes |K u - f|. After the last iteration f_k becomes f_k+1.
static bool finish(struct wp_engine *e, bool last)
{
    const struct wp_vectors_misfit misfit = {.transformed = &e->v, .h0 = &e->h0, .h = &e->h,
                                             .frequencies = &e->frequency, .sums = &e->sums,
                                             .skip = gl_laplacian_size(e), .update = last,
                                             .count = e->shape.samples};
    e->sum_count =
        wp_vectors_partial_sums(in_k_space(e) ? e->shape.samples : e->task.model->values);
    if (in_k_space(e))
        return wp_vectors_misfit(&e->vectors, &misfit);
    return (!last || (add(e, &e->h, &e->h0, 1, NULL, e->shape.samples) &&
                      add(e, &e->h, &e->v, -1, NULL, e->shape.samples))) &&
           wp_vectors_distance(&e->vectors, &e->data, &e->measured, &e->sums,
                               e->task.model->values);
}

static bool gl_descend(struct wp_engine *e, bool last)
{
    return precondition(e) && compute_length(e) &&
           add(e, &e->u, &e->z, 1, &e->step, e->shape.samples) &&
           add(e, &e->v, &e->r, 1, &e->step, e->shape.samples) &&
           (in_k_space(e) || add(e, &e->data, &e->data_z, 1, &e->step, e->task.model->values)) &&
           finish(e, last);
}

// ---- the engine ----

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
        {&e->frequency, e->shape.samples + (size_t)gl_laplacian_size(e), "frequencies", false},
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
    const size_t laplacian_size = (size_t)gl_laplacian_size(e);
    float *laplacian = wp_allocate(laplacian_size, sizeof *laplacian, "frequencies");
    if (!laplacian)
        return false;
    wp_task_laplacian(&e->task, laplacian);
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
    const struct wp_transform_params params = WP_TRANSFORM_PARAMS(
        .backend = "compute", .current_context = true, .border = "periodic");
    return wp_task_make_transforms(&e->task, e->shape.padded, params, &e->forward, &e->inverse);
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
           gl_prepare_frequencies(e) && wp_gl_finish(e->gl);
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
        if ((e->shape.descent && first && i == 0 && !gl_begin_descent(e)) ||
            !wp_gl_regularise(e, number + i) ||
            !(e->shape.descent ? gl_descend(e, is_last) : gl_divide(e, is_last)))
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
