// Between words and samples in a buffer: stands behind pixel_pack.glsl. QUADS is defined where the
// buffer holds quads, READ_WORDS where it is written.
layout(std430, binding = 0) restrict buffer Samples { float samples[]; };
uniform ivec3 lies; // the first sample or quad; from one row of these to the next; floats from one
                    // plane to the next
#ifdef READ_WORDS
uniform ivec2 room; // samples along x and y that there is room for: those beyond the image are zero
#else
layout(r32ui, binding = 0) writeonly uniform highp uimage2D result;
#endif

int index_of(int x, int y, int channel)
{
#ifdef QUADS
    return lies.x + channel * lies.z + 4 * (y / 2 * lies.y + x / 2) + x % 2 + y % 2 * 2;
#else
    return lies.x + channel * lies.z + y * lies.y + x;
#endif
}

#ifdef READ_WORDS
void main()
{
    ivec2 p = ivec2(gl_GlobalInvocationID.xy);
    if (any(greaterThanEqual(p, room)))
        return;
    bool inside = all(lessThan(p, image));
    for (int c = 0; c < words.w; c++)
        samples[index_of(p.x, p.y, c)] = inside ? sample_of(p.x, p.y, c) : 0.0;
}
#else
float value_at(int x, int y, int channel)
{
    return samples[index_of(x, y, channel)];
}

void main()
{
    ivec2 p = ivec2(gl_GlobalInvocationID.xy);
    if (all(lessThan(p, imageSize(result))))
        imageStore(result, p, texel_of(p));
}
#endif
