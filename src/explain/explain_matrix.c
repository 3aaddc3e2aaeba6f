#include "explain_internal.h"

#include "explain_symbols.h"

#include <math.h>
#include <string.h>

// The name of an entry that does not fit in its matrix: "a21". Equal entries of an octet's matrix
// share the name of the first of them.
struct entry {
    int row, column; // from 1
    bool first;      // whether it is the first entry with this value
};

// The longest entry in the matrix; longer ones are listed below it. Four or eight columns with
// names and brackets fit WP_EXPLAIN_COLUMNS.
static int longest_cell(int components)
{
    return components == WP_COMPONENTS ? 21 : 9;
}

static const char *format_short(char number[WP_NUMBER_SIZE], double value)
{
    return wp_format_short(number, value, 6);
}

static void add_power(struct wp_text *out, const char *variable, int exponent)
{
    if (exponent == 1)
        wp_text_add(out, " %s", variable);
    else if (exponent)
        wp_text_add(out, " %s^%d", variable, exponent);
}

// Adds a term with its sign: "-0.5 zm^-1", or " - 0.5 zm^-1" after another term.
static void add_term(struct wp_text *out, const struct wp_term *term, bool first)
{
    char number[WP_NUMBER_SIZE];
    format_short(number, fabs(term->c));
    const char *sign = term->c < 0 ? (first ? "-" : " - ") : (first ? "" : " + ");
    struct wp_text powers = {0};
    static const char *const variables[WP_VARIABLES] = {"zm", "zn", "zo"};
    for (int v = 0; v < WP_VARIABLES; v++)
        add_power(&powers, variables[v], -term->at[v]);
    // "zm", not "1 zm".
    if (powers.length && strcmp(number, "1") == 0)
        wp_text_add(out, "%s%s", sign, wp_text_get(&powers) + 1);
    else
        wp_text_add(out, "%s%s%s", sign, number, wp_text_get(&powers));
    wp_text_free(&powers);
}

void wp_explain_poly(struct wp_text *out, const struct wp_poly *poly)
{
    if (poly->count == 0)
        wp_text_add(out, "0");
    for (int t = 0; t < poly->count; t++)
        add_term(out, &poly->term[t], t == 0);
}

static bool is_same(const struct wp_poly *a, const struct wp_poly *b)
{
    if (a->count != b->count)
        return false;
    for (int t = 0; t < a->count; t++) {
        const struct wp_term *s = &a->term[t], *u = &b->term[t];
        if (memcmp(s->at, u->at, sizeof s->at) != 0 || fabs(s->c - u->c) > 1e-12 * fabs(s->c))
            return false;
    }
    return true;
}

static struct entry name_entry(const struct wp_matrix *matrix, int row, int column)
{
    struct entry entry = {row + 1, column + 1, true};
    for (int i = 0; i < matrix->components && matrix->components > WP_COMPONENTS; i++) {
        for (int j = 0; j < matrix->components; j++) {
            if (i == row && j == column)
                return entry;
            if (is_same(&matrix->at[i][j], &matrix->at[row][column]))
                return (struct entry){i + 1, j + 1, false};
        }
    }
    return entry;
}

// Adds "a21 = …", wrapped between terms.
static void add_long_entry(struct wp_text *out, int row, int column, const struct wp_poly *poly)
{
    struct wp_text sum = {0};
    wp_explain_poly(&sum, poly);
    wp_text_add(out, "  a%d%d = ", row + 1, column + 1);
    wp_explain_wrap_sum(out, 8, wp_text_get(&sum));
    wp_text_add(out, "\n");
    wp_text_free(&sum);
}

struct cells {
    int components;
    struct wp_text at[WP_COMPONENTS_MAX][WP_COMPONENTS_MAX];
};

static void find_widths(const struct cells *cells, int width[WP_COMPONENTS_MAX])
{
    for (int j = 0; j < cells->components; j++)
        width[j] = 1;
    for (int i = 0; i < cells->components; i++)
        for (int j = 0; j < cells->components; j++)
            if ((int)cells->at[i][j].length > width[j])
                width[j] = (int)cells->at[i][j].length;
}

// The first component of the odd slice of an octet.
static bool is_odd_slice_start(int component)
{
    return component == WP_COMPONENTS;
}

