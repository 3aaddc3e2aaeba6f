#include "clock.h"
#include "solver_rows.h"
#include "engine.h"
#include "fft.h"
#include "memory.h"
#include "threads.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// ---- total variation ----

// The image is divided along its slowest axis into slabs, whose number does not depend on the
// number of threads, so that results are bit-identical for any number. The contribution of a slab's
// last slice to the first slice of the next slab is stored and added after all slabs are done.
enum { MAX_SLABS = 16 };

struct wp_cpu_gradient {
    const struct wp_solver_rows *rows;
    int size[3]; // z is the slowest axis with more than one sample
    int slabs, threads;
    float threshold, scale;
    bool descent;
    struct wp_floats b;     // an image per axis with more than one sample, and for x
    struct wp_floats carry; // per slab: a slice, a row, and scratch
    size_t scratch_size;
};

// The arguments of a call.
struct call {
    struct wp_cpu_gradient *g;
    const float *u;
    float *out;
    bool add;
};

static size_t row_floats(const struct wp_cpu_gradient *g)
{
    return 2 * (size_t)g->size[0];
}

static size_t slice_floats(const struct wp_cpu_gradient *g)
{
    return row_floats(g) * (size_t)g->size[1];
}

static size_t image_floats(const struct wp_cpu_gradient *g)
{
    return slice_floats(g) * (size_t)g->size[2];
}

static int axes(const struct wp_cpu_gradient *g)
{
    return 1 + (g->size[1] > 1) + (g->size[2] > 1);
}

// accepts NULL, sets it to NULL
static void cpu_gradient_destroy(struct wp_cpu_gradient **slot)
{
    struct wp_cpu_gradient *g = *slot;
    *slot = NULL;
    if (!g)
        return;
    wp_floats_free(&g->b);
    wp_floats_free(&g->carry);
    free(g);
}

static struct wp_cpu_gradient *cpu_gradient_create(const struct wp_task *task, bool descent)
{
    struct wp_cpu_gradient *g = wp_allocate(1, sizeof *g, "the gradient's part");
    if (!g)
        return NULL;
    const bool flat = task->size[2] == 1;
    g->rows = wp_solver_rows_get();
    g->size[0] = task->size[0];
    g->size[1] = flat ? 1 : task->size[1];
    g->size[2] = flat ? task->size[1] : task->size[2];
    g->slabs = g->size[2] < MAX_SLABS ? g->size[2] : MAX_SLABS;
    g->threads = task->threads;
    g->threshold = (float)(task->tv / task->lambda);
    g->scale = (float)task->lambda;
    g->descent = descent;
    g->scratch_size = slice_floats(g) + row_floats(g) + WP_GRADIENT_SCRATCH((size_t)g->size[0]);
    if (!wp_floats_acquire(&g->b, image_floats(g) * (size_t)axes(g), "the Bregman variables") ||
        !wp_floats_acquire(&g->carry, g->scratch_size * (size_t)g->slabs, "a slice of each slab"))
        cpu_gradient_destroy(&g);
    return g;
}

static float *scratch_of(const struct wp_cpu_gradient *g, int slab)
{
    return g->carry.data + g->scratch_size * (size_t)slab;
}

static int slab_begin(const struct wp_cpu_gradient *g, int slab)
{
    return (int)((long long)g->size[2] * slab / g->slabs);
}

static void step_slice(const struct call *call, int z, float *carry_z, float *carry_y)
{
    const struct wp_cpu_gradient *g = call->g;
    const size_t row = row_floats(g), slice = slice_floats(g), image = image_floats(g);
    const float *u = call->u + slice * (size_t)z;
    const float *next_slice = call->u + slice * (size_t)((z + 1) % g->size[2]);
    const bool has_y = g->size[1] > 1, has_z = g->size[2] > 1;
    memset(carry_y, 0, row * sizeof *carry_y);
    for (int y = 0; y < g->size[1]; y++) {
        const size_t at = row * (size_t)y, in_image = slice * (size_t)z + at;
        float *b = g->b.data + in_image;
        const struct wp_gradient_row r = {
            .samples = g->size[0],
            .threshold = g->threshold,
            .scale = g->scale,
            .descent = g->descent,
            .add = call->add,
            .u = u + at,
            .next = {NULL, has_y ? u + row * (size_t)((y + 1) % g->size[1]) : NULL,
                     has_z ? next_slice + at : NULL},
            .b = {b, b + image, b + image * (has_y ? 2 : 1)},
            .carry = {NULL, carry_y, carry_z + at},
            .out = call->out + in_image,
            .scratch = carry_y + row,
        };
        g->rows->gradient(&r);
    }
    if (has_y)
        g->rows->add(call->out + slice * (size_t)z, carry_y, 1, (int)row);
}

