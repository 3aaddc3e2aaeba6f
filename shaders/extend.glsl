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
    if (i >= 0 && i < n)
        return i;
    if (extension == 0) {
        int period = max(2 * (n - 1), 1);
        i = modulo(i, period);
        return i < n ? i : period - i;
    }
    if (extension == 1)
        return modulo(i, n);
    return extension == 2 ? clamp(i, 0, n - 1) : -1;
#else
    return i;
#endif
}
