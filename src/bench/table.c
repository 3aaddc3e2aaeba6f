#include "table.h"

#include "xmemory.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void add(struct wp_table *table, char *cell)
{
    table->cell = wp_xrealloc(table->cell, (size_t)table->count + 1, sizeof *table->cell);
    table->cell[table->count++] = cell;
}

void wp_table_column(struct wp_table *table, const char *header, bool right)
{
    if (right)
        table->right |= 1U << table->columns;
    table->columns++;
    add(table, wp_xstrdup(header));
}

void wp_table_cell(struct wp_table *table, const char *format, ...)
{
    char buffer[512];
    va_list args;
    va_start(args, format);
    vsnprintf(buffer, sizeof buffer, format, args);
    va_end(args);
    struct wp_text text = {0};
    for (const char *c = buffer; *c; c++)
        wp_text_add(&text, *c == '|' ? "\\%c" : "%c", *c); // a bar would end the cell
    add(table, wp_xstrdup(wp_text_get(&text)));
    wp_text_free(&text);
}

const char *wp_number_text(char buffer[WP_NUMBER_SIZE], double value, int digits)
{
    // Fixed digits behind the point, so that columns can be compared by eye. Printed as whole
    // numbers, which no locale changes.
    const double size = fabs(value);
    int behind = size > 0.0 ? digits - 1 - (int)floor(log10(size)) : 0;
    behind = behind < 0 ? 0 : behind > 6 ? 6 : behind;
    const long long scale = llround(pow(10.0, behind));
    const long long all = llround(fmin(size, 1e12) * (double)scale);
    snprintf(buffer, WP_NUMBER_SIZE, "%s%lld", value < 0.0 && all > 0 ? "-" : "", all / scale);
    if (behind > 0) {
        const size_t length = strlen(buffer);
        snprintf(buffer + length, WP_NUMBER_SIZE - length, ".%0*lld", behind, all % scale);
    }
    return buffer;
}

const char *wp_time_text(char buffer[WP_TIME_SIZE], double nanoseconds)
{
    static const struct {
        double scale;
        const char *name;
    } units[] = {{1e9, "s"}, {1e6, "ms"}, {1e3, "µs"}, {1.0, "ns"}};
    size_t u = 0;
    while (u < 3 && nanoseconds < units[u].scale)
        u++;
    char number[WP_NUMBER_SIZE];
    snprintf(buffer, WP_TIME_SIZE, "%s %s",
             wp_number_text(number, nanoseconds / units[u].scale, 4), units[u].name);
    return buffer;
}

void wp_table_number(struct wp_table *table, double value, int digits)
{
    char number[WP_NUMBER_SIZE];
    wp_table_cell(table, "%s", isfinite(value) ? wp_number_text(number, value, digits) : "?");
}

void wp_table_time(struct wp_table *table, double nanoseconds)
{
    char time[WP_TIME_SIZE];
    wp_table_cell(table, "%s", isfinite(nanoseconds) ? wp_time_text(time, nanoseconds) : "?");
}

void wp_table_percent(struct wp_table *table, double part)
{
    char number[WP_NUMBER_SIZE];
    if (isfinite(part))
        wp_table_cell(table, "%s %%", wp_number_text(number, 100.0 * part, 2));
    else
        wp_table_cell(table, "?");
}

// In characters, of UTF-8.
static int width_of(const char *cell)
{
    int width = 0;
    for (; *cell; cell++)
        width += ((unsigned char)*cell & 0xC0) != 0x80;
    return width;
}

static void add_padded(struct wp_text *text, const char *cell, int width, bool right)
{
    const int padding = width - width_of(cell);
    if (right)
        wp_text_add(text, "| %*s%s ", padding, "", cell);
    else
        wp_text_add(text, "| %s%*s ", cell, padding, "");
}

static void add_rule(const struct wp_table *table, const int *width, struct wp_text *text)
{
    for (int c = 0; c < table->columns; c++) {
        if (width[c] == 0)
            continue;
        const bool right = table->right & 1U << c;
        wp_text_add(text, "|");
        for (int i = 0; i < width[c] + (right ? 1 : 2); i++)
            wp_text_add(text, "-");
        wp_text_add(text, right ? ":" : "");
    }
    wp_text_add(text, "|\n");
}

// Of each column; 0 for one that has nothing but its header.
static int *find_widths(const struct wp_table *table)
{
    int *width = wp_xcalloc((size_t)table->columns, sizeof *width);
    for (int i = table->columns; i < table->count; i++) {
        const char *cell = table->cell[i];
        const int c = i % table->columns, w = width_of(cell);
        if (cell[strspn(cell, " ")] && w > width[c])
            width[c] = w;
    }
    for (int c = 0; c < table->columns; c++)
        if (width[c] > 0 && width_of(table->cell[c]) > width[c])
            width[c] = width_of(table->cell[c]);
    return width;
}

void wp_table_finish(struct wp_table *table, struct wp_text *text)
{
    int *width = find_widths(table);
    for (int i = 0; i < table->count; i++) {
        const int c = i % table->columns;
        if (width[c] > 0)
            add_padded(text, table->cell[i], width[c], table->right & 1U << c);
        if (c == table->columns - 1)
            wp_text_add(text, "|\n");
        if (i == table->columns - 1)
            add_rule(table, width, text);
    }
    free(width);
    for (int i = 0; i < table->count; i++)
        free(table->cell[i]);
    free(table->cell);
    *table = (struct wp_table){0};
}
