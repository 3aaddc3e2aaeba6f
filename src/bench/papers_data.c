// Values as published in the papers' tables. Figures do not give values, so they are represented by
// the statements of the text.
#include "bench.h"

#include <stddef.h>

#define COUNT_OF(array) (int)(sizeof(array) / sizeof *(array))
#define SWEEP(...) (const char *const[]){__VA_ARGS__, NULL}
#define VALUES(rows) .row = (rows), .row_count = COUNT_OF(rows)
#define CLAIMS(claims) .claim = (claims), .claim_count = COUNT_OF(claims)

// --- D. Barina, M. Kula, M. Matysek, P. Zemcik 2017

#define BARINA "D. Barina, M. Kula, M. Matysek, P. Zemcik: Accelerating Discrete Wavelet " \
               "Transforms on Parallel Architectures, 2017"
#define BARINA_SWEEP(wavelet) \
    SWEEP("-w " wavelet " -s all -b fragment --size 256..8192 -l 1", \
          "-w " wavelet " -s all -b compute --size 256..8192 -l 1")
#define BARINA_DIFFERS \
    "The paper's shaders are HLSL under DirectX on an NVIDIA Titan X (Pascal, 480 GB/s), its " \
    "OpenCL kernels ran on an AMD Radeon HD 6970 (176 GB/s, on-chip memory used between steps; " \
    "both Table 2). Here OpenGL fragment shaders stand for the first and compute shaders, with " \
    "shared memory, for the second. Its curves of GB/s over Mpel are pictures without values; " \
    "the statements of section 6 are compared with ours."

#define ON(backend_, scheme_) {.backend = backend_, .scheme = scheme_}
#define FASTER(fast_, slow_, words) \
    {"fragment: " words, ON("fragment", fast_), ON("fragment", slow_), 1.0}, \
    {"compute: " words, ON("compute", fast_), ON("compute", slow_), 1.0}
#define NONSEPARABLE(stem, words) \
    FASTER("nonsep-" stem, "sep-" stem, "non-separable " words " beats separable " words)
#define BEATS_LIFTING(stem, words) \
    FASTER("nonsep-" stem, "nonsep-lifting", \
           "non-separable " words " beats non-separable lifting")

static const struct wp_paper_claim fig7[] = {
    NONSEPARABLE("convolution", "convolution"),
    NONSEPARABLE("lifting", "lifting"),
    BEATS_LIFTING("convolution", "convolution"),
};

static const struct wp_paper_claim fig8[] = {
    NONSEPARABLE("convolution", "convolution"),
    NONSEPARABLE("polyconvolution", "polyconvolution"),
    NONSEPARABLE("lifting", "lifting"),
    BEATS_LIFTING("convolution", "convolution"),
    BEATS_LIFTING("polyconvolution", "polyconvolution"),
};

static const struct wp_paper_claim fig9[] = {
    NONSEPARABLE("lifting", "lifting"),
    FASTER("sep-convolution", "nonsep-convolution",
           "of the convolutions the non-separable one does not win"),
};

// Table 1: steps, and operations of the column "shaders".
#define TABLE1(ROW) \
    ROW("cdf53", "sep-convolution", "separable convolution", 2, 22), \
    ROW("cdf53", "sep-lifting", "separable lifting", 4, 16), \
    ROW("cdf53", "nonsep-convolution", "non-separable convolution", 1, 39), \
    ROW("cdf53", "nonsep-lifting", "non-separable lifting", 2, 18), \
    ROW("cdf97", "sep-convolution", "separable convolution", 2, 58), \
    ROW("cdf97", "sep-polyconvolution", "separable polyconv.", 4, 56), \
    ROW("cdf97", "sep-lifting", "separable lifting", 8, 32), \
    ROW("cdf97", "nonsep-convolution", "non-separable convolution", 1, 200), \
    ROW("cdf97", "nonsep-polyconvolution", "non-separable polyconv.", 2, 62), \
    ROW("cdf97", "nonsep-lifting", "non-separable lifting", 4, 36), \
    ROW("dd137", "sep-convolution", "separable convolution", 2, 60), \
    ROW("dd137", "sep-lifting", "separable lifting", 4, 32), \
    ROW("dd137", "nonsep-convolution", "non-separable convolution", 1, 228), \
    ROW("dd137", "nonsep-lifting", "non-separable lifting", 2, 50)
#define SHADERS(wavelet_, scheme_) \
    {.backend = "fragment", .wavelet = wavelet_, .scheme = scheme_, .direction = "forward"}
#define STEPS(wavelet, scheme, words, steps, operations) \
    {words, "-", NULL, SHADERS(wavelet, scheme), steps, WP_PAPER_STEPS}
#define OPERATIONS(wavelet, scheme, words, steps, operations) \
    {words, "-", NULL, SHADERS(wavelet, scheme), operations, WP_PAPER_OPERATIONS}

static const struct wp_paper_row barina_table1[] = {TABLE1(STEPS), TABLE1(OPERATIONS)};