static void add_rule(const struct cells *cells, const int width[WP_COMPONENTS_MAX],
                     struct wp_text *out)
{
    wp_text_add(out, "    [");
    for (int j = 0; j < cells->components; j++) {
        wp_text_add(out, "%s", is_odd_slice_start(j) ? "-+" : "");
        for (int k = 0; k < width[j] + (j && !is_odd_slice_start(j) ? 2 : 1); k++)
            wp_text_add(out, "-");
    }
    wp_text_add(out, "-]\n");
}

static void add_cells(const struct cells *cells, struct wp_text *out)
{
    int width[WP_COMPONENTS_MAX];
    find_widths(cells, width);
    wp_text_add(out, "    ");
    for (int j = 0; j < cells->components; j++)
        wp_text_add(out, "%s  %*c", is_odd_slice_start(j) ? " " : "", width[j],
                    wp_explain_letters[j]);
    wp_text_add(out, "\n");
    for (int i = 0; i < cells->components; i++) {
        if (is_odd_slice_start(i))
            add_rule(cells, width, out);
        wp_text_add(out, "  %c [", wp_explain_letters[i]);
        for (int j = 0; j < cells->components; j++)
            wp_text_add(out, "%s%*s", !j ? " " : is_odd_slice_start(j) ? " | " : "  ", width[j],
                        wp_text_get(&cells->at[i][j]));
        wp_text_add(out, " ]\n");
    }
}

static void add_core(const struct wp_matrix *core, struct wp_text *out)
{
    struct cells cells = {.components = core->components};
    bool below[WP_COMPONENTS_MAX][WP_COMPONENTS_MAX] = {0};
    for (int i = 0; i < core->components; i++) {
        for (int j = 0; j < core->components; j++) {
            struct wp_text *cell = &cells.at[i][j];
            wp_explain_poly(cell, &core->at[i][j]);
            if ((int)cell->length <= longest_cell(core->components))
                continue;
            const struct entry entry = name_entry(core, i, j);
            below[i][j] = entry.first;
            wp_text_clear(cell);
            wp_text_add(cell, "a%d%d", entry.row, entry.column);
        }
    }
    add_cells(&cells, out);
    for (int i = 0; i < core->components; i++) {
        for (int j = 0; j < core->components; j++) {
            if (below[i][j])
                add_long_entry(out, i, j, &core->at[i][j]);
            wp_text_free(&cells.at[i][j]);
        }
    }
}

static bool fits(const struct cells *cells)
{
    int width[WP_COMPONENTS_MAX], columns = 8;
    find_widths(cells, width);
    for (int j = 0; j < cells->components; j++)
        columns += width[j] + 2;
    return columns <= WP_EXPLAIN_COLUMNS;
}

// Removes the spaces between factors.
static void squeeze(struct cells *cells)
{
    for (int i = 0; i < cells->components; i++) {
        for (int j = 0; j < cells->components; j++) {
            struct wp_text packed = {0};
            for (const char *at = wp_text_get(&cells->at[i][j]); *at; at++)
                if (*at != ' ')
                    wp_text_add(&packed, "%c", *at);
            wp_text_free(&cells->at[i][j]);
            cells->at[i][j] = packed;
        }
    }
}

// Adds the matrix, and below it the entries that are too long.
static void add_symbol_cells(const struct wp_symbols *symbols, struct wp_text *out)
{
    struct cells cells = {.components = symbols->components};
    struct wp_text below = {0};
    for (int i = 0; i < cells.components; i++)
        for (int j = 0; j < cells.components; j++)
            wp_text_add(&cells.at[i][j], "%s", wp_text_get(&symbols->cell[i][j]));
    if (!fits(&cells) && cells.components > WP_COMPONENTS)
        squeeze(&cells);
    const bool fit_all = fits(&cells) || cells.components == WP_COMPONENTS;
    for (int i = 0; i < cells.components; i++) {
        for (int j = 0; j < cells.components; j++) {
            struct wp_text *cell = &cells.at[i][j];
            if (fit_all || (int)cell->length <= longest_cell(cells.components))
                continue;
            wp_text_add(&below, "  a%d%d = %s\n", i + 1, j + 1, wp_text_get(&symbols->cell[i][j]));
            wp_text_clear(cell);
            wp_text_add(cell, "a%d%d", i + 1, j + 1);
        }
    }
    add_cells(&cells, out);
    wp_text_add(out, "%s", wp_text_get(&below));
    wp_text_free(&below);
    for (int i = 0; i < cells.components; i++)
        for (int j = 0; j < cells.components; j++)
            wp_text_free(&cells.at[i][j]);
}

