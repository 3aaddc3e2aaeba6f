"""The benchmark: measurements, output and errors. No test checks a time."""
import csv
import fcntl
import glob
import hashlib
import json
import os
import pty
import re
import signal
import struct
import subprocess
import sys
import termios
import time

import harness
from harness import FILE, INTERRUPTED, MISMATCH, TOO_LARGE, UNAVAILABLE, USAGE, CliTest

QUICK = ('bench', '--size', '64', '--runs', '3', '--warmup', '0', '--allow-software')
TEXTS = ('backend', 'variant', 'device', 'work', 'includes', 'wavelet', 'scheme', 'form',
         'direction', 'border', 'norm', 'layout', 'precision', 'image', 'shader_sha256', 'timer',
         'verified_at')
COUNTS = ('width', 'height', 'depth', 'levels', 'levels_z', 'planes', 'batch', 'threads', 'images',
          'rate', 'iterations', 'steps', 'throttled_samples')
FIGURES = ('median_ns', 'mean_ns', 'min_ns', 'max_ns', 'stdev_ns', 'p05_ns', 'p95_ns', 'noise',
           'gpu_ns', 'wall_ns', 'compile_ns', 'payload_gbps', 'traffic_gbps', 'mpel_s',
           'psnr', 'max_abs_err', 'operations', 'fetches', 'preemptions_s')


class BenchTest(CliTest):
    def bench(self, *arguments, **how):
        """The JSON of a short run, which is all of its stdout."""
        return json.loads(self.succeed(*QUICK, '--json', '-', *arguments, **how).out)

    def transforms(self, results):
        return [row for row in results['rows'] if row['kind'] == 'transform']

    def check_dry_run(self, options, *expected, left_out, backends='fragment,cpu'):
        """Checks the configurations of backends by the beginnings and ends of their lines, and
        the reason of the one that is skipped."""
        result = self.succeed('bench', '--dry-run', '-b', backends, '-s', 'ns-conv',
                              '--size', '64', *options)
        lines = result.text().splitlines()[:-1]
        self.assertEqual([(line.split()[0], line.partition(', mallat')[2]) for line in lines],
                         list(expected))
        self.assertTrue(all(', mallat' in line for line in lines), lines)
        self.assertIn(f'1 combination skipped (the first: {left_out})', result.err)


