// Where sample i of an axis of n samples lies, beyond its ends too; -1 stands for zero.
// wp_extend() in src/lifting/lifting.c is the same function.
uniform int extension; // one of WP_EXTEND_…: 0 mirror, 1 wrap, 2 clamp, 3 zero; not used where
                       // INSIDE tells that all samples exist

// Without branches and with no division of integers: on a small level, all of whose tiles lie at a
// border, those took a third of the time. Exact for indices and sizes up to a million.
int extend(int i, int n)
{
#ifdef INSIDE
    return i;
#else
    bool wrap = extension == 1;
    int period = wrap ? n : max(2 * (n - 1), 1);
    int turn = i - period * int(floor((float(i) + 0.5) * (1.0 / float(period))));
    int turned = wrap ? turn : min(turn, period - turn);
    int clamped = clamp(i, 0, n - 1);
    return extension < 2 ? turned : extension == 3 && i != clamped ? -1 : clamped;
#endif
}
