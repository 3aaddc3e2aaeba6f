#include "frames.h"

#include "sidecar_path.h"
#include "image_io.h"
#include "output.h"
#include "xmemory.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// Finds the "%04d" in a file's name, its length and its digits. NULL if there is none or several.
static const char *find_number(const char *path, size_t *length, int *digits)
{
    const char *slash = strrchr(path, '/'), *found = NULL;
    for (const char *at = slash ? slash : path; (at = strchr(at, '%')); at++) {
        const size_t count = strspn(at + 1, "0123456789");
        if (at[1 + count] != 'd' || count > 2 || (count == 2 && at[1] != '0') ||
            (count == 1 && at[1] == '0'))
            continue;
        if (found)
            return NULL;
        found = at;
        *length = count + 2;
        *digits = count ? atoi(at + 1) : 0;
    }
    return found;
}

bool wp_frames_is_sequence(const char *path)
{
    size_t length;
    int digits;
    return find_number(path, &length, &digits);
}

char *wp_frames_name(const char *path, int number)
{
    size_t length = 0;
    int digits = 0;
    const char *at = find_number(path, &length, &digits);
    enum { MOST_DIGITS = 100 };
    const size_t size = strlen(path) + MOST_DIGITS;
    char *name = wp_xcalloc(size, 1);
    snprintf(name, size, "%.*s%0*d%s", (int)(at - path), path, digits, number, at + length);
    return name;
}

int wp_frames_first(const char *path)
{
    for (int number = 0; number <= 1; number++) {
        char *name = wp_frames_name(path, number);
        const bool exists = access(name, F_OK) == 0;
        free(name);
        if (exists)
            return number;
    }
    return -1;
}

struct wp_frames_output {
    char *path;
    struct wp_output_group *group;
    struct wp_write_params params;
};

// Checks every frame's name; only the first if `count` is unknown.
bool wp_frames_check(const char *path, int planes, int count, const struct wp_write_params *params)
{
    bool ok = true;
    for (int number = 1; ok && (number == 1 || number <= count); number++) {
        char *name = wp_frames_name(path, number);
        ok = wp_write_file_check(name, planes, 1, params);
        free(name);
    }
    return ok;
}

struct wp_frames_output *wp_frames_create(const char *path, int planes, int count,
                                          const struct wp_write_params *params)
{
    if (!wp_frames_check(path, planes, count, params))
        return NULL;
    struct wp_frames_output *output = wp_xcalloc(1, sizeof *output);
    output->path = wp_xstrdup(path);
    output->params = *params;
    output->params.first = NULL; // committed once, before all frames
    output->group = wp_output_group_open(path, strrchr(path, '.'));
    if (!output->group)
        wp_frames_discard(&output);
    return output;
}

bool wp_frames_write(struct wp_frames_output *output, const struct wp_image *frame)
{
    return wp_write_file(frame, wp_output_group_next(output->group), &output->params);
}

// Removes the first `count` frames, which were moved to their names just before.
static void remove_frames(const struct wp_frames_output *output, int count)
{
    for (int number = 1; number <= count && !output->params.overwrite; number++) {
        char *name = wp_frames_name(output->path, number);
        unlink(name);
        free(name);
    }
}

static bool remove_sidecar(const char *path)
{
    return wp_sidecar_path_remove(path) ||
           wp_fail(wp_error_of_errno(), "cannot write %s (%s)", path, strerror(errno));
}

// Moves a frame to its name, or only checks whether that is possible.
static bool name_frame(struct wp_frames_output *output, int number, bool move)
{
    char *name = wp_frames_name(output->path, number);
    const bool ok = move ? remove_sidecar(name) && wp_output_group_move(output->group, number, name)
                          : wp_output_check(name, output->params.overwrite);
    free(name);
    return ok;
}

static bool move_all(void *private_data)
{
    struct wp_frames_output *output = private_data;
    const int count = wp_output_group_count(output->group);
    for (int number = 1; number <= count; number++) {
        if (!name_frame(output, number, true)) {
            remove_frames(output, number - 1);
            return false;
        }
    }
    return true;
}

// Checks all names before the first file is created.
static bool name_all(struct wp_frames_output *output, struct wp_output **first)
{
    const int count = wp_output_group_count(output->group);
    for (int number = 1; number <= count; number++)
        if (!name_frame(output, number, false))
            return false;
    return first ? wp_output_commit_then(first, move_all, output)
                 : remove_sidecar(output->path) && move_all(output);
}

bool wp_frames_commit(struct wp_frames_output **slot, struct wp_output **first)
{
    const bool ok = name_all(*slot, first);
    wp_frames_discard(slot);
    return ok;
}

void wp_frames_discard(struct wp_frames_output **slot)
{
    struct wp_frames_output *output = *slot;
    *slot = NULL;
    if (!output)
        return;
    wp_output_group_discard(&output->group);
    free(output->path);
    free(output);
}
