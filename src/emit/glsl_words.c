#include "glsl_words.h"

const char *wp_emit_stored(bool half)
{
    if (!half)
        return "vec4 stored(vec4 v)\n{\n    return v;\n}\n";
    // Rounds 13 of 23 bits of the mantissa, ties to even; min() prevents that NaNs wrap around.
    // Numbers below 2^-14 have fewer bits and may lose 2^-24. The bits are those of abs(v):
    // NVIDIA's compiler (driver 580) may compute the bits of -x as the negated integer of the bits
    // of x.
    return "vec4 stored(vec4 v)\n"
           "{\n"
           "    uvec4 bits = floatBitsToUint(abs(v));\n"
           "    bits = min(bits + 0xfffu + ((bits >> 13) & 1u), 0x7fffffffu) & 0xffffe000u;\n"
           "    vec4 nearest = uintBitsToFloat(bits);\n"
           "    return mix(nearest, -nearest, lessThan(v, vec4(0.0)));\n"
           "}\n";
}

const char *wp_glsl_direction(const struct wp_writer *w)
{
    return w->kernel->scheme->direction == WP_FORWARD ? "forward" : "inverse";
}

void wp_glsl_begin_tile(const struct wp_writer *w)
{
    const struct wp_kernel *k = w->kernel;
    const int exchanged = k->counts.exchanged, tiers = k->tile.tiers;
    wp_text_add(w->out, "// %s, %s, all %d passes of a level on a tile\n", k->scheme->name,
                wp_glsl_direction(w), k->scheme->pass_count);
    if (exchanged && tiers)
        wp_text_add(w->out, "shared float cell[%d][%d];\n", tiers, exchanged / tiers);
    else if (exchanged)
        wp_text_add(w->out, "shared float cell[%d];\n", exchanged);
    wp_text_add(w->out, "\nvoid %s()\n{\n", k->tile.levels ? "run_level" : "main");
}
