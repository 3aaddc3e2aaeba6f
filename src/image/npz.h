// NumPy's archives of arrays: a ZIP of NPY files, as numpy.savez() writes them.
#ifndef WP_NPZ_H
#define WP_NPZ_H

#include "npy.h"

enum { WP_NPZ_ARRAYS = 512 };

// True for paths FILE.npz and FILE.npz:NAME, where no file has the latter name.
bool wp_npz_names_array(const char *path);

struct wp_npz;

// Looks at all arrays of a file, none of which is read yet. NULL after WP_ERROR_FILE where one is
// no NPY, is compressed otherwise than by deflate or encrypted, would have other bytes than the
// archive says, or has the name of another; or where there are more than WP_NPZ_ARRAYS.
struct wp_npz *wp_npz_open(const char *path);
// The same, but looks at one array only: the one of that name or, with NULL, the only one of the
// file, whose number it gives. NULL also where there is no such array.
bool wp_npz_has_one_array(const char *path); // false, without a message, also where it is no archive
struct wp_npz *wp_npz_open_array(const char *path, const char *name, int *array);
void wp_npz_close(struct wp_npz **npz); // accepts NULL, clears the pointer

// By number, from 0 on; found by the file's name without ".npy".
int wp_npz_count(const struct wp_npz *npz);
const struct wp_npy_info *wp_npz_info(const struct wp_npz *npz, int array);
const char *wp_npz_name(const struct wp_npz *npz, int array);
int wp_npz_find(const struct wp_npz *npz, const char *name); // -1 where there is none

// Reads one of them; its checksum must be right. NULL after WP_ERROR_FILE or WP_ERROR_TOO_LARGE.
struct wp_npy *wp_npz_read(struct wp_npz *npz, int array);
// The same as the bytes of an NPY file, for free().
unsigned char *wp_npz_read_bytes(struct wp_npz *npz, int array, size_t *size);
const char *wp_npz_label(const struct wp_npz *npz, int array); // "c.npz: a.npy", for messages

struct wp_npz_output;

// Goes to a stream that can be sought in; `path` is for messages. NULL after WP_ERROR_TOO_LARGE.
struct wp_npz_output *wp_npz_create(const char *path, FILE *stream);

// One more array, of `type` as in wp_npy_write_header() whose values take `bytes` each: where they
// are to be written before the end, the last axis fastest. NULL after an error.
void *wp_npz_add(struct wp_npz_output *output, const char *name, const char *type, size_t bytes,
                 int axes, const size_t *shape);

// Writes it, without compression and with the same bytes for the same arrays. What the stream
// refuses is left for the caller to find by ferror() and errno; false after an error of another
// kind.
bool wp_npz_end(struct wp_npz_output **output);
void wp_npz_discard(struct wp_npz_output **output); // accepts NULL, clears the pointer

#endif
