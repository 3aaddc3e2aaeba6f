// Lines along z only, four adjacent ones at a time. Follows extend.glsl and precedes slices.glsl.
layout(local_size_x = 64) in;
layout(std430, binding = 0) readonly restrict buffer Source { vec4 source[]; };
layout(std430, binding = 1) writeonly restrict buffer Result { vec4 result[]; };
uniform int count; // groups of four samples per slice
const vec4 gain = vec4(1.0);
int source_zero, result_zero;

vec4 load_four(int at)
{
    return source[source_zero / 4 + at];
}

void write_four(int at, vec4 value)
{
    result[result_zero / 4 + at] = value;
}
