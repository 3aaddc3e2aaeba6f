#!/usr/bin/env python3
"""Times what a call on tensors takes on the host: arrays so small that the transform itself takes little.

   host_times.py [--device cuda|cpu] [--calls N] [--json FILE]

Calls follow one another without waiting for the device; the least time of several series of N calls is that of
a call. ptwt and pytorch_wavelets are timed where they are installed. On a GPU, larger batches follow, whose time
is that of the device if its kernels take longer than the calls.
"""
import argparse
import importlib
import platform
import time

import torch

import wavepass as wp
from timing import write_results
from wavepass.torch import dwt

SERIES = 5


def seconds(function, calls, device):
    """The least seconds a call."""
    least = float('inf')
    for _ in range(5):
        function()
    for _ in range(SERIES):
        if device == 'cuda':
            torch.cuda.synchronize()
        start = time.perf_counter()
        for _ in range(calls):
            function()
        least = min(least, (time.perf_counter() - start) / calls)
    return least


def calls_of(device, shape, wavelet, levels):
    """Functions by name, for a batch of images."""
    x = torch.rand(*shape, device=device)
    given, one = x.clone().requires_grad_(), torch.ones_like(x)
    t = wp.Transform(shape[-2:], wavelet, batch=shape[:-2], levels=levels, border='periodic', norm='orthonormal',
                     threads=1)
    y, copy = torch.empty_like(x), torch.empty_like(x)

    def train(transform):
        def step():
            torch.autograd.grad(transform(given), given, one)
        return step

    return {
        'copy': lambda: copy.copy_(x),
        'multiply, forward and backward': train(lambda x: 2 * x),
        'Transform.forward(x, y)': lambda: t.forward(x, y),
        'Transform.forward(x)': lambda: t.forward(x),
        'torch.dwt(x)': lambda: dwt(x, wavelet, levels=levels),
        'torch.dwt(x), forward and backward': train(lambda x: dwt(x, wavelet, levels=levels)),
    }


def peers_of(device, shape, wavelet, levels):
    x = torch.rand(*shape, device=device)[None]
    given = x.clone().requires_grad_()
    functions = {}
    try:
        ptwt = importlib.import_module('ptwt')
        functions['ptwt.wavedec2'] = lambda: ptwt.wavedec2(x, wavelet, mode='periodic', level=levels)

        def train():
            torch.autograd.grad(ptwt.wavedec2(given, wavelet, mode='periodic', level=levels)[0].sum(), given)
        functions['ptwt.wavedec2, forward and backward'] = train
    except ImportError as missing:
        print('ptwt: %s' % missing)
    try:
        other = importlib.import_module('pytorch_wavelets')
        module = other.DWTForward(J=levels, wave=wavelet, mode='periodization').to(device)
        functions['pytorch_wavelets'] = lambda: module(x)

        def train_module():
            torch.autograd.grad(module(given)[0].sum(), given)
        functions['pytorch_wavelets, forward and backward'] = train_module
    except ImportError as missing:
        print('pytorch_wavelets: %s' % missing)
    return functions


def main():
    parser = argparse.ArgumentParser(description=__doc__.split('\n', maxsplit=1)[0])
    parser.add_argument('--device', default='cuda' if torch.cuda.is_available() else 'cpu')
    parser.add_argument('--calls', type=int, default=200)
    parser.add_argument('--json')
    args = parser.parse_args()
    torch.set_num_threads(1)
    small = (2, 8, 8)
    cases = [(small, 'haar', 1, {**calls_of(args.device, small, 'haar', 1),
                                 **peers_of(args.device, small, 'haar', 1)})]
    if args.device == 'cuda':
        cases += [(shape, wavelet, levels, calls_of(args.device, shape, wavelet, levels))
                  for shape, wavelet, levels in (((32, 64, 64, 64), 'haar', 1), ((32, 64, 128, 128), 'cdf97', 3))]
    rows = []
    for shape, wavelet, levels, functions in cases:
        for name, function in functions.items():
            least = seconds(function, args.calls, args.device)
            rows.append({'shape': shape, 'wavelet': wavelet, 'levels': levels, 'call': name, 'us': least * 1e6})
            print('%-18s %-6s %d  %-44s %8.1f us' % ('x'.join(map(str, shape)), wavelet, levels, name, least * 1e6),
                  flush=True)
    if args.json:
        device = torch.cuda.get_device_name() if args.device == 'cuda' else platform.processor()
        write_results(args.json, {'device': device, 'torch': torch.__version__, 'date': time.strftime('%Y-%m-%d'),
                                  'rows': rows})


if __name__ == '__main__':
    main()
