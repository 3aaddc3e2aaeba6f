"""stdout, stderr and terminals; interrupts; reproducible bytes."""
import json
import os
import pty
import signal
import subprocess
import sys
import tempfile
import time

import formats
import harness
from harness import FILE, INTERRUPTED, REFERENCE, CliTest

IMAGE = 'pattern:noise:40x30'
LONG = 'pattern:noise:4000x4000'  # takes the reference backend seconds


class StreamTest(CliTest):
    def on_terminal(self, *arguments, env=None):
        """Exit code, and everything that the program writes to a terminal as its stderr."""
        ours, theirs = pty.openpty()
        environment = {**self.environment(), 'TERM': 'xterm', **(env or {})}
        with subprocess.Popen([harness.PROGRAM, *arguments], stderr=theirs, cwd=self.directory,
                              stdout=subprocess.DEVNULL, stdin=subprocess.DEVNULL,
                              env=environment) as child:
            os.close(theirs)
            seen = b''
            while True:
                try:
                    piece = os.read(ours, 65536)
                except OSError:  # Linux reports that the other end was closed
                    break
                if not piece:
                    break
                seen += piece
        os.close(ours)
        return child.returncode, seen.decode()


class Terminal(StreamTest):
    def test_progress(self):
        code, seen = self.on_terminal('forward', IMAGE, '-o', 'c.npy', *REFERENCE)
        self.assertEqual(code, 0)
        self.assertIn('transforming 1 plane', seen)
        # Overwritten with blanks, without escape sequences; the last text of the line remains.
        self.assertNotIn('\033', seen)
        self.assertRegex(seen, r'\r +\rwavepass forward: cdf97/[^\r]*\r\n$')

    def test_no_progress_when_not_wanted(self):
        for options, env in ((('-q',), {}), (('-v',), {}), ((), {'TERM': 'dumb'})):
            code, seen = self.on_terminal('forward', IMAGE, '-f', '-o', 'c.npy', *options,
                                          *REFERENCE, env=env)
            self.assertEqual((code, 'transforming' in seen), (0, False), seen)
            self.assertIn('c.npy', self.files())

    def test_colours(self):
        code, seen = self.on_terminal('forward', 'missing.png', '-o', 'c.npy')
        self.assertEqual(code, FILE)
        self.assertIn('\033[1;31merror: \033[0m', seen)

    def test_no_colours_when_not_wanted(self):
        for options, env in ((('--color', 'never'), {}), ((), {'NO_COLOR': '1'}),
                             ((), {'TERM': 'dumb'})):
            _, seen = self.on_terminal('forward', 'missing.png', '-o', 'c.npy', *options, env=env)
            self.assertNotRegex(seen, r'\x1b\[[\d;]*m')
        _, seen = self.on_terminal('forward', 'missing.png', '-o', 'c.npy', env={'NO_COLOR': ''})
        self.assertIn('\033[1;31m', seen)  # an empty value counts as unset

    def test_pipe(self):
        for arguments in (('forward', IMAGE, '-o', 'c.npy', *REFERENCE), ('info',),
                          ('forward', 'missing', '-o', 'd.npy'), ('verify', '-w', 'haar', '-b',
                                                                  'reference')):
            result = self.run_program(*arguments, env={'TERM': 'xterm'})
            self.assertNotEqual(result.err + result.text(), '')
            self.assertNotIn('\033', result.err + result.text())
            self.assertNotIn('\r', result.err + result.text())

    def test_colours_always(self):
        result = self.run_program('forward', 'missing.png', '-o', 'c.npy', '--color', 'always')
        self.assertIn('\033[1;31merror: \033[0m', result.err)
        self.assertNotIn('\033[K', result.err)


