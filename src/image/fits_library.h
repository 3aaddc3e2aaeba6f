// CFITSIO, loaded when the first FITS file is read, since it depends on libcurl and a dozen other
// libraries that would be loaded with the program. Include this instead of fitsio.h. Internal to
// this layer.
#ifndef WP_FITS_LIBRARY_H
#define WP_FITS_LIBRARY_H

#include <fitsio.h>
#include <stdbool.h>

// The functions that are used, by their linker names (fitsio.h defines macros for them).
#define WP_FITS_FUNCTIONS(function) \
    function(ffclos) function(ffcmsg) function(ffgerr) function(ffghadll) function(ffgidm) \
    function(ffgidt) function(ffgiszll) function(ffgky) function(ffgmsg) function(ffgpxvll) \
    function(ffmahd) function(ffomem)

#define WP_FITS_MEMBER(name) __typeof__(name) *name;
extern struct wp_fits_library {
    WP_FITS_FUNCTIONS(WP_FITS_MEMBER)
} wp_fits;

// Loads the library. False after WP_ERROR_UNAVAILABLE; `file` is for the message.
bool wp_fits_load(const char *file);

#ifndef WP_FITS_LIBRARY_C
#define ffclos wp_fits.ffclos
#define ffcmsg wp_fits.ffcmsg
#define ffgerr wp_fits.ffgerr
#define ffghadll wp_fits.ffghadll
#define ffgidm wp_fits.ffgidm
#define ffgidt wp_fits.ffgidt
#define ffgiszll wp_fits.ffgiszll
#define ffgky wp_fits.ffgky
#define ffgmsg wp_fits.ffgmsg
#define ffgpxvll wp_fits.ffgpxvll
#define ffmahd wp_fits.ffmahd
#define ffomem wp_fits.ffomem
#endif

#endif
