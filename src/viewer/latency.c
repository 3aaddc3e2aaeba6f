#include "latency.h"

#include "clock.h"
#include "frame.h"
#include "json_value.h"
#include "output.h"
#include "redraw.h"
#include "program.h"
#include "viewer_struct.h"
#include "xmemory.h"

#include <jansson.h>
#include <stdlib.h>

// Limits the frames if an animation never ends.
enum { MOST_FRAMES = 24, MORE_FRAMES = 4 };

static void draw(struct wp_viewer *v, bool displayed)
{
    v->hidden = !displayed;
    wp_viewer_frame(v);
    v->now += v->dt;
}

// Draws until no more frames are needed. `frames` (may be NULL) is set to their number, `shown_at`
// (may be NULL) to the time when the last visible frame was complete.
static void draw_all(struct wp_viewer *v, int *frames, double *shown_at)
{
    for (int i = 0; i < MOST_FRAMES && wp_redraw_next(v); i++) {
        const bool displayed = !v->hidden;
        draw(v, displayed);
        if (frames)
            *frames = i + 1;
        if (displayed && shown_at && wp_gl_finish(v->gl))
            *shown_at = wp_clock_seconds();
    }
}

void wp_latencies_draw_all(struct wp_viewer *v)
{
    draw_all(v, NULL, NULL);
    wp_gl_finish(v->gl);
}

static unsigned long long hash_of_screen(const struct wp_viewer *v)
{
    const size_t size = 3 * (size_t)v->screen.width * (size_t)v->screen.height;
    unsigned char *rgb = wp_xmalloc(size);
    unsigned long long hash = 14695981039346656037U;
    wp_screen_read(&v->screen, 0, 0, v->screen.width, v->screen.height, rgb);
    for (size_t i = 0; i < size; i++)
        hash = (hash ^ rgb[i]) * 1099511628211U;
    free(rgb);
    return hash;
}

void wp_latencies_measure(struct wp_latencies *latencies, struct wp_viewer *v, int line,
                          const char *name)
{
    const double start = wp_clock_seconds();
    double shown_at = start;
    int frames = 0;
    draw_all(v, &frames, &shown_at);
    const unsigned long long shown = hash_of_screen(v);
    for (int i = 0; i < MORE_FRAMES; i++)
        draw(v, true);
    if (latencies->count == latencies->capacity) {
        latencies->capacity = latencies->capacity ? 2 * latencies->capacity : 64;
        latencies->latency = wp_xrealloc(latencies->latency, (size_t)latencies->capacity,
                                         sizeof *latencies->latency);
    }
    latencies->latency[latencies->count++] = (struct wp_latency){
        .line = line, .name = name, .seconds = shown_at - start, .frames = frames,
        .complete = hash_of_screen(v) == shown,
    };
}

static int compare(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

// The nearest-rank percentile in ms, or null if `count` is 0.
static json_t *percentile(const double *sorted, int count, double share)
{
    const int rank = (int)(share * count + 0.999999);
    return count > 0 ? json_real(1e3 * sorted[rank > 0 ? rank - 1 : 0]) : json_null();
}

bool wp_latencies_write(const struct wp_latencies *latencies, const char *path)
{
    struct wp_output *output = wp_output_open(path, true);
    if (!output)
        return false;
    double *sorted = wp_xcalloc((size_t)latencies->count + 1, sizeof *sorted);
    json_t *object = json_object(), *list = json_array();
    int complete = 0;
    for (int i = 0; i < latencies->count; i++) {
        const struct wp_latency *a = &latencies->latency[i];
        sorted[i] = a->seconds;
        complete += a->complete;
        json_array_append_new(list, json_pack("{s:i, s:o, s:f, s:i, s:b}", "line", a->line,
                                              "event", wp_json_text(a->name), "ms",
                                              1e3 * a->seconds, "frames", a->frames, "complete",
                                              a->complete));
    }
    qsort(sorted, (size_t)latencies->count, sizeof *sorted, compare);
    json_object_set_new(object, "median_ms", percentile(sorted, latencies->count, 0.5));
    json_object_set_new(object, "p99_ms", percentile(sorted, latencies->count, 0.99));
    json_object_set_new(object, "complete", json_integer(complete));
    json_object_set_new(object, "answers", list);
    free(sorted);
    FILE *stream = wp_output_stream(output);
    json_dumpf(object, stream, JSON_INDENT(2) | JSON_REAL_PRECISION(5));
    fputc('\n', stream);
    json_decref(object);
    return wp_output_commit(&output);
}

void wp_latencies_free(struct wp_latencies *latencies)
{
    free(latencies->latency);
    *latencies = (struct wp_latencies){0};
}
