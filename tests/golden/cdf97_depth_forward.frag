#version 330 core
#ifdef GL_ES
precision highp float;
precision highp int;
precision highp sampler2D;
precision highp sampler2DArray;
#endif
// all steps along z of two slices, forward
uniform sampler2DArray source_even;
uniform sampler2DArray source_odd;
uniform int slice[10]; // layers of the slices for group 0; -1: zero
uniform int slice_step; // layers between groups
flat in ivec2 drawn; // group; layer in the group
layout(location = 0) out vec4 result[2];

void main()
{
    ivec2 p = ivec2(gl_FragCoord.xy);
    int further = drawn.x * slice_step + drawn.y;
    vec4 s0 = slice[0] < 0 ? vec4(0.0)
        : texelFetch(source_even, ivec3(p, slice[0] + further), 0);
    vec4 s1 = slice[1] < 0 ? vec4(0.0)
        : texelFetch(source_odd, ivec3(p, slice[1] + further), 0);
    vec4 s2 = slice[2] < 0 ? vec4(0.0)
        : texelFetch(source_even, ivec3(p, slice[2] + further), 0);
    vec4 s3 = slice[3] < 0 ? vec4(0.0)
        : texelFetch(source_odd, ivec3(p, slice[3] + further), 0);
    vec4 s4 = slice[4] < 0 ? vec4(0.0)
        : texelFetch(source_even, ivec3(p, slice[4] + further), 0);
    vec4 s5 = slice[5] < 0 ? vec4(0.0)
        : texelFetch(source_odd, ivec3(p, slice[5] + further), 0);
    vec4 s6 = slice[6] < 0 ? vec4(0.0)
        : texelFetch(source_even, ivec3(p, slice[6] + further), 0);
    vec4 s7 = slice[7] < 0 ? vec4(0.0)
        : texelFetch(source_odd, ivec3(p, slice[7] + further), 0);
    vec4 s8 = slice[8] < 0 ? vec4(0.0)
        : texelFetch(source_even, ivec3(p, slice[8] + further), 0);
    vec4 s1_0 = s1 - 1.58613434 * s0 - 1.58613434 * s2;
    vec4 s3_0 = s3 - 1.58613434 * s2 - 1.58613434 * s4;
    vec4 s5_0 = s5 - 1.58613434 * s4 - 1.58613434 * s6;
    vec4 s7_0 = s7 - 1.58613434 * s6 - 1.58613434 * s8;
    vec4 s2_1 = s2 - 0.0529801186 * s1_0 - 0.0529801186 * s3_0;
    vec4 s4_1 = s4 - 0.0529801186 * s3_0 - 0.0529801186 * s5_0;
    vec4 s6_1 = s6 - 0.0529801186 * s5_0 - 0.0529801186 * s7_0;
    vec4 s3_2 = s3_0 + 0.882911076 * s2_1 + 0.882911076 * s4_1;
    vec4 s5_2 = s5_0 + 0.882911076 * s4_1 + 0.882911076 * s6_1;
    vec4 s4_3 = s4_1 + 0.443506852 * s3_2 + 0.443506852 * s5_2;
    result[0] = 0.812893066 * s4_3;
    result[1] = 1.2301741 * s5_2;
}
