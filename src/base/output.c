// O_TMPFILE
#define _GNU_SOURCE
#include "output.h"

#include "log.h"
#include "output_group.h"
#include "output_path.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct wp_output {
    char *path;      // as given, for messages
    char *target;    // the same with symbolic links followed
    char *temporary; // NULL where the stream writes to the path itself
    FILE *stream;
    int slot;      // in `pending`
    bool replaces; // a file that was there
    bool (*forget)(const char *path); // NULL: nothing
};

// Temporary names that a signal handler must remove. Threads that write have places of their own.
enum { PENDING_MAX = 32 };
static const char *_Atomic pending[PENDING_MAX];

// How many threads are between the names of two files that belong together, and the signal that came
// then. Whichever of the threads is the last one sees what the others have set.
static atomic_int naming, deferred;

void wp_output_discard_all(void)
{
    // Another thread may go on writing; without their directory it makes no files of a group.
    enum { TRIES = 1000 };
    bool gone = false;
    for (int t = 0; t < TRIES && !gone; t++) {
        for (int i = 0; i < PENDING_MAX; i++) {
            const char *const name = pending[i];
            if (name)
                unlink(name);
        }
        gone = wp_output_group_discard_on_signal();
    }
}

bool wp_output_discard_all_on_signal(int number)
{
    deferred = number;
    if (naming)
        return false;
    wp_output_discard_all();
    return true;
}

static bool cannot_write(const char *path)
{
    return wp_fail(wp_error_of_errno(), "cannot write %s (%s)",
                   path, strerror(errno));
}

// Of the file's directory, as "DIR/.": with that, errno tells of a file in its place.
static bool takes_files(char *target)
{
    char *slash = strrchr(target, '/');
    if (slash && slash[1])
        strcpy(slash + 1, ".");
    return access(slash ? target : ".", W_OK | X_OK) == 0;
}

// True for stdout and for what exists and is no regular file.
static bool is_written_directly(const char *path, bool *exists, struct stat *info)
{
    const bool to_stdout = strcmp(path, "-") == 0;
    *exists = !to_stdout && stat(path, info) == 0;
    return to_stdout || (*exists && !S_ISREG(info->st_mode));
}

bool wp_output_check(const char *path, bool overwrite)
{
    bool exists;
    struct stat info;
    if (is_written_directly(path, &exists, &info))
        return true;
    if (exists && !overwrite)
        return wp_fail(WP_ERROR_FILE, "%s exists", path);
    // A file that may not be written must not be replaced just because its directory may.
    if (exists && access(path, W_OK) != 0)
        return cannot_write(path);
    char *target = wp_output_target(path);
    const bool ok = target && takes_files(target);
    if (!ok)
        cannot_write(path);
    free(target);
    return ok;
}

// NULL, after the error that errno tells.
static struct wp_output *give_up(struct wp_output *output, const char *path)
{
    cannot_write(path);
    wp_output_discard(&output);
    return NULL;
}

// Before the file is made, so that no signal can come between. Returns the umask, which only they who
// set it are told; other threads may be here, too.
static mode_t list(struct wp_output *output)
{
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    pthread_mutex_lock(&lock);
    for (int i = 0; i < PENDING_MAX && output->slot < 0; i++) {
        if (!pending[i]) {
            pending[i] = output->temporary;
            output->slot = i;
        }
    }
    const mode_t mask = umask(0);
    umask(mask);
    pthread_mutex_unlock(&lock);
    return mask;
}

static struct wp_output *open_directly(struct wp_output *output)
{
    const bool to_stdout = strcmp(output->path, "-") == 0;
    output->stream = to_stdout ? stdout : fopen(output->path, "wb");
    return output->stream ? output : give_up(output, output->path);
}

struct wp_output *wp_output_open(const char *path, bool overwrite)
{
    if (!wp_output_check(path, overwrite))
        return NULL;
    struct wp_output *output = calloc(1, sizeof *output);
    if (!output) {
        cannot_write(path);
        return NULL;
    }
    output->slot = -1;
    output->path = strdup(path);
    if (!output->path)
        return give_up(output, path);

    bool exists;
    struct stat info;
    if (is_written_directly(path, &exists, &info))
        return open_directly(output);

    output->replaces = exists;
    output->target = wp_output_target(path);
    const size_t size = output->target ? strlen(output->target) + 16 : 0;
    output->temporary = output->target ? calloc(size, 1) : NULL;
    if (!output->temporary)
        return give_up(output, path);
    snprintf(output->temporary, size, "%s.XXXXXX", output->target);
    const mode_t mask = list(output);
    const int file = mkstemp(output->temporary);
    if (file < 0) {
        output->temporary[0] = '\0'; // nothing to remove
        return give_up(output, path);
    }
    // mkstemp gives 0600; a result should be as readable as any other new file.
    fchmod(file, exists ? info.st_mode & 0777 : 0666 & ~mask);
    output->stream = fdopen(file, "w+b");
    if (!output->stream) {
        const int why = errno;
        close(file);
        errno = why;
        return give_up(output, path);
    }
    return output;
}

// -1 where errno says why. A file system that has no such files gets one whose name is removed.
static int open_unnamed(const char *directory)
{
    static const char name[] = "/wavepass-XXXXXX";
    const int file = open(directory, O_TMPFILE | O_RDWR | O_CLOEXEC, S_IRUSR | S_IWUSR);
    if (file >= 0 || (errno != EOPNOTSUPP && errno != EISDIR))
        return file;
    const size_t size = strlen(directory) + sizeof name;
    char *path = malloc(size);
    if (!path)
        return -1;
    snprintf(path, size, "%s%s", directory, name);
    const int named = mkstemp(path);
    if (named >= 0)
        unlink(path);
    free(path);
    return named;
}

