"""`compare` with two files of results, and the comparison with papers."""
import json
import random
import re

from harness import FILE, MISMATCH, UNAVAILABLE, USAGE, CliTest


def samples(rng, level, count=40):
    """Times in ns with a long tail."""
    return [level * rng.lognormvariate(0, 0.003) * (3 if rng.random() < 0.03 else 1)
            for _ in range(count)]


def row(scheme, times, **change):
    """A row of results with the members that `compare` reads."""
    ordered = sorted(times)
    found = {'kind': 'transform', 'backend': 'cpu', 'variant': None, 'device': 'A CPU',
             'software': False, 'work': None, 'includes': None, 'wavelet': 'cdf97',
             'scheme': scheme, 'form': 'optimized', 'direction': 'forward',
             'border': 'symmetric', 'norm': 'jpeg2000', 'layout': 'mallat', 'width': 512,
             'height': 512, 'levels': 1, 'planes': 1, 'timer': 'monotonic clock',
             'median_ns': ordered[len(ordered) // 2], 'verified': True, 'samples_ns': times,
             'wall_samples_ns': None, 'warnings': []}
    found.update(change)
    return found


class BenchCompare(CliTest):
    def setUp(self):
        super().setUp()
        self.rng = random.Random(1)

    def results(self, name, rows, environment=None, **change):
        found = {'schema_version': 1, 'complete': True,
                 'environment': environment or {'date': name, 'host': {'cpu': 'x', 'load': name}},
                 'rows': rows}
        found.update(change)
        return self.write(name, json.dumps(found))

    def pair(self, factor, **change):
        """Two runs; sep-lifting of the second takes `factor` times as long."""
        self.results('a.json', [row(s, samples(self.rng, 1e6), **change)
                                for s in ('sep-lifting', 'nonsep-lifting')])
        self.results('b.json', [row('sep-lifting', samples(self.rng, factor * 1e6), **change),
                                row('nonsep-lifting', samples(self.rng, 1e6), **change)])

    def compare(self, *options):
        return json.loads(self.succeed('compare', 'a.json', 'b.json', '--json', *options).out)

    def test_verdicts(self):
        for factor, verdict in ((1, 'SAME'), (1.05, 'SLOWER'), (0.95, 'FASTER')):
            self.pair(factor)
            told = self.compare()
            found = {r['scheme']: r['verdict'] for r in told['rows']}
            self.assertEqual(found, {'sep-lifting': verdict, 'nonsep-lifting': 'SAME'})
            self.assertEqual(sum(told['verdicts'].values()), 2)
            first = told['rows'][0]
            self.assertTrue(first['low'] <= first['ratio'] <= first['high'])
            self.assertEqual(told['environment'], [])
            text = self.succeed('compare', 'a.json', 'b.json').text()
            self.assertIn('The environment is the same.\n', text)
            self.assertIn('| cdf97 sep-lifting 512x512 ', text)
            self.assertIn(' %s ' % verdict, text)
        self.assertEqual(self.compare('--min-difference', '10%')['verdicts']['SAME'], 2)
        self.assertEqual(self.compare('--min-difference', '0.1')['verdicts']['SAME'], 2)

    def test_same_binary(self):
        """Two runs with the same distribution agree, without warnings."""
        disagreed = 0
        for _ in range(100):
            self.pair(1)
            verdicts = self.compare()['verdicts']
            disagreed += verdicts['FASTER'] + verdicts['SLOWER'] > 0
        self.assertLessEqual(disagreed, 5)

    def test_fail_if_slower(self):
        self.pair(1.05)
        for allowed, code in (('3%', MISMATCH), ('0', MISMATCH), ('8%', 0)):
            result = self.run_program('compare', 'a.json', 'b.json', '--fail-if-slower', allowed)
            self.assertEqual(result.code, code)
            self.assertIn('%s: %d slower by more than %s' %
                          ('fail' if code else 'pass', 1 if code else 0, allowed), result.text())
        self.pair(0.9)
        self.succeed('compare', 'a.json', 'b.json', '--fail-if-slower', '3%')
        # Ceilings depend on the machine.
        for name, level in (('a.json', 1e6), ('b.json', 1.2e6)):
            self.results(name, [row('sep-lifting', samples(self.rng, 1e6)),
                                row(None, samples(self.rng, level), kind='ceiling', work='copy')])
        text = self.succeed('compare', 'a.json', 'b.json', '--fail-if-slower', '3%').text()
        self.assertIn('1 ceiling differs too: the machine did not run at the same speed.\n', text)
        for given, percent in (('5', '500'), ('1.5', '150'), ('1e3', '100000')):
            self.refuse(USAGE, "--fail-if-slower: '%s' is %s %%" % (given, percent), 'compare',
                        'a.json', 'b.json', '--fail-if-slower', given,
                        hint='use %s%%, or %s%%' % (given, percent))
        for given in ('500%', '1'):
            self.succeed('compare', 'a.json', 'b.json', '--fail-if-slower', given)

    def test_no_samples(self):
        """Results without samples cannot be compared, so --fail-if-slower fails."""
        self.pair(1)
        with open(self.path('b.json'), encoding='utf-8') as file:
            results = json.load(file)
        for result in results['rows']:
            result.pop('samples_ns', None)
            result.pop('wall_samples_ns', None)
        self.write('b.json', json.dumps(results).encode())
        compare = ('compare', 'a.json', 'b.json')
        self.assertIn('UNDECIDED', self.succeed(*compare).text())
        result = self.run_program(*compare, '--fail-if-slower', '5%')
        self.assertEqual(result.code, MISMATCH)
        self.assertIn('fail: nothing was compared: no transform or transfer has samples in both',
                      result.text())

    def test_nothing_in_common(self):
        """Rows in only one file are listed. A comparison without common rows fails."""
        def run(code, *options):
            result = self.run_program('compare', 'a.json', 'b.json', *options)
            self.assertEqual(result.code, code, result.text() + result.err)
            return result.text()
        ceiling = row(None, samples(self.rng, 1e6), kind='ceiling', work='copy')
        self.results('a.json', [row('sep-lifting', samples(self.rng, 1e6)), ceiling])
        self.results('b.json', [row('nonsep-lifting', samples(self.rng, 1e6)), ceiling])
        text = run(0)
        self.assertIn('\nnothing was compared: no transform or transfer has samples in both\n', text)
        self.assertIn('only in a.json: transform cpu cdf97 sep-lifting', text)
        self.assertIn('only in b.json: transform cpu cdf97 nonsep-lifting', text)
        self.assertIn('\nfail: nothing was compared: ', run(MISMATCH, '--fail-if-slower', '5%'))
        self.assertIn('\nfail: 2 in only one of them\n', run(MISMATCH, '--fail-if-missing'))
        self.assertTrue(json.loads(run(MISMATCH, '--fail-if-slower', '5%', '--json'))['failed'])
        self.pair(1)
        self.assertIn('\npass: 0 in only one of them\n', run(0, '--fail-if-missing'))
        self.assertFalse(json.loads(run(0, '--fail-if-missing', '--json'))['failed'])
        self.results('b.json', [row('sep-lifting', samples(self.rng, 1e6))])
        self.assertIn('\npass: 0 slower', run(0, '--fail-if-slower', '5%'))
        self.assertIn('\nfail: 1 in only one of them\n',
                      run(MISMATCH, '--fail-if-slower', '5%', '--fail-if-missing'))

    def test_few_samples(self):
        self.results('a.json', [row('sep-lifting', [1e6, 1.01e6, 1.02e6])])
        self.results('b.json', [row('sep-lifting', [2e6, 2.01e6, 2.02e6])])
        told = self.compare('--fail-if-slower', '5%')
        self.assertEqual(told['rows'][0]['verdict'], 'UNDECIDED')
        self.assertIsNone(told['rows'][0]['high'])
        self.assertAlmostEqual(told['rows'][0]['ratio'], 2.01 / 1.01)

    def test_doubts(self):
        """A doubtful row has a mark."""
        self.results('a.json', [row('sep-lifting', samples(self.rng, 1e6)),
                                row('nonsep-lifting', samples(self.rng, 1e6),
                                    preemptions_s=400),
                                row('sep-convolution', samples(self.rng, 1e6))])
        self.results('b.json', [row('sep-lifting', samples(self.rng, 1e6), software=True,
                                    verified=False),
                                row('nonsep-lifting', samples(self.rng, 1e6), timer='other'),
                                row('sep-convolution', samples(self.rng, 1e6), samples_ns=None,
                                    verified=None)],
                     complete=False)
        marks = [(r['marks'], r['verdict']) for r in self.compare()['rows']]
        self.assertEqual(marks, [('SOFTWARE, WRONG', 'SAME'), ('BUSY, different timers',
                                                               'UNDECIDED'),
                                 ('UNVERIFIED, no samples', 'UNDECIDED')])
        self.assertIn('new: b.json (INCOMPLETE)',
                      self.succeed('compare', 'a.json', 'b.json').text())

    def test_environment(self):
        self.results('a.json', [], {'host': {'cpu': 'x', 'load': '1'}, 'gl': None, 'cuda': {}})
        self.results('b.json', [], {'host': {'cpu': 'y', 'load': '2'}, 'gl': {'version': '4.6'},
                                    'cuda': {'driver': '580'}})
        self.assertEqual(self.compare()['environment'],
                         [{'key': 'host.cpu', 'base': '"x"', 'new': '"y"'},
                          {'key': 'gl', 'base': 'null', 'new': '{"version":"4.6"}'},
                          {'key': 'cuda.driver', 'base': 'none', 'new': '"580"'}])
        self.assertIn('- host.cpu: "x" -> "y"\n',
                      self.succeed('compare', 'a.json', 'b.json').text())

    def test_only_one(self):
        self.results('a.json', [row('sep-lifting', samples(self.rng, 1e6), width=256),
                                row('sep-lifting', samples(self.rng, 1e6))])
        self.results('b.json', [row('sep-lifting', samples(self.rng, 1e6)),
                                row('sep-lifting', samples(self.rng, 1e6), levels=2)])
        told = self.compare()
        self.assertEqual([r['size'] for r in told['only_base']], ['256x512'])
        self.assertEqual([r['levels'] for r in told['only_new']], [2])
        self.assertEqual(len(told['rows']), 1)
        self.assertIn('only in a.json: transform cpu cdf97 sep-lifting ',
                      self.succeed('compare', 'a.json', 'b.json').text())

    def test_files(self):
        self.results('a.json', [])
        self.write('broken.json', '{"schema_version": 1,\n "rows": [')
        self.write('other.json', '{"wavelet": "cdf97"}')
        self.results('newer.json', [], schema_version=99)
        self.results('rowless.json', [{'kind': 'what'}])
        self.results('text.json', [row('sep-lifting', ['soon'], median_ns=1)])
        for name, message in (('broken.json', 'broken.json:2: not JSON'),
                              ('other.json', 'other.json: not the results of a benchmark'),
                              ('newer.json', 'newer.json: schema_version 99'),
                              ('rowless.json', 'rowless.json: row 1 has an unknown kind'),
                              ('text.json', 'text.json: row 1 has a sample that is not a time'),
                              ('none.json', 'cannot read none.json (No such file or directory)')):
            for pair in ((name, 'a.json'), ('a.json', name)):
                result = self.run_program('compare', *pair)
                self.assertEqual(result.code, FILE)
                self.assertIn(message, result.first_error()[0])
                self.assertEqual(result.out, b'')
        self.write('image.pgm', 'P2 1 1 1 1')
        self.assertEqual(self.run_program('compare', 'a.json', 'image.pgm').code, FILE)

    def test_options(self):
        self.pair(1)
        for name, value in (('--min-difference', 'x'), ('--min-difference', '-1%'), ('--alpha',
                                                                                     '1.5'),
                            ('--fail-if-slower', '%')):
            self.refuse(USAGE, "%s: '%s' is not a fraction such as 2%% or 0.02" %
                        (name, value), 'compare', 'a.json', 'b.json', '%s=%s' % (name, value))
        self.refuse(USAGE, '--metric, --tol…and -o are for images…', 'compare', 'a.json',
                    'b.json', '--tol', '1')
        self.refuse(USAGE, '…are for the results of benchmarks…', 'compare', 'a.npy', 'b.npy',
                    '--min-difference', '2%')

    def test_stdin(self):
        self.pair(1)
        self.succeed('compare', 'a.json', '-', stdin=self.read('b.json'))


class Papers(CliTest):
    QUICK = ('--runs', '1', '--no-ceilings', '--no-transfers', '--allow-software', '-q')

    def test_operations(self):
        """The timed passes have the steps and operations of Table 1."""
        text = self.succeed('bench', '--paper', 'barina2017-table1', '--size', '32',
                            *self.QUICK).text()
        rows = [[cell.strip() for cell in line.split('|')] for line in text.splitlines()
                if re.search(r'\| (steps|operations) *\| *\d', line)]
        self.assertEqual(len(rows), 28)
        wrong = [row for row in rows if row[-2] != '1.00']
        # The published 56 is the count without optimization.
        self.assertEqual([row[-4:-1] for row in wrong], [['56', '42', '1.33']])

    def test_figure(self):
        text = self.succeed('bench', '--paper', 'barina2017-fig7', '--size', '32,64',
                            '-f', '--svg', 'f.svg', '--wide', *self.QUICK).text()
        self.assertRegex(text, r'fragment: non-separable lifting beats separable lifting *\| '
                               r'*[0-9.]+\.\.[0-9.]+ \| (yes|no|in part) ')
        self.assertIn(b'Mpel', self.read('f.svg'))

    def test_nothing_here(self):
        result = self.run_program('bench', '--paper', 'quan2016-table2',
                                  env={'CUDA_VISIBLE_DEVICES': ''})
        self.assertEqual(result.code, UNAVAILABLE)
        self.assertIn('no configuration of quan2016-table2 can be measured on this machine',
                      result.first_error()[0])
        self.assertRegex(result.text(), r'\| hybrid .* 0\.8066 \| *- \|')
        self.assertIn('- not compared: hybrid: ', result.text())
