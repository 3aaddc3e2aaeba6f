#!/usr/bin/env python3
"""Prints the time of a distributed transform according to a model, in Markdown.

    scripts/mpi_model.py [OPTIONS]                    tables of strong and weak scaling
    scripts/mpi_model.py --measured FILE [OPTIONS]    compared with lines of 'test_mpi speed'
    scripts/mpi_model.py --halo 2 --size 512x1024 …   the bytes that the processes send

A process has H / P rows of an image of W x H. Level l, from 0 on, has W / 2^l columns, and takes

    max(rows inside / rate, messages * latency + bytes / bandwidth) + rows at the ends / rate

for each plane. During communication a process computes the rows that depend only on its own rows,
and then the others. With --no-overlap it computes after the communication, as with an MPI that
moves large messages only in its calls. A message has as many rows as the support of the steps, in
all columns of the level, and is sent to all neighbors that have these rows. The rows at an end are
as many, and a new sweep reads twice as many rows before them. The costs of messages and ends do not
decrease with more processes, because a process has few other rows in deep levels.
"""
import argparse
import json
import sys


def parse():
    p = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    p.add_argument('--size', default='65536x65536',
                   help='of the image; of weak scaling a node has 1/16')
    p.add_argument('--planes', type=int, default=1)
    p.add_argument('--levels', type=int, default=5)
    p.add_argument('--reach', type=int, default=4, help='rows beyond a slab, up and down (4: 9/7)')
    p.add_argument('--cores', type=int, default=32, help='processes of a node')
    p.add_argument('--rate', type=float, default=0.8, help='samples a second of a process, in 10^9')
    p.add_argument('--memory', type=float, default=200, help='GB a second of a node')
    p.add_argument('--latency', type=float, default=2, help='of a message, in microseconds')
    p.add_argument('--bandwidth', type=float, default=12, help='of the network, in GB a second')
    p.add_argument('--files', type=float, default=20, help='GB a second of all nodes together')
    p.add_argument('--nodes', type=int, default=1024, help='up to so many')
    p.add_argument('--no-overlap', action='store_true')
    p.add_argument('--halo', type=int, metavar='PROCESSES')
    p.add_argument('--measured', metavar='FILE')
    return p.parse_args()


def half(n, level):
    for _ in range(level):
        n = (n + 1) // 2
    return n


def halo_bytes(o, width, processes):
    """The bytes that all processes send in one direction of the transform."""
    columns = sum(half(width, l) for l in range(o.levels))
    return (processes - 1) * 2 * o.reach * columns * 4 * o.planes


def rate_of(o, cores):
    """The rate of a process for one level, with this number of processes on its node. All levels
    have 4/3 of the samples of the image. Each sample takes 4 bytes read and written, and the
    destination is read before it is written."""
    bytes_per_sample = 12 * 4 / 3
    return min(o.rate * 1e9, o.memory * 1e9 / bytes_per_sample / cores) * 4 / 3


def seconds_of(o, width, height, processes, rate):
    """The time of the slowest process."""
    whole = waiting = 0
    neighbours = min(2, processes - 1)
    for l in range(o.levels):
        columns, rows = half(width, l), -(-half(height, l) // processes)
        ends = min(rows, neighbours * o.reach)
        # If slabs have fewer rows than the support, several neighbors send.
        messages = neighbours * min(-(-o.reach // rows), max(processes - 1, 1))
        anew = neighbours * 2 * o.reach
        compute = (rows - ends) * columns / rate
        size = neighbours * o.reach * columns * 4
        wait = messages * o.latency * 1e-6 + size / (o.bandwidth * 1e9)
        rest = wait if o.no_overlap else max(0, wait - compute)
        whole += compute + rest + (ends + anew) * columns / rate
        waiting += rest
    return whole * o.planes, waiting * o.planes


def table(o, weak):
    width, height = map(int, o.size.split('x'))
    print('| nodes | image | rows a process | transform | of that waiting | efficiency | halos '
          '| files |')
    print('|---:|---|---:|---:|---:|---:|---:|---:|')
    one = None
    nodes = 1
    while nodes <= o.nodes:
        rows, processes = height * (nodes if weak else 1), nodes * o.cores
        seconds, waiting = seconds_of(o, width, rows, processes, rate_of(o, o.cores))
        one = one or seconds
        efficiency = one / seconds / (1 if weak else nodes)
        image = 4 * width * rows * o.planes
        print('| %d | %dx%d | %d | %.2f ms | %.0f%% | %.0f%% | %.3g GB | %.3g s |' % (
            nodes, width, rows, -(-rows // processes), seconds * 1e3, 100 * waiting / seconds,
            100 * efficiency, halo_bytes(o, width, processes) / 1e9, 2 * image / (o.files * 1e9)))
        nodes *= 2


def beside_measured(o):
    """Rows with the measured times; the rate is that of one process with the same size."""
    with open(o.measured, encoding='utf-8') as file:
        lines = [json.loads(line) for line in file if line.startswith('{')]
    alone = {(m['width'], m['height']): m for m in lines if m['processes'] == 1}
    print('| image | processes | measured | by the model | measured / model |')
    print('|---|---:|---:|---:|---:|')
    for m in lines:
        size = m['width'], m['height']
        o.levels = m['levels']
        key = 'forward_least_s'
        rate = sum(half(size[0], l) * half(size[1], l) for l in range(o.levels)) / alone[size][key]
        seconds, _ = seconds_of(o, *size, m['processes'], rate)
        print('| %dx%d | %d | %.3f ms | %.3f ms | %.2f |' % (
            *size, m['processes'], m[key] * 1e3, seconds * 1e3, m[key] / seconds))


def main():
    o = parse()
    if o.measured:
        beside_measured(o)
    elif o.halo:
        print(halo_bytes(o, int(o.size.split('x')[0]), o.halo))
    else:
        print('Strong scaling:\n')
        table(o, False)
        o.size = '%sx%d' % (o.size.split('x')[0], int(o.size.split('x')[1]) // 16)
        print('\nWeak scaling:\n')
        table(o, True)
    return 0


if __name__ == '__main__':
    sys.exit(main())
