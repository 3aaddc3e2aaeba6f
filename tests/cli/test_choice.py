"""Autotuning: bench --tune, the tuning file, its use by commands, and info."""
import json
import os
import re
import signal
import subprocess

import formats
import harness
from harness import FILE, INTERRUPTED, MISMATCH, TOO_LARGE, USAGE, CliTest

HAAR = ('pattern:noise:40x30', '-w', 'haar')
USUAL = 'nonsep-polyconvolution'


class Choice(CliTest):
    def setUp(self):
        super().setUp()
        self.cache = self.path('cache')
        os.mkdir(self.cache)

    def env(self, **change):
        return {'WAVEPASS_PROBE': 'auto', 'XDG_CACHE_HOME': self.cache, **change}

    def kept(self):
        """The files of the cache, without those of Mesa."""
        directory = os.path.join(self.cache, 'wavepass')
        names = sorted(os.listdir(directory)) if os.path.isdir(directory) else []
        return [os.path.join(directory, name) for name in names]

    def load(self):
        path, = self.kept()
        with open(path, encoding='ascii') as file:
            return json.load(file)

    def save(self, content):
        path, = self.kept()
        with open(path, 'w', encoding='ascii') as file:
            file.write(content if isinstance(content, str) else json.dumps(content))

    def variants(self, name):
        backends = json.loads(self.succeed('info', '--json', env=self.env()).out)['backends']
        return [v['name'] for b in backends if b['name'] == name for v in b['variants']]

    def tune(self, *more, **how):
        return self.succeed('bench', '--tune', '-w', 'haar', '--size', '64', *more,
                            env=self.env(), **how)

    def forward(self, *more, image=HAAR, change=None, **how):
        """The report of a run, and its warnings."""
        result = self.succeed('forward', *image, '-o', 'c.npy', '-f', '--json', *more,
                              env=self.env(**(change or {})), **how)
        return json.loads(result.out), result.err.count(' warning: ')


