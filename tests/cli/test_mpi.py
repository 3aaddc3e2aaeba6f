"""wavepass-mpi: the files of wavepass for any number of processes, and failing processes."""
import contextlib
import json
import os
import resource
import shutil
import signal
import subprocess
import time

import formats
import harness
import test_lines
import test_tiles
from harness import FILE, TOO_LARGE, UNAVAILABLE, USAGE

CPU = ('-b', 'cpu')
LITTLE = ('--memory', '400K')  # below the size of these images, which use strips
# Open MPI must be allowed to use more processes than processors, and to run as root.
ALLOWED = {'OMPI_MCA_rmaps_base_oversubscribe': '1', 'OMPI_ALLOW_RUN_AS_ROOT': '1',
           'OMPI_ALLOW_RUN_AS_ROOT_CONFIRM': '1'}


class MpiTest(test_lines.LinesTest):
    def setUp(self):
        self.program = os.path.join(os.path.dirname(harness.PROGRAM), 'wavepass-mpi')
        if not os.path.exists(self.program):
            self.skipTest('wavepass-mpi is not built (-DWAVEPASS_MPI=ON)')
        if not shutil.which('mpiexec'):
            self.skipTest('mpiexec is not installed (Debian: openmpi-bin)')
        super().setUp()

    def how(self, processes):
        return {'program': self.program, 'wrapper': ('mpiexec', '-n', str(processes)),
                'env': ALLOWED}

    def mpi(self, processes, *arguments, **how):
        return self.succeed(*arguments, **self.how(processes), **how)

    def refuse_mpi(self, processes, code, message, *arguments, **how):
        return self.refuse(code, message, *arguments, **self.how(processes), **how)

    def make_long(self):
        """Every process has more rows than a tile."""
        self.write('long.pgm', formats.pnm(83, 1203, formats.noise(83 * 1203, 255)))
        return 'long.pgm'


