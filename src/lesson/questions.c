#include "lesson.h"

#include "bands.h"
#include "explain.h"
#include "filters.h"
#include "random.h"
#include "scheme.h"
#include "xmemory.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// The wavelet, and random numbers of a question.
struct generator {
    const struct wp_wavelet *wavelet;
    struct wp_random random;
};

// ---- random choices ----

static int draw(struct generator *generator, int low, int high)
{
    return low + (int)wp_random_below(&generator->random, (size_t)(high - low + 1));
}

static struct wp_scheme *create_scheme(const struct generator *generator,
                                       const struct wp_scheme_kind *kind)
{
    const struct wp_explain_params params = {.wavelet = generator->wavelet};
    if (wp_explain_terms(&params, kind) > WP_EXPLAIN_DRAWN_MAX)
        return NULL;
    return wp_explain_scheme(&params, kind, WP_FORM_SHADER);
}

// A random scheme whose matrices are small enough to read.
static struct wp_scheme *draw_scheme(struct generator *generator)
{
    struct wp_scheme *scheme =
        create_scheme(generator, &wp_scheme_kinds[draw(generator, 0, WP_SCHEME_KINDS - 1)]);
    return scheme ? scheme : create_scheme(generator, &wp_scheme_kinds[WP_SCHEME_SEP_LIFTING]);
}

// "predict step 1".
static void add_step(struct wp_text *out, int step)
{
    wp_text_add(out, "%s step %d", step % 2 ? "update" : "predict", step / 2 + 1);
}

// ---- the questions; false if a wavelet has no such question ----

static bool ask_passes(struct generator *generator, const struct wp_scheme *scheme,
                       struct wp_question *q)
{
    (void)generator;
    wp_text_add(&q->text, "How many passes does one level need with %s?", scheme->kind->name);
    wp_text_add(&q->hint, "%s.", scheme->kind->summary);
    for (int p = 0; p < scheme->pass_count; p++)
        wp_text_add(&q->working, "%s%s", p ? " | " : "", scheme->pass[p].label);
    q->answer = scheme->pass_count;
    return true;
}

static bool ask_barriers(struct generator *generator, const struct wp_scheme *scheme,
                         struct wp_question *q)
{
    const int levels = draw(generator, 2, 5);
    wp_text_add(&q->text, "A barrier separates each pass from the next one, also between levels. "
                "How many barriers do the passes of %d levels need with %s?", levels,
                scheme->kind->name);
    wp_text_add(&q->hint, "Count the passes first; there is one barrier fewer.");
    wp_text_add(&q->working, "%d*%d - 1", levels, scheme->pass_count);
    q->answer = levels * scheme->pass_count - 1;
    return true;
}

static bool ask_operations(struct generator *generator, const struct wp_scheme *scheme,
                           struct wp_question *q)
{
    (void)generator;
    wp_text_add(&q->text, "How many operations per quad does one level need with %s, optimized for "
                "shaders?", scheme->kind->name);
    wp_text_add(&q->hint, "An operation is a multiply-add: a term of a matrix, except a 1 on its "
                "diagonal, or a statement of a constant step.");
    for (int p = 0; p < scheme->pass_count && scheme->pass_count > 1; p++)
        wp_text_add(&q->working, "%s%d", p ? " + " : "", wp_pass_operations(&scheme->pass[p]));
    q->answer = wp_scheme_operations(scheme);
    return true;
}

static bool ask_fetches(struct generator *generator, const struct wp_scheme *scheme,
                        struct wp_question *q)
{
    const int p = draw(generator, 0, scheme->pass_count - 1);
    const struct wp_reach *reach = &scheme->pass[p].reach;
    wp_text_add(&q->text, "How many quads does pass %d of %d of %s fetch to compute one quad, "
                "including that quad?", p + 1, scheme->pass_count, scheme->kind->name);
    wp_text_add(&q->hint, "The pass fetches each position in the entries of its matrix once.");
    wp_text_add(&q->working, "They are in columns %d to %d and rows %d to %d relative to the quad.",
                reach->low[WP_X], reach->high[WP_X], reach->low[WP_Y], reach->high[WP_Y]);
    q->answer = reach->fetches;
    return true;
}

