#!/usr/bin/env python3
"""Changes one line at a time and reports the changes that no test detects.

    scripts/mutants.py [--seed N] [--count N] [--named FILE] [--tree DIR] [--jobs N] [--whole]
                       [--results FILE]... [--shard K/N] [--unreached] [PATH...]

PATH is a folder or file of src (default: all sources that this build compiles). Without --count the
script tries every mutant; with --count it draws that many lines by the seed, and one mutant for
each line. --named tries the mutants that FILE lists instead. The script works on the commit that is
checked out, in git worktrees of its own, one for each of the --jobs mutants (default 2) that it
tries at the same time. --tree keeps the worktrees for the next run, and the counts for the next run
of that commit.

--results appends each verdict as a line of JSON to FILE, and reads the earlier verdicts for this
commit: with the same seed a run continues where the last one stopped, and a run with nothing left
to try only prints the report. If the option is repeated, all files are read and the last is
written. --shard tries the K-th of N parts of the selection, so that processes or machines can share
it; a run with all of their files prints the report.

First a build that counts executed lines (gcov) runs the tests once, those of the command line class
by class. Then the tests of the mutant's row in tests/mutants/tests.txt that execute its line run on
the mutant, the fast ones first, until one fails or takes five times as long. --whole also runs the
other tests of the row, because the lines of a program that is killed are not counted. If no test
executes the line, all tests of the row run. Tests of matrices run a sample, which WAVEPASS_SAMPLE
can select. --unreached only counts, and prints the functions, and the number of their lines, that
no test of their row executes.

A mutant does not count if it does not compile, if the compiler generates the same code, if
tests/mutants/equivalent.txt lists it with a reason, or if tests/mutants/elsewhere.txt lists its
line or its function and no test executes that: such lines need other machines. The tests of a
mutant that survives run again with the sanitizers of continuous integration, which detect reads
beyond an array and leaks. Mutants that drop a statement that frees memory run only with the
sanitizers, and without clang they are left to another run. The exit code is 1 if a mutant survived.
"""
import argparse
import ast
import collections
import concurrent.futures
import glob
import hashlib
import json
import os
import queue
import random
import re
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
FREES = re.compile(r'\w*(free|release|close|delete|destroy|decref|remove|munmap)\w*\(')
OPERATORS = {' < ': (' <= ', ' > '), ' <= ': (' < ',), ' > ': (' >= ', ' < '), ' >= ': (' > ',),
             ' == ': (' != ',), ' != ': (' == ',), ' && ': (' || ',), ' || ': (' && ',),
             ' + ': (' - ',), ' - ': (' + ',), ' * ': (' / ',), ' / ': (' * ',), ' % ': (' / ',),
             ' << ': (' >> ',), ' >> ': (' << ',), ' & ': (' | ',), ' | ': (' & ',),
             ' += ': (' -= ', ' = '), ' -= ': (' += ', ' = ')}
STATEMENT = re.compile(r'(break|continue|[\w.>\-\[\]]+\(.*\)|(\*?[\w.>\-\[\]*]+) [-+*/|&]?= .*'
                       r'|[\w.>\-\[\]]+(\+\+|--));$')
MOST_SECONDS = 100  # for a test; on a busy machine some take a minute
# Counts executed lines, with few optimizations so that lines remain lines; gcov reads gcc's counts.
COUNTING = ['-DCMAKE_C_FLAGS_RELEASE=-O1 -DNDEBUG --coverage', '-DCMAKE_C_COMPILER_LAUNCHER=',
            '-DCMAKE_C_COMPILER=gcc', '-DCMAKE_CXX_COMPILER=g++'] + [
    '-DCMAKE_%s_LINKER_FLAGS=--coverage' % kind for kind in ('EXE', 'SHARED', 'MODULE')]
NEEDS_CLANG = 'not judged: no clang'
Mutant = collections.namedtuple('Mutant', 'file line kind old new')


