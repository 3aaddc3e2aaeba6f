#!/usr/bin/env python3
"""Runs gcc's static analyzer (-fanalyzer) on the sources, file by file.

    scripts/analyze.py [--build DIRECTORY] [--compiler GCC] [--jobs N] [--anyway] [PART...]

Reads the commands from compile_commands.json of a build (default: build/release): those of src and
cuda, or only the files whose names contain a PART. Lists the findings that are not accepted, each
with its execution path. tests/analyzer.txt lists the accepted findings:

    FILE | WARNING | LINE OF SOURCE | REASON

They remain accepted when other lines change. Its first line names the compiler, because other
versions have other findings. The exit code is 1 if there is a finding that is not accepted, or if
an accepted one is no longer found, and 77 without a gcc that has the analyzer, or with another gcc.
"""
import argparse
import collections
import concurrent.futures
import json
import os
import re
import shlex
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
ACCEPTED = os.path.join(ROOT, 'tests/analyzer.txt')
SKIPPED = 77
# Options of the build that are kept: include paths and targets. Others may be those of another
# compiler.
KEPT = re.compile(r'-[DUIO]|-isystem|-std=|-f(?:no-)?(?:openmp|PI[CE])|-m')


def find_gcc(compiler):
    """Returns its name and version. Raises RuntimeError if it has no analyzer."""
    try:
        said = subprocess.run([compiler, '-fanalyzer', '-x', 'c', '-c', os.devnull,
                               '-o', os.devnull], capture_output=True, text=True, check=False)
        version = subprocess.run([compiler, '--version'], capture_output=True, text=True,
                                 check=True)
    except OSError as error:
        raise RuntimeError(str(error)) from error
    # The first word is the name of the executable, which may be cc.
    name = 'gcc ' + version.stdout.splitlines()[0].partition(' ')[2]
    if said.returncode or 'clang' in name:
        raise RuntimeError('%s has no -fanalyzer' % name)
    return name


def make_command(compiler, entry):
    words, kept = shlex.split(entry['command'])[1:], []
    for word, following in zip(words, words[1:] + ['']):
        if word == '-isystem':
            kept += [word, following]
        elif KEPT.match(word):
            kept.append(word)
    return [compiler, *kept, '-fanalyzer', '-fdiagnostics-format=json',
            '-c', entry['file'], '-o', os.devnull]


def read_line(path, number):
    with open(path, encoding='utf-8') as file:
        return file.read().split('\n')[number - 1].strip()


class Finding:
    def __init__(self, diagnostic, directory):
        place = diagnostic['locations'][0]['caret']
        path = os.path.join(directory, place['file'])
        self.name, self.line = os.path.relpath(path, ROOT), place['line']
        self.warning, self.message = diagnostic['option'], diagnostic['message']
        self.source = read_line(path, self.line)
        self.way = ['%s:%d: %s' % (os.path.basename(event['location']['file']),
                                   event['location']['line'], event['description'])
                    for event in diagnostic.get('path', [])
                    if 'file' in (event.get('location') or ())]

    def key(self):
        return self.name, self.warning, self.source


def analyse(compiler, entry):
    """Returns the findings. Raises RuntimeError if the file does not compile."""
    done = subprocess.run(make_command(compiler, entry), cwd=entry['directory'],
                          capture_output=True, text=True, check=False)
    # If gcc fails, it prints a message after the array.
    start = done.stderr.find('[')
    found = json.JSONDecoder().raw_decode(done.stderr[start:])[0] if start >= 0 else []
    if done.returncode:
        raise RuntimeError('%s: %s' % (entry['file'], done.stderr.strip()[:2000]))
    return [Finding(each, entry['directory']) for each in found
            if each.get('option', '').startswith('-Wanalyzer')]


def read_accepted():
    """Returns their compiler, and {(FILE, WARNING, LINE): REASON}."""
    accepted = {}
    with open(ACCEPTED, encoding='utf-8') as file:
        compiler = file.readline().removeprefix('#').strip()
        for line in file:
            if line.strip() and not line.startswith('#'):
                parts = [part.strip() for part in line.split(' | ')]
                if len(parts) < 4 or not parts[-1]:
                    sys.exit('%s: no "FILE | WARNING | LINE | REASON": %s' % (ACCEPTED, line))
                accepted[(parts[0], parts[1], ' | '.join(parts[2:-1]))] = parts[-1]
    return compiler, accepted


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument('--build', default=os.path.join(ROOT, 'build/release'))
    parser.add_argument('--compiler', default='gcc')
    parser.add_argument('--jobs', type=int, default=len(os.sched_getaffinity(0)))
    parser.add_argument('--anyway', action='store_true', help='whatever the compiler')
    parser.add_argument('parts', nargs='*', metavar='PART')
    options = parser.parse_args()
    try:
        compiler = find_gcc(options.compiler)
    except RuntimeError as error:
        print('skipped: %s' % error)
        return SKIPPED
    known, accepted = read_accepted()
    if compiler != known and not options.anyway:
        print('skipped: what is accepted is of %s, and this is %s (--anyway)' % (known, compiler))
        return SKIPPED
    with open(os.path.join(options.build, 'compile_commands.json'), encoding='utf-8') as file:
        entries = {entry['file']: entry for entry in json.load(file)}
    folders = tuple(os.path.join(ROOT, folder) + os.sep for folder in ('src', 'cuda'))
    entries = [entry for name, entry in sorted(entries.items())
               if name.startswith(folders) and name.endswith('.c') and
               (not options.parts or any(part in name for part in options.parts))]
    if not entries:
        sys.exit('%s compiles no such file' % options.build)
    found = collections.defaultdict(list)
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        for findings in pool.map(lambda entry: analyse(options.compiler, entry), entries):
            for finding in findings:
                found[finding.key()].append(finding)
    fresh = [one for key, several in found.items() if key not in accepted for one in several[:1]]
    for one in fresh:
        print('%s:%d: %s [%s]\n    %s' % (one.name, one.line, one.message, one.warning, one.source))
        for step in one.way:
            print('        ' + step)
    names = {os.path.relpath(entry['file'], ROOT) for entry in entries}
    gone = [key for key in accepted if key[0] in names and key not in found]
    for key in gone:
        print('accepted and not found any more: %s' % ' | '.join(key))
    print('%d files, %d findings, of which %d are accepted' % (
        len(entries), len(found), len(found) - len(fresh)))
    return 1 if fresh or gone else 0


if __name__ == '__main__':
    sys.exit(main())
