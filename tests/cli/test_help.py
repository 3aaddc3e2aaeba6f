"""Help, man page and completion: all come from one table and are complete."""
import re
import shutil
import subprocess

import formats
import harness
from harness import FILE, UNAVAILABLE, USAGE, CliTest

COMMANDS = ('forward', 'inverse', 'edit', 'verify', 'bench', 'compare', 'explain', 'view', 'info',
            'undersample', 'reconstruct', 'denoise', 'help')
COMMON = {'--json', '-q', '--quiet', '-v', '--verbose', '--color', '--version', '-h', '--help'}
DESIGNED = {
    'forward': {'-w', '--wavelet', '-s', '--scheme', '--no-optimize', '-l', '--levels', '--border',
                '--norm', '-b', '--backend', '--layout', '--gray', '-d', '--device', '-f',
                '--force', '-o', '--output', '--picture', '--channel'},
    'inverse': {'-w', '--wavelet', '-s', '--scheme', '--no-optimize', '-l', '--levels', '--border',
                '--norm', '-b', '--backend', '--layout', '-d', '--device', '-f', '--force', '-o',
                '--output', '--depth'},
    'edit': {'-o', '--output', '--threshold', '--keep', '--zero', '--only', '--scale', '--impulse',
             '--sigma', '--reference', '--ignore-changes', '-f', '--force', '-l', '--levels',
             '--norm'},
    'denoise': {'-o', '--output', '--sigma', '--per-level', '--method', '--rule', '--shifts',
                '--color-space', '-w', '--wavelet', '-l', '--levels', '--border', '--depth',
                '--truth', '--dry-run', '--gop', '-b', '--backend', '-f', '--force'},
    'verify': {'-w', '--wavelet', '-s', '--scheme', '-b', '--backend'},
    'bench': {'-w', '--wavelet', '-s', '--scheme', '--no-optimize', '-l', '--levels', '--size',
              '-b',
              '--backend', '--variant', '--min-time', '--json', '--csv', '--markdown', '--svg'},
    'compare': {'--metric', '--tol'},
    'explain': {'--show', '--format', '-o', '--output', '--channel'},
    'view': {'-w', '--wavelet', '-s', '--scheme', '--no-optimize', '-l', '--levels', '--border',
             '--norm', '-b', '--backend', '-d', '--device', '-f', '--force', '--screenshot',
             '--window', '--state', '--events', '--frames', '--ui-scale', '--channel'},
    'undersample': {'-o', '--output', '--mask-output', '--truth-output', '--picture', '--mask',
                    '--rate', '--from-mask', '--seed', '--noise', '--slice', '--pad',
                    '--crop-kspace', '--normalize', '--centred', '--coils', '--maps-output',
                    '--volume', '--raw', '-f', '--force'},
    'reconstruct': {'-m', '--mask', '-o', '--output', '--tv', '--wav', '-w', '--wavelet', '-l',
                    '--levels', '--mu', '--lambda', '--gamma', '--outer', '--inner', '--sigma',
                    '--cycle-spinning', '--seed', '--exact', '--maps', '--centred', '--magnitude',
                    '--template', '--truth', '--log', '--plot', '--resume', '-f', '--force'},
    'info': set(), 'help': set(),
}
# New and old names, which are aliases for one version.
RENAMED = (('--show', '--what'), ('--web-url', '--page'), ('--no-optimize', '--plain'),
           ('--ignore-changes', '--changed'), ('--cycle-spinning', '--spin'),
           ('--reference', '--like'), ('--template', '--like'), ('--normalize', '--peak'),
           ('--min-difference', '--threshold'), ('--centred', '--centered'))


class HelpTest(CliTest):
    def page(self, command):
        return self.succeed(command, '--help').text()

    def options(self, text):
        """The part of a help page with the options."""
        found = set()
        for line in text.splitlines():
            match = re.match(r'  (?:(-\w), |    )(--[\w-]+)', line)
            if match:
                found |= {name for name in match.groups() if name}
        self.assertLessEqual(COMMON, found)
        return found