static void step_slab(void *user, int slab, int thread)
{
    (void)thread;
    const struct call *call = user;
    const struct wp_cpu_gradient *g = call->g;
    float *carry_z = scratch_of(g, slab);
    memset(carry_z, 0, slice_floats(g) * sizeof *carry_z);
    for (int z = slab_begin(g, slab); z < slab_begin(g, slab + 1); z++)
        step_slice(call, z, carry_z, carry_z + slice_floats(g));
}

static void join_slab(void *user, int slab, int thread)
{
    (void)thread;
    const struct call *call = user;
    const struct wp_cpu_gradient *g = call->g;
    const float *carry = scratch_of(g, (slab + g->slabs - 1) % g->slabs);
    g->rows->add(call->out + slice_floats(g) * (size_t)slab_begin(g, slab), carry, 1,
                 (int)slice_floats(g));
}

// Computes lambda grad'(d - b), which is added to `out` if `add`.
static void cpu_gradient_step(struct wp_cpu_gradient *g, const float *u, bool add, float *out)
{
    struct call call = {g, u, out, add};
    wp_threads_share(g->threads, g->slabs, step_slab, &call);
    if (g->size[2] > 1)
        wp_threads_share(g->threads, g->slabs, join_slab, &call);
}

// ---- the engine ----

// The normal equations for u are
//
//     (mu K'K + lambda grad'grad + gamma W'W) u
//         = mu K'f_k + lambda grad'(d - b) + gamma W'(w - c)
//
// If all three operators on the left are diagonal in k-space, u is computed by one division there.
// Otherwise u is updated by one step along z, the residual of the equations divided by the diagonal
// M, with the length that minimizes the error: the first step of the conjugate gradient method with
// M as preconditioner.
//
// The measured data enter both only as K'f_k, stored as h, in k-space if K'K is diagonal there.
struct wp_engine {
    struct wp_task task;
    const struct wp_solver_rows *rows;
    struct wp_fft *fft;
    struct wp_cpu_gradient *gradient; // or NULL
    struct wp_cpu_shrink *shrink;     // or NULL
    struct wp_task_shape shape;
    int lines;             // number of rows of the image
    struct wp_floats u, r; // r: the right-hand side, then the next u
    struct wp_floats h, h0;
    struct wp_floats laplacian; // eigenvalues 2 - 2 cos of grad'grad along x, then y, then z
    double *sum;                // two sums per line
    // For descent: v is F u or K'K u, z the step; data and data_z are K u and K z if K'K is not
    // diagonal in k-space.
    struct wp_floats v, z, data, data_z;
    double transform_seconds;
};

static void transform(struct wp_engine *e, enum wp_fft_direction direction,
                      struct wp_floats *floats)
{
    const double begin = wp_clock_seconds();
    wp_fft_run(e->fft, direction, (float complex *)floats->data);
    e->transform_seconds += wp_clock_seconds() - begin;
}

static void close_engine(struct wp_engine *e)
{
    if (!e)
        return;
    wp_fft_destroy(&e->fft);
    cpu_gradient_destroy(&e->gradient);
    wp_cpu_shrink_destroy(&e->shrink);
    struct wp_floats *const buffers[] = {&e->u, &e->r, &e->h, &e->h0, &e->laplacian,
                                     &e->v, &e->z, &e->data, &e->data_z};
    for (size_t i = 0; i < sizeof buffers / sizeof *buffers; i++)
        wp_floats_free(buffers[i]);
    free(e->sum);
    free(e);
}

static bool allocate_memory(struct wp_engine *e)
{
    const size_t image = 2 * e->shape.samples, descent = e->shape.descent ? image : 0;
    const size_t data = e->task.model->diagonalises ? 0 : 2 * e->task.model->values;
    const int *size = e->task.size;
    e->sum = wp_allocate(2 * (size_t)e->lines, sizeof *e->sum, "sums");
    return e->sum && wp_floats_acquire(&e->u, image, "the image") &&
           wp_floats_acquire(&e->r, image, "its right-hand side") &&
           wp_floats_acquire(&e->h, image, "the data") &&
           wp_floats_acquire(&e->h0, image, "the mask") &&
           wp_floats_acquire(&e->laplacian, (size_t)size[0] + (size_t)size[1] + (size_t)size[2],
                             "frequencies") &&
           wp_floats_acquire(&e->v, descent, "the image's part of the data") &&
           wp_floats_acquire(&e->z, descent, "a step") &&
           wp_floats_acquire(&e->data, data, "the image's data") &&
           wp_floats_acquire(&e->data_z, data, "a step's data");
}

