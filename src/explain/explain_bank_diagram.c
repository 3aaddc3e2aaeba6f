// Diagrams of the passes of redundant banks: textures in, the samples that each band reads, and a
// texture of each band out.
#include "explain_grid.h"
#include "explain_internal.h"
#include "svg.h"

#include <math.h>
#include <string.h>

enum { CELL = 22, LABELLED_CELL = 46, TEXTURE = 52, GAP = 44, SPACE = 18, MARGIN = 20, LINE = 15 };

// A pass in the drawing. The panels of its bands are below each other.
struct layout {
    const struct wp_scheme *scheme;
    const struct wp_pass *pass;
    bool starlet, labelled, first; // the first pass of a forward transform reads c of the level before
    double cell, x, panels, textures; // of the left edges
    double step;                      // from a panel to the next one
    int slices;
    struct wp_text *out;
};

static const char *band_name(const struct layout *l, int component)
{
    return l->starlet ? component ? "W" : "C" : wp_grid_band(component, l->scheme->dims);
}

static int columns_of(const struct wp_reach *reach)
{
    return reach->high[WP_X] - reach->low[WP_X] + 1;
}

static int rows_of(const struct wp_reach *reach)
{
    return reach->high[WP_Y] - reach->low[WP_Y] + 1;
}

static struct layout make_layout(const struct wp_scheme *scheme, int p, bool starlet, bool labelled,
                                 struct wp_text *out)
{
    struct layout l = {.scheme = scheme, .pass = &scheme->pass[p], .starlet = starlet,
                       .labelled = labelled, .cell = labelled ? LABELLED_CELL : CELL, .x = MARGIN,
                       .first = p == 0 && scheme->direction == WP_FORWARD, .out = out};
    const struct wp_reach *reach = &l.pass->reach;
    l.slices = reach->high[WP_Z] - reach->low[WP_Z] + 1;
    l.panels = l.x + TEXTURE + GAP;
    l.textures = l.panels + l.slices * (columns_of(reach) * l.cell + SPACE) - SPACE + GAP;
    const double height = rows_of(reach) * l.cell;
    l.step = (height > TEXTURE ? height : TEXTURE) + SPACE + LINE;
    return l;
}

static void draw_texture(const struct layout *l, int component, double x, double y, bool before)
{
    wp_svg_add(l->out, "<rect x=\"@\" y=\"@\" width=\"@\" height=\"@\" rx=\"3\" fill=\"#fff\" "
                       "stroke-width=\"2\" stroke=", x, y, TEXTURE, TEXTURE);
    wp_text_add(l->out, "\"%s\"/>\n", wp_grid_colour(component));
    wp_svg_text(l->out, x + TEXTURE / 2.0, y + TEXTURE / 2.0 + (before ? -2 : 4), WP_SVG_SIZE,
                WP_SVG_MIDDLE, "%s", band_name(l, component));
    if (before)
        wp_svg_text(l->out, x + TEXTURE / 2.0, y + TEXTURE / 2.0 + 12, 9, WP_SVG_MIDDLE,
                    "level l-1");
}

static void draw_arrow(const struct layout *l, double x, double y, double end_x, double end_y)
{
    wp_svg_add(l->out, "<path d=\"M@ @L@ @\" fill=\"none\" stroke=\"#666\" stroke-width=\"1.2\" "
                       "marker-end=\"url(#head)\"/>\n", x, y, end_x, end_y);
}

// The center of the disc of a component inside a cell at x, y: that of the cell if the band reads no
// other component.
static struct wp_grid_point disc_center(const struct layout *l, int component, bool is_only,
                                        double x, double y)
{
    const double quarter = l->cell / 4;
    if (is_only)
        return (struct wp_grid_point){x + l->cell / 2, y + l->cell / 2};
    return (struct wp_grid_point){
        x + l->cell / 2 + (component & 1 ? quarter : -quarter) + (component >> 2 ? 2 : 0),
        y + l->cell / 2 + (component >> 1 & 1 ? quarter : -quarter) - (component >> 2 ? 2 : 0)};
}

