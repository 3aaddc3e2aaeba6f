"""Every member of every --json: it is present, has its type, and is in its range; there are no
other members. Also compares the cells of tables with the members that they show."""
import csv
import json
import math
import re
import statistics

import formats
from harness import FILE, MISMATCH, REFERENCE, CliTest

IMAGE = 'pattern:noise:64x48'
POSITIVE = (0, math.inf, 'open')  # a number above 0
BORDERS = ['symmetric', 'periodic'] + ['pywt-' + mode for mode in (
    'zero', 'constant', 'symmetric', 'reflect', 'periodic', 'smooth', 'antisymmetric',
    'antireflect', 'periodization')]


class Maybe:
    """Null, or a value of the schema."""

    def __init__(self, schema):
        self.schema = schema


class Each:
    """A list whose elements match the schema; `count` is its length if it is known."""

    def __init__(self, schema, count=None):
        self.schema, self.count = schema, count


TEXT = re.compile(r'(?s).+')
SECONDS = (0, 60, 'open')

HOW = {
    'name': 'cdf97/nonsep-polyconvolution/optimized', 'wavelet': 'cdf97', 'border': 'symmetric',
    'norm': 'jpeg2000', 'layout': 'mallat', 'precision': 'f32', 'levels': 3, 'width': 64,
    'height': 48, 'planes': 1, 'alpha': False,
    'backend': {'requested': 'reference', 'used': 'reference', 'reason': None}, 'variant': None,
    'device': 'CPU, double precision interpreter', 'software': False, 'chosen_by': 'fixed rule',
    'steps': 2, 'planes_at_once': 1, 'operations': 62, 'fetches': 18, 'seconds': SECONDS,
    'total_seconds': SECONDS, 'nonfinite': 0,
}
GEOMETRY = {'voxel_size': None, 'orientation': None, 'affine': None, 'affine_from': None,
            'frames': False, 'frame_rate': None}
METRICS = {'max': (0, 3), 'mae': (0, 3), 'mse': (0, 9), 'psnr': Maybe((0, 200)),
           'ssim': Maybe((-1, 1))}
GL = {'available': bool, 'software': bool, 'vendor': TEXT, 'renderer': TEXT, 'version': TEXT,
      'glsl': re.compile(r'\d\.\d\d.*'), 'max_texture': (1024, 1 << 20), 'gpu_timer': bool}
NAMED = {'name': TEXT, 'summary': TEXT}
ROW = {
    'kind': 'transform', 'backend': 'cpu', 'variant': 'fused', 'device': TEXT, 'software': False,
    'work': None, 'includes': None, 'wavelet': 'cdf97', 'scheme': None, 'form': None,
    'direction': 'forward', 'border': 'symmetric', 'norm': 'jpeg2000', 'layout': 'mallat',
    'bank': None,
    'precision': 'f32', 'width': 64, 'height': 32, 'depth': 1, 'levels': 1, 'levels_z': 0,
    'planes': 1, 'batch': None, 'threads': None, 'images': (1, 1 << 20), 'image': None, 'rate': None,
    'iterations': None, 'steps': None, 'operations': None, 'fetches': None, 'shader_sha256': None,
    'timer': 'monotonic clock', 'median_ns': POSITIVE, 'mean_ns': POSITIVE, 'min_ns': POSITIVE,
    'max_ns': POSITIVE, 'stdev_ns': (0, math.inf), 'p05_ns': POSITIVE, 'p95_ns': POSITIVE,
    'noise': Maybe((0, math.inf)), 'gpu_ns': None, 'wall_ns': POSITIVE, 'compile_ns': None,
    'payload_gbps': POSITIVE, 'traffic_gbps': POSITIVE, 'mpel_s': POSITIVE, 'psnr': None,
    'max_abs_err': (0, 1e-5), 'verified': True, 'verified_at': '64x32', 'throttled_samples': None,
    'preemptions_s': Maybe((0, math.inf)),
    'ceiling': {'name': 'memcpy', 'share': POSITIVE, 'binds': 'bytes'},
    'samples_ns': Each(POSITIVE), 'wall_samples_ns': Each(POSITIVE), 'warnings': list,
}
UNKNOWN = {name: None for name in ('wavelet', 'border', 'norm', 'payload_gbps', 'max_abs_err',
                                   'verified', 'verified_at')}