// --- T. M. Quan, W.-K. Jeong 2016

#define QUAN2016 "T. M. Quan, W.-K. Jeong: A fast discrete wavelet transform using hybrid " \
                 "parallelism on GPUs, IEEE TPDS 27(11), 2016"
#define K40 "NVIDIA Tesla K40 (Kepler)"
#define C2050 "NVIDIA Tesla C2050 (Fermi)"
#define QUAN2016_DIFFERS \
    "The paper's times are means over at least 200 runs of forward and inverse on a Kepler GPU " \
    "of 2013; ours are medians, the mean of the two directions. Borders are symmetric and the " \
    "norm is jpeg2000 in ours; the paper reports neither."
#define QUAN2016_SIZES "--size 512,1024,1920x1080,2048,4096 --direction forward,inverse"

#define CELL(label_, hardware_, variant_, wavelet_, layout_, levels_, w, h, value_) \
    {label_, hardware_, NULL, {.backend = "cuda", .variant = variant_, .wavelet = wavelet_, \
                               .layout = layout_, .levels = levels_, .width = w, .height = h}, \
     value_, WP_PAPER_MS}
// A column of a table with sizes 512, 1024, 1920x1080, 2048, 4096; 0: not published.
#define COLUMN(label, hardware, variant, a, b, c, d, e) \
    CELL(label, hardware, variant, "cdf97", "mallat", 1, 512, 512, a), \
    CELL(label, hardware, variant, "cdf97", "mallat", 1, 1024, 1024, b), \
    CELL(label, hardware, variant, "cdf97", "mallat", 1, 1920, 1080, c), \
    CELL(label, hardware, variant, "cdf97", "mallat", 1, 2048, 2048, d), \
    CELL(label, hardware, variant, "cdf97", "mallat", 1, 4096, 4096, e)
#define OTHER_CELL(label_, hardware_, program, w, h, value_) \
    {label_, hardware_, program, {.wavelet = "cdf97", .levels = 1, .width = w, .height = h}, \
     value_, WP_PAPER_MS}
#define OTHER(label, hardware, program, a, b, c, d, e) \
    OTHER_CELL(label, hardware, program, 512, 512, a), \
    OTHER_CELL(label, hardware, program, 1024, 1024, b), \
    OTHER_CELL(label, hardware, program, 1920, 1080, c), \
    OTHER_CELL(label, hardware, program, 2048, 2048, d), \
    OTHER_CELL(label, hardware, program, 4096, 4096, e)

static const struct wp_paper_row quan2016_table2[] = {
    COLUMN("gmem", K40, "gmem", 0.2572, 0.9219, 1.8157, 3.5802, 14.1514),
    COLUMN("smem", K40, "smem", 0.2119, 0.8072, 1.6061, 3.2048, 12.7280),
    COLUMN("reg", K40, "reg", 0.1751, 0.6667, 1.3269, 2.6476, 10.5169),
    COLUMN("ilp", K40, "ilp", 0.0484, 0.1612, 0.3065, 0.6046, 2.3916),
    COLUMN("warp", K40, "warp", 0.0329, 0.1081, 0.2052, 0.4049, 1.5946),
    COLUMN("hybrid", K40, "hybrid", 0.0201, 0.0580, 0.1069, 0.2076, 0.8066),
};

// Tables 4 and 5 have a row for each thread block and a column for each ILP (samples per thread);
// Table 3 gives their tiles.
#define SHAPES(w, h, r1, r2, q1, q2, q3, h1, h2, h3, h4, s1, s2, s3, s4, t1, t2, t3) \
    SHAPE("32x1, ILP 16: tile 64x16", "full-register-64x16", w, h, r1), \
    SHAPE("32x1, ILP 32: tile 64x32", "full-register", w, h, r2), \
    SHAPE("32x4, ILP 8: tile 64x16", "hybrid-32x4-64x16", w, h, q1), \
    SHAPE("32x4, ILP 16: tile 64x32", "hybrid-32x4-64x32", w, h, q2), \
    SHAPE("32x4, ILP 32: tile 64x64", "hybrid-32x4-64x64", w, h, q3), \
    SHAPE("32x8, ILP 4: tile 64x16", "hybrid-32x8-64x16", w, h, h1), \
    SHAPE("32x8, ILP 8: tile 64x32", "hybrid", w, h, h2), \
    SHAPE("32x8, ILP 16: tile 64x64", "hybrid-32x8-64x64", w, h, h3), \
    SHAPE("32x8, ILP 32: tile 64x128", "hybrid-32x8-64x128", w, h, h4), \
    SHAPE("32x16, ILP 1: tile 64x16", "warp-32x16-64x16", w, h, s1), \
    SHAPE("32x16, ILP 4: tile 64x32", "hybrid-32x16-64x32", w, h, s2), \
    SHAPE("32x16, ILP 8: tile 64x64", "hybrid-32x16-64x64", w, h, s3), \
    SHAPE("32x16, ILP 16: tile 64x128", "hybrid-32x16-64x128", w, h, s4), \
    SHAPE("32x32, ILP 1: tile 64x32", "warp", w, h, t1), \
    SHAPE("32x32, ILP 4: tile 64x64", "hybrid-32x32-64x64", w, h, t2), \
    SHAPE("32x32, ILP 8: tile 64x128", "hybrid-32x32-64x128", w, h, t3)
