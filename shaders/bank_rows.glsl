// A level of a redundant bank in one dispatch. A workgroup steps down the rows of a tile, which are
// `dilation` apart. It copies each row of all inputs, with the columns around, to shared memory,
// extended at borders, while it reads the AHEAD rows after it. An invocation filters four
// neighboring columns of the row along x, keeps the results of the rows around in registers, and
// filters those along y.
//
// Follows definitions: LANES, the invocations of a workgroup; AROUND, the rows around; LEAST, the
// first tap; INPUTS, layers that are read; AHEAD; PITCH, groups of four columns of a row in shared
// memory; LOOPS, if there are more slices than workgroups along z; SUM, if the result is the sum of two
// layers without filters.
layout(local_size_x = LANES) in;
layout(std430, binding = 0) readonly restrict buffer Source { vec4 source[]; };
layout(std430, binding = 0) readonly restrict buffer Elements { float element[]; }; // the same
layout(std430, binding = 1) writeonly restrict buffer Result { vec4 result[]; };
uniform ivec3 size;          // samples along x and y; z: slices or planes of the image
uniform int dilation;        // the distance of the taps
uniform int extension;       // one of WP_EXTEND_…: 0 mirror, 1 wrap
uniform int rows;            // that a workgroup writes
uniform ivec3 source_layout; // samples from row to row, layer to layer, slice to slice;
uniform ivec3 result_layout; // multiples of four
uniform ivec2 tile;          // groups of four columns: the first of a row in shared memory, from
                             // the first result, and those more than LANES

int lane; // the invocation; its first column is x
int x;
int to; // the sample of the result at x in the next row to write

#ifndef SUM
shared vec4 lines[2 * INPUTS * PITCH]; // for two rows; those of input i begin at PITCH * i

// As in bank.glsl.
int extend(int i, int n)
{
    if (i >= 0 && i < n)
        return i;
    int period = extension == 1 ? n : max(2 * n - 2, 1);
    int wrapped = i >= 0 ? i % period : period - 1 - (-1 - i) % period;
    return extension == 1 ? wrapped : min(wrapped, period - wrapped);
}

// The sample of a slice at which row y begins.
int row_at(int slice, int y)
{
    return slice + extend(y, size.y) * source_layout.x;
}

// Four columns that an invocation copies. Their addresses do not depend on the row.
struct group {
    ivec4 columns; // samples of a row
    bool whole;    // these are neighbors
    int at;        // in the lines of a row; -1: nothing to copy
};

// Group number `i` of the row, of an input.
group make_group(int i, int of)
{
    int c = x + 4 * (tile.x + i - lane);
    return group(ivec4(extend(c, size.x), extend(c + 1, size.x), extend(c + 2, size.x),
                       extend(c + 3, size.x)) + of * source_layout.y,
                 c >= 0 && c + 3 < size.x, of * PITCH + i);
}

// The groups after the first LANES ones of all inputs, one after the other.
group make_edge(int i)
{
    int more = max(tile.y, 1);
    group g = make_group(LANES + i % more, min(i / more, INPUTS - 1));
    if (i >= INPUTS * tile.y)
        g.at = -1;
    return g;
}

vec4 read_neighbors(group g, int at)
{
    return source[(at + g.columns.x) >> 2];
}

vec4 read_single(group g, int at)
{
    return vec4(element[at + g.columns.x], element[at + g.columns.y], element[at + g.columns.z],
                element[at + g.columns.w]);
}

void make_groups();
void read_first(int slice, int y); // reads AHEAD rows, of which the first is row y of a slice
// Filters AHEAD rows from number `row` of `count`, of which the first is row y, and reads as many
// after them.
void advance(int row, int count, int slice, int y);
#endif

void main()
{
    lane = int(gl_LocalInvocationIndex);
    x = 4 * int(gl_GlobalInvocationID.x);
    int block = int(gl_WorkGroupID.y);
    int y0 = block / dilation * rows * dilation + block % dilation;
    int count = min(rows, (size.y - y0 + dilation - 1) / dilation) + AROUND;
#ifndef SUM
    make_groups();
#endif
    int z = int(gl_WorkGroupID.z);
#ifdef LOOPS
    for (; z < size.z && count > AROUND; z += int(gl_NumWorkGroups.z))
#else
    if (count > AROUND)
#endif
    {
        int slice = z * source_layout.z, y = y0 + dilation * LEAST;
        to = z * result_layout.z + y0 * result_layout.x + x;
#ifndef SUM
        barrier();
        read_first(slice, y);
        for (int row = 0; row < count; row += AHEAD)
            advance(row, count, slice, y + dilation * row);
#else
        for (int row = 0; row < count && x < size.x; row++) {
            int at = slice + (y0 + dilation * row) * source_layout.x + x;
            result[to >> 2] = source[at >> 2] + source[(at + source_layout.y) >> 2];
            to += dilation * result_layout.x;
        }
#endif
    }
}
