// Copies the reconstruction of the level above to the low components of this level's octets: along
// transformed axes the even ones, along other axes all. Other components of the results are not
// written. Follows octets.glsl.
layout(location = 0) out vec4 result[2];

float low_at(ivec3 i)
{
    ivec3 p = extend3(i);
    ivec3 low = p >> split;
    return any(lessThan(p, ivec3(0))) ? 0.0 : fetch(low >> 1, low & 1);
}

vec4 quad_at(ivec3 p)
{
    return vec4(low_at(p), low_at(p + ivec3(1, 0, 0)), low_at(p + ivec3(0, 1, 0)),
                low_at(p + ivec3(1, 1, 0)));
}

void main()
{
    ivec3 p = 2 * (ivec3(ivec2(gl_FragCoord.xy), drawn.x) + offset);
    result[0] = quad_at(p);
    result[1] = quad_at(p + ivec3(0, 0, 1));
}
