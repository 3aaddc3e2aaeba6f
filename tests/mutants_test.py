#!/usr/bin/env python3
"""Tests scripts/mutants.py with lines of code, and with a small project.

    tests/mutants_test.py SOURCE_DIR CC
"""
import os
import shutil
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(sys.argv[1], 'scripts'))
import mutants  # noqa: E402  (found through the line above)

LINES = '''/* a < b
   a < b */
#define LESS(a, b) ((a) < \\
                    (b))
const char *s = "a < b"; // a < b
if (a->b < n)
    free(x);
total(x,
      f(y));
f(x, y);
return x;
kill(1, 2);
'''
EXPECTED = {
    (6, 'operator', 'if (a->b <= n)'), (6, 'operator', 'if (a->b > n)'),
    (6, 'condition', 'if (!(a->b < n))'), (6, 'bound', 'if (a->b < n - 1)'), (7, 'free', ';'),
    (10, 'swap', 'f(y, x);'), (10, 'drop', ';'), (11, 'return', 'return 0;'),
}

PROJECT = {
    'src/half/half.c': '''#include "half.h"
int half(int n)
{
    if (n < 0)
        return half(-n);
    return n / 2;
}
int on_a_device(int n)
{
    return n + 1;
}
static const int few = 1 + 1;
int device_most(void)
{
    return few;
}
int odd(const int *v, int n)
{
    int count = 0;
    for (int i = 0; i < n; i++)
        count += v[i] % 2;
    return count;
}
''',
    'src/half/half.h': 'int half(int n);\nint on_a_device(int n);\nint device_most(void);\n'
                       'int odd(const int *v, int n);\n',
    'test.c': '''#include "half.h"
static int values[16] = {1, 2, 3};
int main(void) { return half(8) != 4 || half(0) || odd(values, 16) != 2; }
''',
    # Its coverage is not counted.
    'ended.c': '''#include "half.h"
#include <unistd.h>
int main(void) { _exit(half(-8) != 4); }
''',
    'CMakeLists.txt': '''cmake_minimum_required(VERSION 3.25)
project(half C)
add_compile_options(-ffile-prefix-map=${PROJECT_SOURCE_DIR}=.)
enable_testing()
add_library(half OBJECT src/half/half.c)
target_include_directories(half PUBLIC src/half)
add_executable(test_half test.c)
target_link_libraries(test_half PRIVATE half)
add_test(NAME test_half COMMAND test_half)
add_executable(test_ended ended.c)
target_link_libraries(test_ended PRIVATE half)
add_test(NAME test_ended COMMAND test_ended)
''',
    'CMakePresets.json': '''{"version": 6,
"configurePresets": [{"name": "release", "generator": "Ninja", "binaryDir": "${sourceDir}/build/release",
                      "cacheVariables": {"CMAKE_BUILD_TYPE": "Release"}},
                     {"name": "sanitize", "generator": "Ninja", "binaryDir": "${sourceDir}/build/sanitize",
                      "cacheVariables": {"CMAKE_C_COMPILER": "clang",
                                         "CMAKE_C_FLAGS": "-fsanitize=address"}}],
"testPresets": [{"name": "release", "configurePreset": "release"}]}
''',
    'tests/mutants/tests.txt': 'core src/half test_.*\n',
    'tests/mutants/equivalent.txt': '''# Half of 0 is 0 in both cases.
src/half/half.c
- if (n < 0)
+ if (n <= 0)
''',
    'tests/mutants/elsewhere.txt': '# There is no device.\nsrc/half/half.c on_a_device\n'
                                   'src/half/half.c static const int few = 1 + 1;\n',
    'named.txt': '''src/half/half.c
- return n + 1;
+ return n - 1;

src/half/half.c
- static const int few = 1 + 1;
+ static const int few = 1 - 1;

src/half/half.c
- return n / 2;
+ return n / 4;

# No known test uses a negative argument.
src/half/half.c
- return half(-n);
+ return half(-n) + 1;

src/half/half.c
- if (n < 0)
+ if (n < -1)

src/half/half.c
- return n / 2;
+ return (n) / 2;

src/half/half.c
- if (n < 0)
+ if (n <= 0)

src/half/half.c
- return n / 2;
+ return m / 2;

# Only a sanitizer detects the read after the array.
src/half/half.c
- for (int i = 0; i < n; i++)
+ for (int i = 0; i <= n; i++)
''',
}
CLANG = shutil.which('clang') is not None
VERDICTS = ('src/half/half.c:6 named: caught by test_half',
            'src/half/half.c:5 named: caught by test_ended',
            'src/half/half.c:4 named: survived (', 'src/half/half.c:6 named: same code',
            'src/half/half.c:10 named: not judged',
            'src/half/half.c:12 named: not judged', 'src/half/half.c:4 named: equivalent', 'src/half/half.c:6 named: does not compile',
            'src/half/half.c:20 named: %s (' % ('caught by test_half' if CLANG else 'survived'),
            '\n%d survived:\nsrc/half/half.c:' % (1 if CLANG else 2),
            '\ncore                        9        4      %d        %d     %d %%\n' % (
                (3, 1, 75) if CLANG else (2, 2, 50)))


def check(good, message):
    if not good:
        sys.exit('FAIL: ' + message)


