// Explanations of schemes and wavelets: operations, matrices, shaders, diagrams. They are derived
// from the same struct wp_scheme from which passes run.
#ifndef WP_EXPLAIN_H
#define WP_EXPLAIN_H

#include "description.h"
#include "text.h"

#include <stdbool.h>

enum wp_explain_topic {
    WP_EXPLAIN_SUMMARY,   // a summary with suggested commands
    WP_EXPLAIN_OPS,       // steps, operations and fetches
    WP_EXPLAIN_MATRIX,    // the matrix of each pass, and its constants
    WP_EXPLAIN_GLSL,      // the shaders that run
    WP_EXPLAIN_CUDA,      // the kernel of a level, always in the block form
    WP_EXPLAIN_DIAGRAM,   // data-flow diagram with an arrow per multiply-add
    WP_EXPLAIN_FOOTPRINT, // samples that an output depends on
    WP_EXPLAIN_FILTERS,   // taps, responses and functions of the wavelet
    WP_EXPLAIN_FACTORING, // derivation of the lifting steps from the filters
    WP_EXPLAIN_STEPS,     // a wavelet file
    WP_EXPLAIN_BANDS,     // names of the subbands and their share of all samples
    // Topics that wp_explain() does not support: borders, shifts, counts of backends, and topics that
    // require an image.
    WP_EXPLAIN_BORDER, // sums that read beyond the ends of an axis
    WP_EXPLAIN_SHIFT,  // details of a pulse that moves by a sample, decimated and undecimated
    WP_EXPLAIN_TILES,  // operations and fetches of variants that compute a level in one pass
    WP_EXPLAIN_PASSES, // every intermediate texture, as files
    WP_EXPLAIN_PIXEL,  // the arithmetic of one coefficient
    WP_EXPLAIN_REPORT, // a page for teaching
    WP_EXPLAIN_ALL,    // all topics, as files
    WP_EXPLAIN_TOPIC_COUNT
};

// The names of the topics, such as "summary".
extern const char *const wp_explain_topic_names[WP_EXPLAIN_TOPIC_COUNT];

enum wp_explain_format {
    WP_EXPLAIN_TXT,  // at most 80 columns, except for GLSL and drawings of long filters
    WP_EXPLAIN_CSV,  // ops: wavelet,scheme,steps,plain,opencl,shader,fetches,shader_in_print (the
                     // published value where it differs); filters: series,x,value; footprint:
                     // wavelet,scheme,pass,component,width,height,samples; bands: band,x,y,z,share
    WP_EXPLAIN_MD,   // Markdown with formulas in dollar signs
    WP_EXPLAIN_SVG,  // drawings
    WP_EXPLAIN_TEX,  // LaTeX for inclusion, requires amsmath
    WP_EXPLAIN_JSON, // not supported by wp_explain()
    WP_EXPLAIN_HTML, // not supported by wp_explain()
    WP_EXPLAIN_FORMAT_COUNT
};

// Whether a topic supports only images.
bool wp_explain_is_image_only(enum wp_explain_topic topic);

// The names of the formats, such as "txt".
extern const char *const wp_explain_format_names[WP_EXPLAIN_FORMAT_COUNT];

// The arrows of diagrams in SVG.
enum wp_explain_arrows {
    WP_EXPLAIN_ARROWS,
    WP_EXPLAIN_LABELLED_ARROWS, // with their coefficients
    WP_EXPLAIN_NO_ARROWS,       // for exercises
};

enum { WP_EXPLAIN_LEVELS = 3 }; // default number of levels

struct wp_explain_params {
    const struct wp_wavelet *wavelet;
    const struct wp_scheme_kind *kind; // NULL: all schemes; topics of one scheme use the default
                                       // one
    int dims;                          // 2: images, 3: volumes; 0: 2
    enum wp_form form;
    enum wp_direction direction;
    enum wp_norm norm;
    enum wp_explain_topic topic;
    enum wp_explain_format format;
    bool numbers; // matrices with numbers instead of symbols
    enum wp_explain_arrows arrows;
    int pass;             // for diagrams in SVG: draw only this pass (from 1), without title
                          // and legend; 0: all passes
    const char *tree;     // for bands of packets; NULL: the full one
    int levels, levels_z; // for bands; both 0: WP_EXPLAIN_LEVELS
    enum wp_decomposition decomposition;
    enum wp_bank bank; // redundant ones: only summary, ops, matrix, glsl and diagram; packets: bands
    bool reversible; // integer lifting, only for the scheme sep-lifting
};

// The letters of components in shaders, diagrams and text: "rgba" in a quad, like the channels of
// its texel; in an octet also "RGBA" for its odd slice.
extern const char wp_explain_letters[WP_COMPONENTS_MAX + 1];