#define SHAPE(label, variant, w, h, value) \
    CELL(label, K40, variant, "cdf97", "mallat", 1, w, h, value)
#define SHAPES_SWEEP(size) \
    SWEEP("-w cdf97 -b cuda -l 1 --direction forward,inverse --size " size \
          " --variant full-register-64x16,full-register,hybrid-32x4-64x16,hybrid-32x4-64x32," \
          "hybrid-32x4-64x64,hybrid-32x8-64x16,hybrid,hybrid-32x8-64x64,hybrid-32x8-64x128," \
          "warp-32x16-64x16,hybrid-32x16-64x32,hybrid-32x16-64x64,hybrid-32x16-64x128,warp," \
          "hybrid-32x32-64x64,hybrid-32x32-64x128")

static const struct wp_paper_row quan2016_table4[] = {
    SHAPES(1024, 1024, 0.08728, 0.23954, 0.08594, 0.06403, 0.11589, 0.09809, 0.06033, 0.08215,
           0.14014, 0.14144, 0.06940, 0.07224, 0.12643, 0.11320, 0.07807, 0.10729)};

static const struct wp_paper_row quan2016_table5[] = {
    SHAPES(1920, 1080, 0.16205, 0.45436, 0.16094, 0.11829, 0.21642, 0.18526, 0.11145, 0.15333,
           0.26044, 0.27010, 0.12919, 0.13411, 0.23910, 0.21490, 0.14499, 0.20212)};

static const struct wp_paper_row quan2016_table6[] = {
    OTHER("gsl", "Intel Core i7-4790K", "GSL 1.16", 3.309, 16.911, 0, 132.794, 635.031),
    OTHER("matlab", "Intel Core i7-4790K", "MATLAB 2015b", 22.600, 91.800, 167.400, 349.700,
          1202.800),
    COLUMN("gmem", K40, "gmem", 0.539, 2.222, 4.632, 9.051, 35.222),
    COLUMN("smem", K40, "smem", 0.501, 2.172, 4.345, 8.846, 34.090),
    COLUMN("reg", K40, "reg", 0.491, 2.085, 4.308, 8.531, 33.311),
    COLUMN("ilp", K40, "ilp", 0.372, 1.589, 3.325, 6.614, 25.779),
    COLUMN("warp", K40, "warp", 0.380, 1.566, 3.310, 6.416, 24.961),
    COLUMN("hybrid", K40, "hybrid", 0.356, 1.539, 3.195, 6.389, 24.776),
};

static const struct wp_paper_row quan2016_table7[] = {
    OTHER("Matela", C2050, "Matela's program", 0.51, 1.31, 2.36, 4.51, 17.25),
    OTHER("Franco et al.", C2050, "Franco et al.'s program", 0.35, 1.08, 2.14, 3.86, 16.38),
    OTHER("Song et al. 2011", C2050, "Song et al.'s program of 2011", 0.46, 1.05, 1.79, 2.54,
          14.15),
    OTHER("Laan et al.", C2050, "Laan et al.'s program", 0.25, 0.66, 1.21, 1.98, 7.18),
    OTHER("Song et al. 2014", C2050, "Song et al.'s program of 2014", 0.16, 0.46, 0.86, 1.68,
          6.44),
    COLUMN("ilp", C2050, "ilp", 0.107, 0.387, 0.747, 1.489, 5.924),
    COLUMN("Enfedaque et al., ours full-register", K40, "full-register", 0.0545, 0.1452, 0,
           0.4812, 1.7919),
    COLUMN("hybrid", K40, "hybrid", 0.0204, 0.0594, 0.1114, 0.2227, 0.8678),
};

// Levels 1 to 4 for one size.
#define LEVELS(label, variant, wavelet, layout, side, a, b, c, d) \
    CELL(label, K40, variant, wavelet, layout, 1, side, side, a), \
    CELL(label, K40, variant, wavelet, layout, 2, side, side, b), \
    CELL(label, K40, variant, wavelet, layout, 3, side, side, c), \
    CELL(label, K40, variant, wavelet, layout, 4, side, side, d)
#define ENFEDAQUE "Enfedaque et al., ours full-register", "full-register", "cdf97", "mallat"
#define HYBRID97 "hybrid", "hybrid", "cdf97", "mallat"
#define HYBRID_HAAR "hybrid", "hybrid", "haar", "mallat"
#define MIXED_HAAR "mb-hybrid, ours mixed-band", "mixed-band", "haar", "mixed"

