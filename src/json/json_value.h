// JSON values that C's have no equals for.
#ifndef WP_JSON_VALUE_H
#define WP_JSON_VALUE_H

struct json_t;

// Has jansson end the program where memory is exhausted (xmemory.h), since what it returns of
// hundreds of calls is looked at nowhere: a member that is missing would be missed by nobody. To be
// called by main() before all else of jansson.
void wp_json_must_do(void);

// A JSON number, or null where `value` is not finite.
struct json_t *wp_json_number(double value);

// The same, an integer where it is whole.
struct json_t *wp_json_amount(double value);

// A JSON string, with what is not UTF-8 (file names need not be) replaced by '?'; null for NULL.
struct json_t *wp_json_text(const char *text);

#endif
