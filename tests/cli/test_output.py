"""Outputs that cannot be written; outputs are complete or absent."""
import os
import resource
import stat

import formats
from harness import FILE, REFERENCE, USAGE, CliTest, not_sanitized

IMAGE = 'pattern:noise:64x48'
LITTLE = 'machine-memory:256'
MORE_MEMORY = 'the sanitizers reserve more than any limit'


class OutputTest(CliTest):
    def refuse_output(self, message, *options, hint=None, code=FILE, image=IMAGE, **how):
        with self.subTest(' '.join(options)):
            self.refuse(code, message, 'forward', image, *REFERENCE, *options, hint=hint, **how)


class CannotBeWritten(OutputTest):
    def test_directory_that_does_not_exist(self):
        self.refuse_output('cannot write no/where/c.npy…', '-o', 'no/where/c.npy')
        self.refuse_output('cannot write no/where/c.png (No such file or directory)', '--picture',
                           'no/where/c.png')

    def test_below_a_file(self):
        self.write('file', 'x')
        self.refuse_output('cannot write file/c.npy…', '-o', 'file/c.npy')

    def test_directory_that_takes_no_files(self):
        self.refuse_output('cannot write /proc/c.npy…', '-o', '/proc/c.npy')
        self.refuse_output('cannot write /proc/c.png (No such file or directory)', '--picture',
                           '/proc/c.png')

    def test_directory_without_permission(self):
        os.mkdir(self.path('locked'))
        os.chmod(self.path('locked'), 0o555)
        who = self.somebody()
        self.refuse_output('cannot write locked/c.npy…', '-o', 'locked/c.npy', **who)
        self.refuse_output('cannot write locked/c.png (Permission denied)', '--picture',
                           'locked/c.png', **who)

    def test_file_without_permission(self):
        who = self.somebody()
        self.write('c.png', 'mine')
        os.chmod(self.path('c.png'), 0o444)
        os.chmod(self.directory, 0o777)  # otherwise sufficient to replace it
        self.refuse_output('cannot write c.png (Permission denied)', '-f', '--picture', 'c.png',
                           **who)

    def test_output_that_is_a_directory(self):
        os.mkdir(self.path('c.npy'))
        self.refuse_output('cannot write c.npy (Is a directory)', '-f', '-o', 'c.npy')
        os.mkdir(self.path('c.png'))
        self.refuse_output('cannot write c.png (Is a directory)', '-f', '--picture', 'c.png')


