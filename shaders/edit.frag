// Coefficients of a level changed by hand: bands left out, thresholds, one impulse. Stands behind
// stored(), which rounds to what the target holds.
#define THRESHOLD_HARD 1
#define THRESHOLD_SOFT 2
uniform sampler2D source;
uniform ivec2 place;     // texel of quad (0, 0) in the source; the target begins with it
uniform vec4 keep;       // 0 for a band that is left out
uniform vec4 detail;     // 0 for what thresholds leave alone
uniform int threshold;   // one of the above, or 0
uniform vec4 limit;      // of the bands, in their norm
uniform int impulse;     // component of the impulse, -1: all zero but for one elsewhere,
                         // -2: no impulse
uniform ivec2 impulse_at;
layout(location = 0) out vec4 result;

void main()
{
    ivec2 quad = ivec2(gl_FragCoord.xy);
    vec4 v = texelFetch(source, place + quad, 0);
    if (impulse > -2) {
        v = vec4(0.0);
        if (impulse >= 0 && quad == impulse_at)
            v[impulse] = 1.0;
    }
    if (threshold != 0) {
        vec4 kept = threshold == THRESHOLD_SOFT ? sign(v) * max(abs(v) - limit, 0.0) : v;
        vec4 small = vec4(lessThanEqual(abs(v), limit)) * detail;
        v = mix(mix(v, kept, detail), vec4(0.0), small);
    }
    result = stored(v) * keep;
}