static void add_symbols(const struct wp_scheme *scheme, const struct wp_pass *pass,
                        struct wp_text *out)
{
    struct wp_symbols symbols;
    wp_symbols_create(&symbols, scheme, pass);
    add_symbol_cells(&symbols, out);
    for (int s = 0; s < symbols.count; s++) {
        const struct wp_symbol *symbol = &symbols.symbol[s];
        wp_text_add(out, "  %s = ", symbol->name);
        struct wp_text value = {0};
        if (symbol->expression.length)
            wp_text_add(&value, "%s", wp_text_get(&symbol->expression));
        else
            wp_explain_poly(&value, &symbol->filter);
        wp_explain_wrap_sum(out, 8, wp_text_get(&value));
        wp_text_add(out, "\n");
        wp_text_free(&value);
    }
    if (wp_symbols_starred(&symbols, 1))
        wp_text_add(out, "  A star marks the same polynomial in zn.\n");
    if (wp_symbols_starred(&symbols, 2))
        wp_text_add(out, "  Two stars mark the same polynomial in zo.\n");
    wp_symbols_free(&symbols);
}

static void add_constants(const struct wp_scheme *scheme, const struct wp_constant *constants,
                          int count, const char *when, struct wp_text *out)
{
    if (count == 0)
        return;
    wp_text_add(out, "  %s the matrix, inside the %s:\n", when,
                wp_explain_vocabulary(scheme->dims)->group);
    for (int i = 0; i < count; i++) {
        const struct wp_constant *constant = &constants[i];
        struct wp_statement statement[WP_STATEMENTS_MAX];
        const int statements = wp_scheme_statements(scheme, constant, statement);
        wp_text_add(out, "    ");
        wp_explain_constant_name(out, constant);
        wp_text_add(out, ": ");
        struct wp_explain_lines lines = wp_explain_lines(out, 8);
        for (int s = 0; s < statements; s++) {
            char number[WP_NUMBER_SIZE];
            const double c = statement[s].c;
            const bool one = strcmp(format_short(number, fabs(c)), "1") == 0;
            wp_explain_piece(&lines, " %c %s= %s%s%c%s",
                             wp_explain_letters[statement[s].destination], c < 0 ? "-" : "+",
                             one ? "" : number, one ? "" : " ",
                             wp_explain_letters[statement[s].source],
                             s + 1 < statements ? "," : "");
        }
        wp_text_add(out, "\n");
    }
}

static bool is_scaled(const double scale[], int components)
{
    for (int c = 0; c < components; c++)
        if (scale[c] < 1.0 || scale[c] > 1.0)
            return true;
    return false;
}

static void add_scale(const double scale[], int components, const char *when, struct wp_text *out)
{
    if (!is_scaled(scale, components))
        return;
    wp_text_add(out, "  scaling %s, not counted:", when);
    struct wp_explain_lines lines = wp_explain_lines(out, 4);
    for (int c = 0; c < components; c++) {
        char number[WP_NUMBER_SIZE];
        wp_explain_piece(&lines, " %c *= %s%s", wp_explain_letters[c],
                         format_short(number, scale[c]), c + 1 < components ? "," : "");
    }
    wp_text_add(out, "\n");
}

static void add_notation(int dims, struct wp_text *out)
{
    if (dims == 2)
        wp_explain_paragraph(out, 0,
                             "A quad of 2x2 samples is one texel: r even x even y, g odd x even y, "
                             "b even x odd y, a odd x odd y; after the transform LL, HL, LH, HH. A "
                             "term c zm^-i zn^-j reads the quad at (x+i, y+j). Textbooks, where "
                             "z^-1 is a delay, write zm^i zn^j. Each row gives one component of "
                             "the result.");
    else
        wp_explain_paragraph(out, 0,
                             "An octet of 2x2x2 samples is two texels: r g b a of its even slice "
                             "(r even x even y, g odd x even y, b even x odd y, a odd x odd y), R "
                             "G B A of its odd slice; after the transform LLL, HLL, LHL, HHL, LLH, "
                             "HLH, LHH, HHH. A term c zm^-i zn^-j zo^-k reads the octet at (x+i, "
                             "y+j, z+k). Textbooks, where z^-1 is a delay, write zm^i zn^j zo^k. "
                             "Each row gives one component of the result.");
}

