// Where sample i of an axis of n samples lies, beyond its ends too; -1 stands for zero.
// wp_extend() in src/plan/plan.c is the same function.
uniform int extension; // one of WP_EXTEND_…: 0 mirror, 1 wrap, 2 clamp, 3 zero; not used where
                       // INSIDE tells that all samples exist

// Without branches and with no division of integers: on a small level, all of whose tiles lie at a
// border, those took a third of the time. Samples less than a million beyond an end are exact.
int extend(int i, int n)
{
#ifdef INSIDE
    return i;
#else
    bool wrap = extension == 1;
    int period = wrap ? n : max(2 * (n - 1), 1);
    int beyond = i < 0 ? -i : i - (n - 1); // the first or the last sample
    int turn = wrap ? beyond - 1 : beyond;
    turn -= period * int((float(turn) + 0.5) / float(period));
    // From the end that is near, of a wrapped axis from the other one.
    int from_end = extension == 0 ? min(turn, period - turn) : wrap ? turn : 0;
    int extended = (i < 0) != wrap ? from_end : n - 1 - from_end;
    return i >= 0 && i < n ? i : extension == 3 ? -1 : extended;
#endif
}
