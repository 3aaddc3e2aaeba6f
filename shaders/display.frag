// A band, an image or a surface on the screen: maps values of A and B to colors. Bits of VARIANT: a
// pixel of the screen covers several samples; a texel has one sample; only A is shown; three planes
// are red, green and blue; all components are pictures of one range. These are preprocessor
// conditions because a software renderer computes both branches of an if. Follows texels.glsl.
#define SMALL ((VARIANT & 1) != 0)
#define SINGLE ((VARIANT & 2) != 0)
#define ONLY_A ((VARIANT & 4) != 0)
#define COLOUR ((VARIANT & 8) != 0)
#define PICTURE ((VARIANT & 16) != 0)

// Position of the samples.
uniform sampler2D source, other; // quads of A and of B; for colors, red
uniform sampler2D source_green, source_blue, other_green, other_blue;
uniform ivec4 origin;   // texels of quad (0, 0): A, B
uniform ivec2 samples;
uniform ivec2 other_samples; // of B, if its bands have another size
uniform vec4 to_other;  // sample p of A is shown with sample floor(p * xy + zw) of B; 0: with p
uniform int component;  // 0..3: of each quad; 4: all four, at their positions in the image
uniform int stride_log; // mixed-band layout: samples of this level are at multiples of 2^this
uniform int low_only;   // mixed-band layout: component 0, otherwise the other three

// Position on the screen.
uniform vec2 pane;      // left, top in pixels
uniform float zoom;     // pixels per unit of the view
uniform float screen_height;
uniform vec4 face;      // steps on the tile's face for one step across and one step down the view
uniform vec4 tile;      // left, top on the face; units per sample
uniform float shade;    // brightness of the face
uniform int grid;       // lines between large samples

// How A and B are combined.
#define CHOOSE_A 0
#define CHOOSE_B 1
#define CHOOSE_DIFFERENCE 2
#define CHOOSE_WIPE 3
#define CHOOSE_CHECKER 4
uniform int choose;
uniform float split;    // pixel column of the wipe
#define METRIC_E 0      // A - B; the others: |E|, E^2, both relative to B
#define METRIC_AE 1
#define METRIC_SE 2
#define METRIC_RAE 3
#define METRIC_RSE 4
uniform int metric;     // of a difference

// How values are mapped to colors.
#define SCALE_SIGNED 0
#define SCALE_ABSOLUTE 1
#define SCALE_LOG 2
#define MAP_DIVERGING 0
#define MAP_VIRIDIS 1
#define MAP_CIVIDIS 2
#define MAP_GRAY 3
uniform sampler2D maps; // 256 colors per row, one row per map
uniform vec4 black, white; // of each component
uniform ivec4 picture;  // 1: unsigned, from black to white; 0: signed, with zero in the middle
uniform vec2 look;      // gain, offset
uniform int scale;
uniform int map;        // for one plane

// One plane: a color map.
vec3 colour(float t, bool without_sign, bool of_picture)
{
    bool white_to_orange = map == MAP_DIVERGING && without_sign;
    int row = map == MAP_DIVERGING && of_picture ? MAP_GRAY : map;
    t = clamp(white_to_orange && row == map ? 0.5 + 0.5 * t : t, 0.0, 1.0);
    return texelFetch(maps, ivec2(int(255.0 * t + 0.5), row), 0).rgb;
}

// Three planes: red, green and blue, with zero as gray. Zero is 128 of 255 with 127 steps in each
// direction, as in picture.c.
vec3 colour(vec3 t, bool without_sign, bool of_picture)
{
    bool about_grey = !without_sign && !of_picture;
    return clamp(about_grey ? (128.0 + 127.0 * (2.0 * t - 1.0)) / 255.0 : t, 0.0, 1.0);
}

bool is_finite(float v)
{
    return !isnan(v) && !isinf(v);
}

bool is_finite(vec3 v)
{
    return is_finite(v.r) && is_finite(v.g) && is_finite(v.b);
}

#if COLOUR
#define VALUE vec3
#else
#define VALUE float
#endif

vec3 shown(VALUE v, int c)
{
    if (!is_finite(v))
        return vec3(0.86, 0.2, 0.55);
#if PICTURE
    const bool of_picture = true;
    c = 0;
#else
    bool of_picture = picture[c] != 0;
#endif
    bool of_metric = choose == CHOOSE_DIFFERENCE && metric != METRIC_E;
    bool without_sign = !of_picture && (scale != SCALE_SIGNED || of_metric);
    float gain = look.x, offset = look.y;
    VALUE t;
    if (of_picture)
        t = (v - black[c]) / (white[c] - black[c]) * gain + offset;
    else
        t = v / white[c] * gain;
    if (without_sign)
        t = (scale == SCALE_LOG ? log2(1.0 + 255.0 * abs(t)) / 8.0 : abs(t)) + offset;
    else if (!of_picture)
        t = 0.5 + 0.5 * t + offset;
    return colour(t, without_sign, of_picture); // once, because it reads the map
}