def mask(text):
    """The text with blanks where comments, strings and characters are."""
    found = re.compile(r'//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'', re.DOTALL)
    return found.sub(lambda m: re.sub(r'[^\n"\']', ' ', m[0]), text)


def closing(code, at):
    """Where the parenthesis that opens at `at` is closed in this line, or -1."""
    depth = 0
    for i in range(at, len(code)):
        depth += {'(': 1, ')': -1}.get(code[i], 0)
        if depth == 0:
            return i
    return -1


def changes(line, code, whole):
    """(kind, new line) of each mutant of a line; `code` is the masked line; `whole` is true if the
    line before ends a statement or a condition."""
    def put(begin, end, by):
        return line[:begin] + by + line[end:]
    for old, news in OPERATORS.items():
        for m in re.finditer(re.escape(old), code):
            for new in news:
                yield 'operator', put(m.start(), m.end(), new)
    for m in re.finditer(r'(?<![\w.])(\d+)(\.\d*)?(?=[FfuUL]*(?![\w.]))', code):
        number, rest = int(m[1]), m[2] or ''
        for new in {number + 1, max(number - 1, 0)} - {number}:
            yield 'constant', put(m.start(), m.end(), str(new) + rest)
    for m in re.finditer(r'\b(true|false)\b', code):
        yield 'constant', put(m.start(), m.end(), 'false' if m[0] == 'true' else 'true')
    for m in re.finditer(r'\b(?:if|while) \(', code):
        end = closing(code, m.end() - 1)
        if end > 0:
            yield 'condition', put(m.end(), end, '!(%s)' % line[m.end():end])
    for m in re.finditer(r'[(\s](!)(?=[\w(])', code):
        yield 'condition', put(m.start(1), m.end(1), '')
    for m in re.finditer(r' <=? ([\w.>\-]+)(?=[;)])', code):
        yield 'bound', put(m.start(1), m.end(1), m[1] + ' - 1')
    for m in re.finditer(r'([(, ])([\w.>\-]+), ([\w.>\-]+)(?=[,)])', code):
        yield 'swap', put(m.start(2), m.end(3), m[3] + ', ' + m[2])
    stripped = code.strip()
    m = re.match(r'(\s*return )([^;]+);', code)
    if m and m[2].strip() not in ('0', 'true', 'false'):
        yield 'return', put(m.start(2), m.end(2), '0')
    if whole and STATEMENT.match(stripped):
        yield ('free' if FREES.match(stripped) else 'drop',
               line[:len(line) - len(line.lstrip())] + ';')


def mutants_of(file, text):
    lines, codes, whole, directive = text.split('\n'), mask(text).split('\n'), True, False
    for i, (line, code) in enumerate(zip(lines, codes)):
        before, directive = directive, code.lstrip().startswith('#') or (
            directive and lines[i - 1].endswith('\\'))
        # A mutant could send a signal to other processes.
        if not directive and code.strip() and 'kill(' not in code:
            for kind, new in changes(line, code, whole and not before):
                yield Mutant(file, i + 1, kind, line, new)
        if code.strip():
            whole = bool(re.search(r'([;{}:)]|else)\s*$', code))


def read_list(path):
    """{(file, old, new)} of a list; lines are stripped."""
    found = {}
    with open(path, encoding='utf-8') as text:
        blocks = re.split(r'\n\s*\n', text.read().strip())
    for block in blocks:
        rows = [row for row in block.split('\n') if not row.startswith('#')]
        if rows:
            assert len(rows) == 3, 'three lines are wanted: file, - old, + new:\n' + block
            found[rows[0].strip(), rows[1][1:].strip(), rows[2][1:].strip()] = block
    return found


def read_elsewhere(path):
    """{(file, function or stripped line)}"""
    with open(path, encoding='utf-8') as text:
        return {tuple(line.strip().split(' ', maxsplit=1))
                for line in text if line.strip() and not line.startswith('#')}


def mutants_named(path, tree):
    for file, old, new in read_list(path):
        with open(os.path.join(tree, file), encoding='utf-8') as text:
            lines = [line.strip() for line in text.read().split('\n')]
        if lines.count(old) == 0:
            sys.exit('%s: %s has no line %r' % (path, file, old))
        kind = 'free' if new == ';' and FREES.match(old) else 'named'
        yield Mutant(file, lines.index(old) + 1, kind, old, new)


def read_rows(path):
    """(prefix of paths, half, patterns of test names) of every row."""
    with open(path, encoding='utf-8') as text:
        rows = [line.split() for line in text if line.strip() and not line.startswith('#')]
    return [(row[1], row[0], row[2:]) for row in rows]


class Build:
    """The build of a preset in a worktree, and its tests: {name: (name in ctest, command)}."""

    def __init__(self, tree, preset, rows, folder=None, options=()):
        self.tree, self.preset, self.rows, self.passed, self.faulty = tree, preset, rows, {}, set()
        self.objects = {}
        self.folder = os.path.join(tree, 'build', folder or preset)
        self.environment = dict(os.environ, CCACHE_BASEDIR=tree, CCACHE_NOHASHDIR='1')
        launcher = ['-DCMAKE_C_COMPILER_LAUNCHER=ccache'] if shutil.which('ccache') else []
        subprocess.run(['cmake', '--preset', preset, '-B', self.folder, '-DWAVEPASS_CUDA=OFF',
                        '-DWAVEPASS_WERROR=OFF', '-DCMAKE_EXPORT_COMPILE_COMMANDS=ON', *launcher,
                        *options], cwd=tree, check=True, stdout=subprocess.DEVNULL,
                       env=self.environment)
        self.list_tests()

    def list_tests(self):
        listed = subprocess.run(['ctest', '--show-only=json-v1'], cwd=self.folder,
                                capture_output=True, check=True, text=True).stdout
        self.listed = {test['name']: test for test in json.loads(listed)['tests']}
        self.tests = {name: (test, command) for test in self.listed
                      for name, command in self.split(test)}

    def built(self):
        """Builds everything and returns itself; the names of files and tests are known before."""
        if not self.make('all'):
            sys.exit('%s does not build' % self.folder)
        # ctest lists no command for a program that does not exist.
        self.list_tests()
        self.objects = {path: self.digest(path) for path in self.all_objects()}
        return self

    def make(self, *targets):
        return subprocess.run(['cmake', '--build', self.folder, '--target', *targets],
                              stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False,
                              env=self.environment).returncode == 0

    def split(self, test):
        """The classes of a test of the command line as separate tests; other tests unchanged."""
        command = self.listed[test].get('command', [])
        for i, word in enumerate(command):
            path = os.path.join(self.tree, 'tests', 'cli', word + '.py')
            if word.startswith('test_') and os.path.exists(path):
                with open(path, encoding='utf-8') as text:
                    classes = [node.name for node in ast.parse(text.read()).body
                               if isinstance(node, ast.ClassDef) and any(
                                   getattr(part, 'name', '').startswith('test') for part in node.body)]
                # All tests of a class.
                rest = [other for other in command[i + 1:] if other != '--sampled']
                return [('%s.%s' % (test, name), command[:i] + ['%s.%s' % (word, name)] + rest)
                        for name in classes]
        return [(test, command)]

    def all_objects(self):
        every = glob.glob(os.path.join(self.folder, '**', '*.o'), recursive=True)
        return [path for path in every if '/src/' in path[len(self.folder):]]

    @staticmethod
    def digest(path):
        """A hash of the code of an object, without debug information."""
        with tempfile.NamedTemporaryFile() as bare:
            subprocess.run(['strip', '--strip-debug', '-o', bare.name, path], check=True)
            with open(bare.name, 'rb') as file:
                return hashlib.sha256(file.read()).digest()

    def differs(self, since):
        """Whether an object that was built since then has changed."""
        return any(self.digest(path) != self.objects.get(path) for path in self.all_objects()
                   if os.path.getmtime(path) >= since)

    def targets(self, name):
        """The targets of a test: the files of the build in its command."""
        words = self.tests[name][1]
        folder = os.path.join(self.folder, '')
        made = {os.path.basename(word) for word in words
                if word.startswith(folder) and not os.path.isdir(word)}
        return made | ({'gl_fault', 'file_fault'} if '--faults' in words else set())

    def passes(self, name, limit, **variables):
        """Whether a test passes; None if it took longer than the limit."""
        test, command = self.tests[name]
        properties = {p['name']: p['value'] for p in self.listed[test]['properties']}
        with tempfile.TemporaryDirectory(prefix='mutant-') as scratch:
            environment = dict(os.environ, TMPDIR=scratch, XDG_CACHE_HOME=scratch, **variables)
            environment.setdefault('WAVEPASS_SAMPLE', '1:8')
            environment.update(e.split('=', 1) for e in properties.get('ENVIRONMENT', ()))
            with subprocess.Popen(command, cwd=properties['WORKING_DIRECTORY'], env=environment,
                                  stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                                  stderr=subprocess.DEVNULL, start_new_session=True,
                                  preexec_fn=self.limit) as run:
                try:
                    code = run.wait(limit)
                    return code in (0, properties.get('SKIP_RETURN_CODE'))
                except subprocess.TimeoutExpired:
                    return None
                finally:
                    try:
                        os.killpg(run.pid, signal.SIGKILL)
                    except ProcessLookupError:
                        pass

    def limit(self):
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 31, 1 << 31))
        if self.preset != 'sanitize':
            resource.setrlimit(resource.RLIMIT_AS, (16 << 30, 16 << 30))

    def tests_of(self, file):
        """The tests of the row of a file, in its order."""
        patterns = next(row[2] for row in self.rows if re.match(row[0], file))
        names = [name for pattern in patterns for name, (test, _) in self.tests.items()
                 if re.fullmatch(pattern, test)]
        return list(dict.fromkeys(names))

    def stands(self, name):
        """Whether a test passes for the original program."""
        if name not in self.passed and name not in self.faulty:
            begin = time.monotonic()
            if self.make(*self.targets(name)) and self.passes(name, MOST_SECONDS):
                self.passed[name] = time.monotonic() - begin
            else:
                self.faulty.add(name)
                print('%s: %s fails as it is and is left out' % (self.preset, name), flush=True)
        return name in self.passed

    def try_tests(self, mutant, change, names):
        """The verdict; `change` puts the mutant in its place, or with False the original."""
        begin = time.time()
        change(True)
        # Each test is linked with all objects that contain the change.
        if not self.make(*self.targets(self.tests_of(mutant.file)[0])):
            return 'does not compile'
        if not self.differs(begin):
            return 'same code'
        for name in names:
            if name in self.faulty:
                continue
            if not self.make(*self.targets(name)):
                return 'does not compile'
            known = self.passed.get(name)
            started = time.monotonic()
            passed = self.passes(name, 10 + 5 * known if known else MOST_SECONDS)
            if passed:
                self.passed.setdefault(name, time.monotonic() - started)
                continue
            if not known or passed is None:
                # Check whether the test also fails for the original program.
                self.passed.pop(name, None)
                change(False)
                stands = self.stands(name)
                change(True)
                if not stands:
                    continue
            return 'caught by ' + name + (' (time)' if passed is None else '')
        return 'survived' if names else 'survived: no test comes there'

    def judge(self, mutant, names):
        """'caught by ...', 'survived', 'does not compile' or 'same code'."""
        path = os.path.join(self.tree, mutant.file)
        with open(path, encoding='utf-8') as file:
            text = file.read()
        lines = text.split('\n')
        new = (mutant.new if mutant.kind != 'named' else
               lines[mutant.line - 1].replace(mutant.old, mutant.new))
        changed = '\n'.join(lines[:mutant.line - 1] + [new] + lines[mutant.line:])

        def change(mutated):
            with open(path, 'w', encoding='utf-8') as file:
                file.write(changed if mutated else text)

        try:
            return self.try_tests(mutant, change, names)
        finally:
            change(False)