// Expands its arguments, so that the macros above become four arguments.
#define LEVELS_OF(...) LEVELS(__VA_ARGS__)

static const struct wp_paper_row quan2016_table8[] = {
    LEVELS_OF(ENFEDAQUE, 512, 0.0545, 0.0835, 0.1107, 0.1364),
    LEVELS_OF(ENFEDAQUE, 1024, 0.1452, 0.2006, 0.2259, 0.2533),
    LEVELS_OF(ENFEDAQUE, 2048, 0.4812, 0.6251, 0.6770, 0.7064),
    LEVELS_OF(ENFEDAQUE, 4096, 1.7919, 2.2756, 2.4170, 2.4733),
    LEVELS_OF(HYBRID97, 512, 0.0204, 0.0407, 0.0544, 0.0670),
    LEVELS_OF(HYBRID97, 1024, 0.0594, 0.1015, 0.1197, 0.1334),
    LEVELS_OF(HYBRID97, 2048, 0.2227, 0.3505, 0.3878, 0.4057),
    LEVELS_OF(HYBRID97, 4096, 0.8678, 1.3525, 1.4717, 1.5086),
};

static const struct wp_paper_row quan2016_table9[] = {
    LEVELS_OF(HYBRID_HAAR, 512, 0.0150, 0.0298, 0.0414, 0.0524),
    LEVELS_OF(HYBRID_HAAR, 1024, 0.0458, 0.0753, 0.0901, 0.1016),
    LEVELS_OF(HYBRID_HAAR, 2048, 0.1810, 0.2810, 0.3106, 0.3251),
    LEVELS_OF(HYBRID_HAAR, 4096, 0.7162, 1.1165, 1.2181, 1.2479),
    LEVELS_OF(MIXED_HAAR, 512, 0.0129, 0.0152, 0.0182, 0.0192),
    LEVELS_OF(MIXED_HAAR, 1024, 0.0333, 0.0417, 0.0522, 0.0560),
    LEVELS_OF(MIXED_HAAR, 2048, 0.1139, 0.1472, 0.1888, 0.2039),
    LEVELS_OF(MIXED_HAAR, 4096, 0.4470, 0.5690, 0.7336, 0.7934),
};

// --- T. M. Quan, W.-K. Jeong 2014

#define FULL(label_, hardware_, program, backend_, variant_, layout_, direction_, side, levels_, \
             value_) \
    {label_, hardware_, program, {.backend = backend_, .variant = variant_, .wavelet = "haar", \
                                  .layout = layout_, .direction = direction_, .width = side, \
                                  .height = side, .levels = levels_}, value_, WP_PAPER_MS}
// Forward and inverse for sizes 64, 512 and 4096, all levels.
#define ALL_LEVELS(label, hardware, program, backend, variant, layout, f64, i64, f512, i512, \
                   f4096, i4096) \
    FULL(label, hardware, program, backend, variant, layout, "forward", 64, 6, f64), \
    FULL(label, hardware, program, backend, variant, layout, "inverse", 64, 6, i64), \
    FULL(label, hardware, program, backend, variant, layout, "forward", 512, 9, f512), \
    FULL(label, hardware, program, backend, variant, layout, "inverse", 512, 9, i512), \
    FULL(label, hardware, program, backend, variant, layout, "forward", 4096, 12, f4096), \
    FULL(label, hardware, program, backend, variant, layout, "inverse", 4096, 12, i4096)

static const struct wp_paper_row quan2014_table1[] = {
    ALL_LEVELS("conventional, MATLAB", "a CPU", "MATLAB's", NULL, NULL, NULL, 50.129, 51.213,
               317.39, 315.13, 9319.7, 9432.5),
    ALL_LEVELS("conventional, GSL", "a CPU", "GSL's", NULL, NULL, NULL, 0.692, 0.680, 322.90,
               318.56, 282986.4, 282546.5),
    ALL_LEVELS("conventional, optimized CPU", "one core of a CPU", NULL, "cpu", "fused", "mallat",
               0.234, 0.219, 21.25, 20.23, 3473.6, 3417.2),
    ALL_LEVELS("mixed-band, optimized CPU", "one core of a CPU", NULL, "cpu", "fused", "mixed",
               0.261, 0.281, 26.13, 27.66, 3257.9, 3229.7),
    ALL_LEVELS("mixed-band, optimized GPU", "NVIDIA M2090 (Fermi)", NULL, "cuda", "mixed-band",
               "mixed", 0.008, 0.009, 0.081, 0.081, 4.599, 4.597),
};

// Section 3.1, on volumes: "around ~60 milliseconds"; other authors "about 150 ms".
#define CUBE(backend_) \
    {.backend = backend_, .wavelet = "haar", .direction = "forward", .includes = "", \
     .width = 512, .height = 512, .depth = 512, .levels = 3}

