// Messages and errors of libwavepass, as its users see them. wavepass.h includes it.
#ifndef WAVEPASS_LOG_H
#define WAVEPASS_LOG_H

// What libwavepass exports.
#if defined(__GNUC__)
#define WP_API __attribute__((visibility("default")))
#else
#define WP_API
#endif

#if defined(__GNUC__)
#define WP_PRINTF(text, first) __attribute__((format(printf, text, first)))
#else
#define WP_PRINTF(text, first)
#endif

#include <stdbool.h>

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

// For the whole process; NULL restores the default: warnings and errors to stderr. It is called by
// the thread that has something to say, so several may call it at once. To be set while no other
// thread is in the library.
WP_API void wp_log_set_handler(wp_log_handler handler, void *user);

// The kind of this thread's latest failure; WP_ERROR_NONE after wp_clear_error().
WP_API enum wp_error wp_last_error(void);
WP_API void wp_clear_error(void);

// Its message, cut off where it is very long; "" after wp_clear_error(). Valid until this thread's
// next failure.
WP_API const char *wp_last_error_text(void);

// For libraries beside this one, such as libwavepass-reconstruct, so that their failures are told
// and remembered where this one's are. Always false, so that a function can say
// `return wp_fail(WP_ERROR_FILE, "%s: no such file", path);`. The message is "WHAT (WHY)" and,
// where there is something to do, "\nhint: WHAT TO DO" after it.
WP_API bool wp_fail(enum wp_error kind, const char *format, ...) WP_PRINTF(2, 3);

// The same for a failure that nobody needs to be told of.
WP_API bool wp_fail_silently(enum wp_error kind);

// Likewise a message that is no failure, for the same handler.
WP_API void wp_log(enum wp_log_level level, const char *format, ...) WP_PRINTF(2, 3);

// Between the two calls this thread's errors are messages of level verbose: for what may fail and
// leaves another way. They nest.
WP_API void wp_begin_attempt(void);
WP_API void wp_end_attempt(void);

#ifdef __cplusplus
}
#endif

#endif