class Lines:
    """The tests that execute each line, and their times. `kept` is a file with the counts of this
    commit."""

    def __init__(self, build, files, jobs, kept):
        self.build, self.tests = build, {}
        # {file: {line: names of tests}}, and the function of each line
        self.reached = {file: {} for file in files}
        self.function = {}
        names = sorted({name for file in files for name in build.tests_of(file)})
        known = read_counts(kept, files)
        missing = [name for name in names if name not in known]
        self.before = len(names) - len(missing)
        if missing:
            build.built()
        self.objects = self.made_of(files) if missing else []
        pool = concurrent.futures.ThreadPoolExecutor(jobs)
        try:
            for name, *counts in pool.map(self.run, missing):
                known[name] = counts
        finally:
            pool.shutdown(cancel_futures=True)
            if missing:
                write_counts(kept, files, known)
        for name in names:
            self.tests[name], lines = known[name]
            for file, line, function, count in lines:
                if file not in self.reached:
                    continue
                self.function[file, line] = function
                reached = self.reached[file].setdefault(line, set())
                if count:
                    reached.add(name)
        if names and not any(self.reached.values()):
            sys.exit('no line was counted: gcov knows nothing of these files')

    def unreached(self):
        """(file, function, lines that no test executes, lines) for functions with such lines."""
        rows = collections.OrderedDict()
        for file in sorted(self.reached):
            for line, tests in sorted(self.reached[file].items()):
                row = rows.setdefault((file, self.function[file, line]), [0, 0])
                row[0] += not tests
                row[1] += 1
        return [(*key, *row) for key, row in rows.items() if row[0]]

    def made_of(self, files):
        """The objects that depend on the files, relative to the build."""
        said = subprocess.run(['ninja', '-C', self.build.folder, '-t', 'deps'], check=True,
                              capture_output=True, text=True).stdout
        wanted = {os.path.realpath(os.path.join(self.build.tree, file)) for file in files}
        found = []
        for block in said.split('\n\n'):
            head, *rest = block.strip().split('\n')
            name = head.split(':')[0]
            if os.path.exists(os.path.join(self.build.folder, name[:-2] + '.gcno')) and wanted & {
                    os.path.realpath(os.path.join(self.build.folder, path.strip()))
                    for path in rest}:
                found.append(name[:-2])
        return found

    def run(self, name):
        """The time of a test, and (file, line, function, count) for the lines that it executes."""
        folder = self.build.folder
        with tempfile.TemporaryDirectory(prefix='mutant-lines-') as scratch:
            for stem in self.objects:
                os.makedirs(os.path.join(scratch, os.path.dirname(stem)), exist_ok=True)
                os.symlink(os.path.join(folder, stem + '.gcno'),
                           os.path.join(scratch, stem + '.gcno'))
            begin = time.monotonic()
            self.build.passes(name, 2 * MOST_SECONDS, GCOV_PREFIX=scratch,
                              GCOV_PREFIX_STRIP=str(folder.count('/')))
            seconds = time.monotonic() - begin
            counts = [stem + '.gcda' for stem in self.objects
                      if os.path.exists(os.path.join(scratch, stem + '.gcda'))]
            said = subprocess.run(['gcov', '--json-format', '--stdout', *counts], cwd=scratch,
                                  capture_output=True, check=False, text=True).stdout
        lines = []
        for row in said.split('\n') if counts else ():
            unit = json.loads(row or '{}')
            for file in unit.get('files', ()):
                # The build removes the path of the tree (-ffile-prefix-map); join() does not change
                # absolute paths.
                path = os.path.join(self.build.tree, file['file'])
                path = os.path.relpath(os.path.realpath(path), os.path.realpath(self.build.tree))
                if path in self.reached:
                    lines += [(path, line['line_number'], line.get('function_name'), line['count'])
                              for line in file['lines']]
        return name, seconds, lines

    def at(self, mutant):
        """The function of a mutant, or None, and the tests that execute its line."""
        reached = self.reached[mutant.file]
        # gcov counts a statement of several lines at the last counted line before it; the text
        # between functions counts with all of the file.
        before = max((line for line in reached if line <= mutant.line), default=None)
        after = min((line for line in reached if line >= mutant.line), default=None)
        function = self.function.get((mutant.file, before))
        if before and after and function == self.function[mutant.file, after]:
            return function, reached[before]
        return None, set().union(*reached.values())

    def tests_at(self, mutant, whole):
        """The tests of its row that execute the line of a mutant, the faster ones first. With
        `whole`, or if there are none, the other tests of the row follow."""
        come = self.at(mutant)[1]
        return sorted((name for name in self.build.tests_of(mutant.file)
                       if name in come or whole or not come),
                      key=lambda name: (name not in come, self.tests[name]))


