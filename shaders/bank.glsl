// The bands of samples at the distance of a level's taps, for passes of redundant banks. Follows
// plane.glsl, unless BUFFER. AXES: bit a is set if the bank transforms axis a. WEIGHTED: weights of
// wp_redundant_weight(), with which a pass multiplies its output and divides its input; those of
// consecutive passes cancel exactly.
uniform ivec3 size;     // samples along x and y; z: samples, slices or planes of the image
uniform int dilation;   // the distance of the taps
uniform int extension;  // one of WP_EXTEND_…: 0 mirror, 1 wrap

void pass_at(ivec3 p); // computes a sample

// The index of sample i of an axis of n samples. Equivalent to wp_extend(); exact for all integers,
// since taps of long filters reach far beyond the ends.
int extend(int i, int n)
{
    if (i >= 0 && i < n)
        return i;
    int period = extension == 1 ? n : max(2 * n - 2, 1);
    int wrapped = i >= 0 ? i % period : period - 1 - (-1 - i) % period;
    return extension == 1 ? wrapped : min(wrapped, period - wrapped);
}

ivec3 extended(ivec3 at)
{
    return ivec3(extend(at.x, size.x), extend(at.y, size.y), extend(at.z, size.z));
}

float weight_along(int axis, int i, int n)
{
    return ((AXES >> axis) & 1) != 0 && n > 1 && (i == 0 || i == n - 1) ? 0.5 : 1.0;
}

float weight(ivec3 at)
{
#ifdef WEIGHTED
    return weight_along(0, at.x, size.x) * weight_along(1, at.y, size.y) *
           weight_along(2, at.z, size.z);
#else
    return 1.0;
#endif
}

#ifdef BUFFER
// Layer LAYER(c) of a surface has component c. READS: bit c is set if the pass reads component c.
layout(local_size_x = 32, local_size_y = 8) in;
layout(std430, binding = 0) readonly restrict buffer Source { float source[]; };
layout(std430, binding = 1) writeonly restrict buffer Result { float result[]; };
uniform ivec3 source_layout; // samples from row to row, layer to layer, slice to slice
uniform ivec3 result_layout;
uniform int row_step; // rows of a workgroup are so far apart

float component_at(int at, int c)
{
    return ((READS >> c) & 1) != 0 ? source[at + LAYER(c) * source_layout.y] : 0.0;
}

// Four components from number `first` on.
vec4 fetch(ivec3 position, int first)
{
    ivec3 p = extended(position);
    int at = p.z * source_layout.z + p.y * source_layout.x + p.x;
    return vec4(component_at(at, first), component_at(at, first + 1), component_at(at, first + 2),
                component_at(at, first + 3)) * (1.0 / weight(p));
}

void write(ivec3 p, int c, float value)
{
    result[p.z * result_layout.z + LAYER(c) * result_layout.y + p.y * result_layout.x + p.x] =
        value * weight(p);
}

// Taps along y then are rows of the same or of an adjacent workgroup.
void main()
{
    ivec3 step = ivec3(gl_NumWorkGroups) * ivec3(32, 1, 1);
    int row = int(gl_LocalInvocationID.y);
    int blocks = ((size.y + row_step - 1) / row_step + 7) / 8;
    for (int z = int(gl_WorkGroupID.z); z < size.z; z += step.z) {
        for (int b = int(gl_WorkGroupID.y); b < blocks * min(row_step, size.y); b += step.y) {
            int y = b / blocks + row_step * (8 * (b % blocks) + row);
            for (int x = int(gl_GlobalInvocationID.x); x < size.x && y < size.y; x += step.x)
                pass_at(ivec3(x, y, z));
        }
    }
}
#else
uniform sampler2D source;
layout(location = 0) out vec4 result;

vec4 fetch(ivec3 position, int first)
{
    ivec3 p = extended(position);
    return texelFetch(source, p.xy + plane_in_source(), 0) * (1.0 / weight(p));
}

void main()
{
    pass_at(ivec3(fragment_in_plane(), 0));
}
#endif