static const struct wp_paper_row quan2014_volume[] = {
    {"mixed-band, optimized GPU", "NVIDIA M2090 (Fermi)", NULL, CUBE("cuda"), 60, WP_PAPER_MS},
    {"Van der Laan et al., 16-bit integers", "NVIDIA G80", "Van der Laan et al.'s program",
     CUBE(NULL), 150, WP_PAPER_MS},
};

// --- V. Galiano, O. Lopez, M. P. Malumbres, H. Migallon 2011

#define GALIANO "V. Galiano, O. Lopez, M. P. Malumbres, H. Migallon: Improving the discrete " \
                "wavelet transform computation from multicore to GPU-based algorithms, CMMSE " \
                "2011"
#define GALIANO_CPU \
    "The paper used an Intel Core 2 Quad Q6600 (2.4 GHz, gcc 4.3.3, -O3). "
#define GALIANO_GPU "The paper used an NVIDIA GTX 280. "
#define GALIANO_FIGURE \
    "Its number of levels is not reported; here it is 1. The figure is a picture without values; " \
    "ours is compared with the statements of the text. "
#define VARIANT(backend_, variant_) {.backend = backend_, .variant = variant_}

#define ON_CORES(variant_, count) \
    {.backend = "cpu", .variant = variant_, .threads = count}
#define SCALES(variant, words, count, least, sentence) \
    {words sentence, ON_CORES(variant, count), ON_CORES(variant, 1), least}
#define SCALES_ON_TWO(variant, words) \
    SCALES(variant, words, 2, 1.9, " gains more than 1.9 times on two cores (section 4)")
#define SCALES_ON_FOUR(variant, words) \
    SCALES(variant, words, 4, 2.4, " gains 2.4 to 3.4 times on four cores (section 4)")

static const struct wp_paper_claim galiano_fig3[] = {
    {"convolution beats lifting (section 4)", VARIANT("cpu", "conv-row-column"),
     VARIANT("cpu", "lifting-row-column"), 1.0},
    SCALES_ON_TWO("conv-row-column", "convolution"),
    SCALES_ON_TWO("lifting-row-column", "lifting"),
    SCALES_ON_FOUR("conv-row-column", "convolution"),
    SCALES_ON_FOUR("lifting-row-column", "lifting"),
};

static const struct wp_paper_claim galiano_fig4[] = {
    {"convolution is 2.5 times as fast as SMDWT (section 2)", VARIANT("cpu", "conv-row-column"),
     VARIANT("cpu", "smdwt"), 2.5},
    {"lifting is 2.5 times as fast as SMDWT (section 2)", VARIANT("cpu", "lifting-row-column"),
     VARIANT("cpu", "smdwt"), 2.5},
};

#define SEPARABLE_BEATS(variant, name) \
    {"CUDA-Sep beats " name " (section 3; up to 2.7 times at 4096x4096)", \
     VARIANT("cuda", "conv-separable"), VARIANT("cuda", variant), 1.0}

static const struct wp_paper_claim galiano_fig7[] = {
    SEPARABLE_BEATS("conv-row", "CUDA-Conv"),
    SEPARABLE_BEATS("conv-global", "CUDA-Mem"),
    SEPARABLE_BEATS("conv-texture", "CUDA-Text"),
};

// --- V. Galiano, O. Lopez, M. P. Malumbres, H. Migallon 2012, on video

#define GALIANO2012 "V. Galiano, O. Lopez, M. P. Malumbres, H. Migallon: Transformada Wavelet 3D " \
                    "en GPUs, 2012"
#define GROUPS(size) size "x16," size "x32," size "x64," size "x128"
#define VIDEO "-w cdf97 -l 1 --size " GROUPS("1280x640") "," GROUPS("1920x1024")
#define ONE_CORE "-b cpu --threads 1 --variant conv-row-column"
#define WITH_COPIES " --include upload,download"
#define OVERLAPPED " --include overlapped"
#define COPIES_SEPARATE(variant) \
    SWEEP(VIDEO " -b cuda --variant " variant, VIDEO " -b cuda --variant " variant WITH_COPIES, \
          VIDEO " -b cuda --variant " variant OVERLAPPED, VIDEO " -b cpu", \
          VIDEO " -b cpu" WITH_COPIES)
#define SPEED_UPS(variants) \
    SWEEP(VIDEO " -b cuda --variant " variants, VIDEO " -b cuda --variant " variants WITH_COPIES, \
          VIDEO " " ONE_CORE)
#define GALIANO2012_DIFFERS \
    "The paper used an NVIDIA GTX 280 and an NVIDIA GMT540, and one thread of an Intel Core 2 " \
    "Quad Q6600 (2.4 GHz). Its number of levels is not reported; here it is 1. The figure is a " \
    "picture without values; ours is compared with the statements of the text. On the CPU upload " \
    "and download are copies within its memory."

#define TRANSFORM_ONLY(backend_, variant_) \
    {.backend = backend_, .variant = variant_, .includes = ""}
#define COPIED(backend_, variant_) \
    {.backend = backend_, .variant = variant_, .includes = "upload,download"}
