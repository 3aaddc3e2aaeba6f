// What probes found, kept for later runs: one JSON file a renderer and driver, in the user's
// cache directory.
#ifndef WP_TUNING_FILE_H
#define WP_TUNING_FILE_H

#include "measure_variants.h"

struct json_t;

// What a probe was for.
struct wp_tuning_key {
    const struct wp_backend_choice *on;
    const struct wp_wavelet *wavelet;
    enum wp_direction direction;
    enum wp_size_class size;
};

// The path of a device's file, $XDG_CACHE_HOME/wavepass/… or ~/.cache/wavepass/…; NULL where
// the environment names neither directory. The caller frees it.
char *wp_tuning_path(const struct wp_backend_choice *on);

// Reads a file. NULL where there is none, where it is of another version of the program or another
// driver, or, after a warning, where it is damaged. The caller drops the reference.
struct json_t *wp_tuning_read(const char *path, const struct wp_backend_choice *on);

// The entries of a backend in a file (or NULL) that wp_tuning_get() takes, borrowed from it:
// {"backend", "wavelet", "steps", "direction", "side", "found", "by", "seconds", "left_out",
//  "timed": [{"scheme", "variant", "seconds", "max_error"}, …], the fastest first}.
// Returns a new array. Others are a warning each.
struct json_t *wp_tuning_list(const struct json_t *file, const char *path,
                              const struct wp_backend *backend);

// What a file (or NULL) has of a key: the timings, the fastest first, as of a probe. False where it
// has nothing, or, after a warning, something that this program does not know.
bool wp_tuning_get(const struct json_t *file, const char *path, const struct wp_tuning_key *key,
                   struct wp_probe *probe);

// The file (or NULL for none) with a probe's result in place of what it has of the key; `by` names
// who asked. The file's reference is taken; the result is a new one.
struct json_t *wp_tuning_put(struct json_t *file, const struct wp_tuning_key *key, const char *by,
                             const struct wp_probe *probe);

// Opens a device's file to be written, with its directories. NULL after WP_ERROR_FILE.
struct wp_output *wp_tuning_open(const char *path);

// Writes it, whole or not at all, and clears the output. False after WP_ERROR_FILE.
bool wp_tuning_write(const struct json_t *file, struct wp_output **output);

#endif
