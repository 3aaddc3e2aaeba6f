// Messages and errors.
//
// A function that fails returns false or NULL after one call of wp_fail(), which sends one
// message to the handler and remembers what kind of failure it was. Nothing here exits.
#ifndef WP_LOG_H
#define WP_LOG_H

#include <stdbool.h>

#if defined(__GNUC__)
#define WP_PRINTF(text, first) __attribute__((format(printf, text, first)))
#else
#define WP_PRINTF(text, first)
#endif

#ifdef __cplusplus
extern "C" {
#endif

// Kinds of failure. The values are the exit codes of the program.
enum wp_error {
    WP_ERROR_NONE = 0,
    WP_ERROR_INTERNAL = 1,      // GL, CUDA or programming error
    WP_ERROR_USAGE = 2,         // an argument is wrong
    WP_ERROR_FILE = 3,          // an input or output file
    WP_ERROR_UNAVAILABLE = 4,   // the backend or device asked for is not available
    WP_ERROR_MISMATCH = 5,      // the answer is no: verify, compare
    WP_ERROR_TOO_LARGE = 6,     // too large for this device or for memory
    WP_ERROR_INTERRUPTED = 130, // SIGINT; what was written is valid
};

enum wp_log_level {
    WP_LOG_ERROR,
    WP_LOG_WARNING,
    WP_LOG_INFO,
    WP_LOG_VERBOSE, // -v
    WP_LOG_DEBUG,   // -vv
};

// message: without a newline at its end. It may hold a second line "hint: …".
typedef void (*wp_log_handler)(void *user, enum wp_log_level level, const char *message);

// NULL restores the default: warnings and errors to stderr. Not thread safe.
void wp_log_set_handler(wp_log_handler handler, void *user);

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

// The kind of this thread's latest wp_fail(); WP_ERROR_NONE after wp_clear_error().
enum wp_error wp_last_error(void);
void wp_clear_error(void);

#ifdef __cplusplus
}
#endif

#endif
