#include "solver_rows.h"

#include "engine.h"
#include "memory.h"
#include "min_max.h"
#include "threads.h"
#include "wavepass.h"

#include <stdlib.h>
#include <string.h>

// Real and imaginary parts are two planes of one transform. They are split and merged while rows
// are copied from and to the image, with the shift of cycle spinning.
//
// A wavelet whose steps stay within pairs of samples (Haar) does not depend on samples outside of
// blocks of 2^levels. Then the image is processed in blocks that fit in the L2 cache, so that main
// memory is accessed only for the image, c and the result, and the boundary extension does not
// matter.
enum { BLOCK_SAMPLES = 1 << 16, PARTS_PER_THREAD = 4 };

struct worker {
    struct wp_transform *forward, *inverse;
};

struct wp_cpu_shrink {
    const struct wp_solver_rows *rows;
    int size[3], padded[3];
    int block[3], blocks; // size and number of blocks; a block has complete rows
    int across;           // number of blocks along y
    size_t samples;       // per block
    enum wp_wavelet_form form;
    bool descent, spin, failed;
    unsigned long long seed;
    float threshold, scale;
    int threads, workers;
    struct worker *worker;
    struct wp_floats planes, coefficients; // a block of each worker
    struct wp_floats c;                    // coefficients of all blocks, or an image
};

static bool is_local(const struct wp_task *task)
{
    return task->wavelet.symmetry == WP_SYMMETRY_LOCAL;
}

static void choose_blocks(struct wp_cpu_shrink *s, const struct wp_task *task)
{
    const int unit = 1 << task->levels;
    const struct wp_task_shape shape = wp_task_shape(task);
    memcpy(s->padded, shape.padded, sizeof s->padded);
    memcpy(s->block, s->padded, sizeof s->block);
    if (is_local(task)) {
        s->block[2] = s->padded[2] > 1 ? unit : 1;
        const int rows = BLOCK_SAMPLES / s->padded[0] / s->block[2];
        s->block[1] = s->padded[1] > 1 ? wp_round_up(rows > 1 ? rows : 1, unit) : 1;
        s->block[1] = s->block[1] < s->padded[1] ? s->block[1] : s->padded[1];
    }
    s->across = (s->padded[1] + s->block[1] - 1) / s->block[1];
    s->blocks = s->across * (s->padded[2] / s->block[2]);
    s->samples = (size_t)s->block[0] * (size_t)s->block[1] * (size_t)s->block[2];
    s->workers = s->blocks > 1 ? (s->threads < s->blocks ? s->threads : s->blocks) : 1;
}

static bool create_workers(struct wp_cpu_shrink *s, const struct wp_task *task)
{
    const struct wp_transform_params params = WP_TRANSFORM_PARAMS(
        .backend = "cpu", .border = is_local(task) ? "symmetric" : "periodic",
        .threads = s->workers > 1 ? 1 : s->threads);
    s->worker = wp_allocate((size_t)s->workers, sizeof *s->worker, "the wavelet's transforms");
    bool ok = s->worker;
    for (int i = 0; ok && i < s->workers; i++)
        ok = wp_task_make_transforms(task, s->block, params, &s->worker[i].forward,
                                     &s->worker[i].inverse);
    return ok;
}

void wp_cpu_shrink_destroy(struct wp_cpu_shrink **slot)
{
    struct wp_cpu_shrink *s = *slot;
    *slot = NULL;
    if (!s)
        return;
    for (int i = 0; s->worker && i < s->workers; i++) {
        wp_transform_destroy(&s->worker[i].forward);
        wp_transform_destroy(&s->worker[i].inverse);
    }
    free(s->worker);
    wp_floats_free(&s->planes);
    wp_floats_free(&s->coefficients);
    wp_floats_free(&s->c);
    free(s);
}

static size_t image_samples(const struct wp_cpu_shrink *s)
{
    return (size_t)s->size[0] * (size_t)s->size[1] * (size_t)s->size[2];
}

static bool is_image(const struct wp_cpu_shrink *s)
{
    return s->form == WP_FORM_IMAGE;
}

