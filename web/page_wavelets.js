"use strict";
// Wavelet files of the visitor's, chosen or dropped.

functions.wavelet_file = "sss";

const WAVELET_BYTES = 1 << 16;
const ownWavelets = new Set(); // names; what they are is in no address

const isWaveletFile = file => /\.wavelet$/i.test(file.name);

// Gives the names in the list to the address's reader, too.
function listWavelets() {
    names.w = fill("w", lines(C.wavelets()));
}

async function takeWaveletFile(file) {
    untell("wavelet");
    if (file.size > WAVELET_BYTES) {
        tell(`${file.name} has ${file.size} bytes, and a wavelet file at most ${WAVELET_BYTES}.`,
             "wavelet");
        return;
    }
    const name = C.wavelet_file(file.name, await file.text());
    if (!name) {
        tell(`No wavelet: ${C.error()}.`, "wavelet");
        return;
    }
    listWavelets();
    ownWavelets.add(name);
    Object.assign(state, {w: name, e: ""});
    wavelet = "";
    tell(`The wavelet ${name} of ${file.name} is shown. The address cannot hold it: who opens that ` +
         "gets another one.", "wavelet");
    update();
}

function listenToWavelets() {
    $("wavelet-file").addEventListener("change", () => {
        if ($("wavelet-file").files[0])
            takeWaveletFile($("wavelet-file").files[0]);
        // So that the same file, mended, can be chosen again.
        $("wavelet-file").value = "";
    });
}
