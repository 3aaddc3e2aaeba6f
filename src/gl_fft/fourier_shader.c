#include "fourier_shader.h"

extern const unsigned char wp_shader_fourier[]; // shaders/fourier.glsl, embedded

// One pass to emit.
struct pass {
    const struct wp_fourier_plan *plan;
    int radix, before;  // `before`: the product of the radices of all previous passes
    bool loads, stores; // from and to buffers, otherwise shared memory
    bool round_trip;         // the last pass forward and the first pass back
};

static int divide_up(int a, int b)
{
    return (a + b - 1) / b;
}

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

void wp_fourier_emit(const struct wp_fourier_plan *plan, const char *between,
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
            wp_fourier_emit_butterfly(plan->radix[i], text);
    wp_text_add(text, "%s\nvoid main()\n{\n", between ? between : "");
    if (between)
        emit_round_trip(plan, text);
    else
        emit_passes(plan, text);
    wp_text_add(text, "%s}\n", between ? "    finish();\n" : "");
}
