#version 330 core
#ifdef GL_ES
precision highp float;
precision highp int;
precision highp sampler2D;
precision highp sampler2DArray;
#endif
// cdf53/planar-lifting/optimized, forward, pass 1 of 4
// T^V_P0(1) T^H_P0(1) T^V_P1(1) T^H_P1(1)
// 18 operations, 4 fetches
uniform sampler2DArray source_even;
uniform sampler2DArray source_odd;
uniform ivec3 offset;
flat in ivec2 drawn;
layout(location = 0) out vec4 result[2];

void main()
{
    ivec3 p = ivec3(ivec2(gl_FragCoord.xy), drawn.x) + offset;
    vec4 even_0_0_0 = texelFetch(source_even, p, 0);
    vec4 odd_0_0_0 = texelFetch(source_odd, p, 0);
    vec4 even_1_0_0 = texelFetch(source_even, p + ivec3(1, 0, 0), 0);
    vec4 odd_1_0_0 = texelFetch(source_odd, p + ivec3(1, 0, 0), 0);
    vec4 even_0_1_0 = texelFetch(source_even, p + ivec3(0, 1, 0), 0);
    vec4 odd_0_1_0 = texelFetch(source_odd, p + ivec3(0, 1, 0), 0);
    vec4 even_1_1_0 = texelFetch(source_even, p + ivec3(1, 1, 0), 0);
    vec4 odd_1_1_0 = texelFetch(source_odd, p + ivec3(1, 1, 0), 0);
    vec4 even;
    vec4 odd;
    even.r = even_0_0_0.r; // row even.r, tap 1
    even.g = even_0_0_0.g // row even.g, tap 1
        - 0.5 * even_1_0_0.r; // row even.g, tap zm^-1
    even.b = even_0_0_0.b // row even.b, tap 1
        - 0.5 * even_0_1_0.r; // row even.b, tap zn^-1
    even.a = even_0_0_0.a // row even.a, tap 1
        - 0.5 * even_1_0_0.b // row even.a, tap zm^-1
        - 0.5 * even_0_1_0.g // row even.a, tap zn^-1
        + 0.25 * even_1_1_0.r; // row even.a, tap zm^-1 zn^-1
    odd.r = odd_0_0_0.r; // row odd.r, tap 1
    odd.g = odd_0_0_0.g // row odd.g, tap 1
        - 0.5 * odd_1_0_0.r; // row odd.g, tap zm^-1
    odd.b = odd_0_0_0.b // row odd.b, tap 1
        - 0.5 * odd_0_1_0.r; // row odd.b, tap zn^-1
    odd.a = odd_0_0_0.a // row odd.a, tap 1
        - 0.5 * odd_1_0_0.b // row odd.a, tap zm^-1
        - 0.5 * odd_0_1_0.g // row odd.a, tap zn^-1
        + 0.25 * odd_1_1_0.r; // row odd.a, tap zm^-1 zn^-1
    // T^H_P0(1)
    even.g -= 0.5 * even.r;
    even.a -= 0.5 * even.b;
    odd.g -= 0.5 * odd.r;
    odd.a -= 0.5 * odd.b;
    // T^V_P0(1)
    even.b -= 0.5 * even.r;
    even.a -= 0.5 * even.g;
    odd.b -= 0.5 * odd.r;
    odd.a -= 0.5 * odd.g;
    result[0] = even;
    result[1] = odd;
}
#version 330 core
#ifdef GL_ES
precision highp float;
precision highp int;
precision highp sampler2D;
precision highp sampler2DArray;
#endif
// cdf53/planar-lifting/optimized, forward, pass 2 of 4
// T^D_P0(1) T^D_P1(1)
// 8 operations, 2 fetches
uniform sampler2DArray source_even;
uniform sampler2DArray source_odd;
uniform ivec3 offset;
flat in ivec2 drawn;
layout(location = 0) out vec4 result[2];

void main()
{
    ivec3 p = ivec3(ivec2(gl_FragCoord.xy), drawn.x) + offset;
    vec4 even_0_0_0 = texelFetch(source_even, p, 0);
    vec4 odd_0_0_0 = texelFetch(source_odd, p, 0);
    vec4 even_0_0_1 = texelFetch(source_even, p + ivec3(0, 0, 1), 0);
    vec4 even;
    vec4 odd;
    even.r = even_0_0_0.r; // row even.r, tap 1
    even.g = even_0_0_0.g; // row even.g, tap 1
    even.b = even_0_0_0.b; // row even.b, tap 1
    even.a = even_0_0_0.a; // row even.a, tap 1
    odd.r = odd_0_0_0.r // row odd.r, tap 1
        - 0.5 * even_0_0_1.r; // row odd.r, tap zo^-1
    odd.g = odd_0_0_0.g // row odd.g, tap 1
        - 0.5 * even_0_0_1.g; // row odd.g, tap zo^-1
    odd.b = odd_0_0_0.b // row odd.b, tap 1
        - 0.5 * even_0_0_1.b; // row odd.b, tap zo^-1
    odd.a = odd_0_0_0.a // row odd.a, tap 1
        - 0.5 * even_0_0_1.a; // row odd.a, tap zo^-1
    // T^D_P0(1)
    odd.r -= 0.5 * even.r;
    odd.g -= 0.5 * even.g;
    odd.b -= 0.5 * even.b;
    odd.a -= 0.5 * even.a;
    result[0] = even;
    result[1] = odd;
}
#version 330 core
#ifdef GL_ES
precision highp float;
precision highp int;
precision highp sampler2D;
precision highp sampler2DArray;
#endif
// cdf53/planar-lifting/optimized, forward, pass 3 of 4
// S^V_U0(1) S^H_U0(1) S^V_U1(1) S^H_U1(1)
// 18 operations, 4 fetches
uniform sampler2DArray source_even;
uniform sampler2DArray source_odd;
uniform ivec3 offset;
flat in ivec2 drawn;
layout(location = 0) out vec4 result[2];

