#include "shift.h"

// The mixing function of SplitMix64 (Steele, Lea and Flood 2014).
static unsigned long long scramble(unsigned long long x)
{
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ULL;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebULL;
    return x ^ (x >> 31);
}

void wp_shift_at(unsigned long long seed, int number, const int size[3], int shift[3])
{
    for (int a = 0; a < 3; a++) {
        const unsigned long long step = 3 * (unsigned long long)number + (unsigned long long)a + 1;
        shift[a] = (int)(scramble(seed + step * 0x9e3779b97f4a7c15ULL) %
                         (unsigned long long)size[a]);
    }
}