class Json(BenchTest):
    def test_without_a_display(self):
        self.assertNotIn('DISPLAY', self.environment())
        results = self.bench('--size', '256', '-b', 'fragment')
        self.assertEqual(results['schema_version'], 1)
        self.assertIs(results['complete'], True)
        self.assertEqual(len(self.transforms(results)), 6)

    def test_members(self):
        results = self.bench('-b', 'fragment,reference', '--context', 'room=cold,fan=on')
        for row in results['rows']:
            for names, kinds in ((TEXTS, str), (COUNTS, int), (FIGURES, (int, float))):
                for name in names:
                    self.assertIn(name, row)
                    self.assertTrue(row[name] is None or isinstance(row[name], kinds), name)
            self.assertEqual(set(row['ceiling']), {'name', 'share', 'binds'})
            self.assertGreater(row['median_ns'], 0)
            self.assertEqual(len(row['samples_ns']), 3)
            self.assertEqual(sorted(row['samples_ns'])[1], row['median_ns'])
            self.assertEqual(len(row['wall_samples_ns']), 3)
        environment = results['environment']
        self.assertEqual(set(environment), {'tool', 'argv', 'date', 'host', 'gl', 'cuda',
                                            'gpu_state', 'backends', 'seed', 'user'})
        self.assertEqual(environment['user'], {'room': 'cold', 'fan': 'on'})
        self.assertEqual(environment['argv'][:3], ['wavepass', 'bench', '--size'])
        self.assertIn('renderer', environment['gl'])
        self.assertIs(environment['backends'][0]['software'],
                      json.loads(self.succeed('info', '--json').out)['gl']['software'])

    def test_figures_follow_from_the_samples(self):
        for row in self.transforms(self.bench('--size', '64x32', '-s', 'ns-conv')):
            pixels = 64 * 32
            self.assertAlmostEqual(row['payload_gbps'] * row['median_ns'] / (8 * pixels), 1, 6)
            self.assertAlmostEqual(row['mpel_s'] * row['median_ns'] / (1e3 * pixels), 1, 6)
            self.assertEqual((row['steps'], row['operations'], row['fetches']), (1, 200, 25))
            self.assertIs(row['verified'], True)
            self.assertEqual(row['verified_at'], '64x32')
            self.assertLess(row['max_abs_err'], 1e-5)
            self.assertLessEqual(row['min_ns'], row['median_ns'])

    def test_counts_are_the_variants(self):
        """The counts are those that `explain` prints for the scheme and variant."""
        schemes = ('sep-lifting', 'nonsep-convolution')
        for direction, more in (('forward', ()), ('inverse', ('--inverse',))):
            tiles = json.loads(self.succeed('explain', 'cdf53', '--show', 'tiles', '--format',
                                            'json', *more).out)
            wanted = {(row['way'], row['scheme']): (row['operations'], row['fetches'])
                      for row in tiles}
            rows = self.transforms(self.bench(
                '-w', 'cdf53', '-s', ','.join(schemes), '-b', 'fragment', '--variant',
                'passes,tile-2x2,tile-2x2-store', '--direction', direction, '--csv', 'a.csv', '-f'))
            self.assertEqual(len(rows), 6)
            for row in rows:
                counts = row['operations'], row['fetches']
                if row['variant'] == 'passes':
                    self.assertEqual(row['fetches'], 8 if row['scheme'] == schemes[0] else 9)
                    self.assertIsInstance(row['operations'], int)
                    continue
                self.assertEqual(counts, wanted['fragment/' + row['variant'], row['scheme']])
        # The factor is not an integer.
        self.assertIn(',6.25,', self.read('a.csv').decode())
        for row in self.transforms(self.bench('-b', 'cpu,reference', '-s', 'ns-conv')):
            self.assertEqual((row['operations'], row['fetches']),
                             (None, None) if row['backend'] == 'cpu' else (200, 25))

    def test_counts_of_redundant_banks(self):
        for bank, schemes in (('undecimated', 'sep-convolution,nonsep-lifting'), ('starlet', 'sep-convolution')):
            text = self.succeed('explain', 'cdf53', '--bank', bank, '--show', 'ops', '--format', 'csv').text()
            wanted = {r['scheme']: [int(r[k]) for k in ('passes', 'operations', 'fetches')]
                      for r in csv.DictReader(text.splitlines())}
            rows = self.transforms(self.bench('-w', 'cdf53', '-s', schemes, '-b', 'fragment', '--bank', bank))
            self.assertEqual(len(rows), schemes.count(',') + 1)
            for row in rows:
                self.assertEqual([row[k] for k in ('steps', 'operations', 'fetches')], wanted[row['scheme']])

    def test_rows_name_the_bank(self):
        """Results do not name the bank decimated, as those of versions without banks; tables do."""
        rows = self.transforms(self.bench('-b', 'cpu', '--border', 'periodic', '--bank',
                                          'decimated,undecimated,packets', '--markdown', 'a.md'))
        self.assertEqual([row['bank'] for row in rows], [None, 'undecimated', 'packets'])
        for bank in ('decimated', 'undecimated', 'packets'):
            self.assertIn('| %s ' % bank, self.read('a.md').decode())

    def test_what_can_be_left_out(self):
        results = self.bench('--no-host', '--no-samples', '--no-verify', '--no-transfers',
                             '--no-ceilings', '-s', 'ns-conv')
        self.assertIsNone(results['environment']['host'])
        row, = self.transforms(results)
        self.assertEqual(len(results['rows']), 1)
        self.assertIsNone(row['samples_ns'])
        self.assertIsNone(row['verified'])
        self.assertIsNone(row['max_abs_err'])
        self.assertRegex(row['warnings'][0], 'UNVERIFIED')
        text = self.succeed(*QUICK, '-s', 'ns-conv', '--no-verify').text()
        self.assertEqual(len(re.findall(r'\| UNVERIFIED \|', text)), 1, text)
        self.assertNotIn('WRONG', text)

    def test_transfers(self):
        results = self.bench('-s', 'ns-conv')
        self.assertEqual({r['work'] for r in results['rows'] if r['kind'] == 'transfer'},
                         {'upload', 'download', 'pack', 'layout'})

    def test_compiling_is_a_row_where_it_is_asked_for(self):
        rows = self.bench('-s', 'ns-conv,ns-lift', '--include', 'compile')['rows']
        compiled = [r for r in rows if r['work'] == 'compile']
        self.assertEqual([r['scheme'] for r in compiled],
                         ['nonsep-convolution', 'nonsep-lifting'])
        for row in compiled:
            self.assertEqual((row['kind'], row['includes']), ('transfer', None))
            self.assertEqual(row['samples_ns'], [row['compile_ns']])

    def test_mapping_is_rows_or_a_reason(self):
        result = self.succeed(*QUICK, '-s', 'ns-conv', '--size', '64,128', '--json', '-',
                              '--include', 'map')
        found = [(r['backend'], r['work'], r['width']) for r in json.loads(result.out)['rows']
                 if r['work'] in ('map', 'unmap')]
        if found:
            self.assertEqual(found, [('cuda-gl', work, side) for side in (64, 128)
                                     for work in ('map', 'unmap')])
        else:
            self.assertEqual(len(re.findall(r'warning: skipped: map, unmap \(.+\)',
                                            result.err)), 1, result.err)

    def test_shaders_have_an_identity(self):
        """The hash is that of the texts that `explain` prints."""
        self.succeed('explain', 'cdf97', '-s', 'ns-lift', '--show', 'passes', '--input',
                     'pattern:noise:16x16', '-o', 'passes')
        sha = hashlib.sha256()
        for path in sorted(glob.glob(self.path('passes/*.glsl'))):
            with open(path, 'rb') as file:
                sha.update(file.read() + b'\0')
        rows = self.transforms(self.bench('-b', 'fragment,reference', '-s', 'ns-lift,ns-conv'))
        found = {(r['backend'], r['scheme']): r['shader_sha256'] for r in rows}
        self.assertEqual(found['fragment', 'nonsep-lifting'], sha.hexdigest())
        self.assertNotEqual(found['fragment', 'nonsep-convolution'], sha.hexdigest())
        self.assertIsNone(found['reference', 'nonsep-lifting'])

    def test_included_transfers(self):
        results = self.bench('-s', 'ns-conv', '--include', 'upload,download')
        row, = self.transforms(results)
        self.assertEqual(row['includes'], 'upload,download')
        self.assertEqual(row['timer'], 'monotonic clock')
        self.assertIsNone(row['gpu_ns'])

    def test_transforms_that_overlap(self):
        options = ('-b', 'cpu,reference', '--size', '64x48x8', '-l', '2', '--include')
        results = self.bench(*options, 'overlapped')
        row, = self.transforms(results)
        self.assertEqual((row['backend'], row['includes'], row['images']), ('cpu', 'overlapped', 2))
        self.assertEqual(row['timer'], 'monotonic clock')
        self.assertGreater(row['median_ns'], 0)
        self.assertTrue(row['verified'])
        self.refuse(USAGE, "nothing to measure (backend 'reference' does not overlap transfers "
                    'and transforms)', *QUICK, '-b', 'reference', '--include', 'overlapped')

    def test_tiled_exec(self):
        options = ('-b', 'compute', '-s', 'sep-lift', '--size', '320x200', '-l', '2',
                   '--direction', 'forward,inverse', '--include', 'windows')
        results = self.bench(*options)
        rows = self.transforms(results)
        self.assertEqual([(row['includes'], row['images']) for row in rows], [('windows', 1)] * 2)
        for row in rows:
            self.assertEqual(row['timer'], 'monotonic clock')
            self.assertGreater(row['compile_ns'], 0)
            self.assertTrue(row['verified'])
            self.assertEqual(row['verified_at'], '320x200')
        ways = {r['work']: r['median_ns'] for r in results['rows'] if r['kind'] == 'transfer'}
        self.assertEqual(set(ways), {'upload', 'download'})
        self.assertLess(max(ways.values()), max(row['median_ns'] for row in rows))
        for backend in ('cpu', 'compute'):
            self.refuse(USAGE, "nothing to measure (backend '%s' does not split 64x48 into windows)"
                        % backend, *QUICK, '--size', '64x48', '-b', backend, '--include', 'windows')

    def test_ceilings(self):
        results = self.bench('-s', 'ns-conv', '-b', 'fragment')
        ceilings = {r['work'] for r in results['rows'] if r['kind'] == 'ceiling'}
        self.assertEqual(ceilings, {'fill', 'copy', 'fetch4', 'fetch9', 'fetch25', 'fetch36'})
        row, = self.transforms(results)
        self.assertIn(row['ceiling']['name'], ceilings)
        self.assertIn(row['ceiling']['binds'], ('fill', 'fetches', 'bytes'))
        self.assertGreater(row['ceiling']['share'], 0)

    def test_ceilings_of_many_small_slices(self):
        """The ceilings use an image that every device accepts, with the slices side by side and
        below each other."""
        for size in ('16x64x1024', '64x16x1024', '4x512x1021'):
            result = self.run_program('bench', '--allow-software', '-b', 'fragment', '-w', 'haar',
                                      '-l', '1', '--size', size, '--runs', '1', '--warmup', '0',
                                      '--no-verify', '--no-transfers', '--json', 'b.json', '-f')
            works = [row['work'] for row in json.loads(self.read('b.json'))['rows']]
            self.assertIn('copy', works, result.err)


