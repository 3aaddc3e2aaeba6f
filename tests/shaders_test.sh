#!/usr/bin/env bash
# The emitted shaders are valid GLSL for the reference compiler, in all dialects.
#
#   shaders_test.sh DUMP_SHADERS
set -eu
if ! command -v glslangValidator >/dev/null; then
    echo "skipped: no glslangValidator (package glslang-tools, see scripts/setup.sh)"
    exit 77
fi
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
"$1" .

# Compiles the arguments; prints errors.
compile() {
    if ! printf '%s\n' "$@" | xargs glslangValidator -t >report; then
        grep -B1 -m 20 '^ERROR' report >&2
        return 1
    fi
}

shaders=(*.frag *.vert *.geom *.comp)
echo "${#shaders[@]} shaders"
compile "${shaders[@]}"

# The compiler does check its input.
sed -e 's/ivec2 p =/ivec2 p ==/' "${shaders[0]}" >broken.frag
if compile broken.frag 2>/dev/null; then
    echo "a broken shader compiles" >&2
    exit 1
fi
