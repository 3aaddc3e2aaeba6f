// The steps of any wavelet as the shape of kernels on the host. Include after cmocka.h and lifting.h.
#ifndef HOST_STEPS_H
#define HOST_STEPS_H

// Steps of any wavelet with at most STEPS steps and taps from -1 to 1. REACH: as of the program.
template <bool INVERSE, int REACH>
struct any_steps {
    static constexpr bool inverse = INVERSE, rounds = false;
    static constexpr int steps = 6, reach_low = REACH, reach_high = REACH;
    static constexpr bool is_predict(int s) { return (s % 2 == 0) != INVERSE; }
    static constexpr int kmin(int) { return -1; }
    static constexpr int kmax(int) { return 1; }
    static bool has(int s, int k) { return c[s][k] != 0; }
    struct table {};
    static inline double c[steps][3];
    static double tap(const table &, int s, int k) { return c[s][k]; }

    static void set(const wp_lifting &lifting)
    {
        memset(c, 0, sizeof c);
        assert_true(lifting.steps <= steps && lifting.before <= REACH && lifting.after <= REACH);
        for (int s = 0; s < lifting.steps; s++) {
            assert_true(lifting.step[s].odd == is_predict(s));
            for (int t = 0; t < lifting.step[s].filter.count; t++)
                c[s][lifting.step[s].filter.tap[t].k + 1] = lifting.step[s].filter.tap[t].c;
        }
    }
};

#endif
