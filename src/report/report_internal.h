// Functions shared by the files of this layer.
#ifndef WP_REPORT_INTERNAL_H
#define WP_REPORT_INTERNAL_H

#include "description.h"
#include "explain.h"
#include "image.h"
#include "laurent.h"
#include "lesson.h"
#include "report.h"
#include "scheme.h"
#include "text.h"
#include "wavelet.h"

#include <stdbool.h>

struct json_t;
struct wp_trace;

// ---- pages that are valid XML and HTML, need no other files, and can be printed (html.c) ----

// Adds a complete page. `contents` are list entries (<li>) with links to the sections of `body`.
void wp_html_page(struct wp_text *out, const char *title, const char *contents,
                  const struct wp_text *body);

// Begins a <div> that scrolls if it is wider than the screen; `name` is for screen readers.
void wp_html_begin_wide(struct wp_text *out, const char *name);

// Adds a <th> of a column with a scheme's name, with possible line breaks.
void wp_html_heading_cell(struct wp_text *out, const char *name);

// Adds an element such as "<h2>text</h2>".
void wp_html_element(struct wp_text *out, const char *element, const char *text);

// Adds an image as a PNG in <img>, with alternative text, in a figure with a caption. False after
// an error.
bool wp_html_picture(struct wp_text *out, const struct wp_image *image, const char *alt,
                     const char *caption);

// Adds an SVG of wp_explain(). `number` must differ between the pictures of a page, to make ids
// unique.
void wp_html_svg(struct wp_text *out, const char *svg, int number);

// Adds a label such as "S^H_U1(2) T^H_P(1)" with superscripts and subscripts.
void wp_html_label(struct wp_text *out, const char *label);

// Adds the names of components, and with `convention` the sign convention of powers of z.
void wp_report_notation(const struct wp_explain_params *params, bool convention,
                        struct wp_text *out);

// Adds a pass as HTML. With `blanks` the matrix has empty entries.
void wp_report_algebra(const struct wp_scheme *scheme, const struct wp_pass *pass, bool blanks,
                       struct wp_text *out);

// ---- links to the web page (web/), which runs the scheme that the report shows (html.c) ----

// False after WP_ERROR_USAGE if parameters cannot be appended to the address.
bool wp_report_link_check(const char *page);

// Adds a paragraph with a link to the web page for the scheme `kind` and a pass of the first level
// that runs (from 1; 0: none). It mentions what the page does not have: the user's image, a wavelet
// that is not built in. Adds nothing for volumes, or if the report has no page.
void wp_report_link(const struct wp_report_params *params, const struct wp_scheme_kind *kind,
                    int pass, struct wp_text *out);

// Adds a link to a set of questions on the wavelet, if the page has the wavelet.
void wp_report_link_questions(const struct wp_report_params *params, int seed,
                              struct wp_text *out);

// ---- results of `wavepass bench` (html.c) ----

// Adds the rows of a results file that match the wavelet and direction as an HTML table: one column
// per scheme, with the sizes of each backend, variant and device below a heading. False after
// WP_ERROR_FILE.
bool wp_report_times(const char *path, const struct wp_explain_params *params,
                     struct wp_text *out);

// ---- `explain --show report`: a page for teaching (report_page.c) ----

// Adds a self-contained page that is valid XML and HTML, of all schemes if none is named. False
// after an error.
bool wp_report_page(const struct wp_report_params *params, struct wp_text *out);

// ---- pictures of the steps of a transform (report_gallery.c) ----

// Figures with pictures, as HTML.
struct wp_report_pictures {
    struct wp_text before; // of the input and of the exchange between levels
    struct wp_text *after; // of each pass's results, in all levels; one per pass of the scheme
};

// Transforms an image of wp_report_read(), or with `color` its three planes, as `description` says,
// and adds a picture of each step to `pictures`. False after an error.
bool wp_report_add_pictures(const struct wp_report_params *params, const struct wp_image *image,
                            const struct wp_image *color, const struct wp_description *description,
                            struct wp_report_pictures *pictures);

