// The handler of log messages, for program.c. Commands use log.h and command.h.
#ifndef WP_MESSAGES_H
#define WP_MESSAGES_H

#include "command.h"

#include <signal.h>

// Installs the handler, which writes messages as "PROGRAM COMMAND: error: …" to stderr, with hints
// on the command's options. `command` may be NULL. `common` is copied. May be called again, when
// the command and its options are known.
void wp_messages_set_up(const char *program, const struct wp_command *command,
                        const struct wp_common *common);

// Erases the progress line, and with --json prints the first error, if there is one, as
// {"error", "hint", "exit"}.
void wp_messages_finish(enum wp_error code);

// Sets the arguments of the command line, ended by NULL, and the time from which
// wp_seconds_since_start() counts.
void wp_messages_begin(const char *const *word);

// Erases the progress line. Async-signal-safe.
void wp_messages_clear_on_signal(void);

// Reports "out of memory", even if messages are captured, and with --json prints it as the result.
// Does not allocate memory.
void wp_messages_out_of_memory(void);

// ---- signals that end the program; commands may catch them, to stop and write their results ----

// Set to 1 by the first signal after wp_interrupt_catch().
extern volatile sig_atomic_t wp_interrupted;

// Removes unfinished output files if the program ends by exit(), abort() or a fault. These then
// take effect as usual.
void wp_interrupt_crashes(void);

// Installs a handler for SIGINT, SIGTERM and SIGHUP, except those that are ignored, as under nohup.
void wp_interrupt_handle(void (*handler)(int number));

// Makes the first of these signals set wp_interrupted. The second one ends the program immediately,
// without unfinished output files.
void wp_interrupt_catch(void);

#endif
