#!/usr/bin/env python3
"""Draws bars of the time of a level, from JSON of `wavepass bench`.

  scripts/plot_tiled.py PLANES.json RESULTS.json... DIRECTORY

Writes planes.svg from the first file, which is from `bench --planes 1,3`, and schemes.svg,
tiles.svg and levels.svg from the others. Each time is divided by that of the copy in the same file.
"""
import os
import sys

import bench_results

TITLES = {'cdf53': 'CDF 5/3', 'cdf97': 'CDF 9/7', 'dd137': 'DD 13/7'}
PASSES, TILES, COMPUTE = '#8c8c8c', '#2f6fb2', '#c2571a'
WIDTH, LEFT, RIGHT, TOP, STEP, BAR = 760, 260, 70, 58, 22, 15


def chart(path, title, note, bars):
    """`bars` are tuples (label, value, colour), or (heading,)."""
    height = TOP + STEP * len(bars) + 34
    most = max(bar[1] for bar in bars if len(bar) > 1)
    scale = (WIDTH - LEFT - RIGHT) / most
    out = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{height}" '
           f'viewBox="0 0 {WIDTH} {height}" font-family="sans-serif" font-size="13">',
           f'<rect width="{WIDTH}" height="{height}" fill="white"/>',
           f'<text x="16" y="24" font-size="16">{title}</text>',
           f'<text x="16" y="43" fill="#555555">{note}</text>']
    bottom = TOP + STEP * len(bars)
    step = next(s for s in (0.25, 0.5, 1, 2, 5) if most / s <= 9)
    for i in range(int(most / step) + 1):
        x = LEFT + i * step * scale
        out.append(f'<line x1="{x:.1f}" y1="{TOP}" x2="{x:.1f}" y2="{bottom}" stroke="#dddddd"/>')
        out.append(f'<text x="{x:.1f}" y="{bottom + 18}" text-anchor="middle" fill="#555555">'
                   f'{i * step:g}</text>')
    for i, bar in enumerate(bars):
        y = TOP + STEP * i
        if len(bar) == 1:
            out.append(f'<text x="16" y="{y + 15}" font-weight="bold">{bar[0]}</text>')
            continue
        label, value, colour = bar
        out.append(f'<text x="{LEFT - 8}" y="{y + 15}" text-anchor="end">{label}</text>')
        out.append(f'<rect x="{LEFT}" y="{y + 4}" width="{value * scale:.1f}" height="{BAR}" '
                   f'fill="{colour}"/>')
        out.append(f'<text x="{LEFT + value * scale + 6:.1f}" y="{y + 16}">{value:.2f}</text>')
    out.append('</svg>\n')
    with open(path, 'w', encoding='utf-8') as file:
        file.write('\n'.join(out))


def read(path, size):
    """The transforms of one size, each with its time over that of the copy in its file."""
    rows = [row for row in bench_results.read(path)['rows']
            if row['width'] == row['height'] == size]
    copies = {row['backend']: row['median_ns'] for row in rows
              if row['kind'] == 'ceiling' and row['work'] == 'copy'}
    return [bench_results.Row(row, over_copy=row['median_ns'] / copies[row['backend']])
            for row in rows
            if row['kind'] == 'transform' and row['backend'] in ('fragment', 'compute')]


def chart_planes(path, where):
    rows = [row for row in bench_results.read(path)['rows'] if row['levels'] == 5]
    found = {(row['variant'] or row['backend'], row['planes'], row['width']): row['median_ns']
             for row in rows}
    bars = []
    for name, colour in (('passes', PASSES), ('tile-2x2', TILES), ('compute', COMPUTE)):
        bars.append((name,))
        for size in sorted({row['width'] for row in rows}):
            bars.append((f'{size}x{size}', found[name, 3, size] / found[name, 1, size], colour))
    chart(os.path.join(where, 'planes.svg'), 'Three planes at once, in times of one',
          f"{rows[0]['device']}, CDF 9/7 forward, five levels, sep-lifting", bars)


def main():
    size = 8192
    where = sys.argv[-1]
    chart_planes(sys.argv[1], where)
    rows = [row for path in sys.argv[2:-1] for row in read(path, size)]

    def pick(backend, variant, wavelet, direction, levels, scheme='sep-lifting'):
        return next(r for r in rows if (r['backend'], r['variant'], r['wavelet'], r['direction'],
                                        r['levels'], r['scheme'])
                    == (backend, variant, wavelet, direction, levels, scheme))

    note = f"{rows[0]['device']}, {size}x{size} samples, RGBA32F"
    tiles = sorted({r['variant'] for r in rows if (r['variant'] or '').startswith('tile')},
                   key=lambda name: ('pair' in name or 'four' in name, 'store' in name))
    bars = []
    for wavelet, name in TITLES.items():
        bars.append((name,))
        seen = set()
        for row in rows:
            if (row['variant'], row['wavelet'], row['direction'], row['levels']) == (
                    'passes', wavelet, 'forward', 1) and row['scheme'] not in seen:
                seen.add(row['scheme'])
                bars.append((row['scheme'], row['over_copy'], PASSES))
        bars.append(('tile-2x2', pick('fragment', 'tile-2x2', wavelet, 'forward', 1)['over_copy'],
                     TILES))
    chart(os.path.join(where, 'schemes.svg'), 'One level forward, in copy passes',
          f'{note}; grey: a draw a pass, blue: a block of 2x2 texels', bars)

    bars = []
    for wavelet, name in TITLES.items():
        for direction in ('forward', 'inverse'):
            bars.append((f'{name} {direction}',))
            for tile in tiles:
                bars.append((tile, pick('fragment', tile, wavelet, direction, 1)['over_copy'],
                             TILES))
            bars.append(('compute, in compute copies',
                         pick('compute', None, wavelet, direction, 1)['over_copy'], COMPUTE))
    chart(os.path.join(where, 'tiles.svg'), 'One level by tiles, in copies of the same kind',
          note, bars)

    bars = []
    for backend, variant, colour in ([('fragment', 'passes', PASSES)]
                                     + [('fragment', tile, TILES) for tile in tiles]
                                     + [('compute', None, COMPUTE)]):
        bars.append((variant or backend,))
        for wavelet, name in TITLES.items():
            one = pick(backend, variant, wavelet, 'forward', 1)['median_ns']
            five = pick(backend, variant, wavelet, 'forward', 5)['median_ns']
            bars.append((name, five / one, colour))
    chart(os.path.join(where, 'levels.svg'), 'Five levels forward, in times of one level', note,
          bars)


main()
