"""The Python of the documents runs, each page from top to bottom."""
import os
import re

import numpy as np
import pytest

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))


@pytest.mark.parametrize('page', ['README.md', 'docs/python.md', 'python/README.md'])
def test_page(page):
    with open(os.path.join(ROOT, page), encoding='utf-8') as file:
        blocks = re.findall(r'(?ms)^```python\n(.*?)^```', file.read())
    names = {}
    for block in blocks:
        exec(compile(block, page, 'exec'), names)  # pylint: disable=exec-used
    assert blocks and isinstance(names.get('image'), np.ndarray)
