// Compiles the streaming through slices of a volume, which are lifted along z in registers.
#include "kernel.h"

#include "min_max.h"

// When a slice of a parity arrives: how many slices ago the newest value of a state is.
static int newest(const struct wp_chain_state *state, int parity)
{
    return state->delay + ((parity + state->delay + state->odd) & 1);
}

// The parity of the slices that yield values of a state.
static int parity_of(const struct wp_chain_state *state)
{
    return (state->delay + state->odd) & 1;
}

// The number of stored values of a state after a slice of a parity was processed.
static int count_stored(const struct wp_chain_state *state, int parity)
{
    const int before = state->life - 1 - newest(state, parity);
    return before < 0 ? 0 : before / 2 + 1;
}

int wp_chain_names(const struct wp_chain_state *state)
{
    return state->life < state->delay ? 1 : (state->life - state->delay) / 2 + 1;
}

// The index of the value of a state that is `before` slices old, counted from the newest value.
static int age_of(const struct wp_chain_state *state, int parity, int before)
{
    return (before - newest(state, parity)) / 2;
}

// The position that a tap reads, in slices before the one that yields the result of a step.
static int tap_before(const struct wp_chain_state *state, const struct wp_tap *tap)
{
    return state->delay - 2 * tap->k - (state->odd ? -1 : 1);
}

static void read(struct wp_chain_state *state, int before)
{
    state->life = wp_max(state->life, before);
}

static void add_state(struct wp_chain *chain, const struct wp_lifting_step *step)
{
    struct wp_chain_state *state = &chain->state[chain->count];
    *state = (struct wp_chain_state){
        .odd = step->odd,
        .step = step,
        .base = chain->final[step->odd],
        .other = chain->final[!step->odd],
    };
    struct wp_chain_state *base = &chain->state[state->base], *other = &chain->state[state->other];
    const int offset = step->odd ? -1 : 1; // of the other sample of a pair
    state->delay = wp_max(base->delay, other->delay + 2 * step->high + offset);
    state->first = wp_min(base->first, other->first + 2 * step->low + offset);
    read(base, state->delay);
    for (int t = 0; t < step->filter.count; t++)
        read(other, tap_before(state, &step->filter.tap[t]));
    chain->final[step->odd] = chain->count++;
}

static struct wp_chain make_chain(const struct wp_lifting *lifting)
{
    struct wp_chain chain = {
        .count = 2,
        .state = {{.odd = false}, {.odd = true}},
        .final = {0, 1},
        .forward = lifting->direction == WP_FORWARD,
    };
    for (int s = 0; s < lifting->steps; s++)
        if (lifting->step[s].filter.count > 0)
            add_state(&chain, &lifting->step[s]);
    const struct wp_chain_state *even = &chain.state[chain.final[0]];
    const struct wp_chain_state *odd = &chain.state[chain.final[1]];
    chain.lead = -wp_min(even->first, 1 + odd->first);
    chain.late[0] = wp_max(odd->delay, even->delay - 1);
    chain.late[1] = wp_max(even->delay, odd->delay - 1);
    return chain;
}

struct wp_lines_reach wp_lines_reach(const struct wp_lifting *lifting)
{
    const struct wp_chain chain = make_chain(lifting);
    int stored[2] = {0, 0};
    for (int s = 0; s < chain.count; s++)
        for (int parity = 0; parity < 2; parity++)
            stored[parity] += count_stored(&chain.state[s], parity);
    return (struct wp_lines_reach){
        .before = chain.lead,
        .after = wp_max(chain.late[0], chain.late[1]),
        .stored = wp_max(stored[0], stored[1]),
    };
}

void wp_kernel_begin_slices(struct wp_kernel *k, const struct wp_lifting *lifting, int top,
                            int rows)
{
    k->chain = make_chain(lifting);
    k->chain.top = top;
    k->chain.rows = rows;
    wp_kernel_add(k, WP_SLICES);
}

static struct wp_value value_of(int state, int row, int age)
{
    return (struct wp_value){.at = {0, row}, .layer = age, .step = state};
}

void wp_kernel_arrive(struct wp_kernel *k, int parity, int row)
{
    if (row == k->chain.top)
        wp_kernel_add(k, WP_PARITY)->index = parity;
    wp_kernel_add(k, WP_ARRIVE)->value = value_of(parity, row, 0);
}

