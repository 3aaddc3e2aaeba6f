// Messages and errors: how the layers send them. wavepass_log.h is what users of the library see.
//
// A function that fails returns false or NULL after one call of wp_fail(), which sends one
// message to the handler and remembers what kind of failure it was. Nothing here exits.
#ifndef WP_LOG_H
#define WP_LOG_H

#include "wavepass_log.h"

#include <stdbool.h>

#if defined(__GNUC__)
#define WP_PRINTF(text, first) __attribute__((format(printf, text, first)))
#else
#define WP_PRINTF(text, first)
#endif

#ifdef __cplusplus
extern "C" {
#endif

void wp_log(enum wp_log_level level, const char *format, ...) WP_PRINTF(2, 3);

// Logs an error and remembers its kind. Always returns false, so that a function can say
// `return wp_fail(WP_ERROR_FILE, "%s: no such file", path);`. Write the message as
// "WHAT (WHY)", and, where there is something to do, "\nhint: WHAT TO DO" after it.
bool wp_fail(enum wp_error kind, const char *format, ...) WP_PRINTF(2, 3);

// The same for a failure that nobody needs to be told of.
bool wp_fail_silently(enum wp_error kind);

// Between the two calls this thread's errors are messages of level verbose: for what may fail and
// leaves another way. Not nested.
void wp_begin_attempt(void);
void wp_end_attempt(void);

#ifdef __cplusplus
}
#endif

#endif
