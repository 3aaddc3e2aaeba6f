// A rectangle for each plane of an image, in columns. Requires no vertex data.
uniform ivec4 rectangle; // texels along x and y, distances along x and y
uniform ivec3 span;      // texels of all rectangles along x and y, and rectangles per column
uniform ivec2 plane_steps[4];
flat out ivec2 plane;       // column and row
flat out ivec2 plane_at[4]; // multiplied by these distances

void main()
{
    plane = ivec2(gl_InstanceID / span.z, gl_InstanceID % span.z);
    for (int i = 0; i < 4; i++)
        plane_at[i] = plane * plane_steps[i];
    ivec2 corner = ivec2(gl_VertexID % 2, gl_VertexID / 2);
    ivec2 at = plane * rectangle.zw + corner * rectangle.xy;
    gl_Position = vec4(2.0 * vec2(at) / vec2(span.xy) - 1.0, 0.0, 1.0);
}