UNKNOWN['ceiling'] = {'name': None, 'share': None, 'binds': None}
TRANSFER = {**ROW, **UNKNOWN, 'kind': 'transfer', 'work': re.compile('upload|download'),
            'images': 1}
CEILING = {**ROW, **UNKNOWN, 'kind': 'ceiling', 'work': 'memcpy', 'variant': None,
           'direction': None, 'layout': None, 'levels': None, 'levels_z': None}


class JsonTest(CliTest):
    def match(self, given, schema, place='it'):
        """Whether a value matches the schema, with every member and no other members."""
        if isinstance(schema, Maybe):
            if given is not None:
                self.match(given, schema.schema, place)
        elif isinstance(schema, dict):
            self.assertIsInstance(given, dict, place)
            self.assertEqual(set(given), set(schema), place)
            for name, part in schema.items():
                self.match(given[name], part, place + '.' + name)
        elif isinstance(schema, Each):
            self.assertIsInstance(given, list, place)
            self.assertGreater(len(given), 0, place)
            if schema.count is not None:
                self.assertEqual(len(given), schema.count, place)
            for i, element in enumerate(given):
                self.match(element, schema.schema, '%s[%d]' % (place, i))
        elif isinstance(schema, tuple):
            self.assertIn(type(given), (int, float), place)
            self.assertGreaterEqual(given, schema[0], place)
            self.assertLessEqual(given, schema[1], place)
            self.assertFalse(len(schema) > 2 and given == schema[0], place)
        elif isinstance(schema, re.Pattern):
            self.assertIsInstance(given, str, place)
            self.assertIsNotNone(schema.fullmatch(given), '%s: %r' % (place, given))
        elif isinstance(schema, type):
            self.assertIsInstance(given, schema, place)
        else:
            self.assertEqual((type(given), given), (type(schema), schema), place)

    def told(self, schema, *arguments, code=0):
        result = self.run_program(*arguments, '--json')
        self.assertEqual(result.code, code, result.err)
        told = json.loads(result.text())
        self.match(told, schema, arguments[0])
        return told


