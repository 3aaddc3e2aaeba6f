#!/usr/bin/env python3
"""Each layer sees only lower ones: fails where the code of a layer names what isn't there.

   layers.py SOURCE_DIR LAYERS_JSON NM

A layer takes symbols or headers of each layer that it USES and of no others, and these make no
circle. What is in libwavepass uses nothing of the program's. Messages name no options of the command
but in the layers that are the command's; its own hints are for messages that exist.
"""
import json
import os
import re
import subprocess
import sys


# Of these a build may have stubs, which take less.
MAYBE_STUBS = {'cuda', 'cuda_gl', 'viewer'}


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


def find_headers(layers, source):
    """The same for headers. Layers of one folder share its headers."""
    folders = {}
    for layer in layers:
        folders.setdefault(layer['folder'], []).append(layer)
    owners = {}
    for folder in folders:
        for file in os.listdir(os.path.join(source, folder)):
            owners.setdefault(file, []).append(folder)
    for folder, mates in folders.items():
        for file, header in read_includes(os.path.join(source, folder)):
            places = owners.get(header, [folder])
            if folder in places:
                continue
            owned = [layer['name'] for place in places for layer in folders[place]]
            found = [(layer['name'], name) for layer in mates
                     for name in owned if name in layer['uses']]
            for name, used in found or [(mates[-1]['name'], owned[-1])]:
                yield name, used, f'{header} in {file}'


def find_circles(layers):
    """Of layers in the order of their dependence, those that use a later one or themselves."""
    below = set()
    for layer in layers:
        for used in layer['uses']:
            if used not in below:
                yield layer['name'], used
        below.add(layer['name'])


# Those that parse options or show the command's own examples.
COMMAND = {'cli', 'mpi_cli', 'viewer', 'bench', 'explain', 'lesson', 'report'}
OPTION = re.compile(r"""(?:^|[\s('"])(?:--[a-z][a-z-]+|-[a-z])(?=$|[\s,;:.)'"=])""")
LITERAL = re.compile(r'//[^\n]*|"((?:\\.|[^"\\\n])*)"')


def find_literals(folder):
    """(file, text) of every string in the C of a folder, escapes as they stand but new lines."""
    for file in sorted(os.listdir(folder)):
        if file.endswith(('.c', '.h')):
            with open(os.path.join(folder, file), encoding='utf-8') as source:
                whole = re.sub(r'"\n *"', '', source.read())
                for match in LITERAL.finditer(whole):
                    if match[1]:
                        yield file, match[1].replace('\\n', '\n')


def find_options(layers, source):
    """What is wrong with the options that messages name."""
    texts = ['']
    for layer in layers:
        for file, text in find_literals(os.path.join(source, layer['folder'])):
            if layer['name'] not in COMMAND:
                texts.append(text)
                # One word is an argument of another program.
                if ' ' in text and OPTION.search(text):
                    yield f'{layer["name"]}: {file} names an option of the command: "{text}"'
            elif layer['name'] in ('explain', 'lesson', 'report'):
                texts.append(text)
    if not any(layer['name'] == 'cli' for layer in layers):
        return
    with open(os.path.join(source, 'src/cli/messages.c'), encoding='utf-8') as file:
        rows = re.search(r'\} hints\[\] = \{\n(.*?)\n\};', file.read(), re.DOTALL)[1]
    for part in re.findall(r'^    \{"([^"]+)",', rows, re.MULTILINE):
        if not any(part in text for text in texts):
            yield f'messages.c has a hint for "{part}", which no message says'


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
    taken = set()
    links = 0
    for name, used, what in [*find_symbols(layers, nm), *find_headers(layers, source)]:
        links += 1
        taken.add((name, used))
        if used not in by_name[name]['uses']:
            faults.append(f'{name} takes {what} from {used}, which it does not use')
    faults += [f'{layer["name"]} uses {used} and takes nothing from it'
               for layer in layers if layer['name'] not in MAYBE_STUBS
               for used in layer['uses'] if (layer['name'], used) not in taken]
    faults += sorted(set(find_options(layers, source)))
    print(f'{len(layers)} layers, {links} symbols and headers', *faults, sep='\n')
    return 1 if faults or not links else 0


if __name__ == '__main__':
    sys.exit(main())