// The slice of a volume that pictures show: that of the given voxel, or else the middle one.
int wp_report_slice(const struct wp_report_params *params);

// ---- borders (report_border.c) ----

// Adds the sums of a level along one axis that read beyond an end, in the norm and the direction of
// `params`, with the extension and after it is replaced: txt or svg. False after WP_ERROR_USAGE if
// the wavelet does not support the border, or WP_ERROR_TOO_LARGE.
bool wp_report_border(const struct wp_explain_params *params, enum wp_border border,
                      struct wp_text *out);

// ---- shift invariance (report_shift.c) ----

// Adds the energies of the details of a pulse and of the same pulse moved by one sample, in all
// levels of struct wp_shift, and the details of `level` (0: 2): txt; csv with all
// details; svg. False after WP_ERROR_USAGE or WP_ERROR_TOO_LARGE.
bool wp_report_shift(const struct wp_explain_params *params, int level, struct wp_text *out);

// Adds any topic that is a text, of this layer or of wp_explain() (report_topic.c). False after an
// error.
bool wp_report_topic(const struct wp_report_params *params, const struct wp_explain_params *explain,
                     struct wp_text *out);

// ---- the transform that `explain` runs for numbers and pictures: of one plane of an image or
// volume, in double precision (report_passes.c) ----

// Reads the input of the passes: one plane, the luma or the requested channel; for the inverse its
// coefficients as float32 (layout mallat), as `forward -o` writes them. Sets the size in `params`,
// and for a file with a volume the number of dimensions. If `colour` is not NULL, it is set to the
// three planes for color pictures, or NULL. NULL after an error.
struct wp_image *wp_report_read(struct wp_report_params *params, struct wp_image **colour);

// The border of the input, or the default one of the wavelet.
enum wp_border wp_report_border_of(const struct wp_report_params *params);

// Describes the transform of the image of wp_report_read(), with the wavelet of `params`.
struct wp_description wp_report_describe(const struct wp_report_params *params);

// Runs the scheme in double precision on an image of wp_report_read(), and writes the input and the
// result of each step to the directory, which is created if missing: NN_input, NN_levelL_passP,
// NN_levelL_gather or _spread as .npy (rows x columns x 4, float32; for volumes slices before
// these, the even and the odd one of each layer of octets) and .png, for images each pass's shader
// as .glsl, and index.json. False after an error.
bool wp_report_passes(const struct wp_report_params *params, const struct wp_image *image);

// Draws the samples of a step; zero is mid-gray, +-range are white and black. Images: samples in
// their positions, or with `by_component` each component separately, r, g above b, a. Volumes:
// slices in reading order, or with `by_component` one layer of octets, r, g, b, a and to their
// right R, G, B, A. The caller destroys the image. NULL after WP_ERROR_TOO_LARGE.
struct wp_image *wp_report_step_picture(const struct wp_lesson_state *state, double range,
                                         bool by_component, int layer);

// The largest absolute value.
double wp_report_step_range(const struct wp_lesson_state *state);

// Creates a directory if it does not exist. False after WP_ERROR_FILE.
bool wp_report_make_directory(const char *directory);

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

// ---- topics as JSON, and costs of variants (report_json.c) ----

// A pass: label, symbols and their definitions, matrix (rows of columns of terms), constants before
// and after it, scaling, reads and multiply-adds. Returns a new reference.
struct json_t *wp_report_json_pass(const struct wp_scheme *scheme, int pass);

// Adds the JSON of the topics matrix, ops or factoring. False after WP_ERROR_USAGE.
bool wp_report_json(const struct wp_explain_params *params, struct wp_text *out);

// Adds an object as text and releases the reference.
void wp_report_json_print(struct json_t *object, struct wp_text *out);

// Adds a table of operations and fetches per texel and level, including overlaps that are computed
// repeatedly, for each variant that counts its operations, and for the scheme of `params` or all
// schemes. The form is that in which variants run: block, or plain if `params` has it. Formats:
// TXT, CSV, MD, JSON.
void wp_report_tiles(const struct wp_explain_params *params, struct wp_text *out);

#endif
