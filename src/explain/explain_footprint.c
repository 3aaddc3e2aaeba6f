// The samples that an output depends on, in the image and in the input of each pass.
#include "explain_grid.h"
#include "explain_internal.h"
#include "svg.h"

#include <stdio.h>
#include <string.h>

// The samples of a pass's input that one component of the result depends on.
struct footprint {
    int samples;                               // their number
    int low[WP_VARIABLES], high[WP_VARIABLES]; // bounding box in samples, with the quad or octet
                                               // of the result at 0
};

static bool is_read(const struct wp_matrix *matrix, int row, const int sample[WP_VARIABLES])
{
    int at[WP_VARIABLES];
    const struct wp_poly *entry = &matrix->at[row][wp_grid_component(sample, at)];
    for (int t = 0; t < entry->count; t++)
        if (memcmp(entry->term[t].at, at, sizeof at) == 0)
            return true;
    return false;
}

static struct footprint find_footprint(const struct wp_matrix *matrix, int row)
{
    struct footprint f = {0};
    for (int j = 0; j < matrix->components; j++) {
        for (int t = 0; t < matrix->at[row][j].count; t++) {
            int sample[WP_VARIABLES];
            wp_grid_sample(j, matrix->at[row][j].term[t].at, sample);
            for (int v = 0; v < WP_VARIABLES; v++) {
                f.low[v] = f.samples && f.low[v] < sample[v] ? f.low[v] : sample[v];
                f.high[v] = f.samples && f.high[v] > sample[v] ? f.high[v] : sample[v];
            }
            f.samples++;
        }
    }
    return f;
}

static int size_along(const struct footprint *f, int axis)
{
    return f->high[axis] - f->low[axis] + 1;
}

// "9x9", or "7x7 (33)" if the box has gaps; "9x9x9" for volumes.
static void add_size(const struct footprint *f, int dims, struct wp_text *out)
{
    int samples = 1;
    for (int a = 0; a < dims; a++) {
        wp_text_add(out, "%s%d", a ? "x" : "", size_along(f, a));
        samples *= size_along(f, a);
    }
    if (f->samples != samples)
        wp_text_add(out, " (%d)", f->samples);
}

static const char *result_name(const struct wp_scheme *scheme, int component)
{
    // Names with three axes do not fit in the table.
    static const char *const short_names[WP_COMPONENTS_MAX] = {
        "all even", "odd x", "odd y", "odd x, y", "odd z", "odd x, z", "odd y, z", "all odd"};
    if (scheme->direction == WP_FORWARD)
        return wp_grid_band(component, scheme->dims);
    return scheme->dims == 3 ? short_names[component] : wp_grid_name(component, scheme->dims);
}

// "result" after the last pass, else "input of pass 1".
static const char *column_name(const struct wp_scheme *scheme, int pass, char name[32])
{
    snprintf(name, 32, pass == scheme->pass_count ? "result" : "input of pass %d", pass + 1);
    return name;
}

// ---- text ----

static void write_row(const struct wp_matrix *matrix, int row, const struct wp_reach *box, int y,
                      int z, struct wp_text *out)
{
    for (int x = 2 * box->low[WP_X]; x <= 2 * box->high[WP_X] + 1; x++) {
        const int sample[] = {x, y, z};
        int at[WP_VARIABLES];
        const char letter = wp_explain_letters[wp_grid_component(sample, at)];
        wp_text_add(out, " %c", is_read(matrix, row, sample) ? letter : '.');
    }
}

// Writes "z -1" above a slice of a width.
static void write_slice_name(int z, int width, struct wp_text *out)
{
    char name[24];
    snprintf(name, sizeof name, z ? "  z %+d" : "  z %d", z);
    wp_text_add(out, "%-*s", width, name);
}

