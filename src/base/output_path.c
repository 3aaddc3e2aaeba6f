#define _XOPEN_SOURCE 700
#define _XOPEN_SOURCE 700 // realpath()
#include "output.h"

#include "log.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

// The length of the directory part of a path, including its slash.
static size_t directory_length(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? (size_t)(slash - path) + 1 : 0;
}

// The target of a symbolic link. NULL if `path` is not a link, or if errno is ENOMEM.
static char *follow(const char *path)
{
    char target[PATH_MAX];
    const ssize_t length = readlink(path, target, sizeof target - 1);
    if (length < 0)
        return NULL;
    target[length] = '\0';
    const size_t directory = target[0] == '/' ? 0 : directory_length(path);
    char *next = malloc(directory + (size_t)length + 1);
    if (next) {
        memcpy(next, path, directory);
        strcpy(next + directory, target);
    }
    return next;
}

char *wp_output_target(const char *path)
{
    enum { MAX_LINKS = 40 };
    char *current = realpath(path, NULL);
    if (current || errno == ELOOP)
        return current;
    current = strdup(path);
    for (int i = 0; current && i < MAX_LINKS; i++) {
        errno = 0;
        char *next = follow(current);
        if (!next && errno != ENOMEM)
            return current;
        free(current);
        current = next;
    }
    if (current)
        errno = ELOOP;
    free(current);
    return NULL;
}

// Regular files and new files are exclusive; several outputs may be written to a device or a pipe.
static bool is_exclusive(const char *path)
{
    struct stat info;
    return stat(path, &info) != 0 || S_ISREG(info.st_mode);
}

static bool same_directory(char *a, char *b)
{
    struct stat info[2];
    char *const path[] = {a, b};
    for (int i = 0; i < 2; i++) {
        const size_t length = directory_length(path[i]);
        path[i][length] = '\0'; // keep the slash, for "/"
        if (stat(length ? path[i] : ".", &info[i]) != 0)
            return false;
    }
    return info[0].st_dev == info[1].st_dev && info[0].st_ino == info[1].st_ino;
}

static bool same_file(const char *a, const char *b)
{
    if (strcmp(a, b) == 0)
        return strcmp(a, "-") == 0 || is_exclusive(a);
    if (strcmp(a, "-") == 0 || strcmp(b, "-") == 0 || !is_exclusive(a) || !is_exclusive(b))
        return false;
    char *target_a = wp_output_target(a), *target_b = wp_output_target(b);
    const bool same =
        target_a && target_b &&
        strcmp(target_a + directory_length(target_a), target_b + directory_length(target_b)) == 0 &&
        same_directory(target_a, target_b);
    free(target_a);
    free(target_b);
    return same;
}

bool wp_output_check_apart(const struct wp_output_named *outputs, size_t count)
{
    for (size_t i = 0; i < count; i++)
        for (size_t k = 0; k < i; k++)
            if (outputs[i].path && outputs[k].path && same_file(outputs[k].path, outputs[i].path))
                return wp_fail(WP_ERROR_USAGE, "%s and %s name the same file", outputs[k].option,
                               outputs[i].option);
    return true;
}