static bool set_data(struct wp_engine *e)
{
    const struct wp_reconstruct_model *model = e->task.model;
    if (!model->adjoint(model->user, e->task.data, e->h0.data))
        return false;
    if (model->diagonalises)
        transform(e, WP_FFT_FORWARD, &e->h0);
    memcpy(e->h.data, e->h0.data, e->h0.count * sizeof *e->h0.data);
    return true;
}

static struct wp_engine *open_engine(const struct wp_task *task)
{
    struct wp_engine *e = wp_allocate(1, sizeof *e, "a reconstruction");
    if (!e)
        return NULL;
    e->task = *task;
    e->rows = wp_solver_rows_get();
    e->shape = wp_task_shape(task);
    e->lines = task->size[1] * task->size[2];
    const bool ok = allocate_memory(e) &&
                    (e->fft = wp_fft_create(task->size, task->threads, WP_FFT_MEASURED)) &&
                    (task->tv == 0 ||
                     (e->gradient = cpu_gradient_create(task, e->shape.descent))) &&
                    (task->form == WP_FORM_NO_WAVELET ||
                     (e->shrink = wp_cpu_shrink_create(task, e->shape.descent))) &&
                    set_data(e);
    if (!ok) {
        close_engine(e);
        return NULL;
    }
    wp_task_laplacian(task, e->laplacian.data);
    return e;
}

// Adds the sums of the lines, in the same order for every number of threads.
static double sum_lines(const double *sum, int lines)
{
    double total = 0;
    for (int i = 0; i < lines; i++)
        total += sum[i];
    return total;
}

enum { LINES_PER_PART = 16 };

struct lines {
    struct wp_engine *e;
    bool last;
    float factor;
    struct wp_floats *destination;
    const struct wp_floats *source;
};

static void share_lines(struct lines *lines, void (*task)(void *user, int part, int thread))
{
    const int parts = (lines->e->lines + LINES_PER_PART - 1) / LINES_PER_PART;
    wp_threads_share(lines->e->task.threads, parts, task, lines);
}

static struct wp_divide_row divide_row(const struct lines *lines, int line)
{
    const struct wp_engine *e = lines->e;
    const int *size = e->task.size;
    const size_t at = (size_t)line * (size_t)size[0];
    const float *laplacian = e->laplacian.data;
    return (struct wp_divide_row){
        .samples = size[0],
        .mu = (float)e->task.mu,
        .lambda = (float)e->task.lambda,
        .gamma = (float)e->task.gamma,
        .laplacian = laplacian,
        .laplacian_yz =
            laplacian[size[0] + line % size[1]] + laplacian[size[0] + size[1] + line / size[1]],
        .diagonal = e->task.model->diagonal + at,
        .u = e->r.data + 2 * at,
        .h = e->h.data + 2 * at,
        .h0 = e->h0.data + 2 * at,
        .update = lines->last,
    };
}

static int part_end(const struct wp_engine *e, int part)
{
    const int end = (part + 1) * LINES_PER_PART;
    return end < e->lines ? end : e->lines;
}

static void divide_part(void *user, int part, int thread)
{
    (void)thread;
    const struct lines *lines = user;
    struct wp_engine *e = lines->e;
    for (int i = part * LINES_PER_PART; i < part_end(e, part); i++) {
        const struct wp_divide_row row = divide_row(lines, i);
        e->sum[i] = e->rows->divide(&row);
    }
}

static void descend_part(void *user, int part, int thread)
{
    (void)thread;
    const struct lines *lines = user;
    struct wp_engine *e = lines->e;
    const bool in_k_space = e->task.model->diagonalises;
    for (int i = part * LINES_PER_PART; i < part_end(e, part); i++) {
        const size_t at = 2 * (size_t)i * (size_t)e->task.size[0];
        struct wp_descent_row row = {
            .divide = divide_row(lines, i),
            .v = in_k_space ? e->v.data + at : NULL,
            .z = e->z.data + at,
            .normal_gamma = e->task.form == WP_FORM_EXACT ? 0 : (float)e->task.gamma,
        };
        e->rows->descend(&row);
        e->sum[i] = row.r_dot_z;
        e->sum[e->lines + i] = row.z_dot_az;
    }
}

