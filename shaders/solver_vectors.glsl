// Operations on complete arrays. One of these is defined:
//
//     SCALE     result = scale a
//     ADD       result += by b, with `steps` times step_length[0]
//     DISTANCE  partial sums of |a - b|^2, or of |a|^2 without `differs`
//     MISFIT    partial sums of |K u - f|^2 for a = F u, b = h0; with `update` result (h) -= misfit
//     POWER     partial sums of the squares of coefficients, band by band
//     STEP      step_length[0] = rest / (normal + gamma power + mu data)
//     MULTIPLY  result = a b[first + i], or with `conjugate` conj(a) b[...]; added with `adds`
//     MASK      result[to + i] = scale a[first + i] where the mask `values` is positive, else 0
layout(local_size_x = THREADS) in;
layout(std430, binding = 0) buffer Result { vec2 result[]; };
layout(std430, binding = 1) readonly buffer A { vec2 a[]; };
layout(std430, binding = 2) readonly buffer B { vec2 b[]; };
layout(std430, binding = 3) buffer Sums { vec2 sums[]; };
layout(std430, binding = 4) buffer StepLength { float step_length[]; };
layout(std430, binding = 5) readonly buffer Floats { float values[]; };
uniform int count;       // complex numbers
uniform int first, to, skip;
uniform ivec3 counts;    // STEP: partial sums of rest and normal, power, data; 0: none
uniform bool steps, differs, update, conjugate, adds;
uniform float by, scale, mu, gamma;

shared vec2 cell[THREADS];

int group_number()
{
    return int(gl_WorkGroupID.y * gl_NumWorkGroups.x + gl_WorkGroupID.x);
}

// The step with which all invocations process an array.
int stride()
{
    return int(gl_NumWorkGroups.x * gl_NumWorkGroups.y) * THREADS;
}

int begin()
{
    return group_number() * THREADS + int(gl_LocalInvocationID.x);
}

vec2 sum_of_group(vec2 value)
{
    int i = int(gl_LocalInvocationID.x);
    barrier();
    cell[i] = value;
    for (int half_way = THREADS / 2; half_way > 0; half_way /= 2) {
        barrier();
        if (i < half_way)
            cell[i] += cell[i + half_way];
    }
    barrier();
    return cell[0];
}

void put_sum(float value)
{
    vec2 all = sum_of_group(vec2(value, 0.0));
    if (gl_LocalInvocationID.x == 0u)
        sums[group_number()] = all;
}

#ifdef SCALE
void main()
{
    for (int i = begin(); i < count; i += stride())
        result[i] = scale * a[i];
}
#endif

#ifdef ADD
void main()
{
    float factor = steps ? by * step_length[0] : by;
    for (int i = begin(); i < count; i += stride())
        result[i] += factor * b[i];
}
#endif

#ifdef DISTANCE
void main()
{
    float sum = 0.0;
    for (int i = begin(); i < count; i += stride()) {
        vec2 off = differs ? a[i] - b[i] : a[i];
        sum += dot(off, off);
    }
    put_sum(sum);
}
#endif

#ifdef MISFIT
void main()
{
    float sum = 0.0;
    for (int i = begin(); i < count; i += stride()) {
        float diagonal = values[skip + i];
        vec2 misfit = diagonal * a[i] - b[i];
        if (diagonal > 0.0)
            sum += dot(misfit, misfit) / diagonal;
        if (update)
            result[i] -= misfit;
    }
    put_sum(sum);
}
#endif

#ifdef POWER
uniform int bands;
uniform ivec4 band_size[BANDS]; // along x, y, z
uniform ivec4 band_layout[BANDS]; // of plane 0: first float, strides along y and z; floats per
                                  // plane

void main()
{
    float sum = 0.0;
    for (int k = 0; k < bands; k++) {
        ivec3 size = band_size[k].xyz;
        for (int i = begin(); i < size.x * size.y * size.z; i += stride()) {
            int x = i % size.x, line = i / size.x;
            int at = band_layout[k].x + x + line % size.y * band_layout[k].y +
                     line / size.y * band_layout[k].z;
            vec2 value = vec2(values[at], values[at + band_layout[k].w]);
            sum += dot(value, value);
        }
    }
    put_sum(sum);
}
#endif

#ifdef STEP
// `a` has partial sums of rest and normal, `b` of power, `result` of data.
void main()
{
    vec2 rest_normal = vec2(0.0), other = vec2(0.0);
    for (int i = begin(); i < counts.x; i += THREADS)
        rest_normal += a[i];
    for (int i = begin(); i < counts.y; i += THREADS)
        other.x += b[i].x;
    for (int i = begin(); i < counts.z; i += THREADS)
        other.y += result[i].x;
    rest_normal = sum_of_group(rest_normal);
    other = sum_of_group(other);
    float down = rest_normal.y + gamma * other.x + mu * other.y;
    if (gl_LocalInvocationID.x == 0u)
        step_length[0] = down > 0.0 ? rest_normal.x / down : 0.0;
}
#endif

#ifdef MULTIPLY
void main()
{
    for (int i = begin(); i < count; i += stride()) {
        vec2 x = a[i], y = b[first + i];
        y.y = conjugate ? -y.y : y.y;
        vec2 value = vec2(x.x * y.x - x.y * y.y, x.x * y.y + x.y * y.x);
        result[i] = adds ? result[i] + value : value;
    }
}
#endif

#ifdef MASK
void main()
{
    for (int i = begin(); i < count; i += stride())
        result[to + i] = values[i] > 0.0 ? scale * a[first + i] : vec2(0.0);
}
#endif
