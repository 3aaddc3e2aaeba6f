// The index of sample i of an axis of n samples, which may be beyond its ends; -1: zero. Equivalent
// to wp_extend() in src/lifting/lifting.c.
uniform int extension; // one of WP_EXTEND_…: 0 mirror, 1 wrap, 2 clamp, 3 zero; not used with
                       // INSIDE, if all samples exist

// Without branches and integer divisions, which took a third of the time of small levels, all of
// whose tiles are at a border. Exact for indices and sizes up to a million.
int extend(int i, int n)
{
#ifdef INSIDE
    return i;
#else
    bool wrap = extension == 1;
    int period = wrap ? n : max(2 * (n - 1), 1);
    int wrapped = i - period * int(floor((float(i) + 0.5) * (1.0 / float(period))));
    int folded = wrap ? wrapped : min(wrapped, period - wrapped);
    int clamped = clamp(i, 0, n - 1);
    return extension < 2 ? folded : extension == 3 && i != clamped ? -1 : clamped;
#endif
}
