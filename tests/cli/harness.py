"""Runs the program and checks the properties that every run must have."""
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
PEERS_PYTHON = '/usr/bin/python3'  # has access to Debian's packages
PEERS_MISSING = 77  # exit status of scripts without one of their packages

USAGE, FILE, UNAVAILABLE, MISMATCH, TOO_LARGE, INTERRUPTED = 2, 3, 4, 5, 6, 130


def is_sanitized():
    with open(PROGRAM, 'rb') as file:
        return b'__asan_init' in file.read()


def not_sanitized(reason):
    """Marks a test or a class that the build with sanitizers skips; the other build runs it
    (run.py)."""
    def mark(test):
        test.not_sanitized = True
        return unittest.skipIf(is_sanitized(), reason)(test)
    return mark


def is_sampled():
    """Whether $WAVEPASS_SAMPLE requests a sample."""
    return os.environ.get('WAVEPASS_SAMPLE', '').partition(':')[2] not in ('', '1')


def sample(cases, whose=''):
    """The sample of a list that $WAVEPASS_SAMPLE (SEED:N) selects, one of N; the complete list
    without it. Each `whose` has a sample of its own."""
    if not is_sampled():
        return cases
    seed, one_of = os.environ['WAVEPASS_SAMPLE'].split(':')
    return random.Random('%s %s' % (seed, whose)).sample(cases, -(-len(cases) // int(one_of)))


def has_viewer():
    done = subprocess.run([PROGRAM, '--version', '-v'], capture_output=True, text=True, check=True)
    return 'viewer: yes' in done.stdout


def base_environment():
    """An environment without the caller's desktop and preferences."""
    drop = ('DISPLAY', 'WAYLAND_DISPLAY', 'NO_COLOR', 'TERM', 'LANG', 'LD_PRELOAD',
            'WAVEPASS_WAVELETS')
    environment = {name: value for name, value in os.environ.items()
                   if name not in drop and not name.startswith(('LC_', 'MESA_', 'LIBGL_'))}
    environment['WAVEPASS_PROBE'] = 'never'
    # Preloaded libraries come before the sanitizer's library.
    environment['ASAN_OPTIONS'] = 'verify_asan_link_order=0'
    return environment


NO_EGL = {'__EGL_VENDOR_LIBRARY_DIRS': '/nonexistent', '__EGL_VENDOR_LIBRARY_FILENAMES': ''}


class Result:
    def __init__(self, code, out, err):
        self.code, self.out, self.err = code, out, err

    def text(self):
        return self.out.decode()

    def first_error(self):
        """The line of the first error and its hint, or None and None."""
        lines = self.err.splitlines()
        for i, line in enumerate(lines):
            if ' error: ' in line:
                hints = [l for l in lines[i + 1:] if l.startswith('hint: ')]
                return line, hints[0][len('hint: '):] if hints else None
        return None, None


class CliTest(unittest.TestCase):
    """A test with a directory of its own, which is the current directory of the program."""

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
        """The files in the directory, with their contents."""
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
        """Runs the program. `limits` are pairs for setrlimit; `wrapper` is a command that runs the
        program."""
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
        """Options for run_program() that run it without root's permissions, to which file modes do
        not apply."""
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
        """The environment that a program needs to open a window, until the test ends."""
        if not display.is_available():
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
        """Repeats a comparison of times until it has a verdict for the matching rows: on a busy
        computer the samples of a run are correlated, and the verdict is UNDECIDED. It does not
        repeat a wrong verdict."""
        for _ in range(50):
            result = self.run_program(*arguments)
            rows = re.findall(r'(?m)^%s.*' % row, result.text())
            self.assertTrue(rows, result.text() + result.err)
            if not any('UNDECIDED' in line for line in rows):
                break
        return result

    def peak(self, *arguments):
        """The peak memory of a run in bytes. The run overwrites its output and prints nothing."""
        child = subprocess.Popen([PROGRAM, *arguments, '-f', '-q'], cwd=self.directory,
                                 env=self.environment())
        _, status, usage = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
        self.assertEqual(child.returncode, 0, arguments)
        return usage.ru_maxrss * 1024

    def keys_of(self, of='THE VIEWER'):
        """The keys that the manual lists."""
        man = self.succeed('help', '--man').text().replace('\\-', '-').replace('\\e', '\\')
        section = man.split('.SH KEYS OF ' + of)[1].split('\n.SH ')[0]
        return [key for line in re.findall(r'(?m)^\.B (.*)$', section)
                for key in line.replace('\\&', '').split(' , ')]

    def refuse(self, code, message, *arguments, hint=None, files=None, out=b'', **how):
        """Runs a command that must fail. Checks the exit code, that the first and only error is
        "wavepass COMMAND: error: MESSAGE", the hint if one is given, that stdout is empty, that
        there are no escape sequences, and that no file is created, changed or left. '…' in MESSAGE
        and hint matches any text."""
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
        """Compares a text with the file in tests/golden; WP_UPDATE_GOLDEN=1 rewrites the file."""
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
        """Runs a script of scripts/ with the Python that finds Debian's packages."""
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


# Invalid input must be rejected before memory of its claimed size is allocated. The sanitizers
# reserve more address space than any limit.
def memory_limit():
    return () if is_sanitized() else ((resource.RLIMIT_AS, 512 * MIB),)