static bool ask_bytes(struct generator *generator, const struct wp_scheme *scheme,
                      struct wp_question *q)
{
    (void)generator;
    const int fetches = wp_scheme_fetches(scheme);
    wp_text_add(&q->text, "A sample has 4 bytes. How many bytes per pixel does one level with %s "
                "read and write, without caches?", scheme->kind->name);
    wp_text_add(&q->hint, "A quad has four pixels. To write one quad, a pass fetches one or more "
                "quads.");
    wp_text_add(&q->working, "4*(%d + %d)", fetches, scheme->pass_count);
    q->answer = 4 * (fetches + scheme->pass_count);
    return true;
}

// Finds term `number`, not counting ones on the diagonal. NULL at the end.
static const struct wp_term *find_term(const struct wp_matrix *core, int number, int *row,
                                       int *column)
{
    for (*row = 0; *row < core->components; ++*row) {
        for (*column = 0; *column < core->components; ++*column) {
            const struct wp_poly *entry = &core->at[*row][*column];
            for (int t = 0; t < entry->count; t++)
                if ((*row != *column || !wp_term_is_local(&entry->term[t])) && number-- == 0)
                    return &entry->term[t];
        }
    }
    return NULL;
}

static bool ask_entry(struct generator *generator, const struct wp_scheme *scheme,
                      struct wp_question *q)
{
    const int p = draw(generator, 0, scheme->pass_count - 1);
    const struct wp_matrix *core = &scheme->pass[p].core;
    int terms = 0, row, column;
    while (find_term(core, terms, &row, &column))
        terms++;
    const struct wp_term *term =
        terms ? find_term(core, draw(generator, 0, terms - 1), &row, &column) : NULL;
    if (term) {
        wp_text_add(&q->text, "In pass %d of %d of %s, which factor multiplies %s of the quad at (",
                    p + 1, scheme->pass_count, scheme->kind->name,
                    wp_explain_component(column, 2));
        for (int a = 0; a < 2; a++)
            wp_text_add(&q->text, term->at[a] ? "%s%+d" : "%s%d", a ? "," : "", term->at[a]);
        wp_text_add(&q->text, ") before it is added to %s?", wp_explain_component(row, 2));
        wp_text_add(&q->hint, "It is in row %s and column %s of the matrix of the pass, multiplied "
                    "out, without the constant steps after the matrix. (0,0) is the quad itself, "
                    "(+1,0) the quad to its right.",
                    wp_explain_component(row, 2), wp_explain_component(column, 2));
        wp_text_add(&q->working, "%s", scheme->pass[p].label);
        q->answer = term->c;
    }
    return term;
}

// The first step from `first` on that has taps; the number of steps if there is none.
static int next_step(const struct wp_lifting *lifting, int first)
{
    while (first < lifting->steps && lifting->step[first].filter.count == 0)
        first++;
    return first;
}

static struct wp_lifting make_lifting(const struct wp_wavelet *wavelet)
{
    const bool periodic = wavelet->symmetry == WP_SYMMETRY_NONE;
    return wp_lifting_make(wavelet, WP_FORWARD, WP_NORM_JPEG2000,
                           periodic ? WP_BORDER_PERIODIC : WP_BORDER_SYMMETRIC);
}