class Cpu(Choice):
    """Fast tests with a backend that ignores schemes."""

    def test_tune(self):
        text = self.tune('-b', 'cpu').text()
        timed = self.load()['choices']
        self.assertEqual([(c['backend'], c['wavelet'], c['direction'], c['side'], c['by'])
                          for c in timed],
                         [('cpu', 'haar', direction, 512, 'bench --tune')
                          for direction in ('forward', 'inverse')])
        for choice in timed:
            names = [t['variant'] for t in choice['timed']]
            self.assertEqual(set(names), set(self.variants('cpu')))
            self.assertEqual({t['scheme'] for t in choice['timed']}, {None})
            seconds = [t['seconds'] for t in choice['timed']]
            # The first one is the fastest, up to noise.
            self.assertEqual(seconds[1:], sorted(seconds[1:]))
            self.assertLessEqual(seconds[0], 1.031 * min(seconds))
            self.assertGreater(seconds[0], 0)
            self.assertIn('  selected: variant %s, ' % names[0], text)
        self.assertEqual(text.count('  stored in ' + self.kept()[0]), 2)

    def test_pipe_in_its_place(self):
        self.tune('-b', 'cpu')
        kept, = self.kept()
        os.remove(kept)
        os.mkfifo(kept)
        for command in ('info',), ('forward', *HAAR, '-b', 'cpu', '-o', 'd.npy'):
            result = self.succeed(*command, env=self.env(), timeout=30)
            self.assertIn('is not used (it is not a file)', result.err)

    def test_forward_and_inverse_take_it(self):
        self.tune('-b', 'cpu', '--timeout', '60')
        content = self.load()
        for choice, variant in zip(content['choices'], ('smdwt', 'conv-row-column')):
            choice['timed'].sort(key=lambda t: t['variant'] != variant)
        self.save(content)
        told, warnings = self.forward('-b', 'cpu')
        self.assertEqual((told['chosen_by'], told['variant'], warnings),
                         ('cache', 'smdwt', 0))
        sidecar = json.loads(self.read('c.npy.json'))
        self.assertEqual((sidecar['backend'], sidecar['variant']), ('cpu', 'smdwt'))
        result = self.succeed('inverse', 'c.npy', '-o', 'i.npy', '--json', '-b', 'cpu',
                              env=self.env())
        told = json.loads(result.out)
        self.assertEqual((told['chosen_by'], told['variant']),
                         ('cache', 'conv-row-column'))
        # The cache is not used for a named variant, another wavelet or size, or if it is switched
        # off.
        for more, by in ((('--variant', 'fused'), 'options'), (('-w', 'cdf53'), 'fixed rule')):
            told, _ = self.forward('-b', 'cpu', *more, image=HAAR if by == 'options' else HAAR[:1])
            self.assertEqual((told['chosen_by'], told['variant']), (by, 'fused'))
        told, _ = self.forward('-b', 'cpu', image=('pattern:noise:1100x1000', '-w', 'haar'))
        self.assertEqual(told['chosen_by'], 'fixed rule')
        told, _ = self.forward('-b', 'cpu', change={'WAVEPASS_PROBE': 'never'})
        self.assertEqual((told['chosen_by'], told['variant']), ('fixed rule', 'fused'))

    def test_info(self):
        def choice():
            backends = json.loads(self.succeed('info', '--json', env=self.env()).out)['backends']
            return [b for b in backends if b['name'] == 'cpu'][0]['choice']
        before = choice()
        self.assertEqual(before['found'], [])
        self.assertIn('no device clock', before['reason'])
        self.assertEqual(self.kept(), [])
        self.tune('-b', 'cpu', '--direction', 'forward')
        after = choice()
        self.assertEqual(after['file'], self.kept()[0])
        self.assertEqual(after['found'], self.load()['choices'])
        text = self.succeed('info', env=self.env()).text()
        best = after['found'][0]['timed'][0]['variant']
        self.assertRegex(text, r'choice: haar forward, as 512x512: variant %s, [0-9.e-]+ ms\n'
                         r' +\(bench --tune, 20..-..-..T..:..:..Z, %d timed in '
                         % (best, len(self.variants('cpu'))))
        self.assertIn('stored in ' + self.kept()[0], text)

    def test_nothing_by_itself_without_a_clock(self):
        told, warnings = self.forward('-b', 'cpu')
        self.assertEqual((told['chosen_by'], warnings, self.kept()), ('fixed rule', 0, []))
        told, warnings = self.forward('-b', 'cpu', change={'WAVEPASS_PROBE': 'always'})
        self.assertEqual((told['chosen_by'], warnings), ('probe', 0))
        self.assertEqual(self.load()['choices'][0]['by'], 'probe')
        told, warnings = self.forward('-b', 'cpu', change={'WAVEPASS_PROBE': 'always'})
        self.assertEqual((told['chosen_by'], warnings), ('cache', 0))

    def test_damaged_file(self):
        self.tune('-b', 'cpu', '--direction', 'forward')
        whole = self.load()
        unknown = json.loads(json.dumps(whole).replace('"smdwt"', '"smdwx"'))
        for content in ('', '{', '[]', json.dumps(whole)[:-1], '\0' * 100, unknown,
                        {**whole, 'choices': 7}):
            with self.subTest(content=str(content)[:20]):
                self.save(content)
                told, warnings = self.forward('-b', 'cpu')
                self.assertEqual(told['chosen_by'], 'fixed rule')
                self.assertEqual(warnings, 0 if content == '[]' else 1)
        # A file of another version is not damaged.
        self.save({**whole, 'wavepass': '0.0.0'})
        self.assertEqual(self.forward('-b', 'cpu')[1], 0)
        self.tune('-b', 'cpu', '--direction', 'inverse')
        self.assertEqual([c['direction'] for c in self.load()['choices']], ['inverse'])

    def test_info_of_a_damaged_file(self):
        """One warning, and no scheme or variant is reported as tuned."""
        self.tune('-b', 'cpu', '--direction', 'forward')
        unknown = json.dumps(self.load()).replace('"smdwt"', '"smdwx"')
        self.save(unknown)
        result = self.succeed('info', env=self.env())
        self.assertRegex(result.err, r"^wavepass info: warning: .*: its entry for haar forward is "
                         r"not used \(unknown scheme or variant 'smdwx'\)\n$")
        self.assertNotIn('choice: haar', result.text())
        result = self.succeed('info', '--json', env=self.env())
        self.assertEqual(result.err.count(' warning: '), 1, result.err)
        for backend in json.loads(result.out)['backends']:
            self.assertFalse(backend['choice'] and backend['choice']['found'])

    def test_words_of_the_switch(self):
        told, warnings = self.forward('-b', 'cpu', change={'WAVEPASS_PROBE': ''})
        self.assertEqual((told['chosen_by'], warnings), ('fixed rule', 0))
        result = self.succeed('info', env=self.env(WAVEPASS_PROBE='foo'))
        self.assertRegex(result.err, r'^wavepass info: warning: WAVEPASS_PROBE=foo is ignored: it '
                         r'must be auto, never or always\n$')
        self.assertIn('no device clock', result.text())

    def test_directory_that_cannot_be_written(self):
        blocked = {'XDG_CACHE_HOME': self.path('cache/c')}
        self.write('cache/c', b'no directory')
        told, warnings = self.forward('-b', 'cpu', change={**blocked, 'WAVEPASS_PROBE': 'always'})
        self.assertEqual((told['chosen_by'], warnings), ('fixed rule', 1))
        told, warnings = self.forward('-b', 'cpu', change=blocked)
        self.assertEqual((told['chosen_by'], warnings), ('fixed rule', 0))
        result = self.run_program('bench', '--tune', '-w', 'haar', '-b', 'cpu',
                                  env=self.env(**blocked))
        self.assertEqual(result.code, FILE, result.err)
        self.assertIn('error: cannot write %s/wavepass/' % blocked['XDG_CACHE_HOME'], result.err)

    def test_read_only_directory(self):
        user = self.somebody()
        os.chmod(self.cache, 0o555)
        result = self.succeed('forward', *HAAR, '-o', '-', '-b', 'cpu',
                              env=self.env(WAVEPASS_PROBE='always'), **user)
        self.assertIn('cannot be stored (cannot write ', result.err)
        self.assertEqual((result.err.count(' warning: '), self.kept()), (1, []))

    def test_wavelet_that_is_not_symmetric(self):
        self.succeed('bench', '--tune', '-w', 'db2', '--size', '64', '-b', 'cpu', env=self.env())
        told, _ = self.forward('-b', 'cpu', '--border', 'periodic',
                               image=('pattern:noise:40x32', '-w', 'db2'))
        self.assertEqual(told['chosen_by'], 'cache')

    def test_options_that_do_not_go_with_it(self):
        self.refuse(USAGE, "backend 'reference' cannot be tuned (…", 'bench', '--tune', '-b',
                    'reference', env=self.env())
        for option in (('-s', 'sep-lift'), ('--variant', 'fused'), ('--json', 'x'), ('--dry-run',)):
            with self.subTest(option):
                result = self.run_program('bench', '--tune', *option, env=self.env())
                self.assertEqual(result.code, USAGE)
                self.assertIn(' cannot be combined with --tune\n', result.err)
        self.assertEqual(self.kept(), [])


