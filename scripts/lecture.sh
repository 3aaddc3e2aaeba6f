#!/usr/bin/env bash
# Writes docs/lecture: for CDF 5/3, CDF 9/7 and DD 13/7 a page with all schemes on an image and a
# worksheet with answers; for CDF 5/3 also both for volumes, and two pictures.
#
#   scripts/lecture.sh [WAVEPASS [RESULTS]]
#
# WAVEPASS is the program (default: that of build/release, build/test or build/debug, or the one on
# the PATH). RESULTS is a file of 'wavepass bench --json' with times for the pages, or a directory
# of scripts/sweep.sh, whose times of one level are used.
set -Eeu
trap 'echo "scripts/lecture.sh: failed in line $LINENO" >&2' ERR
results=${2:+$(realpath "$2")}
root=$(realpath "$(dirname "$0")/..")
wavepass=${1:-}
for preset in release test debug; do
    if [ -z "$wavepass" ] && [ -x "$root/build/$preset/wavepass" ]; then
        wavepass=$root/build/$preset/wavepass
    fi
done
if ! wavepass=$(command -v "${wavepass:-wavepass}"); then
    echo "scripts/lecture.sh: no program 'wavepass' (build it with scripts/demo.sh, or name it)" >&2
    exit 1
fi
wavepass=$(realpath "$wavepass")

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir -p "$root/docs/lecture"
cd "$root/docs/lecture"

# An image with integers from 0 to 255, so that a pixel can be calculated by hand.
"$wavepass" forward pattern:edges:96x96 -w cdf53 -b reference -q -o "$work/edges.npy"
"$wavepass" inverse "$work/edges.npy" -b reference -q -f -o edges.png

for wavelet in cdf53 cdf97 dd137; do
    times=$results
    [ -d "$results" ] && times=$results/$wavelet-1-level.json
    "$wavepass" explain "$wavelet" --show report --input edges.png --pixel 40,52 \
        ${times:+--results "$times"} -o "$wavelet.html" -f
    "$wavepass" explain "$wavelet" --show report --input edges.png --pixel 40,52 --worksheet \
        -o "$wavelet-worksheet.html" -f
done

# The head phantom has multiples of 0.1, so that a voxel can be calculated by hand, too.
volume="--volume --input pattern:shepp-logan:48x48x40 --pixel 21,22,16"
"$wavepass" explain cdf53 --show report $volume -o cdf53-volume.html -f
"$wavepass" explain cdf53 --show report $volume --worksheet -o cdf53-volume-worksheet.html -f
"$wavepass" explain cdf53/planar-lifting --show diagram -o volume-diagram.svg -f
"$wavepass" explain cdf53/planar-lifting --show footprint -o volume-footprint.svg -f
