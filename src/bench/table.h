// Tables in Markdown that read well unrendered too.
#ifndef WP_TABLE_H
#define WP_TABLE_H

#include "text.h"

// {0} is an empty one. The first `columns` cells are the header.
struct wp_table {
    int columns;
    unsigned right; // bit c: the cells of column c are numbers, at the right
    int count;
    char **cell;
};

// Adds a column with its header; all of them before the first cell.
void wp_table_column(struct wp_table *table, const char *header, bool right);

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