struct wp_output *wp_output_open_unnamed(const char *directory)
{
    struct wp_output *output = calloc(1, sizeof *output);
    if (!output) {
        cannot_write(directory);
        return NULL;
    }
    output->slot = -1;
    output->path = strdup(directory);
    const int file = output->path ? open_unnamed(directory) : -1;
    output->stream = file >= 0 ? fdopen(file, "w+b") : NULL;
    if (output->stream)
        return output;
    const int why = errno;
    if (file >= 0)
        close(file);
    errno = why;
    return give_up(output, directory);
}

const char *wp_output_temporary(const struct wp_output *output)
{
    return output->temporary;
}

struct wp_output *wp_output_of_other(const char *temporary)
{
    struct wp_output *output = calloc(1, sizeof *output);
    if (output) {
        output->slot = -1;
        output->temporary = strdup(temporary);
    }
    if (!output || !output->temporary)
        return give_up(output, temporary);
    list(output);
    return output;
}

FILE *wp_output_stream(struct wp_output *output)
{
    return output->stream;
}

void wp_output_discard(struct wp_output **slot)
{
    struct wp_output *output = *slot;
    *slot = NULL;
    if (!output)
        return;
    if (output->stream && output->stream != stdout)
        fclose(output->stream);
    if (output->temporary)
        unlink(output->temporary);
    if (output->slot >= 0)
        pending[output->slot] = NULL;
    free(output->temporary);
    free(output->target);
    free(output->path);
    free(output);
}

// All is on the disk, or was written where it goes.
static bool settle(struct wp_output *output)
{
    // Where an earlier write failed, the caller stopped there and errno still tells why.
    const int earlier = errno;
    bool ok = !ferror(output->stream);
    errno = ok ? 0 : earlier;
    ok = ok && fflush(output->stream) == 0;
    // A file system may report a full disk only here.
    if (ok && output->temporary)
        ok = fsync(fileno(output->stream)) == 0 || errno == EINVAL || errno == EROFS;
    if (output->stream == stdout)
        return ok;
    ok = fclose(output->stream) == 0 && ok;
    output->stream = NULL;
    return ok;
}

static bool give_name(struct wp_output *output)
{
    if (!output->temporary)
        return true;
    if (rename(output->temporary, output->target) != 0)
        return false;
    if (output->slot >= 0)
        pending[output->slot] = NULL;
    output->slot = -1;
    free(output->temporary);
    output->temporary = NULL;
    return true;
}

static bool forget_old(const struct wp_output *output, const struct wp_output *first)
{
    if (!output->forget || !output->temporary)
        return true;
    struct stat info;
    const bool is_link = lstat(output->path, &info) == 0 && S_ISLNK(info.st_mode);
    // The first one may be a link to what lies beside the second one's target.
    const bool is_new = first && first->target &&
                        strncmp(first->target, output->target, strlen(output->target)) == 0;
    return (first || output->forget(output->path)) &&
           (!is_link || is_new || output->forget(output->target));
}

// Fails where a part of a commit has.
static bool part(bool ok, const struct wp_output *output)
{
    if (ok)
        return true;
    // A reader such as `head` that has seen enough is no news to the user.
    if (output->stream == stdout && errno == EPIPE)
        return wp_fail_silently(WP_ERROR_FILE);
    return wp_fail(wp_error_of_errno(), "cannot write %s (%s)",
                   output->stream == stdout ? "the standard output" : output->path,
                   errno ? strerror(errno) : "write error");
}

static bool give_names(struct wp_output *output, struct wp_output *first)
{
    naming++;
    const bool ok = part(forget_old(output, first), output) &&
                    part(!first || give_name(first), first) && part(give_name(output), output);
    naming--;
    if (deferred)
        raise(deferred);
    return ok;
}

bool wp_output_commit_behind(struct wp_output **slot, struct wp_output **first_slot)
{
    struct wp_output *output = *slot, *first = first_slot ? *first_slot : NULL;
    const bool ok = part(settle(output), output) && part(!first || settle(first), first) &&
                    give_names(output, first);
    // Alone it would be of no use.
    if (!ok && first && first->target && !first->temporary && !first->replaces)
        unlink(first->target);
    wp_output_discard(slot);
    if (first)
        wp_output_discard(first_slot);
    return ok;
}

bool wp_output_commit(struct wp_output **slot)
{
    return wp_output_commit_behind(slot, NULL);
}

bool wp_output_commit_before(struct wp_output **slot, bool (*rest)(void *own), void *own)
{
    struct wp_output *output = *slot;
    const bool named = part(settle(output), output) && give_names(output, NULL);
    const bool ok = named && rest(own);
    if (named && !ok && output->target && !output->replaces)
        unlink(output->target);
    wp_output_discard(slot);
    return ok;
}

void wp_output_before(struct wp_output *output, bool (*forget)(const char *path))
{
    output->forget = forget;
}

bool wp_output_text(const char *path, bool overwrite, const char *text)
{
    struct wp_output *output = wp_output_open(path, overwrite);
    if (!output)
        return false;
    fputs(text, output->stream);
    return wp_output_commit(&output);
}
