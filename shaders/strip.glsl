// The rows of a level on planes of samples, two by two. Stands behind extend.glsl. FORWARD is defined or
// not, as in level.glsl. Each invocation has a strip of WIDTH columns, which divides the level's width.
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
#define TEXEL_BITS 2 // of samples in what is loaded at a time
#define OWN (WIDTH / 4) // texels of a strip, of either band in the inverse
#else
#define LOADED BAND
#define STORED vec4
#define TEXEL_BITS HALF_BITS
#define OWN 1
#endif
layout(std430, binding = 0) readonly restrict buffer Source { LOADED source[]; };
layout(std430, binding = 1) writeonly restrict buffer Result { STORED result[]; };
uniform ivec2 source_plane; // samples of a row, and of a plane
uniform ivec2 result_plane;
uniform ivec2 size;         // samples of the level
uniform int rows;           // that a workgroup writes
uniform vec4 gain;          // of the components, by the norm

// As in level.glsl.
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

// Of symmetric borders the first strip and the last one hold what lies beyond them.
bool mirrors_first = extension == 0 && strip == 0;
bool mirrors_last = extension == 0 && WIDTH * (strip + 1) >= size.x;
int band_apart = source_plane.y >> TEXEL_BITS;

// Where texel i of a strip stands in a row; those beyond come from the other end.
int column(int i)
{
    int count = size.x / WIDTH * OWN, place = strip * OWN + i;
    return place < 0 ? place + count : place >= count ? place - count : place;
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

int write_place;

// Whether a row is to be written.
bool write_row(int row, int odd)
{
#ifdef FORWARD
    write_place = ((result_zero + odd * 2 * result_plane.y + (row >> 1) * result_plane.x) >> HALF_BITS)
        + strip;
#else
    write_place = (result_zero + row * result_plane.x + WIDTH * strip) >> 2;
#endif
    return row >= first_row && row < end_row;
}

// Four of its samples; forward the low ones come first.
void write_four(int odd, int number, vec4 value)
{
#ifndef FORWARD
    result[write_place + number] = value;
#elif WIDTH == 8
    result[write_place + (number * result_plane.y >> HALF_BITS)] = value * gain[2 * odd + number];
#else
    result[write_place] = value.rg * gain[2 * odd];
    result[write_place + (result_plane.y >> HALF_BITS)] = value.ba * gain[2 * odd + 1];
#endif
}
