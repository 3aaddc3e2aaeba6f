"""Runs the program and judges what every run has in common."""
import difflib
import os
import random
import re
import resource
import subprocess
import tempfile
import unittest

import display

# Set by run.py.
PROGRAM = ''
FAULTS = ''

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
GOLDEN = os.path.join(ROOT, 'tests', 'golden')
REFERENCE = ('-b', 'reference')
MIB = 1 << 20
PEERS_PYTHON = '/usr/bin/python3'  # which sees Debian's packages
PEERS_MISSING = 77  # what scripts end with that lack one

USAGE, FILE, UNAVAILABLE, MISMATCH, TOO_LARGE, INTERRUPTED = 2, 3, 4, 5, 6, 130


def is_sanitized():
    with open(PROGRAM, 'rb') as file:
        return b'__asan_init' in file.read()


def not_sanitized(reason):
    """Of a test or a class: the sanitizers' build skips it, so the other one runs it (run.py)."""
    def mark(test):
        test.not_sanitized = True
        return unittest.skipIf(is_sanitized(), reason)(test)
    return mark


def is_sampled():
    """Whether $WAVEPASS_SAMPLE asks for less than everything."""
    return os.environ.get('WAVEPASS_SAMPLE', '').partition(':')[2] not in ('', '1')


def sample(cases, whose=''):
    """Those that $WAVEPASS_SAMPLE, SEED:N, takes of a list, one of N; without it all. Others for each
    that it is taken for."""
    if not is_sampled():
        return cases
    seed, one_of = os.environ['WAVEPASS_SAMPLE'].split(':')
    return random.Random('%s %s' % (seed, whose)).sample(cases, -(-len(cases) // int(one_of)))


def has_viewer():
    done = subprocess.run([PROGRAM, '--version', '-v'], capture_output=True, text=True, check=True)
    return 'viewer: yes' in done.stdout


def base_environment():
    """Nothing of the caller's desktop or taste."""
    drop = ('DISPLAY', 'WAYLAND_DISPLAY', 'NO_COLOR', 'TERM', 'LANG', 'LD_PRELOAD',
            'WAVEPASS_WAVELETS')
    environment = {name: value for name, value in os.environ.items()
                   if name not in drop and not name.startswith(('LC_', 'MESA_', 'LIBGL_'))}
    environment['WAVEPASS_PROBE'] = 'never'
    # What is preloaded here comes before the sanitizer's library.
    environment['ASAN_OPTIONS'] = 'verify_asan_link_order=0'
    return environment


NO_EGL = {'__EGL_VENDOR_LIBRARY_DIRS': '/nonexistent', '__EGL_VENDOR_LIBRARY_FILENAMES': ''}


class Result:
    def __init__(self, code, out, err):
        self.code, self.out, self.err = code, out, err

    def text(self):
        return self.out.decode()

    def first_error(self):
        """The line and its hint, or None twice."""
        lines = self.err.splitlines()
        for i, line in enumerate(lines):
            if ' error: ' in line:
                hints = [l for l in lines[i + 1:] if l.startswith('hint: ')]
                return line, hints[0][len('hint: '):] if hints else None
        return None, None


class CliTest(unittest.TestCase):
    """A test with a directory of its own, which is the program's current one."""

    def setUp(self):
        self._directory = tempfile.TemporaryDirectory(prefix='wavepass-cli-')
        self.addCleanup(self._directory.cleanup)
        self.directory = self._directory.name

    def path(self, name):
        return os.path.join(self.directory, name)

    def write(self, name, data):
        with open(self.path(name), 'wb') as file:
            file.write(data if isinstance(data, bytes) else data.encode())
        return name

    def read(self, name):
        with open(self.path(name), 'rb') as file:
            return file.read()

    def files(self):
        """What is in the directory, with its contents."""
        found = {}
        for name in sorted(os.listdir(self.directory)):
            path = self.path(name)
            regular = os.path.isfile(path) and not os.path.islink(path)
            found[name] = self.read(name) if regular else None
        return found

    def environment(self, change=None, fault=None):
        environment = base_environment()
        environment.update(change or {})
        if fault:
            kind = fault.split('-')[0]
            library = os.path.join(FAULTS, '%s_fault.so' % (
                kind if kind in ('file', 'memory', 'machine', 'change') else 'gl'))
            if not os.path.exists(library):
                self.skipTest('%s is not built' % library)
            environment.update(LD_PRELOAD=library, WAVEPASS_FAULT=fault)
        return environment

    def run_program(self, *arguments, stdin=b'', env=None, fault=None, limits=(), timeout=120,
                    stdout=subprocess.PIPE, wrapper=(), user=None, program=None):
        """`limits`: pairs for setrlimit. `wrapper`: a command that runs the program."""
        def prepare():
            for limit, value in limits:
                resource.setrlimit(limit, (value, value))

        done = subprocess.run([*wrapper, program or PROGRAM, *arguments], input=stdin, stdout=stdout,
                              stderr=subprocess.PIPE, cwd=self.directory, timeout=timeout,
                              env=self.environment(env, fault), preexec_fn=prepare, user=user,
                              check=False)
        result = Result(done.returncode, done.stdout or b'', done.stderr.decode(errors='replace'))
        self.check_sane(result, arguments)
        return result

    def somebody(self):
        """Options for run_program() that make it no run of root, for whom permissions mean nothing.
        """
        if os.geteuid() != 0:
            return {}
        nobody = 65534
        os.chmod(self.directory, 0o755)
        try:
            subprocess.run([PROGRAM, '--version'], user=nobody, check=True, capture_output=True,
                           env=base_environment())
        except (OSError, subprocess.CalledProcessError):
            self.skipTest('root may write everywhere, and nobody may not run the program')
        return {'user': nobody}

    def display(self):
        """What a program needs in its environment to open a window, until the test ends."""
        if not display.is_there():
            self.skipTest('no Xvfb')
        server = display.Display()
        self.addCleanup(server.close)
        return {'DISPLAY': server.name}

    def check_sane(self, result, arguments):
        told = 'wavepass %s\n%s' % (' '.join(arguments), result.err)
        self.assertGreaterEqual(result.code, 0, 'killed by a signal: ' + told)
        self.assertNotIn('Sanitizer', result.err, told)
        self.assertNotIn('runtime error', result.err, told)

    def succeed(self, *arguments, **how):
        result = self.run_program(*arguments, **how)
        self.assertEqual(result.code, 0, 'wavepass %s\n%s' % (' '.join(arguments), result.err))
        self.assertNotIn('error:', result.err)
        return result

    def decide(self, row, *arguments):
        """What compares times, until it has decided about the rows that match: on a busy computer those
        of a run depend on each other, and nothing is decided then. A wrong verdict stays one."""
        for _ in range(50):
            result = self.run_program(*arguments)
            rows = re.findall(r'(?m)^%s.*' % row, result.text())
            self.assertTrue(rows, result.text() + result.err)
            if not any('UNDECIDED' in line for line in rows):
                break
        return result

    def peak(self, *arguments):
        """The most memory that a run had, in bytes, which overwrites and says nothing."""
        child = subprocess.Popen([PROGRAM, *arguments, '-f', '-q'], cwd=self.directory,
                                 env=self.environment())
        _, status, usage = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
        self.assertEqual(child.returncode, 0, arguments)
        return usage.ru_maxrss * 1024

    def keys_of(self, of='THE VIEWER'):
        """As the manual lists them."""
        man = self.succeed('help', '--man').text().replace('\\-', '-').replace('\\e', '\\')
        section = man.split('.SH KEYS OF ' + of)[1].split('\n.SH ')[0]
        return [key for line in re.findall(r'(?m)^\.B (.*)$', section)
                for key in line.replace('\\&', '').split(' , ')]

    def refuse(self, code, message, *arguments, hint=None, files=None, out=b'', **how):
        """Runs what must fail: with the exit code, a first and only error "wavepass COMMAND:
        error: MESSAGE", the hint where one is given, nothing on stdout, no escape sequences, and
        no file made, changed or left behind. In MESSAGE and hint '…' stands for anything."""
        before = self.files() if files is None else files
        result = self.run_program(*arguments, **how)
        told = 'wavepass %s: exit %d\n%s' % (' '.join(arguments), result.code, result.err)
        self.assertEqual(result.code, code, told)
        line, given_hint = result.first_error()
        self.assertIsNotNone(line, 'no error message: ' + told)
        self.assertEqual(result.err.count(' error: '), 1, told)
        self.assertTrue(line.startswith('wavepass'), told)
        self.check_part(message, line.split(' error: ', 1)[1], told)
        if hint is not None:
            self.assertIsNotNone(given_hint, 'no hint: ' + told)
            self.check_part(hint, given_hint, told)
        self.assertEqual(result.out, out, told)
        self.assertNotIn('\033', result.err)
        self.assertEqual(self.files(), before, 'files changed: ' + told)
        return result

    def check_golden(self, name, text):
        """That the text is what the file of tests/golden has; WP_UPDATE_GOLDEN=1 rewrites that."""
        path = os.path.join(GOLDEN, name)
        if os.environ.get('WP_UPDATE_GOLDEN'):
            with open(path, 'w', encoding='utf-8') as file:
                file.write(text)
            return
        with open(path, encoding='utf-8') as file:
            wanted = file.read()
        if text != wanted:
            self.fail('%s:\n%s' % (path, ''.join(difflib.unified_diff(
                wanted.splitlines(True), text.splitlines(True), 'golden', 'now', n=1))))

    def run_peers(self, script, *arguments):
        """A script of scripts/, with the Python that sees Debian's packages."""
        if not os.path.exists(PEERS_PYTHON):
            self.skipTest('%s is not here' % PEERS_PYTHON)
        done = subprocess.run([PEERS_PYTHON, os.path.join(ROOT, 'scripts', script), *arguments],
                              capture_output=True, text=True, env=self.environment(), check=False)
        if done.returncode == PEERS_MISSING:
            self.skipTest(done.stderr.strip())
        return done

    def check_part(self, wanted, given, told):
        pattern = '.*'.join(re.escape(part) for part in wanted.split('…'))
        self.assertIsNotNone(re.fullmatch(pattern, given),
                             'wanted %r, but %r: %s' % (wanted, given, told))

    def assert_near(self, values, wanted, tolerance):
        self.assertEqual(len(values), len(wanted))
        worst = max((abs(a - b) for a, b in zip(values, wanted)), default=0)
        self.assertLessEqual(worst, tolerance)


# Bad input must be refused before memory of the size that it claims is taken. The sanitizers
# reserve more address space than any limit.
def memory_limit():
    return () if is_sanitized() else ((resource.RLIMIT_AS, 512 * MIB),)

