// How long events take until a frame shows what they have changed, without a window.
#ifndef WP_LATENCY_H
#define WP_LATENCY_H

#include <stdbool.h>

struct wp_viewer;

struct wp_latency {
    int line;        // of the script
    const char *name;
    double seconds;  // until the last frame's pixels are there
    int frames;      // drawn for it, with those that have no pixels
    bool complete;   // frames more would not have changed what was on the screen
};

struct wp_latencies {
    struct wp_latency *latency;
    int count, room;
};

// Draws what a window would for what waits in the queue, and adds how long that has taken. `name`
// stays the caller's.
void wp_latencies_measure(struct wp_latencies *latencies, struct wp_viewer *v, int line, const char *name);

// Draws until the window would rest.
void wp_latencies_draw_all(struct wp_viewer *v);

// Median, 99th percentile and each answer, as JSON. False after an error.
bool wp_latencies_write(const struct wp_latencies *latencies, const char *path);

void wp_latencies_free(struct wp_latencies *latencies);

#endif
