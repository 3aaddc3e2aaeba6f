#version 330 core
#ifdef GL_ES
precision highp float;
precision highp int;
precision highp sampler2D;
precision highp sampler2DArray;
#endif
// haar/nonsep-convolution/optimized, inverse, pass 1 of 1
// S^V_U0(1) S^H_U0(1) T^V_P0(1) T^H_P0(1)
// 8 operations, 1 fetch
uniform sampler2D source;
uniform ivec2 offset;
layout(location = 0) out vec4 result;

void main()
{
    ivec2 p = ivec2(gl_FragCoord.xy) + offset;
    vec4 q_0_0 = texelFetch(source, p, 0);
    q_0_0 *= vec4(0.5, 1.0, 1.0, 2.0);
    // T^H_P0(1)
    q_0_0.b -= 0.5 * q_0_0.a;
    q_0_0.r -= 0.5 * q_0_0.g;
    // T^V_P0(1)
    q_0_0.g -= 0.5 * q_0_0.a;
    q_0_0.r -= 0.5 * q_0_0.b;
    vec4 q = q_0_0;
    // S^H_U0(1)
    q.a += q.b;
    q.g += q.r;
    // S^V_U0(1)
    q.a += q.g;
    q.b += q.r;
    result = q;
}
