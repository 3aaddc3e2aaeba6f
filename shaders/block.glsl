// Input of a fragment that computes a block of quads. Follows extend.glsl and plane.glsl. INPUT is
// one of WP_INPUT_…:
#define INPUT_QUADS 0      // layer 0 of `source` has the quads
#define INPUT_BANDS 2      // layer c of `source` has component c of 2x2 quads per texel
#define INPUT_BANDS_LOW 3  // as INPUT_BANDS, but layer k of `low` has component 0 of quad k of each
                           // 2x2 quads
uniform sampler2DArray source;
uniform sampler2DArray low;
uniform ivec2 size; // samples of the level
uniform vec4 gain;  // of the components, from the normalization
#ifdef SLICE
flat in ivec2 drawn;         // x: index of the slice among those that a draw writes
uniform ivec4 slice_layers;  // first layer of slice 0 and layers per slice: `source`, then `low`
#define FIRST_LAYER (slice_layers.xz + drawn.x * slice_layers.yw)
#else
#define FIRST_LAYER ivec2(0)
#endif

// A texel inside the level.
vec4 load(ivec2 p, int layer)
{
#if INPUT == INPUT_BANDS_LOW
    if (layer == 0)
        return texelFetch(low, ivec3(p / 2 + plane_in_low(),
                                     FIRST_LAYER.y + p.x % 2 + 2 * (p.y % 2)), 0);
#endif
    return texelFetch(source, ivec3(p + plane_in_source(), FIRST_LAYER.x + layer), 0);
}

#ifndef INSIDE
// Sample (x, y) of the level, with coordinates from extend(); 0 if one is -1.
float sample_at(int x, int y)
{
    ivec2 p = max(ivec2(x, y), ivec2(0)), at = p >> 1;
    int component = (p.x & 1) + 2 * (p.y & 1);
#if INPUT == INPUT_QUADS
    float value = load(at, 0)[component];
#else
    float value = load(at >> 1, component)[(at.x & 1) + 2 * (at.y & 1)];
#endif
    return x < 0 || y < 0 ? 0.0 : value;
}

// Four samples from `first` on, `step` apart, extended outside the level.
vec4 load_four(ivec2 first, int step)
{
    ivec2 x = ivec2(extend(first.x, size.x), extend(first.x + step, size.x));
    ivec2 y = ivec2(extend(first.y, size.y), extend(first.y + step, size.y));
    return vec4(sample_at(x.x, y.x), sample_at(x.y, y.x), sample_at(x.x, y.y),
                sample_at(x.y, y.y));
}

// True if `count` samples along x and y, from `first` on, exist.
bool exist(ivec2 first, int count)
{
    return all(greaterThanEqual(first, ivec2(0))) && all(lessThanEqual(first + count, size));
}

// A quad that may be outside.
vec4 load_extended_quad(ivec2 quad)
{
    return exist(2 * quad, 2) ? load(quad, 0) : load_four(2 * quad, 1);
}

// Component c of 2x2 quads that may be outside.
vec4 load_extended_band(ivec2 p, int c)
{
    return exist(4 * p, 4) ? load(p, c) : load_four(4 * p + ivec2(c & 1, c >> 1), 2);
}
#endif
