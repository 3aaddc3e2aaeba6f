#!/usr/bin/env python3
"""Makes the page one file.

    pack.py PAGE.HTML PAGE.CSS PAGE.JS GLUE.JS CODE.WASM OUTPUT

PAGE.HTML has a mark {{css}}, {{js}}, {{glue}} and {{wasm}} for each of the others. The WebAssembly
is compressed by gzip and written in base64: browsers take it apart themselves.
"""
import base64
import gzip
import pathlib
import re
import sys

page, css, js, glue, wasm, output = map(pathlib.Path, sys.argv[1:])
parts = {name: path.read_text(encoding="utf-8").strip()
         for name, path in (("css", css), ("js", js), ("glue", glue))}
parts["wasm"] = base64.b64encode(gzip.compress(wasm.read_bytes(), 9, mtime=0)).decode("ascii")
for name in ("js", "glue"):
    if "</script" in parts[name]:
        sys.exit(f"pack.py: {name} would end its own element")
text = re.sub(r"\{\{(\w+)\}\}", lambda mark: parts.pop(mark[1]), page.read_text(encoding="utf-8"))
if parts:
    sys.exit(f"pack.py: no mark for {', '.join(parts)}")
output.parent.mkdir(exist_ok=True)
output.write_text(text, encoding="utf-8")
print(f"{output.name}: {output.stat().st_size} bytes, of WebAssembly {wasm.stat().st_size}")