class Json(StreamTest):
    def test_success(self):
        for arguments in (('forward', IMAGE, '-f', '-o', 'c.npy', *REFERENCE),
                          ('inverse', 'c.npy', '-f', '-o', 'i.png', *REFERENCE),
                          ('compare', IMAGE, IMAGE), ('info',),
                          ('verify', '-w', 'haar', '-s', 'sep-lift', *REFERENCE)):
            for place in (arguments + ('--json',), ('--json',) + arguments):
                with self.subTest(place):
                    told = json.loads(self.succeed(*place).out)
                    self.assertEqual(told.get('command', 'info'), arguments[0])

    def test_numbers(self):
        told = json.loads(self.succeed('forward', IMAGE, '-o', 'c.npy', '--check', '--json', '-l', '2',
                                       '-w', 'cdf53', '-s', 'ns-lift', *REFERENCE).out)
        wanted = {'name': 'cdf53/nonsep-lifting/optimized', 'levels': 2, 'width': 40, 'height': 30,
                  'planes': 1, 'steps': 2, 'operations': 18, 'fetches': 8, 'nonfinite': 0}
        self.assertEqual({key: told[key] for key in wanted}, wanted)
        self.assertEqual(told['backend'],
                         {'requested': 'reference', 'used': 'reference', 'reason': None})
        self.assertLess(told['round_trip_max_error'], 1e-5)

    def test_not_finite_is_null(self):
        self.write('a.npy', formats.npy((4, 4), [float('nan')] * 16))
        told = json.loads(self.succeed('forward', 'a.npy', '-o', 'c.npy', '--check', '--json',
                                       *REFERENCE).out)
        self.assertEqual((told['nonfinite'], told['round_trip_max_error']), (16, None))
        told = json.loads(self.succeed('compare', 'a.npy', 'a.npy', '--json').out)
        self.assertEqual(told['nonfinite'], 16)

    def test_errors(self):
        for code, arguments, hint in (
                (2, ('forward', IMAGE, '-o', 'c.npy', '-w', 'cdf79'),
                 "did you mean 'cdf97'?  'wavepass info' lists all"),
                (2, ('forward', IMAGE, '--levles', '3'),
                 "did you mean '--levels'?  --help lists all"),
                (2, ('forwad',), "did you mean 'forward'?  'wavepass' lists all"),
                (3, ('forward', 'missing.png', '-o', 'c.npy'), None),
                (4, ('view', IMAGE),
                 '--screenshot FILE works without a display' if harness.has_viewer() else
                 "'wavepass forward %s --picture bands.png' makes a picture of its subbands" %
                 IMAGE),
                (5, ('compare', IMAGE, 'pattern:noise:8x8'), None)):
            result = self.run_program(*arguments, '--json')
            told = json.loads(result.out)
            self.assertEqual((result.code, told['exit'], told['hint']), (code, code, hint))
            self.assertIn(' error: ' + told['error'], result.err)

    def test_names_that_are_no_text(self):
        # Bytes that Python decodes to surrogates, and encodes again.
        result = self.run_program('forward', '\udce9\udcff.png', '-o', 'c.npy', '--json')
        self.assertEqual(json.loads(result.out)['error'], '??.png: no such file')

    def test_not_with_results_on_stdout(self):
        for arguments in (('forward', IMAGE), ('inverse', 'c.npy')):
            result = self.run_program(*arguments, '-o', '-', '--json')
            self.assertEqual(result.code, 2)
            self.assertEqual(json.loads(result.out)['error'],
                             '--json and -o - both write to stdout')


class Quiet(StreamTest):
    def test_silent(self):
        for arguments in (('forward', IMAGE, '-o', 'c.npy', '--picture', 'p.png'),
                          ('inverse', 'c.npy', '-o', 'i.png')):
            result = self.succeed(*arguments, '-q', *REFERENCE)
            self.assertEqual((result.out, result.err), (b'', ''))
        self.assertEqual(sorted(self.files()), ['c.npy', 'c.npy.json', 'i.png', 'p.png'])

    def test_errors_are_not_silenced(self):
        self.refuse(FILE, 'missing.png: no such file', 'forward', 'missing.png', '-o', 'c.npy',
                    '-q')

    def test_verbose(self):
        result = self.succeed('forward', IMAGE, '-o', 'c.npy', '-v', *REFERENCE)
        self.assertRegex(result.err, r'(?m)^wavepass forward: +[\d.]+ ms  read: 40x30, 1 plane$')
        self.assertEqual(result.out, b'')
        result = self.succeed('forward', IMAGE, '-o', 'c.npy', '-f', '-vv', '-b', 'fragment')
        self.assertIn('#version 330 core', result.err)

    def test_stdout_has_results_only(self):
        result = self.succeed('forward', IMAGE, '-o', 'c.npy', '--picture', 'p.png', *REFERENCE)
        self.assertEqual(result.out, b'')
        result = self.succeed('forward', IMAGE, '-o', '-', '-vv', *REFERENCE)
        self.assertEqual(formats.read_npy(result.out)[0], (30, 40))


