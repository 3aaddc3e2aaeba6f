#define _XOPEN_SOURCE 700
#include "messages.h"

#include "clock.h"
#include "log.h"
#include "output.h"

#include <ctype.h>
#include <jansson.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
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
    bool muted; // shows only errors
    bool many;  // several files: one line of JSON for each, and one progress bar
    const char *const *word; // arguments of the command line, ended by NULL
    char error[ERROR_SIZE]; // the first error with its hint, truncated if longer
} state;

static volatile sig_atomic_t progress_shown;

// The file that this thread processes, or NULL.
static _Thread_local const char *about;
// Receives this thread's errors, which are not shown then; or NULL.
static _Thread_local struct wp_text *capture;

static bool stderr_is_screen(void)
{
    const char *terminal = getenv("TERM");
    return isatty(STDERR_FILENO) && !(terminal && strcmp(terminal, "dumb") == 0);
}

int wp_screen_columns(void)
{
    enum { DEFAULT_COLUMNS = 80, MIN_COLUMNS = 60, MAX_COLUMNS = 400 };
    struct winsize size;
    if (!isatty(STDOUT_FILENO) || ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0 || !size.ws_col)
        return DEFAULT_COLUMNS;
    return size.ws_col < MIN_COLUMNS   ? MIN_COLUMNS
           : size.ws_col > MAX_COLUMNS ? MAX_COLUMNS
                                       : size.ws_col;
}

static bool use_color(int choice)
{
    const char *none = getenv("NO_COLOR");
    if (choice != COLOR_AUTO)
        return choice == COLOR_ALWAYS;
    return stderr_is_screen() && !(none && none[0]);
}

