// Samples or coefficients of a store port, in the channels of a texture that are drawn on;
// wp_transfer_store() brings them to memory. Fragments that none of them belongs to stay. Stands
// behind stored() where HALVES are wanted.
#ifdef LAYERS
uniform sampler2DArray source;
uniform int layer;
#else
uniform sampler2D source;
#endif
uniform ivec2 place;    // texel of quad (0, 0)
uniform ivec4 band[4];  // as in transfer_load.frag; 0: the component is not stored
uniform ivec2 count[4]; // its samples along both axes
uniform vec2 scale;     // of a target of integers: what is 1, and the largest
layout(location = 0) out vec4 result;

// What a target keeps as it is. As to_integer() and to_f16() of src/transform/element_rows.h, of
// which the latter explains numbers below 2^-14.
float kept(float value)
{
#ifdef INTEGERS
    bool no_number = (floatBitsToUint(value) & 0x7fffffffu) > 0x7f800000u;
    float scaled = no_number ? 0.0 : value * scale.x;
    return floor(clamp(scaled, 0.0, scale.y) + 0.5) / scale.y; // which OpenGL rounds to that number
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
        result = vec4(kept(texelFetch(source, ivec3(place + index, layer), 0)[c]));
#else
        result = vec4(kept(texelFetch(source, place + index, 0)[c]));
#endif
        return;
    }
    discard;
}