struct wp_cpu_shrink *wp_cpu_shrink_create(const struct wp_task *task, bool descent)
{
    struct wp_cpu_shrink *s = wp_allocate(1, sizeof *s, "the wavelet's part");
    if (!s)
        return NULL;
    s->rows = wp_solver_rows_get();
    memcpy(s->size, task->size, sizeof s->size);
    s->form = task->form;
    s->descent = descent;
    s->spin = task->spin;
    s->seed = task->seed;
    s->threads = task->threads;
    s->threshold = (float)(task->wav / task->gamma);
    s->scale = (float)task->gamma;
    choose_blocks(s, task);
    const size_t scratch = 2 * s->samples * (size_t)s->workers;
    const size_t c = 2 * (is_image(s) ? image_samples(s) : s->samples * (size_t)s->blocks);
    if (!wp_floats_acquire(&s->planes, scratch, "the wavelet's image") ||
        !wp_floats_acquire(&s->coefficients, scratch, "its coefficients") ||
        !wp_floats_acquire(&s->c, c, "the wavelet's Bregman variable") || !create_workers(s, task))
        wp_cpu_shrink_destroy(&s);
    return s;
}

// A block in process: its worker, input and output.
struct block_pass {
    struct wp_cpu_shrink *s;
    int shift[3];
    const float *u;
    float *out;
    int block, parts;
    const struct worker *worker;
    float *planes, *coefficients;
};

// The offset of a row of the block in the image, in floats; -1 outside of the image.
static ptrdiff_t row_of_image(const struct block_pass *p, int row)
{
    const struct wp_cpu_shrink *s = p->s;
    const int y = p->block % s->across * s->block[1] + row % s->block[1];
    const int z = p->block / s->across * s->block[2] + row / s->block[1];
    if (y >= s->size[1] || z >= s->size[2])
        return -1;
    const int source_y = (y + p->shift[1]) % s->size[1];
    const int source_z = (z + p->shift[2]) % s->size[2];
    return 2 * ((ptrdiff_t)source_z * s->size[1] + source_y) * s->size[0];
}

static void gather_run(const struct block_pass *p, ptrdiff_t source, float *re, int samples)
{
    const struct wp_cpu_shrink *s = p->s;
    if (is_image(s))
        s->rows->split_sum(p->u + source, s->c.data + source, re, re + s->samples, samples);
    else
        s->rows->split(p->u + source, re, re + s->samples, samples);
}

static void gather_row(const struct block_pass *p, int row)
{
    const struct wp_cpu_shrink *s = p->s;
    const ptrdiff_t image = row_of_image(p, row);
    float *re = p->planes + (ptrdiff_t)row * s->block[0], *im = re + s->samples;
    const int width = image < 0 ? 0 : s->size[0], unwrapped = width - p->shift[0];
    if (width > 0) {
        gather_run(p, image + 2 * (ptrdiff_t)p->shift[0], re, unwrapped);
        gather_run(p, image, re + unwrapped, width - unwrapped);
    }
    memset(re + width, 0, (size_t)(s->block[0] - width) * sizeof *re);
    memset(im + width, 0, (size_t)(s->block[0] - width) * sizeof *im);
}

static void scatter_run(const struct block_pass *p, ptrdiff_t destination, const float *re,
                        int samples)
{
    const struct wp_cpu_shrink *s = p->s;
    if (is_image(s))
        s->rows->merge_image(re, re + s->samples, p->u + destination, s->c.data + destination,
                             s->scale, s->descent, p->out + destination, samples);
    else
        s->rows->merge(re, re + s->samples, s->scale, p->out + destination, samples);
}

static void scatter_row(const struct block_pass *p, int row)
{
    const struct wp_cpu_shrink *s = p->s;
    const ptrdiff_t image = row_of_image(p, row);
    const float *re = p->planes + (ptrdiff_t)row * s->block[0];
    const int unwrapped = s->size[0] - p->shift[0];
    if (image < 0)
        return;
    scatter_run(p, image + 2 * (ptrdiff_t)p->shift[0], re, unwrapped);
    scatter_run(p, image, re + unwrapped, s->size[0] - unwrapped);
}

