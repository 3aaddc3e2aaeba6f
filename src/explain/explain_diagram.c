// Data-flow diagrams after Figures 1 to 6 and 10 of Barina et al. 2017: an arrow a multiply-add.
#include "explain_grid.h"
#include "explain_internal.h"
#include "svg.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { CELL = 34, LABELLED_CELL = 60, GAP = 22, PASS_WIDTH_MIN = 182, HEAD_LINE = 15, MARGIN = 20 };

// Some rows of a matrix, drawn on one grid. A constant is such a matrix too.
struct panel {
    const struct wp_matrix *matrix;
    int rows;      // bits
    bool constant;
    enum wp_explain_arrows arrows;
};

static bool is_arrow(const struct panel *panel, int row, int column)
{
    const struct wp_poly *entry = &panel->matrix->at[row][column];
    // A one on the diagonal means that the sample stays.
    return panel->rows >> row & 1 && !(row == column && wp_poly_is_one(entry));
}

static int count_row(const struct panel *panel, int row)
{
    int count = 0;
    for (int j = 0; j < WP_COMPONENTS; j++)
        if (is_arrow(panel, row, j))
            count += panel->matrix->at[row][j].count;
    return count;
}

static int count_arrows(const struct panel *panel)
{
    int count = 0;
    for (int i = 0; i < WP_COMPONENTS; i++)
        count += count_row(panel, i);
    return count;
}

// True where a sample is the source of an arrow.
static bool is_read(const struct panel *panel, int component, int m, int n)
{
    for (int i = 0; i < WP_COMPONENTS; i++) {
        const struct wp_poly *entry = &panel->matrix->at[i][component];
        for (int t = 0; is_arrow(panel, i, component) && t < entry->count; t++)
            if (entry->term[t].at[WP_X] == m && entry->term[t].at[WP_Y] == n)
                return true;
    }
    return false;
}

// True where no arrow leaves its row of samples (axis H) or its column (V).
static bool runs_along(const struct wp_matrix *core, enum wp_axis axis)
{
    for (int i = 0; i < WP_COMPONENTS; i++) {
        for (int j = 0; j < WP_COMPONENTS; j++) {
            for (int t = 0; t < core->at[i][j].count; t++) {
                const struct wp_term *term = &core->at[i][j].term[t];
                if (axis == WP_AXIS_H ? term->at[WP_Y] || (i ^ j) & 2
                                      : term->at[WP_X] || (i ^ j) & 1)
                    return false;
            }
        }
    }
    return true;
}

// The panels of a pass's core: a row of the matrix each, or two where their arrows lie beside
// each other. Rows without arrows are left out.
static int list_panels(const struct wp_matrix *core, enum wp_explain_arrows arrows,
                       struct panel panel[WP_COMPONENTS])
{
    static const int single[] = {1, 2, 4, 8, 0}, even_odd_x[] = {5, 10, 0},
                     even_odd_y[] = {3, 12, 0};
    const int *rows = runs_along(core, WP_AXIS_H)   ? even_odd_x
                      : runs_along(core, WP_AXIS_V) ? even_odd_y
                                                    : single;
    int count = 0;
    for (; *rows; rows++) {
        panel[count] = (struct panel){core, *rows, false, arrows};
        count += count_arrows(&panel[count]) > 0;
    }
    return count;
}

static struct wp_matrix constant_matrix(const struct wp_scheme *scheme,
                                        const struct wp_constant *constant)
{
    struct wp_matrix matrix = wp_matrix_identity(1 << scheme->dims);
    struct wp_statement statement[WP_STATEMENTS_MAX];
    const int statements = wp_scheme_statements(scheme, constant, statement);
    for (int s = 0; s < statements; s++)
        matrix.at[statement[s].destination][statement[s].source] =
            wp_poly_monomial(&(struct wp_term){.c = statement[s].c});
    return matrix;
}

