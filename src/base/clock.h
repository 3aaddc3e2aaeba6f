// Wall time.
#ifndef WP_CLOCK_H
#define WP_CLOCK_H

// Monotonic, in seconds from an arbitrary start.
double wp_clock_seconds(void);

#endif
