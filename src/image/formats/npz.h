// NPZ archives: ZIP files of NPY arrays, as written by numpy.savez().
#ifndef WP_NPZ_H
#define WP_NPZ_H

#include "npy.h"

enum { WP_NPZ_ARRAYS = 512 };

// True for the paths FILE.npz and FILE.npz:NAME, if no file has the latter name.
bool wp_npz_names_array(const char *path);

struct wp_npz;

// Opens an archive and reads the headers of all arrays. NULL after WP_ERROR_FILE: a file is not
// NPY, its compression is not deflate, it is encrypted, its size differs from its header, its name
// is used twice, or there are more than WP_NPZ_ARRAYS.
struct wp_npz *wp_npz_open(const char *path);
// True if the file is an archive of exactly one array. Logs no errors.
bool wp_npz_has_one_array(const char *path);
// Opens an archive and reads the header of one array: `name` or, if NULL, the only one. Gets its
// number. NULL also if the archive has no such array.
struct wp_npz *wp_npz_open_array(const char *path, const char *name, int *array);
void wp_npz_close(struct wp_npz **npz); // accepts NULL, clears the pointer

// Arrays by number from 0, and by name (the file's name without ".npy").
int wp_npz_count(const struct wp_npz *npz);
const struct wp_npy_info *wp_npz_info(const struct wp_npz *npz, int array);
const char *wp_npz_name(const struct wp_npz *npz, int array);
int wp_npz_find(const struct wp_npz *npz, const char *name); // -1 if there is no such array

// Reads an array and checks its checksum. NULL after WP_ERROR_FILE or WP_ERROR_TOO_LARGE.
struct wp_npy *wp_npz_read(struct wp_npz *npz, int array);
// Like wp_npz_read(), but returns the bytes of the NPY file; free() them.
unsigned char *wp_npz_read_bytes(struct wp_npz *npz, int array, size_t *size);
const char *wp_npz_label(const struct wp_npz *npz, int array); // "c.npz: a.npy", for messages

struct wp_npz_output;

// Writes an archive to a seekable stream; `path` is for messages. NULL after WP_ERROR_TOO_LARGE.
struct wp_npz_output *wp_npz_create(const char *path, FILE *stream);

// Adds an array of `type`, as in wp_npy_write_header(), with `bytes` bytes per value. Returns
// memory for its values, in C order, to be filled before wp_npz_end(). NULL after an error.
void *wp_npz_add(struct wp_npz_output *output, const char *name, const char *type, size_t bytes,
                 int axes, const size_t *shape);

// Writes the archive uncompressed and reproducibly (no time stamps), and frees the output. Write
// errors of the stream are not reported: the caller checks ferror() and errno. False after other
// errors.
bool wp_npz_end(struct wp_npz_output **output);
void wp_npz_discard(struct wp_npz_output **output); // accepts NULL, clears the pointer

#endif
