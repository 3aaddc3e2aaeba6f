#!/usr/bin/env python3
"""Times batches of arrays in copies: the time of a transform over that of a copy of the same tensor.

   copies.py [--device cuda|cpu] [--only TEXT] [--rounds N] [--peers] [--scale N] [--json FILE]

Arrays, wavelets and the ratios asked for are those of the table CASES. A copy of f64 is compared with
transforms of f64, and so on. In each round, the copy, the transform and its inverse run one after
another, as many times as take 20 ms on a GPU; ratios are of the medians of rounds. --peers times ptwt
and pytorch_wavelets, where they are installed, in the same rounds. --scale divides the batches, for
small machines.
"""
import argparse
import importlib
import platform
import statistics
import time

import torch

import wavepass as wp
from timing import write_results
from wavepass.torch import dwt, idwt

F32, F64, F16, BF16 = torch.float32, torch.float64, torch.float16, torch.bfloat16
# batch, image, wavelet, levels, border, type of samples, copies asked for
CASES = [
    ((32, 64), (64, 64), 'haar', 1, 'periodic', F32, 1.15),
    ((32, 64), (64, 64), 'haar', 3, 'periodic', F32, 1.25),
    ((32, 64), (64, 64), 'db2', 3, 'periodic', F32, 1.35),
    ((32, 64), (64, 64), 'cdf97', 3, 'periodic', F32, 1.4),
    ((32, 64), (64, 64), 'db4', 3, 'periodic', F32, 1.5),
    ((64, 256), (32, 32), 'haar', 1, 'periodic', F32, 1.15),
    ((64, 256), (32, 32), 'haar', 3, 'periodic', F32, 1.3),
    ((64, 256), (32, 32), 'cdf97', 3, 'periodic', F32, 1.5),
    ((8, 3), (512, 512), 'haar', 1, 'periodic', F32, 1.3),
    ((8, 3), (512, 512), 'cdf97', 3, 'periodic', F32, 1.9),
    ((32, 64), (128, 128), 'cdf97', 3, 'periodic', F32, 1.5),
    ((32, 64), (128, 128), 'db4', 3, 'pywt-symmetric', F32, 1.6),
    ((1048576,), (128,), 'db4', 4, 'periodic', F32, 1.25),
    ((4096, 1), (65536,), 'db4', 4, 'periodic', F32, 1.4),
    ((32, 64), (64, 64), 'haar', 1, 'periodic', BF16, None),
    ((32, 64), (64, 64), 'cdf97', 3, 'periodic', BF16, None),
    ((32, 64), (64, 64), 'cdf97', 3, 'periodic', F16, None),
    ((32, 64), (128, 128), 'cdf97', 3, 'periodic', BF16, None),
    ((32, 64), (64, 64), 'cdf97', 3, 'periodic', F64, None),
    ((1,), (4096, 4096), 'cdf97', 1, 'periodic', F64, 1.3),
    ((1,), (4096, 4096), 'cdf97', 3, 'periodic', F64, None),
    ((1,), (4096, 4096), 'cdf97', 3, 'periodic', F32, None),
    ((1,), (4096, 4096), 'cdf97', 3, 'periodic', F16, None),
    ((1,), (4096, 4096), 'cdf97', 3, 'periodic', BF16, None),
    ((1,), (8192, 8192), 'cdf97', 3, 'periodic', F32, None),
    ((32, 64), (128, 128), 'db4', 3, 'pywt-symmetric', F64, None),
]
PEER_WAVELETS = {'cdf97': 'bior4.4'}
SLICE = 0.02  # seconds of a measurement on a GPU


def name_of(case):
    batch, image, wavelet, levels, border, kind, _ = case
    return '%s %s %d %s %s' % ('x'.join(map(str, batch + image)), wavelet, levels, border,
                               str(kind).removeprefix('torch.'))


class Clock:
    """Seconds per call of a function."""

    def __init__(self, device):
        self.device = device

    def seconds(self, function, calls):
        if self.device == 'cpu':
            start = time.perf_counter()
            for _ in range(calls):
                function()
            return (time.perf_counter() - start) / calls
        first, last = (torch.cuda.Event(enable_timing=True) for _ in range(2))
        function()  # threads that slept, such as autograd's, run again
        torch.cuda.synchronize()
        first.record()
        for _ in range(calls):
            function()
        last.record()
        torch.cuda.synchronize()
        return first.elapsed_time(last) / 1e3 / calls

    def calls(self, function):
        for _ in range(3 if self.device == 'cuda' else 1):
            function()
        once = self.seconds(function, 3 if self.device == 'cuda' else 1)
        return max(1, min(1000, int((SLICE if self.device == 'cuda' else 0) / max(once, 1e-6))))