class Results(JsonTest):
    def test_region(self):
        self.succeed('forward', IMAGE, '-o', 'c.tiff', '--tile', '16', '-b', 'cpu')
        self.succeed('forward', IMAGE, '-o', 'c.npy', '-b', 'cpu')
        how = {name: HOW[name] for name in ('wavelet', 'border', 'norm', 'levels', 'width',
                                            'height', 'planes', 'alpha', 'total_seconds')}
        for name, tiles in (('c.tiff', True), ('c.npy', False)):
            wanted = dict(how, command='inverse', seconds=SECONDS,
                          backend={'requested': 'auto', 'used': 'cpu'},
                          region={'level': 1, 'x': 2, 'y': 3, 'width': 20, 'height': 9},
                          tiles=(4, 40) if tiles else None,
                          bytes=(4096, 50000) if tiles else None,
                          files={'image': 'r.npy', 'sidecar': name + '.json'})
            self.told(wanted, 'inverse', name, '-o', 'r.npy', '-f', '--region', '2,3,20,9',
                      '--level', '1')

    def test_strips(self):
        self.write('a.pgm', formats.pnm(64, 600, formats.noise(64 * 600, 255)))
        how = dict(HOW, name='cdf97', height=600, device=TEXT, operations=int, fetches=int,
                   seconds=SECONDS, steps=int, planes_at_once=0, chosen_by='fixed rule',
                   backend={'requested': 'auto', 'used': 'cpu', 'reason': None})
        how['strips'] = {'memory': (1 << 16, 290 << 10), 'read_seconds': (0, 60),
                         'write_seconds': (0, 60), 'wall_seconds': SECONDS}
        files = {'coefficients': 'c.npy', 'sidecar': 'c.npy.json', 'picture': None}
        self.told(dict(how, command='forward', files=files), 'forward', 'a.pgm', '-o', 'c.npy',
                  '--memory', '290K')
        files = {'image': 'i.npy', 'sidecar': 'c.npy.json'}
        self.told(dict(how, command='inverse', files=files), 'inverse', 'c.npy', '-o', 'i.npy',
                  '--memory', '290K')

    def test_forward_and_inverse(self):
        files = {'coefficients': 'c.npy', 'sidecar': 'c.npy.json', 'picture': 'p.png'}
        wanted = dict(HOW, command='forward', round_trip_max_error=(0, 1e-6, 'open'), files=files)
        arguments = ('forward', IMAGE, '-o', 'c.npy', '-f', '--picture', 'p.png', *REFERENCE)
        told = self.told(wanted, *arguments, '--check')
        self.assertLess(told['seconds'], told['total_seconds'])
        del wanted['round_trip_max_error']
        self.told(wanted, *arguments)
        wanted = dict(HOW, command='inverse', files={'image': 'i.npy', 'sidecar': 'c.npy.json'})
        told = self.told(wanted, 'inverse', 'c.npy', '-o', 'i.npy', *REFERENCE)
        self.assertLess(told['seconds'], told['total_seconds'])

    def test_many(self):
        """One line per file: that of a run with only this file, and its name; or its error."""
        self.write('a.pgm', formats.pnm(64, 48, formats.noise(64 * 48, 255)))
        files = {'coefficients': './a.npy', 'sidecar': './a.npy.json', 'picture': None}
        schemas = (dict(HOW, command='forward', round_trip_max_error=(0, 1e-6, 'open'),
                        files=files, input='a.pgm'),
                   {'error': 'gone.pgm: no such file', 'hint': None, 'exit': 3,
                    'input': 'gone.pgm'})
        result = self.run_program('forward', 'a.pgm', 'gone.pgm', '-o', './', '--check', '--json',
                                  *REFERENCE)
        self.assertEqual(result.code, FILE)
        lines = result.text().splitlines()
        self.assertEqual(len(lines), len(schemas))
        for line, schema in zip(lines, schemas):
            self.match(json.loads(line), schema)

    def test_reversible(self):
        self.write('in.pgm', formats.pnm(64, 48, formats.noise(64 * 48, 255)))
        files = {'coefficients': 'c.npy', 'sidecar': 'c.npy.json', 'picture': None}
        how = dict(HOW, name='haar/sep-lifting/reversible', wavelet='haar', reversible=True,
                   steps=4, operations=(8, 32), fetches=(4, 32))
        self.told(dict(how, command='forward', round_trip_max_error=0.0, files=files), 'forward',
                  'in.pgm', '-w', 'haar', '--reversible', '-o', 'c.npy', '--check', *REFERENCE)
        files = {'image': 'i.png', 'sidecar': 'c.npy.json'}
        self.told(dict(how, command='inverse', files=files), 'inverse', 'c.npy', '-o', 'i.png',
                  *REFERENCE)
        told = json.loads(self.succeed('info', 'c.npy', '--json').text())
        self.match(told['coefficients'], {
            'wavelet': 'haar', 'reversible': True, 'stored': 'u8', 'levels': 3, 'levels_z': 0,
            'decomposition': 'dyadic', 'gop': 0, 'border': 'symmetric', 'norm': 'jpeg2000',
            'layout': 'mallat'})
        told = json.loads(self.succeed('verify', 'in.pgm', '-w', 'haar', '--reversible', '-b',
                                       'cpu', '--json').text())
        self.assertEqual((told['reversible'], told['failed']), (True, 0))
        self.assertEqual({row['max_error'] for row in told['rows']}, {0.0})

    def test_edit(self):
        self.succeed('forward', IMAGE, '-o', 'c.npy', *REFERENCE)
        how = ('wavelet', 'border', 'norm', 'layout', 'levels', 'width', 'height', 'planes',
               'alpha', 'nonfinite', 'total_seconds')
        wanted = {name: HOW[name] for name in how}
        wanted.update(command='edit', levels_z=0, depth=1, psnr=(0, 200),
                      edits=[{'edit': 'threshold', 'value': 'hard:0.1', 'threshold': [0.1, 0.1]},
                             {'edit': 'keep', 'value': '5'}],
                      kept={'count': (1, 154), 'of': 3072, 'percent': (0, 5.02),
                            'energy_percent': (0, 100, 'open')},
                      files={'coefficients': 'd.npy', 'sidecar': 'd.npy.json', 'like': IMAGE})
        kept = self.told(wanted, 'edit', 'c.npy', '-o', 'd.npy', '--threshold', 'hard:0.1',
                         '--keep', '5', '--reference', IMAGE)['kept']
        self.assertAlmostEqual(kept['percent'], 100 * kept['count'] / kept['of'], places=5)

    def test_volume(self):
        wanted = dict(HOW, command='forward', levels=2, name=TEXT, width=16, height=12, steps=int,
                      operations=(0, 1000), fetches=(0, 1000), depth=8, levels_z=1,
                      decomposition='dyadic', gop=8, round_trip_max_error=(0, 1e-6, 'open'),
                      files={'coefficients': 'v.npy', 'sidecar': 'v.npy.json', 'picture': None})
        self.told(wanted, 'forward', 'pattern:ball:16x12x8', '-l', '2', '--levels-z', '1', '-o',
                  'v.npy', '--check', *REFERENCE)

    def test_compare(self):
        wanted = dict(METRICS, command='compare', a=IMAGE, b='pattern:text:64x48', width=64,
                      height=48, planes=1, max_at=Each((0, 63), 3), nonfinite=0,
                      nonfinite_unequal=0)
        arguments = ('compare', IMAGE, 'pattern:text:64x48')
        told = self.told(wanted, *arguments)
        self.assertAlmostEqual(told['psnr'], -10 * math.log10(told['mse']), places=4)
        self.assertTrue(told['mse'] <= told['mae'] <= told['max'])
        wanted['tolerance'] = {'metric': 'max', 'value': 9.0, 'pass': True}
        self.told(wanted, *arguments, '--tol', '9')
        wanted['tolerance'] = {'metric': 'mae', 'value': 1e-9, 'pass': False}
        self.told(wanted, *arguments, '--metric', 'mae', '--tol', '1e-9', code=MISMATCH)

    def test_info_of_files(self):
        self.succeed('forward', IMAGE, '-o', 'c.npy', '--picture', 'p.png', *REFERENCE)
        file = {'command': 'info', 'gzip': False, 'kind': 'image', 'width': 64, 'height': 48,
                'depth': 1, 'planes': 1, 'alpha': False, 'values': None, 'stored_range': None,
                'scale': None, 'nonfinite': 0, 'geometry': GEOMETRY}
        coefficients = {'wavelet': 'cdf97', 'levels': 3, 'levels_z': 0, 'decomposition': 'dyadic',
                        'gop': 0, 'border': 'symmetric', 'norm': 'jpeg2000', 'layout': 'mallat'}
        told = self.told(dict(file, file='c.npy', format='NPY', type='f32 little-endian',
                              range=Each((-3, 3), 2), coefficients=coefficients), 'info', 'c.npy')
        self.assertLess(*told['range'])
        told = self.told(dict(file, file='p.png', format='PNG', type='u8', range=Each((0, 1), 2),
                              values='unit', stored_range=Each((0, 255), 2), coefficients=None), 'info', 'p.png')
        for value, stored in zip(told['range'], told['stored_range']):
            self.assertAlmostEqual(255 * value, stored, places=3)

    def test_verify(self):
        backend = {'name': 'cpu', 'variant': None, 'device': TEXT, 'software': False,
                   'any_scheme': True}
        row = {'backend': 'cpu', 'variant': None, 'wavelet': 'haar', 'scheme': None, 'form': None,
               'border': re.compile('symmetric|periodic|pywt-zero'),
               'check': re.compile('forward|inverse|round trip|products'), 'status': 'pass',
               'reason': None, 'max_error': (0, 2e-5), 'tolerance': (1e-7, 1e-2),
               'place': Maybe(TEXT)}
        told = json.loads(self.succeed('verify', 'pattern:text:32x32', '-w', 'haar', '-b', 'cpu',
                                       '--json').out)
        self.assertEqual(len({(row['border'], row['check'], row.pop('adjoint', False))
                              for row in told['rows']}), 13)
        self.match(told, {'command': 'verify', 'width': 32, 'height': 32, 'levels': 3,
                          'norm': 'jpeg2000', 'precision': 'f32', 'backends': Each(backend, 1),
                          'rows': Each(row, 13), 'passed': 13, 'failed': 0, 'skipped': 0})
        for row in told['rows']:
            self.assertLessEqual(row['max_error'], row['tolerance'])

    def test_reconstruction(self):
        self.told({'command': 'undersample', 'width': 32, 'height': 32, 'depth': 1, 'coils': 1,
                   'mask': 'density', 'samples': 256, 'part': 0.25, 'rate': 4.0, 'seed': 3,
                   'noise': 0.5, 'noise_length': (5, 25), 'centred': False}, 'undersample',
                  'pattern:shepp-logan:32x32', '-o', 'k.npy', '--mask-output', 'm.npy',
                  '--truth-output', 't.npy', '--seed', '3', '--noise', '0.5')
        told = self.told({'command': 'reconstruct', 'width': 32, 'height': 32, 'depth': 1,
                          'coils': 1, 'rate': 4.0, 'backend': 'cpu', 'form': TEXT,
                          'iterations': 4, 'most': 4, 'finished': True, 'interrupted': False,
                          'reached_sigma': False, 'residual': (0, 1e3, 'open'), 'psnr': (-20, 99),
                          'ssim': (-1, 1), 'seconds': SECONDS, 'transform_seconds': SECONDS,
                          'bytes': (32 * 32 * 8, 1 << 20), 'transforms': (1, 100),
                          'padded': [32, 32, 1], 'peak': (0, 10, 'open'),
                          'total_seconds': SECONDS, 'files': {'image': 'u.npy'}},
                         'reconstruct', 'k.npy', '-m', 'm.npy', '-o', 'u.npy', '--truth', 't.npy',
                         '--outer', '2', '--inner', '2', '-l', '2')
        # The very first transform is before the first iteration.
        self.assertLess(told['transform_seconds'], told['total_seconds'])
        self.assertLess(told['seconds'], told['total_seconds'])

    def test_errors(self):
        self.told({'error': 'none.png: no such file', 'hint': None, 'exit': FILE}, 'info',
                  'none.png', code=FILE)
        self.told({'error': "unknown wavelet 'harr'", 'hint': re.compile("did you mean 'haar'.*"),
                   'exit': 2}, 'explain', 'harr', code=2)

    def test_info(self):
        gl = json.loads(self.succeed('info', '--json').out)['gl']
        available = gl['available'] if isinstance(gl, dict) else False
        variant = dict(NAMED, reason=Maybe(TEXT))
        choice = {'file': TEXT, 'reason': Maybe(TEXT), 'found': list}
        wavelet = {'name': TEXT, 'file': None, 'title': TEXT, 'aliases': str, 'source': TEXT,
                   'symmetric': bool, 'pairs': (1, 16), 'error_of_float32': (1e-5, 1e-3),
                   'error': None}
        told = self.told({
            'version': re.compile(r'\d+\.\d+\.\d+'), 'gl': GL if available else dict,
            'devices': list, 'backends': list, 'wavelets': Each(wavelet),
            'schemes': Each(dict(NAMED, alias=TEXT), 9), 'borders': BORDERS,
            'norms': ['jpeg2000', 'orthonormal', 'none', 'pywt'], 'layouts': ['mallat', 'mixed'],
            'banks': ['decimated', 'undecimated', 'starlet', 'packets'],
            'formats': {name: re.compile(r'(?s).*(NPY|npy).*') for name in (
                'read', 'write_images', 'write_coefficients', 'read_volumes', 'write_volumes',
                'write_volume_coefficients')},
            'patterns': Each({'name': TEXT, 'description': TEXT}),
            'build': {'source': Maybe(TEXT), 'compiler': TEXT, 'flags': TEXT, 'libraries': TEXT,
                      'missing': dict, 'fft': {'library': TEXT, 'licence': TEXT}}}, 'info')
        for backend in told['backends']:
            self.assertIn(backend['available'], (True, False))
            names = set(NAMED) | {'variants', 'available', 'device', 'software', 'reason', 'choice'}
            self.assertEqual(set(backend), names)
            self.assertEqual(backend['available'], backend['reason'] is None)
            self.assertEqual(backend['available'], backend['device'] is not None)
            self.match(backend['variants'], Maybe(Each(variant)) if backend['variants'] else list,
                       backend['name'])
            self.match(backend['choice'], Maybe(choice), backend['name'])
        for device in told['devices']:
            self.match({name: value for name, value in device.items()
                        if name in ('device', 'name', 'available')},
                       {'device': (0, 99), 'name': TEXT, 'available': bool}, 'device')
        # The missing parts have the same reasons as in --version -v.
        more = self.succeed('--version', '-v').text()
        for part, reason in told['build']['missing'].items():
            self.assertIn('%s: not in this build (%s)' % (part, reason), more)
        self.assertEqual(more.count(': not in this build ('), len(told['build']['missing']))


