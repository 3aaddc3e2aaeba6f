"""Every allocation of every command fails, one call stack after the other.

A fault is at a call stack (tests/fault/memory_fault.c): the first allocation there fails, or that
and all later ones. Then the program reports it and ends with exit code 6, without an incomplete
file; or it continues, and its output is that of a run without faults. THIRD lists the accepted
behavior of libraries.

The tests run a sample, which is the same each time, so that only a change of the program makes them
fail. WAVEPASS_WALK gives another SEED, or SEED:RUNS for that number of faults in each command and
also in OpenGL, or `all` for all faults.
"""
import array
import bisect
import collections
import functools
import json
import os
import random
import re
import signal
import subprocess

import formats
import harness
from harness import TOO_LARGE, CliTest

WALK = os.environ.get('WAVEPASS_WALK') or '1'
SAMPLE = int(WALK.split(':')[1]) if ':' in WALK else 20  # runs of a command
GL = WALK == 'all' or ':' in WALK
# Messages of the program, of libzip and of libtiff.
OUT_OF_MEMORY = re.compile(r'memory.* error: | error: .*(memory|malloc|allocate|no space for)',
                           re.I | re.S)
# The messages of the library in tests/fault, possibly within a message of another thread.
FAULT = re.compile(r'memory fault: .*\n')
LEFT_OUT = re.compile(r'warning: skipped: .*not enough memory')  # of a benchmark
NUMBER = re.compile(r'[-+]?\d[\d.]*(e[-+]?\d+)?')

# Libraries that may fail without memory, by the start of their names, and their known ways to end
# the program. A driver may fail in any way, but must not leave files; parts that it omits without
# an error are counted as unseen.
DRIVERS = ('libEGL', 'libGL', 'libX', 'libxcb', 'swrast', 'libLLVM', 'libgallium', 'libglapi',
           'libstdc++', 'libdrm', 'libglfw', 'libwayland', 'libGLEW', 'libcuda', 'libnvidia', '?')
THIRD = (
    ('libpopt', 1, 'virtual memory exhausted'),
    ('libfftw3', -signal.SIGABRT, 'fftw: alloc.c'),
    # It counts a tag for which memory was exhausted, and reads it when freeing the directory.
    ('libtiff', -signal.SIGSEGV, 'Failed to allocate space for list of custom values'),
    # And frees fields of a directory that were not initialized.
    ('libtiff', -signal.SIGSEGV, 'Failed to allocate memory for for fields array'),
    # Dear ImGui's messages if fonts cannot be packed; the second is without memory for the first.
    ('libstb', -signal.SIGABRT, 'pack_context'),
    ('libstb', -signal.SIGABRT, 'Unexpected error.'),
)

Place = collections.namedtuple('Place', 'hash count asker frames')
Outcome = collections.namedtuple('Outcome', 'code out err files')


@functools.lru_cache
def functions():
    """The addresses of the program's functions in order, and their names."""
    told = subprocess.run(['nm', '-n', '--defined-only', harness.PROGRAM], capture_output=True,
                          text=True, check=False).stdout
    rows = [line.split(None, 2) for line in told.split('\n')
            if re.match(r'[0-9a-f]+ [tTwW] ', line)]
    return [int(row[0], 16) for row in rows], [row[2] for row in rows]


def is_of_cuda(place):
    """CUDA's static runtime allocates before main(), and crashes if it has no memory."""
    starts, names = functions()
    at = {names[max(bisect.bisect_left(starts, int(frame, 16)) - 1, 0)]
          for frame in place.frames} if names else set()
    return any(re.search('libcudart_static|__cudaRegister|^cuda[A-Z]', name) for name in at) or (
        at == {'_start'} and '__cudaRegisterFunction' in names)


def near(data, other):
    """Whether arrays are equal except for rounding."""
    if len(data) != len(other):
        return False
    start = len(data) % 4
    a, b = array.array('f', data[start:]), array.array('f', other[start:])
    return data == other or all(abs(x - y) <= 1e-4 for x, y in zip(a, b))


def shape_of(data):
    """The parts that do not depend on times: the members and words of JSON, the number of lines of
    other texts, and the end of a drawing, whose labels depend on the available space."""
    def shape(value):
        if isinstance(value, dict):
            return {name: shape(item) for name, item in value.items()}
        if isinstance(value, list):
            return sorted({repr(shape(item)) for item in value})
        if isinstance(value, str):
            return NUMBER.sub('#', value)
        return value if isinstance(value, bool) else None

    try:
        return shape(json.loads(data))
    except ValueError:
        return data[-7:] if data.endswith(b'</svg>\n') else data.count(b'\n')


