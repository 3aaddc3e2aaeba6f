#version 330 core
#ifdef GL_ES
precision highp float;
precision highp int;
precision highp sampler2D;
precision highp sampler2DArray;
#endif
// haar/nonsep-convolution/optimized, forward, pass 1 of 1
// S^V_U0(1) S^H_U0(1) T^V_P0(1) T^H_P0(1)
// 8 operations, 1 fetch
uniform sampler2D source;
uniform ivec2 offset;
layout(location = 0) out vec4 result;

void main()
{
    ivec2 p = ivec2(gl_FragCoord.xy) + offset;
    vec4 q_0_0 = texelFetch(source, p, 0);
    // T^H_P0(1)
    q_0_0.g -= q_0_0.r;
    q_0_0.a -= q_0_0.b;
    // T^V_P0(1)
    q_0_0.b -= q_0_0.r;
    q_0_0.a -= q_0_0.g;
    vec4 q = q_0_0;
    // S^H_U0(1)
    q.r += 0.5 * q.g;
    q.b += 0.5 * q.a;
    // S^V_U0(1)
    q.r += 0.5 * q.b;
    q.g += 0.5 * q.a;
    result = q;
}