class Bench(JsonTest):
    COMMAND = ('bench', '-b', 'cpu', '-s', 'ns-conv', '--size', '64x32')

    def measure(self, *options):
        result = self.succeed(*self.COMMAND, '--json', 'b.json', '--csv', 'b.csv', '-f', *options)
        return result, json.loads(self.read('b.json'))

    def test_members(self):
        told = self.measure('--runs', '7')[1]
        cpus = {'os': TEXT, 'kernel': TEXT, 'cpu': TEXT, 'cores': (1, 4096),
                'governor': Maybe(TEXT), 'load': TEXT}
        tool = {'version': re.compile(r'\d+\.\d+\.\d+'), 'git': Maybe(TEXT), 'dirty': Maybe(bool),
                'compiler': TEXT, 'flags': TEXT, 'libraries': TEXT}
        backend = {'requested': 'cpu', 'name': 'cpu', 'device': TEXT, 'software': False,
                   'timer': 'monotonic clock', 'fallback_reason': None,
                   'facts': {'threads': re.compile(r'\d+'), 'threading': TEXT,
                             'vector_instructions': TEXT,
                             'vector_floats': re.compile('1|4|8|16')}}
        self.match({name: told[name] for name in ('schema_version', 'complete', 'environment')},
                   {'schema_version': 1, 'complete': True,
                    'environment': {'tool': tool, 'argv': Each(TEXT),
                                    'date': re.compile(r'\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ'),
                                    'host': cpus, 'gl': None, 'cuda': None, 'gpu_state': None,
                                    'backends': Each(backend, 1), 'seed': 1, 'user': {}}}, 'bench')
        self.assertEqual(set(told), {'schema_version', 'complete', 'environment', 'rows'})
        for row in told['rows']:
            schema = {'transform': ROW, 'ceiling': CEILING, 'transfer': TRANSFER}[row['kind']]
            self.match(row, schema, row['kind'])
            self.assertEqual([len(row[name]) for name in ('samples_ns', 'wall_samples_ns')], [7, 7])
        self.assertEqual(sorted(row['work'] or row['kind'] for row in told['rows']),
                         ['download', 'memcpy', 'transform', 'upload'])

    def test_what_follows_from_samples(self):
        for row in self.measure('--runs', '7')[1]['rows']:
            samples = row['samples_ns']
            for name, wanted in (('median_ns', statistics.median(samples)),
                                 ('mean_ns', statistics.fmean(samples)),
                                 ('min_ns', min(samples)), ('max_ns', max(samples)),
                                 ('stdev_ns', statistics.stdev(samples)),
                                 ('wall_ns', statistics.median(row['wall_samples_ns']))):
                self.assertAlmostEqual(row[name] / (wanted or 1), 1, places=6, msg=name)
            part = sorted(samples)
            for name, at in (('p05_ns', 0.3), ('p95_ns', 5.7)):
                low = int(at)
                wanted = part[low] + (at - low) * (part[low + 1] - part[low])
                self.assertAlmostEqual(row[name] / wanted, 1, places=6, msg=name)
            # The outermost samples bound the median of seven at 95 %.
            if row['noise'] is not None:
                self.assertLessEqual(row['noise'], (part[-1] - part[0]) / row['median_ns'])
            # A transform reads and writes each sample, like a copy; a transfer moves it once.
            moved = 64 * 32 * 4 * (1 if row['kind'] == 'transfer' else 2)
            self.assertAlmostEqual(row['traffic_gbps'] * row['median_ns'] / moved, 1, places=6)
            self.assertAlmostEqual(row['mpel_s'] * row['median_ns'] / (64 * 32 * 1e3), 1, places=6)
            if row['kind'] == 'transform':
                self.assertAlmostEqual(row['payload_gbps'], row['traffic_gbps'], places=6)

    def test_cells(self):
        result, told = self.measure('--runs', '7', '--wide')
        with open(self.path('b.csv'), encoding='utf-8') as file:
            lines = list(csv.DictReader(file))
        self.assertEqual(len(lines), len(told['rows']))
        for line, row in zip(lines, told['rows']):
            flat = dict(row, **{'ceiling.' + name: row['ceiling'][name]
                                for name in ('name', 'share', 'binds')})
            for name in ('ceiling', 'samples_ns', 'wall_samples_ns', 'warnings'):
                flat.pop(name)
            self.assertEqual(set(line), set(flat))
            for name, cell in line.items():
                value = flat[name]
                if isinstance(value, float):
                    self.assertAlmostEqual(float(cell) / (value or 1), 1 if value else 0, places=6)
                else:
                    self.assertEqual(cell, '' if value is None else str(value).lower()
                                     if isinstance(value, bool) else str(value), name)
        shown = self.table(result.text())
        self.assertEqual(len(shown), len(told['rows']))
        for row in told['rows']:
            cells = shown[row['work'] or row['kind']]
            with self.subTest(row['kind']):
                self.check_cells(row, cells)

    def table(self, text):
        """{work: {column: cell}} of all tables."""
        rows, header = {}, []
        for line in text.splitlines():
            cells = [cell.strip() for cell in line.strip('|').split('|')]
            if not line.startswith('|'):
                header = []
            elif not header:
                header = cells
            elif not cells[0].startswith('-'):
                row = dict(zip(header, cells))
                rows[row.get('work', 'transform')] = row
        return rows

    def check_cells(self, row, cells):
        units = {'ns': 1, 'µs': 1e3, 'ms': 1e6, 's': 1e9}
        for column, name in (('median', 'median_ns'), ('min', 'min_ns')):
            number, unit = cells[column].split()
            self.assertAlmostEqual(float(number) * units[unit] / row[name], 1, places=3)
        self.assertEqual(cells['samples'], '7')
        if row['noise'] is None:
            self.assertEqual(cells['noise'], '?')
        else:
            self.assertAlmostEqual(float(cells['noise'].split()[0]) / (100 * row['noise']), 1,
                                   delta=0.06)
        rate = 'payload_gbps' if row['kind'] == 'transform' else 'traffic_gbps'
        self.assertAlmostEqual(float(cells['GB/s']) / row[rate], 1, places=3)
        self.assertNotIn('marks', cells)  # no marks
        if row['kind'] != 'transform':
            return
        self.assertEqual((cells['size'], cells['L'], cells['wavelet'], cells['vs best']),
                         ('64x32', '1', 'cdf97', '1.00'))
        self.assertAlmostEqual(float(cells['Mpel/s']) / row['mpel_s'], 1, places=3)
        self.assertAlmostEqual(float(cells['check']) / row['max_abs_err'], 1, delta=0.06)
        self.assertEqual(cells['ceiling'], 'memcpy (bytes)')
        self.assertAlmostEqual(float(cells['of ceiling'].split()[0]) /
                               (100 * row['ceiling']['share']), 1, delta=0.06)
        # The time of the copy divided by the median.
        copy = [other for other in json.loads(self.read('b.json'))['rows']
                if other['kind'] == 'ceiling'][0]
        self.assertAlmostEqual(row['ceiling']['share'] * row['median_ns'] / copy['median_ns'], 1,
                               places=4)

    def test_samples_that_are_no_times(self):
        """`compare` checks the samples of results."""
        told = self.measure('--runs', '3')[1]
        self.succeed('compare', 'b.json', 'b.json')
        for name in ('samples_ns', 'wall_samples_ns'):
            for bad in (-1, -1e-9, 'x', None):
                with self.subTest('%s %s' % (name, bad)):
                    broken = json.loads(json.dumps(told))
                    broken['rows'][0][name][1] = bad
                    self.write('bad.json', json.dumps(broken))
                    self.refuse(FILE, 'bad.json: …', 'compare', 'b.json', 'bad.json')