void main()
{
    ivec3 p = ivec3(ivec2(gl_FragCoord.xy), drawn.x) + offset;
    vec4 even_m1_m1_0 = texelFetch(source_even, p + ivec3(-1, -1, 0), 0);
    vec4 odd_m1_m1_0 = texelFetch(source_odd, p + ivec3(-1, -1, 0), 0);
    vec4 even_0_m1_0 = texelFetch(source_even, p + ivec3(0, -1, 0), 0);
    vec4 odd_0_m1_0 = texelFetch(source_odd, p + ivec3(0, -1, 0), 0);
    vec4 even_m1_0_0 = texelFetch(source_even, p + ivec3(-1, 0, 0), 0);
    vec4 odd_m1_0_0 = texelFetch(source_odd, p + ivec3(-1, 0, 0), 0);
    vec4 even_0_0_0 = texelFetch(source_even, p, 0);
    vec4 odd_0_0_0 = texelFetch(source_odd, p, 0);
    vec4 even;
    vec4 odd;
    even.r = 0.0625 * even_m1_m1_0.a // row even.r, tap zm zn
        + 0.25 * even_0_m1_0.b // row even.r, tap zn
        + 0.25 * even_m1_0_0.g // row even.r, tap zm
        + even_0_0_0.r; // row even.r, tap 1
    even.g = 0.25 * even_0_m1_0.a // row even.g, tap zn
        + even_0_0_0.g; // row even.g, tap 1
    even.b = 0.25 * even_m1_0_0.a // row even.b, tap zm
        + even_0_0_0.b; // row even.b, tap 1
    even.a = even_0_0_0.a; // row even.a, tap 1
    odd.r = 0.0625 * odd_m1_m1_0.a // row odd.r, tap zm zn
        + 0.25 * odd_0_m1_0.b // row odd.r, tap zn
        + 0.25 * odd_m1_0_0.g // row odd.r, tap zm
        + odd_0_0_0.r; // row odd.r, tap 1
    odd.g = 0.25 * odd_0_m1_0.a // row odd.g, tap zn
        + odd_0_0_0.g; // row odd.g, tap 1
    odd.b = 0.25 * odd_m1_0_0.a // row odd.b, tap zm
        + odd_0_0_0.b; // row odd.b, tap 1
    odd.a = odd_0_0_0.a; // row odd.a, tap 1
    // S^H_U0(1)
    even.r += 0.25 * even.g;
    even.b += 0.25 * even.a;
    odd.r += 0.25 * odd.g;
    odd.b += 0.25 * odd.a;
    // S^V_U0(1)
    even.r += 0.25 * even.b;
    even.g += 0.25 * even.a;
    odd.r += 0.25 * odd.b;
    odd.g += 0.25 * odd.a;
    result[0] = even;
    result[1] = odd;
}
#version 330 core
#ifdef GL_ES
precision highp float;
precision highp int;
precision highp sampler2D;
precision highp sampler2DArray;
#endif
// cdf53/planar-lifting/optimized, forward, pass 4 of 4
// S^D_U0(1) S^D_U1(1)
// 8 operations, 2 fetches
uniform sampler2DArray source_even;
uniform sampler2DArray source_odd;
uniform ivec3 offset;
flat in ivec2 drawn;
layout(location = 0) out vec4 result[2];

void main()
{
    ivec3 p = ivec3(ivec2(gl_FragCoord.xy), drawn.x) + offset;
    vec4 odd_0_0_m1 = texelFetch(source_odd, p + ivec3(0, 0, -1), 0);
    vec4 even_0_0_0 = texelFetch(source_even, p, 0);
    vec4 odd_0_0_0 = texelFetch(source_odd, p, 0);
    vec4 even;
    vec4 odd;
    even.r = 0.25 * odd_0_0_m1.r // row even.r, tap zo
        + even_0_0_0.r; // row even.r, tap 1
    even.g = 0.25 * odd_0_0_m1.g // row even.g, tap zo
        + even_0_0_0.g; // row even.g, tap 1
    even.b = 0.25 * odd_0_0_m1.b // row even.b, tap zo
        + even_0_0_0.b; // row even.b, tap 1
    even.a = 0.25 * odd_0_0_m1.a // row even.a, tap zo
        + even_0_0_0.a; // row even.a, tap 1
    odd.r = odd_0_0_0.r; // row odd.r, tap 1
    odd.g = odd_0_0_0.g; // row odd.g, tap 1
    odd.b = odd_0_0_0.b; // row odd.b, tap 1
    odd.a = odd_0_0_0.a; // row odd.a, tap 1
    // S^D_U0(1)
    even.r += 0.25 * odd.r;
    even.g += 0.25 * odd.g;
    even.b += 0.25 * odd.b;
    even.a += 0.25 * odd.a;
    result[0] = even;
    result[1] = odd;
}