def read_counts(path, files):
    """{test: (seconds, lines)} for these files, as far as the file has it."""
    try:
        with open(path, encoding='utf-8') as text:
            kept = json.load(text)
    except FileNotFoundError:
        return {}
    return kept['tests'] if set(files) <= set(kept['files']) else {}


def write_counts(path, files, counts):
    with open(path, 'w', encoding='utf-8') as text:
        json.dump({'files': sorted(files), 'tests': counts}, text)


def compiled_files(folder, tree):
    """The sources of the build in a folder, and the headers in that folder."""
    with open(os.path.join(folder, 'compile_commands.json'), encoding='utf-8') as text:
        files = {os.path.relpath(row['file'], tree) for row in json.load(text)}
    files = {file for file in files if file.startswith('src/') and file.endswith('.c')}
    headers = {os.path.relpath(path, tree) for file in files
               for path in glob.glob(os.path.join(tree, os.path.dirname(file), '*.h'))}
    return sorted(files | headers)


def draw(mutants, count, seed):
    """Draws `count` lines, and one mutant of each."""
    lines = {}
    for mutant in mutants:
        lines.setdefault((mutant.file, mutant.line), []).append(mutant)
    chance = random.Random(seed)
    keys = sorted(lines)
    return [chance.choice(lines[key]) for key in chance.sample(keys, min(count, len(keys)))]


