// Where a fragment's plane begins in each texture. With STACKED the planes of an image lie below each
// other, else there is one.
#ifdef STACKED
flat in int plane;
uniform ivec4 plane_rows; // from one plane to the next: texels of `source`, fragments, texels of
                          // `low` and of a result that is not an attachment
#else
const int plane = 0;
const ivec4 plane_rows = ivec4(0);
#endif

ivec2 plane_in_source()
{
    return ivec2(0, plane * plane_rows.x);
}

// Fragments count from the first one of their plane.
ivec2 fragment_in_plane()
{
    return ivec2(gl_FragCoord.xy) - ivec2(0, plane * plane_rows.y);
}
