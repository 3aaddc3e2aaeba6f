// A rectangle for each plane of an image, as wide as the viewport, one below the other. Requires no
// vertex data.
uniform ivec4 stack; // rows of a rectangle, rows between rectangles, rows in total
flat out int plane;

void main()
{
    int row = gl_InstanceID * stack.y + gl_VertexID / 2 * stack.x;
    gl_Position = vec4(gl_VertexID % 2 == 0 ? -1.0 : 1.0,
                       2.0 * float(row) / float(stack.z) - 1.0, 0.0, 1.0);
    plane = gl_InstanceID;
}