class Busy(BenchTest):
    """Runs another program on the only processor."""
    def sample(self, *more):
        processor = str(min(os.sched_getaffinity(0)))
        result = self.succeed('bench', '-b', 'cpu', '--threads', '1', '-w', 'haar', '--size', '2048',
                              '--min-time', '0.4', '--no-ceilings', '--no-transfers', '--no-verify',
                              '--json', 'b.json', *more, wrapper=('taskset', '-c', processor))
        row, = json.loads(self.read('b.json'))['rows']
        return row, result.text()

    def test_another_program(self):
        processor = min(os.sched_getaffinity(0))
        with subprocess.Popen([sys.executable, '-c', 'while True: pass'],
                              preexec_fn=lambda: os.sched_setaffinity(0, {processor})) as other:
            try:
                row, text = self.sample()
            finally:
                other.kill()
        self.assertGreater(row['preemptions_s'], 50)
        self.assertTrue(row['warnings'][-1].startswith('busy: other programs preempted this one '))
        self.assertIn('| BUSY', text)

    def test_too_short_to_tell(self):
        row, text = self.sample('--size', '64', '--min-time', '0', '--runs', '2')
        self.assertIsNone(row['preemptions_s'])
        self.assertNotIn('BUSY', text)


class Sampling(BenchTest):
    def test_the_turns_of_others_are_not_counted(self):
        """--timeout limits the sampling time of each row separately. The sample that exceeds it is
        the last."""
        limit = 1e8
        result = self.succeed('bench', '-b', 'reference', '--size', '256', '--warmup', '0',
                              '--min-time', '1000', '--timeout', '0.1', '--no-ceilings',
                              '--no-transfers', '--json', '-')
        rows = json.loads(result.out)['rows']
        self.assertEqual(len(rows), 6)
        for row in rows:
            self.assertRegex(row['warnings'][0], '^stopped after ')
            took = [row['images'] * ns for ns in row['wall_samples_ns']]
            self.assertGreater(sum(took), 0.999 * limit)
            self.assertLess(sum(took[:-1]), 1.001 * limit)


    def test_noise_is_of_enough_samples(self):
        for runs in (1, 5):
            result = self.succeed(*QUICK, '-s', 'ns-conv', '--runs', str(runs), '--json', 'b.json',
                                  '-f')
            rows = json.loads(self.read('b.json'))['rows']
            self.assertEqual({row['noise'] for row in rows}, {None})
            self.assertRegex(result.text(), r'\| +\? \| +%d \|' % runs)


