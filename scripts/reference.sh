#!/usr/bin/env bash
# Generates the HTML reference of the public headers with Doxygen (Debian: doxygen).
#
#   scripts/reference.sh [DIRECTORY]      default: build/reference; the first page is its index.html
#
# Functions, types and members without documentation are errors.
set -Eeu
trap 'echo "scripts/reference.sh: failed in line $LINENO" >&2' ERR
cd "$(dirname "$0")/.."
directory=${1:-build/reference}
mkdir -p "$directory"
version=$(sed -n 's/^#define WAVEPASS_VERSION "\(.*\)"/\1/p' src/api/wavepass.h)
doxygen - <<END
PROJECT_NAME = libwavepass
PROJECT_NUMBER = $version
PROJECT_BRIEF = "Discrete wavelet transforms on GPUs and CPUs"
INPUT = src/api/wavepass.h src/api/wavepass_query.h src/api/wavepass_packets.h src/api/wavepass_stream.h \
    src/denoise/wavepass_denoise.h \
    src/transform/wavepass_operand.h src/base/wavepass_log.h src/solver/wavepass_reconstruct.h \
    src/mpi/wavepass_mpi.h
EXCLUDE_SYMBOLS = WAVEPASS_H WAVEPASS_QUERY_H WAVEPASS_PACKETS_H WAVEPASS_STREAM_H WAVEPASS_DENOISE_H WAVEPASS_VIEW_H WAVEPASS_LOG_H \
    WAVEPASS_RECONSTRUCT_H WAVEPASS_MPI_H
OUTPUT_DIRECTORY = "$directory"
HTML_OUTPUT = .
GENERATE_LATEX = NO
OPTIMIZE_OUTPUT_FOR_C = YES
MACRO_EXPANSION = YES
EXPAND_ONLY_PREDEF = YES
PREDEFINED = "WP_API=" "WP_PRINTF(a,b)=" "__GNUC__="
HAVE_DOT = NO
STRIP_FROM_PATH = src/api src/denoise src/transform src/base src/solver src/mpi
QUIET = YES
WARN_AS_ERROR = YES
END
