#version 330 core
#ifdef GL_ES
precision highp float;
precision highp int;
precision highp sampler2D;
precision highp sampler2DArray;
#endif
// cdf97/sep-convolution/optimized, forward, pass 1 of 2
// T^V_P0(1) S^H_U0(2) S^H_U1(2) T^H_P(2) S^H_U(1) T^H_P(1)
// 32 operations, 5 fetches
uniform sampler2D source;
uniform ivec2 offset;
layout(location = 0) out vec4 result;

void main()
{
    ivec2 p = ivec2(gl_FragCoord.xy) + offset;
    vec4 q_m2_0 = texelFetch(source, p + ivec2(-2, 0), 0);
    vec4 q_m1_0 = texelFetch(source, p + ivec2(-1, 0), 0);
    vec4 q_0_0 = texelFetch(source, p, 0);
    vec4 q_1_0 = texelFetch(source, p + ivec2(1, 0), 0);
    vec4 q_2_0 = texelFetch(source, p + ivec2(2, 0), 0);
    vec4 q;
    q.r = 0.0329056287 * q_m2_0.r - 0.0207458018 * q_m2_0.g // row r, tap zm^2
        - 0.129133866 * q_m1_0.r + 0.34903513 * q_m1_0.g // row r, tap zm
        + 0.95489972 * q_0_0.r - 0.0737259204 * q_0_0.g // row r, tap 1
        + 0.116939214 * q_1_0.r; // row r, tap zm^-1
    q.g = 0.0741941834 * q_m1_0.r - 0.0467767335 * q_m1_0.g // row g, tap zm
        - 0.480640716 * q_0_0.r + 0.906446533 * q_0_0.g // row g, tap 1
        - 0.480640716 * q_1_0.r - 0.0467767335 * q_1_0.g // row g, tap zm^-1
        + 0.0741941834 * q_2_0.r; // row g, tap zm^-2
    q.b = 0.0329056287 * q_m2_0.b - 0.0207458018 * q_m2_0.a // row b, tap zm^2
        - 0.129133866 * q_m1_0.b + 0.34903513 * q_m1_0.a // row b, tap zm
        + 0.95489972 * q_0_0.b - 0.0737259204 * q_0_0.a // row b, tap 1
        + 0.116939214 * q_1_0.b; // row b, tap zm^-1
    q.a = 0.0741941834 * q_m1_0.b - 0.0467767335 * q_m1_0.a // row a, tap zm
        - 0.480640716 * q_0_0.b + 0.906446533 * q_0_0.a // row a, tap 1
        - 0.480640716 * q_1_0.b - 0.0467767335 * q_1_0.a // row a, tap zm^-1
        + 0.0741941834 * q_2_0.b; // row a, tap zm^-2
    // S^H_U0(2)
    q.r += 0.443506852 * q.g;
    q.b += 0.443506852 * q.a;
    // T^V_P0(1)
    q.b -= 1.58613434 * q.r;
    q.a -= 1.58613434 * q.g;
    result = q;
}
#version 330 core
#ifdef GL_ES
precision highp float;
precision highp int;
precision highp sampler2D;
precision highp sampler2DArray;
#endif
// cdf97/sep-convolution/optimized, forward, pass 2 of 2
// S^V_U0(2) S^V_U1(2) T^V_P(2) S^V_U(1) T^V_P1(1)
// 26 operations, 5 fetches
uniform sampler2D source;
uniform ivec2 offset;
layout(location = 0) out vec4 result;

void main()
{
    ivec2 p = ivec2(gl_FragCoord.xy) + offset;
    vec4 q_0_m2 = texelFetch(source, p + ivec2(0, -2), 0);
    vec4 q_0_m1 = texelFetch(source, p + ivec2(0, -1), 0);
    vec4 q_0_0 = texelFetch(source, p, 0);
    vec4 q_0_1 = texelFetch(source, p + ivec2(0, 1), 0);
    vec4 q_0_2 = texelFetch(source, p + ivec2(0, 2), 0);
    vec4 q;
    q.r = -0.0207458018 * q_0_m2.b // row r, tap zn^2
        + 0.42448274 * q_0_m1.r + 0.34903513 * q_0_m1.b // row r, tap zn
        + 0.837960506 * q_0_0.r - 0.0737259204 * q_0_0.b // row r, tap 1
        + 0.116939214 * q_0_1.r; // row r, tap zn^-1
    q.g = -0.0207458018 * q_0_m2.a // row g, tap zn^2
        + 0.42448274 * q_0_m1.g + 0.34903513 * q_0_m1.a // row g, tap zn
        + 0.837960506 * q_0_0.g - 0.0737259204 * q_0_0.a // row g, tap 1
        + 0.116939214 * q_0_1.g; // row g, tap zn^-1
    q.b = -0.0467767335 * q_0_m1.b // row b, tap zn
        + 0.957105259 * q_0_0.r + 0.906446533 * q_0_0.b // row b, tap 1
        - 0.5548349 * q_0_1.r - 0.0467767335 * q_0_1.b // row b, tap zn^-1
        + 0.0741941834 * q_0_2.r; // row b, tap zn^-2
    q.a = -0.0467767335 * q_0_m1.a // row a, tap zn
        + 0.957105259 * q_0_0.g + 0.906446533 * q_0_0.a // row a, tap 1
        - 0.5548349 * q_0_1.g - 0.0467767335 * q_0_1.a // row a, tap zn^-1
        + 0.0741941834 * q_0_2.g; // row a, tap zn^-2
    // S^V_U0(2)
    q.r += 0.443506852 * q.b;
    q.g += 0.443506852 * q.a;
    q *= vec4(0.660795137, 1.0, 1.0, 1.51332833);
    result = q;
}
