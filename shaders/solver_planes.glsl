// Between complex images and the wavelet's planes, real parts and imaginary ones, which are larger
// where the wavelet wants it; what lies beyond the image is 0. The wavelet sees the image from
// `shift` on, around its end. SCATTER is defined on the way back, KEEPS_IMAGE where c, the Bregman
// variable, is an image and not coefficients.
layout(local_size_x = 32, local_size_y = 4) in;
layout(std430, binding = 0) buffer Planes { float plane[]; };
layout(std430, binding = 1) readonly buffer Image { vec2 u[]; };
layout(std430, binding = 2) buffer Bregman { vec2 c[]; };
layout(std430, binding = 3) writeonly buffer Result { vec2 result[]; };
uniform ivec3 size, padded, shift;
uniform ivec4 place;     // of plane 0: its first float, steps along y and z; floats of a plane
uniform bool image_alone; // u without c
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
    int k = place.x + at.x + at.y * place.y + at.z * place.z;
#ifdef SCATTER
    if (!inside)
        return;
    vec2 value = vec2(plane[k], plane[k + place.w]);
#ifdef KEEPS_IMAGE
    vec2 left = c[i] + u[i] - value;
    c[i] = left;
    value -= descent ? left + u[i] : left;
#endif
    result[i] = scale * value;
#else
    vec2 value = inside ? u[i] : vec2(0.0);
#ifdef KEEPS_IMAGE
    if (inside && !image_alone)
        value += c[i];
#endif
    plane[k] = value.x;
    plane[k + place.w] = value.y;
#endif
}