class Same(MpiTest):
    """Forward and inverse, compared with one process that works in strips or on the complete image.
    """

    def forward(self, processes, image, *options, strips=LITTLE):
        self.succeed('forward', image, '-o', 'one.npy', '-f', *options, *strips)
        self.mpi(processes, 'forward', image, '-o', 'many.npy', '-f', *options)
        told = (image, options, processes)
        self.assertEqual(self.read('one.npy'), self.read('many.npy'), told)
        if strips != CPU:
            self.assertEqual(self.read('one.npy.json'), self.read('many.npy.json'), told)
        tiles = ('--tile', '32')
        self.succeed('forward', image, '-o', 'one.tiff', '-f', *tiles, *options, *CPU)
        self.mpi(processes, 'forward', image, '-o', 'many.tiff', '-f', *tiles, *options)
        self.succeed('compare', 'one.tiff', 'many.tiff', '--tol', '0', '--metric', 'max')
        one, many = (json.loads(self.read(name + '.tiff.json')) for name in ('one', 'many'))
        one.pop('variant', None)
        many.pop('variant', None)
        self.assertEqual(one, many, told)

    def inverse(self, processes, suffix='.npy'):
        for name in ('one.npy', 'many.npy', 'many.tiff'):
            self.succeed('inverse', name, '-o', 'i' + suffix, '-f', *CPU)
            self.mpi(processes, 'inverse', name, '-o', 'j' + suffix, '-f')
            self.assertEqual(self.read('i' + suffix), self.read('j' + suffix), (name, suffix))

    def test_formats(self):
        for number, image in enumerate(self.make()):
            with self.subTest(image):
                room = ('--memory', '800K') if image.startswith('rgb') else LITTLE
                self.forward(1 + number % 4, image, strips=room)
                self.inverse(1 + (number + 1) % 4, ('.npy', '.tiff')[number % 2])

    def test_processes(self):
        image = self.make_long()
        for processes in (1, 2, 3, 4):
            self.forward(processes, image, '-l', '4')
            self.inverse(processes, '.tiff' if processes == 2 else '.pfm')

    def test_transforms(self):
        self.make()
        for options in (('-w', 'cdf53', '--reversible'), ('-w', 'dd137', '--norm', 'orthonormal'),
                        ('-l', 'max', '--norm', 'none')):
            with self.subTest(options):
                self.forward(3, 'gray.pgm', *options)
                self.inverse(2)

    def test_periodic(self):
        self.write('even.pgm', formats.pnm(64, 160, formats.noise(64 * 160, 255)))
        self.forward(3, 'even.pgm', '--border', 'periodic', '-w', 'db3', strips=CPU)
        self.inverse(4)

    def test_few_rows(self):
        """Fewer rows than processes, and fewer than the levels need."""
        for number, (w, h) in enumerate(((97, 3), (1, 40), (40, 1), (33, 17), (5, 2))):
            self.write('few.pgm', formats.pnm(w, h, formats.noise(w * h, 255)))
            self.forward(4, 'few.pgm', '-l', 'max', strips=CPU)
            self.inverse(2 + number % 3, '.tiff')

    def test_input_in_blocks(self):
        """Strips and tiles that contain the end of a slab; a channel; a file without a header."""
        w, h = 301, 211
        samples = formats.noise(w * h, 255)
        self.write('strips.tiff', formats.tiff(w, h, samples, bits=8, rows_per_strip=h))
        self.write('raw.bin', bytes(samples))
        self.forward(3, 'strips.tiff')
        self.forward(2, 'raw.bin', '--raw', '%dx%d:u8' % (w, h))
        self.make()
        self.forward(3, 'rgb.png', '--channel', 'luma')
        self.forward(3, 'rgba.png', '--channel', 'green')

    def test_other_backends(self):
        """One device per process: the files of one process with the same backend."""
        image = self.make_long()
        rule = ('-s', 'nonsep-polyconvolution')
        for processes, backend, more in ((2, 'fragment', ()), (3, 'compute', ('-l', '5')),
                                         (4, 'fragment', ('-w', 'cdf53', '--reversible'))):
            with self.subTest(backend):
                named = () if '--reversible' in more else rule
                self.succeed('forward', image, '-o', 'one.npy', '-f', '-b', backend, *named, *more)
                told = self.mpi(processes, 'forward', image, '-o', 'many.npy', '-f', '-v', '-b',
                                backend, '--json', *more)
                self.assertIn('slabs are transformed on %s' % backend, told.err)
                self.assertEqual(json.loads(told.text())['backend']['used'], backend)
                self.succeed('compare', 'one.npy', 'many.npy', '--metric', 'max', '--tol',
                             '1e-6' if backend == 'compute' else '0')
                self.succeed('inverse', 'one.npy', '-o', 'i.npy', '-f', '-b', backend)
                self.mpi(processes, 'inverse', 'one.npy', '-o', 'j.npy', '-f', '-b', backend)
                self.succeed('compare', 'i.npy', 'j.npy', '--metric', 'max', '--tol',
                             '1e-6' if backend == 'compute' else '0')

    def test_tiles_of_others(self):
        """Coefficients in deflated tiles, and a TIFF with tiles as input."""
        image = self.make_long()
        self.succeed('forward', image, '-o', 'one.tiff', '--tile', '16', '--compression', 'deflate',
                     *CPU)
        self.succeed('inverse', 'one.tiff', '-o', 'i.npy', *CPU)
        self.mpi(3, 'inverse', 'one.tiff', '-o', 'j.npy')
        self.assertEqual(self.read('i.npy'), self.read('j.npy'))

    def test_read_by_others(self):
        image = self.make_long()
        self.mpi(3, 'forward', image, '-o', 'c.tiff')
        self.assertEqual(json.loads(self.succeed('info', 'c.tiff', '--json').text())['width'], 83)
        self.succeed('inverse', 'c.tiff', '-o', 'part.npy', '--region', '10,500,64,300')
        self.succeed('inverse', 'c.tiff', '-o', 'small.npy', '--level', '2')

    def test_told(self):
        image = self.make_long()
        told = json.loads(self.mpi(3, 'forward', image, '-o', 'c.tiff', '--json').text())
        self.assertEqual((told['processes'], told['height'], told['files']['sidecar']),
                         (3, 1203, 'c.tiff.json'))
        self.assertEqual(self.mpi(3, '--version').text().count('wavepass-mpi'), 1)
        page = self.mpi(2, 'inverse', '--help').text()
        self.assertTrue(page.startswith('usage: wavepass-mpi inverse [OPTIONS] COEFFS'), page)
        self.assertEqual(page.count('usage:'), 1)
        values = [0.5] * 83 * 90
        for at in (5, 83 * 40, 83 * 89):
            values[at] = float('nan')
        self.write('nan.npy', formats.npy((90, 83), values))
        told = self.mpi(3, 'forward', 'nan.npy', '-o', 'c.npy')
        self.assertEqual(told.err.count('3 values are not finite'), 1, told.err)


