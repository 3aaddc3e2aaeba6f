// Data-flow diagrams after Figures 1 to 6 and 10 of Barina et al. 2017, with an arrow per
// multiply-add.
#include "explain_grid.h"
#include "explain_internal.h"
#include "svg.h"
#include "xmemory.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CELL = 34, LABELLED_CELL = 60, VOLUME_CELL = 56, LABELLED_VOLUME_CELL = 88 };
enum { GAP = 22, PASS_WIDTH_MIN = 182, VOLUME_PASS_WIDTH_MIN = 330, VOLUME_CONSTANTS_WIDTH = 490 };
enum { LINE_HEIGHT = 15, MARGIN = 20 };

// Rows of a matrix that are drawn on one grid. A constant is also such a matrix.
struct panel {
    const struct wp_matrix *matrix;
    int rows;      // bit i: row i
    bool constant;
    enum wp_explain_arrows arrows;
};

static bool is_arrow(const struct panel *panel, int row, int column)
{
    const struct wp_poly *entry = &panel->matrix->at[row][column];
    // A one on the diagonal keeps the sample.
    return panel->rows >> row & 1 && !(row == column && wp_poly_is_one(entry));
}

static int count_row(const struct panel *panel, int row)
{
    int count = 0;
    for (int j = 0; j < panel->matrix->components; j++)
        if (is_arrow(panel, row, j))
            count += panel->matrix->at[row][j].count;
    return count;
}

static int count_arrows(const struct panel *panel)
{
    int count = 0;
    for (int i = 0; i < panel->matrix->components; i++)
        count += count_row(panel, i);
    return count;
}

static bool is_origin(const int at[WP_VARIABLES])
{
    return at[WP_X] == 0 && at[WP_Y] == 0 && at[WP_Z] == 0;
}

// Whether a sample is the source of an arrow.
static bool is_read(const struct panel *panel, int component, const int at[WP_VARIABLES])
{
    for (int i = 0; i < panel->matrix->components; i++) {
        const struct wp_poly *entry = &panel->matrix->at[i][component];
        for (int t = 0; is_arrow(panel, i, component) && t < entry->count; t++)
            if (memcmp(entry->term[t].at, at, sizeof entry->term[t].at) == 0)
                return true;
    }
    return false;
}

// Whether a sample is the destination of an arrow.
static bool is_result(const struct panel *panel, int component, const int at[WP_VARIABLES])
{
    return is_origin(at) && count_row(panel, component) > 0;
}

// The axes along which there are arrows, bit a for axis a.
static int find_axes(const struct wp_matrix *core)
{
    int axes = 0;
    for (int i = 0; i < core->components; i++) {
        for (int j = 0; j < core->components; j++) {
            for (int t = 0; t < core->at[i][j].count; t++) {
                axes |= i ^ j;
                for (int v = 0; v < WP_VARIABLES; v++)
                    axes |= (core->at[i][j].term[t].at[v] != 0) << v;
            }
        }
    }
    return axes;
}

