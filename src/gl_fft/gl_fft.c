#include "gl_fft.h"

#include "log.h"
#include "memory.h"

#include <math.h>
#include <stdlib.h>

enum {
    CELL = 2 * sizeof(float),
    SAMPLES = 2048,      // per workgroup, if a line is not longer
    SHORT = 64,          // length of lines below which a workgroup processes more of them
    THREADS_MOST = 256,
    WARP = 32,
    LINES_MOST = 64,
    LINES_ADJACENT = 16, // 128 bytes, one memory transaction
    LINES_LEAST = 4,         // 32 bytes
    GROUPS_TARGET = 264,     // workgroups that occupy a large device
};

bool wp_fourier_is_summed(int radix)
{
    return radix > WP_FOURIER_RADIX;
}

// Splits 2^exponent into radices of at most 16, about equal.
static int add_twos(int exponent, int *radix)
{
    const int count = (exponent + 3) / 4;
    for (int i = 0; i < count; i++)
        radix[i] = 1 << (exponent / count + (i < exponent % count));
    return count;
}

static int smallest_prime(int n)
{
    for (int p = 2; p * p <= n; p++)
        if (n % p == 0)
            return p;
    return n;
}

// Radices of butterflies first, then primes that are summed up. Those are neither first nor last:
// a pass of radix 1, which only copies, is added if necessary.
static int factorise(int length, int *radix)
{
    int twos = 0, rest = length;
    for (; rest % 2 == 0; rest /= 2)
        twos++;
    int count = add_twos(twos, radix);
    while (rest > 1) {
        const int prime = smallest_prime(rest);
        if (count == 0 && wp_fourier_is_summed(prime))
            radix[count++] = 1;
        radix[count++] = prime;
        rest /= prime;
    }
    if (count == 0 || wp_fourier_is_summed(radix[count - 1]))
        radix[count++] = 1;
    return count;
}

static int line_cells(const struct wp_fourier_plan *schedule, bool spread)
{
    return schedule->length + (spread ? schedule->length / WP_FOURIER_SPREAD + 1 : 0);
}

static int divide_up(long long a, int b)
{
    return (int)((a + b - 1) / b);
}

static int largest_radix(const struct wp_fourier_plan *schedule)
{
    int largest = 1;
    for (int i = 0; i < schedule->passes; i++)
        if (!wp_fourier_is_summed(schedule->radix[i]) && schedule->radix[i] > largest)
            largest = schedule->radix[i];
    return largest;
}

static int threads_for(const struct wp_fourier_plan *schedule, int most)
{
    const int threads =
        divide_up((long long)schedule->lines * schedule->length, largest_radix(schedule));
    const int rounded = divide_up(threads, WARP) * WARP;
    return rounded < most ? rounded : most;
}

static void choose_lines(struct wp_fourier_plan *schedule, long long count, int cells_most)
{
    const int cells = line_cells(schedule, schedule->along_x);
    const int most = SAMPLES < cells_most ? SAMPLES : cells_most;
    const int most_lines = schedule->length < SHORT ? LINES_MOST : LINES_ADJACENT;
    const int least = schedule->along_x ? 1 : LINES_LEAST;
    schedule->lines = most_lines;
    while (schedule->lines > 1 &&
           (schedule->lines * cells > most ||
            (schedule->lines > least && count / schedule->lines < GROUPS_TARGET &&
             schedule->lines * schedule->length > 2 * WARP * WP_FOURIER_RADIX)))
        schedule->lines /= 2;
}

bool wp_fourier_plan_make(int length, bool along_x, long long count,
                          const struct wp_fourier_limits *limits, struct wp_fourier_plan *schedule,
                          int *most)
{
    const int cells_most = limits->shared / CELL;
    *schedule = (struct wp_fourier_plan){.length = length, .along_x = along_x};
    *most = cells_most - cells_most / WP_FOURIER_SPREAD - 1;
    if (length > *most)
        return false;
    schedule->passes = factorise(length, schedule->radix);
    choose_lines(schedule, count, cells_most);
    schedule->threads =
        threads_for(schedule, limits->threads < THREADS_MOST ? limits->threads : THREADS_MOST);
    schedule->cells = schedule->lines * line_cells(schedule, along_x);
    if (schedule->cells < schedule->threads) // for sums over a workgroup
        schedule->cells = schedule->threads;
    return true;
}

