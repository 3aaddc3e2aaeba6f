// Stubs of file functions, which report that no file exists, so that the page does not need
// Emscripten's file system.
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

int scandir(const char *path, struct dirent ***list, int (*filter)(const struct dirent *),
            int (*order)(const struct dirent **, const struct dirent **))
{
    (void)path, (void)list, (void)filter, (void)order;
    errno = ENOENT;
    return -1;
}

int mkstemp(char *path)
{
    (void)path;
    errno = ENOENT;
    return -1;
}
