// Edits coefficients of a level: zeroed bands, thresholds, one impulse. Follows stored(), which
// rounds to the precision of the target.
#define THRESHOLD_HARD 1
#define THRESHOLD_SOFT 2
uniform sampler2D source;
uniform ivec2 origin;    // texel of quad (0, 0) in the source; it is texel (0, 0) of the target
uniform vec4 band_gain;  // 0 for a zeroed band, else 1
uniform vec4 detail;     // 0 for components that thresholds do not change
uniform int threshold;   // one of the above, or 0
uniform vec4 limit;      // thresholds of the components, in their normalization
uniform int impulse;     // component of the impulse; -1: all zero, the impulse is elsewhere;
                         // -2: no impulse
uniform ivec2 impulse_at;
layout(location = 0) out vec4 result;

void main()
{
    ivec2 quad = ivec2(gl_FragCoord.xy);
    vec4 v = texelFetch(source, origin + quad, 0);
    if (impulse > -2) {
        v = vec4(0.0);
        if (impulse >= 0 && quad == impulse_at)
            v[impulse] = 1.0;
    }
    if (threshold != 0) {
        vec4 shrunk = threshold == THRESHOLD_SOFT ? sign(v) * max(abs(v) - limit, 0.0) : v;
        vec4 small = vec4(lessThanEqual(abs(v), limit)) * detail;
        v = mix(mix(v, shrunk, detail), vec4(0.0), small);
    }
    result = stored(v) * band_gain;
}
