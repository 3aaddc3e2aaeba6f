#include "cuda_operands.h"

#include "cuda_cases.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

const char *const kind_names[KIND_COUNT] = {
    "dense", "pitched", "shifted", "odd", "strided", "pixels", "mallat-bands", "bands",
    "bands-odd", "bands-some",
};

static struct spot make_spot(enum kind kind, size_t from, const int size[2], int planes)
{
    const ptrdiff_t w = size[0], h = size[1];
    struct spot s = {.at = (from + GAP + 31) / 32 * 32, .size = {size[0], size[1]}};
    s.step[0] = kind == STRIDED ? 2 : kind == PIXELS ? planes : 1;
    switch (kind) {
    case PITCHED:
    case SHIFTED: s.step[1] = (w + 3) / 4 * 4 + 8; break;
    case ODD: s.step[1] = w % 2 ? w + 4 : w + 5; break;
    case STRIDED: s.step[1] = 2 * w + 3; break;
    default: s.step[1] = w * s.step[0]; break;
    }
    s.at += kind == SHIFTED ? 2 : kind == ODD || kind == STRIDED ? 1 : 0;
    s.plane = kind == PIXELS ? 1 : h * s.step[1] + (kind == PITCHED ? 12 : kind == DENSE ? 0 : 7);
    return s;
}

static size_t end_of(const struct spot *s, int planes)
{
    return s->at + (size_t)((planes - 1) * s->plane + (s->size[1] - 1) * s->step[1] +
                            (s->size[0] - 1) * s->step[0] + 1) + GAP;
}

void band_origin(const struct wp_band_info *info, const int size[2], int origin[2])
{
    int low[2] = {size[0], size[1]};
    for (int l = 0; l < info->level; l++)
        low[0] = (low[0] + 1) / 2, low[1] = (low[1] + 1) / 2;
    origin[0] = info->name[0] == 'H' ? low[0] : 0;
    origin[1] = info->name[1] == 'H' ? low[1] : 0;
}

static bool has_bands(enum kind kind)
{
    return kind >= MALLAT_BANDS;
}

void init_operand(const struct wp_transform *t, enum kind kind, const int size[2], int planes,
                  struct operand *operand)
{
    static const enum kind some[] = {PITCHED, ODD, STRIDED, SHIFTED};
    *operand = (struct operand){.kind = kind, .planes = planes};
    operand->count = has_bands(kind) ? wp_transform_band_count(t) : 1;
    const struct spot full = make_spot(kind == MALLAT_BANDS ? DENSE : kind, 0, size, planes);
    for (int i = 0; i < operand->count; i++) {
        struct spot *s = &operand->spot[i];
        *s = full;
        if (has_bands(kind)) {
            struct wp_band_info info;
            wp_transform_get_band(t, i, &info);
            const int band[] = {info.width, info.height};
            if (info.width == 0 || info.height == 0) {
                *s = (struct spot){0};
                continue;
            }
            if (kind != MALLAT_BANDS)
                *s = make_spot(kind == BANDS       ? PITCHED
                               : kind == BANDS_ODD ? ODD
                                                   : some[i % 4],
                               operand->floats, band, planes);
            band_origin(&info, size, s->origin);
            s->size[0] = band[0], s->size[1] = band[1];
            if (kind == MALLAT_BANDS)
                s->at += (size_t)(s->origin[1] * s->step[1] + s->origin[0]);
        }
        const size_t end = end_of(s, planes);
        operand->floats = end > operand->floats ? end : operand->floats;
    }
}

void shift_operand(struct operand *operand, size_t floats)
{
    for (int i = 0; i < operand->count; i++)
        operand->spot[i].at += floats;
    operand->floats += floats;
}

struct wp_operand memory_of(struct operand *operand, float *base)
{
    for (int i = 0; i < operand->count; i++) {
        const struct spot *s = &operand->spot[i];
        operand->view[i] = (struct wp_operand){
            .data = s->size[0] ? base + s->at : NULL,
            .stride = {s->step[0], s->step[1], [WP_PLANE] = s->plane},
        };
        if (operand->kind == DENSE) // uses the default strides
            operand->view[i] = (struct wp_operand){.data = base + s->at};
    }
    struct wp_operand memory = operand->view[0];
    if (has_bands(operand->kind))
        memory = (struct wp_operand){.band = operand->view, .bands = operand->count};
    memory.location = WP_LOCATION_CUDA;
    return memory;
}

void fill_pattern(float *memory, size_t floats, unsigned seed)
{
    for (size_t i = 0; i < floats; i++) {
        const uint32_t bits = 0x7fc00000u | (uint32_t)((i * 2654435761u + seed) & 0x3fffffu);
        memcpy(&memory[i], &bits, sizeof bits);
    }
}

void put_planes(const struct operand *operand, const int size[2], const float *planes,
                float *memory)
{
    for (int i = 0; i < operand->count; i++) {
        const struct spot *s = &operand->spot[i];
        for (int p = 0; p < operand->planes; p++)
            for (int y = 0; y < s->size[1]; y++)
                for (int x = 0; x < s->size[0]; x++)
                    memcpy(&memory[(ptrdiff_t)s->at + p * s->plane + y * s->step[1] +
                                   x * s->step[0]],
                           &planes[((ptrdiff_t)p * size[1] + s->origin[1] + y) * size[0] +
                                   s->origin[0] + x],
                           sizeof(float));
    }
}

// Describes the sample at offset `at` of an operand's memory.
static void describe_position(const struct operand *operand, size_t at, char *name,
                              size_t name_size)
{
    for (int i = 0; i < operand->count; i++) {
        const struct spot *s = &operand->spot[i];
        for (int p = 0; p < operand->planes; p++) {
            for (int y = 0; y < s->size[1]; y++) {
                const ptrdiff_t x = (ptrdiff_t)at - (ptrdiff_t)s->at - p * s->plane -
                                    y * s->step[1];
                if (x >= 0 && x % s->step[0] == 0 && x / s->step[0] < s->size[0]) {
                    snprintf(name, name_size, "view %d of %dx%d, plane %d, (%td, %d)", i,
                             s->size[0], s->size[1], p, x / s->step[0], y);
                    return;
                }
            }
        }
    }
    snprintf(name, name_size, "float %zu of %zu, which belongs to no view (the first is at %zu)",
             at, operand->floats, operand->spot[0].at);
}

bool compare(const char *name, const char *label, const struct operand *operand, const float *got,
                    const float *expected, size_t floats)
{
    size_t first = floats, different = 0;
    for (size_t i = floats; i-- > 0;) {
        if (memcmp(&got[i], &expected[i], sizeof(float)) != 0) {
            first = i;
            different++;
        }
    }
    if (different == 0)
        return true;
    uint32_t bits[2];
    char position[160];
    memcpy(&bits[0], &got[first], 4);
    memcpy(&bits[1], &expected[first], 4);
    describe_position(operand, first, position, sizeof position);
    report(name, "%s: %zu of %zu floats differ, the first is %s: %g (%08x), not %g (%08x)", label,
           different, floats, position, (double)got[first], (unsigned)bits[0],
           (double)expected[first], (unsigned)bits[1]);
    return false;
}