// The names of components in lessons: "oe" is at odd x and even y; "oee" in an octet.
const char *wp_explain_component(int component, int dims);

bool wp_explain_has(enum wp_explain_topic topic, enum wp_explain_format format);

// False after WP_ERROR_USAGE if the topic does not support the format, or volumes.
bool wp_explain_check(const struct wp_explain_params *params);

// Adds the text to `out`. False after WP_ERROR_USAGE if the topic does not support the format,
// volumes, or the form.
bool wp_explain(const struct wp_explain_params *params, struct wp_text *out);

// ---- topics of a scheme without checks, for programs that have no others ----

// Adds the matrices of all passes as text, in the paper's symbols or in numbers. Redundant banks
// have only numbers.
void wp_explain_matrix(const struct wp_scheme *scheme, bool numbers, struct wp_text *out);

// Adds data-flow diagrams: svg or txt, with the arrows and the pass of `params`.
void wp_explain_diagram(const struct wp_scheme *scheme, const struct wp_explain_params *params,
                        struct wp_text *out);

// Adds the diagram of a redundant bank in SVG, with the bank of `params`.
void wp_explain_bank_diagram(const struct wp_scheme *scheme, const struct wp_explain_params *params,
                             struct wp_text *out);

// Adds the filters, their responses and functions: txt, csv or svg.
void wp_explain_filters(const struct wp_wavelet *wavelet, enum wp_explain_format format,
                        struct wp_text *out);

// ---- schemes ----

// Creates the scheme of the parameters with the given kind and form. The caller destroys it.
struct wp_scheme *wp_explain_scheme(const struct wp_explain_params *params,
                                    const struct wp_scheme_kind *kind, enum wp_form form);

// The number of dimensions, 2 or 3.
int wp_explain_dims(const struct wp_explain_params *params);

// The kind of the parameters, or the default one.
const struct wp_scheme_kind *wp_explain_kind(const struct wp_explain_params *params);

// The number of terms in the largest pass of a kind, also of kinds that have too many to be
// computed.
double wp_explain_terms(const struct wp_explain_params *params, const struct wp_scheme_kind *kind);

// The largest number of terms in a pass for diagrams, footprints and tiles.
#define WP_EXPLAIN_DRAWN_MAX 24576.0

// Kind `number` of the list of schemes: the one of the parameters, or all that can be computed.
// NULL at the end.
const struct wp_scheme_kind *wp_explain_listed(const struct wp_explain_params *params, int number);

// Terms that differ between images and volumes.
struct wp_explain_vocabulary {
    const char *group;  // "quad", "octet"
    const char *size;   // "2x2", "2x2x2"
    const char *sample; // "pixel", "voxel"
    const char *option; // command-line option: "", " --volume"
};

const struct wp_explain_vocabulary *wp_explain_vocabulary(int dims);

// Whether Table 1 of Barina et al. 2017 prints another number of operations.
bool wp_explain_ops_deviates(const struct wp_explain_params *params,
                             const struct wp_scheme_kind *kind);

// Notes on such differences and on schemes that are equal to others. Often empty.
void wp_explain_ops_notes(const struct wp_explain_params *params, struct wp_text *out);

// Adds the wavelet's lifting steps, one per line, and its scaling.
void wp_explain_lifting(const struct wp_wavelet *wavelet, struct wp_text *out);

// Adds a unified diff from text a to text b in one hunk with all lines of both.
void wp_explain_diff(const char *a, const char *b, struct wp_text *out);

// Adds words, wrapped at 80 columns; continuation lines are indented by `indent` spaces.
void wp_explain_wrap(struct wp_text *out, int indent, const char *words);

// Adds formatted text like wp_explain_wrap(), and a newline.
void wp_explain_paragraph(struct wp_text *out, int indent, const char *format, ...)
    WP_PRINTF(3, 4);

// Adds a sum, wrapped between its terms.
void wp_explain_wrap_sum(struct wp_text *out, int indent, const char *sum);

// Adds a polynomial: "-0.5 - 0.5 zm^-1"; "0".
void wp_explain_poly(struct wp_text *out, const struct wp_poly *poly);

// The taps of a filter as a polynomial in z_m, with tap k at z_m^(-sign k); `reduced`: without the
// tap 0. The caller frees it.
struct wp_poly wp_explain_filter(const struct wp_filter *filter, int sign, bool reduced);

// Adds the name of a constant as in labels of passes: "S^H_U0(1)".
void wp_explain_constant_name(struct wp_text *out, const struct wp_constant *constant);

#endif