// "g, a: 4 operations"
static void add_panel_title(struct wp_text *out, const struct panel *panel)
{
    const int arrows = count_arrows(panel);
    const char *comma = "";
    for (int i = 0; i < WP_COMPONENTS; i++) {
        if (panel->rows >> i & 1) {
            wp_text_add(out, "%s%c", comma, wp_grid_styles[i].letter);
            comma = ", ";
        }
    }
    if (panel->arrows != WP_EXPLAIN_NO_ARROWS)
        wp_text_add(out, ": %d arrow%s", arrows, WP_PLURAL(arrows));
}

// ---- SVG ----

static int common_divisor(int a, int b)
{
    return b ? common_divisor(b, a % b) : abs(a);
}

// The path of an arrow between samples, from edge to edge of their marks. It bends where a
// sample lies between the two. `label` gets a place beside it, nearer to the source, where
// arrows to the same sample are farther apart.
static void add_arrow_path(const struct wp_grid *grid, int sx, int sy, int dx, int dy,
                           struct wp_svg_label *label, struct wp_text *out)
{
    const double x0 = wp_grid_px(grid, sx), y0 = wp_grid_py(grid, sy);
    const double x1 = wp_grid_px(grid, dx), y1 = wp_grid_py(grid, dy);
    if (sx == dx && sy == dy) {
        wp_svg_add(out, "M@ @C@ @ @ @ @ @", x0 - 5, y0 - 7, x0 - 13, y0 - 19, x0 + 13, y0 - 19,
                   x0 + 6, y0 - 9);
        label->x = x0 + 8;
        label->y = y0 - 13;
        label->anchor = "start";
        return;
    }
    const double length = hypot(x1 - x0, y1 - y0);
    const double ux = (x1 - x0) / length, uy = (y1 - y0) / length;
    // To the upper side of what comes from the left and of what comes from the right.
    const double side = x1 - x0 > 0.0 || (dx == sx && y1 < y0) ? 1.0 : -1.0;
    const double bend = common_divisor(dx - sx, dy - sy) > 1 ? side * (6.0 + 0.16 * length) : 0.0;
    const double cx = (x0 + x1) / 2 + bend * uy, cy = (y0 + y1) / 2 - bend * ux;
    const double from = hypot(cx - x0, cy - y0);
    wp_svg_add(out, "M@ @Q@ @ @ @", x0 + 8 * (cx - x0) / from, y0 + 8 * (cy - y0) / from, cx, cy,
               x1 + 10 * (cx - x1) / from, y1 + 10 * (cy - y1) / from);
    // Beside the middle of the shortest arrows, above them where they run level; long ones meet
    // near their end.
    const bool level = fabs(ux) > 0.8;
    const double t = length < 1.1 * grid->cell ? 0.5 : 0.35;
    const double a = (1 - t) * (1 - t), b = 2 * t * (1 - t), c = t * t;
    label->x = a * x0 + b * cx + c * x1 + (level ? 0 : 3);
    label->y = a * y0 + b * cy + c * y1 - (level ? 3.5 : -2);
    label->anchor = level ? "middle" : "start";
}

static void draw_arrow(const struct wp_grid *grid, const struct panel *panel, int row, int column,
                       const struct wp_term *term, struct wp_text *out)
{
    const struct wp_grid_style *source = &wp_grid_styles[column];
    struct wp_svg_label label = {.size = 7,
                                 .style = "fill=\"#222\" stroke=\"#fff\" "
                                          "stroke-width=\"1.5\" paint-order=\"stroke\""};
    char number[WP_NUMBER_SIZE];
    wp_text_add(out, "<path class=\"arrow%s\" stroke=\"%s\"%s marker-end=\"url(#head-%c)\" d=\"",
                panel->constant ? " constant" : "", source->colour,
                panel->constant ? " stroke-dasharray=\"4 3\"" : "", source->letter);
    add_arrow_path(grid, wp_grid_x(column, term->at[WP_X]), wp_grid_y(column, term->at[WP_Y]),
                   wp_grid_x(row, 0), wp_grid_y(row, 0), &label, out);
    wp_text_add(out, "\"><title>%c += %s %c(%+d, %+d)</title></path>\n",
                wp_grid_styles[row].letter, wp_format_number(number, term->c, 10), source->letter,
                term->at[WP_X], term->at[WP_Y]);
    if (panel->arrows == WP_EXPLAIN_LABELLED_ARROWS)
        wp_svg_text(out, &label, wp_format_number(number, term->c, 4));
}

