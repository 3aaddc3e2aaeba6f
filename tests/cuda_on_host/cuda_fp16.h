// Replaces CUDA's header: half conversions by the library's element functions.
#ifndef CUDA_FP16_ON_HOST_H
#define CUDA_FP16_ON_HOST_H

#include "elements.h"

struct __half {
    unsigned short bits;
};
inline __half __ushort_as_half(unsigned short bits)
{
    return {bits};
}
inline unsigned short __half_as_ushort(__half half)
{
    return half.bits;
}
inline float __half2float(__half half)
{
    float value;
    wp_element_rows.read[WP_ELEMENT_F16](&value, &half, 1, {1, 0}, 1);
    return value;
}
inline __half __float2half_rn(float value)
{
    __half half;
    wp_element_rows.write[WP_ELEMENT_F16](&half, 1, &value, {1, 0}, 1);
    return half;
}

#endif
