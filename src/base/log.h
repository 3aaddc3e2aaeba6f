// Errors and messages, for the layers of libwavepass and the program. The functions that users see
// are in wavepass_log.h.
//
// A function that fails returns false or NULL after one call of wp_fail(), which sends one message
// to the handler and stores the kind of error. No function exits the program.
#ifndef WP_LOG_H
#define WP_LOG_H

#include "wavepass_log.h"

#include <errno.h>
#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

// The kind of error after a failed call of the C library: WP_ERROR_TOO_LARGE if errno is ENOMEM,
// else WP_ERROR_FILE. Inline, so that libwavepass need not export it for libwavepass-reconstruct.
static inline enum wp_error wp_error_of_errno(void)
{
    return errno == ENOMEM ? WP_ERROR_TOO_LARGE : WP_ERROR_FILE;
}

#ifdef __cplusplus
}
#endif

#endif