// ---- butterflies ----

// Emits Fourier transforms of a few numbers in registers. Each value has a variable, set once.

static const double pi = 3.14159265358979323846;

struct writer {
    struct wp_text *text;
    int names;
};

static int new_name(struct writer *w)
{
    return w->names++;
}

static int add(struct writer *w, int a, int b, char sign)
{
    const int name = new_name(w);
    wp_text_add(w->text, "    vec2 t%d = t%d %c t%d;\n", name, a, sign, b);
    return name;
}

static const char *number(char buffer[WP_NUMBER_SIZE], double value)
{
    return wp_format_number(buffer, value, 9);
}

// Emits the product with exp(-2 pi i k/n), for k from 0 to n/2 - 1. Returns the variable.
static int rotate(struct writer *w, int a, int k, int n)
{
    if (k == 0)
        return a;
    char re[WP_NUMBER_SIZE], im[WP_NUMBER_SIZE];
    const int name = new_name(w);
    if (4 * k == n)
        wp_text_add(w->text, "    vec2 t%d = vec2(t%d.y, -t%d.x);\n", name, a, a);
    else
        wp_text_add(w->text, "    vec2 t%d = times(t%d, vec2(%s, %s));\n", name, a,
                    number(re, cos(2 * pi * k / n)), number(im, -sin(2 * pi * k / n)));
    return name;
}

// Emits a transform of even length from those of its even and odd elements.
static void halve(struct writer *w, const int *in, int n, int *out);

static void transform_odd(struct writer *w, const int *in, int n, int *out)
{
    const int half = n / 2;
    char factor[WP_NUMBER_SIZE];
    int sum[WP_FOURIER_RADIX] = {0}, difference[WP_FOURIER_RADIX] = {0};
    out[0] = in[0];
    for (int q = 1; q <= half; q++) {
        sum[q] = add(w, in[q], in[n - q], '+');
        difference[q] = rotate(w, add(w, in[q], in[n - q], '-'), 1, 4);
        out[0] = add(w, out[0], sum[q], '+');
    }
    for (int k = 1; k <= half; k++) {
        const int even = new_name(w), odd = new_name(w);
        wp_text_add(w->text, "    vec2 t%d = t%d", even, in[0]);
        for (int q = 1; q <= half; q++)
            wp_text_add(w->text, " + %s * t%d",
                        number(factor, cos(2 * pi * (q * k % n) / n)), sum[q]);
        wp_text_add(w->text, ";\n    vec2 t%d = vec2(0.0)", odd);
        for (int q = 1; q <= half; q++)
            wp_text_add(w->text, " + %s * t%d",
                        number(factor, sin(2 * pi * (q * k % n) / n)), difference[q]);
        wp_text_add(w->text, ";\n");
        out[k] = add(w, even, odd, '+');
        out[n - k] = add(w, even, odd, '-');
    }
}

static void transform(struct writer *w, const int *in, int n, int *out)
{
    if (n == 1)
        out[0] = in[0];
    else if (n % 2)
        transform_odd(w, in, n, out);
    else
        halve(w, in, n, out);
}

static void halve(struct writer *w, const int *in, int n, int *out)
{
    int part[2][WP_FOURIER_RADIX] = {{0}}, result[2][WP_FOURIER_RADIX] = {{0}};
    for (int i = 0; i < n; i++)
        part[i % 2][i / 2] = in[i];
    transform(w, part[0], n / 2, result[0]);
    transform(w, part[1], n / 2, result[1]);
    for (int k = 0; k < n / 2; k++) {
        const int rotated = rotate(w, result[1][k], k, n);
        out[k] = add(w, result[0][k], rotated, '+');
        out[k + n / 2] = add(w, result[0][k], rotated, '-');
    }
}

// The function `void butterfly_R(inout vec2 w[R])`, a transform of R numbers without loops.
static void fourier_emit_butterfly(int radix, struct wp_text *text)
{
    struct writer w = {.text = text};
    int in[WP_FOURIER_RADIX] = {0}, out[WP_FOURIER_RADIX] = {0};
    wp_text_add(text, "void butterfly_%d(inout vec2 w[%d])\n{\n", radix, radix);
    for (int i = 0; i < radix; i++) {
        in[i] = new_name(&w);
        wp_text_add(text, "    vec2 t%d = w[%d];\n", in[i], i);
    }
    transform(&w, in, radix, out);
    for (int i = 0; i < radix; i++)
        wp_text_add(text, "    w[%d] = t%d;\n", i, out[i]);
    wp_text_add(text, "}\n\n");
}

