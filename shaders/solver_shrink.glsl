// Shrinks coefficients q = W u where they lie: with p = q + c and f = t / max(|p|, t) c becomes
// f p, and q (1 - 2 f) p, of descent the old c - 2 f p. Where c is an image (KEEPS_IMAGE) q becomes
// (1 - f) q. Floats between bands go through it, too, and mean nothing.
layout(local_size_x = 256) in;
layout(std430, binding = 0) buffer Planes { float plane[]; };
layout(std430, binding = 1) buffer Bregman { vec2 c[]; };
uniform int count;
uniform ivec4 place; // the first coefficient of plane 0; w: floats of a plane
uniform bool descent;
uniform float threshold;

void main()
{
    int i = int(gl_WorkGroupID.y * gl_NumWorkGroups.x + gl_WorkGroupID.x) * 256 +
            int(gl_LocalInvocationID.x);
    if (i >= count)
        return;
    int k = place.x + i;
    vec2 p = vec2(plane[k], plane[k + place.w]);
#ifdef KEEPS_IMAGE
    vec2 kept = p - threshold / max(length(p), threshold) * p;
#else
    vec2 old = c[i];
    p += old;
    vec2 left = threshold / max(length(p), threshold) * p;
    vec2 kept = (descent ? old : p) - 2.0 * left;
    c[i] = left;
#endif
    plane[k] = kept.x;
    plane[k + place.w] = kept.y;
}
