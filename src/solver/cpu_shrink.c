#include "cpu_shrink.h"

#include "dual.h"
#include "memory.h"
#include "shift.h"
#include "threads.h"
#include "wavepass.h"

#include <stdlib.h>
#include <string.h>

// The library transforms real and imaginary parts as two planes of one transform. They are split
// and merged on the way from and to the image, where the shift of a spun iteration costs nothing.
//
// A wavelet whose steps stay within pairs of samples (Haar) sees nothing beyond blocks of 2^levels.
// So it goes through the image in blocks that stay in a processor's second cache: of memory the
// step reads and writes only the image, c and what comes out. Borders are all one to it.
enum { BLOCK_SAMPLES = 1 << 16, PARTS_PER_THREAD = 4 };

struct worker {
    struct wp_transform *forward, *back;
};

struct wp_cpu_shrink {
    const struct wp_solver_rows *rows;
    int size[3], padded[3];
    int block[3], blocks; // a block has whole rows; `across` of them lie side by side along y
    int across;
    size_t samples; // of a block
    enum wp_wavelet_form form;
    bool descent, spin, failed;
    unsigned long long seed;
    float threshold, scale;
    int threads, workers;
    struct worker *worker;
    struct wp_floats before, after; // the transform, of each worker
    struct wp_floats c; // coefficients of block after block, or an image
};

static int round_up(int n, int unit)
{
    return (n + unit - 1) / unit * unit;
}

static bool is_local(const struct wp_task *task)
{
    return task->wavelet.symmetry == WP_SYMMETRY_LOCAL;
}

static void choose_blocks(struct wp_cpu_shrink *s, const struct wp_task *task)
{
    const int unit = 1 << task->levels;
    for (int a = 0; a < 3; a++)
        s->padded[a] = s->size[a] > 1 ? round_up(s->size[a], unit) : 1;
    memcpy(s->block, s->padded, sizeof s->block);
    if (is_local(task)) {
        s->block[2] = s->padded[2] > 1 ? unit : 1;
        const int rows = BLOCK_SAMPLES / s->padded[0] / s->block[2];
        s->block[1] = s->padded[1] > 1 ? round_up(rows > 1 ? rows : 1, unit) : 1;
        s->block[1] = s->block[1] < s->padded[1] ? s->block[1] : s->padded[1];
    }
    s->across = (s->padded[1] + s->block[1] - 1) / s->block[1];
    s->blocks = s->across * (s->padded[2] / s->block[2]);
    s->samples = (size_t)s->block[0] * (size_t)s->block[1] * (size_t)s->block[2];
    s->workers = s->blocks > 1 ? (s->threads < s->blocks ? s->threads : s->blocks) : 1;
}

static bool make_worker(struct wp_cpu_shrink *s, const struct wp_task *task,
                        const struct wp_wavelet_data *dual, struct worker *worker)
{
    struct wp_transform_params params = WP_TRANSFORM_PARAMS(
        .width = s->block[0], .height = s->block[1], .depth = s->block[2], .planes = 2,
        .wavelet = task->wavelet_name, .border = is_local(task) ? "symmetric" : "periodic",
        .norm = "orthonormal", .backend = "cpu", .threads = s->workers > 1 ? 1 : s->threads,
        .levels = task->levels, .levels_z = s->block[2] > 1 ? task->levels : 0);
    worker->forward = wp_transform_create(&params);
    if (dual) {
        params.wavelet = NULL;
        params.wavelet_data = dual;
    }
    worker->back = worker->forward ? wp_transform_create(&params) : NULL;
    return worker->back != NULL;
}

