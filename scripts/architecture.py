#!/usr/bin/env python3
"""Draws the layers of a build and their dependencies.

   scripts/architecture.py BUILD_DIR > docs/architecture.svg

A line joins a layer to a lower layer that it uses. It is omitted if a layer between them also uses
the lower one. Layers of the program name the layers of the library that they use.
"""
import json
import os
import random
import sys
from html import escape

WIDTH = 900
MARGIN, PADDING = 12, 14         # outside of a panel, and inside
NOTE_HEIGHT, ROW_GAP, GAP = 14, 26, 24
TITLE_HEIGHT = 30
STARTS, TURNS = 100, 40
LETTER, SMALL_LETTER = 8.4, 6.4  # widths, of names and of the text below them
STYLE = '''
text { font-family: "DejaVu Sans", Verdana, sans-serif; font-size: 11px; fill: #59636e;
  text-anchor: middle }
.name { font-size: 14px; font-weight: bold; fill: #1f2328 }
.title { font-size: 13px; text-anchor: start; fill: #1f2328 }
.panel { fill: #eef2f6; stroke: #c5ccd3 }
.box { fill: #ffffff; stroke: #59636e }
.line { fill: none; stroke: #8a949e; stroke-width: 1.4 }
@media (prefers-color-scheme: dark) {
  text { fill: #a8b3bd } .name, .title { fill: #eef2f6 }
  .panel { fill: #161b22; stroke: #3d444d } .box { fill: #262c36; stroke: #8a949e }
  .line { stroke: #6e7781 }
}
'''


class Item:
    """A layer in its row, or a point where a line crosses the row on its way to a lower row."""

    def __init__(self, key, layer=None, notes=()):
        self.key, self.layer, self.notes = key, layer, notes
        self.below, self.above = [], []
        self.width, self.x = 6, 0
        if layer:
            self.width = 16 + max(LETTER * len(layer['name']),
                                  *(SMALL_LETTER * len(note) for note in notes))

    def get_wish(self):
        """The position with the shortest lines to its neighbors, and with straight lines through
        it."""
        near = [(item, 1 if self.layer or item.layer else 8) for item in self.below + self.above]
        total = sum(weight for _, weight in near)
        return sum(item.x * weight for item, weight in near) / total if near else self.x


def find_tops(layers, names):
    """For each layer, the given layers that it uses, without those that another of them uses."""
    reach, tops = {}, {}
    for layer in layers:  # in the order of their dependencies
        uses = layer['uses']
        reach[layer['name']] = set(uses).union(*(reach[used] for used in uses))
        named = [used for used in uses if used in names]
        tops[layer['name']] = sorted(used for used in named
                                     if not any(used in reach[other] for other in named))
    return tops


def join(upper, lower):
    upper.below.append(lower)
    lower.above.append(upper)


def make_rows(layers, uses, on):
    """Items by row, the lowest first: a layer is one row below the lowest layer that uses it."""
    drop = {layer['name']: 0 for layer in layers}
    for layer in reversed(layers):
        for used in uses[layer['name']]:
            drop[used] = max(drop[used], drop[layer['name']] + 1)
    depth = {name: max(drop.values()) - drop[name] for name in drop}
    items, rows = {}, [[] for _ in range(max(drop.values()) + 1)]
    for layer in layers:
        name = layer['name']
        notes = [layer['folder']] + (['on ' + ', '.join(on[name])] if layer['outside'] else [])
        items[name] = Item(name, layer, notes)
        rows[depth[name]].append(items[name])
        for used in uses[name]:
            lower = items[used]
            for row in range(depth[used] + 1, depth[name]):
                via = Item(f'{name} {used}')
                rows[row].append(via)
                join(via, lower)
                lower = via
            join(items[name], lower)
    return rows


def spread(row):
    """Positions for a row that keep its order and its gaps, as near to the wishes as possible."""
    end, shift = float('-inf'), 0
    for item in row:
        wish = item.get_wish()
        item.x = max(wish, end + GAP + item.width / 2)
        shift += (wish - item.x) / len(row)
        end = item.x + item.width / 2
    for item in row:
        item.x += shift