def functions_of(case, device):
    """Our functions by name, all without gradients and allocations except 'autograd'."""
    batch, image, wavelet, levels, border, kind, _ = case
    x = torch.rand(*batch, *image, device=device, dtype=F32 if kind == BF16 else kind).to(kind)
    options = dict(levels=levels, batch=batch, border=border, norm='orthonormal')
    t = wp.Transform(image, wavelet, **options)
    y = t.forward(x)
    z = torch.empty_like(x)
    copy = torch.empty_like(x)
    given = x.clone().requires_grad_()
    shape = image if border.startswith('pywt') else None

    def train():
        rank = len(image)
        dwt(given, wavelet, rank=rank, levels=levels, border=border).backward(y)
        given.grad = None  # as optimizers do; a sum of gradients takes as long as the transform

    def module():
        idwt(y, wavelet, rank=len(image), levels=levels, border=border, shape=shape)

    functions = {
        'copy': lambda: copy.copy_(x),
        'forward': lambda: t.forward(x, y),
        'inverse': lambda: t.inverse(y, z),
        'forward_adjoint': lambda: t.forward_adjoint(y, z),
        'inverse_adjoint': lambda: t.inverse_adjoint(x, y),
        'autograd': train,
        'idwt': module,
    }
    return functions, x


def peers_of(case, x):
    """Forward transforms of ptwt and pytorch_wavelets, as far as they have the case."""
    batch, image, wavelet, levels, border, kind, _ = case
    wavelet = PEER_WAVELETS.get(wavelet, wavelet)
    functions = {}
    if border != 'periodic' or kind not in (F32, F64) or len(image) != 2:
        return functions
    try:
        ptwt = importlib.import_module('ptwt')
        functions['ptwt'] = lambda: ptwt.wavedec2(x, wavelet, mode='periodic', level=levels)
    except ImportError as missing:
        print('ptwt: %s' % missing)
    try:
        other = importlib.import_module('pytorch_wavelets')
        planes = x.reshape(1, -1, *image) if len(batch) != 2 else x
        module = other.DWTForward(J=levels, wave=wavelet, mode='periodization').to(x.device, kind)
        functions['pytorch_wavelets'] = lambda: module(planes)
    except ImportError as missing:
        print('pytorch_wavelets: %s' % missing)
    return functions


def outside_torch():
    """Bytes of the GPU's memory in use that PyTorch has not reserved."""
    free, total = torch.cuda.mem_get_info()
    return total - free - torch.cuda.memory_reserved()


def memory_of(functions, x):
    """The peak of memory that a call allocates, by name, and the memory that the first calls of all leave
    allocated outside of PyTorch, both in sizes of x."""
    size = x.numel() * x.element_size()
    before = outside_torch()
    peaks = {}
    for name, function in functions.items():
        function()
        torch.cuda.synchronize()
        start = torch.cuda.memory_allocated()
        torch.cuda.reset_peak_memory_stats()
        function()
        torch.cuda.synchronize()
        peaks[name] = round((torch.cuda.max_memory_allocated() - start) / size, 3)
    return {**peaks, 'outside': round((outside_torch() - before) / size, 3)}


def measure(case, device, rounds, peers):
    functions, x = functions_of(case, device)
    memory = memory_of(functions, x) if device == 'cuda' else None
    if peers:
        functions.update(peers_of(case, x))
    clock = Clock(device)
    calls = {name: clock.calls(function) for name, function in functions.items()}
    times = {name: [] for name in functions}
    for _ in range(rounds):
        for name, function in functions.items():
            times[name].append(clock.seconds(function, calls[name]))
    median = {name: statistics.median(t) for name, t in times.items()}
    ratios = {name: t / median['copy'] for name, t in median.items() if name != 'copy'}
    return median['copy'], ratios, memory


def environment(device):
    return {
        'device': torch.cuda.get_device_name() if device == 'cuda' else platform.processor(),
        'torch': torch.__version__, 'wavepass': wp.__version__, 'python': platform.python_version(),
        'date': time.strftime('%Y-%m-%d'),
    }


def main():
    parser = argparse.ArgumentParser(description=__doc__.split('\n', maxsplit=1)[0])
    parser.add_argument('--device', default='cuda' if torch.cuda.is_available() else 'cpu')
    parser.add_argument('--only', default='')
    parser.add_argument('--rounds', type=int, default=7)
    parser.add_argument('--peers', action='store_true')
    parser.add_argument('--scale', type=int, default=1)
    parser.add_argument('--json')
    args = parser.parse_args()
    rows = []
    for case in CASES:
        case = ((max(1, case[0][0] // args.scale), *case[0][1:]), *case[1:])
        if args.only not in name_of(case):
            continue
        try:
            copy, ratios, memory = measure(case, args.device, args.rounds, args.peers)
        except Exception as error:  # the other cases are still of interest
            print('%s: %s: %s' % (name_of(case), type(error).__name__, error), flush=True)
            rows.append({'case': name_of(case), 'error': str(error)})
            continue
        rows.append({'case': name_of(case), 'copy_us': round(copy * 1e6, 2), 'asked': case[-1],
                     'copies': {name: round(ratio, 3) for name, ratio in ratios.items()}})
        if memory:
            rows[-1]['memory'] = memory
        print('%-46s copy %8.1f us  asked %-4s ' % (name_of(case), copy * 1e6, case[-1] or '-') +
              '  '.join('%s %.2f' % item for item in ratios.items()), flush=True)
        if memory:
            print('    memory: ' + '  '.join('%s %.2f' % item for item in memory.items()), flush=True)
        torch.cuda.empty_cache() if args.device == 'cuda' else None
    if args.json:
        write_results(args.json, {'environment': environment(args.device), 'rows': rows})


if __name__ == '__main__':
    main()