class Outputs(BenchTest):
    def test_all_at_once(self):
        result = self.succeed(*QUICK, '-s', 'ns-conv', '--json', 'b.json', '--csv', 'b.csv',
                              '--markdown', 'b.md', '--svg', 'b.svg', '--wide')
        self.assertEqual(sorted(self.files()), ['b.csv', 'b.json', 'b.md', 'b.svg'])
        self.assertEqual(self.read('b.md').decode(), result.text())
        rows = json.loads(self.read('b.json'))['rows']
        self.assertEqual(len(self.read('b.csv').decode().splitlines()), 1 + len(rows))
        self.assertTrue(self.read('b.svg').lstrip().startswith(b'<'))

    def check_width(self, width, text):
        for line in text.splitlines():
            self.assertLessEqual(len(line), width, line)

    def test_tables_fit_the_screen(self):
        sweeps = ((), ('-s', 'ns-conv'), ('-w', 'all', '-s', 'ns-poly', '-b', 'cpu'),
                  ('-b', 'cpu', '--variant', 'all', '--threads', '1,2', '--precision', 'f32'),
                  ('-b', 'fragment', '--precision', 'all', '--direction', 'forward,inverse',
                   '-l', '1,2', '-s', 'ns-lift,ns-poly'))
        for sweep in sweeps:
            with self.subTest(sweep):
                text = self.succeed(*QUICK, *sweep, '--runs', '1').text()
                self.check_width(80, text)
                self.assertIn('; --wide shows them.', text.replace('\n', ' '))
                rows = [line.split('|')[1:-1] for line in text.splitlines() if line[:1] == '|']
                self.assertTrue(all(row[0].strip() for row in rows))

    def test_tables_of_a_wider_screen(self):
        ours, theirs = pty.openpty()
        fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack('HHHH', 40, 130, 0, 0))
        with open(theirs, 'wb') as screen, open(ours, 'rb', buffering=0) as reader:
            self.run_program(*QUICK, '-s', 'ns-conv', '--no-ceilings', '--no-transfers',
                             stdout=screen)
            text = reader.read(1 << 16).decode().replace('\r\n', '\n')
        self.check_width(130, text)
        self.assertGreater(max(map(len, text.splitlines())), 80)
        self.assertIn('Omitted for 130 columns: ', text)

    def test_existing_files_stay(self):
        self.write('b.json', 'mine')
        self.refuse(FILE, 'b.json exists', *QUICK, '--json', 'b.json')
        self.succeed(*QUICK, '-s', 'ns-conv', '--json', 'b.json', '--force')
        json.loads(self.read('b.json'))

    def test_places_that_cannot_be_written(self):
        """Outputs that cannot be written are reported before the measurement."""
        hours = ('bench', '-b', 'reference', '--size', '64', '--runs', '100000', '--json')
        self.refuse(FILE, '…no/where.json…', *hours, 'no/where.json')
        os.mkdir(self.path('locked'))
        os.chmod(self.path('locked'), 0o555)
        who = self.somebody()
        self.refuse(FILE, '…locked/b.json…', *hours, 'locked/b.json', **who)
        result = self.run_program(*QUICK, '-s', 'ns-conv', '--json', '/dev/full')
        self.assertEqual(result.code, FILE)
        self.assertIn('/dev/full', result.first_error()[0])

    def test_no_escape_codes(self):
        for env in ({'NO_COLOR': '1'}, {}):
            result = self.succeed(*QUICK, '-s', 'ns-conv', env=env)
            self.assertNotIn(b'\033', result.out)
            self.assertNotIn('\033', result.err)


