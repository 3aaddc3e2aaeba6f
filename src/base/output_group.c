#define _XOPEN_SOURCE 700
#define _XOPEN_SOURCE 700 // mkdtemp()
#include "output.h"

#include "log.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { DIGITS = 12 };

struct wp_output_group {
    char *path;        // the directory, a slash, and the name of a file
    char *signal_path; // a copy for the signal handler, which may interrupt a use of `path`
    size_t length;     // including the slash
    char suffix[16];
    volatile int count;
};

// The group that a signal handler must remove. Only one group exists at a time.
static struct wp_output_group *volatile pending;

// Writes the name of file `number` to `path`. Async-signal-safe.
static const char *set_name(const struct wp_output_group *group, char *path, int number)
{
    char digits[DIGITS], *name = path + group->length;
    int count = 0;
    do {
        digits[count++] = (char)('0' + number % 10);
        number /= 10;
    } while (number > 0);
    while (count > 0)
        *name++ = digits[--count];
    for (const char *source = group->suffix; *source;)
        *name++ = *source++;
    *name = '\0';
    return path;
}

static bool remove_all(const struct wp_output_group *group, char *path)
{
    for (int i = 1; i <= group->count; i++)
        unlink(set_name(group, path, i));
    path[group->length - 1] = '\0';
    const bool is_removed = rmdir(path) == 0 || errno != ENOTEMPTY;
    path[group->length - 1] = '/';
    return is_removed;
}

bool wp_output_group_discard_on_signal(void)
{
    return !pending || remove_all(pending, pending->signal_path);
}

static struct wp_output_group *allocate(const char *path, const char *suffix)
{
    static const char random[] = ".XXXXXX/";
    struct wp_output_group *group = calloc(1, sizeof *group);
    const size_t size = strlen(path) + sizeof random + DIGITS + sizeof group->suffix;
    char *copy = group ? calloc(2, size) : NULL;
    if (!copy) {
        free(group);
        wp_fail(WP_ERROR_TOO_LARGE, "not enough memory for %s", path);
        return NULL;
    }
    group->path = copy;
    group->signal_path = copy + size;
    group->length = (size_t)snprintf(copy, size, "%s%s", path, random);
    snprintf(group->suffix, sizeof group->suffix, "%s", suffix);
    return group;
}

struct wp_output_group *wp_output_group_open(const char *path, const char *suffix)
{
    struct wp_output_group *group = allocate(path, suffix);
    if (!group)
        return NULL;
    char *slash = group->path + group->length - 1;
    *slash = '\0';
    const bool created = mkdtemp(group->path);
    *slash = '/';
    if (created) {
        strcpy(group->signal_path, group->path);
        pending = group;
        return group;
    }
    wp_fail(wp_error_of_errno(), "cannot write %s (%s)", path, strerror(errno));
    free(group->path);
    free(group);
    return NULL;
}

const char *wp_output_group_next(struct wp_output_group *group)
{
    group->count++;
    return set_name(group, group->path, group->count);
}

int wp_output_group_count(const struct wp_output_group *group)
{
    return group->count;
}

bool wp_output_group_move(struct wp_output_group *group, int number, const char *path)
{
    return rename(set_name(group, group->path, number), path) == 0 ||
           wp_fail(wp_error_of_errno(), "cannot write %s (%s)", path, strerror(errno));
}

void wp_output_group_discard(struct wp_output_group **pointer)
{
    struct wp_output_group *group = *pointer;
    *pointer = NULL;
    if (!group)
        return;
    pending = NULL;
    remove_all(group, group->path);
    free(group->path);
    free(group);
}
