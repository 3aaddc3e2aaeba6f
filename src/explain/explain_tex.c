// Matrices in LaTeX (amsmath), for LaTeX or Markdown documents.
#include "explain_internal.h"
#include "explain_symbols.h"

#include <math.h>
#include <string.h>

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

static void add_power(struct wp_text *out, char variable, int exponent)
{
    if (exponent == 1)
        wp_text_add(out, " z_%c", variable);
    else if (exponent)
        wp_text_add(out, " z_%c^{%d}", variable, exponent);
}

static void add_term(struct wp_text *out, const struct wp_term *term, bool first)
{
    const double size = fabs(term->c);
    const bool one = !(size < 1.0) && !(size > 1.0) && !wp_term_is_local(term);
    wp_text_add(out, "%s", term->c < 0 ? "-" : first ? "" : "+");
    if (!one)
        add_number(out, size);
    for (int v = 0; v < WP_VARIABLES; v++)
        add_power(out, "mno"[v], -term->at[v]);
}

static void add_matrix(const struct wp_matrix *core, struct wp_text *out)
{
    open_matrix(core->components, out);
    for (int i = 0; i < core->components; i++) {
        for (int j = 0; j < core->components; j++) {
            const struct wp_poly *entry = &core->at[i][j];
            const struct wp_explain_entry name = wp_explain_entry(core, i, j);
            wp_text_add(out, "%s", j ? " & " : "  ");
            if (entry->count == 0)
                wp_text_add(out, "0");
            else if (is_long(core, entry))
                wp_text_add(out, "a_{%d%d}", name.row, name.column);
            for (int t = 0; !is_long(core, entry) && t < entry->count; t++)
                add_term(out, &entry->term[t], t == 0);
        }
        end_row(i, core->components, out);
    }
    close_matrix(core->components, out);
}

static void add_symbols(const struct wp_scheme *scheme, const struct wp_pass *pass,
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
            add_term(out, &symbol->filter.term[t], t == 0);
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
            if (!is_long(core, entry) || !wp_explain_entry(core, i, j).first)
                continue;
            wp_text_add(out, "%s", is_open ? " \\\\\n" : open);
            if (!is_open)
                wp_text_add(out, "\\begin{aligned}\n");
            is_open = true;
            wp_text_add(out, "a_{%d%d} ={}& ", i + 1, j + 1);
            for (int t = 0; t < entry->count; t++) {
                if (t && t % TERMS_PER_LINE == 0)
                    wp_text_add(out, " \\\\\n  & {}");
                add_term(out, &entry->term[t], t == 0);
            }
        }
    }
    if (is_open)
        wp_text_add(out, "\n\\end{aligned}\n%s", close);
}

static void add_numbers(const struct wp_matrix *core, const char *open, const char *close,
                        struct wp_text *out)
{
    wp_text_add(out, "%s", open);
    add_matrix(core, out);
    wp_text_add(out, "%s", close);
    add_long_entries(core, open, close, out);
}

static void add_constants(const struct wp_scheme *scheme, const struct wp_constant *constants,
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

static void add_scale(const double scale[], int components, const char *when, const char *open,
                      const char *close, struct wp_text *out)
{
    bool is_scaled = false;
    for (int c = 0; c < components; c++)
        is_scaled = is_scaled || scale[c] < 1.0 || scale[c] > 1.0;
    if (!is_scaled)
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
            add_scale(scheme->scale_in, components, "first", open, close, out);
        add_constants(scheme, pass->before, pass->before_count, open, close, out);
        if (!wp_matrix_is_identity(&pass->core)) {
            if (numbers)
                add_numbers(&pass->core, open, close, out);
            else
                add_symbols(scheme, pass, open, close, out);
        }
        add_constants(scheme, pass->after, pass->after_count, open, close, out);
        if (p == scheme->pass_count - 1)
            add_scale(scheme->scale_out, components, "last", open, close, out);
    }
}