class Help(HelpTest):
    def test_alone(self):
        result = self.succeed()
        for command in COMMANDS:
            self.assertRegex(result.text(), r'(?m)^  %s +\w' % command)
        examples = result.text().split('\nexamples:\n')[1]
        self.assertEqual(len(re.findall(r'(?m)^  wavepass \w', examples)), 3)
        for same in (('--help',), ('-h',), ('help',)):
            self.assertEqual(self.succeed(*same).out, result.out)

    def test_examples_of_the_overview_work(self):
        examples = self.succeed().text().split('\nexamples:\n')[1]
        for line in re.findall(r'(?m)^  wavepass (.*)$', examples):
            self.succeed(*line.split())
        self.assertEqual(sorted(self.files()), ['again.png', 'bands.png', 'c.npy', 'c.npy.json'])

    def test_every_command(self):
        for command in COMMANDS:
            with self.subTest(command):
                page = self.page(command)
                self.assertTrue(page.startswith('usage: wavepass %s [OPTIONS]' % command), page)
                self.assertLessEqual(DESIGNED[command] | COMMON, self.options(page))
                self.assertIn('\nexit codes: ', page)
                self.check_examples(command, page)
                self.assertEqual(self.succeed('help', command).text(), page)
                # Examples are not wrapped, so that they can be copied.
                self.assertLessEqual(max(len(line) for line in page.splitlines()
                                         if not line.startswith('  wavepass ')), 80)

    def check_examples(self, command, page):
        self.assertEqual('\nexamples:\n' in page, command != 'help')
        if command != 'help':
            lines = page.split('\nexamples:\n')[1].split('\n\nexit codes')[0].splitlines()
            for line in lines:
                self.assertRegex(line, r'^  (.* )?wavepass( |$)')
            self.assertIn(' %s' % command, ''.join(lines))

    def test_aliases(self):
        self.assertIn('usage: wavepass forward ', self.page('fwd'))
        self.assertEqual(self.page('fwd'), self.page('forward'))
        self.assertEqual(self.page('inv'), self.page('inverse'))

    def test_help_wins_over_missing_arguments(self):
        self.assertIn('usage: ', self.succeed('compare', 'one', '--help').text())

    def test_every_option_of_the_pages_is_taken(self):
        for command in COMMANDS:
            for option in self.options(self.page(command)):
                with self.subTest(command + ' ' + option):
                    # Too many arguments, so that nothing is done.
                    result = self.run_program(command, option, 'x', 'x', 'x', 'x')
                    # The viewer accepts many images, but there is no display.
                    self.assertIn(result.code, (0, 2, 3, 4) if command == 'view' else (0, 2),
                                  result.err)
                    self.assertNotIn('unknown option', result.err)

    def test_no_command_takes_more_than_its_page_has(self):
        pages = {command: self.options(self.page(command)) for command in COMMANDS}
        every = set().union(*pages.values())
        for command in COMMANDS:
            own = pages[command] | {old for new, old in RENAMED if new in pages[command]}
            for option in harness.sample(sorted(every - own), command):
                with self.subTest(command + ' ' + option):
                    result = self.run_program(command, option)
                    self.assertEqual(result.code, USAGE, result.err)
                    self.assertIn("unknown option '%s'" % option, result.err)


