// `explain --pixel`: the arithmetic of every pass for one pixel, with numbers (arithmetic_trace.h).
#ifndef WP_REPORT_PIXEL_H
#define WP_REPORT_PIXEL_H

#include "description.h"
#include "image.h"

struct json_t;
struct wp_trace;

// wp_trace_create() of a place as --pixel has it, where z may be WP_REPORT_NO_Z. NULL after
// WP_ERROR_USAGE (also where that does not go together with the image) or WP_ERROR_TOO_LARGE.
struct wp_trace *wp_report_trace(const struct wp_description *description,
                               const struct wp_image *image, const int place[WP_DIMS_MAX]);

// The object, the caller's:
//   scheme, direction, pixel [x, y], unit: values are shown times this (255 for 8-bit images)
//   stages: name, label, quad [x, y] or octet [x, y, z], beyond (true where what lies beyond the
//     edge is read), lines:
//     component "g"; name "" (a row of the matrix), "S^H_U0(1)" or "scaling"; formula in
//     components; expression in numbers; question, the same with letters for the quad's own
//     components; value
//   result: name "HL1(6,3)", meaning, value, exact (not rounded, not times the unit)
// What is shown is rounded where float32 ends.
struct json_t *wp_report_pixel(const struct wp_description *description,
                               const struct wp_trace *trace);

#endif