class Baseline(BenchTest):
    def test_slower_and_faster(self):
        self.succeed(*QUICK, '-s', 'ns-conv', '-b', 'reference', '--runs', '20', '--json',
                     'old.json')
        for name, factor, code in (('fast', 1e-3, MISMATCH), ('slow', 1e3, 0)):
            old = json.loads(self.read('old.json'))
            for row in old['rows']:
                row['samples_ns'] = [ns * factor for ns in row['samples_ns']]
            self.write(name + '.json', json.dumps(old))
            result = self.run_program(*QUICK, '-s', 'ns-conv', '-b', 'reference', '--runs', '20',
                                      '--baseline', name + '.json', '--fail-if-slower', '5%')
            self.assertEqual(result.code, code, result.text() + result.err)
            verdict, other = ('SLOWER', 'FASTER') if code else ('FASTER', 'SLOWER')
            self.assertIn('| %s ' % verdict, result.text())
            self.assertNotIn('| %s ' % other, result.text())

    def test_mistakes(self):
        self.refuse(FILE, '…none.json…', *QUICK, '--baseline', 'none.json')
        self.refuse(USAGE, '--min-difference, --alpha, --fail-if-slower and --fail-if-missing need '
                    '--baseline', *QUICK, '--fail-if-slower', '5%')
        self.refuse(USAGE, '…--fail-if-missing need --baseline', *QUICK, '--fail-if-missing')