static void add_bank_notation(int dims, struct wp_text *out)
{
    wp_explain_paragraph(out, 0,
                         "Rows and columns are the bands of a sample: %s. Column r of the first "
                         "pass is the low band of the level before. A term c zm^-i zn^-j%s of level "
                         "l reads the sample at (x + i s, y + j s%s), s = 2^(l-1). A row of zeros "
                         "is not computed.",
                         dims == 3 ? "r, g, b, a are LLL, HLL, LHL, HHL, and R, G, B, A are LLH, "
                                     "HLH, LHH, HHH"
                                   : "r, g, b, a are LL, HL, LH, HH",
                         dims == 3 ? " zo^-k" : "", dims == 3 ? ", z + k s" : "");
    wp_text_add(out, "\n");
}

void wp_explain_matrix(const struct wp_scheme *scheme, bool numbers, struct wp_text *out)
{
    const int components = 1 << scheme->dims;
    (scheme->redundant ? add_bank_notation : add_notation)(scheme->dims, out);
    for (int p = 0; p < scheme->pass_count; p++) {
        const struct wp_pass *pass = &scheme->pass[p];
        wp_explain_pass_title(scheme, p, out);
        if (p == 0)
            add_scale(scheme->scale_in, components, "first", out);
        add_constants(scheme, pass->before, pass->before_count, "before", out);
        if (wp_matrix_is_identity(&pass->core))
            wp_text_add(out, "  the matrix is the identity\n");
        else if (numbers || scheme->redundant)
            add_core(&pass->core, out);
        else
            add_symbols(scheme, pass, out);
        add_constants(scheme, pass->after, pass->after_count, "after", out);
        if (p == scheme->pass_count - 1)
            add_scale(scheme->scale_out, components, "last", out);
    }
}

// ---- LaTeX and Markdown ----

enum { TERMS_PER_LINE = 4 };

// Entries with more terms are listed below the matrix.
static bool is_long(const struct wp_matrix *core, const struct wp_poly *entry)
{
    return entry->count > (core->components == WP_COMPONENTS ? 2 : 1);
}

// 8x8 matrices have rules between the slices.
static void open_matrix(int components, struct wp_text *out)
{
    wp_text_add(out, components == WP_COMPONENTS
                         ? "\\begin{bmatrix}\n"
                         : "\\left[\\begin{array}{cccc|cccc}\n");
}

static void close_matrix(int components, struct wp_text *out)
{
    wp_text_add(out, components == WP_COMPONENTS ? "\\end{bmatrix}\n"
                                                 : "\\end{array}\\right]\n");
}

static void end_row(int row, int components, struct wp_text *out)
{
    const bool ruled = row + 1 == WP_COMPONENTS && components > WP_COMPONENTS;
    wp_text_add(out, " \\\\%s\n", ruled ? " \\hline" : "");
}

// Escapes the special characters of TeX that names may contain.
static void add_tex(struct wp_text *out, const char *text)
{
    for (; *text; text++)
        wp_text_add(out, "%s%c", strchr("_&%#$", *text) ? "\\" : "", *text);
}

void wp_explain_tex_number(struct wp_text *out, double value, int digits)
{
    char number[WP_NUMBER_SIZE];
    wp_format_short(number, value, digits);
    // "1e-05" would be a product in TeX.
    char *exponent = strchr(number, 'e');
    if (exponent) {
        int power = 0;
        *exponent = '\0';
        wp_parse_int(exponent[1] == '+' ? exponent + 2 : exponent + 1, &power);
        wp_text_add(out, "%s \\cdot 10^{%d}", number, power);
    } else {
        wp_text_add(out, "%s", number);
    }
}

static void add_number(struct wp_text *out, double value)
{
    wp_explain_tex_number(out, value, 6);
}

static void add_tex_power(struct wp_text *out, char variable, int exponent)
{
    if (exponent == 1)
        wp_text_add(out, " z_%c", variable);
    else if (exponent)
        wp_text_add(out, " z_%c^{%d}", variable, exponent);
}

static void add_tex_term(struct wp_text *out, const struct wp_term *term, bool first)
{
    const double size = fabs(term->c);
    const bool one = !(size < 1.0) && !(size > 1.0) && !wp_term_is_local(term);
    wp_text_add(out, "%s", term->c < 0 ? "-" : first ? "" : "+");
    if (!one)
        add_number(out, size);
    for (int v = 0; v < WP_VARIABLES; v++)
        add_tex_power(out, "mno"[v], -term->at[v]);
}