class Full(OutputTest):
    """Full disks: a full device, and a limit on file sizes."""

    def test_device(self):
        for name in ('c.npy', 'c.pfm', 'c.tiff'):
            os.symlink('/dev/full', self.path(name))
            self.refuse_output('cannot write %s (No space left on device)' % name, '-o', name)
        os.symlink('/dev/full', self.path('c.png'))
        self.refuse_output('cannot write c.png (No space left on device)', '--picture', 'c.png')

    def test_sidecar_on_a_full_device(self):
        os.symlink('/dev/full', self.path('c.npy.json'))
        self.refuse_output('cannot write c.npy.json (No space left on device)', '-o', 'c.npy')

    def test_stdout(self):
        with open('/dev/full', 'wb') as full:
            self.refuse_output('cannot write the standard output (No space left on device)',
                               '-o', '-', stdout=full)
            for arguments in (('info',), ('--version',), ('help',), ('--help',),
                              ('forward', '--help'), ('explain', 'haar'), ('help', '--man')):
                with self.subTest(arguments):
                    result = self.run_program(*arguments, stdout=full)
                    self.assertEqual(result.code, FILE, result.err)
                    self.assertRegex(result.err, r'error: cannot write .* \(No space left on '
                                     r'device\)\n')

    def test_inverse(self):
        self.succeed('forward', IMAGE, '-o', 'c.npy', *REFERENCE)
        for name in ('i.png', 'i.npy', 'i.pfm', 'i.tiff'):
            os.symlink('/dev/full', self.path(name))
            with self.subTest(name):
                self.refuse(FILE, 'cannot write %s (No space left on device)' % name, 'inverse',
                            'c.npy', '-o', name, *REFERENCE)

    def test_limit_on_the_size_of_files(self):
        limits = ((resource.RLIMIT_FSIZE, 1024),)
        for name in ('c.npy', 'c.pfm', 'c.tiff'):
            self.refuse_output('cannot write %s (File too large)' % name, '-o', name,
                               limits=limits)
        self.refuse_output('cannot write c.png (File too large)', '--picture', 'c.png',
                           limits=limits)

    def test_limit_leaves_the_old_file(self):
        self.write('c.npy', 'old coefficients')
        self.write('c.npy.json', 'old sidecar')
        self.refuse_output('cannot write c.npy (File too large)', '-f', '-o', 'c.npy',
                           limits=((resource.RLIMIT_FSIZE, 4096),))

    def test_second_output_full(self):
        # The first file is complete and is not deleted.
        os.symlink('/dev/full', self.path('c.png'))
        result = self.run_program('forward', IMAGE, '-o', 'c.npy', '--picture', 'c.png', *REFERENCE)
        self.assertEqual(result.code, FILE)
        self.assertIn('cannot write c.png (No space left on device)', result.err)
        self.assertEqual(sorted(self.files()), ['c.npy', 'c.npy.json', 'c.png'])
        self.assertEqual(formats.read_npy(self.read('c.npy'))[0], (48, 64))

    @not_sanitized(MORE_MEMORY)
    def test_memory(self):
        limits = ((resource.RLIMIT_AS, 300 << 20),)
        result = self.run_program('forward', 'pattern:noise:16000x16000', '-o', 'c.npy', *REFERENCE,
                                  limits=limits)
        self.assertEqual((result.code, self.files()), (6, {}), result.err)
        self.assertIn('error: not enough memory for ', result.err)

    def test_a_smaller_machine(self):
        """An image that needs more than half of the memory is rejected before it is read."""
        for command, what in ((('forward', 'pattern:noise:6000x6000', '-o', 'c.npy'), 'an image'),
                              (('forward', 'pattern:noise:512x512x200', '-o', 'c.npy'), 'a volume'),
                              (('bench', '-b', 'cpu', '--size', '6000', '--runs', '1'), 'an image'),
                              (('view', 'pattern:noise:6000x6000', '--screenshot', 's.png'),
                               'an image')):
            result = self.run_program(*command, fault=LITTLE)
            self.assertEqual((result.code, self.files()), (6, {}), result.err)
            self.assertRegex(result.err, r'error: not enough memory for %s of \S+ \(needs 2 x 0\.\d '
                                         r'GiB, the machine has 0\.2\)' % what)

    @not_sanitized(MORE_MEMORY)
    def test_what_a_smaller_machine_has_not(self):
        for command in (('forward', 'pattern:noise:5500x5500', '-o', 'c.npy', '-b', 'cpu'),
                        ('bench', '-b', 'cpu', '--size', '5500', '--runs', '1', '--no-verify')):
            result = self.run_program(*command, fault=LITTLE)
            self.assertEqual((result.code, self.files()), (6, {}), result.err)
            self.assertIn('not enough memory for ', result.err)

    @not_sanitized(MORE_MEMORY)
    def test_a_higher_limit_comes_down(self):
        result = self.run_program('forward', 'pattern:noise:5500x5500', '-o', 'c.npy', '-b', 'cpu',
                                  fault=LITTLE, limits=((resource.RLIMIT_DATA, 1 << 40),))
        self.assertEqual((result.code, self.files()), (6, {}), result.err)

    @not_sanitized(MORE_MEMORY)
    def test_a_lower_limit_stays(self):
        result = self.run_program('forward', 'pattern:noise:5000x5000', '-o', 'c.npy', '-b', 'cpu',
                                  limits=((resource.RLIMIT_DATA, 150 << 20),))
        self.assertEqual((result.code, self.files()), (6, {}), result.err)


