#!/usr/bin/python3
"""Runs docs/coming-from.md with PyWavelets, and compares every wavelet that both programs have.

    scripts/coming_from.py [--wavepass FILE] [--backend NAME] [--every N] [--no-install]

Installs PyWavelets from Debian's packages (scripts/setup.sh peers) unless --no-install is given.
The blocks of the page with commands and with Python run in their order and in one folder;
same(a, b) requires values that differ only by the rounding of float32. Then each wavelet: its
subbands are compared with those of PyWavelets, and each program inverts the subbands of the other
one. --every N selects one wavelet of N. The exit status is 1 if results differ, and 77 if
PyWavelets is not available. Requires Debian's own Python, which finds Debian's packages.
"""
import argparse
import os
import shlex
import subprocess
import sys
import tempfile
import warnings

import run_docs

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
PAGE = os.path.join(ROOT, 'docs', 'coming-from.md')
BOUND = 1e-5  # of the larger of 1 and the largest value
MISSING, LEVELS = 77, 3


class Difference(Exception):
    pass


def flat(values):
    if isinstance(values, (list, tuple)):
        return [array for part in values for array in flat(part)]
    return [numpy.asarray(values, dtype=float)]


def same(ours, theirs):
    ours, theirs = flat(ours), flat(theirs)
    if [a.shape for a in ours] != [b.shape for b in theirs]:
        raise Difference('shapes %s and %s' % ([a.shape for a in ours], [b.shape for b in theirs]))
    worst = max(float(abs(a - b).max()) / max(1, abs(b).max()) for a, b in zip(ours, theirs))
    if not worst <= BOUND:
        raise Difference('they differ by %.2g' % worst)


class Runner:
    def __init__(self, program, backend, directory):
        self.program, self.backend, self.directory = program, backend, directory

    def run(self, *words):
        transforms = words[0] in ('forward', 'inverse')
        done = subprocess.run([self.program, *words, '-q',
                               *(('-b', self.backend) if transforms else ())],
                              cwd=self.directory, capture_output=True, text=True, check=False)
        if done.returncode:
            raise Difference('wavepass %s: %s' % (' '.join(words), done.stderr.strip()))

    def page(self):
        names = {'np': numpy, 'pywt': pywt, 'same': same}
        with open(PAGE, encoding='utf-8') as file:
            text = file.read()
        commands = checks = 0
        for block in run_docs.blocks(text):
            try:
                if block.kind == 'python':
                    code = '\n'.join(block.lines)
                    checks += code.count('same(')
                    # Lines as they are in the page.
                    exec(compile('\n' * (block.line - 1) + code, PAGE, 'exec'), names)  # pylint: disable=exec-used
                elif block.kind == 'sh':
                    for command in block.lines:
                        words = shlex.split(command)
                        assert words[0] == 'wavepass', command
                        commands += 1
                        self.run(*words[1:])
            except Exception as error:
                raise Difference('%s:%d: %s' % (os.path.relpath(PAGE, ROOT), block.line,
                                                    error)) from error
        return commands, checks

    def wavelet(self, name, image):
        self.run('forward', 'image.npy', '-w', name, '-l', str(LEVELS), '--subbands', 'pywt', '-f',
                 '-o', 'c.npz')
        arrays = numpy.load('c.npz')
        ours = [arrays['cA%d' % LEVELS]] + [tuple(arrays['c%s%d' % (d, n)] for d in 'HVD')
                                            for n in range(LEVELS, 0, -1)]
        theirs = pywt.wavedec2(image.astype(float), name, 'periodization', LEVELS)
        same(ours, theirs)
        same(pywt.waverec2(ours, name, 'periodization'), image)
        named = {'cA%d' % LEVELS: theirs[0]}
        for i, details in enumerate(theirs[1:]):
            named.update({'c%s%d' % (d, LEVELS - i): array for d, array in zip('HVD', details)})
        numpy.savez('t.npz', **named)
        self.run('inverse', 't.npz', '-w', name, '-f', '-o', 'back.npy')
        same(numpy.load('back.npy'), image)


def wavelets():
    most = {'db': 20, 'coif': 5}
    for name in pywt.wavelist(kind='discrete'):
        family = name.rstrip('0123456789.')
        if family != 'dmey' and float(name[len(family):] or 0) <= most.get(family, 20):
            yield name


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('--wavepass', default=os.path.join(ROOT, 'build/release/wavepass'))
    parser.add_argument('--backend', default='cpu')
    parser.add_argument('--every', type=int, default=1)
    parser.add_argument('--no-install', action='store_true')
    options = parser.parse_args()
    # In small images, long filters reach the borders everywhere.
    warnings.filterwarnings('ignore', module='pywt')
    with tempfile.TemporaryDirectory() as directory:
        os.chdir(directory)
        runner = Runner(os.path.abspath(os.path.join(ROOT, options.wavepass)), options.backend,
                        directory)
        try:
            commands, checks = runner.page()
            print('docs/coming-from.md: %d commands, %d comparisons in its Python' %
                  (commands, checks))
            image = numpy.random.default_rng(8).random((64, 96)).astype(numpy.float32)
            numpy.save('image.npy', image)
            count = 0
            for name in list(wavelets())[::options.every]:
                try:
                    runner.wavelet(name, image)
                except Difference as error:
                    raise Difference('%s: %s' % (name, error)) from error
                count += 1
            print('%d wavelets: subbands, waverec2() and inverse agree with PyWavelets %s' %
                  (count, pywt.__version__))
        except Difference as error:
            sys.exit('DIFFERENT: %s' % error)


try:
    import numpy
    import pywt
except ImportError:
    if '--no-install' in sys.argv or subprocess.run(
            [os.path.join(ROOT, 'scripts/setup.sh'), 'peers'], check=False).returncode:
        sys.stderr.write('PyWavelets is not here\n')
        sys.exit(MISSING)
    os.execv(sys.executable, [sys.executable, *sys.argv])

if __name__ == '__main__':
    main()
