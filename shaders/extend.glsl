// Where sample i of an axis of n samples lies, beyond its ends too; -1 stands for zero.
// EXTENSION is one of WP_EXTEND_…: 0 mirror, 1 wrap, 2 clamp, 3 zero, or -1 for texels whose
// samples all exist. wp_extend() in src/plan/plan.c is the same function.

// i modulo n for i > -1024 n: GLSL leaves % undefined for negative operands.
int modulo(int i, int n)
{
    return (i + 1024 * n) % n;
}

int extend(int i, int n)
{
#if EXTENSION == 0
    int period = max(2 * (n - 1), 1);
    i = modulo(i, period);
    return i < n ? i : period - i;
#elif EXTENSION == 1
    return modulo(i, n);
#elif EXTENSION == 2
    return clamp(i, 0, n - 1);
#elif EXTENSION == 3
    return i < 0 || i >= n ? -1 : i;
#else
    return i;
#endif
}
