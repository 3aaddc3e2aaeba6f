// Which samples reach an output: of the image, and of the input of every pass.
#include "explain_grid.h"
#include "explain_internal.h"
#include "svg.h"

#include <stdlib.h>

// What one component of the result needs of a pass's input.
struct footprint {
    int samples;                  // that reach it
    int left, right, top, bottom; // of the box around them, in samples; its own quad is at 0
};

static bool reads(const struct wp_matrix *matrix, int row, int component, int m, int n)
{
    const struct wp_poly *entry = &matrix->at[row][component];
    for (int t = 0; t < entry->count; t++)
        if (entry->term[t].at[WP_X] == m && entry->term[t].at[WP_Y] == n)
            return true;
    return false;
}

static struct footprint find_footprint(const struct wp_matrix *matrix, int row)
{
    struct footprint f = {0};
    for (int j = 0; j < WP_COMPONENTS; j++) {
        for (int t = 0; t < matrix->at[row][j].count; t++) {
            const struct wp_term *term = &matrix->at[row][j].term[t];
            const int x = wp_grid_x(j, term->at[WP_X]), y = wp_grid_y(j, term->at[WP_Y]);
            f.left = f.samples && f.left < x ? f.left : x;
            f.right = f.samples && f.right > x ? f.right : x;
            f.top = f.samples && f.top < y ? f.top : y;
            f.bottom = f.samples && f.bottom > y ? f.bottom : y;
            f.samples++;
        }
    }
    return f;
}

// "9x9", or "7x7 (33)" where the box has gaps.
static void add_size(const struct footprint *f, struct wp_text *out)
{
    const int width = f->right - f->left + 1, height = f->bottom - f->top + 1;
    wp_text_add(out, "%dx%d", width, height);
    if (f->samples != width * height)
        wp_text_add(out, " (%d)", f->samples);
}

static const char *result_name(const struct wp_scheme *scheme, int component)
{
    return scheme->direction == WP_FORWARD ? wp_grid_styles[component].band
                                           : wp_grid_styles[component].name;
}

static void add_stage_name(const struct wp_scheme *scheme, int pass, struct wp_text *out)
{
    if (pass == scheme->pass_count)
        wp_text_add(out, "result");
    else
        wp_text_add(out, "input of pass %d", pass + 1);
}

// ---- text ----

static void write_picture(const struct wp_matrix *matrix, int row, struct wp_text *out)
{
    const struct wp_reach box = wp_matrix_reach(matrix);
    for (int y = 2 * box.low[WP_Y]; y <= 2 * box.high[WP_Y] + 1; y++) {
        struct wp_text line = {0};
        wp_text_add(&line, " ");
        for (int x = 2 * box.low[WP_X]; x <= 2 * box.high[WP_X] + 1; x++) {
            const int c = abs(x % 2) + 2 * abs(y % 2);
            const bool read = reads(matrix, row, c, (x - (c & 1)) / 2, (y - (c >> 1)) / 2);
            wp_text_add(&line, " %c", read ? wp_grid_styles[c].letter : '.');
        }
        wp_text_add(out, "%s\n", wp_text_get(&line));
        wp_text_free(&line);
    }
}

static void write_footprint(const struct wp_scheme *scheme, struct wp_text *out)
{
    wp_text_add(out,
                "%s, %s\n\n"
                "Samples that one value of the result depends on, width x height; in brackets how "
                "many they\nare where the box has gaps:\n\n%-18s",
                scheme->name, wp_direction_names[scheme->direction], "");
    for (int i = 0; i < WP_COMPONENTS; i++)
        wp_text_add(out, "%s%-18s", i ? " " : "", result_name(scheme, i));
    wp_text_add(out, "\n");
    for (int p = 0; p <= scheme->pass_count; p++) {
        struct wp_matrix matrix = wp_scheme_product_from(scheme, p);
        struct wp_text cell = {0};
        add_stage_name(scheme, p, &cell);
        wp_text_add(out, "%-18s", wp_text_get(&cell));
        for (int i = 0; i < WP_COMPONENTS; i++) {
            const struct footprint f = find_footprint(&matrix, i);
            wp_text_clear(&cell);
            add_size(&f, &cell);
            wp_text_add(out, "%s%-18s", i ? " " : "", wp_text_get(&cell));
        }
        wp_text_add(out, "\n");
        wp_text_free(&cell);
        wp_matrix_free(&matrix);
    }
    struct wp_matrix product = wp_scheme_product(scheme);
    for (int i = 0; i < WP_COMPONENTS; i++) {
        wp_text_add(out, "\n%s: samples of the %s\n", result_name(scheme, i),
                    scheme->direction == WP_FORWARD ? "image" : "coefficients, interleaved");
        write_picture(&product, i, out);
    }
    wp_matrix_free(&product);
}

static void list_footprint(const struct wp_scheme *scheme, struct wp_text *out)
{
    wp_text_add(out, "wavelet,scheme,pass,component,width,height,samples\n");
    for (int p = 0; p < scheme->pass_count; p++) {
        struct wp_matrix matrix = wp_scheme_product_from(scheme, p);
        for (int i = 0; i < WP_COMPONENTS; i++) {
            const struct footprint f = find_footprint(&matrix, i);
            wp_text_add(out, "%s,%s,%d,%c,%d,%d,%d\n", scheme->wavelet.name, scheme->kind->name,
                        p + 1, wp_grid_styles[i].letter, f.right - f.left + 1,
                        f.bottom - f.top + 1, f.samples);
        }
        wp_matrix_free(&matrix);
    }
}

