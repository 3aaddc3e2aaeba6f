// Preloaded library that counts the calls that complete a file: fsync, fdatasync, fclose, rename,
// unlink. Values of WAVEPASS_FAULT:
//
//   file-fail:N   call N fails with EIO; fclose still closes the file
//   file-kill:N   SIGKILL instead of call N
//   file-end:N    abort() instead of call N
//   file-exit:N   exit(1) instead of call N
//   file-fault:N  SIGSEGV instead of call N
//   file-named    open() reports that the file system does not support O_TMPFILE
//
// Prints "file fault: NAME" to stderr when it acts.
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
    static const char *const modes[] = {"file-fail:", "file-kill:", "file-end:", "file-exit:",
                                        "file-fault:"};
    enum { FAIL, DIE, END, EXIT, FAULT, MODE_COUNT };
    static int calls; // files are completed by one thread at a time
    const char *requested = getenv("WAVEPASS_FAULT");
    int mode = 0;
    while (requested && mode < MODE_COUNT &&
           strncmp(requested, modes[mode], strlen(modes[mode])) != 0)
        mode++;
    if (!requested || mode == MODE_COUNT || ++calls != atoi(requested + strlen(modes[mode])))
        return false;
    dprintf(STDERR_FILENO, "file fault: %s\n", name);
    switch (mode) {
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
    const char *requested = getenv("WAVEPASS_FAULT");
    const bool unnamed = (flags & O_TMPFILE) == O_TMPFILE;
    if (unnamed && requested && strcmp(requested, "file-named") == 0) {
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
