// Handling of signals that end the program. Commands may catch them, to stop and write their
// results so far.
#ifndef WP_INTERRUPT_H
#define WP_INTERRUPT_H

#include <signal.h>

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