class Existing(OutputTest):
    def test_not_overwritten(self):
        for name in ('c.npy', 'c.npy.json', 'c.png'):
            self.write(name, 'mine')
            self.refuse_output(name + ' exists', *(('--picture', name) if name == 'c.png' else
                                                   ('-o', 'c.npy')), hint='use -f to overwrite')
            os.remove(self.path(name))

    def test_told_before_the_input_is_read(self):
        self.write('c.npy', 'mine')
        self.refuse_output('c.npy exists', '-o', 'c.npy', image='missing.png')

    def test_directory_told_before_the_input_is_read(self):
        self.write('file', 'x')
        for path, why in ('no/c', 'No such file or directory'), ('file/c', 'Not a directory'):
            for option, suffix in ('-o', '.npy'), ('--picture', '.png'):
                self.refuse_output('cannot write %s (%s)' % (path + suffix, why), option,
                                   path + suffix, image='missing.png')

    def test_inverse(self):
        self.succeed('forward', IMAGE, '-o', 'c.npy', *REFERENCE)
        self.write('i.png', 'mine')
        self.refuse(FILE, 'i.png exists', 'inverse', 'c.npy', '-o', 'i.png', *REFERENCE,
                    hint='use -f to overwrite')

    def test_other_commands(self):
        self.write('d.png', 'mine')
        self.refuse(FILE, 'd.png exists', 'compare', IMAGE, IMAGE, '-o', 'd.png',
                    hint='use -f to overwrite')
        self.write('d.txt', 'mine')
        self.refuse(FILE, 'd.txt exists', 'explain', 'haar', '-o', 'd.txt',
                    hint='use -f to overwrite')

    def test_force(self):
        for name in ('c.npy', 'c.npy.json', 'c.png'):
            self.write(name, 'mine')
        os.chmod(self.path('c.npy'), 0o640)
        self.succeed('forward', IMAGE, '-f', '-o', 'c.npy', '--picture', 'c.png', *REFERENCE)
        self.assertEqual(formats.read_npy(self.read('c.npy'))[0], (48, 64))
        self.assertEqual(sorted(self.files()), ['c.npy', 'c.npy.json', 'c.png'])
        self.assertEqual(stat.S_IMODE(os.stat(self.path('c.npy')).st_mode), 0o640)

    def test_new_files_follow_the_umask(self):
        before = os.umask(0o027)
        try:
            self.succeed('forward', IMAGE, '-o', 'c.npy', *REFERENCE)
        finally:
            os.umask(before)
        self.assertEqual(stat.S_IMODE(os.stat(self.path('c.npy')).st_mode), 0o640)

    def test_output_over_the_input(self):
        self.write('a.npy', formats.npy((8, 8), [0.5] * 64))
        self.refuse_output('a.npy exists', '-o', 'a.npy', image='a.npy')
        self.succeed('forward', 'a.npy', '-f', '-o', 'a.npy', *REFERENCE)
        self.succeed('inverse', 'a.npy', '-f', '-o', 'a.npy', *REFERENCE)
        _, values = formats.read_npy(self.read('a.npy'))
        self.assert_near(values, [0.5] * 64, 1e-6)


