// Functions shared by the files of this layer.
#ifndef WP_WAVELET_INTERNAL_H
#define WP_WAVELET_INTERNAL_H

#include "text.h"
#include "wavelet.h"

#define WP_WAVELET_SUFFIX ".wavelet"

// The wavelet of the table with this name or alias, or NULL.
const struct wp_wavelet *wp_wavelet_built_in(const char *name);

// Is `name` the wavelet's name or one of its aliases?
bool wp_wavelet_has_name(const struct wp_wavelet *wavelet, const char *name);

// Is it a text of taps, "LOW;HIGH" or "LOW;"?
bool wp_wavelet_is_taps(const char *name);

// Makes a wavelet from such a text. False after WP_ERROR_USAGE.
bool wp_wavelet_from_text(const char *text, struct wp_wavelet *wavelet);

// Is the name in wp_wavelet_family_names?
bool wp_wavelet_is_of_family(const char *name);

// Computes such a wavelet. False after WP_ERROR_TOO_LARGE if memory is exhausted.
bool wp_wavelet_from_family(const char *name, struct wp_wavelet *wavelet);

// Remembers a wavelet by the name of a family or of an embedded file, or by its text of taps, and
// recalls it, or returns false. The oldest of 128 is replaced. Any thread may call these.
bool wp_wavelet_recall(const char *key, struct wp_wavelet *wavelet);
void wp_wavelet_remember(const char *key, const struct wp_wavelet *wavelet);

// The orthogonal wavelet of a family whose low-pass filter has these taps in reverse order, like
// dec_lo of PyWavelets; NULL if there is none.
struct wp_series;
const char *wp_wavelet_reversed(const struct wp_series *low);

// The file name without directory and ".wavelet"; its length is *length.
const char *wp_wavelet_stem(const char *path, int *length);

// wp_wavelet_read() and wp_wavelet_parse() without log messages: false with the message in `error`.
bool wp_wavelet_load(const char *path, struct wp_wavelet *wavelet, struct wp_text *error);
bool wp_wavelet_load_text(const char *name, const char *text, struct wp_wavelet *wavelet,
                          struct wp_text *error);

#endif