class Repeatable(StreamTest):
    def coefficients(self, *options, env=None):
        self.succeed('forward', 'pattern:color:131x97', '-o', 'c.npy', '--picture', 'c.png', '-f',
                     *options, env=env)
        made = self.files()
        self.assertEqual(sorted(made), ['c.npy', 'c.npy.json', 'c.png'])
        return made

    def test_two_runs(self):
        for backend in ('reference', 'fragment'):
            first = self.coefficients('-b', backend)
            self.assertEqual(self.coefficients('-b', backend), first)

    def test_number_of_threads(self):
        first = self.coefficients('-b', 'fragment')
        self.assertEqual(self.coefficients('-b', 'fragment', env={'LP_NUM_THREADS': '1'}), first)

    def comma_locale(self):
        """The environment of a locale with decimal commas."""
        known = subprocess.run(['locale', '-a'], capture_output=True, text=True, check=False)
        for name in known.stdout.split():
            if name.startswith(('de_', 'cs_', 'fr_', 'es_', 'pl_', 'ru_', 'pt_', 'it_', 'nl_')):
                return {'LC_ALL': name}
        made = tempfile.TemporaryDirectory()
        self.addCleanup(made.cleanup)
        try:
            subprocess.run(['localedef', '-i', 'de_DE', '-f', 'UTF-8',
                            os.path.join(made.name, 'de_DE.UTF-8')], capture_output=True,
                           check=False)
        except OSError:
            pass
        if not os.listdir(made.name):
            self.skipTest('no locale with a decimal comma, and localedef cannot make one')
        return {'LC_ALL': 'de_DE.UTF-8', 'LOCPATH': made.name}

    def test_decimal_comma(self):
        env = self.comma_locale()
        shown = subprocess.run(['locale', 'decimal_point'], capture_output=True, text=True,
                               check=True, env={**os.environ, **env})
        if shown.stdout != ',\n':
            self.skipTest('localedef made a locale without a decimal comma')
        for backend in ('reference', 'fragment'):
            first = self.coefficients('-b', backend)
            self.assertEqual(self.coefficients('-b', backend, env=env), first)
        for arguments in (('explain', 'cdf97/ns-poly', '--show', 'glsl'),
                          ('explain', 'cdf97', '--show', 'ops', '--format', 'csv'),
                          ('compare', IMAGE, 'pattern:noise:40x30:2')):
            self.assertEqual(self.succeed(*arguments, env=env).out, self.succeed(*arguments).out)
        self.succeed('compare', IMAGE, 'pattern:noise:40x30:2', '--tol', '1.5', env=env)


