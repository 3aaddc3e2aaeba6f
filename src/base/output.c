#define _GNU_SOURCE
#define _GNU_SOURCE // O_TMPFILE
#include "output.h"

#include "log.h"

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
    char *target;    // `path` with symbolic links followed
    char *temporary; // NULL if the stream writes to `path` itself
    FILE *stream;
    int slot;                         // in `pending`
    bool replaces;                    // an existing file
    bool (*forget)(const char *path); // or NULL
};

// Temporary files that a signal handler must remove. Each open output has its slot.
enum { PENDING_MAX = 32 };
static const char *_Atomic pending[PENDING_MAX];

// The number of threads that are renaming a pair of files, and the signal that arrived meanwhile.
// The last of these threads raises the signal again.
static atomic_int naming, deferred;

void wp_output_discard_all(void)
{
    // Another thread may create files until the group's directory is removed.
    enum { TRIES = 1000 };
    bool is_removed = false;
    for (int t = 0; t < TRIES && !is_removed; t++) {
        for (int i = 0; i < PENDING_MAX; i++) {
            const char *const name = pending[i];
            if (name)
                unlink(name);
        }
        is_removed = wp_output_group_discard_on_signal();
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

// Whether files can be created in the directory. Checks "DIR/.", so that errno is ENOTDIR if DIR is
// a file.
static bool is_writable_directory(char *target)
{
    char *slash = strrchr(target, '/');
    if (slash && slash[1])
        strcpy(slash + 1, ".");
    return access(slash ? target : ".", W_OK | X_OK) == 0;
}

// True for stdout and for existing files that are not regular files.
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
    // A read-only file must not be replaced, even if its directory is writable.
    if (exists && access(path, W_OK) != 0)
        return cannot_write(path);
    char *target = wp_output_target(path);
    const bool ok = target && is_writable_directory(target);
    if (!ok)
        cannot_write(path);
    free(target);
    return ok;
}

// Reports errno, discards the output and returns NULL.
static struct wp_output *fail_open(struct wp_output *output, const char *path)
{
    cannot_write(path);
    wp_output_discard(&output);
    return NULL;
}

// Adds the output to `pending`, before its file is created, so that a signal cannot leave the file
// behind. Returns the umask, which can only be read by setting it, hence under the lock.
static mode_t add_pending(struct wp_output *output)
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
    return output->stream ? output : fail_open(output, output->path);
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
        return fail_open(output, path);

    bool exists;
    struct stat info;
    if (is_written_directly(path, &exists, &info))
        return open_directly(output);

    output->replaces = exists;
    output->target = wp_output_target(path);
    const size_t size = output->target ? strlen(output->target) + 16 : 0;
    output->temporary = output->target ? calloc(size, 1) : NULL;
    if (!output->temporary)
        return fail_open(output, path);
    snprintf(output->temporary, size, "%s.XXXXXX", output->target);
    const mode_t mask = add_pending(output);
    const int file = mkstemp(output->temporary);
    if (file < 0) {
        output->temporary[0] = '\0'; // nothing to remove
        return fail_open(output, path);
    }
    // mkstemp() uses mode 0600; outputs should have the mode of any new file.
    fchmod(file, exists ? info.st_mode & 0777 : 0666 & ~mask);
    output->stream = fdopen(file, "w+b");
    if (!output->stream) {
        const int error = errno;
        close(file);
        errno = error;
        return fail_open(output, path);
    }
    return output;
}

// Returns a file descriptor or -1 with errno set. Where O_TMPFILE is not supported, creates a file
// and removes its name.
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
    const int unlinked = mkstemp(path);
    if (unlinked >= 0)
        unlink(path);
    free(path);
    return unlinked;
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
    const int error = errno;
    if (file >= 0)
        close(file);
    errno = error;
    return fail_open(output, directory);
}

const char *wp_output_temporary(const struct wp_output *output)
{
    return output->temporary;
}

