// Messages and errors: how the layers send them. wavepass_log.h, with wp_log() and wp_fail(), is
// what users of the library see.
//
// A function that fails returns false or NULL after one call of wp_fail() (wavepass_log.h), which
// sends one message to the handler and remembers what kind of failure it was. Nothing here exits.
#ifndef WP_LOG_H
#define WP_LOG_H

#include "wavepass_log.h"

#include <errno.h>
#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

// After a call of the C library that failed: WP_ERROR_TOO_LARGE where errno tells of memory, else
// WP_ERROR_FILE. Here, so that libwavepass need not export it for libwavepass-reconstruct.
static inline enum wp_error wp_error_of_errno(void)
{
    return errno == ENOMEM ? WP_ERROR_TOO_LARGE : WP_ERROR_FILE;
}

#ifdef __cplusplus
}
#endif

#endif
