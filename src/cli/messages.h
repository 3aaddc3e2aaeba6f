// How the program speaks: the handler of log messages. Used by program.c alone; commands use
// log.h and command.h.
#ifndef WP_MESSAGES_H
#define WP_MESSAGES_H

#include "command.h"

// From here on messages are written as "PROGRAM COMMAND: error: …" to stderr, with hints on the
// command's options. `command` may be NULL. May be called again when more is known; it keeps
// `common`'s values.
void wp_messages_set_up(const char *program, const struct wp_command *command,
                        const struct wp_common *common);

// Ends the messages: erases the progress line, and under --json prints the first error, if
// there was one, as the result {"error", "hint", "exit"}.
void wp_messages_finish(enum wp_error code);

// The words of the command line, ended by NULL; what wp_seconds_since_start() counts from.
void wp_messages_begin(const char *const *word);

// Erases the progress line. Async-signal-safe.
void wp_messages_clear_on_signal(void);

// Says "out of memory", also where messages are captured, and under --json prints it as the result.
// Allocates nothing.
void wp_messages_out_of_memory(void);

#endif
