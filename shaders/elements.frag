// Between quads and the elements of redundant banks, which have the bands of one sample in their
// components. Follows texels.glsl and stored(), which rounds to the precision of the target.
#define ACT_COPY 0  // elements
#define ACT_SPLIT 1 // samples of quads to component 0
#define ACT_JOIN 2  // component 0 to samples of quads
uniform sampler2D source;
uniform ivec2 origin; // texel of quad or element (0, 0) in the source
uniform ivec2 size;   // samples
uniform int act;

float sample_at(ivec2 p)
{
    p = min(p, size - 1); // incomplete quads repeat the last sample
    return texelFetch(source, origin + p, 0).r;
}

vec4 texel_at(ivec2 p)
{
    vec4 v;
    if (act == ACT_JOIN)
        v = vec4(sample_at(2 * p), sample_at(2 * p + ivec2(1, 0)), sample_at(2 * p + ivec2(0, 1)),
                 sample_at(2 * p + ivec2(1, 1)));
    else if (act == ACT_SPLIT)
        v = vec4(texelFetch(source, origin + p / 2, 0)[p.x % 2 + 2 * (p.y % 2)], 0.0, 0.0, 0.0);
    else
        v = texelFetch(source, origin + p, 0);
    return stored(v);
}
