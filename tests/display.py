"""An X server with an in-memory screen, which ends when its user does."""
import shutil
import subprocess

# It waits for the end of its input in a separate session: otherwise killing a test and its children
# with SIGKILL would also kill the server, and leave its socket in /tmp.
SERVER = '''
Xvfb -displayfd 3 -screen 0 1280x1024x24 -nolisten tcp 3>&1 >/dev/null 2>&1 &
cat >/dev/null
kill $!
wait $!
'''


def is_available():
    return shutil.which('Xvfb') is not None


class Display:
    """`name` is the value of $DISPLAY."""

    def __init__(self):
        # setsid --fork ends at once.
        self.process = subprocess.Popen(['setsid', '--fork', 'sh', '-c', SERVER],
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        stderr=subprocess.DEVNULL)
        number = self.process.stdout.readline().decode().strip()
        self.name = ':' + number
        if not number:
            self.close()
            raise RuntimeError('Xvfb does not start')

    def close(self):
        self.process.stdin.close()
        self.process.stdout.read()  # ends with the server
        self.process.stdout.close()
        self.process.wait()
