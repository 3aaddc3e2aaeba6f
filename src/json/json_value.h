// JSON values that C's have no equals for.
#ifndef WP_JSON_VALUE_H
#define WP_JSON_VALUE_H

struct json_t;

// A JSON number, or null where `value` is not finite.
struct json_t *wp_json_number(double value);

// The same, an integer where it is whole.
struct json_t *wp_json_amount(double value);

// A JSON string, with what is not UTF-8 (file names need not be) replaced by '?'; null for NULL.
struct json_t *wp_json_text(const char *text);

#endif
