// realpath()
#define _XOPEN_SOURCE 700
#include "output_path.h"

#include "log.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

// The bytes of the directory's name with its slash.
static size_t directory_length(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? (size_t)(slash - path) + 1 : 0;
}

// What a link leads to; NULL where `path` is none, or errno says why.
static char *follow(const char *path)
{
    char to[PATH_MAX];
    const ssize_t length = readlink(path, to, sizeof to - 1);
    if (length < 0)
        return NULL;
    to[length] = '\0';
    const size_t directory = to[0] == '/' ? 0 : directory_length(path);
    char *next = malloc(directory + (size_t)length + 1);
    if (next) {
        memcpy(next, path, directory);
        strcpy(next + directory, to);
    }
    return next;
}

char *wp_output_target(const char *path)
{
    enum { MOST_LINKS = 40 };
    char *at = realpath(path, NULL);
    if (at || errno == ELOOP)
        return at;
    at = strdup(path);
    for (int i = 0; at && i < MOST_LINKS; i++) {
        errno = 0;
        char *next = follow(at);
        if (!next && errno != ENOMEM)
            return at;
        free(at);
        at = next;
    }
    if (at)
        errno = ELOOP;
    free(at);
    return NULL;
}

// Devices and pipes take what several write.
static bool takes_one(const char *path)
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
        path[i][length] = '\0'; // with its slash, so that "/" is one
        if (stat(length ? path[i] : ".", &info[i]) != 0)
            return false;
    }
    return info[0].st_dev == info[1].st_dev && info[0].st_ino == info[1].st_ino;
}

static bool same_file(const char *a, const char *b)
{
    if (strcmp(a, b) == 0)
        return strcmp(a, "-") == 0 || takes_one(a);
    if (strcmp(a, "-") == 0 || strcmp(b, "-") == 0 || !takes_one(a) || !takes_one(b))
        return false;
    char *to_a = wp_output_target(a), *to_b = wp_output_target(b);
    const bool same =
        to_a && to_b &&
        strcmp(to_a + directory_length(to_a), to_b + directory_length(to_b)) == 0 &&
        same_directory(to_a, to_b);
    free(to_a);
    free(to_b);
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
