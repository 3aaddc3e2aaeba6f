#!/usr/bin/env python3
"""Each layer sees only lower ones: fails where the code of a layer names what isn't there.

   layers.py SOURCE_DIR LAYERS_JSON NM

A layer may take symbols and headers of the layers that it USES and of no others, and these make
no circle. What is in libwavepass uses nothing of the program's.
"""
import json
import os
import re
import subprocess
import sys


def read_symbols(layer, nm):
    """The names that a layer's objects define, and those that they want."""
    lines = subprocess.run([nm, '--format=posix', '--extern-only', *layer['objects']], check=True,
                           capture_output=True, text=True).stdout.splitlines()
    defined, wanted = set(), set()
    # Between them the files' names, and empty lines by llvm-nm.
    for name, kind in (line.split()[:2] for line in lines if line and not line.endswith(':')):
        # Weak names (w, W, v, V) are of inline functions of C++, which are everywhere.
        if kind == 'U':
            wanted.add(name)
        elif kind not in 'wWvV':
            defined.add(name)
    return defined, wanted - defined


def read_includes(folder):
    """(file, header) of every #include "header" in a folder."""
    for file in sorted(os.listdir(folder)):
        if file.endswith(('.c', '.h', '.cpp', '.cu', '.cuh')):
            with open(os.path.join(folder, file), encoding='utf-8') as text:
                for header in re.findall(r'^#include "([^"]+)"', text.read(), re.MULTILINE):
                    yield file, header


def find_symbols(layers, nm):
    """(layer, layer, what) of every symbol that one layer takes from another."""
    defined, wanted = {}, {}
    for layer in layers:
        name = layer['name']
        defines, wanted[name] = read_symbols(layer, nm)
        defined.update(dict.fromkeys(defines, name))
    for name, symbols in wanted.items():
        for symbol in sorted(symbols & defined.keys()):
            yield name, defined[symbol], symbol


def find_strange_headers(layers, source):
    """The same of headers, but for those of used layers. Layers of one folder share its headers."""
    folders = {}
    for layer in layers:
        folders.setdefault(layer['folder'], []).append(layer)
    owners = {}
    for folder in folders:
        for file in os.listdir(os.path.join(source, folder)):
            owners.setdefault(file, []).append(folder)
    for folder, mates in folders.items():
        uses = {used for layer in mates for used in layer['uses']}
        for file, header in read_includes(os.path.join(source, folder)):
            places = owners.get(header, [folder])
            owned = [layer['name'] for place in places for layer in folders[place]]
            if folder not in places and not uses & set(owned):
                yield mates[-1]['name'], owned[-1], f'{header} in {file}'


def find_circles(layers):
    """Of layers in the order of their dependence, those that use a later one or themselves."""
    below = set()
    for layer in layers:
        for used in layer['uses']:
            if used not in below:
                yield layer['name'], used
        below.add(layer['name'])


def main():
    source, path, nm = sys.argv[1:]
    with open(path, encoding='utf-8') as file:
        layers = json.load(file)
    by_name = {layer['name']: layer for layer in layers}
    faults = [f'{name} uses {used}, which comes after it in src/CMakeLists.txt'
              for name, used in find_circles(layers)]
    faults += [f'{layer["name"]} is in libwavepass and uses {used}, which is not'
               for layer in layers if not layer['outside']
               for used in layer['uses'] if by_name[used]['outside']]
    symbols = list(find_symbols(layers, nm))
    strange = [link for link in symbols if link[1] not in by_name[link[0]]['uses']]
    faults += [f'{name} takes {what} from {used}, which it does not use'
               for name, used, what in [*strange, *find_strange_headers(layers, source)]]
    print(f'{len(layers)} layers, {len(symbols)} symbols of others', *faults, sep='\n')
    return 1 if faults or not symbols else 0


if __name__ == '__main__':
    sys.exit(main())
