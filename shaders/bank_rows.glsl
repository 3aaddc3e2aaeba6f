// A level of a redundant bank in one dispatch. A workgroup steps down the rows of a tile, which are
// `dilation` apart. It copies each row with the columns around it to shared memory, extended at
// borders, after it has read the next one. An invocation filters four neighboring columns of the row
// along x, keeps the results of the rows around in registers, and filters those along y.
//
// Follows definitions: AROUND, the rows around, LEAST and MOST, the range of the taps, SUM, if the
// result is the sum of two layers without filters, and advance(), which filters a row and writes
// another.
layout(local_size_x = 128) in;
layout(std430, binding = 0) readonly restrict buffer Source { vec4 source[]; };
layout(std430, binding = 1) writeonly restrict buffer Result { vec4 result[]; };
uniform ivec3 size;          // samples along x and y; z: slices or planes of the image
uniform int dilation;        // the distance of the taps
uniform int extension;       // one of WP_EXTEND_…: 0 mirror, 1 wrap
uniform int rows;            // that a workgroup writes
uniform ivec3 source_layout; // samples from row to row, layer to layer, slice to slice;
uniform ivec3 result_layout; // multiples of four
uniform ivec2 tile;          // the first column of a tile, from its results, and its groups of four
                             // columns, at most two per invocation

const int LANES = 128;
int lane; // the invocation; its first column is x
int x;
int to; // the sample of the result at x in the next row to write

// As in bank.glsl.
int extend(int i, int n)
{
    if (i >= 0 && i < n)
        return i;
    int period = extension == 1 ? n : max(2 * n - 2, 1);
    int wrapped = i >= 0 ? i % period : period - 1 - (-1 - i) % period;
    return extension == 1 ? wrapped : min(wrapped, period - wrapped);
}

#ifndef SUM
shared vec4 lines[2 * 2 * LANES]; // two rows: row r begins at 2 * LANES * (r & 1)
vec4 next[2];                     // the groups of the invocation in the next row

float element(int at)
{
    return source[at >> 2][at & 3];
}

// Group `i` of the tile in the row that begins at sample `at`.
vec4 group(int at, int i)
{
    int c = x + tile.x + 4 * (i - lane);
    if (c >= 0 && c + 3 < size.x)
        return source[(at + c) >> 2];
    return vec4(element(at + extend(c, size.x)), element(at + extend(c + 1, size.x)),
                element(at + extend(c + 2, size.x)), element(at + extend(c + 3, size.x)));
}

void read_row(int at)
{
    next[0] = group(at, lane);
    if (lane + LANES < tile.y)
        next[1] = group(at, lane + LANES);
}

void keep_row(int row)
{
    int first = 2 * LANES * (row & 1) + lane;
    lines[first] = next[0];
    if (lane + LANES < tile.y)
        lines[first + LANES] = next[1];
}
#endif

// Filters a row, which begins at `at` in lines, or for a sum in the source; if `writes` is set,
// writes the row that is MOST rows before it.
void advance(int at, bool writes);

void main()
{
    lane = int(gl_LocalInvocationIndex);
    x = 4 * int(gl_GlobalInvocationID.x);
    int block = int(gl_WorkGroupID.y);
    int y0 = block / dilation * rows * dilation + block % dilation;
    int count = min(rows, (size.y - y0 + dilation - 1) / dilation) + AROUND;
    for (int z = int(gl_WorkGroupID.z); z < size.z && count > AROUND;
         z += int(gl_NumWorkGroups.z)) {
        int slice = z * source_layout.z, y = y0 + dilation * LEAST;
        to = z * result_layout.z + y0 * result_layout.x + x;
#ifndef SUM
        barrier();
        read_row(slice + extend(y, size.y) * source_layout.x);
#endif
        for (int row = 0; row < count; row++) {
#ifndef SUM
            keep_row(row);
            barrier();
            y += dilation;
            if (row + 1 < count)
                read_row(slice + extend(y, size.y) * source_layout.x);
            advance(2 * LANES * (row & 1) + lane, row >= AROUND && x < size.x);
#else
            if (x < size.x)
                advance(slice + (y0 + dilation * row) * source_layout.x + x, true);
#endif
        }
    }
}
