#include "decoder.h"

#include "log.h"
#include "xmemory.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

struct wp_decoder {
    pid_t process; // 0 after waitpid()
    char *path;
    FILE *messages; // its stderr
};

bool wp_decoder_matches(const unsigned char *head, size_t size)
{
    static const struct {
        size_t at;
        const char *bytes;
        size_t count;
    } magics[] = {
        {4, "ftyp", 4},             // MP4, QuickTime
        {4, "moov", 4},             // older QuickTime
        {0, "\x1a\x45\xdf\xa3", 4}, // Matroska, WebM
        {8, "AVI ", 4},
        {0, "OggS", 4},
        {0, "FLV\1", 4},
        {0, "\0\0\1\xba", 4},         // MPEG program stream
        {0, "\0\0\1\xb3", 4},         // MPEG video
        {0, "\x30\x26\xb2\x75", 4}, // ASF, WMV
        {0, "GIF8", 4},
    };
    for (size_t i = 0; i < sizeof magics / sizeof *magics; i++)
        if (size >= magics[i].at + magics[i].count &&
            memcmp(head + magics[i].at, magics[i].bytes, magics[i].count) == 0)
            return true;
    return false;
}

static const char *program(void)
{
    const char *named = getenv("WAVEPASS_FFMPEG");
    return named && named[0] ? named : "ffmpeg";
}

// The pipe and the message file receive stdout and stderr; stdin is /dev/null, not the terminal.
static int spawn(pid_t *process, char *const arguments[], int out, int messages)
{
    posix_spawn_file_actions_t files;
    posix_spawnattr_t attributes;
    sigset_t defaults;
    sigemptyset(&defaults);
    sigaddset(&defaults, SIGPIPE);
    sigaddset(&defaults, SIGXFSZ);
    posix_spawn_file_actions_init(&files);
    posix_spawnattr_init(&attributes);
    posix_spawnattr_setsigdefault(&attributes, &defaults);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF);
    posix_spawn_file_actions_addopen(&files, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_adddup2(&files, out, STDOUT_FILENO);
    posix_spawn_file_actions_adddup2(&files, messages, STDERR_FILENO);
    const int error =
        posix_spawnp(process, arguments[0], &files, &attributes, arguments, environ);
    posix_spawn_file_actions_destroy(&files);
    posix_spawnattr_destroy(&attributes);
    return error;
}

static bool start(struct wp_decoder *decoder, int ends[2])
{
    // Without "file:", ffmpeg could read the name as a URL or an option.
    const size_t size = strlen(decoder->path) + sizeof "file:";
    char *input = wp_xcalloc(size, 1), *name = wp_xstrdup(program());
    snprintf(input, size, "file:%s", decoder->path);
    char *const arguments[] = {name, "-nostdin", "-v", "error", "-i", input, "-f", "yuv4mpegpipe",
                               "-strict", "-1", "-", NULL};
    fcntl(ends[0], F_SETFD, FD_CLOEXEC);
    fcntl(ends[1], F_SETFD, FD_CLOEXEC);
    fcntl(fileno(decoder->messages), F_SETFD, FD_CLOEXEC);
    const int error = spawn(&decoder->process, arguments, ends[1], fileno(decoder->messages));
    if (error) {
        decoder->process = 0;
        wp_fail(WP_ERROR_UNAVAILABLE,
                "%s is a video, and its decoder '%s' cannot be started (%s)"
                "\nhint: install ffmpeg, or set WAVEPASS_FFMPEG to its path",
                decoder->path, name, strerror(error));
    }
    free(input);
    free(name);
    return error == 0;
}

struct wp_decoder *wp_decoder_start(const char *path, int *file)
{
    struct wp_decoder *decoder = wp_xcalloc(1, sizeof *decoder);
    int ends[2];
    decoder->path = wp_xstrdup(path);
    decoder->messages = tmpfile();
    if (!decoder->messages || pipe(ends) != 0) {
        wp_fail(wp_error_of_errno(), "%s: cannot create a pipe to ffmpeg (%s)", path,
                strerror(errno));
        wp_decoder_destroy(&decoder);
        return NULL;
    }
    const bool ok = start(decoder, ends);
    close(ends[1]);
    *file = ends[0];
    if (!ok) {
        close(ends[0]);
        wp_decoder_destroy(&decoder);
    }
    return decoder;
}

static int wait_for(struct wp_decoder *decoder)
{
    int status = 0;
    while (waitpid(decoder->process, &status, 0) < 0 && errno == EINTR)
        continue;
    decoder->process = 0;
    return status;
}

// Gets ": " and the last line of ffmpeg's messages, or "".
static void last_line(struct wp_decoder *decoder, char *line, int size)
{
    char read[240];
    line[0] = '\0';
    rewind(decoder->messages);
    while (fgets(read, (int)sizeof read, decoder->messages)) {
        read[strcspn(read, "\r\n")] = '\0';
        if (read[0])
            snprintf(line, (size_t)size, ": %s", read);
    }
}

bool wp_decoder_finish(struct wp_decoder *decoder)
{
    char reason[256];
    if (!decoder->process)
        return true;
    const int status = wait_for(decoder);
    if (WIFEXITED(status) && WEXITSTATUS(status) == 0)
        return true;
    last_line(decoder, reason, (int)sizeof reason);
    return wp_fail(WP_ERROR_FILE, "%s: ffmpeg failed (%s %d%s)", decoder->path,
                   WIFSIGNALED(status) ? "signal" : "exit",
                   WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status), reason);
}

void wp_decoder_destroy(struct wp_decoder **slot)
{
    struct wp_decoder *decoder = *slot;
    *slot = NULL;
    if (!decoder)
        return;
    if (decoder->process) {
        kill(decoder->process, SIGKILL);
        wait_for(decoder);
    }
    if (decoder->messages)
        fclose(decoder->messages);
    free(decoder->path);
    free(decoder);
}
