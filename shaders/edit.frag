// Edits coefficients of a level: zeroed bands, thresholds, factors, one impulse. Follows
// texels.glsl and stored(), which rounds to the precision of the target.
#define THRESHOLD_HARD 1
#define THRESHOLD_SOFT 2
#define THRESHOLD_GARROTE 3
uniform sampler2D source;
uniform ivec2 origin;    // texel of quad (0, 0) in the source; it is texel (0, 0) of the target
uniform vec4 band_gain;  // factors of the components
uniform int threshold;   // one of the above, or 0
uniform vec4 limit;      // thresholds of the components, in their normalization; 0 changes nothing
uniform int impulse;     // component of the impulse; -1: all zero, the impulse is elsewhere;
                         // -2: no impulse
uniform ivec2 impulse_at;

vec4 texel_at(ivec2 quad)
{
    vec4 v = texelFetch(source, origin + quad, 0);
    if (impulse > -2) {
        v = vec4(0.0);
        if (impulse >= 0 && quad == impulse_at)
            v[impulse] = 1.0;
    }
    if (threshold != 0) {
        bvec4 small = lessThanEqual(abs(v), limit);
        if (threshold == THRESHOLD_SOFT)
            v = sign(v) * max(abs(v) - limit, 0.0);
        else if (threshold == THRESHOLD_GARROTE)
            v -= limit * (limit / v);
        v = mix(v, vec4(0.0), small);
    }
    return stored(v * band_gain);
}