// Writes the read slices, with as many side by side as fit.
static void write_picture(const struct wp_matrix *matrix, int row, struct wp_text *out)
{
    const struct wp_reach box = wp_matrix_reach(matrix);
    const struct footprint f = find_footprint(matrix, row);
    const bool volume = matrix->components > WP_COMPONENTS;
    const int width = 4 * (box.high[WP_X] - box.low[WP_X] + 1) + 3;
    const int across = volume ? wp_explain_across(width) : 1;
    for (int first = f.low[WP_Z]; first <= f.high[WP_Z]; first += across) {
        const int end = first + across - 1 < f.high[WP_Z] ? first + across - 1 : f.high[WP_Z];
        for (int z = first; volume && z <= end; z++)
            write_slice_name(z, z < end ? width : 0, out);
        wp_text_add(out, "%s", volume ? "\n" : "");
        for (int y = 2 * box.low[WP_Y]; y <= 2 * box.high[WP_Y] + 1; y++) {
            for (int z = first; z <= end; z++) {
                wp_text_add(out, z > first ? "   " : " ");
                write_row(matrix, row, &box, y, z, out);
            }
            wp_text_add(out, "\n");
        }
        wp_text_add(out, end < f.high[WP_Z] ? "\n" : "");
    }
}

// Writes the sizes in the input of each pass, for four components from `first` on.
static void write_sizes(const struct wp_scheme *scheme, int first, struct wp_text *out)
{
    wp_text_add(out, "%-17s", "");
    for (int i = first; i < first + WP_COMPONENTS; i++)
        wp_text_add(out, "%s%-15s", i > first ? " " : "", result_name(scheme, i));
    wp_text_add(out, "\n");
    for (int p = 0; p <= scheme->pass_count; p++) {
        struct wp_matrix matrix = wp_scheme_product_from(scheme, p);
        struct wp_text cell = {0};
        char name[32];
        wp_text_add(out, "%-17s", column_name(scheme, p, name));
        for (int i = first; i < first + WP_COMPONENTS; i++) {
            const struct footprint f = find_footprint(&matrix, i);
            wp_text_clear(&cell);
            add_size(&f, scheme->dims, &cell);
            wp_text_add(out, "%s%-15s", i > first ? " " : "", wp_text_get(&cell));
        }
        wp_text_add(out, "\n");
        wp_text_free(&cell);
        wp_matrix_free(&matrix);
    }
}

static void write_footprint(const struct wp_scheme *scheme, struct wp_text *out)
{
    const bool volume = scheme->dims == 3;
    wp_text_add(out, "%s, %s\n\n", scheme->name, wp_direction_names[scheme->direction]);
    wp_explain_paragraph(out, 0,
                         "Samples that one value of the result depends on, width x height%s; their "
                         "number follows in parentheses if the box has gaps:",
                         volume ? " x depth" : "");
    for (int first = 0; first < 1 << scheme->dims; first += WP_COMPONENTS) {
        wp_text_add(out, "\n");
        write_sizes(scheme, first, out);
    }
    struct wp_matrix product = wp_scheme_product(scheme);
    for (int i = 0; i < product.components; i++) {
        wp_text_add(out, "\n%s: samples of the %s%s\n", result_name(scheme, i),
                    scheme->direction == WP_INVERSE ? "coefficients, interleaved"
                    : volume                        ? "volume"
                                                    : "image",
                    volume ? ", slices side by side" : "");
        write_picture(&product, i, out);
    }
    wp_matrix_free(&product);
}

static void list_footprint(const struct wp_scheme *scheme, struct wp_text *out)
{
    wp_text_add(out, "wavelet,scheme,pass,component,width,height,%ssamples\n",
                scheme->dims == 3 ? "depth," : "");
    for (int p = 0; p < scheme->pass_count; p++) {
        struct wp_matrix matrix = wp_scheme_product_from(scheme, p);
        for (int i = 0; i < matrix.components; i++) {
            const struct footprint f = find_footprint(&matrix, i);
            wp_text_add(out, "%s,%s,%d,%c,", scheme->wavelet.name, scheme->kind->name, p + 1,
                        wp_explain_letters[i]);
            for (int a = 0; a < scheme->dims; a++)
                wp_text_add(out, "%d,", size_along(&f, a));
            wp_text_add(out, "%d\n", f.samples);
        }
        wp_matrix_free(&matrix);
    }
}

// ---- SVG ----

enum { CELL = 17, MARGIN = 20, TOP = 92, GAP = 26, COLUMN_MIN = 104, NAME_WIDTH = 100 };