static void draw_panel(const struct wp_grid *grid, const struct panel *panel, struct wp_text *out)
{
    wp_grid_quads(grid, out);
    for (int n = grid->box.low[WP_Y]; n <= grid->box.high[WP_Y]; n++) {
        for (int m = grid->box.low[WP_X]; m <= grid->box.high[WP_X]; m++) {
            for (int c = 0; c < WP_COMPONENTS; c++) {
                const bool result = m == 0 && n == 0 && count_row(panel, c) > 0;
                const bool faint = !result && !is_read(panel, c, m, n) &&
                                   panel->arrows != WP_EXPLAIN_NO_ARROWS;
                const double x = wp_grid_px(grid, wp_grid_x(c, m)),
                             y = wp_grid_py(grid, wp_grid_y(c, n));
                wp_grid_mark(out, c, x, y, 6.5, faint);
                if (result)
                    wp_svg_add(out,
                               "<circle cx=\"@\" cy=\"@\" r=\"9.5\" fill=\"none\" "
                               "stroke=\"#222\"/>\n", x, y);
            }
        }
    }
    if (panel->arrows == WP_EXPLAIN_NO_ARROWS)
        return;
    wp_text_add(out, "<g fill=\"none\" stroke-width=\"1.3\" stroke-opacity=\".8\">\n");
    for (int i = 0; i < WP_COMPONENTS; i++)
        for (int j = 0; j < WP_COMPONENTS; j++)
            for (int t = 0; is_arrow(panel, i, j) && t < panel->matrix->at[i][j].count; t++)
                draw_arrow(grid, panel, i, j, &panel->matrix->at[i][j].term[t], out);
    wp_text_add(out, "</g>\n");
}

// Words of a label in lines of a width; returns y behind them.
static double draw_label(struct wp_text *out, double x, double y, double width, const char *label)
{
    const size_t columns = (size_t)(width / 6.4);
    while (*label) {
        size_t length = strlen(label);
        if (length > columns) {
            length = columns;
            while (length > 0 && label[length] != ' ')
                length--;
            if (length == 0)
                length = strcspn(label, " ");
        }
        struct wp_text line = {0};
        wp_text_add(&line, "%.*s", (int)length, label);
        wp_svg_text(out, &(struct wp_svg_label){.x = x, .y = y, .size = 11}, wp_text_get(&line));
        wp_text_free(&line);
        y += HEAD_LINE;
        label += length;
        label += strspn(label, " ");
    }
    return y;
}

// The constants of a pass, side by side. Returns y behind them.
// Coefficients need room.
static double cell_size(enum wp_explain_arrows arrows)
{
    return arrows == WP_EXPLAIN_LABELLED_ARROWS ? LABELLED_CELL : CELL;
}

static double draw_constants(const struct wp_scheme *scheme, const struct wp_constant *constants,
                             int count, enum wp_explain_arrows arrows, double x, double y,
                             double width, struct wp_text *out)
{
    const double side = 2 * cell_size(arrows), slot = side + GAP + 1;
    const int columns = width < 2 * slot ? 1 : (int)(width / slot);
    for (int i = 0; i < count; i++) {
        struct wp_matrix matrix = constant_matrix(scheme, &constants[i]);
        const struct panel panel = {&matrix, 15, true, arrows};
        const struct wp_grid grid = {.x = x + slot * (i % columns),
                                     .y = y + (side + GAP + 4) * (i / columns) + 8,
                                     .cell = side / 2};
        struct wp_text name = {0};
        wp_explain_constant_name(&name, &constants[i]);
        wp_svg_text(out, &(struct wp_svg_label){.x = grid.x, .y = grid.y - 5, .size = 11},
                    wp_text_get(&name));
        wp_text_free(&name);
        draw_panel(&grid, &panel, out);
        wp_matrix_free(&matrix);
    }
    return y + (side + GAP + 4) * ((count + columns - 1) / columns);
}

