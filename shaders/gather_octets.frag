// Computes the octets of the next level: 2x2x2 samples of the low band of the level above. Along
// axes that the level above transformed these are the even samples of octets, along other axes all.
// Follows octets.glsl.
layout(location = 0) out vec4 result[2];

float sample_at(ivec3 i)
{
    ivec3 p = extend3(i);
    ivec3 bit = (1 - split) * (p & 1);
    return any(lessThan(p, ivec3(0))) ? 0.0 : fetch(p >> (1 - split), bit);
}

vec4 quad_at(ivec3 p)
{
    return vec4(sample_at(p), sample_at(p + ivec3(1, 0, 0)), sample_at(p + ivec3(0, 1, 0)),
                sample_at(p + ivec3(1, 1, 0)));
}

void main()
{
    ivec3 p = 2 * (ivec3(ivec2(gl_FragCoord.xy), drawn.x) + offset);
    result[0] = quad_at(p);
    result[1] = quad_at(p + ivec3(0, 0, 1));
}
