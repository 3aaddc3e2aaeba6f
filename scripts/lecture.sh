#!/usr/bin/env bash
# Writes docs/lecture: for CDF 5/3, CDF 9/7 and DD 13/7 a page that shows every scheme on an image,
# and a worksheet with its answers behind it.
#
#   scripts/lecture.sh [WAVEPASS [RESULTS]]
#
# WAVEPASS is the program (default: build/debug/wavepass, else the one on the PATH), RESULTS a
# file of 'wavepass bench --json' whose times go into the pages, or the directory of a
# scripts/sweep.sh, whose times of one level do.
set -eu
results=${2:+$(realpath "$2")}
root=$(realpath "$(dirname "$0")/..")
wavepass=${1:-$root/build/debug/wavepass}
[ -x "$wavepass" ] || wavepass=$(command -v wavepass)
wavepass=$(realpath "$wavepass")
export WAVEPASS_WAVELETS=$root/assets/wavelets

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir -p "$root/docs/lecture"
cd "$root/docs/lecture"

# An image of whole numbers from 0 to 255, so that the arithmetic of a pixel can be done by hand.
"$wavepass" forward pattern:edges:96x96 -w cdf53 -b reference -q -o "$work/edges.npy"
"$wavepass" inverse "$work/edges.npy" -b reference -q -f -o edges.png

for wavelet in cdf53 cdf97 dd137; do
    times=$results
    [ -d "$results" ] && times=$results/$wavelet-1-level.json
    "$wavepass" explain "$wavelet" --what report --input edges.png --pixel 40,52 \
        ${times:+--results "$times"} -o "$wavelet.html" -f
    "$wavepass" explain "$wavelet" --what report --input edges.png --pixel 40,52 --worksheet \
        -o "$wavelet-worksheet.html" -f
done
