"use strict";
// Wavelet files of the visitor, selected or dropped.

functions.wavelet_file = "sss";

const WAVELET_BYTES = 1 << 16;
const customWavelets = new Set(); // names; addresses do not contain these wavelets

const isWaveletFile = file => /\.wavelet$/i.test(file.name);

// Also updates the names that are valid in addresses.
function listWavelets() {
    names.w = fill("w", lines(C.wavelets()));
}

async function openWaveletFile(file) {
    clearNotice("wavelet");
    if (file.size > WAVELET_BYTES) {
        notify(`${file.name} has ${file.size} bytes; the limit for wavelet files is ` +
               `${WAVELET_BYTES}.`, "wavelet");
        return;
    }
    const name = C.wavelet_file(file.name, await file.text());
    if (!name) {
        notify(`Invalid wavelet file: ${C.error()}.`, "wavelet");
        return;
    }
    listWavelets();
    customWavelets.add(name);
    Object.assign(state, {w: name, e: ""});
    wavelet = "";
    notify(`The wavelet ${name} of ${file.name} is shown. The address does not contain it and ` +
           "opens another wavelet.", "wavelet");
    update();
}

function listenToWavelets() {
    $("wavelet-file").addEventListener("change", () => {
        if ($("wavelet-file").files[0])
            openWaveletFile($("wavelet-file").files[0]);
        // Allows selecting the same file again after it was edited.
        $("wavelet-file").value = "";
    });
}
