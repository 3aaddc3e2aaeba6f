#include "info_choice.h"

#include "autotune.h"
#include "json_value.h"
#include "reference.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>

static const json_t *read_file(const char *path, const struct wp_backend_choice *on,
                               json_t *files)
{
    if (!json_object_get(files, path)) {
        json_t *file = wp_tuning_read(path, on);
        json_object_set_new(files, path, file ? file : json_null());
    }
    return json_object_get(files, path);
}

json_t *wp_info_choice(const struct wp_backend_choice *on, json_t *files)
{
    if (on->backend == &wp_backend_reference)
        return json_null();
    char *path = wp_tuning_path(on);
    const json_t *file = path ? read_file(path, on, files) : NULL;
    json_t *choice = json_pack("{s:o, s:o, s:o}", "file", wp_json_text(path), "reason",
                               wp_json_text(wp_autotune_why_not(on)), "found",
                               wp_tuning_list(file, path, on->backend));
    free(path);
    return choice;
}

static const char *text(const json_t *object, const char *key)
{
    const char *found = json_string_value(json_object_get(object, key));
    return found ? found : "";
}

static void print_entry(const json_t *entry, const char *indent)
{
    const json_t *timed = json_object_get(entry, "timed");
    const json_t *first = json_array_get(timed, 0);
    const int side = (int)json_integer_value(json_object_get(entry, "side"));
    const char *scheme = text(first, "scheme"), *variant = text(first, "variant");
    printf("%schoice: %s %s, as %dx%d: %s%s%s%s, %.3g ms\n"
           "%s        (%s, %s, %zu timed in %.2f s)\n",
           indent, text(entry, "wavelet"), text(entry, "direction"), side, side, scheme,
           *scheme && *variant ? ", " : "", *variant ? "variant " : "", variant,
           1e3 * json_number_value(json_object_get(first, "seconds")), indent, text(entry, "by"),
           text(entry, "found"), json_array_size(timed),
           json_number_value(json_object_get(entry, "seconds")));
}

void wp_info_choice_print(const json_t *choice, const char *indent)
{
    if (json_is_null(choice))
        return;
    const json_t *found = json_object_get(choice, "found"), *entry;
    const char *why_not = text(choice, "reason"), *file = text(choice, "file");
    size_t i;
    json_array_foreach (found, i, entry)
        print_entry(entry, indent);
    if (*why_not)
        printf("%schoice%s: the default scheme and variant (not probed: %s; 'bench --tune' probes "
               "it)\n", indent, json_array_size(found) ? " else" : "", why_not);
    else
        printf("%schoice%s: the fastest, probed on first use\n", indent,
               json_array_size(found) ? " else" : "");
    if (*file && (json_array_size(found) || !*why_not))
        printf("%s        stored in %s\n", indent, file);
}
