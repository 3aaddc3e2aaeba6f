// Where sample i of an axis of n samples lies, beyond its ends too; -1 stands for zero.
// wp_extend() in src/plan/plan.c is the same function.
uniform int extension; // one of WP_EXTEND_…: 0 mirror, 1 wrap, 2 clamp, 3 zero; not used where
                       // INSIDE tells that all samples exist

// i modulo n for i > -1024 n: GLSL leaves % undefined for negative operands.
int modulo(int i, int n)
{
    return (i + 1024 * n) % n;
}

int extend(int i, int n)
{
#ifndef INSIDE
    // Divisions take long, and once round is enough but where n is less than what a filter reaches.
    if (extension == 0) {
        int once = n - 1 - abs(n - 1 - abs(i));
        return once >= 0 ? once : n - 1 - abs(n - 1 - modulo(i, max(2 * (n - 1), 1)));
    }
    if (extension == 1) {
        int once = i < 0 ? i + n : i >= n ? i - n : i;
        return once >= 0 && once < n ? once : modulo(i, n);
    }
    return extension == 3 && (i < 0 || i >= n) ? -1 : clamp(i, 0, n - 1);
#else
    return i;
#endif
}