def layer_of(file):
    parts = file.split('/')
    return '/'.join(parts[:3] if parts[1] == 'backend' and len(parts) > 3 else parts[:2])


def report(verdicts, halves):
    """Prints one row per layer, and one for each half."""
    rows = collections.OrderedDict()
    for mutant, verdict in verdicts:
        half = next(row[1] for row in halves if re.match(row[0], mutant.file))
        for name in (layer_of(mutant.file), half):
            rows.setdefault(name, collections.Counter())[re.split(' by |:', verdict)[0]] += 1
    print('\n%-22s %6s %8s %6s %8s %8s' % ('', 'drawn', 'counted', 'caught', 'survived', 'share'))
    for name in sorted(rows, key=lambda name: (not name.startswith('src'), name)):
        row = rows[name]
        counted = row['caught'] + row['survived']
        print('%-22s %6d %8d %6d %8d %8s' % (name, sum(row.values()), counted, row['caught'],
              row['survived'], '%.0f %%' % (100 * row['caught'] / counted) if counted else '-'))


def checked_out(folder, commit, name):
    """A worktree of the commit."""
    tree, git = os.path.join(folder, name), ['git', '-C', ROOT]
    if os.path.exists(tree):
        subprocess.run(['git', '-C', tree, 'checkout', '-q', '--force', '--detach', commit],
                       check=True)
    else:
        subprocess.run([*git, 'worktree', 'add', '-q', '--detach', tree, commit], check=True)
    return tree


