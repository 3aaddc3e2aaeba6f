// Reads an array of an NPZ archive as an image or volume: FILE.npz, or FILE.npz:NAME.
#include "npz.h"
#include "read_npz.h"
#include "xmemory.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// The start of the array's name, or the end of the path if it has none. NULL if it is not an NPZ.
static const char *find_array(const char *path)
{
    static const char suffix[] = ".npz";
    const size_t length = strlen(path), suffix_length = sizeof suffix - 1;
    if (length > suffix_length && strcmp(path + length - suffix_length, suffix) == 0)
        return path + length;
    const char *at = strstr(path, ".npz:");
    return at && at > path && access(path, F_OK) != 0 ? at + suffix_length + 1 : NULL;
}

bool wp_npz_names_array(const char *path)
{
    return find_array(path);
}

static struct wp_image *read_array(struct wp_npz *npz, int array,
                                   const struct wp_read_params *params)
{
    struct wp_source source = wp_source_of(wp_npz_label(npz, array), params);
    unsigned char *data = wp_npz_read_bytes(npz, array, &source.size);
    source.data = data;
    struct wp_image *image = data ? wp_read_npy(&source) : NULL;
    if (params->facts)
        params->facts->format = "NPZ";
    free(data);
    return image;
}

struct wp_image *wp_read_npz(const char *path, const struct wp_read_params *params)
{
    const char *name = find_array(path);
    char *file = wp_xstrdup(path);
    int array;
    if (name && *name)
        file[name - path - 1] = '\0';
    struct wp_npz *npz = wp_npz_open_array(file, name && *name ? name : NULL, &array);
    struct wp_image *image = npz ? read_array(npz, array, params) : NULL;
    wp_npz_close(&npz);
    free(file);
    return image;
}
