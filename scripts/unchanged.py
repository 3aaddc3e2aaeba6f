#!/usr/bin/env python3
"""Finds the tests of a build folder that have passed and not changed since.

    scripts/unchanged.py skip BUILD              prints a regular expression of their names
    scripts/unchanged.py record BUILD RESULTS    records those that passed (ctest --output-junit)

A test is unchanged if its command, its environment and the contents of all files that it can depend
on are those of its last pass. For a test that is an executable, these files are the executable, the
shared libraries and modules of the build, and the data of tests (golden texts, corpora, wavelets,
shaders); for all other tests also every source file in git. BUILD/passed.json has the records.
"""
import hashlib
import json
import os
import re
import subprocess
import sys
import xml.etree.ElementTree

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
READ_BY_TESTS = ('tests/golden', 'tests/fuzz/corpus', 'assets', 'shaders')
# Environment variables that tests read.
VARIABLES = re.compile(r'(WAVEPASS|WP|MESA|GALLIUM|GALLIVM|LIBGL|EGL|CUDA|LP)_.*|DISPLAY|LANG|LC_.*')


def hash_of(path, known={}):
    if path not in known:
        with open(path, 'rb') as file:
            known[path] = hashlib.sha256(file.read()).hexdigest()
    return known[path]


def hash_files(paths):
    both = hashlib.sha256()
    for path in sorted(paths):
        both.update(('%s %s\n' % (path, hash_of(path))).encode())
    return both.hexdigest()


def files_of_sources(*folders):
    listed = subprocess.run(('git', '-C', ROOT, 'ls-files', '-z', '--cached', '--others',
                             '--exclude-standard', '--') + folders,
                            capture_output=True, text=True, check=True).stdout
    paths = (os.path.join(ROOT, name) for name in listed.split('\0') if name)
    return [path for path in paths if os.path.isfile(path)]


def built_files(build):
    """The libraries, the modules and the program."""
    found = []
    for folder in build, os.path.join(build, 'tests'):
        for entry in os.scandir(folder):
            if entry.is_file() and (re.search(r'\.so(\.|$)|\.a$', entry.name) or
                                    entry.name == 'wavepass'):
                found.append(entry.path)
    return found


def is_executable_here(path, build):
    return os.path.isfile(path) and os.path.realpath(path).startswith(os.path.realpath(build) + '/tests/')


def find_keys(build):
    """A hash for each test that has been built."""
    listed = subprocess.run(('ctest', '--test-dir', build, '--show-only=json-v1'), capture_output=True,
                            text=True, check=True).stdout
    modules = [path for path in built_files(build) if path.endswith('.so')]
    few = hash_files(files_of_sources(*READ_BY_TESTS) + modules)
    environment = sorted(item for item in os.environ.items() if VARIABLES.fullmatch(item[0]))
    everything = None
    keys = {}
    for test in json.loads(listed)['tests']:
        command = test.get('command')
        if not command or not os.path.isfile(command[0]):
            continue
        if is_executable_here(command[0], build):
            data = few + hash_of(command[0])
        else:
            everything = everything or hash_files(files_of_sources() + built_files(build))
            data = everything
        what = json.dumps([command, test.get('properties'), environment, data])
        keys[test['name']] = hashlib.sha256(what.encode()).hexdigest()
    return keys


def read_passed(build):
    try:
        with open(os.path.join(build, 'passed.json'), encoding='utf-8') as file:
            return json.load(file)
    except (OSError, ValueError):
        return {}


def main():
    if len(sys.argv) < 3 or sys.argv[1] not in ('skip', 'record'):
        sys.exit(__doc__)
    build = os.path.realpath(sys.argv[2])
    keys, passed = find_keys(build), read_passed(build)
    if sys.argv[1] == 'skip':
        names = [name for name, key in keys.items() if passed.get(name) == key]
        print('^(%s)$' % '|'.join(re.escape(name) for name in names) if names else '')
        return
    for case in xml.etree.ElementTree.parse(sys.argv[3]).getroot().iter('testcase'):
        name = case.get('name')
        passed.pop(name, None)
        if case.get('status') == 'run' and name in keys:
            passed[name] = keys[name]
    with open(os.path.join(build, 'passed.json'), 'w', encoding='utf-8') as file:
        json.dump(passed, file, indent=0, sort_keys=True)


main()
