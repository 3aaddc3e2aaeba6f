// `explain --pixel`: the arithmetic of every pass for one pixel, with numbers.
#ifndef WP_REPORT_PIXEL_H
#define WP_REPORT_PIXEL_H

#include "report_run.h"

struct json_t;

// Runs the passes in double precision and follows the place x, y (and z of a volume): forward to
// the coefficient that the in-place transform leaves there (layout mixed), in the inverse to that
// pixel. Only what that value needs of its own quad or octet is computed. The object:
//   scheme, direction, pixel [x, y], unit: values are shown times this (255 for 8-bit images)
//   stages: name, label, quad [x, y] or octet [x, y, z], beyond (true where what lies beyond the
//     edge is read), lines:
//     component "g"; name "" (a row of the matrix), "S^H_U0(1)" or "scaling"; formula in
//     components; expression in numbers; question, the same with letters for the quad's own
//     components; value
//   result: name "HL1(6,3)", meaning, value, exact (not rounded, not times the unit)
// What is shown is rounded where float32 ends.
// NULL after WP_ERROR_USAGE (outside the image) or WP_ERROR_TOO_LARGE.
struct json_t *wp_report_pixel(const struct wp_description *description,
                               const struct wp_image *image, const int place[WP_DIMS_MAX]);

// Adds what to know for reading it: the unit, and how neighbours are written.
void wp_report_pixel_legend(const struct json_t *work, struct wp_text *out);

// Adds it for people; with `blanks` for those who are to find the values.
void wp_report_pixel_print(const struct json_t *work, bool blanks, struct wp_text *out);

// Two schemes' results and their difference.
void wp_report_pixel_compare(const struct json_t *a, const struct json_t *b, struct wp_text *out);

#endif
