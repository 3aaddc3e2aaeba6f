#!/usr/bin/env python3
"""Changes one line at a time and tells which changes no test notices.

    scripts/mutants.py [--seed N] [--count N] [--named FILE] [--tree DIR] [PATH...]

PATH is a folder or file of src (default: all of it that this build compiles). Without --count every
mutant is tried; with it, that many lines are drawn by the seed, and for each one of its mutants.
--named tries those that FILE lists in place of drawn ones. Works on the commit that is checked out,
in a git worktree of its own, which --tree keeps for the next run.

A mutant that does not compile, or of which the compiler makes the same code, does not count, nor
does one that tests/mutants/equivalent.txt names with its reason. It is caught by the first test of
its row in tests/mutants/tests.txt that fails or takes five times as long. Memory that is not freed
shows under the sanitizers alone, so statements that free are dropped in that build. Exit code 1:
some survived.
"""
import argparse
import collections
import glob
import hashlib
import json
import os
import random
import re
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
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
MOST_SECONDS = 100  # of a test; under load some take a minute
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
    """(kind, new line) of each mutant of a line; `code` is the masked line, `whole` says that the
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
        # A signal that goes astray could end more than the program.
        if not directive and code.strip() and 'kill(' not in code:
            for kind, new in changes(line, code, whole and not before):
                yield Mutant(file, i + 1, kind, line, new)
        if code.strip():
            whole = bool(re.search(r'([;{}:)]|else)\s*$', code))


def read_list(path):
    """{(file, old, new)}: what a list names, the lines without what is around them."""
    found = {}
    with open(path, encoding='utf-8') as text:
        blocks = re.split(r'\n\s*\n', text.read().strip())
    for block in blocks:
        rows = [row for row in block.split('\n') if not row.startswith('#')]
        if rows:
            assert len(rows) == 3, 'three lines are wanted: file, - old, + new:\n' + block
            found[rows[0].strip(), rows[1][1:].strip(), rows[2][1:].strip()] = block
    return found


def mutants_named(path, tree):
    for file, old, new in read_list(path):
        with open(os.path.join(tree, file), encoding='utf-8') as text:
            lines = [line.strip() for line in text.read().split('\n')]
        if lines.count(old) == 0:
            sys.exit('%s: %s has no line %r' % (path, file, old))
        kind = 'free' if new == ';' and FREES.match(old) else 'named'
        yield Mutant(file, lines.index(old) + 1, kind, old, new)


def read_rows(path):
    """(beginning of paths, half, patterns of test names) of every row."""
    with open(path, encoding='utf-8') as text:
        rows = [line.split() for line in text if line.strip() and not line.startswith('#')]
    return [(row[1], row[0], row[2:]) for row in rows]


class Build:
    """A preset's build in the worktree, and its tests."""

    def __init__(self, tree, preset, rows):
        self.tree, self.preset, self.rows, self.times = tree, preset, rows, {}
        self.folder = os.path.join(tree, 'build', preset)
        self.environment = dict(os.environ, CCACHE_BASEDIR=tree, CCACHE_NOHASHDIR='1')
        launcher = ['-DCMAKE_C_COMPILER_LAUNCHER=ccache'] if shutil.which('ccache') else []
        subprocess.run(['cmake', '--preset', preset, '-DWAVEPASS_CUDA=OFF', '-DWAVEPASS_WERROR=OFF',
                        '-DCMAKE_EXPORT_COMPILE_COMMANDS=ON', *launcher], cwd=tree, check=True,
                       stdout=subprocess.DEVNULL, env=self.environment)
        if not self.make('all'):
            sys.exit('%s does not build' % preset)
        listed = subprocess.run(['ctest', '--preset', preset, '--show-only=json-v1'], cwd=tree,
                                capture_output=True, check=True, text=True).stdout
        self.tests = {test['name']: test for test in json.loads(listed)['tests']}
        self.objects = {path: self.digest(path) for path in self.all_objects()}

    def make(self, *targets):
        return subprocess.run(['cmake', '--build', self.folder, '--target', *targets],
                              stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False,
                              env=self.environment).returncode == 0

    def all_objects(self):
        every = glob.glob(os.path.join(self.folder, '**', '*.o'), recursive=True)
        return [path for path in every if '/src/' in path[len(self.folder):]]

    @staticmethod
    def digest(path):
        """What the object does, without what it says to a debugger."""
        with tempfile.NamedTemporaryFile() as bare:
            subprocess.run(['strip', '--strip-debug', '-o', bare.name, path], check=True)
            with open(bare.name, 'rb') as file:
                return hashlib.sha256(file.read()).digest()

    def differs(self, since):
        """Whether an object made since then is not what it was."""
        return any(self.digest(path) != self.objects.get(path) for path in self.all_objects()
                   if os.path.getmtime(path) >= since)

    def targets(self, name):
        """What a test runs, as targets: of its command, the files of the build."""
        words = self.tests[name]['command']
        folder = os.path.join(self.folder, '')
        made = {os.path.basename(word) for word in words
                if word.startswith(folder) and not os.path.isdir(word)}
        return made | ({'gl_fault', 'file_fault'} if '--faults' in words else set())

    def passes(self, name, limit):
        """None where the test took longer than the limit."""
        test = self.tests[name]
        properties = {p['name']: p['value'] for p in test['properties']}
        with tempfile.TemporaryDirectory(prefix='mutant-') as scratch:
            environment = dict(os.environ, TMPDIR=scratch, XDG_CACHE_HOME=scratch)
            environment.update(e.split('=', 1) for e in properties.get('ENVIRONMENT', ()))
            run = subprocess.Popen(test['command'], cwd=properties['WORKING_DIRECTORY'],
                                   env=environment, stdin=subprocess.DEVNULL,
                                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                                   start_new_session=True, preexec_fn=self.limit)
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
                run.wait()

    def limit(self):
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 31, 1 << 31))
        if self.preset != 'sanitize':
            resource.setrlimit(resource.RLIMIT_AS, (16 << 30, 16 << 30))

    def tests_of(self, file):
        """The tests of a file's row, in its order."""
        patterns = next(row[2] for row in self.rows if re.match(row[0], file))
        names = [name for pattern in patterns for name in self.tests
                 if re.fullmatch(pattern, name)]
        return [name for name in dict.fromkeys(names) if self.times.get(name, 0) is not None]

    def time(self, name):
        """What a test takes of the program as it is, once; None where it fails."""
        if name not in self.times:
            begin = time.monotonic()
            passed = self.make(*self.targets(name)) and self.passes(name, MOST_SECONDS)
            self.times[name] = time.monotonic() - begin if passed else None
            if not passed:
                print('%s: %s fails as it is and is left out' % (self.preset, name))
        return self.times[name]

    def try_tests(self, mutant, change):
        """The verdict; `change` puts the mutant in its place, or with False the original."""
        begin = time.time()
        change(True)
        for i, name in enumerate(self.tests_of(mutant.file)):
            if not self.make(*self.targets(name)):
                return 'does not compile'
            if i == 0 and not self.differs(begin):
                return 'same code'
            known = self.times.get(name)
            started = time.monotonic()
            passed = self.passes(name, 10 + 5 * known if known else MOST_SECONDS)
            if passed:
                self.times.setdefault(name, time.monotonic() - started)
                continue
            if not known:
                # Only now is it worth while to see whether the test itself is at fault.
                change(False)
                known = self.time(name)
                change(True)
            if known:
                return 'caught by ' + name + (' (time)' if passed is None else '')
        return 'survived'

    def judge(self, mutant):
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
            return self.try_tests(mutant, change)
        finally:
            change(False)


