// Emits Fourier transforms of a few numbers in registers. Each value has a variable, set once.
#include "fourier_shader.h"

#include <math.h>

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

void wp_fourier_emit_butterfly(int radix, struct wp_text *text)
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
