#!/usr/bin/env bash
# Demonstrates wavepass on a photograph: installs packages, builds the program, and writes pictures,
# coefficients and a table of the six schemes into demo-out/.
#
#   scripts/demo.sh [PHOTO]
#   scripts/demo.sh --volume [VOLUME [CLIP]]
#
# PHOTO is by default the Earth map of Debian's package xplanet-images, or a built-in pattern. VOLUME is
# by default the head of mricron-data if that is installed, or a built-in phantom. ffmpeg decodes CLIP
# unless it is a .y4m; the default is a moving pattern.
set -Eeu
trap 'echo "scripts/demo.sh: failed in line $LINENO" >&2' ERR
absolute() { # the absolute path of a file; other names do not change
    if [ -f "$1" ]; then realpath "$1"; else echo "$1"; fi
}
kind=image
if [ "${1:-}" = --volume ]; then
    kind=volume
    shift
fi
photo=$(absolute "${1:-}")
clip=$(absolute "${2:-}")
cd "$(dirname "$0")/.."

scripts/setup.sh demo
cmake --preset release -DWAVEPASS_TESTS=OFF >/dev/null
cmake --build --preset release --target wavepass
wavepass=build/release/wavepass
out=demo-out
mkdir -p "$out"

# Slices, subbands, the reconstruction from the largest coefficients; then a clip in groups of frames.
demo_volume() {
    local volume=$1 film=$2 pictures="scripts/volume_pictures.py" name
    "$wavepass" forward "$volume" -o "$out/coefficients.npy" --norm orthonormal --check -f
    "$wavepass" inverse "$out/coefficients.npy" -o "$out/volume.npy" -f -q
    "$pictures" slices "$out/volume.npy" "$out/slices.png"
    "$pictures" cube "$out/coefficients.npy" "$out/cube.png"
    "$pictures" bands "$out/coefficients.npy" "$out/bands.png"
    "$wavepass" edit "$out/coefficients.npy" --keep 5 -o "$out/kept.npy" -f
    "$wavepass" inverse "$out/kept.npy" -o "$out/back.npy" -f -q
    "$pictures" frames "$out/volume.npy" "$out/back.npy" "$out/kept.png"

    "$wavepass" forward "$film" -o "$out/clip.npy" --gop 16 --decomposition spatial-temporal \
        --norm orthonormal --check -f
    "$wavepass" inverse "$out/clip.npy" -o "$out/frames.npy" -f -q
    "$pictures" bands "$out/clip.npy" "$out/clip-bands.png"
    "$wavepass" edit "$out/clip.npy" --keep 5 -o "$out/clip-kept.npy" -f
    "$wavepass" inverse "$out/clip-kept.npy" -o "$out/clip-back.npy" -f -q
    "$wavepass" inverse "$out/clip-kept.npy" -o "$out/clip.y4m" -f -q
    "$pictures" frames "$out/frames.npy" "$out/clip-back.npy" "$out/clip-kept.png"
    for name in volume kept back frames clip-kept clip-back clip; do
        rm -f "$out/$name.npy" "$out/$name.npy.json"
    done
    echo
    echo "in $out/: slices.png, cube.png, bands.png, kept.png (from 5 % of the coefficients),"
    echo "coefficients.npy; of the clip: clip-bands.png, clip-kept.png, clip.y4m"
    where_next
}

where_next() {
    echo "The program is $wavepass; README.md shows how to install it."
}

head=/usr/share/mricron/templates/ch2.nii.gz
if [ $kind = volume ]; then
    if [ -z "$photo" ]; then
        photo=pattern:shepp-logan:128x128x128
        [ ! -f "$head" ] || photo=$head
    fi
    if [ -n "$clip" ] && [ "${clip%.y4m}" = "$clip" ] && ! command -v ffmpeg >/dev/null; then
        echo "demo: ffmpeg, which decodes $clip, is not installed" >&2
        clip=
    fi
    echo
    echo "wavepass $("$wavepass" --version | sed 's/^wavepass //') on $photo"
    echo
    demo_volume "$photo" "${clip:-pattern:moving-zone-plate:256x192x32}"
    exit
fi

earth=/usr/share/xplanet/images/earth.jpg
if [ -n "$photo" ]; then
    : # named by the user
elif [ -f "$earth" ]; then
    photo=$earth
else
    photo=pattern:zone-plate:1024x768
fi
echo
echo "wavepass $("$wavepass" --version | sed 's/^wavepass //') on $photo"
"$wavepass" info | sed -n 1p
echo

# Subbands, a picture of them, and the reconstructed image.
# Uses shaders also with a software renderer, where the CPU would be faster.
"$wavepass" forward "$photo" -b fragment -o "$out/coefficients.npy" \
    --picture "$out/subbands.png" --check -f
"$wavepass" forward "$photo" -b fragment --picture "$out/subbands-mixed.png" --layout mixed -l 1 -f
"$wavepass" inverse "$out/coefficients.npy" -b fragment -o "$out/reconstruction.png" -f

# The six schemes compute the same coefficients with different passes, operations and times.
"$wavepass" forward "$photo" -b reference -o "$out/reference.npy" -f -q
table=$out/schemes.md
{
    echo "CDF 9/7 on \`$photo\`, 3 levels, all planes."
    echo "Operations and fetches are those of one level and quad; the error is the largest against"
    echo "the double precision reference."
    echo
    echo "| scheme | passes | operations | fetches | max error | time | device |"
    echo "|---|--:|--:|--:|--:|--:|---|"
    for scheme in sep-convolution sep-polyconvolution sep-lifting \
        nonsep-convolution nonsep-polyconvolution nonsep-lifting; do
        result=$("$wavepass" forward "$photo" -s "$scheme" -o "$out/$scheme.npy" -f -q --json)
        error=$("$wavepass" compare "$out/$scheme.npy" "$out/reference.npy" --json |
            jq -r '.max * 1e9 | round / 1e9')
        echo "$result" | jq -r --arg scheme $scheme --arg error "$error" \
            '"| \($scheme) | \(.steps) | " +
            "\(.operations) | \(.fetches) | \($error) | \(.seconds * 1e4 | round / 10) ms | " +
            .device + if .software then " (SOFTWARE: times say nothing of a GPU)" else "" end +
            " |"'
        rm -f "$out/$scheme.npy" "$out/$scheme.npy.json"
    done
} >"$table"
rm -f "$out/reference.npy" "$out/reference.npy.json"
echo
cat "$table"
echo
echo "in $out/: subbands.png, subbands-mixed.png, reconstruction.png, coefficients.npy, schemes.md"
where_next
