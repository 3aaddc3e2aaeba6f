// A level on planes of samples. Stands behind extend.glsl. FORWARD is defined or not: forward the
// source is the level's samples and the result four planes, one a component of the quads; inverse
// the other way round. Rows hold an even number of samples, so samples are read and written in
// pairs.
//
// With SLICES the plane is one after the other of a volume's, as slices.glsl behind this says.
//
// With TAIL a workgroup runs up to so many small levels, one after the other. Each reads what the
// one before wrote, so both blocks are the same part of the buffer.
#ifdef TAIL
#define SHARED coherent
#else
#define SHARED restrict
#endif
#ifdef FORWARD
layout(std430, binding = 0) readonly SHARED buffer Source { vec2 source[]; };
layout(std430, binding = 1) writeonly SHARED buffer Result { float result[]; };
#else
layout(std430, binding = 0) readonly SHARED buffer Source { float source[]; };
layout(std430, binding = 1) writeonly SHARED buffer Result { vec2 result[]; };
#endif
uniform vec4 gain; // of the components, by the norm

// With STACKED the planes of an image, or their fours, lie one behind the other, and each is a layer
// of workgroups.
#ifdef STACKED
#define IMAGE_PLANE int(gl_WorkGroupID.z)
#else
#define IMAGE_PLANE 0
#endif

#ifdef TAIL
uniform int levels;
uniform ivec2 sizes[TAIL];
uniform ivec4 sources[TAIL]; // samples of a row, of a plane, before the first one, and from one
                             // plane of the image to the next
uniform ivec4 results[TAIL];

ivec2 size, source_plane, result_plane;
int source_zero, result_zero;

void run_level();

void main()
{
    for (int i = 0; i < levels; i++) {
        size = sizes[i];
        source_plane = sources[i].xy;
        source_zero = sources[i].z + IMAGE_PLANE * sources[i].w;
        result_plane = results[i].xy;
        result_zero = results[i].z + IMAGE_PLANE * results[i].w;
        run_level();
        memoryBarrierBuffer();
        barrier();
    }
}
#else
uniform ivec2 source_plane; // samples of a row, and of a plane
uniform ivec2 result_plane;
uniform ivec2 size;         // samples of the level
#ifdef SLICES
int source_zero, result_zero;
#elif defined(STACKED)
uniform ivec2 image_stride; // samples from one plane of the image to the next: source, result
int source_zero = IMAGE_PLANE * image_stride.x, result_zero = IMAGE_PLANE * image_stride.y;
#else
const int source_zero = 0, result_zero = 0;
#endif
#endif

// A quad all of whose samples exist.
vec4 load_inside(ivec2 quad)
{
#ifdef FORWARD
    int i = source_zero / 2 + quad.y * source_plane.x + quad.x;
    return vec4(source[i], source[i + source_plane.x / 2]);
#else
    int i = source_zero + quad.y * source_plane.x + quad.x;
    return vec4(source[i], source[i + source_plane.y], source[i + 2 * source_plane.y],
                source[i + 3 * source_plane.y]);
#endif
}

// One of the level's samples; in place of coefficients these are interleaved.
float sample_at(int x, int y)
{
    ivec2 at = max(ivec2(x, y), ivec2(0));
#ifdef FORWARD
    vec2 pair = source[(source_zero + at.y * source_plane.x + at.x) >> 1];
    float value = (at.x & 1) == 0 ? pair.x : pair.y;
#else
    ivec2 odd = at & 1, quad = at >> 1;
    float value = source[source_zero + (odd.x + 2 * odd.y) * source_plane.y +
                         quad.y * source_plane.x + quad.x];
#endif
    return x < 0 || y < 0 ? 0.0 : value;
}

// Where the even and the odd samples of any column of quads lie.
ivec2 extend_columns(int x)
{
    return ivec2(extend(2 * x, size.x), extend(2 * x + 1, size.x));
}

// Any quad of such a column: what lies beyond the samples is their extension.
vec4 load_extended(ivec2 columns, int y)
{
    int even = extend(2 * y, size.y), odd = extend(2 * y + 1, size.y);
    return vec4(sample_at(columns.x, even), sample_at(columns.y, even), sample_at(columns.x, odd),
                sample_at(columns.y, odd));
}

void write_quad(ivec2 quad, vec4 value)
{
    if (any(greaterThanEqual(2 * quad, size)))
        return;
#ifdef FORWARD
    int i = result_zero + quad.y * result_plane.x + quad.x;
    for (int c = 0; c < 4; c++)
        result[i + c * result_plane.y] = value[c];
#else
    int i = result_zero / 2 + quad.y * result_plane.x + quad.x;
    result[i] = value.rg;
    result[i + result_plane.x / 2] = value.ba;
#endif
}
