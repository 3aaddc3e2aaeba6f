// A level on planes of samples. Follows extend.glsl. With FORWARD the source has the level's
// samples and the result four planes, one per component of the quads; without it, the inverse, the
// reverse. Rows have an even number of samples, so samples are read and written in pairs.
//
// With SLICES the plane is one slice of a volume after another (slices.glsl, which follows).
//
// With TAIL a workgroup computes up to TAIL small levels, one after another. Each reads the result
// of the previous one, so both blocks are the same part of the buffer.
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
uniform vec4 gain; // of the components, from the normalization

// With STACKED the planes of an image are one after another in the buffer, each processed by a
// layer of workgroups.
#ifdef STACKED
#define IMAGE_PLANE int(gl_WorkGroupID.z)
#else
#define IMAGE_PLANE 0
#endif

#ifdef TAIL
uniform int levels;
uniform ivec2 sizes[TAIL];
uniform ivec4 sources[TAIL]; // samples per row, per plane, before the first one, and between planes
                             // of the image
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
uniform ivec2 source_plane; // samples per row, and per plane
uniform ivec2 result_plane;
uniform ivec2 size;         // samples of the level
#ifdef SLICES
int source_zero, result_zero;
#elif defined(STACKED)
uniform ivec2 image_stride; // samples between planes of the image: source, result
int source_zero = IMAGE_PLANE * image_stride.x, result_zero = IMAGE_PLANE * image_stride.y;
#else
const int source_zero = 0, result_zero = 0;
#endif
#endif

// A quad whose samples all exist.
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

// One of the level's samples, or (inverse) of its interleaved coefficients.
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

// The positions of the even and the odd samples of a column of quads, which may be outside.
ivec2 extend_columns(int x)
{
    return ivec2(extend(2 * x, size.x), extend(2 * x + 1, size.x));
}

// A quad of such a column, extended outside the level.
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
