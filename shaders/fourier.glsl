// Functions for the passes of a Fourier transform. A workgroup transforms LINES lines of LENGTH
// samples. ALONG_X: samples of a line are contiguous; otherwise samples of adjacent lines are.
layout(local_size_x = THREADS) in;
layout(std430, binding = 0) buffer From { vec2 from_samples[]; };
layout(std430, binding = 1) buffer To { vec2 to_samples[]; }; // may be the same
layout(std430, binding = 2) readonly buffer Roots { vec2 root[]; }; // exp(-2 pi i k/LENGTH)
uniform int lines;    // of the array
uniform int apart;    // samples from one of a line to the next; number of adjacent lines
uniform int nothing;  // 0; unknown to compilers, which would spend minutes to unroll long sums

// The inverse swaps real and imaginary parts of its input and output. BETWEEN: the shader runs a
// forward and an inverse transform.
#ifdef BETWEEN
const bool swaps_in = false, swaps_out = true;
#else
uniform bool inverse;
#define swaps_in inverse
#define swaps_out inverse
#endif

shared vec2 cell[CELLS];

vec2 times(vec2 a, vec2 b)
{
    return vec2(a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x);
}

int group_number()
{
    return int(gl_WorkGroupID.y * gl_NumWorkGroups.x + gl_WorkGroupID.x);
}

// The line (x) and the index in it (y) of work item i, with `each` items per line. Adjacent items
// are adjacent in memory.
ivec2 item(int i, int each)
{
#ifdef ALONG_X
    return ivec2(i / each, i % each);
#else
    return ivec2(i % LINES, i / LINES);
#endif
}

int cell_at(int line, int at)
{
#ifdef ALONG_X
    return line * SPREAD_LENGTH + at + at / SPREAD;
#else
    return at * LINES + line;
#endif
}

bool is_line(int line)
{
    return group_number() * LINES + line < lines;
}

int index_of(int line, int at)
{
    int number = group_number() * LINES + line;
#ifdef ALONG_X
    return number * LENGTH + at;
#else
    return number / apart * (apart * LENGTH) + number % apart + at * apart;
#endif
}

vec2 load(int line, int at)
{
    if (!is_line(line))
        return vec2(0.0);
    vec2 value = from_samples[index_of(line, at)];
    return swaps_in ? value.yx : value;
}

void store(int line, int at, vec2 value)
{
    if (is_line(line))
        to_samples[index_of(line, at)] = swaps_out ? value.yx : value;
}

// The sum over all invocations, in a fixed order.
vec2 sum_of_group(vec2 value)
{
    int i = int(gl_LocalInvocationIndex);
    barrier();
    cell[i] = value;
    for (int count = THREADS; count > 1;) {
        int half_way = (count + 1) / 2;
        barrier();
        if (i < count - half_way)
            cell[i] += cell[i + half_way];
        count = half_way;
    }
    barrier();
    return cell[0];
}