def is_finished(data):
    """Whether the data are a complete PNG or JSON."""
    try:
        return data.endswith(b'IEND\xaeB`\x82') or json.loads(data) is not None
    except ValueError:
        return False


FACTS = 'facts.json'  # of the viewer, with times in it


def notice_of(outcome):
    """The notice in the viewer's window when its facts were saved."""
    try:
        return json.loads(outcome.files[FACTS])['notice'].encode()
    except (KeyError, ValueError, TypeError):
        return b''


@harness.not_sanitized("the sanitizers' heap is not to be replaced")
class MemoryTest(CliTest):
    # One row each.
    table = []

    def setUp(self):
        super().setUp()
        self.chance = random.Random(WALK)
        self.write('in.pgm', formats.pnm(24, 20, formats.noise(24 * 20, 255)))

    def make(self, *arguments):
        """Writes an input."""
        self.succeed(*arguments, '-q', '-f')

    def play(self, arguments, change, fault=None):
        """Runs the command; afterwards the inputs are as before."""
        environment = self.environment({'OMP_NUM_THREADS': '1', **change}, fault)
        done = subprocess.run([harness.PROGRAM, *arguments], cwd=self.directory, env=environment,
                              stdin=subprocess.DEVNULL, capture_output=True, timeout=600,
                              check=False)
        files = {}
        for folder, _, names in os.walk(self.directory):
            for name in names:
                path = os.path.relpath(os.path.join(folder, name), self.directory)
                files[path] = self.read(path)
                if self.inputs.get(path) != files[path]:
                    os.remove(self.path(path))
        for folder, _, _ in os.walk(self.directory, topdown=False):
            if folder != self.directory and not os.listdir(folder):
                files.setdefault(os.path.relpath(folder, self.directory) + '/', b'')
                os.rmdir(folder)
        for name, data in self.inputs.items():
            if files.get(name) != data:
                self.write(name, data)
        return Outcome(done.returncode, done.stdout, done.stderr.decode(errors='replace'), files)

    def places(self, arguments, change):
        listing = os.path.join(self._directory.name + '.places')
        try:
            outcome = self.play(arguments, change, 'memory-list:' + listing)
            with open(listing, encoding='ascii') as file:
                lines = [line.split() for line in file]
        finally:
            if os.path.exists(listing):
                os.remove(listing)
        self.assertEqual(outcome.code, 0, outcome.err)
        return [Place(l[0], int(l[1]), l[2], l[3:]) for l in lines]

    def names(self, place):
        """The functions of a call stack, for the report of an error."""
        addresses = [hex(int(frame, 16) - 1) for frame in place.frames]
        try:
            told = subprocess.run(['addr2line', '-f', '-e', harness.PROGRAM, *addresses],
                                  capture_output=True, text=True, check=True).stdout
        except (OSError, subprocess.CalledProcessError):
            return ' '.join(place.frames)
        return ' < '.join(told.split('\n')[::2])

    def same(self, data, wanted):
        """Whether an output is that of a run without failures, except for measured values."""
        if data == wanted or wanted is None or not self.varies:
            return data == wanted
        if self.varies == 'rounding':
            return wanted.startswith(b'\x93NUMPY') and near(data, wanted)
        return shape_of(data) == shape_of(wanted)

    def judge(self, place, outcome):
        """The verdict in one word; errors begin with a capital letter."""
        if outcome.code == 0 and b'memory' in notice_of(outcome):
            return 'told'  # in the window, which continues to work
        partial = [name for name, data in outcome.files.items() if self.inputs.get(name) != data and
                   name != FACTS and not self.same(data, self.wanted.files.get(name))]
        lonely = [name for name in outcome.files if name.endswith('.json') and
                  name[:-len('.json')] in self.wanted.files and name[:-len('.json')] not in
                  outcome.files]
        lost = [name for name in self.inputs if name not in outcome.files]
        if outcome.code == 0 and LEFT_OUT.search(outcome.err):
            partial = []  # without the omitted rows
        if (outcome.code == harness.MISMATCH and place.asker.startswith(DRIVERS) and
                'do not give the image back' in outcome.err):
            return 'third party'
        whole = not lonely + lost and set(partial) <= set(self.wanted.files)
        if (outcome.code and whole and place.asker.startswith(DRIVERS) and
                all(is_finished(outcome.files[name]) for name in partial)):
            partial = []  # saved by a script before the driver failed
        if outcome.code == 0 and place.asker.startswith(DRIVERS) and whole and (
                partial or outcome.out != self.wanted.out):
            # An omitted draw, an unlisted device.
            return 'third party' if 'GL_OUT_OF_MEMORY' in outcome.err else 'unseen'
        if partial or lonely or lost:
            return 'Left %s' % ' '.join(partial + lonely + lost)
        if outcome.code == 0:
            if (self.same(outcome.out, self.wanted.out) and
                    not set(self.wanted.files) - set(outcome.files)):
                return 'same'
            if LEFT_OUT.search(outcome.err):
                return 'told'
            return 'Another result'
        if outcome.code == TOO_LARGE and OUT_OF_MEMORY.search(FAULT.sub('', outcome.err)):
            return 'clean'
        for library, code, message in THIRD:
            if (place.asker.startswith(library) and outcome.code == code and
                    message in outcome.err):
                return 'third party'
        if place.asker.startswith(DRIVERS) and (outcome.code < 0 or ' error: ' in outcome.err):
            return 'third party'
        return 'Signal %d' % -outcome.code if outcome.code < 0 else 'Exit %d' % outcome.code

    def walk(self, name, *arguments, varies=None, change=None, share=1):
        """Tries all call stacks, or the `share`-th part in a sample. `varies` names the differences
        between runs: 'rounding' of arrays, or 'times'."""
        change = change or {}
        self.varies = varies
        self.inputs = self.files()
        self.wanted = self.play(arguments, change)
        self.assertEqual(self.wanted.code, 0, self.wanted.err)
        every = self.places(arguments, change)
        places = [place for place in every if not is_of_cuda(place)]
        self.assertGreater(len(places), 5)
        if len(places) < len(every):
            print('%s: left out: %d stacks of CUDA\'s static runtime, which ends by a fault' % (
                name, len(every) - len(places)))
        tries = [(place, mode) for place in places for mode in ('one', 'all')]
        if WALK != 'all':
            tries = self.chance.sample(tries, min(len(tries), max(1, SAMPLE // share)))
        tally, wrong = collections.Counter(), []
        for place, mode in tries:
            outcome = self.play(arguments, change, 'memory-%s:%s' % (mode, place.hash))
            begun = 'memory fault: ' in outcome.err
            verdict = self.judge(place, outcome) if begun else 'not reached'
            if verdict[0].isupper():
                wrong.append('memory-%s:%s %s: %s\n  %s\n  %s' % (
                    mode, place.hash, place.asker, verdict, outcome.err.strip(),
                    self.names(place)))
                verdict = 'wrong'
            tally[verdict] += 1
        self.table.append((name, len(places), len(tries), tally))
        self.assertEqual(wrong, [], '%s (WAVEPASS_WALK=%s): %d of %d\n%s' % (
            name, WALK, len(wrong), len(tries), '\n'.join(wrong)))
        self.assertLess(tally['not reached'], len(tries) / 2 + 2)

    @classmethod
    def tearDownClass(cls):
        if not cls.table:
            return
        verdicts = 'clean', 'same', 'told', 'third party', 'unseen', 'not reached', 'wrong'
        print('\nWAVEPASS_WALK=%s' % WALK)
        print('| %-28s | stacks | runs | %s |' % ('command', ' | '.join(verdicts)))
        print('|%s|-------:|-----:|%s|' % ('-' * 30, '|'.join('-' * (len(v) + 1) + ':'
                                                             for v in verdicts)))
        for name, stacks, runs, tally in cls.table:
            print('| %-28s | %6d | %4d | %s |' % (name, stacks, runs, ' | '.join(
                '%*d' % (len(v), tally[v]) for v in verdicts)))
        cls.table.clear()


CPU = '-b', 'cpu'
QUICK = ('--outer', '2', '--inner', '2')
BENCH = (*CPU, '--size', '32', '-w', 'haar', '--runs', '2', '--warmup', '0', '--no-ceilings',
         '--no-transfers', '--seed', '1')


class Walk(MemoryTest):
    def test_forward(self):
        self.walk('forward', 'forward', 'in.pgm', *CPU, '-o', 'c.npy', '--picture', 'p.png')

    def test_forward_over(self):
        self.make('forward', 'pattern:noise:24x20', *CPU, '-w', 'haar', '-o', 'c.npy')
        self.walk('forward over a pair', 'forward', 'in.pgm', *CPU, '-o', 'c.npy', '-f')

    def test_forward_json(self):
        self.walk('forward to TIFF, --json', 'forward', 'in.pgm', *CPU, '-w', 'bior2.2', '-o',
                  'c.tiff', '--json', varies='times')

    def test_reversible(self):
        self.walk('forward, integers', 'forward', 'in.pgm', *CPU, '--reversible', '-w', 'dd137',
                  '-o', 'c.tiff')
        self.make('forward', 'in.pgm', *CPU, '--reversible', '-o', 'r.npy')
        self.walk('inverse, integers', 'inverse', 'r.npy', *CPU, '-o', 'r.png')

    def test_half(self):
        self.walk('forward, 16 bits', 'forward', 'in.pgm', *CPU, '--half', '-o', 'c.npy')
        self.make('forward', 'in.pgm', *CPU, '--half', '-o', 'h.npy')
        self.walk('inverse, 16 bits', 'inverse', 'h.npy', *CPU, '-o', 'h.png')

    def test_tiles(self):
        self.walk('forward to tiles', 'forward', 'in.pgm', *CPU, '-w', 'haar', '-o', 'c.tiff',
                  '--tile', '16', '--compression', 'deflate')
        self.make('forward', 'in.pgm', *CPU, '-w', 'haar', '-o', 'c.tiff', '--tile', '16')
        self.walk('inverse of tiles', 'inverse', 'c.tiff', *CPU, '-o', 'i.npy')
        self.walk('a region', 'inverse', 'c.tiff', '-o', 'r.npy', '--region', '3,2,9,8')
        self.walk('info in rows', 'info', 'c.tiff', '--memory', '1K')
        self.walk('compare in rows', 'compare', 'in.pgm', 'in.pgm', '--memory', '1K', '--metric',
                  'max')

    def test_strips(self):
        pixels = bytes(i * 37 % 251 for i in range(12 * 3000))
        self.write('long.pgm', b'P5 12 3000 255\n' + pixels)
        for name in ('c.npy', 'c.tiff'):
            room = ('--memory', '250K', '-l', '2', '-w', 'haar')
            room += ('--tile', '16') if name == 'c.tiff' else ()
            self.walk('forward in strips, ' + name, 'forward', 'long.pgm', '-o', name, *room)
            self.make('forward', 'long.pgm', '-o', name, *room)
            self.walk('inverse in strips, ' + name, 'inverse', name, '-o', 'i.npy', '--memory',
                      '250K')

    def test_forward_clip(self):
        self.write('v.npy', formats.npy((6, 12, 16), formats.noise(6 * 12 * 16, 255)))
        self.walk('forward of a clip', 'forward', 'v.npy', '--volume', '--gop', '2', *CPU, '-o',
                  'c.npy')

    def test_inverse(self):
        self.make('forward', 'in.pgm', *CPU, '-o', 'c.npy')
        self.walk('inverse to PNG', 'inverse', 'c.npy', *CPU, '-o', 'i.png')

    def test_inverse_tiff(self):
        self.make('forward', 'in.pgm', *CPU, '-w', 'db4', '--border', 'periodic', '-o', 'c.tiff')
        self.walk('inverse, TIFF', 'inverse', 'c.tiff', *CPU, '-o', 'i.tiff', '--json',
                  varies='times')

    def test_inverse_nifti(self):
        self.write('v.nii', formats.nifti((12, 10, 6), formats.noise(12 * 10 * 6, 255)))
        self.make('forward', 'v.nii', *CPU, '-o', 'c.nii.gz')
        self.walk('inverse, NIfTI', 'inverse', 'c.nii.gz', *CPU, '-o', 'i.nii.gz')

    def test_edit(self):
        self.make('forward', 'in.pgm', *CPU, '-o', 'c.npy')
        self.walk('edit', 'edit', 'c.npy', '--threshold', 'soft:sure', '--keep', '5', '--reference',
                  'in.pgm', '-o', 'd.npy')

    def test_denoise(self):
        self.walk('denoise', 'denoise', 'in.pgm', '--shifts', '3', '--method', 'sure', '-w', 'cdf53',
                  '-o', 'd.npy', '--truth', 'in.pgm')

    def test_npz(self):
        self.walk('forward to NPZ', 'forward', 'in.pgm', *CPU, '--subbands', 'pywt', '-w', 'db2',
                  '-l', '1', '-o', 'c.npz')
        self.make('forward', 'in.pgm', *CPU, '-o', 'c.npz')
        self.walk('inverse of NPZ', 'inverse', 'c.npz', *CPU, '-o', 'i.npy')

    def test_many(self):
        self.write('other.pgm', self.read('in.pgm'))
        self.walk('forward of two', 'forward', 'in.pgm', 'other.pgm', *CPU, '-o', './')

    def test_compare(self):
        self.make('forward', 'in.pgm', *CPU, '-o', 'c.npy')
        self.make('inverse', 'c.npy', *CPU, '-o', 'i.png')
        self.walk('compare', 'compare', 'in.pgm', 'i.png', '--json')

    def test_compare_bench(self):
        for name in 'a.json', 'b.json':
            self.make('bench', *BENCH, '--json', name)
        self.walk('compare of benchmarks', 'compare', 'a.json', 'b.json')

    def test_info(self):
        self.walk('info', 'info', '--json', change=harness.NO_EGL)

    def test_info_file(self):
        self.make('forward', 'in.pgm', *CPU, '-o', 'c.npy')
        self.walk('info FILE', 'info', 'c.npy', '--json')

    def test_explain(self):
        self.walk('explain', 'explain', '-w', 'cdf53', '-s', 'sep-lifting')

    def test_explain_factoring(self):
        self.walk('explain factoring', 'explain', '-w', 'db4', '--show', 'factoring')

    def test_explain_all(self):
        self.walk('explain all', 'explain', '-w', 'haar', '-s', 'sep-lifting', '--show', 'all',
                  '--input', 'in.pgm', '-o', 'all', varies='times', share=4)

    def test_explain_worksheet(self):
        self.walk('explain worksheet', 'explain', '-w', 'haar', '-s', 'sep-lifting', '--show',
                  'report', '--worksheet', '--web-url', 'x', '--input', 'in.pgm', '--pixel', '3,3',
                  '-o', 'w.html', share=2)

    def test_colour(self):
        self.write('rgb.png', formats.png(16, 12, formats.noise(16 * 12 * 3, 255), planes=3))
        self.walk('forward of a channel', 'forward', 'rgb.png', *CPU, '-w', 'haar', '--channel',
                  'green', '-o', 'c.npy', '--picture', 'p.png')
        self.walk('explain in colour', 'explain', '-w', 'haar', '-s', 'sep-lifting', '--show',
                  'report', '--input', 'rgb.png', '-o', 'r.html', share=2)

    def test_passes(self):
        self.walk('explain passes', 'explain', '-w', 'haar', '--show', 'passes', '--input',
                  'in.pgm', '-o', 'passes', varies='times', share=2)

    def test_verify(self):
        self.walk('verify', 'verify', *CPU, '-w', 'haar', '--json', varies='times', share=2)

    def test_bench(self):
        self.walk('bench', 'bench', *BENCH, '--json', 'r.json', '--svg', 'r.svg', '--markdown',
                  'r.md', varies='times')

    def test_bench_failing(self):
        self.walk('bench, what fails', 'bench', *BENCH, '--size', '1x1,32', '-l', '1..9', '--csv',
                  'r.csv', varies='times')

    def test_undersample(self):
        self.walk('undersample', 'undersample', 'in.pgm', '-o', 'k.npy', '--mask-output', 'm.npy',
                  varies='rounding')

    def test_reconstruct(self):
        self.make('undersample', 'in.pgm', '-o', 'k.npy', '--mask-output', 'm.npy')
        self.walk('reconstruct', 'reconstruct', 'k.npy', '--mask', 'm.npy', *QUICK, '-o', 'i.npy',
                  varies='rounding')

    def test_help(self):
        self.walk('help --man', 'help', '--man')

    def test_help_command(self):
        self.walk('forward --help', 'forward', '--help')

    def test_version(self):
        self.walk('--version', '--version', '-v')


class WalkGL(MemoryTest):
    """Also covers call stacks in a software OpenGL driver; sampled runs skip these tests."""

    def setUp(self):
        super().setUp()
        if not GL:
            self.skipTest('WAVEPASS_WALK=all walks over OpenGL too')
        self.make('forward', 'in.pgm', *CPU, '-o', 'c.npy')

    def test_forward(self):
        self.walk('forward, fragment', 'forward', 'in.pgm', '-b', 'fragment', '-w', 'haar', '-o',
                  'd.npy')

    def test_inverse(self):
        self.walk('inverse, fragment', 'inverse', 'c.npy', '-b', 'fragment', '-o', 'i.png')

    def test_info(self):
        self.walk('info, OpenGL', 'info', '--json')

    def test_view(self):
        if not harness.has_viewer():
            self.skipTest('the viewer is not part of this build')
        self.write('events.txt', 'key S\nset levels 2\nwait 2\nstate state.json\n'
                   'facts %s\n' % FACTS)
        self.walk('view', 'view', 'in.pgm', '--screenshot', 'view.png', '--window', '320x240',
                  '--events', 'events.txt', '-b', 'fragment')

    def test_view_of_tiles(self):
        if not harness.has_viewer():
            self.skipTest('the viewer is not part of this build')
        self.make('forward', 'in.pgm', *CPU, '-o', 't.tiff', '--tile', '16')
        self.walk('view, tiles', 'view', 't.tiff', '--screenshot', 'view.png', '--window',
                  '320x240')


class Ends(CliTest):
    """No file remains if the program ends unexpectedly."""

    def end(self, fault, code):
        done = subprocess.run([harness.PROGRAM, 'forward', 'pattern:noise:64x64', *CPU, '-o',
                               'c.npy'], cwd=self.directory, env=self.environment(None, fault),
                              capture_output=True, text=True, check=False)
        self.assertIn('file fault: fsync', done.stderr)
        self.assertEqual(done.returncode, code)
        self.assertEqual(self.files(), {})

    def test_abort(self):
        self.end('file-end:1', -signal.SIGABRT)

    def test_exit(self):
        self.end('file-exit:1', 1)

    @harness.not_sanitized('the sanitizers end the program in their own way')
    def test_fault(self):
        self.end('file-fault:1', -signal.SIGSEGV)

    def test_many_threads(self):
        """There is no memory for the stacks of all threads; some threads are created and do the
        work."""
        self.succeed('forward', 'pattern:noise:64x64', *CPU, '-o', 'c.npy',
                     env={'OMP_NUM_THREADS': '100000'})


class Leaks(CliTest):
    """Without a driver in the process, so that the sanitizer checks for leaks, and not
    src/base/leaks.c."""

    def clean(self, *arguments, code=0):
        if not harness.is_sanitized():
            self.skipTest('leaks are found under the sanitizers')
        result = self.run_program(*arguments, '-f', env={
            'ASAN_OPTIONS': 'detect_leaks=1:verify_asan_link_order=0', **harness.NO_EGL})
        self.assertEqual(result.code, code, result.err)

    def test_transforms(self):
        self.clean('forward', 'pattern:noise:24x20', *CPU, '-w', 'bior2.2', '-o', 'c.npy',
                   '--picture', 'p.png')
        self.clean('inverse', 'c.npy', *CPU, '-o', 'i.tiff')
        self.clean('inverse', 'c.npy', *CPU, '-w', 'haar', '-o', 'i.tiff', code=harness.USAGE)
        self.write('in.pgm', formats.pnm(24, 20, formats.noise(480, 255)))
        self.clean('forward', 'in.pgm', *CPU, '--reversible', '-o', 'c.npy')
        self.clean('inverse', 'c.npy', *CPU, '-o', 'i.png')

    def test_clip(self):
        self.write('v.npy', formats.npy((6, 12, 16), formats.noise(6 * 12 * 16, 255)))
        self.clean('forward', 'v.npy', '--volume', '--gop', '2', *CPU, '-o', 'c.nii.gz')
        self.clean('inverse', 'c.nii.gz', *CPU, '-o', 'i.nii')

    def test_bench(self):
        for name in 'a.json', 'b.json':
            self.clean('bench', *BENCH, '--json', name)

    def test_explain(self):
        self.clean('explain', '-w', 'haar', '-s', 'sep-lifting', '--show', 'all', '-o', 'all')

    def test_reconstruct(self):
        self.clean('undersample', 'pattern:ball:24x20', '-o', 'k.npy', '--mask-output', 'm.npy')
        self.clean('reconstruct', 'k.npy', '--mask', 'm.npy', *QUICK, '-o', 'i.npy')