def arrange(rows, start):
    """Rows ordered by the positions of their neighbors, starting with a random order."""
    chance = random.Random(start)
    for row in rows:
        row.sort(key=lambda item: item.key)
        row.sort(key=lambda _: chance.random())
        for index, item in enumerate(row):
            item.x = WIDTH * (index + 0.5) / len(row)
    for turn in range(TURNS):
        for row in rows if turn % 2 else reversed(rows):
            if turn < TURNS / 2:
                row.sort(key=lambda item: (item.get_wish(), item.key))
            spread(row)


def judge(rows):
    """The cost: crossings of lines, and their horizontal distance."""
    crossings, aside = 0, 0
    for row in rows:
        lines = [(item.x, lower.x) for item in row for lower in item.below]
        crossings += sum(a < c and b > d for a, b in lines for c, d in lines)
        aside += sum(abs(a - b) for a, b in lines)
    return crossings, aside


def place(rows):
    """The best of many arrangements, centered in the drawing."""
    def try_out(start):
        arrange(rows, start)
        return judge(rows)
    arrange(rows, min(range(STARTS), key=try_out))
    left = min(item.x - item.width / 2 for row in rows for item in row)
    right = max(item.x + item.width / 2 for row in rows for item in row)
    for row in rows:
        for item in row:
            item.x += (WIDTH - left - right) / 2


def draw_panel(title, rows, top):
    """The SVG of a panel, and its lower end."""
    box = 28 + NOTE_HEIGHT * max(len(item.notes) for row in rows for item in row)
    height = TITLE_HEIGHT + len(rows) * (box + ROW_GAP) - ROW_GAP + PADDING
    tops = {id(item): top + height - PADDING - box - index * (box + ROW_GAP)
            for index, row in enumerate(rows) for item in row}
    lines, boxes = [], []
    for item in (item for row in rows for item in row):
        y = tops[id(item)]
        if not item.layer:
            lines.append(f'<path class="line" d="M{item.x:.1f} {y}v{box}"/>')
        for lower in item.below:
            start, end = y + box, tops[id(lower)]
            middle = (start + end) / 2
            lines.append(f'<path class="line" d="M{item.x:.1f} {start}C{item.x:.1f} {middle} '
                         f'{lower.x:.1f} {middle} {lower.x:.1f} {end}"/>')
        if item.layer:
            name = item.layer['name']
            boxes.append(f'<g><title>{escape(name)} uses '
                         f'{escape(", ".join(item.layer["uses"]) or "nothing")}</title>')
            boxes.append(f'<rect class="box" x="{item.x - item.width / 2:.1f}" y="{y}" '
                         f'width="{item.width:.1f}" height="{box}" rx="4"/>')
            boxes.append(f'<text class="name" x="{item.x:.1f}" y="{y + 17}">{escape(name)}</text>')
            for index, note in enumerate(item.notes):
                boxes.append(f'<text x="{item.x:.1f}" y="{y + 34 + NOTE_HEIGHT * index}">'
                             f'{escape(note)}</text>')
            boxes.append('</g>')
    panel = [f'<rect class="panel" x="{MARGIN}" y="{top}" width="{WIDTH - 2 * MARGIN}" '
             f'height="{height}" rx="6"/>',
             f'<text class="title" x="{MARGIN + PADDING}" y="{top + 20}">{escape(title)}</text>']
    return panel + lines + boxes, top + height


def main():
    with open(os.path.join(sys.argv[1], 'layers.json'), encoding='utf-8') as file:
        layers = json.load(file)
    on = find_tops(layers, {layer['name'] for layer in layers if not layer['outside']})
    body, bottom = [], MARGIN
    for title, outside in (('the program', True), ('libwavepass', False)):
        group = [layer for layer in layers if layer['outside'] == outside]
        if group:
            uses = find_tops(layers, {layer['name'] for layer in group})
            rows = make_rows(group, uses, on)
            place(rows)
            panel, bottom = draw_panel(title, rows, bottom)
            body += panel
            bottom += MARGIN
    print(f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{bottom}" '
          f'viewBox="0 0 {WIDTH} {bottom}">')
    print(f'<style>{STYLE}</style>', *body, '</svg>', sep='\n')


if __name__ == '__main__':
    main()
