#include "cache.h"

#include "output.h"
#include "text.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

char *wp_user_path(const char *variable, const char *in_home, const char *name)
{
    // A relative path must be ignored (XDG Base Directory Specification 0.8).
    const char *folder = getenv(variable), *home = getenv("HOME");
    const bool given = folder && folder[0] == '/';
    if (!given && !(home && home[0] == '/'))
        return NULL;
    struct wp_text path = {0};
    wp_text_add(&path, "%s%s/wavepass/%s", given ? folder : home, given ? "" : in_home, name);
    if (!path.failed)
        return path.data;
    wp_text_free(&path);
    return NULL;
}

char *wp_cache_path(const char *name)
{
    return wp_user_path("XDG_CACHE_HOME", "/.cache", name);
}

// Makes the missing directories of a file's path. Errors are reported when the file is opened.
static void make_directories(const char *path)
{
    struct wp_text directory = {0};
    wp_text_add(&directory, "%s", path);
    if (!directory.failed)
        for (char *slash = strchr(directory.data + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
            *slash = '\0';
            mkdir(directory.data, 0700); // mode required by the specification
            *slash = '/';
        }
    wp_text_free(&directory);
}

struct wp_output *wp_cache_open(const char *path)
{
    make_directories(path);
    return wp_output_open(path, true);
}