class Names(OutputTest):
    """Files with several names."""

    def test_link_to_a_file_that_is_not_there(self):
        os.mkdir(self.path('other'))
        for target in 'd.npy', 'other/d.npy', self.path('e.npy'):
            os.symlink(target, self.path('c.npy'))
            self.succeed('forward', IMAGE, '-o', 'c.npy', *REFERENCE)
            self.assertTrue(os.path.islink(self.path('c.npy')))
            self.assertEqual(formats.read_npy(self.read(target))[0], (48, 64))
            for name in 'c.npy', 'c.npy.json', target:
                os.remove(self.path(name))

    def test_links_to_links(self):
        os.symlink('c.npy', self.path('d.npy'))
        os.symlink('e.npy', self.path('c.npy'))
        self.succeed('forward', IMAGE, '-o', 'd.npy', *REFERENCE)
        self.assertEqual(sorted(self.files()), ['c.npy', 'd.npy', 'd.npy.json', 'e.npy'])
        self.assertFalse(os.path.islink(self.path('e.npy')))

    def test_link_to_a_directory_that_is_not_there(self):
        os.symlink('no/c.npy', self.path('c.npy'))
        self.refuse_output('cannot write c.npy (No such file or directory)', '-o', 'c.npy')

    def test_circle_of_links(self):
        os.symlink('d.npy', self.path('c.npy'))
        os.symlink('c.npy', self.path('d.npy'))
        self.refuse_output('cannot write c.npy (Too many levels of symbolic links)', '-o', 'c.npy')

    def test_one_file_by_two_names(self):
        os.mkdir(self.path('a'))
        os.symlink('a', self.path('b'))
        os.symlink('a/c.npy', self.path('l.npy'))
        for one, other in (('c.npy', './c.npy'), ('a/c.npy', 'b/c.npy'), ('l.npy', 'a/c.npy'),
                           ('c.npy', self.path('c.npy')), ('a/../c.npy', 'c.npy')):
            for names in (one, other), (other, one):
                self.refuse_output('-o and --picture name the same file', '-o', names[0],
                                   '--picture', names[1], code=USAGE)
                self.refuse(USAGE, '--json and --csv name the same file', 'bench', '--json',
                            names[0], '--csv', names[1])
                self.refuse(USAGE, '--truth-output and --picture name the same file', 'undersample',
                            IMAGE, '-o', 'k.npy', '--truth-output', names[0], '--picture',
                            names[1])
        self.write('l.npy.txt', '')
        self.refuse(USAGE, '--log and --plot name the same file', 'reconstruct', 'k.npy', '-m',
                    'm.npy', '-o', 'r.npy', '--log', 'l.svg', '--plot', './l.svg')

    def test_two_files_of_one_name(self):
        os.mkdir(self.path('a'))
        self.succeed('forward', IMAGE, '-o', 'c.npy', '--picture', 'a/c.npy', *REFERENCE)
        # A device accepts all output.
        self.succeed('bench', '-b', 'cpu', '--size', '64', '--runs', '1', '--no-ceilings', '--json',
                     '/dev/null', '--csv', '/dev/null')


class Kinds(OutputTest):
    def test_png_for_coefficients(self):
        for name in ('c.png', 'c.PNG'):
            self.refuse_output('%s cannot hold coefficients (signed 32-bit float)' % name, '-o',
                               name, hint='use .npy, .npz, .tiff, .pfm or .exr; --picture FILE.png '
                               'writes a picture of the subbands')

    def test_unknown_suffix(self):
        for name in ('c.jpg', 'c', 'c.npy.bak', '.npy'):
            self.refuse_output('cannot write %s (unknown suffix)' % name, '-o', name,
                               hint='use .npy, .npz, .tiff, .pfm or .exr')
        self.refuse_output('cannot write c.jpg (unknown suffix)', '--picture', 'c.jpg',
                           hint='use .png, …')

    def test_pfm_of_two_or_four_planes(self):
        for planes in (2, 4):
            self.write('a.png', formats.png(8, 6, formats.noise(48 * planes, 255), planes=planes))
            self.refuse_output('c.pfm cannot hold %d planes (PFM has 1 or 3)' % planes, '-o',
                               'c.pfm', image='a.png', hint='use .npy or .tiff')

    def test_depth_needs_png(self):
        self.refuse(USAGE, '--depth is for .png; i.tiff is written in 32-bit float', 'inverse',
                    'c.npy', '-o', 'i.tiff', '--depth', '8')