static bool ask_coefficient(struct generator *generator, struct wp_question *q)
{
    const int steps = 2 * generator->wavelet->pairs;
    int s = draw(generator, 0, steps - 1);
    while (s < steps && wp_wavelet_step(generator->wavelet, s)->count == 0)
        s++;
    if (s == steps)
        return false;
    const struct wp_filter *filter = wp_wavelet_step(generator->wavelet, s);
    const struct wp_tap *tap = &filter->tap[draw(generator, 0, filter->count - 1)];
    const bool predict = s % 2 == 0;
    wp_text_add(&q->text, "Which factor multiplies %s[n", predict ? "even" : "odd");
    wp_text_add(&q->text, tap->k ? "%+d] in " : "] in ", tap->k);
    add_step(&q->text, s);
    wp_text_add(&q->text, "?");
    wp_text_add(&q->hint, predict
                    ? "A predict step adds to odd[n] -1 times its prediction from even neighbors."
                    : "An update step adds a share of the details to even[n], to keep its mean.");
    q->answer = tap->c;
    return true;
}

enum { SIGNAL = 8 };

// Runs a step, and adds the sum of sample number `traced` in numbers.
static void run_step(const struct wp_lifting *lifting, int s, double signal[SIGNAL], int traced,
                     struct wp_text *working)
{
    const struct wp_lifting_step *step = &lifting->step[s];
    for (int i = step->odd; i < SIGNAL; i += 2) {
        double sum = signal[i];
        if (i == traced)
            wp_text_add_short(working, sum, 7);
        for (int t = 0; t < step->filter.count; t++) {
            const struct wp_tap *tap = &step->filter.tap[t];
            const double x = signal[wp_extend(lifting->extension,
                                              2 * (i / 2 + tap->k) + !step->odd, SIGNAL)];
            sum += tap->c * x;
            if (i != traced)
                continue;
            wp_text_add(working, tap->c < 0 ? " - " : " + ");
            wp_text_add_short(working, fabs(tap->c), 7);
            wp_text_add(working, x < 0 ? "*(" : "*");
            wp_text_add_short(working, x, 7);
            wp_text_add(working, x < 0 ? ")" : "");
        }
        signal[i] = sum;
    }
}

static void add_signal(struct wp_text *out, const double signal[SIGNAL])
{
    for (int i = 0; i < SIGNAL; i++) {
        wp_text_add(out, i ? ", " : "");
        wp_text_add_short(out, signal[i], 7);
    }
}

// Asks for a sample of a small signal after one or two steps.
static bool ask_signal(struct generator *generator, bool second, struct wp_question *q)
{
    const struct wp_lifting lifting = make_lifting(generator->wavelet);
    const int first = next_step(&lifting, 0), next = next_step(&lifting, first + 1);
    const int last = second ? next : first;
    double signal[SIGNAL];
    for (int i = 0; i < SIGNAL; i++)
        signal[i] = draw(generator, 0, 9);
    const int position =
        2 * draw(generator, 0, SIGNAL / 2 - 1) + (lifting.step[first].odd == !second);
    if (last >= lifting.steps)
        return false;
    wp_text_add(&q->text, "The signal x[0] to x[%d] is ", SIGNAL - 1);
    add_signal(&q->text, signal);
    if (generator->wavelet->symmetry == WP_SYMMETRY_WHOLE)
        wp_text_add(&q->text, ", mirrored about its first and last sample");
    else if (generator->wavelet->symmetry == WP_SYMMETRY_NONE)
        wp_text_add(&q->text, ", continued periodically");
    wp_text_add(&q->text, ". What is x[%d] after ", position);
    add_step(&q->text, first);
    if (second) {
        wp_text_add(&q->text, " and ");
        add_step(&q->text, next);
        run_step(&lifting, first, signal, -1, NULL);
    }
    wp_text_add(&q->text, ", without scaling?");
    wp_text_add(&q->hint, "%s", second ? "Apply the first step to the samples that the second "
                                         "one reads. "
                                       : "");
    wp_text_add(&q->hint, "even[n] is x[2n], odd[n] is x[2n+1]; a predict step changes odd "
                "samples, an update step changes even samples.");
    if (second) {
        wp_text_add(&q->working, "After the first step the signal is ");
        add_signal(&q->working, signal);
        wp_text_add(&q->working, "; ");
    }
    wp_text_add(&q->working, "x[%d] = ", position);
    run_step(&lifting, last, signal, position, &q->working);
    q->answer = signal[position];
    return true;
}

