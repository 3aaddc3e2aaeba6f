// Diagonal operators in k-space, M = mu diagonal + lambda eigenvalues + gamma, between a Fourier
// transform and its inverse (gl_fft.h): the DIVISION, which computes the new u, or the step of
// descent.
layout(std430, binding = 3) buffer Data { vec2 h[]; };
layout(std430, binding = 4) readonly buffer Other { vec2 other[]; }; // h0, or for descent F u
// Eigenvalues 2 - 2 cos along each axis, then the diagonal of each sample.
layout(std430, binding = 5) readonly buffer Frequencies { float frequency[]; };
layout(std430, binding = 6) writeonly buffer Sums { vec2 sums[]; };
layout(std430, binding = 7) writeonly buffer Step { vec2 step_data[]; };
uniform ivec3 size;
uniform float mu, lambda, gamma, normal_gamma, scale;
uniform bool update;

vec2 sum = vec2(0.0);

float diagonal_at(int i)
{
    return frequency[size.x + size.y + size.z + i];
}

float smooth_at(int i)
{
    int x = i % size.x, line = i / size.x;
    return lambda * (frequency[x] + frequency[size.x + line % size.y] +
                     frequency[size.x + size.y + line / size.y]);
}

float one_over(float x)
{
    return x > 0.0 ? 1.0 / x : 0.0;
}

#ifdef DIVISION
vec2 between(int i, vec2 value)
{
    float diagonal = diagonal_at(i);
    vec2 data = h[i];
    vec2 image = one_over(mu * diagonal + smooth_at(i) + gamma) * (mu * data + scale * value);
    vec2 misfit = diagonal * image - other[i];
    if (diagonal > 0.0)
        sum.x += dot(misfit, misfit) / diagonal;
    if (update)
        h[i] = data - misfit;
    return scale * image;
}
#else
vec2 between(int i, vec2 value)
{
    float diagonal = diagonal_at(i), smoothness = smooth_at(i);
    float by = one_over(mu * diagonal + smoothness + gamma);
    vec2 missing = scale * value;
#ifdef IN_K_SPACE
    missing += mu * (h[i] - diagonal * other[i]);
    float normal = mu * diagonal + smoothness + normal_gamma;
    step_data[i] = by * missing;
#else
    float normal = smoothness + normal_gamma;
#endif
    float squares = dot(missing, missing);
    sum += vec2(by * squares, normal * by * by * squares);
    return scale * by * missing;
}
#endif

void finish()
{
    vec2 all = sum_of_group(sum);
    if (gl_LocalInvocationIndex == 0u)
        sums[group_number()] = all;
}
