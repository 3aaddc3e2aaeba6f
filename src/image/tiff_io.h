// What reading and writing TIFF share. Internal to this layer.
#ifndef WP_TIFF_IO_H
#define WP_TIFF_IO_H

#include <stdbool.h>
#include <stdio.h>
#include <tiffio.h>

// What was warned of, so that it is not said twice of a file.
enum { WP_TIFF_MESSAGES = 16 };
struct wp_tiff_messages {
    int count;
    unsigned long long hash[WP_TIFF_MESSAGES];
};

// libtiff's first error message while it is open.
struct wp_tiff_errors {
    char message[200];
    bool is_short; // of memory, says the message
    const char *name; // of the file
    struct wp_tiff_messages *messages;
    TIFFErrorHandler error, warning;
    TIFFErrorHandlerExt error_ext, warning_ext;
};

// From begin to end libtiff prints nothing, and its warnings are ours. Its handlers belong to the
// process, so reading and writing TIFF in two threads at once may mix up their messages.
void wp_tiff_errors_begin(struct wp_tiff_errors *errors, const char *name,
                          struct wp_tiff_messages *messages);
void wp_tiff_errors_end(struct wp_tiff_errors *errors);

// libtiff on a stream that stays the caller's; `mode` as TIFFOpen() has it. NULL after an error.
TIFF *wp_tiff_open_stream(FILE *stream, const char *mode);

// From here on what libtiff writes at the end of that stream is left out, and with the second call it
// is room in the file, zeros to whoever reads it. Of this thread. False where errno says why there
// is no such room, which is the first error then.
void wp_tiff_begin_memory(FILE *stream);
bool wp_tiff_end_memory(void);

#endif