static bool ask_first_step(struct generator *generator, struct wp_question *q)
{
    return ask_signal(generator, false, q);
}

static bool ask_second_step(struct generator *generator, struct wp_question *q)
{
    return ask_signal(generator, true, q);
}

static bool ask_flat(struct generator *generator, struct wp_question *q)
{
    static const enum wp_norm norms[] = {WP_NORM_JPEG2000, WP_NORM_ORTHONORMAL};
    const int value = draw(generator, 2, 9), levels = draw(generator, 1, 3);
    const enum wp_norm norm = norms[draw(generator, 0, 1)];
    const double gain = wp_norm_gain(generator->wavelet, norm, WP_AXIS_BOTH, 0);
    wp_text_add(&q->text, "All pixels of an image are %d. What are the coefficients of LL%d with "
                "%s normalization?", value, levels, wp_norm_names[norm]);
    wp_text_add(&q->hint, "The low-pass gain at DC along each axis of each level is 1 with "
                "jpeg2000 normalization and the square root of 2 with orthonormal normalization.");
    wp_text_add(&q->working, "%d", value);
    for (int l = 0; l < levels; l++) {
        wp_text_add(&q->working, "*");
        wp_text_add_short(&q->working, gain, 7);
    }
    q->answer = value * pow(gain, levels);
    return true;
}

static bool ask_raw_gain(struct generator *generator, struct wp_question *q)
{
    const struct wp_lifting lifting = make_lifting(generator->wavelet);
    double even = 1, odd = 1;
    wp_text_add(&q->text, "All samples of a signal are 1. What are its even samples after all "
                "lifting steps, without scaling?");
    wp_text_add(&q->hint, "All even samples stay equal, and so do all odd samples. A step "
                "multiplies the value of the other samples by the sum of its coefficients and adds "
                "it.");
    for (int s = 0; s < lifting.steps; s++) {
        const struct wp_lifting_step *step = &lifting.step[s];
        double sum = 0;
        for (int t = 0; t < step->filter.count; t++)
            sum += step->filter.tap[t].c;
        *(step->odd ? &odd : &even) += sum * (step->odd ? even : odd);
        if (step->filter.count == 0)
            continue;
        wp_text_add(&q->working, "%s", q->working.length ? "; " : "");
        add_step(&q->working, s);
        wp_text_add(&q->working, ": %s samples are ", step->odd ? "odd" : "even");
        // The remainder of a zero is rounding.
        const double left = step->odd ? odd : even;
        wp_text_add_short(&q->working, fabs(left) < 1e-9 ? 0 : left, 7);
    }
    q->answer = even;
    return true;
}

static bool ask_band(struct generator *generator, struct wp_question *q)
{
    const int size[WP_DIMS_MAX] = {draw(generator, 33, 99), draw(generator, 33, 99), 1};
    const int level = draw(generator, 1, 3), axis = draw(generator, 0, 1);
    const enum wp_band band = (enum wp_band)draw(generator, WP_BAND_HL, WP_BAND_HH);
    const struct wp_band_grid grid = wp_band_grid(size, (const int[]){level, level, 0},
                                                  (unsigned)band, WP_LAYOUT_MALLAT);
    wp_text_add(&q->text, "An image has %d columns and %d rows. How many %s does its subband %s%d "
                "have?",
                size[WP_X], size[WP_Y], axis ? "rows" : "columns", wp_band_names[band], level);
    wp_text_add(&q->hint, "For n samples along an axis, the low band has n/2 rounded up and the "
                "high band n/2 rounded down. The first letter is for x, the second for y.");
    wp_text_add(&q->working, "%d", size[axis]);
    for (int l = 1; l <= level; l++)
        wp_text_add(&q->working, ", then %d",
                    l < level ? wp_level_size(size[axis], l) : grid.size[axis]);
    q->answer = grid.size[axis];
    return true;
}

