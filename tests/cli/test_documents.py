"""The documentation: a command that fails is found, and no link is broken. install_test.sh runs the
commands of all pages with an installed program."""
import glob
import os
import re
import sys
import textwrap

import harness
from harness import CliTest

sys.path.append(os.path.join(harness.ROOT, 'scripts'))
import run_docs  # noqa: E402  (found through the line above)


class Failures(CliTest):
    """A page that is wrong is found."""

    def fails(self, text, message):
        with self.assertRaises(run_docs.Failure) as raised:
            run_docs.run('page.md', textwrap.dedent(text), harness.PROGRAM)
        self.assertRegex(str(raised.exception), message)

    def test_command_that_fails(self):
        self.fails('''\
            # Title

            ```sh
            wavepass --version
            ```
            ```sh
            wavepass inverse missing.npy -o image.png   # a comment
            wavepass info
            ```
            ''', r'page\.md:7: exit status 3: wavepass inverse.*\n.*\n.*error: missing')

    def test_output_that_exists(self):
        self.fails('''\
            # Title
            ```sh
            wavepass forward pattern:noise:8x8 -l 1 -o c.npy
            wavepass forward pattern:noise:8x8 -l 1 -o c.npy
            ```
            ''', r'page\.md:4: exit status 3: ')

    def test_command_in_another_block(self):
        self.fails('# Title\n\n    wavepass info\n', r'page\.md:3: this command is not in a block')
        self.fails('# Title\n```\nscripts/demo.sh\n```\n', r'page\.md:3: this command is not in')
        self.fails('# Title\n```text\nmpiexec -n 2 x\n```\n', r'page\.md:3: this command is not in')

    def test_no_reason(self):
        self.fails('# Title\n\n```sh no-run\nwavepass view x.png\n```\n',
                   r'page\.md:4: no comment <!-- not run')

    def test_reason(self):
        text = '# Title\n<!-- not run: opens a window -->\n```sh no-run\nfalse\n```\n'
        self.assertEqual(run_docs.run('page.md', text, harness.PROGRAM), 0)


class Links(CliTest):
    """All pages, including the notes and the results."""

    def anchors(self, path):
        with open(path, encoding='utf-8') as file:
            text = re.sub(r'(?ms)^```.*?^```$', '', file.read())
        return {re.sub(r'[^\w\- ]', '', title.lower()).replace(' ', '-')
                for title in re.findall(r'(?m)^#+ (.*)$', text)}

    def broken(self, path, text):
        text = re.sub(r'(?ms)^```.*?^```$', '', text)
        for target in re.findall(r'\]\(([^)\s]+)\)', re.sub(r'`[^`\n]*`', '', text)):
            if re.match(r'\w+:', target):
                continue
            file, _, anchor = target.partition('#')
            file = os.path.join(os.path.dirname(path), file) if file else path
            if not os.path.exists(file):
                yield target
            elif anchor and file.endswith('.md') and anchor not in self.anchors(file):
                yield target

    def test_links(self):
        pages = [*(os.path.join(harness.ROOT, name) for name in ('README.md', 'CHANGELOG.md')),
                 *glob.glob(os.path.join(harness.ROOT, 'docs/**/*.md'), recursive=True)]
        self.assertGreater(len(pages), 20)
        for path in pages:
            with self.subTest(page=os.path.relpath(path, harness.ROOT)):
                with open(path, encoding='utf-8') as file:
                    self.assertEqual(list(self.broken(path, file.read())), [])

    def test_broken_links(self):
        page = os.path.join(harness.ROOT, 'docs/scale.md')
        text = '[a](mpi.md) [b](gone.md) [c](#memory) [d](#gone) [e](mpi.md#gone) [f](https://x)'
        self.assertEqual(list(self.broken(page, text)), ['gone.md', '#gone', 'mpi.md#gone'])
