#!/usr/bin/python3
"""Reads a file of every sample type, color layout and orientation in every format, and compares all
samples with those that other libraries wrote: the tables of docs/formats.md.

    scripts/format_table.py [--wavepass FILE] [--update | --format NAME]

NumPy, nibabel, tifffile, Pillow and scripts/sample_files.py write the files, in both byte orders if
a format has them, with the largest and the smallest value of each type. NumPy computes the right
values in float64 and rounds them to float32. `wavepass compare` must find no difference, with
--values auto, raw and unit, and `wavepass info` must report the same kind of values. A file may
also be rejected, as not supported.

The exit status is 1 if a cell is wrong, or if docs/formats.md has other tables; --update writes
them. --format checks the cells of one format only, such as TIFF. The exit status is 77 if libraries
are missing, and stderr names the formats that are left out.
Requires Debian's own Python, which finds Debian's packages (scripts/setup.sh test).
"""
import argparse
import collections
import json
import os
import re
import subprocess
import sys
import tempfile

try:
    import numpy
    import format_cells
except ImportError as missing:
    print('%s (scripts/setup.sh test)' % missing, file=sys.stderr)
    sys.exit(77)
import page_tables

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
PAGE = 'docs/formats.md'
MISSING = 77
ORDER = ('PNG', 'JPEG', 'BMP', 'TGA', 'PNM', 'PAM', 'PFM', 'HDR', 'EXR', 'TIFF', 'Y4M', 'NPY',
         'NPZ', 'raw', 'NIfTI', 'FITS')


class Wrong(Exception):
    pass


def format_of(row):
    return re.match(r'\w+', row)[0]


class Reader:
    """`wavepass`, in a folder of files that live for one comparison each."""

    def __init__(self, program, folder):
        self.program, self.folder, self.runs = program, folder, 0

    def call(self, command, *words):
        self.runs += 1
        done = subprocess.run([self.program, command, *words, '--json', '-q'], cwd=self.folder,
                              capture_output=True, text=True, check=False)
        if done.returncode not in (0, 3):
            raise Wrong('exit status %d: %s' % (done.returncode, done.stderr.strip()))
        return done.returncode, json.loads(done.stdout), done.stderr

    def facts(self, case):
        """What `info` reports, or why it rejects the file."""
        code, facts, stderr = self.call('info', case.name, *case.options)
        if code == 0:
            return facts, None
        line = re.search(r'error: (?:a\.\S+: (?:\S+\.npy: )?)?(.*)', stderr)[1]
        if not re.search(r'not supported|complex samples', line):
            raise Wrong('rejected: ' + line)
        return None, re.sub(r"'[<>|]", "'", line)  # in any byte order

    def check_values(self, case, values):
        numpy.save(os.path.join(self.folder, 'right.npy'), case.right[values].astype('f4'))
        _, found, _ = self.call('compare', case.name, 'right.npy', '--values', values,
                                *case.options, *(['--volume'] if case.volume else []))
        unit = 255 if values == 'raw' else 1
        if not found['max'] <= case.tolerance * unit:
            raise Wrong('values %s differ by %.3g' % (values, found['max']))

    def outcome(self, case):
        """What the cell shows, and the message of a rejection."""
        case.write(self.folder)
        facts, message = self.facts(case)
        if message:
            return None, message
        if facts['values'] != case.values:
            raise Wrong('info reports values %s, not %s' % (facts['values'], case.values))
        if case.planes and (facts['planes'], facts['alpha']) != (case.planes, case.planes % 2 == 0):
            raise Wrong('%d planes, alpha: %s' % (facts['planes'], facts['alpha']))
        for values in case.right:
            self.check_values(case, values)
        return case.shown, None


class Table:
    def __init__(self, title, columns):
        self.title, self.columns = title, columns
        self.cells = collections.defaultdict(dict)
        self.messages, self.wrong = [], []

    def add(self, case, reader):
        try:
            shown, message = reader.outcome(case)
            if message and message not in self.messages:
                self.messages.append(message)
            shown = shown or '(%d)' % (self.messages.index(message) + 1)
            before = self.cells[case.row].setdefault(case.column, shown)
            if before != shown:
                raise Wrong('%s, and %s in another file of this cell' % (shown, before))
        except Wrong as error:
            self.wrong.append('%s, %s (%s): %s' % (case.row, case.column, case.name, error))
            self.cells[case.row][case.column] = 'wrong'

    def lines(self):
        yield '| %s | %s |' % (self.title, ' | '.join(self.columns))
        yield '|---' * (len(self.columns) + 1) + '|'
        for row in sorted(self.cells, key=lambda row: ORDER.index(format_of(row))):
            cells = self.cells[row]
            yield '| %s | %s |' % (row, ' | '.join(cells.get(each, '–') for each in self.columns))
        if self.messages:
            yield ''
        for number, message in enumerate(self.messages, 1):
            yield '(%d) %s%s' % (number, message, '' if number == len(self.messages) else '  ')


def lacks(program):
    """Formats that this program is built without."""
    done = subprocess.run([program, '--version', '-v'], capture_output=True, text=True, check=True)
    return [name for name in ('EXR', 'FITS') if '%s: yes' % name not in done.stdout]


def page_differs(tables, update):
    path = os.path.join(ROOT, PAGE)
    with open(path, encoding='utf-8') as file:
        page = file.read()
    lines = {name: table.lines for name, table in tables.items()}
    new = page_tables.filled(PAGE, page, lines, '\n')
    if update:
        with open(path, 'w', encoding='utf-8') as file:
            file.write(new)
    return new != page and not update


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('--wavepass', default=os.path.join(ROOT, 'build/release/wavepass'))
    parser.add_argument('--update', action='store_true')
    parser.add_argument('--format', choices=ORDER)
    given = parser.parse_args()
    program = os.path.abspath(given.wavepass)
    omitted = ['%s: the program is built without it' % name for name in lacks(program)]
    tables = {name: Table(title, columns) for name, (title, columns) in format_cells.TABLES.items()}
    with tempfile.TemporaryDirectory() as folder:
        reader = Reader(program, folder)
        files = 0
        for name, cases in format_cells.cases(lacks(program), omitted):
            for case in cases:
                if given.format in (None, format_of(case.row)):
                    tables[name].add(case, reader)
                    files += 1
    print('%d files, %d cells' % (files, sum(len(cells) for table in tables.values()
                                             for cells in table.cells.values())))
    wrong = [each for table in tables.values() for each in table.wrong]
    print('\n'.join('wrong: ' + each for each in wrong), end='\n' if wrong else '')
    print('\n'.join('left out: ' + each for each in omitted), end='\n' if omitted else '',
          file=sys.stderr)
    if wrong:
        sys.exit(1)
    if omitted:
        sys.exit(MISSING)
    if not given.format and page_differs(tables, given.update):
        sys.exit('%s has other tables: scripts/format_table.py --update writes them' % PAGE)


if __name__ == '__main__':
    main()
