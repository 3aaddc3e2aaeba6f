// The position of a fragment's plane in each texture. With STACKED the planes of an image are in
// columns, otherwise there is one.
#ifdef STACKED
flat in ivec2 plane_at[4]; // in texels of `source`, in fragments, in texels of `low`, and of a
                           // result that is not an attachment
#define PLANE_AT(i) plane_at[i]
#else
#define PLANE_AT(i) ivec2(0)
#endif

ivec2 plane_in_source()
{
    return PLANE_AT(0);
}

// The position of the fragment in its plane.
ivec2 fragment_in_plane()
{
    return ivec2(gl_FragCoord.xy) - PLANE_AT(1);
}

ivec2 plane_in_low()
{
    return PLANE_AT(2);
}

ivec2 plane_in_result()
{
    return PLANE_AT(3);
}
