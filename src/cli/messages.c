#include "messages.h"

#include "clock.h"

#include <ctype.h>
#include <jansson.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

enum { COLOR_AUTO, COLOR_ALWAYS, COLOR_NEVER };
enum { ERROR_SIZE = 1 << 14, PART_SIZE = 256 };

static struct {
    const char *program;
    const struct wp_command *command;
    struct wp_common common;
    bool color, progress;
    bool hushed; // errors alone are said
    bool many; // files: a line of JSON for each, and one line of progress for all
    const char *const *word; // of the command line, ended by NULL
    char error[ERROR_SIZE]; // the first one, with its hint; what is longer is cut
} state;

static volatile sig_atomic_t progress_shown;

// The file that this thread is at work on, or NULL.
static _Thread_local const char *about;
// Where its errors go in place of being shown, or NULL.
static _Thread_local struct wp_text *capture;

static bool stderr_is_screen(void)
{
    const char *terminal = getenv("TERM");
    return isatty(STDERR_FILENO) && !(terminal && strcmp(terminal, "dumb") == 0);
}

int wp_screen_columns(void)
{
    enum { USUAL = 80, LEAST = 60, MOST = 400 };
    struct winsize size;
    if (!isatty(STDOUT_FILENO) || ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0 || !size.ws_col)
        return USUAL;
    return size.ws_col < LEAST ? LEAST : size.ws_col > MOST ? MOST : size.ws_col;
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
    if (!state.progress || state.many)
        return;
    va_list args;
    va_start(args, format);
    wp_progress_clear();
    progress_shown = vfprintf(stderr, format, args);
    fflush(stderr);
    va_end(args);
}

void wp_progress_files(int done, int count, const char *name)
{
    enum { BAR = 24 };
    static const char full[BAR + 1] = "########################";
    static const char empty[BAR + 1] = "........................";
    if (!state.progress)
        return;
    const int part = (int)((long long)BAR * done / count);
    flockfile(stderr);
    wp_progress_clear();
    progress_shown = fprintf(stderr, "[%.*s%.*s] %d of %d: %.40s", part, full, BAR - part, empty,
                             done, count, name);
    fflush(stderr);
    funlockfile(stderr);
}

void wp_messages_mute(void)
{
    state.hushed = true;
}

void wp_messages_many(void)
{
    state.many = true;
}

