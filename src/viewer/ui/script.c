#include "script.h"

#include "actions.h"
#include "clock.h"
#include "json_value.h"
#include "output.h"
#include "program.h"
#include "save.h"
#include "solver_view.h"
#include "xmemory.h"

#include <errno.h>
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

// ---- Measures the latency from an event to the frame that shows its effect, without a window.

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

static unsigned long long hash_of_screen(const struct wp_viewer *v)
{
    const size_t size = 3 * (size_t)v->screen.width * (size_t)v->screen.height;
    unsigned char *rgb = wp_xmalloc(size);
    wp_screen_read(&v->screen, 0, 0, v->screen.width, v->screen.height, rgb);
    const unsigned long long hash = wp_hash_bytes(rgb, size);
    free(rgb);
    return hash;
}

// Processes the queued events as a window would. The latency is until the last frame is complete;
// `complete` is true if more frames did not change the screen. The processor time is that of all
// threads.
static json_t *measure_latency(struct wp_viewer *v, int line, const char *name)
{
    const double start = wp_clock_seconds();
    const clock_t before = clock();
    double shown_at = start;
    int frames = 0;
    draw_all(v, &frames, &shown_at);
    const double cpu_ms = 1e3 * (double)(clock() - before) / CLOCKS_PER_SEC;
    const unsigned long long shown = hash_of_screen(v);
    for (int i = 0; i < MORE_FRAMES; i++)
        draw(v, true);
    return json_pack("{s:i, s:o, s:f, s:f, s:i, s:b}", "line", line, "event", wp_json_text(name),
                     "ms", 1e3 * (shown_at - start), "cpu_ms", cpu_ms, "frames", frames, "complete",
                     hash_of_screen(v) == shown);
}

