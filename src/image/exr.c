#include "exr.h"

#include <stdio.h>
#include <string.h>

// The user data of a context cannot be read in its error handler: while OpenEXR writes, it holds a
// lock that exr_get_user_data() acquires too.
static _Thread_local struct wp_exr *current;

static void on_error(exr_const_context_t context, exr_result_t code, const char *message)
{
    struct wp_exr *exr = current;
    (void)context;
    if (exr->code != EXR_ERR_SUCCESS)
        return;
    exr->code = code;
    snprintf(exr->message, sizeof exr->message, "%s", message ? message : "unknown");
}

exr_context_initializer_t wp_exr_initializer(struct wp_exr *exr)
{
    current = exr;
    return (exr_context_initializer_t){
        .size = sizeof(exr_context_initializer_t),
        .error_handler_fn = on_error,
        .zip_level = -2, // the library's default
        .dwa_quality = -1.0F,
    };
}

const char *wp_exr_channel(int planes, int plane)
{
    static const char *const names[] = {"R", "G", "B", "A"};
    return planes >= 3 ? names[plane] : plane == 0 ? "Y" : "A";
}
