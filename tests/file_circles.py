#!/usr/bin/env python3
"""Finds circular dependencies between the files of a folder.

    tests/file_circles.py BUILD_DIR [FOLDER...]

Reads the symbols that the objects of a build define and use, in all folders of src and cuda or in
the given ones. Prints the shortest circle of each folder with its symbols, and exits with 1.
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
    """Returns, for each folder, the objects of its sources by their names."""
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
    """Returns the global symbols that each file defines, and those that it uses."""
    files = {path: name for name, path in paths.items()}
    found = {name: (set(), set()) for name in paths}
    for line in subprocess.run(['nm', '-gA', *files], check=True, capture_output=True,
                               text=True).stdout.splitlines():
        path, _, rest = line.rpartition(':')
        *_, kind, symbol = rest.split()
        defined, used = found[files[path]]
        if kind == 'U':
            used.add(symbol)
        elif kind not in 'wWvV':  # weak symbols of C++
            defined.add(symbol)
    return found


def needs(paths):
    """Returns the symbols that each file uses from each other file."""
    found = symbols(paths)
    owner = {symbol: name for name, (defined, _) in found.items() for symbol in defined}
    graph = {name: collections.defaultdict(list) for name in found}
    for name, (_, used) in found.items():
        for symbol in sorted(used):
            if owner.get(symbol, name) != name:
                graph[name][owner[symbol]].append(symbol)
    return graph


def reached(graph, start):
    seen, left = set(), [start]
    while left:
        for name in graph[left.pop()]:
            if name not in seen:
                seen.add(name)
                left.append(name)
    return seen


def circle(graph):
    """Returns the shortest path from a file back to itself, or an empty list."""
    best = []
    for start in sorted(name for name in graph if name in reached(graph, name)):
        ways = collections.deque([[start]])
        while ways and (not best or len(ways[0]) < len(best)):
            way = ways.popleft()
            if start in graph[way[-1]]:
                best = way
                break
            ways.extend(way + [name] for name in graph[way[-1]] if name not in way)
    return best


def main():
    if not shutil.which('nm'):
        print('nm was not found')
        return SKIPPED
    build, *wanted = sys.argv[1:]
    folders = objects(build)
    missing = [folder for folder in wanted if folder not in folders] or not folders
    if missing:
        print('no objects of', missing if wanted else build)
        return 1
    found = False
    for folder in sorted(wanted or folders):
        graph = needs(folders[folder])
        way = circle(graph)
        for name, other in zip(way, way[1:] + way[:1]):
            print('%s/%s needs %s of %s' % (folder, name, ', '.join(graph[name][other]), other))
        found = found or bool(way)
    if not found:
        print('no circles among the files of %d folders' % len(wanted or folders))
    return int(found)


if __name__ == '__main__':
    sys.exit(main())
