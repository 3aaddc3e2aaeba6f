#include "report_run.h"

#include "log.h"
#include "names.h"
#include "once.h"
#include "reference.h"
#include "wavepass.h"

#include <string.h>

static enum wp_border find_border(const struct wp_wavelet *wavelet, const char *name)
{
    const int found = wp_name_index(name, wp_border_names, WP_BORDER_COUNT);
    if (found >= 0)
        return (enum wp_border)found;
    return wavelet->symmetry == WP_SYMMETRY_NONE ? WP_BORDER_PERIODIC : WP_BORDER_SYMMETRIC;
}

// At least 1, so that the plan says what is wrong with an image that takes none.
static int max_levels(const struct wp_image *image, enum wp_border border)
{
    const int most = wp_levels_most((const int[]){image->width, image->height}, border);
    return most > 0 ? most : 1;
}

static struct wp_description describe(const struct wp_report_params *params,
                                      const struct wp_image *image, enum wp_direction direction)
{
    const struct wp_explain_params *explain = &params->explain;
    const enum wp_border border = find_border(explain->wavelet, params->input.border);
    const int levels = params->input.levels;
    return (struct wp_description){
        .wavelet = explain->wavelet,
        .kind = explain->kind,
        .form = explain->form,
        .direction = direction,
        .norm = explain->norm,
        .border = border,
        .levels = levels == 0                ? 1
                  : levels == WP_LEVELS_MOST ? max_levels(image, border)
                                             : levels,
        .size = {image->width, image->height},
    };
}

struct wp_plan *wp_report_plan(const struct wp_report_params *params, const struct wp_image *image)
{
    const struct wp_description description =
        describe(params, image, params->explain.direction);
    return wp_plan_passes(&description);
}

struct wp_image *wp_report_read(const struct wp_report_params *params)
{
    size_t nonfinite;
    struct wp_image *image = wp_image_read_counted(params->input.image, &nonfinite);
    if (!image)
        return NULL;
    wp_image_to_gray(image);
    if (params->explain.direction == WP_INVERSE) {
        const struct wp_description forward = describe(params, image, WP_FORWARD);
        const struct wp_once on = {.backend = &wp_backend_reference};
        if (!wp_description_check(&forward) ||
            !wp_once(&on, &forward, 1, (const float *[]){image->plane[0]},
                     (float *[]){image->plane[0]}))
            wp_image_destroy(&image);
    }
    return image;
}

void wp_report_stage_name(struct wp_text *out, const struct wp_op *op)
{
    if (!op)
        wp_text_add(out, "input");
    else if (op->kind == WP_OP_PASS)
        wp_text_add(out, "level %d, pass %d of %d", op->level, op->pass + 1,
                    op->scheme->pass_count);
    else
        wp_text_add(out, "level %d, %s", op->level,
                    op->kind == WP_OP_GATHER ? "gather" : "spread");
}
