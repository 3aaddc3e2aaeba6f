// Compiles the streaming down a strip of columns: rows arrive one by one and are lifted along x
// without loops, and then along y as slices of a volume along z.
#include "kernel.h"

static int divide_up(int a, int b)
{
    return (a + b - 1) / b;
}

// The samples of a row of an invocation, counted from the first one of the strip. Loaded texels
// have `texel` contiguous samples of the row, or of one of the bands.
struct strip {
    struct wp_kernel *kernel;
    const struct wp_lifting *lifting;
    int texel;
    int row; // 0 or 1
};

// The index of a sample among the loaded ones of the row, or of its band.
static int index_of(const struct strip *s, int sample)
{
    const int first = s->kernel->load_first[WP_X] * s->texel;
    return (s->kernel->loads_bands ? (sample - (sample & 1)) / 2 : sample) - first;
}

static bool is_loaded(const struct strip *s, int sample)
{
    const int index = index_of(s, sample);
    return index >= 0 && index < s->kernel->load_size[WP_X] * s->texel;
}

// The value of a sample before step `before`: the result of the last step that changes its parity,
// or the loaded sample.
static struct wp_value value_of(const struct strip *s, int before, int sample)
{
    const int odd = sample & 1, index = index_of(s, sample);
    const int band = s->kernel->loads_bands ? odd * s->kernel->load_size[WP_X] : 0;
    int step = before - 1;
    while (step >= 0 && (s->lifting->step[step].odd != (odd == 1) ||
                         s->lifting->step[step].filter.count == 0))
        step--;
    return (struct wp_value){
        .component = index % s->texel,
        .at = {index / s->texel + band, s->row},
        .step = step,
    };
}

// The sample that is mirrored to `sample` in the first or last strip of a row.
static int mirror(const struct strip *s, int sample, bool last)
{
    const int mirrored = last ? 2 * (s->kernel->strip.width - 1) - sample : -sample;
    return is_loaded(s, mirrored) ? mirrored : sample;
}

static void mirror_texel(struct strip *s, int first, int stride, bool last)
{
    struct wp_instruction *i = wp_kernel_add(s->kernel, WP_MIRROR);
    i->value = value_of(s, 0, first);
    i->index = last;
    for (int c = 0; c < s->texel; c++)
        wp_kernel_add_operand(s->kernel, 1, value_of(s, 0, mirror(s, first + c * stride, last)));
}

// Extends the row beyond its ends.
static void mirror_row(struct strip *s)
{
    const struct wp_kernel *k = s->kernel;
    const int bands = k->loads_bands ? 2 : 1;
    for (int x = k->load_first[WP_X]; x < k->load_first[WP_X] + k->load_size[WP_X]; x++)
        for (int band = 0; band < bands; band++)
            if (x < 0 || x >= k->load_step[WP_X])
                mirror_texel(s, bands * x * s->texel + band, bands, x > 0);
}

// Adds target[n] += sum of c * other[n + k].
static void add_sample(struct strip *s, int number, int n)
{
    const struct wp_lifting_step *step = &s->lifting->step[number];
    const int sample = 2 * n + step->odd;
    wp_kernel_add(s->kernel, WP_SUM)->value = value_of(s, number + 1, sample);
    wp_kernel_add_operand(s->kernel, 1, value_of(s, number, sample));
    for (int t = 0; t < step->filter.count; t++) {
        const struct wp_tap *tap = &step->filter.tap[t];
        wp_kernel_add_operand(s->kernel, tap->c,
                              value_of(s, number, 2 * (n + tap->k) + !step->odd));
    }
    s->kernel->counts.operations += step->filter.count;
}

static void lift_along_x(struct strip *s)
{
    for (int i = 0; i < s->lifting->steps; i++) {
        const struct wp_lifting_step *step = &s->lifting->step[i];
        const int end = s->kernel->strip.width / 2 + step->after;
        for (int n = -step->before; n < end && step->filter.count; n++)
            add_sample(s, i, n);
    }
}

// The sample at an index of the row that is lifted along y. Forward, low samples precede high ones.
static int sample_at(const struct strip *s, int index)
{
    const int half = s->kernel->strip.width / 2;
    const bool forward = s->lifting->direction == WP_FORWARD;
    return !forward ? index : index < half ? 2 * index : 2 * (index - half) + 1;
}

static void lift_along_y(struct strip *s)
{
    struct wp_kernel *k = s->kernel;
    for (int four = 0; four < k->chain.rows; four++) {
        wp_kernel_arrive(k, s->row, four);
        for (int c = 0; c < WP_COMPONENTS; c++)
            wp_kernel_add_operand(
                k, 1, value_of(s, s->lifting->steps, sample_at(s, WP_COMPONENTS * four + c)));
    }
    const int before = k->counts.operations;
    wp_kernel_lift(k, s->row);
    // wp_kernel_lift() counts the average per row.
    k->counts.operations += k->counts.operations - before;
}

void wp_kernel_of_strip(const struct wp_lifting *lifting, const struct wp_strip_shape *strip,
                       struct wp_kernel *k)
{
    const bool bands = lifting->direction == WP_INVERSE;
    struct strip s = {k, lifting, bands ? strip->width / 2 : WP_COMPONENTS, 0};
    // In samples of the row, or of a band.
    const int pair = bands ? 1 : 2, samples = strip->width / 2 * pair;
    const int left = divide_up(lifting->before * pair, s.texel);
    *k = (struct wp_kernel){
        .shape = WP_SHAPE_STRIP,
        .strip = *strip,
        .loads_bands = bands,
        .load_first = {-left},
        .load_size = {left + divide_up(samples + lifting->after * pair, s.texel)},
    };
    k->load_step[WP_X] = samples / s.texel;
    k->counts.fetches = 2 * (bands ? 2 : 1) * k->load_size[WP_X];
    wp_kernel_begin_slices(k, lifting, 0, strip->width / WP_COMPONENTS);
    for (; s.row < 2; s.row++) {
        wp_kernel_add(k, WP_LOAD)->index = s.row;
        if (lifting->extension == WP_EXTEND_MIRROR)
            mirror_row(&s);
        lift_along_x(&s);
        lift_along_y(&s);
    }
    wp_kernel_end_slices(k);
}
