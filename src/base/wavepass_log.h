/// @file
/// Errors and messages of libwavepass. wavepass.h includes this header.
#ifndef WAVEPASS_LOG_H
#define WAVEPASS_LOG_H

/// Marks functions that libwavepass exports.
#if defined(__GNUC__)
#define WP_API __attribute__((visibility("default")))
#else
#define WP_API
#endif

/// Has the compiler check the arguments of a printf format.
#if defined(__GNUC__)
#define WP_PRINTF(text, first) __attribute__((format(printf, text, first)))
#else
#define WP_PRINTF(text, first)
#endif

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

/// Kinds of errors. The values are the exit codes of the program.
enum wp_error {
    WP_ERROR_NONE = 0,          ///< no error
    WP_ERROR_INTERNAL = 1,      ///< OpenGL, CUDA or programming error
    WP_ERROR_USAGE = 2,         ///< an argument is invalid
    WP_ERROR_FILE = 3,          ///< an input or output file
    WP_ERROR_UNAVAILABLE = 4,   ///< the requested backend or device is not available
    WP_ERROR_MISMATCH = 5,      ///< a check failed (the commands verify and compare)
    WP_ERROR_TOO_LARGE = 6,     ///< too large for the device or the memory
    WP_ERROR_INTERRUPTED = 130, ///< SIGINT; files that were written are valid
};

/// Levels of messages.
enum wp_log_level {
    WP_LOG_ERROR,   ///< a function failed
    WP_LOG_WARNING, ///< a result may differ from the expected one
    WP_LOG_INFO,    ///< of interest to users
    WP_LOG_VERBOSE, ///< progress
    WP_LOG_DEBUG,   ///< includes messages of the OpenGL driver
};

/// A message handler. `message` has no newline at its end; it may have a second line "hint: ...".
typedef void (*wp_log_handler)(void *user, enum wp_log_level level, const char *message);

/// Sets the message handler of the process; NULL restores the default, which prints warnings and
/// errors to standard error. The handler is called in the thread that reports the message, so
/// possibly in several at once. Call this while no other thread is in the library.
WP_API void wp_log_set_handler(wp_log_handler handler, void *user);

/// The kind of the latest error in this thread; WP_ERROR_NONE after wp_clear_error().
WP_API enum wp_error wp_last_error(void);
/// Clears the latest error of this thread.
WP_API void wp_clear_error(void);

/// The message of the latest error in this thread, truncated if it is very long; "" after
/// wp_clear_error(). Valid until the next error in this thread.
WP_API const char *wp_last_error_text(void);

/// Reports an error of a callback, or of a library that uses this one, such as
/// libwavepass-reconstruct. Always returns false: `return wp_fail(WP_ERROR_FILE, "%s: no such
/// file", path);`. The message is "WHAT (WHY)", optionally followed by "\nhint: WHAT TO DO".
WP_API bool wp_fail(enum wp_error kind, const char *format, ...) WP_PRINTF(2, 3);

/// Sets the kind of the latest error without a message. Always returns false.
WP_API bool wp_fail_silently(enum wp_error kind);

/// Sends a message to the handler.
WP_API void wp_log(enum wp_log_level level, const char *format, ...) WP_PRINTF(2, 3);

/// Until wp_end_attempt(), errors in this thread are messages of level WP_LOG_VERBOSE: for attempts
/// that may fail because there is an alternative. Calls nest.
WP_API void wp_begin_attempt(void);
/// Ends the latest wp_begin_attempt() of this thread.
WP_API void wp_end_attempt(void);

#ifdef __cplusplus
}
#endif

#endif
