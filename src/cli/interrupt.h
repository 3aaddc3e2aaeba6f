// Commands that end in order when they are interrupted, with what they have by then.
#ifndef WP_INTERRUPT_H
#define WP_INTERRUPT_H

#include <signal.h>

// Not 0 once the program was asked to stop.
extern volatile sig_atomic_t wp_interrupted;

// From now on SIGINT and SIGTERM ask; the second one ends the program at once and leaves no file
// half-written.
void wp_interrupt_catch(void);

#endif
