#!/usr/bin/env python3
"""Times a batch of NumPy's arrays that is divided among several GPUs: over the time of one.

   devices.py [--gigabytes 4] [--size 512] [--rounds 5] [--wavelet cdf97] [--levels 3] [--json FILE]

Times include the copies between the host and the devices. In each round one device and all of them run
one after another; the ratio is that of the medians. Coefficients of both are compared bit for bit.
"""
import argparse
import json
import statistics
import time

import numpy as np
import torch

import wavepass as wp


def seconds(function, *arrays):
    begin = time.perf_counter()
    function(*arrays)
    return time.perf_counter() - begin


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument('--gigabytes', type=float, default=4)
    parser.add_argument('--size', type=int, default=512)
    parser.add_argument('--rounds', type=int, default=5)
    parser.add_argument('--wavelet', default='cdf97')
    parser.add_argument('--levels', type=int, default=3)
    parser.add_argument('--json')
    args = parser.parse_args()

    count = torch.cuda.device_count()
    if count < 2:
        parser.error(f'{count} CUDA devices, but at least 2 are required')
    entries = int(args.gigabytes * 2**30 / 4 / args.size**2)
    shape = (args.size, args.size)
    options = dict(levels=args.levels, batch=(entries,))
    one = wp.Transform(shape, args.wavelet, device='cuda:0', **options)
    many = wp.Transform(shape, args.wavelet, devices=[f'cuda:{i}' for i in range(count)], **options)
    x = np.random.default_rng(1).random((entries, *shape), dtype='float32')
    outs = np.zeros_like(x), np.zeros_like(x)

    times = [], []
    for r in range(args.rounds + 1):
        for transform, out, of in zip((one, many), outs, times):
            t = seconds(transform.forward, x, out)
            if r > 0:
                of.append(t)
    assert np.array_equal(*outs), 'coefficients of one device and of several differ'
    single, several = map(statistics.median, times)
    result = dict(device=torch.cuda.get_device_name(0), devices=count, shape=list(x.shape),
                  wavelet=args.wavelet, levels=args.levels, one_s=round(single, 4),
                  all_s=round(several, 4), ratio=round(several / single, 3))
    print(json.dumps(result))
    if args.json:
        with open(args.json, 'w') as file:
            json.dump(result, file, indent=1)
            file.write('\n')


if __name__ == '__main__':
    main()
