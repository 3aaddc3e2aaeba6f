#version 330 core
#ifdef GL_ES
precision highp float;
precision highp int;
precision highp sampler2D;
precision highp sampler2DArray;
#endif
// all steps along z of two slices, inverse
uniform sampler2DArray source_even;
uniform sampler2DArray source_odd;
uniform int slice[10]; // layers of the slices for group 0; -1: zero
uniform int slice_step; // layers between groups
flat in ivec2 drawn; // group; layer in the group
layout(location = 0) out vec4 result[2];

vec4 stored(vec4 v)
{
    uvec4 bits = floatBitsToUint(abs(v));
    bits = min(bits + 0xfffu + ((bits >> 13) & 1u), 0x7fffffffu) & 0xffffe000u;
    vec4 nearest = uintBitsToFloat(bits);
    return mix(nearest, -nearest, lessThan(v, vec4(0.0)));
}
void main()
{
    ivec2 p = ivec2(gl_FragCoord.xy);
    int further = drawn.x * slice_step + drawn.y;
    vec4 s1 = slice[1] < 0 ? vec4(0.0)
        : texelFetch(source_odd, ivec3(p, slice[1] + further), 0) * 0.812893066;
    vec4 s2 = slice[2] < 0 ? vec4(0.0)
        : texelFetch(source_even, ivec3(p, slice[2] + further), 0) * 1.2301741;
    vec4 s3 = slice[3] < 0 ? vec4(0.0)
        : texelFetch(source_odd, ivec3(p, slice[3] + further), 0) * 0.812893066;
    vec4 s4 = slice[4] < 0 ? vec4(0.0)
        : texelFetch(source_even, ivec3(p, slice[4] + further), 0) * 1.2301741;
    vec4 s5 = slice[5] < 0 ? vec4(0.0)
        : texelFetch(source_odd, ivec3(p, slice[5] + further), 0) * 0.812893066;
    vec4 s6 = slice[6] < 0 ? vec4(0.0)
        : texelFetch(source_even, ivec3(p, slice[6] + further), 0) * 1.2301741;
    vec4 s7 = slice[7] < 0 ? vec4(0.0)
        : texelFetch(source_odd, ivec3(p, slice[7] + further), 0) * 0.812893066;
    vec4 s8 = slice[8] < 0 ? vec4(0.0)
        : texelFetch(source_even, ivec3(p, slice[8] + further), 0) * 1.2301741;
    vec4 s9 = slice[9] < 0 ? vec4(0.0)
        : texelFetch(source_odd, ivec3(p, slice[9] + further), 0) * 0.812893066;
    vec4 s2_0 = s2 - 0.443506852 * s1 - 0.443506852 * s3;
    vec4 s4_0 = s4 - 0.443506852 * s3 - 0.443506852 * s5;
    vec4 s6_0 = s6 - 0.443506852 * s5 - 0.443506852 * s7;
    vec4 s8_0 = s8 - 0.443506852 * s7 - 0.443506852 * s9;
    vec4 s3_1 = s3 - 0.882911076 * s2_0 - 0.882911076 * s4_0;
    vec4 s5_1 = s5 - 0.882911076 * s4_0 - 0.882911076 * s6_0;
    vec4 s7_1 = s7 - 0.882911076 * s6_0 - 0.882911076 * s8_0;
    vec4 s4_2 = s4_0 + 0.0529801186 * s3_1 + 0.0529801186 * s5_1;
    vec4 s6_2 = s6_0 + 0.0529801186 * s5_1 + 0.0529801186 * s7_1;
    vec4 s5_3 = s5_1 + 1.58613434 * s4_2 + 1.58613434 * s6_2;
    result[0] = stored(s4_2);
    result[1] = stored(s5_3);
}
