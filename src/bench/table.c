#include "results.h"

#include "xmemory.h"

#include <assert.h>
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

void wp_table_column(struct wp_table *table, const char *heading, bool right)
{
    if (right)
        table->right |= 1U << table->columns;
    table->columns++;
    add(table, wp_xstrdup(heading));
}

void wp_table_columns(struct wp_table *table, const struct wp_heading *heading, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        assert(table->columns < WP_TABLE_COLUMNS_MAX);
        table->spare[table->columns] = (unsigned char)heading[i].rank;
        wp_table_column(table, heading[i].name, heading[i].right);
    }
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
    // Fixed number of decimals, so that columns are aligned. Printed as integers, independent of
    // the locale.
    const double size = fmin(fabs(value), 1e12); // also for infinity
    int decimals = size > 0.0 ? digits - 1 - (int)floor(log10(size)) : 0;
    decimals = decimals < 0 ? 0 : decimals > 6 ? 6 : decimals;
    const long long scale = llround(pow(10.0, decimals));
    const long long all = llround(size * (double)scale);
    snprintf(buffer, WP_NUMBER_SIZE, "%s%lld", value < 0.0 && all > 0 ? "-" : "", all / scale);
    if (decimals > 0) {
        const size_t length = strlen(buffer);
        snprintf(buffer + length, WP_NUMBER_SIZE - length, ".%0*lld", decimals, all % scale);
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

static void add_padded(struct wp_text *text, const char *cell, int width, bool right)
{
    const int over = width - wp_text_width(cell), padding = over > 0 ? over : 0;
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

// Gets the width of each column; 0 for columns that are empty except for their header.
static void find_widths(const struct wp_table *table, int width[WP_TABLE_COLUMNS_MAX])
{
    for (int i = table->columns; i < table->count; i++) {
        const char *cell = table->cell[i];
        const int c = i % table->columns, w = wp_text_width(cell);
        if (cell[strspn(cell, " ")] && w > width[c])
            width[c] = w;
    }
    for (int c = 0; c < table->columns; c++)
        if (width[c] > 0 && wp_text_width(table->cell[c]) > width[c])
            width[c] = wp_text_width(table->cell[c]);
}

// The number of characters by which a line exceeds the page; 0 or less if it fits.
static int excess(const struct wp_table *table, const int *width)
{
    int all = 1;
    for (int c = 0; c < table->columns; c++)
        all += width[c] > 0 ? width[c] + 3 : 0;
    return table->page && table->page->width > 0 ? all - table->page->width : 0;
}

static void add_omitted(struct wp_page *page, const char *name)
{
    struct wp_text all = {0}, one = {0};
    wp_text_add(&all, ", %s, ", wp_text_get(&page->omitted));
    wp_text_add(&one, ", %s, ", name);
    if (!strstr(wp_text_get(&all), wp_text_get(&one)))
        wp_text_add(&page->omitted, "%s%s", page->omitted.length ? ", " : "", name);
    wp_text_free(&all);
    wp_text_free(&one);
}

static void omit_columns(const struct wp_table *table, int *width)
{
    while (excess(table, width) > 0) {
        int spare = -1;
        for (int c = 0; c < table->columns; c++)
            if (width[c] > 0 && table->spare[c] > (spare < 0 ? 0 : table->spare[spare]))
                spare = c;
        if (spare < 0)
            return;
        width[spare] = 0;
        add_omitted(table->page, table->cell[spare]);
    }
}

// Reduces the width of the widest column of text if the table does not fit. Returns that column,
// whose cells are wrapped, or -1.
static int wrap(const struct wp_table *table, int *width)
{
    enum { NARROWEST = 16 };
    const int over = excess(table, width);
    int widest = -1;
    for (int c = 0; over > 0 && c < table->columns; c++)
        if (!(table->right & 1U << c) && width[c] > (widest < 0 ? NARROWEST : width[widest]))
            widest = c;
    if (widest >= 0)
        width[widest] = width[widest] - over < NARROWEST ? NARROWEST : width[widest] - over;
    return widest;
}

// Adds a row, with one cell wrapped into several lines.
static void add_row(const struct wp_table *table, const int *width, int wrapped,
                    char *const *cell, struct wp_text *text)
{
    struct wp_text words = {0};
    if (wrapped >= 0)
        wp_text_add_words(&words, 0, 0, width[wrapped], cell[wrapped]);
    const char *piece = wp_text_get(&words);
    bool first = true;
    do {
        char line[512];
        const size_t length = strcspn(piece, "\n");
        snprintf(line, sizeof line, "%.*s", (int)length, piece);
        for (int c = 0; c < table->columns; c++)
            if (width[c] > 0)
                add_padded(text, c == wrapped ? line : first ? cell[c] : "", width[c],
                           table->right & 1U << c);
        wp_text_add(text, "|\n");
        piece += length + (piece[length] == '\n');
        first = false;
    } while (*piece);
    wp_text_free(&words);
}

void wp_table_finish(struct wp_table *table, struct wp_text *text)
{
    int width[WP_TABLE_COLUMNS_MAX] = {0};
    find_widths(table, width);
    omit_columns(table, width);
    const int wrapped = wrap(table, width);
    for (int i = 0; i < table->count; i += table->columns) {
        add_row(table, width, wrapped, &table->cell[i], text);
        if (i == 0)
            add_rule(table, width, text);
    }
    for (int i = 0; i < table->count; i++)
        free(table->cell[i]);
    free(table->cell);
    *table = (struct wp_table){.page = table->page};
}

void wp_page_words(const struct wp_page *page, struct wp_text *text, const char *format, ...)
{
    struct wp_text words = {0};
    va_list args;
    va_start(args, format);
    wp_text_add_list(&words, format, args);
    va_end(args);
    wp_text_add_words(text, 0, 0, page ? page->width : 0, wp_text_get(&words));
    wp_text_add(text, "\n");
    wp_text_free(&words);
}

void wp_page_finish(struct wp_page *page, struct wp_text *text)
{
    if (page->omitted.length)
        wp_page_words(page, text, "Omitted for %d columns: %s; --wide shows them.", page->width,
                      wp_text_get(&page->omitted));
    wp_text_free(&page->omitted);
}
