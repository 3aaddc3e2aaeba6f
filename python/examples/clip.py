"""Finds what moves in a clip: high-pass bands along the time axis of frames in color.

    python clip.py [CLIP.npy]      frames, rows, columns, channels
"""
import sys

import numpy as np
from _picture import gray, save

import wavepass as wp

if len(sys.argv) > 1:
    clip = np.load(sys.argv[1])
else:  # a ball that crosses a noisy scene, as bytes
    t, y, x = np.mgrid[0:32, 0:160, 0:240].astype('float32')
    scene = .4 + .2 * np.sin(x / 9) * np.cos(y / 7)
    ball = np.hypot(x - 20 - 6.5 * t, y - 80 - 50 * np.sin(t / 5)) < 11
    clip = np.stack([np.where(ball, value, scene) for value in (.95, .6, .1)], -1)
    clip += np.random.default_rng(0).normal(0, .03, clip.shape)
    clip = np.uint8(np.clip(clip, 0, 1) * 255)

# Bytes are read as they are, with the frames along axis 0 and all else as a batch.
c = wp.wavedec(clip, 'cdf53', 2, axis=0)
motion = np.abs(c['H', 1]).max(-1) / 255
still = c['L'] / 255
trace = motion.max(0)
share = (trace > .15).mean()
print(f'{100 * share:.1f} % of the pixels have changed')
assert .02 < share < .9
save('clip', clip[len(clip) // 2], gray(still[len(still) // 2].mean(-1)), gray(trace, 0, .5))