class Renamed(HelpTest):
    """Old names of options work, and no help shows them."""

    def renamed(self):
        for command in COMMANDS:
            options = self.options(self.page(command))
            for new, old in RENAMED:
                if new in options:
                    yield command, new, old, options

    def test_each_is_taken(self):
        found = set()
        values = {'--show': 'ops', '--web-url': 'x', '--min-difference': '1%', '--reference': 'x',
                  '--template': 'x'}
        for command, new, old, _ in self.renamed():
            with self.subTest('%s %s' % (command, old)):
                found.add((new, old))
                value = '=' + values[new] if new in values else ''
                told = [self.run_program(command, name + value, 'x', 'x', 'x', 'x')
                        for name in (new, old)]
                self.assertEqual((told[0].code, told[0].err), (told[1].code, told[1].err))
                self.assertNotIn('option', told[0].err.split('hint: ')[0])
        self.assertEqual(found, set(RENAMED))

    def test_none_is_shown(self):
        man = self.succeed('help', '--man').text().replace('\\-', '-')
        script = self.succeed('help', '--completion').text()
        for command, _, old, options in self.renamed():
            with self.subTest('%s %s' % (command, old)):
                self.assertNotIn(old, options)
                section = man.split('.SS %s ' % command)[1].split('\n.SS ')[0]
                self.assertNotIn('\n.B %s' % old, section)
                part = script.split('\n        %s' % command)[1].split('esac;;')[0]
                self.assertNotIn(old, part.split())

    def test_the_same_comes_out(self):
        self.assertEqual(self.succeed('explain', 'haar', '--what', 'ops').out,
                         self.succeed('explain', 'haar', '--show', 'ops').out)
        made = []
        for name in ('--plain', '--no-optimize'):
            self.succeed('forward', 'pattern:text:16x16', '-o', 'c.npy', '-f', '-s', 'ns-poly', name,
                         '-b', 'reference')
            made.append(self.read('c.npy.json'))
        self.assertEqual(*made)
        self.assertIn(b'plain', made[0])


class Manual(HelpTest):
    def test_man_page_has_every_option(self):
        man = self.succeed('help', '--man').text().replace('\\-', '-')
        self.assertTrue(man.startswith('.TH WAVEPASS 1 '), man[:80])
        for command in COMMANDS:
            section = man.split('.SS %s ' % command)[1].split('\n.SS ')[0]
            for option in self.options(self.page(command)):
                with self.subTest(command + ' ' + option):
                    place = man if option in COMMON else section
                    self.assertRegex(place, r'(?m)^\.B (-\w, )?%s\b' % re.escape(option)
                                     if option.startswith('--') else r'(?m)^\.B %s, ' % option)
        for title in ('NAME', 'SYNOPSIS', 'EXIT STATUS', 'ENVIRONMENT', 'FILES', 'EXAMPLES'):
            self.assertIn('\n.SH %s\n' % title, man)
        environment = man.split('\n.SH ENVIRONMENT\n')[1].split('\n.SH ')[0]
        for name in ('WAVELETS', 'FFMPEG', 'PROBE'):
            self.assertRegex(environment, r'\.TP\n\.B WAVEPASS_%s\n\w' % name)

    def test_man_page_is_valid(self):
        if not shutil.which('man'):
            self.skipTest('no man')
        self.write('wavepass.1', self.succeed('help', '--man').out)
        shown = subprocess.run(['man', '--warnings', '-E', 'UTF-8', '-l', 'wavepass.1'],
                               cwd=self.directory, capture_output=True, check=True, text=True,
                               env={**self.environment(), 'MANWIDTH': '80', 'LC_ALL': 'C.UTF-8'})
        if 'unminimize' in shown.stdout:
            self.skipTest('man is the one of a minimized system, which shows no pages')
        self.assertEqual(shown.stderr, '')
        self.assertIn('wavepass', shown.stdout)

    def test_completion_has_every_option(self):
        script = self.succeed('help', '--completion').text()
        common = script.split('words="$options')[1].split('"')[0].split()
        self.assertEqual(set(common), COMMON)
        for command in COMMANDS[:-1]:
            own = re.search(r"(?m)^        %s\S*\)\n            options='([^']*)'" % command,
                            script)
            self.assertIsNotNone(own, command)
            self.assertEqual(set(own.group(1).split()) | COMMON, self.options(self.page(command)))

    def complete(self, line):
        """The completions that bash offers for the line."""
        script = ('eval "$("$1" help --completion)"; COMP_WORDS=(%s); COMP_CWORD=%d; _wavepass; '
                  'printf "%%s\\n" "${COMPREPLY[@]}"')
        words = line.split(' ')
        shell = ' '.join("'%s'" % word for word in words)
        done = subprocess.run(['bash', '-c', script % (shell, len(words) - 1), 'bash',
                               harness.PROGRAM], env=self.environment(), capture_output=True,
                              text=True, check=True)
        self.assertEqual(done.stderr, '')
        return done.stdout.split()

    def test_completion_completes(self):
        if not shutil.which('bash'):
            self.skipTest('no bash')
        self.assertEqual(self.complete('wavepass for'), ['forward'])
        self.assertEqual(self.complete('wavepass forward --pic'), ['--picture'])
        self.assertEqual(self.complete('wavepass forward -w cdf9'), ['cdf97', 'cdf93'])
        self.assertEqual(self.complete('wavepass inverse --border per'), ['periodic'])
        self.assertEqual(self.complete('wavepass edit c.npy --ke'), ['--keep'])
        self.assertEqual(self.complete('wavepass -q forward -s ns-p'), ['ns-poly'])
        self.assertEqual(self.complete('wavepass info --js'), ['--json'])