def compiled_files(tree):
    """Sources of the build, and the headers beside them."""
    with open(os.path.join(tree, 'build', 'release', 'compile_commands.json'),
              encoding='utf-8') as text:
        files = {os.path.relpath(row['file'], tree) for row in json.load(text)}
    files = {file for file in files if file.startswith('src/') and file.endswith('.c')}
    headers = {os.path.relpath(path, tree) for file in files
               for path in glob.glob(os.path.join(tree, os.path.dirname(file), '*.h'))}
    return sorted(files | headers)


def draw(mutants, count, seed):
    """`count` of the lines, and of each one of its mutants."""
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
    """A row a layer, and one of each half."""
    rows = collections.OrderedDict()
    for mutant, verdict in verdicts:
        half = next(row[1] for row in halves if re.match(row[0], mutant.file))
        for name in (layer_of(mutant.file), half):
            rows.setdefault(name, collections.Counter())[verdict.split(' by ')[0]] += 1
    print('\n%-22s %6s %8s %6s %8s %8s' % ('', 'drawn', 'counted', 'caught', 'survived', 'share'))
    for name in sorted(rows, key=lambda name: (not name.startswith('src'), name)):
        row = rows[name]
        counted = row['caught'] + row['survived']
        print('%-22s %6d %8d %6d %8d %8s' % (name, sum(row.values()), counted, row['caught'],
              row['survived'], '%.0f %%' % (100 * row['caught'] / counted) if counted else '-'))


