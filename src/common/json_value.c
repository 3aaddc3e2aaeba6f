#include "json_value.h"

#include "xmemory.h"

#include <jansson.h>
#include <math.h>
#include <stdlib.h>

void wp_json_use_xmemory(void)
{
    json_set_alloc_funcs(wp_xmalloc, free);
}

json_t *wp_json_number(double value)
{
    return isfinite(value) ? json_real(value) : json_null();
}

json_t *wp_json_amount(double value)
{
    const double most = 0x1p53; // larger integers are not all exact in double
    return fabs(value) <= most && floor(value) >= value ? json_integer((json_int_t)value)
                                                        : wp_json_number(value);
}

json_t *wp_json_text(const char *text)
{
    if (!text)
        return json_null();
    json_t *json = json_string(text);
    if (json)
        return json;
    char *ascii = wp_xstrdup(text);
    for (char *c = ascii; *c; c++)
        if ((unsigned char)*c >= 0x80)
            *c = '?';
    json = json_string(ascii);
    free(ascii);
    return json;
}
