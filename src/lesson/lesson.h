// What lessons show: intermediate results, the arithmetic of a sample, and questions.
#ifndef WP_LESSON_H
#define WP_LESSON_H

#include "description.h"
#include "image.h"
#include "scheme.h"
#include "text.h"
#include "wavelet.h"

// One product c * value. `at` is the offset of the component's quad or octet from the one that is
// computed.
struct wp_trace_term {
    double c;
    int component;
    int at[WP_DIMS_MAX];
    double value;
};

// ---- a transform in double precision, with the values between its passes ----

// The values between two passes: quads or octets.
struct wp_lesson_state {
    enum wp_lesson_step {
        WP_LESSON_INPUT,  // loaded
        WP_LESSON_PASS,   // the result of a pass
        WP_LESSON_GATHER, // the low-pass results of a level, regrouped for the next level
        WP_LESSON_SPREAD, // the same for the inverse
    } step;
    int level, pass;                // from 1; from 0
    const struct wp_scheme *scheme; // of the level
    int size[WP_DIMS_MAX];          // samples of the level, before it, or for the inverse after it
    unsigned axes;                  // axes that the level transforms; along other axes octets have
                                    // one sample, and odd components are not meaningful
    int low[WP_DIMS_MAX], extent[WP_DIMS_MAX]; // the domain, in quads or octets: number k has
                                               // coefficient k of each band
    int components;                 // per quad or octet: 4 or 8
    int dilation;                   // redundant banks: the distance of the pass's taps, and the
    enum wp_extension extension;    // extension of its input; groups are the bands of a sample.
                                    // Else 0
    const float *values;            // components interleaved, x fastest; valid during the callback
    double seconds;                 // wall-clock time of the step
};

// Gets a component of the quad or octet `at`, which must be in the domain.
double wp_lesson_value(const struct wp_lesson_state *state, int component,
                       const int at[WP_DIMS_MAX]);

// The callback. False ends the run.
typedef bool (*wp_lesson_watch)(void *user, const struct wp_lesson_state *state);

// The path of a sample through the levels: its quad or octet and component at each level. Levels
// are connected by the low band. Level 0 has the sample itself.
struct wp_lesson_path {
    int levels; // forward: the level of the coefficient; inverse: all levels
    int at[WP_MAX_LEVELS + 1][WP_DIMS_MAX];
    int component[WP_MAX_LEVELS + 1];
};

// Finds the path of a sample (inverse) or of a coefficient (forward). `position` of a coefficient
// is that in the in-place transform (layout mixed), or in the array of coefficients if there are
// more coefficients than samples, because of the border or the bank. If a coefficient depends on an
// extended sample, its path continues with the sample that has the largest weight in it. False after
// WP_ERROR_USAGE if there is no such sample or coefficient.
bool wp_lesson_path_find(const struct wp_description *description, const int position[WP_DIMS_MAX],
                         struct wp_lesson_path *path);

// Likewise of a component of quad or octet `at` of a level, forward after it, inverse before it.
// False after WP_ERROR_USAGE if it has no coefficient or no sample there, since it is beyond the
// edge.
bool wp_lesson_path_of(const struct wp_description *description, int level,
                       const int at[WP_DIMS_MAX], int component, struct wp_lesson_path *path);

// Runs all passes on the image's first plane, of the size of the samples or the coefficients, and
// calls `watch` after loading and after each step. For volumes and redundant banks with a path, only
// values on which it depends are computed; NULL: all values. Supports no packets, and no adjoints of
// redundant banks. False if `watch` returned false, after WP_ERROR_USAGE if
// image and levels do not match, or if memory is exhausted.
bool wp_lesson_run(const struct wp_description *description, const struct wp_image *image,
                   const struct wp_lesson_path *path, wp_lesson_watch watch, void *user);

// Adds the name of a state: "level 2, pass 1 of 4", "input".
void wp_lesson_state_name(struct wp_text *out, const struct wp_lesson_state *state);

// ---- the arithmetic of one sample or coefficient, pass by pass, with numbers ----

// The computation of a component as a sum of products, or a loaded value.
struct wp_trace_line {
    int component;
    struct wp_text name;   // "" (a row of the pass's matrix), "S^H_U0(1)", "scaling"
    struct wp_text origin; // "pixel(3,4)" for a loaded value; else ""
    int terms;             // 0 for a loaded value
    struct wp_trace_term *term;
    double value;
};

struct wp_trace_step {
    struct wp_text name;  // "level 1, pass 2 of 4"
    int at[WP_DIMS_MAX];  // the quad or octet
    struct wp_text label; // of a pass: "S^H_U(1)"; else ""
    bool beyond;          // reads samples outside the image
    int lines;            // 0: the sample does not change
    struct wp_trace_line *line;
};