static void add_matrix(const struct wp_matrix *core, const char *open, const char *close,
                       struct wp_text *out)
{
    wp_text_add(out, "%s", open);
    open_matrix(core->components, out);
    for (int i = 0; i < core->components; i++) {
        for (int j = 0; j < core->components; j++) {
            const struct wp_poly *entry = &core->at[i][j];
            const struct entry name = name_entry(core, i, j);
            wp_text_add(out, "%s", j ? " & " : "  ");
            if (entry->count == 0)
                wp_text_add(out, "0");
            else if (is_long(core, entry))
                wp_text_add(out, "a_{%d%d}", name.row, name.column);
            for (int t = 0; !is_long(core, entry) && t < entry->count; t++)
                add_tex_term(out, &entry->term[t], t == 0);
        }
        end_row(i, core->components, out);
    }
    close_matrix(core->components, out);
    wp_text_add(out, "%s", close);
}

static void add_tex_symbols(const struct wp_scheme *scheme, const struct wp_pass *pass,
                            const char *open, const char *close, struct wp_text *out)
{
    struct wp_symbols symbols;
    wp_symbols_create(&symbols, scheme, pass);
    wp_text_add(out, "%s", open);
    open_matrix(symbols.components, out);
    for (int i = 0; i < symbols.components; i++) {
        for (int j = 0; j < symbols.components; j++) {
            wp_text_add(out, "%s", j ? " & " : "  ");
            wp_symbols_mark_up(out, wp_text_get(&symbols.cell[i][j]), &wp_markup_tex);
        }
        end_row(i, symbols.components, out);
    }
    close_matrix(symbols.components, out);
    wp_text_add(out, "%s%s\\begin{aligned}\n", close, open);
    for (int s = 0; s < symbols.count; s++) {
        const struct wp_symbol *symbol = &symbols.symbol[s];
        wp_text_add(out, "%s", s ? " \\\\\n" : "");
        wp_symbols_mark_up(out, symbol->name, &wp_markup_tex);
        wp_text_add(out, " ={}& ");
        wp_symbols_mark_up(out, wp_text_get(&symbol->expression), &wp_markup_tex);
        for (int t = 0; t < symbol->filter.count; t++)
            add_tex_term(out, &symbol->filter.term[t], t == 0);
    }
    wp_text_add(out, "\n\\end{aligned}\n%s", close);
    if (wp_symbols_starred(&symbols, 1))
        wp_text_add(out, "A star marks the same polynomial in $z_n$.\n");
    if (wp_symbols_starred(&symbols, 2))
        wp_text_add(out, "Two stars mark the same polynomial in $z_o$.\n");
    wp_symbols_free(&symbols);
}

// Adds the entries a_ij that are not in the matrix.
static void add_long_entries(const struct wp_matrix *core, const char *open, const char *close,
                             struct wp_text *out)
{
    bool is_open = false;
    for (int i = 0; i < core->components; i++) {
        for (int j = 0; j < core->components; j++) {
            const struct wp_poly *entry = &core->at[i][j];
            if (!is_long(core, entry) || !name_entry(core, i, j).first)
                continue;
            wp_text_add(out, "%s", is_open ? " \\\\\n" : open);
            if (!is_open)
                wp_text_add(out, "\\begin{aligned}\n");
            is_open = true;
            wp_text_add(out, "a_{%d%d} ={}& ", i + 1, j + 1);
            for (int t = 0; t < entry->count; t++) {
                if (t && t % TERMS_PER_LINE == 0)
                    wp_text_add(out, " \\\\\n  & {}");
                add_tex_term(out, &entry->term[t], t == 0);
            }
        }
    }
    if (is_open)
        wp_text_add(out, "\n\\end{aligned}\n%s", close);
}

