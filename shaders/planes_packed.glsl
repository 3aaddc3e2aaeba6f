// Copies between words and samples in a buffer. Follows pixel_pack.glsl. QUADS: the buffer has
// quads. READ_WORDS: it is written.
layout(std430, binding = 0) restrict buffer Samples { float samples[]; };
uniform ivec3 sample_layout; // first float; samples or quads from row to row; floats from plane to
                             // plane
#ifdef READ_WORDS
uniform ivec2 padded; // samples along x and y of the buffer, with zeros outside the image
#else
layout(r32ui, binding = 0) writeonly uniform highp uimage2D result;
#endif

int index_of(int x, int y, int channel)
{
#ifdef QUADS
    return sample_layout.x + channel * sample_layout.z +
           4 * (y / 2 * sample_layout.y + x / 2) + x % 2 + y % 2 * 2;
#else
    return sample_layout.x + channel * sample_layout.z + y * sample_layout.y + x;
#endif
}

#ifdef READ_WORDS
void main()
{
    ivec2 p = ivec2(gl_GlobalInvocationID.xy);
    if (any(greaterThanEqual(p, padded)))
        return;
    bool inside = all(lessThan(p, image));
#ifdef GROUP
    int plane = int(gl_WorkGroupID.z);
    samples[index_of(p.x, p.y, plane)] =
        inside ? sample_of(p.x, p.y + plane * image.y, 0) : 0.0;
#else
    for (int c = 0; c < words.w; c++)
        samples[index_of(p.x, p.y, c)] = inside ? sample_of(p.x, p.y, c) : 0.0;
#endif
}
#else
float value_at(int x, int y, int channel)
{
#ifdef GROUP
    channel = y / image.y;
    y -= channel * image.y;
#endif
    return samples[index_of(x, y, channel)];
}

void main()
{
    ivec2 p = ivec2(gl_GlobalInvocationID.xy);
    if (all(lessThan(p, imageSize(result))))
        imageStore(result, p, texel_of(p));
}
#endif
