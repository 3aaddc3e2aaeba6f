"""Volumes in groups of slices: the bytes of a run with all slices in memory, with constant memory;
videos with a substitute for ffmpeg; and early ends."""
import gzip
import itertools
import json
import os
import signal
import struct
import subprocess
import time

import formats
import harness
from harness import FILE, MIB, UNAVAILABLE, USAGE, CliTest
from test_volume import CPU, noise, npy, values_of

WIDTH, HEIGHT = 14, 10
HEADER = b'YUV4MPEG2 W%d H%d F30000:1001 Ip A1:1 C420jpeg\n' % (WIDTH, HEIGHT)
FRAME = WIDTH * HEIGHT * 3 // 2
MP4 = b'\0\0\0\x18ftypmp42' + bytes(100)


def film(count):
    luma = [int(16 + 219 * value) for value in noise(FRAME * count)]
    return HEADER + b''.join(b'FRAME\n' + bytes(luma[i * FRAME:(i + 1) * FRAME])
                             for i in range(count))


class ClipTest(CliTest):
    def setUp(self):
        super().setUp()
        self.write('film.y4m', film(10))

    def forward(self, *options, source='film.y4m', **how):
        return self.succeed('forward', source, '-o', 'c.npy', '-f', *CPU, *options, **how)

    def at_once(self, *options, source='film.y4m', **how):
        """The output of a run to stdout, which cannot seek, so all slices are processed together.
        """
        return self.succeed('forward', source, '-o', '-', *CPU, *options, **how).out


