// Preloaded before the program, counts the calls that end a file: fsync, fdatasync, fclose, rename,
// unlink. WAVEPASS_FAULT names one of them:
//
//   file-fail:N   the N-th fails with EIO; fclose closes all the same
//   file-kill:N   the N-th does not happen, and the program is killed
//   file-end:N    the N-th does not happen, and the program ends as libraries end it: by abort()
//   file-exit:N   or exit(1)
//   file-fault:N  or a fault
//
// and stderr gets "file fault: NAME" when it comes to that. Or of calls of open:
//
//   file-named    the file system has no files without a name
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static bool fault(const char *name)
{
    static const char *const ways[] = {"file-fail:", "file-kill:", "file-end:", "file-exit:",
                                       "file-fault:"};
    enum { FAIL, DIE, END, EXIT, FAULT, WAYS };
    static int calls; // one thread at a time ends files
    const char *wanted = getenv("WAVEPASS_FAULT");
    int way = 0;
    while (wanted && way < WAYS && strncmp(wanted, ways[way], strlen(ways[way])) != 0)
        way++;
    if (!wanted || way == WAYS || ++calls != atoi(wanted + strlen(ways[way])))
        return false;
    dprintf(STDERR_FILENO, "file fault: %s\n", name);
    switch (way) {
    case DIE: raise(SIGKILL); break;
    case END: abort();
    case EXIT: exit(EXIT_FAILURE);
    case FAULT: raise(SIGSEGV); break;
    default: break;
    }
    errno = EIO;
    return true;
}

static void *find(const char *name)
{
    void *found = dlsym(RTLD_NEXT, name);
    if (!found)
        abort();
    return found;
}

int fsync(int file)
{
    int (*real)(int);
    *(void **)&real = find("fsync");
    return fault("fsync") ? -1 : real(file);
}

int fdatasync(int file)
{
    int (*real)(int);
    *(void **)&real = find("fdatasync");
    return fault("fdatasync") ? -1 : real(file);
}

int fclose(FILE *stream)
{
    int (*real)(FILE *);
    *(void **)&real = find("fclose");
    const bool fails = fault("fclose");
    const int result = real(stream);
    if (fails)
        errno = EIO;
    return fails ? EOF : result;
}

int rename(const char *from, const char *to)
{
    int (*real)(const char *, const char *);
    *(void **)&real = find("rename");
    return fault("rename") ? -1 : real(from, to);
}

int open(const char *path, int flags, ...)
{
    int (*real)(const char *, int, ...);
    *(void **)&real = find("open");
    const char *wanted = getenv("WAVEPASS_FAULT");
    const bool unnamed = (flags & O_TMPFILE) == O_TMPFILE;
    if (unnamed && wanted && strcmp(wanted, "file-named") == 0) {
        dprintf(STDERR_FILENO, "file fault: open\n");
        errno = EOPNOTSUPP;
        return -1;
    }
    va_list args;
    va_start(args, flags);
    const mode_t mode = unnamed || (flags & O_CREAT) ? va_arg(args, mode_t) : 0;
    va_end(args);
    return real(path, flags, mode);
}

int unlink(const char *path)
{
    int (*real)(const char *);
    *(void **)&real = find("unlink");
    return fault("unlink") ? -1 : real(path);
}
