#include "gl_fft.h"

#include "fourier.h"
#include "log.h"
#include "memory.h"
#include "text.h"

#include <math.h>
#include <stdlib.h>

enum { AXES = 3, GROUPS_ALONG_X = 1 << 15, BUFFERS_MOST = 16 };

struct axis {
    struct wp_fourier_plan schedule;
    struct wp_program *program;
    struct wp_buffer roots;
    int lines, apart;
};

struct wp_gl_fft {
    struct wp_gl *gl;
    int count; // axes of more than one sample, or one
    struct axis axis[AXES];
};

static bool make_roots(int length, struct wp_buffer *roots)
{
    float *root = wp_allocate(2 * (size_t)length, sizeof *root, "roots of unity");
    for (int k = 0; root && k < length; k++) {
        const double angle = -2 * 3.14159265358979323846 * k / length;
        root[2 * k] = (float)cos(angle);
        root[2 * k + 1] = (float)sin(angle);
    }
    const bool ok = root && wp_buffer_create(2 * (size_t)length, roots);
    if (ok)
        wp_buffer_write(roots, 0, 2 * (size_t)length, root);
    free(root);
    return ok;
}

static struct wp_program *make_program(const struct wp_gl_fft *fft, const struct axis *axis,
                                       const char *between)
{
    struct wp_text text = {0};
    wp_fourier_emit(&axis->schedule, between, &text);
    struct wp_program *program = wp_text_is_complete(&text, "a shader")
                                     ? wp_program_get_compute(fft->gl, wp_text_get(&text))
                                     : NULL;
    wp_text_free(&text);
    return program;
}

static bool make_axis(struct wp_gl_fft *fft, const int size[AXES], int number)
{
    struct axis *axis = &fft->axis[fft->count++];
    const struct wp_gl_info *info = wp_gl_get_info(fft->gl);
    const struct wp_fourier_limits limits = {info->max_shared, info->max_invocations};
    long long lines = 1;
    axis->apart = 1;
    for (int a = 0; a < AXES; a++) {
        lines *= a == number ? 1 : size[a];
        axis->apart *= a < number ? size[a] : 1;
    }
    axis->lines = (int)lines;
    int most = 0;
    if (!wp_fourier_plan_make(size[number], number == 0, lines, &limits, &axis->schedule, &most))
        return wp_fail(WP_ERROR_UNAVAILABLE,
                       "a Fourier transform along %d samples needs more shared memory than compute "
                       "shaders of this device have (%d bytes, enough for %d samples)"
                       "\nhint: backend 'cpu' has no such limit",
                       size[number], info->max_shared, most);
    axis->program = make_program(fft, axis, NULL);
    return axis->program && make_roots(size[number], &axis->roots);
}

struct wp_gl_fft *wp_gl_fft_create(struct wp_gl *gl, const int size[AXES])
{
    struct wp_gl_fft *fft = wp_allocate(1, sizeof *fft, "a Fourier transform");
    if (!fft)
        return NULL;
    fft->gl = gl;
    bool ok = true;
    for (int a = 0; ok && a < AXES; a++)
        if (size[a] > 1)
            ok = make_axis(fft, size, a);
    if (ok && fft->count == 0)
        ok = make_axis(fft, size, 0);
    if (!ok)
        wp_gl_fft_destroy(&fft);
    return fft;
}

void wp_gl_fft_destroy(struct wp_gl_fft **slot)
{
    struct wp_gl_fft *fft = *slot;
    *slot = NULL;
    for (int a = 0; fft && a < fft->count; a++)
        wp_buffer_destroy(&fft->axis[a].roots);
    free(fft);
}

static void find_groups(const struct axis *axis, int groups[3])
{
    const int count = (axis->lines - 1) / axis->schedule.lines + 1;
    groups[0] = count < GROUPS_ALONG_X ? count : GROUPS_ALONG_X;
    groups[1] = (count - 1) / groups[0] + 1;
    groups[2] = 1;
}

static void dispatch(const struct axis *axis, struct wp_program *program,
                     const struct wp_buffer *from, const struct wp_buffer *to,
                     const struct wp_buffer *const more[], int more_count)
{
    const struct wp_buffer *buffer[BUFFERS_MOST] = {from, to, &axis->roots};
    int groups[3];
    for (int i = 0; i < more_count; i++)
        buffer[WP_GL_FFT_BLOCKS + i] = more[i];
    find_groups(axis, groups);
    wp_program_set(program, "lines", axis->lines);
    wp_program_set(program, "apart", axis->apart);
    wp_program_set(program, "nothing", 0);
    wp_program_dispatch_buffers(program, WP_GL_FFT_BLOCKS + more_count, buffer, groups);
}

static void run_axis(const struct axis *axis, bool inverse, const struct wp_buffer *from,
                     const struct wp_buffer *to)
{
    wp_program_set(axis->program, "inverse", inverse);
    dispatch(axis, axis->program, from, to, NULL, 0);
}

void wp_gl_fft_run(const struct wp_gl_fft *fft, bool inverse, const struct wp_buffer *from,
                   const struct wp_buffer *to)
{
    for (int a = 0; a < fft->count; a++)
        run_axis(&fft->axis[a], inverse, a == 0 ? from : to, to);
}

static const struct axis *last_axis(const struct wp_gl_fft *fft)
{
    return &fft->axis[fft->count - 1];
}

struct wp_program *wp_gl_fft_program(const struct wp_gl_fft *fft, const char *between)
{
    return make_program(fft, last_axis(fft), between);
}

int wp_gl_fft_groups(const struct wp_gl_fft *fft)
{
    int groups[3];
    find_groups(last_axis(fft), groups);
    return groups[0] * groups[1];
}

void wp_gl_fft_run_between(const struct wp_gl_fft *fft, struct wp_program *program,
                           const struct wp_buffer *from, const struct wp_buffer *to,
                           const struct wp_buffer *const more[], int more_count)
{
    const int last = fft->count - 1;
    for (int a = 0; a < last; a++)
        run_axis(&fft->axis[a], false, a == 0 ? from : to, to);
    dispatch(last_axis(fft), program, last == 0 ? from : to, to, more, more_count);
    for (int a = last - 1; a >= 0; a--)
        run_axis(&fft->axis[a], true, to, to);
}
