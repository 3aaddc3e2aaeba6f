"""One command with many files: outputs, messages and errors."""
import json
import os
import re
import resource

import formats
from harness import FILE, USAGE, CliTest

CPU = ('-b', 'cpu')
SIZES = ((24, 16), (24, 16), (9, 7), (24, 16), (31, 8), (24, 16), (9, 7), (16, 16), (24, 16))
NAMES = ['i%d' % n for n in range(len(SIZES))]


class BatchTest(CliTest):
    def setUp(self):
        super().setUp()
        for number, (name, (width, height)) in enumerate(zip(NAMES, SIZES)):
            self.write(name + '.png', formats.png(width, height,
                                                  formats.noise(width * height, 255, number + 1)))
        self.inputs = [name + '.png' for name in NAMES]
        for folder in ('one', 'many', 'other'):
            os.mkdir(self.path(folder))

    def made(self, folder):
        return {name: self.read(os.path.join(folder, name))
                for name in sorted(os.listdir(self.path(folder)))}

    def tree(self):
        return {folder: self.made(folder) for folder in ('one', 'many', 'other')}

    def refuse_all(self, code, message, *arguments, **how):
        """All commands fail before any file is written."""
        before = self.tree()
        result = self.refuse(code, message, *arguments, **how)
        self.assertEqual(self.tree(), before)
        return result

    def lines(self, result):
        return [json.loads(line) for line in result.text().splitlines()]


class Makes(BatchTest):
    def both(self, command, suffix, inputs, *options):
        """One call per file and one call for all files write the same files."""
        for path in inputs:
            stem = os.path.splitext(os.path.basename(path))[0]
            self.succeed(command, path, '-o', 'one/%s%s' % (stem, suffix), '-f', *options)
        result = self.succeed(command, *inputs, '-o', 'many/', '-f', *options,
                              *(('--suffix', suffix) if suffix else ()))
        self.assertIn('%d of %d files to many/' % (len(inputs), len(inputs)), result.err)
        self.assertEqual(self.made('many'), self.made('one'))
        return self.made('many')

    def test_forward(self):
        made = self.both('forward', '.npy', self.inputs, *CPU)
        self.assertEqual(len(made), 2 * len(NAMES))

    def test_what_holds_for_all_is_told_once(self):
        """A common note, for example that OpenGL is rendered in software, is printed at most once
        for a wavelet and a scheme."""
        result = self.succeed('forward', *self.inputs, '-o', 'many/')
        self.assertLessEqual(result.err.count('note: '), 1, result.err)

    def test_kinds_and_backends(self):
        self.both('forward', '.npz', self.inputs, '-b', 'reference', '-w', 'haar', '-l', '1')

    def test_there_edited_and_back(self):
        made = self.both('forward', '.npy', self.inputs, *CPU)
        inputs = ['many/' + name for name in made if name.endswith('.npy')]
        for name, data in made.items():
            self.write('other/' + name, data)
        inputs = [path.replace('many', 'other') for path in inputs]
        for folder in ('one', 'many'):
            for name in made:
                os.unlink(self.path(os.path.join(folder, name)))
        edited = self.both('edit', '.npy', inputs, '--threshold', 'soft:0.01', '--keep', '50')
        self.assertEqual(set(edited), set(made))
        for name in made:
            os.unlink(self.path('one/' + name))
            os.unlink(self.path('many/' + name))
        images = self.both('inverse', '.png', inputs, *CPU)
        for name in NAMES:
            self.assertEqual(formats.read_png(images[name + '.png'])[4],
                             formats.read_png(self.read(name + '.png'))[4])

    def test_suffixes_that_nobody_named(self):
        self.succeed('forward', 'i0.png', 'i1.png', '-o', 'many', *CPU)
        self.assertEqual(set(self.made('many')), {'i0.npy', 'i0.npy.json', 'i1.npy',
                                                  'i1.npy.json'})
        self.succeed('forward', 'i0.png', '-o', 'one/', '--subbands', 'pywt', '-l', '1', *CPU)
        self.assertEqual(set(self.made('one')), {'i0.npz'})
        self.succeed('edit', 'one/i0.npz', 'many/i1.npy', '-o', 'other', '--keep', '5')
        self.assertEqual(set(self.made('other')), {'i0.npz', 'i1.npy', 'i1.npy.json'})
        self.succeed('inverse', 'many/i0.npy', 'many/i1.npy', '-o', 'other', *CPU)
        self.assertEqual(set(self.made('other')), {'i0.npz', 'i1.npy', 'i1.npy.json', 'i0.png',
                                                   'i1.png'})

    def test_volumes_among_them(self):
        self.write('v.npy', formats.npy((4, 6, 8), formats.noise(192, 255)))
        self.both('forward', '.npy', ['i0.png', 'v.npy', 'i2.png'], *CPU)

    def test_more_kinds_than_are_kept(self):
        """Sizes occur again after their transforms have been evicted from the cache."""
        inputs = []
        for turn in range(2):
            for side in range(8, 20):
                name = 's%d-%d.png' % (turn, side)
                self.write(name, formats.png(side, 8, formats.noise(side * 8, 255, side)))
                inputs.append(name)
        self.both('forward', '.npy', inputs, *CPU)


    def test_more_files_than_may_be_open_at_once(self):
        """Files that have been read or written are closed, for each format."""
        def made(suffix):
            return sorted('many/' + name for name in os.listdir(self.path('many'))
                          if name.endswith(suffix))

        writers = (('png', formats.png), ('pgm', formats.pnm), ('tiff', formats.tiff),
                   ('npy', lambda width, height, values: formats.npy((height, width), values)))
        inputs = []
        for i in range(24):
            suffix, writer = writers[i % len(writers)]
            inputs.append(self.write('s%d.%s' % (i, suffix),
                                     writer(8, 8, formats.noise(64, 255, i + 1))))
        limits = ((resource.RLIMIT_NOFILE, 20),)
        for suffix, back in (('.npy', '.npy'), ('.tiff', '.tiff'), ('.npz', '.png'),
                             ('.pfm', '.pfm')):
            with self.subTest(suffix):
                self.succeed('forward', *inputs, '-o', 'many/', '--suffix', suffix, '-l', '2', '-f',
                             *CPU, limits=limits)
                files = made(suffix)
                self.assertEqual(len(files), len(inputs))
                self.succeed('edit', *files, '-o', 'other/', '--keep', '50', '-f', limits=limits)
                self.succeed('inverse', *files, '-o', 'one/', '--suffix', back, '-f', *CPU,
                             limits=limits)


