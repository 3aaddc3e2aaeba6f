// Measures the latency from an event to the frame that shows its effect, without a window.
#ifndef WP_LATENCY_H
#define WP_LATENCY_H

#include <stdbool.h>

struct wp_viewer;

struct wp_latency {
    int line;        // of the script
    const char *name;
    double seconds;  // until the last frame is complete
    int frames;      // number of frames, including those that are not displayed
    bool complete;   // more frames did not change the screen
};

struct wp_latencies {
    struct wp_latency *latency;
    int count, capacity;
};

// Processes the queued events as a window would, and appends their latency. `name` must outlive
// `latencies`.
void wp_latencies_measure(struct wp_latencies *latencies, struct wp_viewer *v, int line,
                          const char *name);

// Draws until no more frames are needed.
void wp_latencies_draw_all(struct wp_viewer *v);

// Writes median, 99th percentile and all latencies as JSON. False after an error.
bool wp_latencies_write(const struct wp_latencies *latencies, const char *path);

void wp_latencies_free(struct wp_latencies *latencies);

#endif
