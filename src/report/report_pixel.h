// `explain --pixel`: the arithmetic of each pass for one pixel (arithmetic_trace.h).
#ifndef WP_REPORT_PIXEL_H
#define WP_REPORT_PIXEL_H

#include "description.h"
#include "image.h"

struct json_t;
struct wp_trace;

// wp_trace_create() for the position of --pixel, where z may be WP_REPORT_NO_Z. NULL after
// WP_ERROR_USAGE (also if the position and the image do not have the same dimensions) or
// WP_ERROR_TOO_LARGE.
struct wp_trace *wp_report_trace(const struct wp_description *description,
                               const struct wp_image *image, const int position[WP_DIMS_MAX]);

// Returns a trace as a new reference to an object:
//   scheme, direction, pixel [x, y], unit: factor of displayed values (255 for 8-bit images)
//   stages: name, label, quad [x, y] or octet [x, y, z], beyond (true if samples outside the image
//     are read), lines:
//     component "g"; name "" (a row of the matrix), "S^H_U0(1)" or "scaling"; formula in
//     components; expression in numbers; question, the same with names for the quad's own
//     components; value
//   result: name "HL1(6,3)", meaning, value, exact (not rounded, without the unit)
// Displayed values are rounded to the precision of float32.
struct json_t *wp_report_pixel(const struct wp_description *description,
                               const struct wp_trace *trace);

#endif