struct wp_trace {
    int dims;
    enum wp_bank bank;
    enum wp_direction direction;
    int position[WP_DIMS_MAX];
    int origin[WP_DIMS_MAX]; // the sample of component 0 of quad or octet 0
    char scheme[96]; // its name
    double unit;     // factor of printed values: 255 for 8-bit images
    double quantum;  // printed values are rounded to multiples of this, the precision of float32
    int steps;
    struct wp_trace_step *step;
    struct wp_text name, meaning; // of the result: "HL1(6,3)" and a description
    double value;                 // the result
};

// Runs the passes in double precision and traces the sample at x, y (and z for volumes): forward to
// the coefficient at that position (wp_lesson_path_find()), inverse to that pixel. Only values of
// its own quad or octet that it depends on are recorded. With `steps` > 0 the trace ends after that
// many steps, the first of which is loading, with the component at that position. For the inverse
// `image` has coefficients (layout mallat). NULL after WP_ERROR_USAGE (outside the image) or
// WP_ERROR_TOO_LARGE.
struct wp_trace *wp_trace_create(const struct wp_description *description,
                               const struct wp_image *image, const int position[WP_DIMS_MAX],
                               int steps);
struct wp_trace *wp_trace_follow(const struct wp_description *description,
                                 const struct wp_image *image, const struct wp_lesson_path *path,
                                 int steps);
void wp_trace_destroy(struct wp_trace **trace); // accepts NULL, sets it to NULL

// The name of a component: "oe" of a quad, or of a redundant bank "HL", "W".
const char *wp_trace_component(const struct wp_trace *trace, int component);

// A value as printed: multiplied by the unit and rounded.
double wp_trace_shown(const struct wp_trace *trace, double value);

// ---- text ----

// Adds the right-hand side of a line: "ee - 0.5 oe(-1,0)", "104 - 0.5*98", or the latter with names
// for components of the quad itself, as an exercise.
enum wp_trace_part { WP_TRACE_FORMULA, WP_TRACE_NUMBERS, WP_TRACE_QUESTION };
void wp_trace_expression(const struct wp_trace *trace, const struct wp_trace_line *line,
                  enum wp_trace_part part, struct wp_text *out);

// Adds a value as printed, or "not finite".
void wp_trace_value(const struct wp_trace *trace, double value, struct wp_text *out);

// Adds an explanation of units and names.
void wp_trace_legend(const struct wp_trace *trace, struct wp_text *out);

// Adds the complete trace; with `blanks` the values are left blank.
void wp_trace_print(const struct wp_trace *trace, bool blanks, struct wp_text *out);

// Adds the results of two schemes and their difference.
void wp_trace_compare(const struct wp_trace *a, const struct wp_trace *b, struct wp_text *out);

// ---- shift invariance: the details of a pulse and of the same pulse moved by one sample, of the
// decimated and of the undecimated bank, along one axis with periodic borders

enum { WP_SHIFT_SAMPLES = 64, WP_SHIFT_LEVELS = 4, WP_SHIFT_BANKS = 2 };

struct wp_shift {
    int level, edge; // the first sample of the pulse, which has half of all samples
    float pulse[2][WP_SHIFT_SAMPLES];
    struct wp_shift_details {
        int count;
        int at[WP_SHIFT_SAMPLES]; // the sample of each coefficient
        double value[WP_SHIFT_SAMPLES];
        double energy; // sum of squares
    } details[WP_SHIFT_BANKS][2]; // decimated, undecimated; of both pulses
};

// Levels are limited to 1..WP_SHIFT_LEVELS, and edges wrap. False after WP_ERROR_TOO_LARGE.
bool wp_shift_make(const struct wp_wavelet *wavelet, int level, int edge, struct wp_shift *shift);

// Adds an SVG of the four bands beside each other, whose description compares their energies.
void wp_shift_draw(const struct wp_shift *shift, const struct wp_wavelet *wavelet,
                   struct wp_text *out);

// ---- questions of a worksheet on a wavelet and its schemes, with computed answers ----

enum { WP_QUESTION_SEED_MAX = 9999 };

struct wp_question {
    struct wp_text text;    // ends with a question mark
    struct wp_text hint;    // one or two sentences
    struct wp_text working; // the calculation; "" if the answer needs none
    double answer;
    bool is_integer; // otherwise three digits are sufficient
};

struct wp_questions {
    int count;
    struct wp_question *question;
};

// Creates the questions, which are the same for the same wavelet and seed on every machine. They
// are on the forward transform of images. `wavelet` must satisfy wp_wavelet_finish(). NULL after
// WP_ERROR_TOO_LARGE.
struct wp_questions *wp_questions_create(const struct wp_wavelet *wavelet,
                                         unsigned long long seed);
void wp_questions_destroy(struct wp_questions **questions); // accepts NULL, sets it to NULL

// Adds the answer.
void wp_question_solution(const struct wp_question *question, struct wp_text *out);

// Checks an answer. It may be a fraction or another expression (wp_wavelet_evaluate()), with
// blanks, a decimal comma, "−", "·", "×" and "√". Returns NULL, or the reason why it is not a
// number.
const char *wp_question_check(const struct wp_question *question, const char *answer,
                              bool *is_correct);

#endif
