// Calls texel_at(), which follows, for each texel of a rectangle: in a fragment shader, or, if the
// format TARGET is defined, in a compute shader, because data-center GPUs execute many times more
// invocations than fragments at once. texel_at() ends with NOTHING if it has no value: fragments are
// discarded, a compute shader makes the texel transparent.
vec4 texel_at(ivec2 p);

#ifdef TARGET
#define NOTHING return vec4(0.0)
layout(local_size_x = 16, local_size_y = 16) in;
layout(TARGET, binding = 0) writeonly uniform image2D target;
uniform ivec4 rectangle; // first texel, width, height

void main()
{
    ivec2 p = ivec2(gl_GlobalInvocationID.xy);
    if (all(lessThan(p, rectangle.zw)))
        imageStore(target, rectangle.xy + p, texel_at(rectangle.xy + p));
}
#else
#define NOTHING discard
layout(location = 0) out vec4 result;

void main()
{
    result = texel_at(ivec2(gl_FragCoord.xy));
}
#endif
