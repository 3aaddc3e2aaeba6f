#!/usr/bin/env python3
"""Lists the jobs of continuous integration that the changes since a base commit affect.

    scripts/touched.py BUILD [--base COMMIT]

BUILD is a configured build folder, whose layers.json lists the folder and the users of each layer.
Prints one line per job: its name, 'run' or 'skip', and the reason. Without a base that git knows,
every job runs. The base is, in this order: --base, $WAVEPASS_CI_BASE, and the commit in .ci/base,
the last one that is known to have passed.
"""
import argparse
import json
import os
import re
import subprocess

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))

# Files that affect every job.
BUILD_FILES = re.compile(r'CMakeLists\.txt|CMakePresets\.json|cmake/|\.ci/|scripts/(setup|test|web)\.sh'
                         r'|scripts/(touched|unchanged|test_summary)\.py|tests/CMakeLists\.txt')

# A job runs if a changed file matches `paths` or belongs to a layer in `layers`; '*' is every
# layer. Unless `direct`, a layer counts as changed if a layer that it uses has changed.
JOBS = {
    # Every test; otherwise tests without OpenGL, and those of the command line and the viewer.
    'library': {'layers': {'api', 'verify', 'bench', 'lesson', 'edit', 'coefficients', 'solver'},
                'paths': r'tests/(?!cli/|golden/)|assets/|shaders/'},
    'sanitize': {'layers': {'*'}, 'paths': r'tests/|assets/|shaders/'},
    'fuzz': {'layers': {'image', 'wavelet', 'factor', 'kspace', 'coefficients', 'json', 'autotune', 'bench'},
             'direct': True, 'paths': r'tests/fuzz/'},
    'page': {'layers': {'emit', 'fragment', 'lesson', 'explain', 'edit'}, 'direct': True,
             'paths': r'web/|tests/web|shaders/'},
    'tsan': {'layers': {'api', 'solver', 'cpu', 'base'}, 'direct': True, 'paths': r'tests/tsan_test\.sh'},
    'mpi': {'layers': {'mpi', 'mpi_cli', 'cpu', 'lifting', 'transform'}, 'direct': True,
            'paths': r'tests/(mpi_test\.sh|test_mpi\.c)'},
    'analyze': {'layers': {'*'}, 'paths': r'scripts/analyze\.py|tests/analyzer\.txt'},
    'core': {'layers': {'base', 'cpu', 'api', 'transform', 'backend'}, 'direct': True,
             'paths': r'tests/core_test\.sh'},
    'python': {'layers': {'api', 'cpu', 'plan', 'transform', 'base'}, 'direct': True,
               'paths': r'python/|scripts/python\.sh'},
}


def git(*arguments):
    return subprocess.run(('git', '-C', ROOT) + arguments, capture_output=True, text=True, check=False)


def find_base(given):
    """The commit and its source, or None and the reason."""
    source, base = 'the command line', given
    if not base:
        source, base = '$WAVEPASS_CI_BASE', os.environ.get('WAVEPASS_CI_BASE')
    if not base:
        source = '.ci/base'
        try:
            with open(os.path.join(ROOT, source), encoding='utf-8') as file:
                base = file.read().split()[0]
        except (OSError, IndexError):
            return None, 'there is no .ci/base'
    if git('merge-base', '--is-ancestor', base, 'HEAD').returncode != 0:
        return None, '%s of %s is not an ancestor' % (base, source)
    return base, source


def changed_files(base):
    """The files changed since `base`, committed or not."""
    files = git('diff', '--name-only', '--no-renames', base).stdout.splitlines()
    return files + git('ls-files', '--others', '--exclude-standard').stdout.splitlines()


def layer_of(path, layers):
    """The layer of the nearest folder above a path, or None."""
    inside = [layer for layer in layers if path.startswith(layer['folder'] + '/')]
    return max(inside, key=lambda layer: len(layer['folder']))['name'] if inside else None


def users_of(names, layers):
    """`names`, and all layers that use one of them."""
    found = set(names)
    while True:
        more = {layer['name'] for layer in layers if found & set(layer['uses'])} - found
        if not more:
            return found
        found |= more


def decide(job, files, layers):
    """The reason to run a job, or None."""
    for path in files:
        if BUILD_FILES.match(path) or re.match(job['paths'], path):
            return path
    direct = {layer_of(path, layers) for path in files} - {None}
    touched = direct if job.get('direct') else users_of(direct, layers)
    wanted = touched if '*' in job['layers'] else touched & job['layers']
    return 'layer %s' % ', '.join(sorted(wanted)) if wanted else None


def main():
    parser = argparse.ArgumentParser(description=__doc__.split('\n', maxsplit=1)[0])
    parser.add_argument('build')
    parser.add_argument('--base')
    given = parser.parse_args()
    with open(os.path.join(given.build, 'layers.json'), encoding='utf-8') as file:
        layers = json.load(file)
    base, source = find_base(given.base)
    files = changed_files(base) if base else []
    for name, job in JOBS.items():
        if not base:
            print('%-9s run   %s' % (name, source))
            continue
        reason = decide(job, files, layers)
        print('%-9s %s  %s' % (name, 'run ' if reason else 'skip',
                               reason or 'nothing it looks at has changed since %s' % base[:8]))


main()
