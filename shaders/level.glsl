// The input of a level, as quads. Stands behind extend.glsl. INPUT is one of:
#define INPUT_QUADS 0  // `source` holds the quads
#define INPUT_GATHER 1 // the R channel of `low` holds the samples
#define INPUT_SPREAD 2 // `source` holds the quads but for R; the quads of `low` hold R's samples
uniform sampler2D source;
uniform sampler2D low;
uniform ivec2 size; // samples of the level
uniform vec4 gain;  // of the components, by the norm

#if INPUT == INPUT_SPREAD
float low_at(ivec2 p)
{
    return texelFetch(low, p / 2, 0)[p.x % 2 + 2 * (p.y % 2)];
}
#endif

// A quad all of whose samples exist.
vec4 load_inside(ivec2 quad)
{
#if INPUT == INPUT_GATHER
    // The corner that the quad's four samples share.
    return textureGather(low, vec2(2 * quad + 1) / vec2(textureSize(low, 0))).wzxy;
#else
    vec4 q = texelFetch(source, quad, 0);
#if INPUT == INPUT_SPREAD
    q.r = low_at(quad);
#endif
    return q;
#endif
}

float sample_at(int x, int y)
{
    if (x < 0 || y < 0)
        return 0.0;
    ivec2 p = ivec2(x, y);
#if INPUT == INPUT_GATHER
    return texelFetch(low, p, 0).r;
#else
    int component = x % 2 + 2 * (y % 2);
#if INPUT == INPUT_SPREAD
    if (component == 0)
        return low_at(p / 2);
#endif
    return texelFetch(source, p / 2, 0)[component];
#endif
}

// Component c of any quad: what lies beyond the samples is their extension.
float load_extended(ivec2 quad, int c)
{
    return sample_at(extend(2 * quad.x + c % 2, size.x), extend(2 * quad.y + c / 2, size.y));
}
