// Wall-clock time, and preemption of the process.
#ifndef WP_CLOCK_H
#define WP_CLOCK_H

// Monotonic time in seconds since an arbitrary start.
double wp_clock_seconds(void);

// The number of involuntary context switches of this process so far.
long wp_clock_preemptions(void);

#endif