// Lists the panels of a pass's core: one per row of the matrix, or one for several rows without
// arrows between them. Rows without arrows are omitted.
static int list_panels(const struct wp_matrix *core, enum wp_explain_arrows arrows,
                       struct panel panel[WP_COMPONENTS_MAX])
{
    const int axes = find_axes(core);
    int count = 0;
    for (int first = 0; first < core->components; first++) {
        if (first & ~axes)
            continue;
        panel[count] = (struct panel){core, 0, false, arrows};
        for (int i = 0; i < core->components; i++)
            panel[count].rows |= ((i & axes) == first) << i;
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

static const char *name_of(const struct wp_matrix *matrix, int component)
{
    return wp_explain_component(component, matrix->components == WP_COMPONENTS ? 2 : 3);
}

// "oe, oo: 4 arrows"; with letters, as in text: "g, a: 4 arrows".
static void add_panel_title(struct wp_text *out, const struct panel *panel, bool letters)
{
    const int arrows = count_arrows(panel);
    const char *comma = "";
    for (int i = 0; i < panel->matrix->components; i++) {
        if (!(panel->rows >> i & 1))
            continue;
        wp_text_add(out, "%s", comma);
        if (letters)
            wp_text_add(out, "%c", wp_explain_letters[i]);
        else
            wp_text_add(out, "%s", name_of(panel->matrix, i));
        comma = ", ";
    }
    if (panel->arrows != WP_EXPLAIN_NO_ARROWS)
        wp_text_add(out, ": %d arrow%s", arrows, WP_PLURAL(arrows));
}

// ---- SVG ----

static int common_divisor(int a, int b)
{
    return b ? common_divisor(b, a % b) : abs(a);
}

// An arrow between samples: a curve with one control point, or a loop at a sample.
struct arrow {
    double x0, y0, cx, cy, x1, y1;
    double middle; // position of the label along the arrow, 0..1
    bool loop, level;
};

// An arrow is curved if there is a sample between its ends.
static struct arrow find_arrow(const struct wp_grid *grid, const int source[WP_VARIABLES],
                               const int destination[WP_VARIABLES])
{
    const struct wp_grid_point p0 = wp_grid_point(grid, source);
    const struct wp_grid_point p1 = wp_grid_point(grid, destination);
    const double x0 = p0.x, y0 = p0.y, x1 = p1.x, y1 = p1.y;
    if (memcmp(source, destination, WP_VARIABLES * sizeof *source) == 0)
        return (struct arrow){.x0 = x0, .y0 = y0, .loop = true};
    int divisor = 0;
    for (int v = 0; v < WP_VARIABLES; v++)
        divisor = common_divisor(divisor, destination[v] - source[v]);
    const double length = hypot(x1 - x0, y1 - y0);
    const double ux = (x1 - x0) / length, uy = (y1 - y0) / length;
    // Curved upward, for arrows to the right and to the left.
    const double sign = x1 - x0 > 0.0 || (!(x1 < x0) && y1 < y0) ? 1.0 : -1.0;
    const double bend = divisor > 1 ? sign * (6.0 + 0.16 * length) : 0.0;
    return (struct arrow){
        .x0 = x0, .y0 = y0, .x1 = x1, .y1 = y1,
        .cx = (x0 + x1) / 2 + bend * uy, .cy = (y0 + y1) / 2 - bend * ux,
        // Nearer to the source for long arrows, which meet at their ends.
        .middle = length < 1.1 * grid->cell ? 0.5 : 0.35,
        .level = fabs(ux) > 0.8,
    };
}

// The path between the edges of the samples' marks.
static void add_arrow_path(const struct arrow *a, struct wp_text *out)
{
    if (a->loop) {
        wp_svg_add(out, "M@ @C@ @ @ @ @ @", a->x0 - 5, a->y0 - 7, a->x0 - 13, a->y0 - 19,
                   a->x0 + 13, a->y0 - 19, a->x0 + 6, a->y0 - 9);
        return;
    }
    const double half = hypot(a->cx - a->x0, a->cy - a->y0);
    wp_svg_add(out, "M@ @Q@ @ @ @", a->x0 + 8 * (a->cx - a->x0) / half,
               a->y0 + 8 * (a->cy - a->y0) / half, a->cx, a->cy,
               a->x1 + 10 * (a->cx - a->x1) / half, a->y1 + 10 * (a->cy - a->y1) / half);
}

enum { LABEL_SIZE = 7 };

// The coefficients of a panel, drawn above all arrows, and the boxes that they must not overlap: of
// each other and of marks of samples.
struct labels {
    struct wp_text text;
    struct box {
        double x, y, width, height;
    } *box;
    int count;
};

static bool is_free(const struct labels *labels, const struct box *box)
{
    for (int i = 0; i < labels->count; i++) {
        const struct box *other = &labels->box[i];
        if (box->x < other->x + other->width && other->x < box->x + box->width &&
            box->y < other->y + other->height && other->y < box->y + box->height)
            return false;
    }
    return true;
}

// Places a label of a width next to an arrow, or above it if it is level. Returns its box.
static struct box position_label(const struct arrow *a, double t, double width,
                                 struct wp_grid_point *label)
{
    const double u = (1 - t) * (1 - t), v = 2 * t * (1 - t), w = t * t;
    label->x = a->loop ? a->x0 + 8 : u * a->x0 + v * a->cx + w * a->x1 + (a->level ? 0 : 3);
    label->y = a->loop ? a->y0 - 13 : u * a->y0 + v * a->cy + w * a->y1 - (a->level ? 3.5 : -2);
    return (struct box){label->x - (a->level ? width / 2 : 0.75), label->y - 0.86 * LABEL_SIZE,
                        width, 1.1 * LABEL_SIZE};
}

// Draws a coefficient on a white rectangle, since an outline would hide a minus sign. Prefers a
// position along the arrow where it overlaps nothing.
static void add_coefficient(const struct arrow *arrow, double c, struct labels *labels)
{
    static const double along[] = {0.0, -0.12, 0.12, -0.2, 0.2, 0.3, 0.4};
    struct wp_grid_point label;
    char number[WP_NUMBER_SIZE];
    const double width = 0.58 * LABEL_SIZE * (double)strlen(wp_format_number(number, c, 4)) + 1.5;
    struct box ground = position_label(arrow, arrow->middle, width, &label);
    for (size_t i = 1; i < sizeof along / sizeof *along && !is_free(labels, &ground); i++) {
        struct wp_grid_point other;
        const struct box candidate = position_label(arrow, arrow->middle + along[i], width, &other);
        if (is_free(labels, &candidate)) {
            ground = candidate;
            label = other;
        }
    }
    labels->box[labels->count++] = ground;
    struct wp_text text = {0};
    wp_text_add_signed(&text, number);
    wp_svg_add(&labels->text,
               "<rect x=\"@\" y=\"@\" width=\"@\" height=\"@\" fill=\"#fff\" "
               "fill-opacity=\".85\"/>", ground.x, ground.y, ground.width, ground.height);
    wp_svg_text(&labels->text, label.x, label.y, LABEL_SIZE,
                arrow->level ? WP_SVG_MIDDLE : "text-anchor=\"start\"", "%s", wp_text_get(&text));
    wp_text_free(&text);
}

static void draw_arrow(const struct wp_grid *grid, const struct panel *panel, int row, int column,
                       const struct wp_term *term, struct labels *labels, struct wp_text *out)
{
    static const int origin[WP_VARIABLES] = {0};
    char number[WP_NUMBER_SIZE];
    int source[WP_VARIABLES], destination[WP_VARIABLES];
    wp_grid_sample(column, term->at, source);
    wp_grid_sample(row, origin, destination);
    const struct arrow arrow = find_arrow(grid, source, destination);
    wp_text_add(out, "<path class=\"arrow%s\" stroke=\"%s\"%s marker-end=\"url(#head-%c)\" d=\"",
                panel->constant ? " constant" : "", wp_grid_colour(column),
                panel->constant ? " stroke-dasharray=\"4 3\"" : "",
                wp_explain_letters[column % WP_COMPONENTS]);
    add_arrow_path(&arrow, out);
    wp_text_add(out, "\"><title>%s += %s %s(%+d, %+d", name_of(panel->matrix, row),
                wp_format_number(number, term->c, 10), name_of(panel->matrix, column),
                term->at[WP_X], term->at[WP_Y]);
    if (grid->dims == 3)
        wp_text_add(out, ", %+d", term->at[WP_Z]);
    wp_text_add(out, ")</title></path>\n");
    if (panel->arrows == WP_EXPLAIN_LABELLED_ARROWS)
        add_coefficient(&arrow, term->c, labels);
}

enum { MARK_RADIUS = 6 };

static void draw_panel(const struct wp_grid *grid, const struct panel *panel, struct wp_text *out)
{
    struct labels labels = {0};
    labels.box = wp_xcalloc((size_t)(count_arrows(panel) + wp_grid_samples(grid)),
                            sizeof *labels.box);
    wp_grid_groups(grid, out);
    for (int i = 0; i < wp_grid_samples(grid); i++) {
        int at[WP_VARIABLES], sample[WP_VARIABLES];
        const int c = wp_grid_nth(grid, i, at);
        wp_grid_sample(c, at, sample);
        const bool result = is_result(panel, c, at);
        const bool faint = !result && !is_read(panel, c, at) &&
                           panel->arrows != WP_EXPLAIN_NO_ARROWS;
        // In volumes unread samples would hide read ones of other slices.
        if (faint && grid->dims == 3 && !is_origin(at))
            continue;
        const struct wp_grid_point position = wp_grid_point(grid, sample);
        wp_grid_mark(out, c, position, MARK_RADIUS + 0.5, faint);
        if (!faint)
            labels.box[labels.count++] =
                (struct box){position.x - MARK_RADIUS, position.y - MARK_RADIUS, 2 * MARK_RADIUS,
                             2 * MARK_RADIUS};
        if (result)
            wp_svg_add(out,
                       "<circle cx=\"@\" cy=\"@\" r=\"9.5\" fill=\"none\" "
                       "stroke=\"#222\"/>\n", position.x, position.y);
    }
    wp_text_add(out, "<g fill=\"none\" stroke-width=\"1.3\" stroke-opacity=\".8\">\n");
    const int components = panel->matrix->components;
    for (int i = 0; i < components && panel->arrows != WP_EXPLAIN_NO_ARROWS; i++)
        for (int j = 0; j < components; j++)
            for (int t = 0; is_arrow(panel, i, j) && t < panel->matrix->at[i][j].count; t++)
                draw_arrow(grid, panel, i, j, &panel->matrix->at[i][j].term[t], &labels, out);
    wp_text_add(out, "</g>\n%s", wp_text_get(&labels.text));
    wp_text_free(&labels.text);
    free(labels.box);
}

// Cells are larger for coefficients and for volumes.
static double cell_size(int dims, enum wp_explain_arrows arrows)
{
    static const int sizes[2][2] = {{CELL, LABELLED_CELL}, {VOLUME_CELL, LABELLED_VOLUME_CELL}};
    return sizes[dims == 3][arrows == WP_EXPLAIN_LABELLED_ARROWS];
}

// Draws the constants of a pass side by side. Returns y after them.
static double draw_constants(const struct wp_scheme *scheme, const struct wp_constant *constants,
                             int count, enum wp_explain_arrows arrows, double x, double y,
                             double width, struct wp_text *out)
{
    struct wp_grid grid = {.cell = cell_size(scheme->dims, arrows), .dims = scheme->dims};
    const double slot = wp_grid_width(&grid) + GAP + 1, row = wp_grid_height(&grid) + GAP + 4;
    const int columns = width < 2 * slot ? 1 : (int)(width / slot);
    for (int i = 0; i < count; i++) {
        struct wp_matrix matrix = constant_matrix(scheme, &constants[i]);
        const struct panel panel = {&matrix, (1 << matrix.components) - 1, true, arrows};
        grid.x = x + slot * (i % columns);
        grid.y = y + row * (i / columns) + 8;
        struct wp_text name = {0};
        wp_explain_constant_name(&name, &constants[i]);
        wp_svg_text(out, grid.x, grid.y - 5, 11, NULL, "%s", wp_text_get(&name));
        wp_text_free(&name);
        draw_panel(&grid, &panel, out);
        wp_matrix_free(&matrix);
    }
    return y + row * ((count + columns - 1) / columns);
}

// The number of panels side by side: two if arrows leave the axis of rows, else one. Octets are
// large, so that a single panel gets no second column.
static int panels_across(const struct wp_matrix *core)
{
    struct panel panel[WP_COMPONENTS_MAX];
    if (core->components > WP_COMPONENTS && list_panels(core, WP_EXPLAIN_ARROWS, panel) < 2)
        return 1;
    return find_axes(core) & ~WP_AXIS_H ? 2 : 1;
}

static struct wp_grid grid_of(const struct wp_pass *pass, enum wp_explain_arrows arrows)
{
    const int dims = pass->core.components == WP_COMPONENTS ? 2 : 3;
    return (struct wp_grid){.cell = cell_size(dims, arrows), .dims = dims, .box = pass->reach};
}

static double pass_width(const struct wp_pass *pass, enum wp_explain_arrows arrows)
{
    const int across = panels_across(&pass->core);
    const struct wp_grid grid = grid_of(pass, arrows);
    const double width = across * wp_grid_width(&grid) + (across - 1) * GAP;
    const double min_width = grid.dims == 2                       ? PASS_WIDTH_MIN
                         : wp_matrix_is_identity(&pass->core) ? VOLUME_CONSTANTS_WIDTH
                                                              : VOLUME_PASS_WIDTH_MIN;
    return width > min_width ? width : min_width;
}

static double draw_core(const struct wp_pass *pass, enum wp_explain_arrows arrows, double x,
                        double y, struct wp_text *out)
{
    struct panel panel[WP_COMPONENTS_MAX];
    const int count = list_panels(&pass->core, arrows, panel), across = panels_across(&pass->core);
    struct wp_grid grid = grid_of(pass, arrows);
    const double width = wp_grid_width(&grid) + GAP, height = wp_grid_height(&grid) + GAP + 8;
    for (int i = 0; i < count; i++) {
        struct wp_text title = {0};
        grid.x = x + width * (i % across);
        grid.y = y + height * (i / across) + 8;
        add_panel_title(&title, &panel[i], false);
        wp_svg_text(out, grid.x, grid.y - 5, 11, NULL, "%s", wp_text_get(&title));
        wp_text_free(&title);
        draw_panel(&grid, &panel[i], out);
    }
    return y + height * ((count + across - 1) / across);
}

static double draw_panels(const struct wp_scheme *scheme, const struct wp_pass *pass,
                          enum wp_explain_arrows arrows, double x, double y, struct wp_text *out)
{
    const double width = pass_width(pass, arrows);
    y = draw_constants(scheme, pass->before, pass->before_count, arrows, x, y, width, out);
    y = draw_core(pass, arrows, x, y, out);
    return draw_constants(scheme, pass->after, pass->after_count, arrows, x, y, width, out);
}

// Draws a pass. Returns y after it.
static double draw_pass(const struct wp_scheme *scheme, int p, enum wp_explain_arrows arrows,
                        double x, double y, struct wp_text *out)
{
    const struct wp_pass *pass = &scheme->pass[p];
    const double width = pass_width(pass, arrows);
    struct wp_text head = {0};
    wp_text_add(&head, "pass %d of %d", p + 1, scheme->pass_count);
    if (arrows != WP_EXPLAIN_NO_ARROWS)
        wp_text_add(&head, ": %d operations", wp_pass_operations(pass));
    wp_svg_text(out, x, y, WP_SVG_SIZE, WP_SVG_BOLD, "%s", wp_text_get(&head));
    wp_text_free(&head);
    y = wp_svg_lines(out, x, y + LINE_HEIGHT, 11, NULL, LINE_HEIGHT, (size_t)(width / 6.4),
                     pass->label) + 6;
    return draw_panels(scheme, pass, arrows, x, y, out);
}

static void draw_arrowheads(struct wp_text *out)
{
    wp_text_add(out, "<defs>\n");
    for (int c = 0; c < WP_COMPONENTS; c++)
        wp_text_add(out,
                    "<marker id=\"head-%c\" markerUnits=\"userSpaceOnUse\" markerWidth=\"8\" "
                    "markerHeight=\"8\" refX=\"7\" refY=\"4\" orient=\"auto\">"
                    "<path d=\"M0 1L8 4L0 7Z\" fill=\"%s\"/></marker>\n",
                    wp_explain_letters[c], wp_grid_colour(c));
    wp_text_add(out, "</defs>\n");
}

// Draws the legend of arrows and barriers, below that of the components.
static void draw_key(int dims, double x, double y, struct wp_text *out)
{
    wp_svg_add(out,
               "<path d=\"M@ @h24\" stroke=\"#222\" stroke-width=\"1.3\"/>\n"
               "<path d=\"M@ @h24\" stroke=\"#222\" stroke-width=\"1.3\" "
               "stroke-dasharray=\"4 3\"/>\n"
               "<path d=\"M@ @v14\" stroke=\"#222\" stroke-width=\"5\"/>\n",
               x, y - 4, x + 158, y - 4, x + 488, y - 11);
    wp_svg_text(out, x + 30, y, WP_SVG_SIZE, NULL, "multiply-add");
    wp_svg_text(out, x + 188, y, WP_SVG_SIZE, NULL, "constant step (P0, U0) inside %s",
                dims == 3 ? "an octet" : "a quad");
    wp_svg_text(out, x + 498, y, WP_SVG_SIZE, NULL, "barrier; time runs from left to right");
}

static void describe_pass(const struct wp_scheme *scheme, int p, struct wp_text *out)
{
    wp_text_add(out, " pass %d: %s, %d arrows.", p + 1, scheme->pass[p].label,
                wp_pass_operations(&scheme->pass[p]));
}

// Composes the line below the title and the description for screen readers.
static void describe(const struct wp_scheme *scheme, enum wp_explain_arrows arrows,
                     struct wp_text *note, struct wp_text *description)
{
    const char *group = scheme->dims == 3 ? "an octet" : "a quad";
    if (arrows == WP_EXPLAIN_NO_ARROWS) {
        wp_text_add(note, "draw an arrow for every multiply-add, from the sample that is read to "
                          "the ringed sample that changes");
        wp_text_add(description, "Data-flow diagram to be completed: the samples around %s, "
                                 "without arrows.", group);
        return;
    }
    const int operations = wp_scheme_operations(scheme);
    wp_text_add(note, "%d operation%s for %s of %s samples in %d pass%s", operations,
                WP_PLURAL(operations), group, wp_explain_vocabulary(scheme->dims)->size,
                scheme->pass_count,
                WP_PLURAL_ES(scheme->pass_count));
    wp_text_add(description,
                "Data-flow diagram: %s. Every arrow is a multiply-add from a sample that is read "
                "to a ringed sample that is changed.", wp_text_get(note));
    for (int p = 0; p < scheme->pass_count; p++) {
        wp_text_add(description, "%s", p ? " Barrier;" : "");
        describe_pass(scheme, p, description);
    }
}

static void draw_one_pass(const struct wp_scheme *scheme, int p, enum wp_explain_arrows arrows,
                          struct wp_text *out)
{
    const struct wp_pass *pass = &scheme->pass[p];
    struct wp_text body = {0}, title = {0}, description = {0};
    draw_arrowheads(&body);
    const double height = draw_panels(scheme, pass, arrows, MARGIN / 2, MARGIN - 4, &body);
    wp_text_add(&title, "%s, %s, pass %d of %d", scheme->name,
                wp_direction_names[scheme->direction], p + 1, scheme->pass_count);
    if (arrows == WP_EXPLAIN_NO_ARROWS)
        wp_text_add(&description, "Data-flow diagram of a pass, to be completed: without arrows.");
    else
        describe_pass(scheme, p, &description);
    wp_svg_wrap(out, pass_width(pass, arrows) + MARGIN, height, wp_text_get(&title),
                wp_text_get(&description), wp_text_get(&body));
    wp_text_free(&body);
    wp_text_free(&title);
    wp_text_free(&description);
}

static void draw_diagram(const struct wp_scheme *scheme, enum wp_explain_arrows arrows,
                         struct wp_text *out)
{
    const double top = MARGIN + 54;
    struct wp_text body = {0}, title = {0}, description = {0}, note = {0};
    double x = MARGIN, bottom = top;
    draw_arrowheads(&body);
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
    const double legend = wp_grid_legend(&body, scheme->dims, MARGIN, bottom + 24);
    if (scheme->dims == 3) {
        bottom += 22;
        wp_grid_axes(&body, MARGIN + legend + 14, bottom + 24);
    }
    draw_key(scheme->dims, MARGIN, bottom + 48, &body);
    wp_text_add(&title, "%s, %s", scheme->name, wp_direction_names[scheme->direction]);
    describe(scheme, arrows, &note, &description);
    wp_svg_text(&body, MARGIN, MARGIN + 8, 18, NULL, "%s", wp_text_get(&title));
    wp_svg_text(&body, MARGIN, MARGIN + 26, WP_SVG_SIZE, NULL, "%s", wp_text_get(&note));
    const double min_width = legend + 2 * MARGIN + (scheme->dims == 3 ? 46 : 30);
    const double width = x - MARGIN > min_width ? x - MARGIN : min_width;
    wp_svg_wrap(out, width, bottom + 48 + MARGIN, wp_text_get(&title), wp_text_get(&description),
                wp_text_get(&body));
    wp_text_free(&body);
    wp_text_free(&title);
    wp_text_free(&description);
    wp_text_free(&note);
}

// ---- text ----

// Writes a row of a slice.
static void write_row(const struct panel *panel, const struct wp_reach *box, int y, int z,
                      struct wp_text *out)
{
    for (int x = 2 * box->low[WP_X]; x <= 2 * box->high[WP_X] + 1; x++) {
        int at[WP_VARIABLES];
        const int c = wp_grid_component((const int[]){x, y, z}, at);
        const bool result = is_result(panel, c, at), read = is_read(panel, c, at);
        wp_text_add(out, "%s%c%c%c", x % 2 == 0 ? " " : "", result ? '[' : ' ',
                    read ? wp_explain_letters[c] : result ? '*' : '.', result ? ']' : ' ');
    }
}

// Writes a panel, with as many slices side by side as fit.
static void write_panel(const struct panel *panel, const struct wp_reach *box,
                        struct wp_text *out)
{
    const bool volume = panel->matrix->components > WP_COMPONENTS;
    const int width = 7 * (box->high[WP_X] - box->low[WP_X] + 1) + 3;
    const int last = volume ? 2 * box->high[WP_Z] + 1 : 0;
    const int across = volume ? wp_explain_across(width) : 1;
    wp_text_add(out, "  ");
    add_panel_title(out, panel, true);
    wp_text_add(out, "\n");
    for (int first = 2 * box->low[WP_Z]; first <= last; first += across) {
        const int end = first + across - 1 < last ? first + across - 1 : last;
        for (int z = first; volume && z <= end; z++) {
            char name[24];
            snprintf(name, sizeof name, z ? "     z %+d" : "     z %d", z);
            wp_text_add(out, "%-*s%s", z < end ? width : 0, name, z < end ? "" : "\n");
        }
        for (int y = 2 * box->low[WP_Y]; y <= 2 * box->high[WP_Y] + 1; y++) {
            for (int z = first; z <= end; z++) {
                wp_text_add(out, "   ");
                write_row(panel, box, y, z, out);
            }
            wp_text_add(out, "\n%s", y % 2 && y < 2 * box->high[WP_Y] ? "\n" : "");
        }
        wp_text_add(out, "%s", end < last ? "\n" : "");
    }
}

static void write_constants(const struct wp_scheme *scheme, const struct wp_constant *constants,
                            int count, struct wp_text *out)
{
    for (int i = 0; i < count; i++) {
        struct wp_statement statement[WP_STATEMENTS_MAX];
        const int statements = wp_scheme_statements(scheme, &constants[i], statement);
        wp_text_add(out, "  no barrier, ");
        wp_explain_constant_name(out, &constants[i]);
        for (int s = 0; s < statements; s++)
            wp_text_add(out, "%s %c -> %c", s ? "," : ":",
                        wp_explain_letters[statement[s].source],
                        wp_explain_letters[statement[s].destination]);
        wp_text_add(out, "\n");
    }
}

static void write_diagram(const struct wp_scheme *scheme, struct wp_text *out)
{
    wp_text_add(out, "%s, %s: %d operations\n\n", scheme->name,
                wp_direction_names[scheme->direction], wp_scheme_operations(scheme));
    struct wp_text legend = {0};
    if (scheme->redundant)
        wp_text_add(&legend, "Bands of a sample: r LL, g HL, b LH, a HH%s. Samples of level l are "
                             "2^(l-1) apart.",
                    scheme->dims == 3 ? "; R G B A: the same with H along z" : "");
    else
        wp_text_add(&legend,
                    "%s of %s samples: r even x even y, g odd x even y, b even x odd y, a odd x odd "
                    "y%s.",
                    scheme->dims == 3 ? "Octets" : "Quads",
                    wp_explain_vocabulary(scheme->dims)->size,
                    scheme->dims == 3 ? "; R G B A: the same in the odd slice" : "");
    wp_explain_paragraph(out, 0,
                         "%s [ ] marks the sample that is computed, with * if it is not read "
                         "itself. A letter is a sample that is read for a multiply-add (an arrow); "
                         ". is a sample that is not read.",
                         wp_text_get(&legend));
    wp_text_free(&legend);
    for (int p = 0; p < scheme->pass_count; p++) {
        const struct wp_pass *pass = &scheme->pass[p];
        struct panel panel[WP_COMPONENTS_MAX];
        const int count = list_panels(&pass->core, WP_EXPLAIN_ARROWS, panel);
        wp_explain_pass_title(scheme, p, out);
        write_constants(scheme, pass->before, pass->before_count, out);
        for (int i = 0; i < count; i++)
            write_panel(&panel[i], &pass->reach, out);
        write_constants(scheme, pass->after, pass->after_count, out);
    }
}

void wp_explain_diagram(const struct wp_scheme *scheme, const struct wp_explain_params *params,
                        struct wp_text *out)
{
    if (params->format == WP_EXPLAIN_SVG && params->pass)
        draw_one_pass(scheme, params->pass - 1, params->arrows, out);
    else if (params->format == WP_EXPLAIN_SVG)
        draw_diagram(scheme, params->arrows, out);
    else
        write_diagram(scheme, out);
}
