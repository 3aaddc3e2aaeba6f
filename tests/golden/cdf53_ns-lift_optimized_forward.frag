#version 330 core
#ifdef GL_ES
precision highp float;
precision highp int;
precision highp sampler2D;
precision highp sampler2DArray;
#endif
// cdf53/nonsep-lifting/optimized, forward, pass 1 of 2
// T^V_P0(1) T^H_P0(1) T^V_P1(1) T^H_P1(1)
// 9 operations, 4 fetches
uniform sampler2D source;
uniform ivec2 offset;
layout(location = 0) out vec4 result;

void main()
{
    ivec2 p = ivec2(gl_FragCoord.xy) + offset;
    vec4 q_0_0 = texelFetch(source, p, 0);
    vec4 q_1_0 = texelFetch(source, p + ivec2(1, 0), 0);
    vec4 q_0_1 = texelFetch(source, p + ivec2(0, 1), 0);
    vec4 q_1_1 = texelFetch(source, p + ivec2(1, 1), 0);
    vec4 q;
    q.r = q_0_0.r; // row r, tap 1
    q.g = q_0_0.g // row g, tap 1
        - 0.5 * q_1_0.r; // row g, tap zm^-1
    q.b = q_0_0.b // row b, tap 1
        - 0.5 * q_0_1.r; // row b, tap zn^-1
    q.a = q_0_0.a // row a, tap 1
        - 0.5 * q_1_0.b // row a, tap zm^-1
        - 0.5 * q_0_1.g // row a, tap zn^-1
        + 0.25 * q_1_1.r; // row a, tap zm^-1 zn^-1
    // T^H_P0(1)
    q.g -= 0.5 * q.r;
    q.a -= 0.5 * q.b;
    // T^V_P0(1)
    q.b -= 0.5 * q.r;
    q.a -= 0.5 * q.g;
    result = q;
}
#version 330 core
#ifdef GL_ES
precision highp float;
precision highp int;
precision highp sampler2D;
precision highp sampler2DArray;
#endif
// cdf53/nonsep-lifting/optimized, forward, pass 2 of 2
// S^V_U0(1) S^H_U0(1) S^V_U1(1) S^H_U1(1)
// 9 operations, 4 fetches
uniform sampler2D source;
uniform ivec2 offset;
layout(location = 0) out vec4 result;

void main()
{
    ivec2 p = ivec2(gl_FragCoord.xy) + offset;
    vec4 q_m1_m1 = texelFetch(source, p + ivec2(-1, -1), 0);
    vec4 q_0_m1 = texelFetch(source, p + ivec2(0, -1), 0);
    vec4 q_m1_0 = texelFetch(source, p + ivec2(-1, 0), 0);
    vec4 q_0_0 = texelFetch(source, p, 0);
    vec4 q;
    q.r = 0.0625 * q_m1_m1.a // row r, tap zm zn
        + 0.25 * q_0_m1.b // row r, tap zn
        + 0.25 * q_m1_0.g // row r, tap zm
        + q_0_0.r; // row r, tap 1
    q.g = 0.25 * q_0_m1.a // row g, tap zn
        + q_0_0.g; // row g, tap 1
    q.b = 0.25 * q_m1_0.a // row b, tap zm
        + q_0_0.b; // row b, tap 1
    q.a = q_0_0.a; // row a, tap 1
    // S^H_U0(1)
    q.r += 0.25 * q.g;
    q.b += 0.25 * q.a;
    // S^V_U0(1)
    q.r += 0.25 * q.b;
    q.g += 0.25 * q.a;
    result = q;
}
