// Stores the results of probes: one JSON file per renderer and driver, in the user's cache
// directory.
#ifndef WP_TUNING_FILE_H
#define WP_TUNING_FILE_H

#include "measure_variants.h"

struct json_t;

// The parameters of a probe, which identify an entry.
struct wp_tuning_key {
    const struct wp_backend_choice *on;
    const struct wp_wavelet *wavelet;
    enum wp_direction direction;
    enum wp_size_class size;
};

// The path of a device's file, $XDG_CACHE_HOME/wavepass/… or ~/.cache/wavepass/…; NULL if neither
// XDG_CACHE_HOME nor HOME is set. The caller frees it.
char *wp_tuning_path(const struct wp_backend_choice *on);

// Reads a file. NULL if it does not exist, if it is from another version of the program or another
// driver, or, after a warning, if it is damaged. The caller releases the reference.
struct json_t *wp_tuning_read(const char *path, const struct wp_backend_choice *on);

// Returns a new array with the valid entries of a backend in a file (or NULL), which reference
// those of the file: {"backend", "wavelet", "steps", "direction", "side", "found", "by", "seconds",
// "left_out",
//  "timed": [{"scheme", "variant", "seconds", "max_error"}, …], the fastest first}.
// Each invalid entry is a warning.
struct json_t *wp_tuning_list(const struct json_t *file, const char *path,
                              const struct wp_backend *backend);

// Gets the timings of a key from a file (or NULL), the fastest first; the caller frees `probe`.
// False if the file has no entry for it, or, after a warning, an invalid one.
bool wp_tuning_get(const struct json_t *file, const char *path, const struct wp_tuning_key *key,
                   struct wp_probe *probe);

// Returns the file (NULL: a new one) with the entry of the key replaced by a probe's result. `by`
// is the command that started the probe, for information. Consumes the reference to `file`.
struct json_t *wp_tuning_put(struct json_t *file, const struct wp_tuning_key *key, const char *by,
                             const struct wp_probe *probe);

// Opens a device's file for writing and creates its directories. NULL after WP_ERROR_FILE.
struct wp_output *wp_tuning_open(const char *path);

// Writes the file atomically and sets `*output` to NULL. False after WP_ERROR_FILE.
bool wp_tuning_write(const struct json_t *file, struct wp_output **output);

#endif
