// Messages, input and output of libtiff. Internal to this layer.
#ifndef WP_TIFF_IO_H
#define WP_TIFF_IO_H

#include "bytes.h"

#include <tiffio.h>

enum { WP_TIFF_WARNINGS = 16, WP_TIFF_MESSAGE = 200 };

// The messages of libtiff for a file.
struct wp_tiff_errors {
    const char *name;   // of the file
    char message[WP_TIFF_MESSAGE]; // the first error since wp_tiff_errors_begin(); "": none
    bool out_of_memory; // memory was exhausted
    bool hold;          // messages are kept until wp_tiff_errors_release()
    // Warnings, each of which is logged once.
    int warnings, logged;
    struct {
        enum wp_log_level level;
        char text[WP_TIFF_MESSAGE];
    } warning[WP_TIFF_WARNINGS];
    TIFFErrorHandler on_error, on_warning; // handlers that are replaced
    TIFFErrorHandlerExt on_error_ext, on_warning_ext;
};

// Redirect libtiff's messages from begin to end; `errors->name` is set. Its handlers are global, so
// that messages of threads that read or write TIFF at the same time may be mixed up.
void wp_tiff_errors_begin(struct wp_tiff_errors *errors);
void wp_tiff_errors_end(struct wp_tiff_errors *errors);
// Logs the warnings since `hold` was set, and clears it.
void wp_tiff_errors_release(struct wp_tiff_errors *errors);

// A TIFF that is read. Its functions are called from wp_tiff_begin() to wp_tiff_end().
struct wp_tiff {
    struct wp_source source;  // with the size of the file; its data is not used
    struct wp_bytes *bytes;   // a file or memory
    TIFF *tiff;
    struct wp_tiff_errors errors;
    unsigned long long at, missing; // `missing`: the largest offset requested beyond the end
    unsigned long long read;        // bytes so far
    unsigned long long decoded;     // strips and tiles so far
    bool truncated;                 // the file was truncated after it was opened
};

void wp_tiff_begin(struct wp_tiff *t);
void wp_tiff_end(struct wp_tiff *t);

// Opens libtiff for t->source and t->bytes; `mode` as in TIFFOpen(). False after an error.
bool wp_tiff_open(struct wp_tiff *t, const char *mode);
void wp_tiff_close(struct wp_tiff *t); // also the bytes, unless NULL

// Reports an error of libtiff. Returns false.
bool wp_tiff_fail(const struct wp_tiff *t);

// False after an error if strip or tile `index` is not in the file.
bool wp_tiff_has(const struct wp_tiff *t, bool tiled, uint32_t index);

// A tag's value or its default; 0 if it has none.
uint16_t wp_tiff_get16(TIFF *tiff, uint32_t tag);

// Opens libtiff for writing to a stream, which the caller closes; `mode` as in TIFFOpen(). NULL
// after an error.
TIFF *wp_tiff_open_stream(FILE *stream, const char *mode);

// Sets the tags that describe the samples of the current page. The last sample of 2 or 4 planes is
// alpha, or unspecified.
void wp_tiff_set_samples(TIFF *tiff, int width, int height, int planes, bool alpha,
                         enum wp_stored stored);

// Reserve space in a file: between the calls, data that libtiff appends to the stream in this
// thread are not written, but the file is extended by as many bytes, which read as zeros. The
// second call returns false if that fails; its error message is then in struct wp_tiff_errors.
void wp_tiff_begin_reserve(FILE *stream);
bool wp_tiff_end_reserve(void);

#endif
