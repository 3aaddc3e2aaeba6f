// The sums behind one sample or coefficient, pass by pass, with numbers: what is added to what.
#ifndef WP_ARITHMETIC_TRACE_H
#define WP_ARITHMETIC_TRACE_H

#include "image.h"
#include "scheme.h"
#include "text.h"

struct wp_description;

// c times a component of a quad or octet, of which `at` tells where it lies from the one that is
// computed, in quads or octets. `value` is the component's, without c.
struct wp_trace_term {
    double c;
    int component;
    int at[WP_DIMS_MAX];
    double value;
};

// A component gets the value of a sum, or in the first stages of what was loaded.
struct wp_trace_line {
    int component;
    struct wp_text name;   // "" (a row of the pass's matrix), "S^H_U0(1)", "scaling"
    struct wp_text origin; // "pixel(3,4)", where it was loaded; "" of a sum
    int terms;             // 0 of what was loaded
    struct wp_trace_term *term;
    double value;
};

struct wp_trace_step {
    struct wp_text name;  // "level 1, pass 2 of 4"
    int at[WP_DIMS_MAX];  // the quad or octet
    struct wp_text label; // of a pass, "S^H_U(1)"; else ""
    bool beyond;          // what lies beyond the edge is read
    int lines;            // 0: the sample stays as it is
    struct wp_trace_line *line;
};

struct wp_trace {
    int dims;
    enum wp_direction direction;
    int place[WP_DIMS_MAX];
    char scheme[96]; // its name
    double unit;     // values are shown times this: 255 for 8-bit images
    double quantum;  // and rounded to multiples of this, where float32 ends
    int stages;
    struct wp_trace_step *step;
    struct wp_text name, meaning; // of the result: "HL1(6,3)" and what that is
    double value;                 // the result's
};

// Runs the passes in double precision and follows the place x, y (and z of a volume): forward to
// the coefficient that the in-place transform leaves there (layout mixed), in the inverse to that
// pixel. Only what that value needs of its own quad or octet is told. With `stages` not 0 it ends
// behind so many, of which what was loaded is the first, with the component that stands there then.
// `image` has coefficients (Mallat) for the inverse. NULL after WP_ERROR_USAGE (outside the image)
// or WP_ERROR_TOO_LARGE.
struct wp_trace *wp_trace_create(const struct wp_description *description,
                               const struct wp_image *image, const int place[WP_DIMS_MAX],
                               int stages);
void wp_trace_destroy(struct wp_trace **trace); // accepts NULL, clears the pointer

// A value as it is shown: times the unit, rounded.
double wp_trace_shown(const struct wp_trace *trace, double value);

// ---- for people ----

// The right side of a line: "ee - 0.5 oe(-1,0)", "104 - 0.5*98", or the latter with the names of
// the quad's own components, so that it is left to be computed.
enum wp_trace_part { WP_TRACE_FORMULA, WP_TRACE_NUMBERS, WP_TRACE_QUESTION };
void wp_trace_expression(const struct wp_trace *trace, const struct wp_trace_line *line,
                  enum wp_trace_part part, struct wp_text *out);

// A value as it is shown, "not finite" where it is not.
void wp_trace_value(const struct wp_trace *trace, double value, struct wp_text *out);

// Adds what to know for reading them: the unit, and how neighbours are written.
void wp_trace_legend(const struct wp_trace *trace, struct wp_text *out);

// Adds all of them; with `blanks` for those who are to find the values.
void wp_trace_print(const struct wp_trace *trace, bool blanks, struct wp_text *out);

// Two schemes' results and their difference.
void wp_trace_compare(const struct wp_trace *a, const struct wp_trace *b, struct wp_text *out);

#endif