VALUE difference(VALUE a, VALUE b)
{
    VALUE e = a - b;
    if (metric == METRIC_AE)
        return abs(e);
    if (metric == METRIC_SE)
        return e * e;
    // 0.01 is added to |B| to avoid a division by zero.
    if (metric == METRIC_RAE)
        return abs(e) / (abs(b) + 0.01);
    return metric == METRIC_RSE ? e * e / (b * b + 0.01) : e;
}

int component_at(ivec2 p)
{
#if SINGLE
    return 0;
#else
    return component < 4 ? component : (p.x & 1) + 2 * (p.y & 1);
#endif
}

float value_at(sampler2D texture_of_quads, ivec2 first, ivec2 p)
{
    ivec2 quad = component < 4 ? p : p >> 1;
    return texelFetch(texture_of_quads, first + quad, 0)[component_at(p)];
}

VALUE value_of_a(ivec2 p)
{
#if SINGLE && COLOUR
    return texelFetch(source, origin.xy + p, 0).rgb;
#elif COLOUR
    return vec3(value_at(source, origin.xy, p), value_at(source_green, origin.xy, p),
                value_at(source_blue, origin.xy, p));
#else
    return value_at(source, origin.xy, p);
#endif
}

VALUE value_of_b(ivec2 p)
{
    if (to_other.x != 0.0)
        p = clamp(ivec2(floor(vec2(p) * to_other.xy + to_other.zw)), ivec2(0), other_samples - 1);
#if SINGLE && COLOUR
    return texelFetch(other, origin.zw + p, 0).rgb;
#elif COLOUR
    return vec3(value_at(other, origin.zw, p), value_at(other_green, origin.zw, p),
                value_at(other_blue, origin.zw, p));
#else
    return value_at(other, origin.zw, p);
#endif
}

bool shows_b(vec2 pixel)
{
    if (choose == CHOOSE_WIPE)
        return pixel.x >= split;
    if (choose == CHOOSE_CHECKER) {
        ivec2 square = ivec2(floor((pixel - pane) / 64.0));
        return ((square.x + square.y) & 1) == 1;
    }
    return choose == CHOOSE_B;
}

vec3 shown_at(ivec2 p, vec2 pixel)
{
    p = clamp(p, ivec2(0), samples - 1);
    int c = component_at(p);
#if ONLY_A
    return shown(value_of_a(p), c);
#else
    if (choose == CHOOSE_DIFFERENCE)
        return shown(difference(value_of_a(p), value_of_b(p)), c);
    return shown(shows_b(pixel) ? value_of_b(p) : value_of_a(p), c);
#endif
}

vec4 texel_at(ivec2 texel)
{
    vec2 pixel = vec2(float(texel.x) + 0.5, screen_height - (float(texel.y) + 0.5));
    mat2 steps = mat2(face.xy, face.zw);
    vec2 at = (steps * ((pixel - pane) / zoom) - tile.xy) / tile.zw;
    ivec2 p = ivec2(floor(at));
    if (any(lessThan(p, ivec2(0))))
        NOTHING;
    if (stride_log >= 0) {
        // Nearest sample only: neighbors belong to other bands.
        int mask = (1 << stride_log) - 1;
        if (((p.x | p.y) & mask) != 0)
            NOTHING;
        p >>= stride_log;
        bool low = ((p.x | p.y) & 1) == 0;
        if (any(greaterThanEqual(p, samples)) || low != (low_only != 0))
            NOTHING;
        return vec4(shown_at(p, pixel), 1.0);
    }
    if (any(greaterThanEqual(p, samples)))
        NOTHING;
    vec2 pixels = zoom * tile.zw; // per sample
    vec3 c;
#if !SMALL
    c = shown_at(p, pixel);
    vec2 edge = fract(at) * pixels;
    if (grid != 0 && min(pixels.x, pixels.y) >= 8.0 && (edge.x < 1.0 || edge.y < 1.0))
        c = mix(c, vec3(0.5), 0.35);
#else
    // The mean of the samples that a pixel covers, at up to 8 x 8 points.
    vec2 across = abs(steps[0]) / pixels, down = abs(steps[1]) / pixels; // samples
    int n = clamp(int(ceil(max(max(across.x, across.y), max(down.x, down.y)))), 2, 8);
    c = vec3(0.0);
    for (int y = 0; y < n; y++)
        for (int x = 0; x < n; x++) {
            vec2 part = (vec2(x, y) + 0.5) / float(n) - 0.5;
            c += shown_at(ivec2(floor(at + steps * part / pixels)), pixel);
        }
    c /= float(n * n);
#endif
    return vec4(shade * c, 1.0);
}