// ---- shaders ----

extern const unsigned char wp_shader_fourier[]; // shaders/fourier.glsl, embedded

// One pass to emit.
struct pass {
    const struct wp_fourier_plan *plan;
    int radix, before;  // `before`: the product of the radices of all previous passes
    bool loads, stores; // from and to buffers, otherwise shared memory
    bool round_trip;         // the last pass forward and the first pass back
};

// Emits the head of the loop over a thread's items, `each` per line.
static void begin_items(const struct pass *p, int each, struct wp_text *text)
{
    const int all = each * p->plan->lines, threads = p->plan->threads;
    wp_text_add(text, "    for (int b = 0; b < %d; b++) {\n"
                      "        int i = int(gl_LocalInvocationIndex) + b * THREADS;\n",
                divide_up(all, threads));
    if (all % threads != 0)
        wp_text_add(text, "        if (i >= %d)\n            break;\n", all);
    wp_text_add(text, "        ivec2 at = item(i, %d);\n", each);
}

static void end_items(struct wp_text *text)
{
    wp_text_add(text, "    }\n");
}

static void add_barrier(struct wp_text *text)
{
    wp_text_add(text, "    barrier();\n");
}

// Writes the results of a butterfly. `before` belongs to the pass of the output.
static void write_all(const struct pass *p, int before, const char *from, struct wp_text *text)
{
    const int r = p->radix;
    wp_text_add(text, "        int to = at.y / %d * %d + at.y %% %d;\n", before,
                before * r, before);
    for (int k = 0; k < r; k++)
        if (p->stores)
            wp_text_add(text, "        store(at.x, to + %d, %s%d]);\n", k * before, from, k);
        else
            wp_text_add(text, "        cell[cell_at(at.x, to + %d)] = %s%d];\n", k * before, from,
                        k);
}

static void emit_butterflies(const struct pass *p, struct wp_text *text)
{
    const int n = p->plan->length, r = p->radix, each = n / r;
    const int before = p->round_trip ? 1 : p->before; // of the output
    const bool in_place = !p->loads && !p->stores;  // all threads must read before one writes
    wp_text_add(text, "    {\n");
    if (in_place)
        wp_text_add(text, "    vec2 results[%d];\n",
                    divide_up(each * p->plan->lines, p->plan->threads) * r);
    begin_items(p, each, text);
    wp_text_add(text, "        vec2 w[%d];\n", r);
    for (int k = 0; k < r; k++)
        wp_text_add(text, "        w[%d] = %s(at.x, at.y + %d)%s;\n", k,
                    p->loads ? "load" : "cell[cell_at", k * each, p->loads ? "" : "]");
    if (p->before > 1)
        wp_text_add(text, "        int twiddle = at.y %% %d * %d;\n", p->before,
                    n / (p->before * r));
    for (int k = 1; k < r && p->before > 1; k++)
        wp_text_add(text, "        w[%d] = times(w[%d], root[%d * twiddle]);\n", k, k, k);
    wp_text_add(text, "        butterfly_%d(w);\n", r);
    if (p->round_trip) {
        wp_text_add(text, "        if (is_line(at.x)) {\n");
        for (int k = 0; k < r; k++)
            wp_text_add(text, "            w[%d] = between(index_of(at.x, at.y + %d), w[%d]).yx;\n",
                        k, k * each, k);
        wp_text_add(text, "        }\n        butterfly_%d(w);\n", r);
    }
    if (in_place) {
        for (int k = 0; k < r; k++)
            wp_text_add(text, "        results[b * %d + %d] = w[%d];\n", r, k, k);
        end_items(text);
        add_barrier(text);
        begin_items(p, each, text);
        wp_text_add(text, "        int first = b * %d;\n", r);
        write_all(p, before, "results[first + ", text);
    } else {
        write_all(p, before, "w[", text);
    }
    end_items(text);
    wp_text_add(text, "    }\n");
    if (!p->stores)
        add_barrier(text);
}