static void for_rows(const struct block_pass *p, int part,
                     void (*row)(const struct block_pass *p, int row))
{
    const int rows = p->s->block[1] * p->s->block[2];
    const int end = (int)((long long)rows * (part + 1) / p->parts);
    for (int r = (int)((long long)rows * part / p->parts); r < end; r++)
        row(p, r);
}

static size_t part_begin(const struct block_pass *p, int part)
{
    return p->s->samples * (size_t)part / (size_t)p->parts;
}

static void gather_part(void *user, int part, int thread)
{
    (void)thread;
    for_rows(user, part, gather_row);
}

static void scatter_part(void *user, int part, int thread)
{
    (void)thread;
    for_rows(user, part, scatter_row);
}

static void shrink_part(void *user, int part, int thread)
{
    (void)thread;
    const struct block_pass *p = user;
    const struct wp_cpu_shrink *s = p->s;
    const size_t begin = part_begin(p, part), end = part_begin(p, part + 1);
    float *c = is_image(s) ? NULL : s->c.data + 2 * s->samples * (size_t)p->block + begin;
    s->rows->shrink(p->coefficients + begin, p->coefficients + s->samples + begin, c,
                    c ? c + s->samples : NULL, s->threshold, s->descent, (int)(end - begin));
}

// Runs all parts of a block, in one thread if blocks run in parallel, else in all threads.
static void share(struct block_pass *p, void (*task)(void *user, int part, int thread))
{
    wp_threads_share(p->s->workers > 1 ? 1 : p->s->threads, p->parts, task, p);
}

static void set_block(struct block_pass *p, int block, int worker)
{
    struct wp_cpu_shrink *s = p->s;
    const size_t at = 2 * s->samples * (size_t)worker;
    p->block = block;
    p->parts = s->workers > 1 || s->threads == 1 ? 1 : PARTS_PER_THREAD * s->threads;
    p->worker = &s->worker[worker];
    p->planes = s->planes.data + at;
    p->coefficients = s->coefficients.data + at;
}

static void step_block(void *user, int block, int thread)
{
    struct block_pass p = *(const struct block_pass *)user;
    set_block(&p, block, thread);
    share(&p, gather_part);
    bool ok = wp_transform_forward(p.worker->forward, WP_ARRAY(p.planes), WP_ARRAY(p.coefficients));
    if (ok) {
        share(&p, shrink_part);
        ok = wp_transform_inverse(p.worker->inverse, WP_ARRAY(p.coefficients), WP_ARRAY(p.planes));
    }
    if (ok)
        share(&p, scatter_part);
    else
        p.s->failed = true;
}

bool wp_cpu_shrink_step(struct wp_cpu_shrink *s, int number, const float *u, float *out)
{
    struct block_pass p = {.s = s, .u = u, .out = out};
    if (s->spin)
        wp_shift_at(s->seed, number, s->size, p.shift);
    s->failed = false;
    wp_threads_share(s->workers, s->blocks, step_block, &p);
    return !s->failed;
}

bool wp_cpu_shrink_power(struct wp_cpu_shrink *s, const float *z, double *power)
{
    struct block_pass p = {.s = s, .u = z};
    *power = 0;
    for (int block = 0; block < s->blocks; block++) {
        set_block(&p, block, 0);
        share(&p, gather_part);
        if (!wp_transform_forward(p.worker->forward, WP_ARRAY(p.planes), WP_ARRAY(p.coefficients)))
            return false;
        const int row = s->block[0];
        for (size_t i = 0; i < 2 * s->samples; i += (size_t)row)
            *power += s->rows->power(p.coefficients + i, row);
    }
    return true;
}

struct wp_floats *wp_cpu_shrink_state(struct wp_cpu_shrink *s)
{
    return &s->c;
}

// With blocks: u, c read and written, and the result. Otherwise also the input and output planes of
// both transforms, and the shrinkage.
double wp_cpu_shrink_bytes(const struct wp_cpu_shrink *s)
{
    const double complex_size = 2 * sizeof(float);
    const double image = complex_size * (double)image_samples(s);
    const double planes = complex_size * (double)s->samples * s->blocks;
    const double ends = 2 * image + 2 * (is_image(s) ? image : planes);
    return ends + (s->blocks > 1 ? 0 : 8 * planes) + (is_image(s) ? image : 0);
}
