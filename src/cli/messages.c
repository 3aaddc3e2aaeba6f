#include "messages.h"

#include "clock.h"
#include "xmemory.h"

#include <ctype.h>
#include <jansson.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { COLOR_AUTO, COLOR_ALWAYS, COLOR_NEVER };

static struct {
    const char *command;
    struct wp_common common;
    bool color, progress;
    char *error; // the first one, with its hint
    struct wp_text *capture;
} state;

static volatile sig_atomic_t progress_shown;

static bool stderr_is_screen(void)
{
    const char *terminal = getenv("TERM");
    return isatty(STDERR_FILENO) && !(terminal && strcmp(terminal, "dumb") == 0);
}

static bool wants_color(int choice)
{
    const char *none = getenv("NO_COLOR");
    if (choice != COLOR_AUTO)
        return choice == COLOR_ALWAYS;
    return stderr_is_screen() && !(none && none[0]);
}


void wp_progress_clear(void)
{
    // Blanks, not an escape sequence: NO_COLOR asks for none.
    if (progress_shown)
        fprintf(stderr, "\r%*s\r", progress_shown, "");
    progress_shown = 0;
}

void wp_messages_clear_on_signal(void)
{
    if (progress_shown && write(STDERR_FILENO, "\n", 1) < 0)
        progress_shown = 0;
}

void wp_progress(const char *format, ...)
{
    if (!state.progress)
        return;
    va_list args;
    va_start(args, format);
    wp_progress_clear();
    progress_shown = vfprintf(stderr, format, args);
    fflush(stderr);
    va_end(args);
}

static void put(const char *color, const char *label)
{
    if (label[0])
        fprintf(stderr, "%s%s%s", state.color ? color : "", label, state.color ? "\033[0m" : "");
}

static const struct {
    const char *label, *color;
} styles[] = {
    [WP_LOG_ERROR] = {"error: ", "\033[1;31m"},
    [WP_LOG_WARNING] = {"warning: ", "\033[1;33m"},
    [WP_LOG_INFO] = {"", ""},
    [WP_LOG_VERBOSE] = {"", ""},
    [WP_LOG_DEBUG] = {"", ""},
};

static bool wanted(enum wp_log_level level)
{
    switch (level) {
    case WP_LOG_INFO:
        return !state.common.quiet;
    case WP_LOG_VERBOSE:
        return state.common.verbose >= 1;
    case WP_LOG_DEBUG:
        return state.common.verbose >= 2;
    default:
        return true;
    }
}

// A file's name may hold control characters, which are not for the terminal to follow.
static void blank_controls(char *text)
{
    for (; *text; text++)
        if (iscntrl((unsigned char)*text) && *text != '\n' && *text != '\t')
            *text = '?';
}

static void handle(void *user, enum wp_log_level level, const char *message)
{
    (void)user;
    static const char hint[] = "hint: ";
    if (level == WP_LOG_ERROR && state.capture) {
        wp_text_add(state.capture, "%s%s", state.capture->length ? "\n" : "", message);
        return;
    }
    if (level == WP_LOG_ERROR && !state.error)
        state.error = wp_xstrdup(message);
    if (!wanted(level))
        return;
    wp_progress_clear();
    fprintf(stderr, "wavepass%s%s: ", state.command ? " " : "",
            state.command ? state.command : "");
    put(styles[level].color, styles[level].label);
    // -v is a timeline.
    if (level >= WP_LOG_VERBOSE)
        fprintf(stderr, "%8.1f ms  ", wp_seconds_since_start() * 1e3);
    char *text = wp_xstrdup(message);
    blank_controls(text);
    for (const char *line = text; *line;) {
        const size_t length = strcspn(line, "\n");
        const bool is_hint = strncmp(line, hint, sizeof hint - 1) == 0;
        if (is_hint)
            put("\033[1;36m", hint);
        const size_t skip = is_hint ? sizeof hint - 1 : 0;
        fprintf(stderr, "%.*s\n", (int)(length - skip), line + skip);
        line += length + (line[length] == '\n');
    }
    free(text);
}

void wp_messages_capture(struct wp_text *text)
{
    state.capture = text;
}

void wp_messages_set_up(const char *command, const struct wp_common *common)
{
    state.command = command;
    state.common = *common;
    state.color = wants_color(common->color);
    state.progress = !common->quiet && !common->verbose && stderr_is_screen();
    wp_log_set_handler(handle, NULL);
}

void wp_messages_finish(enum wp_error code)
{
    wp_progress_clear();
    if (state.common.json && code != WP_ERROR_NONE && state.error) {
        char *hint = strstr(state.error, "\nhint: ");
        if (hint)
            *hint = '\0';
        wp_print_json(json_pack("{s:o, s:o, s:i}", "error", wp_json_text(state.error), "hint",
                                wp_json_text(hint ? hint + strlen("\nhint: ") : NULL), "exit",
                                (int)code));
    }
    free(state.error);
    state.error = NULL;
}

void wp_print_json(json_t *object)
{
    // 9 digits tell every float32 from its neighbours.
    enum { DIGITS = 9 };
    json_dumpf(object, stdout, JSON_INDENT(2) | JSON_REAL_PRECISION(DIGITS));
    putchar('\n');
    json_decref(object);
}

static double start;

void wp_messages_start_clock(void)
{
    start = wp_clock_seconds();
}

double wp_seconds_since_start(void)
{
    return wp_clock_seconds() - start;
}
