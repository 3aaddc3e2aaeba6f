"""Times of wavepass.pywt and of PyWavelets in one process, as a table in Markdown.

    python python/benchmarks/pywt_speed.py [--wavelet NAMES] [--mode NAMES] [--dtype NAME] [--cpu]

PyWavelets has one thread. wavepass has one for each processor, unless the process may use only some
of them (taskset -c 0). With --cpu other processes have less influence. Each time is the least of
several, in turns; arrays are new in each call of both.
"""
import argparse
import functools
import time

import numpy as np
import pywt as theirs

import wavepass.pywt as ours
from timing import least, repeated

CASES = [  # function, shape, arguments, calls
    ("dwt2", (64, 64), {}, 200),
    ("dwt2", (4096, 4096), {}, 1),
    ("dwt2", (2048, 64, 64), {"axes": (-2, -1)}, 1),
    ("dwt2", (16384, 32, 32), {"axes": (-2, -1)}, 1),
    ("dwt", (4096, 1024), {"axis": -1}, 1),
    ("dwt", (4194304,), {}, 1),
    ("wavedec2", (64, 64), {"level": 3}, 100),
    ("wavedec2", (4096, 4096), {"level": 3}, 1),
    ("wavedec", (512,), {"level": 6}, 200),
]
INVERSES = {"dwt": lambda m, c, **k: m.idwt(*c, **k), "dwt2": lambda m, c, **k: m.idwt2(c, **k),
            "wavedec": lambda m, c, **k: m.waverec(c, **k),
            "wavedec2": lambda m, c, **k: m.waverec2(c, **k)}


def text(seconds):
    return f"{seconds * 1e6:.1f} us" if seconds < 1e-3 else f"{seconds * 1e3:.1f} ms"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--wavelet", default="haar,db2,bior4.4")
    parser.add_argument("--mode", default="symmetric,periodization")
    parser.add_argument("--dtype", default="float32")
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--cpu", action="store_true", help="processor time of all threads")
    options = parser.parse_args()
    clock = time.process_time if options.cpu else time.perf_counter
    random = np.random.default_rng(1)
    print("| call | array | wavelet, mode | wavepass forward / inverse | PyWavelets | ratio |")
    print("|---|---|---|---|---|---|")
    for name, shape, arguments, calls in CASES:
        x = random.standard_normal(shape, np.float32).astype(options.dtype)
        for wavelet in options.wavelet.split(","):
            for mode in options.mode.split(","):
                given = {"wavelet": wavelet, "mode": mode, **arguments}
                back = {k: v for k, v in given.items() if k != "level"}
                functions = []
                for module in (ours, theirs):
                    transform, c = getattr(module, name), getattr(module, name)(x, **given)
                    functions += [functools.partial(transform, x, **given),
                                  functools.partial(INVERSES[name], module, c, **back)]
                    functions[-1]()
                times = [t / calls for t in least([repeated(call, calls) for call in functions],
                                                  options.repeats, clock=clock)]
                print(f"| {name} | {'x'.join(map(str, shape))} | {wavelet}, {mode} | "
                      f"{text(times[0])} / {text(times[1])} | {text(times[2])} / {text(times[3])} | "
                      f"{times[2] / times[0]:.1f} / {times[3] / times[1]:.1f} |", flush=True)


if __name__ == "__main__":
    main()