// A filled disc adds, a ring subtracts.
static void draw_tap(const struct layout *l, int component, bool is_only, double c, double x, double y)
{
    const struct wp_grid_point at = disc_center(l, component, is_only, x, y);
    const double radius = is_only ? CELL / 4.0 : CELL / 6.0;
    char number[WP_NUMBER_SIZE];
    wp_svg_add(l->out, "<circle cx=\"@\" cy=\"@\" r=\"@\" stroke-width=\"1.5\"", at.x, at.y,
               radius);
    wp_text_add(l->out, " stroke=\"%s\" fill=\"%s\"/>\n", wp_grid_colour(component),
                c < 0 ? "#fff" : wp_grid_colour(component));
    if (!l->labelled)
        return;
    wp_format_short(number, c, 3);
    wp_svg_text(l->out, at.x, at.y + radius + 9, is_only ? 9 : 7, WP_SVG_MIDDLE, "%s", number);
}

// The samples that a band reads, by slices, with the corner at (x, y).
static void draw_panel(const struct layout *l, int band, double y)
{
    const struct wp_reach *r = &l->pass->reach;
    const int columns = columns_of(r), rows = rows_of(r);
    int read = 0;
    for (int j = 0; j < l->pass->core.components; j++)
        read += l->pass->core.at[band][j].count > 0;
    for (int s = 0; s < l->slices; s++) {
        const double x = l->panels + s * (columns * l->cell + SPACE);
        wp_text_add(l->out, "<path fill=\"none\" stroke=\"#ccc\" d=\"");
        for (int i = 0; i <= columns; i++)
            wp_svg_add(l->out, "M@ @v@", x + i * l->cell, y, rows * l->cell);
        for (int i = 0; i <= rows; i++)
            wp_svg_add(l->out, "M@ @h@", x, y + i * l->cell, columns * l->cell);
        wp_text_add(l->out, "\"/>\n");
        if (r->low[WP_Z] + s == 0)
            wp_svg_add(l->out, "<rect x=\"@\" y=\"@\" width=\"@\" height=\"@\" fill=\"none\" "
                               "stroke=\"#222\" stroke-width=\"2\"/>\n",
                       x - r->low[WP_X] * l->cell, y - r->low[WP_Y] * l->cell, l->cell, l->cell);
        if (l->slices > 1)
            wp_svg_text(l->out, x, y - 4, 10, NULL, r->low[WP_Z] + s ? "z %+d s" : "z",
                        r->low[WP_Z] + s);
    }
    for (int j = 0; j < l->pass->core.components; j++) {
        const struct wp_poly *entry = &l->pass->core.at[band][j];
        for (int t = 0; t < entry->count; t++) {
            const int *at = entry->term[t].at;
            draw_tap(l, j, read == 1, entry->term[t].c,
                     l->panels + (at[WP_Z] - r->low[WP_Z]) * (columns * l->cell + SPACE) +
                         (at[WP_X] - r->low[WP_X]) * l->cell,
                     y + (at[WP_Y] - r->low[WP_Y]) * l->cell);
        }
    }
}

static int bits(unsigned set)
{
    int count = 0;
    for (; set; set &= set - 1)
        count++;
    return count;
}