class Profile(BenchTest):
    def test_passes_have_names(self):
        """Passes have names for apitrace, RenderDoc and Nsight."""
        result = self.succeed(*QUICK, '--profile', '-w', 'cdf53', '-s', 'ns-lift', '-l', '2',
                              '-b', 'fragment', fault='groups')
        predict = 'T^V_P0(1) T^H_P0(1) T^V_P1(1) T^H_P1(1)'
        update = 'S^V_U0(1) S^H_U0(1) S^V_U1(1) S^H_U1(1)'
        self.assertEqual(re.findall('group: (.*)', result.err),
                         ['level 1: ' + predict, 'level 1: ' + update, 'level 2: gather',
                          'level 2: ' + predict, 'level 2: ' + update])
        self.assertEqual(result.out, b'')

    def test_several_sizes(self):
        """Each size has an image of its own. The sanitizers detect reads beyond the smaller image
        if they are beyond its pages."""
        result = self.succeed(*QUICK[:1], '--profile', '-w', 'haar', '-b', 'cpu', '-l', '1', '--size',
                              '32,1024')
        self.assertEqual(result.out, b'')


class Devices(BenchTest):
    def test_software_is_said(self):
        if not json.loads(self.succeed('info', '--json').out)['gl']['software']:
            self.skipTest('there is a GPU')
        result = self.succeed('bench', '--size', '64', '--runs', '3', '-s', 'ns-conv')
        self.assertRegex(result.err, r'warning: .*SOFTWARE')
        self.assertIn('SOFTWARE', result.text())
        self.assertNotIn('warning: ', self.succeed(*QUICK, '-s', 'ns-conv').err)
        self.assertIn('SOFTWARE', self.succeed('info').text())

    def test_a_named_backend_never_falls_back(self):
        env = {'CUDA_VISIBLE_DEVICES': ''}
        self.refuse(UNAVAILABLE, "backend 'cuda' is not available …", *QUICK, '-b', 'cuda',
                    env=env)
        self.refuse(UNAVAILABLE, "backend 'fragment' is not available …", *QUICK, '-b',
                    'fragment', env=harness.NO_EGL)

    def test_devices_that_fail(self):
        self.refuse(UNAVAILABLE, "backend 'fragment' is not available …", *QUICK, '-b',
                    'fragment', fault='float-target')
        result = self.run_program(*QUICK, '-b', 'fragment', '-w', 'cdf53', '-s', 'sep-lift',
                                  '--json', 'b.json', fault='wrong-tap')
        self.assertEqual(result.code, MISMATCH, result.err)
        row, = self.transforms(json.loads(self.read('b.json')))
        self.assertIs(row['verified'], False)
        self.assertIsNone(row['median_ns'])
        self.assertRegex(row['warnings'][0], 'error .* not timed')
        self.assertRegex(result.text(), r'\| +WRONG \|')
        self.assertNotIn('UNVERIFIED', result.text())

    def test_what_is_too_large_is_left_out(self):
        large = (*QUICK, '-b', 'fragment', '-s', 'ns-conv', '--json', 'b.json')
        result = self.succeed(*large, '--size', '64,512', fault='texture')
        self.assertRegex(result.err, 'warning: skipped: .*512x512')
        rows = self.transforms(json.loads(self.read('b.json')))
        self.assertEqual([row['width'] for row in rows], [64])
        result = self.run_program(*large, '--size', '512', '-f', fault='texture')
        self.assertEqual((result.code, result.out), (TOO_LARGE, b''), result.err)

    def test_what_does_not_run_is_left_out(self):
        """Configurations that cannot run are skipped with a reason, which ends where the hint
        begins."""
        result = self.succeed(*QUICK, '-b', 'fragment', '-w', 'cdf53', '-s', 'sep-lift',
                              '--variant', 'passes,tile-2x2-store', fault='gl-4.2')
        self.assertRegex(result.err, r"skipped: cdf53, 64x64, fragment \(variant 'tile-2x2-store' "
                         r'does not run on this device \(.*\)\)\n')
        self.assertNotIn('hint', result.err)

    def test_auto_says_what_it_took_and_why(self):
        results = self.bench('-s', 'ns-conv', '--size', '16', env=harness.NO_EGL)
        backend, = results['environment']['backends']
        self.assertNotEqual(backend['name'], 'fragment')
        self.assertIn('fragment not available', backend['fallback_reason'])
        self.assertEqual(backend['requested'], 'auto')
        backend, = self.bench('-b', 'cpu', '--size', '16')['environment']['backends']
        self.assertEqual((backend['requested'], backend['name']), ('cpu', 'cpu'))
        self.assertIsNone(backend['fallback_reason'])

    def test_a_gpu_timer_where_there_is_none(self):
        self.refuse(UNAVAILABLE, "backend 'reference' on … has no device timer", *QUICK,
                    '-b', 'reference', '--timer', 'gpu')