def check_lines():
    found = {(m.line, m.kind, m.new.strip()) for m in mutants.mutants_of('file.c', LINES)}
    check(found == EXPECTED, 'mutants of the lines: %s' % sorted(found ^ EXPECTED))
    every = list(mutants.mutants_of('file.c', LINES))
    drawn = [mutants.draw(every, 3, seed) for seed in (1, 1, 2)]
    check(drawn[0] == drawn[1] != drawn[2], 'draws by a seed')


def check_results(run, folder):
    """A run continues an incomplete file of results, and two shards give the complete result."""
    named = '--named', os.path.join(folder, 'named.txt')
    paths = [os.path.join(folder, '.git', name) for name in ('odd.jsonl', 'even.jsonl')]
    for part, path in zip(('1/2', '2/2'), paths):
        run(*named, '--shard', part, '--results', path)
    with open(paths[1], encoding='utf-8') as file:
        rows = file.read().split('\n')
    with open(paths[1], 'w', encoding='utf-8') as file:
        file.write('\n'.join(rows[:-2]) + '\n' + rows[-2][:20])
    torn = run(*named, '--shard', '2/2', '--results', paths[1])
    check('\n3 of them are known\n' in torn.stdout, 'known results of a shard\n' + torn.stdout)
    with open(paths[1], 'a', encoding='utf-8') as file:
        file.write(rows[-2].replace('"commit": "', '"commit": "0') + '\n')
    both = [word for path in paths for word in ('--results', path)]
    complete = run(*named, *both, '--whole')
    for line in ('\n9 of them are known\n', *VERDICTS[-2:]):
        check(line in complete.stdout, '%r is not in\n%s%s' % (line, complete.stdout,
                                                               complete.stderr))
    check(' tests counted' not in complete.stdout and complete.returncode == 1, complete.stdout)
    wrong = [run(*named, '--shard', part) for part in ('0/2', '3/2', '2', 'x/y')]
    check(all(done.returncode == 2 and '--shard' in done.stderr for done in wrong),
          'invalid shards are rejected')


def check_lists(source):
    """The lines that the lists name exist."""
    lists = os.path.join(source, 'tests', 'mutants')
    expected = {row[:2] for name in ('equivalent.txt', 'named.txt')
              for row in mutants.read_list(os.path.join(lists, name))}
    for file, line in expected:
        with open(os.path.join(source, file), encoding='utf-8') as text:
            check(line in {row.strip() for row in text}, '%s has no line %r' % (file, line))
    for file, part in mutants.read_elsewhere(os.path.join(lists, 'elsewhere.txt')):
        with open(os.path.join(source, file), encoding='utf-8') as text:
            check(part in text.read(), '%s has no %r' % (file, part))
    check(expected and mutants.read_rows(os.path.join(lists, 'tests.txt')), 'the lists are empty')


def check_project(folder):
    for name, text in PROJECT.items():
        path = os.path.join(folder, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, 'w', encoding='utf-8') as file:
            file.write(text)
    scripts = os.path.join(folder, 'scripts')
    os.mkdir(scripts)
    shutil.copy(os.path.join(sys.argv[1], 'scripts', 'mutants.py'), scripts)
    for command in (['init', '-q'], ['add', '.'], ['-c', 'user.name=x', '-c', 'user.email=x@x',
                                                   'commit', '-q', '-m', 'all']):
        subprocess.run(['git', '-C', folder, *command], check=True)
    def run(*options):
        return subprocess.run([sys.executable, os.path.join(scripts, 'mutants.py'), *options],
                              capture_output=True, text=True,
                              env=dict(os.environ, CC=sys.argv[2]), check=False)

    done = run('--named', os.path.join(folder, 'named.txt'))
    for verdict in VERDICTS:
        check(verdict in done.stdout, '%r is not in\n%s%s' % (verdict, done.stdout, done.stderr))
    check(done.returncode == 1, 'exit code %d' % done.returncode)
    with tempfile.TemporaryDirectory(prefix='mutants-tree-') as tree:
        options = '--unreached', '--tree', tree, '--jobs', '1'
        first = run(*options)
        run('--named', os.path.join(folder, 'named.txt'), *options)
        again = run(*options)
        counted = [name for name in os.listdir(tree) if name.startswith('counts-')]
        subprocess.run(['git', '-C', folder, 'worktree', 'remove', '--force',
                        os.path.join(tree, '0')], check=True)
    check_results(run, folder)
    for done in (first, again):
        check(done.stdout.endswith('src/half/half.c half: 1 of 4 lines\n'
                                   'src/half/half.c on_a_device: 2 of 2 lines\n'
                                   'src/half/half.c device_most: 2 of 2 lines\n'), done.stdout)
    check(len(counted) == 1 and ' 0 of them before' in first.stdout and
          ' 2 of them before' in again.stdout, 'counts are reused')
    status = subprocess.run(['git', '-C', folder, 'status', '--porcelain'], check=True,
                            capture_output=True, text=True)
    worktrees = subprocess.run(['git', '-C', folder, 'worktree', 'list'], check=True,
                               capture_output=True, text=True)
    check(status.stdout == '' and worktrees.stdout.count('\n') == 1, 'files or worktrees remain')


if shutil.which('git') is None:
    print('skipped: no git')
    sys.exit(77)
check_lines()
check_lists(sys.argv[1])
with tempfile.TemporaryDirectory(prefix='mutants-test-') as temporary:
    check_project(temporary)