// Draws a pass from y down. Returns y below it.
static double draw_pass(const struct layout *l, int number, double y)
{
    const struct wp_matrix *core = &l->pass->core;
    const unsigned in = wp_matrix_columns(core), out = wp_matrix_rows(core);
    const double top = y + 2 * LINE, half = TEXTURE / 2.0;
    const double bottom = top + bits(out) * l->step, middle = (top + bottom - SPACE - LINE) / 2;
    const double between = TEXTURE + SPACE;
    double from[WP_COMPONENTS_MAX] = {0};
    wp_svg_text(l->out, MARGIN, y + 4, WP_SVG_SIZE, WP_SVG_BOLD,
                "pass %d of %d: %s, %d operation%s, %d fetch%s", number + 1, l->scheme->pass_count,
                l->pass->label, wp_pass_operations(l->pass),
                WP_PLURAL(wp_pass_operations(l->pass)), l->pass->reach.fetches,
                WP_PLURAL_ES(l->pass->reach.fetches));
    double at = middle - (bits(in) * between - SPACE) / 2;
    at = at < top ? top : at;
    for (int c = 0; c < core->components; c++) {
        if (!(in >> c & 1))
            continue;
        draw_texture(l, c, l->x, at, l->first);
        from[c] = at + half;
        at += between;
    }
    const double height = rows_of(&l->pass->reach) * l->cell;
    double panel = top;
    for (int band = 0; band < core->components; band++) {
        if (!(out >> band & 1))
            continue;
        const double center = panel + (l->step - SPACE - LINE) / 2;
        draw_panel(l, band, center - height / 2);
        for (int c = 0; c < core->components; c++)
            if (core->at[band][c].count > 0)
                draw_arrow(l, l->x + TEXTURE + 3, from[c], l->panels - 5, center);
        draw_arrow(l, l->textures - GAP + 5, center, l->textures - 5, center);
        draw_texture(l, band, l->textures, center - half, false);
        panel += l->step;
    }
    return at > bottom ? at : bottom;
}

void wp_explain_bank_diagram(const struct wp_scheme *scheme, const struct wp_explain_params *params,
                             struct wp_text *out)
{
    struct wp_text body = {0}, title = {0}, note = {0};
    const bool starlet = params->bank == WP_BANK_STARLET;
    const bool labelled = params->arrows == WP_EXPLAIN_LABELLED_ARROWS;
    const int operations = wp_scheme_operations(scheme), fetches = wp_scheme_fetches(scheme);
    double width = 560;
    for (int p = 0; p < scheme->pass_count; p++)
        width = fmax(width, make_layout(scheme, p, starlet, labelled, &body).textures + TEXTURE +
                                MARGIN);
    wp_text_add(&title, "%s, %s", scheme->name, wp_direction_names[scheme->direction]);
    wp_text_add(&note, "%d operation%s and %d fetch%s a sample, %d pass%s a level. A cell is a sample; "
                       "neighbors are s = 2^(l-1) apart. The thick one is computed. A disc is a tap "
                       "that adds, a ring one that subtracts, in the color of the texture it reads.",
                operations, WP_PLURAL(operations), fetches, WP_PLURAL_ES(fetches),
                scheme->pass_count, WP_PLURAL_ES(scheme->pass_count));
    wp_text_add(&body, "<defs><marker id=\"head\" markerUnits=\"userSpaceOnUse\" markerWidth=\"8\" "
                       "markerHeight=\"8\" refX=\"7\" refY=\"4\" orient=\"auto\"><path "
                       "d=\"M0 1L8 4L0 7Z\" fill=\"#666\"/></marker></defs>\n");
    wp_svg_text(&body, MARGIN, MARGIN + 4, 18, NULL, "%s", wp_text_get(&title));
    double y = wp_svg_lines(&body, MARGIN, MARGIN + 24, 11, NULL, LINE,
                            (size_t)((width - 2 * MARGIN) / 6), wp_text_get(&note)) + LINE;
    for (int p = 0; p < scheme->pass_count; p++) {
        const struct layout l = make_layout(scheme, p, starlet, labelled, &body);
        y = draw_pass(&l, p, y) + LINE;
    }
    wp_svg_wrap(out, width, y, wp_text_get(&title), wp_text_get(&note), wp_text_get(&body));
    wp_text_free(&body);
    wp_text_free(&title);
    wp_text_free(&note);
}
