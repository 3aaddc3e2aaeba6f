#version 330 core
// cdf53/nonsep-lifting/optimized, forward, pass 1 of 2
// T^V_P0(1) T^H_P0(1) T^V_P1(1) T^H_P1(1)
// 9 operations, 4 fetches
#ifdef GL_ES
precision highp float;
precision highp sampler2D;
#endif
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
    q.r = q_0_0.r; // LL
    q.g = q_0_0.g
        - 0.5 * q_1_0.r; // HL
    q.b = q_0_0.b
        - 0.5 * q_0_1.r; // LH
    q.a = q_0_0.a
        - 0.5 * q_1_0.b
        - 0.5 * q_0_1.g
        + 0.25 * q_1_1.r; // HH
    // T^H_P0(1)
    q.g -= 0.5 * q.r;
    q.a -= 0.5 * q.b;
    // T^V_P0(1)
    q.b -= 0.5 * q.r;
    q.a -= 0.5 * q.g;
    result = q;
}
#version 330 core
// cdf53/nonsep-lifting/optimized, forward, pass 2 of 2
// S^V_U0(1) S^H_U0(1) S^V_U1(1) S^H_U1(1)
// 9 operations, 4 fetches
#ifdef GL_ES
precision highp float;
precision highp sampler2D;
#endif
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
    q.r = 0.0625 * q_m1_m1.a
        + 0.25 * q_0_m1.b
        + 0.25 * q_m1_0.g
        + q_0_0.r; // LL
    q.g = 0.25 * q_0_m1.a
        + q_0_0.g; // HL
    q.b = 0.25 * q_m1_0.a
        + q_0_0.b; // LH
    q.a = q_0_0.a; // HH
    // S^H_U0(1)
    q.r += 0.25 * q.g;
    q.b += 0.25 * q.a;
    // S^V_U0(1)
    q.r += 0.25 * q.b;
    q.g += 0.25 * q.a;
    result = q;
}
