// Copies between planes of samples in a buffer and a texture of their quads, one per invocation.
// PIXELS: one plane with the samples; QUADS: one plane with quads; ELEMENTS: a redundant bank,
// whose texels have the bands of one sample, with a plane for each component: the first one, and
// those that are copied, the bits of ELEMENTS; otherwise four planes, one per component.
// WRITE_TEXTURE: the texture is written.
layout(std430, binding = 0) restrict buffer Samples { float samples[]; };
uniform ivec2 plane; // samples per row, and per plane
uniform ivec2 size;  // samples of the level
#ifdef WRITE_TEXTURE
layout(rgba32f, binding = 0) writeonly uniform image2D result;
#else
uniform sampler2D source;
uniform ivec2 origin; // texel of quad (0, 0)
#endif

// Samples of the level along both axes for each texel.
#ifdef ELEMENTS
const int EACH = 1;
#else
const int EACH = 2;
#endif

bool has_sample(ivec2 quad, int c)
{
#ifdef ELEMENTS
    return ((ELEMENTS >> c) & 1) != 0;
#else
    return 2 * quad.x + c % 2 < size.x && 2 * quad.y + c / 2 < size.y;
#endif
}

int index_of(ivec2 quad, int c)
{
#ifdef PIXELS
    return (2 * quad.y + c / 2) * plane.x + 2 * quad.x + c % 2;
#elif defined(QUADS)
    return 4 * (quad.y * plane.x + quad.x) + c;
#elif defined(ELEMENTS)
    return bitCount((ELEMENTS | 1) & ((1 << c) - 1)) * plane.y + quad.y * plane.x + quad.x;
#else
    return c * plane.y + quad.y * plane.x + quad.x;
#endif
}

void main()
{
    ivec2 quad = ivec2(gl_GlobalInvocationID.xy);
    if (any(greaterThanEqual(EACH * quad, size)))
        return;
#ifdef WRITE_TEXTURE
    vec4 value = vec4(0.0);
#else
    vec4 value = texelFetch(source, origin + quad, 0);
#endif
    for (int c = 0; c < 4; c++) {
#ifdef WRITE_TEXTURE
        if (has_sample(quad, c))
            value[c] = samples[index_of(quad, c)];
#elif defined(ELEMENTS)
        if (has_sample(quad, c))
            samples[index_of(quad, c)] = value[c];
#else
        // Planes have complete quads.
        samples[index_of(quad, c)] = has_sample(quad, c) ? value[c] : 0.0;
#endif
    }
#ifdef WRITE_TEXTURE
    imageStore(result, quad, value);
#endif
}
