// Shrinks coefficients q = W u in place: with p = q + c and f = t / max(|p|, t), c becomes f p, and
// q becomes (1 - 2 f) p, for descent the old c - 2 f p. C_IS_IMAGE: c is an image, and q becomes
// (1 - f) q. Floats between bands are also processed and have no meaning.
layout(local_size_x = 256) in;
layout(std430, binding = 0) buffer Planes { float plane[]; };
layout(std430, binding = 1) buffer Bregman { vec2 c[]; };
uniform int count;
uniform ivec4 plane_layout; // the first coefficient of plane 0; w: floats per plane
uniform bool descent;
uniform float threshold;

void main()
{
    int i = int(gl_WorkGroupID.y * gl_NumWorkGroups.x + gl_WorkGroupID.x) * 256 +
            int(gl_LocalInvocationID.x);
    if (i >= count)
        return;
    int k = plane_layout.x + i;
    vec2 p = vec2(plane[k], plane[k + plane_layout.w]);
#ifdef C_IS_IMAGE
    vec2 shrunk = p - threshold / max(length(p), threshold) * p;
#else
    vec2 old = c[i];
    p += old;
    vec2 left = threshold / max(length(p), threshold) * p;
    vec2 shrunk = (descent ? old : p) - 2.0 * left;
    c[i] = left;
#endif
    plane[k] = shrunk.x;
    plane[k + plane_layout.w] = shrunk.y;
}