class Interrupted(StreamTest):
    def start(self, *arguments, **how):
        child = subprocess.Popen([harness.PROGRAM, *arguments], cwd=self.directory,
                                 stderr=subprocess.PIPE, env=self.environment(), **how)
        self.addCleanup(child.stderr.close)
        self.addCleanup(child.wait)
        self.addCleanup(child.kill)
        return child

    def wait_for_a_temporary(self, child):
        until = time.monotonic() + 60
        while not os.listdir(self.directory):
            self.assertIsNone(child.poll(), 'over before it could be interrupted')
            self.assertLess(time.monotonic(), until)
            time.sleep(0.01)

    def interrupt(self, number, *arguments):
        child = self.start(*arguments)
        self.wait_for_a_temporary(child)
        child.send_signal(number)
        child.wait(60)
        self.assertEqual(os.listdir(self.directory), [])
        self.assertNotIn(b'Sanitizer', child.stderr.read())
        return child.returncode

    def test_control_c(self):
        self.assertEqual(self.interrupt(signal.SIGINT, 'forward', LONG, '-o', 'c.npy', *REFERENCE),
                         INTERRUPTED)

    def test_terminated(self):
        self.assertEqual(self.interrupt(signal.SIGTERM, 'forward', LONG, '-o', 'c.npy', *REFERENCE),
                         128 + signal.SIGTERM)

    def test_hangup(self):
        self.assertEqual(self.interrupt(signal.SIGHUP, 'forward', LONG, '-o', 'c.npy', *REFERENCE),
                         128 + signal.SIGHUP)

    def test_whatever_ignores_signals(self):
        """The tests also run under nohup or in the background of a shell, where signals are
        ignored."""
        numbers = signal.SIGINT, signal.SIGHUP, signal.SIGTERM
        done = subprocess.run(
            [sys.executable, os.path.join(os.path.dirname(os.path.abspath(__file__)), 'run.py'),
             harness.PROGRAM, '--faults', harness.FAULTS,
             *('test_streams.Interrupted.test_' + name
               for name in ('control_c', 'hangup', 'terminated'))],
            capture_output=True, text=True, timeout=300, check=False,
            preexec_fn=lambda: [signal.signal(number, signal.SIG_IGN) for number in numbers])
        self.assertIn('\n3 passed, 0 failed, 0 skipped\n', done.stdout)

    def test_old_files_stay(self):
        for name in ('c.npy', 'c.npy.json'):
            self.write(name, 'old')
        child = self.start('forward', LONG, '-f', '-o', 'c.npy', *REFERENCE)
        until = time.monotonic() + 60
        while len(os.listdir(self.directory)) < 3 and time.monotonic() < until:
            time.sleep(0.01)
        child.send_signal(signal.SIGINT)
        self.assertEqual(child.wait(60), INTERRUPTED)
        self.assertEqual(self.files(), {'c.npy': b'old', 'c.npy.json': b'old'})


class Closed(StreamTest):
    def test_pipe_that_nobody_reads(self):
        for arguments in (('forward', IMAGE, '-o', '-', *REFERENCE), ('info',), ('--help',),
                          ('compare', IMAGE, IMAGE), ('explain', 'cdf97', '--show', 'glsl'),
                          ('verify', '-w', 'haar', *REFERENCE)):
            ours, theirs = os.pipe()
            os.close(ours)
            try:
                result = self.run_program(*arguments, stdout=theirs)
            finally:
                os.close(theirs)
            with self.subTest(arguments):
                self.assertEqual(result.code, FILE, result.err)
                # A reader that closes early is not reported.
                self.assertEqual(result.err, '')

    def test_no_stdout_at_all(self):
        # Files that are opened later may get the descriptor of stdout.
        wrapper = ('sh', '-c', 'exec "$@" >&-', 'sh')
        result = self.run_program('forward', IMAGE, '-o', 'c.npy', '--picture', 'p.png', *REFERENCE,
                                  wrapper=wrapper)
        self.assertEqual(result.code, 0, result.err)
        self.assertEqual(formats.read_npy(self.read('c.npy'))[0], (30, 40))
        formats.read_png(self.read('p.png'))
        result = self.run_program('forward', IMAGE, '-o', 'c.npy', '-f', '--json', *REFERENCE,
                                  wrapper=wrapper)
        self.assertIn(result.code, (0, FILE), result.err)
        self.assertEqual(formats.read_npy(self.read('c.npy'))[0], (30, 40))
        json.loads(self.read('c.npy.json'))

    def test_no_stderr_at_all(self):
        wrapper = ('sh', '-c', 'exec "$@" 2>&-', 'sh')
        self.succeed('forward', IMAGE, '-o', 'c.npy', '--picture', 'p.png', '-vv', *REFERENCE,
                     wrapper=wrapper)
        self.assertEqual(formats.read_npy(self.read('c.npy'))[0], (30, 40))
        formats.read_png(self.read('p.png'))
        json.loads(self.read('c.npy.json'))
