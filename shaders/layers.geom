// Draws each instance to its layer of all targets.
layout(triangles) in;
layout(triangle_strip, max_vertices = 3) out;
uniform ivec3 target_layers; // the first layer; layers between groups; layers per group
flat in int number[];
flat out ivec2 drawn; // group; layer in the group

void main()
{
    ivec2 at = ivec2(number[0] / target_layers.z, number[0] % target_layers.z);
    for (int i = 0; i < 3; i++) {
        gl_Position = gl_in[i].gl_Position;
        gl_Layer = target_layers.x + at.x * target_layers.y + at.y;
        drawn = at;
        EmitVertex();
    }
    EndPrimitive();
}
