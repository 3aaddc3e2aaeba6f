// Topics of `explain` as JSON.
#ifndef WP_REPORT_JSON_H
#define WP_REPORT_JSON_H

#include "explain.h"

struct json_t;

// A pass: label, symbols and their definitions, matrix (rows of columns of terms), constants before
// and after it, scaling, reads and multiply-adds. Returns a new reference.
struct json_t *wp_report_json_pass(const struct wp_scheme *scheme, int pass);

// Adds the JSON of the topics matrix, ops or factoring. False after WP_ERROR_USAGE.
bool wp_report_json(const struct wp_explain_params *params, struct wp_text *out);

// Adds an object as text and releases the reference.
void wp_report_json_print(struct json_t *object, struct wp_text *out);

#endif