// ---- SVG ----

enum { CELL = 17, MARGIN = 20, TOP = 92, GAP = 26, COLUMN_MIN = 104, NAME_WIDTH = 100 };

static void draw_cell(const struct wp_grid *grid, const struct wp_matrix *matrix, int row,
                      struct wp_text *out)
{
    const struct footprint f = find_footprint(matrix, row);
    wp_grid_quads(grid, out);
    for (int n = grid->box.low[WP_Y]; n <= grid->box.high[WP_Y]; n++)
        for (int m = grid->box.low[WP_X]; m <= grid->box.high[WP_X]; m++)
            for (int c = 0; c < WP_COMPONENTS; c++)
                wp_grid_mark(out, c, wp_grid_px(grid, wp_grid_x(c, m)),
                             wp_grid_py(grid, wp_grid_y(c, n)), 4.5, !reads(matrix, row, c, m, n));
    wp_svg_add(out,
               "<circle cx=\"@\" cy=\"@\" r=\"7.5\" fill=\"none\" stroke=\"#222\" "
               "stroke-width=\"1.3\"/>\n",
               wp_grid_px(grid, wp_grid_x(row, 0)), wp_grid_py(grid, wp_grid_y(row, 0)));
    struct wp_text size = {0};
    add_size(&f, &size);
    wp_svg_text(out, &(struct wp_svg_label){.x = grid->x, .y = grid->y - 4, .size = 11},
                wp_text_get(&size));
    wp_text_free(&size);
}

// Draws the column of a stage; returns its width. All rows are as high as the first column's.
static double draw_stage(const struct wp_scheme *scheme, int p, double x, double row_height,
                         struct wp_text *out)
{
    struct wp_matrix matrix = wp_scheme_product_from(scheme, p);
    struct wp_grid grid = {.x = x, .cell = CELL, .box = wp_matrix_reach(&matrix)};
    struct wp_text name = {0};
    add_stage_name(scheme, p, &name);
    wp_svg_text(out,
                &(struct wp_svg_label){.x = x, .y = TOP - 24,
                                       .style = "font-weight=\"bold\""},
                wp_text_get(&name));
    wp_text_free(&name);
    for (int i = 0; i < WP_COMPONENTS; i++) {
        grid.y = TOP + i * row_height;
        draw_cell(&grid, &matrix, i, out);
    }
    wp_matrix_free(&matrix);
    const double width = wp_grid_width(&grid);
    return width > COLUMN_MIN ? width : COLUMN_MIN;
}

static void draw_footprint(const struct wp_scheme *scheme, struct wp_text *out)
{
    struct wp_text body = {0}, title = {0}, description = {0};
    struct wp_matrix product = wp_scheme_product(scheme);
    const struct wp_grid whole = {.cell = CELL, .box = wp_matrix_reach(&product)};
    const double row_height = wp_grid_height(&whole) + GAP;
    wp_text_add(&title, "Footprint of %s, %s", scheme->name,
                wp_direction_names[scheme->direction]);
    wp_svg_text(&body, &(struct wp_svg_label){.x = MARGIN, .y = MARGIN + 8, .size = 18},
                wp_text_get(&title));
    wp_text_add(&description, "Samples that one value of the result (ringed) depends on.");
    wp_svg_text(&body, &(struct wp_svg_label){.x = MARGIN, .y = MARGIN + 26},
                wp_text_get(&description));
    wp_text_add(&description, " Of the input of the first pass:");
    for (int i = 0; i < WP_COMPONENTS; i++) {
        const struct footprint f = find_footprint(&product, i);
        wp_text_add(&description, "%s %s ", i ? "," : "", result_name(scheme, i));
        add_size(&f, &description);
        wp_svg_text(&body,
                    &(struct wp_svg_label){.x = MARGIN, .y = TOP + i * row_height + CELL},
                    result_name(scheme, i));
    }
    wp_text_add(&description, ".");
    double x = MARGIN + NAME_WIDTH;
    for (int p = 0; p <= scheme->pass_count; p++)
        x += draw_stage(scheme, p, x, row_height, &body) + GAP;
    const double bottom = TOP + WP_COMPONENTS * row_height;
    const double legend = MARGIN + wp_grid_legend(&body, MARGIN, bottom + 6) + MARGIN;
    wp_svg_wrap(out,
                &(struct wp_svg_page){x > legend ? x : legend, bottom + 6 + MARGIN,
                                      wp_text_get(&title), wp_text_get(&description)},
                wp_text_get(&body));
    wp_matrix_free(&product);
    wp_text_free(&body);
    wp_text_free(&title);
    wp_text_free(&description);
}

void wp_explain_footprint(const struct wp_scheme *scheme, enum wp_explain_format format,
                          struct wp_text *out)
{
    switch (format) {
    case WP_EXPLAIN_SVG: draw_footprint(scheme, out); break;
    case WP_EXPLAIN_CSV: list_footprint(scheme, out); break;
    default: write_footprint(scheme, out); break;
    }
}
