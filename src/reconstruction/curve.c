#include "curve.h"

#include "xmemory.h"

#include <stdlib.h>

void wp_curve_add(struct wp_curve *curve, const struct wp_curve_point *point)
{
    if (curve->count == curve->capacity) {
        curve->capacity = curve->capacity ? 2 * curve->capacity : 64;
        curve->point = wp_xrealloc(curve->point, (size_t)curve->capacity, sizeof *curve->point);
    }
    curve->point[curve->count++] = *point;
}

void wp_curve_free(struct wp_curve *curve)
{
    free(curve->point);
    *curve = (struct wp_curve){0};
}
