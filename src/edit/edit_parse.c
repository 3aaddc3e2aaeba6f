#include "edit.h"

#include "suggest.h"
#include "text.h"

#include <stdio.h>
#include <string.h>

const char *const wp_edit_names[WP_EDIT_KINDS] = {
    [WP_EDIT_THRESHOLD] = "threshold", [WP_EDIT_KEEP] = "keep",   [WP_EDIT_ZERO] = "zero",
    [WP_EDIT_ONLY] = "only",           [WP_EDIT_SCALE] = "scale", [WP_EDIT_IMPULSE] = "impulse",
};

static bool parse_threshold(const char *text, struct wp_edit *edit)
{
    const bool hard = strncmp(text, "hard:", 5) == 0;
    edit->soft = strncmp(text, "soft:", 5) == 0;
    const char *from = text + 5;
    if ((hard || edit->soft) && strcmp(from, "universal") == 0)
        edit->rule = WP_EDIT_UNIVERSAL;
    else if ((hard || edit->soft) && strcmp(from, "sure") == 0)
        edit->rule = WP_EDIT_SURE;
    else if (!(hard || edit->soft) || !wp_parse_double(from, &edit->number) || edit->number < 0)
        return wp_fail(WP_ERROR_USAGE,
                       "invalid threshold '%s'"
                       "\nhint: use hard:T or soft:T, where T is a number, 'universal' or 'sure' "
                       "(for example soft:0.1)", text);
    return true;
}

static bool parse_keep(const char *text, struct wp_edit *edit)
{
    char number[WP_NUMBER_SIZE];
    const size_t length = strlen(text), sign = length > 0 && text[length - 1] == '%' ? 1 : 0;
    snprintf(number, sizeof number, "%.*s", (int)(length - sign), text);
    return (wp_parse_double(number, &edit->number) && edit->number >= 0 && edit->number <= 100) ||
           wp_fail(WP_ERROR_USAGE, "'%s' is not a percentage from 0 to 100", text);
}

bool wp_edit_parse(const char *name, const char *text, struct wp_edit *edit)
{
    const int kind = wp_name_find("edit", name, wp_edit_names, WP_EDIT_KINDS, "there are ");
    if (kind < 0)
        return false;
    *edit = (struct wp_edit){.kind = (enum wp_edit_kind)kind, .bands = text};
    switch (edit->kind) {
    case WP_EDIT_THRESHOLD: return parse_threshold(text, edit);
    case WP_EDIT_KEEP: return parse_keep(text, edit);
    default: return true; // bands are checked when the coefficients are known
    }
}
