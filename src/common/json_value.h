// JSON values of jansson.
#ifndef WP_JSON_VALUE_H
#define WP_JSON_VALUE_H

struct json_t;

// Makes jansson end the program if memory is exhausted (xmemory.h), because its return values are
// not checked. Call it in main() before any other function of jansson.
void wp_json_use_xmemory(void);

// A JSON number, or null if `value` is not finite.
struct json_t *wp_json_number(double value);

// A JSON integer if `value` is an integer, else the result of wp_json_number().
struct json_t *wp_json_amount(double value);

// A JSON string; null for NULL. If `text` is not UTF-8, which names of files may not be, bytes that
// are not ASCII are replaced by '?'.
struct json_t *wp_json_text(const char *text);

#endif
