// Error handling and streams of libtiff, for reading and writing. Internal to this layer.
#ifndef WP_TIFF_IO_H
#define WP_TIFF_IO_H

#include <stdbool.h>
#include <stdio.h>
#include <tiffio.h>

// Warnings that were logged for a file, so that each is logged once.
enum { WP_TIFF_MESSAGES = 16 };
struct wp_tiff_messages {
    int count;
    unsigned long long hash[WP_TIFF_MESSAGES];
};

// The first error message of libtiff between begin and end.
struct wp_tiff_errors {
    char message[200];
    bool out_of_memory; // memory was exhausted
    const char *name; // of the file
    struct wp_tiff_messages *messages;
    TIFFErrorHandler error, warning;
    TIFFErrorHandlerExt error_ext, warning_ext;
};

// Redirect libtiff's messages from begin to end. Its handlers are global, so that messages of
// threads that read or write TIFF at the same time may be mixed up.
void wp_tiff_errors_begin(struct wp_tiff_errors *errors, const char *name,
                          struct wp_tiff_messages *messages);
void wp_tiff_errors_end(struct wp_tiff_errors *errors);

// Opens libtiff on a stream, which the caller closes; `mode` as in TIFFOpen(). NULL after an error.
TIFF *wp_tiff_open_stream(FILE *stream, const char *mode);

// Reserve space in a file: between the calls, data that libtiff appends to the stream in this
// thread are not written, but the file is extended by as many bytes, which read as zeros. The
// second call returns false if that fails; its error message is then in struct wp_tiff_errors.
void wp_tiff_begin_reserve(FILE *stream);
bool wp_tiff_end_reserve(void);

#endif
