"""The documentation: failing commands are found, links work, and docs/results is small.
install_test.sh runs the commands of all pages with an installed program."""
import glob
import json
import os
import re
import sys
import textwrap

import harness
from harness import CliTest

sys.path.append(os.path.join(harness.ROOT, 'scripts'))
import bench_results  # noqa: E402  (found through the line above)
import run_docs  # noqa: E402


class Failures(CliTest):
    """Errors in a page are found."""

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
    """The links of all pages, including lab and results."""

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
                    text = file.read()
                self.assertEqual(list(self.broken(path, text)), [])
                self.assertNotRegex(text, r'(?m)^(<{7}|>{7}) ', 'a conflict of a merge')

    def test_broken_links(self):
        page = os.path.join(harness.ROOT, 'docs/scale.md')
        text = '[a](mpi.md) [b](gone.md) [c](#memory) [d](#gone) [e](mpi.md#gone) [f](https://x)'
        self.assertEqual(list(self.broken(page, text)), ['gone.md', '#gone', 'mpi.md#gone'])


class Architecture(CliTest):
    """docs/architecture.md names functions and files that exist."""

    def test_names(self):
        with open(os.path.join(harness.ROOT, 'docs', 'architecture.md'), encoding='utf-8') as file:
            page = file.read()
        names, sources = set(), []
        for folder in ('src', 'cuda', 'shaders', 'tests', 'web', 'cmake', 'scripts', 'assets'):
            for path, _, files in os.walk(os.path.join(harness.ROOT, folder)):
                names.update(files)
                for name in files:
                    if name.endswith(('.c', '.h', '.cu', '.cuh', 'CMakeLists.txt')):
                        with open(os.path.join(path, name), encoding='utf-8') as file:
                            sources.append(file.read())
        words = set(re.findall(r'\w+', ''.join(sources)))
        functions = set(re.findall(r'\b(wp_\w+)', page))
        self.assertGreater(len(functions), 20)
        self.assertEqual(sorted(functions - words), [])
        files = {os.path.basename(name) for name in
                 re.findall(r'`([\w/.-]+\.(?:c|h|cu|cuh|py|sh))`', page)}
        self.assertGreater(len(files), 40)
        self.assertEqual(sorted(f for f in files - names if 'NAME' not in f), [])


class Results(CliTest):
    """docs/results is small, has no raw samples, and has no file that no page uses."""
    FOLDER = os.path.join(harness.ROOT, 'docs/results')
    MOST_BYTES, MOST_NUMBERS = 1000000, 8

    def files(self):
        return {os.path.relpath(os.path.join(folder, name), self.FOLDER)
                for folder, _, names in os.walk(self.FOLDER) for name in names}

    def text_of(self, name):
        with open(os.path.join(self.FOLDER, name), encoding='utf-8') as file:
            return file.read()

    def longest_numbers(self, value):
        """The length of the longest array of numbers in a JSON value."""
        inner = list(value.values()) if isinstance(value, dict) else value
        if not isinstance(inner, list):
            return 0
        numbers = isinstance(value, list) and all(isinstance(each, (int, float)) for each in value)
        return max([len(value) if numbers else 0, *map(self.longest_numbers, inner)])

    def test_samples(self):
        for name in sorted(self.files()):
            if name.endswith('.json'):
                with self.subTest(file=name):
                    text = self.text_of(name)
                    results = json.loads(text)
                    self.assertLessEqual(self.longest_numbers(results), self.MOST_NUMBERS)
                    if 'schema_version' in results:
                        self.assertEqual(text, bench_results.stripped(text))

    def test_size(self):
        sizes = [os.path.getsize(os.path.join(self.FOLDER, name)) for name in self.files()]
        self.assertGreater(len(sizes), 1)
        self.assertLessEqual(sum(sizes), self.MOST_BYTES)

    def test_index(self):
        """README.md lists each file and a page that uses it."""
        listed = []
        for line in self.text_of('README.md').splitlines():
            row = re.match(r'\| (`[^|]*`) \| ([^|]*) \|', line)
            if row:
                listed += re.findall('`([^`]*)`', row[1])
                self.assertRegex(row[2], r'^\[.*\.md', line)
        self.assertEqual(sorted(listed), sorted(self.files() - {'README.md'}))

    def test_stripped_samples(self):
        row = {'kind': 'transform', 'median_ns': 120.0, 'samples_ns': [120.0, 121.5, 119.0],
               'wall_samples_ns': [130, 131, 129], 'noise': 0.25, 'mean_ns': 120.2, 'variant': None,
               'ceiling': {'name': None, 'share': None}, 'warnings': ['w']}
        text = bench_results.stripped(json.dumps(
            {'schema_version': 1, 'environment': {'gl': None}, 'rows': [row]}))
        self.assertEqual(json.loads(text), {
            'schema_version': 1, 'environment': {'gl': None}, 'rows': [
                {'kind': 'transform', 'median_ns': 120, 'noise': 0.25, 'sample_count': 3}]})
        self.write('r.json', text)
        self.assertIsNone(bench_results.read(self.path('r.json'))['rows'][0]['variant'])