void wp_progress_clear(void)
{
    // Blanks instead of an escape sequence, because of NO_COLOR.
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

const char *wp_progress_bar(char bar[WP_BAR + 3], int done, int count)
{
    snprintf(bar, WP_BAR + 3, "[%*s]", WP_BAR, "");
    memset(bar + 1, '.', WP_BAR);
    memset(bar + 1, '#', (size_t)((long long)WP_BAR * done / count));
    return bar;
}

void wp_progress_files(int done, int count, const char *name)
{
    char bar[WP_BAR + 3];
    if (!state.progress)
        return;
    flockfile(stderr);
    wp_progress_clear();
    progress_shown = fprintf(stderr, "%s %d of %d: %.40s", wp_progress_bar(bar, done, count), done,
                             count, name);
    fflush(stderr);
    funlockfile(stderr);
}

void wp_messages_mute(void)
{
    state.muted = true;
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

static bool is_enabled(enum wp_log_level level)
{
    if (state.muted)
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

// Writes text with control characters replaced by '?', since names of files may contain them. Uses
// a buffer on the stack, so that messages about lack of memory allocate none.
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

// Hints for messages of the library, which do not name options. tests/layers.py checks that each
// part exists in a message of the library.
static const struct {
    const char *part, *option, *hint;
} hints[] = {
    {"; one of them must be selected", "volume-index", "--volume-index N selects one, from 0 on"},
    {" exists", "force", "use -f to overwrite"},
    {" describes other coefficients of the same size", "ignore-changes",
     "--ignore-changes accepts coefficients that were changed on purpose"},
    {"' is not known here", "wavelet", "give its file with -w FILE"},
    {"the lifting steps differ from those of ", "wavelet",
     "give the wavelet file with -w FILE"},
    {" does not name its wavelet", "wavelet", "name it with -w"},
    {" cannot hold coefficients", "picture", "--picture FILE.png writes a picture of the subbands"},
    {"a shader does not compile", "verbose", "-vv shows all of it"},
    {" and requires their sensitivity maps", "maps", "give them with --maps FILE"},
    {" pairs of lifting steps (at most ", "exact", "omit --exact"},
    {"the largest value of the zero-filled image", "peak", "--peak X sets another"},
    {"' is for volumes, but ", "volume", "--volume treats the image as a volume of one slice"},
    {"the arithmetic needs one channel, not rgb", "show", "--show report has pictures in color"},
};

// The hint for a message that names an option of the command, or NULL.
static const char *hint_of(const struct wp_option *options, const char *message)
{
    for (size_t i = 0; i < sizeof hints / sizeof *hints; i++)
        if (strstr(message, hints[i].part) && (wp_options_have(options, hints[i].option) ||
                                               wp_options_have(wp_options_common, hints[i].option)))
            return hints[i].hint;
    return NULL;
}

// The first argument that begins with '-' and is the name of an existing file, or NULL.
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
    char extended[ERROR_SIZE];
    const char *file = level == WP_LOG_ERROR && !capture && wp_last_error() == WP_ERROR_USAGE
                           ? file_with_dash()
                           : NULL;
    const char *more = level <= WP_LOG_INFO && !capture && state.command
                           ? hint_of(state.command->options, message)
                           : NULL;
    if (file) {
        // Replaces the hint, which is about an option that was not intended.
        snprintf(extended, sizeof extended,
                 "%.*s\nhint: %s is a file, which was read as an option: write ./%s, or -- before "
                 "it",
                 (int)strcspn(message, "\n"), message, file, file);
        message = extended;
    } else if (more) {
        snprintf(extended, sizeof extended, "%s%s%s", message,
                 strstr(message, "\nhint: ") ? "; " : "\nhint: ", more);
        message = extended;
    }
    if (level == WP_LOG_ERROR && capture) {
        wp_text_add(capture, "%s%s", capture->length ? "\n" : "", message);
        return;
    }
    if (level == WP_LOG_ERROR && !state.error[0])
        snprintf(state.error, sizeof state.error, "%s", message);
    if (!is_enabled(level))
        return;
    flockfile(stderr);
    wp_progress_clear();
    put_start(level);
    // Verbose messages have the time since the start.
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
    // Bypasses the buffer of stdout, which may contain a part of the result.
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
    state.color = use_color(common->color);
    state.progress = !common->quiet && !common->verbose && !state.muted && stderr_is_screen();
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

void wp_print_text(struct wp_text *text)
{
    fputs(wp_text_get(text), stdout);
    wp_text_free(text);
}

void wp_print_json(json_t *object)
{
    // 9 digits identify every float32.
    enum { DIGITS = 9 };
    // Formatted before printing, since memory may be exhausted in between.
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

// ---- signals ----

volatile sig_atomic_t wp_interrupted;

enum { CRASHES = 5, STACK_SIZE = 1 << 16 };

static const int crash[CRASHES] = {SIGABRT, SIGSEGV, SIGBUS, SIGFPE, SIGILL};
static struct sigaction before[CRASHES];

static void clean_up(int number, siginfo_t *info, void *context)
{
    (void)context;
    wp_output_discard_all();
    for (int i = 0; i < CRASHES; i++)
        if (crash[i] == number)
            sigaction(number, &before[i], NULL);
    // A fault is raised again when this handler returns; a signal that was sent is not.
    if (info->si_code <= 0)
        raise(number);
}

void wp_interrupt_crashes(void)
{
    // The handler needs its own stack for stack overflows.
    static char handler_stack[STACK_SIZE];
    const stack_t stack = {.ss_sp = handler_stack, .ss_size = sizeof handler_stack};
    struct sigaction action = {.sa_sigaction = clean_up, .sa_flags = SA_SIGINFO};
    if (sigaltstack(&stack, NULL) == 0)
        action.sa_flags |= SA_ONSTACK;
    sigemptyset(&action.sa_mask);
    for (int i = 0; i < CRASHES; i++)
        sigaction(crash[i], &action, &before[i]);
    atexit(wp_output_discard_all);
}

static void request_stop(int number)
{
    if (wp_interrupted) {
        if (!wp_output_discard_all_on_signal(number))
            return;
        wp_messages_clear_on_signal();
        _exit(WP_ERROR_INTERRUPTED);
    }
    wp_interrupted = 1;
}

void wp_interrupt_handle(void (*handler)(int number))
{
    static const int signals[] = {SIGINT, SIGTERM, SIGHUP};
    struct sigaction action = {.sa_handler = handler}, old;
    sigemptyset(&action.sa_mask);
    for (size_t i = 0; i < sizeof signals / sizeof *signals; i++)
        if (sigaction(signals[i], NULL, &old) == 0 && old.sa_handler != SIG_IGN)
            sigaction(signals[i], &action, NULL);
}

void wp_interrupt_catch(void)
{
    wp_interrupt_handle(request_stop);
}
