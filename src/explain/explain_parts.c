// Functions shared by all topics: creation of schemes, names, and wrapped text.
#include "explain_internal.h"

#include "xmemory.h"

#include <stdlib.h>
#include <string.h>

static struct wp_scheme_params params_of(const struct wp_explain_params *params,
                                         const struct wp_scheme_kind *kind, enum wp_form form)
{
    return (struct wp_scheme_params){
        .wavelet = params->wavelet,
        .kind = kind,
        .form = form,
        .direction = params->direction,
        .norm = params->norm,
        .dims = params->dims,
        .reversible = params->reversible,
    };
}

struct wp_scheme *wp_explain_scheme(const struct wp_explain_params *params,
                                    const struct wp_scheme_kind *kind, enum wp_form form)
{
    const struct wp_scheme_params scheme = params_of(params, kind, form);
    return wp_scheme_create(&scheme);
}

double wp_explain_terms(const struct wp_explain_params *params, const struct wp_scheme_kind *kind)
{
    const struct wp_scheme_params scheme = params_of(params, kind, WP_FORM_PLAIN);
    return wp_scheme_terms(&scheme);
}

const char wp_explain_letters[WP_COMPONENTS_MAX + 1] = "rgbaRGBA";

const char *wp_explain_component(int component, int dims)
{
    static const char *const names[][WP_COMPONENTS_MAX] = {
        {"ee", "oe", "eo", "oo"},
        {"eee", "oee", "eoe", "ooe", "eeo", "oeo", "eoo", "ooo"},
    };
    return names[dims == 3][component];
}

int wp_explain_dims(const struct wp_explain_params *params)
{
    return params->dims == 3 ? 3 : 2;
}

const struct wp_scheme_kind *wp_explain_kind(const struct wp_explain_params *params)
{
    if (params->kind)
        return params->kind;
    return &wp_scheme_kinds[wp_explain_dims(params) == 2 ? WP_SCHEME_NONSEP_POLYCONVOLUTION
                                                         : WP_SCHEME_PLANAR_POLYCONVOLUTION];
}

const struct wp_scheme_kind *wp_explain_listed(const struct wp_explain_params *params, int number)
{
    const struct wp_scheme_kind *kind;
    if (params->kind)
        return number == 0 ? params->kind : NULL;
    for (int k = 0; (kind = wp_scheme_kind_at(wp_explain_dims(params), k)); k++)
        if (wp_explain_terms(params, kind) <= WP_SCHEME_TERMS_MAX && number-- == 0)
            return kind;
    return NULL;
}

const struct wp_explain_vocabulary *wp_explain_vocabulary(int dims)
{
    static const struct wp_explain_vocabulary images = {"quad", "2x2", "pixel", ""},
                                            volumes = {"octet", "2x2x2", "voxel", " --volume"};
    return dims == 3 ? &volumes : &images;
}

struct wp_explain_lines wp_explain_lines(struct wp_text *out, int indent)
{
    size_t start = out->length;
    while (start > 0 && out->data[start - 1] != '\n')
        start--;
    return (struct wp_explain_lines){out, start, indent};
}

void wp_explain_piece(struct wp_explain_lines *lines, const char *format, ...)
{
    struct wp_text *out = lines->out, piece = {0};
    va_list args;
    va_start(args, format);
    wp_text_add_list(&piece, format, args);
    va_end(args);
    const char *text = wp_text_get(&piece);
    if (out->length - lines->start + piece.length > WP_EXPLAIN_COLUMNS) {
        text += strspn(text, " ");
        wp_text_add(out, "\n");
        lines->start = out->length;
        wp_text_add(out, "%*s", lines->indent, "");
    }
    wp_text_add(out, "%s", text);
    wp_text_free(&piece);
}

void wp_explain_pass_title(const struct wp_scheme *scheme, int pass, struct wp_text *out)
{
    wp_text_add(out, "%s\npass %d of %d: ", pass ? "\n======== barrier ========\n" : "", pass + 1,
                scheme->pass_count);
    wp_explain_wrap(out, 4, scheme->pass[pass].label);
    wp_text_add(out, "\n");
}

int wp_explain_across(int columns)
{
    return columns < WP_EXPLAIN_COLUMNS ? WP_EXPLAIN_COLUMNS / columns : 1;
}

