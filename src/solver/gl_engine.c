// The way of OpenGL's compute shaders through an iteration: all of it stays on the device, and what
// comes back are the sums of residuals.
#include "gl_engine.h"

#include "log.h"
#include "memory.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { AXES = 3, BUFFERS = 32, ALL_AT_ONCE = 1 << 20 };

// Every buffer, with the floats that it is to have: the one place that lists them.
struct part {
    struct wp_buffer *buffer;
    size_t floats;
    const char *what;
    bool state; // of which a state is made
};

static bool has_wavelet(const struct wp_engine *e)
{
    return e->task.form != WP_FORM_NO_WAVELET;
}

static int list_parts(struct wp_engine *e, struct part part[BUFFERS])
{
    const size_t image = 2 * e->shape.samples, descent = e->shape.descent ? image : 0;
    const size_t data = e->task.model->diagonalises ? 0 : 2 * e->task.model->values;
    const size_t c = e->task.form == WP_FORM_IMAGE ? image : 2 * e->coefficients;
    const int groups = e->fft ? wp_gl_fft_groups(e->fft) : 0;
    const size_t sums = 2 * (size_t)(groups > WP_VECTOR_SUMS ? groups : WP_VECTOR_SUMS);
    const size_t of_descent = e->shape.descent ? sums : 0;
    int count = 0;
    const struct part rest[] = {
        {&e->u, image, "the image", true},
        {&e->h, image, "the data", true},
        {&e->c, has_wavelet(e) ? c : 0, "the wavelet's Bregman variable", true},
        {&e->v, descent, "the image's part of the data", true},
        {&e->data, data, "the image's data", true},
        {&e->r, image, "its right-hand side", false},
        {&e->h0, image, "the mask", false},
        {&e->frequency, e->shape.samples + (size_t)wp_gl_turns(e), "frequencies", false},
        {&e->planes, has_wavelet(e) ? 2 * e->layout.plane : 0, "the wavelet's image", false},
        {&e->sums, sums, "sums", false},
        {&e->z, descent, "a step", false},
        {&e->step, e->shape.descent ? 2 : 0, "a step's length", false},
        {&e->rest, of_descent, "sums", false},
        {&e->power, of_descent, "sums", false},
        {&e->data_sums, of_descent, "sums", false},
        {&e->data_z, data, "a step's data", false},
        {&e->measured, data, "the mask", false},
    };
    for (size_t i = 0; i < sizeof rest / sizeof *rest; i++)
        part[count++] = rest[i];
    for (int a = 0; a < AXES; a++) {
        const size_t b = e->task.tv > 0 && e->task.size[a] > 1 ? image : 0;
        part[count++] = (struct part){&e->b[a], b, "the gradient's Bregman variable", true};
        part[count++] = (struct part){&e->b_after[a], b, "the gradient's Bregman variable", false};
    }
    return count;
}

static void destroy_buffers(struct wp_engine *e)
{
    struct part part[BUFFERS];
    const int count = list_parts(e, part);
    for (int i = 0; i < count; i++)
        wp_buffer_destroy(part[i].buffer);
}

static void close_engine(struct wp_engine *e)
{
    if (!e)
        return;
    const struct wp_gl_current before = wp_gl_get_current();
    if (e->gl && wp_gl_make_current(e->gl)) {
        destroy_buffers(e);
        wp_transform_destroy(&e->forward);
        wp_transform_destroy(&e->back);
        wp_gl_cartesian_destroy(&e->model);
        wp_gl_fft_destroy(&e->fft);
    }
    wp_gl_destroy(&e->gl);
    wp_gl_set_current(&before);
    free(e->bands);
    free(e);
}

// Zeros; of 0 floats nothing.
static bool take(const struct wp_engine *e, const struct part *part)
{
    const size_t most = (size_t)wp_gl_get_info(e->gl)->max_storage, piece = 1 << 20;
    const size_t bytes = part->floats * sizeof(float);
    if (bytes > most)
        return wp_fail(WP_ERROR_TOO_LARGE,
                       "%zu bytes of %s exceed the %zu that compute shaders of this device can access"
                       "\nhint: backends 'cpu' and 'cuda' have no such limit",
                       bytes, part->what, most);
    if (bytes == 0)
        return true;
    float *zeros = wp_allocate(part->floats < piece ? part->floats : piece, sizeof *zeros,
                               "zeros");
    const bool ok = zeros && wp_buffer_create(part->floats, part->buffer);
    for (size_t i = 0; ok && i < part->floats; i += piece)
        wp_buffer_write(part->buffer, i, part->floats - i < piece ? part->floats - i : piece,
                        zeros);
    free(zeros);
    return ok;
}