class Refused(MpiTest):
    """Errors of one or all processes are printed once, with one exit code and without a file."""

    def test_usage(self):
        image = self.make_long()
        refuse = self.refuse_mpi
        refuse(3, USAGE, 'unknown option', 'forward', image, '--such')
        refuse(2, USAGE, 'unknown command', 'view', image)
        refuse(2, USAGE, 'an argument is missing', 'inverse')
        refuse(3, USAGE, 'no output', 'forward', image)
        refuse(2, USAGE, 'only .npy and .tiff', 'forward', image, '-o', 'c.pfm')
        refuse(2, USAGE, '--tile is for a .tiff', 'forward', image, '-o', 'c.npy', '--tile', '16')
        refuse(2, USAGE, 'not a multiple of 16', 'forward', image, '-o', 'c.tiff', '--tile', '24')
        refuse(2, USAGE, 'abacus', 'forward', image, '-o', 'c.npy', '-b', 'abacus')
        refuse(2, UNAVAILABLE, 'is not available', 'forward', image, '-o', 'c.npy', '-b',
               'fragment', '-d', '99')
        refuse(2, USAGE, 'neither variants nor devices', 'forward', image, '-o', 'c.npy', '-d', '0')
        refuse(2, USAGE, 'no-such', 'forward', image, '-o', 'c.npy', '-w', 'no-such')
        refuse(2, USAGE, '--channel luma makes', 'forward', image, '-o', 'c.npy', '--channel',
               'luma', '--reversible')
        refuse(2, USAGE, 'can write only', 'inverse', image,
               '-o', 'i.png')

    def test_input(self):
        data = self.read(self.make_long())
        refuse = self.refuse_mpi
        refuse(3, FILE, 'none.npy: no such file', 'forward', 'none.npy', '-o', 'c.npy')
        refuse(3, FILE, 'none.npy: no such file', 'inverse', 'none.npy', '-o', 'i.npy')
        refuse(2, USAGE, 'cannot be shared', 'forward', 'pattern:zone-plate', '-o', 'c.npy')
        self.write('cut.pgm', data[:-100])
        refuse(3, FILE, 'cut.pgm: truncated', 'forward', 'cut.pgm', '-o', 'c.npy')
        self.write('a.jpg', formats.jpeg(64, 64))
        refuse(2, USAGE, 'its rows cannot be shared', 'forward', 'a.jpg', '-o', 'c.npy')
        refuse(2, USAGE, 'no metadata file', 'inverse', 'cut.pgm', '-o', 'i.npy')

    def test_output(self):
        image = self.make_long()
        self.write('c.npy', b'mine')
        refuse = self.refuse_mpi
        refuse(3, FILE, 'c.npy exists', 'forward', image, '-o', 'c.npy')
        refuse(3, FILE, 'cannot write nowhere/c.npy', 'forward', image, '-o', 'nowhere/c.npy')
        told = self.run_program('forward', image, '-o', 'c.npy', '--json', **self.how(3))
        self.assertEqual(told.code, FILE)
        self.assertEqual(json.loads(told.out)['error'], 'c.npy exists')

    def test_one_process(self):
        """Errors of only the last process: a damaged sample, and a damaged tile."""
        values = [1.0] * 83 * 400
        values[-1] = 0.5
        self.write('half.npy', formats.npy((400, 83), values))
        self.refuse_mpi(3, FILE, 'process 2 of 3: half.npy, from row 2', 'forward', 'half.npy',
                        '-o', 'c.npy', '--reversible')
        image = self.make_long()
        self.mpi(2, 'forward', image, '-o', 'c.tiff', '--tile', '32')
        data = self.read('c.tiff')
        self.write('c.tiff', data[:-20000])
        self.refuse_mpi(3, FILE, 'c.tiff', 'inverse', 'c.tiff', '-o', 'i.npy')
        swapped = bytearray(data)
        swapped[test_tiles.pages(data)[4]['offsets'][0]] ^= 1
        self.write('c.tiff', bytes(swapped))
        self.refuse_mpi(3, FILE, 'other coefficients', 'inverse', 'c.tiff', '-o', 'i.npy')
        self.mpi(3, 'inverse', 'c.tiff', '-o', 'i.npy', '--ignore-changes')
        os.remove(self.path('i.npy'))

    def test_tiles_and_regions(self):
        image = self.make_long()
        self.mpi(2, 'forward', image, '-o', 'c.tiff', '--tile', '32')
        self.mpi(2, 'forward', image, '-o', 'd.tiff', '--tile', '64')
        # If the size of tiles differs from the metadata, that of the file is used.
        os.replace(self.path('d.tiff'), self.path('c.tiff'))
        self.mpi(3, 'inverse', 'c.tiff', '-o', 'i.npy')
        self.refuse(USAGE, 'is not within', 'inverse', 'c.tiff', '-o', 'p.npy',
                    '--region', '80,1200,64,64')