// How many panels stand side by side: pairs of rows along the axis that they leave free.
static int panels_across(const struct wp_matrix *core)
{
    return runs_along(core, WP_AXIS_H) ? 1 : 2;
}

static double pass_width(const struct wp_pass *pass, enum wp_explain_arrows arrows)
{
    const int across = panels_across(&pass->core);
    const double quad = 2 * cell_size(arrows);
    const double width =
        across * quad * (pass->reach.high[WP_X] - pass->reach.low[WP_X] + 1) + (across - 1) * GAP;
    return width > PASS_WIDTH_MIN ? width : PASS_WIDTH_MIN;
}

static double draw_core(const struct wp_pass *pass, enum wp_explain_arrows arrows, double x,
                        double y, struct wp_text *out)
{
    struct panel panel[WP_COMPONENTS];
    const int count = list_panels(&pass->core, arrows, panel), across = panels_across(&pass->core);
    struct wp_grid grid = {.cell = cell_size(arrows), .box = pass->reach};
    const double width = wp_grid_width(&grid) + GAP, height = wp_grid_height(&grid) + GAP + 8;
    for (int i = 0; i < count; i++) {
        struct wp_text title = {0};
        grid.x = x + width * (i % across);
        grid.y = y + height * (i / across) + 8;
        add_panel_title(&title, &panel[i]);
        wp_svg_text(out, &(struct wp_svg_label){.x = grid.x, .y = grid.y - 5, .size = 11},
                    wp_text_get(&title));
        wp_text_free(&title);
        draw_panel(&grid, &panel[i], out);
    }
    return y + height * ((count + across - 1) / across);
}

// Returns y behind the pass.
static double draw_pass(const struct wp_scheme *scheme, int p, enum wp_explain_arrows arrows,
                        double x, double y, struct wp_text *out)
{
    const struct wp_pass *pass = &scheme->pass[p];
    const double width = pass_width(pass, arrows);
    struct wp_text head = {0};
    wp_text_add(&head, "pass %d of %d", p + 1, scheme->pass_count);
    if (arrows != WP_EXPLAIN_NO_ARROWS)
        wp_text_add(&head, ": %d operations", wp_pass_operations(pass));
    wp_svg_text(out, &(struct wp_svg_label){.x = x, .y = y, .style = "font-weight=\"bold\""},
                wp_text_get(&head));
    wp_text_free(&head);
    y = draw_label(out, x, y + HEAD_LINE, width, pass->label) + 6;
    y = draw_constants(scheme, pass->before, pass->before_count, arrows, x, y, width, out);
    y = draw_core(pass, arrows, x, y, out);
    return draw_constants(scheme, pass->after, pass->after_count, arrows, x, y, width, out);
}

static void draw_heads(struct wp_text *out)
{
    wp_text_add(out, "<defs>\n");
    for (int c = 0; c < WP_COMPONENTS; c++)
        wp_text_add(out,
                    "<marker id=\"head-%c\" markerUnits=\"userSpaceOnUse\" markerWidth=\"8\" "
                    "markerHeight=\"8\" refX=\"7\" refY=\"4\" orient=\"auto\">"
                    "<path d=\"M0 1L8 4L0 7Z\" fill=\"%s\"/></marker>\n",
                    wp_grid_styles[c].letter, wp_grid_styles[c].colour);
    wp_text_add(out, "</defs>\n");
}

