#include "sidecar_path.h"

#include "log.h"
#include "xmemory.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

// True if the head of a JSON file has the keys of wavepass metadata, in any order and spacing.
static bool is_description(const char *path)
{
    enum { HEAD = 1 << 16 };
    struct stat info;
    FILE *stream = stat(path, &info) == 0 && S_ISREG(info.st_mode) ? fopen(path, "rb") : NULL;
    if (!stream)
        return false;
    char *head = wp_xcalloc(HEAD + 1, 1);
    const size_t size = fread(head, 1, HEAD, stream);
    head[strnlen(head, size)] = '\0';
    const bool is = strstr(head, "\"schema\"") && strstr(head, "\"created_by\"") &&
                    strstr(head, "\"wavepass ") && strstr(head, "\"wavelet\"") &&
                    strstr(head, "\"layout\"");
    free(head);
    fclose(stream);
    return is;
}

bool wp_sidecar_path_remove(const char *name)
{
    const size_t size = strlen(name) + sizeof ".json";
    char *path = wp_xcalloc(size, 1);
    snprintf(path, size, "%s.json", name);
    bool removed = true;
    if (is_description(path)) {
        removed = unlink(path) == 0 || errno == ENOENT;
        if (removed)
            wp_log(WP_LOG_INFO, "removed %s: it described the previous %s", path, name);
    }
    free(path);
    return removed;
}