struct wp_output *wp_output_adopt(const char *temporary)
{
    struct wp_output *output = calloc(1, sizeof *output);
    if (output) {
        output->slot = -1;
        output->temporary = strdup(temporary);
    }
    if (!output || !output->temporary)
        return fail_open(output, temporary);
    add_pending(output);
    return output;
}

FILE *wp_output_stream(struct wp_output *output)
{
    return output->stream;
}

void wp_output_discard(struct wp_output **pointer)
{
    struct wp_output *output = *pointer;
    *pointer = NULL;
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

// Flushes all data to the disk and closes the stream.
static bool finish_writing(struct wp_output *output)
{
    // If an earlier write failed, the caller stopped there and errno is still its error.
    const int earlier = errno;
    bool ok = !ferror(output->stream);
    errno = ok ? 0 : earlier;
    ok = ok && fflush(output->stream) == 0;
    // Some file systems report a full disk only here.
    if (ok && output->temporary)
        ok = fsync(fileno(output->stream)) == 0 || errno == EINVAL || errno == EROFS;
    if (output->stream == stdout)
        return ok;
    ok = fclose(output->stream) == 0 && ok;
    output->stream = NULL;
    return ok;
}

static bool rename_output(struct wp_output *output)
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

static bool forget_replaced(const struct wp_output *output, const struct wp_output *first)
{
    if (!output->forget || !output->temporary)
        return true;
    struct stat info;
    const bool is_link = lstat(output->path, &info) == 0 && S_ISLNK(info.st_mode);
    // `first` may be a link to a file next to the target of `output`.
    const bool is_new = first && first->target &&
                        strncmp(first->target, output->target, strlen(output->target)) == 0;
    return (first || output->forget(output->path)) &&
           (!is_link || is_new || output->forget(output->target));
}

// Reports a failed step of a commit. Returns `ok`.
static bool check_step(bool ok, const struct wp_output *output)
{
    if (ok)
        return true;
    // No message if the reader of a pipe, such as `head`, has closed it.
    if (output->stream == stdout && errno == EPIPE)
        return wp_fail_silently(WP_ERROR_FILE);
    return wp_fail(wp_error_of_errno(), "cannot write %s (%s)",
                   output->stream == stdout ? "the standard output" : output->path,
                   errno ? strerror(errno) : "write error");
}

static bool rename_outputs(struct wp_output *output, struct wp_output *first)
{
    naming++;
    const bool ok = check_step(forget_replaced(output, first), output) &&
                    check_step(!first || rename_output(first), first) &&
                    check_step(rename_output(output), output);
    naming--;
    if (deferred)
        raise(deferred);
    return ok;
}

bool wp_output_commit_pair(struct wp_output **pointer, struct wp_output **first_pointer)
{
    struct wp_output *output = *pointer, *first = first_pointer ? *first_pointer : NULL;
    const bool ok = check_step(finish_writing(output), output) &&
                    check_step(!first || finish_writing(first), first) &&
                    rename_outputs(output, first);
    // Without `output`, a new file `first` is of no use.
    if (!ok && first && first->target && !first->temporary && !first->replaces)
        unlink(first->target);
    wp_output_discard(pointer);
    if (first)
        wp_output_discard(first_pointer);
    return ok;
}

bool wp_output_commit(struct wp_output **pointer)
{
    return wp_output_commit_pair(pointer, NULL);
}

bool wp_output_commit_then(struct wp_output **pointer, bool (*rest)(void *user), void *user)
{
    struct wp_output *output = *pointer;
    const bool renamed = check_step(finish_writing(output), output) && rename_outputs(output, NULL);
    const bool ok = renamed && rest(user);
    if (renamed && !ok && output->target && !output->replaces)
        unlink(output->target);
    wp_output_discard(pointer);
    return ok;
}

void wp_output_on_replace(struct wp_output *output, bool (*forget)(const char *path))
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