class Results:
    """The results for a commit: {mutant: (verdict, seconds)}; new ones are appended to the last
    file."""

    def __init__(self, paths, commit):
        self.path, self.commit, self.known = paths[-1] if paths else None, commit, {}
        for path in paths:
            if os.path.exists(path):
                with open(path, 'r+b') as file:
                    text = file.read()
                    # A line that was not completed when a run ended has no newline.
                    end = text.rfind(b'\n') + 1
                    if path == self.path:
                        file.truncate(end)
                rows = [json.loads(line) for line in text[:end].splitlines()]
                self.known.update((Mutant(*row['mutant']), (row['verdict'], row['seconds']))
                                  for row in rows if row['commit'] == commit)

    def keep(self, mutant, verdict, seconds):
        self.known[mutant] = verdict, seconds
        if self.path and verdict != NEEDS_CLANG:
            row = {'commit': self.commit, 'mutant': mutant, 'verdict': verdict,
                   'seconds': round(seconds, 1)}
            with open(self.path, 'a', encoding='utf-8') as text:
                text.write(json.dumps(row) + '\n')


def judge_all(chosen, trees, rows, lines, lists, whole):
    """Yields (mutant, verdict, seconds), and tries one mutant per worktree at the same time."""
    free, builds, stop = queue.SimpleQueue(), {}, threading.Event()
    equivalent, elsewhere = lists
    for tree in trees:
        free.put(tree)

    def judge(mutant):
        if (mutant.file, mutant.old.strip(), mutant.new.strip()) in equivalent:
            return mutant, 'equivalent', 0
        function, tests = lines.at(mutant)
        if ((mutant.file, mutant.old.strip()) in elsewhere or
                (not tests and (mutant.file, function) in elsewhere)):
            return mutant, 'not judged: no test can come there', 0
        if mutant.kind == 'free' and not shutil.which('clang'):
            return mutant, NEEDS_CLANG, 0
        tree = free.get()
        try:
            begin, verdict = time.monotonic(), 'survived'
            for preset in ('sanitize',) if mutant.kind == 'free' else ('release', 'sanitize'):
                if verdict != 'survived' or (preset == 'sanitize' and not shutil.which('clang')):
                    break
                if stop.is_set():
                    return mutant, None, 0
                key = tree, preset
                builds[key] = builds.get(key) or Build(*key, rows).built()
                found = builds[key].judge(mutant, lines.tests_at(mutant, whole))
                # A change in the optimized build may have no effect in the other one.
                second = preset == 'sanitize' and mutant.kind != 'free'
                verdict = found if not second or found.startswith('caught') else verdict
            return mutant, verdict, time.monotonic() - begin
        finally:
            free.put(tree)

    with concurrent.futures.ThreadPoolExecutor(len(trees)) as pool:
        try:
            waiting = [pool.submit(judge, mutant) for mutant in chosen]
            for done in concurrent.futures.as_completed(waiting):
                yield done.result()
        finally:
            stop.set()


