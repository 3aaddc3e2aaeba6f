#!/usr/bin/env python3
"""Packs the page into one file.

    pack.py PAGE.HTML PART... OUTPUT

PAGE.HTML has a mark {{NAME}} for each part, where NAME is its file name, or {{gzip NAME}}: the part
is compressed with gzip and base64-encoded, and the page decompresses it (page.js, unpack()).
"""
import base64
import gzip
import pathlib
import re
import sys

page, *paths, output = map(pathlib.Path, sys.argv[1:])


def text_of(path, packed):
    if packed:
        return base64.b64encode(gzip.compress(path.read_bytes(), 9, mtime=0)).decode("ascii")
    text = path.read_text(encoding="utf-8").strip()
    if "</script" in text:
        sys.exit(f"pack.py: {path.name} contains '</script'")
    return text


parts = {path.name: path for path in paths}
text = re.sub(r"\{\{(gzip )?([\w.]+)\}\}", lambda mark: text_of(parts.pop(mark[2]), mark[1]),
              page.read_text(encoding="utf-8"))
if parts:
    sys.exit(f"pack.py: no mark for {', '.join(parts)}")
output.parent.mkdir(exist_ok=True)
output.write_text(text, encoding="utf-8")
print(f"{output.name}: {output.stat().st_size} bytes, of",
      ", ".join(f"{path.name} {path.stat().st_size}" for path in paths))