static bool take_memory(struct wp_engine *e)
{
    struct part part[BUFFERS];
    const int count = list_parts(e, part);
    bool ok = true;
    for (int i = 0; ok && i < count; i++)
        ok = take(e, &part[i]);
    return ok;
}

static bool set_frequencies(struct wp_engine *e)
{
    const int *n = e->task.size;
    const size_t turns = (size_t)wp_gl_turns(e);
    float *turn = wp_allocate(turns, sizeof *turn, "frequencies"), *at = turn;
    if (!turn)
        return false;
    for (int a = 0; a < AXES; a++)
        for (int i = 0; i < n[a]; i++)
            *at++ = (float)(2 - 2 * cos(2 * 3.14159265358979323846 * i / n[a]));
    wp_buffer_write(&e->frequency, 0, turns, turn);
    wp_buffer_write(&e->frequency, turns, e->shape.samples, e->task.model->diagonal);
    free(turn);
    return true;
}

// K'f in h and h0, and where K'K is diagonal in k-space F of that, unitary.
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

static bool make_model(struct wp_engine *e)
{
    struct wp_cartesian_data parts;
    if (e->task.model->diagonalises)
        return true;
    return wp_cartesian_find_data(e->task.model, &parts) &&
           wp_gl_cartesian_create(&e->vectors, e->fft, &parts, &e->model);
}

static bool make_transforms(struct wp_engine *e)
{
    return wp_task_make_transforms(&e->task, "compute", true, &e->forward, &e->back);
}

static struct wp_vectors_band band_at(const struct wp_engine *e, int index,
                                      const struct wp_buffer_band *place)
{
    struct wp_band_info info;
    wp_transform_get_band(e->forward, index, &info);
    return (struct wp_vectors_band){
        .size = {info.width, info.height, info.depth},
        .place = {(int)place->first, (int)place->step[1], (int)place->step[2],
                  (int)e->layout.plane},
    };
}

static bool ask_places(struct wp_engine *e, struct wp_buffer_band *place)
{
    struct wp_buffer_layout back;
    if (!wp_transform_get_buffer_layout(e->forward, false, &e->layout, place) ||
        !wp_transform_get_buffer_layout(e->back, true, &back, NULL))
        return false;
    // A wavelet that reaches far has a level in two operations, and memory between them.
    if (back.plane > e->layout.plane)
        e->layout.plane = back.plane;
    return (back.end == e->layout.end && back.coefficients == e->layout.coefficients) ||
           wp_fail(WP_ERROR_INTERNAL, "two transforms lie differently in a buffer");
}

// Where both transforms have samples and coefficients.
static bool lay_out(struct wp_engine *e)
{
    const size_t count = (size_t)wp_transform_band_count(e->forward);
    struct wp_buffer_band *place = wp_allocate(count, sizeof *place, "bands");
    e->band_count = (int)count;
    e->bands = wp_allocate(count, sizeof *e->bands, "bands");
    const bool ok = e->bands && place && ask_places(e, place);
    for (int i = 0; ok && i < e->band_count; i++)
        e->bands[i] = band_at(e, i, &place[i]);
    free(place);
    e->coefficients = e->layout.end - e->layout.coefficients;
    return ok;
}

static bool check_task(const struct wp_task *task)
{
    struct wp_cartesian_data parts;
    return task->model->diagonalises || wp_cartesian_find_data(task->model, &parts) ||
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
        return false; // memory is short
    return (e->gl && wp_gl_get_info(e->gl)->max_invocations > 0) ||
           wp_fail(WP_ERROR_UNAVAILABLE, "backend 'compute' is not available (%s)"
                                         "\nhint: backend 'cpu' needs no GPU",
                   e->gl ? "no compute shaders: OpenGL is older than 4.3" : reason);
}

