#version 330 core
#ifdef GL_ES
precision highp float;
precision highp int;
precision highp sampler2D;
precision highp sampler2DArray;
#endif
// cdf97/sep-lifting/plain, inverse, pass 1 of 8
// T^H_P(1)
// 4 operations, 2 fetches
uniform sampler2D source;
uniform ivec2 offset;
layout(location = 0) out vec4 result;

void main()
{
    ivec2 p = ivec2(gl_FragCoord.xy) + offset;
    vec4 q_m1_0 = texelFetch(source, p + ivec2(-1, 0), 0);
    vec4 q_0_0 = texelFetch(source, p, 0);
    vec4 q;
    q.r = -0.443506852 * q_m1_0.g // row r, tap zm
        + 0.756664164 * q_0_0.r - 0.443506852 * q_0_0.g; // row r, tap 1
    q.g = q_0_0.g; // row g, tap 1
    q.b = -0.586134342 * q_m1_0.a // row b, tap zm
        + q_0_0.b - 0.586134342 * q_0_0.a; // row b, tap 1
    q.a = 1.32159027 * q_0_0.a; // row a, tap 1
    result = q;
}
#version 330 core
#ifdef GL_ES
precision highp float;
precision highp int;
precision highp sampler2D;
precision highp sampler2DArray;
#endif
// cdf97/sep-lifting/plain, inverse, pass 2 of 8
// T^V_P(1)
// 4 operations, 2 fetches
uniform sampler2D source;
uniform ivec2 offset;
layout(location = 0) out vec4 result;

void main()
{
    ivec2 p = ivec2(gl_FragCoord.xy) + offset;
    vec4 q_0_m1 = texelFetch(source, p + ivec2(0, -1), 0);
    vec4 q_0_0 = texelFetch(source, p, 0);
    vec4 q;
    q.r = -0.443506852 * q_0_m1.b // row r, tap zn
        + q_0_0.r - 0.443506852 * q_0_0.b; // row r, tap 1
    q.g = -0.443506852 * q_0_m1.a // row g, tap zn
        + q_0_0.g - 0.443506852 * q_0_0.a; // row g, tap 1
    q.b = q_0_0.b; // row b, tap 1
    q.a = q_0_0.a; // row a, tap 1
    result = q;
}
#version 330 core
#ifdef GL_ES
precision highp float;
precision highp int;
precision highp sampler2D;
precision highp sampler2DArray;
#endif
// cdf97/sep-lifting/plain, inverse, pass 3 of 8
// S^H_U(1)
// 4 operations, 2 fetches
uniform sampler2D source;
uniform ivec2 offset;
layout(location = 0) out vec4 result;

void main()
{
    ivec2 p = ivec2(gl_FragCoord.xy) + offset;
    vec4 q_0_0 = texelFetch(source, p, 0);
    vec4 q_1_0 = texelFetch(source, p + ivec2(1, 0), 0);
    vec4 q;
    q.r = q_0_0.r; // row r, tap 1
    q.g = -0.882911076 * q_0_0.r + q_0_0.g // row g, tap 1
        - 0.882911076 * q_1_0.r; // row g, tap zm^-1
    q.b = q_0_0.b; // row b, tap 1
    q.a = -0.882911076 * q_0_0.b + q_0_0.a // row a, tap 1
        - 0.882911076 * q_1_0.b; // row a, tap zm^-1
    result = q;
}
#version 330 core
#ifdef GL_ES
precision highp float;
precision highp int;
precision highp sampler2D;
precision highp sampler2DArray;
#endif
// cdf97/sep-lifting/plain, inverse, pass 4 of 8
// S^V_U(1)
// 4 operations, 2 fetches
uniform sampler2D source;
uniform ivec2 offset;
layout(location = 0) out vec4 result;

void main()
{
    ivec2 p = ivec2(gl_FragCoord.xy) + offset;
    vec4 q_0_0 = texelFetch(source, p, 0);
    vec4 q_0_1 = texelFetch(source, p + ivec2(0, 1), 0);
    vec4 q;
    q.r = q_0_0.r; // row r, tap 1
    q.g = q_0_0.g; // row g, tap 1
    q.b = -0.882911076 * q_0_0.r + q_0_0.b // row b, tap 1
        - 0.882911076 * q_0_1.r; // row b, tap zn^-1
    q.a = -0.882911076 * q_0_0.g + q_0_0.a // row a, tap 1
        - 0.882911076 * q_0_1.g; // row a, tap zn^-1
    result = q;
}
#version 330 core
#ifdef GL_ES
precision highp float;
precision highp int;
precision highp sampler2D;
precision highp sampler2DArray;
#endif
// cdf97/sep-lifting/plain, inverse, pass 5 of 8
// T^H_P(2)
// 4 operations, 2 fetches
uniform sampler2D source;
uniform ivec2 offset;
layout(location = 0) out vec4 result;

