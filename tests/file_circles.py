#!/usr/bin/env python3
"""The files of a layer have no circular dependencies.

    tests/file_circles.py BUILD_DIR [FOLDER...]

Reads the symbols that the objects of a build define and use, in the given folders or in all folders
of src and cuda, and in web, whose objects are of another build, the functions in the text. Prints
the shortest circle of each with the symbols involved, with exit code 1.
"""
import collections
import glob
import json
import os
import re
import shlex
import shutil
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
SKIPPED = 77


def layer_of(folder):
    """The folder of the layer that a folder belongs to: it has a CMakeLists.txt. src/solver has the
    sources of cuda/solver."""
    while folder != 'cuda/solver' and not os.path.exists(os.path.join(ROOT, folder, 'CMakeLists.txt')):
        folder = os.path.dirname(folder)
    return folder


def objects(build):
    """For each layer's folder the paths of objects, keyed by their source files."""
    folders = collections.defaultdict(dict)
    with open(os.path.join(build, 'compile_commands.json')) as file:
        for command in json.load(file):
            folder, name = os.path.split(os.path.relpath(command['file'], ROOT))
            words = shlex.split(command['command'])
            path = os.path.join(command['directory'], words[words.index('-o') + 1])
            if folder.split(os.sep)[0] in ('src', 'cuda') and os.path.exists(path):
                folders[layer_of(folder)][name] = path
    return folders


def symbols(paths):
    """The symbols that each file defines for others, and those that it uses from others."""
    files = {path: name for name, path in paths.items()}
    found = {name: (set(), set()) for name in paths}
    for line in subprocess.run(['nm', '-gA', *files], check=True, capture_output=True,
                               text=True).stdout.splitlines():
        path, _, rest = line.rpartition(':')
        *_, kind, symbol = rest.split()
        defined, used = found[files[path]]
        if kind == 'U':
            used.add(symbol)
        elif kind not in 'wWvV':  # weak: of C++ only
            defined.add(symbol)
    return found


def functions(folder):
    """The functions that each C file of a folder defines for others, and the names that it uses."""
    found = {}
    for path in glob.glob(os.path.join(ROOT, folder, '*.c')):
        with open(path, encoding='utf-8') as file:
            text = re.sub(r'//.*|"(?:\\.|[^"\\\n])*"', '', file.read())
        defined = re.findall(r'^(?!static\b)\w[\w *]*\b(\w+)\([^;{}]*\)\n\{', text, re.MULTILINE)
        found[os.path.basename(path)] = set(defined), set(re.findall(r'\w+', text))
    return found


def needs(found):
    """The symbols that each file uses from each other file."""
    owner = {symbol: name for name, (defined, _) in found.items() for symbol in defined}
    graph = {name: collections.defaultdict(list) for name in found}
    for name, (_, used) in found.items():
        for symbol in sorted(used):
            if owner.get(symbol, name) != name:
                graph[name][owner[symbol]].append(symbol)
    return graph


def reached(graph, start):
    visited, left = set(), [start]
    while left:
        for name in graph[left.pop()]:
            if name not in visited:
                visited.add(name)
                left.append(name)
    return visited


def circle(graph):
    """The shortest circle of files, or an empty list."""
    best = []
    for start in sorted(name for name in graph if name in reached(graph, name)):
        paths = collections.deque([[start]])
        while paths and (not best or len(paths[0]) < len(best)):
            path = paths.popleft()
            if start in graph[path[-1]]:
                best = path
                break
            paths.extend(path + [name] for name in graph[path[-1]] if name not in path)
    return best


def main():
    if not shutil.which('nm'):
        print('nm is not installed')
        return SKIPPED
    build, *requested = sys.argv[1:]
    folders = {**objects(build), 'web': None}
    missing = [folder for folder in requested if folder not in folders] or len(folders) == 1
    if missing:
        print('no objects of', missing if requested else build)
        return 1
    found = False
    for folder in sorted(requested or folders):
        graph = needs(symbols(folders[folder]) if folders[folder] else functions(folder))
        path = circle(graph)
        for name, other in zip(path, path[1:] + path[:1]):
            print('%s/%s needs %s of %s' % (folder, name, ', '.join(graph[name][other]), other))
        found = found or bool(path)
    if not found:
        print('no circles among the files of %d folders' % len(requested or folders))
    return int(found)


if __name__ == '__main__':
    sys.exit(main())