// For volumes, whose slices are drawn side by side.
enum { SLICE_CELL = 12, SLICE_GAP = 12, SLICE_NAME_WIDTH = 140, SIZE_WIDTH = 110 };

// Draws the samples of a slice that a result depends on, with a ring around the result if it is in
// the slice.
static void draw_slice(const struct wp_grid *grid, const struct wp_matrix *matrix, int row, int z,
                       struct wp_text *out)
{
    static const int origin[WP_VARIABLES] = {0};
    const double scale = grid->cell / CELL;
    const int odd_slice = z & 1 ? WP_COMPONENTS : 0;
    int at[WP_VARIABLES], sample[WP_VARIABLES];
    wp_grid_groups(grid, out);
    for (int i = 0; i < wp_grid_samples(grid); i++) {
        const int c = wp_grid_nth(grid, i, at);
        wp_grid_sample(c, at, sample);
        const struct wp_grid_point position = wp_grid_point(grid, sample);
        sample[WP_Z] = z;
        const bool faint = !is_read(matrix, row, sample);
        // In volumes the outlines of quads are enough for other samples, since slices are small.
        if (!faint || matrix->components == WP_COMPONENTS)
            wp_grid_mark(out, c + odd_slice, position, 4.5 * scale, faint);
    }
    wp_grid_sample(row, origin, sample);
    if (sample[WP_Z] != z)
        return;
    sample[WP_Z] = 0;
    const struct wp_grid_point position = wp_grid_point(grid, sample);
    wp_svg_add(out,
               "<circle cx=\"@\" cy=\"@\" r=\"@\" fill=\"none\" stroke=\"#222\" "
               "stroke-width=\"1.3\"/>\n",
               position.x, position.y, 7.5 * scale);
}

static void draw_size(const struct footprint *f, int dims, double x, double y, struct wp_text *out)
{
    struct wp_text size = {0};
    add_size(f, dims, &size);
    wp_svg_text(out, x, y, 11, NULL, "%s", wp_text_get(&size));
    wp_text_free(&size);
}

static void draw_column_name(const struct wp_scheme *scheme, int p, double x, struct wp_text *out)
{
    char name[32];
    wp_svg_text(out, x, TOP - 24, WP_SVG_SIZE, WP_SVG_BOLD, "%s", column_name(scheme, p, name));
}

// Draws the column of a pass for images. Returns its width. All rows have the height of the first
// column's.
static double draw_column(const struct wp_scheme *scheme, int p, double x, double row_height,
                          struct wp_text *out)
{
    struct wp_matrix matrix = wp_scheme_product_from(scheme, p);
    struct wp_grid grid = {.x = x, .cell = CELL, .dims = 2, .box = wp_matrix_reach(&matrix)};
    draw_column_name(scheme, p, x, out);
    for (int i = 0; i < matrix.components; i++) {
        const struct footprint f = find_footprint(&matrix, i);
        grid.y = TOP + i * row_height;
        draw_slice(&grid, &matrix, i, 0, out);
        draw_size(&f, 2, grid.x, grid.y - 4, out);
    }
    wp_matrix_free(&matrix);
    const double width = wp_grid_width(&grid);
    return width > COLUMN_MIN ? width : COLUMN_MIN;
}

// The grid of a slice of a volume.
static struct wp_grid slice_grid(const struct wp_matrix *matrix)
{
    struct wp_grid grid = {.cell = SLICE_CELL, .dims = 2, .box = wp_matrix_reach(matrix)};
    grid.box.low[WP_Z] = grid.box.high[WP_Z] = 0;
    return grid;
}

// The range of slices that any result depends on.
static void get_slice_range(const struct wp_matrix *matrix, int *first, int *last)
{
    *first = *last = 0;
    for (int i = 0; i < matrix->components; i++) {
        const struct footprint f = find_footprint(matrix, i);
        *first = f.low[WP_Z] < *first ? f.low[WP_Z] : *first;
        *last = f.high[WP_Z] > *last ? f.high[WP_Z] : *last;
    }
}