class Interruption(BenchTest):
    def start(self, ignored=()):
        """Starts a run. `ignored` are signals that its parent ignores, as nohup does."""
        program = subprocess.Popen(
            [harness.PROGRAM, 'bench', '-b', 'reference', '--size', '64,512', '--runs', '200',
             '-w', 'all', '--order', 'given', '--json', 'b.json'],
            cwd=self.directory, env=self.environment(), stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            preexec_fn=lambda: [signal.signal(each, signal.SIG_IGN) for each in ignored])
        self.addCleanup(program.kill)
        time.sleep(2)
        return program

    def test_what_was_done_is_written(self):
        for number in signal.SIGINT, signal.SIGTERM, signal.SIGHUP:
            with self.subTest(number):
                program = self.start()
                program.send_signal(number)
                self.check_interrupted(program)

    def test_ignored_signals_stay_ignored(self):
        # Before bench handles them, too.
        program = self.start(ignored=(signal.SIGHUP, signal.SIGINT))
        for number in signal.SIGHUP, signal.SIGINT, signal.SIGHUP:
            program.send_signal(number)
            time.sleep(0.5)
            self.assertIsNone(program.poll())
        program.send_signal(signal.SIGTERM)
        self.check_interrupted(program)

    def check_interrupted(self, program):
        _, errors = program.communicate(timeout=60)
        self.assertEqual(program.returncode, INTERRUPTED, errors)
        self.assertEqual(os.listdir(self.directory), ['b.json'])
        results = json.loads(self.read('b.json'))
        self.assertIs(results['complete'], False)
        self.assertGreater(len(results['rows']), 0)
        for row in results['rows']:
            self.assertGreater(row['median_ns'], 0)
        os.remove(self.path('b.json'))