void wp_messages_about(const char *file)
{
    about = file;
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
    if (state.hushed)
        return level == WP_LOG_ERROR;
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

// A file's name may hold control characters, which are not for the terminal to follow. Piece by
// piece, since a message of memory that is short must not want any.
static void put_part(const char *text, size_t length, const char *end)
{
    char part[PART_SIZE];
    while (length > 0) {
        const size_t count = length < sizeof part ? length : sizeof part;
        for (size_t i = 0; i < count; i++)
            part[i] = iscntrl((unsigned char)text[i]) && text[i] != '\t' ? '?' : text[i];
        fwrite(part, 1, count, stderr);
        text += count;
        length -= count;
    }
    fputs(end, stderr);
}

static void put_start(enum wp_log_level level)
{
    fprintf(stderr, "%s%s%s: ", state.program, state.command ? " " : "",
            state.command ? state.command->name : "");
    put(styles[level].color, styles[level].label);
}

// Messages of the libraries name no options, since callers have parameters. tests/layers.py looks
// for each part of a message there.
static const struct {
    const char *part, *option, *hint;
} hints[] = {
    {", of which one must be selected", "volume-index", "--volume-index N selects one, from 0 on"},
    {" exists", "force", "use -f to overwrite"},
    {" describes other coefficients of the same size", "ignore-changes",
     "--ignore-changes accepts coefficients that were changed on purpose"},
    {"' is not known here", "wavelet", "give its file with -w FILE"},
    {"the lifting steps are not those that ", "wavelet",
     "give the file they come from with -w FILE"},
    {" does not name its wavelet", "wavelet", "name it with -w"},
    {" cannot hold coefficients", "picture", "--picture FILE.png writes a picture of the subbands"},
    {"a shader does not compile", "verbose", "-vv shows all of it"},
    {" and requires their sensitivity maps", "maps", "give them with --maps FILE"},
    {", which the exact solution requires", "exact", "omit --exact"},
    {"the largest value of the zero-filled image", "peak", "--peak X sets another"},
    {"' is for volumes, but ", "volume", "--volume treats the image as a volume of one slice"},
    {"the arithmetic needs one channel, not rgb", "show", "--show report has pictures in color"},
};

// What the command's options can do about a message, or NULL.
static const char *hint_of(const struct wp_option *options, const char *message)
{
    for (size_t i = 0; i < sizeof hints / sizeof *hints; i++)
        if (strstr(message, hints[i].part) && (wp_options_have(options, hints[i].option) ||
                                               wp_options_have(wp_options_common, hints[i].option)))
            return hints[i].hint;
    return NULL;
}

// The word that was read as options though it is the name of a file, or NULL.
static const char *file_with_dash(void)
{
    const char *const *word = state.word;
    for (; word && *word && strcmp(*word, "--") != 0; word++)
        if (**word == '-' && strlen(*word) > 2 && access(*word, F_OK) == 0)
            return *word;
    return NULL;
}

static void handle(void *user, enum wp_log_level level, const char *message)
{
    (void)user;
    static const char hint[] = "hint: ";
    char whole[ERROR_SIZE];
    const char *file = level == WP_LOG_ERROR && !capture && wp_last_error() == WP_ERROR_USAGE
                           ? file_with_dash()
                           : NULL;
    const char *more = level <= WP_LOG_INFO && !capture && state.command
                           ? hint_of(state.command->options, message)
                           : NULL;
    if (file) {
        // In place of a hint about an option that nobody gave.
        snprintf(whole, sizeof whole, "%.*s\nhint: %s is a file, which was read as an option: "
                                      "write ./%s, or -- before it",
                 (int)strcspn(message, "\n"), message, file, file);
        message = whole;
    } else if (more) {
        snprintf(whole, sizeof whole, "%s%s%s", message,
                 strstr(message, "\nhint: ") ? "; " : "\nhint: ", more);
        message = whole;
    }
    if (level == WP_LOG_ERROR && capture) {
        wp_text_add(capture, "%s%s", capture->length ? "\n" : "", message);
        return;
    }
    if (level == WP_LOG_ERROR && !state.error[0])
        snprintf(state.error, sizeof state.error, "%s", message);
    if (!wanted(level))
        return;
    // Others may have something to say, too.
    flockfile(stderr);
    wp_progress_clear();
    put_start(level);
    // -v is a timeline.
    if (level >= WP_LOG_VERBOSE)
        fprintf(stderr, "%8.1f ms  ", wp_seconds_since_start() * 1e3);
    for (const char *line = message; *line;) {
        const size_t length = strcspn(line, "\n");
        const bool is_hint = strncmp(line, hint, sizeof hint - 1) == 0;
        if (is_hint)
            put("\033[1;36m", hint);
        const size_t skip = is_hint ? sizeof hint - 1 : 0;
        if (line == message && about && !strstr(message, about))
            put_part(about, strlen(about), ": ");
        put_part(line + skip, length - skip, "\n");
        line += length + (line[length] == '\n');
    }
    funlockfile(stderr);
}

void wp_messages_out_of_memory(void)
{
    static const char text[] = "out of memory";
    wp_progress_clear();
    put_start(WP_LOG_ERROR);
    put_part(text, sizeof text - 1, "\n");
    // Past stdout's buffer, which may hold half of what was to be the result.
    if (state.common.json)
        dprintf(STDOUT_FILENO,
                "{\n  \"error\": \"%s\",\n  \"hint\": null,\n  \"exit\": %d\n}\n", text,
                WP_ERROR_TOO_LARGE);
}

void wp_messages_capture(struct wp_text *text)
{
    capture = text;
}

void wp_messages_set_up(const char *program, const struct wp_command *command,
                        const struct wp_common *common)
{
    state.program = program;
    state.command = command;
    state.common = *common;
    state.color = wants_color(common->color);
    state.progress = !common->quiet && !common->verbose && !state.hushed && stderr_is_screen();
    wp_log_set_handler(handle, NULL);
}

void wp_messages_finish(enum wp_error code)
{
    wp_progress_clear();
    if (state.common.json && code != WP_ERROR_NONE && state.error[0] && !state.many) {
        char *hint = strstr(state.error, "\nhint: ");
        if (hint)
            *hint = '\0';
        wp_print_json(json_pack("{s:o, s:o, s:i}", "error", wp_json_text(state.error), "hint",
                                wp_json_text(hint ? hint + strlen("\nhint: ") : NULL), "exit",
                                (int)code));
    }
    state.error[0] = '\0';
}

void wp_print_json(json_t *object)
{
    // 9 digits tell every float32 from its neighbours.
    enum { DIGITS = 9 };
    // Whole, since memory may run out in between.
    char *text = json_dumps(object, (state.many ? JSON_COMPACT : (size_t)JSON_INDENT(2)) |
                                        JSON_REAL_PRECISION(DIGITS));
    json_decref(object);
    puts(text ? text : "");
    if (state.many)
        fflush(stdout);
    free(text);
}

static double start;

void wp_messages_begin(const char *const *word)
{
    state.word = word;
    start = wp_clock_seconds();
}

double wp_seconds_since_start(void)
{
    return wp_clock_seconds() - start;
}