def run(given, tree):
    lists = os.path.join(tree, 'tests', 'mutants')
    rows = read_rows(os.path.join(lists, 'tests.txt'))
    builds = {'release': Build(tree, 'release', rows)}
    files = [file for file in compiled_files(tree) if file.startswith(tuple(given.path))]
    every = []
    for file in files:
        with open(os.path.join(tree, file), encoding='utf-8') as text:
            every += mutants_of(file, text.read())
    seed = given.seed if given.seed is not None else random.randrange(1 << 31)
    chosen = (list(mutants_named(given.named, tree)) if given.named
              else draw(every, given.count, seed) if given.count else every)
    print('%d mutants of %d in %d files, seed %d' % (len(chosen), len(every), len(files), seed),
          flush=True)
    equivalent = read_list(os.path.join(lists, 'equivalent.txt'))
    verdicts = []
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    for n, mutant in enumerate(chosen):
        begin = time.monotonic()
        preset = 'sanitize' if mutant.kind == 'free' else 'release'
        try:
            if (mutant.file, mutant.old.strip(), mutant.new.strip()) in equivalent:
                verdict = 'equivalent'
            else:
                builds[preset] = builds.get(preset) or Build(tree, preset, rows)
                verdict = builds[preset].judge(mutant)
        except KeyboardInterrupt:
            print('interrupted: %d of %d were tried' % (n, len(chosen)))
            break
        verdicts.append((mutant, verdict))
        print('%d %s:%d %s: %s (%.0f s)\n    - %s\n    + %s' % (
            n + 1, mutant.file, mutant.line, mutant.kind, verdict, time.monotonic() - begin,
            mutant.old.strip(), mutant.new.strip()), flush=True)
    survivors = [mutant for mutant, verdict in verdicts if verdict == 'survived']
    print('\n%d survived%s' % (len(survivors), ':' if survivors else ''))
    for mutant in survivors:
        print('%s:%d\n    - %s\n    + %s' % (mutant.file, mutant.line, mutant.old.strip(),
                                             mutant.new.strip()))
    report(verdicts, rows)
    return 1 if survivors else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__.split('\n', maxsplit=1)[0])
    parser.add_argument('--seed', type=int)
    parser.add_argument('--count', type=int)
    parser.add_argument('--named')
    parser.add_argument('--tree')
    parser.add_argument('path', nargs='*', default=['src/'])
    given = parser.parse_args()
    given.named = given.named and os.path.abspath(given.named)
    with tempfile.TemporaryDirectory(prefix='mutants-') as folder:
        tree = os.path.abspath(given.tree or os.path.join(folder, 'tree'))
        git = ['git', '-C', ROOT]
        if os.path.exists(tree):
            commit = subprocess.run([*git, 'rev-parse', 'HEAD'], check=True, capture_output=True,
                                    text=True).stdout.strip()
            subprocess.run(['git', '-C', tree, 'checkout', '-q', '--force', '--detach', commit],
                           check=True)
        else:
            subprocess.run([*git, 'worktree', 'add', '-q', '--detach', tree, 'HEAD'], check=True)
        try:
            return run(given, tree)
        finally:
            if not given.tree:
                subprocess.run([*git, 'worktree', 'remove', '--force', tree], check=False)


if __name__ == '__main__':
    sys.exit(main())
