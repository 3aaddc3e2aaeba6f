// The slices of a volume, of which a workgroup goes through a part one by one. Samples and
// coefficients are interleaved along z, so slices have the same numbers before and after. Stands
// behind extend.glsl and what declares `gain` and the two zeros: where a slice begins.
uniform ivec4 slices;     // of the level; the first to be written and the end of these; how many
                          // a layer of workgroups writes
uniform ivec4 slice_step; // source: from one slice to the next, and the first one there; result
uniform vec2 gain_z;      // of even and odd ones

int first_slice = slices.y + int(gl_WorkGroupID.z) * slices.w;
int end_slice = min(first_slice + slices.w, slices.z);
vec4 slice_gain; // of the slice that was read or is written

// Has what follows load a slice.
void find_slice(int slice)
{
    source_zero = (max(extend(slice, slices.x), 0) - slice_step.y) * slice_step.x;
}

// Has what follows work on a slice that was loaded.
void read_slice(int slice)
{
    slice_gain = extend(slice, slices.x) < 0 ? vec4(0.0) : gain * gain_z[slice & 1];
}

// Whether it is to be written.
bool write_slice(int slice)
{
    result_zero = (slice - slice_step.w) * slice_step.z;
    slice_gain = gain * gain_z[slice & 1];
    return slice >= first_slice && slice < end_slice;
}