class Groups(ClipTest):
    def test_bytes_are_those_of_all_at_once(self):
        for options in (('--gop', '4'), ('--gop', '3'), ('--gop', '1'), ('--gop', '10'),
                        ('--gop', '16'), ('--gop', '9', '--layout', 'mixed', '-w', 'cdf53'),
                        ('--gop', '4', '--decomposition', 'spatial-temporal'),
                        ('--gop', '3', '-l', '0', '--levels-z', '2'),
                        ('--gop', '4', '--levels-z', '0'), ('--gop', '4', '-b', 'reference')):
            with self.subTest(options):
                result = self.forward('--check', *options)
                self.assertIn('slices per second', result.err)
                self.assertIn('round trip max|err|', result.err)
                self.assertEqual(self.read('c.npy'), self.at_once(*options))
                self.assertEqual(sorted(self.files()), ['c.npy', 'c.npy.json', 'film.y4m'])

    def test_description(self):
        for gop, wanted in (('4', 4), ('10', None), ('16', None)):
            self.forward('--gop', gop)
            told = json.loads(self.read('c.npy.json'))
            self.assertEqual((told['depth'], told.get('gop'), told['source_bits'],
                              told['frame_rate']), (10, wanted, 8, [30000, 1001]))

    def test_from_stdin(self):
        self.forward('--gop', '4')
        wanted = self.read('c.npy')
        self.forward('--gop', '4', source='-', stdin=film(10))
        self.assertEqual(self.read('c.npy'), wanted)
        for options in (('--gop', '4'), ()):
            self.forward(*options, source='y4m:-', stdin=film(10))
            self.assertEqual(self.read('c.npy'), wanted if options else self.at_once())
        self.refuse(FILE, 'standard input: not a YUV4MPEG2 stream', 'forward', 'y4m:-', '-o',
                    'x.npy', *CPU, stdin=formats.pnm(1, 1, [7]))

    def test_one_frame(self):
        self.forward('--gop', '4', source='-', stdin=film(1))
        self.assertEqual(self.read('c.npy'), self.at_once('--gop', '4', source='-', stdin=film(1)))
        self.succeed('inverse', 'c.npy', '-o', 'b.npy', *CPU)

    def test_arrays_and_raw(self):
        values = noise(WIDTH * HEIGHT * 9)
        data = npy((9, HEIGHT, WIDTH), values)
        self.write('v.npy', data)
        self.write('v.raw', data[-4 * len(values):])
        self.succeed('forward', 'v.npy', '-o', 'v.tiff', '-l', '1', *CPU)
        self.succeed('inverse', 'v.tiff', '-o', 'v.nii', *CPU)
        self.write('v.nii.gz', gzip.compress(self.read('v.nii')[:700]) +
                   gzip.compress(self.read('v.nii')[700:]))
        raw = ('--raw', '%dx%dx9:f32le' % (WIDTH, HEIGHT))
        for source, options in (('v.npy', ()), ('v.raw', raw), ('v.tiff', ()), ('v.nii', ()),
                                ('v.nii.gz', ())):
            with self.subTest(source):
                self.forward('--gop', '4', *options, source=source)
                self.assertEqual(self.read('c.npy'),
                                 self.at_once('--gop', '4', *options, source=source))

    def test_back(self):
        self.forward('--gop', '4')
        result = self.succeed('inverse', 'c.npy', '-o', 'b.y4m', *CPU)
        self.assertIn('slices per second', result.err)
        got = self.read('b.y4m').split(b'FRAME\n')
        self.assertIn(b'F30000:1001', got[0])
        frames = film(10)[len(HEADER):].split(b'FRAME\n')
        self.assertEqual([f[:WIDTH * HEIGHT] for f in frames[1:]], got[1:])
        self.succeed('inverse', 'c.npy', '-o', 'b.npy', *CPU)
        for name in ('c.tiff', 'c.nii', 'c.nii.gz'):
            self.succeed('forward', 'film.y4m', '-o', name, '--gop', '4', *CPU)
            self.assertIn('slices per second',
                          self.succeed('inverse', name, '-o', 't.npy', '-f', *CPU).err)
            self.assertEqual(self.read('b.npy'), self.read('t.npy'))

    def test_nifti_is_written_group_by_group(self):
        """The bytes of a file that is written at once, with the frame rate. Its length is known
        only at the end."""
        self.succeed('forward', 'film.y4m', '-o', 'all.nii', '--gop', '4', *CPU, '--picture', 'p.png')
        result = self.succeed('forward', '-', '-o', 'c.nii', '--gop', '4', *CPU, stdin=film(10))
        self.assertIn('slices per second', result.err)
        self.assertEqual(self.read('c.nii'), self.read('all.nii'))
        self.assertEqual(json.loads(self.read('c.nii.json')), json.loads(self.read('all.nii.json')))
        self.succeed('inverse', 'c.nii', '-o', 'b.nii', *CPU)
        told = json.loads(self.succeed('info', 'b.nii', '--json').out)
        self.assertEqual((told['depth'], told['geometry']['frames']), (10, True))

    def test_without_a_description(self):
        self.forward('--gop', '4', '-l', '2')
        self.succeed('inverse', 'c.npy', '-o', 'b.npy', *CPU)
        os.remove(self.path('c.npy.json'))
        self.succeed('inverse', 'c.npy', '-o', 'd.npy', '-l', '2', '--gop', '4', *CPU)
        self.assertEqual(self.read('b.npy'), self.read('d.npy'))

    def test_says_what_took_the_time(self):
        told = json.loads(self.forward('--gop', '4', '--check', '--json').text())
        self.assertEqual((told['depth'], told['gop']), (10, 4))
        self.assertGreater(told['slices_per_second'], 0)
        pipeline = told['pipeline']
        self.assertIn(pipeline['binds'], ('read', 'transform', 'write'))
        self.assertGreater(min(pipeline[key] for key in ('read', 'transform', 'check', 'write',
                                                         'together')), 0)
        self.assertEqual((pipeline['to_device'], pipeline['from_device']), (0, 0))
        self.assertLess(told['round_trip_max_error'], 1e-5)
        self.assertIn("bottleneck", self.forward('--gop', '4', '-v').err)

    def test_unchecked(self):
        for options in (('--gop', '4'), ()):
            told = json.loads(self.forward('--json', *options).text())
            self.assertNotIn('round_trip_max_error', told)
            self.assertNotIn('round trip', self.forward(*options).err)

    def test_not_finite(self):
        values = noise(WIDTH * HEIGHT * 9)
        values[1000] = float('nan')
        self.write('v.npy', npy((9, HEIGHT, WIDTH), values))
        result = self.forward('--gop', '4', '--check', source='v.npy')
        self.assertIn('v.npy: 1 value is not finite', result.err)
        self.assertIn('round trip not checked: 1 value is not finite', result.err)
        self.assertEqual(len(values_of(self.read('c.npy'))), len(values))

    @harness.not_sanitized('the sanitizers keep memory that was freed')
    def test_memory_does_not_grow(self):
        peaks = {}
        for count in (48, 480):
            # Written in pieces: memory of this process would count as the child's.
            with open(self.path('long.y4m'), 'wb') as file:
                file.write(b'YUV4MPEG2 W320 H240 F25:1 Cmono\n')
                for _ in range(count):
                    file.write(b'FRAME\n' + bytes(320 * 240))
            for name in ('c.npy', 'c.nii'):
                peaks.setdefault(name, []).append(
                    self.peak('forward', 'long.y4m', '-o', name, '--gop', '8', *CPU))
            for name in ('c.tiff', 'c.nii.gz'):
                self.peak('forward', 'long.y4m', '-o', name, '--gop', '8', *CPU)
            for name in ('c.npy', 'c.nii', 'c.tiff', 'c.nii.gz'):
                peaks.setdefault('from ' + name, []).append(
                    self.peak('inverse', name, '-o', 'b.y4m', *CPU))
        # The complete clip would need 140 MB more.
        for name, (short, long) in peaks.items():
            self.assertLess(long - short, 8 * MIB, name)