// Computes each output separately, for primes that are too large for registers.
static void emit_sums(const struct pass *p, struct wp_text *text)
{
    const int n = p->plan->length, r = p->radix;
    wp_text_add(text, "    {\n    vec2 results[%d];\n",
                divide_up(n * p->plan->lines, p->plan->threads));
    begin_items(p, n, text);
    wp_text_add(text,
                "        int low = at.y %% %d, number = at.y / %d %% %d;\n"
                "        int from = at.y / %d * %d + low;\n"
                "        int twiddle = (low + number * %d) * %d, root_index = 0;\n"
                "        vec2 sum = vec2(0.0);\n"
                "        for (int k = 0; k < %d + nothing; k++) {\n"
                "            sum += times(cell[cell_at(at.x, from + k * %d)], root[root_index]);\n"
                "            root_index += twiddle;\n"
                "            root_index -= root_index >= LENGTH ? LENGTH : 0;\n"
                "        }\n"
                "        results[b] = sum;\n",
                p->before, p->before, r, p->before * r, p->before, p->before, n / (p->before * r),
                r, n / r);
    end_items(text);
    add_barrier(text);
    begin_items(p, n, text);
    wp_text_add(text, "        cell[cell_at(at.x, at.y)] = results[b];\n");
    end_items(text);
    wp_text_add(text, "    }\n");
    add_barrier(text);
}

static void emit_pass(const struct pass *p, struct wp_text *text)
{
    if (wp_fourier_is_summed(p->radix))
        emit_sums(p, text);
    else
        emit_butterflies(p, text);
}

static void emit_passes(const struct wp_fourier_plan *plan, struct wp_text *text)
{
    for (int i = 0, before = 1; i < plan->passes; before *= plan->radix[i++])
        emit_pass(&(struct pass){.plan = plan, .radix = plan->radix[i], .before = before,
                                 .loads = i == 0, .stores = i == plan->passes - 1}, text);
}

// The inverse uses the opposite order of radices, so that the middle pass stays in registers.
static void emit_round_trip(const struct wp_fourier_plan *plan, struct wp_text *text)
{
    const int last = plan->passes - 1;
    int before = 1;
    for (int i = 0; i <= last; before *= plan->radix[i++])
        emit_pass(&(struct pass){.plan = plan,
                                 .radix = plan->radix[i],
                                 .before = before,
                                 .loads = i == 0,
                                 .stores = last == 0,
                                 .round_trip = i == last},
                  text);
    before = plan->radix[last];
    for (int i = last - 1; i >= 0; before *= plan->radix[i--])
        emit_pass(&(struct pass){.plan = plan, .radix = plan->radix[i], .before = before,
                                 .stores = i == 0}, text);
}

static bool is_first(const struct wp_fourier_plan *plan, int pass)
{
    for (int i = 0; i < pass; i++)
        if (plan->radix[i] == plan->radix[pass])
            return false;
    return !wp_fourier_is_summed(plan->radix[pass]);
}

// Transforms lines from one buffer to another; with `between` (gl_fft.h; may be NULL) a round trip
// that applies it in k-space.
static void fourier_emit(const struct wp_fourier_plan *plan, const char *between,
                         struct wp_text *text)
{
    wp_text_add(text, "#version 430 core\n#define LENGTH %d\n#define LINES %d\n"
                      "#define THREADS %d\n#define CELLS %d\n#define SPREAD %d\n"
                      "#define SPREAD_LENGTH %d\n%s%s%s\n",
                plan->length, plan->lines, plan->threads, plan->cells, WP_FOURIER_SPREAD,
                plan->length + plan->length / WP_FOURIER_SPREAD + 1,
                plan->along_x ? "#define ALONG_X\n" : "", between ? "#define BETWEEN\n" : "",
                (const char *)wp_shader_fourier);
    for (int i = 0; i < plan->passes; i++)
        if (is_first(plan, i))
            fourier_emit_butterfly(plan->radix[i], text);
    wp_text_add(text, "%s\nvoid main()\n{\n", between ? between : "");
    if (between)
        emit_round_trip(plan, text);
    else
        emit_passes(plan, text);
    wp_text_add(text, "%s}\n", between ? "    finish();\n" : "");
}

// ---- transforms ----

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
    fourier_emit(&axis->schedule, between, &text);
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
