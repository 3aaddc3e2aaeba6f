// A page has no files: what looks for wavelets in some by these functions finds none, and the page goes
// without Emscripten's file system.
#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

int access(const char *path, int mode)
{
    (void)path, (void)mode;
    errno = ENOENT;
    return -1;
}

int scandir(const char *path, struct dirent ***list, int (*wanted)(const struct dirent *),
            int (*order)(const struct dirent **, const struct dirent **))
{
    (void)path, (void)list, (void)wanted, (void)order;
    errno = ENOENT;
    return -1;
}

int mkstemp(char *path)
{
    (void)path;
    errno = ENOENT;
    return -1;
}
