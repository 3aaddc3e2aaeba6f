// The slices of a volume; a workgroup processes a range of them one by one. Samples and
// coefficients are interleaved along z, so slices have the same numbers before and after. Follows
// extend.glsl and the declarations of `gain`, source_zero and result_zero, the beginnings of
// slices.
uniform ivec4 slices;     // of the level; the first one written and the end of these; slices per
                          // layer of workgroups
uniform ivec4 slice_step; // source: slice stride, first slice; result: slice stride, first slice
uniform vec2 gain_z;      // of even and odd slices

int first_slice = slices.y + int(gl_WorkGroupID.z) * slices.w;
int end_slice = min(first_slice + slices.w, slices.z);
vec4 slice_gain; // of the slice that is read or written

// Selects the slice that is loaded next.
void find_slice(int slice)
{
    source_zero = (max(extend(slice, slices.x), 0) - slice_step.y) * slice_step.x;
}

// Selects the loaded slice that is processed next.
void read_slice(int slice)
{
    slice_gain = extend(slice, slices.x) < 0 ? vec4(0.0) : gain * gain_z[slice & 1];
}

// Selects the slice that is written next. Returns false if it is not to be written.
bool write_slice(int slice)
{
    result_zero = (slice - slice_step.w) * slice_step.z;
    slice_gain = gain * gain_z[slice & 1];
    return slice >= first_slice && slice < end_slice;
}
