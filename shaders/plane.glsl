// The position of a fragment's plane in each texture. With STACKED the planes of an image are one
// below the other, otherwise there is one.
#ifdef STACKED
flat in int plane;
uniform ivec4 plane_rows; // rows between planes: texels of `source`, fragments, texels of `low`,
                          // and of a result that is not an attachment
#else
const int plane = 0;
const ivec4 plane_rows = ivec4(0);
#endif

ivec2 plane_in_source()
{
    return ivec2(0, plane * plane_rows.x);
}

// The position of the fragment in its plane.
ivec2 fragment_in_plane()
{
    return ivec2(gl_FragCoord.xy) - ivec2(0, plane * plane_rows.y);
}