static void add_tex_constants(const struct wp_scheme *scheme, const struct wp_constant *constants,
                              int count, const char *open, const char *close, struct wp_text *out)
{
    if (count == 0)
        return;
    wp_text_add(out, "%s\\begin{aligned}\n", open);
    for (int i = 0; i < count; i++) {
        const struct wp_constant *constant = &constants[i];
        struct wp_statement statement[WP_STATEMENTS_MAX];
        const int statements = wp_scheme_statements(scheme, constant, statement);
        wp_text_add(out, "%s%s^{%c}_{%s_0^{(%d)}}:\\;&", i ? " \\\\\n" : "",
                    constant->update ? "S" : "T", wp_axis_letter(constant->axis),
                    constant->update ? "U" : "P", constant->pair + 1);
        for (int s = 0; s < statements; s++) {
            wp_text_add(out, "%s %c \\mathrel{{+}{=}} ", s ? ",\\quad" : "",
                        wp_explain_letters[statement[s].destination]);
            add_number(out, statement[s].c);
            wp_text_add(out, "\\, %c", wp_explain_letters[statement[s].source]);
        }
    }
    wp_text_add(out, "\n\\end{aligned}\n%s", close);
}

// Adds "S^H_U1(2) T^H_P(1)" with the paper's notation: S^{H}_{U_1^{(2)}} T^{H}_{P^{(1)}}.
static void add_label(struct wp_text *out, const char *label)
{
    for (const char *at = label; *at; at++) {
        switch (*at) {
        case '^': wp_text_add(out, "^{"); break;
        case '_': wp_text_add(out, "}_{"); break;
        case '0':
        case '1': wp_text_add(out, at[1] == '(' ? "_%c" : "%c", *at); break;
        case '(': wp_text_add(out, "^{("); break;
        case ')': wp_text_add(out, ")}}"); break;
        default: wp_text_add(out, "%c", *at); break;
        }
    }
}

static void add_tex_scale(const double scale[], int components, const char *when, const char *open,
                          const char *close, struct wp_text *out)
{
    if (!is_scaled(scale, components))
        return;
    wp_text_add(out, "%s\\text{scaling %s: }\\operatorname{diag}(", open, when);
    for (int c = 0; c < components; c++) {
        wp_text_add(out, "%s", c ? ", " : "");
        add_number(out, scale[c]);
    }
    wp_text_add(out, ")\n%s", close);
}

void wp_explain_matrix_tex(const struct wp_scheme *scheme, bool numbers,
                           enum wp_explain_format format, struct wp_text *out)
{
    const bool markdown = format == WP_EXPLAIN_MD;
    const int components = 1 << scheme->dims;
    const char *const open = markdown ? "\n$$\n" : "\\[\n";
    const char *const close = markdown ? "$$\n" : "\\]\n";
    const char *const direction = wp_direction_names[scheme->direction];
    if (markdown) {
        wp_text_add(out, "## %s, %s\n\n", scheme->name, direction);
    } else {
        wp_text_add(out, "%% needs amsmath\n\\subsection*{");
        add_tex(out, scheme->name);
        wp_text_add(out, ", %s}\n", direction);
    }
    wp_text_add(out, scheme->dims == 2
                         ? "Components r, g, b, a of a quad of $2\\times 2$ samples; "
                           "$z_m^{-i} z_n^{-j}$ reads the quad at $(x+i, y+j)$\n"
                           "($z_m^i z_n^j$ in textbooks, where $z^{-1}$ is a delay).\n"
                         : "Components r, g, b, a of the even slice and R, G, B, A of the odd "
                           "slice of an octet of\n$2\\times 2\\times 2$ samples; $z_m^{-i} "
                           "z_n^{-j} z_o^{-k}$ reads the octet at $(x+i, y+j, z+k)$\n"
                           "($z_m^i z_n^j z_o^k$ in textbooks, where $z^{-1}$ is a delay).\n");
    for (int p = 0; p < scheme->pass_count; p++) {
        const struct wp_pass *pass = &scheme->pass[p];
        wp_text_add(out, "\n%sPass %d of %d%s: $", markdown ? "### " : "\\paragraph{", p + 1,
                    scheme->pass_count, markdown ? "" : "}");
        add_label(out, pass->label);
        wp_text_add(out, "$\n");
        if (p == 0)
            add_tex_scale(scheme->scale_in, components, "first", open, close, out);
        add_tex_constants(scheme, pass->before, pass->before_count, open, close, out);
        if (!wp_matrix_is_identity(&pass->core) && numbers) {
            add_matrix(&pass->core, open, close, out);
            add_long_entries(&pass->core, open, close, out);
        } else if (!wp_matrix_is_identity(&pass->core)) {
            add_tex_symbols(scheme, pass, open, close, out);
        }
        add_tex_constants(scheme, pass->after, pass->after_count, open, close, out);
        if (p == scheme->pass_count - 1)
            add_tex_scale(scheme->scale_out, components, "last", open, close, out);
    }
}