static void residual_part(void *user, int part, int thread)
{
    (void)thread;
    const struct lines *lines = user;
    struct wp_engine *e = lines->e;
    for (int i = part * LINES_PER_PART; i < part_end(e, part); i++) {
        const struct wp_divide_row row = divide_row(lines, i);
        e->sum[i] = e->rows->residual(&row, e->v.data + 2 * (size_t)i * (size_t)row.samples);
    }
}

static void add_part(void *user, int part, int thread)
{
    (void)thread;
    const struct lines *lines = user;
    const int floats = 2 * lines->e->task.size[0];
    const int first = part * LINES_PER_PART, count = part_end(lines->e, part) - first;
    const size_t at = (size_t)first * (size_t)floats;
    lines->e->rows->add(lines->destination->data + at, lines->source->data + at, lines->factor,
                        count * floats);
}

// Computes destination += factor * source, for images.
static void add_image(struct wp_engine *e, struct wp_floats *destination,
                      const struct wp_floats *source, float factor)
{
    struct lines lines = {.e = e, .destination = destination, .source = source, .factor = factor};
    share_lines(&lines, add_part);
}

// Computes the regularizers' part of the right-hand side in r.
static bool regularise(struct wp_engine *e, int number)
{
    if (e->shrink && !wp_cpu_shrink_step(e->shrink, number, e->u.data, e->r.data))
        return false;
    if (e->gradient)
        cpu_gradient_step(e->gradient, e->u.data, e->shrink != NULL, e->r.data);
    return true;
}

// Computes u by one division in k-space. Returns |K u - f|.
static double divide(struct wp_engine *e, bool last)
{
    struct lines lines = {.e = e, .last = last};
    transform(e, WP_FFT_FORWARD, &e->r);
    share_lines(&lines, divide_part);
    transform(e, WP_FFT_INVERSE, &e->r);
    const struct wp_floats u = e->u;
    e->u = e->r;
    e->r = u;
    return sqrt(sum_lines(e->sum, e->lines));
}

// Recomputes v and data, which steps update, from u.
static bool begin_descent(struct wp_engine *e)
{
    const struct wp_reconstruct_model *model = e->task.model;
    if (!model->diagonalises)
        return model->forward(model->user, e->u.data, e->data.data) &&
               model->adjoint(model->user, e->data.data, e->v.data);
    memcpy(e->v.data, e->u.data, e->u.count * sizeof *e->u.data);
    transform(e, WP_FFT_FORWARD, &e->v);
    return true;
}

// |a|^2 or |a - b|^2 of an array of any length, summed in blocks of one row.
static double sum_data(const struct wp_engine *e, const float *a, const float *b)
{
    const size_t count = 2 * e->task.model->values;
    const size_t row = 2 * (size_t)e->task.size[0];
    double sum = 0;
    for (size_t i = 0; i < count; i += row) {
        const int floats = (int)(count - i < row ? count - i : row);
        sum += b ? e->rows->distance(a + i, b + i, floats) : e->rows->power(a + i, floats);
    }
    return sum;
}

// Computes K z, and K'K z in r; adds mu |K z|^2 to <z, A z>.
static bool apply_model(struct wp_engine *e, double *z_dot_az)
{
    const struct wp_reconstruct_model *model = e->task.model;
    if (!model->forward(model->user, e->z.data, e->data_z.data) ||
        !model->adjoint(model->user, e->data_z.data, e->r.data))
        return false;
    *z_dot_az += e->task.mu * sum_data(e, e->data_z.data, NULL);
    return true;
}

static void add_data(struct wp_engine *e, float factor)
{
    const size_t count = e->data.count, piece = 1 << 20;
    for (size_t i = 0; i < count; i += piece)
        e->rows->add(e->data.data + i, e->data_z.data + i, factor,
                     (int)(count - i < piece ? count - i : piece));
}

// Returns |K u - f|. After the last iteration f_k becomes f_k+1.
static double end_descent(struct wp_engine *e, bool last)
{
    struct lines lines = {.e = e, .last = last};
    if (e->task.model->diagonalises) {
        share_lines(&lines, residual_part);
        return sqrt(sum_lines(e->sum, e->lines));
    }
    if (last) {
        add_image(e, &e->h, &e->h0, 1);
        add_image(e, &e->h, &e->v, -1);
    }
    return sqrt(sum_data(e, e->data.data, e->task.data));
}