class Golden(HelpTest):
    """Complete texts, without the parts that depend on the build."""

    def check(self, name, text):
        version = self.succeed('--version').text().split()[1]
        text = text.replace(version, 'VERSION')
        # Names of variants.
        text = re.sub(r'(?m)(^\.B \\-\\-variant .*\n.*\n)One of: .*$', r'\1One of: ~.', text)
        text = re.sub(r"(--variant\) words=)'.*'", r"\1'~'", text)
        self.check_golden(name, text)

    def test_man_page(self):
        man = self.succeed('help', '--man').text()
        # The viewer's keys have golden texts if it is in the build.
        keys = man.find('.SH KEYS OF THE VIEWER')
        if keys >= 0:
            man = man[:keys] + man[man.index('.SH EXIT STATUS'):]
        self.check('manual.man', man)

    def test_completion(self):
        self.check('completion.bash', self.succeed('help', '--completion').text())

    def test_pages(self):
        """Some pages; the manual contains the options of the others."""
        pages = [self.succeed('help').text()] + [self.page(command) for command in (
            'undersample', 'explain', 'forward', 'help')]
        # The values of an option end before the next option.
        pages = [re.sub(r'(?s)(--variant .*?\n +one of: )passes .*?(?=\n +-)', r'\1~', page)
                 for page in pages]
        self.check('help.txt', '\n'.join(pages))


class Program(HelpTest):
    def test_version(self):
        result = self.succeed('--version')
        self.assertRegex(result.text(), r'^wavepass \d+\.\d+\.\d+\n$')
        self.assertEqual(self.succeed('forward', '--version').out, result.out)
        more = self.succeed('--version', '-v').text()
        for word in ('compiler: ', 'flags: ', 'libraries: '):
            self.assertIn('\n' + word, more)

    def test_image_without_a_command(self):
        self.write('photo.png', formats.png(2, 2, (0, 85, 170, 255)))
        # There is no display.
        if harness.has_viewer():
            message, hint = '… (…)', '--screenshot FILE works without a display'
        else:
            message = 'the viewer is not part of this build (…)'
            hint = "'wavepass forward photo.png --picture bands.png' makes a picture of its subbands"
        self.refuse(UNAVAILABLE, message, 'photo.png', hint=hint)
        self.refuse(UNAVAILABLE, message, 'view', 'photo.png', hint=hint)
        self.refuse(FILE, 'missing.png: no such file', 'missing.png')

    def test_info(self):
        text = self.succeed('info').text()
        self.assertRegex(text.splitlines()[0], r'^gl: (yes|no)[, (]')
        for word in ('cdf97', 'haar', 'nonsep-polyconvolution', 'ns-poly', 'symmetric', 'periodic',
                     'jpeg2000', 'orthonormal', 'mallat', 'mixed', 'fragment', 'reference', 'NPY',
                     'zone-plate'):
            self.assertIn(word, text)
        # A complete build reports nothing.
        missing = self.succeed('--version', '-v').text().count(': not in this build (')
        self.assertEqual(text.count('  not in this build: '), missing)