// The legend of what is not a component; two lines below that of the components.
static void draw_key(double x, double y, struct wp_text *out)
{
    wp_svg_add(out,
               "<path d=\"M@ @h24\" stroke=\"#222\" stroke-width=\"1.3\"/>\n"
               "<path d=\"M@ @h24\" stroke=\"#222\" stroke-width=\"1.3\" "
               "stroke-dasharray=\"4 3\"/>\n"
               "<path d=\"M@ @v14\" stroke=\"#222\" stroke-width=\"5\"/>\n",
               x, y - 4, x + 158, y - 4, x + 488, y - 11);
    wp_svg_text(out, &(struct wp_svg_label){.x = x + 30, .y = y}, "multiply-add");
    wp_svg_text(out, &(struct wp_svg_label){.x = x + 188, .y = y},
                "the same by a constant (P0, U0) inside a quad");
    wp_svg_text(out, &(struct wp_svg_label){.x = x + 498, .y = y}, "barrier; time runs rightwards");
}

// The line below the title, and what those who don't see the picture read.
static void describe(const struct wp_scheme *scheme, enum wp_explain_arrows arrows,
                     struct wp_text *note, struct wp_text *description)
{
    if (arrows == WP_EXPLAIN_NO_ARROWS) {
        wp_text_add(note, "draw an arrow for every multiply-add, from the sample that is read to "
                          "the ringed one that changes");
        wp_text_add(description, "Data-flow diagram to be completed: the samples around a quad, "
                                 "without arrows.");
        return;
    }
    const int operations = wp_scheme_operations(scheme);
    wp_text_add(note, "%d operation%s for a quad of 2x2 samples in %d pass%s", operations,
                WP_PLURAL(operations), scheme->pass_count,
                WP_PLURAL_ES(scheme->pass_count));
    wp_text_add(description,
                "Data-flow diagram: %s. Every arrow is a multiply-add from a sample that is read "
                "to a ringed sample that is changed.", wp_text_get(note));
    for (int p = 0; p < scheme->pass_count; p++)
        wp_text_add(description, "%s pass %d: %s, %d arrows.", p ? " Barrier;" : "", p + 1,
                    scheme->pass[p].label, wp_pass_operations(&scheme->pass[p]));
}

static void draw_diagram(const struct wp_scheme *scheme, enum wp_explain_arrows arrows,
                         struct wp_text *out)
{
    const double top = MARGIN + 54;
    struct wp_text body = {0}, title = {0}, description = {0}, note = {0};
    double x = MARGIN, bottom = top;
    draw_heads(&body);
    for (int p = 0; p < scheme->pass_count; p++) {
        const double y = draw_pass(scheme, p, arrows, x, top, &body);
        bottom = y > bottom ? y : bottom;
        x += pass_width(&scheme->pass[p], arrows) + 2 * MARGIN;
    }
    double bar = MARGIN;
    for (int p = 0; p + 1 < scheme->pass_count; p++) {
        bar += pass_width(&scheme->pass[p], arrows) + 2 * MARGIN;
        wp_svg_add(&body,
                   "<path class=\"barrier\" d=\"M@ @V@\" stroke=\"#222\" stroke-width=\"5\"/>\n",
                   bar - MARGIN, top - 14, bottom);
    }
    const double legend = wp_grid_legend(&body, MARGIN, bottom + 24);
    draw_key(MARGIN, bottom + 48, &body);
    wp_text_add(&title, "%s, %s", scheme->name,
                wp_direction_names[scheme->direction]);
    describe(scheme, arrows, &note, &description);
    wp_svg_text(&body, &(struct wp_svg_label){.x = MARGIN, .y = MARGIN + 8, .size = 18},
                wp_text_get(&title));
    wp_svg_text(&body, &(struct wp_svg_label){.x = MARGIN, .y = MARGIN + 26},
                wp_text_get(&note));
    const double width = x - MARGIN > legend + 2 * MARGIN + 30 ? x - MARGIN
                                                               : legend + 2 * MARGIN + 30;
    wp_svg_wrap(out, &(struct wp_svg_page){width, bottom + 48 + MARGIN, wp_text_get(&title),
                                           wp_text_get(&description)},
                wp_text_get(&body));
    wp_text_free(&body);
    wp_text_free(&title);
    wp_text_free(&description);
    wp_text_free(&note);
}

