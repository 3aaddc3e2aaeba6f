// The command verify: what a call verifies, and the report of its results.
#ifndef WP_VERIFY_PARTS_H
#define WP_VERIFY_PARTS_H

#include "command.h"
#include "image.h"
#include "registry.h"
#include "text.h"
#include "verify.h"
#include "wavepass.h"

#include <jansson.h>

enum { WP_VERIFY_FORMS = 2 };

struct wp_verify_options {
    // wavelet, scheme, backend, variant (all lists), device, levels, levels_z, decomposition
    struct wp_transform_params transform;
    struct wp_volume_options volume;
    const char *size;
    const char *border; // list
    int norm, precision, bank;
};

// The state of one call. run() frees its members.
struct wp_verify_job {
    const struct wp_call *call;
    const struct wp_verify_options *options;
    struct wp_image *image;
    struct wp_verify_extent extent; // of the image
    int wavelet_count;
    struct wp_wavelet *wavelet;
    unsigned kinds, borders; // bits, as in struct wp_verify_params
    int count[WP_VERIFY_STATUS_COUNT];
    json_t *rows, *backends;
    // The backend, wavelet and scheme that is being verified.
    const struct wp_backend *backend;
    const struct wp_variant *variant; // named by the user, or NULL
    char backend_name[64];            // "fragment", or with the variant "fragment/tile-2x2"
    const struct wp_wavelet *current;
    enum wp_decomposition decomposition;
    // By border and form, the errors of a line; one border if `one_border`.
    struct wp_verify_row worst[WP_BORDER_NATIVE * WP_VERIFY_FORMS];
    bool one_border, one_form;
    struct wp_text failures;
};

bool wp_verify_is_volume(const struct wp_verify_job *j);
enum wp_bank wp_verify_bank(const struct wp_verify_job *j);
bool wp_verify_has_bank(const struct wp_verify_job *j); // not the decimated one?

// Reports a result; `user` is the job. As JSON, rows are stored, and all is printed at the end.
void wp_verify_report_row(void *user, const struct wp_verify_row *row);

// Reports the backend and variant of the job, and before the first one, what is verified. `skipped`
// is the reason, or NULL.
void wp_verify_report_backend(struct wp_verify_job *j, const struct wp_device_info *info,
                              const char *skipped);

// Prints the names of the columns of lines.
void wp_verify_report_header(const struct wp_verify_job *j);

void wp_verify_report_result(const struct wp_verify_job *j);

#endif
