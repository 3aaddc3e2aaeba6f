#include "info_plan.h"

#include "image_io.h"
#include "run.h"

#include <jansson.h>
#include <stdio.h>

// Images of 8 and 16 bits are transformed without conversion before.
static enum wp_element type_of(const struct wp_image *image, const struct wp_file_facts *facts)
{
    const enum wp_stored stored = wp_image_stored(facts);
    return image->depth > 1 ? WP_ELEMENT_F32
           : stored == WP_STORED_U8  ? WP_ELEMENT_U8
           : stored == WP_STORED_U16 ? WP_ELEMENT_U16
                                     : WP_ELEMENT_F32;
}

static bool report(const struct wp_call *call, struct wp_transform *transform,
                   const struct wp_operand *image)
{
    static const char *const directions[] = {"forward", "inverse"};
    const struct wp_transform_info *info = wp_transform_get_info(transform);
    json_t *result =
        call->common.json
            ? json_pack("{s:s, s:s, s:s, s:s, s:s}", "command", "info", "file",
                        call->argument[0], "transform", info->name, "backend", info->backend,
                        "device", info->device)
            : NULL;
    if (!result)
        printf("%s, %s on %s\n", info->name, info->backend, info->device);
    bool ok = true;
    for (int inverse = 0; inverse < 2 && ok; inverse++) {
        const char *plan = wp_transform_describe(transform, inverse, inverse ? NULL : image,
                                                 inverse ? image : NULL);
        ok = plan;
        if (ok && result)
            json_object_set_new(result, directions[inverse], json_string(plan));
        else if (ok)
            printf("%s:\n%s\n", directions[inverse], plan);
    }
    if (ok && result)
        wp_print_json(result);
    else
        json_decref(result);
    return ok;
}

enum wp_error wp_info_plan(const struct wp_call *call, const struct wp_volume_options *volume,
                           const struct wp_transform_params *given)
{
    struct wp_transform_params params = *given;
    enum wp_chosen_by by;
    struct wp_file_facts facts = {0};
    struct wp_read_params read = wp_run_read_params(volume);
    size_t nonfinite;
    params.struct_size = sizeof params;
    read.facts = &facts;
    wp_progress("reading %s", call->argument[0]);
    struct wp_image *image = wp_image_read_with(call->argument[0], &read, &nonfinite);
    wp_progress_clear();
    struct wp_transform *transform =
        image ? wp_run_create(&params, image, WP_FORWARD, nonfinite, &by) : NULL;
    const bool ok =
        transform && report(call, transform, &(struct wp_operand){.type = type_of(image, &facts)});
    wp_transform_destroy(&transform);
    wp_image_destroy(&image);
    return ok ? WP_ERROR_NONE : wp_last_error();
}
