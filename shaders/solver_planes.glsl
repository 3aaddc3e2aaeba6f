// Copies between complex images and the wavelet's planes, which are real parts and imaginary parts,
// padded with zeros to the size that the wavelet requires. The planes begin at sample `shift` of
// the image, which wraps around. SCATTER: from planes to the image. C_IS_IMAGE: c, the Bregman
// variable, is an image and not coefficients.
layout(local_size_x = 32, local_size_y = 4) in;
layout(std430, binding = 0) buffer Planes { float plane[]; };
layout(std430, binding = 1) readonly buffer Image { vec2 u[]; };
layout(std430, binding = 2) buffer Bregman { vec2 c[]; };
layout(std430, binding = 3) writeonly buffer Result { vec2 result[]; };
uniform ivec3 size, padded, shift;
uniform ivec4 plane_layout; // of plane 0: first float, strides along y and z; floats per plane
uniform bool image_only; // u without c
uniform bool descent;
uniform float scale;

void main()
{
    ivec3 at = ivec3(gl_GlobalInvocationID);
    if (any(greaterThanEqual(at, padded)))
        return;
    bool inside = all(lessThan(at, size));
    ivec3 from = at + shift;
    from -= ivec3(greaterThanEqual(from, size)) * size;
    int i = (from.z * size.y + from.y) * size.x + from.x;
    int k = plane_layout.x + at.x + at.y * plane_layout.y + at.z * plane_layout.z;
#ifdef SCATTER
    if (!inside)
        return;
    vec2 value = vec2(plane[k], plane[k + plane_layout.w]);
#ifdef C_IS_IMAGE
    vec2 left = c[i] + u[i] - value;
    c[i] = left;
    value -= descent ? left + u[i] : left;
#endif
    result[i] = scale * value;
#else
    vec2 value = inside ? u[i] : vec2(0.0);
#ifdef C_IS_IMAGE
    if (inside && !image_only)
        value += c[i];
#endif
    plane[k] = value.x;
    plane[k + plane_layout.w] = value.y;
#endif
}