static bool fill(struct wp_engine *e)
{
    return (e->fft = wp_gl_fft_create(e->gl, e->task.size)) &&
           (!has_wavelet(e) || (make_transforms(e) && lay_out(e))) && take_memory(e) &&
           set_frequencies(e) && make_model(e) && set_data(e) && wp_gl_prepare_regularisers(e) &&
           wp_gl_prepare_frequencies(e) && wp_gl_finish(e->gl);
}

static struct wp_engine *open_engine(const struct wp_task *task)
{
    if (!check_task(task))
        return NULL;
    struct wp_engine *e = wp_allocate(1, sizeof *e, "a reconstruction");
    if (!e)
        return NULL;
    const struct wp_gl_current before = wp_gl_get_current();
    e->task = *task;
    e->shape = wp_task_shape(task);
    const bool ok = open_context(e) && fill(e);
    wp_gl_set_current(&before);
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

static bool iterate_here(struct wp_engine *e, int number, int count, bool first, bool last,
                         double *residual)
{
    for (int i = 0; i < count; i++) {
        const bool ends = last && i == count - 1;
        if ((e->shape.descent && first && i == 0 && !wp_gl_begin_descent(e)) ||
            !wp_gl_regularise(e, number + i) ||
            !(e->shape.descent ? wp_gl_descend(e, ends) : wp_gl_divide(e, ends)))
            return false;
    }
    return read_residual(e, residual);
}

// Each call has the engine's context for itself and then gives back what was current: its caller
// may be in the middle of drawing, or in another thread the next time.
static bool iterate(struct wp_engine *e, int number, int count, bool first, bool last,
                    double *residual)
{
    const struct wp_gl_current before = wp_gl_get_current();
    const bool ok = wp_gl_make_current(e->gl) &&
                    iterate_here(e, number, count, first, last, residual);
    wp_gl_set_current(&before);
    return ok;
}

static bool read_image(const struct wp_engine *e, float *to)
{
    return wp_buffer_read(&e->u, 0, 2 * e->shape.samples, to) && wp_gl_finish(e->gl);
}

static bool image(const struct wp_engine *e, float *to)
{
    const struct wp_gl_current before = wp_gl_get_current();
    const bool ok = wp_gl_make_current(e->gl) && read_image(e, to);
    wp_gl_set_current(&before);
    return ok;
}

static size_t state_size(const struct wp_engine *e)
{
    struct part part[BUFFERS];
    const int count = list_parts((struct wp_engine *)e, part);
    size_t floats = 0;
    for (int i = 0; i < count; i++)
        floats += part[i].state ? part[i].floats : 0;
    return floats * sizeof(float);
}

static void copy_parts(const struct wp_engine *e, float *to, const float *from)
{
    struct part part[BUFFERS];
    const int count = list_parts((struct wp_engine *)e, part);
    size_t at = 0;
    for (int i = 0; i < count; i++) {
        const size_t floats = part[i].state ? part[i].floats : 0;
        if (floats && from)
            wp_buffer_write(part[i].buffer, 0, floats, from + at);
        else if (floats)
            wp_buffer_read(part[i].buffer, 0, floats, to + at);
        at += floats;
    }
}

// Saves where `from` is NULL.
static void copy_state(const struct wp_engine *e, float *to, const float *from)
{
    const struct wp_gl_current before = wp_gl_get_current();
    if (wp_gl_make_current(e->gl))
        copy_parts(e, to, from);
    wp_gl_set_current(&before);
}

static void save(const struct wp_engine *e, unsigned char *state)
{
    copy_state(e, (float *)(void *)state, NULL);
}

static void resume(struct wp_engine *e, const unsigned char *state)
{
    copy_state(e, NULL, (const float *)(const void *)state);
}

// In k-space h, h0 and the diagonal are read on the way of a Fourier transform; of descent h, v,
// the diagonal and the step, then u and v get it added, then v, h0 and the diagonal are read.
// Total variation: u, b there and back, r. The wavelet: u, both sides of every level of both
// transforms, coefficients there and back, c there and back, r.
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