static bool make_workers(struct wp_cpu_shrink *s, const struct wp_task *task)
{
    const bool exact = s->form == WP_FORM_EXACT;
    struct wp_wavelet dual;
    struct wp_wavelet_steps *steps = wp_allocate(1, sizeof *steps, "a wavelet");
    bool ok = steps && (!exact || wp_wavelet_dual(&task->wavelet, &dual));
    if (ok && exact)
        wp_wavelet_list_steps(&dual, steps);
    s->worker = wp_allocate((size_t)s->workers, sizeof *s->worker, "the wavelet's transforms");
    for (int i = 0; ok && s->worker && i < s->workers; i++)
        ok = make_worker(s, task, exact ? &steps->data : NULL, &s->worker[i]);
    free(steps);
    return ok && s->worker;
}

void wp_cpu_shrink_destroy(struct wp_cpu_shrink **slot)
{
    struct wp_cpu_shrink *s = *slot;
    *slot = NULL;
    if (!s)
        return;
    for (int i = 0; s->worker && i < s->workers; i++) {
        wp_transform_destroy(&s->worker[i].forward);
        wp_transform_destroy(&s->worker[i].back);
    }
    free(s->worker);
    wp_floats_free(&s->before);
    wp_floats_free(&s->after);
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
    if (!wp_floats_acquire(&s->before, scratch, "the wavelet's image") ||
        !wp_floats_acquire(&s->after, scratch, "its coefficients") ||
        !wp_floats_acquire(&s->c, c, "the wavelet's Bregman variable") ||
        !make_workers(s, task))
        wp_cpu_shrink_destroy(&s);
    return s;
}

// A way through the wavelet: the block, its worker, and the image on both sides.
struct way {
    struct wp_cpu_shrink *s;
    int shift[3];
    const float *u;
    float *out;
    int block, parts;
    const struct worker *worker;
    float *before, *after;
};

// Where a row of the block lies in the image, in floats; -1 beyond it.
static ptrdiff_t row_of_image(const struct way *way, int row)
{
    const struct wp_cpu_shrink *s = way->s;
    const int y = way->block % s->across * s->block[1] + row % s->block[1];
    const int z = way->block / s->across * s->block[2] + row / s->block[1];
    if (y >= s->size[1] || z >= s->size[2])
        return -1;
    const int from_y = (y + way->shift[1]) % s->size[1];
    const int from_z = (z + way->shift[2]) % s->size[2];
    return 2 * ((ptrdiff_t)from_z * s->size[1] + from_y) * s->size[0];
}

static void gather_run(const struct way *way, ptrdiff_t from, float *re, int samples)
{
    const struct wp_cpu_shrink *s = way->s;
    if (is_image(s))
        s->rows->split_sum(way->u + from, s->c.data + from, re, re + s->samples, samples);
    else
        s->rows->split(way->u + from, re, re + s->samples, samples);
}

static void gather_row(const struct way *way, int row)
{
    const struct wp_cpu_shrink *s = way->s;
    const ptrdiff_t image = row_of_image(way, row);
    float *re = way->before + (ptrdiff_t)row * s->block[0], *im = re + s->samples;
    const int width = image < 0 ? 0 : s->size[0], turn = width - way->shift[0];
    if (width > 0) {
        gather_run(way, image + 2 * (ptrdiff_t)way->shift[0], re, turn);
        gather_run(way, image, re + turn, width - turn);
    }
    memset(re + width, 0, (size_t)(s->block[0] - width) * sizeof *re);
    memset(im + width, 0, (size_t)(s->block[0] - width) * sizeof *im);
}

static void scatter_run(const struct way *way, ptrdiff_t to, const float *re, int samples)
{
    const struct wp_cpu_shrink *s = way->s;
    if (is_image(s))
        s->rows->merge_image(re, re + s->samples, way->u + to, s->c.data + to, s->scale,
                             s->descent, way->out + to, samples);
    else
        s->rows->merge(re, re + s->samples, s->scale, way->out + to, samples);
}

static void scatter_row(const struct way *way, int row)
{
    const struct wp_cpu_shrink *s = way->s;
    const ptrdiff_t image = row_of_image(way, row);
    const float *re = way->before + (ptrdiff_t)row * s->block[0];
    const int turn = s->size[0] - way->shift[0];
    if (image < 0)
        return;
    scatter_run(way, image + 2 * (ptrdiff_t)way->shift[0], re, turn);
    scatter_run(way, image, re + turn, s->size[0] - turn);
}

