// What a fragment that computes a block of quads reads. Stands behind extend.glsl and plane.glsl.
// INPUT is one of WP_INPUT_…:
#define INPUT_QUADS 0      // layer 0 of `source` holds the quads
#define INPUT_BANDS 2      // layer c of `source` holds component c of 2x2 quads a texel
#define INPUT_BANDS_LOW 3  // the same but for component 0: layer k of `low` holds those of every
                           // k-th quad of 2x2
uniform sampler2DArray source;
uniform sampler2DArray low;
uniform ivec2 size; // samples of the level
uniform vec4 gain;  // of the components, by the norm
#ifdef SLICE
uniform ivec2 first_layer; // of a volume's slice, in `source` and in `low`
#else
const ivec2 first_layer = ivec2(0);
#endif

// A texel that exists.
vec4 load(ivec2 p, int layer)
{
#if INPUT == INPUT_BANDS_LOW
    if (layer == 0)
        return texelFetch(low, ivec3(p / 2 + ivec2(0, plane * plane_rows.z),
                                     first_layer.y + p.x % 2 + 2 * (p.y % 2)), 0);
#endif
    return texelFetch(source, ivec3(p + plane_in_source(), first_layer.x + layer), 0);
}

#ifndef INSIDE
// Component c of any quad: what lies beyond the samples is their extension.
float load_extended(ivec2 quad, int c)
{
    ivec2 p = ivec2(extend(2 * quad.x + c % 2, size.x), extend(2 * quad.y + c / 2, size.y));
    if (p.x < 0 || p.y < 0)
        return 0.0;
    int component = p.x % 2 + 2 * (p.y % 2);
    p /= 2;
#if INPUT == INPUT_QUADS
    return load(p, 0)[component];
#else
    return load(p / 2, component)[p.x % 2 + 2 * (p.y % 2)];
#endif
}

vec4 load_extended_quad(ivec2 quad)
{
    return vec4(load_extended(quad, 0), load_extended(quad, 1), load_extended(quad, 2),
                load_extended(quad, 3));
}

// Component c of 2x2 quads.
vec4 load_extended_band(ivec2 p, int c)
{
    return vec4(load_extended(2 * p, c), load_extended(2 * p + ivec2(1, 0), c),
                load_extended(2 * p + ivec2(0, 1), c), load_extended(2 * p + ivec2(1, 1), c));
}
#endif
