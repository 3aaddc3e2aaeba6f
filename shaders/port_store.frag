// Samples or coefficients of a store port, in the channels of a texture that are drawn on;
// wp_port_store() brings them to memory. Fragments that none of them belongs to stay.
#ifdef LAYERS
uniform sampler2DArray source;
uniform int layer;
#else
uniform sampler2D source;
#endif
uniform ivec2 place;    // texel of quad (0, 0)
uniform ivec4 band[4];  // as in port_load.frag; 0: the component is not stored
uniform ivec2 count[4]; // its samples along both axes
layout(location = 0) out vec4 result;

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
        result = vec4(texelFetch(source, ivec3(place + index, layer), 0)[c]);
#else
        result = vec4(texelFetch(source, place + index, 0)[c]);
#endif
        return;
    }
    discard;
}