// 128 frames on a GPU compared with one core.
#define OVER_ONE_CORE(variant_, words, least) \
    {words " (128 frames)", \
     {.backend = "cuda", .variant = variant_, .includes = "", .depth = 128}, \
     {.backend = "cpu", .variant = "conv-row-column", .includes = "", .depth = 128, .threads = 1}, \
     least}

static const struct wp_paper_claim galiano2012_fig3[] = {
    {"copies between CPU and GPU take longer than computing (section 5)",
     TRANSFORM_ONLY("cuda", "global"), COPIED("cuda", "global"), 2.0},
};

static const struct wp_paper_claim galiano2012_fig4[] = {
    OVER_ONE_CORE("global",
                  "the GTX 280 is 26 times as fast as one core (summary: 19.7), copies aside", 26.0),
    OVER_ONE_CORE("global",
                  "the GMT540 is 13.6 times as fast as one core (summary: 10.65), copies aside",
                  13.6),
};

static const struct wp_paper_claim galiano2012_fig5[] = {
    {"copies between CPU and GPU take longer than computing (section 5)",
     TRANSFORM_ONLY("cuda", "shared"), COPIED("cuda", "shared"), 2.0},
};

static const struct wp_paper_claim galiano2012_fig6[] = {
    OVER_ONE_CORE("shared", "the GTX 280 is 87 times as fast as one core, copies aside", 87.0),
    OVER_ONE_CORE("shared", "the GMT540 is 25 times as fast as one core, copies aside", 25.0),
    {"shared memory is 3 times as fast as global memory (1920x1024, GTX 280)",
     {.backend = "cuda", .variant = "shared", .includes = "", .width = 1920},
     {.backend = "cuda", .variant = "global", .includes = "", .width = 1920},
     3.0},
    {"shared memory is 3.3 times as fast as global memory (128 frames, GTX 280)",
     {.backend = "cuda", .variant = "shared", .includes = "", .depth = 128},
     {.backend = "cuda", .variant = "global", .includes = "", .depth = 128},
     3.3},
};

// --- T. M. Quan, W.-K. Jeong 2014, on compressed sensing

#define QUAN2014 "T. M. Quan, W.-K. Jeong: A fast mixed-band lifting wavelet transform on the " \
                 "GPU, IEEE ICIP 2014"
#define HEAD "-l 4 -b cuda,cpu --image head --rate 4,8"

#define WEIGHED(...) {.kind = WP_ROW_RECONSTRUCTION, __VA_ARGS__}
#define DB(label, value, ...) {label, "-", NULL, WEIGHED(__VA_ARGS__), value, WP_PAPER_DB}
#define WITH_HAAR .work = "tv+0.1wav", .wavelet = "haar"
// Published values; the gain is the difference of the two values before it.
#define OBJECT(name, rate_, zeros, tv, both) \
    DB(name ": zero-filled", zeros, .work = "zero-filled", .rate = rate_), \
    DB(name ": TV", tv, .work = "tv", .rate = rate_), \
    DB(name ": TV + wavelet", both, WITH_HAAR, .rate = rate_), \
    DB(name ": gain", (both) - (tv), WITH_HAAR, .rate = rate_, .over = "tv")

static const struct wp_paper_row quan2014_table2[] = {
    OBJECT("kiwi x4", 4, 18.7245, 27.8483, 28.3488),
    OBJECT("kiwi x8", 8, 17.2263, 25.6509, 26.1510),
    OBJECT("tangerine x4", 4, 22.0418, 35.6646, 43.6321),
    OBJECT("tangerine x8", 8, 20.6875, 33.3996, 36.2106),
    {"TV + wavelet, one of 512 iterations in ~7 s", "NVIDIA M2090 (Fermi)", NULL,
     WEIGHED(WITH_HAAR, .width = 128, .height = 128, .depth = 128), 13.7, WP_PAPER_MS},
};

