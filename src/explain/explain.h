// Schemes and wavelets for people: what they do and cost, their matrices, shaders, diagrams.
// Everything is read off the same struct wp_scheme that the passes run from.
#ifndef WP_EXPLAIN_H
#define WP_EXPLAIN_H

#include "description.h"
#include "text.h"

#include <stdbool.h>

enum wp_explain_topic {
    WP_EXPLAIN_SUMMARY, // a page that says what the scheme is and what to ask next
    WP_EXPLAIN_OPS,     // steps, operations and fetches
    WP_EXPLAIN_MATRIX,  // the matrix of each pass, and its constants
    WP_EXPLAIN_GLSL,    // the shaders that run
    WP_EXPLAIN_CUDA,    // the kernel of a level, in the block form whatever is asked for
    WP_EXPLAIN_DIAGRAM, // data flow: an arrow a multiply-add
    WP_EXPLAIN_FOOTPRINT, // which samples reach an output
    WP_EXPLAIN_FILTERS, // of the wavelet: taps, responses, functions
    WP_EXPLAIN_FACTORING, // how the steps follow from the filters
    WP_EXPLAIN_STEPS,   // a wavelet file
    WP_EXPLAIN_BANDS,   // what each level leaves: names, and which part of all samples
    // Not by wp_explain(): what the backends count, and what needs an image.
    WP_EXPLAIN_TILES,   // operations and fetches of what runs a level at once
    WP_EXPLAIN_PASSES,  // every intermediate texture, as files
    WP_EXPLAIN_PIXEL,   // the arithmetic of one coefficient
    WP_EXPLAIN_REPORT,  // a page for teaching
    WP_EXPLAIN_ALL,     // all of it, as files
    WP_EXPLAIN_TOPIC_COUNT
};

// "summary", "ops", …
extern const char *const wp_explain_topic_names[WP_EXPLAIN_TOPIC_COUNT];

enum wp_explain_format {
    WP_EXPLAIN_TXT, // at most 80 columns, but for GLSL and what wide filters draw
    WP_EXPLAIN_CSV, // of ops: wavelet,scheme,steps,plain,opencl,shader,fetches,shader_in_print (of
                    // a published table, where it differs); of filters: series,x,value; of
                    // footprint: wavelet,scheme,pass,component,width,height,samples; of bands:
                    // band,x,y,z,share
    WP_EXPLAIN_MD,  // Markdown, with formulas between dollars
    WP_EXPLAIN_SVG, // pictures
    WP_EXPLAIN_TEX, // LaTeX to be included; needs amsmath
    WP_EXPLAIN_JSON, // not by wp_explain()
    WP_EXPLAIN_HTML, // not by wp_explain()
    WP_EXPLAIN_FORMAT_COUNT
};

// True of what there is of images alone.
bool wp_explain_of_images(enum wp_explain_topic what);

// "txt", "csv", …
extern const char *const wp_explain_format_names[WP_EXPLAIN_FORMAT_COUNT];

// Of diagrams as SVG.
enum wp_explain_arrows {
    WP_EXPLAIN_ARROWS,
    WP_EXPLAIN_LABELLED_ARROWS, // with their coefficients beside them
    WP_EXPLAIN_NO_ARROWS,       // to be drawn by those who learn
};

enum { WP_EXPLAIN_LEVELS = 3 }; // where a number of levels is wanted and none given

struct wp_explain_params {
    const struct wp_wavelet *wavelet;
    const struct wp_scheme_kind *kind; // NULL: all schemes; matrix and glsl take the default one
    int dims;                          // 2: of images, 3: of volumes; 0 means 2
    enum wp_form form;
    enum wp_direction direction;
    enum wp_norm norm;
    enum wp_explain_topic what;
    enum wp_explain_format format;
    bool numbers; // matrices multiplied out, instead of in symbols
    enum wp_explain_arrows arrows;
    int pass;                  // of diagrams as SVG: the only one drawn, without title and legend,
                               // from 1; 0: all of them
    int levels, levels_z; // of bands; both 0: the usual number
    enum wp_decomposition decomposition;
    bool reversible; // steps that round, of separable lifting alone
};

// The components' letters in shaders, diagrams and matrices of text: of a quad "rgba", the channels
// of its texel; of an octet also "RGBA", its odd slice.
extern const char wp_explain_letters[WP_COMPONENTS_MAX + 1];

// The components' names in lessons: "oe" is at odd x and even y; "oee" of an octet.
const char *wp_explain_component(int component, int dims);

bool wp_explain_has(enum wp_explain_topic what, enum wp_explain_format format);

// False after WP_ERROR_USAGE where there is no such format for what is asked, or nothing of
// volumes.
bool wp_explain_check(const struct wp_explain_params *params);

// Adds the text to `out`. False after WP_ERROR_USAGE where there is no such format for what is
// asked, nothing of volumes, or no shader for the form.
bool wp_explain(const struct wp_explain_params *params, struct wp_text *out);

// The scheme that the parameters ask for, of the given kind and form. The caller's.
struct wp_scheme *wp_explain_scheme(const struct wp_explain_params *params,
                                    const struct wp_scheme_kind *kind, enum wp_form form);

// 2 or 3.
int wp_explain_dims(const struct wp_explain_params *params);

// The kind that is asked for, or the default one.
const struct wp_scheme_kind *wp_explain_kind(const struct wp_explain_params *params);

// The terms of the pass of a kind that has most of them, whether or not it is multiplied out.
double wp_explain_terms(const struct wp_explain_params *params, const struct wp_scheme_kind *kind);

// Of what is drawn term by term, or counted tile by tile, such a pass may have as many.
#define WP_EXPLAIN_DRAWN_MAX 24576.0

// The kinds that a list of schemes has: the one that is asked for, or all that are multiplied out.
// NULL from as many on as there are.
const struct wp_scheme_kind *wp_explain_listed(const struct wp_explain_params *params, int number);

// What of images and of volumes goes by other words.
struct wp_explain_vocabulary {
    const char *group;   // "quad", "octet"
    const char *size;    // "2x2", "2x2x2"
    const char *sample;  // "pixel", "voxel"
    const char *option;  // that asks for it: "", " --volume"
};

const struct wp_explain_vocabulary *wp_explain_vocabulary(int dims);

// True where Table 1 of Barina et al. 2017 has another number of operations in print.
bool wp_explain_ops_deviates(const struct wp_explain_params *params,
                             const struct wp_scheme_kind *kind);

// What is to be said of that, and of schemes that are the same as others. Often nothing.
void wp_explain_ops_notes(const struct wp_explain_params *params, struct wp_text *out);

// The wavelet's lifting steps, a line each, and its scaling.
void wp_explain_lifting(const struct wp_wavelet *wavelet, struct wp_text *out);

// Adds the one hunk of a unified diff from text a to text b that shows all lines of both.
void wp_explain_diff(const char *a, const char *b, struct wp_text *out);

// Adds words, wrapped at 80 columns; further lines begin with `indent` spaces.
void wp_explain_wrap(struct wp_text *out, int indent, const char *words);

// Likewise words that are printed, with the end of the line.
void wp_explain_paragraph(struct wp_text *out, int indent, const char *format, ...)
    WP_PRINTF(3, 4);

// The same for a sum, wrapped between its terms.
void wp_explain_wrap_sum(struct wp_text *out, int indent, const char *sum);

// "-0.5 - 0.5 zm^-1"; "0".
void wp_explain_poly(struct wp_text *out, const struct wp_poly *poly);

// "S^H_U0(1)", as in the labels of passes.
void wp_explain_constant_name(struct wp_text *out, const struct wp_constant *constant);

#endif