static void add_lift(struct wp_kernel *k, int number, int row)
{
    const struct wp_chain *chain = &k->chain;
    const struct wp_chain_state *state = &chain->state[number];
    const struct wp_chain_state *base = &chain->state[state->base];
    const struct wp_chain_state *other = &chain->state[state->other];
    const int parity = parity_of(state);
    wp_kernel_add(k, WP_LIFT)->value = value_of(number, row, 0);
    wp_kernel_add_operand(k, 1, value_of(state->base, row, age_of(base, parity, state->delay)));
    for (int t = 0; t < state->step->filter.count; t++) {
        const struct wp_tap *tap = &state->step->filter.tap[t];
        const int age = age_of(other, parity, tap_before(state, tap));
        wp_kernel_add_operand(k, tap->c, value_of(state->other, row, age));
    }
    // One value per two slices.
    k->counts.operations += WP_COMPONENTS * state->step->filter.count / 2;
}

static void add_results(struct wp_kernel *k, int number)
{
    const struct wp_chain *chain = &k->chain;
    wp_kernel_add(k, WP_RESULT)->index = chain->state[number].delay;
    for (int row = chain->top; row < chain->top + chain->rows; row++) {
        struct wp_instruction *store = wp_kernel_add(k, WP_STORE);
        store->value.at[1] = row;
        store->scaled = chain->forward;
        wp_kernel_add_operand(k, 1, value_of(number, row, 0));
    }
    wp_kernel_add(k, WP_END);
}

void wp_kernel_lift(struct wp_kernel *k, int parity)
{
    const struct wp_chain *chain = &k->chain;
    for (int row = chain->top; row < chain->top + chain->rows; row++)
        for (int s = 2; s < chain->count; s++)
            if (parity_of(&chain->state[s]) == parity)
                add_lift(k, s, row);
    for (int i = 0; i < 2; i++)
        if (parity_of(&chain->state[chain->final[i]]) == parity)
            add_results(k, chain->final[i]);
    wp_kernel_add(k, WP_END);
}

void wp_kernel_end_slices(struct wp_kernel *k)
{
    wp_kernel_add(k, WP_END);
}

// Four adjacent samples take the role of a quad.
void wp_kernel_of_lines(const struct wp_lifting *lifting, struct wp_kernel *k)
{
    const struct wp_value loaded = {.step = WP_LOADED};
    *k = (struct wp_kernel){.shape = WP_SHAPE_LINES};
    wp_kernel_begin_slices(k, lifting, 0, 1);
    wp_kernel_add(k, WP_LOAD)->scaled = lifting->direction == WP_INVERSE;
    wp_kernel_add_operand(k, 1, loaded);
    for (int parity = 0; parity < 2; parity++) {
        wp_kernel_arrive(k, parity, 0);
        for (int c = 0; c < WP_COMPONENTS; c++)
            wp_kernel_add_operand(k, 1, (struct wp_value){.component = c, .step = WP_LOADED});
        wp_kernel_lift(k, parity);
    }
    wp_kernel_end_slices(k);
}

// ---- strips ----

// Compiles the streaming down a strip of columns: rows arrive one by one and are lifted along x
// without loops, and then along y as slices of a volume along z.

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
static struct wp_value strip_value(const struct strip *s, int before, int sample)
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
    i->value = strip_value(s, 0, first);
    i->index = last;
    for (int c = 0; c < s->texel; c++)
        wp_kernel_add_operand(s->kernel, 1, strip_value(s, 0, mirror(s, first + c * stride, last)));
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
    wp_kernel_add(s->kernel, WP_SUM)->value = strip_value(s, number + 1, sample);
    wp_kernel_add_operand(s->kernel, 1, strip_value(s, number, sample));
    for (int t = 0; t < step->filter.count; t++) {
        const struct wp_tap *tap = &step->filter.tap[t];
        wp_kernel_add_operand(s->kernel, tap->c,
                              strip_value(s, number, 2 * (n + tap->k) + !step->odd));
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
                k, 1, strip_value(s, s->lifting->steps, sample_at(s, WP_COMPONENTS * four + c)));
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
    const int left = wp_divide_up(lifting->before * pair, s.texel);
    *k = (struct wp_kernel){
        .shape = WP_SHAPE_STRIP,
        .strip = *strip,
        .loads_bands = bands,
        .load_first = {-left},
        .load_size = {left + wp_divide_up(samples + lifting->after * pair, s.texel)},
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