const struct wp_paper wp_papers[] = {
    {.name = "barina2017-fig7",
     .title = "Barina et al. 2017, Figure 7: CDF 5/3",
     .source = BARINA,
     .sweep = BARINA_SWEEP("cdf53"),
     .differs = BARINA_DIFFERS,
     CLAIMS(fig7)},
    {.name = "barina2017-fig8",
     .title = "Barina et al. 2017, Figure 8: CDF 9/7",
     .source = BARINA,
     .sweep = BARINA_SWEEP("cdf97"),
     .differs = BARINA_DIFFERS,
     CLAIMS(fig8)},
    {.name = "barina2017-fig9",
     .title = "Barina et al. 2017, Figure 9: DD 13/7",
     .source = BARINA,
     .sweep = BARINA_SWEEP("dd137"),
     .differs = BARINA_DIFFERS,
     CLAIMS(fig9)},
    {.name = "barina2017-table1",
     .title = "Barina et al. 2017, Table 1: steps and operations in shaders",
     .source = BARINA,
     .sweep = SWEEP("-w cdf53,cdf97,dd137 -s all -b fragment --size 256 -l 1"),
     .differs = "Operations are counted by the paper's rule, in the passes that were timed. For "
                "the separable polyconvolution of CDF 9/7 the rule gives 42; the 56 in print is "
                "its count without the optimization.",
     VALUES(barina_table1)},
    {.name = "quan2016-table2",
     .title = "Quan and Jeong 2016, Table 2: strategies, CDF 9/7, one level",
     .source = QUAN2016,
     .sweep = SWEEP("-w cdf97 -b cuda -l 1 --variant gmem,smem,reg,ilp,warp,hybrid "
                    QUAN2016_SIZES),
     .differs = QUAN2016_DIFFERS,
     VALUES(quan2016_table2)},
    {.name = "quan2016-table4",
     .title = "Quan and Jeong 2016, Table 4 (with Table 3): shapes of hybrid, CDF 9/7, 1024x1024",
     .source = QUAN2016,
     .sweep = SHAPES_SWEEP("1024"),
     .differs = QUAN2016_DIFFERS " Its full-register shapes have one warp per block, ours four.",
     VALUES(quan2016_table4)},
    {.name = "quan2016-table5",
     .title = "Quan and Jeong 2016, Table 5 (with Table 3): shapes of hybrid, CDF 9/7, 1920x1080",
     .source = QUAN2016,
     .sweep = SHAPES_SWEEP("1920x1080"),
     .differs = QUAN2016_DIFFERS " Its full-register shapes have one warp per block, ours four.",
     VALUES(quan2016_table5)},
    {.name = "quan2016-table6",
     .title = "Quan and Jeong 2016, Table 6: with data transfer, CDF 9/7, one level",
     .source = QUAN2016,
     .sweep = SWEEP("-w cdf97 -b cuda -l 1 --variant gmem,smem,reg,ilp,warp,hybrid "
                    "--include upload,download " QUAN2016_SIZES),
     .differs = QUAN2016_DIFFERS " Times are dominated by the bus: PCI Express of the paper's "
                "machine and of ours.",
     VALUES(quan2016_table6)},
    {.name = "quan2016-table7",
     .title = "Quan and Jeong 2016, Table 7: other methods, CDF 9/7, one level",
     .source = QUAN2016,
     .sweep = SWEEP("-w cdf97 -b cuda -l 1 --variant ilp,hybrid,full-register " QUAN2016_SIZES),
     .differs = QUAN2016_DIFFERS " The columns of the Fermi GPU are others' measurements. What "
                "section 4.5 calls similar to Enfedaque et al.'s method is our full-register.",
     VALUES(quan2016_table7)},
    {.name = "quan2016-table8",
     .title = "Quan and Jeong 2016, Table 8: one to four levels, CDF 9/7",
     .source = QUAN2016,
     .sweep = SWEEP("-w cdf97 -b cuda -l 1..4 --variant hybrid,full-register "
                    "--size 512..4096 --direction forward,inverse"),
     .differs = QUAN2016_DIFFERS " The method that section 4.5 calls similar to Enfedaque et al.'s "
                                 "is our full-register. The paper says that each test includes "
                                 "forward and inverse; its first level equals Table 7, so it is "
                                 "read as their mean.",
     VALUES(quan2016_table8)},
    {.name = "quan2016-table9",
     .title = "Quan and Jeong 2016, Table 9: one to four levels, Haar",
     .source = QUAN2016,
     .sweep = SWEEP("-w haar -b cuda -l 1..4 --variant hybrid --layout mallat "
                    "--size 512..4096 --direction forward,inverse",
                    "-w haar -b cuda -l 1..4 --variant mixed-band --layout mixed "
                    "--size 512..4096 --direction forward,inverse"),
     .differs = QUAN2016_DIFFERS " Our mixed-band works in place, too, up to four levels per "
                "launch.",
     VALUES(quan2016_table9)},
    {.name = "quan2014-table1",
     .title = "Quan and Jeong 2014, Table 1: Haar, all levels",
     .source = QUAN2014,
     .sweep = SWEEP("-w haar -b cpu --variant fused -l max --layout mallat,mixed "
                    "--size 64,512,4096 --direction forward,inverse",
                    "-w haar -b cuda --variant mixed-band -l max --layout mixed "
                    "--size 64,512,4096 --direction forward,inverse"),
     .differs = "The paper computes in double precision, on a CPU with one thread that it does "
                "not name, and on an NVIDIA M2090; wavepass computes in single precision, on "
                "the CPU with all threads.",
     VALUES(quan2014_table1)},
    {.name = "quan2014-volume",
     .title = "Quan and Jeong 2014, section 3.1: three levels of Haar of 512x512x512",
     .source = QUAN2014,
     .sweep = SWEEP("-w haar -b cuda,cpu -l 3 --layout mixed --size 512x512x512 "
                    "--direction forward,inverse"),
     .differs = "The paper computes in double precision, which makes its \"8.9 GB/s\" for 60 ms 4 "
                "bytes per sample, not 8, and reports no direction; ours is forward and in single "
                "precision. Blocks of 8x8x8 samples take its three levels in one launch.",
     VALUES(quan2014_volume)},
    {.name = "quan2014-table2",
     .title = "Quan and Jeong 2014, Table 2: PSNR of volumes from a quarter and an eighth of k-space",
     .source = QUAN2014,
     .sweep = SWEEP("--reconstruct zero-filled,tv,tv+0.1wav,tv+wav:spin --loops 8x16 "
                    "-w haar --size 128x128x128 " HEAD,
                    "--reconstruct zero-filled,tv,tv+0.1wav,tv+wav:spin -w haar --size 192x224 "
                    HEAD,
                    "--reconstruct tv+0.3wav:exact -w cdf97 --size 192x224 " HEAD),
     .differs = "The paper's kiwi and tangerine are not public, and it reports neither weights, "
                "penalties, levels, masks nor its stopping rule; ours is a head (ch2.nii.gz of "
                "Debian's mricron-data, or a phantom if that is not installed), and the first row "
                "of each kind is the volume. Gains depend on the data: both weights 1, as in its "
                "equation 2, are worse than only total variation unless the wavelet is shifted "
                "randomly (tv+wav:spin), so a weight of 0.1 is also shown. The paper does 16 x 32 "
                "iterations, ours on the volume 8 x 16.",
     VALUES(quan2014_table2)},
    {.name = "galiano2011-fig3",
     .title = "Galiano et al. 2011, Figure 3: convolution and lifting on 1, 2 and 4 cores",
     .source = GALIANO,
     .sweep = SWEEP("-w cdf97 -b cpu -l 1 --variant conv-row-column,lifting-row-column "
                    "--threads 1,2,4 --size 512,2048,4096"),
     .differs = GALIANO_CPU GALIANO_FIGURE "Numbers of threads above the number of cores are "
                "skipped.",
     CLAIMS(galiano_fig3)},
    {.name = "galiano2011-fig4",
     .title = "Galiano et al. 2011, Figure 4: convolution, lifting and SMDWT on 2 and 4 cores",
     .source = GALIANO,
     .sweep = SWEEP("-w cdf97 -b cpu -l 1 --variant conv-row-column,lifting-row-column,smdwt "
                    "--threads 2,4 --size 512,2048,4096"),
     .differs = GALIANO_CPU GALIANO_FIGURE "Numbers of threads above the number of cores are "
                "skipped.",
     CLAIMS(galiano_fig4)},
    {.name = "galiano2011-fig7",
     .title = "Galiano et al. 2011, Figure 7: four CUDA algorithms",
     .source = GALIANO,
     .sweep = SWEEP("-w cdf97 -b cuda -l 1 "
                    "--variant conv-row,conv-global,conv-texture,conv-separable "
                    "--size 512..4096"),
     .differs = GALIANO_GPU GALIANO_FIGURE "The text names only the size 4096x4096.",
     CLAIMS(galiano_fig7)},
    {.name = "galiano2011-fig8",
     .title = "Galiano et al. 2011, Figure 8: blocks of CUDA-Sep, 4096x4096",
     .source = GALIANO,
     .sweep = SWEEP("-w cdf97 -b cuda -l 1 --variant conv-separable --size 4096"),
     .differs = GALIANO_GPU GALIANO_FIGURE "It finds row blocks of 16 or 32 and column blocks of "
                "4, 8 or 16 best (section 3); wavepass has one shape of each, so this run gives "
                "one point of the figure."},
    {.name = "galiano2012-fig3",
     .title = "Galiano et al. 2012, Figure 3: groups of frames, global memory, copies and compute",
     .source = GALIANO2012,
     .sweep = COPIES_SEPARATE("global"),
     .differs = GALIANO2012_DIFFERS,
     .transfers = true,
     CLAIMS(galiano2012_fig3)},
    {.name = "galiano2012-fig4",
     .title = "Galiano et al. 2012, Figure 4: global memory and one core",
     .source = GALIANO2012,
     .sweep = SPEED_UPS("global"),
     .differs = GALIANO2012_DIFFERS,
     CLAIMS(galiano2012_fig4)},
    {.name = "galiano2012-fig5",
     .title = "Galiano et al. 2012, Figure 5: groups of frames, shared memory, copies and compute",
     .source = GALIANO2012,
     .sweep = COPIES_SEPARATE("shared"),
     .differs = GALIANO2012_DIFFERS,
     .transfers = true,
     CLAIMS(galiano2012_fig5)},
    {.name = "galiano2012-fig6",
     .title = "Galiano et al. 2012, Figure 6: shared memory, one core and global memory",
     .source = GALIANO2012,
     .sweep = SPEED_UPS("global,shared"),
     .differs = GALIANO2012_DIFFERS,
     CLAIMS(galiano2012_fig6)},
    {0},
};
