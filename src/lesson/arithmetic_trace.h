// The arithmetic of one sample or coefficient, pass by pass, with numbers.
#ifndef WP_ARITHMETIC_TRACE_H
#define WP_ARITHMETIC_TRACE_H

#include "image.h"
#include "scheme.h"
#include "text.h"

struct wp_description;

// One product c * value. `at` is the offset of the component's quad or octet from the one that is
// computed.
struct wp_trace_term {
    double c;
    int component;
    int at[WP_DIMS_MAX];
    double value;
};

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
    enum wp_direction direction;
    int position[WP_DIMS_MAX];
    char scheme[96]; // its name
    double unit;     // factor of printed values: 255 for 8-bit images
    double quantum;  // printed values are rounded to multiples of this, the precision of float32
    int steps;
    struct wp_trace_step *step;
    struct wp_text name, meaning; // of the result: "HL1(6,3)" and a description
    double value;                 // the result
};

// Runs the passes in double precision and traces the sample at x, y (and z for volumes): forward to
// the coefficient at that position of the layout "mixed", inverse to that pixel. Only values of its
// own quad or octet that it depends on are recorded. With `steps` > 0 the trace ends after that
// many steps, the first of which is loading, with the component at that position. For the inverse
// `image` has coefficients (layout mallat). NULL after WP_ERROR_USAGE (outside the image) or
// WP_ERROR_TOO_LARGE.
struct wp_trace *wp_trace_create(const struct wp_description *description,
                               const struct wp_image *image, const int position[WP_DIMS_MAX],
                               int steps);
void wp_trace_destroy(struct wp_trace **trace); // accepts NULL, sets it to NULL

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

#endif
