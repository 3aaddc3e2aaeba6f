#include "shader_cache.h"

#include "log.h"
#include "text.h"

#include <errno.h>
#include <pwd.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

// Why there is no cache. Empty if there is one, or if it was not checked.
static char problem[512];

// Returns whether the folder path[0..length) exists or can be created in an existing one; otherwise
// sets errno. Creates nothing, because the command may not use OpenGL.
static bool can_create(const char *path, size_t length)
{
    struct wp_text text = {0};
    struct stat info;
    wp_text_add(&text, "%.*s", (int)length, path);
    const bool exists = stat(wp_text_get(&text), &info) == 0;
    bool can = exists && S_ISDIR(info.st_mode);
    if (exists)
        errno = ENOTDIR;
    if (!exists && errno == ENOENT && length > 0) {
        while (length > 0 && path[length - 1] != '/')
            length--;
        wp_text_clear(&text);
        wp_text_add(&text, "%.*s", length ? (int)length : 1, length ? path : ".");
        can = access(wp_text_get(&text), W_OK | X_OK) == 0;
    }
    wp_text_free(&text);
    return can;
}

static size_t length_of(const char *path)
{
    size_t length = strlen(path);
    while (length > 1 && path[length - 1] == '/')
        length--;
    return length;
}

// Checks the folder and the subfolders that Mesa creates in it. If one does not exist but can be
// created, those in it can be created, too.
static bool can_create_all(const char *folder, const char *const names[])
{
    struct wp_text path = {0};
    bool can = true, exists = true;
    wp_text_add(&path, "%.*s", (int)length_of(folder), folder);
    for (int i = 0; can && exists; i++) {
        can = can_create(wp_text_get(&path), path.length);
        if (!can)
            snprintf(problem, sizeof problem, "'%s' (%s)", wp_text_get(&path), strerror(errno));
        exists = names[i] && access(wp_text_get(&path), F_OK) == 0;
        wp_text_add(&path, "/%s", names[i] ? names[i] : "");
    }
    wp_text_free(&path);
    return can;
}

void wp_gl_check_shader_cache(void)
{
    static const char *const subfolders[] = {"mesa_shader_cache", NULL};
    static const char *const home_subfolders[] = {".cache", "mesa_shader_cache", NULL};
    const char *given = getenv("MESA_SHADER_CACHE_DIR");
    const char *folder = given ? given : getenv("XDG_CACHE_HOME");
    // Mesa uses the passwd entry, not $HOME.
    const struct passwd *user = folder ? NULL : getpwuid(getuid());
    if (getenv("MESA_SHADER_CACHE_DISABLE") || (!folder && !user))
        return;
    if (!can_create_all(folder ? folder : user->pw_dir, folder ? subfolders : home_subfolders))
        setenv("MESA_SHADER_CACHE_DISABLE", "true", 1);
}

void wp_gl_log_shader_cache(void)
{
    static atomic_flag logged = ATOMIC_FLAG_INIT;
    if (problem[0] && !atomic_flag_test_and_set(&logged))
        wp_log(WP_LOG_VERBOSE, "Mesa's shader cache is disabled, and shaders are compiled in each "
                               "run: cannot make the folder %s", problem);
}