void main()
{
    ivec2 p = ivec2(gl_FragCoord.xy) + offset;
    vec4 q_m1_0 = texelFetch(source, p + ivec2(-1, 0), 0);
    vec4 q_0_0 = texelFetch(source, p, 0);
    vec4 q;
    q.r = 0.0529801186 * q_m1_0.g // row r, tap zm
        + q_0_0.r + 0.0529801186 * q_0_0.g; // row r, tap 1
    q.g = q_0_0.g; // row g, tap 1
    q.b = 0.0529801186 * q_m1_0.a // row b, tap zm
        + q_0_0.b + 0.0529801186 * q_0_0.a; // row b, tap 1
    q.a = q_0_0.a; // row a, tap 1
    result = q;
}
#version 330 core
#ifdef GL_ES
precision highp float;
precision highp int;
precision highp sampler2D;
precision highp sampler2DArray;
#endif
// cdf97/sep-lifting/plain, inverse, pass 6 of 8
// T^V_P(2)
// 4 operations, 2 fetches
uniform sampler2D source;
uniform ivec2 offset;
layout(location = 0) out vec4 result;

void main()
{
    ivec2 p = ivec2(gl_FragCoord.xy) + offset;
    vec4 q_0_m1 = texelFetch(source, p + ivec2(0, -1), 0);
    vec4 q_0_0 = texelFetch(source, p, 0);
    vec4 q;
    q.r = 0.0529801186 * q_0_m1.b // row r, tap zn
        + q_0_0.r + 0.0529801186 * q_0_0.b; // row r, tap 1
    q.g = 0.0529801186 * q_0_m1.a // row g, tap zn
        + q_0_0.g + 0.0529801186 * q_0_0.a; // row g, tap 1
    q.b = q_0_0.b; // row b, tap 1
    q.a = q_0_0.a; // row a, tap 1
    result = q;
}
#version 330 core
#ifdef GL_ES
precision highp float;
precision highp int;
precision highp sampler2D;
precision highp sampler2DArray;
#endif
// cdf97/sep-lifting/plain, inverse, pass 7 of 8
// S^H_U(2)
// 4 operations, 2 fetches
uniform sampler2D source;
uniform ivec2 offset;
layout(location = 0) out vec4 result;

void main()
{
    ivec2 p = ivec2(gl_FragCoord.xy) + offset;
    vec4 q_0_0 = texelFetch(source, p, 0);
    vec4 q_1_0 = texelFetch(source, p + ivec2(1, 0), 0);
    vec4 q;
    q.r = q_0_0.r; // row r, tap 1
    q.g = 1.58613434 * q_0_0.r + q_0_0.g // row g, tap 1
        + 1.58613434 * q_1_0.r; // row g, tap zm^-1
    q.b = q_0_0.b; // row b, tap 1
    q.a = 1.58613434 * q_0_0.b + q_0_0.a // row a, tap 1
        + 1.58613434 * q_1_0.b; // row a, tap zm^-1
    result = q;
}
#version 330 core
#ifdef GL_ES
precision highp float;
precision highp int;
precision highp sampler2D;
precision highp sampler2DArray;
#endif
// cdf97/sep-lifting/plain, inverse, pass 8 of 8
// S^V_U(2)
// 4 operations, 2 fetches
uniform sampler2D source;
uniform ivec2 offset;
layout(location = 0) out vec4 result;

void main()
{
    ivec2 p = ivec2(gl_FragCoord.xy) + offset;
    vec4 q_0_0 = texelFetch(source, p, 0);
    vec4 q_0_1 = texelFetch(source, p + ivec2(0, 1), 0);
    vec4 q;
    q.r = q_0_0.r; // row r, tap 1
    q.g = q_0_0.g; // row g, tap 1
    q.b = 1.58613434 * q_0_0.r + q_0_0.b // row b, tap 1
        + 1.58613434 * q_0_1.r; // row b, tap zn^-1
    q.a = 1.58613434 * q_0_0.g + q_0_0.a // row a, tap 1
        + 1.58613434 * q_0_1.g; // row a, tap zn^-1
    result = q;
}