class Faults(MpiTest):
    """A full disk, and processes that die."""

    def make_large(self, side):
        with open(self.path('large.npy'), 'wb') as file:
            file.write(formats.npy((side, side)))
            file.truncate(file.tell() + side * side * 4)

    def test_full_disk(self):
        """The files of MPI itself are smaller than the limit."""
        self.make_large(4000)
        full = {'limits': ((resource.RLIMIT_FSIZE, 48 * harness.MIB),)}
        for name in ('c.npy', 'c.tiff'):
            self.refuse_mpi(3, FILE, 'cannot write %s (File too large)' % name, 'forward',
                            'large.npy', '-o', name, **full)
        self.mpi(2, 'forward', 'large.npy', '-o', 'c.tiff')
        for name in ('i.npy', 'i.tiff', 'i.pfm'):
            self.refuse_mpi(3, FILE, 'cannot write %s (File too large)' % name, 'inverse', 'c.tiff',
                            '-o', name, **full)

    def test_one_without_memory(self):
        """One process has too little memory; the others must not wait for it."""
        self.make_large(1200)
        command = ('forward', 'large.npy', '-o', 'c.npy')
        fault = os.path.join(harness.FAULTS, 'machine_fault.so')
        if not os.path.exists(fault):
            self.skipTest('%s is not built' % fault)
        poor = ('env', 'LD_PRELOAD=' + fault, 'WAVEPASS_FAULT=machine-memory:2')
        wrapper = ('mpiexec', '-n', '1', self.program, *command, ':', '-n', '1', *poor)
        self.refuse(TOO_LARGE, 'process 1 of 2: not enough memory', *command, program=self.program,
                    wrapper=wrapper, env=ALLOWED)

    def start(self, processes):
        """Starts a run that takes more than a second, and returns after it has begun to write its
        file."""
        self.make_large(6000)
        for name in self.temporary():
            with contextlib.suppress(FileNotFoundError):
                os.remove(self.path(name))
        run = subprocess.Popen(['mpiexec', '-n', str(processes), self.program, 'forward',
                                'large.npy', '-o', 'c.npy'], cwd=self.directory,
                               env=self.environment(ALLOWED), stdout=subprocess.PIPE,
                               stderr=subprocess.PIPE)
        self.addCleanup(run.kill)
        while run.poll() is None and max(self.temporary().values(), default=0) < harness.MIB:
            time.sleep(0.001)
        self.assertTrue(self.temporary(), 'it was over before it could be met')
        return run

    def temporary(self):
        """The sizes of the temporary files; lock files of MPI appear and disappear."""
        sizes = {}
        for name in os.listdir(self.directory):
            if name.startswith('c.npy'):
                with contextlib.suppress(FileNotFoundError):
                    sizes[name] = os.path.getsize(self.path(name))
        return sizes

    def ranks(self, run):
        """The processes of mpiexec by rank."""
        found = {}
        for pid in filter(str.isdigit, os.listdir('/proc')):
            try:
                with open('/proc/%s/stat' % pid, encoding='ascii', errors='replace') as file:
                    parent = int(file.read().rsplit(')', 1)[1].split()[1])
                with open('/proc/%s/environ' % pid, 'rb') as file:
                    environment = dict(item.split(b'=', 1) for item in file.read().split(b'\0')
                                       if b'=' in item)
            except (OSError, ValueError):
                continue
            if parent == run.pid and b'OMPI_COMM_WORLD_RANK' in environment:
                found[int(environment[b'OMPI_COMM_WORLD_RANK'])] = int(pid)
        return found

    def test_killed(self):
        for victim in (0, 1, 2):
            with self.subTest(victim=victim):
                run = self.start(3)
                ranks = self.ranks(run)
                self.assertEqual(sorted(ranks), [0, 1, 2])
                os.kill(ranks[victim], signal.SIGKILL)
                _, told = run.communicate(timeout=60)
                told = told.decode()
                self.assertNotEqual(run.returncode, 0, told)
                others = [r for r in range(3) if r != victim]
                for rank in others:
                    self.assertIn('process %d of 3: interrupted' % rank, told)
                self.assertNotIn('process %d of 3: asked' % victim, told)
                self.assertEqual(self.temporary(), {}, told)

    def test_interrupted(self):
        run = self.start(2)
        run.send_signal(signal.SIGINT)
        run.communicate(timeout=60)
        self.assertNotEqual(run.returncode, 0)
        # No file remains, or both files if the run had just ended.
        if self.temporary():
            self.assertEqual(sorted(self.temporary()), ['c.npy', 'c.npy.json'])
            self.succeed('info', 'c.npy')
