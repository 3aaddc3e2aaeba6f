#include "explain_internal.h"
#include "explain_symbols.h"

#include <math.h>
#include <string.h>

// Entries as long as this stand in the matrix, longer ones below it: four columns, their names
// and brackets fit WP_EXPLAIN_COLUMNS.
enum { CELL_MAX = 21 };

static const char component[WP_COMPONENTS] = {'r', 'g', 'b', 'a'};

static const char *format_short(char number[WP_NUMBER_SIZE], double value)
{
    wp_format_number(number, value, 6);
    const size_t length = strlen(number);
    if (length > 2 && strcmp(number + length - 2, ".0") == 0)
        number[length - 2] = '\0';
    return number;
}

static void add_power(struct wp_text *out, const char *variable, int exponent)
{
    if (exponent == 1)
        wp_text_add(out, " %s", variable);
    else if (exponent)
        wp_text_add(out, " %s^%d", variable, exponent);
}

// One term with its sign: "-0.5 zm^-1", or " - 0.5 zm^-1" behind another one.
static void add_term(struct wp_text *out, const struct wp_term *term, bool first)
{
    char number[WP_NUMBER_SIZE];
    format_short(number, fabs(term->c));
    const char *sign = term->c < 0 ? (first ? "-" : " - ") : (first ? "" : " + ");
    struct wp_text powers = {0};
    add_power(&powers, "zm", -term->at[WP_X]);
    add_power(&powers, "zn", -term->at[WP_Y]);
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

// "a21 = …", wrapped between terms.
static void add_long_entry(struct wp_text *out, int row, int column, const struct wp_poly *poly)
{
    wp_text_add(out, "  a%d%d = ", row + 1, column + 1);
    struct wp_explain_lines lines = wp_explain_lines(out, 8);
    struct wp_text term = {0};
    for (int t = 0; t < poly->count; t++) {
        wp_text_clear(&term);
        add_term(&term, &poly->term[t], t == 0);
        wp_explain_piece(&lines, wp_text_get(&term));
    }
    wp_text_add(out, "\n");
    wp_text_free(&term);
}

struct cells {
    struct wp_text at[WP_COMPONENTS][WP_COMPONENTS];
};

static void add_cells(struct cells *cells, struct wp_text *out)
{
    int width[WP_COMPONENTS] = {0};
    for (int i = 0; i < WP_COMPONENTS; i++)
        for (int j = 0; j < WP_COMPONENTS; j++)
            if ((int)cells->at[i][j].length > width[j])
                width[j] = (int)cells->at[i][j].length;
    wp_text_add(out, "    ");
    for (int j = 0; j < WP_COMPONENTS; j++)
        wp_text_add(out, "  %*c", width[j], component[j]);
    wp_text_add(out, "\n");
    for (int i = 0; i < WP_COMPONENTS; i++) {
        wp_text_add(out, "  %c [", component[i]);
        for (int j = 0; j < WP_COMPONENTS; j++)
            wp_text_add(out, "%s%*s", j ? "  " : " ", width[j], wp_text_get(&cells->at[i][j]));
        wp_text_add(out, " ]\n");
    }
}

static void add_core(const struct wp_matrix *core, struct wp_text *out)
{
    struct cells cells = {0};
    bool below[WP_COMPONENTS][WP_COMPONENTS] = {0};
    for (int i = 0; i < WP_COMPONENTS; i++) {
        for (int j = 0; j < WP_COMPONENTS; j++) {
            struct wp_text *cell = &cells.at[i][j];
            wp_explain_poly(cell, &core->at[i][j]);
            below[i][j] = cell->length > CELL_MAX;
            if (below[i][j]) {
                wp_text_clear(cell);
                wp_text_add(cell, "a%d%d", i + 1, j + 1);
            }
        }
    }
    add_cells(&cells, out);
    for (int i = 0; i < WP_COMPONENTS; i++) {
        for (int j = 0; j < WP_COMPONENTS; j++) {
            if (below[i][j])
                add_long_entry(out, i, j, &core->at[i][j]);
            wp_text_free(&cells.at[i][j]);
        }
    }
}

static void add_symbols(const struct wp_scheme *scheme, const struct wp_pass *pass,
                        struct wp_text *out)
{
    struct wp_symbols symbols;
    wp_symbols_create(&symbols, scheme, pass);
    struct cells cells;
    memcpy(cells.at, symbols.cell, sizeof cells.at);
    add_cells(&cells, out);
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
    if (wp_symbols_vertical(&symbols))
        wp_text_add(out, "  A star: the same with zn in place of zm.\n");
    wp_symbols_free(&symbols);
}

static void add_constants(const struct wp_scheme *scheme, const struct wp_constant *constants,
                          int count, const char *when, struct wp_text *out)
{
    if (count == 0)
        return;
    wp_text_add(out, "  %s the matrix, inside the quad:\n", when);
    for (int i = 0; i < count; i++) {
        const struct wp_constant *constant = &constants[i];
        struct wp_statement statement[WP_STATEMENTS_MAX];
        const int statements = wp_scheme_statements(scheme, constant, statement);
        wp_text_add(out, "    ");
        wp_explain_constant_name(out, constant);
        wp_text_add(out, ": ");
        for (int s = 0; s < statements; s++) {
            char number[WP_NUMBER_SIZE];
            const double c = statement[s].c;
            format_short(number, fabs(c));
            wp_text_add(out, "%s%c %s= ", s ? ", " : " ", component[statement[s].destination],
                        c < 0 ? "-" : "+");
            if (strcmp(number, "1") != 0)
                wp_text_add(out, "%s ", number);
            wp_text_add(out, "%c", component[statement[s].source]);
        }
        wp_text_add(out, "\n");
    }
}

static void add_scale(const double scale[WP_COMPONENTS], const char *when, struct wp_text *out)
{
    bool scaled = false;
    for (int c = 0; c < WP_COMPONENTS; c++)
        scaled = scaled || scale[c] < 1.0 || scale[c] > 1.0;
    if (!scaled)
        return;
    wp_text_add(out, "  scaling %s, not counted:", when);
    for (int c = 0; c < WP_COMPONENTS; c++) {
        char number[WP_NUMBER_SIZE];
        wp_text_add(out, "%s%c *= %s", c ? ", " : " ", component[c],
                    format_short(number, scale[c]));
    }
    wp_text_add(out, "\n");
}

void wp_explain_matrix(const struct wp_scheme *scheme, bool numbers, struct wp_text *out)
{
    wp_text_add(out,
                "A quad of 2x2 samples is one texel: r even x even y, g odd x even y, b even x "
                "odd y,\na odd x odd y; after the transform LL, HL, LH, HH. A term c zm^-i zn^-j "
                "reads the quad at\n(x+i, y+j). Each row gives one component of the result.\n");
    for (int p = 0; p < scheme->pass_count; p++) {
        const struct wp_pass *pass = &scheme->pass[p];
        wp_text_add(out, "%s\npass %d of %d: ", p ? "\n======== barrier ========\n" : "", p + 1,
                    scheme->pass_count);
        struct wp_explain_lines lines = wp_explain_lines(out, 4);
        wp_explain_words(&lines, pass->label);
        wp_text_add(out, "\n");
        if (p == 0)
            add_scale(scheme->scale_in, "first", out);
        add_constants(scheme, pass->before, pass->before_count, "before", out);
        if (wp_matrix_is_identity(&pass->core))
            wp_text_add(out, "  the identity\n");
        else if (numbers)
            add_core(&pass->core, out);
        else
            add_symbols(scheme, pass, out);
        add_constants(scheme, pass->after, pass->after_count, "after", out);
        if (p == scheme->pass_count - 1)
            add_scale(scheme->scale_out, "last", out);
    }
}
