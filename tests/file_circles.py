#!/usr/bin/env python3
"""The files of a layer have no circular dependencies.

    tests/file_circles.py BUILD_DIR [FOLDER...]

Reads the symbols that the objects of a build define and use, in the given folders or in all folders
of src and cuda. Prints the shortest circle of each with the symbols involved, with exit code 1.
"""
import collections
import json
import os
import shlex
import shutil
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
SKIPPED = 77


def objects(build):
    """For each folder the paths of objects, keyed by their source files."""
    folders = collections.defaultdict(dict)
    with open(os.path.join(build, 'compile_commands.json')) as file:
        for command in json.load(file):
            folder, name = os.path.split(os.path.relpath(command['file'], ROOT))
            words = shlex.split(command['command'])
            path = os.path.join(command['directory'], words[words.index('-o') + 1])
            if folder.split(os.sep)[0] in ('src', 'cuda') and os.path.exists(path):
                folders[folder][name] = path
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


def needs(paths):
    """The symbols that each file uses from each other file."""
    found = symbols(paths)
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
    folders = objects(build)
    missing = [folder for folder in requested if folder not in folders] or not folders
    if missing:
        print('no objects of', missing if requested else build)
        return 1
    found = False
    for folder in sorted(requested or folders):
        graph = needs(folders[folder])
        path = circle(graph)
        for name, other in zip(path, path[1:] + path[:1]):
            print('%s/%s needs %s of %s' % (folder, name, ', '.join(graph[name][other]), other))
        found = found or bool(path)
    if not found:
        print('no circles among the files of %d folders' % len(requested or folders))
    return int(found)


if __name__ == '__main__':
    sys.exit(main())
