#include "report_algebra.h"

#include "explain.h"
#include "explain_symbols.h"
#include "html.h"

static void add_meaning(const struct wp_symbols *symbols, struct wp_text *out)
{
    wp_text_add(out, "<p>");
    for (int s = 0; s < symbols->count; s++) {
        const struct wp_symbol *symbol = &symbols->symbol[s];
        wp_symbols_mark_up(out, symbol->name, &wp_markup_html);
        wp_text_add(out, " = ");
        if (symbol->expression.length)
            wp_symbols_mark_up(out, wp_text_get(&symbol->expression), &wp_markup_html);
        else
            wp_html_poly(out, &symbol->filter);
        wp_text_add(out, "<br/>\n");
    }
    if (wp_symbols_starred(symbols, 1))
        wp_text_add(out, "A star marks the same polynomial in z<sub>n</sub>.");
    if (wp_symbols_starred(symbols, 2))
        wp_text_add(out, "%sTwo stars mark the same polynomial in z<sub>o</sub>.",
                    wp_symbols_starred(symbols, 1) ? " " : "");
    wp_text_add(out, "</p>\n");
}

// In 8x8 matrices the fifth row and column begin the odd slice.
static const char *rule_before(int row, int column)
{
    static const char *const rules[2][2] = {
        {"", " class=\"odd-column\""},
        {" class=\"odd-row\"", " class=\"odd-column odd-row\""},
    };
    return rules[row == WP_COMPONENTS][column == WP_COMPONENTS];
}

static void add_matrix(const struct wp_scheme *scheme, const struct wp_pass *pass, bool hide,
                       struct wp_text *out)
{
    struct wp_symbols symbols;
    wp_symbols_create(&symbols, scheme, pass);
    wp_text_add(out, "<table class=\"matrix\">\n<tr><th></th>");
    for (int j = 0; j < symbols.components; j++)
        wp_text_add(out, "<th%s scope=\"col\">%s</th>", rule_before(0, j),
                    wp_explain_component(j, scheme->dims));
    wp_text_add(out, "</tr>\n");
    for (int i = 0; i < symbols.components; i++) {
        wp_text_add(out, "<tr><th%s scope=\"row\">%s</th>", rule_before(i, 0),
                    wp_explain_component(i, scheme->dims));
        for (int j = 0; j < symbols.components; j++) {
            wp_text_add(out, "<td%s>", rule_before(i, j));
            if (!hide)
                wp_symbols_mark_up(out, wp_text_get(&symbols.cell[i][j]), &wp_markup_html);
            wp_text_add(out, "</td>");
        }
        wp_text_add(out, "</tr>\n");
    }
    wp_text_add(out, "</table>\n");
    add_meaning(&symbols, out);
    wp_symbols_free(&symbols);
}

static void add_constants(const struct wp_scheme *scheme, const struct wp_constant *constants,
                          int count, const char *when, struct wp_text *out)
{
    if (count == 0)
        return;
    wp_text_add(out, "<p>%s, inside the %s:", when, wp_explain_vocabulary(scheme->dims)->group);
    for (int i = 0; i < count; i++) {
        struct wp_statement statement[WP_STATEMENTS_MAX];
        struct wp_text name = {0};
        const int statements = wp_scheme_statements(scheme, &constants[i], statement);
        wp_explain_constant_name(&name, &constants[i]);
        wp_text_add(out, "<br/>\n");
        wp_html_label(out, wp_text_get(&name));
        wp_text_free(&name);
        for (int s = 0; s < statements; s++) {
            char number[WP_NUMBER_SIZE];
            wp_text_add(out, "%s %s += ", s ? "," : ":",
                        wp_explain_component(statement[s].destination, scheme->dims));
            wp_text_add_signed(out, wp_format_number(number, statement[s].c, 6));
            wp_text_add(out, " %s", wp_explain_component(statement[s].source, scheme->dims));
        }
    }
    wp_text_add(out, "</p>\n");
}

void wp_report_algebra(const struct wp_scheme *scheme, const struct wp_pass *pass, bool blanks,
                       struct wp_text *out)
{
    add_constants(scheme, pass->before, pass->before_count, "Before the matrix", out);
    if (wp_matrix_is_identity(&pass->core))
        wp_html_element(out, "p", "The matrix is the identity.");
    else
        add_matrix(scheme, pass, blanks, out);
    add_constants(scheme, pass->after, pass->after_count, "After the matrix", out);
}
