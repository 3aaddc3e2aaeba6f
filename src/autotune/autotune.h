// Selects the scheme and variant if the user names neither: the fastest that a probe measured on
// this device, stored in a file; else the library's default.
#ifndef WP_AUTOTUNE_H
#define WP_AUTOTUNE_H

#include "registry.h"
#include "text.h"
#include "transform.h"

#include <signal.h>

struct json_t;

// ---- measured variants (measure_variants.c) ----

// Classes of image sizes. Probes measure one square image per class.
enum wp_size_class { WP_SIZE_SMALL, WP_SIZE_MEDIUM, WP_SIZE_LARGE, WP_SIZE_CLASS_COUNT };

extern const int wp_size_class_side[WP_SIZE_CLASS_COUNT]; // side length of the square, in pixels

// The class whose number of pixels has the ratio nearest to 1.
enum wp_size_class wp_size_class_of(int width, int height);

struct wp_timing {
    const struct wp_scheme_kind *kind; // NULL: the backend is schemeless
    const struct wp_variant *variant;  // NULL: the backend has none
    bool correct;   // within the tolerance of the reference
    double error;   // the largest absolute error; infinite if it could not run
    double seconds; // the smaller median of two rounds, if `correct`
    int order;      // of measurement, from 0
};

struct wp_probe {
    int count;
    struct wp_timing *timing; // correct ones first, sorted by time; of those within 3 % of the
                              // fastest, the one that was measured first is at index 0
    int skipped;              // number of candidates that the time limit excluded
    double seconds;           // duration of the probe
    char failure[256];        // error message of the first candidate that could not run, or ""
};

struct wp_probe_params {
    const struct wp_backend_choice *on;
    const struct wp_wavelet *wavelet;
    enum wp_direction direction;
    enum wp_size_class size;
    double limit; // seconds after which no further candidate is started; the second round of
                  // measurements ends after twice that time
    // Redirects error messages to `text`, until it is called with NULL. May be NULL.
    void (*capture)(struct wp_text *text);
    // Called before each measurement. May be NULL.
    void (*progress)(const struct wp_timing *next);
    // A nonzero value ends the probe before the next candidate. May be NULL.
    const volatile sig_atomic_t *stop;
};

// True if the device and the variant (NULL: the backend has none) support the description.
bool wp_probe_can_run(const struct wp_backend_choice *on, const struct wp_variant *variant,
                      const struct wp_description *params);

// Measures every scheme, optimized, in every variant that supports the transform on the device, in
// the order of estimated cost: compares each with the reference on two levels of a small image,
// then times one level. A second round in reverse order reduces the effect of temporary slowdowns.
// The time limit skips the candidates of highest estimated cost. False if none was correct or
// `stop` was set; the caller frees the result in any case.
bool wp_probe_run(const struct wp_probe_params *params, struct wp_probe *probe);
void wp_probe_free(struct wp_probe *probe); // accepts {0}, leaves {0}

// ---- the file, one of JSON per renderer and driver, in the cache directory ----

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

// ---- the choice ----

enum wp_chosen_by {
    WP_CHOSEN_BY_RULE,
    WP_CHOSEN_BY_OPTIONS,
    WP_CHOSEN_BY_FILE,
    WP_CHOSEN_BY_PROBE,
    WP_CHOSEN_BY_COUNT
};

extern const char *const wp_chosen_by_names[WP_CHOSEN_BY_COUNT]; // "fixed rule", …

struct wp_autotune {
    const struct wp_transform_params *given; // the user's parameters
    enum wp_direction direction;
    bool nonfinite; // the image has values that are not finite
    double limit;   // as in struct wp_probe_params; 0: 0.4 s
    void (*capture)(struct wp_text *text);          // as in struct wp_probe_params
    void (*progress)(const struct wp_timing *next); // as in struct wp_probe_params
    enum wp_chosen_by by; // output: how scheme and variant were selected
};

// A wp_transform_choose; `user` is a struct wp_autotune. Devices with a timer are probed once if
// the file has no entry; software renderers and CPUs are not. $WAVEPASS_PROBE: "always" probes
// these too, "never" always uses the default, "auto" is the default. Failures are warnings, and the
// library's default is used then, as it is for volumes.
void wp_autotune_choose(void *user, const struct wp_backend_choice *on,
                        struct wp_description *params, const struct wp_variant **variant);

// Why the device is not probed automatically; NULL if it is.
const char *wp_autotune_why_not(const struct wp_backend_choice *on);

// Adds "sep-lifting, variant tile-2x2, 0.12 ms".
void wp_autotune_describe(const struct wp_timing *timing, struct wp_text *text);

#endif