static const char *const filter_names[WP_FILTER_KINDS] = {
    [WP_ANALYSIS_LOW] = "analysis low-pass",
    [WP_ANALYSIS_HIGH] = "analysis high-pass",
    [WP_SYNTHESIS_LOW] = "synthesis low-pass",
    [WP_SYNTHESIS_HIGH] = "synthesis high-pass",
};

// The length of a filter, including zeros between its ends.
static int length_of(const struct wp_wavelet *wavelet, enum wp_filter_kind kind)
{
    const struct wp_taps taps = wp_filters_taps(wavelet, kind);
    free(taps.tap);
    return taps.last - taps.first + 1;
}

static bool ask_length(struct generator *generator, struct wp_question *q)
{
    const enum wp_filter_kind kind = (enum wp_filter_kind)draw(generator, 0, WP_FILTER_KINDS - 1);
    wp_text_add(&q->text, "How long is the %s filter, from its first to its last tap?",
                filter_names[kind]);
    wp_text_add(&q->hint, "Every predict and update step extends the filters by its support; the "
                "plots of the filters show the result.");
    q->answer = length_of(generator->wavelet, kind);
    return true;
}

static bool ask_footprint(struct generator *generator, struct wp_question *q)
{
    const enum wp_band band = (enum wp_band)draw(generator, WP_BAND_LL, WP_BAND_HH);
    int length[2];
    for (int a = 0; a < 2; a++)
        length[a] =
            length_of(generator->wavelet, band >> a & 1 ? WP_ANALYSIS_HIGH : WP_ANALYSIS_LOW);
    wp_text_add(&q->text, "How many pixels does the smallest rectangle have that contains all "
                "pixels on which a coefficient of %s1 depends, far from the edges?",
                wp_band_names[band]);
    wp_text_add(&q->hint, "Its width is the length of the filter along x, its height that of the "
                "filter along y.");
    wp_text_add(&q->working, "%d*%d", length[WP_X], length[WP_Y]);
    q->answer = length[WP_X] * length[WP_Y];
    return true;
}

static bool ask_moments(struct generator *generator, struct wp_question *q)
{
    const struct wp_taps high = wp_filters_taps(generator->wavelet, WP_ANALYSIS_HIGH);
    wp_text_add(&q->text, "How many vanishing moments does the analysis high-pass filter have?");
    wp_text_add(&q->hint, "Count the powers 1, t, t^2, … of t whose details are all 0, up to the "
                "first whose details are not.");
    q->answer = wp_filters_moments(&high);
    free(high.tap);
    return true;
}

// A question on the wavelet, or on a random scheme.
static const struct {
    bool (*ask)(struct generator *generator, struct wp_question *question);
    bool (*ask_of)(struct generator *generator, const struct wp_scheme *scheme,
                   struct wp_question *question);
    bool is_integer; // the answer
} kinds[] = {
    {.ask = ask_coefficient},
    {.ask = ask_first_step},
    {.ask = ask_second_step},
    {.ask = ask_raw_gain},
    {.ask = ask_flat},
    {.ask = ask_length, .is_integer = true},
    {.ask = ask_moments, .is_integer = true},
    {.ask = ask_footprint, .is_integer = true},
    {.ask = ask_band, .is_integer = true},
    {.ask_of = ask_passes, .is_integer = true},
    {.ask_of = ask_barriers, .is_integer = true},
    {.ask_of = ask_operations, .is_integer = true},
    {.ask_of = ask_fetches, .is_integer = true},
    {.ask_of = ask_entry},
    {.ask_of = ask_bytes, .is_integer = true},
};
enum { KINDS = sizeof kinds / sizeof *kinds, MAX_KINDS = 64 };
_Static_assert(KINDS <= (int)MAX_KINDS, "kinds have the same seeds");