static bool descend(struct wp_engine *e, bool last, double *residual)
{
    const bool in_k_space = e->task.model->diagonalises;
    struct lines lines = {.e = e};
    if (!in_k_space) {
        add_image(e, &e->r, &e->h, (float)e->task.mu);
        add_image(e, &e->r, &e->v, -(float)e->task.mu);
    }
    transform(e, WP_FFT_FORWARD, &e->r);
    share_lines(&lines, descend_part);
    double power = 0, z_dot_az = sum_lines(e->sum + e->lines, e->lines);
    const double r_dot_z = sum_lines(e->sum, e->lines);
    // The update of v below needs the step in k-space.
    if (in_k_space)
        memcpy(e->r.data, e->z.data, e->z.count * sizeof *e->z.data);
    transform(e, WP_FFT_INVERSE, &e->z);
    if (e->task.form == WP_FORM_EXACT && !wp_cpu_shrink_power(e->shrink, e->z.data, &power))
        return false;
    z_dot_az += e->task.gamma * power;
    if (!in_k_space && !apply_model(e, &z_dot_az))
        return false;
    const float factor = z_dot_az > 0 ? (float)(r_dot_z / z_dot_az) : 0;
    add_image(e, &e->u, &e->z, factor);
    add_image(e, &e->v, &e->r, factor);
    if (!in_k_space)
        add_data(e, factor);
    *residual = end_descent(e, last);
    return true;
}

static bool iterate_once(struct wp_engine *e, int number, bool first, bool last, double *residual)
{
    if ((e->shape.descent && first && !begin_descent(e)) || !regularise(e, number))
        return false;
    if (e->shape.descent)
        return descend(e, last, residual);
    *residual = divide(e, last);
    return true;
}

static bool iterate(struct wp_engine *e, int number, int count, bool first, bool last,
                    double *residual)
{
    for (int i = 0; i < count; i++)
        if (!iterate_once(e, number + i, first && i == 0, last && i == count - 1, residual))
            return false;
    return true;
}

static bool image(const struct wp_engine *e, float *destination)
{
    memcpy(destination, e->u.data, e->u.count * sizeof *destination);
    return true;
}

// Copies the state of the engine, to `destination` or from `source`; either may be NULL. Returns
// its size in bytes.
static size_t copy_state(const struct wp_engine *e, unsigned char *destination,
                         const unsigned char *source)
{
    const struct wp_floats *const list[] = {&e->u, &e->h, e->gradient ? &e->gradient->b : NULL,
                                            e->shrink ? wp_cpu_shrink_state(e->shrink) : NULL,
                                            &e->v, &e->data};
    size_t size = 0;
    for (size_t i = 0; i < sizeof list / sizeof *list; i++) {
        const size_t bytes = list[i] ? list[i]->count * sizeof(float) : 0;
        if (bytes && destination)
            memcpy(destination + size, list[i]->data, bytes);
        if (bytes && source)
            memcpy(list[i]->data, source + size, bytes);
        size += bytes;
    }
    return size;
}

static size_t state_size(const struct wp_engine *e)
{
    return copy_state(e, NULL, NULL);
}

static void save(const struct wp_engine *e, unsigned char *state)
{
    copy_state(e, state, NULL);
}

static void resume(struct wp_engine *e, const unsigned char *state)
{
    copy_state(e, NULL, state);
}

// Estimated traffic. A division reads r, h, h0 and the diagonal, and writes u. For descent, the
// model's functions are not included.
static double divide_bytes(const struct wp_engine *e)
{
    const double image = 2 * sizeof(float) * (double)e->shape.samples;
    return e->shape.descent ? 13 * image : 4.5 * image;
}

static struct wp_engine_facts facts(const struct wp_engine *e)
{
    struct wp_engine_facts f = {.transforms = 2, .at_once = 1, .bytes = divide_bytes(e),
                                .transform_seconds = e->transform_seconds};
    const double image = sizeof(float) * 2 * (double)e->shape.samples;
    memcpy(f.padded, e->shape.padded, sizeof f.padded);
    if (e->gradient)
        f.bytes += image * (2 + (e->shrink ? 1 : 0) + 2 * axes(e->gradient));
    if (e->shrink)
        f.bytes += wp_cpu_shrink_bytes(e->shrink);
    return f;
}

const struct wp_engine_kind wp_engine_cpu = {
    .name = "cpu",
    .open = open_engine,
    .close = close_engine,
    .facts = facts,
    .iterate = iterate,
    .image = image,
    .state_size = state_size,
    .save = save,
    .resume = resume,
};
