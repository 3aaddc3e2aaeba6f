// Tables in Markdown that read well unrendered too.
#ifndef WP_TABLE_H
#define WP_TABLE_H

#include "text.h"

#include <stdbool.h>
#include <stddef.h>

// What tables and words fit into.
struct wp_page {
    int width;               // characters a line at most, 0 = any
    struct wp_text left_out; // the names of the columns that found no room
};

// Adds words, wrapped, and ends the line.
void wp_page_words(const struct wp_page *page, struct wp_text *text, const char *format, ...)
    WP_PRINTF(3, 4);

// Adds a line that names the columns which were left out, if any, and forgets them.
void wp_page_finish(struct wp_page *page, struct wp_text *text);

enum { WP_TABLE_COLUMNS_MAX = 32 };

// {0} is an empty one, of any width. The first `columns` cells are the header.
struct wp_table {
    struct wp_page *page; // NULL: any width
    int columns;
    unsigned right; // bit c: the cells of column c are numbers, at the right
    unsigned char spare[WP_TABLE_COLUMNS_MAX];
    int count;
    char **cell;
};

// Of a rank, not 0: it is left out where the page is too narrow, the highest rank first. Where that
// is not enough, the widest column of words is wrapped.
struct wp_heading {
    const char *name;
    bool right;
    int rank;
};

// Adds columns with their headings; all of them before the first cell.
void wp_table_columns(struct wp_table *table, const struct wp_heading *heading, size_t count);
void wp_table_column(struct wp_table *table, const char *heading, bool right);

// The next cell, row by row.
void wp_table_cell(struct wp_table *table, const char *format, ...) WP_PRINTF(2, 3);

// A cell with `digits` significant digits, or "?" where the value is not finite.
void wp_table_number(struct wp_table *table, double value, int digits);

// A cell "1.234 ms", or "?" where it is not finite.
void wp_table_time(struct wp_table *table, double nanoseconds);

// A cell "1.2 %" of a part of 1, or "?".
void wp_table_percent(struct wp_table *table, double part);

// Adds the table to `text`, each line ended by a newline, without columns in which nothing
// stands, and empties it. It has a row at least.
void wp_table_finish(struct wp_table *table, struct wp_text *text);

// `value` with `digits` significant digits; whole numbers without a point.
const char *wp_number_text(char buffer[WP_NUMBER_SIZE], double value, int digits);

// "1.234 ms".
enum { WP_TIME_SIZE = WP_NUMBER_SIZE + 8 };
const char *wp_time_text(char buffer[WP_TIME_SIZE], double nanoseconds);

#endif