class Numbered(ClipTest):
    """frame-%04d.png: one image per slice, with the names of ffmpeg."""

    def inverse(self, output, *options, **how):
        return self.succeed('inverse', 'c.npy', '-o', output, *CPU, *options, **how)

    def test_there_and_back(self):
        for options in (('--gop', '4'), ()):
            with self.subTest(options):
                self.forward(*options)
                self.inverse('f-%03d.npy', '-f')
                self.inverse('whole.npy', '-f')
                whole = list(values_of(self.read('whole.npy')))
                frames = [values_of(self.read('f-%03d.npy' % i)) for i in range(1, 11)]
                self.assertEqual([v for frame in frames for v in frame], whole)
                self.assertEqual(len(self.files()), 10 + 4)
                self.succeed('forward', 'f-%03d.npy', '-o', 'd.npy', '-f', *CPU, *options)
                self.succeed('forward', 'whole.npy', '-o', 'e.npy', '-f', *CPU, *options)
                self.assertEqual(self.read('d.npy'), self.read('e.npy'))
                for name in ('d.npy', 'd.npy.json', 'e.npy', 'e.npy.json'):
                    os.remove(self.path(name))

    def test_pictures(self):
        self.forward('--gop', '4')
        self.inverse('f%d.png', '--depth', '16')
        self.inverse('f.y4m')
        self.assertEqual(formats.read_png(self.read('f10.png'))[:2], (WIDTH, HEIGHT))
        told = self.succeed('compare', 'f%d.png', 'f.y4m', '--json').out
        self.assertLess(json.loads(told)['max'], 1 / 219)

    def test_coefficients(self):
        for options in (('--gop', '4'), ()):
            self.succeed('forward', 'film.y4m', '-o', 'c-%02d.tiff', '-f', *CPU, *options)
            self.assertIn('c-%02d.tiff.json', self.files())
            self.succeed('inverse', 'c-%02d.tiff', '-o', 'b.y4m', '-f', *CPU)
            frames = film(10)[len(HEADER):].split(b'FRAME\n')
            self.assertEqual([f[:WIDTH * HEIGHT] for f in frames[1:]],
                             self.read('b.y4m').split(b'FRAME\n')[1:])

    def test_colour_and_numbers_from_zero(self):
        for i in range(3):
            self.write('p%d.ppm' % i, formats.pnm(WIDTH, HEIGHT, [i, 50, 200] * WIDTH * HEIGHT, 3))
        self.write('p4.ppm', 'not there, since 3 is not')
        told = json.loads(self.succeed('info', 'p%d.ppm', '--json').out)
        self.assertEqual((told['width'], told['depth'], told['planes']), (WIDTH, 3, 1))
        self.succeed('forward', 'p%d.ppm', '-o', 'c.npy', '--gop', '2', *CPU)

    def test_existing_files_are_kept(self):
        for options in (('--gop', '4'), ()):
            self.forward(*options)
            self.write('f-7.png', 'mine')
            self.refuse(FILE, 'f-7.png exists', 'inverse', 'c.npy', '-o', 'f-%d.png', *CPU,
                        hint='use -f to overwrite')
            self.inverse('f-%d.png', '-f')
            self.assertNotEqual(self.read('f-7.png'), b'mine')
            for i in range(1, 11):
                os.remove(self.path('f-%d.png' % i))
        # The output of the last frame may exist, since the length of the clip is unknown.
        self.write('f-10.npy', 'mine')
        self.refuse(FILE, 'f-10.npy exists', 'forward', '-', '-o', 'f-%d.npy', '--gop', '4', *CPU,
                    stdin=film(10))

    def test_nothing_is_left_of_what_failed(self):
        self.forward('--gop', '4')
        whole = self.read('c.npy')
        self.refuse(FILE, 'standard input: truncated in slice 10 of 10', 'inverse', '-', '-o',
                    'f-%d.png', '-l', '3', '--gop', '4', *CPU, stdin=whole[:-1])
        limits = ((harness.resource.RLIMIT_FSIZE, 500),)
        self.refuse(FILE, 'cannot write …', 'inverse', 'c.npy', '-o', 'f-%d.tiff', *CPU,
                    limits=limits)
        self.refuse(FILE, 'cannot write …', 'inverse', 'c.npy', '-o', 'no/f-%d.png', *CPU)
        os.mkdir(self.path('f-9.npy'))
        self.refuse(FILE, 'cannot write f-9.npy (Is a directory)', 'inverse', 'c.npy', '-o',
                    'f-%d.npy', *CPU)

    def test_nothing_is_left_of_what_was_interrupted(self):
        self.write('decoder', '#!/bin/sh\ncat film.y4m\nexec sleep 600\n')
        os.chmod(self.path('decoder'), 0o755)
        self.write('film.mp4', MP4)
        before = self.files()
        with subprocess.Popen([harness.PROGRAM, 'forward', 'film.mp4', '-o', 'f-%d.npy', '--gop',
                               '2', *CPU], cwd=self.directory, stderr=subprocess.PIPE,
                              env=self.environment({'WAVEPASS_FFMPEG': self.path('decoder')})) as run:
            deadline = time.monotonic() + 60
            while not any(os.path.isdir(self.path(name)) and os.listdir(self.path(name))
                          for name in self.files()) and time.monotonic() < deadline:
                time.sleep(0.01)
            run.send_signal(signal.SIGINT)
            run.communicate(timeout=60)
        self.assertEqual(run.returncode, harness.INTERRUPTED)
        self.assertEqual(self.files(), before)

    def test_frames_that_do_not_fit(self):
        for i, size in enumerate(((8, 6), (8, 6), (8, 7)), start=1):
            self.write('s%d.npy' % i, npy(size[::-1], noise(size[0] * size[1])))
        for options in ((), ('--gop', '2')):
            self.refuse(FILE, 's3.npy is 8x7, but the frames before it are 8x6', 'forward',
                        's%d.npy', '-o', 'c.npy', *CPU, *options)
        self.write('s3.npy', 'text')
        self.refuse(FILE, 's3.npy: …', 'forward', 's%d.npy', '-o', 'c.npy', *CPU)
        self.refuse(FILE, 't%d.npy: no such file', 'forward', 't%d.npy', '-o', 'c.npy', *CPU)
        # A file with exactly this name, and names without a number, are single files.
        self.write('s%d.npy', npy((6, 8), noise(48)))
        self.succeed('forward', 's%d.npy', '-o', 'c.npy', *CPU)
        self.refuse(FILE, 'c%x.png cannot hold a volume (…', 'inverse', self.volume(), '-o',
                    'c%x.png', *CPU)

    def volume(self):
        self.forward()
        return 'c.npy'


