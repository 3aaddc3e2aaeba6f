// Tables in Markdown, aligned so that they are also readable as plain text.
#ifndef WP_TABLE_H
#define WP_TABLE_H

#include "text.h"

#include <stdbool.h>
#include <stddef.h>

// The page that tables and text are formatted for.
struct wp_page {
    int width;              // maximum characters per line; 0: no limit
    struct wp_text omitted; // names of the columns that did not fit
};

// Adds text, wrapped, and a newline.
void wp_page_words(const struct wp_page *page, struct wp_text *text, const char *format, ...)
    WP_PRINTF(3, 4);

// Adds a line with the names of the omitted columns, if there are any, and frees them.
void wp_page_finish(struct wp_page *page, struct wp_text *text);

enum { WP_TABLE_COLUMNS_MAX = 32 };

// A table; {0} is empty and of unlimited width.
struct wp_table {
    struct wp_page *page; // NULL: unlimited width
    int columns;
    unsigned right; // bit c: the cells of column c are right-aligned
    unsigned char spare[WP_TABLE_COLUMNS_MAX]; // ranks of the columns
    int count;
    char **cell; // row by row; the first row is the header
};

struct wp_heading {
    const char *name;
    bool right; // right-aligned
    int rank;   // 0: never omitted. Other columns are omitted if the page is too narrow, the
                // highest rank first; then the widest column of text is wrapped
};

// Add columns with their headings, before the first cell.
void wp_table_columns(struct wp_table *table, const struct wp_heading *heading, size_t count);
void wp_table_column(struct wp_table *table, const char *heading, bool right);

// Adds the next cell, row by row.
void wp_table_cell(struct wp_table *table, const char *format, ...) WP_PRINTF(2, 3);

// Adds a cell with `digits` significant digits, or "?" if the value is not finite.
void wp_table_number(struct wp_table *table, double value, int digits);

// Adds a cell "1.234 ms", or "?" if the value is not finite.
void wp_table_time(struct wp_table *table, double nanoseconds);

// Adds a cell "1.2 %" for 0.012, or "?" if the value is not finite.
void wp_table_percent(struct wp_table *table, double part);

// Adds the table, which has at least the header, to `text` without empty columns, and frees its
// cells.
void wp_table_finish(struct wp_table *table, struct wp_text *text);

// Formats a number with `digits` significant digits; integers have no decimal point.
const char *wp_number_text(char buffer[WP_NUMBER_SIZE], double value, int digits);

// Formats "1.234 ms".
enum { WP_TIME_SIZE = WP_NUMBER_SIZE + 8 };
const char *wp_time_text(char buffer[WP_TIME_SIZE], double nanoseconds);

#endif
