"""The Python of the documents runs, each page from top to bottom."""
import os
import re

import numpy as np
import pytest

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))


@pytest.mark.parametrize('page', ['README.md', 'docs/python.md', 'docs/denoise.md', 'docs/packets.md',
                                  'python/README.md'])
def test_page(page):
    with open(os.path.join(ROOT, page), encoding='utf-8') as file:
        blocks = re.findall(r'(?ms)^```python\n(.*?)^```', file.read())
    names = {}
    for block in blocks:
        exec(compile(block, page, 'exec'), names)  # pylint: disable=exec-used
    assert blocks and isinstance(names.get('image'), np.ndarray)


@pytest.mark.parametrize('library', ['torch', 'jax', 'dask', 'pylops'])
def test_frameworks(library):
    pytest.importorskip(library)
    if library == 'pylops':
        for other in 'sigpy', 'torch', 'deepinv':
            pytest.importorskip(other)
    with open(os.path.join(ROOT, 'docs/python-frameworks.md'), encoding='utf-8') as file:
        blocks = [block for block in re.findall(r'(?ms)^```python\n(.*?)^```', file.read())
                  if re.search(rf'(?m)^(import|from) .*\b{library}', block)]
    assert len(blocks) == 1
    exec(compile(blocks[0], library, 'exec'), {})  # pylint: disable=exec-used
