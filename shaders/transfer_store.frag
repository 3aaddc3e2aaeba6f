// Samples or coefficients of a store transfer, to channels of a texture (wp_transfer_store() copies
// them to memory). Fragments without a sample are discarded. With HALVES follows stored().
#ifdef LAYERS
uniform sampler2DArray source;
uniform int layer;
#else
uniform sampler2D source;
#endif
uniform ivec2 origin;   // texel of quad (0, 0)
uniform ivec4 band[4];  // see transfer_load.frag; 0: the component is not stored
uniform ivec2 count[4]; // samples of the component along both axes
uniform vec2 scale;     // of a target of integers: the number for 1, and the largest one
layout(location = 0) out vec4 result;

// Rounds to a value that the target represents exactly. Equivalent to to_integer() and to_f16() of
// src/transform/element_rows.h; the latter explains numbers below 2^-14.
float representable(float value)
{
#ifdef INTEGERS
    bool no_number = (floatBitsToUint(value) & 0x7fffffffu) > 0x7f800000u;
    float scaled = no_number ? 0.0 : value * scale.x;
    return floor(clamp(scaled, 0.0, scale.y) + 0.5) / scale.y; // OpenGL rounds it to that integer
#else
#ifdef HALVES
    if (abs(value) >= 65520.0)
        return uintBitsToFloat((floatBitsToUint(value) & 0x80000000u) | 0x7f800000u);
    if (abs(value) >= 0.00006103515625)
        return stored(vec4(value)).x;
    float size = roundEven(abs(value) * 16777216.0) / 16777216.0;
    return uintBitsToFloat((floatBitsToUint(value) & 0x80000000u) | floatBitsToUint(size));
#else
    return value;
#endif
#endif
}

void main()
{
    for (int c = 0; c < 4; c++) {
        ivec2 from_first = ivec2(gl_FragCoord.xy) - band[c].xy;
        ivec2 index = from_first / max(band[c].z, 1);
        if (band[c].z == 0 || any(lessThan(from_first, ivec2(0))) ||
            any(notEqual(index * band[c].z, from_first)) ||
            any(greaterThanEqual(index, count[c])))
            continue;
#ifdef LAYERS
        result = vec4(representable(texelFetch(source, ivec3(origin + index, layer), 0)[c]));
#else
        result = vec4(representable(texelFetch(source, origin + index, 0)[c]));
#endif
        return;
    }
    discard;
}