struct wp_poly wp_explain_filter(const struct wp_filter *filter, int sign, bool reduced)
{
    struct wp_poly poly = {0};
    for (int t = 0; t < filter->count; t++) {
        const struct wp_tap *tap = &filter->tap[t];
        if (reduced && tap->k == 0)
            continue;
        struct wp_poly term = wp_poly_monomial(&(struct wp_term){{sign * tap->k}, tap->c});
        struct wp_poly sum = wp_poly_add(&poly, &term);
        wp_poly_free(&term);
        wp_poly_free(&poly);
        poly = sum;
    }
    return poly;
}

void wp_explain_constant_name(struct wp_text *out, const struct wp_constant *constant)
{
    wp_text_add(out, "%s^%c_%s0(%d)", constant->update ? "S" : "T",
                wp_axis_letter(constant->axis), constant->update ? "U" : "P",
                constant->pair + 1);
}

void wp_explain_wrap(struct wp_text *out, int indent, const char *words)
{
    struct wp_explain_lines lines = wp_explain_lines(out, indent);
    while (*words) {
        const size_t length = strspn(words, " ") + strcspn(words + strspn(words, " "), " ");
        wp_explain_piece(&lines, "%.*s", (int)length, words);
        words += length;
    }
}

void wp_explain_paragraph(struct wp_text *out, int indent, const char *format, ...)
{
    struct wp_text words = {0};
    va_list args;
    va_start(args, format);
    wp_text_add_list(&words, format, args);
    va_end(args);
    wp_explain_wrap(out, indent, wp_text_get(&words));
    wp_text_add(out, "\n");
    wp_text_free(&words);
}

void wp_explain_wrap_sum(struct wp_text *out, int indent, const char *sum)
{
    struct wp_explain_lines lines = wp_explain_lines(out, indent);
    while (*sum) {
        size_t length = 1;
        while (sum[length] && strncmp(sum + length, " + ", 3) != 0 &&
               strncmp(sum + length, " - ", 3) != 0)
            length++;
        wp_explain_piece(&lines, "%.*s", (int)length, sum);
        sum += length;
    }
}

// ---- unified diff of two texts ----

struct lines {
    int count;
    const char **start;
    int *length; // without the newline
};

static struct lines split(const char *text)
{
    struct lines lines = {0};
    for (; *text; lines.count++) {
        const size_t length = strcspn(text, "\n");
        lines.start = wp_xrealloc(lines.start, (size_t)lines.count + 1, sizeof *lines.start);
        lines.length = wp_xrealloc(lines.length, (size_t)lines.count + 1, sizeof *lines.length);
        lines.start[lines.count] = text;
        lines.length[lines.count] = (int)length;
        text += length + (text[length] == '\n');
    }
    return lines;
}

static void free_lines(struct lines *lines)
{
    free(lines->start);
    free(lines->length);
}

static bool is_same(const struct lines *a, int i, const struct lines *b, int j)
{
    return a->length[i] == b->length[j] &&
           strncmp(a->start[i], b->start[j], (size_t)a->length[i]) == 0;
}

static void add_line(struct wp_text *out, char mark, const struct lines *lines, int i)
{
    wp_text_add(out, "%c%.*s\n", mark, lines->length[i], lines->start[i]);
}

void wp_explain_diff(const char *a_text, const char *b_text, struct wp_text *out)
{
    struct lines a = split(a_text), b = split(b_text);
    const size_t width = (size_t)b.count + 1;
    // common[i][j]: length of the longest common subsequence of the lines from i in a and from j in
    // b.
    int *common = wp_xcalloc(((size_t)a.count + 1) * width, sizeof *common);
    for (int i = a.count - 1; i >= 0; i--) {
        int *row = common + (size_t)i * width, *below = row + width;
        for (int j = b.count - 1; j >= 0; j--)
            row[j] = is_same(&a, i, &b, j) ? below[j + 1] + 1
                     : below[j] > row[j + 1] ? below[j]
                                             : row[j + 1];
    }
    wp_text_add(out, "@@ -1,%d +1,%d @@\n", a.count, b.count);
    for (int i = 0, j = 0; i < a.count || j < b.count;) {
        const int *row = common + (size_t)i * width + j;
        if (i < a.count && j < b.count && is_same(&a, i, &b, j)) {
            add_line(out, ' ', &a, i);
            i++, j++;
        } else if (j == b.count || (i < a.count && row[width] >= row[1])) {
            add_line(out, '-', &a, i++);
        } else {
            add_line(out, '+', &b, j++);
        }
    }
    free(common);
    free_lines(&a);
    free_lines(&b);
}