static bool ask(int kind, struct generator *generator, struct wp_question *question)
{
    struct wp_scheme *scheme = kinds[kind].ask_of ? draw_scheme(generator) : NULL;
    const bool ok = kinds[kind].ask ? kinds[kind].ask(generator, question)
                                    : scheme && kinds[kind].ask_of(generator, scheme, question);
    wp_scheme_destroy(&scheme);
    question->is_integer = kinds[kind].is_integer;
    return ok;
}

static void clear_question(struct wp_question *question)
{
    wp_text_free(&question->text);
    wp_text_free(&question->hint);
    wp_text_free(&question->working);
}

struct wp_questions *wp_questions_create(const struct wp_wavelet *wavelet,
                                         unsigned long long seed)
{
    struct wp_questions *questions = wp_xcalloc(1, sizeof *questions);
    questions->question = wp_xcalloc(KINDS, sizeof *questions->question);
    // Each kind has its own random numbers, so that a new kind at the end changes no other.
    for (unsigned long long k = 0; k < KINDS; k++) {
        struct generator generator = {wavelet, wp_random_of(seed * MAX_KINDS + k)};
        struct wp_question *question = &questions->question[questions->count];
        if (ask((int)k, &generator, question))
            questions->count++;
        else
            clear_question(question);
    }
    return questions;
}

void wp_questions_destroy(struct wp_questions **questions)
{
    if (!*questions)
        return;
    for (int i = 0; i < (*questions)->count; i++)
        clear_question(&(*questions)->question[i]);
    free((*questions)->question);
    free(*questions);
    *questions = NULL;
}

// ---- answers ----

void wp_question_solution(const struct wp_question *question, struct wp_text *out)
{
    wp_text_add_short(out, question->answer, 7);
}

// Characters in answers and their meaning.
static const struct {
    const char *written, *meant;
} signs[] = {{" ", ""},           {"\u00a0", ""},     {"\u202f", ""}, {",", "."},
             {"\u2212", "-"},     {"\u2013", "-"},    {"\u00b7", "*"}, {"\u00d7", "*"},
             {"\u221a", "sqrt"}, {"\u00bd", "(1/2)"}, {"\u00bc", "(1/4)"}};

// Adds parentheses to a root without: sqrt2.
static const char *add_root(const char *from, struct wp_text *out)
{
    const size_t digits = strspn(from, "0123456789.");
    wp_text_add(out, digits ? "(%.*s)" : "%.*s", (int)digits, from);
    return from + digits;
}

static void replace_signs(const char *from, struct wp_text *out)
{
    while (*from) {
        size_t i = 0;
        while (i < sizeof signs / sizeof *signs &&
               strncmp(from, signs[i].written, strlen(signs[i].written)) != 0)
            i++;
        if (i == sizeof signs / sizeof *signs) {
            wp_text_add(out, "%c", *from++);
        } else {
            wp_text_add(out, "%s", signs[i].meant);
            from += strlen(signs[i].written);
        }
        if (out->length >= 4 && strcmp(out->data + out->length - 4, "sqrt") == 0)
            from = add_root(from, out);
    }
}

const char *wp_question_check(const struct wp_question *question, const char *written,
                              bool *is_correct)
{
    enum { MAX_LENGTH = 200 };
    // Three digits mean an error of at most 0.5 %.
    const double size = fabs(question->answer);
    const double tolerance = question->is_integer ? 1e-6 : fmax(1e-6, 0.005 * size);
    struct wp_text text = {0};
    double value = NAN;
    *is_correct = false;
    if (strlen(written) > MAX_LENGTH)
        return "the number is too long";
    replace_signs(written, &text);
    const char *problem = text.length ? wp_wavelet_evaluate(wp_text_get(&text), &value)
                                      : "a number is expected";
    wp_text_free(&text);
    if (!problem)
        *is_correct = fabs(value - question->answer) <= tolerance;
    return problem;
}