// Draws the slices of a volume that each result depends on side by side. Returns their width.
static double draw_slices(const struct wp_scheme *scheme, double x, double row_height,
                          struct wp_text *out)
{
    struct wp_matrix matrix = wp_scheme_product(scheme);
    struct wp_grid grid = slice_grid(&matrix);
    const double step = wp_grid_width(&grid) + SLICE_GAP;
    int first, last;
    get_slice_range(&matrix, &first, &last);
    draw_column_name(scheme, 0, x, out);
    for (int i = 0; i < matrix.components; i++) {
        const struct footprint f = find_footprint(&matrix, i);
        grid.y = TOP + i * row_height;
        for (int z = f.low[WP_Z]; z <= f.high[WP_Z]; z++) {
            grid.x = x + step * (z - first);
            wp_svg_text(out, grid.x, grid.y - 4, 11, NULL, z ? "z %+d" : "z %d", z);
            draw_slice(&grid, &matrix, i, z, out);
        }
    }
    wp_matrix_free(&matrix);
    return (last - first + 1) * step - SLICE_GAP;
}

// Draws the sizes in the input of a later pass. Returns the width.
static double draw_sizes(const struct wp_scheme *scheme, int p, double x, double row_height,
                         struct wp_text *out)
{
    struct wp_matrix matrix = wp_scheme_product_from(scheme, p);
    draw_column_name(scheme, p, x, out);
    for (int i = 0; i < matrix.components; i++) {
        const struct footprint f = find_footprint(&matrix, i);
        draw_size(&f, scheme->dims, x, TOP + i * row_height + SLICE_CELL, out);
    }
    wp_matrix_free(&matrix);
    return SIZE_WIDTH;
}

static double draw_row_name(const struct wp_scheme *scheme, const struct footprint *f, int row,
                            double row_height, struct wp_text *out)
{
    const double y = TOP + row * row_height;
    wp_svg_text(out, MARGIN, y + CELL, WP_SVG_SIZE, NULL, "%s", result_name(scheme, row));
    if (scheme->dims == 2)
        return NAME_WIDTH;
    draw_size(f, scheme->dims, MARGIN, y + 2 * CELL, out);
    return SLICE_NAME_WIDTH;
}

static void draw_footprint(const struct wp_scheme *scheme, struct wp_text *out)
{
    struct wp_text body = {0}, title = {0}, description = {0};
    struct wp_matrix product = wp_scheme_product(scheme);
    const bool volume = scheme->dims == 3;
    const struct wp_grid first_grid = volume ? slice_grid(&product)
                                             : (struct wp_grid){.cell = CELL, .dims = 2,
                                                                .box = wp_matrix_reach(&product)};
    const double row_height = wp_grid_height(&first_grid) + GAP;
    wp_text_add(&title, "Footprint of %s, %s", scheme->name, wp_direction_names[scheme->direction]);
    wp_svg_text(&body, MARGIN, MARGIN + 8, 18, NULL, "%s", wp_text_get(&title));
    wp_text_add(&description, "Samples that one value of the result (ringed) depends on%s.",
                volume ? ", slices side by side" : "");
    wp_svg_text(&body, MARGIN, MARGIN + 26, WP_SVG_SIZE, NULL, "%s", wp_text_get(&description));
    wp_text_add(&description, " Extent in the input of the first pass:");
    double x = MARGIN;
    for (int i = 0; i < product.components; i++) {
        const struct footprint f = find_footprint(&product, i);
        wp_text_add(&description, "%s %s ", i ? "," : "", result_name(scheme, i));
        add_size(&f, scheme->dims, &description);
        x = MARGIN + draw_row_name(scheme, &f, i, row_height, &body);
    }
    wp_text_add(&description, ".");
    for (int p = 0; p <= scheme->pass_count; p++)
        x += GAP + (!volume ? draw_column(scheme, p, x, row_height, &body)
                    : p     ? draw_sizes(scheme, p, x, row_height, &body)
                            : draw_slices(scheme, x, row_height, &body));
    const double bottom = TOP + product.components * row_height;
    const double legend = MARGIN + wp_grid_legend(&body, scheme->dims, MARGIN, bottom + 6) + MARGIN;
    wp_svg_wrap(out, x > legend ? x : legend, bottom + (volume ? 28 : 6) + MARGIN,
                wp_text_get(&title), wp_text_get(&description), wp_text_get(&body));
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
