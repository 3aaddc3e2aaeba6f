// Wall time, and who else wants the processors.
#ifndef WP_CLOCK_H
#define WP_CLOCK_H

// Monotonic, in seconds from an arbitrary start.
double wp_clock_seconds(void);

// How often a thread of this process had to make room for another one so far: involuntary switches of
// context.
long wp_clock_preemptions(void);

#endif