static void for_rows(const struct way *way, int part, void (*row)(const struct way *way, int row))
{
    const int rows = way->s->block[1] * way->s->block[2];
    const int end = (int)((long long)rows * (part + 1) / way->parts);
    for (int r = (int)((long long)rows * part / way->parts); r < end; r++)
        row(way, r);
}

static size_t part_begin(const struct way *way, int part)
{
    return way->s->samples * (size_t)part / (size_t)way->parts;
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
    const struct way *way = user;
    const struct wp_cpu_shrink *s = way->s;
    const size_t begin = part_begin(way, part), end = part_begin(way, part + 1);
    float *c = is_image(s) ? NULL : s->c.data + 2 * s->samples * (size_t)way->block + begin;
    s->rows->shrink(way->after + begin, way->after + s->samples + begin, c,
                    c ? c + s->samples : NULL, s->threshold, s->descent, (int)(end - begin));
}

// All parts of a block, by one thread or all of them.
static void share(struct way *way, void (*task)(void *user, int part, int thread))
{
    wp_threads_share(way->s->workers > 1 ? 1 : way->s->threads, way->parts, task, way);
}

static void set_block(struct way *way, int block, int worker)
{
    struct wp_cpu_shrink *s = way->s;
    const size_t at = 2 * s->samples * (size_t)worker;
    way->block = block;
    way->parts = s->workers > 1 || s->threads == 1 ? 1 : PARTS_PER_THREAD * s->threads;
    way->worker = &s->worker[worker];
    way->before = s->before.data + at;
    way->after = s->after.data + at;
}

static void step_block(void *user, int block, int thread)
{
    struct way way = *(const struct way *)user;
    set_block(&way, block, thread);
    share(&way, gather_part);
    bool ok = wp_transform_forward(way.worker->forward, way.before, way.after);
    if (ok) {
        share(&way, shrink_part);
        ok = wp_transform_inverse(way.worker->back, way.after, way.before);
    }
    if (ok)
        share(&way, scatter_part);
    else
        way.s->failed = true;
}

bool wp_cpu_shrink_step(struct wp_cpu_shrink *s, int number, const float *u, float *out)
{
    struct way way = {.s = s, .u = u, .out = out};
    if (s->spin)
        wp_shift_at(s->seed, number, s->size, way.shift);
    s->failed = false;
    wp_threads_share(s->workers, s->blocks, step_block, &way);
    return !s->failed;
}

bool wp_cpu_shrink_power(struct wp_cpu_shrink *s, const float *z, double *power)
{
    struct way way = {.s = s, .u = z};
    *power = 0;
    for (int block = 0; block < s->blocks; block++) {
        set_block(&way, block, 0);
        share(&way, gather_part);
        if (!wp_transform_forward(way.worker->forward, way.before, way.after))
            return false;
        const int row = s->block[0];
        for (size_t i = 0; i < 2 * s->samples; i += (size_t)row)
            *power += s->rows->power(way.after + i, row);
    }
    return true;
}

struct wp_floats *wp_cpu_shrink_state(struct wp_cpu_shrink *s)
{
    return &s->c;
}

const int *wp_cpu_shrink_padded(const struct wp_cpu_shrink *s)
{
    return s->padded;
}

// In blocks: u, c there and back, out. Else also the planes on both sides of both transforms, and
// the shrinkage between.
double wp_cpu_shrink_bytes(const struct wp_cpu_shrink *s)
{
    const double complex_size = 2 * sizeof(float);
    const double image = complex_size * (double)image_samples(s);
    const double planes = complex_size * (double)s->samples * s->blocks;
    const double ends = 2 * image + 2 * (is_image(s) ? image : planes);
    return ends + (s->blocks > 1 ? 0 : 8 * planes) + (is_image(s) ? image : 0);
}
