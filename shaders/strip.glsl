// The rows of a level on planes of samples, two at a time. Follows extend.glsl. FORWARD: see
// level.glsl. Each invocation has a strip of WIDTH columns, which divides the width of the level.
#define HALF (WIDTH / 2)
#if WIDTH == 8
#define BAND vec4
#define HALF_BITS 2
#else
#define BAND vec2
#define HALF_BITS 1
#endif
#ifdef FORWARD
#define LOADED vec4
#define STORED BAND
#define TEXEL_BITS 2 // log2 of the samples that are loaded at a time
#define STRIP_TEXELS (WIDTH / 4) // texels per strip, in the inverse per band
#else
#define LOADED BAND
#define STORED vec4
#define TEXEL_BITS HALF_BITS
#define STRIP_TEXELS 1
#endif
layout(std430, binding = 0) readonly restrict buffer Source { LOADED source[]; };
layout(std430, binding = 1) writeonly restrict buffer Result { STORED result[]; };
uniform ivec2 source_plane; // samples per row, and per plane
uniform ivec2 result_plane;
uniform ivec2 size;         // samples of the level
uniform int rows;           // per workgroup
uniform vec4 gain;          // of the components, from the normalization

// See level.glsl.
#ifdef STACKED
uniform ivec2 image_stride;
int source_zero = int(gl_WorkGroupID.z) * image_stride.x;
int result_zero = int(gl_WorkGroupID.z) * image_stride.y;
#else
const int source_zero = 0, result_zero = 0;
#endif

int strip = int(gl_GlobalInvocationID.x);
int first_row = int(gl_WorkGroupID.y) * rows;
int end_row = min(first_row + rows, size.y);

// With symmetric borders, the first and the last strip have the samples that are mirrored.
bool mirrors_first = extension == 0 && strip == 0;
bool mirrors_last = extension == 0 && WIDTH * (strip + 1) >= size.x;
int band_apart = source_plane.y >> TEXEL_BITS;

// The position of texel i of a strip in a row, periodic.
int column(int i)
{
    int count = size.x / WIDTH * STRIP_TEXELS, index = strip * STRIP_TEXELS + i;
    return index < 0 ? index + count : index >= count ? index - count : index;
}

int row_at(int row)
{
    int y = max(extend(row, size.y), 0);
#ifdef FORWARD
    return (source_zero + y * source_plane.x) >> TEXEL_BITS;
#else
    return (source_zero + (y & 1) * 2 * source_plane.y + (y >> 1) * source_plane.x) >> TEXEL_BITS;
#endif
}

int write_index;

// Selects a row to be written. Returns false if it is not to be written.
bool write_row(int row, int odd)
{
#ifdef FORWARD
    int first = result_zero + odd * 2 * result_plane.y + (row >> 1) * result_plane.x;
    write_index = (first >> HALF_BITS) + strip;
#else
    write_index = (result_zero + row * result_plane.x + WIDTH * strip) >> 2;
#endif
    return row >= first_row && row < end_row;
}

// Writes four samples of the row; forward, low ones precede high ones.
void write_four(int odd, int number, vec4 value)
{
#ifndef FORWARD
    result[write_index + number] = value;
#elif WIDTH == 8
    result[write_index + (number * result_plane.y >> HALF_BITS)] = value * gain[2 * odd + number];
#else
    result[write_index] = value.rg * gain[2 * odd];
    result[write_index + (result_plane.y >> HALF_BITS)] = value.ba * gain[2 * odd + 1];
#endif
}