// ---- text ----

static void write_panel(const struct panel *panel, const struct wp_reach *box,
                        struct wp_text *out)
{
    wp_text_add(out, "  ");
    add_panel_title(out, panel);
    wp_text_add(out, "\n");
    for (int y = 2 * box->low[WP_Y]; y <= 2 * box->high[WP_Y] + 1; y++) {
        wp_text_add(out, "   ");
        for (int x = 2 * box->low[WP_X]; x <= 2 * box->high[WP_X] + 1; x++) {
            const int c = abs(x % 2) + 2 * abs(y % 2), m = (x - (c & 1)) / 2,
                      n = (y - (c >> 1)) / 2;
            const bool result = m == 0 && n == 0 && count_row(panel, c) > 0;
            const bool read = is_read(panel, c, m, n);
            wp_text_add(out, "%s%c%c%c", x % 2 == 0 ? " " : "", result ? '[' : ' ',
                        read ? wp_grid_styles[c].letter : result ? '*' : '.', result ? ']' : ' ');
        }
        wp_text_add(out, "\n%s", y % 2 && y < 2 * box->high[WP_Y] ? "\n" : "");
    }
}

static void write_constants(const struct wp_scheme *scheme, const struct wp_constant *constants,
                            int count, struct wp_text *out)
{
    for (int i = 0; i < count; i++) {
        struct wp_statement statement[WP_STATEMENTS_MAX];
        wp_scheme_statements(scheme, &constants[i], statement);
        wp_text_add(out, "  no barrier, ");
        wp_explain_constant_name(out, &constants[i]);
        wp_text_add(out, ": %c -> %c, %c -> %c\n", wp_grid_styles[statement[0].source].letter,
                    wp_grid_styles[statement[0].destination].letter,
                    wp_grid_styles[statement[1].source].letter,
                    wp_grid_styles[statement[1].destination].letter);
    }
}

static void write_diagram(const struct wp_scheme *scheme, struct wp_text *out)
{
    wp_text_add(out,
                "%s, %s: %d operations\n\n"
                "Quads of 2x2 samples: r even x even y, g odd x even y, b even x odd y, a odd x "
                "odd y.\n[ ] is the sample that is computed, * where it is not read itself; a "
                "letter is a sample that\nis read with a multiply-add (an arrow), . one that is "
                "not.\n",
                scheme->name, wp_direction_names[scheme->direction],
                wp_scheme_operations(scheme));
    for (int p = 0; p < scheme->pass_count; p++) {
        const struct wp_pass *pass = &scheme->pass[p];
        struct panel panel[WP_COMPONENTS];
        const int count = list_panels(&pass->core, WP_EXPLAIN_ARROWS, panel);
        wp_text_add(out, "%s\npass %d of %d: ", p ? "\n======== barrier ========\n" : "", p + 1,
                    scheme->pass_count);
        struct wp_explain_lines lines = wp_explain_lines(out, 4);
        wp_explain_words(&lines, pass->label);
        wp_text_add(out, "\n");
        write_constants(scheme, pass->before, pass->before_count, out);
        for (int i = 0; i < count; i++)
            write_panel(&panel[i], &pass->reach, out);
        write_constants(scheme, pass->after, pass->after_count, out);
    }
}

void wp_explain_diagram(const struct wp_scheme *scheme, enum wp_explain_format format,
                        enum wp_explain_arrows arrows, struct wp_text *out)
{
    if (format == WP_EXPLAIN_SVG)
        draw_diagram(scheme, arrows, out);
    else
        write_diagram(scheme, out);
}