def run(given, folder):
    commit = subprocess.run(['git', '-C', ROOT, 'rev-parse', 'HEAD'], check=True,
                            capture_output=True, text=True).stdout.strip()
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    trees = [checked_out(folder, commit, str(job)) for job in range(given.jobs)]
    tree = trees[0]
    folder_of_lists = os.path.join(tree, 'tests', 'mutants')
    rows = read_rows(os.path.join(folder_of_lists, 'tests.txt'))
    lists = (read_list(os.path.join(folder_of_lists, 'equivalent.txt')),
             read_elsewhere(os.path.join(folder_of_lists, 'elsewhere.txt')))
    counting = Build(tree, 'release', rows, 'counting', COUNTING)
    files = [file for file in compiled_files(counting.folder, tree)
             if file.startswith(tuple(given.path))]
    every = []
    for file in files:
        with open(os.path.join(tree, file), encoding='utf-8') as text:
            every += mutants_of(file, text.read())
    seed = given.seed if given.seed is not None else random.randrange(1 << 31)
    chosen = (list(mutants_named(given.named, tree)) if given.named
              else draw(every, given.count, seed) if given.count else every)
    print('%d mutants of %d in %d files, seed %d' % (len(chosen), len(every), len(files), seed),
          flush=True)
    chosen = chosen[given.shard[0] - 1::given.shard[1]]
    results = Results(given.results, commit)
    waiting = [mutant for mutant in chosen if mutant not in results.known]
    if len(waiting) < len(chosen):
        print('%d of them are known' % (len(chosen) - len(waiting)), flush=True)
    if waiting or given.unreached:
        begin = time.monotonic()
        counted = {mutant.file for mutant in waiting} if given.named else files
        lines = Lines(counting, counted, given.jobs,
                      os.path.join(folder, 'counts-%s.json' % commit))
        print('%d tests counted, %d of them before (%.0f s)' % (
            len(lines.tests), lines.before, time.monotonic() - begin), flush=True)
    if given.unreached:
        for row in lines.unreached():
            print('%s %s: %d of %d lines' % row)
        return 0
    try:
        for mutant, verdict, seconds in (
                judge_all(waiting, trees, rows, lines, lists, given.whole) if waiting else ()):
            results.keep(mutant, verdict, seconds)
            print('%d %s:%d %s: %s (%.0f s)\n    - %s\n    + %s' % (
                len(results.known), mutant.file, mutant.line, mutant.kind, verdict, seconds,
                mutant.old.strip(), mutant.new.strip()), flush=True)
    except KeyboardInterrupt:
        print('interrupted: %d of %d were tried' % (
            sum(mutant in results.known for mutant in chosen), len(chosen)))
    verdicts = [(mutant, results.known[mutant][0]) for mutant in chosen if mutant in results.known]
    survivors = [mutant for mutant, verdict in verdicts if verdict.startswith('survived')]
    print('\n%d survived%s' % (len(survivors), ':' if survivors else ''))
    for mutant in survivors:
        print('%s:%d\n    - %s\n    + %s' % (mutant.file, mutant.line, mutant.old.strip(),
                                             mutant.new.strip()))
    report(verdicts, rows)
    return 1 if survivors else 0


