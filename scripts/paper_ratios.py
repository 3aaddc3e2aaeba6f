#!/usr/bin/env python3
"""Prints the times of a paper and of wavepass as ratios.

Reads files that 'wavepass bench --paper NAME --markdown FILE' wrote. Each column of a size and a
number of levels is divided by its reference row, both for the paper and for wavepass; with --levels
each row is divided by its own time for one level. Cells have the form 'paper / ours'.
"""
import argparse

COLUMNS = ["the paper's name", 'size', 'L', 'paper', 'ours']


def read_rows(path):
    """The title of the last table in the file, and its rows as dicts."""
    title, header, rows = '', [], []
    with open(path, encoding='utf-8') as file:
        for line in file:
            if ': ' in line and not line.startswith(('|', '(', '-')) and not rows:
                title = line.strip()
            cells = [cell.strip() for cell in line.strip().strip('|').split('|')]
            if cells[0] == COLUMNS[0]:
                header = cells
            elif header and line.startswith('|') and not cells[0].startswith('--'):
                rows.append(dict(zip(header, cells)))
    return title, rows


def ratio(times, key, base, side):
    try:
        return f'{float(times[key][side]) / float(times[base][side]):.2f}'
    except (KeyError, ValueError):  # the paper or the measurement has no such time
        return '-'


def print_table(path, reference, by_level):
    title, rows = read_rows(path)
    times = {(r[COLUMNS[0]], r['size'], r['L']): (r['paper'], r['ours']) for r in rows}
    names = list(dict.fromkeys(key[0] for key in times))
    sizes = list(dict.fromkeys(key[1] for key in times))
    levels = list(dict.fromkeys(key[2] for key in times))
    print(f'{title}\n\n| | {" | ".join(sizes)} |\n|---|{"---|" * len(sizes)}')
    for name in names:
        for level in levels[1:] if by_level else levels:
            label = f'{name}, L = {level}' if len(levels) > 1 else name
            cells = []
            for size in sizes:
                base = (name, size, '1') if by_level else (reference, size, level)
                pair = [ratio(times, (name, size, level), base, side) for side in (0, 1)]
                cells.append(' / '.join(pair))
            if any(cell != '- / -' for cell in cells):
                print(f'| {label} | {" | ".join(cells)} |')
    print()


def main():
    parser = argparse.ArgumentParser(description=__doc__.split('\n', maxsplit=1)[0])
    parser.add_argument('file', nargs='+', help="the table of 'bench --paper'")
    parser.add_argument('--reference', default='hybrid', help="the paper's name of a row")
    parser.add_argument('--levels', action='store_true', help='levels over one')
    args = parser.parse_args()
    for path in args.file:
        print_table(path, args.reference, args.levels)


if __name__ == '__main__':
    main()
