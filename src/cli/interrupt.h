// Signals that end the program, and commands that then end in order, with what they have by then.
#ifndef WP_INTERRUPT_H
#define WP_INTERRUPT_H

#include <signal.h>

// Not 0 once the program was asked to stop.
extern volatile sig_atomic_t wp_interrupted;

// From now on no output that is not finished stays behind where the program ends otherwise than by
// main(): a library's exit(), abort() or a fault. For the rest these do what they would have done.
void wp_interrupt_crashes(void);

// From now on `handler` gets SIGINT, SIGTERM and SIGHUP, but for those that whoever started the
// program has ignored, as nohup does.
void wp_interrupt_handle(void (*handler)(int number));

// From now on they ask; the second one ends the program at once and leaves no file
// half-written.
void wp_interrupt_catch(void);

#endif