def part_of(text):
    """(K, N) of 'K/N'."""
    part, parts = (int(word) for word in text.split('/'))
    if not 1 <= part <= parts:
        raise ValueError(text)
    return part, parts


def main():
    parser = argparse.ArgumentParser(description=__doc__.split('\n', maxsplit=1)[0])
    parser.add_argument('--seed', type=int)
    parser.add_argument('--count', type=int)
    parser.add_argument('--named')
    parser.add_argument('--tree')
    parser.add_argument('--jobs', type=int, default=2)
    parser.add_argument('--whole', action='store_true')
    parser.add_argument('--results', action='append', default=[])
    parser.add_argument('--shard', type=part_of, default=(1, 1))
    parser.add_argument('--unreached', action='store_true')
    parser.add_argument('path', nargs='*', default=['src/'])
    given = parser.parse_args()
    given.named = given.named and os.path.abspath(given.named)
    with tempfile.TemporaryDirectory(prefix='mutants-') as folder:
        try:
            return run(given, os.path.abspath(given.tree or folder))
        finally:
            for job in range(0 if given.tree else given.jobs):
                subprocess.run(['git', '-C', ROOT, 'worktree', 'remove', '--force',
                                os.path.join(folder, str(job))], check=False)


if __name__ == '__main__':
    sys.exit(main())