class Tells(BatchTest):
    def test_json(self):
        result = self.succeed('forward', *self.inputs, '-o', 'many/', '--check', '--json', *CPU)
        told = self.lines(result)
        self.assertEqual([line['input'] for line in told], self.inputs)
        for line, name, size in zip(told, NAMES, SIZES):
            self.assertEqual((line['width'], line['height']), size)
            self.assertEqual(line['files']['coefficients'], 'many/%s.npy' % name)
            self.assertLess(line['round_trip_max_error'], 1e-5)
        self.assertEqual(set(told[0]) - {'input'},
                         set(json.loads(self.succeed('forward', 'i0.png', '-o', 'one/x.npy',
                                                     '--check', '--json', *CPU).out)))

    def test_one_that_fails(self):
        self.write('i3.png', b'\x89PNG is not all')
        result = self.run_program('forward', *self.inputs, 'gone.png', '-o', 'many/', *CPU)
        self.assertEqual(result.code, FILE, result.err)
        self.assertEqual(len(self.made('many')), 2 * (len(NAMES) - 1))
        self.assertNotIn('i3.npy', self.made('many'))
        self.assertEqual(len(re.findall(r'error: (i3|gone)\.png', result.err)), 2, result.err)
        self.assertIn('8 of 10 files', result.err)
        result = self.run_program('forward', *self.inputs, '-o', 'one/', '--json', *CPU)
        self.assertEqual(result.code, FILE, result.err)
        told = self.lines(result)
        self.assertEqual([line['input'] for line in told], self.inputs)
        self.assertEqual([line.get('exit', 0) for line in told], [0] * 3 + [3] + [0] * 5)
        self.assertEqual(set(told[3]), {'input', 'error', 'hint', 'exit'})

    def test_messages_name_the_file(self):
        """Messages that do not contain the file name are prefixed with it."""
        result = self.run_program('forward', 'i0.png', 'i2.png', '-o', 'many/', '--border',
                                  'periodic', *CPU)
        self.assertEqual(result.code, FILE)
        self.assertIn('error: i2.png: 9x7 has no levels with periodic borders', result.err)
        self.assertEqual(len(self.made('many')), 2)

    def test_nothing_is_written_over(self):
        self.succeed('forward', 'i1.png', '-o', 'many/i1.npy', *CPU)
        before = self.made('many')
        result = self.run_program('forward', 'i0.png', 'i1.png', '-o', 'many/', '-l', '1', *CPU)
        self.assertEqual(result.code, FILE)
        self.assertIn('error: i1.png: many/i1.npy exists', result.err)
        after = self.made('many')
        self.assertEqual({name: after[name] for name in before}, before)
        self.assertEqual(len(after), 4)


