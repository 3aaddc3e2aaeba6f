#version 330 core
#ifdef GL_ES
precision highp float;
precision highp int;
precision highp sampler2D;
precision highp sampler2DArray;
#endif
// cdf53/nonsep-convolution/optimized, inverse, pass 1 of 1
// S^V_U0(1) S^H_U0(1) S^V_U1(1) S^H_U1(1) T^V_P(1) T^H_P(1)
// 39 operations, 9 fetches
uniform sampler2D source;
uniform ivec2 offset;
layout(location = 0) out vec4 result;

void main()
{
    ivec2 p = ivec2(gl_FragCoord.xy) + offset;
    vec4 q_m1_m1 = texelFetch(source, p + ivec2(-1, -1), 0);
    vec4 q_0_m1 = texelFetch(source, p + ivec2(0, -1), 0);
    vec4 q_1_m1 = texelFetch(source, p + ivec2(1, -1), 0);
    vec4 q_m1_0 = texelFetch(source, p + ivec2(-1, 0), 0);
    vec4 q_0_0 = texelFetch(source, p, 0);
    vec4 q_1_0 = texelFetch(source, p + ivec2(1, 0), 0);
    vec4 q_m1_1 = texelFetch(source, p + ivec2(-1, 1), 0);
    vec4 q_0_1 = texelFetch(source, p + ivec2(0, 1), 0);
    vec4 q_1_1 = texelFetch(source, p + ivec2(1, 1), 0);
    vec4 q;
    q.r = 0.0625 * q_m1_m1.a // row r, tap zm zn
        - 0.25 * q_0_m1.b + 0.0625 * q_0_m1.a // row r, tap zn
        - 0.25 * q_m1_0.g + 0.0625 * q_m1_0.a // row r, tap zm
        + q_0_0.r - 0.25 * q_0_0.g - 0.25 * q_0_0.b + 0.0625 * q_0_0.a; // row r, tap 1
    q.g = -0.21875 * q_0_m1.a // row g, tap zn
        - 0.125 * q_1_m1.b + 0.03125 * q_1_m1.a // row g, tap zm^-1 zn
        + 0.875 * q_0_0.g - 0.21875 * q_0_0.a // row g, tap 1
        + 0.5 * q_1_0.r - 0.125 * q_1_0.g - 0.125 * q_1_0.b + 0.03125 * q_1_0.a; // row g, tap zm^-1
    q.b = -0.21875 * q_m1_0.a // row b, tap zm
        + 0.875 * q_0_0.b - 0.21875 * q_0_0.a // row b, tap 1
        - 0.125 * q_m1_1.g + 0.03125 * q_m1_1.a // row b, tap zm zn^-1
        + 0.5 * q_0_1.r - 0.125 * q_0_1.g - 0.125 * q_0_1.b + 0.03125 * q_0_1.a; // row b, tap zn^-1
    q.a = 0.765625 * q_0_0.a // row a, tap 1
        + 0.4375 * q_1_0.b - 0.109375 * q_1_0.a // row a, tap zm^-1
        + 0.4375 * q_0_1.g - 0.109375 * q_0_1.a // row a, tap zn^-1
        + 0.25 * q_1_1.r - 0.0625 * q_1_1.g - 0.0625 * q_1_1.b + 0.015625 * q_1_1.a; // row a, tap zm^-1 zn^-1
    // S^H_U0(1)
    q.a += 0.5 * q.b;
    q.g += 0.5 * q.r;
    // S^V_U0(1)
    q.a += 0.5 * q.g;
    q.b += 0.5 * q.r;
    result = q;
}