class Fragment(Choice):
    def tune_fragment(self, **how):
        """Tunes for a second, which suffices for the first candidates, among them `passes`."""
        return self.tune('-b', 'fragment', '--direction', 'forward', '--timeout', '1', **how)

    def put_first(self, *ways):
        content = self.load()
        content['choices'][0]['timed'] = [
            {'scheme': scheme, 'variant': variant, 'seconds': 1e-5 * (i + 1), 'max_error': 0}
            for i, (scheme, variant) in enumerate(ways)]
        self.save(content)

    def chosen(self, *more, **how):
        told, warnings = self.forward('-b', 'fragment', *more, **how)
        self.assertEqual(warnings, 0)
        return told['chosen_by'], told['name'].split('/')[1], told['variant']

    def test_tune_and_take(self):
        text = self.tune_fragment().text()
        choice, = self.load()['choices']
        best = choice['timed'][0]
        self.assertIn('  selected: %(scheme)s, variant %(variant)s, ' % best, text)
        self.assertEqual(self.chosen(), ('cache', best['scheme'], best['variant']))
        sidecar = json.loads(self.read('c.npy.json'))
        self.assertEqual((sidecar['scheme'], sidecar['variant']),
                         (best['scheme'], best['variant']))
        # The schemes of the paper do not change.
        self.put_first(('sep-lifting', 'tile-2x2'))
        self.assertEqual(self.chosen(), ('cache', 'sep-lifting', 'tile-2x2'))
        self.assertEqual(self.chosen('-s', 'sep-lifting'), ('options', 'sep-lifting', 'passes'))
        self.assertEqual(self.chosen('--variant', 'passes'), ('options', USUAL, 'passes'))
        self.assertEqual(self.chosen('--no-optimize'), ('options', USUAL, 'passes'))
        self.assertEqual(self.chosen(change={'WAVEPASS_PROBE': 'never'}),
                         ('fixed rule', USUAL, 'passes'))

    def test_software_is_not_probed(self):
        devices = json.loads(self.succeed('info', '--json', env=self.env()).out)['backends']
        fragment = [b for b in devices if b['name'] == 'fragment'][0]
        if not fragment['software']:
            self.skipTest('there is a GPU')
        self.assertIn('renders in software', fragment['choice']['reason'])
        self.assertEqual(self.chosen(), ('fixed rule', USUAL, 'passes'))
        self.assertEqual(self.kept(), [])
        self.assertEqual(self.chosen(change={'WAVEPASS_PROBE': 'always'})[0], 'probe')
        self.assertEqual(self.chosen(change={'WAVEPASS_PROBE': 'always'})[0], 'cache')

    def test_variant_that_is_not_here_or_does_not_suit(self):
        self.tune_fragment()
        self.put_first(('sep-lifting', 'tile-2x2'), ('nonsep-lifting', 'passes'))
        self.assertEqual(self.chosen(fault='attachments'), ('cache', 'nonsep-lifting', 'passes'))
        self.put_first(('sep-lifting', 'tile-2x2-four'), ('nonsep-lifting', 'passes'))
        nan = self.write('nan.npy', formats.npy((2, 2), (float('nan'), 0, 0, 0)))
        told, warnings = self.forward('-b', 'fragment', image=(nan, '-w', 'haar'))
        self.assertEqual((told['variant'], warnings), ('passes', 1))  # for the NaN

    def test_variant_without_memory_for_the_image(self):
        """The device has too few texture layers for three levels, or for one level and its inverse.
        """
        self.tune_fragment()
        self.put_first(('sep-lifting', 'tile-2x2'))
        command = ('forward', *HAAR, '-o', 'c.npy', '-f', '--json', '-b', 'fragment')
        warning = (r'^wavepass \w+: warning: the fastest variant, sep-lifting, variant tile-2x2, '
                   r'does not support 40x30 \(no memory on this device for a texture of \S+ '
                   r'texels\); using the default nonsep-polyconvolution\n')
        whole = self.forward('-b', 'fragment', change={'WAVEPASS_PROBE': 'never'})[0]
        wanted = self.read('c.npy')
        result = self.succeed(*command, env=self.env(), fault='layers')
        told = json.loads(result.out)
        self.assertRegex(result.err, warning)
        self.assertEqual(result.err.count(' warning: '), 1)
        for key in ('chosen_by', 'name', 'variant', 'steps', 'operations', 'fetches'):
            self.assertEqual(told[key], whole[key])
        self.assertEqual(self.read('c.npy'), wanted)
        self.assertEqual(json.loads(self.read('c.npy.json'))['scheme'], USUAL)
        # Only the inverse: the file has the coefficients of the first choice.
        result = self.succeed(*command, '-l', '1', '--check', env=self.env(), fault='layers')
        told = json.loads(result.out)
        self.assertRegex(result.err, warning)
        self.assertEqual((told['chosen_by'], told['variant']), ('cache', 'tile-2x2'))
        self.assertIn('sep-lifting', told['name'])
        self.assertEqual(json.loads(self.read('c.npy.json'))['variant'], 'tile-2x2')
        self.assertLess(told['round_trip_max_error'], 1e-5)
        # A named variant does not fall back, and there is no fallback if the default fails too.
        os.remove(self.path('c.npy'))
        os.remove(self.path('c.npy.json'))
        command = ('no memory on this device for a texture of …', 'forward', *HAAR, '-o', 'c.npy',
                   '-b', 'fragment')
        self.refuse(TOO_LARGE, *command, '--variant', 'tile-2x2', env=self.env(), fault='layers')
        self.put_first(('sep-lifting', 'passes'))
        result = self.refuse(TOO_LARGE, *command, env=self.env(), fault='texture-memory')
        self.assertNotIn('warning', result.err)

    def test_inverse_without_memory_for_the_image(self):
        self.tune('-b', 'fragment', '--direction', 'inverse', '--timeout', '1')
        self.forward('-b', 'fragment', change={'WAVEPASS_PROBE': 'never'})
        self.put_first(('sep-lifting', 'tile-2x2'))
        command = ('inverse', 'c.npy', '-o', 'b.npy', '-f', '--json', '-b', 'fragment')
        told = json.loads(self.succeed(*command, env=self.env()).out)
        self.assertEqual((told['chosen_by'], told['variant']), ('cache', 'tile-2x2'))
        result = self.succeed(*command, env=self.env(), fault='layers')
        told = json.loads(result.out)
        self.assertEqual((told['chosen_by'], told['variant']), ('fixed rule', 'passes'))
        self.assertIn('; using the default nonsep-polyconvolution\n', result.err)

    def test_probe_that_fails(self):
        result = self.run_program('bench', '--tune', '-w', 'cdf53', '-b', 'fragment', '--size',
                                  '64', '--timeout', '0.1', env=self.env(), fault='wrong-tap')
        self.assertEqual(result.code, 1, result.err)
        self.assertRegex(result.text(), r'passes +WRONG +max\|err\| ')
        self.assertEqual(self.kept(), [])
        result = self.run_program('forward', HAAR[0], '-w', 'cdf53', '-b', 'fragment', '-o',
                                  'c.npy', '--check', env=self.env(WAVEPASS_PROBE='always'),
                                  fault='wrong-tap')
        self.assertEqual((result.code, self.kept()), (MISMATCH, []), result.err)
        self.assertNotIn('c.npy', self.files())
        self.assertIn('(none computed the right result); using the default', result.err)
        self.assertIn('error: the coefficients do not reconstruct the image (', result.err)

    def test_interruption(self):
        """An interrupt ends the run after the current trial, and no file is written."""
        program = subprocess.Popen(
            [harness.PROGRAM, 'bench', '--tune', '-w', 'cdf97', '-b', 'fragment', '--size', '2048',
             '--direction', 'forward', '--timeout', '60', '-v'],
            cwd=self.directory, env=self.environment(self.env()), stdout=subprocess.PIPE,
            stderr=subprocess.PIPE, text=True)
        for line in program.stderr:
            if 'measured ' in line:
                break
        program.send_signal(signal.SIGINT)
        out, errors = program.communicate(timeout=60)
        self.assertEqual((program.returncode, out, self.kept()), (INTERRUPTED, '', []), errors)

    def test_info_reads_a_file_once(self):
        """Several backends of one device share the file."""
        backends = json.loads(self.succeed('info', '--json', env=self.env()).out)['backends']
        files = [b['choice']['file'] for b in backends
                 if b['name'] in ('fragment', 'compute') and b['choice']]
        if len(files) != 2 or files[0] != files[1]:
            self.skipTest('the two do not share a device here')
        os.makedirs(os.path.dirname(files[0]), exist_ok=True)
        with open(files[0], 'w', encoding='ascii') as file:
            file.write('{')
        for more in ((), ('--json',)):
            result = self.succeed('info', *more, env=self.env())
            self.assertEqual(result.err.count(' warning: '), 1, result.err)

    def test_what_is_tried_is_printed(self):
        lines = self.tune_fragment().text().splitlines()
        self.assertRegex(lines[0], r'^fragment on .*: haar forward, one level of 512x512$')
        self.assertTrue(re.match(r'^  \S+ +(passes|tile-\S+) +[0-9.]+ ms  max\|err\| ', lines[1]))
