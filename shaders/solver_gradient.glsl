// The total variation term of an iteration, one sample per invocation: with p = grad u + b and
// f = t / max(|p|, t), the new b is f p, and `result` is scale * grad'((1 - 2 f) p), for descent
// with b - 2 f p instead of p - 2 f p. Each invocation computes b of its sample, and again the
// values at the previous samples: these are cached, while a second pass over memory would not be.
layout(local_size_x = 32, local_size_y = 4) in;
layout(std430, binding = 0) readonly buffer Image { vec2 u[]; };
layout(std430, binding = 1) buffer Result { vec2 result[]; };
layout(std430, binding = 2) readonly buffer BeforeX { vec2 before_x[]; };
layout(std430, binding = 3) readonly buffer BeforeY { vec2 before_y[]; };
layout(std430, binding = 4) readonly buffer BeforeZ { vec2 before_z[]; };
layout(std430, binding = 5) writeonly buffer AfterX { vec2 after_x[]; };
layout(std430, binding = 6) writeonly buffer AfterY { vec2 after_y[]; };
layout(std430, binding = 7) writeonly buffer AfterZ { vec2 after_z[]; };
uniform ivec3 size;
uniform bool adds; // add to `result`
uniform bool descent;
uniform float threshold, scale;

// p for each axis that has more than one sample, and its factor. Not an array: devices store arrays
// that are indexed by a variable in memory.
struct Gradient {
    vec2 x, y, z;
    float f;
};

int row()
{
    return size.x;
}

int slice()
{
    return size.x * size.y;
}

Gradient gradient_at(ivec3 at, int i)
{
    vec2 here = u[i];
    Gradient g = Gradient(vec2(0.0), vec2(0.0), vec2(0.0), 0.0);
    if (size.x > 1)
        g.x = u[at.x + 1 < size.x ? i + 1 : i + 1 - size.x] - here + before_x[i];
    if (size.y > 1)
        g.y = u[at.y + 1 < size.y ? i + row() : i + row() - slice()] - here + before_y[i];
    if (size.z > 1)
        g.z = u[at.z + 1 < size.z ? i + slice() : i - at.z * slice()] - here + before_z[i];
    float squares = dot(g.x, g.x) + dot(g.y, g.y) + dot(g.z, g.z);
    g.f = threshold / max(sqrt(squares), threshold);
    return g;
}

// The term of the sum of differences along an axis.
vec2 difference(vec2 p, vec2 b, float f)
{
    return (descent ? b : p) - 2.0 * f * p;
}

void main()
{
    ivec3 at = ivec3(gl_GlobalInvocationID);
    if (any(greaterThanEqual(at, size)))
        return;
    int i = (at.z * size.y + at.y) * size.x + at.x;
    Gradient here = gradient_at(at, i);
    vec2 sum = vec2(0.0);
    if (size.x > 1) {
        int x = at.x > 0 ? at.x - 1 : size.x - 1;
        int k = i - at.x + x;
        Gradient g = gradient_at(ivec3(x, at.yz), k);
        sum += difference(g.x, before_x[k], g.f) - difference(here.x, before_x[i], here.f);
        after_x[i] = here.f * here.x;
    }
    if (size.y > 1) {
        int y = at.y > 0 ? at.y - 1 : size.y - 1;
        int k = i + (y - at.y) * row();
        Gradient g = gradient_at(ivec3(at.x, y, at.z), k);
        sum += difference(g.y, before_y[k], g.f) - difference(here.y, before_y[i], here.f);
        after_y[i] = here.f * here.y;
    }
    if (size.z > 1) {
        int z = at.z > 0 ? at.z - 1 : size.z - 1;
        int k = i + (z - at.z) * slice();
        Gradient g = gradient_at(ivec3(at.xy, z), k);
        sum += difference(g.z, before_z[k], g.f) - difference(here.z, before_z[i], here.f);
        after_z[i] = here.f * here.z;
    }
    result[i] = adds ? result[i] + scale * sum : scale * sum;
}
