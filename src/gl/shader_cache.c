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

// Why there is no cache; empty where there is one, or where nobody has looked.
static char problem[512];

// Whether the folder path[0..length) is there, or can be made in one that is; else errno. Nothing
// is made, because the command may not use OpenGL.
static bool can_have(const char *path, size_t length)
{
    struct wp_text text = {0};
    struct stat info;
    wp_text_add(&text, "%.*s", (int)length, path);
    const bool there = stat(wp_text_get(&text), &info) == 0;
    bool can = there && S_ISDIR(info.st_mode);
    if (there)
        errno = ENOTDIR;
    if (!there && errno == ENOENT && length > 0) {
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

// The folder, and those in it that Mesa makes, one after the other. In one that is missing others
// can be made, once it is.
static bool can_have_all(const char *folder, const char *const names[])
{
    struct wp_text path = {0};
    bool can = true, there = true;
    wp_text_add(&path, "%.*s", (int)length_of(folder), folder);
    for (int i = 0; can && there; i++) {
        can = can_have(wp_text_get(&path), path.length);
        if (!can)
            snprintf(problem, sizeof problem, "'%s' (%s)", wp_text_get(&path), strerror(errno));
        there = names[i] && access(wp_text_get(&path), F_OK) == 0;
        wp_text_add(&path, "/%s", names[i] ? names[i] : "");
    }
    wp_text_free(&path);
    return can;
}

void wp_gl_check_shader_cache(void)
{
    static const char *const own[] = {"mesa_shader_cache", NULL};
    static const char *const home[] = {".cache", "mesa_shader_cache", NULL};
    const char *given = getenv("MESA_SHADER_CACHE_DIR");
    const char *folder = given ? given : getenv("XDG_CACHE_HOME");
    // Mesa does not use $HOME.
    const struct passwd *user = folder ? NULL : getpwuid(getuid());
    if (getenv("MESA_SHADER_CACHE_DISABLE") || (!folder && !user))
        return;
    if (!can_have_all(folder ? folder : user->pw_dir, folder ? own : home))
        setenv("MESA_SHADER_CACHE_DISABLE", "true", 1);
}

void wp_gl_log_shader_cache(void)
{
    static atomic_flag logged = ATOMIC_FLAG_INIT;
    if (problem[0] && !atomic_flag_test_and_set(&logged))
        wp_log(WP_LOG_VERBOSE, "Mesa's shader cache is disabled, and shaders are compiled in each "
                               "run: cannot make the folder %s", problem);
}