class ApartTest(ClipTest):
    """Upload, transform and download in one thread each."""
    def environment(self, change=None, fault=None):
        return super().environment({**(change or {}), 'WAVEPASS_APART': '1'}, fault)


class GroupsApart(ApartTest, Groups):
    def test_says_what_took_the_time(self):
        told = json.loads(self.forward('--gop', '4', '--check', '--json').text())
        pipeline = told['pipeline']
        self.assertIn(pipeline['binds'], ('read', 'to_device', 'transform', 'from_device', 'check',
                                          'write'))
        self.assertGreater(min(pipeline[key] for key in ('read', 'to_device', 'transform',
                                                         'from_device', 'check', 'write')), 0)
        # Levels of x and y followed by levels of z are not a single step.
        told = json.loads(self.forward('--gop', '4', '--json', '--decomposition',
                                       'spatial-temporal').text())
        self.assertEqual(told['pipeline']['to_device'], 0)


class Refused(ClipTest):
    def refuse_clip(self, message, data, *options, code=FILE):
        self.write('bad.y4m', data)
        with self.subTest(message):
            self.refuse(code, message, 'forward', 'bad.y4m', '-o', 'x.npy', '--gop', '2', *CPU,
                        *options)

    def test_ends_before_it_should(self):
        whole = film(10)
        self.refuse_clip('bad.y4m: a frame is truncated', whole[:-1])
        self.refuse_clip('bad.y4m: a frame is truncated', whole[:-FRAME])
        self.refuse_clip('bad.y4m: missing FRAME header', whole[:-FRAME - 2])
        self.refuse_clip('bad.y4m: missing FRAME header', whole + b'end')
        self.refuse_clip('bad.y4m: a frame is truncated', whole[:len(HEADER) + 50])
        self.refuse_clip('bad.y4m: no frames', HEADER)
        self.refuse_clip('bad.y4m: not a YUV4MPEG2 stream', HEADER[:-1])

    def test_arrays_that_are_cut_off(self):
        data = npy((9, HEIGHT, WIDTH), noise(WIDTH * HEIGHT * 9))
        self.write('v.npy', data[:-1])
        self.refuse(FILE, 'v.npy: truncated (…', 'forward', 'v.npy', '-o', 'x.npy', '--gop', '2')
        self.refuse(FILE, 'standard input: truncated in slice 9 of 9', 'forward', '-', '-o',
                    'x.npy', '--gop', '2', *CPU, stdin=data[:-1])

    def test_volumes_that_are_damaged(self):
        """The errors of a run that reads all slices at once, and no file."""
        self.succeed('forward', 'pattern:noise:14x10x9', '-o', 'c.nii', *CPU)
        self.succeed('forward', 'pattern:noise:14x10x9', '-o', 'c.tiff', *CPU)
        nifti, tiff = self.read('c.nii'), self.read('c.tiff')
        packed = gzip.compress(nifti)
        wrong_sum = packed[:-8] + bytes([packed[-8] ^ 1]) + packed[-7:]
        for name, data, message in (
                ('v.nii', nifti[:-1], 'v.nii: truncated (…'),
                ('v.nii', nifti + b'x', 'v.nii: too long (…'),
                ('v.nii', nifti[:40] + b'\xff\xff' + nifti[42:], 'v.nii: damaged NIfTI (…'),
                ('v.nii.gz', packed[:-9], 'v.nii.gz: truncated (…'),
                ('v.nii.gz', wrong_sum, 'v.nii.gz: damaged gzip (…'),
                ('v.nii.gz', packed + b'x', 'v.nii.gz: damaged gzip (unexpected data…'),
                ('v.nii.gz', gzip.compress(nifti + b'x'), 'v.nii.gz: too long (…'),
                ('v.nii.gz', gzip.compress(b'text'), 'v.nii.gz: the gzip file does not…'),
                ('v.tiff', tiff[:len(tiff) // 2], 'v.tiff: …'),
                ('v.tiff', tiff[:6], 'v.tiff: …')):
            self.write(name, data)
            for options in ((), ('--gop', '2')):
                with self.subTest(message, options=options):
                    self.refuse(FILE, message, 'forward', name, '-o', 'x.npy', *CPU, *options)

    def test_volumes_that_are_cut_while_they_are_read(self):
        """The file is truncated before each read, and after the last. The complete output is
        written, or there is one error and no output."""
        count, size = 4, WIDTH * HEIGHT
        samples = noise(count * size)
        pages = formats.tiff_pages([(WIDTH, HEIGHT, samples[i * size:(i + 1) * size])
                                    for i in range(count)])
        # The directory of the first page is lost, to which readers return.
        at = struct.unpack('<I', pages[4:8])[0]
        first = pages[at:at + 2 + 12 * struct.unpack('<H', pages[at:at + 2])[0] + 4]
        tiff = pages[:4] + struct.pack('<I', 2 * len(pages)) + pages[8:] + bytes(len(pages)) + first
        for name, data in (('v.tiff', tiff), ('v.npy', npy((count, HEIGHT, WIDTH), samples)),
                           ('v.y4m', film(count))):
            self.write(name, data)
            self.forward('--gop', '2', source=name)
            good, refused = self.read('c.npy'), 0
            for at in itertools.count(1):
                for made in {'c.npy', 'c.npy.json'} & set(self.files()):
                    os.unlink(self.path(made))
                self.write(name, data)
                result = self.run_program('forward', name, '-o', 'c.npy', '--gop', '2', *CPU,
                                          fault='change-cut:%d' % at,
                                          env={'WAVEPASS_FAULT_FILE': '/' + name})
                with self.subTest(name, at=at):
                    failed = result.code != 0
                    refused += failed
                    self.assertEqual((result.code, result.err.count(' error: ')),
                                     (FILE, 1) if failed else (0, 0), result.err)
                    self.assertEqual(self.files().get('c.npy'), None if failed else good)
                if 'change fault' not in result.err:
                    break
            self.assertGreater(refused, 0, name)

    def test_coefficients_that_are_cut_off(self):
        self.forward('--gop', '4')
        self.write('c.npy', self.read('c.npy')[:-1])
        self.refuse(FILE, 'c.npy: truncated (…', 'inverse', 'c.npy', '-o', 'b.y4m', *CPU)

    def test_groups(self):
        self.refuse_clip("--gop: '0' is not an integer…", film(3), '--gop', '0', code=USAGE)
        self.refuse_clip('…more along z than 2 slices have', film(10), '--levels-z', '2',
                         code=USAGE)
        # The remaining group must be valid, too.
        self.refuse_clip('…periodic borders need even sizes…14x10x3…', film(7), '--border',
                         'periodic', '--gop', '4', '-l', '1', '--levels-z', '1', code=USAGE)

    def test_a_disk_that_is_full(self):
        self.write('old.npy', 'old')
        os.mkdir(self.path('d'))
        self.refuse(FILE, 'cannot write …', 'forward', 'film.y4m', '-o', 'no/where.npy', '--gop',
                    '2', *CPU)
        self.refuse(FILE, 'old.npy exists', 'forward', 'film.y4m', '-o', 'old.npy', '--gop', '2',
                    *CPU)
        limits = ((harness.resource.RLIMIT_FSIZE, 2000),)
        self.refuse(FILE, 'cannot write x.npy (File too large)', 'forward', 'film.y4m', '-o',
                    'x.npy', '--gop', '2', *CPU, limits=limits)


class RefusedApart(ApartTest, Refused):
    pass


class Videos(ClipTest):
    def setUp(self):
        super().setUp()
        self.write('film.mp4', MP4)

    def decoder(self, script):
        """The environment with a program in place of ffmpeg."""
        self.write('decoder', '#!/bin/sh\n' + script + '\n')
        os.chmod(self.path('decoder'), 0o755)
        return {'WAVEPASS_FFMPEG': self.path('decoder')}

    def test_frames_of_a_video(self):
        env = self.decoder('printf "%s\\n" "$@" >arguments; cat film.y4m')
        self.forward('--gop', '4')
        wanted = self.read('c.npy')
        for source in ('film.mp4', 'video:film.y4m'):
            with self.subTest(source):
                self.forward('--gop', '4', source=source, env=env)
                self.assertEqual(self.read('c.npy'), wanted)
                told = self.read('arguments').decode().split('\n')
                self.assertIn('file:' + source.replace('video:', ''), told)
                self.assertIn('yuv4mpegpipe', told)

    def test_all_frames_at_once(self):
        env = self.decoder('cat film.y4m')
        self.forward()
        wanted = self.read('c.npy')
        self.forward(source='film.mp4', env=env)
        self.assertEqual(self.read('c.npy'), wanted)

    def test_names_are_no_options_and_no_shell(self):
        env = self.decoder('printf "%s\\n" "$@" >arguments; cat film.y4m')
        name = '-y; touch made $(touch made).mp4'
        self.write(name, MP4)
        self.forward('--gop', '4', source='./' + name, env=env)
        self.assertIn('file:./' + name, self.read('arguments').decode().split('\n'))
        self.assertNotIn('made', self.files())

    def refuse_video(self, message, env, code=FILE, hint=None):
        for options in (('--gop', '2'), ()):
            with self.subTest(message, options=options):
                self.refuse(code, message, 'forward', 'film.mp4', '-o', 'x.npy', *CPU, *options,
                            env=env, hint=hint)

    def test_no_decoder(self):
        for name in ('no/where', self.path('film.y4m')):
            self.refuse_video("film.mp4 is a video, and its decoder '%s' cannot be started …"
                              % name, {'WAVEPASS_FFMPEG': name}, UNAVAILABLE,
                              'install ffmpeg, or set WAVEPASS_FFMPEG to its path')

    def test_a_decoder_that_fails(self):
        cut = len(HEADER) + 5 * (FRAME + 6) + 100
        self.refuse_video('film.mp4: ffmpeg failed (exit 1: moov atom not found)', self.decoder(
            'echo first >&2; echo moov atom not found >&2; exit 1'))
        self.refuse_video('film.mp4: ffmpeg failed (exit 7)', self.decoder(
            'head -c %d film.y4m; exit 7' % cut))
        self.refuse_video('film.mp4: ffmpeg failed (exit 7)', self.decoder('cat film.y4m; exit 7'))
        self.refuse_video('film.mp4: ffmpeg failed (signal 9)', self.decoder(
            'head -c %d film.y4m; kill -9 $$' % cut))
        self.refuse_video('film.mp4: …truncated', self.decoder('head -c %d film.y4m' % cut))
        self.refuse_video('…', self.decoder('echo text'))
        self.refuse_video('…', self.decoder(''))

    def test_a_decoder_that_goes_on_is_ended(self):
        env = self.decoder('echo $$ >number; cat film.y4m; echo nonsense; exec sleep 600')
        self.run_program('forward', 'film.mp4', '-o', 'x.npy', '--gop', '2', *CPU, env=env,
                         timeout=60)
        number = int(self.read('number'))
        with self.assertRaises(ProcessLookupError):
            os.kill(number, 0)

    def test_other_commands_take_videos(self):
        env = self.decoder('cat film.y4m')
        self.succeed('compare', 'film.mp4', 'film.y4m', env=env)
        self.write('film.y4m', film(9))
        self.refuse(FILE, 'film.mp4: ffmpeg failed (exit 1)', 'compare', 'film.mp4', 'film.y4m',
                    env=self.decoder('exit 1'))