static int compare(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

// The nearest-rank percentile, or null if `count` is 0.
static json_t *percentile(const double *sorted, size_t count, double share)
{
    const int rank = (int)(share * (double)count + 0.999999);
    return count > 0 ? json_real(sorted[rank > 0 ? rank - 1 : 0]) : json_null();
}

// Writes median, 99th percentile and all latencies as JSON. False after an error.
static bool write_latencies(json_t *latencies, const char *path)
{
    const size_t count = json_array_size(latencies);
    double *sorted = wp_xcalloc(count + 1, sizeof *sorted);
    json_t *object = json_object();
    int complete = 0;
    for (size_t i = 0; i < count; i++) {
        const json_t *latency = json_array_get(latencies, i);
        sorted[i] = json_real_value(json_object_get(latency, "ms"));
        complete += json_is_true(json_object_get(latency, "complete"));
    }
    qsort(sorted, count, sizeof *sorted, compare);
    json_object_set_new(object, "median_ms", percentile(sorted, count, 0.5));
    json_object_set_new(object, "p99_ms", percentile(sorted, count, 0.99));
    json_object_set_new(object, "complete", json_integer(complete));
    json_object_set(object, "answers", latencies);
    free(sorted);
    return wp_write_json(path, object, 5);
}

// ---- Scripts.

enum event { KEY, HOLD, RELEASE, TYPE, MOVE, DOWN, UP, CLICK, WHEEL, DROP, RESIZE, WAIT, DO, SET,
             TRY, LOAD, SHOT, SAVE, ITERATE, STATE, FACTS, INTERFACE, COPY, LOSE, TIMED, TIMES,
             EVENTS };

// Arguments of events: optional, any text, or checked when the script is read.
enum argument { OPTIONAL, TEXT, KEYS, ACTION, PAIR, NUMBER, AMOUNT, FILES, PRESS, A_OR_B,
                ARGUMENTS };

static const char *const invalid[ARGUMENTS] = {
    [KEYS] = "no such key", [ACTION] = "no such action", [PAIR] = "not two numbers:",
    [NUMBER] = "not a number:", [AMOUNT] = "not a number, nor the solver or tiles:",
    [FILES] = "not two files:", [PRESS] = "neither a key, a click nor a motion:", [A_OR_B] = "not a or b:",
};

static const struct {
    const char *name;
    enum argument argument;
} kinds[EVENTS] = {
    [KEY] = {"key", KEYS},         [HOLD] = {"hold", KEYS},     [RELEASE] = {"release", KEYS},
    [TYPE] = {"type", TEXT},       [MOVE] = {"move", PAIR},     [DOWN] = {"down", OPTIONAL},
    [UP] = {"up", OPTIONAL},       [CLICK] = {"click", OPTIONAL}, [WHEEL] = {"wheel", AMOUNT},
    [DROP] = {"drop", TEXT},       [RESIZE] = {"resize", PAIR}, [WAIT] = {"wait", AMOUNT},
    [DO] = {"do", ACTION},         [SET] = {"set", TEXT},       [TRY] = {"try", TEXT},
    [LOAD] = {"load", TEXT},       [SHOT] = {"shot", TEXT},     [SAVE] = {"save", TEXT},
    [STATE] = {"state", TEXT},     [FACTS] = {"facts", TEXT},   [INTERFACE] = {"interface", TEXT},
    [COPY] = {"copy", FILES},      [LOSE] = {"lose", A_OR_B},   [ITERATE] = {"iterate", NUMBER},
    [TIMED] = {"timed", PRESS},    [TIMES] = {"times", TEXT},
};

struct line {
    enum event event;
    char *argument;
    int number;
};

struct wp_script {
    char *path;
    struct line *line;
    int count, at;
    int phase; // progress of the current event; 0: not begun
    json_t *latencies; // an array
};

static bool bad_line(const char *path, int number, const char *message, const char *which)
{
    return wp_fail(WP_ERROR_FILE, "%s:%d: %s '%s'", path, number, message, which);
}

static bool parse_pair(const char *text, double *x, double *y)
{
    char one[64], two[64];
    return sscanf(text, "%63s %63s", one, two) == 2 && wp_parse_double(one, x) &&
           wp_parse_double(two, y);
}

// Parses the argument of "timed": a key, a click on a control or at the pointer, or a motion.
static bool timed_event(const char *text, enum event *event, const char **argument)
{
    static const enum event timed[] = {KEY, CLICK, MOVE};
    const size_t length = strcspn(text, " \t");
    double x, y;
    *argument = text + length + strspn(text + length, " \t");
    *event = EVENTS;
    for (size_t i = 0; i < sizeof timed / sizeof *timed; i++)
        if (strlen(kinds[timed[i]].name) == length &&
            strncmp(text, kinds[timed[i]].name, length) == 0)
            *event = timed[i];
    return *event == KEY    ? wp_chord_parse(*argument, strlen(*argument)) != 0
           : *event == MOVE ? parse_pair(*argument, &x, &y)
                            : *event == CLICK;
}

// True for the asynchronous work that "wait" supports.
static bool is_async(const char *argument)
{
    return strcmp(argument, "solver") == 0 || strcmp(argument, "tiles") == 0;
}

static bool is_valid(enum argument kind, const char *text)
{
    double x, y;
    char one[64], two[64];
    enum event event;
    switch (kind) {
    case KEYS: return wp_chord_parse(text, strlen(text));
    case ACTION: return wp_action_find(text);
    case PAIR: return parse_pair(text, &x, &y);
    case NUMBER: return wp_parse_double(text, &x);
    case AMOUNT: return is_async(text) || wp_parse_double(text, &x);
    case FILES: return sscanf(text, "%63s %63s", one, two) == 2;
    case PRESS: return timed_event(text, &event, &text);
    case A_OR_B: return strcmp(text, "a") == 0 || strcmp(text, "b") == 0;
    default: return true;
    }
}

static bool add_line(struct wp_script *script, const char *text, int number)
{
    text += strspn(text, " \t");
    const size_t length = strcspn(text, " \t");
    if (length == 0 || text[0] == '#')
        return true;
    for (int e = 0; e < EVENTS; e++) {
        if (strlen(kinds[e].name) != length || strncmp(kinds[e].name, text, length) != 0)
            continue;
        const char *argument = text + length + strspn(text + length, " \t");
        if (kinds[e].argument != OPTIONAL && !argument[0])
            return bad_line(script->path, number, "missing argument:", kinds[e].name);
        script->line = wp_xrealloc(script->line, (size_t)script->count + 1, sizeof *script->line);
        script->line[script->count++] = (struct line){(enum event)e, wp_xstrdup(argument), number};
        return is_valid(kinds[e].argument, argument) ||
               bad_line(script->path, number, invalid[kinds[e].argument], argument);
    }
    return bad_line(script->path, number, "unknown event", text);
}

struct wp_script *wp_script_read(const char *path)
{
    const bool standard = strcmp(path, "-") == 0;
    FILE *file = standard ? stdin : fopen(path, "r");
    if (!file) {
        wp_fail(wp_error_of_errno(), "%s: %s", path, strerror(errno));
        return NULL;
    }
    struct wp_script *script = wp_xcalloc(1, sizeof *script);
    script->path = wp_xstrdup(path);
    script->latencies = json_array();
    char text[4096];
    bool ok = true;
    for (int number = 1; ok && fgets(text, sizeof text, file); number++) {
        text[strcspn(text, "\r\n")] = '\0';
        ok = add_line(script, text, number);
    }
    if (!standard)
        fclose(file);
    if (!ok)
        wp_script_destroy(&script);
    return script;
}

void wp_script_destroy(struct wp_script **slot)
{
    struct wp_script *script = *slot;
    *slot = NULL;
    if (!script)
        return;
    for (int i = 0; i < script->count; i++)
        free(script->line[i].argument);
    free(script->line);
    json_decref(script->latencies);
    free(script->path);
    free(script);
}

static void send_key(struct wp_viewer *v, int chord, bool down)
{
    const int key = chord & ~(WP_MOD_SHIFT | WP_MOD_CTRL);
    const bool shift = chord & WP_MOD_SHIFT, ctrl = chord & WP_MOD_CTRL;
    if (!down)
        wp_viewer_key_event(v, key, false);
    if (shift)
        wp_viewer_key_event(v, WP_KEY_SHIFT, down);
    if (ctrl)
        wp_viewer_key_event(v, WP_KEY_CTRL, down);
    if (down)
        wp_viewer_key_event(v, key, true);
}

// Non-ASCII bytes are replaced with '?'.
static void type(struct wp_viewer *v, const char *text)
{
    for (; *text; text++)
        wp_viewer_character(v, (unsigned char)*text < 128 ? (unsigned)*text : '?');
}

// Moves to a control, presses and releases, each in its own frame so that the interface handles it.
static bool click(struct wp_script *script, struct wp_viewer *v, const struct line *line)
{
    float x = v->mouse_x, y = v->mouse_y;
    if (script->phase == 0 && line->argument[0]) {
        if (!wp_ui_find_control(line->argument, &x, &y))
            return bad_line(script->path, line->number, "no such control", line->argument);
        wp_viewer_mouse_move(v, x, y);
    } else if (script->phase <= 1) {
        wp_viewer_mouse_button(v, 0, true);
        script->phase = 1;
    } else {
        wp_viewer_mouse_button(v, 0, false);
        script->phase = -1;
        return true;
    }
    script->phase++;
    return true;
}

static void add_key(struct wp_viewer *v, int key, bool down)
{
    wp_queue_add(v, &(struct wp_event){.kind = WP_EVENT_KEY, .code = key, .down = down});
}

static void add_move(struct wp_viewer *v, double x, double y)
{
    wp_queue_add(v, &(struct wp_event){.kind = WP_EVENT_MOVE, .x = (float)x, .y = (float)y});
}

// Queues the press or the release of a key or button.
static void add_press(struct wp_viewer *v, int chord, bool down)
{
    if (chord & WP_MOD_SHIFT)
        add_key(v, WP_KEY_SHIFT, down);
    if (chord & WP_MOD_CTRL)
        add_key(v, WP_KEY_CTRL, down);
    if (chord)
        add_key(v, chord & ~(WP_MOD_SHIFT | WP_MOD_CTRL), down);
    else
        wp_queue_add(v, &(struct wp_event){.kind = WP_EVENT_BUTTON, .down = down});
}

// Queues a press and its release, or a motion, and draws frames as a window does.
static bool play_timed(struct wp_script *script, struct wp_viewer *v, const struct line *line)
{
    enum event event;
    const char *argument;
    float left = v->mouse_x, top = v->mouse_y;
    double x, y;
    timed_event(line->argument, &event, &argument);
    if (event == CLICK && argument[0] && !wp_ui_find_control(argument, &left, &top))
        return bad_line(script->path, line->number, "no such control", argument);
    add_move(v, (double)left, (double)top);
    draw_all(v, NULL, NULL);
    wp_gl_finish(v->gl);
    if (event == MOVE && parse_pair(argument, &x, &y))
        add_move(v, x, y);
    const int chord = event == KEY ? wp_chord_parse(argument, strlen(argument)) : 0;
    for (int up = 0; up < 2 && event != MOVE; up++)
        add_press(v, chord, !up);
    json_array_append_new(script->latencies, measure_latency(v, line->number, line->argument));
    return true;
}

static bool copy(const char *argument)
{
    char from[4096], to[4096], bytes[4096];
    sscanf(argument, "%4095s %4095s", from, to);
    FILE *source = fopen(from, "rb");
    if (!source)
        return wp_fail(wp_error_of_errno(), "%s: %s", from, strerror(errno));
    struct wp_output *output = wp_output_open(to, true);
    size_t count;
    while (output && (count = fread(bytes, 1, sizeof bytes, source)) > 0)
        fwrite(bytes, 1, count, wp_output_stream(output));
    fclose(source);
    return output && wp_output_commit(&output);
}

static bool set(struct wp_viewer *v, const char *argument)
{
    char name[64];
    snprintf(name, sizeof name, "%.*s", (int)strcspn(argument, " \t"), argument);
    const char *value = argument + strlen(name);
    return wp_view_state_set(&v->state, name, value + strspn(value, " \t"));
}

// Executes an event. Returns false after an error. Sets phase to -1 when the event is complete.
static bool play(struct wp_script *script, struct wp_viewer *v, const struct line *line)
{
    const char *a = line->argument;
    char one[64] = "0", two[64] = "0";
    double x = 0, y = 0;
    if (line->event == MOVE || line->event == RESIZE)
        sscanf(a, "%63s %63s", one, two);
    else
        snprintf(one, sizeof one, "%s", a[0] ? a : "0");
    wp_parse_double(one, &x);
    wp_parse_double(two, &y);
    const int chord = wp_chord_parse(a, strlen(a)), phase = script->phase;
    if (line->event != CLICK)
        script->phase = -1;
    switch (line->event) {
    case KEY:
        send_key(v, chord, phase == 0);
        script->phase = phase == 0 ? 1 : -1;
        return true;
    case HOLD: send_key(v, chord, true); return true;
    case RELEASE: send_key(v, chord, false); return true;
    case TYPE: type(v, a); return true;
    case MOVE: wp_viewer_mouse_move(v, (float)x, (float)y); return true;
    case DOWN: wp_viewer_mouse_button(v, (int)x % 3, true); return true;
    case UP: wp_viewer_mouse_button(v, (int)x % 3, false); return true;
    case CLICK: return click(script, v, line);
    case WHEEL: wp_viewer_wheel(v, (float)x); return true;
    case DROP: wp_viewer_drop(v, a); return true;
    case RESIZE: return v->windowed || wp_viewer_resize(v, (int)x, (int)y);
    case WAIT:
        if (is_async(a))
            script->phase = !v->scene->is_steady || v->scene->is_steady(v) ? -1 : 1;
        else
            script->phase = phase + 1 < (int)x ? phase + 1 : -1;
        return true;
    case DO: wp_action_run(v, wp_action_find(a)); return true;
    case SET: return set(v, a);
    case TRY:
        wp_viewer_catch(v);
        set(v, a);
        wp_viewer_caught(v);
        return true;
    case LOAD: return wp_view_state_read(a, &v->state);
    case SHOT: return wp_viewer_save_screenshot(v, a, true, true);
    case SAVE: return v->scene->save(v, a, true);
    case ITERATE: return wp_solver_view_iterate(v, (int)fmin(fmax(x, 0), 1e9));
    case STATE: return wp_view_state_write(a, &v->state);
    case FACTS: return wp_viewer_write_facts(v, a);
    case INTERFACE: return wp_output_text(a, true, wp_ui_reported());
    case COPY: return copy(a);
    case TIMED:
        return v->windowed ? bad_line(script->path, line->number, "only without a window:", "timed")
                           : play_timed(script, v, line);
    case TIMES: return write_latencies(script->latencies, a);
    case LOSE: v->lost[a[0] == 'b'] = true; return true;
    case EVENTS: break;
    }
    return false;
}

bool wp_script_needs_pixels(const struct wp_script *script)
{
    return script->at < script->count && script->line[script->at].event == SHOT;
}

bool wp_script_step(struct wp_script *script, struct wp_viewer *v, bool *failed)
{
    *failed = false;
    if (script->at >= script->count)
        return false;
    const struct line *line = &script->line[script->at];
    *failed = !play(script, v, line);
    if (script->phase < 0 || *failed) {
        script->phase = 0;
        script->at++;
    }
    return true;
}