class Refused(BatchTest):
    def test_folders(self):
        self.refuse_all(FILE, 'folder gone/ does not exist', 'forward', 'i0.png', 'i1.png', '-o',
                        'gone/', hint='mkdir -p gone/')
        self.refuse_all(FILE, 'folder gone/ does not exist', 'inverse', 'i0.npy', '-o', 'gone/')
        self.refuse_all(USAGE, 'i2.png is not a folder, and there are 2 inputs', 'forward',
                        'i0.png', 'i1.png', '-o', 'i2.png')
        self.refuse_all(USAGE, 'gone is not a folder, and there are 2 inputs', 'forward', 'i0.png',
                        'i1.png', '-o', 'gone')
        for command in ('forward', 'inverse', 'edit'):
            self.refuse_all(USAGE, 'no output', command, 'i0.png', 'i1.png',
                            *(('--keep', '5') if command == 'edit' else ()), hint='…')

    def test_the_same_name_twice(self):
        self.write('one/i0.png', self.read('i0.png'))
        self.write('i0.jpg', b'')
        for other in ('one/i0.png', 'i0.png', './i0.png', 'i0.jpg'):
            self.refuse_all(USAGE, '…i0.… and …i0.… would both become many/i0.npy', 'forward',
                            'i0.png', 'i1.png', other, '-o', 'many/', *CPU)

    def test_what_is_for_one(self):
        files = ('i0.png', 'i1.png', '-o', 'many/')
        self.refuse_all(USAGE, '--picture is for one…', 'forward', *files, '--picture', 'p.png')
        self.refuse_all(USAGE, '--gop is for one…', 'forward', *files, '--gop', '2')
        self.refuse_all(USAGE, '--reference is for one…', 'edit', *files, '--keep', '5',
                        '--reference', 'i0.png')
        self.refuse_all(USAGE, '…stdin…', 'forward', '-', 'i0.png', '-o', 'many/')
        for command in ('forward', 'inverse', 'edit'):
            self.refuse_all(USAGE, '--suffix is for a folder', command, 'i0.png', '-o', 'x.npy',
                            '--suffix', '.npy')
        for suffix in ('npy', '.', './npy'):
            self.refuse_all(USAGE, "--suffix: '%s' is not a valid suffix…" % suffix, 'forward',
                            *files, '--suffix', suffix)

    def test_edits_are_looked_at_first(self):
        """An invalid edit is reported once, before any file is processed."""
        self.succeed('forward', *self.inputs, '-o', 'many/', *CPU)
        files = ('many/i0.npy', 'many/i1.npy', '-o', 'other/')
        self.refuse_all(USAGE, '…threshold…', 'edit', *files, '--threshold', 'soft:much')
        self.refuse_all(USAGE, 'nothing to do', 'edit', *files)
        result = self.run_program('edit', *files, '--zero', 'HL9')
        self.assertEqual(result.code, FILE)
        self.assertEqual(result.err.count("unknown band 'HL9'"), 2)
        self.assertEqual(self.made('other'), {})

    def test_coefficients_of_another_size(self):
        self.succeed('forward', *self.inputs, '-o', 'many/', *CPU)
        self.write('many/i2.npy', self.read('many/i0.npy'))
        result = self.run_program('inverse', 'many/i0.npy', 'many/i2.npy', '-o', 'other/', *CPU)
        self.assertEqual(result.code, FILE)
        self.assertIn('many/i2.npy.json describes 9x7, but the coefficients have 24x16',
                      result.err)
        self.assertEqual(set(self.made('other')), {'i0.png'})
